"""Words of a picture stand inside it and off each other, whatever is drawn: measured on the boxes of all words."""

import re

import numpy as np
import pytest
from numpy.typing import NDArray

from infoscope import Contingency, TrackLedgerDisplay, agreement, evaluate, relate, sweep
from infoscope.errors import InputError
from infoscope.figures import (
    BoundsDisplay,
    ClassInformationDisplay,
    ComparisonDisplay,
    ConfusionDisplay,
    ConfusionGridDisplay,
    CoverageDisplay,
    EntropyDiagramDisplay,
    EntropyTriangleDisplay,
    ImprovementDisplay,
    LeakDisplay,
    LedgerDisplay,
    PerplexityDisplay,
    RocDisplay,
    SplitTriangleDisplay,
    StabilityDisplay,
    SurfaceDisplay,
)
from infoscope.reports import picture
from tests.api import (
    FONT,
    LIGHT,
    LedgerRow,
    Panel,
    RelationGraphDisplay,
    RelationMatrixDisplay,
    Ribbon,
    Words,
    draw_axes,
    find_view,
    fit_labels,
    measure_width,
    svg,
)
from tests.results.examples import EXAMPLES, example

CATALOGUE = [f"class number {at:03d} of the catalogue" for at in range(120)]
LONG = "checkpoint-2026-11-19T08:15:33Z/with-augmentation/final-ensemble (seed {})"


def system(classes: int, accuracy: float, names: list[str] | None = None, rejected: float = 0.0) -> Contingency:
    rng = np.random.default_rng(classes)
    matrix = rng.dirichlet(np.full(classes, 0.3), classes) * (1 - accuracy) + np.eye(classes) * accuracy
    counts = np.round(matrix * rng.uniform(40, 160, (classes, 1)))
    if not rejected:
        return Contingency.from_matrix(counts, truth=names, system=names)
    left_out = np.round(counts.sum(1) * rejected)[:, None]
    return Contingency.from_matrix(np.hstack([np.round(counts * (1 - rejected)), left_out]), reject=classes)


def several(count: int, low: float, high: float, name: str = "model {}") -> dict[str, Contingency]:
    return {name.format(at): system(4, accuracy) for at, accuracy in enumerate(np.linspace(low, high, count))}


GUESSES = np.random.default_rng(0).multinomial(60, np.full(900, 1 / 900)).reshape(2, 450)
SYSTEMS: dict[str, dict[str, Contingency]] = {
    "one": {"svm": system(3, 0.9)},
    "one very bad": {"svm": system(2, 0.95), "forest": system(2, 0.9), "awful": Contingency.from_matrix(GUESSES)},
    "five alike": several(5, 0.966, 0.97),
    "28": several(28, 0.3, 0.98),
    "200 alike": several(200, 0.85, 0.95),
    "long names": several(6, 0.3, 0.98, LONG),
    "constant": {"constant": Contingency.from_matrix([[30, 0, 0], [20, 0, 0], [10, 0, 0]])},
    "perfect": {"perfect": Contingency.from_matrix(np.diag([30, 20, 10])), "svm": system(3, 0.9)},
    "two classes": {"a": system(2, 0.9), "b": system(2, 0.8)},
    "120 classes": {"large": system(120, 0.8, CATALOGUE)},
    "rejections": {f"m{at}": system(3, 0.9 - 0.04 * at, rejected=0.05 * at) for at in range(1, 9)},
    "all rejected": {"silent": Contingency.from_matrix([[0, 0, 0, 30], [0, 0, 0, 20], [0, 0, 0, 10]], reject=3)},
}
MAPS = (BoundsDisplay, CoverageDisplay, EntropyTriangleDisplay, SplitTriangleDisplay, ComparisonDisplay)
BARS = (ClassInformationDisplay, PerplexityDisplay)
SINGLE = (ConfusionDisplay, LedgerDisplay, LeakDisplay)
PHONE = 1.15
"""Words on a small page, in widths of the planned ones."""
ONE_SYSTEM = ("one", "constant", "120 classes", "all rejected")


def find_corners(panel: Panel, words: Words, wider: float) -> NDArray[np.float64]:
    """Corners of words on the page, turned as they are."""
    x, y = panel.place(words.x, words.y)
    wide, high = wider * measure_width(words.text, FONT[words.size]), 0.8 * FONT[words.size]
    left = -{"start": 0.0, "middle": 0.5, "end": 1.0}[words.anchor] * wide
    turn = np.radians(words.angle)
    box = np.array([[left, -high / 2], [left + wide, -high / 2], [left + wide, high / 2], [left, high / 2]])
    turned = box @ np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    return turned + np.array([x + words.shift[0], y + words.shift[1]])


def overlap(one: NDArray[np.float64], other: NDArray[np.float64]) -> bool:
    """Two turned boxes overlap if no side of either separates them."""
    for box in (one, other):
        for side in np.diff(box[[0, 1, 2]], axis=0):
            normal = np.array([-side[1], side[0]]) / max(np.hypot(*side), 1e-9)
            a, b = one @ normal, other @ normal
            if min(a.max(), b.max()) - max(a.min(), b.min()) < 1.0:
                return False
    return True


def assert_words_are_apart(panel: Panel, wider: float) -> None:
    every = [mark for mark in (*draw_axes(panel), *panel.marks) if isinstance(mark, Words) and mark.text.strip()]
    boxes = [(words.text, find_corners(panel, words, wider)) for words in every]
    assert boxes
    low, high = (np.array([extreme(box, axis=0) for _, box in boxes]) for extreme in (np.min, np.max))
    near = ((low[:, None] < high[None]) & (low[None] < high[:, None])).all(axis=-1)
    pairs = [(boxes[i], boxes[j]) for i, j in np.argwhere(np.triu(near, 1))]
    touching = [(a, b) for (a, one), (b, other) in pairs if overlap(one, other)]
    outside = [text for text, box in boxes if (box < -1).any() or (box > (panel.width + 1, panel.height + 1)).any()]
    assert (touching, outside) == ([], [])


@pytest.mark.parametrize("name", [name for name in SYSTEMS if name != "all rejected"])
@pytest.mark.parametrize("display", [*MAPS, *BARS], ids=lambda display: display.__name__)
def test_words_of_several_systems_are_apart(display: type, name: str) -> None:
    # long names fill the margin on wide pages, and phones cut them
    assert_words_are_apart(display.from_table(SYSTEMS[name]).panel(), 0.95 if name == "long names" else PHONE)


@pytest.mark.parametrize("name", ["one very bad", "long names", "rejections", "all rejected", "28", "two classes"])
def test_words_of_small_matrices_and_their_key_are_apart(name: str) -> None:
    assert_words_are_apart(ConfusionGridDisplay.from_table(SYSTEMS[name]).panel(), PHONE)


@pytest.mark.parametrize("name", ONE_SYSTEM)
@pytest.mark.parametrize("display", SINGLE, ids=lambda display: display.__name__)
def test_words_of_one_system_are_apart(display: type, name: str) -> None:
    assert_words_are_apart(display.from_table(SYSTEMS[name]).panel(), PHONE)


@pytest.mark.parametrize("three_d", [False, True])
def test_words_of_the_surface_are_apart(three_d: bool) -> None:
    rates = {f"model {at}": [[90 - at, at], [at, 10 - at]] for at in (0, 1, 2, 5, 10)}
    tables = {name: Contingency.from_matrix(matrix, positive=0) for name, matrix in rates.items()}

    assert_words_are_apart(SurfaceDisplay.from_table(tables, three_d=three_d).panel(), PHONE)


@pytest.mark.parametrize("count", [2, 12])
def test_words_of_improvements_are_apart(count: int) -> None:
    assert_words_are_apart(ImprovementDisplay.from_table(several(count, 0.3, 0.98)).panel(), PHONE)


@pytest.mark.parametrize("form", ["extended", "circles", "split", "extended circles", "joint"])
@pytest.mark.parametrize("name", ["one", "constant", "120 classes"])
def test_words_of_entropy_diagrams_are_apart(name: str, form: str) -> None:
    assert_words_are_apart(EntropyDiagramDisplay.from_table(SYSTEMS[name], form=form).panel(), PHONE)


def test_numbers_on_the_lines_of_equal_error_leave_points_alone() -> None:
    panel = CoverageDisplay.from_table(SYSTEMS["one very bad"]).panel()
    dots = [mark for mark in panel.marks if type(mark).__name__ == "Dot"]
    numbers = [mark for mark in panel.marks if isinstance(mark, Words) and mark.shift == (5.0, -7.0)]

    assert 2 <= len(numbers) <= 8
    for words in numbers:
        box = find_corners(panel, words, 1.0)
        for dot in dots:
            x, y = panel.place(dot.x, dot.y)
            assert not (box[:, 0].min() < x < box[:, 0].max() and box[:, 1].min() < y < box[:, 1].max()), words.text


def test_names_that_would_be_cut_alike_keep_what_tells_them_apart() -> None:
    assert fit_labels(CATALOGUE[:2], 90.0) == ["…000…", "…001…"]
    assert fit_labels(["cat", "dog"], 90.0) == ["cat", "dog"]
    assert len(set(fit_labels(CATALOGUE, 90.0))) == 120
    panel = LeakDisplay.from_table(SYSTEMS["120 classes"]).panel()
    for words in panel.marks:
        if isinstance(words, Words) and words.tip:
            assert words.text.partition(":")[0] == f"…{words.tip[13:16]}…"


def test_rejections_have_a_colour_of_their_own() -> None:
    """Neither that of errors nor that of any system."""
    streams = [
        mark for mark in LeakDisplay.from_table(SYSTEMS["rejections"]["m5"]).panel().marks if isinstance(mark, Ribbon)
    ]

    assert {stream.fill for stream in streams} == {"false", "rejected"}
    assert list(LIGHT.values()).count(LIGHT["rejected"]) == 1


def test_a_page_has_the_colours_of_roles_from_its_style_alone() -> None:
    panel = CoverageDisplay.from_table(SYSTEMS["one"]).panel()

    assert 'class="f-paper' in svg(panel) or "f-dim" in svg(panel)
    assert LIGHT["dim"] not in svg(panel)


def test_a_page_never_cuts_two_names_of_a_table_alike() -> None:
    table = system(24, 0.8, CATALOGUE[:24])
    page = evaluate(table).to_html()
    cut = [
        {(full, short) for full, short in re.findall(r'<bdi title="([^"]*)">([^<]*)</bdi>', part)}
        for part in re.findall(r"<table.*?</table>", page, re.DOTALL)
    ]

    assert max(map(len, cut)) == 24
    assert [len({short for _, short in names}) for names in cut] == [len(names) for names in cut]


def columns(count: int, name: str) -> dict[str, NDArray[np.int64]]:
    rng = np.random.default_rng(count)
    shared = rng.integers(0, 4, 300)
    return {
        name.format(at): np.where(rng.random(300) < 0.6 + 0.3 * (at % 3 == 0), shared, rng.integers(0, 4, 300))
        for at in range(count)
    }


@pytest.mark.parametrize(
    ("count", "name"), [(2, "ann {}"), (12, "ann {}"), (30, "annotator {} of the second campaign")]
)
@pytest.mark.parametrize("which", ["plane", "tree"])
def test_names_of_annotators_are_apart(which: str, count: int, name: str) -> None:
    assert_words_are_apart(picture(agreement(columns(count, name)), which).panel(), 1.0)


@pytest.mark.parametrize("count", [2, 5, 30])
@pytest.mark.parametrize("display", [RelationMatrixDisplay, RelationGraphDisplay], ids=lambda kind: kind.__name__)
def test_names_of_related_columns_are_apart(display: type, count: int) -> None:
    assert_words_are_apart(display.from_relations(relate(columns(count, "column with a long name {}"))).panel(), 1.0)


@pytest.mark.parametrize("count", [1, 2, 20])
def test_keys_of_roc_curves_stay_on_the_canvas(count: int) -> None:
    truth = np.arange(200) % 2
    noise = np.random.default_rng(0).normal(size=(count, 200))
    sweeps = {f"score number {at} of the ensemble": sweep(truth, truth + own) for at, own in enumerate(noise)}
    panel = RocDisplay.from_sweep(sweeps).panel()

    assert_words_are_apart(panel, 1.0)
    assert ("and 3 more" in {mark.text for mark in panel.marks if isinstance(mark, Words)}) == (count == 20)


def test_ways_of_computing_with_one_error_are_named_apart() -> None:
    errors = {f"way {at}": [1e-14, 1e-10 * (1 + at / 10)] for at in range(6)}

    assert_words_are_apart(StabilityDisplay([10, 1000], errors).panel(), 1.0)


def test_the_key_of_tracker_ledgers_stays_on_the_canvas_beside_long_names() -> None:
    parts = (("captured", 0.5), ("missed", 0.4), ("confused", 0.1), ("fragmented", 0.1), ("spurious", 0.1))
    rows = [LedgerRow(f"tracker {at} with a rather long name of its own", parts) for at in range(12)]
    panel = TrackLedgerDisplay(rows, "system").panel()

    assert_words_are_apart(panel, 1.0)
    assert len({text for _, text in panel.y.ticks}) == 12


@pytest.mark.parametrize("kind", EXAMPLES)
def test_words_of_every_picture_of_a_result_are_apart(kind: str) -> None:
    result = example(kind)
    for name in getattr(find_view(kind), "PICTURES", {}):
        try:
            display = picture(result, name)
        except InputError:  # this example has no such picture
            continue
        assert_words_are_apart(display.panel(), PHONE)
