"""The public front: each system's table without labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypedDict, Unpack

import numpy as np

from infoscope.errors import InputError, check_keywords, check_level, check_seed
from infoscope.metrics.registry import find
from infoscope.posterior.drawn import DrawnBelief
from infoscope.posterior.summary import summarize_draws
from infoscope.readers import ReadOptions
from infoscope.readers.frames import is_column_mapping
from infoscope.readers.guess_columns import one_name
from infoscope.readers.labels import Cleaning
from infoscope.readers.reader import read_patterns
from infoscope.results.estimate import Estimate
from infoscope.results.finding import Finding, shorten_list
from infoscope.results.provenance import Provenance
from infoscope.studies.inputs import blank_findings, check_named_once
from infoscope.studies.latent.arrangement import Arrangement, Blocks, arranged
from infoscope.studies.latent.estimation import LatentPosterior, check_size, estimated, system_table
from infoscope.studies.latent.identifiability import check_identifiable, identifiability_findings
from infoscope.studies.latent.model import Observations
from infoscope.studies.latent.result import LatentSystem, LatentTruth, banner
from infoscope.studies.latent.shared_errors import (
    ENOUGH_POWER,
    FEWEST_SYSTEMS,
    PairCheck,
    VoteCheck,
    pair_checks,
    vote_check,
)
from infoscope.tables import Contingency
from infoscope.tables.column_kinds import BlankLabels, check_label_columns
from infoscope.tables.labels import Label
from infoscope.tables.rows import Patterns
from infoscope.typing import Json, Source

__all__ = ["LatentKeywords", "latent_truth"]

SHOWN = ("proficiency", "accuracy", "kappa", "mutual_information", "missed_information", "false_information")


class LatentKeywords(TypedDict, total=False):
    """What ``latent_truth`` may be asked beyond its columns."""

    classes: Sequence[Label] | None
    weight: str | None
    clean: Cleaning
    prior: str | float
    level: float
    draws: int | None
    seed: int


@dataclass(frozen=True)
class LatentOptions:
    """The same, checked."""

    classes: Sequence[Label] | None = None
    weight: str | None = None
    clean: Cleaning = ()
    prior: str | float = "learned"
    level: float = 0.95
    draws: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        """Reject what means nothing."""
        check_level(self.level)
        check_seed(self.seed)
        if self.draws is not None and self.draws < 20:
            raise InputError(f"draws is {self.draws}; give at least 20, or leave it out")


def latent_truth(
    source: Source,
    system: Sequence[str] | None = None,
    *,
    truth: str | None = None,
    together: Blocks = (),
    same: Blocks = (),
    read: ReadOptions | None = None,
    **options: Unpack[LatentKeywords],
) -> LatentTruth:
    """Estimate each system's table without labels, from the agreement of three systems or more.

    ``source`` holds labels by system, or rows in any form that ``infoscope.read`` takes, with the systems' columns
    named in ``system``. ``truth`` names a column with labels of some items, which are mixed in. ``together`` names
    systems that share errors and are taken as one, ``same`` columns that are repeated predictions of one system. The
    classes are the labels that two systems or more use, unless ``classes`` states them; other labels are further
    predictions.

    Errors are taken as independent given the class. There are intervals where four systems or more show no sign of
    shared errors, and would show it if one copied half of another's predictions; what all systems get wrong together
    cannot be seen.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.integers(3, size=2000)
    >>> predictions = {name: np.where(rng.random(2000) < 0.8, truth, rng.integers(3, size=2000)) for name in "abcde"}
    >>> found = latent_truth(predictions)
    >>> low, high = found["a"].metrics["accuracy"].interval
    >>> bool(low < 0.8 + 0.2 / 3 < high)
    True
    """
    check_keywords(options, LatentKeywords)
    how = LatentOptions(**options)
    patterns = _patterns(source, system, truth, how, read)
    arrangement = arranged(patterns, truth, (together, same), how.classes)
    check_identifiable(arrangement)
    check_size(arrangement.data)
    posterior = estimated(arrangement, how.prior, how.draws, how.seed)
    return _result(posterior, how)


def _patterns(
    source: Any, system: Sequence[str] | None, truth: str | None, how: LatentOptions, read: ReadOptions | None
) -> Patterns:
    one_name(truth)
    one_name(how.weight)
    if isinstance(system, str):
        raise InputError(f"one system is named, {system!r}; a latent truth needs three or more")
    if system is None:
        if not is_column_mapping(source):
            raise InputError("name the columns of the systems, at least three of them")
        system = [str(name) for name in source if name not in (truth, how.weight)]
    check_named_once(system)
    if truth is not None and truth in system:
        raise InputError(f"column {truth!r} is named as truth and as system; it is one of them")
    if len(system) < 2:
        raise InputError(f"a latent truth needs three systems or more; {len(system)} is given")
    columns = [*system, *(() if truth is None else (truth,))]
    found = read_patterns(source, columns, weight=how.weight, clean=how.clean, read=read)
    if not found.total or not np.isfinite(found.sample_size) or not found.sample_size:
        raise InputError("the rows have no weight, or none that differs from 0; there is nothing to estimate from")
    check_label_columns(found)
    return found.in_order()


@dataclass(frozen=True, eq=False)
class _Checks:
    """What the checks of shared errors have found; nothing where there are too few systems for them."""

    pairs: list[PairCheck] = field(default_factory=list)
    votes: VoteCheck | None = None

    @property
    def show_independence(self) -> bool:
        """Whether errors look independent, and would not if half of a system's predictions were copied."""
        found = [*self.pairs, *(() if self.votes is None else (self.votes,))]
        powers = [pair.power for pair in self.pairs]
        return bool(powers) and min(powers) >= ENOUGH_POWER and not any(check.is_significant for check in found)


def _as_items(arrangement: Arrangement) -> tuple[Observations, float]:
    """Weights as counts of as many items as they are worth, which tests are about, and the weight of one of those."""
    data, patterns = arrangement.data, arrangement.patterns
    if not patterns.is_weighted:
        return data, 1.0
    weight = patterns.total / patterns.sample_size
    return data.where(np.arange(len(data.counts)), data.counts / weight), weight


def _result(posterior: LatentPosterior, how: LatentOptions) -> LatentTruth:
    arrangement, draws = posterior.arrangement, posterior.draws
    data = arrangement.data
    caveat = banner(len(arrangement.systems))
    checks = _Checks()
    if len(data.channels) >= FEWEST_SYSTEMS and posterior.settled:
        rng = np.random.default_rng(how.seed + 1)
        counted, weight = _as_items(arrangement)
        checks = _Checks(pair_checks(arrangement, counted.counts, draws), vote_check(counted, draws, rng, weight))
    has_intervals = posterior.settled and checks.show_independence
    tables = {name: system_table(posterior, name, caveat, has_interval=has_intervals) for name in arrangement.systems}
    systems = tuple(_system(posterior, name, table, how.level) for name, table in tables.items())
    labels = round(float(data.counts[data.labelled].sum()))
    spread = summarize_draws(draws.frequencies, how.level)
    frequencies = {
        str(label): Estimate(
            float(spread.mean[at]),
            float(spread.mean[at]),
            float(spread.sd[at]),
            *((float(spread.low[at]), float(spread.high[at])) if has_intervals else (None, None)),
        )
        for at, label in enumerate(data.classes)
    }
    total = float(data.counts.sum())
    return LatentTruth(
        systems=systems,
        classes=tuple(map(str, data.classes)),
        frequencies=frequencies,
        items=round(total) if not arrangement.patterns.is_weighted else total,
        patterns=len(arrangement.patterns),
        labels=labels,
        log_likelihood=posterior.fit.log_likelihood,
        draws=len(draws),
        r_hat=posterior.r_hat if np.isfinite(posterior.r_hat) else None,
        settled=posterior.settled,
        pairs=tuple(checks.pairs),
        votes=checks.votes,
        level=how.level,
        provenance=Provenance(rows=round(total) if not arrangement.patterns.is_weighted else None),
        findings=tuple(_findings(posterior, systems, checks, labels, caveat)),
        tables=tables,
        posterior=posterior,
    )


def _system(posterior: LatentPosterior, name: str, table: Contingency, level: float) -> LatentSystem:
    arrangement = posterior.arrangement
    metrics = {}
    belief = DrawnBelief(table)
    for metric in SHOWN:
        entry = find(metric)
        value = Estimate.of(entry.score(table), entry.reason(table))
        if value.value is not None and table.estimation is not None and table.estimation.has_interval:
            value = value.with_belief(belief.summary(metric, level), counted=False)
        metrics[metric] = value
    block = arrangement.data.channels[arrangement.place[name][0]].members
    items = arrangement.items[name]
    whole = round(items) if not arrangement.patterns.is_weighted else items
    return LatentSystem(name, whole, metrics, tuple(map(str, arrangement.labels[name])), block)


def _findings(
    posterior: LatentPosterior, systems: tuple[LatentSystem, ...], checks: _Checks, labels: int, caveat: str
) -> Iterator[Finding]:
    yield Finding("estimated_without_truth", caveat, "warning")
    yield from blank_findings(BlankLabels.of_patterns(posterior.arrangement.patterns))
    yield from identifiability_findings(posterior, systems)
    if posterior.settled:
        yield from _independence_findings(checks, len(posterior.arrangement.data.channels))
    yield from _about_data(posterior, labels)


def _independence_findings(checks: _Checks, channels: int) -> Iterator[Finding]:
    """Why intervals are withheld: errors that are shared, or might be."""
    pairs = sorted(checks.pairs, key=lambda pair: pair.p_value)
    shared = [pair for pair in pairs if pair.is_significant]
    if channels < FEWEST_SYSTEMS or not pairs:
        yield Finding(
            "independence_unchecked",
            f"{'Three' if channels == 3 else 'Two' if channels == 2 else channels} systems cannot show whether they "
            "err independently: if one copies another, their predictions look just so. Intervals are withheld; add a "
            f"{'further' if channels > 3 else 'fourth'} system, or plan labels.",
            "warning",
            {"systems": channels},
        )
    if shared:
        worst, alike = shared[0], max(pairs, key=lambda pair: pair.agreement)
        how = "more" if worst.excess > 0 else "less"
        text = (
            f"{worst.first} and {worst.second} agree in {worst.agreement:.1%} of the items, "
            f"{abs(100 * worst.excess):.1f} points {how} than if all systems erred independently "
            f"({_chance(worst.p_value)}), so intervals are withheld. Either these two share errors, or others are "
            f"copies: {alike.first} and {alike.second} are most alike ({alike.agreement:.1%}). Take systems that have "
            f"something in common as one, such as --together {alike.first},{alike.second}."
        )
        evidence: dict[str, Json] = {"systems": [worst.first, worst.second], "p_value": worst.p_value}
        evidence |= {"excess": worst.excess, "most_alike": [alike.first, alike.second]}
        yield Finding("shared_errors", text, "warning", evidence, "Take systems as one")
    if checks.votes is not None and checks.votes.is_significant:
        yield Finding(
            "votes_misfit",
            f"Items agree and disagree otherwise than independent errors let them ({_chance(checks.votes.p_value)}): "
            "some items are harder than others for several systems at once. Intervals are withheld.",
            "warning",
            {"p_value": checks.votes.p_value},
        )
    if pairs and not shared and (power := min(pair.power for pair in pairs)) < ENOUGH_POWER:
        yield Finding(
            "copies_unnoticed",
            "Too few items, or too alike systems, to show that errors are independent: if one system copied half of "
            f"another's predictions, the check would find it with a probability of {power:.0%}. Intervals are "
            "withheld; add items or systems, or plan labels.",
            "warning",
            {"power": power},
        )


def _chance(p_value: float) -> str:
    return "P < 1%" if p_value < 0.01 else f"P = {p_value:.0%}"


def _about_data(posterior: LatentPosterior, labels: int) -> Iterator[Finding]:
    arrangement: Arrangement = posterior.arrangement
    data = arrangement.data
    if labels:
        yield Finding(
            "labels_mixed_in",
            f"{labels:,} label{'s are' if labels != 1 else ' is'} mixed in. Labels name the classes; they do not "
            "correct shared errors. For that, plan labels (--plan).",
            "warning",
            {"labels": labels},
        )
    for name in arrangement.systems:
        used = [label for label, count in zip(arrangement.labels[name], _used(arrangement, name), strict=True) if count]
        extra = [str(label) for label in used if label not in data.classes]
        if len(used) == 1:
            yield Finding("constant_system", f"{name} always predicts {used[0]!s}: it carries no information.")
        if extra:
            shown, every = shorten_list(extra)
            text = f"{name} also predicts {shown}, which is no class of two systems or more."
            yield Finding("extra_predictions", text).with_names(shown, every)
    yield from _about_blocks(data)
    if arrangement.lost:
        yield Finding(
            "incomplete_blocks",
            f"{arrangement.lost:,} items have predictions of only some of the systems taken as one; these predictions "
            "are not used.",
        )
    if (data.codes < 0).any():
        yield Finding("gaps", "Missing predictions are taken as random: they must not depend on the class.")
    if posterior.used_items < 0.999 * float(data.counts.sum()):
        yield Finding(
            "thinned",
            f"Intervals rest on {posterior.used_items:,.0f} of {data.counts.sum():,.0f} items, which makes them wider "
            "than need be.",
        )


def _about_blocks(data: Observations) -> Iterator[Finding]:
    for channel in data.channels:
        if channel.members and channel.size > 0.5 * float(data.counts.sum()):
            names = ", ".join(channel.members)
            yield Finding(
                "sparse_block",
                f"{names}, taken as one, predict {channel.size:,} different combinations in {data.counts.sum():,.0f} "
                "items, most of them once: hardly anything is learned from them. Take fewer systems together.",
                "warning",
                {"systems": list(channel.members), "combinations": channel.size},
            )


def _used(arrangement: Arrangement, name: str) -> Any:
    return arrangement.of_system(name, [table.sum(axis=0) for table in _channel_counts(arrangement)])


def _channel_counts(arrangement: Arrangement) -> list[Any]:
    data = arrangement.data
    return data.split((data.transposed @ data.counts)[None, :])
