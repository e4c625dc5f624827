"""Trackers that cannot be evaluated, and metrics without a value, are named, never guessed."""

import numpy as np
import pytest

from infoscope import tracking
from tests.tracking.scenes import Rows, Stage, crowd, place

STAGE = Stage(objects=4, frames=20)
EMPTY = np.zeros((0, 6))
ONE = Stage(objects=1, frames=20)


def remarks(truth: object, tracks: object, **options: object) -> dict[str, str]:
    found = tracking.evaluate(truth, tracks, **options).systems[0].diagnosis  # type: ignore[arg-type]
    return {each.code: each.text for each in found}


def test_one_truth_track_has_no_information() -> None:
    tracks = np.vstack([ONE.truth(), ONE.false_tracks(2)])

    result = tracking.evaluate(ONE.truth(), tracks)
    system, entries = result.systems[0], result.to_dict()["systems"][0]["metrics"]

    assert system.ledger["truth"] == 0
    assert system.ledger["spurious"] == pytest.approx(40 * np.log2(3))
    for name in ("proficiency", "false_information_ratio", "erroneous_information_ratio", "information_jaccard"):
        assert entries[name] == {
            "value": None,
            "undefined": "no sequence has two truth tracks, so there is nothing to distinguish",
        }
    assert entries["recall"]["value"] == 1
    assert entries["precision"]["value"] == pytest.approx(1 / 3)
    assert "one truth track" in remarks(ONE.truth(), tracks)["single_truth_track"]


def test_a_sequence_with_one_truth_still_adds_its_spurious_bits() -> None:
    truth = {"many": STAGE.truth(), "one": ONE.truth()}
    tracks = {"many": STAGE.truth(), "one": np.vstack([ONE.truth(), ONE.false_tracks(1)])}

    system = tracking.evaluate(truth, tracks).systems[0]

    assert system.ledger["truth"] == pytest.approx(80 * 2)
    assert system.ledger["spurious"] == pytest.approx(20)
    assert system.metrics["false_information_ratio"].value == pytest.approx(20 / 160)


def test_empty_result() -> None:
    metrics = tracking.evaluate(STAGE.truth(), EMPTY).to_dict()["systems"][0]["metrics"]

    expected = {"proficiency": 0, "false_information_ratio": 0, "erroneous_information_ratio": 1, "mota": 0, "idf1": 0,
                "hota": 0, "recall": 0, "mostly_lost": 4, "information_jaccard": 0}  # fmt: skip
    assert {name: metrics[name]["value"] for name in expected} == expected
    assert metrics["precision"] == {"value": None, "undefined": "there is no system detection"}
    assert metrics["motp"] == {"value": None, "undefined": "nothing is matched"}
    assert metrics["loca"]["value"] is None


@pytest.mark.parametrize("per", ["truth", "event"])
@pytest.mark.parametrize("null", ["prior", "class"])
def test_empty_result_says_nothing_false(per: str, null: str) -> None:
    metrics = tracking.evaluate(STAGE.truth(), EMPTY, per=per, null=null).systems[0].metrics

    assert metrics["proficiency"].value == 0
    assert metrics["false_information_ratio"].value == 0


def test_an_empty_result_is_named() -> None:
    truth = {name: STAGE.truth() for name in ("north", "south")}
    one, both = (
        tracking.evaluate(truth, {"north": EMPTY, "south": south}).systems[0].diagnosis
        for south in (STAGE.truth(), EMPTY)
    )

    (some,), (every,) = ([each for each in found if each.code == "no_tracks"] for found in (one, both))
    assert (some.severity, every.severity) == ("note", "warning")
    assert some.text.startswith("There is no detection in north, so")
    assert every.text.startswith("There is no detection in north, south, so")
    assert remarks(STAGE.truth(), EMPTY)["no_tracks"].startswith("There is no detection, so every truth detection")
    assert "no_tracks" not in remarks(STAGE.truth(), STAGE.truth())


def test_empty_truth() -> None:
    result = tracking.evaluate(EMPTY, STAGE.truth())
    system, metrics = result.systems[0], result.to_dict()["systems"][0]["metrics"]

    for name in ("proficiency", "mota", "recall", "idr"):
        assert metrics[name]["value"] is None, name
    assert metrics["precision"]["value"] == 0
    assert metrics["hota"]["value"] == 0
    assert system.ledger["spurious"] == pytest.approx(80 * 2)


def test_nothing_on_either_side() -> None:
    metrics = tracking.evaluate(EMPTY, EMPTY).to_dict()["systems"][0]["metrics"]

    assert metrics["hota"] == {"value": None, "undefined": "neither side reports anything"}
    assert metrics["id_switches"]["value"] == 0


def with_duplicate() -> Rows:
    again = STAGE.truth()[[10]] + [0, 0, 3, 0, 0, 0]
    return np.vstack([STAGE.truth(), again])


def test_duplicates_on_request() -> None:
    first = tracking.evaluate(STAGE.truth(), with_duplicate(), duplicates="first").systems[0]
    split = tracking.evaluate(STAGE.truth(), with_duplicate(), duplicates="split").systems[0]

    assert first.system_boxes == 80
    assert first.ledger["spurious"] == 0
    assert [each.text for each in first.diagnosis if each.code == "removed"] == [
        "1 row not evaluated: an id again in its frame, in tracks."
    ]
    assert split.system_boxes == 81
    assert sorted(each.id for each in split.sequences[0].system_tracks) == ["0", "1", "2", "2#2", "3"]
    assert split.ledger["spurious"] == pytest.approx(np.log2(81))


def test_a_gap_in_the_frame_numbers_is_no_gap_in_time() -> None:
    sparse = STAGE.truth() * [7, 1, 1, 1, 1, 1]

    assert tracking.evaluate(sparse, sparse).systems[0].metrics["fragmentations"].value == 0


def test_the_step_is_that_of_the_closest_frames() -> None:
    late = STAGE.truth()
    late[:, 0] = np.where(late[:, 0] > 2, late[:, 0] + 50, late[:, 0])

    assert tracking.evaluate(late, late).systems[0].sequences[0].frame_step == 1.0


def test_time_stamps_serve_as_frames() -> None:
    stamped = STAGE.truth() * [0.04, 1, 1, 1, 1, 1]

    assert tracking.evaluate(stamped, stamped).systems[0].metrics["hota"].value == pytest.approx(1)


def test_nothing_is_said_when_nothing_looks_wrong() -> None:
    assert "input_doubt" not in remarks(*crowd(1))


def test_boxes_that_never_meet_are_doubted() -> None:
    moved = STAGE.truth() + np.array([0, 0, 5000, 0, 0, 0])

    assert remarks(STAGE.truth(), moved)["input_doubt"].startswith("none of the truth detections come near")


def test_boxes_of_another_scale_are_doubted() -> None:
    halved = STAGE.truth() * [1, 1, 0.5, 0.5, 0.5, 0.5]

    doubts = [each.text for each in tracking.evaluate(STAGE.truth(), halved).findings if each.code == "input_doubt"]

    assert any("system boxes are 0.5 times as large as truth boxes" in doubt for doubt in doubts)


@pytest.mark.parametrize(("shift", "words"), [(-1, "does the system count frames from 0"), (1, "does the truth")])
def test_frames_counted_from_another_start_are_doubted(shift: int, words: str) -> None:
    time, which = np.divmod(np.arange(200), 4)
    truth = place(time + 5, which, which)
    truth[:, 2] += 30 * time
    tracks = truth + np.array([shift, 0, 0, 0, 0, 0])

    assert words in remarks(truth, tracks)["input_doubt"]
    late = tracks[time >= 3]  # a tracker that waits before it reports
    assert any(words in each.text for each in tracking.evaluate(truth, late).findings)
    early = truth[time < 49]  # one that merely stops a frame before the end
    assert "input_doubt" not in remarks(truth, early)


def test_the_removed_boxes_are_counted() -> None:
    truth = np.column_stack([STAGE.truth(), np.ones(80), np.where(STAGE.spot == 0, 8, 1), np.ones(80)])

    result = tracking.evaluate(truth, STAGE.truth())

    assert result.to_dict()["provenance"]["ignored"] == [
        {"reason": "system boxes on distractors (mot16 preprocessing)", "rows": 20},
        {"reason": "truth boxes marked or classed as not to be evaluated (mot16 preprocessing)", "rows": 20},
    ]
    assert result.systems[0].metrics["mota"].value == 1
    kept = tracking.evaluate(truth, STAGE.truth(), preprocessing="off").systems[0]
    assert kept.n == kept.system_boxes == 80


def test_scipys_words_for_level_and_seed() -> None:
    truth, tracks = crowd(1)
    expected = tracking.compare(truth, {"a": tracks, "b": truth}, level=0.8, gate=1, seed=5)

    found = tracking.compare(truth, {"a": tracks, "b": truth}, confidence_level=0.8, gate=1.0, rng=5)

    assert found.systems[0].interval_method.level == 0.8
    assert found.to_dict()["comparison"] == expected.to_dict()["comparison"]
