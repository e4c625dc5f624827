"""Calls of metrics: with what a metric is a function of (a table), or with the labels that this is counted from.

``proficiency(table)`` and ``proficiency(y_true, y_pred, sample_weight=w)`` are one function; the first way costs no
more than a look at the type. ``callable_on_labels`` makes it so, for tables and for label sets (``LabelCounting``), and
writes the signature and the docstring that ``help`` shows, from the card and from ``_PARAMETERS``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property, wraps
from textwrap import fill
from types import FunctionType
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, Protocol, overload

import numpy as np
from numpy.typing import NDArray

from infoscope.core.markup import cut_list
from infoscope.core.numerics import Real
from infoscope.errors import InfoscopeWarning, InputError, UndefinedMetricWarning, did_you_mean
from infoscope.metrics.one_vs_rest import Average, ZeroDivision, average_labels, list_marked_classes
from infoscope.tables import Contingency
from infoscope.tables.column_kinds import ColumnNames, check_columns, check_labels, check_positive
from infoscope.tables.counting import warn_of
from infoscope.tables.encoding import on_one_calendar
from infoscope.tables.labels import Label, as_label, sorted_labels
from infoscope.tables.transformations import select_classes
from infoscope.typing import ArrayLike, LabelsLike

if TYPE_CHECKING:
    from infoscope.metrics.registry import Metric

P = ParamSpec("P")


class TableMetric(Protocol[P]):
    """A number of a table, or of the labels that the table is counted from.

    A metric rejects the options from ``average`` on that it does not have.
    """

    __name__: str

    @overload
    def __call__(self, table: Contingency, *args: P.args, **options: P.kwargs) -> Real: ...
    @overload
    def __call__(
        self,
        y_true: LabelsLike,
        y_pred: LabelsLike,
        *,
        sample_weight: Iterable[float] | None = None,
        labels: LabelsLike | Literal["own"] | None = None,
        reject: Label | None = None,
        positive: Label | None = None,
        pos_label: Label | None = None,
        average: Average | None = "binary",
        zero_division: ZeroDivision | None = None,
        beta: float = ...,
        alpha: float = 1.0,
        costs: ArrayLike | None = None,
        normalize: bool = True,
        adjusted: bool = False,
        average_method: Literal["min", "geometric", "arithmetic", "max"] = "arithmetic",
        weights: Literal["linear", "quadratic"] | None = None,
    ) -> float: ...


class ClassMetric(Protocol):
    """Numbers per class or per cell of a table, or of the labels that the table is counted from."""

    __name__: str

    @overload
    def __call__(self, table: Contingency) -> Real: ...
    @overload
    def __call__(
        self,
        y_true: LabelsLike,
        y_pred: LabelsLike,
        *,
        sample_weight: Iterable[float] | None = None,
        labels: LabelsLike | Literal["own"] | None = None,
        reject: Label | None = None,
        positive: Label | None = None,
        pos_label: Label | None = None,
    ) -> NDArray[np.float64]: ...


@dataclass(frozen=True)
class LabelCounting:
    """A rule by which labels become the argument of a domain's metrics."""

    kind: type
    argument: str
    """Name of ``kind`` as an argument."""
    names: tuple[str, str]
    options: Mapping[str, object]
    """Keywords of ``count`` with their defaults."""
    count: Callable[..., Any]
    hint: str
    """Advice for something that is neither."""
    sides: str = "array-like"
    """Description of each side, in a docstring."""


def _count(y_true: Any, y_pred: Any, *, positive: Any = None, pos_label: Any = None, **stated: Any) -> Contingency:
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
    stated_label = (as_label(pos_label if positive is None else positive),)
    label = (on_one_calendar(table.truth_labels, table.system_labels, stated_label)[-1] or stated_label)[0]
    both = {label, *table.truth_labels, *table.system_labels} - {table.reject}
    if label not in table.truth_labels and len(both) == 2:  # a positive class that no sample has
        table = select_classes(table, sorted_labels(both))
    return replace(table, positive=label)


tables = LabelCounting(
    Contingency,
    "table",
    ("y_true", "y_pred"),
    dict.fromkeys(("sample_weight", "labels", "reject", "positive", "pos_label")),
    _count,
    "make a table of a matrix with Contingency.from_matrix(counts)",
)


def callable_on_labels(entry: Metric, score: Callable[..., Any], counting: LabelCounting) -> Callable[..., Any]:
    """Make the metric a function of either; ``help`` shows both ways."""
    kind, of_labels = counting.kind, _OfLabels(entry, score, counting)

    def either(*args: Any, **options: Any) -> Any:
        if len(args) == 1 and not options and isinstance(args[0], kind):
            return score(args[0])  # nearly all calls
        if args and isinstance(args[0], kind):
            return of_labels.score_table(args, options)
        return of_labels(args, options)

    # in the metric's own module, which is where doctest looks for examples
    call = wraps(score)(FunctionType(either.__code__, score.__globals__, closure=either.__closure__))
    call.__signature__ = of_labels.signature()  # type: ignore[attr-defined]
    call.__doc__ = of_labels.docstring()
    return call


@dataclass(frozen=True)
class _OfLabels:
    """A metric that is called with labels."""

    entry: Metric
    score: Callable[..., Any]
    counting: LabelCounting

    @cached_property
    def own_options(self) -> dict[str, inspect.Parameter]:
        """The options of the metric itself."""
        code = self.score.__code__
        if code.co_argcount == 1 and not code.co_kwonlyargcount:
            return {}
        own: dict[str, inspect.Parameter] = {}
        for parameter in [*inspect.signature(self.score).parameters.values()][1:]:
            own[parameter.name] = parameter.replace(kind=parameter.KEYWORD_ONLY)
        if "average" in own:  # of labels it is "binary" unless stated
            own |= {name: _make_keyword(name, None) for name in ("average", "labels", "zero_division")}
            own["average"] = _make_keyword("average", "binary")
        return own

    def score_table(self, args: tuple[Any, ...], options: Mapping[str, Any]) -> Any:
        """Score a table, for which options about labels have no meaning."""
        if options:
            self._check_options(options, self.own_options)
        return self.score(*args, **options)

    def __call__(self, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """Count labels and score them: a float where the metric is one number; a warning says why there is none."""
        if "table" in options and isinstance(options["table"], self.counting.kind):
            return self.score_table((options.pop("table"), *args), options)
        name, (first, second) = self.entry.name, self.counting.names
        if len(args) > 2:
            raise TypeError(f"{name} takes {first} and {second}; name everything else, as sample_weight=…")
        sides = [*args, *(options.pop(side) for side in (first, second)[len(args) :] if side in options)]
        if len(sides) != 2:
            text = f", and got one {type(sides[0]).__name__}" if sides else ""
            raise InputError(
                f"{name} takes a {self.counting.argument}, or {first} and {second}{text}; {self.counting.hint}"
            )
        own = {option: options.pop(option) for option in self.own_options if option in options}
        self._check_options(options, list(dict.fromkeys([*self.own_options, *self.counting.options])))
        table = self.counting.count(*sides, **options)
        if "average" in self.own_options:
            own.setdefault("average", "binary")
        average, label = own.get("average", "binary"), getattr(table, "positive", None)
        if self.entry.card.of_positive and average == "binary":
            check_positive(table, name)  # a number about one of two classes that neither the caller nor names chose
        if average != "binary" and label not in (None, 1):  # 1 is scikit-learn's default
            text = f"pos_label={label!r} is ignored with average={average!r}; labels=[{label!r}] takes this class alone"
            warn_of([text], InfoscopeWarning)
        value = np.asarray(self.score(table, **own))
        # before anything is put in the place of 0/0
        plain = value
        if np.isfinite(value).all() and own.get("zero_division") == "warn":
            plain = np.asarray(self.score(table, **{**own, "zero_division": None}))
        if not np.isfinite(plain).all():
            warn_of([self._say_undefined(plain, table, own)], UndefinedMetricWarning)
        return float(value) if value.ndim == 0 else value

    def _check_options(self, options: Mapping[str, object], known: Collection[str]) -> None:
        for option in options:
            if option in known:
                continue
            hint = did_you_mean(option, known, f"it takes {', '.join(known) or 'none'}")
            if option in self.counting.options:
                hint = f"set it where the {self.counting.argument} is created"
            raise TypeError(f"{self.entry.name} has no option {option!r}; {hint}")

    def _say_undefined(self, value: NDArray[Any], table: Any, own: Mapping[str, Any]) -> str:
        name = self.entry.name
        if "average" in own:
            rates = np.asarray(self.score(table, **{**own, "average": None, "zero_division": None}))
            averaged = average_labels(table, own.get("labels"))
            at_fault = list_marked_classes(averaged, np.isnan(rates)) if np.isnan(rates).any() else "the positive class"
            return f"{name} is undefined for {at_fault} (0/0); zero_division= says what 0/0 counts as"
        reason = self.entry.reason(table) if isinstance(table, Contingency) else self.entry.card.undefined
        if value.ndim == 0:
            return f"{name} is {'undefined: ' * bool(np.isnan(value))}{cut_list(reason).short}"
        sides = {"truth": "truth_labels", "system": "system_labels"}
        labels = getattr(table, sides.get(self.entry.card.level, ""), None)
        where = "" if labels is None else f" for {list_marked_classes(labels, ~np.isfinite(value))}"
        return f"{name} is undefined{where}: {reason}"

    def signature(self) -> inspect.Signature:
        """Return the parameters as ``help`` shows them."""
        own = self.own_options
        counted = [_make_keyword(name, default) for name, default in self.counting.options.items() if name not in own]
        sides = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in self.counting.names]
        sides[1] = sides[1].replace(default=None)
        return inspect.Signature([*sides, *counted, *own.values()])

    def docstring(self) -> str:
        """Write the metric's own text, both ways to call it, and numpydoc sections from its card and parameters."""
        card, own, (first, second) = self.entry.card, self.own_options, self.counting.names
        prose, prompt, examples = (inspect.getdoc(self.score) or "").partition(">>>")
        with_own = "".join(f", {parameter.name}={parameter.default!r}" for parameter in own.values())
        counted = "".join(f", {name}={value!r}" for name, value in self.counting.options.items() if name not in own)
        parameters = [
            f"{first}, {second} : {self.counting.sides}\n    The true and the predicted side. One "
            f":class:`{self.counting.kind.__name__}` in their place is scored as it is.",
            *(
                f"{name} : {_PARAMETERS[name][0]}\n{_indent(_PARAMETERS[name][1])}"
                for name in self.signature().parameters
                if name not in self.counting.names
            ),
        ]
        kinds = {
            "truth": "one number per true class",
            "system": "one number per prediction",
            "cell": "one number per stored cell",
        }
        low, high = card.range
        returns = f"{kinds.get(card.level, 'a number')}, from {low:g} to {high:g}"
        undefined = "" if card.undefined == "never" else f". Undefined (NaN): {card.undefined}"
        sections = {
            "Parameters": "\n".join(parameters),
            "Returns": f"{'float' if card.level == 'table' else 'ndarray'}\n"
            + _indent(f"{returns[0].upper()}{returns[1:]}{undefined}."),
            "Notes": f".. math:: {card.formula}" + (f"\n\n{card.note}" if card.note else ""),
            "References": "" if card.source == "common" else card.reference,
            "Examples": f"{prompt}{examples}",
        }
        parts = [
            prose.rstrip(),
            f"Call it with ``{self.counting.argument}`` or with labels:",
            f"    {self.entry.name}({self.counting.argument}{with_own})\n"
            f"    {self.entry.name}({first}, {second}{counted}{with_own})",
            *(f"{title}\n{'-' * len(title)}\n{text}" for title, text in sections.items() if text),
        ]
        return "\n\n".join(parts)


_PARAMETERS: dict[str, tuple[str, str]] = {
    "sample_weight": ("array-like of float, default None", "One weight of 0 or more per sample."),
    "labels": (
        "array-like, default None",
        "The classes, in their order; of a rate that is averaged, the classes to average over, and of kappa those to "
        "look at. None: all that occur.",
    ),
    "reject": ("label, default None", 'The prediction that means "abstained".'),
    "positive": ("label, default None", "The class that a metric of two classes is about."),
    "pos_label": ("label, default None", "The same as ``positive``, in scikit-learn's word."),
    "average": (
        '{"binary", "micro", "macro", "weighted"} or None, default "binary"',
        '"binary": the positive class alone; "micro": all decisions pooled; "macro": the mean over the classes; '
        '"weighted": the mean by class size; None: one number per class.',
    ),
    "zero_division": (
        '{0, 1, nan, "warn"} or None, default None',
        'What a class counts as whose rate is 0/0; NaN leaves it out, "warn" is 0 with a warning, None makes the '
        "result undefined.",
    ),
    "beta": (
        "float",
        "0 or more: how many times as much recall counts as precision, or completeness as homogeneity.",
    ),
    "alpha": ("float, default 1.0", "Factor of the ratio, above 0."),
    "costs": (
        "array-like of shape (true classes, predicted classes), default None",
        "The cost of each prediction, the reject label included. None: those that were stated with the table.",
    ),
    "normalize": ("bool, default True", "Return a fraction of all samples; otherwise their number."),
    "adjusted": ("bool, default False", "Rescale so that 0 is always predicting one class and 1 is perfect."),
    "average_method": (
        '{"min", "geometric", "arithmetic", "max"}, default "arithmetic"',
        "The mean of both entropies that is used as the maximum.",
    ),
    "weights": (
        '{"linear", "quadratic"} or None, default None',
        "Count a prediction by how many steps it is off, or by their square; None: right or wrong.",
    ),
    "threshold": ("float, default None", "The score from which an object carries a category, where scores are given."),
}
"""Type and meaning of each keyword, for docstrings."""


@cache
def _indent(text: str) -> str:
    """Wrap the text of an entry; those of parameters are the same for many metrics."""
    return fill(text, 120, initial_indent="    ", subsequent_indent="    ")


def _make_keyword(name: str, default: object) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)
