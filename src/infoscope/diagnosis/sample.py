"""Rules about the sample itself: too few, a prior that speaks louder, and what intervals do not allow for."""

from __future__ import annotations

from typing import Any

import numpy as np

from infoscope.diagnosis.phrases import listed, percent
from infoscope.diagnosis.statistics import TableStatistics
from infoscope.diagnosis.thresholds import THRESHOLDS
from infoscope.markup import counted
from infoscope.posterior import Posterior, samples_to_halve
from infoscope.posterior.missing_classes import missing_classes
from infoscope.results.finding import Finding

__all__ = [
    "absent_classes",
    "balanced_classes",
    "estimated",
    "favoured_classes",
    "few_errors",
    "few_samples",
    "judged",
    "loud_prior",
    "rare_classes",
    "small_sample_bias",
    "unseen_classes",
]


def estimated(facts: TableStatistics) -> Finding | None:
    """Nobody counted this table: it is what a model expects."""
    return _estimated(facts, "agreement", "estimated_without_truth")


def judged(facts: TableStatistics) -> Finding | None:
    """Few rows have a true label; a judge's verdicts stand for the others, corrected by these."""
    return _estimated(facts, "judge", "estimated_by_judge")


def _estimated(facts: TableStatistics, basis: str, code: str) -> Finding | None:
    origin = facts.table if facts.table.reweighting is None else facts.table.reweighting.origin
    if origin.estimation is None or origin.estimation.basis != basis:
        return None
    return Finding(code, origin.estimation.caveat, evidence={"draws": len(origin.estimation.draws)})


def few_samples(facts: TableStatistics) -> Finding | None:
    """Too few samples for the cells in use: plug-in information is then too high."""
    cells = int(np.count_nonzero(facts.table.cells))
    if facts.n is None or facts.n >= THRESHOLDS.samples_per_cell * cells:
        return None
    wanted = int(np.ceil(THRESHOLDS.samples_per_cell * cells))
    halving, evidence = _halving(facts)
    return Finding(
        "few_samples",
        f"{counted(facts.n, 'sample').capitalize()} for {counted(cells, 'occupied cell')} are few: captured "
        f"information tends to look too high; {wanted:,} or more would be safer{halving}.",
        evidence={"samples": facts.n, "occupied_cells": cells, "suggested": wanted, **evidence},
    )


def _halving(facts: TableStatistics) -> tuple[str, dict[str, Any]]:
    """How many more samples would halve the interval of proficiency."""
    known = facts.limits("proficiency")
    if known is None or not isinstance(facts.belief, Posterior):
        return "", {}
    more = samples_to_halve(facts.belief, "proficiency")
    words = f", and {more:,} more would halve the interval of what is captured ({percent(known.low)} to "
    return f"{words}{percent(known.high)})", {"samples_to_halve": more, "low": known.low, "high": known.high}


def loud_prior(facts: TableStatistics) -> Finding | None:
    """The prior decides more than the data, or another prior would say something else."""
    if not isinstance(facts.belief, Posterior) or not facts.belief.prior_cautions:
        return None
    said = facts.belief.prior_cautions
    return Finding(
        "loud_prior",
        f"Read the intervals with care: {'; '.join(said)}.",
        evidence={"prior": facts.belief.prior, "cautions": list(said)},
    )


def small_sample_bias(facts: TableStatistics) -> Finding | None:
    """The model moves the proficiency so far that doubt about this widens the interval."""
    if not isinstance(facts.belief, Posterior):
        return None
    found = facts.belief.correction("proficiency")
    if found is None or not found.is_large:
        return None
    return Finding(
        "small_sample_bias",
        f"Proficiency is corrected for small-sample bias {found}; the interval allows for it.",
        evidence={"sample": found.sample, "mean": found.mean, "sd": found.sd, "doubt": found.doubt},
    )


def unseen_classes(facts: TableStatistics) -> Finding | None:
    """So many classes occur once that others probably never did: intervals know of no class that no row shows."""
    missing = missing_classes(facts.table) if isinstance(facts.belief, Posterior) else None
    if missing is None:
        return None
    return Finding(
        "unseen_classes",
        f"{counted(missing.seen_once, 'true class')} occur once, so about {percent(missing.frequency)} of cases belong "
        "to classes that no row shows. What moves with the number of classes (information and entropies in bits, macro "
        "F1) is shown without an interval: in trials with 50 samples of 50 classes it would have held the information "
        "in bits in 6 of 10 cases. State all classes with labels= (--classes) to have it.",
        evidence={
            "classes_seen_once": missing.seen_once,
            "unseen_frequency": missing.frequency,
            "unseen_classes": missing.number,
        },
    )


def absent_classes(facts: TableStatistics) -> Finding | None:
    """Classes that were declared, and that no row has as its true or its predicted class."""
    table = facts.table
    rows, columns = table.matches
    absent = rows[(table.row_totals[rows] == 0) & (table.column_totals[columns] == 0)]
    seen = int((table.row_totals > 0).sum())
    if not absent.size or seen < 2 or table.is_sparse:
        return None
    labels = [table.truth_labels[at] for at in absent.tolist()]
    allowed = (
        ""
        if not isinstance(facts.belief, Posterior)
        else f", while intervals allow for all {len(table.truth_labels):,}"
    )
    one = len(labels) == 1
    return Finding(
        "absent_classes",
        f"No row has the declared class{'' if one else 'es'} {listed(labels)}: {'it has' if one else 'they have'} no "
        f"recall, precision or F1, macro F1 is undefined, and means over classes are about the {seen:,} that "
        f"occur{allowed}.",
        evidence={"absent": [str(label) for label in labels], "seen": seen},
    )


def few_errors(facts: TableStatistics) -> Finding | None:
    """So few predictions are wrong that the interval of the accuracy may cover less often than its level."""
    if facts.limits("accuracy") is None or not facts.n or facts.accuracy is None or not facts.table.is_counts:
        return None
    errors = round(facts.n * (1 - facts.accuracy))
    if not 0 < errors <= THRESHOLDS.few_errors or facts.accuracy < THRESHOLDS.few_errors_accuracy:
        return None
    return Finding(
        "few_errors",
        f"{counted(errors, 'prediction')} of {facts.n:,.0f} {'is' if errors == 1 else 'are'} wrong: with so few errors "
        f"no interval has exactly its nominal coverage. In simulations with 2 to {THRESHOLDS.few_errors} "
        "errors and 2 to 100 classes, 95% intervals contained the true accuracy in 91 to 97 of 100 cases.",
        evidence={"errors": errors, "samples": facts.n, "held_at_least": 0.91, "held_at_most": 0.97},
    )


def favoured_classes(facts: TableStatistics) -> Finding | None:
    """Too few samples to show whether rare classes fail more often: then proficiency may be below its interval."""
    if not isinstance(facts.belief, Posterior) or not facts.table.is_counts or facts.limits("proficiency") is None:
        return None
    classes = int(np.count_nonzero(facts.table.row_totals))
    if classes < THRESHOLDS.favoured_among or not facts.n or facts.n > THRESHOLDS.favoured_samples:
        return None
    return Finding(
        "favoured_classes",
        f"{counted(facts.n, 'sample').capitalize()} of {classes} classes hardly show whether the system favours the "
        "frequent ones. In simulations of systems that do, with 50 and 100 samples, the true proficiency was below its "
        "95% interval in 6 to 8 of 100 cases instead of 2.5: do not let a gate decide by a margin.",
        evidence={"samples": facts.n, "classes": classes, "below": 0.075},
    )


def rare_classes(facts: TableStatistics) -> Finding | None:
    """So many classes are rare among many that the interval of the macro F1 covers less often than its level."""
    if not isinstance(facts.belief, Posterior) or not facts.table.is_counts or facts.limits("macro_f1") is None:
        return None
    if missing_classes(facts.table) is not None:  # then macro F1 has no interval
        return None
    sizes = np.asarray(facts.table.row_totals)
    rare = int(np.count_nonzero(sizes < THRESHOLDS.rare_class))
    if sizes.size < THRESHOLDS.rare_among or rare < THRESHOLDS.rare_share * sizes.size:
        return None
    if sizes.max() < THRESHOLDS.rare_contrast * sizes.mean():
        return None
    return Finding(
        "rare_classes",
        f"{rare:,} of {sizes.size:,} true classes have fewer than {THRESHOLDS.rare_class} samples, and macro F1 counts "
        "each of them as much as the frequent ones. In simulations of such tables its 95% intervals contained the true "
        "value in 90 of 100 cases.",
        evidence={"rare": rare, "classes": int(sizes.size), "held": 0.9},
    )


def balanced_classes(facts: TableStatistics) -> Finding | None:
    """Prevalence looks balanced by design, so that the interval of the accuracy is narrower."""
    known = facts.limits("accuracy")
    if known is None or not facts.n or facts.accuracy is None or not isinstance(facts.belief, Posterior):
        return None
    if facts.table.reweighting is not None or not 0 < facts.accuracy < 1:
        return None
    narrower = 1 - known.sd / float(np.sqrt(facts.accuracy * (1 - facts.accuracy) / facts.n))
    if narrower < THRESHOLDS.narrower_than_binomial:
        return None
    return Finding(
        "balanced_classes",
        f"The {100 * facts.level:.4g}% interval of the accuracy is {percent(narrower)} narrower than the binomial one, "
        "because the true classes look balanced by design; if they are a random sample, use the binomial interval.",
        evidence={"narrower": narrower, "sd": known.sd, "samples": facts.n},
    )
