"""Plans of labels: how many are needed, which rows come first, and what the labels say then."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Protocol

import numpy as np

from infoscope.errors import InputError
from infoscope.readers import ReadOptions
from infoscope.results.base import Result
from infoscope.results.codec import Json
from infoscope.results.finding import Finding
from infoscope.results.frame import named_apart
from infoscope.results.provenance import Provenance
from infoscope.studies.labels.labelled_estimate import Basis, LabelledEstimate
from infoscope.studies.labels.sheet import ItemToLabel, Line, sheet_lines, write_sheet
from infoscope.typing import LabelsLike, Source, StrPath

__all__ = ["CURVE", "GroupToLabel", "LabelPlan", "LabelSampler", "PlannedWidth", "StratumToLabel"]

CURVE = (25, 50, 100, 200, 400, 800, 1600, 3200, 6400)
"""Numbers of labels for which widths are shown."""


class LabelSampler(Protocol):
    """What draws the rows of a plan, and estimates from their labels."""

    def drawn(
        self, source: Source, labels: int | None, rng: np.random.Generator, read: ReadOptions | None
    ) -> list[ItemToLabel]:
        """Rows to label: this many draws, as many as planned by default."""

    def estimate(self, plan: LabelPlan, labels: LabelsLike, column: str, read: ReadOptions | None) -> LabelledEstimate:
        """What the labels of filled-in sheets say."""

    def next_round(self, plan: LabelPlan, labels: LabelsLike, column: str, read: ReadOptions | None) -> LabelPlan:
        """The plan of the labels that are still needed after these."""


@dataclass(frozen=True)
class PlannedWidth:
    """Half width of the interval after this many labels."""

    labels: int
    planned: float
    random: float
    """The same number of labels at random."""


@dataclass(frozen=True)
class StratumToLabel:
    """Rows of one verdict and prediction, and how many of them to label."""

    verdict: str
    prediction: str
    rows: int
    labelled: int
    """Rows that have a label."""
    more: int
    """Further rows to label."""
    group: Mapping[str, str] | None = None
    """The group whose rows these are, where rows are split."""


@dataclass(frozen=True)
class GroupToLabel:
    """One group of rows, and how many of them to label."""

    group: Mapping[str, str]
    system: str
    """The system that needs most labels there."""
    items: int
    """Rows without a label."""
    labelled: int
    labels: int
    """Further labels that are needed by the plan."""
    labels_random: int | None
    """The same at random; None where all rows would not do, or where the first labels are asked for."""
    half_width: float | None
    """Half width of the interval now; None where too few rows are labelled to know it."""

    @property
    def title(self) -> str:
        """The group in words."""
        return ", ".join(f"{name} {value}" for name, value in self.group.items())


@dataclass(frozen=True, eq=False, repr=False)
class LabelPlan(Result):
    """How many labels give an interval of the wanted width."""

    kind: ClassVar[str] = "label-plan"

    metric: str
    systems: tuple[str, ...]
    difference: bool
    """Whether the difference of two systems is wanted."""
    half_width: float
    level: float
    items: int
    """Rows without a label."""
    labels: int
    """Further labels that are needed by the plan."""
    labels_random: int | None
    """The same at random; None where all rows would not do, or where only the first labels are asked for."""
    labels_without_plan: int | None
    """Labels at random without a model or judge; None where it is not known for the metric."""
    curve: tuple[PlannedWidth, ...]
    basis: Basis = "latent truth"
    strata: tuple[StratumToLabel, ...] = ()
    """Where the labels go, with a judge: by verdict and prediction."""
    groups: tuple[GroupToLabel, ...] = ()
    """What each group needs, where rows are split; the numbers above are then of all groups together."""
    provenance: Provenance = field(default_factory=Provenance)
    findings: tuple[Finding, ...] = ()
    sampler: LabelSampler | None = field(default=None, metadata={"stored": False})
    """What draws rows; not in documents."""

    def rows(self) -> Iterator[Mapping[str, Json]]:
        """One row per number of labels; where rows are split, one per group."""
        if self.groups:
            for part in self.groups:
                own: dict[str, Json] = {
                    "system": part.system,
                    "items": part.items,
                    "labelled": part.labelled,
                    "labels": part.labels,
                    "labels_random": part.labels_random,
                    "half_width": part.half_width,
                }
                yield {**named_apart(part.group, own, "by"), **own}
            return
        for point in self.curve:
            yield {"labels": point.labels, "half_width": point.planned, "half_width_random": point.random}

    def select(
        self,
        source: Source,
        labels: int | None = None,
        *,
        round: int = 1,
        seed: int = 0,
        read: ReadOptions | None = None,
    ) -> list[ItemToLabel]:
        """Draw rows to label from the source that the plan was made from: this many, as many as planned by default.

        Each round draws anew; label a whole round before it is used.
        """
        if labels is not None and labels < 1:
            raise InputError(f"{labels} labels are asked for; give at least 1")
        return self._sampler().drawn(source, labels, np.random.default_rng([seed, round]), read)

    def sheet(self, items: Sequence[ItemToLabel]) -> list[Line]:
        """Drawn rows as lines of a file to be filled in, with an empty column for the label.

        ``row`` counts the rows of the source from 1, without the header: ``values[line["row"] - 1]`` is the row's.
        """
        return sheet_lines(items)

    def write_sheet(self, items: Sequence[ItemToLabel], path: StrPath, *, force: bool = False) -> Path:
        """Write drawn rows as a CSV file to be filled in; a file that exists is replaced only with ``force``."""
        return write_sheet(items, path, force=force)

    def estimate(
        self, labels: LabelsLike, *, label: str = "label", read: ReadOptions | None = None
    ) -> LabelledEstimate:
        """What the labelled rows say: right by design, also where a model is wrong or a judge errs.

        ``labels`` is a sheet with its label column filled in, as ``sheet`` and ``write_sheet`` give it, or several;
        rows without a label are left out.
        """
        return self._sampler().estimate(self, labels, label, read)

    def next_round(self, labels: LabelsLike, *, label: str = "label", read: ReadOptions | None = None) -> LabelPlan:
        """The plan of the labels that are still needed after those of filled-in sheets."""
        return self._sampler().next_round(self, labels, label, read)

    def _sampler(self) -> LabelSampler:
        if self.sampler is None:
            raise InputError("a plan that was loaded from a file has no rows; plan again from the source")
        return self.sampler
