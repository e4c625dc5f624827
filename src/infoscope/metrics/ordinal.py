"""Metrics of ordered classes: weighted kappas, errors in steps, and information lost between neighbours.

Classes stand on a scale: the one stated for the table, else the order of its labels. Rejected samples have no place on
it and are left out.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from infoscope.core.numerics import Real, dot, mark_undefined, ratio
from infoscope.metrics.registry import Card, Law, metric
from infoscope.metrics.shannon import compute_open_nats
from infoscope.tables import Contingency, remembered

_LAWS = frozenset({Law.SCALING, Law.EXCHANGE, Law.EMPTY_CLASS})
_NO_SCALE = "truth and predictions have no label in common, or every sample is rejected"
_ONE_PLACE = f"all samples and predictions are of one class, {_NO_SCALE}"
_MAX_PAIRED_CLASSES = 256
"""Classes up to which squared steps are added up pair by pair, which loses no digit."""


class _Steps(NamedTuple):
    """Steps between truth and prediction of the samples that were not rejected."""

    cells: Real
    distance: NDArray[np.float64]
    """Steps on the scale, for each cell."""
    accepted: Real
    """Samples that were not rejected."""
    truth: Real
    """True classes of these samples, by place on the scale."""
    system: Real
    """Predictions for these samples, by place on the scale."""

    def average(self, weights: NDArray[np.float64]) -> Real:
        """Average weights of cells over the samples."""
        return ratio(dot(self.cells, weights), self.accepted)


@remembered
def _count_steps(table: Contingency) -> _Steps:
    """Count the steps that each cell is off, and both sides by place on the scale."""
    places = {label: place for place, label in enumerate(table.scale)}
    rows = np.array([places[label] for label in table.truth_labels], dtype=np.int64)
    columns = np.array([places.get(label, len(places)) for label in table.system_labels], dtype=np.int64)
    cells = table.cells
    if table.reject_column is not None:
        cells = np.where(table.cell_columns == table.reject_column, 0.0, cells)
    if not len(table.matches[0]):
        cells = np.zeros_like(cells)
    distance = np.abs(rows[table.cell_rows] - columns[table.cell_columns]).astype(float)
    margins = []
    for totals, positions in ((table.per_row(cells), rows), (table.per_column(cells), columns)):
        margin = np.zeros((*cells.shape[:-1], len(places) + 1))  # rejected samples, of which there are none, come last
        margin[..., positions] = totals
        margins.append(margin[..., :-1])
    return _Steps(cells, distance, margins[0].sum(axis=-1), *margins)


def _compute_kappa(steps: _Steps, observed: Real, expected: Real) -> Real:
    """Return 1 − observed / expected disagreement, both summed over samples."""
    value = np.maximum(1.0 - ratio(observed, expected), -1.0)
    return mark_undefined(steps.accepted == 0, value)


def _expect_by_chance(steps: _Steps, first: Real, second: Real) -> Real:
    """Return first × second / samples; the larger count is divided, so that none overflows or vanishes."""
    return ratio(np.maximum(first, second), np.asarray(steps.accepted)[..., None]) * np.minimum(first, second)


@metric(
    Card(
        title="Linear weighted kappa",
        symbol="κ_1",
        formula=r"1 - \frac{\sum_{ij} |i-j|\,p_{ij}}{\sum_{ij} |i-j|\,p_i p_j}",
        source="cohen1968",
        range=(-1.0, 1.0),
        aliases=("linear kappa", "weighted kappa", "weighted kappa, linear"),
        laws=_LAWS | {Law.PERFECT_IS_ONE, Law.INDEPENDENCE_IS_ZERO},
        undefined=_ONE_PLACE,
        note="Rejected samples are left out.",
    )
)
def linear_weighted_kappa(table: Contingency) -> Real:
    """Agreement beyond chance in which an error of two steps counts twice as much as one of one step.

    >>> print(linear_weighted_kappa(Contingency.from_matrix([[2, 1, 0], [0, 3, 0], [0, 1, 2]])).round(3))
    0.727
    """
    steps = _count_steps(table)
    sides = (steps.truth, steps.system)
    # samples up to each place of the scale but the last, and beyond it
    truth_up_to, system_up_to = (np.cumsum(counts, axis=-1)[..., :-1] for counts in sides)
    truth_beyond, system_beyond = (np.cumsum(counts[..., ::-1], axis=-1)[..., ::-1][..., 1:] for counts in sides)
    expected = _expect_by_chance(steps, truth_up_to, system_beyond) + _expect_by_chance(
        steps, truth_beyond, system_up_to
    )
    return _compute_kappa(steps, dot(steps.cells, steps.distance), expected.sum(axis=-1))


@metric(
    Card(
        title="Quadratic weighted kappa",
        symbol="κ_2",
        formula=r"1 - \frac{\sum_{ij} (i-j)^2 p_{ij}}{\sum_{ij} (i-j)^2 p_i p_j}",
        source="cohen1968",
        range=(-1.0, 1.0),
        aliases=("QWK", "quadratic kappa", "weighted kappa", "weighted kappa, quadratic"),
        laws=_LAWS | {Law.PERFECT_IS_ONE, Law.INDEPENDENCE_IS_ZERO},
        undefined=_ONE_PLACE,
        note="Rejected samples are left out.",
    )
)
def quadratic_weighted_kappa(table: Contingency) -> Real:
    """Agreement beyond chance in which an error of two steps counts four times as much as one of one step.

    >>> print(quadratic_weighted_kappa(Contingency.from_matrix([[2, 1, 0], [0, 3, 0], [0, 1, 2]])).round(3))
    0.8
    """
    steps = _count_steps(table)
    observed = dot(steps.cells, steps.distance**2)
    # the squared steps as expected where truth and prediction are independent
    places = np.arange(steps.truth.shape[-1], dtype=float)
    squares = (places[:, None] - places) ** 2 if len(places) <= _MAX_PAIRED_CLASSES else None
    if squares is not None and steps.truth.ndim == 1:
        expected = _expect_by_chance(steps, *np.broadcast_arrays(steps.truth[:, None], steps.system))
        return _compute_kappa(steps, observed, np.float64((expected * squares).sum()))  # type: ignore[arg-type]
    shares = [ratio(side, np.asarray(steps.accepted)[..., None]) for side in (steps.truth, steps.system)]
    if squares is not None:
        return _compute_kappa(steps, observed, dot(shares[0] @ squares, steps.system))
    means = [dot(side, places) for side in shares]
    variances = [
        dot(side, (places - np.asarray(mean)[..., None]) ** 2) for side, mean in zip(shares, means, strict=True)
    ]
    expected = (variances[0] + variances[1] + (means[0] - means[1]) ** 2) * steps.accepted
    return _compute_kappa(steps, observed, expected)


@metric(
    Card(
        title="Mean absolute error in steps",
        symbol="MAE",
        formula=r"\sum_{ij} |i-j|\,p_{ij}",
        source="common",
        range=(0.0, np.inf),
        better="lower",
        unit="classes",
        aliases=("MAE", "mean absolute error"),
        laws=_LAWS | {Law.PERFECT_IS_ZERO},
        undefined=_NO_SCALE,
        note="Rejected samples are left out.",
    )
)
def mean_absolute_error(table: Contingency) -> Real:
    """Mean number of steps between the predicted and the true class.

    >>> print(mean_absolute_error(Contingency.from_matrix([[2, 1, 0], [0, 3, 0], [1, 0, 2]])).round(3))
    0.333
    """
    steps = _count_steps(table)
    return steps.average(steps.distance)


@metric(
    Card(
        title="Off-by-one rate",
        symbol="A_{±1}",
        formula=r"\sum_{|i-j|=1} p_{ij}",
        source="common",
        better="none",
        aliases=("off by one", "one step off"),
        laws=_LAWS | {Law.PERFECT_IS_ZERO},
        undefined=_NO_SCALE,
        note="Accuracy plus this is the share of predictions at most one step off. Rejected samples are left out.",
    )
)
def off_by_one_rate(table: Contingency) -> Real:
    """Fraction of the predictions that are exactly one step off.

    >>> print(off_by_one_rate(Contingency.from_matrix([[2, 1, 0], [0, 3, 0], [1, 0, 2]])).round(3))
    0.111
    """
    steps = _count_steps(table)
    return np.minimum(steps.average((steps.distance == 1).astype(float)), 1.0)


@metric(
    Card(
        title="Ranked probability score",
        symbol="RPS",
        formula=r"\frac{1}{K-1}\sum_{k<K} \left(F_k - O_k\right)^2",
        source="epstein1969",
        better="lower",
        aliases=("RPS",),
        laws=frozenset({Law.SCALING, Law.EXCHANGE, Law.PERFECT_IS_ZERO}),
        undefined=f"there is only one class, {_NO_SCALE}",
        note="A predicted class is the forecast that gives it probability 1, so that F and O differ by 1 on each step "
        "between: the mean absolute error over the K − 1 steps of the scale. `operating_points.probabilistic_scores` "
        "has the score of probabilities.",
    )
)
def ranked_probability_score(table: Contingency) -> Real:
    """Squared distance between the cumulative prediction and the truth, from 0 (right) to 1 (opposite ends).

    >>> print(ranked_probability_score(Contingency.from_matrix([[2, 1, 0], [0, 3, 0], [1, 0, 2]])).round(3))
    0.167
    """
    places = len(table.scale)
    error = np.minimum(mean_absolute_error(table), places - 1.0)
    return mark_undefined(places < 2, error / max(places - 1, 1))


@metric(
    Card(
        title="Share of lost information between neighbours",
        biased=True,
        symbol="L_{±1}",
        formula=r"\frac{\sum_{|i-j|=1} L_{ij}}{\sum_{i \neq j} L_{ij}},\quad"
        r" L_{ij} = p_{ij}\log_2\frac{p_i\,p_j}{p_{ij}^2}",
        source="holt2010",
        better="none",
        aliases=("neighbour loss", "neighbor loss share"),
        laws=_LAWS,
        undefined=f"no wrong prediction costs information, {_NO_SCALE}",
        note="Of the missed and false information in cells with a wrong prediction, the part in cells one step off.",
    )
)
def neighbour_loss_share(table: Contingency) -> Real:
    """Fraction of the information lost in wrong predictions that is lost between neighbouring classes.

    >>> print(neighbour_loss_share(Contingency.from_matrix([[2, 1, 0], [0, 3, 0], [1, 0, 2]])).round(3))
    0.531
    """
    steps = _count_steps(table)
    lost = np.where(steps.cells > 0, compute_open_nats(table, "truth") + compute_open_nats(table, "system"), 0.0)
    near = dot(lost, (steps.distance == 1).astype(float))
    wrong = dot(lost, (steps.distance > 0).astype(float))
    return ratio(np.minimum(near, wrong), wrong)
