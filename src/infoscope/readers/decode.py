"""From tallies to tables: labels get their meaning, unusable rows are counted by reason, and systems are paired."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoscope.errors import InputError, UnknownNameError
from infoscope.readers.labels import (
    Cleaning,
    are_days,
    as_days,
    as_text,
    check_comparable,
    match_label,
    meanings,
    rank_labels,
)
from infoscope.readers.query import Columns
from infoscope.tables import Contingency
from infoscope.tables.labels import Label, is_missing
from infoscope.tables.missing import warn_of_rows

# ── tallies ───────────────────────────────────────────────────────────────────────────────────────


Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Tally:
    """Distinct combinations of some columns, with their rows and weights.

    ``codes`` has one line for each key column and one column for each cell; a code points into
    the column's ``labels``. ``unweighed`` marks cells whose rows lack a weight.
    """

    keys: tuple[str, ...]
    labels: tuple[Sequence[Any], ...]
    codes: Ints
    rows: Ints
    weights: Floats | None = None
    squares: Floats | None = None
    least: Floats | None = None
    unweighed: NDArray[np.bool_] | None = None

    @classmethod
    def from_columns(
        cls,
        keys: tuple[str, ...],
        values: Sequence[Iterable[Any]],
        rows: Iterable[int],
        **sums: Any,
    ) -> Tally:
        """A tally from the columns that an engine returns, one line per cell."""
        encoded = [encode(column, key) for key, column in zip(keys, values, strict=True)]
        counts = np.fromiter(rows, dtype=np.int64)
        codes = np.array([codes for _, codes in encoded], dtype=np.int64)
        return cls(
            keys,
            tuple(labels for labels, _ in encoded),
            codes.reshape(len(keys), -1),
            counts,
            **sums,
        )

    @property
    def total(self) -> int:
        """Rows that were read."""
        return int(self.rows.sum())

    def mapped(self, name: str, meaning: Callable[[Any], Any]) -> Tally:
        """The same tally with the labels of one column replaced."""
        labels = tuple(
            [meaning(value) for value in column] if key == name else column
            for key, column in zip(self.keys, self.labels, strict=True)
        )
        return replace(self, labels=labels)


def merged(tallies: Sequence[Tally]) -> Tally:
    """The tally of all rows of several sources: counts add, label sets grow.

    >>> part = Tally.from_columns(("gold", "svm"), [["a"], ["b"]], [2])
    >>> merged([part, part]).rows
    array([4])
    """
    first = tallies[0]
    places: list[dict[tuple[type, Any], int]] = [{} for _ in first.keys]
    codes = []
    for tally in tallies:
        moves = [
            np.array([place.setdefault((type(x), x), len(place)) for x in column], dtype=np.int64)
            for place, column in zip(places, tally.labels, strict=True)
        ]
        codes.append([move[code] for move, code in zip(moves, tally.codes, strict=True)])
    labels = tuple([value for _, value in place] for place in places)
    columns = np.concatenate([np.array(c, np.int64).reshape(len(first.keys), -1) for c in codes], 1)
    joined = Tally(
        first.keys,
        labels,
        columns,
        np.concatenate([tally.rows for tally in tallies]),
        *(
            None if getattr(first, name) is None else np.concatenate([getattr(tally, name) for tally in tallies])
            for name in ("weights", "squares", "least", "unweighed")
        ),
    )
    return summed(joined)


def summed(tally: Tally) -> Tally:
    """The same tally with every cell once."""
    flag = np.zeros(len(tally.rows), np.int64) if tally.unweighed is None else tally.unweighed
    keys = np.vstack([tally.codes, np.asarray(flag, dtype=np.int64)])
    cells, place = np.unique(keys, axis=1, return_inverse=True)
    place = place.reshape(-1)
    size = cells.shape[1]
    rows = np.zeros(size, np.int64)
    np.add.at(rows, place, tally.rows)
    if tally.weights is None or tally.squares is None or tally.least is None:
        return replace(tally, codes=cells[:-1], rows=rows)
    least = np.full(size, np.inf)
    np.fmin.at(least, place, tally.least)
    return replace(
        tally,
        codes=cells[:-1],
        rows=rows,
        weights=np.bincount(place, tally.weights, size).astype(np.float64),
        squares=np.bincount(place, tally.squares, size).astype(np.float64),
        least=least,
        unweighed=cells[-1].astype(bool),
    )


def encode(values: Iterable[Any], column: str = "") -> tuple[list[Any], Ints]:
    """Distinct values in order of appearance, and for each value its place among them.

    Values of different types stay apart even where Python calls them equal (1 and True); every
    kind of hole is None.

    >>> encode(["b", "a", "b"])
    (['b', 'a'], array([0, 1, 0]))
    """
    values = values if isinstance(values, Sequence) else list(values)
    if set(map(type, values)) <= {str, type(None)}:
        texts = {value: place for place, value in enumerate(dict.fromkeys(values))}
        return list(texts), np.fromiter(map(texts.__getitem__, values), dtype=np.int64, count=len(values))
    places: dict[tuple[type, Any], int] = {}
    try:
        codes = np.fromiter(
            (
                places.setdefault((type(value), value), len(places))
                for value in (None if is_missing(value) else value for value in values)
            ),
            dtype=np.int64,
        )
    except TypeError as error:
        raise InputError(
            f"column {column!r} holds lists or records; labels are text, numbers, booleans or dates"
        ) from error
    return [value for _, value in places], codes


# ── tables from tallies ───────────────────────────────────────────────────────────────────────────


Group = tuple[Label, ...]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Usable:
    """One margin of one group, without the rows that cannot be used; why those cannot is kept."""

    group: Group
    tally: Tally
    ignored: dict[str, int]

    def table(self, system: str, *, reject: Label | None = None, positive: Label | None = None) -> Contingency:
        """The contingency table of truth against one system."""
        tally = self.tally
        place = tally.keys.index(system)
        truth, output = tally.labels[place - 1], tally.labels[place]
        with np.errstate(over="ignore"):
            squares = None if tally.squares is None else float(tally.squares.sum())
        return Contingency.from_cells(
            truth,
            output,
            tally.codes[place - 1],
            tally.codes[place],
            tally.rows if tally.weights is None else tally.weights,
            reject=reject,
            positive=positive,
            ignored=self.ignored,
            weight_squares=squares,
        )


@dataclass(frozen=True)
class Assembly:
    """Tables of every system in every group, and the rows that are in none of them."""

    tables: dict[Group, dict[str, Contingency]]
    ignored: dict[str, int]
    homeless: dict[str, int]


def assemble(
    tallies: Sequence[Tally],
    columns: Columns,
    *,
    clean: Cleaning = (),
    reject: Label | None = None,
    positive: Label | None = None,
) -> Assembly:
    """Tables from one tally a system; the one group of a source that is not split is ()."""
    tables: dict[Group, dict[str, Contingency]] = {}
    ignored: dict[str, int] = {}
    homeless: dict[str, int] = {}
    for (system,), tally in zip(columns.margins, dated(tallies, columns), strict=True):
        parts, homeless = usable(tally, columns, clean)
        lost = homeless
        stated = [declared(label, tally, (columns.truth, system), clean) for label in (reject, positive)]
        for part in parts:
            tables.setdefault(part.group, {})[system] = part.table(system, reject=stated[0], positive=stated[1])
            lost = _added(lost, part.ignored)
        # a row without truth is missed by every system, and is still one row
        ignored = {reason: max(ignored.get(reason, 0), lost.get(reason, 0)) for reason in {**ignored, **lost}}
    return Assembly(tables, ignored, homeless)


def declared(wanted: Label | None, tally: Tally, names: Sequence[str], clean: Cleaning = ()) -> Label | None:
    """A reject or positive label as these columns spell it in all groups, also where no row has it."""
    if wanted is None:
        return None
    places = [tally.keys.index(name) for name in names]
    labels = [label for i in places for label in meanings(tally.labels[i], tally.keys[i], clean)]
    return match_label(wanted, [label for label in labels if label is not None])


def dated(tallies: Sequence[Tally], columns: Columns) -> list[Tally]:
    """The tallies with midnights as dates, where truth and systems, or a group column, have no other times."""
    found: dict[str, list[Any]] = {}
    for tally in tallies:
        for name, values in zip(tally.keys, tally.labels, strict=True):
            found.setdefault(name, []).append(values)
    days = {name: all(not _has_times(v) or are_days(v) for v in lists) for name, lists in found.items()}
    labels = [name for name in found if name not in columns.by]
    same = all(days[name] for name in labels)
    whole = {name: days[name] if name in columns.by else same for name in found}
    return [
        replace(
            tally,
            labels=tuple(
                as_days(values) if whole[name] and _has_times(values) else values
                for name, values in zip(tally.keys, tally.labels, strict=True)
            ),
        )
        for tally in tallies
    ]


_NUMBER = re.compile(r"(-?(?:0|[1-9][0-9]*))(\.[0-9]+)?")


def unify_whole_numbers(tallies: Sequence[Tally], columns: Columns, form: str) -> Sequence[Tally]:
    """Spell whole numbers of a text file in one way, where its true labels are numbers: 1.0 is 1, as in typed sources.

    Whoever writes integers beside missing values, as pandas does, writes 1.0. Nothing changes where one spelling alone
    occurs, or where a true label is no number, or begins with zeros that a number has not.
    """
    depth = len(columns.by)
    true = {label for tally in tallies for label in tally.labels[tally.keys.index(columns.truth)]} - {None}
    if form not in ("csv", "tsv") or not all(map(_NUMBER.fullmatch, true)):
        return tallies
    texts = true.union(*(labels for tally in tallies for labels in tally.labels[depth:])) - {None}
    spelling: dict[str, str] = {}
    for text in texts:
        number = _NUMBER.fullmatch(text)
        if number is not None and not (number[2] or "").strip(".0"):
            spelling[text] = "0" if number[1] == "-0" else number[1]
    if len(set(spelling.values())) == len(spelling):
        return tallies
    return [
        replace(
            tally,
            labels=(
                *tally.labels[:depth],
                *([spelling.get(text, text) for text in labels] for labels in tally.labels[depth:]),
            ),
        )
        for tally in tallies
    ]


def _has_times(values: Sequence[Any]) -> bool:
    return any(issubclass(kind, (dt.datetime, np.datetime64)) for kind in set(map(type, values)))


def _added(one: dict[str, int], other: dict[str, int]) -> dict[str, int]:
    return {reason: one.get(reason, 0) + other.get(reason, 0) for reason in {**one, **other}}


def usable(tally: Tally, columns: Columns, clean: Cleaning = ()) -> tuple[list[Usable], dict[str, int]]:
    """The cells that count, one record a group and groups in order; and rows without a group."""
    tally = labelled(tally, columns, clean)
    check_weights(tally)
    depth = len(columns.by)
    everything = np.arange(len(tally.rows))
    housed, homeless = _sift(tally, _holes(tally, range(depth), "group"), everything)
    reasons = _holes(tally, range(depth, len(tally.keys)), "label")
    if tally.unweighed is not None:
        reasons.append((f"missing weight in {columns.weight!r}", tally.unweighed))
    parts = []
    for group, mine in _groups(tally, depth, housed):
        kept, ignored = _sift(tally, reasons, mine)
        parts.append(Usable(group, _select(tally, kept), ignored))
    return sorted(parts, key=lambda part: [_order(label) for label in part.group]), homeless


def group_cells(tally: Tally, columns: Columns, clean: Cleaning = ()) -> Iterator[tuple[Group, Ints]]:
    """Places of the cells of each group, groups in order; cells without a group are in none."""
    tally = labelled(tally, columns, clean)
    depth = len(columns.by)
    everything = np.arange(len(tally.rows))
    housed, _ = _sift(tally, _holes(tally, range(depth), "group"), everything)
    yield from sorted(_groups(tally, depth, housed), key=lambda pair: list(map(_order, pair[0])))


def _groups(tally: Tally, depth: int, housed: Ints) -> Iterator[tuple[Group, Ints]]:
    """Places of the cells of each group: sorted once, and cut where the group changes."""
    if depth == 0:
        yield (), housed
        return
    keys = tally.codes[:depth, housed]
    order = np.lexsort(keys[::-1])
    keys, places = keys[:, order], housed[order]
    starts = np.flatnonzero(np.any(keys[:, 1:] != keys[:, :-1], axis=0)) + 1
    for mine in np.split(np.arange(len(places)), starts) if len(places) else ():
        yield tuple(tally.labels[i][code] for i, code in enumerate(keys[:, mine[0]])), places[mine]


def _order(label: Label) -> tuple[bool, Label | str]:
    number = isinstance(label, (int, float))
    return (not number, label if number else as_text(label))


def labelled(tally: Tally, columns: Columns, clean: Cleaning) -> Tally:
    """Values become labels, equal labels get one code; a missing label is None, at the end."""
    named = {name: meanings(values, name, clean) for name, values in zip(tally.keys, tally.labels, strict=True)}
    check_comparable({key: named[key] for key in tally.keys[len(columns.by) :]})
    labels: list[list[Label | None]] = []
    codes = np.empty_like(tally.codes)
    for i, name in enumerate(tally.keys):
        found = dict.fromkeys(named[name])
        if len(found) == len(named[name]) and None not in found:
            codes[i] = tally.codes[i]
            labels.append([*found, None])
            continue
        found.pop(None, None)
        places = {label: place for place, label in enumerate([*found, None])}
        old_to_new = np.fromiter(map(places.__getitem__, named[name]), dtype=np.int64, count=len(named[name]))
        codes[i] = old_to_new[tally.codes[i]] if old_to_new.size else tally.codes[i]
        labels.append(list(places))
    return replace(tally, labels=tuple(labels), codes=codes)


def _holes(tally: Tally, places: Sequence[int], what: str) -> list[tuple[str, Mask]]:
    return [(f"missing {what} in {tally.keys[i]!r}", tally.codes[i] == len(tally.labels[i]) - 1) for i in places]


def _sift(tally: Tally, reasons: list[tuple[str, Mask]], cells: Ints) -> tuple[Ints, dict[str, int]]:
    """The cells for which no reason holds, and rows of the others by the first reason that does."""
    ignored: dict[str, int] = {}
    left = cells
    for reason, holds in reasons:
        out = holds[left]
        rows = int(tally.rows[left[out]].sum())
        if rows:
            ignored[reason] = rows
        left = left[~out]
    return left, ignored


def check_weights(tally: Tally) -> None:
    """Reject weights that are negative or infinite, or add up to more than a number can hold, naming such rows."""
    if tally.weights is None or tally.least is None:
        return
    known = np.ones(len(tally.rows), bool) if tally.unweighed is None else ~tally.unweighed
    for kind, wrong in (
        ("negative", known & (tally.least < 0)),
        ("infinite, or their sum is", known & ~np.isfinite(tally.weights)),
    ):
        if np.any(wrong):
            cell = int(np.flatnonzero(wrong)[0])
            where = ", ".join(
                f"{name} {labels[code]!r}"
                for name, labels, code in zip(tally.keys, tally.labels, tally.codes[:, cell], strict=True)
            )
            raise InputError(f"a weight of the rows with {where} is {kind}; weights are finite and not negative")


def _used(codes: Ints, size: int) -> tuple[Ints, Ints]:
    """The codes that occur, in order, and the place of each code among them; without sorting where they are many."""
    if len(codes) < size // 4:
        used, places = np.unique(codes, return_inverse=True)
        return used, places
    occurs = np.zeros(size, dtype=bool)
    occurs[codes] = True
    return np.flatnonzero(occurs), (np.cumsum(occurs) - 1)[codes]


def _select(tally: Tally, pick: Ints) -> Tally:
    """Some cells of a tally, with only the labels that still occur."""
    labels, codes = [], []
    for values, column in zip(tally.labels, tally.codes[:, pick], strict=True):
        used, places = _used(column, len(values))
        labels.append([values[code] for code in used.tolist()])
        codes.append(places)
    return Tally(
        tally.keys,
        tuple(labels),
        np.array(codes, dtype=np.int64).reshape(len(labels), -1),
        tally.rows[pick],
        None if tally.weights is None else tally.weights[pick],
        None if tally.squares is None else tally.squares[pick],
    )


# ── systems that predicted the same rows ──────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Paired:
    """Rows that every one of some systems predicted, counted together with their truth.

    ``codes`` has one line for the truth and one for each system, and one column for each cell;
    a code points into the line's ``labels``.
    """

    systems: tuple[str, ...]
    truth_labels: tuple[Label, ...]
    system_labels: tuple[tuple[Label, ...], ...]
    codes: Ints
    counts: Ints | Floats
    ignored: dict[str, int]
    weight_squares: float | None = None

    @property
    def total(self) -> float:
        """Rows, or weight, that is counted here."""
        return float(self.counts.sum())


@dataclass(frozen=True)
class Joint:
    """Every system beside the truth; rows that only some systems predicted are kept for those."""

    columns: Columns
    tally: Tally
    clean: Cleaning = ()

    def table(self, system: str, *, reject: Label | None = None, positive: Label | None = None) -> Contingency:
        """The table of one system, from all rows that it predicted; warns of the others."""
        table = self.counted(system, reject=reject, positive=positive)
        warn_of_rows(table.ignored)
        return table

    def counted(self, system: str, *, reject: Label | None = None, positive: Label | None = None) -> Contingency:
        """The same without the warning, for callers that count several systems and warn once."""
        return self._only((system,)).table(system, **self._stated(system, reject=reject, positive=positive))

    def _stated(self, system: str, **labels: Label | None) -> dict[str, Label | None]:
        names = (self.columns.truth, system)
        return {name: declared(label, self.tally, names, self.clean) for name, label in labels.items()}

    def paired(self, *systems: str) -> Paired:
        """Counts of the rows that all of these systems predicted; by default all there are."""
        names = systems or self.columns.systems
        part = self._only(names)
        tally = summed(_with_least(part.tally))
        return Paired(
            tuple(names),
            tuple(tally.labels[0]),
            tuple(tuple(labels) for labels in tally.labels[1:]),
            tally.codes,
            tally.rows if tally.weights is None else tally.weights,
            part.ignored,
            None if tally.squares is None else float(tally.squares.sum()),
        )

    def clustered(
        self, system: str, cluster: str, *, reject: Label | None = None, positive: Label | None = None
    ) -> tuple[Contingency, Any]:
        """One system's table, and its cells by cluster: a sparse array with a line for each, in the order of keys.

        The column of clusters is read as if it were a system's; rows without a cluster are ignored. Clusters without a
        usable row have empty lines, at the end.
        """
        from scipy.sparse import coo_array  # noqa: PLC0415 - only for clusters

        part = self._only((system, cluster))
        table = part.table(system, **self._stated(system, reject=reject, positive=positive))
        tally = part.tally
        places = [{label: i for i, label in enumerate(side)} for side in (table.truth_labels, table.system_labels)]
        rows, columns = (
            np.array([place[label] for label in labels], dtype=np.int64)[codes] if len(labels) else codes
            for place, labels, codes in zip(places, tally.labels[:2], tally.codes[:2], strict=True)
        )
        values = np.asarray(tally.rows if tally.weights is None else tally.weights, dtype=np.float64)
        lines = rank_labels(tally.labels[2])[tally.codes[2]]
        keys = {label for label in self.tally.labels[self.tally.keys.index(cluster)] if label is not None}
        shape = (len(keys), table.shape[0] * table.shape[1])
        return table, coo_array((values, (lines, rows * table.shape[1] + columns)), shape=shape).tocsr()

    def _only(self, systems: Sequence[str]) -> Usable:
        for name in systems:
            if name not in self.columns.systems:
                known = ", ".join(map(repr, self.columns.systems))
                raise UnknownNameError(f"no system {name!r} was read; there is {known}")
        margin = tuple(systems)
        narrowed = Columns(self.columns.truth, margin, self.columns.weight, (), joint=True)
        keep = [self.tally.keys.index(key) for key in narrowed.keys(margin)]
        tally = Tally(
            narrowed.keys(margin),
            tuple(self.tally.labels[i] for i in keep),
            self.tally.codes[keep],
            self.tally.rows,
            self.tally.weights,
            self.tally.squares,
            self.tally.least,
            self.tally.unweighed,
        )
        parts, _ = usable(tally, narrowed, self.clean)
        return parts[0]


def _with_least(tally: Tally) -> Tally:
    if tally.weights is None:
        return tally
    return Tally(
        tally.keys,
        tally.labels,
        tally.codes,
        tally.rows,
        tally.weights,
        tally.squares,
        np.zeros_like(tally.weights),
        np.zeros(len(tally.rows), dtype=bool),
    )


def joint_counts(tally: Tally, columns: Columns, clean: Cleaning = ()) -> dict[Group, Joint]:
    """One Joint for each group; the one group of a source that is not split is ()."""
    if not columns.joint:
        raise InputError("joint counts come from a tally of all systems together")
    (tally,) = dated([tally], columns)
    depth = len(columns.by)
    by = Columns(columns.truth, columns.systems, columns.weight, (), joint=True)
    if not depth:
        return {(): Joint(by, tally, clean)}
    return {group: Joint(by, _cut(tally, depth, mine), clean) for group, mine in group_cells(tally, columns, clean)}


def _cut(tally: Tally, depth: int, cells: Ints) -> Tally:
    def cut(values: NDArray[np.float64] | None) -> NDArray[np.float64] | None:
        return None if values is None else values[cells]

    return Tally(
        tally.keys[depth:],
        tally.labels[depth:],
        tally.codes[depth:, cells],
        tally.rows[cells],
        cut(tally.weights),
        cut(tally.squares),
        cut(tally.least),
        None if tally.unweighed is None else tally.unweighed[cells],
    )
