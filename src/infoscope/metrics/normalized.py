"""Ratios of information: what share of the truth's information is captured, missed or false, and NMI in all its forms.

All of them divide entropies of ``shannon.entropies``: coverage by the truth's entropy, the normalised mutual
informations by a mean of both sides', and the adjusted one after what chance alone would show (``chance.py``).
"""

from typing import Literal

import numpy as np

from infoscope.core.numerics import Real, clip_to_one, finite_ratio, mark_undefined, ratio, share
from infoscope.core.validation import Number
from infoscope.errors import InputError
from infoscope.metrics.agreement import hits, misses
from infoscope.metrics.chance import chance_information
from infoscope.metrics.registry import Card, Law, TableMetric, make_callable, metric
from infoscope.metrics.shannon import entropies
from infoscope.tables import Contingency

# ── coverage of the truth's information ──────────────────────────────────────────────────────────

_FREE = frozenset({Law.SCALING, Law.RELABELLING, Law.EMPTY_CLASS})
_NO_TRUTH = "the truth has one class only, so there is no information to capture"
_TOO_LITTLE = f"{_NO_TRUTH} (or other classes below 1e-300 of it, too small to divide by)"


@metric(
    Card(
        title="Proficiency",
        family="coverage",
        symbol="I/H(T)",
        formula=r"\frac{I(T;S)}{H(T)}",
        source="white2004",
        aliases=(
            "truth information completeness",
            "completeness",
            "f(T;S)",
            "NI",
            "NI(T,Y)",
            "NI_e",
            "ADC",
            "asymmetric dependency coefficient",
            "dependency",
            "IGR",
            "information gain ratio",
            "uncertainty coefficient",
            "Theil's U",
            "homogeneity",
            "captured",
            "RCI",
        ),
        laws=_FREE | {Law.PERFECT_IS_ONE, Law.INDEPENDENCE_IS_ZERO, Law.MERGING_NEVER_GAINS},
        undefined=_NO_TRUTH,
        note="1 for any one-to-one renaming of the classes, too: see the relabelling advice of the diagnosis. Also "
        "Theil's uncertainty coefficient, NI of Hu & Wang (2008), truth information completeness f of Holt et al. "
        "(2010) and α of Steingold & Laclavik (2016).",
    )
)
def proficiency(table: Contingency) -> Real:
    """Fraction of the truth's information that the predictions carry.

    0 means that the predictions say nothing about the truth, whatever their accuracy; 1 means that they say everything.

    >>> table = Contingency.from_matrix([[2, 3], [0, 45]])
    >>> print(f"{proficiency(table):.4f}")
    0.3096
    """
    h = entropies(table).shares
    return share(h.mutual, h.missed)


@metric(
    Card(
        title="False information ratio",
        family="coverage",
        symbol="r",
        formula=r"\frac{H(S \mid T)}{H(T)}",
        source="holt2010",
        range=(0.0, np.inf),
        better="lower",
        aliases=("r(S|T)", "false"),
        laws=_FREE | {Law.PERFECT_IS_ZERO},
        undefined=_TOO_LITTLE,
    )
)
def false_information_ratio(table: Contingency) -> Real:
    """False information relative to the truth's information.

    0 means that no information is false; it can exceed 1.

    >>> print(f"{false_information_ratio(Contingency.from_matrix([[5, 5], [5, 5]])):.1f}")
    1.0
    """
    h = entropies(table).shares
    return finite_ratio(h.spurious, h.mutual + h.missed)


@metric(
    Card(
        title="Erroneous information ratio",
        family="coverage",
        symbol="S_I/H(T)",
        formula=r"\frac{H(T \mid S) + H(S \mid T)}{H(T)} = 1 - f + r",
        source="holt2010",
        range=(0.0, np.inf),
        better="lower",
        aliases=("normalized score", "erroneous", "Manhattan distance to (0,1) in the coverage plot"),
        laws=_FREE | {Law.PERFECT_IS_ZERO},
        undefined=_TOO_LITTLE,
    )
)
def erroneous_information_ratio(table: Contingency) -> Real:
    """Missed and false information relative to the truth's: the distance to a perfect system in the coverage plot.

    0 is perfect; a constant prediction scores 1.

    >>> print(f"{erroneous_information_ratio(Contingency.from_matrix([[5, 0], [5, 0]])):.1f}")
    1.0
    """
    h = entropies(table).shares
    return finite_ratio(h.missed + h.spurious, h.mutual + h.missed)


@metric(
    Card(
        title="Missed information ratio",
        family="coverage",
        symbol="H(T|S)/H(T)",
        formula=r"\frac{H(T \mid S)}{H(T)} = 1 - f",
        source="hu2008",
        better="lower",
        aliases=("NH", "normalized conditional entropy", "missed"),
        laws=_FREE | {Law.PERFECT_IS_ZERO},
        undefined=_NO_TRUTH,
    )
)
def missed_information_ratio(table: Contingency) -> Real:
    """Fraction of the truth's information that the predictions miss.

    >>> print(f"{missed_information_ratio(Contingency.from_matrix([[5, 0], [5, 0]])):.1f}")
    1.0
    """
    h = entropies(table).shares
    return share(h.missed, h.mutual)


@metric(
    Card(
        title="Information precision",
        family="coverage",
        symbol="I/H(S)",
        formula=r"\frac{I(T;S)}{H(S)}",
        source="hu2008",
        aliases=("NI(Y,T)", "completeness", "completeness of V-measure"),
        laws=_FREE | {Law.PERFECT_IS_ONE, Law.INDEPENDENCE_IS_ZERO},
        undefined="the system always predicts the same class, so it carries no information",
    )
)
def information_precision(table: Contingency) -> Real:
    """Fraction of the information in the predictions that is about the truth.

    1 means that the true class determines the prediction; 0 that the two are independent.

    >>> print(f"{information_precision(Contingency.from_matrix([[5, 0], [0, 5]])):.1f}")
    1.0
    """
    h = entropies(table).shares
    return share(h.mutual, h.spurious)


@metric(
    Card(
        title="Normalised error to information ratio",
        family="coverage",
        symbol="ξ",
        formula=r"\alpha \cdot \frac{1 - \mathrm{accuracy}}{I(T;S)},\ I \text{ in nats}",
        source="holt2010",
        range=(0.0, np.inf),
        better="lower",
        aliases=("xi", "normalized error to information ratio"),
        laws=frozenset({Law.SCALING, Law.JOINT_RELABELLING, Law.EMPTY_CLASS, Law.PERFECT_IS_ZERO}),
        undefined="the output carries no information about the truth (or too little to divide by), "
        "or has no label in common with it",
        note="Of Chen et al. (2009). α is a factor in front, as in Holt et al.'s equation 16; they, too, set it to 1.",
    )
)
def error_information_ratio(table: Contingency, alpha: float = 1.0) -> Real:
    """Error rate per nat of captured information, times ``alpha``.

    0 means no errors; it grows without limit as the predictions lose their information.

    >>> print(f"{error_information_ratio(Contingency.from_matrix([[9, 1], [1, 9]])):.3f}")
    0.272
    >>> print(f"{error_information_ratio(Contingency.from_matrix([[9, 1], [1, 9]]), alpha=2.0):.3f}")
    0.543
    """
    if not Number(low=0).accepts(alpha):
        raise InputError(f"alpha is {alpha!r}; it is a factor, a number above 0")
    made = misses(table)
    return finite_ratio(entropies(table).shares.per_shared_nat(made, hits(table) + made), np.float64(1 / alpha))


# ── mutual information on a scale from 0 to 1 ────────────────────────────────────────────────────

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


normalized_mutual_information = make_callable(
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


# ── corrected for chance ─────────────────────────────────────────────────────────────────────────

_MOST_SAMPLES = 1e18


def _why_no_ami(table: Contingency) -> str:
    if not table.is_counts:
        return "chance is defined for counts of samples, not for weights"
    if table.grand_total.max() > _MOST_SAMPLES:
        return "more than 10^18 samples are not counted one by one"
    return f"{_BOTH_SILENT}, or all samples apart, so that chance does as well"


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
    beyond = h.mutual - chance_information(table)
    # the mean of both entropies less what is shared, from parts that lose nothing in a difference
    if average_method == "arithmetic":
        gap = (h.missed + h.spurious) / 2
    elif average_method == "geometric":
        gap = np.sqrt(h.truth * h.system) - h.mutual
    elif average_method in ("min", "max"):
        gap = (np.minimum if average_method == "min" else np.maximum)(h.missed, h.spurious)
    else:
        raise InputError(f"average_method is {average_method!r}; it is min, geometric, arithmetic or max")
    all_apart = np.maximum(table.row_totals.max(axis=-1), table.column_totals.max(axis=-1)) <= 1
    return mark_undefined(all_apart, clip_to_one(ratio(beyond, beyond + gap)))
