"""Pages of operating points, settings and comparisons in a real browser, by mouse, keyboard and without code."""

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.browser.conftest import violations
from tests.browser.test_page import PHONE, WINDOWS
from tests.reports.pages import HOSTILE, certainties, comparison, scores, settings
from tests.results.examples import EXAMPLES

PAGES = ["threshold", "rejections", "settings", "hostile comparison", "groups", *EXAMPLES]


@pytest.mark.parametrize("window", WINDOWS, ids=["desktop", "dark phone"])
@pytest.mark.parametrize("name", PAGES)
def test_page_opens_fits_and_is_accessible(visit: Any, name: str, window: dict[str, Any]) -> None:
    page = visit(name, **window)

    assert page.evaluate("document.documentElement.scrollWidth") == (390 if window else 1280)
    assert page.evaluate("window.hacked") is None
    assert page.locator("h1").count() == 1
    assert violations(page) == []


@pytest.mark.parametrize("name", ["rejections", "settings", "hostile comparison"])
def test_without_code_words_and_tables_are_there(visit: Any, name: str) -> None:
    page = visit(name, java_script_enabled=False, folded=True)

    assert len(page.inner_text("header")) > 150
    assert page.locator("table:visible tbody tr").count() >= 3
    assert page.locator("#slider:visible, #theme:visible, #downloads:visible").count() == 0
    page.locator("summary", has_text="Method and limits").click()
    assert "infoscope" in page.inner_text("#method")


def test_slider_shows_what_python_computed(visit: Any) -> None:
    curve = certainties()
    rejected = np.asarray(curve.values("rejection_rate"))
    page = visit("rejections")
    page.locator("#slider").focus()
    page.keyboard.press("Home")
    assert page.inner_text("#shown") == "0%"
    seen = []
    for key in ("PageUp", "PageUp", "ArrowRight", "End"):
        page.keyboard.press(key)
        numbers = {
            name: page.inner_text(f"[data-metric={name}]")
            for name in ("rejection_rate", "accepted_accuracy", "proficiency")
        }
        point = int(np.argmin(np.abs(rejected - _share(numbers["rejection_rate"]) / 100)))
        seen.append(rejected[point])
        assert _share(numbers["rejection_rate"]) == pytest.approx(100 * rejected[point], abs=0.051)
        assert _share(numbers["proficiency"]) == pytest.approx(100 * curve.values("proficiency")[point], abs=0.051)
        right = curve.values("accepted_accuracy")[point]
        if np.isnan(right):
            assert numbers["accepted_accuracy"] == "–"
        else:
            assert _share(numbers["accepted_accuracy"]) == pytest.approx(100 * right, abs=0.051)
        assert page.locator("#slider").get_attribute("aria-valuetext") == numbers["rejection_rate"]
        assert numbers["proficiency"] in page.inner_text("#point-summary")
    assert seen == sorted(seen)
    assert seen[-1] == 1.0
    assert "nothing is accepted" in page.inner_text("#point-summary")
    page.click("#back")
    best = curve.best(resamples=20)
    assert _share(page.inner_text("[data-metric=proficiency]")) == pytest.approx(100 * best.value, abs=0.051)


def _share(text: str) -> float:
    return float(text.rstrip("%"))


def test_marks_move_with_the_slider_and_lead_it(visit: Any) -> None:
    page = visit("threshold")

    def marks() -> list[str]:
        return list(page.locator(".now circle").evaluate_all("all => all.map(c => c.getAttribute('cx'))"))

    before = marks()
    page.locator("#slider").focus()
    page.keyboard.press("PageUp")
    assert all(new != old for new, old in zip(marks()[:1] + marks()[4:], before[:1] + before[4:], strict=True))
    chart = page.locator("figure:has([data-chart='0']) svg")
    chart.scroll_into_view_if_needed()
    box = chart.bounding_box()
    page.mouse.click(box["x"] + 0.5 * box["width"], box["y"] + 0.4 * box["height"])
    middle = float(page.locator(".now line").get_attribute("x1"))
    assert middle == pytest.approx(340.0, abs=12.0)  # half of the picture's 680
    row = page.locator(".points tbody tr").nth(3)
    row.locator(".pick").focus()
    page.keyboard.press("Enter")
    assert page.inner_text("#shown") == row.locator("th").inner_text()
    assert page.locator(".points tr.sel").count() == 1


def test_threshold_page_names_the_class_as_text(visit: Any) -> None:
    page = visit("threshold")

    assert HOSTILE[1] in page.inner_text("h1")
    assert page.locator("h1 img").count() == 0


@pytest.mark.parametrize("name", ["threshold", "rejections"])
def test_every_point_can_be_saved(visit: Any, name: str, tmp_path: Path) -> None:
    curve = {"threshold": scores, "rejections": certainties}[name]()
    found = _saved(visit(name), tmp_path)

    assert len(found) == len(curve)
    np.testing.assert_allclose([float(row["proficiency"]) for row in found], curve.values("proficiency"), rtol=1e-5)


def _saved(page: Any, folder: Path) -> list[dict[str, str]]:
    with page.expect_download() as waiting:
        page.locator("#downloads button", has_text="CSV").first.click()
    waiting.value.save_as(folder / "saved.csv")
    return list(csv.DictReader(io.StringIO((folder / "saved.csv").read_text(encoding="utf-8"))))


def test_settings_are_found_sorted_and_saved(visit: Any, tmp_path: Path) -> None:
    page = visit("settings")
    page.get_by_role("button", name="seconds ↕", exact=True).click()
    assert page.locator("table.values tbody th").first.inner_text() == "16"
    assert page.locator(".tools").count() == 0  # five rows are seen at a glance
    found = _saved(page, tmp_path)
    assert [row["depth"] for row in found] == ["1", "2", "4", "8", "16"]
    np.testing.assert_allclose([float(row["seconds"]) for row in found], settings().against, rtol=1e-6)


def test_comparison_is_sorted_searched_copied_and_saved(visit: Any, tmp_path: Path) -> None:
    page = visit("hostile comparison", folded=True)
    page.evaluate("navigator.clipboard.writeText = text => { window.copied = text; return Promise.resolve(); }")
    first = page.locator(".forest").first
    first.locator(".sort", has_text="erroneous information ratio").click()
    values = [float(text) for text in first.locator("tbody td:nth-child(3)").all_inner_texts()]
    assert values == sorted(values, reverse=True)
    page.locator("summary", has_text="pairs").click()
    page.get_by_role("button", name="copy as Markdown").click()  # the systems are three rows, the pairs nine
    lines = page.evaluate("window.copied").split("\n")
    assert len(lines) == 2 + 9
    assert "verdict" in lines[0]
    page.locator("details:has(summary:text('pairs')) input[type=search]").fill("good")
    assert page.locator("details:has(summary:text('pairs')) tbody tr:visible").count() == 6
    found = _saved(page, tmp_path)
    assert len(found) == len(comparison().pairs)
    np.testing.assert_allclose(
        [float(row["difference"]) for row in found], [pair.estimate.shown for pair in comparison().pairs], rtol=1e-5
    )


def test_definitions_are_one_click_away(visit: Any) -> None:
    page = visit("hostile comparison")
    page.locator("header .term", has_text="captured information").click()
    page.wait_for_function("document.querySelector('#definitions').open")

    assert page.locator("#def-proficiency").is_visible()


def test_systems_that_cannot_be_told_apart_share_a_letter_and_a_bar(visit: Any) -> None:
    page = visit("hostile comparison")
    rows = page.locator(".forest:has(.groups)").first.locator("tbody tr")
    letters = {row.locator("th").inner_text(): row.locator(".groups").inner_text() for row in rows.all()}
    others = [name for name in letters if name not in ("good", "poor")]

    assert letters["good"] == letters[others[0]] != letters["poor"]
    tops = rows.locator(".alike").evaluate_all(
        "all => all.map(s => [s.getBoundingClientRect().top, s.getBoundingClientRect().bottom])"
    )
    assert tops[0][1] == pytest.approx(tops[1][0], abs=1.5)  # the bar goes on without a gap


@pytest.mark.parametrize("name", ["threshold", "hostile comparison"])
def test_theme_and_print(visit: Any, name: str, tmp_path: Path) -> None:
    page = visit(name)
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    page.click("#theme")
    assert page.evaluate(ground) != light
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("#method li").first.is_visible()
    assert page.locator("#theme, #slider, .tools").locator("visible=true").count() == 0
    page.pdf(path=tmp_path / "page.pdf", format="A4")
    assert (tmp_path / "page.pdf").stat().st_size > 20_000


def test_groups_tell_differences_within_each(visit: Any) -> None:
    page = visit("groups")

    def marked(title: str) -> list[str]:
        return page.locator(f".forest tr[data-of='{title}'] td").all_inner_texts()[3:6]

    assert marked("system 0 (site east)")[2] == marked("system 0 (site west)")[2] == "best of its group"
    before = marked("system 2 (site west)")
    assert before[0].startswith("−")
    assert before[1:] == ["<0.1%", "worse"]
    page.select_option("#metric", "erroneous_information_ratio")
    assert marked("system 2 (site west)")[0].startswith("+")
    page.select_option("#metric", "proficiency")
    assert marked("system 2 (site west)") == before
    assert "600 samples in 2 groups" in page.inner_text(".kicker")


def test_wide_tables_scroll_on_a_phone_and_say_so(visit: Any) -> None:
    page = visit("typical", **PHONE)
    box = page.locator(".scroll:has(.forest)")
    hint = page.locator(".swipe:has(+ .scroll .forest)")
    assert hint.is_visible()
    verdict = page.locator(".forest td.verdict").nth(1)
    interval = page.locator(".forest tbody tr").nth(1).locator("td.interval").bounding_box()
    assert interval["x"] + interval["width"] <= verdict.bounding_box()["x"] + 1  # nothing lies on it
    assert verdict.bounding_box()["x"] + verdict.bounding_box()["width"] <= 391
    cell = page.locator(".forest tbody tr").nth(1).locator("td").nth(7)
    before = cell.bounding_box()["x"]
    box.evaluate("b => { b.scrollLeft = b.scrollWidth; }")
    after = cell.bounding_box()
    assert before > 390
    assert after["x"] + after["width"] <= 391
    assert re.fullmatch(r"[\d.]+%", cell.inner_text())
    assert page.locator(".forest tbody th").nth(1).bounding_box()["x"] == pytest.approx(15, abs=2)  # names stay


def test_brush_over_the_heat_map_lights_its_classes_in_the_table(visit: Any) -> None:
    page = visit("typical")
    article = page.locator("article:visible")
    labels = article.locator(".cm tbody th").evaluate_all("all => all.map(n => n.dataset.label)")
    rows = article.locator(".cm tbody tr")
    rows.nth(3).scroll_into_view_if_needed()
    start, end = (rows.nth(at).locator("td").nth(to).bounding_box() for at, to in ((1, 1), (3, 2)))
    page.mouse.move(start["x"] + 9, start["y"] + 9)
    page.mouse.down()
    page.mouse.move(end["x"] + 9, end["y"] + 9, steps=6)
    page.mouse.up()

    assert article.locator(".cm td.lit").count() == 3 * 2
    lit = set(article.locator(".classes tr.lit").evaluate_all("all => all.map(n => n.dataset.class)"))
    assert lit == set(labels[1:4])
    page.keyboard.press("Escape")
    assert page.locator(".lit").count() == 0


def test_a_class_of_the_heat_map_leads_to_its_comparison_and_a_system_to_the_maps(visit: Any) -> None:
    page = visit("typical")
    page.select_option("#system-select", "system 2")
    assert page.locator(".map .pt.sel").first.get_attribute("data-of") == "system 2"
    article = page.locator("article:visible")
    article.locator(".cm thead th[data-label='class 6']").click()
    article.get_by_role("button", name="compare the systems on class 6").click()
    assert "recall of class 6" in page.inner_text("#compare-note")
    shown = page.locator(".forest tr[data-of='system 2'] td:nth-child(3)").inner_text()
    assert shown == article.locator(".classes tr[data-class='class 6'] td:nth-child(3)").inner_text()


def test_every_number_can_be_saved_as_csv(visit: Any, tmp_path: Path) -> None:
    page = visit("typical")
    found = _saved(page, tmp_path)
    data = json.loads(page.evaluate("JSON.stringify([...document.querySelectorAll('.forest tbody tr')].length)"))
    picked = [row for row in found if row["metric"] == "proficiency" and row["level"] == "all classes"]

    assert len(picked) == data == 5
    assert all(float(row["low"]) < float(row["value"]) < float(row["high"]) for row in picked)
    assert {row["label"] for row in found if row["level"] == "true class"} == {f"class {at}" for at in range(10)}


def test_hover_lights_a_system_everywhere_and_the_keyboard_reaches_classes(visit: Any) -> None:
    page = visit("typical")
    page.locator(".forest tr[data-of='system 1'] td").nth(1).hover()
    lit = page.locator(".hov").evaluate_all("all => [...new Set(all.map(n => n.dataset.of))]")
    assert lit == ["system 1"]
    assert page.locator(".map .pt.hov").count() >= 3
    page.locator("article:visible h3").first.hover()
    assert page.locator(".hov").count() == 0
    article = page.locator("article:visible")
    article.locator(".classes .pick").nth(2).focus()
    page.keyboard.press("Enter")
    name = article.locator(".classes tbody th").nth(2).inner_text()
    assert article.locator(".cm th.lit").first.get_attribute("data-label") == name
    assert page.locator("#announcement").text_content() == f"Class {name}"
