"""The naming of the outputs that is right most often: one class for each output, by optimal assignment."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from infoscope.assignment import best_assignment
from infoscope.diagnosis.thresholds import THRESHOLDS
from infoscope.numeric import Real
from infoscope.quick_dataclasses import dataclass
from infoscope.tables import Contingency
from infoscope.tables.labels import Label

__all__ = ["Renaming", "best_renaming", "evident_renaming"]

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
    summed = np.array([np.bincount(part, each) for each in _outcome(counts, own, (columns, rows))], dtype=np.float64)
    kept = _is_evident(summed, errors)[part]
    return columns[kept], rows[kept]


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
