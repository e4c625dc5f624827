"""Conditions of one class and of the worst class, and the order of the classes that a gate names."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats
from sklearn.metrics import f1_score, precision_score, recall_score

import infoscope as ifs
from infoscope import Finding, evaluate
from tests.api import EFFECTS, Condition, app, decide

COUNTS = [[900, 60, 40], [20, 70, 10], [5, 25, 20]]
CLASSES = ["ham", "spam", "a]=b[c]"]
TABLE = ifs.Contingency.from_matrix(COUNTS, truth=CLASSES, system=CLASSES)
TRUTH = np.repeat(CLASSES, np.sum(COUNTS, axis=1))
PREDICTED = np.concatenate([np.repeat(CLASSES, row) for row in COUNTS])
RATES: dict[str, Any] = {"recall": recall_score, "precision": precision_score, "f1": f1_score}


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("label", CLASSES)
def test_a_condition_of_one_class_is_about_its_number(rate: str, label: str) -> None:
    """The number is scikit-learn's, and the limit splits the interval as for any metric."""
    value = float(RATES[rate](TRUTH, PREDICTED, labels=[label], average=None)[0])
    (check,) = ifs.gate(TABLE, min=[f"{rate}[{label}].value={value:.17g}"]).checks
    above = ifs.gate(TABLE, min=[f"{rate}[{label}].value={np.nextafter(value, 2):.17g}"])

    assert check.outcome == "passed"
    assert above.outcome == "failed"
    assert check.estimate is not None
    assert check.estimate.value == pytest.approx(value, abs=1e-12)
    assert check.condition == f"{rate}.value of '{label}' at least {value:g}"
    low, high = check.estimate.interval or (0.0, 0.0)
    assert low < value < high
    for limit, outcome in ((low - 1e-6, "passed"), ((low + value) / 2, "inconclusive"), (high + 1e-6, "failed")):
        for part in ("", ".low"):
            assert ifs.gate(TABLE, min={f"{rate}[{label}]{part}": limit}).outcome == outcome
        assert ifs.gate(TABLE, max={f"{rate}[{label}]": 1 - limit}).checks[0].condition.endswith(f"most {1 - limit:g}")
    assert ifs.gate(TABLE, max={f"{rate}[{label}]": high + 1e-6}).outcome == "passed"
    assert ifs.gate(TABLE, max={f"{rate}[{label}]": low - 1e-6}).outcome == "failed"


@pytest.mark.parametrize("rate", RATES)
def test_the_worst_class_meets_what_all_classes_meet(rate: str) -> None:
    values = RATES[rate](TRUTH, PREDICTED, labels=CLASSES, average=None)
    worst = CLASSES[int(np.argmin(values))]
    for limit in np.linspace(0.02, 0.98, 25):
        own = {label: ifs.gate(TABLE, min={f"{rate}[{label}]": limit}).outcome for label in CLASSES}
        (check,) = ifs.gate(TABLE, min={f"min_class_{rate}": limit}).checks
        assert (check.outcome == "passed") is all(outcome == "passed" for outcome in own.values())
        if check.outcome == "failed":
            assert "failed" in own.values()
        assert f"for '{worst}', the lowest of 3 classes" in check.text
    assert ifs.gate(TABLE, min={f"min_class_{rate}.value": min(values) - 1e-9}).passed
    assert ifs.gate(TABLE, min={f"min_class_{rate}.value": min(values) + 1e-9}).outcome == "failed"


@pytest.mark.slow
def test_with_many_classes_none_fails_by_chance_alone() -> None:
    """All of 40 classes have the recall that is asked for: one of them lies above its own interval most times."""
    rng = np.random.default_rng(5)
    failed = single = 0
    for _ in range(20):
        truth = np.repeat(np.arange(40), 50)
        predicted = np.where(rng.random(2000) < 0.7, truth, (truth + rng.integers(1, 40, 2000)) % 40)
        system = evaluate(truth, predicted)
        failed += decide(system, [Condition.parse("min", "min_class_recall=0.7")]).outcome == "failed"
        highs = [line.values["recall"].high for line in system.systems[0].classes]
        single += any(high is not None and high < 0.7 for high in highs)
    assert single >= 5
    assert failed <= stats.binom.ppf(0.999, 20, 0.05)


def run(*words: str) -> Any:
    return CliRunner().invoke(app, ["gate", "log.csv", "-t", "t", "-s", "s", *words])


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("recall[spa]=0.3", "has no class 'spa'; it has 'a]=b[c]', 'ham', 'spam'"),
        ("recall[]=0.3", "has no class ''"),
        ("recall[spam=0.3", "of one class METRIC[LABEL]=NUMBER, as recall[spam]=0.3"),
        ("recall[spam]", "METRIC[LABEL]=NUMBER"),
        ("recall[spam]=high", "METRIC[LABEL]=NUMBER"),
        ("recall[spam].middle=0.3", "it has value, mean, sd, low, high"),
        ("recall[spam]=30", "lies between 0 and 1; write 0.3 for 30%"),
        ("accuracy[spam]=0.3", "there is no accuracy of each class"),
        ("recal[spam]=0.3", "did you mean 'recall'"),
        ("min_class_accuracy=0.3", "there is no accuracy of each class"),
        ("min_class_recall[spam]=0.3", "is about the worst of all classes"),
        ("class_recall=0.3", "name one class, as recall[LABEL]=NUMBER, or ask for the worst, as min_class_recall"),
    ],
)
def test_wrong_conditions_of_classes_are_rejected_in_one_sentence(
    condition: str, said: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{t},{p}\n" for t, p in zip(TRUTH, PREDICTED, strict=True))
    (tmp_path / "log.csv").write_text(f"t,s\n{rows}")
    done = run("--min", condition)

    assert done.exit_code == 2
    assert said in done.stderr
    assert not done.stdout
    assert run("--max", "min_class_recall=0.9").exit_code == 2
    assert run("--min", "recall[a]=b[c]]=0.1").exit_code == 0


def worst(**conditions: Any) -> list[str]:
    return [each.label for each in ifs.gate(TABLE, **conditions).worst_classes]


def test_worst_classes_are_ordered_by_what_the_gate_asks_for() -> None:
    recall = recall_score(TRUTH, PREDICTED, labels=CLASSES, average=None)
    precision = precision_score(TRUTH, PREDICTED, labels=CLASSES, average=None)
    errors = [sum(row) - row[at] for at, row in enumerate(COUNTS)]
    missed = [evaluate(TABLE).systems[0].classes[at].shown("missed_share") or 0.0 for at in range(3)]

    def by(numbers: Any, sign: int = 1) -> list[str]:
        return [CLASSES[at] for at in np.argsort(sign * np.asarray(numbers))]

    assert worst(min={"min_class_recall": 0.9}) == worst(min={"recall[spam].low": 0.9}) == by(recall)
    assert worst(min={"macro_recall": 0.9}) == by(recall)
    assert worst(min={"min_class_precision": 0.9}) == by(precision)
    assert worst(min={"accuracy": 0.99}) == worst(max={"error_rate": 0.01}) == by(errors, -1)
    assert worst(min={"proficiency": 0.9}) == by(missed, -1)
    assert by(errors, -1) != by(recall)
    # the failed condition decides, not the first one
    assert worst(min={"accuracy.value": 0.1, "min_class_recall": 0.9}) == by(recall)


def test_every_effect_of_a_finding_is_known_to_the_gate() -> None:
    """Every finding has one line here: failed, inconclusive, or repeated at conditions of some metrics."""
    evaluation = evaluate(TABLE)
    for code, effect in EFFECTS.items():
        system = replace(evaluation.systems[0], diagnosis=(Finding(code, "This is said."),))
        gate = decide(replace(evaluation, systems=(system,)), [Condition.parse("min", "accuracy.value=0.1")])
        asks_accuracy = isinstance(effect, frozenset) and "accuracy" in effect
        assert gate.outcome == (effect[0] if isinstance(effect, tuple) else "passed")
        assert (code in {finding.code for finding in gate.findings}) is (isinstance(effect, tuple) or asks_accuracy)
        assert not isinstance(effect, tuple) or "this is said" in gate.to_text().split("Gate ·")[0]


@pytest.mark.parametrize("condition", ["accuracy=0.1", "recall[spam]=0.1", "min_class_recall=0.1"])
def test_a_condition_on_a_withheld_interval_is_left_open(condition: str) -> None:
    """Never passed, though the sample's value meets it; the value alone may be asked for."""
    evaluation = evaluate(TABLE)
    system = evaluation.systems[0]
    none = {"sd": None, "low": None, "high": None}
    classes = [
        replace(line, values={**line.values, "recall": replace(line.values["recall"], **none)})
        for line in system.classes
    ]
    metrics = {**system.metrics, "accuracy": replace(system.metrics["accuracy"], **none)}
    without = replace(evaluation, systems=(replace(system, metrics=metrics, classes=tuple(classes)),))

    assert decide(evaluation, [Condition.parse("min", condition)]).passed
    gate = decide(without, [Condition.parse("min", condition)])
    assert gate.outcome == "inconclusive"
    assert ".value" in gate.checks[0].text
    assert decide(without, [Condition.parse("min", condition.replace("=", ".value="))]).passed
