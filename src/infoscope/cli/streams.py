"""The standard streams: a result arrives in whatever characters they know, or a sentence says why it does not."""

from __future__ import annotations

import errno
import json
import os
import re
import sys
from contextlib import suppress

import click

from infoscope.errors import InputError, masked

__all__ = ["knows_unicode", "open_closed_streams", "say", "unwritable_stdout", "write_stdout"]

_REPLACED = {"text": "backslashreplace", "markdown": "xmlcharrefreplace"}
_REASONS = {errno.EBADF: "it is closed", errno.ENOSPC: "the disk is full", errno.EDQUOT: "the disk is full"}


def open_closed_streams() -> None:
    """Occupy standard streams that were closed: a file that took the number of one would receive the messages.

    Reading finds an empty stream, writing results is an error, and messages without a reader are dropped.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            handle = os.open(os.devnull, os.O_WRONLY if name == "stderr" else os.O_RDONLY)
            if handle != number:
                os.dup2(handle, number)
                os.close(handle)
            stream = open(number, "r" if name == "stdin" else "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - stays
            setattr(sys, name, stream)


def knows_unicode() -> bool:
    """Whether standard output takes every character."""
    return "utf" in _encoding().lower()


def _encoding() -> str:
    return getattr(sys.stdout, "encoding", None) or "utf-8"


def write_stdout(text: str, form: str = "text") -> None:
    """Write a result; a reader that closes its end of a pipe has seen enough."""
    try:
        if form == "html" and hasattr(sys.stdout, "buffer"):  # a page states its encoding
            sys.stdout.flush()
            sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))
        else:
            sys.stdout.write(_spelt(_inert(text, form), form, _encoding()))
        sys.stdout.flush()
    except OSError as problem:
        if error := unwritable_stdout(problem):
            raise error from None


def _spelt(text: str, form: str, encoding: str) -> str:
    r"""The text with the characters that an encoding lacks spelt out as its form allows.

    >>> _spelt('{"a": "é"}', "json", "ascii"), _spelt("é", "text", "ascii"), _spelt("é", "markdown", "ascii")
    ('{"a": "\\u00e9"}', '\\xe9', '&#233;')
    """
    if form == "json" and "utf" not in encoding.lower():
        return re.sub(r"[^\x00-\x7f]", lambda found: json.dumps(found[0])[1:-1], text)
    return text.encode(encoding, _REPLACED.get(form, "backslashreplace")).decode(encoding)


def _inert(text: str, form: str = "text") -> str:
    r"""Return text in whose names the log of a GitHub job finds no commands of its own; elsewhere the text as it is.

    A line that begins with ``::`` is such a command, and so is ``##[`` anywhere.
    """
    if os.environ.get("GITHUB_ACTIONS") != "true":
        return text
    if form == "json":
        return text.replace("##[", r"\u0023#[")
    return re.sub(r"(?<![^\r\n])(\s*):(?=:)", "\\1:\u200b", text).replace("##[", "#\u200b#[")


def unwritable_stdout(problem: OSError) -> InputError | None:
    """The sentence about a failed write, or None for a closed pipe; what is still buffered goes nowhere."""
    with suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
        sys.stdout.flush()
    if isinstance(problem, BrokenPipeError):
        return None
    reason = _REASONS.get(problem.errno or 0, problem.strerror or str(problem))
    return InputError(f"standard output cannot be written: {reason}; write to a file with -o FILE")


def say(line: str, *, is_command: bool = False) -> None:
    """Write a line on standard error, without secrets; nothing where the stream is closed.

    A command is for the log of a build server, and its names are escaped already.
    """
    with suppress(OSError, ValueError):
        click.echo(masked(line if is_command else _inert(line)), err=True)
