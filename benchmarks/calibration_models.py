"""Simulation-based calibration: parameters drawn from a prior, data from these, and the rank of the truth among draws.

Where sampler and prior belong together, the rank is anywhere with the same probability. The tree as a whole mixes
hypotheses by fixed odds, so this is asked of the levels that it is made of.
"""

from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from infoscope.posterior import tree_rows
from infoscope.posterior.tree_levels import (
    SPREADS,
    STRENGTHS,
    NormalLogs,
    PowerLaw,
    PrevalenceLevel,
    TrendLevel,
    find_level_ends,
)
from infoscope.posterior.tree_rows import AffinityRows, make_log_grid

__all__ = ["simulated_ranks"]

Real = NDArray[np.float64]
_DRAWS = 100
_CLASSES = 15


def simulated_ranks(seed: list[int]) -> dict[str, Any]:
    """Rank, as a share, of the entropy of the truth, the mean recall, and the entropy of the wrong predictions."""
    rng = np.random.default_rng([*seed, 77])
    shares = _prevalence(rng)
    counts = rng.multinomial(300, shares).astype(float)
    recalled = PrevalenceLevel(counts).draw(_DRAWS, rng)
    share, right = _recall(counts, rng)
    drawn = TrendLevel(right, counts - right).draw(_DRAWS, rng)
    rows, wrong, open_cells = _wrong(rng)
    weights = islice(AffinityRows(wrong, open_cells).weights(_DRAWS, rng), _DRAWS)
    cells = np.stack([affinities * popular for affinities, popular in weights])
    cells /= np.maximum(cells.sum(2, keepdims=True), 1e-300)
    return {
        "ranks": {
            "prevalence": float((_entropy(recalled) < _entropy(shares)).mean()),
            "recall": float((drawn.mean(1) < share.mean()).mean()),
            "wrong predictions": float((_entropy(cells).mean(1) < _entropy(rows).mean()).mean()),
        }
    }


def _entropy(shares: Real) -> Real:
    return np.asarray(-(shares * np.log2(np.maximum(shares, 1e-300))).sum(-1))


def _prevalence(rng: np.random.Generator) -> Real:
    law = rng.integers(3)
    if law == 0:
        weights = rng.standard_gamma(np.full(_CLASSES, rng.choice(make_log_grid(0.1 / _CLASSES, 1e6, 44))))
    else:
        logs = rng.normal(size=_CLASSES) if law == 1 else rng.exponential(size=_CLASSES)
        weights = np.exp(rng.choice(SPREADS[NormalLogs if law == 1 else PowerLaw]) * logs)
    total = weights.sum()
    return weights / total if total > 0 else np.eye(_CLASSES)[0]


def _recall(counts: Real, rng: np.random.Generator) -> tuple[Real, Real]:
    straight = np.log(counts + 0.5)
    x = np.log(counts + rng.choice([0.0, counts.mean(), counts.max()]) + 0.5)
    x *= np.ptp(straight) / np.ptp(x)
    x -= counts @ x / counts.sum()
    slope = 0.5 * rng.normal() if rng.random() < 0.5 else 0.0
    centre, strength = rng.uniform(*find_level_ends(_CLASSES)), rng.choice(STRENGTHS)
    mean = expit(np.log(centre / (1 - centre)) + slope * x)
    a, b = (np.maximum(part * strength, 0.5 / _CLASSES) for part in (mean, 1 - mean))
    share = rng.beta(a, b)
    return share, rng.binomial(counts.astype(int), share).astype(float)


def _wrong(rng: np.random.Generator) -> tuple[Real, Real, NDArray[np.bool_]]:
    open_cells = ~np.eye(_CLASSES, dtype=bool)
    spread, shape = rng.choice(tree_rows._POPULARITIES), rng.choice(tree_rows._SHAPES)
    hot = rng.random((_CLASSES, _CLASSES)) < rng.choice(tree_rows._HOT_SHARES)
    size = np.where(hot, 1.0, rng.choice(tree_rows._COLD_MEANS))
    weights = rng.gamma(spread, 1 / spread, _CLASSES) * rng.gamma(shape, size / shape) + 1e-12
    rows = np.where(open_cells, weights, 0.0)
    rows /= rows.sum(1, keepdims=True)
    return rows, np.stack([rng.multinomial(30, row) for row in rows]).astype(float), open_cells
