"""Monte Carlo runs of any system, made elsewhere: their spread, their clouds, and how much two systems overlap."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Sized
from typing import Any, Unpack, cast

import numpy as np

from infoscope.core.markup import counted
from infoscope.errors import InputError, check_keywords
from infoscope.readers import LabelKeywords, ReadOptions
from infoscope.readers.files import files_by_values, names_in_braces
from infoscope.readers.guess_columns import as_names
from infoscope.readers.reader import counted_tables, finished_tables
from infoscope.studies.cross_validate.result import CrossValidation
from infoscope.studies.inputs import kept_rows
from infoscope.tables import Contingency
from infoscope.tables.construction import Declared, counted_labels
from infoscope.tables.labels import Label
from infoscope.tables.missing import all_ignored, most_ignored, warn_of_rows
from infoscope.typing import LabelsLike, Source

__all__ = ["monte_carlo"]

Runs = dict[str, Contingency]
"""Tables of one system by the name of the run."""
MAX_CELLS = 50_000_000
"""Cells of all runs of a system together."""


def monte_carlo(
    source: Source | Mapping[str, Any],
    y_pred: Mapping[str, Sequence[LabelsLike]] | None = None,
    *,
    truth: str | None = None,
    system: str | Sequence[str] | None = None,
    by: str | Sequence[str] | None = None,
    read: ReadOptions | None = None,
    **labels: Unpack[LabelKeywords],
) -> CrossValidation:
    """How much the scores of systems vary over runs that were made anywhere, and how far systems are apart.

    ``source`` maps each system to its runs: a list of tables or of matrices, tables by run, or a batch. Or it holds
    rows with the columns ``truth`` and ``system``, and ``by`` names the column that tells the runs apart (a seed); a
    name like ``runs/seed={seed}.csv`` means one file per run. Or it is the true labels, with ``y_pred`` mapping each
    system to one sequence of predictions per run. All runs must be of the same true classes and of the same size.

    >>> runs = {"old": [[[7, 3], [3, 7]], [[6, 4], [3, 7]]], "new": [[[9, 1], [1, 9]], [[8, 2], [1, 9]]]}
    >>> found = monte_carlo(runs)
    >>> found.repeats, found.overlaps[0].share_a_lower
    (2, 0.0)
    """
    check_keywords(labels, LabelKeywords)
    if y_pred is not None:
        runs = _of_labels(cast(LabelsLike, source), y_pred, labels)
    elif isinstance(source, Mapping) and truth is None:
        tables = {str(name): _of_tables(str(name), tables) for name, tables in source.items()}
        runs = {name: finished_tables(each, {"by": by, **labels}) for name, each in tables.items()}
    else:
        runs = _of_rows(source, (truth, as_names(system), as_names(by)), read, labels)
    if not runs:
        raise InputError("there is no system; give the runs of at least one")
    _check(runs)
    return CrossValidation.from_tables({name: _batch(name, tables) for name, tables in runs.items()})


def _of_labels(y_true: LabelsLike, y_pred: Mapping[str, Sequence[LabelsLike]], how: LabelKeywords) -> dict[str, Runs]:
    if how.get("clean"):
        raise InputError("clean= is about labels that are read; clean the labels before you give them")
    stated = Declared(reject=how.get("reject"), positive=how.get("positive"))
    if not isinstance(y_pred, Mapping):
        raise InputError("y_pred maps each system to its runs, as {'svm': [labels, labels]}")
    truth = kept_rows(y_true)
    found: dict[str, Runs] = {}
    for name, runs in y_pred.items():
        lines = list(runs)
        if lines and (isinstance(lines[0], str) or not isinstance(lines[0], (Iterable, Sized))):
            raise InputError(f"the runs of {name!r} are one sequence of labels; give one sequence per run, as a list")
        tables = {
            str(at + 1): counted_labels(Contingency, truth, line, how.get("weight"), stated)
            for at, line in enumerate(lines)
        }
        found[str(name)] = tables
    warn_of_rows(most_ignored(table.ignored for tables in found.values() for table in tables.values()))
    return found


def _of_tables(name: str, tables: Any) -> Runs:
    if isinstance(tables, Contingency):
        if len(tables.batch_shape) != 1:
            raise InputError(f"{name!r} has one table; a spread needs a list of them, one per run")
        return {str(at + 1): tables.with_cells(cells) for at, cells in enumerate(tables.cells)}
    named = tables.items() if isinstance(tables, Mapping) else enumerate(tables, 1)
    return {str(run): _table(table, str(run), name) for run, table in named}


def _table(table: Any, run: str, name: str) -> Contingency:
    """The table of a run, from a matrix of counts where it is none yet."""
    try:
        found = table if isinstance(table, Contingency) else Contingency.from_matrix(table)
    except InputError as error:
        raise InputError(f"run {run} of {name!r} is no table of counts: {error}") from None
    if found.batch_shape:
        raise InputError(f"run {run} of {name!r} is no single table; give one Contingency or matrix per run")
    return found


def _of_rows(
    source: Any,
    columns: tuple[str | None, tuple[str, ...], tuple[str, ...]],
    read: ReadOptions | None,
    labels: LabelKeywords,
) -> dict[str, Runs]:
    truth, systems, by = columns
    if truth is None or not systems:
        raise InputError("name the truth column and at least one system, or give the runs of each system as tables")
    if isinstance(source, str) and names_in_braces(source) and not by:
        return _of_files(files_by_values(source, names_in_braces(source)), truth, systems, (read, labels))
    if not by:
        raise InputError("name the column that tells the runs apart with by= (--by), such as a seed")
    tables = counted_tables(source, truth, list(systems), read, by=list(by), **labels)
    warn_of_rows(tables.ignored)
    found: dict[str, Runs] = {name: {} for name in systems}
    for (group, name), table in tables.items():
        found[name][", ".join(map(str, group))] = table
    return found


def _of_files(
    files: Mapping[tuple[str, ...], str],
    truth: str,
    systems: tuple[str, ...],
    reading: tuple[ReadOptions | None, LabelKeywords],
) -> dict[str, Runs]:
    read, labels = reading
    found: dict[str, Runs] = {name: {} for name in systems}
    for run, path in files.items():
        for (_, name), table in counted_tables(path, truth, list(systems), read, **labels).items():
            found[name][", ".join(run)] = table
    warn_of_rows(all_ignored(table.ignored for runs in found.values() for table in runs.values()))
    return found


def _check(runs: Mapping[str, Runs]) -> None:
    """Reject runs that cannot be held against each other: one alone, other true classes, another size."""
    for name, tables in runs.items():
        if len(tables) < 2:
            raise InputError(f"{name!r} has {counted(len(tables), 'run')}; a spread needs at least two")
    placed = [(name, run, table) for name, tables in runs.items() for run, table in tables.items()]
    first_name, first_run, first = placed[0]
    usual = _classes(first)
    for name, run, table in placed[1:]:
        classes = _classes(table)
        if classes != usual:
            odd = sorted(map(str, set(classes) ^ set(usual)))
            where = "only there" if odd[0] in set(map(str, classes)) else "not there"
            raise InputError(
                f"run {run} of {name!r} has other true classes than run {first_run} of {first_name!r} "
                f"({odd[0]!r} is {where}); give runs on the same classes"
            )
        if not np.isclose(float(table.total), float(first.total), rtol=1e-9):
            raise InputError(
                f"run {run} of {name!r} has {float(table.total):,.6g} samples and run {first_run} of {first_name!r} "
                f"has {float(first.total):,.6g}; give runs of the same size"
            )


def _classes(table: Contingency) -> list[Label]:
    return [label for label, total in zip(table.truth_labels, table.row_totals, strict=True) if total > 0]


def _batch(name: str, runs: Runs) -> Contingency:
    """All runs of a system as one batch, on the classes of all of them."""
    tables = list(runs.values())
    truth, system = (
        list(dict.fromkeys(label for table in tables for label in getattr(table, side)))
        for side in ("truth_labels", "system_labels")
    )
    if len(tables) * len(truth) * len(system) > MAX_CELLS:
        raise InputError(
            f"{len(tables):,} runs of {len(truth):,} × {len(system):,} classes are too many cells for {name!r}; merge "
            "classes, or give fewer runs"
        )
    counts = np.zeros((len(tables), len(truth), len(system)))
    for place, table in zip(counts, tables, strict=True):
        rows = np.array([truth.index(label) for label in table.truth_labels])
        columns = np.array([system.index(label) for label in table.system_labels])
        place[rows[table.cell_rows], columns[table.cell_columns]] = table.cells
    reject = next((table.reject for table in tables if table.reject is not None), None)
    positive = next((table.positive for table in tables if table.positive is not None), None)
    return Contingency.from_matrix(counts, truth=truth, system=system, reject=reject, positive=positive)
