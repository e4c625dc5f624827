"""Pictures of tables: from predictions, estimators, tables and evaluations, as scikit-learn's displays are used."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from infoscope.errors import InputError
from infoscope.figures.drawing.display import Display
from infoscope.figures.drawing.scene import Point
from infoscope.figures.inputs import (
    Tables,
    a_kind,
    chosen_systems,
    estimators_by_name,
    predictions,
    predictions_by_name,
)
from infoscope.metrics import false_information_ratio, proficiency
from infoscope.posterior import Posterior
from infoscope.studies.evaluate import Evaluation
from infoscope.tables import Contingency, Label
from infoscope.tables.construction import Declared, counted_labels
from infoscope.tables.missing import most_ignored, warn_of_rows
from infoscope.typing import ArrayLike, Axes, LabelsByName, LabelsLike

__all__ = ["Spread", "TableDisplay", "believed_place"]


@dataclass(frozen=True)
class Spread:
    """What is believed about a system's place: mean and covariance of (false, captured)."""

    mean: Point
    covariance: NDArray[Any]
    degrees: int | None = None
    """Degrees of freedom of a covariance that was estimated; None where it is known."""


def believed_place(table: Contingency, *, cloud: int = 0, seed: int = 0) -> tuple[Spread, NDArray[Any] | None]:
    """Mean, covariance and, where asked for, draws of a system's place in the coverage plot."""
    names = ["false_information_ratio", "proficiency"]
    belief = Posterior(table, seed=seed)
    mean = float(belief.mean(names[0])), float(belief.mean(names[1]))
    spread = Spread(mean, np.asarray(belief.covariance(names), dtype=np.float64))
    if not cloud:
        return spread, None
    drawn = belief.draw_tables(cloud, np.random.default_rng(seed))
    return spread, np.stack([np.asarray(false_information_ratio(drawn)), np.asarray(proficiency(drawn))], axis=-1)


class TableDisplay(Display):
    """A picture that is drawn from tables.

    ``from_predictions`` and ``from_estimator`` draw at once, as scikit-learn's do; ``from_table`` and
    ``from_evaluation`` wait for ``plot``, ``save`` or ``to_svg``.
    """

    _single: ClassVar[bool] = False
    """Whether the picture is of one system only."""

    from_table: ClassVar[Callable[..., Any]]
    """The picture of a table, of tables by name or in a list, or of an evaluation; each picture has its own options."""

    @classmethod
    def from_predictions(
        cls,
        y_true: LabelsLike,
        y_pred: LabelsByName,
        *,
        sample_weight: ArrayLike | None = None,
        labels: Sequence[Label] | None = None,
        reject: Label | None = None,
        positive: Label | None = None,
        name: str = "system",
        ax: Axes | None = None,
        **options: Any,
    ) -> Self:
        """Count the labels and draw; ``y_pred`` may hold several systems: by name, as columns of a frame, in a list."""
        tables = {
            key: counted_labels(Contingency, y_true, predicted, sample_weight, Declared(labels, reject, positive))
            for key, predicted in predictions_by_name(y_pred, name).items()
        }
        warn_of_rows(most_ignored(table.ignored for table in tables.values()))
        given: Tables = next(iter(tables.values())) if cls._single and len(tables) == 1 else tables
        display: Self = cls.from_table(given, **options)
        return display.plot(ax)

    @classmethod
    def from_estimator(
        cls, estimator: object, X: object, y: LabelsLike, *, name: str | None = None, **options: Any
    ) -> Self:
        """Let a fitted estimator predict, count and draw; several may come by name or in a list."""
        predicted = {key: predictions(each, X, key) for key, each in estimators_by_name(estimator, name).items()}
        return cls.from_predictions(y, predicted, **options)

    @classmethod
    def from_evaluation(cls, evaluation: object, *, system: str | None = None, **options: object) -> Self:
        """Every system of an evaluation; for a picture of one system the best, or the one that is named."""
        if not isinstance(evaluation, Evaluation):
            raise InputError(
                f"{cls.__name__} draws tables, and {a_kind(evaluation)} has none; give what infoscope.evaluate returns"
            )
        display: Self = cls.from_table(chosen_systems(evaluation, system, single=cls._single), **options)
        return display
