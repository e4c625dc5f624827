"""ARCHITECTURE.md followed to the letter: a metric and a kind of result, added in a scratch copy, work everywhere."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
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


def run(copy: Path, *words: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(copy.parent)}
    done = subprocess.run(
        [sys.executable, "-m", "infoscope", *words], capture_output=True, text=True, check=False, env=environment
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_metric_of_one_function_is_explained_and_evaluated(copy, tmp_path):
    matrix = tmp_path / "matrix.csv"
    matrix.write_text("8,2\n1,9\n", encoding="utf-8")

    assert "Share of samples whose predicted class is not the true one." in run(copy, "explain", "error_share")
    record = json.loads(run(copy, "evaluate", "--matrix", str(matrix), "--format", "json"))
    assert record["systems"][0]["metrics"]["error_share"]["value"] == pytest.approx(3 / 20)


def test_a_kind_of_one_class_and_one_view_has_every_form(copy, tmp_path):
    stored = tmp_path / "coverage.json"
    record = {"schema": "infoscope/coverage/2", "found": ["cat"], "never": ["dog"], "provenance": {}, "findings": []}
    stored.write_text(json.dumps(record), encoding="utf-8")

    assert "1 of 2 classes are predicted." in run(copy, "show", str(stored))
    assert "| dog | no |" in run(copy, "show", str(stored), "--format", "markdown")
    assert "<h1>1 of 2 classes are predicted.</h1>" in run(copy, "show", str(stored), "--format", "html")
    assert run(copy, "show", str(stored), "--format", "csv") == "label,found\ncat,True\ndog,False\n"
