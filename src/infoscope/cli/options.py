"""Options that several commands share, worded once and named as the arguments of the functions behind them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click

import infoscope as ifs
from infoscope.errors import InputError

__all__ = [
    "Command",
    "all_of",
    "classes_option",
    "column_options",
    "costs_option",
    "groups_option",
    "label_options",
    "matrix_tables",
    "native_option",
    "order_option",
    "output_options",
    "plain_option",
    "prevalence_option",
    "read_options",
    "reading_options",
    "seed_option",
    "sources",
    "uncertainty_keywords",
    "uncertainty_options",
    "with_truth_file",
]

Command = TypeVar("Command", bound=Callable[..., Any])


def all_of(*options: Callable[[Any], Any]) -> Callable[[Command], Command]:
    """Several options as one."""

    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def column_options() -> Callable[[Command], Command]:
    """Which columns of the rows to read."""
    return all_of(
        click.option(
            "-t",
            "--truth",
            metavar="COLUMN",
            help="Column with the true labels; guessed if names and contents leave no doubt.",
        ),
        click.option(
            "-s",
            "--system",
            multiple=True,
            metavar="COLUMN",
            help="Column with a system's predictions; repeatable, or several as a,b or 'model_*'. Guessed likewise.",
        ),
        with_truth_file(),
        click.option("--weight", metavar="COLUMN", help="Column with the weight of each row."),
        click.option(
            "--by", multiple=True, metavar="COLUMN", help="One table for each value of this column; repeatable."
        ),
        click.option("--strict", is_flag=True, help="Reject rows without a label instead of leaving them out."),
    )


def with_truth_file() -> Callable[[Command], Command]:
    """Where the true labels are, if not beside the predictions."""
    return all_of(
        click.option(
            "--truth-file",
            metavar="FILE",
            help="File with the true labels, joined to the rows by --key; -t is then a column of this file.",
        ),
        click.option(
            "--key",
            metavar="COLUMN",
            help="Column that joins both files, or HERE=THERE where they name it differently.",
        ),
    )


def reading_options() -> Callable[[Command], Command]:
    """How rows are read, where the name of the source does not say it all."""
    return all_of(
        click.option(
            "--input-format",
            metavar="FORMAT",
            help="csv, tsv, parquet, arrow, json, ndjson, xlsx, arff, vw or ifs, if the file extension does not say. "
            "vw: predictions (NUMBER TAG) or examples of Vowpal Wabbit; vw:a where class 1 is tagged a.",
        ),
        click.option("--delimiter", metavar="CHARACTER", help="Field separator of a CSV file; \\t is a tab."),
        click.option("--encoding", metavar="NAME", help="Encoding of text, if not UTF-8: latin-1, cp1252, utf-16, …"),
        click.option("--sheet", metavar="NAME|N", help="Sheet of a workbook, if several have data."),
        click.option("--header/--no-header", default=True, help="Without a header, columns are named 0, 1, …"),
        click.option("--max-rows", type=click.IntRange(1), metavar="N", help="Read the first N rows only."),
        click.option(
            "--clean",
            multiple=True,
            type=click.Choice(["strip", "nfc", "casefold", "text", "number"]),
            help="Clean labels before they are compared; repeatable.",
        ),
        click.option(
            "--engine",
            type=click.Choice(["duckdb", "spark", "dask", "sql"]),
            default="duckdb",
            show_default=True,
            help="Engine that reads and counts the rows; with sql, SOURCE is a table or a query.",
        ),
        click.option("--engine-url", metavar="URL", help="spark://, sc://, tcp:// (Dask) or a database's address."),
        click.option("--memory-limit", metavar="SIZE", help="Memory for counting, like 2GB; beyond it, disk is used."),
        click.option("--threads", type=click.IntRange(1), metavar="N", help="Threads for counting."),
        native_option(),
    )


def native_option() -> Callable[[Command], Command]:
    """Whether compiled parts are used; what is said here holds for all that the command does."""

    def switched(context: click.Context, _: click.Parameter, native: bool | None) -> bool | None:
        if native is not None:
            context.with_resource(_environment("INFOSCOPE_NATIVE", str(int(native))))
        return native

    return click.option(
        "--native/--no-native",
        default=None,
        callback=switched,
        help="Whether compiled code may read files and sort scores; --no-native for files that you do not trust. "
        "By default as INFOSCOPE_NATIVE says (0 or 1), else yes.",
    )


@contextmanager
def _environment(name: str, value: str) -> Iterator[None]:
    """A variable of the environment for a while, also for processes that are started meanwhile."""
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


def read_options(chosen: Mapping[str, Any]) -> ifs.ReadOptions:
    """The options above, in the words of the readers."""
    delimiter = chosen["delimiter"]
    return ifs.ReadOptions(
        format=chosen["input_format"],
        delimiter="\t" if delimiter == "\\t" else delimiter,
        engine=chosen["engine"],
        url=chosen["engine_url"],
        memory=chosen["memory_limit"],
        threads=chosen["threads"],
        native=chosen["native"],
        encoding=chosen["encoding"],
        sheet=chosen["sheet"],
        header=chosen["header"],
        max_rows=chosen["max_rows"],
    )


def groups_option() -> Callable[[Command], Command]:
    """Which rows are not independent."""
    return click.option(
        "--groups",
        metavar="COLUMN",
        help="Rows with one value here belong together (patients, documents): they are resampled as a whole.",
    )


def label_options(*, task: bool = False) -> Callable[[Command], Command]:
    """What the labels mean."""
    options = [
        click.option("--reject", metavar="LABEL", help='Label that means "abstained".'),
        click.option("--positive", metavar="LABEL", help="The class that binary metrics are about."),
    ]
    if task:
        options += [
            click.option(
                "--task",
                type=click.Choice(["classification", "clustering"]),
                default="classification",
                show_default=True,
                help="With clustering, the names of the predictions mean nothing.",
            )
        ]
    return all_of(*options)


def prevalence_option() -> Callable[[Command], Command]:
    """To which frequencies the true classes are re-weighted."""
    return click.option(
        "--prevalence",
        metavar="equal|FILE",
        help="Re-weight the true classes to other frequencies: equal, or a file of lines LABEL,FREQUENCY.",
    )


def classes_option() -> Callable[[Command], Command]:
    """All classes, also those that no row shows."""
    return click.option(
        "--classes",
        metavar="A,B,…",
        help="All classes, if some may have no row: intervals then allow for those without a row.",
    )


def order_option() -> Callable[[Command], Command]:
    """The order of the classes."""
    return click.option(
        "--ordinal",
        metavar="LOW,…,HIGH",
        help="The classes are ordered: their names from the lowest to the highest, separated by commas.",
    )


def costs_option() -> Callable[[Command], Command]:
    """What predictions cost."""
    return click.option(
        "--costs",
        metavar="FILE",
        help="What each prediction costs: a CSV file laid out like a confusion matrix, gains negative. Adds the "
        "expected cost.",
    )


def seed_option() -> Callable[[Command], Command]:
    """Where random draws begin."""
    return click.option(
        "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of random draws."
    )


def uncertainty_options() -> Callable[[Command], Command]:
    """How intervals are made."""
    return all_of(
        click.option("--prior", default="default", show_default=True, help="Prior of the intervals."),
        click.option("--level", type=float, default=0.95, show_default=True, help="Probability of the intervals."),
        click.option("--sample-size", type=float, metavar="N", help="Sample size, for a table of frequencies."),
        seed_option(),
    )


def plain_option() -> Callable[[Command], Command]:
    """Values of the sample alone."""
    return click.option(
        "--plain",
        is_flag=True,
        help="Values of the sample alone (maximum likelihood), as papers print them: no intervals, fast.",
    )


def uncertainty_keywords(chosen: Mapping[str, Any]) -> dict[str, Any]:
    """The options above and the prevalence, as the functions take them."""
    return {
        "prevalence": ifs.readers.read_prevalence(chosen["prevalence"]),
        "ordinal": chosen["ordinal"],
        "costs": chosen["costs"],
        "prior": _prior(chosen["prior"]),
        "level": chosen["level"],
        "sample_size": chosen["sample_size"],
        "seed": chosen["seed"],
        **({"uncertainty": None} if chosen.get("plain") else {}),
    }


def _prior(word: str) -> str | float:
    """The stated prior: a number per cell, or a name."""
    try:
        return float(word)
    except ValueError:
        return word


def output_options() -> Callable[[Command], Command]:
    """Form and place of the output, the same for every command that has a result."""
    return all_of(
        click.option(
            "--format",
            type=click.Choice(["text", "json", "markdown", "html", "csv", "parquet"]),
            help="Form of the output; by default as the name of the output file says, else text.",
        ),
        click.option(
            "--unit",
            type=click.Choice(["bits", "nats"]),
            default="bits",
            show_default=True,
            help="Unit of information in text, Markdown and HTML; JSON is always in bits.",
        ),
        click.option("-o", "--output", metavar="FILE", help="Write to FILE instead of standard output."),
        click.option("--force", is_flag=True, help="Replace FILE if it exists."),
        click.option("--run", metavar="NAME", help="Name of this run, kept in the result: a build, a night, an epoch."),
        click.option("-q", "--quiet", is_flag=True, help="No warnings."),
        click.option("-v", "--verbose", is_flag=True, help="Show all rows; show where an internal error occurred."),
    )


def sources(source: Sequence[str]) -> str | list[str]:
    """One source as it is, several as a list."""
    return source[0] if len(source) == 1 else list(source)


_ABOUT_ROWS = ("truth", "system", "truth_file", "key", "weight", "by", "groups", "examples", "show")


def matrix_tables(source: Sequence[str], chosen: Mapping[str, Any]) -> dict[str, ifs.Contingency]:
    """Confusion matrices by the names of their files, or by their paths where two files share a name."""
    if chosen["sheet"]:
        raise click.UsageError("--sheet is for rows in a workbook; save a confusion matrix as CSV")
    for option in _ABOUT_ROWS:
        if chosen.get(option):
            raise click.UsageError(f"--{option} names a column of rows, and a matrix has none; leave it out")
    stems = ["standard input" if path == "-" else Path(path).stem for path in source]
    tables: dict[str, ifs.Contingency] = {}
    for path, stem in zip(source, stems, strict=True):
        name = stem if stems.count(stem) == 1 else path
        if name in tables:
            raise InputError(f"{path} is named twice; name each matrix once")
        stated = {option: chosen[option] for option in ("reject", "positive", "encoding")}
        found = ifs.readers.read_matrices(path, **stated)
        several = len(found) > 1
        tables |= {f"{name}: {each}" if several else name: table for each, table in found.items()}
    return tables
