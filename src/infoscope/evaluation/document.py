"""Evaluation: the result document, holding every number that will be shown, to JSON and back."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from infoscope.cards import is_of_positive
from infoscope.diagnosis.finding import Finding
from infoscope.errors import InputError
from infoscope.evaluation.intervals import Interval
from infoscope.evaluation.schema import DOCUMENT
from infoscope.evaluation.values import Value
from infoscope.records import Fields, checked
from infoscope.tables import Contingency
from infoscope.tables.hashing import data_hash
from infoscope.tables.missing import left_out

__all__ = ["SCHEMA", "ClassResult", "Evaluation", "Leak", "PairResult", "Source", "SystemResult", "renderer", "renders"]

SCHEMA = "infoscope/evaluation/1"

Renderer = Callable[..., Any]
_RENDERERS: dict[str, Renderer] = {}


def renders(form: str) -> Callable[[Renderer], Renderer]:
    """File a function as the renderer of a form; reports do this when they are loaded."""

    def file(renderer: Renderer) -> Renderer:
        _RENDERERS[form] = renderer
        return renderer

    return file


@dataclass(frozen=True)
class ClassResult:
    """One class of one side with its numbers."""

    label: str
    values: Mapping[str, Value]

    def to_dict(self) -> dict[str, Any]:
        """The label beside the numbers."""
        return {"label": self.label, **{name: value.compact() for name, value in self.values.items()}}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> ClassResult:
        """The record that ``to_dict`` wrote."""
        return cls(record["label"], {name: Value.from_json(value) for name, value in record.items() if name != "label"})


@dataclass(frozen=True)
class Leak:
    """One cell, and the part of missed and false information that it causes."""

    truth: str
    system: str
    count: float
    missed_bits: float
    false_bits: float


@dataclass(frozen=True)
class PairResult:
    """Two classes taken for each other, and the proficiency gained if they never were."""

    classes: tuple[str, str]
    count: float
    gain: float


@dataclass(frozen=True)
class Source:
    """Where the tables came from, and what happened to the rows."""

    name: str | None = None
    rows: int | None = None
    ignored: Mapping[str, int] = field(default_factory=dict)
    until: Mapping[str, Any] | None = None
    """How much was read and why, where reading stopped at a goal."""

    def to_dict(self) -> dict[str, Any]:
        """The name only where there is one."""
        ignored = [{"reason": reason, "rows": rows} for reason, rows in self.ignored.items()]
        named = {} if self.name is None else {"name": self.name}
        stopped = {} if self.until is None else {"until": dict(self.until)}
        return {**named, "rows": self.rows, "ignored": ignored, **stopped}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Source:
        """The record that ``to_dict`` wrote."""
        ignored = {item["reason"]: item["rows"] for item in record.get("ignored", ())}
        return cls(record.get("name"), record.get("rows"), ignored, record.get("until"))


@dataclass(frozen=True)
class SystemResult:
    """Everything about one system (in one group)."""

    name: str
    n: float | None
    """Sample size, the effective one for weighted samples; None where it is not known."""
    truth_labels: tuple[str, ...]
    system_labels: tuple[str, ...]
    reject: str | None
    positive: str | None
    """The class that the binary metrics are about; None unless there are two truth classes."""
    group: Mapping[str, str] | None
    metrics: Mapping[str, Value]
    classes: tuple[ClassResult, ...]
    outputs: tuple[ClassResult, ...]
    leaks: tuple[Leak, ...]
    confusions: tuple[PairResult, ...]
    diagnosis: tuple[Finding, ...]
    interval: Interval | None = None
    clusters: Mapping[str, Any] | None = None
    """Groups found, split and merged, where the answers are clusters."""
    table: Contingency | None = field(default=None, compare=False, repr=False)
    """What was evaluated; not part of the document, so None after reading one."""
    recorded_hash: str | None = field(default=None, compare=False, repr=False)
    """The hash that a document names, where the result was read from one."""

    @cached_property
    def data_hash(self) -> str | None:
        """A name for the table: the same labels and counts have the same hash, however they were stored."""
        return self.recorded_hash if self.table is None else data_hash(self.table)

    @property
    def title(self) -> str:
        """The name, with the group where there is one."""
        if not self.group:
            return self.name
        return f"{self.name} ({', '.join(f'{key} {value}' for key, value in self.group.items())})"

    def number(self, metric: str) -> float | None:
        """The plug-in value of a metric; None where it is undefined or unknown."""
        value = self.metrics.get(metric)
        return None if value is None else value.value

    def to_dict(self) -> dict[str, Any]:
        """As the contract has it; ``group`` only where rows were split."""
        grouped = {} if self.group is None else {"group": dict(self.group)}
        made = {} if self.interval is None else {"interval": self.interval.to_dict()}
        hashed = {} if self.data_hash is None else {"data_hash": self.data_hash}
        return {
            "name": self.name,
            **grouped,
            "n": self.n,
            "truth_labels": list(self.truth_labels),
            "system_labels": list(self.system_labels),
            "reject": self.reject,
            "positive": self.positive,
            **hashed,
            **made,
            "metrics": {name: self._metric_record(name, value) for name, value in self.metrics.items()},
            "classes": [item.to_dict() for item in self.classes],
            "outputs": [item.to_dict() for item in self.outputs],
            "leaks": [vars(leak).copy() for leak in self.leaks],
            "confusions": [
                {"classes": list(pair.classes), "count": pair.count, "gain": pair.gain} for pair in self.confusions
            ],
            "diagnosis": [item.to_dict() for item in self.diagnosis],
            **({} if self.clusters is None else {"clusters": dict(self.clusters)}),
        }

    def _metric_record(self, name: str, value: Value) -> dict[str, Any]:
        """The number, with the class that it is about where it is about one."""
        about = {"positive": self.positive} if self.positive is not None and is_of_positive(name) else {}
        return {**value.to_dict(), **about}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> SystemResult:
        """The record that ``to_dict`` wrote."""
        return cls(
            name=record["name"],
            n=record["n"],
            truth_labels=tuple(record["truth_labels"]),
            system_labels=tuple(record["system_labels"]),
            reject=record.get("reject"),
            positive=record.get("positive"),
            group=record.get("group"),
            metrics={name: Value.from_json(_without_class(value)) for name, value in record["metrics"].items()},
            classes=tuple(map(ClassResult.from_dict, record.get("classes", ()))),
            outputs=tuple(map(ClassResult.from_dict, record.get("outputs", ()))),
            leaks=tuple(Leak(**leak) for leak in record.get("leaks", ())),
            confusions=tuple(
                PairResult((pair["classes"][0], pair["classes"][1]), pair["count"], pair["gain"])
                for pair in record.get("confusions", ())
            ),
            diagnosis=tuple(Finding(**item) for item in record.get("diagnosis", ())),
            interval=Interval.from_dict(record.get("interval")),
            clusters=record.get("clusters"),
            recorded_hash=record.get("data_hash"),
        )


def _without_class(record: Any) -> Any:
    """A metric's record without the name of its class, which the system has once for all."""
    return {key: part for key, part in record.items() if key != "positive"} if isinstance(record, dict) else record


@dataclass(frozen=True, repr=False)
class Evaluation:
    """The result document of one or several systems on one truth."""

    source: Source
    systems: tuple[SystemResult, ...]
    comparison: Mapping[str, Any] | None = None

    def __iter__(self) -> Iterator[SystemResult]:
        """System by system."""
        return iter(self.systems)

    def __getitem__(self, name: str) -> SystemResult:
        """The first system of this name."""
        for system in self.systems:
            if name in (system.name, system.title):
                return system
        raise KeyError(name)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What a reader should know of the rows: those that were left out, and why."""
        return tuple(
            Finding("rows_left_out", f"{left_out(rows, reason)}.", {"rows": rows, "reason": reason})
            for reason, rows in self.source.ignored.items()
        )

    @property
    def ranking(self) -> Sequence[SystemResult]:
        """Systems by captured share of the truth, the best first; undefined ones last."""
        return sorted(
            self.systems, key=lambda system: -1.0 if (p := system.number("proficiency")) is None else p, reverse=True
        )

    def to_dict(self) -> dict[str, Any]:
        """The versioned document, as plain data."""
        compared = {} if self.comparison is None else {"comparison": dict(self.comparison)}
        return {
            "schema": SCHEMA,
            "source": self.source.to_dict(),
            **({"findings": [item.to_dict() for item in self.findings]} if self.findings else {}),
            "systems": [system.to_dict() for system in self.systems],
            **compared,
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Evaluation:
        """The evaluation that a document describes."""
        checked(record, Fields(open=True), "the document")
        if record.get("schema") != SCHEMA:
            raise InputError(
                f"the document has the schema {record.get('schema')!r}, and {SCHEMA!r} is required; "
                "was it written by `infoscope evaluate --format json`?"
            )
        checked(record, DOCUMENT, "the document")
        try:
            systems = tuple(map(SystemResult.from_dict, record["systems"]))
        except (TypeError, LookupError) as error:  # in parts that only reports look at
            raise InputError(f"the document is not a whole evaluation ({error}); write it again") from None
        return cls(Source.from_dict(record["source"]), systems, record.get("comparison"))

    def to_json(self, *, indent: int | None = 2) -> str:
        """The versioned document as JSON; ratios and bits as on the cards, whatever is shown elsewhere."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=indent, allow_nan=False)

    def to_markdown(self, *, unit: str = "bits") -> str:
        """For a merge request, an issue or a wiki."""
        return str(renderer("markdown")(self, unit=unit))

    def to_text(self, *, width: int = 100, unit: str = "bits") -> str:
        """As a terminal shows it, without colour."""
        return str(renderer("text")(self, width=width, unit=unit))

    def to_html(self, path: str | Path, *, unit: str = "bits", force: bool = False) -> Path:
        """Write the report as one page that opens offline; a file that is no such page is replaced only by force."""
        written: Path = renderer("html file")(self, path, unit=unit, force=force)
        return written

    def _repr_html_(self) -> str:
        """As a notebook shows it: words, a picture and a table."""
        return str(renderer("notebook")(self))

    def to_frame(self) -> Any:
        """One row a system, one column a metric, as a pandas or polars data frame, whichever is installed.

        What is believed about a metric stands beside it, as in ``proficiency.low`` and ``proficiency.high``.
        """
        rows = [
            {"system": system.name, **(system.group or {}), "n": system.n}
            | {key: number for name, value in system.metrics.items() for key, number in value.columns(name)}
            for system in self.systems
        ]
        try:
            from pandas import DataFrame  # noqa: PLC0415 - optional
        except ImportError:
            try:
                from polars import DataFrame  # noqa: PLC0415 - optional
            except ImportError:
                raise InputError("a data frame needs pandas or polars; install one of them, or use to_dict()") from None
        return DataFrame(rows)

    def __repr__(self) -> str:
        """The best systems in a line each."""
        lines = [f"Evaluation of {len(self.systems)} system{'s' if len(self.systems) != 1 else ''}"]
        for system in self.ranking[:10]:
            share = system.number("proficiency")
            told = "undefined" if share is None else f"{share:.1%} of the truth's information captured"
            lines.append(f"  {system.title}: {told}")
        lines += [f"  {finding.text}" for finding in self.findings]
        return "\n".join(lines)


def renderer(form: str) -> Renderer:
    """The function that renders a form; reports are loaded first."""
    if form not in _RENDERERS:
        importlib.import_module("infoscope").load_renderers()  # the package loads its reports: the only step upwards
    return _RENDERERS[form]
