"""One table of what is no table: labels, matrices, sums and changes, each with the sentence that says why."""

from collections.abc import Callable
from decimal import Decimal
from functools import partial

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

import infoscope as ifs
from infoscope import Contingency
from infoscope.errors import InfoscopeError, InputError, UnknownNameError
from infoscope.metrics import f1
from tests.api import Rows

TRUTH = list("aabbbaabba")
CATS = Contingency.from_matrix([[1, 2], [3, 4]], truth=["cat", "dog"])
WITH_REJECT = Contingency.from_labels(["a", "b"], ["a", "r"], reject="r")
ONE = Contingency.from_matrix([[5, 2], [1, 9]], positive=1)

Cases = list[tuple[Callable[[], object], str] | tuple[Callable[[], object], str, type[InfoscopeError]]]
"""A call, the sentence, and the error where it is another than InputError."""


def many_classes() -> Contingency:
    labels = list(range(5000))
    return Contingency.from_cells(labels, labels, labels, labels, [1] * 5000)


LABELS: Cases = [
    (
        lambda: Contingency.from_labels(["a", "b"], ["a", "b"], labels=[]),
        "labels names no class; list the classes, or leave labels out",
    ),
    (
        lambda: Contingency.from_labels(np.array([("a", ["b"]), None], dtype=object)[:1], ["a"]),
        "truth holds a tuple; give one label per row",
    ),
    *[
        (lambda call=call: call(["a", "b"], ["a", "a"], labels="ab"), "labels is the text 'ab'; list the classes")
        for call in (Contingency.from_labels, partial(f1, average="macro"))
    ],
    (
        lambda: Contingency.from_labels(pd.DataFrame({"y": TRUTH, "z": TRUTH}), TRUTH),
        r"truth is a data frame of 2 columns \('y', 'z'\); give one column",
    ),
    (
        lambda: Contingency.from_labels(
            pd.Series(TRUTH, index=range(100, 110)), pd.Series(TRUTH, index=range(101, 111))
        ),
        r"share only some of their keys.*reindex",
    ),
    *[
        (
            lambda ask=ask: ask({"a": TRUTH, "b": TRUTH, "c": TRUTH}, weight=pd.Series(range(10))),
            "a Series is given where the name of a column is expected; put its",
        )
        for ask in (ifs.relate, ifs.latent_truth)
    ],
    (
        lambda: ifs.sweep(TRUTH, np.ma.array(np.linspace(0, 1, 10), mask=[at == 3 for at in range(10)]), positive="b"),
        "row 3",
    ),
    (
        lambda: ifs.compare(TRUTH, {"one": TRUTH, "two": TRUTH[::-1]}, clean="strip"),
        "clean= is about labels that are read",
    ),
    (
        lambda: ifs.read(
            pd.DataFrame({"t": ["1e999999999", "1"], "s": ["1e999999999", "1"]}), truth="t", system="s", clean="number"
        ),
        "mixes",
    ),
    (lambda: Contingency.from_labels([Decimal("Infinity"), Decimal(1)], [Decimal(1), Decimal(1)]), "infinite"),
]

MATRICES: Cases = [
    *[
        (lambda given=given: Contingency.from_matrix(given), said)
        for given, said in (
            (np.zeros((0, 2, 2)), r"shape \(0, 2, 2\)"),
            (
                scipy.sparse.coo_array(np.array([1, 2, 3])),
                r"shape \(3,\); it needs at least one row and one column",
            ),
            (scipy.sparse.csr_array(np.eye(2) * 1j), "holds complex128 values"),
            ([[1, None], [2, 3]], "holds object values"),
            (
                pd.DataFrame({"a": [5, None], "b": [2, 7]}, index=["a", "b"], dtype="Int64"),
                "'b' as system 'a' is nan",
            ),
        )
    ],
    (lambda: Contingency.from_matrix([[1, 2], [3, 4]], truth=[1, "2"], system=["1", 2]), "look alike"),
]

CHANGES: Cases = [
    *[
        (lambda one=one, other=other: one + other, said)
        for one, other, said in (
            (Contingency.from_labels([1], [1]), Contingency.from_labels(["1"], ["1"]), "one table has .* look alike"),
            (Contingency.from_labels(["a"], ["a"], reject="r"), Contingency.from_labels(["a"], ["a"]), "reject"),
            (Contingency.from_matrix([[1, 1]]).given_truth(), Contingency.from_matrix([[1, 1]]), "re-weighted"),
            (Contingency.from_matrix(np.ones((2, 1, 1))), Contingency.from_matrix([[1]]), "batches"),
            (
                Contingency.from_matrix([[5, 2], [1, 9]], positive=0),
                Contingency.from_matrix([[5, 2], [1, 9]], positive=1),
                "one table has the positive label 0, the other 1",
            ),
        )
    ],
    (lambda: CATS.relabel({"cat": "dog"}), "merge_classes"),
    (lambda: CATS.relabel({"cta": "bird"}), "did you mean 'cat'", UnknownNameError),
    (lambda: WITH_REJECT.merge_classes(["a", "r"], side="system"), "reject label"),
    (lambda: WITH_REJECT.merge_classes(["a", "a"]), "at least two"),
    *[
        (
            lambda shares=shares: Contingency.from_matrix([[45, 5], [2, 8]], truth=["a", "b"]).with_prevalence(shares),
            *said,
        )
        for shares, *said in (
            ("even", "'equal'", UnknownNameError),
            ({"a": 1.0}, "no frequency for true class 'b'"),
            ({"a": 1.0, "b": -1.0}, "at least 0"),
            ({"a": 0.5, "b": 0.5, "c": 0.1}, "'c'", UnknownNameError),
            ({"a": 0.0, "b": 0.0}, "no class a frequency"),
        )
    ],
    *[
        (lambda change=change, stated=stated: change(stated), "a mapping of")
        for change in (ONE.relabel, ONE.with_prevalence)
        for stated in ([1, 2, 3], 0.5, None)
    ],
    (lambda: many_classes().independent(), "merge classes"),
]

ROWS: Cases = [
    (lambda: Rows.from_columns({}), "no column is given"),
    (lambda: Rows.from_columns({"a": [1], "b": [1, 2]}), "a has 1 rows and b has 2"),
    (lambda: Rows.from_columns({"a": [1]}, sample_weight=[-1]), "weights must be finite and not negative"),
    (lambda: Rows.from_columns({"a": [1]}) + Rows.from_columns({"b": [1]}), "need the same columns"),
    (
        lambda: Rows.from_columns({"a": [1]}) + Rows.from_columns({"a": [1]}, sample_weight=[2]),
        "weigh both, or neither",
    ),
    (lambda: Rows.from_columns({"a": ["x"]}).on(["y"]), "'a' holds 'x', which is not among the stated"),
    (
        lambda: Rows.from_columns({"a": [1], "b": [2]}).table("a", "c"),
        "no column 'c'; there is 'a', 'b'",
        UnknownNameError,
    ),
]


@pytest.mark.parametrize(
    ("call", "said", "error"), [(*case, InputError)[:3] for case in [*LABELS, *MATRICES, *CHANGES, *ROWS]]
)
def test_a_sentence_says_why(call: Callable[[], object], said: str, error: type[InfoscopeError]) -> None:
    with pytest.raises(error, match=said):
        call()
