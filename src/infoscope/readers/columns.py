"""Look into a source before it is counted: the names of its columns, some of its rows, and a guess of what they hold.

``resolve_columns`` is for functions whose caller may leave columns unnamed: it guesses them, or asks. A guess is sure
only where nothing speaks for another one: several columns that may be the truth, labels in other words, rows of
several models, a list of errors or values that any column may have leave a question instead. ``guess_roles`` guesses
for tables, ``guess_score_roles`` for sweeps, both from names and, more, from contents.
"""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import cached_property
from math import isfinite
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import lazy_loader

from infoscope.core.files import scratch_folder
from infoscope.errors import Advised, InfoscopeWarning, InputError
from infoscope.readers.duckdb import find_scratch, open_session, read_schema, scan_in_order
from infoscope.readers.engine import UNKNOWN_COLUMNS, find_engine, open_source
from infoscope.readers.files import Files, are_parts
from infoscope.readers.frames import is_eager_frame, is_frame, is_record_batches
from infoscope.readers.labels import ROWS_OF_PANDAS, decode_json
from infoscope.readers.matrix_files import recognise_matrix
from infoscope.readers.query import ReadOptions, as_names, check_column_names, check_name, pick_columns
from infoscope.tables import Contingency
from infoscope.tables.counting import warn_of
from infoscope.tables.labels import find_positive, is_missing
from infoscope.typing import Source

if TYPE_CHECKING:
    import narwhals as nw
else:
    nw = lazy_loader.load("narwhals")  # only for frames

# ── names of columns, and first rows ─────────────────────────────────────────────────────────────


SAMPLED_ROWS = 2000
_SMALL_FILE = 4 << 20
"""Bytes up to which the rows are drawn from the whole file; of a larger one they are its first."""


def column_names(source: Source, how: ReadOptions | None = None, known: Collection[str] = ()) -> tuple[str, ...]:
    """Return the column names of a mapping, a frame or files; of several files, those of the first and of its folders.

    ``known`` columns must exist; they tell which sign separates the fields of a CSV file.

    >>> column_names({"gold": ["a"], "svm": ["b"]})
    ('gold', 'svm')
    """
    how = how or ReadOptions()
    with scratch_folder() as folder:
        opened = open_source(source, how, folder)
        if isinstance(opened, Files) and opened.format == "ifs":
            raise InputError(UNKNOWN_COLUMNS)
        engine = find_engine(opened, how, here=True)
        with opened.named() if isinstance(opened, Files) else nullcontext():
            return tuple(engine.schema(opened, how, known))


def list_columns(files: Files, how: ReadOptions, known: Collection[str] = ()) -> list[str]:
    """Return the column names of the first file, with repetitions; ``known`` ones tell what separates them."""
    return [name for name, _ in read_schema(files, how, known)]


def first_rows(
    source: Source, how: ReadOptions | None = None, limit: int = SAMPLED_ROWS, known: Collection[str] = ()
) -> dict[str, list[Any]]:
    """Return up to ``limit`` rows, as values by column; columns that share a name are left out.

    Of small files the rows are a sample, with JSON decoded and empty text as None. ``known`` columns tell which sign
    separates the fields of a CSV file.

    >>> first_rows({"gold": ["a", "b"], "svm": ["b", "b"]}, limit=1)
    {'gold': ['a'], 'svm': ['b']}
    """
    how = how or ReadOptions()
    if isinstance(source, Mapping) and not is_frame(source):
        return {str(name): list(values)[:limit] for name, values in source.items()}
    if is_record_batches(source):
        raise InputError("record batches are read only once; name their columns")
    if is_frame(source):
        names = _drop_repeated(column_names(source))
        head = nw.from_native(source).select(names).head(limit)
        frame = head.collect() if isinstance(head, nw.LazyFrame) else head
        return {name: frame[name].to_list() for name in names}
    with scratch_folder() as folder:
        files = open_source(source, how, folder)
        if not isinstance(files, Files) or files.format == "ifs":
            raise InputError(UNKNOWN_COLUMNS)
        with files.named():
            names = _drop_repeated([*list_columns(files, how, known), *files.hive_keys])
            if not names:
                return {}
            with find_scratch(files) as scratch, open_session(scratch, files.name, how) as session:
                scan = scan_in_order(session, files, names, how.delimiter)
                fields = ", ".join(f"{scan.columns[name]} AS v{i}" for i, name in enumerate(names))
                is_small = sum(path.stat().st_size for path in files.paths) <= _SMALL_FILE
                clause = f"USING SAMPLE reservoir({int(limit)} ROWS) REPEATABLE (1)" if is_small else f"LIMIT {limit:d}"
                lines = session.rows(f"SELECT {fields} FROM {scan.relation} {clause}", **scan.values)
    columns: Any = zip(*lines, strict=True) if lines else [()] * len(names)
    if len(lines) == 1 and all(isinstance(value, str) and value[:1] == "{" for value in lines[0]):
        raise InputError(f"{files.name} has one row, in which each column is an object; {ROWS_OF_PANDAS}")
    if files.format != "ndjson":
        return {
            name: [None if value == "" else value for value in values]
            for name, values in zip(names, columns, strict=True)
        }
    return {
        name: [value if value is None or value[:1] in "[{" else decode_json(value) for value in values]
        for name, values in zip(names, columns, strict=True)
    }


def _drop_repeated(names: Collection[str]) -> list[str]:
    """Leave out names that occur more than once."""
    return [name for name, times in Counter(names).items() if times == 1]


# ── columns as a caller names them, guessed where names and contents leave no doubt ───────────────


_OTHER_COLUMNS = ("weight", "by", "groups", "scores", "show", "baseline_system", "judge", "period")


def resolve_columns(
    source: Any,
    values: Any,
    names: tuple[Any, Any],
    read: ReadOptions | None,
    options: Mapping[str, Any],
    role: Literal["system", "score"] = "system",
) -> tuple[Any, Any]:
    """Return the columns of the truth and of a role as they are named, or guess them with a warning.

    ``names`` are the columns of the truth and of the role as the caller named them; where ``values`` were given instead
    of a role's columns, there is nothing to resolve. A guess that leaves a question is an error.
    """
    if values is not None:
        return names
    truth, named = check_column_names(names[0], "truth"), check_column_names(names[1], role)
    if not (truth is None or named is None) or not _has_columns(source, read):
        return truth, named
    if isinstance(source, (str, PathLike)) and (matrix := recognise_matrix(source)) is not None:
        raise InputError(f"{source} is {matrix}, not rows; give infoscope.readers.read_matrix({str(source)!r})")
    taken = [*as_names(truth), *as_names(named)]
    rows = first_rows(source, read, known=taken)
    pick_columns(taken, list(rows), "the source")
    others = [name for key in _OTHER_COLUMNS for name in as_names(options.get(key))]
    left = [name for name in rows if name not in taken and name not in others]
    if role == "score":
        roles = guess_score_roles(rows, truth=truth, scores=as_names(named), others=others)
    elif len(left) == 1 and taken:  # there is nothing to choose
        columns = as_names(named) or (left[0],)
        roles = ColumnRoles(truth or left[0], columns, reasons=(f"{left[0]!r} is the only column left",))
    else:
        title = fspath(source) if isinstance(source, (str, PathLike)) else "SOURCE"
        roles = guess_roles(rows, truth=truth, systems=as_names(named), others=others, source=title)
    roles = mention_repeated_names(roles, source, read)
    if roles.question is not None:
        wanted = "at least one system" if role == "system" else "the column of scores"
        raise InputError(f"rows need the name of the truth column and of {wanted}: {roles.question}")
    guessed: Any = named or (roles.systems if role == "system" else roles.scores)
    if not isinstance(guessed, str):
        guessed = guessed[0] if len(guessed) == 1 else list(guessed)
    sentence = f"truth={roles.truth!r}, {role}={guessed!r} is guessed; {'; '.join(roles.reasons)}"
    warn_of([sentence], InfoscopeWarning)
    return roles.truth, guessed


def check_optional_name(name: Any) -> str | None:
    """Return the name of a column, or none; reject the values of a column."""
    if name is not None:
        check_name(name)
    return name


def _has_columns(source: Any, read: ReadOptions | None) -> bool:
    """Return True for a file of rows, a frame or a mapping of columns, and not for finished tables."""
    if isinstance(source, (str, PathLike)):
        how = read or ReadOptions()
        return how.engine == "duckdb" and not are_parts([fspath(source)], how.format)
    if isinstance(source, Mapping):
        return bool(source) and not any(isinstance(item, Contingency) for item in source.values())
    return is_eager_frame(source)


# ── the roles of columns ─────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class ColumnRoles:
    """The roles of columns, with the reasons; a question where they are not sure."""

    truth: str | None = None
    systems: tuple[str, ...] = ()
    scores: tuple[str, ...] = ()
    system_scores: tuple[str, ...] = ()
    """For each system the score whose threshold gives its predictions of two classes; empty unless all have one."""
    key: str | None = None
    """A column that names the rows."""
    layout: str | None = None
    """A column that names the system of each row."""
    reasons: tuple[str, ...] = ()
    """One sentence for each column about its role."""
    question: str | None = None
    """Why this is not sure, and what would settle it; None where it is sure."""
    annotators: tuple[str, ...] = ()
    """Columns that are rather compared with each other, for each may be the truth, or none is."""
    rows: int = 0

    @property
    def is_sure(self) -> bool:
        """True if nothing speaks for another choice."""
        return self.question is None


def column_roles(
    source: Source, read: ReadOptions | None = None, *, truth: str | None = None, systems: Sequence[str] = ()
) -> ColumnRoles:
    """Guess what the columns of files, a frame or a mapping hold; those that are named already are not guessed.

    >>> roles = column_roles({"label": ["cat", "dog"] * 9, "svm": ["cat", "dog", "dog"] * 6, "id": list(range(18))})
    >>> roles.truth, roles.systems, roles.is_sure
    ('label', ('svm',), True)
    """
    return guess_roles(first_rows(source, read), truth=truth, systems=systems)


def guess_roles(
    rows: Mapping[str, Sequence[Any]],
    *,
    truth: str | None = None,
    systems: Sequence[str] = (),
    others: Sequence[str] = (),
    source: str = "SOURCE",
) -> ColumnRoles:
    """Guess the truth and the systems from values by column; ``others`` are columns that have a role of another kind.

    ``source`` is the name of the file in commands that a sentence advises.
    """
    columns = [ColumnContents(name, values) for name, values in rows.items() if name not in others]
    evidence = ColumnEvidence(columns, truth, systems, source)
    best = max(evidence.candidates, key=lambda candidate: candidate.points, default=None)
    twin = None if best is None else _find_twin(evidence, best)
    if best is not None and twin is not None and best.truth.is_numeric and not twin.truth.is_numeric:
        best, twin = twin, best  # names say more than numbers
    true, predicted = (None, ()) if best is None else (best.truth, best.systems)
    layout = None if true is None else evidence.find_layout(true)
    doubt = _find_doubt(evidence, best, twin)
    return ColumnRoles(
        truth=None if true is None else true.name,
        systems=tuple(column.name for column in predicted),
        scores=tuple(column.name for column in evidence.scores),
        system_scores=evidence.match_scores(true, predicted),
        key=evidence.key,
        layout=None if layout is None else layout.name,
        reasons=() if best is None else tuple(_explain_choice(evidence, best, twin)),
        question=None if doubt is None else doubt.question,
        annotators=() if doubt is None else doubt.annotators,
        rows=evidence.rows,
    )


def guess_score_roles(
    rows: Mapping[str, Sequence[Any]],
    *,
    truth: str | None = None,
    scores: Sequence[str] = (),
    others: Sequence[str] = (),
) -> ColumnRoles:
    """Guess the truth and one score of two classes, or one for each class, by names and contents.

    >>> roles = guess_score_roles({"label": ["spam", "ham"] * 9, "probability": [0.9, 0.2, 0.4] * 6})
    >>> roles.truth, roles.scores, roles.is_sure
    ('label', ('probability',), True)
    """
    columns = [ColumnContents(name, values) for name, values in rows.items() if name not in others]
    by_name = {column.name: column for column in columns}
    size = max((len(column.texts) for column in columns), default=0)
    chosen = [by_name[name] for name in scores if name in by_name]
    chosen = chosen or [c for c in columns if c.is_score] or [c for c in columns if c.is_probability]
    names = tuple(column.name for column in chosen)

    true, question = None if truth is None else by_name.get(truth), "no column looks like the truth"
    if true is None:
        labels = [c for c in columns if c.is_labels and c not in chosen and len(c.counts) > 1]
        best_name = max((c.truth_name for c in labels), default=0)
        named = [c for c in labels if c.truth_name == best_name >= 2]
        unnamed = [c for c in labels if not c.is_named_prediction]
        if len(named) == 1:
            true = named[0]
        elif named:
            question = f"{' and '.join(repr(c.name) for c in named[:3])} may each be the truth"
        elif len(unnamed) == 1 and len(columns) == len(chosen) + 1:
            true = unnamed[0]
    if true is None:
        return ColumnRoles(scores=names, question=question, rows=size)

    reasons: tuple[str, ...] = ()
    if truth is None:
        reasons += (f"truth: {true.name!r} ({len(true.counts):,} classes: {true.describe()})",)
    if not scores:
        reasons += (f"scores: {', '.join(map(repr, names))} (numbers from 0 to 1)",)
    doubt = _doubt_scores(true, names)
    if doubt is not None and len(true.counts) == 2:
        names = names[:1]  # scores of several systems, of which one is asked about at a time
    return ColumnRoles(true.name, scores=names, reasons=reasons, question=doubt, rows=size)


def _doubt_scores(truth: ColumnContents, scores: Sequence[str]) -> str | None:
    """Say why scores are not those of the classes; None where they are."""
    classes = sorted(truth.counts)
    if not scores:
        return "no column looks like scores: numbers with fractions from 0 to 1"
    if len(scores) == 1:
        many = f"{scores[0]!r} is one column of scores and {truth.name!r} has {len(classes):,} classes"
        return None if len(classes) == 2 else f"{many}: give one column for each class"
    scored = []  # the class that each name states, alone or at its end, as in p_cat
    for name in map(str.lower, scores):
        ends = {label: label.lower() for label in classes}
        fitting = (label for label, end in ends.items() if name == end or name.endswith((f"_{end}", f" {end}")))
        scored.append(next(fitting, None))
    if None not in scored and sorted(filter(None, scored)) == classes:
        return None
    names = ", ".join(map(repr, scores[:4]))
    if len(classes) == 2:
        return f"{names} are several columns of scores, and {truth.name!r} has two classes: name one of them"
    return f"{names} are several columns of scores, and their names do not say one for each class of {truth.name!r}"


def mention_repeated_names(roles: ColumnRoles, source: Source, read: ReadOptions | None = None) -> ColumnRoles:
    """Add a sentence about columns that share a name, none of which can be taken.

    >>> mention_repeated_names(ColumnRoles(truth="label"), {"label": ["a"]}).reasons
    ()
    """
    if not isinstance(source, (str, PathLike, Files)):
        return roles
    how = read or ReadOptions()
    with scratch_folder() as folder:
        files = open_source(source, how, folder)
        known = [name for name in (roles.truth, *roles.systems, *roles.scores) if name is not None]
        present = list_columns(files, how, known) if isinstance(files, Files) and files.format != "ifs" else []
    names = [name for name, times in Counter(present).items() if times > 1]
    if not names:
        return roles
    listed = " or ".join(map(repr, names[:3]))
    if roles.question is None:
        return replace(roles, reasons=(*roles.reasons, f"not used: several columns that are named {listed}"))
    return replace(roles, question=roles.question + f"; several columns are named {listed}: rename them")


# ── what speaks for each role ────────────────────────────────────────────────────────────────────


MAX_COMPARED = 60
"""Columns that are compared in pairs."""
MIN_SHARED = 0.8
"""Share of predictions that are one of the true classes."""
MIN_AGREEMENT = 0.15
"""Kappa from which on values that any column may have are taken for predictions, without certainty."""
SURE_AGREEMENT = 0.3
FEW_CLASSES = 5
"""Classes below which two columns agree by chance of their meaning, as flags do."""


@dataclass(frozen=True)
class TruthCandidate:
    """A column that may be the truth, with the columns that may hold predictions of it."""

    truth: ColumnContents
    certain: tuple[ColumnContents, ...]
    perhaps: tuple[ColumnContents, ...]

    @property
    def points(self) -> float:
        """Points that speak for it."""
        return self.truth.truth_name + 2.0 * bool(self.certain) + bool(self.perhaps)

    @property
    def systems(self) -> tuple[ColumnContents, ...]:
        """Columns taken as predictions: the sure ones, else those that may be."""
        return self.certain or self.perhaps


class ColumnEvidence:
    """The columns of a source, and what speaks for each role; columns whose role is stated are not guessed."""

    def __init__(
        self, columns: Sequence[ColumnContents], truth: str | None, systems: Sequence[str], source: str
    ) -> None:
        self.columns = columns
        self.source = shlex.quote(source)
        self.stated = truth
        self.wanted = tuple(systems)
        self.by_name = {column.name: column for column in columns}
        self.rows = max((len(column.texts) for column in columns), default=0)
        self.scores = [c for c in columns if c.is_score and c.name not in (truth, *systems)]
        labels = [c for c in columns if c.is_labels and c not in self.scores]
        if len(labels) > MAX_COMPARED:  # those whose names say something, and the first
            named = (truth, *systems)
            telling = [c for c in labels if c.name in named or c.truth_name or c.predicted_name or c.is_named_model]
            kept = {column.name for column in (*telling, *labels[:MAX_COMPARED])}
            labels = [column for column in labels if column.name in kept][: 2 * MAX_COMPARED]
        self.labels = labels
        """Columns that are compared with each other."""
        keys = [column for column in columns if column.is_key]
        named_keys = [column for column in keys if column.has_word(KEY_WORDS)]
        self.key = next((column.name for column in (*named_keys, *keys)), None)
        """A column that names the rows."""

    @cached_property
    def candidates(self) -> list[TruthCandidate]:
        """Columns that may be the truth: one that was named, else labels whose name or contents say so."""
        if self.stated is not None:
            subjects = [self.by_name[self.stated]] if self.stated in self.by_name else []
        else:
            free = [c for c in self.labels if c.name not in self.wanted and not c.is_named_prediction]
            subjects = [column for column in free if len(column.counts) > 1]
        candidates = []
        for truth in subjects:
            certain: list[ColumnContents] = []
            perhaps: list[ColumnContents] = []
            if self.wanted:
                named = [self.by_name[name] for name in self.wanted if name in self.by_name]
                certain = named if all(measure_shared(truth, column) >= MIN_SHARED for column in named) else []
            else:
                for column in self.labels:
                    if column is not truth and column.truth_name < 3 and measure_shared(truth, column) >= MIN_SHARED:
                        strength = rate_prediction(truth, column)
                        if strength:
                            (certain if strength > 1 else perhaps).append(column)
            if self.stated is not None or certain or perhaps or truth.truth_name >= 2:
                candidates.append(TruthCandidate(truth, tuple(certain), tuple(perhaps)))
        return candidates

    def find_layout(self, truth: ColumnContents) -> ColumnContents | None:
        """Find a column that names models, whose rows stand below each other."""
        for column in self.labels:
            is_other = column is not truth and column.name not in self.wanted and column.has_word(LAYOUT_WORDS)
            if is_other and 2 <= len(column.counts) <= 50 and measure_shared(truth, column) < MIN_SHARED:
                return column
        return None

    def match_scores(self, truth: ColumnContents | None, systems: Sequence[ColumnContents]) -> tuple[str, ...]:
        """Return for each system the score that is higher wherever it predicts the positive class, if all have one."""
        if truth is None or len(truth.counts) != 2:
            return ()
        positive = str(find_positive(sorted(truth.counts)))
        names = []
        for system in systems:
            deciding = []
            for score in self.scores:
                rows = [(float(s), p == positive) for s, p in zip(score.texts, system.texts, strict=True) if s and p]
                high, low = ([value for value, is_positive in rows if is_positive is side] for side in (True, False))
                if high and low and min(high) >= max(low):
                    deciding.append(score.name)
            if len(deciding) != 1:
                return ()
            names.append(deciding[0])
        return tuple(names)


def _find_twin(evidence: ColumnEvidence, best: TruthCandidate) -> TruthCandidate | None:
    """Find a candidate that holds the same labels in other words, as numbers beside names."""
    for other in evidence.candidates:
        if other is not best and are_one_to_one(best.truth, other.truth):
            pairs = zip(best.certain, other.certain, strict=False)
            if len(best.certain) == len(other.certain) and all(are_one_to_one(a, b) for a, b in pairs):
                return other
    return None


def rate_prediction(truth: ColumnContents, column: ColumnContents) -> int:
    """Rate whether a column with the classes of a truth holds predictions: 2 certain, 1 possible, 0 not."""
    agreement = measure_kappa(truth, column)
    if column.predicted_name >= 3:
        return 2 if not truth.is_generic or measure_shared(truth, column) == 1 or agreement > SURE_AGREEMENT else 1
    if is_alternative(truth, column):
        return 1
    if column.is_named_model:
        enough = SURE_AGREEMENT if len(truth.counts) < FEW_CLASSES else MIN_AGREEMENT
        return 2 if not truth.is_generic or agreement > enough else 1
    if truth.is_generic:
        return int(agreement > MIN_AGREEMENT or column.predicted_name == 2)
    return 2 if agreement > MIN_AGREEMENT else 1


def is_alternative(truth: ColumnContents, column: ColumnContents) -> bool:
    """Return True if a column may be another truth: the same labels, or named like one, or like another annotator's."""
    return truth.texts == column.texts or bool(column.truth_name) or column.has_word(ALTERNATIVE_WORDS)


# ── why it was chosen, why that is not sure, and what would settle it ────────────────────────────


MIN_ERRORS = 5
"""Rows without any agreement from which on they may be a list of errors."""
MIN_ASSOCIATION = 0.2


def _explain_choice(evidence: ColumnEvidence, best: TruthCandidate, twin: TruthCandidate | None) -> Iterator[str]:
    """Say what was taken for what, what is not used, and what else the columns are good for."""

    def name_all(columns: Sequence[ColumnContents]) -> str:
        return ", ".join(repr(column.name) for column in columns)

    truth = best.truth
    if evidence.stated is None:
        why = "named so" if truth.truth_name >= 2 else "the only other column with these classes"
        yield f"truth: {truth.name!r} ({why}; {len(truth.counts):,} classes: {truth.describe()})"
    if best.systems and not evidence.wanted:
        rates = []
        for column in best.systems:
            same = sum(a == b for a, b in zip(truth.texts, column.texts, strict=False) if a is not None)
            named = "named so; " * (column.predicted_name >= 3)
            rates.append(f"{column.name!r} ({named}right in {same / max(truth.rows, 1):.0%} of {truth.rows:,} rows)")
        yield f"predictions: {', '.join(rates)}"
    if twin is not None:
        names = " and ".join(repr(c.name) for c in (twin.truth, *twin.certain))
        yield f"not used: {names}, the same labels as {twin.truth.describe()}"
    constant = [c for c in evidence.columns if len(c.counts) == 1 and set(c.counts) <= set(truth.counts)]
    left = [c for c in best.perhaps if c not in (*best.systems, *constant)]
    choose = "; choose them as predictions if they are"
    if left:
        what = f"not used: {name_all(left)}, which may be features"
        yield Advised(what, terminal="; -s names them too", page=choose)
    unused = [c for c in constant if c not in best.systems]
    if unused and not evidence.wanted:
        names = f"not used: {name_all(unused)}, always the same class"
        yield Advised(names, terminal="; -s names such columns", page=choose)
    scores = evidence.match_scores(truth, best.systems)
    if scores:
        of = "it" if len(scores) == 1 else "each"
        yield f"scores: {', '.join(map(repr, scores))} (a threshold of {of} gives the predictions)"
    elif evidence.scores:
        what = f"scores: {name_all(evidence.scores)}, for "
        yield Advised(what, terminal="infoscope sweep --score", page="the page of thresholds")
    for column in evidence.labels:  # of which some rows may be training data
        if column.has_word(SPLIT_WORDS) and 2 <= len(column.counts) <= 20:
            apart = f"--by {shlex.quote(column.name)} evaluates them apart"
            yield Advised(
                f"{column.name!r} has {column.describe()} together",
                terminal=f"; {apart}",
                page=f"; in a terminal, infoscope evaluate {evidence.source} {apart}",
            )


class _Doubt(NamedTuple):
    """Why a guess is not sure, and columns that are rather compared with each other."""

    question: str
    annotators: tuple[str, ...] = ()


def _find_doubt(evidence: ColumnEvidence, best: TruthCandidate | None, twin: TruthCandidate | None) -> _Doubt | None:
    """Say what speaks against the best candidate and its predictions; None where nothing does."""
    if best is None and evidence.columns and not evidence.rows:
        return _Doubt("there is a header and no row below it")
    lines = list(zip(*(column.texts for column in evidence.columns), strict=False))
    names = tuple(column.name for column in evidence.columns)
    repeated = lines.count(names) if len(names) > 1 else 0
    if repeated and all(sum(column.counts[name] for name in names) == repeated for column in evidence.columns):
        return _Doubt(
            "its header stands among its rows again, as where files were joined: remove such lines, for example with "
            "awk 'NR == 1 {h = $0} NR == 1 || $0 != h'"
        )
    are_held = [column.name in column.counts for column in evidence.columns if column.is_labels]
    if not evidence.columns or (len(are_held) > 1 and all(are_held)):  # as where the first line holds data
        first = ", ".join(column.name for column in evidence.columns[:4]) or "each name several times"
        return _Doubt(f"its first line ({first}) looks like data: add a line with the names of the columns")
    if evidence.wanted and (best is None or not best.systems):
        return _Doubt(f"no column has the classes of {' and '.join(map(repr, evidence.wanted))}")
    if best is None:
        return _doubt_truth(evidence)
    if not best.systems:
        return _Doubt(_doubt_predictions(evidence, best.truth))
    truth, systems = best.truth, best.systems
    layout = evidence.find_layout(truth)
    if layout is not None:
        by = f"--by {shlex.quote(layout.name)}"
        sentence = Advised(
            f"{layout.name!r} names the system of each row ({layout.describe()})",
            terminal=f": evaluate them apart with {by}",
            page=f"; in a terminal, infoscope evaluate {evidence.source} {by} evaluates them apart",
        )
        return _Doubt(sentence)
    for column in systems:
        pairs = pair_texts(truth, column)
        chance = sum(n * column.counts[text] for text, n in truth.counts.items()) / max(truth.rows * column.rows, 1)
        is_likely = (1 - chance) ** len(pairs) >= 0.2  # that no row agrees, by chance alone
        if len(pairs) >= MIN_ERRORS and not is_likely and all(x != y for x, y in pairs):
            return _Doubt(
                f"{truth.name!r} and {column.name!r} differ in every one of {evidence.rows:,} rows: this looks like a "
                "list of errors, of which nothing can be estimated; give the file with all predictions"
            )
    rivals = [candidate for candidate in evidence.candidates if candidate not in (best, twin)]
    if evidence.stated is None and (doubt := _doubt_choice(evidence, best, rivals)) is not None:
        return doubt
    plain = truth.truth_name >= 2 and not is_alternative(truth, systems[0])
    only_other = len(evidence.columns) == 2 and (truth.truth_name == 4 or plain)
    if evidence.wanted or best.certain or only_other:
        return None
    unsure = " and ".join(repr(column.name) for column in systems[:3])
    return _Doubt(f"{unsure} may hold predictions or be features with the same values ({truth.describe()})")


def _doubt_truth(evidence: ColumnEvidence) -> _Doubt:
    """Say why no column is the truth: predictions of several systems can be compared, of one the truth is elsewhere."""
    named = [column for column in evidence.columns if column.truth_name >= 2]
    for column in named:
        if not column.is_labels and column.rows:
            return _Doubt(
                f"{column.name!r} is named like the truth and holds {len(column.counts):,} different values in "
                f"{column.rows:,} rows, like measurements, free text or identifiers"
            )
    for column in named:
        if len(column.counts) == 1:
            return _Doubt(f"{column.name!r} is named like the truth and has one class alone ({column.describe()})")
    predicted = [column.name for column in evidence.labels if column.is_named_prediction]
    if evidence.key is not None and len(evidence.labels) == 1:
        predicted = [evidence.labels[0].name]  # as in a submission to a competition
    if not predicted:
        return _Doubt("no column looks like the truth")
    like = "looks" if len(predicted) == 1 else "look"
    what = f"no column looks like the truth; {' and '.join(map(repr, predicted[:3]))} {like} like predictions"
    elsewhere, by = "s the truth in another file?", "" if evidence.key is None else f", by {evidence.key!r}"
    sentence = Advised(
        what,
        terminal=f": i{elsewhere} --truth-file LABELS.csv --key {shlex.quote(evidence.key or 'ID')}",
        page=f". I{elsewhere} Put that file into this folder and add its column below{by}",
    )
    if len(predicted) == 1:
        return _Doubt(sentence)
    compares = f"{_write_agree_command(evidence, predicted[:4])} compares them without a truth"
    question = Advised(sentence, terminal=f"; {compares}", page=f"; in a terminal, {compares}")
    return _Doubt(question, tuple(predicted[:4]))


def _doubt_predictions(evidence: ColumnEvidence, truth: ColumnContents) -> str:
    """Say what is beside a truth: predictions in other words, scores, or nothing."""
    for column in evidence.labels:
        if column is not truth and column.predicted_name >= 3 and measure_association(truth, column) > MIN_ASSOCIATION:
            return (
                f"{truth.name!r} ({truth.describe()}) and {column.name!r} ({column.describe()}) use different "
                "words: write both with the same, or name both columns to see which mean the same"
            )
    scores = evidence.scores or [c for c in evidence.columns if c.is_probability and c is not truth]
    if not scores:
        return f"no column looks like predictions of {truth.name!r}"
    options = " ".join(f"--score {shlex.quote(column.name)}" for column in scores[:4])
    command = f"infoscope sweep {evidence.source} -t {shlex.quote(truth.name)} {options}"
    return Advised(
        "there are scores and no predictions",
        terminal=f": {command}, if {truth.name!r} is the truth",
        page=": choose the truth and a score",
    )


def _doubt_choice(evidence: ColumnEvidence, best: TruthCandidate, rivals: Sequence[TruthCandidate]) -> _Doubt | None:
    """Name another column that may be the truth as well, or say that no name tells which one is."""
    truth, systems = best.truth, best.systems
    equal = [
        other.truth.name
        for other in rivals  # named alike, or with predictions where no name decides
        if (
            bool(other.systems) and other.points >= best.points - 1
            if other.truth.truth_name >= 2
            else truth.truth_name < 2 and bool(other.certain)
        )
    ]
    equal = equal or [c.name for c in systems if c.truth_name >= 2 and not best.certain]
    if equal:
        names = (truth.name, *equal[:3])
        sentence = f"{' and '.join(map(repr, names))} may {'both' if len(equal) == 1 else 'all'} be the truth"
        compares = f"{_write_agree_command(evidence, names)} compares annotators without one"
        question = Advised(sentence, terminal=f"; {compares}", page=f"; in a terminal, {compares}")
        return _Doubt(question, names if len(names) > 2 else ())
    if truth.truth_name < 2 and len(evidence.columns) > 2:
        return _Doubt(f"nothing but its contents says that {truth.name!r} is the truth")
    named = bool(evidence.wanted) or any(column.is_named_prediction for column in systems)
    if truth.truth_name < 2 and not named:
        return _Doubt(f"no name says which column is the truth; {truth.name!r} would do as well as {systems[0].name!r}")
    return None


def _write_agree_command(evidence: ColumnEvidence, columns: Sequence[str]) -> str:
    return f"infoscope agree {evidence.source} -s {shlex.quote(','.join(columns))}"


# ── what a column holds and what its name says ───────────────────────────────────────────────────


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


TRUTH_WORDS = {
    **dict.fromkeys(("truth", "true", "gold", "actual", "expected", "groundtruth"), 4),
    **dict.fromkeys(("golden", "gt", "reference", "target"), 3),
    **dict.fromkeys(("label", "labels", "y", "class", "ground", "observed", "outcome", "annotation", "annotated"), 2),
    **dict.fromkeys(("real", "diagnosis", "species"), 2),
    **dict.fromkeys(("correct", "category"), 1),
}
"""Words in names of true labels, by how certain they are."""
PREDICTION_WORDS = {
    **dict.fromkeys(("pred", "preds", "predicted", "prediction", "predictions", "yhat"), 4),
    **dict.fromkeys(("hat", "guess", "output", "classified"), 3),
    **dict.fromkeys(("answer", "system", "decision"), 2),
    **dict.fromkeys(("model", "response", "flag"), 1),
}
MODEL_WORDS = _words(
    "svm svc knn tree forest rf logreg logistic lr nb bayes gaussiannb mlp cnn rnn lstm bert roberta gpt llm llama "
    "resnet xgb xgboost lgbm lightgbm gbm boosting catboost adaboost lda qda sgd ridge perceptron classifier clf "
    "ensemble baseline dummy random model"
)
SCORE_WORDS = _words("score scores prob probs proba probability probabilities confidence conf p logit")
CONFIDENCE_WORDS = _words("prob probs proba probability probabilities confidence conf")
VERDICT_WORDS = _words("correct match matches error right wrong hit")
KEY_WORDS = _words("id ids key uid uuid guid index idx row rowid file filename path image name sample item")
LAYOUT_WORDS = _words("model models system classifier method algorithm estimator run")
SPLIT_WORDS = _words("split fold subset partition")
ALTERNATIVE_WORDS = _words(
    "annotator rater coder human manual reviewer expert crowd worker weak noisy old previous corrected"
)
"""Words in names of labels that may be another truth, and no predictions."""
VERDICTS = _words("true false 0 1 yes no")
GENERIC_VALUES = _words(
    "yes no true false y n t f m male female low medium mid high none unknown other pos neg positive negative good bad "
    "ok na"
)
"""Values that columns of any meaning may share."""
MAX_SEEN_TEXT = 40
"""Mean number of characters up to which texts may name classes."""


class ColumnContents:
    """A column of some rows: its values as text, and what they and its name say about its role."""

    def __init__(self, name: str, values: Sequence[Any]) -> None:
        self.name = name
        if all(type(value) is str for value in values):  # as files have them: few different ones, each looked at once
            text_of = {value: _normalise_text(value) for value in set(values)}
            self.texts = tuple(map(text_of.__getitem__, values))
        else:
            self.texts = tuple(map(_normalise_text, values))
        """The value of each row, None where there is none; a whole number is written in one way."""
        self.counts = Counter(text for text in self.texts if text is not None)
        """Number of occurrences of each value."""
        self.rows = self.counts.total()
        """Rows that have a value."""

        # what the name says
        self.words = tuple(word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+", name))
        like_truth, self.predicted_name = self._rate_name(TRUTH_WORDS), self._rate_name(PREDICTION_WORDS)
        """Certainty with which the name says "prediction", from 0 to 4."""
        self.is_named_model = any(re.sub(r"\d+$", "", word) in MODEL_WORDS for word in self.words)
        """True if the name is, or begins or ends with, that of a kind of model."""
        self.is_named_prediction = (
            self.predicted_name >= 3 or self.is_named_model or (self.predicted_name == 2 and not like_truth)
        )
        """True if the name says "prediction", or that of a model."""
        self.truth_name = 0 if self.is_named_prediction else like_truth
        """Certainty with which the name says "true label", from 0 to 4; 0 where it rather says prediction."""

        # what the values are
        number_of = {text: _parse_number(text) for text in self.counts}
        numbers = [number for number in number_of.values() if number is not None]
        self.is_numeric = bool(numbers) and len(numbers) == len(self.counts)
        """True if all values are numbers."""
        has_fractions = any(not number.is_integer() for number in numbers)
        low, high = min(numbers, default=-1.0), max(numbers, default=-1.0)
        self.is_probability = self.is_numeric and has_fractions and low >= 0 and high <= 1
        """True for numbers with fractions from 0 to 1, whatever the name says."""
        highest = 100.0 if self.has_word(CONFIDENCE_WORDS) else 1.0
        is_score = self.is_numeric and has_fractions and low >= 0 and high <= highest
        self.is_score = is_score and self.has_word(SCORE_WORDS)
        """True for numbers with fractions from 0 to 1 (to 100 for a confidence), under a name that says so."""
        self.is_key = self.rows >= 5 and len(self.counts) >= 0.95 * self.rows and not has_fractions
        """True if nearly every row has a value of its own, and it is no measurement."""
        self.is_generic = all(
            len(text) < 2 or number is not None or text.lower() in GENERIC_VALUES for text, number in number_of.items()
        )
        """True if columns of other meanings may have the same values: numbers, yes and no, single letters."""

        # few different short values without fractions may name classes, unless they say if a prediction was right
        is_verdict = self.has_word(VERDICT_WORDS) and all(text.lower() in VERDICTS for text in self.counts)
        is_verdict = is_verdict and not self._rate_name({**TRUTH_WORDS, "correct": 0})
        is_short = sum(len(text) * n for text, n in self.counts.items()) < MAX_SEEN_TEXT * max(self.rows, 1)
        is_few = len(self.counts) <= max(12, min(2000, 0.5 * self.rows))
        self.is_labels = self.rows > 0 and not has_fractions and is_short and is_few and not is_verdict
        """True if the values may name classes."""

    def _rate_name(self, points: Mapping[str, int]) -> int:
        """Return the points of the strongest word in the name, or of all of them as one."""
        return max((points.get(word, 0) for word in (*self.words, "".join(self.words))), default=0)

    def has_word(self, words: frozenset[str]) -> bool:
        """Return True if the name has one of these words."""
        return bool(words & set(self.words))

    def describe(self, most: int = 3) -> str:
        """List the most frequent values."""
        listed = ", ".join(text if len(text) <= 24 else f"{text[:23]}…" for text, _ in self.counts.most_common(most))
        return listed + (", …" if len(self.counts) > most else "")


def _normalise_text(value: Any) -> str | None:
    if is_missing(value) or value == "":
        return None
    text = str(value).strip()
    return text.removesuffix(".0") if _parse_number(text) is not None else text


def _parse_number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if isfinite(number) and "_" not in text else None


def measure_shared(truth: ColumnContents, column: ColumnContents) -> float:
    """Return the share of the rows of a column whose value is one of the true classes."""
    return sum(n for text, n in column.counts.items() if text in truth.counts) / max(column.rows, 1)


def pair_texts(a: ColumnContents, b: ColumnContents) -> list[tuple[str, str]]:
    """Return the values of both, of the rows that have both."""
    return [(x, y) for x, y in zip(a.texts, b.texts, strict=False) if x is not None and y is not None]


def measure_kappa(a: ColumnContents, b: ColumnContents) -> float:
    """Return Cohen's kappa."""
    pairs = pair_texts(a, b)
    same = sum(x == y for x, y in pairs) / max(len(pairs), 1)
    chance = sum(n / max(a.rows, 1) * b.counts[text] / max(b.rows, 1) for text, n in a.counts.items())
    return (same - chance) / (1 - chance) if chance < 1 else 0.0


def measure_association(a: ColumnContents, b: ColumnContents) -> float:
    """Return Goodman and Kruskal's lambda: how much better b tells the values of a than the most frequent one does."""
    best: dict[str | None, int] = {}
    for (_, y), n in Counter(zip(a.texts, b.texts, strict=False)).items():
        best[y] = max(best.get(y, 0), n)
    total, top = len(a.texts), max(a.counts.values(), default=0)
    return (sum(best.values()) - top) / (total - top) if total > top else 0.0


def are_one_to_one(a: ColumnContents, b: ColumnContents) -> bool:
    """Return True if each value of one stands for one of the other, in other words."""
    pairs = set(pair_texts(a, b))
    return len(pairs) == len(a.counts) == len(b.counts) > 1 and set(a.counts) != set(b.counts)
