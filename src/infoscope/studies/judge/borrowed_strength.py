"""Three classes and more: strata borrow strength from each other, as much as the labelled rows support."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from infoscope.core.numerics import Real, distinct
from infoscope.studies.judge.error_model import ErrorModel, fitted_errors
from infoscope.studies.judge.stratum_counts import OTHER, SLOTS, StratumCounts

__all__ = ["GRID", "Evidence", "borrowed", "chosen", "dirichlet", "evidence", "label_noise", "pooled"]

MIN_HALVINGS, MAX_HALVINGS = 8, 32
"""Halvings of the labels for evidence, each for its share of the draws: one alone moves the mean by up to 0.4 sd."""
HALVED_CELLS = 64_000
"""Strata × classes × halvings, about."""
FITTED_CELLS = 1_000_000
"""Strata × classes of the fits that are made at once."""
MANY_CLASSES = 10
"""With fewer, intervals came out 5 to 10 % too narrow in simulations, and the next two numbers widen them by 6 %."""
LABEL_NOISE = 1.15
"""Variance of what a labelled row says, beyond that of an independent draw."""
PARENT_WEIGHT = 0.87
"""Share of what strata tell their parents that is believed."""
REFITS = 4
"""Fits to reweighted rows per halving; they carry the uncertainty of the prior mean."""
MAX_NOISE = 500_000
"""Cells (draws × strata × classes) of one halving up to which each stratum's unseen classes are drawn."""
_TINY = 1e-12


@dataclass(frozen=True, eq=False)
class _Half:
    """One halving: labels held out for evidence, and draws of the labelled counts as gammas."""

    counts: StratumCounts
    held: Real
    """Labelled rows that no fit to the other half has seen, (strata, classes)."""
    cells: tuple[NDArray[np.int64], ...]
    """Strata and classes with labelled rows."""
    own: Real
    """Gammas of those cells, (draws, cells)."""
    refit: NDArray[np.int64]
    """The fit that each draw follows; fit 0 is that to the half."""
    rng: np.random.Generator

    @property
    def draws(self) -> int:
        return len(self.own)


def label_noise(counts: StratumCounts) -> float:
    """Variance of what a labelled row says."""
    return LABEL_NOISE if counts.classes < MANY_CLASSES else 1.0


def borrowed(counts: StratumCounts, own: Real, rng: np.random.Generator) -> Real:
    """Draws (draws, strata, classes) of the true class within strata.

    ``own`` are gammas of the labelled cells, in the order of ``np.nonzero(counts.by_class)``.
    """
    number = int(np.clip(HALVED_CELLS // counts.by_class.size, MIN_HALVINGS, MAX_HALVINGS))
    parts = np.array_split(own, min(number, len(own)))
    together = max(1, FITTED_CELLS // (counts.by_class.size * (REFITS + 1)))
    found = np.empty((len(own), *counts.by_class.shape))
    done = 0
    for start in range(0, len(parts), together):
        some = parts[start : start + together]
        halves = _halves(counts, len(some), rng)
        fits = _reweighted_fits(counts, halves, rng)
        for part, half, fit in zip(some, halves, fits, strict=True):
            found[done : done + len(part)] = _borrowed(counts, part, half, fit, rng)
            done += len(part)
    return found


def _halves(counts: StratumCounts, number: int, rng: np.random.Generator) -> Real:
    """Random halves of the labels, (halvings, classes, verdicts, predictions)."""
    truth, verdict, prediction = np.nonzero(counts.labelled)
    seen = counts.labelled[truth, verdict, prediction]
    whole = np.round(seen)
    half = np.zeros((number, *counts.labelled.shape))
    some = rng.binomial(whole.astype(np.int64), 0.5, (number, len(whole)))
    half[:, truth, verdict, prediction] = some * (seen / np.maximum(whole, 1.0))
    return half


def _borrowed(counts: StratumCounts, own: Real, half: Real, fit: ErrorModel | None, rng: np.random.Generator) -> Real:
    """The same by one halving, with the fits to it."""
    held = counts.by_class - half[:, counts.verdict, counts.prediction].T
    refit = rng.integers(1, REFITS + 1, len(own))
    work = _Half(counts, held, np.nonzero(counts.by_class), own, refit, rng)
    hypotheses, bases = _hypotheses(work, fit)
    one = np.stack([counts.slot == slot for slot in range(SLOTS)], axis=-1).astype(float)
    rho = _agreement(work, hypotheses, one)
    theta = np.empty((work.draws, *counts.by_class.shape))
    for kind in distinct(counts.kind):
        at = np.flatnonzero(counts.kind == kind)
        theta[:, at] = rho[:, at, OTHER:] * _elsewhere(work, at, bases, rho[:, at, OTHER])
    strata, classes = np.nonzero(counts.slot != OTHER)
    theta[:, strata, classes] = rho[:, strata, counts.slot[strata, classes]]
    return theta


def _hypotheses(work: _Half, fit: ErrorModel | None) -> tuple[list[Real], list[Real]]:
    """How strata under one verdict may differ, (fits, strata, slots), and where other classes may lie (… classes).

    Not at all, or as independent errors make them; other classes as overall, by prediction, or as independent errors
    make them. With many classes also as errors of the judge that are spread evenly, strata half as far apart: what a
    judge with other confusions for every prediction leaves of them.
    """
    counts, n = work.counts, work.counts.by_class
    other = (counts.slot == OTHER).astype(float)
    overall = (n.sum(axis=0) + 0.5) / (n.sum() + 0.5 * counts.classes)
    seen = np.stack([n - work.held] + [n] * REFITS) * other
    by_prediction = np.zeros((len(seen), counts.everything.shape[1], counts.classes))
    np.add.at(by_prediction.swapaxes(0, 1), counts.prediction, seen.swapaxes(0, 1))
    bases = [
        np.broadcast_to(seen.sum(axis=1, keepdims=True) + 2 * overall, seen.shape),
        (by_prediction + 2 * overall)[:, counts.prediction],
    ]
    one = np.stack([counts.slot == slot for slot in range(SLOTS)], axis=-1).astype(float)
    shapes = [np.broadcast_to(one.any(axis=1).astype(float), (len(seen), len(n), SLOTS))]
    if fit is not None:
        shapes.append(np.einsum("rgt,gtk->rgk", fit.belief, one))
        bases.append(fit.belief)
    if fit is not None and counts.classes >= MANY_CLASSES:
        shapes.append(np.sqrt(shapes[-1]))
        bases.append(fit.even_belief)
    return shapes, bases


def _reweighted_fits(counts: StratumCounts, halves: Real, rng: np.random.Generator) -> Sequence[ErrorModel | None]:
    """Independent errors for each halving: fitted to the half, and to rows reweighted by gamma draws.

    Fits are the leading axis of each; None where no verdict names a class.
    """
    if not (counts.verdict_class >= 0).any():
        return [None] * len(halves)
    rest = np.maximum(counts.everything - counts.labelled.sum(axis=0), 0.0)
    size = (len(halves), REFITS + 1)
    truth, verdict, prediction = np.nonzero(counts.labelled)  # few of the cells, of many classes
    seen = counts.labelled[truth, verdict, prediction]
    weights = np.zeros((*size, *counts.labelled.shape))
    weights[:, :, truth, verdict, prediction] = rng.standard_gamma(np.broadcast_to(seen, (*size, len(seen))))
    weights[:, 0] = halves
    rows = rng.standard_gamma(np.broadcast_to(rest, (*size, *rest.shape))) + weights.sum(axis=2)
    rows[:, 0] = np.maximum(counts.everything, halves.sum(axis=1))
    found = fitted_errors(counts, weights, rows)
    return [ErrorModel(*parts) for parts in zip(*found, strict=True)]


def _agreement(work: _Half, hypotheses: Sequence[Real], one: Real) -> Real:
    """Draws (draws, strata, slots) of what the truth agrees with."""
    counts = work.counts
    seen, held = (np.einsum("gt,gtk->gk", part, one) for part in (counts.by_class, work.held))
    sums = np.zeros((len(seen) * SLOTS, work.draws))
    strata, classes = work.cells
    np.add.at(sums, strata * SLOTS + counts.slot[strata, classes], work.own.T)
    gammas = sums.T.reshape(work.draws, len(seen), SLOTS)
    rho = np.zeros_like(gammas)
    for kind in distinct(counts.kind):
        at = np.flatnonzero(counts.kind == kind)
        parents, member = np.unique(counts.verdict[at], return_inverse=True)
        family = _Family(work, seen[at], held[at], member, len(parents))
        drawn = work.rng.standard_gamma(family.prior([shape[:, at] for shape in hypotheses])) + gammas[:, at]
        rho[:, at] = drawn / np.maximum(drawn.sum(axis=-1, keepdims=True), 1e-300)
    return rho


@dataclass(frozen=True, eq=False)
class _Family:
    """Strata of one kind in three levels: the kind, its verdicts, its strata."""

    work: _Half
    seen: Real
    held: Real
    member: NDArray[np.int64]
    parents: int

    def prior(self, hypotheses: Sequence[Real]) -> Real:
        """Dirichlet parameters of every stratum in every draw, each following one hypothesis."""
        draws, rng = self.work.draws, self.work.rng
        slots = hypotheses[0][0].any(axis=0)
        flat = slots / slots.sum()
        base = (self.seen.sum(axis=0) + flat) / (self.seen.sum() + 1)
        if not 1 < self.parents < len(self.seen):
            return self._flat_prior(hypotheses, base, flat)
        group = np.zeros((self.parents, SLOTS))
        np.add.at(group, self.member, self.seen)
        above = evidence(group, base)
        pick = above.draw(draws, rng)
        root = dirichlet(self._pooled(group, np.zeros(self.parents, int), 1)[pick, 0] + flat, rng)
        mean = float(np.exp(above.weights @ np.log(GRID)))
        middle = (group + mean * base) / (group.sum(axis=-1, keepdims=True) + mean)
        below = [evidence(self.held, self._tilted(shape[:1], middle[None])[0]) for shape in hypotheses]
        choice = chosen([found.log for found in below], draws, rng)
        believed = self._pooled(self.seen, self.member, self.parents)
        prior = np.zeros((draws, *self.seen.shape))
        for at, (shape, found) in enumerate(zip(hypotheses, below, strict=True)):
            mine = np.flatnonzero(choice == at)
            low = found.draw(len(mine), rng)
            parent = dirichlet((GRID[pick[mine], None] * root[mine])[:, None] + believed[low], rng)
            prior[mine] = GRID[low, None, None] * self._tilted(shape, parent, self.work.refit[mine])
        return prior

    def _flat_prior(self, hypotheses: Sequence[Real], base: Real, flat: Real) -> Real:
        """The same in two levels, where every verdict has one stratum or all strata have one verdict."""
        draws, rng = self.work.draws, self.work.rng
        alone = _Family(self.work, self.seen, self.held, np.zeros(len(self.seen), int), 1)
        below = [evidence(self.held, alone._tilted(shape[:1], base[None, None])[0]) for shape in hypotheses]
        choice = chosen([found.log for found in below], draws, rng)
        believed = self._pooled(self.seen, alone.member, 1)
        prior = np.zeros((draws, *self.seen.shape))
        for at, (shape, found) in enumerate(zip(hypotheses, below, strict=True)):
            mine = np.flatnonzero(choice == at)
            low = found.draw(len(mine), rng)
            root = dirichlet(believed[low] + flat, rng)
            prior[mine] = GRID[low, None, None] * alone._tilted(shape, root, self.work.refit[mine])
        return prior

    def _pooled(self, counts: Real, member: NDArray[np.int64], parents: int) -> Real:
        weight = PARENT_WEIGHT if self.work.counts.classes < MANY_CLASSES else 1.0
        return weight * pooled(counts, member, parents)

    def _tilted(self, shape: Real, target: Real, fit: NDArray[np.int64] | None = None) -> Real:
        """Shapes (fits, strata, slots) moved such that their mean is the target (…, parents, slots)."""
        n = self.seen.sum(axis=-1) + 1e-3
        weights = np.zeros((self.parents, len(n)))
        weights[self.member, np.arange(len(n))] = n
        mean = np.maximum(weights @ shape / weights.sum(axis=1)[:, None], _TINY)
        fit = np.zeros(len(target), int) if fit is None else fit
        out = shape[fit] * (target / mean[fit])[:, self.member]
        return np.asarray(out / np.maximum(out.sum(axis=-1, keepdims=True), _TINY))


def _elsewhere(work: _Half, at: NDArray[np.int64], bases: Sequence[Real], share: Real) -> Real:
    """Where the truth lies if neither judge nor system named it: shares (draws, strata, classes) over the others."""
    counts, rng = work.counts, work.rng
    other = (counts.slot[at] == OTHER).astype(float)
    found = [evidence(work.held[at] * other, _shares(base[0, at] * other)) for base in bases]
    choice = chosen([each.log for each in found], work.draws, rng)
    shape = np.empty((work.draws, *other.shape))
    for hypothesis, (base, each) in enumerate(zip(bases, found, strict=True)):
        mine = np.flatnonzero(choice == hypothesis)
        if len(mine):
            shares = _shares(base[:, at] * other)
            for draw, concentration in zip(mine.tolist(), GRID[each.draw(len(mine), rng)], strict=True):
                np.multiply(shares[work.refit[draw]], concentration, out=shape[draw])
    drawn = _noisy(shape, counts.rows[at] * share.mean(axis=0) + (counts.by_class[at] * other).any(axis=1), rng)
    place = np.full(len(counts.by_class), -1)
    place[at] = np.arange(len(at))
    strata, classes = work.cells
    mine = np.flatnonzero((place[strata] >= 0) & (counts.slot[strata, classes] == OTHER))
    drawn[:, place[strata[mine]], classes[mine]] += work.own[:, mine]
    total = drawn.sum(axis=-1, keepdims=True)
    lost = np.flatnonzero((total <= 0).any(axis=(0, 2)))  # draws so small that all of them are 0: their mean instead
    if len(lost):
        drawn[:, lost] = np.where(total[:, lost] > 0, drawn[:, lost], shape[:, lost])
        total = drawn.sum(axis=-1, keepdims=True)
    drawn /= np.maximum(total, 1e-300)
    return drawn


def _shares(amounts: Real) -> Real:
    return np.asarray(amounts / np.maximum(amounts.sum(axis=-1, keepdims=True), _TINY))


def _noisy(shape: Real, importance: Real, rng: np.random.Generator) -> Real:
    """Gammas of these shapes; of very many strata, the mean for those that hold few rows."""
    draws, strata, classes = shape.shape
    size = MAX_NOISE // (draws * classes)
    if strata <= size:
        return rng.standard_gamma(shape)
    drawn = shape.copy()
    heavy = np.argsort(-importance, kind="stable")[:size]
    drawn[:, heavy] = rng.standard_gamma(shape[:, heavy])
    return drawn


GRID = np.geomspace(0.25, 256.0, 21)
"""Concentrations, log-uniform a priori: how many rows the common mean is worth."""


class Evidence(NamedTuple):
    """Weights of the concentrations, and the log evidence of the base shares."""

    weights: Real
    log: float

    def draw(self, n: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Places in the grid."""
        return rng.choice(len(GRID), size=n, p=self.weights)


def evidence(counts: Real, base: Real) -> Evidence:
    """How well rows (strata × categories) fit base shares of any concentration; empty cells say nothing."""
    rows, cells = np.nonzero(counts)
    seen = counts[rows, cells]
    a = GRID[:, None] * np.maximum(np.broadcast_to(base, counts.shape)[rows, cells], _TINY)
    log = (gammaln(a + seen) - gammaln(a)).sum(axis=1)
    n = counts.sum(axis=1)
    n = n[n > 0]
    log += (gammaln(GRID[:, None]) - gammaln(GRID[:, None] + n)).sum(axis=1)
    weights = np.exp(log - log.max())
    return Evidence(weights / weights.sum(), float(log.max() + np.log(weights.mean())))


def pooled(counts: Real, member: NDArray[np.int64], parents: int) -> Real:
    """Counts that parents may believe, (grid, parents, categories): a child is at most 1 + A samples to them."""
    a = GRID[:, None, None]
    worth = counts * (1 + a) / (counts.sum(axis=-1, keepdims=True) + a)
    found = np.zeros((parents, len(GRID), counts.shape[-1]))
    np.add.at(found, member, worth.swapaxes(0, 1))
    return found.swapaxes(0, 1)


def dirichlet(shape: Real, rng: np.random.Generator) -> Real:
    """Draws along the last axis; shapes of 0 give 0."""
    drawn = rng.standard_gamma(shape)
    return np.asarray(drawn / np.maximum(drawn.sum(axis=-1, keepdims=True), 1e-300))


def chosen(logs: Sequence[float], draws: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Which hypothesis each draw follows, by their evidence."""
    weights = np.exp(np.array(logs) - max(logs))
    return rng.choice(len(logs), size=draws, p=weights / weights.sum())
