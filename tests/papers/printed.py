"""A printed number, and how far from it a right one may lie: half of its last digit."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NamedTuple

import pytest

from infoscope import Contingency
from tests.api import find

ROUNDING = 1e-9
"""Slack for a value that lies on the edge in decimal, but not in binary: 0.875 printed as 0.88."""


class Printed(NamedTuple):
    """A number as it stands on the page."""

    metric: str
    table: str
    text: str
    scale: int = 1
    """100 where the page prints percent."""

    @property
    def value(self) -> float:
        return float(Fraction(self.text)) / self.scale

    @property
    def tolerance(self) -> float:
        if "/" in self.text:
            return ROUNDING
        decimals = len(self.text.partition(".")[2])
        return (0.5 * 10.0**-decimals + ROUNDING) / self.scale


def cases(pages: Mapping[str, Mapping[str, str]], scale: int = 1) -> list[Any]:
    """One test parameter per printed number of {metric: {table: number}}."""
    return [
        pytest.param(Printed(metric, table, text, scale), id=f"{metric}-{table}")
        for metric, row in pages.items()
        for table, text in row.items()
    ]


def assert_as_printed(table: Contingency, printed: Printed) -> None:
    """The metric rounds to the number on the page."""
    assert float(find(printed.metric).score(table)) == pytest.approx(printed.value, rel=0, abs=printed.tolerance)
