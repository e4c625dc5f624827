"""One place where errors end: a sentence and a status for the user's, a bug report for ours."""

from __future__ import annotations

import functools
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click

from infoscope.cli.interrupts import end_status, is_interrupted, word_for_end
from infoscope.cli.streams import say, unwritable_stdout
from infoscope.errors import InfoscopeError

__all__ = ["BAD_INPUT", "OUR_FAULT", "help_shown", "reported", "settled"]

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
        if isinstance(error, click.UsageError) and error.ctx is not None:
            say(f"{error.ctx.get_usage()}\nTry '{error.ctx.command_path} -h' for help.\n")
        _end(" ".join(error.format_message().split()), error.exit_code)
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
