"""Rows: named columns of coded labels with counts, the one form in which data leaves a source.

Engines hand out `Rows` of native values, one for each margin of a query; ``readers/labels.py`` says which labels these
mean, and every study takes them. A row here stands for ``counts`` rows of the source. Equal rows may appear more than
once until ``merge`` adds them up, so that one class holds the cells that several machines counted, distinct rows with
their counts, and rows in the order of the source. In reading order: the class, how it is stored, and the kernel that
adds equal rows.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoscope.core.files import output_file
from infoscope.core.numerics import Real, as_real, entropy, freeze_arrays
from infoscope.core.records import FLAG, TEXT, Each, Fields, Maybe, check_record, parse_json
from infoscope.errors import InputError, UnknownNameError, list_names, suggest_name
from infoscope.tables.contingency import Contingency
from infoscope.tables.counting import MISSING_WEIGHT, check_weight_scale, read_sample_weights, warn_of_rows
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
from infoscope.tables.labels import Label, is_missing, sorted_labels
from infoscope.tables.pair_counts import CellCounts, count_pairs
from infoscope.typing import ArrayLike, Json

Group = tuple[Label, ...]
Codes = NDArray[np.integer[Any]]
Ints = NDArray[np.int64]

WIDEST_RANGE = 1 << 20
"""Whole numbers that span more than this are looked up instead of taken as codes."""


@dataclass(frozen=True, eq=False)
class Rows:
    """Named columns of coded labels with counts.

    Attributes
    ----------
    names : tuple of str
        The columns.
    labels : tuple of tuples
        Dictionary of each column. It may hold labels that no row has, so that parts of one source keep their codes.
    codes : ndarray of int, columns × rows
        Positions among the column's labels; −1 where the label is missing.
    counts : ndarray
        Rows of the source (whole numbers), or their summed weight: NaN where they lack one; −∞ where one is negative,
        which ``check_weights`` of the readers rejects. Rows with and without a weight are never added.
    squares : ndarray of float, optional
        Summed squared weights; None where rows are counted.
    source_rows : ndarray of int, optional
        Rows of the source where counts are weights; None where the counts are rows, or these are not known.
    ignored : mapping of str to int
        Rows of the source that were left out on the way here, by reason.

    Examples
    --------
    >>> Rows.from_columns({"a": ["x", "x", "y"], "b": ["x", "x", None]})
    Rows of 3 rows: 2 distinct ones of 2 columns
    """

    names: tuple[str, ...]
    labels: tuple[tuple[Any, ...], ...]
    codes: Codes
    counts: NDArray[Any]
    squares: Real | None = None
    source_rows: Ints | None = None
    ignored: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Freeze the arrays."""
        freeze_arrays(
            tuple(array for array in (self.codes, self.counts, self.squares, self.source_rows) if array is not None)
        )

    # ── ways in ──────────────────────────────────────────────────────────────────────────────

    @classmethod
    def from_columns(cls, columns: Mapping[str, Any], sample_weight: ArrayLike | None = None) -> Rows:
        """Count sequences of labels that pair by position: lists, arrays, Series; None, NaN and NaT are missing.

        Rows are distinct, and the labels of each column sorted.
        """
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
        ignored = {}
        if weights is not None:
            is_weighted = ~np.isnan(weights)
            if not is_weighted.all():
                ignored = {MISSING_WEIGHT: int(rows - is_weighted.sum())}
                warn_of_rows(ignored)
                weights = weights[is_weighted]
                coded = {name: replace(column, codes=column.codes[is_weighted]) for name, column in coded.items()}
            check_weight_scale(weights)
        columns_of_digits = [_to_digits(column) for column in coded.values()]
        digits, times, (counts, squares) = merge_rows(
            [column for column, _ in columns_of_digits], weights, None if weights is None else weights**2
        )
        recodings = []
        for column_digits, (_, digit_labels) in zip(digits, columns_of_digits, strict=True):
            used_digits = np.flatnonzero(np.bincount(column_digits, minlength=len(digit_labels))).tolist()
            used_labels = {label for digit in used_digits if (label := digit_labels[digit]) is not None}
            old_labels = [label if label in used_labels else None for label in digit_labels]
            recodings.append(_recode(sorted_labels(used_labels), old_labels))
        dtype = _find_dtype(max(len(labels) for labels, _ in recodings))
        codes = np.empty(digits.shape, dtype)
        for column_codes, column_digits, (_, new_codes) in zip(codes, digits, recodings, strict=True):
            np.take(new_codes.astype(dtype), column_digits, out=column_codes)
        dictionaries = tuple(labels for labels, _ in recodings)
        if counts is None:
            return cls(tuple(coded), dictionaries, codes, times)
        return cls(tuple(coded), dictionaries, codes, counts, squares, source_rows=times, ignored=ignored)

    @classmethod
    def from_codes(
        cls,
        labels: Mapping[str, Sequence[Label]],
        codes: Codes,
        counts: NDArray[Any] | None = None,
        squares: Real | None = None,
    ) -> Rows:
        """Count rows that are coded already: columns × rows, positions among the column's labels, −1 for missing."""
        columns = [
            (column_codes, -1, len(column_labels) + 1)
            for column_codes, column_labels in zip(codes, labels.values(), strict=True)
        ]
        digits, times, (counts, squares) = merge_rows(columns, counts, squares)
        dtype = _find_dtype(max(map(len, labels.values())))
        dictionaries = tuple(tuple(column_labels) for column_labels in labels.values())
        codes = digits.astype(dtype) - dtype(1)
        return cls(tuple(labels), dictionaries, codes, times if counts is None else counts, squares)

    @classmethod
    def from_cells(
        cls, names: Sequence[str], values: Sequence[Iterable[Any]], rows: ArrayLike, **weights: ArrayLike
    ) -> Rows:
        """Take the cells that an engine counted: native values of each column, and how many rows of the source.

        ``weights`` are the keywords of ``from_coded_cells``.

        >>> Rows.from_cells(("gold", "svm"), [["a", None], ["b", "b"]], [2, 1]).codes.tolist()
        [[0, -1], [0, 0]]
        """
        coded = [encode_values(column, name) for name, column in zip(names, values, strict=True)]
        return cls.from_coded_cells(
            names, [labels for labels, _ in coded], [codes for _, codes in coded], rows, **weights
        )

    @classmethod
    def from_coded_cells(
        cls,
        names: Sequence[str],
        labels: Sequence[Sequence[Any]],
        codes: Sequence[Codes],
        rows: ArrayLike,
        *,
        weights: ArrayLike | None = None,
        squares: ArrayLike | None = None,
        least: ArrayLike | None = None,
        lacks: ArrayLike | None = None,
    ) -> Rows:
        """Take the cells that an engine counted, each column as its distinct values (None: missing) and codes.

        Parameters
        ----------
        names : sequence of str
            The columns.
        labels : sequence of sequences
            Distinct values of each column.
        codes : sequence of arrays
            Places among these, for each column and cell.
        rows : sequence of int
            Rows of the source in each cell.
        weights, squares, least : sequence of float, optional
            Sums of the weights and of their squares, and the least weight, which shows a negative one.
        lacks : sequence of bool, optional
            True for cells whose rows lack a weight; they are apart from cells with the same values whose rows have one.
        """
        stacked = np.array(codes, dtype=np.int64).reshape(len(names), -1)
        dictionaries = []
        for column, column_labels in zip(stacked, labels, strict=True):
            present = tuple(label for label in column_labels if label is not None)
            if len(present) < len(column_labels):
                is_present = np.array([label is not None for label in column_labels] + [False])
                column[:] = np.where(is_present, np.cumsum(is_present) - 1, -1)[column]
            dictionaries.append(present)
        counted = np.array(rows, dtype=np.int64)
        if weights is None:
            return cls(tuple(names), tuple(dictionaries), stacked, counted)
        sums, is_lacking = np.asarray(weights, np.float64), np.asarray(lacks, bool)
        sums = np.where(np.isnan(sums), np.inf, sums)  # infinities of both signs
        sums = np.where(np.asarray(least, np.float64) < 0, -np.inf, sums)
        return cls(
            tuple(names),
            tuple(dictionaries),
            stacked,
            np.where(is_lacking, np.nan, sums),
            np.where(is_lacking, 0.0, np.asarray(squares, np.float64)),
            counted,
        )

    @classmethod
    def concatenate(cls, parts: Sequence[Rows]) -> Rows:
        """Put the rows of all parts behind one another; columns pair by name, and their labels grow together.

        Labels of different types stay apart even where Python calls them equal (1 and True).
        """
        first, *others = parts
        parts = [first, *(part.select(first.names, merge=False) for part in others)]
        labels, codes = [], []
        for place, known in enumerate(first.labels):
            positions = {(type(label), label): position for position, label in enumerate(known)}
            columns = [first.codes[place]]
            for part in parts[1:]:
                new_codes = [positions.setdefault((type(label), label), len(positions)) for label in part.labels[place]]
                columns.append(np.array([*new_codes, -1], dtype=np.int64)[part.codes[place]])
            labels.append(tuple(label for _, label in positions))
            codes.append(np.concatenate(columns))
        counts = np.concatenate([part.counts for part in parts])
        squares = [part.squares for part in parts if part.squares is not None]
        rows = [part.source_rows for part in parts if part.source_rows is not None]
        return cls(
            first.names,
            tuple(labels),
            np.array(codes).reshape(len(labels), len(counts)),
            counts,
            np.concatenate(squares) if len(squares) == len(parts) else None,
            np.concatenate(rows) if len(rows) == len(parts) else None,
        )

    @classmethod
    def load(cls, path: Path) -> tuple[Rows, Json]:
        """Read rows and what their columns mean, and check them."""
        with open_tables(path, "is no file written by infoscope") as file, faults_of(path):
            record = parse_json(file.entries["infoscope"])
            facts = check_record(record, Fields({"schema": TEXT}, open=True), "its metadata")
            if facts["schema"] != SCHEMA:
                raise InputError(f"its form is {facts['schema'][:60]!r} and {SCHEMA!r} is required")
            facts = check_record(record, _FACTS, "its metadata")
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
            rows = cls.from_codes(labels, coded, counts, squares if facts["weighted"] else None)
            return rows, None if facts["about"] is None else parse_json(facts["about"])

    def save(self, path: Path, about: Json = None) -> None:
        """Write the rows in one step; ``about`` is what their columns mean to the caller."""
        columns: dict[str, Any] = {}
        for place, labels in enumerate(self.labels):
            texts = np.array([*(label_to_json(label) for label in labels), None], dtype=object)
            columns[f"label_{place}"] = texts[self.codes[place].astype(np.int64)]
        kinds = dict.fromkeys(columns, "VARCHAR")
        columns["squares"] = np.zeros(len(self)) if self.squares is None else self.squares
        columns["value"] = self.counts
        kinds |= {"squares": "DOUBLE", "value": "DOUBLE" if self.is_weighted else "BIGINT"}
        facts: dict[str, Any] = {
            "schema": SCHEMA,
            "names": list(self.names),
            "weighted": self.is_weighted,
            "about": None if about is None else json.dumps(about),
        }
        facts["checksum"] = compute_checksum(facts, _hash_content(columns))
        with output_file(path, replace=True) as file:
            write_parquet(file, columns, kinds, {"infoscope": json.dumps(facts, ensure_ascii=False)})

    # ── facts ────────────────────────────────────────────────────────────────────────────────

    @property
    def dictionaries(self) -> dict[str, tuple[Any, ...]]:
        """Labels of each column by its name."""
        return dict(zip(self.names, self.labels, strict=True))

    @property
    def sizes(self) -> tuple[int, ...]:
        """Number of labels of each column."""
        return tuple(map(len, self.labels))

    @cached_property
    def total(self) -> float:
        """Rows, or summed weight."""
        return float(self.counts.sum())

    @property
    def row_counts(self) -> NDArray[Any]:
        """Rows of the source of each row, whatever they weigh; their weights where the rows are not known."""
        return self.counts if self.source_rows is None else self.source_rows

    @property
    def row_count(self) -> int:
        """Rows of the source in all."""
        return int(self.row_counts.sum())

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
        """Columns × rows: True where there is a label."""
        return freeze_arrays(self.codes >= 0)

    def __len__(self) -> int:
        """Count the rows here, which are distinct after ``merge``."""
        return int(self.codes.shape[1])

    def __repr__(self) -> str:
        """Write the rows in a line."""
        unit = "weight" if self.is_weighted else "rows"
        return f"Rows of {self.total:,g} {unit}: {len(self):,} distinct ones of {len(self.names)} columns"

    def place(self, column: str | int) -> int:
        """Return the position of a column, by its name."""
        if isinstance(column, int):
            return column
        if column not in self.names:
            raise UnknownNameError(f"no column {column!r}; {suggest_name(column, self.names)}")
        return self.names.index(column)

    # ── new rows from old ────────────────────────────────────────────────────────────────────────

    def __add__(self, other: Rows) -> Rows:
        """Add the rows of both; labels grow together, columns pair by name."""
        if not isinstance(other, Rows):
            return NotImplemented
        if set(self.names) != set(other.names):
            raise InputError(
                f"rows of {list_names(self.names)} and of {list_names(other.names)} do not add up; "
                "they need the same columns"
            )
        if self.is_weighted != other.is_weighted:
            raise InputError("rows with and without weights do not add up; weigh both, or neither")
        theirs = other.dictionaries
        same = {name: labels for name, labels in self.dictionaries.items() if labels == theirs[name]}
        return Rows.concatenate([self, other]).sort_labels(same).merge()

    def __radd__(self, other: object) -> Rows:
        """Let ``sum(rows)`` work."""
        return self if other == 0 else NotImplemented

    def select(self, columns: Sequence[str | int], *, merge: bool = True) -> Rows:
        """Return some columns alone, in this order; rows that become equal are added unless ``merge`` is False."""
        places = [self.place(column) for column in columns]
        if places == list(range(len(self.names))):
            return self
        selected = replace(
            self,
            names=tuple(self.names[place] for place in places),
            labels=tuple(self.labels[place] for place in places),
            codes=self.codes[places],
        )
        return selected.merge() if merge else selected

    def where(self, keep: NDArray[np.bool_] | Ints) -> Rows:
        """Return some of the rows, by a mask or by positions; the columns keep all labels."""
        return replace(
            self,
            codes=self.codes[:, keep],
            counts=self.counts[keep],
            squares=None if self.squares is None else self.squares[keep],
            source_rows=None if self.source_rows is None else self.source_rows[keep],
        )

    def merge(self) -> Rows:
        """Add up equal rows; those without a weight stay apart from those with one."""
        columns = [(codes, -1, len(labels) + 1) for codes, labels in zip(self.codes, self.labels, strict=True)]
        counts, lacks = self.counts, np.isnan(self.counts) if self.is_weighted else np.zeros(0, bool)
        if lacks.any():
            columns.append((lacks.view(np.int8), 0, 2))
            counts = np.where(lacks, 0.0, counts)
        with np.errstate(invalid="ignore", over="ignore"):
            digits, _, (counts, squares, rows) = merge_rows(columns, counts, self.squares, self.source_rows)
        if self.is_weighted and np.isnan(counts).any():
            counts = np.where(np.isnan(counts), -np.inf, counts)  # one was negative, another infinite
        if lacks.any():
            counts, digits = np.where(digits[-1] == 1, np.nan, counts), digits[:-1]
        dtype = _find_dtype(max(self.sizes))
        return replace(self, codes=digits.astype(dtype) - dtype(1), counts=counts, squares=squares, source_rows=rows)

    def in_order(self) -> Rows:
        """Sort by labels: what is drawn from them then depends on no order of rows, and on no engine.

        >>> Rows.from_columns({"a": ["y", "x", "y"]}).in_order().counts.tolist()
        [1, 2]
        """
        order = np.lexsort(self.codes[::-1])
        return self if (np.diff(order) > 0).all() else self.where(order)

    def group_by(self, columns: Sequence[str]) -> dict[Group, Rows]:
        """Split the rows by the labels of some columns, groups in order; rows that lack one of these are in none.

        The parts have the other columns, with all their labels, and no account of rows that were left out.

        >>> list(Rows.from_columns({"site": ["x", "y", "x"], "gold": ["a", "a", "b"]}).group_by(["site"]))
        [('x',), ('y',)]
        """
        inside = replace(self, ignored={}).select([name for name in self.names if name not in columns], merge=False)
        if not columns:
            return {(): inside}
        # labels that Python calls equal (1 and True) are one group
        labels, keys_by_column = [], []
        for place in map(self.place, columns):
            column_labels, new_codes = _recode(tuple(dict.fromkeys(self.labels[place])), self.labels[place])
            labels.append(column_labels)
            keys_by_column.append(new_codes[self.codes[place]])
        all_keys = np.array(keys_by_column)
        positions = np.flatnonzero((all_keys >= 0).all(axis=0))
        keys = all_keys[:, positions]
        order = np.lexsort(keys[::-1])
        keys, positions = keys[:, order], positions[order]  # sorted once, and cut where the group changes
        starts = np.flatnonzero(np.any(keys[:, 1:] != keys[:, :-1], axis=0)) + 1
        groups = [
            (
                tuple(column_labels[code] for column_labels, code in zip(labels, keys[:, own[0]], strict=True)),
                positions[own],
            )
            for own in (np.split(np.arange(len(positions)), starts) if len(positions) else ())
        ]

        def rank(label: Label) -> tuple[bool, Label | str]:  # numbers first and by value, others by their text
            is_number = isinstance(label, (int, float))
            return (not is_number, label if is_number else str(label))

        groups.sort(key=lambda pair: [rank(label) for label in pair[0]])
        return {group: inside.where(own) for group, own in groups}

    def complete(self) -> Rows:
        """Return the rows without a missing label."""
        is_complete = np.asarray(self.present.all(axis=0))
        return self if is_complete.all() else self.where(is_complete)

    def drop_missing(
        self, columns: Sequence[str], reason: str = "missing label in {!r}", *, no_weight: str | None = None
    ) -> Rows:
        """Leave out rows that lack a label of these columns, with an account by the first column that lacks it.

        Where ``no_weight`` gives the reason, rows that lack a weight are left out, too.
        """
        missing = [(self.codes[self.place(column)] < 0, reason.format(column)) for column in columns]
        if no_weight is not None and self.is_weighted:
            missing.append((np.isnan(self.counts), no_weight))
        is_kept, ignored = np.ones(len(self), dtype=bool), dict(self.ignored)
        for lacks, why in missing:
            if rows := int(self.row_counts[is_kept & lacks].sum()):
                ignored[why] = rows
            is_kept &= ~lacks
        return self if is_kept.all() else replace(self.where(is_kept), ignored=ignored)

    # ── new labels ───────────────────────────────────────────────────────────────────────────────

    def relabel(self, labels: Mapping[str, Sequence[Any]]) -> Rows:
        """Replace the labels of some columns, one by one; None is missing, and equal ones of a type become one.

        >>> Rows.from_columns({"a": ["x", "-"]}).relabel({"a": [None, "y"]}).codes.tolist()
        [[0, -1]]
        """
        new_labels, codes = list(self.labels), list(self.codes)
        for name, column in labels.items():
            place = self.place(name)
            if column is self.labels[place]:
                continue
            positions: dict[tuple[type, Any], int] = {}
            moves = [
                -1 if label is None else positions.setdefault((type(label), label), len(positions)) for label in column
            ]
            new_labels[place] = tuple(label for _, label in positions)
            if moves != list(range(len(moves))):
                codes[place] = np.array([*moves, -1], dtype=self.codes.dtype)[self.codes[place]]
        return replace(self, labels=tuple(new_labels), codes=np.array(codes).reshape(self.codes.shape))

    def sort_labels(self, known: Mapping[str, Sequence[Any]] | None = None) -> Rows:
        """Sort the labels of each column, but for columns whose order is ``known``."""
        dictionaries = {name: sorted_labels(set(labels)) for name, labels in self.dictionaries.items()}
        return self._change_labels({**dictionaries, **(known or {})})

    def with_used_labels(self) -> Rows:
        """Return the rows on the labels that occur."""
        return self._change_labels(
            {
                name: _find_used(labels, codes[codes >= 0])[0]
                for name, labels, codes in zip(self.names, self.labels, self.codes, strict=True)
            }
        )

    def on(self, labels: Sequence[Label] | Mapping[str, Sequence[Label]]) -> Rows:
        """Return the rows on stated labels, for all columns or by column; reject a label that is not stated."""
        stated = labels if isinstance(labels, Mapping) else dict.fromkeys(self.names, tuple(labels))
        for name, column_labels in zip(self.names, self.labels, strict=True):
            unknown = next((label for label in column_labels if label not in set(stated[name])), None)
            if unknown is not None:
                raise InputError(f"column {name!r} holds {unknown!r}, which is not among the stated labels")
        return self._change_labels(stated)

    def _change_labels(self, labels: Mapping[str, Sequence[Label]]) -> Rows:
        """Return the rows on other labels; a label that is not among them becomes missing."""
        recodings = [_recode(labels[name], old) for name, old in self.dictionaries.items()]
        dtype = _find_dtype(max(len(labels) for labels, _ in recodings))
        codes = np.empty(self.codes.shape, dtype)
        for column, old_codes, (_, new_codes) in zip(codes, self.codes, recodings, strict=True):
            np.take(new_codes.astype(dtype), old_codes, out=column, mode="wrap")
        return replace(self, labels=tuple(labels for labels, _ in recodings), codes=codes)

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

    def table(
        self, first: str | int, second: str | int, *, reject: Label | None = None, positive: Label | None = None
    ) -> Contingency:
        """Count two columns against each other, the first as the truth, over the rows that have both."""
        a, b = self.place(first), self.place(second)
        is_present = (self.codes[a] >= 0) & (self.codes[b] >= 0)
        rows = self if is_present.all() else self.where(is_present)
        truth, truth_codes = _find_used(self.labels[a], rows.codes[a])
        system, system_codes = _find_used(self.labels[b], rows.codes[b])
        with np.errstate(over="ignore"):
            squares = None if rows.squares is None else float(rows.squares.sum())
        return Contingency.from_cells(
            truth,
            system,
            truth_codes,
            system_codes,
            rows.counts,
            reject=reject,
            positive=positive,
            ignored=self.ignored,
            weight_squares=squares,
        )

    def entropy(self, columns: Sequence[str | int]) -> float:
        """Return the bits of some columns together, over the rows in which none is missing; 0 for no columns."""
        if not columns:
            return 0.0
        counts = self.select(columns).complete().counts.astype(np.float64)
        counts = counts[counts > 0]
        return float(entropy(counts, counts.sum())) if len(counts) else float("nan")


def encode_values(values: Iterable[Any], column: str = "") -> tuple[list[Any], Ints]:
    """Return distinct values in order of appearance, and for each value its place among them; −1 for a missing one.

    Values of different types stay apart even where Python calls them equal (1 and True).

    >>> encode_values(["b", "a", None, "b"])
    (['b', 'a'], array([ 0,  1, -1,  0]))
    """
    values = values if isinstance(values, Sequence) else list(values)
    if set(map(type, values)) <= {str, type(None)}:
        distinct = dict.fromkeys(values)
        distinct.pop(None, None)
        texts: dict[Any, int] = {value: place for place, value in enumerate(distinct)}
        codes = np.fromiter(map({**texts, None: -1}.__getitem__, values), dtype=np.int64, count=len(values))
        return list(texts), codes
    places: dict[tuple[type, Any], int] = {}
    try:
        codes = np.fromiter(
            (-1 if is_missing(value) else places.setdefault((type(value), value), len(places)) for value in values),
            dtype=np.int64,
        )
    except TypeError as error:
        raise InputError(
            f"column {column!r} holds lists or records; labels are text, numbers, booleans or dates"
        ) from error
    return [value for _, value in places], codes


def _find_used(labels: Sequence[Label], codes: Codes) -> tuple[list[Label], Ints]:
    """Return the labels that some codes point to, and the place of each code's label among them."""
    if len(codes) < len(labels) // 4:
        used, places = np.unique(codes, return_inverse=True)
    else:  # unsorted where codes are many
        occurs = np.zeros(len(labels), dtype=bool)
        occurs[codes] = True
        used, places = np.flatnonzero(occurs), (np.cumsum(occurs) - 1)[codes]
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


def _recode(labels: Sequence[Label], old: Sequence[Label | None]) -> tuple[tuple[Label, ...], Ints]:
    """Return the new labels, and the new code of each old one; −1 where it is missing, and last for the code −1."""
    codes: dict[Label | None, int] = {label: code for code, label in enumerate(labels)}
    return tuple(labels), np.array([*(codes.get(label, -1) for label in old), -1], dtype=np.int64)


# ── on disk ───────────────────────────────────────────────────────────────────────────────────────


SCHEMA = "infoscope/patterns/1"
_FACTS = Fields(
    {"schema": TEXT, "names": Each(TEXT), "weighted": FLAG, "about": Maybe(TEXT)},
    {"checksum": TEXT},
)


def holds_rows(path: Path) -> bool:
    """Return True if a file holds rows, and not tables or something else."""
    try:
        with open_tables(path) as file:
            facts = parse_json(file.entries["infoscope"])
    except InputError:
        return False
    return isinstance(facts, dict) and facts.get("schema") == SCHEMA


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
    columns: Sequence[Digits], *values: NDArray[Any] | None
) -> tuple[NDArray[np.integer[Any]], NDArray[np.int64], list[Any]]:
    """Add up equal rows: return each once as its digits (columns × rows), how often it occurs, and its sum of values.

    Of values that are None, so are the sums.
    """
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
        times = np.zeros(span, np.int64)
        for start in range(0, len(keys[0]), block):
            times += np.bincount(keys[0][start : start + block], minlength=span)
        used_keys = np.flatnonzero(times)
        sums = [
            None if part is None else np.bincount(keys[0], part, span)[used_keys].astype(part.dtype) for part in values
        ]
        times = times[used_keys]
        digits = np.empty((len(columns), len(used_keys)), dtype)
        for place in reversed(range(len(columns))):
            used_keys, digits[place] = np.divmod(used_keys, columns[place][2])
        return digits, times, sums
    order, starts = _find_runs(keys)
    data_order = np.argsort(order[starts])  # rows in the order of the data are read faster
    first_rows = order[starts][data_order]
    times = np.diff(np.append(starts, len(order)))[data_order]
    sums = [
        None if part is None else np.add.reduceat(part[order], starts)[data_order] if len(order) else part
        for part in values
    ]
    digits = np.empty((len(columns), len(first_rows)), dtype)
    for place, (codes, low, _) in enumerate(columns):
        np.subtract(codes[first_rows], low, out=digits[place], casting="unsafe")
    return digits, times, sums


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
