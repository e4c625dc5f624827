"""Show scores by group: the total, how the groups vary, and every group, the largest first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from infoscope.core.markup import pluralize
from infoscope.figures.comparison import ComparisonDisplay, ForestRow
from infoscope.figures.display import Display
from infoscope.reports.outline import ALL_ROWS, Appendix, Cell, Column, Name, Outline, Row, Section, Strong, Table, Tile
from infoscope.results.notation import UNDEFINED, Units, format_count, format_number, format_share
from infoscope.studies.score_groups import ScoreColumn, ScoreGroups
from infoscope.studies.scores import NO_PROBABILITIES, SUMMARY_WORDS, ScoreSummary

MAX_DRAWN = 40
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
    """Write the outline: the total first."""
    total = result.total
    one = ("prevalence", "normalized_log_loss", "normalized_brier_score", "lift_quality")
    tiles = [(format_summary_number(name, getattr(total, name)), SUMMARY_WORDS[name]) for name in one]
    if result.others:
        qualities = [(column.score, column.total.lift_quality) for column in result.columns]
        tiles = [
            (format_summary_number("lift_quality", quality), f"lift quality of {name}") for name, quality in qualities
        ]
    return Outline(
        title=f"{', '.join(column.score for column in result.columns)} by {', '.join(result.by)}",
        kicker=(
            "Scores by group",
            f"{format_count(total.samples)} samples",
            pluralize(len(result), "group"),
            f"positive class '{result.positive}'",
        ),
        headline=" ".join(map(_write_headline, result.columns)),
        tiles=[Tile(value, word) for value, word in tiles],
        sections=[section for column in result.columns for section in _make_sections(result, column)],
        appendix=Appendix(
            metrics=[],
            method=(
                "Log loss is in nats; the normalized losses are 1 − loss over that of always stating the group's own "
                "prevalence.",
                "Lift quality is 2·AUC − 1; the best lift is taken where the curve of gains is farthest above chance.",
                "Statistics count each group once, whatever its size.",
            ),
        ),
    )


def _write_headline(column: ScoreColumn) -> str:
    whole, quality = column.total.lift_quality, column.statistics.get("lift_quality")
    if whole is None or quality is None:
        return f"{column.score} over {len(column.groups):,} groups: all samples are of one class."
    return (
        f"{column.score} has a lift quality of {format_share(whole)} in all, and on average "
        f"{format_share(quality.mean)} over {pluralize(quality.groups, 'group')} ({quality.above_zero:,} above 0)."
    )


def _make_sections(result: ScoreGroups, column: ScoreColumn) -> Iterator[Section]:
    """Show how numbers of a score vary over the groups, then every group."""
    place = [each.score for each in result.columns].index(column.score)
    of, end = ((": ", Name(column.score)) if result.others else (), f"-{place}" if place else "")
    heads = [Column("number", "name"), *map(Column, ("groups", "mean", "sd", "min", "max", "above 0"))]
    statistics: list[Sequence[Cell]] = []
    for name, spread in column.statistics.items():
        if name in SUMMARY_WORDS and name != "best_lift_threshold":
            values = (spread.mean, spread.sd, spread.least, spread.most)
            numbers = [format_summary_number(name, value) for value in values]
            statistics.append((SUMMARY_WORDS[name], f"{spread.groups:,}", *numbers, f"{spread.above_zero:,}"))
    yield Section(("Over the groups", *of), [Table(heads, statistics, max_rows=ALL_ROWS)], f"statistics{end}")
    columns = [
        *(Column(name, "name") for name in result.by),
        Column("samples"),
        Column("positives", priority=6),
        *(Column(SUMMARY_WORDS[name], priority=_PRIORITIES.get(name, 5)) for name in _SHOWN),
    ]
    total: list[Cell] = ["total", *([""] * (len(result.by) - 1))]
    rows = [Row([*total, *_write_cells(column.total)], best=True)]
    rows += [Row([*(Name(value) for value in item.group), *_write_cells(item.summary)]) for item in column.groups]
    groups = Table(columns, rows, search="groups", max_rows=20)
    yield Section(("Groups, the largest first", *of), [groups], f"groups{end}")


_PRIORITIES = {"lift_quality": 9, "log_loss": 8, "brier_score": 8, "prevalence": 7, "best_lift": 3, "mean_score": 4}


def _write_cells(summary: ScoreSummary) -> list[str]:
    return [format_summary_number(name, getattr(summary, name)) for name in ("samples", "positives", *_SHOWN)]
