"""The browser that the command starts gets in by an address that is good once; the key is on no command line."""

import os
import socket
import threading
import time
import urllib.error
import urllib.request
import webbrowser
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from infoscope.core import embedded_database
from tests.api import ENTRANCE, BrowserEntrance, LoopbackServer, access, app, find_owner
from tests.explorer.local_server import Served, address_of, serving


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with serving(tmp_path) as found:
        yield found


def opened(address: str, **headers: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(urllib.request.Request(address, headers=headers), timeout=30) as answer:
            return answer.status, answer.url
    except urllib.error.HTTPError as rejected:
        return rejected.code, rejected.read().decode()


def test_a_token_leads_to_the_key_once(served: Served) -> None:
    origin = address_of(served).removesuffix(f"{served[1].key}/")
    way = f"{origin}{ENTRANCE}/{served[1].entrance.token()}"
    assert opened(way, **{"Sec-Fetch-Site": "cross-site"})[0] == 403
    assert opened(way) == (200, address_of(served))
    status, words = opened(way)
    assert (status, served[1].key in words) == (403, False)
    for wrong in ("", "x" * 32, "%00"):
        assert opened(f"{origin}{ENTRANCE}/{wrong}")[0] == 403


def test_a_token_is_good_for_a_short_time(monkeypatch: pytest.MonkeyPatch) -> None:
    way_in = BrowserEntrance()
    token = way_in.token()
    late = time.monotonic() + 1000
    monkeypatch.setattr(time, "monotonic", lambda: late)
    assert not way_in.admits(token, 1, 1)


def test_programs_of_another_user_are_not_let_in(monkeypatch: pytest.MonkeyPatch) -> None:
    way_in = BrowserEntrance()
    token = way_in.token()
    monkeypatch.setattr(access, "find_owner", lambda *_: os.getuid() + 12345)
    assert not way_in.admits(token, 1, 1)
    monkeypatch.setattr(access, "find_owner", lambda *_: os.getuid())
    assert way_in.admits(token, 1, 1)  # what another one tried has not used it up


@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="only Linux tells whose connection it is")
@pytest.mark.parametrize("family", [socket.AF_INET, socket.AF_INET6])
def test_whose_connection_it_is(served: Served, family: socket.AddressFamily) -> None:
    port = served[0].server_address[1]
    with socket.socket(family) as client:
        client.connect(("127.0.0.1" if family == socket.AF_INET else "::ffff:127.0.0.1", port))
        assert find_owner(client.getsockname()[1], port) == os.getuid()
    assert find_owner(1, port) is None


def test_the_command_opens_no_address_with_the_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    tried = threading.Event()

    def no_browser(address: str) -> bool:
        asked.append(address)
        tried.set()
        return False

    def until_tried(_: LoopbackServer, **_options: float) -> None:
        assert tried.wait(10)
        for thread in threading.enumerate():
            if thread.name == "browser":
                thread.join(10)  # it still says that there is none

    monkeypatch.setattr(webbrowser, "open", no_browser)
    monkeypatch.setattr(LoopbackServer, "serve_forever", until_tried)
    found = CliRunner().invoke(app, ["serve", str(tmp_path)])
    embedded_database._allowed_folders.clear()
    key = found.stdout.strip().rsplit("/", 2)[1]
    assert len(key) >= 32
    (address,) = asked
    assert f"/{ENTRANCE}/" in address
    assert key not in address
    assert "open the address yourself" in found.stderr
