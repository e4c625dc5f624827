"""examples/extending followed literally: a metric, a study, a file format, a figure and an engine."""

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
from tests.api import KINDS, find_view
from tools import measures
from tools.architecture import BANDS, TARGET, picture

ROOT = Path(__file__).parents[1]
EXTENDING = ROOT / "examples" / "extending"


def step(example: str, line: str) -> str:
    """Return a line that the docstring of an example says to add, which must stand there."""
    docstring = (EXTENDING / example).read_text(encoding="utf-8").split('"""')[1]
    assert line.strip() in " ".join(docstring.split()), (example, line)
    return line


def insert_after(path: Path, before: str, line: str) -> None:
    """Insert a line after another, which must occur once."""
    text = path.read_text(encoding="utf-8")
    assert text.count(before) == 1, (path, before)
    path.write_text(text.replace(before, f"{before}{line}"), encoding="utf-8")


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package with what the examples say to add, and nothing else."""
    package = tmp_path_factory.mktemp("copy") / "infoscope"
    shutil.copytree(ROOT / "src" / "infoscope", package, ignore=shutil.ignore_patterns("__pycache__"))
    family = package / "metrics" / "agreement.py"
    function = (EXTENDING / "metric.py").read_text(encoding="utf-8").partition("@metric")
    family.write_text(f"{family.read_text(encoding='utf-8')}\n\n@metric{function[2]}", encoding="utf-8")
    imports = package / "metrics" / "__init__.py"
    insert_after(imports, "from infoscope.metrics.agreement import (\n", f"    {step('metric.py', 'error_share,')}\n")
    for example, target in (
        ("study.py", "studies/predicted_classes.py"),
        ("study_view.py", "reports/views/predicted_classes.py"),
        ("figure.py", "figures/predicted_classes.py"),
        ("file_format.py", "readers/pairs.py"),
    ):
        home = "study.py" if example in ("study_view.py", "figure.py") else example
        step(home, f"src/infoscope/{target}")
        shutil.copy(EXTENDING / example, package / target)
    kind = step("study.py", '"predicted-classes": "infoscope.studies.predicted_classes:PredictedClasses",')
    insert_after(package / "results" / "base.py", "KINDS = {\n", f"    {kind}\n")
    insert_after(package / "readers" / "files.py", '    "arff": "arff",\n', f"    {step('file_format.py', PAIRS)}\n")
    conversions = package / "readers" / "conversions.py"
    insert_after(conversions, 'under their own titles."""\n', CONVERSION)
    assert all(step("file_format.py", line) for line in CONVERSION.splitlines())
    insert_after(
        conversions,
        "from infoscope.readers.files import Files\n",
        "from infoscope.readers.pairs import pair_lines\n",
    )
    return package


PAIRS = '"pairs": "pairs",'
CONVERSION = """    if files.format == "pairs":
        return write_copies(files, folder, pair_lines, "ndjson")
"""
STORED = {"schema": "infoscope/predicted-classes/2", "provenance": {}, "findings": []}
COMMANDS = """import json, sys
from click.testing import CliRunner
from infoscope.cli import app
done = [CliRunner().invoke(app, words) for words in json.loads(sys.argv[1])]
print(json.dumps([(each.exit_code, each.stdout, each.stderr) for each in done]))
"""


def execute(copy: Path, code: str, *words: str) -> str:
    """Return the output of a program that imports the copied package."""
    environment = {**os.environ, "PYTHONPATH": str(copy.parent)}
    call = [sys.executable, "-c", code, *words]
    done = subprocess.run(call, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


def run(copy: Path, *commands: Sequence[str]) -> list[str]:
    """Return the output of commands of the copied package, run one after another in a process of its own."""
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
    assert "share of samples whose predicted class is not the true one." in explained.lower()
    called = execute(copy, "import infoscope; print(infoscope.metrics.error_share([*'abcd'], [*'abca']))")
    assert float(called) == pytest.approx(1 / 4)
    record = json.loads(evaluated)
    assert record["systems"][0]["metrics"]["error_share"]["value"] == pytest.approx(3 / 20)


@pytest.mark.slow
def test_a_kind_of_one_class_and_one_view_has_every_form(copy, tmp_path):
    stored = tmp_path / "coverage.json"
    record = {
        "schema": "infoscope/predicted-classes/2",
        "predicted": ["cat"],
        "never": ["dog"],
        "provenance": {},
        "findings": [],
    }
    stored.write_text(json.dumps(record), encoding="utf-8")

    forms = [["show", str(stored), "--format", form] for form in ("text", "markdown", "html", "csv")]
    text, markdown, page, rows = run(copy, *forms)
    assert "1 of 2 classes are predicted." in text
    assert "| dog | no |" in markdown
    assert "<h1>1 of 2 classes are predicted.</h1>" in page
    asked = "import infoscope as ifs; from infoscope.studies.predicted_classes import predicted_classes as study"
    told = execute(copy, f"{asked}; print(study(ifs.Contingency.from_labels([*'ab'], [*'aa'])).to_text())")
    assert "1 of 2 classes are predicted." in told
    header, cat, dog = rows.splitlines()
    assert header.startswith("system,group,class,metric,value,")
    assert (cat.rstrip(","), dog.rstrip(",")) == (",,cat,predicted,1.0", ",,dog,predicted,0.0")


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
def test_an_engine_of_another_package_reads_what_no_other_does(copy: Path) -> None:
    package = copy.parent / "records-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: records\nVersion: 1.0\n", encoding="utf-8")
    group, entry = '[project.entry-points."infoscope.engines"]', 'records = "records_engine:RecordsEngine"'
    step("engine.py", group), step("engine.py", entry), step("engine.py", "``records_engine.py``")
    points = f"[infoscope.engines]\n{entry.replace(chr(34), '')}\n"
    (package / "entry_points.txt").write_text(points, encoding="utf-8")
    shutil.copy(EXTENDING / "engine.py", copy.parent / "records_engine.py")
    read = """import infoscope as ifs
rows = [{"t": "a", "s": "a", "w": 2}, {"t": "a", "s": "b", "w": 1}, {"t": "b", "s": None, "w": 1}]
named = ifs.ReadOptions(engine="records")
print(ifs.read(rows[:2], truth="t", system="s", weight="w").counts.tolist(), ifs.readers.column_names(rows, named))
try:
    ifs.read(iter(rows), truth="t", system="s", read=named)
except ifs.InputError as error:
    print(error)
"""

    weighed, rejected = execute(copy, read).splitlines()
    assert weighed == "[[2.0, 1.0], [0.0, 0.0]] ('t', 's', 'w')"
    assert rejected == "engine records does not read this list_iterator"


@pytest.mark.slow
def test_a_figure_of_one_class_is_drawn_and_saved(copy: Path, tmp_path: Path) -> None:
    stored = tmp_path / "coverage.json"
    record = {
        "schema": "infoscope/predicted-classes/2",
        "predicted": ["cat"],
        "never": ["dog"],
        "provenance": {},
        "findings": [],
    }
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

    assert views == {find_view(kind).__name__.rpartition(".")[2] for kind in KINDS} | {"judge"}  # of an evaluation


def test_what_runs_in_a_call_is_counted() -> None:
    files, functions = measures.touched(lambda: len([1]))
    assert (files, functions) == (0, 0)
    table = ifs.Contingency.from_matrix([[9, 1], [2, 8]])
    ifs.metrics.accuracy(table)  # loads what it needs
    files, functions = measures.touched(lambda: ifs.metrics.accuracy(table))
    assert 1 <= files <= functions < 30
