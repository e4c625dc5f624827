"""Pages whose code runs: what is shown below a command is what it prints.

``$ …`` lines in a ``console`` block are commands, the lines after one are its output. ``python`` blocks with ``>>>``
are doctests, others run as a whole; all blocks of a page share one folder and one set of names. A comment
``<!-- $ … -->`` runs a command that the page does not show. ``python -m tools.site.executed PAGE …`` writes the outputs
anew.
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from infoscope.cli import app

__all__ = ["executed", "problems"]

_BLOCK = re.compile(r"```(console|python)\n(.*?)```|<!-- \$ (.*?) -->", re.DOTALL)
_NOT_RUN = ("pip ", "make ", "git ")
"""Commands that change the machine; the tests of the project run them by other means."""
_FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


@dataclass
class _Session:
    """What one page has run so far."""

    names: dict[str, Any] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    def replaced(self, found: re.Match[str]) -> str:
        """A block with the outputs that its commands have now."""
        if found[3] is not None:
            self._command(found[3])
            return found[0]
        if found[1] == "python":
            self._python(found[2])
            return found[0]
        return f"```console\n{''.join(self._console(found[2]))}```"

    def _console(self, text: str) -> Iterator[str]:
        shown = re.split(r"^\$ ", text, flags=re.MULTILINE)
        for part in shown[1:]:
            command, _, old = part.partition("\n")
            while command.endswith("\\"):
                more, _, old = old.partition("\n")
                command = f"{command}\n{more}"
            output = old if command.startswith(_NOT_RUN) else self._command(command.replace("\\\n", " "))
            yield f"$ {command}\n{output}"

    def _command(self, command: str) -> str:
        words = shlex.split(command)
        if words[0] != "infoscope":
            return subprocess.run(command, shell=True, check=True, capture_output=True, text=True).stdout
        found = CliRunner().invoke(app, words[1:], prog_name="infoscope")
        if found.exception is not None and not isinstance(found.exception, SystemExit):
            self.problems.append(f"$ {command}\n{found.exception!r}")
        text = "\n".join(line.rstrip() for line in found.output.strip("\n").splitlines())
        return text + "\n" if text else ""

    def _python(self, text: str) -> None:
        if ">>>" in text:
            test = doctest.DocTestParser().get_doctest(text, self.names, "page", None, 0)
            heard: list[str] = []
            doctest.DocTestRunner(optionflags=_FLAGS).run(test, out=heard.append, clear_globs=False)
            self.names |= test.globs
            self.problems += heard
            return
        try:
            exec(compile(text, "page", "exec"), self.names)
        except Exception as problem:
            self.problems.append(f"{text}\n{problem!r}")


@contextmanager
def _scratch() -> Iterator[None]:
    before = {name: os.environ.get(name) for name in ("COLUMNS", "NO_COLOR")}
    os.environ |= {"COLUMNS": "96", "NO_COLOR": "1"}
    try:
        with tempfile.TemporaryDirectory() as folder, chdir(folder):
            yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def executed(page: str) -> tuple[str, list[str]]:
    """The page with its outputs as they are now, and what went wrong."""
    session = _Session()
    with _scratch():
        return _BLOCK.sub(session.replaced, page), session.problems


def problems(page: str) -> list[str]:
    """What is stale or broken on a page."""
    now, found = executed(page)
    if now != page:
        old, new = page.splitlines(), now.splitlines()
        first = next((at for at, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
        found.append(f"line {first + 1} is stale: shown {old[first : first + 1]}, now {new[first : first + 1]}")
    return found


if __name__ == "__main__":
    for name in sys.argv[1:]:
        path = Path(name)
        text, failures = executed(path.read_text(encoding="utf-8"))
        if failures:
            sys.exit(f"{name}: " + "\n".join(failures))
        path.write_text(text, encoding="utf-8")
