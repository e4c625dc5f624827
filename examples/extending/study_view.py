"""Add the view of a study: what is shown of its result, once for all forms. See ``study.py`` for where it goes."""

from __future__ import annotations

from collections.abc import Callable

from infoscope.figures.display import Display
from infoscope.figures.predicted_classes import PredictedClassesDisplay
from infoscope.reports.outline import Column, Outline, Section, Table
from infoscope.reports.outline import Name
from infoscope.results.notation import Units
from infoscope.studies.predicted_classes import PredictedClasses

PICTURES: dict[str, Callable[[PredictedClasses], Display]] = {"predicted": PredictedClassesDisplay.from_result}
"""Pictures by name: ``result.plot("predicted")`` draws the first."""


def outline(result: PredictedClasses, unit: Units) -> Outline:  # noqa: ARG001 - nothing here is in bits
    """Return headline and sections; the renderers decide how they look."""
    labels = (*result.predicted, *result.never)
    rows = [(Name(label), "yes" if label in result.predicted else "no") for label in labels]
    table = Table([Column("class", "name"), Column("predicted", "text")], rows, search="classes")
    return Outline(
        title="Predicted classes",
        kicker=("Predicted classes", f"{len(labels)} classes"),
        headline=f"{len(result.predicted)} of {len(labels)} classes are predicted.",
        sections=[Section("Classes", [table], "classes")],
    )
