"""The naming of the outputs that is right most often: one class for each output, by optimal assignment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from infoscope.core.numerics import Real, best_assignment
from infoscope.results.finding import Finding
from infoscope.studies.diagnose.thresholds import THRESHOLDS
from infoscope.tables import Contingency
from infoscope.tables.labels import Label, few_of, lookalikes

__all__ = ["Renaming", "best_renaming", "evident_renaming", "foreign_labels"]

MOST_CLASSES = 2000
"""Larger tables are not assigned: the work grows with the third power of the classes."""
_SEED = 20_240_611
_SPLITS = 5

Columns = NDArray[np.int64]


@dataclass(frozen=True)
class Renaming:
    """Which class each output is best read as, one to one; outputs that keep their name or never occur are left out."""

    names: Mapping[Label, Label]
    telling: tuple[Label, ...]
    """Outputs whose new class they are found with more often than by chance; the others only make room."""
    accuracy: float
    """With those names."""


def best_renaming(table: Contingency) -> Renaming | None:
    """The assignment with most hits; ties go to the present names. None where it would be too much work."""
    outputs = _Outputs.of(table)
    if outputs is None:
        return None
    return _renaming(table, outputs, _moved(outputs.counts, outputs.own))


def evident_renaming(table: Contingency, n: float | None) -> Renaming | None:
    """The part of the best assignment that chance does not explain; None where there is none.

    An assignment fitted to a sample is right more often in that sample whatever the names, all the more with many
    classes. So outputs that exchange names count only together and if they gain far more than they give up; and names
    chosen on one half of the samples must gain as much on the other half.
    """
    outputs = _Outputs.of(table)
    if outputs is None or not len(table.matches[0]):
        return None
    scale = (n or THRESHOLDS.renaming_unknown_size) / float(table.grand_total)
    kept = _evident(outputs.counts * scale, outputs.own, THRESHOLDS.renaming_errors)
    if not len(kept[0]) or (table.is_counts and not _holds_out(outputs.counts, outputs.own)):
        return None
    found = _renaming(table, outputs, kept)
    gain = found.accuracy - float(table.diagonal.sum()) / float(table.grand_total)
    return found if gain >= THRESHOLDS.renaming_gain else None


@dataclass(frozen=True)
class _Outputs:
    """The columns that are predictions, the reject label left out."""

    columns: Columns
    counts: Real
    own: NDArray[np.int64]
    """The row of the class that has the output's name; -1 where none has."""

    @classmethod
    def of(cls, table: Contingency) -> _Outputs | None:
        """None where the work would be too much, or there is nothing to assign."""
        columns = np.array([at for at in range(table.shape[1]) if at != table.reject_column], dtype=np.int64)
        if table.is_sparse or max(table.shape) > MOST_CLASSES or not len(columns):
            return None
        own = np.full(table.shape[1], -1)
        rows, matched = table.matches
        own[matched] = rows
        return cls(columns, np.asarray(table.counts, dtype=np.float64)[:, columns], own[columns])


def _moved(counts: Real, own: NDArray[np.int64]) -> tuple[Columns, Columns]:
    """Columns that occur and whose best row is not their own, and these rows."""
    named = np.flatnonzero(own >= 0)
    liked = counts.copy()
    liked[own[named], named] += counts.max() * 1e-9 / max(counts.shape)
    rows, columns = best_assignment(liked)
    moved = (own[columns] != rows) & (counts.sum(axis=0)[columns] > 0)
    return columns[moved], rows[moved]


def _evident(counts: Real, own: NDArray[np.int64], errors: float) -> tuple[Columns, Columns]:
    """Those of the moved columns whose exchange gains this many standard errors, and far more than it gives up."""
    columns, rows = _moved(counts, own)
    if not len(columns):
        return columns, rows
    part = _exchanges(own[columns], rows, counts.shape[0])
    outcome = _outcome(counts, own, (columns, rows))
    hits = np.array([np.bincount(part, each) for each in outcome], dtype=np.float64)
    kept = (_is_evident(hits, errors) & _is_balanced(counts, own, (columns, rows), part))[part]
    return columns[kept], rows[kept]


def _is_balanced(
    counts: Real, own: NDArray[np.int64], moved: tuple[Columns, Columns], part: Columns
) -> NDArray[np.bool_]:
    """Whether each exchange also gains where all classes are equally many, beyond chance.

    A system that predicts a frequent class too rarely would get more hits under other names of its outputs; yet each
    class gets its own name more often than the others do. With broken names it does not.
    """
    columns, rows = moved
    totals = counts.sum(axis=1)
    has_samples = (own[columns] >= 0) & (
        totals[own[columns]] > 0
    )  # of a class without, nothing says how often it is found
    renamed, named = ((counts[row, columns] + 0.5) / (totals[row] + 1.0) for row in (rows, own[columns]))
    variances = renamed * (1 - renamed) / (totals[rows] + 1.0) + named * (1 - named) / (totals[own[columns]] + 1.0)
    change, variance = (np.bincount(part, np.where(has_samples, x, 0.0)) for x in (renamed - named, variances))
    return np.asarray((change > THRESHOLDS.renaming_half_errors * np.sqrt(variance)) | (variance == 0))


def _is_evident(outcome: Real, errors: float) -> NDArray[np.bool_]:
    """Whether a gain is this many standard errors, far more than what is given up, and more than chance explains."""
    gained, given_up, by_chance = outcome
    net = gained - given_up > errors * np.sqrt(gained + given_up)
    beyond_chance = gained - by_chance > errors * np.sqrt(gained) / 2
    return np.asarray(net & beyond_chance & (gained >= THRESHOLDS.renaming_odds * given_up))


def _exchanges(old: NDArray[np.int64], new: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """Which exchange each moved column belongs to: columns are in one where names pass from one to the other."""
    part = np.arange(size)
    for one, other in zip(old, new, strict=True):
        if one >= 0:
            part[part == part[one]] = part[other]
    return part[new]


def _outcome(counts: Real, own: NDArray[np.int64], moved: tuple[Columns, Columns]) -> tuple[Real, Real, Real]:
    """Hits that each moved column gains, those that it gives up, and those that it would gain by chance."""
    columns, rows = moved
    by_chance = counts.sum(axis=1)[rows] * counts.sum(axis=0)[columns] / max(float(counts.sum()), 1.0)
    before = np.where(own[columns] >= 0, counts[own[columns], columns], 0.0)
    return counts[rows, columns], before, by_chance


def _holds_out(counts: Real, own: NDArray[np.int64]) -> bool:
    """Whether names chosen on either half of the samples gain on the other half, in most of a few random splits."""
    rng = np.random.default_rng(_SEED)
    halves = (rng.binomial(counts.astype(np.int64), 0.5).astype(np.float64) for _ in range(_SPLITS))
    return sum(_gains_on_the_other(half, counts - half, own) for half in halves) > _SPLITS // 2


def _gains_on_the_other(half: Real, rest: Real, own: NDArray[np.int64]) -> bool:
    summed = np.zeros(3)
    for chosen_on, tried_on in ((half, rest), (rest, half)):
        found = _evident(chosen_on, own, THRESHOLDS.renaming_half_errors)
        summed += np.array([each.sum() for each in _outcome(tried_on, own, found)])
    return bool(_is_evident(summed, THRESHOLDS.renaming_errors))


def _renaming(table: Contingency, outputs: _Outputs, moved: tuple[Columns, Columns]) -> Renaming:
    columns, rows = moved
    labels = [table.system_labels[at] for at in outputs.columns[columns]]
    gained, given_up, by_chance = _outcome(outputs.counts, outputs.own, moved)
    hits = float(table.diagonal.sum() + gained.sum() - given_up.sum())
    telling = [label for label, is_telling in zip(labels, gained > by_chance, strict=True) if is_telling]
    names = {label: table.truth_labels[row] for label, row in zip(labels, rows, strict=True)}
    return Renaming(
        names=dict(sorted(names.items(), key=lambda item: str(item[0]))),
        telling=tuple(sorted(telling, key=str)),
        accuracy=hits / float(table.grand_total),
    )


def foreign_labels(table: Contingency) -> Finding | None:
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
        text = f"Truth ({few_of(true)}) and predictions ({few_of(list(predicted))}) have no label in common"
        return Finding("no_common_label", f"{text}, so that no prediction can be right.", "warning")
    foreign = predicted.keys() - set(true)
    groups = [group for group in lookalikes({*true, *foreign}) if foreign & {*group} and {*group} - foreign]
    samples = sum(predicted[label] for group in groups for label in group if label in foreign)
    if not groups or samples < THRESHOLDS.misspelt_share * float(table.grand_total):
        return None
    text = (
        f"{samples / float(table.grand_total):.1%} of the predictions are a true class in another spelling, and count "
        f"as wrong: {'; '.join(few_of(group) for group in groups[:3])}{'; …' * (len(groups) > 3)}."
    )
    return Finding("misspelt_predictions", text, "warning", {"labels": [list(group) for group in groups]})
