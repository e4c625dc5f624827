"""Tuning: one table per setting of a system's parameters, which setting is best, and which no other beats."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from infoscope.core.numerics import Real, pareto_front
from infoscope.errors import InputError
from infoscope.metrics.registry import find
from infoscope.results.base import Result
from infoscope.results.finding import Finding
from infoscope.results.provenance import IgnoredRows, Provenance, describe_ignored_rows
from infoscope.studies.inputs import label_findings
from infoscope.studies.operating_points.result import CurveResult
from infoscope.studies.operating_points.selection import Criterion
from infoscope.tables import Contingency
from infoscope.tables.column_kinds import check_positive
from infoscope.tables.ifs_file import data_hash
from infoscope.tables.missing import all_ignored
from infoscope.typing import Json, PriorLike

__all__ = ["BestSetting", "Tuning", "TuningOptions", "tuned"]


_DRAWS = 2000


@dataclass(frozen=True)
class BestSetting:
    """The best setting by one metric, and how probable it is that it is the best."""

    metric: str
    setting: Mapping[str, Json]
    value: float
    probability: float
    probabilities: tuple[float, ...]
    """For every setting the probability that it is the best, in the order of the settings."""
    positive: str | None = None
    """The class that the metric is about, where it is about one."""

    def __str__(self) -> str:
        """A sentence."""
        named = ", ".join(f"{name} = {value}" for name, value in self.setting.items())
        metric = self.metric + find(self.metric).card.of_class(self.positive)
        return f"best {metric} {self.value:.4f} at {named}, the best of all with probability {self.probability:.2f}"


@dataclass(frozen=True)
class TuningOptions:
    """By which metric the best setting is chosen."""

    metric: str = "erroneous_information_ratio"
    seed: int = 0


@dataclass(frozen=True, repr=False, eq=False)
class Tuning(CurveResult):
    """Settings in order, a table for each, and, where given, what each costs (time, memory, price, rows used)."""

    kind: ClassVar[str] = "tuning"

    parameters: tuple[str, ...]
    settings: tuple[tuple[Json, ...], ...]
    sizes: tuple[float | None, ...] = ()
    """Sample size of each setting."""
    against: Sequence[float] | None = None
    against_name: str | None = None
    options: TuningOptions = field(default_factory=TuningOptions)
    stored_best: BestSetting | None = field(default=None, metadata={"name": "best"})
    stored_values: Mapping[str, tuple[float | None, ...]] = field(default_factory=dict, metadata={"name": "metrics"})
    stored_positive: str | None = field(default=None, metadata={"name": "positive"})
    provenance: Provenance = field(default_factory=Provenance)
    findings: tuple[Finding, ...] = ()
    tables: tuple[Contingency, ...] = field(default=(), metadata={"stored": False})
    """One per setting; not part of the document."""

    def __post_init__(self) -> None:
        """What the settings cost, as numbers."""
        if self.against is not None:
            object.__setattr__(self, "against", np.asarray(self.against, dtype=np.float64))

    def __len__(self) -> int:
        """How many settings there are."""
        return len(self.settings)

    def named(self, place: int) -> dict[str, Any]:
        """One setting, by parameter."""
        return dict(zip(self.parameters, self.settings[place], strict=True))

    @property
    def positive(self) -> str | None:
        """The class that binary metrics are about; None unless all settings have two classes and share it."""
        if not self.tables:
            return self.stored_positive
        classes = {table.positive_label for table in self.tables}
        only = classes.pop() if len(classes) == 1 else None
        return None if only is None else str(only)

    def values(self, metric: str) -> Real:
        """A metric at every setting."""
        entry = find(metric)
        if entry.name in self.stored_values:
            return np.array([np.nan if value is None else value for value in self.stored_values[entry.name]])
        if entry.card.level != "table":
            raise InputError(f"{entry.name} gives a number per class, not per table; take it from each of the tables")
        return np.array([float(entry.score(table)) for table in self.tables])

    def lines(self) -> dict[tuple[Any, ...], list[int]]:
        """With several parameters: the settings that differ in the first only, by the values of the others."""
        found: dict[tuple[Any, ...], list[int]] = {}
        for place, setting in enumerate(self.settings):
            found.setdefault(setting[1:], []).append(place)
        return found

    def best(
        self,
        metric: str | None = None,
        *,
        prior: PriorLike = "default",
        draws: int = _DRAWS,
        seed: int = 0,
    ) -> BestSetting:
        """The best setting, with the probability that it is best: the share of draws in which it is.

        Unless a metric is named, it is the one that the settings are chosen by. The tables are taken as independent of
        each other. Runs on the same samples err together, which makes their order more certain than this probability
        says.
        """
        criterion = Criterion.asked(metric or self.options.metric)
        if find(criterion.name).card.of_positive:
            check_positive(self.tables[0], criterion.name)
        goodness = np.array([float(criterion.goodness(table)) for table in self.tables])
        if not np.any(goodness > -np.inf):
            raise InputError(f"{criterion.name} is undefined at every setting; choose by another metric")
        place = int(np.argmax(goodness))
        shares = self._chances(criterion, prior, draws, np.random.default_rng(seed))
        return BestSetting(
            criterion.name,
            self.named(place),
            float(criterion.sign * goodness[place]),
            float(shares[place]),
            tuple(shares.tolist()),
            self.positive if find(criterion.name).card.of_positive else None,
        )

    def _chances(self, criterion: Criterion, prior: Any, draws: int, rng: np.random.Generator) -> Real:
        from infoscope.posterior import Posterior  # noqa: PLC0415 - not needed for the curves

        values = np.stack(
            [
                criterion.sign * np.asarray(Posterior(table, prior).draws(criterion.name, draws, rng))
                for table in self.tables
            ]
        )
        winners = np.argmax(np.where(np.isnan(values), -np.inf, values), axis=0)
        return np.bincount(winners, minlength=len(self)) / draws

    def front(self) -> list[int]:
        """Settings that no other beats in both completeness (proficiency) and false information, the quietest first."""
        curve = self.coverage_curve()
        return pareto_front(curve["proficiency"], curve["false_information_ratio"]).tolist()

    def front_against(self, metric: str = "proficiency") -> list[int]:
        """Settings that no other beats in both a metric and the physical measure, the cheapest first."""
        criterion = Criterion.asked(metric)
        values = criterion.sign * self.values(criterion.name)
        return pareto_front(np.where(np.isnan(values), -np.inf, values), self._measured()).tolist()

    def information_per_unit(self) -> Real:
        """Bits captured per unit of the physical measure; undefined where it is 0."""
        cost = self._measured()
        return np.divide(self.values("mutual_information"), cost, out=np.full(len(self), np.nan), where=cost > 0)

    def learning_curve(self, metric: str = "proficiency") -> list[dict[str, float]]:
        """The metric as the physical measure grows, and what each further unit brought since the point before."""
        cost, values = self._measured(), self.values(metric)
        order = np.argsort(cost, kind="stable")
        x, y = cost[order], values[order]
        rise = np.divide(np.diff(y), np.diff(x), out=np.full(len(x) - 1, np.nan), where=np.diff(x) > 0)
        per_unit = np.concatenate([[np.nan], rise])
        return [
            {"place": int(place), "against": float(a), "value": float(b), "per_unit": float(c)}
            for place, a, b, c in zip(order, x, y, per_unit, strict=True)
        ]

    def _measured(self) -> Real:
        if self.against is None:
            raise InputError("the settings have no cost to be compared with; give against=, a number for each setting")
        return np.asarray(self.against)

    @cached_property
    def best_setting(self) -> BestSetting:
        """The best setting by the metric of the options."""
        return self.stored_best or self.best(self.options.metric, seed=self.options.seed)

    @property
    def best_place(self) -> int:
        """Position of the best setting."""
        wanted = dict(self.best_setting.setting)
        return next(at for at in range(len(self)) if self.named(at) == wanted)

    def to_dict(self) -> dict[str, Json]:
        """The versioned document, with every metric at every setting."""
        if not self.tables:
            return super().to_dict()
        values = {
            name: tuple(float(x) if np.isfinite(x) else None for x in found) for name, found in self.metrics().items()
        }
        stored = replace(
            self, stored_best=self.best_setting, stored_values=values, stored_positive=self.positive, tables=()
        )
        return Result.to_dict(stored)

    def rows(self) -> Iterator[Mapping[str, Json]]:
        """One row per setting with the headline metrics."""
        names = ("proficiency", "false_information_ratio", "erroneous_information_ratio", "accuracy")
        curves = self.metrics(names)
        for at in range(len(self)):
            cost = {} if self.against is None else {self.against_name or "against": float(self.against[at])}
            found = {name: float(curves[name][at]) for name in names}
            yield {**self.named(at), **cost, **found, "probability_best": self.best_setting.probabilities[at]}


def tuned(
    tables: Mapping[Any, Contingency],
    parameters: str | Sequence[str],
    *,
    against: Mapping[Any, float] | None = None,
    against_name: str = "against",
) -> Tuning:
    """The tables of several settings in the order of their parameters, with what each costs."""
    names = (parameters,) if isinstance(parameters, str) else tuple(parameters)
    items = {_setting(key, names): table for key, table in tables.items()}
    if len(items) < 2:
        only = f" ({_assigned(names, next(iter(items)))})" if items else ""
        raise InputError(
            f"{' and '.join(map(repr, names))} has {len(items)} value{'' if len(items) == 1 else 's'}{only}; "
            "a sweep compares two settings or more: use evaluate for one"
        )
    settings = sorted(items, key=lambda setting: tuple(map(_sort_key, setting)))
    costs = None if against is None else _costs({_setting(key, names): x for key, x in against.items()}, settings)
    ignored = all_ignored(table.ignored for table in items.values())
    left_out = tuple(IgnoredRows(reason, rows) for reason, rows in ignored.items())
    ordered = tuple(items[setting] for setting in settings)
    return Tuning(
        names,
        tuple(settings),
        tuple(table.sample_size for table in ordered),
        None if costs is None else costs.tolist(),
        None if against is None else against_name,
        provenance=Provenance(ignored=left_out, hashes={"all settings": data_hash(*ordered)}),
        findings=(*label_findings([(str(at), table) for at, table in items.items()]), *describe_ignored_rows(left_out)),
        tables=ordered,
    )


def _setting(key: Any, names: tuple[str, ...]) -> tuple[Any, ...]:
    values = key if isinstance(key, tuple) else (key,)
    if len(values) != len(names):
        raise InputError(f"setting {key!r} has {len(values)} values for {len(names)} parameters ({', '.join(names)})")
    return tuple(map(_typed, values))


def _typed(value: Any) -> Any:
    """Text from a file that spells a number is that number."""
    if not isinstance(value, str):
        return value.item() if hasattr(value, "item") else value
    for kind in (int, float):
        try:
            return kind(value)
        except ValueError:
            continue
    return value


def _sort_key(value: Any) -> tuple[int, Any]:
    return (0, value) if isinstance(value, (int, float)) else (1, str(value))


def _assigned(names: tuple[str, ...], setting: tuple[Any, ...]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in zip(names, setting, strict=True))


def _costs(against: Mapping[tuple[Any, ...], float], settings: Sequence[tuple[Any, ...]]) -> NDArray[np.float64]:
    missing = [setting for setting in settings if setting not in against]
    if missing:
        raise InputError(f"setting {missing[0]} has a table and nothing to hold it against; give a number for each")
    costs = np.array([float(against[setting]) for setting in settings])
    if not np.isfinite(costs).all():
        raise InputError(
            f"setting {settings[int(np.argmin(np.isfinite(costs)))]} is held against a number that is not finite"
        )
    return costs
