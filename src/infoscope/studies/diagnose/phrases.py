"""The words that findings are built from: percentages, points, lists of classes."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["listed", "percent", "points", "quoted"]


def percent(share: float) -> str:
    """A share in words; never rounds to 0% or 100% what is not.

    >>> percent(0.5), percent(0.9999), percent(0.0004), percent(0.0), percent(1.0)
    ('50%', '99.99%', '0.04%', '0%', '100%')
    """
    for digits in (0, 1, 2, 3):
        text = f"{100 * share:.{digits}f}%"
        if text not in (f"{0:.{digits}f}%", f"{100:.{digits}f}%", f"{-0.0:.{digits}f}%"):
            return text
    return f"{100 * share:.0f}%" if share in (0.0, 1.0) else ("under 0.001%" if share < 0.5 else "over 99.999%")


def points(share: float) -> str:
    """A part of the truth's information as percentage points.

    >>> points(0.0523)
    '5.2 points'
    """
    return f"{100 * share:.1f} points"


def quoted(label: object) -> str:
    """A class name as a sentence shows it."""
    return f"'{label}'"


def listed(labels: Sequence[object], most: int = 4, word: str = "and") -> str:
    """Class names in a row, the many cut short.

    >>> listed(["a", "b", "c"]), listed(range(9), most=2)
    ("'a', 'b' and 'c'", "'0', '1' and 7 more")
    """
    names = [quoted(label) for label in labels[:most]]
    if len(labels) > most:
        return f"{', '.join(names)} {word} {len(labels) - most} more"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {word} {names[-1]}"
