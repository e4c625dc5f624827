"""Add a study: its public function and its result, in a module named like the function.

1. Copy this file to ``src/infoscope/studies/predicted_classes.py``.
2. Add ``"predicted-classes": "infoscope.studies.predicted_classes:PredictedClasses",`` to ``KINDS`` in
   ``src/infoscope/results/base.py``.
3. Copy ``study_view.py`` to ``src/infoscope/reports/views/predicted_classes.py`` and ``figure.py`` to
   ``src/infoscope/figures/predicted_classes.py``.
4. Name the function in ``src/infoscope/__init__.pyi`` to make it public.

The result then has text, Markdown, JSON, HTML, notebook, frame, files and ``infoscope show``. An example of it in
``tests/results/examples.py`` makes the common tests try every form.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from infoscope.results.base import Result
from infoscope.results.estimate import Estimate
from infoscope.results.finding import Finding
from infoscope.results.frame import Record
from infoscope.results.provenance import Provenance
from infoscope.tables import Contingency


def predicted_classes(table: Contingency) -> PredictedClasses:
    """Return the true classes that a system predicts at all, and those that it never predicts."""
    totals = dict(zip(map(str, table.system_labels), table.column_totals, strict=True))
    names = [str(label) for label in table.truth_labels]
    return PredictedClasses(
        predicted=tuple(name for name in names if totals.get(name, 0) > 0),
        never=tuple(name for name in names if not totals.get(name, 0) > 0),
    )


@dataclass(frozen=True, repr=False)
class PredictedClasses(Result):
    """True classes that a system predicts, and those that it never predicts."""

    kind: ClassVar[str] = "predicted-classes"
    roles: ClassVar[Mapping[str, str]] = {"class": "class"}

    predicted: tuple[str, ...]
    never: tuple[str, ...]
    provenance: Provenance = field(default_factory=Provenance)
    findings: tuple[Finding, ...] = ()

    def records(self) -> Iterator[Record]:
        """Yield one record per class, for frames and CSV: its keys, and an estimate for each number."""
        for label in (*self.predicted, *self.never):
            yield {"class": label, "predicted": Estimate(float(label in self.predicted))}
