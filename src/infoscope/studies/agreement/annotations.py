"""Annotations: what each annotator said about each item, one category or several, with gaps.

Items on which all annotators said the same as on others are kept once, with their count.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse

from infoscope.core.numerics import Real
from infoscope.errors import InputError
from infoscope.readers import ReadOptions
from infoscope.readers.frames import frame_names, is_column_mapping, is_frame
from infoscope.readers.labels import Cleaning
from infoscope.readers.query import pick_columns
from infoscope.readers.reader import read_patterns
from infoscope.studies.multilabel.sources import LabelSetFormat, check_sides, label_sets
from infoscope.tables import Contingency
from infoscope.tables.encoding import one_column
from infoscope.tables.label_sets import Categorization, LabelSets
from infoscope.tables.labels import Label, is_missing, sorted_labels
from infoscope.tables.rows import Patterns
from infoscope.typing import Frame, LabelsByName, Source

__all__ = ["Annotations", "gather", "with_others"]

_COLLECTIONS = (set, frozenset, list, tuple)
_BLOCK_CELLS = 1 << 23
"""Rows times draws that are resampled at a time."""


@dataclass(frozen=True, eq=False)
class Annotations:
    """Annotators over the same items: one matrix of rows × categories each, and where they gave a label at all."""

    names: tuple[str, ...]
    categories: tuple[Label, ...]
    given: tuple[csr_array, ...]
    labelled: NDArray[np.bool_]
    """Annotators × rows; a row without a label set is a gap, one with the empty set has a label set."""
    counts: NDArray[np.int64]
    """Items that each row stands for."""
    patterns: Patterns | None
    """The same as patterns, where every label set is exactly one category."""

    @property
    def single(self) -> bool:
        """Whether every label set is exactly one category."""
        return self.patterns is not None

    @property
    def items(self) -> int:
        """All items."""
        return int(self.counts.sum())

    @property
    def lonely(self) -> int:
        """Items that fewer than two annotators labelled."""
        return int(self.counts[self.labelled.sum(axis=0) < 2].sum())

    @cached_property
    def total(self) -> csr_array:
        """How many annotators gave each category, rows × categories."""
        first, *others = self.given
        return csr_array(sum((each.astype(np.float64) for each in others), first.astype(np.float64)))

    def pair(self, a: int, b: int) -> Categorization:
        """Label sets of two annotators on the items that both labelled, the first as the truth."""
        both = np.flatnonzero(self.labelled[a] & self.labelled[b])
        return Categorization(self.categories, self.given[a][both], self.given[b][both])

    def resampled(self, draws: int, rng: np.random.Generator) -> Iterator[Real]:
        """Item sets drawn with replacement: how often each row occurs in them, a block of draws at a time."""
        rows, items = len(self.counts), self.items
        step = max(1, _BLOCK_CELLS // rows)
        owner = np.repeat(np.arange(rows, dtype=np.int32), self.counts) if items <= 8 * rows else None
        for start in range(0, draws, step):
            size = min(step, draws - start)
            if owner is None:
                yield rng.multinomial(items, self.counts / items, size).astype(np.float64)
            else:
                drawn = np.empty((size, rows))
                for times in drawn:
                    times[:] = np.bincount(owner[rng.integers(items, size=items, dtype=np.int32)], minlength=rows)
                yield drawn


def _indicators(patterns: Patterns) -> tuple[csr_array, ...]:
    """Rows × categories for each column of patterns."""
    found = []
    for codes in patterns.codes:
        rows = np.flatnonzero(codes >= 0)
        shape = (len(codes), len(patterns.labels[0]))
        found.append(csr_array((np.ones(len(rows), dtype=np.int32), (rows, codes[rows].astype(np.int64))), shape=shape))
    return tuple(found)


def with_others(labels: Source, others: LabelsByName) -> dict[str, Any]:
    """Labels of one annotator and of others, by name."""
    named = {str(name): values for name, values in others.items()} if isinstance(others, Mapping) else {}
    if "annotator 1" in named:
        raise InputError(
            "'annotator 1' is the name of the first sequence of labels; give all annotators in one mapping"
        )
    return {"annotator 1": labels, **(named if isinstance(others, Mapping) else {"annotator 2": others})}


def gather(
    source: Source,
    systems: Sequence[str] | None,
    clean: str | Iterable[str],
    read: ReadOptions | None = None,
) -> Annotations:
    """Annotations from columns of a table (all of a frame, unless named), sequences by name, or label-list files."""
    if systems is None and is_frame(source):
        systems = _columns_of(source)
    if systems is not None:
        _check_names(systems)
        return _from_columns(source, systems, clean, read)
    if isinstance(source, Contingency):
        return _from_table(source)
    if isinstance(source, str | os.PathLike):
        raise InputError("a table needs the names of the annotators' columns; name at least two")
    if not isinstance(source, Iterable):
        raise InputError(
            f"labels cannot be read from a {type(source).__name__}; give a mapping of annotators to their labels"
        )
    named: dict[str, Any] = (
        {str(name): value for name, value in source.items()}
        if isinstance(source, Mapping)
        else {f"annotator {at}": value for at, value in enumerate(source, start=1)}
    )
    if len(named) < 2:
        raise InputError(f"agreement needs two annotators or more; {len(named)} is given")
    named = {name: _squeezed(value, name) for name, value in named.items()}
    kinds = {name: _is_sets(value) for name, value in named.items()}
    if len(set(kinds.values())) > 1:
        sets, single = (next(name for name, kind in kinds.items() if kind is wanted) for wanted in (True, False))
        raise InputError(f"{sets} gives sets of categories and {single} one category per item; give all the same form")
    if next(iter(kinds.values())):
        form, (first, *others) = LabelSetFormat(clean=clean), named
        check_sides(named[first], {name: named[name] for name in others}, form, first)
        return _from_sets({name: label_sets(value, form) for name, value in named.items()})
    return _from_sequences(named, clean)


def _check_names(columns: Sequence[str]) -> None:
    if len(columns) < 2:
        raise InputError("agreement needs two annotators or more; name at least two columns")
    twice = next((name for name in columns if list(columns).count(name) > 1), None)
    if twice is not None:
        raise InputError(f"column {twice!r} is named twice; name each annotator once")


def _columns_of(source: Frame) -> tuple[str, ...]:
    """The annotators that are the columns of a frame."""
    from narwhals.exceptions import DuplicateError  # noqa: PLC0415 - only for frames

    try:
        return frame_names(source)
    except DuplicateError as error:
        raise InputError("two columns of the frame have the same name; rename one of them") from error


def _from_table(table: Contingency) -> Annotations:
    """Two annotators from the table of their labels."""
    if table.batch_shape or not np.array_equal(table.cells, np.round(table.cells)):
        raise InputError("agreement counts items; give a table of whole numbers, or the labels of each annotator")
    filled = np.flatnonzero(table.cells > 0)
    codes = np.stack([places[filled].astype(np.int64) for places in (table.cell_rows, table.cell_columns)])
    labels = {"annotator 1": table.truth_labels, "annotator 2": table.system_labels}
    return _of_patterns(Patterns.from_codes(labels, codes, table.cells[filled].astype(np.int64)))


def _squeezed(value: Any, name: str) -> Any:
    """The labels of a frame of one column or an array of shape (n, 1); wider ones are sets of categories."""
    shape = getattr(value, "shape", None)
    is_column = isinstance(shape, tuple) and len(shape) == 2 and shape[1] == 1 and not issparse(value)
    return one_column(value, name) if is_column else value


def _is_sets(value: Any) -> bool:
    if isinstance(value, str | os.PathLike | LabelSets | Mapping) or issparse(value) or getattr(value, "ndim", 1) == 2:
        return True
    if isinstance(value, Contingency):
        raise InputError("a table holds the labels of two annotators; give one table alone, or labels by annotator")
    if not isinstance(value, Iterable):
        raise InputError(f"an annotator's labels are {value!r}; give a sequence of them, one per item")
    first = next((item for item in value if not is_missing(item)), None)
    return isinstance(first, _COLLECTIONS)


def _from_columns(
    source: Any, systems: Sequence[str], clean: str | Iterable[str], read: ReadOptions | None
) -> Annotations:
    if is_column_mapping(source):
        pick_columns(systems, list(source), "the mapping")
        return _from_sequences({name: source[name] for name in systems}, clean)
    return _of_patterns(read_patterns(source, systems, clean=_cleaning(clean), read=read))


def _cleaning(clean: str | Iterable[str]) -> Cleaning:
    return clean if isinstance(clean, str) else tuple(clean)


def _from_sequences(named: Mapping[str, Any], clean: str | Iterable[str]) -> Annotations:
    columns = {name: _plain(one_column(value, name)) for name, value in named.items()}
    sizes = {name: len(value) for name, value in columns.items()}
    if len(set(sizes.values())) > 1:
        (one, first), (other, second) = sorted(sizes.items(), key=lambda item: item[1])[:: len(sizes) - 1]
        raise InputError(
            f"{one} labelled {first} items and {other} {second}; items pair by position: mark gaps by None"
        )
    for name, values in columns.items():
        if isinstance(values, np.ndarray) and values.dtype != object:
            continue  # which holds no collections
        odd = next((at for at, value in enumerate(values) if isinstance(value, _COLLECTIONS)), None)
        if odd is not None:
            raise InputError(
                f"{name} gives {values[odd]!r} for item {odd} and one category for others; give sets for all, or none"
            )
    return _of_patterns(read_patterns(columns, list(columns), clean=_cleaning(clean)))


def _plain(values: Any) -> Any:
    """The values with a length; Arrow wraps each of its own otherwise."""
    if hasattr(values, "to_pylist"):
        return values.to_pylist()
    return values if hasattr(values, "__len__") else list(values)


def _of_patterns(found: Patterns) -> Annotations:
    categories = sorted_labels({label for labels in found.labels for label in labels})
    if not categories:
        raise InputError("no annotator gave any category; check the columns")
    found = found.on(categories).in_order()
    return _with_items(
        Annotations(found.names, categories, _indicators(found), found.present, found.counts, patterns=found)
    )


def _from_sets(named: Mapping[str, LabelSets]) -> Annotations:
    categories = sorted_labels({label for sets in named.values() for label in sets.categories})
    if all(sets.objects is None for sets in named.values()):
        sizes = {name: sets.n for name, sets in named.items()}
        if len(set(sizes.values())) > 1:
            raise InputError(f"annotators labelled different numbers of items ({sizes}); name the items")
        labelled = np.ones((len(named), next(iter(sizes.values()))), dtype=bool)
        given = tuple(sets.on(categories) for sets in named.values())
        return _of_sets(tuple(named), categories, given, labelled)
    places: dict[tuple[Label, int], int] = {}
    rows = []
    for name, sets in named.items():
        if sets.objects is None:
            raise InputError(f"{name} has no names for its items, and others do; name them all, or none")
        seen: dict[Label, int] = {}
        mine = []
        for label in sets.objects:
            seen[label] = seen.get(label, 0) + 1
            mine.append(places.setdefault((label, seen[label]), len(places)))
        rows.append(np.array(mine))
    _check_repeats(named)
    placed, labelled = [], np.zeros((len(named), len(places)), dtype=bool)
    for at, sets in enumerate(named.values()):
        wide = sets.on(categories).tocoo()
        placed.append(csr_array((wide.data, (rows[at][wide.row], wide.col)), shape=(len(places), len(categories))))
        labelled[at, rows[at]] = True
    return _of_sets(tuple(named), categories, tuple(placed), labelled)


def _of_sets(
    names: tuple[str, ...],
    categories: tuple[Label, ...],
    given: tuple[csr_array, ...],
    labelled: NDArray[np.bool_],
) -> Annotations:
    ones = np.ones(labelled.shape[1], dtype=np.int64)
    return _with_items(Annotations(names, categories, given, labelled, ones, patterns=None))


def _check_repeats(named: Mapping[str, LabelSets]) -> None:
    """A repeated item pairs by order, so all annotators who have it must have it equally often."""
    times: dict[Label, tuple[str, int]] = {}
    for name, sets in named.items():
        counts: dict[Label, int] = {}
        for label in sets.objects or ():
            counts[label] = counts.get(label, 0) + 1
        for label, count in counts.items():
            other, before = times.setdefault(label, (name, count))
            if before != count:
                raise InputError(
                    f"item {label!r} occurs {before} times for {other} and {count} times for {name}; repeated items "
                    "pair by their order only where all repeat them equally often"
                )


def _with_items(annotations: Annotations) -> Annotations:
    if not (annotations.labelled.sum(axis=0) >= 2).any():
        raise InputError("no item was labelled by two annotators; agreement needs items in common")
    return annotations
