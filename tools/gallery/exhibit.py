"""Exhibits of the gallery: a picture beside the figures that its paper prints."""

from collections.abc import Sequence
from dataclasses import dataclass

from infoscope.figures.display import Display
from infoscope.metrics.registry import find
from infoscope.tables import Contingency

__all__ = ["Exhibit", "Fact", "score"]

Fact = tuple[str, str, str]
"""Name of a figure, its printed value, and ours."""


@dataclass(frozen=True)
class Exhibit:
    """A picture with what the paper says about the same numbers."""

    file: str
    title: str
    source: str
    display: Display
    facts: Sequence[Fact] = ()
    note: str = ""
    made_up: bool = False
    """True if no paper has the example."""


def score(metric: str, table: Contingency) -> float:
    """A metric by its name."""
    return float(find(metric).score(table))
