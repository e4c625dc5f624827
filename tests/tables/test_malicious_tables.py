"""Stored tables of unknown origin: the table that was saved, or rejected in a sentence that names the file."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyarrow")

import pyarrow.parquet as pq
from click.testing import CliRunner

from infoscope import Contingency, InputError, read, read_tables
from tests.api import app, ifs_file, load_parts
from tests.tables import malicious

TABLES: dict[str, Contingency] = {
    "text with a reject label": Contingency.from_labels(
        ["cat", "dog", "cow", None, "cat"], ["cat", "cow", "dog", "dog", "?"], reject="?", positive="cat"
    ),
    "weights of numbers in an order": Contingency.from_labels(
        [2, 0.5, 1], [1.0, 0.5, 2], sample_weight=[0.25, 3, 1], labels=[2, 0.5, 1]
    ),
    "dates": Contingency.from_labels([dt.date(2020, 1, 2), dt.date(2021, 3, 4)], [dt.date(2020, 1, 2)] * 2),
    "kinds that mix": Contingency.from_labels([1, 2, 2], [1, 2, "none"], reject="none"),
}


def saved_table(folder: Path, name: str) -> tuple[Path, Callable[[Path], Any]]:
    path = folder / "whole.ifs"
    TABLES[name].save(path)
    return path, Contingency.load


def saved_parts(folder: Path) -> tuple[Path, Callable[[Path], Any]]:
    (folder / "rows.csv").write_text("gold,svm,knn,day\n" + "x,y,x,1\ny,y,x,2\nx,x,x,1\n" * 3)
    path = folder / "whole.ifs"
    read_tables(folder / "rows.csv", truth="gold", system=["svm", "knn"], by="day").save(path)
    return path, lambda file: load_parts([file]).tables


def verdict(load: Callable[[Path], Any], path: Path, original: Any) -> str | None:
    """Return the fault in how a file was read; None without one."""
    try:
        found = load(path)
    except InputError as error:
        sentence = str(error)
        return None if str(path) in sentence and len(sentence.splitlines()) == 1 and len(sentence) < 700 else sentence
    except BaseException as error:  # whatever else comes out is what is looked for
        return f"{type(error).__name__}: {error}"
    return None if found == original else f"loaded as {found!r}"


def tried(path: Path, load: Callable[[Path], Any], files: Iterator[malicious.Changed]) -> tuple[int, dict[str, str]]:
    original = load(path)
    bad = path.with_name("bad.ifs")
    verdicts = {}
    for name, table in files:
        pq.write_table(table, bad)
        verdicts[name] = verdict(load, bad, original)
    return len(verdicts), {name: fault for name, fault in verdicts.items() if fault is not None}


@pytest.mark.slow
@pytest.mark.parametrize("name", TABLES)
def test_a_changed_table_is_rejected_or_the_same(name: str, tmp_path: Path) -> None:
    path, load = saved_table(tmp_path, name)
    table = pq.read_table(path)
    files = (file for change in (malicious.changed_columns, malicious.changed_types) for file in change(table))
    number, faults = tried(path, load, files)

    assert number > 50
    assert faults == {}


@pytest.mark.slow
def test_changed_metadata_is_rejected_or_means_the_same(tmp_path: Path) -> None:
    path, load = saved_table(tmp_path, "text with a reject label")

    number, faults = tried(path, load, malicious.changed_metadata(pq.read_table(path)))

    assert number > 120
    assert faults == {}


@pytest.mark.slow
def test_parts_are_rejected_or_the_same(tmp_path: Path) -> None:
    path, load = saved_parts(tmp_path)
    table = pq.read_table(path)
    few = (file for at, file in enumerate(malicious.changed_metadata(table)) if at % 12 == 0)
    every = (*malicious.changed_types(table), *few)

    number, faults = tried(path, load, iter(every))

    assert number > 60
    assert faults == {}


@pytest.mark.slow
@pytest.mark.parametrize("change", [malicious.changed_columns, malicious.changed_types, malicious.changed_metadata])
@pytest.mark.parametrize("saved", [lambda folder: saved_table(folder, "text with a reject label"), saved_parts])
def test_without_a_checksum_nothing_escapes_as_another_error(
    change: Callable[..., Iterator[malicious.Changed]], saved: Callable[..., Any], tmp_path: Path
) -> None:
    """Files as they were written before there was a checksum: a plausible lie may load, nothing impossible does."""
    path, load = saved(tmp_path)
    table = malicious.without_checksum(path)
    bad = tmp_path / "bad.ifs"
    odd = {}
    for name, changed in list(change(table))[::7]:
        pq.write_table(changed, bad)
        fault = verdict(load, bad, None)
        if fault is not None and (not fault.startswith("loaded as ") or not are_possible(load(bad))):
            odd[name] = fault

    assert odd == {}


def are_possible(found: Any) -> bool:
    tables = (
        [found] if isinstance(found, Contingency) else [each for group in found.values() for each in group.values()]
    )
    return all((table.cells >= 0).all() and table.total < float("inf") for table in tables)


@pytest.mark.slow
@pytest.mark.parametrize("saved", [lambda folder: saved_table(folder, "dates"), saved_parts])
def test_cut_and_flipped_files_are_rejected_or_the_same(saved: Callable[..., Any], tmp_path: Path) -> None:
    path, load = saved(tmp_path)
    original, bad = load(path), tmp_path / "bad.ifs"
    faults = {}
    for name, content in malicious.damaged(path.read_bytes(), 29):
        bad.write_bytes(content)
        fault = verdict(load, bad, original)
        if fault is not None:
            faults[name] = fault

    assert faults == {}


@pytest.mark.slow
def test_the_command_line_says_one_sentence_with_status_2(tmp_path: Path) -> None:
    path, _ = saved_table(tmp_path, "text with a reject label")
    bad = tmp_path / "bad.ifs"
    files = [*malicious.changed_columns(pq.read_table(path)), *malicious.changed_metadata(pq.read_table(path))]
    rejected = 0
    for name, table in files[::11]:
        pq.write_table(table, bad)
        found = CliRunner().invoke(app, ["evaluate", str(bad)])
        if found.exit_code == 0:
            continue
        rejected += 1
        assert found.exit_code == 2, (name, found.output, found.exception)
        assert found.stdout == "", name
        assert found.stderr.count("\n") == 1, name
        assert str(bad) in found.stderr, name
    assert rejected > 10


def test_many_equal_rows_are_rejected_before_they_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, load = saved_table(tmp_path, "text with a reject label")
    table = pq.read_table(path)
    pq.write_table(table.take([0] * 100_000), tmp_path / "bad.ifs")
    monkeypatch.setattr(ifs_file, "MANY_ROWS", 1_000)
    monkeypatch.setattr(ifs_file, "_assemble_table", lambda *_: pytest.fail("the rows were read"))

    with pytest.raises(InputError, match=r"bad\.ifs .* a cell has two rows"):
        load(tmp_path / "bad.ifs")


def test_negative_counts_name_what_is_wrong(tmp_path: Path) -> None:
    path, load = saved_table(tmp_path, "text with a reject label")
    for name, table in malicious.changed_columns(pq.read_table(path)):
        if name == "count 0 is -1.0":
            pq.write_table(table, tmp_path / "bad.ifs")

    with pytest.raises(InputError, match=r"bad\.ifs .* a count is -1\.0; counts are finite and not negative"):
        load(tmp_path / "bad.ifs")


@pytest.mark.parametrize("name", TABLES)
def test_honest_tables_come_back_whatever_writes_their_rows(name: str, tmp_path: Path) -> None:
    """Rows in another order, written by another tool: the checksum is of the table, not of the bytes."""
    path, load = saved_table(tmp_path, name)
    again = tmp_path / "again.ifs"
    table = pq.read_table(path)
    pq.write_table(table.take(list(range(len(table)))[::-1]), again, compression="gzip")

    assert load(again) == load(path) == TABLES[name]
    assert load(again).ignored == TABLES[name].ignored
    assert load(again).positive == TABLES[name].positive


def test_a_file_without_a_checksum_is_read(tmp_path: Path) -> None:
    path, load = saved_table(tmp_path, "kinds that mix")
    pq.write_table(malicious.without_checksum(path), tmp_path / "old.ifs")

    assert load(tmp_path / "old.ifs") == TABLES["kinds that mix"]
    assert read(os.fspath(tmp_path / "old.ifs")) == TABLES["kinds that mix"]
