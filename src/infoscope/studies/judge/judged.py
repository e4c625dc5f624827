"""Judged: rows of which few have a true label and most the verdict of a judge, as counts that merge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np

from infoscope.core.numerics import Real
from infoscope.errors import InputError
from infoscope.posterior import Posterior
from infoscope.posterior.drawn import DrawnBelief
from infoscope.readers import ReadOptions
from infoscope.readers.labels import cleaning_for, match_label
from infoscope.results.finding import Finding
from infoscope.studies.judge.belief import StratumBelief, accuracy_moments
from infoscope.studies.judge.diagnostic_findings import diagnostic_findings
from infoscope.studies.judge.group_requests import labels_by_group
from infoscope.studies.judge.judged_rows import JudgedRows
from infoscope.studies.judge.label_requests import WantedWidth, labels_for, with_labels
from infoscope.studies.judge.system_strata import SystemStrata
from infoscope.studies.judge.verdicts import RIGHT, WRONG
from infoscope.studies.labels import LabelPlan
from infoscope.tables import Contingency
from infoscope.tables.contingency import Estimation
from infoscope.tables.labels import Label, lookalikes, sorted_labels
from infoscope.typing import LabelsLike

__all__ = ["FEWEST_LABELS", "Judged", "estimated_table"]

FEWEST_LABELS = 10
MOST_CELLS = 500_000
"""Strata × classes: their draws fill a gigabyte, and take a minute."""


@dataclass(frozen=True, eq=False, repr=False)
class Judged(JudgedRows):
    """Labelled rows by truth × verdict × predictions, and all rows by verdict × predictions.

    Parts of the data add up. ``posterior`` gives every metric over all rows with its interval, ``judge`` what the
    judge itself is worth.

    >>> rows = {
    ...     "human": ["spam", "ham"] * 20 + [None] * 400,
    ...     "gpt": ["spam", "ham"] * 220,
    ...     "model": ["spam", "ham", "ham", "ham"] * 110,
    ... }
    >>> judged = Judged.from_rows(rows, truth="human", judge="gpt", system="model")
    >>> judged
    Judged: 40 labels among 440 rows; judge gpt, system model
    >>> round(float(judged.posterior().mean("accuracy")), 2)
    0.74
    """

    _beliefs: dict[tuple[str, int], StratumBelief] = field(default_factory=dict, init=False)
    _alone: dict[tuple[str, int], Posterior] = field(default_factory=dict, init=False)
    _diagnosed: dict[tuple[float, int], tuple[Finding, ...]] = field(default_factory=dict, init=False)

    def belief(self, system: str | None = None, *, seed: int = 0) -> StratumBelief:
        """Draws of the strata's shares and classes."""
        name = self._system(system)
        if (name, seed) not in self._beliefs:
            self._check_labels()
            self._check_predictions(name)
            self._check_names(name)
            self._check_size(name)
            self._beliefs[name, seed] = StratumBelief.of(self.counts(name), seed=seed)
        return self._beliefs[name, seed]

    # ── what is believed ─────────────────────────────────────────────────────────────────────────

    def table(self, system: str | None = None, *, seed: int = 0) -> Contingency:
        """Truth × prediction over all rows as it is believed to be: expected rows, and draws behind them.

        Its sample size is what labels and verdicts together are worth in labels.
        """
        name = self._system(system)
        belief, strata = self.belief(name, seed=seed), self.strata(name)
        known: dict[str, tuple[float, float]] = {}
        if belief.counts.classes == 2:
            mean, sd = accuracy_moments(belief.counts)
            known = {"accuracy": (mean, sd), "error_rate": (1 - mean, sd)}
        found = self._estimated(belief.tables, (self.classes, strata.predictions), belief, known)
        return self._with_options(found, name)

    def posterior(self, system: str | None = None, *, seed: int = 0) -> DrawnBelief:
        """Every metric of one system over all rows."""
        return DrawnBelief(self.table(system, seed=seed))

    @property
    def judge(self) -> DrawnBelief:
        """The judge as a system of its own: truth × verdict."""
        return DrawnBelief(self.judge_table())

    def judge_table(self, system: str | None = None, *, seed: int = 0) -> Contingency:
        """Truth × verdict over all rows as it is believed to be."""
        name = self._system(system or self.systems[0])
        belief = self.belief(name, seed=seed)
        draws, verdicts = _by_named_class(belief, self.strata(name), self.classes)
        found = self._estimated(draws, (self.classes, verdicts), belief)
        return replace(found, positive=match_label(self.positive, self.classes))

    def correctness_table(self, system: str | None = None, *, seed: int = 0) -> Contingency:
        """Whether predictions are wrong or right × verdict, over all rows: what verdicts say that name no class."""
        name = self._system(system or self.systems[0])
        belief, verdicts = self.belief(name, seed=seed), self.strata(name).verdicts
        return replace(self._estimated(belief.right_tables, ((WRONG, RIGHT), verdicts), belief), positive=RIGHT)

    def labels_only(self, system: str | None = None) -> Contingency:
        """Truth × prediction of the labelled rows alone."""
        name = self._system(system)
        rows = self.patterns.where(self.patterns.present[0]).table(self.truth, name)
        return self._with_options(rows, name)

    def labels_posterior(self, system: str | None = None, *, seed: int = 0) -> Posterior:
        """Every metric of one system by the labelled rows alone."""
        name = self._system(system)
        if (name, seed) not in self._alone:
            self._alone[name, seed] = Posterior(self.labels_only(name), seed=seed)
        return self._alone[name, seed]

    def judge_as_truth(self, system: str | None = None) -> Contingency | None:
        """Verdict × prediction of all rows; None where the verdicts name no class."""
        strata = self.strata(system)
        counts = strata.counts
        if not (counts.verdict_class >= 0).any():
            return None
        named = np.flatnonzero(counts.verdict_class >= 0)
        rows, columns = np.nonzero(counts.everything[named])
        table = Contingency.from_cells(
            self.classes,
            strata.predictions,
            counts.verdict_class[named][rows],
            columns,
            counts.everything[named][rows, columns],
        )
        return self._with_options(table, self._system(system))

    def further_labels(self, system: str | None = None, metric: str = "accuracy", *, seed: int = 0) -> float:
        """How many further labels the judge is worth: n·(sd_l²/sd_j² − 1)."""
        alone = float(self.labels_posterior(system, seed=seed).sd(metric))
        both = float(self.posterior(system, seed=seed).sd(metric))
        return self.counts(system).labels * ((alone / both) ** 2 - 1) if both > 0 else 0.0

    # ── further labels ──────────────────────────────────────────────────────────────────────────

    def labels_for(
        self, metric: str, width: float, *, system: str | None = None, level: float = 0.95, seed: int = 0
    ) -> LabelPlan:
        """How many further labels make the interval of a metric this wide, at random and by stratum, and on which rows.

        Of several systems, the one that needs most labels decides unless one is named. Rows that were counted ``by``
        groups get a plan for every group, in one list of rows.
        """
        if not self.by:
            return labels_for(self, metric, width, system, level=level, seed=seed)
        return labels_by_group(self, system, WantedWidth.asked(self, metric, width, level, seed), FEWEST_LABELS)

    def with_labels(self, labels: LabelsLike, *, column: str = "label", read: ReadOptions | None = None) -> Judged:
        """The same rows with the labels of filled-in sheets, as ``labels_for(…).write_sheet`` makes them."""
        return with_labels(self, labels, column=column, read=read)

    def findings(self, *, level: float = 0.95, seed: int = 0) -> tuple[Finding, ...]:
        """What may be wrong with the labels or the judge."""
        if (level, seed) not in self._diagnosed:
            self._diagnosed[level, seed] = tuple(diagnostic_findings(self, level=level, seed=seed))
        return self._diagnosed[level, seed]

    # ── inside ───────────────────────────────────────────────────────────────────────────────

    def _estimated(
        self,
        draws: Real,
        labels: tuple[Sequence[Label], Sequence[Label]],
        belief: StratumBelief,
        known: Mapping[str, tuple[float, float]] = MappingProxyType({}),
    ) -> Contingency:
        counts = belief.counts
        text = (
            f"Estimated for {counts.rows.sum():,.6g} rows from {counts.labels:,.6g} true labels and the verdicts of "
            f"{self.judge_title()}: within a verdict and prediction, labelled rows must be like the others."
        )
        return estimated_table(labels, draws * counts.rows.sum(), counts.labels, text, known)

    def _with_options(self, table: Contingency, system: str) -> Contingency:
        """A table with its reject label, where it has that, and its positive class."""
        reject = match_label(self.reject, self._labels(system))
        positive = match_label(self.positive, table.truth_labels)
        return replace(table, reject=reject if reject in table.system_labels else None, positive=positive)

    def _check_labels(self) -> None:
        if not self.label_count:
            raise InputError(
                f"no row has a true label in column {self.truth!r}; label some rows at random, or as many of each "
                "verdict and prediction"
            )
        if self.label_count < FEWEST_LABELS:
            raise InputError(f"{self.label_count:g} rows have a true label; label at least {FEWEST_LABELS}")

    def _check_predictions(self, system: str) -> None:
        """Reject a system without predictions, of labelled rows or at all, and a judge without verdicts."""
        there = {name: self.patterns.present[self.patterns.place(name)] for name in (system, *self.judges_of(system))}
        for name, present in there.items():
            if not present.any():
                what = "prediction" if name == system else "verdict"
                raise InputError(f"column {name!r} has no {what} in any row; name the column that has them")
        labelled = float(self.patterns.counts[self.patterns.present[0] & there[system]].sum())
        if labelled < FEWEST_LABELS:
            raise InputError(
                f"{labelled:g} of the {self.label_count:g} rows with a true label have a prediction of {system}; "
                f"label at least {FEWEST_LABELS} that have one"
            )

    def _check_names(self, system: str) -> None:
        """Reject predictions of which none is a true class: nothing says then which of them are right."""
        true, predicted = self._labels(self.truth), self._labels(system)
        predicted -= {match_label(self.reject, predicted)}
        if true & predicted:
            return
        groups = [group for group in lookalikes(true | predicted) if set(map(str, true)) & {*group}]
        few = [", ".join(map(repr, sorted_labels(labels)[:3])) for labels in (predicted, true)]
        raise InputError(
            f"predictions of {system} ({few[0]}) and true classes ({few[1]}) share no name, so that no verdict can be "
            f"compared with them; rename the predictions{f', {cleaning_for(groups)}' if groups else ''}, or leave out "
            "the judge"
        )

    def _check_size(self, system: str) -> None:
        strata, classes = len(self.counts(system).rows), len(self.classes)
        if classes > 2 and strata * classes > MOST_CELLS:
            raise InputError(
                f"{classes:,} classes make {strata:,} pairs of verdict and prediction of {system}, more than can be "
                "estimated: merge rare classes, or leave out the judge"
            )


def _by_named_class(
    belief: StratumBelief, strata: SystemStrata, classes: tuple[Label, ...]
) -> tuple[Real, tuple[Label, ...]]:
    """Draws of truth × the class that verdicts name; verdicts without one stay as they are."""
    named = belief.counts.verdict_class
    rest = np.flatnonzero(named < 0)
    column = np.where(named >= 0, named, 0)
    column[rest] = len(classes) + np.arange(len(rest))
    draws = belief.against(column[belief.counts.verdict], len(classes) + len(rest))
    return draws, (*classes, *(strata.verdicts[at] for at in rest.tolist()))


def estimated_table(
    labels: tuple[Sequence[Label], Sequence[Label]],
    draws: Real,
    label_count: float,
    caveat: str,
    known: Mapping[str, tuple[float, float]],
) -> Contingency:
    """The mean of drawn tables (draws, rows, columns), with the sample size that they are worth."""
    mean = draws.mean(axis=0)
    total = float(mean.sum())
    table = Contingency(tuple(labels[0]), tuple(labels[1]), mean)
    size = min(max(_worth(table, draws / total, label_count), 1.0), total)
    estimation = Estimation(caveat, draws, basis="judge", moments=dict(known))
    return replace(table, estimation=estimation, weight_squares=total**2 / size)


def _worth(table: Contingency, shares: Real, label_count: float) -> float:
    """How many labels at random would tell the share of matches as exactly; of no matches, the labels there are."""
    hits = shares[:, table.matches[0], table.matches[1]].sum(axis=1)
    mean, variance = float(hits.mean()), float(hits.var())
    return mean * (1 - mean) / variance if variance > 0 and 0 < mean < 1 else label_count
