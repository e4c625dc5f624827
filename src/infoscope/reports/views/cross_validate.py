"""Show a cross-validation, or runs that were made elsewhere: the paper's table, the pairs, and the clouds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from infoscope.figures.coverage import fold_clouds
from infoscope.figures.display import Display
from infoscope.reports.outline import (
    Appendix,
    Bullets,
    Cell,
    Column,
    Figure,
    Inline,
    Name,
    Outline,
    Phrase,
    Section,
    Strong,
    SystemValue,
    Table,
    Tile,
)
from infoscope.results.estimate import Estimate
from infoscope.results.notation import MetricNotation, Units, format_count, format_number, format_share
from infoscope.studies.cross_validate import CrossValidation, EstimatorScores

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
    runs = f"{result.repeats} runs" if result.folds is None else f"{result.repeats} × {result.folds} folds"
    lead: Phrase = f"No {words.system} has a defined score."
    if ranked:
        right, captured = (_format_mean(ranked[0].metrics[name], name) for name in ("accuracy", score))
        share = _find_lead(result, [item.name for item in ranked[:2]])
        beats: tuple[Inline, ...] = ()
        if share is not None:
            beats = ("; it is ahead of ", Name(ranked[1].name), f" in {format_share(share)} of the {words.run}s")
        lead = (
            Name(ranked[0].name),
            f" is right in {right} of the samples and captures {captured} of the information in the truth, the mean ± "
            f"sd of {result.repeats} {words.run}s",
            *beats,
            ".",
        )
    pairs: list[Phrase] = []
    for pair in result.overlaps:
        fraction = f"{format_share(pair.share_a_lower)} of the {words.run}s"
        pairs.append((Name(pair.a), " misses and adds less information than ", Name(pair.b), f" in {fraction}"))
    is_drawn = len(scored) == len(result.estimators)
    caption = f"One point per {words.run}; each outline holds 95% of the {words.run}s."
    clouds = [Figure(fold_clouds(result).panel(), caption)] if is_drawn else []
    return Outline(
        title=f"{words.study} of {len(result.names)} {words.system}s",
        kicker=(words.study, runs, *([size] if size else [])),
        headline=lead,
        tiles=list(_make_tiles(ranked)),
        tile_heads=("mean", "± sd", ""),
        sections=[
            *([Section("Pairs", [Bullets(pairs)], "pairs", folded=len(pairs) == 1)] if pairs else []),
            _make_table_section(result),
            *([Section("Clouds", clouds, "clouds", aside="every run in the plane", folded=True)] if clouds else []),
        ],
        appendix=Appendix(
            metrics=[metric for metric, _ in _COLUMNS],
            method=(
                words.method,
                f"The fraction of {words.run}s in which one {words.system} misses and adds less information, a "
                "lower S_I/H(T), is what Holt et al. (2010) call the p-value that it is better; ties count half.",
            ),
        ),
    )


def _find_lead(result: CrossValidation, names: Sequence[str]) -> float | None:
    """Return the fraction of runs in which the first of two misses and adds less information than the second."""
    for pair in result.overlaps:
        if len(names) == 2 and {pair.a, pair.b} == set(names):
            return pair.share_a_lower if pair.a == names[0] else 1.0 - pair.share_a_lower
    return None


def _make_tiles(ranked: Sequence[EstimatorScores]) -> Iterator[Tile]:
    """Show mean and spread of accuracy and captured information, of all estimators where there are several."""
    for metric, word in (("accuracy", "accuracy"), ("proficiency", "captured")) if ranked else ():
        notation, first = MetricNotation(metric), ranked[0].metrics[metric]
        values = [
            SystemValue(item.name, _format_mean(item.metrics[metric], metric), value=item.metrics[metric].value)
            for item in ranked
        ]
        tile = Tile(notation.value(first.value), word, f"± {notation.spread(first.sd)}", metric=metric)
        yield replace(tile, systems=values if len(ranked) > 1 else ())


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
    table = Table(columns, rows, note=note, search=title.lower())
    return Section(f"All numbers of the {title.lower()}", [table], title.lower(), folded=True)
