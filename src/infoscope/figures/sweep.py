"""Curves of metrics: along a parameter, a threshold or a share rejected, and from a perfect to a worthless system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self, cast

import numpy as np

from infoscope.core.markup import pluralize
from infoscope.errors import InputError
from infoscope.figures.display import TableDisplay, Tables, get_only_table, name_tables, rename_sample_weight
from infoscope.figures.layout import axis, fit_label, measure_width, plain_label, shorten, span, spread_labels
from infoscope.figures.scene import Anchor, Dot, Line, Mark, Panel, Point, Words, series
from infoscope.figures.score_curves import score_with_estimator
from infoscope.metrics.registry import Better, catalogue, find
from infoscope.readers.query import as_names
from infoscope.results.notation import format_number
from infoscope.studies.sweep import Sweep, sweep
from infoscope.tables import Contingency
from infoscope.typing import ArrayLike, Axes, LabelsByName, LabelsLike


@dataclass(frozen=True)
class Curve:
    """A metric along the sweep, with the band it lies in where that is known."""

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    """NaN where the metric is undefined: the curve has a gap there."""
    low: tuple[float, ...] | None = None
    high: tuple[float, ...] | None = None
    better: Better = "none"
    """Which values are better, as the metric's card has it; "none" where neither end is, or it is not known."""

    def best(self) -> Point | None:
        """Return the first point of the best value; None where no value is better, or none is defined."""
        values = np.asarray(self.y, dtype=np.float64)
        if self.better == "none" or not np.isfinite(values).any():
            return None
        place = int(np.nanargmax(values) if self.better == "higher" else np.nanargmin(values))
        return self.x[place], self.y[place]


@dataclass(repr=False)
class SweepDisplay(TableDisplay):
    """Curves over one parameter, each named at its end.

    >>> from infoscope.tables import Contingency
    >>> steps = {0.2: Contingency.from_matrix([[9, 1], [6, 4]]), 0.6: Contingency.from_matrix([[7, 3], [1, 9]])}
    >>> display = SweepDisplay.from_table(steps, parameter="threshold", metrics=["proficiency"])
    >>> [(x, round(y, 2)) for x, y in zip(display.curves[0].x, display.curves[0].y)]
    [(0.2, 0.09), (0.6, 0.3)]
    """

    curves: list[Curve]
    parameter: str = "parameter"
    title: str = "Sweep"

    @classmethod
    def from_table(
        cls,
        tables: Tables,
        *,
        parameter: str = "parameter",
        metrics: Sequence[str] | str = ("proficiency", "false_information_ratio", "accuracy"),
    ) -> Self:
        """Make one step of each table; the keys are the values of the parameter."""
        if isinstance(tables, Contingency):
            raise InputError(
                "a sweep needs a table for each value of its parameter, as {0.2: table, 0.6: table}, and this is one "
                "table; from scores SweepDisplay.from_predictions makes them"
            )
        named = name_tables(tables)
        try:
            steps = sorted(((float(key), table) for key, table in named.items()), key=lambda step: step[0])
        except ValueError:
            raise InputError(
                f"a sweep needs numbers as keys, not {next(iter(named))!r}; for an ordered condition without numbers "
                "use the paths of EntropyTriangleDisplay"
            ) from None
        entries = [find(name) for name in as_names(metrics)]
        curves = [
            Curve(
                entry.card.title,
                tuple(step for step, _ in steps),
                tuple(float(entry.score(table)) for _, table in steps),
                better=entry.card.better,
            )
            for entry in entries
        ]
        return cls(curves, parameter)

    @classmethod
    def from_predictions(
        cls,
        y_true: LabelsLike,
        y_pred: LabelsByName | Mapping[Any, LabelsLike],
        *,
        metrics: Sequence[str] | str = (),
        ax: Axes | None = None,
        **options: Any,
    ) -> Self:
        """Sweep a score over its thresholds, or probabilities of each class over what is rejected, and draw.

        ``y_pred`` is one column of scores for two classes, one column of probabilities per class, or predictions by the
        value of a parameter. Options are those of ``infoscope.sweep`` and
        ``sample_weight``, or those of ``from_table`` for predictions.

        >>> from matplotlib import pyplot
        >>> predictions = {1: [0, 1, 1, 0], 2: [0, 0, 1, 1]}
        >>> display = SweepDisplay.from_predictions([0, 0, 1, 1], predictions, ax=pyplot.gca())
        >>> [round(y, 2) for y in display.curves[0].y]
        [0.0, 1.0]
        """
        if isinstance(y_pred, Mapping):
            chosen: dict[str, Any] = {"metrics": metrics} if metrics else {}
            return super().from_predictions(y_true, y_pred, ax=ax, **chosen, **options)
        options.pop("name", None)  # curves are named by their metrics
        return cls.from_sweep(sweep(y_true, cast(ArrayLike, y_pred), **rename_sample_weight(options)), metrics).plot(ax)

    @classmethod
    def from_estimator(
        cls, estimator: object, X: object, y: LabelsLike, *, name: str | None = None, **options: Any
    ) -> Self:
        """Sweep the scores of a fitted estimator: two classes by threshold, more by what is rejected."""
        scores, classes = score_with_estimator(estimator, X, name=name, positive=options.get("positive"))
        return cls.from_predictions(y, scores, **{**classes, **options})

    @classmethod
    def from_values(
        cls,
        x: Sequence[float],
        curves: Mapping[str, Any],
        *,
        parameter: str = "parameter",
        better: Better | None = None,
    ) -> Self:
        """Draw curves that were computed elsewhere: numbers, or things with ``value``, ``low`` and ``high``.

        The best point of the first curve gets a star. What is better follows from the metric of the curve's name;
        ``better`` ("higher", "lower" or "none") says it for other names, which have no star without it.

        >>> SweepDisplay.from_values([1, 2, 3], {"error rate": [0.3, 0.1, 0.2]}).curves[0].best()
        (2.0, 0.1)
        >>> SweepDisplay.from_values([1, 2, 3], {"seconds": [9, 7, 8]}, better="lower").curves[0].best()
        (2.0, 7.0)
        """
        if better not in (None, "higher", "lower", "none"):
            raise InputError(f"better is {better!r}; say 'higher', 'lower' or 'none'")
        made = []
        for name, values in curves.items():
            plain = [getattr(value, "value", value) for value in values]
            lows = [getattr(value, "low", None) for value in values]
            highs = [getattr(value, "high", None) for value in values]
            made.append(
                Curve(
                    str(name),
                    tuple(map(float, x)),
                    tuple(np.nan if value is None else float(value) for value in plain),
                    None if None in lows else tuple(float(low) for low in lows if low is not None),
                    None if None in highs else tuple(float(high) for high in highs if high is not None),
                    better or (catalogue[name].better if name in catalogue else "none"),
                )
            )
        return cls(made, parameter)

    @classmethod
    def from_sweep(cls, swept: Sweep, metrics: Sequence[str] | str = ()) -> Self:
        """Draw the curves of a sweep: over the threshold, or for rejections over the share rejected."""
        rejecting = swept.mode == "rejection"
        names = as_names(metrics) or (
            ("proficiency", "accepted_accuracy") if rejecting else ("proficiency", "recall", "precision")
        )
        across = np.asarray(swept.values("rejection_rate") if rejecting else swept.thresholds, dtype=np.float64)
        order = np.argsort(across, kind="stable")
        order = order[np.isfinite(across[order])]
        x = tuple(across[order].tolist())
        cards = {name: find(name).card for name in names}
        curves = [
            Curve(card.title, x, tuple(np.asarray(swept.values(name))[order].tolist()), better=card.better)
            for name, card in cards.items()
        ]
        return cls(curves, "share rejected" if rejecting else "threshold")

    def panel(self) -> Panel:
        """Draw curves, bands, and a star at the best point of the first curve, where one is better."""
        return curve_panel(self.curves, self.parameter, "value", self.title, best=True)


def curve_panel(curves: Sequence[Curve], across: str, up: str, title: str, *, best: bool = False) -> Panel:
    """Draw curves with their names at their right ends, and with ``best`` a star at the best point of the first."""
    if not curves or not any(np.isfinite(curve.y).any() for curve in curves):
        raise InputError("no curve has a defined value, so there is nothing to draw")
    xs = np.concatenate([curve.x for curve in curves])
    ys = np.concatenate(
        [np.concatenate([curve.y, *(band for band in (curve.low, curve.high) if band)]) for curve in curves]
    )
    low, high = float(np.nanmin(ys)), float(np.nanmax(ys))
    low = 0.0 if 0.0 <= low < 0.5 * high else low
    pad = 0.04 * (high - low) or 0.05
    right = min(
        240.0, max(178.0, 18.0 + 1.08 * max(measure_width(plain_label(curve.name)) for curve in curves))
    )  # bold
    described = []
    for curve in curves[:5]:
        values = [y for y in curve.y if np.isfinite(y)]
        if values:
            first, last = (format_number(y, ".2f") for y in (values[0], values[-1]))
            described.append(f"{shorten(curve.name, 40)} from {first} to {last}")
    panel = Panel(
        title,
        f"{pluralize(len(curves), 'curve')} over {plain_label(across)}: {'; '.join(described)}.",
        axis(*span(float(xs.min()), float(xs.max())), across),
        axis(low - (pad if low else 0.0), high + pad, up, grid=True, most=5),
        width=462.0 + right,
        height=340.0,
        margins=(56.0, 14.0, right, 50.0),
    )

    marks: list[Mark] = []
    for number, curve in enumerate(curves):  # each with its band and gaps, and dots where it has few points
        colour = series(number)
        if curve.low is not None and curve.high is not None:
            outline = (*zip(curve.x, curve.low, strict=True), *reversed(list(zip(curve.x, curve.high, strict=True))))
            marks.append(Line(outline, colour, 0.0, closed=True, fill=colour, opacity=0.18, of=curve.name))
        run: list[Point] = []
        for x, y in (*zip(curve.x, curve.y, strict=True), (np.nan, np.nan)):
            if np.isfinite(y):
                run.append((x, y))
            elif run:
                marks.append(Line(tuple(run), colour, 2.2, of=curve.name))
                run = []
        for x, y in zip(curve.x, curve.y, strict=True) if len(curve.x) <= 40 else ():
            if np.isfinite(y):
                tip = f"{plain_label(curve.name)} {format_number(y, '.3f')} at {format_number(x, 'g')}"
                marks.append(Dot(x, y, colour, size=3.0, colour=colour, of=curve.name, tip=tip))
    ends = [next((y for y in reversed(curve.y) if np.isfinite(y)), 0.0) for curve in curves]
    step = 16.0 * (panel.y.high - panel.y.low) / panel.inner[1]
    heights = spread_labels(ends, step, panel.y.low + 0.3 * step, panel.y.high)
    for number, (curve, height) in enumerate(zip(curves, heights, strict=True)):
        name, shift = fit_label(curve.name, 158.0, 13.4), (10.0, 0.0)
        marks.append(Words(panel.x.high, height, name, series(number), shift=shift, bold=True, of=curve.name))
    star = curves[0].best() if best else None
    if star is not None:
        marks += _draw_star(panel, curves[0], star)
    return replace(panel, marks=tuple(marks))


def _draw_star(panel: Panel, curve: Curve, star: Point) -> list[Mark]:
    """Draw the best point, with its words on the side of the star where the curve is not, and within the axes."""
    x, y = star
    text = f"best: {format_number(y, '.2f')} at {format_number(x, '.4g')}"
    step = (panel.y.high - panel.y.low) / panel.inner[1]
    above = y + 22.0 * step < panel.y.high if curve.better == "higher" else y - 22.0 * step < panel.y.low
    middle = y + (14.0 if above else -14.0) * step
    wide = (measure_width(text) + 11.0) * (panel.x.high - panel.x.low) / panel.inner[0]
    xs, ys = np.asarray(curve.x, dtype=np.float64), np.asarray(curve.y, dtype=np.float64)
    defined = np.isfinite(ys)
    # of a few places along the words on either side, at how many the curve comes near their height
    crossings = {}
    for side, left, right in ((True, x, x + wide), (False, x - wide, x)):
        if panel.x.low <= (right if side else left) <= panel.x.high:
            heights = np.interp(np.linspace(left, right, 25), xs[defined], ys[defined])
            crossings[side] = np.count_nonzero(np.abs(heights - middle) < 9.0 * step)
    to_the_right = min(crossings, key=lambda side: crossings[side], default=x < (panel.x.low + panel.x.high) / 2)
    tip = f"best {plain_label(curve.name)}: {format_number(y, '.3f')} at {format_number(x, 'g')}"
    shift = (11.0 if to_the_right else -10.0, -14.0 if above else 14.0)
    anchor: Anchor = "start" if to_the_right else "end"
    return [
        Dot(x, y, "gold", "star", 8.0, "paper", tip=tip),
        Words(x, y, text, "ink", "small", anchor, shift, halo="paper"),
    ]


# Metrics against quality ----------------------------------------------------------------------------------------------

BINARY = ("proficiency", "phi", "f1", "accuracy")
SEVERAL = ("proficiency", "mcc", "macro_f1", "accuracy")
MAX_CLASSES = 1000
STAGES = (
    (0.0, "none"),
    (0.5, "half"),
    (1.0, "as it is"),
    (1.5, "half"),
    (2.0, "all"),
)
"""Texts to be read at the steps of a path through a table."""


def make_errors(n: int, moved: ArrayLike, prevalence: float) -> Contingency:
    """Make ``n`` samples, ``moved`` of them predicted wrongly, in both classes alike; a batch for an array.

    >>> make_errors(200, 50, 0.1).counts.tolist()
    [[15.0, 5.0], [45.0, 135.0]]
    """
    wrong = np.asarray(moved, dtype=np.float64) / n
    positive, negative = n * prevalence, n * (1.0 - prevalence)
    upper = np.stack([positive * (1.0 - wrong), positive * wrong], -1)
    lower = np.stack([negative * wrong, negative * (1.0 - wrong)], -1)
    return Contingency.from_matrix(np.stack([upper, lower], -2), positive=0)


def step_through(table: Contingency, step: float) -> Contingency:
    """Return a step of the path through a table: 0 without its errors, 1 as it is, 2 with predictions shuffled.

    Up to 1, each of its errors is made with probability ``step`` and else fixed; beyond, each prediction is replaced
    with probability ``step`` - 1 by one drawn from all its predictions. Classes stay as frequent as they are all the
    way, predictions from 1 on.

    >>> table = Contingency.from_matrix([[6, 2], [4, 8]])
    >>> [step_through(table, step).counts.tolist() for step in (0.0, 0.5, 2.0)]
    [[[8.0, 0.0], [0.0, 12.0]], [[7.0, 1.0], [2.0, 10.0]], [[4.0, 4.0], [6.0, 6.0]]]
    """
    counts: Any = table.counts
    own = np.asarray(counts.todense() if table.is_sparse else counts, dtype=np.float64)
    rows, columns = table.matches
    if step <= 1.0:
        other, share = np.zeros_like(own), 1.0 - step
        other[rows, columns] = own.sum(axis=1)[rows]
    else:
        other, share = np.outer(own.sum(axis=1), own.sum(axis=0)) / own.sum(), step - 1.0
    mixed = (1.0 - share) * own + share * other
    if not table.is_sparse:
        return table.with_cells(mixed.reshape(-1))
    return Contingency.from_matrix(
        mixed, truth=table.truth_labels, system=table.system_labels, reject=table.reject, positive=table.positive
    )


@dataclass(repr=False)
class MetricCurvesDisplay(TableDisplay):
    """Metrics along a path from a perfect system to a worthless one: of made-up systems, or through your own table.

    >>> display = MetricCurvesDisplay.from_table(Contingency.from_matrix([[6, 2], [4, 8]]), metrics=["accuracy"])
    >>> curve = display.curves[0]
    >>> [round(y, 2) for x, y in zip(curve.x, curve.y) if x in (0.0, 1.0, 2.0)]
    [1.0, 0.7, 0.5]
    """

    curves: list[Curve]
    n: int | None = 200
    """Samples that are predicted wrongly one by one; None where the curves go through a table."""
    _single: ClassVar[bool] = True

    @classmethod
    def from_table(
        cls, tables: Tables, *, name: str = "system", metrics: Sequence[str] | str | None = None, steps: int = 30
    ) -> Self:
        """Follow each metric from the table without its errors, over the table, to its predictions shuffled."""
        table = get_only_table(tables, name, "a picture of metrics against quality")
        if np.count_nonzero(table.row_totals) < 2:
            raise InputError("the truth has one class only, so there is no quality to vary; give two classes or more")
        if max(table.shape) > MAX_CLASSES:
            raise InputError(
                f"a table of {table.shape[0]:,} × {table.shape[1]:,} classes is too large to walk through; merge "
                f"classes to at most {MAX_CLASSES:,} first"
            )
        predicted = set(table.matches[0].tolist())
        if any(row not in predicted for row in np.flatnonzero(table.row_totals).tolist()):
            raise InputError(
                "a prediction for each class is needed to correct the errors, and these outputs have other names; "
                "rename them with table.relabel first"
            )
        if steps < 1:
            raise InputError(f"{steps} steps were asked for; a path needs one or more on either side of the table")
        usual = BINARY if table.shape == (2, 2) and table.reject is None else SEVERAL
        entries = [find(metric) for metric in as_names(metrics) or usual]
        places = [step / steps for step in range(2 * steps + 1)]
        stages = [step_through(table, place) for place in places]
        curves = [
            Curve(
                entry.card.title,
                tuple(places),
                tuple(float(entry.score(stage)) for stage in stages),
                better=entry.card.better,
            )
            for entry in entries
        ]
        return cls(curves, None)

    @classmethod
    def over_quality(
        cls,
        metrics: Sequence[str] | str = BINARY,
        *,
        n: int = 200,
        prevalence: float = 0.1,
    ) -> Self:
        """Follow each metric while 0 … ``n`` of ``n`` samples are predicted wrongly (Steingold & Laclavik, Figure 1).

        >>> curve = MetricCurvesDisplay.over_quality(["proficiency"], n=4, prevalence=0.5).curves[0]
        >>> [round(y, 2) for y in curve.y]
        [1.0, 0.19, 0.0, 0.19, 1.0]
        """
        if not (n >= 2 and 0.0 < prevalence < 1.0):
            raise InputError(
                f"n is {n} and the prevalence {prevalence}; give two samples or more, and a prevalence between 0 and 1"
            )
        moved = np.arange(n + 1)
        table = make_errors(n, moved, prevalence)
        curves = [
            Curve(
                entry.card.title,
                tuple(map(float, moved)),
                tuple(map(float, np.asarray(entry.score(table)))),
                better=entry.card.better,
            )
            for entry in map(find, as_names(metrics))
        ]
        return cls(curves, n)

    def panel(self) -> Panel:
        """Draw all curves over the number of wrong predictions, or over the path, with the table's own values."""
        title = "Metrics against quality"
        if self.n is not None:
            return curve_panel(self.curves, f"wrong predictions, of {self.n}", "score", title)
        panel = curve_panel(self.curves, "errors made → as it is → predictions shuffled", "score", title)
        marks: list[Mark] = [Line(((1.0, panel.y.low), (1.0, panel.y.high)), "dim", dash=(3.0, 3.0)), *panel.marks]
        for number, curve in enumerate(self.curves):
            y = curve.y[curve.x.index(1.0)]
            if np.isfinite(y):
                tip = f"{plain_label(curve.name)} of the table: {y:.3f}"
                marks.append(Dot(1.0, y, series(number), size=5.0, of=curve.name, tip=tip))
        return replace(panel, x=replace(panel.x, ticks=STAGES), marks=tuple(marks))
