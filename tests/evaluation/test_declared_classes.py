"""Classes that are declared for rows: those that no row shows are part of the table and named."""

from pathlib import Path

import pytest
from click.testing import CliRunner

import infoscope as ifs
from tests.api import app

ROWS = "truth,model\n" + "cat,cat\ndog,dog\ncat,dog\n" * 20
NUMBERS = "truth,model\n" + "1,1\n2,2\n1,2\n" * 20


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    path = tmp_path / "rows.csv"
    path.write_text(ROWS)
    return path


def test_declared_classes_of_rows_are_those_of_labels(rows: Path) -> None:
    truth, model = zip(*(line.split(",") for line in ROWS.splitlines()[1:]), strict=True)
    read = ifs.evaluate(rows, truth="truth", system="model", labels=["fox", "dog", "cat"]).systems[0]
    given = ifs.evaluate(truth, model, labels=["fox", "dog", "cat"]).systems[0]

    assert read.truth_labels == ("fox", "dog", "cat")
    assert read.table.counts.tolist() == given.table.counts.tolist()
    assert read.metrics["proficiency"].interval == given.metrics["proficiency"].interval
    assert "absent_classes" in [finding.code for finding in read.diagnosis]


def test_numbers_of_a_file_are_told_by_their_text(tmp_path: Path) -> None:
    path = tmp_path / "numbers.csv"
    path.write_text(NUMBERS)
    read = ifs.evaluate(path, truth="truth", system="model", labels=["1", "2", "3"]).systems[0]

    assert read.truth_labels == ("1", "2", "3")
    assert read.table.counts.tolist() == [[20, 20, 0], [0, 20, 0], [0, 0, 0]]


def test_the_command_takes_classes(rows: Path) -> None:
    said = CliRunner().invoke(app, ["evaluate", str(rows), "-t", "truth", "-s", "model", "--classes", "cat,dog,fox"])

    assert said.exit_code == 0, said.output
    assert "No row has the declared class 'fox'" in " ".join(said.output.split())


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--classes", "cat,fox"], "the label 'dog' occurs in the rows and is not among the classes declared"),
        (["--classes", "cat,dog,cat"], "twice"),
        (["--classes", "cat,dog", "--groups", "truth"], "leave out labels= or groups="),
    ],
)
def test_bad_classes_are_rejected(rows: Path, words: list[str], reason: str) -> None:
    said = CliRunner().invoke(app, ["evaluate", str(rows), "-t", "truth", "-s", "model", *words])

    assert said.exit_code == 2
    assert reason in " ".join(said.output.split())
