"""Coordinates of every picture, against printed numbers, other libraries and the laws of geometry."""

import math
import re
from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import entropy
from sklearn.metrics import confusion_matrix, mutual_info_score

from infoscope import (
    ClassInformationDisplay,
    ComparisonDisplay,
    Contingency,
    CoverageDisplay,
    EntropyDiagramDisplay,
    EntropyTriangleDisplay,
    ImprovementDisplay,
    LeakDisplay,
    LedgerDisplay,
    MetricCurvesDisplay,
    PerplexityDisplay,
    SplitTriangleDisplay,
    SurfaceDisplay,
    SweepDisplay,
    evaluate,
)
from infoscope.metrics import false_information_ratio
from tests.api import (
    ERRORS,
    FONT,
    HEIGHT,
    HITS,
    Axis,
    CoveragePoint,
    Line,
    Panel,
    Spread,
    TriangleShares,
    Words,
    blend_colours,
    confusion_order,
    draw_iso_lines,
    ellipse,
    find_contours,
    heat_map,
    measure_width,
    place,
    surface,
    warp,
)
from tests.strategies import matrices

VALVERDE = {
    "a": [[15, 0, 5], [0, 15, 5], [0, 0, 20]],
    "b": [[16, 2, 2], [2, 16, 2], [1, 1, 18]],
    "d": [[15, 0, 0], [0, 18, 0], [0, 0, 27]],
    "f": [[0, 0, 5], [0, 0, 5], [0, 0, 50]],
}


varied = (
    st.tuples(st.integers(2, 4), st.integers(2, 4)).flatmap(lambda size: matrices(*size)).map(Contingency.from_matrix)
)
"""Two classes or more on either side."""


def bits(counts: object) -> float:
    return float(entropy(np.asarray(counts, dtype=float).ravel(), base=2))


def holt(classes: int, spread: int) -> Contingency:
    """Holt Figure 1: 0.8 right, the rest spread evenly over the next ``spread`` classes."""
    counts = np.eye(classes) * 0.8
    for i in range(classes):
        for step in range(1, spread + 1):
            counts[i, (i + step) % classes] += 0.2 / spread
    return Contingency.from_matrix(counts)


# ── coverage ─────────────────────────────────────────────────────────────────────────────────────


def test_coverage_as_holt_prints_it() -> None:
    display = CoverageDisplay.from_table({"A": holt(8, 7), "C": holt(8, 1)})
    errors = {point.name: point.erroneous for point in display.points}

    assert errors["C"] == pytest.approx(0.481, abs=0.0005)
    assert errors["A"] == pytest.approx(0.855, abs=0.001)  # printed 0.855, recomputed 0.8556


def test_what_is_captured_and_made_up_makes_the_output() -> None:
    counts = np.array([[9, 1, 0], [2, 7, 3], [0, 1, 4]])
    point = CoverageDisplay.from_table(Contingency.from_matrix(counts)).points[0]

    assert point.false + point.captured == pytest.approx(bits(counts.sum(0)) / bits(counts.sum(1)))


def test_ellipse_holds_its_share_of_a_normal_cloud() -> None:
    covariance = np.array([[4e-4, -3e-4], [-3e-4, 5e-4]])
    outline = np.array(ellipse(Spread((0.3, 0.7), covariance), 0.9, corners=720))
    cloud = np.random.default_rng(1).multivariate_normal([0.3, 0.7], covariance, 40_000)
    reach = np.hypot(*(np.linalg.solve(np.linalg.cholesky(covariance), (cloud - [0.3, 0.7]).T)))
    edge = np.hypot(*(np.linalg.solve(np.linalg.cholesky(covariance), (outline - [0.3, 0.7]).T)))

    assert np.ptp(edge) < 1e-9
    assert np.mean(reach <= edge[0]) == pytest.approx(0.9, abs=4 * math.sqrt(0.09 / 40_000))


def test_zoom_keeps_every_ellipse_inside() -> None:
    spread = Spread((0.2, 0.8), np.diag([1e-4, 1e-4]))
    points = [CoveragePoint("a", 0.2, 0.8, spread=spread), CoveragePoint("b", 0.25, 0.74, spread=spread)]
    panel = CoverageDisplay(points, zoom=True).panel()

    for x, y in ellipse(spread, 0.95):
        assert panel.x.low <= x <= panel.x.high
        assert panel.y.low <= y <= panel.y.high


# ── triangles ────────────────────────────────────────────────────────────────────────────────────


@given(varied)
def test_points_lie_in_the_triangle(table: Contingency) -> None:
    shares = EntropyTriangleDisplay.from_table(table).points[0].shares
    x, y = place(shares)

    assert sum(shares) == pytest.approx(1.0, abs=1e-9)
    assert -1e-9 <= y <= HEIGHT + 1e-9
    assert y / (2 * HEIGHT) - 1e-9 <= x <= 1 - y / (2 * HEIGHT) + 1e-9


def test_corners_mean_what_they_say() -> None:
    perfect, voter, guess = np.eye(3) * 5, np.array([[1, 0], [1, 0]]), np.ones((2, 2))
    display = EntropyTriangleDisplay.from_table(
        {"p": Contingency.from_matrix(perfect), "g": Contingency.from_matrix(guess)}
    )
    voted = EntropyTriangleDisplay.from_table(Contingency.from_matrix(voter)).points[0].shares

    assert display.place(display.points[0].shares) == pytest.approx((0.5, HEIGHT))
    assert display.place(display.points[1].shares) == pytest.approx((1.0, 0.0))
    assert voted.transfer == 0.0
    assert voted.divergence == pytest.approx(0.5)


parts = st.floats(0.01, 1.0)
lens = st.tuples(st.sampled_from(TriangleShares._fields), st.floats(1.0, 50.0))


def normal(a: float, b: float, c: float) -> TriangleShares:
    total = a + b + c
    return TriangleShares(a / total, b / total, c / total)


@given(parts, parts, parts, lens)
def test_lens_keeps_shares_and_corners(a: float, b: float, c: float, through: tuple[str, float]) -> None:
    seen = warp(normal(a, b, c), *through)  # type: ignore[arg-type]

    assert sum(seen) == pytest.approx(1.0)
    for corner in np.eye(3):
        assert warp(TriangleShares(*corner), *through) == pytest.approx(tuple(corner))  # type: ignore[arg-type]
    assert warp(normal(a, b, c), through[0], 1.0) == pytest.approx(normal(a, b, c))  # type: ignore[arg-type]


@given(parts, parts, parts, parts, parts, parts, st.floats(0.05, 0.95), lens)
def test_lens_keeps_lines_straight(
    a: float, b: float, c: float, d: float, e: float, f: float, t: float, through: tuple[str, float]
) -> None:
    one, other = np.array(normal(a, b, c)), np.array(normal(d, e, f))
    between = TriangleShares(*((1 - t) * one + t * other))
    p, q, r = (np.array(place(warp(TriangleShares(*x), *through))) for x in (one, between, other))  # type: ignore[arg-type]

    area = (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])
    assert abs(area) < 1e-9


def test_lens_magnifies_its_corner_by_its_factor() -> None:
    near = TriangleShares(0.0, 1 - 1e-6, 1e-6)

    assert warp(near, "transfer", 7.0).variation == pytest.approx(7e-6, rel=1e-4)


def test_split_triangle_of_the_slides() -> None:
    display = SplitTriangleDisplay.from_table({name: Contingency.from_matrix(m) for name, m in VALVERDE.items()})
    found = {point.name: point for point in display.points}

    assert found["d"].truth.transfer == pytest.approx(bits([15, 18, 27]) / math.log2(3))
    assert found["d"].truth == pytest.approx(found["d"].system)
    assert found["f"].system == pytest.approx((1.0, 0.0, 0.0))
    assert found["f"].truth.variation == pytest.approx(bits([5, 5, 50]) / math.log2(3))


# ── bars ─────────────────────────────────────────────────────────────────────────────────────────


def test_ledger_agrees_with_scikit_learn() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 4, 500)
    answers = np.where(rng.random(500) < 0.7, truth, rng.integers(0, 4, 500))
    ledger = LedgerDisplay.from_table(Contingency.from_labels(truth, answers))

    assert ledger.captured == pytest.approx(mutual_info_score(truth, answers) / math.log(2))
    assert ledger.missed + ledger.captured == pytest.approx(bits(np.bincount(truth)))
    assert ledger.captured + ledger.false == pytest.approx(bits(np.bincount(answers)))


@pytest.mark.parametrize(("name", "case"), [("a", "general"), ("d", "dependent"), ("f", "independent")])
def test_entropy_diagram_is_to_scale(name: str, case: str) -> None:
    counts = np.array(VALVERDE[name])
    display = EntropyDiagramDisplay.from_table(Contingency.from_matrix(counts))
    by_side = {side: [part for part in display.parts if part.side == side] for side in ("truth", "system")}
    shared = [next(part for part in by_side[side] if "shared" in part.what) for side in by_side]
    joint = EntropyDiagramDisplay.from_table(Contingency.from_matrix(counts), form="joint").parts

    assert display.case == case
    for side in by_side.values():
        assert sum(part.bits for part in side) == pytest.approx(math.log2(3))
    assert (shared[0].start, shared[0].end) == pytest.approx((shared[1].start, shared[1].end))
    length = max(part.end for part in joint) - min(part.start for part in joint)
    assert length == pytest.approx(bits(counts))


def surface_of(outline: Line) -> float:
    """Of a polygon, by the shoelace formula."""
    x, y = np.array(outline.points).T
    return abs(np.dot(x, np.roll(y, 1)) - np.dot(y, np.roll(x, 1))) / 2


@pytest.mark.parametrize(
    "counts",
    [
        [[8, 1, 1], [0, 3, 7]],
        [[3, 1], [4, 5], [0, 9], [9, 1]],
        [[4, 2, 0], [0, 0, 9]],
        [[5, 0], [0, 5]],
        [[50, 50], [45, 55]],
    ],
)
def test_circles_of_the_joint_diagram_have_the_areas_of_the_entropies(counts: list[list[int]]) -> None:
    joint = np.array(counts)
    truth, system = bits(joint.sum(axis=1)), bits(joint.sum(axis=0))
    panel = EntropyDiagramDisplay.from_table(Contingency.from_matrix(counts), form="circles").panel()
    areas = {mark.fill: surface_of(mark) for mark in panel.marks if isinstance(mark, Line) and mark.fill}

    expected = {"missed": truth, "false": system, "captured": truth + system - bits(joint)}
    assert areas == pytest.approx(expected, rel=2e-3)
    wide, high = panel.inner
    assert (panel.x.high - panel.x.low) / wide == pytest.approx((panel.y.high - panel.y.low) / high)


@pytest.mark.parametrize("name", ["a", "d", "f"])
def test_circles_of_the_extended_diagram_lie_in_those_of_equally_frequent_classes(name: str) -> None:
    counts = np.array(VALVERDE[name])
    panel = EntropyDiagramDisplay.from_table(Contingency.from_matrix(counts), form="extended circles").panel()
    filled = [mark for mark in panel.marks if isinstance(mark, Line) and mark.fill and surface_of(mark)]
    rooms = [mark for mark in filled if mark.fill == "faint"]
    lacking = [math.log2(3) - bits(counts.sum(axis=axis)) for axis in (1, 0)]

    assert [surface_of(mark) for mark in rooms] == pytest.approx([math.log2(3)] * 2, rel=2e-3)
    for room, colour in zip(rooms, ("missed", "false"), strict=True):
        for inside in (mark for mark in filled if mark.fill == colour):
            np.testing.assert_allclose(np.mean(inside.points, axis=0), np.mean(room.points, axis=0), atol=0.05)
            assert max(y for _, y in inside.points) <= max(y for _, y in room.points) + 1e-9
    assert f"ΔH(T) = {lacking[0]:.2f}, ΔH(S) = {lacking[1]:.2f}" in panel.x.title
    assert max(x for mark in rooms for x, _ in mark.points) <= panel.x.high


@pytest.mark.parametrize("form", ["joint", "circles", "extended"])
def test_labels_of_a_diagram_stay_where_the_output_is_constant(form: Literal["joint", "circles", "extended"]) -> None:
    panel = EntropyDiagramDisplay.from_table(Contingency.from_matrix([[5, 0], [7, 0]]), form=form).panel()
    words = [mark for mark in panel.marks if isinstance(mark, Words)]
    said = " ".join([*(mark.text for mark in words), panel.x.title])

    for name in ("truth", "output", "H(T) = 0.98", "H(S) = 0.00", "H(T|S)", "H(S|T) = 0.00"):
        assert name in said
    assert re.search(r"\bI(\(T;S\))? = 0\.00", said)
    for mark in words:
        x, _ = panel.place(mark.x, mark.y)
        width = measure_width(mark.text, FONT[mark.size])
        start = x + mark.shift[0] - {"start": 0.0, "middle": 0.5, "end": 1.0}[mark.anchor] * width
        assert -1.0 <= start <= start + width <= panel.width + 1.0, mark.text


@pytest.mark.parametrize("form", ["joint", "circles", "extended"])
def test_a_diagram_of_exchanged_labels_misses_exactly_nothing(form: Literal["joint", "circles", "extended"]) -> None:
    """Hu & Wang's M11, where rounding could make H(S|T) a negative number."""
    m11 = Contingency.from_matrix([[0, 0, 80], [0, 15, 0], [5, 0, 0]])

    panel = EntropyDiagramDisplay.from_table(m11, form=form).panel()

    assert not [mark.text for mark in panel.marks if isinstance(mark, Words) and "-0.0" in mark.text]
    assert "-0.0" not in panel.x.title


def test_split_diagram_gives_each_side_its_own_scale() -> None:
    parts = EntropyDiagramDisplay.from_table(Contingency.from_matrix([[8, 1, 1], [0, 3, 7]]), form="split").parts

    for side in ("truth", "system"):
        assert sum(part.bits for part in parts if part.side == side) == pytest.approx(1.0)
    assert next(p.bits for p in parts if p.what == "unused truth") == pytest.approx(0.0, abs=1e-12)
    assert next(p.bits for p in parts if p.what == "unused system") == pytest.approx(1 - bits([8, 4, 8]) / math.log2(3))


@given(varied)
def test_perplexity_chain_multiplies_up(table: Contingency) -> None:
    chain = PerplexityDisplay.from_table(table).chains[0]

    assert chain.transferred * chain.remaining == pytest.approx(chain.effective)
    assert chain.remaining <= chain.effective * (1 + 1e-9) <= chain.classes * (1 + 1e-8)


def test_perplexity_chain_names_its_factors_as_the_papers_do() -> None:
    counts = np.array([[1, 0, 4], [0, 1, 4], [1, 1, 48]])
    panel = PerplexityDisplay.from_table(Contingency.from_matrix(counts)).panel()
    truth, output, both = (2 ** bits(part) for part in (counts.sum(axis=1), counts.sum(axis=0), counts))
    expected = [f"k_T|S = {both / output:.2f}", f"m_S|T = {both / truth:.2f}"]
    expected += [f"÷ δ = {3 / truth:.2f}", f"÷ δ = {3 / output:.2f}"]

    assert set(expected) <= {mark.text for mark in panel.marks if isinstance(mark, Words)}
    even = PerplexityDisplay.from_table(Contingency.from_matrix([[9, 1], [1, 9]])).panel()
    assert f"÷ μ = {2 ** (2 - bits([9, 1, 1, 9])):.2f}" in {mark.text for mark in even.marks if isinstance(mark, Words)}


def test_class_bars_are_entropies_of_rows_and_columns() -> None:
    counts = np.array([[6, 2, 0], [1, 5, 2], [0, 0, 9]])
    display = ClassInformationDisplay.from_table(Contingency.from_matrix(counts))
    found = {bar.label: bar for bar in display.bars}

    for at in range(3):
        assert found[str(at)].spread == pytest.approx(bits(counts[at]))
        assert found[str(at)].ambiguity == pytest.approx(bits(counts[:, at]))
    total = 2 * bits(counts) - bits(counts.sum(0)) - bits(counts.sum(1))
    assert sum(bar.cost for bar in display.bars) == pytest.approx(total)
    assert [bar.cost for bar in display.bars] == sorted((bar.cost for bar in display.bars), reverse=True)


@given(varied)
def test_streams_add_up_to_all_that_is_lost(table: Contingency) -> None:
    counts = np.asarray(table.counts, dtype=float)
    lost = 2 * bits(counts) - bits(counts.sum(0)) - bits(counts.sum(1))
    if lost < 1e-9:
        return
    assert sum(stream.bits for stream in LeakDisplay.from_table(table).streams) == pytest.approx(lost, abs=1e-9)


# ── confusion ────────────────────────────────────────────────────────────────────────────────────


def test_heat_map_in_the_given_order_is_scikit_learns() -> None:
    rng = np.random.default_rng(5)
    truth, answers = rng.integers(0, 6, 300), rng.integers(0, 6, 300)
    cells = heat_map(Contingency.from_labels(truth, answers), "given")

    np.testing.assert_array_equal(cells.counts, confusion_matrix(truth, answers))


def test_each_cell_has_the_colour_of_its_own_scale() -> None:
    counts = np.random.default_rng(8).poisson(0.7, (12, 12)) + np.diag([9] * 11 + [0])
    cells = heat_map(Contingency.from_matrix(counts), "given")
    worst = max(cells.of_truth[i, j] for i in range(12) for j in range(12) if i != j)

    for i, j in np.ndindex(12, 12):
        share = cells.of_truth[i, j]
        expected = blend_colours(HITS, 0.05 + 0.35 * share) if i == j else blend_colours(ERRORS, np.sqrt(share / worst))
        assert cells.colours[i, j].tolist() == np.rint(expected).tolist()


def test_planted_groups_stand_together() -> None:
    rng = np.random.default_rng(2)
    groups = np.repeat(np.arange(6), 5)
    chance = np.where(groups[:, None] == groups, 0.06, 0.001) + np.eye(30) * 0.7
    counts = rng.poisson(300 * chance)
    shuffle = rng.permutation(30)
    order = confusion_order(Contingency.from_matrix(counts[np.ix_(shuffle, shuffle)]))
    found = groups[shuffle][order]

    assert sorted(order) == list(range(30))
    assert np.count_nonzero(np.diff(found)) == 5


def test_reordering_moves_cells_with_their_names() -> None:
    table = Contingency.from_matrix([[8, 0, 2, 1], [0, 8, 0, 0], [2, 0, 8, 3]], truth="abc", system="abc?", reject="?")
    cells = heat_map(table)

    assert cells.system[-1] == "?"
    for i, truth in enumerate(cells.truth):
        for j, system in enumerate(cells.system):
            assert cells.counts[i, j] == table.counts["abc".index(truth), "abc?".index(system)]
            assert cells.hits[i, j] == (truth == system)


def test_largest_confusions_leave_hits_out() -> None:
    cells = heat_map(Contingency.from_matrix([[90, 3], [7, 50]], truth=["x", "y"], system=["x", "y"]))

    assert cells.largest() == [("y", "x", 7.0, 7 / 57), ("x", "y", 3.0, 3 / 93)]


def test_sparse_table_is_drawn_like_a_dense_one() -> None:
    from scipy.sparse import csr_array

    counts = np.array([[5, 1, 0], [0, 4, 2], [1, 0, 6]])
    sparse, dense = (heat_map(Contingency.from_matrix(form(counts))) for form in (csr_array, np.asarray))

    np.testing.assert_array_equal(sparse.counts, dense.counts)
    assert sparse.truth == dense.truth


# ── curves and maps ──────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("moved", "printed"),
    [
        (0, {"Proficiency": 100, "Phi coefficient": 100, "F1": 100, "Accuracy": 100}),
        (50, {"Proficiency": 15, "Phi coefficient": 33, "F1": 38, "Accuracy": 75}),
        (100, {"Proficiency": 0, "Phi coefficient": 0, "F1": 17, "Accuracy": 50}),
        (200, {"Proficiency": 100, "Phi coefficient": -100, "F1": 0, "Accuracy": 0}),
    ],
)
def test_curves_pass_where_steingold_prints_them(moved: int, printed: dict[str, float]) -> None:
    curves = {curve.name: curve for curve in MetricCurvesDisplay.over_quality().curves}

    assert {name: round(100 * curve.y[moved]) for name, curve in curves.items()} == printed


def binary_share(tpr: float, tnr: float, prevalence: float) -> float:
    cells = np.array(
        [[prevalence * tpr, prevalence * (1 - tpr)], [(1 - prevalence) * (1 - tnr), (1 - prevalence) * tnr]]
    )
    return (bits(cells.sum(0)) + bits(cells.sum(1)) - bits(cells)) / bits(cells.sum(1))


@pytest.mark.parametrize("level", [0.1, 0.5])
def test_contours_run_where_the_value_is(level: float) -> None:
    grid = surface(0.3, 121)
    lines = find_contours(grid, level)

    assert len(lines) == 2  # one before each of the two peaks
    for line in lines:
        for x, y in line[:: max(1, len(line) // 15)]:
            assert binary_share(x, y, 0.3) == pytest.approx(level, abs=0.01)


def test_surface_is_worthless_on_the_diagonal_and_perfect_in_two_corners() -> None:
    grid = surface(0.2, 41)

    np.testing.assert_allclose(np.diag(grid[:, ::-1]), 0.0, atol=1e-12)
    assert grid[-1, -1] == 1.0
    assert grid[0, 0] == 1.0
    assert grid[30, 20] == pytest.approx(binary_share(0.5, 0.75, 0.2))


def test_system_on_the_surface_keeps_its_rates() -> None:
    display = SurfaceDisplay.from_table(Contingency.from_matrix([[8, 2], [5, 75]], positive=0))

    assert display.prevalence == pytest.approx(10 / 90)
    assert display.systems["system"] == pytest.approx((0.8, 75 / 80))


def test_improvement_from_holts_table_two() -> None:
    display = ImprovementDisplay.from_errors({"2007": (1.484, 0.532), "2008": (1.180, 0.352), "2009": (0.814, 0.218)})
    factors = [(step.name, step.by, round(step.factor, 2)) for step in display.steps]

    assert factors == [
        ("2007 → 2008", "information", 1.26),
        ("2007 → 2008", "accuracy", 1.51),
        ("2008 → 2009", "information", 1.45),
        ("2008 → 2009", "accuracy", 1.61),
    ]


def test_sweep_is_sorted_and_breaks_where_undefined() -> None:
    step = {
        2: Contingency.from_matrix([[5, 1], [1, 5]]),
        1: Contingency.from_matrix([[6, 0], [0, 0]]),
        3: Contingency.from_matrix(np.eye(2)),
    }
    display = SweepDisplay.from_table(step, metrics=["proficiency"])

    assert display.curves[0].x == (1.0, 2.0, 3.0)
    assert np.isnan(display.curves[0].y[0])
    assert display.curves[0].best() == (3.0, 1.0)


def test_forest_puts_the_best_first_whatever_best_means() -> None:
    good, bad = Contingency.from_matrix([[9, 1], [1, 9]]), Contingency.from_matrix([[6, 4], [4, 6]])

    for metric in ("proficiency", "erroneous_information_ratio"):
        display = ComparisonDisplay.from_table({"bad": bad, "good": good}, metric=metric)
        assert [row.name for row in display.rows] == ["good", "bad"]


@pytest.mark.slow
def test_blocks_of_a_large_map_keep_the_worst_error_in_sight() -> None:
    counts = np.diag(np.full(900, 50))
    counts[100, 800] = 40
    cells = heat_map(Contingency.from_matrix(counts), "given")
    small = cells.image(300)
    darkest = small.astype(int).sum(-1).argmin()

    assert small.shape == (300, 300, 3)
    assert divmod(int(darkest), 300) == (100 // 3, 800 // 3)
    assert cells.image(900).shape == (900, 900, 3)


@pytest.mark.parametrize("negatives", [10**3, 10**6, 10**15])
def test_a_truth_of_few_bits_has_few_lines_of_equal_error(negatives: int) -> None:
    """False information relative to H(T) has no bound: a line for every quarter of it would be millions of lines."""
    table = Contingency.from_matrix([[negatives // 2, negatives // 2], [1, 0]])
    false = float(false_information_ratio(table))
    panel = Panel("t", "s", Axis(0.0, 1.1 * false), Axis(0.0, 1.0), width=450.0, height=420.0)
    marks = draw_iso_lines(panel, [(false, 0.0)])
    assert 1 <= len(marks) <= 100
    if negatives == 10**6:
        assert len(evaluate(table).to_html()) < 300_000
