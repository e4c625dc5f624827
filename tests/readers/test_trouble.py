"""Failures are reported in one sentence, and no file is left behind."""

import gzip
import logging
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, cast

import duckdb
import polars as pl
import pytest

from infoscope import ReadOptions, read, read_tables
from infoscope.errors import InputError
from tests.api import (
    STDIN,
    EngineError,
    Session,
    quiet_bridge,
    raise_interrupts,
    read_matrix,
    show_progress,
    spool_file,
)
from tests.api import (
    duckdb as duckdb_engine,
)

HOSTILE = "x\"; DROP TABLE cells; --'$p) UNION SELECT 1 \\ %s ? {0}"


def parquet(path: Path, select: str) -> Path:
    duckdb.execute(f"COPY ({select}) TO '{path}'")
    return path


GOOD = '{"t": "x", "s": "y"}\n'


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{bad", "is not JSON"),
        (GOOD.strip() * 2, "is not JSON .extra data"),
        ("5", "is '5'; each line is a JSON object"),
        ('{"t": "x", "t": "y", "s": "y"}', "has the key 't' twice"),
        (r'{"t": "\ud800", "s": "y"}', "has half of a surrogate pair"),
    ],
)
def test_a_late_line_of_json_is_rejected_like_an_early_one(line: str, said: str, mark: str, tmp_path: Path) -> None:
    path = tmp_path / "a.ndjson"
    for before in (3, 1200):  # every line of the first thousand is looked at before the engine reads
        path.write_text(mark + GOOD * before + line + "\n" + GOOD, encoding="utf-8")
        with pytest.raises(InputError, match=rf"a\.ndjson, line {before + 1} {said}"):
            read(path, truth="t", system="s")


def test_blank_lines_of_json_with_a_mark(tmp_path: Path) -> None:
    path = tmp_path / "a.ndjson"
    path.write_text("\ufeff" + GOOD + "\t\n \n\n" + GOOD, encoding="utf-8")
    assert read(path, truth="t", system="s").total == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("suffix", "sentence"),
    [("gz", "cannot be read: Unexpected end of GZIP"), ("zst", "is not a whole zstd file: it is cut off")],
)
def test_truncated_archives(tmp_path: Path, suffix: str, sentence: str) -> None:
    path = tmp_path / f"a.csv.{suffix}"
    duckdb.execute(f"COPY (SELECT hash(i) AS t, 'b' AS s FROM range(100000) r(i)) TO '{path}' (FORMAT csv)")
    path.write_bytes(path.read_bytes()[:-5000])

    with pytest.raises(InputError, match=sentence):
        read(path, truth="t", system="s")


@pytest.mark.parametrize("ends", ["\n \r\n", "\r\n \n", "\r \n"], ids=repr)
def test_a_line_end_of_another_kind_inside_the_header(ends: str, tmp_path: Path) -> None:
    """The engine would take it for the end of every line, and read no row."""
    inside, after = ends.split(" ")
    path = tmp_path / "a.csv"
    path.write_text(f't,s,"n{inside}m"{after}a,a,1{after}b,b,2{after}', newline="")

    with pytest.raises(InputError, match=r"a\.csv has a line end of another kind inside its header"):
        read(path, truth="t", system="s")
    path.write_text(f't,s,"n{after}m"{after}a,a,1{after}b,b,"2{inside}"{after}', newline="")
    assert read(path, truth="t", system="s").total == 2


@pytest.mark.parametrize("ends", ["\n \r\n", "\r\n \n", "\r\n \r", "\r \n", "\n\n \r\n", "\r\n\r\n\n \r\n"], ids=repr)
@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["plain", "mark"])
def test_an_empty_line_of_another_kind_before_the_header(ends: str, mark: str, tmp_path: Path) -> None:
    """The engine would take its end for the end of every line, and read no row or lose a sign."""
    before, after = ends.split(" ")
    path = tmp_path / "a.csv"
    path.write_text(f"{mark}{before}t,s{after}a,a{after}b,b{after}", newline="")

    with pytest.raises(InputError, match=r"a\.csv has an empty line before its header whose line end is of another"):
        read(path, truth="t", system="s")
    path.write_text(f"{mark}{after}{after}t,s{after}a,a{after}b,b{after}", newline="")
    assert read(path, truth="t", system="s").total == 2


def test_a_file_that_shrinks_while_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.csv"
    path.write_text("t,s\n" + "a,b\n" * 100)
    monkeypatch.setattr("infoscope.readers.duckdb.count_by_codes", lambda *_, **__: os.truncate(path, 40))

    with pytest.raises(InputError, match=r"a\.csv became shorter while it was read"):
        read(path, truth="t", system="s")


@pytest.mark.parametrize("problem", [duckdb.InterruptException("Interrupted!"), RuntimeError("Query interrupted")])
def test_an_engine_that_was_interrupted_means_the_user(problem: Exception) -> None:
    with pytest.raises(KeyboardInterrupt), raise_interrupts():
        raise problem
    with pytest.raises(RuntimeError, match="else"), raise_interrupts():
        raise RuntimeError("something else")


def test_no_room_for_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("infoscope.core.files.shutil.copyfileobj", full)
    with pytest.raises(InputError, match="No space left on device; point TMPDIR to a larger disk"):
        spool_file(Path(STDIN), tmp_path)


def test_csv_files_are_read_each_by_its_own_header(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("t,s\nx,y\n")
    (tmp_path / "b.csv").write_text("id;s;t\n1;y;x\n")

    assert read(tmp_path, truth="t", system="s").counts.tolist() == [[2]]


def test_hive_folders_name_columns(tmp_path: Path) -> None:
    for fold in ("1", "02", "a b"):
        folder = tmp_path / f"fold={fold}"
        folder.mkdir()
        parquet(folder / "part.parquet", f"SELECT 'x' AS t, 'y{fold}' AS s")
    (tmp_path / "_SUCCESS").touch()
    tables = read_tables(tmp_path, truth="t", system="s", by="fold").by_group

    assert list(tables) == [("02",), ("1",), ("a b",)]
    assert tables["02",]["s"].system_labels == ("y02",)


@pytest.mark.parametrize("form", ["csv", "parquet", "ndjson", "feather", "frame"])
def test_hostile_column_names_stay_names(tmp_path: Path, form: str) -> None:
    if form == "feather":
        pytest.importorskip("pyarrow")
    frame = pl.DataFrame({HOSTILE: ["a", "b"], "s": ["a", HOSTILE], "Truth": ["x", "x"], "truth": ["y", "y"]})
    path = tmp_path / f"log.{form}"
    write = {
        "csv": frame.write_csv,
        "parquet": frame.write_parquet,
        "ndjson": frame.write_ndjson,
        "feather": frame.write_ipc,
    }
    if form in write:
        write[form](path)
    source = frame if form == "frame" else path

    assert HOSTILE in read(source, truth=HOSTILE, system="s").system_labels
    assert read_tables(source, truth="truth", system="s", by=HOSTILE).by_group["a",]["s"].truth_labels == ("y",)
    assert read(source, truth="Truth", system="s").truth_labels == ("x",)


@pytest.mark.parametrize(
    "name", ["[a].csv", "we*ird.csv", "b?.csv", "q'uo\"te.csv", "sp ace;--.csv", "ünï.csv", "~x.csv"]
)
def test_hostile_file_names_mean_one_file(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for other in ("a.csv", "weXird.csv", "bc.csv"):
        (tmp_path / other).write_text("t,s\nwrong,wrong\n")
    (tmp_path / name).write_text("t,s\nright,right\n")
    monkeypatch.chdir(tmp_path)

    assert read(name, truth="t", system="s").truth_labels == ("right",)
    assert read(tmp_path / name, truth="t", system="s").truth_labels == ("right",)


@pytest.mark.parametrize(
    ("truth", "system", "clean"),
    [
        ([1, 2], ["1", "2"], "text"),
        ([1, 2], ["1", "02"], "number"),
        ([True, False], [1, 0], "number"),
        (["true", "false"], [True, False], "text"),
    ],
)
def test_lookalikes_are_rejected_until_one_type_is_asked_for(truth: list, system: list, clean: str) -> None:
    frame = pl.DataFrame({"t": truth, "s": system})
    with pytest.raises(InputError, match="look alike"):
        read(frame, truth="t", system="s")

    assert read(frame, truth="t", system="s", clean=clean).counts.tolist() == [[1, 0], [0, 1]]


@pytest.mark.slow
def test_memory_limit_spills_and_counts_the_same(tmp_path: Path) -> None:
    path = parquet(
        tmp_path / "a.parquet",
        "SELECT 'label number ' || (hash(i) % 50000) AS t, 'label number ' || (hash(i + 1) % 50000) AS s "
        "FROM range(300000) r(i)",
    )
    table = read(path, truth="t", system="s", read=ReadOptions(memory="80MB", threads=1))

    assert table.is_sparse
    assert table.total == 300_000
    (cells,) = duckdb.execute(f"SELECT count(*) FROM (SELECT DISTINCT t, s FROM '{path}')").fetchone()
    assert len(table.cells) == cells


SLOW = """
import resource, signal, sys
from infoscope.readers import ReadOptions, read
from infoscope.errors import InputError
signal.signal(signal.SIGINT, signal.default_int_handler)  # a child inherits what is ignored
if len(sys.argv) > 3:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
print("ready", flush=True)
try:
    read(sys.argv[1], truth="t", system="s", read=ReadOptions(memory=sys.argv[2], threads=2))
except KeyboardInterrupt:
    sys.exit(130)
except InputError as error:
    print(error)
    sys.exit(2)
"""


@pytest.fixture(scope="module")
def heavy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return parquet(
        tmp_path_factory.mktemp("heavy") / "heavy.parquet",
        "SELECT hash(i)::VARCHAR || hash(i + 1)::VARCHAR AS t, hash(i + 2)::VARCHAR || hash(i)::VARCHAR AS s "
        "FROM range(1500000) r(i)",
    )


def started(heavy: Path, scratch: Path, *more: str) -> subprocess.Popen[str]:
    scratch.mkdir()
    env = {**os.environ, "TMPDIR": str(scratch), "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.Popen([sys.executable, "-c", SLOW, str(heavy), *more], stdout=subprocess.PIPE, text=True, env=env)


@pytest.mark.slow
def test_full_disk_while_spilling(heavy: Path, tmp_path: Path) -> None:
    process = started(heavy, tmp_path / "scratch", "200MB", "small files")
    output, _ = process.communicate(timeout=120)

    assert process.returncode == 2, output
    assert "no more room in" in output
    assert "point TMPDIR to a larger disk" in output
    assert list((tmp_path / "scratch").iterdir()) == []


@pytest.mark.slow
def test_too_little_memory_is_told(heavy: Path, tmp_path: Path) -> None:
    process = started(heavy, tmp_path / "scratch", "40MB")
    output, _ = process.communicate(timeout=120)

    assert process.returncode == 2, output
    assert "raise the memory limit" in output


@pytest.mark.slow
def test_interrupt_leaves_nothing_behind(heavy: Path, tmp_path: Path) -> None:
    for attempt in range(3):  # on a busy machine it may have ended before it is interrupted
        scratch = tmp_path / f"scratch{attempt}"
        process = started(heavy, scratch, "200MB")
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        while not list(scratch.glob("infoscope-*/spill")) and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=120)
        assert list(scratch.iterdir()) == []
        if process.returncode:
            break

    assert process.returncode == 130


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_request_to_end_leaves_nothing_behind(number: signal.Signals, heavy: Path, tmp_path: Path) -> None:
    if signal.getsignal(number) == signal.SIG_IGN:
        pytest.skip("this signal is ignored here, and processes inherit that")
    scratch, target = tmp_path / "scratch", tmp_path / "part.ifs"
    scratch.mkdir()
    env = {**os.environ, "TMPDIR": str(scratch), "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [
        "count",
        str(heavy),
        "-t",
        "t",
        "-s",
        "s",
        "-o",
        str(target),
        "--read",
        "memory=200MB,threads=2",
    ]
    process = subprocess.Popen(
        [sys.executable, "-m", "infoscope", *command],
        stderr=subprocess.PIPE,
        text=True,
        env=env,
        start_new_session=True,
    )
    end = time.monotonic() + 120
    while not list(scratch.glob("infoscope-*/spill")) and time.monotonic() < end:
        time.sleep(0.01)
    process.send_signal(number)
    _, said = process.communicate(timeout=120)

    assert process.returncode == 128 + number
    assert said == "infoscope: terminated\n"
    assert list(scratch.iterdir()) == []
    assert not target.exists()
    with pytest.raises(ProcessLookupError):  # nobody of its session is left
        os.killpg(process.pid, 0)


def test_progress_is_silent_in_pipes(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("infoscope.readers.progress._PATIENCE", 0.0)
    monkeypatch.setattr("infoscope.readers.progress._TICK", 0.01)
    with show_progress("counting", lambda: 50.0):
        time.sleep(0.05)
    assert capsys.readouterr().err == ""

    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    shown, end = "", time.monotonic() + 60
    with show_progress("counting", lambda: 50.0):
        while "50%" not in shown and time.monotonic() < end:
            time.sleep(0.01)
            shown += capsys.readouterr().err
    shown += capsys.readouterr().err
    assert "50%" in shown
    assert shown.endswith("\x1b[2K")  # the line is wiped
    assert "\x1b[?25l" not in shown  # the cursor stays: a process that is killed could not bring it back


def test_progress_has_one_line_for_whoever_was_first(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("infoscope.readers.progress._PATIENCE", 0.0)
    monkeypatch.setattr("infoscope.readers.progress._TICK", 0.01)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    shown, end = "", time.monotonic() + 60
    with show_progress("outer", lambda: 50.0), show_progress("inner", lambda: 70.0):
        while shown.count("outer") < 5 and time.monotonic() < end:
            time.sleep(0.01)
            shown += capsys.readouterr().err
    assert "outer" in shown
    assert "inner" not in shown
    with show_progress("next", lambda: 20.0):
        while "next" not in shown and time.monotonic() < end:
            time.sleep(0.01)
            shown += capsys.readouterr().err
    assert "next" in shown


EARLY_BAR = """
import duckdb, sys
connect = duckdb.connect
class Early:
    def __init__(self, connection):
        self.connection = connection
    def cursor(self):
        return Early(self.connection.cursor())
    def execute(self, query, *values):
        if not query.startswith(("SET", "RESET")):
            self.connection.execute("SET progress_bar_time = 0")
        return self.connection.execute(query, *values)
    def __enter__(self):
        return self
    def __exit__(self, *_):
        self.connection.close()
    def __getattr__(self, name):
        return getattr(self.connection, name)
duckdb.connect = lambda **settings: Early(connect(**settings))
from infoscope.readers import ReadOptions, read
read(sys.argv[1], truth="t", system="s", read=ReadOptions(threads=1))
"""


@pytest.mark.slow
def test_the_engine_prints_nothing_itself(tmp_path: Path) -> None:
    """Its own bar appears after two seconds; here it would at once."""
    log = tmp_path / "log.csv"
    duckdb.execute(f"COPY (SELECT 'class ' || i % 50 AS t, 's' AS s FROM range(20000) r(i)) TO '{log}'")
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", EARLY_BAR, str(log)], capture_output=True, env=env, check=True)

    assert done.stdout == b""
    assert done.stderr == b""


@pytest.mark.parametrize(
    ("text", "counts", "truth", "system"),
    [
        (",cat,dog\ncat,5,1\ndog,2,7\n", [[5, 1], [2, 7]], ("cat", "dog"), ("cat", "dog")),
        (
            "truth\tcat\tdog\tnone\ncat\t5\t1\t0\ndog\t2\t7\t3\n",
            [[5, 1, 0], [2, 7, 3]],
            ("cat", "dog"),
            ("cat", "dog", "none"),
        ),
        ("5,1\n2,7\n", [[5, 1], [2, 7]], (0, 1), (0, 1)),
        ("5 1\n2 7\n", [[5, 1], [2, 7]], (0, 1), (0, 1)),
    ],
)
def test_matrix_files(tmp_path: Path, text: str, counts: list, truth: tuple, system: tuple) -> None:
    path = tmp_path / "m.csv"
    path.write_text(text)
    table = read_matrix(path)

    assert table.counts.tolist() == counts
    assert table.truth_labels == truth
    assert table.system_labels == system


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (",cat,dog\ncat,5\n", "row 2 has 1 counts and 2 are required"),
        (",cat,dog\ncat,5,many\n", "row 2 has 'many' as a count"),
        ("", "is empty"),
        ("5,-1\n2,7\n", "-1"),
    ],
)
def test_bad_matrix_files(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "m.csv"
    path.write_text(text)

    with pytest.raises(InputError, match=sentence):
        read_matrix(path)


def test_reject_column_of_a_matrix(tmp_path: Path) -> None:
    path = tmp_path / "m.csv"
    path.write_text(",cat,none,dog\ncat,5,1,2\ndog,2,7,1\n")

    assert read_matrix(path, reject="none").reject == "none"


def test_an_interrupt_of_spark_is_not_logged_as_an_error(caplog: pytest.LogCaptureFixture) -> None:
    with quiet_bridge():
        logging.error("KeyboardInterrupt while sending command.")
        logging.error("something else")
        for name in ("py4j.clientserver", "py4j.java_gateway"):
            logging.getLogger(name).error("no connection", exc_info=BrokenPipeError("Broken pipe"))
    logging.error("KeyboardInterrupt while sending command.")

    assert caplog.messages == ["something else", "KeyboardInterrupt while sending command."]


def test_a_fault_that_the_engine_finds_while_it_hands_out_rows_is_a_sentence(tmp_path: Path) -> None:
    """It looks at the bytes of text only then."""

    class Answer:
        def __getattr__(self, _name: str) -> Any:
            raise duckdb.InvalidInputException("Invalid Input Error: Invalid unicode (byte sequence mismatch)")

    class Connection:
        query_progress = None

        def execute(self, _sql: str, _values: Any) -> Answer:
            return Answer()

    session = Session(cast("Any", Connection()), tmp_path, "log.parquet")
    for ask in (session.rows, session.row, session.arrays):
        with pytest.raises(
            InputError, match=r"log.parquet cannot be read: Invalid unicode .*; if it is damaged, fetch"
        ):
            ask("SELECT 1")


def test_text_over_which_the_engine_ends_itself_is_not_counted_again_without_the_look_at_its_last_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_files: Any, _query: Any, _folder: Path, native: bool | None) -> list[Any]:
        if native is False:
            return []
        raise EngineError("it ended itself")

    monkeypatch.setattr(duckdb_engine, "_count_as_they_are", fail)
    path = tmp_path / "log.csv.gz"
    path.write_bytes(gzip.compress(b"t,s\na,b\n"))
    with pytest.raises(InputError, match="it ended itself"):
        read(path, truth="t", system="s")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=repr)
@pytest.mark.parametrize("last", [True, False], ids=["ended", "open"])
def test_any_line_end_without_a_header_and_of_the_first_rows(end: str, last: bool, tmp_path: Path) -> None:
    """The header that is put before the rows ends as they do: engines take one line end for all lines."""
    path = tmp_path / "a.csv"
    rows = end.join(["a,a", "b,b", '"a",b'] * 2) + end * last
    for before in ("", end, end * 2):
        path.write_text(before + rows, newline="")
        assert read(path, truth="0", system="1", read=ReadOptions(header=False)).total == 6
        path.write_text(f"{before}t,s{end}{rows}", newline="")
        for most in (4, 9):
            assert read(path, truth="t", system="s", read=ReadOptions(max_rows=most)).total == min(most, 6)
