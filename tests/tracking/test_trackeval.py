"""The same crowded scenes through TrackEval: every shared figure, sequence by sequence and combined."""

from typing import Any

import numpy as np
import pytest

from infoscope import tracking
from tests.api import MatchedSequence, Real, SequenceResult, TrackerResult, compute_curve, compute_values, find_overlaps
from tests.tracking.scenes import Rows, crowd

trackeval = pytest.importorskip("trackeval", reason="TrackEval is not installed")
pytestmark = pytest.mark.filterwarnings("ignore")

SCENES = {f"scene {seed}": crowd(seed, noise=2.0 + seed) for seed in range(6)}
NAMES = {
    "CLEAR": {"MOTA": "mota", "MOTP": "motp", "CLR_Re": "recall", "CLR_Pr": "precision", "IDSW": "id_switches",
              "Frag": "fragmentations", "MT": "mostly_tracked", "PT": "partly_tracked", "ML": "mostly_lost",
              "CLR_FP": "false_positives", "CLR_FN": "false_negatives"},
    "Identity": {"IDF1": "idf1", "IDP": "idp", "IDR": "idr", "IDTP": "id_true_positives",
                 "IDFP": "id_false_positives", "IDFN": "id_false_negatives"},
    "HOTA": {"HOTA": "hota", "DetA": "deta", "AssA": "assa", "LocA": "loca"},
}  # fmt: skip


def theirs(truth: Rows, tracks: Rows) -> dict[str, Any]:
    """A sequence in TrackEval's own form."""
    overlaps = trackeval.datasets._base_dataset._BaseDataset._calculate_box_ious
    data: dict[str, Any] = {"gt_ids": [], "tracker_ids": [], "similarity_scores": [], "num_timesteps": 0}
    ids = [{each: at for at, each in enumerate(np.unique(side[:, 1]))} for side in (truth, tracks)]
    for frame in range(int(truth[:, 0].max()) + 1):
        here = [side[side[:, 0] == frame] for side in (truth, tracks)]
        for key, rows, code in zip(("gt_ids", "tracker_ids"), here, ids, strict=True):
            data[key].append(np.array([code[each] for each in rows[:, 1]], dtype=int))
        data["similarity_scores"].append(overlaps(here[0][:, 2:6], here[1][:, 2:6], box_format="xywh"))
        data["num_timesteps"] += 1
    sizes = {"gt": (truth, ids[0]), "tracker": (tracks, ids[1])}
    for side, (rows, code) in sizes.items():
        data |= {f"num_{side}_dets": len(rows), f"num_{side}_ids": len(code)}
    return data


def metrics() -> list[Any]:
    quiet = {"PRINT_CONFIG": False}
    return [trackeval.metrics.HOTA(), trackeval.metrics.CLEAR(quiet), trackeval.metrics.Identity(quiet)]


def assert_equal(expected: dict[str, Any], family: str, found: dict[str, Real]) -> None:
    for theirs_, ours in NAMES[family].items():
        assert float(found[ours]) == pytest.approx(float(np.mean(expected[theirs_])), abs=1e-9), ours


@pytest.fixture(scope="module")
def system() -> TrackerResult:
    truth = {name: scene[0] for name, scene in SCENES.items()}
    return tracking.evaluate(truth, {name: scene[1] for name, scene in SCENES.items()}).systems[0]


def evaluated(result: SequenceResult) -> MatchedSequence:
    assert result.evaluated is not None
    return result.evaluated


@pytest.mark.slow
def test_every_figure_of_every_sequence_and_of_all(system: TrackerResult) -> None:
    for metric in metrics():
        family = metric.get_name()
        results = {}
        for sequence in system.sequences:
            results[sequence.name] = metric.eval_sequence(theirs(*SCENES[sequence.name]))
            assert_equal(results[sequence.name], family, compute_values(evaluated(sequence).total))
            shown = {name: np.asarray(each.value) for name, each in sequence.metrics.items() if each.value is not None}
            assert_equal(results[sequence.name], family, shown)
        assert_equal(
            metric.combine_sequences(results),
            family,
            {name: np.asarray(each.value) for name, each in system.metrics.items()},
        )


def test_hota_level_by_level(system: TrackerResult) -> None:
    hota, *_ = metrics()
    sequence = system.sequences[0]

    expected = hota.eval_sequence(theirs(*SCENES[sequence.name]))

    found = compute_curve(evaluated(sequence).total)
    for theirs_, ours in NAMES["HOTA"].items():
        np.testing.assert_allclose(found[ours], expected[theirs_], atol=1e-9)


def test_every_overlap(system: TrackerResult) -> None:
    sequence = system.sequences[2]
    expected = np.concatenate([each.ravel() for each in theirs(*SCENES[sequence.name])["similarity_scores"]])

    found = find_overlaps(evaluated(sequence).tracks).similarity

    np.testing.assert_allclose(np.sort(found), np.sort(expected[expected > 0]), rtol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("benchmark", ["MOT17", "MOT20"])
def test_preprocessing_removes_the_same_boxes(benchmark: str) -> None:
    truth, tracks = crowd(11, objects=20, noise=3.0)
    rng = np.random.default_rng(3)
    kinds = rng.choice([1, 1, 1, 2, 6, 7, 8, 12, 3], 21)
    flags = (rng.random(len(truth)) > 0.1).astype(float)
    truth = np.column_stack([truth, flags, kinds[truth[:, 1].astype(int)], np.ones(len(truth))])
    tracks = tracks[np.argsort(tracks[:, 0], kind="stable")]
    dataset = object.__new__(trackeval.datasets.MotChallenge2DBox)
    dataset.benchmark, dataset.do_preproc = benchmark, True
    names = ["pedestrian", "person_on_vehicle", "car", "bicycle", "motorbike", "non_mot_vehicle", "static_person",
             "distractor", "occluder", "occluder_on_ground", "occluder_full", "reflection", "crowd"]  # fmt: skip
    dataset.class_name_to_class_id = {name: at for at, name in enumerate(names, start=1)}
    dataset.valid_class_numbers = list(dataset.class_name_to_class_id.values())
    raw = theirs(truth, tracks)
    frames = range(raw["num_timesteps"])
    rows = [[side[side[:, 0] == frame] for frame in frames] for side in (truth, tracks)]
    raw |= {
        "seq": "s",
        "gt_dets": [each[:, 2:6] for each in rows[0]], "tracker_dets": [each[:, 2:6] for each in rows[1]],
        "gt_ids": [each[:, 1].astype(int) for each in rows[0]],
        "tracker_ids": [each[:, 1].astype(int) for each in rows[1]],
        "gt_classes": [each[:, 7].astype(int) for each in rows[0]],
        "tracker_classes": [np.ones(len(each), int) for each in rows[1]],
        "gt_extras": [{"zero_marked": each[:, 6]} for each in rows[0]],
        "tracker_confidences": [np.ones(len(each)) for each in rows[1]],
    }  # fmt: skip

    data = dataset.get_preprocessed_seq_data(raw, "pedestrian")
    system = tracking.evaluate(truth, tracks, preprocessing="mot20" if benchmark == "MOT20" else "auto").systems[0]

    assert system.n == data["num_gt_dets"] < len(truth)
    assert system.system_boxes == data["num_tracker_dets"] < len(tracks)
    for metric in metrics():
        assert_equal(
            metric.eval_sequence(data), metric.get_name(), compute_values(evaluated(system.sequences[0]).total)
        )
