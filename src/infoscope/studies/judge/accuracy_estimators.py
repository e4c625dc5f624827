"""Estimators of the accuracy that others use, for who must report them: PPI++ and the bias-adjusted estimator.

Both reduce a row to whether the prediction is right and whether the verdict says so, and take the labels as a random
sample of the rows. PPI++: Angelopoulos, Duchi and Zrnic 2023. Bias-adjusted: Lee et al. 2025, "How to correctly report
LLM-as-a-judge evaluations".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from infoscope.results.estimate import Estimate
from infoscope.studies.judge.stratum_counts import StratumCounts

__all__ = ["Agreements", "bias_adjusted_accuracy", "ppi_accuracy"]


@dataclass(frozen=True)
class Agreements:
    """Labelled rows by whether the prediction is right and the verdict says so; other rows by what the verdict says."""

    accepted_right: float
    rejected_right: float
    accepted_wrong: float
    rejected_wrong: float
    accepted: float
    """Rows without a label whose verdict says that the prediction is right."""
    unlabelled: float

    @classmethod
    def of(cls, counts: StratumCounts, accepts: NDArray[np.bool_] | None = None, *, apart: bool = False) -> Agreements:
        """``accepts`` says where a verdict accepts a prediction: where it names it, by default.

        ``apart`` says that the labelled rows are not among all rows.
        """
        accepts = counts.same if accepts is None else accepts
        right = (np.arange(counts.classes)[:, None] == counts.prediction_class)[:, None, :]
        labelled = counts.labelled
        rest = counts.everything if apart else np.maximum(counts.everything - labelled.sum(axis=0), 0.0)
        return cls(
            accepted_right=float((labelled * (right & accepts)).sum()),
            rejected_right=float((labelled * (right & ~accepts)).sum()),
            accepted_wrong=float((labelled * (~right & accepts)).sum()),
            rejected_wrong=float((labelled * (~right & ~accepts)).sum()),
            accepted=float(rest[accepts].sum()),
            unlabelled=float(rest.sum()),
        )

    @property
    def right(self) -> float:
        """Labelled rows whose prediction is right."""
        return self.accepted_right + self.rejected_right

    @property
    def wrong(self) -> float:
        """Labelled rows whose prediction is wrong."""
        return self.accepted_wrong + self.rejected_wrong


def ppi_accuracy(rows: Agreements, level: float = 0.95) -> Estimate:
    """PPI++: the judge's share of accepted rows, corrected by the labels as far as the two go together (λ tuned).

    >>> found = ppi_accuracy(Agreements(70, 10, 5, 15, 750, 1000))
    >>> print(f"{found.value:.3f}, {found.low:.3f} to {found.high:.3f}")
    0.800, 0.735 to 0.865
    """
    n, unlabelled = rows.right + rows.wrong, rows.unlabelled
    if not unlabelled:
        return Estimate(None, undefined="every row is labelled")
    truth, verdict = rows.right / n, (rows.accepted_right + rows.accepted_wrong) / n
    elsewhere = rows.accepted / unlabelled
    pooled = (verdict * n + rows.accepted) / (n + unlabelled)
    variance = pooled * (1 - pooled) * (n + unlabelled) / (n + unlabelled - 1)
    covariance = rows.accepted_right / n - truth * verdict
    tuning = float(np.clip(covariance / ((1 + n / unlabelled) * variance), 0.0, 1.0)) if variance > 0 else 0.0
    residual = truth - tuning * verdict
    square = truth + tuning**2 * verdict - 2 * tuning * rows.accepted_right / n
    spread = tuning**2 * elsewhere * (1 - elsewhere) / unlabelled + max(square - residual**2, 0.0) / n
    return _normal(tuning * elsewhere + residual, float(np.sqrt(spread)), level)


def _normal(value: float, sd: float, level: float) -> Estimate:
    reach = ndtri(0.5 + level / 2) * sd
    return Estimate(value, value, sd, value - reach, value + reach)


def bias_adjusted_accuracy(rows: Agreements, level: float = 0.95) -> Estimate:
    """The judge's share of accepted rows, solved for the accuracy by how often it accepts right and wrong predictions.

    It is right where the judge errs alike on labelled and other rows whatever their prediction; the interval ends
    within 0 and 1.
    """
    if not rows.unlabelled:
        return Estimate(None, undefined="every row is labelled")
    if not rows.right or not rows.wrong:
        return Estimate(None, undefined="no labelled prediction is wrong" if rows.right else "none is right")
    z = ndtri(0.5 + level / 2)
    share = rows.accepted / rows.unlabelled
    sensitivity, specificity = rows.accepted_right / rows.right, rows.rejected_wrong / rows.wrong
    size = rows.unlabelled + z**2
    smooth = (rows.accepted + z**2 / 2) / size
    right, wrong = rows.right + 2, rows.wrong + 2
    accepts, rejects = (rows.accepted_right + 1) / right, (rows.rejected_wrong + 1) / wrong
    if sensitivity + specificity <= 1 or accepts + rejects <= 1:
        return Estimate(None, undefined="the judge tells right from wrong no better than chance")
    value = float(np.clip((share + specificity - 1) / (sensitivity + specificity - 1), 0.0, 1.0))
    slope = accepts + rejects - 1
    centre = (smooth + rejects - 1) / slope
    of_wrong, of_right = rejects * (1 - rejects) / wrong, accepts * (1 - accepts) / right
    shift = 2 * z**2 * (-(1 - centre) * of_wrong + centre * of_right)
    variance = smooth * (1 - smooth) / size + (1 - centre) ** 2 * of_wrong + centre**2 * of_right
    sd = float(np.sqrt(variance)) / slope
    low, high = (float(np.clip(centre + shift + side * z * sd, 0.0, 1.0)) for side in (-1, 1))
    return Estimate(value, None, sd, low, high)
