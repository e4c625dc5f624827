"""ARCHITECTURE.md followed to the letter: a metric and a kind of result, added in a scratch copy, work everywhere."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BLOCKS = re.findall(r"```python\n(.*?)```", (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8"), re.DOTALL)

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
OF_VIEWS = """from infoscope.evaluation.coverage import Coverage
from infoscope.figures.display import Display
from infoscope.reports.numbers import Units
from infoscope.reports.outline import Column, Name, Outline, Section, Table


"""

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package with what the page says to write, and nothing else."""
    package = tmp_path_factory.mktemp("copy") / "infoscope"
    shutil.copytree(ROOT / "src" / "infoscope", package, ignore=shutil.ignore_patterns("__pycache__"))
    metric, result, view = BLOCKS
    family = package / "metrics" / "agreement.py"
    family.write_text(f"{family.read_text(encoding='utf-8')}\n\n{metric}", encoding="utf-8")
    (package / "evaluation" / "coverage.py").write_text(IMPORTS + OF_RESULTS + result, encoding="utf-8")
    (package / "reports" / "views" / "coverage.py").write_text(IMPORTS + OF_VIEWS + view, encoding="utf-8")
    kinds = package / "results" / "kinds.py"
    line = re.search(r'`("coverage": "[^`]*")`', (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8"))
    assert line is not None
    changed = kinds.read_text(encoding="utf-8").replace("KINDS = {\n", f"KINDS = {{\n    {line[1]},\n", 1)
    kinds.write_text(changed, encoding="utf-8")
    return package


COMMANDS = """import json, sys
from click.testing import CliRunner
from infoscope.cli import app
done = [CliRunner().invoke(app, words, catch_exceptions=False) for words in json.loads(sys.argv[1])]
print(json.dumps([(each.exit_code, each.stdout, each.stderr) for each in done]))
"""


def run(copy: Path, *commands: Sequence[str]) -> list[str]:
    """What commands of the copied package print, one after another in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": str(copy.parent)}
    words = [sys.executable, "-c", COMMANDS, json.dumps(commands)]
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert [status for status, _, _ in found] == [0] * len(commands), found
    return [printed for _, printed, _ in found]


def test_a_metric_of_one_function_is_explained_and_evaluated(copy, tmp_path):
    matrix = tmp_path / "matrix.csv"
    matrix.write_text("8,2\n1,9\n", encoding="utf-8")

    explained, evaluated = run(
        copy, ["explain", "error_share"], ["evaluate", "--matrix", str(matrix), "--format", "json"]
    )
    assert "Share of samples whose predicted class is not the true one." in explained
    record = json.loads(evaluated)
    assert record["systems"][0]["metrics"]["error_share"]["value"] == pytest.approx(3 / 20)


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
