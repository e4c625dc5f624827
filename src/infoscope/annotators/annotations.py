"""Annotations: what each annotator said about each item, one category or several, with gaps."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse

from infoscope.errors import InputError
from infoscope.multilabel.sources import LabelSetFormat, label_sets
from infoscope.readers import ReadOptions, read_joint
from infoscope.readers.labels import check_comparable, cleaner, meaning
from infoscope.tables.categorization import Categorization
from infoscope.tables.columns import check_pairing, one_column
from infoscope.tables.label_sets import LabelSets
from infoscope.tables.labels import Label, as_label, check_kinds, is_missing, sorted_labels

__all__ = ["Annotations", "gather"]

_COLLECTIONS = (set, frozenset, list, tuple)


@dataclass(frozen=True, eq=False)
class Annotations:
    """Annotators over the same items: one matrix of items × categories each, and where they answered at all."""

    names: tuple[str, ...]
    categories: tuple[Label, ...]
    given: tuple[csr_array, ...]
    answered: NDArray[np.bool_]
    """Annotators × items; an item without an answer is a gap, one with the empty set is an answer."""
    single: bool
    """Whether every answer is exactly one category."""

    @property
    def items(self) -> int:
        """Items that at least one annotator answered."""
        return int(self.answered.shape[1])

    def pair(self, a: int, b: int) -> Categorization:
        """Two annotators on the items that both answered, the first as the truth."""
        both = np.flatnonzero(self.answered[a] & self.answered[b])
        return Categorization(self.categories, self.given[a][both], self.given[b][both])


def gather(
    source: Any, systems: Sequence[str] | None, clean: str | Iterable[str], read: ReadOptions | None = None
) -> Annotations:
    """Annotations from columns of a table, from sequences by name, or from label-list files."""
    if systems is not None:
        if len(systems) < 2:
            raise InputError("agreement needs two annotators or more; name at least two columns")
        twice = next((name for name in systems if list(systems).count(name) > 1), None)
        if twice is not None:
            raise InputError(f"column {twice!r} is named twice; name each annotator once")
        return _from_columns(source, systems, clean, read)
    if isinstance(source, str | os.PathLike):
        raise InputError("a table needs the names of the annotators' columns; name at least two")
    if not isinstance(source, Iterable):
        raise InputError(
            f"answers cannot be read from a {type(source).__name__}; give a mapping of annotators to their answers"
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
        raise InputError(f"{sets} gives sets of categories and {single} one category an item; give all the same form")
    if next(iter(kinds.values())):
        return _from_sets({name: label_sets(value, LabelSetFormat(clean=clean)) for name, value in named.items()})
    return _from_sequences(named, clean)


def _squeezed(value: Any, name: str) -> Any:
    """The labels of a frame of one column or an array of shape (n, 1); wider ones are sets of categories."""
    shape = getattr(value, "shape", None)
    is_column = isinstance(shape, tuple) and len(shape) == 2 and shape[1] == 1 and not issparse(value)
    return one_column(value, name) if is_column else value


def _is_sets(value: Any) -> bool:
    if isinstance(value, str | os.PathLike | LabelSets | Mapping) or issparse(value) or getattr(value, "ndim", 1) == 2:
        return True
    if not isinstance(value, Iterable):
        raise InputError(f"an annotator's answers are {value!r}; give a sequence of them, one an item")
    first = next((item for item in value if not is_missing(item)), None)
    return isinstance(first, _COLLECTIONS)


def _from_columns(
    source: Any, systems: Sequence[str], clean: str | Iterable[str], read: ReadOptions | None
) -> Annotations:
    """Columns of one category a row; distinct rows are counted once and repeated as often as they occur."""
    if isinstance(source, Mapping) and not hasattr(source, "columns"):
        return _from_sequences({name: source[name] for name in systems}, clean)
    tally = read_joint(source, truth=systems[0], system=list(systems[1:]), read=read).tally
    tidy = cleaner(clean if isinstance(clean, str) else tuple(clean))
    labels = [
        [tidy(meaning(value, name)) for value in column] for name, column in zip(tally.keys, tally.labels, strict=True)
    ]
    check_comparable(dict(zip(tally.keys, labels, strict=True)))
    codes = np.repeat(tally.codes, tally.rows, axis=1)
    columns = {name: (labels[at], codes[at]) for at, name in enumerate(tally.keys)}
    return _coded({name: columns[name] for name in systems})


def _from_sequences(named: Mapping[str, Any], clean: str | Iterable[str]) -> Annotations:
    tidy = cleaner(clean if isinstance(clean, str) else tuple(clean))
    (name, truth), *others = named.items()
    check_pairing(truth, dict(others), name)
    lists = {name: _plain(one_column(value, name)) for name, value in named.items()}
    sizes = {name: len(value) for name, value in lists.items()}
    if len(set(sizes.values())) > 1:
        (one, first), (other, second) = sorted(sizes.items(), key=lambda item: item[1])[:: len(sizes) - 1]
        raise InputError(
            f"{one} answered {first} items and {other} {second}; items pair by position: mark gaps by None"
        )
    coded = {}
    for name, values in lists.items():
        odd = next((at for at, value in enumerate(values) if isinstance(value, _COLLECTIONS)), None)
        if odd is not None:
            raise InputError(
                f"{name} gives {values[odd]!r} for item {odd} and one category for others; give sets for all, or none"
            )
        places: dict[Any, int] = {}
        codes = np.fromiter(
            (places.setdefault(None if is_missing(value) else value, len(places)) for value in values),
            np.int64,
            len(values),
        )
        coded[name] = ([None if value is None else tidy(as_label(value)) for value in places], codes)
    return _coded(coded)


def _plain(values: Any) -> list[Any]:
    """The values as Python has them; Arrow wraps each of its own otherwise."""
    return values.to_pylist() if hasattr(values, "to_pylist") else list(values)


def _coded(columns: Mapping[str, tuple[Sequence[Label | None], NDArray[np.int64]]]) -> Annotations:
    known = {name: {label for label in labels if label is not None} for name, (labels, _) in columns.items()}
    for (_, left), (_, right) in zip(known.items(), list(known.items())[1:], strict=False):
        check_kinds(left, right)
    categories = sorted_labels(set().union(*known.values()))
    if not categories:
        raise InputError("no annotator gave any category; check the columns")
    place = {label: at for at, label in enumerate(categories)}
    given, answered = [], []
    for labels, codes in columns.values():
        column = np.array([-1 if label is None else place[label] for label in labels], dtype=np.int64)[codes]
        known_rows = np.flatnonzero(column >= 0)
        matrix = csr_array(
            (np.ones(len(known_rows), dtype=np.int32), (known_rows, column[known_rows])),
            shape=(len(column), len(categories)),
        )
        given.append(matrix)
        answered.append(column >= 0)
    return _with_items(Annotations(tuple(columns), categories, tuple(given), np.array(answered), single=True))


def _from_sets(named: Mapping[str, LabelSets]) -> Annotations:
    categories = sorted_labels({label for sets in named.values() for label in sets.categories})
    if all(sets.objects is None for sets in named.values()):
        sizes = {name: sets.n for name, sets in named.items()}
        if len(set(sizes.values())) > 1:
            raise InputError(f"annotators answered different numbers of items ({sizes}); name the items")
        answered = np.ones((len(named), next(iter(sizes.values()))), dtype=bool)
        given = tuple(sets.on(categories) for sets in named.values())
        return _with_items(Annotations(tuple(named), categories, given, answered, single=False))
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
    placed, answered = [], np.zeros((len(named), len(places)), dtype=bool)
    for at, sets in enumerate(named.values()):
        wide = sets.on(categories).tocoo()
        placed.append(csr_array((wide.data, (rows[at][wide.row], wide.col)), shape=(len(places), len(categories))))
        answered[at, rows[at]] = True
    return _with_items(Annotations(tuple(named), categories, tuple(placed), answered, single=False))


def _check_repeats(named: Mapping[str, LabelSets]) -> None:
    """A repeated item pairs by order, so whoever has it must have it equally often."""
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


def _with_items(answers: Annotations) -> Annotations:
    if not (answers.answered.sum(axis=0) >= 2).any():
        raise InputError("no item was answered by two annotators; agreement needs items in common")
    return answers
