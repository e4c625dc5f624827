"""Show multi-label predictors: sentences first, then metrics, reassignments, categories, levels."""

from __future__ import annotations

from collections.abc import Callable

from infoscope.core.markup import pluralize
from infoscope.figures.comparison import ComparisonDisplay, ForestRow, rows_of
from infoscope.figures.display import Display
from infoscope.reports.outline import (
    ALL_ROWS,
    Appendix,
    Block,
    Bullets,
    Code,
    Column,
    Name,
    Outline,
    Paragraph,
    Phrase,
    Section,
    Strong,
    Table,
    Tile,
)
from infoscope.reports.shared import make_difference_columns, tabulate
from infoscope.results.notation import (
    MetricNotation,
    Units,
    describe_sample_value,
    format_count,
    format_interval,
    format_p_value,
    format_share,
    format_share_with_interval,
)
from infoscope.studies.multilabel import MEASURES, Level, MultilabelEvaluation, Predictor


def _make_category_forest(result: MultilabelEvaluation) -> ComparisonDisplay:
    """Show categories of the first predictor; those that cost most where there are many."""
    categories = [item for item in result.systems[0].classes if item.proficiency is not None]
    categories.sort(key=lambda item: -(item.missed_share or 0.0))
    rows = [
        ForestRow(item.label, item.proficiency or 0.0, word=f"of {item.support}") for item in categories[:MAX_DRAWN]
    ]
    return ComparisonDisplay(rows, f"Proficiency by category, {result.systems[0].name}", noun="categories")


PICTURES: dict[str, Callable[[MultilabelEvaluation], Display]] = {
    "predictors": lambda result: ComparisonDisplay(
        rows_of({system.name: system.metrics["proficiency"] for system in result.systems}),
        "Proficiency",
        noun="predictors",
    ),
    "categories": _make_category_forest,
}
MAX_DRAWN = 40
MAX_ROWS = 15
_TITLES = {item.name: item.card.title for item in MEASURES} | {
    "chance_proficiency": "Proficiency by chance, in this sample",
    "adjusted_proficiency": "Proficiency beyond chance, in this sample",
    "joint_proficiency": "Joint proficiency (whole sets)",
}
_TILES = ("proficiency", "permuted_proficiency", "micro_f1", "object_f1")


def outline(result: MultilabelEvaluation, unit: Units) -> Outline:
    """Write the outline: the best predictor first, all of them in turn after that."""
    ranked = [result[name] for name in result.ranking] or list(result.systems)
    best, several = ranked[0], len(ranked) > 1
    return Outline(
        title=f"{best.name}: {format_share(best.metrics['proficiency'].shown, 0)} captured",
        kicker=(
            "Multi-label",
            pluralize(max(result.objects, best.n), "object"),
            "1 category" if len(best.categories) == 1 else f"{len(best.categories):,} categories",
        ),
        headline=_write_headline(best, len(ranked)),
        tiles=[Tile.from_estimate(best.metrics[name], MetricNotation(name), _TITLES[name]) for name in _TILES],
        findings=[(system.name if several else "", finding) for system in ranked for finding in system.diagnosis],
        sections=[
            *([_make_difference_section(result)] if result.pairs else []),
            *(_make_predictor_section(system, unit, position) for position, system in enumerate(ranked)),
        ],
        appendix=Appendix(
            metrics=list(best.metrics),
            domain="label_sets",
            method=(
                "Information is summed category by category; renaming finds the best one-to-one assignment of "
                "predicted to true categories.",
                *[
                    f"{result.level:.0%} intervals come from drawing objects with replacement ({best.draws:,} times), "
                    "reflected to correct the bias of few samples."
                ][: best.draws],
            ),
        ),
    )


def _write_headline(system: Predictor, many: int) -> Phrase:
    captured = system.metrics["proficiency"]
    if captured.shown is None:
        return (Name(system.name), f": captured information is undefined: {captured.undefined}.")
    rank = f", the most of {many} predictors" if many > 1 else ""
    return (
        Name(system.name, 48),
        f" captures {format_share_with_interval(captured)} of the information in ",
        Name(system.truth_name, 48),
        f"{rank}{describe_sample_value(captured, 'few objects per category')}.",
    )


def _make_predictor_section(system: Predictor, unit: Units, position: int) -> Section:
    heading = (Name(system.name), " against ", Name(system.truth_name))
    aside = f"{pluralize(system.n, 'object')}, {len(system.categories):,} categories"
    label_sets = tabulate(
        system.label_sets.items(),
        (Column("label sets", "name"), lambda item: item[0].replace("_", " ")),
        (Column("mean"), lambda item: f"{item[1].mean:.2f}"),
        (Column("sd"), lambda item: f"{item[1].sd:.2f}"),
        (Column("min"), lambda item: "" if item[1].least is None else format_count(item[1].least)),
        (Column("max"), lambda item: "" if item[1].most is None else format_count(item[1].most)),
    )
    blocks: list[Block | Section] = [_tabulate_metrics(system), Table(*label_sets)]
    if system.reassignments:
        reassignments = tabulate(
            system.reassignments,
            (Column(f"{system.truth_name} used", "name"), lambda item: Name(item.truth)),
            (Column(f"{system.name} used", "name"), lambda item: Name(item.system)),
            (Column("captured"), lambda item: format_share(item.proficiency)),
            (Column("true", priority=4), lambda item: format_count(item.truth_count)),
            (Column("predicted", priority=4), lambda item: format_count(item.system_count)),
            (Column("together"), lambda item: format_count(item.joint)),
            (Column("expected", priority=5), lambda item: f"{item.expected:.1f}"),
            (Column("p", priority=4), lambda item: format_p_value(item.p_value)),
            (Column("association", "text", 3), lambda item: item.association),
        )
        moved = format_count(len(system.reassignments))
        title = f"{moved} categories reassigned by the best renaming (ties go to the category's own name)"
        hints = [f"{item.sentence(system.truth_name, system.name)}." for item in system.reassignments if item.finding]
        none = "None of these is beyond chance, so none is a finding; a negative pair is never a renaming."
        blocks.append(Table(*reassignments, title=title, search="categories", max_rows=MAX_ROWS))
        blocks.append(Bullets(hints) if hints else Paragraph(none, quiet=True))
    blocks.append(_tabulate_categories(system))
    blocks += [_make_level_section(level, unit) for level in system.levels]
    return Section(heading, blocks, f"predictor-{position}", link=system.name[:30], aside=aside)


def _tabulate_metrics(system: Predictor) -> Table:
    halves = {
        name: MetricNotation(name).spread(system.stability[name].sd) if system.stability.get(name) else ""
        for name in system.metrics
        if system.stability
    }
    corrected = (
        (Column("interval", priority=8), lambda name: MetricNotation(name).interval(system.metrics[name])),
        (Column("in sample", priority=4), lambda name: MetricNotation(name).in_sample(system.metrics[name])),
    )
    rows = tabulate(
        system.metrics,
        (Column("metric", "text", 9), lambda name: _TITLES[name]),
        (Column("value"), lambda name: Strong(MetricNotation(name).shown(system.metrics[name]))),
        *(corrected if system.draws else ()),
        *([(Column("sd of halves", priority=3), halves.__getitem__)] if halves else []),
        (Column("id", "text", 2), lambda name: (Code(name),)),
    )
    note = (
        "Few objects per category inflate information, so it is corrected: what drawing objects again adds is taken "
        "off, and the value of this sample stands beside it. Other metrics are those of this sample."
        if system.draws
        else "Values of this sample (maximum likelihood); few objects per category inflate information."
    )
    by_reason: dict[str, list[str]] = {}
    for name, estimate in system.metrics.items():
        if estimate.undefined:
            by_reason.setdefault(estimate.undefined, []).append(_TITLES[name])
    note += "".join(f" Undefined ({', '.join(titles)}): {reason}." for reason, titles in by_reason.items())
    return Table(*rows, title="Metrics", note=note, search="metrics", max_rows=ALL_ROWS)


def _tabulate_categories(system: Predictor) -> Table:
    rows = tabulate(
        sorted(system.classes, key=lambda item: -(item.missed_share or 0.0)),
        (Column("category", "name"), lambda item: Name(item.label)),
        (Column("captured"), lambda item: format_share(item.proficiency)),
        (Column("missed share", priority=7), lambda item: format_share(item.missed_share)),
        (Column("true", priority=4), lambda item: format_count(item.support)),
        (Column("predicted", priority=3), lambda item: format_count(item.declared)),
        (Column("both", priority=2), lambda item: format_count(item.both)),
        (Column("precision", priority=6), lambda item: format_share(item.precision.shown)),
        *([(Column("interval", priority=5), lambda item: format_interval(item.precision))] if system.draws else []),
        (Column("recall", priority=6), lambda item: format_share(item.recall.shown)),
        *([(Column("interval", priority=5), lambda item: format_interval(item.recall))] if system.draws else []),
    )
    title = "Categories that miss the most information, in this sample"
    return Table(*rows, title=title, search="categories", max_rows=MAX_ROWS)


def _make_level_section(level: Level, unit: Units) -> Section:
    sentence = (
        f"{level.categories} categories hold {unit.amount(level.truth_bits)} {unit.name} "
        f"({format_share(level.lost_share)} lost against the deepest); {format_share(level.metrics['proficiency'])} "
        f"captured, micro F1 {format_share(level.metrics['micro_f1'])}."
    )
    costs = [
        (Name(item.parent), f" ({item.children} children): {unit.amount(item.lost_bits, 3)} {unit.name}")
        for item in level.costliest[:5]
        if item.lost_bits > 0
    ]
    blocks: list[Block] = [Paragraph(sentence)]
    return Section(f"Rolled up to depth {level.depth}", [*blocks, Bullets(costs)] if costs else blocks)


def _make_difference_section(result: MultilabelEvaluation) -> Section:
    rows = tabulate(
        result.pairs,
        *make_difference_columns(
            lambda item: _TITLES[item.metric], lambda name, metric: result[name].metrics[metric].shown
        ),
    )
    aside = "" if result.common_objects is None else f"on {format_count(result.common_objects)} common objects"
    alone = "Each verdict is about its pair alone." if len(result.systems) > 2 else ""
    table = Table(*rows, note=alone, search="pairs", max_rows=ALL_ROWS)
    return Section("Differences", [table], "differences", aside=aside)
