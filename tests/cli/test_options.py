"""One way to ask: a command's options are the parameters of its function, and its help shows them in groups.

Signatures and docstrings are compared in ``tests/core/test_public_functions.py``; here, both with the options.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import click
import pytest
from click.testing import CliRunner

import infoscope as ifs
from infoscope import ReadOptions
from tests.api import COMMANDS, REMOVED, app, list_options, read_configuration

OUTPUT = {"format", "unit", "output", "force", "quiet", "verbose", "run"}
"""Form and place of the output, which functions leave to the methods of their result."""
FILES = {
    "input_format": "format",
    "encoding": "encoding",
    "sheet": "sheet",
    "header": "header",
}
LOGS = {**FILES, "engine": "engine", "memory_limit": "memory"}
READING = {**LOGS, "threads": "threads", "max_rows": "max_rows"}
"""Options that are fields of ``ReadOptions``."""
ELSEWHERE = {"delimiter", "url", "native"}
"""Fields that are said by --input-format, by --engine, and by the variable INFOSCOPE_NATIVE."""

JOIN = {"truth_file", "key"}
"""The truth of another file, which is joined before a function reads the rows."""
SYNONYMS = {"sample_weight", "pos_label", "confidence_level", "rng", "y_true"}
"""The words of scikit-learn and SciPy, which functions take for weight, positive, level, seed and source."""


@dataclass
class Case:
    """A command, the functions behind it, the options that have no parameter there, and the other way round."""

    command: str
    functions: tuple[Callable[..., Any], ...]
    only_options: set[str]
    only_parameters: set[str]


CASES = [
    # classes are labels=, --labels is a file of them, and --plain is uncertainty=None
    Case(
        "evaluate",
        (ifs.evaluate,),
        {"matrix", "strict", "labels_out", "want", "classes", "plain", *JOIN},
        {"y_pred", "uncertainty"},
    ),
    Case("compare", (ifs.compare,), {"matrix", "strict", *JOIN}, {"y_pred", "uncertainty"}),
    Case(
        "gate",
        (ifs.gate,),
        {"matrix", "strict", "classes", "least", "most", "junit", "sarif", *JOIN},
        {"y_pred", "labels", "min", "max", "uncertainty", "scores", "period", "show", "examples", "keep_rows"},
    ),
    Case("relate", (ifs.relate,), set(), set()),
    Case(
        "agree",
        (ifs.agreement, ifs.latent_truth, ifs.drift),
        {"latent", "plan", "items", "labels", "metric", "plain"},
        {"y_pred", "prior", "later", "permutations"},
    ),
    Case("count", (ifs.read_tables,), {"strict", "judge", "says", "population", *JOIN}, set()),
    Case(
        "sweep",
        (ifs.sweep, ifs.tune),
        {"metric", "costs", "level", *JOIN},
        {"y_pred", "y_score", "choose_by", "against_name", "max_points"},
    ),
    Case("monte-carlo", (ifs.monte_carlo,), {"matrix", "strict"}, {"y_pred"}),
    Case("history", (ifs.history,), set(), set()),
    Case("show", (ifs.load,), {"result"}, {"path"}),
    Case(
        "multilabel",
        (ifs.multilabel.compare,),
        {"predicted", "plain", "strict"},
        {"predictors", "shuffles", "threshold", "truth_name"},
    ),
    Case("track", (ifs.tracking.compare,), {"tracks", "sweep"}, {"systems"}),
    Case("datasets", (ifs.datasets.csv_of,), set(), set()),
]
"""Every command with a public function."""
DEPENDING = {("agree", "draws"), ("sweep", "reject")}
"""Options whose default depends on the question: runs at several settings have no reject label unless stated."""
WITHOUT_FUNCTION = {"explain", "demo", "doctor", "serve", "verdicts", "completion", "man"}


def find_command(name: str) -> click.Command:
    command = app.get_command(click.Context(app), name)
    assert command is not None
    return command


def options(command: str) -> set[str]:
    return {str(option.name) for option in find_command(command).params}


def parameters(function: Callable[..., Any]) -> set[str]:
    """Names of a function's parameters, with those of the dictionary behind ``**options``."""
    names: set[str] = set()
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            (typed,) = get_type_hints(function)[name].__args__
            names |= set(get_type_hints(typed))
        else:
            names.add(name)
    return names


def test_every_command_is_compared_or_has_no_function() -> None:
    assert {case.command for case in CASES} | WITHOUT_FUNCTION == set(COMMANDS)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.command)
def test_options_are_the_parameters_of_the_function(case: Case) -> None:
    own_format = {"input_format"} if case.command in ("multilabel", "track") else set()
    asked = options(case.command) - OUTPUT - (set(READING) - own_format)
    taken = set().union(*map(parameters, case.functions)) - {"read"} - SYNONYMS

    assert asked - taken == case.only_options
    assert taken - asked == case.only_parameters


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.command)
def test_defaults_and_choices_of_options_are_those_of_the_function(case: Case) -> None:
    function = case.functions[0]
    signature, hints = inspect.signature(function).parameters, get_type_hints(function)
    for option in list_options(find_command(case.command)):
        parameter = signature.get(str(option.name))
        if parameter is None or parameter.default is parameter.empty or (case.command, option.name) in DEPENDING:
            continue
        default = option.default if isinstance(option.default, (str, int, float)) else None
        typed = str(parameter.default)  # options that take several kinds of values are text
        assert default in (parameter.default, typed) or not (default or parameter.default), option.name
        if isinstance(option.type, click.Choice) and get_origin(hints[parameter.name]) is Literal:
            assert set(option.type.choices) == set(get_args(hints[parameter.name])), option.name


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("evaluate", READING),
        ("count", {name: READING[name] for name in READING if name != "max_rows"}),
        ("sweep", {**LOGS, "max_rows": "max_rows"}),
        *((name, LOGS) for name in ("compare", "gate")),
        ("relate", {**FILES, "max_rows": "max_rows"}),
        *((name, FILES) for name in ("agree", "monte-carlo")),
    ],
)
def test_reading_options_are_the_fields_of_read_options(command: str, expected: dict[str, str]) -> None:
    assert options(command) & set(READING) == set(expected)
    assert {*READING.values(), *ELSEWHERE} == {field.name for field in fields(ReadOptions)}


@pytest.mark.parametrize(
    "command",
    [name for name in COMMANDS if name not in ({*WITHOUT_FUNCTION, "count", "datasets", "show"} - {"demo"})],
)
def test_every_command_with_a_result_has_the_same_output_options(command: str) -> None:
    assert options(command) >= OUTPUT - {"unit", "run"} - ({"quiet", "verbose"} if command == "demo" else set())


def test_the_gate_asks_as_evaluate_does() -> None:
    of_rows = {"keep_rows", "scores", "examples", "show", "plain", "max_rows", "threads", "unit"}
    of_labels = {"labels", "labels_out", "want", "period"}

    assert options("evaluate") - options("gate") == of_rows | of_labels


def commands() -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []
    for name in COMMANDS:
        command = find_command(name)
        inner = command.commands if isinstance(command, click.Group) else {}
        found += [(name, part) for part in inner] or [(name,)]
    return found


@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_help_is_one_screen_and_help_all_shows_every_option(words: tuple[str, ...]) -> None:
    short, full = (CliRunner(env={"COLUMNS": "80"}).invoke(app, [*words, end]).output for end in ("-h", "--help-all"))
    command = find_command(words[0])
    if len(words) == 2 and isinstance(command, click.Group):
        command = command.commands[words[1]]
    declared = list(list_options(command))
    shown = [option for option in declared if re.search(rf"(?m)^  .*{option.opts[-1]}\b", short)]

    assert len(short.splitlines()) <= 40
    assert short == CliRunner(env={"COLUMNS": "80"}).invoke(app, [*words, "--help"]).output
    assert getattr(command, "first", set()) <= {option.name for option in declared}
    assert len(shown) == len(declared) or len(shown) <= 14
    assert (f" {' '.join(words)} --help-all" in short) is (len(shown) < len(declared))
    for option in declared:
        assert option.opts[-1] in full
        for word in (option.help or "").split():
            assert word in full


def test_help_of_all_commands_is_one_screen() -> None:
    assert len(CliRunner(env={"COLUMNS": "80"}).invoke(app, ["-h"]).output.splitlines()) <= 40


@pytest.mark.parametrize(
    ("words", "advice"),
    [
        ("evaluate log.csv --engine-url spark://x", "give the address to --engine"),
        ("evaluate log.csv --no-native", "evaluate has no --no-native: set the variable INFOSCOPE_NATIVE=0"),
        ("relate log.csv --delimiter ;", "--input-format 'csv:;'"),
        ("compare log.csv --by group", "compare has no --by: ask about one group at a time"),
        ("track a.txt b.txt --unit nats", "infoscope show result.json --unit nats"),
        ("sweep log.csv --max-points 9", "in Python, ifs.sweep(…, max_points=…)"),
        ("doctor -v", "doctor has no --verbose: it shows everything anyway"),
        ("multilabel a b --weights w.txt", "give the file to --weight"),
    ],
)
def test_an_option_that_was_taken_away_says_what_to_use(words: str, advice: str) -> None:
    done = CliRunner().invoke(app, words.split())

    assert done.exit_code == 2
    assert advice in " ".join(done.stderr.split())


def test_no_command_has_an_option_that_every_command_lost() -> None:
    present = {word for name in COMMANDS for option in list_options(find_command(name)) for word in option.opts}
    lost = {"--abeg", "--delimiter", "--engine-url", "--native", "--no-native", "--pbeg", "--shuffles", "--until"}
    assert lost <= set(REMOVED) - present


def test_variables_and_settings_of_options_that_were_taken_away_are_rejected(tmp_path: Path) -> None:
    log, settings = tmp_path / "log.csv", tmp_path / "infoscope.toml"
    log.write_text("truth,pred\n" + "a,a\nb,b\na,b\n" * 9)
    words = ["evaluate", str(log), "-t", "truth", "-s", "pred"]
    done = CliRunner().invoke(app, words, env={"INFOSCOPE_EVALUATE_NO_NATIVE": "1"})
    assert done.exit_code == 2
    assert "INFOSCOPE_EVALUATE_NO_NATIVE is set, but evaluate has no --no-native" in done.stderr
    for text in ("native = false", "[evaluate]\nnative = false"):
        settings.write_text(text)
        with pytest.raises(ifs.InputError, match="no --native: set the variable INFOSCOPE_NATIVE"):
            read_configuration(str(settings)).defaults(app, click.Context(app), "evaluate")


@pytest.mark.parametrize(("word", "separator"), [("csv:;", ";"), ("csv:\\t", "\t"), ("csv:|", "|")])
def test_the_field_separator_is_said_with_the_format(word: str, separator: str, tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("truth,pred\na,a\nb,b\na,b\n".replace(",", separator))
    done = CliRunner().invoke(
        app, ["evaluate", str(log), "-t", "truth", "-s", "pred", "--input-format", word, "--format", "csv"]
    )
    assert done.exit_code == 0, done.output


def test_a_word_that_is_no_engine_is_rejected(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    log.write_text("truth,pred\na,a\n")
    done = CliRunner().invoke(app, ["evaluate", str(log), "-t", "truth", "-s", "pred", "--engine", "duck"])
    assert done.exit_code == 2
    assert "there is no engine 'duck'; choose from duckdb, spark, dask, sql" in done.stderr


def test_a_dash_is_standard_output_and_an_empty_name_is_rejected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "log.csv").write_text("truth,pred\n" + "a,a\nb,b\na,b\n" * 9)
    words = ["evaluate", "log.csv", "-t", "truth", "-s", "pred", "--format", "csv"]

    plain, dash, empty = (CliRunner().invoke(app, [*words, *more]) for more in ([], ["-o", "-"], ["-o", ""]))

    assert dash.exit_code == 0
    assert dash.stdout == plain.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["log.csv"]
    assert empty.exit_code == 2
    assert "the name of the output file is empty; name a file, or leave out -o" in empty.output


def test_monte_carlo_rejects_rows_without_a_label_where_strict(tmp_path: Path) -> None:
    runs = tmp_path / "runs.csv"
    runs.write_text("truth,pred,seed\n" + "a,a,1\nb,b,1\na,b,1\na,a,2\nb,b,2\nb,a,2\n" * 9 + ",a,1\n")
    words = ["monte-carlo", str(runs), "-t", "truth", "-s", "pred", "--by", "seed", "--format", "csv"]

    loose, strict = (CliRunner().invoke(app, [*words, *more]) for more in ([], ["--strict"]))

    assert (loose.exit_code, strict.exit_code) == (0, 2), strict.output
    assert "leave out --strict" in strict.stderr
