"""Standard streams that are full, closed or not UTF-8: a sentence and a status, and every character arrives."""

import html
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.api import app

pytestmark = pytest.mark.slow

INFOSCOPE = f"'{sys.executable}' -m infoscope"
ROWS = "-t gold -s 'sÿstem'"
FULL = "infoscope: standard output cannot be written: the disk is full; write to a file with -o FILE\n"
CLOSED = "infoscope: standard output cannot be written: it is closed; write to a file with -o FILE\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("streams")
    rows = "café,café,日本,0.2\n日本,日本,日本,0.9\ncafé,日本,café,0.4\n日本,café,café,0.6\n日本,日本,café,0.7\n" * 10
    (folder / "log.csv").write_text("gold,sÿstem,other,p\n" + rows, encoding="utf-8")
    return folder


def run(line: str, folder: Path, **env: str) -> subprocess.CompletedProcess[bytes]:
    known = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), **env}
    return subprocess.run(["bash", "-c", line], cwd=folder, env=known, capture_output=True, check=False)


COMMANDS = ["--help", "explain --help", "explain proficiency", f"evaluate log.csv {ROWS}"]


@pytest.mark.parametrize("command", COMMANDS)
def test_full_closed_and_broken_output(command: str, folder: Path) -> None:
    full = run(f"{INFOSCOPE} {command} >/dev/full", folder)
    closed = run(f"{INFOSCOPE} {command} >&-", folder)
    broken = run(f"set -o pipefail; {INFOSCOPE} {command} | true", folder)

    assert (full.returncode, full.stderr.decode()) == (2, FULL)
    assert (closed.returncode, closed.stderr.decode()) == (2, CLOSED)
    assert (broken.returncode, broken.stderr) == (0, b"")


def test_a_closed_pipe_does_not_turn_a_failed_gate_into_a_passed_one(folder: Path) -> None:
    gate = f"{INFOSCOPE} gate log.csv {ROWS} --min accuracy=0.99 --quiet"
    done = run(f"{gate} | true; exit ${{PIPESTATUS[0]}}", folder)

    assert (done.returncode, done.stderr) == (1, b"")


def test_a_reader_that_has_seen_enough(folder: Path) -> None:
    done = run(f"set -o pipefail; {INFOSCOPE} evaluate log.csv {ROWS} -v | head -2 | wc -l", folder)

    assert (done.returncode, done.stdout.split(), done.stderr) == (0, [b"2"], b"")


@pytest.mark.parametrize(
    ("line", "status"),
    [
        (f"evaluate nowhere.csv {ROWS} 2>&-", 2),
        ("evaluate --nonsense 2>/dev/full", 2),
        (f"count log.csv {ROWS} -o none.ifs <&- >&- 2>&-", 0),
        ("evaluate - -t gold -s svm <&-", 2),
    ],
)
def test_nobody_listens(line: str, status: int, folder: Path) -> None:
    done = run(f"{INFOSCOPE} {line}", folder)

    assert done.returncode == status, done.stderr
    assert b"fault of infoscope" not in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize(
    "env",
    [
        {"PYTHONIOENCODING": "ascii"},
        {"PYTHONIOENCODING": "latin-1"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    ],
    ids=str,
)
def test_json_is_json_in_every_encoding(env: dict[str, str], folder: Path) -> None:
    done = run(f"{INFOSCOPE} evaluate log.csv -t gold -s other --format json", folder, **env)
    assert (done.returncode, done.stderr) == (0, b"")
    (system,) = json.loads(done.stdout)["systems"]

    assert {each["label"] for each in system["classes"]} == {"café", "日本"}


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
@pytest.mark.parametrize(
    "command",
    [
        "evaluate log.csv -t gold -s sÿstem",
        "sweep log.csv -t gold --score p --positive 日本",
        "compare log.csv -t gold -s sÿstem -s other",
        "agree log.csv -s gold -s sÿstem --draws 5",
        "gate log.csv -t gold -s sÿstem --min accuracy=0.1",
        "explain",
    ],
)
def test_every_character_arrives(command: str, encoding: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    known = {"explain": [], "gate": ["text", "json", "markdown"]}.get(
        command.partition(" ")[0], ["text", "json", "markdown", "html"]
    )
    for form in known or [None]:
        words = [*command.split(), *(["--format", form] if form else [])]
        done = CliRunner(charset=encoding).invoke(app, words)
        assert done.exit_code == 0, done.stderr
        said = done.stdout_bytes.decode("utf-8" if form == "html" else encoding)
        if form == "json":
            json.loads(done.stdout_bytes)
        if command.startswith("evaluate"):
            assert ("日本" in _read_back(said, form, encoding)) or (form == "text" and encoding != "utf-8"), said


def _read_back(said: str, form: str | None, encoding: str) -> str:
    """Return the output as a reader of this form sees it."""
    if encoding == "utf-8":
        return said
    return json.dumps(json.loads(said), ensure_ascii=False) if form == "json" else html.unescape(said)


def test_half_a_character_is_no_fault(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "half.ndjson").write_text('{"t": "a\\ud800", "s": "b"}\n{"t": "b", "s": "a\\ud800"}\n' * 9)
    monkeypatch.chdir(folder)
    for form in ("text", "json", "markdown", "html"):
        for target in ([], ["-o", f"half.{form}"]):
            done = CliRunner().invoke(app, ["evaluate", "half.ndjson", "-t", "t", "-s", "s", "--format", form, *target])
            assert done.exit_code in (0, 2), done.stderr
            assert b"fault of infoscope" not in done.stderr_bytes
