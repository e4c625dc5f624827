"""The values of one column: numbers with fractions, identifiers, or names of classes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoscope.tables.labels import Label

__all__ = ["MIN_PROBABILITIES", "ColumnValues", "number_of", "thinned"]

MAX_PARSED = 2000
"""Values of a column that are looked at; of more, evenly spread ones."""
MIN_PROBABILITIES = 3
"""Different fractions between 0 and 1 that no class is named by."""
MIN_FRACTIONS = 10
"""The same for numbers of any size: star ratings and grades have fewer."""
MIN_FRACTION_ROWS = 0.05
MIN_IDENTIFIERS = 20
IDENTIFIER_SHARE = 0.9
"""Fraction of rows with a value of their own."""
MIN_ROWS_EACH = 5
"""Rows per value below which values that are no class tell nothing: any would seem to carry information."""
MIN_TIMES_MORE = 4
"""Values for each of the other column's."""


@dataclass(frozen=True)
class ColumnValues:
    """The values of one column: which are numbers with a fraction, how many differ, and in how many rows."""

    labels: Sequence[Label]
    rows: float
    numbers: np.ndarray[Any, np.dtype[np.float64]]
    """Those looked at, NaN for text."""
    row_fractions: np.ndarray[Any, np.dtype[np.float64]]
    """The fraction of rows that has each of them."""

    @classmethod
    def of(cls, labels: Sequence[Label], totals: np.ndarray[Any, Any], rows: float) -> ColumnValues:
        """Of labels with the rows that each has."""
        used = np.flatnonzero(totals > 0)
        some = thinned(used)
        numbers = np.array([number_of(labels[at]) for at in some.tolist()], dtype=np.float64)
        fractions = totals[some] / max(float(totals[some].sum()), 1e-300)
        return cls([labels[at] for at in used.tolist()], rows, numbers, fractions)

    @property
    def has_fraction(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Which of the numbers are not whole."""
        return np.isfinite(self.numbers) & (self.numbers != np.rint(self.numbers))

    @property
    def are_numbers(self) -> bool:
        """Whether all values are numbers."""
        return bool(len(self.numbers)) and bool(np.isfinite(self.numbers).all())

    @property
    def are_measured(self) -> bool:
        """Numbers with fractions, too many to name classes; between 0 and 1 a few suffice."""
        fractions = int(self.has_fraction.sum())
        if not self.are_numbers or float(self.row_fractions[self.has_fraction].sum()) < MIN_FRACTION_ROWS:
            return False
        between = float(self.numbers.min()) >= 0 and float(self.numbers.max()) <= 1
        return fractions >= (MIN_PROBABILITIES if between else MIN_FRACTIONS)

    @property
    def are_classes_in_percent(self) -> bool:
        """Whether there are a few whole percentages, such as 25%, 50% and 75%, by which people name classes."""
        spelt = all(isinstance(label, str) and _WHOLE_PERCENTAGE.fullmatch(label.strip()) for label in self.labels)
        return spelt and len(self.labels) <= MIN_FRACTIONS

    @property
    def are_identifiers(self) -> bool:
        """Whether nearly every row has a value of its own."""
        return self.rows >= MIN_IDENTIFIERS and len(self.labels) >= IDENTIFIER_SHARE * self.rows

    def repeat_rarely(self, other: ColumnValues) -> bool:
        """Whether many values have few rows each and the other column has far fewer: visitors, documents, sessions."""
        many = len(self.labels) >= max(MIN_IDENTIFIERS, MIN_TIMES_MORE * len(other.labels))
        return many and len(self.labels) * MIN_ROWS_EACH > self.rows

    @property
    def described(self) -> str:
        """How many values there are, in a sentence."""
        return f"{len(self.labels):,} different {'numbers' if self.are_numbers else 'values'} in {self.rows:,.0f} rows"


def thinned(places: NDArray[np.int64]) -> NDArray[np.int64]:
    """The places, or of many as many evenly spread ones as are looked at."""
    if len(places) <= MAX_PARSED:
        return places
    return places[np.linspace(0, len(places) - 1, MAX_PARSED).astype(np.int64)]


def number_of(label: Label) -> float:
    """The number that a label is or spells, also as a percentage or with a decimal comma; NaN for others.

    >>> number_of("0.5"), number_of("93.1%"), number_of("0,25"), number_of("1,2"), number_of("dog")
    (0.5, 0.931, 0.25, nan, nan)
    """
    if isinstance(label, str):
        return _spelt_number(label)
    if isinstance(label, bool) or not isinstance(label, (int, float)):
        return float("nan")
    try:
        return float(label)
    except OverflowError:
        return float("nan")


@lru_cache(maxsize=4096)  # every column of predictions has the labels of the truth again
def _spelt_number(label: str) -> float:
    text = label.strip()
    if "_" in text:
        return float("nan")
    spelt = text.removesuffix("%")
    number = spelt.replace(",", ".") if _DECIMAL_COMMA.fullmatch(spelt) else spelt
    try:
        return float(number if spelt == text else f"{number}e-2")  # 93.1% is 0.931, rounded once
    except ValueError:
        return float("nan")


_DECIMAL_COMMA = re.compile(r"[+-]?(?:0,[0-9]+|[0-9]+,[0-9]{2,})")
"""``1,2`` may as well be two labels."""
_WHOLE_PERCENTAGE = re.compile(r"[0-9]+ ?%")
