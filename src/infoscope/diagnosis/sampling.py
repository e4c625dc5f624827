"""Rules about the sample itself: too few, or a prior that speaks louder."""

from __future__ import annotations

from typing import Any

import numpy as np

from infoscope.diagnosis.facts import Facts
from infoscope.diagnosis.phrases import counted, percent
from infoscope.diagnosis.thresholds import THRESHOLDS
from infoscope.posterior import Posterior, samples_to_halve
from infoscope.results.finding import Finding

__all__ = ["few_samples", "loud_prior"]


def few_samples(facts: Facts) -> Finding | None:
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


def _halving(facts: Facts) -> tuple[str, dict[str, Any]]:
    """How many more samples would halve the interval of proficiency."""
    known = facts.limits("proficiency")
    if known is None or not isinstance(facts.belief, Posterior):
        return "", {}
    more = samples_to_halve(facts.belief, "proficiency")
    words = f", and {more:,} more would halve the interval of what is captured ({percent(known.low)} to "
    return f"{words}{percent(known.high)})", {"samples_to_halve": more, "low": known.low, "high": known.high}


def loud_prior(facts: Facts) -> Finding | None:
    """The prior decides more than the data, or another prior would say something else."""
    if not isinstance(facts.belief, Posterior) or not facts.belief.prior_cautions:
        return None
    said = facts.belief.prior_cautions
    return Finding(
        "loud_prior",
        f"Read the intervals with care: {'; '.join(said)}.",
        evidence={"prior": facts.belief.prior, "cautions": list(said)},
    )
