"""Objects of libraries that are not known here, read by their Arrow capsules (the Arrow PyCapsule interface)."""

from __future__ import annotations

from typing import Any

from infoscope.errors import InputError

_KNOWN = frozenset({"infoscope", "numpy", "pandas", "polars", "pyarrow"})
"""Libraries whose objects are read as they are."""


def import_arrow(value: Any) -> Any:
    """Return a column or a frame that only its Arrow capsule makes readable as pyarrow has it, all else as it is.

    A dictionary of such columns is one of pyarrow's.
    """
    kind = type(value)
    if kind is dict:
        columns = {name: import_arrow(column) for name, column in value.items()}
        return value if all(column is value[name] for name, column in columns.items()) else columns
    is_stream = hasattr(kind, "__arrow_c_stream__")
    if not (is_stream or hasattr(kind, "__arrow_c_array__")) or kind.__module__.partition(".")[0] in _KNOWN:
        return value
    import narwhals  # noqa: PLC0415 - only for frames

    if narwhals.from_native(value, pass_through=True, allow_series=True) is not value:
        return value
    try:
        import pyarrow as pa  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise InputError(f"a {kind.__name__} is read by pyarrow; pip install 'infoscope[arrow]'") from error
    try:
        column = pa.chunked_array(value) if is_stream else pa.array(value)
    except Exception as error:
        raise InputError(f"the Arrow data of a {kind.__name__} cannot be read: {error}") from error
    return pa.Table.from_struct_array(column) if pa.types.is_struct(column.type) else column
