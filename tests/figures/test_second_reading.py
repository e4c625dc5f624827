"""Pictures are read off their marks again and computed anew by other means."""

import math

import numpy as np
import pytest
from scipy.stats import entropy
from sklearn.metrics import accuracy_score, f1_score, matthews_corrcoef, recall_score

from infoscope import Contingency, CoverageDisplay, MetricCurvesDisplay, SurfaceDisplay, TrackLedgerDisplay
from tests.api import (
    BLUES,
    RADIUS,
    Axis,
    Cloud,
    CoveragePoint,
    Dot,
    Line,
    Panel,
    PlacedName,
    Raster,
    Spread,
    Words,
    blend_colours,
    draw_side_labels,
    measure_width,
    step_through,
    tracking_compare,
)
from tests.tracking.scenes import Stage


def captured(matrix: np.ndarray) -> float:
    """I(T;S) / H(T)."""
    truth, joint = entropy(matrix.sum(axis=1), base=2), entropy(matrix.ravel(), base=2)
    return float((truth + entropy(matrix.sum(axis=0), base=2) - joint) / truth)


def at_rates(tpr: float, tnr: float, share: float) -> np.ndarray:
    return np.array([[share * tpr, share * (1 - tpr)], [(1 - share) * (1 - tnr), (1 - share) * tnr]])


@pytest.mark.slow
def test_surface_pixels_contours_and_systems_are_the_same_function() -> None:
    rng = np.random.default_rng(0)
    truth = rng.random(400) < 0.2
    answers = np.where(truth, rng.random(400) < 0.9, rng.random(400) < 0.3)
    panel = SurfaceDisplay.from_predictions(truth, answers, name="mine").panel()
    share = truth.mean()
    (raster,) = (mark for mark in panel.marks if isinstance(mark, Raster))
    size = len(raster.pixels)
    for column, row in rng.integers(0, size, (30, 2)).tolist():
        tpr, tnr = column / (size - 1), 1 - row / (size - 1)  # the first row is on top
        expected = blend_colours(BLUES, math.sqrt(max(captured(at_rates(tpr, tnr, share)), 0.0)))
        assert raster.pixels[row, column] == pytest.approx(expected, abs=0.51)
    levels = {mark.text: (mark.x, mark.y) for mark in panel.marks if isinstance(mark, Words) and mark.text[:2] == "0."}
    assert len(levels) == 5
    for text, (tpr, tnr) in levels.items():
        assert captured(at_rates(tpr, tnr, share)) == pytest.approx(float(text), abs=0.004)
    (dot,) = (mark for mark in panel.marks if isinstance(mark, Dot))
    assert (dot.x, dot.y) == pytest.approx(
        (recall_score(truth, answers), recall_score(truth, answers, pos_label=False)), abs=1e-12
    )


def test_tracker_bars_are_what_one_works_out_by_hand() -> None:
    stage = Stage()  # ten objects for a hundred frames: log2(10) bits a detection
    faults = {
        "one break": stage.broken(),
        "swap": stage.swapped(),
        "missing": stage.missing(3),
        "false": stage.with_false_tracks(2),
        "all break": stage.all_broken(),
    }
    display = TrackLedgerDisplay.from_evaluation(tracking_compare(stage.truth(), faults))
    rows = {row.name: {line: size for line, size in row.parts if size > 1e-12} for row in display.rows}
    bit = 1 / math.log2(10)  # a bit a detection, as a share of the truth

    assert rows["one break"] == pytest.approx({"captured": 1.0, "fragmented": 0.1 * bit})
    assert rows["all break"] == pytest.approx({"captured": 1.0, "fragmented": bit})
    assert rows["swap"] == pytest.approx({"captured": 1 - 0.2 * bit, "confused": 0.2 * bit, "fragmented": 0.2 * bit})
    assert rows["missing"] == pytest.approx({"captured": 0.7, "missed": 0.3})
    assert rows["false"] == pytest.approx({"captured": 1.0, "spurious": 0.2 * math.log2(12) * bit})


@pytest.mark.parametrize("at", [0.0, 0.3, 1.0, 1.6, 2.0])
def test_a_path_goes_through_the_table_it_starts_from(at: float) -> None:
    counts = np.array([[30.0, 10.0], [6.0, 54.0]])
    corrected = np.diag(counts.sum(axis=1))
    shuffled = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    step = at * counts + (1 - at) * corrected if at <= 1 else (2 - at) * counts + (at - 1) * shuffled
    display = MetricCurvesDisplay.from_table(Contingency.from_matrix(counts), steps=10)
    found = {curve.name: curve.y[curve.x.index(at)] for curve in display.curves}
    truth, answers = (side.ravel() == 1 for side in np.indices((2, 2)))  # a bare matrix is about its second row
    weight = {"sample_weight": step.ravel()}

    assert np.asarray(step_through(Contingency.from_matrix(counts), at).counts) == pytest.approx(step)
    assert found["Accuracy"] == pytest.approx(accuracy_score(truth, answers, **weight))
    assert found["F1"] == pytest.approx(f1_score(truth, answers, **weight))
    assert found["Phi coefficient"] == pytest.approx(matthews_corrcoef(truth, answers, **weight), abs=1e-12)
    assert found["Proficiency"] == pytest.approx(captured(step), abs=1e-9)


def test_the_tables_own_values_are_marked_on_its_path() -> None:
    names = ["cat", "dog", "fox"]
    table = Contingency.from_matrix([[8, 2, 0], [1, 7, 2], [3, 0, 9]], truth=names, system=names)
    panel = MetricCurvesDisplay.from_table(table).panel()
    own = [mark.y for mark in panel.marks if isinstance(mark, Dot)]

    truth, answers = (
        np.repeat(side.ravel(), np.asarray(table.counts).ravel().astype(int)) for side in np.indices((3, 3))
    )
    expected = (
        captured(np.asarray(table.counts)),
        matthews_corrcoef(truth, answers),
        f1_score(truth, answers, average="macro"),
        accuracy_score(truth, answers),
    )
    assert own == pytest.approx(expected)


def clouds(number: int, spread: float) -> CoverageDisplay:
    rng = np.random.default_rng(0)
    points = []
    for at in range(number):
        place = 0.2 + 0.08 * at, 0.7 - 0.07 * at
        covariance = spread**2 * np.array([[1.0, -0.8], [-0.8, 1.0]])
        cloud = rng.multivariate_normal(place, covariance, 300)
        points.append(CoveragePoint(f"s{at}", *place, None, Spread(place, covariance), cloud))
    return CoverageDisplay(points)


def test_a_lens_shows_the_cloud_itself_only_larger() -> None:
    display = clouds(4, 0.001)
    panel = display.panel()
    for point in display.points:
        (cloud,) = (mark for mark in panel.marks if isinstance(mark, Cloud) and mark.of == point.name)
        (text,) = (
            mark for mark in panel.marks if isinstance(mark, Words) and mark.of == point.name and "×" in mark.text
        )
        assert point.cloud is not None
        back = (cloud.points - (text.x, text.y)) / float(text.text[1:]) + np.median(point.cloud, axis=0)
        away = np.abs(point.cloud[:, None, :] - back[None]).sum(axis=2).min(axis=0)
        assert away.max() < 1e-12
        assert len(back) >= 0.98 * len(point.cloud)


def test_lenses_keep_off_points_and_each_other_and_inside() -> None:
    display = clouds(6, 0.002)
    panel = display.panel()
    circles = [
        np.mean([panel.place(*corner) for corner in mark.points], axis=0)
        for mark in panel.marks
        if isinstance(mark, Line) and mark.tip and "times larger" in mark.tip
    ]
    points = [panel.place(point.false, point.captured) for point in display.points]

    assert len(circles) >= 4
    for at, circle in enumerate(circles):
        assert min(np.hypot(*(circle - point)) for point in points) > RADIUS
        assert all(np.hypot(*(circle - other)) > 2 * RADIUS for other in circles[:at])
        assert panel.margins[0] < circle[0] - RADIUS < circle[0] + RADIUS < panel.width - panel.margins[2]


@pytest.mark.parametrize(("number", "spread"), [(2, 0.05), (9, 0.001)], ids=["large clouds", "many clouds"])
def test_no_lens_where_none_helps_or_fits(number: int, spread: float) -> None:
    panel = clouds(number, spread).panel()

    assert sum(isinstance(mark, Cloud) for mark in panel.marks) == number
    assert not any(isinstance(mark, Words) and mark.text.startswith("×") for mark in panel.marks)


def crossing(one: Line, other: Line) -> bool:
    (a, b), (c, d) = one.points, other.points

    def side(p: tuple[float, float], q: tuple[float, float], r: tuple[float, float]) -> float:
        return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])

    return side(a, b, c) * side(a, b, d) < -1e-12 and side(c, d, a) * side(c, d, b) < -1e-12


@pytest.mark.parametrize("height", [0.0, 1.0])
def test_lines_to_names_of_points_at_one_height_do_not_cross(height: float) -> None:
    panel = Panel("", "", Axis(0.0, 1.0), Axis(0.0, 1.0), width=600.0, height=400.0, margins=(50.0, 10.0, 150.0, 50.0))
    marks = draw_side_labels(panel, [PlacedName(x, height, f"p{x}") for x in (0.9, 0.1, 0.5, 0.3)])
    lines = [mark for mark in marks if isinstance(mark, Line)]

    assert not any(crossing(one, other) for at, one in enumerate(lines) for other in lines[:at])


def test_widths_are_not_underrated() -> None:
    text_path = pytest.importorskip("matplotlib.textpath")
    for text in ("model number 19 with a long name", "WAVEFORM_MMW", "illicit", "12,345.67", "Größe (naïve)"):
        real = text_path.TextPath((0, 0), text, 12.5).get_extents().width
        assert real <= measure_width(text) * 1.02
        assert measure_width(text) <= 1.35 * real
