"""Cross-validation and half-splits: the same by the same seed, honest about bad input, and fit to be shown."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from matplotlib.path import Path as Outline
from scipy.sparse import coo_matrix, csr_array
from sklearn.datasets import load_iris
from sklearn.ensemble import BaggingClassifier
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV, ShuffleSplit
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import infoscope as ifs
from infoscope import CoverageDisplay
from infoscope.errors import InputError
from tests.api import Line, fold_clouds, progress

X, Y = load_iris(return_X_y=True)
RANDOM_TREE = DecisionTreeClassifier(splitter="random", max_features=1, max_depth=3)


@pytest.mark.slow
@pytest.mark.parametrize(
    "learner",
    [
        make_pipeline(StandardScaler(), RANDOM_TREE),
        make_pipeline(StandardScaler(), BaggingClassifier(make_pipeline(StandardScaler(), RANDOM_TREE), 2)),
        GridSearchCV(RANDOM_TREE, {"max_depth": [1, 3]}, cv=ShuffleSplit(2)),
    ],
    ids=["pipeline", "nested", "search"],
)
def test_every_source_of_chance_follows_the_seed(learner: object) -> None:
    def tables(seed: int) -> np.ndarray:
        found = ifs.cross_validate({"x": learner}, X, Y, folds=3, repeats=3, jobs=1, seed=seed)
        return found.tables["x"].counts

    np.testing.assert_array_equal(tables(0), tables(0))
    assert (tables(0) != tables(1)).any()


def test_repeats_in_which_two_estimators_are_alike_count_half() -> None:
    found = ifs.cross_validate({"one": GaussianNB(), "twin": GaussianNB()}, X, Y, folds=3, repeats=2, jobs=1)

    assert [overlap.share_a_lower for overlap in found.overlaps] == [0.5]


def test_halves_of_a_split_are_all_rows() -> None:
    """The mean of the truth's share over both halves of two equal classes: what one half lacks, the other has."""
    found = ifs.stability(ifs.Contingency.from_matrix([[3, 0], [0, 400]]), metrics=["zero_one_loss"], splits=20)
    uneven = ifs.Contingency.from_matrix([[1, 1], [0, 10**6]])
    errors = ifs.stability(uneven, metrics=["error_rate"], splits=50)["error_rate"]

    assert found["zero_one_loss"] == {"mean": -1.0, "sd": 0.0, "bias": 0.0}
    # one wrong row is in one half of every split: the mean error is that of the whole, however few splits there are
    assert errors["mean"] == pytest.approx(1 / (10**6 + 2), rel=0.01)


@pytest.mark.parametrize("kind", [csr_array, coo_matrix])
def test_sparse_data_give_the_same_tables(kind: Callable[[object], object]) -> None:
    dense, sparse = (
        ifs.cross_validate({"x": MultinomialNB()}, data, Y, folds=3, repeats=1, jobs=1) for data in (X, kind(X))
    )
    assert dense.tables["x"] == sparse.tables["x"]


class Stranger(GaussianNB):
    """Answers with a class it has not seen."""

    def predict(self, X: np.ndarray) -> np.ndarray:
        return super().predict(X) + 7


@pytest.mark.parametrize(
    ("estimators", "data", "labels", "said"),
    [
        ({"x": LinearRegression()}, X, Y, "'x' predicts numbers, not classes"),
        ({"x": make_pipeline(StandardScaler(), LinearRegression())}, X, Y, "predicts numbers"),
        ({"x": "tree"}, X, Y, "'x' is a str, no estimator"),
        ({"x": GaussianNB}, X, Y, "'x' is a GaussianNB, no estimator"),
        ({"x": Stranger()}, X, Y, "'x' predicts something else"),
        (GaussianNB(), X, Y, "estimators is a GaussianNB; give them by name"),
        ({"x": GaussianNB()}, X[:100], Y, "X has 100 rows and y has 150"),
        ({"x": GaussianNB()}, X, [None, *Y[1:].tolist()], "y lacks 1 of 150 labels"),
        ({"x": GaussianNB()}, X, np.where(np.arange(150) < 2, np.nan, Y), "y lacks 2 of 150 labels"),
        ({"x": GaussianNB()}, X, np.array(["a", *Y[1:].tolist()], dtype=object), "mixes labels"),
        ({"x": GaussianNB()}, X, np.zeros(150), "one class only"),
        ({"x": GaussianNB()}, X, np.stack([Y, Y], axis=1), "y has shape"),
        ({"x": GaussianNB()}, X, np.where(np.arange(150) < 2, "rare", "usual"), "class 'rare' has 2 rows for 5 folds"),
    ],
)
def test_bad_input_is_named(estimators: object, data: object, labels: object, said: str) -> None:
    with pytest.raises(InputError, match=said):
        ifs.cross_validate(estimators, data, labels, folds=5, repeats=1, jobs=1)


def test_rare_classes_go_without_stratification() -> None:
    rare = np.where(np.arange(150) < 2, "rare", "usual")
    found = ifs.cross_validate({"x": GaussianNB()}, X, rare, folds=5, repeats=1, jobs=1, stratified=False)
    assert found.tables["x"].total[0] == 150


@pytest.fixture(scope="module")
def result() -> ifs.CrossValidation:
    learners = {"bayes": GaussianNB(), "tree": RANDOM_TREE}
    return ifs.cross_validate(learners, X, Y, folds=5, repeats=8, jobs=1)


@pytest.mark.slow
def test_the_document_says_what_the_clouds_say(result: ifs.CrossValidation) -> None:
    record = json.loads(result.to_json())

    assert (record["folds"], record["repeats"], record["provenance"]["rows"]) == (5, 8, 150)
    cloud = result.cloud("tree", "proficiency")
    assert record["estimators"][1]["metrics"]["proficiency"] == pytest.approx(
        {"value": cloud.mean(), "sd": cloud.std(ddof=1)}
    )
    assert record["overlaps"][0]["share_a_lower"] == result.overlaps[0].share_a_lower
    assert f"{100 * cloud.mean():.1f}% ± {100 * cloud.std(ddof=1):.1f}" in result.to_text()
    assert result.findings[0].text in result.to_text()
    assert "not over new data" in result.findings[0].text


@pytest.mark.slow
def test_a_fraction_of_repeats_beyond_1_is_refused(result: ifs.CrossValidation, tmp_path: Path) -> None:
    record = json.loads(result.to_json())
    record["overlaps"][0]["share_a_lower"] = 1.5
    path = tmp_path / "folds.json"
    path.write_text(json.dumps(record))

    with pytest.raises(ifs.InputError, match=r"share_a_lower is 1\.5, and it lies between 0 and 1"):
        ifs.load(path)


def test_one_repeat_has_no_spread_and_valid_json() -> None:
    once = ifs.cross_validate({"bayes": GaussianNB()}, X, Y, folds=3, repeats=1, jobs=1)
    record = json.loads(once.to_json())["estimators"][0]

    assert "sd" not in record["metrics"]["proficiency"]
    assert record["correlation"] is None


def test_the_frame_has_a_row_for_each_repeat(result: ifs.CrossValidation) -> None:
    pytest.importorskip("pandas")
    assert len(result.to_frame("pandas", wide=True)) == 16
    frame = result.to_frame("pandas")
    found = frame[(frame["system"] == "tree") & (frame["metric"] == "erroneous_information_ratio")]["value"].to_numpy()
    np.testing.assert_array_equal(found, result.cloud("tree"))


def test_clouds_stand_in_the_coverage_plane(result: ifs.CrossValidation) -> None:
    display = result.plot("coverage")

    point = display.points[1]
    assert point.name == "tree"
    np.testing.assert_array_equal(point.cloud[:, 1], result.cloud("tree", "proficiency"))
    assert point.captured == pytest.approx(result.cloud("tree", "proficiency").mean())
    assert "<svg" in display.to_svg()


def clouds(repeats: int = 200) -> ifs.CrossValidation:
    """One cloud that is large enough to be seen as it is, and one that may need a lens."""
    rng = np.random.default_rng(0)
    shares = {"wide": (100, [0.4, 0.1, 0.2, 0.3]), "narrow": (100_000, [0.35, 0.1, 0.1, 0.45])}
    return ifs.CrossValidation.from_tables(
        {
            name: ifs.Contingency.from_matrix(rng.multinomial(n, p, repeats).reshape(-1, 2, 2))
            for name, (n, p) in shares.items()
        },
        folds=5,
    )


def held(display: CoverageDisplay, name: str) -> list[float]:
    """For each closed line of an estimator, the share of its cloud that lies inside."""
    cloud = next(point.cloud for point in display.points if point.name == name)
    lines = [mark for mark in display.panel().marks if isinstance(mark, Line) and mark.closed and mark.of == name]
    return [float(Outline(line.points).contains_points(cloud).mean()) for line in lines]


@pytest.mark.parametrize("zoom", [True, False])
def test_every_cloud_has_an_outline_that_holds_nearly_all_of_it(zoom: bool) -> None:
    display = fold_clouds(clouds(), zoom=zoom)

    for name in ("wide", "narrow"):
        assert any(0.9 <= share <= 0.99 for share in held(display, name)), name


def test_the_outline_grows_with_its_level() -> None:
    half, most = (max(held(fold_clouds(clouds(), level=level), "wide")) for level in (0.5, 0.99))

    assert 0.4 <= half <= 0.6
    assert most >= 0.97


def test_two_repeats_have_no_outline() -> None:
    assert held(fold_clouds(clouds(repeats=2)), "wide") == []


@pytest.mark.slow
def test_a_terminal_sees_how_far_it_is(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(progress, "_PATIENCE", 0.0)
    monkeypatch.setattr(progress, "_TICK", 0.001)
    ifs.cross_validate({"x": BaggingClassifier(RANDOM_TREE, 20)}, X, Y, folds=3, repeats=5, jobs=1)

    assert "cross-validating" in capsys.readouterr().err


# ── half-splits ────────────────────────────────────────────────────────────────────────────────────


def test_halves_show_the_standard_error_of_the_whole() -> None:
    table = ifs.Contingency.from_matrix([[400, 100], [50, 450]])
    found = ifs.stability(table, metrics=["accuracy", "proficiency"], splits=4000)

    assert found["accuracy"]["mean"] == pytest.approx(0.85, abs=0.001)
    assert found["accuracy"]["sd"] == pytest.approx(np.sqrt(0.85 * 0.15 / 1000), rel=0.05)
    exact = ifs.Posterior(table, "perks").sd("proficiency")
    assert found["proficiency"]["sd"] == pytest.approx(exact, rel=0.06)


@pytest.mark.slow
def test_halves_agree_with_splitting_the_rows() -> None:
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 3, 200)
    system = np.where(rng.random(200) < 0.7, truth, rng.integers(0, 3, 200))
    by_hand = []
    for _ in range(1500):
        heads = rng.random(200) < 0.5
        for half in (heads, ~heads):
            by_hand.append(float(ifs.metrics.accuracy(ifs.Contingency.from_labels(truth[half], system[half]))))
    found = ifs.stability(truth, system, metrics="accuracy", splits=3000)["accuracy"]

    assert found["mean"] == pytest.approx(np.mean(by_hand), abs=0.003)
    assert found["sd"] == pytest.approx(np.std(by_hand), rel=0.06)
    assert ifs.stability(truth, system, seed=1) == ifs.stability(truth, system, seed=1)


def test_halves_look_more_informative_than_the_whole_and_say_so() -> None:
    table = ifs.Contingency.from_matrix(np.random.default_rng(2).poisson(1.5, (6, 6)) + 10 * np.eye(6, dtype=int))
    found = ifs.stability(table, metrics=["proficiency", "accuracy"])

    assert found["proficiency"]["bias"] == pytest.approx(
        found["proficiency"]["mean"] - float(ifs.metrics.proficiency(table))
    )
    assert found["proficiency"]["bias"] > 0.01
    assert abs(found["accuracy"]["bias"]) < 0.005


@pytest.mark.parametrize("counts", [[[1, 0], [0, 1]], [[1, 1], [0, 1]], [[3, 0, 0], [0, 0, 0], [0, 1, 0]]])
@pytest.mark.filterwarnings("error")
def test_stability_of_few_samples_has_no_empty_half(counts: list[list[int]]) -> None:
    """Of two samples each half has one, so each half is right or wrong as a whole."""
    found = ifs.stability(ifs.Contingency.from_matrix(counts), splits=200)

    assert all(np.isfinite(list(summary.values())).all() for summary in found.values())
    if sum(map(sum, counts)) == 2:
        assert found["accuracy"] == {"mean": 1.0, "sd": 0.0, "bias": 0.0}
        assert found["truth_entropy"]["mean"] == 0
