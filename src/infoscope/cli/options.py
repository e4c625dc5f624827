"""Options that several commands share, worded once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from infoscope.readers import How

__all__ = [
    "belief_options",
    "cluster_option",
    "how_to_read",
    "label_options",
    "output_options",
    "prevalence_option",
    "prior_of",
    "reading_options",
    "row_options",
    "seed_option",
]

Command = TypeVar("Command", bound=Callable[..., Any])
Decorator = Callable[[Command], Command]


def _all(*options: Callable[[Any], Any]) -> Callable[[Command], Command]:
    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def row_options() -> Callable[[Command], Command]:
    """Which columns of the rows to read."""
    return _all(
        click.option("-t", "--truth", metavar="COLUMN", help="Column with the truth."),
        click.option(
            "-s",
            "--system",
            "systems",
            multiple=True,
            metavar="COLUMN",
            help="Column with a system's answers; repeatable.",
        ),
        click.option("--weight", metavar="COLUMN", help="Column with the weight of each row."),
        click.option(
            "--by", multiple=True, metavar="COLUMN", help="One table for each value of this column; repeatable."
        ),
        click.option("--strict", is_flag=True, help="Refuse rows without a label instead of leaving them out."),
    )


def reading_options() -> Callable[[Command], Command]:
    """How rows are read, where the name of the source does not say it all."""
    return _all(
        click.option(
            "--input-format",
            metavar="FORMAT",
            help="csv, tsv, parquet, arrow, ndjson or ifs, where the name does not tell.",
        ),
        click.option("--delimiter", metavar="SIGN", help="What parts the fields of a CSV file; \\t is a tab."),
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
            help="Who counts; with sql, SOURCE is a table or a query.",
        ),
        click.option("--engine-url", metavar="URL", help="spark://, sc://, tcp:// (Dask) or a database's address."),
        click.option("--memory-limit", metavar="SIZE", help="Memory for counting, like 2GB; beyond it, disk is used."),
        click.option("--threads", type=click.IntRange(1), metavar="N", help="Threads for counting."),
        click.option(
            "--native/--no-native",
            default=None,
            help="Whether compiled code may read Parquet; --no-native for files that you do not trust. "
            "By default as INFOSCOPE_NATIVE says (0 or 1), else yes.",
        ),
    )


def how_to_read(chosen: Mapping[str, Any]) -> How:
    """The options above, in the words of the readers."""
    from infoscope.readers import How, Limits  # noqa: PLC0415 - heavy, and not needed for --help

    delimiter = chosen["delimiter"]
    return How(
        chosen["input_format"],
        "\t" if delimiter == "\\t" else delimiter,
        chosen["engine"],
        chosen["engine_url"],
        Limits(chosen["memory_limit"], chosen["threads"]),
        chosen["native"],
    )


def cluster_option() -> Callable[[Command], Command]:
    """Which rows are not independent."""
    return _all(
        click.option(
            "--cluster",
            metavar="COLUMN",
            help="Rows with one value here belong together (patients, documents): resample them whole.",
        )
    )


def label_options() -> Callable[[Command], Command]:
    """What the labels mean."""
    return _all(
        click.option("--reject", metavar="LABEL", help="The answer that means: no answer."),
        click.option("--positive", metavar="LABEL", help="The class that binary metrics are about."),
        click.option("--clusters", is_flag=True, help="The answers are clusters: their names mean nothing."),
        prevalence_option(),
    )


def prevalence_option() -> Callable[[Command], Command]:
    """In which shares the truth classes are seen."""
    return click.option(
        "--prevalence",
        metavar="equal|FILE",
        help="See the truth classes in other shares: equal, or lines LABEL,SHARE.",
    )


def seed_option() -> Callable[[Command], Command]:
    """Where random draws begin."""
    return click.option(
        "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of random draws."
    )


def belief_options() -> Callable[[Command], Command]:
    """How sure we are."""
    return _all(
        click.option("--prior", default="default", show_default=True, help="Prior of the intervals."),
        click.option(
            "--level", type=float, default=0.95, show_default=True, help="Probability that an interval holds."
        ),
        click.option("--n", type=float, metavar="SIZE", help="Sample size, for a table of shares."),
        seed_option(),
    )


def prior_of(word: str) -> str | float:
    """The stated prior: a number per cell, or a name."""
    try:
        return float(word)
    except ValueError:
        return word


def output_options(*formats: str) -> Callable[[Command], Command]:
    """How and where the result is shown."""
    return _all(
        click.option(
            "--format",
            "form",
            type=click.Choice(formats),
            help="Form of the result; by default the suffix of -o, else text.",
        ),
        click.option(
            "--unit",
            type=click.Choice(["bits", "nats"]),
            default="bits",
            show_default=True,
            help="Unit of information in text and Markdown; JSON is always in bits.",
        ),
        click.option("-o", "--output", metavar="FILE", help="Write to FILE instead of standard output."),
        click.option("--force", is_flag=True, help="Replace FILE if it exists."),
        click.option("-q", "--quiet", is_flag=True, help="No warnings."),
        click.option("-v", "--verbose", is_flag=True, help="Show all classes; for an internal error, where it arose."),
    )
