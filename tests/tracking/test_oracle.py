"""A real sequence, against figures computed by TrackEval, py-motmetrics and an independent prototype."""

from typing import Any

import numpy as np
import pytest

from infoscope import tracking
from tests.api import TrackerResult
from tests.tracking.reference import CAMPUS, needs_reference, oracle

pytestmark = [pytest.mark.reference, needs_reference]

TRACKEVAL = {
    "mota": "CLEAR.MOTA", "motp": "CLEAR.MOTP", "recall": "CLEAR.CLR_Re", "precision": "CLEAR.CLR_Pr",
    "id_switches": "CLEAR.IDSW", "fragmentations": "CLEAR.Frag", "mostly_tracked": "CLEAR.MT",
    "partly_tracked": "CLEAR.PT", "mostly_lost": "CLEAR.ML", "idf1": "Identity.IDF1", "idp": "Identity.IDP",
    "idr": "Identity.IDR", "hota": "HOTA.HOTA", "deta": "HOTA.DetA", "assa": "HOTA.AssA", "loca": "HOTA.LocA",
    "false_positives": "CLEAR.CLR_FP", "false_negatives": "CLEAR.CLR_FN", "id_true_positives": "Identity.IDTP",
    "id_false_positives": "Identity.IDFP", "id_false_negatives": "Identity.IDFN",
}  # fmt: skip
MOTMETRICS = {
    "mota": "mota", "idf1": "idf1", "idp": "idp", "idr": "idr", "id_switches": "num_switches",
    "fragmentations": "num_fragmentations", "recall": "recall", "precision": "precision",
    "transfers": "num_transfer", "false_positives": "num_false_positives", "false_negatives": "num_misses",
}  # fmt: skip


def campus(**options: Any) -> TrackerResult:
    return tracking.evaluate(CAMPUS / "gt.txt", CAMPUS / "test.txt", **options).systems[0]


@pytest.mark.parametrize(
    ("peer", "name", "theirs"),
    [
        *(("trackeval", *names) for names in TRACKEVAL.items()),
        *(("motmetrics", *names) for names in MOTMETRICS.items()),
    ],
)
def test_conventional_metrics_equal_those_of_peers(peer: str, name: str, theirs: str) -> None:
    expected = oracle()["peers_on_TUD"][peer]["TUD-Campus"][theirs]

    assert campus().metrics[name].value == pytest.approx(expected, abs=1e-9)


def test_association_table_cell_by_cell() -> None:
    expected = oracle()["ours_on_TUD"]["TUD-Campus"]["association_matrix_sticky"]

    sequence = campus().sequences[0]
    assert sequence.evaluated is not None
    table = sequence.evaluated.association
    contingency = table.to_contingency()

    np.testing.assert_array_equal(contingency.counts, expected["counts"])
    assert list(contingency.truth_labels) == expected["truth_ids"]
    assert list(contingency.system_labels) == expected["system_ids"]
    np.testing.assert_array_equal(table.missed, expected["missed"])
    np.testing.assert_array_equal(table.false, expected["false"])


@pytest.mark.parametrize("match", ["sticky", "independent"])
@pytest.mark.parametrize(
    ("null", "per", "name"),
    [
        ("prior", "truth", "ledger"),
        ("prior", "event", "prior"),
        ("exclude", "truth", "exclude"),
        ("class", "truth", "class"),
    ],
)
def test_information_figures_under_each_convention(match: str, null: str, per: str, name: str) -> None:
    expected = oracle()["ours_on_TUD"]["TUD-Campus"][f"info_{match}"][name]

    metrics = campus(match=match, null=null, per=per).metrics

    for ours, theirs in {
        "proficiency": "f", "false_information_ratio": "r", "truth_entropy": "H_T",
        "erroneous_information": "S_I", "erroneous_information_ratio": "S_norm",
    }.items():  # fmt: skip
        assert metrics[ours].value == pytest.approx(expected[theirs], abs=1e-9), ours


def test_ledger_by_track() -> None:
    expected = oracle()["ours_ledger_on_TUD"]["TUD-Campus"]
    system = campus()
    sequence = system.sequences[0]

    for line, bits in expected["bits"].items():
        assert system.ledger[line] == pytest.approx(bits, abs=0.5e-6), line
    by_id = {each.id: each for each in sequence.tracks}
    for row in expected["per_truth"]:
        for line in ("truth", "missed", "confused", "fragmented"):
            assert getattr(by_id[str(row["id"])], line) == pytest.approx(row[line], abs=0.51e-4)
    claimed = {each.id: each for each in sequence.system_tracks}
    for row in expected["per_system"]:
        for line in ("spurious", "confused"):
            assert getattr(claimed[str(row["id"])], line) == pytest.approx(row[line], abs=0.51e-4)


@pytest.mark.parametrize("match", ["sticky", "independent", "global", "fractional"])
def test_matching_options(match: str) -> None:
    expected = oracle()["matching_options_ledger"]["TUD-Campus"][match]

    system = campus(match=match)

    assert system.metrics["proficiency"].value == pytest.approx(expected["f"], abs=0.51e-4)
    assert system.metrics["false_information_ratio"].value == pytest.approx(expected["r"], abs=0.51e-4)
    if "IDSW" in expected:
        assert system.metrics["id_switches"].value == expected["IDSW"]
        assert sum(each.matched for each in system.sequences[0].tracks) == expected["TP"]


def test_gate_sweep() -> None:
    expected = oracle()["matching_options_ledger"]["TUD-Campus gate sweep"]

    sweep = tracking.sweep_gates(CAMPUS / "gt.txt", CAMPUS / "test.txt", gates=[each["gate"] for each in expected])

    for point, row in zip(sweep.points, expected, strict=True):
        assert point["proficiency"] == pytest.approx(row["f"], abs=0.51e-4)
        assert point["false_information_ratio"] == pytest.approx(row["r"], abs=0.51e-4)
        assert point["erroneous_information_ratio"] == pytest.approx(row["S"], abs=0.51e-4)
    assert sweep.mean["proficiency"] == pytest.approx(np.mean([row["f"] for row in expected]), abs=0.51e-4)
