"""What is shown of the pairs of a comparison: all differences, improvement factors, classical tests."""

from __future__ import annotations

from collections.abc import Iterator

from infoscope.figures.comparison import ImprovementDisplay, ImprovementStep
from infoscope.reports.outline import Cell, Column, Figure, Section, Table
from infoscope.reports.parts.item_tables import difference_columns, listed
from infoscope.reports.phrases import Name
from infoscope.results.estimate import Difference, Estimate
from infoscope.results.notation import format_factor, format_number, format_p_value
from infoscope.studies.compare import Comparison

TESTS = {
    "swap_p_value": "swap test",
    "mcnemar_p_value": "McNemar",
    "mcnemar_chi2_p_value": "McNemar χ²",
    "homogeneity_p_value": "homogeneity (G)",
}
LOSSES = {"erroneous_information_ratio": "in S_I/H(T)", "1 - accuracy": "in 1 − accuracy"}


def improvement_sections(comparison: Comparison) -> Iterator[Section]:
    """By what factor the error of the reference is smaller: as a table and as a picture."""
    reference = comparison.reference(comparison.ranking[0])
    rows: list[tuple[Cell, ...]] = []
    steps = []
    for name in comparison.systems:
        found = {of: comparison.improvement(reference, name, of) for of in LOSSES}
        if any(factor is not None for factor in found.values()):
            rows.append((Name(name), *(_factor(factor) for factor in found.values())))
        for of, factor in found.items():
            if factor is not None:
                steps.append(_step(comparison, name, reference, of, factor))
    if not rows:
        return
    columns = [Column("system", "name", 10), *(Column(title) for title in LOSSES.values())]
    whose = (
        Name(reference),
        "'s error is this many times smaller than that of the system in the row; 1 is no difference.",
    )
    yield Section(
        "Improvement factors",
        [
            Table(columns, rows, "Improvement factors", note=whose),
            Figure(ImprovementDisplay(steps).panel(), style="differences"),
        ],
        anchor="factors",
        link="Improvement",
    )


def _factor(factor: Estimate | None) -> str:
    if factor is None or factor.value is None or factor.low is None or factor.high is None:
        return ""
    return f"{format_factor(factor.value)} ({format_factor(factor.low)} – {format_factor(factor.high)})"


def _step(comparison: Comparison, name: str, reference: str, of: str, factor: Estimate) -> ImprovementStep:
    """From each system to the best, or from the baseline to each system."""
    by = "accuracy" if of == "1 - accuracy" else "information"
    if comparison.baseline is None:
        return ImprovementStep(f"{name} → {reference}", by, factor.value or 1.0, factor.low, factor.high)
    onward = comparison.improvement(name, reference, of) or factor
    return ImprovementStep(name, by, onward.value or 1.0, onward.low, onward.high)


def pair_section(comparison: Comparison) -> Section:
    """Every pair in every metric."""
    shown = {(place.name, each.metric): place.shown for each in comparison.ranking for place in each.places}
    table = Table(
        *listed(
            comparison.pairs,
            *difference_columns(
                lambda each: comparison.titled(each.metric), lambda *place: shown.get(place), is_corrected=True
            ),
            (Column("improvement"), lambda each: _factor(each.improvement)),
            (Column("correlation of errors"), _correlation),
        ),
        "All pairs",
        note="Verdicts are corrected for the number of pairs (Holm), intervals are those of each pair alone. "
        "Improvement: by what factor A's error is smaller. Correlation of errors: over common rows.",
        search="pairs",
    )
    return Section(f"All {len(comparison.pairs)} pairs", [table])


def _correlation(pair: Difference) -> str:
    return format_number(pair.correlation, ".2f") if pair.paired and pair.correlation is not None else "unpaired"


def test_sections(comparison: Comparison) -> Iterator[Section]:
    """The tests of the textbooks beside the posterior; nothing where none was run."""
    known = [name for name in TESTS if any(name in pair.tests for pair in comparison.pairs)]
    exact = any(pair.information is not None for pair in comparison.pairs)
    if not known and not exact:
        return
    columns = [Column("A", "name"), Column("B", "name"), Column("metric", "text")]
    columns += [Column(TESTS[name]) for name in known] + ([Column("information, bits")] if exact else [])
    rows = []
    for pair in comparison.pairs:
        cells: list[Cell] = [format_p_value(pair.tests[name]) if name in pair.tests else "–" for name in known]
        cells += [_information(pair.information)] if exact else []
        rows.append((Name(pair.a, 24), Name(pair.b, 24), comparison.titled(pair.metric), *cells))
    note = (
        "P-values: how often chance alone would separate two equal systems as far. The swap test exchanges their "
        "predictions row by row; McNemar's test is about accuracy alone. Information: the exact paired difference of "
        "the mutual information."
    )
    yield Section("Classical tests", [Table(columns, rows, "Classical tests", note=note, search="pairs")])


def _information(found: Estimate | None) -> str:
    if found is None or found.value is None:
        return "–"
    return f"{found.value:+.3f} ({found.low:+.3f} – {found.high:+.3f})".replace("-", "−")
