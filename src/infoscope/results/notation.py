"""Write the numbers of metrics for people: one form for each, in every command and every kind of report.

A ratio from 0 to 1 is a percentage with one decimal, other ratios have three decimals, information carries its unit; an
interval repeats neither sign nor unit. A difference of percentages is in points.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

from infoscope.core.markup import format_thousands
from infoscope.errors import InputError
from infoscope.metrics.registry import Card, all_metrics, catalogue
from infoscope.results.estimate import Estimate

UNDEFINED = "undefined"
DECIMALS = 3
"""Of numbers that are no percentages."""


def format_number(number: float, form: str) -> str:
    """Write a number in one of Python's formats, with a minus sign instead of a hyphen.

    >>> format_number(-0.25, "+.1f"), format_number(1234.5, ",.0f")
    ('−0.2', '1,234')
    """
    return f"{number:{form}}".replace("-", "−")


@dataclass(frozen=True)
class Units:
    """The unit in which information is shown; inside, everything is in bits."""

    name: str
    per_bit: float

    def amount(self, bits: float | None, digits: int = 2) -> str:
        """Write a number of bits in this unit, without its name."""
        return UNDEFINED if bits is None else format_number(bits * self.per_bit, f".{digits}f")


BITS = Units("bits", 1.0)


_UNITS = {"bits": BITS, "nats": Units("nats", math.log(2.0))}


def get_units(name: str) -> Units:
    """Return the unit of this name."""
    if name not in _UNITS:
        raise InputError(f"the unit {name!r} is not known; information is shown in bits or nats")
    return _UNITS[name]


_CLEARLY_BETWEEN = 0.01
"""A ratio this far from 0 and 1 is rounded to neither."""


def format_share(value: float | None, digits: int = 1) -> str:
    """Write a ratio as a percentage; what is not 0 or 1 is never rounded to it.

    >>> format_share(0.957), format_share(0.99999), format_share(1.0), format_share(-0.029), format_share(None)
    ('95.7%', '99.999%', '100%', '−2.9%', 'undefined')
    """
    if value is None:
        return UNDEFINED
    if value in (0.0, 1.0):
        return f"{value:.0%}"
    if _CLEARLY_BETWEEN < value < 1 - _CLEARLY_BETWEEN:
        return f"{100 * value:.{digits}f}%"
    for more in range(digits, 7):
        text = f"{100 * value:.{more}f}"
        if float(text) not in (0.0, 100.0):
            return f"{text}%".replace("-", "−")
    return f"{100 * value:.1e}%".replace("-", "−") if value < 0.5 else ">99.9999%"


def format_count(number: float | None) -> str:
    """Write a count or weight with thousands set apart.

    >>> format_count(1797), format_count(0.25), format_count(None)
    ('1,797', '0.25', 'unknown')
    """
    return "unknown" if number is None else format_thousands(number)


def format_factor(factor: float) -> str:
    """Write by how many times, to three digits, zeros among them.

    >>> format_factor(1.2), format_factor(1.25), format_factor(12.04), format_factor(123.4), format_factor(5432.1)
    ('1.20', '1.25', '12.0', '123', '5,432')
    """
    return f"{factor:#.3g}".rstrip(".") if factor < 1000 - 0.5 else f"{factor:,.0f}"


def format_interval(estimate: Estimate, scale: float = 100.0, digits: int = 1) -> str:
    """Write an interval, as percentages unless another scale is given; empty where there is none.

    >>> format_interval(Estimate(0.5, 0.51, 0.02, 0.47, 0.55)), format_interval(Estimate(0.5))
    ('47.0 – 55.0', '')
    """
    if estimate.low is None or estimate.high is None:
        return ""
    for more in range(digits, digits + 4):  # a narrow interval needs more digits to have a width
        low, high = f"{scale * estimate.low:.{more}f}", f"{scale * estimate.high:.{more}f}"
        if low != high or estimate.low == estimate.high:
            break
    return f"{low} – {high}".replace("-", "−")


def format_share_with_interval(estimate: Estimate) -> str:
    """Write a share and the interval that it lies in, as a sentence states them.

    >>> format_share_with_interval(Estimate(0.5, 0.51, 0.02, 0.47, 0.55)), format_share_with_interval(Estimate(0.5))
    ('50.0% (47.0 – 55.0)', '50.0%')
    """
    within = format_interval(estimate)
    return f"{format_share(estimate.shown)} ({within})" if within else format_share(estimate.shown)


def describe_sample_value(captured: Estimate, few: str = "few rows per class") -> str:
    """Return the end of a sentence on captured information: the sample's value and why it is another, "" if it is not.

    >>> describe_sample_value(Estimate(0.537, 0.449, corrected=True))
    '; 53.7% in this sample, inflated by few rows per class'
    >>> describe_sample_value(Estimate(0.42, 0.421, corrected=True))
    '; 42.0% in this sample'
    """
    sample = MetricNotation("proficiency").in_sample(captured)
    if not sample or captured.value is None or captured.shown is None:
        return ""
    return f"; {sample} in this sample{f', inflated by {few}' * (captured.value > captured.shown)}"


def format_probability(probability: float | None) -> str:
    """Write a probability as far as the method can be trusted: beyond one in a thousand it is only called small.

    Empty where it is not known.

    >>> format_probability(0.9731), format_probability(0.0), format_probability(0.99999)
    ('97.3%', '<0.1%', '>99.9%')
    """
    if probability is None:
        return ""
    if 0.001 <= probability <= 0.999:
        return f"{probability:.1%}"
    return "<0.1%" if probability < 0.5 else ">99.9%"


def describe_false_bits(ratio: float, unit: str = "bits") -> str:
    """Write false information for every hundred bits of truth, in words.

    >>> describe_false_bits(0.0), describe_false_bits(0.001), describe_false_bits(0.012), describe_false_bits(0.49)
    ('no', 'less than one bit of', '1 bit of', '49 bits of')
    """
    if ratio == 0:
        return "no"
    bits = round(100 * ratio)
    one = unit.removesuffix("s")
    return f"less than one {one} of" if bits < 1 else f"{bits} {one if bits == 1 else unit} of"


def format_points(gain: float) -> str:
    """Write a part of the truth's information in percentage points; small ones with two digits that count.

    >>> format_points(0.0523), format_points(0.000284)
    ('5.2', '0.028')
    """
    return f"{100 * gain:.1f}" if abs(gain) >= 0.0995e-2 else f"{100 * gain:.2g}"


def format_p_value(p: float) -> str:
    """Write a p-value; a very small one is only called small.

    >>> format_p_value(0.0312), format_p_value(1e-9)
    ('0.031', '<0.001')
    """
    return f"{p:.3f}" if p >= 0.001 else "<0.001"


def state_p_value(p: float) -> str:
    """Write a p-value within a sentence.

    >>> state_p_value(0.0312), state_p_value(1e-9)
    ('P = 0.031', 'P < 0.001')
    """
    return f"P = {p:.2g}" if p >= 0.001 else "P < 0.001"


@cache
def find_card(metric: str) -> Card | None:
    """Return the card of a metric, first of tables; label sets and tracks may use the same name and load slowly."""
    if metric in tuple(catalogue):  # by its id, not by an alias
        return catalogue[metric]
    others = [entry for domain in ("tracks", "label_sets") for entry in all_metrics(domain)]
    return next((entry.card for entry in reversed(others) if entry.name == metric), None)


def _format_decimals(number: float) -> str:
    """Write a number with three decimals; two digits where these would be zero, no decimals from a thousand on.

    >>> _format_decimals(0.98), _format_decimals(-0.00012), _format_decimals(12345.6)
    ('0.980', '−0.00012', '12,346')
    """
    size = abs(number)
    small = 0 < size < 0.5 * 10**-DECIMALS
    return format_number(number, ",.0f" if size >= 1000 else ".2g" if small else f".{DECIMALS}f")


_PERCENTAGES = frozenset(
    {"false_information_ratio", "mota", "adjusted_proficiency", "chance_proficiency", "joint_proficiency"}
)
"""Ratios that are written like the percentages that they stand beside, though they may leave 0 to 1."""
_SCORES = frozenset({"ranked_probability_score"})
"""Losses of forecasts, which are no fraction of anything: decimals, as everywhere else, though they end at 1."""


_SAME_DIFFERENCE = 1e-9


class MetricNotation:
    """Notation of a metric's values: shares as percentages, information in the unit that was asked for."""

    def __init__(self, metric: str, unit: Units = BITS) -> None:
        self.metric = metric
        self.card = find_card(metric)
        kind = "" if self.card is None else self.card.unit
        ratio = self.card is not None and kind == "ratio" and tuple(self.card.range) == (0, 1)
        self.is_share = (ratio and metric not in _SCORES) or metric in _PERCENTAGES
        self.unit = unit if kind == "bits" else None
        self._scale = 1.0 if self.unit is None else unit.per_bit
        self.is_count = kind == "count"
        self.lowest_first = self.card is not None and self.card.better == "lower"
        self.suffix = "%" if self.is_share else "" if self.unit is None else f" {self.unit.name}"

    def value(self, number: float | None) -> str:
        """Write a value of the metric.

        >>> [MetricNotation(name).value(0.25) for name in ("proficiency", "mcc", "ranked_probability_score")]
        ['25.0%', '0.250', '0.250']
        """
        if number is None or number != number:  # noqa: PLR0124 - NaN
            return UNDEFINED
        if self.is_share:
            return format_share(number)
        if self.is_count:
            return format_count(number)
        if self.card is None:  # a cost, on any scale
            return format_number(number, ".4g")
        return f"{_format_decimals(number * self._scale)}{self.suffix}"

    def shown(self, estimate: Estimate) -> str:
        """Write the value that is shown first."""
        return self.value(estimate.shown)

    def in_sample(self, estimate: Estimate) -> str:
        """Return the sample's value where a corrected estimate is shown instead of it and reads differently, else "".

        >>> notation = MetricNotation("proficiency")
        >>> notation.in_sample(Estimate(0.5, 0.44, corrected=True)), notation.in_sample(Estimate(0.5, 0.44))
        ('50.0%', '')
        """
        text = self.value(estimate.value)
        return text if estimate.corrected and text != self.shown(estimate) else ""

    def interval(self, estimate: Estimate) -> str:
        """Write the interval of an estimate; empty where there is none or no value."""
        if estimate.shown is None:
            return ""
        return format_interval(estimate) if self.is_share else format_interval(estimate, self._scale, DECIMALS)

    def whole(self, estimate: Estimate) -> str:
        """Return the number shown with its interval, and the sample's value where that is another.

        >>> MetricNotation("accuracy").whole(Estimate(0.5, 0.51, 0.02, 0.47, 0.55))
        '50.0% (47.0 – 55.0)'
        >>> MetricNotation("proficiency").whole(Estimate(0.5, 0.44, 0.02, 0.41, 0.47, corrected=True))
        '44.0% (41.0 – 47.0), 50.0% in this sample'
        """
        within, sample = self.interval(estimate), self.in_sample(estimate)
        return self.shown(estimate) + f" ({within})" * bool(within) + f", {sample} in this sample" * bool(sample)

    def spread(self, sd: float | None) -> str:
        """Write a standard deviation or half a width, on the scale of the values, without sign or unit.

        >>> MetricNotation("proficiency").spread(0.0255), MetricNotation("mcc").spread(0.0255)
        ('2.5', '0.025')
        """
        if sd is None:
            return "–"
        return f"{100 * sd:.1f}" if self.is_share else f"{sd * self._scale:.{DECIMALS}f}"

    def signed(self, number: float | None) -> str:
        """Write a difference with its sign, in points where the metric is a share.

        >>> MetricNotation("proficiency").signed(-0.0071), MetricNotation("proficiency").signed(-1e-9)
        ('−0.7', '0.0')
        """
        if number is None:
            return UNDEFINED
        shown = f"{100 * number:+.1f}" if self.is_share else f"{number * self._scale:+.{DECIMALS}f}"
        return shown[1:] if float(shown) == 0.0 else shown.replace("-", "−")

    def signed_interval(self, gap: Estimate) -> str:
        """Write the interval of a difference; empty where there is none."""
        return "" if gap.low is None or gap.high is None else f"{self.signed(gap.low)} – {self.signed(gap.high)}"

    def gap(self, difference: Estimate, a: float | None, b: float | None) -> float:
        """Return the difference to show beside the values of two systems: it adds up with them as they are rounded.

        Where it is of other rows than the values, it is shown as it is.

        >>> print(f"{MetricNotation('accuracy').gap(Estimate(0.0108), 0.8446, 0.8338):.4f}")  # of 84.5% and 83.4%
        0.0110
        """
        shown = difference.shown or 0.0
        if a is None or b is None or abs(a - b - shown) > _SAME_DIFFERENCE:
            return shown
        scale, digits = (100.0, 1) if self.is_share else (self._scale, DECIMALS)
        return round(round(a * scale, digits) - round(b * scale, digits), digits) / scale

    def difference(self, gap: Estimate, values: tuple[float | None, float | None] = (None, None)) -> str:
        """Return a difference with half the width of its interval, in points where the metric is a share.

        With the ``values`` of both systems it adds up with them as they are shown.

        >>> MetricNotation("proficiency").difference(Estimate(-0.06, -0.0631, 0.009, -0.0809, -0.0453, corrected=True))
        '−6.3 ±1.8'
        """
        return f"{self.signed(self.gap(gap, *values))} ±{self.spread(((gap.high or 0.0) - (gap.low or 0.0)) / 2)}"
