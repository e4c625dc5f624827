"""Arrow, Feather and stream files: batches that pyarrow reads and checks before the engine sees them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from infoscope.errors import InputError
from infoscope.readers.files import Files
from infoscope.readers.query import pick_columns

if TYPE_CHECKING:
    import pyarrow as pa


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
    """What is wrong with a file, once the engine has met it."""

    @classmethod
    def of(cls, files: Files, names: Sequence[str]) -> ArrowRows:
        """The rows of files that agree about the types of these columns."""
        if files.compression != "none":
            raise InputError(f"{files.name} is compressed as a whole; Arrow compresses inside its files")
        schemas = [_schema(path, names, set(files.hive_keys)) for path in files.paths]
        for path, schema in zip(files.paths, schemas, strict=True):
            for name in names:
                kind, expected = schema.field(name).type, schemas[0].field(name).type
                if kind != expected:
                    raise InputError(
                        f"{path} has {name!r} as {kind} and {files.paths[0]} as {expected}; "
                        "read them apart, or give the files one schema"
                    )
        return cls(files, tuple(names), {name: schemas[0].field(name).type for name in names})

    def narrowed(self, names: Sequence[str]) -> ArrowRows:
        """The same rows with fewer columns."""
        return ArrowRows(self.files, tuple(names), self.kinds)

    def alias(self, name: str) -> str:
        """The name of a column in the stream; it does not change with the columns beside it.

        Names of the user's own could be empty, or alike but for case.
        """
        return f"c{list(self.kinds).index(name)}"

    @property
    def schema(self) -> pa.Schema:
        """Names and types of the stream."""
        return _pyarrow(self.files.name).schema([(self.alias(name), self.kinds[name]) for name in self.names])

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """All batches, from the beginning, in the way that engines take them from each other."""
        pa = _pyarrow(self.files.name)
        return pa.RecordBatchReader.from_batches(self.schema, self._batches()).__arrow_c_stream__(requested_schema)

    def _batches(self) -> Iterator[Any]:
        pa = _pyarrow(self.files.name)
        hive, schema = set(self.files.hive_keys), self.schema
        for path in self.files.paths:
            number = 0
            try:
                for number, batch in enumerate(_read(path, [n for n in self.names if n not in hive]), 1):  # noqa: B007 - its error names it
                    batch.validate(full=True)
                    yield pa.RecordBatch.from_arrays(
                        [
                            _repeated(_of_folder(path, name), batch.num_rows) if name in hive else batch.column(name)
                            for name in self.names
                        ],
                        schema=schema,
                    )
            except (pa.ArrowException, OSError) as error:
                self.problem = f"{path} is damaged (record batch {number}: {_line(error)}); fetch or write it again"
                raise


def _read(path: Path, names: Sequence[str]) -> Iterator[Any]:
    """Record batches of a file, or of a stream, with some of their columns."""
    pa = _pyarrow(str(path))
    with pa.OSFile(str(path)) as source, _opened(source, path) as reader:
        places = [reader.schema.get_field_index(name) for name in names]
    options = pa.ipc.IpcReadOptions(included_fields=places)
    with pa.OSFile(str(path)) as source, _opened(source, path, options) as reader:
        if hasattr(reader, "get_batch"):
            yield from (reader.get_batch(i) for i in range(reader.num_record_batches))
        else:
            yield from reader


def _opened(source: Any, path: Path, options: Any = None) -> Any:
    """A reader of the file or stream that its first bytes show it to be."""
    pa = _pyarrow(str(path))
    magic = source.read(4)
    source.seek(0)
    if magic == b"FEA1":
        raise InputError(f"{path} is a Feather file of version 1; write it again as version 2")
    opener = pa.ipc.open_file if magic == b"ARRO" else pa.ipc.open_stream
    return opener(source, options=options)


def arrow_schema(path: Path) -> pa.Schema:
    """Names and types of all columns of a file."""
    pa = _pyarrow(str(path))
    try:
        with pa.OSFile(str(path)) as source, _opened(source, path) as reader:
            _ = reader.schema.names  # pyarrow does not look at their bytes before
            return reader.schema
    except UnicodeDecodeError:
        raise InputError(f"{path} is damaged: the name of a column is not UTF-8; fetch or write it again") from None
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{path} cannot be read: {_line(error)}") from error


def _schema(path: Path, names: Sequence[str], hive: set[str]) -> Any:
    """Names and types of the asked columns; those that folders name are text."""
    pa, schema = _pyarrow(str(path)), arrow_schema(path)
    pick_columns([name for name in names if name not in hive], schema.names, str(path))
    return pa.schema([pa.field(name, pa.string()) if name in hive else schema.field(name) for name in names])


def _of_folder(path: Path, name: str) -> str | None:
    known = dict(folder.split("=", 1) for folder in path.parts[:-1] if "=" in folder)
    value = unquote(known[name])
    return None if value == _NO_VALUE else value


def _repeated(value: str | None, rows: int) -> Any:
    pa = _pyarrow("")
    return pa.nulls(rows, pa.string()) if value is None else pa.repeat(pa.scalar(value), rows)


def _line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def _pyarrow(name: str) -> Any:
    try:
        import pyarrow as pa  # noqa: PLC0415 - an extra
        import pyarrow.ipc  # noqa: PLC0415 - heavy
    except ImportError as error:
        raise InputError(f"{name} is an Arrow file, which needs pyarrow; pip install 'infoscope[arrow]'") from error
    return pa
