"""The explorer of a folder, listening while a test asks it."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import ThreadingHTTPServer
from pathlib import Path

from infoscope.core import embedded_database
from tests.api import FolderExplorer, open_server

__all__ = ["Served", "address_of", "serving"]

Served = tuple[ThreadingHTTPServer, FolderExplorer]


@contextmanager
def serving(root: Path) -> Iterator[Served]:
    """The server and the explorer of this folder; both are closed at the end."""
    server, explorer = open_server(root)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    try:
        yield server, explorer
    finally:
        server.shutdown()
        server.server_close()
        explorer.close()
        embedded_database._allowed_folders.clear()


def address_of(served: Served) -> str:
    """The address that the command prints, with the key."""
    server, explorer = served
    return f"http://127.0.0.1:{server.server_address[1]}/{explorer.key}/"
