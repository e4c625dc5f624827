"""What a metric may be called with: what it is a function of (a table), or the labels that this is counted from.

``proficiency(table)`` and ``proficiency(y_true, y_pred, sample_weight=w)`` are one function; the first way costs no
more than a look at the type.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import wraps
from types import FunctionType
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, Protocol, TypedDict, Unpack, overload

import numpy as np
from numpy.typing import NDArray

from infoscope.core.markup import cut_list
from infoscope.core.numerics import Real
from infoscope.errors import InfoscopeWarning, InputError, UndefinedMetricWarning, did_you_mean
from infoscope.metrics.class_averages import Average, ZeroDivision, average_labels
from infoscope.metrics.one_vs_rest import listed_classes
from infoscope.tables import Contingency
from infoscope.tables.column_kinds import ColumnNames, check_columns, check_labels, check_positive
from infoscope.tables.encoding import on_one_calendar
from infoscope.tables.labels import Label, as_label, sorted_labels
from infoscope.tables.missing import warn_of
from infoscope.tables.transformations import of_classes
from infoscope.typing import ArrayLike, LabelsLike

if TYPE_CHECKING:
    from infoscope.metrics.registry import Metric

__all__ = ["ClassMetric", "LabelCounting", "MetricKeywords", "TableMetric", "callable_on_labels", "tables"]

P = ParamSpec("P")


class CountingKeywords(TypedDict, total=False):
    """Keywords beside the labels."""

    sample_weight: Iterable[float] | None
    labels: LabelsLike | Literal["own"] | None
    """The classes, in their order; for a rate that is averaged, the classes to average over."""
    reject: Label | None
    """The prediction that means "abstained"."""
    positive: Label | None
    """The class that binary metrics are about."""
    pos_label: Label | None
    """The same in scikit-learn's word."""


class MetricKeywords(CountingKeywords, total=False):
    """All that a metric of labels may be asked; the options below are rejected by metrics that do not have them."""

    average: Average | None
    zero_division: ZeroDivision | None
    beta: float
    alpha: float
    costs: ArrayLike | None
    normalize: bool
    adjusted: bool
    average_method: Literal["min", "geometric", "arithmetic", "max"]
    weights: Literal["linear", "quadratic"] | None


class TableMetric(Protocol[P]):
    """A number of a table, or of the labels that the table is counted from."""

    __name__: str

    @overload
    def __call__(self, table: Contingency, *args: P.args, **options: P.kwargs) -> Real: ...
    @overload
    def __call__(self, y_true: LabelsLike, y_pred: LabelsLike, **options: Unpack[MetricKeywords]) -> float: ...


class ClassMetric(Protocol):
    """Numbers per class or per cell of a table, or of the labels that the table is counted from."""

    __name__: str

    @overload
    def __call__(self, table: Contingency) -> Real: ...
    @overload
    def __call__(
        self, y_true: LabelsLike, y_pred: LabelsLike, **options: Unpack[CountingKeywords]
    ) -> NDArray[np.float64]: ...


@dataclass(frozen=True)
class LabelCounting:
    """How labels become what the metrics of a domain are functions of."""

    kind: type
    argument: str
    """What ``kind`` is called as an argument."""
    names: tuple[str, str]
    options: Mapping[str, object]
    """Keywords of ``count`` with their defaults."""
    count: Callable[..., Any]
    hint: str
    """What to do with something that is neither."""


def _counted(y_true: Any, y_pred: Any, *, positive: Any = None, pos_label: Any = None, **stated: Any) -> Contingency:
    if positive is not None and pos_label is not None:
        raise InputError("positive and pos_label are the same; give one of them")
    if isinstance(y_pred, Mapping):
        raise InputError(
            f"y_pred maps names ({', '.join(map(repr, list(y_pred)[:3]))}) to labels, and a metric is about one "
            "system; infoscope.evaluate(y_true, y_pred) takes several"
        )
    check_labels(y_true, {"system": y_pred})
    table = Contingency.from_labels(y_true, y_pred, **stated)
    check_columns({"system": table}, ColumnNames())
    if positive is None and pos_label is None:
        return table
    asked = (as_label(pos_label if positive is None else positive),)
    label = (on_one_calendar(table.truth_labels, table.system_labels, asked)[-1] or asked)[0]
    both = {label, *table.truth_labels, *table.system_labels} - {table.reject}
    if label not in table.truth_labels and len(both) == 2:  # a positive class that no sample has
        table = of_classes(table, sorted_labels(both))
    return replace(table, positive=label)


tables = LabelCounting(
    Contingency,
    "table",
    ("y_true", "y_pred"),
    dict.fromkeys(("sample_weight", "labels", "reject", "positive", "pos_label")),
    _counted,
    "make a table of a matrix with Contingency.from_matrix(counts)",
)


def callable_on_labels(entry: Metric, score: Callable[..., Any], counting: LabelCounting) -> Callable[..., Any]:
    """The metric as a function of either; ``help`` shows both ways."""
    kind, of_labels = counting.kind, _OfLabels(entry, score, counting)

    def either(*args: Any, **options: Any) -> Any:
        if len(args) == 1 and not options and isinstance(args[0], kind):
            return score(args[0])  # nearly all calls
        if args and isinstance(args[0], kind):
            return of_labels.of_table(args, options)
        return of_labels(args, options)

    # in the metric's own module, which is where doctest looks for examples
    call = wraps(score)(FunctionType(either.__code__, score.__globals__, closure=either.__closure__))
    call.__signature__ = of_labels.signature()  # type: ignore[attr-defined]
    call.__doc__ = f"{inspect.getdoc(score)}\n\n{of_labels.usage()}"
    return call


@dataclass(frozen=True)
class _OfLabels:
    """A metric that is called with labels."""

    entry: Metric
    score: Callable[..., Any]
    counting: LabelCounting

    def __call__(self, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """The number, as a float where it is one; a warning says why there is none."""
        if "table" in options and isinstance(options["table"], self.counting.kind):
            return self.of_table((options.pop("table"), *args), options)
        given = self._sides(args, options)
        own = {name: options.pop(name) for name in self._own() if name in options}
        self._check(options, list(dict.fromkeys([*self._own(), *self.counting.options])))
        table = self.counting.count(*given, **options)
        if "average" in self._own():
            own.setdefault("average", "binary")
        self._check_positive(table, own)
        self._warn_of_idle_positive(table, own)
        value = np.asarray(self.score(table, **own))
        if not np.isfinite(value).all():
            warn_of(self._undefined(value, table, own), UndefinedMetricWarning)
        elif own.get("zero_division") == "warn" and not np.isfinite(self._plain(table, own)).all():
            warn_of(self._undefined(self._plain(table, own), table, own), UndefinedMetricWarning)
        return float(value) if value.ndim == 0 else value

    def of_table(self, args: tuple[Any, ...], options: Mapping[str, Any]) -> Any:
        """The metric of a table, for which options about labels have no meaning."""
        if options:
            self._check(options, self._own())
        return self.score(*args, **options)

    def _check_positive(self, table: Any, own: Mapping[str, Any]) -> None:
        """Reject a number about one of two classes that neither the caller nor their names chose."""
        if self.entry.card.of_positive and own.get("average", "binary") == "binary":
            check_positive(table, self.entry.name)

    def _warn_of_idle_positive(self, table: Any, own: Mapping[str, Any]) -> None:
        """Warn of a positive class that an average over classes leaves aside; 1 is scikit-learn's default."""
        average, label = own.get("average", "binary"), getattr(table, "positive", None)
        if average != "binary" and label not in (None, 1):
            said = f"pos_label={label!r} is ignored with average={average!r}; labels=[{label!r}] takes this class alone"
            warn_of([said], InfoscopeWarning)

    def _plain(self, table: Any, own: Mapping[str, Any]) -> NDArray[Any]:
        """The value before anything is put in the place of 0/0."""
        return np.asarray(self.score(table, **{**own, "zero_division": None}))

    def _sides(self, args: tuple[Any, ...], options: dict[str, Any]) -> list[Any]:
        name, (first, second) = self.entry.name, self.counting.names
        if len(args) > 2:
            raise TypeError(f"{name} takes {first} and {second}; name everything else, as sample_weight=…")
        given = list(args)
        for side in (first, second)[len(args) :]:
            if side in options:
                given.append(options.pop(side))
        if len(given) == 2:
            return given
        found = f", and got one {type(given[0]).__name__}" if given else ""
        raise InputError(
            f"{name} takes a {self.counting.argument}, or {first} and {second}{found}; {self.counting.hint}"
        )

    def _own(self) -> dict[str, inspect.Parameter]:
        """The options of the metric itself."""
        code = self.score.__code__
        if code.co_argcount == 1 and not code.co_kwonlyargcount and not code.co_flags & inspect.CO_VARKEYWORDS:
            return {}
        own: dict[str, inspect.Parameter] = {}
        for parameter in [*inspect.signature(self.score).parameters.values()][1:]:
            if parameter.kind is parameter.VAR_KEYWORD:
                own |= {name: _keyword(name, default) for name, default in _AVERAGING.items()}
            else:
                own[parameter.name] = parameter.replace(kind=parameter.KEYWORD_ONLY)
        return own

    def _check(self, options: Mapping[str, object], known: Collection[str]) -> None:
        for option in options:
            if option in known:
                continue
            hint = did_you_mean(option, known, f"it takes {', '.join(known) or 'none'}")
            if option in self.counting.options:
                hint = f"set it where the {self.counting.argument} is created"
            raise TypeError(f"{self.entry.name} has no option {option!r}; {hint}")

    def _undefined(self, value: NDArray[Any], table: Any, own: Mapping[str, Any]) -> list[str]:
        name = self.entry.name
        if "average" in own:
            each = np.asarray(self.score(table, **{**own, "average": None, "zero_division": None}))
            labels = average_labels(table, own.get("labels"))
            at_fault = listed_classes(labels, np.isnan(each)) if np.isnan(each).any() else "the positive class"
            way_out = "zero_division= says what 0/0 counts as"
            return [f"{name} is undefined for {at_fault} (0/0); {way_out}"]
        reason = self.entry.reason(table) if isinstance(table, Contingency) else self.entry.card.undefined
        if value.ndim == 0:
            return [f"{name} is {'undefined: ' * bool(np.isnan(value))}{cut_list(reason).short}"]
        sides = {"truth": "truth_labels", "system": "system_labels"}
        known = getattr(table, sides.get(self.entry.card.level, ""), None)
        where = "" if known is None else f" for {listed_classes(known, ~np.isfinite(value))}"
        return [f"{name} is undefined{where}: {reason}"]

    def signature(self) -> inspect.Signature:
        """Parameters as ``help`` shows them."""
        own = self._own()
        counted = [_keyword(name, default) for name, default in self.counting.options.items() if name not in own]
        sides = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in self.counting.names]
        sides[1] = sides[1].replace(default=None)
        return inspect.Signature([*sides, *counted, *own.values()])

    def usage(self) -> str:
        """Both ways to call the metric, as its docstring ends."""
        own = "".join(f", {parameter}" for parameter in self._own().values())
        first, second = self.counting.names
        counted = "".join(f", {name}={value!r}" for name, value in self.counting.options.items() if name not in own)
        way = f"{self.entry.name}({first}, {second}{counted}{own})"
        table = self.counting.argument
        return f"Call it with ``{table}`` or with labels:\n\n    {self.entry.name}({table}{own})\n    {way}"


_AVERAGING: dict[str, object] = {"average": "binary", "labels": None, "zero_division": None}


def _keyword(name: str, default: object) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)
