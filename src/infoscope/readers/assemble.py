"""From tallies to tables: labels get their meaning, and unusable rows are counted by reason."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoscope.errors import InputError
from infoscope.readers.columns import Columns
from infoscope.readers.datetimes import are_days, as_days
from infoscope.readers.labels import Cleaning, as_text, check_comparable, match_label, meanings
from infoscope.readers.tally import Ints, Tally
from infoscope.tables import Contingency
from infoscope.tables.labels import Label

__all__ = [
    "Assembly",
    "Group",
    "Usable",
    "assemble",
    "dated",
    "declared",
    "group_cells",
    "labelled",
    "unify_whole_numbers",
    "usable",
]

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
