"""Pictures on axes that somebody else made: small, among others, on dark paper."""

import pytest

from tests.figures.test_drawing import PICTURES

pyplot = pytest.importorskip("matplotlib.pyplot")


@pytest.mark.parametrize("name", ["coverage", "triangle", "forest", "confusion", "bounds", "curves through a table"])
def test_names_stay_inside_a_usual_figure(name: str) -> None:
    figure, ax = pyplot.subplots()
    display = PICTURES[name].plot(ax)
    figure.canvas.draw()
    page = figure.bbox
    for text in ax.texts:
        box = text.get_window_extent()
        assert page.x0 - 1 <= box.x0, text.get_text()
        assert box.x1 <= page.x1 + 1, text.get_text()
    display.ax_ = display.figure_ = None
    pyplot.close(figure)


@pytest.mark.slow
def test_words_shrink_with_their_axes_and_shapes_keep_their_form() -> None:
    figure, (large, small) = pyplot.subplots(1, 2, figsize=(16, 6), width_ratios=[3, 1])
    for ax in (large, small):
        PICTURES["triangle"].plot(ax)
    figure.canvas.draw()
    sizes = [max(text.get_fontsize() for text in ax.texts) for ax in (large, small)]
    boxes = [ax.get_window_extent() for ax in (large, small)]
    PICTURES["triangle"].ax_ = PICTURES["triangle"].figure_ = None
    pyplot.close(figure)

    assert sizes[1] < 0.7 * sizes[0]
    for box in boxes:  # an equilateral triangle is as high as sqrt(3)/2 of its side
        assert box.height / box.width == pytest.approx(0.866, abs=0.01)


def test_dark_paper_gets_light_ink() -> None:
    with pyplot.style.context("dark_background"):
        figure, ax = pyplot.subplots()
        PICTURES["coverage"].plot(ax)
        inks = {text.get_color() for text in ax.texts}
        PICTURES["coverage"].ax_ = PICTURES["coverage"].figure_ = None
        pyplot.close(figure)

    assert "#e9e7e2" in inks
    assert "#16181d" not in inks


def test_a_layout_engine_is_left_to_do_its_work() -> None:
    figure, ax = pyplot.subplots(layout="constrained")
    before = ax.get_position().bounds
    PICTURES["coverage"].plot(ax)
    PICTURES["coverage"].ax_ = PICTURES["coverage"].figure_ = None

    assert ax.get_position(original=True).bounds == before
    pyplot.close(figure)
