"""Tallies: what engines count, what their native values mean as labels, and the rows that tables can use.

An engine gives one `Tally` for each margin of a query. Values become labels afterwards, on the distinct ones and on all
parts of a source together, for only all of them tell whether its times are dates. `split_rows` leaves out the rows
that lack a label, a group or a weight, with an account by reason; `Joint` pairs systems that predicted the same rows.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterable, Sequence
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
    from_json,
    match_label,
    meanings,
    rank_labels,
)
from infoscope.readers.query import Query
from infoscope.tables import Contingency
from infoscope.tables.counting import warn_of_rows
from infoscope.tables.labels import Label, is_missing

# ── tallies ───────────────────────────────────────────────────────────────────────────────────────


Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Group = tuple[Label, ...]


@dataclass(frozen=True)
class Tally:
    """Distinct combinations of some columns, with their rows and weights.

    Attributes
    ----------
    keys : tuple of str
        Names of the columns.
    labels : tuple of sequences
        Distinct values of each column; a missing one is None among them.
    codes : ndarray of int, columns × cells
        Places among the column's ``labels``.
    rows : ndarray of int
        Rows of the source in each cell.
    weights, squares, least : ndarray of float, optional
        Sums of the weights and of their squares, and the least weight, which shows a negative one.
    unweighed : ndarray of bool, optional
        Cells whose rows lack a weight; they are apart from cells with the same values whose rows have one.
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
        """Code the columns that an engine returns, one line for each cell."""
        encoded = [encode(column, key) for key, column in zip(keys, values, strict=True)]
        counts = np.fromiter(rows, dtype=np.int64)
        codes = np.array([codes for _, codes in encoded], dtype=np.int64).reshape(len(keys), -1)
        return cls(keys, tuple(labels for labels, _ in encoded), codes, counts, **sums)

    @property
    def total(self) -> int:
        """Rows that were read."""
        return int(self.rows.sum())

    @property
    def values(self) -> Ints | Floats:
        """Weights of the cells where rows are weighted, else their rows."""
        return self.rows if self.weights is None else self.weights

    def mapped(self, name: str, meaning: Callable[[Any], Any]) -> Tally:
        """Return the tally with the values of one column replaced."""
        labels = tuple(
            [meaning(value) for value in column] if key == name else column
            for key, column in zip(self.keys, self.labels, strict=True)
        )
        return replace(self, labels=labels)

    def select(self, keys: Sequence[str]) -> Tally:
        """Return some columns in this order; equal cells are not added up."""
        places = [self.keys.index(key) for key in keys]
        return replace(self, keys=tuple(keys), labels=tuple(self.labels[i] for i in places), codes=self.codes[places])

    def where(self, cells: Ints) -> Tally:
        """Return some cells, with all values of the columns."""
        sums: dict[str, Any] = {
            name: None if (values := getattr(self, name)) is None else values[cells]
            for name in ("weights", "squares", "least", "unweighed")
        }
        return replace(self, codes=self.codes[:, cells], rows=self.rows[cells], **sums)


def add_tallies(tallies: Sequence[Tally]) -> Tally:
    """Add up the tallies of several sources; their values grow together.

    >>> part = Tally.from_columns(("gold", "svm"), [["a"], ["b"]], [2])
    >>> add_tallies([part, part]).rows
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
        moved = [move[code] for move, code in zip(moves, tally.codes, strict=True)]
        codes.append(np.array(moved, np.int64).reshape(len(first.keys), -1))
    sums: dict[str, Any] = {
        name: None if getattr(first, name) is None else np.concatenate([getattr(tally, name) for tally in tallies])
        for name in ("rows", "weights", "squares", "least", "unweighed")
    }
    labels = tuple([value for _, value in place] for place in places)
    return merge_cells(replace(first, labels=labels, codes=np.concatenate(codes, 1), **sums))


def merge_cells(tally: Tally) -> Tally:
    """Add up equal cells; those without a weight stay apart."""
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
    """Return distinct values in order of appearance, and for each value its place among them.

    Values of different types stay apart even where Python calls them equal (1 and True); every kind of hole is None.

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


# ── what native values mean ───────────────────────────────────────────────────────────────────────


_NUMBER = re.compile(r"(-?(?:0|[1-9][0-9]*))(\.[0-9]+)?")


def decode_texts(tally: Tally, format: str) -> Tally:
    """Return the tally of a file of this format with its texts understood: JSON parsed, empty text missing."""
    for key, labels in zip(tally.keys, tally.labels, strict=True):
        if format == "ndjson":
            if any(isinstance(label, str) and label[:1] in "[{" for label in labels):
                raise InputError(f"column {key!r} holds lists or records; labels are text, numbers, booleans or dates")
            tally = tally.mapped(key, from_json)
        elif format in ("csv", "tsv") and "" in labels:
            tally = tally.mapped(key, lambda label: label or None)
    return tally


def unify_dates(tallies: Sequence[Tally], query: Query) -> list[Tally]:
    """Return the tallies with midnights as dates, where truth and systems, or a group column, have no other times."""
    columns: dict[str, list[Any]] = {}
    for tally in tallies:
        for name, values in zip(tally.keys, tally.labels, strict=True):
            columns.setdefault(name, []).append(values)
    days = {name: all(not _has_times(v) or are_days(v) for v in lists) for name, lists in columns.items()}
    are_labels_days = all(days[name] for name in columns if name not in query.by)
    whole = {name: days[name] if name in query.by else are_labels_days for name in columns}
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


def _has_times(values: Sequence[Any]) -> bool:
    return any(issubclass(kind, (dt.datetime, np.datetime64)) for kind in set(map(type, values)))


def unify_whole_numbers(tallies: Sequence[Tally], query: Query, format: str) -> list[Tally]:
    """Spell whole numbers of a text file in one way, where its true labels are numbers: 1.0 is 1, as in typed sources.

    Whoever writes integers beside missing values, as pandas does, writes 1.0. Nothing changes where one spelling alone
    occurs, or where a true label is no number, or begins with zeros that a number has not.
    """
    depth = len(query.by)
    true = {label for tally in tallies for label in tally.labels[tally.keys.index(query.truth)]} - {None}
    if format not in ("csv", "tsv") or not all(map(_NUMBER.fullmatch, true)):
        return list(tallies)
    texts = true.union(*(labels for tally in tallies for labels in tally.labels[depth:])) - {None}
    spelling: dict[str, str] = {}
    for text in texts:
        number = _NUMBER.fullmatch(text)
        if number is not None and not (number[2] or "").strip(".0"):
            spelling[text] = "0" if number[1] == "-0" else number[1]
    if len(set(spelling.values())) == len(spelling):
        return list(tallies)
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


def decode_labels(tally: Tally, query: Query) -> Tally:
    """Return the tally with labels for values: equal labels have one code, a missing one is None, at the end."""
    meant = {name: meanings(values, name, query.clean) for name, values in zip(tally.keys, tally.labels, strict=True)}
    check_comparable({key: meant[key] for key in tally.keys[len(query.by) :]})
    labels: list[list[Label | None]] = []
    codes = np.empty_like(tally.codes)
    for i, name in enumerate(tally.keys):
        distinct = dict.fromkeys(meant[name])
        if len(distinct) == len(meant[name]) and None not in distinct:
            codes[i] = tally.codes[i]
            labels.append([*distinct, None])
            continue
        distinct.pop(None, None)
        places = {label: place for place, label in enumerate([*distinct, None])}
        moves = np.fromiter(map(places.__getitem__, meant[name]), dtype=np.int64, count=len(meant[name]))
        codes[i] = moves[tally.codes[i]] if moves.size else tally.codes[i]
        labels.append(list(places))
    return replace(tally, labels=tuple(labels), codes=codes)


def match_columns(label: Label | None, tally: Tally, names: Sequence[str], query: Query) -> Label | None:
    """Return a reject or positive label as these columns spell it in all groups, also where no row has it."""
    if label is None:
        return None
    places = [tally.keys.index(name) for name in names]
    labels = [label for i in places for label in meanings(tally.labels[i], tally.keys[i], query.clean)]
    return match_label(label, [label for label in labels if label is not None])


# ── rows that can be used, by group ───────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class UsableRows:
    """One margin of one group, without the rows that cannot be used; why those cannot is kept."""

    group: Group
    tally: Tally
    ignored: dict[str, int]

    def table(self, system: str, *, reject: Label | None = None, positive: Label | None = None) -> Contingency:
        """Return the contingency table of truth against one system."""
        tally = self.tally
        place = tally.keys.index(system)
        with np.errstate(over="ignore"):
            squares = None if tally.squares is None else float(tally.squares.sum())
        return Contingency.from_cells(
            tally.labels[place - 1],
            tally.labels[place],
            tally.codes[place - 1],
            tally.codes[place],
            tally.values,
            reject=reject,
            positive=positive,
            ignored=self.ignored,
            weight_squares=squares,
        )


def split_rows(tally: Tally, query: Query) -> tuple[list[UsableRows], dict[str, int]]:
    """Return the rows that count by group, groups in order; and the rows without a group by reason."""
    tally = decode_labels(tally, query)
    check_weights(tally)
    depth = len(query.by)
    reasons = [(f"missing label in {key!r}", _is_hole(tally, at)) for at, key in enumerate(tally.keys) if at >= depth]
    if tally.unweighed is not None:
        reasons.append((f"missing weight in {query.weight!r}", tally.unweighed))
    groups, ungrouped = group_cells(tally, depth)
    parts = []
    for group, cells in groups:
        kept, ignored = _leave_out(tally, reasons, cells)
        part = tally.where(kept)
        used = [_find_used(codes, len(labels)) for labels, codes in zip(part.labels, part.codes, strict=True)]
        labels = tuple(
            [labels[code] for code in codes.tolist()] for labels, (codes, _) in zip(part.labels, used, strict=True)
        )
        codes = np.array([places for _, places in used], dtype=np.int64).reshape(len(labels), -1)
        parts.append(UsableRows(group, replace(part, labels=labels, codes=codes), ignored))
    return parts, ungrouped


def group_cells(tally: Tally, depth: int) -> tuple[list[tuple[Group, Ints]], dict[str, int]]:
    """Return the cells of each group of a decoded tally, groups in order; and the rows without a group by reason.

    The first ``depth`` columns name the groups. Cells are sorted once, and cut where the group changes.
    """
    everything = np.arange(len(tally.rows))
    if depth == 0:
        return [((), everything)], {}
    reasons = [(f"missing group in {tally.keys[at]!r}", _is_hole(tally, at)) for at in range(depth)]
    grouped, ungrouped = _leave_out(tally, reasons, everything)
    keys = tally.codes[:depth, grouped]
    order = np.lexsort(keys[::-1])
    keys, places = keys[:, order], grouped[order]
    starts = np.flatnonzero(np.any(keys[:, 1:] != keys[:, :-1], axis=0)) + 1
    groups = [
        (tuple(tally.labels[i][code] for i, code in enumerate(keys[:, mine[0]])), places[mine])
        for mine in (np.split(np.arange(len(places)), starts) if len(places) else ())
    ]

    def rank(label: Label) -> tuple[bool, Label | str]:  # numbers first and by value, others by their text
        is_number = isinstance(label, (int, float))
        return (not is_number, label if is_number else as_text(label))

    return sorted(groups, key=lambda pair: [rank(label) for label in pair[0]]), ungrouped


def _is_hole(tally: Tally, at: int) -> NDArray[np.bool_]:
    return tally.codes[at] == len(tally.labels[at]) - 1


def _leave_out(
    tally: Tally, reasons: Sequence[tuple[str, NDArray[np.bool_]]], cells: Ints
) -> tuple[Ints, dict[str, int]]:
    """Return the cells for which no reason holds, and the rows of the others by the first reason that does."""
    ignored: dict[str, int] = {}
    for reason, holds in reasons:
        out = holds[cells]
        rows = int(tally.rows[cells[out]].sum())
        if rows:
            ignored[reason] = rows
        cells = cells[~out]
    return cells, ignored


def _find_used(codes: Ints, size: int) -> tuple[Ints, Ints]:
    """Return the codes that occur, in order, and the place of each code among them; unsorted where they are many."""
    if len(codes) < size // 4:
        used, places = np.unique(codes, return_inverse=True)
        return used, places
    occurs = np.zeros(size, dtype=bool)
    occurs[codes] = True
    return np.flatnonzero(occurs), (np.cumsum(occurs) - 1)[codes]


def check_weights(tally: Tally) -> None:
    """Reject weights that are negative or infinite, or add up to more than a number can hold, naming such rows."""
    if tally.weights is None or tally.least is None:
        return
    weighed = np.ones(len(tally.rows), bool) if tally.unweighed is None else ~tally.unweighed
    for kind, wrong in (
        ("negative", weighed & (tally.least < 0)),
        ("infinite, or their sum is", weighed & ~np.isfinite(tally.weights)),
    ):
        if np.any(wrong):
            cell = int(np.flatnonzero(wrong)[0])
            where = ", ".join(
                f"{name} {labels[code]!r}"
                for name, labels, code in zip(tally.keys, tally.labels, tally.codes[:, cell], strict=True)
            )
            raise InputError(f"a weight of the rows with {where} is {kind}; weights are finite and not negative")


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

    columns: Query
    """The query that counted; where rows are split, that of one group."""
    tally: Tally

    @property
    def clean(self) -> Cleaning:
        """The way in which labels are cleaned."""
        return self.columns.clean

    def table(self, system: str, *, reject: Label | None = None, positive: Label | None = None) -> Contingency:
        """Return the table of one system, from all rows that it predicted; warn of the others."""
        table = self.counted(system, reject=reject, positive=positive)
        warn_of_rows(table.ignored)
        return table

    def counted(self, system: str, *, reject: Label | None = None, positive: Label | None = None) -> Contingency:
        """Return the same without the warning, for callers that count several systems and warn once."""
        return self._make_table(self._keep_usable((system,)), system, reject, positive)

    def _make_table(self, rows: UsableRows, system: str, reject: Label | None, positive: Label | None) -> Contingency:
        names = (self.columns.truth, system)
        stated = [match_columns(label, self.tally, names, self.columns) for label in (reject, positive)]
        return rows.table(system, reject=stated[0], positive=stated[1])

    def paired(self, *systems: str) -> Paired:
        """Return counts of the rows that all of these systems predicted; by default all there are."""
        names = systems or self.columns.margins[0]
        part = self._keep_usable(names)
        tally = merge_cells(part.tally)
        return Paired(
            tuple(names),
            tuple(tally.labels[0]),
            tuple(tuple(labels) for labels in tally.labels[1:]),
            tally.codes,
            tally.values,
            part.ignored,
            None if tally.squares is None else float(tally.squares.sum()),
        )

    def clustered(
        self, system: str, cluster: str, *, reject: Label | None = None, positive: Label | None = None
    ) -> tuple[Contingency, Any]:
        """Return one system's table, and its cells by cluster: a sparse array with a line for each, in order of keys.

        The column of clusters is read as if it were a system's; rows without a cluster are ignored. Clusters without a
        usable row have empty lines, at the end.
        """
        from scipy.sparse import coo_array  # noqa: PLC0415 - only for clusters

        part = self._keep_usable((system, cluster))
        table = self._make_table(part, system, reject, positive)
        tally = part.tally
        places = [{label: i for i, label in enumerate(side)} for side in (table.truth_labels, table.system_labels)]
        rows, columns = (
            np.array([place[label] for label in labels], dtype=np.int64)[codes] if len(labels) else codes
            for place, labels, codes in zip(places, tally.labels[:2], tally.codes[:2], strict=True)
        )
        values = np.asarray(tally.values, dtype=np.float64)
        lines = rank_labels(tally.labels[2])[tally.codes[2]]
        keys = {label for label in self.tally.labels[self.tally.keys.index(cluster)] if label is not None}
        shape = (len(keys), table.shape[0] * table.shape[1])
        return table, coo_array((values, (lines, rows * table.shape[1] + columns)), shape=shape).tocsr()

    def _keep_usable(self, systems: Sequence[str]) -> UsableRows:
        counted = self.columns.margins[0]
        for name in systems:
            if name not in counted:
                known = ", ".join(map(repr, counted))
                raise UnknownNameError(f"no system {name!r} was read; there is {known}")
        query = replace(self.columns, systems=tuple(systems), groups=None)
        parts, _ = split_rows(self.tally.select(query.keys(query.systems)), query)
        return parts[0]


def split_joint(tally: Tally, query: Query) -> dict[Group, Joint]:
    """Return one Joint for each group; the one group of a source that is not split is ()."""
    if not query.joint:
        raise InputError("joint counts come from a tally of all systems together")
    (tally,) = unify_dates([tally], query)
    depth = len(query.by)
    inside = replace(query, by=())
    if not depth:
        return {(): Joint(inside, tally)}
    groups, _ = group_cells(decode_labels(tally, query), depth)
    whole = tally.select(tally.keys[depth:])
    return {group: Joint(inside, whole.where(cells)) for group, cells in groups}
