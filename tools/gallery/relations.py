"""Pictures of relations among columns, of the game of red and blue."""

from collections.abc import Iterator

from examples.red_blue_game import play
from infoscope.figures.relations import RelationGraphDisplay, RelationMatrixDisplay
from infoscope.studies.relate import relate
from tools.gallery.exhibit import Exhibit

__all__ = ["exhibits"]


def exhibits() -> Iterator[Exhibit]:
    """All pairs of the game's columns, as a matrix and as a graph."""
    found = relate(play(2000))
    where = "The game of examples/red_blue_game.py, 2,000 rounds"
    yield Exhibit(
        "relation-matrix",
        "Relation matrix",
        where,
        RelationMatrixDisplay.from_relations(found),
        note="Mutual information of each pair of columns in bits; hollow if it is not significant.",
        made_up=True,
    )
    yield Exhibit(
        "relation-graph",
        "Graph of relations",
        where,
        RelationGraphDisplay.from_relations(found),
        note="Thicker lines mean more information; winning depends on plan and move together, and on neither alone.",
        made_up=True,
    )
