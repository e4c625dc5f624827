"""A log with few true labels and the verdicts of judges, and both of its count tensors by hand."""

from typing import Any

import numpy as np

from infoscope import Judged, ReadOptions
from tests.engines.cases import Case, case

CLASSES = ("Ham", "ham", "späm")
"""Two of them differ in case only, which some databases take for one."""
SYSTEMS = ("model", "new")


def _line(row: int) -> tuple[Any, ...]:
    truth, gpt, model = CLASSES[row % 3], CLASSES[(2 * row + row // 7) % 3], CLASSES[(row + row // 5) % 3]
    return (
        truth if row % 4 == 0 else None,
        None if row % 20 == 3 else gpt,
        (7 if model == truth else 3) + row // 4 % 4,
        None if row % 30 == 7 else model,
        CLASSES[row % 2],
        0.5 + row % 3,
    )


JUDGED_LOG: Case = case(
    "few labels and judges",
    "human:text gpt:text score:int model:text new:text w:float",
    [_line(row) for row in range(90)],
)


def read_judged(source: Any, judge: str = "gpt", read: ReadOptions | None = None, **roles: Any) -> Judged:
    return Judged.from_rows(source, truth="human", judge=judge, system=SYSTEMS, read=read, **roles)


def tensors_by_hand(system: str) -> tuple[np.ndarray, np.ndarray]:
    """Labelled rows by truth × verdict × prediction, all rows by verdict × prediction; "none" is the last verdict."""
    place = {label: at for at, label in enumerate((*CLASSES, None))}
    labelled, everything = np.zeros((3, 4, 3)), np.zeros((4, 3))
    for row in JUDGED_LOG.rows:
        if row[system] is not None:
            verdict, prediction = place[row["gpt"]], place[row[system]]
            everything[verdict, prediction] += 1
            if row["human"] is not None:
                labelled[place[row["human"]], verdict, prediction] += 1
    return labelled, everything


def check_tensors(source: Any, read: ReadOptions | None = None) -> None:
    """Both tensors of either system as by hand, from one reading."""
    found = read_judged(source, read=read)
    assert found.classes == CLASSES
    for system in SYSTEMS:
        assert found.strata(system).verdicts == (*CLASSES, "none")
        labelled, everything = tensors_by_hand(system)
        assert np.array_equal(found.counts(system).labelled, labelled), system
        assert np.array_equal(found.counts(system).everything, everything), system


def check_weighted_grades(source: Any, read: ReadOptions | None = None) -> None:
    """Grades are cut where they tell right from wrong, whether numbers or text; weights add up."""
    found = read_judged(source, "score", read, weight="w")
    assert found.strata("model").verdicts == ("below 7", "from 7")
    rows = [row for row in JUDGED_LOG.rows if row["model"] is not None]
    weights = np.array([row["w"] for row in rows])
    high = np.array([row["score"] >= 7 for row in rows])
    known = np.array([weights[~high].sum(), weights[high].sum()]) * weights.sum() / (weights**2).sum()
    np.testing.assert_allclose(found.counts("model").everything.sum(axis=1), known)
