"""The entropies of a table: what truth and system say, share, and keep to themselves."""

from dataclasses import dataclass
from math import log2

import numpy as np

from infoscope.metrics.registry import Card, Law, metric
from infoscope.numeric import Real, chosen, divergence, entropy, small_choice
from infoscope.tables import Contingency, remembered

__all__ = [
    "Entropies",
    "empty_expected_share",
    "entropies",
    "erroneous_information",
    "false_information",
    "joint_entropy",
    "missed_information",
    "mutual_information",
    "system_entropy",
    "truth_entropy",
]


@dataclass(frozen=True)
class Entropies:
    """All entropies of a table in bits, one number per table of a batch.

    ``mutual``, ``missed`` and ``spurious`` are each a sum of terms that cannot be negative; ratios are
    built on those three, so that 0 and 1 come out exactly where they are exact.
    """

    truth: Real
    system: Real
    joint: Real
    mutual: Real
    missed: Real
    spurious: Real
    k: int
    m: int

    @property
    def truth_room(self) -> float:
        """The most that the truth could say with its classes: log2 k."""
        return log2(self.k)

    @property
    def system_room(self) -> float:
        """The most that the system could say with its classes: log2 m."""
        return log2(self.m)


@remembered
def entropies(table: Contingency) -> Entropies:
    """Computed once per table, however many metrics ask."""
    total = table.grand_total
    truth, system = entropy(table.row_totals, total), entropy(table.column_totals, total)
    joint = entropy(table.cells, total)
    missed, spurious = np.maximum(joint - system, 0.0), np.maximum(joint - truth, 0.0)
    if _few(missed) or _few(spurious):
        missed, spurious = _few_open(table)
    if _few(truth) or _few(system):
        truth, system = (
            small_choice(parts, total[..., None], lambda parts: parts.sum(axis=-1, keepdims=True), total)
            for parts in (table.row_totals, table.column_totals)
        )
    truth, system = np.minimum(truth, log2(table.shape[0])), np.minimum(system, log2(table.shape[1]))
    missed, spurious = np.minimum(missed, truth), np.minimum(spurious, system)
    mutual = _mutual(table, chosen(truth <= system, truth - missed, system - spurious), np.minimum(truth, system))
    # with nothing missed, or nothing false, the information is one side's entropy to the last digit
    mutual = chosen(missed == 0, truth, chosen(spurious == 0, system, mutual))
    return Entropies(
        truth=truth,
        system=system,
        joint=mutual + missed + spurious,
        mutual=mutual,
        missed=missed,
        spurious=spurious,
        k=table.shape[0],
        m=table.shape[1],
    )


def _few_open(table: Contingency) -> tuple[Real, Real]:
    """Missed and false information where they are few: H(T|S) and H(S|T)."""
    total = table.grand_total
    return (
        small_choice(
            table.cells,
            table.at_columns(table.column_totals),
            lambda cells: table.at_columns(table.per_column(cells)),
            total,
        ),
        small_choice(
            table.cells, table.at_rows(table.row_totals), lambda cells: table.at_rows(table.per_row(cells)), total
        ),
    )


def _mutual(table: Contingency, direct: Real, least: Real) -> Real:
    """The smaller entropy less what is not shared of it, or the divergence from independence where that is inexact."""
    direct = np.minimum(direct, least)
    near = direct <= _NEAR_INDEPENDENCE * least
    if not near.any():
        return direct
    if not table.batch_shape:
        return np.minimum(_divergence(table), least)
    direct = np.array(direct)
    direct[near] = np.minimum(_divergence(table.with_cells(table.cells[near])), least[near])
    return direct


_NEAR_INDEPENDENCE = 2.0**-6
_FEW_BITS = 1e-4
"""Below this, differences of logarithms leave fewer than ten digits, or nothing at all."""


def _few(bits: Real) -> bool:
    if bits.ndim == 0:
        return float(bits) < _FEW_BITS
    return bool(np.any(bits < _FEW_BITS))


def _divergence(table: Contingency) -> Real:
    """Distance of a table from independence, summed without cancellation."""
    total = table.grand_total[..., None]
    rows = table.at_rows(table.row_totals)
    base = table.at_columns(table.column_totals) / total
    given = np.divide(table.cells, rows, out=np.zeros_like(table.cells), where=rows > 0)
    expected = base * (rows / total)
    return divergence(given, base, expected, empty_expected_share(table, expected))


def empty_expected_share(table: Contingency, expected: Real) -> Real:
    """Expected share of the cells that a sparse table does not store; exactly 0 when none is missing."""
    if table.support is None:
        return np.zeros(table.batch_shape)[()]
    stored = table.cells.shape[-1]
    occupied_rows, occupied_columns = table.occupied_shape
    return np.where(occupied_rows * occupied_columns == stored, 0.0, np.maximum(1.0 - expected.sum(axis=-1), 0.0))[()]


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
    """How much there is to know: the bits needed to name a sample's true class.

    0 means that there is one class only; log2 of the number of classes means that all are equally frequent.

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
    """How much the system says, true or not.

    0 means that it always gives the same answer.

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
    """The bits needed to name both the true class and the answer of a sample.

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
    """How many bits of the truth the output carries.

    0 means that the output says nothing about the truth; as much as H(T) means that it says everything.

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
    """How much of the truth stays open once the system has spoken.

    0 means that each answer settles the class; H(T) means that the answers tell nothing.

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
    """How much the system says that the truth does not explain.

    0 means that it treats every sample of a class alike.

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
    """What is missed and what is falsely said, together; a distance between truth and output.

    0 means that output and truth tell the same story, if in other words.

    >>> print(erroneous_information(Contingency.from_matrix([[0, 5], [5, 0]])))
    0.0
    """
    h = entropies(table)
    return h.missed + h.spurious
