"""Three shares that sum to 1, and their place in a triangle."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from infoscope.figures.scene import Point

__all__ = ["HEIGHT", "TriangleShares", "place"]

HEIGHT = float(np.sqrt(3.0) / 2.0)


class TriangleShares(NamedTuple):
    """Three shares that sum to 1."""

    divergence: float
    transfer: float
    variation: float


def place(shares: TriangleShares) -> Point:
    """Where shares lie: divergence at the lower left, variation at the lower right, transfer on top."""
    return shares.variation + shares.transfer / 2.0, shares.transfer * HEIGHT
