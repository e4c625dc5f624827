"""Errors against their bounds: where Hu & Wang's models lie, and what the picture shows of them."""

import math

import numpy as np
import pytest
from scipy.stats import entropy

from infoscope import BoundsDisplay, Contingency
from tests.api import Dot, Line, Panel
from tests.papers.test_hu2008 import MATRICES, TABLES

OWN_LABELS_WORSE = {"M4", "M11", "M19", "M20"}
"""The models whose own error exceeds Hellman and Raviv's bound; all others keep it."""


def dots(panel: Panel, shape: str) -> dict[str, Dot]:
    return {mark.of: mark for mark in panel.marks if isinstance(mark, Dot) and mark.shape == shape and mark.of}


def curve(panel: Panel, name: str) -> np.ndarray:
    (line,) = (mark for mark in panel.marks if isinstance(mark, Line) and mark.tip == name)
    return np.array(line.points)


def by_hand(matrix: list[list[int]]) -> tuple[float, float, float]:
    """Missed information, share of wrong labels and Bayes error, the last column being rejections."""
    counts = np.array(matrix, dtype=float)
    said = counts.sum(axis=0)
    missed = sum(n * entropy(column, base=2) for n, column in zip(said, counts.T, strict=True) if n) / counts.sum()
    wrong = counts[:, :-1].sum() - np.trace(counts)
    return missed, wrong / counts.sum(), 1 - counts.max(axis=0).sum() / counts.sum()


@pytest.mark.parametrize("name", MATRICES)
def test_disc_and_ring_lie_where_the_counts_say(name: str) -> None:
    panel = BoundsDisplay.from_table({name: TABLES[name]}).panel()
    missed, error, reachable = by_hand(MATRICES[name])
    disc, ring = dots(panel, "circle")[name], dots(panel, "ring")[name]

    assert (disc.x, disc.y) == pytest.approx((missed, error), abs=1e-12)
    assert (ring.x, ring.y) == pytest.approx((missed, reachable), abs=1e-12)


def test_hellman_raviv_is_broken_by_the_systems_and_kept_by_the_best_reading_of_them() -> None:
    panel = BoundsDisplay.from_table(TABLES).panel()
    upper, lower = curve(panel, "Hellman–Raviv"), curve(panel, "Fano, tight")

    above = {name for name, dot in dots(panel, "circle").items() if dot.y > np.interp(dot.x, *upper.T) + 1e-12}
    assert above == OWN_LABELS_WORSE
    for ring in dots(panel, "ring").values():
        assert np.interp(ring.x, *lower.T) - 1e-4 <= ring.y <= np.interp(ring.x, *upper.T) + 1e-12
    for name in OWN_LABELS_WORSE:
        assert f"{name} (" in panel.summary


def test_curves_are_the_inequalities() -> None:
    panel = BoundsDisplay.from_table(TABLES).panel()  # three classes

    for missed, error in curve(panel, "Fano, tight"):
        assert entropy([error, 1 - error], base=2) + error * math.log2(2) == pytest.approx(missed, abs=1e-9)
    for missed, error in curve(panel, "Fano, weak"):
        assert error == pytest.approx(max(0.0, (missed - 1) / math.log2(3)), abs=1e-12)
    assert curve(panel, "Fano, tight")[-1] == pytest.approx((math.log2(3), 2 / 3), abs=1e-6)


def test_zoom_ends_behind_the_last_system() -> None:
    whole, near = (BoundsDisplay.from_table(TABLES["M4"], zoom=zoom).panel() for zoom in (False, True))

    assert whole.x.high == 1.0
    assert dots(near, "circle")["system"].x < near.x.high < 0.3


def test_clusters_have_a_ring_and_no_disc() -> None:
    clusters = Contingency.from_matrix([[8, 2], [1, 9]], truth=["cat", "dog"], system=["k1", "k2"])
    panel = BoundsDisplay.from_table({"k-means": clusters}).panel()

    assert dots(panel, "circle") == {}
    assert dots(panel, "ring")["k-means"].y == pytest.approx(0.15)


def test_a_perfect_system_can_be_looked_at_closely() -> None:
    panel = BoundsDisplay.from_table(TABLES["M1"], zoom=True).panel()

    assert panel.x.high == 1.0
    assert "none is above" in panel.summary
