"""The page of trackers without a browser: whole, harmless, alone, and it says what it leaves out."""

import re
from html import unescape
from pathlib import Path

import pytest

from infoscope import tracking
from infoscope.errors import InputError
from tests.api import TrackingEvaluation
from tests.figures.test_track_displays import hostile, scene
from tests.reports.test_html import Outline
from tests.tracking.scenes import Stage, crowd


def sequences(count: int) -> TrackingEvaluation:
    scenes = {f"seq {at}": crowd(at, objects=6, frames=20) for at in range(count)}
    truth, tracks = ({name: each[side] for name, each in scenes.items()} for side in (0, 1))
    return tracking.evaluate(truth, tracks, name="mine")


def read(page: str) -> str:
    return " ".join("".join(Outline(page).text).split())


@pytest.mark.slow
def test_the_numbers_are_on_the_page() -> None:
    result = scene()
    page = result.to_html()
    text = read(page)
    metrics = result["mine"].metrics
    hota, captured = metrics["hota"], metrics["proficiency"].shown

    assert f"HOTA of {hota.shown:.1%} ({100 * hota.low:.1f} – {100 * hota.high:.1f})" in text
    assert f"captures {captured:.1%} of the information about who was where." in text
    assert "half follows with a HOTA of" in text
    assert f"{result['mine'].ledger['missed']:,.1f}" in text
    for heading in ("Where the information goes", "Who followed whom"):
        assert f"<h2>{heading}</h2>" in page
    assert "True tracks on which mine loses most" in text
    assert "mine less the others" in text
    for name in result["mine"].metrics:
        assert f'id="def-{name}"' in page
    labels = re.findall(r'<svg[^>]+aria-label="([^"]+)"', page)
    assert sum(name.startswith("Timeline of") for name in labels) == 2  # the other tracker is folded
    assert sum(name.startswith("Frames that") for name in labels) == 2
    assert sum(name.startswith("Information coverage of 2") for name in labels) == 1


@pytest.mark.slow
def test_the_page_is_alone_and_runs_only_its_own_code() -> None:
    for page in (scene().to_html(), hostile().to_html()):
        outline = Outline(page)
        policy = next(each["content"] for _, each in outline.tags if each.get("http-equiv"))

        assert str(policy).startswith(
            "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-"
        )
        assert not [tag for tag, _ in outline.tags if tag in ("link", "iframe", "img", "object")]
        assert page.count("<script>") == 1
        links = [str(each[key]) for _, each in outline.tags for key in ("href", "src", "action") if key in each]
        assert all(link.startswith("#") for link in links)
        ids = {each["id"] for _, each in outline.tags if "id" in each}
        assert {link[1:] for link in links} <= ids
        assert not [key for _, each in outline.tags for key in each if key.startswith("on")]
        assert not re.findall(r"url\((?!#)|@import", page)
        assert "\u202e" not in re.sub(r' data-of="[^"]*"', "", page)  # names that are not shown stay as they are
        assert "nan" not in re.sub(r"[a-z]+", lambda word: word[0] if word[0] == "nan" else "", unescape(page))


@pytest.mark.slow
def test_what_is_not_drawn_is_counted() -> None:
    page = sequences(8).to_html()

    assert "The 6 sequences that lose most are drawn; 2 more are not." in page
    assert page.count("<figcaption><b><bdi>Timeline</bdi></b>") == 6
    assert "All 8 sequences" in page
    assert "12 of 48" in page
    large = tracking.evaluate(*crowd(1, objects=35, frames=10)).to_html()
    assert "30 of 35 truth tracks are drawn, those that lose most." in large


@pytest.mark.slow
def test_undefined_and_perfect_trackers_have_a_page() -> None:
    one, ten = Stage(objects=1, frames=5), Stage(frames=10)

    assert "cannot be evaluated by information: no sequence has two truth tracks" in read(
        tracking.evaluate(one.truth(), one.truth()).to_html()
    )
    perfect = read(tracking.evaluate(ten.truth(), ten.truth()).to_html())
    assert "captures 100%" in perfect
    assert "Nothing is missed or false." in perfect
    assert "loses most" not in perfect
    empty = tracking.evaluate(ten.truth(), ten.truth()[:0]).to_html()
    assert "captures 0%" in read(empty)


@pytest.mark.slow
def test_nats_are_bits_times_ln_2() -> None:
    result = scene()

    assert f"{result['mine'].ledger['truth'] * 0.6931471805599453:,.1f}" in read(result.to_html(unit="nats"))
    with pytest.raises(InputError, match="shown in bits or nats"):
        result.to_html(unit="hartleys")


@pytest.mark.slow
def test_files_are_replaced_only_if_they_are_pages(tmp_path: Path) -> None:
    result, target, other = scene(), tmp_path / "page.html", tmp_path / "notes.html"
    other.write_text("mine", encoding="utf-8")

    assert result.to_html(target) == target
    assert result.to_html(target) == target
    assert target.read_text(encoding="utf-8") == result.to_html()
    with pytest.raises(InputError, match="not a page of infoscope"):
        result.to_html(other)
    assert other.read_text(encoding="utf-8") == "mine"
    assert result.to_html(other, force=True) == other
