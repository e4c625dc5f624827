"""Google Cloud Storage and Azure, each against a server on loopback.

Objects of Google's store are read by its XML interface, which is S3's: moto serves it. Azurite is Microsoft's own
emulator; its tests run where ``azurite-blob`` is on the path (``npm install -g azurite``) or in ``node_modules``.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import shutil
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from email.utils import formatdate
from pathlib import Path
from urllib.parse import quote

import moto  # noqa: F401 - skips the file where it is absent
import obstore
import pytest

import infoscope as ifs
from infoscope.errors import InputError
from infoscope.readers.object_stores import buckets, client
from tests.readers.s3_server import s3_server

ROWS = b"gold,svm\na,a\nb,a\nb,b\n"
TABLE = ifs.Contingency.from_labels(["a", "b", "b"], ["a", "a", "b"])
ACCOUNT = "devstoreaccount1"
KEY = base64.b64encode(b"a key that this emulator is told, of no use elsewhere").decode()


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(client, "_PAUSES", (0.0,))
    buckets._opened.cache_clear()
    yield
    buckets._opened.cache_clear()


@pytest.fixture(scope="module")
def google() -> Iterator[str]:
    with s3_server() as door:
        for path in ("logs", "logs/2026/a.csv", "logs/2026/b c.csv"):
            door.put(path, ROWS if "." in path else b"")
        door.open_to_all = True
        yield door.address


def _both_ways(scheme: str) -> None:
    assert ifs.read(f"{scheme}://logs/2026/a.csv", truth="gold", system="svm") == TABLE
    for several in ("2026/*.csv", "2026", "20??/?*.csv"):
        assert ifs.read(f"{scheme}://logs/{several}", truth="gold", system="svm") == TABLE + TABLE
    with pytest.raises(InputError, match=r"none\.csv: the file does not exist"):
        ifs.read(f"{scheme}://logs/none.csv", truth="gold", system="svm")


def test_objects_of_google_cloud_storage(google: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STORAGE_EMULATOR_HOST", google)
    _both_ways("gs")
    with pytest.raises(InputError, match="bucket 'nowhere' does not exist"):
        ifs.read("gs://nowhere/*.csv", truth="gold", system="svm")


def _azurite() -> str | None:
    local = Path(__file__).parents[2] / "node_modules" / ".bin"
    return shutil.which("azurite-blob") or shutil.which("azurite-blob", path=str(local))


@pytest.fixture(scope="module")
def azure() -> Iterator[str]:
    program = _azurite()
    if program is None:
        pytest.skip("azurite-blob is not installed: npm install -g azurite")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = [
        program,
        "--silent",
        "--skipApiVersionCheck",
        "--disableTelemetry",
        "--inMemoryPersistence",
        "--blobPort",
        str(port),
    ]
    server = subprocess.Popen(words, env={**os.environ, "AZURITE_ACCOUNTS": f"{ACCOUNT}:{KEY}"})
    try:
        until = time.monotonic() + 30
        while not _answers(port) and time.monotonic() < until:
            time.sleep(0.1)
        address = f"http://127.0.0.1:{port}"
        _create_container(address, "logs")
        yield address
    finally:
        server.terminate()
        server.wait(10)


def _answers(port: int) -> bool:
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0


def _create_container(address: str, name: str) -> None:
    heads = {"x-ms-date": formatdate(usegmt=True), "x-ms-version": "2021-08-06"}
    signed = "PUT" + "\n" * 12 + "".join(f"{head}:{value}\n" for head, value in heads.items())
    signed += f"/{ACCOUNT}/{ACCOUNT}/{name}\nrestype:container"
    seal = base64.b64encode(hmac.digest(base64.b64decode(KEY), signed.encode(), hashlib.sha256)).decode()
    where = f"{address}/{ACCOUNT}/{quote(name)}?restype=container"
    request = urllib.request.Request(where, method="PUT", headers=heads)
    request.add_header("Authorization", f"SharedKey {ACCOUNT}:{seal}")
    urllib.request.urlopen(request).close()


def _set(monkeypatch: pytest.MonkeyPatch, address: str, key: str) -> None:
    monkeypatch.setenv("AZURE_STORAGE_USE_EMULATOR", "true")
    monkeypatch.setenv("AZURITE_BLOB_STORAGE_URL", address)
    monkeypatch.setenv("AZURE_STORAGE_ACCOUNT_NAME", ACCOUNT)
    monkeypatch.setenv("AZURE_STORAGE_ACCOUNT_KEY", key)


def test_objects_of_azure(azure: str, monkeypatch: pytest.MonkeyPatch) -> None:
    _set(monkeypatch, azure, KEY)
    from obstore.store import AzureStore

    store = AzureStore("logs")
    for name in ("2026/a.csv", "2026/b c.csv"):
        obstore.put(store, name, ROWS)
    _both_ways("az")
    address = f"abfss://logs@{ACCOUNT}.dfs.core.windows.net/2026/a.csv"
    assert ifs.read(address, truth="gold", system="svm") == TABLE
    with pytest.raises(InputError, match="container 'nowhere' does not exist"):
        ifs.read("az://nowhere/a.csv", truth="gold", system="svm")


def test_a_wrong_key_of_azure_is_denied_and_not_shown(azure: str, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = base64.b64encode(b"not the key").decode()
    _set(monkeypatch, azure, wrong)
    with pytest.raises(InputError, match=r"access was denied .* check AZURE_STORAGE_ACCOUNT_NAME") as caught:
        ifs.read("az://logs/2026/a.csv", truth="gold", system="svm")
    assert wrong not in str(caught.value)
