"""Trackers in a notebook: light, whole where styles and SVG are stripped, harmless whatever the names."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest

from infoscope import tracking
from tests.tracking.scenes import Stage

STAGE = Stage()
FAULTS = {
    "one break": STAGE.broken(),
    "</div><script>alert(1)</script>": STAGE.swapped(),
    "\u202egnp.exe": STAGE.missing(3),
    "x" * 500: STAGE.with_false_tracks(2),
}


class Tags(HTMLParser):
    """Every element must be closed, and none may be one that notebooks strip."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        assert not any(name.startswith("on") for name, _ in attrs)
        if tag != "img":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.slow
def test_the_cell_tells_who_is_best_and_shows_all() -> None:
    result = tracking.compare(STAGE.truth(), FAULTS)
    cell = result._repr_html_()
    tags = Tags()
    tags.feed(cell)

    assert tags.open == []
    assert tags.seen <= {"div", "p", "b", "bdi", "img", "table", "thead", "tbody", "tr", "th", "td", "ul", "li",
                         "details", "summary", "code"}  # fmt: skip
    assert "<b><bdi>one break</bdi> is first of 4 trackers (not significantly" in cell
    assert "captures 100% of the information about who was where" in cell
    assert cell.count("<img ") == 1  # the worst tracks; the other pictures are on the page
    assert "\u202e" not in cell
    shown = re.search(r"<tr><td[^>]*>(?:<b>)?<bdi>one break</bdi>(?:</b>)?</td>(.*?)</tr>", cell)
    assert shown is not None
    assert ">97.5%<" in shown[1]  # one break in 40 detections of ten tracks


@pytest.mark.slow
def test_a_hundred_cells_stay_light() -> None:
    one = tracking.evaluate(STAGE.truth(), STAGE.broken())._repr_html_()
    many = tracking.compare(STAGE.truth(), {f"t{at}": STAGE.missing(at % 4) for at in range(20)})._repr_html_()

    assert len(one) < 20_000
    assert len(many) < 80_000
    assert "and 7 more" in many


def test_what_few_tracks_cannot_show_is_left_out() -> None:
    stage = Stage(objects=4, frames=20)
    text = tracking.compare(stage.truth(), {"less": stage.missing(2), "more": stage.missing(1)}).to_text()

    assert "more is first of 2 trackers (not tested)" in text
    assert "()" not in text
    assert "probability )" not in text


def test_each_loss_is_missed_or_false() -> None:
    tracks = np.vstack([STAGE.missing(2), STAGE.false_tracks(2)])
    text = tracking.evaluate(STAGE.truth(), tracks).to_text()

    missed = re.search(r"^ +not detected( +)[\d.]+%( +)", text, re.MULTILINE)
    false = re.search(r"^ +false detections( +)[\d.]+%  ", text, re.MULTILINE)
    assert missed is not None
    assert false is not None
    assert false.start(0) > missed.start(0)
    assert len("false detections" + false[1]) > len("not detected" + missed[1])  # a column further to the right


def test_what_cannot_be_judged_is_said() -> None:
    alone = Stage(objects=1, frames=5)
    cell = tracking.evaluate(alone.truth(), alone.truth())._repr_html_()

    assert "cannot be evaluated by information" in cell
    assert "identity has no information" in cell
    assert "<img" not in cell


@pytest.mark.parametrize("seed", [0, 1])
def test_numbers_are_those_of_the_document(seed: int) -> None:
    truth = STAGE.truth()
    rng = np.random.default_rng(seed)
    result = tracking.evaluate(truth, truth[rng.random(len(truth)) < 0.8])
    cell = result._repr_html_()

    for word, name in {"captured": "proficiency", "HOTA": "hota", "MOTA": "mota", "IDF1": "idf1"}.items():
        shown = result.systems[0].metrics[name].shown
        assert shown is not None
        assert re.search(rf">{word}</td><td[^>]*><b>{100 * shown:.1f}%</b></td>", cell), name
