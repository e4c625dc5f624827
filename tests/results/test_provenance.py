"""Results know when they were made, which run they are and by which command."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import infoscope as ifs
from tests.api import Provenance, app

TRUTH, PREDICTED = ["a", "b"] * 20, ["a", "b", "b", "a"] * 10


def test_a_result_knows_when_it_was_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """To the second, in UTC; a fixed time makes outputs that can be reproduced."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    result = ifs.evaluate(TRUTH, PREDICTED)
    assert result.provenance.made == "1970-01-01T00:00:00Z"
    monkeypatch.delenv("SOURCE_DATE_EPOCH")
    assert ifs.evaluate(TRUTH, PREDICTED).provenance.made > "2026-01-01"


def test_a_document_without_a_time_stays_without() -> None:
    """A document of an earlier version was not made when it is read."""
    record = ifs.evaluate(TRUTH, PREDICTED).to_dict()
    del record["provenance"]["made"]
    loaded = ifs.Evaluation.from_dict(record)
    assert loaded.provenance.made is None
    assert "made" not in loaded.to_dict()["provenance"]


def test_the_time_is_not_part_of_what_a_result_says() -> None:
    """The same numbers of two moments are equal."""
    assert Provenance(rows=3, made="2026-01-01T00:00:00Z") == Provenance(rows=3, made="2026-01-02T00:00:00Z")


def test_command_and_run_stay_with_the_result(tmp_path: Path) -> None:
    """The command that made it, not the one that shows it."""
    rows = tmp_path / "rows.csv"
    rows.write_text("t,p\n" + "".join(f"{t},{p}\n" for t, p in zip(TRUTH, PREDICTED, strict=True)))
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    evaluate = ["evaluate", rows, "-t", "t", "-s", "p", "--run", "build 7", "-o", first]
    for words in (evaluate, ["show", first, "-o", second]):
        assert CliRunner().invoke(app, list(map(str, words))).exit_code == 0
    made, shown = (json.loads(path.read_text())["provenance"] for path in (first, second))
    assert made["run"] == shown["run"] == "build 7"
    assert made["command"].startswith("infoscope evaluate")
    assert shown["command"] == made["command"]
    assert "build 7" in ifs.load(first).to_html()
