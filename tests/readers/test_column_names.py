"""The columns of a source, whatever it is."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pandas as pd
import pytest

import infoscope as ifs
from infoscope import ReadOptions
from infoscope.errors import InputError
from tests.api import column_names

NAMES = ("id", "gold label", "svm", "text")
ROW = {"id": 1, "gold label": "cat", "svm": "dog", "text": "a;b"}


@pytest.mark.parametrize("sign", [",", ";", "\t", "|"])
def test_csv_by_the_sign_that_gives_most_names(tmp_path: Path, sign: str) -> None:
    path = tmp_path / "log.csv"
    path.write_text(sign.join(NAMES) + "\n" + sign.join(["1", "cat", "dog", '"a;b"']) + "\n")
    assert column_names(path) == NAMES


def test_a_name_in_quotes_is_not_split_where_no_column_is_known(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text('truth,"which; of; these; or none?",model\ncat,1,dog\n')
    assert column_names(path) == ("truth", "which; of; these; or none?", "model")
    path.write_text('truth;"say ""yes"", or no, or both";model\ncat;1;dog\n')
    assert column_names(path) == ("truth", 'say "yes", or no, or both', "model")


def test_csv_with_a_known_column_in_quotes(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text('truth,"a;b;c;d"\ncat,dog\n')
    assert column_names(path, known=["truth"]) == ("truth", "a;b;c;d")


def test_compressed_text_and_json_lines(tmp_path: Path) -> None:
    packed = tmp_path / "log.csv.gz"
    packed.write_bytes(gzip.compress(b"a,b\n1,2\n"))
    lines = tmp_path / "log.ndjson"
    lines.write_text(json.dumps(ROW) + "\n" + json.dumps({"late": 1}) + "\n")
    assert column_names(packed) == ("a", "b")
    assert column_names(lines) == (*NAMES, "late")


def test_typed_files_and_frames(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    feather = pytest.importorskip("pyarrow.feather")
    table = pa.table({name: [value] for name, value in ROW.items()})
    parquet.write_table(table, tmp_path / "log.parquet")
    feather.write_feather(table, tmp_path / "log.feather")
    folder = tmp_path / "parts" / "month=5"
    folder.mkdir(parents=True)
    parquet.write_table(table, folder / "log.parquet")
    assert column_names(tmp_path / "log.parquet") == NAMES
    assert column_names(tmp_path / "log.feather") == NAMES
    assert column_names(tmp_path / "parts") == (*NAMES, "month")
    assert column_names(table) == NAMES
    assert column_names(table.to_batches()[0]) == NAMES
    assert column_names(table.to_pandas()) == NAMES


def test_a_mapping_of_columns() -> None:
    assert column_names({"a": [1], "b": [2]}) == ("a", "b")


def test_tables_have_no_columns() -> None:
    with pytest.raises(InputError, match="name them one by one"):
        column_names("select 1", ReadOptions(engine="sql", url="sqlite://"))


def test_json_of_columns_as_pandas_writes_it_is_named_with_a_way_out(tmp_path: Path) -> None:
    frame = pd.DataFrame({"label": ["a", "b", "a"], "model": ["a", "b", "b"]})
    frame.to_json(tmp_path / "log.json")

    for ask in (
        lambda: ifs.read(tmp_path / "log.json", truth="label", system="model"),
        lambda: ifs.evaluate(tmp_path / "log.json"),
    ):
        with pytest.raises(InputError, match=r"pandas writes one object per row with to_json\(orient='records'\)"):
            ask()
    frame.to_json(tmp_path / "log.json", orient="records")
    assert ifs.read(tmp_path / "log.json", truth="label", system="model").total == 3


def test_a_column_that_is_named_tells_the_separator_of_those_that_are_guessed(tmp_path: Path) -> None:
    rows = "x,x,1\ny,y,2\nx,y,3\n" * 8
    (tmp_path / "log.csv").write_text("truth,model,a;b;c;d\n" + rows)
    with pytest.warns(ifs.errors.InfoscopeWarning, match="system='model' is guessed"):
        assert ifs.evaluate(tmp_path / "log.csv", truth="truth").systems[0].name == "model"
