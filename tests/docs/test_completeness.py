"""Nothing public is without its page: metrics, findings, commands, names; each check is provoked once."""

import ast
import inspect
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import get_args

import click
import pytest

import infoscope as ifs
from infoscope.metrics.registry import Domain
from tests.api import COMMANDS, all_metrics, app, explain_word, read_findings

pytest.importorskip("sphinx")

from tools.site import executed
from tools.site.metric_pages import metric_label
from tools.site.reference import public_names

SOURCE = Path(ifs.__file__).parent


def metrics_without_a_section(folder: Path) -> list[str]:
    text = "".join(page.read_text(encoding="utf-8") for page in (folder / "metrics").glob("*.md"))
    entries = [entry for domain in get_args(Domain) for entry in all_metrics(domain)]
    return [entry.name for entry in entries if text.count(f"({metric_label(entry)})=\n## {entry.card.title}") != 1]


def codes_in(paths: Iterable[Path]) -> set[str]:
    """Every code that a finding is made with: written out, or given to a function of the file that makes it."""
    found = set()
    for path in paths:
        text = path.read_text(encoding="utf-8")
        if "Finding(" not in text:  # then no function of the file makes any
            continue
        tree = ast.parse(text)
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
        makers = {"Finding": ("code", 0)} | makers_in(tree)
        for call in calls:
            name, place = makers.get(called(call), ("", 0))
            given = [*call.args[place : place + 1], *(word.value for word in call.keywords if word.arg == name)]
            if name and given and isinstance(given[0], ast.Constant):
                found.add(given[0].value)
    return found


def makers_in(tree: ast.Module) -> dict[str, tuple[str, int]]:
    """Functions whose findings have the code that they are given, with its name and place among their parameters."""
    found = {}
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            names = [each.arg for each in function.args.args]
            for call in ast.walk(function):
                if isinstance(call, ast.Call) and called(call) == "Finding" and call.args:
                    code = getattr(call.args[0], "id", "")
                    if code in names:
                        found[function.name] = (code, names.index(code))
    return found


def called(call: ast.Call) -> str:
    return getattr(call.func, "id", getattr(call.func, "attr", ""))


def commands_without_an_example(commands: Mapping[str, click.Command]) -> list[str]:
    found = []
    for name, command in commands.items():
        if "Example: infoscope" not in (command.help or ""):
            found.append(name)
        if isinstance(command, click.Group):
            found += commands_without_an_example({f"{name} {inner}": each for inner, each in command.commands.items()})
    return found


def undocumented(things: Mapping[str, object]) -> Iterator[str]:
    """Functions, classes and their public methods without a docstring of their own or of a base."""
    for name, thing in things.items():
        if not (inspect.getdoc(thing) or "").strip():
            yield name
        if inspect.isclass(thing):
            members = {f"{name}.{key}": each for key, each in vars(thing).items() if not key.startswith("_")}
            functions = (classmethod, staticmethod, property)
            yield from undocumented(
                {
                    key: getattr(thing, key.rpartition(".")[2])
                    for key, each in members.items()
                    if inspect.isfunction(each) or isinstance(each, functions)
                }
            )


@pytest.mark.slow
def test_every_metric_has_a_section_whose_example_runs(reference: Path) -> None:
    assert not metrics_without_a_section(reference)
    for page in (reference / "metrics").glob("*.md"):
        assert not executed.problems(page.read_text(encoding="utf-8")), page.name


@pytest.mark.slow
def test_a_metric_without_a_section_is_noticed(reference: Path) -> None:
    page = reference / "metrics" / "agreement.md"
    text = page.read_text(encoding="utf-8")
    page.write_text(text.replace("(metric-accuracy)=\n", ""), encoding="utf-8")
    try:
        assert metrics_without_a_section(reference) == ["accuracy"]
    finally:
        page.write_text(text, encoding="utf-8")


@pytest.mark.slow
def test_every_finding_has_an_entry() -> None:
    sources = list(SOURCE.rglob("*.py"))
    codes = codes_in(sources)
    listed = [entry.code for entry in read_findings()]
    written = "".join(path.read_text(encoding="utf-8") for path in sources)

    assert len(codes) > 90
    assert not codes - set(listed)
    assert len(set(listed)) == len(listed)
    assert not [code for code in listed if f'"{code}"' not in written and not code.endswith("_group")]
    assert "".join(explain_word("accuracy_paradox", 80)).count("What to do")


def test_a_finding_without_an_entry_is_noticed(tmp_path: Path) -> None:
    source = tmp_path / "rules.py"
    source.write_text(
        'found = Finding("never_heard_of", "A sentence.")\nother = results.Finding("accuracy_paradox", "…")\n'
    )

    assert codes_in([source]) - {entry.code for entry in read_findings()} == {"never_heard_of"}


def test_a_finding_without_an_entry_is_noticed_where_a_function_is_given_its_code(tmp_path: Path) -> None:
    source = tmp_path / "rules.py"
    source.write_text(
        "def made(facts, code):\n    return Finding(code, 'A sentence.')\n\n\n"
        "first, second = made(1, 'nobody_lists_this'), made(2, code='nor_this')\n"
    )

    assert codes_in([source]) == {"nobody_lists_this", "nor_this"}


def test_every_command_shows_an_example() -> None:
    commands = {name: app.get_command(click.Context(app), name) for name in COMMANDS}

    assert not commands_without_an_example({name: each for name, each in commands.items() if each is not None})
    assert None not in commands.values()


def test_a_command_without_an_example_is_noticed() -> None:
    silent = click.Command("silent", help="Does something.")
    group = click.Group("group", help="Example: infoscope group silent", commands={"silent": silent})

    assert commands_without_an_example({"silent": silent, "group": group}) == ["silent", "group silent"]


def test_every_public_name_has_a_docstring() -> None:
    things = {name: getattr(ifs, name) for names in public_names().values() for name in names}

    assert len(things) > 80
    assert not list(undocumented(things))


def test_a_public_name_without_a_docstring_is_noticed() -> None:
    class Silent:
        """A class."""

        def method(self) -> None: ...

        @property
        def number(self) -> int:
            return 1

    def silent() -> None: ...

    assert list(undocumented({"Silent": Silent, "silent": silent})) == ["Silent.method", "Silent.number", "silent"]
