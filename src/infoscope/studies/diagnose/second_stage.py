"""The rule about a second stage: predictions that leave much open, but among few classes."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc

from infoscope.core.markup import counted
from infoscope.core.numerics import Real
from infoscope.metrics.permutation import CHANCE_LEVEL
from infoscope.results.codec import Json
from infoscope.results.finding import Finding
from infoscope.studies.diagnose.phrases import listed, points, quoted
from infoscope.studies.diagnose.statistics import TableStatistics
from infoscope.studies.diagnose.thresholds import THRESHOLDS

__all__ = ["second_stage"]

_SPOKEN = 3
"""Predictions that the sentence names; the evidence has them all."""


def second_stage(facts: TableStatistics) -> Finding | None:
    """Predictions that leave much open, but among few classes: a second classifier could decide there."""
    if facts.occupied[0] < 3 or facts.truth_bits == 0:
        return None
    few = _few_classes(facts)
    if not len(few.predictions) or _surely_open(facts, few) < THRESHOLDS.second_stage_share * facts.truth_bits:
        return None
    stages = few.described(facts)
    gains = few.bits / facts.truth_bits
    every = [
        f"on {quoted(stage['predicted'])}, which means {listed(stage['classes'], word='or')}, up to {points(gain)}"
        for stage, gain in zip(stages, gains, strict=True)
    ]
    spoken = every[:_SPOKEN]
    if len(stages) > _SPOKEN:
        rest = counted(len(stages) - _SPOKEN, "more prediction")
        spoken.append(f"on {rest}, up to {points(float(gains[_SPOKEN:].sum()))}")
    lead = (
        "A second classifier could recover, of this sample's information,"
        if len(stages) == 1
        else f"A second stage could recover up to {points(float(gains.sum()))} of this sample's information:"
    )
    evidence: dict[str, Json] = {"outputs": stages, "bits": float(few.bits.sum())}
    found = Finding("second_stage", f"{lead} {'; '.join(spoken)}.", evidence=evidence)
    return found.with_names("; ".join(spoken), "; ".join(every))


@dataclass(frozen=True)
class _FewClasses:
    """Predictions behind which stand few true classes, the costliest first."""

    predictions: NDArray[np.int64]
    bits: Real
    """What telling the classes of each apart would give."""
    classes: list[NDArray[np.int64]]
    """The true classes of each, the most frequent first."""

    def described(self, facts: TableStatistics) -> list[dict[str, Any]]:
        """Each prediction in plain values."""
        truth, system = facts.table.truth_labels, facts.table.system_labels
        return [
            {
                "predicted": str(system[at]),
                "classes": [str(truth[row]) for row in rows],
                "bits": float(bits),
                "predicted_share": float(facts.system_shares[at]),
            }
            for at, bits, rows in zip(self.predictions, self.bits, self.classes, strict=True)
        ]


def _few_classes(facts: TableStatistics) -> _FewClasses:
    """All predictions that a second stage could resolve.

    One that alone is not worth a finding counts only where each of its classes has enough samples: among thousands of
    classes, the few samples behind each prediction look like few classes.
    """
    table, size = facts.table, facts.table.shape[1]
    rows, columns, counts = _most_frequent(facts)
    few, wholes = np.bincount(columns, minlength=size), np.bincount(columns, counts, minlength=size)
    bits = np.bincount(columns, -counts * np.log2(counts / wholes[columns]), minlength=size) / float(table.grand_total)
    resolved = (few >= 2) & (few <= THRESHOLDS.second_stage_classes) & (few < facts.occupied[0])
    resolved &= (bits >= THRESHOLDS.second_stage_share * facts.truth_bits) | _enough_samples(facts, columns, counts)
    if facts.belief is not None:
        resolved[resolved] = _are_few(facts, np.flatnonzero(resolved), rows, columns)
    found = np.flatnonzero(resolved)
    found = found[np.argsort(-bits[found], kind="stable")]
    first, last = (np.searchsorted(columns, found, side) for side in ("left", "right"))
    return _FewClasses(found, bits[found], [rows[a:b] for a, b in zip(first, last, strict=True)])


def _are_few(
    facts: TableStatistics, predictions: NDArray[np.int64], rows: NDArray[np.int64], columns: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Whether the other classes are missing behind each prediction more than errors to any class would explain.

    Errors to any class have true classes by their frequencies; that so few errors, or fewer, are of the classes left
    out is binomial, times the ways to choose these classes and the predictions that are looked at.
    """
    table, found = facts.table, []
    own = dict(zip(*map(np.ndarray.tolist, reversed(table.matches)), strict=True))
    scale = (facts.n or 0.0) / float(table.grand_total)
    for at in predictions.tolist():
        row, few = own.get(at, -1), rows[columns == at]
        kept = np.zeros(table.shape[0], dtype=bool)
        kept[few] = True
        possible = np.arange(table.shape[0]) != row
        here = table.cell_columns == at
        counts = np.bincount(table.cell_rows[here], table.cells[here] * scale, minlength=table.shape[0])
        errors, away = float(counts[possible].sum()), float(counts[possible & ~kept].sum())
        expected = float(facts.truth_shares[possible & ~kept].sum() / max(facts.truth_shares[possible].sum(), 1e-300))
        choices = comb(int(np.count_nonzero(facts.truth_shares[possible])), int(np.count_nonzero(kept & possible)))
        p_value = float(betainc(errors - away, away + 1, 1 - expected)) if errors > away else 1.0
        found.append(p_value * choices * facts.occupied[1] <= CHANCE_LEVEL)
    return np.array(found, dtype=bool)


def _most_frequent(facts: TableStatistics) -> tuple[NDArray[np.int64], NDArray[np.int64], Real]:
    """By prediction, the true classes that cover nearly all of it: rows, columns and counts of these cells."""
    table = facts.table
    used = np.flatnonzero(table.cells > 0)
    order = used[np.lexsort((-table.cells[used], table.cell_columns[used]))]
    columns, counts = table.cell_columns[order], table.cells[order]
    before = np.concatenate([[0.0], np.cumsum(counts)[:-1]])
    start = np.searchsorted(columns, columns)
    inside = (before - before[start]) / table.column_totals[columns] < THRESHOLDS.second_stage_cover
    return table.cell_rows[order][inside], columns[inside], counts[inside]


def _enough_samples(facts: TableStatistics, columns: NDArray[np.int64], counts: Real) -> NDArray[np.bool_]:
    """Predictions each of whose classes has enough samples; all of them where the sample size is not known."""
    enough = np.ones(facts.table.shape[1], dtype=bool)
    if facts.n is not None:
        enough[columns[counts * (facts.n / float(facts.table.grand_total)) < THRESHOLDS.samples_per_cell]] = False
    return enough


def _surely_open(facts: TableStatistics, few: _FewClasses) -> float:
    """Bits that these predictions leave open, by the lower limits where there is a belief."""
    if facts.belief is None:
        return float(few.bits.sum())
    least = np.asarray(facts.belief.by_output(facts.level)["missed_information"].low, dtype=np.float64)
    return float(np.sum((facts.system_shares * np.nan_to_num(least))[few.predictions]))
