"""A positive class that is named for more than two classes has no effect, and a finding says so everywhere."""

import pytest
import sklearn.metrics
from click.testing import CliRunner

import infoscope as ifs
from tests.api import app

TRUTH = ["a", "b", "c"] * 10
TWO = ["fraud", "legit", "legit"] * 9
PREDICTED = ["a", "b", "b", "a", "c", "c"] * 5


def said(result: ifs.Evaluation | ifs.Comparison | ifs.Gate) -> list[str]:
    return [finding.text for finding in result.findings if finding.code == "positive_without_effect"]


CALLS = {
    "evaluate": lambda **stated: ifs.evaluate(TRUTH, PREDICTED, **stated),
    "compare": lambda **stated: ifs.compare(TRUTH, {"one": PREDICTED, "two": TRUTH[1:] + TRUTH[:1]}, **stated),
    "tables": lambda **stated: ifs.evaluate(ifs.Contingency.from_labels(TRUTH, PREDICTED, **stated)),
    "gate": lambda **stated: ifs.gate(TRUTH, PREDICTED, min={"accuracy": 0.1}, **stated),
}


@pytest.mark.parametrize("call", CALLS)
def test_three_classes(call):
    (text,) = said(CALLS[call](positive="a"))

    assert text.startswith("The positive class 'a' has no effect: there are 3 classes")
    assert said(CALLS[call]()) == []


def test_a_label_that_is_only_predicted_is_a_rejection_to_declare():
    result = ifs.evaluate(["ham", "spam"] * 20, ["ham", "spam", "?", "spam"] * 10, positive="spam")
    text = " ".join(result.to_text().split())

    assert "The positive class 'spam' has no effect, since '?' is predicted and counts as a third class." in text
    assert text.count("--reject '?'") == 1
    assert (
        said(ifs.evaluate(["ham", "spam"] * 20, ["ham", "spam", "?", "spam"] * 10, positive="spam", reject="?")) == []
    )


def test_two_classes_have_one():
    assert said(ifs.evaluate(["a", "b"] * 9, ["a", "a", "b"] * 6, positive="a")) == []


def test_the_command_line_says_it_on_stderr(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("t,p\n" + "\n".join(map(",".join, zip(TRUTH, PREDICTED, strict=True))))
    found = CliRunner().invoke(app, ["evaluate", str(path), "-t", "t", "-s", "p", "--positive", "a"])

    assert found.exit_code == 0
    assert "warning: The positive class 'a' has no effect: there are 3 classes" in found.stderr


def test_averages_ignore_it_as_in_scikit_learn_and_say_so():
    ours = {"average": "macro", "pos_label": "a"}
    with pytest.warns(UserWarning, match="pos_label"):
        expected = sklearn.metrics.recall_score(TRUTH, PREDICTED, **ours)
    with pytest.warns(ifs.InfoscopeWarning, match=r"pos_label='a' is ignored with average='macro'; labels=\['a'\]"):
        assert ifs.metrics.recall(TRUTH, PREDICTED, **ours) == pytest.approx(expected)


@pytest.mark.filterwarnings("error")
def test_a_positive_class_1_is_the_default_of_scikit_learn():
    assert ifs.metrics.recall([0, 1, 2], [0, 1, 2], average="macro", pos_label=1) == 1.0


@pytest.mark.parametrize("call", [sklearn.metrics.precision_score, ifs.metrics.precision])
def test_one_class_of_three_is_rejected_as_in_scikit_learn(call):
    with pytest.raises((ValueError, ifs.InputError), match="average"):
        call(TRUTH, PREDICTED, pos_label="a")


@pytest.mark.slow
def test_two_names_that_do_not_decide_are_asked_for_in_every_form():
    result = ifs.evaluate(TWO, [*TWO[1:], "fraud"])
    words = "--positive legit or --positive fraud (positive= in Python)"

    assert words in " ".join(result.to_text().split())
    assert words in repr(result)
    assert words in result.to_markdown().replace("\\", "")
    assert words in result.to_html()
    assert words in result._repr_html_()
    assert result.to_dict()["systems"][0]["positive_by_sorting"] is True
    with pytest.raises(ifs.InputError, match="--positive fraud or --positive legit"):
        ifs.evaluate(TWO, [*TWO[1:], "fraud"], metrics="recall")
    for stated in ("fraud", "legit"):
        assert words not in repr(ifs.evaluate(TWO, [*TWO[1:], "fraud"], positive=stated))


@pytest.mark.slow
def test_names_that_decide_are_not_asked_for():
    for one, other in (("no", "yes"), (0, 1), ("not_fraud", "fraud"), (False, True)):
        result = ifs.evaluate([one, other, other] * 9, [one, other, one] * 9)
        assert "do not say which class" not in result.to_text()
