"""Rows without a label: reported by the result and by one warning, whichever way they came in."""

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from click.testing import CliRunner

import infoscope as ifs
from infoscope import Contingency, Counter, Evaluation, MissingLabelsWarning
from tests.api import app, multilabel_compare, multilabel_evaluate

TRUTH = ["a", "b", None, "a", "b", "a", "b", "b"]
ANSWERS = ["a", "b", "a", "b", "b", None, "b", "a"]
FRAME = pd.DataFrame(
    {"t": TRUTH, "s": ANSWERS, "u": ["a", "b", "a", "b", "a", "b", "a", "b"], "k": [1, 2] * 4, "p": np.arange(8) / 8}
)
CLEAN = FRAME.dropna()


def caught(call: Callable[[], Any]) -> tuple[Any, list[warnings.WarningMessage]]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        result = call()
    return result, [each for each in found if issubclass(each.category, MissingLabelsWarning)]


def counted(frame: pd.DataFrame) -> Contingency:
    counter = Counter()
    counter.update(frame["t"].tolist(), frame["s"].tolist())
    return counter.table()


ENTRIES: dict[str, Callable[[pd.DataFrame], Any]] = {
    "from_labels": lambda f: Contingency.from_labels(f["t"], f["s"]),
    "read": lambda f: ifs.read(f, truth="t", system="s"),
    "read several": lambda f: ifs.read_tables(f, truth="t", system=["s", "u"]),
    "read by group": lambda f: ifs.read_tables(f, truth="t", system="s", by="k"),
    "counter": counted,
    "joint": lambda f: ifs.read_joint(f, truth="t", system=["s", "u"]).table("s"),
    "evaluate": lambda f: ifs.evaluate(f, truth="t", system="s"),
    "evaluate several": lambda f: ifs.evaluate(f, truth="t", system=["s", "u"]),
    "evaluate by group": lambda f: ifs.evaluate(f, truth="t", system=["s", "u"], by="k"),
    "evaluate a table": lambda f: ifs.evaluate(Contingency.from_labels(f["t"], f["s"])),
    "compare labels": lambda f: ifs.compare(f["t"], {"s": f["s"], "u": f["u"]}, metrics="accuracy"),
    "compare columns": lambda f: ifs.compare(f, truth="t", system=["s", "u"], metrics="accuracy"),
    "sweep": lambda f: ifs.sweep(f["t"], f["p"].to_numpy()),
    "sweep classes": lambda f: ifs.sweep(f["t"], np.column_stack([f["p"], 1 - f["p"]])),
    "sweep a source": lambda f: ifs.sweep(f, truth="t", score="p"),
    "tune labels": lambda f: ifs.tune(f["t"], {1: f["s"], 2: f["u"]}, "k"),
    "runs of labels": lambda f: ifs.monte_carlo(f["t"], {"s": [f["s"], f["s"]]}),
    "gate": lambda f: ifs.gate(f["t"], f["s"], min={"accuracy": 0.1}),
    "gate against a baseline": lambda f: ifs.gate(f["t"], f["s"], baseline=f["u"], not_worse=["accuracy"]),
    "report": lambda f: ifs.report(f["t"], f["s"]),
    "tune a source": lambda f: ifs.tune(f, "k", truth="t", system="s"),
    "stability": lambda f: ifs.stability([*f["t"]] * 5, [*f["s"]] * 5),
    "display": lambda f: ifs.ConfusionDisplay.from_predictions(f["t"], f["s"]),
    "display of several": lambda f: ifs.CoverageDisplay.from_predictions(f["t"], {"s": f["s"], "u": f["u"]}),
}


@pytest.mark.parametrize("entry", ENTRIES.values(), ids=ENTRIES.keys())
def test_one_warning_per_call_for_the_line_of_the_caller(entry: Callable[[pd.DataFrame], Any]) -> None:
    pytest.importorskip("matplotlib").use("agg")
    _, found = caught(lambda: entry(FRAME))

    assert len(found) == 1
    assert Path(found[0].filename) == Path(__file__)
    assert issubclass(found[0].category, ifs.InfoscopeWarning)
    assert issubclass(found[0].category, UserWarning)
    assert caught(lambda: entry(CLEAN))[1] == []


@pytest.mark.parametrize(
    "holes",
    [
        [1.0, float("nan"), 2.0, 1.0],
        ["x", None, "y", "x"],
        pd.Series(["x", pd.NA, "y", "x"], dtype="string"),
        pd.Series([1, pd.NA, 2, 1], dtype="Int64"),
        pd.Series(pd.to_datetime(["2024-01-01", None, "2024-01-02", "2024-01-01"])),
        pd.Categorical(["x", None, "y", "x"]),
        pl.Series(["x", None, "y", "x"]),
        np.array(["2024-01-01", "NaT", "2024-01-02", "2024-01-01"], dtype="datetime64[D]"),
    ],
    ids=["nan", "None", "NA", "nullable", "NaT", "categories", "polars", "numpy NaT"],
)
def test_every_kind_of_hole(holes: Any) -> None:
    table, found = caught(lambda: Contingency.from_labels(holes, holes))

    assert [str(each.message) for each in found] == ["1 row left out: missing truth label"]
    assert dict(table.ignored) == {"missing truth label": 1}
    assert repr(table).splitlines()[-1] == "1 row left out: missing truth label"
    assert "1 row left out: missing truth label" in table._repr_html_()


@pytest.mark.slow
def test_the_evaluation_carries_the_finding() -> None:
    evaluation, found = caught(lambda: ifs.evaluate(FRAME, truth="t", system=["s", "u"]))
    sentences = ["1 row left out: missing label in 't'", "1 row left out: missing label in 's'"]

    assert sorted(str(found[0].message).split("; ")) == sorted(sentences)
    about_data = [finding for finding in evaluation.findings if not finding.system]
    assert sorted(finding.text for finding in about_data) == sorted(f"{each}." for each in sentences)
    assert {finding.code for finding in about_data} == {"rows_ignored"}
    assert sum(finding.evidence["rows"] for finding in about_data) == 2
    assert [each["code"] for each in evaluation.to_dict()["findings"]] == ["rows_ignored"] * 2
    assert Evaluation.from_dict(evaluation.to_dict()).findings == evaluation.findings
    for shown in (repr(evaluation), evaluation._repr_html_().replace("&#x27;", "'"), evaluation.to_text()):
        for sentence in sentences:
            assert sentence in shown
    clean = ifs.evaluate(CLEAN, truth="t", system="s")
    assert all(finding.system == "s" for finding in clean.findings)
    assert clean.to_dict().get("findings", []) == []
    assert "left out" not in repr(clean)


def test_a_finished_table_is_not_warned_of_again_but_says_it() -> None:
    table = Contingency.from_labels(TRUTH, ANSWERS)
    evaluation, found = caught(lambda: ifs.evaluate({"one": table, "two": table}))

    assert found == []
    assert "1 row left out: missing truth label." in repr(evaluation)


def test_a_warning_can_be_made_an_error() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", MissingLabelsWarning)
        with pytest.raises(MissingLabelsWarning, match="left out"):
            Contingency.from_labels(TRUTH, ANSWERS)


def test_stored_tables_say_it_when_they_are_read(tmp_path: Path) -> None:
    ifs.read_tables(FRAME, truth="t", system="s").save(tmp_path / "part.ifs")

    assert len(caught(lambda: ifs.read(tmp_path / "part.ifs"))[1]) == 1
    assert len(caught(lambda: ifs.evaluate(tmp_path / "part.ifs"))[1]) == 1


@pytest.mark.slow
def test_sweeps_and_runs_say_it() -> None:
    assert "1 row left out: missing truth" in repr(ifs.sweep(FRAME["t"], FRAME["p"].to_numpy()))
    assert "left out" in repr(ifs.tune(FRAME, "k", truth="t", system="s"))


@pytest.mark.slow
def test_objects_of_one_side_only() -> None:
    truth, one = {"x": {"a"}, "y": {"b"}, "z": {"a"}}, {"x": {"a"}, "y": {"b"}}
    result, found = caught(lambda: multilabel_evaluate(truth, one, draws=10, splits=2))
    assert [str(each.message) for each in found] == ["1 object left out: object in truth only"]
    assert "1 object left out: object in truth only" in repr(result)
    assert len(caught(lambda: multilabel_compare(truth, {"one": one, "two": one}, draws=10, splits=2))[1]) == 1


def test_items_of_one_annotator_only() -> None:
    source = {"ann": ["a", "a", "b", None, "b"], "bob": ["a", "b", "b", "a", "b"], "eve": ["a", "a", "b", None, "b"]}
    result, found = caught(lambda: ifs.agreement(source, draws=20))
    assert [str(each.message) for each in found] == ["1 item left out: labelled by fewer than two annotators"]
    assert "1 item left out" in repr(result)
    assert result.findings[0].code == "items_left_out"
    full = {"ann": ["a", None, "b"], "bob": ["a", "b", "b"], "eve": ["a", "b", None]}
    assert caught(lambda: ifs.agreement(full, draws=20))[1] == []


@pytest.fixture
def rows(tmp_path: Path) -> str:
    FRAME.to_csv(tmp_path / "rows.csv", index=False)
    return str(tmp_path / "rows.csv")


COMMANDS = {
    "evaluate": ("evaluate", "-s", "s", "--format", "json"),
    "gate": ("gate", "-s", "s", "--min", "accuracy.value=0"),
    "compare": ("compare", "-s", "s", "-s", "u"),
    "sweep": ("sweep", "--score", "p"),
    "runs": ("sweep", "-s", "s", "--parameter", "k"),
}


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS.keys())
def test_commands_say_it_themselves_and_once(words: tuple[str, ...], rows: str) -> None:
    def run() -> Any:
        return CliRunner().invoke(app, [words[0], rows, "-t", "t", *words[1:]], catch_exceptions=False)

    result, found = caught(run)

    assert result.exit_code == 0, result.output
    assert found == []
    written_out = result.stderr if words[0] in ("evaluate", "gate") else result.stdout
    expected = "lacks 2 of 8 rows" if words[0] == "compare" else "1 row left out: missing"
    assert expected in " ".join(written_out.split())
    assert "MissingLabelsWarning" not in result.output


def test_quiet_commands_say_nothing(rows: str) -> None:
    words = ["gate", rows, "-t", "t", "-s", "s", "--min", "accuracy.value=0", "-q"]

    assert "left out" not in CliRunner().invoke(app, words).stderr


@pytest.mark.parametrize(
    "words",
    [
        ("evaluate", "-t", "t", "-s", "s", "--judge", "u", "--by", "site"),
        ("evaluate", "-t", "t", "-s", "s", "--judge", "u", "--weight", "w"),
        ("agree", "-s", "s", "-s", "u", "--by", "site=x,y"),
        ("agree", "-s", "s", "-s", "u", "-s", "t", "--latent", "--weight", "w", "--draws", "50"),
        ("relate", "-c", "s", "-c", "u", "--weight", "w"),
        ("sweep", "-t", "u", "--score", "w", "--by", "site"),
        ("sweep", "-t", "t", "-s", "u", "--parameter", "site"),
        ("monte-carlo", "-t", "t", "-s", "u", "--by", "site"),
    ],
    ids=" ".join,
)
def test_a_command_whose_result_does_not_list_such_rows_says_them_once(words: tuple[str, ...], tmp_path: Path) -> None:
    cycle = {"t": "ab", "s": "aab", "u": "abbab"}
    frame = pd.DataFrame({name: [labels[row % len(labels)] for row in range(63)] for name, labels in cycle.items()})
    frame["site"] = ["x", "x", "y", "y"] * 15 + ["", "", ""]
    frame["w"] = [0.25, 0.75] * 30 + [None] * 3
    frame.to_csv(tmp_path / "rows.csv", index=False)
    result = CliRunner().invoke(app, [words[0], str(tmp_path / "rows.csv"), *words[1:]], catch_exceptions=False)

    assert result.exit_code == 0, result.output
    assert result.stderr.count("3 rows left out: missing") == 1
