"""Find drift between two periods of the same systems, without a truth.

Label frequencies of a system change if the items change or the system does; what one system tells about another one
changes only if one of the two does (or, a little, with the mix of classes). Both are tested by permuting the periods.
The page is ``reports/views/drift.py``; ``infoscope agree --by`` asks for it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, chdtri, chndtrinc

from infoscope.core.markup import ShortRepr, pluralize
from infoscope.core.numerics import holm
from infoscope.core.validation import LEVEL, SEED, Number, validated
from infoscope.errors import InputError, UnknownNameError, list_names
from infoscope.metrics import erroneous_information, mutual_information
from infoscope.metrics.chance import information_nats, permuted_p_value
from infoscope.readers import ReadOptions
from infoscope.readers.frames import is_column_mapping
from infoscope.readers.labels import Cleaning, match_label
from infoscope.readers.reader import read_distinct_rows, read_distinct_rows_by_group
from infoscope.results.base import Result
from infoscope.results.estimate import Estimate
from infoscope.results.finding import Finding
from infoscope.results.frame import Record, make_tidy
from infoscope.results.notation import state_p_value
from infoscope.results.provenance import Provenance
from infoscope.results.system import MeasuredSystem, find_system
from infoscope.studies.inputs import check_named_once, describe_blank_labels
from infoscope.tables import Contingency
from infoscope.tables.column_kinds import BlankLabels, check_label_columns
from infoscope.tables.labels import Label, check_kinds, list_few, sorted_labels
from infoscope.tables.rows import Rows
from infoscope.typing import Json, Source

POWER = 0.8
MAX_PAIRS = 10
"""Pairs that findings name."""
MAX_SYSTEMS = 5
"""Systems that a finding names."""


# Results --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class DriftPart:
    """Information about the period in one part of the labels."""

    information: float
    """Bits per item."""
    p_value: float
    """By permutation of the periods."""
    p_chi_square: float
    smallest_found: float | None
    """Bits per item of the smallest change that would have been found with probability 0.8 at this level; None where
    nothing can be tested, because no stratum has two labels and rows of both periods."""


@dataclass(frozen=True, repr=False)
class SystemDrift(MeasuredSystem):
    """The label frequencies of one system in the two periods: other items, or another system."""

    name: str
    items: tuple[int, int]
    shown: DriftPart
    """I(A;P): how much its labels tell about the period."""
    p_adjusted: float
    """P of all systems considered at once (Holm)."""

    @property
    def metrics(self) -> Mapping[str, Estimate]:  # type: ignore[override] # computed, and no field
        """The bits per item that its labels tell about the period, and how surely that is no chance."""
        shown, numbers = self.shown, ("information", "p_value", "smallest_found")
        return {name: Estimate(getattr(shown, name)) for name in numbers} | {"p_adjusted": Estimate(self.p_adjusted)}


@dataclass(frozen=True, repr=False)
class PairDrift(ShortRepr):
    """The relation of two systems in the two periods.

    I(A,B;P) = I(A;P) + I(B;P|A) = I(B;P) + I(A;P|B), over the items that both labelled.
    """

    first: str
    second: str
    items: tuple[int, int]
    agreement: tuple[float, float]
    """Share of the items that both give the same label."""
    mutual_information: tuple[float, float]
    variation_of_information: tuple[float, float]
    both: DriftPart
    """I(A,B;P): anything that changed."""
    first_alone: DriftPart
    second_alone: DriftPart
    second_given_first: DriftPart
    first_given_second: DriftPart
    p_adjusted: float
    """P of a changed relation, all pairs considered at once (Holm): both conditional parts must differ."""

    @property
    def information(self) -> float:
        """Bits per item by which the relation changed: the smaller of the two conditional parts."""
        return min(self.second_given_first.information, self.first_given_second.information)


@dataclass(frozen=True, eq=False, repr=False)
class Drift(Result):
    """Label frequencies and relations of systems in two periods."""

    kind: ClassVar[str] = "drift"
    roles: ClassVar[Mapping[str, str]] = {"first": "system", "second": "versus"}

    before: str
    after: str
    items: tuple[int, int]
    systems: tuple[SystemDrift, ...]
    pairs: tuple[PairDrift, ...]
    changed: tuple[str, ...] = ()
    """Systems whose relation to every other one changed, while the others still relate as before."""
    level: float = 0.05
    provenance: Provenance = field(default_factory=Provenance)
    findings: tuple[Finding, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The systems."""
        return tuple(system.name for system in self.systems)

    def __getitem__(self, name: str) -> SystemDrift:
        """Return one system by its name."""
        return find_system(self.systems, name)

    def pair(self, first: str, second: str) -> PairDrift:
        """Return one pair by its names, in either order."""
        for pair in self.pairs:
            if {pair.first, pair.second} == {first, second}:
                return pair
        raise KeyError(f"no pair {first!r} and {second!r}; the systems are {list_names(self.names)}")

    def records(self) -> Iterator[Record]:
        """Yield one record per pair."""
        for pair in self.pairs:
            record: dict[str, Json | Estimate] = {"first": pair.first, "second": pair.second}
            record["p_adjusted"] = Estimate(pair.p_adjusted)
            record |= {"items_before": pair.items[0], "items_after": pair.items[1]}
            for name in ("both", "first_alone", "second_alone", "second_given_first", "first_given_second"):
                part: DriftPart = getattr(pair, name)
                record |= {f"{name}.{key}": Estimate(value) for key, value in vars(part).items()}
            yield record

    def tidy_rows(self) -> Iterator[Mapping[str, Json]]:
        """Yield the numbers of each system, then those of each pair."""
        for system in self.systems:
            items = {"items_before": system.items[0], "items_after": system.items[1]}
            yield from make_tidy({**items, **system.metrics}, {"system": system.name}, {})
        yield from super().tidy_rows()


# The study ------------------------------------------------------------------------------------------------------------


@validated(level=LEVEL, permutations=Number(low=99, closed="low", whole=True), seed=SEED)
def drift(
    source: Source,
    later: Source | None = None,
    *,
    system: Sequence[str] | None = None,
    by: str | None = None,
    before: Label | None = None,
    after: Label | None = None,
    clean: Cleaning = (),
    level: float = 0.05,
    permutations: int = 999,
    seed: int = 0,
    rng: int | np.random.Generator | None = None,  # noqa: ARG001 - another word for seed
    read: ReadOptions | None = None,
) -> Drift:
    """Test what changed between two periods: label frequencies of systems, and their relations to each other.

    Parameters
    ----------
    source, later
        The rows of both periods, ``drift(january, february, system=[…])``; or one source with a column of the period,
        ``drift(rows, system=[…], by="month", before="2026-01", after="2026-02")``.
    system
        Columns of labels, one for each system; a mapping of names to labels needs none.
    by
        Column of the period, where there is one source.
    before, after
        Two values of that column.
    clean
        How labels are cleaned before they are counted.
    level
        Level of the tests, all systems and all pairs considered (0.05 for a risk of 5%, so no confidence level).
    permutations
        Random permutations of the periods for each P-value.
    seed, rng
        Seed of the permutations, or a generator.
    read
        How files are read.

    Returns
    -------
    Drift
        Each system and each pair with the information about the period, P-values, and the smallest change that would
        have been found.

    Raises
    ------
    InputError
        If the periods are not stated in one of the two ways, there are fewer than two systems, a period has no rows,
        a system has no label in common between the periods, or an option is out of its limits.
    UnknownNameError
        If the column of the period has no such value.

    Examples
    --------
    >>> result = drift({"a": ["x", "y"] * 40, "b": ["x", "y"] * 40}, {"a": ["x", "y"] * 40, "b": ["y", "x"] * 40})
    >>> print(result.findings[0].text.split(" (")[0])
    a and b relate to each other differently in the second period
    """
    if system is None:
        if not is_column_mapping(source):
            raise InputError("name the columns of the systems with system=, at least two of them")
        system = [str(name) for name in source if name != by]
    if isinstance(system, str) or len(system) < 2:
        raise InputError("drift needs two systems or more; name at least two columns")
    check_named_once(system)

    if later is not None:
        if by is not None or before is not None or after is not None:
            raise InputError("give two sources, or one with by=, before= and after=, not both")
        first, second = (read_distinct_rows(rows, system, clean=clean, read=read) for rows in (source, later))
        periods = "the first period", "the second period"
    else:
        if by is None or before is None or after is None:
            raise InputError("name the column of the period and two of its values: by=, before= and after=")
        patterns = read_distinct_rows_by_group(source, system, by, clean=clean, read=read)
        values = [group[0] for group in patterns]
        chosen = []
        for value in (before, after):
            period = match_label(value, values)
            if period is None or period not in values:
                raise UnknownNameError(f"column {by!r} has no value {value!r}; it has {list_few(values, 8)}")
            chosen.append(period)
        if chosen[0] == chosen[1]:
            raise InputError(f"before and after are both {chosen[0]!r}; name two different values of {by!r}")
        first, second = (patterns[value,] for value in chosen)
        periods = str(chosen[0]), str(chosen[1])
    for period, part in zip(periods, (first, second), strict=True):
        if not part.total:
            raise InputError(f"{period} has no rows; name two periods that have some")
    check_label_columns(first + second)
    _check_common_labels(first, second, periods)

    blanks = describe_blank_labels(BlankLabels.of_patterns(first + second))
    columns = zip(first.names, first.labels, second.labels, strict=True)
    labels = {name: sorted_labels({*before_labels, *after_labels}) for name, before_labels, after_labels in columns}
    first, second = first.on(labels), second.on(labels)
    systems = []
    for place, name in enumerate(first.names):  # how much the labels of each tell about the period
        table = np.stack([part.label_totals(place) for part in (first, second)]).astype(np.int64)
        shown = compare_periods([table], permutations, level / len(first.names), seed)  # the first step of Holm's
        systems.append(SystemDrift(name, (int(table[0].sum()), int(table[1].sum())), shown, shown.p_value))
    pairs = list(_compare_relations(first, second, level, permutations, seed))
    p_systems, p_pairs = (holm([part.p_adjusted for part in parts]) for parts in (systems, pairs))
    result = Drift(
        *periods,
        items=(int(first.total), int(second.total)),
        systems=tuple(replace(part, p_adjusted=p) for part, p in zip(systems, p_systems, strict=True)),
        pairs=tuple(replace(part, p_adjusted=p) for part, p in zip(pairs, p_pairs, strict=True)),
        level=level,
        provenance=Provenance(rows=int(first.total + second.total)),
    )
    # systems all of whose pairs changed, where no pair without them did
    moved = {frozenset((pair.first, pair.second)) for pair in result.pairs if pair.p_adjusted <= level}
    changed = []
    for name in result.names if len(result.names) > 2 else ():
        others = [other for other in result.names if other != name]
        rest = {frozenset(pair) for pair in itertools.combinations(others, 2)}
        if all(frozenset((name, other)) in moved for other in others) and not rest & moved:
            changed.append(name)
    result = replace(result, changed=tuple(changed))
    return replace(result, findings=(*blanks, *_describe(result)))


def _check_common_labels(first: Rows, second: Rows, periods: tuple[str, str]) -> None:
    """Reject a system whose relations cannot be compared: no label of one period occurs in the other."""
    for name, before, after in zip(first.names, first.labels, second.labels, strict=True):
        for labels, period in ((before, periods[0]), (after, periods[1])):
            if not labels:
                raise InputError(f"{name!r} has no label in {period}; leave it out, or name another period")
        check_kinds(before, after, called=(f"in {periods[0]} {name!r} has", f"in {periods[1]}"))
        if not set(before) & set(after):
            raise InputError(
                f"{name!r} has no label in common between the periods ({list_few(before)} against {list_few(after)}): "
                "its relations cannot be compared; rename its labels alike, or leave it out"
            )


def _compare_relations(first: Rows, second: Rows, level: float, permutations: int, seed: int) -> Iterator[PairDrift]:
    """Yield how much the labels of each pair tell about the period, together, alone, and one given the other."""
    later = {(a, b): cells for a, b, cells in second.count_pairs()}
    level = level / len(later)  # the first step of Holm's correction
    compare = partial(compare_periods, permutations=permutations, level=level, seed=seed)
    for a, b, cells in first.count_pairs():
        before, after = (part.dense().astype(np.int64) for part in (cells, later[a, b]))
        if not before.sum() or not after.sum():
            continue
        tables = [Contingency.from_matrix(table) for table in (before, after)]
        same = np.array([[one == other for other in first.labels[b]] for one in first.labels[a]])
        second_given_first = compare([np.stack(rows) for rows in zip(before, after, strict=True)])
        first_given_second = compare([np.stack(rows) for rows in zip(before.T, after.T, strict=True)])
        yield PairDrift(
            first.names[a],
            first.names[b],
            (int(before.sum()), int(after.sum())),
            (float(before[same].sum() / before.sum()), float(after[same].sum() / after.sum())),
            (float(mutual_information(tables[0])), float(mutual_information(tables[1]))),
            (float(erroneous_information(tables[0])), float(erroneous_information(tables[1]))),
            both=compare([np.stack([before.ravel(), after.ravel()])]),
            first_alone=compare([np.stack([before.sum(axis=1), after.sum(axis=1)])]),
            second_alone=compare([np.stack([before.sum(axis=0), after.sum(axis=0)])]),
            second_given_first=second_given_first,
            first_given_second=first_given_second,
            p_adjusted=max(second_given_first.p_value, first_given_second.p_value),
        )


def compare_periods(strata: Sequence[NDArray[np.int64]], permutations: int, level: float, seed: int) -> DriftPart:
    """Test tables of periods × labels, one per stratum: permutation within strata, and chi-square beside it.

    The rows of both periods are dealt again at random within each stratum; as the table is periods × labels, a dealt
    table is one multivariate hypergeometric draw, and no row is touched.
    """
    used = [table[:, table.sum(axis=0) > 0] for table in strata if table.sum()]
    total = float(sum(table.sum() for table in used))
    tested = [table for table in used if (table.sum(axis=1) > 0).all() and table.shape[1] > 1]
    if not tested:
        return DriftPart(0.0, 1.0, 1.0, None)
    nats = sum(information_nats(table) for table in tested)
    if nats < 8 * np.finfo(float).eps * total * np.log(total):  # equal periods, but for rounding
        nats = 0.0
    freedom = sum(table.shape[1] - 1 for table in tested)
    critical = float(chdtri(freedom, level))
    smallest = float(chndtrinc(critical, freedom, 1 - POWER) / (2.0 * total * np.log(2.0)))
    p_value = permuted_p_value(tested, permutations, np.random.default_rng(seed))
    return DriftPart(float(nats / total / np.log(2.0)), p_value, float(chdtrc(freedom, 2.0 * nats)), smallest)


# Findings -------------------------------------------------------------------------------------------------------------


def _describe(result: Drift) -> Iterator[Finding]:
    """Yield changed relations first, then label frequencies, missing labels, and what could not have been found."""
    for name in result.changed:
        text = (
            f"{name} changed: its relation to every other system is different in {result.after}, and the others relate "
            "to each other as before."
        )
        yield Finding("system_changed", text, "warning", {"system": name})
    changed = sorted(
        (pair for pair in result.pairs if pair.p_adjusted <= result.level), key=lambda pair: pair.p_adjusted
    )
    ambiguity = "" if len(result.names) > 2 else " Which of the two changed needs a third system or labels."
    for pair in changed[:MAX_PAIRS]:
        text = (
            f"{pair.first} and {pair.second} relate to each other differently in {result.after} "
            f"({pair.information:.3g} bits per item, {state_p_value(pair.p_adjusted)}).{ambiguity}"
        )
        evidence: dict[str, Json] = {
            "systems": [pair.first, pair.second],
            "bits": pair.information,
            "p_value": pair.p_adjusted,
        }
        yield Finding("relation_changed", text, "warning", evidence)

    steady = [system for system in result.systems if system.name not in result.changed]
    moved = [system for system in steady if system.p_adjusted <= result.level]
    least = min((system.p_adjusted for system in moved or steady), default=1.0)
    if moved:
        text = (
            f"Labels of {', '.join(system.name for system in moved[:MAX_SYSTEMS])} come in other frequencies in "
            f"{result.after} ({state_p_value(least)}): the items changed, or all of these systems did. A changed mix "
            "of classes also moves relations a little."
        )
        evidence = {"systems": [system.name for system in moved], "p_value": least}
        yield Finding("items_changed", text, "warning", evidence)
    else:
        text = f"What the systems were shown did not change measurably ({state_p_value(least)})."
        yield Finding("same_items", text, evidence={"p_value": least})

    rows = sum(result.items)
    for system in result.systems:
        if lost := rows - sum(system.items):
            text = f"{system.name!r} has no label in {lost:,} of {pluralize(rows, 'row')}; its tests use the others."
            yield Finding("missing_values", text, evidence={"column": system.name, "missing": lost / rows})

    if not changed and result.pairs:
        parts = (part for pair in result.pairs for part in (pair.second_given_first, pair.first_given_second))
        detectable = [part.smallest_found for part in parts if part.smallest_found is not None]
        if not detectable:
            text = (
                "No pair of systems relates differently: a label of one system that occurs in both periods always "
                "comes with the same label of the other."
            )
            yield Finding("no_relation_changed", text)
            return
        text = (
            f"No pair of systems relates differently. A change of {max(detectable):.2g} bits per item would have been "
            "found with probability 80%; a smaller one may be there."
        )
        yield Finding("no_relation_changed", text, evidence={"smallest_found": max(detectable)})
