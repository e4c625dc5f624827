"""Intervals, comparison and the forms of the document."""

import json

import numpy as np
import pytest

from infoscope import multilabel
from tests.api import MULTILABEL_MEASURES, LabelSets, ObjectSums, align_label_sets, estimate_by_reflection, render


def predictors(n: int, quality: dict[str, float], seed: int = 0) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    rng = np.random.default_rng(seed)
    truth = (rng.random((n, 6)) < [0.5, 0.4, 0.3, 0.2, 0.2, 0.1]).astype(int)
    given = {
        name: np.where(rng.random((n, 6)) < share, truth, rng.random((n, 6)) < 0.3).astype(int)
        for name, share in quality.items()
    }
    return truth, given


@pytest.mark.slow
def test_intervals_cover_what_a_large_sample_shows() -> None:
    """The value of 2·10^5 objects lies within the 95 % interval of 400 in nearly all of 40 samples."""
    truth, given = predictors(200_000, {"p": 0.7})
    big = multilabel.evaluate(truth, given["p"], draws=0, shuffles=0, splits=0).systems[0].value("proficiency")
    inside = 0
    for seed in range(40):
        rows = np.random.default_rng(seed).choice(200_000, 400, replace=False)
        found = multilabel.evaluate(truth[rows], given["p"][rows], draws=300, shuffles=0, splits=0).systems[0]
        estimate = found.metrics["proficiency"]
        assert estimate.low < estimate.mean < estimate.high
        inside += estimate.low <= big <= estimate.high
    assert inside >= 34  # below that once in 1e3 at a true level of 95 %


def test_reflection_corrects_the_bias_of_resampling() -> None:
    draws = np.array([0.5, 0.6, 0.7])
    cards = {each.name: each.card for each in MULTILABEL_MEASURES}
    estimate = estimate_by_reflection(0.4, draws, 0.5, cards["proficiency"], "")

    assert (estimate.mean, estimate.shown) == pytest.approx((0.2, 0.2))  # information is shown corrected
    assert estimate_by_reflection(0.4, draws, 0.5, cards["micro_f1"], "").shown == 0.4  # other metrics are the sample's
    assert (estimate.mean, estimate.low, estimate.high) == pytest.approx((0.2, 0.15, 0.25))
    assert estimate_by_reflection(0.1, draws, 0.5, cards["proficiency"], "").low == 0.0
    undefined = estimate_by_reflection(np.nan, draws, 0.5, cards["proficiency"], "there is nothing to capture")
    assert (undefined.value, undefined.sd, undefined.undefined) == (None, None, "there is nothing to capture")


def test_the_better_predictor_is_named() -> None:
    truth, given = predictors(500, {"good": 0.9, "poor": 0.5})
    result = multilabel.compare(truth, given, draws=200, shuffles=0, splits=0)
    pairs = {each.metric: each for each in result.pairs}
    pair, erroneous = pairs["proficiency"], pairs["erroneous_information_ratio"]

    assert result.ranking == ("good", "poor")
    assert (pair.a, pair.b, pair.verdict) == ("good", "poor", "better")
    assert pair.estimate.low > 0
    assert pair.probability_a_better == erroneous.probability_a_better == 1.0
    assert erroneous.estimate.value < 0


def test_equal_predictors_cannot_be_told_apart() -> None:
    truth, given = predictors(200, {"a": 0.7})
    result = multilabel.compare(truth, {"a": given["a"], "b": given["a"]}, draws=50, shuffles=0, splits=0)

    assert result.pairs
    assert all(each.probability_a_better == 0.5 for each in result.pairs)


def test_predictors_are_compared_on_the_objects_they_share() -> None:
    truth = {at: {"x"} if at % 2 else {"y"} for at in range(20)}
    some = {at: truth[at] for at in range(15)}
    others = {at: truth[at] for at in range(5, 20)}
    result = multilabel.compare(truth, {"a": some, "b": others}, draws=20, shuffles=0, splits=0)

    assert result.common_objects == 10
    assert [system.n for system in result.systems] == [15, 15]


def test_json_follows_the_contract_and_every_form_renders() -> None:
    truth, given = predictors(60, {"p|1": 0.8})
    result = multilabel.compare(truth, given, draws=20, shuffles=9, splits=10)
    document = json.loads(result.to_json())
    system = document["systems"][0]

    assert document["schema"] == "infoscope/multilabel/2"
    assert set(system) >= {"name", "n", "categories", "metrics", "classes", "reassignments"}
    parts = {"value", "shown", "mean", "sd", "low", "high"}
    assert set(system["metrics"]["proficiency"]) == parts | {"corrected"}
    assert set(system["metrics"]["micro_f1"]) == parts
    assert set(system["metrics"]) >= {"permuted_proficiency", "micro_precision", "object_f1", "random_f1"}
    assert system["permutation_chance"]["shuffles"] == 9
    assert system["stability"]["permuted_proficiency"]["sd"] > 0
    assert "p\\|1" in result.to_markdown()
    assert "p|1" in result.to_html()
    for width in (60, 100):
        assert max(map(len, result.to_text(width=width).splitlines())) <= width


def test_the_frame_holds_the_values() -> None:
    pytest.importorskip("pandas")
    truth, given = predictors(60, {"p|1": 0.8})
    result = multilabel.compare(truth, given, draws=0, shuffles=0, splits=0)

    assert result.to_frame(wide=True)["proficiency"][0] == result["p|1"].value("proficiency")


def test_sparse_sets_are_warned_about() -> None:
    truth = [{f"c{at}", f"c{at + 1}"} for at in range(30)]
    findings = multilabel.evaluate(truth, truth, draws=0, shuffles=0, splits=0).systems[0].diagnosis

    assert "sparse_sets" in {each.code for each in findings}


def test_too_many_categories_leave_the_renaming_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("infoscope.studies.multilabel.MAX_RENAMED_CATEGORIES", 2)
    system = multilabel.evaluate([{"a"}, {"b"}, {"c"}], [{"a"}, {"b"}, {"c"}], draws=20, splits=3).to_dict()["systems"][
        0
    ]

    assert system["metrics"]["permuted_proficiency"]["value"] is None
    assert "3 categories are too many" in system["metrics"]["permuted_proficiency"]["undefined"]
    assert system["metrics"]["proficiency"]["value"] == 1.0


def test_stability_of_many_categories_keeps_the_renaming_of_all_objects(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("infoscope.studies.multilabel.MAX_CATEGORIES_OF_HALVES", 1)
    truth, swapped = [{"a"}, {"b"}, {"a", "b"}, set()] * 20, [{"b"}, {"a"}, {"a", "b"}, set()] * 20

    found = multilabel.stability(truth, swapped, splits=10)

    assert found["permuted_proficiency"].mean == pytest.approx(1.0)
    assert found["proficiency"].mean < 0.5


def test_stability_of_too_many_categories_says_nothing_of_renaming(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("infoscope.studies.multilabel.MAX_RENAMED_CATEGORIES", 1)
    monkeypatch.setattr("infoscope.studies.multilabel.MAX_CATEGORIES_OF_HALVES", 1)

    assert "permuted_proficiency" not in multilabel.stability([{"a"}, {"b"}] * 5, [{"a"}, {"b"}] * 5, splits=5)


def test_halves_of_a_split_are_all_objects() -> None:
    ledger = ObjectSums.of(align_label_sets(*map(LabelSets.from_sets, ([{"a"}, {"b"}, {"a", "b"}] * 4, [{"a"}] * 12))))
    heads, tails = np.split(ledger.toss_coins(30, np.random.default_rng(0)), 2)

    assert np.array_equal(heads + tails, np.ones((30, 12)))
    assert 0 < heads.mean() < 1


@pytest.mark.slow
def test_undefined_numbers_have_their_reason_in_text_and_leave_intervals_their_room():
    nothing = np.zeros((3, 2), int)
    text = " ".join(render(multilabel.evaluate(nothing, nothing), "text", max_rows=0).split())
    assert "undefined (micro F1, macro F1): neither side gives a category to any object" in text
    assert "Undefined (Micro precision" in text
    assert "interval" in text[text.index("Metrics metric") : text.index("Permuted proficiency", text.index("Metrics"))]
