"""Reading only as much as it takes: random blocks until an interval is narrow enough."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from infoscope.errors import InfoscopeError, InputError
from infoscope.evaluation.inputs import ColumnRequest, Inputs, seen
from infoscope.evaluation.result import AdaptiveReading
from infoscope.evaluation.score import TableInput
from infoscope.evaluation.uncertainty import believed
from infoscope.inputs import UncertaintyOptions
from infoscope.metrics.registry import find
from infoscope.quick_dataclasses import dataclass
from infoscope.readers import ReadOptions
from infoscope.readers.blocks import alike, random_blocks
from infoscope.readers.shared_reading import from_tally
from infoscope.readers.tally import merged
from infoscope.tables.missing import warn_of_rows
from infoscope.typing import Source

__all__ = ["StoppingRule", "gather_until"]

View = Callable[[TableInput], TableInput]

FEWEST_BLOCKS = 8
"""No stop before this many blocks: fewer do not come from all over a file, nor show whether they are alike."""
GROWTH = 1.25
"""The interval is looked at again when this many times the rows have been read."""
SORTED = 1e-4
"""Blocks whose classes, or predictions for them, differ with a smaller p-value are not a random part of the whole."""


@dataclass(frozen=True)
class StoppingRule:
    """How narrow the interval of which metric has to be."""

    metric: str
    width: float

    def __str__(self) -> str:
        """As it is asked for on the command line."""
        return f"{self.metric}.width={self.width:g}"

    @classmethod
    def asked(cls, until: object, option: str = "until") -> StoppingRule:
        """From ``width=0.02``, ``accuracy.width=0.02``, a number, or {metric: width}; ``option`` is its name.

        >>> print(StoppingRule.asked("width=0.02"), StoppingRule.asked({"accuracy": 0.1}))
        proficiency.width=0.02 accuracy.width=0.1
        """
        wrong = InputError(f"{option} is {until!r}; write width=0.02, or accuracy.width=0.02 for another metric")
        name: Any = "proficiency"
        width: Any = until
        if isinstance(until, Mapping):
            if len(until) != 1:
                raise wrong
            ((name, width),) = until.items()
        elif isinstance(until, str):
            left, sign, width = until.partition("=")
            metric, _, part = left.strip().rpartition(".")
            if not sign or part != "width":
                raise wrong
            name = metric or name
        try:
            number = float(width)
        except (TypeError, ValueError):
            raise wrong from None
        entry = find(str(name))
        if entry.card.posterior == "none" or entry.card.level != "table":
            raise InputError(f"{entry.name} has no interval to become narrow; choose another metric")
        if not 0 < number < float("inf"):
            raise InputError(f"the width of an interval is {number:g}; it must be above 0, such as 0.02")
        return cls(entry.name, number)


def gather_until(
    source: Source, request: ColumnRequest, goal: StoppingRule, how: UncertaintyOptions, view: View = lambda x: x
) -> Inputs:
    """What random blocks of a source hold, read until the interval is narrow enough for every system.

    ``view`` is how a system will be looked at, as under another prevalence: the width that counts is the one shown.
    """
    if request.by is not None or request.cluster is not None or how.sample_size is not None:
        raise InputError(
            "reading until an interval is narrow takes no by, groups or stated sample size; leave them out"
        )
    asked = request.asked
    if not asked.truth or not asked.systems:
        raise InputError("rows need the name of the truth column and of at least one system")
    parts, share, looked_at, p_value = [], 0.0, 0, 1.0
    for block in random_blocks(source, asked.columns, request.how or ReadOptions(), np.random.default_rng(how.seed)):
        parts.append(block.tally)
        share = block.share
        rows = sum(part.total for part in parts)
        if len(parts) < FEWEST_BLOCKS or rows < GROWTH * looked_at or share >= 1:
            continue
        looked_at = rows
        p_value = 1.0 if block.shuffled else min(p_value, alike(parts, asked.truth, asked.systems))
        if p_value < SORTED:
            continue  # neighbours are alike, so that part of the file says little about the rest: read it all
        found = seen(source, request, from_tally(merged(parts), asked))
        if _widest(found, goal, how, view) <= goal.width:
            break
    found = seen(source, request, from_tally(merged(parts), asked))
    warn_of_rows({item.reason: item.rows for item in found.provenance.ignored})
    account = _account(goal, _widest(found, goal, how, view), share, len(parts), p_value < SORTED)
    return replace(found, adaptive=account)


def _widest(found: Inputs, goal: StoppingRule, how: UncertaintyOptions, view: View) -> float:
    """The width of the widest interval; infinite where one is undefined, or a class named by the caller yet unseen."""
    widths = []
    for subject in found.subjects:
        try:
            belief = believed(view(subject), how).belief
        except InfoscopeError:
            return float("inf")
        if belief is None:
            return float("inf")
        summary = belief.summaries([goal.metric], how.level)[goal.metric]
        width = float(summary.high) - float(summary.low)
        widths.append(width if np.isfinite(width) else float("inf"))
    return max(widths, default=float("inf"))


def _account(goal: StoppingRule, width: float, share: float, blocks: int, is_sorted: bool) -> AdaptiveReading:
    """What was read and why, in fields and in words."""
    reached = width <= goal.width
    part = "all of it" if share >= 1 else f"{share:.1%} of it"
    shown = "undefined" if width == float("inf") else f"{width:.3g} wide"
    text = (
        f"read {part} in {blocks} random blocks: the interval of {goal.metric} is {shown}, {goal.width:g} was asked for"
    )
    if is_sorted:
        text += (
            "; the rows look sorted, by class or by how hard they are (the blocks differ by more than chance), so "
            "everything was read: "
            "shuffle the file to read less"
        )
    elif not reached:
        text += "; there are no more rows"
    known = None if width == float("inf") else width
    return AdaptiveReading(str(goal), reached, share, blocks, is_sorted, text, known)
