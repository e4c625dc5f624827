"""Confusion matrices as other programs print and save them: Weka, Vowpal Wabbit's demos, and files of MATLAB."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np

from infoscope.errors import InputError

__all__ = ["is_matlab", "is_vowpal_wabbit", "is_weka", "matlab_matrix", "vowpal_wabbit_matrix", "weka_matrix"]

_WEKA = re.compile(r"^\s*(?:[a-z]+\s+)+<-- classified as\s*$", re.MULTILINE)
_WEKA_ROW = re.compile(r"^\s*((?:[\d.,eE+-]+\s+)+)\|\s*([a-z]+) = (.*?)\s*$")
_VOWPAL_WABBIT = re.compile(r"^\s*confusion matrix \(rows = truth, columns = prediction\):[ \t]*$", re.MULTILINE)
_MATLAB = (b"MATLAB", b"\x89HDF")


def is_weka(text: str) -> bool:
    """Whether a text holds a confusion matrix as Weka prints it."""
    return _WEKA.search(text) is not None


def weka_matrix(text: str, path: str) -> tuple[list[str], list[list[float]]]:
    r"""Labels and counts of the one matrix in an output of Weka; rows are the truth.

    >>> weka_matrix("  a  b   <-- classified as\n 50  1 |  a = yes\n  2 47 |  b = no\n", "out.txt")
    (['yes', 'no'], [[50.0, 1.0], [2.0, 47.0]])
    """
    heads = list(_WEKA.finditer(text))
    if len(heads) > 1:
        raise InputError(
            f"{path} has {len(heads)} confusion matrices (of training data and of a test?); keep one of them"
        )
    letters = heads[0].group().split("<--")[0].split()
    labels, values = [], []
    for line in text[heads[0].end() :].lstrip("\n").splitlines():
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


def vowpal_wabbit_matrix(text: str, path: str) -> list[list[float]]:
    r"""The counts of the one matrix, rows being the truth as its heading says; classes are numbered from 0.

    >>> head = "mnist test errors: 3 out of 10\nconfusion matrix (rows = truth, columns = prediction):\n"
    >>> vowpal_wabbit_matrix(head + "4 1\n2 3\n", "mnist.out")
    [[4.0, 1.0], [2.0, 3.0]]
    """
    heads = list(_VOWPAL_WABBIT.finditer(text))
    if len(heads) > 1:
        raise InputError(f"{path} has {len(heads)} confusion matrices; keep one of them")
    rows: list[list[float]] = []
    for line in text[heads[0].end() :].lstrip("\n").splitlines():
        if not re.fullmatch(r"[\d\s.]+", line) or not line.strip():
            break
        rows.append([float(number) for number in line.split()])
    if not rows or any(len(row) != len(rows) for row in rows):
        raise InputError(f"{path} has a confusion matrix of {len(rows)} whole rows that is not square; save it again")
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

    try:
        return {name: value for name, value in loadmat(path).items() if not name.startswith("__")}
    except NotImplementedError as error:
        raise InputError(f"{path} is of MATLAB 7.3; save it with save('table.mat', 'counts', '-v7')") from error
    except (MatReadError, ValueError, TypeError, OSError, IndexError, KeyError, EOFError) as error:
        raise InputError(f"{path} is no whole file of MATLAB ({str(error)[:100] or type(error).__name__})") from error


def _is_matrix(value: Any) -> bool:
    return getattr(value, "ndim", 0) == 2 and value.dtype.kind in "iuf" and min(value.shape) > 1
