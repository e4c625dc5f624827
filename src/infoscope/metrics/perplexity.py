"""Perplexities: entropies as numbers of equally likely classes."""

import numpy as np

from infoscope.core.numerics import Real, exp2
from infoscope.metrics.registry import Card, Law, metric
from infoscope.metrics.shannon import entropies
from infoscope.tables import Contingency

__all__ = [
    "effective_classes",
    "entropy_modified_accuracy",
    "normalized_transfer_factor",
    "remnant_classes",
    "system_classes",
    "system_divergence_factor",
    "system_remnant_classes",
    "transfer_factor",
    "truth_divergence_factor",
]

_FREE = frozenset({Law.SCALING, Law.RELABELLING, Law.EMPTY_CLASS})
_COUNTED = frozenset({Law.SCALING, Law.RELABELLING})
_AT_LEAST_ONE = (1.0, np.inf)


@metric(
    Card(
        title="Effective classes",
        symbol="k_T",
        formula=r"2^{H(T)}",
        source="valverde2014",
        range=_AT_LEAST_ONE,
        better="none",
        unit="classes",
        aliases=("k_X", "input perplexity", "perplexity"),
        laws=_FREE,
    )
)
def effective_classes(table: Contingency) -> Real:
    """Effective number of true classes: as many equally frequent classes would have the same entropy.

    1 means that nearly all samples are of one class, however many classes are declared.

    >>> print(f"{effective_classes(Contingency.from_matrix([[5, 5], [5, 5]])):.1f}")
    2.0
    """
    return exp2(entropies(table).truth)


@metric(
    Card(
        title="Remnant classes",
        symbol="k_T|S",
        formula=r"2^{H(T \mid S)}",
        source="valverde2014",
        range=_AT_LEAST_ONE,
        better="lower",
        unit="classes",
        aliases=("k_X|Y", "remnant perplexity", "classes in doubt"),
        laws=_FREE | {Law.PERFECT_IS_ONE},
    )
)
def remnant_classes(table: Contingency) -> Real:
    """Number of equally likely classes that remain when the prediction is known.

    1 means that the prediction determines the class.

    >>> print(f"{remnant_classes(Contingency.from_matrix([[5, 0], [0, 5]])):.1f}")
    1.0
    """
    return exp2(entropies(table).missed)


@metric(
    Card(
        title="Information transfer factor",
        symbol="μ",
        formula=r"2^{I(T;S)}",
        source="valverde2014",
        range=_AT_LEAST_ONE,
        unit="classes",
        aliases=("mu", "μ_XY"),
        laws=_FREE | {Law.EXCHANGE, Law.MERGING_NEVER_GAINS},
    )
)
def transfer_factor(table: Contingency) -> Real:
    """Factor by which the predictions reduce the number of possible classes.

    1 means that they do not reduce it.

    >>> print(f"{transfer_factor(Contingency.from_matrix([[5, 0], [0, 5]])):.1f}")
    2.0
    """
    return exp2(entropies(table).mutual)


@metric(
    Card(
        title="System classes",
        symbol="k_S",
        formula=r"2^{H(S)}",
        source="valverde2014",
        range=_AT_LEAST_ONE,
        better="none",
        unit="classes",
        aliases=("k_Y", "m_Y", "output perplexity"),
        laws=_FREE,
    )
)
def system_classes(table: Contingency) -> Real:
    """Effective number of predicted classes: as many equally frequent ones would have the same entropy.

    >>> print(f"{system_classes(Contingency.from_matrix([[5, 0], [5, 0]])):.1f}")
    1.0
    """
    return exp2(entropies(table).system)


@metric(
    Card(
        title="System remnant classes",
        symbol="k_S|T",
        formula=r"2^{H(S \mid T)}",
        source="valverde2014",
        range=_AT_LEAST_ONE,
        better="lower",
        unit="classes",
        aliases=("k_Y|X", "m_Y|X"),
        laws=_FREE | {Law.PERFECT_IS_ONE},
    )
)
def system_remnant_classes(table: Contingency) -> Real:
    """Number of equally likely predictions for a known true class.

    >>> print(f"{system_remnant_classes(Contingency.from_matrix([[5, 5], [5, 5]])):.1f}")
    2.0
    """
    return exp2(entropies(table).spurious)


@metric(
    Card(
        title="Entropy-modified accuracy",
        symbol="a'",
        formula=r"2^{-H(T \mid S)}",
        source="valverde2014",
        aliases=("EMA", "modified accuracy"),
        laws=_FREE | {Law.PERFECT_IS_ONE},
        note="Not a lower bound of accuracy: it ignores what the labels are called.",
    )
)
def entropy_modified_accuracy(table: Contingency) -> Real:
    """Expected accuracy of guessing among the equally likely classes that remain.

    1 means that the class is always determined; a constant prediction leaves all true classes possible.

    >>> table = Contingency.from_matrix([[1, 0, 4], [0, 1, 4], [1, 1, 48]])
    >>> print(f"{entropy_modified_accuracy(table):.3f}")
    0.594
    """
    return exp2(-entropies(table).missed)


@metric(
    Card(
        title="Normalised information transfer factor",
        symbol="q",
        formula=r"\frac{2^{I(T;S)}}{k}",
        source="valverde2014",
        aliases=("NIT", "NIT factor", "q_T"),
        laws=_COUNTED | {Law.MERGING_NEVER_GAINS},
        note="Depends on the number of declared true classes, also those without samples.",
    )
)
def normalized_transfer_factor(table: Contingency) -> Real:
    """How far the predictions narrow down the classes, relative to a perfect system on balanced data.

    1/k means not at all, 1 means perfectly.

    >>> print(f"{normalized_transfer_factor(Contingency.from_matrix([[5, 0], [0, 5]])):.1f}")
    1.0
    """
    return exp2(entropies(table).mutual) / table.shape[0]


@metric(
    Card(
        title="Truth divergence factor",
        symbol="δ_T",
        formula=r"\frac{k}{2^{H(T)}}",
        source="valverde2014",
        range=_AT_LEAST_ONE,
        better="none",
        aliases=("δ_X",),
        laws=_COUNTED,
        note="k = δ_T · μ · 2^H(T|S).",
    )
)
def truth_divergence_factor(table: Contingency) -> Real:
    """Factor by which imbalance reduces the effective number of true classes: 1 if balanced.

    >>> print(f"{truth_divergence_factor(Contingency.from_matrix([[5, 5], [5, 5]])):.1f}")
    1.0
    """
    h = entropies(table)
    return exp2(np.maximum(h.truth_room - h.truth, 0.0))


@metric(
    Card(
        title="System divergence factor",
        symbol="δ_S",
        formula=r"\frac{m}{2^{H(S)}}",
        source="valverde2014",
        range=_AT_LEAST_ONE,
        better="none",
        aliases=("δ_Y",),
        laws=_COUNTED,
        note="m = δ_S · μ · 2^H(S|T).",
    )
)
def system_divergence_factor(table: Contingency) -> Real:
    """Factor by which imbalance reduces the effective number of predicted classes: 1 if balanced.

    >>> print(f"{system_divergence_factor(Contingency.from_matrix([[5, 0], [5, 0]])):.1f}")
    2.0
    """
    h = entropies(table)
    return exp2(np.maximum(h.system_room - h.system, 0.0))
