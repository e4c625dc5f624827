"""The gate as a build runs it: verdict, exit status and documents from one and the same outcome."""

import json
import os
from pathlib import Path
from threading import Thread

import numpy as np
import pytest
from click.testing import CliRunner, Result

from infoscope import Contingency, evaluate
from tests.api import Baseline, Condition, app, decide


def run(*words: str) -> Result:
    return CliRunner().invoke(app, list(words))


def matrix(path: Path, counts: object) -> str:
    rows = [",cat,dog,cow"] + [
        f"{name},{','.join(map(str, line))}"
        for name, line in zip(("cat", "dog", "cow"), np.asarray(counts), strict=True)
    ]
    path.write_text("\n".join(rows) + "\n")
    return str(path)


GOOD = [[90, 5, 5], [5, 90, 5], [5, 5, 90]]
WORSE = [[60, 20, 20], [20, 60, 20], [20, 20, 60]]


@pytest.fixture
def good(tmp_path: Path) -> str:
    return matrix(tmp_path / "model.csv", GOOD)


def limits(counts: object, metric: str) -> tuple[float, float, float]:
    names = ["cat", "dog", "cow"]
    table = Contingency.from_matrix(np.asarray(counts), truth=names, system=names)
    value = evaluate({"model": table}).systems[0].metrics[metric]
    assert value.low is not None
    assert value.high is not None
    assert value.value is not None
    return value.low, value.value, value.high


@pytest.mark.slow
def test_a_limit_below_inside_and_above_the_interval(good: str) -> None:
    low, value, high = limits(GOOD, "proficiency")
    for limit, outcome, status in (
        (low - 0.01, "passed", 0),
        ((low + value) / 2, "inconclusive", 3),
        (high + 0.01, "failed", 1),
    ):
        for part in ("", ".low"):
            result = run("gate", "--matrix", good, "--min", f"proficiency{part}={limit}", "--format", "json")
            document = json.loads(result.stdout)
            assert document["checks"][0]["outcome"] == outcome
            assert result.exit_code == document["exit_status"] == status
            assert document["schema"] == "infoscope/gate/2"


@pytest.mark.slow
def test_upper_limits_mirror_lower_ones(good: str) -> None:
    low, value, high = limits(GOOD, "false_information_ratio")

    assert run("gate", "--matrix", good, "--max", f"false_information_ratio.high={high + 0.01}").exit_code == 0
    assert run("gate", "--matrix", good, "--max", f"false_information_ratio={(low + value) / 2}").exit_code == 3
    assert run("gate", "--matrix", good, "--max", f"false_information_ratio.low={(low + value) / 2}").exit_code == 0
    assert run("gate", "--matrix", good, "--max", f"false_information_ratio={low - 0.01}").exit_code == 1
    assert run("gate", "--matrix", good, "--max", f"false_information_ratio.value={value}").exit_code == 0


@pytest.mark.parametrize(
    ("side", "part", "limit", "outcome"),
    [
        ("min", None, "low", "passed"),
        ("min", "low", "low", "passed"),
        ("min", None, "high", "inconclusive"),
        ("min", "high", "high", "passed"),
        ("min", "value", "value", "passed"),
        ("min", "mean", "mean", "passed"),
        ("max", None, "high", "passed"),
        ("max", "high", "high", "passed"),
        ("max", None, "low", "inconclusive"),
        ("max", "low", "low", "passed"),
        ("max", "value", "value", "passed"),
        ("max", "sd", "sd", "passed"),
    ],
)
def test_a_limit_met_exactly_is_kept(side: str, part: str | None, limit: str, outcome: str) -> None:
    evaluation = evaluate({"model": Contingency.from_matrix(GOOD)})
    exactly = getattr(evaluation.systems[0].metrics["proficiency"], limit)

    def found(limit: float) -> str:
        return decide(evaluation, [Condition(side, "proficiency", part, limit)]).checks[0].outcome

    assert found(exactly) == outcome
    beyond = np.nextafter(exactly, np.inf if side == "min" else -np.inf)
    assert found(beyond) != "passed"
    if outcome == "inconclusive":
        assert found(beyond) == "failed"


@pytest.mark.parametrize(
    ("low", "gap", "high", "proven", "outcome"),
    [
        (-0.5, -0.3, -0.1, False, "inconclusive"),
        (-0.5, -0.3, np.nextafter(-0.1, -1), False, "failed"),
        (-0.5, -0.1, 0.3, False, "passed"),
        (-0.5, np.nextafter(-0.1, -1), 0.3, False, "inconclusive"),
        (-0.1, 0.2, 0.5, True, "passed"),
        (np.nextafter(-0.1, -1), 0.2, 0.5, True, "inconclusive"),
        (np.nextafter(-0.1, -1), 0.2, 0.5, False, "passed"),
        (-0.5, -0.3, np.nextafter(-0.1, -1), True, "failed"),
    ],
)
def test_a_tolerance_met_exactly_is_kept(low: float, gap: float, high: float, *, proven: bool, outcome: str) -> None:
    evaluation = evaluate({"model": Contingency.from_matrix(GOOD)})

    assert Baseline(evaluation, ["accuracy"], 0.1, proven).decide(low, gap, high) == outcome


@pytest.mark.parametrize(
    ("leniency", "status", "outcome"), [("fail", 1, "failed"), ("pass", 0, "passed"), ("warn", 3, "inconclusive")]
)
def test_too_little_data_is_its_own_outcome(good: str, leniency: str, status: int, outcome: str) -> None:
    low, value, _ = limits(GOOD, "proficiency")
    words = ["gate", "--matrix", good, "--min", f"proficiency.low={(low + value) / 2}", "--inconclusive", leniency]
    result = run(*words, "--format", "json")

    assert result.exit_code == status
    assert json.loads(result.stdout)["outcome"] == outcome
    shown = run(*words).stdout.strip()
    start = {"failed": "Failed, as inconclusive counts as failed: ", "passed": "Passed, as inconclusive counts as "}
    assert shown.startswith(start.get(outcome, "Inconclusive: proficiency is 63.6%, but its interval ("))
    assert "more rows" in shown
    assert ("--inconclusive" in shown) == (outcome == "inconclusive")


def test_a_failed_condition_is_not_excused_by_an_open_one(good: str) -> None:
    low, value, high = limits(GOOD, "proficiency")
    both = ["--min", f"proficiency={(low + value) / 2}", "--min", f"proficiency={high + 0.1}"]

    assert run("gate", "--matrix", good, *both, "--inconclusive", "warn").exit_code == 1


@pytest.fixture
def baseline(good: str, tmp_path: Path) -> str:
    path = tmp_path / "base.json"
    assert run("evaluate", "--matrix", good, "-o", str(path)).exit_code == 0
    return str(path)


def test_surely_worse_than_the_baseline_fails_and_the_same_passes(baseline: str, good: str, tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    worse = matrix(tmp_path / "new" / "model.csv", WORSE)

    assert run("gate", "--matrix", worse, "--baseline", baseline).exit_code == 1
    assert run("gate", "--matrix", good, "--baseline", baseline).exit_code == 0


@pytest.mark.slow
def test_a_baseline_may_come_through_a_pipe(tmp_path: Path) -> None:
    """It gives its bytes once only, as /dev/fd/63 of <(…) does."""
    rows, stored = tmp_path / "rows.csv", tmp_path / "stored.json"
    rows.write_text("t,s\n" + "a,a\nb,b\na,b\n" * 30)
    columns = (str(rows), "-t", "t", "-s", "s")
    assert run("evaluate", *columns, "-o", str(stored)).exit_code == 0
    end, start = os.pipe()
    Thread(target=_write_all, args=(start, stored.read_bytes()), daemon=True).start()
    pipe = f"/dev/fd/{end}"
    through, direct = (run("gate", *columns, "--baseline", path) for path in (pipe, str(stored)))
    os.close(end)
    assert (through.exit_code, direct.exit_code) == (0, 0), through.output
    assert through.output.replace(pipe, str(stored)).split() == direct.output.split()


def _write_all(start: int, data: bytes) -> None:
    with os.fdopen(start, "wb") as file:
        file.write(data)


def test_proof_of_not_worse_needs_a_tolerance_or_more_data(baseline: str, good: str) -> None:
    words = ["gate", "--matrix", good, "--baseline", baseline, "--not-worse", "--inconclusive", "warn"]

    assert run(*words).exit_code == 3
    assert run(*words, "--tolerance", "0.2").exit_code == 0
    assert run(
        *words, "--tolerance", "0.2", "--metric", "accuracy", "--metric", "erroneous_information_ratio"
    ).exit_code in (0, 3)


def test_lower_is_better_is_read_from_the_card(baseline: str, tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    worse = matrix(tmp_path / "new" / "model.csv", WORSE)
    words = ["gate", "--matrix", worse, "--baseline", baseline, "--metric"]

    assert run(*words, "erroneous_information_ratio").exit_code == 1
    assert run(*words, "accuracy").exit_code == 1


def test_difference_is_that_of_two_independent_results(baseline: str, tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    worse = matrix(tmp_path / "new" / "model.csv", WORSE)
    text = run("gate", "--matrix", worse, "--baseline", baseline, "--metric", "accuracy", "--format", "json").stdout
    check = json.loads(text)["checks"][0]

    sd = np.sqrt(0.9 * 0.1 / 300 + 0.6 * 0.4 / 300)
    found = check["difference"]["estimate"]
    assert (found["high"] - found["low"]) / 2 == pytest.approx(1.96 * sd, rel=0.1)
    assert check["text"].startswith("worse by 30.0 points (")
    assert not check["difference"]["paired"]


def test_other_data_are_named_and_bits_rejected(baseline: str, tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    other = matrix(tmp_path / "new" / "model.csv", [[190, 5, 5], [5, 90, 5], [5, 5, 90]])
    ratio = run("gate", "--matrix", other, "--baseline", baseline)
    bits = run("gate", "--matrix", other, "--baseline", baseline, "--metric", "mutual_information")

    assert "different data sets" in " ".join(ratio.stdout.split())
    assert bits.exit_code == 2
    assert "compare a ratio" in bits.stderr


def test_summary_of_a_job_gets_the_verdict(good: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    summary = tmp_path / "summary.md"
    summary.write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    run("gate", "--matrix", good, "--min", "proficiency.low=0.99")

    assert summary.read_text().startswith("before\n# Failed: proficiency is 63.6%, and its")
    assert "| **FAIL** | model | proficiency at least 99.0% | **63.6%** |" in summary.read_text()
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "no" / "folder"))
    result = run("gate", "--matrix", good, "--min", "proficiency.low=0.1")
    assert result.exit_code == 0
    assert "cannot be written" in result.stderr


def test_markdown_and_files(good: str, tmp_path: Path) -> None:
    out = tmp_path / "gate.md"

    assert run("gate", "--matrix", good, "--min", "proficiency.low=0.1", "-o", str(out)).exit_code == 0
    assert out.read_text().startswith("# Passed: proficiency is 63.6%")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], "lets everything through"),
        (["--min", "proficiency"], "METRIC=NUMBER"),
        (["--min", "proficiency.low=high"], "METRIC=NUMBER"),
        (["--min", "proficiency.lower=0.6"], "it has value, mean, sd, low, high"),
        (["--min", "proficency=0.6"], "proficiency"),
        (["--min", "class_recall=0.6"], "each class"),
        (["--not-worse", "--min", "accuracy=0.1"], "needs --baseline or --baseline-system, to say"),
        (["--metric", "mcc", "--min", "accuracy=0.1"], "needs --baseline, --baseline-system or --history"),
        (["--baseline", "nothing.json"], "cannot be read"),
        (["--min", "g_statistic.low=3"], "has no interval"),
        (["--min", "accuracy=90"], "accuracy lies between 0 and 1; write 0.9 for 90%"),
        (["--min", "proficiency.low=-0.1"], "proficiency lies between 0 and 1"),
    ],
)
def test_wrong_conditions_are_rejected(good: str, words: list[str], expected: str) -> None:
    result = run("gate", "--matrix", good, *words)

    assert result.exit_code == 2
    assert expected in result.stderr


def test_stored_runs_alone_are_judged_by_one_metric(tmp_path: Path) -> None:
    result = run("gate", "--history", str(tmp_path), "--metric", "mcc", "--metric", "kappa")

    assert result.exit_code == 2
    assert "without SOURCE, --history is judged by one --metric" in result.stderr


@pytest.mark.parametrize("text", ["no json", "[]", '{"schema": "infoscope/evaluation/1"}', '{"schema": "other"}'])
def test_wrong_baselines_are_rejected(good: str, tmp_path: Path, text: str) -> None:
    path = tmp_path / "base.json"
    path.write_text(text)
    result = run("gate", "--matrix", good, "--baseline", str(path))

    assert result.exit_code == 2
    assert "Traceback" not in result.stderr


def test_baseline_without_the_system_is_rejected(good: str, tmp_path: Path) -> None:
    two = [matrix(tmp_path / f"{name}.csv", GOOD) for name in ("a", "b")]
    path = str(tmp_path / "base.json")
    run("evaluate", "--matrix", *two, "-o", path)
    result = run("gate", "--matrix", good, "--baseline", path)

    assert result.exit_code == 2
    assert "it has 'a', 'b'" in result.stderr
