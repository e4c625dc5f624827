"""Numbers of figures have the signs of the text around them: a minus instead of a hyphen, factors with their zeros."""

import pytest

import infoscope as ifs
from infoscope import ComparisonDisplay, ImprovementDisplay
from tests.api import ForestRow, ImprovementStep


def test_ticks_below_zero_have_a_minus_sign_in_both_renderers(tmp_path):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    rows = [ForestRow("a", -0.4, -0.7, -0.1), ForestRow("b", 0.2)]
    display = ComparisonDisplay(rows, "Proficiency", differences=True).plot()
    labels = [text.get_text() for text in display.ax_.get_xticklabels()]
    pyplot.close("all")
    drawn = display.save(tmp_path / "forest.svg").read_text(encoding="utf-8")

    below = [label for label in labels if not label[:1].isdigit()]
    assert below
    assert all(label.startswith("−") for label in below)
    assert all(f">{label}<" in drawn for label in below)
    assert ">-" not in drawn


def test_factors_keep_their_zeros_on_the_axis_and_beside_the_dots():
    steps = [ImprovementStep("a → b", "information", 1.2, 0.8, 1.9), ImprovementStep("b → c", "information", 1.25)]
    panel = ImprovementDisplay(steps).panel()
    words = [mark.text for mark in panel.marks if getattr(mark, "text", "").endswith("×")]
    ticks = [text for _, text in panel.x.ticks]

    assert words == ["1.20×", "1.25×"]
    assert len({len(tick.partition(".")[2]) for tick in ticks}) == 1


def test_factors_keep_their_zeros_in_a_table():
    result = ifs.compare(["a", "b"] * 20, {"x": ["a", "b"] * 15 + ["b"] * 10, "y": ["a"] * 12 + ["b", "a"] * 14})
    text = ifs.reports.render(result, "text", max_rows=0)
    text = text[text.index("Improvement factors") :]
    (line,) = [line for line in text.splitlines() if line.strip().startswith("y") and "(" in line and "%" not in line]
    digits = [word.strip("()").replace(".", "").lstrip("0") for word in line.split()[1:] if word[-1] != "–"]

    assert {len(word) for word in digits if word} == {3}
