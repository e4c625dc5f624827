"""Every benchmark still runs: each is tried with little data, and its figures mean nothing here."""

import runpy
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.reference import ROOT

FOLDER = ROOT / "benchmarks"
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

BRIEF: dict[str, Callable[[Path], list[str]]] = {
    "annotators": lambda _: ["--repeats", "1", "--categories", "3", "--items", "50"],
    "calibration": lambda folder: ["--budget", str(time.process_time() + 0.5), "--folder", str(folder)],
    "calibration_real": lambda _: ["--data", "iris", "--samples", "50", "--repeats", "1"],
    "comparison": lambda _: [],
    "foundation": lambda _: [],
    "gate": lambda _: ["--trials", "1"],
    "gpu": lambda _: [],
    "judge": lambda _: ["--coverage", "1"],
    "judge_diagnostics": lambda _: [],
    "multilabel": lambda _: [],
    "object_stores": lambda _: [],
    "operating_points": lambda _: [],
    "posterior": lambda _: [],
    "reading": lambda _: [],
    "tracking": lambda _: [],
}
"""The words that make one brief, given a folder; cluster.py and report.py start Java and a browser: not here."""


@pytest.mark.parametrize("name", BRIEF)
def test_it_runs(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if name == "tracking":
        pytest.importorskip("trackeval")
    monkeypatch.setenv("INFOSCOPE_BENCHMARKS_BRIEFLY", "1")
    monkeypatch.setattr(sys, "argv", [f"{name}.py", *BRIEF[name](tmp_path)])
    monkeypatch.syspath_prepend(FOLDER)
    runpy.run_path(str(FOLDER / f"{name}.py"), run_name="__main__")

    assert capsys.readouterr().out.count("\n") >= 2
