"""Chow's rule for two classes: positive from an upper threshold up, negative below a lower one, rejected between."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from infoscope.core.numerics import Real
from infoscope.errors import InputError
from infoscope.results.base import Result
from infoscope.results.finding import Finding
from infoscope.results.frame import rename_taken_columns
from infoscope.results.provenance import Provenance
from infoscope.studies.operating_points.ranking import ThresholdTables, hull_places
from infoscope.studies.operating_points.result import Sweep
from infoscope.studies.operating_points.selection import Criterion
from infoscope.tables import Contingency
from infoscope.tables.labels import Label
from infoscope.typing import ArrayLike, Json

__all__ = ["TwoThresholds", "chow_thresholds", "two_thresholds"]

_MOST_CANDIDATES = 300


@dataclass(frozen=True, repr=False)
class TwoThresholds(Result):
    """Positive when score ≥ upper, negative when score < lower, rejected between."""

    kind: ClassVar[str] = "two-thresholds"

    criterion: str
    lower: float | None
    upper: float | None
    """Infinite where nothing is predicted positive."""
    value: float
    positive: str
    negative: str
    reject: str
    counts: tuple[tuple[float, ...], ...]
    """Rows: true negative and true positive class; columns: predicted negative, positive, and rejected."""
    provenance: Provenance = field(default_factory=Provenance)
    findings: tuple[Finding, ...] = ()
    table: Contingency | None = field(default=None, metadata={"stored": False})
    """The same counts as a table; None for a result that was read from a file."""

    def __post_init__(self) -> None:
        """JSON has no infinity: null reads back as one."""
        for name in ("lower", "upper"):
            if getattr(self, name) is None:
                object.__setattr__(self, name, np.inf)

    @property
    def rejected(self) -> float:
        """Share of the samples between the thresholds."""
        counts = np.array(self.counts)
        return float(counts[:, 2].sum() / counts.sum())

    def rows(self) -> Iterator[Mapping[str, Json]]:
        """One row per true class, with how its samples are predicted."""
        for label, row in zip((self.negative, self.positive), self.counts, strict=True):
            columns = (self.negative, self.positive, self.reject)
            yield {"truth": label, **rename_taken_columns(dict(zip(columns, row, strict=True)), {"truth"}, "predicted")}


def two_thresholds(
    sweep: Sweep, metric: str | None = None, *, costs: ArrayLike | None = None, reject: Label = "rejected"
) -> TwoThresholds:
    """The pair of thresholds that is best by a metric (proficiency unless named) or by a 2 × 3 cost matrix.

    ``costs`` has the reject column last. By costs the pair is exact: what is paid above and below splits in two sums,
    each with its own best threshold. By a metric all pairs of up to 300 thresholds are tried, the corners of the ROC
    curve's hull first.
    """
    if not isinstance(sweep, Sweep):
        raise InputError("two thresholds are those of a sweep: two_thresholds(infoscope.sweep(y_true, y_score))")
    if sweep.mode != "threshold":
        raise InputError("two thresholds are for one score and two classes; for probabilities use class_thresholds")
    ladder = sweep.ladder
    if ladder is None:
        raise InputError("a stored sweep does not hold the tables of its points; sweep again to choose thresholds")
    if reject in ladder.pattern.truth_labels:
        raise InputError(f"reject label {reject!r} is a class; give rejections a name of their own with reject=")
    criterion = Criterion.asked(metric, costs)
    reached = np.cumsum(ladder.steps[..., 0], axis=0)  # (points, 2): samples at or above each threshold
    pattern = _pattern(ladder, reject)
    upper, lower = _pairs_by_cost(reached, costs, ladder) if costs is not None else _all_pairs(ladder, reached)
    tables = _tables(reached, upper, lower, ladder, pattern)
    place = criterion.best_place(tables)
    value = float(np.asarray(criterion.score(tables))[place])
    table = pattern.with_cells(tables.values[place].reshape(-1))
    yes, no = ladder.predictions[0], ladder.remainder
    cells = np.asarray(table.counts, dtype=np.float64)[np.ix_((no, yes), (no, yes, 2))]
    limits = np.asarray(sweep.thresholds, dtype=np.float64)
    return TwoThresholds(
        criterion.name,
        float(limits[lower[place]]),
        float(limits[upper[place]]),
        value,
        str(pattern.truth_labels[yes]),
        str(pattern.truth_labels[no]),
        str(reject),
        tuple(map(tuple, cells.tolist())),
        sweep.provenance,
        tuple(finding for finding in sweep.findings if finding.is_warning),
        table,
    )


def _pattern(ladder: ThresholdTables, reject: Label) -> Contingency:
    labels = ladder.pattern.truth_labels
    return Contingency.from_matrix(
        np.ones((2, 3)), truth=labels, system=(*labels, reject), reject=reject, positive=ladder.pattern.positive
    )


def _tables(
    reached: NDArray[Any],
    upper: NDArray[np.int64],
    lower: NDArray[np.int64],
    ladder: ThresholdTables,
    pattern: Contingency,
) -> Contingency:
    yes, no = ladder.predictions[0], ladder.remainder
    cells = np.zeros((len(upper), 2, 3))
    cells[:, :, yes] = reached[upper]
    cells[:, :, no] = reached[-1] - reached[lower]
    cells[:, :, 2] = reached[lower] - reached[upper]
    return pattern.with_cells(cells.reshape(len(upper), -1))


def _all_pairs(ladder: ThresholdTables, reached: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    places = np.arange(len(reached))
    if len(places) > _MOST_CANDIDATES:
        row = ladder.predictions[0]
        corners = hull_places(reached[1:, 1 - row], reached[1:, row]) + 1
        grid = np.linspace(0, len(places) - 1, max(_MOST_CANDIDATES - len(corners), 50)).astype(np.int64)
        places = np.union1d(corners, grid)
        places = places[np.unique(np.linspace(0, len(places) - 1, _MOST_CANDIDATES).astype(np.int64))]
    upper, lower = np.triu_indices(len(places))
    return places[upper], places[lower]


def _pairs_by_cost(
    reached: NDArray[Any], costs: Any, ladder: ThresholdTables
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For every lower threshold the best upper one at or above it: one running minimum."""
    matrix = np.asarray(costs, dtype=np.float64)
    if matrix.shape != (2, 3):
        raise InputError(
            f"the cost matrix has shape {matrix.shape}; two thresholds need 2 truth × 3 predictions, the "
            "reject column last"
        )
    yes, no = ladder.predictions[0], ladder.remainder
    above: Real = reached @ (matrix[:, yes] - matrix[:, 2])
    below: Real = reached @ (matrix[:, 2] - matrix[:, no])
    least = np.minimum.accumulate(above)
    first = np.flatnonzero(np.concatenate([[True], above[1:] < least[:-1]]))
    upper = first[np.searchsorted(first, np.arange(len(above)), side="right") - 1]
    lower = int(np.argmin(least + below))
    return upper[[lower]], np.array([lower])


def chow_thresholds(costs: ArrayLike) -> tuple[float, float]:
    """Lower and upper threshold for a *calibrated* probability of the positive class, straight from the costs.

    ``costs`` has the negative class first, the positive second, and the columns negative, positive, reject. Where
    rejecting never pays, both are the threshold between the two predictions.

    >>> low, high = chow_thresholds([[0, 1, 0.2], [1, 0, 0.2]])
    >>> print(f"{low:.1f} {high:.1f}")
    0.2 0.8
    """
    matrix = np.asarray(costs, dtype=np.float64)
    if matrix.shape != (2, 3) or not np.isfinite(matrix).all():
        raise InputError(f"the cost matrix has shape {matrix.shape}; give finite costs for 2 truths × 3 predictions")
    low, high = _indifference(matrix, 0, 2), _indifference(matrix, 2, 1)
    if not low <= high:
        low = high = _indifference(matrix, 0, 1)
    return low, high


def _indifference(costs: Real, one: int, other: int) -> float:
    """Probability of the positive class from which on the other prediction is no dearer than the one."""
    dearer_if_negative = costs[0, other] - costs[0, one]
    cheaper_if_positive = costs[1, one] - costs[1, other]
    whole = dearer_if_negative + cheaper_if_positive
    if whole <= 0:
        raise InputError("a prediction costs no more where it is wrong than where it is right; check the cost matrix")
    return float(np.clip(dearer_if_negative / whole, 0.0, 1.0))
