"""Every question takes labels, a mapping of names to labels, rows, or tables, with the same answer."""

from __future__ import annotations

import random

import numpy as np
import pytest

import infoscope as ifs
from infoscope.errors import InputError

RNG = random.Random(4)
TRUTH = [RNG.choice("abc") for _ in range(120)]
PREDICTED = {
    name: [label if RNG.random() < right else RNG.choice("abc") for label in TRUTH]
    for name, right in (("svm", 0.8), ("knn", 0.5))
}
ROWS = {"gold": TRUTH, **PREDICTED, "site": [RNG.choice("xy") for _ in TRUTH]}
TABLES = {name: ifs.Contingency.from_labels(TRUTH, labels) for name, labels in PREDICTED.items()}


def read(**options: str) -> ifs.Tables:
    return ifs.read_tables(ROWS, truth="gold", system=["svm", "knn"], **options)  # type: ignore[arg-type]


def captured(result: ifs.Evaluation) -> dict[str, float | None]:
    return {system.title: system.number("proficiency") for system in result}


@pytest.mark.slow
def test_tables_that_were_read_are_evaluated_by_system():
    assert captured(ifs.evaluate(read())) == captured(ifs.evaluate(TABLES)) == captured(ifs.evaluate(TRUTH, PREDICTED))
    assert ifs.evaluate(read()).provenance.rows == len(TRUTH)


@pytest.mark.slow
def test_tables_that_were_read_by_group_are_evaluated_by_group():
    found = ifs.evaluate(read(by="site"))

    assert captured(found) == captured(ifs.evaluate(ROWS, truth="gold", system=["svm", "knn"], by="site"))
    assert [system.group for system in found][:1] == [{"site": "x"}]


@pytest.mark.slow
def test_tables_that_were_read_are_compared_by_system():
    assert ifs.compare(read()).systems == ("svm", "knn")
    assert set(ifs.compare(read(by="site")).systems) == {"svm (x)", "knn (x)", "svm (y)", "knn (y)"}


def test_tables_that_were_read_are_drawn_and_tuned():
    assert [point.name for point in ifs.CoverageDisplay.from_table(read()).points] == ["svm", "knn"]
    settings = ifs.read_tables(ROWS, truth="gold", system="svm", by="site")
    assert list(ifs.tune(settings, "site").rows()) == list(ifs.tune(ROWS, "site", truth="gold", system="svm").rows())
    with pytest.raises(InputError, match="settings are those of one system"):
        ifs.tune(read(by="site"), "site")


@pytest.mark.slow
def test_two_annotators_as_two_sequences_and_as_their_table():
    of_labels = ifs.agreement(TRUTH, PREDICTED["svm"], draws=50)
    of_table = ifs.agreement(TABLES["svm"], draws=50)

    assert of_labels.names == of_table.names == ("annotator 1", "annotator 2")
    assert of_labels.pairs == of_table.pairs
    assert of_labels.krippendorff_alpha.value == of_table.krippendorff_alpha.value
    named = ifs.agreement({"annotator 1": TRUTH, "annotator 2": PREDICTED["svm"]}, draws=50)
    assert named.pairs == of_labels.pairs
    assert ifs.agreement(TRUTH, PREDICTED, draws=50).names == ("annotator 1", "svm", "knn")


def test_several_tables_have_no_items_in_common():
    with pytest.raises(InputError, match="one table alone"):
        ifs.agreement(TABLES)
    with pytest.raises(InputError, match="whole numbers"):
        ifs.agreement(ifs.Contingency.from_matrix([[0.5, 0.1], [0.2, 0.2]]))


def test_a_tuning_of_labels_is_that_of_their_tables():
    by_depth = {1: PREDICTED["knn"], 2: PREDICTED["svm"]}
    of_tables = ifs.tune({1: TABLES["knn"], 2: TABLES["svm"]}, "depth")

    assert list(ifs.tune(TRUTH, by_depth, "depth").rows()) == list(of_tables.rows())
    assert list(ifs.tune(TRUTH, y_pred=by_depth, parameters=["depth"]).rows()) == list(of_tables.rows())


def test_a_tuning_says_what_is_missing():
    with pytest.raises(InputError, match="name the parameters"):
        ifs.tune(TRUTH, {1: TRUTH, 2: TRUTH})
    with pytest.raises(InputError, match="maps each setting"):
        ifs.tune(TRUTH, TRUTH, "depth")
    with pytest.raises(InputError, match="not both"):
        ifs.tune(TRUTH, {1: TRUTH, 2: TRUTH}, "depth", truth="gold")


def test_probabilities_by_class_and_scores_by_name():
    rows = [[RNG.random() + (label == each) for each in "abc"] for label in TRUTH]
    shares = {each: [row[at] / sum(row) for row in rows] for at, each in enumerate("abc")}
    columns = list(zip(*shares.values(), strict=True))
    assert ifs.sweep(TRUTH, shares).areas == ifs.sweep(TRUTH, columns, classes=list("abc")).areas

    binary, scores = [label == "a" for label in TRUTH], shares["a"]
    assert ifs.sweep(binary, {"svm": scores}).areas == ifs.sweep(binary, scores).areas
    with pytest.raises(InputError, match="one system at a time"):
        ifs.sweep(binary, {"svm": scores, "knn": scores})


def test_scores_in_columns_that_are_named_otherwise():
    scores = {"p_a": [0.9, 0.2, 0.6, 0.4], "p_b": [0.1, 0.8, 0.4, 0.6]}
    rows = {"gold": list("abab"), **scores}
    plain = ifs.sweep(list("abab"), list(zip(*scores.values(), strict=True)), classes=["a", "b"]).areas
    assert ifs.sweep(rows, truth="gold", score=["p_a", "p_b"]).areas == plain
    named = {"first": scores["p_a"], "second": scores["p_b"]}
    assert ifs.sweep(list("abab"), named, classes=["a", "b"]).areas == plain
    numbers = {1: scores["p_a"], 0: scores["p_b"]}
    assert ifs.sweep([1.0, 0.0, 1.0, 0.0], numbers).areas == ifs.sweep([1, 0, 1, 0], numbers).areas


def test_scores_by_class_that_are_too_few():
    with pytest.raises(InputError, match="3 scores of 'a' and 2 of 'b'"):
        ifs.sweep(list("aba"), {"a": [0.1, 0.2, 0.3], "b": [0.9, 0.8]})
    with pytest.raises(InputError, match="no scores"):
        ifs.sweep(list("aba"), {})


@pytest.mark.slow
def test_columns_of_a_frame_are_annotators():
    pd = pytest.importorskip("pandas")
    labels = {"ann": list("aabbc"), "bob": list("abbbc"), "cat": list("aabcc")}
    found, same = (ifs.agreement(source) for source in (pd.DataFrame(labels), labels))
    assert found.annotators == same.annotators
    assert found.pairs == same.pairs
    with pytest.raises(InputError, match="two annotators"):
        ifs.agreement(pd.DataFrame({"ann": list("ab")}))
    with pytest.raises(InputError, match="same name"):
        ifs.agreement(pd.DataFrame([["a", "b"], ["a", "a"]], columns=["ann", "ann"]))


def test_no_annotator_takes_the_place_of_the_first():
    with pytest.raises(InputError, match="annotator 1"):
        ifs.agreement(list("aab"), {"annotator 1": list("bbb"), "bob": list("aab")})


@pytest.mark.slow
def test_names_of_systems_come_as_an_index_or_an_array():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(ROWS)
    several = frame.columns[1:3]

    for names in (several, several.to_numpy()):
        assert ifs.compare(frame, truth="gold", system=names).systems == ("svm", "knn")


def test_a_name_taken_from_an_array_is_a_name():
    """NumPy's text has a type and a shape, as arrays have, and was read letter by letter."""
    gold, svm, site = np.array(["gold", "svm", "site"])
    for name in (svm, np.array("svm")):
        found = ifs.evaluate(ROWS, truth=gold, system=name, by=site).systems
        assert [(each.name, each.group) for each in found] == [("svm", {"site": "x"}), ("svm", {"site": "y"})]


@pytest.mark.parametrize("names", [1, [1, 2], np.int64(1)])
def test_columns_that_are_named_by_numbers_are_to_be_renamed(names):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(ROWS).rename(columns={"svm": 1, "knn": 2})

    with pytest.raises(InputError, match=r"names are text; rename the columns, in pandas by frame.rename"):
        ifs.evaluate(frame, truth="gold", system=names)
    with pytest.raises(InputError, match="names are text"):
        ifs.sweep(frame, truth="gold", score=names)


@pytest.mark.slow
def test_values_where_the_name_of_a_column_belongs_are_rejected():
    pd = pytest.importorskip("pandas")
    frame, weights = pd.DataFrame(ROWS), np.ones(len(TRUTH))

    for ask in (ifs.evaluate, ifs.compare):
        with pytest.raises(InputError, match=r"truth .* column"):
            ask(frame, truth=frame["gold"], system="svm")
        for values in (weights, frame["svm"]):
            with pytest.raises(InputError, match="system holds values; name a column, or give labels"):
                ask(frame, truth="gold", system=values)
    with pytest.raises(InputError, match="score holds values"):
        ifs.sweep(frame, truth="gold", score=weights)
    with pytest.raises(InputError, match="by holds values"):
        ifs.evaluate(ROWS, truth="gold", system="svm", by=weights)
    for ask in (ifs.relate, ifs.latent_truth):
        with pytest.raises(InputError, match="a ndarray is given where the name of a column is expected"):
            ask(ROWS, weight=weights)
    with pytest.raises(InputError, match="a Series is given where the name of a column is expected"):
        ifs.relate(ROWS, target=frame["gold"])


@pytest.mark.parametrize("unit", [1e-310, 1e200, 1e307])
def test_weights_of_any_size_are_computed_with_or_rejected(unit):
    """Products of them overflowed, or were 0, with a warning of NumPy at best."""
    weights = [unit] * 40
    truth, other = ["a", "b"] * 20, ["a", "b", "b", "a"] * 10
    judged = [label if at % 2 else None for at, label in enumerate(truth)]

    with pytest.raises(InputError, match=r"(multiply|divide) .*all .*by one number"):
        ifs.multilabel.evaluate([{label} for label in truth], [{label} for label in other], weight=weights)
    with pytest.raises(InputError, match=r"(multiply|divide) .*all .*by one number"):
        ifs.evaluate(judged, other, judge=truth, weight=weights)
    with pytest.raises(InputError, match=r"(multiply|divide) .*all .*by one number"):
        ifs.relate({"x": truth, "y": other, "w": weights}, ["x", "y"], weight="w")
    if unit == 1e200:  # the scale of the weights of a comparison does not matter
        assert ifs.compare(truth, {"one": truth, "two": other}, weight=weights).systems == ("one", "two")
    else:
        with pytest.raises(InputError, match=r"(multiply|divide) .*all .*by one number"):
            ifs.compare(truth, {"one": truth, "two": other}, weight=weights)


def test_complex_numbers_and_dates_are_neither_weights_nor_scores_nor_counts():
    """NumPy converts them to numbers, dropping the imaginary part with a warning."""
    complex_numbers, dates = np.array([1 + 2j, 3.0]), np.array(["2026-01-01", "2026-01-02"], dtype="M8[D]")

    for weights in (complex_numbers, dates):
        with pytest.raises(InputError, match="sample_weight holds something else than numbers"):
            ifs.metrics.accuracy([0, 1], [0, 1], sample_weight=weights)
        with pytest.raises(InputError, match="weight of an object is not a number"):
            ifs.multilabel.evaluate([{1}, {2}], [{1}, {2}], weight=weights)
        for scores in (weights, np.ma.masked_array(weights)):
            with pytest.raises(InputError, match="scores are not numbers"):
                ifs.sweep([0, 1], scores)
        with pytest.raises(InputError, match=r"the cells hold (complex128|datetime64)"):
            ifs.Contingency.from_cells([0, 1], [0, 1], [0, 1], [0, 1], weights)


@pytest.mark.parametrize("kind", ["coo_matrix", "bsr_array", "dia_matrix", "csr_array"])
def test_a_sparse_matrix_holds_no_labels_of_rows(kind):
    import scipy.sparse

    matrix = getattr(scipy.sparse, kind)(np.array([[0, 1], [1, 0], [1, 0]]))
    for ask in (ifs.metrics.accuracy, ifs.evaluate, ifs.Contingency.from_labels):
        with pytest.raises(InputError, match="truth is a sparse matrix with 2 columns; give one label per row"):
            ask(matrix, matrix)
    assert ifs.sweep([1, 0, 0], matrix).areas == ifs.sweep([1, 0, 0], matrix.toarray()).areas
