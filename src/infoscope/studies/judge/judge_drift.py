"""Whether a judge changed between periods: verdicts given the true class, and the mix of verdicts and predictions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaincc

from infoscope.core.numerics import Real
from infoscope.errors import InputError
from infoscope.metrics.chance import information_nats
from infoscope.results.finding import Finding
from infoscope.studies.judge.diagnostics import DEPENDENT, SELECTED, given_truth_p_value
from infoscope.tables.rows import Patterns
from infoscope.typing import Json

__all__ = ["JudgeDrift", "judge_drift", "judge_drift_findings"]


@dataclass(frozen=True)
class JudgeDrift:
    """Verdicts of one judge from period to period."""

    judge: str
    periods: tuple[str, ...]
    labels: tuple[int, ...]
    """Labelled rows of each period."""
    p_value: float
    """Of verdicts that depend on the period, given the true class (and the prediction): labelled rows."""
    p_mix: float
    """Of verdicts and predictions that come in other proportions: all rows. It cannot tell judge from system."""
    period: str
    """The period whose verdicts differ most from the others', given the true class."""

    @property
    def is_significant(self) -> bool:
        """Whether the judge changed."""
        return self.p_value < DEPENDENT


def judge_drift(
    patterns: Patterns, given: Sequence[str], judge: str, systems: Sequence[str], period: str, *, seed: int = 0
) -> JudgeDrift:
    """Both tests on counted rows of truth, verdict, predictions and period; rows without one of them are left out.

    ``given`` are the truth for verdicts that name classes, truth and prediction for those that say right or wrong.
    """
    at = patterns.place(period)
    if len(patterns.labels[at]) < 2:
        raise InputError(f"column {period!r} has one value; a change is between two periods or more")
    known = patterns.where(np.all([patterns.present[patterns.place(name)] for name in (*given, judge, period)], axis=0))
    codes = {name: known.codes[known.place(name)].astype(np.int64) for name in (*given, judge, period)}
    strata = np.unique([codes[name] for name in given], axis=1, return_inverse=True)[1].reshape(-1)
    shape = (int(strata.max(initial=0)) + 1, *(len(patterns.labels[patterns.place(name)]) for name in (judge, period)))
    tables = np.zeros(shape)
    np.add.at(tables, (strata, codes[judge], codes[period]), known.counts)
    return JudgeDrift(
        judge,
        tuple(map(str, patterns.labels[at])),
        tuple(int(number) for number in tables.sum(axis=(0, 1))),
        given_truth_p_value(tables, seed=seed),
        _mix_p_value(patterns, [judge, *systems], period),
        str(patterns.labels[at][_most_different(tables)]),
    )


def _mix_p_value(patterns: Patterns, columns: Sequence[str], period: str) -> float:
    """Likelihood-ratio test of what the columns hold together against the period, over all rows."""
    whole = patterns.select([*columns, period]).complete()
    keys = np.unique(whole.codes[:-1], axis=1, return_inverse=True)[1].reshape(-1)
    table = np.zeros((int(keys.max(initial=0)) + 1, len(whole.labels[-1])))
    np.add.at(table, (keys, whole.codes[-1].astype(np.int64)), whole.counts)
    table = table[:, table.sum(axis=0) > 0]
    freedom = (table.shape[0] - 1) * (table.shape[1] - 1)
    return float(gammaincc(freedom / 2, max(information_nats(table), 0.0))) if freedom > 0 else 1.0


def _most_different(given: Real) -> int:
    """The period whose verdicts are farthest from those of all periods, given the true class."""
    totals = given.sum(axis=(1, 2), keepdims=True)
    expected = given.sum(axis=2, keepdims=True) * given.sum(axis=1, keepdims=True) / np.maximum(totals, 1e-300)
    ratio = np.maximum(given, 1e-300) / np.maximum(expected, 1e-300)
    parts: NDArray[np.float64] = np.where(given > 0, given * np.log(ratio), 0.0).sum(axis=(0, 1))
    return int(np.argmax(parts / np.sqrt(np.maximum(given.sum(axis=(0, 1)), 1.0))))


def judge_drift_findings(found: JudgeDrift) -> Iterator[Finding]:
    """Findings about a judge over time."""
    fewest = min(found.labels)
    evidence: dict[str, Json] = {
        "judge": found.judge,
        "p_value": found.p_value,
        "p_mix": found.p_mix,
        "labels": list(found.labels),
    }
    if found.is_significant:
        yield Finding(
            "judge_changed",
            f"Given the true class, verdicts of {found.judge} differ between periods (P = {found.p_value:.2g}), most "
            f"in {found.period}: labels of one period do not correct the verdicts of another. Evaluate "
            "periods one by one, with labels of each.",
            "warning",
            evidence,
        )
        return
    power = f"{fewest:,} labels in the smallest period: {_power(fewest)}"
    if found.p_mix < SELECTED:
        yield Finding(
            "verdicts_shifted",
            f"Verdicts of {found.judge} and predictions come in other proportions from period to period; the labels "
            f"do not decide whether the judge, the system or the rows changed (P = {found.p_value:.2g}; {power}).",
            "warning",
            evidence,
        )
    else:
        text = f"No change of {found.judge} between periods is found (P = {found.p_value:.2g}; {power})."
        yield Finding("judge_steady", text, evidence=evidence)


def _power(labels: int) -> str:
    """How often a judge that falls from 85% to 70% is found with this many labels per period (measured)."""
    if labels >= 250:
        return "in simulations a judge that falls from 85% to 70% is found in 97% of the cases"
    if labels >= 100:
        return "in simulations a judge that falls from 85% to 70% is missed in a third of the cases"
    return "most changes are missed with fewer than 100"
