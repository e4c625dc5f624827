"""The list of mutants cannot go stale silently, and its runner says what survives."""

import ast
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from tools import mutants as runner
from tools.mutant_lists import MUTANTS, Mutant
from tools.mutants import main, try_mutants

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_mutant_is_one_fault_in_one_place_with_tests_that_exist(mutant: Mutant) -> None:
    (file,) = mutant.files(ROOT)
    assert "\n" not in mutant.snippet + mutant.replacement
    before = file.read_text(encoding="utf-8")
    assert ast.dump(ast.parse(mutant.mutate(before))) != ast.dump(ast.parse(before))
    assert mutant.tests
    for test in mutant.tests:
        file, name = test.split("::")
        assert re.search(rf"^def {name}\(", (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE), test


def test_mutants_are_spread_over_the_rooms() -> None:
    names = [mutant.name for mutant in MUTANTS]
    rooms = {file.relative_to(ROOT / "src" / "infoscope").parts[0] for mutant in MUTANTS for file in mutant.files(ROOT)}

    assert len(set(names)) == len(names) >= 40
    assert {"tables", "metrics", "posterior", "readers", "results", "figures", "reports", "cli"} <= rooms


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # they take longer to load than these tests to run
    (tmp_path / "src").mkdir()
    (tmp_path / "tests").mkdir()
    (tmp_path / "src" / "sums.py").write_text("def add(a, b):\n    return a + b\n\n\ndef half(a):\n    return a / 2\n")
    (tmp_path / "tests" / "test_sums.py").write_text(
        "from sums import add\n\n\ndef test_add():\n    assert add(2, 3) == 5\n"
    )
    return tmp_path


def mutant(name: str, snippet: str, replacement: str) -> Mutant:
    return Mutant(name, "half" if name == "half" else "add", snippet, replacement, ("tests/test_sums.py::test_add",))


def outcomes(mutants: Sequence[Mutant], root: Path) -> dict[str, str]:
    return {trial.mutant.name: trial.outcome for trial in try_mutants(mutants, root, jobs=1)}


@pytest.mark.slow
def test_the_runner_tells_killed_survived_and_stale_and_leaves_the_project_alone(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {path: path.read_bytes() for path in project.rglob("*.py")}
    tried = [mutant("sum", "a + b", "a - b"), mutant("half", "a / 2", "a / 3"), mutant("gone", "a * b", "a")]

    assert outcomes(tried, project) == {"sum": "killed", "half": "survived", "gone": "stale"}
    assert {path: path.read_bytes() for path in project.rglob("*.py")} == before
    assert runner._report([]) == 0
    assert runner._report(runner.Trial(each, "survived") for each in tried[:1]) == 1
    assert "survived sum" in capsys.readouterr().out


@pytest.mark.slow
def test_tests_that_cannot_run_here_say_nothing(project: Path) -> None:
    (project / "tests" / "test_sums.py").write_text(
        "import pytest\n\npytest.importorskip('no_such_package')\n\n\ndef test_add():\n    assert False\n"
    )

    assert outcomes([mutant("sum", "a + b", "a - b")], project) == {"sum": "skipped"}


@pytest.mark.slow
def test_tests_that_fail_anyway_kill_nothing(project: Path) -> None:
    (project / "tests" / "test_sums.py").write_text("def test_add():\n    assert False\n")

    assert outcomes([mutant("sum", "a + b", "a - b")], project) == {"sum": "broken"}


def test_mutants_are_chosen_by_words_of_their_names_and_files(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list", "GATE"]) == 0
    assert all("gate" in line for line in capsys.readouterr().out.splitlines())
    assert main(["--list", "no such mutant"]) == 2
