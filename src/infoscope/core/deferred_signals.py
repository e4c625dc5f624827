"""Signals that wait until a step is done which an exception must not end."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["deferred_signals"]

_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


@contextmanager
def deferred_signals() -> Iterator[None]:
    """Record signals that have a handler in Python, and pass the first one to its handler at the end."""
    if threading.current_thread() is not threading.main_thread():
        yield  # handlers run in the main thread
        return
    heard: list[int] = []
    before = {number: handler for number in _SIGNALS if callable(handler := signal.getsignal(number))}
    for number in before:
        signal.signal(number, lambda number, _: heard.append(number))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if heard:
            signal.raise_signal(heard[0])
