"""Monte Carlo cross-validation: how much a result owes to the way the data was cut into folds.

As in Holt et al., section 4: the data is cut into folds many times, the fold tables of each repeat are added and scored
once, and each repeat gives one point in the coverage plane.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from infoscope.cards import find
from infoscope.errors import InputError, UnknownNameError
from infoscope.numeric import Real
from infoscope.tables import Contingency

__all__ = ["SCHEMA", "CrossValidation", "Overlap", "Spread"]

SCHEMA = "infoscope/cross-validation/1"
_COVERAGE = ("false_information_ratio", "proficiency")
_SCORE = "erroneous_information_ratio"


@dataclass(frozen=True)
class Spread:
    """A cloud in the coverage plane: where its middle is, how wide it is, how its two axes go together."""

    name: str
    proficiency: tuple[float, float]
    false_information_ratio: tuple[float, float]
    erroneous_information_ratio: tuple[float, float]
    correlation: float


@dataclass(frozen=True)
class Overlap:
    """How often A had the lower S_I/H(T): Holt's p-value is the smaller of this share and its complement."""

    a: str
    b: str
    share_a_lower: float

    @property
    def p_value(self) -> float:
        """Spread over fold seeds, not over new data."""
        return min(self.share_a_lower, 1 - self.share_a_lower)


@dataclass(frozen=True, repr=False)
class CrossValidation:
    """One table per estimator and repeat, and what they say together."""

    tables: Mapping[str, Contingency]
    """For each estimator a batch with one table per repeat."""
    folds: int

    caution = "the spread is over fold seeds on the same data, not over new data"

    @property
    def repeats(self) -> int:
        """How often the data was cut."""
        return int(next(iter(self.tables.values())).batch_shape[0])

    def cloud(self, name: str, metric: str = _SCORE) -> Real:
        """The metric's value in every repeat."""
        if name not in self.tables:
            raise UnknownNameError(f"there is no estimator {name!r}; there is {', '.join(self.tables)}")
        return np.asarray(find(metric).score(self.tables[name]))

    def spreads(self) -> list[Spread]:
        """Middle, width and correlation of each cloud, in the order given."""
        found = []
        for name in self.tables:
            r, f, score = (self.cloud(name, metric) for metric in (*_COVERAGE, _SCORE))
            middle = [(float(x.mean()), float(x.std(ddof=1)) if x.size > 1 else float("nan")) for x in (f, r, score)]
            tied = float(np.corrcoef(r, f)[0, 1]) if r.size > 2 and r.std() > 0 and f.std() > 0 else float("nan")
            found.append(Spread(name, middle[0], middle[1], middle[2], tied))
        return found

    def overlaps(self) -> list[Overlap]:
        """For each pair the share of repeats in which the first has the lower S_I/H(T); ties count half."""
        clouds = {name: self.cloud(name) for name in self.tables}
        return [
            Overlap(a, b, float(np.mean((clouds[a] < clouds[b]) + 0.5 * (clouds[a] == clouds[b]))))
            for a, b in combinations(clouds, 2)
        ]

    def total(self, name: str) -> Contingency:
        """One estimator's tables of all repeats added up: n times the number of repeats, for its shape only."""
        batch = self.tables[name]
        return batch.with_cells(batch.cells.sum(axis=0))

    def to_dict(self) -> dict[str, Any]:
        """The result document: mean and sd of every cloud, and how pairs of them overlap."""
        return {
            "schema": SCHEMA,
            "folds": self.folds,
            "repeats": self.repeats,
            "rows": int(next(iter(self.tables.values())).grand_total[0]),
            "caution": self.caution,
            "systems": [_record(spread) for spread in self.spreads()],
            "pairs": [
                {"a": pair.a, "b": pair.b, "share_a_lower": pair.share_a_lower, "p_value": pair.p_value}
                for pair in self.overlaps()
            ],
        }

    def to_json(self, indent: int | None = 2) -> str:
        """The document as JSON."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False, allow_nan=False)

    def to_text(self) -> str:
        """The paper's table for a terminal, and the pairs."""
        width = max(8, *map(len, self.tables))
        lines = [
            f"Cross-validation, {self.repeats} × {self.folds} folds",
            f"{'':{width}}  {'r ± sd':>17}  {'f ± sd':>17}  {'S_I/H(T) ± sd':>17}  {'correlation':>11}",
        ]
        for cloud in self.spreads():
            cells = (cloud.false_information_ratio, cloud.proficiency, cloud.erroneous_information_ratio)
            shown = "  ".join(f"{mean:>8.4f} ± {sd:<6.4f}" for mean, sd in cells)
            lines.append(f"{cloud.name:{width}}  {shown}  {cloud.correlation:>11.2f}")
        lines += [
            f"{pair.a} has a lower S_I/H(T) than {pair.b} in {pair.share_a_lower:.1%} of repeats"
            for pair in self.overlaps()
        ]
        return "\n".join([*lines, f"({self.caution})"])

    def __repr__(self) -> str:
        """The same as the text."""
        return self.to_text()

    def to_frame(self) -> Any:
        """One row for each estimator and repeat, as a pandas or polars data frame, whichever is installed."""
        metrics = (*_COVERAGE, _SCORE, "accuracy")
        rows = [
            {"estimator": name, "repeat": at, **dict(zip(metrics, map(float, values), strict=True))}
            for name in self.tables
            for at, values in enumerate(zip(*(self.cloud(name, metric) for metric in metrics), strict=True))
        ]
        try:
            from pandas import DataFrame  # noqa: PLC0415 - optional
        except ImportError:
            try:
                from polars import DataFrame  # noqa: PLC0415 - optional
            except ImportError:
                raise InputError("a data frame needs pandas or polars; install one of them, or use to_dict()") from None
        return DataFrame(rows)

    def display(self, *, level: float = 0.95, zoom: bool = True) -> Any:
        """The clouds in the coverage plane, as a ``CoverageDisplay``.

        Each has an outline that holds ``level`` of a normal cloud, where there are three repeats or more that vary.
        """
        return importlib.import_module("infoscope.figures.fold_clouds").fold_clouds(self, level=level, zoom=zoom)


def _record(spread: Spread) -> dict[str, Any]:
    """One cloud under the names of its metrics; what one repeat cannot tell is left out."""
    metrics = {
        name: {key: value for key, value in zip(("mean", "sd"), pair, strict=True) if np.isfinite(value)}
        for name in (*_COVERAGE[::-1], _SCORE)
        for pair in [getattr(spread, name)]
    }
    record: dict[str, Any] = {"name": spread.name, "metrics": metrics}
    return record | ({"correlation": spread.correlation} if np.isfinite(spread.correlation) else {})
