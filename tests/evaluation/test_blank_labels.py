"""Empty and blank labels are classes with a finding, where a source distinguishes them from missing ones."""

from pathlib import Path

import pandas as pd
import polars as pl
import pytest
from click.testing import CliRunner
from sklearn.metrics import accuracy_score

import infoscope as ifs
from tests.api import Result, app
from tests.frames import write_frame

TRUTH = ["", "a", "b", "", "a", "b"] * 5
PREDICTED = ["a", "a", "b", "", "b", "b"] * 5


def blank(result: Result) -> list[str]:
    return [finding.text for finding in result.findings if finding.code == "blank_labels"]


def written(form: str, folder: Path) -> Path:
    """The rows in a file of a form that distinguishes '' from null."""
    path = folder / f"rows.{form}"
    write_frame(pl.DataFrame({"t": TRUTH, "p": PREDICTED}), path, form)
    return path


FORMS = {
    "lists": lambda: ifs.evaluate(TRUTH, PREDICTED),
    "pandas": lambda: ifs.evaluate(pd.Series(TRUTH), pd.Series(PREDICTED)),
    "categories": lambda: ifs.evaluate(pd.Series(TRUTH, dtype="category"), pd.Series(PREDICTED, dtype="category")),
    "polars": lambda: ifs.evaluate(pl.DataFrame({"t": TRUTH, "p": PREDICTED}), truth="t", system="p"),
    "compare": lambda: ifs.compare(TRUTH, {"one": PREDICTED, "two": TRUTH[1:] + TRUTH[:1]}),
}


@pytest.mark.parametrize("form", FORMS)
def test_an_empty_label_in_memory_is_a_class_as_in_scikit_learn_and_said(form):
    result = FORMS[form]()

    (text,) = blank(result)
    assert "'' is the true class 10 times" in text
    assert "an empty field of a CSV file" in text
    assert "--clean strip" in text
    if isinstance(result, ifs.Evaluation):
        assert result.systems[0].number("accuracy") == accuracy_score(TRUTH, PREDICTED)


@pytest.mark.slow
@pytest.mark.parametrize("form", ["parquet", "arrow", "ndjson", "json"])
def test_files_that_tell_it_from_null_count_it_and_the_way_out_works(form, tmp_path):
    path = written(form, tmp_path)

    assert blank(ifs.evaluate(path, truth="t", system="p")) == blank(FORMS["lists"]())
    cleaned = ifs.evaluate(path, truth="t", system="p", clean="strip")
    assert blank(cleaned) == []
    assert [(item.reason, item.rows) for item in cleaned.provenance.ignored] == [("missing label in 't'", 10)]


def test_the_command_line_says_it_on_stderr(tmp_path):
    path = str(written("parquet", tmp_path))
    found = CliRunner().invoke(app, ["evaluate", path, "-t", "t", "-s", "p", "--format", "json"])

    assert found.exit_code == 0
    assert "warning: '' is the true class 10 times and the predicted class 5 times" in found.stderr
    assert CliRunner().invoke(app, ["evaluate", path, "-t", "t", "-s", "p", "--clean", "strip"]).exit_code == 0


def test_an_empty_field_of_a_csv_file_is_missing(tmp_path):
    path = tmp_path / "rows.csv"
    pd.DataFrame({"t": TRUTH, "p": PREDICTED}).to_csv(path, index=False)
    found = ifs.evaluate(path, truth="t", system="p")

    assert blank(found) == []
    assert found.provenance.rows_ignored == 10


@pytest.mark.slow
def test_blanks_in_a_csv_file_are_said_and_stripped(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("t,p\n" + '" ",a\na,a\nb,b\n' * 5)

    (text,) = blank(ifs.evaluate(path, truth="t", system="p"))
    assert text.startswith("' ' is the true class 5 times:")
    assert blank(ifs.evaluate(path, truth="t", system="p", clean="strip")) == []


@pytest.mark.slow
def test_predictions_that_are_empty_may_be_declared_as_abstentions():
    truth, predicted = ["a", "b", "c"] * 5, ["a", "", "c"] * 5
    (text,) = blank(ifs.evaluate(truth, predicted))

    assert text.startswith("'' is the predicted class 5 times:")
    assert "declare it with --reject '' (reject='')" in text
    assert blank(ifs.evaluate(truth, predicted, reject="")) == []


@pytest.mark.slow
def test_systems_share_rows_and_groups_do_not():
    frame = pd.DataFrame({"t": TRUTH, "p": PREDICTED, "q": PREDICTED, "g": ["x", "y"] * 15})
    (text,) = blank(ifs.evaluate(frame, truth="t", system=["p", "q"], by="g"))

    assert text.startswith("'' is the true class 10 times and the predicted class 5 times:")


def test_a_blank_name_can_be_seen_in_every_form():
    result = FORMS["lists"]()

    assert "'' ↔ a" in result.to_text()
    assert ">''<" in result.to_html().replace("&#x27;", "'").replace("&#39;", "'")
    assert "''" in result.to_markdown()


STUDIES = {
    "agreement": ifs.agreement,
    "agreement of sets": lambda one, two: ifs.agreement(sets(one), sets(two)),
    "drift": lambda one, two: ifs.drift({"a": one, "b": two}, {"a": two, "b": one}, permutations=99),
    "latent truth": lambda one, two: ifs.latent_truth({"a": one, "b": two, "c": one}, draws=20),
    "relations": lambda one, two: ifs.relate({"a": one, "b": two}),
    "label sets": lambda one, two: ifs.multilabel.evaluate(sets(one), sets(two)),
    "sweep": lambda _, two: ifs.sweep(two, [0.1, 0.7, 0.2, 0.4, 0.6, 0.9] * 5),
    "tuning": lambda one, two: ifs.tune(one, {1: two, 2: one}, "k"),
}


def sets(labels: list[str]) -> list[list[str]]:
    return [[label] for label in labels]


@pytest.mark.slow
@pytest.mark.parametrize("study", STUDIES)
def test_every_study_says_it(study):
    run = STUDIES[study]
    blanks = ["a" if label == "b" else label for label in PREDICTED] if study == "sweep" else PREDICTED

    (text,) = blank(run(TRUTH, blanks))
    assert "'' is " in text
    assert "an empty field of a CSV file" in text
    named = [label or "none" for label in TRUTH], [label or "none" for label in blanks]
    assert blank(run(*named)) == []


@pytest.mark.slow
def test_cross_validation_says_it():
    from sklearn.dummy import DummyClassifier

    estimators = {"dummy": DummyClassifier()}
    found = ifs.cross_validate(estimators, [[0.0]] * 30, TRUTH, folds=3, repeats=1, jobs=1)
    assert blank(found)[0].startswith("'' is 10 times a label of y:")


@pytest.mark.parametrize(
    "ask",
    [
        lambda: ifs.report(TRUTH, PREDICTED),
        lambda: ifs.report(TRUTH, PREDICTED, output_dict=True),
        lambda: ifs.stability(TRUTH, PREDICTED, metrics=["accuracy"], splits=5),
    ],
)
def test_what_has_no_findings_warns(ask):
    with pytest.warns(ifs.InfoscopeWarning, match="'' is the true class 10 times and the predicted class 5 times"):
        ask()


@pytest.mark.filterwarnings("ignore::infoscope.InfoscopeWarning")
def test_a_report_shows_blank_names_in_quotes():
    lines = ifs.report(["", " ", "a"] * 9, ["", " ", "a"] * 9).splitlines()

    assert [line.split("  ")[0] for line in lines[1:4]] == ["''", "' '", "a"]


def words(result: Result) -> list[tuple[str, str]]:
    return [(finding.severity, finding.text) for finding in result.findings if finding.code == "missing_words"]


def test_words_for_a_missing_label_are_classes_with_a_finding(tmp_path):
    truth = ["a", "nan", "b", "a", "None", "b"] * 4
    predicted = ["a", "b", "b", "a", "b", "a"] * 4
    ((severity, text),) = words(ifs.evaluate(truth, predicted))

    assert severity == "warning"
    assert text.startswith(
        "'None' is the true class 4 times; 'nan' is the true class 4 times: such a label counts like"
    )
    assert "leave the field empty, or give None" in text
    path = tmp_path / "rows.csv"
    pd.DataFrame({"t": truth, "p": predicted}).to_csv(path, index=False)
    found = CliRunner().invoke(app, ["evaluate", str(path), "-t", "t", "-s", "p", "--format", "json"])
    assert "warning: 'None' is the true class 4 times" in found.stderr


def test_a_class_of_both_sides_with_such_a_name_is_a_note_and_a_reject_label_is_none():
    truth = ["a", "None", "b"] * 4
    assert words(ifs.evaluate(truth, truth))[0][0] == "note"
    assert words(ifs.evaluate(["a", "b", "b"] * 4, ["a", "NA", "b"] * 4, reject="NA")) == []
    assert words(ifs.evaluate(["a", "b"] * 4, ["a", "nano"] * 4)) == []
