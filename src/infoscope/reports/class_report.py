"""The classes of a classifier in one small text, as scikit-learn's classification report, with intervals."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Unpack, overload

from rich.text import Text

from infoscope.errors import InfoscopeWarning, InputError, check_keywords
from infoscope.metrics.arguments import CountingKeywords, tables
from infoscope.metrics.one_vs_rest import Average, ZeroDivision
from infoscope.reports.text import UNICODE, TextColumn, escape_label, lay_out_columns, shorten_label
from infoscope.results.estimate import Estimate
from infoscope.results.notation import format_count
from infoscope.studies.inputs import UncertaintyKeywords, UncertaintyOptions, kept_rows, labels_by_system
from infoscope.studies.report import ClassScores, score_classes
from infoscope.tables import Contingency, Label
from infoscope.tables.column_kinds import BlankLabels
from infoscope.tables.labels import as_labels
from infoscope.tables.missing import warn_of
from infoscope.typing import LabelsByName, LabelsLike

Entry = dict[str, float | None]
_RATES = {"precision": "precision", "recall": "recall", "f1-score": "f1"}
"""Columns, and the rate in each."""
_AVERAGES: Mapping[str, Average] = {"macro avg": "macro", "weighted avg": "weighted"}
_LEAST_NAME = 12


class ReportKeywords(CountingKeywords, UncertaintyKeywords, total=False):
    """Keywords for the labels and the intervals."""

    zero_division: ZeroDivision | None
    """What 0/0 counts as; undefined unless stated."""
    width: int
    """Columns of the text."""


@overload
def report(
    y_true: LabelsLike | Contingency,
    y_pred: LabelsByName | None = None,
    *,
    digits: int = 2,
    target_names: Sequence[str] | None = None,
    output_dict: Literal[False] = False,
    **options: Unpack[ReportKeywords],
) -> str: ...
@overload
def report(
    y_true: LabelsLike | Contingency,
    y_pred: LabelsByName | None = None,
    *,
    digits: int = 2,
    target_names: Sequence[str] | None = None,
    output_dict: Literal[True],
    **options: Unpack[ReportKeywords],
) -> dict[str, Any]: ...
def report(
    y_true: LabelsLike | Contingency,
    y_pred: LabelsByName | None = None,
    *,
    digits: int = 2,
    target_names: Sequence[str] | None = None,
    output_dict: bool = False,
    **options: Unpack[ReportKeywords],
) -> str | dict[str, Any]:
    """Precision, recall, F1, support and missed information of each class, with intervals, as text.

    Give labels ``(y_true, y_pred)``, where ``y_pred`` may map names of systems to labels, or a table. ``labels`` states
    the classes to report and their order, ``target_names`` what to call them; ``sample_weight``, ``reject``,
    ``pos_label``, ``level``, ``prior`` and ``seed`` are those of ``evaluate``. With ``output_dict`` the same as a
    dictionary: by class the numbers of scikit-learn's report, each with its interval as ``precision_low`` and
    ``precision_high``; captured information with the sample's value as ``captured_in_sample``.
    ``uncertainty=None`` leaves intervals and corrections out.

    >>> print(report(["cat", "cat", "dog", "dog"] * 20, ["cat", "dog", "dog", "dog"] * 20))
                  precision       recall          f1-score        support  missed
    cat           1.00 0.83–1.00  0.50 0.35–0.65  0.67 0.52–0.79       40     58%
    dog           0.67 0.54–0.78  1.00 0.91–1.00  0.80 0.70–0.87       40     42%
    <BLANKLINE>
    accuracy                                      0.75 0.65–0.83       80
    macro avg     0.83 0.75–0.88  0.75 0.66–0.82  0.73 0.62–0.81       80
    weighted avg  0.83 0.76–0.87  0.75 0.65–0.83  0.73 0.61–0.82       80
    captured                                      0.28 0.14–0.42       80
    <BLANKLINE>
    Captured in this sample: 0.31, inflated by few rows per class.
    <BLANKLINE>

    Precision, recall, F1 and accuracy are those of the sample, as scikit-learn prints them. "missed" is the fraction of
    all missed information of this sample that the class causes, "captured" the fraction of the truth's information that
    is captured (proficiency), corrected for what few rows per class add to information.
    """
    check_keywords(options, ReportKeywords)
    given: dict[str, Any] = dict(options)
    look = _Look(digits, given.pop("width", 80))
    zero = given.pop("zero_division", None)
    how = UncertaintyOptions.from_keywords(given)
    counting = {name: value for name, value in given.items() if name not in UncertaintyKeywords.__optional_keys__}
    asked = counting.get("labels")
    counted = _tables(y_true, y_pred, counting)
    warn_of([str(blanks)] if (blanks := BlankLabels.of([*counted.items()])) else [], InfoscopeWarning)
    found = {
        name: _named(score_classes(table, how, zero, _part_of(table, asked)), target_names)
        for name, table in counted.items()
    }
    parts = {name: _entries(scores) if output_dict else _text(scores, look) for name, scores in found.items()}
    if not isinstance(y_pred, Mapping):
        return next(iter(parts.values()))
    return parts if output_dict else "\n".join(f"{name}\n{text}" for name, text in parts.items())


def _tables(y_true: Any, y_pred: Any, counting: dict[str, Any]) -> dict[str, Contingency]:
    if isinstance(y_true, Contingency):
        if y_pred is not None or counting:
            raise InputError("a table has been counted already; give it alone, or give labels as (y_true, y_pred)")
        return {"system": y_true}
    if y_pred is None:
        raise InputError("report takes labels as (y_true, y_pred), or a table: Contingency.from_matrix(counts)")
    return {name: _counted(kept_rows(y_true), labels, counting) for name, labels in labels_by_system(y_pred).items()}


def _counted(y_true: Any, y_pred: Any, counting: dict[str, Any]) -> Contingency:
    """The table of the classes stated; of all classes where those stated are only a part of them."""
    if counting.get("labels") is None:
        found: Contingency = tables.count(y_true, y_pred, **counting)
        return found
    whole: Contingency = tables.count(y_true, y_pred, **{**counting, "labels": None})
    return whole if _part_of(whole, counting["labels"]) else tables.count(y_true, y_pred, **counting)


def _part_of(table: Contingency, labels: Any) -> tuple[Label, ...] | None:
    """The classes to report where they are not all that there are."""
    if labels is None or isinstance(labels, str):
        return None
    stated, known = as_labels(labels), {*table.truth_labels, *table.system_labels} - {table.reject}
    strange = [label for label in stated if label not in known]
    if not known - set(stated):
        return None
    if strange:
        raise InputError(f"no sample has the label {strange[0]!r}; leave it out of labels=, or name all classes there")
    return stated


def _named(scores: ClassScores, target_names: Sequence[str] | None) -> ClassScores:
    if target_names is None:
        return scores
    names = tuple(str(name) for name in target_names)
    if len(names) != len(scores.labels):
        raise InputError(
            f"target_names has {len(names)} names for {len(scores.labels)} classes; give one for each class"
        )
    return replace(scores, labels=names)


# ── as a dictionary ──────────────────────────────────────────────────────────────────────────────


def _entries(scores: ClassScores) -> dict[str, Any]:
    entries: dict[str, Any] = {}
    for at, label in enumerate(scores.labels):
        rates = {column: scores.classes[rate][at] for column, rate in _RATES.items()}
        entries[label] = _entry({**rates, "missed": scores.classes["missed"][at]}, scores.support[at])
    for name, average in _AVERAGES.items():
        rates = {column: scores.averages[average][rate] for column, rate in _RATES.items()}
        entries[name] = _entry(rates, scores.listed)
    for name, estimate in (("accuracy", scores.accuracy), ("captured", scores.proficiency)):
        entries |= _columns(name, estimate)
    return entries


def _entry(rates: Mapping[str, Estimate], support: float) -> Entry:
    return {
        **{key: value for name, known in rates.items() for key, value in _columns(name, known).items()},
        "support": support,
    }


def _columns(name: str, known: Estimate) -> Entry:
    columns = {name: known.shown, f"{name}_low": known.low, f"{name}_high": known.high}
    return columns | ({f"{name}_in_sample": known.value} if known.corrected else {})


# ── as text ──────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class _Look:
    """How numbers are written, and in how much room."""

    digits: int
    width: int

    def __post_init__(self) -> None:
        if self.digits < 0 or self.width < 40:
            raise InputError(f"digits is {self.digits} and width {self.width}; give 0 or more, and 40 or more")

    def number(self, known: Estimate, *, interval: bool) -> str:
        if known.shown is None:
            return "–"
        text = f"{known.shown:.{self.digits}f}"
        if not interval or known.low is None or known.high is None:
            return text
        return f"{text} {known.low:.{self.digits}f}–{known.high:.{self.digits}f}"


def _text(scores: ClassScores, look: _Look) -> str:
    laid_out = _laid_out(scores, look, interval=True)
    if _needed(laid_out) > look.width:
        laid_out = _laid_out(scores, look, interval=False)
    lines = [line.plain.rstrip() for line in lay_out_columns(laid_out, look.width, UNICODE)]
    notes = [line for note in _notes(scores, look) for line in textwrap.wrap(note, look.width)]
    return "\n".join([*lines, *([""] if notes else []), *notes]) + "\n"


def _needed(laid_out: Sequence[TextColumn]) -> int:
    """The least room that all columns take, with names cut as far as they may be."""
    return sum(min(column.least or column.width, column.width) for column in laid_out) + 2 * (len(laid_out) - 1)


def _laid_out(scores: ClassScores, look: _Look, *, interval: bool) -> list[TextColumn]:
    blank = Text()

    def cell(known: Estimate) -> Text:
        return Text(look.number(known, interval=interval))

    names = [*(escape_label(label, UNICODE) for label in scores.labels), "", "accuracy", *_AVERAGES, "captured"]
    parts = [TextColumn("", list(map(Text, names)), least=_LEAST_NAME)]
    for title, rate in _RATES.items():
        averages = [cell(scores.averages[average][rate]) for average in _AVERAGES.values()]
        ends = (cell(scores.accuracy), cell(scores.proficiency)) if rate == "f1" else (blank, blank)
        cells = [*map(cell, scores.classes[rate]), blank, ends[0], *averages, ends[1]]
        parts.append(TextColumn(title, cells, priority=8))
    support = [Text(format_count(number)) for number in scores.support]
    of_averages = [Text(format_count(scores.listed))] * len(_AVERAGES)
    total = [Text(format_count(scores.total)), *of_averages, Text(format_count(scores.total))]
    missed = [Text("–" if known.shown is None else f"{known.shown:.0%}") for known in scores.classes["missed"]]
    return [
        *parts,
        TextColumn("support", [*support, blank, *total], right=True, priority=7),
        TextColumn("missed", [*missed, blank, *[blank] * len(total)], right=True, priority=1),
    ]


def _notes(scores: ClassScores, look: _Look) -> Iterator[str]:
    """What the sample itself captures, and what is undefined and why."""
    captured = look.number(scores.proficiency, interval=False)
    sample = look.number(Estimate(scores.proficiency.value), interval=False)
    if sample != captured:
        why = ", inflated by few rows per class" * (
            (scores.proficiency.value or 0.0) > (scores.proficiency.shown or 0.0)
        )
        yield f"Captured in this sample: {sample}{why}."
    absent = [label for label, number in zip(scores.labels, scores.support, strict=True) if not number]
    rates = zip(scores.labels, scores.classes["precision"], strict=True)
    silent = [label for label, known in rates if known.undefined is not None]
    if absent:
        yield f"No true samples of {_listed(absent)}: recall is undefined, and so is its macro average."
    if silent:
        yield f"Never predicted: {_listed(silent)}. Precision is undefined, and so are its averages."


def _listed(names: Sequence[str]) -> str:
    first = ", ".join(shorten_label(repr(name), 40, UNICODE) for name in names[:5])
    return f"{first} and {len(names) - 5} more" if len(names) > 5 else first
