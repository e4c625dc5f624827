"""How numbers are written for people: percentages, bits or nats, counts, and what is undefined."""

from __future__ import annotations

import math

from infoscope.errors import InputError
from infoscope.results.notation import BITS, UNDEFINED, MetricNotation, Units, amount, interval_text, number_text, share

__all__ = [
    "BITS",
    "UNDEFINED",
    "MetricNotation",
    "Units",
    "amount",
    "chance",
    "false_per_hundred",
    "interval_text",
    "number_text",
    "p_value",
    "points",
    "share",
    "units",
]


_UNITS = {"bits": BITS, "nats": Units("nats", math.log(2.0))}


def units(name: str) -> Units:
    """The unit of this name."""
    if name not in _UNITS:
        raise InputError(f"the unit {name!r} is not known; information is shown in bits or nats")
    return _UNITS[name]


def chance(probability: float) -> str:
    """A probability as far as the method can be trusted: beyond one in a thousand it is only called small.

    >>> chance(0.9731), chance(0.0), chance(0.99999)
    ('97.3%', '<0.1%', '>99.9%')
    """
    if 0.001 <= probability <= 0.999:
        return f"{probability:.1%}"
    return "<0.1%" if probability < 0.5 else ">99.9%"


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
