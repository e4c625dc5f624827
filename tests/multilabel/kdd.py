"""The three KDD Cup 2005 labelers, read as the published figures need them; skipped where the data are absent."""

from functools import cache
from pathlib import Path

import pytest

from infoscope import multilabel
from tests.api import Categorization, LabelSets, SampleSpread, align_label_sets
from tests.reference import reference_file, why_absent

needs_data = pytest.mark.skipif(
    why_absent("data/kdd2005/labeler1.txt") is not None, reason=why_absent("data/kdd2005/labeler1.txt") or ""
)
PAIRS = ((1, 2), (2, 3), (3, 1))
"""Who is taken as the truth and who as the prediction, in the columns of Table 1."""


def labeler(number: int) -> Path:
    return reference_file(f"data/kdd2005/labeler{number}.txt")


@cache
def verbatim(a: int, b: int) -> multilabel.MultilabelEvaluation:
    """Labels as they stand, white space and all: how the metrics of table 1 were made."""
    return multilabel.evaluate(labeler(a), labeler(b), draws=0, shuffles=0, splits=0)


@cache
def halves(a: int, b: int) -> dict[str, SampleSpread]:
    return multilabel.stability(labeler(a), labeler(b), splits=500)


def _line_stripped(number: int) -> LabelSets:
    lines = [line.strip().split("\t") for line in labeler(number).read_text(encoding="utf-8").splitlines()]
    return LabelSets.from_sets([{label for label in labels if label} for _, *labels in lines])


@cache
def line_stripped(a: int, b: int) -> Categorization:
    """Align two labelers as for tables 2 and 3: each line stripped, so that its last label loses a trailing space."""
    return align_label_sets(_line_stripped(a), _line_stripped(b))
