"""Rules about the sample itself: too few, a prior that speaks louder, and what intervals do not allow for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from infoscope.core.markup import counted
from infoscope.posterior import Posterior, samples_to_halve
from infoscope.posterior.dominant_class import DOMINANT_CLASS_METRICS, FEWEST_PER_CLASS, find_dominant_class
from infoscope.posterior.groups import GroupPosterior
from infoscope.posterior.missing_classes import CLASS_COUNT_METRICS, missing_classes
from infoscope.posterior.sample_size import round_up
from infoscope.results.finding import Finding
from infoscope.studies.diagnose.phrases import listed, percent
from infoscope.studies.diagnose.statistics import TableStatistics
from infoscope.studies.diagnose.thresholds import THRESHOLDS

__all__ = [
    "WITHHELD_METRICS",
    "absent_classes",
    "dominant_class",
    "estimated",
    "few_samples",
    "judged",
    "loud_prior",
    "normalised_matrix",
    "rare_classes",
    "small_sample_bias",
    "unmixed_chains",
    "unseen_classes",
    "withheld_metrics",
]

#: metrics without an interval, by the finding that says so
WITHHELD_METRICS = {"unseen_classes": CLASS_COUNT_METRICS, "dominant_class": DOMINANT_CLASS_METRICS}


def withheld_metrics(findings: Sequence[Finding]) -> set[str]:
    """Return the metrics whose intervals would hold too rarely, by what findings say of the sample."""
    return {name for finding in findings for name in WITHHELD_METRICS.get(finding.code, ())}


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


def normalised_matrix(facts: TableStatistics) -> Finding | None:
    """Proportions in place of counts: rows, columns or all cells sum to 1 or to 100, and are no whole numbers."""
    table = facts.table
    total = float(table.grand_total)
    if table.is_counts or table.weight_squares is not None or table.is_sparse or facts.n is None:
        return None
    if not np.isclose(facts.n, total) or min(facts.occupied) < 2:  # the sample size was stated
        return None
    sums = {"each row": table.row_totals, "each column": table.column_totals, "all": np.array([total])}
    for part, totals in sums.items():
        for whole in (1.0, 100.0):
            rounding = THRESHOLDS.normalised_rounding * whole**0.5 * max(table.shape)  # 0.33 and 33.3 are rounded
            if np.all(np.abs(totals[totals > 0] - whole) <= rounding):
                by = {"each row": " by true class", "each column": " by predicted class", "all": ""}[part]
                cells = "All cells sum" if part == "all" else f"The cells of {part} sum"
                return Finding(
                    "normalised_matrix",
                    f"{cells} to {whole:.0f}, as in a confusion matrix that was normalised{by}: as counts they would "
                    f"be {total:,.0f} samples in all. Give the counts; or state how many samples there were "
                    "(--sample-size, sample_size=) and, where rows were normalised, how frequent the classes are "
                    "(--prevalence, prevalence=).",
                    evidence={"sums_to": whole, "by": part, "samples": total},
                )
    return None


def few_samples(facts: TableStatistics) -> Finding | None:
    """Too few samples for the cells in use: plug-in information is then too high."""
    cells = int(np.count_nonzero(facts.table.cells))
    if facts.n is None or facts.n >= THRESHOLDS.samples_per_cell * cells:
        return None
    wanted = round_up(THRESHOLDS.samples_per_cell * cells)
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


def dominant_class(facts: TableStatistics) -> Finding | None:
    """Report that one class has nearly all samples, so that no interval of the proficiency can be trusted."""
    belief = facts.belief
    if not isinstance(belief, Posterior | GroupPosterior):
        return None
    size = belief.origin.total if isinstance(belief, Posterior) else belief.effective_size("proficiency")
    dominant = find_dominant_class(facts.table, float(size))
    if dominant is None:
        return None
    return Finding(
        "dominant_class",
        f"'{dominant.label}' has {percent(dominant.share)} of the samples, and the other {dominant.classes:,} classes "
        f"have {dominant.others:,.4g} together: too few for an interval of the proficiency, which is therefore "
        f"withheld. In simulations with fewer than {FEWEST_PER_CLASS:.0f} samples per class it would have been above "
        "the true value in 7 to 26 of 100 cases. Collect samples of the other classes.",
        evidence={"label": dominant.label, "share": dominant.share, "others": dominant.others},
    )


def unmixed_chains(facts: TableStatistics) -> Finding | None:
    """Report chains of the sampler that do not agree about the captured information."""
    r_hat = facts.belief.r_hat if isinstance(facts.belief, Posterior | GroupPosterior) else None
    if r_hat is None or r_hat < THRESHOLDS.r_hat:
        return None
    return Finding(
        "unmixed_chains",
        f"The sampler behind the intervals of information has not converged: R̂ is {r_hat:.2f} and should be below "
        f"{THRESHOLDS.r_hat:g}. Try another seed; if intervals differ by more than a tenth, do not use them.",
        evidence={"r_hat": r_hat},
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
