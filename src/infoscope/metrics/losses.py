"""Losses: what the predictions cost, by Holt et al.'s cost matrices and by the user's own."""

from typing import NamedTuple

import numpy as np

from infoscope.core.numerics import Real, dot, mark_undefined, ratio
from infoscope.errors import InfoscopeWarning, InputError
from infoscope.metrics.agreement import accuracy
from infoscope.metrics.one_vs_rest import list_marked_classes, one_vs_rest, wrong_cells
from infoscope.metrics.registry import Card, Law, metric
from infoscope.metrics.shannon import entropies
from infoscope.tables import Contingency, remembered
from infoscope.tables.counting import warn_of
from infoscope.typing import ArrayLike

# ── the losses of Holt et al. ────────────────────────────────────────────────────────────────────

_LAWS = frozenset({Law.SCALING, Law.JOINT_RELABELLING, Law.EMPTY_CLASS})
_NO_LABEL = "truth and predictions have no label in common, so no prediction is right or wrong"
_JOINT = "The paper's cost uses the joint probability and does not depend on the prediction, so its minimum is not 0."
_VANISHING_SHARE = 1e-300
_MOSTLY_LACKING = 0.01
"""Lack of each class from which on the squares that a difference gets wrong are lost among the others."""


class _ClassShares(NamedTuple):
    """Shares of all samples, per true class."""

    own: Real
    right: Real
    wrong: Real
    """Samples of the class that got another prediction."""
    lacking: Real
    """Everything that is not a hit of this class: 1 − right, without the difference."""


@remembered
def _class_shares(table: Contingency) -> _ClassShares:
    classes = one_vs_rest(table)
    parts = (classes.support, classes.hits, classes.misses, classes.others + classes.misses)
    return _ClassShares(*(np.minimum(part / classes.total, 1.0) for part in parts))


@metric(
    Card(
        title="Linear loss",
        symbol="L_1",
        formula=r"\sum_i p_i \sum_j |p_{ij} - \delta_{ij}|",
        source="holt2010",
        range=(0.0, 2.0),
        better="lower",
        unit="cost",
        laws=_LAWS,
        undefined=_NO_LABEL,
        note=_JOINT,
    )
)
def linear_loss(table: Contingency) -> Real:
    """Absolute distance of each class's row from the ideal row; mean weighted by class size.

    >>> print(f"{linear_loss(Contingency.from_matrix([[5, 0], [0, 5]])):.1f}")
    0.5
    """
    shares = _class_shares(table)
    return mark_undefined(not len(table.matches[0]), np.minimum(dot(shares.own, shares.lacking + shares.wrong), 2.0))


@metric(
    Card(
        title="Quadratic loss",
        symbol="L_2",
        formula=r"\sum_i p_i \sum_j (p_{ij} - \delta_{ij})^2",
        source="holt2010",
        range=(0.0, 2.0),
        better="lower",
        unit="cost",
        laws=_LAWS,
        undefined=_NO_LABEL,
        note=_JOINT,
    )
)
def quadratic_loss(table: Contingency) -> Real:
    """Squared distance of each class's row from the ideal row; mean weighted by class size.

    >>> print(f"{quadratic_loss(Contingency.from_matrix([[5, 0], [0, 5]])):.2f}")
    0.25
    """
    shares, total = _class_shares(table), table.grand_total[..., None]
    # Σ_j≠i p_ij² per true class; added up without the hits where a difference of squares would show
    if table.squares_exactly or (table.squares_in_range and shares.lacking.min() > _MOSTLY_LACKING):
        hits = one_vs_rest(table).hits
        wrong_squares = (table.row_squares - hits * hits) / (total * total)
    else:
        wrong = wrong_cells(table) / total
        wrong_squares = table.per_row(wrong * wrong)
    return mark_undefined(
        not len(table.matches[0]), np.minimum(dot(shares.own, shares.lacking**2 + wrong_squares), 2.0)
    )


def _why_no_informational_loss(table: Contingency) -> str:
    if not len(table.matches[0]):
        return _NO_LABEL
    classes = one_vs_rest(table)
    lost = (classes.support > 0) & (classes.hits == 0)
    return f"infinite: {list_marked_classes(table.truth_labels, lost, most=None)} never recognised"


@metric(
    Card(
        title="Informational loss",
        symbol="L_I",
        formula=r"-\sum_i p_i \ln p_{ii}",
        source="holt2010",
        range=(0.0, np.inf),
        better="lower",
        unit="nats",
        laws=_LAWS,
        undefined="a class that has samples is never recognised (the loss is infinite), or no label is in common",
        note=_JOINT,
    ),
    why=_why_no_informational_loss,
)
def informational_loss(table: Contingency) -> Real:
    """Minus the log probability of being right, mean weighted by class size; infinite if a class is never right.

    >>> print(f"{informational_loss(Contingency.from_matrix([[5, 0], [0, 5]])):.4f}")
    0.6931
    """
    shares, classes = _class_shares(table), one_vs_rest(table)
    p, right = shares.own, shares.right
    if right.min() > _VANISHING_SHARE and right.max() <= 0.5:
        return mark_undefined(not len(table.matches[0]), -dot(p, np.log(right)))
    lost = np.any((classes.support > 0) & (classes.hits == 0), axis=-1)
    rare = (classes.hits > 0) & (right < _VANISHING_SHARE)  # their logarithm is a number, even where the share is none
    logs = np.where(right > 0.5, np.log1p(-np.minimum(shares.lacking, 0.5)), np.log(np.where(right > 0, right, 1.0)))
    if rare.any():
        logs = np.where(rare, np.log(np.where(rare, classes.hits, 1.0)) - np.log(classes.total), logs)
    return mark_undefined(not len(table.matches[0]), np.where(lost, np.inf, -dot(p, logs) + 0.0)[()])


@metric(
    Card(
        title="0-1 loss",
        symbol="L_01",
        formula=r"-\sum_i p_{ii}",
        source="holt2010",
        range=(-1.0, 0.0),
        better="lower",
        unit="cost",
        laws=_LAWS,
        undefined=_NO_LABEL,
        note="Holt et al.'s equation 15: minus the accuracy, not 1 − accuracy.",
    )
)
def zero_one_loss(table: Contingency) -> Real:
    """Minus the accuracy: −1 is perfect.

    >>> print(f"{zero_one_loss(Contingency.from_matrix([[5, 0], [0, 5]])):.1f}")
    -1.0
    """
    return 0.0 - accuracy(table)


@metric(
    Card(
        title="Information cost",
        symbol="C_I",
        formula=r"-\sum_{ij} p_{ij} \log_2 \frac{p_{ij}^2}{p_i p_j} = S_I",
        source="holt2010",
        range=(0.0, np.inf),
        better="lower",
        unit="bits",
        laws=frozenset({Law.SCALING, Law.RELABELLING, Law.EMPTY_CLASS, Law.PERFECT_IS_ZERO}),
        note="Holt et al.'s equation 23; equal to the erroneous information.",
    )
)
def information_cost(table: Contingency) -> Real:
    """Expected cost if each cell costs its missed and false bits; equal to the erroneous information.

    >>> print(f"{information_cost(Contingency.from_matrix([[5, 5], [5, 5]])):.1f}")
    2.0
    """
    h = entropies(table)
    return h.missed + h.spurious


# ── the user's own costs ─────────────────────────────────────────────────────────────────────────


@metric(
    Card(
        title="Expected cost",
        family="costs",
        symbol="C",
        formula=r"\sum_{ij} p_{ij}\,c_{ij}",
        source="holt2010",
        range=(-np.inf, np.inf),
        better="lower",
        unit="cost",
        aliases=("mean cost", "expected loss", "risk"),
        laws=frozenset({Law.SCALING, Law.EMPTY_CLASS}),
        undefined="no costs were stated",
        note="Costs are stated with --costs FILE or costs=: one for each pair of true and predicted class, the reject "
        "label included; gains are negative. Without costs the metric is left out.",
    )
)
def expected_cost(table: Contingency, costs: ArrayLike | None = None) -> Real:
    """Mean cost of a prediction by the user's cost matrix (rows = truth, columns = output, reject included).

    Warns when a correct prediction costs as much as an error of the same class.

    >>> table = Contingency.from_matrix([[8, 2], [1, 9]])
    >>> print(f"{expected_cost(table, [[0, 10], [1, 0]]):.2f}")
    1.05
    """
    if costs is None:
        if table.costs is None:
            return np.full(table.batch_shape, np.nan)[()]
        return mean_cost(table, table.costs.lay_out(table.truth_labels, table.system_labels))
    matrix = read_cost_matrix(table, costs)
    doubt = find_cost_doubt(table, matrix)
    if doubt is not None:
        warn_of([doubt], InfoscopeWarning)
    return mean_cost(table, matrix)


@metric(
    Card(
        title="Return on investment",
        family="costs",
        symbol="ROI",
        formula=r"\sum_{ij} -p_{ij}\,c_{ij} \,/ \sum_{ij} p_{ij} \max(c_{ij}, 0)",
        source="common",
        range=(-1.0, np.inf),
        aliases=("ROI",),
        laws=frozenset({Law.SCALING, Law.EMPTY_CLASS}),
        undefined="gains (negative costs) and costs were not both stated, or no prediction cost anything",
        note="Gains are negative costs: --costs FILE or costs=. The sum of gains less costs, per unit of cost.",
    )
)
def return_on_investment(table: Contingency, costs: ArrayLike | None = None) -> Real:
    """What the predictions gain beyond their costs, per unit of cost, where some cells of the cost matrix are gains.

    0 means that gains pay for the costs; −1 that nothing is gained.

    >>> table = Contingency.from_matrix([[8, 2], [1, 9]])
    >>> print(f"{return_on_investment(table, [[-3, 10], [1, 0]]):.3f}")  # 24 gained, 21 paid
    0.143
    """
    if costs is None and table.costs is None:
        return np.full(table.batch_shape, np.nan)[()]
    if costs is not None:
        matrix = read_cost_matrix(table, costs)
    else:
        assert table.costs is not None
        matrix = table.costs.lay_out(table.truth_labels, table.system_labels)
    gained, paid = mean_cost(table, np.maximum(-matrix, 0.0)), mean_cost(table, np.maximum(matrix, 0.0))
    return ratio(gained - paid, paid if (matrix < 0).any() else 0.0 * paid)


def read_cost_matrix(table: Contingency, costs: ArrayLike) -> Real:
    """Read the cost matrix as numbers; it must have one finite cost per cell."""
    try:
        matrix = np.asarray(costs, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"the costs are no matrix of numbers ({error}); give one cost per cell") from None
    if matrix.shape != table.shape:
        raise InputError(
            f"the cost matrix has shape {matrix.shape}, the table {table.shape[0]} truth × {table.shape[1]} "
            "system classes; give one cost per cell, the reject column included"
        )
    if not np.isfinite(matrix).all():
        raise InputError("a cost is not finite; give a number for every cell")
    return matrix


def mean_cost(table: Contingency, matrix: Real) -> Real:
    """Average a checked cost matrix over the samples of a table."""
    of_cells = matrix[table.cell_rows, table.cell_columns]
    if table.adds_exactly:  # tables that cost the same get the same number
        return np.sum(table.cells * of_cells, axis=-1) / table.grand_total
    return dot(table.cells / table.grand_total[..., None], of_cells)


def find_cost_doubt(table: Contingency, costs: Real) -> str | None:
    """Say which correct prediction costs as much as an error of the same class; None where none does."""
    for i, j in zip(*table.matches, strict=True):
        others = np.delete(costs[i], j)
        if len(others) and costs[i, j] >= others.min():
            worst = int(np.argmin(np.where(np.arange(costs.shape[1]) == j, np.inf, costs[i])))
            return (
                f"a correct prediction of {table.truth_labels[i]!r} costs {costs[i, j]:g}, no less than predicting "
                f"{table.system_labels[worst]!r} instead ({costs[i, worst]:g}); check the cost matrix"
            )
    return None
