"""One way to ask: a command's options are the parameters of its function."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any, get_type_hints

import click
import pytest
from click.testing import CliRunner

import infoscope as ifs
from infoscope import ReadOptions
from tests.api import COMMANDS, app

OUTPUT = {"format", "unit", "output", "force", "quiet", "verbose", "run"}
"""Form and place of the output, which functions leave to the methods of their result."""
READING = {
    "input_format": "format",
    "delimiter": "delimiter",
    "engine": "engine",
    "engine_url": "url",
    "memory_limit": "memory",
    "threads": "threads",
    "native": "native",
    "encoding": "encoding",
    "sheet": "sheet",
    "header": "header",
    "max_rows": "max_rows",
}
"""Options that are fields of ``ReadOptions``."""

JOIN = {"truth_file", "key"}
"""The truth of another file, which is joined before a function reads the rows."""
SYNONYMS = {"sample_weight", "pos_label", "confidence_level", "rng"}
"""The words of scikit-learn and SciPy, which functions take for weight, positive, level and seed."""

FUNCTIONS: dict[str, tuple[tuple[Callable[..., Any], ...], set[str], set[str]]] = {
    "evaluate": (
        (ifs.evaluate,),
        {
            "matrix",
            "strict",
            "labels_out",
            "want",
            "classes",
            "plain",
            *JOIN,
        },  # classes are labels=; --labels is a file of them
        {"y_pred", "uncertainty"},  # --plain
    ),
    "compare": ((ifs.compare,), {"matrix", "strict", "by", *JOIN}, {"y_pred", "uncertainty"}),
    "relate": ((ifs.relate,), set(), set()),
    "agree": (
        (ifs.agreement, ifs.latent_truth, ifs.drift),
        {"latent", "plan", "items", "labels", "metric", "plain"},
        {"y_pred", "prior", "later", "permutations"},
    ),
    "count": ((ifs.read_tables,), {"strict", "judge", "says", "population", *JOIN}, set()),
    "sweep": (
        (ifs.sweep, ifs.tune),
        {"metric", "costs", "level", *JOIN},
        {"y_pred", "y_score", "choose_by", "against_name"},
    ),
}
"""Each command's functions, the options that have no parameter there, and the parameters that have no option."""


def options(command: str) -> set[str]:
    found = app.get_command(click.Context(app), command)
    assert found is not None
    return {str(option.name) for option in found.params}


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


@pytest.mark.parametrize("command", FUNCTIONS)
def test_options_are_the_parameters_of_the_function(command: str) -> None:
    functions, only_options, only_parameters = FUNCTIONS[command]
    asked = options(command) - OUTPUT - set(READING)
    taken = set().union(*map(parameters, functions)) - {"read"} - SYNONYMS

    assert asked - taken == only_options
    assert taken - asked == only_parameters


@pytest.mark.parametrize("command", [*FUNCTIONS, "gate"])
def test_reading_options_are_the_fields_of_read_options(command: str) -> None:
    assert set(READING) <= options(command)
    assert set(READING.values()) == {field.name for field in fields(ReadOptions)}


@pytest.mark.parametrize(
    "command",
    [
        name
        for name in COMMANDS
        if name not in ("count", "explain", "datasets", "doctor", "serve", "verdicts", "completion", "man")
    ],
)
def test_every_command_with_a_result_has_the_same_output_options(command: str) -> None:
    assert options(command) >= OUTPUT


def test_the_gate_asks_as_evaluate_does() -> None:
    of_rows = {"keep_rows", "scores", "examples", "show", "plain"}
    of_labels = {"labels", "labels_out", "want", "period"}

    assert options("evaluate") - options("gate") == of_rows | of_labels


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
