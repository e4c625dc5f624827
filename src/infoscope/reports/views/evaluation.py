"""What is shown of an evaluation: what the systems capture, what to fix, how they compare."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from infoscope.core.markup import counted
from infoscope.errors import InputError
from infoscope.figures.display import Display
from infoscope.figures.layout import plain_label
from infoscope.reports.outline import (
    ALL_ROWS,
    Appendix,
    Bullets,
    Cell,
    Column,
    Explorer,
    InformationBar,
    Outline,
    Section,
    ShareBar,
    SideBySide,
    Table,
    Tile,
)
from infoscope.reports.parts.chosen_metrics import chosen_section, chosen_tiles
from infoscope.reports.parts.classes import class_tables, confused_pairs
from infoscope.reports.parts.evaluation_sections import (
    all_metrics,
    cost_section,
    examples_section,
    order_section,
    score_sections,
)
from infoscope.reports.parts.item_tables import group_columns, listed
from infoscope.reports.parts.judge import judge_section
from infoscope.reports.parts.maps import (
    confusion_display,
    coverage_display,
    coverage_points,
    grid_display,
    grid_section,
    split_display,
    triangle_display,
    triangle_points,
)
from infoscope.reports.parts.metric_choice import metric_choices
from infoscope.reports.parts.verdict import only_label, opening_sentences, system_tiles
from infoscope.reports.phrases import Name, Phrase, Strong, enumerated
from infoscope.results.finding import Finding
from infoscope.results.notation import MetricNotation, Units, format_count, format_interval, format_share
from infoscope.studies.compare import Ranking
from infoscope.studies.evaluate import Evaluation, SystemResult
from infoscope.studies.evaluate.result import halving
from infoscope.tables.column_kinds import asked_positive

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
    rows = listed(
        systems,
        *group_columns(groups),
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
        yield ("Captured information is undefined for ", *enumerated(names, 5), f": {reason}.")


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
            yield (where, *enumerated(names, 12), " do not differ significantly in what they capture (paired by row).")


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
