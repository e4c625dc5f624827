"""The base of every result: documents, frames, text, pages and files, and how a saved result is loaded.

A study's result is a frozen dataclass below ``Result``, with its kind in ``KINDS``; its fields are the document. How it
looks is said by ``infoscope/reports/views``, which is asked for by name.
"""

from __future__ import annotations

import importlib
import json
import typing
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, Protocol, Self, TypeVar, overload

from infoscope.core.files import output_file, write_file, write_page
from infoscope.core.records import parse_json, report_contradictions
from infoscope.core.validation import KeywordHints, validated
from infoscope.errors import InputError, UnknownNameError, suggest_name
from infoscope.results.codec import decode, encode, json_schema
from infoscope.results.estimate import Estimate
from infoscope.results.finding import Finding
from infoscope.results.frame import Backend, Record, build_frame, format_csv, make_tidy, make_wide, write_parquet
from infoscope.results.provenance import Provenance
from infoscope.results.system import find_system
from infoscope.typing import Axes, DataFrame, Json, StrPath

if TYPE_CHECKING:
    from infoscope.figures.display import Display


Unit = Literal["bits", "nats"]
Form = Literal["text", "markdown", "html", "json", "csv", "parquet"]

_FORMS: dict[str, Form] = {
    ".json": "json",
    ".md": "markdown",
    ".markdown": "markdown",
    ".html": "html",
    ".htm": "html",
    ".txt": "text",
    ".csv": "csv",
    ".parquet": "parquet",
}


def get_form(path: StrPath) -> Form | None:
    """Return the form that a file's suffix asks for; None for a suffix that asks for none."""
    return _FORMS.get(Path(path).suffix.lower())


class Result(KeywordHints, ABC):
    """The result of a study: every number that will be shown, and nothing that draws.

    Subclasses are frozen dataclasses with the fields ``provenance`` and ``findings``. They say what their tidy rows
    are; ``infoscope/reports/views`` says, for each kind, what is shown.
    """

    kind: ClassVar[str]
    version: ClassVar[int] = 2
    provenance: Provenance
    findings: tuple[Finding, ...]
    roles: ClassVar[Mapping[str, str]] = {"system": "system"}
    """Column of the tidy rows that a column of a record is."""
    _source: ClassVar[StrPath | None] = None
    """The file that a result was read from, on the object itself."""

    @classmethod
    def schema(cls) -> str:
        """Return the name of the document's schema, as ``infoscope/evaluation/2``."""
        return f"infoscope/{cls.kind}/{cls.version}"

    @classmethod
    def json_schema(cls) -> dict[str, Json]:
        """Return the JSON Schema of the documents that ``to_dict`` writes."""
        return json_schema(cls, f"infoscope {cls.kind}", schema=cls.schema())

    def to_dict(self) -> dict[str, Json]:
        """Return the versioned document as plain data."""
        return {"schema": self.schema(), **encode(self)}

    def page_document(self) -> dict[str, Json]:
        """Return the document that a page offers for download: all of it, unless a kind has more than it shows."""
        return self.to_dict()

    @classmethod
    def from_dict(cls, record: Mapping[str, Json]) -> Self:
        """Return the result that a document describes."""
        schema = record.get("schema") if isinstance(record, Mapping) else None
        if schema != cls.schema():
            raise InputError(
                f"the document has the schema {schema!r}, and {cls.schema()!r} is required; "
                "infoscope.load() reads a result of any kind"
            )
        return decode(cls, {name: part for name, part in record.items() if name != "schema"}, "the document")

    def to_json(self, *, indent: int | None = 2) -> str:
        """Return the document as JSON; information is always in bits."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=indent, allow_nan=False)

    def complete(self) -> Self:
        """Return the result with every number that a report shows; a kind whose last step takes long finds it here."""
        return self

    def __getitem__(self, name: str) -> Any:
        """Return one system of the result by its name; an error for a result that is not about systems."""
        raise UnknownNameError(
            f"a result of the kind {self.kind!r} has no systems to ask for by name; its numbers are attributes, and "
            "the rows of to_frame()"
        )

    __iter__: Any = None  # what has items by name alone is no sequence

    @abstractmethod
    def records(self) -> Iterator[Record]:
        """Yield a record per system, pair, class or point: its keys and words, and an estimate for each number."""

    def rows(self) -> Iterator[Mapping[str, Json]]:
        """Yield the records as wide rows, with a column for each number: the content of ``to_frame(wide=True)``."""
        return map(make_wide, self.records())

    def tidy_rows(self) -> Iterator[Mapping[str, Json]]:
        """Yield the numbers as tidy rows, one for each: the content of ``to_frame``."""
        for record in self.records():
            yield from make_tidy(record, {}, self.roles)

    def to_frame(self, backend: Backend | None = None, *, wide: bool = False) -> DataFrame:
        """Return the numbers as a data frame with one row for each, or one column for each.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            The library of the frame; by default the first of them that is installed.
        wide : bool, default False
            Whether each number is a column, and the rows are systems, pairs, classes or points.

        Returns
        -------
        DataFrame
            The tidy columns system, group, class, metric, value, low, high, sample_value and undefined, with what a
            kind of result has more behind them; a cell is empty where a column does not apply. ``value`` is the number
            that reports show, ``sample_value`` that of the sample where the one shown is corrected, and ``undefined``
            says why there is none. An evaluation for which metrics were named has these alone.

        Raises
        ------
        InputError
            If the library is not installed, or none is.

        Examples
        --------
        >>> from infoscope import evaluate
        >>> result = evaluate(["cat", "dog"] * 20, ["cat", "dog"] * 19 + ["dog", "dog"], metrics=["accuracy", "mcc"])
        >>> frame = result.to_frame("pandas")
        >>> frame[["system", "metric", "value"]].round(3).values.tolist()
        [['system', 'accuracy', 0.975], ['system', 'mcc', 0.951]]
        """
        with report_contradictions(self._source):
            return build_frame(self.rows() if wide else self.tidy_rows(), backend)

    def to_text(self, *, width: int = 100, unit: Unit = "bits", full: bool = False) -> str:
        """Return the report as a terminal shows it, without colour; ``full`` adds what is folded on a page, as -v."""
        if not hasattr(width, "__index__"):
            raise InputError(f"width is {width!r}; give a whole number of characters")
        return self._render("text", width=width, unit=unit, max_rows=0 if full else 8)

    def to_markdown(self, *, unit: Unit = "bits", full: bool = False) -> str:
        """Return the report as Markdown, for a merge request, an issue or a wiki; ``full`` adds what is folded."""
        return self._render("markdown", unit=unit, max_rows=0 if full else 8)

    @overload
    def to_html(self, path: None = None, *, unit: Unit = "bits", force: bool = False) -> str: ...
    @overload
    def to_html(self, path: StrPath, *, unit: Unit = "bits", force: bool = False) -> Path: ...
    def to_html(self, path: StrPath | None = None, *, unit: Unit = "bits", force: bool = False) -> str | Path:
        """Return the report as one page that opens offline: its text, or the file that it was written to.

        A file that is not such a page is replaced only with ``force``.
        """
        page = self._render("html", unit=unit)
        return page if path is None else write_page(path, page, force=force)

    def save(self, path: StrPath, *, force: bool = False) -> Path:
        """Write the result in the form that the suffix names: .json, .md, .html, .txt, .csv or .parquet.

        The rows of .csv and .parquet are the tidy ones of ``to_frame``.

        A file that exists is replaced only if it is a page of infoscope and the new one is, too, or with ``force``.
        """
        form = get_form(path)
        if form is None:
            raise InputError(f"{path} has no suffix that names a form; use one of {', '.join(dict.fromkeys(_FORMS))}")
        if form == "html":
            return self.to_html(path, force=force)
        if form == "parquet":
            with output_file(path, replace=force) as file, report_contradictions(self._source):
                write_parquet(self.tidy_rows(), file)
            return Path(path)
        if form == "json":
            text = self.to_json() + "\n"
        elif form == "csv":
            with report_contradictions(self._source):
                text = format_csv(self.tidy_rows())
        else:
            text = self._render(form)
        write_file(path, text, replace=force)
        return Path(path)

    def plot(self, which: str | None = None, *, ax: Axes | None = None) -> Display:
        """Draw a picture of the result on matplotlib axes; an unknown ``which`` is an error that lists them."""
        with report_contradictions(self._source):
            display: Display = _import_reports().picture(self, which)
        with report_contradictions(self._source if ax is None else None):  # axes of the caller may be none
            return display.plot(ax)

    def _repr_html_(self) -> str:
        """Return the report as a notebook shows it."""
        return self._render("notebook")

    def __repr__(self) -> str:
        """Return the headline and the first findings, in at most five lines."""
        return self._render("repr")

    def _render(self, form: str, **look: Any) -> str:
        with report_contradictions(self._source):
            return str(_import_reports().render(self, form, **look))


def _import_reports() -> ModuleType:
    """Import the reports, the one step upwards: they know how results of each kind look."""
    return importlib.import_module("infoscope.reports")


class EstimatedSystem(Protocol):
    """One system of a result: its name, its sample size and its metrics."""

    @property
    def name(self) -> str:
        """Name of the system."""

    @property
    def n(self) -> float | None:
        """Samples that it was evaluated on."""

    @property
    def metrics(self) -> Mapping[str, Estimate]:
        """Every metric by its id."""

    @property
    def diagnosis(self) -> tuple[Finding, ...]:
        """Findings about this system."""


System = TypeVar("System", bound=EstimatedSystem)


class SystemsResult(Result, Generic[System]):
    """A result of several systems; its findings are those about the data, and then those of each system."""

    systems: tuple[System, ...]

    def __post_init__(self) -> None:
        """Put the findings of each system behind those about the data, with the system's name."""
        of_systems = [
            (getattr(system, "title", system.name), finding) for system in self.systems for finding in system.diagnosis
        ]
        known = [finding for _, finding in of_systems]  # an older document has copies without a name
        own = [finding for finding in self.findings if not finding.system and finding not in known]
        named = (replace(finding, system=title) for title, finding in of_systems)
        object.__setattr__(self, "findings", (*own, *named))

    def to_dict(self) -> dict[str, Json]:
        """Return the versioned document; findings of systems are in their diagnosis."""
        own = [encode(finding) for finding in self.findings if not finding.system]
        return super().to_dict() | {"findings": own}

    def __iter__(self) -> Iterator[System]:
        """Iterate over the systems."""
        return iter(self.systems)

    def __getitem__(self, name: str) -> System:
        """Return the first system of this name or title."""
        return find_system(self.systems, name)

    def records(self) -> Iterator[Record]:
        """Yield one record per system."""
        for system in self.systems:
            yield {"system": system.name, "n": system.n, **system.metrics}


# Results of any kind --------------------------------------------------------------------------------------------------

KINDS = {
    "agreement": "infoscope.studies.agreement:Agreement",
    "calibration": "infoscope.studies.calibration:Calibration",
    "class-thresholds": "infoscope.studies.rejection:ClassThresholds",
    "comparison": "infoscope.studies.compare:Comparison",
    "cross-validation": "infoscope.studies.cross_validate:CrossValidation",
    "drift": "infoscope.studies.drift:Drift",
    "evaluation": "infoscope.studies.evaluation:Evaluation",
    "gate": "infoscope.studies.gate:Gate",
    "history": "infoscope.studies.history:History",
    "label-plan": "infoscope.studies.labels:LabelPlan",
    "labelled-estimate": "infoscope.studies.labels:LabelledEstimate",
    "latent-truth": "infoscope.studies.latent:LatentTruth",
    "multilabel": "infoscope.studies.multilabel:MultilabelEvaluation",
    "relations": "infoscope.studies.relate:Relations",
    "score-groups": "infoscope.studies.score_groups:ScoreGroups",
    "sweep": "infoscope.studies.sweep:Sweep",
    "tracking": "infoscope.studies.tracking_result:TrackingEvaluation",
    "tuning": "infoscope.studies.tune:Tuning",
    "two-thresholds": "infoscope.studies.rejection:TwoThresholds",
}
"""Module and class of each kind; the studies lie above this package, so they are named, not imported."""

ROW_SUFFIXES = (".csv", ".tsv", ".parquet", ".arrow", ".xlsx", ".jsonl", ".ndjson")
"""Suffixes of files of rows, which are no results."""
MAX_BYTES = 1 << 30
"""A result is small; a larger file is not one."""


def get_result_class(kind: str) -> type[Result]:
    """Return the class of a kind of result."""
    module, _, name = KINDS[kind].partition(":")
    return typing.cast("type[Result]", getattr(importlib.import_module(module), name))


@validated()
def load(path: StrPath) -> Result:
    """Read any result that was saved as JSON.

    The schema that the document names says which kind it is.

    Parameters
    ----------
    path : path
        The file, as ``result.save`` or ``infoscope evaluate -o result.json`` writes it.

    Returns
    -------
    Result
        The result, of its own class.

    Raises
    ------
    InputError
        Where the file is no stored result, or its fields do not fit each other.
    """
    source = Path(path)
    try:
        if source.stat().st_size > MAX_BYTES:
            raise InputError(f"{source} is larger than any result; is it a table of rows? infoscope.read() takes those")
        text = source.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise InputError(f"{source} is not text; a result is saved as JSON with the suffix .json") from None
    except OSError as problem:
        raise InputError(f"{source} cannot be read: {problem.strerror or problem}") from None
    try:
        result = decode_result(parse_json(text))
        object.__setattr__(result, "_source", source)  # frozen, and no part of what it says
        return result
    except InputError as problem:
        if source.suffix.lower() in ROW_SUFFIXES:
            raise InputError(
                f"{source} holds rows, not a stored result; write one with infoscope evaluate {source} -o result.json"
            ) from None
        raise InputError(f"{source}: {problem}") from None


def decode_result(record: Json) -> Result:
    """Return the result that a document of any kind describes."""
    schema = record.get("schema") if isinstance(record, Mapping) else None
    if not isinstance(record, Mapping) or not isinstance(schema, str) or not schema.startswith("infoscope/"):
        raise InputError("this is not a result of infoscope: it names no schema such as 'infoscope/evaluation/2'")
    kind = schema.split("/")[1]
    if kind not in KINDS:
        hint = suggest_name(kind, sorted(KINDS), "this version reads")
        raise InputError(f"the schema {schema!r} is not known; {hint}")
    return get_result_class(kind).from_dict(record)
