"""The beginning of a report on an evaluation: the headline, the tiles, and the sentences that follow it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from infoscope.core.markup import counted
from infoscope.reports.outline import Tile
from infoscope.reports.parts.chosen_metrics import chosen_sentences
from infoscope.reports.parts.judge import judge_sentences
from infoscope.reports.parts.metric_choice import difference_to
from infoscope.reports.phrases import Inline, Name, Phrase, Strong, joined
from infoscope.results.notation import (
    UNDEFINED,
    MetricNotation,
    Units,
    describe_false_bits,
    describe_sample_value,
    format_count,
    format_interval,
    format_points,
    format_probability,
    format_share,
    format_share_with_interval,
)
from infoscope.studies.evaluate import ClassEstimates, ConfusedPair, Evaluation, SystemResult


def opening_sentences(evaluation: Evaluation, focus: SystemResult, unit: Units) -> list[Phrase]:
    """The headline and what follows it: metrics of the reader's choice first, unless no verdict is possible."""
    chosen, captured = list(chosen_sentences(evaluation, unit)), _headline(evaluation, focus)
    is_verdict = focus.is_informative and not _no_verdict(focus)
    first = [*chosen, captured] if is_verdict else [captured, *chosen]
    return [first[0], *judge_sentences(evaluation, focus), *first[1:], *_sentences(evaluation, focus)]


MUCH_BY_CHANCE = 0.05
"""Captured information, at least, from which on the headline says that chance shows as much: samples are few."""

NO_VERDICTS = {
    "normalised_matrix": "this confusion matrix seems to hold proportions, not counts",
    "measured_labels": "these labels seem to be measurements rather than classes",
    "only_errors": "no prediction is right, so this looks like a list of errors, of which nothing can be estimated",
}


def _no_verdict(system: SystemResult) -> str | None:
    """Why there is no verdict on a system."""
    return next((NO_VERDICTS[found.code] for found in system.diagnosis if found.code in NO_VERDICTS), None)


def _headline(evaluation: Evaluation, focus: SystemResult) -> Phrase:
    captured, accuracy = focus.estimate("proficiency"), focus.estimate("accuracy")
    name = Name(focus.title, 48)
    if captured.shown is None:
        return _without_information(focus)
    many = len(evaluation.systems)
    if reason := _no_verdict(focus):
        return f"No verdict: {reason}."
    if not focus.is_informative:
        return _told_from_chance(focus, many if all(not system.is_informative for system in evaluation) else 1)
    rank = "" if many == 1 else f", the least of {many} results" if focus.group else f", the most of {many} systems"
    if accuracy.value == captured.value == 1.0 and focus.clusters is None:
        corrected = f" and {format_share_with_interval(captured)} corrected for few rows per class" * captured.corrected
        every = "every sample" if focus.n is None else f"all {format_count(round(focus.n))} samples"
        return (
            name,
            f" is right in {every}: accuracy {format_share_with_interval(accuracy)}, captured information 100%"
            f"{' in this sample' * captured.corrected}{corrected}{rank}.",
        )
    of = f"{format_share_with_interval(captured)} of the information in the truth"
    return (name, f" captures {of}{rank}{describe_sample_value(captured)}.")


def only_label(items: Sequence[ClassEstimates], metric: str) -> str | None:
    """Return the one label that occurs by a count ("support" or "declared"); None where several do."""
    labels = [item.label for item in items if item.number(metric)]
    return labels[0] if len(labels) == 1 else None


def _without_information(system: SystemResult) -> Phrase:
    """Say why there is no captured information: mostly because the truth has one class."""
    only, name, accuracy = only_label(system.classes, "support"), Name(system.title, 48), system.estimate("accuracy")
    if only is None:
        return (name, f" cannot be evaluated by information: {system.estimate('proficiency').undefined}.")
    right = f" is right in {format_share_with_interval(accuracy)} of them."
    if accuracy.value in (None, 1.0):
        right = " is not scored." if accuracy.value is None else " always predicts it."
    return (
        "All samples have the true class '",
        Name(only),
        "', so there is no information to capture; ",
        name,
        right,
    )


def _told_from_chance(focus: SystemResult, many: int) -> Phrase:
    captured, name = focus.metrics["proficiency"], Name(focus.title, 48)
    only = only_label(focus.outputs, "declared")
    if only is not None:
        accuracy, matched = focus.estimate("accuracy"), only in focus.truth_labels and focus.clusters is None
        right = (
            f": right in {format_share_with_interval(accuracy)} of the samples, as often as it is the true class"
            * matched
        )
        others = f"; none of the {many} {'results' if focus.group else 'systems'} captures more than chance" * (
            many > 1
        )
        return (name, " always predicts '", Name(only), f"', whatever the truth, and captures nothing{right}{others}.")
    seen = format_share_with_interval(captured)
    is_much = (captured.low or 0.0) > MUCH_BY_CHANCE
    if many > 1:
        what = "results" if focus.group else "systems"
        start = f"None of the {many} {what} captures more information than expected by chance; "
        if is_much:
            return (start, f"random predictions would show as much as the {seen} of ", name, ".")
        return (start, name, f": {seen}.")
    if is_much:
        return (
            name,
            f" captures no more information than expected by chance: with {_values(focus)}, random predictions would "
            f"show as much as its {seen}.",
        )
    return (name, f" captures no more information than expected by chance: {seen}.")


def _values(system: SystemResult) -> str:
    """How few samples there are of each class, true or predicted."""
    used = (
        sum(1 for item in system.classes if item.number("support")),
        sum(1 for item in system.outputs if item.number("declared")),
    )
    true, predicted = map(format_count, used)
    return f"{predicted} predicted and {true} true classes in {format_count(round(system.n or 0))} samples"


def _sentences(evaluation: Evaluation, focus: SystemResult) -> Iterator[Phrase]:
    """What a reader should know next, three sentences at most."""
    if _no_verdict(focus) is not None:
        return
    if only_label(focus.classes, "support") is not None and only_label(focus.outputs, "declared") is None:
        yield "If truth and prediction are swapped, exchange them."
    false = focus.shown("false_information_ratio")
    if false is not None and focus.number("false_information_ratio") != 0 and focus.shown("proficiency") is not None:
        subject: Inline = "it" if evaluation.judge is None else Name(focus.title)
        yield ("For every 100 bits of truth ", subject, f" adds {describe_false_bits(false)} false information.")
    pairs = [pair for pair in focus.confusions if pair.gain > 0 and focus.is_informative][:3]
    if pairs:
        yield _costliest(pairs)
    yield from _runner_up(evaluation, focus)


def _costliest(pairs: Sequence[ConfusedPair]) -> Phrase:
    if pairs[0].directed:
        first, second = (Name(label) for label in pairs[0].classes)
        count = pairs[0].count if pairs[0].count < 1 else round(pairs[0].count)
        samples = counted(count, "sample")
        more = f"it would capture {format_points(pairs[0].gain)} points more of this sample."
        return (first, " is predicted as ", second, f" in {samples}; without these errors {more}")
    named = joined(((Name(pair.classes[0]), " ↔ ", Name(pair.classes[1])) for pair in pairs), ", ")
    more = f"{format_points(pairs[0].gain)} points more of this sample"
    if len(pairs) == 1:
        return ("The costliest confusion is ", *named, f"; without it, {more} would be captured.")
    return ("The costliest confusions are ", *named, f"; without the first it would capture {more}.")


def _runner_up(evaluation: Evaluation, focus: SystemResult) -> Iterator[Phrase]:
    others = [system for system in evaluation.ranking if system is not focus]
    if not others or focus.group:  # of groups the worst is shown first
        return
    second = others[0]
    if not second.is_informative:
        if focus.is_informative:
            yield (Strong(second.title), " captures no more information than expected by chance.")
        return
    follows = (Strong(second.title), f" follows with {format_share(second.shown('proficiency'))}")
    found = difference_to(evaluation, focus, second)
    if found is None or found.probability_a_better is None:
        yield (*follows, ".")
    else:
        yield (
            *follows,
            f"; the probability that it captures less is {format_probability(found.probability_a_better)}.",
        )


_CLUSTER_TILES = (
    ("information_precision", "pure", "I(T;S)/H(S), completeness of V-measure"),
    ("nmi_arithmetic", "V-measure", "harmonic mean of captured and pure"),
    ("adjusted_mutual_information", "AMI", "of this sample, corrected for chance; 0 is chance"),
    ("adjusted_rand_index", "ARI", "pairs, corrected for chance; 0 is chance"),
    ("bcubed_f1", "B-cubed", "mean part of one's group and cluster that is one's own"),
    ("fowlkes_mallows", "FM", "pairs together in both, Fowlkes-Mallows"),
)
"""What is shown of clusters, whose names mean nothing."""


def system_tiles(system: SystemResult) -> Iterator[Tile]:
    """Captured information first; of two classes, then the metrics of the positive one; of one, what there is."""
    if system.shown("proficiency") is None:
        yield _tile(system, "accuracy", "accuracy", "")
        return
    yield _tile(system, "proficiency", "captured", "I(T;S)/H(T), proficiency")
    yield from _positive_tiles(system)
    yield _tile(system, "false_information_ratio", "false", "H(S|T)/H(T)")
    yield _tile(system, "erroneous_information_ratio", "erroneous", "missed + false; 0 is perfect")
    if system.clusters is None:
        yield _tile(system, "accuracy", "accuracy", _chance_accuracy(system))
    yield _remaining(system)
    if system.clusters is not None:
        yield from (_tile(system, metric, word, note) for metric, word, note in _CLUSTER_TILES)
    if system.reject is not None and (system.number("rejection_rate") or 0.0) > 0:
        note = f"accuracy {format_share(system.shown('accepted_accuracy'))} among the accepted"
        yield _tile(system, "rejection_rate", "rejected", note)


def _positive_tiles(system: SystemResult) -> Iterator[Tile]:
    """Recall, precision and F1 of the positive class of two; where nobody said which it is, of both classes."""
    if system.positive is None or system.number("recall") is None:
        return
    if system.positive_by_sorting:
        yield from (_class_tile(item, "recall") for item in system.classes)
        yield from (_class_tile(item, "precision") for item in system.outputs if item.label in system.truth_labels)
        return
    of = f"positive class '{system.positive}'"
    name = _cut(system.positive)
    yield from (_tile(system, metric, f"{metric} of '{name}'", of) for metric in ("recall", "precision", "f1"))


def _class_tile(item: ClassEstimates, metric: str) -> Tile:
    estimate, notation = item.values[metric], MetricNotation(metric)
    word = f"{metric} of '{_cut(item.label)}'"
    return Tile.of(estimate, notation, word, f"class '{item.label}'")


def _cut(label: str, most: int = 20) -> str:
    return label if len(label) <= most else f"{label[: most - 1]}…"


def _tile(system: SystemResult, metric: str, word: str, note: str) -> Tile:
    return Tile.of(system.estimate(metric), MetricNotation(metric), word, note)


def _chance_accuracy(system: SystemResult) -> str:
    supports = [float(item.number("support") or 0) for item in system.classes]
    largest = max(supports, default=0.0) / (sum(supports) or 1.0)
    return f"chance {format_share(system.shown('random_accuracy'))}, most frequent class {format_share(largest)}"


def _remaining(system: SystemResult) -> Tile:
    left, effective = system.estimate("remnant_classes"), system.shown("effective_classes")
    number, value = (UNDEFINED if part is None else f"{part:.2f}" for part in (left.shown, left.value))
    note = "" if effective is None else f"equally likely classes remain, of {effective:.1f}"
    return Tile(
        number, "classes left", format_interval(left, 1.0, 2), note, "remnant_classes", value * (value != number)
    )
