"""Completion in real shells: what Tab inserts is read again as the name of the column."""

import csv
import os
import pty
import select
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

NAMES = ["gold", "it's", "a,b", "two words", "x:y", "$HOME", "`ls`", "back\\slash", '"quoted"', "*", "~t", "é", "{a,b}"]
PLAIN = ["gold", "x:y", "é"]
"""Names that every shell reads as they are; the others are not completed."""


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a log of hostile columns, the command, and the scripts of the shells."""
    with (tmp_path / "log.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([NAMES, ["a"] * len(NAMES), ["b"] * len(NAMES)])
    command = tmp_path / "bin" / "infoscope"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m infoscope "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{command.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def script(shell: str) -> str:
    """Its name, where the shell is installed."""
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    Path(f"script.{shell}").write_bytes(subprocess.check_output(["infoscope", "completion", shell]))
    return f"script.{shell}"


def output(*command: str) -> list[str]:
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout.splitlines()


@pytest.mark.usefixtures("shop")
def test_fish():
    def completed(line: str) -> list[str]:
        found = output("fish", "--no-config", "-c", f"source {name}; complete -C {shlex.quote(line)}")
        return [line.partition("\t")[0] for line in found]

    name = script("fish")
    assert sorted(completed("infoscope evaluate log.csv -t ")) == sorted(PLAIN)
    assert "--truth-file" in completed("infoscope evaluate --tr")
    assert completed("infoscope eval") == ["evaluate"]
    assert completed("infoscope evaluate lo") == ["log.csv"]


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize("quote", ["", "'", '"'], ids=["plain", "single", "double"])
def test_bash(quote: str, monkeypatch: pytest.MonkeyPatch):
    """Each reply, in the quotes that were begun, is evaluated by bash as a word."""
    name = script("bash")
    monkeypatch.setenv("QUOTE", quote)
    lines = [
        f"source {name}",
        'COMP_WORDS=(infoscope evaluate log.csv -t "$QUOTE") COMP_CWORD=4',
        "_infoscope_completion infoscope",
        """for reply in "${COMPREPLY[@]}"; do eval "printf '%s\\n' $QUOTE$reply$QUOTE"; done""",
    ]
    assert output("bash", "--norc", "-c", "\n".join(lines)) == PLAIN


@pytest.mark.usefixtures("shop")
def test_zsh():
    """Typed into a terminal."""
    name = script("zsh")
    typed = "infoscope evaluate log.csv -t go\t"
    process, terminal = pty.fork()
    if process == 0:
        os.execvp("zsh", ["zsh", "-f", "-i"])
    try:
        os.write(terminal, f"autoload -U compinit; compinit -u; source {name}; print rea''dy\n".encode())
        seen_until(terminal, b"ready")
        os.write(terminal, typed.encode())
        seen_until(terminal, b"gold")
    finally:
        os.close(terminal)
        os.waitpid(process, 0)


def seen_until(terminal: int, words: bytes) -> None:
    """Read what a terminal shows, until it shows these words."""
    seen, end = b"", time.monotonic() + 60
    while words not in seen:
        ready, _, _ = select.select([terminal], [], [], max(0.0, end - time.monotonic()))
        assert ready, seen
        seen += os.read(terminal, 4096)
