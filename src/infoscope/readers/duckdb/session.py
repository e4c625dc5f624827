"""A private DuckDB session: bounded in memory, silent in pipes, and polite in its errors."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import infoscope.core.compiled_duckdb as duckdb
from infoscope.core.embedded_database import embedded_database
from infoscope.errors import Advised, InputError
from infoscope.readers.compression import compression_of
from infoscope.readers.csv_text import IN_ORDER, PARALLEL
from infoscope.readers.progress import shown_while
from infoscope.readers.signatures import not_utf8
from infoscope.tables.ifs_file import exact_path

__all__ = ["CountingLimits", "EngineError", "Session", "exact_path", "identifier", "interruptible", "literal", "opened"]

_T = TypeVar("_T")


@dataclass(frozen=True)
class CountingLimits:
    """How much of the machine counting may take; None leaves it to the engine."""

    memory: str | None = None
    threads: int | None = None


@dataclass(frozen=True)
class Session:
    """A new connection, and the folder it may spill into."""

    connection: duckdb.DuckDBPyConnection
    folder: Path
    source: str
    checks: list[Callable[[], None]] = field(default_factory=list)
    """Each looks through a text file that the engine splits between threads, and raises what is wrong with it."""

    def run(self, sql: str, **values: Any) -> None:
        """Run one statement; data travels as bound values, never inside the statement."""
        self._done(sql, values, lambda _: None)

    def rows(self, sql: str, **values: Any) -> list[Any]:
        """The rows that a query gives."""
        return self._done(sql, values, lambda answer: answer.fetchall())

    def row(self, sql: str, **values: Any) -> Any:
        """The first row that a query gives; None where there is none."""
        return self._done(sql, values, lambda answer: answer.fetchone())

    def arrays(self, sql: str, **values: Any) -> dict[str, Any]:
        """The columns that a query gives."""
        return self._done(sql, values, lambda answer: answer.fetchnumpy())

    def register(self, name: str, rows: object) -> None:
        """Let queries know rows in memory by a name."""
        with self._explaining():
            self.connection.register(name, rows)

    def _done(self, sql: str, values: dict[str, Any], take: Callable[[duckdb.DuckDBPyConnection], _T]) -> _T:
        try:
            with self._explaining():
                return take(self.connection.execute(sql, values or None))
        except InputError as error:
            if not (self.checks and PARALLEL in sql and _FALSE_START.search(str(error.__cause__))):
                raise
        for check in self.checks:  # a thread may have begun inside a quoted field whose lines look like rows
            check()
        return self._done(sql.replace(PARALLEL, IN_ORDER), values, take)

    @contextmanager
    def _explaining(self) -> Iterator[None]:
        """Reword what the engine says, also while it hands out its answer: rows of damaged files may fail only then."""
        with shown_while(f"counting {self.source}", self.connection.query_progress), interruptible():
            try:
                yield
            except duckdb.InterruptException:
                raise
            except duckdb.Error as error:
                failed = isinstance(error, duckdb.InternalException | duckdb.FatalException)
                raise (EngineError if failed else InputError)(explained(error, self.source, self.folder)) from error


_FALSE_START = re.compile(
    "unterminated quote|Expected Number of Columns|Maximum line size|reached an invalid state|not support a full read"
)


class EngineError(InputError):
    """The engine met a fault of its own in what it read, and answers nothing more in this session."""


@contextmanager
def interruptible() -> Iterator[None]:
    """Turn the engine's own exception for an interrupt into KeyboardInterrupt."""
    try:
        yield
    except (duckdb.InterruptException, RuntimeError) as error:
        if isinstance(error, duckdb.InterruptException) or "interrupted" in str(error):
            raise KeyboardInterrupt from error
        raise


@contextmanager
def opened(folder: Path, source: str, limits: CountingLimits) -> Iterator[Session]:
    """A session that spills into ``folder``, fetches nothing and leaves nothing behind."""
    with ExitStack() as stack:
        try:
            connection = stack.enter_context(embedded_database(folder / "spill", limits.memory, limits.threads))
            connection.execute("SET preserve_insertion_order = false")
            connection.execute("SET enable_progress_bar = true")  # for the progress line to ask
            connection.execute("SET enable_progress_bar_print = false")
        except duckdb.Error as error:
            raise InputError(f"{_sentence(error)}; a memory limit reads like 2GB or 500MB") from error
        yield Session(connection, folder, source)


def identifier(name: str) -> str:
    """A name as SQL wants it; whatever it contains, it stays a name."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """A text as SQL wants it, for the few places that take no bound value."""
    return "'" + text.replace("'", "''") + "'"


def explained(error: duckdb.Error, source: str, folder: Path) -> str:
    """What went wrong, found in the engine's own words, with a way out."""
    text = str(error)
    full = "No space left" in text or "max_temp_directory_size" in text or "failed to offload" in text
    if full or re.search(r"Could not (?:write|truncate) file .*spill", text):
        return (
            f"no more room in {folder.parent} while counting {source}; point TMPDIR to a larger disk, "
            "or raise the memory limit"
        )
    if isinstance(error, duckdb.OutOfMemoryException):
        return f"counting {source} needs more memory than its limit; raise the memory limit, or use fewer threads"
    if line := re.search(r"CSV Error on Line: (\d+)", text):
        return _csv_error(text, line.group(1), source)
    return _content_error(text, source) or (
        f"{source} cannot be read: {_sentence(error)}; if it is damaged, fetch or write it again"
    )


def _content_error(text: str, source: str) -> str | None:
    if "state machine reached an invalid state" in text:
        return f"{_file(text, source)} mixes line ends or quotes; write it as RFC 4180 CSV with one kind of line end"
    if "does not support a full read on this file" in text:
        return f"{source} has a line longer than 16 MiB; is a line end or a closing quote missing?"
    if word := re.search(r"Could not convert string ['\"](.*)['\"] to (?:'DOUBLE'|DOUBLE)", text):
        return f"{source} has the weight {word.group(1)!r}, which is no number; fix it, or leave the field empty"
    if word := re.search(r"Failed to cast value to numerical: (.*) when casting from source column", text):
        found = word.group(1).strip('"')  # in JSON, text has quotes
        return f"{source} has the weight {found!r}, which is no number; fix it, or write null"
    if kind := re.search(r"Unimplemented type for cast \((.+) -> DOUBLE\)", text):  # weights alone are numbers
        return f"{source} has the column of weights as {kind.group(1)}; weights are numbers: name another column"
    if broken := re.search(r"Malformed JSON [^:]*: (.+?)(?:\. +(?:Try|Input)|$)", text, re.MULTILINE):
        return f"{source} has a line that is not JSON ({broken.group(1).rstrip('. ')}); write one object per line"
    if named := re.search(r"No magic bytes found at end of file '(.*)'|File '(.*)' too small to be a Parquet", text):
        file = named.group(1) or named.group(2)
        what = f"{file} is not a whole Parquet file; fetch it again"
        return Advised(what, terminal=", or, if it is text, say --input-format csv", page="")
    return None


def _csv_error(text: str, line: str, source: str) -> str:
    where = f"{_file(text, source)}, line {line}"
    if "Maximum line size" in text:
        return f"{where} is longer than 16 MiB; is a line end or a closing quote missing there?"
    if fields := re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", text):
        expected, found = fields.groups()
        return f"{where} has {found} field{'s' * (found != '1')} and the header has {expected}; fix or remove that line"
    if "unterminated quote" in text:
        return f'{where} has a quote that is not closed; write a quote inside a field as ""'
    if word := re.search(r"Could not convert string \"(.*)\" to 'DOUBLE'", text):  # weights alone are numbers
        return f"{where} has the weight {word.group(1)!r}, which is no number; fix it, or leave the field empty"
    if "nvalid unicode" in text:
        path = Path(_file(text, source))
        return not_utf8(path, compression_of(path), where)
    return f"{where}: {text.splitlines()[2] if len(text.splitlines()) > 2 else text}"


def _file(text: str, source: str) -> str:
    named = re.search(r"^\s*file = (.+)$", text, re.MULTILINE)
    return named.group(1) if named else source


def _sentence(error: duckdb.Error) -> str:
    return re.sub(r"^[\w ]+ Error: ", "", str(error).strip().splitlines()[0]).rstrip(".")
