"""Triangles that show only where the systems are: every point lies inside, in its place, and the whole is beside it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infoscope import EntropyTriangleDisplay, SplitTriangleDisplay
from tests.api import LARGEST_PART, Dot, SplitPoint, TrianglePoint, TriangleShares, Words, enlarge_part, place

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
