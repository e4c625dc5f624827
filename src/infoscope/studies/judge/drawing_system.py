"""The system by whose verdicts and predictions rows to label were drawn: one for all labels that are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from infoscope.core.numerics import Real
from infoscope.errors import InputError
from infoscope.studies.labels import SheetLine, find_patterns

if TYPE_CHECKING:
    from infoscope.studies.judge.judged import Judged

__all__ = ["drawing_system", "planned_systems", "same_drawing_system"]


def planned_systems(judged: Judged, system: str | None) -> tuple[str, ...]:
    """The systems that a plan may be for: the one that is named, or that labels were drawn by before, or all."""
    drawn = judged.drawn_by[:1]
    if drawn and (drawn[0] not in judged.systems or system not in (None, drawn[0])):
        raise InputError(
            f"labels were asked for by the predictions of {drawn[0]} before; plan for {drawn[0]} again, whose labels "
            "serve the other systems, too"
        )
    return (system,) if system is not None else drawn or judged.systems


def same_drawing_system(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    """The system, with its judges, by which the labels of both were asked for; rejects two different ones."""
    if one and other and one != other:
        raise InputError(
            f"labels were asked for by the predictions of {one[0]} and of {other[0]}, which do not add up; plan both "
            "for one system"
        )
    return one or other


def drawing_system(judged: Judged, sheets: Sequence[Sequence[SheetLine]], columns: Sequence[str]) -> str | None:
    """The system by whose strata the rows of sheets were drawn: there rows of a stratum have one chance.

    None where that is not known, or is a system that is not among these.
    """
    before = judged.drawn_by[:1]
    if before and before[0] not in judged.systems:
        return None
    if len(judged.systems) == 1:
        return judged.systems[0]
    if any(line.chance is None for sheet in sheets for line in sheet):
        return None
    drawn = [
        (find_patterns(sheet, judged.patterns, columns), np.array([line.chance for line in sheet])) for sheet in sheets
    ]
    drawn = [(place[place >= 0], chance[place >= 0]) for place, chance in drawn]
    by = [judged.patterns.codes[judged.patterns.place(name)].astype(np.int64) for name in judged.by]
    for name in dict.fromkeys((*before, *judged.systems)):
        strata = judged.strata(name)
        keys = np.stack([strata.verdict_codes, strata.prediction_codes, *by])
        if all(_has_one_chance(keys[:, place], chance) for place, chance in drawn):
            return name
    return None


def _has_one_chance(keys: NDArray[np.int64], chance: Real) -> bool:
    """Whether rows with the same keys have the same chance."""
    stratum = np.unique(keys, axis=1, return_inverse=True)[1].reshape(-1)
    return len(np.unique(np.stack([stratum, chance]), axis=1).T) == len(np.unique(stratum))
