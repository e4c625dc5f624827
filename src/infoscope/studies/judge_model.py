"""Posterior of judged rows: draws of each stratum's share of the rows and of its true classes, given the counts.

With two classes, every stratum is independent, Beta(n + ½) on a lattice. With three or more, ``borrow_strength`` pools
strata as far as the labelled rows support it, with ``fit_errors`` (independent errors of judge and system) as one of
the prior means. The last section has two published estimators of the accuracy, for comparison. ``judge.py`` makes
tables of the draws; docs/contributors/judge.md reports the coverage of the intervals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, gammaincinv, gammaln, ndtri

from infoscope.core.numerics import Real, distinct
from infoscope.results.estimate import Estimate
from infoscope.studies.judge_strata import OTHER, SLOTS, Indices, StratumCounts

TWO_CLASS_DRAWS = 8192
"""On a lattice, which keeps the limits of intervals within 0.03 sd."""
MAX_DRAWS, MIN_DRAWS = 2000, 200
DRAWN_CELLS = 4_000_000
"""Draws × strata × classes, about."""
PRIOR = 0.5
"""Prior count of each of two classes in every stratum (Jeffreys)."""
LATTICE = np.array(
    [1, 182667, 469891, 498753, 110745, 446247, 250185, 118627, 245333, 283199, 408519, 391023, 246327, 126539]
)
"""Generating vector of an embedded lattice rule, for sizes that are powers of two (Cools, Kuo and Nuyens 2006)."""

STEPS = 60
"""Steps of expectation maximization of independent errors."""
MAX_WEIGHT = 20.0
"""Rows without a label weigh at most this many times as much as those with one."""
FIRST_REPEATS = 0.05
"""Share of verdicts that repeat the prediction, where the fit starts."""

MIN_HALVINGS, MAX_HALVINGS = 8, 32
"""Halvings of the labels for evidence, each for its share of the draws: one alone moves the mean by up to 0.4 sd."""
HALVED_CELLS = 64_000
"""Strata × classes × halvings, about."""
FITTED_CELLS = 1_000_000
"""Strata × classes of the fits that are made at once."""
MANY_CLASSES = 10
"""With fewer, intervals came out 5 to 10 % too narrow in simulations, and the next two numbers widen them by 6 %."""
LABEL_NOISE = 1.15
"""Variance of a labelled row, relative to that of an independent draw."""
PARENT_WEIGHT = 0.87
"""Weight of the counts that strata contribute to their parents."""
REFITS = 4
"""Fits to reweighted rows per halving; they carry the uncertainty of the prior mean."""
MAX_NOISE = 500_000
"""Cells (draws × strata × classes) of one halving up to which each stratum's unseen classes are drawn."""
GRID = np.geomspace(0.25, 256.0, 21)
"""Concentrations, log-uniform a priori: how many rows the common mean is worth."""
TINY = 1e-12


@dataclass(frozen=True, eq=False)
class StratumBelief:
    """Draws of stratum shares, and of the true class within strata."""

    counts: StratumCounts
    share: Real
    """(draws, strata)."""
    theta: Real
    """(draws, strata, classes)."""

    @classmethod
    def draw(cls, counts: StratumCounts, draws: int | None = None, seed: int = 0) -> StratumBelief:
        """Draw shares by all rows, classes by the labelled rows of the stratum (post-stratification)."""
        rng = np.random.default_rng(seed)
        strata = len(counts.rows)
        if counts.classes == 2:
            shape = counts.by_class + PRIOR
            # uniform numbers: a randomly shifted lattice, and beyond its directions a Latin hypercube
            draws, size = TWO_CLASS_DRAWS if draws is None else draws, 2 * strata
            vector = LATTICE[:size] % draws
            lattice = (np.arange(draws)[:, None] * vector % draws / draws + rng.random(len(vector))) % 1.0
            extra = size - len(vector)
            cells = rng.permuted(np.broadcast_to(np.arange(draws), (extra, draws)), axis=1).T
            hypercube = (cells + rng.random((draws, extra))) / draws
            points = np.clip(np.hstack([lattice, hypercube]), 1e-12, 1 - 1e-12)
            first = betaincinv(shape[:, 0], shape[:, 1], points[:, :strata])
            share = gammaincinv(counts.rows, points[:, strata:])
            return cls(counts, _normalize(share), np.stack([first, 1 - first], axis=-1))
        if draws is None:
            draws = int(np.clip(DRAWN_CELLS // counts.by_class.size, MIN_DRAWS, MAX_DRAWS))
        share = _normalize(rng.standard_gamma(np.broadcast_to(counts.rows, (draws, strata))))
        seen = counts.by_class[np.nonzero(counts.by_class)]
        noise = LABEL_NOISE if counts.classes < MANY_CLASSES else 1.0
        own = noise * rng.standard_gamma(np.broadcast_to(seen / noise, (draws, len(seen))))
        return cls(counts, share, borrow_strength(counts, own, rng))

    @cached_property
    def tables(self) -> Real:
        """Draws (draws, classes, predictions) of the table of truth × system behind all rows."""
        return self.tabulate(self.counts.prediction, self.counts.everything.shape[1])

    def tabulate(self, column: Indices, width: int) -> Real:
        """Return draws of truth × a column of the strata, given as codes below the width."""
        tables = np.zeros((len(self.share), self.counts.classes, width))
        for value in range(width):
            strata = np.flatnonzero(column == value)
            tables[:, :, value] = np.einsum("dg,dgt->dt", self.share[:, strata], self.theta[:, strata])
        return np.asarray(tables / tables.sum(axis=(1, 2), keepdims=True))

    @cached_property
    def right_tables(self) -> Real:
        """Draws (draws, 2, verdicts) of wrong and right predictions × verdict."""
        classes = self.counts.predicted_class
        hit = np.where(classes >= 0, self.theta[:, np.arange(len(classes)), np.maximum(classes, 0)], 0.0) * self.share
        tables = np.zeros((len(self.share), 2, self.counts.everything.shape[0]))
        for verdict in range(tables.shape[2]):
            strata = np.flatnonzero(self.counts.verdict == verdict)
            tables[:, 1, verdict] = hit[:, strata].sum(axis=1)
            tables[:, 0, verdict] = self.share[:, strata].sum(axis=1) - tables[:, 1, verdict]
        return np.maximum(tables, 0.0)


def compute_accuracy_moments(counts: StratumCounts) -> tuple[float, float]:
    """Return the exact mean and sd of the accuracy where there are two classes."""
    classes = counts.predicted_class
    n = counts.by_class.sum(axis=1)
    hits = counts.by_class[np.arange(len(n)), np.maximum(classes, 0)]
    mean = np.where(classes >= 0, (hits + PRIOR) / (n + 2 * PRIOR), 0.0)
    variance = mean * (1 - mean) / (n + 2 * PRIOR + 1)
    rows, total = counts.rows, counts.rows.sum()
    expected = float(rows @ mean / total)
    square = (rows @ mean) ** 2 + rows @ mean**2 + (rows * (rows + 1)) @ variance
    return expected, float(np.sqrt(max(square / (total * (total + 1)) - expected**2, 0.0)))


def _normalize(amounts: Real, least: float = 0.0) -> Real:
    """Divide amounts by their sum along the last axis, or by ``least`` where that is larger."""
    return np.asarray(amounts / np.maximum(amounts.sum(axis=-1, keepdims=True), least))


# Independent errors: a prior mean -------------------------------------------------------------------------------------


class ErrorModel(NamedTuple):
    """Fits of P(t) P(s|t) [(1−δ) P(j|t) + δ·1(j=s)]; leading axes are several fits."""

    belief: Real
    """P(t | j, s) in each stratum, (…, strata, classes)."""
    even_belief: Real
    """The same where every wrong verdict is as likely as any other: the judge's hits count, not its confusions."""
    repeats: Real
    """δ: share of the verdicts that repeat the prediction."""


def fit_errors(counts: StratumCounts, labelled: Real, everything: Real) -> ErrorModel:
    """Fit independent errors of judge and system, up to verdicts that repeat the prediction.

    Expectation maximization for labelled rows (…, T, J, S) among all rows (…, J, S). No step needs a tensor of truth ×
    verdict × prediction: expected counts are products of matrices.
    """
    same, pairs = counts.same, np.nonzero(counts.same)
    by_verdict, by_prediction = labelled.sum(axis=-1), labelled.sum(axis=-2)
    labelled_pairs = labelled[..., pairs[0], pairs[1]]
    rest = np.maximum(everything - labelled.sum(axis=-3), 0.0)
    size = np.maximum(rest.sum(axis=(-1, -2)), 1e-12)
    rest = rest * np.minimum(1.0, MAX_WEIGHT * labelled.sum(axis=(-1, -2, -3)) / size)[..., None, None]

    # expected counts of the judge's own verdicts by class and of predictions by class; and δ
    own_counts, system_counts = by_verdict, by_prediction
    repeats = np.full(labelled.shape[:-3], FIRST_REPEATS)
    for _ in range(STEPS):
        truth = system_counts.sum(axis=-1, keepdims=True) + 0.5
        delta = repeats[..., None, None]
        chance = (1 - delta) * _normalize(own_counts + 0.5 / counts.classes)  # P(j|t) (1−δ), (…, T, J)
        system = _normalize(system_counts + 0.5 / counts.classes)  # P(s|t), (…, T, S)
        own = truth * chance
        repeated = delta * truth * system

        mixed = np.swapaxes(own, -1, -2) @ system + same * repeated.sum(axis=-2)[..., None, :]
        ratio = rest / np.maximum(mixed, 1e-300)
        copied = labelled_pairs * delta / np.maximum(chance[..., pairs[0]] + delta, 1e-300)
        copied_rest = repeated * np.where(same, ratio, 0.0).sum(axis=-2)[..., None, :]
        own_counts = by_verdict + own * np.swapaxes(ratio @ np.swapaxes(system, -1, -2), -1, -2)
        own_counts[..., pairs[0]] -= copied  # a verdict names one prediction at most
        own_counts = np.maximum(own_counts, 0.0)
        system_counts = by_prediction + system * (own @ ratio) + copied_rest
        copies = copied.sum(axis=(-1, -2)) + copied_rest.sum(axis=(-1, -2))
        repeats = (copies + 0.5) / (system_counts.sum(axis=(-1, -2)) + 10)

    def infer_classes(own: Real) -> Real:
        """Return P(t | j, s) in each stratum."""
        verdict, prediction = counts.occupied
        joint = own[..., verdict] * system[..., prediction]
        joint = joint + same[counts.occupied] * repeated[..., prediction]
        return np.asarray(np.swapaxes(joint / np.maximum(joint.sum(axis=-2, keepdims=True), 1e-300), -1, -2))

    hit = np.arange(counts.classes)[:, None] == counts.verdict_class
    misses = np.where(hit, 0.0, chance).sum(axis=-1, keepdims=True)
    even_chance = np.where(hit, chance, misses / np.maximum((~hit).sum(axis=-1, keepdims=True), 1))
    truth = own.sum(axis=-1, keepdims=True) / chance.sum(axis=-1, keepdims=True)
    return ErrorModel(infer_classes(own), infer_classes(truth * even_chance), repeats)


# Borrowed strength ----------------------------------------------------------------------------------------------------


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
    refit: Indices
    """The fit that each draw follows; fit 0 is that to the half."""
    rng: np.random.Generator

    @property
    def draws(self) -> int:
        return len(self.own)


def borrow_strength(counts: StratumCounts, own: Real, rng: np.random.Generator) -> Real:
    """Draw (draws, strata, classes) the true class within strata that borrow from each other.

    ``own`` are gammas of the labelled cells, in the order of ``np.nonzero(counts.by_class)``. Each halving of the
    labels serves its part of the draws: one half fits the hypotheses about strata, the other weighs them.
    """
    number = int(np.clip(HALVED_CELLS // counts.by_class.size, MIN_HALVINGS, MAX_HALVINGS))
    parts = np.array_split(own, min(number, len(own)))
    batch_size = max(1, FITTED_CELLS // (counts.by_class.size * (REFITS + 1)))
    theta = np.empty((len(own), *counts.by_class.shape))
    truth, verdict, prediction = np.nonzero(counts.labelled)
    seen = counts.labelled[truth, verdict, prediction]
    rounded = np.round(seen)
    done = 0
    for start in range(0, len(parts), batch_size):
        batch = parts[start : start + batch_size]
        halves = np.zeros((len(batch), *counts.labelled.shape))
        halved = rng.binomial(rounded.astype(np.int64), 0.5, (len(batch), len(rounded)))
        halves[:, truth, verdict, prediction] = halved * (seen / np.maximum(rounded, 1.0))
        fits = _fit_halves(counts, halves, rng)
        for part, half, fit in zip(batch, halves, fits, strict=True):
            theta[done : done + len(part)] = _draw_by_half(counts, part, half, fit, rng)
            done += len(part)
    return theta


def _fit_halves(counts: StratumCounts, halves: Real, rng: np.random.Generator) -> Sequence[ErrorModel | None]:
    """Fit independent errors for each halving: to the half, and to rows reweighted by gamma draws.

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
    fits = fit_errors(counts, weights, rows)
    return [ErrorModel(*parts) for parts in zip(*fits, strict=True)]


def _draw_by_half(
    counts: StratumCounts, own: Real, half: Real, fit: ErrorModel | None, rng: np.random.Generator
) -> Real:
    """Draw the true class within strata by one halving, with the fits to it.

    First what the truth agrees with (verdict, prediction, neither), by kind of stratum; then which class it is where
    neither names it.
    """
    held = counts.by_class - half[:, counts.verdict, counts.prediction].T
    refit = rng.integers(1, REFITS + 1, len(own))
    work = _Half(counts, held, np.nonzero(counts.by_class), own, refit, rng)
    slots = np.stack([counts.slot == slot for slot in range(SLOTS)], axis=-1).astype(float)
    shapes, bases = _list_hypotheses(work, slots, fit)

    seen, held_slots = (np.einsum("gt,gtk->gk", part, slots) for part in (counts.by_class, held))
    sums = np.zeros((len(seen) * SLOTS, work.draws))
    strata, classes = work.cells
    np.add.at(sums, strata * SLOTS + counts.slot[strata, classes], own.T)
    gammas = sums.T.reshape(work.draws, len(seen), SLOTS)
    rho = np.zeros_like(gammas)
    for kind in distinct(counts.kind):
        members = np.flatnonzero(counts.kind == kind)
        prior = _draw_agreement_prior(work, members, seen[members], held_slots[members], shapes)
        rho[:, members] = _normalize(rng.standard_gamma(prior) + gammas[:, members], 1e-300)

    theta = np.empty((work.draws, *counts.by_class.shape))
    for kind in distinct(counts.kind):
        members = np.flatnonzero(counts.kind == kind)
        neither = rho[:, members, OTHER]
        theta[:, members] = rho[:, members, OTHER:] * _draw_other_classes(work, members, bases, neither)
    strata, classes = np.nonzero(counts.slot != OTHER)
    theta[:, strata, classes] = rho[:, strata, counts.slot[strata, classes]]
    return theta


def _list_hypotheses(work: _Half, slots: Real, fit: ErrorModel | None) -> tuple[list[Real], list[Real]]:
    """List hypotheses: how strata of a verdict differ (fits, strata, slots), and where other classes lie (… classes).

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
    shapes = [np.broadcast_to(slots.any(axis=1).astype(float), (len(seen), len(n), SLOTS))]
    if fit is not None:
        shapes.append(np.einsum("rgt,gtk->rgk", fit.belief, slots))
        bases.append(fit.belief)
    if fit is not None and counts.classes >= MANY_CLASSES:
        shapes.append(np.sqrt(shapes[-1]))
        bases.append(fit.even_belief)
    return shapes, bases


def _draw_agreement_prior(work: _Half, members: Indices, seen: Real, held: Real, shapes: Sequence[Real]) -> Real:
    """Draw Dirichlet parameters of what the truth agrees with, for strata of one kind.

    Each draw follows one hypothesis. There are three levels, the kind, its verdicts and its strata; two where every
    verdict has one stratum, or all strata have one verdict.
    """
    draws, rng = work.draws, work.rng
    shapes = [shape[:, members] for shape in shapes]
    slots = shapes[0][0].any(axis=0)
    flat = slots / slots.sum()
    base = (seen.sum(axis=0) + flat) / (seen.sum() + 1)
    weight = PARENT_WEIGHT if work.counts.classes < MANY_CLASSES else 1.0
    verdicts, member = np.unique(work.counts.verdict[members], return_inverse=True)
    parents = len(verdicts)
    if 1 < parents < len(seen):
        group = np.zeros((parents, SLOTS))
        np.add.at(group, member, seen)
        above = weigh_concentrations(group, base)
        pick = above.draw(draws, rng)
        pooled = weight * _pool_counts(group, np.zeros(parents, int), 1)
        root = _normalize(rng.standard_gamma(pooled[pick, 0] + flat), 1e-300)
        mean = float(np.exp(above.weights @ np.log(GRID)))
        middle = (group + mean * base) / (group.sum(axis=-1, keepdims=True) + mean)
        from_above = (GRID[pick, None] * root)[:, None]
    else:
        member, parents = np.zeros(len(seen), int), 1
        middle = base[None]
        from_above = np.broadcast_to(flat, (draws, 1, SLOTS))

    sizes = seen.sum(axis=-1) + 1e-3
    parts = np.zeros((parents, len(sizes)))
    parts[member, np.arange(len(sizes))] = sizes

    def tilt(shape: Real, target: Real, fit: Indices) -> Real:
        """Move shapes (fits, strata, slots) such that their mean is the target (…, parents, slots)."""
        mean = np.maximum(parts @ shape / parts.sum(axis=1)[:, None], TINY)
        return _normalize(shape[fit] * (target / mean[fit])[:, member], TINY)

    first = np.zeros(1, int)
    below = [weigh_concentrations(held, tilt(shape[:1], middle[None], first)[0]) for shape in shapes]
    choice = choose_hypotheses([evidence.log for evidence in below], draws, rng)
    pooled = weight * _pool_counts(seen, member, parents)
    prior = np.zeros((draws, *seen.shape))
    for hypothesis, (shape, evidence) in enumerate(zip(shapes, below, strict=True)):
        chosen_draws = np.flatnonzero(choice == hypothesis)
        positions = evidence.draw(len(chosen_draws), rng)
        parent = _normalize(rng.standard_gamma(from_above[chosen_draws] + pooled[positions]), 1e-300)
        prior[chosen_draws] = GRID[positions, None, None] * tilt(shape, parent, work.refit[chosen_draws])
    return prior


def _draw_other_classes(work: _Half, members: Indices, bases: Sequence[Real], share: Real) -> Real:
    """Draw shares (draws, strata, classes) of the classes that neither judge nor system named."""
    counts, rng = work.counts, work.rng
    other = (counts.slot[members] == OTHER).astype(float)
    evidence = [
        weigh_concentrations(work.held[members] * other, _normalize(b[0, members] * other, TINY)) for b in bases
    ]
    choice = choose_hypotheses([part.log for part in evidence], work.draws, rng)
    shape = np.empty((work.draws, *other.shape))
    for hypothesis, (base, part) in enumerate(zip(bases, evidence, strict=True)):
        chosen_draws = np.flatnonzero(choice == hypothesis)
        if len(chosen_draws):
            shares = _normalize(base[:, members] * other, TINY)
            for draw, concentration in zip(chosen_draws.tolist(), GRID[part.draw(len(chosen_draws), rng)], strict=True):
                np.multiply(shares[work.refit[draw]], concentration, out=shape[draw])

    # of very many strata, those that hold few rows get the mean
    size = MAX_NOISE // (shape.shape[0] * shape.shape[2])
    if len(members) <= size:
        drawn = rng.standard_gamma(shape)
    else:
        importance = counts.rows[members] * share.mean(axis=0) + (counts.by_class[members] * other).any(axis=1)
        heavy = np.argsort(-importance, kind="stable")[:size]
        drawn = shape.copy()
        drawn[:, heavy] = rng.standard_gamma(shape[:, heavy])

    place = np.full(len(counts.by_class), -1)
    place[members] = np.arange(len(members))
    strata, classes = work.cells
    cells = np.flatnonzero((place[strata] >= 0) & (counts.slot[strata, classes] == OTHER))
    drawn[:, place[strata[cells]], classes[cells]] += work.own[:, cells]
    total = drawn.sum(axis=-1, keepdims=True)
    underflowed = np.flatnonzero((total <= 0).any(axis=(0, 2)))  # draws so small that all of them are 0: use their mean
    if len(underflowed):
        drawn[:, underflowed] = np.where(total[:, underflowed] > 0, drawn[:, underflowed], shape[:, underflowed])
        total = drawn.sum(axis=-1, keepdims=True)
    drawn /= np.maximum(total, 1e-300)
    return drawn


class ConcentrationEvidence(NamedTuple):
    """Weights of the concentrations, and the log evidence of the base shares."""

    weights: Real
    log: float

    def draw(self, n: int, rng: np.random.Generator) -> Indices:
        """Draw positions in the grid."""
        return rng.choice(len(GRID), size=n, p=self.weights)


def weigh_concentrations(counts: Real, base: Real) -> ConcentrationEvidence:
    """Weigh how well rows (strata × categories) fit base shares of each concentration; empty cells say nothing."""
    rows, cells = np.nonzero(counts)
    seen = counts[rows, cells]
    a = GRID[:, None] * np.maximum(np.broadcast_to(base, counts.shape)[rows, cells], TINY)
    log = (gammaln(a + seen) - gammaln(a)).sum(axis=1)
    n = counts.sum(axis=1)
    n = n[n > 0]
    log += (gammaln(GRID[:, None]) - gammaln(GRID[:, None] + n)).sum(axis=1)
    weights = np.exp(log - log.max())
    return ConcentrationEvidence(weights / weights.sum(), float(log.max() + np.log(weights.mean())))


def _pool_counts(counts: Real, member: Indices, parents: int) -> Real:
    """Pool the counts of children by parent (grid, parents, categories); a child counts as at most 1 + A samples."""
    a = GRID[:, None, None]
    worth = counts * (1 + a) / (counts.sum(axis=-1, keepdims=True) + a)
    pooled = np.zeros((parents, len(GRID), counts.shape[-1]))
    np.add.at(pooled, member, worth.swapaxes(0, 1))
    return pooled.swapaxes(0, 1)


def choose_hypotheses(logs: Sequence[float], draws: int, rng: np.random.Generator) -> Indices:
    """Draw the hypothesis that each draw follows, by their log evidence."""
    weights = np.exp(np.array(logs) - max(logs))
    return rng.choice(len(logs), size=draws, p=weights / weights.sum())


# Published estimators of the accuracy ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Agreements:
    """Labelled rows by whether the prediction is right and the verdict says so; other rows by what the verdict says."""

    accepted_right: float
    rejected_right: float
    accepted_wrong: float
    rejected_wrong: float
    accepted: float
    """Rows without a label whose verdict says that the prediction is right."""
    unlabelled: float

    @classmethod
    def count(
        cls, counts: StratumCounts, accepts: NDArray[np.bool_] | None = None, *, apart: bool = False
    ) -> Agreements:
        """Count agreements of the strata of a system.

        ``accepts`` says where a verdict accepts a prediction: where it names it, by default. ``apart`` says that the
        labelled rows are not among all rows.
        """
        accepts = counts.same if accepts is None else accepts
        right = (np.arange(counts.classes)[:, None] == counts.prediction_class)[:, None, :]
        labelled = counts.labelled
        rest = counts.everything if apart else np.maximum(counts.everything - labelled.sum(axis=0), 0.0)
        return cls(
            accepted_right=float((labelled * (right & accepts)).sum()),
            rejected_right=float((labelled * (right & ~accepts)).sum()),
            accepted_wrong=float((labelled * (~right & accepts)).sum()),
            rejected_wrong=float((labelled * (~right & ~accepts)).sum()),
            accepted=float(rest[accepts].sum()),
            unlabelled=float(rest.sum()),
        )

    @property
    def right(self) -> float:
        """Labelled rows whose prediction is right."""
        return self.accepted_right + self.rejected_right

    @property
    def wrong(self) -> float:
        """Labelled rows whose prediction is wrong."""
        return self.accepted_wrong + self.rejected_wrong


def estimate_ppi_accuracy(rows: Agreements, level: float = 0.95) -> Estimate:
    """Estimate the accuracy by PPI++.

    The judge's share of accepted rows is corrected by the labels as far as the two go together (λ tuned). Both
    estimators reduce a row to whether the prediction is right and whether the verdict says so, and take the labels as
    a random sample of the rows.

    References
    ----------
    Angelopoulos, Duchi and Zrnic (2023), "PPI++: Efficient prediction-powered inference".

    Examples
    --------
    >>> estimate = estimate_ppi_accuracy(Agreements(70, 10, 5, 15, 750, 1000))
    >>> print(f"{estimate.value:.3f}, {estimate.low:.3f} to {estimate.high:.3f}")
    0.800, 0.735 to 0.865
    """
    n, unlabelled = rows.right + rows.wrong, rows.unlabelled
    if not unlabelled:
        return Estimate(None, undefined="every row is labelled")
    truth, verdict = rows.right / n, (rows.accepted_right + rows.accepted_wrong) / n
    elsewhere = rows.accepted / unlabelled
    pooled = (verdict * n + rows.accepted) / (n + unlabelled)
    variance = pooled * (1 - pooled) * (n + unlabelled) / (n + unlabelled - 1)
    covariance = rows.accepted_right / n - truth * verdict
    tuning = float(np.clip(covariance / ((1 + n / unlabelled) * variance), 0.0, 1.0)) if variance > 0 else 0.0
    residual = truth - tuning * verdict
    square = truth + tuning**2 * verdict - 2 * tuning * rows.accepted_right / n
    spread = tuning**2 * elsewhere * (1 - elsewhere) / unlabelled + max(square - residual**2, 0.0) / n
    value, sd = tuning * elsewhere + residual, float(np.sqrt(spread))
    reach = ndtri(0.5 + level / 2) * sd
    return Estimate(value, value, sd, value - reach, value + reach)


def estimate_bias_adjusted_accuracy(rows: Agreements, level: float = 0.95) -> Estimate:
    """Estimate the accuracy from the judge's share of accepted rows, adjusted for its bias.

    The share is solved for the accuracy by how often the judge accepts right and wrong predictions. It is right where
    the judge errs alike on labelled and other rows whatever their prediction; the interval ends within 0 and 1.

    References
    ----------
    Lee et al. (2025), "How to correctly report LLM-as-a-judge evaluations".
    """
    if not rows.unlabelled:
        return Estimate(None, undefined="every row is labelled")
    if not rows.right or not rows.wrong:
        return Estimate(None, undefined="no labelled prediction is wrong" if rows.right else "none is right")
    z = ndtri(0.5 + level / 2)
    share = rows.accepted / rows.unlabelled
    sensitivity, specificity = rows.accepted_right / rows.right, rows.rejected_wrong / rows.wrong
    size = rows.unlabelled + z**2
    smooth = (rows.accepted + z**2 / 2) / size
    right, wrong = rows.right + 2, rows.wrong + 2
    accepts, rejects = (rows.accepted_right + 1) / right, (rows.rejected_wrong + 1) / wrong
    if sensitivity + specificity <= 1 or accepts + rejects <= 1:
        return Estimate(None, undefined="the judge tells right from wrong no better than chance")
    value = float(np.clip((share + specificity - 1) / (sensitivity + specificity - 1), 0.0, 1.0))
    slope = accepts + rejects - 1
    centre = (smooth + rejects - 1) / slope
    of_wrong, of_right = rejects * (1 - rejects) / wrong, accepts * (1 - accepts) / right
    shift = 2 * z**2 * (-(1 - centre) * of_wrong + centre * of_right)
    variance = smooth * (1 - smooth) / size + (1 - centre) ** 2 * of_wrong + centre**2 * of_right
    sd = float(np.sqrt(variance)) / slope
    low, high = (float(np.clip(centre + shift + side * z * sd, 0.0, 1.0)) for side in (-1, 1))
    return Estimate(value, None, sd, low, high)
