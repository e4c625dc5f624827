"""Statistics behind the diagnosis: what its rules ask of a table, and of the names and pairs of its classes.

``TableStatistics`` holds one table with what is believed about it, and computes what several rules need once;
``THRESHOLDS`` says when each rule speaks. Below them stand the two larger computations: which renaming of the outputs
is right most often, and what confusing or merging two classes costs. ``studies/diagnose.py`` has the rules;
``evaluate``, ``gate`` and ``compare`` call single functions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from infoscope.core.numerics import Real, as_real, best_assignment
from infoscope.metrics.chance import CHANCE_LEVEL, chance_p_value
from infoscope.metrics.registry import catalogue
from infoscope.metrics.shannon import Entropies, entropies
from infoscope.results.finding import Finding
from infoscope.tables import Contingency
from infoscope.tables.labels import Label, list_few, lookalikes

MAX_RENAMED_CLASSES = 2000
"""Larger tables are not assigned: the work grows with the third power of the classes."""
MAX_MERGED_PAIRS = 5000
"""Merging is weighed for this many confused pairs at most."""
_LARGEST_LOOKED_UP = 10_000
"""Counts up to this are looked up, not computed."""
_SPLIT_SEED = 20_240_611
_SPLITS = 5
_METRICS_WITH_INTERVALS = (
    "proficiency",
    "accuracy",
    "macro_f1",
    "system_entropy",
    "effective_classes",
    "split_system_divergence",
)


@dataclass(frozen=True)
class Thresholds:
    """When a rule speaks: shares unless said otherwise."""

    silent_entropy: float = 0.02
    """Majority voter: output entropy at most this fraction of the truth's."""
    silent_limit: float = 0.5
    """… and its upper limit at most this fraction of it."""
    chance_proficiency: float = 0.001
    """Random, where the sample size is not known: at most this proficiency."""
    specialised_gap: float = 0.15
    """Specialised: the output's divergence from uniform exceeds the truth's by this much."""
    paradox_accuracy: float = 0.8
    """Accuracy paradox: accuracy at least this …"""
    paradox_share: float = 0.75
    """… where the most frequent class has at least this share: then much of it comes without any knowledge …"""
    paradox_proficiency: float = 0.4
    """… and the lower limit of proficiency at most this …"""
    widest: float = 0.3
    """… unless its interval is wider than this: then nothing can be said."""
    renaming_gain: float = 0.02
    """Relabelled: the best renaming gains at least this accuracy …"""
    renaming_errors: float = 2.5
    """… and this many standard errors of the samples that change sides, on held-out samples too …"""
    renaming_half_errors: float = 1.5
    """… of names chosen on half of the samples by this many …"""
    renaming_odds: float = 2.0
    """… and this many times the hits that it gives up."""
    renaming_unknown_size: float = 100.0
    """Sample size of a table that does not know its own."""
    misspelt_share: float = 0.01
    """Misspelt predictions: at least this fraction of the predictions is a true class in another spelling."""
    pair_proficiency: float = 0.25
    """Merged pair: the system recovers at most this fraction of the difference between the two classes …"""
    pair_limit: float = 0.5
    """… with high probability at most this much …"""
    pair_weight: float = 0.01
    """… which is at least this fraction of the truth's information."""
    only_errors_chance: float = 0.01
    """Only errors: no prediction is right, which chance explains with at most this probability …"""
    only_errors_renamed: float = 0.95
    """… and no other names of the outputs make this fraction of them right."""
    rejection_rate: float = 0.005
    """Abstains for free: at least this fraction of samples is rejected …"""
    rejection_cost: float = 0.01
    """… and the rejected samples keep open at most this fraction of what there was to know about them."""
    positive_share: float = 0.2
    """Predicted too rarely or too often: a positive class of at most this share …"""
    positive_count: float = 1.25
    """… is predicted this many times too often or too rarely …"""
    positive_errors: float = 3.0
    """… and by this many standard errors of the samples that are missed or false alarms."""
    detection_classes: float = 1.5
    """Detection problem: at most this many effective classes among three or more."""
    detection_limit: float = 2.0
    """… and with high probability at most this many."""
    second_stage_share: float = 0.03
    """Second stage: some predictions together leave at least this fraction of the truth's information open …"""
    second_stage_cover: float = 0.95
    """… this much of each among so few true classes …"""
    second_stage_classes: int = 3
    """… at most this many."""
    clash_margin: float = 0.01
    """Non-monotone: accuracy and proficiency each differ by at least this much, in opposite directions."""
    clash_errors: float = 1.0
    """… and by at least this many standard errors, where those are known."""
    poor_output: float = 0.05
    """Less varied output: H(S) falls short of H(T) by at least this fraction of it."""
    r_hat: float = 1.2
    """Unmixed chains: R̂ is at least this."""
    rare_among: int = 50
    """Rare classes: among at least this many classes …"""
    rare_share: float = 0.25
    """… at least this fraction has …"""
    rare_class: int = 5
    """… fewer samples than this, …"""
    rare_contrast: float = 5.0
    """… and the most frequent one this many times the average."""
    normalised_rounding: float = 0.005
    """Normalised matrix: rows, columns or the whole sum to 1, or to 100, up to this per class, or ten times this."""
    samples_per_cell: float = 5.0
    """Few samples: fewer than this many for each occupied cell; a second stage needs them to count small gains."""


THRESHOLDS = Thresholds()


# One table ------------------------------------------------------------------------------------------------------------


class TableBelief(Protocol):
    """Posterior facts about the metrics of one table, beyond their plug-in values."""

    def summaries(self, names: Sequence[str], level: float) -> Mapping[str, Any]:
        """Return mean, sd, low and high of each of these metrics."""

    def by_class(self, level: float) -> Mapping[str, Any]:
        """Return the same by class of the truth: one number per class in each."""

    def by_output(self, level: float) -> Mapping[str, Any]:
        """Return the same by predicted class."""


class MetricInterval(NamedTuple):
    """Standard error and interval of one metric."""

    sd: float
    low: float
    high: float


@dataclass(frozen=True)
class TableStatistics:
    """One table under diagnosis."""

    table: Contingency
    n: float | None
    """Sample size; None where it is not known."""
    belief: TableBelief | None = None
    """Interval, if there is one: a rule is silent where it leaves the claim open."""
    level: float = 0.95

    @cached_property
    def _summaries(self) -> Mapping[str, Any]:
        return {} if self.belief is None else self.belief.summaries(_METRICS_WITH_INTERVALS, self.level)

    def limits(self, metric: str) -> MetricInterval | None:
        """Return the interval of a metric; None where there is no belief, or no such interval."""
        summary = self._summaries.get(metric)
        if summary is None or not np.all(np.isfinite([summary.sd, summary.low, summary.high])):
            return None
        return MetricInterval(float(summary.sd), float(summary.low), float(summary.high))

    def shown(self, metric: str, in_sample: float) -> float:
        """Return the number that reports show for a metric: the sample's, of information the posterior mean."""
        summary = self._summaries.get(metric) if catalogue[metric].is_information else None
        return in_sample if summary is None or not np.isfinite(summary.mean) else float(summary.mean)

    @cached_property
    def shown_proficiency(self) -> float:
        """Captured fraction of H(T), as reports show it."""
        return self.shown("proficiency", self.proficiency)

    def is_below(self, metric: str, limit: float) -> bool:
        """Return True if the upper limit of a metric is at most this, or nothing speaks against it."""
        limits = self.limits(metric)
        return limits is None or limits.high <= limit

    @cached_property
    def entropies(self) -> Entropies:
        """All entropies, in bits."""
        return entropies(self.table)

    @cached_property
    def truth_bits(self) -> float:
        """H(T): what there is to know."""
        return float(self.entropies.truth)

    @cached_property
    def proficiency(self) -> float:
        """Captured fraction of H(T) in the sample; 0 where there is nothing to know."""
        captured, missed = float(self.entropies.mutual), float(self.entropies.missed)
        return captured / (captured + missed) if captured + missed > 0 else 0.0

    @cached_property
    def accuracy(self) -> float | None:
        """Fraction of right predictions in the sample; None where the sides share no label."""
        if not len(self.table.matches[0]):
            return None
        return float(self.table.diagonal.sum()) / float(self.table.grand_total)

    @property
    def majority(self) -> tuple[Label, float]:
        """The most frequent true class and its frequency."""
        largest = int(np.argmax(self.table.row_shares))
        return self.table.truth_labels[largest], float(self.table.row_shares[largest])

    @cached_property
    def class_numbers(self) -> tuple[int, int]:
        """Numbers of true and of predicted classes that occur."""
        return int(np.count_nonzero(self.table.row_totals)), int(np.count_nonzero(self.table.column_totals))

    @cached_property
    def chance_p_value(self) -> float | None:
        """P of at least this much information by chance; None where the sample size is not known."""
        return chance_p_value(self.table, self.n)

    @cached_property
    def could_be_chance(self) -> bool:
        """True where the captured information is not significantly more than independent predictions would show."""
        if self.chance_p_value is None:
            return self.proficiency <= THRESHOLDS.chance_proficiency
        return self.chance_p_value > CHANCE_LEVEL


# Names of the outputs -------------------------------------------------------------------------------------------------

Indices = NDArray[np.int64]


@dataclass(frozen=True)
class Renaming:
    """Which class each output is best read as, one to one; outputs that keep their name or never occur are left out."""

    names: Mapping[Label, Label]
    telling: tuple[Label, ...]
    """Outputs whose new class they are found with more often than by chance; the others only make room."""
    accuracy: float
    """With those names."""


def fit_renaming(table: Contingency) -> Renaming | None:
    """Return the assignment of outputs to classes with most hits; None where it would be too much work.

    Ties go to the present names.
    """
    outputs = _Outputs.of(table)
    return None if outputs is None else _describe_renaming(table, outputs, _assign(outputs.counts, outputs.own))


def find_evident_renaming(table: Contingency, n: float | None) -> Renaming | None:
    """Return the part of the best assignment that chance does not explain; None where there is none.

    An assignment fitted to a sample is right more often in that sample whatever the names, all the more with many
    classes. So outputs that exchange names count only together and if they gain far more than they give up; and names
    chosen on one half of the samples must gain as much on the other half.
    """
    outputs = _Outputs.of(table)
    if outputs is None or not len(table.matches[0]):
        return None
    counts, own = outputs.counts, outputs.own
    scale = (n or THRESHOLDS.renaming_unknown_size) / float(table.grand_total)
    exchanged = _find_exchanges(counts * scale, own, THRESHOLDS.renaming_errors)
    if not len(exchanged[0]):
        return None
    if table.is_counts:
        # names chosen on either half of the samples must gain on the other half, in most of a few splits
        rng = np.random.default_rng(_SPLIT_SEED)
        successes = 0
        for half in [rng.binomial(counts.astype(np.int64), 0.5).astype(np.float64) for _ in range(_SPLITS)]:
            hits = np.zeros(3)
            for chosen_on, tried_on in ((half, counts - half), (counts - half, half)):
                moved = _find_exchanges(chosen_on, own, THRESHOLDS.renaming_half_errors)
                hits += np.array([kind.sum() for kind in _count_hits(tried_on, own, *moved)])
            successes += bool(_is_evident(hits, THRESHOLDS.renaming_errors))
        if successes <= _SPLITS // 2:
            return None
    renaming = _describe_renaming(table, outputs, exchanged)
    gain = renaming.accuracy - float(table.diagonal.sum()) / float(table.grand_total)
    return renaming if gain >= THRESHOLDS.renaming_gain else None


@dataclass(frozen=True)
class _Outputs:
    """The columns that are predictions, the reject label left out."""

    columns: Indices
    counts: Real
    own: Indices
    """The row of the class that has the output's name; -1 where none has."""

    @classmethod
    def of(cls, table: Contingency) -> _Outputs | None:
        """Return those of a table; None where the work would be too much, or there is nothing to assign."""
        columns = np.array(
            [column for column in range(table.shape[1]) if column != table.reject_column], dtype=np.int64
        )
        if table.is_sparse or max(table.shape) > MAX_RENAMED_CLASSES or not len(columns):
            return None
        own = np.full(table.shape[1], -1)
        rows, matched = table.matches
        own[matched] = rows
        return cls(columns, np.asarray(table.counts, dtype=np.float64)[:, columns], own[columns])


def _assign(counts: Real, own: Indices) -> tuple[Indices, Indices]:
    """Return the columns that occur and whose best row is not their own, and these rows."""
    named = np.flatnonzero(own >= 0)
    preferred = counts.copy()
    preferred[own[named], named] += counts.max() * 1e-9 / max(counts.shape)
    rows, columns = best_assignment(preferred)
    moved = (own[columns] != rows) & (counts.sum(axis=0)[columns] > 0)
    return columns[moved], rows[moved]


def _find_exchanges(counts: Real, own: Indices, errors: float) -> tuple[Indices, Indices]:
    """Return moved columns whose exchange gains this many standard errors, and far more than it gives up.

    It must also gain where all classes are equally many: a system that predicts a frequent class too rarely would get
    more hits under other names of its outputs, yet each class gets its own name more often than the others do.
    """
    columns, rows = _assign(counts, own)
    if not len(columns):
        return columns, rows
    part = np.arange(counts.shape[0])  # columns belong together where names pass from one to the other
    for old, new in zip(own[columns], rows, strict=True):
        if old >= 0:
            part[part == part[old]] = part[new]
    part = part[rows]
    hits = np.array([np.bincount(part, kind) for kind in _count_hits(counts, own, columns, rows)], dtype=np.float64)

    totals = counts.sum(axis=1)
    # of a class without samples, nothing says how often it is found
    has_samples = (own[columns] >= 0) & (totals[own[columns]] > 0)
    renamed, named = ((counts[row, columns] + 0.5) / (totals[row] + 1.0) for row in (rows, own[columns]))
    variances = renamed * (1 - renamed) / (totals[rows] + 1.0) + named * (1 - named) / (totals[own[columns]] + 1.0)
    change, variance = (np.bincount(part, np.where(has_samples, x, 0.0)) for x in (renamed - named, variances))
    gains_balanced = (change > THRESHOLDS.renaming_half_errors * np.sqrt(variance)) | (variance == 0)

    kept = (_is_evident(hits, errors) & gains_balanced)[part]
    return columns[kept], rows[kept]


def _is_evident(outcome: Real, errors: float) -> NDArray[np.bool_]:
    """Return where a gain is this many standard errors, far more than is given up, and more than chance explains."""
    gained, given_up, by_chance = outcome
    net = gained - given_up > errors * np.sqrt(gained + given_up)
    beyond_chance = gained - by_chance > errors * np.sqrt(gained) / 2
    return np.asarray(net & beyond_chance & (gained >= THRESHOLDS.renaming_odds * given_up))


def _count_hits(counts: Real, own: Indices, columns: Indices, rows: Indices) -> tuple[Real, Real, Real]:
    """Return the hits that each moved column gains, those that it gives up, and those that it would gain by chance."""
    by_chance = counts.sum(axis=1)[rows] * counts.sum(axis=0)[columns] / max(float(counts.sum()), 1.0)
    before = np.where(own[columns] >= 0, counts[own[columns], columns], 0.0)
    return counts[rows, columns], before, by_chance


def _describe_renaming(table: Contingency, outputs: _Outputs, moved: tuple[Indices, Indices]) -> Renaming:
    columns, rows = moved
    labels = [table.system_labels[column] for column in outputs.columns[columns]]
    gained, given_up, by_chance = _count_hits(outputs.counts, outputs.own, columns, rows)
    hits = float(table.diagonal.sum() + gained.sum() - given_up.sum())
    telling = [label for label, is_telling in zip(labels, gained > by_chance, strict=True) if is_telling]
    names = {label: table.truth_labels[row] for label, row in zip(labels, rows, strict=True)}
    return Renaming(
        names=dict(sorted(names.items(), key=lambda item: str(item[0]))),
        telling=tuple(sorted(telling, key=str)),
        accuracy=hits / float(table.grand_total),
    )


def find_foreign_labels(table: Contingency) -> Finding | None:
    """Return a finding where no predicted label is a true one, or where some are a true one in another spelling.

    It is no part of the diagnosis of a system, whose predictions may be clusters: a gate and a comparison, which go by
    names, ask for it.
    """
    true = [label for label, total in zip(table.truth_labels, table.row_totals, strict=True) if total]
    predicted = {
        label: float(total)
        for label, total in zip(table.system_labels, table.column_totals, strict=True)
        if total and label != table.reject
    }
    if predicted and not predicted.keys() & set(true):
        text = f"Truth ({list_few(true)}) and predictions ({list_few(list(predicted))}) have no label in common"
        return Finding("no_common_label", f"{text}, so that no prediction can be right.", "warning")
    foreign = predicted.keys() - set(true)
    groups = [group for group in lookalikes({*true, *foreign}) if foreign & {*group} and {*group} - foreign]
    samples = sum(predicted[label] for group in groups for label in group if label in foreign)
    if not groups or samples < THRESHOLDS.misspelt_share * float(table.grand_total):
        return None
    text = (
        f"{samples / float(table.grand_total):.1%} of the predictions are a true class in another spelling, and count "
        f"as wrong: {'; '.join(list_few(group) for group in groups[:3])}{'; …' * (len(groups) > 3)}."
    )
    return Finding("misspelt_predictions", text, "warning", {"labels": [list(group) for group in groups]})


# Pairs of classes -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Confusion:
    """Two classes taken for each other."""

    first: Label
    second: Label
    count: float
    gain: float
    """Proficiency gained if these two were never confused again, everything else as it is."""
    directed: bool = False
    """True where only the first class predicted as the second is meant: of two classes, misses and false alarms."""


def _weigh(x: Real) -> Real:
    """Return x log2 x, with 0 at 0: entropies of counts are differences of such sums."""
    return x * np.log2(np.where(x > 0, x, 1.0))


def _count_confused_pairs(table: Contingency) -> tuple[Indices, Indices, Real, Real]:
    """Return pairs a < b, by position in ``matches``, with D_ab and D_ba, one of them above 0."""
    rows, columns = table.matches
    size = len(rows)
    class_of_row = np.full(table.shape[0], -1, dtype=np.int64)
    class_of_column = np.full(table.shape[1], -1, dtype=np.int64)
    class_of_row[rows] = class_of_column[columns] = np.arange(size)
    first, second = class_of_row[table.cell_rows], class_of_column[table.cell_columns]
    off = (first >= 0) & (second >= 0) & (first != second) & (table.cells > 0)
    first, second, counts = first[off], second[off], table.cells[off]
    keys, place = np.unique(np.minimum(first, second) * size + np.maximum(first, second), return_inverse=True)
    upward = first < second
    there = as_real(np.bincount(place[upward], counts[upward], minlength=len(keys)))
    back = as_real(np.bincount(place[~upward], counts[~upward], minlength=len(keys)))
    return keys // max(size, 1), keys % max(size, 1), there, back


def find_confusions(table: Contingency, truth_bits: float, most: int = 10) -> list[Confusion]:
    """Return the confused pairs that cost most: each resolved alone, by the exact difference it makes."""
    if not truth_bits > 0:
        return []
    rows, columns = table.matches
    a, b, there, back = _count_confused_pairs(table)
    totals, hits = table.column_totals[columns], table.diagonal
    shift = there - back  # predictions b that become predictions a, less those that go the other way
    open_before = _weigh(totals[a]) + _weigh(totals[b])
    open_before -= _weigh(hits[a]) + _weigh(hits[b]) + _weigh(there) + _weigh(back)
    open_after = _weigh(totals[a] + shift) + _weigh(totals[b] - shift)
    open_after -= _weigh(hits[a] + there) + _weigh(hits[b] + back)
    gains = (open_before - open_after) / float(table.grand_total) / truth_bits
    best = [k for k in np.argsort(-gains, kind="stable")[:most] if gains[k] > 1e-12]
    names = [table.truth_labels[row] for row in rows]
    return [Confusion(names[a[k]], names[b[k]], float(there[k] + back[k]), float(gains[k])) for k in best]


def find_directed_errors(table: Contingency, truth_bits: float) -> list[Confusion]:
    """Return, of two classes, each kind of error by itself: the one pair there is to confuse says nothing.

    >>> errors = find_directed_errors(Contingency.from_matrix([[9, 1], [3, 7]]), 1.0)
    >>> [(error.first, error.second, error.count) for error in errors]
    [(1, 0, 3.0), (0, 1, 1.0)]
    """
    rows, columns = table.matches
    if len(rows) != 2 or not truth_bits > 0:
        return []
    before = float(entropies(table).mutual)
    errors = []
    for one, other in ((0, 1), (1, 0)):
        row = int(rows[one])
        wrong, right = ((table.cell_rows == row) & (table.cell_columns == columns[side]) for side in (other, one))
        count = float(table.cells[wrong].sum())
        if not count:
            continue
        corrected = table.cells.copy()
        corrected[wrong] = 0.0
        corrected[right] += count
        gain = (float(entropies(table.with_cells(corrected)).mutual) - before) / truth_bits
        labels = [table.truth_labels[int(rows[side])] for side in (one, other)]
        errors.append(Confusion(labels[0], labels[1], count, gain, directed=True))
    return sorted(errors, key=lambda error: -error.gain)


@dataclass(frozen=True)
class MergeLosses:
    """For each confused pair of classes: what merging it on both sides would lose, in bits."""

    first: Indices
    second: Indices
    lost: Real
    """Information that the output carries now and would not carry then."""
    to_know: Real
    """Information in the difference between the two: P(pair)·H(class | pair)."""
    known: Real
    """Part of it that the output captures."""
    labels: tuple[Label, ...]


def compute_merge_losses(table: Contingency) -> MergeLosses:
    """Return what merging would lose, for all confused pairs at once: n·I is a sum of w(x) = x log x, few terms change.

    Of very many pairs, those confused most often for their size are weighed.
    """
    rows, columns = table.matches
    a, b, there, back = _count_confused_pairs(table)
    if len(a) > MAX_MERGED_PAIRS:
        sizes = table.row_totals[rows]
        alike = (there + back) / np.maximum(np.minimum(sizes[a], sizes[b]), 1e-300)
        kept = np.sort(np.argsort(-alike, kind="stable")[:MAX_MERGED_PAIRS])
        a, b, there, back = a[kept], b[kept], there[kept], back[kept]

    def weigh_sum(x: Real, y: Real) -> Real:
        """Return by how much w grows when two numbers are added."""
        return _weigh(x + y) - _weigh(x) - _weigh(y)

    hits, n = table.diagonal, float(table.grand_total)
    to_know = weigh_sum(table.row_totals[rows[a]], table.row_totals[rows[b]])
    known = to_know - _weigh_added_lines(table.counts, rows[a], rows[b])
    # columns are merged after the rows: in the merged row the four cells of the pair have become two
    across = _weigh_added_lines(table.counts.T, columns[a], columns[b])
    across -= weigh_sum(hits[a], there) + weigh_sum(back, hits[b])
    across += weigh_sum(hits[a] + back, there + hits[b])
    lost = known + weigh_sum(table.column_totals[columns[a]], table.column_totals[columns[b]]) - across
    return MergeLosses(
        first=a,
        second=b,
        lost=np.maximum(lost / n, 0.0),
        to_know=to_know / n,
        known=np.maximum(known / n, 0.0),
        labels=tuple(table.truth_labels[row] for row in rows),
    )


def _weigh_added_lines(lines: Any, one: Indices, other: Indices) -> Real:
    """Return by how much Σ w(cell) grows when pairs of lines are added cell by cell."""
    if hasattr(lines, "tocsr"):
        lines = lines.tocsr().astype(np.float64)
        sums = []
        for part in (lines[one] + lines[other], lines[one], lines[other]):
            part.data = _weigh(part.data)
            sums.append(np.asarray(part.sum(axis=1), dtype=np.float64).reshape(-1))
        return sums[0] - sums[1] - sums[2]
    cells = np.asarray(lines, dtype=np.float64)
    weigh: Any = _weigh
    if cells.size and cells.max() <= _LARGEST_LOOKED_UP and np.array_equal(cells, np.rint(cells)):
        cells = cells.astype(np.intp)
        weigh = _weigh(np.arange(2 * cells.max() + 1)).take  # a third of the time of logarithms
    alone = weigh(cells).sum(axis=1)
    together = [
        weigh(cells[one[start : start + 512]] + cells[other[start : start + 512]]).sum(axis=1)
        for start in range(0, len(one), 512)
    ]
    return np.concatenate([*together, np.zeros(0)]) - alone[one] - alone[other]
