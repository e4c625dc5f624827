"""Families and paths in triangles: markers, labels that do not overprint, zones, and the path of a training."""

from itertools import combinations, pairwise

import numpy as np
import pytest

import infoscope as ifs
from infoscope.errors import InfoscopeError
from tests.api import (
    FONT,
    JOINT_SIDES,
    MARKERS,
    SPLIT_SIDES,
    Dot,
    Line,
    Panel,
    TrianglePoint,
    TriangleShares,
    Words,
    describe_zone,
    draw,
    make_axes,
    measure_width,
)
from tests.papers.test_valverde2013 import TABLES

FAMILIES = {"accuracy 50/60": list("abcf"), "perfect": list("de")}
PATHS = {"down": list("dba"), "along": list("efc")}
DISPLAYS = (ifs.EntropyTriangleDisplay, ifs.SplitTriangleDisplay)


def dots(panel: Panel) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for mark in panel.marks:
        if isinstance(mark, Dot) and mark.of:
            found.setdefault(mark.of, set()).add(mark.shape)
    return found


def boxes(panel: Panel) -> list[tuple[str, float, float, float, float]]:
    """Upright words with the room they take on the page."""
    found = []
    for mark in panel.marks:
        if isinstance(mark, Words) and not mark.angle:
            x, y = panel.place(mark.x, mark.y)
            wide, size = measure_width(mark.text, FONT[mark.size]), FONT[mark.size]
            left = x + mark.shift[0] - {"start": 0.0, "middle": 0.5, "end": 1.0}[mark.anchor] * wide
            found.append((mark.text, left, y + mark.shift[1] - size / 2, left + wide, y + mark.shift[1] + size / 2))
    return found


@pytest.mark.parametrize("display", DISPLAYS)
@pytest.mark.parametrize("groups", [{"families": FAMILIES}, {"paths": PATHS}, {"families": FAMILIES, "paths": PATHS}])
def test_groups_have_markers_a_key_and_words_that_do_not_overlap(display, groups) -> None:
    panel = display.from_table(TABLES, **groups).panel()
    shown = groups.get("families") or groups["paths"]

    for at, names in enumerate(shown.values()):
        assert all(MARKERS[at] in dots(panel)[name] for name in names)
    texts = [mark.text for mark in panel.marks if isinstance(mark, Words)]
    assert set(shown) <= set(texts)
    for (one, a, b, c, d), (other, e, f, g, h) in combinations(boxes(panel), 2):
        assert c <= e or g <= a or d <= f or h <= b, f"{one!r} over {other!r}"


@pytest.mark.parametrize("display", DISPLAYS)
def test_steps_of_a_path_are_joined_and_its_ends_named(display) -> None:
    panel = display.from_table(TABLES, paths=PATHS).panel()
    texts = {mark.text for mark in panel.marks if isinstance(mark, Words)}

    assert {"down: d", "down: a", "along: e", "along: c"} <= texts
    assert not {"down: b", "along: f"} & texts
    assert sum(isinstance(mark, Line) and len(mark.points) == 3 and not mark.closed for mark in panel.marks) == (
        2 if display is ifs.EntropyTriangleDisplay else 4
    )


@pytest.mark.parametrize("display", DISPLAYS)
@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ({"families": {"x": ["a", "nobody"]}}, "family 'x' names 'nobody', which is none of the systems"),
        ({"paths": {"x": ["nobody"]}}, "path 'x' goes through 'nobody'"),
        ({"families": {"empty": []}}, "family 'empty' names no system"),
    ],
)
def test_groups_of_systems_that_are_not_there_are_rejected(display, groups, message) -> None:
    with pytest.raises(InfoscopeError, match=message):
        display.from_table(TABLES, **groups)


def test_sides_are_named_where_no_point_is_in_the_way() -> None:
    def said(display: ifs.EntropyTriangleDisplay | ifs.SplitTriangleDisplay) -> set[str]:
        return {mark.text for mark in display.panel().marks if isinstance(mark, Words)}

    one = {"a": TABLES["a"]}
    assert set(JOINT_SIDES) <= said(ifs.EntropyTriangleDisplay.from_table(one))
    assert set(SPLIT_SIDES) <= said(ifs.SplitTriangleDisplay.from_table(one))
    points = [TrianglePoint(str(at), TriangleShares(1 - at / 20, 0.0, at / 20)) for at in range(21)]
    assert JOINT_SIDES[2] not in said(ifs.EntropyTriangleDisplay(points))


@pytest.mark.parametrize(
    ("shares", "zone"),
    [
        ((0.95, 0.05, 0.0), "hardly anything to decide"),
        ((0.0, 0.95, 0.05), "perfect and balanced"),
        ((0.02, 0.03, 0.95), "random"),
        ((0.5, 0.02, 0.48), "nothing is transmitted"),
        ((0.5, 0.5, 0.0), "never confused, classes unbalanced"),
        ((0.0, 0.5, 0.5), "part is transmitted, part is lost, classes balanced"),
        ((0.3, 0.4, 0.3), "part is transmitted, part is lost, classes unbalanced"),
    ],
)
def test_zones_in_words(shares, zone) -> None:
    assert describe_zone(TriangleShares(*shares)) == zone
    display = ifs.EntropyTriangleDisplay([TrianglePoint("x", TriangleShares(*shares))])
    assert zone in display.to_svg()


def test_training_has_a_star_where_the_most_gets_across() -> None:
    right = {1: 12, 2: 18, 3: 19, 4: 15}
    tables = {at: ifs.Contingency.from_matrix([[n, 20 - n], [20 - n, n]]) for at, n in right.items()}
    display = ifs.EntropyTriangleDisplay.from_epochs(tables)

    assert display.best == "3"
    assert "star" in dots(display.panel())["3"]
    assert "3 ★" in [mark.text for mark in display.panel().marks if isinstance(mark, Words)]


def test_every_marker_is_drawn_by_both_renderers() -> None:
    pytest.importorskip("matplotlib")
    names = [str(at) for at in range(len(MARKERS))]
    tables = dict.fromkeys(names, TABLES["a"])
    display = ifs.EntropyTriangleDisplay.from_table(tables, families={name: [name] for name in names})

    assert display.to_svg().count("<path") > 6
    panel = display.panel()
    axes = make_axes(panel)
    draw(panel, axes)
    markers = {line.get_marker() for line in axes.get_lines()}
    assert {"o", "s", "D", "^", "v", "*"} <= markers


def test_the_output_half_of_the_perplexity_chain() -> None:
    chain = ifs.PerplexityDisplay.from_table(TABLES["a"]).chains[0]

    assert chain.output is not None
    assert chain.output.classes == 3
    assert chain.output.effective == pytest.approx(2**1.5)
    assert chain.transferred * chain.output.remaining == pytest.approx(chain.output.effective)
    assert chain.output.remaining == pytest.approx(float(ifs.metrics.system_remnant_classes(TABLES["a"])))
    both, one = (ifs.PerplexityDisplay.from_table(TABLES["a"], half=half).panel() for half in ("both", "truth"))
    words = [mark.text for mark in both.marks if isinstance(mark, Words)]
    assert any("predictions per true class" in text for text in words)
    assert one.height < both.height
    assert "beyond the truth" in words


@pytest.mark.parametrize("alias", ["m_Y", "m_Y|X"])
def test_names_of_the_output_half(alias: str) -> None:
    assert alias in ifs.catalogue


def test_coverage_points_carry_their_numbers_and_arrows_their_factors() -> None:
    first, second, third = (ifs.Contingency.from_matrix([[n, 20 - n], [20 - n, n]]) for n in (12, 16, 19))
    display = ifs.CoverageDisplay.from_table({"2007": first, "2008": second, "2009": third}, arrows=True)
    texts = [mark.text for mark in display.panel().marks if isinstance(mark, Words)]
    errors = [float(ifs.metrics.erroneous_information_ratio(table)) for table in (first, second, third)]

    assert {f"{error:.3f}" for error in errors} <= set(texts)
    assert {f"{a / b:.2f}×" for a, b in pairwise(errors)} <= set(texts)
    plain = ifs.CoverageDisplay.from_table({"a": first, "b": second}, numbers=False)
    assert not any(text in {f"{e:.3f}" for e in errors} for text in _texts(plain))
    some = ifs.CoverageDisplay.from_table({"a": first, "b": second, "c": third}, arrows=[("a", "c")])
    assert f"{errors[0] / errors[2]:.2f}×" in _texts(some)


def test_an_arrow_to_a_system_without_errors_has_no_factor() -> None:
    tables = {"old": TABLES["b"], "perfect": ifs.Contingency.from_matrix(np.eye(3) * 20)}

    assert not [text for text in _texts(ifs.CoverageDisplay.from_table(tables, arrows=True)) if "×" in text]


def test_numbers_at_points_do_not_overlap() -> None:
    rng = np.random.default_rng(4)
    tables = {str(at): ifs.Contingency.from_matrix(np.diag([20] * 3) + rng.integers(0, 6, (3, 3))) for at in range(10)}
    panel = ifs.CoverageDisplay.from_table(tables).panel()
    numbers = [box for box in boxes(panel) if box[0].startswith(("0.", "1.")) and len(box[0]) == 5]

    assert len(numbers) >= 3
    for (one, a, b, c, d), (other, e, f, g, h) in combinations(numbers, 2):
        assert c <= e or g <= a or d <= f or h <= b, f"{one!r} over {other!r}"


def _texts(display: ifs.CoverageDisplay) -> list[str]:
    return [mark.text for mark in display.panel().marks if isinstance(mark, Words)]


@pytest.mark.slow
def test_runs_over_epochs_are_a_path_with_the_best_setting_starred(tmp_path) -> None:
    right = {1: 12, 2: 18, 3: 19, 4: 15}
    tables = {at: ifs.Contingency.from_matrix([[n, 20 - n], [20 - n, n]]) for at, n in right.items()}
    tuning = ifs.tune(tables, "epoch")

    display = tuning.plot("triangle")
    assert display.best == "epoch 3"
    assert list(display.paths.values()) == [[f"epoch {at}" for at in right]]
    assert "Entropy triangle" in tuning.to_html()
    again = ifs.load(tuning.save(tmp_path / "epochs.json")).plot("triangle")
    assert again.best == display.best
    np.testing.assert_allclose([p.shares for p in again.points], [p.shares for p in display.points])
