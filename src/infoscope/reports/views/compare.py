"""Show a comparison: which system is better, by how much, and how sure that is.

``outline`` is called by ``reports/render.py``: the verdict by the first metric, all systems in one table, the samples
that only one of two gets right; folded, all pairs, a ranking by each metric, improvement factors, classical tests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, pairwise
from math import floor, log10

from infoscope.core.markup import pluralize
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
    ShareBar,
    Strong,
    Table,
    Term,
    Whisker,
    join_phrases,
    join_with_and,
    list_names,
)
from infoscope.reports.shared import NO_VERDICTS, describe_disagreement, make_difference_columns, tabulate
from infoscope.results.estimate import Difference, Estimate, negate
from infoscope.results.notation import (
    MetricNotation,
    Units,
    format_count,
    format_factor,
    format_number,
    format_p_value,
    format_probability,
)
from infoscope.studies.compare import INFORMATION, Comparison, ConstantPrediction, Place, Ranking

MAX_PAIRS = 6
"""Pairs whose samples are counted on the first screen."""
MAX_BESIDE = 2
"""Other metrics beside the first up to which captured information has a whisker and its interval is kept."""
MAX_LEADERS = 3
"""Systems whose numbers the verdict names."""

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
    """Write the outline: the verdict by the first metric, all systems in one table, and the samples that decide."""
    first = comparison.ranking[0]
    # labels that seem to be no classes, or cells that seem to be no counts, allow no verdict
    codes = (finding.code for finding in comparison.findings)
    no_verdict = next((NO_VERDICTS[code] for code in codes if code in NO_VERDICTS), None)
    rows = list(dict.fromkeys(format_count(size) for size in sorted(comparison.samples.values())))
    size = " to ".join((rows[0], rows[-1]) if len(rows) > 1 else rows)
    paired = all(pair.paired for pair in comparison.pairs)
    values = {
        ranking.metric: {place.name: place.estimate.value for place in ranking.places} for ranking in comparison.ranking
    }
    disagreement = describe_disagreement(values, comparison.positive)
    is_binary = [bool(find(ranking.metric).card.of_class(comparison.positive)) for ranking in comparison.ranking]
    of_class = any(is_binary) and not is_binary[0]  # else the headline names the class
    return Outline(
        title=f"{', '.join(plain_label(name)[:40] for name in _find_leaders(first)[:3])} | comparison",
        kicker=(
            "Comparison",
            f"{size} samples, {'paired by row' if paired else 'unpaired: different rows'}",
            *(() if comparison.classes is None else (pluralize(comparison.classes, "class"),)),
            f"{comparison.level:.0%} intervals",
            *((f"positive class '{comparison.positive}'",) if of_class else ()),
        ),
        headline=f"No verdict: {no_verdict}." if no_verdict else _write_headline(comparison),
        lede=[] if no_verdict else list(_write_lede(comparison)),
        sections=[
            Section("", [_tabulate_systems(comparison)]),
            *_make_hits_section(comparison),
            make_pair_section(comparison),
            Section(
                "Each metric",
                [
                    Paragraph("The stated risk of false claims holds for each metric by itself.", quiet=True),
                    *([] if disagreement is None else [Paragraph(disagreement)]),
                    *(_make_ranking_section(comparison, ranking) for ranking in comparison.ranking),
                ],
                "metrics",
                folded=True,
                aside="rankings, groups without a significant difference, probabilities",
            ),
            *_make_improvement_section(comparison),
            *_make_test_section(comparison),
        ],
        more="-v metrics and pairs · -o page.html · --rope 0.01 for “close enough”",
        appendix=Appendix(
            metrics=[*(ranking.metric for ranking in comparison.ranking), "mutual_information"],
            method=(
                f"Intervals hold the true value with {comparison.level:.0%} probability, by a Bayesian posterior of "
                "each system's table; differences take into account how the errors of the two systems are correlated "
                "over the rows that both have. Differences of accuracy go by the samples that only one of two gets "
                "right.",
                f"“Significant”, “better” and “worse” consider all pairs of systems at once (Holm): the risk of any "
                f"false claim is {100 * (1 - comparison.level):.3g}% for each metric by itself, not over all metrics.",
                "Conventional metrics are those of this sample. Information is corrected for few rows per class, as "
                "the mean of the posterior; the sample's value stands beside it.",
            ),
        ),
    )


# Headline and sentences -----------------------------------------------------------------------------------------------

_BROKEN_LABELS = {
    "no_common_label": "No label in common with the truth",
    "misspelt_predictions": "Classes spelled otherwise than in the truth",
    "relabelled": "Outputs look renamed",
}


def _write_headline(comparison: Comparison) -> Phrase:
    """Write which system is best, its number and by how much, after what is wrong with names of classes."""
    systems: dict[str, list[str]] = {}
    for finding in comparison.findings:
        if finding.code in _BROKEN_LABELS:
            systems.setdefault(_BROKEN_LABELS[finding.code], []).append(str(finding.evidence["system"]))
    broken = [((f"{words}: ", *list_names(names, width=60), ". ")) for words, names in systems.items()]
    return (*chain.from_iterable(broken), *_write_verdict(comparison), ".")


def _write_verdict(comparison: Comparison) -> tuple[Inline, ...]:
    ranking = comparison.ranking[0]
    many, places = len(ranking.places), ranking.contenders
    if not places:
        title = _title_in_sentence(ranking.metric, comparison.positive)
        start = f"None of the {many} systems captures more information than expected by chance: {title} is "
        return (start, *_list_values(ranking, ranking.places[:MAX_LEADERS]))
    if ranking.best is not None:
        (best,) = (place for place in places if place.name == ranking.best)
        second = next(place for place in ranking.places if place is not best)
        gap = _describe_gap(comparison, ranking, best, second)
        certain = (", probability ", format_probability(best.probability_best))
        size, within = gap
        if many == 2:
            values = _state_values(comparison, ranking, (best, second))
            than: tuple[Inline, ...] = (" is better than ", Name(second.name, 60), f": {values}, {size}{within}")
            return (Name(best.name, 60), *than, *certain)
        values = _state_values(comparison, ranking, (best,))
        than = (f" is the best of {many}: {values}, {size} than ", Name(second.name, 60), within)
        return (Name(best.name, 60), *than, *certain)
    if len(places) == 1:
        chance = f" alone of {many} systems captures more information than expected by chance"
        return (Name(places[0].name, 60), f"{chance}: {_state_values(comparison, ranking, places)}")
    front = [place for place in places if place.name in ranking.front] or list(places[:1])
    if ranking.leads and len(front) < len(places):
        return (f"{len(front)} of {many} systems lead: ", *_name_values(comparison, ranking, front))
    start = "No clear winner" + f" of {many}" * (many > 2) + ": "
    return (start, *_name_values(comparison, ranking, front))


def _state_values(comparison: Comparison, ranking: Ranking, places: Sequence[Place]) -> str:
    """Write the numbers of one or two systems: "right in 98.9% of 1,797 samples", "F1 of 'cat' 65.7% against 50.3%"."""
    numbers = " against ".join(MetricNotation(ranking.metric).value(place.shown) for place in places)
    if ranking.metric != "accuracy":
        return f"{_title_in_sentence(ranking.metric, comparison.positive)} {numbers}"
    sizes = {format_count(comparison.samples[place.name]) for place in places}
    return f"right in {numbers} of {sizes.pop()} samples" if len(sizes) == 1 else f"accuracy {numbers}"


def _name_values(comparison: Comparison, ranking: Ranking, places: Sequence[Place]) -> tuple[Inline, ...]:
    """Write systems with their numbers, and how far the first two are apart."""
    notation, title = MetricNotation(ranking.metric), _title_in_sentence(ranking.metric, comparison.positive)
    named, left = places[:MAX_LEADERS], len(places) - MAX_LEADERS
    more = f" (and {left} more {'is' if left == 1 else 'are'} no worse)" if left > 0 else ""
    sizes = {format_count(comparison.samples[place.name]) for place in named}
    if ranking.metric == "accuracy" and len(sizes) == 1:
        numbers: list[Phrase] = [
            (Name(place.name, 60), f"{'' if rank else ' is right'} in {notation.value(place.shown)}")
            for rank, place in enumerate(named)
        ]
        sentence: tuple[Inline, ...] = (*join_with_and(numbers), f" of {sizes.pop()} samples{more}")
    else:
        sentence = (f"{title} is ", *_list_values(ranking, named), more)
    pair = comparison.between(places[0].name, places[1].name, ranking.metric) if len(places) > 1 else None
    if pair is None:
        return sentence
    size, within = _describe_gap(comparison, ranking, places[0], places[1])
    size = size.removesuffix(" more").removesuffix(" less")
    if len(places) > 2:
        return (*sentence, f"; the first two differ by {size}{within}, not significantly")
    copies = (finding.evidence["systems"] for finding in comparison.findings if finding.code == "same_predictions")
    if any({pair.a, pair.b} <= set(names) for names in copies):  # type: ignore[arg-type]
        return (*sentence, "; they predict the same")
    if pair.verdict == "equivalent":
        return (*sentence, f"; they are equivalent, with a difference of {size}{within}")
    probability = format_probability(places[0].probability_best)
    gap = f"; the difference of {size}{within} is not significant, probability {probability} that "
    return (*sentence, gap, Name(places[0].name, 60), " is better")


def _list_values(ranking: Ranking, places: Sequence[Place]) -> tuple[Inline, ...]:
    notation = MetricNotation(ranking.metric)
    return tuple(join_with_and([(f"{notation.value(place.shown)} for ", Name(place.name, 60)) for place in places]))


def _describe_gap(comparison: Comparison, ranking: Ranking, one: Place, other: Place) -> tuple[str, str]:
    """Write by how much one system is ahead: "13.5 points more", " (11.9 – 15.1)"."""
    pair = comparison.between(one.name, other.name, ranking.metric)
    if pair is None:
        return "not compared with the next", ""
    notation = MetricNotation(ranking.metric)
    lower = notation.lowest_first
    gap = notation.gap(pair.estimate, one.shown, other.shown)
    lead = negate(pair.estimate) if lower else pair.estimate
    size = notation.signed(-gap if lower else gap).lstrip("+")
    return f"{size}{' points' * notation.is_share} {'less' if lower else 'more'}", f" ({_format_range(notation, lead)})"


def _format_range(notation: MetricNotation, gap: Estimate) -> str:
    """Write the interval of a difference; signs only where an end is negative."""
    return " – ".join(notation.signed(end).lstrip("+") for end in (gap.low, gap.high))


def _find_leaders(ranking: Ranking) -> list[str]:
    """Return the best, or those that no other is significantly better than; the first where rows make a circle."""
    return [ranking.best] if ranking.best is not None else list(ranking.front) or [ranking.places[0].name]


def _title_in_sentence(metric: str, positive: str | None) -> str:
    """Return a metric's title within a sentence; the class that it is about stays as it is spelled."""
    card = find(metric).card
    if metric == INFORMATION:
        return "captured information"
    return card.title_in_sentence + card.of_class(positive)


def _write_lede(comparison: Comparison) -> Iterator[Phrase]:
    first, *others = comparison.ranking
    doubtful = [finding.evidence["metrics"] for finding in comparison.findings if finding.code == "dominant_class"]
    others = [ranking for ranking in others if not doubtful or ranking.metric not in doubtful[0]]  # type: ignore[operator]
    if len(first.contenders) > 1:
        for ranking in others:
            yield from _compare_verdicts(comparison, first, ranking)
        yield from _describe_tie(comparison, first)
    baseline = comparison.baseline
    if baseline is not None:
        verdicts: dict[str, list[str]] = {}
        for name in comparison.systems:
            if name != baseline:
                pair = comparison.between(name, baseline, first.metric)
                verdicts.setdefault("not compared" if pair is None else _get_verdict(pair), []).append(name)
        parts = ((f"{word}: ", *list_names(names)) for word, names in verdicts.items())
        yield ("Against the baseline ", Strong(baseline), ": ", *join_phrases(parts, "; "), ".")


def _compare_verdicts(comparison: Comparison, first: Ranking, other: Ranking) -> Iterator[Phrase]:
    """Say what captured information says, and any other metric by which another system is significantly the best."""
    title = Term(other.metric, _title_in_sentence(other.metric, comparison.positive))
    if other.best is not None and other.best == first.best:
        if other.metric == INFORMATION:
            yield ("By ", title, ", too.")
    elif other.best is not None:
        (best,) = (place for place in other.places if place.name == other.best)
        leader = first.best or first.places[0].name
        rival = next((place for place in other.places if place.name == leader != best.name), other.places[1])
        size, within = _describe_gap(comparison, other, best, rival)
        yield ("By ", title, ", ", Name(best.name), f" is the best: {size} than ", Name(rival.name), f"{within}.")
    elif other.metric == INFORMATION:
        yield ("By ", title, " there is no clear winner" + ", either" * (first.best is None) + ".")


def _describe_tie(comparison: Comparison, first: Ranking) -> Iterator[Phrase]:
    """Name the first two systems behind the best that do not differ significantly, and what they capture."""
    behind = [place for place in first.contenders if place.name != first.best] if first.best is not None else []
    for one, other in pairwise(behind):
        pair = comparison.between(one.name, other.name, first.metric)
        if pair is None or pair.significant:
            continue
        title = _title_in_sentence(first.metric, comparison.positive)
        size, within = _describe_gap(comparison, first, one, other)
        size = size.removesuffix(" more").removesuffix(" less")
        words = f": no significant difference in {title} ({size}, {within.strip(' ()')})"
        captured = comparison.between(one.name, other.name, INFORMATION)
        clause: tuple[Inline, ...] = ()
        if first.metric != INFORMATION and captured is not None and captured.significant:
            ranking = next(ranking for ranking in comparison.ranking if ranking.metric == INFORMATION)
            better, worse = (place for place in ranking.places if place.name in (one.name, other.name))
            gap, range_ = _describe_gap(comparison, ranking, better, worse)
            clause = ("; ", Name(better.name), f" captures {gap} information{range_}")
        yield (Name(one.name), " and ", Name(other.name), words, *clause, ".")
        return


def _get_verdict(pair: Difference) -> str:
    """Return the verdict among all pairs: what is not significant alone is not among all, either."""
    return "not significant" if pair.corrected_verdict == "inconclusive" else pair.corrected_verdict


def _get_shown(ranking: Ranking, pair: Difference) -> tuple[float, float]:
    """Return the numbers shown of both systems, with which their difference is to add up."""
    shown = {place.name: place.shown for place in ranking.places}
    return shown[pair.a], shown[pair.b]


# All systems in one table, and the samples that decide ----------------------------------------------------------------


def _tabulate_systems(comparison: Comparison) -> Table:
    """Tabulate all systems: the metric that decides with the difference to the reference, and the others beside it."""
    first = comparison.ranking[0]
    reference = comparison.reference(first)
    beside = sorted(comparison.ranking[1:], key=lambda ranking: ranking.metric == INFORMATION)
    has_room = len(beside) <= MAX_BESIDE
    less = "more" if find(first.metric).card.better == "lower" else "less"
    by_baseline = comparison.baseline is not None
    behind = f"difference to {shorten(reference, 16)}" if by_baseline else f"{less} than {shorten(reference, 16)}"
    columns = [
        Column("system", "name", 10),
        Column(_title_scale(first), "whisker"),
        Column(_name_column(first.metric)),
        Column("interval", priority=8),
        Column(behind, priority=7 if len(first.places) > 2 else 3),  # of two, the verdict has it
    ]
    for ranking in beside:
        is_named = ranking.metric == INFORMATION
        number = Column(_name_column(ranking.metric), priority=9 if is_named else 5)
        columns += [*([Column(_title_scale(ranking), "whisker")] if is_named and has_room else []), number]
        columns += [Column("interval", priority=6 if has_room else 4)] if is_named else []
    columns += [Column("verdict", "text"), Column("P(best)", priority=3)]

    rows: list[Sequence[Cell]] = []
    numbers: list[Cell]
    for place in first.places:
        cells: list[Cell] = [Name(place.name), *_write_place(first, place)]
        pair = None if place.name == reference else comparison.between(place.name, reference, first.metric)
        cells.append("" if pair is None else _write_difference(first, pair, signed=by_baseline))
        for ranking in beside:
            own = next((other for other in ranking.places if other.name == place.name), None)
            numbers = ["", "–", ""] if own is None else [*_write_place(ranking, own)]
            is_named = ranking.metric == INFORMATION
            cells += numbers[0 if has_room else 1 :] if is_named else numbers[1:2]
        uninformative = place.name in first.uninformative
        cells += [
            _judge_place(comparison, first, place.name, pair),
            "" if uninformative else format_probability(place.probability_best),
        ]
        rows.append(cells)
    if comparison.constant is not None:
        rows.append(_tabulate_constant(comparison.constant, columns, [first, *beside], has_room=has_room))
    note = f"Differences are to the baseline, with {comparison.level:.0%} intervals." if by_baseline else ""
    return Table(columns, rows, "Systems", note=note, search="systems", style="forest", stacks=True)


def _tabulate_constant(
    constant: ConstantPrediction, columns: Sequence[Column], rankings: Sequence[Ranking], *, has_room: bool
) -> Sequence[Cell]:
    """Return the row of always predicting the most frequent class, to compare the systems with."""

    def write_value(ranking: Ranking) -> Cell:
        value = constant.metrics[ranking.metric].value
        return "–" if value is None else MetricNotation(ranking.metric).value(value)

    first, *beside = rankings
    cells: list[Cell] = [Name(f"always '{constant.label}'"), "", write_value(first), "", ""]
    for ranking in beside:
        is_named = ranking.metric == INFORMATION
        cells += [*([""] if is_named and has_room else []), write_value(ranking), *([""] if is_named else [])]
    return [*cells, *([""] * (len(columns) - len(cells)))]


def _name_column(metric: str) -> str:
    return "captured" if metric == INFORMATION else find(metric).card.title_in_sentence


def _write_place(ranking: Ranking, place: Place) -> tuple[Cell, Cell, Cell]:
    """Return a system's whisker on the scale of all systems, its number and its interval."""
    notation, estimate = MetricNotation(ranking.metric), place.estimate
    whisker = Whisker(estimate.low, place.shown, estimate.high, _choose_scale(ranking))
    return whisker, Strong(notation.value(place.shown)), notation.interval(estimate)


def _choose_scale(ranking: Ranking) -> tuple[float, float]:
    """Return round ends of a scale in four steps that holds all values with their intervals."""
    ends = [end for place in ranking.places for end in (place.estimate.low, place.shown, place.estimate.high)]
    known = [end for end in ends if end is not None]
    low, high = min(known), max(known)
    exponent = floor(log10(max(high - low, 1e-3))) - 2
    steps = (size * 10.0**power for power in range(exponent, exponent + 4) for size in (1, 2, 5))
    step = next(step for step in steps if floor(low / step) * step + 4 * step >= high)
    start = min(floor(low / step) * step, find(ranking.metric).card.range[1] - 4 * step)
    return start, start + 4 * step


def _title_scale(ranking: Ranking) -> str:
    """Write the ends of the scale, which stand above the first and the last line of the column."""
    notation = MetricNotation(ranking.metric)
    return " ".join(notation.value(end) for end in _choose_scale(ranking))


def _write_difference(ranking: Ranking, pair: Difference, *, signed: bool) -> str:
    """Write a difference to the reference: by how much a system is behind it, or with a sign."""
    notation = MetricNotation(ranking.metric)
    if pair.estimate.shown is None:
        return "–"
    gap = notation.gap(pair.estimate, *_get_shown(ranking, pair))
    if signed:
        return f"{notation.signed(gap)} ({notation.signed_interval(pair.estimate)})"
    lower = notation.lowest_first
    size = notation.signed(gap if lower else -gap).lstrip("+")
    within = _format_range(notation, pair.estimate if lower else negate(pair.estimate))
    return f"{size} ({within.replace(' ', '')})"


def _judge_place(comparison: Comparison, ranking: Ranking, name: str, pair: Difference | None) -> str:
    """Return the verdict on a system against the reference, in a word or two."""
    if name in ranking.uninformative:
        return "no information"
    if name == comparison.reference(ranking):
        pairs = (comparison.between(other, name, ranking.metric) for other in comparison.systems if other != name)
        if not comparison.baseline and any(pair is not None and pair.verdict == "equivalent" for pair in pairs):
            return "equivalent"
        first = "lowest" if find(ranking.metric).card.better == "lower" else "highest"
        return "baseline" if comparison.baseline else "best" if ranking.best == name else first
    return "not compared" if pair is None or pair.estimate.shown is None else _get_verdict(pair)


def _make_hits_section(comparison: Comparison) -> Iterator[Section]:
    """Show the samples that only one of two systems gets right: those with the reference, then neighbours."""
    first = comparison.ranking[0]
    ordered = [place.name for place in first.places]
    reference = comparison.reference(first)
    pairs = [(reference, name) for name in ordered if name != reference]
    pairs += [pair for pair in pairwise(ordered) if reference not in pair]
    hits = [pair for names in pairs if (pair := comparison.hits_of(*names)) is not None]
    if not hits:
        return
    most = max(max(pair.only_a, pair.only_b) for pair in hits) or 1.0
    rows = tabulate(
        hits,
        (Column("", "name"), lambda pair: Name(pair.a, 24)),
        (Column(""), lambda pair: Strong(format_count(round(pair.only_a, 1)))),
        (Column("", "bar", only="page"), lambda pair: ShareBar(pair.only_a / most)),
        (Column("", "bar", only="page"), lambda pair: ShareBar(pair.only_b / most, role="false")),
        (Column(""), lambda pair: Strong(format_count(round(pair.only_b, 1)))),
        (Column("", "name"), lambda pair: Name(pair.b, 24)),
    )
    effective = any(finding.code == "effective_sample_size" for finding in comparison.findings)
    yield Section(
        "Samples that only one of the two gets right",
        [
            Table(
                *rows,
                "Samples that only one of two systems gets right",
                header=False,
                max_rows=MAX_PAIRS,
                style="duels",
            )
        ],
        "why",
        advice="beside",
        aside="effective samples, as rows have weights" if effective else "",
    )


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
        aside=f"{'lower' if is_lower_better else 'higher'} is better",
    )


def _tabulate_ranking(comparison: Comparison, ranking: Ranking) -> Table:
    reference = comparison.reference(ranking)
    groups = sorted({group for place in ranking.places for group in place.groups})
    notation = MetricNotation(ranking.metric)
    in_sample = any(notation.in_sample(place.estimate) for place in ranking.places)
    columns = [
        Column("system", "name", 10),
        Column("tied" if groups else "", "text", 4),
        Column(_title_scale(ranking), "whisker"),
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
                Whisker(estimate.low, place.shown, estimate.high, _choose_scale(ranking)),
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
    yield Section(
        "Improvement factors",
        [table, figure],
        anchor="factors",
        folded=True,
        aside="how many times smaller the error is",
    )


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
    aside = "differences, probabilities, correction for several comparisons"
    return Section("All pairs", [table], "pairs", folded=True, aside=aside)


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
    table = Table(columns, rows, "Classical tests", note=note, search="pairs")
    yield Section("Classical tests", [table], "tests", folded=True, aside="McNemar, exchanged predictions")
