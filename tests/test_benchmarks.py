"""Every benchmark still runs: each is tried with little data, and its figures mean nothing here."""

import runpy
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from types import ModuleType

import pytest

import infoscope
from tests.reference import ROOT

FOLDER = ROOT / "benchmarks"
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

BRIEF: dict[str, Callable[[Path], list[str]]] = {
    "annotators": lambda _: ["--repeats", "1", "--categories", "3", "--items", "50"],
    "calibration": lambda folder: ["--budget", str(time.process_time() + 0.1), "--folder", str(folder)],
    "calibration_cells": lambda folder: [
        "--folder",
        str(folder),
        "--seconds",
        "3",
        "--cells",
        "3,50",
        "--repeats",
        "1",
    ],
    "calibration_real": lambda _: ["--data", "iris", "--samples", "50", "--repeats", "1"],
    "comparison": lambda _: [],
    "explorer": lambda _: [],
    "foundation": lambda _: [],
    "gate": lambda _: ["--trials", "1"],
    "gpu": lambda _: [],
    "growth": lambda _: [],
    "judge": lambda _: ["--coverage", "1"],
    "judge_diagnostics": lambda _: [],
    "multilabel": lambda _: [],
    "object_stores": lambda _: [],
    "operating_points": lambda _: [],
    "posterior": lambda _: [],
    "reading": lambda _: [],
    "report": lambda _: [],
    "tracking": lambda _: [],
    "without_truth": lambda _: ["--seed", "1"],
    "wrong_use": lambda _: ["--repeats", "1"],
}
"""The words that make one brief, given a folder; cluster.py starts Java: not here."""
HELPERS = {"calibration_models", "calibration_report", "cluster", "populations", "timing", "unseen_populations"}


def test_every_benchmark_is_tried() -> None:
    assert {path.stem for path in FOLDER.glob("*.py")} == {*BRIEF, *HELPERS}


@pytest.fixture(scope="module")
def modules() -> list[ModuleType]:
    """Every module of the package that can be loaded here."""
    names = [module.name for module in walk_packages(infoscope.__path__, "infoscope.")]
    found = []
    for name in names:
        if not name.endswith("__main__"):
            with suppress(ImportError):  # of an extra that is not installed
                found.append(import_module(name))
    return found


def constants(modules: list[ModuleType]) -> dict[str, object]:
    return {f"{module.__name__}.{name}": x for module in modules for name, x in vars(module).items() if name.isupper()}


@pytest.fixture
def _constants_stay(modules: list[ModuleType]) -> Iterator[None]:
    """A constant that a benchmark sets for itself must not change the numbers of whatever runs later here."""
    before = constants(modules)
    yield
    after = constants(modules)
    assert {name: after[name] for name, value in before.items() if after[name] is not value} == {}


@pytest.mark.usefixtures("_constants_stay")
@pytest.mark.parametrize("name", BRIEF)
def test_it_runs(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for peer in {"tracking": ["trackeval"], "report": ["pycm", "matplotlib"]}.get(name, []):
        pytest.importorskip(peer)
    monkeypatch.setenv("INFOSCOPE_BENCHMARKS_BRIEFLY", "1")
    monkeypatch.setattr(sys, "argv", [f"{name}.py", *BRIEF[name](tmp_path)])
    monkeypatch.syspath_prepend(FOLDER)
    with ThreadPoolExecutor(1) as another:  # where no browser of other tests is being driven
        another.submit(runpy.run_path, str(FOLDER / f"{name}.py"), run_name="__main__").result()

    assert capsys.readouterr().out.count("\n") >= 2


@pytest.mark.parametrize("part", ["interval", "unseen", "pair", "model"])
def test_every_part_of_the_calibration_is_tried_and_written(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(FOLDER)
    calibration = runpy.run_path(str(FOLDER / "calibration.py"))
    key, task = next((key, task) for key, task in calibration["tasks"](7) if task["part"] == part)
    record = {"key": key, **task, **calibration["run"](task)}
    report = runpy.run_path(str(FOLDER / "calibration_report.py"))

    assert len(report["printed"]([record]).splitlines()) > 20
