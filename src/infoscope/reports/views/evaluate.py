"""Show an evaluation: what the systems capture, what to fix, how they compare.

``outline`` is called by ``reports/render.py``. It puts the best system first, or the worst group; headline, sentences
and tiles are about that one. Below it are the sections in the order of the page; those on ordered classes, costs,
scores and example rows are there only where the evaluation has them. What is shown of each system is in
``reports/systems.py``, the parts that a script moves in ``reports/html/evaluation.py``, the judge in ``judge.py``.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from infoscope.core.markup import pluralize
from infoscope.errors import InputError
from infoscope.figures.coverage import CoverageDisplay
from infoscope.figures.display import Display
from infoscope.figures.layout import plain_label, shorten
from infoscope.figures.score_curves import LiftDisplay, PrecisionRecallDisplay, ReliabilityDisplay
from infoscope.figures.triangle import EntropyTriangleDisplay, SplitTriangleDisplay
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
    Name,
    Outline,
    Paragraph,
    Phrase,
    Section,
    ShareBar,
    SideBySide,
    Strong,
    SystemValue,
    Table,
    Term,
    Tile,
    join_phrases,
    list_names,
    shorten_reason,
    to_plain,
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
    find_difference,
    list_metric_choices,
    make_confusion_display,
    make_grid_display,
    make_grid_section,
    place_in_coverage,
    place_in_split_triangle,
    place_in_triangle,
    tabulate_classes,
    tabulate_confusions,
)
from infoscope.reports.views.judge import make_judge_section, write_judge_sentences
from infoscope.results.estimate import Estimate
from infoscope.results.finding import Finding
from infoscope.results.frame import describe_group
from infoscope.results.notation import (
    UNDEFINED,
    MetricNotation,
    Units,
    format_count,
    format_interval,
    format_number,
    format_probability,
    format_share,
    format_share_with_interval,
)
from infoscope.results.provenance import describe_ignored_rows
from infoscope.studies.evaluation import (
    INFORMATION,
    CellExamples,
    ClassEstimates,
    Evaluation,
    GroupSpread,
    SystemResult,
    describe_halving,
)
from infoscope.typing import Json

_Point = TypeVar("_Point")


def _reject_empty(points: list[_Point]) -> list[_Point]:
    if not points:
        raise InputError("no system has a place in this picture: its information is undefined")
    return points


PICTURES: dict[str, Callable[[Evaluation], Display]] = {
    "coverage": lambda result: CoverageDisplay(_reject_empty(place_in_coverage(result.ranking))),
    "triangle": lambda result: EntropyTriangleDisplay(_reject_empty(place_in_triangle(result.ranking)), zoom=True),
    "split": lambda result: SplitTriangleDisplay(_reject_empty(place_in_split_triangle(result.ranking)), zoom=True),
    "confusion": make_confusion_display,
    "confusions": make_grid_display,
    "confusions_of_system": lambda result: make_grid_display(result, "of_system"),
}
MAX_TIED = 4
"""Groups of systems without a significant difference that text names."""
MUCH_BY_CHANCE = 0.05
"""Captured information, at least, from which on the headline says that chance shows as much: samples are few."""
MANY_METRICS = 4
"""From this many chosen metrics on, the columns of a table are headed by symbols."""
STATED_PRIORS = ("haldane", "jeffreys", "uniform", "wolpert-wolf")
"""Dirichlet priors that are no default, so that they were asked for."""
MAX_MOMENTS = 4
"""Systems whose moments are shown."""
MAX_CHOSEN = 5
"""Chosen metrics in the headline: NI, accuracy, precision, recall and rejection rate are one line."""
_RETURN = "return_on_investment"
MAX_COST_CELLS = 8
MAX_TILES = 5
MAX_SEEN = 3
"""Chosen metrics that the numbers on top hold beside the others."""
MAX_PAIRS = 3
"""Confused pairs on the first screen."""
MAX_PAIRS_IN_FULL = 10
LEAST_SHOWN = 0.001
"""A baseline below this is only called small."""
MAX_COLUMNS = 40
"""Systems in the table of all metrics."""
MAX_EXAMPLES = 5
"""Confused pairs whose rows are shown outside of pages."""
MAX_CHARACTERS = 80


def outline(evaluation: Evaluation, unit: Units) -> Outline:
    """Write the outline: verdict, numbers, why and what to do, about the best system or the worst group."""
    if not evaluation.systems:
        raise InputError("there is no system to report on; evaluate at least one")
    focus = evaluation.ranking[0]
    # metrics of the reader's choice come first, unless no verdict is possible
    chosen_sentences, verdict = list(_write_chosen_sentences(evaluation, unit)), _write_headline(evaluation, focus)
    is_verdict = focus.is_informative and not _explain_no_verdict(focus)
    headline, *sentences = [*chosen_sentences, verdict] if is_verdict else [verdict, *chosen_sentences]
    chosen = [_add_systems(evaluation, tile, unit) for tile in _make_chosen_tiles(evaluation, focus, unit)]
    names = {tile.metric for tile in chosen}
    tiles = chosen + [tile for tile in _make_tiles(evaluation, focus, unit) if tile.metric not in names]
    name, captured = plain_label(focus.title)[:60], focus.estimate("proficiency")
    title = f"{name}: one true class"
    if captured.shown is not None:
        title = f"{name}: {format_share(captured.value if captured.value == 1.0 else captured.shown, 0)} captured"
    is_one_system = len({system.name for system in evaluation}) == len({*(focus.group or {"": ""})}) == 1
    levels = {system.interval_method.level for system in evaluation if system.interval_method is not None}
    level = f"{100 * max(levels):g}% interval" if levels else "interval"
    choices = {"choices": list_metric_choices(evaluation, unit)} if len(evaluation.systems) > 1 else {}
    return Outline(
        title=title,
        kicker=list(_write_kicker(evaluation, focus, verdict)),
        headline=headline,
        lede=[*write_judge_sentences(evaluation, focus), *sentences, *_write_lede(evaluation, focus)],
        tiles=tiles[: max(len(chosen), MAX_TILES)],
        tile_heads=("value", level, "compare with"),
        system_word=next(iter(focus.group or {"system": ""})) if is_one_system else "system",
        findings=collect_findings(evaluation, focus),
        minor_findings=_collect_minor_findings(evaluation, focus),
        sections=[*_make_open_sections(evaluation, focus, unit), *_make_folds(evaluation, focus, unit)],
        more="-v classes and all metrics · -o page.html"
        + " · infoscope explain captured" * (captured.shown is not None),
        footnotes=[f"{words}." for words in _describe_intervals(evaluation)],
        appendix=_make_appendix(evaluation, unit),
        script="evaluation.js",
        data=choices,
    )


def _make_open_sections(evaluation: Evaluation, focus: SystemResult, unit: Units) -> Iterator[Section]:
    """Make why: the costliest confusions, and what was asked for."""
    yield from make_judge_section(evaluation, unit)
    yield from _make_chosen_section(evaluation, unit)
    if focus.shown("proficiency") is not None and focus.is_informative:
        yield Section("", list(tabulate_confusions(focus, MAX_PAIRS)), only="plain")
    yield Section("", [Explorer("systems", (evaluation, unit))], "fix", only="page", advice="inside")
    yield from _make_cost_section(evaluation)
    yield from _make_order_section(evaluation)
    yield from _make_moments_sections(evaluation, unit)
    yield from _make_example_sections(evaluation.ranking)


def _make_folds(evaluation: Evaluation, focus: SystemResult, unit: Units) -> Iterator[Section]:
    """Make everything else: the systems by what they capture, classes, thresholds, and maps."""
    several = len(evaluation.systems) > 1
    if several:
        yield _make_ranking_section(evaluation)
    yield from _make_spread_section(evaluation, unit)
    yield from _make_score_section(evaluation, unit)
    blocks: list[Block] = []
    if focus.shown("proficiency") is not None:
        false = focus.shown("false_information_ratio")
        shares = None if false is None else (focus.shown("proficiency") or 0.0, false)
        blocks.append(InformationBar.from_bits(focus.shown, unit, shares))
    # of two classes the first screen has all errors
    is_known = len(focus.truth_labels) <= 2 and focus.shown("proficiency") is not None and focus.is_informative
    confusions = () if is_known else tabulate_confusions(focus, MAX_PAIRS_IN_FULL)
    blocks.append(SideBySide(tabulate_classes(focus, unit), confusions))
    heading: Phrase = ("Classes of ", Name(focus.title)) if several else "Classes"
    yield Section(heading, blocks, only="plain", folded=True)
    if several:
        blocks = [Explorer("compare", (evaluation, unit))]
        aside = "by any metric, of all classes or of one"
        yield Section("Systems compared", blocks, "compare", only="page", folded=True, aside=aside)
    yield from make_grid_section(evaluation)
    if place_in_triangle(evaluation.systems) or place_in_coverage(evaluation.systems):
        aside = "entropy triangle, information coverage"
        yield Section("Maps", [Explorer("maps", evaluation)], "maps", only="page", folded=True, aside=aside)


def _write_kicker(evaluation: Evaluation, focus: SystemResult, verdict: Phrase) -> Iterator[Phrase]:
    """Write facts about what was evaluated: the size of the sample, classes, systems, the source."""
    sizes = [system.n for system in evaluation.systems if system.name == focus.name]
    judges = [part.judge for part in evaluation.judged_parts() if part.judge is not None]
    groups = max(len(judges) if judges else len(sizes), 1)
    in_groups = f" in {groups} groups" if groups > 1 else ""
    method = focus.interval_method
    of_rows = "" if method is None or method.groups is None else f" in {method.groups:,} groups of rows"
    samples = sum(size or 0.0 for size in sizes)
    if None in sizes:
        yield "sample size unknown"
    elif judges:
        labels, rows = (
            format_count(round(sum(counts))) for counts in zip(*((j.labels, j.rows) for j in judges), strict=True)
        )
        if evaluation.provenance.rows is None:
            yield f"labels of weight {labels} among rows of weight {rows}{in_groups}"
        else:
            yield f"{labels} labels among {rows} rows{in_groups}"
    elif not float(samples).is_integer():
        counted = evaluation.provenance.rows
        rows_with = f"{pluralize(counted, 'row')} with " if counted else ""
        yield f"{rows_with}weights worth {samples:,.1f} samples{in_groups}{of_rows}"
    else:
        positive = None if _is_about_classes(focus) else _count_class(focus.classes, focus.positive, "support")
        of_them = f", {format_count(positive)} of them '" if positive is not None and not in_groups else ""
        name = (Name(focus.positive or "", 24), "'") if of_them else ()
        if (
            of_them
            or in_groups
            or of_rows
            or not _is_about_classes(focus)
            or _count_samples(focus) not in to_plain(verdict)
        ):
            yield (f"{pluralize(samples, 'sample')}{in_groups}{of_rows}{of_them}", *name)
        # else the headline says it
    true, predicted = len(focus.truth_labels), len(focus.system_labels) - (focus.reject is not None)
    supports = {item.number("support") or 0.0 for item in focus.classes}
    each = f", {pluralize(next(iter(supports)), 'sample')} each" if len(supports) == 1 and true > 2 else ""
    if _is_about_classes(focus) or true != predicted:
        yield pluralize(true, "class") + ("" if true == predicted else f", {predicted:,} predicted") + each
    if len(evaluation.systems) > 1 and groups == 1:
        yield f"{len(evaluation.systems)} systems"
    if evaluation.provenance.source is not None:
        yield Name(evaluation.provenance.source, 60)


def _is_about_classes(system: SystemResult) -> bool:
    """Return whether the numbers are about all classes: no positive class is known, or names mean nothing."""
    return system.positive is None or bool(system.positive_by_sorting) or system.clusters is not None


def _count_class(items: Sequence[ClassEstimates], label: str | None, metric: str) -> float | None:
    """Return how often a class is true ("support") or predicted ("declared"), if that is a whole number."""
    count = next((item.number(metric) for item in items if item.label == label), None)
    return count if count is not None and float(count).is_integer() else None


# Headline and sentences -----------------------------------------------------------------------------------------------


def _explain_no_verdict(system: SystemResult) -> str | None:
    return next((NO_VERDICTS[finding.code] for finding in system.diagnosis if finding.code in NO_VERDICTS), None)


def _write_headline(evaluation: Evaluation, focus: SystemResult) -> Phrase:
    """Write the verdict: how often it is right, or finds the positive class, and what it captures."""
    captured, accuracy = focus.estimate("proficiency"), _settle_estimate(focus, "accuracy")
    name = Name(focus.title, 48)
    if captured.shown is None:  # mostly because the truth has one class
        only = find_only_label(focus.classes, "support")
        if only is None:
            return (name, f" cannot be evaluated by information: {captured.undefined}.")
        right = f" is right in {format_share_with_interval(accuracy)} of them."
        if accuracy.value in (None, 1.0):
            right = " is not scored." if accuracy.value is None else " always predicts it."
        start = "All samples have the true class '"
        return (start, Name(only), "', so there is no information to capture; ", name, right)
    if reason := _explain_no_verdict(focus):
        return f"No verdict: {reason}."
    many = len(evaluation.systems)
    if not focus.is_informative:
        return _write_chance_headline(focus, many if all(not system.is_informative for system in evaluation) else 1)
    rank = ""
    if many > 1:
        alike = sum(system.estimate("proficiency").shown == captured.shown for system in evaluation) - 1
        place = f"least of {many} {_count_word(evaluation)}" if focus.group else f"most of {many} systems"
        rank = f", the {place}" + (f"; {pluralize(alike, 'other')} as much" if alike else "")
    information = f"{format_share(captured.shown)} of the information in the truth{rank}."
    if accuracy.value == captured.value == 1.0 and focus.clusters is None:
        size = _count_samples(focus)
        whole = " in every sample" if size == "samples" else f" in all {size}"
        within = format_interval(accuracy)
        share = f"captures all of the information in this sample's truth{rank}."
        return (name, f" is right{whole}{f' ({within})' * bool(within)} and {share}")
    if focus.clusters is not None:
        agreement = MetricNotation(_AMI).whole(focus.estimate(_AMI))
        return (name, f" has an AMI of {agreement} with the true classes and captures {information}")
    if accuracy.shown is None:
        return (name, f" captures {format_share_with_interval(captured)} of the information in the truth{rank}.")
    if _is_about_classes(focus) or focus.shown("precision") is None:
        size = _count_samples(focus)
        within = format_interval(accuracy)
        right = f"{format_share(accuracy.shown)} of {size}{f' ({within})' * bool(within)}"
        return (name, f" is right in {right} and captures {information}")
    recall, precision, f1 = (format_share(focus.shown(metric)) for metric in ("recall", "precision", "f1"))
    positive = Name(focus.positive or "", 24)
    return (
        *(name, f" finds {recall} of '", positive),
        f"' at a precision of {precision} (F1 {f1}) and captures {information}",
    )


def _count_samples(system: SystemResult) -> str:
    """Return how many samples there are, or no number where they have weights, or are estimated."""
    is_counted = system.errors is not None and system.n == sum(item.number("support") or 0.0 for item in system.classes)
    return f"{format_count(system.n)} samples" if is_counted else "samples"


def _count_word(evaluation: Evaluation) -> str:
    return "groups" if len({system.name for system in evaluation}) == 1 else "results"


def find_only_label(items: Sequence[ClassEstimates], metric: str) -> str | None:
    """Return the one label that occurs by a count ("support" or "declared"); None where several do."""
    labels = [item.label for item in items if item.number(metric)]
    return labels[0] if len(labels) == 1 else None


def _write_chance_headline(focus: SystemResult, many: int) -> Phrase:
    """Say that a system captures no more than chance, or none of ``many``."""
    captured, name = focus.metrics["proficiency"], Name(focus.title, 48)
    noun = "results" if focus.group else "systems"
    only = find_only_label(focus.outputs, "declared")
    if only is not None:
        others = f"; none of the {many} {noun} captures more than chance" if many > 1 else ""
        if only in focus.truth_labels and focus.clusters is None:
            size = _count_samples(focus)
            frequency = f"{format_share(focus.shown('accuracy'))} of {size}, the frequency of "
            return (
                *(name, " always predicts '", Name(only), f"': it is right in {frequency}'", Name(only)),
                f"', and captures no information{others}.",
            )
        return (name, " always predicts '", Name(only), f"', whatever the truth, and captures no information{others}.")
    seen = format_share_with_interval(captured)
    # the test is about the sample's value
    sample = MetricNotation("proficiency").in_sample(captured)
    the, its = (f"the {sample} in the sample",) * 2 if sample else (f"the {seen}", f"its {seen}")
    is_much = (captured.low or 0.0) > MUCH_BY_CHANCE
    if many > 1:
        start = f"None of the {many} {noun} captures more information than expected by chance; "
        if is_much:
            return (start, f"random predictions would show as much as {the} of ", name, ".")
        return (start, name, f": {seen}.")
    if is_much:
        true = format_count(sum(1 for item in focus.classes if item.number("support")))
        predicted = format_count(sum(1 for item in focus.outputs if item.number("declared")))
        return (
            name,
            f" captures no more information than expected by chance: with {predicted} predicted and {true} true "
            f"classes in {format_count(round(focus.n or 0))} samples, random predictions would show as much as {its}.",
        )
    return (name, f" captures no more information than expected by chance: {seen}.")


def _write_lede(evaluation: Evaluation, focus: SystemResult) -> Iterator[Phrase]:
    """Write what a reader should know next: how surely it is better, what it rejects, and where metrics disagree."""
    if _explain_no_verdict(focus) is not None:
        return
    if find_only_label(focus.classes, "support") is not None and find_only_label(focus.outputs, "declared") is None:
        yield "If truth and prediction are swapped, exchange them."
    if focus.number("rejection_rate"):
        share = format_share_with_interval(focus.estimate("accepted_accuracy"))
        rejected = format_share(focus.shown("rejection_rate"))
        yield (Name(focus.title), f" abstains in {rejected} of the samples; of the others it is right in {share}.")
    others = [system for system in evaluation.ranking if system is not focus]
    if focus.group:  # of groups the worst is shown first
        yield from _write_over_groups(evaluation, focus, others)
    if not others or focus.group:
        return
    yield from _compare_with_runner_up(evaluation, focus, others)
    metrics = ("accuracy", "macro_f1", "proficiency") if _is_about_classes(focus) else ("f1", "accuracy", "proficiency")
    rivals = [system for system in evaluation.systems if system.is_informative and system.clusters is None]
    values = {metric: {system.name: system.number(metric) for system in rivals} for metric in metrics}
    if (words := describe_disagreement(values, focus.positive)) is not None:
        yield words


def _write_over_groups(evaluation: Evaluation, focus: SystemResult, others: Sequence[SystemResult]) -> Iterator[Phrase]:
    """Write what all rows together give, and whether it is sure that the group shown first is the worst."""
    totals = {one.metric: one.total for one in evaluation.group_spreads if one.system == focus.name}
    accuracy, captured = totals.get("accuracy"), totals.get("proficiency")
    if accuracy is not None and captured is not None and focus.clusters is None:
        right = f" is right in {format_share(accuracy)} and captures {format_share(captured)}."
        yield ("Over all rows ", Name(focus.name, 48), right)
    highest = focus.estimate("proficiency").high
    lows = [system.estimate("proficiency").low for system in others]
    if highest is not None and (alike := sum(low is not None and low <= highest for low in lows)):
        of = f"{alike} of the {len(others)} others" if alike < len(others) else "all others"
        words = f" overlaps with that of {of}: which is the least is not certain."
        yield ("The interval of ", Name(describe_group(focus.group or {}) or "", 48), words)


def _compare_with_runner_up(
    evaluation: Evaluation, focus: SystemResult, others: Sequence[SystemResult]
) -> Iterator[Phrase]:
    """Write by how much, and how surely, the first system is better than the best of the others by the same metric."""
    informative = [system for system in others if system.is_informative]
    if not focus.is_informative or not informative:
        if focus.is_informative:
            yield (Strong(others[0].title), " captures no more information than expected by chance.")
        return
    metrics = ("accuracy", "macro_f1") if _is_about_classes(focus) else ("f1", "accuracy")
    for metric in (*metrics, "proficiency"):
        other = max(informative, key=lambda system: system.shown(metric) or 0.0)
        gap = find_difference(evaluation, focus, other, metric)
        if gap is None or gap.probability_a_better is None:
            continue
        notation = MetricNotation(metric)
        points = notation.signed(abs(notation.gap(gap.estimate, focus.shown(metric), other.shown(metric)))).lstrip("+")
        about = f"points of {_SHORT_TITLES.get(metric, metric)}"
        if gap.corrected_verdict in ("better", "worse"):
            low, high = sorted((abs(gap.estimate.low or 0.0), abs(gap.estimate.high or 0.0)))
            within = f"({notation.signed(low).lstrip('+')} – {notation.signed(high).lstrip('+')})"
            sure = format_probability(max(gap.probability_a_better, 1.0 - gap.probability_a_better))
            verdict = f"{gap.corrected_verdict} than "
            yield ("It is ", verdict, Strong(other.title), f" by {points} {about} {within}, with probability {sure}.")
        else:
            within = f"({notation.signed_interval(gap.estimate)})"
            words = f": no significant difference ({points} {about}, interval {within})."
            yield ("Between it and ", Strong(other.title), words)
        return


# Tiles ----------------------------------------------------------------------------------------------------------------

_AMI = "adjusted_mutual_information"
_SHORT_TITLES = {
    "f1": "F1",
    "macro_f1": "macro F1",
    "proficiency": "captured information",
    "adjusted_mutual_information": "AMI",
    "nmi_arithmetic": "V-measure",
    "adjusted_rand_index": "ARI",
}
"""Names of metrics on the first screen, where they are not the metric's id."""


def _make_tiles(evaluation: Evaluation, focus: SystemResult, unit: Units) -> Iterator[Tile]:
    """Make the numbers, each with what to compare it with: what the task is judged by, then captured information."""
    if focus.shown("proficiency") is None:
        metrics: tuple[str, ...] = ("accuracy",)
    elif focus.clusters is not None:
        metrics = (_AMI, "nmi_arithmetic", "adjusted_rand_index", "proficiency")
    elif _is_about_classes(focus):
        metrics = ("accuracy", "macro_f1", "proficiency")
    else:
        metrics = ("f1", "recall", "precision", "proficiency")
    several = len(evaluation.systems) > 1
    for metric in metrics:
        notation, estimate = MetricNotation(metric, unit), _settle_estimate(focus, metric)
        word = "captured" if metric == "proficiency" else _SHORT_TITLES.get(metric, metric)
        note, baseline = _compare_number(focus, metric, several=several)
        tile = Tile.from_estimate(estimate, notation, word, note)
        if metric == "proficiency":
            false = focus.shown("false_information_ratio")
            shares = None if false is None or estimate.shown is None else (estimate.shown, false)
            tile = replace(tile, bar=InformationBar.from_bits(focus.shown, unit, shares))
        yield _add_systems(evaluation, replace(tile, baseline=baseline), unit)
        if metric == "precision" and focus.scores is not None and not several:
            area = focus.scores.area_estimates.get("average_precision")
            if area is not None and focus.scores.reversed_class is None:
                chance = f"chance {format_share(focus.constant_value('precision'))}"
                # this interval is about independent rows, not about groups of rows
                is_independent = focus.interval_method is not None and focus.interval_method.method == "posterior"
                within = format_interval(area) if is_independent else ""
                yield Tile(format_share(area.value), "average precision", within, chance, "average_precision")


def _add_systems(evaluation: Evaluation, tile: Tile, unit: Units) -> Tile:
    """Add the number of each system, where there are several."""
    if len(evaluation.systems) == 1 or tile.metric is None:
        return tile
    notation = MetricNotation(tile.metric, unit)
    values = [
        SystemValue.from_estimate(_name_row(evaluation, system), _settle_estimate(system, tile.metric), notation)
        for system in evaluation.ranking
    ]
    return replace(tile, systems=values)


def _settle_estimate(system: SystemResult, metric: str) -> Estimate:
    """Return an estimate: of constant predictions as it is, and corrected where a stated prior moves it far away."""
    estimate = system.estimate(metric)
    if estimate.value == 0.0 and not system.is_informative:
        return replace(estimate, corrected=False)
    low, high, shown = estimate.low, estimate.high, estimate.shown
    is_beyond = low is not None and high is not None and shown is not None and not low <= shown <= high
    return replace(estimate, corrected=True) if is_beyond else estimate


def _name_row(evaluation: Evaluation, system: SystemResult) -> str:
    """Return the name of a system in a table: its group alone, where there is one system."""
    if system.group and len({item.name for item in evaluation.systems}) == 1:
        return ", ".join(system.group.values())
    return system.title


def _compare_number(focus: SystemResult, metric: str, *, several: bool) -> tuple[str, float | None]:
    """Return what to compare a number with, in words and as a value on its scale."""
    constant = focus.constant_value(metric)
    if metric == "proficiency":
        estimate = focus.estimate(metric)
        sample = MetricNotation(metric).in_sample(estimate)
        if not sample or not estimate.value:
            return "any constant prediction 0%", 0.0
        value, low, high = (part or 0.0 for part in (estimate.value, estimate.low, estimate.high))
        beyond = "" if estimate.low is None or low <= value <= high else ", too high" if value > high else ", too low"
        return f"in this sample {sample}{beyond}", 0.0
    if metric in ("accuracy", "macro_f1") and constant is not None:
        return f"most frequent class {'<0.1%' if constant < LEAST_SHOWN else format_share(constant)}", constant
    if metric == "f1" and constant is not None:
        return f"always '{shorten(focus.positive or '', 20)}' {format_share(constant)}", constant
    if focus.clusters is not None:
        return ("0 is chance, 1 perfect" if metric != "nmi_arithmetic" else "1 is perfect; chance is above 0"), None
    support = _count_class(focus.classes, focus.positive, "support")
    declared = _count_class(focus.outputs, focus.positive, "declared")
    recall = focus.number("recall")
    if several or support is None or declared is None or recall is None or focus.is_weighted:
        return "", None
    found = round(support * recall)
    if metric == "recall":
        return f"{found:,} of {support:,.0f} found", None
    return f"{declared - found:,.0f} of {declared:,.0f} are false alarms", None


# Findings -------------------------------------------------------------------------------------------------------------


def collect_findings(evaluation: Evaluation, system: SystemResult) -> list[tuple[str, Finding]]:
    """Collect what to do about a system, the most useful first; about the first one, also what concerns the data."""
    findings, others = list(system.diagnosis), []
    if system is evaluation.ranking[0]:
        ignored = describe_ignored_rows(evaluation.provenance.ignored)
        findings = [f for f in evaluation.findings if not f.system and f not in ignored] + findings
        if system.positive_by_sorting and all(finding.code != "positive_asked" for finding in evaluation.findings):
            # the names of the classes leave open which one recall, precision and F1 are about
            one, other = (shlex.quote(label) for label in system.truth_labels)
            if system.number("recall") is not None:
                question = (
                    f"Say which class is positive to see its F1, recall and precision here: --positive {other} or "
                    f"--positive {one} (positive= in Python)."
                )
                about, action = {"class": system.positive}, "Name the positive class"
                findings.append(Finding("positive_asked", question, evidence=about, action=action))
        others = [  # labels that are not what they seem concern all systems
            (other.title, finding)
            for other in evaluation.ranking[1:]
            for finding in other.diagnosis
            if finding.rank == 0 and finding not in findings
        ]
    findings += advise(evaluation, system)
    silent = {"small_sample_bias"} if any(finding.code == "few_samples" for finding in findings) else set()
    if any(f.code == "positive_without_effect" and "--reject" in f.text for f in findings):
        silent.add("undeclared_reject")  # the same advice
    if system.shown("proficiency") is None:
        silent |= {"few_samples", "loud_prior"}  # about captured information
    named = [("", finding) for finding in findings if finding.code not in silent]
    return sorted([*named, *others], key=lambda item: item[1].rank)


def _collect_minor_findings(evaluation: Evaluation, focus: SystemResult) -> list[tuple[str, Finding]]:
    """Collect what concerns systems that nobody would choose."""
    shown = [finding for _, finding in collect_findings(evaluation, focus)]
    others = [system for system in evaluation.ranking if system is not focus]
    return [(system.title, finding) for system in others for finding in system.diagnosis if finding not in shown]


MAX_WEAKEST = 3
MIN_CLASSES_TO_START_WITH = 20
"""Classes from which on the weakest are named: of fewer, the confusions show them."""
MAX_ERRORS_TO_READ = 50
"""Errors up to which it is worth reading the row of each."""


def advise(evaluation: Evaluation, system: SystemResult) -> Iterator[Finding]:
    """Yield what to look at next, with what to type where the command is known."""
    if system.clusters is not None or system.shown("proficiency") is None or _explain_no_verdict(system):
        return
    accuracy, errors = system.estimate("accuracy"), system.errors
    if accuracy.value == 1.0:
        rest = ""
        if accuracy.low is not None and accuracy.low < 1.0:
            share = format_share(1.0 - accuracy.low)
            rest = f" If it is real, an error rate of up to {share} (1 in {1 / (1 - accuracy.low):,.0f}) is possible."
        words = (
            f"Check that this is a real result: {system.name} equals the truth in every row. Were these rows used in "
            f"training, or is it a copy?{rest}"
        )
        yield Finding("perfect_result", words, action="Check that it is real")
    elif system.is_informative and errors is not None:
        weakest = system.weakest_classes()
        if len(system.classes) >= MIN_CLASSES_TO_START_WITH and weakest:
            named = [
                f"{item.label} is found in {found} of {support} samples" if not place else f"{item.label} in {found}"
                for place, (item, found, support) in enumerate(
                    (
                        item,
                        round((item.number("recall") or 0.0) * (item.number("support") or 0.0)),
                        f"{item.number('support'):,.0f}",
                    )
                    for item in weakest[:MAX_WEAKEST]
                )
            ]
            words = f"Start with the weakest classes: {', '.join(named)}."
            command = _type_again(evaluation, "-v")
            yield Finding("weak_classes", words, "warning", action="Start with them", command=command)
        if not system.examples and 0 < errors <= MAX_ERRORS_TO_READ:
            command = _type_again(evaluation, "--examples 5 -o page.html")
            if command or evaluation.provenance.command is None:
                words = f"Look at the rows of the {pluralize(errors, 'error')}: with so few, some may be wrong labels"
                words += "." if command else " (examples=5)."
                yield Finding("rows_to_read", words, action="Look at the rows", command=command)


_OWN_OPTIONS = {
    "-o": 1,
    "--output": 1,
    "--format": 1,
    "-f": 1,
    "--force": 0,
    "-v": 0,
    "--verbose": 0,
    "-q": 0,
    "--quiet": 0,
}
"""Options of a command that are left out where it is to be typed again with others, and how many words follow each."""


def _type_again(evaluation: Evaluation, options: str) -> str:
    """Return the command that was typed, with other options; empty where there was none, or it read no rows."""
    words = shlex.split(evaluation.provenance.command or "")
    if words[:1] != ["infoscope"] or "evaluate" not in words or "--matrix" in words or "-" in words:
        return ""
    kept = []
    skipped = 0
    for word in words:
        if skipped or word in _OWN_OPTIONS:
            skipped = skipped - 1 if skipped else _OWN_OPTIONS[word]
        elif not word.startswith(("--output=", "--format=")):
            kept.append(word)
    return f"{shlex.join(kept)} {options}"


# Metrics of the reader's choice ---------------------------------------------------------------------------------------


def _write_chosen_sentences(evaluation: Evaluation, unit: Units) -> Iterator[Phrase]:
    """Write the chosen metrics of the system that is first by them; without information, none is first."""
    if not evaluation.metrics:
        return
    contenders = [system for system in evaluation.ranking if system.is_informative or system.group]
    first = _find_ranking_metric(evaluation)
    leader = _rank_systems(contenders or list(evaluation.ranking), first, unit)[0]
    parts = []
    for tile in list(_make_chosen_tiles(evaluation, leader, unit))[:MAX_CHOSEN]:
        within = f" ({tile.interval})" if tile.interval else ""
        parts.append(f"{tile.word} {tile.number}{within}" if tile.number != UNDEFINED else f"{tile.word} is undefined")
    more = len(evaluation.metrics) - len(parts)
    below = f" and {more} more below" if more > 0 else ""
    many = len(evaluation.systems)
    rank = ""
    is_ranked = leader.is_informative or leader.group is not None
    if many > 1 and first is not None and is_ranked and leader.shown(first) is not None:
        by = f" by {catalogue[first].title_in_sentence}" * (len(evaluation.metrics) > 1)
        alike = sum(system.shown(first) == leader.shown(first) for system in contenders) - 1
        place = f"last of {many} results" if leader.group else f"first of {many} systems"
        rank = f", {place}{by}" + (f"; {pluralize(alike, 'other')} as much" if alike else "")
    yield (Name(leader.title, 48), f": {', '.join(parts)}{below}{rank}.")


def _find_ranking_metric(evaluation: Evaluation) -> str | None:
    """Return the first chosen metric of which more or less is better; a number of classes, for one, ranks nothing."""
    return next((name for name in evaluation.metrics if catalogue[name].better != "none"), None)


def _rank_systems(systems: Sequence[SystemResult], metric: str | None, unit: Units) -> list[SystemResult]:
    """Put the best by this metric first, of groups the worst, undefined ones last; keep the order without a metric."""
    if metric is None:
        return list(systems)
    lowest_first = MetricNotation(metric, unit).lowest_first != any(system.group for system in systems)

    def rank(system: SystemResult) -> tuple[bool, float]:
        value = system.shown(metric)
        return (value is None, 0.0 if value is None else value if lowest_first else -value)

    return sorted(systems, key=rank)


def _make_chosen_tiles(evaluation: Evaluation, system: SystemResult, unit: Units) -> Iterator[Tile]:
    for name in evaluation.metrics:
        card, notation = catalogue[name], MetricNotation(name, unit)
        yield Tile.from_estimate(system.estimate(name), notation, card.titled(system.positive))


def _make_chosen_section(evaluation: Evaluation, unit: Units) -> list[Section]:
    """Show several systems by the chosen metrics, the best by the first of them that ranks systems on top."""
    names = evaluation.metrics
    if not names or len(evaluation.systems) == 1:
        return []
    is_seen = len(names) <= MAX_SEEN
    first = _find_ranking_metric(evaluation)
    systems = _rank_systems(evaluation.ranking, first, unit)
    heads, legend = [catalogue[name].title for name in names], ""
    if len(names) >= MANY_METRICS:  # symbols leave room for all, with a legend of what they mean
        heads = [catalogue[name].symbol for name in names]
        meanings = [f"{head} {catalogue[name].title_in_sentence}" for head, name in zip(heads, names, strict=True)]
        legend = f"{', '.join(meanings)}."
    groups = dict.fromkeys(key for system in systems for key in system.group or {})
    columns: list[ItemColumn[SystemResult]] = [
        *make_group_columns(groups),
        (Column("system", "name"), lambda system: Strong(system.name)),
    ]

    for name, head in zip(names, heads, strict=True):
        columns += _make_estimate_columns(systems, head, MetricNotation(name, unit))
    table = Table(*tabulate(systems, *columns), note=legend, search="systems", max_rows=ALL_ROWS)
    blocks: list[Block] = [table]
    if not groups:
        values = {name: {item.name: item.estimate(name).value for item in evaluation.systems} for name in names}
        if (words := describe_disagreement(values, evaluation.systems[0].positive)) is not None:
            blocks.append(Paragraph(words))
    by = catalogue[first or names[0]].title_in_sentence
    is_leader = systems[0] is evaluation.ranking[0]
    return [Section(f"Systems by {by}", blocks, "chosen", folded=is_seen and is_leader)]


def _make_estimate_columns(
    systems: Sequence[SystemResult], title: str, notation: MetricNotation
) -> Iterator[ItemColumn[SystemResult]]:
    """Make columns of a metric, of its interval, and of the sample's value where that is another."""
    metric = notation.metric
    yield Column(title, metric=metric), lambda system: Strong(notation.shown(system.estimate(metric)))
    if any(notation.interval(system.estimate(metric)) for system in systems):
        yield Column("interval", priority=5), lambda system: notation.interval(system.estimate(metric))
    if any(notation.in_sample(system.estimate(metric)) for system in systems):
        yield Column("in sample", priority=4), lambda system: notation.in_sample(system.estimate(metric))


# Systems by captured information --------------------------------------------------------------------------------------


def _make_ranking_section(evaluation: Evaluation) -> Section:
    systems = list(evaluation.ranking)
    groups = list(dict.fromkeys(key for system in systems for key in system.group or {}))
    if groups:
        order = list(dict.fromkeys(tuple((system.group or {}).values()) for system in systems))
        systems.sort(key=lambda system: order.index(tuple((system.group or {}).values())))

    def add_metric(title: str, priority: int, metric: str) -> None:
        notation = MetricNotation(metric)
        column = Column(title, priority=priority, metric=metric)
        columns.append((column, lambda system: notation.shown(system.estimate(metric))))

    def add_interval(metric: str, priority: int) -> None:
        if any(system.estimate(metric).low is not None for system in systems):
            column = Column("interval", priority=priority)
            columns.append((column, lambda system: format_interval(system.estimate(metric))))

    def write_sample(system: SystemResult) -> str:
        return MetricNotation("proficiency").in_sample(system.estimate("proficiency"))

    columns: list[ItemColumn[SystemResult]] = [
        *make_group_columns(groups),
        (Column("system", "name"), lambda system: Strong(system.name)),
        (Column("captured", metric="proficiency"), lambda system: Strong(format_share(system.shown("proficiency")))),
    ]
    add_interval("proficiency", 5)
    if any(map(write_sample, systems)):
        columns.append((Column("in sample", priority=4), write_sample))
    columns.append((Column("", "bar", 3), lambda system: ShareBar(system.shown("proficiency") or 0.0)))
    add_metric("false", 7, "false_information_ratio")
    add_metric("erroneous", 4, "erroneous_information_ratio")
    add_metric("accuracy", 8, "accuracy")
    add_interval("accuracy", 3)
    if any(system.number("rejection_rate") for system in systems):
        column = Column("rejected", priority=5, metric="rejection_rate")
        columns.append((column, lambda system: format_share(system.shown("rejection_rate") or 0.0)))
    add_metric("classes left", 2, "remnant_classes")
    columns.append((Column("", "text", 6), find_tag))

    # the systems and groups whose captured information is undefined for one reason together
    by_reason: dict[str, list[str]] = {}
    for system in systems:
        captured = system.estimate("proficiency")
        if captured.shown is None and captured.undefined:
            by_reason.setdefault(captured.undefined, []).append(system.title)
    undefined: list[Phrase] = [
        ("Captured information is undefined for ", *list_names(names, 5), f": {reason}.")
        for reason, names in by_reason.items()
    ]
    ties = list(describe_ties(evaluation))
    rest = f"The same holds for {len(ties) - MAX_TIED} more groups of neighbours."
    table = Table(*tabulate(systems, *columns), search="systems", max_rows=ALL_ROWS)
    title = "Groups, the least informative first" if groups else "Systems, the most informative first"
    sentences = Bullets([*ties[:MAX_TIED], *undefined], ties[MAX_TIED:], rest)
    return Section(title, [table, sentences], only="plain", folded=True)


def _make_spread_section(evaluation: Evaluation, unit: Units) -> Iterator[Section]:
    """Show how metrics vary over the groups, beside what all rows together give."""
    spreads = evaluation.group_spreads
    if not spreads:
        return
    several = len({spread.system for spread in spreads}) > 1

    def write(number: Callable[[GroupSpread], float | None]) -> Callable[[GroupSpread], Cell]:
        return lambda spread: MetricNotation(spread.metric, unit).value(number(spread))

    columns: list[ItemColumn[GroupSpread]] = [
        *([(Column("system", "name"), lambda spread: Strong(spread.system))] if several else []),
        (Column("metric", "text"), lambda spread: catalogue[spread.metric].title_in_sentence),
        *(
            [(Column("all rows"), write(lambda spread: spread.total))]
            if any(spread.total is not None for spread in spreads)
            else []
        ),
        (Column("groups", priority=6), lambda spread: format_count(spread.groups)),
        (Column("mean"), write(lambda spread: spread.mean)),
        (Column("sd"), lambda spread: MetricNotation(spread.metric, unit).spread(spread.sd)),
        (Column("min", priority=7), write(lambda spread: spread.least)),
        (Column("max", priority=7), write(lambda spread: spread.most)),
    ]
    note = "Each group counts once, whatever its size."
    table = Table(*tabulate(spreads, *columns), note=note, max_rows=ALL_ROWS)
    yield Section("Over the groups", [table], "spread", folded=True, aside="mean, spread, least and most")


def find_tag(system: SystemResult) -> str:
    """Return the few words of the first finding that has some, for a column of notes."""
    return next((finding.tag for finding in system.diagnosis if finding.tag), "")


def describe_ties(evaluation: Evaluation) -> Iterator[Phrase]:
    """Say which systems differ significantly in what they capture, row by row; in groups, group by group."""
    comparisons = [] if evaluation.comparison is None else [(evaluation.comparison, "")]
    for part in evaluation.group_comparisons:
        where = ", ".join(f"{key} {value}" for key, value in part.group.items())
        comparisons.append((part.comparison, f"{where}: "))
    for comparison, where in comparisons:
        for ranking in comparison.ranking:
            if ranking.metric != "proficiency":
                continue
            groups: dict[int, list[str]] = {}
            for place in ranking.places:
                for group in place.groups:
                    groups.setdefault(group, []).append(place.name)
            tied = [names for names in groups.values() if len(names) > 1]
            if not tied and len(ranking.contenders) > 1:
                start = f"{where}each" if where else "Each"
                of = " that captures information" if ranking.uninformative else ""
                yield f"{start} system{of} captures significantly more than the next (paired by row, Holm-corrected)."
            for names in tied:
                rest = " do not differ significantly in what they capture (paired by row)."
                yield (where, *list_names(names, 12), rest)


# Sections that only some evaluations have -----------------------------------------------------------------------------


def _make_cost_section(evaluation: Evaluation) -> list[Section]:
    """Show the expected cost, the cheapest system first, and the costliest cells of that one."""
    metric = "expected_cost"
    systems = [system for system in evaluation.systems if metric in system.metrics]
    if not systems:
        return []
    systems.sort(key=lambda system: (system.shown(metric) is None, system.shown(metric) or 0.0))

    def write_cost(system: SystemResult) -> Strong:
        cost = system.shown(metric)
        return Strong(UNDEFINED if cost is None else format_number(cost, ".4g"))

    items: list[ItemColumn[SystemResult]] = [
        (Column("system", "name"), lambda system: Name(system.title)),
        (Column("expected cost", metric=metric), write_cost),
        (Column("interval", priority=5), lambda system: format_interval(system.estimate(metric), 1.0, 4)),
    ]
    if any(system.shown(_RETURN) is not None for system in systems):
        notation = MetricNotation(_RETURN)
        items += [
            (Column("return on investment", metric=_RETURN), lambda system: notation.shown(system.estimate(_RETURN))),
            (Column("interval", priority=4), lambda system: notation.interval(system.estimate(_RETURN))),
        ]
    rows = tabulate(systems, *items)
    tables = [Table(*rows, note="Mean cost of a prediction; the cheapest system first.", search="systems")]
    cheapest = systems[0]
    if cheapest.costs:
        total = cheapest.number(metric) or 0.0
        cells = tabulate(
            cheapest.costs[:MAX_COST_CELLS],
            (Column("true", "name"), lambda cell: Name(cell.truth)),
            (Column("predicted", "name"), lambda cell: Name(cell.system)),
            (Column("samples"), lambda cell: format_count(cell.count)),
            (Column("cost of each"), lambda cell: format_number(cell.cost, "g")),
            (
                Column("share of the cost"),
                lambda cell: (
                    format_share(cell.mean_cost / total)
                    if total > 0 and cell.mean_cost > 0
                    else f"{format_number(cell.mean_cost, '+.4g')} per sample"
                ),
            ),
        )
        note = ("Where the cost of ", Name(cheapest.title), " comes from.")
        tables.append(Table(*cells, note=note, max_rows=ALL_ROWS))
    return [Section("Expected cost", tables, "costs")]


_ORDER_METRICS = (
    "quadratic_weighted_kappa",
    "linear_weighted_kappa",
    "mean_absolute_error",
    "off_by_one_rate",
    "ranked_probability_score",
    "neighbour_loss_share",
)


def _make_order_section(evaluation: Evaluation) -> list[Section]:
    """Show the metrics of ordered classes, one row each, and how far the predictions of the best system are off."""
    systems = [system for system in evaluation.ranking if system.ordinal is not None][:4]
    if not systems:
        return []
    columns = [Column("metric", "name")]
    for system in systems:
        title = system.title if len(systems) > 1 else "value"
        columns += [Column(title), Column("interval", priority=5)]
    rows = []
    for name in _ORDER_METRICS:
        cells: list[Cell] = [catalogue[name].title]
        notation = MetricNotation(name)
        for system in systems:
            estimate = system.estimate(name)
            if estimate.shown is None:
                cells += [UNDEFINED, shorten_reason(estimate.undefined)]
            else:
                cells += [Strong(notation.shown(estimate)), notation.interval(estimate)]
        rows.append(tuple(cells))
    lede: Phrase = (
        "From the lowest to the highest: ",
        *join_phrases(map(Name, systems[0].ordinal or ()), " < "),
        ".",
    )
    blocks: list[Block] = [Paragraph(lede), Table(columns, rows, "Agreement on the order")]
    if (steps := systems[0].count_steps()) is not None:
        total = sum(steps.values())
        counts = tabulate(
            sorted(steps.items()),
            (Column("steps off", "name"), lambda item: format_number(item[0], "+d") if item[0] else "0"),
            (Column("samples"), lambda item: format_count(item[1])),
            (Column("share"), lambda item: format_share(item[1] / total)),
        )
        blocks.append(Table(*counts, "How far predictions are off, minus is too low", max_rows=ALL_ROWS))
    return [Section("Ordered classes", blocks, "order")]


def _make_moments_sections(evaluation: Evaluation, unit: Units) -> Iterator[Section]:
    """Show mean, sd and covariance of entropies and informations, where a Dirichlet prior was stated."""
    several = len(evaluation.systems) > 1
    parts: list[Block | Section] = []
    for system in evaluation.ranking[:MAX_MOMENTS]:
        method, covariance = system.interval_method, system.information_covariance()
        prior = "" if method is None else method.prior or ""
        # frequencies of the truth that are stated, and so do not vary, make another posterior
        if covariance is None or not covariance[0, 0] or not (prior in STATED_PRIORS or prior.endswith("per cell")):
            continue
        rows: list[Sequence[Cell]] = []
        for name, line in zip(INFORMATION, covariance * unit.per_bit**2, strict=True):
            estimate, symbol = system.metrics[name], catalogue[name].symbol
            shown = [format_number(value, ".2e") for value in line[:4].tolist()]
            rows.append((Term(name, symbol), unit.amount(estimate.mean, 4), unit.amount(estimate.sd, 4), *shown))
        columns = [Column("moments", "name"), Column("mean"), Column("sd")]
        columns += [Column(f"with {catalogue[name].symbol}") for name in INFORMATION[:4]]
        note = f"Moments of the posterior in {unit.name}, prior {prior}; with: covariance, in {unit.name}²."
        table = Table(columns, rows, "Moments of entropies and informations", note=note, max_rows=ALL_ROWS)
        parts.append(Section(Name(system.title), [table]) if several else table)
    if parts:
        yield Section("Moments by Wolpert and Wolf", parts, "moments", link="Moments")


def _make_score_section(evaluation: Evaluation, unit: Units) -> list[Section]:
    """Show the thresholds of every system with a score, below one heading."""
    parts: list[Section] = []
    for system in evaluation.ranking:
        sweep = system.scores
        if sweep is None:
            continue
        blocks: list[Block] = []
        if sweep.reversed_class is not None:
            meant, positive = Name(sweep.reversed_class, 40), Name(sweep.positive or "", 40)
            words = ("High scores mean ", meant, ", not ", positive, ": no threshold is recommended.")
            blocks.append(Paragraph(words))
        else:
            curve = Figure(PrecisionRecallDisplay.from_sweep(sweep).panel(), "Precision-recall curve", style="map")
            other = Figure(LiftDisplay.from_sweep(sweep).panel(), "Lift", style="map")
            if sweep.reliability:
                other = Figure(ReliabilityDisplay.from_sweep(sweep).panel(), "Reliability diagram", style="map")
            blocks += [tabulate_choices(sweep.choices, unit), SideBySide([curve], [other])]
        parts.append(Section(("Thresholds of ", Name(system.title)), blocks))
    if not parts:
        return []
    inside = parts[0].blocks if len(evaluation.systems) == 1 else parts
    aside = "the best by each criterion, and curves"
    return [Section("Other thresholds", inside, "thresholds", folded=True, aside=aside)]


def _make_example_sections(systems: Sequence[SystemResult]) -> list[Section]:
    """Show the most frequent confused pairs of each system with their rows, for text and Markdown."""
    parts: list[Section] = []
    for system in systems:
        pairs = system.examples[:MAX_EXAMPLES]
        shown = [Section(write_example_heading(pair), list(make_example_blocks(pair))) for pair in pairs]
        if shown:
            heading: Phrase = ("Example rows of ", Name(system.title)) if len(systems) > 1 else "Example rows"
            parts.append(Section(heading, shown, only="plain"))
    return parts


def write_example_heading(pair: CellExamples) -> Phrase:
    """Write which pair of classes rows are of, and how many of them are shown."""
    is_all = len(pair.rows) >= pair.count
    number = f"all {format_count(pair.count)}" if is_all else f"{len(pair.rows)} of {format_count(pair.count)}"
    shown = "1 row" if pair.count == 1 else f"{number} rows"
    return ("true ", Name(pair.truth), ", predicted ", Name(pair.system), f": {shown}")


def make_example_blocks(pair: CellExamples) -> Iterator[Block]:
    """Make the table of the rows of a confused pair, after the groups in which it is more frequent than elsewhere.

    Rows have their number in the source; those of a cluster have none, and count from 1.
    """
    if pair.searched:
        groups = [
            (
                *(Name(group.column), " is ", Name(group.value)),
                f": {format_share(group.rate)} of the true class, elsewhere {format_share(group.elsewhere)}",
            )
            for group in pair.segments
        ]
        origin: Phrase = ("More often where ", *join_phrases(groups, "; "), ".")
        if not groups:
            origin = ("In no group of ", *join_phrases(map(Name, pair.searched), ", "), " more often than elsewhere.")
        yield Paragraph(origin, quiet=True)

    def write_value(value: Json) -> Cell:
        if isinstance(value, float):
            return f"{value:.6g}"
        return "–" if value is None else Name(str(value), MAX_CHARACTERS)

    names = list(dict.fromkeys(name for row in pair.rows for name in row.values))
    columns = [Column("row", "name"), *(Column(name, "text", folds=True) for name in names)]
    rows: list[Sequence[Cell]] = [
        (f"{place if row.row is None else row.row:,}", *(write_value(row.values.get(name)) for name in names))
        for place, row in enumerate(pair.rows, 1)
    ]
    yield Table(columns, rows, "Rows drawn at random", max_rows=len(rows), whole=True, style="values rows")


# Appendix -------------------------------------------------------------------------------------------------------------


def _make_appendix(evaluation: Evaluation, unit: Units) -> Appendix:
    """Make the table of all metrics, one row each and one column per system, and the sentences on the method."""
    systems = list(evaluation.ranking)[:MAX_COLUMNS]
    every = list(dict.fromkeys(name for system in systems for name in system.metrics))
    names = [name for name in every if any(system.shown(name) is not None for system in systems)]
    by_reason: dict[str, list[str]] = {}
    for name in every:
        if name not in names:
            by_reason.setdefault(str(systems[0].estimate(name).undefined), []).append(name)
    # a page has ids and the sample's values in the same cells; text has them where there is room
    heads = [plain_label(system.title)[:24] for system in systems] if len(systems) > 1 else ["value"]
    columns = [Column("metric", "name", only="page"), *(Column(head, "text", only="page") for head in heads)]
    columns += [Column("metric", "name", only="plain"), Column(heads[0], only="plain")]
    columns += [Column(head, only="plain", priority=3) for head in heads[1:]]
    is_corrected = any(MetricNotation(name, unit).in_sample(systems[0].estimate(name)) for name in names)
    has_sample = len(systems) == 1 and is_corrected
    columns += [Column("in sample", only="plain", priority=5)] * has_sample
    # the class that a metric is about stands in its title, or beside each number where systems have different ones
    classes = {system.positive for system in systems}
    rows: list[Sequence[Cell]] = []
    for name in names:
        card, notation = catalogue.get(name), MetricNotation(name, unit)
        title = name if card is None else card.titled(next(iter(classes)) if len(classes) == 1 else None)
        cells: list[Cell] = []
        plain: list[Cell] = [Term(name, title)]
        for system in systems:
            estimate = system.estimate(name)
            about = card.of_class(system.positive) if card and len(classes) > 1 else ""
            within = notation.interval(estimate)
            reason = shorten_reason(f"undefined: {estimate.undefined}")
            cells.append(reason if estimate.shown is None else f"{notation.whole(estimate)}{about}")
            plain.append(notation.shown(estimate) + f" ({within})" * bool(within) + about)
        sample = [notation.in_sample(systems[0].estimate(name))] * has_sample
        rows.append([(Term(name, title), " ", Code(name)), *cells, *plain, *sample])
    left = len(evaluation.systems) - len(systems)
    notes: list[Phrase] = [f"The best {len(systems)} systems; {left} more are in the downloads below."] if left else []
    for reason, undefined in by_reason.items():
        notes.append(
            tuple(join_phrases(["Undefined here (", shorten_reason(reason), f"): {', '.join(undefined)}."], ""))
        )
    caption = f"Every metric of every system with its interval, information in {unit.name}"
    table = Table(
        columns, rows, caption, note=tuple(join_phrases(notes, " ")), search="metrics", whole=True, style="values every"
    )
    has_intervals = any(value.low is not None for system in evaluation.systems for value in system.metrics.values())
    method: list[Phrase] = [
        "Information is computed from the table of true class × predicted class alone; “captured” is the mutual "
        "information as a fraction of the truth's entropy.",
        "Captured information does not depend on how outputs are named: a system that swaps two names keeps its "
        "score. Accuracy does depend on it; the page says where the two disagree.",
        "Accuracy and the other conventional metrics are those of this sample. Few rows per class make information of "
        "a sample look too high, so it is shown corrected, as the mean of the posterior; the sample's value stands "
        "beside it. Intervals are credible intervals."
        if has_intervals
        else "No intervals are shown, because this evaluation was made without a posterior. With few samples per cell "
        "captured information tends to look too high.",
    ]
    return Appendix(
        sections=[Section(f"All {len(names)} metrics", [table])],
        metrics=[*names, *evaluation.metrics],
        method=method,
    )


def _describe_intervals(evaluation: Evaluation) -> list[str]:
    """Say how intervals were made, once for all systems, and how many samples would halve them, as a range."""
    methods: dict[str, list[int]] = {}
    for interval in (system.interval_method for system in evaluation.systems if system.interval_method is not None):
        more = interval.samples_to_halve
        methods.setdefault(interval.basis, []).extend(() if more is None else (more,))
    return [
        basis + (describe_halving(*sorted({min(more), max(more)})) if more else "") for basis, more in methods.items()
    ]
