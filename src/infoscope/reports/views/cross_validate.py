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
from infoscope.results.notation import MetricNotation, Units, format_count, format_number, format_p_value, format_share
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
    score = "proficiency"
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
    return Outline(
        title=f"{words.study} of {len(result.names)} {words.system}s",
        kicker=(words.study, runs, *([size] if size else [])),
        headline=lead,
        tiles=[
            Tile(
                _format_value(item.metrics[score], score),
                Name(item.name),
                note=f"sd {_format_sd(item.metrics[score], score)}",
            )
            for item in ranked[:4]
        ],
        sections=[
            _make_table_section(result),
            *([_make_pair_section(result)] if result.overlaps else []),
            *_make_cloud_section(result),
        ],
        appendix=Appendix(
            metrics=[metric for metric, _ in _COLUMNS],
            method=(
                words.method,
                f"Holt's p-value is the fraction of {words.run}s in which the order of two {words.system}s is the "
                "other way round.",
            ),
        ),
    )


def _format_mean(estimate: Estimate, metric: str) -> str:
    value = _format_value(estimate, metric)
    return value if estimate.value is None else f"{value} ± {_format_sd(estimate, metric)}"


def _format_value(estimate: Estimate, metric: str) -> str:
    return MetricNotation(metric).value(estimate.value)


def _format_sd(estimate: Estimate, metric: str) -> str:
    return MetricNotation(metric).spread(estimate.sd)


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


def _make_pair_section(result: CrossValidation) -> Section:
    items: list[Phrase] = []
    for pair in result.overlaps:
        p_value = format_p_value(pair.p_value)
        if pair.p_value <= 0:  # the order was never the other way round: no less than so few runs can show
            runs = min(len(next(iter(result[name].scores.values()))) for name in (pair.a, pair.b))
            p_value = f"<{1 / runs:.2g}"
        share = f"{format_share(pair.share_a_lower)} of {WORDS[result.folds is None].run}s (p {p_value})"
        items.append((Name(pair.a), " has a lower S_I/H(T) than ", Name(pair.b), f" in {share}"))
    return Section("Pairs", [Bullets(items)], "pairs")


def _make_cloud_section(result: CrossValidation) -> tuple[Section, ...]:
    if not all(item.metrics["proficiency"].value is not None for item in result.estimators):
        return ()
    run = WORDS[result.folds is None].run
    caption = f"One point per {run}; each outline holds 95% of the {run}s."
    return (Section("Clouds", [Figure(fold_clouds(result).panel(), caption)], "clouds"),)
