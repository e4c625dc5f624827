"""Ten million rows of Parquet from a store that serves them from memory, against the same file here.

A store is another machine, so it has a processor of its own here: the last one. The others read, from the store and
from the disk alike (whose pages are in memory, too). What is left of the difference is the way of the bytes through a
socket and the work of the client. The bytes alone are measured, too: from the disk, by a bare socket, by the client.
"""

import multiprocessing
import os
import re
import socket
import socketserver
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import obstore
import pyarrow as pa
import pyarrow.parquet as pq
from obstore.store import S3Store
from timing import clocked, record, sized

import infoscope as ifs

ROWS = sized(10_000_000, 10_000)
WANTED = 1.3
Columns = dict[str, Any]


def of_text(random: np.random.Generator) -> Columns:
    """A hundred classes, by name: seven bits for a label."""
    truth = random.integers(0, 100, ROWS)
    system = np.where(random.random(ROWS) < 0.8, truth, random.integers(0, 100, ROWS))
    names = pa.array([f"class-{i:03}" for i in range(100)])
    codes = {"gold": truth, "svm": system}
    return {
        name: pa.DictionaryArray.from_arrays(pa.array(values.astype(np.int32)), names) for name, values in codes.items()
    }


def of_numbers(random: np.random.Generator) -> Columns:
    """A thousand classes of uneven size, by number: ten bits for a label, and larger tables."""
    truth = (1000 * random.random(ROWS) ** 3).astype(np.int64)
    return {"gold": truth, "svm": np.where(random.random(ROWS) < 0.6, truth, random.permutation(truth))}


FILES: dict[str, Callable[[np.random.Generator], Columns]] = {"100 names": of_text, "1000 numbers": of_numbers}


def written(path: Path, columns: Callable[[np.random.Generator], Columns]) -> None:
    """The labels, and a column of other numbers that nobody asks for."""
    random = np.random.default_rng(1)
    table = pa.table({**columns(random), "noise": random.random(ROWS)})
    pq.write_table(table, path, row_group_size=1_000_000)


class Store(socketserver.BaseRequestHandler):
    """One object in memory, by ranges: the kernel hands its pages on, and Python does no more than read the request.

    A server of the standard library takes a millisecond of a core for each request, which is not the reader's.
    """

    def handle(self) -> None:
        """Requests of one connection, until it is closed."""
        self.request.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        waiting = b""
        while True:
            while b"\r\n\r\n" not in waiting:
                if not (more := self.request.recv(1 << 16)):
                    return
                waiting += more
            asked, _, waiting = waiting.partition(b"\r\n\r\n")
            self.answer(asked)

    def answer(self, asked: bytes) -> None:
        """The range that a request asks for."""
        size = os.fstat(self.server.content).st_size
        span = re.search(rb"(?i)\nrange: bytes=(\d*)-(\d+)", asked)
        start, end = 0, size
        if span and span[1]:
            start, end = int(span[1]), int(span[2]) + 1
        elif span:  # so many from the end
            start = size - int(span[2])
        head = f"Content-Range: bytes {start}-{end - 1}/{size}\r\nContent-Length: {end - start}\r\n"
        fixed = 'ETag: "one"\r\nLast-Modified: Mon, 16 Nov 2026 07:00:00 GMT\r\n'
        self.request.sendall(f"HTTP/1.1 {206 if span else 200} OK\r\n{head}{fixed}\r\n".encode())
        while start < end and asked.startswith(b"GET"):
            start += os.sendfile(self.request.fileno(), self.server.content, start, end - start)


def served(path: Path, port: int, cores: list[int]) -> None:
    """A store with this file, which stays in memory."""
    os.sched_setaffinity(0, cores)
    socketserver.ThreadingTCPServer.allow_reuse_address = True
    with path.open("rb") as file, socketserver.ThreadingTCPServer(("127.0.0.1", port), Store) as server:
        server.daemon_threads = True
        server.content = os.memfd_create("content")
        os.sendfile(server.content, file.fileno(), 0, path.stat().st_size)
        server.serve_forever()


def spans(path: Path) -> list[tuple[int, int]]:
    """Byte ranges of the two columns of each row group, one after the other."""
    groups = [pq.ParquetFile(path).metadata.row_group(i) for i in range(pq.ParquetFile(path).num_row_groups)]
    columns = [(group.column(0), group.column(1)) for group in groups]
    return [(a.dictionary_page_offset, b.dictionary_page_offset + b.total_compressed_size) for a, b in columns]


def by_client(path: Path) -> Callable[[], None]:
    """Time that the client takes to get the bytes of the columns, and nothing else."""
    store = S3Store("logs", client_options={"allow_http": True})
    ranges = spans(path)

    def fetched() -> None:
        for span in ranges:
            obstore.get(store, "log.parquet", options={"range": span}).bytes()

    return fetched


def by_socket(path: Path, port: int) -> Callable[[], None]:
    """The same bytes through a bare socket into memory that is used again: no client can take less."""
    ranges = spans(path)
    room = memoryview(bytearray(max(end - start for start, end in ranges)))
    connection = socket.create_connection(("127.0.0.1", port))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def fetched() -> None:
        for start, end in ranges:
            connection.sendall(f"GET /logs/log.parquet HTTP/1.1\r\nRange: bytes={start}-{end - 1}\r\n\r\n".encode())
            head = b""
            while b"\r\n\r\n" not in head:
                head += connection.recv(256)
            done = len(head.partition(b"\r\n\r\n")[2])
            while done < end - start:
                if not (more := connection.recv_into(room[done : end - start])):
                    raise ConnectionError("the store closed the connection")
                done += more

    return fetched


def from_disk(path: Path) -> Callable[[], None]:
    """The same bytes from the file, whose pages are in memory."""
    ranges = spans(path)
    room = memoryview(bytearray(max(end - start for start, end in ranges)))
    file = path.open("rb", buffering=0)

    def fetched() -> None:
        for start, end in ranges:
            os.preadv(file.fileno(), [room[: end - start]], start)

    return fetched


def main() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    os.environ.update(
        AWS_ENDPOINT_URL=f"http://127.0.0.1:{port}",
        AWS_ACCESS_KEY_ID="any",
        AWS_SECRET_ACCESS_KEY="any",
        AWS_REGION="us-east-1",
    )
    every = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, every[:-1] or every)
    for what, columns in FILES.items():
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "log.parquet"
            written(path, columns)
            server = multiprocessing.get_context("spawn").Process(
                target=served, args=(path, port, every[-1:]), daemon=True
            )
            server.start()
            try:
                while socket.socket().connect_ex(("127.0.0.1", port)):
                    time.sleep(0.1)
                compared(what, path, port)
            finally:
                server.terminate()
                server.join()


def compared(what: str, path: Path, port: int) -> None:
    """Both ways of reading in turn, and what the bytes alone take."""
    how = ifs.ReadOptions(threads=len(os.sched_getaffinity(0)))
    sources = {"here": path, "store": "s3://logs/log.parquet"}
    works: dict[str, Callable[[], Any]] = {
        name: lambda source=source: ifs.read(source, truth="gold", system="svm", read=how)
        for name, source in sources.items()
    }
    assert works["here"]() == works["store"]()
    works |= {"bytes here": from_disk(path), "by socket": by_socket(path, port), "by client": by_client(path)}
    runs = clocked(works, 40)
    least, middle = (
        {name: [of(column) for column in zip(*each, strict=True)] for name, each in runs.items()}
        for of in (min, median)
    )
    for name in works:
        (clock, processor), (usual, busy) = least[name], middle[name]
        print(
            f"{what:14s} {name:10s} {clock * 1e3:6.1f} ms, median {usual * 1e3:6.1f}; "
            f"of processor {processor * 1e3:6.1f}, median {busy * 1e3:6.1f}"
        )
    ratios = [times["store"][kind] / times["here"][kind] for kind in (0, 1) for times in (least, middle)]
    figure = "{:.2f}x by the clock (median {:.2f}), {:.2f}x of processor time (median {:.2f})".format(*ratios)
    record(kind="figure", what=f"Parquet in a store, 10^7 rows, {what}, against a local file", figure=figure)
    print(f"{what:14s} store against here: {figure}  (promised {WANTED:g}x)")


if __name__ == "__main__":
    main()
