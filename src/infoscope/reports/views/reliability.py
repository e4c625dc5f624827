"""What is shown of a score's reliability: a diagram and the bins behind it."""

from __future__ import annotations

from infoscope.figures.score_curves import ReliabilityDisplay
from infoscope.operating_points import Sweep
from infoscope.reports.numbers import amount, interval_text, share
from infoscope.reports.outline import Column, Figure, Section, SideBySide, Table
from infoscope.reports.views.threshold_choices import signed_value

__all__ = ["reliability_section"]


def reliability_section(sweep: Sweep) -> list[Section]:
    """Fraction of positives by score, in bins; nothing for scores that are no probabilities."""
    if not sweep.reliability:
        return []
    columns = [
        Column("mean score", "name"),
        Column("positive"),
        Column("interval", priority=7),
        Column("positives", priority=6),
        Column("samples"),
        Column("scores", "text", priority=5),
    ]
    rows = [
        (
            signed_value(bin_.score),
            share(bin_.rate.value),
            interval_text(bin_.rate),
            amount(bin_.positives),
            amount(bin_.samples),
            f"{bin_.low:.3g} to {bin_.high:.3g}".replace("-", "−"),
        )
        for bin_ in sweep.reliability
    ]
    note = "Bins know their fraction about equally well. On the dashed line the score is the fraction of positives."
    figure = Figure(ReliabilityDisplay(sweep.reliability).panel(), "Reliability diagram", note, "map")
    table = Table(columns, rows, "Fraction of positives by score", max_rows=len(rows))
    return [Section("Is the score a probability?", [SideBySide([table], [figure])], "reliability", link="Reliability")]
