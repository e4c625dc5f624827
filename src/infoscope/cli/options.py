"""Options: how a command declares them, how its help shows them, and those that several commands share.

A shared option is declared once, in ``SHARED``, and named where a command takes it: ``shared("truth", "system")``. Its
name is the argument of the public function behind the command. Each option belongs to a group; ``-h`` shows the few
that the command names as ``first``, ``--help-all`` all of them. An option that was taken away is listed in ``REMOVED``
with what to use instead.
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import click

import infoscope as ifs
from infoscope.cli.process import settled
from infoscope.errors import ALL_ROWS_ARE_READ, InputError

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

# ── how a command and its options are declared ───────────────────────────────────────────────────────────────────────

COLUMNS = "Columns"
READING = "Reading files"
MEANING = "What labels mean"
JUDGE = "Few labels, and a judge"
ANALYSIS = "Analysis"
CONDITIONS = "Conditions"
METHOD = "Intervals"
OUTPUT = "Output"
GROUPS = (COLUMNS, CONDITIONS, ANALYSIS, MEANING, JUDGE, READING, METHOD, OUTPUT)
"""Headings of the help, in the order in which they are shown."""

_EXAMPLES = 3
"""Examples that ``-h`` shows; ``--help-all`` shows all."""

REMOVED = {
    "--abeg": "use --truth-start",
    "--by": "ask about one group at a time",
    "--delimiter": "write the field separator behind the format: --input-format 'csv:;', or csv:\\t for a tab",
    "--engine": "in Python, read=ifs.ReadOptions(engine=…)",
    "--engine-url": "give the address to --engine, such as --engine spark://host:7077 or --engine sqlite:///log.db",
    "--key": "join the files first",
    "--max-points": "in Python, ifs.sweep(…, max_points=…)",
    "--max-rows": "cut the file first; in Python, read=ifs.ReadOptions(max_rows=…)",
    "--memory-limit": "in Python, read=ifs.ReadOptions(memory=…)",
    "--native": "set the variable INFOSCOPE_NATIVE=1",
    "--no-native": "set the variable INFOSCOPE_NATIVE=0",
    "--pbeg": "use --predicted-start",
    "--quiet": "warnings are on standard error; add 2>/dev/null",
    "--run": "evaluate, gate, sweep and multilabel take it; other results are named by their file",
    "--shuffles": "--plain leaves out everything that is drawn; in Python, shuffles=…",
    "--threads": "in Python, read=ifs.ReadOptions(threads=…)",
    "--truth-file": "join the files first",
    "--unit": "write the result with -o result.json, then: infoscope show result.json --unit nats",
    "--until": ALL_ROWS_ARE_READ,
    "--verbose": "it shows everything anyway",
    "--weights": "give the file to --weight",
}
"""Options that a command had, or that others have, with what to use where there is none."""
_SHORT = {"-q": "--quiet", "-v": "--verbose"}


def advice_for(word: str, command: str) -> str | None:
    """Return what to use instead of an option that this command does not have any more."""
    name = _SHORT.get(word, word)
    return None if name not in REMOVED else f"{command} has no {name}: {REMOVED[name]}"


class Option(click.Option):
    """An option with its group in the help, and what ``-h`` says of it, if not the first clause of its explanation."""

    def __init__(self, *words: Any, group: str = ANALYSIS, short: str | None = None, **settings: Any) -> None:
        super().__init__(*words, **settings)
        self.group = group
        self.short = short

    def get_short_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Return the option, and the first clause of its explanation, with its default."""
        record = self.get_help_record(ctx)
        if record is None:
            return None
        text, bracket, default = record[1].partition("  [default")
        text = self.help or text
        ends = [end.start() for end in re.finditer(r"[.;:] |, (?:if|such) ", text)]
        clauses = (
            text[:end]
            for end in ends
            if not re.match(r"With --\S+$", text[:end]) and text[:end].count("(") == text[:end].count(")")
        )
        return record[0], (self.short or next(clauses, text)).rstrip(".") + bracket + default


def option(*words: str, group: str = ANALYSIS, **settings: Any) -> Callable[[Decorated], Decorated]:
    """Declare an option of one command."""
    return click.option(*words, cls=Option, group=group, **settings)


class Command(click.Command):
    """A command whose short help shows the options that most people need, in groups.

    Whatever the function raises becomes a line on standard error and an exit status.
    """

    def __init__(self, *words: Any, first: str = "", **settings: Any) -> None:
        super().__init__(*words, **settings)
        self.callback = self.callback and _settle(self.callback)
        self.first = frozenset(first.split())
        self.help_all = Option(
            ["--help-all"], is_flag=True, is_eager=True, expose_value=False, help="Show all options and exit.",
            group=OUTPUT, callback=_show_all,
        )  # fmt: skip

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the parameters with those that show help; where help is switched off, both are."""
        params = super().get_params(ctx)
        return params if self.get_help_option(ctx) is None else [*params[:-1], self.help_all, params[-1]]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take the words apart; one that was an option is answered with what to use instead."""
        name = ctx.info_name or ""
        present = {word for param in self.params for word in (*param.opts, *param.secondary_opts)}
        for word in REMOVED.keys() - present:
            variable = f"INFOSCOPE_{name}_{word.lstrip('-')}".upper().replace("-", "_")
            if os.environ.get(variable):
                raise click.UsageError(f"{variable} is set, but {advice_for(word, name)}", ctx)
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as problem:
            if (advice := advice_for(problem.option_name, name)) is not None:
                raise click.UsageError(advice, ctx) from None
            raise

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the short help: what the command does, examples, and the options most people need."""
        self.write_help(ctx, formatter, every=False)

    def get_full_help(self, ctx: click.Context) -> str:
        """Return the help with every option."""
        formatter = ctx.make_formatter()
        self.write_help(ctx, formatter, every=True)
        return formatter.getvalue().rstrip("\n")

    def write_help(self, ctx: click.Context, formatter: click.HelpFormatter, *, every: bool) -> None:
        """Write help with the first options, one line each, or with every option."""
        self.format_usage(ctx, formatter)
        prose, examples = read_help(self)
        for paragraph in prose if every else prose[:2]:
            formatter.write_paragraph()
            with formatter.indentation():
                formatter.write_text(paragraph)
        formatter.write_paragraph()
        with formatter.indentation():
            for example in examples if every else examples[:_EXAMPLES]:
                formatter.write(f"{' ' * formatter.current_indent}Example: {example}\n")
        options = [param for param in self.params if isinstance(param, Option) and not param.hidden]
        shown = options if every else [param for param in options if param.name in self.first] or options
        for group in GROUPS:
            members = [param for param in shown if param.group == group]
            records = [param.get_help_record(ctx) if every else param.get_short_record(ctx) for param in members]
            if records:
                with formatter.section(group):
                    formatter.write_dl([record for record in records if record])
        if len(shown) < len(options):
            formatter.write(f"\nAll {len(options)} options: {ctx.command_path} --help-all\n")


def _settle(callback: Callable[..., Any]) -> Callable[..., Any]:
    """Turn what a function raises into a line and a status; without ``--verbose`` to ask for, with its traceback."""

    @functools.wraps(callback)
    def run(*words: Any, **chosen: Any) -> Any:
        with settled(verbose=bool(chosen.get("verbose", True))):
            return callback(*words, **chosen)

    return run


def command(name: str, *, first: str = "") -> Callable[[Callable[..., Any]], Command]:
    """Declare a command; ``first`` names the parameters that ``-h`` shows, by default all."""
    return click.command(name, cls=Command, first=first)


def read_help(command: click.Command) -> tuple[list[str], list[str]]:
    """Return the paragraphs of a command's docstring, and its examples."""
    paragraphs = [" ".join(part.split()) for part in (command.help or "").replace("\b", "").split("\n\n")]
    examples = [part.removeprefix("Example: ") for part in paragraphs if part.startswith("Example: ")]
    return [part for part in paragraphs if part and not part.startswith("Example: ")], examples


def _show_all(context: click.Context, _option: click.Parameter, wanted: bool) -> None:
    if wanted and not context.resilient_parsing and isinstance(context.command, Command):
        click.echo(context.command.get_full_help(context), color=context.color)
        context.exit()


# ── options that several commands share ──────────────────────────────────────────────────────────────────────────────

SHARED: dict[str, Callable[[Any], Any]] = {
    "truth": option(
        "-t",
        "--truth",
        group=COLUMNS,
        metavar="COLUMN",
        help="Column with the true labels; guessed if names and contents leave no doubt.",
    ),
    "system": option(
        "-s",
        "--system",
        group=COLUMNS,
        multiple=True,
        metavar="COLUMN",
        help="Column with a system's predictions; repeatable, or several as a,b or 'model_*'. Guessed likewise.",
    ),
    "truth_file": option(
        "--truth-file",
        group=COLUMNS,
        metavar="FILE",
        help="File with the true labels, joined to the rows by --key; -t is then a column of this file.",
    ),
    "key": option(
        "--key",
        group=COLUMNS,
        metavar="COLUMN",
        help="Column that joins both files, or HERE=THERE where they name it differently.",
    ),
    "weight": option("--weight", group=COLUMNS, metavar="COLUMN", help="Column with the weight of each row."),
    "by": option(
        "--by",
        group=COLUMNS,
        multiple=True,
        metavar="COLUMN",
        help="One table for each value of this column; repeatable.",
    ),
    "groups": option(
        "--groups",
        group=COLUMNS,
        metavar="COLUMN",
        help="Rows with one value here belong together (patients, documents): they are resampled as a whole.",
        short="Rows of one value belong together: patients, documents",
    ),
    "strict": option(
        "--strict",
        group=MEANING,
        is_flag=True,
        help="Reject rows without a label instead of leaving them out.",
    ),
    "judge": option(
        "--judge",
        group=JUDGE,
        multiple=True,
        metavar="COLUMN",
        help="Column with the verdicts of a judge, if few rows have a true label: figures are over all rows, "
        "corrected by the labels. Repeatable.",
    ),
    "says": option(
        "--says",
        group=JUDGE,
        metavar="right=LABEL,wrong=LABEL",
        help="Verdicts say whether the prediction is right; one --judge for each system then. Or: score, for grades "
        "that are named as classes.",
    ),
    "population": option(
        "--population",
        group=JUDGE,
        type=click.Choice(["all", "unlabelled"]),
        help="Rows that the results are about with --judge; unlabelled if the labels come from elsewhere. "
        "Default: all.",
    ),
    "input_format": option(
        "--input-format",
        group=READING,
        metavar="FORMAT",
        help="csv, tsv, parquet, arrow, json, ndjson, xlsx, arff, vw or ifs, if the file extension does not say. "
        "csv:X where X separates the fields, \\t a tab. vw: predictions (NUMBER TAG) or examples of Vowpal Wabbit; "
        "vw:a where class 1 is tagged a.",
    ),
    "encoding": option(
        "--encoding",
        group=READING,
        metavar="NAME",
        help="Encoding of text, if not UTF-8: latin-1, cp1252, utf-16, …",
    ),
    "sheet": option("--sheet", group=READING, metavar="NAME|N", help="Sheet of a workbook, if several have data."),
    "header": option(
        "--header/--no-header",
        group=READING,
        default=True,
        help="Without a header, columns are named 0, 1, …",
    ),
    "clean": option(
        "--clean",
        group=READING,
        multiple=True,
        type=click.Choice(["strip", "nfc", "casefold", "text", "number"]),
        help="Clean labels before they are compared; repeatable.",
    ),
    "max_rows": option(
        "--max-rows",
        group=READING,
        type=click.IntRange(1),
        metavar="N",
        help="Read the first N rows only.",
    ),
    "engine": option(
        "--engine",
        group=READING,
        metavar="NAME|ADDRESS",
        default="duckdb",
        show_default=True,
        help="Engine that reads and counts the rows: duckdb, spark, dask, or the address of a cluster (spark://, "
        "sc://, tcp:// for Dask) or a database, where SOURCE is a table or a query.",
    ),
    "memory_limit": option(
        "--memory-limit",
        group=READING,
        metavar="SIZE",
        help="Memory for counting, like 2GB; beyond it, disk is used.",
    ),
    "threads": option(
        "--threads",
        group=READING,
        type=click.IntRange(1),
        metavar="N",
        help="Threads for counting.",
    ),
    "reject": option("--reject", group=MEANING, metavar="LABEL", help='Label that means "abstained".'),
    "positive": option(
        "--positive",
        group=MEANING,
        metavar="LABEL",
        help="The class that binary metrics are about.",
    ),
    "task": option(
        "--task",
        group=MEANING,
        type=click.Choice(["classification", "clustering"]),
        default="classification",
        show_default=True,
        help="With clustering, the names of the predictions mean nothing.",
        short="Whether predictions have the names of classes",
    ),
    "classes": option(
        "--classes",
        group=MEANING,
        metavar="A,B,…",
        help="All classes, if some may have no row: intervals then allow for those without a row.",
    ),
    "ordinal": option(
        "--ordinal",
        group=MEANING,
        metavar="LOW,…,HIGH",
        help="The classes are ordered: their names from the lowest to the highest, separated by commas.",
    ),
    "prevalence": option(
        "--prevalence",
        group=MEANING,
        metavar="equal|FILE",
        help="Re-weight the true classes to other frequencies: equal, or a file of lines LABEL,FREQUENCY.",
    ),
    "costs": option(
        "--costs",
        group=MEANING,
        metavar="FILE",
        help="What each prediction costs: a CSV file laid out like a confusion matrix, gains negative. Adds the "
        "expected cost.",
    ),
    "prior": option("--prior", group=METHOD, default="default", show_default=True, help="Prior of the intervals."),
    "level": option(
        "--level",
        group=METHOD,
        type=float,
        default=0.95,
        show_default=True,
        help="Probability of the intervals.",
    ),
    "sample_size": option(
        "--sample-size",
        group=METHOD,
        type=float,
        metavar="N",
        help="Sample size, for a table of frequencies.",
    ),
    "seed": option(
        "--seed",
        group=METHOD,
        type=click.IntRange(min=0),
        default=0,
        show_default=True,
        help="Seed of random draws.",
    ),
    "plain": option(
        "--plain",
        group=METHOD,
        is_flag=True,
        help="Values of the sample alone (maximum likelihood), as papers print them: no intervals, fast.",
    ),
    "format": option(
        "--format",
        group=OUTPUT,
        type=click.Choice(["text", "json", "markdown", "html", "csv", "parquet"]),
        help="Form of the output; by default as the name of the output file says, else text.",
    ),
    "unit": option(
        "--unit",
        group=OUTPUT,
        type=click.Choice(["bits", "nats"]),
        default="bits",
        show_default=True,
        help="Unit of information in text, Markdown and HTML; JSON is always in bits.",
    ),
    "output": option(
        "-o",
        "--output",
        group=OUTPUT,
        metavar="FILE",
        help="Write to FILE instead of standard output.",
        short="Write .html, .json, .md, .csv, .parquet or text to FILE",
    ),
    "force": option("--force", group=OUTPUT, is_flag=True, help="Replace FILE if it exists."),
    "run": option(
        "--run",
        group=OUTPUT,
        metavar="NAME",
        help="Name of this run, kept in the result: a build, a night, an epoch.",
    ),
    "quiet": option("-q", "--quiet", group=OUTPUT, is_flag=True, help="No warnings."),
    "verbose": option(
        "-v",
        "--verbose",
        group=OUTPUT,
        is_flag=True,
        help="Show all rows; show where an internal error occurred.",
    ),
}
"""Options of several commands, by the names of their parameters."""

FILE_OPTIONS = ("input_format", "encoding", "sheet", "header", "clean")
"""Options for reading files of rows."""
LOG_OPTIONS = (*FILE_OPTIONS, "engine", "memory_limit")
"""Options for reading logs of any size."""
JUDGE_OPTIONS = ("judge", "says", "population")
INTERVAL_OPTIONS = ("prior", "level", "sample_size", "seed")
OUTPUT_OPTIONS = ("format", "output", "force", "quiet", "verbose")


def shared(*names: str) -> Callable[[Decorated], Decorated]:
    """Declare shared options by the names of their parameters."""

    def add(function: Decorated) -> Decorated:
        for name in reversed(names):
            function = SHARED[name](function)
        return function

    return add


# ── what they say, in the words of the functions ─────────────────────────────────────────────────────────────────────


def read_options(chosen: Mapping[str, Any]) -> ifs.ReadOptions:
    """Return how rows are read; what a command does not ask for has its default."""
    form, separator = chosen["input_format"], None
    if form is not None and form.partition(":")[0].lower() in ("csv", "tsv") and ":" in form:
        form, _, separator = form.partition(":")
    engine, url = _read_engine(chosen.get("engine", "duckdb"))
    return ifs.ReadOptions(
        format=form,
        delimiter="\t" if separator == "\\t" else separator,
        engine=engine,
        url=url,
        memory=chosen.get("memory_limit"),
        threads=chosen.get("threads"),
        encoding=chosen["encoding"],
        sheet=chosen["sheet"],
        header=chosen["header"],
        max_rows=chosen.get("max_rows"),
    )


def _read_engine(word: str) -> tuple[str, str | None]:
    """Return the engine that a name, an address or NAME=ADDRESS means, and the address."""
    named = re.fullmatch(r"([\w-]+)(?:=(.+))?", word)
    if named is not None:  # ReadOptions knows the names, those of other packages too
        return named[1], named[2]
    scheme = word.partition(":")[0].lower()
    if scheme in ("spark", "sc", "k8s") or word.startswith("local["):
        return "spark", word
    if "://" not in word:
        raise InputError(
            f"there is no engine {word!r}; name duckdb, spark, dask or sql, or give the address of one: "
            "spark://host:7077, tcp://host:8786 for Dask, or that of a database, like sqlite:///log.db"
        )
    return ("dask" if scheme in ("tcp", "tls", "ucx", "ws", "wss") else "sql"), word


def uncertainty_keywords(chosen: Mapping[str, Any]) -> dict[str, Any]:
    """Return the prevalence, the costs and the intervals, as the functions take them."""
    prior: str | float = chosen["prior"]
    with suppress(ValueError):
        prior = float(prior)  # a number per cell
    return {
        "prevalence": ifs.readers.read_prevalence(chosen["prevalence"]),
        "ordinal": chosen["ordinal"],
        "costs": chosen["costs"],
        "prior": prior,
        "level": chosen["level"],
        "sample_size": chosen["sample_size"],
        "seed": chosen["seed"],
        **({"uncertainty": None} if chosen.get("plain") else {}),
    }


def sources(source: Sequence[str]) -> str | list[str]:
    """Return one source as it is, several as a list."""
    return source[0] if len(source) == 1 else list(source)


def split_names(text: str) -> list[str]:
    """Return the names between commas."""
    return [name.strip() for name in text.split(",") if name.strip()]


def name_files(paths: Sequence[str], thing: str) -> dict[str, str]:
    """Return files by their short names, or by their paths where short names are alike."""
    if len(set(paths)) < len(paths):
        raise InputError(f"a file is named twice; name each {thing} once")
    stems = [Path(path).name.split(".")[0] for path in paths]
    return {stem if stems.count(stem) == 1 else path: path for stem, path in zip(stems, paths, strict=True)}


_ABOUT_ROWS = ("truth", "system", "truth_file", "key", "weight", "by", "groups", "examples", "show")


def reject_row_options(chosen: Mapping[str, Any], names: Sequence[str] = _ABOUT_ROWS) -> None:
    """Reject options that name columns, where the source is a matrix."""
    for name in names:
        if chosen.get(name):
            raise click.UsageError(f"--{name} names a column of rows, and a matrix has none; leave it out")


def matrix_tables(source: Sequence[str], chosen: Mapping[str, Any]) -> dict[str, ifs.Contingency]:
    """Return confusion matrices by the names of their files, or by their paths where two files share a name."""
    if chosen["sheet"]:
        raise click.UsageError("--sheet is for rows in a workbook; save a confusion matrix as CSV")
    reject_row_options(chosen)
    stems = ["standard input" if path == "-" else Path(path).stem for path in source]
    tables: dict[str, ifs.Contingency] = {}
    for path, stem in zip(source, stems, strict=True):
        name = stem if stems.count(stem) == 1 else path
        if name in tables:
            raise InputError(f"{path} is named twice; name each matrix once")
        stated = {option: chosen[option] for option in ("reject", "positive", "encoding")}
        matrices = ifs.readers.read_matrices(path, **stated)
        several = len(matrices) > 1
        tables |= {f"{name}: {inner}" if several else name: table for inner, table in matrices.items()}
    return tables


def list_options(command: click.Command) -> Iterator[click.Option]:
    """Yield the options that a command declares, and those of its own commands."""
    inner = command.commands.values() if isinstance(command, click.Group) else ()
    for part in (command, *inner):
        yield from (param for param in part.params if isinstance(param, click.Option))
