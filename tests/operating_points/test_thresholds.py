"""Threshold sweeps against scikit-learn, brute force and laws."""

import shlex

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, precision_recall_curve, roc_auc_score, roc_curve

import infoscope as ifs
from infoscope import SweepDisplay
from infoscope.errors import InputError
from tests.api import ChoiceOptions, encode_binary_scores, find_hull, rank_scores, thin_levels

scored_rows = st.lists(st.tuples(st.integers(-6, 6), st.booleans()), min_size=2, max_size=40).filter(
    lambda rows: len({truth for _, truth in rows}) == 2
)


def _noisy(n: int, seed: int = 0, shift: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < 0.3).astype(int)
    return rng.normal(size=n) + shift * truth, truth


def _levels(scores, truth, weights=None):
    return rank_scores(encode_binary_scores(scores, truth, positive=None, sample_weight=weights))


@given(scored_rows)
def test_every_point_is_the_table_of_its_rule(rows):
    scores, truth = np.array([s for s, _ in rows], dtype=float), np.array([t for _, t in rows])
    curve = ifs.sweep(truth, scores)

    assert len(curve) == len(set(scores)) + 1
    for point, threshold in enumerate(curve.thresholds):
        expected = ifs.Contingency.from_labels(truth, scores >= threshold, labels=[False, True])
        assert curve.table_at(point) == expected


@given(scored_rows)
def test_areas_equal_scikit_learn(rows):
    scores, truth = np.array([s for s, _ in rows], dtype=float), np.array([t for _, t in rows])
    areas = ifs.sweep(truth, scores).areas

    assert areas["roc_auc"] == pytest.approx(roc_auc_score(truth, scores), abs=1e-12)
    assert areas["average_precision"] == pytest.approx(average_precision_score(truth, scores), abs=1e-12)


def test_curves_equal_scikit_learn():
    scores, truth = _noisy(300)
    scores = np.round(scores, 1)
    curve = ifs.sweep(truth, scores)

    fpr, tpr, thresholds = roc_curve(truth, scores, drop_intermediate=False)
    roc = curve.roc_curve()
    np.testing.assert_array_equal(curve.thresholds, thresholds)
    np.testing.assert_allclose(roc["false_alarm_rate"], fpr, atol=1e-15)
    np.testing.assert_allclose(roc["recall"], tpr, atol=1e-15)
    precision, recall, _ = precision_recall_curve(truth, scores)
    ours = curve.precision_recall_curve()
    np.testing.assert_allclose(ours["precision"][1:], precision[:-1][::-1], atol=1e-15)
    np.testing.assert_allclose(ours["recall"][1:], recall[:-1][::-1], atol=1e-15)
    assert np.isnan(ours["precision"][0])


@pytest.mark.slow
def test_every_metric_along_the_curve_equals_the_metric_of_each_table():
    scores, truth = _noisy(60)
    curve = ifs.sweep(truth, scores)

    for name, values in curve.metrics().items():
        one_by_one = [float(ifs.metrics.registry.find(name).score(curve.table_at(p))) for p in range(len(curve))]
        np.testing.assert_allclose(values, one_by_one, rtol=1e-9, atol=1e-12, err_msg=name)


def test_weights_repeat_rows():
    scores, truth = np.round(_noisy(80)[0], 1), _noisy(80)[1]
    times = np.random.default_rng(1).integers(0, 4, 80)
    weighted = ifs.sweep(truth, scores, weight=times)
    repeated = ifs.sweep(np.repeat(truth, times), np.repeat(scores, times))

    kept = np.isin(weighted.thresholds, repeated.thresholds)
    np.testing.assert_allclose(weighted.values("proficiency")[kept], repeated.values("proficiency"), atol=1e-12)
    for name, area in repeated.areas.items():
        assert weighted.areas[name] == pytest.approx(area, abs=1e-12), name


def _average_information_by_definition(scores, truth):
    """Mean of I over samples' own thresholds, "≥" and ">" averaged, one table at a time."""
    total = 0.0
    for score in scores:
        for alarm in (scores >= score, scores > score):
            table = ifs.Contingency.from_labels(truth, alarm, labels=[False, True])
            total += float(ifs.metrics.mutual_information(table)) / 2
    return total / len(scores)


@given(scored_rows)
@settings(max_examples=40)
def test_average_information_is_the_mean_over_thresholds_and_survives_negation(rows):
    scores, truth = np.array([s for s, _ in rows], dtype=float), np.array([t for _, t in rows])
    found = ifs.sweep(truth, scores).areas["average_information"]

    assert found == pytest.approx(_average_information_by_definition(scores, truth), abs=1e-12)
    assert ifs.sweep(truth, -scores).areas["average_information"] == pytest.approx(found, abs=1e-12)


@pytest.mark.parametrize("scores", [np.arange(20.0), (np.arange(20) >= 14).astype(float)], ids=["distinct", "tied"])
def test_a_perfect_ranker_has_normalized_average_information_one(scores):
    truth = np.arange(20) >= 14

    assert ifs.sweep(truth, scores).areas["normalized_average_information"] == pytest.approx(1.0, abs=1e-12)


def test_a_random_ranker_has_normalized_average_information_near_zero():
    rng = np.random.default_rng(3)

    found = ifs.sweep(rng.random(20_000) < 0.2, rng.random(20_000)).areas["normalized_average_information"]
    assert 0 < found < 0.01


@given(scored_rows)
def test_no_ranker_above_chance_everywhere_beats_the_perfect_one(rows):
    scores, truth = np.array([s for s, _ in rows], dtype=float), np.array([t for _, t in rows])
    curve = ifs.sweep(truth, scores)
    roc = curve.roc_curve()
    if np.all(roc["recall"] >= roc["false_alarm_rate"]) and len(curve) > 2:
        assert curve.areas["normalized_average_information"] <= 1 + 1e-12


def test_all_scores_equal_say_nothing():
    curve = ifs.sweep([0, 1, 0, 1, 1, 0], [0.5] * 6)

    assert curve.areas["roc_auc"] == 0.5
    assert curve.areas["average_information"] == pytest.approx(0, abs=1e-15)
    assert np.isnan(curve.areas["normalized_average_information"])
    assert np.isnan(ifs.Sweep.from_dict(curve.to_dict()).areas["normalized_average_information"])
    assert "shared by several samples" in curve.findings[0].text


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=30))
def test_hull_places_are_the_corners_of_the_convex_hull(steps):
    x, y = np.cumsum([dx for dx, _ in steps]), np.cumsum([dy for _, dy in steps])
    corners = set(find_hull(x, y).tolist())
    points = np.column_stack([np.append(x, 0), np.append(y, 0)])

    for direction in np.linspace(0, 2 * np.pi, 97)[:-1]:
        along = points @ [np.cos(direction), np.sin(direction)]
        best = np.max(along)
        reached = max(along[[*corners, len(x)]])
        assert reached == pytest.approx(best, abs=1e-9)


@pytest.mark.slow
def test_hull_of_a_long_curve_is_found_in_stretches_too():
    scores, truth = _noisy(30_000)
    levels = _levels(scores, truth)
    x, y = levels.false_alarms, levels.hits
    corners = find_hull(x, y)

    slope = np.linspace(0.01, 20, 400)
    heights = y[:, None] - slope * x[:, None]
    origin = 0.0
    np.testing.assert_array_equal(heights[corners].max(axis=0, initial=origin), heights.max(axis=0, initial=origin))
    assert len(corners) < 400


def test_thinning_keeps_the_best_information_and_the_least_cost():
    scores, truth = _noisy(20_000)
    whole, thin = ifs.sweep(truth, scores, max_points=30_000), ifs.sweep(truth, scores, max_points=300)

    assert len(whole) == 20_001
    assert len(thin) <= 301
    assert thin.values("proficiency").max() == whole.values("proficiency").max()
    costs = [[0, 1], [7, 0]]
    least = [min(ifs.metrics.expected_cost(curve.tables, costs)) for curve in (whole, thin)]
    assert least[0] == least[1]
    assert thin.areas == whole.areas
    assert f"{len(thin)} of 20,001 thresholds are kept" in thin.findings[0].text


def test_thinning_leaves_a_short_curve_alone():
    levels = _levels(np.arange(10.0), np.arange(10) % 2)

    np.testing.assert_array_equal(thin_levels(levels, 10), np.arange(10))


# ── choice ───────────────────────────────────────────────────────────────────────────────────────


def test_the_best_point_by_costs_is_the_least_cost():
    scores, truth = _noisy(400)
    curve = ifs.sweep(truth, scores)
    choice = curve.best(costs=[[0, 1], [5, 0]], resamples=10)

    by_hand = [np.mean(np.where(truth == 1, 5 * (scores < t), scores >= t)) for t in curve.thresholds]
    assert choice.value == pytest.approx(min(by_hand), abs=1e-12)
    assert choice.threshold == curve.thresholds[int(np.argmin(by_hand))]


@pytest.mark.slow
def test_held_out_value_does_not_flatter_a_worthless_score():
    flattery, honest = [], []
    for seed in range(12):
        scores, truth = _noisy(120, seed=seed, shift=0.0)
        choice = ifs.sweep(truth, scores).best("accuracy", resamples=2, seed=seed)
        flattery.append(choice.value - 0.7)
        honest.append(choice.held_out.value - 0.7)

    assert np.mean(flattery) > np.mean(honest)
    score, fresh = [], []
    for seed in range(12):
        scores, truth = _noisy(120, seed=seed, shift=0.0)
        choice = ifs.sweep(truth, scores).best("kappa", resamples=2, seed=seed)
        score.append(choice.value)
        fresh.append(choice.held_out.value)
    assert np.mean(score) > 0.05
    assert abs(np.mean(fresh)) < 0.05


@pytest.mark.slow
def test_interval_of_the_choice_covers_the_value_on_new_data():
    """Thresholds are chosen on 300 samples; the truth is their kappa on 200,000 more."""
    fresh_scores, fresh_truth = _noisy(200_000, seed=999)
    inside = 0
    for seed in range(20):
        scores, truth = _noisy(300, seed=seed)
        choice = ifs.sweep(truth, scores).best("kappa", resamples=60, seed=seed)
        table = ifs.Contingency.from_labels(fresh_truth, (fresh_scores >= choice.threshold).astype(int))
        inside += choice.held_out.low <= float(ifs.metrics.kappa(table)) <= choice.held_out.high
    assert inside >= 16  # 19 expected; below 16 with probability 0.003


@pytest.mark.slow
def test_choice_is_repeatable_and_the_threshold_interval_holds_the_threshold():
    scores, truth = _noisy(500)
    curve = ifs.sweep(truth, scores)
    one, again = curve.best(resamples=30, seed=4), curve.best(resamples=30, seed=4)

    assert one == again
    assert one.threshold_low <= one.threshold <= one.threshold_high
    assert "on held-out samples" in str(one)


def test_a_choice_from_too_few_samples_says_so():
    choice = ifs.sweep(["a", "b"], [2.0, 1.0], weight=[1.0, 1000.0], positive="b").best()

    assert (choice.held_out.value, choice.threshold_low, choice.threshold_high) == (None, None, None)
    assert choice.held_out.undefined == "there are too few samples"
    assert "on held-out samples undefined: there are too few" in str(choice)


# ── bad input ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("unit", "words"), [(1e-200, "too small to square; multiply"), (1e200, "too large .* divide")])
def test_weights_that_cannot_be_squared_are_rejected(tmp_path, unit, words):
    """Areas divided by 0, and effective sizes overflowed, with a traceback."""
    truth, scores, weights = [0, 1, 0, 1], [0.1, 0.4, 0.35, 0.8], [unit, 2 * unit, unit, unit]
    rows = zip(truth, scores, weights, strict=True)
    lines = tmp_path / "scores.csv"
    lines.write_text("t,p,w\n" + "\n".join(f"{t},{p},{w}" for t, p, w in rows))

    with pytest.raises(InputError, match=words):
        ifs.sweep(truth, scores, weight=weights)
    with pytest.raises(InputError, match=words):
        ifs.sweep(lines, truth="t", score="p", weight="w")


@pytest.mark.parametrize("weights", [[1, 1e20, 1, 1e20], [1e20, 1, 1e20, 1]])
def test_classes_of_too_different_weights_are_rejected(weights):
    """The area under the curve divided by the negatives, a difference of two sums: 0."""
    with pytest.raises(InputError, match=r"one class weigh 1e\+20 times those of the other"):
        ifs.sweep([0, 1, 0, 1], [0.1, 0.4, 0.35, 0.8], weight=weights)
    assert ifs.sweep([0, 1, 0, 1], [0.1, 0.4, 0.35, 0.8], weight=np.power(weights, 0.4)).areas["roc_auc"] == 1.0


@pytest.mark.parametrize("scores", [[1e30] * 4, [-1e308, 1e308] * 2, [0.0, 5e-324] * 2])
def test_scores_whose_range_is_no_number_are_drawn(scores):
    """Ranges of no length, or too large for a number, ended as an error of arithmetic."""
    found = ifs.sweep([0, 1, 1, 0], scores)
    assert "ROC" in found.to_text()
    assert "nan" not in SweepDisplay.from_sweep(found).to_svg()


@pytest.mark.parametrize("scale", [1.0, 1024.0])
def test_tables_of_a_weighted_sweep_have_their_effective_size(scale):
    """They were as certain as the sum of the weights: with weights of 1024, a G test was always significant."""
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 60)
    scores, weights = np.round(truth + rng.normal(size=60), 1), scale * (0.5 + rng.random(60))
    found = ifs.sweep(truth, scores, weight=weights)
    said = (scores >= found.thresholds[20]).astype(int)
    table = ifs.Contingency.from_labels(truth, said, sample_weight=weights)

    assert found.table_at(20).sample_size == pytest.approx(table.sample_size)
    assert found.values("g_p_value")[20] == pytest.approx(float(ifs.metrics.g_p_value(table)))


def test_a_row_of_weight_zero_is_not_there():
    whole = ifs.sweep([0, 1, 0, 0], [0.9, 0.5, 0.4, 0.1], weight=[0, 1, 1, 1])
    without = ifs.sweep([1, 0, 0], [0.5, 0.4, 0.1])

    assert whole.areas == pytest.approx(without.areas)


def test_reversed_scores_are_named():
    scores, truth = _noisy(200)

    note = ifs.sweep(truth, -scores).findings[0].text
    assert "below chance" in note
    assert "high scores mean 0" in note


def test_missing_truth_is_ignored_and_counted():
    curve = ifs.sweep(["no", "yes", None], [0.1, 0.9, 0.5])

    assert [(each.reason, each.rows) for each in curve.provenance.ignored] == [("missing truth", 1)]
    assert "rows_ignored" in {finding.code for finding in curve.findings}
    assert curve.ladder.pattern.positive_label == "yes"
    assert curve.best(resamples=3).threshold == 0.9


def test_the_positive_class_may_be_stated():
    scores, truth = _noisy(100)
    one, other = ifs.sweep(truth, scores), ifs.sweep(truth, -scores, positive=0)

    assert one.areas["roc_auc"] == pytest.approx(other.areas["roc_auc"])
    assert other.rule == "0 when score ≥ t"


@pytest.mark.slow
def test_document_is_plain_json_with_nulls_for_undefined():
    import json

    record = json.loads(ifs.sweep([0, 1, 0], [0.1, 0.9, 0.5]).to_json())
    assert record["schema"] == "infoscope/sweep/2"
    assert record["metrics"]["precision"][0] is None
    assert record["thresholds"] == [None, 0.9, 0.5, 0.1]
    assert record["metrics"]["proficiency"][1] == 1.0


@pytest.mark.slow
def test_scores_of_the_other_class_are_offered_reversed():
    scores, truth = _noisy(200)
    found = ifs.sweep(truth, -scores)

    assert found.reversed_class == "0"
    assert found.choices == ()
    assert found.to_dict()["choices"] == []
    for text in (found.to_text(), found.to_markdown(), ifs.Sweep.from_dict(found.to_dict()).to_text()):
        assert "High scores mean “0”, not “1”: no threshold is recommended." in text
        assert "--positive 0" in text
        assert "Recommended" not in text
    assert ifs.sweep(truth, -scores, positive=0).choices


@pytest.mark.slow
def test_an_area_below_one_half_by_chance_is_no_reversal():
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 2, 60)
    scores = next(s for s in (rng.random(60) for _ in range(99)) if 0.42 < ifs.sweep(truth, s).areas["roc_auc"] < 0.5)

    found = ifs.sweep(truth, scores)
    assert found.reversed_class is None
    assert found.choices
    assert "not significantly" in found.findings[0].text


@pytest.mark.parametrize(
    ("labels", "positive"),
    [(("no", "yes"), "yes"), (("fraud", "not fraud"), "fraud"), (("-", "+"), "+"), ((2, 3), 3), ((False, True), True)],
)
def test_names_that_say_which_class_is_positive(labels, positive):
    truth = [labels[0], labels[1]] * 10
    assert ifs.sweep(truth, [0.1, 0.9] * 10, positive=None).positive == str(positive)


def test_the_class_that_scores_mean_is_asked_for_where_names_do_not_say():
    truth, scores = ["benign", "malignant"] * 10, [0.1, 0.9] * 10
    asked = [finding.text for finding in ifs.sweep(truth, scores).findings if finding.code == "positive_asked"]

    assert len(asked) == 1
    assert "--positive malignant or --positive benign" in asked[0]
    for stated in (ifs.sweep(truth, scores, positive="malignant"), ifs.sweep(["no", "yes"] * 10, scores)):
        assert all(finding.code != "positive_asked" for finding in stated.findings)


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 4)), min_size=2, max_size=12))
@settings(max_examples=25)
def test_average_accuracy_is_the_mean_over_the_samples_own_thresholds(rows):
    """Each sample's score is a threshold; "score ≥ s" and "score > s" count half each."""
    truth, scores = (np.array(side) for side in zip(*rows, strict=True))
    if len(set(truth.tolist())) < 2:
        return
    found = ifs.sweep(truth, scores, positive=True).areas["average_accuracy"]
    expected = [
        np.mean([np.mean((scores >= s) == truth) / 2 + np.mean((scores > s) == truth) / 2 for s in (score,)])
        for score in scores
    ]

    assert found == pytest.approx(np.mean(expected), abs=1e-12)


def rejecting(rows: int = 300, sharp: float = 1.0) -> ifs.Sweep:
    rng = np.random.default_rng(8)
    chances = rng.dirichlet([0.6] * 3, size=rows)
    truth = np.array([rng.choice(3, p=p) for p in chances])
    return ifs.sweep(truth, chances**sharp / (chances**sharp).sum(axis=1, keepdims=True))


def test_averages_over_rejections_are_means_over_the_share_accepted():
    curve = rejecting()
    accepted = 1 - curve.values("rejection_rate")
    widths = np.diff(accepted)
    middles = {
        name: (curve.values(name)[1:] + curve.values(name)[:-1]) / 2 for name in ("mutual_information", "accuracy")
    }

    assert curve.areas["average_information"] == pytest.approx(middles["mutual_information"] @ widths, abs=1e-12)
    assert curve.areas["average_accuracy"] == pytest.approx(middles["accuracy"] @ widths, abs=1e-12)
    assert 0 < curve.areas["normalized_average_information"] < 1


def test_normalized_average_information_of_rejections_is_one_where_all_accepted_are_right():
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 3, 200)
    sure = rng.uniform(0.5, 1.0, 200)
    chances = np.full((200, 3), 0.0) + ((1 - sure) / 2)[:, None]
    chances[np.arange(200), truth] = sure
    shuffled = chances[rng.permutation(200)]

    assert ifs.sweep(truth, chances).areas["normalized_average_information"] == pytest.approx(1.0, abs=1e-12)
    assert ifs.sweep(truth, shuffled).areas["normalized_average_information"] < 0.1


@pytest.mark.slow
def test_the_interval_on_held_out_samples_stays_within_the_range_of_the_metric() -> None:
    rng = np.random.default_rng(4)
    truth = np.arange(300) < 12
    choice = ifs.sweep(truth, truth * 0.2 + rng.random(300), positive=True).choices[0]
    assert choice.criterion == "proficiency"
    assert choice.held_out.low == 0.0


@pytest.mark.parametrize("classes", [(-1, 1), (False, True), ("not spam", "spam"), ("it's", "yes")])
def test_the_class_that_scores_mean_is_named_as_it_is_asked_for(classes):
    rng = np.random.default_rng(6)
    codes = rng.integers(0, 2, 200)
    truth, scores = [classes[code] for code in codes], rng.normal(codes, 0.5)
    positive = ifs.sweep(truth, scores).positive
    label = next(each for each in classes if str(each) != positive)
    text = " ".join(ifs.sweep(truth, -scores).to_text().split())
    assert f"--positive {shlex.quote(str(label))} (positive={label!r} in Python)" in text
    assert ifs.sweep(truth, -scores, positive=label).reversed_class is None


def test_points_that_are_shown_lie_close_where_few_samples_are_positive():
    rng = np.random.default_rng(0)
    truth = rng.random(8000) < 1 / 300
    curve = ifs.sweep(truth, 0.3 * rng.random(8000) + truth * 0.6 * rng.random(8000))
    points = curve.spread_points(201)

    assert len(points) <= 202
    assert set(curve.values("recall")[points]) == set(curve.values("recall"))
    assert np.diff(curve.values("accuracy")[points]).max() < 0.02
    assert max(curve.thresholds[points][1:]) == max(curve.thresholds[1:])
    stored = curve.stored(["recall"], 201)
    assert set(stored.values("recall")) == set(curve.values("recall"))


@pytest.mark.parametrize("most", [2, 3, 10, 100])
def test_few_points_are_about_as_many_as_asked_for(most):
    curve = ifs.sweep([0, 1] * 10, np.linspace(0.0, 1.0, 20))
    points = curve.spread_points(most)

    assert len(points) <= min(most + 2, len(curve))
    assert points[0] == 0
    assert points[-1] == len(curve) - 1


@pytest.mark.parametrize("steps", [5, 10_000])
def test_random_scores_get_no_recommendation(steps):
    named = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        named += ifs.sweep(rng.integers(0, 2, 200), rng.integers(0, steps, 200)).is_by_chance
    assert named >= 36  # the two tests together err in at most one of twenty

    found = ifs.sweep([0, 1] * 100, np.repeat(np.arange(100), 2))
    assert str(found).startswith("The scores separate the classes no better than chance: no threshold is recommended.")
    assert "Best in this sample: " in found.to_text()
    assert ifs.sweep([0, 1] * 100, [0.5] * 200).is_by_chance
    costs = found.choose_by(ChoiceOptions(costs=np.array([[0.0, 1.0], [5.0, 0.0]])))
    assert "no threshold is recommended" not in str(costs)


def test_what_is_captured_held_out_is_marked_where_room_is_short():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 300)
    found = ifs.sweep(truth, truth + rng.normal(0, 1, 300))
    held = found.choices[0].held_out

    line = next(line for line in found.to_text(width=72).splitlines() if line.startswith("  captured"))
    assert line.split()[:4] == ["captured,", "held", "out", f"{held.value:.1%}"]
    bar = found.to_text(full=True)
    assert "Captured, missed and false in this sample" in bar
    assert f"captured {found.choices[0].value:.1%}" in bar
    assert "Captured, missed and false" not in found.to_text()


def test_scores_that_tell_something_keep_their_threshold():
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 300)
    shifted = ifs.sweep(truth, rng.normal(size=300) + 0.5 * truth)
    grid = np.linspace(-1.0, 1.0, 100)
    wider = ifs.sweep([0] * 100 + [1] * 100, [*grid, *(5.0 * grid)])  # an area of one half, and a threshold that helps

    for curve in (shifted, wider, ifs.sweep([0, 1] * 5, [0.2, 0.4] * 5)):
        assert not curve.is_by_chance
        assert str(curve).startswith("Predict")


def test_the_best_point_is_that_of_the_metric_that_was_asked_for():
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 200)
    curve = ifs.sweep(truth, 0.3 * truth + 0.7 * rng.random(200), choose_by="accuracy")

    assert curve.best(resamples=5).criterion == "accuracy"
    assert curve.best(resamples=5).threshold == curve.choices[0].threshold
    assert curve.best("proficiency", resamples=5).criterion == "proficiency"
