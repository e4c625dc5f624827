"""Compare annotators of the same items: how they agree, who stands apart, and which categories they mix up.

The module reads in the order of the work: results; ``agreement``; annotations from columns, sequences, sets of
categories or a table; the map of annotators; findings. What is measured is in ``studies/agreement_measures.py``, the
page is ``reports/views/agreement.py``, and ``infoscope agree`` asks for it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse

from infoscope.core.markup import ShortRepr, pluralize
from infoscope.core.validation import LEVEL, SEED, Number, OneOf, validated
from infoscope.errors import InputError
from infoscope.metrics import erroneous_information
from infoscope.readers import ReadOptions
from infoscope.readers.frames import frame_names, is_column_mapping, is_frame
from infoscope.readers.labels import Cleaning
from infoscope.readers.query import pick_columns
from infoscope.readers.reader import read_distinct_rows
from infoscope.results.base import Result
from infoscope.results.codec import encode
from infoscope.results.estimate import Estimate
from infoscope.results.finding import Finding, shorten_list
from infoscope.results.frame import Record, make_tidy
from infoscope.results.notation import format_probability
from infoscope.results.provenance import Provenance
from infoscope.results.system import MeasuredSystem, find_system
from infoscope.studies.agreement_measures import (
    Annotations,
    AnnotationScale,
    ConfusedCategories,
    OddOneOut,
    PairAgreement,
    Scale,
    compare_pairs,
    estimate_alpha,
    estimate_coefficients,
)
from infoscope.studies.inputs import describe_blank_labels
from infoscope.studies.multilabel_sources import LabelSetFormat, check_sides, read_label_sets
from infoscope.tables import Contingency
from infoscope.tables.column_kinds import BlankLabels, check_label_columns
from infoscope.tables.counting import warn_of
from infoscope.tables.encoding import one_column
from infoscope.tables.label_sets import LabelSets
from infoscope.tables.labels import Label, is_missing, sorted_labels
from infoscope.tables.rows import Rows
from infoscope.typing import Json, LabelsByName, Source

MAX_WORK = 4e8
"""Resampling is cut down where draws times labels times annotators would exceed this, to fifty draws at least."""
MAX_CONFUSED = 15
"""Pairs of categories that findings name."""
COLLECTIONS = (set, frozenset, list, tuple)


# Results --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, repr=False)
class Annotator(MeasuredSystem):
    """One annotator against all others."""

    name: str
    items: int
    """Items with a label of this annotator."""
    mean_proficiency: float | None
    """Mean proficiency between this annotator and the others, in both directions."""
    alpha_without: float | None
    """Krippendorff's alpha of the others alone."""
    used: Mapping[str, int]
    """Number of uses of each category."""
    mean_kappa: float | None = None
    """Mean of Cohen's kappa with each other annotator."""

    @property
    def metrics(self) -> Mapping[str, Estimate]:  # type: ignore[override] # computed, and no field
        """The mean proficiency with the others, and alpha of the others alone."""
        return {name: Estimate(getattr(self, name)) for name in ("mean_proficiency", "alpha_without")}


@dataclass(frozen=True, repr=False)
class AnnotatorMap(ShortRepr):
    """Annotators by the variation of information between them, over the items that all labelled."""

    names: tuple[str, ...]
    items: int
    """Items that all labelled: only over the same items is the variation of information a distance."""
    distances: tuple[tuple[float, ...], ...]
    """Bits between every two annotators."""
    points: tuple[tuple[float, float], ...]
    """Places in a plane (classical scaling)."""
    stress: float
    """Kruskal's stress: how far distances in the plane are off; rough above 0.2."""
    merges: tuple[tuple[int, int, float], ...]
    """A tree by average linkage: which two groups join, at how many bits; groups are numbered on from the names."""
    farthest: str
    """The annotator with the greatest mean distance from the others."""


@dataclass(frozen=True, eq=False, repr=False)
class Agreement(Result):
    """The agreement of annotators, without a truth."""

    kind: ClassVar[str] = "agreement"
    roles: ClassVar[Mapping[str, str]] = {"system": "system", "truth": "versus"}

    annotators: tuple[Annotator, ...]
    items: int
    categories: tuple[str, ...]
    multilabel: bool
    """True if an item may have several categories."""
    krippendorff_alpha: Estimate
    odd_one_out: OddOneOut | None
    pairs: tuple[PairAgreement, ...]
    confused: tuple[ConfusedCategories, ...]
    """Categories that one annotator uses where another uses a different one, beyond chance."""
    map: AnnotatorMap | None = None
    """Annotators in a plane and in a tree; None for label sets, and where no item was labelled by all."""
    scale: str = "nominal"
    """Distance of labels for alpha: nominal, ordinal or interval."""
    coefficients: Mapping[str, Estimate] = field(default_factory=dict)
    """Observed agreement, Fleiss' and Randolph's kappa and Gwet's AC1 of all annotators; empty for label sets."""
    left_out: int = 0
    """Items that fewer than two annotators labelled: nothing can be said of agreement on them."""
    provenance: Provenance = field(default_factory=Provenance)
    findings: tuple[Finding, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The annotators by name."""
        return tuple(annotator.name for annotator in self.annotators)

    def __getitem__(self, name: str) -> Annotator:
        """Return one annotator by name."""
        return find_system(self.annotators, name, "annotator")

    @property
    def mean_proficiency(self) -> float | None:
        """Fraction of one annotator's information that another one's labels carry, on average over all pairs."""
        return _average(pair.proficiency for pair in self.pairs)

    def matrix(self, metric: str = "proficiency") -> list[list[float | None]]:
        """Return annotators × annotators: rows are taken as the truth, columns as the system."""
        values = {(pair.truth, pair.system): getattr(pair, metric) for pair in self.pairs}
        own = 0 if metric == "reassigned" else 1.0
        return [[own if a == b else values.get((a, b)) for b in self.names] for a in self.names]

    def records(self) -> Iterator[Record]:
        """Yield one record per ordered pair of annotators."""
        for pair in self.pairs:
            record = {name: value for name, value in vars(pair).items() if name not in ("renamings", "information")}
            record |= {
                name: Estimate(value) for name, value in record.items() if name not in ("truth", "system", "items")
            }
            if pair.information is not None:
                names = ("mutual_information", "variation_of_information", "proficiency")
                record |= {name: getattr(pair.information, name) for name in names}
            yield record

    def tidy_rows(self) -> Iterator[Mapping[str, Json]]:
        """Yield the coefficients of all annotators, the numbers of each, and those of each ordered pair."""
        yield from make_tidy({"krippendorff_alpha": self.krippendorff_alpha, **self.coefficients}, {}, {})
        for annotator in self.annotators:
            yield from make_tidy({"items": annotator.items, **annotator.metrics}, {"system": annotator.name}, {})
        yield from super().tidy_rows()


# The study ------------------------------------------------------------------------------------------------------------


@validated(
    scale=OneOf("nominal", "ordinal", "interval"),
    level=LEVEL,
    draws=Number(low=0, closed="low", whole=True),
    seed=SEED,
)
def agreement(
    source: Source,
    y_pred: LabelsByName | None = None,
    *,
    system: Sequence[str] | None = None,
    scale: Scale | None = None,
    ordinal: Sequence[Label] | str | None = None,
    clean: str | Iterable[str] = (),
    level: float = 0.95,
    confidence_level: float | None = None,  # noqa: ARG001 - another word for level
    draws: int = 500,
    seed: int = 0,
    rng: int | np.random.Generator | None = None,  # noqa: ARG001 - another word for seed
    read: ReadOptions | None = None,
) -> Agreement:
    """Compare annotators of the same items, without a truth: how they agree, and where they do not.

    Parameters
    ----------
    source
        Labels by annotator: sequences of one category per item (None where there is no label), lists of sets of
        categories, or label-list files. Or rows in any form that ``read`` takes, with the names of their columns in
        ``system``. Or the table of two annotators.
    y_pred
        Labels of a second annotator beside those in ``source``, or of several others by name.
    system
        Columns of the annotators; all columns of a frame unless named.
    scale
        How far labels are apart for Krippendorff's alpha: "nominal" (by default: the same or not), "ordinal" (by
        ranks) or "interval" (by differences of numbers).
    ordinal
        The categories from the lowest to the highest, unless they are numbers; implies ``scale="ordinal"``.
    clean
        How labels are cleaned before they are compared.
    level, confidence_level
        Probability of the intervals.
    draws
        Resampled item sets for intervals, and for who stands apart; 0 leaves them out.
    seed, rng
        Seed of random draws, or a generator.
    read
        How files are read.

    Returns
    -------
    Agreement
        Krippendorff's alpha and other coefficients of all annotators, every pair of them, categories that they mix up,
        and a map of who labels like whom.

    Raises
    ------
    InputError
        If there are fewer than two annotators, labels do not pair, no item has two labels, or an option is out of its
        limits.

    References
    ----------
    Krippendorff (2011), Computing Krippendorff's alpha-reliability; Fleiss (1971), Measuring nominal scale agreement
    among many raters; Gwet (2008), Computing inter-rater reliability in the presence of high agreement.

    Examples
    --------
    >>> agreement({"ann": ["a", "a", "b", "b"], "bob": ["a", "a", "b", "a"]})
    2 annotators agree with a Krippendorff's alpha of 0.533 (−0.400 – 1.000), too low for conclusions.
    """
    cleaning: Cleaning = clean if isinstance(clean, str) else tuple(clean)
    labels: Any = source
    if y_pred is not None:  # the labels of one annotator and of others in one mapping
        others = y_pred if isinstance(y_pred, Mapping) else {"annotator 2": y_pred}
        labels = {"annotator 1": source, **{str(name): values for name, values in others.items()}}
        if labels["annotator 1"] is not source:
            raise InputError(
                "'annotator 1' is the name of the first sequence of labels; give all annotators in one mapping"
            )
    annotations = read_annotations(labels, system, cleaning, read)
    if annotations.patterns is not None and scale in (None, "nominal"):
        check_label_columns(annotations.patterns, ", or say scale='interval' for numbers that measure")
    labelled = sum(matrix.nnz for matrix in annotations.given)
    draws = min(draws, max(50, int(MAX_WORK / max(labelled * len(annotations.names), 1))))
    warn_of([_describe_lonely_items(annotations)] if annotations.lonely else [])
    stated_scale = AnnotationScale.of(annotations, scale, ordinal)
    alpha, alpha_without, odd = estimate_alpha(annotations, stated_scale, draws, np.random.default_rng(seed), level)
    compared = list(compare_pairs(annotations, level if draws else None))
    pairs = [pair for pair, _ in compared]
    confused = sorted((mix for _, mixes in compared for mix in mixes), key=lambda mix: -mix.count)
    annotators = []
    for rater, name in enumerate(annotations.names):
        own = [pair for pair in pairs if name in (pair.truth, pair.system)]
        given = annotations.given[rater]
        items_of_label = np.repeat(annotations.counts, np.diff(given.indptr))
        used = np.bincount(given.indices, items_of_label, len(annotations.categories))
        annotators.append(
            Annotator(
                name,
                int(annotations.counts[annotations.labelled[rater]].sum()),
                _average(pair.proficiency for pair in own),
                alpha_without.get(name),
                dict(zip(map(str, annotations.categories), map(int, used), strict=True)),
                _average(pair.kappa for pair in own),
            )
        )
    return Agreement(
        annotators=tuple(annotators),
        items=annotations.items,
        categories=tuple(map(str, annotations.categories)),
        multilabel=not annotations.single,
        krippendorff_alpha=alpha,
        odd_one_out=odd,
        pairs=tuple(pairs),
        confused=tuple(confused),
        map=map_annotators(annotations),
        scale=stated_scale.kind,
        coefficients=estimate_coefficients(annotations, draws, seed, level),
        left_out=annotations.lonely,
        findings=tuple(_describe(annotations, annotators, alpha, odd, pairs, confused)),
    )


def _average(values: Iterable[float | None]) -> float | None:
    defined = [value for value in values if value is not None]
    return sum(defined) / len(defined) if defined else None


def _describe_lonely_items(annotations: Annotations) -> str:
    return f"{pluralize(annotations.lonely, 'item')} left out: labelled by fewer than two annotators"


# Annotations ----------------------------------------------------------------------------------------------------------


def read_annotations(
    source: Any, systems: Sequence[str] | None, clean: Cleaning, read: ReadOptions | None = None
) -> Annotations:
    """Read annotations: columns of a table (all of a frame, unless named), sequences by name, or label-list files."""
    if systems is None and is_frame(source):
        systems = frame_names(source)  # its columns are its annotators
    if systems is not None:
        if len(systems) < 2:
            raise InputError("agreement needs two annotators or more; name at least two columns")
        twice = next((name for name in systems if list(systems).count(name) > 1), None)
        if twice is not None:
            raise InputError(f"column {twice!r} is named twice; name each annotator once")
        if is_column_mapping(source):
            pick_columns(systems, list(source), "the mapping")
            return _pair_sequences({name: source[name] for name in systems}, clean)
        return _group_patterns(read_distinct_rows(source, systems, clean=clean, read=read))
    if isinstance(source, Contingency):
        if source.batch_shape or not np.array_equal(source.cells, np.round(source.cells)):
            raise InputError("agreement counts items; give a table of whole numbers, or the labels of each annotator")
        filled = np.flatnonzero(source.cells > 0)
        codes = np.stack([places[filled].astype(np.int64) for places in (source.cell_rows, source.cell_columns)])
        both = {"annotator 1": source.truth_labels, "annotator 2": source.system_labels}
        return _group_patterns(Rows.from_codes(both, codes, source.cells[filled].astype(np.int64)))
    if isinstance(source, str | os.PathLike):
        raise InputError("a table needs the names of the annotators' columns; name at least two")
    if not isinstance(source, Iterable):
        raise InputError(
            f"labels cannot be read from a {type(source).__name__}; give a mapping of annotators to their labels"
        )
    named: dict[str, Any] = (
        {str(name): value for name, value in source.items()}
        if isinstance(source, Mapping)
        else {f"annotator {number}": value for number, value in enumerate(source, start=1)}
    )
    if len(named) < 2:
        raise InputError(f"agreement needs two annotators or more; {len(named)} is given")
    for name, value in named.items():  # a frame of one column or an array of shape (n, 1); wider ones are sets
        shape = getattr(value, "shape", None)
        if isinstance(shape, tuple) and len(shape) == 2 and shape[1] == 1 and not issparse(value):
            named[name] = one_column(value, name)
    kinds = {name: _holds_sets(value) for name, value in named.items()}
    if len(set(kinds.values())) > 1:
        sets, single = (next(name for name, kind in kinds.items() if kind is wanted) for wanted in (True, False))
        raise InputError(f"{sets} gives sets of categories and {single} one category per item; give all the same form")
    if next(iter(kinds.values())):
        form, (first, *others) = LabelSetFormat(clean=clean), named
        check_sides(named[first], {name: named[name] for name in others}, form, first)
        return _align_sets({name: read_label_sets(value, form) for name, value in named.items()})
    return _pair_sequences(named, clean)


def _holds_sets(value: Any) -> bool:
    """Return True if an annotator's labels are sets of categories, not one category per item."""
    if isinstance(value, str | os.PathLike | LabelSets | Mapping) or issparse(value) or getattr(value, "ndim", 1) == 2:
        return True
    if isinstance(value, Contingency):
        raise InputError("a table holds the labels of two annotators; give one table alone, or labels by annotator")
    if not isinstance(value, Iterable):
        raise InputError(f"an annotator's labels are {value!r}; give a sequence of them, one per item")
    first = next((item for item in value if not is_missing(item)), None)
    return isinstance(first, COLLECTIONS)


def _pair_sequences(named: Mapping[str, Any], clean: Cleaning) -> Annotations:
    """Pair sequences of one category per item by their position."""
    columns: dict[str, Any] = {}
    for name, labels in named.items():
        values = one_column(labels, name)
        if hasattr(values, "to_pylist"):  # Arrow wraps each value of its own otherwise
            columns[name] = values.to_pylist()
        else:
            columns[name] = values if hasattr(values, "__len__") else list(values)
    sizes = {name: len(values) for name, values in columns.items()}
    if len(set(sizes.values())) > 1:
        (one, first), (other, second) = sorted(sizes.items(), key=lambda item: item[1])[:: len(sizes) - 1]
        raise InputError(
            f"{one} labelled {first} items and {other} {second}; items pair by position: mark gaps by None"
        )
    for name, values in columns.items():
        if isinstance(values, np.ndarray) and values.dtype != object:
            continue  # which holds no collections
        odd = next((place for place, value in enumerate(values) if isinstance(value, COLLECTIONS)), None)
        if odd is not None:
            raise InputError(
                f"{name} gives {values[odd]!r} for item {odd} and one category for others; give sets for all, or none"
            )
    return _group_patterns(read_distinct_rows(columns, list(columns), clean=clean))


def _group_patterns(patterns: Rows) -> Annotations:
    """Return the annotations of patterns: items on which all annotators said the same are one row."""
    categories = sorted_labels({label for labels in patterns.labels for label in labels})
    if not categories:
        raise InputError("no annotator gave any category; check the columns")
    patterns = patterns.on(categories).in_order()
    given = []
    for codes in patterns.codes:
        rows = np.flatnonzero(codes >= 0)
        ones = np.ones(len(rows), dtype=np.int32)
        given.append(csr_array((ones, (rows, codes[rows].astype(np.int64))), shape=(len(codes), len(categories))))
    annotations = Annotations(patterns.names, categories, tuple(given), patterns.present, patterns.counts, patterns)
    return _check_common_items(annotations)


def _align_sets(named: Mapping[str, LabelSets]) -> Annotations:
    """Pair label sets by the names of their items, or by position where none have names."""
    categories = sorted_labels({label for sets in named.values() for label in sets.categories})
    given: list[csr_array] = []
    labelled: NDArray[np.bool_]
    if all(sets.objects is None for sets in named.values()):
        sizes = {name: sets.n for name, sets in named.items()}
        if len(set(sizes.values())) > 1:
            raise InputError(f"annotators labelled different numbers of items ({sizes}); name the items")
        labelled = np.ones((len(named), next(iter(sizes.values()))), dtype=bool)
        given = [sets.on(categories) for sets in named.values()]
    else:
        # a repeated item pairs by order, so all annotators who have it must have it equally often
        places: dict[tuple[Label, int], int] = {}
        times: dict[Label, tuple[str, int]] = {}
        rows = []
        for name, sets in named.items():
            if sets.objects is None:
                raise InputError(f"{name} has no names for its items, and others do; name them all, or none")
            seen: dict[Label, int] = {}
            own = []
            for label in sets.objects:
                seen[label] = seen.get(label, 0) + 1
                own.append(places.setdefault((label, seen[label]), len(places)))
            rows.append(np.array(own))
        for name, sets in named.items():
            counts: dict[Label, int] = {}
            for label in sets.objects or ():
                counts[label] = counts.get(label, 0) + 1
            for label, count in counts.items():
                other, before = times.setdefault(label, (name, count))
                if before != count:
                    raise InputError(
                        f"item {label!r} occurs {before} times for {other} and {count} times for {name}; repeated "
                        "items pair by their order only where all repeat them equally often"
                    )
        labelled = np.zeros((len(named), len(places)), dtype=bool)
        for rater, sets in enumerate(named.values()):
            wide = sets.on(categories).tocoo()
            shape = (len(places), len(categories))
            given.append(csr_array((wide.data, (rows[rater][wide.row], wide.col)), shape=shape))
            labelled[rater, rows[rater]] = True
    ones = np.ones(labelled.shape[1], dtype=np.int64)
    return _check_common_items(Annotations(tuple(named), categories, tuple(given), labelled, ones, patterns=None))


def _check_common_items(annotations: Annotations) -> Annotations:
    if not (annotations.labelled.sum(axis=0) >= 2).any():
        raise InputError("no item was labelled by two annotators; agreement needs items in common")
    return annotations


# The map --------------------------------------------------------------------------------------------------------------


def map_annotators(annotations: Annotations) -> AnnotatorMap | None:
    """Map annotators over items that all labelled; None for label sets and where there is no such item.

    The plane is by classical scaling, the tree by average linkage. Kruskal's stress is 0 where the plane shows all
    distances exactly.
    """
    from scipy.cluster.hierarchy import linkage  # noqa: PLC0415 - half a second that other results do not need
    from scipy.spatial.distance import squareform  # noqa: PLC0415

    if annotations.patterns is None:
        return None
    common = annotations.patterns.complete()
    if not common.total or len(common.names) < 2:
        return None
    size = len(common.names)
    distances = np.zeros((size, size))
    for a, b, cells in common.count_pairs():
        table = Contingency.from_cells(common.labels[a], common.labels[b], cells.rows, cells.columns, cells.values)
        distances[a, b] = distances[b, a] = float(erroneous_information(table))

    centre = np.eye(size) - 1 / size
    values, vectors = np.linalg.eigh(-0.5 * centre @ distances**2 @ centre)
    top = np.argsort(values)[::-1][:2]
    points = np.zeros((size, 2))
    points[:, : len(top)] = vectors[:, top] * np.sqrt(np.maximum(values[top], 0.0))
    ends: NDArray[np.int64] = np.abs(points).argmax(axis=0)
    points *= np.where(points[ends, [0, 1]] < 0, -1.0, 1.0)  # the same picture every time
    shown = np.linalg.norm(points[:, None] - points[None], axis=-1)
    squares = float((distances**2).sum())
    return AnnotatorMap(
        names=common.names,
        items=int(common.total),
        distances=tuple(tuple(row) for row in distances.tolist()),
        points=tuple((float(x), float(y)) for x, y in points),
        stress=float(np.sqrt(((shown - distances) ** 2).sum() / squares)) if squares else 0.0,
        merges=tuple(
            (int(a), int(b), float(height))
            for a, b, height, _ in linkage(squareform(distances, checks=False), "average")
        ),
        farthest=common.names[int(np.argmax(distances.sum(axis=1)))],
    )


# Findings -------------------------------------------------------------------------------------------------------------


def _describe(
    annotations: Annotations,
    annotators: Sequence[Annotator],
    alpha: Estimate,
    odd: OddOneOut | None,
    pairs: Sequence[PairAgreement],
    confused: Sequence[ConfusedCategories],
) -> Iterator[Finding]:
    """Yield findings in the order of their weight."""
    columns = {who.name: (tuple(who.used), np.array([*who.used.values()])) for who in annotators}
    yield from describe_blank_labels(BlankLabels.of_columns(columns))
    if annotations.lonely:
        evidence: dict[str, Json] = {"items": annotations.lonely}
        yield Finding("items_left_out", f"{_describe_lonely_items(annotations)}.", "warning", evidence)
    if alpha.value is None:
        text = "All labels are the same, so agreement cannot be measured: check the columns, or add items that differ."
        yield Finding("no_variation", text, "warning", action="Check the columns")
    if odd is not None:
        often = f"{format_probability(odd.probability)} of resampled item sets"
        if odd.finding:
            own = next((mix for mix in confused if odd.name in (mix.first, mix.second)), None)
            first = ""
            if own is not None:
                used = (f"'{own.first_category}' to {own.first}", f"'{own.second_category}' to {own.second}")
                first = f", first the {pluralize(own.count, 'item')} that are {' and '.join(used)}"
            action = f"Go through the guidelines with {odd.name}"
            text = f"{odd.name} stands apart in {often}: {action[0].lower()}{action[1:]}{first}."
            yield Finding("odd_one_out", text, "warning", encode(odd), action, command="… -v")
        else:
            text = (
                f"No annotator clearly stands apart: alpha is {odd.alpha_without:.3f} without {odd.name} and "
                f"{alpha.value or 0.0:.3f} with everyone; {often} agree."
            )
            yield Finding("no_odd_one_out", text, evidence=encode(odd))
    renamed = {}  # by annotators and categories: each pair of annotators occurs in both orders
    for pair in pairs:
        for move in pair.renamings:
            both = frozenset({(pair.truth, move.truth), (pair.system, move.system)})
            if both not in renamed:
                text = f"{move.sentence(pair.truth, pair.system)}."
                renamed[both] = Finding("renamed", text, evidence={"p_value": move.p_value})
    yield from renamed.values()
    for mix in confused[:MAX_CONFUSED]:
        if frozenset({(mix.first, mix.first_category), (mix.second, mix.second_category)}) not in renamed:
            yield Finding("mixed_up", f"{mix.sentence()}.", evidence=encode(mix))
    for who in annotators:
        never = [label for label, times in who.used.items() if not times]
        if never:
            shown, every = shorten_list([f"'{label}'" for label in never])
            finding = Finding("never_used", f"{who.name} never used {shown}.", evidence={"categories": never})
            yield finding.with_names(shown, every)
