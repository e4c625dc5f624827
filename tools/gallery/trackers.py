"""Pictures of trackers, each with one fault."""

from collections.abc import Iterator

from infoscope.figures.tracks import AssociationDisplay, TrackLedgerDisplay, TrackTimelineDisplay
from infoscope.studies.tracking import compare
from tests.tracking.scenes import Stage
from tools.gallery.exhibit import Exhibit

__all__ = ["exhibits"]


def exhibits() -> Iterator[Exhibit]:
    """One tracker a fault, on ten objects and a hundred frames."""
    stage = Stage()
    faults = {
        "one break": stage.broken(),
        "two swap ids": stage.swapped(),
        "three missed": stage.missing(3),
        "two false tracks": stage.with_false_tracks(2),
        "all break": stage.all_broken(),
    }
    result = compare(stage.truth(), faults)
    where = "Trackers with one fault each, ten objects for a hundred frames"
    yield Exhibit(
        "track-ledger",
        "Information ledger of trackers",
        where,
        TrackLedgerDisplay.from_evaluation(result),
        note="Each error has its own column. What is right of the line is false.",
        made_up=True,
    )
    yield Exhibit(
        "track-timeline",
        "Timeline of a tracker",
        where,
        TrackTimelineDisplay.from_evaluation(result, system="two swap ids"),
        note="Two ids are swapped half way.",
        made_up=True,
    )
    yield Exhibit(
        "association",
        "Association map of a tracker",
        where,
        AssociationDisplay.from_evaluation(result, system="two swap ids"),
        note="Each of the two objects has two ids, and each of these ids has two objects.",
        made_up=True,
    )
