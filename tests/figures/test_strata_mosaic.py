"""A mosaic of verdict × prediction: areas are rows, colours say how often predictions are right."""

import pytest

import infoscope as ifs
from infoscope import Estimate, StrataMosaicDisplay
from tests.api import Bar, JudgedStratum, Words


def stratum(verdict: str, prediction: str, rows: float, labels: float, right: float) -> JudgedStratum:
    return JudgedStratum(verdict, prediction, rows, labels, Estimate(right))


STRATA = (
    stratum("ham", "ham", 600, 30, 0.98),
    stratum("ham", "spam", 200, 0, 0.5),
    stratum("spam", "ham", 0, 0, 0.5),
    stratum("spam", "spam", 200, 9, 0.9),
)


def bars(display: StrataMosaicDisplay) -> list[Bar]:
    return [mark for mark in display.panel().marks if isinstance(mark, Bar)]


def test_areas_are_proportional_to_rows() -> None:
    display = StrataMosaicDisplay(STRATA, "model")
    found = bars(display)
    assert [bar.hatched for bar in found] == [False, True, False]
    areas = [(bar.high[0] - bar.low[0]) * (bar.high[1] - bar.low[1]) for bar in found]
    assert [area / sum(areas) for area in areas] == pytest.approx([0.6, 0.2, 0.2], abs=0.01)
    assert found[0].tip == "verdict ham, prediction ham: 600 rows, 30 labelled; right in 98%"
    assert "20% have a verdict and prediction without a label" in display.panel().summary


def test_colours_go_from_wrong_to_right() -> None:
    shares = [0.0, 0.5, 1.0]
    found = bars(StrataMosaicDisplay([stratum("a", str(at), 10, 5, share) for at, share in enumerate(shares)]))
    assert [bar.fill for bar in found] == ["#c24a00", "#9a958e", "#0068a8"]


def test_names_stand_where_there_is_room() -> None:
    many = [stratum("a very long name of a verdict", "p", 990, 5, 0.9), stratum("b", "q", 10, 5, 0.1)]
    words = [mark.text for mark in StrataMosaicDisplay(many).panel().marks if isinstance(mark, Words)]
    assert "a very long name of a verdict" in words
    assert "b" not in words
    assert "q" not in words


def test_rows_that_are_not_listed_are_counted() -> None:
    assert StrataMosaicDisplay(STRATA, "model", left_out=1234.0).panel().notes == (
        "1,234 rows of rarer verdicts and predictions are not shown.",
    )


@pytest.mark.slow
def test_an_evaluation_is_drawn() -> None:
    human = (["a", "b"] * 10 + [None] * 180)[:200]
    evaluation = ifs.evaluate(human, {"m": ["a", "b", "b", "b"] * 50}, judge=["a", "b"] * 100)
    assert sum("rows" in (bar.tip or "") for bar in bars(StrataMosaicDisplay.from_judge(evaluation))) == 3
    assert "<svg" in StrataMosaicDisplay.from_judge(evaluation, "m").to_svg()
