"""Data sets that come with the package: what they are, and that every way in takes them."""

import importlib.util
import json
import pickle
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import infoscope as ifs
from infoscope.datasets import DATASETS, csv_of
from infoscope.errors import UnknownNameError
from tests.api import app

DATA = Path(ifs.__file__).parent / "data"


def loaded(name):
    return getattr(ifs.datasets, name)()


@pytest.mark.parametrize("name", DATASETS)
def test_every_data_set_is_whole(name):
    data = loaded(name)
    assert {len(column) for column in data.columns.values()} == {len(data)}
    assert data.labels == tuple(sorted(set(data.y_true.tolist())))
    assert str(len(data.labels)) in repr(data)
    assert not data.y_true.flags.writeable
    for predicted in data.predictions.values():
        assert set(predicted.tolist()) <= set(data.labels)
    for score in data.scores.values():
        assert np.isfinite(score).all()


def test_they_are_what_they_are_for():
    blocks, languages = ifs.datasets.page_blocks(), ifs.datasets.languages()
    assert np.mean(blocks.y_true == blocks.positive) < 0.05
    assert set(blocks.scores) == set(blocks.predictions)
    assert len(languages.labels) >= 100
    for name, score in blocks.scores.items():
        np.testing.assert_array_equal(score >= 0.5, blocks.predictions[name] == blocks.positive)


@pytest.mark.parametrize("name", DATASETS)
def test_files_are_small(name):
    assert min(path.stat().st_size for path in DATA.glob(f"{name}.csv*")) <= 200_000


@pytest.mark.slow
def test_a_data_set_is_taken_apart_into_labels():
    result = ifs.evaluate(*ifs.datasets.digits())
    assert [system.name for system in result.systems] == ["svm", "naive_bayes", "relabelled", "majority"]
    data = ifs.datasets.digits(abstaining=True)
    assert ifs.evaluate(*data, reject=data.reject)["cautious"].number("rejection_rate") > 0.05
    y_true, predictions = ifs.datasets.digits()
    assert ifs.metrics.accuracy(y_true, predictions["svm"]) > 0.97
    assert ifs.evaluate(data.to_frame(), truth="truth", system="svm")["svm"].number("accuracy") > 0.97


@pytest.mark.parametrize("name", DATASETS)
def test_the_command_writes_the_file(name, tmp_path):
    path = tmp_path / "rows.csv"
    assert CliRunner().invoke(app, ["datasets", name, "-o", str(path)]).exit_code == 0
    assert path.read_text(encoding="utf-8") == csv_of(name)
    first = csv_of(name).splitlines()[0].split(",")
    assert first[0] == "truth"
    again = CliRunner().invoke(app, ["datasets", name, "-o", str(path)])
    assert again.exit_code == 2
    assert "exists already" in again.stderr


def test_wrong_names_are_answered_with_the_nearest():
    done = CliRunner().invoke(app, ["datasets", "digit"])
    assert done.exit_code == 2
    assert "did you mean 'digits'" in done.stderr
    with pytest.raises(UnknownNameError, match="there is no data set 'iris'"):
        csv_of("iris")
    listed = CliRunner().invoke(app, ["datasets"])
    assert all(name in listed.output for name in DATASETS)
    assert CliRunner().invoke(app, ["datasets", "-o", "x.csv"]).exit_code == 2


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("sklearn") is None, reason="needs scikit-learn")
def test_the_tool_makes_the_same_digits():
    from tools import datasets as tool

    made = tool.digits()
    rows = [",".join(row) for row in zip(*made.values(), strict=True)]
    assert [",".join(made), *rows] == csv_of("digits").splitlines()


# ── doctor ───────────────────────────────────────────────────────────────────────────────────────


def test_the_doctor_names_versions_and_ways_to_get_the_rest(monkeypatch):
    from importlib import metadata

    known = metadata.version
    missing = {"matplotlib"}

    def version(name):
        if name in missing:
            raise metadata.PackageNotFoundError(name)
        return known(name)

    monkeypatch.setattr(metadata, "version", version)
    done = CliRunner().invoke(app, ["doctor"])
    assert done.exit_code == 0
    assert f"infoscope {ifs.__version__}, Python 3." in done.output
    assert f"numpy {np.__version__}" in done.output
    assert "pip install 'infoscope[plots]'" in " ".join(done.output.split())
    assert "infoscope[arrow]" not in done.output


def test_the_doctor_as_json(monkeypatch):
    monkeypatch.setenv("INFOSCOPE_NATIVE", "0")
    found = json.loads(CliRunner().invoke(app, ["doctor", "--format", "json"]).output)
    assert found["schema"] == "infoscope/doctor/1"
    assert found["compiled"] in ("switched off", "missing")
    states = {part["part"]: part["state"] for part in found["compiled_parts"]}
    assert set(states) == {"parquet", "columns"}
    assert set(states.values()) <= {"switched off", "missing"}
    assert {part["extra"] for part in found["optional"]} >= {"plots", "sklearn", "arrow"}
    assert all(part["version"] for part in found["packages"])


@pytest.mark.slow
@pytest.mark.parametrize(
    "missing", ["infoscope.readers.is_parquet_compiled", "infoscope.core.native_code.import_compiled_part"]
)
def test_the_doctor_tells_which_compiled_part_is_missing(missing, monkeypatch):
    monkeypatch.delenv("INFOSCOPE_NATIVE", raising=False)
    monkeypatch.setattr("infoscope.readers.is_parquet_compiled", lambda: True)
    monkeypatch.setattr("infoscope.core.native_code.import_compiled_part", lambda _: json)
    whole = CliRunner().invoke(app, ["doctor"]).output
    assert whole.count("compiled part active") == 2
    monkeypatch.setattr(missing, lambda *_: None)
    done = CliRunner().invoke(app, ["doctor"]).output
    assert (done.count("compiled part active"), done.count("compiled part missing")) == (1, 1)
    assert ("DuckDB counts Parquet" in done) == ("parquet" in missing)
    assert json.loads(CliRunner().invoke(app, ["doctor", "--format", "json"]).output)["compiled"] == "missing"


def test_the_doctor_sees_a_broken_switch(monkeypatch):
    monkeypatch.setenv("INFOSCOPE_NATIVE", "maybe")
    done = CliRunner().invoke(app, ["doctor"])
    assert done.exit_code == 0
    from tests.api import is_built

    assert ("INFOSCOPE_NATIVE is 'maybe'" in done.output) == is_built()


def test_a_data_set_goes_to_a_worker():
    data = ifs.datasets.page_blocks()
    other = pickle.loads(pickle.dumps(data))
    assert ifs.compare(*other).to_dict()["systems"] == ifs.compare(*data).to_dict()["systems"]
    with pytest.raises(TypeError):
        other.predictions["new"] = data.y_true
