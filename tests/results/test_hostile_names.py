"""Names that come from the data do no harm in any form of any kind of result."""

from __future__ import annotations

import json
import re

import pytest
from rich.cells import cell_len

from tests.api import KINDS, Json, Result, decode_result
from tests.results.examples import example

_WORDS = "good poor ann bob eve joe cat dog fox near far steady nervous svm tree bayes plan win k score 0 1"
NAMES = frozenset(_WORDS.split())
HOSTILE = "<i>{}\n\x1b[31m\u202e|" + "x" * 200
"""Markup, a line end, a command to the terminal, letters from right to left, a cell's end, and much too long."""
CONTROLS = re.compile("[\x00-\x09\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]")


def with_hostile_names(part: Json) -> Json:
    if isinstance(part, dict):
        return {
            HOSTILE.format(key) if key in NAMES - {"score"} else key: with_hostile_names(x) for key, x in part.items()
        }
    if isinstance(part, list):
        return [with_hostile_names(x) for x in part]
    return HOSTILE.format(part) if isinstance(part, str) and part in NAMES else part


def visible(page: str) -> str:
    """The words of a page, without scripts, pictures and attributes."""
    return re.sub(r"<[^>]*>", "", re.sub(r"<(script|style|svg)\b.*?</\1>", "", page, flags=re.DOTALL))


@pytest.fixture(params=sorted(set(KINDS) - {"calibration"}))  # which names nothing
def result(request: pytest.FixtureRequest) -> Result:
    document = json.loads(example(request.param).to_json())
    hostile = with_hostile_names(document)
    assert hostile != document
    return decode_result(hostile)


def test_the_repr_stays_within_five_lines_that_can_be_printed(result):
    lines = repr(result).split("\n")

    assert len(lines) <= 5
    assert all(line.isprintable() and len(line) <= 160 for line in lines)


def test_text_keeps_its_width_and_commands_no_terminal(result):
    text = result.to_text(width=60)

    assert not CONTROLS.search(text)
    assert max(map(cell_len, text.split("\n"))) <= 60


def test_markdown_holds_no_markup_of_names(result):
    text = result.to_markdown()

    assert not CONTROLS.search(text)
    assert "<i>" not in text


def test_pages_and_notebooks_show_names_as_words(result):
    for page in (result.to_html(), result._repr_html_()):
        assert "<i>" not in page
        assert not CONTROLS.search(visible(page))
