"""Pictures of trackers: their coordinates become marks; names cannot break them; what is left out is said."""

import itertools
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from scipy.stats import f

import infoscope as ifs
from infoscope import tracking
from tests.api import (
    Bar,
    Cell,
    Display,
    Dot,
    Line,
    TrackingEvaluation,
    Words,
    assign_colours,
    build_timeline,
    classify_cells,
    ellipse,
    list_cells,
)
from tests.tracking.scenes import Stage, crowd

STAGE = Stage(objects=6, frames=20)
HOSTILE = ["</svg><script>alert(1)</script>", '" onload="alert(1)', "\u202egnp.exe", "$x^2$", "猫&<b>", "two\nlines"]
SVG = "{http://www.w3.org/2000/svg}"


def hostile() -> TrackingEvaluation:
    """Sequences, trackers and tracks whose names try to be markup."""
    truth, tracks = crowd(1, objects=6)
    columns = ("frame", "id", "left", "top", "width", "height")

    def named(rows: Any) -> dict[str, Any]:
        plain = dict(zip(columns, rows.T, strict=True))
        return plain | {"id": [f"{HOSTILE[int(each) % 6]}{int(each)}" for each in rows[:, 1]]}

    return tracking.compare(
        {HOSTILE[0]: named(truth)}, {name: {HOSTILE[0]: named(tracks[::at])} for at, name in enumerate(HOSTILE[:3], 1)}
    )


def pictures(result: TrackingEvaluation) -> dict[str, Display]:
    return {
        "timeline": ifs.TrackTimelineDisplay.from_evaluation(result),
        "association": ifs.AssociationDisplay.from_evaluation(result),
        "ledger": ifs.TrackLedgerDisplay.from_evaluation(result),
        "worst": ifs.TrackLedgerDisplay.from_evaluation(result, by="track"),
        "coverage": ifs.CoverageDisplay.from_evaluation(result),
    }


def scene(seed: int = 1) -> TrackingEvaluation:
    truth, tracks = crowd(seed)
    return tracking.compare(truth, {"mine": tracks, "half": tracks[::2]})


def test_every_stretch_of_the_timeline_is_a_bar() -> None:
    result = scene()
    display = ifs.TrackTimelineDisplay.from_evaluation(result, system="mine")
    panel = display.panel()
    segments = build_timeline(result["mine"].sequences[0].evaluated)
    bars = [mark for mark in panel.marks if isinstance(mark, Bar)]

    assert display.segments == segments
    assert [(bar.low[0] + 0.5, bar.high[0] - 0.5) for bar in bars] == [(each.first, each.last) for each in segments]
    assert [bar.fill == "missed" for bar in bars] == [each.system is None for each in segments]
    begins = [each.begins for each in segments]
    assert len([mark for mark in panel.marks if isinstance(mark, Line)]) == begins.count("break")
    assert len([mark for mark in panel.marks if isinstance(mark, Dot)]) == begins.count("swap")
    assert result["mine"].metrics["swaps"].value == begins.count("swap")


@pytest.mark.slow
def test_ids_that_follow_each_other_differ_in_colour() -> None:
    for seed in range(5):
        segments = [
            each for each in build_timeline(scene(seed)["mine"].sequences[0].evaluated) if each.system is not None
        ]
        colours = assign_colours(segments)
        for before, after in itertools.pairwise(segments):
            if before.row == after.row and before.system != after.system:
                assert before.system is not None
                assert after.system is not None
                assert colours[before.system] != colours[after.system]


def test_every_cell_of_the_association_is_a_bar_that_says_what_it_is() -> None:
    result = scene()
    display = ifs.AssociationDisplay.from_evaluation(result, system="mine")
    cells = list_cells(result["mine"].sequences[0].evaluated)
    bars = [mark for mark in display.panel().marks if isinstance(mark, Bar)]

    assert display.cells == cells
    assert len(bars) == len(cells)
    assert [int(bar.low[1]) for bar in bars] == [each.row for each in cells]
    assert [int(bar.low[0]) for bar in bars] == [each.column for each in cells]


def test_a_cell_is_its_own_id_one_more_or_that_of_another_truth() -> None:
    cells = [
        Cell(0, 0, "a", 1, 9.0),
        Cell(0, 1, "a", 2, 5.0),
        Cell(0, 3, "a", None, 2.0),
        Cell(1, 0, "b", 1, 3.0),
        Cell(1, 2, "b", 3, 8.0),
        Cell(2, 2, None, 3, 1.0),
    ]

    assert classify_cells(cells) == ["captured", "fragmented", "missed", "confused", "captured", "spurious"]


def test_after_a_swap_each_truth_keeps_one_of_the_two_ids() -> None:
    display = ifs.AssociationDisplay.from_evaluation(tracking.evaluate(STAGE.truth(), STAGE.swapped()))
    kinds = {(each.truth, each.system): kind for each, kind in zip(display.cells, display.kinds, strict=True)}

    assert [kinds[0, 0], kinds[1, 1]] == ["captured", "captured"]
    assert [kinds[0, 1], kinds[1, 0]] == ["confused", "confused"]


def test_large_sequences_show_the_worst_tracks_and_say_so() -> None:
    broken = tracking.evaluate(STAGE.truth(), STAGE.broken())
    lines = ifs.TrackTimelineDisplay.from_evaluation(broken, most=1)
    cells = ifs.AssociationDisplay.from_evaluation(broken, most=1)

    assert {each.track for each in lines.segments} == {0}  # the one that breaks
    assert lines.panel().notes == ("1 of 6 truth tracks are drawn, those that lose most.",)
    assert {each.truth for each in cells.cells} == {0}
    assert "1 of 6 truth tracks" in cells.panel().notes[0]
    assert ifs.TrackTimelineDisplay.from_evaluation(broken).panel().notes == ()


def test_shares_of_a_row_do_not_hang_on_what_is_drawn() -> None:
    result = tracking.evaluate(STAGE.truth(), STAGE.fragmented())
    few = ifs.AssociationDisplay.from_evaluation(result, most=1)

    assert len({each.column for each in few.cells}) < 10
    assert set(few.wholes) == {20.0}


def test_ledger_bars_end_at_the_truth_and_go_beyond() -> None:
    result = scene()
    display = ifs.TrackLedgerDisplay.from_evaluation(result)
    parts = dict(next(row for row in display.rows if row.name == "mine").parts)

    assert sum(parts[line] for line in ("captured", "missed", "confused")) == pytest.approx(1)
    assert parts["captured"] == pytest.approx(result["mine"].metrics["proficiency"].value)
    bars = [mark for mark in display.panel().marks if isinstance(mark, Bar)]
    assert max(bar.high[0] for bar in bars) == pytest.approx(max(row.total for row in display.rows))
    assert all(bar.hatched == (bar.tip is not None and "spurious" in bar.tip) for bar in bars)


def test_worst_tracks_are_in_order_of_lost_bits() -> None:
    display = ifs.TrackLedgerDisplay.from_evaluation(tracking.evaluate(STAGE.truth(), STAGE.missing(2)), by="track")

    assert sorted(row.name for row in display.rows) == ["0", "1"]
    assert display.rows[0].total == pytest.approx(20 * np.log2(6))
    totals = [row.total for row in ifs.TrackLedgerDisplay.from_evaluation(scene(), by="track").rows]
    assert totals == sorted(totals, reverse=True)


def test_the_ellipse_drawn_is_hotellings() -> None:
    result = scene()
    display = ifs.CoverageDisplay.from_evaluation(result)
    for point, system in zip(display.points, result.systems, strict=True):
        assert point.spread is not None
        covariance, degrees = system.interval_method.coverage, system.interval_method.degrees
        assert covariance is not None
        limit = 2 * degrees / (degrees - 1) * f.ppf(display.level, 2, degrees - 1)
        away = np.array(ellipse(point.spread, display.level, 90)) - [point.false, point.captured]
        assert np.einsum("ni,ij,nj->n", away, np.linalg.inv(covariance), away) == pytest.approx(limit)


def test_settings_of_one_tracker_are_joined_and_others_keep_their_names() -> None:
    truth, tracks = crowd(1)
    result = tracking.compare(truth, {"t@k=1": tracks, "t@k=2": tracks[::2], "other": tracks[::3]})
    display = ifs.CoverageDisplay.from_evaluation(result)

    assert display.curves == {"t@k": ["t@k=1", "t@k=2"]}
    assert "other" in [mark.text for mark in display.panel().marks if isinstance(mark, Words)]


@pytest.mark.parametrize("name", list(pictures(scene())))
def test_names_stay_text_and_pictures_are_whole(name: str) -> None:
    for result in (scene(), hostile()):
        display = pictures(result)[name]
        text = display.to_svg()
        root = ElementTree.fromstring(text)
        assert root.get("aria-label")
        assert "<script" not in text
        assert "\u202e" not in re.sub(r' data-of="[^"]*"', "", text)  # names that are not shown stay as they are
        assert not {key for mark in root.iter() for key in mark.attrib if key.startswith("on")}
        panel = display.panel()
        for words in root.iter(f"{SVG}text"):
            if words.get("x") is not None:
                assert -6 <= float(words.get("x", 0)) <= panel.width + 6


@pytest.mark.slow
@pytest.mark.parametrize("name", list(pictures(scene())))
def test_matplotlib_draws_the_same_marks(name: str, tmp_path: Path) -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    display = pictures(scene())[name]
    _, ax = pyplot.subplots()
    display.plot(ax)

    assert len(ax.patches) + len(ax.lines) + len(ax.texts) + len(ax.images) == len(display.panel().marks)
    pyplot.close("all")
    assert display.save(tmp_path / "picture.svg").stat().st_size > 1000
