"""The rows behind a cell are those that were counted in it, whatever file they come from."""

import csv
from pathlib import Path

import numpy as np
import pytest

import infoscope as ifs
from infoscope.errors import InfoscopeError
from infoscope.readers.cell_rows import CellQuery, rows_of_cell

ROWS = 400


@pytest.fixture(scope="module")
def data() -> dict[str, list]:
    rng = np.random.default_rng(12)
    truth = rng.choice(["cat", "dog", "cow"], ROWS)
    predicted = np.where(rng.random(ROWS) < 0.6, truth, rng.choice(["cat", "dog", "cow"], ROWS))
    place = rng.choice(["farm", "town"], ROWS)
    predicted = np.where((truth == "cow") & (place == "town"), "dog", predicted)
    return {
        "id": [f"row {i + 1}" for i in range(ROWS)],
        "truth": list(truth),
        "svm": list(predicted),
        "place": list(place),
        "score": [round(float(x), 4) for x in rng.random(ROWS)],
        "text": [f"animal <b>{i}</b>" for i in range(ROWS)],
    }


def as_csv(data: dict[str, list], path: Path) -> Path:
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(data)
        writer.writerows(zip(*data.values(), strict=True))
    return path


def written(data: dict[str, list], path: Path) -> Path:
    """The same rows in the form that the name asks for."""
    if path.suffix == ".csv":
        return as_csv(data, path)
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(data)
    {
        ".parquet": frame.write_parquet,
        ".ndjson": frame.write_ndjson,
        ".feather": frame.write_ipc,
    }[path.suffix](path)
    return path


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".ndjson", ".feather"])
def test_rows_behind_every_cell_are_its_count(data: dict[str, list], tmp_path: Path, suffix: str) -> None:
    path = written(data, tmp_path / f"rows{suffix}")
    table = ifs.read(path, truth="truth", system="svm")
    for i, truth in enumerate(table.truth_labels):
        for j, predicted in enumerate(table.system_labels):
            found = rows_of_cell(str(path), CellQuery("truth", "svm", str(truth), str(predicted), limit=200))
            assert found.total == table.counts[i][j]
            assert len(found.rows) == min(200, found.total)
            for row in found.rows:
                assert data["truth"][row.number - 1] == truth
                assert data["svm"][row.number - 1] == predicted
                assert row.values["id"] == f"row {row.number}"


def test_labels_that_cleaning_made_one_and_missing_ones(tmp_path: Path) -> None:
    lines = ["t,s,id", "Cat ,dog,1", "cat,DOG,2", ",dog,3", "cat,,4", "cat, dog,5", "dog,dog,6"]
    (tmp_path / "rows.csv").write_text("\n".join(lines) + "\n")
    asked = CellQuery("t", "s", "cat", "dog", clean=("strip", "casefold"))
    found = rows_of_cell(str(tmp_path / "rows.csv"), asked)
    assert found.total == 3
    assert sorted(row.number for row in found.rows) == [1, 2, 5]


def test_numbers_and_moments_are_found_by_the_labels_of_the_page(tmp_path: Path) -> None:
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"t": [1.0, 2.0, 1.0, None], "s": [2, 2, 1, 1]})
    frame.write_parquet(tmp_path / "rows.parquet")
    found = rows_of_cell(str(tmp_path / "rows.parquet"), CellQuery("t", "s", "1", "2"))
    assert [row.number for row in found.rows] == [1]


def test_the_same_seed_gives_the_same_rows_whatever_the_threads(data: dict[str, list], tmp_path: Path) -> None:
    path = str(as_csv(data, tmp_path / "rows.csv"))
    asked = CellQuery("truth", "svm", "cat", "cat", limit=20)
    one, eight = (rows_of_cell(path, asked, ifs.ReadOptions(threads=threads)) for threads in (1, 8))
    other = rows_of_cell(path, CellQuery("truth", "svm", "cat", "cat", limit=20, seed=1))
    assert one == eight
    assert {row.number for row in other.rows} != {row.number for row in one.rows}


def test_orders_and_search(data: dict[str, list], tmp_path: Path) -> None:
    path = str(as_csv(data, tmp_path / "rows.csv"))
    surest, least = (
        [float(row.values["score"]) for row in rows_of_cell(path, query).rows]
        for query in (
            CellQuery("truth", "svm", "cow", "dog", order="surest", score="score"),
            CellQuery("truth", "svm", "cow", "dog", order="least sure", score="score"),
        )
    )
    assert surest == sorted(surest, reverse=True)
    assert least == sorted(least)
    found = rows_of_cell(path, CellQuery("truth", "svm", "cow", "dog", search="FARM"))
    assert found.found == sum(
        t == "cow" and s == "dog" and p == "farm"
        for t, s, p in zip(data["truth"], data["svm"], data["place"], strict=True)
    )
    assert all(row.values["place"] == "farm" for row in found.rows)


def test_a_cell_says_where_its_mistakes_come_from(data: dict[str, list], tmp_path: Path) -> None:
    path = str(as_csv(data, tmp_path / "rows.csv"))
    planted = rows_of_cell(path, CellQuery("truth", "svm", "cow", "dog", by=("place",)))
    (segment,) = planted.segments
    assert (segment.column, segment.value, segment.rate) == ("place", "town", 1.0)
    assert not rows_of_cell(path, CellQuery("truth", "svm", "cat", "dog", by=("place",))).segments


def test_bad_questions(data: dict[str, list], tmp_path: Path) -> None:
    path = str(as_csv(data, tmp_path / "rows.csv"))
    for query, words in (
        (lambda: CellQuery("truth", "svm", "a", "b", order="surest"), "needs the column of the score"),
        (lambda: CellQuery("truth", "svm", "a", "b", limit=0), "between 1 and 200"),
        (lambda: rows_of_cell(path, CellQuery("truth", "svm", "cat", "dog", by=("plac",))), "no column 'plac'"),
    ):
        with pytest.raises(InfoscopeError, match=words):
            query()
    assert rows_of_cell(path, CellQuery("truth", "svm", "cat", "emu")).total == 0
