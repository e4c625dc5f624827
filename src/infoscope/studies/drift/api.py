"""The public front: two periods of the same systems, without a truth."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from infoscope.core.numerics import holm
from infoscope.errors import InputError, UnknownNameError, check_keywords, check_level, check_seed
from infoscope.metrics import erroneous_information, mutual_information
from infoscope.readers import ReadOptions
from infoscope.readers.column_mapping import is_column_mapping
from infoscope.readers.labels import Cleaning, match_label
from infoscope.readers.pattern_counts import read_patterns, read_patterns_by_group
from infoscope.results.provenance import Provenance
from infoscope.studies.drift.chance import drift_part
from infoscope.studies.drift.findings import drift_findings
from infoscope.studies.drift.result import Drift, PairDrift, SystemDrift
from infoscope.studies.inputs import blank_findings, check_named_once
from infoscope.tables import Contingency
from infoscope.tables.column_kinds import BlankLabels, check_label_columns
from infoscope.tables.labels import Label, check_kinds, few_of, sorted_labels
from infoscope.tables.patterns import Patterns
from infoscope.typing import Source

__all__ = ["DriftKeywords", "drift"]


class DriftKeywords(TypedDict, total=False):
    """How drift is tested."""

    clean: Cleaning
    level: float
    permutations: int
    seed: int


@dataclass(frozen=True)
class DriftOptions:
    """The same, checked."""

    clean: Cleaning = ()
    level: float = 0.05
    permutations: int = 999
    seed: int = 0

    def __post_init__(self) -> None:
        """Reject what means nothing."""
        check_level(self.level)
        check_seed(self.seed)
        if self.permutations < 99:
            raise InputError(f"permutations is {self.permutations}; give at least 99")


def drift(
    source: Source,
    later: Source | None = None,
    *,
    system: Sequence[str] | None = None,
    by: str | None = None,
    before: Label | None = None,
    after: Label | None = None,
    read: ReadOptions | None = None,
    **options: Unpack[DriftKeywords],
) -> Drift:
    """What changed between two periods: what the systems were shown, and how they relate to each other.

    Give the rows of both periods, ``drift(january, february, system=[…])``, or one source with the column of the
    period, ``drift(rows, system=[…], by="month", before="2026-01", after="2026-02")``. Systems are columns of labels; a
    mapping of names to labels needs no ``system``. ``level`` is that of the tests, all systems and pairs considered.

    >>> found = drift({"a": ["x", "y"] * 40, "b": ["x", "y"] * 40}, {"a": ["x", "y"] * 40, "b": ["y", "x"] * 40})
    >>> print(found.findings[0].text.split(" (")[0])
    a and b relate to each other differently in the second period
    """
    check_keywords(options, DriftKeywords)
    how = DriftOptions(**options)
    first, second, names = _periods(source, later, (by, before, after), system, how, read)
    labels = {
        name: sorted_labels({*mine, *theirs})
        for name, mine, theirs in zip(first.names, first.labels, second.labels, strict=True)
    }
    for name, part in zip(names, (first, second), strict=True):
        if not part.total:
            raise InputError(f"{name} has no rows; name two periods that have some")
    check_label_columns(first + second)
    _check_common_labels(first, second, names)
    found = _compared(first.on(labels), second.on(labels), names, how)
    blanks = blank_findings(BlankLabels.of_patterns(first + second))
    return replace(found, findings=(*blanks, *found.findings))


def _check_common_labels(first: Patterns, second: Patterns, periods: tuple[str, str]) -> None:
    """Reject a system whose relations cannot be compared: no label of one period occurs in the other."""
    for name, mine, theirs in zip(first.names, first.labels, second.labels, strict=True):
        for labels, period in ((mine, periods[0]), (theirs, periods[1])):
            if not labels:
                raise InputError(f"{name!r} has no label in {period}; leave it out, or name another period")
        check_kinds(mine, theirs, called=(f"in {periods[0]} {name!r} has", f"in {periods[1]}"))
        if not set(mine) & set(theirs):
            raise InputError(
                f"{name!r} has no label in common between the periods ({few_of(mine)} against {few_of(theirs)}): its "
                "relations cannot be compared; rename its labels alike, or leave it out"
            )


def _periods(
    source: Any,
    later: Any,
    period: tuple[str | None, Label | None, Label | None],
    system: Sequence[str] | None,
    how: DriftOptions,
    read: ReadOptions | None,
) -> tuple[Patterns, Patterns, tuple[str, str]]:
    by, before, after = period
    if later is not None:
        if by is not None or before is not None or after is not None:
            raise InputError("give two sources, or one with by=, before= and after=, not both")
        columns = _columns(source, system)
        parts = [read_patterns(each, columns, clean=how.clean, read=read) for each in (source, later)]
        return parts[0], parts[1], ("the first period", "the second period")
    if by is None or before is None or after is None:
        raise InputError("name the column of the period and two of its values: by=, before= and after=")
    found = read_patterns_by_group(source, _columns(source, system, by), by, clean=how.clean, read=read)
    groups = [group[0] for group in found]
    chosen = [_group(by, value, groups) for value in (before, after)]
    if chosen[0] == chosen[1]:
        raise InputError(f"before and after are both {chosen[0]!r}; name two different values of {by!r}")
    return found[(chosen[0],)], found[(chosen[1],)], (str(chosen[0]), str(chosen[1]))


def _group(by: str, value: Label, groups: Sequence[Label]) -> Label:
    found = match_label(value, groups)
    if found is None or found not in groups:
        raise UnknownNameError(f"column {by!r} has no value {value!r}; it has {few_of(groups, 8)}")
    return found


def _columns(source: Any, system: Sequence[str] | None, by: str | None = None) -> list[str]:
    if system is None:
        if not is_column_mapping(source):
            raise InputError("name the columns of the systems with system=, at least two of them")
        system = [str(name) for name in source if name != by]
    if isinstance(system, str) or len(system) < 2:
        raise InputError("drift needs two systems or more; name at least two columns")
    check_named_once(system)
    return list(system)


def _compared(first: Patterns, second: Patterns, names: tuple[str, str], how: DriftOptions) -> Drift:
    pairs = list(_pairs(first, second, how))
    systems = list(_systems(first, second, how))
    found = Drift(
        before=names[0],
        after=names[1],
        items=(int(first.total), int(second.total)),
        systems=tuple(
            replace(each, p_adjusted=p)
            for each, p in zip(systems, holm([each.shown.p_value for each in systems]), strict=True)
        ),
        pairs=tuple(
            replace(each, p_adjusted=p)
            for each, p in zip(pairs, holm([each.p_adjusted for each in pairs]), strict=True)
        ),
        level=how.level,
        provenance=Provenance(rows=int(first.total + second.total)),
    )
    found = replace(found, changed=tuple(_changed(found)))
    return replace(found, findings=tuple(drift_findings(found)))


def _systems(first: Patterns, second: Patterns, how: DriftOptions) -> Iterator[SystemDrift]:
    level = how.level / len(first.names)  # the first step of Holm's correction
    for at, name in enumerate(first.names):
        table = np.stack([part.label_totals(at) for part in (first, second)]).astype(np.int64)
        part = drift_part([table], how.permutations, level, how.seed)
        yield SystemDrift(name, (int(table[0].sum()), int(table[1].sum())), part, part.p_value)


def _pairs(first: Patterns, second: Patterns, how: DriftOptions) -> Iterator[PairDrift]:
    later = {(a, b): cells for a, b, cells in second.pair_cells()}
    level = how.level / len(later)  # the first step of Holm's correction
    for a, b, cells in first.pair_cells():
        before, after = (each.dense().astype(np.int64) for each in (cells, later[a, b]))
        if not before.sum() or not after.sum():
            continue
        parts = [drift_part(strata, how.permutations, level, how.seed) for strata in _strata(before, after)]
        tables = [Contingency.from_matrix(table) for table in (before, after)]
        yield PairDrift(
            first.names[a],
            first.names[b],
            (int(before.sum()), int(after.sum())),
            _both(mutual_information, tables),
            _both(erroneous_information, tables),
            *(parts[0], parts[1], parts[2], parts[3], parts[4]),
            max(parts[3].p_value, parts[4].p_value),
        )


def _both(measure: Any, tables: Sequence[Contingency]) -> tuple[float, float]:
    return float(measure(tables[0])), float(measure(tables[1]))


def _strata(before: NDArray[np.int64], after: NDArray[np.int64]) -> list[list[NDArray[np.int64]]]:
    """Tables of periods × labels: the pair, each alone, the second given the first, the first given the second."""
    return [
        [np.stack([before.ravel(), after.ravel()])],
        [np.stack([before.sum(axis=1), after.sum(axis=1)])],
        [np.stack([before.sum(axis=0), after.sum(axis=0)])],
        [np.stack(rows) for rows in zip(before, after, strict=True)],
        [np.stack(rows) for rows in zip(before.T, after.T, strict=True)],
    ]


def _changed(found: Drift) -> Iterator[str]:
    """Systems of which every pair changed, where some pair without them did not."""
    if len(found.names) < 3:
        return
    changed = {frozenset((pair.first, pair.second)) for pair in found.pairs if pair.p_adjusted <= found.level}
    for name in found.names:
        mine = [frozenset((name, other)) for other in found.names if other != name]
        rest = [frozenset(pair) for pair in itertools.combinations([n for n in found.names if n != name], 2)]
        if all(pair in changed for pair in mine) and not any(pair in changed for pair in rest):
            yield name
