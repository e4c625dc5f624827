"""What every result of the package offers: one protocol for documents, frames, text, pages and files."""

from __future__ import annotations

import importlib
import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, Protocol, Self, TypeVar, overload

from infoscope.core.files import output_file, write_file, write_page
from infoscope.core.records import contradictions_reported
from infoscope.errors import InputError
from infoscope.results.codec import Json, decode, encode, json_schema
from infoscope.results.estimate import Estimate
from infoscope.results.finding import Finding
from infoscope.results.frame import csv_text, frame, write_parquet
from infoscope.results.provenance import Provenance
from infoscope.typing import Axes, DataFrame, StrPath

if TYPE_CHECKING:
    from infoscope.figures.display import Display

__all__ = ["Form", "Result", "SystemsResult", "Unit", "form_of"]

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


def form_of(path: StrPath) -> Form | None:
    """The form that a file's suffix asks for; None for a suffix that asks for none."""
    return _FORMS.get(Path(path).suffix.lower())


class Result(ABC):
    """What a study found: every number that will be shown, and nothing that draws.

    Subclasses are frozen dataclasses with the fields ``provenance`` and ``findings``. They say what their tidy rows
    are; ``infoscope/reports/views`` says, for each kind, what is shown.
    """

    kind: ClassVar[str]
    version: ClassVar[int] = 2
    provenance: Provenance
    findings: tuple[Finding, ...]
    _source: ClassVar[StrPath | None] = None
    """The file that a result was read from, on the object itself."""

    @classmethod
    def schema(cls) -> str:
        """The name of the document's schema, as ``infoscope/evaluation/2``."""
        return f"infoscope/{cls.kind}/{cls.version}"

    @classmethod
    def json_schema(cls) -> dict[str, Json]:
        """The JSON Schema of the documents that ``to_dict`` writes."""
        return json_schema(cls, f"infoscope {cls.kind}", schema=cls.schema())

    def to_dict(self) -> dict[str, Json]:
        """The versioned document as plain data."""
        return {"schema": self.schema(), **encode(self)}

    def page_document(self) -> dict[str, Json]:
        """The document that a page carries for its downloads: the whole one, unless a kind has more than it shows."""
        return self.to_dict()

    @classmethod
    def from_dict(cls, record: Mapping[str, Json]) -> Self:
        """The result that a document describes."""
        found = record.get("schema") if isinstance(record, Mapping) else None
        if found != cls.schema():
            raise InputError(
                f"the document has the schema {found!r}, and {cls.schema()!r} is required; "
                "infoscope.load() reads a result of any kind"
            )
        return decode(cls, {name: part for name, part in record.items() if name != "schema"}, "the document")

    def to_json(self, *, indent: int | None = 2) -> str:
        """The document as JSON; information is always in bits."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=indent, allow_nan=False)

    @abstractmethod
    def rows(self) -> Iterator[Mapping[str, Json]]:
        """The result as tidy rows, the content of ``to_frame``."""

    def to_frame(self, backend: str | None = None) -> DataFrame:
        """The tidy rows as a data frame of pandas, polars or pyarrow, whichever is installed unless named."""
        with contradictions_reported(self._source):
            return frame(self.rows(), backend)

    def to_text(self, *, width: int = 100, unit: Unit = "bits") -> str:
        """As a terminal shows it, without colour."""
        if not hasattr(width, "__index__"):
            raise InputError(f"width is {width!r}; give a whole number of characters")
        return self._render("text", width=width, unit=unit)

    def to_markdown(self, *, unit: Unit = "bits") -> str:
        """For a merge request, an issue or a wiki."""
        return self._render("markdown", unit=unit)

    @overload
    def to_html(self, path: None = None, *, unit: Unit = "bits", force: bool = False) -> str: ...
    @overload
    def to_html(self, path: StrPath, *, unit: Unit = "bits", force: bool = False) -> Path: ...
    def to_html(self, path: StrPath | None = None, *, unit: Unit = "bits", force: bool = False) -> str | Path:
        """The report as one page that opens offline: its text, or the file that it was written to.

        A file that is not such a page is replaced only with ``force``.
        """
        page = self._render("html", unit=unit)
        return page if path is None else write_page(path, page, force=force)

    def save(self, path: StrPath, *, force: bool = False) -> Path:
        """Write the result in the form that the suffix names: .json, .md, .html, .txt, .csv or .parquet.

        A file that exists is replaced only if it is a page of infoscope and the new one is, too, or with ``force``.
        """
        form = form_of(path)
        if form is None:
            raise InputError(f"{path} has no suffix that names a form; use one of {', '.join(dict.fromkeys(_FORMS))}")
        if form == "html":
            return self.to_html(path, force=force)
        if form == "parquet":
            with output_file(path, replace=force) as file, contradictions_reported(self._source):
                write_parquet(self.rows(), file)
        else:
            write_file(path, self._as(form), replace=force)
        return Path(path)

    def _as(self, form: Form) -> str:
        if form == "json":
            return self.to_json() + "\n"
        with contradictions_reported(self._source):
            return csv_text(self.rows()) if form == "csv" else self._render(form)

    def plot(self, which: str | None = None, *, ax: Axes | None = None) -> Display:
        """Draw a picture of the result on matplotlib axes; an unknown ``which`` is an error that lists them."""
        with contradictions_reported(self._source):
            display: Display = _reports().picture(self, which)
        with contradictions_reported(self._source if ax is None else None):  # axes of the caller may be none
            return display.plot(ax)

    def _repr_html_(self) -> str:
        """As a notebook shows it."""
        return self._render("notebook")

    def __repr__(self) -> str:
        """The headline and the first findings, in at most five lines."""
        return self._render("repr")

    def _render(self, form: str, **look: Any) -> str:
        with contradictions_reported(self._source):
            return str(_reports().render(self, form, **look))


def _reports() -> ModuleType:
    """The one step upwards: reports know how results of each kind look."""
    return importlib.import_module("infoscope.reports")


class EstimatedSystem(Protocol):
    """One system of a result: its name, its sample size and its metrics."""

    @property
    def name(self) -> str:
        """What the system is called."""

    @property
    def n(self) -> int:
        """Samples that it was evaluated on."""

    @property
    def metrics(self) -> Mapping[str, Estimate]:
        """Every metric by its id."""


System = TypeVar("System", bound=EstimatedSystem)


class SystemsResult(Result, Generic[System]):
    """A result of several systems."""

    systems: tuple[System, ...]

    def __iter__(self) -> Iterator[System]:
        """System by system."""
        return iter(self.systems)

    def __getitem__(self, name: str) -> System:
        """The system of this name."""
        for system in self.systems:
            if system.name == name:
                return system
        raise KeyError(name)

    def rows(self) -> Iterator[Mapping[str, Json]]:
        """One row per system, one column per metric."""
        for system in self.systems:
            row: dict[str, Any] = {"system": system.name, "n": system.n}
            for name, estimate in system.metrics.items():
                row |= estimate.columns(name)
            yield row
