"""From a table and what is known of its samples to a belief about its metrics."""

from __future__ import annotations

from dataclasses import replace

from infoscope.errors import InputError
from infoscope.posterior import Posterior, samples_to_halve
from infoscope.posterior.drawn import DrawnBelief
from infoscope.posterior.groups import GroupPosterior
from infoscope.posterior.sample_size import weighed
from infoscope.studies.evaluate.result import IntervalMethod, halving
from infoscope.studies.evaluate.score import TableInput, has_one_class
from infoscope.studies.inputs import UncertaintyOptions
from infoscope.tables import Contingency
from infoscope.tables.contingency import Estimation

__all__ = ["believed"]

_PLAIN = (
    "values of this sample (maximum likelihood) without intervals, as asked; few rows per class inflate information"
)


def believed(subject: TableInput, how: UncertaintyOptions) -> TableInput:
    """The same with its belief, and with how that came about."""
    if how.uncertainty is None:
        n = subject.n if how.sample_size is None else how.sample_size
        return replace(subject, n=n, interval=IntervalMethod(how.level, "none", _PLAIN))
    estimation = _estimation(subject.table)
    if estimation is not None and how.sample_size is None:
        return _drawn(subject, estimation, how)
    n = subject.n if how.sample_size is None else how.sample_size
    if n is None:
        why = (
            "no intervals: the table is of total 1, so its sample size is not known; state it with sample_size= or "
            "--sample-size"
        )
        return replace(subject, n=n, interval=IntervalMethod(how.level, "none", why))
    if subject.clusters and subject.table.is_sparse:
        # among a million groups nearly all cells are empty, and no prior about them is worth its interval
        why = "no intervals: among so many clusters nearly all cells are empty, and a prior would decide"
        return replace(subject, n=n, interval=IntervalMethod(how.level, "none", why))
    if subject.cluster is not None:
        return _grouped(subject, n, how)
    posterior = Posterior(subject.table, how.prior, sample_size=n, seed=how.seed)
    more = None if has_one_class(subject.table) else samples_to_halve(posterior, "proficiency")
    stated = [
        f"{_percent(how.level)} intervals of the posterior, prior {posterior.prior}, rows taken as independent",
        *weighed(subject.table, n, stated=how.sample_size is not None),
    ]
    text = "; ".join(stated) + ("" if more is None else halving(more))
    interval = IntervalMethod(how.level, "posterior", text, posterior.prior, how.seed, samples_to_halve=more)
    return replace(subject, n=n, belief=posterior, interval=interval)


def _estimation(table: Contingency) -> Estimation | None:
    """Draws of a table that was estimated and not changed since."""
    origin = table if table.reweighting is None else table.reweighting.origin
    found = origin.estimation
    return found if found is not None and found.draws.shape[1:] == origin.shape else None


def _drawn(subject: TableInput, estimation: Estimation, how: UncertaintyOptions) -> TableInput:
    """Intervals of a table that nobody counted, from its draws."""
    if not estimation.has_interval:
        why = "no intervals: the draws of the estimated table disagree, so the data do not settle it"
        return replace(subject, interval=IntervalMethod(how.level, "none", why))
    source = "from few labels and a judge" if estimation.basis == "judge" else "without truth"
    text = f"{_percent(how.level)} intervals of {len(estimation.draws):,} draws of the table, estimated {source}"
    return replace(subject, belief=DrawnBelief(subject.table), interval=IntervalMethod(how.level, "draws", text))


def _grouped(subject: TableInput, n: float, how: UncertaintyOptions) -> TableInput:
    """Intervals by the effective number of rows, where rows come in groups."""
    assert subject.cluster is not None
    if how.sample_size is not None or not (isinstance(how.prior, str) and how.prior == "default"):
        raise InputError("groups take neither a prior nor a stated sample size; leave them out")
    posterior = GroupPosterior(subject.table, subject.cluster.lines, seed=how.seed)
    groups = posterior.lines.shape[0]
    text = (
        f"{_percent(how.level)} intervals that take rows within the {groups:,} groups of {subject.cluster.column!r} as "
        f"dependent: for accuracy, {n:,.6g} rows count as {posterior.effective_size('accuracy', how.level):,.3g} "
        "independent ones, each metric by its own spread between groups"
    )
    interval = IntervalMethod(how.level, "groups", text, seed=how.seed, groups=groups)
    return replace(subject, n=n, belief=posterior, interval=interval)


def _percent(level: float) -> str:
    return f"{100 * level:.4g}%"
