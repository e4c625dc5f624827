"""Rules about all predictions of a system: always the same, at random, too few classes, a misleading accuracy."""

from __future__ import annotations

import shlex
from typing import Any

import numpy as np

from infoscope.readers.labels import cleaning_for
from infoscope.results.finding import Finding
from infoscope.studies.diagnose.phrases import listed, percent, quoted
from infoscope.studies.diagnose.statistics import TableStatistics
from infoscope.studies.diagnose.thresholds import THRESHOLDS
from infoscope.tables.column_kinds import measured_labels, near_misses
from infoscope.tables.labels import lookalikes

__all__ = [
    "accuracy_paradox",
    "detection_problem",
    "less_varied_output",
    "lookalike_labels",
    "majority_voter",
    "measured_numbers",
    "predicted_too_often",
    "predicted_too_rarely",
    "random_output",
    "specialised",
    "sweep_command",
]


_MOST_NAMES = 100_000
"""Names beyond this many are ids, which nobody spelt."""


def majority_voter(facts: TableStatistics) -> Finding | None:
    """Nearly always the same prediction: H(S) ≈ 0."""
    if facts.truth_bits == 0 or float(facts.h.system) > THRESHOLDS.silent_entropy * facts.truth_bits:
        return None
    if not facts.surely_below("system_entropy", THRESHOLDS.silent_limit * facts.truth_bits):
        return None
    at = int(np.argmax(facts.system_shares))
    predicted, share = facts.table.system_labels[at], float(facts.system_shares[at])
    origin = facts.table if facts.table.reweighting is None else facts.table.reweighting.origin
    if share == 1.0 and origin.estimation is not None and origin.estimation.basis == "judge":
        shown = facts.shown("accuracy", facts.accuracy or 0.0)
        return Finding(
            "majority_voter",
            f"It is {quoted(predicted)} in every row: a constant column tells nothing about single rows; its accuracy, "
            f"{percent(shown)}, is how often {quoted(predicted)} is true.",
            "note",
            evidence={"predicted": str(predicted), "share": share, "accuracy": shown},
            action="Read the accuracy alone",
            tag="constant",
        )
    habit = "always" if share == 1.0 else f"in {percent(share)} of cases"
    right = ""
    if facts.accuracy is not None:
        right = f"; its accuracy in the sample, {percent(facts.accuracy)}, is the frequency of that class"
    return Finding(
        "majority_voter",
        f"It {habit} predicts {quoted(predicted)}, whatever the truth, and so captures next to nothing{right}.",
        evidence={
            "predicted": str(predicted),
            "share": share,
            "system_entropy": float(facts.h.system),
            "accuracy": facts.accuracy,
        },
    )


def measured_numbers(facts: TableStatistics) -> Finding | None:
    """Labels that seem to measure a quantity instead of naming classes."""
    nearness = None if facts.table.ordinal is not None else near_misses(facts.table)
    if nearness is None:
        return None
    return Finding("measured_labels", measured_labels(nearness), evidence={"rank_correlation": nearness})


def random_output(facts: TableStatistics) -> Finding | None:
    """No more information than chance alone would give."""
    if facts.truth_bits == 0 or facts.occupied[1] < 2 or not facts.could_be_chance:
        return None
    p = facts.chance_p_value
    how = "the output is as good as independent of the truth"
    if p is not None:
        seen = "" if facts.belief is None else f" as the {percent(facts.proficiency)} in this sample"
        how = f"random predictions would show as much{seen} in {percent(p)} of samples of this size"
    return Finding(
        "random",
        f"The {percent(facts.shown_proficiency)} captured does not differ significantly from chance: {how}.",
        evidence={
            "proficiency": facts.shown_proficiency,
            "proficiency_in_sample": facts.proficiency,
            "p_value": p,
        },
    )


def predicted_too_rarely(facts: TableStatistics) -> Finding | None:
    """The rare one of two classes is predicted much less often than it occurs."""
    return _miscounted(facts, "predicted_too_rarely", rarely=True)


def predicted_too_often(facts: TableStatistics) -> Finding | None:
    """The rare one of two classes is predicted much more often than it occurs."""
    return _miscounted(facts, "predicted_too_often", rarely=False)


def sweep_command(positive: str, file: str = "FILE", truth: str = "TRUTH", score: str = "COLUMN") -> str:
    """What finds a threshold, with words where the names of a file and its columns are not known."""
    file, truth, score, positive = map(shlex.quote, (file, truth, score, positive))
    return f"infoscope sweep {file} -t {truth} --score {score} --positive {positive}"


def _miscounted(facts: TableStatistics, code: str, *, rarely: bool) -> Finding | None:
    table, rows_columns = facts.table, facts.table.matches
    if len(rows_columns[0]) != 2 or len(table.truth_labels) != 2:
        return None
    row = int(np.argmin(table.row_totals))  # the rare class, also where the other one is called positive
    rare = table.truth_labels[row]
    column = table.system_labels.index(rare)
    true, predicted = float(table.row_totals[row]), float(table.column_totals[column])
    wrong = true + predicted - 2.0 * float(table.diagonal[list(rows_columns[0]).index(row)])
    fewer, more = (predicted, true) if rarely else (true, predicted)
    if (
        not true
        or true > THRESHOLDS.positive_share * float(table.grand_total)
        or more < THRESHOLDS.positive_count * fewer
    ):
        return None
    if table.sample_size is not None and more - fewer < THRESHOLDS.positive_errors * wrong**0.5:
        return None
    name = quoted(rare)
    side = "a lower one finds more of them" if rarely else "a higher one raises fewer false alarms"
    return Finding(
        code,
        f"It predicts {name} {_times(predicted)} where it is true {_times(true)}; if it decides by a score, move its "
        f"threshold ({side}): {sweep_command(str(rare))}.",
        evidence={"positive": str(rare), "predicted": predicted, "true": true},
    )


def _times(count: float) -> str:
    shown = f"{count:,.6g}" if count < 10 or count == round(count) else f"{count:,.0f}"
    return f"{shown} time{'s' * (count != 1)}"


def specialised(facts: TableStatistics) -> Finding | None:
    """The predictions are spread much less evenly than the truth."""
    k, m = facts.table.shape
    reject_column = facts.table.reject_column
    m -= reject_column is not None and float(facts.system_shares[reject_column]) == 0
    if k < 2 or m < 2 or not 0 < float(facts.h.system) < facts.truth_bits:
        return None
    truth_gap = 1.0 - facts.truth_bits / np.log2(k)
    system_gap = 1.0 - float(facts.h.system) / np.log2(m)
    if system_gap - truth_gap < THRESHOLDS.specialised_gap:
        return None
    if not facts.surely_above("split_system_divergence", truth_gap + THRESHOLDS.specialised_gap / 3):
        return None
    excess = facts.system_shares.copy()
    rows, columns = facts.table.matches
    excess[columns] -= facts.truth_shares[rows]
    at = int(np.argmax(excess))
    predicted, said = facts.table.system_labels[at], float(facts.system_shares[at])
    was = float(said - excess[at])
    return Finding(
        "specialised",
        f"It specialises: in this sample its predictions spread over {2 ** float(facts.h.system):.1f} classes in "
        f"effect, the truth over {2**facts.truth_bits:.1f}; {quoted(predicted)} is {percent(said)} of the "
        f"predictions and {percent(was)} of the truth.",
        evidence={
            "predicted": str(predicted),
            "predicted_share": said,
            "truth_share": was,
            "system_divergence": float(system_gap),
            "truth_divergence": float(truth_gap),
        },
    )


def accuracy_paradox(facts: TableStatistics) -> Finding | None:
    """High accuracy with little information where one class is most of the truth, or less than always predicting it."""
    if facts.accuracy is None or facts.truth_bits == 0:
        return None
    largest, share = facts.majority
    accuracy, captured = facts.shown("accuracy", facts.accuracy), facts.shown_proficiency
    evidence: dict[str, Any] = {
        "accuracy": accuracy,
        "accuracy_in_sample": facts.accuracy,
        "proficiency": captured,
        "proficiency_in_sample": facts.proficiency,
        "majority_share": share,
        "majority_class": str(largest),
    }
    limits = facts.limits("proficiency")
    if limits is not None:
        evidence |= {"proficiency_low": limits.low, "proficiency_high": limits.high}
    known = f"{percent(captured) if facts.proficiency > 0 else 'nothing'} of the truth's information"
    if facts.accuracy >= THRESHOLDS.paradox_accuracy and share >= THRESHOLDS.paradox_share and _knows_little(facts):
        carry = f"carry {known}"
        if captured > THRESHOLDS.paradox_proficiency:
            carry = f"may carry as little as {percent(evidence['proficiency_low'])} of the truth's information"
        return Finding(
            "accuracy_paradox",
            f"Accuracy flatters: {percent(accuracy)} of the predictions are right, yet they {carry}; "
            f"always predicting {quoted(largest)} would be right in {percent(share)} of this sample.",
            evidence=evidence,
        )
    if facts.accuracy < share and not facts.could_be_chance and facts.surely_below("accuracy", share):
        return Finding(
            "accuracy_paradox",
            f"Accuracy misleads: always predicting {quoted(largest)} would be right more often ({percent(share)} of "
            f"this sample against {percent(accuracy)}) and capture nothing, while these predictions capture {known}.",
            evidence=evidence,
        )
    return None


def _knows_little(facts: TableStatistics) -> bool:
    """Whether the lower limit of proficiency is small, in an interval that says something."""
    limits = facts.limits("proficiency")
    if limits is None:
        return facts.proficiency <= THRESHOLDS.paradox_proficiency
    return limits.low <= THRESHOLDS.paradox_proficiency and limits.width <= THRESHOLDS.widest


def detection_problem(facts: TableStatistics) -> Finding | None:
    """Several classes by name, nearly all samples in one."""
    k = facts.occupied[0]
    effective = facts.shown("effective_classes", float(2**facts.truth_bits))
    if k < 3 or effective > THRESHOLDS.detection_classes:
        return None
    if not facts.surely_below("effective_classes", THRESHOLDS.detection_limit):
        return None
    largest, share = facts.majority
    return Finding(
        "detection_problem",
        f"The truth has {k} classes by name but {effective:.1f} in effect, because {percent(share)} of this "
        f"sample is {quoted(largest)}: this is a detection problem, and accuracy says little about the rare classes.",
        evidence={
            "classes": k,
            "effective_classes": effective,
            "majority_class": str(largest),
            "majority_share": share,
        },
    )


def less_varied_output(facts: TableStatistics) -> Finding | None:
    """True classes that are never predicted, so that H(S) < H(T): what is not said cannot be captured."""
    system = float(facts.h.system)
    rows, columns = facts.table.matches
    if not len(rows) or not facts.truth_bits or facts.truth_bits - system < THRESHOLDS.poor_output * facts.truth_bits:
        return None
    predicted = np.zeros(facts.table.shape[0], dtype=bool)
    predicted[rows] = facts.system_shares[columns] > 0
    never = np.flatnonzero(~predicted & (facts.truth_shares > 0))
    if not len(never) or not facts.surely_below("system_entropy", (1 - THRESHOLDS.poor_output / 2) * facts.truth_bits):
        return None
    ceiling = system / facts.truth_bits
    labels = [facts.table.truth_labels[at] for at in never[np.argsort(-facts.truth_shares[never], kind="stable")]]
    return Finding(
        "less_varied_output",
        f"It never predicts {listed(labels)}, {percent(float(facts.truth_shares[never].sum()))} of this sample: "
        f"however well chosen, its predictions could capture at most {percent(ceiling)} of the information.",
        evidence={
            "never_predicted": [str(label) for label in labels],
            "truth_entropy": facts.truth_bits,
            "system_entropy": system,
            "ceiling": ceiling,
        },
    ).with_names(listed(labels), listed(labels, len(labels)))


def lookalike_labels(facts: TableStatistics) -> Finding | None:
    """Labels that differ only by case, white space, unicode form or the spelling of a number."""
    if sum(facts.table.shape) > _MOST_NAMES:
        return None
    groups = lookalikes({*facts.table.truth_labels, *facts.table.system_labels})
    if not groups:
        return None
    every = "; ".join(listed([repr(name)[1:-1] for name in group], len(group)) for group in groups)
    shown = "; ".join(listed([repr(name)[1:-1] for name in group]) for group in groups[:3])
    shown += f"; and {len(groups) - 3} more" if len(groups) > 3 else ""
    return Finding(
        "lookalike_labels",
        "Some labels differ only by case, white space, unicode form or the spelling of a number and count as "
        f"different classes: {shown}. Spell them alike if they mean the same, "
        f"{cleaning_for(groups)}.",
        evidence={"groups": [list(group) for group in groups]},
    ).with_names(shown, every)
