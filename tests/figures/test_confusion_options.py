"""The confusion display in scikit-learn's words: normalize and display_labels."""

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix

import infoscope as ifs
from infoscope import ConfusionDisplay, Contingency
from infoscope.figures.confusion import ConfusionGridDisplay, heat_map
from infoscope.figures.scene import REJECTIONS, Words, blend_colours

TRUTH = [0, 0, 1, 1, 1, 2, 2, 2, 2, 2]
PREDICTED = [0, 1, 1, 1, 2, 2, 2, 2, 0, 1]


@pytest.mark.parametrize("normalize", ["true", "pred", "all"])
def test_cells_are_those_of_scikit_learn(normalize: str) -> None:
    display = ifs.ConfusionDisplay.from_predictions(TRUTH, PREDICTED, normalize=normalize, order="given")
    expected = confusion_matrix(TRUTH, PREDICTED, normalize=normalize)

    texts = [["·" if not share else f"{share:.0%}" for share in line] for line in expected]
    drawn = [text.get_text() for text in display.ax_.texts]
    np.testing.assert_allclose(getattr(display.map, display.shown), expected)
    assert all(text in drawn for line in texts for text in line)


def test_names_follow_their_classes_wherever_these_are_drawn() -> None:
    names = ["zebra", "ape", "mole"]
    display = ifs.ConfusionDisplay.from_predictions(TRUTH, PREDICTED, display_labels=names)

    for at, name in enumerate(display.map.truth):
        row = confusion_matrix(TRUTH, PREDICTED)[names.index(name)]
        assert sorted(display.map.counts[at]) == sorted(row)
    assert set(display.map.truth) == set(display.map.system) == set(names)
    two = ifs.Contingency.from_labels([0, 1, 1], [0, 1, 0], positive=1)
    assert ifs.ConfusionDisplay.from_table(two, display_labels=["no", "yes"], order="given").map.truth == ("no", "yes")


def test_rejections_are_neither_right_nor_wrong() -> None:
    """They have a colour of their own, and the largest error keeps its scale."""
    table = Contingency.from_matrix([[6, 1, 3], [2, 1, 7]], truth=["a", "b"], system=["a", "b", "?"], reject="?")
    cells = heat_map(table, "given")
    violet = np.rint(blend_colours(REJECTIONS, np.sqrt(0.7)))

    assert cells.rejected.tolist() == [[False, False, True]] * 2
    assert cells.find_worst_error(cells.of_truth) == pytest.approx(0.2)
    assert [truth + system for truth, system, *_ in cells.largest()] == ["ba", "ab"]
    np.testing.assert_array_equal(cells.colours[1, 2], violet)
    for display in (ConfusionDisplay.from_table(table), ConfusionGridDisplay.from_table({"a": table})):
        assert "rejected" in [mark.text for mark in display.panel().marks if isinstance(mark, Words)]
