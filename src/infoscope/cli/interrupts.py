"""Ctrl-C and requests to end: the work is unwound, temporary files are removed, and the status says who asked."""

from __future__ import annotations

import _thread
import os
import signal
import sys
import threading
from time import monotonic
from types import FrameType
from typing import Any

from infoscope.atomic_files import remove_unfinished

__all__ = ["end_status", "heed_signals", "ignore_signals", "is_interrupted", "word_for_end"]

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
