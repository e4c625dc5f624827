"""From beliefs about systems to pairs, improvement factors and rankings; the same for paired rows and for tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from infoscope.errors import InputError
from infoscope.metrics.chance import CHANCE_LEVEL
from infoscope.metrics.registry import Metric, find
from infoscope.posterior.dominant_class import DOMINANT_CLASS_METRICS
from infoscope.posterior.missing_classes import CLASS_COUNT_METRICS
from infoscope.results.estimate import Difference
from infoscope.results.finding import Finding
from infoscope.studies.compare.difference import MetricBelief, difference, improvement_factor
from infoscope.studies.compare.options import CompareOptions
from infoscope.studies.compare.ranking import Ranking, rank
from infoscope.studies.compare.result import Comparison, Improvement
from infoscope.studies.compare.system_posterior import ACCURACY, ERRORS, SystemPosterior, reject_or_note
from infoscope.tables.column_kinds import check_positive, measured_labels, near_misses

__all__ = [
    "Ties",
    "about_intervals",
    "find_namesakes",
    "found_pair",
    "improvements",
    "known_everywhere",
    "listed",
    "settled",
]

Ties = dict[tuple[str, str, str], float]
"""Correlation of the errors of A's and B's values in a metric, by (A, B, metric)."""


def known_everywhere(
    wholes: Mapping[str, SystemPosterior], question: CompareOptions
) -> tuple[dict[str, tuple[str, ...]], list[Finding]]:
    """Which systems each metric is known for, and a finding for each that it is not."""
    known: dict[str, tuple[str, ...]] = {}
    findings = []
    for entry in question.metrics:
        reasons = {name: whole.why_unknown(entry) for name, whole in wholes.items()}
        findings += [reject_or_note(entry, why, question, f"{name} is") for name, why in reasons.items() if why]
        known[entry.name] = tuple(name for name, why in reasons.items() if why is None)
    if all(len(names) < 2 for names in known.values()):
        raise InputError("nothing can be compared: {metric} is {why}".format(**findings[0].evidence))
    return known, findings


def about_intervals(wholes: Mapping[str, SystemPosterior], question: CompareOptions) -> Iterator[Finding]:
    """Findings where intervals fall short: tables too large for the default prior, classes that no row shows."""
    large = [name for name, whole in wholes.items() if whole.lacks_tree]
    if large:
        text = (
            f"{listed(large)}: too many classes for the tree prior; information measures and their differences are "
            "likely off wherever errors are spread thinly, while the accuracy is not"
        )
        yield Finding("no_tree_prior", text, "warning", {"systems": large})
    moving = [entry.name for entry in question.metrics if entry.name in CLASS_COUNT_METRICS]
    missing = next(filter(None, (whole.missing_classes for whole in wholes.values())), None)
    if moving and missing is not None:
        text = (
            f"{missing.seen_once} true classes occur once, so about {missing.frequency:.0%} of cases belong to classes "
            f"that no row shows; {listed(moving)} would change with them: these intervals and differences are about "
            "the classes in these rows alone. Proficiency and accuracy hardly change"
        )
        yield Finding("unseen_classes", text, "warning", {"metrics": moving, "unseen_classes": missing.number})
    doubtful = [entry.name for entry in question.metrics if entry.name in DOMINANT_CLASS_METRICS]
    dominant = next(filter(None, (whole.dominant_class for whole in wholes.values())), None) if doubtful else None
    if dominant is not None:
        text = (
            f"'{dominant.label}' has {dominant.share:.0%} of the rows, and the other {dominant.classes:,} classes have "
            f"{dominant.others:,.4g} together: too few to say how well systems tell them; intervals and verdicts in "
            f"{listed(doubtful)} hold less often than they say"
        )
        yield Finding("dominant_class", text, "warning", {"metrics": doubtful, "label": dominant.label})


def found_pair(
    one: SystemPosterior,
    other: SystemPosterior,
    rho: float,
    entry: Metric,
    *,
    paired: bool,
    discordant: tuple[float, float, float] | None = None,
) -> tuple[Difference | None, Finding | None]:
    """Two systems in one metric, or why that is left out; ``discordant`` rows decide about accuracy."""
    question = one.question
    for side in (one, other):
        why = side.why_unknown(entry)
        if why is not None:
            scope = f"over the rows of {one.name} and {other.name}, so this pair is"
            return None, reject_or_note(entry, why, question, scope)
    beliefs = one.beliefs[entry.name], other.beliefs[entry.name]
    if entry.name not in (ACCURACY, "error_rate"):
        discordant = None
    result = difference((one.name, other.name), beliefs, rho, entry, question, discordant)
    losses = _losses(entry.name, beliefs)
    gained = None if losses is None else improvement_factor(*losses, rho, question.level)
    return replace(result, paired=paired, improvement=gained), None


def _losses(name: str, beliefs: tuple[MetricBelief, MetricBelief]) -> tuple[MetricBelief, MetricBelief] | None:
    """What is lost, where a metric says it: itself, or the complement of what is right or captured."""
    if name in (ERRORS, "error_rate", "missed_information_ratio"):
        return beliefs
    return (beliefs[0].complement, beliefs[1].complement) if name in (ACCURACY, "proficiency") else None


def improvements(
    one: SystemPosterior, other: SystemPosterior, rhos: Mapping[str, float], *, paired: bool
) -> list[Improvement]:
    """Holt's improvement factors of a pair: of S_I/H(T) and of 1 − accuracy, where they exist."""
    found = []
    for name, rho in rhos.items():
        beliefs = one.beliefs[name], other.beliefs[name]
        losses = _losses(name, beliefs)
        if losses is None or not all(belief.is_known for belief in beliefs):
            continue
        gained = improvement_factor(*losses, rho, one.question.level)
        if gained is not None:
            of = "1 - accuracy" if name == ACCURACY else name
            found.append(Improvement(one.name, other.name, of, gained, paired))
    return found


def settled(
    wholes: Mapping[str, SystemPosterior],
    pairs: Sequence[Difference],
    ties: Ties,
    question: CompareOptions,
    known: Mapping[str, Sequence[str]],
) -> Comparison:
    """The result: a ranking for each metric, and every pair with what all pairs at once allow to say of it."""
    positive = _positive(wholes, question.metrics)
    uninformative = _uninformative(wholes)
    rankings = []
    judged: list[Difference] = []
    for entry in question.metrics:
        mine = [pair for pair in pairs if pair.metric == entry.name]
        if len(known[entry.name]) < 2:
            continue
        ranking = rank(
            entry,
            {name: wholes[name].beliefs[entry.name] for name in known[entry.name]},
            {(pair.a, pair.b): pair for pair in mine},
            {(a, b): rho for (a, b, metric), rho in ties.items() if metric == entry.name},
            level=question.level,
            rng=np.random.default_rng(question.seed),
            uninformative=tuple(uninformative),
        )
        rankings.append(replace(ranking, statement=statement(ranking, question.level, positive)))
        judged += [replace(pair, significant=_is_significant(ranking, pair)) for pair in mine]
    order = {(pair.a, pair.b, pair.metric): pair for pair in judged}
    kept = [order[key] for pair in pairs if (key := (pair.a, pair.b, pair.metric)) in order]
    samples = {name: whole.rows for name, whole in wholes.items()}
    return Comparison(
        tuple(wholes),
        samples,
        question.level,
        tuple(kept),
        tuple(rankings),
        question.baseline,
        positive=positive,
        findings=(
            *_about_labels(wholes),
            *_about_chance(uninformative, len(wholes)),
        ),
    )


def _uninformative(wholes: Mapping[str, SystemPosterior]) -> dict[str, float]:
    """Systems that capture no significant information, with the probability of as much by chance."""
    tested = {name: whole.chance_p_value for name, whole in wholes.items()}
    return {name: p for name, p in tested.items() if p is not None and p > CHANCE_LEVEL}


def _about_labels(wholes: Mapping[str, SystemPosterior]) -> Iterator[Finding]:
    """A finding where the labels seem to be measurements, unless their order was stated."""
    found = [near_misses(whole.table) for whole in wholes.values() if whole.table.ordinal is None]
    if near := [each for each in found if each is not None]:
        yield Finding("measured_labels", measured_labels(max(near)), "warning", {"rank_correlation": max(near)})


def _about_chance(uninformative: Mapping[str, float], systems: int) -> Iterator[Finding]:
    """A finding for the systems that are neither best nor tied; where that is all of them, the headline says so."""
    if not 0 < len(uninformative) < systems:
        return
    names = list(uninformative)
    many = len(names) > 1
    text = (
        f"{listed(names)} {'capture' if many else 'captures'} no more information than expected by chance, so "
        f"{'they are' if many else 'it is'} neither best nor tied, by whatever metric."
    )
    yield Finding("no_information", text, evidence={"p_values": dict(uninformative)})


def find_namesakes(
    wholes: Mapping[str, SystemPosterior], is_renaming: Callable[[str, str], bool]
) -> tuple[dict[str, SystemPosterior], list[Finding]]:
    """Give systems with the same predictions under other names one belief in what does not see names, and name them."""
    systems = dict(wholes)
    groups: dict[str, list[str]] = {}
    totals = {name: np.sort(whole.table.column_totals[whole.table.column_totals > 0]) for name, whole in wholes.items()}
    for name in wholes:
        same = (first for first in groups if np.array_equal(totals[first], totals[name]) and is_renaming(first, name))
        first = next(same, name)
        groups.setdefault(first, []).append(name)
        if first != name:
            systems[name] = replace(systems[name], namesake=systems[first])
    findings = []
    for names in groups.values():
        if len(names) > 1:
            text = (
                f"{listed(names)} predict the same under other names of the classes: metrics that do not see names, "
                "such as proficiency, are equal; those that do, such as accuracy and MCC, say whose names are right"
            )
            findings.append(Finding("renamed_predictions", text, "warning", {"systems": names}))
    return systems, findings


def _positive(wholes: Mapping[str, SystemPosterior], metrics: Sequence[Metric]) -> str | None:
    """The class that binary metrics are about; rejected where nobody said which, or systems differ in it."""
    classes = {name: whole.table.positive_label for name, whole in wholes.items()}
    (first, label), *others = classes.items()
    entry = next((entry for entry in metrics if entry.card.of_positive), None)
    if entry is not None:
        check_positive(wholes[first].table, entry.name)
    for name, other in others:
        if other != label and entry is not None:
            raise InputError(
                f"{entry.name} is about {label!r} for {first!r} and about {other!r} for {name!r}; name one positive "
                "class where the tables are made"
            )
    return None if label is None or len(set(classes.values())) > 1 else str(label)


def _is_significant(ranking: Ranking, pair: Difference) -> bool:
    return bool({(pair.a, pair.b), (pair.b, pair.a)} & set(ranking.wins))


def statement(ranking: Ranking, level: float, positive: str | None = None) -> str:
    """The ranking in a sentence that does not claim more than all pairs at once allow."""
    card = find(ranking.metric).card
    title = card.title_in_sentence + card.of_class(positive)
    error = f"{100 * (1 - level):.3g}% risk of any false claim over all pairs"
    best = ranking.best
    contenders = ranking.contenders
    if not contenders:
        return "no system captures more information than expected by chance"
    if best is not None:
        sure = next(place.probability_best for place in ranking.places if place.name == best)
        chance = f"{sure:.1%}" if sure <= 0.999 else ">99.9%"
        return f"{best} is best in {title} (probability {chance}; {error})"
    if len(contenders) == 1:
        return f"{contenders[0].name} alone captures more information than expected by chance"
    front = ranking.front
    if not front:
        return f"every system is significantly worse than another in {title}, as pairs use different rows ({error})"
    if len(front) == len(contenders):
        return f"there is no significant difference in {title} ({error})"
    if ranking.leads:
        between = "without a significant difference between them"
        return f"{listed(front)} are better in {title} than the rest, {between} ({error})"
    unsure = [place.name for place in contenders if place.name not in front and _near(ranking, place.name)]
    if len(front) == 1:
        known = f"no system is significantly better than {front[0]} in {title}"
        return f"{known}, which does not differ significantly from {listed(unsure)} ({error})"
    return (
        f"{listed(front)} do not differ significantly in {title} and one of them is best; not each of them differs "
        f"significantly from {listed(unsure)} ({error})"
    )


def _near(ranking: Ranking, name: str) -> bool:
    """Whether some system of the front is not significantly better than this one."""
    return any((first, name) not in ranking.wins for first in ranking.front)


def listed(names: Sequence[str]) -> str:
    """Names joined for a sentence."""
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + f" and {names[-1]}"
