"""What may be wrong with labels and judge: tests on counts, each with the threshold at which it is reported."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaincc

from infoscope.core.numerics import Real
from infoscope.metrics.chance import information_nats, permuted_p_value
from infoscope.studies.judge.verdicts import RIGHT

if TYPE_CHECKING:
    from infoscope.studies.judge.judged import Judged

__all__ = [
    "AcceptedErrors",
    "LabelsBesideJudge",
    "RowEase",
    "RowSelection",
    "UnlabelledStrata",
    "accepted_error_rates",
    "accepted_errors",
    "accepting_verdicts",
    "given_truth_p_value",
    "labels_beside_judge",
    "row_ease",
    "row_selection",
    "unlabelled_strata",
]

SELECTED = 0.01
"""P below which labelled rows are said to be no random sample in verdict × prediction."""
EASIER, HARDER = 1.9, 2.6
"""Standard deviations from which on labelled rows are said to be easier, or harder, than others: 3.3% false alarms."""
DEPENDENT = 0.05
"""P below which verdicts are said to depend on something else than the true class."""
USEFUL = 0.95
"""Share of the sd of the labels alone that labels and judge must stay below for the judge to be of use."""
MENTIONED = 0.05
"""Share of rows in strata without labels from which on they are mentioned."""
PERMUTATIONS = 999
DRAWS = 4000


@dataclass(frozen=True)
class RowSelection:
    """Whether labelled rows have verdicts and predictions like the others (likelihood-ratio test)."""

    p_value: float
    verdict: str
    """Of the stratum that is labelled most beyond its share, and its prediction."""
    prediction: str

    @property
    def is_significant(self) -> bool:
        """Whether labelled rows are no random sample."""
        return self.p_value < SELECTED


def row_selection(judged: Judged, system: str) -> RowSelection:
    """Labelled rows against the others, by verdict × prediction."""
    strata = judged.strata(system)
    counts = strata.counts
    inside = counts.labelled.sum(axis=0)
    outside = counts.everything - (inside if judged.population == "all" else 0.0)
    used = np.flatnonzero((inside + outside).ravel() > 0)
    both = np.stack([inside.ravel()[used], np.maximum(outside.ravel()[used], 0.0)])
    freedom = len(used) - 1
    p_value = float(gammaincc(freedom / 2, max(information_nats(both), 0.0))) if freedom and both[1].sum() else 1.0
    expected = both.sum(axis=0) * both[0].sum() / max(both.sum(), 1.0)
    most = used[int(np.argmax((both[0] - expected) / np.sqrt(np.maximum(expected, 1e-9))))]
    verdict, prediction = np.unravel_index(most, inside.shape)
    return RowSelection(p_value, strata.verdicts[verdict], str(strata.predictions[prediction]))


@dataclass(frozen=True)
class RowEase:
    """How often predictions are right in the strata of the labelled rows, and in those of all rows.

    Under labels at random the difference has a known spread, whatever the strata hold; a test in this one direction
    finds more than the likelihood-ratio test of all strata.
    """

    labelled: float
    everything: float
    sd: float

    @property
    def z(self) -> float:
        """The difference in standard deviations; positive where labelled rows are easier."""
        return (self.labelled - self.everything) / self.sd if self.sd > 0 else 0.0

    @property
    def is_apart(self) -> bool:
        """Whether labelled rows lie in easier or harder strata than labels at random do."""
        return self.z > EASIER or self.z < -HARDER


def row_ease(judged: Judged, system: str, *, seed: int = 0) -> RowEase:
    """Labelled rows against all rows, by how often predictions of their verdict and prediction are right."""
    belief = judged.belief(system, seed=seed)
    counts, classes = belief.counts, belief.counts.prediction_class[belief.counts.prediction]
    right = np.where(classes >= 0, belief.theta.mean(axis=0)[np.arange(len(classes)), np.maximum(classes, 0)], 0.0)
    labelled = counts.by_class.sum(axis=1)
    share, labels, rows = counts.rows / counts.rows.sum(), max(labelled.sum(), 1e-300), counts.rows.sum()
    mean = float(share @ right)
    apart = 1 / labels - 1 / rows if judged.population == "all" else 1 / labels + 1 / rows
    variance = float(share @ (right - mean) ** 2) * max(float(apart), 0.0)
    return RowEase(float(labelled @ right / labels), mean, float(np.sqrt(variance)))


@dataclass(frozen=True)
class LabelsBesideJudge:
    """The accuracy by the labels alone and by labels with judge."""

    labels_only: float
    with_judge: float
    labels_only_sd: float
    with_judge_sd: float

    @property
    def is_useless(self) -> bool:
        """Whether the judge adds nothing to the labels."""
        return self.with_judge_sd > USEFUL * self.labels_only_sd


def labels_beside_judge(judged: Judged, system: str, *, seed: int = 0) -> LabelsBesideJudge:
    """The accuracy of a system both ways."""
    alone = judged.labels_posterior(system, seed=seed).summary("accuracy")
    both = judged.posterior(system, seed=seed).summary("accuracy")
    return LabelsBesideJudge(*(float(x) for x in (alone.mean, both.mean, alone.sd, both.sd)))


def accepting_verdicts(judged: Judged, system: str) -> NDArray[np.bool_]:
    """(verdicts, predictions): where the verdict says that the prediction is right."""
    strata = judged.strata(system)
    accepts = strata.counts.same.copy()
    accepts[[at for at, name in enumerate(strata.verdicts) if _says_right(judged, system, name)]] = True
    return accepts


def _says_right(judged: Judged, system: str, verdict: str) -> bool:
    kinds = {judged.kinds[name] for name in judged.judges_of(system)}
    return "right or wrong" in kinds and verdict.split(", ", maxsplit=1)[0].split(" (", maxsplit=1)[0] == RIGHT


@dataclass(frozen=True)
class AcceptedErrors:
    """How often the judge accepts wrong predictions of two systems."""

    first: str
    second: str
    rates: tuple[float, float]
    difference: tuple[float, float]
    """Interval of the first rate less the second."""

    @property
    def favoured(self) -> str | None:
        """The system whose errors are accepted more often; None where that may be chance."""
        low, high = self.difference
        return self.first if low > 0 else self.second if high < 0 else None


def accepted_errors(judged: Judged, level: float = 0.95, *, seed: int = 0) -> Iterator[AcceptedErrors]:
    """Every pair of systems over the labelled rows, which they share."""
    rates = accepted_error_rates(judged, seed=seed)
    tail = 100 * (1 - level) / 2
    for one, other in itertools.combinations(judged.systems, 2):
        low, high = np.percentile(rates[one] - rates[other], [tail, 100 - tail])
        yield AcceptedErrors(
            one, other, (float(rates[one].mean()), float(rates[other].mean())), (float(low), float(high))
        )


def accepted_error_rates(judged: Judged, *, seed: int = 0) -> dict[str, Real]:
    """Draws of how often the judge accepts wrong predictions of each system, over the same labelled rows.

    Rows whose labels were asked for by verdict and prediction are left out, since they were chosen by just that.
    """
    judged = judged.settled or judged
    known = np.flatnonzero(judged.patterns.present[judged.patterns.place(judged.truth)])
    weights = np.random.default_rng(seed).standard_gamma(
        judged.patterns.counts[known].astype(np.float64), (DRAWS, len(known))
    )
    rng = np.random.default_rng([seed, 1])
    return {name: _accepted_rates(judged, name, known, weights, rng) for name in judged.systems}


def _accepted_rates(
    judged: Judged, system: str, known: NDArray[np.int64], weights: Real, rng: np.random.Generator
) -> Real:
    """Draws of how often the judge accepts the system's wrong predictions."""
    strata = judged.strata(system)
    verdict, prediction, truth = strata.verdict_codes[known], strata.prediction_codes[known], _truth(judged)[known]
    named = strata.counts.prediction_class[np.maximum(prediction, 0)]
    wrong = (verdict >= 0) & (prediction >= 0) & (named != truth)
    accepts = accepting_verdicts(judged, system)[np.maximum(verdict, 0), np.maximum(prediction, 0)]
    hits = weights[:, wrong & accepts].sum(axis=1) + rng.standard_gamma(0.5, len(weights))
    misses = weights[:, wrong & ~accepts].sum(axis=1) + rng.standard_gamma(0.5, len(weights))
    return np.asarray(hits / (hits + misses))


def _truth(judged: Judged) -> NDArray[np.int64]:
    """True class of each pattern; −1 where it has no label."""
    at, place = judged.patterns.place(judged.truth), {label: code for code, label in enumerate(judged.classes)}
    moves = np.array([*(place.get(label, -1) for label in judged.patterns.labels[at]), -1], dtype=np.int64)
    return np.asarray(moves[judged.patterns.codes[at].astype(np.int64)])


def given_truth_p_value(tables: Real, *, seed: int = 0) -> float:
    """P of verdicts that depend on something else, given the true class: (classes, verdicts, values) of labelled rows.

    The values are dealt again at random among the rows of each class.
    """
    counts = np.round(tables).astype(np.int64)
    used = [table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0] for table in counts]
    tested = [table for table in used if min(table.shape) > 1]
    return permuted_p_value(tested, PERMUTATIONS, np.random.default_rng(seed)) if tested else 1.0


@dataclass(frozen=True)
class UnlabelledStrata:
    """Rows whose verdict and prediction no labelled row has."""

    share: float
    largest: tuple[str, str]
    """Verdict and prediction of the largest of these strata."""


def unlabelled_strata(judged: Judged, system: str) -> UnlabelledStrata | None:
    """Strata without a label; None where they hold few rows."""
    strata = judged.strata(system)
    rows = np.where(strata.counts.labelled.sum(axis=0) > 0, 0.0, strata.counts.everything)
    share = float(rows.sum() / strata.counts.everything.sum())
    if share <= MENTIONED:
        return None
    verdict, prediction = np.unravel_index(int(np.argmax(rows)), rows.shape)
    return UnlabelledStrata(share, (strata.verdicts[verdict], str(strata.predictions[prediction])))
