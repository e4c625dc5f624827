"""First mistakes of new users: the message names the mistake and the way out."""

import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner, Result

import infoscope as ifs
from tests.api import app

ROWS = "label,pred\n" + "cat,cat\ndog,dog\ncat,dog\n" * 20


@pytest.fixture(autouse=True)
def _rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rows.csv").write_text(ROWS)


def run(*words: str) -> Result:
    return CliRunner().invoke(app, words)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["evaluate", "rows.csv", "--metric", "roc_auc"], "'roc_auc' is a metric of scores, not of predicted classes"),
        (["evaluate", "rows.csv", "--metric", "fleiss_kappa"], "is a metric of annotators: infoscope agree"),
        (["evaluate", "rows.csv", "--metric", "Hamming loss"], "is a metric of label sets: infoscope multilabel"),
        (["evaluate", "rows.csv", "--metric", "mota"], "'mota' is a metric of tracks: infoscope track"),
        (["evaluate", "rows.csv", "--metric", "f1_scor"], "did you mean 'f1'?"),
        (["agree", "rows.csv", "label", "pred"], "no file 'label'; name columns of rows.csv with -s: infoscope agree"),
        (["show", "rows.csv"], "rows.csv holds rows, not a stored result; write one with infoscope evaluate rows.csv"),
        (
            ["evaluate", "rows.csv", "-t", "label", "-s", "pred", "--examples", "label"],
            "'label' is no number; say how many first, as in 5:label",
        ),
    ],
)
def test_the_way_out_is_named(words: list[str], said: str) -> None:
    done = run(*words)
    assert (done.exit_code, done.stdout) == (2, "")
    assert said in " ".join(done.stderr.split())


@pytest.mark.parametrize("command", ["evaluate", "compare", "sweep"])
def test_a_header_alone_is_said_to_be_one(command: str) -> None:
    Path("header.csv").write_text("label,pred\n")
    done = run(command, "header.csv")
    assert done.exit_code == 2
    assert "header.csv has a header ('label', 'pred') and no row below it" in done.stderr


def test_metrics_of_scores_are_named_in_python() -> None:
    with pytest.raises(ifs.errors.UnknownNameError, match=r"infoscope\.operating_points\.roc_auc\(y_true, y_score\)"):
        ifs.evaluate(["a", "b"] * 9, ["a", "b"] * 9, metrics=["roc_auc"])


def test_one_confusion_is_all_of_the_errors_and_does_not_say_so() -> None:
    text = ifs.evaluate(["a", "b", "c", "a"] * 20, ["a", "b", "c", "b"] * 20).to_text()
    assert "a ↔ b 20" in " ".join(text.split())
    assert "These are" not in text


def test_no_word_at_all_shows_the_help_as_it_is() -> None:
    done = run()
    assert done.exit_code == 2
    assert done.output.startswith("Usage: app [OPTIONS] COMMAND [ARGS]...\n\n  Is the new model really better")
    assert "infoscope: Usage" not in done.output


@pytest.mark.parametrize("command", [["evaluate", "-s", "pred"], ["compare", "-s", "pred", "-s", "two"]])
def test_files_put_together_with_their_headers_are_noticed(command: list[str]) -> None:
    part = "label,pred,two\n" + "cat,cat,dog\ndog,dog,dog\ncat,dog,cat\n" * 20
    Path("both.csv").write_text(part * 3)
    done = run(*command, "both.csv", "-t", "label", "--format", "json")
    assert done.exit_code == 2
    assert "both.csv has its header again among its rows (2 with" in done.stderr
    pd.read_csv("both.csv").to_parquet("both.parquet")
    done = run(*command, "both.parquet", "-t", "label", "--format", "json")
    assert "2 rows hold the names of their columns, 'label' and 'pred': the header seems to be repeated" in done.stderr
    pd.read_csv("both.csv").assign(w=lambda rows: 0.3 + rows.index % 7).to_parquet("both.parquet")
    done = run(*command, "both.parquet", "-t", "label", "--weight", "w", "--format", "json")
    assert "Some rows hold the names of their columns, 'label' and 'pred'" in done.stderr
    Path("both.csv").write_text(part)
    assert "header" not in run(*command, "both.csv", "-t", "label", "--format", "json").stderr


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are of Unix")
def test_a_long_message_is_broken_at_the_width_of_the_terminal_and_not_in_a_log(tmp_path: Path) -> None:
    (tmp_path / "n.csv").write_text("x,y\n" + "".join(f"{n / 7},{n / 11}\n" for n in range(40)))
    words = [sys.executable, "-m", "infoscope", "n.csv"]
    inside, outside = os.openpty()
    told = subprocess.run(words, cwd=tmp_path, stderr=outside, check=False, env={**os.environ, "COLUMNS": "80"})
    lines = os.read(inside, 10_000).decode().splitlines()
    os.close(inside)
    os.close(outside)
    logged = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert (told.returncode, logged.returncode) == (2, 2)
    assert max(map(len, lines)) <= 80
    assert "  infoscope evaluate n.csv -t TRUTH -s SYSTEM," in lines
    assert " ".join(" ".join(lines).split()) == logged.stderr.strip()
