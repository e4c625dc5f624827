"""One table of label sets that are not scored: what is given, and the sentence that says why not."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from infoscope import multilabel
from infoscope.errors import InputError
from tests.api import micro_f1

TRUTH = [{"a"}, {"a", "b"}, {"b"}, {"c"}, {"c", "a"}, set()]
GUESS = [{"a"}, {"b"}, {"b", "c"}, {"c"}, {"a"}, {"b"}]
MATRIX = np.array([[1, 0, 0, 1], [1, 1, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]])
BOTH = [[0, 1], [1, 0]]
"""Two numbers for each object, which may be categories or say which of two categories it has."""

FAST = {"draws": 0, "shuffles": 0, "splits": 0}


def evaluate(truth: Any, predicted: Any, **options: Any) -> object:
    return multilabel.evaluate(truth, predicted, **FAST, **options)


CALLS: list[tuple[Callable[[], object], str]] = [
    *[
        (lambda predictors=predictors: multilabel.compare([{"a"}], predictors), said)
        for predictors, said in (
            (np.eye(3), "predictors maps names"),
            ([{"a"}], "predictors maps names"),
            (pd.DataFrame({"a": [1]}), "predictors maps names"),
            ("predicted.csv", "predictors maps names"),
            (None, "predictors maps names|no predictor is given"),
            ({}, "no predictor is given; name at least one"),
        )
    ],
    (
        lambda: multilabel.stability([{"a"}], [{"a"}], splits=0),
        "splits must be a whole number of 1 or more, got 0",
    ),
    (lambda: multilabel.object_f_beta([{"a"}], [{"a"}], beta=-1), "beta is -1"),
    (
        lambda: multilabel.object_f_beta([{"a"}, {"b"}], [{"a"}, {"a"}], sample_weight=[1]),
        "one weight for each of the 2 objects",
    ),
    (lambda: micro_f1(MATRIX.tolist(), (MATRIX * 0.8 + 0.1).tolist()), "for scores give a threshold"),
    (lambda: micro_f1(MATRIX.tolist(), (MATRIX * 4.5 - 2.2).tolist()), "for scores give a threshold"),
    *[
        (lambda rows=rows: multilabel.evaluate(rows, rows), "in which a number repeats")
        for rows in ([[0, 1, 2], [1, 0, 0]], [[2, 2], [1, 3]])
    ],
    (lambda: micro_f1([np.array(3), np.array(4)], [[3], [4]]), "object 0 has 3 for its categories"),
    *[
        (lambda truth=truth: micro_f1(truth, BOTH), "two categories or say which")
        for truth in (BOTH, [[0, 0], [1, 0]], np.array(BOTH))
    ],
    *[
        (lambda shape=shape: micro_f1(shape(BOTH), shape([[0, 1], [0, 1]])), "two categories or say which")
        for shape in (lambda rows: list(map(np.array, rows)), pd.Series, lambda rows: dict(enumerate(rows)))
    ],
    *[
        (lambda shape=shape: micro_f1(shape(MATRIX), shape(MATRIX[:, :3])), r"truth has 4 columns and .* has 3")
        for shape in (np.asarray, np.ndarray.tolist)
    ],
    *[
        (lambda weight=weight: evaluate(TRUTH, GUESS, weight=weight), said)
        for weight, said in (
            ([1, 2], "one weight for each of the 6 objects"),
            ([1, 1, 1, 1, 1, -1], "negative or not finite"),
            ([0] * 6, "all are 0"),
            (["x"] * 6, "is not a number"),
            ({"q": 1.0}, "the truth has none"),
            ("w", "only rows have columns"),
        )
    ],
    (
        lambda: evaluate({"x": {"a"}, "y": {"b"}}, {"x": {"a"}, "y": {"b"}}, weight={"x": 1}),
        "object 'y' of the truth has no weight",
    ),
    (
        lambda: evaluate({"x": {"a"}}, {"x": {"a"}, "z": {"b"}}, weight={"x": 1}, one_sided="empty"),
        "'z' is not in the truth and has no weight",
    ),
    (
        lambda: evaluate(
            *[pd.DataFrame({"q": ["x", "x"], "c": ["a", "b"], "w": [1, 2]})] * 2, object="q", category="c", weight="w"
        ),
        "object 'x' has two weights, 1 and 2",
    ),
    (
        lambda: evaluate(*[pd.DataFrame({"q": ["x"], "c": ["a"]})] * 2, object="q", category="c", weight="q"),
        "column 'q' names the objects, and is no weight",
    ),
]

ROWS = "q\t17,184\ta\tb\nr\t5\tb\ns\t9\n"
FILES: list[tuple[str | bytes, str | bytes, dict[str, Any], str]] = [
    ("q;a\nr;b\n", "q\ta\n", {}, "no TAB in any of its 2 lines; its lines have semicolons"),
    ("\n\n", "q\ta\n", {}, "no lines"),
    ("q\ta\nq\tb\n", "q\ta\n", {}, "'q' occurs 2 times in truth and once in predicted"),
    ("object\tcategory\nq1\tsport\nq2\tnews\n", "q1\tsport\n", {}, "header of a long table"),
    (ROWS, "q\ta\tb\nr\tb\ns\n", {"truth_start": 5}, "no category in column 5"),
    (ROWS, "q\ta\tb\nr\tb\ns\n", {"predicted_start": 0}, "column 0 is the object"),
    (b"one\ta\ntwo\tcaf\xe9\n", "one\ta\n", {}, r"truth\.txt, line 2: the category 'caf\\xe9' is not UTF-8 text; conv"),
    ("one\ta\ncafé".encode()[:-1], "one\ta\n", {}, r"truth\.txt, line 2 ends within a character; fetch the file again"),
    *[
        (text, text, options, said)
        for text, options, said in (
            ("q1\t0\n", {"input_format": "erd"}, "line 1 has 2 fields and the category is in column 2"),
            ("\n", {"input_format": "erd"}, "has no lines; ERD rows"),
            (
                "q1\ta\n",
                {"input_format": "xml"},
                "must be one of 'lists', 'stripped_lists', 'rows', 'erd', got 'xml'",
            ),
            ("q1\ta\n", {"input_format": "erd", "object": "q", "category": "c"}, "has no header"),
            ("q1\ta\n", {"one_sided": "guess"}, "one_sided must be one of 'leave_out', 'empty', got 'guess'"),
            ("q1\ta\n", {"assign_by": "luck"}, "assign_by must be one of 'information', 'proficiency', got 'luck'"),
        )
    ],
]


@pytest.mark.parametrize(("call", "said"), CALLS)
def test_a_sentence_says_why(call: Callable[[], object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        call()


@pytest.mark.parametrize(("truth", "predicted", "options", "said"), FILES)
def test_a_sentence_says_why_of_files(
    truth: str | bytes, predicted: str | bytes, options: dict[str, Any], said: str, tmp_path: Path
) -> None:
    paths = [tmp_path / "truth.txt", tmp_path / "predicted.txt"]
    for path, content in zip(paths, (truth, predicted), strict=True):
        path.write_bytes(content if isinstance(content, bytes) else content.encode())

    with pytest.raises(InputError, match=said):
        evaluate(*paths, **options)
