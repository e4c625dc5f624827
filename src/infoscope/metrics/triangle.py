"""The entropy triangle: uniform ignorance divided into imbalance, shared information and its loss."""

import numpy as np

from infoscope.core.numerics import Real, ratio
from infoscope.metrics.registry import Card, Law, metric
from infoscope.metrics.shannon import Entropies, entropies
from infoscope.tables import Contingency

__all__ = [
    "split_system_divergence",
    "split_system_remainder",
    "split_system_transfer",
    "split_truth_divergence",
    "split_truth_remainder",
    "split_truth_transfer",
    "triangle_divergence",
    "triangle_transfer",
    "triangle_variation",
]

_LAWS = frozenset({Law.SCALING, Law.RELABELLING})
_ONE_CLASS = "only one class is declared on each side, so the maximum entropy is 0"


def _uniform(h: Entropies) -> float:
    return h.truth_room + h.system_room


@metric(
    Card(
        title="Triangle: divergence from uniformity",
        symbol="ΔH'",
        formula=r"\frac{\log_2 k + \log_2 m - H(T) - H(S)}{\log_2 k + \log_2 m}",
        source="valverde2010",
        better="none",
        aliases=("ΔH'", "divergence from uniformity"),
        laws=_LAWS | {Law.EXCHANGE},
        undefined=_ONE_CLASS,
        note="Depends on the number of declared classes, also those without samples.",
    )
)
def triangle_divergence(table: Contingency) -> Real:
    """Fraction of the maximum entropy that is missing because truth and predictions are unbalanced.

    0 means that all classes are equally frequent on both sides; 1 that both sides have only one class.

    >>> print(f"{triangle_divergence(Contingency.from_matrix([[5, 5], [5, 5]])):.1f}")
    0.0
    """
    h = entropies(table)
    full = _uniform(h)
    return ratio(np.maximum(full - h.truth - h.system, 0.0), full)


@metric(
    Card(
        title="Triangle: information transfer",
        symbol="2MI'",
        formula=r"\frac{2 I(T;S)}{\log_2 k + \log_2 m}",
        source="valverde2010",
        aliases=("2MI'",),
        laws=_LAWS | {Law.EXCHANGE, Law.INDEPENDENCE_IS_ZERO},
        undefined=_ONE_CLASS,
        note="Depends on the number of declared classes, also those without samples.",
    )
)
def triangle_transfer(table: Contingency) -> Real:
    """Fraction of the maximum entropy that truth and predictions share.

    1 is a perfect system on balanced data.

    >>> print(f"{triangle_transfer(Contingency.from_matrix([[5, 0], [0, 5]])):.1f}")
    1.0
    """
    h = entropies(table)
    return ratio(2 * h.mutual, _uniform(h))


@metric(
    Card(
        title="Triangle: variation of information",
        symbol="VI'",
        formula=r"\frac{H(T \mid S) + H(S \mid T)}{\log_2 k + \log_2 m}",
        source="valverde2010",
        better="lower",
        aliases=("VI'",),
        laws=_LAWS | {Law.EXCHANGE, Law.PERFECT_IS_ZERO},
        undefined=_ONE_CLASS,
        note="Depends on the number of declared classes, also those without samples.",
    )
)
def triangle_variation(table: Contingency) -> Real:
    """Fraction of the maximum entropy that is missed or false information.

    1 is a random prediction on balanced data.

    >>> print(f"{triangle_variation(Contingency.from_matrix([[5, 5], [5, 5]])):.1f}")
    1.0
    """
    h = entropies(table)
    return ratio(h.missed + h.spurious, _uniform(h))


_ONE_TRUTH = "only one true class is declared"
_ONE_OUTPUT = "only one output class is declared"


@metric(
    Card(
        title="Split triangle, truth: divergence",
        symbol="ΔH'_T",
        formula=r"\frac{\log_2 k - H(T)}{\log_2 k}",
        source="valverde2010",
        better="none",
        aliases=("dH'_X", "ΔH'_T"),
        laws=_LAWS,
        undefined=_ONE_TRUTH,
    )
)
def split_truth_divergence(table: Contingency) -> Real:
    """How unbalanced the truth is: 0 when all classes are equally frequent.

    >>> print(f"{split_truth_divergence(Contingency.from_matrix([[5, 5], [5, 5]])):.1f}")
    0.0
    """
    h = entropies(table)
    return ratio(np.maximum(h.truth_room - h.truth, 0.0), h.truth_room)


@metric(
    Card(
        title="Split triangle, truth: transfer",
        symbol="MI'_T",
        formula=r"\frac{I(T;S)}{\log_2 k}",
        source="valverde2010",
        aliases=("MI'_X", "MI'_T"),
        laws=_LAWS | {Law.INDEPENDENCE_IS_ZERO, Law.MERGING_NEVER_GAINS},
        undefined=_ONE_TRUTH,
    )
)
def split_truth_transfer(table: Contingency) -> Real:
    """Mutual information relative to the entropy of balanced true classes.

    >>> print(f"{split_truth_transfer(Contingency.from_matrix([[5, 0], [0, 5]])):.1f}")
    1.0
    """
    h = entropies(table)
    return ratio(h.mutual, h.truth_room)


@metric(
    Card(
        title="Split triangle, truth: remainder",
        symbol="H'(T|S)",
        formula=r"\frac{H(T \mid S)}{\log_2 k}",
        source="valverde2010",
        better="lower",
        aliases=("H'_X|Y", "H'(T|S)"),
        laws=_LAWS | {Law.PERFECT_IS_ZERO},
        undefined=_ONE_TRUTH,
    )
)
def split_truth_remainder(table: Contingency) -> Real:
    """Missed information relative to the entropy of balanced true classes.

    >>> print(f"{split_truth_remainder(Contingency.from_matrix([[5, 5], [5, 5]])):.1f}")
    1.0
    """
    h = entropies(table)
    return ratio(h.missed, h.truth_room)


@metric(
    Card(
        title="Split triangle, system: divergence",
        symbol="ΔH'_S",
        formula=r"\frac{\log_2 m - H(S)}{\log_2 m}",
        source="valverde2010",
        better="none",
        aliases=("dH'_Y", "ΔH'_S"),
        laws=_LAWS,
        undefined=_ONE_OUTPUT,
    )
)
def split_system_divergence(table: Contingency) -> Real:
    """How unbalanced the predictions are: 1 if the prediction is always the same.

    >>> print(f"{split_system_divergence(Contingency.from_matrix([[5, 0], [5, 0]])):.1f}")
    1.0
    """
    h = entropies(table)
    return ratio(np.maximum(h.system_room - h.system, 0.0), h.system_room)


@metric(
    Card(
        title="Split triangle, system: transfer",
        symbol="MI'_S",
        formula=r"\frac{I(T;S)}{\log_2 m}",
        source="valverde2010",
        aliases=("MI'_Y", "MI'_S"),
        laws=_LAWS | {Law.INDEPENDENCE_IS_ZERO},
        undefined=_ONE_OUTPUT,
    )
)
def split_system_transfer(table: Contingency) -> Real:
    """Mutual information relative to the entropy of balanced predictions.

    >>> print(f"{split_system_transfer(Contingency.from_matrix([[5, 0], [0, 5]])):.1f}")
    1.0
    """
    h = entropies(table)
    return ratio(h.mutual, h.system_room)


@metric(
    Card(
        title="Split triangle, system: remainder",
        symbol="H'(S|T)",
        formula=r"\frac{H(S \mid T)}{\log_2 m}",
        source="valverde2010",
        better="lower",
        aliases=("H'_Y|X", "H'(S|T)"),
        laws=_LAWS | {Law.PERFECT_IS_ZERO},
        undefined=_ONE_OUTPUT,
    )
)
def split_system_remainder(table: Contingency) -> Real:
    """False information relative to the entropy of balanced predictions.

    >>> print(f"{split_system_remainder(Contingency.from_matrix([[5, 5], [5, 5]])):.1f}")
    1.0
    """
    h = entropies(table)
    return ratio(h.spurious, h.system_room)
