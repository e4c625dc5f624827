"""Rows of which few have a true label and most the verdict of a judge, as counts that merge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, Self, Unpack

import numpy as np

from infoscope.core.numerics import Real
from infoscope.errors import InputError, UnknownNameError, check_keywords
from infoscope.readers import ReadOptions, TableKeywords
from infoscope.readers.files import Files, is_read_once
from infoscope.readers.guess_columns import as_names
from infoscope.readers.labels import Cleaning, check_comparable, match_label
from infoscope.readers.reader import read_patterns, read_split_patterns
from infoscope.studies.judge.drawing_system import same_drawing_system
from infoscope.studies.judge.stored_facts import (
    STORED,
    stored_drawn_by,
    stored_facts,
    stored_keywords,
    with_first_labels,
    without_first_labels,
)
from infoscope.studies.judge.stratum_counts import StratumCounts
from infoscope.studies.judge.system_strata import JudgedColumns, SettledStrata, SystemStrata, drawn_weights, placed_rows
from infoscope.studies.judge.verdicts import JudgeKind, judge_kind
from infoscope.tables.labels import Label, sorted_labels
from infoscope.tables.rows import Patterns, holds_patterns, load_patterns, save_patterns
from infoscope.typing import ArrayLike, Source, StrPath

__all__ = ["JudgedKeywords", "JudgedRows", "Population", "Says", "check_columns"]

Says = Mapping[str, Label] | Literal["score"] | None
Population = Literal["all", "unlabelled"]


class JudgedKeywords(TableKeywords, total=False):
    """What weighs, splits and unites the rows, and what their labels mean."""

    groups: str | None


@dataclass(frozen=True, eq=False)
class JudgedRows:
    """Labelled rows by truth × verdict × predictions, and all rows by verdict × predictions; parts add up."""

    patterns: Patterns
    """Distinct rows of the truth (mostly missing), the verdicts and the predictions."""
    truth: str
    judges: tuple[str, ...]
    """Columns of verdicts."""
    systems: tuple[str, ...]
    says: Says = None
    reject: Label | None = None
    positive: Label | None = None
    population: Population = "all"
    groups: str | None = None
    """Column of what rows belong together."""
    by: tuple[str, ...] = ()
    """Columns by which rows are split: questions are answered for every group by itself."""
    settled: Self | None = None
    """The rows before labels were asked for by stratum: grades stay cut, and judges weighted, as they were then."""
    drawn_by: tuple[str, ...] = ()
    """The system by whose predictions labels were asked for, and its judges; nothing where that is not known."""
    clean: Cleaning = ()
    """What was done to labels when rows were read; rows to label are looked up so."""
    origin: tuple[Any, ReadOptions | None] | None = field(default=None, compare=False, repr=False)
    """The source and how it was read, to check sheets of labels against; None where it cannot be read again."""
    sheet_rows: frozenset[int] = frozenset()
    """Rows of the source that sheets have labelled."""
    _strata: dict[str, SystemStrata] = field(default_factory=dict, init=False)

    # ── ways in ──────────────────────────────────────────────────────────────────────────────

    @classmethod
    def from_rows(
        cls,
        source: Source | Patterns,
        *,
        truth: str,
        judge: str | Sequence[str],
        system: str | Sequence[str],
        says: Says = None,
        population: Population = "all",
        read: ReadOptions | None = None,
        **options: Unpack[JudgedKeywords],
    ) -> Self:
        """Count rows of any source in one pass, or take patterns of these columns that were counted before.

        ``truth`` is empty for most rows. ``judge`` names one column of verdicts or several: true classes, grades, or
        with ``says={"right": 1, "wrong": 0}`` whether the prediction is right, one column for each system then.
        ``says="score"`` takes numbers as grades though they are names of classes, too. ``population="unlabelled"``
        leaves the labelled rows out of what is estimated, where they come from elsewhere. ``groups`` is a column that
        says which rows belong together (documents, patients): they then count as fewer independent rows. ``by``
        names columns that split the rows: ``evaluate`` and ``labels_for`` then answer for each group.
        """
        judges = (judge,) if isinstance(judge, str) else tuple(judge)
        systems = (system,) if isinstance(system, str) else tuple(system)
        check_columns(truth, judges, systems)
        if population not in ("all", "unlabelled"):
            raise InputError(f"population is {population!r}; it is 'all' or 'unlabelled'")
        check_keywords(options, JudgedKeywords)
        groups, split = options.get("groups"), as_names(options.get("by"))
        columns = [truth, *judges, *systems, *(() if groups is None else (groups,))]
        _check_groups(groups, columns[:-1])
        clean = options.get("clean", ())
        if isinstance(source, Patterns):
            found = source
        else:
            how: dict[str, Any] = {"weight": options.get("weight"), "clean": clean, "comparable": False, "read": read}
            found = (
                read_split_patterns(source, columns, split, **how) if split else read_patterns(source, columns, **how)
            )
        meanings: dict[str, Any] = {name: options.get(name) for name in ("reject", "positive")}
        is_readable = not isinstance(source, (Patterns, Files)) and not is_read_once(source)
        return cls(
            found,
            truth,
            judges,
            systems,
            says,
            **meanings,
            population=population,
            groups=groups,
            by=split,
            clean=clean,
            origin=(source, read) if is_readable else None,
        )

    @classmethod
    def from_counts(
        cls,
        labelled: ArrayLike,
        everything: ArrayLike,
        *,
        classes: Sequence[Label] | None = None,
        says_right: bool = False,
    ) -> Self:
        """Tensors that were counted elsewhere: truth × verdict × predictions…, and verdict × predictions….

        Verdicts and predictions are numbered as the classes; with ``says_right`` verdict 0 is wrong and 1 is right.
        """
        few, every = (np.asarray(counts, dtype=np.float64) for counts in (labelled, everything))
        if few.ndim < 3 or few.shape[1:] != every.shape:
            raise InputError(
                f"labelled counts have the axes {few.shape} and those of all rows {every.shape}; they must be truth × "
                "verdict × predictions, and verdict × predictions"
            )
        rest = every - few.sum(axis=0)
        if (few < 0).any() or (rest < 0).any() or not np.isfinite(every).all():
            raise InputError(
                "a stratum has more labelled rows than rows, or a count below 0; all rows include labelled ones"
            )
        names = tuple(range(max(few.shape))) if classes is None else tuple(classes)
        systems = [f"system {at}" for at in range(1, few.ndim - 1)] if few.ndim > 3 else ["system"]
        labels = {name: names[:size] for name, size in zip(["truth", "judge", *systems], few.shape, strict=True)}
        if says_right:
            labels["judge"] = (0, 1)
        seen, unseen = np.nonzero(few), np.nonzero(rest)
        codes = np.hstack([np.array(seen), np.array([np.full(len(unseen[0]), -1), *unseen])])
        counts = np.concatenate([few[seen], rest[unseen]])
        if (counts == np.round(counts)).all():
            patterns = Patterns.from_codes(labels, codes, counts.astype(np.int64))
        else:
            patterns = Patterns.from_codes(labels, codes, counts, counts)
        says = {"right": 1, "wrong": 0} if says_right else None
        return cls(patterns, "truth", ("judge",), tuple(systems), says)

    @classmethod
    def load(cls, path: StrPath) -> Self:
        """Read what ``save`` wrote."""
        patterns, about = load_patterns(Path(path))
        if not isinstance(about, Mapping) or about.get("kind") != "judged":
            raise InputError(f"{path} holds patterns of columns, and none of them is named as a judge's")
        first = about.get("first_truth")
        if not isinstance(first, str) or first not in patterns.names:
            return cls(patterns, **stored_keywords(about))
        now, before = without_first_labels(patterns, first)
        keywords, drawn_by = stored_keywords(about), stored_drawn_by(about)
        return cls(now, **keywords, settled=cls(before, **keywords), drawn_by=drawn_by)

    @staticmethod
    def is_stored(path: StrPath) -> bool:
        """Whether a file holds judged rows."""
        return holds_patterns(Path(path))

    def save(self, path: StrPath) -> None:
        """Write the counts as an .ifs file, in one step."""
        facts = {name: getattr(self, name) for name in STORED}
        if self.settled is None:
            save_patterns(self.patterns, Path(path), stored_facts(facts))
        else:
            patterns, name = with_first_labels(self.patterns, self.settled.patterns)
            asked = {"first_truth": name, "drawn_by": list(self.drawn_by)}
            save_patterns(patterns, Path(path), {**stored_facts(facts), **asked})

    def __add__(self, other: Self) -> Self:
        """The counts of all rows of both."""
        if not isinstance(other, type(self)):
            return NotImplemented
        for name in STORED:
            mine, theirs = getattr(self, name), getattr(other, name)
            if mine != theirs:
                raise InputError(f"counts with {name} {mine!r} and {theirs!r} do not add up; they must be the same")
        settled = None
        if self.settled is not None or other.settled is not None:
            settled = (self.settled or self) + (other.settled or other)
        drawn_by = same_drawing_system(self.drawn_by, other.drawn_by)
        patterns = self.patterns + other.patterns
        return replace(self, patterns=patterns, settled=settled, drawn_by=drawn_by, origin=None, sheet_rows=frozenset())

    def __radd__(self, other: object) -> Self:
        """Let ``sum(parts)`` work."""
        return self if other == 0 else NotImplemented

    def of(self, *systems: str) -> Self:
        """Some of the systems alone, with the judge columns that are about them."""
        for name in systems:
            self._check_system(name)
        judges = tuple(dict.fromkeys(judge for name in systems for judge in self.judges_of(name)))
        kept = (*(() if self.groups is None else (self.groups,)), *self.by, *self.drawn_by)
        patterns = self.patterns.select(list(dict.fromkeys([self.truth, *judges, *systems, *kept])))
        return replace(self, patterns=patterns, judges=judges, systems=systems)

    # ── facts ────────────────────────────────────────────────────────────────────────────────

    def __repr__(self) -> str:
        """In a line."""
        judges, systems = ", ".join(self.judges), ", ".join(self.systems)
        several = ("judge" + "s" * (len(self.judges) > 1), "system" + "s" * (len(self.systems) > 1))
        return (
            f"Judged: {self.label_count:,g} labels among {self.patterns.total:,g} rows; {several[0]} {judges}, "
            f"{several[1]} {systems}"
        )

    @cached_property
    def label_count(self) -> float:
        """Rows with a true label, or their weight."""
        return float(self.patterns.counts[self.patterns.present[0]].sum())

    @property
    def row_count(self) -> float:
        """All rows, or their weight."""
        return self.patterns.total

    @property
    def group_count(self) -> int:
        """Groups into which rows are split; 1 where they are not."""
        codes = self.patterns.codes[[self.patterns.place(name) for name in self.by]]
        return len(np.unique(codes, axis=1).T) if self.by else 1

    @cached_property
    def kinds(self) -> Mapping[str, JudgeKind]:
        """What each column of verdicts holds."""
        named = self._labels(self.truth) | {x for name in self.systems for x in self._labels(name)}
        columns = (self.truth, *self.systems, *(self.judges if self.says is None else ()))
        check_comparable({name: tuple(self._labels(name)) for name in columns})
        labels = {name: sorted_labels(self._labels(name)) for name in self.judges}
        return {name: judge_kind(name, labels[name], tuple(named), self.says) for name in self.judges}

    @cached_property
    def classes(self) -> tuple[Label, ...]:
        """True classes: every label of the truth, of the predictions, and of judges that name classes."""
        columns = [self.truth, *self.systems, *(name for name, kind in self.kinds.items() if kind == "class")]
        labels = {label for name in columns for label in self._labels(name)}
        reject = match_label(self.reject, labels)
        return sorted_labels(label for label in labels if label != reject)

    @cached_property
    def unlabelled_classes(self) -> tuple[Label, ...]:
        """Classes that only judges or systems name."""
        return tuple(label for label in self.classes if label not in self._labels(self.truth))

    def judges_of(self, system: str) -> tuple[str, ...]:
        """Columns of verdicts about a system: all of them, or its own where they say right or wrong."""
        if not isinstance(self.says, Mapping) or len(self.systems) == 1:
            return self.judges
        if len(self.judges) != len(self.systems):
            raise InputError(
                f"right or wrong about {len(self.systems)} systems needs as many judge columns, not "
                f"{len(self.judges)}: name one for each system, in the same order"
            )
        return (self.judges[self.systems.index(system)],)

    def judge_title(self, system: str | None = None) -> str:
        """The judges of a system, or all of them, in words."""
        *others, last = self.judges if system is None else self.judges_of(system)
        return f"{', '.join(others)} and {last}" if others else last

    # ── counts ───────────────────────────────────────────────────────────────────────────────

    @property
    def labelled(self) -> Real:
        """Labelled rows of the only system: truth × verdict × prediction."""
        return self.counts().labelled

    @property
    def everything(self) -> Real:
        """All rows of the only system: verdict × prediction."""
        return self.counts().everything

    def counts(self, system: str | None = None) -> StratumCounts:
        """Both tensors of one system."""
        return self.strata(system).counts

    def strata(self, system: str | None = None) -> SystemStrata:
        """The rows of one system, placed in strata."""
        name = self._system(system)
        if name not in self._strata:
            weights = None
            if self.drawn_by and self.drawn_by[0] != name:
                weights = drawn_weights(self._placed(self.drawn_by[0], self.drawn_by[1:]))
            self._strata[name] = self._placed(name, self.judges_of(name), weights)
        return self._strata[name]

    def _placed(self, system: str, judges: Sequence[str], weights: Real | None = None) -> SystemStrata:
        """The strata of a system; ``weights`` make up for labels that were asked for by another system's strata."""
        kinds = {judge: self.kinds.get(judge, "right or wrong") for judge in judges}
        settled = self.settled
        return placed_rows(
            self.patterns,
            JudgedColumns(self.truth, kinds, system, self.classes, self.groups),
            self.says if isinstance(self.says, Mapping) else None,
            only_unlabelled=self.population == "unlabelled",
            settled=None if settled is None else SettledStrata(settled.patterns, settled._placed(system, judges)),
            weights=weights,
        )

    # ── inside ───────────────────────────────────────────────────────────────────────────────

    def _labels(self, column: str) -> set[Label]:
        return set(self.patterns.labels[self.patterns.place(column)])

    def _system(self, system: str | None) -> str:
        if system is None:
            if len(self.systems) > 1:
                raise InputError(f"there are several systems, {', '.join(self.systems)}; name one of them")
            return self.systems[0]
        self._check_system(system)
        return system

    def _check_system(self, system: str) -> None:
        if system not in self.systems:
            raise UnknownNameError(f"no system {system!r}; there is {', '.join(map(repr, self.systems))}")


def _check_groups(groups: str | None, others: Sequence[str]) -> None:
    if groups is not None and (not isinstance(groups, str) or groups in others):
        raise InputError(f"groups is {groups!r}; name a column of its own, beside truth, judge and systems")


def check_columns(truth: str, judges: Sequence[str], systems: Sequence[str]) -> None:
    """Reject a judge without a column of its own."""
    if not judges:
        raise InputError("no judge column is named; name at least one")
    for name in judges:
        if name == truth:
            raise InputError(f"column {name!r} is named as truth and as judge; it is one of them")
        if name in systems:
            raise InputError(f"column {name!r} is named as judge and as system; it is one of them")
    twice = next((name for name in judges if list(judges).count(name) > 1), None)
    if twice is not None:
        raise InputError(f"judge column {twice!r} is named twice; name it once")
