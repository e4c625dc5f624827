"""Counted parts merge to the table of all rows, whatever was counted where."""

from pathlib import Path

import pytest

from infoscope import Contingency, read, read_tables
from infoscope.errors import InputError, UnknownNameError

LINES = ["cat,cat,dog,1,a", "cat,dog,dog,2,a", "dog,dog,,1,b", ",dog,dog,1,b", "bird,cat,bird,4,a"]
HEADER = "gold,svm,knn,w,fold\n"


def log(path: Path, lines: list[str]) -> Path:
    path.write_text(HEADER + "".join(line + "\n" for line in lines))
    return path


def equal(one: Contingency, other: Contingency) -> bool:
    return (
        one.truth_labels == other.truth_labels
        and one.system_labels == other.system_labels
        and (one.counts == other.counts).all()
        and dict(one.ignored) == dict(other.ignored)
        and one.weight_squares == other.weight_squares
        and one.reject == other.reject
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [{}, {"weight": "w"}, {"by": "fold"}, {"by": ["fold", "knn"]}, {"reject": "dog"}, {"weight": "w", "by": "fold"}],
    ids=str,
)
@pytest.mark.parametrize("systems", ["svm", ["svm", "knn"], ["svm"]], ids=str)
def test_parts_add_up_to_the_whole(tmp_path: Path, systems: str | list[str], options: dict[str, object]) -> None:
    if "knn" in str(options) and "knn" in systems:
        pytest.skip("a column is a group or a system")
    lines = [line for line in LINES if "reject" not in options or not line.startswith("dog")]
    for i, some in enumerate((lines[:2], lines[2:3], lines[3:])):
        part = log(tmp_path / f"{i}.csv", some)
        counted = read_tables(part, truth="gold", system=systems, **options)
        counted.save(tmp_path / f"{i}.ifs")
    merged = read_tables(str(tmp_path / "*.ifs"))
    whole = read_tables(log(tmp_path / "all.csv", lines), truth="gold", system=systems, **options)

    assert merged.by == whole.by
    assert set(merged.by_group) == set(whole.by_group)
    assert merged.ignored == whole.ignored
    for group, tables in whole.by_group.items():
        assert all(equal(merged.by_group[group][name], table) for name, table in tables.items())


def test_parts_that_are_split_otherwise_do_not_merge(tmp_path: Path) -> None:
    for by in ("fold", "knn"):
        counted = read_tables(log(tmp_path / "a.csv", LINES), truth="gold", system="svm", by=by)
        counted.save(tmp_path / f"{by}.ifs")

    with pytest.raises(InputError, match=r"split by 'fold' and .* by 'knn'"):
        read(str(tmp_path / "*.ifs"))


def test_one_table_is_a_saved_table_that_knows_its_system(tmp_path: Path) -> None:
    reading = read_tables(log(tmp_path / "a.csv", LINES), truth="gold", system="svm")
    reading.save(tmp_path / "a.ifs")

    assert equal(Contingency.load(tmp_path / "a.ifs"), reading.by_group[()]["svm"])
    assert list(read_tables(tmp_path / "a.ifs").by_group[()]) == ["svm"]
    assert equal(read(tmp_path / "a.ifs"), reading.by_group[()]["svm"])


def test_systems_can_be_picked(tmp_path: Path) -> None:
    read_tables(log(tmp_path / "a.csv", LINES), truth="gold", system=["svm", "knn"]).save(tmp_path / "a.ifs")

    assert list(read_tables(tmp_path / "a.ifs", system=["knn"])) == [((), "knn")]
    with pytest.raises(UnknownNameError, match="no system 'cnn'; did you mean 'knn'"):
        read(tmp_path / "a.ifs", system="cnn")


def test_text_and_numbers_do_not_add(tmp_path: Path) -> None:
    import polars as pl

    read_tables(pl.DataFrame({"t": [1], "s": [1]}), truth="t", system="s").save(tmp_path / "a.ifs")
    read_tables(pl.DataFrame({"t": ["1"], "s": ["1"]}), truth="t", system="s").save(tmp_path / "b.ifs")

    with pytest.raises(InputError, match=r"b\.ifs does not add to the files before it"):
        read([tmp_path / "a.ifs", tmp_path / "b.ifs"])


def test_damaged_and_foreign_files_are_rejected(tmp_path: Path) -> None:
    good = tmp_path / "a.ifs"
    read_tables(log(tmp_path / "a.csv", LINES), truth="gold", system=["svm", "knn"]).save(good)
    (tmp_path / "cut.ifs").write_bytes(good.read_bytes()[:-20])
    (tmp_path / "text.ifs").write_text("not a table")

    for name in ("cut.ifs", "text.ifs"):
        with pytest.raises(InputError, match="is not a whole file of tables"):
            read(tmp_path / name)


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "a.ifs"
    target.write_text("old")
    reading = read_tables(log(tmp_path / "a.csv", LINES), truth="gold", system=["svm", "knn"])
    monkeypatch.setattr("infoscope.readers.ifs_parts.write_parquet", lambda *_: 1 / 0)

    with pytest.raises(ZeroDivisionError):
        reading.save(target)
    assert target.read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.csv", "a.ifs"]


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2), (1, 2, 0)])
def test_nights_without_a_rejected_answer_add_to_nights_with_one(tmp_path: Path, order: tuple[int, ...]) -> None:
    import polars as pl

    for i, answers in enumerate(([1, -1, 2], [1, 1, 2], [])):
        frame = {"t": pl.Series([1, 1, 2][: len(answers)], dtype=pl.Int64), "s": pl.Series(answers, dtype=pl.Int64)}
        read_tables(pl.DataFrame(frame), truth="t", system="s", reject="-1").save(tmp_path / f"{i}.ifs")
    table = read([tmp_path / f"{i}.ifs" for i in order])

    assert table.reject == -1
    assert table.counts.tolist() == [[3, 0, 1], [0, 2, 0]]


@pytest.mark.parametrize("joint", [False, True])
def test_groups_spell_the_reject_label_alike(joint: bool) -> None:
    import polars as pl

    from tests.api import Query, read_together

    frame = pl.DataFrame({"t": [1, 2, None], "s": [1, -1, 3], "f": ["a", "b", "c"]})
    if joint:
        frame = frame.with_columns(who=pl.lit("p"))
        asked = Query("t", ("s",), by=("f",), groups="who", reject="-1")
        tables = read_together(frame, asked).reading.by_group
    else:
        tables = read_tables(frame, truth="t", system=["s"], by="f", reject="-1").by_group

    assert [table["s"].reject for table in tables.values()] == [-1, -1, -1]


@pytest.mark.parametrize(
    ("wish", "sentence"),
    [
        ({"reject": "dog"}, "was counted with no reject label and not with 'dog'"),
        ({"positive": "dog"}, "was counted with no positive label and not with 'dog'"),
        ({"by": "fold"}, "is split by nothing and not by 'fold'"),
        ({"weight": "w"}, "weight was decided then"),
        ({"clean": "strip"}, "cleaning was decided then"),
    ],
)
def test_what_was_decided_when_counting_is_not_ignored(tmp_path: Path, wish: dict[str, str], sentence: str) -> None:
    from infoscope import evaluate

    read_tables(log(tmp_path / "a.csv", LINES), truth="gold", system="svm").save(tmp_path / "a.ifs")

    for reads in (read_tables, evaluate):
        with pytest.raises(InputError, match=sentence):
            reads(tmp_path / "a.ifs", **wish)


def test_a_positive_class_that_no_row_has_is_answered_with_the_classes(tmp_path: Path) -> None:
    Contingency.from_labels(["cat", "dog"], ["cat", "cat"]).save(tmp_path / "a.ifs")

    assert read(tmp_path / "a.ifs", positive="cat").positive == "cat"
    with pytest.raises(InputError, match=r"positive label 'zebra' is not among the classes \('cat', 'dog'\)"):
        read(tmp_path / "a.ifs", positive="zebra")


def test_what_was_said_when_counting_may_be_said_again(tmp_path: Path) -> None:
    lines = [line for line in LINES if not line.startswith("dog")]
    read_tables(log(tmp_path / "a.csv", lines), truth="gold", system="svm", by="fold", reject="dog").save(
        tmp_path / "a.ifs"
    )

    assert list(read_tables(tmp_path / "a.ifs", by="fold", reject="dog").by_group) == [("a",), ("b",)]


def test_signs_in_a_name_are_no_pattern(tmp_path: Path) -> None:
    table = Contingency.from_labels(["a", "b"], ["a", "a"])
    for name in ("ab.ifs", "a*.ifs", "a[b].ifs", "a?.ifs"):
        table.save(tmp_path / name)

    for name in ("a*.ifs", "a[b].ifs", "a?.ifs"):
        assert equal(Contingency.load(tmp_path / name), table)
        assert equal(read(tmp_path / name), table)


@pytest.mark.parametrize("label", [2**63 + 5, -(2**70), "half \ud800 of a sign"])
@pytest.mark.parametrize("several", [False, True])
def test_labels_that_parquet_lacks_are_kept(tmp_path: Path, label: int | str, several: bool) -> None:
    from infoscope import Tables

    table = Contingency.from_labels([label], [label])
    tables = {"one": table, "two": table} if several else {"one": table}
    Tables({(): tables}, 1, {}).save(tmp_path / "a.ifs")

    assert next(iter(read_tables(tmp_path / "a.ifs").by_group[()].values())).truth_labels == (label,)


def test_places_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reading = read_tables(log(tmp_path / "a.csv", LINES), truth="gold", system="svm")
    (tmp_path / "folder.ifs").mkdir()
    with pytest.raises(InputError, match="it is a folder"):
        reading.save(tmp_path / "folder.ifs")
    with pytest.raises(InputError, match="it is a folder"):
        reading.by_group[()]["svm"].save(tmp_path / "folder.ifs")

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("infoscope.core.files.os.open", full)
    for save in (reading.save, reading.by_group[()]["svm"].save):
        with pytest.raises(InputError, match=r"cannot write .*b\.ifs: (the disk is full|No space left)"):
            save(tmp_path / "b.ifs")
