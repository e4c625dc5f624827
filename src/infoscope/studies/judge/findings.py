"""Findings about judged rows as a whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from infoscope.metrics import accuracy
from infoscope.posterior import Summary
from infoscope.posterior.drawn import DrawnBelief
from infoscope.results.finding import Finding
from infoscope.studies.judge.judged import Judged
from infoscope.typing import Json

__all__ = ["judged_findings", "judged_summary"]


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


def judged_summary(judged: Judged, systems: Sequence[str], *, level: float, seed: int) -> Iterator[Finding]:
    """How good the judge is; and the accuracy of each system beside the labels alone and the verdicts alone.

    A judge of classes is measured by the strata of the first system, as in an evaluation, whatever the order here.
    """
    if judged.label_count >= judged.row_count:
        return
    named = "class" in judged.kinds.values()
    for name in judged.systems[:1] if named else systems:
        table = (judged.judge_table if named else judged.correctness_table)(name, seed=seed)
        captured = DrawnBelief(table).summary("proficiency", level)
        capture = "captures" if len(judged.judges_of(name)) == 1 else "together capture"
        about = "the truth" if named else f"whether {name} is right"
        text = f"{judged.judge_title(name)} {capture} {_shown(captured)} of the information in {about}."
        yield Finding("judge_quality", text, evidence={"proficiency": float(captured.mean)})
    for name in systems:
        yield _beside_labels(judged, name, level, seed)


def _beside_labels(judged: Judged, system: str, level: float, seed: int) -> Finding:
    both = judged.posterior(system, seed=seed).summary("accuracy", level)
    alone = judged.labels_posterior(system, seed=seed).summary("accuracy", level)
    verdicts, further = judged.judge_as_truth(system), judged.further_labels(system, seed=seed)
    naive = "" if verdicts is None else f", {float(accuracy(verdicts)):.1%} if verdicts were true labels"
    worth = f"{further:,.0f} further labels" if further >= 1 else "no further labels"
    text = (
        f"{system}: accuracy {_shown(both)} over all rows; {_shown(alone)} by the labels alone{naive}; the judge is "
        f"worth {worth}."
    )
    evidence: dict[str, Json] = {
        "system": system,
        "with_judge": float(both.mean),
        "labels_only": float(alone.mean),
        "labels": further,
    }
    return Finding("beside_labels_only", text, evidence=evidence)


def _shown(found: Summary) -> str:
    return f"{float(found.mean):.1%} ({100 * float(found.low):.1f} – {100 * float(found.high):.1f})"
