"""Labels that are whole numbers or dates: whether they seem to measure a quantity rather than to name classes."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from math import isfinite

import numpy as np

from infoscope.core.numerics import Real, as_real, distinct
from infoscope.tables import Contingency
from infoscope.tables.column_kinds.values import number_of
from infoscope.tables.labels import Label

__all__ = ["measured_labels", "near_misses"]

MIN_MEASURED = 30
"""Different whole numbers in the truth from which on they may be measured."""
MAX_MEASURED_ACCURACY = 0.5
MIN_NEARNESS = 0.85
"""Rank correlation over the wrong predictions …"""
MIN_NEARNESS_OF_MANY = 0.6
"""… and where there are so many numbers that few rows share one."""
MANY_NUMBERS = 0.1
MAX_HITS = 4.0
"""Right predictions for each that misses by one step to one side; rounded measurements have 2 to 3."""
MIN_HITS = 5.0


def near_misses(table: Contingency) -> float | None:
    """Rank correlation of true and predicted number over the wrong predictions, where it says that numbers measure.

    Wrong class ids are anywhere; wrong measurements are near. None where labels are few, no numbers, or mostly right.
    """
    at_rows, at_columns = table.matches
    different = int((table.row_totals > 0).sum())
    if different < MIN_MEASURED or not table.total or table.batch_shape or not table.labelled:
        return None  # the numbers of a matrix without labels are places
    if float(table.diagonal.sum()) > MAX_MEASURED_ACCURACY * float(table.total):
        return None
    truth, system = (_quantities(labels) for labels in (table.truth_labels, table.system_labels))
    if truth is None or system is None:
        return None
    own = np.full(table.shape[0], -1)
    own[at_rows] = at_columns
    wrong = (table.cells > 0) & (own[table.cell_rows] != table.cell_columns)
    every = distinct(truth, system)
    ranks = [np.searchsorted(every, side) for side in (truth, system)]
    x, y, weights = ranks[0][table.cell_rows[wrong]], ranks[1][table.cell_columns[wrong]], table.cells[wrong]
    if len(weights) < MIN_MEASURED or min(np.ptp(x), np.ptp(y)) == 0:
        return None
    if _are_hit_by_name(float(table.diagonal.sum()), float(weights[np.abs(x - y) == 1].sum()) / 2):
        return None
    spread = np.cov(np.stack([x, y]).astype(np.float64), aweights=weights)
    if min(spread[0, 0], spread[1, 1]) <= 0:
        return None
    found = float(spread[0, 1] / np.sqrt(spread[0, 0] * spread[1, 1]))
    are_many = table.sample_size is not None and different >= MANY_NUMBERS * table.sample_size
    return found if found >= (MIN_NEARNESS_OF_MANY if are_many else MIN_NEARNESS) else None


def _are_hit_by_name(hits: float, beside: float) -> bool:
    """Whether far more predictions are right than miss by one step: errors of measurement fade out step by step."""
    return hits > MAX_HITS * beside + 3.0 * float(np.sqrt(beside)) + MIN_HITS


def _quantities(labels: Sequence[Label]) -> Real | None:
    """The numbers of labels; None where one has none, and then the others are not looked at."""
    found = []
    for label in labels:
        found.append(_quantity(label))
        if not isfinite(found[-1]):
            return None
    return as_real(found)


def _quantity(label: Label) -> float:
    """The number that a label is or spells, or the day of a date; NaN for others."""
    if isinstance(label, str) and _DATE.fullmatch(label):
        try:
            label = datetime.datetime.fromisoformat(label)
        except ValueError:
            return float("nan")
    if isinstance(label, datetime.datetime):
        seconds = label.hour * 3600 + label.minute * 60 + label.second
        return label.toordinal() + seconds / 86_400
    return float(label.toordinal()) if isinstance(label, datetime.date) else number_of(label)


_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2})?)?")


def measured_labels(nearness: float) -> str:
    """The sentence about labels that seem to measure."""
    return (
        "The labels are numbers or dates and wrong predictions lie near the truth (rank correlation "
        f"{nearness:.2f}), as of a quantity that is measured: for that use a regression metric such as "
        "sklearn.metrics.mean_absolute_error, for ordered classes say ordinal= (--ordinal); only if they merely name "
        "classes do the numbers below hold."
    )
