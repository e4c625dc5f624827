"""How numbers are written for people: percentages, bits or nats, counts, and what is undefined."""

from __future__ import annotations

import math
from dataclasses import dataclass

from infoscope.errors import InputError
from infoscope.metrics.registry import find
from infoscope.results.estimate import Estimate

__all__ = [
    "BITS",
    "UNDEFINED",
    "Units",
    "amount",
    "chance",
    "false_per_hundred",
    "interval_text",
    "is_share",
    "metric_value",
    "p_value",
    "points",
    "share",
    "signed_metric_value",
    "units",
]

UNDEFINED = "undefined"


@dataclass(frozen=True)
class Units:
    """The unit in which information is shown; inside, everything is in bits."""

    name: str
    per_bit: float

    def amount(self, bits: float | None, digits: int = 2) -> str:
        """A number of bits in this unit, without its name."""
        return UNDEFINED if bits is None else f"{bits * self.per_bit:.{digits}f}"


BITS = Units("bits", 1.0)
_UNITS = {"bits": BITS, "nats": Units("nats", math.log(2.0))}


def units(name: str) -> Units:
    """The unit of this name."""
    if name not in _UNITS:
        raise InputError(f"the unit {name!r} is not known; information is shown in bits or nats")
    return _UNITS[name]


def share(value: float | None, digits: int = 1) -> str:
    """A ratio as a percentage; what is not 0 or 1 is never rounded to it.

    >>> share(0.957), share(0.99999), share(1.0), share(0.0), share(None)
    ('95.7%', '99.999%', '100%', '0%', 'undefined')
    """
    if value is None:
        return UNDEFINED
    if value in (0.0, 1.0):
        return f"{value:.0%}"
    for more in range(digits, 7):
        text = f"{100 * value:.{more}f}"
        if float(text) not in (0.0, 100.0):
            return f"{text}%"
    return f"{100 * value:.1e}%" if value < 0.5 else ">99.9999%"


def chance(probability: float) -> str:
    """A probability as far as the method can be trusted: beyond one in a thousand it is only called small.

    >>> chance(0.9731), chance(0.0), chance(0.99999)
    ('97.3%', '<0.1%', '>99.9%')
    """
    if 0.001 <= probability <= 0.999:
        return f"{probability:.1%}"
    return "<0.1%" if probability < 0.5 else ">99.9%"


def amount(number: float | None) -> str:
    """A count or weight with thousands set apart.

    >>> amount(1797), amount(0.25), amount(None)
    ('1,797', '0.25', 'unknown')
    """
    if number is None:
        return "unknown"
    return f"{number:,.0f}" if float(number).is_integer() else f"{number:,.4g}"


def interval_text(estimate: Estimate, scale: float = 100.0, digits: int = 1) -> str:
    """An interval, as percentages unless another scale is given; empty where there is none.

    >>> interval_text(Estimate(0.5, 0.51, 0.02, 0.47, 0.55)), interval_text(Estimate(0.5))
    ('47.0 – 55.0', '')
    """
    if estimate.low is None or estimate.high is None:
        return ""
    for more in range(digits, digits + 4):  # a narrow interval needs more digits to have a width
        low, high = (f"{scale * end:.{more}f}" for end in (estimate.low, estimate.high))
        if low != high or estimate.low == estimate.high:
            break
    return f"{low} – {high}"


def false_per_hundred(ratio: float, unit: str = "bits") -> str:
    """False information for every hundred bits of truth, in words.

    >>> false_per_hundred(0.0), false_per_hundred(0.001), false_per_hundred(0.012), false_per_hundred(0.49)
    ('no', 'less than one bit of', '1 bit of', '49 bits of')
    """
    if ratio == 0:
        return "no"
    whole = round(100 * ratio)
    one = unit.removesuffix("s")
    return f"less than one {one} of" if whole < 1 else f"{whole} {one if whole == 1 else unit} of"


def points(gain: float) -> str:
    """A part of the truth's information in percentage points; small ones with two digits that count.

    >>> points(0.0523), points(0.000284)
    ('5.2', '0.028')
    """
    return f"{100 * gain:.1f}" if abs(gain) >= 0.0995e-2 else f"{100 * gain:.2g}"


def p_value(p: float) -> str:
    """A p-value; a very small one is only called small.

    >>> p_value(0.0312), p_value(1e-9)
    ('0.031', '<0.001')
    """
    return f"{p:.3f}" if p >= 0.001 else "<0.001"


def metric_value(metric: str, value: float) -> str:
    """A value of a metric: a percentage where it is a ratio from 0 to 1, else a number.

    >>> metric_value("proficiency", 0.7072), metric_value("erroneous_information_ratio", 1.1)
    ('70.7%', '1.100')
    """
    return share(value) if is_share(metric) else f"{value:.3f}"


def signed_metric_value(metric: str, value: float) -> str:
    """A difference of a metric with its sign, in percentage points where the metric is a ratio from 0 to 1.

    >>> signed_metric_value("proficiency", -0.0071), signed_metric_value("proficiency", -1e-9)
    ('−0.7', '0.0')
    """
    shown = f"{100 * value:+.1f}" if is_share(metric) else f"{value:+.3f}"
    return shown[1:] if float(shown) == 0.0 else shown.replace("-", "−")


def is_share(metric: str) -> bool:
    """Whether a metric is a ratio from 0 to 1, which is written as a percentage."""
    card = find(metric).card
    return card.unit == "ratio" and card.range == (0, 1)
