"""The engine of files: counted here by DuckDB, in a private session with nothing left to its guesses.

In reading order: the engine, the session and its error messages, the one statement that groups rows, how its cells are
fetched, and how each kind of file (CSV, lines of JSON, Parquet, Arrow) becomes a relation that is scanned.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import accumulate, islice
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import unquote

import numpy as np

from infoscope.core.embedded_database import duckdb, embedded_database, escape_path
from infoscope.core.files import scratch_folder
from infoscope.core.native_code import is_native_wanted
from infoscope.errors import Advised, InfoscopeError, InputError, list_names
from infoscope.readers.compression import check_whole, detect_compression, first_bytes
from infoscope.readers.conversions import unpack_copies
from infoscope.readers.csv_text import (
    BYTE_ORDER_MARK,
    IN_ORDER,
    LONGEST_LINE,
    PARALLEL,
    Header,
    check_records,
    check_text,
    is_split,
    open_text,
    read_header,
    reject_repeated_header,
    write_text_options,
)
from infoscope.readers.files import (
    WORTH_READING,
    Files,
    check_readable,
    check_signature,
    explain_not_utf8,
    raise_for_each,
)
from infoscope.readers.labels import Decoder, decode_texts, make_decoders
from infoscope.readers.parquet import check_gzip_pages, count_by_codes, is_built, packed_row_groups
from infoscope.readers.progress import show_progress
from infoscope.readers.query import GroupBy, Query, ReadOptions, pick_columns
from infoscope.readers.stores import fetch_columns
from infoscope.tables.rows import Rows

if TYPE_CHECKING:
    import pyarrow as pa

# ── the engine ────────────────────────────────────────────────────────────────────────────────────


class DuckdbEngine:
    """Count files on this machine: DuckDB groups rows, the compiled part counts the codes of Parquet files."""

    name = "duckdb"

    def accepts(self, source: Any, read: ReadOptions) -> bool:
        """Return True for files, unless a cluster is to count them."""
        return isinstance(source, Files) and read.engine not in ("spark", "dask")

    def schema(self, source: Files, read: ReadOptions, known: Collection[str] = ()) -> dict[str, str]:
        """Return the types of the columns in the first of some files, and of those that its folders name."""
        return dict(read_schema(source, read, known)) | dict.fromkeys(source.hive_keys, "text")

    def count(self, source: Files, query: Query) -> list[Rows]:
        """Count rows; where that fails, say of each file by itself what is wrong with it."""
        try:
            return _count_files(source, query)
        except InfoscopeError as error:
            raise_for_each(error, source, lambda one: _count_files(one, query))
            raise

    def rows(self, source: Files, names: Sequence[str], read: ReadOptions) -> dict[str, Sequence[Any]]:
        """Return the values of some columns in the order of the files; times as such, text as it is written."""
        with find_scratch(source) as folder, open_session(folder, source.name, read) as session:
            scan = scan_in_order(session, source, names, read.delimiter)
            fields = ", ".join(scan.columns[name] for name in names)
            lines = session.rows(f"SELECT {fields} FROM {scan.relation}", **scan.values)
        columns: dict[str, Sequence[Any]] = dict(
            zip(names, zip(*lines, strict=True) if lines else [()] * len(names), strict=True)
        )
        for name, decode in scan.decoders.items():
            times = {value: decode(value) for value in set(columns[name])}
            columns[name] = [times[value] for value in columns[name]]
        return columns


def find_scratch(files: Files) -> AbstractContextManager[Path]:
    """Return the folder that was made for these files, or a new one: some disks take milliseconds to remove it."""
    return scratch_folder() if files.folder is None else nullcontext(files.folder)


def _count_files(files: Files, query: Query) -> list[Rows]:
    """Count files; compressed text by a plain copy, in less time."""
    check_readable(files.paths)
    sizes = {path: path.stat().st_size for path in files.paths}
    native, margins = query.read.native, None
    with find_scratch(files) as folder:
        if files.compression != "none":
            with suppress(InfoscopeError, OSError):  # a fault is explained below, in the words for compressed files
                plain = unpack_copies(files, folder)
                margins = None if plain is None else _count_as_they_are(plain, query, folder, None)
        try:
            margins = margins or _count_as_they_are(files, query, folder, native)
        except EngineError:  # perhaps by what only the compiled part wants to know of the file
            if files.format != "parquet" or native is False:
                raise
            margins = _count_as_they_are(files, query, folder, False)
        except InputError as error:
            is_small = sum(sizes.values()) <= WORTH_READING
            if files.format == "ndjson" and "JSON" in str(error.__cause__) and is_small:
                # in the words for the first lines: the engine counts lines from elsewhere, and advises its own options
                for path in files.paths:
                    deque(_keys_by_line(path, files.compression, query.names), maxlen=0)
            raise
    for path, size in sizes.items():
        if path.exists() and path.stat().st_size < size:
            raise InputError(f"{path} became shorter while it was read; count it again when nobody writes to it")
    if files.format in ("csv", "tsv"):
        for rows in margins:
            reject_repeated_header(rows, query, files.name)
    return [decode_texts(rows, files.format) for rows in margins]


def _count_as_they_are(files: Files, query: Query, folder: Path, native: bool | None) -> list[Rows]:
    """Count files by codes where that is faster, else by the engine; rows may spill into ``folder``."""
    is_parquet = files.format == "parquet"
    by_codes = is_native_wanted(native) or not is_parquet  # text is encoded by pyarrow
    files = replace(files, by_codes=is_parquet and by_codes and is_built())
    with (
        check_text(files),
        open_session(folder, files.name, query.read) as session,
        packed_row_groups(session, files, query) if files.by_codes else nullcontext() as groups,
    ):
        scan = scan_files(session, files, query.names, query.read.delimiter, query.weight)
        margins = count_by_codes(session, scan, files, query, groups) if by_codes else None
        if margins is None:
            if is_parquet:
                fetch_parquet_columns(session, files, query.names)
                check_gzip_pages(files, query.names)
            margins = count_scan(session, scan, query)
        return margins


def read_schema(files: Files, read: ReadOptions, known: Collection[str] = ()) -> list[tuple[str, str]]:
    """Return names and types in the first of some files, as often as they stand there."""
    first = files.paths[0]
    if files.format in ("csv", "tsv"):
        wanted = [name for name in known if name not in files.hive_keys]
        tab = files.format == "tsv"
        header = read_header(first, wanted, tab=tab, delimiter=read.delimiter, compression=files.compression)
        return [(name, "text") for name in header.names]
    if files.format == "ndjson":
        return [(name, "json") for name in list_first_keys(first, files.compression)]
    if files.format == "arrow":
        return [(field.name, str(field.type)) for field in arrow_schema(first)]
    with find_scratch(files) as folder, open_session(folder, files.name, ReadOptions(threads=1)) as session:
        names, types = parquet_schemas(session, [escape_path(first)])[0]
        return list(zip(names, types, strict=True))


# ── sessions ──────────────────────────────────────────────────────────────────────────────────────


_T = TypeVar("_T")


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
        """Return the rows that a query gives."""
        return self._done(sql, values, lambda answer: answer.fetchall())

    def row(self, sql: str, **values: Any) -> Any:
        """Return the first row that a query gives; None where there is none."""
        return self._done(sql, values, lambda answer: answer.fetchone())

    def arrays(self, sql: str, **values: Any) -> dict[str, Any]:
        """Return the columns that a query gives."""
        return self._done(sql, values, lambda answer: answer.fetchnumpy())

    @contextmanager
    def batches(self, sql: str, size: int) -> Iterator[Any]:
        """Give the rows of a query as record batches of Arrow; its errors are the engine's own."""
        with show_progress(f"counting {self.source}", self.connection.query_progress), raise_interrupts():
            answer: Any = self.connection.sql(sql)
            batches = (getattr(answer, "to_arrow_reader", None) or answer.fetch_arrow_reader)(size)
            try:
                yield batches
            finally:
                batches.close()  # or the engine could not be asked after all

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
        with show_progress(f"counting {self.source}", self.connection.query_progress), raise_interrupts():
            try:
                yield
            except duckdb.InterruptException:
                raise
            except duckdb.Error as error:
                failed = isinstance(error, duckdb.InternalException | duckdb.FatalException)
                raise (EngineError if failed else InputError)(explain_error(error, self.source, self.folder)) from error


_FALSE_START = re.compile(
    "unterminated quote|Expected Number of Columns|Maximum line size|reached an invalid state|not support a full read"
)


class EngineError(InputError):
    """The engine met a fault of its own in what it read, and answers nothing more in this session."""


@contextmanager
def raise_interrupts() -> Iterator[None]:
    """Turn the engine's own exception for an interrupt into KeyboardInterrupt."""
    try:
        yield
    except (duckdb.InterruptException, RuntimeError) as error:
        if isinstance(error, duckdb.InterruptException) or "interrupted" in str(error):
            raise KeyboardInterrupt from error
        raise


@contextmanager
def open_session(folder: Path, source: str, read: ReadOptions) -> Iterator[Session]:
    """Open a session that spills into ``folder``, fetches nothing and leaves nothing behind."""
    with ExitStack() as stack:
        try:
            connection = stack.enter_context(embedded_database(folder / "spill", read.memory, read.threads))
            connection.execute("SET preserve_insertion_order = false")
            connection.execute("SET enable_progress_bar = true")  # for the progress line to ask
            connection.execute("SET enable_progress_bar_print = false")
        except duckdb.Error as error:
            raise InputError(f"{_sentence(error)}; a memory limit reads like 2GB or 500MB") from error
        yield Session(connection, folder, source)


def identifier(name: str) -> str:
    """Quote a name as SQL wants it; whatever it contains, it stays a name."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """Quote a text as SQL wants it, for the few places that take no bound value."""
    return "'" + text.replace("'", "''") + "'"


def explain_error(error: duckdb.Error, source: str, folder: Path) -> str:
    """Say what went wrong, found in the engine's own words, with a way out."""
    text = str(error)
    full = "No space left" in text or "max_temp_directory_size" in text or "failed to offload" in text
    if full or re.search(r"Could not (?:write|truncate) file .*spill", text):
        return (
            f"no more room in {folder.parent} while counting {source}; point TMPDIR to a larger disk, "
            "or raise the memory limit"
        )
    if isinstance(error, duckdb.OutOfMemoryException):
        return f"counting {source} needs more memory than its limit; raise the memory limit, or use fewer threads"
    text = text.replace(str(Path(source).absolute()), source)  # the engine names a file by its whole path
    file = named.group(1) if (named := re.search(r"^\s*file = (.+)$", text, re.MULTILINE)) else source

    # a line of a CSV file
    if line := re.search(r"CSV Error on Line: (\d+)", text):
        where = f"{file}, line {line.group(1)}"
        if "Maximum line size" in text:
            return f"{where} is longer than 16 MiB; is a line end or a closing quote missing there?"
        if fields := re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", text):
            expected, found = fields.groups()
            has = f"{found} field{'s' * (found != '1')}"
            return f"{where} has {has} and the header has {expected}; fix or remove that line"
        if "unterminated quote" in text:
            return f'{where} has a quote that is not closed; write a quote inside a field as ""'
        if word := re.search(r"Could not convert string \"(.*)\" to 'DOUBLE'", text):  # weights alone are numbers
            return f"{where} has the weight {word.group(1)!r}, which is no number; fix it, or leave the field empty"
        if "nvalid unicode" in text:
            return explain_not_utf8(Path(file), detect_compression(Path(file)), where)
        return f"{where}: {text.splitlines()[2] if len(text.splitlines()) > 2 else text}"

    # the rest of what files hold
    if "state machine reached an invalid state" in text:
        return f"{file} mixes line ends or quotes; write it as RFC 4180 CSV with one kind of line end"
    if "does not support a full read on this file" in text:
        return f"{source} has a line longer than 16 MiB; is a line end or a closing quote missing?"
    if word := re.search(r"Could not convert string ['\"](.*)['\"] to (?:'DOUBLE'|DOUBLE)", text):
        return f"{source} has the weight {word.group(1)!r}, which is no number; fix it, or leave the field empty"
    if word := re.search(r"Failed to cast value to numerical: (.*) when casting from source column", text):
        value = word.group(1).strip('"')  # in JSON, text has quotes
        return f"{source} has the weight {value!r}, which is no number; fix it, or write null"
    if kind := re.search(r"Unimplemented type for cast \((.+) -> DOUBLE\)", text):  # weights alone are numbers
        return f"{source} has the column of weights as {kind.group(1)}; weights are numbers: name another column"
    if broken := re.search(r"Malformed JSON [^:]*: (.+?)(?:\. +(?:Try|Input)|$)", text, re.MULTILINE):
        return f"{source} has a line that is not JSON ({broken.group(1).rstrip('. ')}); write one object per line"
    if named := re.search(r"No magic bytes found at end of file '(.*)'|File '(.*)' too small to be a Parquet", text):
        what = f"{named.group(1) or named.group(2)} is not a whole Parquet file; fetch it again"
        return Advised(what, terminal=", or, if it is text, say --read format=csv", page="")
    return f"{source} cannot be read: {_sentence(error)}; if it is damaged, fetch or write it again"


def _sentence(error: duckdb.Error) -> str:
    return re.sub(r"^[\w ]+ Error: ", "", str(error).strip().splitlines()[0]).rstrip(".")


# ── counting: group by on native types, and only the cells come back ──────────────────────────────


_SMALL = 20_000
_SETS = 32  # the bit mask of grouping sets has room for 64 columns


@dataclass(frozen=True)
class Scan:
    """A source of rows: a FROM clause with bound values, and each column as an expression.

    ``columnar`` sources are cheaper to read again, two columns at a time, than to be grouped in
    several ways at once; sources of text are parsed once.
    """

    relation: str
    values: dict[str, Any]
    columns: dict[str, str]
    columnar: bool = False
    decoders: dict[str, Decoder] = field(default_factory=dict)
    """Dictionaries by which numbers become the labels of some columns again."""
    explaining: str = ""
    """The same relation for a second try, where the engine then says more precisely what is wrong."""
    narrow: Callable[[Sequence[str]], Any] | None = None
    """Leaves only these columns in the relation, where the engine cannot do so itself; says what it then meets."""
    row_number: str = "row_number() OVER ()"
    """The number of a row, from 1, in the order of the files; the same in every run where that order is kept."""
    rows_at: Callable[[Sequence[int]], str] | None = None
    """A condition for the rows with these numbers by which the engine skips the others; None where it reads all."""


def count_scan(session: Session, scan: Scan, query: Query) -> list[Rows]:
    """Return the rows of each margin, in native values."""
    at_once = 1 if scan.columnar else _SETS
    margins: list[Rows] = []
    for start in range(0, len(query.margins), at_once):
        group_by = GroupBy(query, query.margins[start : start + at_once])
        statement = group_by.sql(scan.relation, scan.columns)
        weight = () if query.weight is None else (query.weight,)
        part = None if scan.narrow is None else scan.narrow(tuple(dict.fromkeys((*group_by.names, *weight))))
        try:
            session.run(f"CREATE TEMP TABLE cells AS {statement}", **scan.values)
        except InputError as error:
            if problem := getattr(part, "problem", ""):
                raise InputError(problem) from error
            if scan.explaining and error.__cause__ is not None:  # else the text was looked through already
                session.run(group_by.sql(scan.explaining, scan.columns), **scan.values)
            raise
        margins += [_fetch(session, group_by, margin) for margin in group_by.margins]
        session.run("DROP TABLE cells")
    return [
        rows.relabel(
            {
                name: list(map(decode, rows.dictionaries[name]))
                for name, decode in scan.decoders.items()
                if name in rows.names
            }
        )
        for rows in margins
    ]


def _fetch(session: Session, group_by: GroupBy, margin: tuple[str, ...]) -> Rows:
    """Return the cells of one margin: a few in one answer, millions by codes and each label once."""
    keys = group_by.query.keys(margin)
    shorts = [group_by.names[key] for key in keys]
    sums = {"n": "rows"}
    if group_by.query.weight is not None:
        sums |= {"w": "weights", "w2": "squares", "least": "least", "lacks": "lacks"}
    where = f" WHERE margin = {group_by.mask(margin)}" if len(group_by.margins) > 1 else ""
    cells = f"(SELECT * FROM cells{where}) AS c"
    ((size,),) = session.rows(f"SELECT count(*) FROM {cells}")
    if size <= _SMALL:
        # sorted, so that sums over the cells have the same last digit every time
        lines = session.rows(f"SELECT {', '.join([*shorts, *sums])} FROM {cells} ORDER BY {', '.join(shorts)}")
        columns = list(zip(*lines, strict=True)) or [()] * (len(shorts) + len(sums))
        numbers = dict(zip(sums.values(), columns[len(shorts) :], strict=True))
        return Rows.from_cells(keys, columns[: len(shorts)], **numbers)
    labels: list[Sequence[Any]] = []
    for short in shorts:
        session.run(
            f"CREATE TEMP TABLE dict_{short} AS SELECT label, row_number() OVER () - 1 AS code "
            f"FROM (SELECT DISTINCT {short} AS label FROM {cells})"
        )
        labels.append([label for (label,) in session.rows(f"SELECT label FROM dict_{short} ORDER BY code")])
    joins = "".join(f" JOIN dict_{short} ON c.{short} IS NOT DISTINCT FROM dict_{short}.label" for short in shorts)
    places = ", ".join(f"dict_{short}.code AS code_{short}" for short in shorts)
    arrays = session.arrays(f"SELECT {places}, {', '.join(sums)} FROM {cells}{joins}")
    codes = [np.asarray(arrays[f"code_{short}"], dtype=np.int64) for short in shorts]
    for short in shorts:
        session.run(f"DROP TABLE dict_{short}")
    weights = {  # a sum of no weights is NULL
        name: np.ma.filled(np.ma.asarray(arrays[short], dtype=np.float64), np.nan)
        for short, name in sums.items()
        if short != "n"
    }
    return Rows.from_coded_cells(keys, labels, codes, arrays["n"], **weights)


# ── files as relations ────────────────────────────────────────────────────────────────────────────


def scan_files(
    session: Session, files: Files, names: Sequence[str], delimiter: str | None = None, weight: str | None = None
) -> Scan:
    """Return the relation of some files, after a look at every header or schema."""
    for path in files.paths:
        check_signature(path, files.format, files.compression)
        check_whole(path, files.compression)
    if files.format in ("csv", "tsv"):
        return _scan_csv(session, files, names, delimiter, weight)
    if delimiter is not None:
        raise InputError(f"{files.name} is {files.format}; a delimiter is for CSV files")
    if files.format == "ndjson":
        return scan_ndjson(session, files, names)
    if files.format == "arrow":
        return _scan_arrow(session, files, names)
    return _scan_parquet(session, files, names)


def scan_in_order(session: Session, files: Files, names: Sequence[str], delimiter: str | None) -> Scan:
    """Return the same for rows that are looked at one by one: in the order of the files, these columns alone."""
    session.run("SET preserve_insertion_order = true")
    scan = scan_files(session, files, names, delimiter)
    if scan.narrow is not None:
        scan.narrow(names)
    return scan


def _scan_csv(session: Session, files: Files, names: Sequence[str], delimiter: str | None, weight: str | None) -> Scan:
    """Scan text files, each by its own header; columns are positions, so names cannot do harm.

    No text means NULL to the engine, for it does not count fields of NULL at the end of a line; an empty label is a
    missing one all the same, see ``decode_texts``.
    """
    hive, asked = files.by_place(names)
    by_header: dict[Header, list[Path]] = {}
    for path in files.paths:
        header = read_header(
            path,
            asked,
            tab=files.format == "tsv",
            delimiter=delimiter,
            compression=files.compression,
        )
        by_header.setdefault(header, []).append(path)
        if is_split(path, files.compression):
            session.checks.append(partial(check_records, path, files.compression, header.delimiter))
    values = {f"paths{i}": [escape_path(path) for path in paths] for i, paths in enumerate(by_header.values())}

    def write_union(weight: str | None, null: str) -> str:
        """Write the relation; ``null`` is the text that means NULL to the engine, as an empty weight always does."""
        statements = []
        for i, header in enumerate(by_header):
            at = {name: k for k, name in enumerate(header.names)}  # one that is asked for is there once
            places = [(name, f"c{at[name]}") for name in asked]
            fields = [f"nullif({place}, '')" if name == weight else place for name, place in places]
            fields = [f"{field} AS f{j}" for j, field in enumerate(fields)]
            fields += [f"{identifier(name)} AS h{j}" for j, name in enumerate(hive)]
            shape = ", ".join(f"'c{k}': 'VARCHAR'" for k in range(len(header.names)))
            statements.append(
                f"SELECT {', '.join(fields)} FROM read_csv($paths{i}, auto_detect=false, header=true, "
                f"skip={header.skip}, delim={literal(header.delimiter)}, quote='\"', escape='\"', "
                f"columns={{{shape}}}, strict_mode=true, null_padding=false, nullstr='{null}', "
                f"{write_text_options(files.compression)}, hive_partitioning={bool(hive)}, hive_types_autocast=false)"
            )
        return f"({' UNION ALL '.join(statements)})"

    named = {name: f"f{j}" for j, name in enumerate(asked)}
    named |= {name: f"h{j}" for j, name in enumerate(hive)}
    return Scan(write_union(weight, token_hex(16)), values, named, explaining=write_union(None, ""))


def _scan_parquet(session: Session, files: Files, columns: Sequence[str]) -> Scan:
    """Scan typed files, which must agree about the type of every column that is read."""
    hive = bool(set(files.hive_keys) & set(columns))
    options = f"$paths, hive_partitioning={hive}, hive_types_autocast=false, union_by_name=false"
    paths = list(map(escape_path, files.paths))
    schemas = parquet_schemas(session, paths)
    if not files.by_codes:
        fetch_parquet_columns(session, files, columns)
    first: dict[str, str] = {}
    for path, (names, types) in zip(files.paths, schemas, strict=True):
        pick_columns(
            [name for name in columns if not (hive and name in files.hive_keys)],
            names,
            str(path),
        )
        _reject_swapped(columns, files.paths[0], schemas[0][0], path, names)
        for name, kind in zip(names, types, strict=True):
            if name in columns and first.setdefault(name, kind) != kind:
                raise InputError(
                    f"{path} has {name!r} as {kind} and {files.paths[0]} as {first[name]}; "
                    "read them apart, or give the files one schema"
                )
    relation = f"read_parquet({options})"
    described = session.rows(f"DESCRIBE SELECT * FROM {relation}", paths=paths)
    inside = {name: line for name, line in zip(schemas[0][0], described, strict=False) if name in columns}
    if hive:  # what folders name wins over a column of that name in the files
        for name in inside:
            twin = next((key for key in files.hive_keys if key != name and key.lower() == name.lower()), None)
            if twin is not None:
                raise InputError(
                    f"{files.name} has the column {name!r}, and its folders name {twin!r}; "
                    "names that differ only by case would be one: rename one of them"
                )
        lines = {line[0].lower(): line for line in described}
        inside |= {name: lines[name.lower()] for name in columns if name in files.hive_keys}
    if odd := next((name for name in columns if name not in inside), None):
        raise InputError(f"{files.paths[0]} is damaged: its schema ends before column {odd!r}; fetch or write it again")
    scan = _typed_scan(relation, {"paths": paths}, inside)
    if {name.lower() for names, _ in schemas for name in names} & {"file_index", "file_row_number"}:
        return scan  # a column of the files has a name by which the engine knows the places of rows
    # rows are numbered by their places in the files, so that none before a row is read for its number
    sizes = [0] if len(paths) == 1 else [rows for (rows,) in session.rows(_SIZES, paths=paths)]
    before = [0, *accumulate(sizes)][: len(paths)]

    def rows_at(numbers: Sequence[int]) -> str:
        places: dict[int, list[int]] = {}
        for number in numbers:
            file = bisect_right(before, number - 1) - 1
            places.setdefault(file, []).append(number - 1 - before[file])
        conditions = []
        for file, rows in places.items():
            listed = ", ".join(map(str, rows))
            if len(rows) > _FEW_ROWS:  # many are joined, which takes two thirds of the time of comparing one by one
                listed = f"SELECT unnest([{listed}])"
            inside = f"file_row_number IN ({listed})"
            conditions.append(inside if len(paths) == 1 else f"(file_index = {file} AND {inside})")
        return " OR ".join(conditions)

    number = "file_row_number + 1"
    if len(paths) > 1:
        number = f"[{', '.join(map(str, before))}][CAST(file_index AS BIGINT) + 1] + {number}"
    return replace(scan, row_number=number, rows_at=rows_at)


def fetch_parquet_columns(session: Session, files: Files, columns: Sequence[str]) -> None:
    """Bring the columns of remote Parquet files into their copies; of files here, nothing is to be done."""
    fetch_columns(files.mirrors, columns, lambda paths: session.rows(_CHUNKS, paths=list(map(escape_path, paths))))


_FEW_ROWS = 200
_SIZES = "SELECT num_rows FROM parquet_file_metadata($paths)"
_CHUNKS = (
    "SELECT file_name, path_in_schema, dictionary_page_offset, data_page_offset, total_compressed_size "
    "FROM parquet_metadata($paths)"
)
"""File, column, first byte of dictionary and data, and size of each chunk."""


def _typed_scan(relation: str, values: dict[str, Any], described: dict[str, Any]) -> Scan:
    """Return a scan of typed columns, of which the engine says name and type; times travel as numbers."""
    coded = make_decoders({name: line[1] for name, line in described.items()})
    columns = {name: identifier(line[0]) for name, line in described.items()}
    columns |= {name: f"{function}({columns[name]})" for name, (function, _) in coded.items()}
    return Scan(relation, values, columns, columnar=True, decoders={name: back for name, (_, back) in coded.items()})


def _reject_swapped(asked: Sequence[str], one: Path, first: list[str], other: Path, names: list[str]) -> None:
    """Reject names that differ by case alone and change their order: the engine tells them apart by it."""
    for name in asked:
        here, there = ([n for n in listed if n.lower() == name.lower()] for listed in (first, names))
        if here != there and max(len(here), len(there)) > 1:
            raise InputError(
                f"{one} has the columns {list_names(here)} and {other} has {list_names(there)}; "
                "names that differ only by case must come in the same order: read the files apart, or rename"
            )


def parquet_schemas(session: Session, paths: list[str]) -> list[tuple[list[str], list[str]]]:
    """Return names and types of the top-level columns of each file, in file order."""
    schemas = []
    for path in paths:
        lines = session.rows(
            "SELECT name, coalesce(num_children, 0), duckdb_type FROM parquet_schema($path)",
            path=path,
        )
        names, types, i = [], [], 1
        while i < len(lines):
            names.append(lines[i][0])
            types.append(str(lines[i][2]))
            i = _after(lines, i)
        if i > len(lines):
            raise InputError(
                f"{path} is damaged: its schema ends inside of column {names[-1]!r}; fetch or write it again"
            )
        schemas.append((names, types))
    return schemas


def _after(lines: list[Any], i: int) -> int:
    """Return the position of the next sibling of a schema element; beyond the end where the last ones are missing."""
    if i >= len(lines):
        return len(lines) + 1
    children = lines[i][1]
    i += 1
    for _ in range(children):
        i = _after(lines, i)
    return i


def _scan_arrow(session: Session, files: Files, columns: Sequence[str]) -> Scan:
    rows = ArrowRows.of(files, columns)

    def narrow(names: Sequence[str]) -> ArrowRows:
        part = replace(rows, names=tuple(names))
        session.register("arrow_rows", part)
        return part

    narrow(columns)
    described = session.rows("DESCRIBE SELECT * FROM arrow_rows")
    return replace(_typed_scan("arrow_rows", {}, dict(zip(columns, described, strict=True))), narrow=narrow)


# ── Arrow files: batches that pyarrow reads and checks before the engine sees them ───────────────


_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"


@dataclass
class ArrowRows:
    """Some columns of Arrow files as a stream that can be asked for again, with nothing in it unchecked.

    pyarrow does not check the offsets and codes of a file; following wrong ones reads outside of the buffer.
    """

    files: Files
    names: tuple[str, ...]
    kinds: dict[str, Any]
    """Types of all columns that were asked for, whose place gives each the name by which the engine knows it."""
    problem: str = ""
    """The fault of a file, once the engine has met it."""

    @classmethod
    def of(cls, files: Files, names: Sequence[str]) -> ArrowRows:
        """Return the rows of files that agree about the types of these columns; what folders name is text."""
        if files.compression != "none":
            raise InputError(f"{files.name} is compressed as a whole; Arrow compresses inside its files")
        pa = _pyarrow(files.name)
        first: dict[str, Any] = {}
        for path in files.paths:
            schema = arrow_schema(path)
            pick_columns([name for name in names if name not in files.hive_keys], schema.names, str(path))
            for name in names:
                kind = pa.string() if name in files.hive_keys else schema.field(name).type
                if (expected := first.setdefault(name, kind)) != kind:
                    raise InputError(
                        f"{path} has {name!r} as {kind} and {files.paths[0]} as {expected}; "
                        "read them apart, or give the files one schema"
                    )
        return cls(files, tuple(names), first)

    def alias(self, name: str) -> str:
        """Return the name of a column in the stream; it does not change with the columns beside it.

        Names of the user's own could be empty, or alike but for case.
        """
        return f"c{list(self.kinds).index(name)}"

    @property
    def schema(self) -> pa.Schema:
        """Names and types of the stream."""
        return _pyarrow(self.files.name).schema([(self.alias(name), self.kinds[name]) for name in self.names])

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Give all batches, from the beginning, in the way that engines take them from each other."""
        pa = _pyarrow(self.files.name)
        return pa.RecordBatchReader.from_batches(self.schema, self._batches()).__arrow_c_stream__(requested_schema)

    def _batches(self) -> Iterator[Any]:
        pa, schema = _pyarrow(self.files.name), self.schema
        own = [name for name in self.names if name not in self.files.hive_keys]
        for path in self.files.paths:
            folders = dict(folder.split("=", 1) for folder in path.parts[:-1] if "=" in folder)
            number = 0
            try:
                for number, batch in enumerate(_read_batches(path, own), 1):  # noqa: B007 - its error names it
                    batch.validate(full=True)
                    columns = []
                    for name in self.names:
                        if name in own:
                            columns.append(batch.column(name))
                        elif (value := unquote(folders[name])) == _NO_VALUE:
                            columns.append(pa.nulls(batch.num_rows, pa.string()))
                        else:
                            columns.append(pa.repeat(pa.scalar(value), batch.num_rows))
                    yield pa.RecordBatch.from_arrays(columns, schema=schema)
            except (pa.ArrowException, OSError) as error:
                self.problem = f"{path} is damaged (record batch {number}: {_line(error)}); fetch or write it again"
                raise


def _read_batches(path: Path, names: Sequence[str]) -> Iterator[Any]:
    """Yield record batches of a file, or of a stream, with some of their columns."""
    pa = _pyarrow(str(path))
    with pa.OSFile(str(path)) as source, _open_arrow(source, path) as reader:
        places = [reader.schema.get_field_index(name) for name in names]
    options = pa.ipc.IpcReadOptions(included_fields=places)
    with pa.OSFile(str(path)) as source, _open_arrow(source, path, options) as reader:
        if hasattr(reader, "get_batch"):
            yield from (reader.get_batch(i) for i in range(reader.num_record_batches))
        else:
            yield from reader


def _open_arrow(source: Any, path: Path, options: Any = None) -> Any:
    """Return a reader of the file or stream that its first bytes show it to be."""
    pa = _pyarrow(str(path))
    magic = source.read(4)
    source.seek(0)
    if magic == b"FEA1":
        raise InputError(f"{path} is a Feather file of version 1; write it again as version 2")
    opener = pa.ipc.open_file if magic == b"ARRO" else pa.ipc.open_stream
    return opener(source, options=options)


def arrow_schema(path: Path) -> pa.Schema:
    """Return names and types of all columns of a file."""
    pa = _pyarrow(str(path))
    try:
        with pa.OSFile(str(path)) as source, _open_arrow(source, path) as reader:
            _ = reader.schema.names  # pyarrow does not look at their bytes before
            return reader.schema
    except UnicodeDecodeError:
        raise InputError(f"{path} is damaged: the name of a column is not UTF-8; fetch or write it again") from None
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{path} cannot be read: {_line(error)}") from error


def _line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def _pyarrow(name: str) -> Any:
    try:
        import pyarrow as pa  # noqa: PLC0415 - an extra
        import pyarrow.ipc  # noqa: PLC0415 - heavy
    except ImportError as error:
        raise InputError(f"{name} is an Arrow file, which needs pyarrow; pip install 'infoscope[arrow]'") from error
    return pa


# ── lines of JSON: one object a line, keys found by their exact names ─────────────────────────────


_FIRST_LINES = 1000
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def scan_ndjson(session: Session, files: Files, names: Sequence[str]) -> Scan:
    """Scan one JSON object a line; values are counted as they are written and understood afterwards."""
    hive, asked = files.by_place(names)
    hive_options = f", hive_partitioning={bool(hive)}, hive_types_autocast=false"
    marked = False
    for path in files.paths:
        keys = list_first_keys(path, files.compression, asked)
        late = [name for name in asked if name not in keys]
        later: list[str] = []
        if late:  # keys that a file has after its first lines
            fields = {name: f"f{i}" for i, name in enumerate(late)}
            relation, values = _json_lines(replace(files, paths=(path,)), fields, ())
            seen = ", ".join(f"bool_or({short} IS NOT NULL)" for short in fields.values())
            are_there = session.row(f"SELECT {seen} FROM {relation}", **values) or ()
            later = [name for name, is_there in zip(late, are_there, strict=False) if is_there]
        pick_columns(asked, [*keys, *later], str(path))
        marked = marked or first_bytes(path, files.compression, len(BYTE_ORDER_MARK)) == BYTE_ORDER_MARK
    named = {name: f"to_json({identifier(name)})" for name in hive}
    if marked or "" in asked or len({name.lower() for name in asked}) < len(asked):
        fields = {name: f"f{i}" for i, name in enumerate(asked)}
        relation, values = _json_lines(files, fields, hive)
        return Scan(relation, values, named | fields)
    shape = ", ".join(f"{literal(name)}: 'JSON'" for name in asked)
    relation = (
        f"read_json($paths, format='newline_delimited', columns={{{shape}}}, "
        f"compression='{files.compression}', maximum_object_size={LONGEST_LINE}{hive_options})"
    )
    named |= {name: identifier(name) for name in asked}
    return Scan(relation, {"paths": [escape_path(path) for path in files.paths]}, named)


def list_first_keys(path: Path, compression: str, asked: Sequence[str] = ()) -> dict[str, None]:
    """Return the keys of the first lines, in order; an asked one may be there once a line."""
    keys: dict[str, None] = {}
    for found in islice(_keys_by_line(path, compression, asked, LONGEST_LINE), _FIRST_LINES):
        keys |= dict.fromkeys(found)
    return keys


def _keys_by_line(path: Path, compression: str, asked: Sequence[str], limit: int | None = None) -> Iterator[list[str]]:
    with open_text(path, compression, limit) as file:
        for number, line in enumerate(file, 1):
            found = _keys(line, f"{path}, line {number}")
            twice = next((name for name in asked if found.count(name) > 1), None)
            if twice is not None:
                raise InputError(f"{path}, line {number} has the key {twice!r} twice; keep one of them")
            yield found


def _json_lines(files: Files, fields: dict[str, str], hive: Sequence[str]) -> tuple[str, dict[str, Any]]:
    """Return lines as text, each key taken out by its exact name: for what the engine's own JSON reader rejects."""
    values: dict[str, Any] = {"paths": [escape_path(path) for path in files.paths]}
    for name, short in fields.items():
        values[f"key_{short}"] = "/" + name.replace("~", "~0").replace("/", "~1")
    taken = [f"json_extract(line, $key_{short}) AS {short}" for short in fields.values()]
    relation = (
        f"(SELECT {', '.join([*taken, *map(identifier, hive)])} FROM read_csv($paths, auto_detect=false, "
        "header=false, quote='', escape='', delim='\x01', columns={'line': 'VARCHAR'}, strict_mode=false, "
        f"{write_text_options(files.compression)}"
        f", hive_partitioning={bool(hive)}, hive_types_autocast=false) WHERE trim(line, ' \t\r') <> '')"
    )
    return relation, values


def _keys(line: str, where: str) -> list[str]:
    """Return the keys of an object as often as they stand there; of one inside another, those of the outer one."""
    if not line.strip():
        return []
    keys: list[list[str]] = []

    def noted(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        keys.append([key for key, _ in pairs])
        return dict(pairs)

    try:
        value = json.loads(line, object_pairs_hook=noted)
    except RecursionError as error:
        raise InputError(f"{where} is nested too deeply; fix or remove that line") from error
    except ValueError as error:
        if line.strip() == "{":
            raise InputError(
                f"{where.partition(', line ')[0]} is one JSON document over several lines, as a stored result is, and "
                "no rows: name the file of rows that it was made from, or write one object per line"
            ) from error
        reason = error.msg if isinstance(error, json.JSONDecodeError) else "a number has too many digits"
        raise InputError(f"{where} is not JSON ({reason[:1].lower()}{reason[1:]}); fix or remove that line") from error
    if not isinstance(value, dict):
        raise InputError(f"{where} is {line.strip()[:40]!r}; each line is a JSON object")
    if _SURROGATE.search(line) and re.search("[\ud800-\udfff]", json.dumps(value, ensure_ascii=False)):
        raise InputError(
            f"{where} has half of a surrogate pair as an escape (\\ud800 to \\udfff); fix or remove that line"
        )
    return keys[-1]
