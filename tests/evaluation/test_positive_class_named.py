"""Every number of one class names the class."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from sklearn.metrics import f1_score

import infoscope as ifs
from infoscope import Contingency, Evaluation, InputError, Tuning
from tests.api import app

TABLE = Contingency.from_matrix([[40, 10], [5, 45]], truth=["cat", "dog"], positive="dog")
OTHER = Contingency.from_matrix([[30, 20], [15, 35]], truth=["cat", "dog"], positive="dog")
OF_CLASS = [
    *("precision", "recall", "specificity", "npv", "false_alarm_rate", "f1", "f_beta", "jaccard"),
    *("positive_likelihood_ratio", "negative_likelihood_ratio", "lift"),
]


def ran(*words: str) -> str:
    result = CliRunner().invoke(app, list(words))
    assert result.exit_code in (0, 1), result.output
    return result.stdout


@pytest.fixture
def rows(tmp_path: Path) -> str:
    path = tmp_path / "rows.csv"
    lines = ["t,a,b,k", *(["cat,cat,dog,1", "cat,cat,cat,2", "dog,dog,dog,1", "dog,cat,dog,2"] * 10)]
    path.write_text("\n".join(lines) + "\n")
    return str(path)


@pytest.mark.parametrize("width", [40, 100, 160])
def test_text(width: int) -> None:
    text = ifs.evaluate(TABLE).to_text(width=width)

    assert "finds 90.0% of 'dog' at a precision of" in " ".join(text.split())


def test_markdown_escapes_the_class() -> None:
    named = TABLE.relabel({"dog": "d|o*g"})

    assert r"finds 90.0% of 'd\|o\*g' at a precision of" in ifs.evaluate(named).to_markdown()


def test_json_and_back() -> None:
    evaluation = ifs.evaluate(TABLE)
    metrics = evaluation.to_dict()["systems"][0]["metrics"]

    assert [name for name, record in metrics.items() if "positive" in record] == [
        name for name in metrics if name in OF_CLASS
    ]
    assert {metrics[name]["positive"] for name in OF_CLASS} == {"dog"}
    assert Evaluation.from_dict(json.loads(evaluation.to_json())).to_dict() == evaluation.to_dict()
    three = ifs.evaluate(Contingency.from_matrix([[5, 1, 0], [1, 5, 1], [0, 2, 5]])).to_dict()
    assert not any("positive" in record for record in three["systems"][0]["metrics"].values())


@pytest.mark.parametrize(("positive", "named"), [("cat", "cat"), (None, "dog")])
def test_rows_and_documents_of_settings(positive: str | None, named: str) -> None:
    one, two = (Contingency.from_matrix(t.matrix, truth=["cat", "dog"], positive=positive) for t in (TABLE, OTHER))
    (row,) = ifs.evaluate(one).rows()
    assert row["positive"] == named
    assert "positive" not in next(iter(ifs.evaluate(one, metrics="accuracy").rows()))
    tuned = ifs.tune({1: one, 2: two}, "k")
    assert tuned.to_dict()["positive"] == named
    assert Tuning.from_dict(json.loads(tuned.to_json())).positive == named


@pytest.mark.slow
def test_page(tmp_path: Path) -> None:
    page = ifs.evaluate({"one": TABLE, "two": OTHER}).to_html(tmp_path / "page.html").read_text()
    assert "Precision of &#x27;dog&#x27;" in page or "Precision of 'dog'" in page

    turned = Contingency.from_matrix([[30, 20], [15, 35]], truth=["cat", "dog"], positive="cat")
    mixed = ifs.evaluate({"one": TABLE, "two": turned}).to_html(tmp_path / "mixed.html").read_text()
    assert "Precision of" not in mixed
    assert mixed.count("of &#x27;cat&#x27;") + mixed.count("of 'cat'") >= len(OF_CLASS)


def test_comparison_in_every_form() -> None:
    found = ifs.compare({"one": TABLE, "two": OTHER}, metrics=["precision", "accuracy"])

    assert "precision of 'dog' 81.8% against 63.6%" in found.to_text()
    assert "Precision of 'dog'  higher is better" in ifs.reports.render(found, "text", max_rows=0)
    assert "## Precision of 'dog'\n\n*higher is better*" in ifs.reports.render(found, "markdown", max_rows=0)
    assert "precision of 'dog'" in found.ranking[0].statement
    assert "of 'dog'" not in found.ranking[1].statement
    assert found.to_dict()["positive"] == "dog"
    page = found.to_html()
    assert "Precision of &#x27;dog&#x27;" in str(page) or "Precision of 'dog'" in str(page)


def test_numbers_of_different_classes_are_not_compared() -> None:
    turned = Contingency.from_matrix([[30, 20], [15, 35]], truth=["cat", "dog"], positive="cat")

    with pytest.raises(InputError, match="precision is about 'dog' for 'one' and about 'cat' for 'two'"):
        ifs.compare({"one": TABLE, "two": turned}, metrics="precision")
    assert ifs.compare({"one": TABLE, "two": turned}).positive is None


@pytest.mark.slow
def test_gate(rows: str, tmp_path: Path) -> None:
    asked = ("gate", rows, "-t", "t", "-s", "a", "--min", "recall=0.1")
    checks = json.loads(ran(*asked, "--positive", "dog", "--format", "json"))["checks"]
    assert checks[0]["condition"] == "recall of 'dog' at least 0.1"
    assert "recall of 'cat' at least 10.0%" in ran(*asked, "--positive", "cat")

    base = tmp_path / "base.json"
    ran("evaluate", rows, "-t", "t", "-s", "a", "--format", "json", "-o", str(base))
    shown = CliRunner().invoke(
        app, [*asked[:-2], "--positive", "cat", "--baseline", str(base), "--metric", "recall"], catch_exceptions=False
    )
    assert shown.exit_code == 2
    assert "recall is about 'cat' here and about 'dog' in the baseline" in shown.stderr


def test_explain_says_the_rule() -> None:
    assert "the label 1 or True" in " ".join(ran("explain", "precision").split())
    assert "positive class: the one named" not in ran("explain", "phi")


@pytest.mark.parametrize("form", ["text", "markdown"])
def test_runs_at_several_settings(rows: str, form: str) -> None:
    shown = ran(
        "sweep",
        rows,
        "-t",
        "t",
        "-s",
        "a",
        "--parameter",
        "k",
        "--metric",
        "recall",
        "--positive",
        "dog",
        "--format",
        form,
    )

    assert "F1 of 'dog' 100%" in shown
    assert "chosen by recall of 'dog'" in shown


@pytest.mark.slow
def test_bare_matrix_files_and_labelled_ones_agree(tmp_path: Path) -> None:
    (tmp_path / "bare.csv").write_text("40,10\n5,45\n")
    (tmp_path / "named.csv").write_text(",0,1\n0,40,10\n1,5,45\n")

    def shown(name: str, *more: str) -> dict[str, Any]:
        document = json.loads(ran("evaluate", "--matrix", str(tmp_path / name), "--format", "json", *more))
        return document["systems"][0]["metrics"]["precision"]

    for more in ((), ("--positive", "0")):
        assert shown("bare.csv", *more) == shown("named.csv", *more)
    assert shown("bare.csv")["positive"] == "1"
    assert shown("bare.csv")["value"] == pytest.approx(45 / 55)


def test_a_stated_positive_class_counts_for_finished_tables_as_for_labels() -> None:
    truth, one, two = [0, 1] * 40, [0, 1] * 30 + [1, 1] * 10, [0, 1] * 20 + [0, 0] * 20
    labels = {"one": one, "two": two}
    tables = {name: Contingency.from_labels(truth, each) for name, each in labels.items()}
    for positive in (0, 1):
        by_labels = ifs.compare(truth, labels, metrics="f1", positive=positive).ranking[0]
        by_tables = ifs.compare(tables, metrics="f1", positive=positive).ranking[0]
        assert [x.estimate.value for x in by_tables.places] == [x.estimate.value for x in by_labels.places]
        evaluated = ifs.evaluate(tables["one"], metrics="f1", positive=positive)["system"].metrics["f1"]
        assert (evaluated.value, evaluated.positive) == (f1_score(truth, one, pos_label=positive), str(positive))
        best = ifs.tune(tables, parameters="k", choose_by="f1", positive=positive).best()
        assert (best.metric, best.positive) == ("f1", str(positive))
        assert best.value == max(f1_score(truth, each, pos_label=positive) for each in labels.values())
        half = ifs.stability(tables["one"], metrics="f1", positive=positive)["f1"]
        assert half["mean"] - half["bias"] == pytest.approx(evaluated.value)


@pytest.mark.parametrize(
    ("name", "value"), [("weight", [1.0] * 4), ("reject", "?"), ("clean", "strip"), ("by", "g"), ("labels", ["a", "b"])]
)
def test_options_about_rows_are_rejected_beside_finished_tables(name: str, value: Any) -> None:
    table = Contingency.from_labels(["a", "b", "a", "b"], ["a", "b", "b", "b"])
    for ask in [ifs.evaluate] if name in ("by", "labels") else [ifs.evaluate, ifs.compare]:
        with pytest.raises(InputError, match=f"{name}= is about rows, and a finished table has none"):
            ask({"one": table, "two": table}, **{name: value})
