"""The result document: every metric, undefined with a reason, and to JSON and back."""

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import infoscope as ifs
from infoscope import Contingency, Estimate, Evaluation, evaluate
from infoscope.posterior.summary import Summary
from tests.api import TableInput, encode, find, measure, metrics_of

M6 = Contingency.from_matrix([[74, 6, 10], [0, 9, 1]], reject=2)


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    path = tmp_path / "rows.csv"
    path.write_text("gold,svm,knn,w,day\n1,1,1,2,mon\n1,0,,1,mon\n0,0,0,1,tue\n0,0,1,1,tue\n1,1,1,1,tue\n")
    return path


def test_document_has_the_contract_keys() -> None:
    document = evaluate({"M5": M6}).to_dict()

    assert document["schema"] == "infoscope/evaluation/2"
    assert document["provenance"]["rows"] == 100
    assert document["provenance"].get("ignored", []) == []
    (system,) = document["systems"]
    assert set(system["metrics"]) == {entry.name for entry in metrics_of("table")}
    assert system["metrics"]["accuracy"]["value"] == 0.83
    assert {"label", "support", "recall", "false_information", "missed_share", "false_share"} <= set(
        system["classes"][0]
    )
    assert {"label", "declared", "precision", "missed_information", "missed_share", "false_share"} <= set(
        system["outputs"][0]
    )
    assert set(system["leaks"][0]) == {"truth", "system", "count", "missed_bits", "false_bits"}
    assert set(system["diagnosis"][0]) == {"code", "text", "severity", "evidence", "action", "tag"}
    assert (system["n"], system["reject"], system["positive"]) == (100, "2", "1")


def test_json_round_trip() -> None:
    evaluation = evaluate({"M5": M6, "clusters": Contingency.from_labels(["a", "b"] * 9, ["x", "y"] * 9)})

    assert Evaluation.from_dict(json.loads(evaluation.to_json())).to_dict() == evaluation.to_dict()


def test_undefined_is_null_with_the_reason() -> None:
    (system,) = evaluate(Contingency.from_matrix([[5, 3], [0, 0]])).to_dict()["systems"]

    assert system["metrics"]["proficiency"]["value"] is None
    assert "one class" in system["metrics"]["proficiency"]["undefined"]
    assert system["classes"][1]["recall"]["value"] is None


def test_infinite_is_null_with_the_reason() -> None:
    value = Estimate.of(math.inf, "class 'x' is never recognised")

    assert encode(value) == {"value": None, "undefined": "infinite: class 'x' is never recognised"}
    never_right = evaluate(Contingency.from_matrix([[0, 5], [0, 9]])).systems[0]
    loss = never_right.metrics["informational_loss"]
    assert loss.value is None
    assert loss.undefined is not None
    assert "infinite" in loss.undefined


def test_leaks_sum_to_missed_and_false_information() -> None:
    system = evaluate(M6).systems[0]

    assert sum(leak.missed_bits for leak in system.leaks) == pytest.approx(system.number("missed_information"))
    assert sum(leak.false_bits for leak in system.leaks) == pytest.approx(system.number("false_information"))


def test_values_are_those_of_the_metrics() -> None:
    system = evaluate(M6).systems[0]

    for entry in metrics_of("table"):
        expected = float(entry.score(M6))
        assert system.number(entry.name) == (expected if math.isfinite(expected) else None), entry.name


def test_rows_are_read_and_counted(rows: Path) -> None:
    evaluation = ifs.evaluate(str(rows), truth="gold", system=["svm", "knn"])

    record = evaluation.to_dict()["provenance"]
    assert (record["source"], record["rows"]) == ("rows.csv", 5)
    assert record["ignored"] == [{"reason": "missing label in 'knn'", "rows": 1}]
    assert [(system.name, system.n, system.positive) for system in evaluation] == [("svm", 5, "1"), ("knn", 4, "1")]


@pytest.mark.slow
def test_labels_are_taken_as_truth_and_predictions() -> None:
    truth, system = ["a", "b", "b", "a"], ["a", "b", "a", "a"]
    found = evaluate(truth, system)

    assert found["system"].metrics == evaluate(Contingency.from_labels(truth, system))["system"].metrics
    assert [each.name for each in evaluate(truth, {"one": system, "two": truth})] == ["one", "two"]


def test_groups_are_named(rows: Path) -> None:
    document = ifs.evaluate(str(rows), truth="gold", system="svm", by="day").to_dict()

    assert [(system["group"], system["n"]) for system in document["systems"]] == [
        ({"day": "mon"}, 2),
        ({"day": "tue"}, 3),
    ]


def test_weights_count_by_their_effective_size(rows: Path) -> None:
    system = ifs.evaluate(str(rows), truth="gold", system="svm", weight="w").systems[0]

    assert system.n == pytest.approx(6**2 / (4 + 4))
    assert system.number("accuracy") == pytest.approx(5 / 6)


def test_prevalence_changes_the_shares_by_text_labels() -> None:
    table = Contingency.from_matrix([[9, 1], [30, 60]])
    equal = evaluate(table, prevalence="equal").systems[0]
    stated = evaluate(table, prevalence={"0": 1.0, "1": 1.0}).systems[0]

    assert equal.number("accuracy") == pytest.approx((0.9 + 60 / 90) / 2)
    assert stated.metrics == equal.metrics


@pytest.mark.slow
def test_stated_size_and_weights_count_in_other_shares_too() -> None:
    """Equal prevalence of equally frequent classes changes nothing, so neither may the intervals."""
    table = Contingency.from_matrix([[30, 10], [4, 36]])
    heavy = Contingency.from_labels(
        [0] * 40 + [1] * 40, [0] * 30 + [1] * 10 + [0] * 4 + [1] * 36, sample_weight=[9] * 80
    )

    def width(source: Contingency, **options: Any) -> float:
        value = evaluate(source, prior="uniform", **options).systems[0].metrics["recall"]
        return float(value.high) - float(value.low)

    plain, stated = width(table), width(table, sample_size=8000)
    assert stated < plain / 5
    assert width(table, sample_size=8000, prevalence="equal") == pytest.approx(stated, rel=0.1)
    assert width(heavy, prevalence="equal") == pytest.approx(plain, rel=0.1)


def test_cluster_names_mean_nothing() -> None:
    table = Contingency.from_labels([0, 0, 1, 1, 2, 2], [1, 1, 0, 0, 0, 0])
    system = evaluate(table, task="clustering").systems[0]

    assert system.number("accuracy") is None
    assert system.system_labels == ("cluster 0", "cluster 1")
    assert system.number("proficiency") == evaluate(table).systems[0].number("proficiency")


def test_belief_is_attached_where_there_is_one() -> None:
    class Believer:
        def summaries(self, names: Sequence[str], level: float) -> dict[str, Summary]:
            parts = (0.5, 0.1, 0.5 - level / 10, 0.5 + level / 10)
            return dict.fromkeys(names, Summary(*map(np.array, parts)))

        def by_class(self, level: float) -> dict[str, Summary]:
            parts = ([0.4, 0.5], [0.1, 0.1], [0.3, level / 3], [0.5, 0.6])
            return {"recall": Summary(*map(np.array, parts))}

        def by_output(self, level: float) -> dict[str, Summary]:  # noqa: ARG002
            return {}

    system = measure(TableInput("a", M6, n=100, belief=Believer()), [], level=0.9)

    value = system.metrics["proficiency"]
    assert (value.mean, value.sd, value.low, value.high) == pytest.approx((0.5, 0.1, 0.41, 0.59))
    assert value.value == float(catalogue_score("proficiency"))
    assert "low" not in encode(system.metrics["g_statistic"])
    assert system.classes[1].values["recall"].low == pytest.approx(0.3)
    assert system.classes[1].values["f1"].low is None
    assert system.outputs[0].values["precision"].low is None


def catalogue_score(name: str) -> float:
    return float(find(name).score(M6))


def test_frame_has_a_row_a_system() -> None:
    pytest.importorskip("pandas")
    frame = evaluate({"a": M6, "b": M6}).to_frame(wide=True)

    assert list(frame["system"]) == ["a", "b"]
    assert list(frame["accuracy"]) == [0.83, 0.83]


def test_labels_are_written_as_text() -> None:
    system = evaluate(Contingency.from_labels([True, False] * 5, [True, False] * 5)).systems[0]

    assert system.truth_labels == ("False", "True")
    assert system.positive == "True"
    assert json.loads(json.dumps(np.asarray(system.truth_labels).tolist())) == ["False", "True"]
