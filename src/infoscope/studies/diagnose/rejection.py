"""Rules about rejected samples."""

from __future__ import annotations

import shlex

import numpy as np

from infoscope.results.finding import Finding
from infoscope.studies.diagnose.phrases import listed, percent
from infoscope.studies.diagnose.statistics import TableStatistics
from infoscope.studies.diagnose.thresholds import THRESHOLDS

__all__ = ["abstains_for_free", "undeclared_reject"]


def abstains_for_free(facts: TableStatistics) -> Finding | None:
    """Rejecting (nearly) only one class tells which class it is, so that the information measures do not mind."""
    table = facts.table
    at = table.reject_column
    if at is None or facts.truth_bits == 0:
        return None
    rate = float(facts.system_shares[at])
    if rate < THRESHOLDS.rejection_rate:
        return None
    here = (table.cell_columns == at) & (table.cells > 0)
    shares = table.cells[here] / table.column_totals[at]
    left_open = float(-np.sum(shares * np.log2(shares)) + 0.0)
    if left_open > THRESHOLDS.rejection_cost * facts.truth_bits:
        return None
    rejected = [table.truth_labels[row] for row in table.cell_rows[here][np.argsort(-shares)]]
    return Finding(
        "abstains_for_free",
        f"It rejects {percent(rate)} of these samples at no cost in information, because a rejection nearly always "
        f"means {listed(rejected[:1])}: judge it by accuracy and by accuracy among accepted samples as well.",
        evidence={
            "rejection_rate": rate,
            "reject_entropy": left_open,
            "classes": [str(label) for label in rejected[:5]],
        },
    )


REJECTION_WORDS = frozenset(
    {"?", "-", "reject", "rejected", "abstain", "abstained", "none", "unknown", "unsure", "refused", "no answer", "n/a"}
)
"""Predicted labels that usually mean that the system abstained."""


def undeclared_reject(facts: TableStatistics) -> Finding | None:
    """A prediction that is no true class may mean that the system abstained: one column more, or a telling word."""
    table = facts.table
    if table.reject is not None or len(table.truth_labels) < 2:
        return None
    true = {label for label, size in zip(table.truth_labels, table.row_totals, strict=True) if size > 0}
    never = [at for at, label in enumerate(table.system_labels) if label not in true and facts.system_shares[at] > 0]
    added = [at for at, label in enumerate(table.system_labels) if label not in table.truth_labels]
    one_more = len(added) == 1 and len(table.system_labels) == len(table.truth_labels) + 1 and never in ([], added)
    words = [at for at in never if str(table.system_labels[at]).strip().casefold() in REJECTION_WORDS]
    at = added[0] if one_more else words[0] if len(words) == 1 else None
    if at is None or not set(table.truth_labels) & set(table.system_labels):
        return None
    label, rate = table.system_labels[at], float(facts.system_shares[at])
    said = f"predicted for {percent(rate)} of the samples" if rate else "never predicted, has a column of its own"
    return Finding(
        "undeclared_reject",
        f"{str(label)!r} is {said} and is no true class; if it means "
        f'"abstained", declare it: --reject {shlex.quote(str(label))}, in Python reject={label!r}.',
        evidence={"label": str(label), "rate": rate},
    )
