"""The pictures of an evaluation: coverage, entropy triangles, confusion matrix, made from the result's own numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from infoscope.errors import InputError
from infoscope.figures.confusion import (
    DEFAULT_METRICS,
    MOST_MATRICES,
    ConfusionDisplay,
    ConfusionGridDisplay,
    ScoredMatrix,
    heat_map,
)
from infoscope.figures.coverage import CoverageDisplay, CoveragePoint, Spread
from infoscope.figures.scene import Panel
from infoscope.figures.triangle import (
    EntropyTriangleDisplay,
    SplitPoint,
    SplitTriangleDisplay,
    TrianglePoint,
    TriangleShares,
)
from infoscope.reports.outline import Figure, Section
from infoscope.results.notation import MetricNotation
from infoscope.studies.evaluate import Evaluation, SystemResult
from infoscope.tables import Contingency
from infoscope.tables.transformations import on_scale

CAPPED = 1000
"""A document lists at most this many cells; a table with more cannot be read back from it."""


def table_of(system: SystemResult) -> Contingency | None:
    """The table itself where the result still has it, else as the document's cells tell it; None where they do not.

    Cells that cost no bits are not in the document. Each is alone in its row and its column, so the class's recall
    (then the number of declarations) says which it is.
    """
    if system.table is not None:
        return system.table
    if len(system.leaks) >= CAPPED or not system.truth_labels:
        return None
    row_of = {label: at for at, label in enumerate(system.truth_labels)}
    column_of = {label: at for at, label in enumerate(system.system_labels)}
    counts = np.zeros((len(row_of), len(column_of)))
    for leak in system.leaks:
        counts[row_of[leak.truth], column_of[leak.system]] = leak.count
    declared = np.array([float(item.values["declared"].value or 0.0) for item in system.outputs])
    for item in system.classes:
        row = row_of[item.label]
        support = float(item.values["support"].value or 0.0)
        if support > 0 and not counts[row].any():
            alone = (declared == support) & ~counts.any(axis=0)
            if item.values["recall"].value == 1.0:
                alone = np.arange(len(column_of)) == column_of.get(item.label, -1)
            if not alone.any():
                return None
            counts[row, int(np.argmax(alone))] = support
    table = Contingency.from_matrix(
        counts,
        truth=system.truth_labels,
        system=system.system_labels,
        reject=system.reject,
        positive=system.positive,
    )
    return table if system.ordinal is None else on_scale(table, system.ordinal)


_MOST_SIDE_BY_SIDE = 12
"""Systems whose matrices a page shows side by side."""
_MOST_CLASSES = 100
_MOST_WRITTEN_CELLS = 200
"""Cells of all matrices up to which each has its number: a page is not to grow by it."""
_PAGE_WIDTH = 900.0


def _known(system: SystemResult, names: Sequence[str]) -> list[float] | None:
    values = [system.shown(name) for name in names]
    return None if any(value is None for value in values) else [float(value) for value in values if value is not None]


def coverage_points(systems: Sequence[SystemResult]) -> list[CoveragePoint]:
    """Places in the coverage plot; undefined ones are left out.

    The covariance of captured and false information follows from the variance of the erroneous information:
    Var(1 − f + r) = Var f + Var r − 2 Cov(f, r).
    """
    points = []
    for system in systems:
        place = _known(system, ("false_information_ratio", "proficiency"))
        if place is not None:
            points.append(CoveragePoint(system.title, place[0], place[1], system.shown("accuracy"), _spread(system)))
    return points


def _spread(system: SystemResult) -> Spread | None:
    false, captured, erroneous = (
        system.estimate(name) for name in ("false_information_ratio", "proficiency", "erroneous_information_ratio")
    )
    if None in (false.sd, captured.sd, erroneous.sd, false.mean, captured.mean):
        return None
    r, f, s = float(false.sd or 0.0), float(captured.sd or 0.0), float(erroneous.sd or 0.0)
    shared = float(np.clip((f * f + r * r - s * s) / 2.0, -f * r, f * r))
    return Spread((float(false.mean or 0.0), float(captured.mean or 0.0)), np.array([[r * r, shared], [shared, f * f]]))


def triangle_points(systems: Sequence[SystemResult]) -> list[TrianglePoint]:
    """Places in the entropy triangle; undefined ones are left out."""
    points = []
    for system in systems:
        shares = _known(system, ("triangle_divergence", "triangle_transfer", "triangle_variation"))
        if shares is not None and system.shown("proficiency") is not None:
            points.append(TrianglePoint(system.title, TriangleShares(*shares), system.shown("accuracy")))
    return points


def split_points(systems: Sequence[SystemResult]) -> list[SplitPoint]:
    """Both ends of each system in the split triangle; undefined ones are left out."""
    points = []
    for system in systems:
        sides = [
            _known(system, [f"split_{side}_{part}" for part in ("divergence", "transfer", "remainder")])
            for side in ("truth", "system")
        ]
        if sides[0] is not None and sides[1] is not None and system.shown("proficiency") is not None:
            points.append(SplitPoint(system.title, TriangleShares(*sides[0]), TriangleShares(*sides[1])))
    return points


def coverage_display(evaluation: Evaluation) -> CoverageDisplay:
    """All systems in the coverage plot."""
    return CoverageDisplay(_some(coverage_points(evaluation.ranking)))


def triangle_display(evaluation: Evaluation) -> EntropyTriangleDisplay:
    """All systems in the entropy triangle."""
    return EntropyTriangleDisplay(_some(triangle_points(evaluation.ranking)), zoom=True)


def split_display(evaluation: Evaluation) -> SplitTriangleDisplay:
    """All systems in the split triangle."""
    return SplitTriangleDisplay(_some(split_points(evaluation.ranking)), zoom=True)


def confusion_display(evaluation: Evaluation) -> ConfusionDisplay:
    """The confusion matrix of the best system."""
    table = table_of(evaluation.ranking[0])
    if table is None:
        raise InputError("the result does not hold all cells of the table; evaluate again to draw its confusion matrix")
    return ConfusionDisplay.from_table(table)


def grid_display(evaluation: Evaluation) -> ConfusionGridDisplay:
    """The confusion matrices of all systems side by side."""
    tables = {system.title: table for system in evaluation.ranking if (table := table_of(system)) is not None}
    if not tables:
        raise InputError("the result does not hold all cells of a table; evaluate again to draw confusion matrices")
    cells = sum(table.shape[0] * table.shape[1] for table in tables.values())
    scores = {system.title: system for system in evaluation.ranking}
    matrices = [
        ScoredMatrix(name, heat_map(table, "given"), tuple(_scores(scores[name])))
        for name, table in list(tables.items())[:MOST_MATRICES]
    ]
    return ConfusionGridDisplay(matrices, cells="of_truth" if cells <= _MOST_WRITTEN_CELLS else "none")


def _scores(system: SystemResult) -> Iterator[str]:
    """The numbers that the report shows, in the same words and forms."""
    for metric in DEFAULT_METRICS:
        yield f"{_WORDS[metric]} {MetricNotation(metric).value(system.shown(metric))}"


_WORDS = {"accuracy": "accuracy", "proficiency": "captured", "erroneous_information_ratio": "erroneous"}


def _widened(panel: Panel) -> Panel:
    """The picture with room to its right, so that a page does not enlarge a few small matrices."""
    width = max(panel.width, _PAGE_WIDTH)
    return replace(panel, width=width, x=replace(panel.x, high=width))


def grid_section(evaluation: Evaluation) -> list[Section]:
    """The matrices of a few systems side by side, on one scale, with P(predicted | true) in their cells."""
    if not 1 < len(evaluation.systems) <= _MOST_SIDE_BY_SIDE:
        return []
    if any(table_of(system) is None or max(len(system.truth_labels), 1) > _MOST_CLASSES for system in evaluation):
        return []
    caption = "Each row is a true class: P(predicted | true), in percent. Errors of all systems have one scale."
    picture = Figure(_widened(grid_display(evaluation).panel()), caption, style="matrices")
    return [Section("Confusion matrices side by side", [picture], "confusions", only="page", link="Matrices")]


def _some(points: list) -> list:  # type: ignore[type-arg]
    if not points:
        raise InputError("no system has a place in this picture: its information is undefined")
    return points
