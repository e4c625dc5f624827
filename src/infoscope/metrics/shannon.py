"""The entropies of a table: what truth and system say, share, and keep to themselves, in bits.

``entropies(table)`` computes them once per table, and the metrics of information read them from there. Ratios are built
on three parts that are sums of non-negative terms, so 0 and 1 come out exactly; where entropies are small they are
summed from what single classes and cells leave open.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import log2
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from infoscope.core.numerics import (
    Real,
    choose_values,
    entropy,
    finite_ratio,
    holds_everywhere,
    holds_somewhere,
    open_nats,
    ratio,
    scaled_ratio,
    share_terms,
    sum_others,
    sum_rows,
)
from infoscope.metrics.independence import divergence_from_independence, select_tables
from infoscope.metrics.registry import Card, Law, metric
from infoscope.tables import Contingency, remembered

_NEAR_INDEPENDENCE = 2.0**-6
_FEW_BITS = 1e-4
"""Below this, differences of logarithms leave fewer than ten digits, or nothing at all."""
_TINY_BITS = 1e-100
_MOST_SHIFT = 1000
"""No number in the shifted unit exceeds 2 to the power of this, plus one for rounding."""
_IN_BITS = ("truth", "system", "joint", "mutual", "missed", "spurious")


class Shares(NamedTuple):
    """Shared, missed and false information in one unit, for ratios: bits, where those are not too small for numbers."""

    mutual: Real
    missed: Real
    spurious: Real
    shift: NDArray[np.int64] | None = None
    """The unit is 2^−shift bits."""

    def times_mutual(self, factor: Real) -> Real:
        """Factor × shared bits, without a step through numbers that are too small."""
        value = factor * self.mutual
        return value if self.shift is None else np.ldexp(value, -self.shift)

    def per_shared_nat(self, part: Real, whole: Real) -> Real:
        """Part of a whole per shared nat; undefined where there is none, or too little to divide by."""
        share = ratio(part, whole) if self.shift is None else scaled_ratio(part, whole, self.shift)
        return finite_ratio(share, self.mutual * np.log(2.0))


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
    shares: Shares
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
    """Compute all entropies, once per table, however many metrics need them."""
    total = table.grand_total
    truth, system = entropy(table.row_totals, total), entropy(table.column_totals, total)
    joint = np.maximum(-sum_rows(cell_terms(table)), 0.0) if table.batch_shape else entropy(table.cells, total)
    missed, spurious = np.maximum(joint - system, 0.0), np.maximum(joint - truth, 0.0)
    bits = (truth, system, missed, spurious)
    few = np.minimum(np.minimum(truth, system), np.minimum(missed, spurious)) < _FEW_BITS
    if not table.batch_shape or holds_everywhere(few) or not holds_somewhere(few):
        return _few_bits(table) if holds_somewhere(few) else _with_mutual(table, bits)
    plain = _with_mutual(select_tables(table, ~few), [part[~few] for part in bits])
    return _merge(few, _few_bits(select_tables(table, few)), plain)


@remembered
def cell_terms(table: Contingency) -> Real:
    """P · log2 p of every cell, p its share of all samples."""
    return share_terms(table.cells, table.grand_total)


def _with_mutual(table: Contingency, bits: Sequence[Real], shift: NDArray[np.int64] | None = None) -> Entropies:
    """Keep the four entropies, all times 2^shift, to their limits, and add the shared information that follows."""
    (k, m), unit = table.shape, 1.0 if shift is None else np.exp2(np.minimum(shift, _MOST_SHIFT + 2))
    truth, system, missed, spurious = bits
    truth, system = np.minimum(truth, log2(k) * unit), np.minimum(system, log2(m) * unit)
    missed, spurious = np.minimum(missed, truth), np.minimum(spurious, system)
    # shared is the smaller entropy less what is not shared of it, or the divergence from independence where that
    # difference loses digits
    least = np.minimum(truth, system)
    mutual = np.minimum(choose_values(truth <= system, truth - missed, system - spurious), least)
    near = (mutual <= _NEAR_INDEPENDENCE * least) & (least > 0)
    if holds_somewhere(near) and not table.batch_shape:
        mutual = np.minimum(divergence_from_independence(table, shift=shift), least)
    elif holds_somewhere(near):
        mutual, shifts = np.array(mutual), None if shift is None else shift[near]
        mutual[near] = np.minimum(divergence_from_independence(select_tables(table, near), shift=shifts), least[near])
    # with nothing missed, or nothing false, the information is one side's entropy to the last digit
    mutual = choose_values(missed == 0, truth, choose_values(spurious == 0, system, mutual))
    joint = mutual + missed + spurious
    return Entropies(truth, system, joint, mutual, missed, spurious, Shares(mutual, missed, spurious, shift), k, m)


def _few_bits(table: Contingency) -> Entropies:
    """Compute the entropies where some are small: each is summed from what is open about single parts."""
    total = table.grand_total
    masses = [
        sum_rows(nats) / np.log(2.0)
        for nats in (
            *(open_nats(side, total[..., None], sum_others(side)) for side in (table.row_totals, table.column_totals)),
            compute_open_nats(table, "truth"),
            compute_open_nats(table, "system"),
        )
    ]
    bits = [mass / total for mass in masses]
    least, most = np.minimum(*masses[:2]), np.maximum(*masses[:2])
    least = np.where(least > 0, least, most)
    is_tiny = (least < _TINY_BITS * total) & (least > 0)
    if not np.any(is_tiny):
        return _with_mutual(table, bits)
    # ratios of numbers too small for floats: all of them times the same power of two
    down, up, far_up = (np.frexp(np.where(is_tiny, mass, 1.0))[1] for mass in (total, least, most))
    shift = np.minimum(down - up, _MOST_SHIFT + down - far_up)
    scaled = _with_mutual(table, [scaled_ratio(mass, total, shift) for mass in masses], shift)
    return replace(scaled, **{name: np.ldexp(getattr(scaled, name), -shift) for name in _IN_BITS})


def _merge(few: NDArray[np.bool_], careful: Entropies, plain: Entropies) -> Entropies:
    """Join the entropies of a batch, of which few tables were computed with care."""

    def both(one: NDArray[Any], other: NDArray[Any]) -> NDArray[Any]:
        out = np.empty(few.shape, dtype=one.dtype)
        out[few], out[~few] = one, other
        return out

    mutual, missed, spurious = (both(*parts) for parts in zip(careful.shares[:3], plain.shares[:3], strict=True))
    shift = careful.shares.shift
    shifts = None if shift is None else both(shift, np.zeros(1, dtype=shift.dtype))
    truth, system, joint = (both(getattr(careful, name), getattr(plain, name)) for name in _IN_BITS[:3])
    shares = Shares(mutual, missed, spurious, shifts)
    if shift is not None:  # the shares are not in bits
        mutual, missed, spurious = (both(getattr(careful, name), getattr(plain, name)) for name in _IN_BITS[3:])
    return Entropies(truth, system, joint, mutual, missed, spurious, shares, plain.k, plain.m)


def compute_open_nats(table: Contingency, side: Literal["truth", "system"]) -> Real:
    """Compute the nats that each cell leaves open about a side, given the other, weighted by its size.

    About the truth that is missed information, about the system false information.
    """
    lay_out, add_up, totals = (
        (table.at_columns, table.per_column, table.column_totals)
        if side == "truth"
        else (table.at_rows, table.per_row, table.row_totals)
    )
    wholes = lay_out(totals)
    if table.adds_exactly:
        return open_nats(table.cells, wholes, wholes - table.cells)
    return open_nats(table.cells, wholes, lay_out(add_up(np.where(table.cells > 0.5 * wholes, 0.0, table.cells))))


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
    """Information about the truth that remains unknown when the prediction is known, in bits.

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
        aliases=("system conditional entropy", "H(Y|X)", "H(Y|T)", "H(S|T)"),
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
