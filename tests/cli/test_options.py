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

OUTPUT = {"format", "json", "unit", "output", "force", "quiet", "verbose", "run"}
"""Form and place of the output, which functions leave to the methods of their result."""
ELSEWHERE = {"url", "native"}
"""Fields of ``ReadOptions`` that are said by engine=ADDRESS, and by the variable INFOSCOPE_NATIVE."""

JOIN = {"truth_file", "key"}
"""Options for the truth of another file, which is joined before a function reads the rows."""
SYNONYMS = {"sample_weight", "pos_label", "confidence_level", "rng", "y_true"}
"""Keywords of scikit-learn and SciPy, which functions take for weight, positive, level, seed and source."""


@dataclass
class Case:
    """A command, the functions behind it, the options that have no parameter there, and the other way round."""

    command: str
    functions: tuple[Callable[..., Any], ...]
    only_options: set[str]
    only_parameters: set[str]


def keys_of(command: str, option: str = "read") -> set[str]:
    """Return the keys of an option; of --read, format is input_format for files that have layouts of their own."""
    declared = next(param for param in find_command(command).params if param.name == option)
    keys = set(declared.type.kinds)  # type: ignore[attr-defined]
    return keys - {"format"} | {"input_format"} if command in ("multilabel", "track") else keys


def find_command(name: str) -> click.Command:
    command = app.get_command(click.Context(app), name)
    assert command is not None
    return command


CASES = [
    # classes are labels=, --labels is a file of them, and --plain is uncertainty=None
    Case(
        "evaluate",
        (ifs.evaluate,),
        {"matrix", "strict", "labels_out", "want", "classes", "plain", *JOIN},
        {"y_pred", "uncertainty", "keep_rows", "show", *keys_of("evaluate", "judge") - {"right", "wrong"}},
    ),
    Case(
        "compare",
        (ifs.compare,),
        {"matrix", "strict", *JOIN},
        {"y_pred", "uncertainty", "prior", "says", "population"},
    ),
    Case(
        "gate",
        (ifs.gate,),
        {"matrix", "strict", "classes", "least", "most", "junit", "sarif", *JOIN},
        {
            "y_pred",
            "labels",
            "min",
            "max",
            "uncertainty",
            "scores",
            "period",
            "show",
            "examples",
            "keep_rows",
            "says",
            "population",
            "prior",
            "seed",
        },
    ),
    Case("relate", (ifs.relate,), set(), {"permutations", "correction"}),
    Case(
        "agree",
        (ifs.agreement, ifs.latent_truth, ifs.drift),
        {"latent", "want", "labels_out", "labels", "plain"},
        {"y_pred", "prior", "later", "permutations", "before", "after"},
    ),
    Case("count", (ifs.read_tables,), {"strict", "judge", *JOIN}, set()),
    Case(
        "sweep",
        (ifs.sweep, ifs.tune),
        {"metric", "costs", "level", "score_type", *JOIN},
        {"y_pred", "y_score", "choose_by", "against_name", "max_points", "raw", "normalize"},
    ),
    Case("monte-carlo", (ifs.monte_carlo,), {"matrix", "strict"}, {"y_pred"}),
    Case("history", (ifs.history,), set(), set()),
    Case("show", (ifs.load,), {"result"}, {"path"}),
    Case(
        "multilabel",
        (ifs.multilabel.compare,),
        {"predicted", "plain"},
        {
            "predictors",
            "shuffles",
            "threshold",
            "truth_name",
            *keys_of("multilabel"),
            "draws",
            "splits",
            "depth",
            "seed",
        },
    ),
    Case(
        "track",
        (ifs.tracking.compare,),
        {"tracks", "sweep", "convention"},
        {"systems", "seed", *keys_of("track"), *keys_of("track", "convention")},
    ),
    Case("datasets", (ifs.datasets.csv_of,), set(), set()),
]
"""Every command with a public function."""
DEPENDING = {("agree", "draws"), ("sweep", "reject")}
"""Options whose default depends on the question: runs at several settings have no reject label unless stated."""
WITHOUT_FUNCTION = {"explain", "demo", "doctor", "serve", "verdicts", "completion", "man"}


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
    asked = options(case.command) - OUTPUT - {"read"}
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


@pytest.mark.parametrize("command", ["evaluate", "compare", "sweep", "gate", "count", "monte-carlo", "agree", "relate"])
def test_keys_of_read_are_the_fields_of_read_options(command: str) -> None:
    assert {*keys_of(command), *ELSEWHERE} == {field.name for field in fields(ReadOptions)}


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("heder=no", "'heder=no'; write KEY=VALUE, where KEY is format or delimiter or encoding or sheet or header or "
         "max_rows or engine or memory or threads; did you mean 'header'?"),
        ("sheet", "'sheet'; write KEY=VALUE, where KEY is format or"),
        ("sheet=", "'sheet='; write KEY=VALUE"),
        ("header=perhaps", "header is 'perhaps': 'perhaps' is not a valid boolean"),
        ("max_rows=0", "max_rows is '0': 0 is not in the range x>=1"),
        ("header=no,header=yes", "header is given twice"),
        ("format=csv:;", "--read format is 'csv:;'; write the separator as --read delimiter=;"),
        ("engine=duck", "there is no engine 'duck'; choose from duckdb, spark, dask, sql"),
    ],
)  # fmt: skip
def test_a_wrong_word_about_reading_says_what_there_is(word: str, message: str, tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    log.write_text("truth,pred\na,a\nb,b\na,b\n")
    done = CliRunner().invoke(app, ["evaluate", str(log), "-t", "truth", "-s", "pred", "--read", word])
    assert (done.exit_code, done.stdout) == (2, "")
    assert message in " ".join(done.stderr.split())


def test_a_comma_stays_in_the_value_unless_a_key_follows() -> None:
    evaluate = find_command("evaluate")
    context = evaluate.make_context("evaluate", ["x", "--read", "sheet=May, June,header=no", "--read", "max-rows=9"])
    assert context.params["read"] == {"sheet": "May, June", "header": False, "max_rows": 9}
    for word in ("sheet=May, June, header=no,max-rows=9", "max_rows=9, sheet=May, June, header=no"):
        assert evaluate.make_context("evaluate", ["x", "--read", word]).params == context.params


def test_a_variable_holds_settings_with_blanks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INFOSCOPE_EVALUATE_READ", " sheet=May, June  header=no max_rows=9")
    context = find_command("evaluate").make_context("evaluate", ["x"])
    assert context.params["read"] == {"sheet": "May, June", "header": False, "max_rows": 9}
    monkeypatch.setenv("INFOSCOPE_EVALUATE_JUDGE", "gpt, period=week")
    context = find_command("evaluate").make_context("evaluate", ["x"])
    assert context.params["judge"] == {"columns": ["gpt"], "period": "week"}


@pytest.mark.parametrize("word", ["format=csv", "delimiter=;", "header=no", "max_rows=5", "engine=spark", "sheet=1"])
def test_settings_about_rows_are_rejected_for_a_matrix(word: str, tmp_path: Path) -> None:
    matrix = tmp_path / "matrix.csv"
    matrix.write_text(",cat,dog\ncat,40,10\ndog,5,45\n")
    done = CliRunner().invoke(app, ["evaluate", "--matrix", str(matrix), "--read", f"encoding=utf-8,threads=2,{word}"])
    assert done.exit_code == 2
    assert f"--read {word.partition('=')[0]} is for rows" in done.stderr


def test_the_period_of_a_judge_is_said_to_be_a_key_of_evaluate() -> None:
    for command in ("evaluate", "gate"):
        done = CliRunner().invoke(app, [command, "log.csv", "--period", "week"])
        assert done.exit_code == 2
        assert f"{command} has no --period: write --judge COLUMN,period=COLUMN, which evaluate takes" in done.stderr


@pytest.mark.parametrize(
    "command",
    [name for name in COMMANDS if name not in ({*WITHOUT_FUNCTION, "count", "datasets", "show"} - {"demo"})],
)
def test_every_command_with_a_result_has_the_same_output_options(command: str) -> None:
    assert options(command) >= OUTPUT - {"unit", "run"} - ({"quiet", "verbose"} if command == "demo" else set())


def test_the_gate_asks_as_evaluate_does() -> None:
    of_rows = {"scores", "examples", "plain"}
    of_labels = {"labels", "labels_out", "want"}
    of_draws = {"prior", "seed", "run"}  # whose choice could let a build through

    assert options("evaluate") - options("gate") == of_rows | of_labels | of_draws


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
    lines = CliRunner(env={"COLUMNS": "80"}).invoke(app, ["-h"]).output.splitlines()
    headings = [line for line in lines if re.match(r"[A-Z][a-z ]+$", line)]

    assert len(lines) <= 40
    assert max(map(len, lines)) <= 80
    assert headings == ["Evaluate and decide", "Other kinds of data", "Look closer", "Get started"]
    assert [name for name in COMMANDS if not any(line.startswith(f"  {name} ") for line in lines)] == []
    assert not re.search(r"false|carr(y|ies)", " ".join(lines))


@pytest.mark.parametrize(
    ("words", "advice"),
    [
        ("evaluate log.csv --engine-url spark://x", "use --read engine=ADDRESS"),
        ("count log.csv --engine dask", "use --read engine=NAME"),
        ("evaluate log.csv --says score", "use --judge COLUMN,right=LABEL,wrong=LABEL, or --judge COLUMN,says=score"),
        (
            "gate log.csv --judge j,period=month",
            "'period=month'; write KEY=VALUE, where KEY is right or wrong or says or",
        ),
        ("gate log.csv --population all", "use --judge COLUMN,population=unlabelled"),
        ("evaluate log.csv --examples 3 --show text", "use --examples 5:COLUMN,COLUMN"),
        ("evaluate log.csv --no-keep-rows", "in Python, keep_rows=False"),
        ("evaluate log.csv --unit nats", "infoscope show result.json --unit nats"),
        ("agree log.csv --latent --plan 0.02", "use --want METRIC.width=W"),
        ("agree log.csv --before a", "use --by COLUMN=BEFORE,AFTER"),
        ("gate log.csv --seed 3", "in Python, seed=…"),
        ("gate log.csv --run 3", "evaluate has it"),
        ("compare log.csv --prior 3", "evaluate has --prior"),
        ("sweep log.csv --raw", "use --score-type logit"),
        ("multilabel a b --strict", "use --one-sided reject"),
        ("track a b --match global", "use --convention match=global"),
        ("relate a --permutations 9", "in Python, permutations=…"),
        ("relate a --strict", "No such option"),
        ("evaluate log.csv --no-native", "evaluate has no --no-native: set the variable INFOSCOPE_NATIVE=0"),
        ("relate log.csv --delimiter ;", "relate has no --delimiter: use --read delimiter=;"),
        ("compare log.csv --sheet 2", "compare has no --sheet: use --read sheet=2"),
        ("gate log.csv --no-header", "use --read header=no"),
        ("evaluate log.csv --max-rows 9", "use --read max_rows=1000"),
        ("track a.txt b.txt --preprocessing off", "use --read preprocessing=mot20"),
        ("multilabel a b --truth-start 2", "use --read truth_start=2"),
        ("history runs --sheet 2", "No such option"),
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
    lost = {
        "--abeg",
        "--delimiter",
        "--engine",
        "--engine-url",
        "--says",
        "--show",
        "--native",
        "--no-native",
        "--pbeg",
        "--shuffles",
        "--until",
    }
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


@pytest.mark.parametrize(("word", "separator"), [(";", ";"), ("\\t", "\t"), ("|", "|")])
def test_the_field_separator_is_said_beside_the_format(word: str, separator: str, tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("truth,pred\na,a\nb,b\na,b\n".replace(",", separator))
    done = CliRunner().invoke(
        app,
        [
            "evaluate",
            str(log),
            "-t",
            "truth",
            "-s",
            "pred",
            "--read",
            f"format=csv,delimiter={word}",
            "--format",
            "csv",
        ],
    )
    assert done.exit_code == 0, done.output


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


def test_json_is_the_short_form_of_format_json_on_every_command_that_has_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert [name for name in COMMANDS if ("format" in options(name)) is not ("json" in options(name))] == []
    run = CliRunner().invoke
    short, long = (run(app, words).stdout for words in (["doctor", "--json"], ["doctor", "--format", "json"]))
    assert short == long != ""
    path = tmp_path / "table.csv"
    path.write_text(",a,b\na,3,1\nb,0,4\n")
    ask = ["evaluate", str(path), "--matrix"]
    refused = run(app, [*ask, "--json", "--format", "csv"])
    assert refused.exit_code == 2
    assert "leave out --json or --format csv" in refused.stderr
    monkeypatch.setenv("INFOSCOPE_EVALUATE_FORMAT", "csv")
    assert run(app, [*ask, "--json"]).stdout.startswith("{")
    monkeypatch.setenv("INFOSCOPE_EVALUATE_JSON", "1")
    assert run(app, [*ask, "--format", "markdown"]).stdout.startswith("# ")
