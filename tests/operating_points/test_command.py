"""``infoscope sweep`` as a user runs it, and the sources behind it."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

import infoscope as ifs
from infoscope.errors import InputError
from tests.api import app


def run(*words: object) -> Result:
    return CliRunner().invoke(app, ["sweep", *map(str, words)])


def _scores(n: int = 120) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    truth = np.where(rng.random(n) < 0.4, "yes", "no")
    return np.round(rng.normal(size=n) + (truth == "yes"), 2), truth


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    values, truth = _scores()
    path = tmp_path / "scores.csv"
    path.write_text("gold,p\n" + "\n".join(f"{t},{v}" for v, t in zip(values, truth, strict=True)) + "\n")
    return path


@pytest.fixture
def chances(tmp_path: Path) -> Path:
    rng = np.random.default_rng(1)
    rows = rng.dirichlet([0.6] * 3, 80).round(4)
    truth = np.array(["ant", "bee", "cat"])[rows.argmax(axis=1)]
    truth[:20] = rng.permutation(truth[:20])
    path = tmp_path / "chances.csv"
    body = "\n".join(f"{t},{','.join(map(str, row))}" for row, t in zip(rows, truth, strict=True))
    path.write_text(f"gold,ant,bee,cat\n{body}\n")
    return path


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    rng = np.random.default_rng(2)
    lines = ["gold,said,depth,seconds"]
    for depth in (1, 2, 10):
        for _ in range(60):
            gold = rng.choice(["a", "b"])
            right = rng.random() < 0.5 + 0.04 * depth
            said = gold if right else {"a": "b", "b": "a"}[gold]
            lines.append(f"{gold},{said},{depth},{depth * 2 + rng.integers(2)}")
    path = tmp_path / "runs.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_scores_of_a_file_equal_scores_in_memory(scores):
    values, truth = _scores()
    from_file, direct = ifs.sweep(str(scores), truth="gold", score="p"), ifs.sweep(truth, values)

    np.testing.assert_array_equal(from_file.thresholds, direct.thresholds)
    np.testing.assert_array_equal(from_file.tables.values, direct.tables.values)
    assert from_file.areas == pytest.approx(direct.areas)
    assert from_file.sample_size == len(values)


def test_probabilities_of_a_file_equal_those_in_memory(chances):
    curve = ifs.sweep(str(chances), truth="gold", score=["ant", "bee", "cat"], normalize=True)
    rows = np.genfromtxt(chances, delimiter=",", skip_header=1, dtype=str)
    direct = ifs.sweep(rows[:, 0], rows[:, 1:].astype(float), classes=["ant", "bee", "cat"], normalize=True)

    np.testing.assert_allclose(curve.values("proficiency"), direct.values("proficiency"))
    assert curve.areas == pytest.approx(direct.areas)


def test_runs_of_a_file_equal_tables_in_memory(runs):
    tuning = ifs.tune(str(runs), "depth", truth="gold", system="said", against="seconds")
    rows = np.genfromtxt(runs, delimiter=",", skip_header=1, dtype=str)

    assert tuning.settings == ((1,), (2,), (10,))
    for place, (depth,) in enumerate(tuning.settings):
        mine = rows[rows[:, 2] == str(depth)]
        assert tuning.tables[place] == ifs.Contingency.from_labels(mine[:, 0], mine[:, 1])
        assert tuning.against is not None
        assert tuning.against[place] == pytest.approx(mine[:, 3].astype(float).mean())


def test_runs_may_be_files_named_by_a_pattern(tmp_path):
    for depth in (1, 2, 10):
        for k in (3, 4):
            body = "a,a\nb,b\n" * depth + "a,b\n" * k
            (tmp_path / f"run-d{depth}-k{k}.csv").write_text(f"gold,said\n{body}")
    tuning = ifs.tune(str(tmp_path / "run-d{d}-k{k}.csv"), ["d", "k"], truth="gold", system="said")

    assert tuning.settings == ((1, 3), (1, 4), (2, 3), (2, 4), (10, 3), (10, 4))
    assert tuning.tables[4].total == 23
    with pytest.raises(InputError, match="no file fits"):
        ifs.tune(str(tmp_path / "none-{d}.csv"), ["d"], truth="gold", system="said")
    with pytest.raises(InputError, match="'k' does not occur in"):
        ifs.tune(str(tmp_path / "run-{d}.csv"), ["d", "k"], truth="gold", system="said")
    with pytest.raises(InputError, match="add --parameter d"):
        ifs.tune(str(tmp_path / "run-{d}-{k}.csv"), ["k"], truth="gold", system="said")


@pytest.mark.slow
def test_text_names_the_areas_and_the_best_point(scores):
    result = run(scores, "-t", "gold", "--score", "p", "-v")

    assert result.exit_code == 0, result.output
    assert "'yes' when score ≥ t" in result.stdout
    assert "area under the ROC curve" in result.stdout
    assert "on held-out samples" in result.stdout
    assert result.stdout.rstrip().splitlines()[-1]


@pytest.mark.slow
def test_the_unit_changes_text_and_not_ratios(scores, tmp_path):
    stored = str(tmp_path / "sweep.json")
    run(scores, "-t", "gold", "--score", "p", "--metric", "mutual_information", "-o", stored)
    shown = {
        unit: " ".join(CliRunner().invoke(app, ["show", stored, "--unit", unit, "-v"]).stdout.split())
        for unit in ("bits", "nats")
    }

    def number(text: str, after: str) -> float:
        return float(text.split(after)[1].split(maxsplit=1)[0].rstrip("."))

    for after in ("Average information: ", "It has a mutual information of "):
        bits, nats = (number(shown[unit], after) for unit in ("bits", "nats"))
        assert nats == pytest.approx(bits * np.log(2), abs=1e-3)
        assert all(re.search(rf"{after}[\d.]+ {unit}\b", shown[unit]) for unit in ("bits", "nats"))
    area = "Area under the ROC curve: "
    assert number(shown["bits"], area) == number(shown["nats"], area)


def test_json_holds_the_curve_and_the_choice(scores):
    record = json.loads(run(scores, "-t", "gold", "--score", "p", "--metric", "f1", "--format", "json").stdout)

    assert record["schema"] == "infoscope/sweep/2"
    best, curves = record["choices"][0], record["metrics"]
    assert best["criterion"] == "f1"
    assert curves["f1"][best["point"]] == max(value for value in curves["f1"] if value is not None)
    assert len(record["thresholds"]) == len(curves["proficiency"])


@pytest.mark.slow
def test_costs_come_from_a_matrix_file_in_any_order(scores, tmp_path):
    costs = tmp_path / "costs.csv"
    costs.write_text(",yes,no\nyes,0,9\nno,1,0\n")
    record = json.loads(run(scores, "-t", "gold", "--score", "p", "--costs", costs, "--format", "json").stdout)

    values, truth = _scores()
    paid = [np.mean(np.where(truth == "yes", 9 * (values < t), values >= t)) for t in [np.inf, *values]]
    best = record["choices"][0]
    assert best["criterion"] == "expected_cost"
    assert best["value"] == pytest.approx(min(paid))


@pytest.mark.slow
def test_rejections_show_both_accuracies(chances):
    words = [word for name in ("ant", "bee", "cat") for word in ("--score", name)]
    result = run(
        chances, "-t", "gold", *words, "--score-type", "unnormalized", "--certainty", "margin", "--format", "markdown"
    )

    assert result.exit_code == 0, result.output
    heads = "| rejected | threshold | accuracy of the accepted | captured | captured, accepted alone | wrong, of all |"
    assert heads in result.stdout
    assert "error over coverage (AURC)" in result.stdout


def test_runs_show_the_front_and_the_price(runs):
    pytest.importorskip("infoscope.posterior")
    result = run(runs, "-t", "gold", "-s", "said", "--parameter", "depth", "--against", "seconds")

    assert result.exit_code == 0, result.output
    assert "depth = 10 is the best of 3 settings" in result.stdout
    assert "chosen by missed and false information" in " ".join(result.stdout.split())
    assert "bits / seconds" in result.stdout
    record = json.loads(run(runs, "-t", "gold", "-s", "said", "--parameter", "depth", "--format", "json").stdout)
    assert record["best"]["setting"] == {"depth": 10}


def test_predictions_without_a_setting_name_both_ways_out(runs):
    result = run(runs, "-t", "gold", "-s", "said")

    assert result.exit_code == 2
    assert result.stderr.strip() == (
        "infoscope: -s said names the predictions of runs: add --parameter COLUMN for their setting; or, if it is a "
        "column of scores, write --score said"
    )


@pytest.mark.parametrize(
    ("body", "words", "said"),
    [
        ("gold,p\nyes,nan\nno,1\n", [], "holds 'nan', which is not finite"),
        ("gold,p\nyes,inf\nno,1\n", [], "holds 'inf', which is not finite"),
        ("gold,p\nyes,high\nno,1\n", [], "holds 'high', which is not a number"),
        ("gold,p\nyes,2\nyes,1\n", [], "one class only ('yes')"),
        ("gold,p\nyes,2\nno,1\nso,3\n", [], "3 classes and the scores are one column"),
        ("gold,p\nyes,2\nno,1\n", ["--positive", "maybe"], "positive label 'maybe' is not among"),
        ("gold,q\nyes,2\nno,1\n", [], "has no column 'p'"),
        (
            "gold,p,q\nyes,0.2,0.3\nno,0.5,0.5\n",
            ["--score", "q", "--class", "yes", "--class", "no"],
            "--score-type unnormalized",
        ),
        ("gold,p,w\nyes,2,-1\nno,1,1\nyes,1,1\n", ["--weight", "w"], "'yes', p '2' is negative"),
        ("gold,p,w\nyes,2,0\nno,1,1\nno,3,1\n", ["--weight", "w"], "one class only ('no')"),
        ("gold,p,q\nyes,0.2,0.8\nno,0.5,0.5\n", ["--score", "q", "--positive", "yes"], "for one column of scores"),
        ("gold,yes,p\nyes,-.5,1.5\np,0.5,0.5\n", ["--score", "yes"], "column 'yes' holds -0.5"),
    ],
)
def test_bad_input_is_one_sentence_and_status_two(tmp_path, body, words, said):
    path = tmp_path / "rows.csv"
    path.write_text(body)
    result = run(path, "-t", "gold", "--score", "p", *words)

    assert result.exit_code == 2
    assert said in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


def test_one_setting_and_mixed_up_options_are_rejected(runs, tmp_path):
    one = tmp_path / "one.csv"
    one.write_text("gold,said,depth\na,a,3\nb,b,3\n")
    result = run(one, "-t", "gold", "-s", "said", "--parameter", "depth")
    assert result.exit_code == 2
    assert "'depth' has 1 value (depth = 3)" in result.stderr
    for words in (
        ["-t", "gold"],
        ["--score", "p"],
        ["-t", "gold", "--parameter", "depth"],
        ["-t", "gold", "--score", "p", "--parameter", "depth"],
        ["-t", "gold", "--score", "p", "--against", "seconds"],
        ["-t", "gold", "-s", "said", "--parameter", "depth", "--score-type", "unnormalized"],
        ["-t", "gold", "-s", "said", "--parameter", "depth", "--score-type", "logit"],
        ["-t", "gold", "--score", "seconds", "--score-type", "unnormalized"],
        ["-t", "gold", "--score", "seconds", "--class", "a"],
        ["-t", "gold", "--score", "seconds", "--seed", "-1"],
    ):
        assert run(runs, *words).exit_code == 2, words


def test_rows_without_truth_or_score_are_left_out_and_counted(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("gold,p,w\nyes,2,1\nno,1,1\n,3,1\nyes,,1\nno,1,2\n")
    curve = ifs.sweep(str(path), truth="gold", score="p")
    ignored = {each.reason: each.rows for each in curve.provenance.ignored}
    assert ignored == {"missing truth": 1, "missing score in 'p'": 1}
    assert [finding.code for finding in curve.findings].count("rows_ignored") == 2
    assert curve.sample_size == 3
    weighted = ifs.sweep(str(path), truth="gold", score="p", weight="w")
    assert weighted.ladder.total == pytest.approx(4)
    assert weighted.sample_size == pytest.approx(4**2 / 6)


def test_a_row_of_weight_zero_in_a_file_is_not_there(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("gold,p,w\nyes,9,0\nyes,3,2\nno,2,1\nno,1,1\n")
    curve = ifs.sweep(str(path), truth="gold", score="p", weight="w")

    np.testing.assert_array_equal(curve.thresholds, [np.inf, 3, 2, 1])
    assert curve.areas["average_precision"] == 1


def test_equal_rows_of_probabilities_keep_their_effective_size(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("gold,a,b,w\n" + "a,0.8,0.2,1\n" * 30 + "a,0.8,0.2,2\n" * 10 + "b,0.3,0.7,1\n" * 20)
    curve = ifs.sweep(str(path), truth="gold", score=["a", "b"], weight="w")

    assert curve.sample_size == pytest.approx(70**2 / 90)


def test_a_bad_row_of_probabilities_is_told_by_its_numbers(tmp_path):
    """Equal rows are counted together in an order of the engine's own: a row number would mislead."""
    path = tmp_path / "rows.csv"
    path.write_text("gold,a,b\na,0.7,0.3\nb,0.5,0.5\n" + "a,0.9,0.3\n" * 3)
    with pytest.raises(InputError, match=r"a row \(a 0.9, b 0.3\) sum to 1.2, and 3 in all"):
        ifs.sweep(str(path), truth="gold", score=["a", "b"])
    path.write_text("gold,a,b\na,0.7,0.3\nb,0,0\n")
    with pytest.raises(InputError, match="all zero"):
        ifs.sweep(str(path), truth="gold", score=["a", "b"], normalize=True)


def test_what_runs_are_held_against_leaves_their_size_alone(tmp_path):
    path = tmp_path / "runs.csv"
    path.write_text("gold,said,depth,n\n" + "a,a,1,50\nb,b,1,50\n" * 4 + "a,a,2,70\nb,a,2,70\n" * 3)
    words = ["-t", "gold", "-s", "said", "--parameter", "depth", "--against", "n", "--format", "json"]
    record = json.loads(run(path, *words).stdout)

    assert record["sizes"] == [8, 6]
    assert record["against"] == [50, 70]
    assert ifs.Tuning.from_dict(record).information_per_unit()[0] == pytest.approx(1 / 50)


@pytest.mark.slow
def test_doubtful_costs_are_said_in_one_line(scores, tmp_path):
    costs = tmp_path / "costs.csv"
    costs.write_text(",yes,no\nyes,5,1\nno,1,0\n")
    result = run(scores, "-t", "gold", "--score", "p", "--costs", costs)

    reported = "orrect prediction of 'yes' costs 5, no less than predicting 'no' instead (1); check the cost matrix"
    assert result.exit_code == 0
    assert result.stderr == f"warning: A c{reported}.\n"
    values, truth = _scores()
    with pytest.warns(UserWarning, match=re.escape(f"a c{reported}")):
        ifs.sweep(truth, values).best(costs=[[0, 1], [1, 5]], resamples=2)


@pytest.mark.slow
def test_gains_are_negative_costs(scores, tmp_path):
    costs = tmp_path / "gains.csv"
    costs.write_text(",no,yes\nno,0,1.5\nyes,2,-4\n")
    result = run(scores, "-t", "gold", "--score", "p", "--costs", costs, "--format", "json")

    values, truth = _scores()
    paid = [
        np.mean(np.where(truth == "yes", np.where(values >= t, -4, 2), 1.5 * (values >= t))) for t in [np.inf, *values]
    ]
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["choices"][0]["value"] == pytest.approx(min(paid))
    assert min(paid) < 0


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        (
            ",yes,no\nyes,0,dear\nno,1,0\n",
            "row 2 has 'dear' as a cost; costs are finite numbers, negative ones are gains",
        ),
        (",yes,no\nyes,0,inf\nno,1,0\n", "has inf as a cost; costs are finite numbers"),
        (",yes,no\nyes,0\nno,1,0\n", "row 2 has 1 costs and 2 are required"),
        (",yes,no\nyes,0,1\nyes,1,0\n", "has two rows 'yes'; each true and predicted class has one"),
        (",yes,maybe\nyes,0,1\nno,1,0\n", "has no column 'no'; each true and predicted class needs a cost"),
        ("", "is empty; a matrix of costs is required"),
    ],
)
def test_bad_costs_are_called_costs(scores, tmp_path, text, reported):
    costs = tmp_path / "costs.csv"
    costs.write_text(text)
    result = run(scores, "-t", "gold", "--score", "p", "--costs", costs)

    assert result.exit_code == 2
    assert reported in result.stderr
    assert result.stderr.count("\n") == 1


def _as_database(path: Path) -> str:
    import sqlite3

    header, *rows = [line.split(",") for line in path.read_text().splitlines()]
    address = path.with_suffix(".db")
    database = sqlite3.connect(address)
    database.execute(f"CREATE TABLE log ({', '.join(f'{name} TEXT' for name in header)})")
    database.executemany(f"INSERT INTO log VALUES ({', '.join('?' * len(header))})", rows)
    database.commit()
    database.close()
    return f"sqlite:///{address}"


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["scores", "runs"])
def test_a_database_gives_the_points_that_the_file_gives(kind: str, request: pytest.FixtureRequest) -> None:
    path = request.getfixturevalue(kind)
    asked = ["-t", "gold", *(["--score", "p"] if kind == "scores" else ["-s", "said", "--parameter", "depth"])]

    of_file = run(path, *asked, "--format", "json", "--read", "engine=duckdb", "--read", "memory=500MB")
    of_database = run("log", *asked, "--format", "json", "--read", f"engine={_as_database(path)}")

    assert of_file.exit_code == of_database.exit_code == 0, of_database.output
    found, expected = json.loads(of_database.stdout), json.loads(of_file.stdout)
    assert found["provenance"]["hashes"] == expected["provenance"]["hashes"]
    assert found | {"provenance": {}} == expected | {"provenance": {}}


@pytest.mark.slow
def test_a_delimiter_and_cleaned_labels(scores: Path, tmp_path: Path) -> None:
    text = scores.read_text()
    other = tmp_path / "other.csv"
    other.write_text(text.replace(",", "|").replace("yes", " YES"))

    cleaned = run(
        other, "-t", "gold", "--score", "p", "--read", "delimiter=|", "--clean", "strip", "--clean", "casefold"
    )

    assert cleaned.exit_code == 0, cleaned.output
    assert cleaned.stdout == run(scores, "-t", "gold", "--score", "p").stdout


@pytest.mark.slow
def test_a_cluster_that_does_not_answer_ends_with_2(scores: Path) -> None:
    pytest.importorskip("distributed")
    result = run(scores, "-t", "gold", "--score", "p", "--read", "engine=tcp://127.0.0.1:9")

    assert result.exit_code == 2
    assert "nothing answers at tcp://127.0.0.1:9" in result.stderr
