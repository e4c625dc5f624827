"""Exact posterior mean and covariance of the entropies of a table.

The probabilities of the cells are Dirichlet with concentrations v. Seven measures are linear in the
entropies of cells, rows and columns; each is the mean of a function φ over the cells, and

    E[M]        = Σ m φ,                                  m = v / V,  V = Σ v
    Cov(M, M')  = 1/(V+1) { Cov_m(φ, φ') + 1/V b(M, M') }

where φ of the joint entropy is ψ(V+1) − ψ(v+1) and b holds sums of θ and one series (``overlap``). This
is Wolpert and Wolf's second moment, already centred: a variance and a small bracket are added, never two
big numbers subtracted. Every φ is formed as one logarithm of a ratio, so that a measure close to 0 keeps
its digits. Natural logarithms here; the front converts to bits.
"""

from dataclasses import dataclass

import numpy as np

from infoscope.posterior.arrays import Array
from infoscope.posterior.exact.second_order import Brackets, Margins, brackets_of
from infoscope.posterior.exact.special import excess_and_spread

__all__ = [
    "MEASURES",
    "EntropyMoments",
    "assemble",
    "dense_moments",
    "first_order",
]

MEASURES = ("mutual", "truth", "system", "joint", "missed", "spurious", "erroneous")
_INNER, _OUTER = [0, 3, 4, 5], [1, 2]
_NOTHING = 1e-140  # a cell of less than this share of the largest one counts as empty
_NEAR = 0.3  # below this relative distance from independence log1p is used


@dataclass(frozen=True)
class EntropyMoments:
    """Mean and covariance of the seven ``MEASURES``, in nats."""

    mean: Array
    covariance: Array

    def mean_of(self, measure: str) -> float:
        """Posterior mean of one measure."""
        return float(self.mean[MEASURES.index(measure)])

    def sd_of(self, measure: str) -> float:
        """Posterior standard deviation of one measure."""
        return float(np.sqrt(max(self.covariance_of(measure, measure), 0.0)))

    def covariance_of(self, one: str, other: str) -> float:
        """Posterior covariance of two measures."""
        return float(self.covariance[MEASURES.index(one), MEASURES.index(other)])


def dense_moments(concentrations: Array) -> EntropyMoments:
    """Moments for a full array of concentrations (counts plus prior), none negative.

    >>> moments = dense_moments(np.array([[10.0, 1.0], [2.0, 20.0]]) + 1)
    >>> print(f"{moments.mean_of('mutual'):.6f} {moments.sd_of('mutual'):.6f}")
    0.279853 0.096257
    """
    v = _without_empty(concentrations)
    margins = Margins.of(v.sum(1), v.sum(0))
    occupied = v > 0
    filled = v if occupied.all() else np.where(occupied, v, 1.0)
    excess, spread = excess_and_spread(v)
    mutual, departure = _mutual_function(v, filled, margins)
    mutual += excess
    mutual -= (margins.excess_rows - margins.excess_total)[:, None]
    mutual -= margins.excess_columns
    functions = np.empty((4, *v.shape))
    functions[0] = mutual
    np.log(margins.total / filled, out=functions[1])
    functions[1] += margins.excess_total
    np.log(margins.columns / filled, out=functions[2])
    functions[2] += margins.excess_columns
    np.log(margins.rows[:, None] / filled, out=functions[3])
    functions[3] += margins.excess_rows[:, None]
    functions[1:] -= excess
    weights = v / margins.total
    centre = (functions.reshape(4, -1) @ weights.ravel())[:, None, None]
    functions -= centre
    weighted = functions * weights
    gram = weighted.reshape(4, -1) @ functions.reshape(4, -1).T
    truth, system = margins.centred
    first = first_order(gram, (weighted.sum(2), weighted.sum(1)), float(truth @ weights @ system), margins)
    brackets = brackets_of(v, (excess, spread), margins)
    means = np.array([departure / margins.total, *centre[1:].ravel()])
    return assemble(means, first, margins, brackets)


def assemble(means: Array, first_order: Array, margins: Margins, brackets: Brackets) -> EntropyMoments:
    """Mean and covariance of all measures from those of (mutual, joint, missed, spurious) and the margins.

    ``means`` has the divergence from independence in place of the mutual information, which the brackets add to;
    ``first_order`` is Cov_m of the first six measures.
    """
    size = margins.total
    six = (first_order + _second_order(brackets) / size) / (size + 1)
    divergence, joint, missed, spurious = means
    mutual = divergence + brackets.interaction[0] / size
    truth, system = margins.means
    mean = np.array([mutual, truth, system, joint, missed, spurious, missed + spurious])
    lift = np.vstack([np.eye(6), [0, 0, 0, 0, 1, 1]])
    covariance = lift @ six @ lift.T
    for axis, names in (
        (margins.rows, ("truth", "missed")),
        (margins.columns, ("system", "spurious")),
    ):
        if axis.size == 1:
            nothing = [MEASURES.index(name) for name in ("mutual", *names)]
            mean[nothing] = covariance[nothing] = covariance[:, nothing] = 0.0
    if margins.rows.size == margins.columns.size == 1:
        mean[:] = covariance[:] = 0.0
    return EntropyMoments(mean, covariance)


def _second_order(brackets: Brackets) -> Array:
    """What is added to Cov_m of the first six measures, written out so that nothing cancels."""
    rows, columns, in_rows, in_columns = (float(pair[1]) for pair in brackets[:4])
    both, alone = brackets.overlap, brackets.residue
    crossed = alone - both
    truth = [both, rows, both, rows, rows - both, 0.0]
    system = [both, both, columns, columns, 0.0, columns - both]
    joint = [-crossed, rows, columns, rows + in_rows, in_columns, in_rows]
    missed = [-alone, rows - both, 0.0, in_columns, in_columns, alone]
    spurious = [-alone, 0.0, columns - both, in_rows, alone, in_rows]
    return np.array([[alone + both, both, both, -crossed, -alone, -alone], truth, system, joint, missed, spurious])


def _without_empty(v: Array) -> Array:
    if v.min() < _NOTHING * v.max():  # no digit of any moment knows them, and their squares underflow
        v = np.where(v < _NOTHING * v.max(), 0.0, v)
    rows, columns = v.sum(1) > 0, v.sum(0) > 0
    return v if rows.all() and columns.all() else v[rows][:, columns]


def _mutual_function(v: Array, filled: Array, margins: Margins) -> tuple[Array, float]:
    """Log of m/(m_t m_s) of each cell, and its divergence Σ v ln m/(m_t m_s), both without cancellation."""
    expected = np.multiply.outer(margins.rows, margins.columns / margins.total)
    distance = (v - expected) / expected
    logarithm = np.log(filled / expected)
    near = np.abs(distance) < _NEAR
    if near.any():
        logarithm[near] = np.log1p(distance[near])
    terms = np.where(near, expected * ((1 + distance) * logarithm - distance), 0.0)
    far = np.where(near, 0.0, v * logarithm - (v - expected))
    return logarithm, float(terms.sum() + far.sum())


def first_order(gram: Array, by_margin: tuple[Array, Array], both: float, margins: Margins) -> Array:
    """Cov_m of the first six measures, in the order of ``MEASURES``.

    ``gram`` is that of (mutual, joint, missed, spurious), ``by_margin`` their weighted sums over each row and
    each column, ``both`` the covariance of the two margins.
    """
    truth, system = margins.centred
    across = np.stack([by_margin[0] @ truth, by_margin[1] @ system])
    out = np.empty((6, 6))
    out[np.ix_(_INNER, _INNER)] = gram
    out[np.ix_(_OUTER, _INNER)] = across
    out[np.ix_(_INNER, _OUTER)] = across.T
    out[1, 1] = margins.rows @ (truth * truth) / margins.total
    out[2, 2] = margins.columns @ (system * system) / margins.total
    out[1, 2] = out[2, 1] = both
    return out
