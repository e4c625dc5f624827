"""Label sets evaluated and compared: truth and predicted label sets in, a result out."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypedDict, Unpack

import numpy as np

from infoscope.core.numerics import Real
from infoscope.errors import InputError, check_keywords
from infoscope.results.estimate import Difference, Estimate, Verdict
from infoscope.results.provenance import IgnoredRows, Provenance
from infoscope.studies.multilabel.arguments import ObjectWeights, weighed_sets
from infoscope.studies.multilabel.assignment import MOST_CATEGORIES, AssignBy, assignment_of
from infoscope.studies.multilabel.input_checks import objects_left_out
from infoscope.studies.multilabel.measures import MEASURES
from infoscope.studies.multilabel.options import PairingOptions, ResamplingOptions
from infoscope.studies.multilabel.result import MultilabelEvaluation, Predictor, SampleSpread
from infoscope.studies.multilabel.score import common_draws, score_predictor
from infoscope.studies.multilabel.sources import FileFormat, LabelSetFormat, check_sides, label_sets, name_of
from infoscope.studies.multilabel.sums import ObjectSums
from infoscope.studies.multilabel.uncertainty import random_halves
from infoscope.tables.label_sets import LabelSets, OneSided, aligned
from infoscope.tables.missing import warn_of
from infoscope.typing import Source

__all__ = ["COMPARED", "compare", "differences", "evaluate", "ranked", "stability"]

COMPARED = ("proficiency", "permuted_proficiency", "erroneous_information_ratio", "micro_f1", "object_f1")
_LOWER_IS_BETTER = {each.name for each in MEASURES if each.card.better == "lower"}
_INFORMATION = {each.name for each in MEASURES if each.card.is_information}


def differences(
    values: Mapping[str, Mapping[str, float]], draws: Mapping[str, Mapping[str, Real]], level: float
) -> tuple[Difference, ...]:
    """Pairs of predictors with the difference of each metric.

    ``draws`` come from the same resampled objects for every predictor, so that differences are paired.
    """
    return tuple(
        _difference((a, b), metric, (values[a][metric], values[b][metric]), (draws[a][metric], draws[b][metric]), level)
        for a, b in itertools.combinations(values, 2)
        for metric in COMPARED
        if np.isfinite(values[a][metric]) and np.isfinite(values[b][metric])
    )


def ranked(values: Mapping[str, Mapping[str, float]]) -> tuple[str, ...]:
    """Predictors by proficiency, the best first; undefined ones last."""
    return tuple(sorted(values, key=lambda name: -np.nan_to_num(values[name]["proficiency"], nan=-1.0)))


def _difference(
    names: tuple[str, str], metric: str, value: tuple[float, float], draws: tuple[Real, Real], level: float
) -> Difference:
    found = value[0] - value[1]
    drawn = draws[0] - draws[1]
    if len(drawn) < 2 or not np.isfinite(drawn).all():
        return Difference(*names, metric, Estimate(found), None, paired=True)
    reflected = 2 * found - drawn
    tail = (1 - level) / 2
    low, high = (float(end) for end in np.quantile(reflected, [tail, 1 - tail]))
    better = reflected < 0 if metric in _LOWER_IS_BETTER else reflected > 0
    probability = float(np.mean(better) + np.mean(reflected == 0) / 2)
    verdict: Verdict = "better" if probability > 1 - tail else "worse" if probability < tail else "inconclusive"
    corrected = metric in _INFORMATION
    estimate = Estimate(found, float(reflected.mean()), float(drawn.std(ddof=1)), low, high, corrected=corrected)
    return Difference(*names, metric, estimate, probability, paired=True, verdict=verdict)


class MultilabelKeywords(TypedDict, total=False):
    """How label sets are read, and how much resampling is done."""

    truth_name: str | None
    object: str | None
    category: str | None
    threshold: float | None
    clean: str | Iterable[str]
    separator: str | None
    depth: int | None
    input_format: FileFormat | None
    truth_start: int | None
    predicted_start: int | None
    one_sided: OneSided | None
    assign_by: AssignBy
    level: float
    draws: int
    shuffles: int | None
    splits: int
    seed: int
    weight: ObjectWeights | None


def evaluate(
    truth: Source | LabelSets,
    predicted: Source | LabelSets,
    *,
    name: str | None = None,
    **options: Unpack[MultilabelKeywords],
) -> MultilabelEvaluation:
    """How much of the truth's categories the predicted ones tell, and which of them are mixed up.

    Either side is a list of sets, a mapping of objects to sets, an indicator matrix (array, SciPy sparse, data frame;
    scores with ``threshold``), rows of object and category (``object`` and ``category`` name the columns), or a file
    with one object per line, ``object TAB category TAB category …``; ``truth_start`` and ``predicted_start`` are the
    columns in which categories start where others stand before them (the object is column 0). ``input_format="erd"``
    reads rows without header, ``object TAB … TAB category TAB …``.

    An object that one side lacks is left out, or with ``one_sided="empty"`` carries no category there; in ERD rows,
    where an empty object cannot be written, that is what its absence means. ``assign_by`` is what the renaming of
    categories makes greatest: "information", or the sum of the categories' proficiencies ("proficiency"). ``weight`` is
    how much each object counts: a number per object of the truth, in order or by name, or a column of its rows.

    >>> truth = [{"a"}, {"a", "b"}, {"b"}, {"c"}, {"c", "a"}, set()]
    >>> result = evaluate(truth, truth)
    >>> result
    predicted captures 100% (100.0 – 100.0) of the information in truth.
    >>> round(result.systems[0].metrics["permuted_proficiency"].value, 3)
    1.0
    """
    return compare(truth, {name or name_of(predicted, "predicted"): predicted}, **options)


def compare(
    truth: Source | LabelSets, predictors: Mapping[str, Any], **options: Unpack[MultilabelKeywords]
) -> MultilabelEvaluation:
    """Several predictors on one truth, with paired differences; sources as for ``evaluate``."""
    check_keywords(options, MultilabelKeywords)
    if not isinstance(predictors, Mapping):
        raise InputError("predictors maps names to label sets, as {'svm': sets}; evaluate takes one without a name")
    if not predictors:
        raise InputError("no predictor is given; name at least one")
    asked = _asked(dict(options))
    return _evaluated(truth, options.get("truth_name") or name_of(truth, "truth"), predictors, asked)


class _Asked(NamedTuple):
    """The options of a call, sorted by what they are about."""

    truth: LabelSetFormat
    predicted: LabelSetFormat
    pairing: PairingOptions
    effort: ResamplingOptions
    weight: ObjectWeights | None = None

    def known(self, truth: Any) -> LabelSets:
        """The label sets of the truth, with the weights of their objects."""
        return weighed_sets(label_sets(truth, self.truth), self.weight, truth, self.truth)


def _asked(given: Mapping[str, Any]) -> _Asked:
    form = LabelSetFormat(**{key: given[key] for key in LabelSetFormat.__dataclass_fields__ if key in given})
    absent: OneSided = "empty" if form.input_format == "erd" else "leave_out"
    return _Asked(
        replace(form, first_category=given.get("truth_start"), is_truth=True),
        replace(form, first_category=given.get("predicted_start")),
        PairingOptions(given.get("one_sided") or absent, given.get("assign_by") or "information"),
        ResamplingOptions(**{key: given[key] for key in ResamplingOptions.__dataclass_fields__ if key in given}),
        given.get("weight"),
    )


def stability(
    truth: Source, predicted: Source, *, splits: int = 500, seed: int = 0, **options: Any
) -> dict[str, SampleSpread]:
    """Mean and standard deviation of every metric over both halves of random splits of the objects."""
    check_keywords(options, MultilabelKeywords)
    if splits < 1:
        raise InputError(f"splits is {splits}; stability needs one at least")
    asked = _asked(options)
    by = asked.pairing.assign_by
    check_sides(truth, {"predicted": predicted}, asked.predicted)
    sides = asked.known(truth), label_sets(predicted, asked.predicted)
    pair = aligned(*sides, one_sided=asked.pairing.one_sided)
    warn_of(objects_left_out(pair.ignored))
    order = assignment_of(pair, pair.joint_counts(), by) if len(pair.categories) <= MOST_CATEGORIES else None
    return random_halves(pair, ObjectSums.of(pair, order), splits, np.random.default_rng(seed), by)


def _evaluated(truth: Any, truth_name: str, predictors: Mapping[str, Any], asked: _Asked) -> MultilabelEvaluation:
    check_sides(truth, predictors, asked.predicted)
    known = asked.known(truth)
    given = {name: label_sets(source, asked.predicted) for name, source in predictors.items()}
    pairing, effort = asked.pairing, asked.effort
    systems = tuple(
        score_predictor((known, sets), (truth_name, name), asked.truth, pairing, effort) for name, sets in given.items()
    )
    provenance = Provenance(rows=known.n, ignored=_all_ignored(systems))
    warn_of(objects_left_out({item.reason: item.rows for item in provenance.ignored}))
    findings = tuple(finding for system in systems for finding in system.diagnosis if finding.is_warning)
    if len(systems) == 1:
        return MultilabelEvaluation(systems, known.n, level=effort.level, provenance=provenance, findings=findings)
    values, draws, objects = common_draws(known, given, pairing, effort)
    pairs = differences(values, draws, effort.level)
    return MultilabelEvaluation(systems, known.n, pairs, ranked(values), objects, effort.level, provenance, findings)


def _all_ignored(systems: Sequence[Predictor]) -> tuple[IgnoredRows, ...]:
    most: dict[str, int] = {}
    for system in systems:
        for item in system.ignored:
            most[item.reason] = max(item.rows, most.get(item.reason, 0))
    return tuple(IgnoredRows(reason, rows) for reason, rows in most.items())
