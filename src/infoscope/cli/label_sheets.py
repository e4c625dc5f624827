"""Plans of labels on the command line: sheets of rows to label are written, and read back round after round."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import infoscope as ifs
from infoscope.cli.options import read_options, sources
from infoscope.cli.streams import say

__all__ = ["planned_or_labelled"]


def planned_or_labelled(
    plan: ifs.LabelPlan, source: tuple[str, ...], chosen: Mapping[str, Any], sheet: str | None
) -> ifs.LabelPlan | ifs.LabelledEstimate:
    """The plan, or what the labels of filled-in sheets say; rows to label next go to ``sheet`` where it is named."""
    filled = list(chosen["labels"])
    if not filled:
        _write(plan, source, chosen, sheet, 1)
        return plan
    found = plan.estimate(filled[0] if len(filled) == 1 else filled)
    if sheet is not None and found.more_labels:
        _write(plan.next_round(filled), source, chosen, sheet, len(filled) + 1)
    elif sheet is not None:
        say(f"No more labels are needed, so that {sheet} is not written.")
    return found


def _write(plan: ifs.LabelPlan, source: tuple[str, ...], chosen: Mapping[str, Any], sheet: str | None, at: int) -> None:
    if sheet is not None:
        drawn = plan.select(sources(source), round=at, seed=chosen["seed"], read=read_options(chosen))
        plan.write_sheet(drawn, sheet, force=bool(chosen["force"]))
