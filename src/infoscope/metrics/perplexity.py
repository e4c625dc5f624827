"""Perplexities: entropies as numbers of equally likely classes."""

import numpy as np

from infoscope.metrics.registry import Card, Law, metric
from infoscope.metrics.shannon import entropies
from infoscope.numeric import Real, exp2
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
    """How many equally frequent classes would be as hard to guess as this truth.

    1 means that there is hardly anything to decide, however many classes are declared.

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
    """Among how many equally likely classes one still has to guess after hearing the system.

    1 means that the prediction settles it.

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
    """By what factor the system cuts down the number of classes in question.

    1 means that it does not help.

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
    """How many equally frequent predictions would be as varied as this system's.

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
    """Among how many equally likely predictions the system still wavers for a known class.

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
    """Accuracy to expect when guessing among the classes the system left open.

    1 means that nothing is left to guess. A system that says nothing leaves as much open as there was before.

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
        note="Depends on the number of declared truth classes, also those without samples.",
    )
)
def normalized_transfer_factor(table: Contingency) -> Real:
    """How much the system narrows down the classes, compared with a perfect one on balanced data.

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
    """By what factor imbalance makes the classes fewer than they are: 1 when balanced.

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
    """By what factor one-sidedness makes the predictions fewer than they are: 1 when all are used alike.

    >>> print(f"{system_divergence_factor(Contingency.from_matrix([[5, 0], [5, 0]])):.1f}")
    2.0
    """
    h = entropies(table)
    return exp2(np.maximum(h.system_room - h.system, 0.0))
