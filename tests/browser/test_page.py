"""The report in a real browser: every interaction, every kind of window, offline, without errors."""

import json
import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tests.api import BITS, compare_by_metric, find
from tests.browser.conftest import serious, violations
from tests.reports.pages import grouped, plain, systems, typical
from tests.reports.test_embedding import six_digits
from tests.reports.test_html import unpacked

PHONE = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True, "device_scale_factor": 2}
WINDOWS: list[dict[str, Any]] = [{}, PHONE | {"color_scheme": "dark"}]
"""Both sizes and both grounds in two visits of a page."""
PAGES = ["typical", "small", "twenty", "thousand", "hostile"]

FORESTS = """metrics => metrics.map(metric => {
  const isHidden = (mark) => mark.getAttribute('visibility') === 'hidden';
  const place = (mark, name) => isHidden(mark) ? null : parseFloat(mark.getAttribute(name));
  const choice = document.querySelector('#metric');
  choice.value = metric;
  if (choice.value !== metric) throw new Error(`${metric} cannot be chosen`);
  ['input', 'change'].forEach(name => choice.dispatchEvent(new Event(name, { bubbles: true })));
  return [...document.querySelectorAll('.forest tbody tr')].map(row => [
    row.dataset.of,
    [...row.cells].slice(2, 7).map(cell => cell.textContent),
    [place(row.querySelector('circle'), 'cx'), place(row.querySelector('line.s-ink'), 'x1')],
  ]);
})"""
"""Script that returns the texts and the places of the marks of each row of the systems side by side."""


@pytest.mark.parametrize("window", WINDOWS, ids=["desktop", "dark phone"])
@pytest.mark.parametrize("name", PAGES)
def test_page_opens_fits_and_is_accessible(visit: Any, name: str, window: dict[str, Any], tmp_path: Path) -> None:
    page = visit(name, **window)
    wide = page.evaluate("document.documentElement.scrollWidth")
    page.screenshot(path=tmp_path / "shot.png")

    assert wide == (390 if window else 1280)
    with Image.open(tmp_path / "shot.png") as image:
        ground = np.asarray(image.convert("L"), dtype=float)
    assert ground.std() > 5  # something is drawn
    assert (np.median(ground) < 60) == ("color_scheme" in window)
    assert page.evaluate("window.hacked") is None
    if name == "twenty":
        return  # more of the same
    if name == "typical":
        page.locator(".forest .pick").first.click()
        page.locator(".cm td").first.click()
    assert serious(violations(page)) == []


def test_names_at_the_dots_of_a_phone_are_all_there(visit: Any) -> None:
    """They are written larger there, and move apart instead of giving way; so do their lines."""
    page = visit("typical", **PHONE)
    page.locator("#maps").scroll_into_view_if_needed()
    shown = page.evaluate("""() => [...document.querySelectorAll('#maps .map')].map(map => {
      const names = [...map.querySelectorAll('.lab')];
      const boxes = names.map(name => name.getBoundingClientRect());
      const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom - 0.5 && b.top < a.bottom - 0.5;
      return [
        names.filter(name => getComputedStyle(name).display === 'none').length,
        boxes.filter((a, i) => boxes.some((b, j) => i < j && meet(a, b))).length,
        names.length,
      ];
    })""")

    assert len(shown) >= 3
    assert all(hidden == 0 and meeting == 0 and names >= 2 for hidden, meeting, names in shown), shown


def test_long_names_at_the_dots_are_cut_in_the_middle_on_a_phone_only(visit: Any) -> None:
    ends = "names => names.map(name => [name.firstChild.data, name.getBoundingClientRect().right])"
    page = visit("long names", **PHONE)
    page.locator("#maps").scroll_into_view_if_needed()
    cut = page.locator("#maps .map .lab").evaluate_all(ends)
    assert len(cut) >= 9
    assert all(right <= 390 for _, right in cut), cut
    assert all("…" in name and name[-1] == str(7 * int(name[0]))[-1] for name, _ in cut), cut
    page.set_viewport_size({"width": 1280, "height": 900})
    page.wait_for_timeout(100)
    whole = page.locator("#maps .map .lab").evaluate_all(ends)
    assert all(len(wide) > len(narrow) for (wide, _), (narrow, _) in zip(whole, cut, strict=True)), whole


def test_without_code_the_essentials_are_there(visit: Any) -> None:
    page = visit("typical", folded=True, java_script_enabled=False)
    text = page.inner_text("main")

    assert "system 0 is right in" in text
    assert "Why: the costliest confusions" in text
    page.locator("summary", has_text="Systems compared").click()
    page.locator("summary", has_text="Maps").click()
    assert page.locator("table.forest tbody tr").count() == 5
    assert page.locator("article.system:visible").count() == 1
    assert page.locator("details.other").count() == 4
    assert page.locator("svg[role=img]").count() >= 5
    assert page.locator("button:visible").count() == 5  # names in the table; nothing that would not work is offered
    page.locator("details.other summary").first.click()
    assert page.locator("article.system:visible").count() == 2


def test_hover_explains(visit: Any) -> None:
    page = visit("typical")
    dot = page.locator(".map .pt[data-of='system 1']").first
    dot.scroll_into_view_if_needed()
    dot.hover()
    assert "system 1" in page.inner_text("#tip")
    assert re.search(r"agreement 2·MI′ 0\.\d+", page.inner_text("#tip"))
    cell = page.locator("article:visible .cm td").nth(1)
    cell.hover()
    assert re.search(
        r"true class \d\npredicted class \d\n[\d,]+: [\d.]+% of the true class, [\d.]+% of the", page.inner_text("#tip")
    )
    page.locator("h1").hover()
    assert page.locator("#tip").is_hidden()


def test_picking_a_system_lights_it_everywhere(visit: Any) -> None:
    page = visit("typical")
    dot = page.locator(".map .pt[data-of='system 2']").first
    dot.scroll_into_view_if_needed()
    dot.click()

    lit = page.locator(".sel").evaluate_all("all => [...new Set(all.map(n => n.dataset.of))]")
    assert lit == ["system 2"]
    assert page.locator(".map:has(.pt.sel)").count() >= 3
    assert page.locator(".forest tr.sel").count() == 1
    assert page.locator("article:visible").get_attribute("data-system") == "system 2"
    assert page.locator("#announcement").text_content() == "Selected: system 2"
    page.keyboard.press("Escape")
    assert page.locator(".sel").count() == 0


def test_keyboard_reaches_systems_and_sorts(visit: Any) -> None:
    page = visit("typical")
    page.locator(".forest .pick").nth(1).focus()
    page.keyboard.press("Enter")
    assert page.locator(".forest tr.sel").count() == 1
    assert page.locator(".forest tr.sel .pick").get_attribute("aria-pressed") == "true"
    page.locator(".forest thead .sort").first.focus()
    page.keyboard.press("Space")
    assert page.locator(".forest th[aria-sort]").get_attribute("aria-sort") == "descending"
    names = page.locator(".forest tbody th").all_inner_texts()
    assert names == sorted(names, reverse=True)


def test_brush_over_a_map_picks_what_lies_in_it(visit: Any) -> None:
    page = visit("twenty")
    svg = page.locator(".map svg").first
    svg.scroll_into_view_if_needed()
    places = svg.locator(".pt[data-of]").evaluate_all(
        "all => all.map(n => [n, n.getBoundingClientRect()])"
        ".map(([n, b]) => [n.dataset.of, b.x + b.width / 2, b.y + b.height / 2])"
    )
    ys = sorted(y for _, _, y in places)
    cut = (ys[4] + ys[5]) / 2
    box = svg.bounding_box()
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.6, cut, steps=4)
    page.mouse.move(box["x"] + box["width"] * 0.95, cut, steps=4)
    page.mouse.up()

    wanted = {name for name, x, y in places if y < cut and x < box["x"] + box["width"] * 0.95}
    assert set(page.locator(".forest tr.sel").evaluate_all("all => all.map(n => n.dataset.of)")) == wanted
    assert len(wanted) == 5


def test_touch_picks_too(visit: Any) -> None:
    page = visit("typical", **PHONE)
    page.locator(".forest .pick").nth(2).tap()

    assert page.locator(".forest tr.sel").count() == 1
    assert page.locator(".map .lab.sel").first.is_visible()  # on a narrow page only the picked are named


def test_system_can_be_chosen(visit: Any) -> None:
    page = visit("typical")
    page.select_option("#system-select", "system 3")

    assert page.locator("article:visible").get_attribute("data-system") == "system 3"


def test_matrix_shows_counts_or_shares_in_three_orders(visit: Any) -> None:
    page = visit("typical")
    article = page.locator("article:visible")

    def matrix() -> list[list[str]]:
        return article.locator(".cm tbody tr").evaluate_all(
            "rows => rows.map(r => [...r.cells].map(c => c.textContent))"
        )

    before = matrix()
    article.get_by_role("button", name="% of true").click()
    for row, counts in zip(matrix(), before, strict=True):
        total = sum(int(c.replace(",", "")) for c in counts[1:] if c != "·")
        for share, count in zip(row[1:], counts[1:], strict=True):
            if count != "·":
                assert float(share.rstrip("%")) == pytest.approx(100 * int(count.replace(",", "")) / total, abs=0.051)
    article.get_by_role("button", name="count", exact=True).click()
    assert matrix() == before
    article.get_by_role("button", name="by name").click()
    after = matrix()
    assert [row[0] for row in after] == [f"class {at}" for at in range(10)]
    assert [after[at][at + 1] for at in range(10)] == [
        {row[0]: row[i + 1] for i, row in enumerate(before)}[f"class {at}"] for at in range(10)
    ]
    article.get_by_role("button", name="by size").click()
    totals = [sum(int(c.replace(",", "")) for c in row[1:] if c != "·") for row in matrix()]
    assert totals == sorted(totals, reverse=True)
    article.get_by_role("button", name="confused together").click()
    assert matrix() == before


def test_matrix_and_class_table_are_tied(visit: Any) -> None:
    page = visit("typical")
    article = page.locator("article:visible")
    article.locator(".classes tr[data-class='class 4'] th").click()
    assert article.locator(".cm tbody th.lit").inner_text() == "class 4"
    assert article.locator(".cm thead th.lit").count() == 1
    page.keyboard.press("Escape")
    cell = article.locator(".cm td").nth(3)
    truth = article.locator(".cm tbody th").first.get_attribute("data-label")
    said = article.locator(".cm thead th[data-label]").nth(3).get_attribute("data-label")
    cell.click()
    lit = article.locator(".classes tr.lit").evaluate_all("all => all.map(r => r.dataset.class)")
    assert set(lit) == {truth, said}


def test_search_and_sort_of_classes(visit: Any) -> None:
    page = visit("typical")
    article = page.locator("article:visible")
    article.locator("input[type=search]").fill("class 7")
    assert article.locator(".classes tbody tr:visible").count() == 1
    article.locator("input[type=search]").fill("")
    assert article.locator(".classes tbody tr:visible").count() == 10
    article.locator(".classes .sort", has_text="recall").click()
    values = [float(text.rstrip("%")) for text in article.locator(".classes tbody td:nth-child(3)").all_inner_texts()]
    assert values == sorted(values, reverse=True)
    article.locator(".classes .sort", has_text="recall").click()
    values = [float(text.rstrip("%")) for text in article.locator(".classes tbody td:nth-child(3)").all_inner_texts()]
    assert values == sorted(values)


def test_any_class_of_a_thousand_is_found(visit: Any) -> None:
    page = visit("thousand")
    article = page.locator("article:visible")
    assert article.locator(".classes tbody tr").count() == 60
    assert "The first 60 of 1,000 classes; searching and sorting" in article.inner_text()
    article.locator("input[type=search]").fill("class 777")
    row = article.locator(".classes tbody tr")
    assert row.count() == 1
    assert re.fullmatch(r"\d+", row.locator("td").first.inner_text())
    cells = unpacked(article.locator("script.cells").text_content())
    assert len(cells["truth"]) == 1000
    assert article.locator(".hair.h").is_visible()
    at = cells["truth"].index("class 777")
    top = article.locator(".hair.h").evaluate("h => parseFloat(h.style.top)")
    assert top == pytest.approx((at + 0.5) / 10, abs=1e-6)


def test_pixels_can_be_read(visit: Any) -> None:
    page = visit("thousand")
    image = page.locator("article:visible .pixels img")
    image.scroll_into_view_if_needed()
    cells = unpacked(page.locator("article:visible script.cells").text_content())
    i, k = 500, sum(cells["filled"][:500]) + 1
    j = cells["step"][k - 1] + cells["step"][k]  # the second cell of its row
    box = image.bounding_box()
    page.mouse.move(box["x"] + box["width"] * (j + 0.5) / 1000, box["y"] + box["height"] * (i + 0.5) / 1000)
    output = page.inner_text("#tip")

    count, total = cells["count"][k], cells["total"][i]
    share = cells["share"][total][count]
    assert output == f"true {cells['truth'][i]}\npredicted {cells['system'][j]}\n{count} of {total} ({share})"
    assert float(share.rstrip("%")) == pytest.approx(100 * int(count) / int(total), abs=0.051)


@pytest.mark.parametrize("name", ["typical", "groups", "twenty"])
def test_every_metric_is_shown_as_python_has_it(visit: Any, name: str) -> None:
    """The script moves Python's texts and reads from them where their marks stand and which comes first."""
    evaluation = {"typical": typical, "groups": grouped, "twenty": lambda: plain(systems(20, 10))}[name]()
    metrics = list(evaluation.systems[0].metrics)
    for metric, rows in zip(metrics, visit(name).evaluate(FORESTS, metrics), strict=True):
        places = zip(evaluation.ranking, compare_by_metric(evaluation, metric, BITS), strict=True)
        wanted = {system.title: place for system, place in places}
        assert sorted(title for title, _, _ in rows) == sorted(wanted)
        for title, texts, (middle, start) in rows:
            place = wanted[title]
            assert texts == [place.value, place.interval, place.difference, place.probability, place.verdict], metric
            assert middle == (None if place.at is None else pytest.approx(place.at, abs=0.3)), metric
            assert start == (None if place.low is None else pytest.approx(place.low, abs=0.3)), metric
        shown = [evaluation[title].shown(metric) for title, _, _ in rows]
        values = [value for value in shown if value is not None]
        assert shown[: len(values)] == values, "undefined ones come last"
        ends = [values[0], values[-1]] if values else [0.0, 0.0]
        wrong_way = ends[1] - ends[0] if find(metric).card.better != "lower" else ends[0] - ends[1]
        assert wrong_way <= 1e-3 * max(1.0, abs(ends[0])), metric  # what reads the same keeps its order


def test_comparison_by_any_metric_and_level(visit: Any) -> None:
    page = visit("typical")
    page.select_option("#metric", "erroneous_information_ratio")
    first = page.locator(".forest tbody tr").first
    assert first.get_attribute("data-of") == "system 0"  # the least error comes first
    values = [float(text.rstrip("%")) for text in page.locator(".forest tbody td:nth-child(3)").all_inner_texts()]
    assert values == sorted(values)
    page.select_option("#metric", "accuracy")
    assert page.locator(".forest tbody td:nth-child(3)").first.inner_text().endswith("%")
    page.select_option("#level", label="one true class")
    page.fill("#which", "class 3")
    page.locator("#which").press("Tab")
    page.select_option("#metric", "recall")
    shown = page.locator(".forest tr[data-of='system 4'] td:nth-child(3)").inner_text()
    article = page.locator("article[data-system='system 4']")
    written = article.locator(".classes tr[data-class='class 3'] td:nth-child(3)").text_content()
    assert shown == written
    assert "recall of class 3" in page.inner_text("#compare-note")


def test_differences_follow_the_metric(visit: Any) -> None:
    """They are shown where the systems were compared in it, and left empty otherwise."""
    page = visit("demo")

    def output(name: str) -> list[str]:
        return page.locator(f".forest tr[data-of='{name}'] td").all_inner_texts()[3:6]

    captured = output("naive_bayes")
    page.select_option("#metric", "erroneous_information_ratio")
    erroneous = output("naive_bayes")
    assert output("svm") == ["", "", "best"]
    assert captured[0].startswith("−")
    assert erroneous[0].startswith("+")
    assert captured[1:] == erroneous[1:] == ["<0.1%", "worse"]
    page.select_option("#metric", "kappa")
    assert output("naive_bayes") == output("svm") == ["", "", ""]
    page.select_option("#metric", "proficiency")
    assert output("naive_bayes") == captured
    page.locator(".forest .sort", has_text="difference").click()
    page.locator(".forest .sort", has_text="difference").click()
    assert page.locator(".forest tbody tr").first.get_attribute("data-of") == "majority"


def test_copies_are_markdown_and_safe_csv(visit: Any) -> None:
    page = visit("hostile")
    page.evaluate("navigator.clipboard.writeText = text => { window.copied = text; return Promise.resolve(); }")
    article = page.locator("article:visible")
    article.locator(".tools:has(+ .swipe + .scroll .classes)").get_by_role("button", name="copy as CSV").click()
    rows = page.evaluate("window.copied").split("\r\n")
    assert rows[0].startswith("class,samples,recall")
    assert any(row.startswith('"\'=HYPERLINK(""http://evil.example"",""x"")"') for row in rows)
    assert any(row.startswith("'@SUM(1;2),") for row in rows)
    assert any(row.startswith("'+1|a|b,") for row in rows)
    article.locator(".tools:has(+ .swipe + .scroll .classes)").get_by_role("button", name="copy as Markdown").click()
    lines = page.evaluate("window.copied").split("\n")
    assert lines[1].startswith("| --- | --- |")
    assert any(line.startswith("| +1\\|a\\|b |") for line in lines)


def test_theme_can_be_turned(visit: Any) -> None:
    page = visit("typical")

    def ground() -> str:
        return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))

    light = ground()
    page.click("#theme")
    assert ground() != light
    page.click("#theme")
    assert ground() == light


def test_the_first_screen_has_the_verdict_why_and_what_to_do_and_folds_are_closed(visit: Any) -> None:
    page = visit("demo", folded=True, viewport={"width": 1200, "height": 900})
    text = page.inner_text("main")

    assert page.locator("details[open]").count() == 0
    assert page.locator("h1, .tiles > li, article:visible .fix tbody tr, article:visible .do > li").count() >= 8
    assert page.locator("article:visible .cm").bounding_box()["y"] < 900
    assert page.locator("article:visible .do").bounding_box()["y"] < 900
    for word in ("erroneous", "classes left", "spread", "ambiguity", "posterior", "permuted"):
        assert word not in text.lower(), word


def test_a_class_is_compared_in_a_fold_that_opens(visit: Any) -> None:
    page = visit("typical", folded=True)
    page.locator("article:visible .cm tbody th").nth(3).click()
    page.locator("article:visible .on-class").click()

    assert page.locator("#compare").get_attribute("open") is not None
    assert page.locator("#metric").input_value() == "recall"


def test_definitions_are_one_click_away(visit: Any) -> None:
    page = visit("typical", folded=True)
    page.locator(".tiles .term", has_text="captured").click()
    page.wait_for_function("document.querySelector('#definitions').open")

    assert page.locator("#def-proficiency").is_visible()
    assert "fraction" in page.inner_text("#def-proficiency").lower()


def test_five_systems_are_printed_on_eight_pages_with_the_method_and_what_is_open(visit: Any, tmp_path: Path) -> None:
    page = visit("typical", folded=True)
    page.locator("summary", has_text="Maps").first.click()
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("#theme").is_hidden()
    assert page.locator("#method li").first.is_visible()
    assert page.locator("details[open] figure").first.is_visible()
    assert page.locator("#definitions summary").is_hidden()
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("#method").get_attribute("open") is None
    page.pdf(path=tmp_path / "page.pdf", format="A4")
    assert 3 <= len(re.findall(rb"/Type\s*/Page[^s]", (tmp_path / "page.pdf").read_bytes())) <= 8


@pytest.mark.parametrize("wide", [360, 390, 412])
def test_phones_show_names_at_the_dots_and_whole_numbers(visit: Any, wide: int) -> None:
    page = visit("typical", viewport={"width": wide, "height": 800}, is_mobile=True, has_touch=True)
    maps = page.locator(".map svg").evaluate_all(
        "maps => maps.map(map => [...map.querySelectorAll('.lab')].map(name => name.getBoundingClientRect())"
        ".filter(box => box.width).map(box => [box.left, box.top, box.right, box.bottom]))"
    )
    assert len(maps) >= 3
    for boxes in maps:
        assert len(boxes) >= 3
        for at, (left, top, right, bottom) in enumerate(boxes):
            assert 0 <= left < right <= wide
            for other in boxes[:at]:
                assert right <= other[0] or other[2] <= left or bottom <= other[1] or other[3] <= top
    covered = page.locator(".forest tbody tr").evaluate_all(
        "rows => rows.map(row => { const range = document.createRange(); range.selectNodeContents(row.cells[2]);"
        " return row.querySelector('.verdict').getBoundingClientRect().left - range.getBoundingClientRect().right; })"
    )
    assert min(covered) >= -1


def test_matrices_side_by_side_keep_their_size_on_a_phone_and_scroll(visit: Any) -> None:
    page = visit("typical", **PHONE)
    names = page.locator("#confusions svg text")
    assert min(names.evaluate_all("names => names.map(name => name.getBoundingClientRect().height)")) >= 9
    box = page.locator("#confusions .scroll")
    wide, seen = box.evaluate("box => [box.scrollWidth, box.clientWidth]")
    assert wide > 2 * seen
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_data_can_be_saved(visit: Any, tmp_path: Path) -> None:
    page = visit("typical")
    with page.expect_download() as waiting:
        page.locator("#downloads button", has_text="JSON").click()
    waiting.value.save_as(tmp_path / "data.json")

    found = json.loads((tmp_path / "data.json").read_text())
    assert found == six_digits(json.loads(json.dumps(typical().page_document())))


def test_forced_colours_keep_the_bars(visit: Any) -> None:
    page = visit("typical", forced_colors="active")
    colour = page.locator("article:visible .fix .bar rect").first.evaluate("r => getComputedStyle(r).fill")

    assert colour not in ("rgb(255, 255, 255)", "rgb(0, 0, 0)", "none")


@pytest.mark.parametrize("name", ["comparison", "comparison-dark"])
def test_picture_of_the_readme(visit: Any, name: str, tmp_path: Path) -> None:
    """One verdict on two systems, light and dark; kept where INFOSCOPE_PICTURES names a folder (docs/pictures)."""
    folder = Path(os.environ.get("INFOSCOPE_PICTURES") or tmp_path)
    folder.mkdir(parents=True, exist_ok=True)
    scheme = "dark" if name.endswith("dark") else "light"
    page = visit("page blocks", viewport={"width": 1040, "height": 900}, device_scale_factor=1.5, color_scheme=scheme)
    table = page.locator("main table").nth(1).bounding_box()
    height = 2 * round((table["y"] + table["height"]) / 2) + 24  # in whole pixels of the picture, too
    clip = {"x": 0, "y": 0, "width": 1040, "height": height}
    page.screenshot(path=folder / f"{name}.png", clip=clip, full_page=True)

    assert page.locator("h1").inner_text().startswith("boosting is ")
    assert 300 < height < 1200
    with Image.open(folder / f"{name}.png") as image:
        assert image.size == (1560, 1.5 * height)


def test_strict_viewers_show_words_tables_and_coloured_marks(browser: Any, pages: dict[str, Path]) -> None:
    """Jenkins forbids styles and scripts to the reports it shows."""
    policy = "sandbox; default-src 'none'; img-src 'self'; style-src 'self'"
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    body = pages["typical"].read_text(encoding="utf-8")
    headers = {"Content-Security-Policy": policy}
    page.route("**/*", lambda route: route.fulfill(body=body, content_type="text/html", headers=headers))
    page.goto("http://reports.invalid/")
    seen = page.locator(".map circle.pt").first.evaluate("c => [getComputedStyle(c).fill, c.getAttribute('fill')]")
    text = page.inner_text("main")
    styled = page.evaluate("getComputedStyle(document.body).fontFamily")
    context.close()

    assert "system-ui" not in styled  # the style sheet was rejected indeed
    assert "system 0 is right in" in text
    assert "What is confused with what" in text
    assert seen[0] != "rgb(0, 0, 0)"
    assert seen[1].startswith("#")


def test_names_of_systems_and_classes_have_room(visit: Any) -> None:
    """Two short words on one line, although numbers, which do not break, fill the row."""
    page = visit("typical")
    widths = page.locator(".forest tbody th, .classes tbody th").evaluate_all(
        "names => names.filter(each => each.offsetHeight).map(each => [each.textContent, each.offsetWidth])"
    )
    assert len(widths) > 10
    assert [each for each in widths if each[1] < 96] == []
    assert page.locator(".scroll.more:not(:has(.every))").count() == 0  # and nothing is beyond the edge


def test_names_of_many_classes_are_one_line_and_full_on_hover(visit: Any) -> None:
    page = visit("birds")
    article = page.locator("article:visible")
    lines = article.locator(".classes tbody th").evaluate_all("all => all.map(head => head.offsetHeight)")
    assert max(lines) <= 34
    assert "true ↓ predicted →" in article.inner_text()
    name = article.locator(".classes bdi[title]").first
    name.scroll_into_view_if_needed()
    assert "…" in name.inner_text()
    assert name.get_attribute("title") == name.evaluate("bdi => bdi.closest('tr').dataset.class")
    page.set_viewport_size({"width": 390, "height": 844})
    lines = article.locator(".classes tbody th").evaluate_all("all => all.map(head => head.offsetHeight)")
    assert max(lines) <= 34
