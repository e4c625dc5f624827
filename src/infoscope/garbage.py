"""Pauses of garbage collection, for parts that make many objects which stay."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

__all__ = ["collection_paused"]


class _Pauses:
    """How many pauses overlap; the last to end resumes collection if the first has found it on."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.number = 0
        self.was_on = False

    def begin(self) -> None:
        with self.lock:
            if not self.number:
                self.was_on = gc.isenabled()
                gc.disable()
            self.number += 1

    def end(self) -> None:
        with self.lock:
            self.number -= 1
            if not self.number and self.was_on:
                gc.enable()


_pauses = _Pauses()


@contextmanager
def collection_paused() -> Iterator[None]:
    """No search for garbage inside.

    Python looks through all objects whenever there are many new ones. A result of many classes is tens of thousands
    of them, none of which is garbage: the searches take a twentieth of the time that the result takes.
    """
    _pauses.begin()
    try:
        yield
    finally:
        _pauses.end()
