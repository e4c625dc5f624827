"""Comparison: the result document of several systems on one truth."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from infoscope.cards import find
from infoscope.comparison.differences import Difference, Factor
from infoscope.comparison.ranking import Ranking
from infoscope.errors import UnknownNameError
from infoscope.findings import Finding
from infoscope.page_files import Paged

__all__ = ["SCHEMA", "Comparison", "Improvement", "Pair", "renders"]

SCHEMA = "infoscope/comparison/1"

Renderer = Callable[..., str]
_RENDERERS: dict[str, Renderer] = {}


def renders(form: str) -> Callable[[Renderer], Renderer]:
    """File a function as the renderer of a form; reports do this when they are loaded."""

    def file(renderer: Renderer) -> Renderer:
        _RENDERERS[form] = renderer
        return renderer

    return file


@dataclass(frozen=True)
class Pair:
    """Two systems in one metric."""

    a: str
    b: str
    metric: str
    paired: bool
    result: Difference
    verdict: str
    factor: Factor | None = None
    checks: Mapping[str, float] = field(default_factory=dict)
    exact: tuple[float, float, float] | None = None
    """Exact paired difference of the mutual information in bits: mean, low, high."""
    told_apart: bool = False
    """Whether the two differ when all pairs are asked at once; the verdict is about this pair alone."""

    @property
    def turned(self) -> Pair:
        """B against A."""
        return replace(
            self,
            a=self.b,
            b=self.a,
            result=self.result.turned,
            verdict={"better": "worse", "worse": "better"}.get(self.verdict, self.verdict),
            factor=None if self.factor is None else self.factor.turned,
            exact=None if self.exact is None else (-self.exact[0], -self.exact[2], -self.exact[1]),
        )

    def to_dict(self) -> dict[str, Any]:
        """As DESIGN's ``comparison.pairs``, with what else is known."""
        record: dict[str, Any] = {
            "a": self.a,
            "b": self.b,
            "metric": self.metric,
            "difference": self.result.difference,
            "sd": self.result.sd,
            "low": self.result.low,
            "high": self.result.high,
            "probability_a_better": self.result.probability_a_better,
            "correlation": self.result.correlation,
            "paired": self.paired,
            "verdict": self.verdict,
            "told_apart": self.told_apart,
        }
        if self.result.equivalent is not None:
            record["probability_equivalent"] = self.result.equivalent
        if self.factor is not None:
            record["improvement_factor"] = _range(self.factor)
        if self.exact is not None:
            record["information_difference"] = dict(zip(("mean", "low", "high"), self.exact, strict=True))
        return record | dict(self.checks)


@dataclass(frozen=True)
class Improvement:
    """By what factor A loses less than B (Holt et al., Figure 5), in S_I/H(T) or in 1 − accuracy."""

    a: str
    b: str
    of: str
    factor: Factor
    paired: bool

    def to_dict(self) -> dict[str, Any]:
        """As JSON holds it."""
        return {"a": self.a, "b": self.b, "of": self.of, **_range(self.factor), "paired": self.paired}


def _range(found: Factor) -> dict[str, float]:
    return {"value": found.value, "low": found.low, "high": found.high}


def _ranking_record(ranking: Ranking) -> dict[str, Any]:
    """The order with each system's value, chance of being best, and groups."""
    return {
        "metric": ranking.metric,
        "statement": ranking.statement,
        "best": ranking.best,
        "systems": [
            {
                "name": place.name,
                "value": place.value,
                "mean": place.mean,
                "low": place.low,
                "high": place.high,
                "probability_best": place.probability_best,
                "groups": list(place.groups),
            }
            for place in ranking.places
        ],
    }


@dataclass(frozen=True)
class Comparison(Paged):
    """Who is better, by how much, and how sure that is."""

    systems: tuple[str, ...]
    samples: Mapping[str, float]
    level: float
    pairs: tuple[Pair, ...]
    ranking: tuple[Ranking, ...]
    baseline: str | None = None
    findings: tuple[Finding, ...] = ()
    hashes: Mapping[str, str] = field(default_factory=dict)
    """A name for what was counted of each system: equal tables have equal hashes."""
    improvements: tuple[Improvement, ...] = ()
    positive: str | None = None
    """The class that binary metrics are about; None unless there are two truth classes."""

    @property
    def notes(self) -> tuple[str, ...]:
        """The findings in words."""
        return tuple(finding.text for finding in self.findings)

    def titled(self, metric: str) -> str:
        """A metric's title, with the class that it is about where it is about one."""
        return find(metric).card.titled(self.positive)

    def pair(self, a: str, b: str, metric: str | None = None) -> Pair:
        """The result for A against B; by default in the first metric."""
        wanted = find(metric).name if metric else self.pairs[0].metric
        for found in self.pairs:
            if found.metric == wanted and (found.a, found.b) in ((a, b), (b, a)):
                return found if found.a == a else found.turned
        raise UnknownNameError(
            f"{a!r} against {b!r} in {wanted!r} was not compared; the systems are {', '.join(self.systems)}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Every number, as JSON holds it."""
        return {
            "schema": SCHEMA,
            "systems": [
                {"name": name, "n": _whole(self.samples[name])}
                | ({"data_hash": self.hashes[name]} if name in self.hashes else {})
                for name in self.systems
            ],
            "level": self.level,
            "baseline": self.baseline,
            "positive": self.positive,
            "comparison": {
                "pairs": [pair.to_dict() for pair in self.pairs],
                "ranking": [_ranking_record(ranking) for ranking in self.ranking],
                "improvement_factors": [found.to_dict() for found in self.improvements],
            },
            "findings": [finding.to_dict() for finding in self.findings],
            "notes": list(self.notes),
        }

    def to_json(self) -> str:
        """The same as text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=1, allow_nan=False)

    def to_markdown(self) -> str:
        """A table for a pull request."""
        return _rendered("markdown", self)

    def to_text(self, *, width: int = 100) -> str:
        """What the terminal shows."""
        return _rendered("text", self, width=width)

    def _html(self) -> str:
        return _rendered("html", self)

    def _repr_html_(self) -> str:
        return _rendered("notebook", self)


def _whole(size: float) -> float:
    return int(size) if size == int(size) else size


def _rendered(form: str, comparison: Comparison, **options: Any) -> str:
    importlib.import_module("infoscope").load_renderers()  # the one upward step: reports register themselves
    return _RENDERERS[form](comparison, **options)
