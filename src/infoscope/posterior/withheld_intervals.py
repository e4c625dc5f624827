"""Tables for which intervals do not hold and are withheld: one class has nearly all samples, or classes are missing.

Reports, gates and comparisons ask here which metrics are concerned; the limits are measured by the benchmarks of
calibration.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from infoscope.tables import Contingency

# ── a class with nearly all samples: what is captured of the little that is left rests on a handful of rows ──

DOMINANT_CLASS_METRICS = frozenset({"proficiency", "missed_information_ratio"})
"""Metrics whose intervals held in fewer than 90% of trials there, and are withheld."""

_LEAST_SHARE = 0.95
FEWEST_PER_CLASS = 10.0


@dataclass(frozen=True)
class DominantClass:
    """The class with nearly all samples, and how many the others have."""

    label: str
    share: float
    others: float
    classes: int


def find_dominant_class(table: Contingency, size: float | None = None) -> DominantClass | None:
    """Return the class that leaves too few samples for the others; None where there is none, or no other.

    ``size`` says as how many independent samples the table counts, where that is not its total.

    >>> find_dominant_class(Contingency.from_matrix([[980, 2, 2], [3, 5, 0], [4, 0, 4]]))
    DominantClass(label='0', share=0.984, others=16.0, classes=2)
    """
    origin = table if table.reweighting is None else table.reweighting.origin
    rows = np.asarray(origin.row_totals)
    if not origin.total or rows.size < 3:
        return None
    top, share = int(rows.argmax()), float(rows.max() / origin.total)
    others = float(origin.total - rows.max()) * (1.0 if size is None else size / float(origin.total))
    if not others or share < _LEAST_SHARE or others >= FEWEST_PER_CLASS * (rows.size - 1):
        return None
    return DominantClass(str(origin.truth_labels[top]), share, others, rows.size - 1)


# ── classes that no row shows: how many there must be, and which metrics move with their number ──

CLASS_COUNT_METRICS = frozenset(
    (
        *("truth_entropy", "system_entropy", "joint_entropy", "mutual_information"),
        *("effective_classes", "system_classes", "transfer_factor", "normalized_transfer_factor"),
        *("truth_divergence_factor", "system_divergence_factor", "triangle_divergence"),
        *("triangle_transfer", "split_truth_divergence", "split_truth_transfer"),
        *("split_system_divergence", "split_system_transfer", "random_accuracy"),
        *("truth_random_accuracy", "phi_squared", "informational_loss", "quadratic_loss", "linear_loss"),
        *("macro_f1", "macro_jaccard", "macro_precision"),
        *("weighted_fpr", "weighted_npv", "rand_index", "mirkin_distance"),
    )
)
"""Metrics that move with the number of classes: where classes exist that no row shows, their intervals held in fewer
than 85% of trials, and are withheld."""

_FEWEST_SINGLETONS = 3  # one or two classes that occur once may do so by chance …
_LEAST_MISSING = 0.02  # … and what is missing matters from this share of the samples on


@dataclass(frozen=True)
class MissingClasses:
    """True classes that occur once, and what they tell of classes that never did."""

    seen_once: int
    frequency: float
    """Of all classes without a row together: as often as what was seen once (Good and Turing)."""
    number: float
    """Least number of them (Chao), less the declared and the predicted ones without a row."""


def find_missing_classes(table: Contingency) -> MissingClasses | None:
    """Return what a table of counts tells about classes that no row shows; None where nothing speaks for such classes.

    >>> find_missing_classes(Contingency.from_labels([*"aaaabcde"], [*"aaaabcde"]))
    MissingClasses(seen_once=4, frequency=0.5, number=6.0)
    """
    if not table.is_counts or not table.total:
        return None
    rows = table.row_totals
    once, twice = int((rows == 1).sum()), int((rows == 2).sum())
    more = once * (once - 1) / (2 * (twice + 1)) - int((rows == 0).sum())
    share = once / float(table.total)
    if once < _FEWEST_SINGLETONS or share < _LEAST_MISSING or more < 1:
        return None
    return MissingClasses(once, share, more)
