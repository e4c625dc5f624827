"""Show scores by group: the total, how the groups vary, and every group, the largest first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from infoscope.core.markup import pluralize
from infoscope.figures.comparison import ComparisonDisplay, ForestRow
from infoscope.figures.display import Display
from infoscope.reports.outline import ALL_ROWS, Appendix, Cell, Column, Name, Outline, Row, Section, Strong, Table, Tile
from infoscope.reports.shared import tabulate
from infoscope.results.estimate import Estimate
from infoscope.results.notation import (
    UNDEFINED,
    Units,
    format_count,
    format_interval,
    format_number,
    format_share,
    state_p_value,
)
from infoscope.studies.score_groups import ScoreColumn, ScoreGroup, ScoreGroups
from infoscope.studies.scores import NO_PROBABILITIES, SUMMARY_WORDS, ScoreSummary

MAX_DRAWN = 40
MAX_ENDS = 4
"""Groups at either end in the table of the first screen."""
MAX_TILES = 5
DIFFERENT = 0.05
"""P-value from which on groups are not said to differ."""
_SHOWN = (
    "prevalence",
    "mean_score",
    "over_prediction",
    "log_loss",
    "normalized_log_loss",
    "brier_score",
    "normalized_brier_score",
    "lift_quality",
    "best_lift",
)
_SHARES = {
    "prevalence",
    "mean_score",
    "mean_score_of_positives",
    "mean_score_of_negatives",
    "over_prediction",
    "normalized_log_loss",
    "normalized_brier_score",
    "lift_quality",
    "best_lift_share",
}
_COUNTS = {"samples", "positives", "sure_false_positives", "sure_false_negatives"}


def _make_forest(result: ScoreGroups) -> ComparisonDisplay:
    defined = [item for item in result.groups if item.summary.lift_quality is not None][:MAX_DRAWN]
    rows = [
        ForestRow(
            ", ".join(item.group), item.summary.lift_quality or 0.0, word=f"of {format_count(item.summary.samples)}"
        )
        for item in defined
    ]
    return ComparisonDisplay(rows, "Lift quality", noun="groups")


PICTURES: dict[str, Callable[[ScoreGroups], Display]] = {"groups": _make_forest}


_INFINITE = (
    "The perplexity is infinite because a true class was given a probability of 0, which the log loss counts as 2⁻⁵²."
)


def format_summary_number(name: str, value: float | None) -> str:
    """Format a number of a summary."""
    if value is None:
        return UNDEFINED
    if name in _COUNTS:
        return format_count(value)
    return format_share(value) if name in _SHARES else format_number(value, ".4f")


def tabulate_summary(summary: ScoreSummary) -> Table:
    """Tabulate every number that exists, one per row."""
    infinite = {"perplexity"} if summary.log_loss is not None and summary.perplexity is None else set()
    rows = [
        (word, Strong("∞" if name in infinite else format_summary_number(name, value)))
        for name, word in SUMMARY_WORDS.items()
        if (value := getattr(summary, name)) is not None or name in infinite
    ]
    note = NO_PROBABILITIES if summary.log_loss is None else _INFINITE if infinite else ""
    return Table([Column("number", "name"), Column("value")], rows, note=note, max_rows=ALL_ROWS)


def outline(result: ScoreGroups, _unit: Units) -> Outline:
    """Write the outline: how well the score ranks in all rows, then the groups where it ranks best and worst."""
    total = result.total
    return Outline(
        title=f"{', '.join(column.score for column in result.columns)} by {', '.join(result.by)}",
        kicker=(
            f"{format_count(total.samples)} samples, {format_count(total.positives)} of them '{result.positive}'",
            pluralize(len(result), "group"),
        ),
        headline=" ".join(map(_write_headline, result.columns)),
        tiles=[
            *(
                Tile(
                    _format_area(column.total),
                    f"ROC AUC of {column.score}" if result.others else "ROC AUC",
                    _format_area_interval(column.total),
                    "chance 50.0%",
                    baseline=0.5,
                )
                for column in result.columns[:MAX_TILES]
            ),
            *([] if result.others else _make_probability_tiles(total)),
        ],
        sections=[section for column in result.columns for section in _make_sections(result, column)],
        appendix=Appendix(
            metrics=[],
            method=(
                "Log loss is in nats; the normalized losses are 1 − loss over that of always stating the group's own "
                "prevalence.",
                "Lift quality is 2·AUC − 1; the best lift is taken where the curve of gains is farthest above chance.",
                "Statistics count each group once, whatever its size. Intervals of the areas are DeLong's, by "
                "Student's t on the scale of log odds, each group by itself.",
            ),
        ),
    )


def _format_area(summary: ScoreSummary) -> str:
    return format_share(summary.roc_auc)


def _format_area_interval(summary: ScoreSummary) -> str:
    return format_interval(Estimate(summary.roc_auc, low=summary.roc_auc_low, high=summary.roc_auc_high))


def _make_probability_tiles(total: ScoreSummary) -> Iterator[Tile]:
    if total.mean_score is not None:
        yield Tile(
            format_summary_number("mean_score", total.mean_score),
            "mean score",
            note=f"{format_share(total.prevalence)} are positive",
        )
    for name, normalized in (("log_loss", total.normalized_log_loss), ("brier_score", total.normalized_brier_score)):
        if (loss := getattr(total, name)) is not None and normalized is not None:
            number = format_summary_number(name, loss)
            yield Tile(number, SUMMARY_WORDS[name], note=f"{format_share(normalized)} below the prevalence's")


def _write_headline(column: ScoreColumn) -> str:
    ranked = _rank_groups(column)
    if column.total.roc_auc is None or not ranked:
        return f"{column.score} over {len(column.groups):,} groups: all samples are of one class."
    sentence = f"{column.score} ranks positives above negatives with a ROC AUC of {_format_area(column.total)}"
    if len(ranked) == 1:
        return f"{sentence}."
    worst, best = ranked[0], ranked[-1]
    ends = (
        f"from {_format_area(worst.summary)} in {', '.join(worst.group)} to {_format_area(best.summary)} in "
        f"{', '.join(best.group)}"
    )
    p_value = column.roc_auc_p_value
    if p_value is None:
        return f"{sentence}, {ends}."
    if p_value > DIFFERENT:
        return f"{sentence}; its groups do not differ significantly ({ends}; {state_p_value(p_value)})."
    return f"{sentence}; its groups differ: {ends} ({state_p_value(p_value)})."


def _rank_groups(column: ScoreColumn) -> list[ScoreGroup]:
    """Return the groups with both classes, the worst ranked first."""
    both = [group for group in column.groups if group.summary.roc_auc is not None]
    return sorted(both, key=lambda group: group.summary.roc_auc or 0.0)


def _make_sections(result: ScoreGroups, column: ScoreColumn) -> Iterator[Section]:
    """Show the groups at both ends, then, folded, every group and how the numbers vary over them."""
    place = [each.score for each in result.columns].index(column.score)
    of, end = ((": ", Name(column.score)) if result.others else (), f"-{place}" if place else "")
    heads = [Column("number", "name"), *map(Column, ("groups", "mean", "sd", "min", "max", "above 0"))]
    statistics: list[Sequence[Cell]] = []
    for name, spread in column.statistics.items():
        if name in SUMMARY_WORDS and name != "best_lift_threshold":
            values = (spread.mean, spread.sd, spread.least, spread.most)
            numbers = [format_summary_number(name, value) for value in values]
            statistics.append((SUMMARY_WORDS[name], f"{spread.groups:,}", *numbers, f"{spread.above_zero:,}"))
    ranked = _rank_groups(column)
    picked = ranked if len(ranked) <= 2 * MAX_ENDS else [*ranked[:MAX_ENDS], *ranked[-MAX_ENDS:]]
    left = len(ranked) - len(picked)
    groups = tabulate(
        picked,
        *((Column(name, "name"), lambda item, at=at: Name(item.group[at])) for at, name in enumerate(result.by)),
        (Column("samples"), lambda item: format_count(item.summary.samples)),
        (Column("positives", priority=6), lambda item: format_count(item.summary.positives)),
        (Column("ROC AUC"), lambda item: Strong(_format_area(item.summary))),
        (Column("interval", priority=8), lambda item: _format_area_interval(item.summary)),
        (Column("mean score", priority=5), lambda item: format_summary_number("mean_score", item.summary.mean_score)),
        (Column("positive", priority=5), lambda item: format_share(item.summary.prevalence)),
    )
    note = f"The {MAX_ENDS} worst and the {MAX_ENDS} best; {left:,} more are between them." if left else ""
    table = Table(*groups, note=note, max_rows=ALL_ROWS)
    yield Section(("Where it ranks worst and best", *of), [table], f"ends{end}", link="Worst and best")
    columns = [
        *(Column(name, "name") for name in result.by),
        Column("samples"),
        Column("positives", priority=6),
        *(Column(SUMMARY_WORDS[name], priority=_PRIORITIES.get(name, 5)) for name in _SHOWN),
    ]
    total: list[Cell] = ["total", *([""] * (len(result.by) - 1))]
    rows = [Row([*total, *_write_cells(column.total)], best=True)]
    rows += [Row([*(Name(value) for value in item.group), *_write_cells(item.summary)]) for item in column.groups]
    every = Table(columns, rows, search="groups", max_rows=20)
    aside = f"{len(column.groups):,}, the largest first"
    yield Section(("All groups", *of), [every], f"groups{end}", aside=aside, folded=True)
    yield Section(
        ("Over the groups", *of), [Table(heads, statistics, max_rows=ALL_ROWS)], f"statistics{end}", folded=True
    )


_PRIORITIES = {"lift_quality": 9, "log_loss": 8, "brier_score": 8, "prevalence": 7, "best_lift": 3, "mean_score": 4}


def _write_cells(summary: ScoreSummary) -> list[str]:
    return [format_summary_number(name, getattr(summary, name)) for name in ("samples", "positives", *_SHOWN)]
