"""Mutual information on scales from 0 to 1, and corrected for chance."""

from typing import Literal

import numpy as np

from infoscope.core.numerics import Real, at_most_one, ratio, share, undefined_where
from infoscope.errors import InputError
from infoscope.metrics.arguments import TableMetric
from infoscope.metrics.expected_information import chance_information
from infoscope.metrics.registry import Card, Law, metric, unlisted
from infoscope.metrics.shannon import Entropies, entropies
from infoscope.tables import Contingency

__all__ = [
    "adjusted_mutual_information",
    "nmi_arithmetic",
    "nmi_geometric",
    "nmi_joint",
    "nmi_max",
    "nmi_min",
    "normalized_mutual_information",
    "v_measure",
]

_SYMMETRIC = frozenset(
    {
        Law.SCALING,
        Law.RELABELLING,
        Law.EMPTY_CLASS,
        Law.EXCHANGE,
        Law.PERFECT_IS_ONE,
        Law.INDEPENDENCE_IS_ZERO,
    }
)
_BOTH_SILENT = "truth and predictions both have one class only"
_ONE_SILENT = "truth or predictions have one class only"


@metric(
    Card(
        title="NMI, arithmetic mean",
        symbol="NMI_sum",
        formula=r"\frac{2I}{H(T)+H(S)}",
        source="rosenberg2007",
        aliases=("normalized mutual information", "symmetric NMI", "symmetric uncertainty"),
        laws=_SYMMETRIC,
        undefined=_BOTH_SILENT,
    )
)
def nmi_arithmetic(table: Contingency) -> Real:
    """Mutual information divided by the mean of both entropies; harmonic mean of proficiency and information precision.

    >>> print(f"{nmi_arithmetic(Contingency.from_matrix([[4, 0], [0, 6]])):.1f}")
    1.0
    """
    h = entropies(table).shares
    return share(2 * h.mutual, h.missed + h.spurious)


@metric(
    Card(
        title="NMI, geometric mean",
        symbol="NMI_sqrt",
        formula=r"\frac{I}{\sqrt{H(T)H(S)}}",
        source="vinh2010",
        laws=_SYMMETRIC,
        undefined=_ONE_SILENT,
    )
)
def nmi_geometric(table: Contingency) -> Real:
    """Mutual information divided by the geometric mean of both entropies.

    >>> print(f"{nmi_geometric(Contingency.from_matrix([[4, 0], [0, 6]])):.1f}")
    1.0
    """
    h = entropies(table).shares
    return np.sqrt(share(h.mutual, h.missed)) * np.sqrt(share(h.mutual, h.spurious))


@metric(
    Card(
        title="NMI, smaller entropy",
        symbol="NMI_min",
        formula=r"\frac{I}{\min(H(T),H(S))}",
        source="vinh2010",
        laws=_SYMMETRIC,
        undefined=_ONE_SILENT,
    )
)
def nmi_min(table: Contingency) -> Real:
    """Mutual information divided by the smaller entropy: 1 if one side determines the other.

    >>> print(f"{nmi_min(Contingency.from_matrix([[2, 2, 0], [0, 0, 4]])):.1f}")
    1.0
    """
    h = entropies(table).shares
    return share(h.mutual, np.minimum(h.missed, h.spurious))


@metric(
    Card(
        title="NMI, larger entropy",
        symbol="NMI_max",
        formula=r"\frac{I}{\max(H(T),H(S))}",
        source="vinh2010",
        laws=_SYMMETRIC,
        undefined=_BOTH_SILENT,
    )
)
def nmi_max(table: Contingency) -> Real:
    """Mutual information divided by the larger entropy; only the joint form is stricter.

    >>> print(f"{nmi_max(Contingency.from_matrix([[2, 2, 0], [0, 0, 4]])):.4f}")
    0.6667
    """
    h = entropies(table).shares
    return share(h.mutual, np.maximum(h.missed, h.spurious))


@metric(
    Card(
        title="NMI, joint entropy",
        symbol="NMI_joint",
        formula=r"\frac{I}{H(T,S)}",
        source="vinh2010",
        aliases=("information quality ratio", "1 - normalized variation of information"),
        laws=_SYMMETRIC,
        undefined=_BOTH_SILENT,
    )
)
def nmi_joint(table: Contingency) -> Real:
    """Mutual information divided by the joint entropy.

    >>> print(f"{nmi_joint(Contingency.from_matrix([[2, 2, 0], [0, 0, 4]])):.4f}")
    0.6667
    """
    h = entropies(table).shares
    return share(h.mutual, h.missed + h.spurious)


def _why_no_ami(table: Contingency) -> str:
    if not table.is_counts:
        return "chance is defined for counts of samples, not for weights"
    if table.grand_total.max() > _MOST_SAMPLES:
        return "more than 10^18 samples are not counted one by one"
    return f"{_BOTH_SILENT}, or all samples apart, so that chance does as well"


_MOST_SAMPLES = 1e18


AverageMethod = Literal["min", "geometric", "arithmetic", "max"]
_BY_MEAN: dict[AverageMethod, TableMetric[[]]] = {
    "min": nmi_min,
    "geometric": nmi_geometric,
    "arithmetic": nmi_arithmetic,
    "max": nmi_max,
}


def _normalized_mutual_information(table: Contingency, *, average_method: AverageMethod = "arithmetic") -> Real:
    """Shared information over a mean of both entropies: the metrics nmi_min, nmi_geometric, nmi_arithmetic and nmi_max.

    >>> table = Contingency.from_matrix([[2, 2, 0], [0, 0, 4]])
    >>> [round(float(normalized_mutual_information(table, average_method=mean)), 3) for mean in _BY_MEAN]
    [1.0, 0.816, 0.8, 0.667]
    """
    if average_method not in _BY_MEAN:
        raise InputError(f"average_method is {average_method!r}; it is min, geometric, arithmetic or max")
    return _BY_MEAN[average_method](table)


normalized_mutual_information = unlisted(
    _normalized_mutual_information, Card("NMI", "NMI", r"\frac{I}{\text{mean}}", "vinh2010", undefined=_BOTH_SILENT)
)


@metric(
    Card(
        title="V-measure",
        symbol="V_β",
        formula=r"\frac{(1+\beta)I}{H(T)+\beta H(S)}",
        source="rosenberg2007",
        aliases=("V-measure", "V-measure with beta"),
        laws=_SYMMETRIC - {Law.EXCHANGE},
        undefined=_BOTH_SILENT,
        note="With β = 1 it is the NMI with the arithmetic mean, and exchanging truth and system changes nothing.",
    )
)
def v_measure(table: Contingency, *, beta: float = 1.0) -> Real:
    """Weighted harmonic mean of homogeneity (proficiency) and completeness (information precision).

    ``beta`` above 1 gives completeness more weight, below 1 homogeneity.

    >>> table = Contingency.from_matrix([[2, 2, 0], [0, 0, 4]])
    >>> [round(float(v_measure(table, beta=beta)), 3) for beta in (0.5, 1.0, 2.0)]
    [0.857, 0.8, 0.75]
    """
    if not 0 <= beta < np.inf:
        raise InputError(f"beta is {beta}; it is a number of 0 or more")
    h = entropies(table).shares
    return share((1 + beta) * h.mutual, h.missed + beta * h.spurious)


def _left_to_share(h: Entropies, average_method: AverageMethod) -> Real:
    """The mean of both entropies less what is shared, from parts that lose nothing in a difference."""
    if average_method == "arithmetic":
        return (h.missed + h.spurious) / 2
    if average_method == "geometric":
        return np.sqrt(h.truth * h.system) - h.mutual
    if average_method in ("min", "max"):
        return (np.minimum if average_method == "min" else np.maximum)(h.missed, h.spurious)
    raise InputError(f"average_method is {average_method!r}; it is min, geometric, arithmetic or max")


def _all_apart(table: Contingency) -> Real:
    """Whether every sample is a class of its own, on both sides."""
    return np.maximum(table.row_totals.max(axis=-1), table.column_totals.max(axis=-1)) <= 1


@metric(
    Card(
        title="Adjusted mutual information",
        symbol="AMI",
        formula=r"\frac{I - E[I]}{\frac12(H(T)+H(S)) - E[I]}",
        source="vinh2010",
        range=(-1.0, 1.0),
        aliases=("AMI",),
        laws=frozenset({Law.RELABELLING, Law.EMPTY_CLASS, Law.EXCHANGE}),
        undefined="the table holds weights, not counts, or more than 10^18 samples, or truth and system both know "
        "one class only, or both keep all samples apart",
        note="E[I] is the mean over all tables with the same margins; a statistic of counts, so it has no posterior.",
        posterior="none",
    ),
    why=_why_no_ami,
)
def adjusted_mutual_information(table: Contingency, *, average_method: AverageMethod = "arithmetic") -> Real:
    """Mutual information, adjusted for chance with the same group sizes.

    0 is the mean of random groups of these sizes, 1 is a perfect match. ``average_method`` is the mean of
    the two entropies that is used as the maximum.

    >>> print(f"{adjusted_mutual_information(Contingency.from_matrix([[3, 0], [0, 3]])):.1f}")
    1.0
    """
    if not table.is_counts or table.grand_total.max() > _MOST_SAMPLES:
        return np.full(table.batch_shape, np.nan)[()]
    h = entropies(table)
    by_chance = chance_information(table)
    gap = _left_to_share(h, average_method)
    beyond = h.mutual - by_chance
    return undefined_where(_all_apart(table), at_most_one(ratio(beyond, beyond + gap)))
