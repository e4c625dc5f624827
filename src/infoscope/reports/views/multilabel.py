"""What is shown of multi-label predictors: sentences first, then metrics, reassignments, categories, levels."""

from __future__ import annotations

from collections.abc import Callable, Iterator

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


def _predictor_forest(result: MultilabelEvaluation) -> ComparisonDisplay:
    rows = rows_of({system.name: system.metrics["proficiency"] for system in result.systems})
    return ComparisonDisplay(rows, "Proficiency", noun="predictors")


def _category_forest(result: MultilabelEvaluation) -> ComparisonDisplay:
    """Categories of the first predictor; those that cost most where there are many."""
    known = [item for item in result.systems[0].classes if item.proficiency is not None]
    known.sort(key=lambda item: -(item.missed_share or 0.0))
    rows = [ForestRow(item.label, item.proficiency or 0.0, word=f"of {item.support}") for item in known[:MAX_DRAWN]]
    return ComparisonDisplay(rows, f"Proficiency by category, {result.systems[0].name}", noun="categories")


PICTURES: dict[str, Callable[[MultilabelEvaluation], Display]] = {
    "predictors": _predictor_forest,
    "categories": _category_forest,
}
MAX_DRAWN = 40
MAX_ROWS = 15
_TITLES = {each.name: each.card.title for each in MEASURES} | {
    "chance_proficiency": "Proficiency by chance, in this sample",
    "adjusted_proficiency": "Proficiency beyond chance, in this sample",
    "joint_proficiency": "Joint proficiency (whole sets)",
}
_TILES = ("proficiency", "permuted_proficiency", "micro_f1", "object_f1")


def outline(result: MultilabelEvaluation, unit: Units) -> Outline:
    """The best predictor first; all of them in turn after that."""
    ranked = [result[name] for name in result.ranking] or list(result.systems)
    best, several = ranked[0], len(ranked) > 1
    return Outline(
        title=f"{best.name}: {format_share(best.metrics['proficiency'].shown, 0)} captured",
        kicker=(
            "Multi-label",
            f"{format_count(max(result.objects, best.n))} objects",
            f"{len(best.categories):,} categories",
        ),
        headline=_headline(best, len(ranked)),
        tiles=list(_tiles(best)),
        findings=[(system.name if several else "", finding) for system in ranked for finding in system.diagnosis],
        sections=[
            *([_differences(result)] if result.pairs else []),
            *(_predictor(system, unit, at) for at, system in enumerate(ranked)),
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


def _headline(system: Predictor, many: int) -> Phrase:
    found = system.metrics["proficiency"]
    if found.shown is None:
        return (Name(system.name), f": captured information is undefined: {found.undefined}.")
    rank = f", the most of {many} predictors" if many > 1 else ""
    return (
        Name(system.name, 48),
        f" captures {format_share_with_interval(found)} of the information in ",
        Name(system.truth_name, 48),
        f"{rank}{describe_sample_value(found, 'few objects per category')}.",
    )


def _tiles(system: Predictor) -> Iterator[Tile]:
    for name in _TILES:
        yield Tile.from_estimate(system.metrics[name], MetricNotation(name), _TITLES[name])


def _predictor(system: Predictor, unit: Units, at: int) -> Section:
    heading = (Name(system.name), " against ", Name(system.truth_name))
    aside = f"{format_count(system.n)} objects, {len(system.categories):,} categories"
    blocks: list[Block | Section] = [_metrics(system), _label_sets(system)]
    blocks += _reassigned(system) if system.reassignments else []
    blocks.append(_categories(system))
    blocks += [_level(level, unit) for level in system.levels]
    return Section(heading, blocks, f"predictor-{at}", link=system.name[:30], aside=aside)


def _metrics(system: Predictor) -> Table:
    def spread(name: str) -> str:
        halves = system.stability.get(name)
        return MetricNotation(name).spread(halves.sd) if halves else ""

    corrected = (
        (Column("interval", priority=8), lambda name: MetricNotation(name).interval(system.metrics[name])),
        (Column("in sample", priority=4), lambda name: MetricNotation(name).in_sample(system.metrics[name])),
    )
    rows = tabulate(
        system.metrics,
        (Column("metric", "text", 9), lambda name: _TITLES[name]),
        (Column("value"), lambda name: Strong(MetricNotation(name).shown(system.metrics[name]))),
        *(corrected if system.draws else ()),
        *([(Column("sd of halves", priority=3), spread)] if system.stability else []),
        (Column("id", "text", 2), lambda name: (Code(name),)),
    )
    note = (
        "Few objects per category inflate information, so it is corrected: what drawing objects again adds is taken "
        "off, and the value of this sample stands beside it. Other metrics are those of this sample."
        if system.draws
        else "Values of this sample (maximum likelihood); few objects per category inflate information."
    )
    return Table(*rows, title="Metrics", note=f"{note}{_reasons(system)}", search="metrics", max_rows=ALL_ROWS)


def _reasons(system: Predictor) -> str:
    """Why some numbers do not exist, each reason once."""
    by_reason: dict[str, list[str]] = {}
    for name, estimate in system.metrics.items():
        if estimate.undefined:
            by_reason.setdefault(estimate.undefined, []).append(_TITLES[name])
    return "".join(f" Undefined ({', '.join(titles)}): {why}." for why, titles in by_reason.items())


def _label_sets(system: Predictor) -> Table:
    rows = tabulate(
        system.label_sets.items(),
        (Column("label sets", "name"), lambda each: each[0].replace("_", " ")),
        (Column("mean"), lambda each: f"{each[1].mean:.2f}"),
        (Column("sd"), lambda each: f"{each[1].sd:.2f}"),
        (Column("min"), lambda each: "" if each[1].least is None else format_count(each[1].least)),
        (Column("max"), lambda each: "" if each[1].most is None else format_count(each[1].most)),
    )
    return Table(*rows)


def _reassigned(system: Predictor) -> list[Block]:
    rows = tabulate(
        system.reassignments,
        (Column(f"{system.truth_name} used", "name"), lambda each: Name(each.truth)),
        (Column(f"{system.name} used", "name"), lambda each: Name(each.system)),
        (Column("captured"), lambda each: format_share(each.proficiency)),
        (Column("together"), lambda each: format_count(each.joint)),
        (Column("expected", priority=5), lambda each: f"{each.expected:.1f}"),
        (Column("p", priority=4), lambda each: format_p_value(each.p_value)),
        (Column("association", "text", 3), lambda each: each.association),
    )
    title = "Reassigned by the best renaming (ties go to the category's own name)"
    hints = [f"{each.sentence(system.truth_name, system.name)}." for each in system.reassignments if each.finding]
    none = "None of these is beyond chance, so none is a finding; a negative pair is never a renaming."
    return [
        Table(*rows, title=title, search="categories", max_rows=MAX_ROWS),
        Bullets(hints) if hints else Paragraph(none, quiet=True),
    ]


def _categories(system: Predictor) -> Table:
    rows = tabulate(
        sorted(system.classes, key=lambda each: -(each.missed_share or 0.0)),
        (Column("category", "name"), lambda each: Name(each.label)),
        (Column("captured"), lambda each: format_share(each.proficiency)),
        (Column("missed share", priority=7), lambda each: format_share(each.missed_share)),
        (Column("true", priority=4), lambda each: format_count(each.support)),
        (Column("predicted", priority=3), lambda each: format_count(each.declared)),
        (Column("both", priority=2), lambda each: format_count(each.both)),
        (Column("precision", priority=6), lambda each: format_share(each.precision.shown)),
        *([(Column("interval", priority=5), lambda each: format_interval(each.precision))] if system.draws else []),
        (Column("recall", priority=6), lambda each: format_share(each.recall.shown)),
        *([(Column("interval", priority=5), lambda each: format_interval(each.recall))] if system.draws else []),
    )
    title = "Categories that miss the most information, in this sample"
    return Table(*rows, title=title, search="categories", max_rows=MAX_ROWS)


def _level(level: Level, unit: Units) -> Section:
    sentence = (
        f"{level.categories} categories hold {unit.amount(level.truth_bits)} {unit.name} "
        f"({format_share(level.lost_share)} lost against the deepest); {format_share(level.metrics['proficiency'])} "
        f"captured, micro F1 {format_share(level.metrics['micro_f1'])}."
    )
    costs = [
        (Name(each.parent), f" ({each.children} children): {unit.amount(each.lost_bits, 3)} {unit.name}")
        for each in level.costliest[:5]
        if each.lost_bits > 0
    ]
    blocks: list[Block] = [Paragraph(sentence)]
    return Section(f"Rolled up to depth {level.depth}", [*blocks, Bullets(costs)] if costs else blocks)


def _value(result: MultilabelEvaluation) -> Callable[[str, str], float | None]:
    return lambda name, metric: result[name].metrics[metric].shown


def _differences(result: MultilabelEvaluation) -> Section:
    rows = tabulate(result.pairs, *make_difference_columns(lambda each: _TITLES[each.metric], _value(result)))
    aside = "" if result.common_objects is None else f"on {format_count(result.common_objects)} common objects"
    alone = "Each verdict is about its pair alone." if len(result.systems) > 2 else ""
    table = Table(*rows, note=alone, search="pairs", max_rows=ALL_ROWS)
    return Section("Differences", [table], "differences", aside=aside)
