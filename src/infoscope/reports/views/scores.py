"""What an evaluation shows of the scores behind its predictions: thresholds, and whether they are probabilities."""

from __future__ import annotations

from infoscope.evaluation import Evaluation, SystemResult
from infoscope.figures.score_curves import LiftDisplay, PrecisionRecallDisplay, ReliabilityDisplay
from infoscope.operating_points import Sweep
from infoscope.reports.numbers import Units
from infoscope.reports.outline import Block, Figure, Name, Paragraph, Section, SideBySide
from infoscope.reports.views.threshold_choices import recommended_thresholds

__all__ = ["score_sections"]


def score_sections(evaluation: Evaluation, unit: Units) -> list[Section]:
    """The thresholds of every system with a score, below one heading."""
    scored = [system for system in evaluation.ranking if system.scores is not None]
    if not scored:
        return []
    if len(evaluation.systems) == 1:
        blocks = _blocks(scored[0], unit)
    else:
        blocks = [Section(("Thresholds of ", Name(system.title)), _blocks(system, unit)) for system in scored]
    return [Section("Other thresholds", blocks, "thresholds", link="Thresholds")]


def _blocks(system: SystemResult, unit: Units) -> list[Block | Section]:
    sweep = system.scores
    assert sweep is not None  # asked for systems with scores only
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
