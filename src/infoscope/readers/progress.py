"""A line on the terminal for what takes more than two seconds; nothing in pipes and files."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Lock, Thread
from time import monotonic

from infoscope.masking import masked

__all__ = ["bar", "shown_while"]

_PATIENCE = 2.0
_TICK = 0.2
_WIDTH = 24
_stage = Lock()
"""There is one line, for whoever was first."""


@contextmanager
def shown_while(task: str, percent: Callable[[], float] | None = None) -> Iterator[None]:
    """Show how far a task is, or how long it has taken, on a terminal's stderr."""
    if sys.stderr is None or not sys.stderr.isatty() or not _stage.acquire(blocking=False):
        yield
        return
    done = Event()
    painter = Thread(target=_paint, args=(masked(task), percent, done), daemon=True)
    painter.start()
    try:
        yield
    finally:
        done.set()
        painter.join()
        _stage.release()


def bar(task: str, percent: float, seconds: float) -> str:
    """The line itself; a share below zero means that it is not known.

    >>> bar("counting log.csv", 50, 3.2)
    'counting log.csv ████████████············  50%'
    >>> bar("counting log.csv", -1, 3.2)
    'counting log.csv 3 s'
    """
    if percent < 0:
        return f"{task} {seconds:.0f} s"
    filled = round(_WIDTH * min(percent, 100) / 100)
    return f"{task} {'█' * filled}{'·' * (_WIDTH - filled)} {percent:3.0f}%"


def _paint(task: str, percent: Callable[[], float] | None, done: Event) -> None:
    start = monotonic()
    if done.wait(_PATIENCE):
        return
    while not done.wait(_TICK):
        line = bar(task, -1 if percent is None else percent(), monotonic() - start)
        sys.stderr.write(f"\r\x1b[2K{line[:120]}")
        sys.stderr.flush()
    sys.stderr.write("\r\x1b[2K")
    sys.stderr.flush()
