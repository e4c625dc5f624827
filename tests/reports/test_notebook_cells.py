"""Cells of a notebook: words start left, numbers end right, and the headline keeps whole names."""

import re
from dataclasses import replace

import numpy as np
import pytest

import infoscope as ifs
from infoscope import ComparisonDisplay
from tests.api import MAX_PICTURE, Column, Figure, ForestRow, Outline, Section, Table, render_notebook
from tests.results.examples import EXAMPLES, example


def alignments(cell: str, heading: str) -> list[str]:
    """Return the alignment of the cells below a heading."""
    for table in re.findall(r"<table.*?</table>", cell, flags=re.DOTALL):
        head, *rows = re.findall(r"<tr>.*?</tr>", table, flags=re.DOTALL)
        titles = [re.sub("<.*?>", "", each) for each in re.findall(r"<th.*?</th>", head, flags=re.DOTALL)]
        if heading in titles:
            at = titles.index(heading)
            return [re.findall(r'<td style="text-align:(\w+)', row)[at] for row in rows]
    raise AssertionError(heading)


def test_conditions_of_a_gate_start_left() -> None:
    cell = example("gate")._repr_html_()
    for heading in ("system", "required"):
        assert set(alignments(cell, heading)) == {"left"}


def test_numbers_end_right_and_verdicts_start_left() -> None:
    cell = example("comparison")._repr_html_()
    assert set(alignments(cell, "accuracy")) == {"right"}
    assert set(alignments(cell, "verdict")) == {"left"}


def test_the_headline_of_a_comparison_keeps_whole_names() -> None:
    truth = np.arange(200) % 4
    name = "gradient_boosting_with_early_stopping_42"
    cell = ifs.compare(truth, {name: truth, "dummy": np.zeros(200, dtype=int)})._repr_html_()
    headline = re.search(r"<b>(.*?)</b>", cell)
    assert headline is not None
    assert name in headline.group()


@pytest.mark.parametrize("kind", EXAMPLES)
def test_no_link_leads_nowhere(kind: str) -> None:
    assert 'href="#' not in example(kind)._repr_html_()


def test_intervals_do_not_wrap_at_their_dash() -> None:
    cell = example("evaluation")._repr_html_()
    (interval,) = set(re.findall(r"<td style=\"([^\"]*)\">[0-9.]+\xa0–\xa0", cell))
    assert "white-space:nowrap" in interval


def test_a_tall_picture_beside_a_table_is_folded() -> None:
    tall = replace(
        ComparisonDisplay([ForestRow(f"s{at}", 0.5) for at in range(4)], "x").panel(), height=MAX_PICTURE + 1
    )
    table = Table([Column("system", "name"), Column("x")], [("s", "1")])
    section = Section("Rows", [Figure(tall), table, Section("Only on pages", [table], only="page")], "rows")
    cell = render_notebook(Outline(title="x", kicker=("x",), headline="x.", sections=[section]))
    assert "<summary>picture</summary><img" in cell
    assert "Only on pages" not in cell
    small = replace(section, blocks=[Figure(replace(tall, height=100.0)), table])
    assert "<summary>picture" not in render_notebook(Outline(title="x", kicker=("x",), headline="x.", sections=[small]))
