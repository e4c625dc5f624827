"""Scoring rules and lift of scores, in all and by group: against scikit-learn, by hand, and by their laws."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import brier_score_loss, log_loss, roc_auc_score

import infoscope as ifs
from infoscope.errors import MissingLabelsWarning
from tests.api import app, render

RNG = np.random.default_rng(31)
TRUTH = (RNG.random(300) < 0.25).astype(int)
SCORE = np.round(1 / (1 + np.exp(1.4 - 1.8 * TRUTH + RNG.normal(0, 1.0, 300))), 3)
SITE = RNG.choice(["north", "south", "west"], 300, p=[0.5, 0.3, 0.2])
ROWS = {"label": TRUTH.tolist(), "score": SCORE.tolist(), "site": SITE.tolist()}


def summary(truth: object, score: object, **options: object) -> ifs.operating_points.ScoreSummary:
    found = ifs.sweep(truth, score, **options).scoring  # type: ignore[arg-type]
    assert found is not None
    return found


def lift_quality_by_counting(truth: np.ndarray, score: np.ndarray) -> float:
    """By its definition: positives found so far, summed over the rows from the highest score down."""
    order = np.argsort(-score, kind="stable")
    found = np.cumsum(truth[order])
    gains = (2 * found.sum() - found[-1]) / (found[-1] * len(truth))
    return float((gains - 1) / (1 - truth.mean()))


def test_scoring_rules_are_those_of_scikit_learn() -> None:
    found = summary(TRUTH, SCORE)
    base = np.full(300, TRUTH.mean())

    assert found.log_loss == pytest.approx(log_loss(TRUTH, SCORE))
    assert found.brier_score == pytest.approx(brier_score_loss(TRUTH, SCORE))
    assert found.roc_auc == pytest.approx(roc_auc_score(TRUTH, SCORE))
    assert found.normalized_log_loss == pytest.approx(1 - log_loss(TRUTH, SCORE) / log_loss(TRUTH, base))
    assert found.normalized_brier_score == pytest.approx(
        1 - brier_score_loss(TRUTH, SCORE) / brier_score_loss(TRUTH, base)
    )
    assert found.mean_score == pytest.approx(SCORE.mean())
    assert found.over_prediction == pytest.approx(SCORE.sum() / TRUTH.sum() - 1)
    assert (found.samples, found.positives, found.prevalence) == (300, TRUTH.sum(), pytest.approx(TRUTH.mean()))


@pytest.mark.parametrize("weighted", [False, True])
def test_scores_and_log_loss_are_split_by_class(weighted: bool) -> None:
    """The two parts, weighted by their rows, are the whole."""
    weights = np.random.default_rng(10).integers(1, 4, 300) if weighted else np.ones(300, dtype=int)
    found = summary(TRUTH, SCORE, weight=weights) if weighted else summary(TRUTH, SCORE)
    of = {"positives": TRUTH == 1, "negatives": TRUTH == 0}

    for name, rows in of.items():
        mean = np.average(SCORE[rows], weights=weights[rows])
        loss = log_loss(TRUTH[rows], SCORE[rows], sample_weight=weights[rows], labels=[0, 1])
        assert getattr(found, f"mean_score_of_{name}") == pytest.approx(mean)
        assert getattr(found, f"log_loss_of_{name}") == pytest.approx(loss)
    share = weights[of["positives"]].sum() / weights.sum()
    for name in ("mean_score", "log_loss"):
        parts = (getattr(found, f"{name}_of_{side}") for side in of)
        assert np.dot([share, 1 - share], list(parts)) == pytest.approx(getattr(found, name))
    of_one = summary(TRUTH, 10 * SCORE - 3)
    assert (of_one.mean_score_of_positives, of_one.log_loss_of_negatives) == (None, None)


def test_scoring_rules_of_several_classes_are_those_of_scikit_learn() -> None:
    chances = np.random.default_rng(4).dirichlet([0.7] * 3, 120)
    truth = np.random.default_rng(5).integers(0, 3, 120)
    found = summary(truth, chances)

    assert found.log_loss == pytest.approx(log_loss(truth, chances))
    assert found.brier_score == pytest.approx(np.mean(((chances - np.eye(3)[truth]) ** 2).sum(axis=1)))
    both = summary(TRUTH, np.column_stack([1 - SCORE, SCORE]))
    one = summary(TRUTH, SCORE)
    for name in ("log_loss", "brier_score", "normalized_log_loss", "normalized_brier_score"):
        assert getattr(both, name) == pytest.approx(getattr(one, name)), name


@given(st.lists(st.booleans(), min_size=2, max_size=20))
@settings(max_examples=40)
def test_lift_quality_by_counting(truth: list[bool]) -> None:
    if len(set(truth)) < 2:
        return
    score = np.random.default_rng(len(truth)).permutation(len(truth)) / len(truth)
    labels = np.array(truth, dtype=int)

    assert summary(labels, score, positive=1).lift_quality == pytest.approx(lift_quality_by_counting(labels, score))


def test_best_lift_is_where_the_gains_are_farthest_above_chance() -> None:
    truth = np.array([1, 1, 0, 1, 0, 0, 0, 0])
    score = np.array([0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2])
    found = summary(truth, score)

    assert (found.best_lift_threshold, found.best_lift_share) == (0.6, 0.5)
    assert found.best_lift == pytest.approx((3 / 4) / (3 / 8))
    assert summary(truth, -score).best_lift is None or summary(truth, -score).best_lift >= 1


def test_sure_errors_are_counted_and_the_loss_stays_finite() -> None:
    found = summary([1, 0, 0, 1], [0.0, 1.0, 0.2, 0.7])

    assert (found.sure_false_positives, found.sure_false_negatives) == (1, 1)
    assert np.isfinite(found.log_loss or np.inf)


def test_scores_that_are_no_probabilities_have_no_scoring_rules() -> None:
    found = summary(TRUTH, 10 * SCORE - 3)

    assert (found.log_loss, found.brier_score, found.mean_score) == (None, None, None)
    assert found.roc_auc == pytest.approx(roc_auc_score(TRUTH, SCORE))


def test_raw_scores_are_logits() -> None:
    logits = np.log(SCORE / (1 - SCORE))
    assert summary(TRUTH, logits, raw=True).log_loss == pytest.approx(log_loss(TRUTH, SCORE))
    chances = np.random.default_rng(4).dirichlet([0.7] * 3, 60)
    truth = np.arange(60) % 3
    shifted = np.log(chances) + np.random.default_rng(6).normal(size=(60, 1))
    assert summary(truth, shifted, raw=True).log_loss == pytest.approx(log_loss(truth, chances))
    rows = {"y": TRUTH.tolist(), "s": logits.tolist()}
    read = ifs.sweep(rows, truth="y", score="s", raw=True, clean="strip").scoring
    assert read is not None
    assert read.log_loss == pytest.approx(log_loss(TRUTH, SCORE))


def test_groups_are_the_sums_of_their_own_rows_and_the_total_of_all() -> None:
    found = ifs.sweep(ROWS, truth="label", score="score", by="site")

    assert [each.summary.samples for each in found.groups] == sorted(
        (np.count_nonzero(name == SITE) for name in ("north", "south", "west")), reverse=True
    )
    for each in found.groups:
        mine = each.group[0] == SITE
        assert each.summary == summary(TRUTH[mine], SCORE[mine])
    assert found.total == summary(TRUTH, SCORE)
    losses = [each.summary.log_loss for each in found.groups]
    known = found.statistics["log_loss"]
    assert (known.groups, known.mean, known.sd) == (3, pytest.approx(np.mean(losses)), pytest.approx(np.std(losses)))
    rows = list(found.rows())
    assert (rows[0]["site"], len(rows)) == ("total", 4)


def test_several_columns_of_scores_are_summed_up_on_the_same_rows() -> None:
    other = 1 / (1 + np.exp(-4 * (SCORE - RNG.random(300))))
    gaps = [None if place % 10 == 0 else score for place, score in enumerate(other.tolist())]
    rows = ROWS | {"other": gaps}
    complete = np.arange(300) % 10 != 0
    left = {name: np.array(values)[complete].tolist() for name, values in ROWS.items()} | {
        "other": other[complete].tolist()
    }
    with pytest.warns(UserWarning, match="missing score in 'other'"):
        found = ifs.sweep(rows, truth="label", score=["score", "other"], by="site")

    assert [column.score for column in found.columns] == ["score", "other"]
    for column in found.columns:
        alone = ifs.sweep(left, truth="label", score=column.score, by="site")
        assert (column.total, column.groups) == (alone.total, alone.groups)
        assert column.statistics == alone.statistics
    assert [row["score"] for row in found.rows()] == ["score"] * 4 + ["other"] * 4
    assert all(f"All groups: {name}" in render(found, "text", max_rows=0) for name in ("score", "other"))
    assert ifs.operating_points.ScoreGroups.from_dict(found.to_dict()).to_dict() == found.to_dict()


def test_logits_of_several_columns_are_no_softmax() -> None:
    logits = {name: np.log(SCORE / (1 - SCORE)) * factor for name, factor in (("one", 1.0), ("two", 2.0))}
    rows = ROWS | {name: values.tolist() for name, values in logits.items()}
    found = ifs.sweep(rows, truth="label", score=["one", "two"], by="site", raw=True)

    for column in found.columns:
        chances = 1 / (1 + np.exp(-logits[column.score]))
        assert column.total.log_loss == pytest.approx(log_loss(TRUTH, chances))


def test_a_group_of_one_class_is_kept_and_said() -> None:
    rows = {"y": [1, 0, 0, 0], "s": [0.7, 0.2, 0.1, 0.3], "g": ["a", "a", "b", "b"]}
    found = ifs.operating_points.score_groups(rows, truth="y", score="s", by="g")
    alone = next(each.summary for each in found.groups if each.group == ("b",))

    assert (alone.roc_auc, alone.normalized_log_loss, alone.over_prediction) == (None, None, None)
    assert alone.brier_score == pytest.approx(0.05)
    assert (alone.mean_score_of_positives, alone.log_loss_of_positives) == (None, None)
    assert alone.log_loss_of_negatives == alone.log_loss
    assert found.statistics["lift_quality"].groups == 1
    assert [each.code for each in found.findings] == ["groups_of_one_class"]


@pytest.mark.slow
def test_whether_scores_are_probabilities_is_decided_for_all_groups_together() -> None:
    rows = {"y": [1, 0, 1, 0], "s": [2.0, -1.0, 0.3, 0.2], "g": ["a", "a", "b", "b"]}
    found = ifs.operating_points.score_groups(rows, truth="y", score="s", by="g")

    assert all(each.summary.log_loss is None for each in found.groups)
    assert [each.code for each in found.findings] == ["no_probabilities"]
    assert "--score-type logit" in found.to_text()
    assert "--score-type logit" in render(ifs.sweep(rows["y"], rows["s"]), "text", max_rows=0)


def test_weights_count_as_repeated_rows() -> None:
    weights = np.random.default_rng(9).integers(1, 4, 300)
    rows = {**ROWS, "w": weights.astype(float).tolist()}
    weighted = ifs.operating_points.score_groups(rows, truth="label", score="score", by="site", weight="w")
    repeated = {name: np.repeat(values, weights).tolist() for name, values in ROWS.items()}
    whole = ifs.operating_points.score_groups(repeated, truth="label", score="score", by="site")

    for name in ("samples", "log_loss", "brier_score", "lift_quality", "best_lift", "over_prediction"):
        assert getattr(weighted.total, name) == pytest.approx(getattr(whole.total, name)), name


def run(*arguments: object) -> object:
    return CliRunner().invoke(app, [str(each) for each in arguments])


@pytest.mark.slow
def test_the_command_sums_up_by_group(tmp_path: Path) -> None:
    file = tmp_path / "scores.csv"
    lines = [f"{label},{score},{site},{1 - score}" for label, score, site in zip(TRUTH, SCORE, SITE, strict=True)]
    file.write_text("\n".join(["label,score,site,reverse", *lines]) + "\n", encoding="utf-8")
    done = run("sweep", file, "-t", "label", "--score", "score", "--by", "site", "--format", "json")
    document = json.loads(done.stdout)  # type: ignore[attr-defined]
    assert document["total"]["log_loss"] == pytest.approx(log_loss(TRUTH, SCORE))
    twice = run("sweep", file, "-t", "label", "--score", "score,reverse", "--by", "site").stdout  # type: ignore[attr-defined]
    assert f"ROC AUC of {document['total']['roc_auc']:.1%}" in twice
    assert " reverse ranks positives above negatives" in " ".join(twice.split())
    text = run("sweep", file, "-t", "label", "--score", "score", "--by", "site", "-v").stdout  # type: ignore[attr-defined]
    assert "lift quality" in text
    assert "total" in text
    plain = run("sweep", file, "-t", "label", "--score", "score", "-v").stdout  # type: ignore[attr-defined]
    assert "log loss of positives" in plain
    assert "mean score of negatives" in text
    assert all(word in plain for word in ("Brier score", "over-prediction", "lift quality", "prevalence"))
    wrong = run("sweep", file, "-t", "label", "--score", "score", "--by", "site", "--metric", "f1")
    assert (wrong.exit_code, "--metric is not for groups" in wrong.stderr) == (2, True)  # type: ignore[attr-defined]


def test_rows_without_a_group_are_told() -> None:
    rows = {"y": [1, 0, 1, 0, 1], "s": [0.9, 0.1, 0.8, None, 0.4], "g": ["a", "a", "b", "b", None]}
    with pytest.warns(
        MissingLabelsWarning, match="1 row left out: missing group in 'g'; 1 row left out: missing score"
    ):
        result = ifs.operating_points.score_groups(rows, truth="y", score="s", by="g")
    assert result.provenance.rows_ignored == 2
    assert result.findings[-2].text == "1 row left out: missing group in 'g'."
