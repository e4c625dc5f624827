"""Google Cloud Storage and Azure, each against a server on loopback.

Objects of Google's store are read by its XML interface, which is S3's: moto serves it. For Azure a small server checks
seals as Microsoft describes them; Microsoft's own emulator takes its place where ``azurite-blob`` is on the path.
"""

from __future__ import annotations

import base64
import io
import os
import shutil
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from email.utils import formatdate
from urllib.parse import quote

import obstore
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import infoscope as ifs
from infoscope.errors import InputError
from tests.api import stores
from tests.readers.azure_server import ACCOUNT, KEY, azure_server, sealed
from tests.readers.s3_server import s3_server

ROWS = b"gold,svm\na,a\nb,a\nb,b\n"
TABLE = ifs.Contingency.from_labels(["a", "b", "b"], ["a", "a", "b"])


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(stores, "_PAUSES", (0.0,))
    stores._open_bucket.cache_clear()
    yield
    stores._open_bucket.cache_clear()


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


@contextmanager
def _azurite(program: str) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = ["--silent", "--skipApiVersionCheck", "--disableTelemetry", "--inMemoryPersistence"]
    environment = {**os.environ, "AZURITE_ACCOUNTS": f"{ACCOUNT}:{KEY}"}
    server = subprocess.Popen([program, *options, "--blobPort", str(port)], env=environment)
    try:
        until = time.monotonic() + 30
        while not _answers(port) and time.monotonic() < until:
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(10)


@pytest.fixture(scope="module")
def azure() -> Iterator[str]:
    program = shutil.which("azurite-blob")
    with azure_server() if program is None else _azurite(program) as address:
        _create_container(address, "logs")
        yield address


def _answers(port: int) -> bool:
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0


def _create_container(address: str, name: str) -> None:
    heads = {"x-ms-date": formatdate(usegmt=True), "x-ms-version": "2021-08-06"}
    where = f"{address}/{ACCOUNT}/{quote(name)}?restype=container"
    heads["Authorization"] = sealed("PUT", where, heads)
    urllib.request.urlopen(urllib.request.Request(where, method="PUT", headers=heads)).close()


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


def test_listed_parquet_of_azure_is_the_version_that_is_read(azure: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Azure quotes a version where it gives a blob, and not where it lists: both are the same blob."""
    _set(monkeypatch, azure, KEY)
    from obstore.store import AzureStore

    rows = {"gold": ["a", "b", "b"] * 20_000, "svm": ["a", "a", "b"] * 20_000, "noise": list(range(60_000))}
    out = io.BytesIO()
    pq.write_table(pa.table(rows), out)
    assert len(out.getvalue()) > 1 << 17  # more than a footer
    for day in (1, 2):
        obstore.put(AzureStore("logs"), f"daily/day={day}.parquet", out.getvalue())
    table = ifs.read("az://logs/daily/*.parquet", truth="gold", system="svm")
    assert table.total == 120_000
    assert (table.counts == 40_000 * TABLE.counts).all()


def test_a_wrong_key_of_azure_is_denied_and_not_shown(azure: str, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = base64.b64encode(b"not the key").decode()
    _set(monkeypatch, azure, wrong)
    with pytest.raises(InputError, match=r"access was denied .* check AZURE_STORAGE_ACCOUNT_NAME") as caught:
        ifs.read("az://logs/2026/a.csv", truth="gold", system="svm")
    assert wrong not in str(caught.value)
