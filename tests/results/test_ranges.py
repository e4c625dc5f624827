"""Stored numbers that a metric cannot have are refused wherever documents are read, with file, system and metric."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import infoscope as ifs
from tests.api import app

EVALUATION = ifs.evaluate(["a", "b", "c"] * 60, {"model": ["a", "b", "b", "a", "b", "c"] * 30})


def run(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


def set_metric(name: str, **parts: Any) -> Callable[[Any], None]:
    return lambda record: record["systems"][0]["metrics"][name].update(parts)


def set_class(label: int, rate: str, **parts: Any) -> Callable[[Any], None]:
    return lambda record: record["systems"][0]["classes"][label][rate].update(parts)


EDITS: dict[str, tuple[Callable[[Any], None], str]] = {
    "value too high": (set_metric("accuracy", value=1.7), "the value of accuracy is 1.7, and it lies between 0 and 1"),
    "minus 500 %": (set_metric("proficiency", mean=-5.0), "the mean of proficiency is -5, and it lies between 0 and 1"),
    "interval": (set_metric("mcc", low=-1.2), "the low of mcc is -1.2, and it lies between -1 and 1"),
    "upside down": (set_metric("accuracy", low=0.9, high=0.8), "the interval of accuracy ends below its beginning"),
    "of a class": (set_class(1, "recall", value=1.2), "the value of recall is 1.2"),
    "probability": (
        lambda record: record["systems"][0].update(chance_p_value=7),
        "'model': chance_p_value is 7, and it lies between 0 and 1",
    ),
    "no number": (set_metric("accuracy", value=float("nan")), "NaN is not a JSON number"),
    "infinite": (set_metric("accuracy", mean=float("inf")), "Infinity is not a JSON number"),
    "text": (set_metric("accuracy", mean="0.5"), "a finite number is required"),
}


@pytest.mark.parametrize("edit", EDITS)
def test_a_tampered_evaluation_is_refused_everywhere(edit: str, tmp_path: Path) -> None:
    change, said = EDITS[edit]
    record = json.loads(EVALUATION.to_json())
    change(record)
    path, rows = tmp_path / "base.json", tmp_path / "rows.csv"
    path.write_text(json.dumps(record))
    rows.write_text("label,model\n" + "a,a\nb,b\nc,b\n" * 30)

    with pytest.raises(ifs.InputError) as refused:
        ifs.load(path)
    assert said in str(refused.value)
    assert "base.json" in str(refused.value)
    for words in (("show", path), ("gate", rows, "-t", "label", "-s", "model", "--baseline", path)):
        done = run(*words)
        assert done.exit_code == 2
        assert said in done.stderr
        assert "base.json" in done.stderr
        assert not done.stdout
    with pytest.raises(ifs.InputError, match="base"):
        ifs.history([path])
    if edit == "probability":
        return  # no number that runs over time read
    folder = run("gate", rows, "-t", "label", "-s", "model", "--history", tmp_path)
    assert folder.exit_code == 2
    assert "base.json is not among the runs, though it is the newest" in folder.stderr


def test_the_place_names_the_system_and_the_class() -> None:
    record = json.loads(EVALUATION.to_json())
    set_class(1, "recall", value=1.2)(record)
    with pytest.raises(ifs.InputError, match=r"'model', 'b': the value of recall is 1\.2"):
        ifs.Evaluation.from_dict(record)


def test_a_gate_that_was_edited_is_refused() -> None:
    record = json.loads(ifs.gate(["a", "b"] * 50, ["a", "b"] * 49 + ["a", "a"], min={"accuracy": 0.5}).to_json())
    record["checks"][0]["estimate"]["value"] = 1.7
    with pytest.raises(ifs.InputError, match=r"system, accuracy at least 0\.5: the value of accuracy is 1\.7"):
        ifs.Gate.from_dict(record)


def test_documents_as_they_are_written_are_read_back() -> None:
    """Rounding at the ends of a range is no offence, and metrics without bounds may be anything."""
    perfect = ifs.evaluate(["a", "b"] * 30, ["a", "b"] * 30)
    for result in (EVALUATION, perfect):
        assert ifs.Evaluation.from_dict(json.loads(result.to_json())).to_dict() == result.to_dict()
    record = json.loads(perfect.to_json())
    record["systems"][0]["metrics"]["accuracy"]["value"] = 1.0 + 1e-12
    record["systems"][0]["metrics"]["diagnostic_odds_ratio"] = {"value": 1e9}
    record["systems"][0]["metrics"]["of another version"] = {"value": -17.0}
    assert ifs.Evaluation.from_dict(record).systems[0].number("of another version") == -17.0
