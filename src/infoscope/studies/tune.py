"""Tune a system: one table per setting of its parameters, which setting is best, and which no other beats.

``tune`` takes tables or labels by setting, rows with columns of parameters, or files named after them. The page is
``reports/views/tune.py``; ``infoscope sweep --parameter`` asks for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import fsum
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from infoscope.core.numerics import Real, pareto_front
from infoscope.core.validation import SEED, KeywordHints, validated
from infoscope.errors import InputError
from infoscope.metrics.registry import find
from infoscope.readers import ReadOptions, Tables, read_joint
from infoscope.readers.files import find_files_by_values, names_in_braces
from infoscope.readers.labels import Cleaning
from infoscope.readers.query import Query, as_names
from infoscope.readers.reader import LabelKeywords, count_tables, prepare_finished_tables, read_joints
from infoscope.results.base import Result
from infoscope.results.estimate import Estimate, drop_infinite
from infoscope.results.finding import Finding
from infoscope.results.frame import Record
from infoscope.results.provenance import IgnoredRows, Provenance, describe_ignored_rows
from infoscope.studies.inputs import find_label_problems, materialize_labels
from infoscope.studies.score_arrays import decode_numbers
from infoscope.studies.sweep import INFORMATION_METRICS, CurveResult
from infoscope.studies.threshold_choice import Criterion
from infoscope.tables import Contingency
from infoscope.tables.column_kinds import check_positive
from infoscope.tables.construction import Declared, count_labels
from infoscope.tables.counting import add_ignored, merge_ignored, warn_of_rows
from infoscope.tables.ifs_file import hash_tables
from infoscope.tables.labels import Label
from infoscope.tables.rows import Rows
from infoscope.typing import Json, LabelsLike, PriorLike, Source

if TYPE_CHECKING:
    from infoscope.posterior import Posterior

DRAWS = 2000
ROW_METRICS = ("proficiency", "false_information_ratio", "erroneous_information_ratio", "accuracy")
SHOWN_METRICS = (
    *ROW_METRICS,
    *INFORMATION_METRICS,
    "triangle_divergence",
    "triangle_transfer",
    "triangle_variation",
)
"""Metrics that tables, pages and pictures show at every setting, beside the one that decides."""


# Results --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class BestSetting(KeywordHints):
    """The best setting by one metric, and how probable it is that it is the best."""

    metric: str
    setting: Mapping[str, Json]
    value: float
    probability: float
    probabilities: tuple[float, ...]
    """For every setting the probability that it is the best, in the order of the settings."""
    positive: str | None = None
    """The class that the metric is about, where it is about one."""
    metrics: Mapping[str, Estimate] = field(default_factory=dict)
    """The metrics of the setting that reports begin with, with their intervals."""

    def __str__(self) -> str:
        """Say which setting it is and how sure that is, in a sentence."""
        metric = self.metric + find(self.metric).card.of_class(self.positive)
        setting = _format_setting(self.setting)
        return f"best {metric} {self.value:.4f} at {setting}, the best of all with probability {self.probability:.2f}"


@dataclass(frozen=True)
class TuningOptions(KeywordHints):
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
        """Read what the settings cost as numbers."""
        if self.against is not None:
            object.__setattr__(self, "against", np.asarray(self.against, dtype=np.float64))

    def __len__(self) -> int:
        """Return how many settings there are."""
        return len(self.settings)

    def named(self, place: int) -> dict[str, Any]:
        """Return one setting, by parameter."""
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
        """Return a metric at every setting."""
        entry = find(metric)
        if entry.name in self.stored_values:
            return np.array([np.nan if value is None else value for value in self.stored_values[entry.name]])
        if entry.card.level != "table":
            raise InputError(f"{entry.name} gives a number per class, not per table; take it from each of the tables")
        return np.array([float(entry.score(table)) for table in self.tables])

    def lines(self) -> dict[tuple[Any, ...], list[int]]:
        """Return, with several parameters, the settings that differ in the first only, by the values of the others."""
        places: dict[tuple[Any, ...], list[int]] = {}
        for place, setting in enumerate(self.settings):
            places.setdefault(setting[1:], []).append(place)
        return places

    def best(
        self,
        metric: str | None = None,
        *,
        prior: PriorLike = "default",
        draws: int = DRAWS,
        seed: int = 0,
    ) -> BestSetting:
        """Find the best setting, with the probability that it is best: the share of draws in which it is.

        Unless a metric is named, it is the one that the settings are chosen by. The tables are taken as independent of
        each other. Runs on the same samples err together, which makes their order more certain than this probability
        says.
        """
        from infoscope.posterior import Posterior  # noqa: PLC0415 - not needed for the curves

        criterion = Criterion.of(metric or self.options.metric)
        of_positive = find(criterion.name).card.of_positive
        if of_positive:
            check_positive(self.tables[0], criterion.name)
        goodness = np.array([float(criterion.goodness(table)) for table in self.tables])
        if not np.any(goodness > -np.inf):
            raise InputError(f"{criterion.name} is undefined at every setting; choose by another metric")
        place = int(np.argmax(goodness))
        rng = np.random.default_rng(seed)
        posteriors = [Posterior(table, prior) for table in self.tables]
        drawn = np.stack(
            [criterion.sign * np.asarray(posterior.draws(criterion.name, draws, rng)) for posterior in posteriors]
        )
        winners = np.argmax(np.where(np.isnan(drawn), -np.inf, drawn), axis=0)
        shares = np.bincount(winners, minlength=len(self)) / draws
        return BestSetting(
            criterion.name,
            self.named(place),
            float(criterion.sign * goodness[place]),
            float(shares[place]),
            tuple(shares.tolist()),
            self.positive if of_positive else None,
            self._estimate(posteriors[place], self.tables[place]),
        )

    def _estimate(self, posterior: Posterior, table: Contingency) -> dict[str, Estimate]:
        """Estimate the familiar metrics of one setting, and what it captures."""
        familiar = ("accuracy", "macro_f1") if self.positive is None else ("f1", "recall", "precision", "accuracy")
        estimates = {}
        for name, summary in posterior.summaries((*familiar, "proficiency")).items():
            card = find(name).card
            value = Estimate.of(find(name).score(table), card.undefined)
            estimates[name] = value.with_belief(summary, corrected=card.is_information)
        return estimates

    def front(self) -> list[int]:
        """Find settings that no other beats in both completeness and false information, the quietest first."""
        curve = self.coverage_curve()
        return pareto_front(curve["proficiency"], curve["false_information_ratio"]).tolist()

    def front_against(self, metric: str = "proficiency") -> list[int]:
        """Find settings that no other beats in both a metric and the physical measure, the cheapest first."""
        criterion = Criterion.of(metric)
        values = criterion.sign * self.values(criterion.name)
        return pareto_front(np.where(np.isnan(values), -np.inf, values), self._get_costs()).tolist()

    def information_per_unit(self) -> Real:
        """Return the bits captured per unit of the physical measure; undefined where it is 0."""
        cost = self._get_costs()
        return np.divide(self.values("mutual_information"), cost, out=np.full(len(self), np.nan), where=cost > 0)

    def learning_curve(self, metric: str = "proficiency") -> list[dict[str, float]]:
        """Return the metric as the physical measure grows, and what each further unit brought since the last point."""
        cost, values = self._get_costs(), self.values(metric)
        order = np.argsort(cost, kind="stable")
        x, y = cost[order], values[order]
        rise = np.divide(np.diff(y), np.diff(x), out=np.full(len(x) - 1, np.nan), where=np.diff(x) > 0)
        per_unit = np.concatenate([[np.nan], rise])
        return [
            {"place": int(place), "against": float(a), "value": float(b), "per_unit": float(c)}
            for place, a, b, c in zip(order, x, y, per_unit, strict=True)
        ]

    def _get_costs(self) -> Real:
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
        return next(place for place in range(len(self)) if self.named(place) == wanted)

    def complete(self) -> Tuning:
        """Return the tuning with its best setting and all that is shown, without its tables: reports only read."""
        return self._store([*SHOWN_METRICS, self.best_setting.metric]) if self.tables else self

    def to_dict(self) -> dict[str, Json]:
        """Return the versioned document, with every metric at every setting."""
        return Result.to_dict(self._store() if self.tables else self)

    def _store(self, names: Sequence[str] | None = None) -> Tuning:
        curves = {name: tuple(map(drop_infinite, values)) for name, values in self.metrics(names).items()}
        return replace(
            self, stored_best=self.best_setting, stored_values=curves, stored_positive=self.positive, tables=()
        )

    def records(self) -> Iterator[Record]:
        """Yield one record per setting with the headline metrics."""
        curves = self.metrics(ROW_METRICS)
        for place in range(len(self)):
            cost = {} if self.against is None else {self.against_name or "against": float(self.against[place])}
            values = {name: Estimate.of(curves[name][place]) for name in ROW_METRICS}
            best = Estimate(self.best_setting.probabilities[place])
            yield {**self.named(place), **cost, **values, "probability_best": best}


# The study ------------------------------------------------------------------------------------------------------------


@validated(seed=SEED)
def tune(
    source: Source,
    y_pred: Mapping[Any, LabelsLike] | str | Sequence[str] | None = None,
    parameters: str | Sequence[str] | None = None,
    *,
    truth: str | None = None,
    system: str | None = None,
    weight: Any = None,
    reject: Label | None = None,
    positive: Label | None = None,
    clean: Cleaning = (),
    against: Any = None,
    against_name: str = "against",
    choose_by: str | None = None,
    seed: int = 0,
    rng: int | np.random.Generator | None = None,  # noqa: ARG001 - another word for seed
    read: ReadOptions | None = None,
) -> Tuning:
    """Hold runs of one system at several settings against each other, in the order of their parameters.

    Text that is a number counts, and sorts, as one.

    Parameters
    ----------
    source : mapping, array-like or source of rows
        The table of each run by its parameter, or by a tuple with one value per parameter; or the true labels beside
        ``y_pred``; or rows with columns of parameters. A name like ``runs/depth={depth}-k={k}.csv`` means every file
        that fits, with the parts in braces as its setting.
    y_pred : mapping, optional
        The labels predicted at each setting.
    parameters : str or sequence of str
        The names of the parameters; also the second of two positions.
    truth, system : str, optional
        The columns of the true labels and of the predictions.
    weight : array-like or str, optional
        A weight for each row, or the column that has it.
    reject : label, optional
        The label of rejected samples.
    positive : label, optional
        The class that binary metrics are about.
    clean : optional
        How labels that are read are cleaned.
    against : mapping or str, optional
        What each setting costs: numbers by setting, or a column that is averaged over the rows of a setting.
    against_name : str, default "against"
        What the cost is called, where it is no column.
    choose_by : str, optional
        The metric that decides; the erroneous information ratio by default.
    seed, rng : int or numpy.random.Generator, default 0
        Seed of the draws behind the probability of being the best, or a generator.
    read : ReadOptions, optional
        How files are read.

    Returns
    -------
    Tuning
        Settings in order with their tables, the best one, and the front that no other setting beats.

    Raises
    ------
    InputError
        If there are fewer than two settings, a setting has no cost, or options do not go together.

    Examples
    --------
    >>> runs = tune(["a", "a", "b", "b"], {1: ["a", "b", "b", "b"], 2: ["a", "a", "b", "b"]}, "depth")
    >>> runs.best("accuracy").setting
    {'depth': 2}
    """
    if parameters is None and not isinstance(y_pred, Mapping):  # the second of two positions
        parameters, y_pred = y_pred, None
    if parameters is None:
        raise InputError("name the parameters of the settings, as parameters='depth' or parameters=['depth', 'k']")
    names = as_names(parameters)
    choice = TuningOptions(choose_by or TuningOptions().metric, seed)
    if y_pred is not None:
        if not isinstance(y_pred, Mapping):
            raise InputError("y_pred maps each setting to the labels predicted with it, as {1: labels, 2: labels}")
        if any(name is not None for name in (truth, system, read)):
            raise InputError("give labels as (y_true, y_pred), or name columns with truth= and system=, not both")
        if clean:
            raise InputError("clean= is about labels that are read; clean the labels before you give them")
        stated = Declared(reject=reject, positive=positive)
        y_true: Any = materialize_labels(source)  # type: ignore[arg-type]
        tables: dict[Any, Contingency] = {
            setting: count_labels(Contingency, y_true, labels, weight, stated) for setting, labels in y_pred.items()
        }
        warn_of_rows(merge_ignored(table.ignored for table in tables.values()))
        return _order_settings(tables, names, against, against_name, choice)
    if isinstance(source, Tables):
        source = _tables_by_setting(source)
    if isinstance(source, Mapping) and all(isinstance(table, Contingency) for table in source.values()):
        options = {"weight": weight, "reject": reject, "positive": positive, "clean": clean}
        return _order_settings(prepare_finished_tables(source, options), names, against, against_name, choice)
    if not isinstance(truth, str) or not isinstance(system, str):
        raise InputError("give the tables of the runs by setting, or name the truth column and the system column")

    labels: LabelKeywords = {"weight": weight, "reject": reject, "positive": positive, "clean": clean}
    costs: dict[Any, float] = {}
    is_query = read is not None and read.engine == "sql"
    if isinstance(source, str) and "{" in source and not is_query:
        tables, inside = {}, names_in_braces(source)
        for name in names:
            if name not in inside:
                raise InputError(f"parameter {name!r} does not occur in {source!r}; write it as {{{name}}}")
        for name in inside:
            if name not in names:
                raise InputError(f"{{{name}}} in {source!r} is not among the parameters; add --parameter {name}")
        for setting, path in find_files_by_values(source, names).items():
            (tables[setting],) = count_tables(path, truth, system, read, **labels).values()
            if against is not None:
                joint = read_joint(path, truth=truth, system=[against], read=read)
                costs[setting] = average_column(joint.rows, against)
        warn_of_rows(add_ignored(table.ignored for table in tables.values()))
    else:
        counted = count_tables(source, truth, system, read, by=list(names), **labels)
        warn_of_rows(counted.ignored)
        if against is not None:
            query = Query(truth, (against,), by=tuple(names), joint=True, read=read or ReadOptions())
            joints, _ = read_joints(source, query)
            costs = {group: average_column(joint.rows, against) for group, joint in joints.items()}
        tables = _tables_by_setting(counted)
    return _order_settings(tables, names, None if against is None else costs, against or "against", choice)


def _tables_by_setting(tables: Tables) -> dict[Any, Contingency]:
    """Return the tables of one system by group, where the columns that split the rows are its parameters."""
    systems = list(dict.fromkeys(system for _, system in tables))
    if len(systems) != 1:
        raise InputError(f"settings are those of one system; these are tables of {', '.join(systems)}")
    return {group: table for (group, _), table in tables.items()}


def average_column(rows: Rows, name: str) -> float:
    """Average a column of numbers over its rows, the same in every order of these; empty fields are left out."""
    numbers = np.append(decode_numbers(rows.labels[1], name), np.nan)[rows.codes[1]]  # the last for a missing one
    is_filled = ~np.isnan(numbers)
    if not is_filled.any():
        raise InputError(f"column {name!r} has no number for one of the settings; each needs one")
    times = rows.row_counts[is_filled]
    return fsum((numbers[is_filled] * times).tolist()) / fsum(times.tolist())


# Settings -------------------------------------------------------------------------------------------------------------


def _order_settings(
    tables: Mapping[Any, Contingency],
    names: tuple[str, ...],
    against: Mapping[Any, float] | None,
    against_name: str,
    options: TuningOptions,
) -> Tuning:
    """Make the result: the tables in the order of their parameters, with what each costs."""
    items = {_read_setting(key, names): table for key, table in tables.items()}
    if len(items) < 2:
        only = "".join(f" ({_format_setting(dict(zip(names, setting, strict=True)))})" for setting in items)
        raise InputError(
            f"{' and '.join(map(repr, names))} has {len(items)} value{'' if len(items) == 1 else 's'}{only}; "
            "a sweep compares two settings or more: use evaluate for one"
        )
    for setting, table in items.items():
        if not table.total:
            named = _format_setting(dict(zip(names, setting, strict=True)))
            raise InputError(f"no row with {named} has both a truth and a prediction; leave that setting out")
    settings = sorted(  # numbers first, then text
        items, key=lambda setting: [(0, x) if isinstance(x, (int, float)) else (1, str(x)) for x in setting]
    )
    costs: NDArray[np.float64] | None = None
    if against is not None:
        stated = {_read_setting(key, names): cost for key, cost in against.items()}
        missing = [setting for setting in settings if setting not in stated]
        if missing:
            raise InputError(f"setting {missing[0]} has a table and nothing to hold it against; give a number for each")
        costs = np.array([float(stated[setting]) for setting in settings])
        if not np.isfinite(costs).all():
            raise InputError(
                f"setting {settings[int(np.argmin(np.isfinite(costs)))]} is held against a number that is not finite"
            )
    ignored = add_ignored(table.ignored for table in items.values())
    left_out = tuple(IgnoredRows(reason, rows) for reason, rows in ignored.items())
    ordered = tuple(items[setting] for setting in settings)
    return Tuning(
        names,
        tuple(settings),
        tuple(table.sample_size for table in ordered),
        None if costs is None else costs.tolist(),
        None if costs is None else against_name,
        options,
        provenance=Provenance(ignored=left_out, hashes={"all settings": hash_tables(*ordered)}),
        findings=(
            *find_label_problems([(str(setting), table) for setting, table in items.items()]),
            *describe_ignored_rows(left_out),
        ),
        tables=ordered,
    )


def _read_setting(key: Any, names: tuple[str, ...]) -> tuple[Any, ...]:
    """Return one value per parameter; text from a file that spells a number is that number."""
    values = key if isinstance(key, tuple) else (key,)
    if len(values) != len(names):
        raise InputError(f"setting {key!r} has {len(values)} values for {len(names)} parameters ({', '.join(names)})")
    setting = []
    for value in values:
        read = value.item() if hasattr(value, "item") else value
        for kind in (int, float) if isinstance(value, str) else ():
            try:
                read = kind(value)
                break
            except ValueError:
                continue
        setting.append(read)
    return tuple(setting)


def _format_setting(setting: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in setting.items())
