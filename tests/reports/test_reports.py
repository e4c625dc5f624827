"""Text at every width, Markdown and JSON of one document."""

import json
import re
from functools import cache

import numpy as np
import polars as pl
import pytest
from rich.cells import cell_len
from rich.text import Text

import infoscope as ifs
from infoscope import Contingency, Evaluation, evaluate
from tests.api import (
    ASCII,
    UNICODE,
    Look,
    Result,
    TextColumn,
    colour_lines,
    draw_information_bar,
    lay_out_columns,
    make_outline,
    render_text,
    wrap_after_lead,
    write_lines,
)

NAMES = ["猫", "a very long class name that nobody should ever use", "dog", "tab\there", "|pipe|"]


@cache
def evaluation(systems: int = 1) -> Evaluation:
    rng = np.random.default_rng(3)
    tables = {}
    for at in range(systems):
        counts = rng.integers(0, 9, (5, 5)) + np.diag(rng.integers(100, 12000, 5))
        tables[f"system {at} 模型"] = Contingency.from_matrix(counts, truth=NAMES, system=NAMES)
    return evaluate(tables)


def as_text(result: Result, *, width: int = 100, unit: str = "bits", full: bool = False) -> str:
    return result.to_text(width=width, unit=unit, full=full)


NUMBERS = re.compile(r"(?<![\w.])[+-]?\d[\d,]*\.?\d*(?:e-?\d+)?%?(?![\w.])")


@pytest.mark.parametrize("systems", [1, 4])
@pytest.mark.parametrize("width", [60, 70, 80, 100, 120, 149, 150, 160, 200])
def test_no_line_is_wider_than_the_terminal(width: int, systems: int) -> None:
    for line in as_text(evaluation(systems), width=width).splitlines():
        assert cell_len(line) <= width, line


@pytest.mark.parametrize("systems", [1, 4])
def test_numbers_are_whole_or_absent(systems: int) -> None:
    document = evaluation(systems)
    everything = set(NUMBERS.findall(as_text(document, width=200)))

    for width in (60, 80, 100):
        shown = set(NUMBERS.findall(as_text(document, width=width)))
        assert shown <= everything


def test_wide_labels_keep_columns_aligned() -> None:
    lines = as_text(evaluation(), width=120, full=True).splitlines()
    start = next(at for at, line in enumerate(lines) if line.strip().startswith("class "))
    edge = cell_len(lines[start])

    assert all(cell_len(line) == edge for line in lines[start + 1 : start + 6])


def test_text_has_the_parts_in_order() -> None:
    text, full = as_text(evaluation()), as_text(evaluation(), full=True)
    first = ["is right in", "5 classes", "95% interval", "macro F1", "Confusions that cost most"]
    folded = ["Classes", "missed ", "By class", "All ", "note 95%"]

    for document, parts in ((text, [*first, "more: -v"]), (full, [*first, *folded])):
        places = [document.index(part) for part in parts]
        assert places == sorted(places)
    assert not any(part in text for part in folded[1:])
    assert "more: -v" not in full


def test_the_first_screen_has_no_word_that_needs_a_paper() -> None:
    """Everything that only readers of the papers know is folded."""
    words = ("erroneous", "classes left", "spread", "ambiguity", "S_I", "prior tree", "posterior", "permuted", "cost:")
    for systems in (1, 4):
        text = as_text(evaluation(systems))
        assert [word for word in words if word in text] == []
        assert len(text.splitlines()) < 40
        assert len(re.findall("^  → ", text, re.M)) <= 3


@pytest.mark.slow
def test_several_systems_are_ranked_by_what_they_capture() -> None:
    perfect = Contingency.from_matrix(np.diag([30, 30, 30]))
    voter = Contingency.from_matrix([[0, 0, 30], [0, 0, 30], [0, 0, 30]])
    text = as_text(evaluate({"voter": voter, "perfect": perfect}), full=True)

    assert text.index("perfect") < text.index("voter")
    assert "always one class" in text


def test_ascii_terminal_gets_ascii_only() -> None:
    text = render_text(make_outline(evaluation()), Look(signs=ASCII, max_rows=0))

    assert text.isascii()
    assert "\\u732b" in text


def test_control_characters_never_reach_the_terminal() -> None:
    table = Contingency.from_labels(["a\x1b[31m", "b\nc"] * 9, ["a\x1b[31m", "b\nc"] * 9)
    text = as_text(evaluate({"evil\x1b]0;x\x07": table}))

    assert "\x1b" not in text
    assert "\x07" not in text
    assert "b\\nc" in text


def test_rich_markup_in_labels_is_plain_text() -> None:
    table = Contingency.from_labels(["[b]x[/b]", "y"] * 9, ["[b]x[/b]", "y"] * 9)

    assert "[b]x[/b]" in as_text(evaluate(table))


def test_colour_and_bold_only() -> None:
    lines = write_lines(make_outline(evaluation()), Look(max_rows=0))

    assert "\x1b[34m" in colour_lines(lines, 100, bold_only=False) or "34m" in colour_lines(lines, 100, bold_only=False)
    plain = colour_lines(lines, 100, bold_only=True)
    assert "\x1b[1m" in plain
    assert not re.search(r"\x1b\[[0-9;]*3[0-7]m", plain)


def test_unit_changes_text_and_markdown_but_not_json() -> None:
    coin = evaluate(Contingency.from_matrix([[50, 0], [0, 50]]))

    bits = coin["system"].shown("truth_entropy") or 0.0
    assert 0.95 < bits <= 1.0
    assert f"{bits:.3f} bits" in as_text(coin, full=True)
    assert f"{bits * np.log(2):.3f} nats" in as_text(coin, unit="nats", full=True)
    assert f"{bits * np.log(2):.3f} nats" in coin.to_markdown(unit="nats", full=True)
    assert json.loads(coin.to_json())["systems"][0]["metrics"]["truth_entropy"]["value"] == 1.0


def test_undefined_is_said_with_the_reason() -> None:
    text = as_text(evaluate({"lone": Contingency.from_matrix([[9, 1], [0, 0]])}))

    words = " ".join(text.split())
    assert "All samples have the true class '0', so there is no information to capture; lone is right in 90.0%" in words
    for bits in ("bits", "captured", "truth 0", "█", "▒"):
        assert bits not in text
    assert "nan" not in text


@pytest.mark.slow
def test_markdown_escapes_labels_and_has_whole_tables() -> None:
    text = evaluation(2).to_markdown()

    assert "\\|pipe\\|" in text
    tables = [block for block in text.split("\n\n") if block.startswith("|")]
    for table in tables:
        bars = {len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}
        assert len(bars) == 1


def test_clusters_have_a_table_for_each_side() -> None:
    text = as_text(evaluate(Contingency.from_labels(["a", "b"] * 20, ["x", "y"] * 20)), full=True)

    assert "By true class" in text
    assert "By predicted class" in text
    assert "'x' as 'a'" in text


@pytest.mark.parametrize("captured", [0.0, 1e-9, 0.5, 1 - 1e-9, 1.0])
@pytest.mark.parametrize("false", [0.0, 1e-9, 0.4, 7.0])
def test_ledger_is_drawn_to_scale(captured: float, false: float) -> None:
    bar, words = draw_information_bar(captured, false, 56, UNICODE)

    assert cell_len(bar.plain) == 56
    assert cell_len(words.plain) <= 56
    assert ("▒" in bar.plain) == (captured < 1)
    assert ("█" in bar.plain) == (captured > 0)
    assert ("░" in bar.plain) == (false > 0)


def test_columns_go_by_priority_and_names_are_cut_last() -> None:
    parts = [
        TextColumn("name", [Text("x" * 30)], least=10),
        TextColumn("less", [Text("123456")], priority=1),
        TextColumn("more", [Text("654321")], priority=2),
    ]

    assert lay_out_columns(parts, 60, UNICODE, header=False)[0].plain.endswith("123456  654321")
    assert lay_out_columns(parts, 26, UNICODE, header=False)[0].plain == "xxxxx…xxxx  123456  654321"
    narrow = lay_out_columns(parts, 18, UNICODE, header=False)[0].plain
    assert narrow == "xxxxx…xxxx  654321"
    assert lay_out_columns(parts, 18, ASCII, header=False)[0].plain == "xxxxx~xxxx  654321"


def test_minor_columns_go_before_a_name_of_ordinary_length_is_cut() -> None:
    parts = [
        TextColumn("system", [Text("gradient_boosting_v3")], least=8, readable=24),
        TextColumn("mean", [Text("59.2%")], right=True),
        TextColumn("verdict", [Text("inconclusive")], priority=8),
        TextColumn("P(best)", [Text("62.8%")], right=True, priority=3),
    ]

    assert [lay_out_columns(parts, width, UNICODE)[1].plain for width in (51, 41, 39, 30)] == [
        "gradient_boosting_v3  59.2%  inconclusive    62.8%",
        "gradient_boosting_v3  59.2%  inconclusive",
        "gradient_boosting_v3 59.2% inconclusive",
        "grad…g_v3  59.2%  inconclusive",
    ]


def test_wrapping_counts_wide_characters_as_two() -> None:
    lines = wrap_after_lead("漢字 " * 20, 30, Text("! "))

    assert all(cell_len(line.plain) <= 30 for line in lines)
    assert len(lines) > 1


@pytest.mark.slow
def test_a_long_class_name_does_not_hide_its_partner() -> None:
    names = ["y" * 70, "東京都渋谷区", "cat"]
    table = Contingency.from_matrix([[20, 5, 3], [4, 20, 0], [3, 0, 20]], truth=names, system=names)
    for width in (60, 100):
        lines = evaluate(table).to_text(width=width).splitlines()
        pairs = [line for line in lines if re.search(r" \d+ +\d\d\.\d$", line)]
        assert len(pairs) == 2
        assert any("cat" in line for line in pairs)
        assert any("渋谷区" in line for line in pairs)


@pytest.mark.slow
def test_many_groups_of_systems_alike_are_counted_not_listed() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 300)
    answers = {
        f"s{at:02}": np.where(rng.random(300) < 0.35 + 0.03 * at, truth, rng.integers(0, 3, 300)) for at in range(16)
    }
    result = evaluate(pl.DataFrame({"truth": truth, **answers}), truth="truth", system=list(answers))
    whole, cut = result.to_text(full=True), result.to_markdown(full=True)

    assert whole.count("do not differ significantly") > 4
    assert cut.count("do not differ significantly") == 4
    assert "more groups of neighbours" in cut


def test_bars_give_way_before_names_and_columns() -> None:
    """At a width where only long bars and the sample's values would not fit, every name and other column stays."""
    truth = ["benign"] * 60 + ["malignant"] * 40
    predicted = ["benign"] * 55 + ["malignant"] * 45
    wide, narrower = (as_text(ifs.evaluate(truth, predicted), width=width, full=True) for width in (140, 108))
    heads = [
        next(line for line in text.splitlines() if "ambiguity" in line and "cost" in line) for text in (wide, narrower)
    ]
    assert heads[0].replace("in sample", "").split() == heads[1].split()
    assert "  malignant  " in narrower
    assert "…" not in narrower.partition("All ")[0]
