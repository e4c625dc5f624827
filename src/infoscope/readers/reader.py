"""Reading: from any source of rows to tables, joint counts and distinct rows, in one pass.

`read_tables` and `read_joint` are public. Each makes a `Query`, the first engine that accepts the source counts its
rows (`count_rows`), and `labels` says what values mean. `Joint` holds the rows of several systems, so that those that
predicted the same rows can be paired; `read_together` reads what an evaluation needs, `read_distinct_rows` columns that
need no truth.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import add
from typing import Any, TypedDict, TypeVar

import numpy as np
from numpy.typing import NDArray

from infoscope.core.files import scratch_folder
from infoscope.core.validation import KeywordHints, validated
from infoscope.errors import InfoscopeError, InputError, UnknownNameError, hide_secrets, suggest_name
from infoscope.readers.engine import find_engine, open_source
from infoscope.readers.files import Addresses, Files, raise_for_each
from infoscope.readers.frames import is_column_mapping, is_eager_frame, is_frame
from infoscope.readers.ifs_parts import IfsParts, check_counted_as, load_parts, name_positive, save_part
from infoscope.readers.labels import (
    CLUSTER_PREFIX,
    Cleaning,
    as_text,
    check_comparable,
    check_weights,
    decode_rows,
    decode_texts,
    decode_values,
    match_label,
    match_stated,
    rank_labels,
    unify_dates,
    unify_whole_numbers,
)
from infoscope.readers.query import Query, ReadOptions, as_names, check_column_names, check_name
from infoscope.tables import Contingency
from infoscope.tables.counting import add_ignored, check_weight_scale, merge_ignored, warn_of_rows
from infoscope.tables.labels import Label, as_label, check_kinds, is_missing
from infoscope.tables.rows import Group, Rows
from infoscope.typing import Source


@dataclass(frozen=True)
class Tables(KeywordHints, Mapping[tuple[Group, str], Contingency]):
    """Tables of one pass over a source by group and system, and an account of its rows.

    ``tables[group, system]`` is one table; the group of a source that is not split is ().

    Attributes
    ----------
    by_group : mapping of group to mapping of system to Contingency
        All tables.
    rows : int, optional
        Rows of the source; None for tables that were counted elsewhere, whose rows nobody saw here.
    ignored : mapping of str to int
        Rows that were left out, by reason.
    by : tuple of str
        Columns that split the rows.
    ungrouped : mapping of str to int
        The ignored rows that belong to no group.
    """

    by_group: Mapping[Group, Mapping[str, Contingency]]
    rows: int | None
    ignored: Mapping[str, int]
    by: tuple[str, ...] = ()
    ungrouped: Mapping[str, int] = field(default_factory=dict)

    def __getitem__(self, key: tuple[Group, str]) -> Contingency:
        group, system = key
        return self.by_group[group][system]

    def __iter__(self) -> Iterator[tuple[Group, str]]:
        return ((group, system) for group, tables in self.by_group.items() for system in tables)

    def __len__(self) -> int:
        return sum(map(len, self.by_group.values()))

    def by_name(self) -> dict[str, Contingency]:
        """Return the tables by the names of their systems, each with its group where rows were split."""
        return {
            f"{system} ({', '.join(map(str, group))})" if group else system: table
            for (group, system), table in self.items()
        }

    def save(self, path: str | os.PathLike[str], *, replace: bool = True) -> None:
        """Write the tables to one .ifs file, to be merged with others later."""
        save_part(IfsParts(self.by_group, self.by, self.ungrouped), path, replace=replace)


class LabelKeywords(TypedDict, total=False):
    """Keyword arguments about the weight of rows and the meaning of their labels."""

    weight: str | None
    reject: Label | None
    positive: Label | None
    clean: Cleaning


class TableKeywords(LabelKeywords, total=False):
    """The same, with columns that split the rows."""

    by: str | Sequence[str] | None


# ── public functions ──────────────────────────────────────────────────────────────────────────────


@validated()
def read(
    source: Source,
    *,
    truth: str | None = None,
    system: str | None = None,
    weight: str | None = None,
    reject: Label | None = None,
    positive: Label | None = None,
    clean: Cleaning = (),
    read: ReadOptions | None = None,
) -> Contingency:
    r"""Read the table of one system from a source of any kind.

    Rows without a label are left out, counted in ``ignored`` of the table and reported by a ``MissingLabelsWarning``.
    ``read_tables`` reads several systems, and groups.

    Parameters
    ----------
    source : path, frame, mapping, table or pair
        A path, a pattern, a folder or a list of them ("-" is standard input); any dataframe or lazy frame; a mapping of
        columns; a Spark, Dask or Ibis table; or a pair of a database connection, or its address, and a table or query.
    truth, system : str, optional
        Columns of the true and of the predicted labels. Files of tables that are counted already need none.
    weight : str, optional
        Column of weights, which are finite and not negative.
    reject : label, optional
        The label by which the system abstains.
    positive : label, optional
        The positive one of two classes.
    clean : str or collection of str
        Steps that make labels equal: "strip", "nfc", "casefold", "text" and "number"; without, they are taken verbatim.
    read : ReadOptions, optional
        How the source is read, where its name or type does not say it all.

    Returns
    -------
    Contingency
        Counts of true × predicted class.

    Raises
    ------
    InputError
        If the source cannot be read, or holds several tables.
    UnknownNameError
        If a column does not exist.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> log = pathlib.Path(tempfile.mkdtemp()) / "log.csv"
    >>> _ = log.write_text("gold,svm\ncat,cat\ncat,dog\ndog,dog\n")
    >>> read(log, truth="gold", system="svm").counts.tolist()
    [[1, 1], [0, 1]]
    """
    if isinstance(system, (list, tuple, set)):
        raise InputError("read gives the table of one system; use read_tables for several")
    tables = read_tables(
        source, truth=truth, system=system, weight=weight, reject=reject, positive=positive, clean=clean, read=read
    )
    if len(tables) != 1:
        raise InputError(f"the source holds {len(tables)} tables, and read gives one; use read_tables for all of them")
    return next(iter(tables.values()))


@validated()
def read_tables(
    source: Source,
    *,
    truth: str | None = None,
    system: str | Sequence[str] | None = None,
    weight: str | None = None,
    by: str | Sequence[str] | None = None,
    reject: Label | None = None,
    positive: Label | None = None,
    clean: Cleaning = (),
    read: ReadOptions | None = None,
) -> Tables:
    """Read tables by group and system, with an account of the rows: how many were read, and why some were ignored.

    Parameters
    ----------
    source : path, frame, mapping, table or pair
        Rows of any kind, as ``read`` takes them.
    truth : str, optional
        Column of the true labels. Files of tables that are counted already need no names.
    system : str or sequence of str, optional
        Columns of predictions.
    weight : str, optional
        Column of weights, which are finite and not negative.
    by : str or sequence of str, optional
        Columns that split the rows.
    reject : label, optional
        The label by which a system abstains.
    positive : label, optional
        The positive one of two classes.
    clean : str or collection of str
        Steps that make labels equal: "strip", "nfc", "casefold", "text" and "number"; without, they are taken verbatim.
    read : ReadOptions, optional
        How the source is read, where its name or type does not say it all.

    Returns
    -------
    Tables
        A mapping of (group, system) to table; the group of a source that is not split is ().

    Raises
    ------
    InputError
        If the source cannot be read, or the names of its columns are not given.
    UnknownNameError
        If a column does not exist.

    Examples
    --------
    >>> rows = {"gold": ["a", "a", "b"], "svm": ["a", "b", "b"], "site": ["x", "y", "y"]}
    >>> tables = read_tables(rows, truth="gold", system="svm", by="site")
    >>> tables[("y",), "svm"].counts.tolist()
    [[0, 1], [0, 1]]
    """
    tables = count_tables(
        source, truth, system, read, weight=weight, by=by, reject=reject, positive=positive, clean=clean
    )
    warn_of_rows(tables.ignored)
    return tables


@validated()
def read_joint(
    source: Source,
    *,
    truth: str,
    system: Sequence[str],
    weight: str | None = None,
    clean: Cleaning = (),
    read: ReadOptions | None = None,
) -> Joint:
    """Count truth × A × B × … in one pass, so that systems can be compared row by row.

    Parameters
    ----------
    source : path, frame, mapping, table or pair
        Rows of any kind, as ``read`` takes them.
    truth : str
        Column of the true labels.
    system : sequence of str
        Columns of predictions.
    weight : str, optional
        Column of weights, which are finite and not negative.
    clean : str or collection of str
        Steps that make labels equal: "strip", "nfc", "casefold", "text" and "number"; without, they are taken verbatim.
    read : ReadOptions, optional
        How the source is read, where its name or type does not say it all.

    Returns
    -------
    Joint
        ``joint.table(system)`` is the table of one system, ``joint.paired(a, b)`` counts the rows that all of some
        systems predicted.

    Raises
    ------
    InputError
        If the source cannot be read, or holds tables that are counted already.
    UnknownNameError
        If a column does not exist.

    Examples
    --------
    >>> rows = {"gold": ["a", "a", "b"], "svm": ["a", "b", "b"], "tree": ["a", "a", "b"]}
    >>> read_joint(rows, truth="gold", system=["svm", "tree"]).paired().counts.tolist()
    [1, 1, 1]
    """
    query = Query(truth, as_names(system), weight, clean=clean, joint=True, read=read or ReadOptions())
    joints, _ = read_joints(source, query)
    return joints[()]


# ── counting ──────────────────────────────────────────────────────────────────────────────────────


@hide_secrets()
def count_rows(source: Any, query: Query) -> list[Rows]:
    """Return distinct rows of a source that is opened, in native values: of each margin."""
    if not query.systems:
        raise InputError("no system column was named; name at least one beside the truth")
    with source.named() if isinstance(source, Files) else nullcontext():
        margins = find_engine(source, query.read).count(source, query)
    format = source.format if isinstance(source, (Files, Addresses)) else ""
    return unify_whole_numbers(margins, query, format)


def count_tables(
    source: Source,
    truth: str | None,
    system: str | Sequence[str] | None,
    how: ReadOptions | None = None,
    *,
    weight: str | None = None,
    by: str | Sequence[str] | None = None,
    reject: Label | None = None,
    positive: Label | None = None,
    clean: Cleaning = (),
) -> Tables:
    """Return tables without the warning, for callers that warn once of several sources."""
    how = how or ReadOptions()
    truth, system, by = map(check_column_names, (truth, system, by), ("truth", "system", "by"))
    query = Query(truth or "", as_names(system), weight, as_names(by), None, reject, positive, clean, read=how)
    with scratch_folder() as folder:
        opened = open_source(source, how, folder)
        if isinstance(opened, Files) and opened.format == "ifs":
            return read_parts(opened, query)
        if truth is None or system is None:
            raise InputError("rows need the name of the truth column and of at least one system")
        return make_tables(count_rows(opened, query), query)


def make_tables(margins: Sequence[Rows], query: Query) -> Tables:
    """Make tables of the rows of one pass, one for each system and group."""
    tables: dict[Group, dict[str, Contingency]] = {}
    ignored: dict[str, int] = {}
    ungrouped: Mapping[str, int] = {}
    for (system,), native in zip(query.margins, unify_dates(margins, query), strict=True):
        rows = decode_rows(native, query).drop_missing(query.by, "missing group in {!r}")
        ungrouped, names = rows.ignored, (query.truth, system)
        reject, positive = match_stated(rows, names, query.reject, query.positive)
        parts = {
            group: part.drop_missing(names, no_weight=f"missing weight in {query.weight!r}")
            for group, part in rows.group_by(query.by).items()
        }
        for group, part in parts.items():
            tables.setdefault(group, {})[system] = part.table(*names, reject=reject, positive=positive)
        # a row without truth is missed by every system, and is still one row
        ignored = merge_ignored((ignored, add_ignored((ungrouped, *(part.ignored for part in parts.values())))))
    totals = {rows.row_count for rows in margins}
    if len(totals) > 1:
        raise InputError(
            f"the source changed while it was read: it had {min(totals)} rows, then {max(totals)}; "
            "read a copy that does not change"
        )
    return Tables(tables, margins[0].row_count, ignored, query.by, ungrouped)


def read_joints(source: Source, query: Query) -> tuple[dict[Group, Joint], Mapping[str, int]]:
    """Return the joint counts of each group, and the rows without a group by reason."""
    with scratch_folder() as folder:
        opened = open_source(source, query.read, folder)
        if isinstance(opened, Files) and opened.format == "ifs":
            raise InputError("tables do not remember which rows two systems share; read the rows")
        (rows,) = count_rows(opened, query)
    return split_joint(rows, query)


def read_parts(files: Files, query: Query) -> Tables:
    """Return the sum of tables that are counted already."""
    with files.named():
        try:
            parts = load_parts(files.paths)
        except InfoscopeError as error:
            raise_for_each(error, files, lambda one: load_parts(one.paths))
            raise
    check_counted_as(parts, query, files.name)
    tables = name_positive(parts.tables, query.positive)
    if query.systems:
        known = list(dict.fromkeys(name for systems in tables.values() for name in systems))
        for name in query.systems:
            if name not in known:
                raise UnknownNameError(f"{files.name} has no system {name!r}; {suggest_name(name, known, 'it has')}")
        tables = {
            group: {name: systems[name] for name in query.systems if name in systems}
            for group, systems in tables.items()
        }
    of_groups = [merge_ignored(table.ignored for table in group.values()) for group in tables.values()]
    return Tables(tables, None, add_ignored((parts.ungrouped_rows, *of_groups)), parts.by, parts.ungrouped_rows)


def rows_in_order(source: Any, query: Query) -> Rows | None:
    """Return every row of an opened source by itself, in native values; None where the source has no order."""
    is_file = isinstance(source, Files) and source.format != "ifs" and query.read.engine == "duckdb"
    if not is_file and not is_eager_frame(source) and not is_column_mapping(source):
        return None
    with source.named() if isinstance(source, Files) else nullcontext():
        columns = find_engine(source, query.read).rows(source, query.names, query.read)
    values = list(columns.values())
    rows = Rows.from_cells(query.names, values, np.ones(len(values[0]), dtype=np.int64))
    if isinstance(source, Files):
        (rows,) = unify_whole_numbers([decode_texts(rows, source.format)], query, source.format)
    return rows


# ── systems that share rows ──────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Joint:
    """Every system beside the truth; rows that only some systems predicted are kept for those."""

    query: Query
    """The query that counted; where rows are split, that of one group."""
    rows: Rows
    """Rows of native values; the columns have the values of all groups."""

    def table(self, system: str, *, reject: Label | None = None, positive: Label | None = None) -> Contingency:
        """Return the table of one system, from all rows that it predicted; warn of the others."""
        rows, names = self.keep_usable(system), (self.query.truth, system)
        reject, positive = match_stated(rows, names, reject, positive)
        table = rows.table(*names, reject=reject, positive=positive)
        warn_of_rows(table.ignored)
        return table

    def paired(self, *systems: str) -> Rows:
        """Return the rows that all of these systems predicted, with their truth; by default all systems there are."""
        return self.keep_usable(*(systems or self.query.margins[0])).with_used_labels().merge().in_order()

    def keep_usable(self, *systems: str) -> Rows:
        """Return truth and these systems, decoded, over the rows that have them all; equal rows are not added up."""
        counted = self.query.margins[0]
        for name in systems:
            if name not in counted:
                raise UnknownNameError(f"no system {name!r} was read; {suggest_name(name, counted)}")
        columns = (self.query.truth, *systems)
        rows = decode_rows(self.rows.select(columns, merge=False), self.query)
        return rows.drop_missing(columns, no_weight=f"missing weight in {self.query.weight!r}")


def split_joint(rows: Rows, query: Query) -> tuple[dict[Group, Joint], Mapping[str, int]]:
    """Return one Joint for each group, and the rows without a group by reason.

    The one group of a source that is not split is ().
    """
    if not query.joint:
        raise InputError("joint counts come from rows of all systems together")
    (rows,) = unify_dates([rows], query)
    rows = rows.relabel({name: decode_values(rows.dictionaries[name], name, query.clean) for name in query.by})
    rows = rows.drop_missing(query.by, "missing group in {!r}")
    joints = {group: Joint(replace(query, by=()), part) for group, part in rows.group_by(query.by).items()}
    return joints, rows.ignored


# ── systems read together ─────────────────────────────────────────────────────────────────────────


SMALL_FILES = 64 << 20
"""Bytes of text files up to which all systems are counted together; an eighth of it for compressed ones."""
SMALL_FRAME = 1_000_000
"""Rows of a frame up to which they are."""


@dataclass(frozen=True)
class Together:
    """Tables of one pass over a source, and the rows that systems share."""

    reading: Tables
    joints: Mapping[Group, Joint] = field(default_factory=dict)
    """By group; empty where systems were counted apart."""
    clusters: Mapping[tuple[Group, str], Any] = field(default_factory=dict)
    """Cells by cluster of each group and system, where clusters were asked for."""
    ordered: Joint | None = None
    """Every row by itself, in the order of the source, where that was asked for and exists."""


def read_together(source: Source, query: Query, max_ordered: int = 0) -> Together:
    """Read tables of all systems; also their joint counts for clusters, and for several systems of a small source.

    Rows are also handed out one by one in their order, if there are at most ``max_ordered``.
    """
    with scratch_folder() as folder:
        opened = open_source(source, query.read, folder)
        is_counted = isinstance(opened, Files) and opened.format == "ifs"
        if is_counted and query.groups is not None:
            raise InputError("tables do not remember which rows belong together; read the rows")
        if is_counted:
            return Together(read_parts(opened, query))
        if not (query.truth and query.systems):
            raise InputError("rows need the name of the truth column and of at least one system")
        if query.groups is None and not (len(query.systems) > 1 and _is_small(opened)):
            together = Together(make_tables(count_rows(opened, query), query))
        else:
            together = _read_joint_tables(opened, replace(query, joint=True))
        rows = together.reading.rows
        if query.by or rows is None or rows > max_ordered or is_column_mapping(opened):
            return together
        alone = Query(query.truth, query.systems, clean=query.clean, joint=True, read=query.read)
        ordered = rows_in_order(opened, alone)
        if ordered is None:
            return together
        joints, _ = split_joint(ordered, alone)
        return replace(together, ordered=joints[()])


def _is_small(source: Any) -> bool:
    """Return True where counting all systems together costs little."""
    if isinstance(source, Files):
        size = sum(path.stat().st_size for path in source.paths)
        is_dense = source.compression != "none" or source.format not in ("csv", "tsv", "ndjson")
        return size <= (SMALL_FILES // 8 if is_dense else SMALL_FILES)
    shape = getattr(source, "shape", None)
    return is_frame(source) and isinstance(shape, tuple) and isinstance(shape[0], int) and shape[0] <= SMALL_FRAME


def _read_joint_tables(source: Any, query: Query) -> Together:
    """Make tables, joint counts and clusters from distinct rows of all columns.

    The column of clusters is read as if it were a system's; rows without a cluster are ignored.
    """
    (rows,) = count_rows(source, query)
    if query.groups is not None:  # a cluster's name as text that is no class's
        names = rows.dictionaries[query.groups]
        rows = rows.relabel(
            {query.groups: [None if is_missing(name) else f"{CLUSTER_PREFIX}{as_text(name)}" for name in names]}
        )
    joints, ungrouped = split_joint(rows, query)
    tables: dict[Group, dict[str, Contingency]] = {}
    clusters: dict[tuple[Group, str], Any] = {}
    for group, joint in joints.items():
        for name in query.systems:
            names = (query.truth, name)
            usable = joint.keep_usable(name, *([] if query.groups is None else [query.groups]))
            reject, positive = match_stated(usable, names, query.reject, query.positive)
            table = usable.table(*names, reject=reject, positive=positive)
            tables.setdefault(group, {})[name] = table
            if query.groups is not None:
                clusters[group, name] = _count_by_cluster(usable, table, len(joint.rows.dictionaries[query.groups]))
    # a row that several systems miss for the same reason is still one row
    ignored = merge_ignored(add_ignored(systems[name].ignored for systems in tables.values()) for name in query.systems)
    return Together(Tables(tables, rows.row_count, {**ungrouped, **ignored}, query.by, ungrouped), joints, clusters)


def _count_by_cluster(rows: Rows, table: Contingency, clusters: int) -> Any:
    """Return the cells of a table by cluster: a sparse array with a line for each, in order of keys.

    Clusters without a usable row have empty lines, at the end.
    """
    from scipy.sparse import coo_array  # noqa: PLC0415 - only for clusters

    rows = rows.with_used_labels()
    places = [{label: i for i, label in enumerate(side)} for side in (table.truth_labels, table.system_labels)]
    truth, system = (
        np.array([place[label] for label in labels], dtype=np.int64)[codes] if labels else codes.astype(np.int64)
        for place, labels, codes in zip(places, rows.labels[:2], rows.codes[:2], strict=True)
    )
    lines = rank_labels(rows.labels[2])[rows.codes[2]]
    values = np.asarray(rows.counts, dtype=np.float64)
    shape = (clusters, table.shape[0] * table.shape[1])
    return coo_array((values, (lines, truth * table.shape[1] + system)), shape=shape).tocsr()


# ── distinct rows of several columns ──────────────────────────────────────────────────────────────


def read_distinct_rows(
    source: Source,
    columns: Sequence[str],
    *,
    weight: str | None = None,
    clean: Cleaning = (),
    comparable: bool = True,
    read: ReadOptions | None = None,
) -> Rows:
    """Read distinct rows of some columns of any source, with their counts.

    ``source`` is a mapping of names to labels, or anything that ``infoscope.read`` takes. Missing labels are kept.
    ``comparable`` says that the columns name the same classes, so that 1 and "1" in two of them are rejected.
    """
    if is_column_mapping(source):
        return _count_mapping(source, columns, weight, clean, comparable=comparable)
    query = Query(columns[0], tuple(columns[1:]), weight, clean=clean, joint=True, read=read or ReadOptions())
    joints, _ = read_joints(source, query)
    rows = _decode_distinct_rows(joints[()].rows, columns, clean, comparable=comparable)
    warn_of_rows(rows.ignored)
    return replace(rows, ignored={})


def read_distinct_rows_by_group(
    source: Source,
    columns: Sequence[str],
    by: str | Sequence[str],
    *,
    weight: str | None = None,
    clean: Cleaning = (),
    comparable: bool = True,
    read: ReadOptions | None = None,
) -> dict[Group, Rows]:
    """Return the same for each value of a column, or of several; rows without one are left out, with a warning."""
    query = Query(
        columns[0], tuple(columns[1:]), weight, as_names(by), clean=clean, joint=True, read=read or ReadOptions()
    )
    if is_column_mapping(source):
        rows = _count_mapping(source, [*query.by, *columns], weight, clean, comparable=False)
        if comparable:
            _check_same_kinds(rows.select(columns, merge=False))
        rows = rows.drop_missing(query.by, "missing group in {!r}")
        warn_of_rows(rows.ignored)
        return {group: part.select(columns) for group, part in rows.group_by(query.by).items()}
    joints, ungrouped = read_joints(source, query)
    groups = {
        group: _decode_distinct_rows(joint.rows, columns, clean, comparable=comparable)
        for group, joint in joints.items()
    }
    warn_of_rows(add_ignored((ungrouped, *(part.ignored for part in groups.values()))))
    return {group: replace(part, ignored={}) for group, part in groups.items()}


def read_distinct_rows_with_groups(
    source: Source,
    columns: Sequence[str],
    by: Sequence[str],
    *,
    weight: str | None = None,
    clean: Cleaning = (),
    comparable: bool = True,
    read: ReadOptions | None = None,
) -> Rows:
    """Return the distinct rows of all groups together, with the columns of the groups behind the others."""
    parts = read_distinct_rows_by_group(
        source, columns, by, weight=weight, clean=clean, comparable=comparable, read=read
    )
    if not parts:
        raise InputError(f"no row has a group in {', '.join(map(repr, by))}; there is nothing to evaluate")
    return reduce(
        add,
        (
            Rows.from_codes(
                {
                    **dict(zip(part.names, part.labels, strict=True)),
                    **{name: (label,) for name, label in zip(by, group, strict=True)},
                },
                np.vstack([part.codes, np.zeros((len(by), len(part)), dtype=part.codes.dtype)]),
                part.counts,
                part.squares,
            )
            for group, part in parts.items()
        ),
    )


def _decode_distinct_rows(rows: Rows, columns: Sequence[str], clean: Cleaning, *, comparable: bool) -> Rows:
    """Return distinct rows of sorted labels for native values, with an account of the rows without a weight."""
    check_weights(rows)
    rows = rows.select(columns, merge=False)
    labels = {name: decode_values(values, name, clean) for name, values in rows.dictionaries.items()}
    if comparable:
        check_comparable(labels)
    rows = rows.relabel(labels).sort_labels().drop_missing((), no_weight="missing weight")
    if rows.is_weighted:
        check_weight_scale(rows.counts)
    return replace(rows.merge(), source_rows=None)


def _count_mapping(
    source: Mapping[str, Any], columns: Sequence[str], weight: str | None, clean: Cleaning, *, comparable: bool
) -> Rows:
    for name in (*columns, *(() if weight is None else (weight,))):
        check_name(name)
        if name not in source:
            raise InputError(f"the source has no column {name!r}; {suggest_name(name, source, 'it has')}")
    rows = Rows.from_columns({name: source[name] for name in columns}, None if weight is None else source[weight])
    if clean:
        labels = {name: decode_values(known, name, clean) for name, known in rows.dictionaries.items()}
        rows = rows.relabel(labels).sort_labels().merge()
    if comparable:
        _check_same_kinds(rows)
    return rows


def _check_same_kinds(rows: Rows) -> None:
    """Reject numbers in one column and text in another."""
    named = [(name, labels) for name, labels in zip(rows.names, rows.labels, strict=True) if labels]
    for (one, left), (other, right) in itertools.pairwise(named):
        check_kinds(left, right, called=(f"{one} has", f"{other} has"))


def locate_rows(
    source: Source, distinct: Rows, read: ReadOptions | None = None, clean: Cleaning = ()
) -> NDArray[np.int64] | None:
    """Return for each row of a source, in its order, its place among distinct rows; −1 where it is none of them.

    None where the source has no order, as a table of a database.
    """
    rows = _list_rows(source, distinct.names, read or ReadOptions())
    if rows is None:
        return None
    places = {tuple(codes): place for place, codes in enumerate(distinct.codes.T.tolist())}
    labels = [{label: code for code, label in enumerate(known)} for known in distinct.labels]
    moves = [
        np.array(
            [*(-1 if label is None else known.get(label, -1) for label in decode_values(values, name, clean)), -1],
            dtype=np.int64,
        )
        for name, known, values in zip(distinct.names, labels, rows.labels, strict=True)
    ]
    coded = np.array([move[codes] for move, codes in zip(moves, rows.codes, strict=True)], dtype=np.int64)
    return np.array([places.get(tuple(codes), -1) for codes in coded.T.tolist()], dtype=np.int64)


def read_rows(
    source: Source, columns: Sequence[str], read: ReadOptions | None = None
) -> dict[str, list[Label | None]] | None:
    """Return the labels of some columns, row by row in the order of the source; None where it has no order."""
    rows = _list_rows(source, tuple(columns), read or ReadOptions())
    if rows is None:
        return None
    columns_of_labels = {}
    for name, values, codes in zip(rows.names, rows.labels, rows.codes, strict=True):
        labels = [*decode_values(values, name), None]  # the last for the code −1
        columns_of_labels[name] = [labels[code] for code in codes.tolist()]
    return columns_of_labels


def _list_rows(source: Any, columns: Sequence[str], how: ReadOptions) -> Rows | None:
    with scratch_folder() as folder:
        query = Query(columns[0], tuple(columns[1:]), joint=True, read=how)
        return rows_in_order(open_source(source, how, folder), query)


# ── tables that are counted already ───────────────────────────────────────────────────────────────


Key = TypeVar("Key")
_OF_ROWS = ("weight", "by", "clean", "reject", "labels")


def prepare_finished_tables(tables: Mapping[Key, Contingency], options: Mapping[str, Any]) -> dict[Key, Contingency]:
    """Return tables with the positive class that is stated; reject options about their rows, which are counted."""
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
