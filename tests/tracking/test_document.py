"""The result document keeps the contract, and what is printed is what it says."""

import json

import numpy as np
import pytest

from infoscope import tracking
from tests.api import format_share, render
from tests.tracking.scenes import Stage, crowd

IDS = {
    "mota", "motp", "id_switches", "fragmentations", "mostly_tracked", "partly_tracked", "mostly_lost", "idf1", "idp",
    "idr", "hota", "deta", "assa", "loca", "information_jaccard", "proficiency", "false_information_ratio",
    "erroneous_information_ratio", "truth_completeness", "track_completeness", "truth_continuity", "track_continuity",
    "swaps", "breaks", "track_lifetime",
}  # fmt: skip


def test_the_document_in_json() -> None:
    result = tracking.evaluate(*crowd(1), name="mine")

    document = json.loads(result.to_json())

    assert document["schema"] == "infoscope/tracking/2"
    (system,) = document["systems"]
    assert system["name"] == "mine"
    assert set(system["metrics"]) >= IDS
    for entry in system["metrics"].values():
        assert set(entry) in ({"value"}, {"value", "shown", "mean", "sd", "low", "high"})
    assert list(system["ledger"]) == ["truth", "captured", "missed", "confused", "fragmented", "spurious"]
    assert system["metrics"]["mota"]["low"] <= system["metrics"]["mota"]["value"] <= system["metrics"]["mota"]["high"]
    assert len(system["curve"]["hota"]) == 19
    assert np.mean(system["curve"]["hota"]) == pytest.approx(system["metrics"]["hota"]["value"])
    (sequence,) = system["sequences"]
    assert sum(count for _, _, count in sequence["association"]) == sum(each["matched"] for each in sequence["tracks"])
    for line in ("truth", "missed", "confused", "fragmented"):
        assert sum(each[line] for each in sequence["tracks"]) == pytest.approx(system["ledger"][line])
    assert "null: prior" in document["convention"]["text"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"null": "exclude"}, "null: exclude"),
        ({"null": "class"}, "null: class"),
        ({"per": "event"}, "each side per detection of its own"),
        ({"match": "global"}, "(global)"),
        ({"gate": 0.3}, "at least 0.3"),
        ({"similarity": "distance", "gate": 20.0}, "a distance of at most 20"),
    ],
)
def test_the_convention_is_named(options: dict[str, object], words: str) -> None:
    result = tracking.evaluate(*crowd(1), **options)  # type: ignore[arg-type]

    assert words in " ".join(render(result, "text", max_rows=0).split())
    assert words in render(result, "markdown", max_rows=0)


def test_text_and_markdown_say_the_same() -> None:
    result = tracking.compare(crowd(1)[0], {"one": crowd(1)[1], "two": crowd(1)[0]})
    names = ("proficiency", "false_information_ratio", "hota", "mota", "idf1")
    shown = [format_share(system.metrics[name].value) for system in result.systems for name in names]

    for text in (render(result, "text", max_rows=0), render(result, "markdown", max_rows=0)):
        assert all(number in text for number in shown)
        assert "lower bound" in text
        assert "one" in text
        assert "two" in text
    heads = [line for line in result.to_markdown().splitlines() if line.startswith("| tracker |")]
    assert heads == ["| tracker | HOTA | IDF1 | MOTA | captured | verdict |"]
    page = result.to_html()
    assert all(name in page for name in IDS)


def test_undefined_is_said_in_words() -> None:
    stage = Stage(objects=1, frames=10)
    text = " ".join(tracking.evaluate(stage.truth(), stage.truth()).to_text().split())

    assert "and cannot be evaluated by information" in text
    assert "nothing to distinguish" in text
    assert "nan" not in text.lower()


def test_the_first_of_several_is_the_best_only_if_it_is_significantly() -> None:
    truth, tracks = crowd(1)
    alike = tracking.compare(truth, {"one": tracks, "two": tracks.copy()}).to_text()
    apart = tracking.compare(truth, {"perfect": truth, "nothing": tracks[:1]}).to_text()

    assert "one is first of 2 trackers (not significantly, probability 50.0%)" in " ".join(alike.split())
    assert "perfect is the best of 2 trackers (probability >99.9%)" in " ".join(apart.split())
