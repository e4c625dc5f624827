"""The words that text and Markdown share: headline, key numbers, what a system is called in a ranking."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from infoscope.evaluation import Evaluation, Source, SystemResult, Value
from infoscope.report.numbers import UNDEFINED, Units, amount, share
from infoscope.tables.missing import left_out

__all__ = [
    "KeyNumber",
    "facts_line",
    "headline",
    "key_numbers",
    "left_out",
    "limits",
    "remark",
    "told_apart",
    "truth_and_system_match",
]

_REMARKS = {
    "majority_voter": "always one answer",
    "random": "no better than chance",
    "relabelled": "outputs renamed",
    "named_clusters": "own names",
    "abstains_for_free": "abstains for free",
    "accuracy_paradox": "accuracy misleads",
    "specialised": "few answers",
    "non_monotone": "accurate, less informed",
    "merged_pair": "two classes alike",
    "few_samples": "few samples",
    "loud_prior": "prior matters",
    "small_sample_bias": "corrected for bias",
    "unseen_classes": "unseen classes",
}


@dataclass(frozen=True)
class KeyNumber:
    """One of the few numbers that everybody sees."""

    word: str
    shown: str
    range: str
    note: str


def headline(system: SystemResult) -> tuple[str, str]:
    """What it captures, and the rest of the sentence."""
    captured = system.metrics["proficiency"]
    if captured.value is None:
        return "", f"cannot be judged by information: {captured.undefined}"
    return share(captured.value), "of the information in the truth"


def facts_line(system: SystemResult, source: Source, unit: Units, dot: str) -> str:
    """Size and kind of what was evaluated."""
    k, m = len(system.truth_labels), len(system.system_labels) - (system.reject is not None)
    size = _size(system.n)
    kinds = f"{k:,} class{'es' if k != 1 else ''}"
    kinds += "" if k == m else f", {m:,} answer{'s' if m != 1 else ''}"
    parts = [size, kinds, f"truth {unit.amount(system.number('truth_entropy'))} {unit.name}"]
    if source.name is not None:
        parts.append(source.name)
    return f" {dot} ".join(parts)


def _size(n: float | None) -> str:
    if n is None:
        return "sample size unknown"
    if not float(n).is_integer():
        return f"weights worth {n:,.1f} samples"
    return f"{amount(n)} sample{'s' if n != 1 else ''}"


_LABEL_FREE = (
    ("pure", "information_precision", "I(T;S)/H(S), completeness of V-measure"),
    ("V-measure", "nmi_arithmetic", "harmonic mean of captured and pure"),
    ("AMI", "adjusted_mutual_information", "information beyond accident; 0 is chance"),
    ("ARI", "adjusted_rand_index", "pairs beyond accident; 0 is chance"),
    ("B-cubed", "bcubed_f1", "mean share of one's group and cluster that is one's own"),
    ("FM", "fowlkes_mallows", "pairs together in both, Fowlkes-Mallows"),
)
"""What is said of clusters, whose names mean nothing."""


def key_numbers(system: SystemResult, to: str) -> Iterator[KeyNumber]:
    """Captured, false, erroneous, accuracy, what stays in doubt; more where there is a reject or positive class."""
    yield _ratio(system, "captured", "proficiency", to, "I(T;S)/H(T), proficiency")
    yield _ratio(system, "false", "false_information_ratio", to, "H(S|T)/H(T), made up")
    erroneous = system.metrics["erroneous_information_ratio"]
    shown = UNDEFINED if erroneous.value is None else f"{erroneous.value:.2f}"
    yield KeyNumber("erroneous", shown, limits(erroneous, to, 1.0), "missed + false; 0 is perfect")
    if system.clusters is None:
        yield _ratio(system, "accuracy", "accuracy", to, _chance(system))
    yield _doubt(system, to)
    if system.clusters is not None:
        yield from (_ratio(system, word, metric, to, note) for word, metric, note in _LABEL_FREE)
    if system.reject is not None and (system.number("rejection_rate") or 0.0) > 0:
        note = f"accuracy {share(system.number('accepted_accuracy'))} among the accepted"
        yield _ratio(system, "refused", "rejection_rate", to, note)
    if system.positive is not None and system.number("recall") is not None:
        note = f"precision {share(system.number('precision'))} for '{system.positive}'"
        yield _ratio(system, f"recall of '{_cut(system.positive)}'", "recall", to, note)


def _cut(label: str, most: int = 20) -> str:
    return label if len(label) <= most else f"{label[: most - 1]}…"


def _ratio(system: SystemResult, word: str, metric: str, to: str, note: str) -> KeyNumber:
    value = system.metrics[metric]
    if value.value is None:
        return KeyNumber(word, UNDEFINED, "", value.undefined or "")
    return KeyNumber(word, share(value.value), limits(value, to), note)


def limits(value: Value, to: str, scale: float = 100.0) -> str:
    """An interval in words, as percentages unless another scale is given; empty where there is none."""
    if value.low is None or value.high is None:
        return ""
    digits = 1 if scale == 100.0 else 2
    return f"{scale * value.low:.{digits}f} {to} {scale * value.high:.{digits}f}"


def _chance(system: SystemResult) -> str:
    supports = [float(item.values["support"].value or 0) for item in system.classes]
    largest = max(supports, default=0.0) / (sum(supports) or 1.0)
    return f"chance {share(system.number('random_accuracy'))}, commonest class {share(largest)}"


def _doubt(system: SystemResult, to: str) -> KeyNumber:
    left, effective = system.number("remnant_classes"), system.number("effective_classes")
    shown = UNDEFINED if left is None else f"{left:.2f}"
    of = "" if effective is None else f"of {effective:.1f} classes in effect, {len(system.truth_labels):,} named"
    return KeyNumber("in doubt", shown, limits(system.metrics["remnant_classes"], to, 1.0), of)


def remark(system: SystemResult) -> str:
    """The most telling finding in two or three words."""
    known = (_REMARKS.get(finding.code) for finding in system.diagnosis)
    return next((word for word in known if word is not None), "")


def told_apart(evaluation: Evaluation) -> Iterator[str]:
    """What the comparison row by row allows to say about who captures more; in groups, group by group."""
    known = evaluation.comparison or {}
    yield from _told_apart(known, "")
    for part in known.get("groups", ()):
        yield from _told_apart(part, ", ".join(f"{key} {value}" for key, value in part["group"].items()) + ": ")


def _told_apart(known: Mapping[str, Any], where: str) -> Iterator[str]:
    for ranking in known.get("ranking", ()):
        if ranking["metric"] != "proficiency":
            continue
        groups: dict[int, list[str]] = {}
        for place in ranking["systems"]:
            for group in place["groups"]:
                groups.setdefault(group, []).append(place["name"])
        alike = [names for names in groups.values() if len(names) > 1]
        if not alike:
            yield f"{where}{'c' if where else 'C'}ompared row by row, every system captures surely more than the next."
        for names in alike:
            told = f"{', '.join(names[:-1])} and {names[-1]} cannot be told apart in what they capture, row by row."
            yield where + told


def truth_and_system_match(system: SystemResult) -> bool:
    """Whether answers can be shown beside the classes they name."""
    return set(system.truth_labels) <= set(system.system_labels)
