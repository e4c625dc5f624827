"""Outputs with lines left out: what a page shows is brought up to date, and what it leaves out stays left out."""

from __future__ import annotations

import doctest
import re
from difflib import SequenceMatcher
from functools import cache

__all__ = ["updated"]

_NEW = 0.5
_GONE = 3.0
"""Costs of a line that is new, or no longer there; a changed line costs up to 2.1, so that it stays paired."""


def updated(shown: str, now: str, mark: str) -> str:
    r"""The output of now, without the lines for which a line with only ``mark`` stands in what was shown.

    Lines that were shown are paired in order with the most similar lines of now. Inside of a line only the mark of
    doctests stands for any text. What is stale never comes back unchanged.

    >>> print(updated("total 3\n  …\nlast 7\n", "total 4\none\ntwo\nlast 8\n", "…"), end="")
    total 4
      …
    last 8
    """
    if mark not in shown:
        return now
    old, new = shown.splitlines(), now.splitlines()
    lines: list[str] = []
    for before, after in _pairs(tuple(old), tuple(new), mark):
        if before is not None and before.strip() == mark:
            if after is not None and (not lines or lines[-1] != before):
                lines.append(before)
        elif after is not None:
            lines.append(before if before is not None and _fits(before, after, mark) else after)
    text = "".join(f"{line}\n" for line in lines)
    return now if text == shown else text


def _pairs(old: tuple[str, ...], new: tuple[str, ...], mark: str) -> list[tuple[str | None, str | None]]:
    """Lines that were shown beside those of now, by the cheapest alignment; a mark is beside each line it hides."""
    steps: dict[tuple[int, int], tuple[float, int, int]] = {}
    for i in range(len(old), -1, -1):
        for j in range(len(new), -1, -1):
            ways = [] if (i, j) != (len(old), len(new)) else [(0.0, i, j)]
            is_mark = i < len(old) and old[i].strip() == mark
            if i < len(old):
                ways.append((steps[i + 1, j][0] + (0 if is_mark else _GONE), i + 1, j))
            if j < len(new):
                ways.append((steps[i, j + 1][0] + (0 if is_mark else _NEW), i, j + 1))
            if i < len(old) and j < len(new) and not is_mark:
                ways.append((steps[i + 1, j + 1][0] + _change(old[i], new[j], mark), i + 1, j + 1))
            steps[i, j] = min(ways)
    found: list[tuple[str | None, str | None]] = []
    i = j = 0
    while (i, j) != (len(old), len(new)):
        _, k, m = steps[i, j]
        hidden = i < len(old) and old[i].strip() == mark
        found.append((old[i] if k > i or hidden else None, new[j] if m > j else None))
        i, j = k, m
    return found


@cache
def _change(before: str, after: str, mark: str) -> float:
    if _fits(before, after, mark):
        return 0.0
    return 0.1 + 2 * (1 - SequenceMatcher(None, before, after, autojunk=False).ratio())


def _fits(before: str, after: str, mark: str) -> bool:
    if mark != doctest.ELLIPSIS_MARKER:
        return before == after
    words = [r"\s+".join(map(re.escape, part.split())) for part in before.strip().split(mark)]
    return re.fullmatch(r"\s*.*\s*".join(words), after.strip()) is not None
