"""Ways in, and what is rejected, counted or doubted."""

import gzip
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array

from infoscope import multilabel
from infoscope.errors import InputError
from tests.api import LabelSetFormat, LabelSets, read_label_sets, render

SETS = [{"a"}, {"a", "b"}, set(), {"c"}]
MATRIX = np.array([[1, 0, 0], [1, 1, 0], [0, 0, 0], [0, 0, 1]])


def evaluated(truth: object, predicted: object, **options: object) -> multilabel.MultilabelEvaluation:
    return multilabel.evaluate(truth, predicted, draws=0, shuffles=0, splits=0, **options)  # type: ignore[arg-type]


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def long_rows() -> dict[str, list[str | None]]:
    return {"q": ["1", "2", "2", "3", "4"], "topic": ["a", "a", "b", None, "c"]}


def every_way(folder: Path) -> dict[str, LabelSets]:
    csv = write(folder / "rows.csv", "q,topic\n1,a\n2,a\n2,b\n3,\n4,c\n")
    pd.DataFrame(long_rows()).to_parquet(folder / "rows.parquet")
    lists = write(folder / "lists.txt", "1\ta\n2\ta\tb\n3\n4\tc\t\n")
    (folder / "lists.txt.gz").write_bytes(gzip.compress(lists.read_bytes()))
    rows = LabelSetFormat(object="q", category="topic")
    frame = pd.DataFrame(MATRIX, columns=["a", "b", "c"])
    return {
        "sets": read_label_sets(SETS, LabelSetFormat()),
        "mapping": read_label_sets(dict(zip("1234", SETS, strict=True)), LabelSetFormat()),
        "array": read_label_sets(MATRIX, LabelSetFormat()).rename(lambda at: "abc"[int(at)]),
        "scores": read_label_sets(MATRIX * 0.8 + 0.1, LabelSetFormat(threshold=0.5)).rename(lambda at: "abc"[int(at)]),
        "sparse": read_label_sets(csr_array(MATRIX), LabelSetFormat()).rename(lambda at: "abc"[int(at)]),
        "pandas": read_label_sets(frame, LabelSetFormat()),
        "objects": read_label_sets(MATRIX.astype(object), LabelSetFormat()).rename(lambda at: "abc"[int(at)]),
        "pandas, unnamed columns": read_label_sets(pd.DataFrame(MATRIX), LabelSetFormat()).rename(
            lambda at: "abc"[int(at)]
        ),
        "pandas bool": read_label_sets(frame.astype(bool), LabelSetFormat()),
        "polars": read_label_sets(pl.from_pandas(frame), LabelSetFormat()),
        "long pandas": read_label_sets(pd.DataFrame(long_rows()), rows),
        "long polars": read_label_sets(pl.DataFrame(long_rows()), rows),
        "csv": read_label_sets(csv, rows),
        "parquet": read_label_sets(folder / "rows.parquet", rows),
        "lists": read_label_sets(lists, LabelSetFormat()),
        "packed lists": read_label_sets(folder / "lists.txt.gz", LabelSetFormat()),
    }


def test_every_way_in_gives_the_same_sets(tmp_path: Path) -> None:
    for way, sets in every_way(tmp_path).items():
        order = range(4) if sets.objects is None else [sets.objects.index(name) for name in "1234"]
        assert sets.categories == ("a", "b", "c"), way
        assert sets.matrix.toarray()[list(order)].tolist() == MATRIX.tolist(), way


def test_objects_of_one_side_only_are_counted() -> None:
    system = evaluated({"x": {"a"}, "y": {"b"}, "z": set()}, {"y": {"b"}, "x": set(), "w": {"a"}}).systems[0]

    assert system.n == 2
    assert {each.reason: each.rows for each in system.ignored} == {
        "object in truth only": 1,
        "object in predicted only": 1,
    }
    assert {each.code for each in system.diagnosis} >= {"objects_left_out", "one_sided_categories"}


def test_repeated_objects_pair_by_order_when_repeated_equally(tmp_path: Path) -> None:
    truth = write(tmp_path / "t.txt", "q\ta\nq\tb\nr\tc\n")
    good = write(tmp_path / "g.txt", "r\tc\nq\ta\nq\tb\n")
    system = evaluated(truth, good).systems[0]

    assert system.value("subset_accuracy") == 1.0
    assert "repeated_objects" in {each.code for each in system.diagnosis}


def test_categories_on_one_side_are_kept_and_reported() -> None:
    system = evaluated([{"a"}, {"b"}, set()], [{"a"}, {"c"}, set()]).systems[0]
    by_name = {each.label: each for each in system.classes}

    assert (by_name["b"].proficiency, by_name["c"].proficiency) == (0.0, None)
    assert sum(each.code == "one_sided_categories" for each in system.diagnosis) == 2


def test_a_category_without_entropy_is_undefined_and_drops_out() -> None:
    truth, predicted = [{"a", "b"}, {"a"}, {"a"}], [{"a", "b"}, {"a"}, {"a"}]
    system = evaluated(truth, predicted).systems[0]

    assert system.classes[0].proficiency is None
    assert system.value("proficiency") == 1.0
    nothing = evaluated([{"a"}, {"a"}], [{"a"}, set()])
    assert nothing.systems[0].value("proficiency") is None
    assert nothing.to_dict()["systems"][0]["metrics"]["proficiency"]["undefined"]
    assert "undefined" in nothing.to_text()


def test_labels_are_verbatim_and_cleaned_on_request() -> None:
    truth, predicted = [{"a "}, set()], [{"a"}, set()]

    assert evaluated(truth, predicted).systems[0].value("micro_f1") == 0.0
    assert evaluated(truth, predicted, clean="strip").systems[0].value("micro_f1") == 1.0


@pytest.mark.parametrize(
    ("truth", "predicted", "options", "said"),
    [
        ([{"a"}], [{"a"}, {"b"}], {}, "truth has 1 objects and predicted has 2"),
        ({"x": {"a"}}, {"y": {"a"}}, {}, "no object in common"),
        ([], [], {}, "no objects"),
        (["ab"], [{"a"}], {}, "object 0 has 'ab' for its categories"),
        (MATRIX * 0.5, MATRIX, {}, r"object 0 has 0.5 for category 0; .*threshold=0.5"),
        (MATRIX * np.nan, MATRIX, {}, "no value for category 0"),
        (MATRIX[0], MATRIX, {}, "object 0 has 1 for its categories"),
        (np.array([["a"]]), MATRIX, {}, "object=, category="),
        (pd.DataFrame({"q": ["1"], "topic": ["a"]}), [{"a"}], {}, "'q' is not 0/1"),
        ([{"a"}], [{"a"}], {"object": "q"}, "names of both columns"),
        ([{"a"}], [{"a"}], {"depth": 1}, "state it too"),
        ([{"a"}], [{"a"}], {"separator": "/", "depth": 0}, "1 is the top level"),
        ([{"a//b"}], [{"a"}], {"separator": "/"}, "empty level"),
        ([{" "}], [{"a"}], {"clean": "strip"}, "nothing but white space"),
        ([{1}], [{"1"}], {}, "they look alike"),
        ([{"a"}], [{"a"}], {"separator": ""}, "separator is empty"),
        (MATRIX, MATRIX, {"threshold": np.nan}, "threshold is not a number"),
        (MATRIX * np.nan, MATRIX, {"threshold": 0.5}, "no value for category 0"),
        (MATRIX[None], MATRIX, {}, "two dimensions, objects × categories; this has 3"),
        (np.array([["a", 1]], dtype=object), MATRIX, {}, "holds 'a'"),
        (pd.DataFrame([[1, 0]], columns=["a", "a"]), [{"a"}], {}, "same name"),
        ([[["a"]]], [{"a"}], {}, r"a category is \['a'\]"),
        ([{np.nan}], [{"a"}], {}, "a category is nan"),
        ("/nowhere/gold.txt", [{"a"}], {}, "does not exist"),
        ([{"a"}], 7, {}, "cannot be read from a int"),
        ([{"a"}], [{"a"}], {"level": 2}, "between 0 and 1"),
    ],
)
def test_rejections(truth: object, predicted: object, options: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        evaluated(truth, predicted, **options)


def test_a_stray_separator_is_doubted() -> None:
    findings = evaluated([{"a", "b"}, {"a,b"}, {"b"}], [{"a"}, {"b"}, {"a"}]).systems[0].diagnosis

    assert any(each.code == "run_together" and "'a,b'" in each.text for each in findings)


def test_an_object_may_have_an_empty_name(tmp_path: Path) -> None:
    truth = write(tmp_path / "t.txt", "\ta\nq\tb\n\n\t\t\n")
    predicted = write(tmp_path / "p.txt", "q\tb\n\ta\n\t\n")
    system = evaluated(truth, predicted).systems[0]

    assert (system.n, system.value("subset_accuracy")) == (3, 1.0)
    assert next(each.evidence for each in system.diagnosis if each.code == "empty_names") == {"objects": 2}


def test_categories_may_start_behind_other_fields(tmp_path: Path) -> None:
    truth = write(tmp_path / "t.txt", "q\t17,184\ta\tb\nr\t5\tb\ns\t9\n")
    predicted = write(tmp_path / "p.txt", "q\ta\tb\nr\tb\ns\n")

    found = evaluated(truth, predicted, truth_start=2).systems[0]
    assert (found.categories, found.value("micro_f1")) == (("a", "b"), 1.0)
    wrong = evaluated(truth, predicted).systems[0]
    assert "17,184" in wrong.categories


ERD = "q1\t0\tone \tthe one\t0.9 \nq1\t1\ttwo\tx\t1\nq2\t0\ttwo\ty\t1\nq4\t0\tone\tz\n\n"


def test_erd_rows_have_no_header_and_absent_objects_are_empty(tmp_path: Path) -> None:
    truth = write(tmp_path / "t.txt", ERD)
    predicted = write(tmp_path / "p.txt", ERD.replace("q4\t0\tone", "q3\t0\tone"))
    system = evaluated(truth, predicted, input_format="erd").systems[0]

    assert (system.n, system.categories, system.ignored) == (4, ("one", "two"), ())
    assert system.value("micro_precision") == 3 / 4
    assert [each.evidence["objects"] for each in system.diagnosis if each.code == "objects_emptied"] == [1, 1]
    fewer = evaluated(truth, predicted, input_format="erd", one_sided="leave_out").systems[0]
    assert (fewer.n, fewer.value("micro_precision")) == (2, 1.0)


def test_objects_of_one_side_only_count_as_empty_on_request() -> None:
    truth, predicted = {"x": {"a"}, "y": {"b"}, "z": set()}, {"y": {"b"}, "w": {"a"}, "x": {"a", "b"}}
    asked = evaluated(truth, predicted, one_sided="empty")
    written = evaluated({**truth, "w": set()}, {**predicted, "z": set()})

    assert {name: each.value for name, each in asked.systems[0].metrics.items()} == {
        name: each.value for name, each in written.systems[0].metrics.items()
    }
    assert (asked.systems[0].n, asked.provenance.ignored) == (4, ())


def test_lines_dropped_from_the_truth_alone_are_dropped_on_both_sides(tmp_path: Path) -> None:
    """The authors' multifilter.py rewrites all files; here the truth is enough."""
    truth = ["q1\ta", "q2\tNegative", "q3\ta\tb", "q4\tb"]
    predicted = ["q1\ta\tb", "q2\ta", "q3\tb", "q4\ta"]
    kept = [at for at, line in enumerate(truth) if "\tNegative" not in line]
    files = {
        "kept": write(tmp_path / "kept.txt", "\n".join(truth[at] for at in kept)),
        "all": write(tmp_path / "all.txt", "\n".join(predicted)),
        "filtered": write(tmp_path / "filtered.txt", "\n".join(predicted[at] for at in kept)),
    }

    with pytest.warns(UserWarning, match="1 object left out"):
        found = evaluated(files["kept"], files["all"]).systems[0]
    wanted = evaluated(files["kept"], files["filtered"]).systems[0]
    assert found.n == wanted.n == 3
    assert found.metrics == wanted.metrics


def test_one_object_and_one_repeated_membership_are_counted_in_the_singular(tmp_path: Path) -> None:
    text = render(
        evaluated(write(tmp_path / "a.txt", "q1\ta\ta\n"), write(tmp_path / "b.txt", "q1\ta\n")), "text", max_rows=0
    )

    assert "1 object · 1 category" in text
    assert "a states 1 membership more than once" in text
    assert "1 object, " in text
