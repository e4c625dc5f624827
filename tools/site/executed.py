"""Pages whose code runs: what is shown below a command is what it prints.

``console`` blocks hold commands after ``$`` with their output; a line ``…`` stands for lines that are left out, and
stays when the others change. ``sh`` blocks hold commands whose output is not shown. ``python`` blocks with ``>>>`` are
doctests, others run as a whole. All blocks of a page share one folder and one set of names. Comments steer it, unseen
on the page::

    <!-- $ infoscope datasets digits -o digits.csv -->     runs a command that the page does not show
    <!-- run                                               runs Python that the page does not show
    rows = [1, 2]
    -->
    <!-- not run: needs a server -->                       the next block is only shown
    <!-- needs: torch -->                                  the next block runs where the package is installed

Pictures that a page shows from its own folder are those that its code saves. ``python -m tools.site.executed PAGE …``
writes outputs, pictures and notebooks anew.
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from infoscope.cli import app
from tools.site.elision import updated
from tools.site.notebooks import write_notebook

__all__ = ["Executed", "executed", "not_run", "problems", "refresh"]

_BLOCK = re.compile(
    r"(?:<!-- (?P<mark>not run|needs): (?P<reason>[^>]*?) -->\n)?^```(?P<kind>[\w{}-]*)\n(?P<text>.*?)^```$"
    r"|<!-- \$ (?P<command>.*?) -->"
    r"|<!-- run\n(?P<code>.*?)\n-->",
    re.DOTALL | re.MULTILINE,
)
_SHOWN_ONLY = ("text", "toml", "yaml", "json", "{toctree}")
"""Kinds of blocks that are no commands."""
_PICTURE = re.compile(r"!\[[^\]]*\]\(([\w.-]+\.svg)\)")
_FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
_MISUSE = 2
"""Exit status of wrong options or input; 1 and 3 are verdicts of a gate."""


@dataclass(frozen=True)
class Executed:
    """A page after its code has run."""

    text: str
    """The page with the outputs as they are now."""
    problems: list[str]
    pictures: dict[str, str]
    """The SVG files that the page shows and its code has saved."""


class _Runner(doctest.DocTestRunner):
    """Keeps what each example printed where that is not what the page shows."""

    def __init__(self) -> None:
        super().__init__(optionflags=_FLAGS)
        self.printed: dict[int, str] = {}
        self.errors: list[str] = []

    def report_failure(self, out: Any, test: Any, example: doctest.Example, got: str) -> None:  # noqa: ARG002
        self.printed[example.lineno] = got

    def report_unexpected_exception(self, out: Any, test: Any, example: doctest.Example, exc_info: Any) -> None:  # noqa: ARG002
        self.errors.append(f"{example.source}{exc_info[1]!r}")


@dataclass
class _Session:
    """State of the code that one page has run so far."""

    names: dict[str, Any] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    def replaced(self, found: re.Match[str]) -> str:
        """A block with the outputs that its commands have now."""
        if found["command"] is not None:
            self._command(found["command"])
        elif found["code"] is not None:
            self._whole(found["code"])
        elif _is_run(found):
            now = "".join(self._block(found["kind"], found["text"]))
            return found[0].replace(f"```{found['kind']}\n{found['text']}```", f"```{found['kind']}\n{now}```")
        return found[0]

    def _block(self, kind: str, text: str) -> Iterator[str]:
        if kind in ("python", "pycon") and ">>>" in text:
            yield self._doctest(text)
        elif kind == "python":
            self._whole(text)
            yield text
        elif kind == "sh":
            for line in text.replace("\\\n", " ").splitlines():
                self._command(line)
            yield text
        elif kind == "console":
            yield from self._console(text)
        else:
            self.problems.append(f"a block of kind {kind!r}: say console, sh, python or text\n{text}")
            yield text

    def _console(self, text: str) -> Iterator[str]:
        for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
            command, _, old = part.partition("\n")
            while command.endswith("\\"):
                more, _, old = old.partition("\n")
                command = f"{command}\n{more}"
            now = self._command(command.replace("\\\n", " "))
            yield f"$ {command}\n{old if _same(old, now) else updated(old, now, '…')}"

    def _command(self, command: str) -> str:
        words = shlex.split(command, comments=True)
        if not words:
            return ""
        if words[0] == "infoscope" and not {"|", "&&", ";"} & set(words):
            found = CliRunner().invoke(app, words[1:], prog_name="infoscope")
            failed = found.exit_code == _MISUSE or not isinstance(found.exception, SystemExit | None)
            output, error = found.output, repr(found.exception)
        else:
            done = subprocess.run(command, shell=True, check=False, capture_output=True, text=True, env=_environment())
            failed, output, error = done.returncode not in (0, 1, 3), done.stdout, done.stderr
        if failed:
            self.problems.append(f"$ {command}\n{output}{error}")
        text = "\n".join(line.rstrip() for line in output.strip("\n").splitlines())
        return text + "\n" if text else ""

    def _doctest(self, text: str) -> str:
        """The block with what its examples print now."""
        test = doctest.DocTestParser().get_doctest(text, self.names, "page", None, 0)
        runner = _Runner()
        runner.run(test, out=lambda _: None, clear_globs=False)
        self.names |= test.globs
        self.problems += runner.errors
        lines = text.splitlines(keepends=True)
        for example in reversed(test.examples):
            if (got := runner.printed.get(example.lineno)) is not None:
                first = example.lineno + example.source.count("\n")
                now = re.sub(r"^$", "<BLANKLINE>", got.removesuffix("\n"), flags=re.MULTILINE) + "\n" if got else ""
                lines[first : first + example.want.count("\n")] = [updated(example.want, now, doctest.ELLIPSIS_MARKER)]
        return "".join(lines)

    def _whole(self, text: str) -> None:
        try:
            exec(compile(text, "page", "exec"), self.names)
        except Exception as problem:
            self.problems.append(f"{text}\n{problem!r}")


def _is_run(found: re.Match[str]) -> bool:
    if found["mark"] == "needs":
        return all(find_spec(name) for name in found["reason"].split(", "))
    return found["mark"] is None and found["kind"] not in _SHOWN_ONLY


def _same(old: str, now: str) -> bool:
    """Return True if the output is as shown, where ``…`` alone on a line stands for any lines."""
    parts = re.split(r"^ *…\n", old, flags=re.MULTILINE)
    return re.fullmatch("(?:.*\n)*?".join(map(re.escape, parts)), now) is not None


def _environment() -> dict[str, str]:
    """For a shell that finds this package."""
    return {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"}


@contextmanager
def _scratch() -> Iterator[Path]:
    before = {name: os.environ.get(name) for name in ("COLUMNS", "NO_COLOR")}
    os.environ |= {"COLUMNS": "96", "NO_COLOR": "1"}
    try:
        with tempfile.TemporaryDirectory() as folder, chdir(folder), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a reader's session would show them beside the output
            yield Path(folder)
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def executed(page: str) -> Executed:
    """The page with its outputs as they are now, the pictures that it saved, and what went wrong."""
    session = _Session()
    with _scratch() as folder:
        text = _BLOCK.sub(session.replaced, page)
        saved = [name for name in _PICTURE.findall(page) if (folder / name).exists()]
        pictures = {name: (folder / name).read_text(encoding="utf-8") for name in saved}
    return Executed(text, session.problems, pictures)


def problems(page: str, folder: Path | None = None) -> list[str]:
    """List stale or broken parts of a page, and of its pictures if their folder is given."""
    now = executed(page)
    found = list(now.problems)
    if now.text != page:
        old, new = page.splitlines(), now.text.splitlines()
        first = next((at for at, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
        found.append(f"line {first + 1} is stale: shown {old[first : first + 1]}, now {new[first : first + 1]}")
    if folder is not None:
        found += [f"{name} is stale" for name, text in now.pictures.items() if _stored(folder / name) != text]
    return found


def _stored(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


def not_run(page: str) -> list[str]:
    """The reasons of blocks that are shown only, one for each."""
    return [found["reason"] for found in _BLOCK.finditer(page) if found["mark"] == "not run"]


def refresh(path: Path) -> None:
    """Write the page's outputs, its pictures, and the notebook of a tutorial anew."""
    now = executed(path.read_text(encoding="utf-8"))
    if now.problems:
        sys.exit(f"{path}: " + "\n".join(now.problems))
    path.write_text(now.text, encoding="utf-8")
    for name, text in now.pictures.items():
        (path.parent / name).write_text(text, encoding="utf-8")
    if path.parent.name == "tutorials" and path.name != "index.md":
        write_notebook(path)


if __name__ == "__main__":
    for word in sys.argv[1:]:
        refresh(Path(word))
