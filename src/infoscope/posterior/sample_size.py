"""Sample sizes: as how many samples a table counts, how many more halve an interval, and where they are too few.

The last are tables for which some intervals do not hold and are withheld: one class has nearly all samples, or classes
are missing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from infoscope.errors import InputError
from infoscope.metrics.registry import find
from infoscope.posterior.measures import LINEAR
from infoscope.posterior.prior import ExactBelief
from infoscope.tables import Contingency

if TYPE_CHECKING:
    from infoscope.posterior.posterior import Posterior


def count_samples(table: Contingency, stated: float | None) -> float:
    """Return the number of independent samples: as stated, else the table's own, of weights the effective one."""
    if stated is not None:
        if not 0 < stated < float("inf"):
            raise InputError(f"the sample size is {stated}; it must be a number above 0")
        return float(stated)
    origin = table if table.reweighting is None else table.reweighting.origin
    size = origin.sample_size
    if size is None and origin.total > 0:
        raise InputError(
            f"the table is of total {origin.total:g}, so its sample size is not known; "
            "state it, as in sample_size=500, or give a table of counts"
        )
    return float(size or 0.0)


def rescale_to_samples(table: Contingency, n: float) -> Contingency:
    """Return the table as n samples; of a re-weighted one, the counts behind it."""
    recipe = table.reweighting
    if recipe is not None:
        return replace(table, reweighting=replace(recipe, origin=rescale_to_samples(recipe.origin, n)))
    return table if n == table.total or not table.total else table.with_cells(table.cells * (n / table.total))


def explain_sample_size(table: Contingency, n: float, *, stated: bool) -> tuple[str, ...]:
    """Say why the sample size is not the table's total, where it is not."""
    origin = table if table.reweighting is None else table.reweighting.origin
    if math.isclose(n, float(origin.total), rel_tol=1e-9):
        return ()
    if stated:
        return (f"seen as the {n:,.4g} samples that were stated",)
    return (f"weights that sum to {origin.total:,.6g} count as {n:,.4g} independent samples, (Σw)²/Σw²",)


_MOST = 64.0


def samples_to_halve(posterior: Posterior, name: str) -> int:
    """Return how many further samples of the same kind would halve the interval of a metric, to two digits.

    Three times as many as there are, to first order. For entropies and informations under a stated prior it is
    solved exactly, which matters where little data leave the prior a say. Under a tree one part of the sd falls like
    1/√n, the other, what its correction leaves in doubt, like 1/n.

    Parameters
    ----------
    posterior : Posterior
        Belief about the samples that there are.
    name : str
        Id or alias of a metric.

    Returns
    -------
    int
        Number of further samples.
    """
    entry = find(name)
    correction = posterior.correction(entry.name)
    if correction is not None:
        a, b = correction.sd**2, (correction.doubt * (correction.sample - correction.mean)) ** 2
        factor = 2 * (a + math.sqrt(a**2 + a * b + b**2)) / (a + b) if a + b > 0 else 4.0
        return round_up((factor - 1) * float(posterior.origin.total) - 1e-9)
    first = round_up(3 * float(posterior.origin.total))
    belief = posterior.belief
    if entry.name not in LINEAR or not isinstance(belief, ExactBelief) or posterior.moments is None:
        return first
    measure = LINEAR[entry.name]
    table = posterior.origin
    goal = posterior.moments.sd_of(measure) / 2

    def sd_at(factor: float) -> float:
        larger = replace(belief, table=table.with_cells(table.cells * factor))
        return larger.moments.sd_of(measure)

    low, high = 1.0, _MOST
    if sd_at(high) > goal:
        return first
    while high - low > 1e-3 * low:
        middle = math.sqrt(low * high)
        low, high = (middle, high) if sd_at(middle) > goal else (low, middle)
    return round_up((high - 1) * float(table.total))


def round_up(samples: float) -> int:
    """Return a number of samples rounded up to two digits: a forecast from an interval knows no more."""
    unit = 10 ** max(math.floor(math.log10(max(samples, 1.0))) - 1, 0)
    return math.ceil(samples / unit) * unit


# ── too few samples of some classes: tables for which intervals do not hold and are withheld ─────
#
# Reports, gates and comparisons ask here which metrics are concerned; the limits are measured by the benchmarks of
# calibration.

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
        *("uniform_entropy", "product_entropy", "uniform_divergence"),
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
