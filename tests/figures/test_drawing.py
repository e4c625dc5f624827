"""Both renderers draw every picture; files, axes, notebooks; what cannot be drawn is rejected in words."""

import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import infoscope
from infoscope import (
    BoundsDisplay,
    ClassInformationDisplay,
    ComparisonDisplay,
    ConfusionDisplay,
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
)
from infoscope.errors import InputError
from tests.api import CoveragePoint, Display, ForestRow, ImprovementStep, Spread

HOSTILE = [
    "</svg><script>alert(1)</script>",
    '" onload="alert(1)',
    "=HYPERLINK(1)",
    "\u202egnp.exe",
    "x" * 500,
    "$\\frac{1}{2}$",
    "猫&<b>",
    "two\nlines",
]


LONG = [
    f"{word} network with a rather long name, {at}" for at, word in enumerate(["WAVE", "residual", "MOMENTUM", "tiny"])
]


def table(seed: int, labels: list[str] | None = None, classes: int = 4) -> Contingency:
    names = labels or [f"c{at}" for at in range(classes)]
    counts = np.random.default_rng(seed).integers(0, 9, (len(names), len(names))) + 20 * np.eye(len(names), dtype=int)
    return Contingency.from_matrix(counts, truth=names, system=names)


def every_picture(labels: list[str] | None = None) -> dict[str, Display]:
    one, systems = (
        table(0, labels),
        {name: table(at, labels) for at, name in enumerate((labels or ["A", "B", "C"])[:3])},
    )
    names = list(systems)
    spread = Spread((0.3, 0.6), np.diag([1e-4, 2e-4]))
    cloud = np.random.default_rng(0).normal([0.3, 0.6], 0.02, (50, 2))
    steps = {at / 4: table(at, labels) for at in range(4)}
    binary = Contingency.from_matrix([[8, 2], [5, 75]], positive=0)
    return {
        "coverage": CoverageDisplay.from_table(systems),
        "ellipses": CoverageDisplay([CoveragePoint(names[0], 0.3, 0.6, 0.7, spread)], zoom=True),
        "cloud": CoverageDisplay([CoveragePoint(names[0], 0.3, 0.6, None, spread, cloud)]),
        "tuning": CoverageDisplay.from_table(systems, curves={"K": names}),
        "triangle": EntropyTriangleDisplay.from_table(systems),
        "simplex": EntropyTriangleDisplay.from_table(systems, simplex=True),
        "zones": EntropyTriangleDisplay.from_table(systems, zones=True),
        "path": EntropyTriangleDisplay.from_table(systems, paths={"p": names}, magnify=("transfer", 3.0)),
        "split triangle": SplitTriangleDisplay.from_table(systems),
        "perplexity": PerplexityDisplay.from_table(systems),
        "confusion": ConfusionDisplay.from_table(one),
        "confusion shares": ConfusionDisplay.from_table(one, shown="of_truth", order="given"),
        "many classes": ConfusionDisplay.from_table(table(1, classes=40)),
        "classes": ClassInformationDisplay.from_table(one),
        "classes of several": ClassInformationDisplay.from_table(systems),
        "leaks": LeakDisplay.from_table(one),
        "ledger": LedgerDisplay.from_table(one),
        "forest": ComparisonDisplay.from_table(systems, baseline=names[0]),
        "differences": ComparisonDisplay(
            [ForestRow(names[0], -0.02, -0.05, 0.01, "can't tell")], "points", differences=True
        ),
        "sweep": SweepDisplay.from_table(steps),
        "band": SweepDisplay.from_values(
            [1, 2], {names[0]: [ForestRow("", 0.1, 0.0, 0.2), ForestRow("", 0.3, 0.2, 0.4)]}
        ),
        "curves": MetricCurvesDisplay.over_quality(),
        "curves through a table": MetricCurvesDisplay.from_table(one),
        "bounds": BoundsDisplay.from_table(systems),
        "bounds near": BoundsDisplay.from_table(systems, zoom=True),
        "surface": SurfaceDisplay.from_table({names[0]: binary}),
        "diagram": EntropyDiagramDisplay.from_table(one),
        "joint diagram": EntropyDiagramDisplay.from_table(one, form="joint"),
        "extended circles": EntropyDiagramDisplay.from_table(one, form="extended circles"),
        "circles": EntropyDiagramDisplay.from_table(one, form="circles"),
        "split diagram": EntropyDiagramDisplay.from_table(one, form="split"),
        "improvement": ImprovementDisplay.from_table(systems),
        "improvement ranges": ImprovementDisplay([ImprovementStep(names[0], "information", 1.3, 1.1, 1.5)]),
    }


PICTURES = every_picture()
SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("name", PICTURES)
def test_svg_is_whole_and_stands_without_style_sheets(name: str) -> None:
    text = PICTURES[name].to_svg()
    root = ElementTree.fromstring(text)

    assert "nan" not in text.lower().replace("nano", "")
    assert root.get("role") == "img"
    assert root.get("aria-label")
    for tag in ("path", "rect", "circle", "text"):
        for mark in root.iter(f"{SVG}{tag}"):
            assert mark.get("fill") or mark.get("stroke") or mark in next(root.iter(f"{SVG}clipPath")), tag


def wide(text: str, size: float, *, bold: bool) -> float:
    """Return the width of a text in one of the widest fonts that browsers take."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(family="DejaVu Sans", size=size, weight="bold" if bold else "normal")
    return float(text_to_path.get_text_width_height_descent(text, font, ismath=False)[0])


@pytest.mark.slow
@pytest.mark.parametrize("names", [None, LONG], ids=["short", "long"])
def test_nothing_is_drawn_off_the_page(names: list[str] | None) -> None:
    pytest.importorskip("matplotlib")
    for name, display in (PICTURES if names is None else every_picture(names)).items():
        panel = display.panel()
        root = ElementTree.fromstring(display.to_svg())
        for words in root.iter(f"{SVG}text"):
            if words.get("x") is None:
                continue
            x, size, text = float(words.get("x", 0)), float(words.get("font-size", 0)), words.text or ""
            room = wide(text, size, bold=words.get("font-weight") is not None)
            left = {"middle": x - room / 2, "end": x - room}.get(words.get("text-anchor", ""), x)
            assert left >= 0, (name, text)
            assert left + room <= panel.width, (name, text)
            assert 0 <= float(words.get("y", 0)) <= panel.height + 3, (name, text)


@pytest.mark.parametrize("name", PICTURES)
def test_matplotlib_draws_the_same_marks(name: str) -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    panel = PICTURES[name].panel()
    display = PICTURES[name]
    _, ax = pyplot.subplots()
    assert display.plot(ax).ax_ is ax
    drawn = len(ax.patches) + len(ax.lines) + len(ax.texts) + len(ax.images)
    display.ax_ = display.figure_ = None
    ax.figure.canvas.draw()
    pyplot.close("all")

    assert drawn == len(panel.marks)


@pytest.mark.slow
def test_hostile_names_stay_text() -> None:
    for name, display in every_picture(HOSTILE).items():
        for text in (display.to_svg(), str(display._repr_html_())):
            assert "<script" not in text, name
            assert "\u202e" not in text, name
        root = ElementTree.fromstring(display.to_svg())
        attributes = {key for mark in root.iter() for key in mark.attrib}
        assert not {key for key in attributes if key.startswith("on")}, name


@pytest.mark.slow
def test_hostile_names_do_not_stop_matplotlib(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    safe = [name for name in HOSTILE if name.isascii()]
    ConfusionDisplay.from_table(table(0, safe)).save(tmp_path / "a.png")
    CoverageDisplay.from_table({name: table(0) for name in safe}).save(tmp_path / "b.pdf")


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["svg", "png", "pdf"])
def test_files_are_written_and_not_overwritten(tmp_path: Path, suffix: str) -> None:
    if suffix != "svg":
        pytest.importorskip("matplotlib")
    target = tmp_path / f"picture.{suffix}"
    written = PICTURES["triangle"].save(target)
    before = target.read_bytes()

    assert written == target
    assert len(before) > 2000
    PICTURES["coverage"].save(target)  # what we wrote we may replace
    assert target.read_bytes() != before
    target.write_text("somebody's own")
    with pytest.raises(InputError, match="exists and is no picture of infoscope; choose another name"):
        PICTURES["coverage"].save(target)
    assert target.read_text() == "somebody's own"
    PICTURES["coverage"].save(target, force=True)
    assert len(target.read_bytes()) > 2000
    assert [each.name for each in tmp_path.iterdir()] == [target.name]


def test_unwritable_and_unknown_places_are_rejected(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot write .*: there is no folder"):
        PICTURES["ledger"].save(tmp_path / "nowhere" / "a.svg")
    with pytest.raises(InputError, match=r"end it in \.svg, \.pdf or \.png"):
        PICTURES["ledger"].save(tmp_path / "a.gif")
    (tmp_path / "b.svg").mkdir()
    with pytest.raises(InputError, match="is a folder"):
        PICTURES["ledger"].save(tmp_path / "b.svg", force=True)


@pytest.mark.slow
def test_used_like_scikit_learns_displays() -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    from sklearn.dummy import DummyClassifier
    from sklearn.tree import DecisionTreeClassifier

    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 2)), rng.integers(0, 3, 200)
    tree = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)
    for display in (BoundsDisplay, CoverageDisplay, EntropyTriangleDisplay, ClassInformationDisplay, ConfusionDisplay):
        made = display.from_estimator(tree, X, y)
        assert made.figure_ is made.ax_.figure
        assert made._repr_html_() is None  # the notebook shows the figure already
        _, ax = pyplot.subplots()
        assert display.from_predictions(y, tree.predict(X), ax=ax).ax_ is ax
    both = CoverageDisplay.from_predictions(
        y, {"tree": tree.predict(X), "dummy": DummyClassifier().fit(X, y).predict(X)}
    )
    assert [point.name for point in both.points] == ["tree", "dummy"]
    pyplot.close("all")


def test_without_matplotlib_the_way_out_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)

    with pytest.raises(InputError, match=r"install infoscope\[plots\], or use .to_svg\(\)"):
        PICTURES["ledger"].plot()
    assert PICTURES["ledger"].to_svg().startswith("<svg")


@pytest.mark.slow
def test_pictures_load_nothing_heavy() -> None:
    code = (
        "import sys, infoscope.figures, infoscope.reports.html;"
        "print([m for m in ('matplotlib', 'scipy.stats', 'pandas') if m in sys.modules])"
    )
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert output.stdout.strip() == "[]"


def test_displays_are_public() -> None:
    for display in (type(picture) for picture in PICTURES.values()):
        assert getattr(infoscope, display.__name__) is display


def test_standalone_picture_follows_the_reader_or_the_caller() -> None:
    picture = PICTURES["triangle"]

    assert "prefers-color-scheme:dark" in picture.to_svg()
    assert "prefers-color-scheme" not in picture.to_svg(dark=True)
    assert "<style>" not in picture.to_svg(dark=False)


def test_notebook_picture_needs_neither_svg_nor_style_tags() -> None:
    html = str(PICTURES["ledger"]._repr_html_())

    assert re.match(r"^<img [^>]+>$", html)
    assert "data:image/svg+xml;base64," in html
