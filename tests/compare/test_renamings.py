"""Systems that are renamings of each other, and systems whose labels are broken: what a comparison says first."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

import infoscope as ifs
from tests.api import Law, PairedPredictions, all_metrics, app

CLASSES = ["ant", "bee", "cow", "dog", "elk"]
FREE_OF_NAMES = sorted(
    entry.name
    for entry in all_metrics("table")
    if Law.RELABELLING in entry.card.laws
    and entry.card.level == "table"
    and entry.card.posterior != "none"
    and entry.card.better != "none"
    and not {"cost", "ordinal"} & {entry.card.family, entry.card.unit}
)


def rows(seed: int = 0, n: int = 300, right: float = 0.8) -> tuple[np.ndarray, np.ndarray]:
    """True classes and predictions, so many of them right."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(CLASSES, n)
    return truth, np.where(rng.random(n) < right, truth, rng.choice(CLASSES, n))


def shifted(labels: np.ndarray) -> np.ndarray:
    """Every class under the name of the next one."""
    return np.array([CLASSES[(CLASSES.index(label) + 1) % len(CLASSES)] for label in labels])


def table(truth: np.ndarray, labels: np.ndarray) -> ifs.Contingency:
    return ifs.Contingency.from_labels(truth, labels)


@pytest.mark.slow
@pytest.mark.parametrize("names", [shifted, np.char.upper], ids=["shifted", "own names"])
@pytest.mark.parametrize("way", ["rows", "groups", "tables"])
def test_renamings_differ_by_exactly_0_in_every_metric_that_does_not_see_names(names, way) -> None:
    truth, good = rows()
    systems = {"good": good, "renamed": names(good), "other": rows(1)[1]}
    if way == "tables":
        result = ifs.compare({name: table(truth, labels) for name, labels in systems.items()}, metrics=FREE_OF_NAMES)
    else:
        groups = np.arange(truth.size) // 5 if way == "groups" else None
        result = ifs.compare(truth, systems, metrics=FREE_OF_NAMES, groups=groups)

    assert len(FREE_OF_NAMES) > 20
    for name in FREE_OF_NAMES:
        pair = result.pair("good", "renamed", name)
        assert (pair.estimate.shown, pair.estimate.low, pair.estimate.high) == (0.0, 0.0, 0.0), name
        assert (pair.verdict, pair.significant, pair.probability_a_better) == ("equivalent", False, 0.5), name
        to_other = [result.pair(system, "other", name).estimate for system in ("good", "renamed")]
        assert to_other[0].shown == to_other[1].shown, name
        assert to_other[0].sd == pytest.approx(to_other[1].sd, rel=0.05), name
    (finding,) = [each for each in result.findings if each.code == "renamed_predictions"]
    assert finding.evidence["systems"] == ["good", "renamed"]
    assert finding.severity == "warning"


@pytest.mark.parametrize("classes", [2, 3, 5])
@pytest.mark.parametrize("right", [0.7, 0.9])
def test_one_system_says_the_same_under_other_names_as_a_comparison(right: float, classes: int) -> None:
    """Each system by itself: proficiency of renamed predictions used to differ by up to .008 from the first's."""
    rng = np.random.default_rng(classes)
    truth = np.array(CLASSES)[rng.integers(0, classes, 120)]
    good = np.where(rng.random(120) < right, truth, np.array(CLASSES)[rng.integers(0, classes, 120)])
    places = {name: CLASSES[(at + 1) % classes] for at, name in enumerate(CLASSES[:classes])}
    other = np.array([places[label] for label in good])

    alone = [ifs.evaluate(truth, said)["system"].metrics for said in (good, other)]
    together = ifs.evaluate(truth, {"good": good, "renamed": other})
    for metric in ("proficiency", "mutual_information", "missed_information"):
        first, second = (estimates[metric] for estimates in alone)
        assert (first.shown, first.low, first.high) == (second.shown, second.low, second.high), metric
        assert together["renamed"].metrics[metric].shown == first.shown
    pair = ifs.compare(truth, {"good": good, "renamed": other}, metrics="proficiency").pairs[0]
    assert pair.estimate.shown == 0


@pytest.mark.parametrize("way", ["rows", "tables"])
def test_metrics_that_see_names_differ_between_renamings(way) -> None:
    truth, good = rows()
    systems = {"good": good, "renamed": shifted(good)}
    source = (truth, systems) if way == "rows" else ({name: table(truth, said) for name, said in systems.items()},)
    pair = ifs.compare(*source, metrics="accuracy").pair("good", "renamed")

    assert pair.verdict == "better"
    assert pair.estimate.shown == pytest.approx(np.mean(good == truth) - np.mean(shifted(good) == truth))


def test_a_gate_does_not_fail_on_a_renaming_in_metrics_that_do_not_see_names() -> None:
    truth, good = rows(right=0.9)
    gate = ifs.gate(truth, np.char.upper(good), baseline=good, metrics=["proficiency"])

    (check,) = [each for each in gate.checks if each.metric == "proficiency"]
    assert check.outcome == "passed"
    assert "no difference" in check.text


def test_equal_totals_alone_are_no_renaming() -> None:
    truth = np.array(["ant", "bee"] * 40)
    one = np.array(["ant", "bee"] * 40)
    other = np.array(["bee", "ant", "ant", "bee"] * 20)
    result = ifs.compare(truth, {"one": one, "other": other}, metrics="proficiency")

    assert result.pair("one", "other").verdict == "better"
    assert not any(finding.code == "renamed_predictions" for finding in result.findings)


def test_rejections_are_no_name_of_a_class() -> None:
    truth, good = rows()
    asking = np.where(good == "elk", "?", good)
    result = ifs.compare(truth, {"good": good, "asking": asking}, metrics="proficiency", reject="?")

    assert not any(finding.code == "renamed_predictions" for finding in result.findings)


def test_rows_that_one_system_lacks_do_not_hide_a_renaming_on_the_others() -> None:
    truth, good = rows()
    late = np.where(np.arange(truth.size) < 100, None, shifted(good))
    pair = ifs.compare(truth, {"good": good, "late": late}, metrics="proficiency").pair("good", "late")

    assert (pair.estimate.shown, pair.estimate.low, pair.estimate.high) == (0.0, 0.0, 0.0)
    assert pair.verdict == "equivalent"


def test_renaming_of_pairs_agrees_with_a_dictionary() -> None:
    rng = np.random.default_rng(5)
    for _ in range(60):
        truth, a, b = rng.integers(0, 3, (3, 6))
        if rng.random() < 0.5:
            b = rng.permutation(3)[a]
        pair = PairedPredictions.from_labels(truth, {"a": a, "b": b}).pair("a", "b")
        there, back = dict(zip(a, b, strict=True)), dict(zip(b, a, strict=True))
        assert pair.is_renaming == (all(there[x] == y and back[y] == x for x, y in zip(a, b, strict=True)))


@pytest.mark.parametrize(
    ("labels", "code", "words"),
    [
        (shifted, "relabelled", "Outputs look renamed: broken."),
        (np.char.upper, "no_common_label", "No label in common with the truth: broken."),
    ],
)
def test_broken_labels_are_in_the_first_line_and_in_json(labels, code, words, tmp_path) -> None:
    truth, good = rows()
    systems = {"good": good, "broken": labels(good)}
    result = ifs.compare(truth, systems)

    assert result.to_text().split("\n\n")[0].replace("\n  ", " ").strip().startswith(words)
    assert code in [finding["code"] for finding in json.loads(result.to_json())["findings"]]
    csv = tmp_path / "rows.csv"
    lines = [",".join(line) for line in zip(truth, good, systems["broken"], strict=True)]
    csv.write_text("\n".join(["t,good,broken", *lines]))
    run = CliRunner().invoke(app, ["compare", str(csv), "-t", "t", "-s", "good", "-s", "broken"])
    assert run.exit_code == 0
    assert run.stdout.strip().startswith(words)


def test_sound_labels_have_no_such_finding() -> None:
    truth, good = rows()
    codes = {finding.code for finding in ifs.compare(truth, {"good": good, "poor": rows(3)[1]}).findings}

    assert not codes & {"relabelled", "no_common_label", "renamed_predictions"}
