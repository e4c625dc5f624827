"""Words do not overlap, ticks are round, images survive, names cannot harm."""

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from tests.api import (
    DARK,
    LIGHT,
    Axis,
    Panel,
    PlacedName,
    Words,
    choose_round_ticks,
    draw_side_labels,
    encode_png,
    fit_label,
    format_ticks,
    layout,
    measure_width,
    on_colour,
    plain_label,
    shorten,
    spread_labels,
)

places = st.lists(st.floats(0, 100, allow_nan=False), min_size=1, max_size=30)


@given(places, st.floats(0.1, 10))
def test_labels_keep_their_distance_and_their_order(wished: list[float], gap: float) -> None:
    moved = spread_labels(wished, gap, 0.0, 100.0)
    order = np.argsort(wished, kind="stable")
    ranked = np.array(moved)[order]

    assert (np.diff(ranked) >= gap - 1e-6).all()
    assert ranked[0] >= -1e-9
    assert ranked[-1] <= max(100.0, gap * (len(wished) - 1)) + 1e-6


@given(places)
def test_labels_that_do_not_touch_stay(wished: list[float]) -> None:
    apart = sorted({round(place) * 2.0 for place in wished})

    assert spread_labels(apart, 1.5, 0.0, 200.0) == pytest.approx(apart)


def test_dodging_moves_as_little_as_possible() -> None:
    from scipy.optimize import minimize

    wished, gap = np.array([3.0, 3.2, 3.3, 8.0, 8.1]), 1.0
    best = minimize(
        lambda x: ((x - wished) ** 2).sum(),
        np.arange(5.0) * 2,
        constraints={"type": "ineq", "fun": lambda x: np.diff(x) - gap},
    )

    assert spread_labels(list(wished), gap, 0.0, 10.0) == pytest.approx(best.x, abs=1e-4)


@given(st.floats(-1e6, 1e6), st.floats(1e-6, 1e6))
def test_ticks_are_inside_and_even(low: float, span: float) -> None:
    ticks = choose_round_ticks(low, low + span)

    assert 2 <= len(ticks) <= 8
    slack = 1e-6 * span + 4 * np.spacing(abs(low) + span)
    assert ticks[0] >= low - slack
    assert ticks[-1] <= low + span + slack
    assert len(set(format_ticks(ticks))) == len(ticks)


def test_side_labels_name_every_point_once() -> None:
    panel = Panel("t", "s", Axis(0, 1), Axis(0, 1), margins=(20, 20, 150, 20))
    marks = draw_side_labels(panel, [PlacedName(0.5, 0.5, "a"), PlacedName(0.5, 0.5, "b")])

    words = [mark for mark in marks if isinstance(mark, Words)]
    assert sorted(word.text for word in words) == ["a", "b"]
    assert abs(words[0].y - words[1].y) * panel.inner[1] >= 14.9


@pytest.mark.parametrize("count", [2, 12, 13, 60, 200])
def test_side_labels_stay_on_the_page_and_off_each_other(count: int) -> None:
    panel = Panel("t", "s", Axis(0, 1), Axis(0, 1), width=400, height=200, margins=(20, 20, 150, 30))
    rng = np.random.default_rng(count)
    points = [PlacedName(float(x), float(y), f"system {at}") for at, (x, y) in enumerate(rng.beta(9, 9, (count, 2)))]
    points[1] = PlacedName(1.0, 1.0, "highest")
    points[0] = PlacedName(0.0, 0.0, "alone")

    words = [mark for mark in draw_side_labels(panel, points) if isinstance(mark, Words)]

    heights = sorted(panel.place(mark.x, mark.y)[1] + mark.shift[1] for mark in words)
    assert heights[0] >= 19
    assert heights[-1] <= 190
    assert min(np.diff(heights)) > 10
    shown = [mark.text for mark in words]
    assert {"alone", "highest"} <= set(shown)  # what lies apart is named first
    assert (shown[-1] == f"and {count - 6} more") == (count > 11)  # where not all fit, those named have more room


@given(st.text(max_size=600))
def test_shown_names_are_printable_and_short(name: str) -> None:
    shown = shorten(name, 30)

    assert len(shown) <= 30
    assert plain_label(name).isprintable() or all(c.isspace() for c in plain_label(name) if not c.isprintable())


@given(st.text(max_size=60), st.floats(0.0, 300.0))
def test_names_are_cut_no_more_than_the_room_asks(name: str, room: float) -> None:
    lengths = range(len(shorten(name, len(name) * 10 + 10)), 2, -1)
    fits = [shown for shown in (shorten(name, most) for most in lengths) if measure_width(shown) <= room]

    assert fit_label(name, room) == (fits[0] if fits else shorten(name, 3))


def test_a_very_long_name_is_measured_a_few_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not once per letter: pages with names of 5,000 letters took half a minute."""
    measured = []
    monkeypatch.setattr(layout, "measure_width", lambda text, size: measured.append(text) or measure_width(text, size))

    assert len(fit_label("long " * 1000, 90.0)) < 20
    assert len(measured) < 20


@pytest.mark.parametrize("colours", [2, 300])
def test_png_is_read_back_by_another_library(colours: int) -> None:
    rng = np.random.default_rng(0)
    palette = rng.integers(0, 256, (colours, 3))
    pixels = palette[rng.integers(0, colours, (40, 31))].astype(np.uint8)
    with Image.open(io.BytesIO(encode_png(pixels))) as image:
        np.testing.assert_array_equal(np.asarray(image.convert("RGB")), pixels)


def contrast(one: str, other: str) -> float:
    def light(colour: str) -> float:
        parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((light(one), light(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_text_reads_on_its_ground(theme: dict[str, str]) -> None:
    for role in ("ink", "dim", *(f"series{at}" for at in range(8))):
        assert contrast(theme[role], theme["paper"]) >= 4.5, role
    for role in ("captured", "missed", "false"):
        assert contrast(theme[f"on-{role}"], theme[role]) >= 4.5, role
    assert set(LIGHT) == set(DARK)


@given(st.tuples(*[st.integers(0, 255)] * 3))
def test_black_or_white_always_reads(parts: tuple[int, int, int]) -> None:
    colour = "#{:02x}{:02x}{:02x}".format(*parts)

    assert contrast(on_colour(colour), colour) >= 4.5
