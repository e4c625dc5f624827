"""The entropy triangle of Valverde-Albacete & Peláez-Moreno, and its entropies as numbers of equally likely classes.

The triangle divides the largest possible entropy, log2 k + log2 m, into imbalance, shared information and its loss; the
split triangles do so for each side. Perplexities are 2 to the power of an entropy.
"""

import numpy as np

from infoscope.core.numerics import Real, ratio
from infoscope.metrics.registry import Card, Law, metric
from infoscope.metrics.shannon import entropies
from infoscope.tables import Contingency

# ── the triangle ─────────────────────────────────────────────────────────────────────────────────

_LAWS = frozenset({Law.SCALING, Law.RELABELLING})
_ONE_CLASS = "only one class is declared on each side, so the maximum entropy is 0"
_ONE_TRUTH = "only one true class is declared"
_ONE_OUTPUT = "only one output class is declared"
_BITS = (0.0, np.inf)


@metric(
    Card(
        title="Entropy of uniform margins",
        symbol="H_U",
        formula=r"\log_2 k + \log_2 m",
        source="valverde2010",
        range=_BITS,
        better="none",
        unit="bits",
        aliases=("H_U", "H_U_XY", "H(U_X·U_Y)"),
        laws=_LAWS | {Law.EXCHANGE},
        note="H_U = ΔH + 2I + VI, by which the triangle divides. Counts declared classes without samples, too.",
    )
)
def uniform_entropy(table: Contingency) -> Real:
    """The most that truth and predictions could have: the entropy if all classes were equally frequent.

    >>> print(f"{uniform_entropy(Contingency.from_matrix([[15, 0, 5], [0, 15, 5], [0, 0, 20]])):.3f}")
    3.170
    """
    h = entropies(table)
    return h.truth_room + h.system_room + np.zeros_like(h.truth)


@metric(
    Card(
        title="Entropy of the product of the margins",
        symbol="H(P_T·P_S)",
        formula=r"H(T) + H(S)",
        source="valverde2010",
        range=_BITS,
        better="none",
        unit="bits",
        aliases=("H(P_X·P_Y)", "H_P_X·P_Y", "H(T)+H(S)", "H(X)+H(Y)"),
        laws=_LAWS | {Law.EXCHANGE, Law.EMPTY_CLASS},
        note="The joint entropy if truth and predictions were independent: H(T,S) + I.",
    )
)
def product_entropy(table: Contingency) -> Real:
    """The bits needed to name the true class and the prediction of a sample, each by itself.

    >>> print(f"{product_entropy(Contingency.from_matrix([[15, 0, 5], [0, 15, 5], [0, 0, 20]])):.3f}")
    3.085
    """
    h = entropies(table)
    return h.truth + h.system


@metric(
    Card(
        title="Divergence from uniform margins",
        symbol="ΔH",
        formula=r"\log_2 k + \log_2 m - H(T) - H(S)",
        source="valverde2010",
        range=_BITS,
        better="none",
        unit="bits",
        aliases=("ΔH", "ΔH_P_X·P_Y", "ΔH(P_X·P_Y)"),
        laws=_LAWS | {Law.EXCHANGE},
        note="Depends on the number of declared classes, also those without samples.",
    )
)
def uniform_divergence(table: Contingency) -> Real:
    """What the margins lack to uniform ones: 0 when all classes are equally frequent on both sides.

    >>> print(f"{uniform_divergence(Contingency.from_matrix([[15, 0, 5], [0, 15, 5], [0, 0, 20]])):.3f}")
    0.085
    """
    h = entropies(table)
    return np.maximum(h.truth_room + h.system_room - h.truth - h.system, 0.0)


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
    return ratio(uniform_divergence(table), h.truth_room + h.system_room)


@metric(
    Card(
        title="Triangle: information transfer",
        symbol="2MI'",
        formula=r"\frac{2 I(T;S)}{\log_2 k + \log_2 m}",
        source="valverde2010",
        aliases=("2MI'", "2·MI'"),
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
    return ratio(2 * h.mutual, h.truth_room + h.system_room)


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
    return ratio(h.missed + h.spurious, h.truth_room + h.system_room)


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
    """Imbalance of the truth: 0 when all classes are equally frequent.

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
    """Imbalance of the predictions: 1 if the prediction is always the same.

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


# ── perplexities ─────────────────────────────────────────────────────────────────────────────────

_FREE = frozenset({Law.SCALING, Law.RELABELLING, Law.EMPTY_CLASS})
_COUNTED = frozenset({Law.SCALING, Law.RELABELLING})
_AT_LEAST_ONE = (1.0, np.inf)


@metric(
    Card(
        title="Effective classes",
        family="perplexity",
        symbol="k_T",
        formula=r"2^{H(T)}",
        source="valverde2014",
        range=_AT_LEAST_ONE,
        better="none",
        unit="classes",
        aliases=("k_X", "input perplexity", "effective perplexity", "perplexity"),
        laws=_FREE,
    )
)
def effective_classes(table: Contingency) -> Real:
    """Effective number of true classes: as many equally frequent classes would have the same entropy.

    1 means that nearly all samples are of one class, however many classes are declared.

    >>> print(f"{effective_classes(Contingency.from_matrix([[5, 5], [5, 5]])):.1f}")
    2.0
    """
    return np.exp2(entropies(table).truth)


@metric(
    Card(
        title="Remnant classes",
        family="perplexity",
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
    return np.exp2(entropies(table).missed)


@metric(
    Card(
        title="Information transfer factor",
        family="perplexity",
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
    return np.exp2(entropies(table).mutual)


@metric(
    Card(
        title="System classes",
        family="perplexity",
        symbol="k_S",
        formula=r"2^{H(S)}",
        source="valverde2014",
        range=_AT_LEAST_ONE,
        better="none",
        unit="classes",
        aliases=("k_Y", "m_Y", "m_S", "output perplexity"),
        laws=_FREE,
    )
)
def system_classes(table: Contingency) -> Real:
    """Effective number of predicted classes: as many equally frequent ones would have the same entropy.

    >>> print(f"{system_classes(Contingency.from_matrix([[5, 0], [5, 0]])):.1f}")
    1.0
    """
    return np.exp2(entropies(table).system)


@metric(
    Card(
        title="System remnant classes",
        family="perplexity",
        symbol="k_S|T",
        formula=r"2^{H(S \mid T)}",
        source="valverde2014",
        range=_AT_LEAST_ONE,
        better="lower",
        unit="classes",
        aliases=("k_Y|X", "m_Y|X", "m_S|T"),
        laws=_FREE | {Law.PERFECT_IS_ONE},
    )
)
def system_remnant_classes(table: Contingency) -> Real:
    """Number of equally likely predictions for a known true class.

    >>> print(f"{system_remnant_classes(Contingency.from_matrix([[5, 5], [5, 5]])):.1f}")
    2.0
    """
    return np.exp2(entropies(table).spurious)


@metric(
    Card(
        title="Entropy-modified accuracy",
        family="perplexity",
        symbol="a'",
        formula=r"2^{-H(T \mid S)}",
        source="valverde2014",
        aliases=("EMA", "modified accuracy", "a'(P_XY)", "a′"),
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
    return np.exp2(-entropies(table).missed)


@metric(
    Card(
        title="Normalised information transfer factor",
        family="perplexity",
        symbol="q",
        formula=r"\frac{2^{I(T;S)}}{k}",
        source="valverde2014",
        aliases=("NIT", "NIT factor", "q_T", "q(P_XY)"),
        laws=_COUNTED | {Law.MERGING_NEVER_GAINS},
        note="Depends on the number of declared true classes, also those without samples.",
    )
)
def normalized_transfer_factor(table: Contingency) -> Real:
    """Factor by which the predictions narrow down the classes, relative to a perfect system on balanced data.

    1/k means not at all, 1 means perfectly.

    >>> print(f"{normalized_transfer_factor(Contingency.from_matrix([[5, 0], [0, 5]])):.1f}")
    1.0
    """
    return np.exp2(entropies(table).mutual) / table.shape[0]


@metric(
    Card(
        title="Truth divergence factor",
        family="perplexity",
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
    return np.exp2(np.maximum(h.truth_room - h.truth, 0.0))


@metric(
    Card(
        title="System divergence factor",
        family="perplexity",
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
    return np.exp2(np.maximum(h.system_room - h.system, 0.0))
