"""Whether systems determine a truth at all: what is rejected, and findings about the rest."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from infoscope.core.markup import counted
from infoscope.results.finding import Finding
from infoscope.studies.latent.arrangement import Arrangement
from infoscope.studies.latent.estimation import LatentPosterior
from infoscope.studies.latent.model import NoLatentTruthError, Observations
from infoscope.studies.latent.result import LatentSystem

__all__ = ["TWO_SYSTEMS", "check_identifiable", "identifiability_findings"]

TWO_SYSTEMS = (
    "Two systems do not determine a truth: any split of their disagreement fits equally well. A third independent "
    "system, or labels, would tell more"
)
MIN_LABELS_PER_CLASS = 5
"""Labels that settle a class where only two systems are given."""
ALIKE = 0.1
"""Two classes are taken as merged where no system's predictions of them differ by more than this probability."""


def check_identifiable(arrangement: Arrangement) -> None:
    """Reject systems that do not determine a truth."""
    data = arrangement.data
    apart = _apart(data)
    if apart and len(data.channels) > 2:
        names = ", ".join(data.channels[at].name for at in apart)
        raise NoLatentTruthError(
            f"{names}: no item in common with the other systems, so nothing connects them; leave them out, or give "
            "items that they share"
        )
    if _meeting(data) < 3:
        if not len(data.labelled):
            raise NoLatentTruthError(_too_few(arrangement))
        _check_labels(data)


def _too_few(arrangement: Arrangement) -> str:
    data = arrangement.data
    blocks = [channel for channel in data.channels if channel.members]
    if len(data.channels) > 2:
        return (
            f"no item has predictions of three systems or more, and two at a time do not determine a truth; give items "
            f"that three of the {len(data.channels)} systems share, or labels"
        )
    if blocks and len(arrangement.systems) > 2:
        return (
            f"{len(arrangement.systems)} systems in {len(data.channels)} independent parts (together={blocks[0].name}) "
            "do not determine a truth; at least three parts, or labels, are needed"
        )
    return TWO_SYSTEMS


def _meeting(data: Observations) -> int:
    """The most channels that predict the same item."""
    there = np.zeros((len(data.channels), data.codes.shape[1]), bool)
    for codes, owner in zip(data.codes, data.owner, strict=True):
        there[owner] |= codes >= 0
    return int(there.sum(axis=0).max(initial=0))


def _check_labels(data: Observations) -> None:
    """Reject two systems with labels of which some class has hardly any."""
    labels = np.bincount(data.known[data.labelled], data.counts[data.labelled], data.size)
    least, fewest = int(np.argmin(labels)), float(labels.min())
    if fewest < MIN_LABELS_PER_CLASS:
        raise NoLatentTruthError(
            f"two systems do not determine a truth, and the class {data.classes[least]!r} has "
            f"{counted(fewest, 'label')}: label at least {MIN_LABELS_PER_CLASS} items of each "
            "class, or add a third independent system"
        )


def _apart(data: Observations) -> list[int]:
    """Channels that share no item with the others, directly or through further ones."""
    size = len(data.channels)
    there = np.zeros((size, data.codes.shape[1]), bool)
    for codes, owner in zip(data.codes, data.owner, strict=True):
        there[owner] |= codes >= 0
    meets = (there.astype(np.float64) @ there.T.astype(np.float64)) > 0
    reached = {int(np.argmax(there.sum(axis=1)))}
    while True:
        more = {b for a in reached for b in range(size) if meets[a, b]} - reached
        if not more:
            return [at for at in range(size) if at not in reached]
        reached |= more


def identifiability_findings(posterior: LatentPosterior, systems: tuple[LatentSystem, ...]) -> Iterator[Finding]:
    """What the data do not settle."""
    data = posterior.arrangement.data
    if not posterior.settled:
        yield Finding(
            "not_settled",
            f"Not settled by these data: two chains of draws disagree (split R̂ {posterior.r_hat:.2f}). Intervals are "
            "withheld; more items, more systems or a few labels would settle it.",
            "warning",
            {"r_hat": posterior.r_hat if np.isfinite(posterior.r_hat) else None},
        )
    if _meeting(data) < 3:
        yield Finding(
            "two_systems",
            f"Two systems do not determine a truth: what is estimated here rests on "
            f"{data.counts[data.labelled].sum():,.0f} labels. If these are no random sample, neither is the estimate "
            "right; a third independent system would tell more.",
            "warning",
        )
    yield from _merged_classes(posterior)
    yield from _below_chance(posterior, systems)


def _merged_classes(posterior: LatentPosterior) -> Iterator[Finding]:
    data, draws = posterior.arrangement.data, posterior.draws
    if data.size > 200:
        return
    means = [table.mean(axis=0) for table in draws.predictions]
    for t, u in itertools.combinations(range(data.size), 2):
        if max(float(np.abs(table[t] - table[u]).sum() / 2) for table in means) < ALIKE:
            names = f"{data.classes[t]} and {data.classes[u]}"
            yield Finding(
                "classes_merged",
                f"No system separates {names}: they are one class as far as these systems can tell.",
                "warning",
                {"classes": [str(data.classes[t]), str(data.classes[u])]},
            )


def _below_chance(posterior: LatentPosterior, systems: tuple[LatentSystem, ...]) -> Iterator[Finding]:
    kappas = {system.name: system.metrics["kappa"].shown for system in systems}
    known = {name: value for name, value in kappas.items() if value is not None}
    below = [name for name, value in known.items() if value < 0]
    if not known or len(posterior.arrangement.data.labelled):
        return
    if sum(known.values()) < 0:
        yield Finding(
            "names_swapped",
            "On average the systems are below chance: the names of the classes may be swapped. A few labels settle it.",
            "warning",
        )
    elif below:
        names = ", ".join(below)
        yield Finding("below_chance", f"Below chance against the truth that the others suggest: {names}.")
