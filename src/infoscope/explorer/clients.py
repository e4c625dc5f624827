"""Clients that go away: what is computed for a tab that was closed is ended."""

from __future__ import annotations

import select
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from infoscope.core.embedded_database import interrupt_queries

_POLL = 0.1
"""Seconds between two looks at a connection."""


class RunningRequests:
    """Requests that are being answered: each ends when its client goes, and all when the server does."""

    def __init__(self) -> None:
        self._stopped = threading.Event()
        self._idle = threading.Condition()
        self._running = 0

    @contextmanager
    def watched(self, connection: socket.socket) -> Iterator[None]:
        """Interrupt the queries of this thread as soon as no client waits for them."""
        done = threading.Event()
        asker = threading.get_ident()
        watcher = threading.Thread(target=self._watch, args=(connection, asker, done), daemon=True)
        with self._idle:
            self._running += 1
        watcher.start()
        try:
            yield
        finally:
            done.set()
            watcher.join()  # it must not interrupt what this thread does next
            with self._idle:
                self._running -= 1
                self._idle.notify_all()

    def _watch(self, connection: socket.socket, asker: int, done: threading.Event) -> None:
        while not done.wait(_POLL):
            if self._stopped.is_set() or _is_gone(connection):
                interrupt_queries(asker)

    def stop(self, patience: float = 0.8) -> None:
        """End all requests, and wait until they have removed their temporary files."""
        self._stopped.set()
        with self._idle:
            self._idle.wait_for(lambda: not self._running, patience)


def _is_gone(connection: socket.socket) -> bool:
    """Whether the other side has closed the connection; what it sent in advance stays to be read."""
    with suppress(OSError, ValueError):
        readable, _, _ = select.select([connection], [], [], 0)
        return bool(readable) and not connection.recv(1, socket.MSG_PEEK)
    return True
