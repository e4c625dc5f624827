"""The register of metrics: what is known about each (``Card``), what it promises (``Law``), and how to find it.

A metric has a domain: it is a function of a table, of the sums of label sets, tracks or annotations, or of scores. All
but those of tables stay in their packages and register here. Metrics of tables and of label sets are called with
labels, too. In the order of this module: sources, families, cards, how a metric is called, how it registers, how one is
found, and on which counts of a table one depends.
"""

from __future__ import annotations

import inspect
import sys
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from enum import Enum
from functools import cache, cached_property, wraps
from math import inf
from textwrap import fill
from types import FunctionType
from typing import (
    Any,
    Concatenate,
    Literal,
    NamedTuple,
    ParamSpec,
    Protocol,
    TypeVar,
    get_args,
    overload,
)

import numpy as np
from numpy.typing import NDArray

from infoscope.core.markup import cut_list
from infoscope.core.numerics import Real
from infoscope.core.validation import KeywordHints
from infoscope.errors import (
    AmbiguousNameError,
    InfoscopeWarning,
    InputError,
    UndefinedMetricWarning,
    UnknownNameError,
    did_you_mean,
)
from infoscope.metrics.one_vs_rest import Average, ZeroDivision, average_labels, list_marked_classes
from infoscope.tables import Contingency
from infoscope.tables.column_kinds import ColumnNames, check_columns, check_labels, check_positive
from infoscope.tables.counting import warn_of
from infoscope.tables.encoding import on_one_calendar
from infoscope.tables.labels import Label, as_label, sorted_labels
from infoscope.tables.transformations import select_classes
from infoscope.typing import ArrayLike, LabelsLike

SOURCES = {
    "shannon1948": "Shannon, A mathematical theory of communication, 1948",
    "holt2010": "Holt, Mastromarino, Kao & Hurley, Information theoretic approach for performance evaluation of "
    "multi-class assignment systems, 2010",
    "hurley2014": "Hurley, Information theoretic evaluation of data processing systems, slides, 2014",
    "wolpert1995": "Wolpert & Wolf, Estimating functions of probability distributions from a finite set of samples, "
    "1995",
    "jelinek1977": "Jelinek, Mercer, Bahl & Baker, Perplexity: a measure of the difficulty of speech recognition "
    "tasks, 1977",
    "valverde2010": "Valverde-Albacete & Peláez-Moreno, Two information-theoretic tools to assess the performance of "
    "multi-class classifiers, 2010",
    "valverde2013": "Valverde-Albacete, Two tools for the performance analysis of multiclass classifiers, slides, 2013",
    "valverde2014": "Valverde-Albacete & Peláez-Moreno, 100% classification accuracy considered harmful: the "
    "normalized information transfer factor explains the accuracy paradox, 2014",
    "hu2008": "Hu & Wang, Evaluation criteria based on mutual information for classifications including rejected "
    "class, 2008",
    "white2004": "White, Steingold & Fournelle, Performance metrics for group-detection algorithms, 2004",
    "steingold2016": "Steingold & Laclavik, An information theoretic metric for multi-class categorization, 2016",
    "vinh2010": "Vinh, Epps, Bailey, Information theoretic measures for clusterings comparison, 2010",
    "rosenberg2007": "Rosenberg & Hirschberg, V-measure, 2007",
    "cohen1960": "Cohen, A coefficient of agreement for nominal scales, 1960",
    "cohen1968": "Cohen, Weighted kappa: nominal scale agreement with provision for scaled disagreement, 1968",
    "epstein1969": "Epstein, A scoring system for probability forecasts of ranked categories, 1969",
    "gorodkin2004": "Gorodkin, Comparing two K-category assignments by a K-category correlation coefficient, 2004",
    "pearson1900": "Pearson, On the criterion that a given system of deviations …, 1900",
    "cramer1946": "Cramér, Mathematical methods of statistics, 1946",
    "brier1950": "Brier, Verification of forecasts expressed in terms of probability, 1950",
    "fano1961": "Fano, Transmission of information, 1961",
    "hellman1970": "Hellman & Raviv, Probability of error, equivocation, and the Chernoff bound, 1970",
    "wilks1935": "Wilks, The likelihood test of independence in contingency tables, 1935",
    "hubert1985": "Hubert & Arabie, Comparing partitions, 1985",
    "bagga1998": "Bagga & Baldwin, Entity-based cross-document coreferencing using the vector space model, 1998",
    "fowlkes1983": "Fowlkes & Mallows, A method for comparing two hierarchical clusterings, 1983",
    "powers2011": "Powers, Evaluation: from precision, recall and F-measure to ROC, informedness, markedness, 2011",
    "deeks2004": "Deeks & Altman, Diagnostic tests 4: likelihood ratios, 2004",
    "wagner2007": "Wagner & Wagner, Comparing clusterings: an overview, 2007",
    "wallace1983": "Wallace, A method for comparing two hierarchical clusterings: comment, 1983",
    "meila2007": "Meilă, Comparing clusterings: an information based distance, 2007",
    "vandongen2000": "van Dongen, Performance criteria for graph clustering and Markov cluster experiments, 2000",
    "larsen1999": "Larsen & Aone, Fast and effective text mining using linear-time document clustering, 1999",
    "gwet2008": "Gwet, Computing inter-rater reliability and its variance in the presence of high agreement, 2008",
    "amigo2009": "Amigó, Gonzalo, Artiles, Verdejo, A comparison of extrinsic clustering evaluation metrics, 2009",
    "fleiss1971": "Fleiss, Measuring nominal scale agreement among many raters, 1971",
    "randolph2005": "Randolph, Free-marginal multirater kappa: an alternative to Fleiss' fixed-marginal kappa, 2005",
    "krippendorff2011": "Krippendorff, Computing Krippendorff's alpha-reliability, 2011",
    "bernardin2008": "Bernardin & Stiefelhagen, Evaluating multiple object tracking performance: CLEAR MOT, 2008",
    "ristani2016": "Ristani et al., Performance measures and a data set for multi-target, multi-camera tracking, 2016",
    "luiten2021": "Luiten et al., HOTA: a higher order metric for evaluating multi-object tracking, 2021",
    "common": "standard definition",
}

FAMILIES = (
    "agreement",
    "shannon",
    "association",
    "averages",
    "binary",
    "bounds",
    "costs",
    "coverage",
    "diagnostic",
    "pair_counting",
    "grouping",
    "losses",
    "normalized",
    "ordinal",
    "partitions",
    "per_cell",
    "per_class",
    "perplexity",
    "rejection",
    "triangle",
)
"""Families of metrics of a table in the order in which they are listed; others come last."""

_FAMILIES_OF_INFORMATION = frozenset({"shannon", "coverage", "perplexity", "triangle", "normalized", "bounds"})

Domain = Literal["table", "label_sets", "tracks", "annotations", "scores"]
Level = Literal["table", "truth", "system", "cell"]
Better = Literal["higher", "lower", "none"]
Unit = Literal["bits", "nats", "ratio", "classes", "count", "cost", "probability"]


class Law(Enum):
    """A promise that the tests try on random tables, for every metric that makes it."""

    SCALING = "multiplying all counts changes nothing"
    RELABELLING = "renaming the classes of either side changes nothing"
    JOINT_RELABELLING = "renaming the classes of both sides alike changes nothing"
    EXCHANGE = "exchanging truth and system changes nothing"
    PERFECT_IS_ONE = "a system that is always right scores exactly 1"
    PERFECT_IS_ZERO = "a system that is always right scores exactly 0"
    INDEPENDENCE_IS_ZERO = "an output that does not depend on the truth scores 0"
    MERGING_NEVER_GAINS = "merging two outputs never raises it"
    EMPTY_CLASS = "declaring a class without samples changes nothing"


_PERSONS = frozenset(
    {
        "Bayes",
        "Cohen",
        "Cramér",
        "Fano",
        "Fowlkes-Mallows",
        "Gwet",
        "Hellman-Raviv",
        "Hubert",
        "Jaccard",
        "Larsen",
        "Matthews",
        "Mirkin",
        "Rand",
        "Van",
        "Wallace",
    }
)
"""Names with which titles begin; they keep their capital letter within a sentence."""


@dataclass(frozen=True)
class Card(KeywordHints):
    """The facts of a metric."""

    title: str
    symbol: str
    formula: str
    source: str
    range: tuple[float, float] = (0.0, 1.0)
    better: Better = "higher"
    unit: Unit = "ratio"
    aliases: tuple[str, ...] = ()
    laws: frozenset[Law] = frozenset()
    undefined: str = "never"
    note: str = ""
    posterior: Literal["exact", "draws", "none"] = "draws"
    level: Level = "table"
    meaning: str = ""
    family: str = ""
    """The name of the module, unless it holds several families."""
    of_positive: bool = False
    """True if the number is about one of two classes, the positive one."""
    biased: bool = False
    """True if the sample's value is biased as information is, though neither unit nor family says so."""

    @property
    def is_information(self) -> bool:
        """True if the metric is made of entropies: few samples inflate it, so its corrected estimate is shown first.

        Every other metric shows the value of the sample.

        >>> [name for name in ("proficiency", "v_measure", "accuracy", "macro_f1") if catalogue[name].is_information]
        ['proficiency', 'v_measure']
        """
        return self.biased or self.unit in ("bits", "nats") or self.family in _FAMILIES_OF_INFORMATION

    @property
    def reference(self) -> str:
        """The publication the definition comes from."""
        return SOURCES[self.source]

    def titled(self, positive: object | None) -> str:
        """Return the title, with the class that the number is about where it is about one.

        >>> catalogue["precision"].titled("dog"), catalogue["accuracy"].titled("dog")
        ("Precision of 'dog'", 'Accuracy')
        """
        return self.title + self.of_class(positive)

    @property
    def title_in_sentence(self) -> str:
        """The title with a small letter first, unless it begins with an abbreviation or with somebody's name.

        >>> [catalogue[name].title_in_sentence for name in ("accuracy", "f1", "kappa", "random_accuracy")]
        ['accuracy', 'F1', "Cohen's kappa", 'random accuracy']
        """
        name = self.title.partition(" ")[0].removesuffix("'s")
        keeps = name in _PERSONS or not self.title[1:2].islower()
        return self.title if keeps else self.title[0].lower() + self.title[1:]

    def of_class(self, positive: object | None) -> str:
        """Return the class that the number is about, in words; nothing where it is about the whole table."""
        return f" of '{positive}'" if self.of_positive and positive is not None else ""


@dataclass(frozen=True)
class Metric:
    """A pure function of a table, or of the sums of label sets or tracks, with its card."""

    name: str
    score: Callable[[Any], Real]
    card: Card
    why: Callable[[Contingency], str] | None = None
    domain: Domain = "table"

    def reason(self, table: Contingency) -> str:
        """Why the value does not exist for this table."""
        return self.why(table) if self.why is not None else self.card.undefined


P = ParamSpec("P")
Score = TypeVar("Score", bound=Callable[..., Any])
_REGISTER: dict[str, Metric] = {}
_ALIASES: dict[str, list[str]] = {}
_SCIKIT_LEARN = {
    "adjusted mutual info score": "adjusted_mutual_information",
    "cohen kappa score": "kappa",
    "completeness score": "information_precision",
    "homogeneity score": "proficiency",
    "normalized mutual info score": "nmi_arithmetic",
    "rand score": "pair_rand_index",
    "recall weighted": "weighted_tpr",
    **{
        f"{name} score": name.replace(" ", "_")
        for name in ("accuracy", "balanced accuracy", "f1", "fowlkes mallows", "precision", "recall", "v measure")
    },
    **{f"{name} macro": f"macro_{name}" for name in ("f1", "jaccard", "precision", "recall")},
    **{f"{name} weighted": f"weighted_{name}" for name in ("f1", "jaccard")},
    **dict.fromkeys(("f1 micro", "precision micro", "recall micro"), "accuracy"),
}
"""Functions and scorers of scikit-learn that give the same number."""
_OTHERS: dict[Domain, dict[str, Metric]] = {"label_sets": {}, "tracks": {}, "annotations": {}, "scores": {}}
_HOMES: dict[Domain, str] = {
    "table": "infoscope.metrics",
    "label_sets": "infoscope.studies.multilabel_measures",
    "tracks": "infoscope.studies.tracking_measures",
    "annotations": "infoscope.studies.agreement_measures",
    "scores": "infoscope.studies.scores",
}
"""Modules whose metrics register themselves; they lie above this module, so they are named, not imported."""
_PLACES: dict[Domain, str] = {
    "scores": "scores, not of predicted classes: infoscope sweep --score COLUMN, in Python "
    "infoscope.operating_points.{name}(y_true, y_score)",
    "annotations": "annotators: infoscope agree, in Python infoscope.agreement",
    "label_sets": "label sets: infoscope multilabel, in Python infoscope.multilabel.evaluate",
    "tracks": "tracks: infoscope track, in Python infoscope.tracking.evaluate",
}
"""Functions that compute the metrics of the other domains."""


# ── calls with a table, or with the labels that it is counted from ───────────────────────────────
#
# ``proficiency(table)`` and ``proficiency(y_true, y_pred, sample_weight=w)`` are one function; the first way costs no
# more than a look at the type. ``callable_on_labels`` makes it so, for tables and for label sets (``LabelCounting``),
# and writes the signature and the docstring that ``help`` shows, from the card and from ``_PARAMETERS``.


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
            self._check_options(options, [first, second, "table", *self.own_options, *self.counting.options])
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


# ── registering ──────────────────────────────────────────────────────────────────────────────────


def metric(
    card: Card, *, why: Callable[[Contingency], str] | None = None
) -> Callable[[Callable[Concatenate[Contingency, P], Real]], TableMetric[P]]:
    """Register a function of a table with its card, and let it take labels."""
    return lambda score: register_callable(describe_metric(score, card, why), tables)


def class_metric(card: Card) -> Callable[[Callable[[Contingency], Real]], ClassMetric]:
    """Register a function with one number per class or per cell of a table, and let it take labels."""
    return lambda score: register_callable(describe_metric(score, card), tables)


def make_callable(score: Callable[Concatenate[Contingency, P], Real], card: Card) -> TableMetric[P]:
    """Let a function of a table take labels that is no metric of its own: it chooses among several by an option.

    The function is named with an underscore before the name under which its module has it.
    """
    entry = describe_metric(score, card)
    call: Any = callable_on_labels(replace(entry, name=entry.name.removeprefix("_")), score, tables)
    call.__name__ = call.__name__.removeprefix("_")
    return call


def register_callable(entry: Metric, counting: LabelCounting) -> Any:
    """File a metric that takes labels as well; the function is what its module shall hold."""
    call = callable_on_labels(entry, entry.score, counting)
    register(replace(entry, score=call))
    return call


def describe_metric(
    score: Callable[..., Any],
    card: Card,
    why: Callable[[Contingency], str] | None = None,
    domain: Domain = "table",
) -> Metric:
    """Make a metric of a function: the first sentence of its docstring is the card's meaning, its module the family."""
    meaning = (inspect.getdoc(score) or "").split("\n\n")[0].replace("\n", " ")
    family = card.family or score.__module__.rpartition(".")[2]
    return Metric(score.__name__, score, replace(card, meaning=meaning, family=family), why, domain)


def register(entry: Metric) -> Metric:
    """File a metric under its name and its aliases; the first of a name in its domain counts."""
    if entry.name.startswith("_"):  # one of several forms of a metric, which its module names and registers
        return entry
    if entry.domain != "table":
        _OTHERS[entry.domain].setdefault(entry.name, entry)
        return entry
    if entry.name in _REGISTER:
        raise ValueError(f"metric {entry.name} is registered twice")
    _REGISTER[entry.name] = entry
    for alias in entry.card.aliases:
        _ALIASES.setdefault(_fold(alias), []).append(entry.name)
    return entry


# ── finding ──────────────────────────────────────────────────────────────────────────────────────


_ALIKE = {ord("_"): " ", ord("-"): " ", ord("\N{PRIME}"): "'"}


def _fold(name: str) -> str:
    return " ".join(name.lower().translate(_ALIKE).split())


def _load(domain: Domain = "table") -> None:
    """Fill the register: metrics register themselves when their module is imported."""
    if _HOMES[domain] not in sys.modules:
        __import__(_HOMES[domain])


def check_name(name: object) -> None:
    """Reject a metric that is not given by its name, such as a function."""
    if not isinstance(name, str):
        raise InputError(f"a metric is given by its name, as 'proficiency'; got {getattr(name, '__name__', name)!r}")


def find(name: str) -> Metric:
    """Return the metric of this id or alias; an unknown or ambiguous name is rejected with the candidates."""
    check_name(name)
    if (entry := _find_of_table(name)) is not None:
        return entry
    folded, by_id = _fold(name), {_fold(metric_id): metric_id for metric_id in _REGISTER}
    for domain, place in _PLACES.items():
        for entry in all_metrics(domain):
            if folded in {_fold(word) for word in (entry.name, *entry.card.aliases)}:
                raise UnknownNameError(f"{name!r} is a metric of {place.format(name=entry.name)}")
    near = get_close_matches(folded, [*by_id, *_ALIASES, *_SCIKIT_LEARN], n=1)
    ids = {**{word: owners[0] for word, owners in _ALIASES.items()}, **_SCIKIT_LEARN, **by_id}
    hint = f"did you mean {ids[near[0]]!r}? " if near else ""
    raise UnknownNameError(f"there is no metric {name!r}; {hint}`infoscope explain` lists them all")


def _find_of_table(name: str) -> Metric | None:
    """Return the metric of tables of this id or alias, or None; other domains are not loaded for it."""
    _load()
    if name in _REGISTER:
        return _REGISTER[name]
    folded = _fold(name)
    owners = [metric_id for metric_id in _REGISTER if _fold(metric_id) == folded]
    owners = owners or ([_SCIKIT_LEARN[folded]] if folded in _SCIKIT_LEARN else _ALIASES.get(folded, []))
    if len(owners) > 1:
        meant = " or ".join(f"{owner} ({_REGISTER[owner].card.title_in_sentence})" for owner in owners)
        raise AmbiguousNameError(f"{name!r} could mean {meant}; say which")
    return _REGISTER[owners[0]] if owners else None


def all_metrics(domain: Domain = "table") -> tuple[Metric, ...]:
    """Return every metric of a domain, those of a table in the order of their families."""
    _load(domain)
    if domain != "table":
        return tuple(_OTHERS[domain].values())
    order = {family: place for place, family in enumerate(FAMILIES)}
    return tuple(sorted(_REGISTER.values(), key=lambda entry: order.get(entry.card.family, len(order))))


def every_metric() -> Iterator[Metric]:
    """Yield the metrics of all domains."""
    for domain in get_args(Domain):
        yield from all_metrics(domain)


def metrics_of(level: Level = "table", *, ordinal: bool = False, costs: bool = False) -> Iterator[Metric]:
    """Yield every metric of one level; those of ordered classes and of costs where they are wanted."""
    left_out = {name for name, is_wanted in (("ordinal", ordinal), ("costs", costs)) if not is_wanted}
    return (entry for entry in all_metrics() if entry.card.level == level and entry.card.family not in left_out)


def find_range(name: str) -> tuple[float, float]:
    """Return the ends between which every metric of this name lies, of tables, classes and the domains that are loaded.

    >>> find_range("accuracy"), find_range("mcc"), find_range("of another version")
    ((0.0, 1.0), (-1.0, 1.0), (-inf, inf))
    """
    _load()
    levels = [_REGISTER[level] for level in (name, f"class_{name}", f"output_{name}") if level in _REGISTER]
    ranges = [entry.card.range for entry in (*levels, *(of[name] for of in _OTHERS.values() if name in of))]
    return (min(low for low, _ in ranges), max(high for _, high in ranges)) if ranges else (-inf, inf)


class Catalogue(Mapping[str, Card]):
    """Cards by id; looking one up by an alias works too.

    >>> catalogue["truth information completeness"].title
    'Proficiency'
    """

    def __getitem__(self, name: str) -> Card:
        """Return the card of an id or alias."""
        return find(name).card

    def __iter__(self) -> Iterator[str]:
        """Iterate over all ids."""
        return iter([entry.name for entry in all_metrics()])

    def __len__(self) -> int:
        """Count the metrics."""
        _load()
        return len(_REGISTER)

    def __contains__(self, name: object) -> bool:
        """Return True if an id or alias names exactly one metric."""
        try:
            return _find_of_table(str(name)) is not None
        except AmbiguousNameError:
            return False


catalogue = Catalogue()


# ── independent variables of a metric (Hu & Wang, Definitions 4 and 5, Table 2) ─────────────────

_CELLS = (("TP", "FN", "U1"), ("FP", "TN", "U2"))
"""Counts of two classes with a rejection: the sizes of the classes are known, so four of them are independent."""
_ORDER = ("TP", "FN", "FP", "TN", "U1", "U2")
_PAIRS = ((1, 2), (0, 2), (0, 1))
"""The two columns that are left when one is taken out."""
_TRIED = np.array([[[41, 7, 5], [11, 29, 3]], [[90, 20, 10], [6, 33, 2]], [[8, 12, 30], [17, 5, 9]]])
"""Tables in which samples of a class move between columns; where a move matters, it does so at one of them."""
_MOVED = 4
_OF_CURVES = ("roc_auc", "average_precision")


class Scope(NamedTuple):
    """The counts of two classes of known sizes on which a metric depends: its independent variables."""

    variables: tuple[str, ...]
    """With rejections: none to four."""
    without_rejections: int
    """How many there are without rejections: none to two."""
    is_overall: bool = False
    """Whether all operating points count, as in the area under a curve."""

    def __str__(self) -> str:
        """In words; a metric of one table is partial, because it knows one operating point."""
        kind = "overall (all operating points)" if self.is_overall else "partial (one operating point)"
        if not self.variables:
            return f"{kind}; no independent variable of two classes: their sizes say all"
        number, few = len(self.variables), self.without_rejections
        more = f", with rejections {number}" if number != few else ""
        names = f": {', '.join(self.variables)}" if not self.is_overall else ""
        return f"{kind}; {few} independent variable{'s' * (few != 1)} of two classes{more}{names}"


@cache
def scope_of(name: str) -> Scope | None:
    """Return the independent variables of a metric, by moving samples; None if it has no table or needs costs.

    A class gives one variable if the metric depends on one of its counts only, and all that it has otherwise.

    >>> print(scope_of("precision"))
    partial (one operating point); 2 independent variables of two classes: TP, FP
    """
    if name in _OF_CURVES:
        return Scope(("TP", "TN"), 2, is_overall=True)
    if name not in catalogue:
        return None
    entry = find(name)
    if entry.card.level != "table" or entry.card.family in ("ordinal", "costs"):
        return None
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        with_rejections = [_find_variables(entry, row, _TRIED) for row in range(2)]
        without = [_find_variables(entry, row, _TRIED[:, :, :2]) for row in range(2)]
    found = {name for names in with_rejections for name in names}
    return Scope(tuple(filter(found.__contains__, _ORDER)), sum(map(len, without)))


def _find_variables(entry: Metric, row: int, tables: NDArray[np.int64]) -> tuple[str, ...]:
    """Return the counts of one class on which a metric depends, the right and the rejected ones where all do."""
    names = _CELLS[row]
    if tables.shape[2] == 2:
        return (names[row],) if _is_moved(entry, row, (0, 1), tables) else ()
    moved = [_is_moved(entry, row, pair, tables) for pair in _PAIRS]
    if not any(moved):
        return ()
    return (names[row], names[2]) if all(moved) else (names[moved.index(False)],)


def _is_moved(entry: Metric, row: int, pair: tuple[int, int], tables: NDArray[np.int64]) -> bool:
    """Return whether a metric changes when samples of a class go from one column to another."""
    labels: dict[str, Any] = {"truth": ("positive", "negative"), "positive": "positive"}
    labels["system"] = ("positive", "negative", "rejected")[: tables.shape[2]]
    labels["reject"] = "rejected" if tables.shape[2] > 2 else None
    after = tables.copy()
    after[:, row, pair[0]] -= _MOVED
    after[:, row, pair[1]] += _MOVED
    before, changed = (
        [float(entry.score(Contingency.from_matrix(counts, **labels))) for counts in each] for each in (tables, after)
    )
    return bool(np.any(np.abs(np.subtract(changed, before)) > 1e-12))
