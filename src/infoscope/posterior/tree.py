"""The tree, a belief for classifiers: prevalence, then right or wrong, then where the wrong ones go.

    P(truth = i)                 Dirichlet, log-normal or a power law       ``PrevalenceLevel``
    P(rejected | i)              Beta level, where the table has a reject column
    P(matching prediction | i)   Beta level with a trend in ln n_i, among the predictions given   ``TrendLevel``
    the other predictions of i   one of several row models                  ``tree_rows.py``

The levels are independent given the counts, so the parameters of each are integrated on a small grid by
their evidence; nothing is tuned by hand. Which column matches a row is a hypothesis too: the one with the
same label; for classes that are never predicted another one, with which they are merged; the best one-to-one
assignment (which must pay for the choice among K! of them, and leaves the column of the same label a level of its own);
or none. ``Tree.hypotheses`` lists them with their evidence, ``Tree.draw`` draws tables.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice
from typing import NamedTuple

import numpy as np
from scipy.special import betaln, expit, gammaln, logit

from infoscope.core.numerics import Array, Indices, Mask, best_assignment
from infoscope.posterior.tree_levels import (
    RISING,
    BetaLevel,
    TrendLevel,
    compute_log_total,
    estimate_margins,
    get_prevalence_level,
    normalize_weights,
    pick,
)
from infoscope.posterior.tree_rows import (
    AffinityRows,
    BlockRows,
    ProfileRows,
    SharedRows,
    SubsetRows,
    find_best_blocks,
    sum_rows_above_0,
)
from infoscope.tables import Contingency

_UNMATCHED = -np.log(400.0)  # log prior odds that labels which both sides share mean nothing
_OUT_OF_QUESTION = 100.0  # nats by which a hypothesis must fall behind not to be tried
_HALF = -np.log(2.0)
_DOMINANT = 2.0  # times the average frequency from which on a class may attract errors of its own accord
_FAVOURING = ("frequent", "dominant")  # errors that go to frequent classes: recall is expected to rise with these
_FEWEST_CLASSES = 12  # below, hot and cold cells add nothing
_MOST_CELLS = 160_000  # beyond, their draws take too long
_DOUBT, _DOUBT_ALONE = 0.13, 0.25  # measured: what makes intervals hold with and without hot and cold cells …
_DOUBT_OF_MANY, _MANY_CLASSES = 0.09, 40  # … and with them from so many classes on
RowModel = ProfileRows | SharedRows | SubsetRows | BlockRows


class Shape(NamedTuple):
    """Facts of a table beyond its counts: which cells match, and the reject column if any."""

    rows: Indices
    columns: Indices
    reject: int | None = None


class Hypothesis(NamedTuple):
    """One way the rows may work, with its log evidence."""

    name: str
    matches: Indices  # column of each row, −1 for none
    level: TrendLevel | None
    rows: RowModel
    log_evidence: float
    guessed: Indices  # rows whose column is one of several that nothing speaks for
    merges: Merges | None  # further classes that may be merged with others
    renamed: Indices  # rows whose column is not the one of their name
    named: Indices  # the columns with the names of these …
    own: BetaLevel | None  # … which get a share of their own of what does not match

    def closed(self) -> tuple[Indices, Indices]:
        """Return the rows and columns of the cells that have a level of their own."""
        matched = np.flatnonzero(self.matches >= 0)
        return np.concatenate([matched, self.renamed]), np.concatenate([self.matches[matched], self.named])


class Tree:
    """The hierarchical posterior of one table of counts; everything is drawn."""

    def __init__(self, counts: Array, shape: Shape, used: Mask | None = None) -> None:
        """Take counts and what is known of their cells; ``used`` says which columns of the table these are."""
        self.counts, self.shape, self.used = counts, shape, used
        self._named: Indices = np.full(counts.shape[0], -1)  # the column with the label of each row
        self._named[shape.rows] = shape.columns
        self._answered = counts.copy()  # without the rejected
        self._rejects: TrendLevel | None = None
        if shape.reject is not None:
            self._answered[:, shape.reject] = 0
            rejected = counts[:, shape.reject]
            self._rejects = TrendLevel(rejected, counts.sum(1) - rejected)
        self._prevalence = get_prevalence_level(counts.sum(1).tobytes())
        self._factors: dict[str, Array] = {}  # of each column, under hypotheses that were drawn from

    @classmethod
    def of(cls, table: Contingency) -> Tree:
        """Make the tree of a table: cells with the same label on both sides match.

        A column that names no true class and never occurs, such as a reject label that is not in use, is left out.
        """
        rows, columns = table.matches
        counts = np.array(table.counts, dtype=float)
        used: Mask = counts.sum(0) > 0
        used[columns] = True
        if used.all() or not used.any():
            return cls(counts, Shape(rows, columns, table.reject_column))
        place = np.cumsum(used) - 1
        reject = table.reject_column
        shape = Shape(rows, place[columns], None if reject is None or not used[reject] else int(place[reject]))
        return cls(counts[:, used], shape, used)

    @cached_property
    def hypotheses(self) -> list[Hypothesis]:
        """Every hypothesis considered, with its evidence: which column matches a row, and how the rows work."""
        counts, named = self._answered, self._named
        k, m = counts.shape
        usable = np.ones((k, m), dtype=bool)
        if self.shape.reject is not None:
            usable[:, self.shape.reject] = False
        wide, none = int(usable[0].sum()), np.full(k, -1)
        candidates: list[Hypothesis] = []
        # Where labels mean nothing, the prediction that a class gets most often could be any. Each class where it is
        # that of its own name speaks against this by the logarithm of their number; the evidence has always said more.
        matched = np.flatnonzero(named >= 0)
        own, others = counts[matched, named[matched]], counts[matched]
        others[np.arange(matched.size), named[matched]] = 0.0
        clear = int(np.count_nonzero((own >= 2) & (own > others.max(1, initial=0.0))))
        is_too_large = bool(matched.size) and self.counts.size > _MOST_CELLS
        if not is_too_large and clear * np.log(m) <= _OUT_OF_QUESTION:
            candidates += self._weigh("unmatched", none, usable, _UNMATCHED if matched.size else 0.0)
        if matched.size:
            candidates += self._weigh("labels", named, usable, 0.0)
        if k >= FEWEST_CLASSES_MERGED and (named >= 0).all():
            merged = find_merged_columns(counts, named)
            number = int(np.count_nonzero(merged != named))
            if number:
                candidates += self._weigh("merged", merged, usable, compute_merge_prior(number, k, wide))
        best = none.copy()
        rows, columns = best_assignment(np.where(usable, counts, -1.0))
        best[rows] = np.where(usable[rows, columns], columns, -1)
        choices = float(gammaln(max(k, wide) + 1) - gammaln(abs(k - wide) + 1))
        changed = np.flatnonzero((best != named) & (best >= 0))
        most_gained = (counts[changed, best[changed]] + 1).sum() * np.log(wide)
        if (best != named).any() and most_gained > choices - _OUT_OF_QUESTION:
            candidates += self._weigh("relabelled", best, usable, -choices)
        return candidates

    @property
    def weights(self) -> dict[str, float]:
        """Posterior probability of each hypothesis, by name."""
        share = normalize_weights(np.array([h.log_evidence for h in self.hypotheses]))
        return {h.name: float(p) for h, p in zip(self.hypotheses, share, strict=True)}

    @property
    def doubt(self) -> float:
        """Share of what the tree takes off the sample's value (or adds to it) that counts as one further sd."""
        if self._cells is None:
            return _DOUBT_ALONE
        return _DOUBT if self.counts.shape[0] < _MANY_CLASSES else _DOUBT_OF_MANY

    def count_chains(self, n: int) -> int:
        """Return how many chains every other one of n draws comes from in turn; 0 where there are none."""
        return 0 if self._cells is None else self._cells.count_chains(max(n // 2, 1))

    @property
    def prevalence_freedom(self) -> float:
        """Share of a random sample's variance that the belief leaves to the class frequencies, between 0 and 1."""
        return self._prevalence.freedom

    def draw(self, n: int, rng: np.random.Generator) -> Array:
        """Draw the joint probabilities of n tables, (n, rows, columns)."""
        return next(self.draw_blocks([n], rng))

    def draw_blocks(self, sizes: Sequence[int], rng: np.random.Generator, together: int = 1) -> Iterator[Array]:
        """Draw in blocks of these sizes, ``together`` of them at a time; hot and cold cells take every other draw."""
        cells = self._cells.weights(max(sum(sizes) // 2, 1), rng) if self._cells is not None else None
        start = 0
        for first in range(0, len(sizes), together):
            group = sizes[first : first + together]
            out = np.empty((sum(group), *self.counts.shape))
            for block in np.split(out, np.cumsum(group)[:-1]):
                if cells is None:
                    self._fill_by_hypotheses(block, rng)
                else:
                    odd = 1 - start % 2  # counted over all blocks: those of many classes have one draw each
                    self._fill_by_hypotheses(block[1 - odd :: 2], rng)
                    by_cells = block[odd::2]
                    for place, (affinities, popularities) in zip(by_cells, islice(cells, len(by_cells)), strict=True):
                        np.multiply(affinities, popularities, out=place)
                    sums = by_cells.sum(2)
                    _share_out(by_cells, self._likeliest, np.where(sums > 0, sums, 1.0), rng)
                rejected = None if self._rejects is None else self._rejects.draw(len(block), rng)
                prevalence = self._prevalence.draw(len(block), rng)
                if rejected is None:
                    np.multiply(block, prevalence[:, :, None], out=block)
                else:
                    np.multiply(block, (prevalence * (1 - rejected))[:, :, None], out=block)
                    block[:, :, self.shape.reject] = prevalence * rejected
                start += len(block)
            if self.used is not None:
                drawn, out = out, np.zeros((*out.shape[:2], self.used.size))
                out[:, :, self.used] = drawn
            yield out

    def _fill_by_hypotheses(self, out: Array, rng: np.random.Generator) -> None:
        """Draw rows of predictions given, from each hypothesis as often as the data speak for it."""
        chosen = pick(np.array([h.log_evidence for h in self.hypotheses]), len(out), rng)
        hypotheses = {place: self.hypotheses[place] for place in sorted(set(chosen.tolist()))}
        new = [hypothesis for hypothesis in hypotheses.values() if hypothesis.name not in self._factors]
        if new:  # find the factor of each column under each of these
            expected, wanted = (np.stack(parts) for parts in zip(*map(self._wrong_predictions, new), strict=True))
            self._factors.update(
                zip((hypothesis.name for hypothesis in new), fit_column_factors(expected, wanted), strict=True)
            )
        for place, hypothesis in hypotheses.items():
            here = np.flatnonzero(chosen == place)
            rows = out if here.size == len(out) else np.empty((here.size, *self.counts.shape))
            model = hypothesis.rows
            weights = model.weights(pick(model.log_evidence, len(rows), rng), rng)
            np.multiply(weights, self._factors[hypothesis.name], out=rows)
            _share_out(rows, hypothesis, sum_rows_above_0(rows, model.open_cells, rng), rng)
            if rows is not out:
                out[here] = rows

    @cached_property
    def _likeliest(self) -> Hypothesis:
        return max(self.hypotheses, key=lambda hypothesis: hypothesis.log_evidence)

    @cached_property
    def _cells(self) -> AffinityRows | None:
        """Hot and cold cells, where there are enough classes for them and not too many."""
        k = self.counts.shape[0]
        if k < _FEWEST_CLASSES or self.counts.size > _MOST_CELLS:
            return None
        open_cells = np.ones(self.counts.shape, dtype=bool)
        if self.shape.reject is not None:
            open_cells[:, self.shape.reject] = False
        open_cells[self._likeliest.closed()] = False
        return AffinityRows(
            np.where(open_cells, self.counts, 0.0), open_cells, self._frequencies(self._likeliest.matches)
        )

    def _frequencies(self, matches: Indices) -> Array | None:
        """Return how frequent the class that each column matches is; None where some row has no column of its own."""
        if (matches < 0).any():
            return None
        out = np.full(self.counts.shape[1], self._prevalence.mean.min())
        np.maximum.at(out, matches, self._prevalence.mean)
        return out

    def _wrong_predictions(self, hypothesis: Hypothesis) -> tuple[Array, Array]:
        """Return those expected in each cell, and those wanted in each column, to which its factor brings these.

        The levels say nothing of the columns as such and shrink them too much, while the column counts are known far
        better. The rows count as much as the levels above give them. What is asked for is the column's share of the
        *wrong* predictions: asking for its total would charge every shrinking of prevalence and recall to the few
        wrong ones. Prevalence and matching predictions stay as drawn.
        """
        mass = self._prevalence.mean
        if self._rejects is not None:
            mass = mass * (1 - self._rejects.mean)
        rest = self._answered.copy()
        if hypothesis.level is not None:
            rest[hypothesis.closed()] = 0.0
            mass = mass.copy()
            mass[hypothesis.matches >= 0] *= 1 - hypothesis.level.mean
            if hypothesis.own is not None:
                mass[hypothesis.renamed] *= 1 - hypothesis.own.mean
        wrong = rest.sum(1)
        weight = np.divide(mass * self.counts.sum(), wrong, out=np.zeros_like(wrong), where=wrong > 0)
        expected = hypothesis.rows.mean * mass[:, None]
        wanted = estimate_margins(weight @ rest, expected.sum(0)) * mass.sum()
        return expected, wanted

    def _weigh(self, name: str, matches: Indices, usable: Mask, log_prior: float) -> Iterator[Hypothesis]:
        """Yield the hypotheses of one way to match columns with rows, one for each row model."""
        counts = self._answered
        open_cells = usable.copy()
        matches = np.where(usable.sum(1) > 1, matches, -1)  # the only column needs no level
        matched = np.flatnonzero(matches >= 0)
        open_cells[matched, matches[matched]] = False
        renamed = np.flatnonzero((matches >= 0) & (self._named >= 0) & (matches != self._named))
        renamed = renamed[open_cells[renamed].sum(1) > 1] if name == "relabelled" else renamed[:0]
        # rows that an assignment had to give one of the columns which were left; there no row shows which
        unseen = matched[counts[matched, matches[matched]] == 0]
        guessed = unseen if name == "relabelled" and unseen.size > 1 else unseen[:0]
        level = own = None
        if matched.size:
            right = counts[matched, matches[matched]]
            level = TrendLevel(right, np.where(open_cells, counts, 0.0)[matched].sum(1))
        if renamed.size:  # a broken label map leaves some predictions right, more or fewer than chance would
            open_cells[renamed, self._named[renamed]] = False
            own = BetaLevel(counts[renamed, self._named[renamed]], np.where(open_cells, counts, 0.0)[renamed].sum(1))
        rest = np.where(open_cells, counts, 0.0)
        if not open_cells.any():
            return
        for kind, rows, log_odds in list_row_models(rest, open_cells, matches, self._frequencies(matches)):
            of_kind = level  # of learners that favour frequent classes success, if it has a trend, is expected to rise
            if level is not None and kind in _FAVOURING:
                of_kind = replace(level, expected_slope=RISING, same_data=level)
            evidence = log_prior + compute_log_total(rows.log_evidence) + log_odds
            evidence += sum(part.log_total for part in (of_kind, own) if part is not None)
            merges = None
            if name == "merged" and of_kind is not None:
                merges = Merges.of(counts, self._named, matches, of_kind.mean)
            parts = (guessed, merges, renamed, self._named[renamed], own)
            yield Hypothesis(f"{name}: {kind}", matches, of_kind, rows, evidence, *parts)


def _share_out(rows: Array, hypothesis: Hypothesis, sums: Array, rng: np.random.Generator) -> None:
    """Make weights of wrong predictions, with their sums, shares of all predictions, the matching ones drawn."""
    if hypothesis.level is None:
        rows /= sums[:, :, None]
        return
    matched = np.flatnonzero(hypothesis.matches >= 0)
    right = hypothesis.level.draw(len(rows), rng)
    with np.errstate(divide="ignore"):  # where nothing is wrong
        sums[:, matched] /= 1 - right
        if hypothesis.own is not None:
            wrong = 1 - right[:, np.searchsorted(matched, hypothesis.renamed)]
            own = hypothesis.own.draw(len(rows), rng)
            sums[:, hypothesis.renamed] /= 1 - own
    rows /= sums[:, :, None]
    rows[:, matched, hypothesis.matches[matched]] = right
    if hypothesis.own is not None:
        rows[:, hypothesis.renamed, hypothesis.named] = wrong * own
    guessed = hypothesis.guessed
    if guessed.size:
        # draw other columns for rows whose own is a guess: what matches trades places with what is there. None of these
        # rows has a count in any of these columns, or the assignment would have taken it; so all orders are alike
        columns, draw = hypothesis.matches[guessed], np.arange(len(rows))[:, None]
        others = rng.permuted(np.tile(columns, (len(rows), 1)), axis=1)
        matching, there = rows[:, guessed, columns], rows[draw, guessed, others]
        rows[:, guessed, columns] = there
        rows[draw, guessed, others] = matching
    if hypothesis.merges is not None:
        hypothesis.merges.trade_places(rows, rng)


def list_row_models(
    rest: Array, open_cells: Mask, matches: Indices, frequencies: Array | None
) -> Iterator[tuple[str, RowModel, float]]:
    """Yield candidates with a name and their log prior odds. A profile known beforehand, even or not, counts as one."""
    width = open_cells.sum(1, keepdims=True)
    if width.max() <= 1:
        frequencies = None
    yield "even", ProfileRows(rest, open_cells / np.maximum(width, 1)), 0.0 if frequencies is None else _HALF
    if frequencies is not None:
        profile = open_cells * frequencies
        yield "frequent", ProfileRows(rest, profile / np.maximum(profile.sum(1, keepdims=True), 1e-300)), _HALF
        if frequencies.max() > _DOMINANT * frequencies.mean():
            inside = np.broadcast_to(np.arange(rest.shape[1]) == frequencies.argmax(), rest.shape)
            yield "dominant", BlockRows(rest, open_cells, inside), 0.0
    if width.max() > 1:
        yield "shared", SharedRows(rest, open_cells), 0.0
        yield "subsets", SubsetRows(rest, open_cells), 0.0
        blocks = find_best_blocks(rest, open_cells, matches)
        if blocks is not None:
            yield "blocks", blocks, 0.0


# ── classes that are never predicted because another prediction takes their place ────────────────

FEWEST_CLASSES_MERGED = 5  # below, a class that is never predicted may as well have a low recall
_KEPT = 9.0  # a priori one class of ten is merged with another


class Merges(NamedTuple):
    """Further classes that are never predicted, whose samples do not show whether they are merged, too."""

    rows: Indices
    columns: Indices
    """Their own columns, which are empty."""
    others: Array
    """Probability that each column takes the place of their own where they are merged, (rows, columns)."""
    log_odds: Array
    """Of being merged by the samples of each, beside the share of classes that are."""
    merged: int
    kept: int

    @classmethod
    def of(cls, counts: Array, named: Indices, columns: Indices, right: Array) -> Merges | None:
        """Find those of a table, by its columns of the same name, those that match, and the share expected to."""
        rows = np.flatnonzero(counts.sum(0)[columns] == 0)
        if not rows.size:
            return None
        most = counts[rows].max(1, keepdims=True)
        others = (counts[rows] == most) * counts.sum(0)
        merged = int(np.count_nonzero(columns != named))
        return cls(
            rows,
            columns[rows],
            others / others.sum(1, keepdims=True),
            most[:, 0] * logit(right[rows]),
            merged,
            columns.size - merged - rows.size,
        )

    def trade_places(self, tables: Array, rng: np.random.Generator) -> None:
        """Merge them in as many of the drawn tables as is likely: what matches goes to the other column."""
        share = rng.beta(1 + self.merged, _KEPT + self.kept, (len(tables), 1))
        draws, place = np.nonzero(rng.random((len(tables), self.rows.size)) < expit(logit(share) + self.log_odds))
        other = (rng.random((place.size, 1)) > np.cumsum(self.others, axis=1)[place]).sum(1)
        other = other.clip(max=tables.shape[2] - 1)
        row, own = self.rows[place], self.columns[place]
        tables[draws, row, own], tables[draws, row, other] = tables[draws, row, other], tables[draws, row, own]


def find_merged_columns(counts: Array, columns: Indices) -> Indices:
    """Return the matching columns; for a class that is never predicted, the one that most of its samples get."""
    rows = np.flatnonzero(counts.sum(0)[columns] == 0)
    most = counts[rows].max(1, initial=0.0)
    shown = rows[(most >= 2) & (2 * most > counts[rows].sum(1))]
    merged = columns.copy()
    merged[shown] = counts[shown].argmax(1)
    return merged


def compute_merge_prior(merged: int, classes: int, width: int) -> float:
    """Return the log probability that just these classes are merged with just these others."""
    return float(betaln(merged + 1, classes - merged + _KEPT) - betaln(1, _KEPT) - merged * np.log(width))


# ── factors of columns that bring the wrong predictions in them to those counted ─────────────────

_LEAST = 0.2  # a column keeps at least this share of what the levels expect there
_ROUNDS, _SETTLED = 30, 1e-14  # most often four rounds settle everything


def fit_column_factors(expected: Array, wanted: Array) -> Array:
    """Find factors, (tables, columns), that bring columns to the wanted sums while row sums are kept."""
    rows, columns = expected.sum(2), expected.sum(1)
    wanted = np.maximum(wanted, _LEAST * columns)
    sums = wanted.sum(1, keepdims=True)
    wanted = np.where(sums > 0, wanted * (rows.sum(1, keepdims=True) / np.where(sums > 0, sums, 1.0)), columns)
    settled, factors = np.ones(wanted.shape), np.ones(wanted.shape)
    places = np.arange(len(wanted))
    moving = (np.count_nonzero(expected, axis=2) > 1).any(1)  # where each is alone in its row, no factor matters
    for _ in range(_ROUNDS):
        if not moving.all():
            settled[places[~moving]] = factors[~moving]
            parts = (expected, wanted, rows, columns, factors, places)
            expected, wanted, rows, columns, factors, places = (part[moving] for part in parts)
        if not places.size:
            break
        stretch = rows / np.maximum(np.einsum("tij,tj->ti", expected, factors), 1e-300)
        kept = factors * np.einsum("ti,tij->tj", stretch, expected)
        change = np.divide(wanted, kept, out=np.ones_like(wanted), where=columns > 0)
        factors *= change
        factors /= factors.max(1, keepdims=True)
        moving = np.abs(change - 1).max(1) >= _SETTLED
    settled[places] = factors
    return np.maximum(settled, 1e-12)
