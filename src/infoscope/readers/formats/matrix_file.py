"""Matrices in files: confusion matrices (rows are truth, columns are predictions) and what each prediction costs."""

from __future__ import annotations

import csv
import io
import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from infoscope.core.scratch_files import scratch_folder
from infoscope.errors import InputError
from infoscope.readers.files import Files, find_files
from infoscope.readers.formats.conversions import check_encoding, converted
from infoscope.readers.formats.csv_header import reject_separator_line
from infoscope.readers.formats.printed_matrix import (
    is_matlab,
    is_vowpal_wabbit,
    is_weka,
    matlab_matrix,
    vowpal_wabbit_matrices,
    weka_matrices,
)
from infoscope.readers.formats.signatures import check_signature
from infoscope.readers.formats.text_files import opened_text
from infoscope.tables import Contingency
from infoscope.tables.labels import Label

__all__ = [
    "MatrixFile",
    "read_cost_grid",
    "read_costs",
    "read_grid",
    "read_matrices",
    "read_matrix",
    "recognised_matrix",
]

_MOST_DIGITS = 300
"""Whole numbers of more digits are infinite as numbers."""
_LARGEST_SEARCHED = 4 << 20
"""Bytes of a file of rows that is searched for a matrix: about 1,000 classes."""


class MatrixFile(NamedTuple):
    """Numbers in rows and columns, with their labels; None for a file of numbers alone."""

    truth: list[str] | None
    system: list[str] | None
    values: list[list[float]]


def read_matrix(
    path: str | os.PathLike[str],
    *,
    reject: Label | None = None,
    positive: Label | None = None,
    encoding: str | None = None,
) -> Contingency:
    """The table in a CSV or TSV file with a header of output labels and truth labels in front.

    A file of numbers alone has the labels 0, 1, …; so has a file of MATLAB with one matrix. The output of Weka is
    searched for its confusion matrix.
    """
    return _table(read_grid(path, "count", _COUNTS, encoding), path, reject, positive)


def read_matrices(
    path: str | os.PathLike[str],
    *,
    reject: Label | None = None,
    positive: Label | None = None,
    encoding: str | None = None,
) -> dict[str, Contingency]:
    """All tables in a file by name, as Weka and Vowpal Wabbit print several; other files have one, named by the file.

    Weka's are named by what was evaluated on, for example "Error on training data" and "Stratified cross-validation".
    """
    found = _content(path, encoding)
    grids = found if isinstance(found, dict) else {Path(path).stem: _grid(found, str(path), "count", _COUNTS)}
    return {name: _table(grid, path, reject, positive) for name, grid in grids.items()}


_COUNTS = "counts are numbers"


def _table(grid: MatrixFile, path: str | os.PathLike[str], reject: Label | None, positive: Label | None) -> Contingency:
    if grid.truth is None:
        reject, positive = _as_int(reject), _as_int(positive)
    try:
        return Contingency.from_matrix(
            grid.values, truth=grid.truth, system=grid.system, reject=reject, positive=positive
        )
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def recognised_matrix(path: str | os.PathLike[str]) -> str | None:
    """What a file is called that holds a confusion matrix; None where it may hold rows.

    A matrix is recognised by its labels: every row has the name of a column, none twice, and all else is counts.
    """
    try:
        if Path(path).stat().st_size > _LARGEST_SEARCHED or is_matlab(Path(path)):  # which readers of rows name
            return None
        found = _content(path, None)
        if isinstance(found, dict):
            return "a confusion matrix as another program prints it"
        grid = _grid(found, str(path), "count", "")
    except (InputError, OSError):
        return None
    if grid.truth is None or grid.system is None or len(grid.truth) < 2:
        return None
    once = len({*grid.truth}) == len(grid.truth)
    fits = once and {*grid.truth} <= {*grid.system} and all(count >= 0 for row in grid.values for count in row)
    return "a confusion matrix" if fits else None


def read_grid(path: str | os.PathLike[str], what: str, rule: str, encoding: str | None = None) -> MatrixFile:
    """The numbers of a matrix file; ``what`` one of them is, and the ``rule`` for it, as error messages state them."""
    found = _content(path, encoding)
    if not isinstance(found, dict):
        return _grid(found, str(path), what, rule)
    if len(found) > 1:
        names = ", ".join(map(repr, found))
        raise InputError(
            f"{path} has {len(found)} confusion matrices ({names}); keep one of them, or take yours from "
            "infoscope.readers.read_matrices"
        )
    return next(iter(found.values()))


def _grid(lines: list[list[str]], path: str, what: str, rule: str) -> MatrixFile:
    body = [line for line in lines if any(field.strip() for field in line)]
    if not body:
        raise InputError(f"{path} is empty; a matrix of {what}s is required")
    if all(_is_number(field) for line in body for field in line):
        return MatrixFile(None, None, _numbers(body, 1, len(body[0]), path, (what, rule)))
    header, *rows = body
    if len(header) < 2 or not rows:
        raise InputError(f"{path} has no {what}s below its header of output labels")
    values = _numbers([line[1:] for line in rows], 2, len(header) - 1, path, (what, rule))
    truth, system = [line[0] for line in rows], header[1:]
    for side, labels in (("row", truth), ("column", system)):
        if "" in labels:
            raise InputError(f"{path} has a {side} without a label; name every class")
    return MatrixFile(truth, system, values)


def _content(path: str | os.PathLike[str], encoding: str | None) -> dict[str, MatrixFile] | list[list[str]]:
    """The matrices of a file that holds them as such by name, else the fields of its lines."""
    with scratch_folder() as folder:
        files = find_files(path, None, folder)
        if len(files.paths) > 1:
            raise InputError(f"{path} is {len(files.paths)} files; a matrix is one CSV or TSV file")
        files = files if encoding is None else _recoded(files, folder, encoding)
        with files.named():
            if is_matlab(files.paths[0]):
                return {Path(path).stem: MatrixFile(None, None, matlab_matrix(files.paths[0]))}
            check_signature(files.paths[0], files.format, files.compression)
            if files.format not in ("csv", "tsv"):
                raise InputError(f"{path} is not a CSV or TSV file; a matrix file is")
            with opened_text(files.paths[0], files.compression) as file:
                text = file.read()
            if is_weka(text):
                printed = weka_matrices(text, str(files.paths[0]))
                return {name: MatrixFile(labels, labels, values) for name, (labels, values) in printed.items()}
            if is_vowpal_wabbit(text):
                counts = vowpal_wabbit_matrices(text, str(files.paths[0]))
                return {name: MatrixFile(None, None, values) for name, values in counts.items()}
            return _lines(files.paths[0], text, tab=files.format == "tsv")


def _recoded(files: Files, folder: Path, encoding: str) -> Files:
    check_encoding(encoding)
    return converted(files, folder, encoding)


def _lines(path: Path, text: str, *, tab: bool) -> list[list[str]]:
    reject_separator_line(text, path)
    delimiter = "\t" if tab else _delimiter(text.partition("\n")[0])
    try:
        lines = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True))
    except csv.Error as error:
        raise InputError(f"{path} cannot be split into fields ({error}); is it a matrix?") from None
    if delimiter == " ":
        return [[field for field in line if field] for line in lines]
    return [[field.strip() if _is_number(field) else field for field in line] for line in lines]


def _delimiter(first: str) -> str:
    """The sign between the fields of the first line; a blank only where there is no other, since labels have blanks."""
    often = max(",\t;|", key=lambda sign: (first.count(sign), sign == ","))
    return often if often in first or " " not in first.strip() else " "


def _numbers(lines: list[list[str]], first: int, width: int, path: str, said: tuple[str, str]) -> list[list[float]]:
    what, rule = said
    numbers = []
    for number, line in enumerate(lines, first):
        if len(line) != width:
            raise InputError(
                f"{path}, row {number} has {len(line)} {what}s and {width} are required; "
                "a matrix has as many in every row"
            )
        for field in line:
            if not _is_number(field):
                raise InputError(f"{path}, row {number} has {field!r} as a {what}; {rule}")
        numbers.append([_number(field) for field in line])
    return numbers


def _number(field: str) -> float:
    return int(field) if field.lstrip("+-").isdigit() and len(field) < _MOST_DIGITS else float(field)


def _is_number(field: str) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


def _as_int(label: Label | None) -> Label | None:
    return int(label) if isinstance(label, str) and label.lstrip("-").isdigit() else label


_RULE = "costs are finite numbers, negative ones are gains"


def read_costs(path: str | os.PathLike[str], truth: Sequence[Any], system: Sequence[Any]) -> list[list[float]]:
    """The costs of a CSV or TSV file, laid out like a matrix of counts, in the order of these labels.

    Rows and columns may come in any order, and more of them than are asked for; a file of numbers alone has the labels
    0, 1, …
    """
    grid = read_cost_grid(path)
    rows = _places(path, "row", grid.truth, len(grid.values))
    columns = _places(path, "column", grid.system, len(grid.values[0]))
    for side, wanted, known in (("row", truth, rows), ("column", system, columns)):
        for label in wanted:
            if str(label) not in known:
                raise InputError(f"{path} has no {side} {str(label)!r}; each true and predicted class needs a cost")
    return [[float(grid.values[rows[str(t)]][columns[str(s)]]) for s in system] for t in truth]


def read_cost_grid(path: str | os.PathLike[str]) -> MatrixFile:
    """The costs of a file with the names of their rows and columns, each named once; None where it has no names."""
    grid = read_grid(path, "cost", _RULE)
    for row in grid.values:
        for cost in row:
            if not math.isfinite(cost):
                raise InputError(f"{path} has {cost} as a cost; {_RULE}")
    _places(path, "row", grid.truth, len(grid.values))
    _places(path, "column", grid.system, len(grid.values[0]))
    return grid


def _places(path: str | os.PathLike[str], side: str, labels: list[str] | None, size: int) -> dict[str, int]:
    places: dict[str, int] = {}
    for at, label in enumerate(labels if labels is not None else map(str, range(size))):
        if label in places:
            raise InputError(f"{path} has two {side}s {label!r}; each true and predicted class has one")
        places[label] = at
    return places
