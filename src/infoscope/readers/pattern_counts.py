"""Patterns from any source: distinct rows of several columns, counted by whichever engine reads the source."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoscope.core.scratch_files import scratch_folder
from infoscope.errors import InputError
from infoscope.readers.assemble import Group, check_weights
from infoscope.readers.column_mapping import column_lists, is_column_mapping
from infoscope.readers.columns import Columns, check_name
from infoscope.readers.labels import Cleaning, check_comparable, cleaner, meaning, meanings
from infoscope.readers.reader import ReadOptions, files_of, read_joints
from infoscope.readers.shared_reading import rows_in_order
from infoscope.readers.tally import Tally
from infoscope.tables.counting import check_weight_scale
from infoscope.tables.labels import Label, check_kinds, sorted_labels
from infoscope.tables.missing import warn_of_rows
from infoscope.tables.patterns import Patterns
from infoscope.typing import Source

__all__ = ["patterns_of", "read_patterns", "read_patterns_by_group", "read_rows", "read_split_patterns", "row_patterns"]


def read_patterns(
    source: Source,
    columns: Sequence[str],
    *,
    weight: str | None = None,
    clean: Cleaning = (),
    comparable: bool = True,
    read: ReadOptions | None = None,
) -> Patterns:
    """Distinct rows of some columns of any source, with their counts.

    ``source`` is a mapping of names to labels, or anything that ``infoscope.read`` takes. Missing labels are kept.
    ``comparable`` says that the columns name the same classes, so that 1 and "1" in two of them are rejected.
    """
    if is_column_mapping(source):
        return _from_mapping(source, columns, weight, clean, comparable=comparable)
    asked = Columns.asked(columns[0], list(columns[1:]), weight=weight, joint=True)
    joint = read_joints(source, asked, clean, read)[()]
    return patterns_of(joint.tally, columns, clean, comparable=comparable)


def read_patterns_by_group(
    source: Source,
    columns: Sequence[str],
    by: str | Sequence[str],
    *,
    weight: str | None = None,
    clean: Cleaning = (),
    comparable: bool = True,
    read: ReadOptions | None = None,
) -> dict[Group, Patterns]:
    """The same for each value of a column, or of several; rows without one are left out, with a warning."""
    asked = Columns.asked(columns[0], list(columns[1:]), weight=weight, by=by, joint=True)
    if is_column_mapping(source):
        whole = _from_mapping(source, [*asked.by, *columns], weight, clean, comparable=False)
        if comparable:
            _check_same_kinds(whole.select(list(columns)))
        return {group: part.select(list(columns)) for group, part in _by_group(whole, asked.by)}
    joints = read_joints(source, asked, clean, read)
    return {group: patterns_of(joint.tally, columns, clean, comparable=comparable) for group, joint in joints.items()}


def read_split_patterns(
    source: Source,
    columns: Sequence[str],
    by: Sequence[str],
    *,
    weight: str | None = None,
    clean: Cleaning = (),
    comparable: bool = True,
    read: ReadOptions | None = None,
) -> Patterns:
    """The patterns of all groups together, with the columns of the groups behind the others."""
    parts = read_patterns_by_group(source, columns, by, weight=weight, clean=clean, comparable=comparable, read=read)
    if not parts:
        raise InputError(f"no row has a group in {', '.join(map(repr, by))}; there is nothing to evaluate")
    return reduce(add, (_in_group(part, by, group) for group, part in parts.items()))


def _in_group(part: Patterns, by: Sequence[str], group: Group) -> Patterns:
    """Patterns with the values of their group beside them."""
    return Patterns.from_codes(
        {**dict(zip(part.names, part.labels, strict=True)), **{name: (x,) for name, x in zip(by, group, strict=True)}},
        np.vstack([part.codes, np.zeros((len(by), len(part)), dtype=part.codes.dtype)]),
        part.counts,
        part.squares,
    )


def _by_group(whole: Patterns, by: Sequence[str]) -> Iterator[tuple[Group, Patterns]]:
    """The rows of each group, sorted, by the columns that come first."""
    for at, name in enumerate(by):
        lost = int(whole.counts[~whole.present[at] & whole.present[:at].all(axis=0)].sum())
        warn_of_rows({f"missing group in {name!r}": lost} if lost else {})
    codes = whole.codes[: len(by)]
    for group in np.unique(codes[:, whole.present[: len(by)].all(axis=0)], axis=1).T.tolist():
        labels = tuple(known[code] for known, code in zip(whole.labels, group, strict=False))
        yield labels, whole.where((codes == np.array(group)[:, None]).all(axis=0))


def patterns_of(tally: Tally, columns: Sequence[str], clean: Cleaning = (), *, comparable: bool = True) -> Patterns:
    """The patterns of a tally; rows without a weight are left out, with a warning."""
    check_weights(tally)
    named = {
        name: meanings(tally.labels[at], name, clean) for at, name in enumerate(tally.keys) if name in set(columns)
    }
    if comparable:
        check_comparable(named)
    labels: dict[str, tuple[Label, ...]] = {}
    codes = []
    for name in columns:
        labels[name] = sorted_labels({label for label in named[name] if label is not None})
        place: dict[Label | None, int] = {label: at for at, label in enumerate(labels[name])}
        move = np.array([*(place.get(label, -1) for label in named[name]), -1], dtype=np.int64)
        codes.append(move[tally.codes[tally.keys.index(name)]])
    coded = np.array(codes, dtype=np.int64).reshape(len(columns), -1)
    if tally.weights is None:
        return Patterns.from_codes(labels, coded, tally.rows)
    weighed = np.ones(len(tally.rows), bool) if tally.unweighed is None else ~tally.unweighed
    lost = int(tally.rows[~weighed].sum())
    warn_of_rows({"missing weight": lost} if lost else {})
    check_weight_scale(tally.weights[weighed])
    squares = tally.weights**2 if tally.squares is None else tally.squares
    return Patterns.from_codes(labels, coded[:, weighed], tally.weights[weighed], squares[weighed])


def _from_mapping(
    source: Mapping[str, Any], columns: Sequence[str], weight: str | None, clean: Cleaning, *, comparable: bool
) -> Patterns:
    for name in (*columns, *(() if weight is None else (weight,))):
        check_name(name)
        if name not in source:
            raise InputError(f"the source has no column {name!r}; it has {', '.join(map(repr, source))}")
    found = Patterns.from_columns({name: source[name] for name in columns}, None if weight is None else source[weight])
    if clean:
        tidy = cleaner(clean)
        found = found.mapped(lambda label, name: tidy(meaning(label, name)))
    if comparable:
        _check_same_kinds(found)
    return found


def _check_same_kinds(patterns: Patterns) -> None:
    """Reject numbers in one column and text in another."""
    named = [(name, labels) for name, labels in zip(patterns.names, patterns.labels, strict=True) if labels]
    for (one, left), (other, right) in itertools.pairwise(named):
        check_kinds(left, right, called=(f"{one} has", f"{other} has"))


def row_patterns(
    source: Source, patterns: Patterns, read: ReadOptions | None = None, clean: Cleaning = ()
) -> NDArray[np.int64] | None:
    """For each row of a source, in its order, the place of its pattern; −1 where it is none of them.

    None where the source has no order, as a table of a database.
    """
    rows = _rows_in_order(source, patterns.names, read or ReadOptions())
    if rows is None:
        return None
    places = {tuple(codes): at for at, codes in enumerate(patterns.codes.T.tolist())}
    labels = [{label: code for code, label in enumerate(known)} for known in patterns.labels]
    moves = [
        np.array(
            [-1 if label is None else known.get(label, -1) for label in meanings(values, name, clean)], dtype=np.int64
        )
        for name, known, values in zip(patterns.names, labels, rows.labels, strict=True)
    ]
    coded = np.array([move[codes] for move, codes in zip(moves, rows.codes, strict=True)], dtype=np.int64)
    return np.array([places.get(tuple(codes), -1) for codes in coded.T.tolist()], dtype=np.int64)


def read_rows(
    source: Source, columns: Sequence[str], read: ReadOptions | None = None
) -> dict[str, list[Label | None]] | None:
    """The labels of some columns, row by row in the order of the source; None where it has no order."""
    rows = _rows_in_order(source, tuple(columns), read or ReadOptions())
    if rows is None:
        return None
    found = {}
    for name, values, codes in zip(rows.keys, rows.labels, rows.codes, strict=True):
        labels = meanings(values, name)
        found[name] = [labels[code] for code in codes.tolist()]
    return found


def _rows_in_order(source: Any, columns: Sequence[str], how: ReadOptions) -> Tally | None:
    if is_column_mapping(source):
        values = column_lists(source, columns)
        return Tally.from_columns(
            tuple(columns), list(values.values()), np.ones(len(values[columns[0]]), dtype=np.int64)
        )
    with scratch_folder() as folder:
        asked = Columns.asked(columns[0], list(columns[1:]), joint=True)
        return rows_in_order(source, files_of(source, how, folder), asked, how)
