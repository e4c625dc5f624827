"""Ten million rows of Parquet from a store that serves them from memory, against the same file here.

The store shares the machine's cores, so the figures by the clock contain what it takes to serve the bytes.
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

import numpy as np
import obstore
import pyarrow as pa
import pyarrow.parquet as pq
from obstore.store import S3Store
from timing import best, sized, tried

import infoscope as ifs

ROWS = sized(10_000_000, 10_000)
WANTED = 1.3


def written(path: Path) -> None:
    random = np.random.default_rng(1)
    truth = random.integers(0, 100, ROWS)
    system = np.where(random.random(ROWS) < 0.8, truth, random.integers(0, 100, ROWS))
    names = pa.array([f"class-{i:03}" for i in range(100)])
    codes = {"gold": truth, "svm": system}
    columns = {
        name: pa.DictionaryArray.from_arrays(pa.array(values.astype(np.int32)), names) for name, values in codes.items()
    }
    pq.write_table(pa.table({**columns, "noise": random.random(ROWS)}), path, row_group_size=1_000_000)


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
        span = re.search(rb"(?i)\nrange: bytes=(\d+)-(\d+)", asked)
        start, end = (int(span[1]), int(span[2]) + 1) if span else (0, size)
        head = f"Content-Range: bytes {start}-{end - 1}/{size}\r\nContent-Length: {end - start}\r\n"
        fixed = 'ETag: "one"\r\nLast-Modified: Mon, 16 Nov 2026 07:00:00 GMT\r\n'
        self.request.sendall(f"HTTP/1.1 {206 if span else 200} OK\r\n{head}{fixed}\r\n".encode())
        while start < end and asked.startswith(b"GET"):
            start += os.sendfile(self.request.fileno(), self.server.content, start, end - start)


def served(path: Path, port: int) -> None:
    """A store with this file, which stays in memory."""
    socketserver.ThreadingTCPServer.allow_reuse_address = True
    with path.open("rb") as file, socketserver.ThreadingTCPServer(("127.0.0.1", port), Store) as server:
        server.daemon_threads = True
        server.content = os.memfd_create("content")
        os.sendfile(server.content, file.fileno(), 0, path.stat().st_size)
        server.serve_forever()


def transfer(path: Path) -> Callable[[], None]:
    """What it takes to get the bytes of the columns through a socket, and nothing else."""
    groups = [pq.ParquetFile(path).metadata.row_group(i) for i in range(pq.ParquetFile(path).num_row_groups)]
    columns = [(group.column(0), group.column(1)) for group in groups]
    ends = [(a.dictionary_page_offset, b.dictionary_page_offset + b.total_compressed_size) for a, b in columns]
    store = S3Store("logs", client_options={"allow_http": True})

    def fetched() -> None:
        for span in ends:
            obstore.get(store, "log.parquet", options={"range": span}).bytes()

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
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.parquet"
        written(path)
        server = multiprocessing.get_context("spawn").Process(target=served, args=(path, port), daemon=True)
        server.start()
        try:
            while socket.socket().connect_ex(("127.0.0.1", port)):
                time.sleep(0.1)
            sources = {"here": path, "store": "s3://logs/log.parquet"}
            works = {
                name: lambda source=source: ifs.read(source, truth="gold", system="svm")
                for name, source in sources.items()
            }
            assert works["here"]() == works["store"]()
            works["bytes"] = transfer(path)
            seen = {name: (min(times), sorted(times)[len(times) // 2]) for name, times in tried(works, 15).items()}
            used = {name: best(work, 15) for name, work in works.items()}
        finally:
            server.terminate()
            server.join()
    for name, (fastest, middle) in seen.items():
        processor = f"{used[name] * 1e3:7.1f} ms of processor"
        print(f"{name:6s} best {fastest * 1e3:7.1f} ms, middle {middle * 1e3:7.1f} ms, {processor}")
    ratios = [seen["store"][at] / seen["here"][at] for at in (0, 1)]
    processor = used["store"] / used["here"]
    by = f"{ratios[0]:.2f}x (best), {ratios[1]:.2f}x (middle), {processor:.2f}x (processor)"
    print(f"store against here: {by}  (promised {WANTED:g}x)")
    print(f"of which the bytes alone, by the same client: {used['bytes'] / used['here']:.2f}x (processor)")


if __name__ == "__main__":
    main()
