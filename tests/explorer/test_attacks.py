"""The explorer's server against whoever should not be served."""

import http.client
import json
import os
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from urllib.parse import urlencode

import pytest

from infoscope.core import embedded_database
from tests.api import LoopbackServer, open_server
from tests.explorer.local_server import Served, serving

ROWS = "t,s,note\n" + "a,a,x\nb,a,<script>alert(1)</script>\na,b,=1+1\n" * 10
COLUMNS = {"file": "rows.csv", "t": "t", "s": "s"}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    root = tmp_path_factory.mktemp("served")
    (root / "rows.csv").write_text(ROWS)
    outside = root.parent / "secret.csv"
    outside.write_text("t,s\nsecret,secret\n")
    (root / "link.csv").symlink_to(outside)
    with serving(root) as (server, explorer):
        yield server, explorer
    assert not explorer.folder.dropped.exists()


def ask(
    served: Served, path: str, method: str = "GET", key: str | None = None, body: bytes | None = None, **headers: str
) -> tuple[int, dict[str, str], str]:
    server, explorer = served
    port = server.server_address[1]
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    sent = {"Host": f"127.0.0.1:{port}", **{name.replace("_", "-"): value for name, value in headers.items()}}
    connection.putrequest(method, f"/{explorer.key if key is None else key}/{path}", skip_host=True)
    for name, value in sent.items():
        connection.putheader(name, value)
    if body is not None and "Content-Length" not in sent and "Transfer-Encoding" not in sent:
        connection.putheader("Content-Length", str(len(body)))
    connection.endheaders(body)
    answer = connection.getresponse()
    found = answer.status, dict(answer.getheaders()), answer.read().decode()
    connection.close()
    return found


def origin(served: Served) -> str:
    return f"http://127.0.0.1:{served[0].server_address[1]}"


def test_it_listens_on_this_machine_alone(served: Served) -> None:
    assert served[0].server_address[0] == "127.0.0.1"
    assert len(served[1].key) >= 32


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "evil.example:80"},
        {"Host": "127.0.0.1"},
        {"Host": "127.0.0.1:1"},
        {"Host": ""},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},
    ],
)
def test_other_hosts_and_sites_are_rejected(served: Served, headers: dict[str, str]) -> None:
    status, _, text = ask(served, "", **headers)
    assert status in (403, 421)
    assert "rows.csv" not in text


@pytest.mark.parametrize("key", ["", "x", "x" * 32, "../", "%00", "key with space".replace(" ", "%20")])
def test_without_the_key_nothing_is_served(served: Served, key: str) -> None:
    status, _, text = ask(served, "", key=key)
    assert status in (400, 403)
    assert served[1].key not in text
    assert "rows.csv" not in text


def test_the_key_is_asked_for_before_anything_else(served: Served) -> None:
    for path in ("columns?file=rows.csv", "rows?file=rows.csv", "nothing"):
        assert ask(served, path, key="wrong")[0] == 403


@pytest.mark.parametrize("sent", [None, "http://evil.example", "http://127.0.0.1:1", "null"])
def test_another_origin_cannot_post(served: Served, sent: str | None) -> None:
    headers = {} if sent is None else {"Origin": sent}
    for path in ("upload?name=a.csv", "verdict"):
        assert ask(served, path, "POST", body=b"{}", **headers)[0] == 403
    assert not (served[1].folder.root / "verdicts.jsonl").exists()


@pytest.mark.parametrize(
    "name",
    [
        "../secret.csv",
        "..%2Fsecret.csv",
        "%2e%2e/secret.csv",
        "link.csv",
        "/etc/passwd",
        "rows.csv/../../secret.csv",
        "..\\secret.csv",
        "rows.csv\0.txt",
        "file:///etc/passwd",
        "https://evil.example/a.csv",
    ],
)
def test_files_outside_the_folder_are_not_there(served: Served, name: str) -> None:
    for path in (f"columns?file={name}", f"columns?{urlencode({'file': name})}"):
        status, _, text = ask(served, path.replace("\0", "%00"))
        assert status == 404
        assert "secret" not in text.replace("secret.csv", "")


@pytest.mark.parametrize(
    "change",
    [
        {"t": 't" OR 1=1 --'},
        {"t": "t; DROP TABLE x"},
        {"system": "s' UNION SELECT 1"},
        {"truth": "a' OR '1'='1"},
        {"predicted": "\"; COPY x TO '/tmp/y'"},
        {"seed": "1; DROP"},
        {"order": "r; DROP TABLE x"},
        {"b": 'note"); --'},
        {"search": "%' OR 1=1 --"},
    ],
)
def test_what_is_put_into_an_address_stays_a_value(served: Served, change: dict[str, str]) -> None:
    query = {**COLUMNS, "system": "s", "truth": "a", "predicted": "b", **change}
    status, _, text = ask(served, f"rows?{urlencode(query)}")
    assert status in (200, 400)
    assert status == 400 or ": 10 rows" in text or "0 rows" in text
    assert ask(served, f"rows?{urlencode({**COLUMNS, 'system': 's', 'truth': 'a', 'predicted': 'b'})}")[0] == 200


def test_markup_of_the_data_is_text(served: Served) -> None:
    text = ask(served, f"rows?{urlencode({**COLUMNS, 'system': 's', 'truth': 'b', 'predicted': 'a'})}")[2]
    assert "<script>" not in text
    assert "&lt;script&gt;" in text
    for label in ("<img src=x onerror=alert(1)>", "\u202eabc"):
        query = {**COLUMNS, "system": "s", "truth": label, "predicted": "a"}
        assert "<img" not in ask(served, f"rows?{urlencode(query)}")[2]


def test_every_answer_has_its_policy(served: Served) -> None:
    for path in ("", "columns?file=rows.csv", f"explore?{urlencode(COLUMNS)}", "nothing"):
        _, headers, _ = ask(served, path)
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe-inline' 'unsafe-eval" not in policy
        assert headers["Referrer-Policy"] == "no-referrer"
        assert headers["Cache-Control"] == "no-store"
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert "Access-Control-Allow-Origin" not in headers
    _, headers, page = ask(served, f"report?{urlencode(COLUMNS)}")
    assert headers["Content-Security-Policy"] == "frame-ancestors 'self'"
    assert 'http-equiv="Content-Security-Policy"' in page


def test_uploads_are_limited_and_their_names_unused(served: Served) -> None:
    good = ask(served, "upload?name=../../x.csv", "POST", body=ROWS.encode(), Origin=origin(served))
    name = json.loads(good[2])["file"]
    assert ask(served, f"columns?file={name}")[0] == 200
    assert (served[1].folder.dropped / name).read_text() == ROWS
    for path, headers, status in (
        ("upload?name=x.exe", {}, 415),
        ("upload?name=x.csv", {"Content-Length": "9" * 15}, 413),
        ("upload?name=x.csv", {"Transfer-Encoding": "chunked"}, 411),
        ("upload?name=x.csv", {"Content-Length": "-1"}, 411),
        ("verdict", {"Content-Length": "99999999"}, 413),
    ):
        assert ask(served, path, "POST", body=b"", Origin=origin(served), **headers)[0] == status
    assert len(list(served[1].folder.dropped.iterdir())) == 1


def test_verdicts_are_checked_and_appended(served: Served) -> None:
    path = served[1].folder.root / "verdicts.jsonl"
    said = {"file": "rows.csv", "row": "3", "system": "s", "truth": "a", "predicted": "b", "verdict": "truth wrong"}
    assert ask(served, "verdict", "POST", body=json.dumps(said).encode(), Origin=origin(served))[0] == 200
    for wrong in (b"[]", b"{", json.dumps({**said, "verdict": "x"}).encode(), json.dumps({**said, "row": -1}).encode()):
        assert ask(served, "verdict", "POST", body=wrong, Origin=origin(served))[0] == 400
    assert len(path.read_text().splitlines()) == 1
    assert json.loads(path.read_text())["row"] == 3
    path.unlink()


def test_too_much_is_rejected_and_silence_does_not_block(served: Served) -> None:
    port = served[0].server_address[1]
    silent = [socket.create_connection(("127.0.0.1", port)) for _ in range(20)]
    began = time.monotonic()
    assert ask(served, "")[0] == 200
    assert time.monotonic() - began < 5
    assert ask(served, "columns?file=" + "x" * 100_000)[0] == 414
    assert ask(served, "", X_Long="y" * 70_000)[0] in (400, 431)
    with suppress(ConnectionError):  # it may hang up before all of it is sent
        assert ask(served, "", X_Long="y" * 1_000_000)[0] in (400, 431)
    assert ask(served, "")[0] == 200
    assert (
        ask(served, f"rows?{urlencode({**COLUMNS, 'system': 's', 'truth': 'a' * 30_000, 'predicted': 'b'})}")[0] == 200
    )
    for connection in silent:
        connection.close()


def test_many_connections_at_once_wait_for_an_answer_and_are_not_turned_away() -> None:
    with (
        LoopbackServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as server,
        ExitStack() as waiting,
    ):  # nobody serves
        for _ in range(60):
            waiting.enter_context(socket.create_connection(server.server_address, timeout=0.9))


def test_other_methods_and_pages_are_unknown(served: Served) -> None:
    assert ask(served, "", "PUT", body=b"")[0] == 501
    assert ask(served, "", "DELETE")[0] == 501
    assert ask(served, "rows.csv")[0] == 404
    assert ask(served, "../rows.csv")[0] == 404
    assert ask(served, "upload?name=a.csv")[0] == 404


@pytest.mark.usefixtures("served")
def test_the_engine_reads_nothing_outside() -> None:
    duckdb = pytest.importorskip("duckdb")
    with embedded_database.embedded_database() as connection, pytest.raises(duckdb.Error):
        connection.execute("SELECT * FROM read_csv('/etc/passwd')")
    with embedded_database.embedded_database() as connection:
        for setting in ("enable_external_access = true", "allowed_directories = ['/']", "memory_limit = '9GB'"):
            with pytest.raises(duckdb.Error, match=r"lock|runtime|disabled|running"):
                connection.execute(f"SET {setting}")


def test_a_file_that_changes_or_goes_is_noticed(served: Served) -> None:
    path = served[1].folder.root / "gone.csv"
    path.write_text(ROWS)
    asked = urlencode({**COLUMNS, "file": "gone.csv"})
    first = ask(served, f"report?{asked}")[2]
    path.write_text(ROWS + "b,b,z\n" * 50)
    os.utime(path, (1, 1))
    assert ask(served, f"report?{asked}")[2] != first
    path.unlink()
    status, _, text = ask(served, f"report?{asked}")
    assert status == 404
    assert "no such file" in text
    assert "Traceback" not in text


def test_what_is_rejected_in_the_frame_is_shown_there(served: Served) -> None:
    asked = urlencode({**COLUMNS, "t": "none"})
    status, headers, text = ask(served, f"report?{asked}")
    assert status == 400
    assert "no column" in text
    assert headers["Content-Security-Policy"].endswith("frame-ancestors 'self'")
    assert 'target="_top"' in text
    assert ask(served, f"changes?{asked}")[1]["Content-Security-Policy"].endswith("frame-ancestors 'none'")


def test_names_of_headers_have_no_case(served: Served) -> None:
    server, explorer = served
    port = server.server_address[1]
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.putrequest("GET", f"/{explorer.key}/", skip_host=True)
    for name, value in (("host", f"127.0.0.1:{port}"), ("sec-fetch-site", "cross-site")):
        connection.putheader(name, value)
    connection.endheaders()
    answer = connection.getresponse()
    assert (answer.status, b"Another site" in answer.read()) == (403, True)
    connection.close()


def test_an_address_that_is_none_is_answered(served: Served, capfd: pytest.CaptureFixture[str]) -> None:
    with socket.create_connection(("127.0.0.1", served[0].server_address[1]), timeout=30) as connection:
        connection.sendall(b"GET http://[ HTTP/1.1\r\nHost: x\r\n\r\n")
        assert connection.recv(100).startswith(b"HTTP/1.1 400")
    assert "Traceback" not in capfd.readouterr().err


def test_of_an_upload_that_fails_nothing_is_left(served: Served) -> None:
    before = set(served[1].folder.dropped.iterdir())
    with socket.create_connection(("127.0.0.1", served[0].server_address[1]), timeout=30) as connection:
        head = f"POST /{served[1].key}/upload?name=x.csv HTTP/1.1\r\nHost: {origin(served)[7:]}\r\n"
        connection.sendall(f"{head}Origin: {origin(served)}\r\nContent-Length: 100\r\n\r\nt,s\n".encode())
        connection.shutdown(socket.SHUT_WR)
        assert b"400" in connection.recv(100)
    assert set(served[1].folder.dropped.iterdir()) == before

    class FullDisk:
        def read(self, _: int) -> bytes:
            raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="space"):
        served[1].folder.keep("x.csv", 100, FullDisk())  # type: ignore[arg-type]
    assert set(served[1].folder.dropped.iterdir()) == before


def test_a_file_is_offered_before_it_is_sent(served: Served) -> None:
    for asked, status in (("x.csv&size=100", 200), ("x.exe&size=1", 415), ("x.csv&size=9999999999999", 413)):
        found = ask(served, f"offer?name={asked}", "POST", body=b"", Origin=origin(served))
        assert found[0] == status
    assert ask(served, "offer?name=x.csv&size=1", "POST", body=b"", Origin="http://evil.example")[0] == 403


def test_a_broken_file_of_verdicts_is_named(served: Served) -> None:
    path = served[1].folder.root / "verdicts.jsonl"
    path.write_text("{\n")
    status, _, text = ask(served, "")
    path.unlink()
    assert status == 400
    assert "verdicts.jsonl, line 1" in text


def test_verdicts_are_not_written_through_a_link(served: Served) -> None:
    root = served[1].folder.root
    outside = root.parent / "settings.txt"
    outside.write_text("mine\n")
    (root / "verdicts.jsonl").symlink_to(outside)
    said = {"file": "rows.csv", "row": "3", "system": "s", "truth": "a", "predicted": "b", "verdict": "truth wrong"}
    status, _, text = ask(served, "verdict", "POST", body=json.dumps(said).encode(), Origin=origin(served))
    (root / "verdicts.jsonl").unlink()
    assert (status, outside.read_text()) == (400, "mine\n")
    assert "is a link" in text


def test_a_port_that_is_taken_leaves_nothing_behind(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(OSError, match="in use"):
        open_server(tmp_path, served[0].server_address[1])
    assert list(tmp_path.iterdir()) == []
