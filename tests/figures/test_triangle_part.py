"""Triangles as they are drawn: their scales, a part in which all systems lie, zones, and the simplex in space."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infoscope import EntropyTriangleDisplay, SplitTriangleDisplay
from tests.api import (
    LARGEST_PART,
    Dot,
    Line,
    SplitPoint,
    TrianglePoint,
    TriangleShares,
    Words,
    describe_zone,
    enlarge_part,
    place,
    place_in_space,
)

SHARES = st.tuples(*[st.floats(0.001, 1.0)] * 3).map(lambda x: TriangleShares(*(np.array(x) / sum(x)).tolist()))


@given(st.lists(SHARES, min_size=1, max_size=6))
def test_every_point_lies_inside_the_part(points: list[TriangleShares]) -> None:
    part = enlarge_part(points)
    needed = 1 - sum(min(shares[at] for shares in points) for at in range(3))
    if part is None:
        assert needed > 0.2
        return
    assert part.side <= LARGEST_PART
    assert sum(part.lowest) + part.side == pytest.approx(1.0)
    for shares in points:
        inside = [(share - low) / part.side for share, low in zip(shares, part.lowest, strict=True)]
        assert min(inside) >= -1e-9
        assert part.place(shares) == pytest.approx(place(TriangleShares(*inside)))


def test_systems_in_a_corner_are_drawn_apart() -> None:
    rare = [
        TrianglePoint("old", TriangleShares(0.970, 0.014, 0.016), 0.99),
        TrianglePoint("new", TriangleShares(0.972, 0.008, 0.020), 0.99),
    ]
    far, near = (
        [mark for mark in EntropyTriangleDisplay(rare, zoom=zoom).panel().marks if isinstance(mark, Dot)]
        for zoom in (False, True)
    )

    def gap(dots: list[Dot]) -> float:
        return abs(dots[0].y - dots[1].y)

    assert gap(near) > 10 * gap(far)
    words = [mark.text for mark in EntropyTriangleDisplay(rare, zoom=True).panel().marks if isinstance(mark, Words)]
    assert "part shown" in words
    assert "random" not in words  # a corner of the whole


def test_systems_all_over_the_triangle_keep_the_whole() -> None:
    wide = [
        TrianglePoint("good", TriangleShares(0.0, 0.9, 0.1), 0.9),
        TrianglePoint("poor", TriangleShares(0.1, 0.1, 0.8), 0.4),
    ]

    assert EntropyTriangleDisplay(wide, zoom=True).panel() == EntropyTriangleDisplay(wide).panel()
    split = [SplitPoint("good", TriangleShares(0.0, 0.9, 0.1), TriangleShares(0.5, 0.3, 0.2))]
    assert SplitTriangleDisplay(split, zoom=True).panel() == SplitTriangleDisplay(split).panel()
    close = [SplitPoint("good", TriangleShares(0.96, 0.02, 0.02), TriangleShares(0.98, 0.01, 0.01))]
    texts = [mark.text for mark in SplitTriangleDisplay(close, zoom=True).panel().marks if isinstance(mark, Words)]
    assert "part shown" in texts


def read_shares(x: float, y: float) -> tuple[float, float, float]:
    """Divergence, transfer and variation of a place, from the corners of an equilateral triangle."""
    corners = np.array([[0.0, 0.5, 1.0], [0.0, np.sqrt(0.75), 0.0], [1.0, 1.0, 1.0]])
    divergence, transfer, variation = np.linalg.solve(corners, [x, y, 1.0])
    return float(divergence), float(transfer), float(variation)


def test_each_side_has_the_scale_of_one_share() -> None:
    panel = EntropyTriangleDisplay([TrianglePoint("a", TriangleShares(0.1, 0.2, 0.7))]).panel()
    numbers = [mark for mark in panel.marks if isinstance(mark, Words) and mark.text[:2] == "0."]
    sides = {"middle": 0, "end": 1, "start": 2}

    assert len(numbers) == 12
    for mark in numbers:
        assert read_shares(mark.x, mark.y)[sides[mark.anchor]] == pytest.approx(float(mark.text))
        assert min(read_shares(mark.x, mark.y)) == pytest.approx(0.0)


@given(SHARES)
def test_the_triangle_in_space_is_an_affine_picture_of_the_plane(shares: TriangleShares) -> None:
    corners = np.array([place_in_space(np.eye(3)[at].tolist()) for at in range(3)])

    np.testing.assert_allclose(place_in_space(shares), np.array(shares) @ corners, atol=1e-9)


def test_a_system_in_space_stands_above_its_place_on_the_ground() -> None:
    point = TrianglePoint("a", TriangleShares(0.2, 0.5, 0.3))
    panel = EntropyTriangleDisplay([point], simplex=True, zoom=True).panel()
    ways = [mark.points for mark in panel.marks if isinstance(mark, Line) and mark.dash == (3.0, 3.0)]

    assert ways == [(place_in_space((0.2, 0.5, 0.3)), place_in_space((0.2, 0.0, 0.3)))]


def test_zones_are_where_the_words_say() -> None:
    point = TrianglePoint("a", TriangleShares(0.2, 0.5, 0.3))
    panel = EntropyTriangleDisplay([point], zones=True).panel()
    zones = {mark.tip: mark.points for mark in panel.marks if isinstance(mark, Line) and mark.opacity == 0.25}

    for zone in ("perfect and balanced", "random", "hardly anything to decide"):
        inside = np.mean([read_shares(*corner) for corner in zones.pop(zone)], axis=0)
        assert describe_zone(TriangleShares(*inside.tolist())) == zone
        assert max(inside) == pytest.approx(0.9 + 0.1 / 3)
    lowest = [np.max([read_shares(*corner) for corner in corners], axis=0).min() for corners in zones.values()]
    assert lowest == pytest.approx([0.05] * 3)
    words = [mark.text for mark in panel.marks if isinstance(mark, Words)]
    assert {"never confused (VI′ = 0)", "balanced (ΔH′ = 0)", "nothing is transmitted (MI′ = 0)"} <= set(words)
