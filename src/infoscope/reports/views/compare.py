"""What is shown of a comparison: who is better, by how much, and how sure that is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain

from infoscope.figures.comparison import ComparisonDisplay, ForestRow, ImprovementDisplay, ImprovementStep
from infoscope.figures.display import Display
from infoscope.figures.layout import plain_label, shortened
from infoscope.metrics.registry import find
from infoscope.reports.outline import (
    Appendix,
    Cell,
    Column,
    Figure,
    Groups,
    Inline,
    Name,
    Outline,
    Paragraph,
    Phrase,
    Section,
    Strong,
    Table,
    Term,
    Tile,
    Whisker,
    join_phrases,
    join_with_and,
    list_names,
)
from infoscope.reports.shared import NO_VERDICTS, describe_disagreement, make_difference_columns, tabulate
from infoscope.results.estimate import Difference, Estimate
from infoscope.results.notation import (
    MetricNotation,
    Units,
    format_count,
    format_factor,
    format_number,
    format_p_value,
    format_probability,
)
from infoscope.studies.compare import Comparison, Place, Ranking

PICTURES: dict[str, Callable[[Comparison], Display]] = {
    "forest": ComparisonDisplay.from_comparison,
    "improvement": ImprovementDisplay.from_comparison,
}


def outline(comparison: Comparison, _unit: Units) -> Outline:
    """The verdict by the first metric, then a ranking for each."""
    return Outline(
        title=f"{', '.join(plain_label(name)[:40] for name in _leaders(comparison.ranking[0])[:3])} | comparison",
        kicker=("Comparison", f"{len(comparison.systems)} systems", *_conditions(comparison)),
        headline=_verdict(comparison),
        lede=[] if _no_verdict(comparison) else list(_sentences(comparison)),
        tiles=list(_tiles(comparison)),
        sections=[
            *(_ranked(comparison, ranking) for ranking in comparison.ranking),
            *make_improvement_sections(comparison),
        ],
        appendix=Appendix(
            sections=[make_pair_section(comparison), *make_test_sections(comparison)],
            metrics=[*(ranking.metric for ranking in comparison.ranking), "mutual_information"],
            method=_method(comparison),
        ),
    )


def _no_verdict(comparison: Comparison) -> str | None:
    """Return why there is no verdict: labels that seem to be no classes, or cells that seem to be no counts."""
    return next((NO_VERDICTS[found.code] for found in comparison.findings if found.code in NO_VERDICTS), None)


def _verdict(comparison: Comparison) -> Phrase:
    """Who leads, after what is wrong with names of classes."""
    if reason := _no_verdict(comparison):
        return f"No verdict: {reason}."
    systems: dict[str, list[str]] = {}
    for finding in comparison.findings:
        if finding.code in _BROKEN_LABELS:
            systems.setdefault(_BROKEN_LABELS[finding.code], []).append(str(finding.evidence["system"]))
    broken = ((f"{words}: ", *list_names(names, width=60), ". ") for words, names in systems.items())
    return (*chain.from_iterable(broken), *headline(comparison.ranking[0], comparison.positive), ".")


_BROKEN_LABELS = {
    "no_common_label": "No label in common with the truth",
    "misspelt_predictions": "Classes spelled otherwise than in the truth",
    "relabelled": "Outputs look renamed",
}


def _leaders(ranking: Ranking) -> list[str]:
    """The best, or those that no other is significantly better than; the first where different rows make a circle."""
    return [ranking.best] if ranking.best is not None else list(ranking.front) or [ranking.places[0].name]


def headline(ranking: Ranking, positive: str | None = None) -> tuple[Inline, ...]:
    """Who leads, in a clause."""
    size, title = len(ranking.places), _lower(ranking.metric, positive)
    lead = list_names(_leaders(ranking), width=60)
    if not ranking.contenders:
        return (f"None of the {size} systems captures more information than expected by chance",)
    if ranking.best is not None:
        return (*lead, f" is the best of {size} systems by {title}")
    if len(ranking.contenders) == 1:
        return (*lead, f" alone of {size} systems captures more information than expected by chance")
    if len(ranking.front) == len(ranking.contenders):
        return (f"No significant difference by {title}: ", *lead)
    if ranking.leads:
        return (*lead, f" lead {size} systems by {title}, without a significant difference between them")
    return (f"No clear winner of {size} systems by {title}: ", *lead, " may be the best")


def _lower(metric: str, positive: str | None) -> str:
    """A metric's title within a sentence; the class that it is about stays as it is spelled."""
    card = find(metric).card
    return card.title_in_sentence + card.of_class(positive)


def _conditions(comparison: Comparison) -> tuple[str, ...]:
    rows = list(dict.fromkeys(format_count(size) for size in sorted(comparison.samples.values())))
    size = " to ".join((rows[0], rows[-1]) if len(rows) > 1 else rows)
    paired = all(pair.paired for pair in comparison.pairs)
    how = "paired by row" if paired else "unpaired: different rows"
    of_class = any(find(each.metric).card.of_class(comparison.positive) for each in comparison.ranking)
    positive = (f"positive class '{comparison.positive}'",) if of_class else ()
    return f"{size} samples", how, f"{comparison.level:.0%} intervals", *positive


def _sentences(comparison: Comparison) -> Iterator[Phrase]:
    first, *others = comparison.ranking
    likely = sorted(first.contenders, key=lambda place: -place.probability_best)
    if first.best is None and len(likely) > 1:
        named = ((Name(place.name), f" {format_probability(place.probability_best)}") for place in likely[:3])
        yield ("Probability of being the best: ", *join_phrases(named, ", "), ".")
    elif len(likely) > 1:
        yield f"It is the best with probability {format_probability(likely[0].probability_best)}."
    if likely:
        yield from _other_metrics(others, _leaders(first), comparison.positive)
        values = {
            each.metric: {place.name: place.estimate.value for place in each.places} for each in comparison.ranking
        }
        if (said := describe_disagreement(values, comparison.positive)) is not None:
            yield said
    if comparison.baseline is not None:
        yield _to_baseline(comparison, comparison.baseline)


def _other_metrics(rankings: Sequence[Ranking], lead: Sequence[str], positive: str | None) -> Iterator[Phrase]:
    """What the metrics after the first say, those that say the same together."""
    by_verdict: dict[tuple[Inline, ...], list[Term]] = {}
    for ranking in rankings:
        title = Term(ranking.metric, _lower(ranking.metric, positive))
        by_verdict.setdefault(_other_verdict(ranking, lead), []).append(title)
    for verdict, titles in by_verdict.items():
        yield ("By ", *join_with_and(titles), *verdict)


def _other_verdict(ranking: Ranking, lead: Sequence[str]) -> tuple[Inline, ...]:
    names = _leaders(ranking)
    if ranking.best is None and not ranking.leads and ranking.wins:
        return (" there is no clear winner.",)
    if set(names) == set(lead):
        return (" the verdict is the same.",)
    return (", ", *list_names(names), " lead." if len(names) > 1 else " leads.")


def _to_baseline(comparison: Comparison, baseline: str) -> Phrase:
    verdicts: dict[str, list[str]] = {}
    for name in comparison.systems:
        if name != baseline:
            pair = comparison.between(name, baseline, comparison.ranking[0].metric)
            verdicts.setdefault("not compared" if pair is None else pair.corrected_verdict, []).append(name)
    parts = ((f"{word}: ", *list_names(names)) for word, names in verdicts.items())
    return ("Against the baseline ", Strong(baseline), ": ", *join_phrases(parts, "; "), ".")


def _tiles(comparison: Comparison) -> Iterator[Tile]:
    first = comparison.ranking[0]
    metric, best, reference = first.metric, first.places[0], comparison.reference(first)
    rival = first.places[1].name if best.name == reference else reference
    notation = MetricNotation(metric)
    interval, sample = notation.interval(best.estimate), notation.in_sample(best.estimate)
    yield Tile(notation.value(best.shown), Name(best.name, 24), interval, sample=sample)
    if len(first.contenders) > 1:
        yield Tile(format_probability(best.probability_best), "probability of being the best")
    pair = comparison.between(best.name, rival, metric)
    if pair is None or pair.probability_a_better is None:
        return
    lower = find(metric).card.better == "lower"
    lead = (pair.reversed() if lower else pair).estimate
    yield Tile(
        notation.signed(-_gap(first, pair) if lower else _gap(first, pair)).lstrip("+"),
        (f"{'points ' * notation.is_share}{'less' if lower else 'more'} than ", Name(rival, 24)),
        notation.signed_interval(lead),
    )
    yield Tile(format_probability(pair.probability_a_better), ("probability of being better than ", Name(rival, 24)))


def _ranked(comparison: Comparison, ranking: Ranking) -> Section:
    card = find(ranking.metric).card
    reference = comparison.reference(ranking)
    better = "lower" if card.better == "lower" else "higher"
    return Section(
        (Term(ranking.metric, comparison.titled(ranking.metric)),),
        [
            Paragraph(_sentence(ranking)),
            _ranking_table(comparison, ranking, reference),
            _forest(comparison, ranking, reference),
        ],
        anchor=f"by-{ranking.metric}",
        link=comparison.titled(ranking.metric),
        aside=f"{better} is better",
    )


def _sentence(ranking: Ranking) -> str:
    """The statement as a sentence; a system's name at its start stays as it is."""
    statement = ranking.statement
    if statement.startswith(tuple(f"{place.name}{end}" for place in ranking.places for end in (" ", ", "))):
        return f"{statement}."
    return f"{statement[0].upper()}{statement[1:]}."


def _ranking_table(comparison: Comparison, ranking: Ranking, reference: str) -> Table:
    ends = [end for place in ranking.places for end in (place.estimate.low, place.estimate.high) if end is not None]
    low, high = min(ends), max(ends)
    pad = 0.06 * (high - low) or 0.05
    groups = sorted({group for place in ranking.places for group in place.groups})
    notation = MetricNotation(ranking.metric)
    in_sample = any(notation.in_sample(place.estimate) for place in ranking.places)
    columns = [
        Column("system", "name", 10),
        Column("tied" if groups else "", "text", 4),
        Column("", "whisker"),
        Column("value", priority=9),
        Column(f"{comparison.level:.0%} interval", priority=6),
        *([Column("in sample", priority=4)] if in_sample else []),
        Column("difference", priority=7),
        Column("P(better)", priority=3),
        Column("verdict", "text", 8),
        Column("P(best)", priority=2),
    ]
    rows = []
    for place in ranking.places:
        estimate = place.estimate
        rows.append(
            (
                Name(place.name),
                Groups([groups.index(group) for group in place.groups], len(groups)),
                Whisker(estimate.low, place.shown, estimate.high, (low - pad, high + pad)),
                Strong(notation.value(place.shown)),
                notation.interval(estimate),
                *([notation.in_sample(estimate)] if in_sample else []),
                *_against(comparison, ranking, place, reference),
                "" if place.name in ranking.uninformative else format_probability(place.probability_best),
            )
        )
    letters = "Systems with the same letter do not differ significantly. " if groups else ""
    note = (f"{letters}Differences are to ", Name(reference, 60), ".")
    return Table(
        columns, rows, f"Systems by {comparison.titled(ranking.metric)}", note=note, search="systems", style="forest"
    )


def _against(comparison: Comparison, ranking: Ranking, place: Place, reference: str) -> tuple[Cell, Cell, Cell]:
    """Difference to the reference, its probability and the verdict."""
    word = "no information" if place.name in ranking.uninformative else ""
    if place.name == reference:
        best = "best" if ranking.best == reference else "highest" if _is_higher(ranking) else "lowest"
        return "", "", "baseline" if comparison.baseline else word or best
    pair = comparison.between(place.name, reference, ranking.metric)
    if pair is None or pair.estimate.shown is None:
        return "", "", word or "not compared"
    gap = MetricNotation(ranking.metric).difference(pair.estimate, _values(ranking, pair))
    return gap, format_probability(pair.probability_a_better), word or pair.corrected_verdict


def _values(ranking: Ranking, pair: Difference) -> tuple[float, float]:
    """Return the numbers shown of both systems, with which their difference is to add up."""
    shown = {place.name: place.shown for place in ranking.places}
    return shown[pair.a], shown[pair.b]


def _gap(ranking: Ranking, pair: Difference) -> float:
    return MetricNotation(ranking.metric).gap(pair.estimate, *_values(ranking, pair))


def _is_higher(ranking: Ranking) -> bool:
    return find(ranking.metric).card.better != "lower"


def _forest(comparison: Comparison, ranking: Ranking, reference: str) -> Figure:
    card = find(ranking.metric).card
    rows = []
    for place in ranking.places:
        pair = comparison.between(place.name, reference, ranking.metric)
        if pair is not None:
            gap = _gap(ranking, pair)
            rows.append(ForestRow(place.name, gap, pair.estimate.low, pair.estimate.high, pair.corrected_verdict))
    points = MetricNotation(ranking.metric).is_share
    title = f"difference to {shortened(reference)}{', in percentage points' * points}"
    drawn = ComparisonDisplay(rows, title, reference, card.better != "lower", differences=True, points=points)
    caption = (
        Strong("Differences"),
        " to ",
        Name(reference, 40),
        f", the dashed line, with {comparison.level:.0%} intervals.",
    )
    return Figure(drawn.panel(), caption, style="differences")


def _method(comparison: Comparison) -> tuple[Phrase, ...]:
    level = f"{comparison.level:.0%}"
    return (
        f"Intervals hold the true value with {level} probability, by a Bayesian posterior of each system's table; "
        "differences take into account how the errors of the two systems are correlated over the rows that both have.",
        f"“Better” and “worse” mean that the probability is beyond {(1 + comparison.level) / 2:.1%}, for this pair "
        "alone. Letters and the statement of a ranking consider all pairs at once (Holm).",
        "Conventional metrics are those of this sample. Information is corrected for few rows per class, as the mean "
        "of the posterior; the sample's value stands beside it.",
    )


TESTS = {
    "swap_p_value": "swap test",
    "mcnemar_p_value": "McNemar",
    "mcnemar_chi2_p_value": "McNemar χ²",
    "homogeneity_p_value": "homogeneity (G)",
}
LOSSES = {"erroneous_information_ratio": "in S_I/H(T)", "1 - accuracy": "in 1 − accuracy"}


def make_improvement_sections(comparison: Comparison) -> Iterator[Section]:
    """By what factor the error of the reference is smaller: as a table and as a picture."""
    reference = comparison.reference(comparison.ranking[0])
    rows: list[tuple[Cell, ...]] = []
    steps = []
    for name in comparison.systems:
        found = {of: comparison.improvement(reference, name, of) for of in LOSSES}
        if any(factor is not None for factor in found.values()):
            rows.append((Name(name), *(_format_factor(factor) for factor in found.values())))
        for of, factor in found.items():
            if factor is not None:
                steps.append(_make_step(comparison, name, reference, of, factor))
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


def _format_factor(factor: Estimate | None) -> str:
    if factor is None or factor.value is None or factor.low is None or factor.high is None:
        return ""
    return f"{format_factor(factor.value)} ({format_factor(factor.low)} – {format_factor(factor.high)})"


def _make_step(comparison: Comparison, name: str, reference: str, of: str, factor: Estimate) -> ImprovementStep:
    """From each system to the best, or from the baseline to each system."""
    by = "accuracy" if of == "1 - accuracy" else "information"
    if comparison.baseline is None:
        return ImprovementStep(f"{name} → {reference}", by, factor.value or 1.0, factor.low, factor.high)
    onward = comparison.improvement(name, reference, of) or factor
    return ImprovementStep(name, by, onward.value or 1.0, onward.low, onward.high)


def make_pair_section(comparison: Comparison) -> Section:
    """Every pair in every metric."""
    shown = {(place.name, each.metric): place.shown for each in comparison.ranking for place in each.places}
    table = Table(
        *tabulate(
            comparison.pairs,
            *make_difference_columns(
                lambda each: comparison.titled(each.metric), lambda *place: shown.get(place), is_corrected=True
            ),
            (Column("improvement"), lambda each: _format_factor(each.improvement)),
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


def make_test_sections(comparison: Comparison) -> Iterator[Section]:
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
