"""What is shown of an evaluation: what the systems capture, what to fix, how they compare."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

import numpy as np

from infoscope.core.markup import counted
from infoscope.errors import InputError
from infoscope.figures.display import Display
from infoscope.figures.layout import plain_label
from infoscope.figures.score_curves import LiftDisplay, PrecisionRecallDisplay, ReliabilityDisplay
from infoscope.metrics.registry import catalogue
from infoscope.reports.outline import (
    ALL_ROWS,
    Appendix,
    Block,
    Bullets,
    Cell,
    Code,
    Column,
    Explorer,
    Figure,
    InformationBar,
    Inline,
    Name,
    Outline,
    Paragraph,
    Phrase,
    Section,
    ShareBar,
    SideBySide,
    Strong,
    Table,
    Term,
    Tile,
    join_phrases,
    list_names,
    shorten_reason,
)
from infoscope.reports.shared import (
    NO_VERDICTS,
    ItemColumn,
    describe_disagreement,
    make_group_columns,
    tabulate,
    tabulate_choices,
)
from infoscope.reports.systems import (
    class_tables,
    confused_pairs,
    confusion_display,
    coverage_display,
    coverage_points,
    difference_to,
    grid_display,
    grid_section,
    metric_choices,
    split_display,
    table_of,
    triangle_display,
    triangle_points,
)
from infoscope.reports.views.judge import judge_section, judge_sentences
from infoscope.results.finding import Finding
from infoscope.results.notation import (
    UNDEFINED,
    MetricNotation,
    Units,
    describe_false_bits,
    describe_sample_value,
    format_count,
    format_interval,
    format_number,
    format_points,
    format_probability,
    format_share,
    format_share_with_interval,
)
from infoscope.studies.compare import Ranking
from infoscope.studies.evaluate import CellExamples, ClassEstimates, ConfusedPair, Evaluation, SystemResult
from infoscope.studies.evaluate.result import halving
from infoscope.studies.operating_points import Sweep
from infoscope.tables.column_kinds import asked_positive
from infoscope.typing import Json

PICTURES: dict[str, Callable[[Evaluation], Display]] = {
    "coverage": coverage_display,
    "triangle": triangle_display,
    "split": split_display,
    "confusion": confusion_display,
    "confusions": grid_display,
}
MAX_TIED = 4
"""Groups of systems without a significant difference that text names."""


def outline(evaluation: Evaluation, unit: Units) -> Outline:
    """The best system first, or the worst group; a ranking where there are several; classes and cells after that."""
    if not evaluation.systems:
        raise InputError("there is no system to report on; evaluate at least one")
    focus = evaluation.ranking[0]
    several = len(evaluation.systems) > 1
    first, *rest = opening_sentences(evaluation, focus, unit)
    return Outline(
        title=_title(focus),
        kicker=list(_kicker(evaluation, focus, unit)),
        headline=first,
        lede=rest,
        hero=[] if focus.shown("proficiency") is None else [_information(focus, unit)],
        tiles=_with_chosen(list(chosen_tiles(evaluation, focus, unit)), system_tiles(focus)),
        findings=_findings(evaluation, focus),
        sections=[
            *judge_section(evaluation, unit),
            *chosen_section(evaluation, unit),
            *([_ranking(evaluation)] if several else []),
            *cost_section(evaluation),
            *order_section(evaluation),
            *score_sections(evaluation, unit),
            _details(focus, unit, named=several),
            *examples_section(evaluation.ranking),
            Section(
                "Classes"
                if all(system.shown("proficiency") is None for system in evaluation.systems)
                else "What to fix, and where information is lost",
                [Explorer("systems", (evaluation, unit))],
                "fix",
                only="page",
            ),
            *([_compare(evaluation, unit)] if several else []),
            *grid_section(evaluation),
            *([Section("Maps", [Explorer("maps", evaluation)], "maps", only="page")] if _has_maps(evaluation) else []),
        ],
        footnotes=[f"{text}." for text in _interval_methods(evaluation)],
        appendix=Appendix(
            sections=[all_metrics(evaluation, unit)],
            metrics=[name for system in evaluation.systems for name in system.metrics],
            method=_method(evaluation),
        ),
        script="evaluation.js",
        data={"choices": metric_choices(evaluation, unit)} if several else {},
    )


def _title(focus: SystemResult) -> str:
    name, captured = plain_label(focus.title)[:60], focus.estimate("proficiency")
    if captured.shown is None:
        return f"{name}: one true class"
    return f"{name}: {format_share(captured.value if captured.value == 1.0 else captured.shown, 0)} captured"


def _has_maps(evaluation: Evaluation) -> bool:
    return bool(triangle_points(evaluation.systems) or coverage_points(evaluation.systems))


def _compare(evaluation: Evaluation, unit: Units) -> Section:
    return Section(
        "Compared with each other", [Explorer("compare", (evaluation, unit))], "compare", only="page", link="Compare"
    )


def _kicker(evaluation: Evaluation, focus: SystemResult, unit: Units) -> Iterator[Phrase]:
    yield "Evaluation"
    yield _size(evaluation, focus)
    k, m = len(focus.truth_labels), len(focus.system_labels) - (focus.reject is not None)
    yield counted(k, "class") + ("" if k == m else f", {m:,} predicted")
    if focus.shown("proficiency") is not None:
        truth = focus.estimate("truth_entropy")
        shown, sample = unit.amount(truth.shown), unit.amount(truth.value)
        yield f"truth {shown} {unit.name}" + f" ({sample} in this sample)" * (truth.corrected and sample != shown)
    if focus.positive is not None and not focus.positive_by_sorting:
        yield f"positive class '{focus.positive}'"
    if evaluation.provenance.source is not None:
        yield Name(evaluation.provenance.source, 60)


def _size(evaluation: Evaluation, focus: SystemResult) -> str:
    sizes = [system.n for system in evaluation.systems if system.name == focus.name]
    if None in sizes:
        return "sample size unknown"
    judges = [part.judge for part in evaluation.judged_parts() if part.judge is not None]
    if judges:
        labels, rows = (
            format_count(round(sum(counts))) for counts in zip(*((j.labels, j.rows) for j in judges), strict=True)
        )
        groups = f" in {len(judges)} groups" if len(judges) > 1 else ""
        if evaluation.provenance.rows is None:
            return f"labels of weight {labels} among rows of weight {rows}{groups}"
        return f"{labels} labels among {rows} rows{groups}"
    n = sum(size for size in sizes if size is not None)
    if not float(n).is_integer():
        return f"weights worth {n:,.1f} samples"
    groups = f" in {len(sizes)} groups" if len(sizes) > 1 else ""
    return f"{counted(n, 'sample')}{groups}"


def _information(system: SystemResult, unit: Units) -> InformationBar:
    shares = system.shown("proficiency"), system.shown("false_information_ratio")
    known = None if shares[0] is None or shares[1] is None else (shares[0], shares[1])
    return InformationBar.from_bits(system.shown, unit, known)


def _with_chosen(chosen: Sequence[Tile], usual: Iterable[Tile]) -> list[Tile]:
    """The chosen numbers, then the usual ones that are not among them."""
    return [*chosen, *(tile for tile in usual if tile.metric not in {each.metric for each in chosen})]


def _findings(evaluation: Evaluation, focus: SystemResult) -> list[tuple[str, Finding]]:
    several = len(evaluation.systems) > 1
    asked = [] if any(found.code == "positive_asked" for found in evaluation.findings) else _positive_question(focus)
    about = [("", finding) for finding in asked]
    systems = [focus, *(system for system in evaluation.ranking if system is not focus)]
    shared = [found for found in focus.diagnosis if all(found in system.diagnosis for system in systems)]
    about += [("", finding) for finding in shared if several]
    for system in systems:
        mine = [finding for finding in system.diagnosis if not several or finding not in shared]
        if system is focus and not focus.is_informative and only_label(focus.outputs, "declared") is not None:
            mine = [finding for finding in mine if finding.code != "majority_voter"]  # the headline says it
        about += [(system.title if several else "", finding) for finding in mine]
    return about


def _positive_question(system: SystemResult) -> list[Finding]:
    """The question which class is positive, where sorting chose the one that recall, precision and F1 are about."""
    text = asked_positive(system.truth_labels, system.positive) if system.positive_by_sorting else None
    is_shown = text is not None and system.number("recall") is not None
    return [Finding("positive_asked", text or "", evidence={"class": system.positive})] if is_shown else []


def _ranking(evaluation: Evaluation) -> Section:
    systems = list(evaluation.ranking)
    groups = list(dict.fromkeys(key for system in systems for key in system.group or {}))
    if groups:
        order = list(dict.fromkeys(tuple((system.group or {}).values()) for system in systems))
        systems.sort(key=lambda system: order.index(tuple((system.group or {}).values())))
    rejected = (Column("rejected", priority=5, metric="rejection_rate"), _rejected)
    rows = tabulate(
        systems,
        *make_group_columns(groups),
        (Column("system", "name"), lambda each: Strong(each.name)),
        (Column("captured", metric="proficiency"), lambda each: Strong(format_share(each.shown("proficiency")))),
        *_intervals(systems, "proficiency", 5),
        *([(Column("in sample", priority=4), _captured_in_sample)] if any(map(_captured_in_sample, systems)) else []),
        (Column("", "bar", 3), lambda each: ShareBar(each.shown("proficiency") or 0.0)),
        _shown_metric("false", 7, "false_information_ratio"),
        _shown_metric("erroneous", 4, "erroneous_information_ratio"),
        _shown_metric("accuracy", 8, "accuracy"),
        *_intervals(systems, "accuracy", 3),
        *([rejected] if any(system.number("rejection_rate") for system in systems) else []),
        _shown_metric("classes left", 2, "remnant_classes"),
        (Column("", "text", 6), lambda each: next((finding.tag for finding in each.diagnosis if finding.tag), "")),
    )
    sentences = list(tied_systems(evaluation))
    said = Bullets(
        [*sentences[:MAX_TIED], *_undefined_systems(systems)],
        sentences[MAX_TIED:],
        f"The same holds for {len(sentences) - MAX_TIED} more groups of neighbours.",
    )
    table = Table(*rows, search="systems", max_rows=ALL_ROWS)
    title = "Groups, the least informative first" if groups else "Systems, the most informative first"
    return Section(title, [table, said], only="plain")


def _captured_in_sample(system: SystemResult) -> str:
    return MetricNotation("proficiency").in_sample(system.estimate("proficiency"))


def _shown_metric(title: str, priority: int, metric: str) -> tuple[Column, Callable[[SystemResult], Cell]]:
    """A column with the numbers of a metric."""
    notation = MetricNotation(metric)
    return Column(title, priority=priority, metric=metric), lambda each: notation.shown(each.estimate(metric))


def _intervals(
    systems: Sequence[SystemResult], metric: str, priority: int
) -> Iterator[tuple[Column, Callable[[SystemResult], Cell]]]:
    """Yield a column with the intervals of a metric, if there are any."""
    if any(system.estimate(metric).low is not None for system in systems):
        yield Column("interval", priority=priority), lambda each: format_interval(each.estimate(metric))


def _rejected(system: SystemResult) -> str:
    return format_share(system.shown("rejection_rate") if system.number("rejection_rate") else 0.0)


def _undefined_systems(systems: Sequence[SystemResult]) -> Iterator[Phrase]:
    """Why captured information does not exist where it does not, the systems and groups with one reason together."""
    by_reason: dict[str, list[str]] = {}
    for system in systems:
        captured = system.estimate("proficiency")
        if captured.shown is None and captured.undefined:
            by_reason.setdefault(captured.undefined, []).append(system.title)
    for reason, names in by_reason.items():
        yield ("Captured information is undefined for ", *list_names(names, 5), f": {reason}.")


def tied_systems(evaluation: Evaluation) -> Iterator[Phrase]:
    """Which systems differ significantly in what they capture, row by row; in groups, group by group."""
    if evaluation.comparison is not None:
        yield from _tied(evaluation.comparison.ranking, "")
    for part in evaluation.group_comparisons:
        where = ", ".join(f"{key} {value}" for key, value in part.group.items())
        yield from _tied(part.comparison.ranking, f"{where}: ")


def _tied(rankings: Sequence[Ranking], where: str) -> Iterator[Phrase]:
    for ranking in rankings:
        if ranking.metric != "proficiency":
            continue
        groups: dict[int, list[str]] = {}
        for place in ranking.places:
            for group in place.groups:
                groups.setdefault(group, []).append(place.name)
        tied = [names for names in groups.values() if len(names) > 1]
        if not tied and len(ranking.contenders) > 1:
            each = f"{where}each" if where else "Each"
            of = " that captures information" if ranking.uninformative else ""
            yield f"{each} system{of} captures significantly more than the next (paired by row, Holm-corrected)."
        for names in tied:
            yield (where, *list_names(names, 12), " do not differ significantly in what they capture (paired by row).")


def _details(system: SystemResult, unit: Units, *, named: bool) -> Section:
    """What to fix first and the classes of the best system."""
    alone = "Classes" if system.shown("proficiency") is None else "Where information is lost"
    heading: Phrase = ("A closer look at ", Name(system.title)) if named else alone
    return Section(heading, [SideBySide(class_tables(system, unit), confused_pairs(system))], only="plain")


def _interval_methods(evaluation: Evaluation) -> list[str]:
    """How intervals were made, once for all systems; samples that would halve them as a range."""
    methods: dict[str, list[int]] = {}
    for interval in (system.interval for system in evaluation.systems if system.interval is not None):
        more = interval.samples_to_halve
        methods.setdefault(interval.basis, []).extend(() if more is None else (more,))
    return [text + _halving(more) for text, more in methods.items()]


def _halving(more: Sequence[int]) -> str:
    """Return one number, or from the least to the most of several systems; each is that of a finding, too."""
    return halving(*sorted({min(more), max(more)})) if more else ""


def _method(evaluation: Evaluation) -> list[Phrase]:
    believed = any(value.low is not None for system in evaluation.systems for value in system.metrics.values())
    return [
        "Information is computed from the table of true class × predicted class alone; “captured” is the mutual "
        "information as a fraction of the truth's entropy.",
        "Captured information does not depend on how outputs are named: a system that swaps two names keeps its "
        "score. Accuracy does depend on it; the page says where the two disagree.",
        "Accuracy and the other conventional metrics are those of this sample. Few rows per class make information of "
        "a sample look too high, so it is shown corrected, as the mean of the posterior; the sample's value stands "
        "beside it. Intervals are credible intervals."
        if believed
        else "No intervals are shown, because this evaluation was made without a posterior. With few samples per cell "
        "captured information tends to look too high.",
    ]


def opening_sentences(evaluation: Evaluation, focus: SystemResult, unit: Units) -> list[Phrase]:
    """The headline and what follows it: metrics of the reader's choice first, unless no verdict is possible."""
    chosen, captured = list(chosen_sentences(evaluation, unit)), _headline(evaluation, focus)
    is_verdict = focus.is_informative and not _no_verdict(focus)
    first = [*chosen, captured] if is_verdict else [captured, *chosen]
    return [first[0], *judge_sentences(evaluation, focus), *first[1:], *_sentences(evaluation, focus)]


MUCH_BY_CHANCE = 0.05
"""Captured information, at least, from which on the headline says that chance shows as much: samples are few."""


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
    named = join_phrases(((Name(pair.classes[0]), " ↔ ", Name(pair.classes[1])) for pair in pairs), ", ")
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


MANY_METRICS = 4
"""From this many on, the columns of a table are headed by symbols."""


def chosen_sentences(evaluation: Evaluation, unit: Units) -> Iterator[Phrase]:
    """The chosen metrics of the system that is first by them, in a sentence; without information, none is first."""
    if not evaluation.metrics:
        return
    leader = _leader(evaluation, unit)
    said = []
    for tile in list(chosen_tiles(evaluation, leader, unit))[:MANY_METRICS]:
        within = f" ({tile.interval})" if tile.interval else ""
        said.append(f"{tile.word} {tile.number}{within}" if tile.number != UNDEFINED else f"{tile.word} is undefined")
    more = len(evaluation.metrics) - len(said)
    below = f" and {more} more below" if more > 0 else ""
    many = len(evaluation.systems)
    first = _ranking_metric(evaluation)
    rank = ""
    is_ranked = leader.is_informative or leader.group is not None
    if many > 1 and first is not None and is_ranked and leader.shown(first) is not None:
        by = f" by {catalogue[first].title_in_sentence}" * (len(evaluation.metrics) > 1)
        rank = f", last of {many} results{by}" if leader.group else f", first of {many} systems{by}"
    yield (Name(leader.title, 48), f": {', '.join(said)}{below}{rank}.")


def _ranking_metric(evaluation: Evaluation) -> str | None:
    """The first chosen metric of which more or less is better; a number of classes, for example, ranks nothing."""
    return next((name for name in evaluation.metrics if catalogue[name].better != "none"), None)


def _ranked(systems: Sequence[SystemResult], metric: str | None, unit: Units) -> list[SystemResult]:
    """The best by this metric first, of groups the worst, in their order where there is none."""
    if metric is None:
        return list(systems)
    notation = MetricNotation(metric, unit)
    worst_first = any(system.group for system in systems)
    return sorted(systems, key=lambda system: _rank(system, notation, worst_first=worst_first))


def _leader(evaluation: Evaluation, unit: Units) -> SystemResult:
    """The best by the chosen metrics of the systems that capture information; of groups the worst."""
    contenders = [system for system in evaluation.ranking if system.is_informative or system.group]
    contenders = contenders or list(evaluation.ranking)
    return _ranked(contenders, _ranking_metric(evaluation), unit)[0]


def chosen_tiles(evaluation: Evaluation, system: SystemResult, unit: Units) -> Iterator[Tile]:
    """One tile for each chosen metric."""
    for name in evaluation.metrics:
        card = catalogue[name]
        yield Tile.of(system.estimate(name), MetricNotation(name, unit), card.titled(system.positive), card.symbol)


def chosen_section(evaluation: Evaluation, unit: Units) -> list[Section]:
    """Several systems by the chosen metrics, the best by the first of them that ranks systems on top."""
    if not evaluation.metrics or len(evaluation.systems) == 1:
        return []
    notations = [MetricNotation(name, unit) for name in evaluation.metrics]
    heads, legend = _heads(evaluation.metrics)
    first = _ranking_metric(evaluation)
    ranked = _ranked(evaluation.ranking, first, unit)
    tables: list[Block] = [_estimates(ranked, notations, heads, legend)]
    said = _disagreement(evaluation)
    tables += [] if said is None else [Paragraph(said)]
    by = catalogue[first or evaluation.metrics[0]].title_in_sentence
    return [Section(f"Systems by {by}", tables, "chosen")]


def _disagreement(evaluation: Evaluation) -> Phrase | None:
    """Which of the chosen metrics put which system first, where rows are not split into groups."""
    if any(system.group for system in evaluation.systems):
        return None
    values = {
        name: {system.name: system.estimate(name).value for system in evaluation.systems} for name in evaluation.metrics
    }
    return describe_disagreement(values, evaluation.systems[0].positive)


def _heads(names: Sequence[str]) -> tuple[list[str], str]:
    """Titles of a few metrics; of more the symbols, so that all have room, with what they mean."""
    if len(names) < MANY_METRICS:
        return [catalogue[name].title for name in names], ""
    symbols = [catalogue[name].symbol for name in names]
    stated = [f"{symbol} {catalogue[name].title_in_sentence}" for symbol, name in zip(symbols, names, strict=True)]
    return symbols, f"{', '.join(stated)}."


def _name_columns(systems: Sequence[SystemResult]) -> list[ItemColumn[SystemResult]]:
    """The columns that name a group and a system."""
    groups = dict.fromkeys(key for system in systems for key in system.group or {})
    return [*make_group_columns(groups), (Column("system", "name"), lambda each: Strong(each.name))]


def _estimates(
    systems: Sequence[SystemResult], notations: Sequence[MetricNotation], heads: Sequence[str], legend: str
) -> Table:
    """Return each metric with its interval, and the sample's value where that is another."""
    columns = _name_columns(systems)
    for notation, head in zip(notations, heads, strict=True):
        columns.append((Column(head, metric=notation.metric), partial(_shown, notation)))
        if any(_interval(notation, system) for system in systems):
            columns.append((Column("interval", priority=5), partial(_interval, notation)))
        if any(_in_sample(notation, system) for system in systems):
            columns.append((Column("in sample", priority=4), partial(_in_sample, notation)))
    return Table(*tabulate(systems, *columns), note=legend, search="systems", max_rows=ALL_ROWS)


def _shown(notation: MetricNotation, system: SystemResult) -> Cell:
    return Strong(notation.shown(system.estimate(notation.metric)))


def _interval(notation: MetricNotation, system: SystemResult) -> Cell:
    return notation.interval(system.estimate(notation.metric))


def _in_sample(notation: MetricNotation, system: SystemResult) -> str:
    return notation.in_sample(system.estimate(notation.metric))


def _rank(system: SystemResult, notation: MetricNotation, *, worst_first: bool) -> tuple[bool, float]:
    """The best, or the worst, by a metric first; undefined ones last."""
    value = system.shown(notation.metric)
    return (value is None, 0.0 if value is None else value if notation.lowest_first != worst_first else -value)


_METRICS = (
    "quadratic_weighted_kappa",
    "linear_weighted_kappa",
    "mean_absolute_error",
    "off_by_one_rate",
    "ranked_probability_score",
    "neighbour_loss_share",
)


def order_section(evaluation: Evaluation) -> list[Section]:
    """The metrics of the order, one row each, and how far the predictions of the best system are off."""
    systems = [system for system in evaluation.ranking if system.ordinal is not None]
    if not systems:
        return []
    scale = systems[0].ordinal or ()
    lede: Phrase = ("From the lowest to the highest: ", *join_phrases(map(Name, scale), " < "), ".")
    steps = _steps(systems[0])
    return [Section("Ordered classes", [Paragraph(lede), _metrics(systems), *([steps] if steps else [])], "order")]


def _metrics(systems: Sequence[SystemResult]) -> Table:
    columns = [Column("metric", "name")]
    for system in systems[:4]:
        columns += [Column(system.title if len(systems) > 1 else "value", "number"), Column("interval", priority=5)]
    rows = []
    for name in _METRICS:
        cells: list[Cell] = [catalogue[name].title]
        for system in systems[:4]:
            cells += _value(system, name)
        rows.append(tuple(cells))
    return Table(columns, rows, "Agreement on the order")


def _value(system: SystemResult, name: str) -> list[Cell]:
    estimate = system.estimate(name)
    if estimate.shown is None:
        return [UNDEFINED, shorten_reason(estimate.undefined)]
    notation = MetricNotation(name)
    return [Strong(notation.shown(estimate)), notation.interval(estimate)]


def _steps(system: SystemResult) -> Table | None:
    """Samples by how many steps too high or too low their prediction is."""
    table = table_of(system)
    if table is None or table.ordinal is None or table.is_sparse:
        return None
    place = {label: at for at, label in enumerate(table.ordinal)}
    counts: dict[int, float] = {}
    for truth, line in zip(table.truth_labels, np.asarray(table.counts), strict=True):
        for predicted, count in zip(table.system_labels, line.tolist(), strict=True):
            if predicted != table.reject and count:
                off = place[predicted] - place[truth]
                counts[off] = counts.get(off, 0.0) + count
    total = sum(counts.values())
    rows = tabulate(
        sorted(counts),
        (Column("steps off", "name"), lambda off: format_number(off, "+d") if off else "0"),
        (Column("samples"), lambda off: format_count(counts[off])),
        (Column("share"), lambda off: format_share(counts[off] / total)),
    )
    return Table(*rows, "How far predictions are off, minus is too low", max_rows=ALL_ROWS)


_METRIC = "expected_cost"
_MOST_CELLS = 8


def cost_section(evaluation: Evaluation) -> list[Section]:
    """The expected cost, the cheapest system first, and the costliest cells of that one."""
    systems = [system for system in evaluation.systems if _METRIC in system.metrics]
    if not systems:
        return []
    ranked = sorted(systems, key=lambda system: (system.shown(_METRIC) is None, system.shown(_METRIC) or 0.0))
    cells = _cells(ranked[0])
    return [Section("Expected cost", [_expected(ranked), *([cells] if cells else [])], "costs")]


def _expected(systems: Sequence[SystemResult]) -> Table:
    def cost(system: SystemResult) -> str:
        shown = system.shown(_METRIC)
        return UNDEFINED if shown is None else format_number(shown, ".4g")

    rows = tabulate(
        systems,
        (Column("system", "name"), lambda each: Name(each.title)),
        (Column("expected cost", metric=_METRIC), lambda each: Strong(cost(each))),
        (Column("interval", priority=5), lambda each: format_interval(each.estimate(_METRIC), 1.0, 4)),
    )
    return Table(*rows, note="Mean cost of a prediction; the cheapest system first.", search="systems")


def _cells(system: SystemResult) -> Table | None:
    """The predictions that cost most."""
    if not system.costs:
        return None
    whole = system.number(_METRIC) or 0.0
    rows = tabulate(
        system.costs[:_MOST_CELLS],
        (Column("true", "name"), lambda each: Name(each.truth)),
        (Column("predicted", "name"), lambda each: Name(each.system)),
        (Column("samples"), lambda each: format_count(each.count)),
        (Column("cost of each"), lambda each: format_number(each.cost, "g")),
        (
            Column("share of the cost"),
            lambda each: (
                format_share(each.mean_cost / whole)
                if whole > 0 and each.mean_cost > 0
                else f"{format_number(each.mean_cost, '+.4g')} per sample"
            ),
        ),
    )
    note = ("Where the cost of ", Name(system.title), " comes from.")
    return Table(*rows, note=note, max_rows=ALL_ROWS)


def score_sections(evaluation: Evaluation, unit: Units) -> list[Section]:
    """The thresholds of every system with a score, below one heading."""
    scored = [system for system in evaluation.ranking if system.scores is not None]
    if not scored:
        return []
    if len(evaluation.systems) == 1:
        blocks = _blocks(scored[0], unit)
    else:
        blocks = [Section(("Thresholds of ", Name(system.title)), _blocks(system, unit)) for system in scored]
    return [Section("Other thresholds", blocks, "thresholds", link="Thresholds")]


def _blocks(system: SystemResult, unit: Units) -> list[Block | Section]:
    sweep = system.scores
    assert sweep is not None  # asked for systems with scores only
    if sweep.reversed_class is not None:
        meant, positive = Name(sweep.reversed_class, 40), Name(sweep.positive or "", 40)
        return [Paragraph(("High scores mean ", meant, ", not ", positive, ": no threshold is recommended."))]
    return [tabulate_choices(sweep.choices, unit), *_pictures(sweep)]


def _pictures(sweep: Sweep) -> list[Block]:
    found = Figure(PrecisionRecallDisplay.from_sweep(sweep).panel(), "Precision-recall curve", style="map")
    if not sweep.reliability:
        return [SideBySide([found], [Figure(LiftDisplay.from_sweep(sweep).panel(), "Lift", style="map")])]
    reliability = Figure(ReliabilityDisplay.from_sweep(sweep).panel(), "Reliability diagram", style="map")
    return [SideBySide([found], [reliability])]


MAX_COLUMNS = 40
"""Systems in the table."""


def all_metrics(evaluation: Evaluation, unit: Units) -> Section:
    """One row per metric, one column per system."""
    systems = list(evaluation.ranking)[:MAX_COLUMNS]
    names = list(dict.fromkeys(name for system in systems for name in system.metrics))
    columns = [Column("metric", "name"), *(Column(plain_label(system.title)[:24], "text") for system in systems)]
    mixed = len({system.positive for system in systems}) > 1
    rows = [
        (
            _metric_title(name, systems),
            *(_metric_cell(name, system, unit, mixed=mixed) for system in systems),
        )
        for name in names
    ]
    left = len(evaluation.systems) - len(systems)
    note = f"The best {len(systems)} systems; {left} more are in the downloads below." if left else ""
    caption = f"Every metric of every system with its interval, information in {unit.name}"
    table = Table(columns, rows, caption, note=note, search="metrics", whole=True, style="values every")
    return Section(f"All {len(names)} metrics", [table])


def _metric_title(name: str, systems: Sequence[SystemResult]) -> Phrase:
    """The metric, with the class that it is about where that is the same for all systems."""
    classes = {system.positive for system in systems}
    title = catalogue[name].titled(classes.pop() if len(classes) == 1 else None) if name in catalogue else name
    return (Term(name, title), " ", Code(name))


def _metric_cell(name: str, system: SystemResult, unit: Units, *, mixed: bool) -> Phrase:
    """The number; with its class where systems have different ones, so that the title names none."""
    estimate = system.estimate(name)
    if estimate.shown is None:
        return shorten_reason(f"undefined: {estimate.undefined}")
    card, notation = catalogue.get(name), MetricNotation(name, unit)
    return f"{notation.whole(estimate)}{card.of_class(system.positive) if card and mixed else ''}"


MAX_PAIRS = 5
"""Pairs shown outside of pages."""
SHOWN_CHARACTERS = 80


def examples_section(systems: Sequence[SystemResult]) -> list[Section]:
    """The most frequent confused pairs of each system with their rows, for text and Markdown."""
    several = len(systems) > 1
    parts: list[Section] = []
    for system in systems:
        shown = [Section(example_heading(cell), list(example_blocks(cell))) for cell in system.examples[:MAX_PAIRS]]
        if shown:
            heading: Phrase = ("Example rows of ", Name(system.title)) if several else "Example rows"
            parts.append(Section(heading, shown, only="plain"))
    return parts


def example_blocks(cell: CellExamples) -> Iterator[Block]:
    """The rows of a pair, and where they come from."""
    origin = example_origin(cell)
    if origin is not None:
        yield Paragraph(origin, quiet=True)
    yield example_table(cell)


def example_heading(cell: CellExamples) -> Phrase:
    """Which pair, and how many of its rows are shown."""
    whole = len(cell.rows) >= cell.count
    number = f"all {format_count(cell.count)}" if whole else f"{len(cell.rows)} of {format_count(cell.count)}"
    shown = "1 row" if cell.count == 1 else f"{number} rows"
    return ("true ", Name(cell.truth), ", predicted ", Name(cell.system), f": {shown}")


def example_origin(cell: CellExamples) -> Phrase | None:
    """In which groups the pair is more frequent than elsewhere; None where no group was looked at."""
    if not cell.searched:
        return None
    if not cell.segments:
        return ("In no group of ", *join_phrases(map(Name, cell.searched), ", "), " more often than elsewhere.")
    parts = [
        (
            *(Name(each.column), " is ", Name(each.value)),
            f": {format_share(each.rate)} of the true class, elsewhere {format_share(each.elsewhere)}",
        )
        for each in cell.segments
    ]
    return ("More often where ", *join_phrases(parts, "; "), ".")


def example_table(cell: CellExamples) -> Table:
    """The rows of one pair, by their number in the source; rows of a cluster have none, and count from 1 here."""
    names = list(dict.fromkeys(name for row in cell.rows for name in row.values))
    columns = [Column("row", "name"), *(Column(name, "text", folds=True) for name in names)]
    rows: list[Sequence[Cell]] = [
        (f"{place if example.row is None else example.row:,}", *(_text(example.values.get(name)) for name in names))
        for place, example in enumerate(cell.rows, 1)
    ]
    return Table(columns, rows, "Rows drawn at random", max_rows=len(rows), whole=True, style="values rows")


def _text(value: Json) -> Cell:
    if isinstance(value, float):
        return f"{value:.6g}"
    return "–" if value is None else Name(str(value), SHOWN_CHARACTERS)
