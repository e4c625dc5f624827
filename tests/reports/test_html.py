"""The page and the notebook cells without a browser: whole, small, harmless, honest."""

import base64
import dataclasses
import hashlib
import json
import re
import zlib
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import polars
import pytest
from hypothesis import given, settings

from infoscope import Contingency, Evaluation, compare, evaluate
from infoscope.errors import InputError
from tests.api import draw_label, draw_table, element, place_in_coverage, rebuild_table
from tests.reports.pages import HOSTILE, as_html, hostile, plain, systems, typical
from tests.strategies import tables

VOID = {"meta", "img", "br", "hr", "input", "link"}


class Outline(HTMLParser):
    """Elements, attributes and ids of a page; complains about what is not closed."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.feed(page)
        assert not self.open, self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


@pytest.fixture(scope="module")
def page() -> str:
    return as_html(typical())


def embedded(page: str, name: str) -> Any:
    """Return the data that a page carries under a name."""
    (found,) = re.findall(rf'<script type="application/zlib\+base64" id="{name}">([^<]*)</script>', page)
    return unpacked(found)


def packed(page: str, style: str) -> list[Any]:
    """Return the data packed beside tables and images."""
    found = re.findall(rf'<script type="application/zlib\+base64" class="{style}">([^<]*)</script>', page)
    return [unpacked(each) for each in found]


def unpacked(text: str) -> Any:
    """Return the data that the page's code reads."""
    return json.loads(zlib.decompress(base64.b64decode(text)))


@pytest.mark.slow
def test_typical_page_is_small(page: str) -> None:
    assert len(page.encode()) < 300_000


@pytest.mark.slow
def test_page_is_well_formed_and_its_links_lead_somewhere(page: str) -> None:
    outline = Outline(page)
    ids = [attributes["id"] for _, attributes in outline.tags if "id" in attributes]
    links = [attributes["href"] for tag, attributes in outline.tags if tag == "a"]

    assert len(ids) - len(set(ids)) == _repeated_clips(outline)
    assert links
    for link in links:
        assert link is not None
        assert link.removeprefix("#") in ids, link


def _repeated_clips(outline: Outline) -> int:
    """Pictures of one kind and size may define the same clip under the same name."""
    clips = [attributes["id"] for tag, attributes in outline.tags if tag in ("clippath", "pattern")]
    return len(clips) - len(set(clips))


def test_page_refers_to_nothing_outside(page: str) -> None:
    for tag, attributes in Outline(page).tags:
        for name, value in attributes.items():
            if name in ("src", "href", "action", "data", "poster"):
                assert str(value).startswith(("#", "data:")), (tag, name, value)
    style = re.search(r"<style>(.*?)</style>", page, re.S)
    assert style is not None
    assert "url(" not in style[1]
    assert "@import" not in style[1]


def test_only_the_pages_own_code_may_run(page: str) -> None:
    scripts = re.findall(r"<script>(.*?)</script>", page, re.S)
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page)

    assert len(scripts) == 1
    assert policy is not None
    known = base64.b64encode(hashlib.sha256(scripts[0].encode()).digest()).decode()
    assert f"script-src 'sha256-{known}'" in policy[1]
    assert "default-src 'none'" in policy[1]


def test_essentials_are_text_before_any_code_runs(page: str) -> None:
    text = " ".join("".join(Outline(re.sub(r"<(script|style)\b.*?</\1>", "", page, flags=re.S)).text).split())

    assert "system 0 is right in" in text
    assert "Accuracy and the other conventional metrics are those of this sample." in text
    for system in typical().systems:
        assert system.title in text
    for name in ("Why: the costliest confusions", "By class", "Method and limits", "class 7"):
        assert name in text


def test_the_bar_of_the_page_says_shares_as_its_tiles_do(page: str) -> None:
    best = typical()["system 0"]
    captured, false = (best.metrics[name].shown for name in ("proficiency", "false_information_ratio"))

    assert captured is not None
    assert false is not None
    assert f"captured {captured:.1%}<" in page
    assert f"false {false:.1%}<" in page


def test_data_of_the_page_is_the_document(page: str) -> None:
    data = embedded(page, "data")["document"]
    again = Evaluation.from_dict(data)

    assert data["schema"] == "infoscope/evaluation/2"
    for mine, theirs in zip(again.systems, typical().systems, strict=True):
        assert mine.number("proficiency") == pytest.approx(theirs.number("proficiency"), rel=1e-5)
        assert len(mine.leaks) == len(theirs.leaks)


@pytest.mark.slow
def test_hostile_names_add_no_element_and_no_attribute() -> None:
    attacked, calm = Outline(as_html(hostile())), Outline(as_html(plain(systems(3, len(HOSTILE)))))

    assert {tag for tag, _ in attacked.tags} <= {tag for tag, _ in calm.tags} | {"ol"}
    assert sum(tag == "script" for tag, _ in attacked.tags) == sum(tag == "script" for tag, _ in calm.tags)
    for tag, attributes in attacked.tags:
        assert not any(name.startswith("on") for name in attributes), (tag, attributes)
    assert "\u202e" not in "".join(attacked.text)
    titles = [attributes.get("title") for _, attributes in attacked.tags]
    assert ("long " * 100).strip() in {str(title).strip() for title in titles}  # cut where it is shown


def test_long_names_are_cut_in_the_middle_and_kept_whole_in_the_title() -> None:
    shown = draw_label("a" * 40 + "b" * 40, 20)

    assert shown == f'<bdi title="{"a" * 40}{"b" * 40}">{"a" * 12}…{"b" * 7}</bdi>'
    assert element("td", "<x>", class_="n", hidden=False, data_at=3) == '<td class="n" data-at="3">&lt;x&gt;</td>'


@pytest.mark.slow
@settings(max_examples=40)
@given(tables())
def test_every_table_has_a_page(table: Contingency) -> None:
    Outline(as_html(plain({"a": table})))


@pytest.mark.slow
@settings(max_examples=60)
@given(tables(square=True))
def test_matrix_is_read_back_from_the_document(table: Contingency) -> None:
    evaluation = plain({"a": table})
    again = Evaluation.from_dict(json.loads(evaluation.to_json()))
    found = rebuild_table(again.systems[0])

    assert again.systems[0].table is None
    assert found is not None
    counts = np.asarray(table.counts, dtype=float)
    alone = ((counts > 0).sum(1) == 1) & ((counts > 0)[:, (counts > 0).argmax(1)].sum(0) == 1)
    if not (alone & (np.arange(len(counts)) != (counts > 0).argmax(1))).any():  # else equal sizes may change places
        np.testing.assert_allclose(np.asarray(found.counts), counts)


def test_page_of_a_read_document_has_the_same_matrix() -> None:
    evaluation = plain(systems(2, 6))
    again = Evaluation.from_dict(json.loads(evaluation.to_json()))

    def matrices(page: str) -> list[str]:
        return re.findall(r'<table class="cm.*?</table>', page, re.S)

    assert matrices(as_html(again)) == matrices(as_html(evaluation))


def test_covariance_follows_from_the_three_spreads() -> None:
    rng = np.random.default_rng(0)
    r, f = rng.multivariate_normal([0.3, 0.7], [[4e-4, -3e-4], [-3e-4, 5e-4]], 100_000).T
    evaluation = typical()
    system = evaluation.systems[0]
    names = {"false_information_ratio": r, "proficiency": f, "erroneous_information_ratio": 1 - f + r}
    metrics = dict(system.metrics)
    for name, draws in names.items():
        value = metrics[name]
        metrics[name] = dataclasses.replace(value, mean=float(draws.mean()), sd=float(draws.std()), low=0.0, high=1.0)
    spread = place_in_coverage([dataclasses.replace(system, metrics=metrics)])[0].spread

    assert spread is not None
    np.testing.assert_allclose(spread.covariance, np.cov(r, f), rtol=1e-3)


@pytest.mark.parametrize("unit", ["bits", "nats"])
def test_unit_changes_what_is_shown_not_the_data(unit: str) -> None:
    evaluation = evaluate({"a": Contingency.from_matrix([[30, 10], [10, 30]])})
    page = as_html(evaluation, unit=unit)

    shown = (evaluation["a"].shown("truth_entropy") or 0.0) * (1.0 if unit == "bits" else np.log(2.0))
    assert f"<td>{shown:.3f} {unit} (" in page
    assert embedded(page, "data")["document"]["systems"][0]["metrics"]["truth_entropy"]["value"] == 1.0


@pytest.mark.slow
def test_one_truth_class_is_said_not_drawn() -> None:
    page = as_html(evaluate({"a": Contingency.from_matrix([[5, 3]])}))

    assert "so there is no information to capture" in page
    assert "truth H(T)" not in page


def test_many_classes_are_pixels_and_a_list() -> None:
    page = as_html(plain(systems(1, 60, 3000)))
    cells = packed(page, "cells")[0]

    assert '<table class="cm' not in page
    assert "Largest confusions" in page
    assert sum(int(count) for count in cells["count"]) == 3060
    assert len(cells["filled"]) == 60
    ends = np.cumsum(cells["filled"])
    for at, end in enumerate(ends):
        row = slice(end - cells["filled"][at], end)
        counts, total = cells["count"][row], cells["total"][at]
        assert sum(int(count) for count in counts) == int(total)
        assert len(set(np.cumsum(cells["step"][row]))) == len(counts)
        for count in counts:
            assert float(cells["share"][total][count].rstrip("%")) == pytest.approx(
                100 * int(count) / int(total), abs=0.051
            )


def test_documents_of_other_kinds_have_a_page_too() -> None:
    """A tracker's document has no classes and other metrics."""
    bare = {"n": 50, "truth_labels": [], "system_labels": [], "reject": None, "metrics": {"mota": {"value": 0.7}}}
    tracker = bare | {"metrics": bare["metrics"] | {"proficiency": {"value": 0.8, "low": 0.75, "high": 0.85}}}  # type: ignore[operator]
    record = {
        "schema": Evaluation.schema(),
        "provenance": {},
        "systems": [tracker | {"name": "sort"}, bare | {"name": "other"}],
    }
    page = as_html(Evaluation.from_dict(record))

    Outline(page)
    assert "sort captures 80.0% (75.0 – 85.0) of the information" in re.sub("<[^>]+>", "", page)
    assert "<code>mota</code>" in page


def test_groups_are_points_of_their_own() -> None:
    evaluation = plain(systems(2, 4))
    grouped = dataclasses.replace(
        evaluation,
        systems=tuple(
            dataclasses.replace(system, name="net", group={"site": site})
            for system, site in zip(evaluation.systems, "AB", strict=True)
        ),
    )
    page = as_html(grouped)
    marks = re.findall(r'<circle class="[^"]*pt[^"]*"[^>]*data-of="([^"]+)"', page)

    Outline(page)
    assert set(marks) == {"net (site A)", "net (site B)"}
    assert "the least of 2 groups" in page


@pytest.mark.slow
def test_file_is_written_replaced_if_ours_and_else_rejected(tmp_path: Path) -> None:
    evaluation = evaluate({"a": Contingency.from_matrix([[3, 1], [0, 4]])})
    target = tmp_path / "report.html"

    assert evaluation.to_html(target) == target
    assert evaluation.to_html(target, unit="nats") == target
    assert "nats" in target.read_text()
    target.write_text("my notes")
    with pytest.raises(InputError, match="exists and is not a page of infoscope"):
        evaluation.to_html(target)
    assert target.read_text() == "my notes"
    evaluation.to_html(target, force=True)
    assert target.read_text().startswith("<!doctype html>")
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_places_that_cannot_be_written_are_named(tmp_path: Path) -> None:
    evaluation = evaluate({"a": Contingency.from_matrix([[3, 1], [0, 4]])})
    with pytest.raises(InputError, match="is a folder"):
        evaluation.to_html(tmp_path)
    with pytest.raises(InputError, match=r"cannot write .*: there is no folder"):
        evaluation.to_html(tmp_path / "none" / "a.html")


@pytest.mark.slow
def test_command_line_writes_pages(tmp_path: Path) -> None:
    from click.testing import CliRunner

    from tests.api import app

    (tmp_path / "m.csv").write_text(",a,b\na,8,2\nb,1,9\n")
    target = tmp_path / "page.html"
    command = ["evaluate", "--matrix", str(tmp_path / "m.csv"), "-o", str(target)]

    assert CliRunner().invoke(app, command).exit_code == 0
    assert target.read_text().startswith("<!doctype html>")
    assert CliRunner().invoke(app, command).exit_code == 0  # a page of ours may be replaced
    target.write_text("mine")
    rejected = CliRunner().invoke(app, command)
    assert rejected.exit_code == 2
    assert "exists already" in rejected.output + (rejected.stderr if rejected.stderr_bytes else "")
    shown = CliRunner().invoke(app, ["evaluate", "--matrix", str(tmp_path / "m.csv"), "--format", "html"])
    assert shown.output.startswith("<!doctype html>")


# ── what the scripts show ────────────────────────────────────────────────────────────────────────


@pytest.mark.slow
def test_page_of_a_hundred_classes_and_five_systems_stays_below_a_megabyte() -> None:
    assert len(as_html(plain(systems(5, 100, 20_000))).encode()) < 1_000_000


def test_rows_beyond_sixty_are_packed_as_python_writes_rows() -> None:
    page = as_html(plain(systems(1, 130, 4000)))
    table = re.search(r'<table class="classes tool".*?</table>', page, re.S)
    (rows,) = packed(page, "rows")

    assert table is not None
    assert table[0].count("<tr data-class=") == 60
    assert len(rows) == 70
    assert "The first 60 of 130 classes" in page
    names = re.findall(r'<tr data-class="(class \d+)"', table[0] + "".join(rows))
    assert sorted(names) == [f"class {at:03d}" for at in range(130)]
    costs = [float(text) for text in re.findall(r'class="n strong">([\d.]+)<', table[0] + "".join(rows))]
    assert costs == sorted(costs, reverse=True)
    for row in rows:
        Outline(row)


def test_shares_of_the_matrix_are_those_of_the_counts() -> None:
    table = next(iter(systems(1, 5, 400).values()))
    page = as_html(plain({"a": table}))
    (shares,) = embedded(page, "shares")
    order = re.findall(r'<tr><th scope="row" data-label="class (\d)">', page)
    counts = np.asarray(table.counts, dtype=float)[np.ix_([int(at) for at in order], [int(at) for at in order])]

    def numbers(texts: list[list[str]]) -> np.ndarray:
        return np.array([[0.0 if text == "·" else float(text.rstrip("%")) for text in line] for line in texts])

    np.testing.assert_allclose(numbers(shares["of_true"]), 100 * counts / counts.sum(1, keepdims=True), atol=0.051)
    np.testing.assert_allclose(numbers(shares["of_predicted"]), 100 * counts / counts.sum(0), atol=0.051)
    by_size, _ = shares["orders"]["by size"]
    assert list(counts.sum(1)[by_size]) == sorted(counts.sum(1), reverse=True)
    by_name, across = shares["orders"]["by name"]
    assert [order[at] for at in by_name] == [order[at] for at in across] == sorted(order)


@pytest.mark.slow
def test_every_choice_of_metric_shows_the_numbers_of_the_result() -> None:
    evaluation = typical()
    choices = embedded(as_html(evaluation), "choices")
    whole, true, predicted = choices["levels"]

    for at, (metric, *_) in enumerate(whole["metrics"]):
        texts, limits = whole["values"][at], whole["intervals"][at]
        for place, system in enumerate(evaluation.ranking):
            estimate = system.metrics[metric]
            assert texts[place] == "undefined" if estimate.shown is None else _says(texts[place], estimate.shown)
            if estimate.shown is not None and estimate.low is not None:
                low, high = limits[place].partition(";")[0].split(" – ")  # the sample's value may follow
                assert _says(low, estimate.low)
                assert _says(high, estimate.high)
    captured = [metric for metric, *_ in whole["metrics"]].index("proficiency")
    _, _, verdicts = whole["gaps"][captured]
    assert verdicts == ["best", "worse", "worse", "worse", "worse"]
    for side, items in ((true, "classes"), (predicted, "outputs")):
        at = [metric for metric, *_ in side["metrics"]].index("precision")
        assert side["metrics"][at][2:] == [False, "%"]
        for place, system in enumerate(evaluation.ranking):
            for item in getattr(system, items):
                text = side["values"][at][place * len(side["labels"]) + side["labels"].index(item.label)]
                assert _says(text, item.values["precision"].shown)


def _says(text: str, value: float) -> bool:
    """Return True if a text states a number to the digits it has, as a share or as it is."""
    number = float(text.split(maxsplit=1)[0].rstrip("%").replace(",", "").replace("−", "-"))
    return any(number == pytest.approx(scale * value, rel=6e-4, abs=0.051 * scale / 100) for scale in (1.0, 100.0))


# ── notebooks ────────────────────────────────────────────────────────────────────────────────────


def test_cells_survive_untrusted_notebooks_and_are_light() -> None:
    evaluation = typical()
    table = next(iter(systems(1, 10).values()))
    for cell in (evaluation._repr_html_(), table._repr_html_(), hostile()._repr_html_()):
        tags = {tag for tag, _ in Outline(cell).tags}
        assert not tags & {"script", "style", "svg", "link", "iframe"}
        assert len(cell) < 22_000  # a hundred cells stay near two megabytes


def test_large_and_batched_tables_are_told_in_words() -> None:
    large = next(iter(systems(1, 300).values()))
    batch = Contingency.from_matrix(np.ones((3, 2, 2)))

    assert "300 true × 300 predicted classes" in large._repr_html_()
    assert "batch (3,)" in batch._repr_html_()
    assert len(large._repr_html_()) < 5000


def test_comparison_shows_itself_with_its_numbers() -> None:
    tables = {
        "<svm>": Contingency.from_matrix([[45, 5], [3, 47]]),
        "knn": Contingency.from_matrix([[30, 20], [20, 30]]),
    }
    comparison = compare(tables)
    cell = comparison._repr_html_()

    Outline(cell)
    assert "is better than" in re.sub("<.*?>", "", cell)
    assert "92.0%" in cell
    assert "&lt;svm&gt;" in cell
    Outline(comparison.to_html())
    assert len(cell) < 20_000


def answered(n: int = 400) -> Evaluation:
    """Three systems on the same rows: a good one, one a hair behind, a poor one."""
    rng = np.random.default_rng(8)
    truth = rng.integers(0, 3, n)
    good = np.where(rng.random(n) < 0.9, truth, (truth + 1) % 3)
    near = good.copy()
    right, wrong = np.flatnonzero(good == truth)[:4], np.flatnonzero(good != truth)[:3]
    near[right], near[wrong] = (truth[right] + 1) % 3, truth[wrong]
    poor = np.where(rng.random(n) < 0.5, truth, rng.integers(0, 3, n))
    frame = polars.DataFrame({"truth": truth, "good": good, "near": near, "poor": poor})
    return evaluate(frame, truth="truth", system=["good", "near", "poor"])


def forest_rows(page: str) -> dict[str, list[str]]:
    table = re.search(r'<table class="forest.*?</table>', page, re.S)
    assert table is not None
    rows = re.findall(r"<tr[ >].*?</tr>", table[0], re.S)
    cells = [
        [unescape(re.sub("<[^>]+>", "", cell)) for cell in re.findall(r"<t[hd].*?</t[hd]>", row, re.S)] for row in rows
    ]
    return {row[0]: row for row in cells}


@pytest.mark.slow
def test_comparison_tells_difference_probability_and_verdict_of_captured_information() -> None:
    evaluation = answered()
    found = forest_rows(as_html(evaluation))
    assert evaluation.comparison is not None
    pairs = {(pair.a, pair.b): pair for pair in evaluation.comparison.pairs if pair.metric == "proficiency"}

    assert found["system"][4:7] == ["difference", "P(better)", "verdict"]
    assert found["good"][4:7] == ["", "", "highest"]  # near may be as good
    for name in ("near", "poor"):
        pair = pairs["good", name]
        shown, half = found[name][4].replace("−", "-").split(" ±")
        assert float(shown) == pytest.approx(-100 * pair.estimate.mean, abs=0.051)
        assert float(half) == pytest.approx(50 * (pair.estimate.high - pair.estimate.low), abs=0.051)
    assert found["near"][6] == "inconclusive"
    behind = 1 - pairs["good", "near"].probability_a_better
    assert float(found["near"][5].rstrip("%")) == pytest.approx(100 * behind, abs=0.051)
    assert found["poor"][5:7] == ["<0.1%", "worse"]


@pytest.mark.slow
def test_verdict_is_the_comparisons_own() -> None:
    evaluation = answered()
    assert evaluation.comparison is not None
    pairs = tuple(dataclasses.replace(pair, verdict="equivalent") for pair in evaluation.comparison.pairs)
    changed = dataclasses.replace(evaluation, comparison=dataclasses.replace(evaluation.comparison, pairs=pairs))

    assert forest_rows(as_html(changed))["poor"][6] == "equivalent"


@pytest.mark.slow
def test_the_best_is_significantly_better_than_all_others() -> None:
    evaluation = answered()
    assert evaluation.comparison is not None
    words = {}
    for significant in (True, False):
        pairs = tuple(
            dataclasses.replace(pair, verdict="better" if pair.a == "good" else "worse", significant=significant)
            for pair in evaluation.comparison.pairs
        )
        changed = dataclasses.replace(evaluation, comparison=dataclasses.replace(evaluation.comparison, pairs=pairs))
        rows = forest_rows(as_html(changed))
        words[significant] = [rows[name][6] for name in ("good", "near", "poor")]

    assert words[True] == ["best", "worse", "worse"]
    assert words[False] == ["highest", "not significant", "not significant"]


def test_tables_that_were_not_compared_have_no_empty_columns_named() -> None:
    found = forest_rows(as_html(plain(systems(2, 4))))

    assert found["system"][4:7] == ["", "", ""]
    assert found["system 1"][4:6] == ["", ""]


@pytest.mark.slow
def test_page_says_level_method_and_samples_that_would_help() -> None:
    evaluation = answered()
    page = as_html(evaluation)
    made = evaluation.systems[0].interval_method

    assert made is not None
    assert made.samples_to_halve is not None
    alike = re.escape(made.text).replace(re.escape(f"{made.samples_to_halve:,}"), r"[\d,]+(?: to [\d,]+)?")
    assert re.search(rf"<li>{alike}\.</li>", page)


@pytest.mark.slow
def test_every_link_inside_the_page_leads_somewhere() -> None:
    for evaluation in (answered(), evaluate({"a": Contingency.from_matrix([[5]])})):
        outline = Outline(as_html(evaluation))
        ids = {found.get("id") for _, found in outline.tags}
        links = {str(found["href"]) for tag, found in outline.tags if tag == "a"}
        known = {link for link in links if link[1:] in ids}

        assert {link for link in links if not link.startswith("#def-")} <= known


def test_counts_of_six_digits_are_short_in_cells_and_whole_on_demand() -> None:
    table = Contingency.from_matrix([[533_210, 1_204], [99_999, 2_040_000]], truth=["a", "b"], system=["a", "b"])
    page = evaluate({"log": table}).to_html()
    assert ">533k<" in page
    assert 'data-count="533,210"' in page
    assert ">1,204<" in page
    assert ">99,999<" in page
    assert ">2.04M<" in page


def test_numbers_of_a_cell_do_not_wrap_and_words_may() -> None:
    table = draw_table(["metric", "interval", "note"], [["captured share", "75.2 – 80.7", "not given"]])
    assert "75.2\N{NO-BREAK SPACE}–\N{NO-BREAK SPACE}80.7" in table
    assert "captured share" in table
    assert "not given" in table
