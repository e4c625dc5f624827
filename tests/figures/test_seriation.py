"""Classes that are confused stand together, in whichever direction they are confused."""

from infoscope.figures.seriation import confusion_order
from infoscope.tables import Contingency


def test_confusion_in_either_direction_brings_classes_together() -> None:
    """Class 0 is taken for 2, and 3 for 1, never the other way round."""
    order = confusion_order(
        Contingency.from_matrix([[8, 0, 2, 0], [0, 10, 0, 0], [0, 0, 10, 0], [0, 3, 0, 7]])
    ).tolist()

    assert abs(order.index(0) - order.index(2)) == 1
    assert abs(order.index(1) - order.index(3)) == 1
