"""Operating points of rows in files: scores beside their truth, and runs at several settings."""

from __future__ import annotations

import glob
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoscope.errors import InputError
from infoscope.numeric import Real
from infoscope.operating_points.choice import ChoiceOptions
from infoscope.operating_points.front import (
    MOST_THRESHOLDS,
    as_options,
    check_most,
    sweep,
    sweep_levels,
)
from infoscope.operating_points.levels import ranked
from infoscope.operating_points.refusing import Certainty
from infoscope.operating_points.result import Sweep
from infoscope.operating_points.scoring import SUM_TOLERANCE, BinaryScores, binary_scores
from infoscope.operating_points.tuning import Tuning, TuningOptions, tune
from infoscope.readers import ReadOptions, read_joint, read_tables
from infoscope.readers.assembly import check_weights
from infoscope.readers.labels import Cleaning, cleaner, meaning
from infoscope.readers.tally import Tally
from infoscope.results.provenance import IgnoredRows, ignored_rows
from infoscope.tables import Contingency
from infoscope.tables.labels import Label
from infoscope.tables.missing import all_ignored, warn_of_rows

__all__ = ["sweep_source", "tune_source"]


def sweep_source(  # noqa: PLR0913 - a public front
    source: Any,
    truth: str,
    score: str | Sequence[str],
    *,
    weight: str | None = None,
    positive: Label | None = None,
    classes: Sequence[Any] | None = None,
    by: Certainty = "confidence",
    reject: Label = "rejected",
    most: int | None = None,
    normalize: bool = False,
    choose_by: str | ChoiceOptions | None = None,
    clean: Cleaning = (),
    how: ReadOptions | None = None,
) -> Sweep:
    """The sweep of one column of scores, or of one column of probabilities per class, of any source of rows.

    The classes of several columns are ``classes``, in the order of the columns, or else the columns' own names.
    One column is counted where it lies, so that a source of any size is reduced to its distinct scores.
    """
    check_most(most)
    names = [score] if isinstance(score, str) else list(score)
    tally = read_joint(source, truth, names, weight=weight, how=how).tally
    rows = _scored(_cleaned(tally, truth, clean), names)
    warn_of_rows(rows.ignored)
    if len(names) == 1:
        return replace(_one_column(rows, positive, most or MOST_THRESHOLDS), options=as_options(choose_by))
    if positive is not None:
        raise InputError("a positive class is for one column of scores; several columns each have a class of their own")
    _check_distributions(rows, names, normalize=normalize)
    values, labels = rows.values, rows.truth
    if rows.weights is None:
        values, labels = np.repeat(values, rows.rows, axis=0), np.repeat(labels, rows.rows)
    curve = sweep(
        values,
        labels.tolist(),
        classes=_spelt(classes or names, labels),
        sample_weight=rows.weights,
        by=by,
        reject=reject,
        most=most,
        normalize=normalize,
        choose_by=choose_by,
    )
    left_out = tuple(IgnoredRows(reason, count) for reason, count in rows.ignored.items())
    provenance = replace(curve.provenance, ignored=(*curve.provenance.ignored, *left_out))
    return replace(
        curve, sample_size=rows.size, provenance=provenance, findings=(*curve.findings, *ignored_rows(left_out))
    )


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


def _one_column(rows: _Rows, positive: Label | None, most: int) -> Sweep:
    checked = binary_scores(
        rows.values[:, 0], rows.truth.tolist(), positive=_match(positive, rows.truth), sample_weight=None
    )
    weights = rows.rows if rows.weights is None else rows.weights
    counted = BinaryScores(checked.scores, checked.is_positive, checked.labels, checked.positive, weights)
    return sweep_levels(
        ranked(counted), checked.labels, checked.positive, most=most, sample_size=rows.size, ignored=rows.ignored
    )


def _match(label: Label | None, labels: NDArray[Any]) -> Label | None:
    """A label typed on the command line is the label that is spelt like it."""
    return next((found for found in labels.tolist() if str(found) == str(label)), label)


def _spelt(classes: Sequence[Any], labels: NDArray[Any]) -> list[Any]:
    """Column names as the truth spells its classes, where it does."""
    known = {str(label): label for label in labels.tolist()}
    return [known.get(str(name), name) for name in classes]


def tune_source(  # noqa: PLR0913 - a public front
    source: Any,
    truth: str,
    system: str,
    by: str | Sequence[str],
    *,
    against: str | None = None,
    weight: str | None = None,
    reject: Label | None = None,
    positive: Label | None = None,
    choose_by: str | None = None,
    clean: Cleaning = (),
    how: ReadOptions | None = None,
) -> Tuning:
    """The tables of runs at several settings: parameters are columns, or stand in the files' names.

    A name like ``runs/depth={depth}-k={k}.csv`` means every file that fits, with the parts in braces as its setting.
    ``against`` is a column of numbers, averaged over the rows of a setting.
    """
    names = (by,) if isinstance(by, str) else tuple(by)
    columns = {"weight": weight, "reject": reject, "positive": positive, "clean": clean, "how": how}
    is_query = how is not None and how.engine == "sql"
    if isinstance(source, str) and "{" in source and not is_query:
        found = _tune_files(_fitting(source, names), names, (truth, system, against), columns)
        return found if choose_by is None else replace(found, options=TuningOptions(choose_by))
    reading = read_tables(source, truth, system, by=list(names), **columns)  # type: ignore[arg-type]
    warn_of_rows(reading.ignored)
    tables = {group: next(iter(found.values())) for group, found in reading.tables.items()}
    costs = None
    if against is not None:
        joints = read_joint(source, truth, [against], by=list(names), how=how)
        costs = {group: _mean(joint.tally, against) for group, joint in joints.items()}
    return tune(tables, names, against=costs, against_name=against or "against", choose_by=choose_by)


def _tune_files(
    files: Mapping[tuple[str, ...], str],
    names: tuple[str, ...],
    asked: tuple[str, str, str | None],
    columns: Mapping[str, Any],
) -> Tuning:
    truth, system, against = asked
    tables: dict[Any, Contingency] = {}
    costs: dict[Any, float] = {}
    for setting, path in files.items():
        reading = read_tables(path, truth, system, **columns)
        tables[setting] = next(iter(reading.tables[()].values()))
        if against is not None:
            costs[setting] = _mean(read_joint(path, truth, [against], how=columns["how"]).tally, against)
    warn_of_rows(all_ignored(table.ignored for table in tables.values()))
    return tune(tables, names, against=costs if against else None, against_name=against or "against")


def _fitting(pattern: str, names: tuple[str, ...]) -> dict[tuple[str, ...], str]:
    """Files whose names fit a pattern with braces, by the values that stand in them."""
    inside = re.findall(r"\{(\w+)\}", pattern)
    for name in names:
        if name not in inside:
            raise InputError(f"parameter {name!r} does not stand in {pattern!r}; write it as {{{name}}}")
    for name in inside:
        if name not in names:
            raise InputError(f"{{{name}}} in {pattern!r} is not among the parameters; add --by {name}")
    parts = re.split(r"(\{\w+\})", pattern)
    wild = "".join("*" if part.startswith("{") else glob.escape(part) for part in parts)
    seen: set[str] = set()
    expression = ""
    for part in parts:
        name = part[1:-1]
        if not part.startswith("{"):
            expression += re.escape(part)
        else:
            expression += f"(?P={name})" if name in seen else f"(?P<{name}>[^/]+?)"
            seen.add(name)
    found: dict[tuple[str, ...], str] = {}
    for path in sorted(glob.glob(wild)):
        match = re.fullmatch(expression, path)
        if match is not None:
            found[tuple(match[name] for name in names)] = path
    if not found:
        raise InputError(f"{pattern}: no file fits this pattern; check the name and the folder")
    return found


def _mean(tally: Tally, name: str) -> float:
    """Mean of a column of numbers over its rows; empty fields are left out."""
    numbers = _as_numbers(tally.labels[1], name)[tally.codes[1]]
    known = ~np.isnan(numbers)
    if not known.any():
        raise InputError(f"column {name!r} has no number for one of the settings; each needs one")
    return float(np.average(numbers[known], weights=tally.rows[known]))
