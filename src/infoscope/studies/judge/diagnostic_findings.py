"""What may be wrong with labels and judge, as sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from infoscope.metrics.chance import CHANCE_LEVEL, chance_p_value
from infoscope.posterior.drawn import DrawnBelief
from infoscope.results.finding import Finding
from infoscope.results.notation import state_p_value
from infoscope.studies.judge.diagnostics import (
    DEPENDENT,
    RowEase,
    accepted_errors,
    accepting_verdicts,
    given_truth_p_value,
    labels_beside_judge,
    row_ease,
    row_selection,
    unlabelled_strata,
)
from infoscope.tables import Contingency
from infoscope.typing import Json

if TYPE_CHECKING:
    from infoscope.studies.judge.judged import Judged

__all__ = ["diagnostic_findings"]

FEWEST_RANDOM = 10
"""Labels that there were before others were asked for, from which on these are tested."""


def diagnostic_findings(judged: Judged, *, level: float = 0.95, seed: int = 0) -> Iterator[Finding]:
    """About the labels of each system, about the judge, and about a judge that favours one of several systems."""
    if judged.label_count >= judged.row_count:
        return
    for name in judged.systems:
        yield from _about_labels(judged, name, seed)
        yield from _about_judge(judged, name, seed)
    if len(judged.systems) > 1:
        yield from _favours(judged, level, seed)


def _favours(judged: Judged, level: float, seed: int) -> Iterator[Finding]:
    accepts, favours = ("accepts", "it favours") if len(judged.judges) == 1 else ("accept", "they favour")
    for pair in accepted_errors(judged, level, seed=seed):
        if pair.favoured is None:
            continue
        low, high = sorted(abs(100 * end) for end in pair.difference)
        (one, first), (other, second) = zip((pair.first, pair.second), pair.rates, strict=True)
        yield Finding(
            "judge_favours_system",
            f"{judged.judge_title()} {accepts} {first:.0%} of the wrong predictions of {one} and {second:.0%} of those "
            f"of {other} (difference {low:.0f} to {high:.0f} points): {favours} {pair.favoured}. The comparison "
            "accounts for it.",
            "warning",
            {"systems": [one, other], "rates": [first, second], "favoured": pair.favoured},
        )


def _about_labels(judged: Judged, name: str, seed: int) -> Iterator[Finding]:
    drawn = judged.settled
    if drawn is not None:
        yield _asked_for(judged, judged.label_count - drawn.label_count, name)
    missing = unlabelled_strata(judged, name)
    if missing is not None:
        verdict, prediction = missing.largest
        yield Finding(
            "strata_without_labels",
            f"{missing.share:.0%} of the rows have a verdict and prediction of {name} without any labelled row, most "
            f"of them verdict {verdict} and prediction {prediction}: label some of these first.",
            "warning",
            {"system": name, "share": missing.share},
        )
    if drawn is not None and drawn.label_count < FEWEST_RANDOM:
        return
    at_random = judged if drawn is None else drawn  # labels of a plan differ from the others by design
    selection, ease = row_selection(at_random, name), row_ease(at_random, name, seed=seed)
    if selection.is_significant:
        yield Finding(
            "labels_not_random",
            f"The labelled rows are no random sample of the rows (they have more of verdict {selection.verdict} and "
            f"prediction {selection.prediction} of {name}; {state_p_value(selection.p_value)}): the figures account "
            f"for that, labels alone would not.{_if_chosen(name, ease)}",
            evidence={"system": name, "p_value": selection.p_value, "z": ease.z},
        )
    elif ease.is_apart:
        yield _apart(at_random, name, ease, seed)


def _asked_for(judged: Judged, labels: float, name: str) -> Finding:
    """Labels that were asked for by verdict and prediction: of this system, of another, or of one that is not known."""
    drawn = f"{labels:,.6g} of the {judged.label_count:,.6g} labels were asked for by verdict and prediction"
    evidence: dict[str, Json] = {"system": name, "labels": labels}
    if not judged.drawn_by and len(judged.systems) > 1:
        text = (
            f"{drawn}, and the sheet has no column chance that would say by which system's: figures of the others are "
            "biased. Give the sheet as it was written, with its labels filled in."
        )
        return Finding("labels_asked_for", text, "warning", evidence)
    text = (
        f"{drawn} of {judged.drawn_by[0] if judged.drawn_by else name}, so that they are no random sample of the rows: "
        f"the figures of {name} account for that, labels alone would not."
    )
    return Finding("labels_asked_for", text, evidence=evidence)


def _if_chosen(name: str, ease: RowEase) -> str:
    """What follows if rows were chosen by ease, which looks like a choice by verdict and prediction."""
    if not ease.is_apart:
        return ""
    how, often, off = ("easy", "often", "high") if ease.z > 0 else ("hard", "rarely", "low")
    return (
        f" They lie where {name} is right more {often} than elsewhere: if {how} rows were chosen, and not verdicts and "
        f"predictions, the figures are too {off}."
    )


def _apart(judged: Judged, name: str, ease: RowEase, seed: int) -> Finding:
    beside = labels_beside_judge(judged, name, seed=seed)
    return Finding(
        "labelled_rows_differ",
        f"The labels alone put the accuracy of {name} at {beside.labels_only:.1%}, with the judge it is "
        f"{beside.with_judge:.1%}: labelled rows seem {'easier' if ease.z > 0 else 'harder'} than others. If they were "
        "not drawn at random, label a random sample.",
        "warning",
        {"system": name, "metric": "accuracy", "z": ease.z},
    )


def _about_judge(judged: Judged, name: str, seed: int) -> Iterator[Finding]:
    judges, many = judged.judge_title(name), len(judged.judges_of(name)) > 1
    named = "class" in judged.kinds.values()
    beside = labels_beside_judge(judged, name, seed=seed)
    if beside.is_useless:
        table = (judged.judge_table if named else judged.correctness_table)(name, seed=seed)
        carried = float(DrawnBelief(table).mean("proficiency"))
        about = "the truth's information" if named else f"the information in whether {name} is right"
        labels = f"{judged.counts(name).labels:,.0f} labels"
        yield Finding(
            "judge_of_no_use",
            f"{judges} {'add' if many else 'adds'} hardly anything to the {labels} for {name}: "
            f"{'they carry' if many else 'it carries'} {carried:.0%} of {about}. The labels alone are as good.",
            evidence={"system": name, "sd_ratio": beside.with_judge_sd / max(beside.labels_only_sd, 1e-300)},
        )
    drawn = judged.settled or judged
    if isinstance(judged.says, Mapping):
        yield from _reversed(drawn, name)
    p_value = given_truth_p_value(drawn.counts(name).labelled, seed=seed) if named else 1.0
    if p_value < DEPENDENT:
        yield Finding(
            "verdicts_depend_on_predictions",
            f"Given the true class, verdicts of {judges} depend on the prediction of {name} "
            f"({state_p_value(p_value)}): verdicts taken as the truth would be off. The figures account for it.",
            evidence={"system": name, "p_value": p_value},
        )


def _reversed(judged: Judged, name: str) -> Iterator[Finding]:
    """Verdicts that call right predictions wrong, and wrong ones right: their words may be exchanged."""
    counts, accepts = judged.counts(name), accepting_verdicts(judged, name)
    used = np.flatnonzero(counts.prediction_class >= 0)
    right = np.zeros_like(counts.labelled)
    right[counts.prediction_class[used], :, used] = counts.labelled[counts.prediction_class[used], :, used]
    parts = (right, counts.labelled - right)
    table = Contingency.from_matrix(
        [[float((part * chosen).sum()) for chosen in (accepts, ~accepts)] for part in parts]
    )
    (a, b), (c, d) = np.asarray(table.counts).tolist()
    p_value = chance_p_value(table) if a * d < b * c else 1.0
    if p_value is not None and p_value <= CHANCE_LEVEL:
        yield Finding(
            "verdicts_reversed",
            f"Of the labelled predictions of {name}, {a:,.6g} of {a + c:,.6g} that the judge accepts are right, and "
            f"{b:,.6g} of {b + d:,.6g} that it rejects ({state_p_value(p_value)}): check that --says (says=) names the "
            "verdicts for right and wrong the right way round.",
            "warning",
            {"system": name, "accepted": [a, a + c], "rejected": [b, b + d], "p_value": p_value},
        )
