"""The process around a command: its standard streams, signals that end it, and errors that become an exit status.

A result arrives in whatever characters the standard output knows, or a sentence says why it does not. Errors of the
user are a sentence and status 2, faults of infoscope a report and 70, interrupts 130, or 143 for a request to end.
"""

from __future__ import annotations

import _thread
import errno
import json
import os
import re
import shutil
import signal
import sys
import textwrap
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from time import monotonic
from types import FrameType
from typing import Any

import click

from infoscope.core.files import remove_unfinished
from infoscope.errors import InfoscopeError, InputError, mask_secrets

BAD_INPUT = 2
OUR_FAULT = 70

# ── signals ──────────────────────────────────────────────────────────────────────────────────────────────────────────

_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
_heard: list[int] = []
_since = 0.0
_PATIENCE = 1.0
"""Seconds in which a second signal is taken for an echo of the first: wrappers forward what the terminal sends, too."""
_RETRY = 0.05


def heed_signals() -> None:
    """Turn signals that end a process into KeyboardInterrupt; one that is ignored, as under nohup, stays ignored."""
    for number in _SIGNALS:
        if signal.getsignal(number) not in (signal.SIG_IGN, None):
            signal.signal(number, _interrupt)
    sys.unraisablehook = _retry_if_swallowed


def ignore_signals() -> None:
    """Ignore signals where nothing is left to be interrupted: the process ends as it would have."""
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_IGN)


def is_interrupted() -> bool:
    """Return whether the user asked to end, however the work put it."""
    return bool(_heard)


def end_status() -> int:
    """Return the status that tells who asked to end: 130 for Ctrl-C, 143 for a request to terminate."""
    return 128 + (_heard[0] if _heard else signal.SIGINT)


def _interrupt(number: int, _frame: FrameType | None) -> None:
    global _since  # noqa: PLW0603 - signal handlers share nothing else
    if not _heard:
        _heard.append(number)
        _since = monotonic()
        raise KeyboardInterrupt
    if monotonic() - _since > _PATIENCE:  # the user insists
        remove_unfinished()
        os._exit(end_status())


def _retry_if_swallowed(problem: Any) -> None:
    """Raise an interrupt again that fell into a destructor, where it would be lost."""
    if problem.exc_type is not None and issubclass(problem.exc_type, KeyboardInterrupt) and _heard:
        number = _heard.pop()
        again = threading.Timer(_RETRY, _thread.interrupt_main, (number,))
        again.daemon = True
        again.start()
    elif not _heard:
        sys.__unraisablehook__(problem)


# ── errors ───────────────────────────────────────────────────────────────────────────────────────────────────────────


@contextmanager
def settled(*, verbose: bool = False) -> Iterator[None]:
    """Turn whatever is raised inside into a line on stderr and an exit status."""
    try:
        yield
    except (click.exceptions.Exit, click.Abort):
        raise
    except click.ClickException as error:
        if type(error).__name__ == "NoArgsIsHelpError":  # which click has since 8.2; its message is the help
            say(error.format_message())
            raise click.exceptions.Exit(error.exit_code) from None
        if isinstance(error, click.UsageError) and error.ctx is not None:
            say(f"{error.ctx.get_usage()}\nTry '{error.ctx.command_path} -h' for help.\n")
        _end(error.format_message(), error.exit_code)
    except InfoscopeError as error:
        _end(str(error), BAD_INPUT)
    except KeyboardInterrupt:
        _end("interrupted", end_status())
    except Exception as error:
        if verbose and not is_interrupted():
            say(traceback.format_exc().rstrip())
        way = "please report it" if verbose else "run again with -v for the details"
        kind = type(error).__name__
        _end(f"this is a fault of infoscope, not of your data ({kind}: {error}); {way}", OUR_FAULT)


def _end(sentence: str, status: int) -> None:
    if is_interrupted():  # engines and extension modules put an interrupt in words of their own
        sentence, status = "interrupted" if _heard[0] == signal.SIGINT else "terminated", end_status()
    say(f"infoscope: {' '.join(sentence.split())}")
    sys.exit(status)


@contextmanager
def help_shown() -> Iterator[None]:
    """Treat words that click itself prints, such as help, like results where standard output cannot be written."""
    try:
        yield
    except OSError as problem:
        if error := _unwritable_stdout(problem):
            raise error from None
        raise click.exceptions.Exit(0) from None


# ── standard streams ─────────────────────────────────────────────────────────────────────────────────────────────────

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
    """Return whether standard output takes every character."""
    return "utf" in (getattr(sys.stdout, "encoding", None) or "utf-8").lower()


def write_stdout(text: str, form: str = "text") -> None:
    """Write a result; a reader that closes its end of a pipe has seen enough."""
    try:
        if form == "html" and hasattr(sys.stdout, "buffer"):  # a page states its encoding
            sys.stdout.flush()
            sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))
        else:
            encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
            sys.stdout.write(_replace_unknown(_escape_job_commands(text, form), form, encoding))
        sys.stdout.flush()
    except OSError as problem:
        if error := _unwritable_stdout(problem):
            raise error from None


def _replace_unknown(text: str, form: str, encoding: str) -> str:
    r"""Spell out the characters that an encoding lacks as the form of the text allows.

    >>> _replace_unknown('{"a": "é"}', "json", "ascii")
    '{"a": "\\u00e9"}'
    >>> _replace_unknown("é", "text", "ascii"), _replace_unknown("é", "markdown", "ascii")
    ('\\xe9', '&#233;')
    """
    if form == "json" and "utf" not in encoding.lower():
        return re.sub(r"[^\x00-\x7f]", lambda sign: json.dumps(sign[0])[1:-1], text)
    return text.encode(encoding, _REPLACED.get(form, "backslashreplace")).decode(encoding)


def _escape_job_commands(text: str, form: str = "text") -> str:
    r"""Return text in whose names the log of a GitHub job finds no commands of its own; elsewhere the text as it is.

    A line that begins with ``::`` is such a command, and so is ``##[`` anywhere.
    """
    if os.environ.get("GITHUB_ACTIONS") != "true":
        return text
    if form == "json":
        return text.replace("##[", r"\u0023#[")
    return re.sub(r"(?<![^\r\n])(\s*):(?=:)", "\\1:\u200b", text).replace("##[", "#\u200b#[")


def _unwritable_stdout(problem: OSError) -> InputError | None:
    """Return the error of a failed write, or None for a closed pipe; what is still buffered goes nowhere."""
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
        text = mask_secrets(line if is_command else _escape_job_commands(line))
        if sys.stderr.isatty() and not is_command and "\n" not in text:  # a log keeps one line per message
            text = wrap_message(text, shutil.get_terminal_size((80, 24)).columns)
        click.echo(text, err=True)


def wrap_message(message: str, width: int) -> str:
    """Break a message that is longer than a line at its clauses and words; commands stay whole, to be copied.

    >>> print(wrap_message("infoscope: rows.csv has no truth; choose: infoscope evaluate rows.csv -t A", 40))
    infoscope: rows.csv has no truth;
      choose:
      infoscope evaluate rows.csv -t A
    """
    if len(message) <= width:
        return message
    parts = re.split(r"(?<=;) |(?<=[.]) (?=[A-Z])| (?=`?infoscope [a-z])", message)
    lines = []
    for part in parts:
        if re.match(r"`?infoscope [a-z]", part):
            lines.append(f"  {part}")
        else:
            lines += textwrap.wrap(
                part,
                max(width, 20),
                initial_indent="  " if lines else "",
                subsequent_indent="  ",
                break_long_words=False,
                break_on_hyphens=False,
            )
    return "\n".join(lines)
