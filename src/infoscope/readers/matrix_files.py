"""Matrices in files: confusion matrices, as CSV or as other programs print them, costs, class frequencies.

Rows are the truth, columns are predictions. ``read_matrix`` and ``read_matrices`` are public; ``resolve_costs`` takes
costs in every form in which a caller may have them.
"""

from __future__ import annotations

import csv
import io
import math
import os
import re
from collections.abc import Collection, Mapping, Sequence
from inspect import signature
from itertools import count
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from infoscope.core.files import scratch_folder
from infoscope.errors import InputError
from infoscope.readers.conversions import check_encoding, convert_files
from infoscope.readers.csv_text import open_text, reject_separator_line
from infoscope.readers.files import check_signature, find_files
from infoscope.tables import Contingency
from infoscope.tables.labels import Label, as_labels
from infoscope.tables.transformations import StatedCosts
from infoscope.typing import ArrayLike, Frame, StrPath

# ── matrices as Weka, Vowpal Wabbit and MATLAB have them ─────────────────────────────────────────


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


def parse_weka(text: str, path: str) -> dict[str, tuple[list[str], list[list[float]]]] | None:
    r"""Return labels and counts of each matrix in an output of Weka, by what it was evaluated on; rows are the truth.

    None for other text: an output of Weka has a confusion matrix, or headings like ``=== Summary ===``.

    >>> table = "  a  b   <-- classified as\n 50  1 |  a = yes\n  2 47 |  b = no\n"
    >>> parse_weka(f"=== Stratified cross-validation ===\n{table}", "out.txt")
    {'Stratified cross-validation': (['yes', 'no'], [[50.0, 1.0], [2.0, 47.0]])}
    """
    tops, headings = list(_WEKA.finditer(text)), list(_WEKA_HEADING.finditer(text))
    if not tops and not any(heading[1].startswith(_WEKA_PARTS) for heading in headings):
        return None
    if not tops:
        raise InputError(f"{path} is an output of Weka without a confusion matrix; Weka prints one for nominal classes")
    matrices: dict[str, tuple[list[str], list[list[float]]]] = {}
    for top in tops:
        letters = top.group().split("<--")[0].split()
        labels, values = [], []
        for line in text[top.end() :].lstrip("\n").splitlines():
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
        above = [heading[1] for heading in headings if heading.end() <= top.start()]
        names = [heading for heading in above if not heading.startswith(_WEKA_PARTS)]
        matrices[_find_unused_name(names[-1] if names else "matrix", matrices)] = labels, values
    return matrices


def _find_unused_name(name: str, taken: Collection[str]) -> str:
    """Return the name, or with the first number that makes it another."""
    return next(free for i in count(1) if (free := name if i == 1 else f"{name} {i}") not in taken)


def parse_vowpal_wabbit(text: str, path: str) -> dict[str, list[list[float]]]:
    r"""Return the counts of each matrix that the demos of Vowpal Wabbit print, by its name; other text has none.

    Rows are the truth, as the heading says; classes are numbered from 0.

    >>> head = "mnist test errors: 3 out of 10\nconfusion matrix (rows = truth, columns = prediction):\n"
    >>> parse_vowpal_wabbit(head + "4 1\n2 3\n", "mnist.out")
    {'mnist': [[4.0, 1.0], [2.0, 3.0]]}
    """
    matrices: dict[str, list[list[float]]] = {}
    for head in _VOWPAL_WABBIT.finditer(text):
        rows: list[list[float]] = []
        for line in text[head.end() :].lstrip("\n").splitlines():
            if not re.fullmatch(r"[\d\s.]+", line) or not line.strip():
                break
            rows.append([float(number) for number in line.split()])
        if not rows or any(len(row) != len(rows) for row in rows):
            raise InputError(
                f"{path} has a confusion matrix of {len(rows)} whole rows that is not square; save it again"
            )
        total = sum(map(sum, rows))
        errors = total - sum(row[i] for i, row in enumerate(rows))
        if head["total"] is not None and (errors, total) != (float(head["errors"]), float(head["total"])):
            raise InputError(
                f"{path} states {head['errors']} errors out of {head['total']} above a confusion matrix with "
                f"{errors:g} out of {total:g}; save it again"
            )
        matrices[_find_unused_name(head["name"] or "matrix", matrices)] = rows
    return matrices


def is_matlab(path: Path) -> bool:
    """Return True for a file of MATLAB."""
    with path.open("rb") as file:
        return file.read(6).startswith(_MATLAB) or path.suffix.lower() == ".mat"


def read_matlab(path: Path) -> list[list[float]]:
    """Return the only matrix of numbers in a file of MATLAB."""
    from scipy.io import loadmat  # noqa: PLC0415 - for files of MATLAB only
    from scipy.io.matlab import MatReadError  # noqa: PLC0415

    kind = {"spmatrix": False} if "spmatrix" in signature(loadmat).parameters else {}  # from SciPy 1.17 on
    try:
        content = loadmat(path, **kind)
    except NotImplementedError as error:
        raise InputError(f"{path} is of MATLAB 7.3; save it with save('table.mat', 'counts', '-v7')") from error
    except (MatReadError, ValueError, TypeError, OSError, IndexError, KeyError, EOFError) as error:
        raise InputError(f"{path} is no whole file of MATLAB ({str(error)[:100] or type(error).__name__})") from error
    matrices = {
        name: value
        for name, value in content.items()
        if not name.startswith("__")
        and getattr(value, "ndim", 0) == 2
        and value.dtype.kind in "iuf"
        and min(value.shape) > 1
    }
    if not matrices:
        raise InputError(f"{path} has no matrix of numbers; save the table of counts: save('table.mat', 'counts')")
    if len(matrices) > 1:
        names = ", ".join(f"{name} ({' × '.join(map(str, value.shape))})" for name, value in matrices.items())
        raise InputError(f"{path} has several matrices: {names}; save the one with the counts alone")
    (matrix,) = matrices.values()
    rows: list[list[float]] = np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix).tolist()
    return rows


# ── CSV and TSV files of a matrix ────────────────────────────────────────────────────────────────


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
    """Read the table in a CSV or TSV file with a header of output labels and truth labels in front.

    A file of numbers alone has the labels 0, 1, …; so has a file of MATLAB with one matrix. The output of Weka is
    searched for its confusion matrix.
    """
    return _make_table(read_grid(path, "count", _COUNTS, encoding), path, reject, positive)


def read_matrices(
    path: str | os.PathLike[str],
    *,
    reject: Label | None = None,
    positive: Label | None = None,
    encoding: str | None = None,
) -> dict[str, Contingency]:
    """Read all tables in a file by name: Weka and Vowpal Wabbit print several, other files have one of their own name.

    Weka's are named by what was evaluated on, for example "Error on training data" and "Stratified cross-validation".
    """
    content = _read_content(path, encoding)
    if not isinstance(content, dict):
        content = {Path(path).stem: _parse_grid(content, str(path), "count", _COUNTS)}
    return {name: _make_table(grid, path, reject, positive) for name, grid in content.items()}


_COUNTS = "counts are numbers"


def _make_table(
    grid: MatrixFile, path: str | os.PathLike[str], reject: Label | None, positive: Label | None
) -> Contingency:
    if grid.truth is None:  # the labels are whole numbers
        reject, positive = (
            int(label) if isinstance(label, str) and label.lstrip("-").isdigit() else label
            for label in (reject, positive)
        )
    try:
        return Contingency.from_matrix(
            grid.values, truth=grid.truth, system=grid.system, reject=reject, positive=positive
        )
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def recognise_matrix(path: str | os.PathLike[str]) -> str | None:
    """Return what a file is called that holds a confusion matrix; None where it may hold rows.

    A matrix is recognised by its labels: every row has the name of a column, none twice, and all else is counts.
    """
    try:
        if Path(path).stat().st_size > _LARGEST_SEARCHED or is_matlab(Path(path)):  # which readers of rows name
            return None
        content = _read_content(path, None)
        if isinstance(content, dict):
            return "a confusion matrix as another program prints it"
        grid = _parse_grid(content, str(path), "count", "")
    except (InputError, OSError):
        return None
    if grid.truth is None or grid.system is None or len(grid.truth) < 2:
        return None
    once = len({*grid.truth}) == len(grid.truth)
    fits = once and {*grid.truth} <= {*grid.system} and all(count >= 0 for row in grid.values for count in row)
    return "a confusion matrix" if fits else None


def read_grid(path: str | os.PathLike[str], what: str, rule: str, encoding: str | None = None) -> MatrixFile:
    """Return the numbers of a matrix file; errors say ``what`` one of them is, and the ``rule`` for it."""
    content = _read_content(path, encoding)
    if not isinstance(content, dict):
        return _parse_grid(content, str(path), what, rule)
    if len(content) > 1:
        names = ", ".join(map(repr, content))
        raise InputError(
            f"{path} has {len(content)} confusion matrices ({names}); keep one of them, or take yours from "
            "infoscope.readers.read_matrices"
        )
    return next(iter(content.values()))


def _parse_grid(lines: list[list[str]], path: str, what: str, rule: str) -> MatrixFile:
    body = [line for line in lines if any(field.strip() for field in line)]
    if not body:
        raise InputError(f"{path} is empty; a matrix of {what}s is required")
    if all(_is_number(field) for line in body for field in line):
        return MatrixFile(None, None, _read_numbers(body, 1, len(body[0]), path, what, rule))
    header, *rows = body
    if len(header) < 2 or not rows:
        raise InputError(f"{path} has no {what}s below its header of output labels")
    values = _read_numbers([line[1:] for line in rows], 2, len(header) - 1, path, what, rule)
    truth, system = [line[0] for line in rows], header[1:]
    for side, labels in (("row", truth), ("column", system)):
        if "" in labels:
            raise InputError(f"{path} has a {side} without a label; name every class")
    return MatrixFile(truth, system, values)


def _read_content(path: str | os.PathLike[str], encoding: str | None) -> dict[str, MatrixFile] | list[list[str]]:
    """Return the matrices of a file that holds them as such by name, else the fields of its lines."""
    with scratch_folder() as folder:
        files = find_files(path, None, folder)
        if len(files.paths) > 1:
            raise InputError(f"{path} is {len(files.paths)} files; a matrix is one CSV or TSV file")
        if encoding is not None:
            check_encoding(encoding)
            files = convert_files(files, folder, encoding)
        with files.named():
            if is_matlab(files.paths[0]):
                return {Path(path).stem: MatrixFile(None, None, read_matlab(files.paths[0]))}
            if files.format not in ("csv", "tsv"):
                raise InputError(f"{path} is not a CSV or TSV file; save the matrix as one")
            check_signature(files.paths[0], files.format, files.compression)
            with open_text(files.paths[0], files.compression) as file:
                text = file.read()
            if (printed := parse_weka(text, str(files.paths[0]))) is not None:
                return {name: MatrixFile(labels, labels, values) for name, (labels, values) in printed.items()}
            if counts := parse_vowpal_wabbit(text, str(files.paths[0])):
                return {name: MatrixFile(None, None, values) for name, values in counts.items()}
            reject_separator_line(text, files.paths[0])
            first = text.partition("\n")[0]
            sign = max(",\t;|", key=lambda sign: (first.count(sign), sign == ","))  # a blank only without them
            delimiter = sign if sign in first or " " not in first.strip() else " "
            delimiter = "\t" if files.format == "tsv" else delimiter
            try:
                lines = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True))
            except csv.Error as error:
                raise InputError(f"{files.paths[0]} cannot be split into fields ({error}); is it a matrix?") from None
    if delimiter == " ":
        return [[field for field in line if field] for line in lines]
    return [[field.strip() if _is_number(field) else field for field in line] for line in lines]


def _read_numbers(lines: list[list[str]], first: int, width: int, path: str, what: str, rule: str) -> list[list[float]]:
    """Return lines of as many numbers each; whole ones exactly."""
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
        numbers.append(
            [
                int(field) if field.lstrip("+-").isdigit() and len(field) < _MOST_DIGITS else float(field)
                for field in line
            ]
        )
    return numbers


def _is_number(field: str) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


_RULE = "costs are finite numbers, negative ones are gains"


def read_costs(path: str | os.PathLike[str], truth: Sequence[Any], system: Sequence[Any]) -> list[list[float]]:
    """Read the costs of a CSV or TSV file, laid out like a matrix of counts, in the order of these labels.

    Rows and columns may come in any order, and more of them than are asked for; a file of numbers alone has the labels
    0, 1, …
    """
    grid = _read_cost_grid(path)
    rows = _index_labels(path, "row", grid.truth, len(grid.values))
    columns = _index_labels(path, "column", grid.system, len(grid.values[0]))
    for side, wanted, places in (("row", truth, rows), ("column", system, columns)):
        for label in wanted:
            if str(label) not in places:
                raise InputError(f"{path} has no {side} {str(label)!r}; each true and predicted class needs a cost")
    return [[float(grid.values[rows[str(t)]][columns[str(s)]]) for s in system] for t in truth]


def _read_cost_grid(path: str | os.PathLike[str]) -> MatrixFile:
    """Read the costs of a file with the names of rows and columns, each named once; None where it has no names."""
    grid = read_grid(path, "cost", _RULE)
    for row in grid.values:
        for cost in row:
            if not math.isfinite(cost):
                raise InputError(f"{path} has {cost} as a cost; {_RULE}")
    _index_labels(path, "row", grid.truth, len(grid.values))
    _index_labels(path, "column", grid.system, len(grid.values[0]))
    return grid


def _index_labels(path: str | os.PathLike[str], side: str, labels: list[str] | None, size: int) -> dict[str, int]:
    places: dict[str, int] = {}
    for i, label in enumerate(labels if labels is not None else map(str, range(size))):
        if label in places:
            raise InputError(f"{path} has two {side}s {label!r}; each true and predicted class has one")
        places[label] = i
    return places


# ── costs of predictions ─────────────────────────────────────────────────────────────────────────


CostsLike = StrPath | Frame | ArrayLike | Mapping[Any, Any]
"""A file, a frame, costs by pair or by true and predicted class, or a matrix in the order of the classes."""


def resolve_costs(costs: CostsLike | StatedCosts) -> StatedCosts:
    """Read the costs of predictions in any form; a correct prediction that a mapping leaves out costs nothing.

    >>> costs = resolve_costs({("cat", "dog"): 5, ("dog", "cat"): 1})
    >>> costs.truth, costs.values.tolist()
    (('cat', 'dog'), [[0.0, 5.0], [1.0, 0.0]])
    """
    if isinstance(costs, StatedCosts):
        return costs
    if isinstance(costs, (str, os.PathLike)):
        grid = _read_cost_grid(costs)
        values = _check_cost_matrix(grid.values, str(costs))
        if grid.truth is None or grid.system is None:
            return StatedCosts(None, None, values, str(costs))
        return StatedCosts(tuple(grid.truth), tuple(grid.system), values, str(costs))
    if isinstance(costs, Mapping):
        if all(isinstance(row, Mapping) for row in costs.values()):
            pairs = {(truth, system): cost for truth, row in costs.items() for system, cost in row.items()}
        elif all(isinstance(key, tuple) and len(key) == 2 for key in costs):
            pairs = dict(costs)
        else:
            raise InputError(
                "costs are given by pair, as {('cat', 'dog'): 5}, or by true and predicted class, as "
                "{'cat': {'dog': 5}}"
            )
        if not pairs:
            raise InputError("the costs name no pair of classes; give one cost for each, as {('cat', 'dog'): 5}")
        named = {tuple(map(str, as_labels(pair))): cost for pair, cost in pairs.items()}  # 1.0 is the label 1
        truth = tuple(dict.fromkeys(name for name, _ in named))
        system = tuple(dict.fromkeys((*truth, *(name for _, name in named))))
        for name in truth:
            for other in system:
                if (name, other) not in named and name != other:
                    raise InputError(f"the costs have none for {name!r} predicted as {other!r}; give one for each pair")
        table = [[named.get((name, other), 0.0) for other in system] for name in truth]
        return StatedCosts(truth, system, _check_cost_matrix(table, "the costs"))
    if not hasattr(costs, "columns"):
        return StatedCosts(None, None, _check_cost_matrix(costs, "the cost matrix"))
    frame: Any = costs
    names = [str(name) for name in as_labels(list(frame.columns))]
    if hasattr(frame, "index") and hasattr(frame, "to_numpy"):  # pandas, with the true classes as index
        truth = tuple(str(name) for name in as_labels(list(frame.index)))
        return StatedCosts(truth, tuple(names), _check_cost_matrix(frame.to_numpy(), "the frame of costs"))
    if not hasattr(frame, "rows"):
        raise InputError("the frame of costs is of an unknown kind; give one of pandas or polars, or a matrix")
    rows = [list(row) for row in frame.rows()]  # polars, with the true classes in the first column
    values = _check_cost_matrix([row[1:] for row in rows], "the frame of costs")
    return StatedCosts(tuple(str(row[0]) for row in rows), tuple(names[1:]), values)


def _check_cost_matrix(values: Any, source: str) -> NDArray[np.float64]:
    try:
        matrix = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{source} is no matrix of numbers; give one cost for each true and predicted class") from None
    if matrix.ndim != 2 or not matrix.size:
        raise InputError(f"{source} has shape {matrix.shape}; costs are a matrix, true classes in rows")
    if not np.isfinite(matrix).all():
        raise InputError(f"{source} has a cost that is not a finite number; give a number for every pair")
    return matrix


# ── class frequencies ────────────────────────────────────────────────────────────────────────────


def read_prevalence(prevalence: str | None) -> Literal["equal"] | dict[str, float] | None:
    """Read frequencies by label from a file; a first line without a number is taken as a header."""
    if prevalence is None or prevalence == "equal":
        return prevalence  # type: ignore[return-value]
    path = Path(prevalence)
    try:
        with open_text(path, "gzip" if path.suffix == ".gz" else "none") as file:
            text = file.read()
    except OSError:
        raise InputError(
            f"prevalence is {str(path)!r}, which is neither the word 'equal' nor a text file that can be read; write "
            "'equal', or a file with a line LABEL,FREQUENCY for each class"
        ) from None
    delimiter = "\t" if "\t" in text.partition("\n")[0] else ","
    try:
        lines = list(csv.reader(text.splitlines(), delimiter=delimiter))
    except csv.Error as error:
        raise InputError(f"{path} cannot be split into fields ({error}); write lines as LABEL,FREQUENCY") from None
    shares: dict[str, float] = {}
    for number, line in enumerate(lines, 1):
        if not any(field.strip() for field in line):
            continue
        if len(line) != 2 or not _is_number(line[1]):
            if number == 1:
                continue
            raise InputError(f"{path}, line {number} is not a label and a frequency; write lines as LABEL,FREQUENCY")
        label, share = line[0], float(line[1])
        if label in shares:
            raise InputError(f"{path} gives a frequency for {label!r} twice; give one for each class")
        if not (0 <= share < math.inf):
            raise InputError(
                f"{path}, line {number} gives {label!r} a frequency of {share}; it must be finite and at least 0"
            )
        shares[label] = share
    if not shares:
        raise InputError(f"{path} has no frequencies; write a line LABEL,FREQUENCY for each class")
    if not 0 < sum(shares.values()) < math.inf:
        raise InputError(f"{path} has frequencies that sum to {sum(shares.values())}; give one class one above 0")
    return shares
