"""Findings of a comparison are asked for by their code, never by their words."""

from pathlib import Path

import pytest
from click.testing import CliRunner

import infoscope as ifs
from infoscope import Contingency
from tests.api import app
from tests.findings import notes

TRUTH = ["a", "b", "c"] * 20
GOOD = [*TRUTH[:-3], "b", "c", "a"]
POOR = ["a", "a", "c"] * 20


def codes(found: ifs.Comparison) -> list[str]:
    return [finding.code for finding in found.findings]


@pytest.mark.parametrize("hole", ["", "x"])
def test_strict_asks_for_missing_rows_and_not_for_words(hole: str, tmp_path: Path) -> None:
    path = tmp_path / "lacks.csv"
    lines = [f"{t},{g},{p}" for t, g, p in zip(TRUTH, GOOD, POOR, strict=True)]
    path.write_text("\n".join(["truth,lacks a,lacks b", *lines, f"a,{hole},a"]) + "\n")
    words = ["compare", str(path), "-t", "truth", "-s", "lacks a", "-s", "lacks b", "--strict"]

    result = CliRunner().invoke(app, words)

    assert result.exit_code == (0 if hole else 2), result.output
    assert ("lacks a lacks 1 of 61 rows" in result.stderr) == (hole == "")


def test_strict_takes_matrices_in_files_of_any_name(tmp_path: Path) -> None:
    for name in ("lacks", "other lacks"):
        (tmp_path / f"{name}.csv").write_text(",a,b\na,40,10\nb,5,45\n")
    words = ["compare", "--matrix", str(tmp_path / "lacks.csv"), str(tmp_path / "other lacks.csv"), "--strict"]

    assert CliRunner().invoke(app, words).exit_code == 0


def test_rows_that_a_system_lacks() -> None:
    found = ifs.compare(TRUTH, {"good": GOOD, "poor": [None, *POOR[1:]]})

    (missing,) = [finding for finding in found.findings if finding.code == "rows_ignored"]
    assert dict(missing.evidence) == {"system": "poor", "rows": 1, "of": 60}
    assert missing.text in notes(found)
    (record,) = found.to_dict()["findings"]
    assert record["code"] == "rows_ignored"
    assert record["text"] == missing.text
    assert record["evidence"] == dict(missing.evidence)


@pytest.mark.slow
def test_systems_that_predict_the_same_are_named() -> None:
    renamed = [label.upper() for label in GOOD]

    found = ifs.compare(TRUTH, {"good": GOOD, "poor": POOR, "copy": list(GOOD), "again": GOOD, "renamed": renamed})

    (same,) = [finding for finding in found.findings if finding.code == "same_predictions"]
    assert dict(same.evidence) == {"systems": ["good", "copy", "again"]}
    assert "good, copy and again predict the same in every row" in " ".join(found.to_text().split())
    assert codes(ifs.compare(TRUTH, {"good": GOOD, "poor": POOR})) == []


@pytest.mark.slow
def test_every_note_has_a_code() -> None:
    good, poor = Contingency.from_labels(TRUTH, GOOD), Contingency.from_labels(TRUTH, POOR)
    said = {"good": GOOD, "poor": POOR}

    assert codes(ifs.compare({"good": good, "poor": poor})) == ["unpaired"]
    assert codes(ifs.compare({"good": good, "poor": poor + poor})) == ["different_data", "unpaired"]
    assert codes(ifs.compare({"good": good, "poor": poor}, prevalence="equal")) == ["unpaired", "prevalence_stated"]
    assert codes(ifs.compare(TRUTH, said, prevalence="equal")) == ["prevalence_stated"]
    assert codes(ifs.compare(TRUTH, said, weight=[1, 2, 3] * 20)) == ["effective_sample_size"]
    assert codes(ifs.compare(TRUTH, said, groups=[*range(30)] * 2)) == ["grouped_rows"]
    many = {f"{name} {at}": labels for name, labels in said.items() for at in range(4)}
    assert codes(ifs.compare(TRUTH, many, metrics="accuracy")) == [
        "same_predictions",
        "same_predictions",
        "few_swap_tests",
    ]
    shares = {"good": Contingency.from_matrix([[0.4, 0.1], [0.1, 0.4]]), "poor": good}
    assert codes(ifs.compare(shares, sample_size=100, metrics="accuracy"))[0] == "sample_size_stated"


def test_nothing_comparable_is_told_by_metric_and_reason_whatever_the_names_hold() -> None:
    silent = Contingency.from_matrix([[5, 5]], truth=["a"], system=["x", "y"])

    with pytest.raises(ifs.InputError, match=r"nothing can be compared: \w+ is undefined for 'a; b' \(.*\)$"):
        ifs.compare({"a; b": silent, "c; d": silent})


def test_a_name_at_the_start_of_a_sentence_stays_as_it_is() -> None:
    page = ifs.compare(TRUTH, {"no system x": GOOD, "poor": POOR}, metrics="proficiency").to_html()
    assert "no system x is best in proficiency" in page

    alike = ifs.compare(TRUTH, {"one": GOOD, "two": GOOD}, metrics="proficiency").to_html()
    assert "There is no significant difference in proficiency" in alike


@pytest.mark.slow
def test_the_class_of_a_sweep_may_be_called_anything() -> None:
    odd = "x when margin ≤ t"
    curve = ifs.sweep([odd, odd, "b", "b", "b"], [0.9, 0.8, 0.3, 0.1, 0.7], positive=odd)
    page = curve.to_html()

    assert curve.quantity == "score"
    assert "margin is" not in page


@pytest.mark.slow
def test_a_comparison_says_which_metrics_change_with_classes_that_no_row_shows() -> None:
    truth = [*"aaaaaaaabbbbbbbb", *"cdefghij"]
    systems = {"one": [*truth[:-1], "a"], "two": ["b", *truth[1:]]}

    found = ifs.compare(truth, systems, metrics=["macro_f1", "proficiency"])
    (missing,) = [finding for finding in found.findings if finding.code == "unseen_classes"]
    assert "8 true classes occur once, so about 33% of cases" in missing.text
    assert missing.evidence["metrics"] == ["macro_f1"]
    assert {place.estimate.low for place in found.ranking[0].places} == {None}
    assert None not in {place.estimate.low for place in found.ranking[1].places}
    assert "Macro F1" in found.to_text(full=True)
    assert "<svg" in found.to_html()
    assert "unseen_classes" not in codes(ifs.compare(truth, systems, metrics=["proficiency"]))
    assert "unseen_classes" not in codes(
        ifs.compare(truth * 3, {k: v * 3 for k, v in systems.items()}, metrics=["macro_f1"])
    )
