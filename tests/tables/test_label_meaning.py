"""One meaning of a label: the same in memory and on disk, and a way out that works where two of them look alike."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import infoscope as ifs
from infoscope import Contingency, InputError
from tests.api import app, hash_tables

pd = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")


def kinds(table: Contingency) -> list[str]:
    return [type(label).__name__ for label in (*table.truth_labels, *table.system_labels)]


@pytest.mark.parametrize(
    "made",
    [
        lambda: Contingency.from_labels([0.0, 1.0], [1.0, 0.0]),
        lambda: Contingency.from_labels([0, 1], [1.0, 0.0], labels=[0.0, 1.0]),
        lambda: Contingency.from_labels([0, 1], [1, 0], labels=np.array([0.0, 1.0])),
        lambda: Contingency.from_labels([0, 1], [1, 0], labels=([0.0, 1.0], [0.0, 1.0]), positive=1.0),
        lambda: Contingency.from_matrix([[0, 1], [1, 0]], truth=[0.0, 1.0]),
        lambda: Contingency.from_matrix(pd.DataFrame([[0, 1], [1, 0]], index=[0.0, 1.0], columns=[0.0, 1.0])),
        lambda: Contingency.from_cells([0.0, 1.0], [0.0, 1.0], [0, 1], [1, 0], [1, 1]),
        lambda: Contingency.from_labels(["x", "y"], ["y", "x"]).relabel({"x": 0.0, "y": 1.0}),
        lambda: ifs.read(pd.DataFrame({"t": [0.0, 1.0], "s": [1.0, 0.0]}), truth="t", system="s"),
    ],
)
def test_whole_numbers_are_whole_however_they_come(made: Any) -> None:
    table = made()

    assert table.truth_labels == table.system_labels == (0, 1)
    assert set(kinds(table)) == {"int"}
    assert hash_tables(table) == hash_tables(Contingency.from_labels([0, 1], [1, 0]))


def test_a_whole_number_among_fractions_is_the_same_label_on_both_sides(tmp_path: Path) -> None:
    table = Contingency.from_labels([0.5, 1.0, 2.0], [1, 0.5, 2])
    read = ifs.read(pd.DataFrame({"t": [0.5, 1.0, 2.0], "s": [1, 0.5, 2]}), truth="t", system="s")
    table.save(tmp_path / "a.ifs")
    again = Contingency.load(tmp_path / "a.ifs")

    assert table == read == again
    assert kinds(table) == kinds(read) == kinds(again) == ["float", "int", "int"] * 2
    assert hash_tables(table) == hash_tables(read) == hash_tables(again)


def test_a_sweep_takes_the_classes_of_an_estimator_fitted_on_floats() -> None:
    probabilities = np.array([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4]])
    expected = ifs.sweep([0, 1, 0], probabilities, classes=[0, 1])
    for classes, truth in (
        (np.array([0.0, 1.0]), [0, 1, 0]),
        (np.array([0.0, 1.0]), np.array([0.0, 1.0, 0.0])),
        ([0, 1], np.array([0.0, 1.0, 0.0])),
    ):
        found = ifs.sweep(truth, probabilities, classes=classes)
        assert found.ladder.pattern.truth_labels == (0, 1)
        assert found.values("accuracy").tolist() == expected.values("accuracy").tolist()
    assert ifs.sweep([0, 1], [0.1, 0.9], positive=1.0).rule == ifs.sweep([0, 1], [0.1, 0.9], positive=1).rule


@pytest.mark.parametrize(
    ("truth", "system"),
    [
        ([True, False], [1, 0]),
        (["1", "0"], [1, 0]),
        (["1.0", "0.0"], [1, 0]),
        (["True", "False"], [True, False]),
        (["true", "false"], [True, False]),
        (["1", "0"], [True, False]),
    ],
)
def test_the_conversion_in_the_message_works(truth: list[Any], system: list[Any]) -> None:
    with pytest.raises(InputError, match="look alike") as rejected:
        Contingency.from_labels(truth, system)
    offered = re.search(r"for example with (\[.* in labels\])", str(rejected.value))
    assert offered is not None

    sides = [eval(offered[1], {"labels": labels}) for labels in (truth, system)]
    assert ifs.metrics.accuracy(Contingency.from_labels(*sides)) == 1.0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("truth", "system"),
    [([True, False], [1, 0]), (["1", "0"], [1, 0]), (["1.0", "0"], [1, 0]), (["True", "False"], [True, False])],
)
def test_the_option_in_the_message_works(truth: list[Any], system: list[Any], tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    pd.DataFrame({"t": truth, "s": system, "u": system}).to_parquet(path)
    for command in ("evaluate", "compare"):
        words = [command, str(path), "-t", "t", "-s", "s", *(["-s", "u"] if command == "compare" else [])]
        rejected = CliRunner().invoke(app, words)
        assert rejected.exit_code == 2
        option = re.search(r"(--clean) (\w+) \(clean='(\w+)' in Python\)", rejected.stderr)
        assert option is not None, rejected.stderr
        assert CliRunner().invoke(app, [*words, option[1], option[2]]).exit_code == 0
    found = ifs.evaluate(str(path), truth="t", system="s", clean=option[3])
    assert found["s"].number("accuracy") == 1.0


@pytest.mark.slow
@pytest.mark.parametrize("system", [["True", "False"], ["01", "0"]])
def test_other_spellings_in_a_csv_column_are_warned_about_with_the_option_that_unites_them(
    system: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("t,s\n" + "".join(f"{t},{s}\n" for t, s in zip(["1", "0"], system, strict=True)) * 5)
    words = ["evaluate", str(path), "-t", "t", "-s", "s"]
    shown, document = CliRunner().invoke(app, words), CliRunner().invoke(app, [*words, "--format", "json"])

    assert (shown.exit_code, document.exit_code) == (0, 0)
    for text in (shown.stdout, document.stderr):
        assert "--clean number (clean='number' in Python)" in " ".join(text.split())
    cleaned = CliRunner().invoke(app, [*words, "--clean", "number", "--format", "json"])
    assert cleaned.exit_code == 0
    assert ifs.evaluate(str(path), truth="t", system="s", clean="number")["s"].number("accuracy") == 1.0


def test_the_keys_of_a_mapping_keep_their_order() -> None:
    names = {"z": "zebra", "a": "ape"}
    assert Contingency.from_labels(list("zaz"), list("zaa"), labels=names.keys()).truth_labels == ("z", "a")
