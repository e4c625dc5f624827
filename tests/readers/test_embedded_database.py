"""One embedded database serves one reading after the other, as if each had a new one."""

import errno
import os
from pathlib import Path

import duckdb
import pytest

from infoscope import read
from infoscope.core import embedded_database as module
from infoscope.errors import InputError
from tests.api import embedded_database, write_parquet

SETTINGS = "SELECT current_setting('threads'), current_setting('temp_directory'), current_setting('memory_limit')"


@pytest.fixture(autouse=True)
def _none_at_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_idle", [])


def test_the_next_one_finds_nothing_of_the_last(tmp_path: Path) -> None:
    with embedded_database() as plain:
        usual = plain.execute(SETTINGS).fetchall()
    ((kept, _),) = module._idle
    with embedded_database(tmp_path / "spill", threads=1) as first:
        assert first.execute(SETTINGS).fetchall()[0][:2] == (1, str(tmp_path / "spill"))
        first.execute("SET preserve_insertion_order = false")
        first.execute("CREATE TEMP TABLE cells AS SELECT 1 AS n")
        first.execute("SET VARIABLE kept = 1")
    assert module._idle == [(kept, 1)]
    with embedded_database() as second:
        assert second.execute(SETTINGS).fetchall() == usual
        assert second.execute("SELECT current_setting('preserve_insertion_order'), getvariable('kept')").fetchall() == [
            (True, None)
        ]
        with pytest.raises(duckdb.CatalogException, match="cells"):
            second.execute("FROM cells")


@pytest.mark.parametrize(("asked", "is_reset"), [(1, False), (None, True), (3, False)])
def test_threads_are_changed_only_for_another_number(asked: int | None, is_reset: bool) -> None:
    """A change of their number stops and starts threads, and returns all free memory of the process to the system."""
    with embedded_database() as plain:
        usual = plain.execute(SETTINGS).fetchall()[0][0]
    with embedded_database(threads=1):
        pass
    kept = module._take_idle(asked)
    assert kept is not None
    assert kept.execute(SETTINGS).fetchall()[0][0] == (usual if is_reset else 1)
    module._idle.append((kept, asked))
    with embedded_database(threads=asked) as connection:
        assert connection.execute(SETTINGS).fetchall()[0][0] == (asked or usual)


def test_two_at_once_are_two() -> None:
    with embedded_database() as one, embedded_database() as other:
        one.execute("SET threads = 1")
        other.execute("SET threads = 3")
        assert one.execute(SETTINGS).fetchall() != other.execute(SETTINGS).fetchall()
    assert len(module._idle) == 1


def test_less_memory_spilling_and_interrupts_end_it(tmp_path: Path) -> None:
    with embedded_database(memory="1GB"):
        pass
    assert module._idle == []
    with embedded_database(tmp_path / "spill"):
        (tmp_path / "spill").mkdir()
    assert module._idle == []
    with pytest.raises(KeyboardInterrupt), embedded_database():
        raise KeyboardInterrupt
    assert module._idle == []
    with pytest.raises(duckdb.ParserException), embedded_database() as connection:
        connection.execute("no statement")
    assert len(module._idle) == 1


def test_one_that_a_fault_has_ended_is_replaced() -> None:
    with embedded_database():
        pass
    module._idle[0][0].close()
    with embedded_database() as other:
        assert other.execute("SELECT 1").fetchall() == [(1,)]


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_child_counts_with_a_database_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("gold,said\na,b\na,a\n")
    assert read(path, truth="gold", system="said").total == 2
    assert len(module._idle) == 1
    child = os.fork()
    if not child:
        os._exit(int(read(path, truth="gold", system="said").total) if not module._idle else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 2
    assert read(path, truth="gold", system="said").total == 2


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no disk that is always full")
def test_a_full_disk_is_told_as_other_writers_tell_it() -> None:
    with pytest.raises(OSError, match="No space left") as found:
        write_parquet([{"a": 1}], Path("/dev/full"))
    assert found.value.errno == errno.ENOSPC


def test_names_that_are_not_utf8(tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"\xff")
    try:
        folder.mkdir()
    except OSError:
        pytest.skip("the file system takes no such names")
    (folder / "log.csv").write_text("t,p\na,a\n")
    for act in (
        lambda: read(folder / "log.csv", truth="t", system="p"),
        lambda: write_parquet([{"a": 1}], folder / "rows.parquet"),
    ):
        with pytest.raises(InputError, match="this name, or that of its folder, is not UTF-8; rename it"):
            act()
