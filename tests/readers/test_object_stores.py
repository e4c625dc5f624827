"""Files of object stores: the same tables as of files here, only the bytes that are needed, faults in a sentence."""

from __future__ import annotations

import base64
import io
import os
import re
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import numpy as np
import obstore  # noqa: F401 - skips the file where it is absent
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import infoscope as ifs
from infoscope.errors import InputError
from tests.api import Chunk, Kind, MirroredFile, ObjectAddress, RowGroup, UnfitError, app, is_built, stores
from tests.api import parquet as prefetch
from tests.readers.s3_server import KEY, SECRET, Door, s3_server

ROWS = 30_000
DISPATCH, PREFETCH = "infoscope.readers.parquet", "infoscope.readers.parquet"


def log(seed: int, rows: int = ROWS) -> dict[str, np.ndarray]:
    random = np.random.default_rng(seed)
    truth = random.integers(0, 9, rows)
    names = np.array([f"class {i}" for i in range(9)])
    answers = {name: np.where(random.random(rows) < 0.7, truth, random.integers(0, 9, rows)) for name in ("svm", "knn")}
    return {
        "gold": names[truth],
        **{name: names[codes] for name, codes in answers.items()},
        "noise": random.random(rows),  # most of the bytes
        "weight": random.integers(1, 5, rows).astype(float),
    }


def parquet(columns: dict[str, np.ndarray]) -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.table(columns), out, row_group_size=10_000)
    return out.getvalue()


def csv(columns: dict[str, np.ndarray]) -> bytes:
    lines = zip(columns["gold"], columns["svm"], strict=True)
    return "\n".join(["gold,svm", *(f"{a},{b}" for a, b in lines), ""]).encode()


@pytest.fixture(scope="module")
def served() -> Door:
    with s3_server() as door:
        door.put("logs")
        for day in range(3):
            door.put(f"logs/daily/day={day}/part-0.parquet", parquet(log(day)))
        door.put("logs/daily/_SUCCESS", b"")
        door.put("logs/texts/a.csv", csv(log(1, 500)))
        door.put("logs/texts/b c.csv", csv(log(2, 500)))
        door.put("logs/broken.parquet", parquet(log(1))[:-100])
        yield door


@pytest.fixture
def door(served: Door, monkeypatch: pytest.MonkeyPatch) -> Door:
    served.forget()
    monkeypatch.setenv("AWS_ENDPOINT_URL", served.address)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    monkeypatch.setattr(stores, "_PAUSES", (0.0, 0.0, 0.0))
    stores._open_bucket.cache_clear()
    return served


@pytest.fixture(params=["ahead", "on demand"])
def either_way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bytes asked for ahead, and bytes asked for when they are counted."""
    seconds = 0.0 if request.param == "ahead" else 60.0
    monkeypatch.setattr(prefetch, "_AT_ONCE", seconds)
    monkeypatch.setattr(prefetch, "_SLOW", seconds)


@pytest.mark.usefixtures("either_way")
def test_a_parquet_file_gives_its_table_and_only_its_columns_travel(door):
    columns = log(0)
    table = ifs.read("s3://logs/daily/day=0/part-0.parquet", truth="gold", system="svm")

    assert table == ifs.Contingency.from_labels(columns["gold"], columns["svm"])
    size = len(parquet(columns))
    footer = 1 << 16
    assert size > 300_000
    assert door.sent < footer + 0.15 * size  # noise and weights stayed where they were
    assert door.asked[0] == ("GET", "/logs/daily/day%3D0/part-0.parquet", f"bytes=-{footer}")  # size, version, footer
    assert all(method == "GET" and span for method, _, span in door.asked)


def test_a_footer_that_is_the_whole_file_is_no_second_request(door):
    columns = log(3, 200)
    door.put("logs/small.parquet", parquet(columns))
    door.put("logs/empty.parquet")
    table = ifs.read("s3://logs/small.parquet", truth="gold", system="svm")

    assert table == ifs.Contingency.from_labels(columns["gold"], columns["svm"])
    assert len(door.asked) == 1
    with pytest.raises(InputError, match=r"s3://logs/empty\.parquet is not a whole Parquet file"):
        ifs.read("s3://logs/empty.parquet", truth="gold", system="svm")


@pytest.mark.parametrize("beyond", [None, 1, 0, -1])
def test_footers_of_every_length(door, monkeypatch, beyond):
    """Of a file with so many bytes beyond those that are asked for first, or with a footer that is longer than they."""
    columns = log(7, 400)
    content = parquet(columns)
    door.put("logs/one.parquet", content)
    monkeypatch.setattr(stores, "_FOOTER", 100 if beyond is None else len(content) - beyond)
    table = ifs.read("s3://logs/one.parquet", truth="gold", system="svm")

    assert table == ifs.Contingency.from_labels(columns["gold"], columns["svm"])


def test_a_store_that_counts_no_bytes_from_the_end(door):
    door.without_endings = True
    columns = log(0)
    table = ifs.read("s3://logs/daily/day=0/part-0.parquet", truth="gold", system="svm")

    assert table == ifs.Contingency.from_labels(columns["gold"], columns["svm"])
    assert "HEAD" in {method for method, _, _ in door.asked}


def test_columns_are_counted_from_memory_or_from_a_copy(door, monkeypatch):
    """The compiled part takes the bytes as they came; an engine that is asked after all finds them in the copy."""
    columns = log(0)
    expected = ifs.Contingency.from_labels(columns["gold"], columns["svm"])
    written = []
    write = MirroredFile._write

    def watched(file, pieces):
        pieces = list(pieces)
        written.extend(span for span, _ in pieces if span[1] < file.info.size)  # the footer is always written
        write(file, pieces)

    monkeypatch.setattr(MirroredFile, "_write", watched)
    source = "s3://logs/daily/day=0/part-0.parquet"
    assert ifs.read(source, truth="gold", system="svm") == expected
    if is_built():
        assert written == []
    changes = {f"{DISPATCH}.PackedCounting.add": _unfit, f"{PREFETCH}._AHEAD": 100, f"{PREFETCH}._REQUEST": 1 << 30}
    for name, value in changes.items():
        written.clear()
        with monkeypatch.context() as patch:
            patch.setattr(name, value)
            assert ifs.read(source, truth="gold", system="svm") == expected
            assert bool(written) == (not is_built() or "add" in name)
    written.clear()
    assert ifs.read(source, truth="gold", system="svm", read=ifs.ReadOptions(native=False)) == expected
    assert written
    assert door.asked


def _unfit(*_):
    raise UnfitError


@pytest.mark.parametrize(
    "source",
    [
        "s3://logs/daily/",
        "s3://logs/daily",
        "s3://logs/daily/*/part-*.parquet",
        "s3://logs/**/part-0.parquet",
        [f"s3://logs/daily/day={day}/part-0.parquet" for day in (0, 1, 2, 1)],
    ],
)
def test_folders_patterns_and_lists(door, source):
    tables = ifs.read_tables(source, truth="gold", system=["svm", "knn"])

    together = [np.concatenate([log(day)[name] for day in range(3)]) for name in ("gold", "svm", "knn")]
    assert tables[(), "svm"] == ifs.Contingency.from_labels(together[0], together[1])
    assert tables[(), "knn"] == ifs.Contingency.from_labels(together[0], together[2])
    assert door.asked


def test_files_of_the_same_name_and_names_of_any_length(door):
    """Copies lie in one folder, where a key has none of its own."""
    door.put("others")
    one, other, long = log(4, 300), log(5, 400), "x" * 240 + ".parquet"
    door.put("logs/same.parquet", parquet(one))
    door.put("others/same.parquet", parquet(other))
    door.put(f"logs/{long}", parquet(other))

    both = ifs.read(["s3://logs/same.parquet", "s3://others/same.parquet"], truth="gold", system="svm")

    assert both == ifs.Contingency.from_labels(*(np.append(one[name], other[name]) for name in ("gold", "svm")))
    single = ifs.Contingency.from_labels(other["gold"], other["svm"])
    assert ifs.read(f"s3://logs/{long}", truth="gold", system="svm") == single


def test_a_command_that_converts_a_copy_names_the_original(door):
    door.put("logs/wide.csv", "gold,svm\na,b\n".encode("utf-16"))
    with pytest.raises(InputError, match=r"iconv -f UTF-16 -t UTF-8 s3://logs/wide\.csv > wide\.utf8\.csv"):
        ifs.read("s3://logs/wide.csv", truth="gold", system="svm")


@pytest.mark.parametrize("place", ["here", "store"])
def test_a_reading_has_one_folder(door, tmp_path, monkeypatch, place):
    """Some disks take milliseconds to remove one."""
    door.put("logs/flat.parquet", parquet(log(6, 300)))
    (tmp_path / "flat.parquet").write_bytes(parquet(log(6, 300)))
    removed = []
    remove = os.rmdir
    monkeypatch.setattr(os, "rmdir", lambda path, **how: (removed.append(path), remove(path, **how)))

    ifs.read("s3://logs/flat.parquet" if place == "store" else tmp_path / "flat.parquet", truth="gold", system="svm")

    assert len(removed) == 1


def test_columns_named_by_folders_weights_and_groups(door):
    tables = ifs.read_tables("s3://logs/daily/", truth="gold", system="svm", by="day", weight="weight")

    for day in range(3):
        columns = log(day)
        expected = ifs.Contingency.from_labels(columns["gold"], columns["svm"], sample_weight=columns["weight"])
        assert tables[(str(day),), "svm"] == expected
    assert door.asked


def test_text_is_read_whole_and_names_may_have_spaces(door):
    table = ifs.read("s3://logs/texts/*.csv", truth="gold", system="svm")

    gold, svm = (np.concatenate([log(seed, 500)[name] for seed in (1, 2)]) for name in ("gold", "svm"))
    assert table == ifs.Contingency.from_labels(gold, svm)
    assert ifs.read("s3://logs/texts/b c.csv", truth="gold", system="svm").total == 500
    assert door.asked


def test_on_the_command_line(door, tmp_path):
    words = ["evaluate", "s3://logs/daily/day=0/part-0.parquet", "-t", "gold", "-s", "svm", "--format", "csv"]
    done = CliRunner().invoke(app, words)
    counted = CliRunner().invoke(
        app, ["count", "s3://logs/texts/", "-t", "gold", "-s", "svm", "-o", str(tmp_path / "t.ifs")]
    )

    assert done.exit_code == 0, done.output
    assert "proficiency" in done.output
    assert counted.exit_code == 0, counted.output
    assert ifs.read(tmp_path / "t.ifs").total == 1000
    assert door.asked


def test_throttled_requests_are_asked_again(door):
    door.throttled = 3

    assert ifs.read("s3://logs/texts/a.csv", truth="gold", system="svm").total == 500
    assert door.throttled == 0


@pytest.mark.usefixtures("either_way")
def test_bodies_that_end_early_are_asked_for_again(door):
    door.cut = 2

    table = ifs.read("s3://logs/daily/day=0/part-0.parquet", truth="gold", system="svm")
    columns = log(0)
    assert table == ifs.Contingency.from_labels(columns["gold"], columns["svm"])
    assert door.cut == 0


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("s3://logs/nothing.csv", "s3://logs/nothing.csv: the file does not exist"),
        ("s3://logs/daily/*.csv", "the pattern matches no file"),
        ("s3://no-such-bucket/a.csv", "the bucket 'no-such-bucket' does not exist"),
        ("s3://no-such-bucket/*.csv", "the bucket 'no-such-bucket' does not exist"),
        ("s3://", "names no bucket"),
        ("s3://logs/broken.parquet", r"s3://logs/broken.parquet is not a whole Parquet file"),
        ("hdfs://node/a.csv", "network address of a kind that is not read here"),
    ],
)
def test_what_is_not_there_or_broken(door, source, message):
    with pytest.raises(InputError, match=message) as caught:
        ifs.read(source, truth="gold", system="svm")

    assert "infoscope-" not in str(caught.value)  # no path of a copy
    done = CliRunner().invoke(app, ["evaluate", source, "-t", "gold", "-s", "svm"])
    assert done.exit_code == 2
    assert "Traceback" not in done.output
    assert door is not None


def test_a_column_that_does_not_exist_names_the_address(door):
    with pytest.raises(ifs.InfoscopeError, match=r"s3://logs/daily/day=0/part-0.parquet has no column 'svn'.*svm"):
        ifs.read("s3://logs/daily/day=0/part-0.parquet", truth="gold", system="svn")
    assert door.asked


def test_wrong_credentials_are_told_without_repeating_them(door, monkeypatch):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAWRONG")
    with pytest.raises(InputError, match=r"access was denied.*AWS_ACCESS_KEY_ID") as caught:
        ifs.read("s3://logs/texts/*.csv", truth="gold", system="svm")

    done = CliRunner().invoke(app, ["evaluate", "s3://logs/texts/a.csv", "-t", "gold", "-s", "svm"])
    assert done.exit_code == 2
    assert "set AWS_SKIP_SIGNATURE to true" in done.output.replace("\n", " ")  # advice that nothing masks
    for words in (str(caught.value), repr(caught.value.__cause__), repr(caught.value.__context__), done.output):
        assert SECRET not in words
        assert "AKIAWRONG" not in words
    assert door.asked


def test_a_store_that_does_not_answer(monkeypatch, door, unreachable):
    monkeypatch.setenv("AWS_ENDPOINT_URL", unreachable)
    with pytest.raises(InputError, match=r"the store cannot be reached.*AWS_ENDPOINT_URL"):
        ifs.read("s3://logs/texts/a.csv", truth="gold", system="svm")
    with pytest.raises(InputError, match="the store cannot be reached"):
        ifs.read(f"{unreachable}/a.csv", truth="gold", system="svm")
    assert door is not None


@pytest.fixture
def unreachable(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(stores, "_RETRIES", {**stores._RETRIES, "max_retries": 0})
    return "http://127.0.0.1:1"


@pytest.mark.usefixtures("either_way")
def test_an_object_that_changes_meanwhile_is_rejected(door, monkeypatch):
    door.put("logs/changing.parquet", parquet(log(5)))
    fetch = stores.MirroredFile.fetch

    def changed(file, wanted):
        fetch(file, wanted)
        door.put("logs/changing.parquet", parquet(log(6)))

    monkeypatch.setattr(stores.MirroredFile, "fetch", changed)
    with pytest.raises(InputError, match=r"s3://logs/changing\.parquet changed while it was read"):
        ifs.read("s3://logs/changing.parquet", truth="gold", system="svm")


def test_the_missing_extra_is_named(monkeypatch):
    import sys

    stores._import_obstore.cache_clear()
    monkeypatch.setitem(sys.modules, "obstore", None)
    with pytest.raises(InputError, match=r"need obstore; pip install 'infoscope\[cloud\]'"):
        ifs.read("s3://logs/a.csv", truth="gold", system="svm")
    done = CliRunner().invoke(app, ["evaluate", "gs://logs/a.csv", "-t", "gold", "-s", "svm"])
    assert (done.exit_code, "infoscope[cloud]" in done.output) == (2, True)
    stores._import_obstore.cache_clear()


@pytest.mark.parametrize(
    ("pattern", "key", "is_meant"),
    [
        ("s3://b/a/*.csv", "a/x.csv", True),
        ("s3://b/a/*.csv", "a/b/x.csv", False),
        ("s3://b/a/**", "a/b/x.csv", True),
        ("s3://b/**/x.csv", "x.csv", True),
        ("s3://b/day=[0-3]/x.csv", "day=2/x.csv", True),
        ("s3://b/day=[!0-3]/x.csv", "day=2/x.csv", False),
        ("s3://b/a+b?.csv", "a+b1.csv", True),
    ],
)
def test_patterns(pattern, key, is_meant):
    assert ObjectAddress.parse(pattern).matches(key) is is_meant


class _Web(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Nothing."""


@pytest.fixture
def web(tmp_path: Path) -> str:
    """A web server that knows no ranges and needs no password."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Web, directory=tmp_path))
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


def test_files_of_a_web_server(web, tmp_path):
    (tmp_path / "log.csv").write_bytes(csv(log(1, 500)))
    (tmp_path / "log.parquet").write_bytes(parquet(log(1)))
    (tmp_path / "empty.csv").write_bytes(b"")
    expected = ifs.read(tmp_path / "log.csv", truth="gold", system="svm")

    assert ifs.read(f"{web}/log.csv?token=s3cret", truth="gold", system="svm") == expected
    parquet_table = ifs.read(f"{web}/log.parquet", truth="gold", system="svm")
    assert parquet_table == ifs.read(tmp_path / "log.parquet", truth="gold", system="svm")
    for name, message in (("no.csv", "the file does not exist"), ("empty.csv", "empty"), ("sub/", "does not exist")):
        with pytest.raises(InputError, match=message) as caught:
            ifs.read(f"{web}/{name}?token=s3cret", truth="gold", system="svm")
        assert "s3cret" not in str(caught.value)


class _Ranged(_Web):
    """Knows ranges, and wants a name and a password."""

    content = parquet(log(0))
    asked: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        if self.headers.get("Authorization") != f"Basic {base64.b64encode(b'ann:s3cret').decode()}":
            self.send_error(401)
            return
        span = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers["Range"])
        assert span is not None
        start, end = int(span[1]), int(span[2]) + 1
        self.asked.append(self.headers["Range"])
        self.send_response(206)
        self.send_header("Content-Range", f"bytes {start}-{end - 1}/{len(self.content)}")
        self.send_header("Content-Length", str(end - start))
        self.end_headers()
        self.wfile.write(self.content[start:end])


@pytest.fixture
def ranged() -> str:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Ranged)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    yield f"127.0.0.1:{server.server_address[1]}/log.parquet"
    server.shutdown()
    server.server_close()


def test_ranges_and_passwords_of_a_web_server(ranged):
    table = ifs.read(f"http://ann:s3cret@{ranged}", truth="gold", system="svm")

    assert table == ifs.Contingency.from_labels(log(0)["gold"], log(0)["svm"])
    spans = [re.findall(r"\d+", span) for span in _Ranged.asked]
    assert sum(int(end) - int(start) + 1 for start, end in spans) < 0.5 * len(_Ranged.content)
    with pytest.raises(InputError, match=r"access was denied.*401.*name and password") as caught:
        ifs.read(f"http://ann:wr0ng@{ranged}", truth="gold", system="svm")
    assert "wr0ng" not in str(caught.value)


def _group(place: int, size: int = 1000) -> RowGroup:
    return RowGroup(Path("log"), 10, (Chunk(Kind(0, False), "SNAPPY", place * 5000, size),), 1.0)


class Remote:
    """A file of a store that took so many seconds to say what there is; its first kilobyte is here already."""

    def __init__(self, delay: float) -> None:
        self.delay = delay
        self.asked: list[tuple[int, int]] = []

    def has(self, span: tuple[int, int]) -> bool:
        return span == (0, 1000)

    def read(self, span: tuple[int, int]) -> bytes:
        self.asked.append(span)
        return bytes([span[0] // 5000]) * (span[1] - span[0])


@pytest.fixture
def small_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, size in (("_AHEAD", 3000), ("_REQUEST", 1000), ("_GAP", 100)):
        monkeypatch.setattr(prefetch, name, size)


EACH_ONCE = [(place * 5000, place * 5000 + 1000) for place in range(1, 20)]


@pytest.mark.usefixtures("small_requests")
def test_the_next_row_groups_are_on_their_way_and_no_more():
    """Memory holds what is asked for ahead, whatever the size of a file, and each group gets its own bytes."""
    remote = Remote(delay=0.1)
    with prefetch.locate_groups(map(_group, range(20)), {Path("log"): remote}) as groups:
        for number, (group, in_memory) in enumerate(groups):
            start = group.chunks[0].start
            found = in_memory(start, 1000)
            assert found is None if number == 0 else bytes(found) == bytes([number]) * 1000
            assert max(start for start, _ in remote.asked) <= start + 4 * 5000
    assert sorted(remote.asked) == EACH_ONCE


@pytest.mark.usefixtures("small_requests")
def test_a_store_that_answers_at_once_is_asked_for_what_is_counted_next():
    """Nothing is asked for ahead; a range is asked for once, whoever wants it."""
    remote = Remote(delay=0.0)
    with prefetch.locate_groups(map(_group, range(20)), {Path("log"): remote}) as groups:
        for number, (group, in_memory) in enumerate(groups):
            before = len(remote.asked)
            first, second = (in_memory(group.chunks[0].start, 1000) for _ in range(2))
            assert first == second
            assert len(remote.asked) - before == (number > 0)
    assert remote.asked == EACH_ONCE


@pytest.mark.usefixtures("small_requests")
def test_bytes_that_take_long_after_all_are_asked_for_ahead_from_then_on(monkeypatch):
    remote = Remote(delay=0.0)
    ahead = []
    with prefetch.locate_groups(map(_group, range(20)), {Path("log"): remote}) as groups:
        for number, (group, in_memory) in enumerate(groups):
            monkeypatch.setattr(prefetch, "_SLOW", -1.0 if number == 5 else 60.0)
            assert number == 0 or bytes(in_memory(group.chunks[0].start, 1000)) == bytes([number]) * 1000
            ahead.append(max((start for start, _ in remote.asked), default=0) > group.chunks[0].start)
    assert not any(ahead[:6])
    assert sorted(remote.asked) == EACH_ONCE
    assert any(ahead[6:])


def test_small_row_groups_come_in_one_request(door):
    out = io.BytesIO()
    columns = {name: values for name, values in log(3).items() if name in ("gold", "svm")}
    pq.write_table(pa.table(columns), out, row_group_size=1500)  # twenty groups
    door.put("logs/small.parquet", out.getvalue() + b"")
    door.forget()

    table = ifs.read("s3://logs/small.parquet", truth="gold", system="svm")
    assert table == ifs.Contingency.from_labels(columns["gold"], columns["svm"])
    assert sum(asked[0] == "GET" for asked in door.asked) <= 3
