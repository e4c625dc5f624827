"""Show a comparison: which system is better, by how much, and how sure that is.

``outline`` is called by ``reports/render.py``: the verdict by the first metric, a ranking for each, improvement
factors; then, in the appendix, all pairs and the classical tests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain

from infoscope.figures.comparison import ComparisonDisplay, ForestRow, ImprovementDisplay, ImprovementStep
from infoscope.figures.display import Display
from infoscope.figures.layout import plain_label, shorten
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
from infoscope.studies.compare import Comparison, Ranking

PICTURES: dict[str, Callable[[Comparison], Display]] = {
    "forest": ComparisonDisplay.from_comparison,
    "improvement": ImprovementDisplay.from_comparison,
}
TESTS = {
    "swap_p_value": "swap test",
    "mcnemar_p_value": "McNemar",
    "mcnemar_chi2_p_value": "McNemar χ²",
    "homogeneity_p_value": "homogeneity (G)",
}
LOSSES = {"erroneous_information_ratio": "in S_I/H(T)", "1 - accuracy": "in 1 − accuracy"}


def outline(comparison: Comparison, _unit: Units) -> Outline:
    """Write the outline: the verdict by the first metric, then a ranking for each."""
    first = comparison.ranking[0]
    # labels that seem to be no classes, or cells that seem to be no counts, allow no verdict
    codes = (finding.code for finding in comparison.findings)
    no_verdict = next((NO_VERDICTS[code] for code in codes if code in NO_VERDICTS), None)
    rows = list(dict.fromkeys(format_count(size) for size in sorted(comparison.samples.values())))
    size = " to ".join((rows[0], rows[-1]) if len(rows) > 1 else rows)
    paired = all(pair.paired for pair in comparison.pairs)
    of_class = any(find(ranking.metric).card.of_class(comparison.positive) for ranking in comparison.ranking)
    return Outline(
        title=f"{', '.join(plain_label(name)[:40] for name in _find_leaders(first)[:3])} | comparison",
        kicker=(
            "Comparison",
            f"{len(comparison.systems)} systems",
            f"{size} samples",
            "paired by row" if paired else "unpaired: different rows",
            f"{comparison.level:.0%} intervals",
            *((f"positive class '{comparison.positive}'",) if of_class else ()),
        ),
        headline=f"No verdict: {no_verdict}." if no_verdict else _write_headline(comparison),
        lede=[] if no_verdict else list(_write_lede(comparison)),
        tiles=list(_make_tiles(comparison)),
        sections=[
            *(_make_ranking_section(comparison, ranking) for ranking in comparison.ranking),
            *_make_improvement_section(comparison),
        ],
        appendix=Appendix(
            sections=[make_pair_section(comparison), *_make_test_section(comparison)],
            metrics=[*(ranking.metric for ranking in comparison.ranking), "mutual_information"],
            method=(
                f"Intervals hold the true value with {comparison.level:.0%} probability, by a Bayesian posterior of "
                "each system's table; differences take into account how the errors of the two systems are correlated "
                "over the rows that both have.",
                f"“Better” and “worse” mean that the probability is beyond {(1 + comparison.level) / 2:.1%}, for this "
                "pair alone. Letters and the statement of a ranking consider all pairs at once (Holm).",
                "Conventional metrics are those of this sample. Information is corrected for few rows per class, as "
                "the mean of the posterior; the sample's value stands beside it.",
            ),
        ),
    )


# Headline, sentences and tiles ----------------------------------------------------------------------------------------

_BROKEN_LABELS = {
    "no_common_label": "No label in common with the truth",
    "misspelt_predictions": "Classes spelled otherwise than in the truth",
    "relabelled": "Outputs look renamed",
}


def _write_headline(comparison: Comparison) -> Phrase:
    """Write which system leads, after what is wrong with names of classes."""
    systems: dict[str, list[str]] = {}
    for finding in comparison.findings:
        if finding.code in _BROKEN_LABELS:
            systems.setdefault(_BROKEN_LABELS[finding.code], []).append(str(finding.evidence["system"]))
    broken = [((f"{words}: ", *list_names(names, width=60), ". ")) for words, names in systems.items()]
    ranking = comparison.ranking[0]
    many, title = len(ranking.places), _title_in_sentence(ranking.metric, comparison.positive)
    lead = list_names(_find_leaders(ranking), width=60)
    if not ranking.contenders:
        clause: tuple[Inline, ...] = (f"None of the {many} systems captures more information than expected by chance",)
    elif ranking.best is not None:
        clause = (*lead, f" is the best of {many} systems by {title}")
    elif len(ranking.contenders) == 1:
        clause = (*lead, f" alone of {many} systems captures more information than expected by chance")
    elif len(ranking.front) == len(ranking.contenders):
        clause = (f"No significant difference by {title}: ", *lead)
    elif ranking.leads:
        clause = (*lead, f" lead {many} systems by {title}, without a significant difference between them")
    else:
        clause = (f"No clear winner of {many} systems by {title}: ", *lead, " may be the best")
    return (*chain.from_iterable(broken), *clause, ".")


def _find_leaders(ranking: Ranking) -> list[str]:
    """Return the best, or those that no other is significantly better than; the first where rows make a circle."""
    return [ranking.best] if ranking.best is not None else list(ranking.front) or [ranking.places[0].name]


def _title_in_sentence(metric: str, positive: str | None) -> str:
    """Return a metric's title within a sentence; the class that it is about stays as it is spelled."""
    card = find(metric).card
    return card.title_in_sentence + card.of_class(positive)


def _write_lede(comparison: Comparison) -> Iterator[Phrase]:
    first, *others = comparison.ranking
    likely = sorted(first.contenders, key=lambda place: -place.probability_best)
    if first.best is None and len(likely) > 1:
        named = ((Name(place.name), f" {format_probability(place.probability_best)}") for place in likely[:3])
        yield ("Probability of being the best: ", *join_phrases(named, ", "), ".")
    elif len(likely) > 1:
        yield f"It is the best with probability {format_probability(likely[0].probability_best)}."
    if likely:
        # the metrics after the first, those that say the same together
        by_verdict: dict[tuple[Inline, ...], list[Term]] = {}
        for ranking in others:
            names = _find_leaders(ranking)
            verdict: tuple[Inline, ...] = (", ", *list_names(names), " lead." if len(names) > 1 else " leads.")
            if ranking.best is None and not ranking.leads and ranking.wins:
                verdict = (" there is no clear winner.",)
            elif set(names) == set(_find_leaders(first)):
                verdict = (" the verdict is the same.",)
            title = Term(ranking.metric, _title_in_sentence(ranking.metric, comparison.positive))
            by_verdict.setdefault(verdict, []).append(title)
        for verdict, titles in by_verdict.items():
            yield ("By ", *join_with_and(titles), *verdict)
        values = {
            ranking.metric: {place.name: place.estimate.value for place in ranking.places}
            for ranking in comparison.ranking
        }
        if (disagreement := describe_disagreement(values, comparison.positive)) is not None:
            yield disagreement
    baseline = comparison.baseline
    if baseline is not None:
        verdicts: dict[str, list[str]] = {}
        for name in comparison.systems:
            if name != baseline:
                pair = comparison.between(name, baseline, first.metric)
                verdicts.setdefault("not compared" if pair is None else pair.corrected_verdict, []).append(name)
        parts = ((f"{word}: ", *list_names(names)) for word, names in verdicts.items())
        yield ("Against the baseline ", Strong(baseline), ": ", *join_phrases(parts, "; "), ".")


def _make_tiles(comparison: Comparison) -> Iterator[Tile]:
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
    gap = notation.gap(pair.estimate, *_get_shown(first, pair))
    yield Tile(
        notation.signed(-gap if lower else gap).lstrip("+"),
        (f"{'points ' * notation.is_share}{'less' if lower else 'more'} than ", Name(rival, 24)),
        notation.signed_interval(lead),
    )
    yield Tile(format_probability(pair.probability_a_better), ("probability of being better than ", Name(rival, 24)))


def _get_shown(ranking: Ranking, pair: Difference) -> tuple[float, float]:
    """Return the numbers shown of both systems, with which their difference is to add up."""
    shown = {place.name: place.shown for place in ranking.places}
    return shown[pair.a], shown[pair.b]


# A ranking for each metric --------------------------------------------------------------------------------------------


def _make_ranking_section(comparison: Comparison, ranking: Ranking) -> Section:
    title = comparison.titled(ranking.metric)
    statement = ranking.statement
    # a system's name at the start of the statement stays as it is
    if not statement.startswith(tuple(f"{place.name}{end}" for place in ranking.places for end in (" ", ", "))):
        statement = f"{statement[0].upper()}{statement[1:]}"
    is_lower_better = find(ranking.metric).card.better == "lower"
    # the differences to the reference, with their intervals
    reference, notation = comparison.reference(ranking), MetricNotation(ranking.metric)
    rows = []
    for place in ranking.places:
        pair = comparison.between(place.name, reference, ranking.metric)
        if pair is not None:
            gap = notation.gap(pair.estimate, *_get_shown(ranking, pair))
            rows.append(ForestRow(place.name, gap, pair.estimate.low, pair.estimate.high, pair.corrected_verdict))
    points = notation.is_share
    display = ComparisonDisplay(
        rows,
        f"difference to {shorten(reference)}{', in percentage points' * points}",
        reference,
        not is_lower_better,
        differences=True,
        points=points,
    )
    interval = f", the dashed line, with {comparison.level:.0%} intervals."
    caption = (Strong("Differences"), " to ", Name(reference, 40), interval)
    forest = Figure(display.panel(), caption, style="differences")
    return Section(
        (Term(ranking.metric, title),),
        [Paragraph(f"{statement}."), _tabulate_ranking(comparison, ranking), forest],
        anchor=f"by-{ranking.metric}",
        link=title,
        aside=f"{'lower' if is_lower_better else 'higher'} is better",
    )


def _tabulate_ranking(comparison: Comparison, ranking: Ranking) -> Table:
    reference = comparison.reference(ranking)
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
    rows: list[Sequence[Cell]] = []
    for place in ranking.places:
        estimate = place.estimate
        uninformative = place.name in ranking.uninformative
        # the difference to the reference, its probability and the verdict
        pair = None if place.name == reference else comparison.between(place.name, reference, ranking.metric)
        difference = probability = ""
        if place.name == reference:
            first = "lowest" if find(ranking.metric).card.better == "lower" else "highest"
            verdict = "best" if ranking.best == reference else first
        elif pair is None or pair.estimate.shown is None:
            verdict = "not compared"
        else:
            difference = notation.difference(pair.estimate, _get_shown(ranking, pair))
            probability, verdict = format_probability(pair.probability_a_better), pair.corrected_verdict
        if place.name == reference and comparison.baseline:
            verdict = "baseline"
        elif uninformative:
            verdict = "no information"
        rows.append(
            (
                Name(place.name),
                Groups([groups.index(group) for group in place.groups], len(groups)),
                Whisker(estimate.low, place.shown, estimate.high, (low - pad, high + pad)),
                Strong(notation.value(place.shown)),
                notation.interval(estimate),
                *([notation.in_sample(estimate)] if in_sample else []),
                difference,
                probability,
                verdict,
                "" if uninformative else format_probability(place.probability_best),
            )
        )
    letters = "Systems with the same letter do not differ significantly. " if groups else ""
    note = (f"{letters}Differences are to ", Name(reference, 60), ".")
    caption = f"Systems by {comparison.titled(ranking.metric)}"
    return Table(columns, rows, caption, note=note, search="systems", style="forest")


# Pairs ----------------------------------------------------------------------------------------------------------------


def _make_improvement_section(comparison: Comparison) -> Iterator[Section]:
    """Show by what factor the error of the reference is smaller: as a table and as a picture."""
    reference = comparison.reference(comparison.ranking[0])
    rows: list[tuple[Cell, ...]] = []
    steps = []
    for name in comparison.systems:
        factors = {loss: comparison.improvement(reference, name, loss) for loss in LOSSES}
        if any(factor is not None for factor in factors.values()):
            rows.append((Name(name), *map(_format_improvement, factors.values())))
        for loss, factor in factors.items():
            if factor is None:
                continue
            # from each system to the best, or from the baseline to each system
            title, onward = f"{name} → {reference}", factor
            if comparison.baseline is not None:
                title, onward = name, comparison.improvement(name, reference, loss) or factor
            by = "accuracy" if loss == "1 - accuracy" else "information"
            steps.append(ImprovementStep(title, by, onward.value or 1.0, onward.low, onward.high))
    if not rows:
        return
    columns = [Column("system", "name", 10), *(Column(title) for title in LOSSES.values())]
    note = (
        Name(reference),
        "'s error is this many times smaller than that of the system in the row; 1 is no difference.",
    )
    table = Table(columns, rows, "Improvement factors", note=note)
    figure = Figure(ImprovementDisplay(steps).panel(), style="differences")
    yield Section("Improvement factors", [table, figure], anchor="factors", link="Improvement")


def _format_improvement(factor: Estimate | None) -> str:
    if factor is None or factor.value is None or factor.low is None or factor.high is None:
        return ""
    return f"{format_factor(factor.value)} ({format_factor(factor.low)} – {format_factor(factor.high)})"


def make_pair_section(comparison: Comparison) -> Section:
    """Show every pair in every metric."""
    shown = {(place.name, ranking.metric): place.shown for ranking in comparison.ranking for place in ranking.places}
    table = Table(
        *tabulate(
            comparison.pairs,
            *make_difference_columns(
                lambda pair: comparison.titled(pair.metric), lambda *place: shown.get(place), is_corrected=True
            ),
            (Column("improvement"), lambda pair: _format_improvement(pair.improvement)),
            (
                Column("correlation of errors"),
                lambda pair: (
                    format_number(pair.correlation, ".2f")
                    if pair.paired and pair.correlation is not None
                    else "unpaired"
                ),
            ),
        ),
        "All pairs",
        note="Verdicts are corrected for the number of pairs (Holm), intervals are those of each pair alone. "
        "Improvement: by what factor A's error is smaller. Correlation of errors: over common rows.",
        search="pairs",
    )
    return Section(f"All {len(comparison.pairs)} pairs", [table])


def _make_test_section(comparison: Comparison) -> Iterator[Section]:
    """Show the tests of the textbooks beside the posterior; nothing where none was run."""
    tests = [name for name in TESTS if any(name in pair.tests for pair in comparison.pairs)]
    exact = any(pair.information is not None for pair in comparison.pairs)
    if not tests and not exact:
        return
    columns = [Column("A", "name"), Column("B", "name"), Column("metric", "text")]
    columns += [Column(TESTS[name]) for name in tests] + ([Column("information, bits")] if exact else [])
    rows: list[Sequence[Cell]] = []
    for pair in comparison.pairs:
        cells: list[Cell] = [format_p_value(pair.tests[name]) if name in pair.tests else "–" for name in tests]
        if exact:
            gap = pair.information
            is_defined = gap is not None and gap.value is not None
            words = f"{gap.value:+.3f} ({gap.low:+.3f} – {gap.high:+.3f})" if gap and is_defined else "–"
            cells.append(words.replace("-", "−"))
        rows.append((Name(pair.a, 24), Name(pair.b, 24), comparison.titled(pair.metric), *cells))
    note = (
        "P-values: how often chance alone would separate two equal systems as far. The swap test exchanges their "
        "predictions row by row; McNemar's test is about accuracy alone. Information: the exact paired difference of "
        "the mutual information."
    )
    yield Section("Classical tests", [Table(columns, rows, "Classical tests", note=note, search="pairs")])
