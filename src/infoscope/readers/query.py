"""Query: which columns of a source are counted and what their labels mean; and how a source is read.

A function of the package makes one `Query` of its keywords, an engine reads it and nothing else; `GroupBy` writes the
statement that counts it. `ReadOptions` is public, for it serves several queries of one source. Names of columns are
checked here, once.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Any

from infoscope.core.validation import KeywordHints
from infoscope.errors import InputError, UnknownNameError, suggest_name
from infoscope.readers.conversions import check_encoding
from infoscope.tables.labels import Label

if TYPE_CHECKING:
    from infoscope.readers.labels import Cleaning

ENGINES = ("duckdb", "spark", "dask", "sql")
"""Engines that are named: where files are counted, or a query runs; what is in memory needs none."""


@cache
def find_other_engines() -> dict[str, EntryPoint]:
    """Return the engines of other packages by name; asked only where none here will do, for it takes 0.1 s."""
    return {point.name: point for point in entry_points(group="infoscope.engines")}


@dataclass(frozen=True)
class ReadOptions(KeywordHints):
    """Options for reading a source, where its name or type does not say it all.

    Attributes
    ----------
    format : str, optional
        Format of files whose name does not say it, like "csv" or "parquet".
    delimiter : str, optional
        The sign between the fields of CSV files; by default the one of comma, tab, semicolon and bar that splits the
        header into the columns that are asked for.
    engine : str
        Where files are counted: "duckdb" (here), "spark", "dask" or "sql", or the name of an engine that another
        package adds.
    url : str, optional
        The address of the engine: a cluster or a database.
    memory : str, optional
        Memory for counting, like "2GB"; beyond it, disk is used.
    threads : int, optional
        Threads for counting; by default one for each core.
    native : bool, optional
        Read Parquet by the compiled part; None leaves it to the environment variable INFOSCOPE_NATIVE.
    encoding : str, optional
        The encoding of text files, like "latin-1", "cp1252" or "utf-16"; UTF-8 unless said.
    sheet : str or int, optional
        The sheet of a workbook by its name, or by its place from 1; needed where several have data.
    header : bool
        CSV and TSV files begin with the names of their columns; without, these are 0, 1, …
    max_rows : int, optional
        Read at most this many rows of the files, the first ones.
    """

    format: str | None = None
    delimiter: str | None = None
    engine: str = "duckdb"
    url: str | None = field(default=None, repr=False)
    memory: str | None = None
    threads: int | None = None
    native: bool | None = None
    encoding: str | None = None
    sheet: str | int | None = None
    header: bool = True
    max_rows: int | None = None

    def __post_init__(self) -> None:
        """Reject an engine that does not exist."""
        if self.engine not in ENGINES and self.engine not in find_other_engines():
            known = ", ".join((*ENGINES, *find_other_engines()))
            raise UnknownNameError(f"there is no engine {self.engine!r}; choose from {known}")
        if self.url is not None and self.engine == "duckdb":
            raise InputError(f"{self.url} is not used by engine duckdb; name its engine, too")
        if self.encoding is not None:
            check_encoding(self.encoding)
        if self.max_rows is not None and self.max_rows < 1:
            raise InputError(f"at most {self.max_rows} rows were asked for; a table needs one at least")


@dataclass(frozen=True)
class Query:
    """The columns of a source that are counted, and what their labels mean.

    Parameters
    ----------
    truth : str
        Column of the true labels; empty for files of tables that are counted already.
    systems : tuple of str
        Columns of predictions.
    weight : str, optional
        Column of weights.
    by : tuple of str
        Columns that split the rows.
    groups : str, optional
        Column of what rows belong together, to resample them so.
    reject, positive : label, optional
        The label that means "abstained", and the positive class.
    clean : str or collection of str
        Steps that make labels equal: strip, nfc, casefold, text, number.
    joint : bool
        Count all systems together; otherwise each is counted beside the truth alone, which stays small for many.
    read : ReadOptions
        How the source is read.

    Examples
    --------
    >>> Query("gold", ("svm",), by=("site",)).names
    ('site', 'gold', 'svm')
    """

    truth: str
    systems: tuple[str, ...]
    weight: str | None = None
    by: tuple[str, ...] = ()
    groups: str | None = None
    reject: Label | None = None
    positive: Label | None = None
    clean: Cleaning = ()
    joint: bool = False
    read: ReadOptions = field(default_factory=ReadOptions)

    def __post_init__(self) -> None:
        """Check the names of columns, each of which has one role."""
        optional = [name for name in (self.weight, self.groups) if name is not None]
        for name in (self.truth, *self.systems, *self.by, *optional):
            check_name(name)
        for kind, names in (("system", self.systems), ("group", self.by)):
            twice = next((name for name, times in Counter(names).items() if times > 1), None)
            if twice is not None:
                raise InputError(f"{kind} column {twice!r} is named twice; name it once")
        if self.truth in self.systems:
            raise InputError(f"column {self.truth!r} is named as truth and as system; it would score itself perfectly")
        for name in self.by:
            if name in (self.truth, *self.systems):
                raise InputError(f"column {name!r} is named as group and as label; it is one of them")
        if self.groups is not None and self.groups in (self.truth, *self.systems, *self.by, self.weight):
            raise InputError(f"column {self.groups!r} is named as groups and as something else; it is one of them")

    @property
    def names(self) -> tuple[str, ...]:
        """Every column that is read, once."""
        weight = () if self.weight is None else (self.weight,)
        counted = itertools.chain.from_iterable(self.margins)
        return tuple(dict.fromkeys((*self.by, self.truth, *counted, *weight)))

    @property
    def margins(self) -> tuple[tuple[str, ...], ...]:
        """Columns that are counted together beside the truth: one set for each `Rows` that an engine returns.

        What rows belong together is counted as if it were a prediction.
        """
        counted = self.systems if self.groups is None else (*self.systems, self.groups)
        return (counted,) if self.joint else tuple((name,) for name in counted)

    def keys(self, margin: tuple[str, ...]) -> tuple[str, ...]:
        """Return the columns that identify a cell of one margin: those that split the rows, the truth, the systems."""
        return (*self.by, self.truth, *margin)


@dataclass(frozen=True)
class GroupBy:
    """The statement that counts some margins of a relation in one pass, in databases and in the engine of files.

    Inside, columns have safe names: ``k0, k1, …`` in the order of ``names``. ``lacks`` tells what
    a row without a weight looks like, ``total`` how weights are summed.
    """

    query: Query
    margins: tuple[tuple[str, ...], ...]
    lacks: str = "w IS NULL OR isnan(w)"
    total: str = "fsum"

    @property
    def names(self) -> dict[str, str]:
        """Safe names of the caller's columns."""
        systems = [name for margin in self.margins for name in margin]
        keys = (*self.query.by, self.query.truth, *systems)
        return {name: f"k{i}" for i, name in enumerate(keys)}

    def mask(self, margin: tuple[str, ...]) -> int:
        """Return how GROUPING marks the cells of one margin: a zero bit where its column counts."""
        last = len(self.margins) - 1
        return (2 << last) - 1 - (1 << (last - self.margins.index(margin)))

    def sql(self, relation: str, expressions: Mapping[str, str]) -> str:
        """Write the statement, for a relation whose columns are given as expressions."""
        names = self.names
        weighted = self.query.weight is not None
        rows = [f"{expressions[name]} AS {short}" for name, short in names.items()]
        always = [names[name] for name in (*self.query.by, self.query.truth)]
        outputs = [*names.values(), "count(*) AS n"]
        inner = f"SELECT {', '.join(rows)} FROM {relation}"
        if weighted:
            rows.append(f"CAST({expressions[self.query.weight or '']} AS DOUBLE PRECISION) AS w")
            inner = (
                f"SELECT {', '.join([*names.values(), 'w'])}, "
                f"CASE WHEN {self.lacks} THEN 1 ELSE 0 END AS lacks "
                f"FROM (SELECT {', '.join(rows)} FROM {relation}) AS weighed"
            )
            always.append("lacks")
            outputs += [
                f"{self.total}(w) AS w",
                f"{self.total}(w * w) AS w2",
                "min(w) AS least",
                "lacks",
            ]
        sets = [", ".join([*always, *(names[name] for name in m)]) for m in self.margins]
        groups = sets[0]
        if len(sets) > 1:
            groups = f"GROUPING SETS ({', '.join(f'({keys})' for keys in sets)})"
            systems = ", ".join(names[margin[0]] for margin in self.margins)
            outputs.append(f"GROUPING({systems}) AS margin")
        return f"SELECT {', '.join(outputs)} FROM ({inner}) AS counted GROUP BY {groups}"


def as_names(names: str | Sequence[str] | None) -> tuple[str, ...]:
    """Return names of columns or metrics, one or several, as a tuple."""
    if names is None:
        return ()
    return (names,) if isinstance(names, str) or not isinstance(names, Iterable) else tuple(names)


def check_column_names(names: Any, option: str) -> Any:
    """Return names of columns, an index or array of them as a list; reject the values of a column."""
    shape = getattr(names, "shape", None)
    if shape == ():  # a name from an array
        return names.item()
    if shape is None or len(shape) != 1:
        return names
    listed = list(names)
    if not all(isinstance(name, str) for name in listed) or len(set(listed)) < len(listed):
        raise InputError(f"{option} holds values; name a column, or give labels as (y_true, y_pred)")
    return listed


def check_name(name: object) -> None:
    """Reject what is not the name of a column: names are text."""
    if hasattr(name, "__len__") and not isinstance(name, (str, bytes, tuple)):
        raise InputError(
            f"a {type(name).__name__} is given where the name of a column is expected; put its values into the source "
            "as a column, and give the name"
        )
    if not isinstance(name, str):
        raise InputError(
            f"the column {name!r} is named by {type(name).__name__}, and names are text; "
            "rename the columns, in pandas by frame.rename(columns=str)"
        )


def pick_columns(names: Collection[str], present: Sequence[str], source: str) -> None:
    """Reject a column that is not there, or is there twice, with the nearest name that is."""
    counts = Counter(present)
    for name in names:
        if name not in counts:
            hint = suggest_name(name, present, "it has") if present else "it has no columns"
            raise UnknownNameError(f"{source} has no column {name!r}; {hint}")
        if counts[name] > 1:
            raise InputError(f"{source} has {name!r} as the name of two columns; rename one of them")
