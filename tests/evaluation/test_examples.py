"""Example rows of the confused pairs: the right rows, at random, from every source."""

from __future__ import annotations

import csv
import gzip
import json
import random
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import infoscope as ifs
from tests.api import MAX_CHARACTERS, app, sample_labels

ROWS = 2000


def _rows(seed: int = 5) -> list[dict[str, str]]:
    rng = random.Random(seed)
    found = []
    for at in range(ROWS):
        gold = rng.choice(["cat", "dog", "fox", ""])
        svm = gold if rng.random() < 0.7 else rng.choice(["cat", "dog", "fox", "none", ""])
        knn = gold if rng.random() < 0.5 else rng.choice(["Cat ", "dog", "fox"])
        found.append(
            {
                "id": str(at + 1),
                "gold": gold,
                "svm": svm,
                "knn": knn,
                "text": f'text "{at}", of\nit',
                "day": "ab"[at % 2],
            }
        )
    return found


def _expected(rows: list[dict[str, str]], system: str, day: str | None = None) -> dict[tuple[str, str], set[int]]:
    cells: dict[tuple[str, str], set[int]] = defaultdict(set)
    for at, row in enumerate(rows, 1):
        if row["gold"] and row[system] and day in (None, row["day"]):
            cells[row["gold"], row[system]].add(at)
    return cells


def _check(result: ifs.Evaluation, rows: list[dict[str, str]], system: str, limit: int, day: str | None = None) -> None:
    expected = _expected(rows, system, day)
    (found,) = [part for part in result if part.name == system and (day is None or part.group == {"day": day})]
    errors = {cell for cell in expected if cell[0] != cell[1]}
    assert {(cell.truth, cell.system) for cell in found.examples} == errors
    for cell in found.examples:
        numbers = [row.row for row in cell.rows]
        behind = expected[cell.truth, cell.system]
        assert cell.count == len(behind)
        assert len(set(numbers)) == len(numbers) == min(limit, len(behind))
        assert set(numbers) <= behind
        for row in cell.rows:
            assert str(row.values["id"]) == str(row.row)
            assert row.values["text"] == rows[row.row - 1]["text"]


@pytest.fixture(scope="module")
def rows() -> list[dict[str, str]]:
    return _rows()


@pytest.fixture(scope="module")
def log(rows: list[dict[str, str]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("rows") / "log.csv"
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


@pytest.mark.filterwarnings("ignore::infoscope.errors.MissingLabelsWarning")
class TestSources:
    """Every cell has rows of its own, and as many as asked for or as there are."""

    @pytest.mark.slow
    def test_csv(self, log: Path, rows: list[dict[str, str]]) -> None:
        result = ifs.evaluate(log, truth="gold", system=["svm", "knn"], examples=4)
        for system in ("svm", "knn"):
            _check(result, rows, system, 4)

    def test_groups(self, log: Path, rows: list[dict[str, str]]) -> None:
        result = ifs.evaluate(log, truth="gold", system="svm", by="day", examples=3)
        for day in "ab":
            _check(result, rows, "svm", 3, day)

    @pytest.mark.slow
    def test_compressed_and_json_lines(self, log: Path, rows: list[dict[str, str]], tmp_path: Path) -> None:
        packed, lines = tmp_path / "log.csv.gz", tmp_path / "log.ndjson"
        packed.write_bytes(gzip.compress(log.read_bytes()))
        lines.write_text("".join(json.dumps({k: v or None for k, v in row.items()}) + "\n" for row in rows))
        for path in (packed, lines):
            _check(ifs.evaluate(path, truth="gold", system="svm", examples=4), rows, "svm", 4)

    @pytest.mark.slow
    @pytest.mark.parametrize("kind", ["pandas", "polars", "lazy", "pyarrow", "parquet", "feather"])
    def test_frames_and_typed_files(self, rows: list[dict[str, str]], tmp_path: Path, kind: str) -> None:
        pa = pytest.importorskip("pyarrow")
        columns = {name: [row[name] or None for row in rows] for name in rows[0]}
        table: Any = pa.table(columns)
        if kind == "pandas":
            table = pytest.importorskip("pandas").DataFrame(columns)
        elif kind in ("polars", "lazy"):
            frame = pytest.importorskip("polars").DataFrame(columns)
            table = frame if kind == "polars" else frame.lazy()
        elif kind in ("parquet", "feather"):
            path = tmp_path / f"log.{kind}"
            writer = pytest.importorskip(f"pyarrow.{kind}")
            (writer.write_table if kind == "parquet" else writer.write_feather)(table, path)
            table = path
        result = ifs.evaluate(table, truth="gold", system=["svm", "knn"], examples=4)
        for system in ("svm", "knn"):
            _check(result, rows, system, 4)

    def test_labels_and_a_mapping_of_columns(self, rows: list[dict[str, str]]) -> None:
        columns = {name: [row[name] or None for row in rows] for name in rows[0]}
        shown = {"id": columns["id"], "text": columns["text"]}
        _check(ifs.evaluate(columns["gold"], {"svm": columns["svm"]}, examples=4, show=shown), rows, "svm", 4)
        _check(ifs.evaluate(columns, truth="gold", system="svm", examples=4), rows, "svm", 4)


@pytest.mark.filterwarnings("ignore::infoscope.errors.MissingLabelsWarning")
def test_labels_that_mean_the_same_are_one_cell(log: Path, rows: list[dict[str, str]]) -> None:
    result = ifs.evaluate(log, truth="gold", system="knn", clean=["strip", "casefold"], examples=500)
    found = {(cell.truth, cell.system): len(cell.rows) for cell in result["knn"].examples}
    meant = [{**row, "knn": row["knn"].strip().casefold()} for row in rows]
    expected = {cell: len(at) for cell, at in _expected(meant, "knn").items() if cell[0] != cell[1]}
    assert found == expected


@pytest.mark.filterwarnings("ignore::infoscope.errors.MissingLabelsWarning")
def test_rows_without_a_weight_are_no_examples(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("gold,svm,w\na,b,\na,b,2\nb,b,1\na,a,1\n")
    (cell,) = ifs.evaluate(path, truth="gold", system="svm", weight="w", examples=5)["svm"].examples
    assert [row.row for row in cell.rows] == [2]


@pytest.mark.slow
def test_the_choice_is_random_and_the_same_for_any_threads(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("gold,svm\n" + "".join(f"{'ab'[at % 2]},b\n" for at in range(200_000)))
    found = [
        ifs.evaluate(path, truth="gold", system="svm", examples=400, read=ifs.ReadOptions(threads=threads))
        for threads in (1, 2)
    ]
    numbers = [[row.row for row in result["svm"].examples[0].rows] for result in found]
    assert numbers[0] == numbers[1]
    # the mean of 400 places drawn evenly from 1 to 200,000 has an sd of 2,887
    assert abs(np.mean(numbers[0]) - 100_000) < 4 * 2_887
    assert max(np.bincount(np.array(numbers[0]) // 20_000, minlength=10)) < 40 + 5 * 6.4


@pytest.mark.slow
def test_many_long_rows_are_cut(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    rng = random.Random(3)
    path.write_text(
        "gold,svm,text\n" + "".join(f"c{rng.randrange(20)},c{rng.randrange(20)},{'x' * 900}\n" for _ in range(3000))
    )
    result = ifs.evaluate(path, truth="gold", system="svm", examples=50)
    size = len(json.dumps([[row.values for row in cell.rows] for cell in result["svm"].examples]))
    assert 0 < size < 1.2 * MAX_CHARACTERS
    assert "examples_limited" in [finding.code for finding in result.findings]
    assert all(len(str(row.values["text"])) <= 400 for cell in result["svm"].examples for row in cell.rows)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"examples": 0}, "whole number from 1 to 1000, got 0"),
        ({"examples": True}, "got True"),
        ({"show": ["text"]}, "say how many with examples="),
        ({"examples": 3, "show": ["txt"]}, "did you mean 'text'"),
        ({"examples": 3, "show": {"text": ["a"]}}, "names columns of the source"),
    ],
)
@pytest.mark.filterwarnings("ignore::infoscope.errors.MissingLabelsWarning")
def test_bad_requests(log: Path, options: dict[str, Any], words: str) -> None:
    with pytest.raises(ifs.InfoscopeError, match=words.replace("(", "\\(")):
        ifs.evaluate(log, truth="gold", system="svm", **options)


@pytest.mark.slow
def test_every_form_shows_them_and_a_document_keeps_them(log: Path, tmp_path: Path) -> None:
    run = CliRunner()
    command = ["evaluate", str(log), "-t", "gold", "-s", "svm", "--examples", "2:text", "-q"]
    for form in ("text", "markdown"):
        shown = run.invoke(app, [*command, "--format", form])
        assert shown.exit_code == 0, shown.output
        assert len(re.findall(r"true \w+, predicted \w+: 2 of \d+ rows", shown.output)) == 5
    path = tmp_path / "result.json"
    assert run.invoke(app, [*command, "-o", str(path)]).exit_code == 0
    loaded = ifs.load(path)
    assert isinstance(loaded, ifs.Evaluation)
    assert len(loaded["svm"].examples[0].rows) == 2
    assert list(loaded["svm"].examples[0].rows[0].values) == ["text"]
    assert 'class="examples"' in loaded.to_html()
    without = ifs.evaluate(["a", "b"], ["b", "b"]).to_json()
    assert "examples" not in json.loads(without)["systems"][0] or not json.loads(without)["systems"][0]["examples"]


def test_errors_that_come_from_one_group_are_said_to(tmp_path: Path) -> None:
    rng = random.Random(9)
    rows = []
    for at in range(900):
        gold, place = rng.choice(["cat", "dog", "fox"]), rng.choice(["farm", "town", "wood"])
        often = 0.6 if (gold, place) == ("cat", "town") else 0.1
        rows.append({"id": at, "gold": gold, "svm": "dog" if rng.random() < often else gold, "place": place})
    path = tmp_path / "rows.csv"
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    result = ifs.evaluate(path, truth="gold", system="svm", examples=5)
    cells = {(cell.truth, cell.system): cell for cell in result["svm"].examples}
    (segment,) = cells["cat", "dog"].segments
    inside = [row["svm"] == "dog" for row in rows if (row["gold"], row["place"]) == ("cat", "town")]
    assert (segment.column, segment.value) == ("place", "town")
    assert segment.rate == pytest.approx(sum(inside) / len(inside))
    assert cells["fox", "dog"].searched == ("place",)
    assert cells["fox", "dog"].segments == ()
    text = result.to_text()
    assert "More often where place is town" in text
    assert "In no group of place more often than elsewhere" in text
    assert "In no group of" in result.to_html()
    (tmp_path / "result.json").write_text(result.to_json())
    assert ifs.load(tmp_path / "result.json")["svm"].examples == result["svm"].examples


@pytest.mark.slow
def test_many_pairs_travel_packed() -> None:
    labels = [f"class {i}" for i in range(12)]
    truth = [a for a in labels for b in labels]
    predicted = [b for _ in labels for b in labels]
    page = ifs.evaluate(truth, predicted, examples=2, show={"text": list(range(144))}).to_html()
    assert page.count("<details data-truth=") == 20
    assert 'class="folds"' in page


def test_a_row_without_a_prediction_is_no_example() -> None:
    found = sample_labels(["a", "b", "a", "b"], {"svm": ["a", "b", None, "a"]}, {}, 4)[(), "svm"]

    rows = {cell: [row.number for row in rows] for cell, rows in found.items()}
    assert rows == {("a", "a"): [1], ("b", "b"): [2], ("b", "a"): [4]}
