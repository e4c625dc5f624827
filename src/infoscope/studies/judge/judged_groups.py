"""Judged rows split by what some columns hold: every group with its own rows, labels and classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from infoscope.errors import InputError
from infoscope.tables.rows import Patterns

if TYPE_CHECKING:
    from infoscope.studies.judge.judged import Judged

__all__ = ["JudgedGroup", "judged_groups"]


@dataclass(frozen=True)
class JudgedGroup:
    """The judged rows of one group; all of them where rows are not split."""

    group: Mapping[str, str] | None
    rows: Judged
    patterns: NDArray[np.int64]
    """Which of all patterns these are, in the same order."""

    @property
    def title(self) -> str:
        """The group in words."""
        return ", ".join(f"{name} {value}" for name, value in (self.group or {}).items())


def judged_groups(judged: Judged, by: Sequence[str] = ()) -> list[JudgedGroup]:
    """The rows of each group, by the columns that they were counted by, or by some of these.

    The classes of a group are those that occur in it; verdicts mean what they mean in all rows.
    """
    names = tuple(by) or judged.by
    if not names:
        return [JudgedGroup(None, judged, np.arange(len(judged.patterns)))]
    if not judged.by:
        raise InputError(
            "judged rows do not know their groups; give the rows with truth=, system= and judge=, or count them with by"
        )
    odd = next((name for name in names if name not in judged.by), None)
    if odd is not None:
        raise InputError(f"the rows were not counted by {odd!r}; they were by {', '.join(map(repr, judged.by))}")
    codes = _codes(judged.patterns, names)
    found = []
    for group in np.unique(codes, axis=1).T:
        places = np.flatnonzero((codes == group[:, None]).all(axis=0))
        known = (judged.patterns.labels[judged.patterns.place(name)] for name in names)
        values = [labels[code] for labels, code in zip(known, group.tolist(), strict=True)]
        named = dict(zip(names, map(str, values), strict=True))
        found.append(JudgedGroup(named, _part(judged, places, dict(zip(names, values, strict=True))), places))
    return found


def _codes(patterns: Patterns, names: Sequence[str]) -> NDArray[np.int64]:
    return patterns.codes[[patterns.place(name) for name in names]].astype(np.int64)


def _part(judged: Judged, places: NDArray[np.int64], group: Mapping[str, object]) -> Judged:
    """The rows of a group by themselves, and those that there were before labels were asked for."""
    own = judged.patterns.where(places).with_used_labels()
    labels = dict(zip(own.names, own.labels, strict=True))
    for name, kind in judged.kinds.items():
        if kind != "class":
            labels[name] = judged.patterns.labels[judged.patterns.place(name)]
    part = replace(judged, patterns=own.on(labels), by=(), settled=None)
    if judged.settled is None:
        return part
    before = judged.settled.patterns
    mine = np.ones(len(before), dtype=bool)
    for name, value in group.items():
        at = before.place(name)
        mine &= before.codes[at] == before.labels[at].index(value)
    settled = replace(judged.settled, patterns=before.where(mine).with_used_labels().on(labels), by=())
    return replace(part, settled=settled)
