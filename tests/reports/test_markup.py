"""Labels stay labels in Markdown and on every page, and every page has a content policy."""

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import infoscope as ifs
from infoscope import tracking
from tests.api import app, escape, escape_markdown, escape_markdown_cell
from tests.reports.pages import HOSTILE, as_html, comparison, scores, typical
from tests.reports.pages import settings as tuned
from tests.reports.test_html import Outline
from tests.tracking.scenes import Stage

STAGE = Stage()
EVIL = "<img src=x onerror=alert(1)>|![x](http://evil.example/p.png)*_`"
MARKDOWN_IT = pytest.importorskip("markdown_it", reason="markdown-it-py renders Markdown as forges do")


def rendered(markdown: str) -> str:
    return str(MARKDOWN_IT.MarkdownIt("gfm-like", {"html": True, "linkify": False}).render(markdown))


def annotators() -> object:
    return ifs.agreement({"one": [EVIL, "b"] * 9, EVIL: [EVIL, EVIL] * 9}, draws=10)


def label_sets() -> object:
    return ifs.multilabel.compare([[EVIL], ["b"]] * 9, {EVIL: [[EVIL], [EVIL]] * 9}, draws=10, splits=5)


PAGES: dict[str, Callable[[], str]] = {
    "evaluation": lambda: as_html(typical()),
    "comparison": lambda: comparison().to_html(),
    "sweep": lambda: as_html(scores()),
    "settings": lambda: str(tuned().to_html()),
    "trackers": lambda: tracking.evaluate(STAGE.truth(), STAGE.broken()).to_html(),
    "annotators": lambda: annotators().to_html(),  # type: ignore[attr-defined]
    "label sets": lambda: label_sets().to_html(),  # type: ignore[attr-defined]
}


@pytest.mark.slow
@pytest.mark.parametrize("name", list(PAGES))
def test_every_page_has_the_same_shell(name: str) -> None:
    page = PAGES[name]()
    outline = Outline(page)
    policies = [found["content"] for tag, found in outline.tags if found.get("http-equiv") == "Content-Security-Policy"]

    assert page.startswith('<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="generator"')
    assert len(policies) == 1
    assert str(policies[0]).startswith("default-src 'none'; img-src data:; style-src 'unsafe-inline'")
    assert ("script-src" in str(policies[0])) == ("<script>" in page)
    assert not any(tag == "img" and "onerror" in found for tag, found in outline.tags)


def test_a_notebook_cell_is_no_page_and_styles_nothing_else() -> None:
    cell = annotators()._repr_html_()  # type: ignore[attr-defined]

    assert cell.startswith("<div style=")
    assert "<style" not in cell
    assert "<html" not in cell
    assert "<img" not in cell


def markdown_of_sweep(tmp_path: Path, *, by: bool) -> str:
    path = tmp_path / "log.csv"
    quoted = '"' + EVIL.replace('"', '""') + '"'
    rows = f"{quoted},0.9,{quoted},{quoted},1\nb,0.2,b,x,2\n{quoted},0.4,b,x,2\n" * 5
    path.write_text(f"gold,p,svm,{quoted},n\n" + rows)
    words = ["-s", "svm", "--parameter", EVIL] if by else ["--score", "p", "--positive", EVIL]
    result = CliRunner().invoke(app, ["sweep", str(path), "-t", "gold", *words, "--format", "markdown"])
    assert result.exit_code == 0, result.output
    return str(result.stdout)


@pytest.mark.slow
@pytest.mark.parametrize("by", [False, True])
def test_sweep_as_markdown(tmp_path: Path, by: bool) -> None:
    harmless(markdown_of_sweep(tmp_path, by=by))


def harmless(markdown: str) -> None:
    page = rendered(markdown)
    outline = Outline(page)
    assert {tag for tag, _ in outline.tags} <= {
        *("h1", "h2", "h3", "p", "ul", "li", "table", "thead", "tbody", "tr", "th", "td", "strong", "em", "code")
    }
    for table in re.findall(r"<table>.*?</table>", page, re.DOTALL):
        assert len({row.count("<t") - row.count("<tr") for row in re.findall(r"<tr>.*?</tr>", table, re.DOTALL)}) == 1
    assert EVIL in "".join(outline.text)


@pytest.mark.slow
def test_other_documents_as_markdown() -> None:
    truth, system = [EVIL, "b", "c", EVIL] * 9, [EVIL, "b", EVIL, "b"] * 9
    table = ifs.Contingency.from_labels(truth, system)
    harmless(ifs.evaluate({EVIL: table, "two": table}).to_markdown())
    harmless(ifs.compare({EVIL: table, "two": table}).to_markdown())
    harmless(annotators().to_markdown())  # type: ignore[attr-defined]
    harmless(label_sets().to_markdown())  # type: ignore[attr-defined]
    trackers = tracking.compare(STAGE.truth(), {EVIL: STAGE.broken(), "two": STAGE.missing(1)})
    harmless(trackers.to_markdown())


@given(st.text(max_size=40))
def test_markdown_shows_any_text_as_it_is(text: str) -> None:
    shown = " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
    page = rendered(escape_markdown(text))
    outline = Outline(page)
    assert {tag for tag, _ in outline.tags} <= {"p"}
    assert " ".join("".join(outline.text).split()) == shown

    cells = rendered(f"| a | b |\n| --- | --- |\n| {escape_markdown_cell(text)} | 1 |\n")
    assert {tag for tag, _ in Outline(cells).tags} <= {"table", "thead", "tbody", "tr", "th", "td"}
    assert cells.count("<td") == 2


@pytest.mark.parametrize("text", [*HOSTILE, "\x00\x1f\ud800"])
def test_escaped_text_is_valid_xml(text: str) -> None:
    from xml.etree import ElementTree

    parsed = ElementTree.fromstring(f'<a b="{escape(text)}">{escape(text)}</a>'.encode())
    if text.isprintable():
        assert parsed.text == parsed.attrib["b"] == text
    assert np.all([ord(sign) < 0xD800 or ord(sign) > 0xDFFF for sign in parsed.text or ""])
