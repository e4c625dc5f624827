"""Confusion matrices as other programs print and save them: Weka, Vowpal Wabbit's demos, and files of MATLAB."""

from __future__ import annotations

import re
from collections.abc import Collection
from inspect import signature
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from infoscope.errors import InputError

__all__ = ["is_matlab", "is_vowpal_wabbit", "is_weka", "matlab_matrix", "vowpal_wabbit_matrices", "weka_matrices"]

_WEKA = re.compile(r"^\s*(?:[a-z]+\s+)+<-- classified as\s*$", re.MULTILINE)
_WEKA_ROW = re.compile(r"^\s*((?:[\d.,eE+-]+\s+)+)\|\s*([a-z]+) = (.*?)\s*$")
_WEKA_HEADING = re.compile(r"^=== (.+?) ===\s*$", re.MULTILINE)
_WEKA_PARTS = ("Confusion Matrix", "Detailed Accuracy", "Summary", "Classifier model", "Run information")
"""Headings within one evaluation; the others say what was evaluated on."""
_VOWPAL_WABBIT = re.compile(
    r"^(?:\s*(?P<name>.*?) ?test errors: (?P<errors>\d+) out of (?P<total>\d+)[ \t]*\n)?"
    r"\s*confusion matrix \(rows = truth, columns = prediction\):[ \t]*$",
    re.MULTILINE,
)
_MATLAB = (b"MATLAB", b"\x89HDF")


def is_weka(text: str) -> bool:
    """Whether a text is an output of Weka: it has a confusion matrix, or headings like ``=== Summary ===``."""
    return _WEKA.search(text) is not None or any(each[1].startswith(_WEKA_PARTS) for each in _headings(text))


def weka_matrices(text: str, path: str) -> dict[str, tuple[list[str], list[list[float]]]]:
    r"""Labels and counts of each matrix in an output of Weka, by what it was evaluated on; rows are the truth.

    >>> table = "  a  b   <-- classified as\n 50  1 |  a = yes\n  2 47 |  b = no\n"
    >>> weka_matrices(f"=== Stratified cross-validation ===\n{table}", "out.txt")
    {'Stratified cross-validation': (['yes', 'no'], [[50.0, 1.0], [2.0, 47.0]])}
    """
    heads = list(_WEKA.finditer(text))
    if not heads:
        raise InputError(f"{path} is an output of Weka without a confusion matrix; Weka prints one for nominal classes")
    found: dict[str, tuple[list[str], list[list[float]]]] = {}
    for head in heads:
        said = [
            each[1] for each in _headings(text) if each.end() <= head.start() and not each[1].startswith(_WEKA_PARTS)
        ]
        found[_unused(said[-1] if said else "matrix", found)] = _weka_matrix(text, head, path)
    return found


def _headings(text: str) -> list[re.Match[str]]:
    return list(_WEKA_HEADING.finditer(text))


def _unused(name: str, taken: Collection[str]) -> str:
    """The name, or with the first number that makes it another."""
    return next(each for at in count(1) if (each := name if at == 1 else f"{name} {at}") not in taken)


def _weka_matrix(text: str, head: re.Match[str], path: str) -> tuple[list[str], list[list[float]]]:
    letters = head.group().split("<--")[0].split()
    labels, values = [], []
    for line in text[head.end() :].lstrip("\n").splitlines():
        row = _WEKA_ROW.match(line)
        if row is None:
            break
        labels.append(row.group(3))
        values.append([float(number.replace(",", "")) for number in row.group(1).split()])
    if len(values) != len(letters) or any(len(row) != len(letters) for row in values):
        raise InputError(
            f"{path} has a confusion matrix of Weka with {len(letters)} classes and {len(values)} whole rows; "
            "save the whole output again"
        )
    return labels, values


def is_vowpal_wabbit(text: str) -> bool:
    """Whether a text holds a confusion matrix as the demos of Vowpal Wabbit print it."""
    return _VOWPAL_WABBIT.search(text) is not None


def vowpal_wabbit_matrices(text: str, path: str) -> dict[str, list[list[float]]]:
    r"""The counts of each matrix by its name, rows being the truth as the heading says; classes are numbered from 0.

    >>> head = "mnist test errors: 3 out of 10\nconfusion matrix (rows = truth, columns = prediction):\n"
    >>> vowpal_wabbit_matrices(head + "4 1\n2 3\n", "mnist.out")
    {'mnist': [[4.0, 1.0], [2.0, 3.0]]}
    """
    found: dict[str, list[list[float]]] = {}
    for head in _VOWPAL_WABBIT.finditer(text):
        found[_unused(head["name"] or "matrix", found)] = _vowpal_wabbit_matrix(text, head, path)
    return found


def _vowpal_wabbit_matrix(text: str, head: re.Match[str], path: str) -> list[list[float]]:
    rows: list[list[float]] = []
    for line in text[head.end() :].lstrip("\n").splitlines():
        if not re.fullmatch(r"[\d\s.]+", line) or not line.strip():
            break
        rows.append([float(number) for number in line.split()])
    if not rows or any(len(row) != len(rows) for row in rows):
        raise InputError(f"{path} has a confusion matrix of {len(rows)} whole rows that is not square; save it again")
    total = sum(map(sum, rows))
    errors = total - sum(row[at] for at, row in enumerate(rows))
    if head["total"] is not None and (errors, total) != (float(head["errors"]), float(head["total"])):
        raise InputError(
            f"{path} states {head['errors']} errors out of {head['total']} above a confusion matrix with {errors:g} "
            f"out of {total:g}; save it again"
        )
    return rows


def is_matlab(path: Path) -> bool:
    """Whether a file is one of MATLAB."""
    with path.open("rb") as file:
        return file.read(6).startswith(_MATLAB) or path.suffix.lower() == ".mat"


def matlab_matrix(path: Path) -> list[list[float]]:
    """The only matrix of numbers in a file of MATLAB."""
    found = {name: value for name, value in _loaded(path).items() if _is_matrix(value)}
    if not found:
        raise InputError(f"{path} has no matrix of numbers; save the table of counts: save('table.mat', 'counts')")
    if len(found) > 1:
        names = ", ".join(f"{name} ({' × '.join(map(str, value.shape))})" for name, value in found.items())
        raise InputError(f"{path} has several matrices: {names}; save the one with the counts alone")
    (matrix,) = found.values()
    rows: list[list[float]] = np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix).tolist()
    return rows


def _loaded(path: Path) -> dict[str, Any]:
    from scipy.io import loadmat  # noqa: PLC0415 - for files of MATLAB only
    from scipy.io.matlab import MatReadError  # noqa: PLC0415

    kind = {"spmatrix": False} if "spmatrix" in signature(loadmat).parameters else {}  # from SciPy 1.17 on
    try:
        return {name: value for name, value in loadmat(path, **kind).items() if not name.startswith("__")}
    except NotImplementedError as error:
        raise InputError(f"{path} is of MATLAB 7.3; save it with save('table.mat', 'counts', '-v7')") from error
    except (MatReadError, ValueError, TypeError, OSError, IndexError, KeyError, EOFError) as error:
        raise InputError(f"{path} is no whole file of MATLAB ({str(error)[:100] or type(error).__name__})") from error


def _is_matrix(value: Any) -> bool:
    return getattr(value, "ndim", 0) == 2 and value.dtype.kind in "iuf" and min(value.shape) > 1
