"""Relate columns: how much they tell about each other, in pairs, given other columns, and all together.

The module reads in the order of the work: the result types; ``relate``, which reads the columns as counted patterns,
bins numbers, and measures every pair, the pairs given other columns, and the columns together; the measures on
patterns; the significance of each pair; the findings. The page is ``reports/views/relate.py``.
"""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import log2
from pathlib import Path
from shlex import quote
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc
from scipy.stats import false_discovery_control

from infoscope.core.markup import ShortRepr
from infoscope.core.numerics import holm
from infoscope.core.validation import LEVEL, SEED, Number, OneOf, validated
from infoscope.errors import InputError, UnknownNameError, mask_secrets, suggest_name
from infoscope.metrics.chance import information_nats, permuted_p_value
from infoscope.metrics.normalized import information_precision, proficiency
from infoscope.metrics.shannon import erroneous_information, mutual_information
from infoscope.posterior import Posterior
from infoscope.readers import ReadOptions, column_names
from infoscope.readers.columns import check_optional_name
from infoscope.readers.labels import Cleaning
from infoscope.readers.query import as_names
from infoscope.readers.reader import read_distinct_rows
from infoscope.results.base import Result
from infoscope.results.estimate import Estimate, drop_infinite
from infoscope.results.finding import Finding
from infoscope.results.frame import Record
from infoscope.results.provenance import Provenance
from infoscope.studies.inputs import describe_blank_labels
from infoscope.tables import Contingency
from infoscope.tables.column_kinds import BlankLabels
from infoscope.tables.labels import Label
from infoscope.tables.rows import Rows
from infoscope.typing import Json, Source

MAX_COLUMNS = 500
MAX_CELLS = 1 << 24
"""Cells of a table of two columns."""
MAX_INTERVALS = 40
"""Relations that get an interval, the strongest first."""
MAX_TOGETHER = 60
"""Columns up to which the measures of all columns together are computed."""
MAX_SPLITS = 15
MAX_SPLIT_COLUMNS = 16
"""Columns of which two at a time are related to the target: those that tell the most about it."""

MAX_CLASS_NUMBERS = 20
"""Different numbers above which a column is cut into bins."""
DEFAULT_BINS = 8
MAX_BINS = 1000
IDENTIFIER_SHARE = 0.5
"""A column with more different values than this fraction of the rows is an identifier."""
MAX_NEIGHBOUR_ROWS = 20_000
"""Rows that are sampled for a nearest-neighbour estimate."""

MIN_EXPECTED_COUNT = 5.0
"""Expected count of every cell from which on the likelihood-ratio statistic follows its χ² law."""
ROUNDING = 1e-12
"""Bits below which sums and differences of entropies are 0."""

MAX_FINDINGS = 3
MIN_MISSING = 0.05
MIN_ROWS_PER_STRATUM = 5
MAX_DISTINCT_SHARE = 0.5
MIN_SYNERGY = 0.01
MAX_EXPLAINED_SHARE = 0.25
"""A relation is explained where at most this share of it is left beyond chance: "not significant" is no evidence."""

Bins = int | Mapping[str, int | Sequence[float]]
"""Quantile bins of every column of numbers, or by column their number or their inner edges."""
Correction = Literal["holm", "benjamini-yekutieli", "none"]
Tables = Sequence[NDArray[Any]]
"""Counts of two columns, one table for each stratum."""


# Results --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, repr=False)
class ColumnSummary(ShortRepr):
    """One column: its levels, its entropy, and how it was used."""

    name: str
    levels: int
    entropy: float | None
    """In bits; None where no row has a value."""
    missing: float
    """Fraction of the rows without a value."""
    taken: Literal["labels", "bins", "identifier", "constant"]
    edges: tuple[float, ...] = ()
    """Inner edges of the bins."""


@dataclass(frozen=True, repr=False)
class Relation(ShortRepr):
    """The information between two columns, conditional where ``given`` names columns."""

    first: str
    second: str
    rows: float
    """Rows, or weight, in which no column is missing."""
    information: Estimate
    """Mutual information in bits, conditional where ``given`` names columns."""
    of_first: float | None
    """The number shown of it as a share of the first column's information, given the others; None where that is 0."""
    of_second: float | None
    variation: float
    """H(A|B) + H(B|A) in bits, each given the others."""
    by_chance: float
    """Bits that unrelated columns would show in as many rows, about."""
    p_value: float
    adjusted_p: float
    """Corrected for the number of relations."""
    method: str
    """Origin of P: chi-square, permutation, or none where a column is constant."""
    given: tuple[str, ...] = ()
    estimator: str = "counts"
    """Origin of the information: counts, or nearest neighbours."""

    def is_significant(self, level: float) -> bool:
        """Return True if the relation is more than chance, after correction."""
        return self.adjusted_p <= 1.0 - level + 1e-12


@dataclass(frozen=True, repr=False)
class SetMeasures(ShortRepr):
    """Multivariate information of several columns, in bits."""

    columns: tuple[str, ...]
    rows: float
    """Rows in which no column is missing."""
    entropy: float
    total_correlation: float
    """Information that columns repeat, counted from their sum: ΣH(X_i) − H."""
    dual_total_correlation: float
    """Information that is not one column's own: H − ΣH(X_i given the others)."""
    o_information: float
    """Their difference: above 0 redundancy prevails, below 0 synergy."""
    residual_entropy: float
    """Sum of the information that no other column has."""
    interaction: float | None = None
    """I(X;Y|Z) − I(X;Y) of three columns: + is synergy, − redundancy; None for any other number of columns."""

    @classmethod
    def of(cls, patterns: Rows, columns: Sequence[str]) -> SetMeasures:
        """Compute the measures of some columns over the rows that have all of them."""
        complete = patterns.select(columns).complete()
        joint = complete.entropy(columns)
        singles = sum(complete.entropy([name]) for name in columns)
        own = sum(max(0.0, joint - complete.entropy([other for other in columns if other != name])) for name in columns)
        total, dual = max(0.0, singles - joint), max(0.0, joint - own)
        return cls(
            tuple(columns),
            complete.total,
            joint,
            total,
            dual,
            total - dual,
            own,
            interaction(complete, columns) if len(columns) == 3 else None,
        )


@dataclass(frozen=True)
class InformationRange:
    """The least and the most that a part can be, in bits."""

    low: float
    high: float


@dataclass(frozen=True, repr=False)
class InformationSplit(ShortRepr):
    """The information of two columns about a target, with bounds that hold for every definition of its parts."""

    first: str
    second: str
    target: str
    together: float
    """I(first, second; target) in bits."""
    by_chance: float
    """Of this, what unrelated columns would show in as many rows, about."""
    shared: InformationRange
    only_first: InformationRange
    only_second: InformationRange
    only_together: InformationRange


@dataclass(frozen=True)
class EntropyParts:
    """A point of an entropy triangle: three parts that sum to 1."""

    name: str
    divergence: float
    """Difference to equally frequent labels."""
    shared: float
    """Shared with the other columns (source), or transmitted (channel)."""
    own: float
    """Of this column alone (source), or not transmitted (channel)."""
    bits: float
    """Meaning of 1: the logarithm of the number of labels."""

    @classmethod
    def of(cls, name: str, divergence: float, shared: float, own: float) -> EntropyParts:
        """Scale three parts in bits to a sum of 1."""
        bits = divergence + shared + own
        if bits <= 0:
            return cls(name, 1.0, 0.0, 0.0, 0.0)
        return cls(name, max(0.0, divergence) / bits, max(0.0, shared) / bits, max(0.0, own) / bits, bits)


@dataclass(frozen=True, repr=False)
class Relations(Result):
    """The information that columns share."""

    kind: ClassVar[str] = "relations"

    columns: tuple[ColumnSummary, ...]
    relations: tuple[Relation, ...]
    """Pairs, the strongest first; with a target, each column and the target."""
    conditional: tuple[Relation, ...] = ()
    """The same pairs given other columns."""
    together: SetMeasures | None = None
    splits: tuple[InformationSplit, ...] = ()
    """Information of two columns about the target, and how it may be shared among them."""
    source_triangle: tuple[EntropyParts, ...] = ()
    channel_triangle: tuple[EntropyParts, ...] = ()
    target: str | None = None
    given: tuple[str, ...] = ()
    correction: str = "holm"
    level: float = 0.95
    provenance: Provenance = field(default_factory=Provenance)
    findings: tuple[Finding, ...] = ()

    def pair(self, first: str, second: str, *, given: bool = False) -> Relation:
        """Return the relation of two columns, in either order."""
        for relation in self.conditional if given else self.relations:
            if {relation.first, relation.second} == {first, second}:
                return relation
        raise KeyError(f"no relation of {first!r} and {second!r}")

    def records(self) -> Iterator[Record]:
        """Yield one record per relation."""
        numbers = ("of_first", "of_second", "variation", "by_chance", "p_value", "adjusted_p")
        for relation in (*self.relations, *self.conditional):
            record = {name: value for name, value in vars(relation).items() if name not in ("information", "given")}
            record |= {name: Estimate(record[name]) for name in numbers}
            yield {**record, "information": relation.information, "given": ", ".join(relation.given)}


# The study ------------------------------------------------------------------------------------------------------------


@validated(
    level=LEVEL,
    permutations=Number(low=0, closed="low", whole=True),
    correction=OneOf("holm", "benjamini-yekutieli", "none"),
    triangle=OneOf("source", "channel"),
    seed=SEED,
)
def relate(
    source: Source,
    columns: Sequence[str] | None = None,
    *,
    target: str | None = None,
    given: str | Sequence[str] = (),
    bins: Bins | Literal["nearest"] = DEFAULT_BINS,
    keep: str | Sequence[str] = (),
    weight: str | None = None,
    sample_weight: str | None = None,  # noqa: ARG001 - another word for weight
    clean: Cleaning = (),
    correction: Correction = "holm",
    permutations: int = 999,
    triangle: Literal["source", "channel"] | None = None,
    level: float = 0.95,
    confidence_level: float | None = None,  # noqa: ARG001 - another word for level
    seed: int = 0,
    rng: int | np.random.Generator | None = None,  # noqa: ARG001 - another word for seed
    read: ReadOptions | None = None,
) -> Relations:
    """Measure how much columns tell about each other: in pairs, given other columns, and all together.

    Parameters
    ----------
    source
        A mapping of names to values, or rows in any form that ``read`` takes.
    columns
        Columns to relate; all unless named.
    target
        Relate each column to this one, instead of all pairs.
    given
        Measure the same pairs again given these columns.
    bins
        Number of quantile bins of columns with more than twenty different numbers; a mapping gives the number of bins
        or the inner edges by column. "nearest" estimates the information of numbers by nearest neighbours (their P
        still by bins).
    keep
        Columns that look like identifiers and are kept all the same.
    weight, sample_weight
        Column with the weight of each row.
    clean
        How labels are cleaned before they are counted.
    correction
        How P-values are corrected for their number: "holm" bounds the risk of any false claim,
        "benjamini-yekutieli" the share of false ones.
    permutations
        Random tables for the P-value of a pair with small expected counts.
    triangle
        Add the entropy triangle of the columns as a "source", or of the "channel" from them to the target.
    level, confidence_level
        Probability of the intervals, and 1 − the risk of a claim.
    seed, rng
        Seed of random draws, or a generator.
    read
        How files are read.

    Returns
    -------
    Relations
        Pairs with information, interval and P-value, the strongest first, and what the columns tell together.

    Raises
    ------
    InputError
        If the source has no rows, fewer than two columns are left, two columns have too many values for one table, or
        an option is out of its limits.
    UnknownNameError
        If a column is not there.

    References
    ----------
    Williams & Beer (2010) for the parts of joint information; Rosas et al. (2019) for the O-information;
    Valverde-Albacete & Peláez-Moreno (2017) for entropy triangles.

    Examples
    --------
    >>> coins = {"x": [0, 0, 1, 1] * 50, "y": [0, 1, 0, 1] * 50, "z": [0, 1, 1, 0] * 50}
    >>> result = relate(coins, target="z", given="y")
    >>> round(result.pair("x", "z").information.value, 3), round(result.pair("x", "z", given=True).information.value, 3)
    (0.0, 1.0)
    """
    target, given, keep = check_optional_name(target), as_names(given), as_names(keep)
    if target is not None and target in given:
        raise InputError(f"column {target!r} is the target and given; it is one of them")
    if triangle == "channel" and target is None:
        raise InputError("the triangle of a channel needs its output; name it with target= (--target)")
    names = [*(column_names(source, read) if columns is None else as_names(columns))]
    names += [name for name in (target, *given) if name is not None and name not in names]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"column {twice!r} is named twice; name it once")
    if not 2 <= len(names) <= MAX_COLUMNS:
        raise InputError(f"relate needs 2 to {MAX_COLUMNS} columns, got {len(names)}")

    raw = read_distinct_rows(
        source, names, weight=check_optional_name(weight), clean=clean, comparable=False, read=read
    )
    if not raw.total:
        raise InputError("the source has no rows; there is nothing to relate")
    patterns, edges = bin_columns(raw, DEFAULT_BINS if bins == "nearest" else bins)
    summaries = tuple(_summarize_columns(raw, patterns, edges))

    for name in keep:
        if name not in names:
            raise UnknownNameError(f"no column {name!r}; {suggest_name(name, names)}")
    keep = (*keep, *([target] if target else []), *given)
    used = [column.name for column in summaries if column.taken != "identifier" or column.name in keep]
    if len(used) < 2:
        raise InputError("all columns but one look like identifiers of rows; name those to keep with keep= (--keep)")
    by_size = sorted(((patterns.sizes[patterns.place(name)], name) for name in used), reverse=True)
    (most, one), (next_most, other) = by_size[:2]
    if most * next_most > MAX_CELLS:
        raise InputError(
            f"columns {one!r} and {other!r} have {most:,} and {next_most:,} different values; group them, or leave "
            "one out"
        )

    related = patterns.select(used)
    pairs = _correct(_relate_pairs(related, target, given, permutations, np.random.default_rng(seed)), correction)
    pairs[:MAX_INTERVALS] = [_add_interval(related, relation, level, seed) for relation in pairs[:MAX_INTERVALS]]
    conditional = []
    if given:
        rng_given = np.random.default_rng(seed + 1)
        conditional = _correct(_relate_given(related, target, given, permutations, rng_given), correction)
    informative = [column.name for column in summaries if column.name in used and column.taken != "constant"]
    ordinary = [column.name for column in summaries if column.taken in ("labels", "bins")]
    splits = []
    if target is not None:  # two columns at a time about the target, the most informative first
        strongest = [relation.first for relation in pairs if relation.first in informative][:MAX_SPLIT_COLUMNS]
        both = itertools.combinations(strongest, 2)
        splits = [split_information(patterns, first, second, target) for first, second in both]
    result = Relations(
        columns=summaries,
        relations=tuple(pairs),
        conditional=tuple(conditional),
        together=SetMeasures.of(patterns, informative) if 2 < len(informative) <= MAX_TOGETHER else None,
        splits=tuple(sorted(splits, key=lambda split: split.by_chance - split.together)[:MAX_SPLITS]),
        source_triangle=source_triangle(patterns, ordinary) if triangle == "source" else (),
        channel_triangle=channel_triangle(patterns, [name for name in ordinary if name != target], [target])
        if triangle == "channel" and target is not None
        else (),
        target=target,
        given=given,
        correction=correction,
        level=level,
        provenance=Provenance(
            Path(mask_secrets(str(source))).name if isinstance(source, (str, Path)) and str(source) != "-" else None,
            None if raw.is_weighted else int(raw.total),
        ),
    )
    findings = (
        *describe_blank_labels(BlankLabels.of_patterns(related)),
        *_describe_combinations(result),
        *_describe_small_samples(result, patterns),
        *_describe_columns(summaries, keep),
    )
    if bins == "nearest":
        result = replace(result, relations=tuple(_estimate_by_neighbours(raw, result.relations, seed)))
    ordered = sorted(
        result.relations, key=lambda pair: (not pair.is_significant(level), -(pair.information.shown or 0.0))
    )
    return replace(result, relations=tuple(ordered), findings=findings)


def _select_pairs(names: Sequence[str], target: str | None, given: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield all pairs of columns that are not given, or each column with the target."""
    if target is None:
        return itertools.combinations([name for name in names if name not in given], 2)
    return ((name, target) for name in names if name != target)


def _relate_pairs(
    patterns: Rows, target: str | None, given: Sequence[str], permutations: int, rng: np.random.Generator
) -> Iterator[Relation]:
    """Yield the relation of each pair over the rows that have both columns."""
    wanted = set(_select_pairs(patterns.names, target, given))
    scale = patterns.sample_size / patterns.total
    for first, second, cells in patterns.count_pairs():
        names = patterns.names[first], patterns.names[second]
        if names in wanted:
            counts = cells.dense()
        elif names[::-1] in wanted:
            names, counts = names[::-1], cells.dense().T
        else:
            continue
        if not counts.sum():
            no_rows = Estimate.of(np.nan, "no row has both")
            yield Relation(*names, 0.0, no_rows, None, None, 0.0, 0.0, 1.0, 1.0, "none")
            continue
        table, effective = Contingency.from_matrix(counts), counts if scale == 1 else counts * scale
        p_value, method = compute_p_value([effective], permutations, rng)
        yield Relation(
            *names,
            float(counts.sum()),
            Estimate.of(mutual_information(table)),
            drop_infinite(proficiency(table)),
            drop_infinite(information_precision(table)),
            float(erroneous_information(table)),
            _estimate_chance_bits([effective]),
            p_value,
            p_value,
            method,
        )


def _relate_given(
    patterns: Rows, target: str | None, given: Sequence[str], permutations: int, rng: np.random.Generator
) -> Iterator[Relation]:
    """Yield the relation of each pair within every combination of the given columns."""
    free = [name for name in patterns.names if name not in given]
    for first, second in _select_pairs(free, target, given):
        complete = patterns.select([first, second, *given]).complete()
        scale = complete.sample_size / complete.total if complete.total else 1.0
        tables = [table if scale == 1 else table * scale for table in _tabulate_strata(complete, len(given))]
        bits = conditional_information(complete, [first], [second], given)
        left = [max(0.0, complete.entropy([name, *given]) - complete.entropy(list(given))) for name in (first, second)]
        p_value, method = compute_p_value(tables, permutations, rng)
        yield Relation(
            first,
            second,
            complete.total,
            Estimate.of(bits),
            bits / left[0] if left[0] else None,
            bits / left[1] if left[1] else None,
            max(0.0, left[0] + left[1] - 2 * bits),
            _estimate_chance_bits(tables),
            p_value,
            p_value,
            method,
            tuple(given),
        )


def _tabulate_strata(patterns: Rows, given: int) -> Iterator[NDArray[Any]]:
    """Yield the table of the first two columns for each combination of the last ones."""
    strata = np.zeros(len(patterns), dtype=np.int64)
    for place in range(2, 2 + given):
        _, strata = np.unique(strata * (patterns.sizes[place] + 1) + patterns.codes[place], return_inverse=True)
    order = np.argsort(strata, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(strata[order])) + 1) if len(order) else ():
        table = np.zeros(patterns.sizes[:2], dtype=patterns.counts.dtype)
        np.add.at(table, (patterns.codes[0, rows], patterns.codes[1, rows]), patterns.counts[rows])
        yield table


def _correct(relations: Iterable[Relation], correction: Correction) -> list[Relation]:
    """Correct the P-values for the number of relations, and sort these by the sample's information."""
    relations = list(relations)
    p_values = correct_p_values([relation.p_value for relation in relations], correction)
    corrected = [replace(relation, adjusted_p=p) for relation, p in zip(relations, p_values, strict=True)]
    return sorted(corrected, key=lambda relation: -(relation.information.value or 0.0))


def _add_interval(patterns: Rows, relation: Relation, level: float, seed: int) -> Relation:
    """Add the posterior of the information, and shrink its shares of the columns' entropies alike."""
    table = patterns.table(relation.first, relation.second)
    if not relation.information.value or table.sample_size is None or min(table.shape) < 2:
        return relation
    belief = Posterior(table, seed=seed).summary("mutual_information", level)
    shrinkage = float(belief.mean) / relation.information.value
    return replace(
        relation,
        information=relation.information.with_belief(belief, corrected=True),
        of_first=None if relation.of_first is None else min(1.0, relation.of_first * shrinkage),
        of_second=None if relation.of_second is None else min(1.0, relation.of_second * shrinkage),
    )


# Bins -----------------------------------------------------------------------------------------------------------------


def bin_columns(patterns: Rows, bins: Bins) -> tuple[Rows, dict[str, tuple[float, ...]]]:
    """Cut columns of many different numbers into bins; return the patterns and the inner edges by column."""
    by_column, common = (bins, DEFAULT_BINS) if isinstance(bins, Mapping) else ({}, bins)
    for name in by_column:
        patterns.place(name)  # raises if there is no such column
    edges: dict[str, tuple[float, ...]] = {}
    for place, (name, labels) in enumerate(zip(patterns.names, patterns.labels, strict=True)):
        if name not in by_column and not _has_many_numbers(labels):
            continue
        if not _are_numbers(labels):
            raise InputError(f"column {name!r} holds {labels[0]!r}; bins are for columns of numbers")
        request = by_column.get(name, common)
        if isinstance(request, int):
            inner = _find_quantiles(patterns, place, request)
        else:
            inner = tuple(map(float, request)) if not isinstance(request, (str, bytes)) else ()
            if not inner or list(inner) != sorted(set(inner)) or not np.isfinite(inner).all():
                raise InputError(f"the edges of {name!r} must be finite numbers in rising order, got {request!r}")
        if inner:
            edges[name] = inner
    if not edges:
        return patterns, {}

    bins_of_labels = {
        name: [bisect_right(inner, float(label)) for label in patterns.dictionaries[name]]
        for name, inner in edges.items()
    }
    return patterns.relabel(bins_of_labels).sort_labels().merge(), edges


def _are_numbers(labels: Sequence[Label]) -> bool:
    return bool(labels) and all(isinstance(label, (int, float)) and not isinstance(label, bool) for label in labels)


def _has_many_numbers(labels: Sequence[Label]) -> bool:
    """Return True if a column holds so many different numbers that they are no names of classes."""
    return len(labels) > MAX_CLASS_NUMBERS and _are_numbers(labels)


def _find_quantiles(patterns: Rows, place: int, bins: int) -> tuple[float, ...]:
    """Return inner edges that leave about as many rows in each bin; equal values stay together."""
    if not 2 <= bins <= MAX_BINS:
        raise InputError(f"bins must be a whole number from 2 to {MAX_BINS}, got {bins}")
    values = np.array([float(label) for label in patterns.labels[place]])
    codes = patterns.codes[place]
    counts = np.bincount(codes[codes >= 0], patterns.counts[codes >= 0], len(values))
    below = np.cumsum(counts) - counts
    places = np.searchsorted(below, counts.sum() * np.arange(1, bins) / bins, side="left").tolist()
    return tuple(sorted({float(values[place]) for place in places if 0 < place < len(values)}))


def _summarize_columns(raw: Rows, binned: Rows, edges: Mapping[str, tuple[float, ...]]) -> Iterator[ColumnSummary]:
    for place, name in enumerate(binned.names):
        rows = float(raw.counts[raw.present[place]].sum())
        levels = len(binned.labels[place])
        use: Literal["labels", "bins", "identifier", "constant"] = "bins" if name in edges else "labels"
        if levels < 2:
            use = "constant"
        elif name not in edges and levels > max(IDENTIFIER_SHARE * rows, 2):
            use = "identifier"
        entropy = binned.entropy([name]) if rows else None
        yield ColumnSummary(name, levels, entropy, 1.0 - rows / raw.total, use, edges.get(name, ()))


def _estimate_by_neighbours(patterns: Rows, relations: Iterable[Relation], seed: int) -> Iterator[Relation]:
    """Yield the relations, those of a column of many numbers with scikit-learn's nearest-neighbour estimate."""
    try:
        from sklearn.feature_selection import mutual_info_classif, mutual_info_regression  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise InputError("bins=\"nearest\" needs scikit-learn; pip install 'infoscope[sklearn]'") from error
    if patterns.is_weighted:
        raise InputError('bins="nearest" takes rows of equal weight; leave the weights or "nearest" out')
    patterns, rng = patterns.in_order(), np.random.default_rng(seed)
    for relation in relations:
        places = [patterns.place(name) for name in (relation.first, relation.second)]
        numeric = [_has_many_numbers(patterns.labels[place]) for place in places]
        if not any(numeric) or not relation.rows:
            yield relation
            continue
        both = (patterns.codes[places] >= 0).all(axis=0)
        counts = patterns.counts[both].astype(np.int64)
        if counts.sum() > MAX_NEIGHBOUR_ROWS:
            counts = rng.multivariate_hypergeometric(counts, MAX_NEIGHBOUR_ROWS, method="marginals")
        columns = []
        for place, is_number in zip(places, numeric, strict=True):
            values = patterns.labels[place] if is_number else range(patterns.sizes[place])
            columns.append(np.array(values, dtype=np.float64)[np.repeat(patterns.codes[place, both], counts)])
        if not numeric[1]:
            columns, numeric = columns[::-1], numeric[::-1]
        estimate = mutual_info_regression if numeric[1] else mutual_info_classif
        nats = estimate(columns[0].reshape(-1, 1), columns[1], discrete_features=[not numeric[0]], random_state=seed)
        yield replace(relation, information=Estimate.of(float(nats[0]) / np.log(2.0)), estimator="nearest neighbours")


# Measures -------------------------------------------------------------------------------------------------------------


def conditional_information(patterns: Rows, first: Sequence[str], second: Sequence[str], given: Sequence[str]) -> float:
    """Return I(A;B|G) in bits of three sets of columns, over the rows in which none of them is missing.

    >>> xor = Rows.from_columns({"x": [0, 0, 1, 1], "y": [0, 1, 0, 1], "z": [0, 1, 1, 0]})
    >>> conditional_information(xor, ["x"], ["z"], []), conditional_information(xor, ["x"], ["z"], ["y"])
    (0.0, 1.0)
    """
    complete = patterns.select([*first, *second, *given]).complete()
    entropy = complete.entropy
    ends = entropy([*first, *given]) + entropy([*second, *given])
    bits = ends - entropy([*first, *second, *given]) - entropy([*given])
    return bits if bits > ROUNDING else 0.0


def interaction(patterns: Rows, columns: Sequence[str]) -> float:
    """Return McGill's interaction information; for n columns −Σ over subsets of (−1)^(n − size) H(subset)."""
    complete = patterns.select(columns).complete()
    return -sum(
        (-1) ** (len(columns) - size) * complete.entropy(subset)
        for size in range(1, len(columns) + 1)
        for subset in itertools.combinations(columns, size)
    )


def split_information(patterns: Rows, first: str, second: str, target: str) -> InformationSplit:
    """Return bounds on shared, own and joint information; exact where they meet, as for XOR and for copies.

    >>> xor = Rows.from_columns({"x": [0, 0, 1, 1], "y": [0, 1, 0, 1], "z": [0, 1, 1, 0]})
    >>> split_information(xor, "x", "y", "z").only_together
    InformationRange(low=1.0, high=1.0)
    """
    complete = patterns.select([first, second, target]).complete()
    one, other = (conditional_information(complete, [name], [target], []) for name in (first, second))
    both = conditional_information(complete, [first, second], [target], [])
    low, high = max(0.0, one + other - both), min(one, other)
    cells = len(complete.select([first, second])) - 1
    levels = int(np.count_nonzero(np.bincount(complete.codes[2], minlength=1))) - 1
    by_chance = max(cells * levels, 0) / (2.0 * max(complete.sample_size, 1.0) * float(np.log(2.0)))
    return InformationSplit(
        first,
        second,
        target,
        both,
        by_chance,
        InformationRange(low, max(low, high)),
        InformationRange(one - high, max(one - low, one - high)),
        InformationRange(other - high, max(other - low, other - high)),
        InformationRange(max(0.0, both - one - other + low), max(0.0, both - one - other + high)),
    )


def source_triangle(patterns: Rows, columns: Sequence[str] | None = None) -> tuple[EntropyParts, ...]:
    """Return the entropy triangle of a source: each column, all of them, and the dual, over rows that have them all.

    The number of labels of a column is that of its labels in the patterns (``Rows.on`` declares others).

    >>> twins = Rows.from_columns({"x": [0, 1, 0, 1], "y": [0, 1, 0, 1]})
    >>> [(point.name, point.shared) for point in source_triangle(twins)][:2]
    [('x', 1.0), ('y', 1.0)]
    """
    names = list(columns or patterns.names)
    if len(names) < 2:
        raise InputError("a source has at least two columns; name more of them")
    complete = patterns.select(names).complete()
    sides = {name: ([name], [other for other in names if other != name]) for name in names}
    points, own = _divide_entropy(complete, names, sides, "all columns")
    room, joint = _count_bits(complete, names), complete.entropy(names)
    return (*points, EntropyParts.of("all columns, dual", room - joint, joint - own, own))


def channel_triangle(patterns: Rows, inputs: Sequence[str], outputs: Sequence[str]) -> tuple[EntropyParts, ...]:
    """Return the entropy triangle of a channel: inputs, outputs and both, over the rows that have all columns."""
    if not inputs or not outputs or set(inputs) & set(outputs):
        raise InputError("a channel has inputs and outputs, and no column is both")
    complete = patterns.select([*inputs, *outputs]).complete()
    sides = {"inputs": (inputs, outputs), "outputs": (outputs, inputs)}
    return _divide_entropy(complete, [*inputs, *outputs], sides, "both")[0]


def _divide_entropy(
    patterns: Rows, names: Sequence[str], sides: Mapping[str, tuple[Sequence[str], Sequence[str]]], title: str
) -> tuple[tuple[EntropyParts, ...], float]:
    """Return a point for each side and one for their sum, and the bits that the sides have of their own.

    The parts of a side are the bits that it lacks to equally frequent labels, those that the others carry as well, and
    those that it carries alone.
    """
    joint, points, total = patterns.entropy(list(names)), [], [0.0, 0.0, 0.0]
    for name, (side, others) in sides.items():
        room, entropy = _count_bits(patterns, side), patterns.entropy(list(side))
        own = max(0.0, joint - patterns.entropy(list(others)))
        parts = (room - entropy, entropy - own, own)
        points.append(EntropyParts.of(name, *parts))
        total = [before + part for before, part in zip(total, parts, strict=True)]
    return (*points, EntropyParts.of(title, *total)), total[2]


def _count_bits(patterns: Rows, names: Sequence[str]) -> float:
    """Return the entropy of columns whose labels were all equally frequent and independent."""
    return sum(log2(max(patterns.sizes[patterns.place(name)], 1)) for name in names)


# Significance ---------------------------------------------------------------------------------------------------------


def compute_p_value(tables: Tables, permutations: int, rng: np.random.Generator) -> tuple[float, str]:
    """Return P of at least this much information if the columns are independent in every stratum, and the method.

    By the χ² law where every cell is expected often enough or rows are weighted, else by random tables with the same
    margins.
    """
    used = [part for table in tables if (part := _drop_empty(table)) is not None]
    if not used:
        return 1.0, "none"
    expected = min(float(t.sum(1).min() * t.sum(0).min() / t.sum()) for t in used)
    if expected < MIN_EXPECTED_COUNT and permutations and all(np.all(t == np.rint(t)) for t in used):
        return permuted_p_value([t.astype(np.int64) for t in used], permutations, rng), "permutation"
    statistic = sum(2.0 * information_nats(table) for table in used)
    return float(chdtrc(_count_freedom(used), max(statistic, 0.0))), "chi-square"


def _drop_empty(table: NDArray[Any]) -> NDArray[Any] | None:
    """Return the table without empty rows and columns; None where one side has a single label."""
    table = np.asarray(table)[np.asarray(table).sum(1) > 0]
    table = table[:, table.sum(0) > 0]
    return table if min(table.shape, default=0) > 1 else None


def _count_freedom(tables: Tables) -> int:
    return sum((table.shape[0] - 1) * (table.shape[1] - 1) for table in tables)


def _estimate_chance_bits(tables: Tables) -> float:
    """Return the bits that independent columns show in a sample of this size: degrees of freedom over 2 N ln 2."""
    used = [part for table in tables if (part := _drop_empty(table)) is not None]
    total = sum(float(np.asarray(table).sum()) for table in tables)
    return _count_freedom(used) / (2.0 * total * float(np.log(2.0))) if total else 0.0


def correct_p_values(p_values: Sequence[float], correction: Correction) -> list[float]:
    """Correct P-values for their number: the chance of any false claim (Holm), or the fraction of false ones.

    >>> correct_p_values([0.01, 0.04], "holm")
    [0.02, 0.04]
    """
    if not len(p_values) or correction == "none":
        return list(p_values)
    if correction == "benjamini-yekutieli":
        return np.asarray(false_discovery_control(p_values, method="by")).tolist()
    return holm(list(p_values))


# Findings -------------------------------------------------------------------------------------------------------------


def _describe_columns(columns: Sequence[ColumnSummary], kept: Sequence[str]) -> Iterator[Finding]:
    """Yield findings about columns that were left out or must be read with care."""
    for column in columns:
        name = column.name
        if column.taken == "identifier" and name not in kept:
            text = (
                f"{name!r} has {column.levels:,} different values, nearly one per row: it tells everything about "
                f"everything and is left out; --keep {name} (keep=) includes it."
            )
            evidence: dict[str, Json] = {"column": name, "values": column.levels}
            yield Finding("identifier", text, "warning", evidence, "Keep it", command=f"… --keep {quote(name)}")
        elif column.taken == "constant":
            text = f"{name!r} has {'one value' if column.levels else 'no value'}: it carries no information."
            yield Finding("constant", text, evidence={"column": name})
        if column.missing > MIN_MISSING and column.levels:
            text = f"{name!r} is missing in {column.missing:.0%} of the rows; pairs with it use the others."
            yield Finding("missing_values", text, evidence={"column": name, "missing": column.missing})


def _describe_combinations(result: Relations) -> Iterator[Finding]:
    """Yield what shows only once other columns are given, what vanishes then, and what columns tell only together."""
    given = " and ".join(map(repr, result.given))
    for relation in result.conditional[: 10 * MAX_FINDINGS]:
        alone = result.pair(relation.first, relation.second)
        bits, bits_alone = relation.information.shown or 0.0, alone.information.shown or 0.0
        is_shown, is_shown_alone = relation.is_significant(result.level), alone.is_significant(result.level)
        subject = f"What {relation.first!r} tells about {relation.second!r}"
        evidence: dict[str, Json] = {"columns": [relation.first, relation.second], "given": bits, "alone": bits_alone}
        if is_shown and not is_shown_alone:
            text = f"{subject} shows only given {given}: {bits:.3f} bits, {bits_alone:.4f} alone."
            yield Finding("only_given", text, evidence=evidence)
        elif is_shown_alone and not is_shown and bits - relation.by_chance <= MAX_EXPLAINED_SHARE * bits_alone:
            text = f"{subject} ({bits_alone:.3f} bits) is explained by {given}."
            yield Finding("explained_by", text, evidence=evidence)
    for split in sorted(result.splits, key=lambda split: -split.only_together.low)[:MAX_FINDINGS]:
        low = split.only_together.low
        if low > MIN_SYNERGY + 2 * split.by_chance and low > 0.5 * split.together:
            text = (
                f"{split.first!r} and {split.second!r} tell {split.together:.3f} bits of {split.target!r} together, "
                f"of which at least {low:.3f} only together."
            )
            evidence = {"columns": [split.first, split.second], "together": split.together, "low": low}
            yield Finding("only_together", text, evidence=evidence)


def _describe_small_samples(result: Relations, patterns: Rows) -> Iterator[Finding]:
    """Yield findings about numbers that the sample is too small to support."""
    if result.given:
        strata = patterns.select(list(result.given)).complete()
        if strata.total < MIN_ROWS_PER_STRATUM * len(strata):
            text = (
                f"{len(strata):,} combinations of {', '.join(map(repr, result.given))} have "
                f"{strata.total / len(strata):.1f} rows each on average: information given them grows by chance; "
                "compare it with the column “by chance”."
            )
            yield Finding("thin_strata", text, "warning", evidence={"strata": len(strata), "rows": strata.total})
    names = [
        f"{relation.first!r} and {relation.second!r}"
        for relation in result.relations[:MAX_FINDINGS]
        if relation.is_significant(result.level) and relation.by_chance > 0.5 * (relation.information.value or 0.0)
    ]
    if names:
        text = (
            f"More than half of the information between {'; '.join(names)} is what chance alone would show in so few "
            "rows."
        )
        yield Finding("mostly_chance", text, "warning", evidence={"pairs": names})
    if result.together is not None:
        complete = patterns.select(result.together.columns).complete()
        if len(complete) > MAX_DISTINCT_SHARE * complete.total:
            text = (
                f"{len(complete):,} of {complete.total:,g} rows are different: what columns tell together, and what "
                "each tells alone, cannot be read from so few rows. Name fewer columns, or use fewer bins."
            )
            evidence = {"distinct": len(complete), "rows": complete.total}
            yield Finding("all_rows_differ", text, "warning", evidence=evidence)
