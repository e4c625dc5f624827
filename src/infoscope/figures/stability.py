"""Numerical stability: the relative error of several ways to compute one number, over the sample size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

from infoscope.errors import InputError
from infoscope.figures.display import Display
from infoscope.figures.layout import fit_label, measure_width, spread_labels
from infoscope.figures.scene import Axis, Dot, Line, Mark, Panel, Words, series
from infoscope.results.notation import format_number

_GROUND = 1e-16
"""Errors below it are drawn at it: no double has more digits."""


@dataclass(repr=False)
class StabilityDisplay(Display):
    """Digits that each way of computing keeps as the sample grows, on logarithmic scales.

    >>> display = StabilityDisplay([10, 1000], {"sum": [1e-14, 1e-10], "exact": [0.0, 1e-16]})
    >>> display.panel().summary
    'Largest relative errors: sum 1e-10, exact 1e-16.'
    """

    sizes: Sequence[float]
    errors: Mapping[str, Sequence[float]]
    """Relative errors by the name of the way, one per size."""

    def __post_init__(self) -> None:
        """Reject what cannot be drawn over the sizes."""
        if len(self.sizes) < 2 or min(self.sizes) <= 0:
            raise InputError("give at least two sample sizes above 0")
        for name, errors in self.errors.items():
            if len(errors) != len(self.sizes) or not all(error >= 0 for error in errors):
                raise InputError(f"{name!r} needs one relative error of 0 or more for each of {len(self.sizes)} sizes")

    def panel(self) -> Panel:
        """Draw one line per way, its name at its end."""
        xs = [log10(size) for size in self.sizes]
        ys = {name: [log10(max(error, _GROUND)) for error in errors] for name, errors in self.errors.items()}
        top = ceil(max(max(line) for line in ys.values())) + 1
        marks: list[Mark] = []
        for number, (name, line) in enumerate(ys.items()):
            points = tuple(zip(xs, line, strict=True))
            marks.append(Line(points, series(number), 2.2, of=name))
            marks += [
                Dot(x, y, series(number), size=3.5, colour="paper", tip=f"{name}\n{size:.3g} samples: {error:.1e}")
                for (x, y), size, error in zip(points, self.sizes, self.errors[name], strict=True)
            ]
        step = 16.0 * (top + 17.0) / 256.0  # between names at the ends of the lines
        heights = spread_labels([line[-1] for line in ys.values()], step, -17.0, float(top))
        for number, (name, height) in enumerate(zip(ys, heights, strict=True)):
            text = fit_label(name, 190.0)
            marks.append(Words(xs[-1], height, text, series(number), shift=(10.0, 0.0), bold=True, of=name))
        right = 30.0 + 1.1 * max(measure_width(fit_label(name, 190.0)) for name in self.errors)
        worst = ", ".join(f"{name} {max(errors):.0e}" for name, errors in self.errors.items())
        return Panel(
            "Numerical stability",
            f"Largest relative errors: {worst}.",
            Axis(xs[0] - 0.3, xs[-1] + 0.3, "samples", _make_ticks(ceil(xs[0]), floor(xs[-1]))),
            Axis(-17.0, float(top), "relative error", _make_ticks(-16, top), grid=True),
            tuple(marks),
            width=500.0 + right,
            height=320.0,
            margins=(64.0, 14.0, right, 50.0),
        )


def _make_ticks(low: int, high: int) -> tuple[tuple[float, str], ...]:
    step = max(1, (high - low + 5) // 6)
    return tuple((float(power), f"1e{format_number(power, '.0f')}") for power in range(low, high + 1, step))
