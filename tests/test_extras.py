"""Absent packages: a test that imports one is skipped by name, and the package itself gets no such mercy."""

import importlib.util
import sys

import pytest

from tests import extras
from tests.reference import ROOT


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("no_such_package", "colorsys"):
        monkeypatch.setitem(extras.WAYS, name, "pip install it")
    monkeypatch.delitem(sys.modules, "colorsys", raising=False)


def imported_by(place: str, name: str) -> None:
    exec(compile(f"import {name}", str(ROOT / place), "exec"))


@pytest.mark.usefixtures("known")
def test_an_import_in_a_test_skips_it_and_names_the_package() -> None:
    line = r"^tests/any\.py:1 imports no_such_package, which is not installed \(pip install it\)$"

    with pytest.raises(pytest.skip.Exception, match=line):
        imported_by("tests/any.py", "no_such_package")


@pytest.mark.usefixtures("known")
def test_the_package_itself_and_a_question_are_not_skipped() -> None:
    with pytest.raises(ModuleNotFoundError, match="no_such_package"):
        imported_by("src/infoscope/any.py", "no_such_package")
    assert importlib.util.find_spec("no_such_package") is None


@pytest.mark.usefixtures("known")
def test_a_package_can_be_treated_as_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    imported_by("tests/any.py", "colorsys")
    monkeypatch.delitem(sys.modules, "colorsys")
    monkeypatch.setattr(sys, "meta_path", [extras.Blocked(["colorsys"]), *sys.meta_path])

    with pytest.raises(pytest.skip.Exception, match="imports colorsys, which is not installed"):
        imported_by("tests/any.py", "colorsys")
    with pytest.raises(ModuleNotFoundError, match="colorsys"):
        imported_by("src/infoscope/any.py", "colorsys")


@pytest.mark.usefixtures("known")
@pytest.mark.parametrize("place", ["tests/any.py", "src/infoscope/any.py"])
def test_what_another_package_misses_is_missed_by_the_test_that_asked_it(place: str) -> None:
    with pytest.raises(ImportError) as caught:
        exec(compile("raise ImportError('no_such_package is required for Parquet')", str(ROOT / place), "exec"))

    reason = "test_any needs no_such_package, which is not installed (pip install it)"
    assert extras.needed_by("test_any", caught.value) == (reason if place.startswith("tests") else None)
