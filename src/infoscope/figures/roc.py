"""ROC curves: recall against the false alarm rate, of scores at every threshold and of hard predictions as points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self, cast

import numpy as np

from infoscope.errors import InputError
from infoscope.figures.drawing.colours import series
from infoscope.figures.drawing.display import Display
from infoscope.figures.drawing.layout import at_pixel, axis, plain_label, shortened, width_of
from infoscope.figures.drawing.scene import Axis, Dot, Line, Mark, Panel, Point, Words
from infoscope.figures.inputs import Tables, tables_by_name, with_sample_weight
from infoscope.figures.score_curves import positive_place
from infoscope.metrics import false_alarm_rate, recall
from infoscope.studies.inputs import kept_rows
from infoscope.studies.operating_points import Sweep, sweep
from infoscope.tables.labels import Label
from infoscope.typing import ArrayLike, Axes, Estimator, LabelsLike

__all__ = ["RocCurve", "RocDisplay"]

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
        """The curve of a sweep of one score, or of several by name."""
        named = swept if isinstance(swept, Mapping) else {swept.quantity: swept}
        if not named:
            raise InputError("there is no sweep to draw; give at least one")
        return cls([_curve(str(name), each) for name, each in named.items()], _positive(next(iter(named.values()))))

    @classmethod
    def from_scores(cls, y_true: LabelsLike, y_score: Scores, *, name: str = "score", **options: Any) -> Self:
        """The curves of scores, one or several by name; options as for ``infoscope.sweep``, and ``sample_weight``."""
        options = with_sample_weight(options)
        named = y_score if isinstance(y_score, Mapping) else {name: y_score}
        truth = kept_rows(y_true)
        return cls.from_sweep({str(key): sweep(truth, cast(Any, each), **options) for key, each in named.items()})

    @classmethod
    def from_predictions(
        cls, y_true: LabelsLike, y_score: Scores, *, name: str = "score", ax: Axes | None = None, **options: Any
    ) -> Self:
        """The same, drawn at once."""
        return cls.from_scores(y_true, y_score, name=name, **options).plot(ax)

    @classmethod
    def from_estimator(
        cls, estimator: Estimator, X: object, y: LabelsLike, *, name: str | None = None, **options: Any
    ) -> Self:
        """The scores of a fitted classifier of two classes: its probabilities, else its decision function.

        Options are those of ``from_predictions``.
        """
        title = type(estimator).__name__ if name is None else name
        classes: Sequence[Label] = list(getattr(estimator, "classes_", ()))
        at = positive_place(classes, options.get("positive"))
        if hasattr(estimator, "predict_proba"):
            scores = np.asarray(estimator.predict_proba(X))
            scores = scores[:, at] if scores.ndim == 2 and scores.shape[1] == 2 else scores
        elif hasattr(estimator, "decision_function"):
            scores = np.asarray(estimator.decision_function(X)) * (1 if at else -1)
        else:
            raise InputError(f"{title!r} has neither probabilities nor a decision function; give its scores")
        if scores.ndim != 1 or len(classes) > 2:  # a decision function may have a column for each pair of classes
            raise InputError(f"{title!r} has {len(classes) or scores.shape[-1]} classes; a ROC curve is about two")
        positive = {"positive": classes[at]} if len(classes) == 2 else {}
        return cls.from_predictions(y, scores, name=title, **{**positive, **options})

    @classmethod
    def from_table(cls, tables: Tables, *, name: str = "system") -> Self:
        """Hard predictions of two classes: one point per table."""
        curves, positives = [], []
        for key, table in tables_by_name(tables, name).items():
            at = float(false_alarm_rate(table)), float(recall(table))
            if not np.isfinite(at).all():
                raise InputError(f"{key!r} has no false alarm rate or no recall: a ROC plot takes two true classes")
            curves.append(RocCurve(key, (at,)))
            positives.append(str(table.positive_label))
        if len(set(positives)) > 1:
            raise InputError(f"the tables mean {' and '.join(sorted(set(positives)))} by positive; name one for all")
        return cls(curves, positives[0])

    def panel(self) -> Panel:
        """The plane with chance, the curves and points, and what each is."""
        left, top, bottom = 58.0, 14.0, 50.0
        words = [self._words(curve) for curve in self.curves]
        right = min(260.0, 40.0 + max(width_of(text) for text in words))
        of = f" of “{shortened(self.positive, 24)}”" if self.positive else ""
        panel = Panel(
            "ROC curve",
            "; ".join(self._words(curve) for curve in self.curves[:6]) + ".",
            _shares("false alarm rate"),
            _shares(f"recall{of}"),
            width=left + _INNER + right,
            height=top + _INNER + bottom,
            margins=(left, top, right, bottom),
        )
        marks: list[Mark] = [Line(((0.0, 0.0), (1.0, 1.0)), "dim", dash=(3.0, 3.0), tip="chance")]
        for at, (curve, text) in enumerate(zip(self.curves, words, strict=True)):
            tip = f"{plain_label(curve.name)}\n{text}"
            if len(curve.points) > 1:
                marks.append(Line(curve.points, series(at), 2.2, of=curve.name, tip=tip))
            else:
                marks.append(Dot(*curve.points[0], series(at), size=5.0, of=curve.name, tip=tip))
            marks += self._key(panel, at, text)
        return replace(panel, marks=tuple(marks))

    def _words(self, curve: RocCurve) -> str:
        name = shortened(curve.name, 24)
        if curve.area is not None:
            return f"{name}, AUC {curve.area:.3f}"
        return f"{name} ({curve.points[0][0]:.2f}, {curve.points[0][1]:.2f})"

    @staticmethod
    def _key(panel: Panel, at: int, text: str) -> list[Mark]:
        x, y = panel.margins[0] + _INNER + 12.0, panel.margins[1] + 12.0 + 18.0 * at
        ends = at_pixel(panel, x, y), at_pixel(panel, x + 14.0, y)
        return [Line(ends, series(at), 3.0, clip=False), Words(*at_pixel(panel, x + 20.0, y), text)]


def _curve(name: str, swept: Sweep) -> RocCurve:
    found = swept.roc_curve()
    x, y = (np.asarray(found[metric], dtype=np.float64) for metric in ("false_alarm_rate", "recall"))
    order = np.lexsort((y, x))
    points = [(0.0, 0.0), *zip(x[order].tolist(), y[order].tolist(), strict=True), (1.0, 1.0)]
    return RocCurve(name, tuple(dict.fromkeys(points)), float(swept.areas["roc_auc"]))


def _positive(swept: Sweep) -> str:
    return "" if swept.positive is None else str(swept.positive)


def _shares(title: str) -> Axis:
    made = axis(0.0, 100.0, title, grid=True, most=5)
    return replace(made, low=0.0, high=1.02, ticks=tuple((at / 100.0, f"{text}%") for at, text in made.ticks))
