"""Each class against the rest: the counts behind all per-class rates and their averages."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from infoscope.numeric import Real, ratio
from infoscope.tables import Contingency, remembered

__all__ = ["OneVsRest", "named_classes", "one_vs_rest", "undefined_classes"]


@dataclass(frozen=True)
class OneVsRest:
    """Counts per truth class, (..., k); a class the system cannot name has no hits and no declarations."""

    hits: Real
    support: Real
    declared: Real
    total: Real

    @cached_property
    def recall(self) -> Real:
        """Share of the class that was found."""
        return ratio(self.hits, self.support)

    @cached_property
    def precision(self) -> Real:
        """Share of the declarations that were right."""
        return ratio(self.hits, self.declared)

    @cached_property
    def correct_rejections(self) -> Real:
        """Samples of other classes that were not declared as this one."""
        return self.total - self.support - self.declared + self.hits

    @cached_property
    def false_alarm_rate(self) -> Real:
        """Share of the other classes' samples declared as this one."""
        return ratio(self.declared - self.hits, self.total - self.support)

    @cached_property
    def specificity(self) -> Real:
        """Share of the other classes' samples not declared as this one."""
        return ratio(self.correct_rejections, self.total - self.support)

    @cached_property
    def negative_value(self) -> Real:
        """Share of the samples not declared as this class that indeed are not of it."""
        return ratio(self.correct_rejections, self.total - self.declared)

    def f_beta(self, beta: float) -> Real:
        """Weighted harmonic mean of precision and recall, straight from the counts."""
        weight = beta * beta
        return ratio((1 + weight) * self.hits, weight * self.support + self.declared)


@remembered
def one_vs_rest(table: Contingency) -> OneVsRest:
    """Computed once per table."""
    if table.truth_labels == table.system_labels:
        return OneVsRest(table.diagonal, table.row_totals, table.column_totals, table.grand_total[..., None])
    rows = table.matches[0]
    hits = np.zeros_like(table.row_totals)
    declared = np.zeros_like(table.row_totals)
    hits[..., rows] = table.diagonal
    declared[..., rows] = table.matched_totals[1]
    return OneVsRest(hits, table.row_totals, declared, table.grand_total[..., None])


def undefined_classes(table: Contingency, rates: Real, weights: Real) -> str:
    """Name the classes whose rate does not exist although the average needs it."""
    return f"undefined for {named_classes(table, np.isnan(rates) & (weights > 0))}"


def named_classes(table: Contingency, meant: NDArray[np.bool_]) -> str:
    """The truth classes meant, in words; of many the first three."""
    names = [repr(label) for label, is_meant in zip(table.truth_labels, meant, strict=True) if is_meant]
    shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    return f"class {shown}" if len(names) < 2 else f"classes {shown}"
