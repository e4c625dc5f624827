"""Show a cross-validation, or runs that were made elsewhere: the paper's table, the pairs, and the clouds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from infoscope.figures.coverage import fold_clouds
from infoscope.figures.display import Display
from infoscope.reports.outline import (
    Appendix,
    Bullets,
    Cell,
    Column,
    Figure,
    Name,
    Outline,
    Phrase,
    Section,
    Strong,
    Table,
    Tile,
)
from infoscope.results.estimate import Estimate
from infoscope.results.notation import MetricNotation, Units, format_count, format_number, format_share
from infoscope.studies.cross_validate import CrossValidation

PICTURES: dict[str, Callable[[CrossValidation], Display]] = {"coverage": fold_clouds}
_COLUMNS = (
    ("false_information_ratio", "r (false)"),
    ("proficiency", "f (captured)"),
    ("erroneous_information_ratio", "S_I/H(T)"),
    ("accuracy", "accuracy"),
)


class StudyWords(NamedTuple):
    """Names of a study and of its parts."""

    study: str
    system: str
    run: str
    method: str


WORDS = {
    False: StudyWords(
        "Cross-validation",
        "estimator",
        "repeat",
        "The data is split into folds many times; the fold tables of each repeat are added and scored once.",
    ),
    True: StudyWords(
        "Monte Carlo runs", "system", "run", "Every run of a system has its own table, which is scored once."
    ),
}
"""By whether the runs were made elsewhere."""


def outline(result: CrossValidation, _unit: Units) -> Outline:
    """Write the outline: the estimator that captures most first."""
    score, notation = "proficiency", MetricNotation("proficiency")
    scored = [item for item in result.estimators if item.metrics[score].value is not None]
    ranked = sorted(scored, key=lambda item: -(item.metrics[score].value or 0.0))
    words = WORDS[result.folds is None]
    size = "" if result.provenance.rows is None else f"{format_count(result.provenance.rows)} samples"
    lead: Phrase = f"No {words.system} has a defined score."
    if ranked:
        lead = (
            Name(ranked[0].name),
            f" captures the most information: {_format_mean(ranked[0].metrics[score], score)} of the truth "
            "(proficiency).",
        )
    runs = f"{result.repeats} runs" if result.folds is None else f"{result.repeats} × {result.folds} folds"
    pairs: list[Phrase] = []
    for pair in result.overlaps:
        share = f"{format_share(pair.share_a_lower)} of {words.run}s"
        pairs.append((Name(pair.a), " has a lower S_I/H(T) than ", Name(pair.b), f" in {share}"))
    is_drawn = len(scored) == len(result.estimators)
    caption = f"One point per {words.run}; each outline holds 95% of the {words.run}s."
    return Outline(
        title=f"{words.study} of {len(result.names)} {words.system}s",
        kicker=(words.study, runs, *([size] if size else [])),
        headline=lead,
        tiles=[
            Tile(
                notation.value(item.metrics[score].value),
                Name(item.name),
                note=f"sd {notation.spread(item.metrics[score].sd)}",
            )
            for item in ranked[:4]
        ],
        sections=[
            _make_table_section(result),
            *([Section("Pairs", [Bullets(pairs)], "pairs")] if pairs else []),
            *([Section("Clouds", [Figure(fold_clouds(result).panel(), caption)], "clouds")] if is_drawn else []),
        ],
        appendix=Appendix(
            metrics=[metric for metric, _ in _COLUMNS],
            method=(
                words.method,
                f"The fraction of {words.run}s in which one {words.system} has the lower S_I/H(T) is what Holt et al. "
                "(2010) call the p-value that it is better; ties count half.",
            ),
        ),
    )


def _format_mean(estimate: Estimate, metric: str) -> str:
    notation = MetricNotation(metric)
    value = notation.value(estimate.value)
    return value if estimate.value is None else f"{value} ± {notation.spread(estimate.sd)}"


def _make_table_section(result: CrossValidation) -> Section:
    words = WORDS[result.folds is None]
    columns = [
        Column(words.system, "name"),
        *(Column(title, metric=metric) for metric, title in _COLUMNS),
        Column("correlation", priority=3),
    ]
    rows: list[Sequence[Cell]] = [
        (
            Strong(item.name),
            *(_format_mean(item.metrics[metric], metric) for metric, _ in _COLUMNS),
            "–" if item.correlation is None else format_number(item.correlation, ".2f"),
        )
        for item in result.estimators
    ]
    note = f"Mean ± standard deviation over the {words.run}s; correlation of captured and false information."
    title = f"{words.system.capitalize()}s"
    return Section(title, [Table(columns, rows, note=note, search=title.lower())], title.lower())
