"""What is shown of a cross-validation: the paper's table, the pairs, and the clouds."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from infoscope.cross_validation import CrossValidation
from infoscope.figures.coverage import fold_clouds
from infoscope.figures.display import Display
from infoscope.reports.numbers import Units, amount, p_value, share
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

__all__ = ["PICTURES", "outline"]

PICTURES: dict[str, Callable[[CrossValidation], Display]] = {"coverage": fold_clouds}
_COLUMNS = (
    ("false_information_ratio", "r (false)"),
    ("proficiency", "f (captured)"),
    ("erroneous_information_ratio", "S_I/H(T)"),
    ("accuracy", "accuracy"),
)


def outline(result: CrossValidation, _unit: Units) -> Outline:
    """The estimator that captures most first."""
    score = "proficiency"
    known = [each for each in result.estimators if each.metrics[score].value is not None]
    ranked = sorted(known, key=lambda each: -(each.metrics[score].value or 0.0))
    size = "" if result.provenance.rows is None else f"{amount(result.provenance.rows)} samples"
    lead: Phrase = "No estimator has a defined score."
    if ranked:
        lead = (
            Name(ranked[0].name),
            f" captures the most information: {_mean(ranked[0].metrics[score])} of the truth (proficiency).",
        )
    return Outline(
        title=f"Cross-validation of {len(result.names)} estimators",
        kicker=("Cross-validation", f"{result.repeats} × {result.folds} folds", *([size] if size else [])),
        headline=lead,
        tiles=[
            Tile(f"{each.metrics[score].value:.3f}", Name(each.name), note=f"sd {_sd(each.metrics[score])}")
            for each in ranked[:4]
        ],
        findings=[("", finding) for finding in result.findings],
        sections=[_table(result), *([_pairs(result)] if result.overlaps else []), *_clouds(result)],
        appendix=Appendix(
            metrics=[metric for metric, _ in _COLUMNS],
            method=(
                "The data is split into folds many times; the fold tables of each repeat are added and scored once.",
                "Holt's p-value is the share of repeats in which the order of two estimators is the other way round.",
            ),
        ),
    )


def _mean(estimate: Estimate) -> str:
    return "undefined" if estimate.value is None else f"{estimate.value:.4f} ± {_sd(estimate)}"


def _sd(estimate: Estimate) -> str:
    return "–" if estimate.sd is None else f"{estimate.sd:.4f}"


def _table(result: CrossValidation) -> Section:
    columns = [
        Column("estimator", "name"),
        *(Column(title, metric=metric) for metric, title in _COLUMNS),
        Column("correlation", priority=3),
    ]
    rows: list[Sequence[Cell]] = [
        (
            Strong(each.name),
            *(_mean(each.metrics[metric]) for metric, _ in _COLUMNS),
            "–" if each.correlation is None else f"{each.correlation:.2f}",
        )
        for each in result.estimators
    ]
    note = "Mean ± standard deviation over the repeats; correlation of captured and false information."
    return Section("Estimators", [Table(columns, rows, note=note, search="estimators")], "estimators")


def _pairs(result: CrossValidation) -> Section:
    items: list[Phrase] = [
        (
            Name(pair.a),
            " has a lower S_I/H(T) than ",
            Name(pair.b),
            f" in {share(pair.share_a_lower)} of repeats (p {p_value(pair.p_value)})",
        )
        for pair in result.overlaps
    ]
    return Section("Pairs", [Bullets(items)], "pairs")


def _clouds(result: CrossValidation) -> tuple[Section, ...]:
    if not all(each.metrics["proficiency"].value is not None for each in result.estimators):
        return ()
    caption = "One point per repeat; each outline holds 95% of the repeats."
    return (Section("Clouds", [Figure(fold_clouds(result).panel(), caption)], "clouds"),)
