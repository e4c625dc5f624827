"""From columns of labels to channels: classes, further predictions, systems taken as one, repeated predictions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from infoscope.core.markup import counted
from infoscope.core.numerics import Real, as_real
from infoscope.errors import InputError, UnknownNameError
from infoscope.studies.latent.model import Channel, NoLatentTruthError, Observations
from infoscope.tables.labels import Label, sorted_labels
from infoscope.tables.rows import Patterns

__all__ = ["Arrangement", "Blocks", "arranged", "as_blocks"]

MAX_CLASSES = 10_000

Blocks = Sequence[str] | Sequence[Sequence[str]] | Mapping[str, Sequence[str]]


@dataclass(frozen=True, eq=False)
class Arrangement:
    """The predictions as the model has them, and where each system is found in them."""

    data: Observations
    patterns: Patterns
    """Columns of the systems, then that of the labels where there is one."""
    systems: tuple[str, ...]
    labels: Mapping[str, tuple[Label, ...]]
    """What each system may predict: the classes first."""
    place: Mapping[str, tuple[int, int]]
    """The channel of each system, and its position among the systems taken as one (−1: alone)."""
    columns: Mapping[str, tuple[str, ...]]
    """The columns of each system: several where it predicted several times."""
    lost: int = 0
    """Items on which only some of the systems taken as one predicted: their predictions are not used."""

    def of_system(self, name: str, tables: Sequence[Real]) -> Real:
        """The class × prediction table of one system, from those of the channels; leading axes are kept."""
        channel, member = self.place[name]
        table = tables[channel]
        if member < 0:
            return table
        combinations = self.data.channels[channel].combinations
        assert combinations is not None
        order = np.argsort(combinations[member], kind="stable")
        found, starts = np.unique(combinations[member][order], return_index=True)
        out = np.zeros((*table.shape[:-1], len(self.labels[name])))
        out[..., found] = np.add.reduceat(table[..., order], starts, axis=-1)
        return as_real(out)

    @cached_property
    def items(self) -> dict[str, float]:
        """Predictions of each system that enter the model."""
        data = self.data
        found = {}
        for name in self.systems:
            columns = [at for at, owner in enumerate(data.owner) if owner == self.place[name][0]]
            found[name] = float(((data.codes[columns] >= 0) * data.counts).sum())
        return found


def as_blocks(given: Blocks, what: str) -> dict[str, tuple[str, ...]]:
    """Blocks of names: a mapping, a sequence of sequences, or one sequence of names."""
    if isinstance(given, str):
        raise InputError(f"{what} is {given!r}; name at least two columns")
    if isinstance(given, Mapping):
        blocks = {str(name): tuple(block) for name, block in given.items()}
    else:
        listed = list(given)
        is_one_block = bool(listed) and all(isinstance(each, str) for each in listed)
        tuples = [tuple(map(str, each)) for each in ([listed] if is_one_block else listed)]
        blocks = {(block[0] if what == "same" else "+".join(block)): block for block in tuples if block}
    for block in blocks.values():
        if len(set(block)) < 2:
            raise InputError(f"{what} names {', '.join(map(repr, block)) or 'nothing'}; name at least two columns")
    return blocks


def arranged(
    patterns: Patterns,
    truth: str | None,
    grouping: tuple[Blocks, Blocks],
    classes: Sequence[Label] | None = None,
) -> Arrangement:
    """Observations of the model from patterns of the systems (and of labels, in the column ``truth``)."""
    columns = tuple(name for name in patterns.names if name != truth)
    together, same = as_blocks(grouping[0], "together"), as_blocks(grouping[1], "same")
    _check_names(columns, together, same)
    labels = {name: set(patterns.labels[patterns.place(name)]) for name in columns}
    of_column = {column: name for name, block in same.items() for column in block}
    by_system: dict[str, set[Label]] = {}
    for column in columns:
        by_system.setdefault(of_column.get(column, column), set()).update(labels[column])
    known = () if truth is None else patterns.labels[patterns.place(truth)]
    found = _classes(by_system, known, classes, truth)
    named = {name: (*found, *sorted_labels(used - set(found))) for name, used in by_system.items()}
    stated = {column: named[of_column.get(column, column)] for column in columns}
    if truth is not None:
        stated[truth] = found
    plan = _Plan(columns, of_column, together, named, truth, found)
    return plan.carried_out(patterns.on(stated))


def _check_names(
    columns: Sequence[str], together: Mapping[str, Sequence[str]], same: Mapping[str, Sequence[str]]
) -> None:
    seen: Counter[str] = Counter()
    for what, blocks in (("together", together), ("same", same)):
        for block in blocks.values():
            for name in block:
                if name not in columns:
                    raise UnknownNameError(f"{what} names {name!r}; the systems are {', '.join(map(repr, columns))}")
                seen[name] += 1
    twice = [name for name, times in seen.items() if times > 1]
    if twice:
        raise InputError(f"{twice[0]!r} is named twice in together or same; name it once")


def _classes(
    by_system: Mapping[str, Iterable[Label]],
    known: Sequence[Label],
    stated: Sequence[Label] | None,
    truth: str | None,
) -> tuple[Label, ...]:
    """The classes: as stated, or every label that two systems use or that the labels have."""
    used = Counter(label for labels in by_system.values() for label in set(labels))
    if stated is not None:
        found = tuple(stated)
        if len(set(found)) < max(len(found), 2):
            raise InputError(f"classes names {len(set(found))} different labels; name at least two, each once")
    else:
        strange = [label for label in known if label not in used]
        if strange:
            raise InputError(
                f"column {truth!r} has the labels {_listed(known)} and the systems use {_listed(sorted_labels(used))}: "
                f"no system uses {_listed(strange)}; rename the labels, or state all classes with classes="
            )
        found = sorted_labels({label for label, systems in used.items() if systems > 1} | set(known))
    if len(found) < 2:
        raise InputError(
            f"{counted(len(found), 'label')} used by two systems or more: a latent truth needs at least "
            "two classes that systems have in common; check the labels, or state classes="
        )
    if len(found) > MAX_CLASSES:
        raise NoLatentTruthError(
            f"{len(found):,} classes are too many for a latent truth, which has more parameters than counts then "
            f"(at most {MAX_CLASSES:,}); merge classes"
        )
    return found


def _listed(labels: Iterable[Label], most: int = 8) -> str:
    shown = list(labels)
    return ", ".join(map(repr, shown[:most])) + (f", … {len(shown) - most} more" if len(shown) > most else "")


@dataclass(frozen=True)
class _Plan:
    """What becomes of each column."""

    columns: Sequence[str]
    of_column: Mapping[str, str]
    together: Mapping[str, Sequence[str]]
    labels: Mapping[str, tuple[Label, ...]]
    truth: str | None
    classes: tuple[Label, ...]

    def carried_out(self, coded: Patterns) -> Arrangement:
        """The predictions of the channels: blocks first, then systems by themselves."""
        codes = dict(zip(coded.names, coded.codes.astype(np.int64), strict=True))
        known = np.full(len(coded), -1, np.int64) if self.truth is None else codes[self.truth]
        channels: list[Channel] = []
        owner: list[int] = []
        rows: list[NDArray[np.int64]] = []
        place: dict[str, tuple[int, int]] = {}
        lost = np.zeros(len(coded), bool)
        for name, block in self.together.items():
            joined, combinations = _joined(np.stack([codes[each] for each in block]))
            rows.append(joined)
            lost |= (rows[-1] < 0) & np.any([codes[each] >= 0 for each in block], axis=0)
            place |= {each: (len(channels), at) for at, each in enumerate(block)}
            owner.append(len(channels))
            size = combinations.shape[1]
            channels.append(Channel(name, size, named=False, members=tuple(block), combinations=combinations))
        for column in self.columns:
            if column in place and place[column][1] >= 0:
                continue
            name = self.of_column.get(column, column)
            if name not in place:
                place[name] = (len(channels), -1)
                channels.append(Channel(name, len(self.labels[name])))
            owner.append(place[name][0])
            rows.append(codes[column])
        systems = tuple(dict.fromkeys(self.of_column.get(column, column) for column in self.columns))
        counts = as_real(coded.counts)
        data = Observations(self.classes, tuple(channels), tuple(owner), np.array(rows), counts, known)
        columns = {
            name: tuple(column for column in self.columns if self.of_column.get(column, column) == name)
            for name in systems
        }
        return Arrangement(data, coded, systems, self.labels, place, columns, int(counts[lost].sum()))


def _joined(codes: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """One code for the predictions of several columns, missing where any of them is; and the combinations that occur.

    What never occurs together has no code: six systems of ten classes have a million combinations, and a prior on each
    of them would drown the data.
    """
    there = np.all(codes >= 0, axis=0)
    joined = np.full(codes.shape[1], -1, np.int64)
    combinations, places = np.unique(codes[:, there], axis=1, return_inverse=True)
    joined[there] = places.reshape(-1)  # NumPy 2.0 gives them as a row of a matrix
    return joined, combinations
