"""Few true labels and a cheap judge: every metric over all rows, corrected by the labels.

``Judged`` holds counted rows of which few have a true label and most the verdict of a judge: what is believed of each
system (``posterior``) and of the judge (``judge``), how many further labels an interval needs (``labels_for``) and what
may be wrong (``findings``). ``judge_strata.py`` counts rows by verdict and prediction, ``judge_model.py`` holds the
belief, ``judge_plan.py`` the plans of labels, ``judge_findings.py`` the checks. ``evaluate`` and ``compare`` read their
rows with ``read_judged`` at the end. The method and its coverage are in docs/contributors/judge.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, Self, cast

import numpy as np

from infoscope.core.numerics import Real
from infoscope.core.records import FLAG, TEXT, Each, Fields, Maybe, Named, check_record
from infoscope.core.validation import LEVEL, SEED, KeywordHints, Number, OneOf, validated
from infoscope.errors import InputError, UnknownNameError, list_names, suggest_name
from infoscope.metrics.registry import find
from infoscope.posterior import Posterior
from infoscope.posterior.summary import DrawnBelief
from infoscope.readers import ReadOptions
from infoscope.readers.files import Files, is_read_once
from infoscope.readers.labels import Cleaning, check_comparable, match_label, suggest_cleaning
from infoscope.readers.query import as_names
from infoscope.readers.reader import read_distinct_rows, read_distinct_rows_with_groups
from infoscope.results.finding import Finding
from infoscope.studies.inputs import check_rows, materialize_labels, name_predictions, name_tables, pick_column
from infoscope.studies.judge_findings import describe_judge_drift, diagnose_judged, measure_judge_drift
from infoscope.studies.judge_model import StratumBelief, compute_accuracy_moments
from infoscope.studies.judge_plan import (
    FEWEST_LABELS,
    JudgedSampler,
    WantedWidth,
    add_sheet,
    check_drawn_alike,
    find_drawing_system,
    read_judged_sheets,
)
from infoscope.studies.judge_strata import (
    RIGHT,
    WRONG,
    Indices,
    JudgeKind,
    StratumCounts,
    SystemStrata,
    classify_verdicts,
    place_rows,
    weigh_drawn_rows,
)
from infoscope.studies.labels import LabelPlan
from infoscope.tables import Contingency
from infoscope.tables.construction import check_reject_is_no_truth
from infoscope.tables.contingency import Estimation
from infoscope.tables.ifs_file import label_from_json, label_to_json
from infoscope.tables.labels import Label, lookalikes, sorted_labels
from infoscope.tables.rows import Rows, holds_rows
from infoscope.typing import ArrayLike, Json, LabelsByName, LabelsLike, Source, StrPath

MAX_DRAWN_CELLS = 500_000
"""Strata × classes: their draws fill a gigabyte, and take a minute."""

Says = Mapping[str, Label] | Literal["score"] | None
Population = Literal["all", "unlabelled"]

STORED = ("truth", "judges", "systems", "says", "reject", "positive", "population", "groups", "by")
"""Fields that are stored beside the counts, and must be the same in parts that are added."""
FACTS = Fields(
    {
        "kind": TEXT,
        "truth": TEXT,
        "judges": Each(TEXT),
        "systems": Each(TEXT),
        "says": Named(TEXT),
        "graded": FLAG,
        "reject": Maybe(TEXT),
        "positive": Maybe(TEXT),
        "population": TEXT,
        "groups": Maybe(TEXT),
    },
    {"first_truth": TEXT, "drawn_by": Each(TEXT), "by": Each(TEXT)},
)
"""The same as an .ifs file has it."""


@dataclass(frozen=True, eq=False, repr=False)
class Judged(KeywordHints):
    """Labelled rows by truth × verdict × predictions, and all rows by verdict × predictions.

    Parts of the data add up. ``posterior`` gives every metric over all rows with its interval, ``judge`` what the
    judge itself is worth.

    Examples
    --------
    >>> rows = {
    ...     "human": ["spam", "ham"] * 20 + [None] * 400,
    ...     "gpt": ["spam", "ham"] * 220,
    ...     "model": ["spam", "ham", "ham", "ham"] * 110,
    ... }
    >>> judged = Judged.from_rows(rows, truth="human", judge="gpt", system="model")
    >>> judged
    Judged: 40 labels among 440 rows; judge gpt, system model
    >>> round(float(judged.posterior().mean("accuracy")), 2)
    0.74
    """

    patterns: Rows
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
    """Cleaning of labels when rows were read; rows to label are looked up so."""
    origin: tuple[Any, ReadOptions | None] | None = field(default=None, compare=False, repr=False)
    """The source and how it was read, to check sheets of labels against; None where it cannot be read again."""
    sheet_rows: frozenset[int] = frozenset()
    """Rows of the source that sheets have labelled."""
    _strata: dict[str, SystemStrata] = field(default_factory=dict, init=False)
    _beliefs: dict[tuple[str, int], StratumBelief] = field(default_factory=dict, init=False)
    _alone: dict[tuple[str, int], Posterior] = field(default_factory=dict, init=False)
    _diagnosed: dict[tuple[float, int], tuple[Finding, ...]] = field(default_factory=dict, init=False)

    # Rows in and out --------------------------------------------------------------------------------------------------

    @classmethod
    @validated(population=OneOf("all", "unlabelled"))
    def from_rows(
        cls,
        source: Source | Rows,
        *,
        truth: str,
        judge: str | Sequence[str],
        system: str | Sequence[str],
        says: Says = None,
        population: Population = "all",
        weight: str | None = None,
        groups: str | None = None,
        by: str | Sequence[str] | None = None,
        reject: Label | None = None,
        positive: Label | None = None,
        clean: Cleaning = (),
        read: ReadOptions | None = None,
    ) -> Self:
        """Count rows of any source in one pass.

        Parameters
        ----------
        source
            Rows in any form that ``infoscope.read`` takes, or patterns of these columns that were counted before.
        truth
            Column of the true classes, empty for most rows.
        judge
            One column of verdicts or several: true classes, grades, or whether the prediction is right (see ``says``).
        system
            Column of predictions, or several.
        says
            ``{"right": 1, "wrong": 0}`` for verdicts that say whether the prediction is right, one column for each
            system then; ``"score"`` takes numbers as grades though they are names of classes, too.
        population
            ``"unlabelled"`` leaves the labelled rows out of what is estimated, where they come from elsewhere.
        weight
            Column of weights.
        groups
            Column of rows that belong together (documents, patients): they count as fewer independent rows.
        by
            Columns that split the rows: ``evaluate`` and ``labels_for`` then answer for each group.
        reject
            Label that means "abstained".
        positive
            The class that binary metrics are about.
        clean
            How labels are cleaned before they are counted.
        read
            How files are read.

        Returns
        -------
        Judged

        Raises
        ------
        InputError
            If a column is named twice or in two roles, or the source has no such column.
        """
        judges = (judge,) if isinstance(judge, str) else tuple(judge)
        systems = (system,) if isinstance(system, str) else tuple(system)
        if not judges:
            raise InputError("no judge column is named; name at least one")
        for name in judges:
            if name == truth or name in systems:
                other = "truth and as judge" if name == truth else "judge and as system"
                raise InputError(f"column {name!r} is named as {other}; it is one of them")
            if judges.count(name) > 1:
                raise InputError(f"judge column {name!r} is named twice; name it once")
        split = as_names(by)
        columns = [truth, *judges, *systems]
        if groups is not None:
            if not isinstance(groups, str) or groups in columns:
                raise InputError(f"groups is {groups!r}; name a column of its own, beside truth, judge and systems")
            columns.append(groups)
        if isinstance(source, Rows):
            patterns = source
        elif split:
            patterns = read_distinct_rows_with_groups(
                source, columns, split, weight=weight, clean=clean, comparable=False, read=read
            )
        else:
            patterns = read_distinct_rows(source, columns, weight=weight, clean=clean, comparable=False, read=read)
        is_readable = not isinstance(source, (Rows, Files)) and not is_read_once(source)
        return cls(
            patterns,
            truth,
            judges,
            systems,
            says,
            reject,
            positive,
            population,
            groups,
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
        """Take tensors that were counted elsewhere.

        Parameters
        ----------
        labelled
            Labelled rows: truth × verdict × predictions…, verdicts and predictions numbered as the classes.
        everything
            All rows: verdict × predictions….
        classes
            Names of the classes; their numbers by default.
        says_right
            Verdict 0 is wrong and 1 is right.

        Returns
        -------
        Judged

        Raises
        ------
        InputError
            If the axes do not belong together, or a stratum has more labelled rows than rows.
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
        systems = [f"system {number}" for number in range(1, few.ndim - 1)] if few.ndim > 3 else ["system"]
        labels = {name: names[:size] for name, size in zip(["truth", "judge", *systems], few.shape, strict=True)}
        if says_right:
            labels["judge"] = (0, 1)
        seen, unseen = np.nonzero(few), np.nonzero(rest)
        codes = np.hstack([np.array(seen), np.array([np.full(len(unseen[0]), -1), *unseen])])
        counts = np.concatenate([few[seen], rest[unseen]])
        if (counts == np.round(counts)).all():
            patterns = Rows.from_codes(labels, codes, counts.astype(np.int64))
        else:
            patterns = Rows.from_codes(labels, codes, counts, counts)
        says = {RIGHT: 1, WRONG: 0} if says_right else None
        return cls(patterns, "truth", ("judge",), tuple(systems), says)

    @classmethod
    def load(cls, path: StrPath) -> Self:
        """Read judged rows that ``save`` wrote.

        Parameters
        ----------
        path
            The .ifs file.

        Returns
        -------
        Judged
        """
        patterns, record = Rows.load(Path(path))
        if not isinstance(record, Mapping) or record.get("kind") != "judged":
            raise InputError(f"{path} holds patterns of columns, and none of them is named as a judge's")
        facts = check_record(record, FACTS, "its metadata")
        if facts["population"] not in ("all", "unlabelled"):
            raise InputError(f"its population is {facts['population']!r}; it is 'all' or 'unlabelled'")
        says = {word: label_from_json(text) for word, text in facts["says"].items()}
        fields: dict[str, Any] = {
            "truth": facts["truth"],
            "judges": tuple(facts["judges"]),
            "systems": tuple(facts["systems"]),
            "says": says or ("score" if facts["graded"] else None),
            "population": facts["population"],
            "groups": facts["groups"],
            "by": tuple(facts.get("by") or ()),
            **{name: None if facts[name] is None else label_from_json(facts[name]) for name in ("reject", "positive")},
        }
        first = facts.get("first_truth")
        if first is None or first not in patterns.names:
            return cls(patterns, **fields)
        names = tuple(column for column in patterns.names if column != first)
        before = replace(patterns.select((first, *names[1:])), names=names).with_used_labels()
        return cls(
            patterns.select(names),
            **fields,
            settled=cls(before, **fields),
            drawn_by=tuple(facts.get("drawn_by") or ()),
        )

    @staticmethod
    def is_stored(path: StrPath) -> bool:
        """Return True if a file holds judged rows."""
        return holds_rows(Path(path))

    def save(self, path: StrPath) -> None:
        """Write the counts as an .ifs file, in one step.

        Parameters
        ----------
        path
            The file.
        """
        says = self.says if isinstance(self.says, Mapping) else {}
        record: dict[str, Json] = {
            "kind": "judged",
            "truth": self.truth,
            "judges": list(self.judges),
            "systems": list(self.systems),
            "says": {word: label_to_json(label) for word, label in says.items()},
            "graded": self.says == "score",
            "reject": None if self.reject is None else label_to_json(self.reject),
            "positive": None if self.positive is None else label_to_json(self.positive),
            "population": self.population,
            "groups": self.groups,
            "by": list(self.by),
        }
        patterns = self.patterns
        if self.settled is not None:
            patterns, name = _add_first_labels(patterns, self.settled.patterns)
            record |= {"first_truth": name, "drawn_by": list(self.drawn_by)}
        patterns.save(Path(path), record)

    def __add__(self, other: Self) -> Self:
        """Add the counts of the rows of both."""
        if not isinstance(other, type(self)):
            return NotImplemented
        for name in STORED:
            mine, theirs = getattr(self, name), getattr(other, name)
            if mine != theirs:
                raise InputError(f"counts with {name} {mine!r} and {theirs!r} do not add up; they must be the same")
        settled = None
        if self.settled is not None or other.settled is not None:
            settled = (self.settled or self) + (other.settled or other)
        drawn_by = check_drawn_alike(self.drawn_by, other.drawn_by)
        patterns = self.patterns + other.patterns
        return replace(self, patterns=patterns, settled=settled, drawn_by=drawn_by, origin=None, sheet_rows=frozenset())

    def __radd__(self, other: object) -> Self:
        """Let ``sum(parts)`` work."""
        return self if other == 0 else NotImplemented

    def of(self, *systems: str) -> Self:
        """Keep some of the systems, with the judge columns that are about them.

        Parameters
        ----------
        *systems
            Their names.

        Returns
        -------
        Judged
        """
        judges = tuple(dict.fromkeys(judge for name in systems for judge in self.judges_of(self._system(name))))
        kept = (*(() if self.groups is None else (self.groups,)), *self.by, *self.drawn_by)
        patterns = self.patterns.select(list(dict.fromkeys([self.truth, *judges, *systems, *kept])))
        return replace(self, patterns=patterns, judges=judges, systems=systems)

    def split(self, by: Sequence[str] = ()) -> list[JudgedGroup]:
        """Split the rows by the columns that they were counted by, or by some of these.

        The classes of a group are those that occur in it; verdicts mean what they mean in all rows.

        Parameters
        ----------
        by
            Names of the columns; all by which the rows were counted by default.

        Returns
        -------
        list of JudgedGroup
            One for all rows, without a group, where no column splits them.
        """
        names = tuple(by) or self.by
        if not names:
            return [JudgedGroup(None, self, np.arange(len(self.patterns)))]
        if not self.by:
            raise InputError(
                "judged rows do not know their groups; give the rows with truth=, system= and judge=, or count them "
                "with by"
            )
        odd = next((name for name in names if name not in self.by), None)
        if odd is not None:
            raise InputError(f"the rows were not counted by {odd!r}; they were by {', '.join(map(repr, self.by))}")
        codes = self.patterns.codes[[self.patterns.place(name) for name in names]].astype(np.int64)
        label_lists = [self.patterns.labels[self.patterns.place(name)] for name in names]
        groups = []
        for group in np.unique(codes, axis=1).T:
            places = np.flatnonzero((codes == group[:, None]).all(axis=0))
            values = {name: labels[code] for name, labels, code in zip(names, label_lists, group.tolist(), strict=True)}
            own = self.patterns.where(places).with_used_labels()
            labels = dict(zip(own.names, own.labels, strict=True))
            for name, kind in self.kinds.items():
                if kind != "class":
                    labels[name] = self.patterns.labels[self.patterns.place(name)]
            settled = None
            if self.settled is not None:
                before = self.settled.patterns
                mine = np.ones(len(before), dtype=bool)
                for name, value in values.items():
                    place = before.place(name)
                    mine &= before.codes[place] == before.labels[place].index(value)
                settled = replace(self.settled, patterns=before.where(mine).with_used_labels().on(labels), by=())
            rows = replace(self, patterns=own.on(labels), by=(), settled=settled)
            groups.append(JudgedGroup({name: str(value) for name, value in values.items()}, rows, places))
        return groups

    # Facts ------------------------------------------------------------------------------------------------------------

    def __repr__(self) -> str:
        """Return a line."""
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
        """The kind of verdicts of each judge column."""
        named = self._labels(self.truth) | {label for name in self.systems for label in self._labels(name)}
        columns = (self.truth, *self.systems, *(self.judges if self.says is None else ()))
        check_comparable({name: tuple(self._labels(name)) for name in columns})
        labels = {name: sorted_labels(self._labels(name)) for name in self.judges}
        return {name: classify_verdicts(name, labels[name], tuple(named), self.says) for name in self.judges}

    @property
    def names_classes(self) -> bool:
        """True if some judge names classes."""
        return "class" in self.kinds.values()

    @cached_property
    def classes(self) -> tuple[Label, ...]:
        """True classes: every label of the truth, of the predictions, and of judges that name classes."""
        columns = [self.truth, *self.systems, *(name for name, kind in self.kinds.items() if kind == "class")]
        labels = {label for name in columns for label in self._labels(name)}
        reject = match_label(self.reject, labels)
        check_reject_is_no_truth(self._labels(self.truth), reject)
        return sorted_labels(label for label in labels if label != reject)

    @cached_property
    def unlabelled_classes(self) -> tuple[Label, ...]:
        """Classes that only judges or systems name."""
        return tuple(label for label in self.classes if label not in self._labels(self.truth))

    def judges_of(self, system: str) -> tuple[str, ...]:
        """Return the columns of verdicts about a system: all of them, or its own where they say right or wrong."""
        if not isinstance(self.says, Mapping) or len(self.systems) == 1:
            return self.judges
        if len(self.judges) != len(self.systems):
            raise InputError(
                f"right or wrong about {len(self.systems)} systems needs as many judge columns, not "
                f"{len(self.judges)}: name one for each system, in the same order"
            )
        return (self.judges[self.systems.index(system)],)

    def judge_title(self, system: str | None = None) -> str:
        """Return the judges of a system, or all of them, as a list in a sentence."""
        *others, last = self.judges if system is None else self.judges_of(system)
        return f"{', '.join(others)} and {last}" if others else last

    # Counts -----------------------------------------------------------------------------------------------------------

    @property
    def labelled(self) -> Real:
        """Labelled rows of the only system: truth × verdict × prediction."""
        return self.counts().labelled

    @property
    def everything(self) -> Real:
        """All rows of the only system: verdict × prediction."""
        return self.counts().everything

    def counts(self, system: str | None = None) -> StratumCounts:
        """Return both tensors of one system."""
        return self.strata(system).counts

    def strata(self, system: str | None = None) -> SystemStrata:
        """Return the rows of one system, placed in strata."""
        name = self._system(system)
        if name not in self._strata:
            weights = None
            if self.drawn_by and self.drawn_by[0] != name:
                # labels that were asked for by another system's strata
                weights = weigh_drawn_rows(self._place(self.drawn_by[0], self.drawn_by[1:]))
            self._strata[name] = self._place(name, self.judges_of(name), weights)
        return self._strata[name]

    def _place(self, system: str, judges: Sequence[str], weights: Real | None = None) -> SystemStrata:
        return place_rows(
            self.patterns,
            truth=self.truth,
            judges={judge: self.kinds.get(judge, "right or wrong") for judge in judges},
            system=system,
            classes=self.classes,
            says=self.says if isinstance(self.says, Mapping) else None,
            groups=self.groups,
            only_unlabelled=self.population == "unlabelled",
            settled=None if self.settled is None else (self.settled.patterns, self.settled._place(system, judges)),
            weights=weights,
        )

    # Belief -----------------------------------------------------------------------------------------------------------

    def belief(self, system: str | None = None, *, seed: int = 0) -> StratumBelief:
        """Return draws of the strata's shares and classes."""
        name = self._system(system)
        if (name, seed) not in self._beliefs:
            self._check_enough(name)
            self._beliefs[name, seed] = StratumBelief.draw(self.counts(name), seed=seed)
        return self._beliefs[name, seed]

    def table(self, system: str | None = None, *, seed: int = 0) -> Contingency:
        """Return truth × prediction over all rows as it is believed to be: expected rows, and draws behind them.

        Its sample size is what labels and verdicts together are worth in labels.

        Parameters
        ----------
        system
            Its name, where there are several.
        seed
            Seed of the draws.

        Returns
        -------
        Contingency
        """
        name = self._system(system)
        belief, strata = self.belief(name, seed=seed), self.strata(name)
        moments: dict[str, tuple[float, float]] = {}
        if belief.counts.classes == 2:
            mean, sd = compute_accuracy_moments(belief.counts)
            moments = {"accuracy": (mean, sd), "error_rate": (1 - mean, sd)}
        table = self._estimate_table(belief.tables, self.classes, strata.predictions, belief.counts, moments)
        return self._with_options(table, name)

    def posterior(self, system: str | None = None, *, seed: int = 0) -> DrawnBelief:
        """Return the belief about every metric of one system over all rows."""
        return DrawnBelief(self.table(system, seed=seed))

    @property
    def judge(self) -> DrawnBelief:
        """The judge as a system of its own: truth × verdict."""
        return DrawnBelief(self.judge_table())

    def judge_table(self, system: str | None = None, *, seed: int = 0) -> Contingency:
        """Return truth × verdict over all rows as it is believed to be; verdicts without a class stay as they are."""
        name = self._system(system or self.systems[0])
        belief = self.belief(name, seed=seed)
        named = belief.counts.verdict_class
        rest = np.flatnonzero(named < 0)
        column = np.where(named >= 0, named, 0)
        column[rest] = len(self.classes) + np.arange(len(rest))
        draws = belief.tabulate(column[belief.counts.verdict], len(self.classes) + len(rest))
        verdicts = (*self.classes, *(self.strata(name).verdicts[verdict] for verdict in rest.tolist()))
        table = self._estimate_table(draws, self.classes, verdicts, belief.counts)
        return replace(table, positive=match_label(self.positive, self.classes))

    def correctness_table(self, system: str | None = None, *, seed: int = 0) -> Contingency:
        """Return wrong and right predictions × verdict over all rows, for verdicts that name no class."""
        name = self._system(system or self.systems[0])
        belief, verdicts = self.belief(name, seed=seed), self.strata(name).verdicts
        table = self._estimate_table(belief.right_tables, (WRONG, RIGHT), verdicts, belief.counts)
        return replace(table, positive=RIGHT)

    def labels_only(self, system: str | None = None) -> Contingency:
        """Return truth × prediction of the labelled rows alone."""
        name = self._system(system)
        rows = self.patterns.where(self.patterns.present[0]).table(self.truth, name)
        return self._with_options(rows, name)

    def labels_posterior(self, system: str | None = None, *, seed: int = 0) -> Posterior:
        """Return the belief about every metric of one system by the labelled rows alone."""
        name = self._system(system)
        if (name, seed) not in self._alone:
            self._alone[name, seed] = Posterior(self.labels_only(name), seed=seed)
        return self._alone[name, seed]

    def judge_as_truth(self, system: str | None = None) -> Contingency | None:
        """Return verdict × prediction of all rows; None where the verdicts name no class."""
        strata = self.strata(system)
        counts = strata.counts
        named = np.flatnonzero(counts.verdict_class >= 0)
        if not len(named):
            return None
        rows, columns = np.nonzero(counts.everything[named])
        table = Contingency.from_cells(
            self.classes,
            strata.predictions,
            counts.verdict_class[named][rows],
            columns,
            counts.everything[named][rows, columns],
        )
        return self._with_options(table, self._system(system))

    def further_labels(self, system: str | None = None, metric: str = "accuracy", *, seed: int = 0) -> float:
        """Return how many further labels the judge is worth: n·(sd_l²/sd_j² − 1)."""
        alone = float(self.labels_posterior(system, seed=seed).sd(metric))
        both = float(self.posterior(system, seed=seed).sd(metric))
        return self.counts(system).labels * ((alone / both) ** 2 - 1) if both > 0 else 0.0

    def _estimate_table(
        self,
        draws: Real,
        truth: Sequence[Label],
        system: Sequence[Label],
        counts: StratumCounts,
        moments: Mapping[str, tuple[float, float]] | None = None,
    ) -> Contingency:
        """Return the mean of drawn tables (draws, rows, columns), with the sample size that they are worth."""
        draws = draws * counts.rows.sum()
        mean = draws.mean(axis=0)
        total = float(mean.sum())
        table = Contingency(tuple(truth), tuple(system), mean)

        # labels at random that would tell the share of matches as exactly; of no matches, the labels there are
        hits = (draws / total)[:, table.matches[0], table.matches[1]].sum(axis=1)
        share, variance = float(hits.mean()), float(hits.var())
        worth = share * (1 - share) / variance if variance > 0 and 0 < share < 1 else counts.labels
        size = min(max(worth, 1.0), total)
        text = (
            f"Estimated for {counts.rows.sum():,.6g} rows from {counts.labels:,.6g} true labels and the verdicts of "
            f"{self.judge_title()}: within a verdict and prediction, labelled rows must be like the others."
        )
        estimation = Estimation(text, draws, basis="judge", moments=dict(moments or {}))
        return replace(table, estimation=estimation, weight_squares=total**2 / size)

    def _with_options(self, table: Contingency, system: str) -> Contingency:
        """Return a table with its reject label, where it has that, and its positive class."""
        reject = match_label(self.reject, self._labels(system))
        positive = match_label(self.positive, table.truth_labels)
        return replace(table, reject=reject if reject in table.system_labels else None, positive=positive)

    # Further labels and findings --------------------------------------------------------------------------------------

    @validated(width=Number(low=0, example=0.04), level=LEVEL, seed=SEED)
    def labels_for(
        self, metric: str, width: float, *, system: str | None = None, level: float = 0.95, seed: int = 0
    ) -> LabelPlan:
        """Plan how many further labels make the interval of a metric this wide, by stratum and at random.

        Rows that were counted ``by`` groups get a plan for every group, in one list of rows.

        Parameters
        ----------
        metric
            Name of the metric.
        width
            Width of the interval, from its low to its high limit.
        system
            The system; of several, the one that needs most labels decides unless one is named.
        level
            Probability of the interval.
        seed
            Seed of the draws.

        Returns
        -------
        LabelPlan
            It draws rows to label, and estimates from their labels.

        Raises
        ------
        InputError
            If the metric has no interval, rows are weighted, or labels of all rows would not do.
        """
        entry = find(metric)
        if entry.card.posterior == "none" or entry.card.level != "table":
            raise InputError(f"{entry.name} has no interval to become narrow; choose another metric")
        if self.patterns.is_weighted:
            raise InputError("labels are planned for counted rows; leave out the weights")
        return JudgedSampler.plan_for(self, system, WantedWidth(entry.name, width / 2, level, seed)).plan()

    def with_labels(self, labels: LabelsLike, *, column: str = "label", read: ReadOptions | None = None) -> Judged:
        """Add the labels of filled-in sheets, as ``labels_for(…).write_sheet`` makes them.

        Parameters
        ----------
        labels
            A sheet with its label column filled in, or several.
        column
            Column of the labels.
        read
            How the sheets are read.

        Returns
        -------
        Judged
            The same rows with these labels beside those that there were.
        """
        sheets, sheet = read_judged_sheets(self, labels, column, read)
        return add_sheet(self, sheet, find_drawing_system(self, sheets))

    def findings(self, *, level: float = 0.95, seed: int = 0) -> tuple[Finding, ...]:
        """Return what may be wrong with the labels or the judge."""
        if (level, seed) not in self._diagnosed:
            self._diagnosed[level, seed] = tuple(diagnose_judged(self, level=level, seed=seed))
        return self._diagnosed[level, seed]

    # Checks -----------------------------------------------------------------------------------------------------------

    def _labels(self, column: str) -> set[Label]:
        return set(self.patterns.labels[self.patterns.place(column)])

    def _system(self, system: str | None) -> str:
        """Return the name of a system, or of the only one."""
        if system is None:
            if len(self.systems) > 1:
                raise InputError(f"there are several systems, {list_names(self.systems)}; name one of them")
            return self.systems[0]
        if system not in self.systems:
            raise UnknownNameError(f"no system {system!r}; {suggest_name(system, self.systems)}")
        return system

    def _check_enough(self, system: str) -> None:
        """Reject rows of which nothing can be estimated, and more strata than can be drawn."""
        if not self.label_count:
            raise InputError(
                f"no row has a true label in column {self.truth!r}; label some rows at random, or as many of each "
                "verdict and prediction"
            )
        if self.label_count < FEWEST_LABELS:
            raise InputError(f"{self.label_count:g} rows have a true label; label at least {FEWEST_LABELS}")
        present = {name: self.patterns.present[self.patterns.place(name)] for name in (system, *self.judges_of(system))}
        for name, rows in present.items():
            if not rows.any():
                noun = "prediction" if name == system else "verdict"
                raise InputError(f"column {name!r} has no {noun} in any row; name the column that has them")
        labelled = float(self.patterns.counts[self.patterns.present[0] & present[system]].sum())
        if labelled < FEWEST_LABELS:
            raise InputError(
                f"{labelled:g} of the {self.label_count:g} rows with a true label have a prediction of {system}; "
                f"label at least {FEWEST_LABELS} that have one"
            )

        # predictions of which none is a true class: nothing says then which of them are right
        true, predicted = self._labels(self.truth), self._labels(system)
        predicted -= {match_label(self.reject, predicted)}
        if not true & predicted:
            alike = [group for group in lookalikes(true | predicted) if set(map(str, true)) & {*group}]
            few = [", ".join(map(repr, sorted_labels(labels)[:3])) for labels in (predicted, true)]
            advice = f", {suggest_cleaning(alike)}" if alike else ""
            raise InputError(
                f"predictions of {system} ({few[0]}) and true classes ({few[1]}) share no name, so that no verdict can "
                f"be compared with them; rename the predictions{advice}, or leave out the judge"
            )

        strata, classes = len(self.counts(system).rows), len(self.classes)
        if classes > 2 and strata * classes > MAX_DRAWN_CELLS:
            raise InputError(
                f"{classes:,} classes make {strata:,} pairs of verdict and prediction of {system}, more than can be "
                "estimated: merge rare classes, or leave out the judge"
            )


@dataclass(frozen=True)
class JudgedGroup:
    """The judged rows of one group; all of them where rows are not split."""

    group: Mapping[str, str] | None
    rows: Judged
    patterns: Indices
    """Which of all patterns these are, in the same order."""

    @property
    def title(self) -> str:
        """Title of the group."""
        return ", ".join(f"{name} {value}" for name, value in (self.group or {}).items())

    @property
    def key(self) -> tuple[tuple[str, str], ...]:
        """Values of the group, to look it up by."""
        return tuple((self.group or {}).items())


def _add_first_labels(patterns: Rows, first: Rows) -> tuple[Rows, str]:
    """Return the rows with the label that each had in ``first``, where some had none yet; and the name of that column.

    The truth is the first column of both.
    """
    name = f"first {patterns.names[0]}"
    while name in patterns.names:
        name += "_"

    def list_rows(patterns: Rows) -> list[tuple[Label | None, ...]]:
        columns = [
            [None if code < 0 else labels[code] for code in codes]
            for labels, codes in zip(patterns.labels, patterns.codes.tolist(), strict=True)
        ]
        return list(zip(*columns, strict=True))

    before = dict(zip(list_rows(first.select(patterns.names)), first.counts.tolist(), strict=True))
    counts: Counter[tuple[Label | None, ...]] = Counter()
    for row, count in zip(list_rows(patterns), patterns.counts.tolist(), strict=True):
        labelled = 0 if row[0] is None else min(before.get(row, 0), count)
        counts[*row, row[0]] += labelled
        counts[*row, None] += count - labelled
    rows = [row for row, count in counts.items() if count]
    labels = {**dict(zip(patterns.names, patterns.labels, strict=True)), name: patterns.labels[0]}
    places = [{label: code for code, label in enumerate(own)} for own in labels.values()]
    codes = [[-1 if label is None else place[label] for place, label in zip(places, row, strict=True)] for row in rows]
    return Rows.from_codes(labels, np.array(codes, dtype=np.int64).T, np.array([counts[row] for row in rows])), name


# Judged rows from the arguments of evaluate and compare ---------------------------------------------------------------

Columns = tuple[str | None, str | Sequence[str] | None, ReadOptions | None]
"""The columns of the truth and of the systems, and how they are read."""
MEANINGLESS = {
    "examples": "look at the labelled rows by themselves",
    "scores": "sweep the labelled rows by themselves",
    "labels": "classes are all labels that occur",
    "prior": "strata have a prior of their own",
    "sample_size": "rows are counted",
}
"""Options that mean nothing beside a judge, and what to do instead."""


def read_judged(
    source: Source | Judged, y_pred: LabelsByName | None, columns: Columns, options: Mapping[str, Any]
) -> Judged | None:
    """Return the judged rows that a question is about; None where it names no judge."""
    if isinstance(source, Judged):
        if options.get("judge") is not None or y_pred is not None or columns[0] is not None:
            raise InputError("judged rows know their truth, judge and systems; leave these out")
        _check_options(options)
        systems = as_names(columns[1])
        return source.of(*systems) if systems else source
    if options.get("judge") is None:
        for name in ("says", "population", "period"):
            if options.get(name) is not None:
                raise InputError(f"{name} is about the verdicts of a judge; name their column with judge= (--judge)")
        return None
    _check_options(options)
    if y_pred is not None:
        return _count_labels(_pair_labels(source, y_pred, options), y_pred, options)
    if name_tables(source) is not None:
        raise InputError("a judge's verdicts are about rows, and a finished table has none; give the rows")
    return _count_rows(source, columns, options)


def read_judged_groups(
    source: Source | Judged, y_pred: LabelsByName | None, columns: Columns, options: Mapping[str, Any]
) -> list[JudgedGroup]:
    """Return the judged rows by the groups that ``by`` names; nothing where the question names no judge."""
    by = as_names(options.get("by"))
    if by and y_pred is not None and options.get("judge") is not None:
        raise InputError("by= names columns of rows; split the labels, or give a data frame with truth= and system=")
    judged = read_judged(source, y_pred, columns, options)
    return [] if judged is None else judged.split(by)


def find_judge_drift(
    source: Source | Judged, y_pred: LabelsByName | None, columns: Columns, options: Mapping[str, Any]
) -> list[Finding]:
    """Return whether each judge changed between the periods that ``period`` names; nothing where it names none."""
    period = options.get("period")
    if period is None:
        return []
    if isinstance(source, Judged):
        raise InputError("judged rows do not know their periods; give the rows")
    if y_pred is None:
        judged = _count_rows(source, columns, {**options, "by": None})
        names = (judged.truth, *judged.judges, *judged.systems)
        if not isinstance(period, str) or period in names:
            raise InputError(f"period is {period!r}; name a column of its own, beside truth, judge and systems")
        read, clean = columns[2], options.get("clean", ())
        patterns = read_distinct_rows(source, [*names, period], clean=clean, comparable=False, read=read)
    else:
        rows = _pair_labels(source, y_pred, options)
        judged = _count_labels(rows, y_pred, options)
        patterns = Rows.from_columns({**rows, "period": pick_column({}, period)})
        period = "period"
    findings = []
    for judge in judged.judges:
        systems = [name for name in judged.systems if judge in judged.judges_of(name)]
        given = [judged.truth, *(() if judged.kinds[judge] == "class" else systems[:1])]
        findings.append(describe_judge_drift(measure_judge_drift(patterns, given, judge, systems, period)))
    return findings


def _check_options(options: Mapping[str, Any]) -> None:
    for name, way_out in MEANINGLESS.items():
        if options.get(name) is not None and options[name] != "default":
            raise InputError(f"{name}= cannot be combined with a judge; {way_out}")
    if options.get("task", "classification") != "classification":
        raise InputError("clusters have no names that a judge could agree with; leave out task, or judge")


def _count_rows(source: Source, columns: Columns, options: Mapping[str, Any]) -> Judged:
    """Count rows whose columns are named."""
    truth, system, read = columns
    check_rows(source, truth)
    if truth is None or not as_names(system):
        raise InputError("name the truth column and at least one system column beside the judge")
    for name in ("weight", "groups"):
        if options.get(name) is not None and not isinstance(options[name], str):
            raise InputError(f"{name} is not the name of a column; name one, or give labels as (y_true, y_pred)")
    judges, systems = as_names(options["judge"]), as_names(system)
    return Judged.from_rows(source, truth=truth, judge=judges, system=systems, read=read, **_share_options(options))


def _pair_labels(source: Source, y_pred: LabelsByName, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return labels, verdicts and predictions that pair by position, by name."""
    systems, judge = name_predictions(y_pred), options["judge"]
    if isinstance(judge, str):
        raise InputError(f"judge is {judge!r}; beside labels it must be the verdicts themselves, or verdicts by name")
    judges = {str(name): labels for name, labels in judge.items()} if isinstance(judge, Mapping) else {"judge": judge}
    rows: dict[str, Any] = {"y_true": materialize_labels(cast(LabelsLike, source)), **judges, **systems}
    if len(rows) < 1 + len(judges) + len(systems):
        raise InputError("a judge and a system have one name; rename one of them")
    return rows


def _count_labels(rows: Mapping[str, Any], y_pred: LabelsByName, options: Mapping[str, Any]) -> Judged:
    """Count labels, verdicts and predictions that pair by position."""
    systems = name_predictions(y_pred)
    judges = [name for name in rows if name != "y_true" and name not in systems]
    beside = {name: pick_column({}, options[name]) for name in ("weight", "groups") if options.get(name) is not None}
    shared = _share_options(options) | {name: name for name in beside}
    columns: dict[str, Any] = {**rows, **beside}
    return Judged.from_rows(columns, truth="y_true", judge=judges, system=list(systems), **shared)


def _share_options(options: Mapping[str, Any]) -> dict[str, Any]:
    names = ("says", "weight", "groups", "by", "reject", "positive", "population", "clean")
    return {name: options[name] for name in names if options.get(name) is not None}
