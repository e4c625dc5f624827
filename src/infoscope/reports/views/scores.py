"""What an evaluation shows of the scores behind its predictions: thresholds, and whether they are probabilities."""

from __future__ import annotations

from collections.abc import Iterator

from infoscope.evaluation import Evaluation
from infoscope.figures.score_curves import LiftDisplay, PrecisionRecallDisplay, ReliabilityDisplay
from infoscope.operating_points import Sweep
from infoscope.reports.numbers import Units
from infoscope.reports.outline import Block, Figure, Name, Paragraph, Section, SideBySide
from infoscope.reports.views.threshold_choices import recommended_thresholds

__all__ = ["score_sections"]


def score_sections(evaluation: Evaluation, unit: Units) -> Iterator[Section]:
    """One for each system with a score."""
    several = len(evaluation.systems) > 1
    for at, system in enumerate(evaluation.ranking):
        if system.scores is None:
            continue
        heading = ("Thresholds of ", Name(system.title)) if several else "Other thresholds"
        blocks = _blocks(system.scores, unit)
        yield Section(heading, blocks, "thresholds" if not at else f"thresholds-{at}", link="Thresholds")


def _blocks(sweep: Sweep, unit: Units) -> list[Block]:
    if sweep.reversed_class is not None:
        meant, positive = Name(sweep.reversed_class, 40), Name(sweep.positive or "", 40)
        return [Paragraph(("High scores mean ", meant, ", not ", positive, ": no threshold is recommended."))]
    return [recommended_thresholds(sweep.choices, unit), *_pictures(sweep)]


def _pictures(sweep: Sweep) -> list[Block]:
    found = Figure(PrecisionRecallDisplay.from_sweep(sweep).panel(), "Precision-recall curve", style="map")
    if not sweep.reliability:
        return [SideBySide([found], [Figure(LiftDisplay.from_sweep(sweep).panel(), "Lift", style="map")])]
    reliability = Figure(ReliabilityDisplay.from_sweep(sweep).panel(), "Reliability diagram", style="map")
    return [SideBySide([found], [reliability])]
