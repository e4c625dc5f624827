"""Findings of a comparison are asked for by their code, never by their words."""

from pathlib import Path

import pytest
from click.testing import CliRunner

import infoscope as ifs
from infoscope import Contingency
from infoscope.cli import app
from infoscope.report.html.comparison_page import comparison_html
from infoscope.report.html.sweep_page import sweep_html

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
    found = ifs.compare({"good": GOOD, "poor": [None, *POOR[1:]]}, truth=TRUTH)

    (missing,) = [finding for finding in found.findings if finding.code == "missing_rows"]
    assert dict(missing.evidence) == {"system": "poor", "rows": 1, "of": 60}
    assert missing.text in found.notes
    assert {"code": "missing_rows", "text": missing.text, "evidence": dict(missing.evidence)} in found.to_dict()[
        "findings"
    ]
    assert found.to_dict()["notes"] == list(found.notes)


def test_every_note_has_a_code() -> None:
    good, poor = Contingency.from_labels(TRUTH, GOOD), Contingency.from_labels(TRUTH, POOR)
    said = {"good": GOOD, "poor": POOR}

    assert codes(ifs.compare({"good": good, "poor": poor})) == ["unpaired"]
    assert codes(ifs.compare({"good": good, "poor": poor + poor})) == ["different_data", "unpaired"]
    assert codes(ifs.compare({"good": good, "poor": poor}, prevalence="equal")) == ["unpaired", "prevalence"]
    assert codes(ifs.compare(said, truth=TRUTH, prevalence="equal")) == ["prevalence"]
    assert codes(ifs.compare(said, truth=TRUTH, weight=[1, 2, 3] * 20)) == ["effective_sample_size"]
    assert codes(ifs.compare(said, truth=TRUTH, cluster=[*range(30)] * 2)) == ["clusters_resampled"]
    many = {f"{name} {at}": labels for name, labels in said.items() for at in range(4)}
    assert codes(ifs.compare(many, truth=TRUTH, metrics="accuracy")) == ["some_swap_tests"]
    shares = {"good": Contingency.from_matrix([[0.4, 0.1], [0.1, 0.4]]), "poor": good}
    assert codes(ifs.compare(shares, n=100, metrics="accuracy"))[0] == "stated_sample_size"


def test_nothing_comparable_is_told_by_metric_and_reason_whatever_the_names_hold() -> None:
    silent = Contingency.from_matrix([[5, 5]], truth=["a"], system=["a", "b"])

    with pytest.raises(ifs.InputError, match=r"nothing can be compared: \w+ is undefined for 'a; b' \(.*\)$"):
        ifs.compare({"a; b": silent, "c; d": silent})


def test_a_name_at_the_start_of_a_sentence_stays_as_it_is() -> None:
    page = comparison_html(ifs.compare({"no system x": GOOD, "poor": POOR}, truth=TRUTH, metrics="proficiency"))
    assert "no system x is best in proficiency" in page

    alike = comparison_html(ifs.compare({"one": GOOD, "two": GOOD}, truth=TRUTH, metrics="proficiency"))
    assert "No system can be told from the others" in alike


def test_the_class_of_a_sweep_may_be_called_anything() -> None:
    odd = "x when margin ≤ t"
    curve = ifs.sweep([0.9, 0.8, 0.3, 0.1, 0.7], [odd, odd, "b", "b", "b"], positive=odd)
    page = sweep_html(curve, curve.choices())

    assert curve.quantity == "score"
    assert "margin is" not in page
