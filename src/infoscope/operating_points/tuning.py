"""Tuning: one table per setting of a system's parameters, and which setting is best."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoscope.cards import find, metrics_at
from infoscope.errors import InputError
from infoscope.numeric import Real
from infoscope.operating_points.choice import Criterion
from infoscope.operating_points.pareto import pareto_front
from infoscope.operating_points.showing import shown
from infoscope.tables import Contingency
from infoscope.tables.hashing import data_hash
from infoscope.tables.missing import all_ignored, left_out

__all__ = ["SCHEMA", "BestSetting", "Tuning", "tune"]

SCHEMA = "infoscope/tuning/1"
_DRAWS = 2000


@dataclass(frozen=True)
class BestSetting:
    """The best setting by one metric, and how probable it is that it is the best."""

    metric: str
    setting: dict[str, Any]
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


@dataclass(frozen=True, repr=False)
class Tuning:
    """Settings in order, a table for each, and, where given, what each costs (time, memory, price, rows used)."""

    parameters: tuple[str, ...]
    settings: tuple[tuple[Any, ...], ...]
    tables: tuple[Contingency, ...]
    against: Real | None = None
    against_name: str | None = None
    ignored: Mapping[str, int] = field(default_factory=dict)
    """Rows left out of all runs, by reason."""

    def __len__(self) -> int:
        """How many settings there are."""
        return len(self.settings)

    @property
    def positive(self) -> str | None:
        """The class that binary metrics are about; None unless all settings have two classes and share it."""
        classes = {table.positive_label for table in self.tables}
        only = classes.pop() if len(classes) == 1 else None
        return None if only is None else str(only)

    def named(self, place: int) -> dict[str, Any]:
        """One setting, by parameter."""
        return dict(zip(self.parameters, self.settings[place], strict=True))

    def values(self, metric: str) -> Real:
        """A metric at every setting."""
        entry = find(metric)
        if entry.card.level != "table":
            raise InputError(f"{entry.name} gives a number per class, not per table; take it from each of the tables")
        return np.array([float(entry.score(table)) for table in self.tables])

    def metrics(self, names: Sequence[str] | None = None) -> dict[str, Real]:
        """Several metrics at every setting, by id; all of the catalogue unless named."""
        wanted = [entry.name for entry in metrics_at("table")] if names is None else [find(n).name for n in names]
        return {name: self.values(name) for name in wanted}

    # ── curves ───────────────────────────────────────────────────────────────────────────────

    def coverage_curve(self) -> dict[str, Real]:
        """The path in the information coverage plane, as in Holt et al.'s Figure 7(a)."""
        return self.metrics(["false_information_ratio", "proficiency"])

    def triangle_curve(self) -> dict[str, Real]:
        """The path in the entropy triangle."""
        return self.metrics(["triangle_divergence", "triangle_transfer", "triangle_variation"])

    def lines(self) -> dict[tuple[Any, ...], list[int]]:
        """With several parameters: the settings that differ in the first only, by the values of the others."""
        found: dict[tuple[Any, ...], list[int]] = {}
        for place, setting in enumerate(self.settings):
            found.setdefault(setting[1:], []).append(place)
        return found

    # ── choice ───────────────────────────────────────────────────────────────────────────────

    def best(
        self, metric: str = "erroneous_information_ratio", *, prior: Any = "default", draws: int = _DRAWS, seed: int = 0
    ) -> BestSetting:
        """The best setting, with the probability that it is best: the share of draws in which it is.

        The tables are taken as independent of each other. Runs on the same samples err together, which makes their
        order surer than this says.
        """
        criterion = Criterion.asked(metric)
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

    # ── against a physical measure ─────────────────────────────────────────────────────────────────

    def front_against(self, metric: str = "proficiency") -> list[int]:
        """Settings that no other beats in both a metric and the physical measure, the cheapest first."""
        criterion = Criterion.asked(metric)
        goodness = np.array([float(criterion.goodness(table)) for table in self.tables])
        return pareto_front(goodness, self._measured()).tolist()

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
            raise InputError("nothing was given to hold the settings against; name a column with against")
        return self.against

    # ── out ──────────────────────────────────────────────────────────────────────────────────

    def to_dict(
        self, names: Sequence[str] | None = None, *, metric: str = "erroneous_information_ratio", seed: int = 0
    ) -> dict[str, Any]:
        """The versioned document, as plain data."""
        best = self.best(metric, seed=seed)
        curves = self.metrics(names)
        measured = (
            {}
            if self.against is None
            else {"against": self.against, "information_per_unit": self.information_per_unit()}
        )
        return {
            "schema": SCHEMA,
            "parameters": list(self.parameters),
            "against": self.against_name,
            "positive": self.positive,
            "data_hash": self.data_hash,
            "ignored": [{"reason": reason, "rows": rows} for reason, rows in self.ignored.items()],
            "points": [
                {
                    "setting": {name: _plain(value) for name, value in self.named(place).items()},
                    "n": self.tables[place].sample_size,
                    **{name: _plain(float(values[place])) for name, values in measured.items()},
                    "probability_best": best.probabilities[place],
                    "metrics": {name: _plain(float(values[place])) for name, values in curves.items()},
                }
                for place in range(len(self))
            ],
            "best": {
                "metric": best.metric,
                "setting": {name: _plain(value) for name, value in best.setting.items()},
                "value": best.value,
                "probability": best.probability,
            },
            "front": self.front(),
            **({} if self.against is None else {"front_against": self.front_against()}),
        }

    def to_json(self, names: Sequence[str] | None = None, *, indent: int | None = 2) -> str:
        """The versioned document as JSON."""
        return json.dumps(self.to_dict(names), ensure_ascii=False, indent=indent, allow_nan=False)

    @cached_property
    def data_hash(self) -> str:
        """A name for what was counted: equal tables in equal order have equal hashes."""
        return data_hash(*self.tables)

    def to_html(
        self,
        path: str | Path | None = None,
        *,
        metric: str = "erroneous_information_ratio",
        seed: int = 0,
        unit: str = "bits",
        force: bool = False,
    ) -> str | Path:
        """The settings as one page that opens offline: its text, or the file that it was written to.

        A file that is no such page is replaced only by force.
        """
        return shown("tuning", path, force, self, self.best(metric, seed=seed), unit=unit)

    def __repr__(self) -> str:
        """A line, and one for each reason to leave out rows."""
        head = f"Tuning of {len(self)} settings of {', '.join(self.parameters)}"
        return "\n".join([head, *(f"  {left_out(rows, reason)}" for reason, rows in self.ignored.items())])


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return value if np.isfinite(value) else None
    return value if isinstance(value, (int, str, bool)) else str(value)


def tune(
    tables: Mapping[Any, Contingency],
    parameters: str | Sequence[str],
    *,
    against: Mapping[Any, float] | None = None,
    against_name: str = "against",
) -> Tuning:
    """Runs of one system at several settings, in the order of their parameters.

    ``tables`` maps a parameter's value, or a tuple with one value per parameter, to the table of that run;
    ``against`` maps the same settings to what they cost. Text that is a number counts, and sorts, as one.
    """
    names = (parameters,) if isinstance(parameters, str) else tuple(parameters)
    items = {_setting(key, names): table for key, table in tables.items()}
    if len(items) < 2:
        only = f" ({_said(names, next(iter(items)))})" if items else ""
        raise InputError(
            f"{' and '.join(map(repr, names))} has {len(items)} value{'' if len(items) == 1 else 's'}{only}; "
            "a sweep compares two settings or more: use evaluate for one"
        )
    settings = sorted(items, key=lambda setting: tuple(map(_sort_key, setting)))
    costs = None if against is None else _costs({_setting(key, names): x for key, x in against.items()}, settings)
    return Tuning(
        names,
        tuple(settings),
        tuple(items[setting] for setting in settings),
        costs,
        None if against is None else against_name,
        all_ignored(table.ignored for table in tables.values()),
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


def _said(names: tuple[str, ...], setting: tuple[Any, ...]) -> str:
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
