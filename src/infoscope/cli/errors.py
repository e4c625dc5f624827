"""One place where errors end: a sentence and a status for the user's, a bug report for ours."""

from __future__ import annotations

import functools
import os
import signal
import sys
import traceback
from collections.abc import Callable
from typing import Any

import click

from infoscope.errors import InfoscopeError

__all__ = ["BAD_INPUT", "OUR_FAULT", "ended", "heed_signals", "reported"]

BAD_INPUT = 2
OUR_FAULT = 70

_ended_by: list[int] = []


def heed_signals() -> None:
    """Leave by the door: a request to end is an interrupt, so that scratch files and workers are cleared away."""

    def end(number: int, _frame: object) -> None:
        signal.signal(number, signal.SIG_IGN)  # asked twice, clearing away still ends
        _ended_by.append(number)
        raise KeyboardInterrupt

    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) == signal.SIG_DFL:  # nohup stays nohup
            signal.signal(number, end)


def ended() -> int:
    """The status that tells who asked to end: 130 for Ctrl-C, 143 for a request to terminate."""
    return 128 + (_ended_by[0] if _ended_by else signal.SIGINT)


def reported(command: Callable[..., None]) -> Callable[..., None]:
    """Turn what a command raises into a line on stderr and an exit status."""

    @functools.wraps(command)
    def run(*args: Any, **options: Any) -> None:
        try:
            command(*args, **options)
        except InfoscopeError as error:
            _say(" ".join(str(error).split()))
            sys.exit(BAD_INPUT)
        except KeyboardInterrupt:
            _say("terminated" if _ended_by else "interrupted")
            sys.exit(ended())
        except BrokenPipeError:  # the reader of a pipe has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except Exception as error:
            if options.get("verbose"):
                traceback.print_exc()
            kind = type(error).__name__
            _say(f"this is a fault of infoscope, not of your data ({kind}: {error}); run again with -v for the details")
            sys.exit(OUR_FAULT)

    return run


def _say(sentence: str) -> None:
    click.echo(f"infoscope: {sentence}", err=True)
