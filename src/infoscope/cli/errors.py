"""Where errors and interrupts end: a sentence and a status for the user, a bug report for faults of infoscope."""

from __future__ import annotations

import _thread
import functools
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from types import FrameType
from typing import Any

import click

from infoscope.cli.streams import say, unwritable_stdout
from infoscope.core.files import remove_unfinished
from infoscope.errors import ALL_ROWS_ARE_READ, InfoscopeError

__all__ = [
    "BAD_INPUT",
    "OUR_FAULT",
    "end_status",
    "heed_signals",
    "help_shown",
    "ignore_signals",
    "is_interrupted",
    "reported",
    "settled",
    "word_for_end",
]

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
    """Nothing is left to be interrupted: the process ends as it would have."""
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_IGN)


def is_interrupted() -> bool:
    """Whether the user asked to end, however the work put it."""
    return bool(_heard)


def word_for_end() -> str:
    """What happened, in a word."""
    return "interrupted" if not _heard or _heard[0] == signal.SIGINT else "terminated"


def end_status() -> int:
    """The status that tells who asked to end: 130 for Ctrl-C, 143 for a request to terminate."""
    return 128 + (_heard[0] if _heard else signal.SIGINT)


def _interrupt(number: int, _frame: FrameType | None) -> None:
    global _since  # noqa: PLW0603 - signal handlers share nothing else
    if not _heard:
        _heard.append(number)
        _since = monotonic()
        raise KeyboardInterrupt
    if monotonic() - _since > _PATIENCE:
        remove_unfinished()
        os._exit(end_status())


def _retry_if_swallowed(problem: Any) -> None:
    """An interrupt that fell into a destructor is lost there: raise it again in a moment."""
    if problem.exc_type is not None and issubclass(problem.exc_type, KeyboardInterrupt) and _heard:
        number = _heard.pop()
        again = threading.Timer(_RETRY, _thread.interrupt_main, (number,))
        again.daemon = True
        again.start()
    elif not _heard:
        sys.__unraisablehook__(problem)


BAD_INPUT = 2
OUR_FAULT = 70


def reported(command: Callable[..., None]) -> Callable[..., None]:
    """Turn what a command raises into a line on stderr and an exit status."""

    @functools.wraps(command)
    def run(*args: Any, **options: Any) -> None:
        with settled(verbose=bool(options.get("verbose"))):
            command(*args, **options)

    return run


@contextmanager
def settled(*, verbose: bool = False) -> Iterator[None]:
    """Whatever is raised inside becomes a line on stderr and an exit status."""
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
        removed = isinstance(error, click.NoSuchOption) and error.option_name == "--until"
        sentence = f"--until: {ALL_ROWS_ARE_READ}" if removed else error.format_message()
        _end(" ".join(sentence.split()), error.exit_code)
    except InfoscopeError as error:
        _end(" ".join(str(error).split()), BAD_INPUT)
    except KeyboardInterrupt:
        _end(word_for_end(), end_status())
    except Exception as error:
        if verbose and not is_interrupted():
            say(traceback.format_exc().rstrip())
        kind = type(error).__name__
        _end(
            f"this is a fault of infoscope, not of your data ({kind}: {error}); run again with -v for the details",
            OUR_FAULT,
        )


@contextmanager
def help_shown() -> Iterator[None]:
    """Words that click itself prints on standard output, such as help: they meet the same streams as results do."""
    try:
        yield
    except OSError as problem:
        if error := unwritable_stdout(problem):
            raise error from None
        raise click.exceptions.Exit(0) from None


def _end(sentence: str, status: int) -> None:
    if is_interrupted():  # engines and extension modules put an interrupt in words of their own
        sentence, status = word_for_end(), end_status()
    say(f"infoscope: {sentence}")
    sys.exit(status)
