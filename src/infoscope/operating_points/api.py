"""The public functions ``sweep`` and ``tune``: scores beside their truth, and runs at several settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Unpack, cast

import numpy as np
from numpy.typing import NDArray

from infoscope.column_kinds import asked_positive
from infoscope.errors import InputError, check_keywords
from infoscope.inputs import as_names, column_labels, named_column
from infoscope.numeric import Real
from infoscope.operating_points.ranking import ranked
from infoscope.operating_points.result import Sweep
from infoscope.operating_points.scores import SUM_TOLERANCE, BinaryScores, binary_scores
from infoscope.operating_points.thresholds import (
    MAX_THRESHOLDS,
    SweepKeywords,
    as_options,
    check_max_points,
    sweep_levels,
    sweep_scores,
)
from infoscope.operating_points.tuning import Tuning, TuningOptions, tuned
from infoscope.readers import LabelKeywords, ReadOptions, read_joint
from infoscope.readers.assemble import check_weights
from infoscope.readers.columns import Columns
from infoscope.readers.file_patterns import files_by_values, names_in_braces
from infoscope.readers.labels import Cleaning, cleaner, meaning
from infoscope.readers.reader import counted_tables, read_joints
from infoscope.readers.tally import Tally
from infoscope.results.finding import Finding
from infoscope.results.provenance import IgnoredRows, ignored_rows
from infoscope.tables import Contingency
from infoscope.tables.labels import Label
from infoscope.tables.missing import all_ignored, warn_of_rows
from infoscope.typing import ArrayLike, Frame, LabelsLike, Source

__all__ = ["SweepRowsKeywords", "TuneKeywords", "sweep", "tune"]


class SweepRowsKeywords(SweepKeywords, total=False):
    """The same with what is done to labels that are read."""

    clean: Cleaning


def sweep(
    source: Source,
    y_score: ArrayLike | Frame | None = None,
    *,
    truth: str | None = None,
    score: str | Sequence[str] | None = None,
    read: ReadOptions | None = None,
    **options: Unpack[SweepRowsKeywords],
) -> Sweep:
    """All operating points of a score against a truth, with a table at each.

    Give ``(y_true, y_score)``, or rows of any source with the names of their columns in ``truth`` and ``score``. One
    column of scores for two classes: "positive when score ≥ t", for every distinct t. One column of probabilities per
    class (named by ``classes`` in column order, by a data frame's columns, by the names of the columns that are read,
    or sorted like the true labels): the most probable class, rejected unless its ``certainty`` (confidence, margin or
    entropy) is good enough, for every distinct threshold. At most about ``max_points`` points are kept (10,000
    thresholds, 1,000 rejections); the best information and the least cost of a score are never lost by that.
    ``choose_by`` names the metric by which the best point is chosen.

    >>> curve = sweep([1, 1, 0, 0], [0.9, 0.8, 0.3, 0.1])
    >>> print(curve.best().threshold, curve.values("proficiency").max())
    0.8 1.0
    """
    check_keywords(options, SweepRowsKeywords)
    clean = options.get("clean", ())
    choices = cast(SweepKeywords, {name: value for name, value in options.items() if name != "clean"})
    if y_score is not None:
        if truth is not None or score is not None:
            raise InputError("give (y_true, y_score), or name columns with truth= and score=, not both")
        return _asking(sweep_scores(cast(LabelsLike, source), y_score, **choices), choices)
    columns = column_labels(source, truth, score)
    if columns is not None and not clean:
        y_true, scores = columns
        choices["weight"] = named_column(cast("Mapping[str, Any]", source), choices.get("weight"))
        choices.setdefault("classes", None if len(scores) == 1 else list(scores))
        given = next(iter(scores.values())) if len(scores) == 1 else np.column_stack(list(scores.values()))
        return _asking(sweep_scores(y_true, given, **choices), choices)
    if not isinstance(truth, str) or score is None:
        raise InputError("give (y_true, y_score), or name the truth column and the column of scores")
    return _asking(_sweep_rows(source, truth, score, clean, read, choices), choices)


def _asking(found: Sweep, options: SweepKeywords) -> Sweep:
    """The same with a question where neither the caller nor the names of the classes say which one high scores mean."""
    is_stated = options.get("positive") is not None or found.mode != "threshold"
    text = None if is_stated else asked_positive(found.truth_labels, found.positive, "high scores mean")
    if text is None:
        return found
    return replace(
        found, findings=(*found.findings, Finding("positive_asked", text, evidence={"class": found.positive}))
    )


def _sweep_rows(  # noqa: PLR0917 - the columns and how they are read
    source: Any,
    truth: str,
    score: str | Sequence[str],
    clean: Cleaning,
    read: ReadOptions | None,
    options: SweepKeywords,
) -> Sweep:
    """One column is counted where it lies, so that a source of any size is reduced to its distinct scores."""
    check_max_points(options.get("max_points"))
    names = [score] if isinstance(score, str) else list(score)
    tally = read_joint(source, truth=truth, system=names, weight=options.get("weight"), read=read).tally
    rows = _scored(_cleaned(tally, truth, clean), names)
    warn_of_rows(rows.ignored)
    if len(names) == 1:
        found = _one_column(rows, options.get("positive"), options.get("max_points") or MAX_THRESHOLDS)
        return found.choose_by(as_options(options.get("choose_by")))
    if options.get("positive") is not None:
        raise InputError("a positive class is for one column of scores; several columns each have a class of their own")
    _check_distributions(rows, names, normalize=options.get("normalize", False))
    values, labels = rows.values, rows.truth
    if rows.weights is None:
        values, labels = np.repeat(values, rows.rows, axis=0), np.repeat(labels, rows.rows)
    options["weight"] = rows.weights
    options["classes"] = _spelt(options.get("classes") or _classes_of(names, labels), labels)
    curve = sweep_scores(labels.tolist(), values, **options)
    left_out = tuple(IgnoredRows(reason, count) for reason, count in rows.ignored.items())
    provenance = replace(curve.provenance, ignored=(*curve.provenance.ignored, *left_out))
    findings = (*curve.findings, *ignored_rows(left_out))
    return replace(curve, sample_size=rows.size, provenance=provenance, findings=findings)


@dataclass(frozen=True)
class _Rows:
    """Distinct rows: their numbers, truth, how often each occurred, and its summed weight."""

    values: Real
    truth: NDArray[Any]
    rows: NDArray[np.int64]
    weights: Real | None
    squares: Real | None
    ignored: dict[str, int]

    @property
    def size(self) -> float:
        """How many samples these are, or how many equal ones their weights are worth."""
        if self.weights is None or self.squares is None:
            return float(self.rows.sum())
        return float(self.weights.sum()) ** 2 / float(self.squares.sum())


def _cleaned(tally: Tally, truth: str, clean: Cleaning) -> Tally:
    """The truth's labels cleaned as asked; scores are numbers anyway."""
    wash = cleaner(clean)
    return tally.mapped(truth, lambda value: wash(meaning(value, truth))) if clean else tally


def _scored(tally: Tally, names: Sequence[str]) -> _Rows:
    """Text becomes numbers; rows without truth, score or weight are left out and counted."""
    check_weights(tally)
    truth = np.empty(len(tally.labels[0]), dtype=object)
    truth[:] = list(tally.labels[0])
    columns = [_as_numbers(labels, name) for labels, name in zip(tally.labels[1:], names, strict=True)]
    ignored: dict[str, int] = {}
    usable = np.ones(len(tally.rows), dtype=bool)
    empty = [np.array([label is None for label in labels], dtype=bool) for labels in tally.labels]
    reasons = ["missing truth", *(f"missing score in {name!r}" for name in names)]
    for reason, holes, codes in zip(reasons, empty, tally.codes, strict=True):
        _leave_out(usable, holes[codes], reason, tally.rows, ignored)
    if tally.unweighed is not None:
        _leave_out(usable, tally.unweighed, "missing weight", tally.rows, ignored)
    if tally.weights is not None:
        usable &= tally.weights > 0  # a weight of 0 means: not there
    values = np.column_stack([column[codes] for column, codes in zip(columns, tally.codes[1:], strict=True)])
    kept = np.flatnonzero(usable)
    return _Rows(
        values[kept],
        truth[tally.codes[0, kept]],
        tally.rows[kept],
        None if tally.weights is None else tally.weights[kept],
        None if tally.squares is None else tally.squares[kept],
        ignored,
    )


def _leave_out(
    usable: NDArray[np.bool_], lost: NDArray[np.bool_], reason: str, rows: NDArray[np.int64], ignored: dict[str, int]
) -> None:
    count = int(rows[usable & lost].sum())
    if count:
        ignored[reason] = count
    usable &= ~lost


def _as_numbers(labels: Sequence[Any], name: str) -> Real:
    numbers = np.full(len(labels), np.nan)
    for at, label in enumerate(labels):
        if label is None:
            continue
        try:
            numbers[at] = float(label)
        except (TypeError, ValueError):
            raise InputError(f"column {name!r} holds {label!r}, which is not a number; scores are numbers") from None
        if not np.isfinite(numbers[at]):
            raise InputError(
                f"column {name!r} holds {label!r}, which is not finite; drop these rows, or give them a finite score"
            )
    return numbers


def _check_distributions(rows: _Rows, names: Sequence[str], *, normalize: bool) -> None:
    """Faults told by the numbers of a row: equal rows are counted together, so that none has a place in the file."""
    if rows.values.size and rows.values.min() < 0:
        at, column = np.argwhere(rows.values < 0)[0]
        raise InputError(
            f"column {names[column]!r} holds {rows.values[at, column]:g}; "
            "probabilities are not negative: for raw scores take a softmax first"
        )
    sums = rows.values.sum(axis=1)
    off = sums <= 0 if normalize else np.abs(sums - 1) > SUM_TOLERANCE
    if not off.any():
        return
    at = int(np.argmax(off))
    told = ", ".join(f"{name} {value:g}" for name, value in zip(names, rows.values[at], strict=True))
    if normalize:
        raise InputError(f"the probabilities of a row are all zero ({told}) and cannot be normalised; drop such rows")
    raise InputError(
        f"the probabilities of a row ({told}) sum to {sums[at]:.6g}, and {int(rows.rows[off].sum())} in all miss one "
        f"by more than {SUM_TOLERANCE:g}; correct them, or divide each row by its sum with normalize "
        "(--normalize on the command line)"
    )


def _one_column(rows: _Rows, positive: Label | None, max_points: int) -> Sweep:
    checked = binary_scores(
        rows.values[:, 0], rows.truth.tolist(), positive=_match(positive, rows.truth), sample_weight=None
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


def _match(label: Label | None, labels: NDArray[Any]) -> Label | None:
    """A label typed on the command line is the label that is spelt like it."""
    return next((found for found in labels.tolist() if str(found) == str(label)), label)


def _classes_of(names: Sequence[str], labels: NDArray[Any]) -> Sequence[str]:
    """The class of each column: its name, or where these are no classes but ``p_cat``, ``p_dog``, what differs."""
    known = sorted(set(map(str, labels.tolist())))
    for label in known if not set(known) <= set(names) else ():
        before, found, behind = names[0].rpartition(label)
        if found and {f"{before}{each}{behind}" for each in known} <= set(names):
            return [name.removeprefix(before).removesuffix(behind) for name in names]
    return names


def _spelt(classes: Sequence[Any], labels: NDArray[Any]) -> list[Any]:
    """Column names as the truth spells its classes, where it does."""
    known = {str(label): label for label in labels.tolist()}
    return [known.get(str(name), name) for name in classes]


_LABEL_KEYWORDS = tuple(LabelKeywords.__annotations__)


class TuneKeywords(LabelKeywords, total=False):
    """What ``tune`` may be asked beyond its source."""

    against: Any
    against_name: str
    choose_by: str | None
    seed: int


def tune(
    source: Source,
    parameters: str | Sequence[str],
    *,
    truth: str | None = None,
    system: str | None = None,
    read: ReadOptions | None = None,
    **options: Unpack[TuneKeywords],
) -> Tuning:
    """Runs of one system at several settings, in the order of their parameters, and which setting is best.

    ``source`` maps a parameter's value, or a tuple with one value per parameter, to the table of that run; or it holds
    rows, with ``truth``, ``system`` and ``parameters`` naming columns. A name like ``runs/depth={depth}-k={k}.csv``
    means every file that fits, with the parts in braces as its setting. ``against`` says what each setting costs: a
    mapping of the same settings to numbers, or a column that is averaged over the rows of a setting. Text that is a
    number counts, and sorts, as one. ``choose_by`` names the metric that decides.
    """
    check_keywords(options, TuneKeywords)
    names = as_names(parameters)
    against = options.get("against")
    choice = TuningOptions(options.get("choose_by") or TuningOptions().metric, options.get("seed", 0))
    if isinstance(source, Mapping) and all(isinstance(table, Contingency) for table in source.values()):
        found = tuned(source, names, against=against, against_name=options.get("against_name", "against"))
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
        joint = Columns.asked(truth, [against], by=list(names), joint=True)
        costs = {group: _mean(found.tally, against) for group, found in read_joints(source, joint, (), read).items()}
    by_setting = {group: table for (group, _), table in tables.items()}
    found = tuned(by_setting, names, against=costs, against_name=against or "against")
    return replace(found, options=choice)


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
    """Files whose names fit a pattern with braces, by the values that stand in them."""
    inside = names_in_braces(pattern)
    for name in names:
        if name not in inside:
            raise InputError(f"parameter {name!r} does not stand in {pattern!r}; write it as {{{name}}}")
    for name in inside:
        if name not in names:
            raise InputError(f"{{{name}}} in {pattern!r} is not among the parameters; add --parameter {name}")
    return files_by_values(pattern, names)


def _mean(tally: Tally, name: str) -> float:
    """Mean of a column of numbers over its rows; empty fields are left out."""
    numbers = _as_numbers(tally.labels[1], name)[tally.codes[1]]
    known = ~np.isnan(numbers)
    if not known.any():
        raise InputError(f"column {name!r} has no number for one of the settings; each needs one")
    return float(np.average(numbers[known], weights=tally.rows[known]))
