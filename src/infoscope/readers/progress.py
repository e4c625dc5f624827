"""A line on the terminal for what takes more than two seconds; nothing in pipes and files."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Lock, Thread
from time import monotonic

from infoscope.errors import mask_secrets

_PATIENCE = 2.0
_TICK = 0.2
_WIDTH = 24
_stage = Lock()
"""There is one line; the first to ask has it."""


@contextmanager
def show_progress(task: str, percent: Callable[[], float] | None = None) -> Iterator[None]:
    """Show how far a task is, or how long it has taken, on a terminal's stderr.

    A share below zero means that it is not known.
    """
    if sys.stderr is None or not sys.stderr.isatty() or not _stage.acquire(blocking=False):
        yield
        return
    done = Event()
    painter = Thread(target=_paint, args=(mask_secrets(task), percent, done), daemon=True)
    painter.start()
    try:
        yield
    finally:
        done.set()
        painter.join()
        _stage.release()


def _paint(task: str, percent: Callable[[], float] | None, done: Event) -> None:
    start = monotonic()
    if done.wait(_PATIENCE):
        return
    from rich.console import Console  # noqa: PLC0415 - only what takes long is shown
    from rich.progress import BarColumn, Progress, TextColumn  # noqa: PLC0415 - only where a bar is shown
    from rich.table import Column  # noqa: PLC0415 - only where a bar is shown

    class Terminal(Console):
        """A console that leaves the cursor alone: a process that is killed could not show it again."""

        def show_cursor(self, show: bool = True) -> bool:  # noqa: ARG002 - rich's signature
            return False

    words = Column(no_wrap=True, overflow="ellipsis")
    line = Progress(
        TextColumn("{task.description}", markup=False, table_column=words),
        BarColumn(_WIDTH),
        TextColumn("{task.fields[state]}"),
        console=Terminal(file=sys.stderr, highlight=False),
        auto_refresh=False,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )
    shown = line.add_task(task, total=None, state="")
    with line:
        while not done.wait(_TICK):
            share = -1.0 if percent is None else percent()
            state = f"{monotonic() - start:.0f} s" if share < 0 else f"{share:3.0f}%"
            line.update(shown, total=None if share < 0 else 100, completed=max(share, 0.0), state=state, refresh=True)
