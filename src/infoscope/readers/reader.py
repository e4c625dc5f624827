"""Reading: from any source of rows to tables, in one pass."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypedDict, Unpack

from infoscope.core.scratch_files import scratch_folder
from infoscope.errors import InfoscopeError, InputError, UnknownNameError, check_keywords, secrets_hidden
from infoscope.readers.addresses import addresses_of
from infoscope.readers.assemble import Group, assemble, unify_whole_numbers
from infoscope.readers.column_mapping import count_columns
from infoscope.readers.columns import Columns
from infoscope.readers.conversions import check_encoding, converted
from infoscope.readers.csv_text import with_first_rows, with_numbered_columns
from infoscope.readers.dask import count_files, count_files_by_dask
from infoscope.readers.duckdb.session import CountingLimits
from infoscope.readers.files import Files, find_files, raise_for_each
from infoscope.readers.frames import count_batches, count_frame, is_frame, is_record_batches
from infoscope.readers.ifs_parts import IfsParts, Stated, load_parts, save_part
from infoscope.readers.joint import Joint, joint_counts
from infoscope.readers.labels import Cleaning
from infoscope.readers.spark.files import count_files_by_spark
from infoscope.readers.sql import count_query, is_database_pair, is_database_url
from infoscope.readers.tally import Tally
from infoscope.tables import Contingency
from infoscope.tables.labels import Label
from infoscope.tables.missing import warn_of_rows
from infoscope.typing import Source

__all__ = [
    "ENGINES",
    "LabelKeywords",
    "ReadOptions",
    "TableKeywords",
    "Tables",
    "count_rows",
    "counted_tables",
    "files_of",
    "read",
    "read_joint",
    "read_joints",
    "read_parts",
    "read_tables",
    "reading_of",
]

ENGINES = ("duckdb", "spark", "dask", "sql")


@dataclass(frozen=True)
class ReadOptions:
    """How a source is read, where its name or type does not say it all."""

    format: str | None = None
    delimiter: str | None = None
    engine: str = "duckdb"
    url: str | None = field(default=None, repr=False)
    """The address of the engine: a cluster or a database."""
    memory: str | None = None
    """Memory for counting, like "2GB"; beyond it, disk is used."""
    threads: int | None = None
    native: bool | None = None
    """Whether the compiled part may read Parquet; None leaves it to the environment variable INFOSCOPE_NATIVE."""
    encoding: str | None = None
    """The encoding of text files, like "latin-1", "cp1252" or "utf-16"; UTF-8 unless said."""
    sheet: str | int | None = None
    """The sheet of a workbook by its name, or by its place from 1; needed where several have data."""
    header: bool = True
    """Whether CSV and TSV files begin with the names of their columns; without, these are 0, 1, …"""
    max_rows: int | None = None
    """Read at most this many rows of the files, the first ones."""

    def __post_init__(self) -> None:
        """Reject an engine that does not exist."""
        if self.engine not in ENGINES:
            raise UnknownNameError(f"there is no engine {self.engine!r}; choose from {', '.join(ENGINES)}")
        if self.url is not None and self.engine == "duckdb":
            raise InputError(f"{self.url} is not used by engine duckdb; name its engine, too")
        if self.encoding is not None:
            check_encoding(self.encoding)
        if self.max_rows is not None and self.max_rows < 1:
            raise InputError(f"at most {self.max_rows} rows were asked for; a table needs one at least")

    @property
    def limits(self) -> CountingLimits:
        """What counting may use."""
        return CountingLimits(self.memory, self.threads)


@dataclass(frozen=True)
class Tables(Mapping[tuple[Group, str], Contingency]):
    """What a pass over a source gave: tables by group and system, and what became of the rows.

    ``tables[group, system]`` is one table; the group of a source that is not split is (). ``rows`` is None for tables
    that were counted elsewhere, whose rows nobody saw here; ``ungrouped`` are the ignored rows that belong to no group.
    """

    by_group: Mapping[Group, Mapping[str, Contingency]]
    rows: int | None
    ignored: Mapping[str, int]
    by: tuple[str, ...] = ()
    ungrouped: Mapping[str, int] = field(default_factory=dict)

    def __getitem__(self, key: tuple[Group, str]) -> Contingency:
        """The table of a group and a system."""
        group, system = key
        return self.by_group[group][system]

    def __iter__(self) -> Iterator[tuple[Group, str]]:
        """Every group with every system."""
        return ((group, system) for group, tables in self.by_group.items() for system in tables)

    def __len__(self) -> int:
        """How many tables there are."""
        return sum(map(len, self.by_group.values()))

    def by_name(self) -> dict[str, Contingency]:
        """The tables by the names of their systems, each with its group where rows were split."""
        return {
            f"{system} ({', '.join(map(str, group))})" if group else system: table
            for (group, system), table in self.items()
        }

    def save(self, path: str | os.PathLike[str], *, replace: bool = True) -> None:
        """Write the tables to one .ifs file, to be merged with others later."""
        save_part(IfsParts(self.by_group, self.by, self.ungrouped), path, replace=replace)


class LabelKeywords(TypedDict, total=False):
    """What weighs the rows and what their labels mean, as keyword arguments."""

    weight: str | None
    reject: Label | None
    positive: Label | None
    clean: Cleaning


class TableKeywords(LabelKeywords, total=False):
    """The same, with columns that split the rows."""

    by: str | Sequence[str] | None


def read(
    source: Source,
    *,
    truth: str | None = None,
    system: str | None = None,
    read: ReadOptions | None = None,
    **labels: Unpack[LabelKeywords],
) -> Contingency:
    r"""The table of one system in a source.

    A source is a path, a pattern, a folder or a list of them ("-" is standard input); any dataframe or lazy frame; a
    mapping of columns; a Spark, Dask or Ibis table; or a pair of a database connection, or its address, and a table or
    query. Labels are taken verbatim unless ``clean`` names one or several of strip, nfc, casefold, text and number.
    Rows without a label are left out, counted in ``ignored`` of the table and reported by a ``MissingLabelsWarning``.
    ``read_tables`` reads several systems, and groups.

    >>> import tempfile, pathlib
    >>> log = pathlib.Path(tempfile.mkdtemp()) / "log.csv"
    >>> _ = log.write_text("gold,svm\ncat,cat\ncat,dog\ndog,dog\n")
    >>> read(log, truth="gold", system="svm").counts.tolist()
    [[1, 1], [0, 1]]
    """
    if isinstance(system, (list, tuple, set)):
        raise InputError("read gives the table of one system; use read_tables for several")
    tables = read_tables(source, truth=truth, system=system, read=read, **labels)
    if len(tables) != 1:
        raise InputError(f"the source holds {len(tables)} tables, and read gives one; use read_tables for all of them")
    return next(iter(tables.values()))


def read_tables(
    source: Source,
    *,
    truth: str | None = None,
    system: str | Sequence[str] | None = None,
    read: ReadOptions | None = None,
    **labels: Unpack[TableKeywords],
) -> Tables:
    """Tables by group and system, with an account of the rows: how many were read, and why some were ignored."""
    tables = counted_tables(source, truth, system, read, **labels)
    warn_of_rows(tables.ignored)
    return tables


def counted_tables(
    source: Source,
    truth: str | None,
    system: str | Sequence[str] | None,
    how: ReadOptions | None = None,
    **labels: Unpack[TableKeywords],
) -> Tables:
    """The same without the warning, for callers that warn once of several sources."""
    check_keywords(labels, TableKeywords)
    stated = Stated(**labels)
    how = how or ReadOptions()
    with scratch_folder() as folder:
        files = files_of(source, how, folder)
        if files is not None and files.format == "ifs":
            return read_parts(files, system, stated)
        if truth is None or system is None:
            raise InputError("rows need the name of the truth column and of at least one system")
        columns = Columns.asked(truth, system, weight=stated.weight, by=stated.by)
        tallies = count_rows(source, files, columns, how, folder)
    return reading_of(tallies, columns, clean=stated.clean, reject=stated.reject, positive=stated.positive)


def reading_of(
    tallies: Sequence[Tally],
    columns: Columns,
    *,
    clean: Cleaning = (),
    reject: Label | None = None,
    positive: Label | None = None,
) -> Tables:
    """The account of one pass that counted each system apart."""
    made = assemble(tallies, columns, clean=clean, reject=reject, positive=positive)
    _check_totals(tallies)
    return Tables(made.tables, tallies[0].total, made.ignored, columns.by, made.homeless)


def read_joint(
    source: Source,
    *,
    truth: str,
    system: Sequence[str],
    weight: str | None = None,
    clean: Cleaning = (),
    read: ReadOptions | None = None,
) -> Joint:
    """Counts of truth × A × B × … in one pass."""
    columns = Columns.asked(truth, system, weight=weight, joint=True)
    return read_joints(source, columns, clean, read)[()]


def read_joints(
    source: Source, columns: Columns, clean: Cleaning = (), how: ReadOptions | None = None
) -> dict[Group, Joint]:
    """The same for each group of the columns."""
    how = how or ReadOptions()
    with scratch_folder() as folder:
        files = files_of(source, how, folder)
        if files is not None and files.format == "ifs":
            raise InputError("tables do not remember which rows two systems share; read the rows")
        (tally,) = count_rows(source, files, columns, how, folder)
    return joint_counts(tally, columns, clean)


@secrets_hidden()
def count_rows(source: Source, files: Files | None, columns: Columns, how: ReadOptions, folder: Path) -> list[Tally]:
    """Distinct rows of any source, one tally a margin; those of files may spill into ``folder``."""
    clusters: dict[str, Callable[..., list[Tally]]] = {
        "spark": count_files_by_spark,
        "dask": partial(count_files_by_dask, native=how.native),
    }
    by_cluster = clusters.get(how.engine)
    named = files if by_cluster is None or files is not None else addresses_of(source, how.format)
    if by_cluster is not None and named is not None:
        with nullcontext() if files is None else files.named():
            tallies = by_cluster(named, columns, how.delimiter, how.url)
        return list(unify_whole_numbers(tallies, columns, named.format))
    if files is not None:
        with files.named():
            tallies = count_files(files, columns, how.delimiter, how.limits, folder, native=how.native)
        return list(unify_whole_numbers(tallies, columns, files.format))
    if how.engine == "sql":
        if how.url is None:
            raise InputError("engine sql needs the address of a database, like postgresql://host/db")
        return count_query(how.url, source, columns)
    if isinstance(source, tuple) and len(source) == 2:
        return count_query(source[0], source[1], columns)
    if is_record_batches(source):
        return count_batches(source, columns)
    if is_frame(source):
        return count_frame(source, columns)
    if isinstance(source, Mapping):
        return count_columns(source, columns)
    raise InputError(
        f"a {type(source).__name__} cannot be read; give a path, a dataframe, a mapping of columns, a Spark, Dask or "
        "Ibis table, or a pair of a database connection and a query"
    )


def files_of(source: object, how: ReadOptions, folder: Path) -> Files | None:
    """The files of a source, or None where it is none of files."""
    files = _files_of(source, how, folder)
    if files is None and (how.max_rows is not None or not how.header):
        raise InputError("a limit of rows, or rows without a header, is for files that are read here; limit the source")
    return files


def _files_of(source: object, how: ReadOptions, folder: Path) -> Files | None:
    if isinstance(source, Files):
        return source
    if how.engine == "sql" or (how.engine in ("spark", "dask") and addresses_of(source, how.format) is not None):
        if how.encoding is not None or how.sheet is not None:
            raise InputError(f"an encoding or a sheet is for files that are read here, not by engine {how.engine}")
        return None  # nothing here opens what lies behind an address
    if isinstance(source, (str, os.PathLike)):
        if is_database_url(source):
            raise InputError(
                f"{os.fspath(source)} is a database; give a pair of it and a table or query (on the "
                "command line: the table or query as SOURCE, with --engine sql --engine-url)"
            )
        return _found(source, how, folder)
    if isinstance(source, (list, tuple)) and not is_database_pair(source):
        paths = all(isinstance(item, (str, os.PathLike)) for item in source)
        return _found(source, how, folder) if paths else None
    return None


def _found(source: Any, how: ReadOptions, folder: Path) -> Files:
    files = converted(find_files(source, how.format, folder), folder, how.encoding, how.sheet)
    if not how.header:
        files = with_numbered_columns(files, folder, how.delimiter)
    return files if how.max_rows is None else with_first_rows(files, folder, how.max_rows)


def read_parts(files: Files, system: str | Sequence[str] | None, stated: Stated) -> Tables:
    """The sum of tables that are counted already."""
    with files.named():
        try:
            parts = load_parts(files.paths)
        except InfoscopeError as error:
            raise_for_each(error, files, lambda one: load_parts(one.paths))
            raise
    stated.check(parts, files.name)
    tables = stated.named(parts.tables)
    if system is not None:
        wanted = (system,) if isinstance(system, str) else tuple(system)
        known = list(dict.fromkeys(name for systems in tables.values() for name in systems))
        for name in wanted:
            if name not in known:
                raise UnknownNameError(f"{files.name} has no system {name!r}; it has {', '.join(map(repr, known))}")
        tables = {
            group: {name: systems[name] for name in wanted if name in systems} for group, systems in tables.items()
        }
    ignored = dict(parts.homeless)
    for group in tables.values():
        most: dict[str, int] = {}
        for table in group.values():
            most |= {why: max(most.get(why, 0), rows) for why, rows in table.ignored.items()}
        ignored = {why: ignored.get(why, 0) + most.get(why, 0) for why in {**ignored, **most}}
    return Tables(tables, None, ignored, parts.by, parts.homeless)


def _check_totals(tallies: Sequence[Tally]) -> None:
    totals = {tally.total for tally in tallies}
    if len(totals) > 1:
        raise InputError(
            f"the source changed while it was read: it had {min(totals)} rows, then {max(totals)}; "
            "read a copy that does not change"
        )
