"""Options: how a command declares them, how its help shows them, and those that several commands share.

A shared option is declared once, in ``SHARED``, and named where a command takes it: ``shared("truth", "system")``. Its
name is the argument of the public function behind the command. Each option belongs to a group; ``-h`` shows the few
that the command names as ``first``, ``--help-all`` all of them. An option that was taken away is listed in ``REMOVED``
with what to use instead.
"""

from __future__ import annotations

import functools
import importlib
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

import infoscope as ifs
from infoscope.cli.process import settled
from infoscope.errors import ALL_ROWS_ARE_READ, InputError, did_you_mean

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
    "--abeg": "use --read truth_start=2",
    "--after": "use --by COLUMN=BEFORE,AFTER",
    "--before": "use --by COLUMN=BEFORE,AFTER",
    "--by": "ask about one group at a time",
    "--correction": "in Python, correction=…",
    "--delimiter": "use --read delimiter=;",
    "--depth": "--separator shows every level; in Python, depth=…",
    "--draws": "--plain leaves out everything that is drawn; in Python, draws=…",
    "--duplicates": "use --read duplicates=first",
    "--encoding": "use --read encoding=latin-1",
    "--engine": "use --read engine=NAME or engine=ADDRESS, such as --read engine=spark://host:7077",
    "--engine-url": "use --read engine=ADDRESS, such as --read engine=sqlite:///log.db",
    "--header": "use --read header=yes",
    "--input-format": "use --read format=NAME",
    "--items": "use --labels-out FILE",
    "--keep-rows": "in Python, keep_rows=True; a gate also takes the rows themselves, --baseline rows.csv",
    "--key": "join the files first",
    "--match": "use --convention match=global",
    "--max-points": "in Python, ifs.sweep(…, max_points=…)",
    "--max-rows": "use --read max_rows=1000",
    "--memory-limit": "use --read memory=2GB",
    "--metric": "use --want METRIC.width=W",
    "--native": "set the variable INFOSCOPE_NATIVE=1",
    "--no-header": "use --read header=no",
    "--no-keep-rows": "in Python, keep_rows=False",
    "--no-native": "set the variable INFOSCOPE_NATIVE=0",
    "--normalize": "use --score-type unnormalized",
    "--null": "use --convention null=class",
    "--pbeg": "use --read predicted_start=2",
    "--per": "use --convention per=event",
    "--period": "write --judge COLUMN,period=COLUMN, which evaluate takes",
    "--permutations": "in Python, permutations=…",
    "--plan": "use --want METRIC.width=W, where W is twice the half width",
    "--population": "use --judge COLUMN,population=unlabelled",
    "--predicted-start": "use --read predicted_start=2",
    "--preprocessing": "use --read preprocessing=mot20",
    "--prior": "in Python, prior=…; evaluate has --prior",
    "--quiet": "warnings are on standard error; add 2>/dev/null",
    "--raw": "use --score-type logit",
    "--run": "evaluate has it; other results are named by their file",
    "--says": "use --judge COLUMN,right=LABEL,wrong=LABEL, or --judge COLUMN,says=score",
    "--seed": "in Python, seed=…",
    "--sheet": "use --read sheet=2",
    "--show": "use --examples 5:COLUMN,COLUMN",
    "--shuffles": "--plain leaves out everything that is drawn; in Python, shuffles=…",
    "--similarity": "use --convention similarity=distance",
    "--splits": "--plain leaves out everything that is drawn; in Python, splits=…",
    "--strict": "use --one-sided reject",
    "--threads": "use --read threads=4",
    "--truth-file": "join the files first",
    "--truth-start": "use --read truth_start=2",
    "--unit": "write the result with -o result.json, then: infoscope show result.json --unit nats",
    "--until": ALL_ROWS_ARE_READ,
    "--verbose": "it shows everything anyway",
    "--weights": "give the file to --weight",
}
"""Options that a command had, or that others have, with what to use where there is none."""
_SHORT = {"-q": "--quiet", "-v": "--verbose"}


def advice_for(word: str, command: str, options: Collection[str] | None = None) -> str | None:
    """Return what to use instead of an option that this command does not have any more.

    Advice to use an option that is not among ``options`` is none.
    """
    name = _SHORT.get(word, word)
    advice = REMOVED.get(name, "")
    instead = re.match(r"use (--[\w-]+)", advice)
    if not advice or (instead is not None and options is not None and instead[1].lstrip("-") not in options):
        return None
    return f"{command} has no {name}: {advice}"


class Settings(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.3
    """Settings of one option: words KEY=VALUE, several of them with commas between, by key.

    With ``leading``, a word may begin with a name, as in COLUMN,KEY=VALUE; names are listed under that key.
    """

    name = "settings"

    def __init__(self, leading: str = "", **kinds: click.ParamType[Any]) -> None:
        self.leading = leading
        self.kinds = kinds
        """The keys, with the type of their values."""
        self._keys = rf"(?:{'|'.join(kinds)})".replace("_", "[-_]")

    def split_envvar_value(self, rv: str) -> Sequence[str]:
        """Split a variable before each key, as in "sheet=May, June header=no", or at each blank where names lead."""
        return re.split(r"(?<!,)\s+" if self.leading else rf"(?<!,)\s+(?={self._keys}=)", rv.lstrip())

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> dict[str, Any]:
        """Take a word apart; an unknown key is answered with those there are."""
        settings: dict[str, Any] = {}
        # a comma is part of a value unless a key follows: local[4,2], a sheet "May, June"
        parts = re.split(rf",\s*(?={self._keys}=)", str(value))
        if self.leading and not re.match(rf"{self._keys}=", parts[0]):
            settings[self.leading] = [parts.pop(0)]
        for part in [*parts, *re.findall(r",\s*(\w+=.*)", "".join(settings.get(self.leading, [])))]:
            key, equals, text = part.partition("=")
            key = key.strip().replace("-", "_")
            if key not in self.kinds or not (equals and text):
                near = did_you_mean(key, [] if key in self.kinds else self.kinds)
                self.fail(f"{part!r}; write KEY=VALUE, where KEY is {' or '.join(self.kinds)}; {near}".rstrip("; "))
            if key in settings:
                self.fail(f"{key} is given twice", param, ctx)
            try:
                settings[key] = self.kinds[key].convert(text, param, ctx)
            except click.BadParameter as problem:
                self.fail(f"{key} is {text!r}: {problem.message}")
        return settings

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG002 - click's signature
        """List the keys, or the columns that may lead."""
        words = list_columns(ctx) if self.leading else [f"{key}=" for key in self.kinds]
        return complete_words(words, incomplete)


def merge_settings(ctx: click.Context, param: click.Parameter, words: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the settings of all words of an option; one that is given twice is rejected, lists are added up."""
    settings: dict[str, Any] = {}
    for word in words:
        for key, value in word.items():
            if isinstance(value, list):
                value = [*settings.get(key, []), *value]  # noqa: PLW2901
            elif key in settings:
                raise click.BadParameter(f"{key} is given twice", ctx, param)
            settings[key] = value
    return settings


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
        if (callback := self.callback) is not None:

            @functools.wraps(callback)
            def run(*words: Any, **chosen: Any) -> Any:  # without --verbose to ask for, with its traceback
                with settled(verbose=bool(chosen.get("verbose", True))):
                    return callback(*words, **chosen)

            self.callback = run
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
        options = {word.lstrip("-") for word in present}
        for word in REMOVED.keys() - present:
            variable = f"INFOSCOPE_{name}_{word.lstrip('-')}".upper().replace("-", "_")
            if os.environ.get(variable) and (advice := advice_for(word, name, options)) is not None:
                raise click.UsageError(f"{variable} is set, but {advice}", ctx)
        try:
            rest = super().parse_args(ctx, args)
        except click.NoSuchOption as problem:
            if (advice := advice_for(problem.option_name, name, options)) is not None:
                raise click.UsageError(advice, ctx) from None
            raise
        if ctx.params.pop("json", False):  # of a word and a variable the word counts, two words must not disagree
            json_typed, form_typed = (
                ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE for name in ("json", "format")
            )
            form = ctx.params["format"]
            if json_typed and form_typed and form != "json":
                raise click.UsageError(f"--json means --format json; leave out --json or --format {form}", ctx)
            if json_typed or not form_typed:
                ctx.params["format"] = "json"
        return rest

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


# ── completion ───────────────────────────────────────────────────────────────────────────────────────────────────────

_PATHS = {
    **dict.fromkeys(("FILE", "SOURCE", "RESULT.json", "TRUTH_FILE", "PREDICTED_FILE…", "equal|FILE"), "file"),
    **dict.fromkeys(("TRUTH", "TRACKS…", "VERDICTS"), "file"),
    "FOLDER": "dir",
}
"""Words of the usage that mean a path, and what the shell is to look for."""
_METRICS = ("METRIC", "METRIC,…", "METRIC[.PART]=X", "METRIC.width=W")
_PLAIN = re.compile(r"[\w.:@%+=/-]+")
"""Words that every shell reads as they are: others could be taken for patterns or commands."""
_MAX_WHOLE = 8 << 20
"""Bytes of a file of any format whose columns are completed."""
_WITH_HEADER = frozenset({".csv", ".tsv", ".parquet", ".arrow", ".feather", ".ndjson", ".jsonl"})
"""Formats whose columns stand at one end of a file, however large it is."""


class CompletedText(click.types.StringParamType):
    """Text that a shell completes by what the usage calls it."""

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """List what the text may be; the shell itself looks for files and folders."""
        meaning = param.metavar or (param.name or "").upper()
        if meaning in _PATHS:
            return [CompletionItem(incomplete, type=_PATHS[meaning])]
        root = ctx.find_root()
        words: Iterable[str] = ()
        if meaning in _METRICS:
            words = sorted({entry.name for entry in ifs.metrics.registry.every_metric()})
        elif meaning == "[COMMAND]" and isinstance(root.command, click.Group):
            words = root.command.list_commands(root)
        elif meaning == "COLUMN":
            words = list_columns(ctx)
        return complete_words(words, incomplete)


def complete_words(words: Iterable[str], incomplete: str) -> list[CompletionItem]:
    """Return the words that begin so, and that every shell reads as they are."""
    return [CompletionItem(word) for word in words if word.startswith(incomplete) and _PLAIN.fullmatch(word)]


def list_columns(context: click.Context) -> Iterable[str]:
    """List columns of the first file that was typed before; a pipe, a store or a damaged file has none here.

    Nor has a large file that is read as a whole before its columns are known.
    """
    with suppress(Exception):  # whatever is wrong is said when the command runs
        paths = (Path(word) for word in context.args)  # left there, as the last option has no value yet
        path = next(path for path in paths if path.is_file())
        if path.stat().st_size <= _MAX_WHOLE or not _WITH_HEADER.isdisjoint(map(str.lower, path.suffixes)):
            names: Iterable[str] = importlib.import_module("infoscope.readers.columns").column_names(str(path))
            return names
    return ()


# ── options that several commands share ──────────────────────────────────────────────────────────────────────────────

_JUDGE_KEYS: dict[str, click.ParamType[Any]] = {
    "right": click.STRING,
    "wrong": click.STRING,
    "says": click.Choice(["score"]),
    "population": click.Choice(["all", "unlabelled"]),
}
_JUDGE: dict[str, Any] = {
    "group": JUDGE,
    "multiple": True,
    "metavar": "COLUMN[,KEY=VALUE…]",
    "callback": merge_settings,
    "short": "Column with the verdicts of a judge, if few rows have a true label",
}
_ABOUT_JUDGES = (
    "Column with the verdicts of a judge, if few rows have a true label: figures are over all rows, corrected by the "
    "labels. Repeatable. right=LABEL,wrong=LABEL: verdicts say whether the prediction is right, and there is one "
    "--judge for each system; says=score: they are grades that are named as classes; population=unlabelled: results "
    "leave out the labelled rows, which come from elsewhere."
)

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
    "judge": option("--judge", help=_ABOUT_JUDGES, **_JUDGE, type=Settings("columns", **_JUDGE_KEYS)),
    "judge_over_time": option(
        "--judge",
        help=f"{_ABOUT_JUDGES} period=COLUMN: see whether the judge changes.",
        **_JUDGE,
        type=Settings("columns", **_JUDGE_KEYS, period=click.STRING),
    ),
    "want": option(
        "--want",
        group=JUDGE,
        metavar="METRIC.width=W",
        short="How many labels make an interval this wide",
        help="How many further labels make the interval of a metric this wide, such as accuracy.width=0.04; with "
        "--judge or --latent.",
    ),
    "labels_out": option(
        "--labels-out",
        group=JUDGE,
        metavar="FILE",
        type=click.Path(dir_okay=False),
        help="With --want: write the rows to label to this CSV file.",
    ),
    "labels": option(
        "--labels",
        group=JUDGE,
        multiple=True,
        metavar="FILE",
        help="A file of rows with labels filled in, as --labels-out writes it; one per round.",
    ),
    "read": option(
        "--read",
        group=READING,
        multiple=True,
        metavar="KEY=VALUE",
        callback=merge_settings,
        type=Settings(
            format=click.STRING,
            delimiter=click.STRING,
            encoding=click.STRING,
            sheet=click.STRING,
            header=click.BOOL,
            max_rows=click.IntRange(1),
            engine=click.STRING,
            memory=click.STRING,
            threads=click.IntRange(1),
        ),
        short="How to read SOURCE: format=…, encoding=…, sheet=…, header=no, engine=…",
        help="How to read SOURCE, where name and contents do not say it; repeatable. format=csv, tsv, parquet, arrow, "
        "json, ndjson, xlsx, arff, ifs, vw (Vowpal Wabbit) or vw:a (its class 1 is tagged a); delimiter=; or \\t; "
        "encoding=latin-1; sheet=NAME or N; header=no (columns are named 0, 1, …); max_rows=N (the first); "
        "memory=2GB (beyond it, disk is used); threads=N; engine=spark, dask, or the address of a cluster (spark://, "
        "sc://, tcp:// for Dask) or of a database, where SOURCE is a table or a query.",
    ),
    "clean": option(
        "--clean",
        group=READING,
        multiple=True,
        type=click.Choice(["strip", "nfc", "casefold", "text", "number"]),
        help="Clean labels before they are compared; repeatable.",
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
    "prior": option(
        "--prior",
        group=METHOD,
        default="default",
        show_default=True,
        help="Prior of the intervals: a name, or a number per cell. Numbers, uniform and wolpert-wolf also show the "
        "moments of entropies with their covariances.",
    ),
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
    "json": option("--json", group=OUTPUT, is_flag=True, help="The same as --format json."),
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

LABEL_OPTIONS = ("want", "labels_out", "labels")
"""Options for labels that are asked for, and read back round after round."""
OUTPUT_OPTIONS = ("format", "json", "output", "force", "quiet", "verbose")


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
    settings = dict(chosen["read"])
    form = settings.get("format") or ""
    if form[:4].lower() in ("csv:", "tsv:"):
        raise click.UsageError(f"--read format is {form!r}; write the separator as --read delimiter={form[4:] or ';'}")
    if settings.get("delimiter") == "\\t":
        settings["delimiter"] = "\t"
    # the engine by its name, an address or NAME=ADDRESS; ReadOptions knows the names, those of other packages too
    word = settings.pop("engine", "duckdb")
    scheme = word.partition(":")[0].lower()
    named = re.fullmatch(r"([\w-]+)(?:=(.+))?", word)
    if named is not None:
        engine, url = named[1], named[2]
    elif scheme in ("spark", "sc", "k8s") or word.startswith("local["):
        engine, url = "spark", word
    elif "://" in word:
        engine, url = ("dask" if scheme in ("tcp", "tls", "ucx", "ws", "wss") else "sql"), word
    else:
        raise InputError(
            f"there is no engine {word!r}; name duckdb, spark, dask or sql, or give the address of one: "
            "spark://host:7077, tcp://host:8786 for Dask, or that of a database, like sqlite:///log.db"
        )
    return ifs.ReadOptions(**settings, engine=engine, url=url)


def uncertainty_keywords(chosen: Mapping[str, Any]) -> dict[str, Any]:
    """Return the prevalence, the costs and the intervals, as the functions take them."""
    prior: str | float = chosen.get("prior", "default")
    with suppress(ValueError):
        prior = float(prior)  # a number per cell
    return {
        "prevalence": ifs.readers.read_prevalence(chosen["prevalence"]),
        "ordinal": chosen["ordinal"],
        "costs": chosen["costs"],
        **({"prior": prior} if "prior" in chosen else {}),
        **{name: chosen[name] for name in ("level", "sample_size", "seed") if name in chosen},
        **({"uncertainty": None} if chosen.get("plain") else {}),
    }


def sources(source: Sequence[str]) -> str | list[str]:
    """Return one source as it is, several as a list."""
    return source[0] if len(source) == 1 else list(source)


def split_names(text: str) -> list[str]:
    """Return the names between commas."""
    return [name.strip() for name in text.split(",") if name.strip()]


def split_metrics(_: click.Context, __: click.Parameter, texts: Sequence[str]) -> tuple[str, ...]:
    """Return the names of metrics, repeated or between commas; commas in brackets belong to a name, as in NI(T,Y)."""
    return tuple(name.strip() for text in texts for name in re.split(r",(?![^()]*\))", text))


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
    if "sheet" in chosen["read"]:
        raise click.UsageError("--read sheet is for rows in a workbook; save a confusion matrix as CSV")
    for key in ("format", "delimiter", "header", "max_rows", "engine"):
        if key in chosen["read"]:
            raise click.UsageError(f"--read {key} is for rows, and a matrix shows how it is written; leave it out")
    reject_row_options(chosen)
    stems = ["standard input" if path == "-" else Path(path).stem for path in source]
    tables: dict[str, ifs.Contingency] = {}
    for path, stem in zip(source, stems, strict=True):
        name = stem if stems.count(stem) == 1 else path
        if name in tables:
            raise InputError(f"{path} is named twice; name each matrix once")
        stated = {option: chosen[option] for option in ("reject", "positive")}
        matrices = ifs.readers.read_matrices(path, encoding=chosen["read"].get("encoding"), **stated)
        several = len(matrices) > 1
        tables |= {f"{name}: {inner}" if several else name: table for inner, table in matrices.items()}
    return tables


def environment_name(command: str, option: click.Option) -> str:
    """Return the variable that sets an option where it is not typed, as INFOSCOPE_GATE_MIN."""
    word = next((word for word in option.opts if word.startswith("--")), option.opts[0])
    return f"INFOSCOPE_{command}_{word.lstrip('-')}".upper().replace("-", "_")


def list_options(command: click.Command) -> Iterator[click.Option]:
    """Yield the options that a command declares, and those of its own commands."""
    inner = command.commands.values() if isinstance(command, click.Group) else ()
    for part in (command, *inner):
        yield from (param for param in part.params if isinstance(param, click.Option))
