"""Rows of truth and scores as they are counted: text becomes numbers, and what is missing is left out and counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from shlex import quote
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoscope.core.numerics import Real
from infoscope.errors import InputError
from infoscope.readers.decode import Tally, check_weights
from infoscope.readers.labels import Cleaning, cleaner, meaning
from infoscope.studies.operating_points.scores import SUM_TOLERANCE, of_logits
from infoscope.tables.column_kinds import number_of
from infoscope.tables.counting import check_weight_scale
from infoscope.tables.labels import Label

__all__ = [
    "ScoreRows",
    "as_numbers",
    "check_distributions",
    "classes_of",
    "cleaned",
    "matched",
    "scored_rows",
    "spelt",
]


@dataclass(frozen=True)
class ScoreRows:
    """Distinct rows: their numbers, truth, how often each occurred, and its summed weight."""

    values: Real
    truth: NDArray[Any]
    rows: NDArray[np.int64]
    weights: Real | None
    squares: Real | None
    ignored: dict[str, int]

    def as_probabilities(self) -> ScoreRows:
        """The same with logits as probabilities."""
        return replace(self, values=of_logits(self.values))

    @property
    def size(self) -> float:
        """How many samples these are, or how many equal ones their weights are worth."""
        if self.weights is None or self.squares is None:
            return float(self.rows.sum())
        return float(self.weights.sum()) ** 2 / float(self.squares.sum())


def cleaned(tally: Tally, truth: str, clean: Cleaning) -> Tally:
    """The truth's labels cleaned as asked; scores are numbers anyway."""
    wash = cleaner(clean)
    return tally.mapped(truth, lambda value: wash(meaning(value, truth))) if clean else tally


def scored_rows(tally: Tally, names: Sequence[str]) -> ScoreRows:
    """Text becomes numbers; rows without truth, score or weight are left out and counted."""
    check_weights(tally)
    truth = np.empty(len(tally.labels[0]), dtype=object)
    truth[:] = list(tally.labels[0])
    columns = [as_numbers(labels, name) for labels, name in zip(tally.labels[1:], names, strict=True)]
    ignored: dict[str, int] = {}
    usable = np.ones(len(tally.rows), dtype=bool)
    empty = [np.array([label is None for label in labels], dtype=bool) for labels in tally.labels]
    reasons = ["missing truth", *(f"missing score in {name!r}" for name in names)]
    for reason, holes, codes in zip(reasons, empty, tally.codes, strict=True):
        _leave_out(usable, holes[codes], reason, tally.rows, ignored)
    if tally.unweighed is not None:
        _leave_out(usable, tally.unweighed, "missing weight", tally.rows, ignored)
    if tally.weights is not None:
        check_weight_scale(np.where(usable, tally.weights, 0.0))
        usable &= tally.weights > 0  # a weight of 0 means: not there
    values = np.column_stack([column[codes] for column, codes in zip(columns, tally.codes[1:], strict=True)])
    kept = np.flatnonzero(usable)
    return ScoreRows(
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


def _spelt_score(label: Any, name: str) -> float:
    """The number that text spells as a percentage or with a decimal comma."""
    number = number_of(label)
    if np.isnan(number):
        raise InputError(
            f"column {name!r} holds {label!r}, which is not a number; scores are numbers: name their column with "
            f"--score, and evaluate predicted classes with infoscope evaluate -s {quote(name)}"
        )
    return number


def as_numbers(labels: Sequence[Any], name: str) -> Real:
    """Labels as numbers, NaN where one is missing; what is no finite number is rejected by its column."""
    numbers = np.full(len(labels), np.nan)
    for at, label in enumerate(labels):
        if label is None:
            continue
        try:
            numbers[at] = float(label)
        except (TypeError, ValueError):
            numbers[at] = _spelt_score(label, name)
        if not np.isfinite(numbers[at]):
            raise InputError(
                f"column {name!r} holds {label!r}, which is not finite; drop these rows, or give them a finite score"
            )
    return numbers


def check_distributions(rows: ScoreRows, names: Sequence[str], *, normalize: bool) -> None:
    """Faults shown with the numbers of a row: equal rows are counted together, so that none has a place in the file."""
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
    stated = ", ".join(f"{name} {value:g}" for name, value in zip(names, rows.values[at], strict=True))
    if normalize:
        raise InputError(f"the probabilities of a row are all zero ({stated}) and cannot be normalised; drop such rows")
    raise InputError(
        f"the probabilities of a row ({stated}) sum to {sums[at]:.6g}, and {int(rows.rows[off].sum())} in all miss one "
        f"by more than {SUM_TOLERANCE:g}; correct them, or divide each row by its sum with normalize "
        "(--normalize on the command line)"
    )


def matched(label: Label | None, labels: NDArray[Any]) -> Label | None:
    """A label typed on the command line is the label that is spelt like it."""
    return next((found for found in labels.tolist() if str(found) == str(label)), label)


def classes_of(names: Sequence[str], labels: NDArray[Any]) -> Sequence[str]:
    """The class of each column: its name, or where these are no classes but ``p_cat``, ``p_dog``, what differs."""
    known = sorted(set(map(str, labels.tolist())))
    for label in known if not set(known) <= set(names) else ():
        before, found, behind = names[0].rpartition(label)
        if found and {f"{before}{each}{behind}" for each in known} <= set(names):
            return [name.removeprefix(before).removesuffix(behind) for name in names]
    return names


def spelt(classes: Sequence[Any], labels: NDArray[Any]) -> list[Any]:
    """Column names as the truth spells its classes, where it does."""
    known = {str(label): label for label in labels.tolist()}
    return [known.get(str(name), name) for name in classes]
