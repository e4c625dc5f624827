"""Settings of all tests: short hypothesis runs, no clock, a terminal of one width, absent packages are skipped."""

import atexit
import gc
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from _pytest.doctest import DoctestModule
from _pytest.runner import runtestprotocol
from hypothesis import HealthCheck, find, settings, strategies

from tests import extras

TOGETHER = ("tests/docs", "tests/reports", "tests/results")
"""Folders whose files share what takes long to make: the reference pages, reports and results."""

# The shell is the same engine without the windows, menus and services around it, and takes two thirds of the time
PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking"]
FLAGS += ["--js-flags=--no-opt --no-maglev"]  # a page lives for a second: compiling for speed costs more

gc.set_threshold(100_000, 50, 100)  # looking for garbage among thousands of tests takes a tenth of their time

settings.register_profile(
    "infoscope", max_examples=40, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("fast", parent=settings.get_profile("infoscope"), max_examples=5)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "infoscope"))

# Parallel tests share the cores: threads of linear algebra would wait for each other, 0.8 s for a model of 0.02 s.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")  # NumPy is not imported yet
os.environ.setdefault("LOKY_MAX_CPU_COUNT", "1")  # no worker processes of joblib unless a test asks for them

# Text is laid out for the width of the terminal; a parallel run has none, a terminal has any.
os.environ["COLUMNS"] = "100"
os.environ["SOURCE_DATE_EPOCH"] = "1790000000"  # results say when they were made

extras.install()


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Start one browser per worker: Playwright cannot be started a second time beside it."""
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed (pip install playwright)")
    program = os.environ.get("INFOSCOPE_CHROMIUM") or next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        pytest.skip("no chromium on this machine (apt-get install chromium), so pages are not tried in a browser")
    with api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield started
        started.close()


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Iterator[None]:
    """Examples in docstrings are those of the package and of helpers; files of tests need not be searched for them."""
    found = yield
    is_test = file_path.name.startswith("test_")
    return [node for node in found if not (is_test and isinstance(node, DoctestModule))]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """If INFOSCOPE_TESTS_BRIEF is 1, a worker sends only the call report of a test that passed, all reports of others.

    The main process needs two of the six messages per test; 11,700 tests keep it busy for 13 s otherwise.
    """
    is_brief = os.environ.get("INFOSCOPE_TESTS_BRIEF") == "1" and hasattr(item.config, "workerinput")
    if not is_brief or item.config.option.maxfail:  # the end of all fixtures is due right after a failure then
        return None
    reports = runtestprotocol(item, nextitem=nextitem, log=False)
    has_passed = all(report.passed for report in reports)
    for report in reports:
        if report.when == "call" or not has_passed:
            item.ihook.pytest_runtest_logreport(report=report)
    return True


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Skip a test that needs a package that is not installed, as pandas needs pyarrow."""
    try:
        return (yield)
    except ImportError as error:
        if reason := extras.needed_by(item.name, error):
            pytest.skip(reason)
        raise
    finally:
        if (pyplot := sys.modules.get("matplotlib.pyplot")) is not None:
            pyplot.close("all")  # more than twenty open figures are an error


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put tests that wait for clusters and browsers first, then files with slow tests, so that no core is idle."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    first = {"engines", "spark", "browser"}
    items.sort(key=lambda item: (first.isdisjoint(item.path.parts), item.path not in slow))
    if os.environ.get("HYPOTHESIS_PROFILE") == "fast":
        _limit_examples(items)
    find(strategies.none(), lambda _: True)  # Hypothesis looks for who holds its generator: not among what is frozen
    gc.freeze()  # tests and modules are no garbage, and need not be looked through again
    atexit.register(gc.unfreeze)  # or modules are reported as leaks when the process ends


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    """Keep the files of some folders on one process, where each file of tests stays on one."""
    from xdist.scheduler import LoadFileScheduling

    if config.getoption("dist") != "loadfile":
        return None

    class LoadFolders(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = super()._split_scope(nodeid)
            return next((folder for folder in TOGETHER if file.startswith(f"{folder}/")), file)

    return LoadFolders(config, log)


def _limit_examples(items: list[pytest.Item]) -> None:
    """Few examples also for random tests that state their own number, which wins over a profile's."""
    for item in items:
        test = getattr(item, "function", None)
        own = getattr(test, "_hypothesis_internal_use_settings", None)
        if own is not None and own.max_examples > settings.default.max_examples:
            test._hypothesis_internal_use_settings = settings(own, max_examples=settings.default.max_examples)
