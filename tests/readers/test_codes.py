"""Counting by codes gives what the engine's own grouping gives, and steps aside where it cannot."""

import shutil
import sysconfig
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infoscope import ReadOptions, read, read_tables
from infoscope.errors import InputError
from tests.api import Counting, Places, UnfitError, is_built, parquet
from tests.engines.cases import CASES, Case, counted, expected
from tests.engines.writers import as_csv, as_parquet, as_parquet_parts, as_tsv_gz, text_spelling


class Spy:
    """Remembers whether codes were counted, or the engine was asked."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(parquet, "WORTH_TEXT", 0)
        self.by_codes: bool | None = None
        count = parquet.count_by_codes

        def watched(*asked: Any, **groups: Any) -> Any:
            tallies = count(*asked, **groups)
            self.by_codes = tallies is not None
            return tallies

        monkeypatch.setattr("infoscope.readers.duckdb.count_by_codes", watched)


@pytest.fixture
def spy(monkeypatch: pytest.MonkeyPatch) -> Spy:
    return Spy(monkeypatch)


def cells(table: Any) -> dict[tuple[Any, Any], int]:
    rows, columns = np.nonzero(table.counts)
    return {
        (table.truth_labels[i], table.system_labels[j]): n
        for i, j, n in zip(rows.tolist(), columns.tolist(), table.counts[rows, columns].tolist(), strict=True)
    }


def by_hand(gold: list[Any], said: list[Any]) -> dict[tuple[Any, Any], int]:
    return dict(Counter(pair for pair in zip(gold, said, strict=True) if None not in pair))


@pytest.mark.skipif(
    shutil.which("cc") is None or not Path(sysconfig.get_path("include"), "Python.h").exists(),
    reason="there is no C compiler, or Python came without its headers",
)
def test_where_it_can_be_built_the_compiled_part_is_there() -> None:
    assert is_built()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name.replace(" ", "-"))
@pytest.mark.parametrize("write", [as_parquet, as_parquet_parts])
def test_parquet_counts_as_by_hand(write: Any, case: Case, tmp_path: Path, spy: Spy) -> None:
    assert counted(write(case, tmp_path), case) == expected(case)

    plain = not case.options.keys() & {"weight", "by"}
    coded = {case.kinds[name] for name in (case.truth, *case.systems)} <= {"text", "int"}
    assert spy.by_codes is (plain and coded and is_built())


@pytest.mark.parametrize("case", [c for c in CASES if len(c.systems) > 1], ids=lambda c: c.name.replace(" ", "-"))
@pytest.mark.parametrize("write", [as_csv, as_tsv_gz])
def test_text_counts_as_by_hand(write: Any, case: Case, tmp_path: Path, spy: Spy) -> None:
    assert counted(write(case, tmp_path), case) == expected(case, text_spelling)

    assert spy.by_codes is not bool(case.options.keys() & {"weight", "by"})


labels = st.one_of(st.none(), st.sampled_from(["a", "b", " a", "é", "", "nan"]))
numbers = st.one_of(st.none(), st.integers(-3, 40))


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(
    rows=st.one_of(
        st.lists(st.tuples(labels, labels, labels), min_size=1, max_size=30),
        st.lists(st.tuples(numbers, numbers, numbers), min_size=1, max_size=30),
    ),
    group=st.integers(1, 9),
)
def test_any_row_groups(rows: list[tuple[Any, ...]], group: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    gold, a, b = map(list, zip(*rows, strict=True))
    path = tmp_path_factory.mktemp("log") / "log.parquet"
    pq.write_table(pa.table({"a": a, "b": b, "gold": gold}), path, row_group_size=group)
    with pytest.MonkeyPatch.context() as monkeypatch:
        spy = Spy(monkeypatch)
        reading = read_tables(path, truth="gold", system=["a", "b"])

    assert spy.by_codes is (is_built() and not any(all(value is None for value in column) for column in (gold, a, b)))
    assert reading.rows == len(rows)
    assert {name: cells(table) for name, table in reading.by_group[()].items()} == {
        "a": by_hand(gold, a),
        "b": by_hand(gold, b),
    }


def test_a_category_without_rows_is_no_class(tmp_path: Path, spy: Spy) -> None:
    said = pd.Categorical(["x", "y", "x"], categories=["x", "y", "never"])
    path = tmp_path / "log.parquet"
    pd.DataFrame({"gold": pd.Categorical(["x", "x", "y"]), "said": said}).to_parquet(path)

    table = read(path, truth="gold", system="said")

    assert spy.by_codes is is_built()
    assert table.truth_labels == table.system_labels == ("x", "y")
    assert table.counts.tolist() == [[1, 1], [1, 0]]


def test_a_dictionary_that_overflows_into_plain_text(tmp_path: Path, spy: Spy) -> None:
    gold = [f"label {i % 700}" for i in range(4000)]
    path = tmp_path / "log.parquet"
    pq.write_table(pa.table({"gold": gold, "said": gold}), path, dictionary_pagesize_limit=512, data_page_size=256)

    table = read(path, truth="gold", system="said")

    assert spy.by_codes is False
    assert cells(table) == by_hand(gold, gold)


@pytest.mark.slow
def test_many_labels_are_left_to_the_engine(tmp_path: Path, spy: Spy) -> None:
    gold = [f"label {i}" for i in range(3000)]
    path = tmp_path / "log.parquet"
    pq.write_table(pa.table({"gold": gold, "said": gold[::-1]}), path, row_group_size=500)

    table = read(path, truth="gold", system="said")

    assert spy.by_codes is False
    assert table.total == 3000
    assert len(table.truth_labels) == 3000


@pytest.mark.parametrize(
    "kind", [pa.float64(), pa.binary(), pa.timestamp("us"), pa.decimal128(5, 2), pa.large_string(), pa.uint8()], ids=str
)
def test_each_type_means_what_it_means_to_the_engine(
    kind: pa.DataType, tmp_path: Path, spy: Spy, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = [b"1", b"2", b"1", None] if kind == pa.binary() else [1, 2, 1, None]
    if kind == pa.large_string():
        values = ["1", "2", "1", None]
    path = tmp_path / "log.parquet"
    pq.write_table(pa.table({"gold": pa.array(values, kind), "said": pa.array(values, kind)}), path)

    def answer() -> Any:
        try:
            table = read(path, truth="gold", system="said")
        except InputError as error:
            return str(error)
        return table.truth_labels, cells(table), table.ignored

    found = answer()
    assert spy.by_codes is (is_built() and kind in (pa.large_string(), pa.uint8()))
    monkeypatch.setattr("infoscope.readers.duckdb.is_built", lambda: False)
    assert found == answer()
    assert spy.by_codes is False


def test_text_that_is_no_unicode_is_rejected_in_the_words_of_the_engine(tmp_path: Path, spy: Spy) -> None:
    path = tmp_path / "log.parquet"
    broken = pa.array([b"a", b"\xff"]).view(pa.string())
    pq.write_table(pa.table({"gold": broken, "said": broken}), path)

    with pytest.raises(InputError, match=r"log\.parquet"):
        read(path, truth="gold", system="said")
    assert spy.by_codes is False


def test_a_code_that_points_nowhere_is_not_counted() -> None:
    """The table is written to without another look, so a broken file must stop here."""
    broken = pa.DictionaryArray.from_arrays(pa.array([0, 7], pa.int32()), pa.array(["a"]), safe=False)
    batch = pa.record_batch({"gold": broken, "said": broken})

    with pytest.raises(UnfitError):
        Counting(Places(("gold", "said"))).add(batch)


def test_a_name_with_a_dot_and_columns_inside_records(tmp_path: Path, spy: Spy) -> None:
    path = tmp_path / "log.parquet"
    pq.write_table(pa.table({"a.b": ["x", "y"], "gold": ["x", "x"], "a": [{"b": "z"}, {"b": "z"}]}), path)

    assert cells(read(path, truth="gold", system="a.b")) == {("x", "x"): 1, ("x", "y"): 1}
    assert spy.by_codes is is_built()


def test_text_over_several_files_with_columns_in_another_order(tmp_path: Path, spy: Spy) -> None:
    (tmp_path / "1.csv").write_text('gold,a,b\nx,x,y\n"it\'s, ""so""",x,\n')
    (tmp_path / "2.csv").write_text("b,gold,a\nx,y,x\n")

    tables = read_tables(tmp_path, truth="gold", system=["a", "b"]).by_group[()]

    assert spy.by_codes
    assert cells(tables["a"]) == {("x", "x"): 1, ('it\'s, "so"', "x"): 1, ("y", "x"): 1}
    assert cells(tables["b"]) == {("x", "y"): 1, ("y", "x"): 1}


def test_a_ragged_line_is_named_as_ever(tmp_path: Path, spy: Spy) -> None:
    path = tmp_path / "log.csv"
    path.write_text("gold,a,b\n" + "x,x,y\n" * 5000 + "x,y\n" + "x,x,y\n" * 10)

    with pytest.raises(InputError, match="line 5002 has 2 fields"):
        read_tables(path, truth="gold", system=["a", "b"]).by_group[()]
    assert spy.by_codes is False


@pytest.mark.parametrize(("short", "long", "size"), [(0, 1, 3000), (300, 50, 9000)], ids=["first", "far into it"])
def test_long_lines_are_not_held_in_batches(short: int, long: int, size: int, tmp_path: Path, spy: Spy) -> None:
    path = tmp_path / "log.csv"
    path.write_text("gold,a,b\n" + "x,x,y\n" * short + f"{'x' * size},x,y\n" * long)

    assert read_tables(path, truth="gold", system=["a", "b"]).by_group[()]["a"].total == short + long
    assert spy.by_codes is False


def test_ten_systems_as_one_by_one(tmp_path: Path, spy: Spy) -> None:
    path, names = tmp_path / "log.parquet", [f"s{i}" for i in range(10)]
    systems = ", ".join(f"'c' || hash(i + {k}) % 7 AS s{k}" for k in range(10))
    duckdb.execute(
        f"COPY (SELECT 'c' || hash(i) % 5 AS gold, {systems} FROM range(20000) AS r(i)) "
        f"TO '{path}' (FORMAT parquet, ROW_GROUP_SIZE 2048)"
    )

    together = read_tables(path, truth="gold", system=names).by_group[()]

    assert spy.by_codes is is_built()
    for name in names:
        lines = duckdb.execute(f"SELECT gold, {name}, count(*) FROM '{path}' GROUP BY ALL").fetchall()
        assert cells(together[name]) == {(gold, said): n for gold, said, n in lines}


@pytest.mark.slow
def test_more_labels_than_codes_can_take_half_way(tmp_path: Path, spy: Spy) -> None:
    path = tmp_path / "log.csv"
    path.write_text("gold,a,b\n" + "".join(f"{i % 2100},{i % 2100},{i}\n" for i in range(100_000)))

    tables = read_tables(path, truth="gold", system=["a", "b"]).by_group[()]

    assert spy.by_codes is False
    assert (tables["a"].total, tables["b"].total) == (100_000, 100_000)


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_many_truths_first_and_many_answers_later(suffix: str, tmp_path: Path, spy: Spy) -> None:
    """Each batch is small, and the table of all of them would have 3.6·10^9 cells."""
    path = tmp_path / f"log.{suffix}"
    many = "SELECT 'user ' || i % 60000 AS gold, 'none' AS a, 'none' AS b FROM range(120000) AS r(i)"
    late = "SELECT 'user 0', 'guess ' || i % 60000, 'guess ' || i % 60000 FROM range(120000) AS r(i)"
    duckdb.execute(f"COPY ({many} UNION ALL {late}) TO '{path}'")

    tables = read_tables(path, truth="gold", system=["a", "b"]).by_group[()]

    assert spy.by_codes is False
    assert (tables["a"].total, tables["b"].total) == (240_000, 240_000)


def test_a_batch_that_is_too_large_is_left_to_the_engine(
    tmp_path: Path, spy: Spy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet, "_LARGEST_BATCH", 100)
    path = tmp_path / "log.csv"
    path.write_text("gold,a,b\n" + "x,x,y\n" * 1000)

    assert read_tables(path, truth="gold", system=["a", "b"]).by_group[()]["a"].total == 1000
    assert spy.by_codes is False


Cells = dict[tuple[str, str], int]


@pytest.fixture(scope="module")
def eight_systems() -> Iterator[tuple[Any, dict[str, dict[str, Cells]]]]:
    """A table with a hundred groups, and the cells of each system and group."""
    log = duckdb.connect()
    answers = ", ".join(f"'L' || hash(i + {k}) % 14 AS s{k}" for k in range(8))
    log.execute(
        f"CREATE TABLE log AS SELECT 'g' || hash(i + 77) % 100 AS g, 'L' || hash(i) % 14 AS t, {answers} "
        "FROM range(150000) AS r(i)"
    )
    expected: dict[str, dict[str, Cells]] = {}
    for name in (f"s{k}" for k in range(8)):
        mine = expected.setdefault(name, {})
        for group, gold, said, n in log.execute(f"SELECT g, t, {name}, count(*) FROM log GROUP BY ALL").fetchall():
            mine.setdefault(group, {})[gold, said] = n
    yield log, expected
    log.close()


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["csv", "json"])
def test_more_cells_than_a_row_group_keep_their_labels(suffix: str, tmp_path: Path, eight_systems: Any) -> None:
    """A temporary table of more than 122,880 lines has no order that two questions share."""
    log, expected = eight_systems
    path = tmp_path / f"log.{suffix}"
    log.execute(f"COPY log TO '{path}' {'(HEADER)' if suffix == 'csv' else '(FORMAT json)'}")

    form = ReadOptions(format="csv" if suffix == "csv" else "ndjson")
    found = read_tables(path, truth="t", system=list(expected), by="g", read=form).by_group

    for name, groups in expected.items():
        assert {group[0]: cells(tables[name]) for group, tables in found.items()} == groups
