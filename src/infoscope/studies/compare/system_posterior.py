"""What is believed about each system: from all the rows it predicted, and from those of a pair."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import betaincinv

from infoscope.errors import InputError
from infoscope.metrics.chance import chance_p_value
from infoscope.metrics.registry import Law, Metric, find
from infoscope.posterior import Posterior
from infoscope.posterior.dominant_class import DominantClass, find_dominant_class
from infoscope.posterior.drawn import DrawnBelief
from infoscope.posterior.exact.dirichlet import DirichletBelief
from infoscope.posterior.groups import GroupPosterior
from infoscope.posterior.missing_classes import MissingClasses, missing_classes
from infoscope.posterior.priors import default_name
from infoscope.posterior.summary import Summary
from infoscope.posterior.tree.tree import Tree
from infoscope.results.finding import Finding
from infoscope.studies.compare.difference import MetricBelief
from infoscope.studies.compare.options import CompareOptions
from infoscope.studies.compare.sparse_support import is_spacious, on_cells
from infoscope.tables import Contingency
from infoscope.typing import LabelsLike

__all__ = ["ACCURACY", "ERRORS", "SystemPosterior", "metrics_needed", "reject_or_note"]

ERRORS = "erroneous_information_ratio"
ACCURACY = "accuracy"

_SAME = 1e-9
_LARGE = 1 << 16


def metrics_needed(question: CompareOptions) -> tuple[Metric, ...]:
    """What was asked for, and what the improvement factors are made of."""
    entries = {entry.name: entry for entry in (*question.metrics, find(ERRORS), find(ACCURACY))}
    return tuple(entries.values())


@dataclass(frozen=True)
class SystemPosterior:
    """One system on some rows: its table, with the prevalence asked for, and what is believed of every metric."""

    name: str
    table: Contingency
    question: CompareOptions
    clusters: Any = None
    given: Posterior | DrawnBelief | None = None
    """What is believed of the table already."""
    namesake: SystemPosterior | None = None
    """A system with the same predictions under other names: metrics that do not see names are the same number."""

    @cached_property
    def source(self) -> Posterior | DrawnBelief | GroupPosterior:
        """The posterior, of grouped rows one of effective sizes."""
        if self.clusters is not None:
            return GroupPosterior(self.table, self.clusters, seed=self.question.seed)
        if self.given is not None:
            return self.given
        return Posterior(*_thin(self.question.in_order(self.table), self.question.prior), seed=self.question.seed)

    @cached_property
    def beliefs(self) -> Mapping[str, MetricBelief]:
        """Value, mean, sd and interval by metric; all draws are shared in one pass."""
        entries = metrics_needed(self.question)
        exact = _exact_accuracy(self.source, self.question.level)
        drawn = [entry.name for entry in entries if entry.name not in exact]
        found = self.source.summaries(drawn, self.question.level) | exact
        beliefs = {}
        for entry in entries:
            if self.namesake is not None and Law.RELABELLING in entry.card.laws:
                beliefs[entry.name] = self.namesake.beliefs[entry.name]
                continue
            mean, sd, low, high = (float(part) for part in found[entry.name])
            is_counted = not isinstance(
                self.source, DrawnBelief
            )  # of a table that nobody counted no value is the sample's
            value = float(entry.score(self.table)) if is_counted else mean
            beliefs[entry.name] = MetricBelief(value, mean, sd, low, high, corrected=entry.card.is_information)
        return beliefs

    @property
    def rows(self) -> float:
        """Rows, or effective samples, behind the table."""
        recipe = self.table.reweighting
        return float(self.table.total if recipe is None else recipe.origin.total)

    @cached_property
    def chance_p_value(self) -> float | None:
        """P of at least this much captured information by chance, on the rows as they came."""
        if isinstance(self.given, Posterior):
            return chance_p_value(self.given.origin)  # the evaluation has asked it, too
        return chance_p_value(self.table)

    def prevalence_freedom(self, entry: Metric) -> float:
        """How much of a random sample's variance is left to the class frequencies: less where they look balanced."""
        source = self.source
        if not isinstance(source, Posterior) or not isinstance(source.belief, Tree) or source.is_counted(entry.name):
            return 1.0
        return source.belief.prevalence_freedom

    @property
    def lacks_tree(self) -> bool:
        """Whether the default prior had to be another one because only occupied cells are stored."""
        prior = self.question.prior
        return isinstance(prior, str) and prior == "default" and self.table.is_sparse and self.table.is_aligned

    @property
    def missing_classes(self) -> MissingClasses | None:
        """What the rows tell about classes that none of them shows; None where nothing does."""
        return missing_classes(self.table) if isinstance(self.source, Posterior) else None

    @property
    def dominant_class(self) -> DominantClass | None:
        """The class that leaves too few rows for the others to know what is captured; None where there is none."""
        source = self.source
        if isinstance(source, DrawnBelief):
            return None
        size = source.origin.total if isinstance(source, Posterior) else source.effective_size("proficiency")
        return find_dominant_class(self.table, float(size))

    def on(self, table: Contingency, clusters: LabelsLike | None) -> SystemPosterior:
        """The same system on the rows of a pair; the same standing if these are all its rows."""
        if abs(_counted(table) - self.rows) <= _SAME * self.rows:
            return self
        return SystemPosterior(self.name, table, self.question, clusters)

    def why_unknown(self, entry: Metric) -> str | None:
        """Why the metric cannot be compared here; None where it can."""
        belief = self.beliefs[entry.name]
        if belief.is_known:
            return None
        if np.isnan(belief.value):
            return f"undefined for {self.name!r} ({entry.reason(self.table)})"
        return f"without a finite mean and spread for {self.name!r} ({_amount(self.rows)} samples)"


def reject_or_note(entry: Metric, why: str, question: CompareOptions, scope: str) -> Finding:
    """An error where the metric was asked for by name, else a finding that something is left out."""
    if question.named:
        raise InputError(f"{entry.name} is {why}; compare in another metric, or leave this system out")
    return Finding(
        "metric_left_out", f"{entry.name} is {why}; {scope} left out", evidence={"metric": entry.name, "why": why}
    )


def _thin(table: Contingency, prior: Any) -> tuple[Contingency, Any]:
    """A large table with few occupied cells by these alone, where the prior is one number for every cell or a mixture.

    The exact moments are the same, and a draw fills few of the empty cells instead of visiting all. The tree prior
    draws whole tables.
    """
    origin = table if table.reweighting is None else table.reweighting.origin
    name = default_name(origin) if isinstance(prior, str) and prior == "default" else prior
    used = np.flatnonzero(origin.cells)
    if name in ("rows", "tree") if isinstance(name, str) else np.ndim(prior) > 0:
        return table, prior
    if origin.is_sparse or origin.cells.size < _LARGE or not is_spacious(origin, used.size):
        return table, prior
    return on_cells(table, used), name


def _exact_accuracy(source: Posterior | DrawnBelief | GroupPosterior, level: float) -> dict[str, Summary]:
    """The accuracy under one Dirichlet belief is a Beta variable; for tables of so many cells that draws take long."""
    if not isinstance(source, Posterior) or not source.table.is_sparse or source.table.reweighting is not None:
        return {}
    belief = source.belief
    if (
        not isinstance(belief, DirichletBelief)
        or not isinstance(belief.prior, float)
        or not belief.table.matches[0].size
    ):
        return {}
    hits = float(belief.table.diagonal.sum()) + belief.prior * belief.table.matches[0].size
    mass = float(belief.table.total) + belief.prior_mass
    mean = hits / mass
    sd = np.sqrt(mean * (1 - mean) / (mass + 1))
    low, high = (betaincinv(hits, mass - hits, p) for p in ((1 - level) / 2, (1 + level) / 2))
    return {ACCURACY: Summary(np.float64(mean), np.float64(sd), low, high)}  # type: ignore[arg-type]


def _counted(table: Contingency) -> float:
    return float(table.total if table.reweighting is None else table.reweighting.origin.total)


def _amount(rows: float) -> str:
    return f"{rows:,.6g}"
