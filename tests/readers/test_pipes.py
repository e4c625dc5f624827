"""Sources that give their bytes only once (pipes, standard input, devices) count as a file with these bytes does."""

import gzip
import io
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest
import zstandard

from infoscope import ReadOptions, read, read_tables
from infoscope.errors import InputError, UnknownNameError
from tests.api import read_label_lists, read_matrix

ROWS = 60_000
TEXT = ("t,s\n" + "".join(f"class{i % 7},class{i % 5}\n" for i in range(ROWS))).encode()  # beyond a buffer of a pipe
PACK = {"plain": bytes, "gzip": gzip.compress, "zstd": zstandard.compress}


def fed(data: bytes, path: Path | int) -> Thread:
    def write() -> None:
        with open(path, "wb") as file:
            file.write(data)

    thread = Thread(target=write, daemon=True)
    thread.start()
    return thread


@pytest.fixture
def pipe() -> Iterator[tuple[str, int]]:
    read_end, write_end = os.pipe()
    yield f"/dev/fd/{read_end}", write_end
    os.close(read_end)


@pytest.mark.parametrize("form", PACK)
@pytest.mark.parametrize("word", ["csv", None])
def test_a_pipe_is_read_from_its_first_row(pipe: tuple[str, int], form: str, word: str | None) -> None:
    name, end = pipe
    thread = fed(PACK[form](TEXT), end)

    assert read(name, truth="t", system="s", read=ReadOptions(format=word)).total == ROWS
    thread.join()


@pytest.mark.parametrize("name", ["log.csv", "log.csv.gz", "log"])
def test_a_named_pipe_is_opened_once(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / name)
    thread = fed(gzip.compress(TEXT) if name.endswith("gz") else TEXT, tmp_path / name)
    table = read(tmp_path / name, truth="t", system="s")
    thread.join()

    assert table.total == ROWS
    assert len(table.truth_labels) == 7


def test_pipes_files_and_standard_input_in_one_list(
    tmp_path: Path, pipe: tuple[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TEXT)))
    (tmp_path / "log.csv").write_bytes(TEXT)
    thread = fed(TEXT, pipe[1])

    assert read_tables([tmp_path / "log.csv", "-", pipe[0]], truth="t", system="s").rows == 3 * ROWS
    thread.join()


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"t,s\na\n", r"^/dev/fd/\d+, line 2 has 1 field"),
        (b"t,x\na,b\n", r"^/dev/fd/\d+ has no column 's'"),
        (b"", r"^/dev/fd/\d+ is empty"),
    ],
)
def test_errors_name_the_pipe_and_not_its_copy(pipe: tuple[str, int], data: bytes, sentence: str) -> None:
    thread = fed(data, pipe[1])
    with pytest.raises((InputError, UnknownNameError), match=sentence):
        read(pipe[0], truth="t", system="s")
    thread.join()


def test_closed_standard_input_and_devices(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match=r"^/dev/null is empty"):
        read("/dev/null", truth="t", system="s")
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(InputError, match="standard input is closed"):
        read("-", truth="t", system="s")


def test_matrices_and_label_lists_come_through_pipes(tmp_path: Path, pipe: tuple[str, int]) -> None:
    thread = fed(b"5,1\n2,7\n", pipe[1])
    assert read_matrix(pipe[0]).counts.tolist() == [[5, 1], [2, 7]]
    thread.join()
    os.mkfifo(tmp_path / "gold.txt")
    thread = fed(b"a\tx\nb\ty\n", tmp_path / "gold.txt")
    assert len(read_label_lists(tmp_path / "gold.txt").objects) == 2
    thread.join()


@pytest.mark.slow
def test_process_substitution_and_dev_stdin_on_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_bytes(TEXT)
    infoscope = f"{sys.executable} -m infoscope count -t t -s s --read format=csv"
    script = f"{infoscope} <(cat log.csv) -o a.ifs && cat log.csv | {infoscope} /dev/stdin -o b.ifs"
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(["bash", "-c", script], cwd=tmp_path, env=env, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    assert done.stderr.count(f"{ROWS:,} rows to 1 table") == 2


def test_a_dangling_link_in_a_folder_is_not_passed_over(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"t,s\na,b\n")
    (tmp_path / "b.csv").symlink_to(tmp_path / "gone.csv")

    with pytest.raises(InputError, match=r"b\.csv cannot be read: No such file"):
        read(tmp_path, truth="t", system="s")
