"""Evaluate multi-label predictors: how much of the truth their categories carry, and which they confuse.

>>> import infoscope
>>> truth = [{"cat"}, {"cat", "dog"}, {"dog"}, {"fox"}]
>>> infoscope.multilabel.evaluate(truth, [{"cat"}, {"dog"}, {"dog"}, {"fox"}], draws=0)
predicted has a micro F1 of 88.9% and a macro F1 of 88.9%, and captures 75.5% of the information in truth.

The module reads in the order of the work: the results, the public functions, one predictor against the truth with its
uncertainty and levels, several predictors against each other, and the findings. Sources are read by
``multilabel_sources.py``, metrics and the renaming of categories are in ``multilabel_measures.py``; the page is
``reports/views/multilabel.py``.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, SupportsFloat

import numpy as np
from numpy.typing import NDArray

from infoscope.core.markup import ShortRepr, pluralize
from infoscope.core.numerics import Real, ratio
from infoscope.core.validation import LEVEL, SEED, KeywordHints, Number, OneOf, validated
from infoscope.errors import InputError
from infoscope.metrics import proficiency as table_proficiency
from infoscope.metrics.chance import binary_entropy
from infoscope.metrics.registry import Card
from infoscope.posterior.summary import binomial_interval
from infoscope.readers.labels import make_cleaner
from infoscope.results.base import SystemsResult
from infoscope.results.estimate import Difference, Estimate, Verdict, drop_infinite
from infoscope.results.finding import Finding, shorten_list
from infoscope.results.frame import make_tidy
from infoscope.results.notation import state_p_value
from infoscope.results.provenance import IgnoredRows, Provenance
from infoscope.results.system import MeasuredSystem
from infoscope.studies.inputs import describe_blank_labels
from infoscope.studies.multilabel_measures import (
    MAX_RENAMED_CATEGORIES,
    MEASURES,
    RENAMED,
    AssignBy,
    CategorySums,
    Chance,
    ObjectSums,
    Reassignment,
    adjusted_proficiency,
    assign_categories,
    chance_proficiency,
    compute_pair_information,
    compute_pair_worth,
    extended_bcubed_f1,
    extended_bcubed_precision,
    extended_bcubed_recall,
    find_best_order,
    find_reassignments,
    measure_chance,
    object_f_beta,
    score_sums,
    sum_categories,
)
from infoscope.studies.multilabel_sources import (
    FileFormat,
    LabelSetFormat,
    ObjectWeights,
    check_sides,
    name_source,
    read_label_sets,
    roll_up,
    say_left_out,
    split_path,
    weigh_sets,
)
from infoscope.tables import Contingency
from infoscope.tables.column_kinds import BlankLabels
from infoscope.tables.counting import warn_of
from infoscope.tables.label_sets import Categorization, LabelSets, OneSided, align_label_sets
from infoscope.tables.labels import Label, as_label, lookalikes, sorted_labels
from infoscope.typing import Json, Source

__all__ = [
    "MEASURES",
    "LabelSetCounter",
    "LabelSets",
    "MultilabelEvaluation",
    "compare",
    "evaluate",
    "extended_bcubed_f1",
    "extended_bcubed_precision",
    "extended_bcubed_recall",
    "object_f_beta",
    "stability",
]

COMPARED = ("micro_f1", "macro_f1", "proficiency", "permuted_proficiency", "erroneous_information_ratio", "object_f1")
"""Metrics in which predictors are compared."""
SHOWN_BY_LEVEL = ("proficiency", "permuted_proficiency", "micro_precision", "micro_recall", "micro_f1")
REASONS = {entry.name: entry.card.undefined for entry in MEASURES} | {
    "adjusted_proficiency": "the truth holds no more information than chance would find in it",
    "chance_proficiency": "the truth holds no information",
    "joint_proficiency": "all objects carry the same set of categories",
}
"""Why a metric may have no value."""
SIGNS: tuple[Literal["negative", "none", "positive"], ...] = ("negative", "none", "positive")

MAX_RESAMPLING_WORK = 4e8
"""Resampling is cut down where draws times memberships would exceed this, to a hundred draws at least."""
MAX_CATEGORIES_OF_HALVES = 200
"""Up to this many categories each half gets its own renaming; beyond, the one found on all objects is kept."""
MAX_RENAMED_SPLITS = 100
"""Splits for which that is done: 200 halves give a deviation to 5 percent of itself."""
MIN_OBJECTS_PER_SET = 5
"""Whole sets as classes mean little where there are fewer than this many objects per distinct set."""
MAX_COSTLY_PARENTS = 10

CATEGORY_SEPARATORS = (" ", ",", ";", "|", ", ", "; ", " | ", "/")
CLEANING = {"strip": "white space", "casefold": "case", "nfc": "unicode form", "number": "the spelling of a number"}
"""Steps of cleaning, and the difference that each removes."""


# Results --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SampleSpread:
    """Mean and standard deviation over objects, categories or halves of the data."""

    mean: float
    sd: float
    bias: float | None = None
    """Of halves: their mean less the value of all objects."""
    least: float | None = None
    most: float | None = None
    """Of objects and categories: the smallest and the largest number."""


@dataclass(frozen=True, repr=False)
class CategoryResult(ShortRepr):
    """One category on both sides."""

    label: str
    support: int
    declared: int
    both: int
    association: Literal["negative", "none", "positive"]
    proficiency: float | None
    information: float | None
    entropy: float | None
    missed_share: float | None
    precision: Estimate
    recall: Estimate
    f1: Estimate


@dataclass(frozen=True)
class ParentCost:
    """A parent category, and the bits that rolling its children up loses."""

    parent: str
    children: int
    lost_bits: float


@dataclass(frozen=True)
class Level:
    """One depth of the hierarchy of categories whose names are paths."""

    depth: int
    categories: int
    truth_bits: float
    """Sum of the category entropies of the truth, a bound on what its sets say."""
    lost_share: float
    """Fraction of the deepest level's truth bits that is gone at this depth."""
    metrics: Mapping[str, float | None]
    costliest: tuple[ParentCost, ...]
    """Parents by the bits that rolling their children up loses, the costliest first."""


@dataclass(frozen=True, repr=False)
class Predictor(MeasuredSystem):
    """One predictor against the truth."""

    name: str
    truth_name: str
    n: int
    categories: tuple[str, ...]
    metrics: Mapping[str, Estimate]
    classes: tuple[CategoryResult, ...]
    reassignments: tuple[Reassignment, ...]
    permutation_chance: Chance | None
    """Gain of renaming on shuffled labels."""
    label_sets: Mapping[str, SampleSpread]
    """Categories per object and objects per category on both sides."""
    stability: Mapping[str, SampleSpread]
    """Every metric over both halves of random splits."""
    splits: int
    draws: int
    """Objects are drawn with replacement this often; intervals are reflected percentiles."""
    levels: tuple[Level, ...]
    diagnosis: tuple[Finding, ...]
    ignored: tuple[IgnoredRows, ...] = ()
    """Objects that one side lacks."""

    def value(self, metric: str) -> float | None:
        """Return a metric's plug-in value; None where it is undefined."""
        return self.metrics[metric].value


@dataclass(frozen=True, eq=False, repr=False)
class MultilabelEvaluation(SystemsResult[Predictor]):
    """Predictors of label sets on one truth."""

    kind: ClassVar[str] = "multilabel"

    systems: tuple[Predictor, ...]
    objects: int
    """Objects of the truth."""
    pairs: tuple[Difference, ...] = ()
    """Differences of two predictors on the objects that all of them have."""
    ranking: tuple[str, ...] = ()
    """Predictors by proficiency, the best first."""
    common_objects: int | None = None
    level: float = 0.95
    provenance: Provenance = field(default_factory=Provenance)
    findings: tuple[Finding, ...] = ()

    def tidy_rows(self) -> Iterator[Mapping[str, Json]]:
        """Yield the metrics of each predictor, then those of each category."""
        names = ("support", "declared", "both", "proficiency", "information", "entropy", "missed_share")
        for system, record in zip(self.systems, self.records(), strict=True):
            yield from make_tidy(record, {}, self.roles)
            for item in system.classes:
                numbers = {name: Estimate(getattr(item, name)) for name in names}
                rates = {"precision": item.precision, "recall": item.recall, "f1": item.f1}
                own = {"system": system.name, "class": item.label}
                yield from make_tidy({"n": system.n, **numbers, **rates}, own, {})


# The public functions -------------------------------------------------------------------------------------------------

RESAMPLINGS = Number(low=0, closed="low", whole=True, meaning="0 to leave it out")
FORMATS, ONE_SIDED = OneOf("lists", "stripped_lists", "rows", "erd"), OneOf("leave_out", "empty")
ASSIGN_BY = OneOf("information", "proficiency")


@validated(
    input_format=FORMATS,
    one_sided=ONE_SIDED,
    assign_by=ASSIGN_BY,
    level=LEVEL,
    draws=RESAMPLINGS,
    shuffles=RESAMPLINGS,
    splits=RESAMPLINGS,
    seed=SEED,
)
def evaluate(
    truth: Source | LabelSets,
    predicted: Source | LabelSets,
    *,
    name: str | None = None,
    truth_name: str | None = None,
    object: str | None = None,
    category: str | None = None,
    threshold: float | None = None,
    clean: str | Iterable[str] = (),
    separator: str | None = None,
    depth: int | None = None,
    input_format: FileFormat | None = None,
    truth_start: int | None = None,
    predicted_start: int | None = None,
    one_sided: OneSided | None = None,
    assign_by: AssignBy = "information",
    weight: ObjectWeights | None = None,
    level: float = 0.95,
    confidence_level: float | None = None,  # noqa: ARG001 - another word for level
    draws: int = 1000,
    shuffles: int | None = None,
    splits: int = 500,
    seed: int = 0,
    rng: int | np.random.Generator | None = None,  # noqa: ARG001 - another word for seed
) -> MultilabelEvaluation:
    """Evaluate one predictor of label sets: how much it tells of the truth's categories, and which it mixes up.

    Parameters
    ----------
    truth, predicted
        A list of sets, a mapping of objects to sets, an indicator matrix (array, SciPy sparse, data frame; scores
        with ``threshold``), rows of object and category, or a file with one object per line,
        ``object TAB category TAB category …``.
    name, truth_name
        What to call the predictor and the truth; by default the names of their files.
    object, category
        Columns of rows of object and category.
    threshold
        Score from which an object carries a category, where scores are given.
    clean
        How category names are cleaned: "strip", "nfc", "casefold", "number".
    separator
        Sign between the levels of category names that are paths: every level is then evaluated, too.
    depth
        Roll all names up to their first levels, this many of them.
    input_format
        Layout of files: "lists" (one object per line), "stripped_lists" (the same without white space at the end of
        a line), "rows" (with a header), or "erd" (rows without header, ``object TAB … TAB category TAB …``). By
        default as their names and the other options say.
    truth_start, predicted_start
        Column of a file in which categories start, where others stand before them; the object is column 0.
    one_sided
        What becomes of an object that one side lacks: "leave_out", or "empty" for no category there. In ERD rows,
        where an empty object cannot be written, that is what its absence means.
    assign_by
        What the renaming of categories makes greatest: "information", or the sum of the categories' proficiencies
        ("proficiency").
    weight
        How much each object counts: a number per object of the truth, in order or by name, or a column of its rows.
    level, confidence_level
        Probability of the intervals.
    draws
        Resampled sets of objects for the intervals; 0 for none.
    shuffles
        Shuffles for what renaming gains by chance; by default by the number of categories.
    splits
        Random halves for the stability of the metrics.
    seed, rng
        Seed of all random draws, or a generator.

    Returns
    -------
    MultilabelEvaluation
        Every metric with its interval, categories, reassignments, levels and findings of one predictor.

    Raises
    ------
    InputError
        If a side cannot be read, the sides have no object in common, or options do not go together.

    Examples
    --------
    >>> truth = [{"a"}, {"a", "b"}, {"b"}, {"c"}, {"c", "a"}, set()]
    >>> result = evaluate(truth, truth)
    >>> round(result.systems[0].metrics["macro_f1"].value, 3)
    1.0
    >>> round(result.systems[0].metrics["permuted_proficiency"].value, 3)
    1.0
    """
    return compare(
        truth,
        {name or name_source(predicted, "predicted"): predicted},
        truth_name=truth_name,
        object=object,
        category=category,
        threshold=threshold,
        clean=clean,
        separator=separator,
        depth=depth,
        input_format=input_format,
        truth_start=truth_start,
        predicted_start=predicted_start,
        one_sided=one_sided,
        assign_by=assign_by,
        weight=weight,
        level=level,
        draws=draws,
        shuffles=shuffles,
        splits=splits,
        seed=seed,
    )


@validated(
    input_format=FORMATS,
    one_sided=ONE_SIDED,
    assign_by=ASSIGN_BY,
    level=LEVEL,
    draws=RESAMPLINGS,
    shuffles=RESAMPLINGS,
    splits=RESAMPLINGS,
    seed=SEED,
)
def compare(
    truth: Source | LabelSets,
    predictors: Mapping[str, Any],
    *,
    truth_name: str | None = None,
    object: str | None = None,
    category: str | None = None,
    threshold: float | None = None,
    clean: str | Iterable[str] = (),
    separator: str | None = None,
    depth: int | None = None,
    input_format: FileFormat | None = None,
    truth_start: int | None = None,
    predicted_start: int | None = None,
    one_sided: OneSided | None = None,
    assign_by: AssignBy = "information",
    weight: ObjectWeights | None = None,
    level: float = 0.95,
    confidence_level: float | None = None,  # noqa: ARG001 - another word for level
    draws: int = 1000,
    shuffles: int | None = None,
    splits: int = 500,
    seed: int = 0,
    rng: int | np.random.Generator | None = None,  # noqa: ARG001 - another word for seed
) -> MultilabelEvaluation:
    """Evaluate several predictors of label sets on one truth, with paired differences.

    Parameters
    ----------
    truth
        The true label sets, in any form that ``evaluate`` takes.
    predictors
        Label sets by the name of their predictor, ``{"svm": sets, "knn": sets}``.
    truth_name, object, category, threshold, clean, separator, depth, input_format, truth_start, predicted_start
        How the sources are read, as for ``evaluate``.
    one_sided, assign_by, weight
        How the two sides are paired, as for ``evaluate``.
    level, confidence_level, draws, shuffles, splits, seed, rng
        How uncertainty is estimated, as for ``evaluate``.

    Returns
    -------
    MultilabelEvaluation
        What ``evaluate`` returns of each predictor, with the difference of each pair on the objects that all have.

    Raises
    ------
    InputError
        If ``predictors`` is no mapping or empty, or as ``evaluate`` does.

    Examples
    --------
    >>> truth = [{"a"}, {"a", "b"}, {"b"}, set()] * 9
    >>> result = compare(truth, {"same": truth, "none": [{"a"}] * 36}, shuffles=9, splits=9)
    >>> result.ranking
    ('same', 'none')
    """
    if not isinstance(predictors, Mapping):
        raise InputError("predictors maps names to label sets, as {'svm': sets}; evaluate takes one without a name")
    if not predictors:
        raise InputError("no predictor is given; name at least one")
    options = MultilabelOptions(
        LabelSetFormat(object, category, threshold, clean, separator, depth, input_format, truth_start, is_truth=True),
        LabelSetFormat(object, category, threshold, clean, separator, depth, input_format, predicted_start),
        one_sided or ("empty" if input_format == "erd" else "leave_out"),
        assign_by,
        level,
        draws,
        shuffles,
        splits,
        seed,
    )
    check_sides(truth, predictors, options.predicted_format)
    true_sets = weigh_sets(read_label_sets(truth, options.truth_format), weight, truth, options.truth_format)
    given = {name: read_label_sets(source, options.predicted_format) for name, source in predictors.items()}
    title = truth_name or name_source(truth, "truth")
    systems = tuple(_score_predictor((true_sets, sets), (title, name), options) for name, sets in given.items())

    most_ignored: dict[str, int] = {}
    for item in itertools.chain.from_iterable(system.ignored for system in systems):
        most_ignored[item.reason] = max(item.rows, most_ignored.get(item.reason, 0))
    warn_of(say_left_out(most_ignored))
    ignored = tuple(IgnoredRows(reason, rows) for reason, rows in most_ignored.items())
    result = MultilabelEvaluation(
        systems,
        true_sets.n,
        level=level,
        provenance=Provenance(rows=true_sets.n, ignored=ignored),
    )
    if len(systems) == 1:
        return result
    values, drawn, objects = _resample_common_objects(true_sets, given, options)
    # by proficiency, the best first; undefined ones last
    ranking = sorted(values, key=lambda name: -np.nan_to_num(values[name]["proficiency"], nan=-1.0))
    pairs = tuple(_compare_pairs(values, drawn, level))
    return replace(result, pairs=pairs, ranking=tuple(ranking), common_objects=objects)


@validated(
    input_format=FORMATS,
    one_sided=ONE_SIDED,
    assign_by=ASSIGN_BY,
    splits=Number(low=1, closed="low", whole=True),
    seed=SEED,
)
def stability(
    truth: Source | LabelSets,
    predicted: Source | LabelSets,
    *,
    object: str | None = None,
    category: str | None = None,
    threshold: float | None = None,
    clean: str | Iterable[str] = (),
    separator: str | None = None,
    depth: int | None = None,
    input_format: FileFormat | None = None,
    truth_start: int | None = None,
    predicted_start: int | None = None,
    one_sided: OneSided | None = None,
    assign_by: AssignBy = "information",
    weight: ObjectWeights | None = None,
    splits: int = 500,
    seed: int = 0,
    rng: int | np.random.Generator | None = None,  # noqa: ARG001 - another word for seed
) -> dict[str, SampleSpread]:
    """Return how every metric varies over both halves of random splits of the objects.

    Parameters
    ----------
    truth, predicted
        The two sides, in any form that ``evaluate`` takes.
    object, category, threshold, clean, separator, depth, input_format, truth_start, predicted_start
        How the sources are read, as for ``evaluate``.
    one_sided, assign_by, weight
        How the two sides are paired, as for ``evaluate``.
    splits
        Random splits, 1 or more.
    seed, rng
        Seed of the splits, or a generator.

    Returns
    -------
    dict
        Mean, standard deviation and bias of halves by metric.

    Raises
    ------
    InputError
        As ``evaluate`` does.

    Examples
    --------
    >>> truth = [{"a"}, {"a", "b"}, {"b"}, set()] * 9
    >>> print(f"{stability(truth, truth, splits=20)['micro_f1'].mean:.2f}")
    1.00
    """
    formats = (
        LabelSetFormat(object, category, threshold, clean, separator, depth, input_format, truth_start, is_truth=True),
        LabelSetFormat(object, category, threshold, clean, separator, depth, input_format, predicted_start),
    )
    check_sides(truth, {"predicted": predicted}, formats[1])
    sides = (
        weigh_sets(read_label_sets(truth, formats[0]), weight, truth, formats[0]),
        read_label_sets(predicted, formats[1]),
    )
    pair = align_label_sets(*sides, one_sided=one_sided or ("empty" if input_format == "erd" else "leave_out"))
    warn_of(say_left_out(pair.ignored))
    fits = len(pair.categories) <= MAX_RENAMED_CATEGORIES
    order = assign_categories(pair, pair.joint_counts(), assign_by) if fits else None
    return _split_halves(pair, ObjectSums.of(pair, order), splits, np.random.default_rng(seed), assign_by)


class LabelSetCounter(KeywordHints):
    """True and predicted label sets as they arrive; memory grows with distinct pairs of sets, not with objects.

    Examples
    --------
    >>> counter, other = LabelSetCounter(), LabelSetCounter()
    >>> counter.add({"sport"}, {"sport", "news"})
    >>> other.update([{"news"}, {"sport"}], [{"news"}, {"sport"}])
    >>> counter.merge(other)
    >>> counter
    LabelSetCounter of 3 objects, 2 categories
    >>> counter.evaluate(draws=0, shuffles=0, splits=0)
    predicted has a micro F1 of 85.7% and a macro F1 of 83.3%, and captures 63.7% of the information in truth.
    """

    def __init__(self) -> None:
        self._counts: Counter[tuple[frozenset[Label], frozenset[Label]]] = Counter()

    def add(self, truth: Iterable[Label], predicted: Iterable[Label], objects: int = 1) -> None:
        """Count one object, or several with the same sets."""
        if objects < 1 or objects != int(objects):
            raise InputError(f"{objects} objects were added; count one or more whole objects at a time")
        self._counts[_freeze_set(truth, "truth"), _freeze_set(predicted, "predicted")] += int(objects)

    def update(self, truth: Iterable[Iterable[Label]], predicted: Iterable[Iterable[Label]]) -> None:
        """Count a batch of objects: two sequences of sets of the same length; none is counted where one is at fault."""
        sides = {"truth": list(truth), "predicted": list(predicted)}
        sizes = [len(sets) for sets in sides.values()]
        if sizes[0] != sizes[1]:
            raise InputError(
                f"a batch has {sizes[0]} true and {sizes[1]} predicted sets; they are paired object by object"
            )
        frozen = [[_freeze_set(categories, side) for categories in sets] for side, sets in sides.items()]
        self._counts.update(zip(*frozen, strict=True))

    def merge(self, other: LabelSetCounter) -> None:
        """Add what another counter has counted; that one stays as it is."""
        self._counts.update(other._counts)

    def __add__(self, other: LabelSetCounter) -> LabelSetCounter:
        """Return a new counter of both."""
        if not isinstance(other, LabelSetCounter):
            return NotImplemented
        both = LabelSetCounter()
        both.merge(self)
        both.merge(other)
        return both

    def __len__(self) -> int:
        """Return how many objects were counted."""
        return self._counts.total()

    def __repr__(self) -> str:
        """Return how much was counted."""
        used = {category for pair in self._counts for side in pair for category in side}
        return f"LabelSetCounter of {pluralize(len(self), 'object')}, {len(used):,} categories"

    def label_sets(self) -> tuple[LabelSets, LabelSets]:
        """Return the true and predicted sets of all objects; equal ones stand together."""
        if not self._counts:
            raise InputError("nothing was counted; add at least one object")
        # sorted, so that merging in another order changes nothing
        pairs = sorted(self._counts.items(), key=lambda item: [sorted(map(repr, side)) for side in item[0]])
        rows = np.repeat(np.arange(len(pairs)), [count for _, count in pairs])
        sides = [LabelSets.from_sets([sorted_labels(pair[side]) for pair, _ in pairs]) for side in (0, 1)]
        truth, predicted = (LabelSets(sets.matrix[rows], sets.categories) for sets in sides)
        return truth, predicted

    def evaluate(
        self,
        *,
        name: str = "predicted",
        truth_name: str | None = None,
        clean: str | Iterable[str] = (),
        separator: str | None = None,
        depth: int | None = None,
        assign_by: AssignBy = "information",
        level: float = 0.95,
        draws: int = 1000,
        shuffles: int | None = None,
        splits: int = 500,
        seed: int = 0,
    ) -> MultilabelEvaluation:
        """Evaluate the predictions counted so far, with options as of ``evaluate``; counting may go on."""
        truth, predicted = self.label_sets()
        return evaluate(
            truth,
            predicted,
            name=name,
            truth_name=truth_name,
            clean=clean,
            separator=separator,
            depth=depth,
            assign_by=assign_by,
            level=level,
            draws=draws,
            shuffles=shuffles,
            splits=splits,
            seed=seed,
        )


def _freeze_set(categories: Iterable[Label], side: str) -> frozenset[Label]:
    if isinstance(categories, str | bytes) or not isinstance(categories, Iterable):
        raise InputError(f"the {side} of an object is {categories!r}; give a set or list of its categories")
    return frozenset(map(as_label, categories))


# One predictor --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MultilabelOptions:
    """Resolved options that every step shares."""

    truth_format: LabelSetFormat
    predicted_format: LabelSetFormat
    one_sided: OneSided
    assign_by: AssignBy
    level: float
    draws: int
    shuffles: int | None
    splits: int
    seed: int


def _limit_draws(count: int, ledger: ObjectSums) -> int:
    """Return as many draws as were asked for, or as the work allows."""
    return min(count, max(100, int(MAX_RESAMPLING_WORK / max(ledger.columns.nnz, 1))))


def _score_predictor(
    sides: tuple[LabelSets, LabelSets], names: tuple[str, str], options: MultilabelOptions
) -> Predictor:
    """Compute every number about one predictor."""
    pair, by = align_label_sets(*sides, names, options.one_sided), options.assign_by
    rng = np.random.default_rng(options.seed)
    size, plain = len(pair.categories), pair.drop_weights()
    order, chance, moved = None, None, []
    if size <= MAX_RENAMED_CATEGORIES:
        counts = pair.joint_counts()
        order = assign_categories(pair, counts, by)
    ledger = ObjectSums.of(pair, order)
    sums = ledger.whole()
    values: dict[str, float] = {name: float(value) for name, value in score_sums(sums).items()}
    reasons = dict(REASONS)
    if order is None:
        why = f"{size} categories are too many to compare each with each ({MAX_RENAMED_CATEGORIES} at most)"
        values |= dict.fromkeys(RENAMED, np.nan)
        reasons |= dict.fromkeys(RENAMED, f"{why}; roll them up")
    else:
        # every shuffle compares all pairs of categories
        by_size = 199 if size <= 200 else 39 if size <= 1000 else 19
        shuffles = by_size if options.shuffles is None else options.shuffles
        chance = measure_chance(pair, values["permuted_proficiency"], shuffles, rng, by)
        # how many objects there are, and by chance, whatever they weigh
        moved = find_reassignments(plain, counts if plain is pair else plain.joint_counts(), order)

    draws, splits = _limit_draws(options.draws, ledger), _limit_draws(options.splits, ledger)
    estimates = {name: Estimate.of(value, reasons[name]) for name, value in values.items()}
    if draws >= 2:
        drawn = score_sums(ledger.resample(draws, np.random.default_rng(options.seed)))
        for entry in MEASURES:
            value, reason = values[entry.name], reasons[entry.name]
            estimates[entry.name] = estimate_by_reflection(value, drawn[entry.name], options.level, entry.card, reason)
    joint, sparse = _score_whole_sets(pair)
    whole_objects = sums
    if pair.weights is not None:  # counts of as many objects as the weights are worth: chance deals whole objects
        total = np.full_like(sums.total, round(pair.effective_size))
        truth, system, both = (np.rint(part * (total / sums.total)) for part in (sums.truth, sums.system, sums.both))
        both = np.clip(both, np.maximum(truth + system - total, 0.0), np.minimum(truth, system))
        whole_objects = replace(sums, total=total, truth=truth, system=system, both=both)
    without_interval: dict[str, SupportsFloat] = {
        "chance_proficiency": chance_proficiency(whole_objects),
        "adjusted_proficiency": adjusted_proficiency(whole_objects),
        "joint_proficiency": joint,
    }
    estimates |= {name: Estimate.of(value, reasons[name]) for name, value in without_interval.items()}
    separator = options.truth_format.separator if options.truth_format.depth is None else None
    return Predictor(
        name=names[1],
        truth_name=names[0],
        n=pair.n,
        categories=tuple(map(str, pair.categories)),
        metrics=estimates,
        classes=_score_categories(pair, sums, options.level if options.draws else None),
        reassignments=tuple(moved),
        permutation_chance=chance,
        label_sets=_measure_sizes(plain),
        stability=_split_halves(pair, ledger, splits, rng, by) if splits else {},
        splits=splits,
        draws=draws,
        levels=() if separator is None else tuple(compute_levels(*sides, separator, options.one_sided, by)),
        diagnosis=(*_describe_information(estimates, moved, names), *_describe_input(pair, sides, names), *sparse),
        ignored=tuple(IgnoredRows(reason, rows) for reason, rows in pair.ignored.items()),
    )


def _score_whole_sets(pair: Categorization) -> tuple[float, list[Finding]]:
    """Return the proficiency with whole sets as classes, and a finding where that means little."""
    codes = []
    for matrix in (pair.truth, pair.system):
        places: dict[bytes, int] = {}
        indices = matrix.sorted_indices().indices
        rows = itertools.pairwise(matrix.indptr)
        codes.append(np.array([places.setdefault(indices[a:b].tobytes(), len(places)) for a, b in rows]))
    value = float(table_proficiency(Contingency.from_labels(*codes, labels="own", sample_weight=pair.weights)))
    distinct = max(int(code.max()) + 1 for code in codes)
    if distinct * MIN_OBJECTS_PER_SET <= pair.n:
        return value, []
    text = (
        f"joint_proficiency takes whole sets as classes: {distinct} distinct sets among {pair.n} objects put it near 1 "
        "by sparsity alone."
    )
    return value, [Finding("sparse_sets", text, evidence={"sets": distinct, "objects": pair.n})]


def _measure_sizes(pair: Categorization) -> dict[str, SampleSpread]:
    """Return the spread of set sizes, and of the objects per category among the categories in use."""
    spreads = {}
    for side, matrix, counts in (
        ("truth", pair.truth, pair.truth_counts),
        ("system", pair.system, pair.system_counts),
    ):
        numbers: dict[str, Real | NDArray[np.integer]] = {f"{side}_categories_per_object": np.diff(matrix.indptr)}
        if (counts > 0).any():
            numbers[f"{side}_objects_per_category"] = counts[counts > 0]
        for name, sizes in numbers.items():
            ends = {"least": float(sizes.min()), "most": float(sizes.max())}
            spreads[name] = SampleSpread(float(sizes.mean()), float(sizes.std()), **ends)
    return spreads


def _score_categories(pair: Categorization, sums: CategorySums, level: float | None) -> tuple[CategoryResult, ...]:
    """Return one record per category, its rates with intervals of this level; what does not exist is null."""
    tables, plain = sums.tables, pair.drop_weights()
    entropies = binary_entropy(sums.truth, tables.total)
    missed = np.maximum(entropies - sums.information, 0.0)
    columns: dict[str, Real] = {
        "proficiency": ratio(sums.information, entropies),
        "information": sums.information,
        "entropy": entropies,
        "missed_share": ratio(missed, missed.sum()),
    }
    worth = pair.effective_size / (pair.total or 1.0)  # weights count by their effective size

    def estimate_shares(of: Real, undefined: str) -> list[Estimate]:
        estimates = [Estimate.of(share, undefined) for share in ratio(sums.both, of)]
        if level is None:
            return estimates
        limits = zip(*binomial_interval(sums.both * worth, of * worth, level), strict=True)
        return [
            estimate if estimate.value is None else replace(estimate, low=float(low), high=float(high))
            for estimate, (low, high) in zip(estimates, limits, strict=True)
        ]

    precision = estimate_shares(sums.system, "the category is never predicted")
    recall = estimate_shares(sums.truth, "no object has the category")
    union = sums.truth + sums.system - sums.both
    jaccard = estimate_shares(union, "no object has the category on either side")
    signs = tables.sign
    results = []
    for i, name in enumerate(pair.categories):
        # F1 rises with the Jaccard index: 2J / (1 + J)
        ends = (jaccard[i].value, jaccard[i].low, jaccard[i].high)
        value, low, high = (None if x is None else 2 * x / (1 + x) for x in ends)
        results.append(
            CategoryResult(
                label=str(name),
                support=int(plain.truth_counts[i]),
                declared=int(plain.system_counts[i]),
                both=int(plain.both[i]),
                association=SIGNS[int(signs[i]) + 1],
                **{key: None if np.isnan(column[i]) else float(column[i]) for key, column in columns.items()},
                precision=precision[i],
                recall=recall[i],
                f1=replace(jaccard[i], value=value, low=low, high=high),
            )
        )
    return tuple(results)


# Uncertainty ----------------------------------------------------------------------------------------------------------


def estimate_by_reflection(value: float, draws: Real, level: float, card: Card, reason: str) -> Estimate:
    """Return the interval by reflection: what resampling adds to the value, it is assumed to have added to the truth.

    Information from samples is too high, and resampling makes it higher still; the percentiles themselves may then
    exclude the value. Reflected at it, they correct the bias instead of doubling it.
    """
    if not np.isfinite(value) or len(draws) < 2 or not np.isfinite(draws).all():
        return Estimate.of(value, reason)
    tail = (1 - level) / 2
    lower, upper = np.quantile(draws, [tail, 1 - tail])
    low, high, mean = (float(np.clip(2 * value - end, *card.range)) for end in (upper, lower, draws.mean()))
    return Estimate(value, mean, float(draws.std(ddof=1)), low, high, corrected=card.is_information)


def _split_halves(
    pair: Categorization, ledger: ObjectSums, splits: int, rng: np.random.Generator, by: AssignBy
) -> dict[str, SampleSpread]:
    """Return mean and standard deviation of every metric over both halves of random splits, and the bias of halves.

    For a smooth metric the deviation of half the data over random halves estimates the standard error of all of it. The
    bias is the mean less the value of all objects: half as many look more informative.
    """
    of_all = score_sums(ledger.whole())
    values = score_sums(ledger.halve(splits, np.random.default_rng(rng.integers(2**63))))
    if len(pair.categories) > MAX_RENAMED_CATEGORIES:
        values = {name: halves for name, halves in values.items() if name not in RENAMED}
    if len(pair.categories) <= MAX_CATEGORIES_OF_HALVES:
        shares = []  # of both halves of a split, each with its own renaming
        for _ in range(min(splits, MAX_RENAMED_SPLITS)):
            heads = rng.integers(2, size=pair.n).astype(bool)
            for half in (heads, ~heads):
                part = pair.select_objects(half)
                size, carried = part.total or 1.0, part.truth_counts
                information = compute_pair_information(part.joint_counts(), carried, part.system_counts, size)
                truth_bits = float(binary_entropy(carried, size).sum())
                order = find_best_order(compute_pair_worth(information, carried, size, by))
                bits = float(information[np.arange(len(order)), order].sum())
                shares.append(bits / truth_bits if truth_bits > 0 else np.nan)
        values["permuted_proficiency"] = np.array(shares)
    spreads = {}
    for name, halves in values.items():
        if not np.isnan(halves).all():
            mean, value = float(np.nanmean(halves)), float(of_all[name])
            bias = mean - value if np.isfinite(value) else None
            spreads[name] = SampleSpread(mean, float(np.nanstd(halves)), bias)
    return spreads


# Categories that are paths --------------------------------------------------------------------------------------------


def compute_levels(
    truth: LabelSets,
    system: LabelSets,
    separator: str,
    one_sided: OneSided = "leave_out",
    assign_by: AssignBy = "information",
) -> list[Level]:
    """Return the metrics at every depth, the top first, and what each depth loses against the deepest."""
    deepest = max(
        (len(split_path(category, separator)) for sets in (truth, system) for category in sets.categories), default=1
    )
    pairs = [
        align_label_sets(roll_up(truth, separator, depth), roll_up(system, separator, depth), one_sided=one_sided)
        for depth in range(1, deepest + 1)
    ]
    finest, entropies = pairs[-1], [binary_entropy(pair.truth_counts, pair.total) for pair in pairs]
    all_bits = float(entropies[-1].sum())
    levels = []
    for depth, (pair, category_bits) in enumerate(zip(pairs, entropies, strict=True), start=1):
        fits = len(pair.categories) <= MAX_RENAMED_CATEGORIES
        order = assign_categories(pair, pair.joint_counts(), assign_by) if fits else None
        sums = sum_categories(pair, order)
        values = {entry.name: float(entry.score(sums)) for entry in MEASURES if entry.name in SHOWN_BY_LEVEL}
        if order is None:
            values["permuted_proficiency"] = np.nan

        # the bits of children less those of their parent: never negative, for a parent is a function of its children
        parents = [separator.join(split_path(category, separator)[:depth]) for category in finest.categories]
        children, children_bits = Counter(parents), dict.fromkeys(parents, 0.0)
        for parent, bits in zip(parents, entropies[-1], strict=True):
            children_bits[parent] += float(bits)
        parent_bits = dict(zip(map(str, pair.categories), category_bits, strict=True))
        lost = {name: bits - float(parent_bits[name]) for name, bits in children_bits.items() if children[name] > 1}
        costliest = sorted(lost.items(), key=lambda item: -item[1])[:MAX_COSTLY_PARENTS]
        bits = float(category_bits.sum())
        levels.append(
            Level(
                depth,
                len(pair.categories),
                bits,
                max(1.0 - bits / all_bits if all_bits > 0 else 0.0, 0.0),
                {name: drop_infinite(value) for name, value in values.items()},
                tuple(ParentCost(name, children[name], max(bits, 0.0)) for name, bits in costliest),
            )
        )
    return levels


# Several predictors ---------------------------------------------------------------------------------------------------


def _resample_common_objects(
    truth: LabelSets, predictors: Mapping[str, LabelSets], options: MultilabelOptions
) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, Real]], int]:
    """Return values and resampled values of every predictor on the objects that all of them have, and their number."""
    pairs = {
        name: align_label_sets(truth, sets, ("truth", name), options.one_sided) for name, sets in predictors.items()
    }
    rows = _find_common_objects(pairs)
    values: dict[str, dict[str, float]] = {}
    draws: dict[str, dict[str, Real]] = {}
    for name, pair in pairs.items():
        kept = pair.select_objects(rows[name])
        fits = len(pair.categories) <= MAX_RENAMED_CATEGORIES
        order = assign_categories(kept, kept.joint_counts(), options.assign_by) if fits else None
        ledger = ObjectSums.of(kept, order)
        count = _limit_draws(options.draws, ledger)
        values[name] = {metric: float(value) for metric, value in score_sums(ledger.whole()).items()}
        if not fits:
            values[name] |= dict.fromkeys(RENAMED, np.nan)
        if count > 1:  # one seed for all: every predictor meets the same resampled objects
            drawn = ledger.resample(count, np.random.default_rng(options.seed))
        else:
            drawn = ledger.weigh(np.ones((1, ledger.n)))
        draws[name] = score_sums(drawn)
    fewest = min(len(drawn["proficiency"]) for drawn in draws.values())
    cut = {name: {metric: value[:fewest] for metric, value in drawn.items()} for name, drawn in draws.items()}
    return values, cut, len(next(iter(rows.values())))


def _find_common_objects(pairs: Mapping[str, Categorization]) -> dict[str, NDArray[np.intp]]:
    """Return the positions of the objects that all pairs have; a name that repeats pairs by its order."""
    first = next(iter(pairs.values()))
    if all(pair.objects == first.objects for pair in pairs.values()):
        return {name: np.arange(pair.n) for name, pair in pairs.items()}
    places: dict[str, dict[tuple[Label, int], int]] = {}
    for name, pair in pairs.items():
        seen: Counter[Label] = Counter()
        places[name] = {}
        for place, label in enumerate(pair.objects or ()):
            seen[label] += 1
            places[name][label, seen[label]] = place
    common = [key for key in next(iter(places.values())) if all(key in other for other in places.values())]
    if not common:
        raise InputError("no object was labelled by all predictors; they cannot be compared")
    return {name: np.array([of_key[key] for key in common]) for name, of_key in places.items()}


def _compare_pairs(
    values: Mapping[str, Mapping[str, float]], draws: Mapping[str, Mapping[str, Real]], level: float
) -> Iterator[Difference]:
    """Yield the difference of each metric of each pair of predictors.

    ``draws`` come from the same resampled objects for every predictor, so that differences are paired.
    """
    cards = {entry.name: entry.card for entry in MEASURES}
    tail = (1 - level) / 2
    for (a, b), metric in itertools.product(itertools.combinations(values, 2), COMPARED):
        if not (np.isfinite(values[a][metric]) and np.isfinite(values[b][metric])):
            continue
        gap, drawn = values[a][metric] - values[b][metric], draws[a][metric] - draws[b][metric]
        if len(drawn) < 2 or not np.isfinite(drawn).all():
            yield Difference(a, b, metric, Estimate(gap), None, paired=True)
            continue
        reflected = 2 * gap - drawn
        low, high = (float(end) for end in np.quantile(reflected, [tail, 1 - tail]))
        better = reflected < 0 if cards[metric].better == "lower" else reflected > 0
        probability = float(np.mean(better) + np.mean(reflected == 0) / 2)
        verdict: Verdict = "better" if probability > 1 - tail else "worse" if probability < tail else "inconclusive"
        mean, sd, corrected = float(reflected.mean()), float(drawn.std(ddof=1)), cards[metric].is_information
        estimate = Estimate(gap, mean, sd, low, high, corrected=corrected)
        yield Difference(a, b, metric, estimate, probability, paired=True, verdict=verdict)


# Findings -------------------------------------------------------------------------------------------------------------


def _describe_information(
    estimates: Mapping[str, Estimate], moved: Sequence[Reassignment], names: tuple[str, str]
) -> Iterator[Finding]:
    """Yield what is captured of the truth, and categories that look renamed."""
    captured, by_chance = estimates["proficiency"], estimates["chance_proficiency"].value
    if captured.value is None or captured.shown is None:
        text = f"{names[0]} gives every category to all objects or to none: there is no information to capture."
        yield Finding("no_information", text, "warning")
        return
    yield Finding(
        "captured",
        f"In this sample {names[1]} captures {captured.value:.1%} of the information in {names[0]}'s categories; "
        f"random sets of the same composition would show {by_chance or 0.0:.1%}, and of what they leave open "
        f"{estimates['adjusted_proficiency'].value or 0.0:.1%} is captured.",
    )
    renamed = estimates["permuted_proficiency"].shown
    evident = [reassignment for reassignment in moved if reassignment.finding]
    if evident and renamed is not None:
        least = min(reassignment.p_value for reassignment in evident)
        yield Finding(
            "renaming",
            f"Categories look renamed: {len(evident)} of {names[0]}'s {'goes' if len(evident) == 1 else 'go'} "
            f"significantly better with a category of another name ({state_p_value(least)}). The best renaming would "
            f"raise the information captured from {captured.shown:.1%} to {renamed:.1%}: check how the categories were "
            "encoded.",
            "warning",
            {"gain": renamed - captured.shown, "p_value": least, "reassigned": len(evident)},
            "Rename the categories",
        )
    for pair in evident:
        evidence: dict[str, Json] = {"truth": pair.truth, "system": pair.system, "p_value": pair.p_value}
        yield Finding("relabelled", f"{pair.sentence(*names)}.", evidence=evidence)


def _describe_input(pair: Categorization, sides: Sequence[LabelSets], names: Sequence[str]) -> Iterator[Finding]:
    """Yield everything a reader should know about the input before the numbers."""
    for objects, sentence in zip(pair.ignored.values(), say_left_out(pair.ignored), strict=True):
        yield Finding("objects_left_out", f"{sentence}.", "warning", {"objects": objects})
    for reason, objects in pair.emptied.items():
        text = (
            f"{objects:,} {reason.replace('object in', 'object is in' if objects == 1 else 'objects are in')}; "
            "the other side counts as giving no category."
        )
        yield Finding("objects_emptied", text, evidence={"objects": objects})
    if pair.weights is not None:
        worth = pair.effective_size
        text = f"Objects count by their weights; {pair.n:,} objects are worth {worth:,.0f} that count the same."
        yield Finding("weighted_objects", text, evidence={"objects": pair.n, "effective": worth})
    nameless = sum(name == "" for name in pair.objects or ())
    if nameless:
        text = f"{nameless:,} object{'s have' if nameless > 1 else ' has'} an empty name and counts like any other."
        yield Finding("empty_names", text, evidence={"objects": nameless})
    if pair.repeated_objects:
        text = (
            f"{pair.repeated_objects} objects have a name that occurs more than once; they are paired by their order."
        )
        yield Finding("repeated_objects", text, evidence={"objects": pair.repeated_objects})
    lengths = sorted({sets.numbers_per_object for sets in sides if sets.numbers_per_object})
    if lengths:
        text = (
            f"Every object has a list of {' or '.join(map(str, lengths))} numbers, which are read as the names "
            "of its categories. A matrix has 0 and 1 for each category, or scores with a threshold (threshold=)."
        )
        yield Finding("numbers_as_categories", text, evidence={"numbers": lengths})
    for name, sets in zip(names, sides, strict=True):
        if sets.repeated:
            text = f"{name} states {pluralize(sets.repeated, 'membership')} more than once; each counts once."
            yield Finding("repeated_memberships", text, evidence={"memberships": sets.repeated})
    used = {name: (sets.categories, sets.supports) for name, sets in zip(names, sides, strict=True)}
    yield from describe_blank_labels(BlankLabels.of_columns(used, sets=True))

    # names of categories
    for whole, head, tail in _find_joined_names(pair.categories):
        text = f"Category '{whole}' looks like '{head}' and '{tail}' with a stray separator between."
        yield Finding("run_together", text, evidence={"category": whole})
    alike: dict[tuple[str, ...], list[Sequence[str]]] = {}
    for group in lookalikes(pair.categories):
        alike.setdefault(_find_cleaning(group), []).append(group)
    for steps, groups in alike.items():
        shown, every = shorten_list([" and ".join(f"'{name}'" for name in group) for group in groups], most=2)
        text = f"Categories {shown} {_explain_cleaning(steps)}."
        command = f"… {' '.join(f'--clean {step}' for step in steps)}" if steps else ""
        names_alike: Json = [name for group in groups for name in group]
        finding = Finding("lookalike_categories", text, evidence={"categories": names_alike}, command=command)
        yield finding.with_names(shown, every)
    for name, other, only in zip(names, reversed(names), pair.categories_on_one_side(), strict=True):
        if only:
            shown, every = shorten_list([f"'{label}'" for label in only])
            text = f"{other} never used {shown}, which {name} did; kept, with nothing on the other side."
            labels: Json = [str(label) for label in only]
            finding = Finding("one_sided_categories", text, evidence={"categories": labels, "used_by": name})
            yield finding.with_names(shown, every)


def _find_joined_names(categories: Sequence[Label]) -> list[tuple[str, str, str]]:
    """Return categories that are two others with a stray separator between them.

    >>> _find_joined_names(["sport", "news", "news sport"])
    [('news sport', 'news', 'sport')]
    """
    names = {str(category) for category in categories} | {str(category).strip() for category in categories}
    joined: dict[str, tuple[str, str]] = {}  # of each category the first way
    for category, sign in itertools.product(map(str, categories), CATEGORY_SEPARATORS):
        parts = category.split(sign)
        for cut in range(1, len(parts)):
            head, tail = sign.join(parts[:cut]), sign.join(parts[cut:])
            if tail and head in names and tail in names:
                joined.setdefault(category, (head, tail))
    return [(category, *parts) for category, parts in joined.items()]


def _find_cleaning(group: Sequence[str]) -> tuple[str, ...]:
    """Return the steps of cleaning that make names one, as few as do; none if none do.

    >>> _find_cleaning(["News", "news"]), _find_cleaning([" news", "news"])
    (('casefold',), ('strip',))
    """
    for size in range(1, len(CLEANING) + 1):
        for steps in itertools.combinations(CLEANING, size):
            if len(set(map(make_cleaner(steps), group))) == 1:
                return steps
    return ()


def _explain_cleaning(steps: Sequence[str]) -> str:
    """Return in what names differ that these steps of cleaning make one.

    >>> _explain_cleaning(("casefold",))
    "differ only by case and count as different; clean=('casefold',) or --clean casefold makes them one"
    """
    if not steps:
        return "look alike and count as different; if they are one category, rename them"
    differing = " and ".join(CLEANING[step] for step in steps)
    options = " ".join(f"--clean {step}" for step in steps)
    return f"differ only by {differing} and count as different; clean={tuple(steps)!r} or {options} makes them one"
