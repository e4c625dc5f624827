"""Predictions of three systems without truth, and their patterns counted by hand."""

from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

import infoscope as ifs
from infoscope import ReadOptions
from tests.api import Rows, read_distinct_rows, read_distinct_rows_by_group
from tests.engines.cases import Case, case

CLASSES = ("Ham", "ham", "späm")
"""Two of them differ in case only, which some databases take for one."""
SYSTEMS = ("ann", "bob", "eve")


def _lines() -> list[tuple[Any, ...]]:
    rng = np.random.default_rng(5)
    lines = []
    for row in range(120):
        truth = rng.integers(3)
        said = [CLASSES[truth if rng.random() < 0.8 else rng.integers(3)] for _ in SYSTEMS]
        holes = [None if row % 20 == 3 + at else label for at, label in enumerate(said)]
        lines.append((*holes, "2026-01" if row % 3 else "2026-02", int(rng.integers(4)), 0.5 + row % 3))
    return lines


PATTERN_LOG: Case = case("systems without truth", "ann:text bob:text eve:text month:text size:int w:float", _lines())


def _counted(found: Rows) -> dict[tuple[Any, ...], float]:
    return {
        tuple(None if code < 0 else labels[code] for code, labels in zip(codes, found.labels, strict=True)): float(n)
        for codes, n in zip(found.codes.T, found.counts, strict=True)
    }


def _by_hand(month: str | None = None, weight: str | None = None) -> dict[tuple[Any, ...], float]:
    """Distinct rows of answers, by the rows of a month or all."""
    found: Counter[tuple[Any, ...]] = Counter()
    for row in PATTERN_LOG.rows:
        if month in (None, row["month"]):
            found[tuple(row[name] for name in SYSTEMS)] += 1 if weight is None else row[weight]
    return dict(found)


def check_patterns(source: Any, read: ReadOptions | None = None) -> None:
    """Patterns as by hand, missing labels among them: of all rows, weighted, and by a column."""
    assert _counted(read_distinct_rows(source, SYSTEMS, read=read)) == _by_hand()
    assert _counted(read_distinct_rows(source, SYSTEMS, weight="w", read=read)) == _by_hand(weight="w")
    months = read_distinct_rows_by_group(source, SYSTEMS, "month", read=read)
    assert {month: _counted(part) for (month,), part in months.items()} == {
        month: _by_hand(month) for month in ("2026-01", "2026-02")
    }


@dataclass(frozen=True)
class _Results:
    """Results computed from patterns, without their provenance."""

    alpha: Any
    agreeing: Any
    accuracy: Any
    relations: Any
    drift: Any


def _results(rows: Any, later: Any = None, read: ReadOptions | None = None, **period: str) -> _Results:
    agreed = ifs.agreement(rows, system=SYSTEMS, read=read, draws=20)
    latent = ifs.latent_truth(rows, SYSTEMS, read=read, draws=50)
    related = ifs.relate(rows, [*SYSTEMS, "size"], read=read, permutations=20)
    drift = ifs.drift(*([rows] if later is None else later), system=SYSTEMS, read=read, **period)
    return _Results(
        agreed.krippendorff_alpha,
        agreed.pairs,
        [system.metrics["accuracy"] for system in latent.systems],
        related.relations,
        drift.pairs,
    )


@cache
def _expected() -> _Results:
    """From columns in memory; no order of rows matters."""
    columns = {name: values[::-1] for name, values in PATTERN_LOG.columns.items()}
    months = [
        {n: [row[n] for row in PATTERN_LOG.rows if row["month"] == month] for n in SYSTEMS}
        for month in ("2026-01", "2026-02")
    ]
    return _results(columns, months)


def check_results(source: Any, read: ReadOptions | None = None) -> None:
    """Check that results from patterns equal those of the same columns in memory."""
    assert _results(source, read=read, by="month", before="2026-01", after="2026-02") == _expected()
