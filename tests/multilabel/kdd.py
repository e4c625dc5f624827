"""The three KDD Cup 2005 labelers, read as the published figures need them; skipped where the data are absent."""

import json
import os
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from infoscope.tables.label_sets import LabelSets

SHARED = Path(os.environ.get("INFOSCOPE_REFERENCE_DATA") or Path(__file__).resolve().parents[3] / "shared")

needs_data = pytest.mark.skipif(
    not (SHARED / "data" / "kdd2005" / "labeler1.txt").is_file() or not (SHARED / "published.json").is_file(),
    reason="no reference data: set INFOSCOPE_REFERENCE_DATA to the folder that holds data/kdd2005 and published.json",
)


def labeler(number: int) -> Path:
    return SHARED / "data" / "kdd2005" / f"labeler{number}.txt"


@cache
def line_stripped(number: int) -> LabelSets:
    """As tables 2 to 4 were made: each whole line stripped, so that its last label loses a trailing space."""
    lines = [line.strip().split("\t") for line in labeler(number).read_text(encoding="utf-8").splitlines()]
    sets = LabelSets.from_sets([{label for label in labels if label} for _, *labels in lines])
    return LabelSets(sets.matrix, sets.categories, tuple(name for name, *_ in lines))


@cache
def figures(where: str) -> list[dict[str, Any]]:
    """The testable figures of one table."""
    if not (SHARED / "published.json").is_file():
        return []
    document = json.loads((SHARED / "published.json").read_text(encoding="utf-8"))
    return [
        each
        for each in document["figures"]
        if each["paper"] == "steingold2016" and each["where"] == where and each["testable"]
    ]


def half_a_digit(figure: dict[str, Any]) -> float:
    return 0.5 * 10.0 ** -figure["decimals"] * (1 + 1e-9)
