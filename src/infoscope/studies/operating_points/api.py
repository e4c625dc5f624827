"""The public functions ``sweep`` and ``tune``: scores beside their truth, and runs at several settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from dataclasses import replace
from typing import Any, Unpack, cast, overload

import numpy as np

from infoscope.core.numerics import distinct
from infoscope.errors import InputError, check_keywords
from infoscope.readers import LabelKeywords, ReadOptions, Tables, read_joint
from infoscope.readers.decode import Tally
from infoscope.readers.files import files_by_values, names_in_braces
from infoscope.readers.guess_columns import as_names, named_scores
from infoscope.readers.labels import Cleaning
from infoscope.readers.query import Query
from infoscope.readers.reader import counted_tables, finished_tables, read_joints
from infoscope.results.finding import Finding
from infoscope.results.provenance import IgnoredRows, describe_ignored_rows
from infoscope.studies.inputs import blank_findings, check_question, column_labels, kept_rows, named_column
from infoscope.studies.operating_points.ranking import ranked
from infoscope.studies.operating_points.result import Sweep
from infoscope.studies.operating_points.score_groups import ScoreGroups, score_groups
from infoscope.studies.operating_points.score_rows import (
    ScoreRows,
    as_numbers,
    check_distributions,
    classes_of,
    cleaned,
    matched,
    scored_rows,
    spelt,
)
from infoscope.studies.operating_points.scores import BinaryScores, binary_scores
from infoscope.studies.operating_points.thresholds import (
    MAX_THRESHOLDS,
    SweepKeywords,
    as_options,
    check_max_points,
    sweep_levels,
    sweep_scores,
)
from infoscope.studies.operating_points.tuning import Tuning, TuningOptions, tuned
from infoscope.tables import Contingency
from infoscope.tables.column_kinds import BlankLabels, asked_positive
from infoscope.tables.construction import Declared, counted_labels
from infoscope.tables.encoding import encode
from infoscope.tables.labels import Label
from infoscope.tables.missing import all_ignored, most_ignored, warn_of_rows
from infoscope.typing import ArrayLike, Frame, LabelsLike, Source

__all__ = ["SweepRowsKeywords", "TuneKeywords", "sweep", "tune"]


class SweepRowsKeywords(SweepKeywords, total=False):
    """The same with what is done to labels that are read."""

    clean: Cleaning
    sample_weight: Any
    """scikit-learn's name for ``weight``."""
    pos_label: Label | None
    """scikit-learn's name for ``positive``."""


@overload
def sweep(
    source: Source,
    y_score: ArrayLike | Frame | Mapping[Any, ArrayLike] | None = None,
    *,
    truth: str | None = None,
    score: str | Sequence[str] | None = None,
    by: None = None,
    read: ReadOptions | None = None,
    **options: Unpack[SweepRowsKeywords],
) -> Sweep: ...
@overload
def sweep(
    source: Source,
    *,
    truth: str,
    score: str,
    by: str | Sequence[str],
    read: ReadOptions | None = None,
    **options: Unpack[SweepRowsKeywords],
) -> ScoreGroups: ...
def sweep(
    source: Source,
    y_score: ArrayLike | Frame | Mapping[Any, ArrayLike] | None = None,
    *,
    truth: str | None = None,
    score: str | Sequence[str] | None = None,
    by: str | Sequence[str] | None = None,
    read: ReadOptions | None = None,
    **options: Unpack[SweepRowsKeywords],
) -> Sweep | ScoreGroups:
    """All operating points of a score against a truth, with a table at each.

    Give ``(y_true, y_score)``, or rows of any source with the names of their columns in ``truth`` and ``score``. One
    column of scores for two classes: "positive when score ≥ t", for every distinct t. One column of probabilities per
    class (named by ``classes`` in column order, by a data frame's columns, by the names of the columns that are read,
    or sorted like the true labels): the most probable class, rejected unless its ``certainty`` (confidence, margin or
    entropy) is good enough, for every distinct threshold. At most about ``max_points`` points are kept (10,000
    thresholds, 1,000 rejections); the best information and the least cost of a score are never lost by that.
    ``choose_by`` names the metric by which the best point is chosen. ``raw`` scores are logits: they become
    probabilities first, by 1 / (1 + exp(−x)), or by a softmax over the columns. With ``by`` the scores are summed up
    for each value of these columns instead, as by ``operating_points.score_groups``. Columns of a file, a frame or a
    mapping that nobody names are guessed where that is sure, with a warning that says so.

    >>> curve = sweep([1, 1, 0, 0], [0.9, 0.8, 0.3, 0.1])
    >>> print(curve.best().threshold, curve.values("proficiency").max())
    0.8 1.0
    """
    check_question(cast("MutableMapping[str, Any]", options), SweepRowsKeywords)
    truth, score = named_scores(source, y_score, (truth, score), read, {**options, "by": by})
    if by is not None:
        return _by_group(source, truth, score, by, read, options)
    clean = options.get("clean", ())
    choices = cast(SweepKeywords, {name: value for name, value in options.items() if name != "clean"})
    if y_score is not None:
        if truth is not None or score is not None:
            raise InputError("give (y_true, y_score), or name columns with truth= and score=, not both")
        return _sweep_labels(cast(LabelsLike, source), y_score, choices)
    columns = column_labels(source, truth, score)
    if columns is not None and not clean:
        choices["weight"] = named_column(cast("Mapping[str, Any]", source), choices.get("weight"))
        return _sweep_labels(*columns, choices)
    if not isinstance(truth, str) or score is None:
        raise InputError("give (y_true, y_score), or name the truth column and the column of scores")
    return _with_label_findings(_sweep_rows(source, truth, score, clean, read, choices), choices)


def _sweep_labels(y_true: LabelsLike, scores: Any, choices: SweepKeywords) -> Sweep:
    """Scores beside their labels; a mapping holds one column, or one for each class by its name."""
    if isinstance(scores, Mapping) and len(scores) > 1:
        if choices.get("classes") is None:
            choices["classes"] = _named_classes(y_true, [str(name) for name in scores])
        scores = _side_by_side(scores)
    elif isinstance(scores, Mapping):
        if not scores:
            raise InputError("no scores are given; map each class to its scores")
        (scores,) = scores.values()
    return _with_label_findings(sweep_scores(y_true, scores, **choices), choices)


def _named_classes(y_true: LabelsLike, names: Sequence[str]) -> list[Any]:
    """The classes that scores are named after, as the truth has them."""
    coded = encode(y_true, "truth")
    present = coded.codes[coded.codes != coded.missing] if coded.missing is not None else coded.codes
    labels = np.array(coded.labels or distinct(present), dtype=object)
    classes = spelt(classes_of(names, labels), labels)
    if not set(classes) & set(labels.tolist()):
        raise InputError(f"{', '.join(names)} are not classes of the truth; sweep the scores of one system at a time")
    return classes


def _side_by_side(scores: Mapping[Any, Any]) -> Any:
    """Scores by class as columns; each class must have as many."""
    first, *others = scores
    for other in others:
        if len(scores[other]) != len(scores[first]):
            raise InputError(
                f"there are {len(scores[first])} scores of {first!r} and {len(scores[other])} of {other!r}; "
                "give one of each class for each row"
            )
    return np.column_stack(list(scores.values()))


_ALSO_OF_GROUPS = ("weight", "positive", "clean", "raw")


def _by_group(
    source: Any, truth: Any, score: Any, by: Any, read: ReadOptions | None, options: Mapping[str, Any]
) -> ScoreGroups:
    names = [score] if isinstance(score, str) else list(score or ())
    if not isinstance(truth, str) or len(names) != 1:
        raise InputError("groups need the names of the truth column and of one column of scores (truth=, score=)")
    for name, value in options.items():
        if value not in (None, False, ()) and name not in _ALSO_OF_GROUPS:
            raise InputError(
                f"{name} is for a curve of operating points; leave it out where scores are split by groups"
            )
    chosen: Any = {name: options[name] for name in _ALSO_OF_GROUPS if name in options}
    return score_groups(source, truth=truth, score=names[0], by=by, read=read, **chosen)


def _with_label_findings(found: Sweep, options: SweepKeywords) -> Sweep:
    """The same with findings about the names of its classes: blank ones, and which one high scores mean."""
    is_stated = options.get("positive") is not None or found.mode != "threshold"
    text = None if is_stated else asked_positive(found.truth_labels, found.positive, "high scores mean")
    asked = () if text is None else (Finding("positive_asked", text, evidence={"class": found.positive}),)
    return replace(found, findings=(*_blank_classes(found), *found.findings, *asked))


def _blank_classes(found: Sweep) -> Iterator[Finding]:
    """The sentence about true classes whose names are blank."""
    if all(label.strip() for label in found.truth_labels):
        return
    table = found.table_at(0)
    blanks = BlankLabels.of_columns({"the truth": (table.truth_labels, table.row_totals)})
    yield from blank_findings(blanks)


def _sweep_rows(
    source: Any,
    truth: str,
    score: str | Sequence[str],
    clean: Cleaning,
    read: ReadOptions | None,
    options: SweepKeywords,
) -> Sweep:
    """One column is counted where it lies, so that a source of any size is reduced to its distinct scores."""
    check_max_points(options.get("max_points"))
    names = list(as_names(score))
    tally = read_joint(source, truth=truth, system=names, weight=options.get("weight"), read=read).tally
    rows = scored_rows(cleaned(tally, truth, clean), names)
    rows = rows.as_probabilities() if options.get("raw") else rows
    warn_of_rows(rows.ignored)
    if len(names) == 1:
        found = _one_column(rows, options.get("positive"), options.get("max_points") or MAX_THRESHOLDS)
        return found.choose_by(as_options(options.get("choose_by")))
    if options.get("positive") is not None:
        raise InputError("a positive class is for one column of scores; several columns each have a class of their own")
    check_distributions(rows, names, normalize=options.get("normalize", False))
    values, labels = rows.values, rows.truth
    if rows.weights is None:
        values, labels = np.repeat(values, rows.rows, axis=0), np.repeat(labels, rows.rows)
    options = {**options, "weight": rows.weights, "raw": False}
    options["classes"] = spelt(options.get("classes") or classes_of(names, labels), labels)
    curve = sweep_scores(labels.tolist(), values, **options)
    left_out = tuple(IgnoredRows(reason, count) for reason, count in rows.ignored.items())
    provenance = replace(curve.provenance, ignored=(*curve.provenance.ignored, *left_out))
    findings = (*curve.findings, *describe_ignored_rows(left_out))
    return replace(curve, sample_size=rows.size, provenance=provenance, findings=findings)


def _one_column(rows: ScoreRows, positive: Label | None, max_points: int) -> Sweep:
    checked = binary_scores(
        rows.values[:, 0], rows.truth.tolist(), positive=matched(positive, rows.truth), sample_weight=None
    )
    weights = rows.rows if rows.weights is None else rows.weights
    counted = BinaryScores(checked.scores, checked.is_positive, checked.labels, checked.positive, weights)
    return sweep_levels(
        ranked(counted),
        checked.labels,
        checked.positive,
        max_points=max_points,
        sample_size=rows.size,
        ignored=rows.ignored,
    )


_LABEL_KEYWORDS = tuple(LabelKeywords.__annotations__)


class TuneKeywords(LabelKeywords, total=False):
    """What ``tune`` may be asked beyond its source."""

    against: Any
    against_name: str
    choose_by: str | None
    seed: int


def tune(
    source: Source,
    y_pred: Mapping[Any, LabelsLike] | str | Sequence[str] | None = None,
    parameters: str | Sequence[str] | None = None,
    *,
    truth: str | None = None,
    system: str | None = None,
    read: ReadOptions | None = None,
    **options: Unpack[TuneKeywords],
) -> Tuning:
    """Runs of one system at several settings, in the order of their parameters, and which setting is best.

    ``source`` maps a parameter's value, or a tuple with one value per parameter, to the table of that run; or it is the
    true labels, and ``y_pred`` maps the settings to the labels predicted with them; or it holds rows, with ``truth``,
    ``system`` and ``parameters`` naming columns. A name like ``runs/depth={depth}-k={k}.csv`` means every file that
    fits, with the parts in braces as its setting. ``against`` says what each setting costs: a mapping of the same
    settings to numbers, or a column that is averaged over the rows of a setting. Text that is a number counts, and
    sorts, as one. ``choose_by`` names the metric that decides.
    """
    check_keywords(options, TuneKeywords)
    if parameters is None and not isinstance(y_pred, Mapping):  # the second of two positions, where the source is whole
        parameters, y_pred = y_pred, None
    if parameters is None:
        raise InputError("name the parameters of the settings, as parameters='depth' or parameters=['depth', 'k']")
    names = as_names(parameters)
    if y_pred is not None:
        source = _tables_of_labels(source, y_pred, (truth, system, read), options)
    if isinstance(source, Tables):
        source = _by_setting(source)
    against = options.get("against")
    choice = TuningOptions(options.get("choose_by") or TuningOptions().metric, options.get("seed", 0))
    if isinstance(source, Mapping) and all(isinstance(table, Contingency) for table in source.values()):
        tables = source if y_pred is not None else finished_tables(source, options)
        found = tuned(tables, names, against=against, against_name=options.get("against_name", "against"))
        return replace(found, options=choice)
    if not isinstance(truth, str) or not isinstance(system, str):
        raise InputError("give the tables of the runs by setting, or name the truth column and the system column")
    columns = cast(LabelKeywords, {name: options[name] for name in _LABEL_KEYWORDS if name in options})  # type: ignore[literal-required]
    is_query = read is not None and read.engine == "sql"
    if isinstance(source, str) and "{" in source and not is_query:
        found = _tune_files(_fitting(source, names), names, (truth, system, against), (columns, read))
        return replace(found, options=choice)
    tables = counted_tables(source, truth, system, read, by=list(names), **columns)
    warn_of_rows(tables.ignored)
    costs = None
    if against is not None:
        query = Query(truth, (against,), by=tuple(names), joint=True, read=read or ReadOptions())
        costs = {group: _mean(found.tally, against) for group, found in read_joints(source, query).items()}
    found = tuned(_by_setting(tables), names, against=costs, against_name=against or "against")
    return replace(found, options=choice)


def _by_setting(tables: Tables) -> dict[Any, Contingency]:
    """The tables of one system by group, where the columns that split the rows are its parameters."""
    systems = list(dict.fromkeys(system for _, system in tables))
    if len(systems) != 1:
        raise InputError(f"settings are those of one system; these are tables of {', '.join(systems)}")
    return {group: table for (group, _), table in tables.items()}


def _tables_of_labels(
    y_true: Any, y_pred: Any, named: tuple[object, ...], options: Mapping[str, Any]
) -> dict[Any, Contingency]:
    """The tables of labels by setting."""
    if not isinstance(y_pred, Mapping):
        raise InputError("y_pred maps each setting to the labels predicted with it, as {1: labels, 2: labels}")
    if any(each is not None for each in named):
        raise InputError("give labels as (y_true, y_pred), or name columns with truth= and system=, not both")
    if options.get("clean"):
        raise InputError("clean= is about labels that are read; clean the labels before you give them")
    stated = Declared(reject=options.get("reject"), positive=options.get("positive"))
    truth = kept_rows(y_true)
    tables = {
        setting: counted_labels(Contingency, truth, labels, options.get("weight"), stated)
        for setting, labels in y_pred.items()
    }
    warn_of_rows(most_ignored(table.ignored for table in tables.values()))
    return tables


def _tune_files(
    files: Mapping[tuple[str, ...], str],
    names: tuple[str, ...],
    asked: tuple[str, str, str | None],
    reading: tuple[LabelKeywords, ReadOptions | None],
) -> Tuning:
    truth, system, against = asked
    columns, read = reading
    tables: dict[Any, Contingency] = {}
    costs: dict[Any, float] = {}
    for setting, path in files.items():
        (tables[setting],) = counted_tables(path, truth, system, read, **columns).values()
        if against is not None:
            costs[setting] = _mean(read_joint(path, truth=truth, system=[against], read=read).tally, against)
    warn_of_rows(all_ignored(table.ignored for table in tables.values()))
    return tuned(tables, names, against=costs if against else None, against_name=against or "against")


def _fitting(pattern: str, names: tuple[str, ...]) -> dict[tuple[str, ...], str]:
    """Files whose names fit a pattern with braces, by the values in their place."""
    inside = names_in_braces(pattern)
    for name in names:
        if name not in inside:
            raise InputError(f"parameter {name!r} does not occur in {pattern!r}; write it as {{{name}}}")
    for name in inside:
        if name not in names:
            raise InputError(f"{{{name}}} in {pattern!r} is not among the parameters; add --parameter {name}")
    return files_by_values(pattern, names)


def _mean(tally: Tally, name: str) -> float:
    """Mean of a column of numbers over its rows; empty fields are left out."""
    numbers = as_numbers(tally.labels[1], name)[tally.codes[1]]
    known = ~np.isnan(numbers)
    if not known.any():
        raise InputError(f"column {name!r} has no number for one of the settings; each needs one")
    return float(np.average(numbers[known], weights=tally.rows[known]))
