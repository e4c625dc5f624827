"""Names that several columns of a file have: none of them can be taken, and none is left out in silence."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from os import PathLike

from infoscope.readers.column_names import file_columns
from infoscope.readers.column_roles import ColumnRoles
from infoscope.readers.files import Files, scratch_folder
from infoscope.readers.reader import ReadOptions, files_of
from infoscope.typing import Source

__all__ = ["with_repeated_names"]


def with_repeated_names(roles: ColumnRoles, source: Source, read: ReadOptions | None = None) -> ColumnRoles:
    """What columns are taken for, with a sentence about those that share a name.

    >>> with_repeated_names(ColumnRoles(truth="label"), {"label": ["a"]}).reasons
    ()
    """
    names = _repeated_names(source, read or ReadOptions())
    if not names:
        return roles
    listed = " or ".join(map(repr, names[:3]))
    if roles.question is None:
        return replace(roles, reasons=(*roles.reasons, f"not used: several columns that are named {listed}"))
    return replace(roles, question=f"{roles.question}; several columns are named {listed}: rename them")


def _repeated_names(source: Source, how: ReadOptions) -> list[str]:
    if not isinstance(source, (str, PathLike, Files)):
        return []
    with scratch_folder() as folder:
        files = files_of(source, how, folder)
        names = list(file_columns(files, how)) if files is not None and files.format != "ifs" else []
    return [name for name, times in Counter(names).items() if times > 1]
