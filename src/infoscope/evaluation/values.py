"""One number of a result: its value, what we believe about it, or why it does not exist."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

__all__ = ["Value"]

_BELIEF = ("mean", "sd", "low", "high")
_KNOWN = (*_BELIEF, "cramer_rao_sd", "sd_ratio")


@dataclass(frozen=True)
class Value:
    """A plug-in value, with the posterior's mean, sd and interval where there is one.

    >>> Value.measured(0.5, "never").to_dict()
    {'value': 0.5}
    >>> Value.measured(float("nan"), "the truth has one class only").to_dict()
    {'value': None, 'undefined': 'the truth has one class only'}
    """

    value: float | None
    mean: float | None = None
    sd: float | None = None
    low: float | None = None
    high: float | None = None
    undefined: str | None = None
    cramer_rao_sd: float | None = None
    """The first-order standard error, for information measures."""
    sd_ratio: float | None = None
    """The posterior's sd over the first-order one; None where that is 0, as at independence."""

    @classmethod
    def measured(cls, number: Any, reason: str) -> Value:
        """A metric's number; NaN and infinity become "no value" with the reason."""
        plain = float(number)
        if np.isfinite(plain):
            return cls(plain)
        if np.isinf(plain) and not reason.startswith("infinite"):
            reason = f"infinite: {reason}" if reason != "never" else "infinite"
        return cls(None, undefined=reason)

    def believed(self, summary: Any) -> Value:
        """The same with the mean, sd and limits of a summary; a limit that does not exist is left out."""
        mean, sd, low, high = (_finite(getattr(summary, name)) for name in _BELIEF)
        return replace(self, mean=mean, sd=sd, low=low, high=high)

    def beside(self, first_order: float) -> Value:
        """The same with the first-order standard error and how the posterior's compares with it."""
        ratio = None if self.sd is None or not first_order > 0 else self.sd / first_order
        return replace(self, cramer_rao_sd=_finite(first_order), sd_ratio=ratio)

    def to_dict(self) -> dict[str, Any]:
        """What is known, under its name."""
        record: dict[str, Any] = {"value": self.value}
        record |= {name: known for name in _KNOWN if (known := getattr(self, name)) is not None}
        return record if self.undefined is None else {**record, "undefined": self.undefined}

    def columns(self, name: str) -> Iterator[tuple[str, float | None]]:
        """The value under its name, and what is believed as ``name.low`` and so on."""
        yield name, self.value
        for part in _BELIEF:
            if (known := getattr(self, part)) is not None:
                yield f"{name}.{part}", known

    def compact(self) -> Any:
        """A plain number where there is nothing else to say."""
        record = self.to_dict()
        return self.value if len(record) == 1 and self.value is not None else record

    @classmethod
    def from_json(cls, record: Any) -> Value:
        """A value from either of its forms."""
        return cls(**record) if isinstance(record, dict) else cls(record)


def _finite(number: Any) -> float | None:
    return float(number) if np.isfinite(number) else None
