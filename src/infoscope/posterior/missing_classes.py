"""Classes that no row shows: how many there must be, and which metrics move with their number."""

from __future__ import annotations

from dataclasses import dataclass

from infoscope.tables import Contingency

__all__ = ["CLASS_COUNT_METRICS", "MissingClasses", "missing_classes"]

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
_LEAST_SHARE = 0.02  # … and what is missing matters from this share of the samples on


@dataclass(frozen=True)
class MissingClasses:
    """True classes that occur once, and what they tell of classes that never did."""

    seen_once: int
    frequency: float
    """Of all classes without a row together: as often as what was seen once (Good and Turing)."""
    number: float
    """How many there are at least (Chao), less the declared and the predicted ones without a row."""


def missing_classes(table: Contingency) -> MissingClasses | None:
    """What a table of counts tells about classes that no row shows; None where nothing speaks for such classes.

    >>> missing_classes(Contingency.from_labels([*"aaaabcde"], [*"aaaabcde"]))
    MissingClasses(seen_once=4, frequency=0.5, number=6.0)
    """
    if not table.is_counts or not table.total:
        return None
    rows = table.row_totals
    once, twice = int((rows == 1).sum()), int((rows == 2).sum())
    more = once * (once - 1) / (2 * (twice + 1)) - int((rows == 0).sum())
    share = once / float(table.total)
    if once < _FEWEST_SINGLETONS or share < _LEAST_SHARE or more < 1:
        return None
    return MissingClasses(once, share, more)
