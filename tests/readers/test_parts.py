"""Counted parts merge to the table of all rows, whatever was counted where."""

from pathlib import Path

import pytest

from infoscope.errors import InputError, UnknownNameError
from infoscope.readers import read, read_tables
from infoscope.tables import Contingency

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
        counted = read_tables(part, "gold", systems, **options)
        counted.save(tmp_path / f"{i}.ifs")
    merged = read_tables(str(tmp_path / "*.ifs"))
    whole = read_tables(log(tmp_path / "all.csv", lines), "gold", systems, **options)

    assert merged.by == whole.by
    assert set(merged.tables) == set(whole.tables)
    assert merged.ignored == whole.ignored
    for group, tables in whole.tables.items():
        assert all(equal(merged.tables[group][name], table) for name, table in tables.items())


def test_parts_that_are_split_otherwise_do_not_merge(tmp_path: Path) -> None:
    for by in ("fold", "knn"):
        counted = read_tables(log(tmp_path / "a.csv", LINES), "gold", "svm", by=by)
        counted.save(tmp_path / f"{by}.ifs")

    with pytest.raises(InputError, match=r"split by 'fold' and .* by 'knn'"):
        read(str(tmp_path / "*.ifs"))


def test_one_table_is_a_saved_table_that_knows_its_system(tmp_path: Path) -> None:
    reading = read_tables(log(tmp_path / "a.csv", LINES), "gold", "svm")
    reading.save(tmp_path / "a.ifs")

    assert equal(Contingency.load(tmp_path / "a.ifs"), reading.tables[()]["svm"])
    assert list(read_tables(tmp_path / "a.ifs").tables[()]) == ["svm"]
    assert equal(read(tmp_path / "a.ifs"), reading.tables[()]["svm"])


def test_systems_can_be_picked(tmp_path: Path) -> None:
    read_tables(log(tmp_path / "a.csv", LINES), "gold", ["svm", "knn"]).save(tmp_path / "a.ifs")

    assert list(read(tmp_path / "a.ifs", system=["knn"])) == ["knn"]
    with pytest.raises(UnknownNameError, match="no system 'cnn'; it has 'svm', 'knn'"):
        read(tmp_path / "a.ifs", system="cnn")


def test_text_and_numbers_do_not_add(tmp_path: Path) -> None:
    import polars as pl

    read_tables(pl.DataFrame({"t": [1], "s": [1]}), "t", "s").save(tmp_path / "a.ifs")
    read_tables(pl.DataFrame({"t": ["1"], "s": ["1"]}), "t", "s").save(tmp_path / "b.ifs")

    with pytest.raises(InputError, match=r"b\.ifs does not add to the files before it"):
        read([tmp_path / "a.ifs", tmp_path / "b.ifs"])


def test_damaged_and_foreign_files_are_refused(tmp_path: Path) -> None:
    good = tmp_path / "a.ifs"
    read_tables(log(tmp_path / "a.csv", LINES), "gold", ["svm", "knn"]).save(good)
    (tmp_path / "cut.ifs").write_bytes(good.read_bytes()[:-20])
    (tmp_path / "text.ifs").write_text("not a table")

    for name in ("cut.ifs", "text.ifs"):
        with pytest.raises(InputError, match="is not a whole file of tables"):
            read(tmp_path / name)


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "a.ifs"
    target.write_text("old")
    reading = read_tables(log(tmp_path / "a.csv", LINES), "gold", ["svm", "knn"])
    monkeypatch.setattr("infoscope.readers.parts._facts", lambda *_: 1 / 0)

    with pytest.raises(ZeroDivisionError):
        reading.save(target)
    assert target.read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.csv", "a.ifs"]
