"""``infoscope count`` and what it writes, from the outside."""

import contextlib
import gzip
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pytest
from click.testing import CliRunner

from tests.api import app

LOG = "gold,svm,knn,day\ncat,cat,dog,mon\ncat,dog,dog,tue\ndog,dog,,mon\n,dog,dog,tue\n"


@dataclass(frozen=True)
class Done:
    returncode: int
    stdout: bytes
    stderr: bytes


def infoscope(*words: str, cwd: Path, stdin: bytes = b"") -> Done:
    with contextlib.chdir(cwd):
        result = CliRunner().invoke(app, list(words), input=stdin)
    return Done(result.exit_code, result.stdout_bytes, result.stderr_bytes)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "log.csv").write_text(LOG)
    lines = LOG.splitlines(keepends=True)
    (tmp_path / "a.csv").write_text(lines[0] + lines[1])
    (tmp_path / "b.csv").write_text(lines[0] + "".join(lines[2:]))
    return tmp_path


def evaluated(folder: Path, *words: str) -> list[dict[str, object]]:
    done = infoscope("evaluate", *words, "--format", "json", cwd=folder)
    assert done.returncode == 0, done.stderr
    return [
        {key: system[key] for key in ("name", "n", "metrics", "leaks")} | {"group": system.get("group")}
        for system in json.loads(done.stdout)["systems"]
    ]


@pytest.mark.slow
@pytest.mark.parametrize("more", [(), ("-s", "knn"), ("-s", "knn", "--by", "day")], ids=str)
def test_merged_parts_evaluate_as_the_whole(folder: Path, more: tuple[str, ...]) -> None:
    columns = ("-t", "gold", "-s", "svm", *more)
    for name in ("a", "b"):
        done = infoscope("count", f"{name}.csv", *columns, "-o", f"{name}.ifs", cwd=folder)
        assert done.returncode == 0, done.stderr
        assert done.stdout == b""

    whole = evaluated(folder, "log.csv", *columns)
    assert evaluated(folder, "a.ifs", "b.ifs") == whole

    assert infoscope("count", "a.ifs", "b.ifs", "-o", "sum.ifs", cwd=folder).returncode == 0
    assert evaluated(folder, "sum.ifs") == whole


def test_standard_input_and_words_on_stderr(folder: Path) -> None:
    packed = gzip.compress(LOG.encode())
    done = infoscope("count", "-", "-t", "gold", "-s", "svm", "-o", "x.ifs", cwd=folder, stdin=packed)

    assert done.returncode == 0
    assert b"4 rows to 1 table in x.ifs" in done.stderr
    assert b"1 row left out: missing label in 'gold'" in done.stderr


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("count", "log.csv", "-t", "gold", "-s", "svm", "-o", "x.csv"), b"not named *.ifs"),
        (("count", "log.csv", "-t", "gold", "-s", "svn", "-o", "x.ifs"), b"did you mean 'svm'"),
        (("count", "no.csv", "-t", "gold", "-s", "svm", "-o", "x.ifs"), b"does not exist"),
        (("count", "log.csv", "-t", "gold", "-s", "svm", "-o", "no/x.ifs"), b"there is no folder"),
        (("count", "log.csv", "-t", "gold", "-s", "svm", "-o", "x.ifs", "--strict"), b"missing label"),
        (("evaluate", "SELECT 1", "-t", "gold", "-s", "svm", "--read", "engine=sql"), b"needs the address"),
    ],
)
def test_wrong_use_exits_with_2_and_writes_nothing(folder: Path, words: tuple[str, ...], sentence: bytes) -> None:
    before = sorted(path.name for path in folder.iterdir())
    done = infoscope(*words, cwd=folder)

    assert done.returncode == 2, done.stderr
    assert sentence in done.stderr
    assert sorted(path.name for path in folder.iterdir()) == before


def test_existing_file_is_kept_unless_forced(folder: Path) -> None:
    words = ("count", "log.csv", "-t", "gold", "-s", "svm", "-o", "x.ifs")
    (folder / "x.ifs").write_text("mine")

    assert infoscope(*words, cwd=folder).returncode == 2
    assert (folder / "x.ifs").read_text() == "mine"
    assert infoscope(*words, "--force", cwd=folder).returncode == 0
    assert evaluated(folder, "x.ifs")[0]["name"] == "svm"


def test_database_on_the_command_line(folder: Path) -> None:
    import sqlite3

    connection = sqlite3.connect(folder / "log.db")
    connection.execute("CREATE TABLE log (gold, svm)")
    connection.executemany("INSERT INTO log VALUES (?, ?)", [("a", "a"), ("a", "b"), ("b", "b")])
    connection.commit()
    connection.close()
    url = f"sqlite:///{folder / 'log.db'}"
    columns = ("-t", "gold", "-s", "svm", "--read", f"engine={url}")

    assert evaluated(folder, "log", *columns) == evaluated(folder, "SELECT * FROM log", *columns)


HEEDING = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
"""Processes started in the background ignore interrupts, and their children inherit that."""


@pytest.mark.slow
def test_interrupt_ends_with_130_and_writes_nothing(tmp_path: Path) -> None:
    duckdb.execute(
        "COPY (SELECT hash(i)::VARCHAR AS t, hash(i + 2)::VARCHAR AS s FROM range(1500000) r(i)) "
        f"TO '{tmp_path}/heavy.parquet'"
    )
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "TMPDIR": str(scratch)}
    words = ["count", "heavy.parquet", "-t", "t", "-s", "s", "-o", "x.ifs", "--read", "memory=100MB"]
    process = subprocess.Popen(
        [sys.executable, "-c", f"{HEEDING}from infoscope.cli import main; main()", *words],
        cwd=tmp_path,
        env=env,
        stderr=subprocess.PIPE,
    )
    end = time.monotonic() + 60
    while not list(scratch.glob("infoscope-*/spill")) and time.monotonic() < end:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, words_said = process.communicate(timeout=120)

    assert process.returncode == 130, words_said
    assert sorted(path.name for path in tmp_path.iterdir()) == ["heavy.parquet", "scratch"]
    assert list(scratch.iterdir()) == []


@pytest.mark.slow
def test_folders_of_parts_and_parts_from_a_pipe_need_no_columns(folder: Path) -> None:
    (folder / "parts").mkdir()
    for name in ("a", "b"):
        counted = infoscope("count", f"{name}.csv", "-t", "gold", "-s", "svm", "-o", f"parts/{name}.ifs", cwd=folder)
        assert counted.returncode == 0, counted.stderr
    whole = json.loads(infoscope("evaluate", "parts", "--format", "json", cwd=folder).stdout)
    part = (folder / "parts" / "a.ifs").read_bytes()
    piped = infoscope("evaluate", "-", "--read", "format=ifs", "--format", "json", cwd=folder, stdin=part)

    assert whole["systems"][0]["n"] == 3
    assert json.loads(piped.stdout)["systems"][0]["n"] == 1


def test_a_reject_label_is_not_ignored_on_parts(folder: Path) -> None:
    infoscope("count", "log.csv", "-t", "gold", "-s", "svm", "-o", "log.ifs", cwd=folder)
    done = infoscope("evaluate", "log.ifs", "--reject", "dog", cwd=folder)

    assert done.returncode == 2
    assert b"counted with no reject label" in done.stderr


def test_interrupt_while_loading_ends_with_130(tmp_path: Path) -> None:
    (tmp_path / "click.py").write_text("raise KeyboardInterrupt\n")
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    done = subprocess.run([sys.executable, "-m", "infoscope", "--help"], env=env, capture_output=True, check=False)

    assert (done.returncode, done.stderr) == (130, b"infoscope: interrupted\n")


@pytest.mark.parametrize("source", ["p*.ifs", ".", "./p1.ifs"])
def test_a_sum_does_not_replace_one_of_its_parts(source: str, folder: Path) -> None:
    for name in ("a", "log"):
        assert (
            infoscope(
                "count", f"{name}.csv", "-t", "gold", "-s", "svm", "-o", "p1.ifs", "--force", cwd=folder
            ).returncode
            == 0
        )
    for path in folder.glob("*.csv"):
        path.unlink()
    before = (folder / "p1.ifs").read_bytes()

    done = infoscope("count", source, "-o", "p1.ifs", "--force", cwd=folder)

    assert (done.returncode, b"both read and written" in done.stderr) == (2, True)
    assert (folder / "p1.ifs").read_bytes() == before
