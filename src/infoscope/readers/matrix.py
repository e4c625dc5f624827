"""Confusion matrices in files: rows are truth, columns are what the system said."""

from __future__ import annotations

import csv
import os
from pathlib import Path

from infoscope.errors import InputError
from infoscope.readers.csv_header import opened_text
from infoscope.readers.files import find_files
from infoscope.tables import Contingency
from infoscope.tables.labels import Label

__all__ = ["read_matrix"]


def read_matrix(
    path: str | os.PathLike[str], *, reject: Label | None = None, positive: Label | None = None
) -> Contingency:
    """The table in a CSV or TSV file with a header of output labels and truth labels in front.

    A file of numbers alone has the labels 0, 1, …
    """
    files = find_files(path, None)
    if files.format not in ("csv", "tsv") or len(files.paths) > 1:
        raise InputError(f"{path} is not one CSV or TSV file; a matrix file is")
    lines = _lines(files.paths[0], files.compression, tab=files.format == "tsv")
    body = [line for line in lines if any(field.strip() for field in line)]
    if not body:
        raise InputError(f"{path} is empty; a matrix of counts is required")
    if all(_is_number(field) for line in body for field in line):
        counts = _counts(body, 1, str(path), 0)
        return Contingency.from_matrix(
            counts, reject=None if reject is None else _as_int(reject), positive=_as_int(positive)
        )
    header, *rows = body
    if len(header) < 2 or not rows:
        raise InputError(f"{path} has no counts below its header of output labels")
    counts = _counts([line[1:] for line in rows], 2, str(path), len(header) - 1)
    return Contingency.from_matrix(
        counts,
        truth=[line[0] for line in rows],
        system=header[1:],
        reject=reject,
        positive=positive,
    )


def _lines(path: Path, compression: str, *, tab: bool) -> list[list[str]]:
    with opened_text(path, compression) as file:
        text = file.read()
    first = text.partition("\n")[0]
    delimiter = "\t" if tab else max(",\t;| ", key=lambda sign: (first.count(sign), sign == ","))
    lines = csv.reader(text.splitlines(), delimiter=delimiter, skipinitialspace=True)
    return [[field.strip() for field in line] for line in lines]


def _counts(lines: list[list[str]], first: int, path: str, width: int) -> list[list[float]]:
    expected = width or len(lines[0])
    counts = []
    for number, line in enumerate(lines, first):
        if len(line) != expected:
            raise InputError(
                f"{path}, row {number} has {len(line)} counts and {expected} are required; "
                "a matrix has as many in every row"
            )
        for field in line:
            if not _is_number(field):
                raise InputError(f"{path}, row {number} has {field!r} as a count; counts are numbers")
        counts.append([_number(field) for field in line])
    return counts


def _number(field: str) -> float:
    return int(field) if field.lstrip("+-").isdigit() else float(field)


def _is_number(field: str) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


def _as_int(label: Label | None) -> Label | None:
    return int(label) if isinstance(label, str) and label.lstrip("-").isdigit() else label
