"""Annotators in a plane and in a tree, by the variation of information between them: who labels like whom."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from infoscope.core.numerics import Real
from infoscope.metrics import erroneous_information
from infoscope.studies.agreement.annotations import Annotations
from infoscope.studies.agreement.result import AnnotatorMap
from infoscope.tables import Contingency

__all__ = ["annotator_map", "scaled_plane"]


def annotator_map(annotations: Annotations) -> AnnotatorMap | None:
    """The map over items that all labelled; None for label sets and where there is no such item."""
    if annotations.patterns is None:
        return None
    common = annotations.patterns.complete()
    if not common.total or len(common.names) < 2:
        return None
    size = len(common.names)
    distances = np.zeros((size, size))
    for a, b, cells in common.pair_cells():
        table = Contingency.from_cells(common.labels[a], common.labels[b], cells.rows, cells.columns, cells.values)
        distances[a, b] = distances[b, a] = float(erroneous_information(table))
    points, stress = scaled_plane(distances)
    return AnnotatorMap(
        names=common.names,
        items=int(common.total),
        distances=tuple(tuple(row) for row in distances.tolist()),
        points=tuple((float(x), float(y)) for x, y in points),
        stress=stress,
        merges=tuple(_merges(distances)),
        farthest=common.names[int(np.argmax(distances.sum(axis=1)))],
    )


def scaled_plane(distances: Real) -> tuple[Real, float]:
    """Classical scaling to two axes, and Kruskal's stress: 0 where the plane shows all distances exactly."""
    size = len(distances)
    centre = np.eye(size) - 1 / size
    values, vectors = np.linalg.eigh(-0.5 * centre @ distances**2 @ centre)
    top = np.argsort(values)[::-1][:2]
    points = np.zeros((size, 2))
    points[:, : len(top)] = vectors[:, top] * np.sqrt(np.maximum(values[top], 0.0))
    ends: NDArray[np.int64] = np.abs(points).argmax(axis=0)
    points *= np.where(points[ends, [0, 1]] < 0, -1.0, 1.0)  # the same picture every time
    shown = np.linalg.norm(points[:, None] - points[None], axis=-1)
    whole = float((distances**2).sum())
    return points, float(np.sqrt(((shown - distances) ** 2).sum() / whole)) if whole else 0.0


def _merges(distances: Real) -> list[tuple[int, int, float]]:
    from scipy.cluster.hierarchy import linkage  # noqa: PLC0415 - half a second that other results do not need
    from scipy.spatial.distance import squareform  # noqa: PLC0415

    found = linkage(squareform(distances, checks=False), "average")
    return [(int(a), int(b), float(height)) for a, b, height, _ in found]
