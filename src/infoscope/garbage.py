"""Pauses of garbage collection while many long-lived objects are created."""

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

__all__ = ["collection_paused", "loading"]


class _Pauses:
    """Overlapping pauses; the last one to end enables collection again if it was enabled before the first."""

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
    """Disable garbage collection inside the block.

    Python searches all objects for garbage whenever many have been created. A result of many classes consists of tens
    of thousands of objects, none of which is garbage: the searches took 2 to 5 % of the time.
    """
    _pauses.begin()
    try:
        yield
    finally:
        _pauses.end()


@contextmanager
def loading() -> Iterator[None]:
    """Disable garbage collection while modules are loaded, and let what they hold count as old.

    An evaluation loads half a thousand modules, and nothing in them is garbage. The collector went through young
    objects eighty times meanwhile, and through all of them soon after.
    """
    before = len(sys.modules)
    with collection_paused():
        yield
        if len(sys.modules) > before and not gc.get_freeze_count():  # who has frozen objects keeps them frozen
            gc.freeze()
            gc.unfreeze()
