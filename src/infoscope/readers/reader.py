"""Reading: from any source of rows to tables, joint counts and patterns, in one pass."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from operator import add
from pathlib import Path
from typing import Any, TypedDict, TypeVar, Unpack

import numpy as np
from numpy.typing import NDArray

from infoscope.core.files import scratch_folder
from infoscope.errors import InfoscopeError, InputError, UnknownNameError, check_keywords, secrets_hidden
from infoscope.readers.conversions import check_encoding, converted
from infoscope.readers.csv_text import with_first_rows, with_numbered_columns
from infoscope.readers.dask import count_files, count_files_by_dask, spelt
from infoscope.readers.decode import Group, Joint, Tally, assemble, check_weights, joint_counts, unify_whole_numbers
from infoscope.readers.duckdb import CountingLimits, opened, scan_in_order
from infoscope.readers.files import Files, addresses_of, find_files, raise_for_each
from infoscope.readers.frames import (
    column_lists,
    count_batches,
    count_columns,
    count_frame,
    frame_columns,
    is_column_mapping,
    is_eager_frame,
    is_frame,
    is_record_batches,
)
from infoscope.readers.ifs_parts import IfsParts, Stated, load_parts, save_part
from infoscope.readers.labels import Cleaning, as_text, check_comparable, cleaner, match_label, meaning, meanings
from infoscope.readers.query import Columns, check_name
from infoscope.readers.spark import count_files_by_spark
from infoscope.readers.sql import count_query, is_database_pair, is_database_url
from infoscope.tables import Contingency
from infoscope.tables.counting import check_weight_scale
from infoscope.tables.labels import Label, as_label, check_kinds, is_missing, sorted_labels
from infoscope.tables.missing import warn_of_rows
from infoscope.tables.rows import Patterns
from infoscope.typing import Source

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


# ── systems read together ─────────────────────────────────────────────────────────────────────────


def rows_in_order(source: Source, files: Files | None, columns: Columns, how: ReadOptions) -> Tally | None:
    """A tally in which every row stands by itself; None where the source has no order, as a table of a database."""
    if files is not None:
        return _of_files(files, columns, how) if files.format != "ifs" and how.engine == "duckdb" else None
    return _of_frame(source, columns) if is_eager_frame(source) else None


def _of_files(files: Files, columns: Columns, how: ReadOptions) -> Tally:
    with files.named(), scratch_folder() as folder, opened(folder, files.name, how.limits) as session:
        scan = scan_in_order(session, files, columns, how.delimiter)
        fields = ", ".join(scan.columns[name] for name in columns.names)
        lines = session.rows(f"SELECT {fields} FROM {scan.relation}", **scan.values)
    tally = _singly(columns, list(zip(*lines, strict=True)) or [()] * len(columns.names))
    for name, decoder in scan.decoders.items():
        tally = tally.mapped(name, decoder)
    return unify_whole_numbers([spelt(tally, files.format)], columns, files.format)[0]


def _of_frame(source: Any, columns: Columns) -> Tally:
    return _singly(columns, list(frame_columns(source, columns.names).values()))


def _singly(columns: Columns, values: list[Any]) -> Tally:
    return Tally.from_columns(columns.names, values, np.ones(len(values[0]), dtype=np.int64))


SMALL_FILES = 64 << 20
"""Bytes of text files up to which all systems are counted together; an eighth of it for compressed ones."""
SMALL_FRAME = 1_000_000
"""Rows of a frame up to which they are."""


@dataclass(frozen=True)
class Asked:
    """Which columns to read, and what their labels mean."""

    truth: str
    systems: tuple[str, ...]
    weight: str | None = None
    by: tuple[str, ...] = ()
    cluster: str | None = None
    reject: Label | None = None
    positive: Label | None = None
    clean: Cleaning = ()
    max_ordered: int = 0
    """Also hand out the rows one by one in their order, if there are at most this many."""

    def __post_init__(self) -> None:
        """Reject a cluster column that is something else already."""
        if self.cluster is not None and self.cluster in (self.truth, *self.systems, *self.by, self.weight):
            raise InputError(f"column {self.cluster!r} is named as cluster and as something else; it is one of them")

    @property
    def columns(self) -> Columns:
        """All of them counted together; groups of rows as if they were predictions."""
        several = (*self.systems, *(() if self.cluster is None else (self.cluster,)))
        return Columns.asked(self.truth, several, weight=self.weight, by=self.by, joint=True)


@dataclass(frozen=True)
class Together:
    """What a pass over a source gave, and what is known of the rows that systems share."""

    reading: Tables
    joints: Mapping[Group, Joint] = field(default_factory=dict)
    """By group; empty where systems were counted apart."""
    clusters: Mapping[tuple[Group, str], Any] = field(default_factory=dict)
    """Cells by cluster of each group and system, where clusters were asked for."""
    ordered: Joint | None = None
    """Every row by itself, in the order of the source, where that was asked for and exists."""


def read_together(source: Source, asked: Asked, how: ReadOptions | None = None) -> Together:
    """Tables of all systems; also their joint counts for clusters, and for several systems of a small source."""
    how = how or ReadOptions()
    with scratch_folder() as folder:
        files = files_of(source, how, folder)
        if files is not None and files.format == "ifs" and asked.cluster is not None:
            raise InputError("tables do not remember which rows belong to which cluster; read the rows")
        if (files is None or files.format != "ifs") and not (asked.truth and asked.systems):
            raise InputError("rows need the name of the truth column and of at least one system")
        several = len(asked.systems) > 1
        if asked.cluster is None and not (several and _is_small(source, files)):
            found = Together(_read_apart(source, asked, how, files, folder))
        else:
            found = _from_tally(count_rows(source, files, asked.columns, how, folder)[0], asked)
        return replace(found, ordered=_ordered(source, files, asked, how, found.reading.rows))


def _ordered(source: Any, files: Files | None, asked: Asked, how: ReadOptions, rows: int | None) -> Joint | None:
    if asked.by or rows is None or rows > asked.max_ordered:
        return None
    columns = Columns.asked(asked.truth, asked.systems, joint=True)
    tally = rows_in_order(source, files, columns, how)
    return None if tally is None else joint_counts(tally, columns, asked.clean)[()]


def _read_apart(source: Any, asked: Asked, how: ReadOptions, files: Files | None, folder: Path) -> Tables:
    if files is not None and files.format == "ifs":
        stated = Stated(asked.weight, asked.by or None, asked.reject, asked.positive, asked.clean)
        return read_parts(files, asked.systems or None, stated)
    columns = Columns.asked(asked.truth, asked.systems, weight=asked.weight, by=asked.by)
    tallies = count_rows(source, files, columns, how, folder)
    return reading_of(tallies, columns, clean=asked.clean, reject=asked.reject, positive=asked.positive)


def _from_tally(tally: Tally, asked: Asked) -> Together:
    """Tables, joint counts and clusters from distinct rows of all columns."""
    if asked.cluster is not None:
        tally = tally.mapped(asked.cluster, _marked)
    joints = joint_counts(tally, asked.columns, asked.clean)
    tables: dict[Group, dict[str, Contingency]] = {}
    clusters: dict[tuple[Group, str], Any] = {}
    labels = {"reject": asked.reject, "positive": asked.positive}
    for group, joint in joints.items():
        for name in asked.systems:
            if asked.cluster is None:
                table = joint.counted(name, **labels)
            else:
                table, clusters[group, name] = joint.clustered(name, asked.cluster, **labels)
            tables.setdefault(group, {})[name] = table
    homeless = _homeless(tally, joints, asked)
    reading = Tables(tables, tally.total, homeless | _ignored(tables, asked), asked.by, homeless)
    return Together(reading, joints, clusters)


def _marked(value: Any) -> str | None:
    """A cluster's name as text that is no class's."""
    return None if is_missing(value) else f"\0cluster {as_text(value)}"


def _homeless(tally: Tally, joints: Mapping[Group, Joint], asked: Asked) -> dict[str, int]:
    """Rows of no group."""
    rows = tally.total - sum(joint.tally.total for joint in joints.values())
    return {f"missing group in {' or '.join(map(repr, asked.by))}": rows} if rows else {}


def _ignored(tables: Mapping[Group, Mapping[str, Contingency]], asked: Asked) -> dict[str, int]:
    """Rows by reason; a row that several systems miss for the same reason is still one row."""
    most: dict[str, int] = {}
    for name in asked.systems:
        mine: dict[str, int] = {}
        for systems in tables.values():
            for reason, rows in systems[name].ignored.items():
                mine[reason] = mine.get(reason, 0) + rows
        most = {reason: max(most.get(reason, 0), mine.get(reason, 0)) for reason in {**most, **mine}}
    return most


def _is_small(source: Any, files: Files | None) -> bool:
    if files is not None:
        if files.format == "ifs":
            return False
        size = sum(path.stat().st_size for path in files.paths)
        dense = files.compression != "none" or files.format not in ("csv", "tsv", "ndjson")
        return size <= (SMALL_FILES // 8 if dense else SMALL_FILES)
    return (
        is_frame(source) and isinstance(shape := getattr(source, "shape", None), tuple) and _rows(shape) <= SMALL_FRAME
    )


def _rows(shape: Sequence[Any]) -> float:
    return shape[0] if isinstance(shape[0], int) else float("inf")


# ── distinct rows of several columns ──────────────────────────────────────────────────────────────


def read_patterns(
    source: Source,
    columns: Sequence[str],
    *,
    weight: str | None = None,
    clean: Cleaning = (),
    comparable: bool = True,
    read: ReadOptions | None = None,
) -> Patterns:
    """Distinct rows of some columns of any source, with their counts.

    ``source`` is a mapping of names to labels, or anything that ``infoscope.read`` takes. Missing labels are kept.
    ``comparable`` says that the columns name the same classes, so that 1 and "1" in two of them are rejected.
    """
    if is_column_mapping(source):
        return _from_mapping(source, columns, weight, clean, comparable=comparable)
    asked = Columns.asked(columns[0], list(columns[1:]), weight=weight, joint=True)
    joint = read_joints(source, asked, clean, read)[()]
    return patterns_of(joint.tally, columns, clean, comparable=comparable)


def read_patterns_by_group(
    source: Source,
    columns: Sequence[str],
    by: str | Sequence[str],
    *,
    weight: str | None = None,
    clean: Cleaning = (),
    comparable: bool = True,
    read: ReadOptions | None = None,
) -> dict[Group, Patterns]:
    """The same for each value of a column, or of several; rows without one are left out, with a warning."""
    asked = Columns.asked(columns[0], list(columns[1:]), weight=weight, by=by, joint=True)
    if is_column_mapping(source):
        whole = _from_mapping(source, [*asked.by, *columns], weight, clean, comparable=False)
        if comparable:
            _check_same_kinds(whole.select(list(columns)))
        return {group: part.select(list(columns)) for group, part in _by_group(whole, asked.by)}
    joints = read_joints(source, asked, clean, read)
    return {group: patterns_of(joint.tally, columns, clean, comparable=comparable) for group, joint in joints.items()}


def read_split_patterns(
    source: Source,
    columns: Sequence[str],
    by: Sequence[str],
    *,
    weight: str | None = None,
    clean: Cleaning = (),
    comparable: bool = True,
    read: ReadOptions | None = None,
) -> Patterns:
    """The patterns of all groups together, with the columns of the groups behind the others."""
    parts = read_patterns_by_group(source, columns, by, weight=weight, clean=clean, comparable=comparable, read=read)
    if not parts:
        raise InputError(f"no row has a group in {', '.join(map(repr, by))}; there is nothing to evaluate")
    return reduce(add, (_in_group(part, by, group) for group, part in parts.items()))


def _in_group(part: Patterns, by: Sequence[str], group: Group) -> Patterns:
    """Patterns with the values of their group beside them."""
    return Patterns.from_codes(
        {**dict(zip(part.names, part.labels, strict=True)), **{name: (x,) for name, x in zip(by, group, strict=True)}},
        np.vstack([part.codes, np.zeros((len(by), len(part)), dtype=part.codes.dtype)]),
        part.counts,
        part.squares,
    )


def _by_group(whole: Patterns, by: Sequence[str]) -> Iterator[tuple[Group, Patterns]]:
    """The rows of each group, sorted, by the columns that come first."""
    for at, name in enumerate(by):
        lost = int(whole.counts[~whole.present[at] & whole.present[:at].all(axis=0)].sum())
        warn_of_rows({f"missing group in {name!r}": lost} if lost else {})
    codes = whole.codes[: len(by)]
    for group in np.unique(codes[:, whole.present[: len(by)].all(axis=0)], axis=1).T.tolist():
        labels = tuple(known[code] for known, code in zip(whole.labels, group, strict=False))
        yield labels, whole.where((codes == np.array(group)[:, None]).all(axis=0))


def patterns_of(tally: Tally, columns: Sequence[str], clean: Cleaning = (), *, comparable: bool = True) -> Patterns:
    """The patterns of a tally; rows without a weight are left out, with a warning."""
    check_weights(tally)
    named = {
        name: meanings(tally.labels[at], name, clean) for at, name in enumerate(tally.keys) if name in set(columns)
    }
    if comparable:
        check_comparable(named)
    labels: dict[str, tuple[Label, ...]] = {}
    codes = []
    for name in columns:
        labels[name] = sorted_labels({label for label in named[name] if label is not None})
        place: dict[Label | None, int] = {label: at for at, label in enumerate(labels[name])}
        move = np.array([*(place.get(label, -1) for label in named[name]), -1], dtype=np.int64)
        codes.append(move[tally.codes[tally.keys.index(name)]])
    coded = np.array(codes, dtype=np.int64).reshape(len(columns), -1)
    if tally.weights is None:
        return Patterns.from_codes(labels, coded, tally.rows)
    weighed = np.ones(len(tally.rows), bool) if tally.unweighed is None else ~tally.unweighed
    lost = int(tally.rows[~weighed].sum())
    warn_of_rows({"missing weight": lost} if lost else {})
    check_weight_scale(tally.weights[weighed])
    squares = tally.weights**2 if tally.squares is None else tally.squares
    return Patterns.from_codes(labels, coded[:, weighed], tally.weights[weighed], squares[weighed])


def _from_mapping(
    source: Mapping[str, Any], columns: Sequence[str], weight: str | None, clean: Cleaning, *, comparable: bool
) -> Patterns:
    for name in (*columns, *(() if weight is None else (weight,))):
        check_name(name)
        if name not in source:
            raise InputError(f"the source has no column {name!r}; it has {', '.join(map(repr, source))}")
    found = Patterns.from_columns({name: source[name] for name in columns}, None if weight is None else source[weight])
    if clean:
        tidy = cleaner(clean)
        found = found.mapped(lambda label, name: tidy(meaning(label, name)))
    if comparable:
        _check_same_kinds(found)
    return found


def _check_same_kinds(patterns: Patterns) -> None:
    """Reject numbers in one column and text in another."""
    named = [(name, labels) for name, labels in zip(patterns.names, patterns.labels, strict=True) if labels]
    for (one, left), (other, right) in itertools.pairwise(named):
        check_kinds(left, right, called=(f"{one} has", f"{other} has"))


def row_patterns(
    source: Source, patterns: Patterns, read: ReadOptions | None = None, clean: Cleaning = ()
) -> NDArray[np.int64] | None:
    """For each row of a source, in its order, the place of its pattern; −1 where it is none of them.

    None where the source has no order, as a table of a database.
    """
    rows = _rows_in_order(source, patterns.names, read or ReadOptions())
    if rows is None:
        return None
    places = {tuple(codes): at for at, codes in enumerate(patterns.codes.T.tolist())}
    labels = [{label: code for code, label in enumerate(known)} for known in patterns.labels]
    moves = [
        np.array(
            [-1 if label is None else known.get(label, -1) for label in meanings(values, name, clean)], dtype=np.int64
        )
        for name, known, values in zip(patterns.names, labels, rows.labels, strict=True)
    ]
    coded = np.array([move[codes] for move, codes in zip(moves, rows.codes, strict=True)], dtype=np.int64)
    return np.array([places.get(tuple(codes), -1) for codes in coded.T.tolist()], dtype=np.int64)


def read_rows(
    source: Source, columns: Sequence[str], read: ReadOptions | None = None
) -> dict[str, list[Label | None]] | None:
    """The labels of some columns, row by row in the order of the source; None where it has no order."""
    rows = _rows_in_order(source, tuple(columns), read or ReadOptions())
    if rows is None:
        return None
    found = {}
    for name, values, codes in zip(rows.keys, rows.labels, rows.codes, strict=True):
        labels = meanings(values, name)
        found[name] = [labels[code] for code in codes.tolist()]
    return found


def _rows_in_order(source: Any, columns: Sequence[str], how: ReadOptions) -> Tally | None:
    if is_column_mapping(source):
        values = column_lists(source, columns)
        return Tally.from_columns(
            tuple(columns), list(values.values()), np.ones(len(values[columns[0]]), dtype=np.int64)
        )
    with scratch_folder() as folder:
        asked = Columns.asked(columns[0], list(columns[1:]), joint=True)
        return rows_in_order(source, files_of(source, how, folder), asked, how)


# ── tables that are counted already ───────────────────────────────────────────────────────────────


Key = TypeVar("Key")
_OF_ROWS = ("weight", "by", "clean", "reject", "labels")


def finished_tables(tables: Mapping[Key, Contingency], options: Mapping[str, Any]) -> dict[Key, Contingency]:
    """Tables with the positive class that is stated; options about their rows are rejected, which are counted."""
    if options.get("groups") is not None:
        raise InputError("a finished table does not know which rows belong together; groups= needs the rows")
    given = {name: value for name, value in options.items() if name in _OF_ROWS and value is not None}
    stated = next((name for name, value in given.items() if not isinstance(value, tuple) or value), None)
    if stated is not None:
        raise InputError(f"{stated}= is about rows, and a finished table has none; state it where the table is made")
    positive = options.get("positive")
    if positive is None:
        return dict(tables)
    return {
        key: replace(table, positive=match_label(as_label(positive), table.truth_labels))
        for key, table in tables.items()
    }
