"""One predictor against the truth: everything the document says about it."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, SupportsFloat

import numpy as np
from numpy.typing import NDArray

from infoscope.core.numerics import Real, ratio
from infoscope.errors import InputError
from infoscope.metrics import proficiency as table_proficiency
from infoscope.metrics.binary_information import binary_entropy
from infoscope.posterior.proportions import binomial_interval
from infoscope.results.estimate import Estimate
from infoscope.results.finding import Finding
from infoscope.results.notation import state_p_value
from infoscope.results.provenance import IgnoredRows
from infoscope.studies.multilabel.assignment import (
    MOST_CATEGORIES,
    Reassignment,
    assignment_of,
    by_chance,
    reassignments,
)
from infoscope.studies.multilabel.hierarchy import Level, levels
from infoscope.studies.multilabel.input_checks import input_findings
from infoscope.studies.multilabel.measures import MEASURES, RENAMED, adjusted_proficiency, chance_proficiency, values_of
from infoscope.studies.multilabel.options import PairingOptions, ResamplingOptions
from infoscope.studies.multilabel.result import REASONS, CategoryResult, Predictor, SampleSpread
from infoscope.studies.multilabel.sources import LabelSetFormat
from infoscope.studies.multilabel.sums import CategorySums, ObjectSums
from infoscope.studies.multilabel.uncertainty import estimated, random_halves
from infoscope.tables import Contingency
from infoscope.tables.label_sets import Categorization, LabelSets, aligned

__all__ = ["common_draws", "score_predictor"]

_SPARSE_SETS = 5
"""Whole sets as classes mean little where there are fewer than this many objects per distinct set."""


def score_predictor(
    sides: tuple[LabelSets, LabelSets],
    names: tuple[str, str],
    form: LabelSetFormat,
    pairing: PairingOptions,
    effort: ResamplingOptions,
) -> Predictor:
    """Everything about one predictor."""
    pair = aligned(*sides, names, pairing.one_sided)
    rng = np.random.default_rng(effort.seed)
    counts = pair.joint_counts() if len(pair.categories) <= MOST_CATEGORIES else None
    order = None if counts is None else assignment_of(pair, counts, pairing.assign_by)
    ledger = ObjectSums.of(pair, order)
    sums = ledger.whole()
    values, reasons = _values(sums, None if order is not None else len(pair.categories))
    chance = None
    if counts is not None:
        shuffles = effort.shuffles_for(len(pair.categories))
        chance = by_chance(pair, values["permuted_proficiency"], shuffles, rng, pairing.assign_by)
    draws = effort.affordable(effort.draws, ledger.columns.nnz)
    splits = effort.affordable(effort.splits, ledger.columns.nnz)
    plain = pair.unweighted()  # how many objects there are, and by chance, whatever they weigh
    moved = (
        []
        if counts is None or order is None
        else reassignments(plain, counts if plain is pair else plain.joint_counts(), order)
    )
    estimates = _estimates(values, reasons, ledger, draws, effort)
    joint, sparse = _joint_proficiency(pair)
    whole_objects = sums if pair.weights is None else _in_whole_objects(sums, pair.effective_size)
    single: dict[str, SupportsFloat] = {
        "chance_proficiency": chance_proficiency(whole_objects),
        "adjusted_proficiency": adjusted_proficiency(whole_objects),
        "joint_proficiency": joint,
    }
    estimates |= {name: Estimate.of(value, reasons[name]) for name, value in single.items()}
    findings = [*_findings(estimates, moved, names), *input_findings(pair, sides, names), *sparse]
    return Predictor(
        name=names[1],
        truth_name=names[0],
        n=pair.n,
        categories=tuple(map(str, pair.categories)),
        metrics=estimates,
        classes=_classes(pair, sums, effort.level if effort.draws else None),
        reassignments=tuple(moved),
        permutation_chance=chance,
        label_sets=_set_sizes(plain),
        stability=random_halves(pair, ledger, splits, rng, pairing.assign_by) if splits else {},
        splits=splits,
        draws=draws,
        levels=tuple(_levels(sides, form, pairing)),
        diagnosis=tuple(findings),
        ignored=tuple(IgnoredRows(reason, rows) for reason, rows in pair.ignored.items()),
    )


def _values(sums: CategorySums, too_many: int | None) -> tuple[dict[str, float], dict[str, str]]:
    """Each metric and why it may be undefined; of too many categories those that compare each with each are."""
    values = {name: float(value) for name, value in values_of(sums).items()}
    if too_many is None:
        return values, dict(REASONS)
    why = f"{too_many} categories are too many to compare each with each ({MOST_CATEGORIES} at most); roll them up"
    return values | dict.fromkeys(RENAMED, np.nan), REASONS | dict.fromkeys(RENAMED, why)


def _in_whole_objects(sums: CategorySums, size: float) -> CategorySums:
    """Weighted sums as counts of as many objects as they are worth: chance deals whole objects."""
    total = np.full_like(sums.total, round(size))
    truth, system, both = (np.rint(each * (total / sums.total)) for each in (sums.truth, sums.system, sums.both))
    both = np.clip(both, np.maximum(truth + system - total, 0.0), np.minimum(truth, system))
    return replace(sums, total=total, truth=truth, system=system, both=both)


def _levels(sides: tuple[LabelSets, LabelSets], form: LabelSetFormat, pairing: PairingOptions) -> list[Level]:
    return [] if form.separator is None or form.depth is not None else levels(*sides, form.separator, pairing)


def _estimates(
    values: Mapping[str, float], reasons: Mapping[str, str], ledger: ObjectSums, draws: int, effort: ResamplingOptions
) -> dict[str, Estimate]:
    if draws < 2:
        return {name: Estimate.of(value, reasons[name]) for name, value in values.items()}
    drawn = values_of(ledger.resampled(draws, np.random.default_rng(effort.seed)))
    cards = {each.name: each.card for each in MEASURES}
    return {
        name: estimated(value, drawn[name], effort.level, cards[name], reasons[name]) for name, value in values.items()
    }


def common_draws(
    truth: LabelSets, predictors: Mapping[str, LabelSets], pairing: PairingOptions, effort: ResamplingOptions
) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, Real]], int]:
    """Values and resampled values of every predictor on the objects that all of them have."""
    pairs = {name: aligned(truth, sets, ("truth", name), pairing.one_sided) for name, sets in predictors.items()}
    rows = _common_rows(pairs)
    values: dict[str, dict[str, float]] = {}
    draws: dict[str, dict[str, Real]] = {}
    for name, pair in pairs.items():
        kept = pair.where(rows[name])
        fits = len(pair.categories) <= MOST_CATEGORIES
        ledger = ObjectSums.of(kept, assignment_of(kept, kept.joint_counts(), pairing.assign_by) if fits else None)
        count = effort.affordable(effort.draws, ledger.columns.nnz)
        values[name] = {metric: float(value) for metric, value in values_of(ledger.whole()).items()}
        # one seed for all: every predictor meets the same resampled objects
        drawn = (
            ledger.resampled(count, np.random.default_rng(effort.seed))
            if count > 1
            else ledger.weighed(np.ones((1, ledger.n)))
        )
        draws[name] = values_of(drawn)
        if not fits:
            values[name] |= dict.fromkeys(RENAMED, np.nan)
    fewest = min(len(drawn["proficiency"]) for drawn in draws.values())
    cut = {name: {metric: value[:fewest] for metric, value in drawn.items()} for name, drawn in draws.items()}
    return values, cut, len(next(iter(rows.values())))


def _common_rows(pairs: Mapping[str, Categorization]) -> dict[str, Any]:
    named = {name: pair.objects for name, pair in pairs.items()}
    first = next(iter(named.values()))
    if all(objects == first for objects in named.values()):
        return {name: np.arange(pair.n) for name, pair in pairs.items()}
    keyed = {name: _occurrences(objects or ()) for name, objects in named.items()}
    common = [key for key in next(iter(keyed.values())) if all(key in other for other in keyed.values())]
    if not common:
        raise InputError("no object was labelled by all predictors; they cannot be compared")
    return {name: np.array([places[key] for key in common]) for name, places in keyed.items()}


def _occurrences(objects: tuple[Any, ...]) -> dict[tuple[Any, int], int]:
    seen: dict[Any, int] = {}
    places = {}
    for at, name in enumerate(objects):
        seen[name] = seen.get(name, 0) + 1
        places[name, seen[name]] = at
    return places


def _joint_proficiency(pair: Categorization) -> tuple[float, list[Finding]]:
    """Proficiency with whole sets as classes, and a warning where that means little."""
    codes = [_set_codes(side) for side in (pair.truth, pair.system)]
    value = float(table_proficiency(Contingency.from_labels(*codes, labels="own", sample_weight=pair.weights)))
    distinct = max(int(code.max()) + 1 for code in codes)
    if distinct * _SPARSE_SETS <= pair.n:
        return value, []
    text = (
        f"joint_proficiency takes whole sets as classes: {distinct} distinct sets among {pair.n} objects put it near 1 "
        "by sparsity alone."
    )
    return value, [Finding("sparse_sets", text, evidence={"sets": distinct, "objects": pair.n})]


def _set_codes(matrix: Any) -> Any:
    places: dict[bytes, int] = {}
    starts = matrix.indptr
    indices = matrix.sorted_indices().indices
    return np.array([places.setdefault(indices[a:b].tobytes(), len(places)) for a, b in itertools.pairwise(starts)])


def _set_sizes(pair: Categorization) -> dict[str, SampleSpread]:
    """The mean and sd of set sizes; objects per category count the categories in use."""
    found = {}
    for side, matrix, counts in (
        ("truth", pair.truth, pair.truth_counts),
        ("system", pair.system, pair.system_counts),
    ):
        sizes, used = np.diff(matrix.indptr), counts[counts > 0]
        found[f"{side}_categories_per_object"] = _spread(sizes)
        if len(used):
            found[f"{side}_objects_per_category"] = _spread(used)
    return found


def _spread(numbers: Real | NDArray[np.integer]) -> SampleSpread:
    ends = {"least": float(numbers.min()), "most": float(numbers.max())}
    return SampleSpread(float(numbers.mean()), float(numbers.std()), **ends)


def _classes(pair: Categorization, sums: CategorySums, level: float | None) -> tuple[CategoryResult, ...]:
    """Return one record per category, its rates with intervals of this level; what does not exist is null."""
    tables, plain = sums.tables, pair.unweighted()
    whole = binary_entropy(sums.truth, tables.total)
    missed = np.maximum(whole - sums.information, 0.0)
    columns: dict[str, Real] = {
        "proficiency": ratio(sums.information, whole),
        "information": sums.information,
        "entropy": whole,
        "missed_share": ratio(missed, missed.sum()),
    }
    union = sums.truth + sums.system - sums.both
    precision = _proportions(pair, sums.both, sums.system, level, "the category is never predicted")
    recall = _proportions(pair, sums.both, sums.truth, level, "no object has the category")
    jaccard = _proportions(pair, sums.both, union, level, "no object has the category on either side")
    signs = tables.sign
    return tuple(
        CategoryResult(
            label=str(name),
            support=int(plain.truth_counts[at]),
            declared=int(plain.system_counts[at]),
            both=int(plain.both[at]),
            association=_SIGNS[int(signs[at]) + 1],
            **{key: None if np.isnan(column[at]) else float(column[at]) for key, column in columns.items()},
            precision=precision[at],
            recall=recall[at],
            f1=_f1(jaccard[at]),
        )
        for at, name in enumerate(pair.categories)
    )


def _proportions(pair: Categorization, right: Real, of: Real, level: float | None, undefined: str) -> list[Estimate]:
    """Return proportions of objects with the intervals of their counts; weights count by their effective size."""
    found = [Estimate.of(share, undefined) for share in ratio(right, of)]
    if level is None:
        return found
    worth = pair.effective_size / (pair.total or 1.0)
    limits = zip(*binomial_interval(right * worth, of * worth, level), strict=True)
    return [
        each if each.value is None else replace(each, low=float(low), high=float(high))
        for each, (low, high) in zip(found, limits, strict=True)
    ]


def _f1(jaccard: Estimate) -> Estimate:
    """Return F1 of a Jaccard index, with which it rises: 2J / (1 + J)."""
    value, low, high = (None if x is None else 2 * x / (1 + x) for x in (jaccard.value, jaccard.low, jaccard.high))
    return replace(jaccard, value=value, low=low, high=high)


_SIGNS: tuple[Literal["negative", "none", "positive"], ...] = ("negative", "none", "positive")


def _findings(
    estimates: Mapping[str, Estimate], moved: Sequence[Reassignment], names: tuple[str, str]
) -> list[Finding]:
    captured, by_chance_alone = estimates["proficiency"], estimates["chance_proficiency"].value
    if captured.value is None or captured.shown is None:
        return [
            Finding(
                "no_information",
                f"{names[0]} gives every category to all objects or to none: there is no information to capture.",
                "warning",
            )
        ]
    said = [
        Finding(
            "captured",
            f"In this sample {names[1]} captures {captured.value:.1%} of the information in {names[0]}'s categories; "
            f"random sets of the same composition would show {by_chance_alone or 0.0:.1%}, and of what they leave open "
            f"{estimates['adjusted_proficiency'].value or 0.0:.1%} is captured.",
        )
    ]
    renamed = estimates["permuted_proficiency"].shown
    evident = [each for each in moved if each.finding]
    if evident and renamed is not None:
        least = min(each.p_value for each in evident)
        said.append(
            Finding(
                "renaming",
                f"Categories look renamed: {len(evident)} of {names[0]}'s "
                f"{'goes' if len(evident) == 1 else 'go'} significantly better with a category of another name "
                f"({state_p_value(least)}). The best renaming would raise the information captured from "
                f"{captured.shown:.1%} to "
                f"{renamed:.1%}: check how the categories were encoded.",
                "warning",
                {"gain": renamed - captured.shown, "p_value": least, "reassigned": len(evident)},
            )
        )
    said += [
        Finding(
            "relabelled",
            f"{each.sentence(*names)}.",
            evidence={"truth": each.truth, "system": each.system, "p_value": each.p_value},
        )
        for each in evident
    ]
    return said
