"""Where further labels pay: by the share of each stratum and the spread of what a label does to a metric there."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from infoscope.core.numerics import Real
from infoscope.posterior.first_order import influence
from infoscope.studies.judge.belief import StratumBelief
from infoscope.tables import Contingency

__all__ = ["StratumAllocation"]


@dataclass(frozen=True, eq=False)
class StratumAllocation:
    """Var(m) ≈ f + κ Σ_g W_g² σ_g² / n_g, with κ such that the present variance comes out.

    W_g is the stratum's share of the rows, σ_g² the variance of one label's effect, n_g its labels, f what labels of
    all rows would leave.
    """

    share: Real
    spread: Real
    """σ_g."""
    labelled: Real
    """Labels that there are."""
    rows: Real
    """Rows, labelled ones among them."""
    floor: float
    scale: float

    @classmethod
    def of(
        cls, belief: StratumBelief, table: Contingency, metric: str, sd: float, *, apart: bool = False
    ) -> StratumAllocation:
        """From what is believed now; ``table`` and ``sd`` are the expected table and the metric's sd.

        ``apart`` says that the labelled rows are not among those that the metric is about.
        """
        counts = belief.counts
        effect = influence(metric, table).reshape(table.shape)[:, counts.prediction].T
        mean = np.einsum("dgt,gt->dg", belief.theta, effect)
        within = np.maximum((np.einsum("dgt,gt->dg", belief.theta, effect**2) - mean**2).mean(axis=0), 0.0)
        share, expected = belief.share.mean(axis=0), mean.mean(axis=0)
        labelled = counts.by_class.sum(axis=1)
        floor = float((share * (expected - share @ expected) ** 2).sum() / counts.rows.sum())
        now = float((share**2 * within / np.maximum(labelled, 1.0)).sum())
        scale = max(sd**2 - floor, 0.0) / now if now > 0 else 0.0
        rows = counts.rows + labelled if apart else np.maximum(counts.rows, labelled)
        return cls(share, np.sqrt(within), labelled, rows, floor, scale)

    @cached_property
    def open_rows(self) -> Real:
        """Rows of each stratum without a label."""
        return self.rows - self.labelled

    def half_width(self, more: Real, level: float) -> float:
        """Half width of the interval after this many further labels in each stratum."""
        variance = self.share**2 * self.spread**2 / np.maximum(self.labelled + more, 1.0)
        return ndtri(0.5 + level / 2) * float(np.sqrt(self.floor + self.scale * float(variance.sum())))

    def by_stratum(self, more: float) -> Real:
        """Further labels by stratum: in all as W_g σ_g, as far as there are rows and labels are not there already."""
        aim = self.share * self.spread
        if more <= 0 or aim.sum() <= 0:
            return self.at_random(more)
        used = aim > 0
        low, high = 0.0, float((self.rows[used] / aim[used]).max())
        for _ in range(100):
            level = (low + high) / 2
            added = np.clip(level * aim - self.labelled, 0.0, self.open_rows)
            low, high = (level, high) if added.sum() < more else (low, level)
        added = np.clip(high * aim - self.labelled, 0.0, self.open_rows)
        rest = max(more - float(added.sum()), 0.0)  # strata whose labels do nothing get what is left
        left = self.open_rows - added
        return added + left * min(rest / max(float(left.sum()), 1e-12), 1.0)

    def at_random(self, more: float) -> Real:
        """Further labels by stratum where rows are drawn at random."""
        total = max(float(self.open_rows.sum()), 1e-12)
        return self.open_rows * min(max(more, 0.0) / total, 1.0)

    def labels_needed(self, half_width: float, level: float, *, planned: bool) -> int | None:
        """The fewest further labels for this half width; None where labels of all rows would not do."""
        spread = self.by_stratum if planned else self.at_random
        low, high = 0, int(self.open_rows.sum())
        if self.half_width(spread(0), level) <= half_width:
            return 0
        if self.half_width(spread(high), level) > half_width:
            return None
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self.half_width(spread(middle), level) <= half_width else (middle, high)
        return high

    def whole(self, more: int) -> NDArray[np.int64]:
        """The labels by stratum as whole numbers with this sum, the largest remainders rounded up."""
        wanted = self.by_stratum(more)
        found = np.minimum(np.floor(wanted), np.floor(self.open_rows)).astype(np.int64)
        missing = min(more, int(self.open_rows.sum())) - int(found.sum())
        room = np.floor(self.open_rows).astype(np.int64) - found
        for at in np.argsort(-(wanted - found), kind="stable").tolist():
            if missing <= 0:
                break
            if room[at] > 0:
                found[at] += 1
                missing -= 1
        return found
