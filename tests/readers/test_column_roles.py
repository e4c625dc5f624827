"""Roles of columns are guessed through the traps of real files, each with its sentence; no guess is sure and wrong."""

import copy
import pickle
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import infoscope as ifs
from infoscope.errors import InputError, on_page
from tests.api import column_roles, first_rows, guess_roles, guess_score_roles, mention_repeated_names

ROWS = 60
ANIMALS = ["cat", "dog", "fox"]


def drawn(classes: Sequence[Any], seed: int = 1, rows: int = ROWS) -> list[Any]:
    return np.random.default_rng(seed).choice(np.array(classes, dtype=object), rows).tolist()


def predicted(truth: Sequence[Any], right: float = 0.8, seed: int = 2) -> list[Any]:
    rng = np.random.default_rng(seed)
    classes = sorted(set(truth), key=str)
    return [t if rng.random() < right else classes[rng.integers(len(classes))] for t in truth]


TRUTH = drawn(ANIMALS)
GOOD, POOR = predicted(TRUTH), predicted(TRUTH, 0.4, 3)
ID = [f"r{at:04}" for at in range(ROWS)]
FLAGS = drawn([0, 1])
LIKE_FLAGS = predicted(FLAGS, 0.6, 5)
NUMBERS = [ANIMALS.index(t) for t in TRUTH]
SHARES = [round(float(x), 3) for x in np.random.default_rng(7).random(ROWS)]


@pytest.mark.parametrize(
    ("columns", "truth", "systems"),
    [
        ({"y": TRUTH, "model": GOOD}, "y", ["model"]),
        ({"truth": TRUTH, "m": GOOD}, "truth", ["m"]),
        ({"label": TRUTH, "svm": GOOD, "knn": POOR, "id": ID}, "label", ["svm", "knn"]),
        ({"y_pred": GOOD, "y_true": TRUTH}, "y_true", ["y_pred"]),
        ({"Actual": TRUTH, "PredictedLabel": GOOD, "Confidence": SHARES}, "Actual", ["PredictedLabel"]),
        ({"gold": FLAGS, "prediction": LIKE_FLAGS, "smoker": drawn([0, 1], 9)}, "gold", ["prediction"]),
        ({"is_fraud_true": FLAGS, "pred": LIKE_FLAGS, "amount": SHARES}, "is_fraud_true", ["pred"]),
        ({"animal": TRUTH, "pred": GOOD}, "animal", ["pred"]),
        ({"label": TRUTH, "v1": GOOD, "v2": POOR}, "label", ["v1", "v2"]),
        ({"label": TRUTH, "dummy": ["cat"] * ROWS, "svm": GOOD}, "label", ["dummy", "svm"]),
        ({"label": TRUTH, "pred": GOOD, "correct": [True, True, False] * 20}, "label", ["pred"]),
        ({"label": [1.0, 0.0] * 30, "pred": ["1", "0", "1"] * 20}, "label", ["pred"]),
    ],
)
def test_what_is_sure(columns: dict[str, list[Any]], truth: str, systems: list[str]) -> None:
    found = guess_roles(columns)

    assert (found.truth, list(found.systems), found.question) == (truth, systems, None)
    assert all(name in "".join(found.reasons) for name in (truth, *systems))


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"model": ["svm", "knn"] * 30, "truth": TRUTH, "prediction": GOOD}, "'model' names the system of each row"),
        ({"label": ["cat", "dog"] * 30, "pred": ["dog", "cat"] * 30}, "looks like a list of errors"),
        ({"id": ID, "pred": GOOD}, "is the truth in another file? --truth-file LABELS.csv --key id"),
        ({"id": ID, "svm": GOOD, "knn": POOR}, "infoscope agree SOURCE -s svm,knn compares them without a truth"),
        ({"label": TRUTH, "category": GOOD}, "may"),
        ({"label_a": TRUTH, "label_b": GOOD, "label_c": POOR}, "may all be the truth"),
        ({"actual": TRUTH, "expected": GOOD, "pred": POOR}, "'actual' and 'expected' may both be the truth"),
        ({"alice": TRUTH, "bob": GOOD}, "may both be the truth; infoscope agree SOURCE -s alice,bob"),
        ({"a": FLAGS, "b": LIKE_FLAGS}, "no name says which column is the truth"),
        ({"animal": TRUTH, "pred": GOOD, "id": ID}, "nothing but its contents says that 'animal' is the truth"),
        ({"label": TRUTH, "annotator_2": GOOD}, "'annotator_2' may hold predictions"),
        (
            {"target": FLAGS, "smoker": LIKE_FLAGS, "x": drawn([0, 1], 8)},
            "'smoker' may hold predictions or be features",
        ),
        ({"smoker": FLAGS, "pred": LIKE_FLAGS, "id": ID}, "nothing but its contents says that 'smoker' is the truth"),
        ({"label": FLAGS, "pred": ["attack" if x else "normal" for x in FLAGS]}, "use different words"),
        ({"label": FLAGS, "score": SHARES}, "infoscope sweep SOURCE -t label --score score"),
        ({"text": ID, "label": TRUTH}, "no column looks like predictions of 'label'"),
        (
            {"actual": SHARES, "predicted": SHARES[::-1]},
            "'actual' is named like the truth and holds 60 different values",
        ),
        ({"a": SHARES, "b": SHARES}, "no column looks like the truth"),
        ({"cat": ["cat", "dog"] * 9, "dog": ["dog", "cat"] * 9}, "looks like data"),
        ({}, "looks like data"),
        (
            {"label": [*TRUTH, "label", *TRUTH], "pred": [*TRUTH, "pred", *TRUTH]},
            "its header stands among its rows again",
        ),
        (
            {"label": [*FLAGS, "label"], "p": [*SHARES, "p"], "id": [*ID, "id"]},
            "its header stands among its rows again",
        ),
        ({"label": [], "pred": []}, "a header and no row below it"),
        ({"label": ["cat"] * ROWS, "pred": ["cat"] * ROWS}, "'label' is named like the truth and has one class alone"),
        (
            {"Id": ID, "Category": TRUTH},
            "'Category' looks like predictions: is the truth in another file? --truth-file",
        ),
        ({"label": TRUTH, "copy": TRUTH}, "'copy' may hold predictions"),
        ({"class": drawn([1, 2, 3]), "pred": [1] * 50 + [0] * 10, "id": ID}, "may hold predictions"),
    ],
)
def test_what_is_asked(columns: dict[str, list[Any]], said: str) -> None:
    found = guess_roles(columns)

    assert not found.is_sure
    assert said in (found.question or "")


def test_labels_twice_as_numbers_and_names() -> None:
    columns = {
        "label": NUMBERS,
        "label_name": TRUTH,
        "pred": [ANIMALS.index(x) for x in GOOD],
        "pred_name": GOOD,
    }
    found = guess_roles(columns)

    assert (found.truth, found.systems, found.is_sure) == ("label_name", ("pred_name",), True)
    assert any("'label' and 'pred'" in reason for reason in found.reasons)
    alone = guess_roles({name: columns[name] for name in ("label", "label_name", "pred")})
    assert (alone.truth, alone.systems, alone.is_sure) == ("label", ("pred",), True)


def test_a_score_that_gives_the_predictions_is_used_and_another_is_not() -> None:
    flags = ["yes" if score > 0.5 else "no" for score in SHARES]
    truth = predicted(flags, 0.8)
    assert guess_roles({"label": truth, "pred": flags, "probability": SHARES}).system_scores == ("probability",)
    assert guess_roles({"label": truth, "pred": flags, "probability": SHARES[::-1]}).system_scores == ()
    low = ["yes" if score > 0.2 else "no" for score in SHARES[::-1]]
    both = {"label": truth, "one": flags, "other": low, "one_score": SHARES, "other_score": SHARES[::-1]}
    found = guess_roles(both, truth="label", systems=["other", "one"])
    assert found.system_scores == ("other_score", "one_score")
    turned = [round(1 - score, 3) for score in SHARES]
    assert guess_roles({"label": truth, "pred": flags, "probability": turned}).system_scores == ()


def test_of_two_columns_the_one_beside_the_truth_holds_predictions() -> None:
    letters = ["a", "b", "c", "b", "a"] * 20
    found = guess_roles({"y": letters, "m": ["a", "b", "c", "?", "b"] * 20})
    assert (found.truth, found.systems, found.is_sure) == ("y", ("m",), True)


def test_train_and_test_rows_together_are_said() -> None:
    found = guess_roles({"label": TRUTH, "pred": GOOD, "split": ["train", "test", "test"] * 20})

    assert any("--by split evaluates them apart" in reason for reason in found.reasons)


def test_what_is_asked_can_be_copied_and_sent_to_another_process() -> None:
    asked = guess_roles({"y_pred": predicted(drawn(["a", "b"])), "id": list(range(ROWS))})

    for other in (pickle.loads(pickle.dumps(asked)), copy.deepcopy(asked)):
        assert other == asked
        assert on_page(other.question or "") == on_page(asked.question or "") != asked.question


def test_what_was_named_is_not_guessed() -> None:
    columns = {"gold": TRUTH, "svm": GOOD, "knn": POOR, "old": POOR}

    assert guess_roles(columns, truth="old").truth == "old"
    assert guess_roles(columns, systems=["knn"]).systems == ("knn",)
    assert "no column has the classes of 'id'" in (guess_roles(columns | {"id": ID}, systems=["id"]).question or "")
    assert guess_roles(columns, others=["svm", "old"]).systems == ("knn",)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6))
def test_never_sure_and_wrong(seed: int) -> None:
    """A sure guess is the right one, whatever the features, with or without the truth."""
    rng = np.random.default_rng(seed)
    classes = [["0", "1"], ["yes", "no"], ["1", "2", "3"], ANIMALS][rng.integers(4)]
    rows = int(rng.integers(20, 120))
    truth = drawn(classes, seed, rows)
    names = ["truth", "y_true", "label", "target", "class"]
    columns: dict[str, list[Any]] = {}
    hidden = rng.random() < 0.3
    name = names[rng.integers(len(names))]
    if not hidden:
        columns[name] = truth
    columns["pred"] = predicted(truth, float(rng.uniform(0.3, 1)), seed + 1)
    for at in range(int(rng.integers(0, 4))):  # features with the same values, some of them tied to the truth
        tied = float(rng.uniform(0, 0.7))
        columns[["smoker", "flag_x", "group", "old_value"][at]] = predicted(truth, tied, seed + at)
    columns["id"] = list(range(rows))
    order = rng.permutation(list(columns)).tolist()
    found = guess_roles({key: columns[key] for key in order})

    if found.is_sure:
        assert not hidden
        assert found.truth == name
        assert "pred" in found.systems


def test_scores_and_their_truth() -> None:
    two = guess_score_roles({"label": FLAGS, "score": SHARES, "id": ID})
    assert (two.truth, two.scores, two.is_sure) == ("label", ("score",), True)
    each = {f"p_{name}": SHARES for name in ANIMALS}
    assert guess_score_roles({"label": TRUTH} | each).is_sure
    for columns, said in (
        ({"label": TRUTH, "score": SHARES}, "give one column for each class"),
        ({"label": TRUTH, "p_a": SHARES, "p_b": SHARES}, "their names do not say one for each class"),
        ({"label": FLAGS}, "no column looks like scores"),
        ({"score": SHARES, "id": ID}, "no column looks like the truth"),
        ({"label": FLAGS, "class": FLAGS, "score": SHARES}, "may each be the truth"),
    ):
        assert said in (guess_score_roles(columns).question or "")


@pytest.mark.parametrize("kind", ["csv", "tsv", "parquet", "jsonl", "pandas", "polars", "lazy", "dict"])
def test_rows_of_every_source(kind: str, tmp_path: Path) -> None:
    frame = pd.DataFrame({"label": TRUTH, "pred": GOOD, "n": NUMBERS})
    path = tmp_path / f"rows.{kind}"
    source: Any = {"pandas": frame, "polars": pl.from_pandas(frame), "lazy": pl.from_pandas(frame).lazy()}.get(
        kind, path
    )
    if kind in ("csv", "tsv"):
        frame.to_csv(path, index=False, sep="," if kind == "csv" else "\t")
    elif kind == "parquet":
        frame.to_parquet(path)
    elif kind == "jsonl":
        frame.to_json(path, orient="records", lines=True)
    elif kind == "dict":
        source = {"label": TRUTH, "pred": GOOD, "n": NUMBERS}
    found = column_roles(source)

    assert (found.truth, found.systems, found.is_sure) == ("label", ("pred",), True)


def test_a_sorted_file_shows_all_its_classes_and_columns_named_twice_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "sorted.csv"
    truth = sorted(drawn(ANIMALS, rows=9000))
    lines = [f"{t},{p},1,2" for t, p in zip(truth, predicted(truth), strict=True)]
    path.write_text("\n".join(["label,pred,x,x", *lines]) + "\n")
    rows = first_rows(path)

    assert list(rows) == ["label", "pred"]
    assert set(rows["label"]) == set(ANIMALS)
    assert len(rows["label"]) == 2000


def test_columns_that_share_a_name_are_said_to(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    lines = [f"{t},{p},{p}" for t, p in zip(TRUTH, GOOD, strict=True)]
    path.write_text("\n".join(["label,pred,pred", *lines]) + "\n")
    asked = mention_repeated_names(column_roles(path), path)
    assert (asked.question or "").endswith("; several columns are named 'pred': rename them")
    with pytest.raises(InputError, match="several columns are named 'pred'"):
        ifs.evaluate(path)
    path.write_text("\n".join(["label,pred,x,x", *(f"{line},1" for line in lines)]) + "\n")
    sure = mention_repeated_names(column_roles(path), path)
    assert sure.is_sure
    assert sure.reasons[-1] == "not used: several columns that are named 'x'"


@pytest.mark.parametrize("name", ["rows.ndjson", "rows.arff"])
def test_columns_are_guessed_in_files_without_a_header_line(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    classes = ",".join(sorted(set(TRUTH)))
    head = f"@relation r\n@attribute label {{{classes}}}\n@attribute pred {{{classes}}}\n@data\n"
    rows = list(zip(TRUTH, GOOD, strict=True))
    texts = {
        "rows.ndjson": "".join(f'{{"label": "{t}", "pred": "{p}"}}\n' for t, p in rows),
        "rows.arff": head + "".join(f"{t},{p}\n" for t, p in rows),
    }
    path.write_text(texts[name])
    found = mention_repeated_names(column_roles(path), path)

    assert (found.truth, found.question) == ("label", None)


@pytest.mark.slow
def test_forty_columns_are_guessed_in_time() -> None:
    truth = drawn(ANIMALS, rows=2000)
    columns = {"label": truth} | {f"v{at}": predicted(truth, 0.5, at) for at in range(40)}
    started = time.process_time()
    assert guess_roles(columns).truth == "label"
    assert time.process_time() - started < 1.5  # 400 ms for files as people have them


def test_a_column_that_always_predicts_the_same_is_said() -> None:
    found = guess_roles(
        {"label": TRUTH, "pred": GOOD, "majority": [TRUTH[0]] * len(TRUTH), "version": ["v1"] * len(TRUTH)}
    )

    assert "not used: 'majority', always the same class; -s names such columns" in found.reasons
