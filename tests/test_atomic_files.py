"""Every output is written whole or not at all, under a name at which no link can be planted."""

import os
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import infoscope as ifs
from infoscope import ConfusionDisplay, Contingency, read_tables
from infoscope.core import files as atomic_files
from infoscope.errors import InputError
from tests.api import app, check_target, output_file, remove_unfinished, write_file

TABLE = Contingency.from_labels(["a", "b", "a"], ["a", "b", "b"])


def log(folder: Path) -> Path:
    path = folder / "log.csv"
    path.write_text("gold,svm,knn,p\n" + "a,a,b,0.1\nb,b,b,0.8\na,b,a,0.3\n" * 20)
    return path


def picture(path: Path) -> None:
    if path.suffix != ".svg":
        pytest.importorskip("matplotlib")
    ConfusionDisplay.from_table(TABLE).save(path)


WRITERS: dict[str, Callable[[Path, Path], object]] = {
    "a.html": lambda path, _: ifs.evaluate(TABLE).to_html(path),
    "b.html": lambda path, _: ifs.agreement({"x": ["a", "b"] * 9, "y": ["a", "a"] * 9}, draws=10).to_html(path),
    "a.svg": lambda path, _: picture(path),
    "a.png": lambda path, _: picture(path),
    "a.pdf": lambda path, _: picture(path),
    "a.ifs": lambda path, _: TABLE.save(path),
    "b.ifs": lambda path, source: read_tables(source, truth="gold", system=["svm", "knn"]).save(path),
    "a.json": lambda path, source: command("evaluate", source, "-t", "gold", "-s", "svm", "-o", path),
    "a.md": lambda path, source: command("compare", source, "-t", "gold", "-s", "svm", "-s", "knn", "-o", path),
    "a.txt": lambda path, source: command("gate", source, "-t", "gold", "-s", "svm", "--min", "accuracy=0", "-o", path),
    "s.md": lambda path, source: command("sweep", source, "-t", "gold", "--score", "p", "--positive", "b", "-o", path),
    "c.ifs": lambda path, source: command("count", source, "-t", "gold", "-s", "svm", "-o", path),
}


def command(*words: object) -> None:
    result = CliRunner().invoke(app, list(map(str, words)))
    if result.exit_code == 2:
        raise InputError(result.stderr)
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize("name", list(WRITERS))
def test_every_writer_avoids_links_and_keeps_the_umask(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, folder = log(tmp_path), tmp_path / "out"
    folder.mkdir()
    victim = tmp_path / "victim"
    victim.write_text("precious")
    for planted in (f".{name}.part", f"{name}.tmp", f"tmp_{name}", f".{name}"):
        (folder / planted).symlink_to(victim)
    before = set(folder.iterdir())
    made: list[tuple[str, int]] = []
    opened = os.open

    def spied(path: object, flags: int, *more: int, **options: object) -> int:
        if str(path).startswith(str(folder)) and flags & os.O_CREAT:
            made.append((Path(str(path)).name, flags))
        return opened(path, flags, *more, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(atomic_files.os, "open", spied)
    mask = os.umask(0o027)
    try:
        WRITERS[name](folder / name, source)
    finally:
        os.umask(mask)

    assert victim.read_text() == "precious"
    assert set(folder.iterdir()) - before == {folder / name}
    assert stat.S_IMODE((folder / name).stat().st_mode) == 0o640
    assert len(made) == 1
    assert made[0][1] & os.O_EXCL
    assert name not in made[0][0]


@pytest.mark.parametrize("name", list(WRITERS))
def test_every_writer_leaves_nothing_when_it_fails(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, folder = log(tmp_path), tmp_path / "out"
    folder.mkdir()

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    monkeypatch.setattr(atomic_files.os, "link", full)
    with pytest.raises(InputError, match=r"cannot write .*: the disk is full"):
        WRITERS[name](folder / name, source)
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("name", list(WRITERS))
def test_a_link_is_followed_and_stays(name: str, tmp_path: Path) -> None:
    source, folder = log(tmp_path), tmp_path / "elsewhere"
    folder.mkdir()
    link, place = tmp_path / name, folder / f"real{Path(name).suffix}"
    link.symlink_to(place)
    WRITERS[name](link, source)

    assert link.is_symlink()
    assert place.stat().st_size > 0
    assert list(folder.iterdir()) == [place]

    lost = tmp_path / f"lost{Path(name).suffix}"
    lost.symlink_to(tmp_path / "nowhere" / name)
    with pytest.raises(InputError, match=r"there is no folder .*nowhere .*link to"):
        WRITERS[name](lost, source)
    lost.unlink()
    lost.symlink_to(lost)
    with pytest.raises(InputError, match="link that leads nowhere"):
        WRITERS[name](lost, source)


def test_a_link_of_another_user_in_a_shared_folder_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    (shared / "a.html").symlink_to(tmp_path / "victim")
    monkeypatch.setattr(atomic_files.os, "geteuid", lambda: os.getuid() + 1)
    assert check_target(shared / "a.html") == tmp_path / "victim"  # the owner of the folder is trusted
    if os.getuid() == 0:
        os.lchown(shared / "a.html", 12345, 12345)
        with pytest.raises(InputError, match="link that another user made"):
            check_target(shared / "a.html")


def test_an_interrupt_removes_the_file(tmp_path: Path) -> None:
    def interrupted() -> None:
        with output_file(tmp_path / "a", replace=True) as path:
            path.write_bytes(b"half")
            assert list(tmp_path.iterdir()) == [path]
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert list(tmp_path.iterdir()) == []

    with output_file(tmp_path / "a", replace=True) as path:
        remove_unfinished()
        assert not path.exists()
        path.touch()


def test_a_file_that_appears_meanwhile_is_kept(tmp_path: Path) -> None:
    target = tmp_path / "a"

    def late() -> None:
        with output_file(target, replace=False) as path:
            path.write_bytes(b"new")
            target.write_text("somebody else's")

    with pytest.raises(InputError, match="exists already"):
        late()
    assert target.read_text() == "somebody else's"
    write_file(target, "new", replace=True)
    assert target.read_text() == "new"
    assert list(tmp_path.iterdir()) == [target]


def test_file_systems_without_hard_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object) -> None:
        raise OSError(1, "Operation not permitted")

    monkeypatch.setattr(atomic_files.os, "link", unknown)
    write_file(tmp_path / "a", "one", replace=False)
    with pytest.raises(InputError, match="exists already"):
        write_file(tmp_path / "a", "two", replace=False)
    assert (tmp_path / "a").read_text() == "one"


@pytest.mark.slow
def test_a_reader_sees_the_old_file_or_the_new_one(tmp_path: Path) -> None:
    target, contents = tmp_path / "a", (b"a" * 300_000, b"b" * 200_000)
    write_file(target, contents[0], replace=True)
    done = threading.Event()
    seen: set[bytes] = set()

    def reading() -> None:
        while not done.is_set():
            seen.add(target.read_bytes())

    reader = threading.Thread(target=reading)
    reader.start()
    for at in range(100):
        write_file(target, contents[at % 2], replace=True)
    done.set()
    reader.join()

    assert seen <= set(contents)


@pytest.mark.slow
def test_pipes_and_devices_are_written_to_and_not_replaced(tmp_path: Path) -> None:
    fifo = tmp_path / "a.ifs"
    os.mkfifo(fifo)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(fifo.read_bytes()))
    reader.start()
    TABLE.save(fifo)
    reader.join()
    copy = tmp_path / "copy.ifs"
    copy.write_bytes(read[0])

    np.testing.assert_array_equal(Contingency.load(copy).counts, TABLE.counts)
    assert stat.S_ISFIFO(fifo.stat().st_mode)
    words = ["evaluate", str(log(tmp_path)), "-t", "gold", "-s", "svm", "--format", "json", "-o"]
    run = [sys.executable, "-m", "infoscope", *words]
    printed = subprocess.run([*run, "/dev/stdout"], capture_output=True, text=True, check=True)
    assert printed.stdout.startswith("{")
    rejected = subprocess.run([*run, "/dev/full"], capture_output=True, text=True, check=False)
    assert (rejected.returncode, rejected.stderr) == (
        2,
        "infoscope: cannot write /dev/full: the disk is full; choose another place\n",
    )


def test_long_names_can_be_written(tmp_path: Path) -> None:
    target = tmp_path / ("x" * 250 + ".html")
    ifs.evaluate(TABLE).to_html(target)

    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.slow
def test_only_our_own_files_are_replaced_unasked(tmp_path: Path) -> None:
    page, drawn = tmp_path / "a.html", tmp_path / "a.svg"
    for path, write in ((page, ifs.evaluate(TABLE).to_html), (drawn, ConfusionDisplay.from_table(TABLE).save)):
        path.write_text("mine")
        with pytest.raises(InputError, match="exists and is no"):
            write(path)
        assert path.read_text() == "mine"
        write(path, force=True)
        write(path)
