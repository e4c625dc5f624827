"""One place where errors end: a sentence and a status for the user's, a bug report for ours."""

from __future__ import annotations

import functools
import os
import sys
import traceback
from collections.abc import Callable
from typing import Any

import click

from infoscope.errors import InfoscopeError

__all__ = ["BAD_INPUT", "INTERRUPTED", "OUR_FAULT", "reported"]

BAD_INPUT = 2
OUR_FAULT = 70
INTERRUPTED = 130


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
            _say("interrupted")
            sys.exit(INTERRUPTED)
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
