"""Who followed whom: timeline and association map of the sequences that lose most."""

from __future__ import annotations

from infoscope.figures.association import AssociationDisplay
from infoscope.figures.display import Display
from infoscope.figures.svg import svg
from infoscope.figures.track_timeline import TrackTimelineDisplay
from infoscope.report.html.elements import Html, element, joined, label, scrolled
from infoscope.report.numbers import share
from infoscope.tracking.document import System, TrackingEvaluation, ledger_lines
from infoscope.tracking.sequence import Sequence

__all__ = ["followed"]

SEQUENCES = 6
"""Sequences drawn of the tracker that the page is about; of each other one is."""
OTHERS = 4
TRACKS = 30


def followed(evaluation: TrackingEvaluation, focus: System) -> Html:
    """The section; what is not drawn is counted."""
    drawn = _worst_sequences(focus, SEQUENCES)
    if not drawn:
        return Html("")
    others = [each for each in evaluation.systems if each is not focus]
    left = len(focus.sequences) - len(drawn)
    words = f"The {len(drawn)} sequences that lose most are drawn; {left} more are not. " if left else ""
    blocks = [_sequence(evaluation, focus, each, first=at == 0) for at, each in enumerate(drawn)]
    return element(
        "section",
        element("h2", "Who followed whom"),
        element("p", words, "A truth track is a row; its colour changes when its id does.", class_="note"),
        *blocks,
        *(_other(evaluation, each) for each in others[:OTHERS]),
        element("p", f"{len(others) - OTHERS} more trackers are not drawn.", class_="note")
        if len(others) > OTHERS
        else Html(""),
        id="followed",
    )


def _worst_sequences(system: System, most: int) -> list[Sequence]:
    """Those with the most lost and false bits, worst first."""
    able = [each for each in system.sequences if len(each.tracks.truth)]
    return sorted(able, key=_wrong, reverse=True)[:most]


def _wrong(sequence: Sequence) -> float:
    lines = ledger_lines(sequence.total)
    return sum(lines[line] for line in ("missed", "confused", "fragmented", "spurious"))


def _sequence(evaluation: TrackingEvaluation, system: System, sequence: Sequence, *, first: bool) -> Html:
    lines = ledger_lines(sequence.total)
    captured = f", {share(lines['captured'] / lines['truth'])} captured" if lines["truth"] > 0 else ""
    return element(
        "details",
        element("summary", label(sequence.name, 60), captured),
        _pictures(evaluation, system, sequence),
        open=first,
    )


def _other(evaluation: TrackingEvaluation, system: System) -> Html:
    worst = _worst_sequences(system, 1)
    if not worst:
        return Html("")
    return element(
        "details",
        element("summary", label(system.name, 60), ": ", label(worst[0].name, 60)),
        _pictures(evaluation, system, worst[0]),
        class_="other",
    )


def _pictures(evaluation: TrackingEvaluation, system: System, sequence: Sequence) -> Html:
    who, where = system.name, sequence.name
    timeline = TrackTimelineDisplay.from_evaluation(evaluation, system=who, sequence=where, most=TRACKS)
    association = AssociationDisplay.from_evaluation(evaluation, system=who, sequence=where, most=TRACKS)
    return element(
        "div",
        element("h4", "Timeline"),
        _fitted(timeline),
        element("h4", "Association: frames that each id spent on each truth track"),
        _fitted(association),
        class_="pictures",
    )


def _fitted(display: Display) -> Html:
    """A picture no wider than it was composed for, with what it leaves out."""
    panel = display.panel()
    notes = joined(element("p", note, class_="note") for note in panel.notes)
    size = f"min-width:{min(panel.width, 640):.0f}px;max-width:{min(1.25 * panel.width, 1100):.0f}px"
    return joined((notes, scrolled(element("figure", Html(svg(panel)), style=size), panel.title)))
