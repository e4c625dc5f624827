"""Rules about rejected samples."""

from __future__ import annotations

import numpy as np

from infoscope.diagnosis.phrases import listed, percent
from infoscope.diagnosis.statistics import TableStatistics
from infoscope.diagnosis.thresholds import THRESHOLDS
from infoscope.results.finding import Finding

__all__ = ["abstains_for_free"]


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
    refused = [table.truth_labels[row] for row in table.cell_rows[here][np.argsort(-shares)]]
    return Finding(
        "abstains_for_free",
        f"It rejects {percent(rate)} of the samples at no cost in information, because a rejection nearly always means "
        f"{listed(refused[:1])}: judge it by accuracy and by accuracy among accepted samples as well.",
        evidence={
            "rejection_rate": rate,
            "reject_entropy": left_open,
            "classes": [str(label) for label in refused[:5]],
        },
    )
