"""Distinct rows of several columns of labels, with their counts.

Readers count rows of any source into `Rows`, and studies whose columns need no truth take them (`agreement`,
`relate`, `judge`, …). In reading order: the class, how it is stored, and the kernel that adds equal rows.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoscope.core.files import output_file
from infoscope.core.numerics import Real, as_real, entropy, freeze_arrays
from infoscope.core.records import FLAG, TEXT, Each, Fields, Maybe, check_record, parse_json
from infoscope.errors import InputError, UnknownNameError
from infoscope.tables.contingency import Contingency
from infoscope.tables.counting import check_weight_scale, read_sample_weights
from infoscope.tables.encoding import Coded, check_pairing, encode, on_one_calendar
from infoscope.tables.ifs_file import (
    TYPES,
    check_sum,
    compute_checksum,
    faults_of,
    label_from_json,
    label_to_json,
    open_tables,
    read_values,
    write_parquet,
)
from infoscope.tables.labels import Label, sorted_labels
from infoscope.tables.pair_counts import CellCounts, count_pairs
from infoscope.typing import ArrayLike, Json

WIDEST_RANGE = 1 << 20
"""Whole numbers that span more than this are looked up instead of taken as codes."""


@dataclass(frozen=True, eq=False)
class Rows:
    """Distinct rows of labels with their counts.

    >>> Rows.from_columns({"a": ["x", "x", "y"], "b": ["x", "x", None]})
    Rows of 3 rows: 2 distinct ones of 2 columns
    """

    names: tuple[str, ...]
    labels: tuple[tuple[Label, ...], ...]
    """Labels of each column, sorted; with ``on``, stated ones."""
    codes: NDArray[np.integer[Any]]
    """Columns × patterns: positions among the column's labels; −1 where the label is missing."""
    counts: NDArray[Any]
    """Rows of each pattern (whole numbers), or their summed weight."""
    squares: Real | None = None
    """Summed squared weights of each pattern; None where rows are counted."""

    def __post_init__(self) -> None:
        """Freeze the arrays."""
        freeze_arrays((self.codes, self.counts))
        if self.squares is not None:
            freeze_arrays(self.squares)

    # ── ways in ──────────────────────────────────────────────────────────────────────────────

    @classmethod
    def from_columns(cls, columns: Mapping[str, Any], sample_weight: ArrayLike | None = None) -> Rows:
        """Count sequences of labels that pair by position: lists, arrays, Series; None, NaN and NaT are missing."""
        if not columns:
            raise InputError("no column is given; name at least one")
        (first, values), *others = columns.items()
        check_pairing(values, {**dict(others), "sample_weight": sample_weight}, str(first))
        coded = {str(name): encode(column, str(name)) for name, column in columns.items()}
        labels = on_one_calendar(*(column.labels for column in coded.values()))
        coded = {
            name: replace(column, labels=column_labels)
            for (name, column), column_labels in zip(coded.items(), labels, strict=True)
        }
        sizes = {name: len(column.codes) for name, column in coded.items()}
        if len(set(sizes.values())) > 1:
            (short, few), *_, (long, many) = sorted(sizes.items(), key=lambda item: item[1])
            raise InputError(f"{short} has {few} rows and {long} has {many}; rows pair by position: mark gaps by None")
        rows = next(iter(sizes.values()))
        weights = None if sample_weight is None else read_sample_weights(sample_weight, rows)
        if weights is not None:
            check_weight_scale(weights)
        squares = None if weights is None else weights**2
        columns_of_digits = [_to_digits(column) for column in coded.values()]
        digits, counts, squares = merge_rows([column for column, _ in columns_of_digits], weights, squares)
        recodings = []
        for column_digits, (_, digit_labels) in zip(digits, columns_of_digits, strict=True):
            used_digits = np.flatnonzero(np.bincount(column_digits, minlength=len(digit_labels))).tolist()
            used_labels = {label for digit in used_digits if (label := digit_labels[digit]) is not None}
            old_labels = [label if label in used_labels else None for label in digit_labels]
            recodings.append(_recode(sorted_labels(used_labels), old_labels))
        return cls._stack(tuple(coded), recodings, digits, counts, squares)

    @classmethod
    def from_codes(
        cls,
        labels: Mapping[str, Sequence[Label]],
        codes: NDArray[np.integer[Any]],
        counts: NDArray[Any] | None = None,
        squares: Real | None = None,
    ) -> Rows:
        """Count rows that are coded already: columns × rows, positions among the column's labels, −1 for missing."""
        columns = [
            (column_codes, -1, len(column_labels) + 1)
            for column_codes, column_labels in zip(codes, labels.values(), strict=True)
        ]
        digits, counts, squares = merge_rows(columns, counts, squares)
        dtype = _find_dtype(max(map(len, labels.values())))
        label_tuples = tuple(tuple(column_labels) for column_labels in labels.values())
        return cls(tuple(labels), label_tuples, digits.astype(dtype) - dtype(1), counts, squares)

    @classmethod
    def _stack(
        cls,
        names: tuple[str, ...],
        recodings: Sequence[tuple[tuple[Label, ...], NDArray[np.int64]]],
        digits: NDArray[np.integer[Any]],
        counts: NDArray[Any],
        squares: Real | None,
    ) -> Rows:
        """Return patterns of recoded columns: each with its labels and the new code of every old one."""
        dtype = _find_dtype(max(len(labels) for labels, _ in recodings))
        codes = np.empty(digits.shape, dtype)
        for column_codes, column_digits, (_, new_codes) in zip(codes, digits, recodings, strict=True):
            np.take(new_codes.astype(dtype), column_digits, out=column_codes, mode="wrap")
        return cls(names, tuple(labels for labels, _ in recodings), codes, counts, squares)

    # ── facts ────────────────────────────────────────────────────────────────────────────────

    @property
    def sizes(self) -> tuple[int, ...]:
        """Number of labels of each column."""
        return tuple(map(len, self.labels))

    @cached_property
    def total(self) -> float:
        """Rows, or summed weight."""
        return float(self.counts.sum())

    @property
    def sample_size(self) -> float:
        """Rows of equal weight that tell as much: the rows themselves, or (Σw)²/Σw²."""
        return self.total if self.squares is None else self.total**2 / max(float(self.squares.sum()), 1e-300)

    @property
    def is_weighted(self) -> bool:
        """True if counts are summed weights."""
        return self.squares is not None

    @cached_property
    def present(self) -> NDArray[np.bool_]:
        """Columns × patterns: True where there is a label."""
        return freeze_arrays(self.codes >= 0)

    def __len__(self) -> int:
        """Count the distinct rows."""
        return int(self.codes.shape[1])

    def __repr__(self) -> str:
        """Write the patterns in a line."""
        unit = "weight" if self.is_weighted else "rows"
        return f"Rows of {self.total:,g} {unit}: {len(self):,} distinct ones of {len(self.names)} columns"

    def place(self, column: str | int) -> int:
        """Return the position of a column, by its name."""
        if isinstance(column, int):
            return column
        if column not in self.names:
            raise UnknownNameError(f"no column {column!r}; there is {', '.join(map(repr, self.names))}")
        return self.names.index(column)

    # ── new patterns from old ────────────────────────────────────────────────────────────────────

    def __add__(self, other: Rows) -> Rows:
        """Add the rows of both; labels grow together, columns pair by name."""
        if not isinstance(other, Rows):
            return NotImplemented
        if set(self.names) != set(other.names):
            raise InputError(
                f"patterns of {', '.join(self.names)} and of {', '.join(other.names)} do not add up; "
                "they need the same columns"
            )
        if self.is_weighted != other.is_weighted:
            raise InputError("patterns of rows and of weights do not add up; weigh both, or neither")
        other = other.select(self.names)
        labels = {
            name: own_labels if own_labels == other_labels else sorted_labels({*own_labels, *other_labels})
            for name, own_labels, other_labels in zip(self.names, self.labels, other.labels, strict=True)
        }
        codes = np.hstack([part._change_labels(labels).codes for part in (self, other)])
        if self.squares is None or other.squares is None:
            return Rows.from_codes(labels, codes, np.concatenate([self.counts, other.counts]))
        squares = np.concatenate([self.squares, other.squares])
        return Rows.from_codes(labels, codes, np.concatenate([self.counts, other.counts]), squares)

    def __radd__(self, other: object) -> Rows:
        """Let ``sum(patterns)`` work."""
        return self if other == 0 else NotImplemented

    def select(self, columns: Sequence[str | int]) -> Rows:
        """Return some columns alone, in this order."""
        places = [self.place(column) for column in columns]
        if places == list(range(len(self.names))):
            return self
        labels = {self.names[place]: self.labels[place] for place in places}
        return Rows.from_codes(labels, self.codes[places], self.counts, self.squares)

    def where(self, keep: NDArray[np.bool_] | NDArray[np.int64]) -> Rows:
        """Return some of the patterns, by a mask or by positions."""
        squares = None if self.squares is None else self.squares[keep]
        return replace(self, codes=self.codes[:, keep], counts=self.counts[keep], squares=squares)

    def in_order(self) -> Rows:
        """Sort by labels: what is drawn from them then depends on no order of rows, and on no engine.

        >>> Rows.from_columns({"a": ["y", "x", "y"]}).in_order().counts.tolist()
        [1, 2]
        """
        order = np.lexsort(self.codes[::-1])
        return self if (np.diff(order) > 0).all() else self.where(order)

    def complete(self) -> Rows:
        """Return the rows without a missing label."""
        is_complete = np.asarray(self.present.all(axis=0))
        return self if is_complete.all() else self.where(is_complete)

    def with_used_labels(self) -> Rows:
        """Return the patterns on the labels that occur."""
        return self._change_labels(
            {
                name: _find_used(labels, codes[codes >= 0])[0]
                for name, labels, codes in zip(self.names, self.labels, self.codes, strict=True)
            }
        )

    def on(self, labels: Sequence[Label] | Mapping[str, Sequence[Label]]) -> Rows:
        """Return the patterns on stated labels, for all columns or by column; reject a label that is not stated."""
        stated = labels if isinstance(labels, Mapping) else dict.fromkeys(self.names, tuple(labels))
        for name, column_labels in zip(self.names, self.labels, strict=True):
            unknown = next((label for label in column_labels if label not in set(stated[name])), None)
            if unknown is not None:
                raise InputError(f"column {name!r} holds {unknown!r}, which is not among the stated labels")
        return self._change_labels(stated)

    def mapped(self, meaning: Callable[[Label, str], Label | None]) -> Rows:
        """Replace every label by what it means (None: missing); equal labels become one."""
        recodings = []
        for name, old_labels in zip(self.names, self.labels, strict=True):
            meanings = [meaning(label, name) for label in old_labels]
            recodings.append(_recode(sorted_labels({label for label in meanings if label is not None}), meanings))
        stacked = Rows._stack(self.names, recodings, self.codes, self.counts, self.squares)
        labels = dict(zip(stacked.names, stacked.labels, strict=True))
        return Rows.from_codes(labels, stacked.codes, stacked.counts, stacked.squares)

    def _change_labels(self, labels: Mapping[str, Sequence[Label]]) -> Rows:
        """Return the patterns on other labels; a label that is not among them becomes missing."""
        recodings = [_recode(labels[name], old) for name, old in zip(self.names, self.labels, strict=True)]
        return Rows._stack(self.names, recodings, self.codes, self.counts, self.squares)

    # ── totals, tables and entropies ─────────────────────────────────────────────────────────────

    def label_totals(self, column: str | int) -> Real:
        """Return the rows, or summed weight, of each label of a column.

        >>> Rows.from_columns({"a": ["x", "y", None, "y"]}).label_totals("a").tolist()
        [1.0, 2.0]
        """
        place = self.place(column)
        is_present = self.present[place]
        codes = self.codes[place, is_present].astype(np.int64)
        return as_real(np.bincount(codes, self.counts[is_present], self.sizes[place]))

    def count_pairs(self) -> Iterator[tuple[int, int, CellCounts]]:
        """Yield the cells of each pair of columns (a < b) over the rows in which neither is missing."""
        return count_pairs(self.codes, self.sizes, self.counts)

    def table(self, first: str | int, second: str | int) -> Contingency:
        """Count two columns against each other, the first as the truth, over the rows that have both."""
        a, b = self.place(first), self.place(second)
        is_present = self.present[a] & self.present[b]
        squares = None if self.squares is None else float(self.squares[is_present].sum())
        truth, rows = _find_used(self.labels[a], self.codes[a, is_present])
        system, columns = _find_used(self.labels[b], self.codes[b, is_present])
        return Contingency.from_cells(truth, system, rows, columns, self.counts[is_present], weight_squares=squares)

    def entropy(self, columns: Sequence[str | int]) -> float:
        """Return the bits of some columns together, over the rows in which none is missing; 0 for no columns."""
        if not columns:
            return 0.0
        counts = self.select(columns).complete().counts.astype(np.float64)
        counts = counts[counts > 0]
        return float(entropy(counts, counts.sum())) if len(counts) else float("nan")


def _find_used(labels: Sequence[Label], codes: NDArray[np.integer[Any]]) -> tuple[list[Label], NDArray[np.int64]]:
    """Return the labels that some codes point to, and the place of each code's label among them."""
    used, places = np.unique(codes, return_inverse=True)
    return [labels[code] for code in used.tolist()], places


def _to_digits(column: Coded) -> tuple[Digits, Sequence[Label | None]]:
    """Return a column as digits, and the label of each digit; None for the missing one."""
    codes = column.codes
    if column.labels is not None:
        low = -1 if column.missing is not None else 0
        labels = (*((None,) if low else ()), *column.labels)
        return (codes, low, max(len(labels), 1)), labels
    if not len(codes):
        return (codes, 0, 1), [None]
    low, high = int(codes.min()), int(codes.max())
    if high - low < WIDEST_RANGE:
        return (codes, low, high - low + 1), [None if code == column.missing else code for code in range(low, high + 1)]
    numbers, places = np.unique(codes, return_inverse=True)
    return (places, 0, len(numbers)), [None if number == column.missing else number for number in numbers.tolist()]


def _recode(labels: Sequence[Label], old: Sequence[Label | None]) -> tuple[tuple[Label, ...], NDArray[np.int64]]:
    """Return the new labels, and the new code of each old one; −1 where it is missing, and last for the code −1."""
    codes: dict[Label | None, int] = {label: code for code, label in enumerate(labels)}
    return tuple(labels), np.array([*(codes.get(label, -1) for label in old), -1], dtype=np.int64)


# ── on disk ───────────────────────────────────────────────────────────────────────────────────────


SCHEMA = "infoscope/patterns/1"
_FACTS = Fields(
    {"schema": TEXT, "names": Each(TEXT), "weighted": FLAG, "about": Maybe(TEXT)},
    {"checksum": TEXT},
)


def save_patterns(patterns: Rows, path: Path, about: Json = None) -> None:
    """Write patterns in one step; ``about`` is what their columns mean to the caller."""
    columns: dict[str, Any] = {}
    for place, labels in enumerate(patterns.labels):
        texts = np.array([*(label_to_json(label) for label in labels), None], dtype=object)
        columns[f"label_{place}"] = texts[patterns.codes[place].astype(np.int64)]
    kinds = dict.fromkeys(columns, "VARCHAR")
    columns["squares"] = np.zeros(len(patterns)) if patterns.squares is None else patterns.squares
    columns["value"] = patterns.counts
    kinds |= {"squares": "DOUBLE", "value": "DOUBLE" if patterns.is_weighted else "BIGINT"}
    facts: dict[str, Any] = {
        "schema": SCHEMA,
        "names": list(patterns.names),
        "weighted": patterns.is_weighted,
        "about": None if about is None else json.dumps(about),
    }
    facts["checksum"] = compute_checksum(facts, _hash_content(columns))
    with output_file(path, replace=True) as file:
        write_parquet(file, columns, kinds, {"infoscope": json.dumps(facts, ensure_ascii=False)})


def holds_patterns(path: Path) -> bool:
    """Return True if a file holds patterns, and not tables or something else."""
    try:
        with open_tables(path) as file:
            facts = parse_json(file.entries["infoscope"])
    except InputError:
        return False
    return isinstance(facts, dict) and facts.get("schema") == SCHEMA


def load_patterns(path: Path) -> tuple[Rows, Json]:
    """Read patterns and what their columns mean, and check them."""
    with open_tables(path, "is no file written by infoscope") as file, faults_of(path):
        facts = check_record(parse_json(file.entries["infoscope"]), Fields({"schema": TEXT}, open=True), "its metadata")
        if facts["schema"] != SCHEMA:
            raise InputError(f"its form is {facts['schema'][:60]!r} and {SCHEMA!r} is required")
        facts = check_record(parse_json(file.entries["infoscope"]), _FACTS, "its metadata")
        keys = [f"label_{place}" for place in range(len(facts["names"]))]
        columns = file.columns({**dict.fromkeys(keys, TYPES["json"]), "squares": TYPES["float"]})
        texts = {key: columns[key].tolist() for key in keys}
        counts, squares = read_values(columns["value"]), read_values(columns["squares"])
        check_sum(facts, _hash_content({**texts, "squares": squares, "value": counts}))
        labels: dict[str, tuple[Label, ...]] = {}
        codes = []
        for name, column in zip(facts["names"], texts.values(), strict=True):
            label_by_text = {text: label_from_json(text) for text in set(column) if text is not None}
            labels[name] = sorted_labels(label_by_text.values())
            places = {label: place for place, label in enumerate(labels[name])}
            codes.append([-1 if text is None else places[label_by_text[text]] for text in column])
        coded = np.array(codes, dtype=np.int64).reshape(len(keys), len(counts))
        patterns = Rows.from_codes(labels, coded, counts, squares if facts["weighted"] else None)
        return patterns, None if facts["about"] is None else parse_json(facts["about"])


def _hash_content(columns: dict[str, Any]) -> str:
    """Hash the columns as they lie in the file."""
    content = hashlib.sha256()
    for name, values in columns.items():
        listed = [float(value) for value in values] if name in ("squares", "value") else list(values)
        content.update(json.dumps([name, listed]).encode())
    return content.hexdigest()


# ── distinct rows of coded columns ────────────────────────────────────────────────────────────────


BLOCK = 1 << 16
"""Rows that are packed at a time, so that their keys stay in the cache."""
LARGEST_KEY = 1 << 62
HASH_FACTOR = np.uint64(0x9E3779B97F4A7C15)
LARGEST_TABLE = 1 << 25
"""Keys up to which a table is counted instead of sorting, where there are rows enough to fill an eighth of it."""


Digits = tuple[NDArray[np.integer[Any]], int, int]
"""One column of whole numbers: its codes, the least one, and how many there may be from there on."""


def _find_dtype(size: int) -> type[np.signedinteger[Any]]:
    """Return the smallest signed type that holds −1 … size."""
    return next((dtype for dtype in (np.int8, np.int16, np.int32) if size <= np.iinfo(dtype).max), np.int64)


def merge_rows(
    columns: Sequence[Digits], weights: NDArray[Any] | None = None, squares: NDArray[np.float64] | None = None
) -> tuple[NDArray[np.integer[Any]], NDArray[Any], NDArray[np.float64] | None]:
    """Add up equal rows: return each once as its digits (columns × rows), with its count or weight, and its squares."""
    groups: list[list[Digits]] = [[]]  # columns side by side in as few whole numbers as hold them
    group_span = 1
    for column in columns:
        if group_span * column[2] >= LARGEST_KEY:
            groups.append([])
            group_span = 1
        groups[-1].append(column)
        group_span *= column[2]
    keys = [_pack(group) for group in groups]
    span = prod(size for _, _, size in columns)
    dtype = _find_dtype(max(size for _, _, size in columns))
    if len(groups) == 1 and span <= min(LARGEST_TABLE, max(1 << 16, 8 * len(keys[0]))):
        # a table of all rows that there could be
        block = max(BLOCK, 2 * span)
        rows = np.zeros(span, np.int64)
        for start in range(0, len(keys[0]), block):
            rows += np.bincount(keys[0][start : start + block], minlength=span)
        used_keys = np.flatnonzero(rows)
        counts: NDArray[Any] = rows[used_keys]
        if weights is not None:
            counts = np.bincount(keys[0], weights, span)[used_keys].astype(weights.dtype)
        squares = None if squares is None else as_real(np.bincount(keys[0], squares, span)[used_keys])
        digits = np.empty((len(columns), len(used_keys)), dtype)
        for place in reversed(range(len(columns))):
            used_keys, digits[place] = np.divmod(used_keys, columns[place][2])
        return digits, counts, squares
    order, starts = _find_runs(keys)
    first_rows = order[starts]
    counts = np.diff(np.append(starts, len(order)))
    if weights is not None:
        counts = np.add.reduceat(weights[order], starts) if len(order) else weights
    if squares is not None and len(order):
        squares = np.add.reduceat(squares[order], starts)
    data_order = np.argsort(first_rows)  # rows in the order of the data are read faster
    first_rows = first_rows[data_order]
    digits = np.empty((len(columns), len(first_rows)), dtype)
    for place, (codes, low, _) in enumerate(columns):
        np.subtract(codes[first_rows], low, out=digits[place], casting="unsafe")
    return digits, counts[data_order], None if squares is None else squares[data_order]


def _pack(columns: Sequence[Digits]) -> NDArray[np.signedinteger[Any]]:
    """Pack the digits of each row into one number."""
    dtype = _find_dtype(prod(size for _, _, size in columns))
    rows = len(columns[0][0])
    keys = np.empty(rows, dtype)
    for start in range(0, rows, BLOCK):
        key = keys[start : start + BLOCK]
        key[:] = 0
        for codes, low, size in columns:
            digits = codes[start : start + BLOCK]
            if low:
                digits = np.subtract(digits, low, dtype=np.promote_types(digits.dtype, dtype), casting="unsafe")
            key *= dtype(size)
            np.add(key, digits, out=key, casting="unsafe")
    return keys


def _find_runs(keys: Sequence[NDArray[Any]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return an order of the rows in which equal ones follow one another, and where each run begins."""
    if len(keys) == 1:
        order = np.argsort(keys[0], kind="stable")
        return order, _find_starts([keys[0][order]])
    hashes = np.zeros(len(keys[0]), np.uint64)
    for place, group_keys in enumerate(keys):
        hashes = hashes * HASH_FACTOR + group_keys.astype(np.uint64)
        hashes ^= hashes >> np.uint64(29 + place % 3)
    order = np.argsort(hashes, kind="stable")
    starts = _find_starts([hashes[order]])
    if len(starts) < len(_find_starts([group_keys[order] for group_keys in keys])):  # two different rows with one hash
        order = np.lexsort(keys[::-1])
        starts = _find_starts([group_keys[order] for group_keys in keys])
    return order, starts


def _find_starts(keys: Sequence[NDArray[Any]]) -> NDArray[np.int64]:
    """Return where runs of equal rows begin."""
    is_new = np.ones(len(keys[0]), bool)
    if len(is_new):
        is_new[1:] = False
    for group_keys in keys:
        is_new[1:] |= group_keys[1:] != group_keys[:-1]
    return np.flatnonzero(is_new)
