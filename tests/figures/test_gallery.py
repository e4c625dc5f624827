"""The gallery is what its script writes, and what it calls ours rounds to what the papers print."""

import re
from pathlib import Path

import pytest

from tests.reference import ROOT
from tools.gallery.exhibit import Exhibit
from tools.gallery.page import MADE_UP, NO_NUMBER, exhibits, page, write


@pytest.fixture(scope="module")
def shown() -> list[Exhibit]:
    return list(exhibits())


@pytest.fixture(scope="module")
def shown_page(shown: list[Exhibit]) -> str:
    return page(shown)


@pytest.mark.slow
def test_pages_and_pictures_are_up_to_date(shown: list[Exhibit], tmp_path: Path) -> None:
    write(tmp_path / "gallery", tmp_path / "gallery.md", shown)

    assert (tmp_path / "gallery.md").read_text() == (ROOT / "docs" / "reference" / "gallery.md").read_text()
    kept = {path.name: path for path in (ROOT / "docs" / "reference" / "gallery").iterdir()}
    made = {path.name: path for path in (tmp_path / "gallery").iterdir()}
    assert set(kept) == set(made)
    for name, path in made.items():  # images inside may be packed differently by another zlib
        assert _without_images(path) == _without_images(kept[name]), f"{name}: run `python -m tools.gallery`"


def _without_images(path: Path) -> str:
    return re.sub(r"base64,[^\"]+", "", path.read_text())


@pytest.mark.slow
def test_ours_is_what_is_printed(shown: list[Exhibit]) -> None:
    numbers = [fact for item in shown for fact in item.facts if re.fullmatch(r"-?[\d.]+", fact[1])]

    assert len(numbers) > 100
    for what, printed, ours in numbers:
        half = 0.5 * 10.0 ** -len(printed.partition(".")[2])
        slack = half if what in ("S_I/H(T) of A", "S_I/H(T) of D") else 0.0  # printed one unit too low
        assert float(ours) == pytest.approx(float(printed), abs=half + slack + 1e-9), what


@pytest.mark.slow
def test_every_kind_of_display_is_shown(shown: list[Exhibit], shown_page: str) -> None:
    import infoscope

    assert {type(item.display).__name__ for item in shown} >= {
        name for name in infoscope.__all__ if name.endswith("Display")
    }
    assert len(shown_page.split("\n## ")) == len(shown) + 1


def test_every_entry_says_what_is_printed_or_that_nothing_is(shown: list[Exhibit], shown_page: str) -> None:
    for item, part in zip(shown, shown_page.split("\n## ")[1:], strict=True):
        output = ("| as printed | ours |" in part, NO_NUMBER in part, MADE_UP in part)
        assert sum(output) == 1, item.title
