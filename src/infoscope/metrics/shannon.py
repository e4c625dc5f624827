"""The entropies of a table: what truth and system say, share, and keep to themselves."""

import numpy as np

from infoscope.metrics.entropy_record import entropies
from infoscope.metrics.registry import Card, Law, metric
from infoscope.numeric import Real
from infoscope.tables import Contingency

__all__ = [
    "erroneous_information",
    "false_information",
    "joint_entropy",
    "missed_information",
    "mutual_information",
    "system_entropy",
    "truth_entropy",
]

_FREE = frozenset({Law.SCALING, Law.RELABELLING, Law.EMPTY_CLASS})


@metric(
    Card(
        title="Truth entropy",
        symbol="H(T)",
        formula=r"-\sum_i p_i \log_2 p_i",
        source="shannon1948",
        range=(0.0, np.inf),
        better="none",
        unit="bits",
        aliases=("input entropy", "H_X", "H(X)", "entropy of the actual", "H(T)"),
        laws=_FREE,
        posterior="exact",
    )
)
def truth_entropy(table: Contingency) -> Real:
    """Information in the truth: the bits needed to name a sample's true class.

    0 means that there is only one class; log2 of the number of classes means that all are equally frequent.

    >>> print(truth_entropy(Contingency.from_matrix([[5, 5], [0, 10]])))
    1.0
    """
    return entropies(table).truth


@metric(
    Card(
        title="System entropy",
        symbol="H(S)",
        formula=r"-\sum_j p_j \log_2 p_j",
        source="shannon1948",
        range=(0.0, np.inf),
        better="none",
        unit="bits",
        aliases=("output entropy", "H_Y", "H(Y)", "H(S)"),
        laws=_FREE,
        posterior="exact",
    )
)
def system_entropy(table: Contingency) -> Real:
    """Entropy of the predictions, right or wrong.

    0 means that the prediction is always the same.

    >>> print(system_entropy(Contingency.from_matrix([[7, 0], [3, 0]])))
    0.0
    """
    return entropies(table).system


@metric(
    Card(
        title="Joint entropy",
        symbol="H(T,S)",
        formula=r"-\sum_{ij} p_{ij} \log_2 p_{ij}",
        source="shannon1948",
        range=(0.0, np.inf),
        better="none",
        unit="bits",
        aliases=("H(X,Y)", "H(T,S)"),
        laws=_FREE | {Law.EXCHANGE},
        posterior="exact",
    )
)
def joint_entropy(table: Contingency) -> Real:
    """The bits needed to name both the true class and the prediction of a sample.

    >>> print(joint_entropy(Contingency.from_matrix([[1, 1], [1, 1]])))
    2.0
    """
    return entropies(table).joint


@metric(
    Card(
        title="Mutual information",
        symbol="I(T;S)",
        formula=r"\sum_{ij} p_{ij} \log_2 \frac{p_{ij}}{p_i p_j}",
        source="shannon1948",
        range=(0.0, np.inf),
        unit="bits",
        aliases=(
            "entropy decrement",
            "information transferred",
            "captured information",
            "information gain",
            "gain",
            "I(T;S)",
            "MI",
        ),
        laws=_FREE | {Law.EXCHANGE, Law.INDEPENDENCE_IS_ZERO, Law.MERGING_NEVER_GAINS},
        posterior="exact",
    )
)
def mutual_information(table: Contingency) -> Real:
    """Information about the truth that the predictions carry, in bits.

    0 means that the predictions say nothing about the truth; H(T) means that they say everything.

    >>> print(mutual_information(Contingency.from_matrix([[50, 0], [0, 50]])))
    1.0
    """
    return entropies(table).mutual


@metric(
    Card(
        title="Missed information",
        symbol="H(T|S)",
        formula=r"-\sum_{ij} p_{ij} \log_2 \frac{p_{ij}}{p_j}",
        source="holt2010",
        range=(0.0, np.inf),
        better="lower",
        unit="bits",
        aliases=("truth conditional entropy", "equivocation", "H(X|Y)", "H(T|S)"),
        laws=_FREE | {Law.PERFECT_IS_ZERO},
        posterior="exact",
    )
)
def missed_information(table: Contingency) -> Real:
    """What remains unknown about the truth when the prediction is known, in bits.

    0 means that each prediction determines the class; H(T) means that the predictions carry no information.

    >>> print(missed_information(Contingency.from_matrix([[5, 0], [5, 0]])))
    1.0
    """
    return entropies(table).missed


@metric(
    Card(
        title="False information",
        symbol="H(S|T)",
        formula=r"-\sum_{ij} p_{ij} \log_2 \frac{p_{ij}}{p_i}",
        source="holt2010",
        range=(0.0, np.inf),
        better="lower",
        unit="bits",
        aliases=("system conditional entropy", "H(Y|X)", "H(S|T)"),
        laws=_FREE | {Law.PERFECT_IS_ZERO},
        posterior="exact",
    )
)
def false_information(table: Contingency) -> Real:
    """Variation of the predictions that the truth does not explain, in bits.

    0 means that all samples of a class get the same prediction.

    >>> print(false_information(Contingency.from_matrix([[5, 5], [5, 5]])))
    1.0
    """
    return entropies(table).spurious


@metric(
    Card(
        title="Erroneous information",
        symbol="S_I",
        formula=r"H(T \mid S) + H(S \mid T)",
        source="holt2010",
        range=(0.0, np.inf),
        better="lower",
        unit="bits",
        aliases=("variation of information", "VI", "S_I"),
        laws=_FREE | {Law.EXCHANGE, Law.PERFECT_IS_ZERO},
        posterior="exact",
    )
)
def erroneous_information(table: Contingency) -> Real:
    """Missed and false information together; a distance between truth and predictions.

    0 means that predictions and truth are the same up to renaming.

    >>> print(erroneous_information(Contingency.from_matrix([[0, 5], [5, 0]])))
    0.0
    """
    h = entropies(table)
    return h.missed + h.spurious
