"""Rates and information of single classes, predictions and cells: where the bits leak.

Metrics of the level "truth" have one number per true class, those of "system" one per prediction, those of "cell" one
per stored cell.
"""

from typing import NamedTuple

import numpy as np

from infoscope.core.numerics import Real, ratio
from infoscope.core.validation import validated
from infoscope.metrics.independence import log_lifts
from infoscope.metrics.one_vs_rest import compute_f_beta, jaccard_parts, one_vs_rest
from infoscope.metrics.registry import Card, Law, class_metric
from infoscope.metrics.shannon import compute_open_nats
from infoscope.tables import Contingency, remembered

# ── true classes and predictions ────────────────────────────────────────────────────────────────

_SCALED = frozenset({Law.SCALING})


class _OpenNats(NamedTuple):
    """Nats that cells leave open, weighted by their size: by true class, by prediction, and of all cells."""

    by_truth: Real
    by_output: Real
    total: Real


@remembered
def _missed(table: Contingency) -> _OpenNats:
    nats = compute_open_nats(table, "truth")
    return _OpenNats(table.per_row(nats), table.per_column(nats), nats.sum(axis=-1)[..., None])


@remembered
def _false(table: Contingency) -> _OpenNats:
    nats = compute_open_nats(table, "system")
    return _OpenNats(table.per_row(nats), table.per_column(nats), nats.sum(axis=-1)[..., None])


def _part_of_all(part: Real, total: Real) -> Real:
    """Divide a line's part by the sum over all cells; sums in another order may exceed it by their rounding."""
    return np.minimum(ratio(part, total), 1.0)


@class_metric(
    Card(
        title="Support",
        symbol="n_i",
        formula=r"D_{i\cdot}",
        source="common",
        range=(0.0, np.inf),
        better="none",
        unit="count",
        level="truth",
        posterior="none",
    )
)
def class_support(table: Contingency) -> Real:
    """Samples of each true class."""
    return table.row_totals


@class_metric(
    Card(
        title="Recall of a class",
        symbol="TPR_i",
        formula=r"\frac{D_{ii}}{D_{i\cdot}}",
        source="common",
        laws=_SCALED,
        undefined="the class has no samples",
        level="truth",
    )
)
def class_recall(table: Contingency) -> Real:
    """Fraction of each true class that is predicted correctly."""
    return one_vs_rest(table).recall


@class_metric(
    Card(
        title="Precision of a class",
        symbol="PPV_i",
        formula=r"\frac{D_{ii}}{D_{\cdot i}}",
        source="common",
        laws=_SCALED,
        undefined="the class is never predicted",
        level="truth",
    )
)
def class_precision(table: Contingency) -> Real:
    """Fraction of the predictions of each class that are right."""
    return one_vs_rest(table).precision


@class_metric(
    Card(
        title="Specificity of a class",
        symbol="TNR_i",
        formula=r"\frac{TN_i}{TN_i+FP_i}",
        source="common",
        laws=_SCALED,
        undefined="all samples are of this class",
        note="A rejected sample is not declared as this class; the binary specificity wants it recognised as negative.",
        level="truth",
    )
)
def class_specificity(table: Contingency) -> Real:
    """Fraction of the samples of other classes that are not predicted as this class."""
    return one_vs_rest(table).specificity


@class_metric(
    Card(
        title="F1 of a class",
        symbol="F1_i",
        formula=r"\frac{2D_{ii}}{D_{i\cdot}+D_{\cdot i}}",
        source="common",
        laws=_SCALED,
        undefined="the class neither occurs nor is predicted",
        level="truth",
    )
)
def class_f1(table: Contingency) -> Real:
    """Harmonic mean of precision and recall of each class."""
    return class_f_beta(table, 1.0)


@validated()
def class_f_beta(table: Contingency, beta: float) -> Real:
    """F-beta of each class, recall counting ``beta`` times as much as precision.

    Parameters
    ----------
    table : Contingency
        Counts of true and predicted classes, one table or a batch.
    beta : float
        Weight of the recall, 0 or more.

    Returns
    -------
    ndarray
        One number per true class.

    Raises
    ------
    InputError
        If ``beta`` is negative or no number.

    Examples
    --------
    >>> class_f_beta(Contingency.from_matrix([[8, 2], [2, 8]]), 2.0).round(3).tolist()
    [0.8, 0.8]
    """
    classes = one_vs_rest(table)
    return compute_f_beta(classes.hits, classes.support, classes.declared, beta)


@class_metric(
    Card(
        title="Jaccard index of a class",
        symbol="J_i",
        formula=r"\frac{D_{ii}}{D_{i\cdot}+D_{\cdot i}-D_{ii}}",
        source="common",
        aliases=("IoU of a class",),
        laws=_SCALED,
        undefined="the class neither occurs nor is predicted",
        level="truth",
    )
)
def class_jaccard(table: Contingency) -> Real:
    """Of the samples that are of a class or predicted as it, the fraction that is both."""
    return ratio(*jaccard_parts(one_vs_rest(table)))


@class_metric(
    Card(
        title="False information of a class",
        symbol="H(S|T=i)",
        formula=r"-\sum_j \frac{p_{ij}}{p_i}\log_2\frac{p_{ij}}{p_i}",
        source="holt2010",
        range=(0.0, np.inf),
        better="lower",
        unit="bits",
        aliases=("answers scatter",),
        laws=_SCALED,
        undefined="the class has no samples",
        level="truth",
        posterior="exact",
    )
)
def class_false_information(table: Contingency) -> Real:
    """Spread of predictions for each true class: the bits needed to name its prediction.

    >>> [float(x) for x in class_false_information(Contingency.from_matrix([[4, 4], [0, 8]]))]
    [1.0, 0.0]
    """
    return ratio(_false(table).by_truth, table.row_totals) / np.log(2.0)


@class_metric(
    Card(
        title="Share of missed information",
        biased=True,
        symbol="missed_i",
        formula=r"\frac{-\sum_j p_{ij}\log_2(p_{ij}/p_j)}{H(T \mid S)}",
        source="holt2010",
        better="lower",
        laws=_SCALED,
        undefined="nothing is missed",
        level="truth",
    )
)
def class_missed_share(table: Contingency) -> Real:
    """Fraction of all missed information that is due to samples of each true class; they sum to 1."""
    return _part_of_all(_missed(table).by_truth, _missed(table).total)


@class_metric(
    Card(
        title="Share of false information",
        biased=True,
        symbol="false_i",
        formula=r"\frac{-\sum_j p_{ij}\log_2(p_{ij}/p_i)}{H(S \mid T)}",
        source="holt2010",
        better="lower",
        laws=_SCALED,
        undefined="there is no false information",
        level="truth",
    )
)
def class_false_share(table: Contingency) -> Real:
    """Fraction of all false information that is due to samples of each true class; they sum to 1."""
    return _part_of_all(_false(table).by_truth, _false(table).total)


@class_metric(
    Card(
        title="Declarations",
        symbol="n_j",
        formula=r"D_{\cdot j}",
        source="common",
        range=(0.0, np.inf),
        better="none",
        unit="count",
        level="system",
        posterior="none",
    )
)
def output_declared(table: Contingency) -> Real:
    """Number of predictions of each class."""
    return table.column_totals


@class_metric(
    Card(
        title="Precision of a prediction",
        symbol="PPV_j",
        formula=r"\frac{D_{jj}}{D_{\cdot j}}",
        source="common",
        laws=_SCALED,
        undefined="the class is never predicted, or is not a true class",
        level="system",
    )
)
def output_precision(table: Contingency) -> Real:
    """Fraction of the predictions of each class that are right."""
    rows, columns = table.matches
    hits = np.full(table.column_totals.shape, np.nan)
    hits[..., columns] = table.diagonal
    return ratio(hits, table.column_totals) if len(rows) else hits


@class_metric(
    Card(
        title="Missed information of a prediction",
        symbol="H(T|S=j)",
        formula=r"-\sum_i \frac{p_{ij}}{p_j}\log_2\frac{p_{ij}}{p_j}",
        source="holt2010",
        range=(0.0, np.inf),
        better="lower",
        unit="bits",
        aliases=("word doubtful",),
        laws=_SCALED,
        undefined="the class is never predicted",
        level="system",
        posterior="exact",
    )
)
def output_missed_information(table: Contingency) -> Real:
    """Ambiguity of each prediction: the bits of the truth that remain unknown when it is made.

    >>> [float(x) for x in output_missed_information(Contingency.from_matrix([[4, 0], [4, 8]]))]
    [1.0, 0.0]
    """
    return ratio(_missed(table).by_output, table.column_totals) / np.log(2.0)


@class_metric(
    Card(
        title="Share of missed information, by prediction",
        biased=True,
        symbol="missed_j",
        formula=r"\frac{-\sum_i p_{ij}\log_2(p_{ij}/p_j)}{H(T \mid S)}",
        source="holt2010",
        better="lower",
        laws=_SCALED,
        undefined="nothing is missed",
        level="system",
    )
)
def output_missed_share(table: Contingency) -> Real:
    """Fraction of all missed information that is due to each prediction; they sum to 1."""
    return _part_of_all(_missed(table).by_output, _missed(table).total)


@class_metric(
    Card(
        title="Share of false information, by prediction",
        biased=True,
        symbol="false_j",
        formula=r"\frac{-\sum_i p_{ij}\log_2(p_{ij}/p_i)}{H(S \mid T)}",
        source="holt2010",
        better="lower",
        laws=_SCALED,
        undefined="there is no false information",
        level="system",
    )
)
def output_false_share(table: Contingency) -> Real:
    """Fraction of all false information that is due to each prediction; they sum to 1."""
    return _part_of_all(_false(table).by_output, _false(table).total)


# ── cells ────────────────────────────────────────────────────────────────────────────────────────


@class_metric(
    Card(
        title="Missed bits of a cell",
        family="per_cell",
        symbol="missed_ij",
        formula=r"-p_{ij}\log_2\frac{p_{ij}}{p_j}",
        source="holt2010",
        range=(0.0, np.inf),
        better="lower",
        unit="bits",
        laws=_SCALED,
        level="cell",
    )
)
def cell_missed_information(table: Contingency) -> Real:
    """Missed information that each cell causes; the cells sum to H(T|S).

    >>> [float(x) for x in cell_missed_information(Contingency.from_matrix([[4, 0], [4, 0]]))]
    [0.5, 0.0, 0.5, 0.0]
    """
    return compute_open_nats(table, "truth") / table.grand_total[..., None] / np.log(2.0)


@class_metric(
    Card(
        title="False bits of a cell",
        family="per_cell",
        symbol="false_ij",
        formula=r"-p_{ij}\log_2\frac{p_{ij}}{p_i}",
        source="holt2010",
        range=(0.0, np.inf),
        better="lower",
        unit="bits",
        laws=_SCALED,
        level="cell",
    )
)
def cell_false_information(table: Contingency) -> Real:
    """False information that each cell causes; the cells sum to H(S|T).

    >>> [float(x) for x in cell_false_information(Contingency.from_matrix([[4, 4], [0, 0]]))]
    [0.5, 0.5, 0.0, 0.0]
    """
    return compute_open_nats(table, "system") / table.grand_total[..., None] / np.log(2.0)


@class_metric(
    Card(
        title="Pointwise information of a cell",
        family="per_cell",
        symbol="i_ij",
        formula=r"p_{ij}\log_2\frac{p_{ij}}{p_i p_j}",
        source="shannon1948",
        range=(-np.inf, np.inf),
        unit="bits",
        laws=_SCALED,
        level="cell",
        aliases=("pointwise contribution",),
    )
)
def cell_mutual_information(table: Contingency) -> Real:
    """Contribution of each cell to the mutual information; negative if it is less frequent than by chance.

    >>> [float(x) for x in cell_mutual_information(Contingency.from_matrix([[4, 0], [0, 4]]))]
    [0.5, 0.0, 0.0, 0.5]
    """
    return table.cells / table.grand_total[..., None] * (log_lifts(table) / np.log(2.0))
