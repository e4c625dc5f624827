"""Tables on disk: Parquet with one row per cell and versioned metadata, and the hash that names what was counted.

docs/reference/table-format.md describes the form. Anybody may have written such a file: metadata, columns, labels and
sums are checked before a table is made of them. ``readers.ifs_parts`` stores several tables in one file likewise.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from infoscope.core.embedded_database import duckdb, embedded_database, escape_path, writing_to
from infoscope.core.files import output_file
from infoscope.core.records import COUNT, FLAG, MASS, TEXT, Each, Fields, Maybe, Named, Plain, check_record, parse_json
from infoscope.errors import InputError
from infoscope.tables.construction import Cells, Declared, check_reject_is_no_truth, move_codes, place_cells
from infoscope.tables.counting import check_total
from infoscope.tables.labels import Label, as_label, as_labels, check_unique, is_missing, kind_of, sorted_labels
from infoscope.typing import Json

if TYPE_CHECKING:
    from infoscope.tables.contingency import Contingency


# ── metadata and columns that anybody may have written ───────────────────────────────────────────


MANY_ROWS = 1 << 22
_TWICE = "a cell has two rows"
_WHOLE = frozenset(("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"))
_REAL = frozenset(("FLOAT", "DOUBLE"))
TYPES: Mapping[str, frozenset[str]] = {
    "text": frozenset(("VARCHAR",)),
    "int": _WHOLE,
    "float": _REAL,
    "bool": frozenset(("BOOLEAN",)),
    "date": frozenset(("DATE",)),
    "time": frozenset(("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS")),
    "json": frozenset(("VARCHAR",)),
    "value": _WHOLE | _REAL,
}
"""The types that a column may have, by what it holds."""


@contextmanager
def faults_of(path: Path) -> Iterator[None]:
    """Add the name of the file to what is wrong inside."""
    try:
        yield
    except InputError as error:
        raise InputError(
            f"{path} is not a valid file of tables: {error}; write it again (infoscope count, or Contingency.save)"
        ) from None


@dataclass(frozen=True)
class StoredTables:
    """An open Parquet file of tables."""

    path: Path
    connection: Any
    entries: Mapping[str, str]
    """Its metadata, as text."""

    def columns(self, types: Mapping[str, Collection[str]]) -> dict[str, Any]:
        """Return the columns of these types, and the column of values, as arrays."""
        wanted = {**types, "value": TYPES["value"]}
        parameters = {"path": escape_path(self.path)}

        def ask(query: str) -> Any:
            return self.connection.execute(query, parameters)

        try:
            described = {name: kind for name, kind, *_ in ask("DESCRIBE FROM read_parquet($path)").fetchall()}
            if set(described) != set(wanted):
                raise InputError(f"its columns are {', '.join(described)}, and must be {', '.join(wanted)}")
            for name, kinds in wanted.items():
                if described[name] not in kinds:
                    raise InputError(
                        f"its column {name!r} is of type {described[name]}, and must be {' or '.join(sorted(kinds))}"
                    )
            # billions of equal rows fit in a small file and in no memory
            rows = ask("SELECT count(*) FROM read_parquet($path)").fetchone()[0]
            again = f"SELECT 1 FROM read_parquet($path) GROUP BY {', '.join(types)} HAVING count(*) > 1 LIMIT 1"
            if rows > MANY_ROWS and ask(again).fetchone():
                raise InputError(_TWICE)
            names = ", ".join(f'"{name}"' for name in wanted)
            columns: dict[str, Any] = ask(f"SELECT {names} FROM read_parquet($path)").fetchnumpy()
        except (duckdb.Error, UnicodeDecodeError, OverflowError, MemoryError) as error:
            raise InputError(f"its rows cannot be read ({_take_first_line(error)})") from None
        return columns


@contextmanager
def open_tables(path: Path, fault: str = "is not a table written by infoscope") -> Iterator[StoredTables]:
    """Open a Parquet file of tables; ``fault`` is the message for anything else."""
    if not path.is_file():
        raise InputError(f"there is no file {path}")
    with embedded_database() as connection:
        try:
            pairs = connection.execute(
                "SELECT key, value FROM parquet_kv_metadata($path)", {"path": escape_path(path)}
            ).fetchall()
        except duckdb.Error as error:
            raise InputError(f"{path} {fault}: {_take_first_line(error)}") from None
        try:
            entries = {
                bytes(key).decode(): bytes(value).decode() for key, value in pairs if key.startswith(b"infoscope")
            }
        except UnicodeDecodeError:
            raise InputError(
                f"{path} is not a valid file of tables: its metadata is not UTF-8; write it again"
            ) from None
        if "infoscope" not in entries:
            raise InputError(f"{path} is a Parquet file but not a table written by infoscope; read it with -t and -s")
        yield StoredTables(path, connection, entries)


def _take_first_line(error: BaseException) -> str:
    return next(iter(str(error).splitlines()), type(error).__name__)


def read_values(column: NDArray[Any]) -> NDArray[Any]:
    """Return counts or weights that are finite, not negative, and have a finite sum; reject others."""
    if np.ma.isMaskedArray(column) and np.ma.getmaskarray(column).any():
        raise InputError("a row has no count")
    values = np.ma.getdata(column)
    wide = values.astype(np.int64 if values.dtype.kind in "iu" else np.float64)
    bad = ~((wide >= 0) & (wide < np.inf))
    if bad.any():
        raise InputError(f"a count is {wide[bad][0]}; counts are finite and not negative")
    check_total(wide)
    return wide


def check_distinct(rows: NDArray[np.int64], columns: NDArray[np.int64], width: int) -> None:
    """Reject a cell that has two rows."""
    keys = rows * width + columns
    if not (keys[1:] > keys[:-1]).all() and len(np.unique(keys)) < len(keys):  # files are written in order
        raise InputError(_TWICE)


def check_squares(squares: float | None, total: float) -> None:
    """Reject a sum of squared weights that no weights of this total have: it is at most the square of their sum."""
    with np.errstate(over="ignore"):
        if squares is not None and squares > float(np.square(np.float64(total))) * (1 + 1e-6) + 1e-300:
            raise InputError(f"its sum of squared weights is {squares:g}, too large for weights that sum to {total:g}")


def compute_checksum(facts: Mapping[str, Any], *content: str) -> str:
    """Return a hash of all that a file says: its metadata, less the checksum itself, and its content."""
    rest = {name: fact for name, fact in facts.items() if name != "checksum"}
    text = json.dumps([rest, *content], sort_keys=True)
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def check_sum(facts: Mapping[str, Any], *content: str) -> None:
    """Reject content that changed since it was written; files without a checksum were written before there was one."""
    if facts.get("checksum") not in (None, compute_checksum(facts, *content)):
        raise InputError("its content does not have the checksum in its metadata, so it was changed or damaged")


_KINDS: dict[str, tuple[type, Callable[[Any], Any]]] = {
    "text": (str, str),
    "int": (int, int),
    "float": (float, float),
    "bool": (bool, bool),
    "date": (str, datetime.date.fromisoformat),
    "time": (str, datetime.datetime.fromisoformat),
}
"""For each kind the type of its value in JSON, and what makes a label of it."""


def label_to_json(label: Label) -> str:
    """Return a label of any kind as text, the same for all of its forms on disk.

    >>> label_to_json(3), label_to_json("3"), label_to_json(datetime.date(2020, 1, 2))
    ('["int", 3]', '["text", "3"]', '["date", "2020-01-02"]')
    """
    return json.dumps([kind_of(label), label.isoformat() if isinstance(label, datetime.date) else label])


def label_from_json(text: object) -> Label:
    """Return the label that such a text stands for; anything else is rejected.

    >>> label_from_json('["date", "2020-01-02"]')
    datetime.date(2020, 1, 2)
    """
    if not isinstance(text, str):
        raise InputError(f"a label is stored as {type(text).__name__}, and must be text")
    record = parse_json(text)
    if isinstance(record, list) and len(record) == 2 and isinstance(record[0], str) and record[0] in _KINDS:
        type_, make = _KINDS[record[0]]
        if type(record[1]) is type_:
            try:
                return as_label(make(record[1]))
            except ValueError:
                pass
    raise InputError(f"a label is stored as {text[:60]!r}, and must be [kind, value] with one of {', '.join(_KINDS)}")


# ── one table ────────────────────────────────────────────────────────────────────────────────────


def hash_tables(*tables: Contingency) -> str:
    """Return the SHA-256 of the labels and of the cells that are not empty, in the order of the tables.

    >>> from infoscope import Contingency
    >>> one = Contingency.from_labels(["a", "b", "b"], ["a", "b", "a"])
    >>> other = Contingency.from_labels(["b", "a", "b"], ["a", "a", "b"])  # the same rows in another order
    >>> hash_tables(one) == hash_tables(other), hash_tables(one)[:14]
    (True, 'sha256:4ad104a')
    """
    digest = hashlib.sha256()
    for table in tables:
        for side in (table.truth_labels, table.system_labels):
            # labels with their kind: the number 1 is not the text "1"
            text = "\x1e".join(f"{type(label).__name__}\x1f{label}" for label in side)
            digest.update(text.encode("utf-8", "surrogatepass"))
        cells = np.asarray(table.cells, dtype="<f8")
        filled = np.flatnonzero((cells != 0).any(axis=tuple(range(cells.ndim - 1))))
        places = (table.cell_rows[filled], table.cell_columns[filled])
        for part in (*places, np.array([len(filled)])):
            digest.update(np.asarray(part, dtype="<i8").tobytes())
        digest.update(np.ascontiguousarray(cells[..., filled]).tobytes())
    return f"sha256:{digest.hexdigest()}"


SCHEMA = "infoscope/table/1"
_HALVES = re.compile("[\ud800-\udfff]")
_WRITTEN = {
    "text": "VARCHAR",
    "int": "BIGINT",
    "float": "DOUBLE",
    "bool": "BOOLEAN",
    "date": "DATE",
    "time": "TIMESTAMP",
}
_PYTHON_TYPES: dict[str, set[type]] = {
    "text": {str},
    "int": {int},
    "float": {float, int},
    "bool": {bool},
    "date": {datetime.date},
    "time": {datetime.datetime},
}
_ENCODING = Plain("a kind of label", lambda value: value in (*_WRITTEN, "json"))
_LABELS = Each(TEXT)
_FACTS = Fields(
    {
        "schema": TEXT,
        "truth_encoding": _ENCODING,
        "system_encoding": _ENCODING,
        "reject": Maybe(TEXT),
        "positive": Maybe(TEXT),
        "declared": FLAG,
        "labelled": FLAG,
        "ignored": Named(COUNT),
        "weight_squares": Maybe(MASS),
        "order": Maybe(Fields({"truth": _LABELS, "system": _LABELS})),
    },
    {"checksum": TEXT},
)
"""The fields of the metadata."""


def save(table: Contingency, path: Path) -> None:
    """Write a plain table in one step: a reader never sees half of it."""
    if table.batch_shape or table.reweighting is not None:
        raise InputError("only plain tables are saved; save the original table, not a batch or a re-weighted one")
    if table.estimation is not None:
        raise InputError("this table was estimated without truth, which a file of counts cannot say; save the result")
    with output_file(path, replace=True) as file:
        write(table, file)


def write(table: Contingency, path: Path, system: str | None = None) -> None:
    """Fill a file with one table, and with the name of its system where there is one."""
    truth, predicted = _Column(table.truth_labels), _Column(table.system_labels)
    stored = table.values.reshape(-1) != 0
    rows, columns = table.cell_rows[stored], table.cell_columns[stored]
    values = table.values.reshape(-1)[stored]
    # labels without a cell have a row of their own, without a label of the other side
    empty_rows = truth.values[np.setdiff1d(np.arange(table.shape[0]), rows)]
    empty_columns = predicted.values[np.setdiff1d(np.arange(table.shape[1]), columns)]
    no_rows, no_columns = np.full(len(empty_columns), None), np.full(len(empty_rows), None)
    cells = {
        "truth": np.concatenate([truth.values[rows], empty_rows, no_rows]),
        "system": np.concatenate([predicted.values[columns], no_columns, empty_columns]),
        "value": np.concatenate([values, np.zeros(len(empty_rows) + len(empty_columns), dtype=values.dtype)]),
    }
    plain = [label for label in table.system_labels if label != table.reject]
    is_sorted = tuple(table.truth_labels) == sorted_labels(table.truth_labels) and tuple(table.system_labels) == (
        *sorted_labels(plain),
        *(() if table.reject is None else (table.reject,)),
    )
    order = {
        "truth": [label_to_json(label) for label in table.truth_labels],
        "system": [label_to_json(label) for label in table.system_labels],
    }
    facts: dict[str, Any] = {
        "schema": SCHEMA,
        "truth_encoding": truth.encoding,
        "system_encoding": predicted.encoding,
        "reject": None if table.reject is None else label_to_json(table.reject),
        "positive": None if table.positive is None else label_to_json(table.positive),
        "declared": table.declared,
        "labelled": table.labelled,
        "ignored": dict(table.ignored),
        "weight_squares": table.weight_squares,
        "order": None if is_sorted else order,
    }
    facts["checksum"] = compute_checksum(facts, system or "", hash_tables(table))
    entries = {"infoscope": json.dumps(facts, ensure_ascii=False)}
    if system is not None:
        entries["infoscope_system"] = system
    kind = "BIGINT" if values.dtype.kind in "iu" else "DOUBLE"
    write_parquet(path, cells, {"truth": truth.type, "system": predicted.type, "value": kind}, entries)


def write_parquet(
    path: Path, columns: Mapping[str, NDArray[Any]], types: Mapping[str, str], entries: Mapping[str, str]
) -> None:
    """Fill a file with columns of the given SQL types, and entries in its metadata."""
    selected = ", ".join(f"CAST({name} AS {kind}) AS {name}" for name, kind in types.items())
    kept = ", ".join(f"{name}: ${name}" for name in entries)
    query = (
        f"COPY (SELECT {selected} FROM cells) TO $path "
        f"(FORMAT parquet, COMPRESSION zstd, USE_TMP_FILE false, KV_METADATA {{{kept}}})"
    )
    with embedded_database() as connection, writing_to(path) as name:
        connection.register("cells", dict(columns))
        connection.execute(query, {"path": name, **entries})


class _Column:
    """One side's labels as a Parquet column: native where they are of one kind that Parquet holds, else JSON text."""

    def __init__(self, labels: Sequence[Label]) -> None:
        kinds = {kind_of(label) for label in labels}
        if kinds == {"int", "float"} and all(
            isinstance(label, float) or (isinstance(label, int) and abs(label) < 2**53) for label in labels
        ):
            kinds = {"float"}
        # a column holds labels as they are: no zone, no more than 64 bits, no half of a character
        native = len(kinds) < 2 and not any(
            (isinstance(label, datetime.datetime) and label.tzinfo is not None)
            or (isinstance(label, str) and not label.isascii() and _HALVES.search(label) is not None)
            or (isinstance(label, int) and not -(2**63) <= label < 2**63)
            for label in labels
        )
        self.encoding = next(iter(kinds), "text") if native else "json"
        self.type = _WRITTEN.get(self.encoding, "VARCHAR")
        self.values = np.empty(len(labels), dtype=object)
        self.values[:] = [label_to_json(label) for label in labels] if self.encoding == "json" else list(labels)


def load(cls: type[Contingency], path: Path) -> Contingency:
    """Read a table, checking that it is one, that it is whole, and that this version knows its form."""
    with open_tables(path) as file, faults_of(path):
        return decode_table(cls, file, parse_json(file.entries["infoscope"]))[1]


def decode_table(cls: type[Contingency], file: StoredTables, facts: Json) -> tuple[str | None, Contingency]:
    """Return the table of a file with these facts, and the name of its system, where the file has one."""
    schema = check_record(facts, Fields({"schema": TEXT}, open=True), "its metadata")["schema"]
    if schema != SCHEMA:
        several = schema.startswith("infoscope/tables/")
        way_out = "it holds several tables: infoscope.read takes it" if several else "update infoscope"
        raise InputError(f"its form is {schema[:60]!r} and {SCHEMA!r} is required; {way_out}")
    form = check_record(facts, _FACTS, "its metadata")
    table = _assemble_table(
        cls, form, file.columns({side: TYPES[form[f"{side}_encoding"]] for side in ("truth", "system")})
    )
    system = file.entries.get("infoscope_system")
    check_sum(form, system or "", hash_tables(table))
    return system, table


def _assemble_table(cls: type[Contingency], facts: dict[str, Any], columns: dict[str, Any]) -> Contingency:
    """Make a table of columns that anybody may have written."""
    truth, rows = _decode_column(columns["truth"], facts["truth_encoding"], "truth")
    system, places = _decode_column(columns["system"], facts["system_encoding"], "system")
    reject, positive = (None if facts[key] is None else label_from_json(facts[key]) for key in ("reject", "positive"))
    check_reject_is_no_truth(truth, reject)
    if reject is not None and reject not in system:
        raise InputError(f"its reject label {reject!r} is not among the labels of the system")

    # the labels of both sides in the order of the table: sorted, the reject label last, or as stated
    order = facts["order"]
    if order is None:
        last = () if reject is None else (reject,)
        labels = sorted_labels(truth), (*sorted_labels(label for label in system if label != reject), *last)
    else:
        labels = tuple(map(label_from_json, order["truth"])), tuple(map(label_from_json, order["system"]))
        for name, own, stated in zip(("truth", "system"), (truth, system), labels, strict=True):
            check_unique(stated, name)
            if set(own) != set(stated):
                odd = next(iter(set(own) ^ set(stated)))
                raise InputError(f"{name} label {odd!r} is in its rows or in its order of labels, and must be in both")

    values = read_values(columns["value"])
    filled = (rows >= 0) & (places >= 0)
    if (values[~filled] != 0).any() or ((rows < 0) & (places < 0)).any():
        raise InputError("a row has a count and no label of the truth or of the system")
    cells = Cells(
        *labels,
        move_codes(rows[filled], truth, labels[0]),
        move_codes(places[filled], system, labels[1]),
        values[filled],
    )
    check_distinct(cells.rows, cells.columns, len(labels[1]))
    table = place_cells(cls, cells, labels, Declared(None, reject, positive), declared=facts["declared"])
    check_squares(facts["weight_squares"], float(table.grand_total))
    return replace(
        table,
        labelled=facts["labelled"],
        ignored=MappingProxyType(dict(facts["ignored"])),
        weight_squares=facts["weight_squares"],
    )


def _decode_column(column: Any, encoding: str, side: str) -> tuple[list[Label], NDArray[np.int64]]:
    """Return the distinct labels of a column and each row's position among them; −1 where the row has none."""
    absent = np.ma.getmaskarray(column) if np.ma.isMaskedArray(column) else np.zeros(len(column), dtype=bool)
    data = np.ma.getdata(column)
    if data.dtype == object:
        absent = absent | np.array([value is None for value in data], dtype=bool)
    present = data[~absent]
    places = np.full(len(data), -1, dtype=np.int64)
    if present.dtype == object:
        seen: dict[Any, int] = {}
        places[~absent] = [seen.setdefault(value, len(seen)) for value in present.tolist()]
        distinct: list[Any] = list(seen)
    else:
        unique, places[~absent] = np.unique(present, return_inverse=True)
        distinct = unique.astype("datetime64[us]").tolist() if unique.dtype.kind == "M" else unique.tolist()
    if encoding == "json":
        labels = [label_from_json(text) for text in distinct]
    else:
        days = (value.date() if hasattr(value, "date") else value for value in distinct)
        labels = list(as_labels(days if encoding == "date" else distinct))
        if not set(map(type, labels)) <= _PYTHON_TYPES[encoding] or (
            encoding == "float" and any(map(is_missing, labels))
        ):
            raise InputError(f"a {side} label is not of the kind {encoding!r} that its metadata states")
    check_unique(labels, side)
    return labels, places
