"""What labelled rows say: a metric of each system, beside what the plan expected."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from infoscope.core.markup import counted
from infoscope.results.base import Result
from infoscope.results.codec import Json
from infoscope.results.estimate import Estimate
from infoscope.results.finding import Finding
from infoscope.results.provenance import Provenance
from infoscope.tables import Contingency

__all__ = ["Basis", "LabelledEstimate", "labelled_findings"]

Basis = Literal["latent truth", "judge"]
"""What stands for the rows without a label."""


@dataclass(frozen=True, eq=False, repr=False)
class LabelledEstimate(Result):
    """A metric of each system from a few labels: right by design, whatever the model or the judge."""

    kind: ClassVar[str] = "labelled-estimate"

    metric: str
    labels: int
    """Labels of the sheets; a row that was drawn twice counts twice."""
    systems: Mapping[str, Estimate]
    more_labels: int | None
    """Labels that are still needed for the planned half width; 0 where it is reached, None where it cannot be."""
    half_width: float
    """The planned one."""
    level: float = 0.95
    reached: float | None = None
    """Half width of the widest interval."""
    expected: float | None = None
    """Half width that the plan expected of as many labels."""
    basis: Basis = "latent truth"
    provenance: Provenance = field(default_factory=Provenance)
    groups: int | None = None
    """Groups of one system that ``systems`` has, where rows were split."""
    findings: tuple[Finding, ...] = ()
    tables: Mapping[str, Contingency] = field(default_factory=dict, metadata={"stored": False})
    """Tables for the ordinary evaluation; their sample size is what the labels are worth."""

    def rows(self) -> Iterator[Mapping[str, Json]]:
        """One row per system."""
        for name, estimate in self.systems.items():
            yield {"system": name, **dict(estimate.columns(self.metric))}


def labelled_findings(
    more: int | None, half_width: float, reached: float, expected: float, unlabelled: int
) -> Iterator[Finding]:
    """What came beside what the plan expected, how many labels are still needed, and lines without a label."""
    evidence: dict[str, Json] = {"labels": more, "half_width": reached, "expected": expected}
    came = f"the plan expected ±{expected:.3g} for as many labels"
    if more is None:
        text = (
            f"The widest interval is ±{reached:.3g}; {came}. Labels of all rows would not bring it to ±{half_width:g}: "
            "ask for a wider one, or add rows."
        )
        yield Finding("too_few_rows", text, "warning", evidence)
    elif more:
        text = f"The widest interval is ±{reached:.3g}; {came}. About {more:,} more labels bring it to ±{half_width:g}."
        yield Finding("more_labels_needed", text, evidence=evidence)
    else:
        text = f"The planned half width of ±{half_width:g} is reached: ±{reached:.3g}; {came}."
        yield Finding("narrow_enough", text, evidence=evidence)
    if unlabelled:
        text = f"{counted(unlabelled, 'row')} of the sheet without a label left out: taken as left out at random."
        yield Finding("unlabelled_items", text, "warning", {"items": unlabelled})
