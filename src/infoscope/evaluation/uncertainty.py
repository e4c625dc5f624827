"""From a table and what is known of its samples to a belief about its metrics."""

from __future__ import annotations

from dataclasses import replace

from infoscope.errors import InputError
from infoscope.evaluation.result import IntervalMethod
from infoscope.evaluation.score import TableInput
from infoscope.inputs import UncertaintyOptions
from infoscope.posterior import Posterior, samples_to_halve
from infoscope.posterior.bootstrap import ClusterBootstrap
from infoscope.posterior.sample_size import weighed

__all__ = ["believed"]


def believed(subject: TableInput, how: UncertaintyOptions) -> TableInput:
    """The same with its belief, and with how that came about."""
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
        return _resampled(subject, n, how)
    posterior = Posterior(subject.table, how.prior, sample_size=n, seed=how.seed)
    more = samples_to_halve(posterior, "proficiency")
    told = [
        f"{_percent(how.level)} intervals of the posterior, prior {posterior.prior}, rows taken as independent",
        *weighed(subject.table, n, stated=how.sample_size is not None),
        f"{more:,} more samples would halve them",
    ]
    interval = IntervalMethod(how.level, "posterior", "; ".join(told), posterior.prior, how.seed, samples_to_halve=more)
    return replace(subject, n=n, belief=posterior, interval=interval)


def _resampled(subject: TableInput, n: float, how: UncertaintyOptions) -> TableInput:
    """Intervals by resampling clusters whole."""
    assert subject.cluster is not None
    if how.sample_size is not None or not (isinstance(how.prior, str) and how.prior == "default"):
        raise InputError("resampling clusters takes neither a prior nor a stated sample size; leave them out")
    bootstrap = ClusterBootstrap(subject.table, subject.cluster.lines, seed=how.seed)
    groups = bootstrap.clusters.shape[0]
    text = (
        f"{_percent(how.level)} intervals by resampling the {groups:,} groups of {subject.cluster.column!r} whole, "
        f"{bootstrap.resamples:,} times: rows of a group are not taken as independent"
    )
    interval = IntervalMethod(how.level, "group bootstrap", text, seed=how.seed, groups=groups)
    return replace(subject, n=n, belief=bootstrap, interval=interval)


def _percent(level: float) -> str:
    return f"{100 * level:.4g}%"
