"""What is to be said about judged rows as a whole."""

from __future__ import annotations

from collections.abc import Iterator

from infoscope.judges.judged import Judged
from infoscope.results.finding import Finding

__all__ = ["judged_findings"]


def judged_findings(judged: Judged) -> Iterator[Finding]:
    """What may be wrong with labels or judge, rows left out, and classes that were never labelled."""
    yield from judged.findings()
    for name in judged.systems:
        lost = judged.strata(name).rows_without_verdict
        if lost:
            text = f"{lost:,.6g} rows of {name} have no verdict, less than 1%; they are left out."
            yield Finding("rows_without_verdict", text, evidence={"system": name, "rows": lost})
    if judged.unlabelled_classes:
        names = ", ".join(repr(str(label)) for label in judged.unlabelled_classes[:5])
        more = f" and {len(judged.unlabelled_classes) - 5} more" if len(judged.unlabelled_classes) > 5 else ""
        yield Finding(
            "class_never_labelled",
            f"No labelled row is of class {names}{more}, which verdicts or predictions name: it is taken as a class "
            "that may occur among the other rows.",
            "warning",
            {"classes": [str(label) for label in judged.unlabelled_classes]},
        )
