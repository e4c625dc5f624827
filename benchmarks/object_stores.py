"""Ten million rows of Parquet from a store that serves them from memory, against the same file here."""

import multiprocessing
import os
import re
import socket
import tempfile
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
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


def served(path: Path, port: int) -> None:
    """One object, from memory, by ranges."""
    content = memoryview(path.read_bytes())

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # else head and body of an answer are 40 ms apart

        def do_HEAD(self) -> None:
            self.answer(0, len(content), 200)

        def do_GET(self) -> None:
            span = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers["Range"])
            start, end = (int(span[1]), int(span[2]) + 1) if span else (0, len(content))
            self.answer(start, end, 206)
            self.wfile.write(content[start:end])

        def answer(self, start: int, end: int, status: int) -> None:
            self.send_response(status)
            self.send_header("ETag", '"one"')
            self.send_header("Last-Modified", "Mon, 16 Nov 2026 07:00:00 GMT")
            self.send_header("Content-Range", f"bytes {start}-{end - 1}/{len(content)}")
            self.send_header("Content-Length", str(end - start))
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()


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


if __name__ == "__main__":
    main()
