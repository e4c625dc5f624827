"""Columns that are no pair of true and predicted classes are rejected before scoring, with the call that was meant."""

import re
import shlex

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import train_test_split

import infoscope as ifs
from benchmarks.wrong_use import populations
from tests.api import ColumnNames, app, check_columns, measure_nearness


@pytest.fixture(scope="module")
def cancer() -> pd.DataFrame:
    """A real model on real data: labels, probabilities of both classes, and an identifier."""
    data = load_breast_cancer()
    names = data.target_names[data.target]
    train, test, known, truth = train_test_split(data.data[:, :6], names, test_size=0.5, random_state=1)
    model = LogisticRegression(max_iter=2000).fit(train, known)
    probabilities = model.predict_proba(test)
    columns = {f"p_{name}": probabilities[:, at] for at, name in enumerate(model.classes_)}
    return pd.DataFrame({"label": truth, "pred": model.predict(test), **columns, "id": np.arange(len(truth)) + 7001})


@pytest.fixture
def path(cancer, tmp_path, monkeypatch) -> str:
    monkeypatch.chdir(tmp_path)
    cancer.to_csv("cancer.csv", index=False)
    return "cancer.csv"


COMMANDS = {
    "evaluate": ["evaluate", "cancer.csv", "-t", "label", "-s", "p_benign"],
    "compare": ["compare", "cancer.csv", "-t", "label", "-s", "pred", "-s", "p_benign"],
    "gate": ["gate", "cancer.csv", "-t", "label", "-s", "p_benign", "--min", "proficiency=0.5"],
}


@pytest.mark.slow
@pytest.mark.usefixtures("path")
@pytest.mark.parametrize("command", COMMANDS)
def test_a_column_of_scores_is_no_column_of_classes_and_the_command_given_works(command):
    found = CliRunner().invoke(app, COMMANDS[command])

    assert (found.exit_code, found.stdout) == (2, "")
    assert "column 'p_benign' holds" in found.stderr
    (meant,) = re.findall(r"infoscope (sweep .*)$", found.stderr.strip())
    assert meant == "sweep cancer.csv -t label --score p_benign --positive benign"
    swept = CliRunner().invoke(app, shlex.split(meant))
    assert swept.exit_code == 0
    assert "Predict 'benign' when the score is at least" in swept.stdout


@pytest.mark.slow
def test_columns_of_probabilities_are_named_together_and_the_command_given_works(path):
    found = CliRunner().invoke(app, ["evaluate", path, "-t", "label", "-s", "p_benign", "-s", "p_malignant"])

    assert found.exit_code == 2
    assert "'p_benign', 'p_malignant' hold probabilities that sum to 1" in found.stderr
    (meant,) = re.findall(r"infoscope (sweep .*)$", found.stderr.strip())
    assert CliRunner().invoke(app, shlex.split(meant)).exit_code == 0


@pytest.mark.parametrize(
    ("truth", "system", "words"),
    [
        ("label", "id", "column 'id' holds 285 different numbers in 285 rows and none of them is a true class"),
        ("id", "pred", "name the column of true classes with -t"),
        ("pred", "label", "look swapped; give truth='label' and system='pred': infoscope evaluate cancer.csv -t label"),
        ("p_benign", "label", "infoscope sweep cancer.csv -t label --score p_benign"),
    ],
)
def test_identifiers_and_exchanged_columns(path, truth, system, words):
    with pytest.raises(ifs.InputError, match=re.escape(words)):
        ifs.evaluate(path, truth=truth, system=system)


def test_identifiers_beside_many_classes():
    """Too few of them to be many for each class, and still one for each row."""
    classes, identifiers = [f"class {at % 25}" for at in range(60)], [f"row {at}" for at in range(60)]
    with pytest.raises(ifs.InputError, match="60 different values in 60 rows and none of them is a true class"):
        ifs.evaluate(classes, identifiers)


@pytest.mark.parametrize("form", ["array", "list", "frame", "boolean truth", "mapping", "table"])
def test_scores_given_in_python(cancer, form):
    truth, scores = cancer["label"], cancer["p_benign"].round(2)
    calls = {
        "array": lambda: ifs.evaluate(truth.to_numpy(), scores.to_numpy()),
        "list": lambda: ifs.evaluate(truth.tolist(), scores.tolist()),
        "frame": lambda: ifs.evaluate(cancer, truth="label", system="p_benign"),
        "boolean truth": lambda: ifs.evaluate(truth == "benign", scores),
        "mapping": lambda: ifs.compare(truth, {"labels": cancer["pred"], "scores": scores}),
        "table": lambda: ifs.evaluate(ifs.Contingency.from_labels(truth, scores)),
    }
    with pytest.raises(ifs.InputError, match=r"scores and no predicted classes.*ifs\.sweep\("):
        calls[form]()


@pytest.mark.slow
@pytest.mark.parametrize("form", ["array", "lists", "frame", "mapping", "tensor"])
def test_probabilities_of_every_class(form):
    iris = load_iris()
    probabilities = LogisticRegression(max_iter=1000).fit(iris.data, iris.target).predict_proba(iris.data)
    given = {
        "array": probabilities,
        "lists": probabilities.tolist(),
        "frame": pd.DataFrame(probabilities, columns=iris.target_names),
        "mapping": {"model": probabilities, "other": iris.target},
    }
    if form == "tensor":
        given["tensor"] = pytest.importorskip("torch").tensor(probabilities)
    with pytest.raises(ifs.InputError, match=r"probabilities that sum to 1 and no predicted classes.*ifs\.sweep"):
        ifs.evaluate(iris.target, given[form])


@pytest.mark.slow
def test_targets_of_a_regression_get_no_verdict():
    features, target = load_diabetes(return_X_y=True)
    predicted = LinearRegression().fit(features, target).predict(features)
    with pytest.raises(ifs.InputError, match=r"214 different numbers in 442 rows.*quantities, not classes; use a regr"):
        ifs.evaluate(target, predicted)

    for result in (
        ifs.evaluate(target[:80], predicted[:80].round()),
        ifs.compare(target[:80], {"one": predicted[:80].round(), "two": (predicted[:80] + 20).round()}),
    ):
        first, *_ = result.to_text().strip().splitlines()
        assert first == "No verdict: these labels seem to be measurements rather than classes."
        assert "mean_absolute_error" in result.to_text()


@pytest.mark.slow
def test_random_numbers_capture_nothing():
    rng = np.random.default_rng(11)
    text = ifs.evaluate(rng.integers(0, 2, 200), rng.permutation(10**6)[:200].astype(str), task="clustering").to_text()
    assert "no more information than expected by chance" in text


def test_predictions_for_a_constant_truth_may_be_swapped():
    text = ifs.evaluate(["cat"] * 40, ["cat", "dog"] * 20).to_text()
    assert "exchange them" in text


@pytest.mark.slow
def test_columns_of_real_classes_are_never_rejected():
    """Taxonomies, language ids, class ids, codes with a decimal point, ratings, grades, tiny samples."""
    for name, draw in populations(np.random.default_rng(41)):
        for _ in range(2):
            check_columns({name: ifs.Contingency.from_labels(*draw())}, ColumnNames())


@pytest.mark.parametrize(
    ("truth", "system"),
    [
        (list("abcdef"), list("abcfed")),
        ([f"id{at}" for at in range(40)], [f"id{at + at % 2}" for at in range(40)]),
        ([1.5, 2.5, 3.5] * 10, [1.5, 2.5, 2.5] * 10),
        (["0.5", "1.5", "2.5"] * 10, ["0.5", "1.5", "1.5"] * 10),
    ],
    ids=["all different", "entities", "numbers with a fraction", "the same as text"],
)
def test_unusual_classes_are_scored(truth, system):
    assert ifs.evaluate(truth, system)["system"].shown("accuracy") is not None


def test_a_system_that_is_not_there_is_named_beside_those_that_are():
    result = ifs.evaluate(["a", "b"], {"svm": ["a", "b"], "knn": ["b", "b"]})
    with pytest.raises(KeyError, match="there is no system 'tree'; there is 'svm', 'knn'"):
        result["tree"]
    with pytest.raises(
        KeyError, match=r"'accuracy' is a metric and no system; ask for result\['svm'\]\.number\('accuracy'\)"
    ):
        result["accuracy"]


@pytest.fixture(scope="module")
def risks(cancer) -> pd.DataFrame:
    """The same probability as people write it into a column of whole numbers, percentages or decimal commas."""
    chance = cancer["p_malignant"]
    return pd.DataFrame(
        {
            "label": cancer["label"],
            "is_malignant": (cancer["label"] == "malignant").astype(int),
            "percent": (100 * chance).round().astype(int),
            "twentieths": (20 * chance).round().astype(int),
            "log_odds": np.log(chance / (1 - chance)).round().astype(int),
            "spelt": [f"{100 * value:.1f}%" for value in chance],
            "comma": [f"{value:.3f}".replace(".", ",") for value in chance],
        }
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("truth", "column"),
    [
        ("label", "percent"),
        ("is_malignant", "percent"),
        ("label", "twentieths"),
        ("is_malignant", "log_odds"),
        ("label", "spelt"),
        ("is_malignant", "comma"),
    ],
)
def test_scores_in_any_spelling_are_no_classes_and_the_command_given_works(risks, tmp_path, monkeypatch, truth, column):
    monkeypatch.chdir(tmp_path)
    risks.to_csv("risks.csv", index=False)
    found = CliRunner().invoke(app, ["evaluate", "risks.csv", "-t", truth, "-s", column])

    assert (found.exit_code, found.stdout) == (2, "")
    assert f"column '{column}' holds" in found.stderr
    assert "which are scores and no predicted classes" in found.stderr
    (meant,) = re.findall(r"infoscope (sweep .*)$", found.stderr.strip())
    swept = CliRunner().invoke(app, shlex.split(meant))
    assert swept.exit_code == 0
    assert re.search(r"Predict '(malignant|1)' when the score is at least", swept.stdout)


def test_numbers_of_clusters_are_no_scores(cancer):
    """Clusters of one class each, numbered in any order; an order by class would be one in a million."""
    rng = np.random.default_rng(5)
    is_malignant = (cancer["label"] == "malignant").to_numpy().astype(int)
    for _ in range(20):
        names = rng.permutation(40)
        clusters = names[20 * is_malignant + rng.integers(0, 20, len(is_malignant))]
        check_columns({"clusters": ifs.Contingency.from_labels(cancer["label"], clusters)}, ColumnNames())


@pytest.mark.parametrize("clusters", [16, 24, 40])
def test_numbers_of_clusters_that_are_sorted_by_class_are_no_scores(clusters):
    """A step between the classes and no trend beside it: nobody would move a threshold along these numbers."""
    rng = np.random.default_rng(17)
    truth = rng.integers(0, 2, 1000)
    found = 100 + clusters // 2 * truth + rng.integers(0, clusters // 2, 1000)
    predicted = np.where(rng.random(1000) < 0.1, 100 + rng.integers(0, clusters, 1000), found)
    check_columns({"clusters": ifs.Contingency.from_labels(np.array(["x", "y"])[truth], predicted)}, ColumnNames())


@pytest.mark.parametrize(("numbers", "rows"), [(45, 1500), (60, 3000), (150, 9000)])
def test_so_are_most_of_many_clusters_of_different_sizes(numbers, rows):
    """Neighbouring numbers of scores have about as many rows; those of clusters have any number."""
    rng = np.random.default_rng(3)
    taken_for_scores = 0
    for _ in range(20):
        cluster = rng.choice(numbers, rows, p=rng.dirichlet(np.full(numbers, 3.0)))
        truth = np.where(rng.random(rows) < np.where(cluster < numbers // 2, 0.05, 0.95), "b", "a")
        try:
            check_columns({"clusters": ifs.Contingency.from_labels(truth, cluster + 2)}, ColumnNames())
        except ifs.InputError:
            taken_for_scores += 1
    assert taken_for_scores <= 5


@pytest.mark.parametrize("separation", [2, 4, 8, 16])
def test_scores_in_percent_of_many_rows_are_scores_however_well_they_separate(separation):
    rng = np.random.default_rng(4)
    positive = rng.random(20_000) < 0.3
    scores = np.round(100 / (1 + np.exp(-rng.normal(separation * (positive - 0.5), 2.0)))).astype(int)

    with pytest.raises(ifs.InputError, match="choose a threshold for them"):
        ifs.evaluate(np.where(positive, "b", "a"), scores)


@pytest.mark.parametrize("steps", [20, 30, 100, 500])
@pytest.mark.parametrize("rows", [300, 3000])
def test_scores_in_whole_numbers_stay_scores(steps, rows):
    rng = np.random.default_rng(18)
    truth = rng.integers(0, 2, rows)
    scores = np.rint(steps / (1 + np.exp(-1.5 * (2 * truth - 1 + rng.normal(size=rows))))).astype(int)
    table = ifs.Contingency.from_labels(np.array(["x", "y"])[truth], scores)
    with pytest.raises(ifs.InputError, match="which are scores and no predicted classes"):
        check_columns({"scores": table}, ColumnNames())


@pytest.mark.slow
def test_two_classes_of_many_are_no_scores_where_wrong_ones_are_near():
    """Rows of two of a hundred product codes, whose wrong predictions have codes near their own."""
    rng = np.random.default_rng(6)
    truth = rng.choice([20, 70], 400)
    near = truth + rng.integers(-15, 16, 400)
    predicted = np.where(rng.random(400) < 0.6, truth, near)
    assert ifs.evaluate(truth, predicted).systems[0].metrics["accuracy"].value > 0.5


def test_percentages_that_name_classes_are_labels():
    """Degrees of a stenosis, of which a system predicts two alone and annotators most."""
    rng = np.random.default_rng(7)
    truth = rng.choice(["25%", "50%", "75%", "100%"], 200)
    predicted = np.where(np.isin(truth, ["25%", "50%"]), "50%", "75%")
    assert ifs.evaluate(truth, predicted).systems[0].metrics["accuracy"].value < 0.9
    other = np.where(rng.random(200) < 0.8, truth, "25%")
    annotators = pd.DataFrame({"one": truth, "other": other})
    assert ifs.agreement(annotators, system=["one", "other"], draws=0).items == 200
    measured = pd.DataFrame(
        {name: [f"{at}%" for at in range(start, start + 100)] for name, start in (("one", 0), ("other", 1))}
    )
    with pytest.raises(ifs.InputError, match="scores or measurements"):
        ifs.agreement(measured, system=["one", "other"])


def test_a_label_of_many_percent_signs_is_text():
    labels = ["%" * 5000, "a"] * 20
    assert ifs.evaluate(labels, labels).systems[0].metrics["accuracy"].value == 1.0


def test_the_class_of_the_scores_is_named_by_their_order(cancer):
    with pytest.raises(ifs.InputError, match=r"ifs\.sweep\(y_true, y_score, positive='benign'\)"):
        ifs.evaluate(cancer["label"], cancer["p_benign"])
    with pytest.raises(ifs.InputError, match=r"ifs\.sweep\(y_true, y_score, positive=0\)"):
        ifs.evaluate((cancer["label"] == "malignant").astype(int), cancer["p_benign"])


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["json", "csv"])
def test_the_command_names_the_file_however_it_was_read(cancer, tmp_path, ending):
    path = tmp_path / f"scores of cancer.{ending}"
    cancer.to_json(path, orient="records") if ending == "json" else cancer.to_csv(path, index=False)
    found = CliRunner().invoke(app, ["evaluate", str(path), "-t", "label", "-s", "p_*"])
    (meant,) = re.findall(r"infoscope (sweep .*)$", found.stderr.strip())
    assert CliRunner().invoke(app, shlex.split(meant)).exit_code == 0


def test_numbers_that_name_classes_get_a_verdict_where_wrong_ones_are_near():
    """Neighbouring postal codes and years are confused, but far more predictions are right than miss by one."""
    rng = np.random.default_rng(8)
    for names in (np.sort(rng.choice(90_000, 300, replace=False)) + 10_000, np.arange(1930, 2020)):
        truth = rng.integers(0, len(names), 3000)
        near = np.clip(truth + rng.integers(-12, 13, 3000), 0, len(names) - 1)
        predicted = np.where(rng.random(3000) < 0.4, truth, near)
        assert measure_nearness(ifs.Contingency.from_labels(names[truth], names[near])) is not None
        assert measure_nearness(ifs.Contingency.from_labels(names[truth], names[predicted])) is None


@pytest.mark.slow
@pytest.mark.parametrize("form", ["dates", "times", "text"])
def test_dates_are_measured(form):
    days = pd.date_range("2024-01-01", periods=120)
    guessed = days + pd.to_timedelta(np.random.default_rng(3).integers(-4, 5, 120), unit="D")
    columns = [
        {"dates": each.date, "times": each + pd.Timedelta("6h"), "text": each.strftime("%Y-%m-%d")}[form]
        for each in (days, guessed)
    ]
    first, *rest = ifs.evaluate(*map(list, columns)).to_text().strip().splitlines()
    assert first == "No verdict: these labels seem to be measurements rather than classes."
    assert "The labels are numbers or dates" in " ".join(rest)


@pytest.mark.slow
def test_few_samples_per_class_are_said_to_show_as_much_by_chance():
    names = [f"entity {at}" for at in range(60)]
    shuffled = {name: np.random.default_rng(seed).permutation(names) for seed, name in enumerate(("one", "two"))}
    alone = " ".join(ifs.evaluate(names, shuffled["one"]).to_text().split())
    assert alone.startswith(
        "system captures no more information than expected by chance: with 60 predicted and 60 true classes in 60 "
        "samples, random predictions would show as much as the 100% in the sample."
    )
    several = " ".join(ifs.evaluate(names, shuffled).to_text().split())
    assert "captures more information than expected by chance; random predictions would show as much as the" in several


@pytest.mark.parametrize(("command", "meant"), [("agree", "agreement"), ("track", "tracking.evaluate")])
def test_a_command_that_has_another_name_in_python_says_which(command, meant):
    with pytest.raises(AttributeError, match=f"no attribute '{command}'; in Python it is infoscope.{meant}"):
        getattr(ifs, command)
