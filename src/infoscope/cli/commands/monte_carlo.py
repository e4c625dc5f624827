"""``infoscope monte-carlo``: the spread of scores over runs of any system."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

import infoscope as ifs
from infoscope.cli.columns import chosen_columns
from infoscope.cli.errors import reported
from infoscope.cli.invocation import add_finding
from infoscope.cli.options import column_options, label_options, output_options, read_options, reading_options
from infoscope.cli.output import Output
from infoscope.core.files import scratch_folder
from infoscope.errors import InputError

__all__ = ["command"]


@click.command("monte-carlo")
@click.argument("source", nargs=-1, required=True)
@column_options()
@click.option(
    "--matrix",
    is_flag=True,
    help="SOURCE are confusion matrices, one per run: files, patterns, or NAME=PATTERN. Without a name, files that "
    "differ only in a last number are runs of one system.",
)
@reading_options()
@label_options()
@output_options()
@reported
def command(source: tuple[str, ...], **chosen: Any) -> None:
    """Show how much scores vary over runs, and how far systems are apart.

    The runs were made anywhere: seeds, folds, resampled data. Rows name theirs in a column (--by seed), or in the name
    of the file ('runs/seed-{seed}.csv'); with --matrix each run is a confusion matrix.

    Example: infoscope monte-carlo runs.csv -t label -s svm,knn --by seed

    Example: infoscope monte-carlo 'runs/seed-{seed}.csv' -t label -s svm,knn

    Example: infoscope monte-carlo --matrix 'svm=out/svm-*.csv' 'tree=out/tree-*.csv'
    """
    output = Output.asked(chosen)
    if chosen["matrix"]:
        for option in ("truth", "system", "weight", "by"):
            if chosen[option]:
                raise click.UsageError(f"--{option} names a column of rows, and a matrix has none; leave it out")
        output.write(ifs.monte_carlo(_matrices(source, chosen)))
        return
    output.write(_of_rows(source, chosen))


def _of_rows(source: Sequence[str], chosen: Mapping[str, Any]) -> ifs.CrossValidation:
    shared = {
        "read": read_options(chosen),
        "by": list(chosen["by"]) or None,
        **{name: chosen[name] for name in ("weight", "reject", "positive", "clean")},
    }
    if len(source) == 1 and ifs.readers.names_in_braces(source[0]) and not Path(source[0]).exists():
        if not chosen["truth"] or not chosen["system"]:
            raise click.UsageError("name the truth column with -t and at least one system with -s")
        systems = [name for word in chosen["system"] for name in word.split(",")]
        return ifs.monte_carlo(source[0], truth=chosen["truth"], system=systems, **shared)
    with chosen_columns(source, chosen) as columns:
        return ifs.monte_carlo(columns.source, truth=columns.truth, system=columns.systems, **shared)


def _matrices(source: Sequence[str], chosen: Mapping[str, Any]) -> dict[str, dict[str, ifs.Contingency]]:
    """The matrices of every system by run."""
    stated = {option: chosen[option] for option in ("reject", "positive", "encoding")}
    found: dict[str, dict[str, ifs.Contingency]] = {}
    trained = 0
    for word in source:
        named, _, pattern = word.rpartition("=") if "=" in word and not Path(word).exists() else ("", "", word)
        for path in _files(pattern):
            name = named or re.sub(r"[-_. ]*\d+$", "", path.stem) or path.stem
            runs = found.setdefault(name, {})
            if path.stem in runs:
                raise InputError(f"{path} is named twice, or two files of {name!r} share its name; name each run once")
            tables = ifs.readers.read_matrices(path, **stated)
            runs[path.stem] = _tested(path, tables)
            trained += len(tables) > 1
    if trained:
        words = f"Weka's matrices of training data are left out ({trained:,} files); the runs are those of its tests."
        add_finding(ifs.Finding("training_matrices", words))
    return found


def _tested(path: Path, tables: Mapping[str, ifs.Contingency]) -> ifs.Contingency:
    """The matrix of a run; Weka prints that of the training data before it, which is no other run."""
    tested = [table for name, table in tables.items() if "training" not in name]
    if len(tables) > 1 and len(tested) != 1:
        raise InputError(f"{path} has {len(tables)} confusion matrices ({', '.join(tables)}); a run has one")
    return (tested or list(tables.values()))[0]


def _files(pattern: str) -> list[Path]:
    with scratch_folder() as folder:
        return [Path(path) for path in ifs.readers.files.find_files(pattern, None, folder).paths]
