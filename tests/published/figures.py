"""The published figures as objects: what is printed, for which input, and how near a right value must lie."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

import infoscope as ifs
from tests.api import find
from tests.papers.printed import ROUNDING
from tests.reference import published_document

SPLIT_SHARES = {
    "split dH'_X": "split_truth_divergence",
    "split MI'_X": "split_truth_transfer",
    "split H'_X|Y": "split_truth_remainder",
    "split dH'_Y": "split_system_divergence",
    "split MI'_Y": "split_system_transfer",
    "split H'_Y|X": "split_system_remainder",
}


@dataclass(frozen=True, eq=False)
class Figure:
    """One thing that a paper prints, with the study's independent recomputation."""

    id: str
    paper: str
    where: str
    input: str | None
    metric: str | None
    as_printed: str
    kind: str
    printed: str
    published: Any
    unit: str
    decimals: int | None
    recomputed: Any
    reproduces: bool | None
    convention: str
    reason: str
    evidence: str
    testable: bool

    @property
    def value(self) -> float:
        """The printed number without its unit."""
        return float(self.published) / self._scale

    @property
    def tolerance(self) -> float:
        """Half of the last printed digit, without its unit."""
        assert self.decimals is not None, f"{self.id} is not a number"
        return (0.5 * 10.0**-self.decimals + ROUNDING) / self._scale

    @property
    def _scale(self) -> float:
        return {"": 1.0, "%": 100.0}[self.unit]

    @property
    def is_number(self) -> bool:
        return self.kind == "value" and isinstance(self.published, (int, float))


@dataclass(frozen=True)
class ReferenceValue:
    """A quantity that no paper prints, recomputed independently in double precision."""

    paper: str
    input: str
    metric: str
    value: float


@cache
def figures() -> tuple[Figure, ...]:
    """Every figure, paper by paper, in the order of the paper's rows."""
    papers: dict[str, list[Figure]] = {}
    for entry in published_document()["figures"]:
        papers.setdefault(entry["paper"], []).append(Figure(**entry))
    return tuple(figure for own in papers.values() for figure in _by_row(own))


def _by_row(own: list[Figure]) -> list[Figure]:
    """By the number that ends an id; ids without one have, in their own order, the numbers that are missing."""
    rows = {figure.id: int(found[1]) for figure in own if (found := re.search(r"-(\d{4})$", figure.id))}
    missing = sorted(set(range(1, len(own) + 1)) - set(rows.values()))
    rows |= dict(zip(sorted(figure.id for figure in own if figure.id not in rows), missing, strict=True))
    return sorted(own, key=lambda figure: rows[figure.id])


@cache
def reference_values() -> tuple[ReferenceValue, ...]:
    document = published_document()
    plain = (ReferenceValue(**entry) for entry in document["reference_values"])
    shares = (
        ReferenceValue(entry["paper"], entry["input"], SPLIT_SHARES[entry["quantity"]], entry["value"])
        for entry in document["split_triangle_values"]
    )
    return (*plain, *shares)


def has_table(name: str | None) -> bool:
    """Return True if the reference data hold the matrix of this input."""
    return name in published_document()["inputs"]


def inputs_of(paper: str) -> list[str]:
    """Names of the matrices of one paper."""
    return [name for name, entry in published_document()["inputs"].items() if entry["paper"] == paper]


@cache
def table_of(name: str) -> ifs.Contingency:
    """The table of an input, with its rejections declared; papers print the positive class first."""
    entry = published_document()["inputs"][name]
    columns = len(entry["matrix"][0])
    reject = columns - 1 if entry.get("reject_column") == "last" else None
    return ifs.Contingency.from_matrix(entry["matrix"], reject=reject, positive=0)


def score(metric: str, table: ifs.Contingency) -> float:
    """A metric of one table by its id or any alias."""
    return float(find(metric).score(table))


def scores(metric: str, matrices: Iterable[Any], reject: int | None = None) -> np.ndarray:
    """A metric of many matrices at once."""
    return np.asarray(find(metric).score(ifs.Contingency.from_matrix(np.asarray(matrices), reject=reject, positive=0)))
