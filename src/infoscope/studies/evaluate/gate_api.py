"""The public function ``gate``: evaluate, then check conditions and an earlier system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any, Literal, Unpack, cast

from infoscope.errors import InputError, check_keywords
from infoscope.readers import ReadOptions
from infoscope.readers.guess_columns import as_names, named_columns
from infoscope.studies.compare import compare
from infoscope.studies.compare.api import CompareKeywords
from infoscope.studies.compare.result import Comparison
from infoscope.studies.evaluate.api import EvaluateKeywords, evaluate
from infoscope.studies.evaluate.baseline import Baseline, choose_metrics, defined_metrics
from infoscope.studies.evaluate.conditions import Condition, Side
from infoscope.studies.evaluate.gate import Gate, judge
from infoscope.studies.evaluate.history import history_checks
from infoscope.studies.evaluate.result import Evaluation
from infoscope.studies.history import ALLOWED_MISSING
from infoscope.studies.inputs import UncertaintyOptions, labels_by_system, tables_by_system
from infoscope.studies.judge import Judged
from infoscope.tables import Contingency
from infoscope.typing import LabelsByName, Source, StrPath

__all__ = ["GateKeywords", "gate"]

Limits = Mapping[str, float] | Sequence[str]


class GateKeywords(EvaluateKeywords, total=False):
    """What ``gate`` may be asked beyond its source."""

    min: Limits
    max: Limits
    baseline: Any
    baseline_system: str | None
    metrics: str | Sequence[str] | None
    tolerance: float
    not_worse: bool
    inconclusive: Literal["fail", "pass", "warn"]
    history: StrPath | None
    allow_missing: float


_OWN = frozenset(GateKeywords.__annotations__) - frozenset(EvaluateKeywords.__annotations__)


def gate(
    source: Source | Judged,
    y_pred: LabelsByName | None = None,
    *,
    truth: str | None = None,
    system: str | Sequence[str] | None = None,
    read: ReadOptions | None = None,
    **options: Unpack[GateKeywords],
) -> Gate:
    """Whether systems are good enough, and not worse than an earlier one: ``passed``, ``failed`` or ``inconclusive``.

    The source is given as for ``evaluate``. ``min`` and ``max`` map a metric, or a part as ``proficiency.low``, to
    its limit; ``recall[spam]`` is that of one class, and ``min_class_recall`` that of the worst. ``baseline`` is what
    the systems must not be worse than by more than ``tolerance`` in each of ``metrics`` (proficiency, and MCC, which
    wrong names of the classes change; kappa where a system that predicts one class only has no MCC): the baseline's
    labels beside ``(y_true, y_pred)``, an ``Evaluation``, its JSON file, rows of the same columns, or a table.
    ``baseline_system`` names its column in the same rows, or which system of ``baseline`` it is.
    Where the true labels are the same row by row the two are compared in pairs, otherwise by their two posteriors.

    A system that looks worse fails where the whole interval of the difference is worse, and is inconclusive where some
    of it is not; ``not_worse`` demands that none of it is worse. ``inconclusive`` says what that counts as: "warn" is
    an outcome of its own. ``history`` is a folder of stored evaluations: a run that is worse than their spread lets
    expect fails, see ``infoscope.history``. Whatever the conditions, a system fails whose predictions have other names
    than the true classes, unless ``task="clustering"``, or lack for more than ``allow_missing`` of the rows.

    >>> truth = ["cat", "dog"] * 100
    >>> poor = ["cat", "cat", "dog", "dog"] * 50
    >>> result = gate(truth, poor, baseline=truth)
    >>> result.outcome, result.checks[0].difference.paired
    ('failed', True)
    """
    check_keywords(options, GateKeywords)
    truth, system = named_columns(source, y_pred, (truth, system), read, options)
    conditions = [*_limits("min", options.get("min", ())), *_limits("max", options.get("max", ()))]
    asked = cast(EvaluateKeywords, {name: value for name, value in options.items() if name not in _OWN})
    asked.setdefault("keep_rows", True)
    given = _Source(source, y_pred, truth, system, read, asked)
    old, name = options.get("baseline"), options.get("baseline_system")
    leniency = options.get("inconclusive", "warn")
    if leniency not in ("fail", "pass", "warn"):
        raise InputError(f"inconclusive is {leniency!r}; it is 'fail', 'pass' or 'warn'")
    is_clustering = options.get("task") == "clustering"
    metrics = as_names(options.get("metrics")) or (("proficiency",) if is_clustering else ())
    runs = options.get("history")
    missing = options.get("allow_missing", ALLOWED_MISSING)
    if not 0 <= missing <= 1:
        raise InputError(f"allow_missing is {missing!r}; it is a fraction of the rows, between 0 and 1")

    def judged(now: Evaluation, before: Baseline | None) -> Gate:
        watched = as_names(options.get("metrics")) or ("proficiency",)
        past = () if runs is None else history_checks(now, runs, watched)
        return judge(now, conditions, before, leniency, past, missing)

    if old is None and name is None:
        _reject_without_baseline(options)
        return judged(given.evaluated(), None)
    how: dict[str, Any] = {
        "metrics": metrics,
        "tolerance": options.get("tolerance", 0.0),
        "proven": options.get("not_worse", False),
        "uncertainty": UncertaintyOptions.from_keywords(options),
        "prevalence": options.get("prevalence"),
    }
    return judged(*given.with_baseline(old, name, how))


def _limits(side: Side, limits: Limits) -> list[Condition]:
    words = [f"{name}={limit}" for name, limit in limits.items()] if isinstance(limits, Mapping) else limits
    return [Condition.asked(side, text) for text in ([words] if isinstance(words, str) else words)]


def _reject_without_baseline(options: GateKeywords) -> None:
    for option in ("not_worse", "metrics", "tolerance"):
        if options.get(option) and not (option == "metrics" and options.get("history")):
            raise InputError(f"{option}= is about a baseline; name one with baseline= or baseline_system=")


class _Source:
    """What is evaluated, and the ways in which a baseline may stand beside it."""

    def __init__(
        self, source: Any, y_pred: Any, truth: Any, system: Any, read: ReadOptions | None, asked: EvaluateKeywords
    ) -> None:
        self.source, self.y_pred, self.truth, self.system = source, y_pred, truth, system
        self.read, self.asked = read, asked

    def evaluated(self, system: Any = None, *, source: Any = None, y_pred: Any = None) -> Evaluation:
        """The evaluation of the source, or of another in its place."""
        return evaluate(
            self.source if source is None else source,
            self.y_pred if y_pred is None else y_pred,
            truth=self.truth,
            system=self.system if system is None else system,
            read=self.read,
            **self.asked,
        )

    def with_baseline(self, old: object, name: str | None, how: dict[str, Any]) -> tuple[Evaluation, Baseline]:
        """The systems, and what they are compared with."""
        if isinstance(old, Evaluation):
            return self.evaluated(), Baseline(old, system=name, **how)
        if isinstance(old, (str, PathLike)) and (document := _stored_result(Path(old))) is not None:
            loaded = Baseline.load(document, str(old), system=name, **how)
            return self.evaluated(), loaded
        if self.y_pred is not None:
            return self._beside_labels(old, name, how)
        if old is None:
            return self._same_rows(str(name), how)
        if tables_by_system(self.source) is not None and not isinstance(old, (Contingency, Mapping)):
            raise InputError(
                "a table is compared with a table, tables by name, or a stored evaluation; give one of them"
            )
        before = self.evaluated(name, source=old)
        title = f"{old}" if isinstance(old, (str, PathLike)) else "the baseline"
        return self.evaluated(), Baseline(before, name=title, system=name, **how)

    def _beside_labels(self, old: Any, name: str | None, how: dict[str, Any]) -> tuple[Evaluation, Baseline]:
        systems = labels_by_system(self.y_pred)
        title = name or "baseline"
        if old is None or title in systems:
            raise InputError(
                "beside labels, baseline= takes the predictions of the baseline, and no system of y_pred may be called "
                f"{title!r}"
            )
        both = {**systems, title: old}
        return self._parted(self.evaluated(y_pred=both), title, how, both)

    def _same_rows(self, name: str, how: dict[str, Any]) -> tuple[Evaluation, Baseline]:
        systems = as_names(self.system)
        if tables_by_system(self.source) is not None or not systems:
            raise InputError(
                "baseline_system names a column beside truth= and system=; tables have none: give baseline="
            )
        if name in systems:
            raise InputError(f"{name!r} is the system and the baseline; name another column for one of them")
        return self._parted(self.evaluated([*systems, name]), name, how, [*systems, name])

    def _parted(self, whole: Evaluation, name: str, how: dict[str, Any], both: Any) -> tuple[Evaluation, Baseline]:
        """One evaluation of both, taken apart; where it could not keep its rows they are read once more in pairs."""
        ours, theirs = (
            replace(whole, systems=tuple(x for x in whole.systems if (x.name == name) is old)) for old in (False, True)
        )
        comparison = None
        if self.asked.get("by") or self.asked.get("task") == "clustering":
            return ours, Baseline(theirs, name=f"column {name!r}", system=name, **how)
        metrics = defined_metrics(how["metrics"] or choose_metrics(whole.systems), whole.systems)
        if metrics and (whole.row_labels is None or self.asked.get("groups") is not None):
            comparison = self._compared(both, metrics)
        return ours, Baseline(theirs, name=f"column {name!r}", system=name, comparison=comparison, **how)

    def _compared(self, both: Any, metrics: Sequence[str]) -> Comparison:
        """The systems and the baseline in pairs, from their columns or labels."""
        labels = isinstance(both, Mapping)
        shared: Any = {name: value for name, value in self.asked.items() if name in CompareKeywords.__annotations__}
        shared["metrics"] = metrics
        return compare(
            self.source,
            both if labels else None,
            truth=None if labels else self.truth,
            system=None if labels else both,
            read=self.read,
            **shared,
        )


def _stored_result(path: Path) -> str | None:
    """The text of a stored result, read once because a pipe gives it once; None for a file of rows."""
    if path.suffix.lower() not in (".json", ""):
        return None
    text = _text(path)
    return None if text.lstrip().startswith("[") else text


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise InputError(
            f"the baseline {path} cannot be read; write it with `infoscope evaluate … -o {path.name}`"
        ) from None
