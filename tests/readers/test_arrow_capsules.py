"""Frames and columns that have nothing but their Arrow capsule are read wherever frames and columns are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import infoscope as ifs
from infoscope.errors import InputError

pa = pytest.importorskip("pyarrow")
pl = pytest.importorskip("polars")
duckdb = pytest.importorskip("duckdb")

ROWS = {
    "gold": ["cat", "dog", "fox", "dog"] * 20,
    "svm": ["cat", "dog", "dog", "dog"] * 20,
    "tree": ["cat", "dog", "fox", None] * 20,
    "sick": [0, 1, 0, 1] * 20,
    "score": [0.1, 0.9, 0.4, 0.3] * 20,
    "weight": [1.0, 2.0] * 40,
    "site": ["a", "a", "b", "b"] * 20,
}
TABLE = pa.table(ROWS)
SETS = [["a", "b"], ["a"], [], ["c"]] * 15
GIVEN = [["a"], ["a"], ["b"], ["c"]] * 15


class Stream:
    """Hides all of an object but its Arrow stream."""

    def __init__(self, hidden: Any) -> None:
        self._hidden = hidden

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._hidden.__arrow_c_stream__(requested_schema)


class Array:
    """Hides all of an object but its Arrow array."""

    def __init__(self, hidden: Any) -> None:
        self._hidden = hidden

    def __arrow_c_array__(self, requested_schema: object = None) -> object:
        return self._hidden.__arrow_c_array__(requested_schema)


FRAMES: dict[str, Callable[[], Any]] = {
    "pyarrow": lambda: Stream(TABLE),
    "polars": lambda: Stream(pl.DataFrame(ROWS)),
    "duckdb": lambda: Stream(duckdb.from_arrow(TABLE)),
    "record batch": lambda: Array(TABLE.to_batches()[0]),
}
COLUMNS: dict[str, Callable[[str], Any]] = {
    "pyarrow": lambda name: Stream(TABLE[name]),
    "codes of pyarrow": lambda name: Stream(TABLE[name].dictionary_encode()),
    "polars": lambda name: Stream(pl.Series(ROWS[name])),
    "duckdb": lambda name: Stream(duckdb.from_arrow(TABLE).select(name)),
    "array": lambda name: Array(pa.array(ROWS[name])),
}


def ask_frame(rows: Any) -> Iterator[Any]:
    """Ask every question of rows."""
    yield ifs.read(rows, truth="gold", system="svm", weight="weight")
    yield ifs.read_joint(rows, truth="gold", system=["svm", "tree"]).rows.row_count
    yield ifs.evaluate(rows, truth="gold", system="svm", weight="weight", by="site")
    yield ifs.compare(rows, truth="gold", system=["svm", "tree"])
    yield ifs.gate(rows, truth="gold", system="svm", min={"accuracy": 0.5})
    yield ifs.sweep(rows, truth="sick", score="score")
    yield ifs.relate(rows, ["gold", "site"])
    yield ifs.agreement(rows, system=["gold", "svm", "tree"], draws=50)
    yield ifs.drift(rows, rows, system=["gold", "svm"], permutations=99)
    yield ifs.tune(rows, "site", truth="gold", system="svm")
    yield ifs.operating_points.score_groups(rows, truth="sick", score="score", by="site")


def ask_columns(column: Callable[[str], Any]) -> Iterator[Any]:
    """Ask every question of columns."""
    yield ifs.Contingency.from_labels(column("gold"), column("svm"))
    yield ifs.evaluate(column("gold"), column("svm"), weight=column("weight"))
    yield ifs.evaluate({name: column(name) for name in ("gold", "svm")}, truth="gold", system="svm")
    yield ifs.compare(column("gold"), {"svm": column("svm"), "tree": column("tree")})
    yield ifs.gate(column("gold"), column("svm"), min={"accuracy": 0.5})
    yield ifs.sweep(column("sick"), column("score"))
    yield ifs.agreement({name: column(name) for name in ("gold", "svm", "tree")}, draws=50)
    yield ifs.report(column("gold"), column("svm"))
    yield ifs.metrics.accuracy(column("gold"), column("svm"))
    yield ifs.operating_points.roc_auc(column("sick"), column("score"))
    counter = ifs.Counter()
    counter.update(column("gold"), column("svm"))
    yield counter.table()


@pytest.mark.parametrize("kind", FRAMES)
def test_a_frame(kind: str) -> None:
    for found, expected in zip(ask_frame(FRAMES[kind]()), ask_frame(ROWS), strict=True):
        assert repr(found) == repr(expected)


@pytest.mark.parametrize("kind", COLUMNS)
def test_a_column(kind: str) -> None:
    for found, expected in zip(ask_columns(COLUMNS[kind]), ask_columns(lambda name: ROWS[name]), strict=True):
        assert repr(found) == repr(expected)


def test_columns_of_a_frame_are_systems_classes_and_categories() -> None:
    systems = ifs.evaluate(ROWS["gold"], Stream(TABLE.select(["svm", "tree"])))
    assert [system.name for system in systems] == ["svm", "tree"]

    probabilities = pa.table({"0": [0.9, 0.1, 0.6, 0.7] * 20, "1": ROWS["score"]})
    truth = [str(label) for label in ROWS["sick"]]
    found = ifs.operating_points.calibration(truth, Stream(probabilities))
    assert found.cross_entropy == ifs.operating_points.calibration(truth, probabilities.to_pandas()).cross_entropy

    numbers = ifs.multilabel.evaluate(
        Stream(pa.chunked_array([SETS])), Stream(pl.Series(GIVEN)), draws=0, shuffles=0, splits=0
    )
    assert repr(numbers) == repr(ifs.multilabel.evaluate(SETS, GIVEN, draws=0, shuffles=0, splits=0))


@pytest.mark.parametrize("named", [True, False])
def test_a_matrix(named: bool) -> None:
    counts = {"a": [5, 2], "b": [1, 7]}
    given = {"true": ["a", "b"], **counts} if named else counts
    stated = {} if named else {"truth": ["a", "b"]}
    for frame in (pl.DataFrame(given), pa.table(given), Stream(pa.table(given))):
        table = ifs.Contingency.from_matrix(frame, **stated)
        assert (table.truth_labels, table.system_labels) == (("a", "b"), ("a", "b"))
        assert table.counts.tolist() == [[5, 1], [2, 7]]


def test_what_cannot_be_read_is_one_sentence() -> None:
    class Broken:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            raise RuntimeError("connection lost")

    with pytest.raises(InputError, match="the Arrow data of a Broken cannot be read: connection lost"):
        ifs.evaluate(Broken(), truth="gold", system="svm")


def test_a_reader_of_record_batches_is_still_counted_batch_by_batch() -> None:
    reader = pa.RecordBatchReader.from_batches(TABLE.schema, TABLE.to_batches(max_chunksize=7))
    assert ifs.read(reader, truth="gold", system="svm").total == 80
