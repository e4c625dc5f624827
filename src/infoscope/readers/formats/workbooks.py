"""Workbooks (Excel, OpenDocument): the rows of one sheet as lines of JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from datetime import datetime, time
from pathlib import Path
from typing import Any

from infoscope.errors import Advised, InputError, UnknownNameError, did_you_mean
from infoscope.readers.formats.compression import first_bytes

__all__ = ["workbook_lines"]

_EXACT = 2.0**53


def workbook_lines(path: Path, sheet: str | int | None = None) -> Iterator[bytes]:
    """One object a row below the first row that is not empty, which names the columns; empty cells are null."""
    rows = iter(_rows(path, sheet))
    header = next((row for row in rows if any(_is_filled(value) for value in row)), None)
    if header is None:
        raise InputError(f"{path} has no filled cell in its sheet; the first row names the columns")
    names = [(at, json.dumps(_text(name), ensure_ascii=False)) for at, name in enumerate(header) if _is_filled(name)]
    for row in rows:
        if any(_is_filled(value) for value in row):
            fields = (f"{name}: {_json(row[at]) if at < len(row) else 'null'}" for at, name in names)
            yield f"{{{', '.join(fields)}}}\n".encode()


def _rows(path: Path, sheet: str | int | None) -> Sequence[Sequence[Any]]:
    if re.fullmatch(rb"[\t\r\n -~\x80-\xff]{4,}", first_bytes(path, size=64)):  # an archive has other bytes
        option = "; read it with --input-format csv, or give it another name"
        name = "; give it a name that ends in .csv"
        raise InputError(Advised(f"{path} is text and not a workbook", terminal=option, page=name))
    try:
        from python_calamine import CalamineError, load_workbook  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise InputError(
            f"{path} is a workbook, which needs python-calamine; pip install 'infoscope[excel]', or save it as CSV"
        ) from error
    try:
        with load_workbook(str(path)) as book:
            names = list(book.sheet_names)
            if sheet is not None:
                return book.get_sheet_by_name(_named_sheet(names, sheet, path)).to_python(skip_empty_area=False)
            found = {name: book.get_sheet_by_name(name).to_python(skip_empty_area=False) for name in names}
    except (CalamineError, OSError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(f"{path} cannot be read as a workbook ({reason}); save it again, or as CSV") from error
    filled = {name: rows for name, rows in found.items() if rows}
    if len(filled) > 1:
        sentence = Advised(
            f"{path} has {len(filled)} sheets with data",
            terminal="; name one with --sheet (in Python: sheet=)",
            page="; save the one with the rows as a file of its own",
        )
        raise InputError(sentence + f": {', '.join(map(repr, filled))}")
    return next(iter(filled.values()), [])


def _named_sheet(names: Sequence[str], sheet: str | int, path: Path) -> str:
    """A sheet by its name, else by its place from 1."""
    if sheet in names:
        return str(sheet)
    if str(sheet).isdecimal() and 1 <= int(sheet) <= len(names):
        return names[int(sheet) - 1]
    hint = did_you_mean(str(sheet), names, f"it has {', '.join(map(repr, names))}")
    raise UnknownNameError(f"{path} has no sheet {sheet!r}; {hint}")


def _is_filled(value: Any) -> bool:
    return value is not None and value != ""


def _json(value: Any) -> str:
    if not _is_filled(value):
        return "null"
    if isinstance(value, float) and value.is_integer() and abs(value) < _EXACT:
        return str(int(value))
    return json.dumps(value if isinstance(value, (bool, int, float)) else _text(value), ensure_ascii=False)


def _text(value: Any) -> str:
    """A cell as it reads: whole numbers without a point, midnight without a time."""
    if isinstance(value, datetime):
        return str(value.date() if value.time() == time() else value)
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
