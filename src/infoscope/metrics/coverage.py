"""Information coverage: which share of the information in the truth is captured, and how much is false."""

import numpy as np

from infoscope.core.numerics import Real, finite_ratio, ratio, share
from infoscope.errors import InputError
from infoscope.metrics.agreement import hits, misses
from infoscope.metrics.registry import Card, Law, metric
from infoscope.metrics.shannon import entropies
from infoscope.tables import Contingency

__all__ = [
    "erroneous_information_ratio",
    "error_information_ratio",
    "false_information_ratio",
    "information_precision",
    "missed_information_ratio",
    "proficiency",
]

_FREE = frozenset({Law.SCALING, Law.RELABELLING, Law.EMPTY_CLASS})
_NO_TRUTH = "the truth has one class only, so there is no information to capture"
_TOO_LITTLE = f"{_NO_TRUTH} (or other classes below 1e-300 of it, too small to divide by)"


@metric(
    Card(
        title="Proficiency",
        symbol="I/H(T)",
        formula=r"\frac{I(T;S)}{H(T)}",
        source="steingold2016",
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
        note="1 for any one-to-one renaming of the classes, too: see the relabelling advice of the diagnosis.",
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
        symbol="H(T|S)/H(T)",
        formula=r"\frac{H(T \mid S)}{H(T)} = 1 - f",
        source="hu2008",
        better="lower",
        aliases=("NH", "missed"),
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
        symbol="ξ",
        formula=r"\frac{(1 - \mathrm{accuracy})^{\alpha}}{I(T;S)},\ I \text{ in nats}",
        source="holt2010",
        range=(0.0, np.inf),
        better="lower",
        aliases=("xi", "normalized error to information ratio"),
        laws=frozenset({Law.SCALING, Law.JOINT_RELABELLING, Law.EMPTY_CLASS, Law.PERFECT_IS_ZERO}),
        undefined="the output carries no information about the truth (or too little to divide by), "
        "or has no label in common with it",
        note="Listed with α = 1, as Holt et al. use it; a greater exponent makes few errors count less.",
    )
)
def error_information_ratio(table: Contingency, alpha: float = 1.0) -> Real:
    """Error rate per nat of captured information; ``alpha`` is the exponent of the error rate.

    0 means no errors; it grows without limit as the predictions lose their information.

    >>> print(f"{error_information_ratio(Contingency.from_matrix([[9, 1], [1, 9]])):.3f}")
    0.272
    >>> print(f"{error_information_ratio(Contingency.from_matrix([[9, 1], [1, 9]]), alpha=2.0):.4f}")
    0.0272
    """
    if not 0 < alpha < np.inf:
        raise InputError(f"alpha is {alpha}; it is an exponent, a number above 0")
    made, judged = misses(table), hits(table) + misses(table)
    plain = entropies(table).shares.per_shared_nat(made, judged)
    if alpha == 1.0:
        return plain
    wrong = np.asarray(ratio(made, judged))
    power = np.where(wrong > 0, wrong, 1.0) ** (alpha - 1.0)  # without errors the plain ratio is 0 already
    return (plain * power)[()]
