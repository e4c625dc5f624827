"""Every kind of bad input: status 2, one line that says what to do, no traceback, nothing written."""

from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from tests.api import app

ROWS = ["-t", "gold", "-s", "svm"]
CASES = [
    pytest.param("a.csv", "gold,svm\ncat,cat\ndog\n", ROWS, ["line 3", "1 field"], id="lengths differ"),
    pytest.param("a.csv", "", ROWS, ["empty"], id="empty file"),
    pytest.param("a.csv", "gold,svm\n", ROWS, ["no row", "'svm'"], id="header only"),
    pytest.param("a.csv", "gold,svm\n,cat\ndog,\n", ROWS, ["no row", "'svm'"], id="no complete row"),
    pytest.param("a.csv", "", ["--matrix"], ["empty"], id="empty matrix"),
    pytest.param(
        "a.csv", ",x,y\nx,1,-3\ny,2,4\n", ["--matrix"], ["'x'", "'y'", "-3", "not negative"], id="negative count"
    ),
    pytest.param("a.csv", ",x,y\nx,1,inf\ny,2,4\n", ["--matrix"], ["a.csv", "inf", "finite"], id="infinite count"),
    pytest.param(
        "a.csv", ",x,y\nx,1,nan\ny,2,4\n", ["--matrix"], ["a.csv", "nan", "finite"], id="count that is no number"
    ),
    pytest.param("a.csv", "gold,svm,w\nx,x,1\ny,y,-2\n", [*ROWS, "--weight", "w"], ["negative"], id="negative weight"),
    pytest.param(
        "a.csv", "gold,svm,w\nx,x,1\ny,y,two\n", [*ROWS, "--weight", "w"], ["line 3", "'two'"], id="weight in words"
    ),
    pytest.param(
        "a.csv", "gold,svm\nx,x\ny,\n", [*ROWS, "--strict"], ["1 row", "'svm'", "--strict"], id="missing, strict"
    ),
    pytest.param(
        "a.ndjson", '{"gold": 1, "svm": "1"}\n{"gold": 2, "svm": "2"}\n', ROWS, ["look alike", "text"], id="1 and '1'"
    ),
    pytest.param("a.csv", ",x,x\nx,1,3\ny,2,4\n", ["--matrix"], ["'x'", "twice"], id="duplicate output label"),
    pytest.param("a.csv", ",x,y\nx,1,3\nx,2,4\n", ["--matrix"], ["'x'", "twice"], id="duplicate truth label"),
    pytest.param("a.csv", "gold,svm\nx,x\n", ["-t", "glod", "-s", "svm"], ["'glod'", "'gold'"], id="unknown column"),
    pytest.param("a.csv", "gold,svm\nx,x\n", [*ROWS, "-s", "svm"], ["twice"], id="system named twice"),
    pytest.param("a.csv", "gold,svm\nx,x\n", ["-t", "gold", "-s", "gold"], ["itself"], id="truth as system"),
    pytest.param("a.parquet", "no parquet at all", ROWS, ["a.parquet", "not a whole Parquet file"], id="false parquet"),
    pytest.param("a.csv.gz", "gold,svm\nx,x\n", ROWS, ["gzip"], id="false gzip"),
    pytest.param("a.csv", ",x,\nx,1,2\ny,3,4\n", ["--matrix"], ["a.csv", "without a label"], id="column without label"),
    pytest.param(
        "a.csv", "gold,svm,w\nx,x,0\ny,y,0\n", [*ROWS, "--weight", "w"], ["weight", "0"], id="no weight anywhere"
    ),
    pytest.param("a.csv", "some words\nand more\n", ["--matrix"], ["a.csv"], id="no matrix"),
    pytest.param("a.csv", "gold,svm\nx,x\n", ["--matrix"], ["'x'", "numbers"], id="rows as matrix"),
    pytest.param("a.csv", ",x,y\nx,1\ny,1,2\n", ["--matrix"], ["row 2"], id="ragged matrix"),
    pytest.param("a.csv", ",x,y\nx,0,0\ny,0,0\n", ["--matrix"], ["a.csv", "all zero"], id="all zero"),
    pytest.param(
        "a.csv", ",x,y\nx,1,0\ny,0,1\n", ["--matrix", "--reject", "z"], ["'z'", "not a column"], id="no reject"
    ),
    pytest.param("a.csv", ",x,y\nx,1,0\ny,0,1\n", ["--matrix", "--positive", "z"], ["'z'"], id="unknown positive"),
    pytest.param(
        "a.csv", ",x,y\nx,1,0\ny,0,1\n", ["--matrix", "--prevalence", "even"], ["'even'", "equal"], id="prevalence"
    ),
    pytest.param("a.csv", ",x,y\nx,1,0\ny,0,1\n", ["--matrix", "--level", "95"], ["95", "between 0 and 1"], id="level"),
]


@pytest.mark.parametrize(("name", "text", "options", "words"), CASES)
def test_bad_input_is_one_line_and_status_2(
    tmp_path: Path, name: str, text: str, options: list[str], words: list[str]
) -> None:
    source, target = tmp_path / name, tmp_path / "out.json"
    source.write_text(text)

    result = CliRunner().invoke(app, ["evaluate", str(source), *options, "-o", str(target)])

    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert result.stderr.startswith("infoscope: ")
    assert result.stderr.count("\n") == 1
    for word in words:
        assert word in result.stderr
    assert not target.exists()
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_missing_file_is_named(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["evaluate", str(tmp_path / "nowhere.csv"), *ROWS])

    assert result.exit_code == 2
    assert "nowhere.csv" in result.stderr


@pytest.mark.parametrize(
    ("words", "shown"),
    [(["a.csv"], "-t"), (["a.csv", "-t", "gold"], "-s"), ([], "SOURCE"), (["--matrix", "a.csv", "-t", "x"], "--truth")],
)
def test_wrong_use_is_status_2(words: list[str], shown: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text("gold,one,two\na,a,b\n")
    result = CliRunner().invoke(app, ["evaluate", *words])

    assert result.exit_code == 2
    assert shown in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    "words", [["nope"], ["evaluate", "--nope"], ["evaluate", "a.csv"], ["evaluate", "--level", "x"]]
)
def test_every_error_begins_with_the_name_of_the_program(words: list[str]) -> None:
    result = CliRunner().invoke(app, words)

    assert result.exit_code == 2
    assert result.stderr.splitlines()[-1].startswith("infoscope: ")
    assert "Error:" not in result.stderr


def test_missing_labels_are_counted_and_said(tmp_path: Path) -> None:
    source = tmp_path / "a.csv"
    source.write_text("gold,svm\nx,x\ny,\n,y\ny,y\n")

    loud = CliRunner().invoke(app, ["evaluate", str(source), *ROWS])
    quiet = CliRunner().invoke(app, ["evaluate", str(source), *ROWS, "-q"])

    assert loud.exit_code == quiet.exit_code == 0
    assert "warning: 1 row left out: missing label in 'svm'" in loud.stderr
    assert "1 row left out: missing label in 'gold'" in loud.stdout
    assert quiet.stderr == ""


def test_lookalikes_are_warned_about_with_the_pairs(tmp_path: Path) -> None:
    source = tmp_path / "a.csv"
    source.write_text("gold,svm\n" + "cat,cat\ncat,Cat\ndog,dog \ndog,dog\n" * 5)

    result = CliRunner().invoke(app, ["evaluate", str(source), *ROWS, "--format", "json"])

    assert result.exit_code == 0
    assert "warning" in result.stderr
    assert "'Cat' and 'cat'; 'dog' and 'dog '" in result.stderr


def _with_seed() -> list[str]:
    context = click.Context(app)
    commands = {name: app.get_command(context, name) for name in app.list_commands(context)}
    return [name for name, command in commands.items() if any(option.name == "seed" for option in command.params)]


def test_commands_that_draw_have_a_seed() -> None:
    assert {"agree", "compare", "evaluate", "relate", "sweep"} <= set(_with_seed())


@pytest.mark.parametrize("command", _with_seed())
def test_negative_seeds_are_rejected_in_one_line(command: str) -> None:
    result = CliRunner().invoke(app, [command, "a.csv", "b.csv", "--seed", "-1"])

    assert result.exit_code == 2
    assert "Invalid value for '--seed': -1 is not in the range x>=0." in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("name", ["out.pdf", "out.PNG", "out.xlsx"])
def test_a_file_that_would_not_be_what_its_name_says_is_rejected(name: str, tmp_path: Path) -> None:
    rows = tmp_path / "rows.csv"
    rows.write_text("t,p\na,a\nb,b\na,b\n")
    found = CliRunner().invoke(app, ["evaluate", str(rows), "-t", "t", "-s", "p", "-o", str(tmp_path / name)])

    assert (found.exit_code, found.stdout) == (2, "")
    assert f"would be no {name.partition('.')[2].upper()} file; results are written as .html" in found.stderr
    assert not (tmp_path / name).exists()
