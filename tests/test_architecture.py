"""ARCHITECTURE.md followed to the letter: a metric, a kind of result, a reader and a figure, in a scratch copy."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

import pytest

import infoscope as ifs
from tests.api import KINDS
from tools import measures
from tools.architecture import BANDS, TARGET, picture

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)

IMPORTS = """from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

"""
OF_RESULTS = """from infoscope.results.base import Result
from infoscope.results.codec import Json
from infoscope.results.finding import Finding
from infoscope.results.provenance import Provenance


"""
OF_READERS = """from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from infoscope.errors import InputError


"""
OF_FIGURES = """from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from infoscope.studies.coverage import Coverage
from infoscope.figures.drawing.display import Display
from infoscope.figures.drawing.layout import axis
from infoscope.figures.drawing.scene import Axis, Bar, Mark, Panel, Words


"""
OF_VIEWS = """from infoscope.studies.coverage import Coverage
from infoscope.figures.drawing.display import Display
from infoscope.figures.predicted_classes import PredictedClassesDisplay
from infoscope.results.notation import Units
from infoscope.reports.outline import Column, Outline, Section, Table
from infoscope.reports.phrases import Name


"""


def said(pattern: str) -> str:
    """What the page has between backquotes."""
    found = re.search(f"`({pattern})`", PAGE)
    assert found is not None, pattern
    return found[1]


def put_in(path: Path, before: str, line: str) -> None:
    """Add a line behind another."""
    text = path.read_text(encoding="utf-8")
    assert text.count(before) == 1, (path, before)
    path.write_text(text.replace(before, f"{before}{line}"), encoding="utf-8")


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package with what the page says to write, and nothing else."""
    package = tmp_path_factory.mktemp("copy") / "infoscope"
    shutil.copytree(ROOT / "src" / "infoscope", package, ignore=shutil.ignore_patterns("__pycache__"))
    metric, result, view, reader, conversion, figure = BLOCKS
    family = package / "metrics" / "agreement.py"
    family.write_text(f"{family.read_text(encoding='utf-8')}\n\n{metric}", encoding="utf-8")
    put_in(family, said("__all__") + " = [", '"error_share", ')
    (package / "studies" / "coverage.py").write_text(IMPORTS + OF_RESULTS + result, encoding="utf-8")
    named = re.sub(r"PICTURES: .* = \{\}", said(r"PICTURES = [^`]*"), view)
    (package / "reports" / "views" / "coverage.py").write_text(IMPORTS + OF_VIEWS + named, encoding="utf-8")
    kind, ending = said('"coverage": "[^`]*"'), said('"pairs": "[^`]*",')
    put_in(package / "results" / "kinds.py", "KINDS = {\n", f"    {kind},\n")
    (package / "readers" / "pairs.py").write_text(OF_READERS + reader, encoding="utf-8")
    put_in(package / "readers" / "files.py", '    "arff": "arff",\n', f"    {ending}\n")
    conversions = package / "readers" / "conversions.py"
    put_in(conversions, 'under their own titles."""\n', conversion)
    put_in(
        conversions,
        "from infoscope.readers.files import Files\n",
        "from infoscope.readers.pairs import pair_lines\n",
    )
    (package / "figures" / "predicted_classes.py").write_text(OF_FIGURES + figure, encoding="utf-8")
    return package


COMMANDS = """import json, sys
from click.testing import CliRunner
from infoscope.cli import app
done = [CliRunner().invoke(app, words) for words in json.loads(sys.argv[1])]
print(json.dumps([(each.exit_code, each.stdout, each.stderr) for each in done]))
"""


def execute(copy: Path, code: str, *words: str) -> str:
    """What a program prints that imports the copied package."""
    environment = {**os.environ, "PYTHONPATH": str(copy.parent)}
    call = [sys.executable, "-c", code, *words]
    done = subprocess.run(call, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


def run(copy: Path, *commands: Sequence[str]) -> list[str]:
    """What commands of the copied package print, one after another in a process of its own."""
    found = json.loads(execute(copy, COMMANDS, json.dumps(commands)))
    assert [status for status, _, _ in found] == [0] * len(commands), found
    return [printed for _, printed, _ in found]


@pytest.mark.slow
def test_a_metric_of_one_function_is_explained_and_evaluated(copy, tmp_path):
    matrix = tmp_path / "matrix.csv"
    matrix.write_text("8,2\n1,9\n", encoding="utf-8")

    explained, evaluated = run(
        copy, ["explain", "error_share"], ["evaluate", "--matrix", str(matrix), "--format", "json"]
    )
    assert "Share of samples whose predicted class is not the true one." in explained
    called = execute(copy, "import infoscope; print(infoscope.metrics.error_share([*'abcd'], [*'abca']))")
    assert float(called) == pytest.approx(1 / 4)
    record = json.loads(evaluated)
    assert record["systems"][0]["metrics"]["error_share"]["value"] == pytest.approx(3 / 20)


@pytest.mark.slow
def test_a_kind_of_one_class_and_one_view_has_every_form(copy, tmp_path):
    stored = tmp_path / "coverage.json"
    record = {"schema": "infoscope/coverage/2", "found": ["cat"], "never": ["dog"], "provenance": {}, "findings": []}
    stored.write_text(json.dumps(record), encoding="utf-8")

    forms = [["show", str(stored), "--format", form] for form in ("text", "markdown", "html", "csv")]
    text, markdown, page, rows = run(copy, *forms)
    assert "1 of 2 classes are predicted." in text
    assert "| dog | no |" in markdown
    assert "<h1>1 of 2 classes are predicted.</h1>" in page
    assert rows == "label,found\ncat,True\ndog,False\n"


@pytest.mark.slow
def test_a_reader_of_one_function_is_read_by_every_command(copy: Path, tmp_path: Path) -> None:
    right, wrong = tmp_path / "log.pairs", tmp_path / "wrong.pairs"
    right.write_text("cat -> cat\n" * 8 + "dog -> cat\n" * 2 + "dog -> dog\n" * 9, encoding="utf-8")
    wrong.write_text("cat -> cat\ndog\n", encoding="utf-8")
    commands = [
        ["evaluate", str(path), "-t", "truth", "-s", "predicted", "--format", "json"] for path in (right, wrong)
    ]

    (_, printed, _), (status, _, message) = json.loads(execute(copy, COMMANDS, json.dumps(commands)))

    assert json.loads(printed)["systems"][0]["metrics"]["accuracy"]["value"] == pytest.approx(17 / 19)
    assert status == 2
    assert "wrong.pairs, line 2 has no ' -> '" in message


@pytest.mark.slow
def test_a_figure_of_one_class_is_drawn_and_saved(copy: Path, tmp_path: Path) -> None:
    stored = tmp_path / "coverage.json"
    record = {"schema": "infoscope/coverage/2", "found": ["cat"], "never": ["dog"], "provenance": {}, "findings": []}
    stored.write_text(json.dumps(record), encoding="utf-8")
    drawn = tmp_path / "picture.svg"

    execute(copy, f"import infoscope as ifs; ifs.load({str(stored)!r}).plot('predicted').save({str(drawn)!r})")

    text = drawn.read_text(encoding="utf-8")
    assert 'aria-label="1 classes are predicted and 1 never."' in text
    assert "never: 1" in text


def test_the_picture_has_every_module_of_the_layers() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = settings["tool"]["importlinter"]["contracts"][0]["layers"]
    modules = {name.strip("() ") for layer in layers for name in re.split(r"[|:]", layer)} - {"__main__"}

    assert {name for band in BANDS for name in band.modules} == modules
    assert TARGET.read_text(encoding="utf-8") == picture(), "run `make docs`"


@pytest.mark.slow
def test_every_view_is_that_of_a_kind_of_result() -> None:
    views = {path.stem for path in (measures.PACKAGE / "reports" / "views").glob("*.py")} - {"__init__"}

    assert views == {kind.replace("-", "_") for kind in KINDS}


def test_what_runs_in_a_call_is_counted() -> None:
    files, functions = measures.touched(lambda: len([1]))
    assert (files, functions) == (0, 0)
    table = ifs.Contingency.from_matrix([[9, 1], [2, 8]])
    ifs.metrics.accuracy(table)  # loads what it needs
    files, functions = measures.touched(lambda: ifs.metrics.accuracy(table))
    assert 1 <= files <= functions < 30
