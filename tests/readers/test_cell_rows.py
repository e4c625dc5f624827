"""The rows behind a cell are those that were counted in it, whatever file they come from."""

import csv
import gzip
from pathlib import Path

import numpy as np
import pytest

import infoscope as ifs
from infoscope.errors import InfoscopeError
from tests.api import CellQuery, ChangeQuery, count_changed_predictions, read_cell_rows

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


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".ndjson", ".feather"])
def test_rows_behind_every_cell_are_its_count(data: dict[str, list], tmp_path: Path, suffix: str) -> None:
    path = written(data, tmp_path / f"rows{suffix}")
    table = ifs.read(path, truth="truth", system="svm")
    for i, truth in enumerate(table.truth_labels):
        for j, predicted in enumerate(table.system_labels):
            found = read_cell_rows(str(path), CellQuery("truth", "svm", str(truth), str(predicted), limit=200))
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
    found = read_cell_rows(str(tmp_path / "rows.csv"), asked)
    assert found.total == 3
    assert sorted(row.number for row in found.rows) == [1, 2, 5]


def test_numbers_and_moments_are_found_by_the_labels_of_the_page(tmp_path: Path) -> None:
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"t": [1.0, 2.0, 1.0, None], "s": [2, 2, 1, 1]})
    frame.write_parquet(tmp_path / "rows.parquet")
    found = read_cell_rows(str(tmp_path / "rows.parquet"), CellQuery("t", "s", "1", "2"))
    assert [row.number for row in found.rows] == [1]


def test_the_same_seed_gives_the_same_rows_whatever_the_threads(data: dict[str, list], tmp_path: Path) -> None:
    path = str(as_csv(data, tmp_path / "rows.csv"))
    asked = CellQuery("truth", "svm", "cat", "cat", limit=20)
    one, eight = (read_cell_rows(path, asked, ifs.ReadOptions(threads=threads)) for threads in (1, 8))
    other = read_cell_rows(path, CellQuery("truth", "svm", "cat", "cat", limit=20, seed=1))
    assert one == eight
    assert {row.number for row in other.rows} != {row.number for row in one.rows}


def test_orders_and_search(data: dict[str, list], tmp_path: Path) -> None:
    path = str(as_csv(data, tmp_path / "rows.csv"))
    surest, least = (
        [float(row.values["score"]) for row in read_cell_rows(path, query).rows]
        for query in (
            CellQuery("truth", "svm", "cow", "dog", order="most confident", score="score"),
            CellQuery("truth", "svm", "cow", "dog", order="least confident", score="score"),
        )
    )
    assert surest == sorted(surest, reverse=True)
    assert least == sorted(least)
    found = read_cell_rows(path, CellQuery("truth", "svm", "cow", "dog", search="FARM"))
    assert found.matches == sum(
        t == "cow" and s == "dog" and p == "farm"
        for t, s, p in zip(data["truth"], data["svm"], data["place"], strict=True)
    )
    assert all(row.values["place"] == "farm" for row in found.rows)


def test_a_cell_says_where_its_mistakes_come_from(data: dict[str, list], tmp_path: Path) -> None:
    path = str(as_csv(data, tmp_path / "rows.csv"))
    planted = read_cell_rows(path, CellQuery("truth", "svm", "cow", "dog", by=("place",)))
    (segment,) = planted.segments
    assert (segment.column, segment.value, segment.rate) == ("place", "town", 1.0)
    assert not read_cell_rows(path, CellQuery("truth", "svm", "cat", "dog", by=("place",))).segments


def test_bad_questions(data: dict[str, list], tmp_path: Path) -> None:
    path = str(as_csv(data, tmp_path / "rows.csv"))
    for query, words in (
        (lambda: CellQuery("truth", "svm", "a", "b", order="most confident"), "needs the column of the score"),
        (lambda: CellQuery("truth", "svm", "a", "b", limit=0), "between 1 and 200"),
        (lambda: read_cell_rows(path, CellQuery("truth", "svm", "cat", "dog", by=("plac",))), "no column 'plac'"),
    ):
        with pytest.raises(InfoscopeError, match=words):
            query()
    assert read_cell_rows(path, CellQuery("truth", "svm", "cat", "emu")).total == 0


def messy() -> dict[str, list]:
    """Labels in several spellings, missing ones, abstentions, and weights of which some are missing."""
    rng = np.random.default_rng(77)
    truth = rng.choice(["Cat", "cat", " dog", "dog", "cow", ""], 240)
    svm = rng.choice(["cat", "DOG ", "cow", "?", ""], 240)
    weight = rng.choice(["", "1", "2", "0.5"], 240)
    return {
        "id": list(range(1, 241)),
        "truth": [str(label) or None for label in truth],
        "svm": [str(label) or None for label in svm],
        "weight": [float(number) if number else None for number in weight],
    }


def _in_parts(data: dict[str, list], folder: Path) -> str:
    folder.mkdir()
    for part, rows in enumerate((slice(0, 100), slice(100, 101), slice(101, 240))):
        written({name: values[rows] for name, values in data.items()}, folder / f"part-{part}.parquet")
    return str(folder)


def _gzipped(data: dict[str, list], path: Path) -> str:
    path.write_bytes(gzip.compress(as_csv(data, path.with_suffix("")).read_bytes()))
    return str(path)


def _tabbed(data: dict[str, list], path: Path) -> str:
    path.write_text(as_csv(data, path.with_suffix(".csv")).read_text().replace(",", "\t"))
    return str(path)


def _workbook(data: dict[str, list], path: Path) -> str:
    pytest.importorskip("xlsxwriter")
    pytest.importorskip("polars").DataFrame(data).write_excel(path)
    return str(path)


FILES = {
    "csv": lambda data, folder: str(as_csv(data, folder / "rows.csv")),
    "tsv": lambda data, folder: _tabbed(data, folder / "rows.tsv"),
    "csv.gz": lambda data, folder: _gzipped(data, folder / "rows.csv.gz"),
    "parquet": lambda data, folder: str(written(data, folder / "rows.parquet")),
    "parts of parquet": lambda data, folder: _in_parts(data, folder / "parts"),
    "ndjson": lambda data, folder: str(written(data, folder / "rows.ndjson")),
    "feather": lambda data, folder: str(written(data, folder / "rows.feather")),
    "xlsx": lambda data, folder: _workbook(data, folder / "rows.xlsx"),
    "mapping": lambda data, _: data,
    "pandas": lambda data, _: pytest.importorskip("pandas").DataFrame(data),
    "polars": lambda data, _: pytest.importorskip("polars").DataFrame(data).lazy(),
    "arrow": lambda data, _: pytest.importorskip("pyarrow").table(data),
}


CLEANED = {"clean": ("strip", "casefold"), "weight": "weight"}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("form", "asked"), [*((form, CLEANED) for form in FILES), ("csv", {}), ("parquet", {"weight": "weight"})]
)
def test_every_cell_of_messy_rows(form: str, asked: dict, tmp_path: Path) -> None:
    data = messy()
    source = FILES[form](data, tmp_path)
    table = ifs.read(source, truth="truth", system="svm", reject="?", **asked)
    assert sum(table.ignored.values()) > 20
    assert "?" in table.system_labels
    cells = [(i, j) for i in range(table.shape[0]) for j in range(table.shape[1])]
    clean = asked.get("clean", ())
    seen = set()
    for i, j in cells:
        query = CellQuery("truth", "svm", str(table.truth_labels[i]), str(table.system_labels[j]), limit=200, **asked)
        found = read_cell_rows(source, query)
        assert (found.total if found.weight is None else found.weight) == table.counts[i][j]
        assert len(found.rows) == found.total
        for row in found.rows:
            labels = (data["truth"][row.number - 1], data["svm"][row.number - 1])
            shown = tuple(label.strip().casefold() if clean else label for label in labels)
            assert shown == (table.truth_labels[i], table.system_labels[j])
            assert float(row.values["id"]) == row.number
            seen.add(row.number)
    assert len(seen) > 100


def test_rows_that_two_systems_predict_differently(data: dict[str, list], tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    both = {**data, "knn": [str(rng.choice(["cat", "dog", "cow", s])) for s in data["svm"]]}
    path = str(written(both, tmp_path / "rows.parquet"))
    lines = list(zip(both["truth"], both["svm"], both["knn"], strict=True))
    expected = {
        "better": [t == b != a for t, a, b in lines],
        "worse": [t == a != b for t, a, b in lines],
        "both wrong": [len({t, a, b}) == 3 for t, a, b in lines],
    }
    found = count_changed_predictions(path, "truth", "svm", "knn")
    assert found.rows == ROWS
    for change, flags in expected.items():
        assert found.count(change) == sum(flags) > 10
        for source in (path, both):
            page = read_cell_rows(source, ChangeQuery("truth", "svm", "knn", change, limit=200))
            assert page.total == sum(flags)
            assert all(flags[row.number - 1] for row in page.rows)
    cell, count = next(iter(found.cells.items()))
    assert count == lines.count(cell) == max(found.cells.values())
    change = next(change for change, flags in expected.items() if flags[lines.index(cell)])
    assert read_cell_rows(path, ChangeQuery("truth", "svm", "knn", change, cell=cell)).total == count


def test_many_combinations_of_values(tmp_path: Path) -> None:
    """More than are compared one by one."""
    rng = np.random.default_rng(8)
    data = {name: [f"class {k}" for k in rng.integers(0, 30, 600)] for name in ("truth", "a", "b")}
    path = str(written(data, tmp_path / "rows.parquet"))
    page = read_cell_rows(path, ChangeQuery("truth", "a", "b", "both wrong", limit=200, search="", by=()))
    wrong = [len({t, a, b}) == 3 for t, a, b in zip(*data.values(), strict=True)]
    assert page.total == sum(wrong)
    assert all(wrong[row.number - 1] for row in page.rows)
    assert len({row.number for row in page.rows}) == 200


def test_a_column_with_the_name_of_the_engines_own(tmp_path: Path) -> None:
    data = {"truth": ["a", "a", "b"], "svm": ["b", "b", "b"], "file_row_number": [7, 8, 9]}
    found = read_cell_rows(str(written(data, tmp_path / "rows.parquet")), CellQuery("truth", "svm", "a", "b"))
    assert sorted((row.number, row.values["file_row_number"]) for row in found.rows) == [(1, 7), (2, 8)]
