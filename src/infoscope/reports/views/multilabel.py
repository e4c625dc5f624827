"""Show multi-label predictors: sentences first, then metrics, reassignments, categories, levels."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

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
    Inline,
    Name,
    Outline,
    Paragraph,
    Phrase,
    Section,
    Strong,
    SystemValue,
    Table,
    Tile,
)
from infoscope.reports.shared import make_difference_columns, tabulate
from infoscope.results.estimate import Difference
from infoscope.results.notation import (
    MetricNotation,
    Units,
    format_count,
    format_interval,
    format_p_value,
    format_share,
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
FIRST = ("micro_f1", "macro_f1", "proficiency")
"""Metrics whose differences are on the first screen."""
_WORDS = {"micro_f1": "micro F1", "macro_f1": "macro F1", "proficiency": "captured"}
MAX_COSTLY = 5
"""Categories on the first screen."""
FAMILIAR = {
    "micro_f1": "micro F1",
    "macro_f1": "macro F1",
    "micro_precision": "micro precision",
    "micro_recall": "micro recall",
}
"""Metrics of the field, in the order of the first screen."""


def outline(result: MultilabelEvaluation, unit: Units) -> Outline:
    """Write the outline: the best predictor first, all of them in turn after that."""
    ranked = sorted(result.systems, key=lambda system: -(system.metrics["micro_f1"].shown or 0.0))
    best, several = ranked[0], len(ranked) > 1
    differences = [
        pair if ranked.index(result[pair.a]) < ranked.index(result[pair.b]) else pair.reversed()
        for pair in result.pairs
    ]
    ahead = [pair for pair in differences if pair.a == best.name and pair.metric in FIRST]
    return Outline(
        title=f"{best.name}: micro F1 {format_share(best.metrics['micro_f1'].shown)}",
        kicker=(
            pluralize(max(result.objects, best.n), "object"),
            "1 category" if len(best.categories) == 1 else f"{len(best.categories):,} categories",
            *([f"{len(ranked)} predictors"] if several else []),
        ),
        headline=_write_headline(ranked, ahead),
        lede=list(_write_lede(ranked, ahead)),
        tiles=list(_make_tiles(ranked)),
        findings=[
            (system.name if several else "", finding)
            for system in ranked
            for finding in system.diagnosis
            if system is best or finding not in best.diagnosis
        ],
        sections=[
            *([_make_difference_section(result, ahead, folded=False)] if ahead else []),
            _make_cost_section(best),
            *([_make_difference_section(result, differences, folded=True)] if differences else []),
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


def _write_headline(ranked: Sequence[Predictor], ahead: Sequence[Difference]) -> Phrase:
    """Write the familiar numbers and what is captured; of several predictors, by how much the first is ahead."""
    best = ranked[0]
    captured = best.metrics["proficiency"]
    if captured.shown is None:
        return (Name(best.name), f": captured information is undefined: {captured.undefined}.")
    micro, macro = (MetricNotation(name).shown(best.metrics[name]) for name in ("micro_f1", "macro_f1"))
    within = MetricNotation("micro_f1").interval(best.metrics["micro_f1"])
    carried = f"captures {format_share(captured.shown)} of the information in "
    truth = Name(best.truth_name, 48)
    if len(ranked) == 1:
        numbers = f"a micro F1 of {micro}{f' ({within})' * bool(within)} and a macro F1 of {macro}"
        return (Name(best.name, 48), f" has {numbers}, and {carried}", truth, ".")
    second = ranked[1].name
    by_metric = {pair.metric: pair for pair in ahead if pair.b == second}
    is_best = "micro_f1" in by_metric and by_metric["micro_f1"].verdict == "better"
    first = f" is the best of {len(ranked)} predictors" if is_best else f" is first of {len(ranked)}, not significantly"
    return (
        Name(best.name, 48),
        f"{first}: its micro F1 is {micro}, ",
        *_compare_with(by_metric.get("micro_f1"), best, ranked[1]),
        ".",
    )


def _write_lede(ranked: Sequence[Predictor], ahead: Sequence[Difference]) -> Iterator[Phrase]:
    """Write what the first of several predictors captures, and by how much that is more or less than the second."""
    if len(ranked) < 2 or ranked[0].metrics["proficiency"].shown is None:
        return
    pair = next((pair for pair in ahead if pair.b == ranked[1].name and pair.metric == "proficiency"), None)
    carried = f"It captures {format_share(ranked[0].metrics['proficiency'].shown)} of the information in "
    yield (carried, Name(ranked[0].truth_name, 48), ", ", *_compare_with(pair, ranked[0], ranked[1]), ".")


def _compare_with(pair: Difference | None, best: Predictor, other: Predictor) -> tuple[Inline, ...]:
    """Write by how many points the first is ahead of another, or behind it."""
    name = Name(other.name, 32)
    if pair is None or pair.estimate.shown is None:
        return ("that of ", name, " is undefined")
    notation = MetricNotation(pair.metric)
    gap = notation.gap(pair.estimate, best.metrics[pair.metric].shown, other.metrics[pair.metric].shown)
    within = f" ({notation.signed_interval(pair.estimate)})" if pair.estimate.interval else ""
    unsure = ", no significant difference" if pair.verdict == "inconclusive" else ""
    return (f"{abs(100 * gap):.1f} points {'more' if gap >= 0 else 'less'} than ", name, f"{within}{unsure}")


def _make_tiles(ranked: Sequence[Predictor]) -> Iterator[Tile]:
    """Show the metrics of the field beside what random sets would show, then what is captured."""
    metrics = ranked[0].metrics

    def make(name: str, word: str, note: str, baseline: float | None = None) -> Tile:
        notation = MetricNotation(name)
        tile = Tile.from_estimate(metrics[name], notation, word, note)
        values = [SystemValue.from_estimate(each.name, each.metrics[name], notation) for each in ranked]
        return replace(tile, systems=values if len(ranked) > 1 else (), baseline=baseline)

    for name, word in FAMILIAR.items():
        chance = metrics.get(name.replace("micro", "random"), metrics["random_f1"]) if name != "macro_f1" else None
        note = "rare categories weigh as much" if chance is None else f"random sets {format_share(chance.shown)}"
        yield make(name, word, note, None if chance is None else chance.shown)
    yield make("proficiency", "captured", f"random sets {format_share(metrics['chance_proficiency'].shown)}")


def _make_cost_section(system: Predictor) -> Section:
    """Show the categories that miss the most information."""
    title = ("Categories that cost ", Name(system.name, 30), " most")
    rows = tabulate(
        sorted(system.classes, key=lambda item: -(item.missed_share or 0.0)),
        (Column("category", "name"), lambda item: Name(item.label, 40)),
        (Column("missed share", priority=8), lambda item: format_share(item.missed_share)),
        (Column("recall"), lambda item: format_share(item.recall.shown)),
        (Column("precision"), lambda item: format_share(item.precision.shown)),
        (Column("true", priority=6), lambda item: format_count(item.support)),
        (Column("predicted", priority=5), lambda item: format_count(item.declared)),
    )
    table = Table(*rows, "Categories that miss most", search="categories", max_rows=MAX_COSTLY)
    return Section(title, [table], "costly", link="Categories")


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
    return Section(heading, blocks, f"predictor-{position}", link=system.name[:30], aside=aside, folded=True)


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


def _make_difference_section(
    result: MultilabelEvaluation, differences: Sequence[Difference], *, folded: bool
) -> Section:
    rows = tabulate(
        differences,
        *make_difference_columns(
            lambda item: _TITLES[item.metric] if folded else _WORDS[item.metric],
            lambda name, metric: result[name].metrics[metric].shown,
        ),
    )
    aside = "" if result.common_objects is None else f"on {format_count(result.common_objects)} common objects"
    alone = "Each verdict is about its pair alone." if len(result.systems) > 2 else ""
    table = Table(*rows, note=alone, search="pairs", max_rows=ALL_ROWS)
    title, anchor = ("All differences", "all-differences") if folded else ("Differences", "differences")
    return Section(title, [table], anchor, aside=aside, folded=folded)
