"""Floats and integers that are the same number are the same class in every source, as they are in Python."""

import gzip
import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import infoscope as ifs
from tests.api import Query, Rows

TRUTH = [0, 1, 1, 0, 2, 2, None, 1]
FLOATS = [0.0, 1.0, None, 1.0, 2.0, 2.0, 2.0, 1.0]
HALVES = [0.0, 1.0, 0.5, 1.0, 2.0, 2.0, 2.0, 1.0]


def text(values: list[Any], name: str) -> list[str]:
    return [name, *("" if value is None else str(value) for value in values)]


def csv(path: Path, truth: list[Any], model: list[Any], sign: str = ",") -> Path:
    lines = [sign.join(line) for line in zip(text(truth, "t"), text(model, "s"), strict=True)]
    content = "\n".join(lines) + "\n"
    path.write_bytes(gzip.compress(content.encode()) if path.suffix == ".gz" else content.encode())
    return path


def ndjson(path: Path, truth: list[Any], model: list[Any]) -> Path:
    path.write_text("".join(json.dumps({"t": a, "s": b}) + "\n" for a, b in zip(truth, model, strict=True)))
    return path


def database(path: Path, truth: list[Any], model: list[Any]) -> Any:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE log (t INTEGER, s REAL)")
    connection.executemany("INSERT INTO log VALUES (?, ?)", list(zip(truth, model, strict=True)))
    return connection, "log"


def parquet(path: Path, truth: list[Any], model: list[Any]) -> Path:
    pq.write_table(pa.table({"t": pa.array(truth, pa.int64()), "s": pa.array(model, pa.float64())}), path)
    return path


SOURCES: dict[str, Callable[[Path, list[Any], list[Any]], Any]] = {
    "csv": lambda folder, t, s: csv(folder / "a.csv", t, s),
    "csv.gz": lambda folder, t, s: csv(folder / "a.csv.gz", t, s),
    "tsv": lambda folder, t, s: csv(folder / "a.tsv", t, s, "\t"),
    "parquet": lambda folder, t, s: parquet(folder / "a.parquet", t, s),
    "ndjson": lambda folder, t, s: ndjson(folder / "a.ndjson", t, s),
    "database": lambda folder, t, s: database(folder / "a.db", t, s),
    "pandas": lambda _, t, s: pd.DataFrame({"t": pd.array(t, "Int64"), "s": s}),
    "polars": lambda _, t, s: pl.DataFrame({"t": t, "s": s}),
    "pyarrow": lambda _, t, s: pa.table({"t": t, "s": s}),
    "columns": lambda _, t, s: {"t": t, "s": s},
}


def cells(table: ifs.Contingency) -> dict[tuple[str, str], float]:
    counts = table.counts.tolist()
    return {
        (str(a), str(b)): counts[i][j]
        for i, a in enumerate(table.truth_labels)
        for j, b in enumerate(table.system_labels)
        if counts[i][j]
    }


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("model", [FLOATS, HALVES], ids=["whole", "halves"])
@pytest.mark.parametrize("kind", SOURCES)
def test_every_source_counts_what_lists_count(kind: str, model: list[Any], tmp_path: Path) -> None:
    expected = cells(ifs.Contingency.from_labels(TRUTH, model))
    source = SOURCES[kind](tmp_path, TRUTH, model)

    assert cells(ifs.read(source, truth="t", system="s")) == expected
    turned = SOURCES[kind](tmp_path, TRUTH, model) if kind != "database" else source
    assert cells(ifs.read(turned, truth="s", system="t")) == {(b, a): n for (a, b), n in expected.items()}


def test_files_counted_by_a_cluster_are_read_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The workers give texts, whichever cluster they are of; here another reader stands for them."""
    path = csv(tmp_path / "a.csv", TRUTH[:6], [*FLOATS[:2], 1.0, *FLOATS[3:6]])

    def counted(_engine: Any, _files: Any, query: Query) -> list[Rows]:
        return [Rows.from_cells(query.keys(("s",)), [["0", "1"], ["0.0", "1.0"]], [3, 4])]

    monkeypatch.setattr("infoscope.readers.spark.SparkEngine.count", counted)
    table = ifs.read(path, truth="t", system="s", read=ifs.ReadOptions(engine="spark"))
    assert cells(table) == {("0", "0"): 3, ("1", "1"): 4}


@pytest.mark.filterwarnings("ignore")
def test_all_systems_groups_and_the_rows_of_a_cell_agree(tmp_path: Path) -> None:
    """One system with a word among its numbers, and a column of groups, change nothing for the others."""
    path = tmp_path / "a.csv"
    rows = [
        ("1", "1.0", "1.0", "g1"),
        ("0", "0.0", "abstain", "g1"),
        ("1", "0.0", "1.0", "g2"),
        ("0", "0", "0.0", "7.0"),
    ]
    path.write_text("t,a,b,who\n" + "".join(",".join(row) + "\n" for row in rows * 5))
    together = ifs.evaluate(path, truth="t", system=["a", "b"], reject="abstain")
    alone = ifs.evaluate(path, truth="t", system="a", groups="who")

    assert together["a"].truth_labels == together["b"].truth_labels == ("0", "1")
    assert together["b"].system_labels == ("0", "1", "abstain")
    assert together["a"].number("accuracy") == alone["a"].number("accuracy") == 0.75
    assert together["b"].number("recall") == 1.0
    assert all(finding.code != "lookalike_labels" for finding in together["a"].diagnosis)
    assert ifs.read(path, truth="t", system="a", positive="0.0").positive == "0"


@pytest.mark.parametrize(
    ("truth", "said", "kept"),
    [
        (["007", "7", "1.0"], ["7", "7.0", "1"], {"007", "7", "1.0"}),  # codes that begin with zeros are no numbers
        (["1.0", "NA", "2"], ["1", "NA", "2"], {"1.0", "NA", "2"}),
        (["1.0", "2.0", "2.0"], ["1.0", "2.0", "1.0"], {"1.0", "2.0"}),  # one spelling
        (["1.1", "1.10", "2"], ["1.1", "1.10", "2.0"], {"1.1", "1.10", "2"}),  # versions stay apart
        (["-1", "1e3", "2"], ["-1.0", "1000", "2"], {"-1", "1e3", "2"}),
        (["9" * 5000, "1", "2"], ["1.0", "1", "2"], {"9" * 5000, "1", "2"}),
    ],
)
def test_other_texts_stay_as_they_are(truth: list[str], said: list[str], kept: set[str], tmp_path: Path) -> None:
    table = ifs.read(csv(tmp_path / "a.csv", truth, said), truth="t", system="s")
    with_samples = {label for label, total in zip(table.truth_labels, table.row_totals, strict=True) if total}
    assert with_samples == kept
