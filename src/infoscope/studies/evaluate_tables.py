"""Evaluate one table: its posterior with intervals, and every metric by class, by prediction and by cell.

``evaluate`` makes a ``TableInput`` of each system (in each group). ``fit_belief`` adds the posterior, or the reason why
there is none; ``measure`` returns the ``SystemResult``. The judge of an evaluation, and the classes of
``infoscope.report``, are evaluated in the same way.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any, Literal

import numpy as np

from infoscope.errors import InputError
from infoscope.metrics.chance import chance_p_value
from infoscope.metrics.registry import catalogue, metrics_of
from infoscope.metrics.shannon import entropies
from infoscope.posterior import Posterior, samples_to_halve
from infoscope.posterior.groups import GroupPosterior
from infoscope.posterior.measures import compute_information_sds
from infoscope.posterior.sample_size import explain_sample_size
from infoscope.posterior.summary import DrawnBelief
from infoscope.results.estimate import Estimate
from infoscope.results.finding import Finding
from infoscope.studies.clustering import splits_and_merges
from infoscope.studies.diagnose import withheld_metrics
from infoscope.studies.diagnose_statistics import TableBelief, find_confusions, find_directed_errors
from infoscope.studies.evaluation import (
    CellCost,
    CellExamples,
    CellLoss,
    ClassEstimates,
    ConfusedPair,
    IntervalMethod,
    SystemResult,
    describe_halving,
)
from infoscope.studies.inputs import UncertaintyOptions, describe_groups
from infoscope.tables import Contingency
from infoscope.tables.column_kinds import is_positive_open
from infoscope.tables.ifs_file import hash_tables

MAX_CELLS = 1000
"""A document lists at most this many cells, the costliest."""
MAX_CLASSES = 10_000
"""A document lists at most this many classes per side, the costliest."""
MAX_GROUPS_NAMED = 3
"""Groups that are split, and groups that are merged, that findings name."""


@dataclass(frozen=True)
class Clusters:
    """Groups of rows that belong together: their column, and the cells of each group, one line per group."""

    column: str
    lines: Any


@dataclass(frozen=True)
class TableInput:
    """One table to be evaluated, with its system and group."""

    name: str
    table: Contingency
    group: Mapping[str, str] | None = None
    n: float | None = None
    cluster: Clusters | None = None
    """Groups of rows that belong together; None where rows are independent."""
    belief: TableBelief | None = None
    interval: IntervalMethod | None = None
    examples: tuple[CellExamples, ...] = ()
    """Rows of its confused pairs."""
    clusters: bool = False
    """True if the names of the predictions mean nothing."""

    @property
    def is_counted(self) -> bool:
        """True if the table is of a sample, not expected by a model from draws."""
        return self.interval is None or self.interval.method != "draws"

    @property
    def has_one_class(self) -> bool:
        """True if the truth has one class, of which only a prior could say that others carry information."""
        return int(np.count_nonzero(self.table.row_totals)) == 1


# Belief ---------------------------------------------------------------------------------------------------------------


def fit_belief(subject: TableInput, uncertainty: UncertaintyOptions) -> TableInput:
    """Add the posterior of a table, and a description of how it was obtained.

    A table that was estimated, without truth or by a judge, has the intervals of its draws; groups of rows are
    resampled as a whole; any other table has a posterior. There are no intervals if the caller wants none, the sample
    size is not known, or the result would depend on the prior.
    """
    level, stated_size = uncertainty.level, uncertainty.sample_size
    percent = f"{100 * level:.4g}%"
    n = subject.n if stated_size is None else stated_size

    def omit_intervals(reason: str) -> TableInput:
        return replace(subject, n=n, interval=IntervalMethod(level, "none", reason))

    if uncertainty.uncertainty is None:
        return omit_intervals(
            "values of this sample (maximum likelihood) without intervals, as asked; few rows per class inflate "
            "information"
        )

    reweighting = subject.table.reweighting
    origin = subject.table if reweighting is None else reweighting.origin
    estimation = origin.estimation
    is_estimated = estimation is not None and estimation.draws.shape[1:] == origin.shape  # and not changed since
    if estimation is not None and is_estimated and stated_size is None:
        if not estimation.has_interval:
            return omit_intervals(
                "no intervals: the draws of the estimated table disagree, so the data do not settle it"
            )
        source = "from few labels and a judge" if estimation.basis == "judge" else "without truth"
        text = f"{percent} intervals of {len(estimation.draws):,} draws of the table, estimated {source}"
        return replace(subject, belief=DrawnBelief(subject.table), interval=IntervalMethod(level, "draws", text))

    if n is None:
        return omit_intervals(
            "no intervals: the table is of total 1, so its sample size is not known; state it with sample_size= or "
            "--sample-size"
        )
    if subject.clusters and subject.table.is_sparse:
        # among a million groups nearly all cells are empty, and no prior about them is worth its interval
        return omit_intervals(
            "no intervals: among so many clusters nearly all cells are empty, and a prior would decide"
        )

    if subject.cluster is not None:
        if stated_size is not None or not (isinstance(uncertainty.prior, str) and uncertainty.prior == "default"):
            raise InputError("groups take neither a prior nor a stated sample size; leave them out")
        by_group = GroupPosterior(subject.table, subject.cluster.lines, seed=uncertainty.seed)
        groups = by_group.lines.shape[0]
        text = (
            f"{percent} intervals that take rows within the {groups:,} groups of {subject.cluster.column!r} as "
            f"dependent: for accuracy, {n:,.6g} rows count as {by_group.effective_size('accuracy', level):,.3g} "
            "independent ones, each metric by its own spread between groups"
        )
        interval = IntervalMethod(level, "groups", text, seed=uncertainty.seed, groups=groups)
        return replace(subject, n=n, belief=by_group, interval=interval)

    posterior = Posterior(subject.table, uncertainty.prior, sample_size=n, seed=uncertainty.seed)
    more = None if subject.has_one_class else samples_to_halve(posterior, "proficiency")
    parts = [
        f"{percent} intervals of the posterior, prior {posterior.prior}, rows taken as independent",
        *explain_sample_size(subject.table, n, stated=stated_size is not None),
    ]
    text = "; ".join(parts) + ("" if more is None else describe_halving(more))
    interval = IntervalMethod(level, "posterior", text, posterior.prior, uncertainty.seed, samples_to_halve=more)
    return replace(subject, n=n, belief=posterior, interval=interval)


# Results --------------------------------------------------------------------------------------------------------------


def measure(subject: TableInput, findings: Sequence[Finding], level: float = 0.95) -> SystemResult:
    """Measure one table: every metric of the catalogue, classes, predictions, cells, confused pairs and findings."""
    table = subject.table
    has_two_classes = len(table.truth_labels) == 2
    positive = str(table.positive_label) if has_two_classes else None
    clustering = splits_and_merges(table) if subject.clusters else None
    diagnosis: list[Finding] = []
    if clustering is not None:
        evidence: dict[str, Any] = {"exact": clustering.exact, "groups": clustering.groups}
        diagnosis.append(Finding("clusters", f"{clustering.sentence()}.", evidence=evidence))
        for part in (*clustering.splits[:MAX_GROUPS_NAMED], *clustering.merges[:MAX_GROUPS_NAMED]):
            evidence = {"bits": part.bits, "size": part.size}
            diagnosis.append(Finding(f"{part.kind}_group", f"{part.sentence()}.", evidence=evidence))
    if subject.cluster is not None:
        diagnosis += describe_groups(subject.cluster.lines)
    # two classes form a single pair, so report misses and false alarms separately
    find_pairs = find_directed_errors if has_two_classes else find_confusions
    return SystemResult(
        name=subject.name,
        n=_shorten(subject.n),
        truth_labels=tuple(map(str, table.truth_labels)),
        system_labels=tuple(map(str, table.system_labels)),
        reject=None if table.reject is None else str(table.reject),
        positive=positive,
        positive_by_sorting=is_positive_open(table) or None,
        ordinal=None if table.ordinal is None else tuple(map(str, table.ordinal)),
        group=subject.group,
        metrics=_measure_table(subject, level, positive, withheld=withheld_metrics(findings)),
        classes=tuple(_measure_classes(subject, "truth", level)),
        outputs=tuple(_measure_classes(subject, "system", level)),
        leaks=tuple(_list_leaks(table)),
        costs=tuple(_list_costs(table)),
        confusions=tuple(
            ConfusedPair((str(pair.first), str(pair.second)), _shorten(pair.count) or 0, pair.gain, pair.directed)
            for pair in find_pairs(table, float(entropies(table).truth))
        ),
        diagnosis=(*diagnosis, *findings),
        interval=subject.interval,
        clusters=clustering,
        chance_p_value=chance_p_value(table, subject.n),
        examples=subject.examples,
        data_hash=hash_tables(table),
        table=table,
    )


def _shorten(number: float | None) -> float | None:
    """Return whole numbers as integers, so that JSON shows a count as a count."""
    return int(number) if number is not None and float(number).is_integer() else number


def _measure_table(subject: TableInput, level: float, positive: str | None, withheld: set[str]) -> dict[str, Estimate]:
    """Measure the table in every metric, with intervals where the metric is defined.

    Metrics in ``withheld`` have a value without an interval, since its coverage would be too low.
    """
    table = subject.table
    entries = list(metrics_of("table", ordinal=table.ordinal is not None, costs=table.costs is not None))
    estimates: dict[str, Estimate] = {}
    for entry in entries:
        number = float(entry.score(table))
        estimate = Estimate.of(number, "" if np.isfinite(number) else entry.reason(table))
        estimates[entry.name] = replace(estimate, positive=positive) if entry.card.of_positive else estimate
    if subject.belief is None:
        return estimates
    names_with_intervals = [
        entry.name
        for entry in entries
        if entry.card.posterior != "none"
        and estimates[entry.name].value is not None
        and not (subject.has_one_class and entry.card.is_information)
    ]
    for name, summary in subject.belief.summaries(names_with_intervals, level).items():
        estimates[name] = estimates[name].with_belief(
            summary, corrected=catalogue[name].is_information, counted=subject.is_counted
        )
    if table.reweighting is None and subject.n is not None:
        for name, first_order in compute_information_sds(table, subject.n).items():
            if estimates[name].sd is not None:
                estimates[name] = estimates[name].with_first_order(first_order)
    for name in withheld & set(estimates):
        estimates[name] = replace(estimates[name], sd=None, low=None, high=None, first_order_sd=None)
    return estimates


def _measure_classes(subject: TableInput, side: Literal["truth", "system"], level: float) -> Iterator[ClassEstimates]:
    """Measure each class of one side in the metrics of that level, whose prefix is dropped.

    Of more than ``MAX_CLASSES`` classes the costliest are listed, in their order.
    """
    table = subject.table
    beliefs: Mapping[str, Any] = {}
    if subject.belief is not None:
        beliefs = subject.belief.by_class(level) if side == "truth" else subject.belief.by_output(level)
    entries = {entry.name.partition("_")[2]: entry for entry in metrics_of(side)}
    numbers: dict[str, list[float]] = {}
    undefined: dict[str, str] = {}
    for name, entry in entries.items():
        values, undefined[name] = np.asarray(entry.score(table)), entry.card.undefined
        if subject.clusters and entry.card.unit != "count" and not entry.card.is_information:
            values, undefined[name] = np.full(values.shape, np.nan), "names of clusters mean nothing"
        numbers[name] = values.tolist()

    places: Sequence[int] = range(len(next(iter(numbers.values()))))
    if len(places) > MAX_CLASSES:
        cost = sum(np.nan_to_num(numbers[name]) for name in ("missed_share", "false_share"))
        places = np.sort(np.argsort(-cost, kind="stable")[:MAX_CLASSES]).tolist()

    columns: list[list[Estimate]] = []
    for name, entry in entries.items():
        summary = None if subject.has_one_class and entry.card.is_information else beliefs.get(name)
        parts: list[list[float | None]] = []
        if summary is not None:
            parts = [
                [x if isfinite(x) else None for x in np.asarray(part).tolist()]
                for part in (summary.mean, summary.sd, summary.low, summary.high)
            ]
        column = []
        for place in places:
            number = numbers[name][place]
            mean, sd, low, high = (part[place] for part in parts) if parts else (None,) * 4
            if not isfinite(number):
                column.append(Estimate.of(number, undefined[name]))
            elif entry.card.unit == "count":
                column.append(Estimate(_shorten(number)))
            elif mean is not None and not subject.is_counted:
                column.append(Estimate(mean, mean, sd, low, high))
            else:
                corrected = mean is not None and entry.card.is_information
                column.append(Estimate(number, mean, sd, low, high, corrected=corrected))
        columns.append(column)
    labels = table.truth_labels if side == "truth" else table.system_labels
    for place, row in zip(places, zip(*columns, strict=True), strict=True):
        yield ClassEstimates(str(labels[place]), dict(zip(entries, row, strict=True)))


def _list_costs(table: Contingency) -> Iterator[CellCost]:
    """Yield cells by their total cost, the costliest first, except cells without cost."""
    if table.costs is None:
        return
    costs = table.costs.lay_out(table.truth_labels, table.system_labels)[table.cell_rows, table.cell_columns]
    totals = costs * table.cells
    for cell in np.argsort(-np.abs(totals), kind="stable")[:MAX_CELLS]:
        if not totals[cell]:
            return
        yield CellCost(
            str(table.truth_labels[table.cell_rows[cell]]),
            str(table.system_labels[table.cell_columns[cell]]),
            _shorten(float(table.cells[cell])) or 0,
            float(costs[cell]),
            float(totals[cell] / table.grand_total),
        )


def _list_leaks(table: Contingency) -> Iterator[CellLoss]:
    """Yield cells by the bits that they lose and add, the costliest first."""
    parts = {entry.name: np.asarray(entry.score(table)) for entry in metrics_of("cell")}
    missed, false = parts["cell_missed_information"], parts["cell_false_information"]
    cost = missed + false
    order = np.argsort(-cost, kind="stable")[:MAX_CELLS]
    order = order[cost[order] > 0]
    columns = (table.cell_rows, table.cell_columns, table.cells, missed, false)
    for row, column, count, lost, added in zip(*(part[order].tolist() for part in columns), strict=True):
        labels = str(table.truth_labels[row]), str(table.system_labels[column])
        yield CellLoss(*labels, _shorten(count) or 0, lost, added)
