"""``infoscope monte-carlo``: the spread of scores over runs of any system."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

import infoscope as ifs
from infoscope.cli.columns import chosen_columns
from infoscope.cli.options import (
    COLUMNS,
    OUTPUT_OPTIONS,
    command,
    option,
    read_options,
    reject_row_options,
    shared,
    split_names,
)
from infoscope.cli.output import Output, add_finding, reject_ignored
from infoscope.core.files import scratch_folder
from infoscope.errors import InputError


@command("monte-carlo", first="truth system by weight matrix reject positive output verbose")
@click.argument("source", nargs=-1, required=True)
@shared("truth", "system", "weight", "by", "strict")
@option(
    "--matrix",
    group=COLUMNS,
    is_flag=True,
    help="SOURCE are confusion matrices, one per run: files, patterns, or NAME=PATTERN. Without a name, files that "
    "differ only in a last number are runs of one system.",
)
@shared("read", "clean", "reject", "positive", *OUTPUT_OPTIONS)
def monte_carlo(source: tuple[str, ...], **chosen: Any) -> None:
    """Show how much scores vary over runs, and how far systems are apart.

    The runs were made anywhere: seeds, folds, resampled data. Rows name theirs in a column (--by seed), or in the name
    of the file ('runs/seed-{seed}.csv'); with --matrix each run is a confusion matrix.

    Example: infoscope monte-carlo runs.csv -t label -s svm,knn --by seed

    Example: infoscope monte-carlo 'runs/seed-{seed}.csv' -t label -s svm,knn

    Example: infoscope monte-carlo --matrix 'svm=out/svm-*.csv' 'tree=out/tree-*.csv'
    """
    output = Output.from_options(chosen)
    if chosen["matrix"]:
        reject_row_options(chosen, ("truth", "system", "weight", "by"))
        output.write(ifs.monte_carlo(_read_matrices(source, chosen)))
        return
    keywords = {
        "read": read_options(chosen),
        "by": list(chosen["by"]) or None,
        **{name: chosen[name] for name in ("weight", "reject", "positive", "clean")},
    }
    result = _read_runs(source, chosen, keywords)
    if chosen["strict"]:
        reject_ignored(result)
    output.write(result)


def _read_runs(source: Sequence[str], chosen: Mapping[str, Any], keywords: dict[str, Any]) -> ifs.CrossValidation:
    """Read the runs that a column tells apart, or the names of files."""
    if len(source) == 1 and ifs.readers.names_in_braces(source[0]) and not Path(source[0]).exists():
        if not chosen["truth"] or not chosen["system"]:
            raise click.UsageError("name the truth column with -t and at least one system with -s")
        systems = [name for word in chosen["system"] for name in split_names(word)]
        return ifs.monte_carlo(source[0], truth=chosen["truth"], system=systems, **keywords)
    with chosen_columns(source, chosen) as columns:
        return ifs.monte_carlo(columns.source, truth=columns.truth, system=columns.systems, **keywords)


def _read_matrices(source: Sequence[str], chosen: Mapping[str, Any]) -> dict[str, dict[str, ifs.Contingency]]:
    """Read the matrices of every system by run."""
    stated = {"encoding": chosen["read"].get("encoding"), "reject": chosen["reject"], "positive": chosen["positive"]}
    systems: dict[str, dict[str, ifs.Contingency]] = {}
    trained = 0
    for word in source:
        named, _, pattern = word.rpartition("=") if "=" in word and not Path(word).exists() else ("", "", word)
        with scratch_folder() as folder:
            paths = [Path(path) for path in ifs.readers.files.find_files(pattern, None, folder).paths]
        for path in paths:
            name = named or re.sub(r"[-_. ]*\d+$", "", path.stem) or path.stem
            runs = systems.setdefault(name, {})
            if path.stem in runs:
                raise InputError(f"{path} is named twice, or two files of {name!r} share its name; name each run once")
            tables = ifs.readers.read_matrices(path, **stated)
            # Weka prints the matrix of the training data before that of the tests, which is no other run
            tested = [table for title, table in tables.items() if "training" not in title]
            if len(tables) > 1 and len(tested) != 1:
                raise InputError(f"{path} has {len(tables)} confusion matrices ({', '.join(tables)}); a run has one")
            runs[path.stem] = (tested or list(tables.values()))[0]
            trained += len(tables) > 1
    if trained:
        words = f"Weka's matrices of training data are left out ({trained:,} files); the runs are those of its tests."
        add_finding(ifs.Finding("training_matrices", words))
    return systems
