"""Print the classes of a classifier in one small text, as scikit-learn's classification report, with intervals.

``report`` is public, as ``infoscope.report``; its numbers are those of ``studies/report.py``.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, overload

import numpy as np
from rich.text import Text

from infoscope.core.validation import LEVEL, SEED, validated
from infoscope.errors import InfoscopeWarning, InputError
from infoscope.metrics.one_vs_rest import Average, ZeroDivision
from infoscope.metrics.registry import tables
from infoscope.reports.text import UNICODE, TextColumn, escape_label, lay_out_columns, shorten_label
from infoscope.results.estimate import Estimate
from infoscope.results.notation import format_count
from infoscope.studies.inputs import UncertaintyOptions, materialize_labels, name_predictions
from infoscope.studies.report import ClassScores, score_classes
from infoscope.tables import Contingency, Label
from infoscope.tables.column_kinds import BlankLabels
from infoscope.tables.counting import warn_of
from infoscope.tables.labels import as_labels
from infoscope.typing import LabelsByName, LabelsLike, PriorLike

_RATES = {"precision": "precision", "recall": "recall", "f1-score": "f1"}
"""The rate of each column, by the column's title."""
_AVERAGES: Mapping[str, Average] = {"macro avg": "macro", "weighted avg": "weighted"}
_MIN_NAME_WIDTH = 12


@overload
def report(
    y_true: LabelsLike | Contingency,
    y_pred: LabelsByName | None = None,
    *,
    digits: int = 2,
    width: int = 80,
    target_names: Sequence[str] | None = None,
    output_dict: Literal[False] = False,
    sample_weight: Iterable[float] | None = None,
    labels: LabelsLike | Literal["own"] | None = None,
    reject: Label | None = None,
    positive: Label | None = None,
    pos_label: Label | None = None,
    zero_division: ZeroDivision | None = None,
    prior: PriorLike = "default",
    level: float = 0.95,
    confidence_level: float | None = None,
    sample_size: float | None = None,
    seed: int = 0,
    rng: int | np.random.Generator | None = None,
    uncertainty: Literal["posterior"] | None = "posterior",
) -> str: ...
@overload
def report(
    y_true: LabelsLike | Contingency,
    y_pred: LabelsByName | None = None,
    *,
    digits: int = 2,
    width: int = 80,
    target_names: Sequence[str] | None = None,
    output_dict: Literal[True],
    sample_weight: Iterable[float] | None = None,
    labels: LabelsLike | Literal["own"] | None = None,
    reject: Label | None = None,
    positive: Label | None = None,
    pos_label: Label | None = None,
    zero_division: ZeroDivision | None = None,
    prior: PriorLike = "default",
    level: float = 0.95,
    confidence_level: float | None = None,
    sample_size: float | None = None,
    seed: int = 0,
    rng: int | np.random.Generator | None = None,
    uncertainty: Literal["posterior"] | None = "posterior",
) -> dict[str, Any]: ...
@validated(level=LEVEL, seed=SEED)
def report(
    y_true: LabelsLike | Contingency,
    y_pred: LabelsByName | None = None,
    *,
    digits: int = 2,
    width: int = 80,
    target_names: Sequence[str] | None = None,
    output_dict: bool = False,
    sample_weight: Iterable[float] | None = None,
    labels: LabelsLike | Literal["own"] | None = None,
    reject: Label | None = None,
    positive: Label | None = None,
    pos_label: Label | None = None,  # noqa: ARG001 - another word for positive
    zero_division: ZeroDivision | None = None,
    prior: PriorLike = "default",
    level: float = 0.95,
    confidence_level: float | None = None,  # noqa: ARG001 - another word for level
    sample_size: float | None = None,
    seed: int = 0,
    rng: int | np.random.Generator | None = None,  # noqa: ARG001 - another word for seed
    uncertainty: Literal["posterior"] | None = "posterior",
) -> str | dict[str, Any]:
    """Rate each class of a classifier: precision, recall, F1, support and missed information, with intervals, as text.

    Precision, recall, F1 and accuracy are those of the sample, as scikit-learn prints them. "missed" is the fraction of
    all missed information of this sample that the class causes, "captured" the fraction of the truth's information that
    is captured (proficiency), corrected for what few rows per class add to information.

    Parameters
    ----------
    y_true
        True labels; or a table, without ``y_pred``.
    y_pred
        Predicted labels, or labels by the name of their system.
    digits : default 2
        Decimals of the rates.
    width : default 80
        Columns of the text; where intervals do not fit, they are left out.
    target_names : optional
        What to call the classes, in their order.
    output_dict : default False
        Return a dictionary: by class the numbers of scikit-learn's report, each with its interval as ``precision_low``
        and ``precision_high``; captured information with the sample's value as ``captured_in_sample``.
    sample_weight : optional
        A weight for each row.
    labels : optional
        The classes to report, in their order; each is rated against all others.
    reject : optional
        The prediction that means "abstained".
    positive, pos_label : optional
        The class that binary metrics are about.
    zero_division : optional
        What 0/0 counts as; undefined unless stated.
    prior : default "default"
        The prior of the posterior, as in ``evaluate``.
    level, confidence_level : default 0.95
        The level of the intervals.
    sample_size : optional
        The number of samples that the rows are worth, where it is not the sum of their weights.
    seed, rng : default 0
        The seed of random draws, or a generator.
    uncertainty : default "posterior"
        None leaves intervals and corrections out.

    Returns
    -------
    str or dict
        The text; of several systems each below its name, or a dictionary for each.

    Raises
    ------
    InputError
        If labels, names or options do not fit each other.

    Examples
    --------
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
    """
    if digits < 0 or width < 40:
        raise InputError(f"digits is {digits} and width {width}; give 0 or more, and 40 or more")
    options = UncertaintyOptions(prior, level, sample_size, seed, uncertainty)
    label_options = {
        "sample_weight": sample_weight,
        "labels": labels,
        "reject": reject,
        "positive": positive,
    }
    label_options = {name: value for name, value in label_options.items() if value is not None}
    table_by_system = _count_tables(y_true, y_pred, label_options)
    if blanks := BlankLabels.of([*table_by_system.items()]):
        warn_of([str(blanks)], InfoscopeWarning)
    reports: dict[str, Any] = {}
    for name, table in table_by_system.items():
        scores = score_classes(table, options, zero_division, _select_classes(table, labels))
        if target_names is not None:
            names = tuple(map(str, target_names))
            if len(names) != len(scores.labels):
                raise InputError(
                    f"target_names has {len(names)} names for {len(scores.labels)} classes; give one for each class"
                )
            scores = replace(scores, labels=names)
        reports[name] = _list_entries(scores) if output_dict else _write_text(scores, digits, width)
    if not isinstance(y_pred, Mapping):
        return next(iter(reports.values()))
    return reports if output_dict else "\n".join(f"{name}\n{text}" for name, text in reports.items())


def _count_tables(y_true: Any, y_pred: Any, label_options: dict[str, Any]) -> dict[str, Contingency]:
    """Count a table per system, of the stated classes; of all classes where only some are stated."""
    if isinstance(y_true, Contingency):
        if y_pred is not None or label_options:
            raise InputError("a table has been counted already; give it alone, or give labels as (y_true, y_pred)")
        return {"system": y_true}
    if y_pred is None:
        raise InputError("report takes labels as (y_true, y_pred), or a table: Contingency.from_matrix(counts)")
    truth = materialize_labels(y_true)
    table_by_system: dict[str, Contingency] = {}
    for name, predictions in name_predictions(y_pred).items():
        stated = label_options.get("labels")
        table: Contingency = tables.count(truth, predictions, **{**label_options, "labels": None})
        if stated is not None and _select_classes(table, stated) is None:
            table = tables.count(truth, predictions, **label_options)
        table_by_system[name] = table
    return table_by_system


def _select_classes(table: Contingency, labels: Any) -> tuple[Label, ...] | None:
    """Return the stated classes if they are only a part of those present, else None."""
    if labels is None or isinstance(labels, str):
        return None
    stated, present = as_labels(labels), {*table.truth_labels, *table.system_labels} - {table.reject}
    if not present - set(stated):
        return None
    absent = [label for label in stated if label not in present]
    if absent:
        raise InputError(f"no sample has the label {absent[0]!r}; leave it out of labels=, or name all classes there")
    return stated


def _list_entries(scores: ClassScores) -> dict[str, Any]:
    """Return the report as a dictionary, by class and average."""

    def list_numbers(rates: Mapping[str, Estimate]) -> dict[str, float | None]:
        entry: dict[str, float | None] = {}
        for name, estimate in rates.items():
            entry |= {name: estimate.shown, f"{name}_low": estimate.low, f"{name}_high": estimate.high}
            entry |= {f"{name}_in_sample": estimate.value} if estimate.corrected else {}
        return entry

    entries: dict[str, Any] = {}
    for place, label in enumerate(scores.labels):
        rates = {column: scores.classes[rate][place] for column, rate in _RATES.items()}
        entry = list_numbers({**rates, "missed": scores.classes["missed"][place]})
        entries[label] = {**entry, "support": scores.support[place]}
    for name, average in _AVERAGES.items():
        rates = {column: scores.averages[average][rate] for column, rate in _RATES.items()}
        entries[name] = {**list_numbers(rates), "support": scores.listed}
    return entries | list_numbers({"accuracy": scores.accuracy, "captured": scores.proficiency})


def _write_text(scores: ClassScores, digits: int, width: int) -> str:
    """Write the report, with intervals if they fit, and notes on what the sample captures and what is undefined."""
    columns = _make_columns(scores, digits, interval=True)
    # with names cut as far as they may be
    least_width = sum(min(column.least or column.width, column.width) for column in columns) + 2 * (len(columns) - 1)
    if least_width > width:
        columns = _make_columns(scores, digits, interval=False)
    lines = [line.plain.rstrip() for line in lay_out_columns(columns, width, UNICODE)]
    notes = []
    captured = scores.proficiency
    sample = _format_rate(Estimate(captured.value), digits)
    if sample != _format_rate(captured, digits):
        reason = ", inflated by few rows per class" * ((captured.value or 0.0) > (captured.shown or 0.0))
        notes.append(f"Captured in this sample: {sample}{reason}.")
    absent = [label for label, support in zip(scores.labels, scores.support, strict=True) if not support]
    if absent:
        notes.append(f"No true samples of {_list_names(absent)}: recall is undefined, and so is its macro average.")
    precisions = zip(scores.labels, scores.classes["precision"], strict=True)
    never = [label for label, precision in precisions if precision.undefined is not None]
    if never:
        notes.append(f"Never predicted: {_list_names(never)}. Precision is undefined, and so are its averages.")
    lines += [""] if notes else []
    lines += [line for note in notes for line in textwrap.wrap(note, width)]
    return "\n".join(lines) + "\n"


def _list_names(names: Sequence[str]) -> str:
    first = ", ".join(shorten_label(repr(name), 40, UNICODE) for name in names[:5])
    return f"{first} and {len(names) - 5} more" if len(names) > 5 else first


def _format_rate(estimate: Estimate, digits: int, *, interval: bool = False) -> str:
    """Format the number of an estimate, with its interval if wanted."""
    if estimate.shown is None:
        return "–"
    text = f"{estimate.shown:.{digits}f}"
    if not interval or estimate.low is None or estimate.high is None:
        return text
    return f"{text} {estimate.low:.{digits}f}–{estimate.high:.{digits}f}"


def _make_columns(scores: ClassScores, digits: int, *, interval: bool) -> list[TextColumn]:
    """Make the columns: names, rates, support, and the part of the missed information."""
    blank = Text()

    def make_cell(estimate: Estimate) -> Text:
        return Text(_format_rate(estimate, digits, interval=interval))

    names = [*(escape_label(label, UNICODE) for label in scores.labels), "", "accuracy", *_AVERAGES, "captured"]
    columns = [TextColumn("", list(map(Text, names)), least=_MIN_NAME_WIDTH)]
    for title, rate in _RATES.items():
        averages = [make_cell(scores.averages[average][rate]) for average in _AVERAGES.values()]
        accuracy, captured = (
            (make_cell(scores.accuracy), make_cell(scores.proficiency)) if rate == "f1" else (blank, blank)
        )
        cells = [*map(make_cell, scores.classes[rate]), blank, accuracy, *averages, captured]
        columns.append(TextColumn(title, cells, priority=8))
    support = [Text(format_count(number)) for number in scores.support]
    listed, total = Text(format_count(scores.listed)), Text(format_count(scores.total))
    totals = [total, *[listed] * len(_AVERAGES), total]
    missed = [Text("–" if estimate.shown is None else f"{estimate.shown:.0%}") for estimate in scores.classes["missed"]]
    return [
        *columns,
        TextColumn("support", [*support, blank, *totals], right=True, priority=7),
        TextColumn("missed", [*missed, blank, *[blank] * len(totals)], right=True, priority=1),
    ]
