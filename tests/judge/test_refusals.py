"""One table of what a judge is not asked about: a call and the sentence that says why."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import infoscope as ifs
from infoscope import InputError, Judged, JudgeDisplay
from tests.judge.labelled_worlds import JudgedWorld

ROLES: dict[str, Any] = {"truth": "human", "system": "model", "judge": "gpt"}
WORLD = JudgedWorld.drawn(np.random.default_rng(71), 600, 60)
ROWS = WORLD.source() | {"month": [f"2026-0{at % 2 + 4}" for at in range(600)]}
PLAIN = {name: value for name, value in ROLES.items() if name != "judge"}

pytestmark = pytest.mark.usefixtures("few_draws")


def label_weighted_rows() -> object:
    rows = ROWS | {"w": [0.5] * 600}
    free = next(at for at, there in enumerate(WORLD.labelled) if not there)
    sheet = {"row": [free + 1], "gpt": [rows["gpt"][free]], "model": [rows["model"][free]], "label": ["a"]}
    return Judged.from_rows(rows, weight="w", **ROLES).with_labels(sheet)


CALLS: list[tuple[Callable[[], object], str]] = [
    (lambda: ifs.evaluate(ROWS, **PLAIN, period="month"), "period is about the verdicts of a judge"),
    (lambda: ifs.evaluate(ROWS, **ROLES, period="gpt"), "name a column of its own"),
    (lambda: ifs.evaluate(ROWS, **ROLES, period="year"), "no column 'year'"),
    (lambda: ifs.evaluate(ROWS | {"month": ["2026-04"] * 600}, **ROLES, period="month"), "'month' has one value"),
    (lambda: ifs.evaluate(Judged.from_rows(ROWS, **ROLES), by="month"), "judged rows do not know their groups"),
    (
        lambda: ifs.evaluate(ROWS["human"], ROWS["model"], judge=ROWS["gpt"], by="month"),
        "by= names columns of rows",
    ),
    (lambda: ifs.evaluate(ROWS | {"month": [None] * 600}, by="month", **ROLES), "no row has a group in 'month'"),
    (
        lambda: ifs.evaluate(ifs.Contingency.from_matrix([[4, 1], [2, 3]]), judge="gpt"),
        "a finished table has none",
    ),
    (
        lambda: ifs.evaluate(
            ROWS
            | {"model": [None if there else said for there, said in zip(WORLD.labelled, ROWS["model"], strict=True)]},
            **ROLES,
        ),
        "0 of the 60 rows with a true label have a prediction of model",
    ),
    (label_weighted_rows, "labels of a sheet are of counted rows; leave out the weights"),
    (
        lambda: (
            Judged.from_rows(ROWS, **ROLES)
            + Judged.from_rows(ROWS | {"other": ROWS["model"]}, **{**ROLES, "system": "other"})
        ),
        "do not add up",
    ),
    (
        lambda: Judged.from_counts([[[9, 0], [0, 0]], [[0, 0], [0, 9]]], [[5, 1], [1, 20]]),
        "more labelled rows than rows",
    ),
    (lambda: Judged.from_counts([[1, 2], [3, 4]], [[5, 6], [7, 8]]), "must be truth"),
    (lambda: JudgeDisplay.from_favour(ifs.evaluate(["a", "b"] * 9, ["a", "b"] * 9)), "none can be favoured"),
]


@pytest.mark.parametrize(("call", "said"), CALLS)
def test_a_sentence_says_why(call: Callable[[], object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        call()
