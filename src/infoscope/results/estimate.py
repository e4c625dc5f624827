"""Estimates (a number with its posterior mean and interval) and differences of two systems."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import isfinite, isinf
from operator import attrgetter
from sys import float_info
from typing import Literal, Protocol, SupportsFloat

from infoscope.core.markup import ShortRepr
from infoscope.core.validation import KeywordHints
from infoscope.errors import InputError
from infoscope.typing import Json

Verdict = Literal["better", "worse", "inconclusive", "equivalent"]

_BELIEF = ("mean", "sd", "low", "high")
_TEXTS = ("undefined", "positive")
_STORED = (*_BELIEF, "first_order_sd", *_TEXTS)
_parts = attrgetter(*_STORED)
_UNKNOWN = (None,) * len(_STORED)


class IntervalSummary(Protocol):
    """Mean, standard deviation and interval of a metric, as a posterior or a bootstrap gives them."""

    @property
    def mean(self) -> SupportsFloat:
        """Expected value."""

    @property
    def sd(self) -> SupportsFloat:
        """Standard deviation."""

    @property
    def low(self) -> SupportsFloat:
        """Lower end of the interval."""

    @property
    def high(self) -> SupportsFloat:
        """Upper end of the interval."""


@dataclass(frozen=True, slots=True, repr=False)
class Estimate(KeywordHints):
    """A metric's value and what is believed about it; ``undefined`` says why there is no value.

    >>> Estimate.of(0.5).interval is None
    True
    >>> Estimate.of(float("nan"), "the truth has only one class").undefined
    'the truth has only one class'
    """

    value: float | None
    """The plug-in value: the metric of the counts as they are."""
    mean: float | None = None
    sd: float | None = None
    low: float | None = None
    high: float | None = None
    first_order_sd: float | None = None
    """The Cramér-Rao standard error, for information measures."""
    undefined: str | None = None
    positive: str | None = None
    """The class that the metric is about, where it is about one of two."""
    corrected: bool = False
    """True if the mean corrects the small-sample bias of the value, as for information, and is shown first."""

    @classmethod
    def of(cls, number: SupportsFloat, reason: str = "never") -> Estimate:
        """Return an estimate with a metric's plug-in value; NaN and infinity become "no value" with the reason."""
        value = float(number)
        if isfinite(value):
            return cls(value)
        if isinf(value) and not reason.startswith("infinite"):
            reason = "infinite" if reason == "never" else f"infinite: {reason}"
        return cls(None, undefined=reason)

    @property
    def shown(self) -> float | None:
        """The number to show first: the sample's value; of information the posterior mean, which corrects its bias.

        A corrected number never lies outside its own interval: the mean of a metric without an upper bound may lie
        beyond it, then the value or the nearest end is shown.
        """
        if not self.corrected or self.mean is None or self.value is None:
            return self.value
        if self.low is None or self.high is None or self.low <= self.mean <= self.high:
            return self.mean
        return min(max(self.value, self.low), self.high)

    @property
    def interval(self) -> tuple[float, float] | None:
        """Both ends of the interval; None unless both are known."""
        return None if self.low is None or self.high is None else (self.low, self.high)

    @property
    def sd_ratio(self) -> float | None:
        """The posterior's standard deviation over the first-order one; None where that is 0, as at independence."""
        if self.sd is None or not self.first_order_sd:
            return None
        return self.sd / self.first_order_sd

    def with_belief(self, summary: IntervalSummary, *, corrected: bool = False, counted: bool = True) -> Estimate:
        """Return the same value with the mean, sd and interval of a summary; parts that do not exist are left out.

        Where nobody ``counted`` the table, as with a judge, no value is the sample's: the mean is the value, too.
        """
        mean, sd, low, high = (drop_infinite(part) for part in (summary.mean, summary.sd, summary.low, summary.high))
        if not counted and mean is not None:
            return replace(self, value=mean, mean=mean, sd=sd, low=low, high=high)
        return replace(self, mean=mean, sd=sd, low=low, high=high, corrected=corrected)

    def with_first_order(self, sd: float) -> Estimate:
        """Return the same with the first-order standard error beside the posterior's."""
        return replace(self, first_order_sd=drop_infinite(sd))

    def check_as(self, metric: str, where: str) -> None:
        """Reject numbers that the metric of this name cannot have, as those of a document that was edited."""
        from infoscope.metrics.registry import find_range  # noqa: PLC0415 - for stored documents alone

        lowest, highest = find_range(metric)
        slack = 1e-9 * max(1.0, abs(self.value or 0.0))
        for part in ("value", "mean", "low", "high"):
            number = getattr(self, part)
            if number is not None and not lowest - slack <= number <= highest + slack:
                raise InputError(
                    f"{where}: the {part} of {metric} is {number:g}, and it lies between {lowest:g} and {highest:g}"
                )
        if self.interval is not None and self.interval[0] > self.interval[1]:
            raise InputError(f"{where}: the interval of {metric} ends below its beginning")

    def columns(self, name: str) -> Iterator[tuple[str, float | None]]:
        """Return the number shown under its name, and the others as ``name.mean``, ``name.low`` and so on.

        Where the number shown is a corrected one, ``name.value`` is the sample's.
        """
        yield name, self.shown
        for part in ("value", *_BELIEF) if self.corrected else _BELIEF:
            number: float | None = getattr(self, part)
            if number is not None:
                yield f"{name}.{part}", number

    def __repr__(self) -> str:
        """Return what is known alone.

        >>> Estimate(0.868, low=0.8362343, high=0.8955208)
        Estimate(value=0.868, low=0.836234, high=0.895521)
        """
        parts = {name: getattr(self, name) for name in ("value", *_STORED)}
        known = [
            f"{name}={part!r}" if isinstance(part, str) else f"{name}={part:.6g}"
            for name, part in parts.items()
            if part is not None
        ]
        return f"Estimate({', '.join(known)})"

    def __json__(self) -> Json:
        """Return what is known alone; ``shown`` repeats the number that reports show first."""
        record: dict[str, Json] = {"value": self.value}
        parts = _parts(self)
        if parts == _UNKNOWN:
            return record
        if self.mean is not None and self.value is not None:
            record["shown"] = self.shown
        for name, known in zip(_STORED, parts, strict=True):
            if known is not None:
                record[name] = known
        if self.corrected:
            record["corrected"] = True
        return record

    @classmethod
    def __from_json__(cls, record: Json) -> Estimate:
        """Read the record of ``__json__``, or a bare number."""
        if isinstance(record, Mapping):
            known = {name: record[name] for name in ("value", *_STORED) if name in record}
            for name, part in known.items():
                if name in _TEXTS:
                    if part is not None and not isinstance(part, str):
                        raise InputError(f"{name} of an estimate is {part!r}; text is required")
                elif part is not None:
                    is_number = isinstance(part, (int, float)) and not isinstance(part, bool)
                    least = 0.0 if name in ("sd", "first_order_sd") else -float_info.max
                    if not is_number or not least <= part <= float_info.max:  # type: ignore[operator]
                        sign = ", not negative," if least == 0 else ""
                        raise InputError(
                            f"{name} of an estimate is {repr(part)[:40]}; a finite number{sign} is required"
                        )
            known.setdefault("value", None)
            known["corrected"] = record.get("corrected") is True
            return cls(**known)  # type: ignore[arg-type]
        if record is None or (
            isinstance(record, (int, float))
            and not isinstance(record, bool)
            and -float_info.max <= record <= float_info.max
        ):
            return cls(record)
        raise InputError(f"an estimate is {repr(record)[:40]}; a finite number or a record with its value is required")

    @classmethod
    def __json_schema__(cls) -> dict[str, Json]:
        """Describe what ``__json__`` writes."""
        number: Json = {"type": ["number", "null"]}
        fields: dict[str, Json] = {name: number for name in ("value", "shown", *_STORED) if name not in _TEXTS}
        return {
            "type": "object",
            "properties": {
                **fields,
                **{name: {"type": "string"} for name in _TEXTS},
                "corrected": {"type": "boolean"},
            },
            "required": ["value"],
            "additionalProperties": False,
        }


@dataclass(frozen=True, slots=True, repr=False)
class Difference(ShortRepr, KeywordHints):
    """A − B in one metric."""

    a: str
    b: str
    metric: str
    estimate: Estimate
    probability_a_better: float | None
    paired: bool
    significant: bool = False
    """True if the two differ when all pairs are considered at once (Holm); the verdict is about this pair alone."""
    verdict: Verdict = "inconclusive"
    tests: Mapping[str, float] = field(default_factory=dict)
    """P-values of classical tests, by name."""
    correlation: float | None = None
    """Of the two systems' errors over common rows."""
    improvement: Estimate | None = None
    """By what factor A's loss is smaller than B's, where the metric says what is lost."""
    information: Estimate | None = None
    """Exact paired difference of the mutual information in bits."""
    probability_equivalent: float | None = None
    """That the difference is too small to matter, where a region of practical equivalence was stated."""

    @property
    def corrected_verdict(self) -> Verdict | Literal["not significant"]:
        """The verdict among all pairs: better or worse only where that is significant after correction."""
        claimed = self.verdict in ("better", "worse")
        return "not significant" if claimed and not self.significant else self.verdict

    def reversed(self) -> Difference:
        """Return B − A."""
        return replace(
            self,
            a=self.b,
            b=self.a,
            estimate=negate(self.estimate),
            probability_a_better=None if self.probability_a_better is None else 1 - self.probability_a_better,
            verdict=_OPPOSITE.get(self.verdict, self.verdict),
            improvement=None if self.improvement is None else invert(self.improvement),
            information=None if self.information is None else negate(self.information),
        )


_OPPOSITE: dict[Verdict, Verdict] = {"better": "worse", "worse": "better"}


def negate(estimate: Estimate) -> Estimate:
    """Return the estimate of minus the quantity."""
    value, mean, low, high = (
        None if part is None else -part for part in (estimate.value, estimate.mean, estimate.high, estimate.low)
    )
    return replace(estimate, value=value, mean=mean, low=low, high=high)


def invert(factor: Estimate) -> Estimate:
    """Return the estimate of 1 / the factor."""
    value, low, high = (None if x is None else 1 / x for x in (factor.value, factor.high, factor.low))
    return Estimate(value, low=low, high=high)


def drop_infinite(number: SupportsFloat) -> float | None:
    """Return a finite number; None for NaN and infinity."""
    value = float(number)
    return value if isfinite(value) else None
