"""A query ends when nobody waits for its answer, over real sockets and with the real engine."""

import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest

from infoscope import ReadOptions
from infoscope.core import embedded_database
from tests.api import CellPage, FolderExplorer, open_session, scratch_folder, server
from tests.explorer.local_server import serving

HOURS = "SELECT sum(hash(a.range)) FROM range(1000000000000) AS a"
ASKED = urlencode({"file": "rows.csv", "t": "t", "s": "s", "system": "s", "truth": "a", "predicted": "b"})


class SlowRows:
    """Rows that take hours to find; tells when they are looked for and how that ended."""

    def __init__(self) -> None:
        self.began, self.ended = threading.Event(), threading.Event()
        self.how: type[BaseException] | None = None
        self.folder = Path()

    def __call__(self, *_: object) -> CellPage:
        try:
            with scratch_folder() as self.folder, open_session(self.folder, "rows", ReadOptions(threads=1)) as session:
                self.began.set()
                session.run(HOURS).fetchall()
        except BaseException as problem:
            self.how = type(problem)
            raise
        finally:
            self.ended.set()
        return CellPage(0, 0, (), ())


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> SlowRows:
    found = SlowRows()
    monkeypatch.setattr(server, "read_cell_rows", found)
    return found


@pytest.fixture
def explorer(tmp_path: Path) -> Iterator[tuple[int, FolderExplorer]]:
    (tmp_path / "rows.csv").write_text("t,s\na,b\n")
    with serving(tmp_path) as (listening, made):
        yield listening.server_address[1], made


def ask_for_rows(port: int, explorer: FolderExplorer) -> socket.socket:
    client = socket.create_connection(("127.0.0.1", port))
    client.sendall(f"GET /{explorer.key}/rows?{ASKED} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
    return client


def test_a_closed_tab_interrupts_its_query(slow: SlowRows, explorer: tuple[int, FolderExplorer]) -> None:
    gone, stays = ask_for_rows(*explorer), None
    try:
        assert slow.began.wait(10)
        time.sleep(0.3)
        assert not slow.ended.is_set()  # who waits is not interrupted
        gone.close()
        assert slow.ended.wait(5)
        assert slow.how is KeyboardInterrupt
        assert not slow.folder.exists()
        stays = socket.create_connection(("127.0.0.1", explorer[0]))
        stays.sendall(f"GET /{explorer[1].key}/ HTTP/1.1\r\nHost: 127.0.0.1:{explorer[0]}\r\n\r\n".encode())
        assert stays.recv(15) == b"HTTP/1.1 200 OK"  # the server goes on
    finally:
        gone.close()
        if stays is not None:
            stays.close()
    assert not embedded_database._in_use


def test_the_end_of_the_server_ends_its_queries(slow: SlowRows, explorer: tuple[int, FolderExplorer]) -> None:
    client = ask_for_rows(*explorer)
    assert slow.began.wait(10)
    began = time.monotonic()
    explorer[1].close()
    assert time.monotonic() - began < 1.0
    assert slow.ended.is_set()
    assert not slow.folder.exists()
    assert not explorer[1].folder.dropped.exists()
    client.close()
