"""The few numbers of a system that everybody sees."""

from __future__ import annotations

from collections.abc import Iterator

from infoscope.evaluation import SystemResult
from infoscope.reports.numbers import UNDEFINED, MetricNotation, interval_text, share
from infoscope.reports.outline import Tile, reason
from infoscope.reports.views.metric_choice import ABSENT

__all__ = ["system_tiles"]

_CLUSTER_TILES = (
    ("information_precision", "pure", "I(T;S)/H(S), completeness of V-measure"),
    ("nmi_arithmetic", "V-measure", "harmonic mean of captured and pure"),
    ("adjusted_mutual_information", "AMI", "information beyond chance; 0 is chance"),
    ("adjusted_rand_index", "ARI", "pairs beyond chance; 0 is chance"),
    ("bcubed_f1", "B-cubed", "mean fraction of one's group and cluster that is one's own"),
    ("fowlkes_mallows", "FM", "pairs together in both, Fowlkes-Mallows"),
)
"""What is shown of clusters, whose names mean nothing."""


def system_tiles(system: SystemResult) -> Iterator[Tile]:
    """What is captured first; of two classes then what is said of the positive one."""
    yield _ratio(system, "proficiency", "captured", "I(T;S)/H(T), proficiency")
    yield from _positive_tiles(system)
    yield _ratio(system, "false_information_ratio", "false", "H(S|T)/H(T)")
    erroneous = system.metrics.get("erroneous_information_ratio", ABSENT)
    note = "missed + false; 0 is perfect" if erroneous.shown is not None else reason(erroneous.undefined)
    notation = MetricNotation("erroneous_information_ratio")
    yield Tile(notation.shown(erroneous), "erroneous", notation.interval(erroneous), note, notation.metric)
    if system.clusters is None:
        yield _ratio(system, "accuracy", "accuracy", _chance_accuracy(system))
    yield _remaining(system)
    if system.clusters is not None:
        yield from (_ratio(system, metric, word, note) for metric, word, note in _CLUSTER_TILES)
    if system.reject is not None and (system.number("rejection_rate") or 0.0) > 0:
        note = f"accuracy {share(system.shown('accepted_accuracy'))} among the accepted"
        yield _ratio(system, "rejection_rate", "rejected", note)


def _positive_tiles(system: SystemResult) -> Iterator[Tile]:
    """Recall, precision and F1 of the positive class of two."""
    if system.positive is None or system.number("recall") is None:
        return
    of = f"positive class '{system.positive}'"
    name = _cut(system.positive)
    yield from (_ratio(system, metric, f"{metric} of '{name}'", of) for metric in ("recall", "precision", "f1"))


def _cut(label: str, most: int = 20) -> str:
    return label if len(label) <= most else f"{label[: most - 1]}…"


def _ratio(system: SystemResult, metric: str, word: str, note: str) -> Tile:
    estimate = system.metrics.get(metric, ABSENT)
    if estimate.shown is None:
        return Tile(UNDEFINED, word, "", reason(estimate.undefined), metric)
    notation = MetricNotation(metric)
    return Tile(notation.shown(estimate), word, notation.interval(estimate), note, metric)


def _chance_accuracy(system: SystemResult) -> str:
    supports = [float(item.number("support") or 0) for item in system.classes]
    largest = max(supports, default=0.0) / (sum(supports) or 1.0)
    return f"chance {share(system.shown('random_accuracy'))}, most frequent class {share(largest)}"


def _remaining(system: SystemResult) -> Tile:
    left, effective = system.metrics.get("remnant_classes", ABSENT), system.shown("effective_classes")
    number = UNDEFINED if left.shown is None else f"{left.shown:.2f}"
    note = "" if effective is None else f"equally likely classes remain, of {effective:.1f}"
    return Tile(number, "classes left", interval_text(left, 1.0, 2), note, "remnant_classes")
