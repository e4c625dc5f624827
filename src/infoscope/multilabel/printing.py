"""The multi-label document as a page: sentences first, then numbers, then tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from infoscope.multilabel.document import MultilabelEvaluation, Predictor
from infoscope.multilabel.measures import MEASURES
from infoscope.pages import Block, Bullets, Grid, Heading, Page, Words, percent

__all__ = ["page_of"]

_MOST = 15
_TITLES = {each.name: each.card.title for each in MEASURES} | {
    "chance_proficiency": "Proficiency by accident",
    "adjusted_proficiency": "Proficiency less accident",
    "joint_proficiency": "Joint proficiency (whole sets)",
}


def page_of(result: MultilabelEvaluation) -> Page:
    """All predictors, then how they compare."""
    blocks = [block for system in result.systems for block in _predictor(system)]
    if result.comparison["pairs"]:
        blocks += [Heading("Differences (a − b), on the same objects"), _differences(result.comparison)]
    if len(result.systems) == 1:
        return Page(_headline(result.systems[0]), blocks)
    return Page(f"{len(result.systems)} predictors on {result.objects} objects", blocks)


def _headline(system: Predictor) -> str:
    found = system.metrics["proficiency"]
    if system.value("proficiency") is None:
        return f"{system.name}: captured information is undefined"
    sure = f" ({percent(found.low)} to {percent(found.high)})" if found.sd == found.sd else ""
    return f"{system.name} captures {percent(found.value)}{sure} of the information in {system.truth_name}"


def _predictor(system: Predictor) -> Iterator[Block]:
    yield Heading(f"{system.name} against {system.truth_name}: {system.n} objects, {len(system.categories)} categories")
    yield Bullets([each["text"] for each in system.remarks])
    yield Heading("Metrics")
    yield _metrics(system)
    if system.reassignments:
        yield Heading("Reassigned by the best renaming (ties go to the category's own name)")
        yield Grid(
            (f"{system.truth_name} used", f"{system.name} used", "captured", "together", "expected", "p", "sign"),
            [
                (
                    each.truth,
                    each.system,
                    percent(each.proficiency),
                    str(each.joint),
                    f"{each.expected:.1f}",
                    f"{each.p_value:.2g}",
                    each.association,
                )
                for each in system.reassignments[:_MOST]
            ],
            names=2,
        )
        hints = [each.sentence(system.truth_name, system.name) for each in system.reassignments if each.finding]
        yield Words(
            "Findings: " + "; ".join(hints) + "."
            if hints
            else "None of these beats accident, so none is a finding; a negative pair is never a renaming."
        )
    yield Heading("Categories that miss the most information")
    yield _categories(system)
    for level in system.levels:
        yield Heading(f"Rolled up to depth {level.depth}")
        yield Words(
            f"{level.categories} categories hold {level.truth_bits:.2f} bits ({percent(level.lost_share)} lost against "
            f"the deepest); {percent(level.metrics['proficiency'])} captured, micro F1 "
            f"{percent(level.metrics['micro_f1'])}."
        )
        costs = [
            f"{each['parent']} ({each['children']} children): {each['lost_bits']:.3f} bits"
            for each in level.costliest[:5]
        ]
        if costs and level.costliest[0]["lost_bits"] > 0:
            yield Bullets(costs)


def _metrics(system: Predictor) -> Grid:
    rows = []
    for name, estimate in system.metrics.items():
        halves = system.stability.get(name)
        sure = estimate.sd == estimate.sd
        rows.append(
            (
                _TITLES[name],
                percent(system.value(name)),
                percent(estimate.low) if sure else "",
                percent(estimate.high) if sure else "",
                percent(halves["sd"]) if halves else "",
                name,
            )
        )
    return Grid(("metric", "value", "low", "high", "sd of halves", "id"), rows)


def _categories(system: Predictor) -> Grid:
    worst = sorted(system.classes, key=lambda each: -(each["missed_share"] or 0.0))[:_MOST]
    return Grid(
        ("category", "captured", "missed share", "truth", "system", "both", "precision", "recall"),
        [
            (
                each["label"],
                percent(each["proficiency"]),
                percent(each["missed_share"]),
                str(each["support"]),
                str(each["declared"]),
                str(each["both"]),
                percent(each["precision"]),
                percent(each["recall"]),
            )
            for each in worst
        ],
    )


def _differences(comparison: Any) -> Grid:
    return Grid(
        ("a", "b", "metric", "a − b", "low", "high", "P(a better)"),
        [
            (
                pair["a"],
                pair["b"],
                pair["metric"],
                f"{100 * pair['difference']:+.2f}",
                f"{100 * pair['low']:+.2f}" if "low" in pair else "",
                f"{100 * pair['high']:+.2f}" if "high" in pair else "",
                f"{pair['probability_a_better']:.3f}" if "probability_a_better" in pair else "",
            )
            for pair in comparison["pairs"]
        ],
        names=3,
    )
