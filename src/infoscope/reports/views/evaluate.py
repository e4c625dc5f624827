"""Show an evaluation: what the systems capture, what to fix, how they compare.

``outline`` is called by ``reports/render.py``. It puts the best system first, or the worst group; headline, sentences
and tiles are about that one. Below it are the sections in the order of the page; those on ordered classes, costs,
scores and example rows are there only where the evaluation has them. What is shown of each system is in
``reports/systems.py``, the parts that a script moves in ``reports/html/evaluation.py``, the judge in ``judge.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from infoscope.core.markup import pluralize
from infoscope.errors import InputError
from infoscope.figures.coverage import CoverageDisplay
from infoscope.figures.display import Display
from infoscope.figures.layout import plain_label
from infoscope.figures.score_curves import LiftDisplay, PrecisionRecallDisplay, ReliabilityDisplay
from infoscope.figures.triangle import EntropyTriangleDisplay, SplitTriangleDisplay
from infoscope.metrics.registry import catalogue
from infoscope.reports.outline import (
    ALL_ROWS,
    Appendix,
    Block,
    Bullets,
    Cell,
    Code,
    Column,
    Explorer,
    Figure,
    InformationBar,
    Inline,
    Name,
    Outline,
    Paragraph,
    Phrase,
    Section,
    ShareBar,
    SideBySide,
    Strong,
    Table,
    Term,
    Tile,
    join_phrases,
    list_names,
    shorten_reason,
)
from infoscope.reports.shared import (
    NO_VERDICTS,
    ItemColumn,
    describe_disagreement,
    make_group_columns,
    tabulate,
    tabulate_choices,
)
from infoscope.reports.systems import (
    find_difference,
    list_metric_choices,
    make_confusion_display,
    make_grid_display,
    make_grid_section,
    place_in_coverage,
    place_in_split_triangle,
    place_in_triangle,
    tabulate_classes,
    tabulate_confusions,
)
from infoscope.reports.views.judge import make_judge_section, write_judge_sentences
from infoscope.results.finding import Finding
from infoscope.results.notation import (
    UNDEFINED,
    MetricNotation,
    Units,
    describe_false_bits,
    describe_sample_value,
    format_count,
    format_interval,
    format_number,
    format_points,
    format_probability,
    format_share,
    format_share_with_interval,
)
from infoscope.studies.evaluation import (
    INFORMATION,
    CellExamples,
    ClassEstimates,
    Evaluation,
    GroupSpread,
    SystemResult,
    describe_halving,
)
from infoscope.tables.column_kinds import ask_positive
from infoscope.typing import Json

_Point = TypeVar("_Point")


def _reject_empty(points: list[_Point]) -> list[_Point]:
    if not points:
        raise InputError("no system has a place in this picture: its information is undefined")
    return points


PICTURES: dict[str, Callable[[Evaluation], Display]] = {
    "coverage": lambda result: CoverageDisplay(_reject_empty(place_in_coverage(result.ranking))),
    "triangle": lambda result: EntropyTriangleDisplay(_reject_empty(place_in_triangle(result.ranking)), zoom=True),
    "split": lambda result: SplitTriangleDisplay(_reject_empty(place_in_split_triangle(result.ranking)), zoom=True),
    "confusion": make_confusion_display,
    "confusions": make_grid_display,
    "confusions_of_system": lambda result: make_grid_display(result, "of_system"),
}
MAX_TIED = 4
"""Groups of systems without a significant difference that text names."""
MUCH_BY_CHANCE = 0.05
"""Captured information, at least, from which on the headline says that chance shows as much: samples are few."""
MANY_METRICS = 4
"""From this many chosen metrics on, the columns of a table are headed by symbols."""
STATED_PRIORS = ("haldane", "jeffreys", "uniform", "wolpert-wolf")
"""Dirichlet priors that are no default, so that they were asked for."""
MAX_MOMENTS = 4
"""Systems whose moments are shown."""
MAX_CHOSEN = 5
"""Chosen metrics in the headline: NI, accuracy, precision, recall and rejection rate are one line."""
_RETURN = "return_on_investment"
MAX_COST_CELLS = 8
MAX_COLUMNS = 40
"""Systems in the table of all metrics."""
MAX_EXAMPLES = 5
"""Confused pairs whose rows are shown outside of pages."""
MAX_CHARACTERS = 80


def outline(evaluation: Evaluation, unit: Units) -> Outline:
    """Write the outline: the best system first, a ranking where there are several, classes and cells after that."""
    if not evaluation.systems:
        raise InputError("there is no system to report on; evaluate at least one")
    focus = evaluation.ranking[0]
    several = len(evaluation.systems) > 1
    # metrics of the reader's choice come first, unless no verdict is possible
    chosen_sentences, captures = list(_write_chosen_sentences(evaluation, unit)), _write_headline(evaluation, focus)
    is_verdict = focus.is_informative and not _explain_no_verdict(focus)
    headline, *sentences = [*chosen_sentences, captures] if is_verdict else [captures, *chosen_sentences]
    name, captured = plain_label(focus.title)[:60], focus.estimate("proficiency")
    title = f"{name}: one true class"
    hero: list[Block] = []
    if captured.shown is not None:
        title = f"{name}: {format_share(captured.value if captured.value == 1.0 else captured.shown, 0)} captured"
        false = focus.shown("false_information_ratio")
        shares = None if false is None else (captured.shown, false)
        hero = [InformationBar.from_bits(focus.shown, unit, shares)]
    tiles = list(_make_chosen_tiles(evaluation, focus, unit))
    chosen = {tile.metric for tile in tiles}
    tiles += [tile for tile in _make_tiles(focus) if tile.metric not in chosen]
    no_information = all(system.shown("proficiency") is None for system in evaluation.systems)
    sections = [
        *make_judge_section(evaluation, unit),
        *_make_chosen_section(evaluation, unit),
        *([_make_ranking_section(evaluation)] if several else []),
        *_make_spread_section(evaluation, unit),
        *_make_cost_section(evaluation),
        *_make_order_section(evaluation),
        *_make_score_section(evaluation, unit),
        Section(
            ("A closer look at ", Name(focus.title))
            if several
            else "Classes"
            if captured.shown is None
            else "Where information is lost",
            [SideBySide(tabulate_classes(focus, unit), tabulate_confusions(focus))],
            only="plain",
        ),
        *_make_example_sections(evaluation.ranking),
        Section(
            "Classes" if no_information else "What to fix, and where information is lost",
            [Explorer("systems", (evaluation, unit))],
            "fix",
            only="page",
        ),
    ]
    if several:
        blocks = [Explorer("compare", (evaluation, unit))]
        sections.append(Section("Compared with each other", blocks, "compare", only="page", link="Compare"))
    sections += make_grid_section(evaluation)
    sections += _make_moments_sections(evaluation, unit)
    if place_in_triangle(evaluation.systems) or place_in_coverage(evaluation.systems):
        sections.append(Section("Maps", [Explorer("maps", evaluation)], "maps", only="page"))
    return Outline(
        title=title,
        kicker=list(_write_kicker(evaluation, focus, unit)),
        headline=headline,
        lede=[*write_judge_sentences(evaluation, focus), *sentences, *_write_lede(evaluation, focus)],
        hero=hero,
        tiles=tiles,
        findings=_collect_findings(evaluation, focus),
        sections=sections,
        footnotes=[f"{words}." for words in _describe_intervals(evaluation)],
        appendix=_make_appendix(evaluation, unit),
        script="evaluation.js",
        data={"choices": list_metric_choices(evaluation, unit)} if several else {},
    )


def _write_kicker(evaluation: Evaluation, focus: SystemResult, unit: Units) -> Iterator[Phrase]:
    """Write facts about what was evaluated: the size of the sample, classes, the truth's entropy, the source."""
    yield "Evaluation"
    sizes = [system.n for system in evaluation.systems if system.name == focus.name]
    judges = [part.judge for part in evaluation.judged_parts() if part.judge is not None]
    groups = max(len(judges) if judges else len(sizes), 1)
    in_groups = f" in {groups} groups" if groups > 1 else ""
    samples = sum(size or 0.0 for size in sizes)
    if None in sizes:
        yield "sample size unknown"
    elif judges:
        labels, rows = (
            format_count(round(sum(counts))) for counts in zip(*((j.labels, j.rows) for j in judges), strict=True)
        )
        if evaluation.provenance.rows is None:
            yield f"labels of weight {labels} among rows of weight {rows}{in_groups}"
        else:
            yield f"{labels} labels among {rows} rows{in_groups}"
    elif not float(samples).is_integer():
        yield f"weights worth {samples:,.1f} samples"
    else:
        yield f"{pluralize(samples, 'sample')}{in_groups}"
    true, predicted = len(focus.truth_labels), len(focus.system_labels) - (focus.reject is not None)
    yield pluralize(true, "class") + ("" if true == predicted else f", {predicted:,} predicted")
    if focus.shown("proficiency") is not None:
        truth = focus.estimate("truth_entropy")
        shown, sample = unit.amount(truth.shown), unit.amount(truth.value)
        yield f"truth {shown} {unit.name}" + f" ({sample} in this sample)" * (truth.corrected and sample != shown)
    if focus.positive is not None and not focus.positive_by_sorting:
        yield f"positive class '{focus.positive}'"
    if evaluation.provenance.source is not None:
        yield Name(evaluation.provenance.source, 60)


# Headline and sentences -----------------------------------------------------------------------------------------------


def _explain_no_verdict(system: SystemResult) -> str | None:
    return next((NO_VERDICTS[finding.code] for finding in system.diagnosis if finding.code in NO_VERDICTS), None)


def _write_headline(evaluation: Evaluation, focus: SystemResult) -> Phrase:
    captured, accuracy = focus.estimate("proficiency"), focus.estimate("accuracy")
    name = Name(focus.title, 48)
    if captured.shown is None:  # mostly because the truth has one class
        only = find_only_label(focus.classes, "support")
        if only is None:
            return (name, f" cannot be evaluated by information: {captured.undefined}.")
        right = f" is right in {format_share_with_interval(accuracy)} of them."
        if accuracy.value in (None, 1.0):
            right = " is not scored." if accuracy.value is None else " always predicts it."
        start = "All samples have the true class '"
        return (start, Name(only), "', so there is no information to capture; ", name, right)
    if reason := _explain_no_verdict(focus):
        return f"No verdict: {reason}."
    many = len(evaluation.systems)
    if not focus.is_informative:
        return _write_chance_headline(focus, many if all(not system.is_informative for system in evaluation) else 1)
    rank = "" if many == 1 else f", the least of {many} results" if focus.group else f", the most of {many} systems"
    if accuracy.value == captured.value == 1.0 and focus.clusters is None:
        corrected = f" and {format_share_with_interval(captured)} corrected for few rows per class" * captured.corrected
        every = "every sample" if focus.n is None else f"all {format_count(round(focus.n))} samples"
        return (
            name,
            f" is right in {every}: accuracy {format_share_with_interval(accuracy)}, captured information 100%"
            f"{' in this sample' * captured.corrected}{corrected}{rank}.",
        )
    of = f"{format_share_with_interval(captured)} of the information in the truth"
    return (name, f" captures {of}{rank}{describe_sample_value(captured)}.")


def find_only_label(items: Sequence[ClassEstimates], metric: str) -> str | None:
    """Return the one label that occurs by a count ("support" or "declared"); None where several do."""
    labels = [item.label for item in items if item.number(metric)]
    return labels[0] if len(labels) == 1 else None


def _write_chance_headline(focus: SystemResult, many: int) -> Phrase:
    """Say that a system captures no more than chance, or none of ``many``."""
    captured, name = focus.metrics["proficiency"], Name(focus.title, 48)
    noun = "results" if focus.group else "systems"
    only = find_only_label(focus.outputs, "declared")
    if only is not None:
        right = others = ""
        if only in focus.truth_labels and focus.clusters is None:
            accuracy = format_share_with_interval(focus.estimate("accuracy"))
            right = f": right in {accuracy} of the samples, as often as it is the true class"
        if many > 1:
            others = f"; none of the {many} {noun} captures more than chance"
        return (name, " always predicts '", Name(only), f"', whatever the truth, and captures nothing{right}{others}.")
    seen = format_share_with_interval(captured)
    is_much = (captured.low or 0.0) > MUCH_BY_CHANCE
    if many > 1:
        start = f"None of the {many} {noun} captures more information than expected by chance; "
        if is_much:
            return (start, f"random predictions would show as much as the {seen} of ", name, ".")
        return (start, name, f": {seen}.")
    if is_much:
        true = format_count(sum(1 for item in focus.classes if item.number("support")))
        predicted = format_count(sum(1 for item in focus.outputs if item.number("declared")))
        return (
            name,
            f" captures no more information than expected by chance: with {predicted} predicted and {true} true "
            f"classes in {format_count(round(focus.n or 0))} samples, random predictions would show as much as its "
            f"{seen}.",
        )
    return (name, f" captures no more information than expected by chance: {seen}.")


def _write_lede(evaluation: Evaluation, focus: SystemResult) -> Iterator[Phrase]:
    """Write what a reader should know next, three sentences at most."""
    if _explain_no_verdict(focus) is not None:
        return
    if find_only_label(focus.classes, "support") is not None and find_only_label(focus.outputs, "declared") is None:
        yield "If truth and prediction are swapped, exchange them."
    false = focus.shown("false_information_ratio")
    if false is not None and focus.number("false_information_ratio") != 0 and focus.shown("proficiency") is not None:
        subject: Inline = "it" if evaluation.judge is None else Name(focus.title)
        yield ("For every 100 bits of truth ", subject, f" adds {describe_false_bits(false)} false information.")
    pairs = [pair for pair in focus.confusions if pair.gain > 0 and focus.is_informative][:3]
    if pairs:
        gain = f"{format_points(pairs[0].gain)} points more of this sample"
        first, second = (Name(label) for label in pairs[0].classes)
        named = join_phrases(((Name(pair.classes[0]), " ↔ ", Name(pair.classes[1])) for pair in pairs), ", ")
        if pairs[0].directed:
            count = pairs[0].count if pairs[0].count < 1 else round(pairs[0].count)
            rest = f" in {pluralize(count, 'sample')}; without these errors it would capture {gain}."
            yield (first, " is predicted as ", second, rest)
        elif len(pairs) == 1:
            yield ("The costliest confusion is ", *named, f"; without it, {gain} would be captured.")
        else:
            yield ("The costliest confusions are ", *named, f"; without the first it would capture {gain}.")

    others = [system for system in evaluation.ranking if system is not focus]
    if not others or focus.group:  # of groups the worst is shown first
        return
    other = others[0]
    if not other.is_informative:
        if focus.is_informative:
            yield (Strong(other.title), " captures no more information than expected by chance.")
        return
    follows = (Strong(other.title), f" follows with {format_share(other.shown('proficiency'))}")
    difference = find_difference(evaluation, focus, other)
    if difference is None or difference.probability_a_better is None:
        yield (*follows, ".")
    else:
        probability = format_probability(difference.probability_a_better)
        yield (*follows, f"; the probability that it captures less is {probability}.")


# Tiles ----------------------------------------------------------------------------------------------------------------

_CLUSTER_TILES = (
    ("information_precision", "pure", "I(T;S)/H(S), completeness of V-measure"),
    ("nmi_arithmetic", "V-measure", "harmonic mean of captured and pure"),
    ("adjusted_mutual_information", "AMI", "of this sample, corrected for chance; 0 is chance"),
    ("adjusted_rand_index", "ARI", "pairs, corrected for chance; 0 is chance"),
    ("bcubed_f1", "B-cubed", "mean part of one's group and cluster that is one's own"),
    ("fowlkes_mallows", "FM", "pairs together in both, Fowlkes-Mallows"),
)
"""Numbers shown of clusters, whose names mean nothing."""


def _make_tiles(system: SystemResult) -> Iterator[Tile]:
    """Make the tiles: captured information first; of two classes, then recall, precision and F1 of the positive one."""

    def tile(metric: str, word: str, note: str) -> Tile:
        return Tile.from_estimate(system.estimate(metric), MetricNotation(metric), word, note)

    if system.shown("proficiency") is None:
        yield tile("accuracy", "accuracy", "")
        return
    yield tile("proficiency", "captured", "I(T;S)/H(T), proficiency")
    if system.positive is not None and system.number("recall") is not None:
        estimates = [(name, system.estimate(name), system.positive) for name in ("recall", "precision", "f1")]
        about = "positive class"
        if system.positive_by_sorting:  # no option names the positive class
            about = "class"
            estimates = [("recall", item.values["recall"], item.label) for item in system.classes]
            outputs = [item for item in system.outputs if item.label in system.truth_labels]
            estimates += [("precision", item.values["precision"], item.label) for item in outputs]
        for metric, estimate, label in estimates:
            word = f"{metric} of '{label if len(label) <= 20 else f'{label[:19]}…'}'"
            yield Tile.from_estimate(estimate, MetricNotation(metric), word, f"{about} '{label}'")
    yield tile("false_information_ratio", "false", "H(S|T)/H(T)")
    yield tile("erroneous_information_ratio", "erroneous", "missed + false; 0 is perfect")
    if system.clusters is None:
        supports = [float(item.number("support") or 0) for item in system.classes]
        largest = max(supports, default=0.0) / (sum(supports) or 1.0)
        chance = f"chance {format_share(system.shown('random_accuracy'))}"
        yield tile("accuracy", "accuracy", f"{chance}, most frequent class {format_share(largest)}")
    left, effective = system.estimate("remnant_classes"), system.shown("effective_classes")
    number, value = (UNDEFINED if part is None else f"{part:.2f}" for part in (left.shown, left.value))
    note = "" if effective is None else f"equally likely classes remain, of {effective:.1f}"
    interval = format_interval(left, 1.0, 2)
    yield Tile(number, "classes left", interval, note, "remnant_classes", value * (value != number))
    if system.clusters is not None:
        yield from (tile(*cluster_tile) for cluster_tile in _CLUSTER_TILES)
    if system.reject is not None and (system.number("rejection_rate") or 0.0) > 0:
        accuracy = format_share(system.shown("accepted_accuracy"))
        yield tile("rejection_rate", "rejected", f"accuracy {accuracy} among the accepted")


# Findings -------------------------------------------------------------------------------------------------------------


def _collect_findings(evaluation: Evaluation, focus: SystemResult) -> list[tuple[str, Finding]]:
    """Collect the question which class is positive, findings that all systems share, and those of each system."""
    about: list[tuple[str, Finding]] = []
    if focus.positive_by_sorting and all(finding.code != "positive_asked" for finding in evaluation.findings):
        # sorting chose the class that recall, precision and F1 are about
        question = ask_positive(focus.truth_labels, focus.positive)
        if question is not None and focus.number("recall") is not None:
            about.append(("", Finding("positive_asked", question, evidence={"class": focus.positive})))
    several = len(evaluation.systems) > 1
    systems = [focus, *(system for system in evaluation.ranking if system is not focus)]
    shared = [finding for finding in focus.diagnosis if all(finding in system.diagnosis for system in systems)]
    about += [("", finding) for finding in shared if several]
    for system in systems:
        own = [finding for finding in system.diagnosis if not several or finding not in shared]
        if system is focus and not focus.is_informative and find_only_label(focus.outputs, "declared") is not None:
            own = [finding for finding in own if finding.code != "majority_voter"]  # the headline says it
        about += [(system.title if several else "", finding) for finding in own]
    return about


# Metrics of the reader's choice ---------------------------------------------------------------------------------------


def _write_chosen_sentences(evaluation: Evaluation, unit: Units) -> Iterator[Phrase]:
    """Write the chosen metrics of the system that is first by them; without information, none is first."""
    if not evaluation.metrics:
        return
    contenders = [system for system in evaluation.ranking if system.is_informative or system.group]
    first = _find_ranking_metric(evaluation)
    leader = _rank_systems(contenders or list(evaluation.ranking), first, unit)[0]
    parts = []
    for tile in list(_make_chosen_tiles(evaluation, leader, unit))[:MAX_CHOSEN]:
        within = f" ({tile.interval})" if tile.interval else ""
        parts.append(f"{tile.word} {tile.number}{within}" if tile.number != UNDEFINED else f"{tile.word} is undefined")
    more = len(evaluation.metrics) - len(parts)
    below = f" and {more} more below" if more > 0 else ""
    many = len(evaluation.systems)
    rank = ""
    is_ranked = leader.is_informative or leader.group is not None
    if many > 1 and first is not None and is_ranked and leader.shown(first) is not None:
        by = f" by {catalogue[first].title_in_sentence}" * (len(evaluation.metrics) > 1)
        rank = f", last of {many} results{by}" if leader.group else f", first of {many} systems{by}"
    yield (Name(leader.title, 48), f": {', '.join(parts)}{below}{rank}.")


def _find_ranking_metric(evaluation: Evaluation) -> str | None:
    """Return the first chosen metric of which more or less is better; a number of classes, for one, ranks nothing."""
    return next((name for name in evaluation.metrics if catalogue[name].better != "none"), None)


def _rank_systems(systems: Sequence[SystemResult], metric: str | None, unit: Units) -> list[SystemResult]:
    """Put the best by this metric first, of groups the worst, undefined ones last; keep the order without a metric."""
    if metric is None:
        return list(systems)
    lowest_first = MetricNotation(metric, unit).lowest_first != any(system.group for system in systems)

    def rank(system: SystemResult) -> tuple[bool, float]:
        value = system.shown(metric)
        return (value is None, 0.0 if value is None else value if lowest_first else -value)

    return sorted(systems, key=rank)


def _make_chosen_tiles(evaluation: Evaluation, system: SystemResult, unit: Units) -> Iterator[Tile]:
    for name in evaluation.metrics:
        card, notation = catalogue[name], MetricNotation(name, unit)
        yield Tile.from_estimate(system.estimate(name), notation, card.titled(system.positive), card.symbol)


def _make_chosen_section(evaluation: Evaluation, unit: Units) -> list[Section]:
    """Show several systems by the chosen metrics, the best by the first of them that ranks systems on top."""
    names = evaluation.metrics
    if not names or len(evaluation.systems) == 1:
        return []
    first = _find_ranking_metric(evaluation)
    systems = _rank_systems(evaluation.ranking, first, unit)
    heads, legend = [catalogue[name].title for name in names], ""
    if len(names) >= MANY_METRICS:  # symbols leave room for all, with a legend of what they mean
        heads = [catalogue[name].symbol for name in names]
        meanings = [f"{head} {catalogue[name].title_in_sentence}" for head, name in zip(heads, names, strict=True)]
        legend = f"{', '.join(meanings)}."
    groups = dict.fromkeys(key for system in systems for key in system.group or {})
    columns: list[ItemColumn[SystemResult]] = [
        *make_group_columns(groups),
        (Column("system", "name"), lambda system: Strong(system.name)),
    ]

    for name, head in zip(names, heads, strict=True):
        columns += _make_estimate_columns(systems, head, MetricNotation(name, unit))
    table = Table(*tabulate(systems, *columns), note=legend, search="systems", max_rows=ALL_ROWS)
    blocks: list[Block] = [table]
    if not groups:
        values = {name: {item.name: item.estimate(name).value for item in evaluation.systems} for name in names}
        if (words := describe_disagreement(values, evaluation.systems[0].positive)) is not None:
            blocks.append(Paragraph(words))
    by = catalogue[first or names[0]].title_in_sentence
    return [Section(f"Systems by {by}", blocks, "chosen")]


def _make_estimate_columns(
    systems: Sequence[SystemResult], title: str, notation: MetricNotation
) -> Iterator[ItemColumn[SystemResult]]:
    """Make columns of a metric, of its interval, and of the sample's value where that is another."""
    metric = notation.metric
    yield Column(title, metric=metric), lambda system: Strong(notation.shown(system.estimate(metric)))
    if any(notation.interval(system.estimate(metric)) for system in systems):
        yield Column("interval", priority=5), lambda system: notation.interval(system.estimate(metric))
    if any(notation.in_sample(system.estimate(metric)) for system in systems):
        yield Column("in sample", priority=4), lambda system: notation.in_sample(system.estimate(metric))


# Systems by captured information --------------------------------------------------------------------------------------


def _make_ranking_section(evaluation: Evaluation) -> Section:
    systems = list(evaluation.ranking)
    groups = list(dict.fromkeys(key for system in systems for key in system.group or {}))
    if groups:
        order = list(dict.fromkeys(tuple((system.group or {}).values()) for system in systems))
        systems.sort(key=lambda system: order.index(tuple((system.group or {}).values())))

    def add_metric(title: str, priority: int, metric: str) -> None:
        notation = MetricNotation(metric)
        column = Column(title, priority=priority, metric=metric)
        columns.append((column, lambda system: notation.shown(system.estimate(metric))))

    def add_interval(metric: str, priority: int) -> None:
        if any(system.estimate(metric).low is not None for system in systems):
            column = Column("interval", priority=priority)
            columns.append((column, lambda system: format_interval(system.estimate(metric))))

    def write_sample(system: SystemResult) -> str:
        return MetricNotation("proficiency").in_sample(system.estimate("proficiency"))

    columns: list[ItemColumn[SystemResult]] = [
        *make_group_columns(groups),
        (Column("system", "name"), lambda system: Strong(system.name)),
        (Column("captured", metric="proficiency"), lambda system: Strong(format_share(system.shown("proficiency")))),
    ]
    add_interval("proficiency", 5)
    if any(map(write_sample, systems)):
        columns.append((Column("in sample", priority=4), write_sample))
    columns.append((Column("", "bar", 3), lambda system: ShareBar(system.shown("proficiency") or 0.0)))
    add_metric("false", 7, "false_information_ratio")
    add_metric("erroneous", 4, "erroneous_information_ratio")
    add_metric("accuracy", 8, "accuracy")
    add_interval("accuracy", 3)
    if any(system.number("rejection_rate") for system in systems):
        column = Column("rejected", priority=5, metric="rejection_rate")
        columns.append((column, lambda system: format_share(system.shown("rejection_rate") or 0.0)))
    add_metric("classes left", 2, "remnant_classes")
    columns.append((Column("", "text", 6), find_tag))

    # the systems and groups whose captured information is undefined for one reason together
    by_reason: dict[str, list[str]] = {}
    for system in systems:
        captured = system.estimate("proficiency")
        if captured.shown is None and captured.undefined:
            by_reason.setdefault(captured.undefined, []).append(system.title)
    undefined: list[Phrase] = [
        ("Captured information is undefined for ", *list_names(names, 5), f": {reason}.")
        for reason, names in by_reason.items()
    ]
    ties = list(describe_ties(evaluation))
    rest = f"The same holds for {len(ties) - MAX_TIED} more groups of neighbours."
    table = Table(*tabulate(systems, *columns), search="systems", max_rows=ALL_ROWS)
    title = "Groups, the least informative first" if groups else "Systems, the most informative first"
    return Section(title, [table, Bullets([*ties[:MAX_TIED], *undefined], ties[MAX_TIED:], rest)], only="plain")


def _make_spread_section(evaluation: Evaluation, unit: Units) -> Iterator[Section]:
    """Show how metrics vary over the groups, beside what all rows together give."""
    spreads = evaluation.group_spreads
    if not spreads:
        return
    several = len({spread.system for spread in spreads}) > 1

    def write(number: Callable[[GroupSpread], float | None]) -> Callable[[GroupSpread], Cell]:
        return lambda spread: MetricNotation(spread.metric, unit).value(number(spread))

    columns: list[ItemColumn[GroupSpread]] = [
        *([(Column("system", "name"), lambda spread: Strong(spread.system))] if several else []),
        (Column("metric", "text"), lambda spread: catalogue[spread.metric].title_in_sentence),
        *(
            [(Column("all rows"), write(lambda spread: spread.total))]
            if any(spread.total is not None for spread in spreads)
            else []
        ),
        (Column("groups", priority=6), lambda spread: format_count(spread.groups)),
        (Column("mean"), write(lambda spread: spread.mean)),
        (Column("sd"), lambda spread: MetricNotation(spread.metric, unit).spread(spread.sd)),
        (Column("min", priority=7), write(lambda spread: spread.least)),
        (Column("max", priority=7), write(lambda spread: spread.most)),
    ]
    note = "Each group counts once, whatever its size."
    yield Section("Over the groups", [Table(*tabulate(spreads, *columns), note=note, max_rows=ALL_ROWS)], "spread")


def find_tag(system: SystemResult) -> str:
    """Return the few words of the first finding that has some, for a column of notes."""
    return next((finding.tag for finding in system.diagnosis if finding.tag), "")


def describe_ties(evaluation: Evaluation) -> Iterator[Phrase]:
    """Say which systems differ significantly in what they capture, row by row; in groups, group by group."""
    comparisons = [] if evaluation.comparison is None else [(evaluation.comparison, "")]
    for part in evaluation.group_comparisons:
        where = ", ".join(f"{key} {value}" for key, value in part.group.items())
        comparisons.append((part.comparison, f"{where}: "))
    for comparison, where in comparisons:
        for ranking in comparison.ranking:
            if ranking.metric != "proficiency":
                continue
            groups: dict[int, list[str]] = {}
            for place in ranking.places:
                for group in place.groups:
                    groups.setdefault(group, []).append(place.name)
            tied = [names for names in groups.values() if len(names) > 1]
            if not tied and len(ranking.contenders) > 1:
                start = f"{where}each" if where else "Each"
                of = " that captures information" if ranking.uninformative else ""
                yield f"{start} system{of} captures significantly more than the next (paired by row, Holm-corrected)."
            for names in tied:
                rest = " do not differ significantly in what they capture (paired by row)."
                yield (where, *list_names(names, 12), rest)


# Sections that only some evaluations have -----------------------------------------------------------------------------


def _make_cost_section(evaluation: Evaluation) -> list[Section]:
    """Show the expected cost, the cheapest system first, and the costliest cells of that one."""
    metric = "expected_cost"
    systems = [system for system in evaluation.systems if metric in system.metrics]
    if not systems:
        return []
    systems.sort(key=lambda system: (system.shown(metric) is None, system.shown(metric) or 0.0))

    def write_cost(system: SystemResult) -> Strong:
        cost = system.shown(metric)
        return Strong(UNDEFINED if cost is None else format_number(cost, ".4g"))

    items: list[ItemColumn[SystemResult]] = [
        (Column("system", "name"), lambda system: Name(system.title)),
        (Column("expected cost", metric=metric), write_cost),
        (Column("interval", priority=5), lambda system: format_interval(system.estimate(metric), 1.0, 4)),
    ]
    if any(system.shown(_RETURN) is not None for system in systems):
        notation = MetricNotation(_RETURN)
        items += [
            (Column("return on investment", metric=_RETURN), lambda system: notation.shown(system.estimate(_RETURN))),
            (Column("interval", priority=4), lambda system: notation.interval(system.estimate(_RETURN))),
        ]
    rows = tabulate(systems, *items)
    tables = [Table(*rows, note="Mean cost of a prediction; the cheapest system first.", search="systems")]
    cheapest = systems[0]
    if cheapest.costs:
        total = cheapest.number(metric) or 0.0
        cells = tabulate(
            cheapest.costs[:MAX_COST_CELLS],
            (Column("true", "name"), lambda cell: Name(cell.truth)),
            (Column("predicted", "name"), lambda cell: Name(cell.system)),
            (Column("samples"), lambda cell: format_count(cell.count)),
            (Column("cost of each"), lambda cell: format_number(cell.cost, "g")),
            (
                Column("share of the cost"),
                lambda cell: (
                    format_share(cell.mean_cost / total)
                    if total > 0 and cell.mean_cost > 0
                    else f"{format_number(cell.mean_cost, '+.4g')} per sample"
                ),
            ),
        )
        note = ("Where the cost of ", Name(cheapest.title), " comes from.")
        tables.append(Table(*cells, note=note, max_rows=ALL_ROWS))
    return [Section("Expected cost", tables, "costs")]


_ORDER_METRICS = (
    "quadratic_weighted_kappa",
    "linear_weighted_kappa",
    "mean_absolute_error",
    "off_by_one_rate",
    "ranked_probability_score",
    "neighbour_loss_share",
)


def _make_order_section(evaluation: Evaluation) -> list[Section]:
    """Show the metrics of ordered classes, one row each, and how far the predictions of the best system are off."""
    systems = [system for system in evaluation.ranking if system.ordinal is not None][:4]
    if not systems:
        return []
    columns = [Column("metric", "name")]
    for system in systems:
        title = system.title if len(systems) > 1 else "value"
        columns += [Column(title), Column("interval", priority=5)]
    rows = []
    for name in _ORDER_METRICS:
        cells: list[Cell] = [catalogue[name].title]
        notation = MetricNotation(name)
        for system in systems:
            estimate = system.estimate(name)
            if estimate.shown is None:
                cells += [UNDEFINED, shorten_reason(estimate.undefined)]
            else:
                cells += [Strong(notation.shown(estimate)), notation.interval(estimate)]
        rows.append(tuple(cells))
    lede: Phrase = (
        "From the lowest to the highest: ",
        *join_phrases(map(Name, systems[0].ordinal or ()), " < "),
        ".",
    )
    blocks: list[Block] = [Paragraph(lede), Table(columns, rows, "Agreement on the order")]
    if (steps := systems[0].count_steps()) is not None:
        total = sum(steps.values())
        counts = tabulate(
            sorted(steps.items()),
            (Column("steps off", "name"), lambda item: format_number(item[0], "+d") if item[0] else "0"),
            (Column("samples"), lambda item: format_count(item[1])),
            (Column("share"), lambda item: format_share(item[1] / total)),
        )
        blocks.append(Table(*counts, "How far predictions are off, minus is too low", max_rows=ALL_ROWS))
    return [Section("Ordered classes", blocks, "order")]


def _make_moments_sections(evaluation: Evaluation, unit: Units) -> Iterator[Section]:
    """Show mean, sd and covariance of entropies and informations, where a Dirichlet prior was stated."""
    several = len(evaluation.systems) > 1
    parts: list[Block | Section] = []
    for system in evaluation.ranking[:MAX_MOMENTS]:
        method, covariance = system.interval_method, system.information_covariance()
        prior = "" if method is None else method.prior or ""
        # frequencies of the truth that are stated, and so do not vary, make another posterior
        if covariance is None or not covariance[0, 0] or not (prior in STATED_PRIORS or prior.endswith("per cell")):
            continue
        rows: list[Sequence[Cell]] = []
        for name, line in zip(INFORMATION, covariance * unit.per_bit**2, strict=True):
            estimate, symbol = system.metrics[name], catalogue[name].symbol
            shown = [format_number(value, ".2e") for value in line[:4].tolist()]
            rows.append((Term(name, symbol), unit.amount(estimate.mean, 4), unit.amount(estimate.sd, 4), *shown))
        columns = [Column("moments", "name"), Column("mean"), Column("sd")]
        columns += [Column(f"with {catalogue[name].symbol}") for name in INFORMATION[:4]]
        note = f"Moments of the posterior in {unit.name}, prior {prior}; with: covariance, in {unit.name}²."
        table = Table(columns, rows, "Moments of entropies and informations", note=note, max_rows=ALL_ROWS)
        parts.append(Section(Name(system.title), [table]) if several else table)
    if parts:
        yield Section("Moments by Wolpert and Wolf", parts, "moments", link="Moments")


def _make_score_section(evaluation: Evaluation, unit: Units) -> list[Section]:
    """Show the thresholds of every system with a score, below one heading."""
    parts: list[Section] = []
    for system in evaluation.ranking:
        sweep = system.scores
        if sweep is None:
            continue
        blocks: list[Block] = []
        if sweep.reversed_class is not None:
            meant, positive = Name(sweep.reversed_class, 40), Name(sweep.positive or "", 40)
            words = ("High scores mean ", meant, ", not ", positive, ": no threshold is recommended.")
            blocks.append(Paragraph(words))
        else:
            curve = Figure(PrecisionRecallDisplay.from_sweep(sweep).panel(), "Precision-recall curve", style="map")
            other = Figure(LiftDisplay.from_sweep(sweep).panel(), "Lift", style="map")
            if sweep.reliability:
                other = Figure(ReliabilityDisplay.from_sweep(sweep).panel(), "Reliability diagram", style="map")
            blocks += [tabulate_choices(sweep.choices, unit), SideBySide([curve], [other])]
        parts.append(Section(("Thresholds of ", Name(system.title)), blocks))
    if not parts:
        return []
    inside = parts[0].blocks if len(evaluation.systems) == 1 else parts
    return [Section("Other thresholds", inside, "thresholds", link="Thresholds")]


def _make_example_sections(systems: Sequence[SystemResult]) -> list[Section]:
    """Show the most frequent confused pairs of each system with their rows, for text and Markdown."""
    parts: list[Section] = []
    for system in systems:
        pairs = system.examples[:MAX_EXAMPLES]
        shown = [Section(write_example_heading(pair), list(make_example_blocks(pair))) for pair in pairs]
        if shown:
            heading: Phrase = ("Example rows of ", Name(system.title)) if len(systems) > 1 else "Example rows"
            parts.append(Section(heading, shown, only="plain"))
    return parts


def write_example_heading(pair: CellExamples) -> Phrase:
    """Write which pair of classes rows are of, and how many of them are shown."""
    is_all = len(pair.rows) >= pair.count
    number = f"all {format_count(pair.count)}" if is_all else f"{len(pair.rows)} of {format_count(pair.count)}"
    shown = "1 row" if pair.count == 1 else f"{number} rows"
    return ("true ", Name(pair.truth), ", predicted ", Name(pair.system), f": {shown}")


def make_example_blocks(pair: CellExamples) -> Iterator[Block]:
    """Make the table of the rows of a confused pair, after the groups in which it is more frequent than elsewhere.

    Rows have their number in the source; those of a cluster have none, and count from 1.
    """
    if pair.searched:
        groups = [
            (
                *(Name(group.column), " is ", Name(group.value)),
                f": {format_share(group.rate)} of the true class, elsewhere {format_share(group.elsewhere)}",
            )
            for group in pair.segments
        ]
        origin: Phrase = ("More often where ", *join_phrases(groups, "; "), ".")
        if not groups:
            origin = ("In no group of ", *join_phrases(map(Name, pair.searched), ", "), " more often than elsewhere.")
        yield Paragraph(origin, quiet=True)

    def write_value(value: Json) -> Cell:
        if isinstance(value, float):
            return f"{value:.6g}"
        return "–" if value is None else Name(str(value), MAX_CHARACTERS)

    names = list(dict.fromkeys(name for row in pair.rows for name in row.values))
    columns = [Column("row", "name"), *(Column(name, "text", folds=True) for name in names)]
    rows: list[Sequence[Cell]] = [
        (f"{place if row.row is None else row.row:,}", *(write_value(row.values.get(name)) for name in names))
        for place, row in enumerate(pair.rows, 1)
    ]
    yield Table(columns, rows, "Rows drawn at random", max_rows=len(rows), whole=True, style="values rows")


# Appendix -------------------------------------------------------------------------------------------------------------


def _make_appendix(evaluation: Evaluation, unit: Units) -> Appendix:
    """Make the table of all metrics, one row each and one column per system, and the sentences on the method."""
    systems = list(evaluation.ranking)[:MAX_COLUMNS]
    names = list(dict.fromkeys(name for system in systems for name in system.metrics))
    columns = [Column("metric", "name"), *(Column(plain_label(system.title)[:24], "text") for system in systems)]
    # the class that a metric is about stands in its title, or beside each number where systems have different ones
    classes = {system.positive for system in systems}
    rows: list[Sequence[Cell]] = []
    for name in names:
        card, notation = catalogue.get(name), MetricNotation(name, unit)
        title = name if card is None else card.titled(next(iter(classes)) if len(classes) == 1 else None)
        cells: list[Cell] = [(Term(name, title), " ", Code(name))]
        for system in systems:
            estimate = system.estimate(name)
            about = card.of_class(system.positive) if card and len(classes) > 1 else ""
            cells.append(
                shorten_reason(f"undefined: {estimate.undefined}")
                if estimate.shown is None
                else f"{notation.whole(estimate)}{about}"
            )
        rows.append(cells)
    left = len(evaluation.systems) - len(systems)
    note = f"The best {len(systems)} systems; {left} more are in the downloads below." if left else ""
    caption = f"Every metric of every system with its interval, information in {unit.name}"
    table = Table(columns, rows, caption, note=note, search="metrics", whole=True, style="values every")
    has_intervals = any(value.low is not None for system in evaluation.systems for value in system.metrics.values())
    method: list[Phrase] = [
        "Information is computed from the table of true class × predicted class alone; “captured” is the mutual "
        "information as a fraction of the truth's entropy.",
        "Captured information does not depend on how outputs are named: a system that swaps two names keeps its "
        "score. Accuracy does depend on it; the page says where the two disagree.",
        "Accuracy and the other conventional metrics are those of this sample. Few rows per class make information of "
        "a sample look too high, so it is shown corrected, as the mean of the posterior; the sample's value stands "
        "beside it. Intervals are credible intervals."
        if has_intervals
        else "No intervals are shown, because this evaluation was made without a posterior. With few samples per cell "
        "captured information tends to look too high.",
    ]
    return Appendix(
        sections=[Section(f"All {len(names)} metrics", [table])],
        metrics=[name for system in evaluation.systems for name in system.metrics],
        method=method,
    )


def _describe_intervals(evaluation: Evaluation) -> list[str]:
    """Say how intervals were made, once for all systems, and how many samples would halve them, as a range."""
    methods: dict[str, list[int]] = {}
    for interval in (system.interval_method for system in evaluation.systems if system.interval_method is not None):
        more = interval.samples_to_halve
        methods.setdefault(interval.basis, []).extend(() if more is None else (more,))
    return [
        basis + (describe_halving(*sorted({min(more), max(more)})) if more else "") for basis, more in methods.items()
    ]
