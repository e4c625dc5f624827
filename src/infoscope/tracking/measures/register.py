"""Metrics of trackers with their cards: pure functions of a tally."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

from infoscope.cards import Card
from infoscope.numeric import Real
from infoscope.tracking.tally import Tally

__all__ = ["Measure", "Score", "measure"]

Score: TypeAlias = Callable[[Tally], Real]


@dataclass(frozen=True)
class Measure:
    """A function of a tally, or of a batch of them, with its card."""

    name: str
    score: Score
    card: Card


def measure(card: Card) -> Callable[[Score], Measure]:
    """The function as a measure; its first sentence becomes the card's meaning."""

    def file(score: Score) -> Measure:
        meaning = (inspect.getdoc(score) or "").split("\n\n")[0].replace("\n", " ")
        family = score.__module__.rpartition(".")[2]
        return Measure(score.__name__, score, replace(card, meaning=meaning, family=family))

    return file
