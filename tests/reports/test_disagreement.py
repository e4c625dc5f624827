"""Values of the sample in text, as papers print them, and the sentence where metrics disagree."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.api import app, describe_disagreement, to_plain
from tests.papers.test_steingold2016 import MATRICES, PERCENT

ASKED = ("proficiency", "phi", "accuracy", "f1")
SECTIONS = ["2.3.1a", "2.3.1b", "2.3.3"]


def run(command: str, folder: Path, section: str, *options: str) -> str:
    files = []
    for name in "AB":
        file = folder / f"{name}.csv"
        file.write_text("\n".join(",".join(map(str, row)) for row in MATRICES[f"{section} {name}"]), encoding="utf-8")
        files.append(str(file))
    asked = [part for metric in ASKED for part in ("--metric", metric)]
    done = CliRunner().invoke(app, [command, "--matrix", *files, "--positive", "0", *asked, *options])
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.mark.parametrize("section", SECTIONS)
def test_a_against_b_in_one_command_has_the_numbers_of_the_paper(section: str, tmp_path: Path) -> None:
    """Section 2.3 of Steingold & Laclavik; correlations are no percentages here."""
    text = run("evaluate", tmp_path, section, "--plain")
    lines = text[text.index("Systems by proficiency") :].splitlines()
    for name in "AB":
        found = next(line.split()[1:] for line in lines if line.split()[:1] == [name])
        for metric, shown in zip(ASKED, found, strict=True):
            printed = PERCENT[metric][f"{section} {name}"]
            value = float(shown.rstrip("%").replace("−", "-")) * (1 if "%" in shown else 100)
            assert value == pytest.approx(float(printed), abs=0.0551)  # as rounded here, and in the paper


@pytest.mark.parametrize("command", ["compare", "evaluate"])
def test_the_sentence_says_which_metric_prefers_which(command: str, tmp_path: Path) -> None:
    text = " ".join(run(command, tmp_path, "2.3.1a", "-v").split())

    assert "the metrics disagree: B is first by proficiency and F1 of '0'; A by phi coefficient and accuracy." in text


def test_metrics_that_agree_or_tie_are_not_said_to_disagree() -> None:
    assert describe_disagreement({"accuracy": {"a": 0.9, "b": 0.8}, "proficiency": {"a": 0.4, "b": 0.3}}) is None
    assert describe_disagreement({"accuracy": {"a": 0.9, "b": 0.9}, "proficiency": {"a": 0.4, "b": 0.3}}) is None
    assert describe_disagreement({"accuracy": {"a": 0.9, "b": None}, "proficiency": {"a": 0.2, "b": 0.3}}) is None
    lower = describe_disagreement(
        {"accuracy": {"a": 0.9, "b": 0.8}, "erroneous_information_ratio": {"a": 1.2, "b": 0.7}}
    )
    assert lower is not None
    assert to_plain(lower).endswith("a is first by accuracy; b by erroneous information ratio.")
