"""The result of a latent truth: each system's table without labels, and what cannot be seen that way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from infoscope.results.base import Result
from infoscope.results.estimate import Estimate
from infoscope.results.finding import Finding
from infoscope.results.provenance import Provenance
from infoscope.studies.latent.estimation import LatentPosterior
from infoscope.studies.latent.shared_errors import PairCheck, VoteCheck
from infoscope.tables import Contingency
from infoscope.typing import Json

__all__ = ["LatentSystem", "LatentTruth", "banner"]


def banner(systems: int) -> str:
    """What must be said before any number that is estimated without truth."""
    return (
        f"Estimated without truth, from the agreement of {systems} systems. Errors that all systems share cannot be "
        "seen: read every proficiency as “at most about”. In simulations, 5% of such items raise it by 0.04 to 0.07, "
        "20% by 0.11 to 0.24."
    )


@dataclass(frozen=True)
class LatentSystem:
    """One system against the truth that all systems together suggest."""

    name: str
    items: float
    """Items with a prediction of this system, or their weight."""
    metrics: Mapping[str, Estimate]
    predictions: tuple[str, ...]
    """What it predicts: the classes first, then further labels."""
    block: tuple[str, ...] = ()
    """The systems that it was taken together with, itself among them."""


@dataclass(frozen=True, eq=False, repr=False)
class LatentTruth(Result):
    """Each system's table and metrics without labels, from the agreement of the systems (Dawid and Skene 1979)."""

    kind: ClassVar[str] = "latent-truth"

    systems: tuple[LatentSystem, ...]
    classes: tuple[str, ...]
    frequencies: Mapping[str, Estimate]
    """How frequent each class is."""
    items: float
    patterns: int
    labels: int
    """Items whose label was mixed in."""
    log_likelihood: float
    """Of the most probable parameters, in nats."""
    draws: int
    r_hat: float | None
    """The largest split R̂ of a system's proficiency or accuracy."""
    settled: bool
    """Whether the chains agree; where they do not, or errors may be shared, intervals are withheld."""
    pairs: tuple[PairCheck, ...] = ()
    votes: VoteCheck | None = None
    level: float = 0.95
    provenance: Provenance = field(default_factory=Provenance)
    findings: tuple[Finding, ...] = ()
    tables: Mapping[str, Contingency] = field(default_factory=dict, metadata={"stored": False})
    """Expected counts of class × prediction for each system, estimated without truth; every metric works on them."""
    posterior: LatentPosterior | None = field(default=None, metadata={"stored": False})
    """Patterns, beliefs and draws, for plans of labels; not in documents."""

    @property
    def names(self) -> tuple[str, ...]:
        """The systems by name."""
        return tuple(system.name for system in self.systems)

    def __getitem__(self, name: str) -> LatentSystem:
        """One system by its name."""
        for system in self.systems:
            if system.name == name:
                return system
        raise KeyError(f"no system {name!r}; there is {', '.join(map(repr, self.names))}")

    def draw_tables(self, name: str) -> Contingency:
        """Draws of one system's table, as one batch."""
        table = self.tables[name]
        assert table.estimation is not None
        draws = table.estimation.draws
        return table.with_cells(draws.reshape(len(draws), -1))

    def rows(self) -> Iterator[Mapping[str, Json]]:
        """One row per system."""
        for system in self.systems:
            row: dict[str, Json] = {"system": system.name, "items": system.items}
            for name, estimate in system.metrics.items():
                row |= dict(estimate.columns(name))
            yield row
