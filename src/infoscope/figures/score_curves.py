"""Pictures of scores: ROC, precision against recall, reliability, lift, risk and coverage, error and rejection."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self, cast

import numpy as np
from numpy.typing import NDArray

from infoscope.errors import InputError
from infoscope.figures.display import Display, Tables, name_tables, rename_sample_weight
from infoscope.figures.layout import (
    WIDER_WORDS,
    axis,
    find_data_point,
    measure_width,
    plain_label,
    share_axis,
    shorten,
    shorten_names,
)
from infoscope.figures.scene import Axis, Dot, Line, Mark, Panel, Point, Words, series
from infoscope.metrics import false_alarm_rate, recall
from infoscope.studies.inputs import materialize_labels
from infoscope.studies.scores import ReliabilityBin
from infoscope.studies.sweep import Sweep, sweep
from infoscope.tables.labels import Label
from infoscope.typing import ArrayLike, Axes, Estimator, Frame, LabelsLike

Numbers = NDArray[np.float64]


class SweepCurve(Display):
    """A picture of the operating points of scores."""

    from_sweep: ClassVar[Callable[..., Any]]
    """The picture of a sweep."""

    @classmethod
    def from_predictions(
        cls, y_true: LabelsLike, y_score: ArrayLike | Frame, *, ax: Axes | None = None, **options: Any
    ) -> Self:
        """Follow the scores over all their thresholds and draw; options as for ``infoscope.sweep``."""
        display: Self = cls.from_sweep(sweep(y_true, y_score, **options))
        return display.plot(ax)

    @classmethod
    def from_estimator(
        cls, estimator: object, X: object, y: LabelsLike, *, name: str | None = None, **options: Any
    ) -> Self:
        """Draw the scores of a fitted classifier; options are those of ``from_predictions``."""
        positive = options.get("positive")
        scores, classes = score_with_estimator(estimator, X, name=name, per_class=cls._per_class, positive=positive)
        return cls.from_predictions(y, scores, **{**classes, **options})

    _per_class: ClassVar[bool] = False
    """True if it is about the scores of all classes, also of two."""


def score_with_estimator(
    estimator: object,
    X: object,
    *,
    name: str | None = None,
    per_class: bool = False,
    positive: Label | None = None,
) -> tuple[Any, dict[str, Any]]:
    """Return scores of a fitted classifier, and the options of a sweep that say which classes they are about.

    Those of two classes are one column, the probability of the positive one (the second unless named) or the decision
    function, whose sign depends on it.
    """
    called, classes = type(estimator).__name__ if name is None else name, list(getattr(estimator, "classes_", ()))
    place = int(positive is None or positive not in classes[:1])
    about = {"positive": classes[place]} if len(classes) == 2 else {}
    if hasattr(estimator, "predict_proba"):
        scores = np.asarray(estimator.predict_proba(X))
        if scores.ndim == 2 and scores.shape[1] == 2 and not per_class:
            return scores[:, place], about
        return scores, {"classes": classes} if classes else {}
    if hasattr(estimator, "decision_function") and len(classes) in (0, 2) and not per_class:
        scores = np.asarray(estimator.decision_function(X))
        if scores.ndim == 1:  # else it has a column for each pair of classes
            return scores if place else -scores, about
    lacks = "no predict_proba" if per_class else "neither predict_proba nor, for two classes, decision_function"
    raise InputError(f"{called!r} gives no scores to sweep: it has {lacks}; give an estimator that has")


@dataclass(repr=False)
class PrecisionRecallDisplay(SweepCurve):
    """Precision against recall at every threshold; the dashed line is the precision of alarms at random."""

    recall: Numbers
    precision: Numbers
    prevalence: float

    @classmethod
    def from_sweep(cls, sweep: Sweep) -> Self:
        """Draw the curve of a sweep of one score."""
        curve = sweep.precision_recall_curve()
        return cls(np.asarray(curve["recall"]), np.asarray(curve["precision"]), sweep.prevalence)

    def panel(self) -> Panel:
        """Draw the curve over both shares in full."""
        defined = np.isfinite(self.precision)
        x, y = self.recall[defined], self.precision[defined]
        chance = Line(((0.0, self.prevalence), (1.0, self.prevalence)), "dim", dash=(3.0, 3.0))
        summary = f"Precision against recall: precision {y[0]:.2f} at recall {x[0]:.2f}, {y[-1]:.2f} at {x[-1]:.2f}."
        marks: list[Mark] = [chance, Line(_zip_points(x, y), "accent", 2.2)]
        return _draw_plane("Precision-recall curve", summary, (share_axis("recall"), share_axis("precision")), marks)


@dataclass(repr=False)
class LiftDisplay(SweepCurve):
    """Lift: positives among the alarms, relative to as many rows drawn at random."""

    alarms: Numbers
    lift: Numbers

    @classmethod
    def from_sweep(cls, sweep: Sweep) -> Self:
        """Draw the curve of a sweep of one score."""
        curve = sweep.lift_curve()
        return cls(np.asarray(curve["alarm_rate"]), np.asarray(curve["lift"]))

    def panel(self) -> Panel:
        """Draw lift over the share of rows predicted positive."""
        defined = np.isfinite(self.lift)
        x, y = self.alarms[defined], self.lift[defined]
        most = max(float(y.max(initial=1.0)), 1.0)
        up = replace(axis(0.0, most, "lift", grid=True, most=5), low=0.0, high=1.05 * most)
        summary = f"Lift over the share predicted positive: at most {most:.1f}, {y[-1]:.1f} at {x[-1]:.0%}."
        marks: list[Mark] = [
            Line(((0.0, 1.0), (1.0, 1.0)), "dim", dash=(3.0, 3.0)),
            Line(_zip_points(x, y), "accent", 2.2),
        ]
        return _draw_plane("Lift", summary, (share_axis("share predicted positive"), up), marks)


@dataclass(repr=False)
class RiskCoverageDisplay(SweepCurve):
    """Error among the accepted samples over the share accepted; the dashed line is the error of accepting everyone."""

    coverage: Numbers
    risk: Numbers
    _per_class: ClassVar[bool] = True

    @classmethod
    def from_sweep(cls, sweep: Sweep) -> Self:
        """Draw the curve of a sweep of rejections."""
        curve = sweep.risk_coverage_curve()
        return cls(np.asarray(curve["coverage"]), np.asarray(curve["risk"]))

    def panel(self) -> Panel:
        """Draw the curve from the most confident samples to all of them."""
        defined = np.isfinite(self.risk)
        x, y = self.coverage[defined], np.maximum(self.risk[defined], 0.0)
        error = float(y[np.argmax(x)])
        up = share_axis("error among the accepted", min(1.0, 1.1 * float(y.max(initial=0.05)) or 0.05))
        half = int(np.argmin(np.abs(x - 0.5)))
        summary = (
            f"Error among the accepted samples over the share accepted: {error:.1%} if all are accepted, {y[half]:.1%} "
            f"at {x[half]:.0%}."
        )
        marks: list[Mark] = [
            Line(((0.0, error), (1.0, error)), "dim", dash=(3.0, 3.0)),
            Line(_zip_points(x, y), "accent", 2.2),
        ]
        return _draw_plane("Risk-coverage curve", summary, (share_axis("share accepted"), up), marks)


@dataclass(repr=False)
class ErrorRejectDisplay(SweepCurve):
    """Error among all samples over the share rejected; the dashed line is the error of rejecting at random.

    >>> display = ErrorRejectDisplay.from_sweep(sweep([0, 1, 1], [[0.9, 0.1], [0.2, 0.8], [0.6, 0.4]], classes=[0, 1]))
    >>> [f"{error:.2f}" for error in display.error]  # none accepted, the surest, …, all
    ['0.00', '0.00', '0.00', '0.33']
    """

    rejected: Numbers
    error: Numbers
    area: float
    """Area under the curve: 0 is perfect, half of the error without rejections is chance."""
    _per_class: ClassVar[bool] = True

    @classmethod
    def from_sweep(cls, sweep: Sweep) -> Self:
        """Draw the curve of a sweep of rejections."""
        curve = sweep.error_reject_curve()
        rejected, error = (np.asarray(curve[name]) for name in ("rejection_rate", "error_rate"))
        return cls(rejected, error, sweep.areas["error_reject_area"])

    def panel(self) -> Panel:
        """Draw the curve from no rejections to all samples rejected."""
        defined = np.isfinite(self.error)
        x, y = self.rejected[defined], np.maximum(self.error[defined], 0.0)
        error = float(y[np.argmin(x)])
        up = share_axis("error among all samples", min(1.0, 1.1 * float(y.max(initial=0.05)) or 0.05))
        half = int(np.argmin(np.abs(x - 0.5)))
        summary = (
            f"Error among all samples over the share rejected: {error:.1%} if none is rejected, {y[half]:.1%} at "
            f"{x[half]:.0%}; area {self.area:.3f}."
        )
        marks: list[Mark] = [
            Line(((0.0, error), (1.0, 0.0)), "dim", dash=(3.0, 3.0)),
            Line(_zip_points(x, y), "accent", 2.2),
        ]
        return _draw_plane("Error-reject curve", summary, (share_axis("share rejected"), up), marks)


@dataclass(repr=False)
class ReliabilityDisplay(SweepCurve):
    """The fraction of positives in each bin of scores, with its interval, beside the mean score of the bin."""

    bins: Sequence[ReliabilityBin]

    @classmethod
    def from_sweep(cls, sweep: Sweep) -> Self:
        """Draw the bins of a sweep whose scores are probabilities."""
        if not sweep.reliability:
            raise InputError("reliability needs probabilities, and this sweep is not of one score between 0 and 1")
        return cls(sweep.reliability)

    def panel(self) -> Panel:
        """Draw dots with whiskers, their sizes beside, and the diagonal where scores are right."""
        ends = [x for bin_ in self.bins for x in (bin_.score, bin_.rate.high or 0.0)]
        most = min(1.0, 1.1 * max(ends))
        axes = (share_axis("mean score of the bin", most), share_axis("fraction of positives", most))
        marks: list[Mark] = [Line(((0.0, 0.0), (most, most)), "dim", dash=(3.0, 3.0))]
        for bin_ in self.bins:
            rate, low, high = bin_.rate.value or 0.0, bin_.rate.low or 0.0, bin_.rate.high or 0.0
            tip = (
                f"scores {bin_.low:.3g} to {bin_.high:.3g}: {bin_.positives:,.6g} of {bin_.samples:,.6g} positive, "
                f"{rate:.1%} ({low:.1%} – {high:.1%})"
            )
            marks.append(Line(((bin_.score, low), (bin_.score, high)), "accent", 1.6))
            marks.append(Dot(bin_.score, rate, "accent", size=4.5, colour="paper", tip=tip))
        # counts that do not overlap on the page, the highest scores first
        written: list[Point] = []
        for bin_ in reversed(self.bins if len(self.bins) <= 6 or most > 0.5 else self.bins[-3:]):
            x, y = bin_.score, bin_.rate.value or 0.0
            if any(abs(x - u) < 0.09 * most and abs(y - v) < 0.06 * most for u, v in written):
                continue
            written.append((x, y))
            if y > 0.05 * most:
                text = f"{bin_.samples:,.0f}"
                marks.append(Words(x, y, text, "dim", "small", shift=(8.0, 10.0), halo="paper"))
        worst = max(self.bins, key=lambda bin_: abs(bin_.score - (bin_.rate.value or 0.0)))
        summary = (
            f"Fraction of positives by score in {len(self.bins)} bins; farthest off where the mean score is "
            f"{worst.score:.2f} and {worst.rate.value or 0.0:.2f} are positive."
        )
        return _draw_plane("Reliability diagram", summary, axes, marks)


def _zip_points(x: Numbers, y: Numbers) -> tuple[tuple[float, float], ...]:
    return tuple(zip(x.tolist(), y.tolist(), strict=True))


def _draw_plane(title: str, summary: str, axes: tuple[Axis, Axis], marks: Sequence[Mark]) -> Panel:
    return Panel(title, summary, *axes, tuple(marks), 460.0, 340.0, (64.0, 12.0, 16.0, 50.0))


Scores = ArrayLike | Mapping[str, ArrayLike]
_INNER = 330.0
"""Side of the plane, in pixels."""


@dataclass(frozen=True)
class RocCurve:
    """False alarm rate and recall of one system, at every threshold; of hard predictions one point."""

    name: str
    points: tuple[Point, ...]
    area: float | None = None
    """Area under the curve; None for one point."""


@dataclass(repr=False)
class RocDisplay(Display):
    """Recall against the false alarm rate: the dashed line is chance, the upper left corner is perfect.

    >>> display = RocDisplay.from_scores([0, 0, 1, 1], {"a": [0.1, 0.4, 0.35, 0.8]})
    >>> display.curves[0].area
    0.75
    """

    curves: list[RocCurve]
    positive: str = ""

    @classmethod
    def from_sweep(cls, swept: Sweep | Mapping[str, Sweep]) -> Self:
        """Draw the curve of a sweep of one score, or of several by name."""
        named = swept if isinstance(swept, Mapping) else {swept.quantity: swept}
        if not named:
            raise InputError("there is no sweep to draw; give at least one")
        curves = []
        for name, each in named.items():
            rates = each.roc_curve()
            x, y = rates["false_alarm_rate"], rates["recall"]
            order = np.lexsort((y, x))
            points = [(0.0, 0.0), *zip(x[order].tolist(), y[order].tolist(), strict=True), (1.0, 1.0)]
            curves.append(RocCurve(str(name), tuple(dict.fromkeys(points)), float(each.areas["roc_auc"])))
        return cls(curves, next(iter(named.values())).positive or "")

    @classmethod
    def from_scores(cls, y_true: LabelsLike, y_score: Scores, *, name: str = "score", **options: Any) -> Self:
        """Draw the curves of scores, one or several by name; options are those of ``infoscope.sweep``."""
        options = rename_sample_weight(options)
        named = y_score if isinstance(y_score, Mapping) else {name: y_score}
        truth = materialize_labels(y_true)
        return cls.from_sweep({str(key): sweep(truth, cast(Any, each), **options) for key, each in named.items()})

    @classmethod
    def from_predictions(
        cls, y_true: LabelsLike, y_score: Scores, *, name: str = "score", ax: Axes | None = None, **options: Any
    ) -> Self:
        """Draw the curves of scores on axes at once."""
        return cls.from_scores(y_true, y_score, name=name, **options).plot(ax)

    @classmethod
    def from_estimator(
        cls, estimator: Estimator, X: object, y: LabelsLike, *, name: str | None = None, **options: Any
    ) -> Self:
        """Draw the scores of a fitted classifier of two classes: its probabilities, else its decision function.

        Options are those of ``from_predictions``.
        """
        title = type(estimator).__name__ if name is None else name
        if (classes := len(getattr(estimator, "classes_", ()))) > 2:
            raise InputError(f"{title!r} has {classes} classes; a ROC curve is about two")
        scores, about = score_with_estimator(estimator, X, name=title, positive=options.get("positive"))
        if scores.ndim != 1:
            raise InputError(f"{title!r} has {scores.shape[-1]} classes; a ROC curve is about two")
        return cls.from_predictions(y, scores, name=title, **{**about, **options})

    @classmethod
    def from_table(cls, tables: Tables, *, name: str = "system") -> Self:
        """Draw hard predictions of two classes: one point per table."""
        curves, positives = [], []
        for key, table in name_tables(tables, name).items():
            point = float(false_alarm_rate(table)), float(recall(table))
            if not np.isfinite(point).all():
                raise InputError(f"{key!r} has no false alarm rate or no recall: a ROC plot takes two true classes")
            curves.append(RocCurve(key, (point,)))
            positives.append(str(table.positive_label))
        if len(set(positives)) > 1:
            raise InputError(f"the tables mean {' and '.join(sorted(set(positives)))} by positive; name one for all")
        return cls(curves, positives[0])

    def panel(self) -> Panel:
        """Draw the plane with chance, the curves and points, and what each is."""
        left, top, bottom = 58.0, 14.0, 50.0
        words = []
        for curve, name in zip(self.curves, shorten_names((curve.name for curve in self.curves), 24), strict=True):
            x, y = curve.points[0]
            value = f" ({x:.2f}, {y:.2f})" if curve.area is None else f", AUC {curve.area:.3f}"
            words.append(f"{name}{value}")
        right = 40.0 + WIDER_WORDS * max(measure_width(text) for text in words)
        fitting = int(_INNER / 18.0)  # rows of the key
        if len(words) > fitting:
            words[fitting - 1 :] = [f"and {len(words) - fitting + 1:,} more"]
        of = f" of “{shorten(self.positive, 24)}”" if self.positive else ""
        panel = Panel(
            "ROC curve",
            "; ".join(words[:6]) + ".",
            share_axis("false alarm rate"),
            share_axis(f"recall{of}"),
            width=left + _INNER + right,
            height=top + _INNER + bottom,
            margins=(left, top, right, bottom),
        )
        marks: list[Mark] = [Line(((0.0, 0.0), (1.0, 1.0)), "dim", dash=(3.0, 3.0), tip="chance")]
        for number, curve in enumerate(self.curves):
            area = "" if curve.area is None else f"\nAUC {curve.area:.3f}"
            colour, tip = series(number), f"{plain_label(curve.name)}{area}"
            if len(curve.points) > 1:
                marks.append(Line(curve.points, colour, 2.2, of=curve.name, tip=tip))
            else:
                marks.append(Dot(*curve.points[0], colour, size=5.0, of=curve.name, tip=tip))
        for number, text in enumerate(words):
            x, y = left + _INNER + 12.0, top + 12.0 + 18.0 * number
            if number < fitting - 1 or len(self.curves) <= fitting:
                stroke = find_data_point(panel, x, y), find_data_point(panel, x + 14.0, y)
                marks.append(Line(stroke, series(number), 3.0, clip=False))
            marks.append(Words(*find_data_point(panel, x + 20.0, y), text))
        return replace(panel, marks=tuple(marks))
