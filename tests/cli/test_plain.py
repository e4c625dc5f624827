"""``--plain`` and ``uncertainty=None``: values of the sample as papers print them, without a posterior."""

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

import infoscope as ifs
from infoscope import Posterior
from tests.api import GroupPosterior, app

RNG = np.random.default_rng(4)
TRUTH = RNG.choice(["a", "b", "c"], 90)
GUESS = np.where(RNG.random(90) < 0.7, TRUTH, RNG.choice(["a", "b", "c"], 90))
PARTS = {"mean", "sd", "low", "high", "first_order_sd", "corrected", "shown"}


def run(*words: object) -> Result:
    return CliRunner().invoke(app, [*map(str, words)])


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    path = tmp_path / "rows.csv"
    lines = (",".join(line) for line in zip(TRUTH, GUESS, GUESS[::-1], RNG.choice(["s", "t"], 90), strict=True))
    path.write_text("\n".join(["truth,one,other,group", *lines]), encoding="utf-8")
    return path


@pytest.fixture
def no_posterior(monkeypatch: pytest.MonkeyPatch) -> None:
    def computed(*_: object, **__: object) -> None:
        raise AssertionError("a posterior was computed")

    for belief in (Posterior, GroupPosterior):
        monkeypatch.setattr(belief, "__init__", computed)


@pytest.mark.usefixtures("no_posterior")
@pytest.mark.parametrize(
    "more", [(), ("-s", "other"), ("--groups", "group"), ("--task", "clustering"), ("--by", "group")]
)
def test_every_number_is_the_samples_and_no_posterior_is_computed(rows: Path, more: tuple[str, ...]) -> None:
    done = run("evaluate", rows, "-t", "truth", "-s", "one", *more, "--plain", "--format", "json")
    assert done.exit_code == 0, done.output
    for system in json.loads(done.stdout)["systems"]:
        values = [*system["metrics"].values(), *(v for item in system["classes"] for v in item.values())]
        assert not any(PARTS & set(value) for value in values if isinstance(value, dict))
        assert system["interval"]["method"] == "none"
    text = run("evaluate", rows, "-t", "truth", "-s", "one", *more, "--plain", "-v").stdout
    assert "without intervals, as asked" in " ".join(text.split())
    assert " in sample" not in text
    assert "interval  " not in text


def test_the_values_are_those_beside_which_corrected_ones_stand() -> None:
    plain, full = (ifs.evaluate(TRUTH, GUESS, uncertainty=how)["system"] for how in (None, "posterior"))
    for name, estimate in plain.metrics.items():
        assert estimate.value == full.metrics[name].value
        assert estimate.shown == estimate.value
    assert plain.chance_p_value == full.chance_p_value


def list_values(written: str) -> dict[str, dict[str, float]]:
    """Return the values of a CSV output by system and metric, in their order."""
    values: dict[str, dict[str, float]] = {}
    for row in csv.DictReader(io.StringIO(written)):
        values.setdefault(row["system"], {})[row["metric"]] = float(row["value"])
    return values


def test_the_columns_of_hu_and_wangs_table_3_are_one_line(tmp_path: Path) -> None:
    """NI_e, A, P, R and Rej as the paper prints them; names of metrics between commas, also those with commas."""
    chosen = "--metric", "NI_e,accepted_accuracy,precision, recall", "--metric", "rejection_rate"
    printed = {"M4": "0.534 0.880 1.000 0.867 0.000", "M6": "0.534 0.933 1.000 0.867 0.110"}
    for name, rows in {"M4": "78,12,0\n0,10,0\n", "M6": "78,6,6\n0,5,5\n"}.items():
        (tmp_path / f"{name}.csv").write_text(rows, encoding="utf-8")
    words = "--matrix", "--reject", 2, "--positive", 0, "--plain", *chosen
    written = run("evaluate", tmp_path / "M4.csv", tmp_path / "M6.csv", *words, "--format", "csv").stdout
    headline = " ".join(run("evaluate", tmp_path / "M6.csv", *words).stdout.split())

    values = list_values(written)
    assert {name: " ".join(f"{value:.3f}" for value in row.values()) for name, row in values.items()} == printed
    assert "Recall of '0' 86.7%, Rejection rate 11.0%." in headline
    done = run("evaluate", tmp_path / "M6.csv", *words[:-4], "--metric", "NI(T,Y),NI(Y,T)", "--format", "csv")
    assert list(list_values(done.stdout)["M6"]) == ["proficiency", "information_precision"]


def test_label_sets_and_annotators_are_plain_too(tmp_path: Path, rows: Path) -> None:
    for name in ("truth", "guess"):
        lines = [f"{at}\t{label}" for at, label in enumerate(TRUTH if name == "truth" else GUESS)]
        (tmp_path / f"{name}.txt").write_text("\n".join(lines), encoding="utf-8")
    done = run("multilabel", tmp_path / "truth.txt", tmp_path / "guess.txt", "--plain", "--format", "json")
    assert done.exit_code == 0, done.output
    (system,) = json.loads(done.stdout)["systems"]
    assert not any(PARTS & set(value) for value in system["metrics"].values())
    assert system["draws"] == system["splits"] == 0
    words = " ".join(run("multilabel", tmp_path / "truth.txt", tmp_path / "guess.txt", "--plain", "-v").stdout.split())
    assert "Values of this sample (maximum likelihood)" in words
    assert "corrected" not in words
    done = run("agree", rows, "-s", "truth,one,other", "--plain", "--format", "json")
    assert done.exit_code == 0, done.output
    assert '"low"' not in done.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("evaluate", "--plain", "--judge", "other"), "with a judge every number is an estimate"),
        (("agree", "-s", "truth,one,other", "--latent", "--plain"), "leave out --plain"),
    ],
)
def test_what_lives_from_intervals_is_rejected(rows: Path, words: tuple[str, ...], said: str) -> None:
    columns = () if words[0] == "agree" else ("-t", "truth", "-s", "one")
    done = run(words[0], rows, *columns, *words[1:])
    assert (done.exit_code, done.stdout) == (2, "")
    assert said in done.stderr


def test_python_says_what_to_leave_out() -> None:
    with pytest.raises(ifs.InputError, match=r"compare says what is significant.*leave out uncertainty=None"):
        ifs.compare(TRUTH, {"one": GUESS, "other": GUESS[::-1]}, uncertainty=None)
    with pytest.raises(ifs.InputError, match="uncertainty is 'bootstrap'; leave it out, or give None"):
        ifs.evaluate(TRUTH, GUESS, uncertainty="bootstrap")  # type: ignore[arg-type]


def test_the_table_of_tass3_is_one_command(rows: Path) -> None:
    """Its eight columns by the names on the slides, one row per system, as they are defined there."""
    names = ("k_X", "k_X|Y", "mu", "m_Y|X", "m_Y", "accuracy", "EMA", "NIT")
    chosen = [word for name in names for word in ("--metric", name)]
    written = run("evaluate", rows, "-t", "truth", "-s", "one,other", "--plain", *chosen, "--format", "csv").output

    for row, guess in zip(list_values(written).values(), (GUESS, GUESS[::-1]), strict=True):
        p = np.array([[np.mean((t == TRUTH) & (guess == s)) for s in "abc"] for t in "abc"])
        truth, system, joint = (-np.sum(q[q > 0] * np.log2(q[q > 0])) for q in (p.sum(axis=1), p.sum(axis=0), p))
        k_x, m_y, mu = 2**truth, 2**system, 2 ** (truth + system - joint)
        expected = [k_x, k_x / mu, mu, m_y / mu, m_y, np.trace(p), mu / k_x, mu / 3]
        assert list(row.values()) == pytest.approx(expected, rel=1e-12)
