"""Sections of an evaluation that only some have: ordered classes, stated costs, scores, example rows, every metric."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from infoscope.figures.layout import plain_label
from infoscope.figures.score_curves import LiftDisplay, PrecisionRecallDisplay, ReliabilityDisplay
from infoscope.metrics.registry import catalogue
from infoscope.reports.outline import ALL_ROWS, Block, Cell, Column, Figure, Paragraph, Section, SideBySide, Table
from infoscope.reports.parts.item_tables import listed
from infoscope.reports.parts.maps import table_of
from infoscope.reports.parts.threshold_choices import recommended_thresholds
from infoscope.reports.phrases import Code, Name, Phrase, Strong, Term, joined, reason
from infoscope.results.notation import (
    UNDEFINED,
    MetricNotation,
    Units,
    format_count,
    format_interval,
    format_number,
    format_share,
)
from infoscope.studies.evaluate import CellExamples, Evaluation, SystemResult
from infoscope.studies.operating_points import Sweep
from infoscope.typing import Json

_METRICS = (
    "quadratic_weighted_kappa",
    "linear_weighted_kappa",
    "mean_absolute_error",
    "off_by_one_rate",
    "ranked_probability_score",
    "neighbour_loss_share",
)


def order_section(evaluation: Evaluation) -> list[Section]:
    """The metrics of the order, one row each, and how far the predictions of the best system are off."""
    systems = [system for system in evaluation.ranking if system.ordinal is not None]
    if not systems:
        return []
    scale = systems[0].ordinal or ()
    lede: Phrase = ("From the lowest to the highest: ", *joined(map(Name, scale), " < "), ".")
    steps = _steps(systems[0])
    return [Section("Ordered classes", [Paragraph(lede), _metrics(systems), *([steps] if steps else [])], "order")]


def _metrics(systems: Sequence[SystemResult]) -> Table:
    columns = [Column("metric", "name")]
    for system in systems[:4]:
        columns += [Column(system.title if len(systems) > 1 else "value", "number"), Column("interval", priority=5)]
    rows = []
    for name in _METRICS:
        cells: list[Cell] = [catalogue[name].title]
        for system in systems[:4]:
            cells += _value(system, name)
        rows.append(tuple(cells))
    return Table(columns, rows, "Agreement on the order")


def _value(system: SystemResult, name: str) -> list[Cell]:
    estimate = system.estimate(name)
    if estimate.shown is None:
        return [UNDEFINED, reason(estimate.undefined)]
    notation = MetricNotation(name)
    return [Strong(notation.shown(estimate)), notation.interval(estimate)]


def _steps(system: SystemResult) -> Table | None:
    """Samples by how many steps too high or too low their prediction is."""
    table = table_of(system)
    if table is None or table.ordinal is None or table.is_sparse:
        return None
    place = {label: at for at, label in enumerate(table.ordinal)}
    counts: dict[int, float] = {}
    for truth, line in zip(table.truth_labels, np.asarray(table.counts), strict=True):
        for predicted, count in zip(table.system_labels, line.tolist(), strict=True):
            if predicted != table.reject and count:
                off = place[predicted] - place[truth]
                counts[off] = counts.get(off, 0.0) + count
    total = sum(counts.values())
    rows = listed(
        sorted(counts),
        (Column("steps off", "name"), lambda off: format_number(off, "+d") if off else "0"),
        (Column("samples"), lambda off: format_count(counts[off])),
        (Column("share"), lambda off: format_share(counts[off] / total)),
    )
    return Table(*rows, "How far predictions are off, minus is too low", max_rows=ALL_ROWS)


_METRIC = "expected_cost"
_MOST_CELLS = 8


def cost_section(evaluation: Evaluation) -> list[Section]:
    """The expected cost, the cheapest system first, and the costliest cells of that one."""
    systems = [system for system in evaluation.systems if _METRIC in system.metrics]
    if not systems:
        return []
    ranked = sorted(systems, key=lambda system: (system.shown(_METRIC) is None, system.shown(_METRIC) or 0.0))
    cells = _cells(ranked[0])
    return [Section("Expected cost", [_expected(ranked), *([cells] if cells else [])], "costs")]


def _expected(systems: Sequence[SystemResult]) -> Table:
    def cost(system: SystemResult) -> str:
        shown = system.shown(_METRIC)
        return UNDEFINED if shown is None else format_number(shown, ".4g")

    rows = listed(
        systems,
        (Column("system", "name"), lambda each: Name(each.title)),
        (Column("expected cost", metric=_METRIC), lambda each: Strong(cost(each))),
        (Column("interval", priority=5), lambda each: format_interval(each.estimate(_METRIC), 1.0, 4)),
    )
    return Table(*rows, note="Mean cost of a prediction; the cheapest system first.", search="systems")


def _cells(system: SystemResult) -> Table | None:
    """The predictions that cost most."""
    if not system.costs:
        return None
    whole = system.number(_METRIC) or 0.0
    rows = listed(
        system.costs[:_MOST_CELLS],
        (Column("true", "name"), lambda each: Name(each.truth)),
        (Column("predicted", "name"), lambda each: Name(each.system)),
        (Column("samples"), lambda each: format_count(each.count)),
        (Column("cost of each"), lambda each: format_number(each.cost, "g")),
        (
            Column("share of the cost"),
            lambda each: (
                format_share(each.mean_cost / whole)
                if whole > 0 and each.mean_cost > 0
                else f"{format_number(each.mean_cost, '+.4g')} per sample"
            ),
        ),
    )
    note = ("Where the cost of ", Name(system.title), " comes from.")
    return Table(*rows, note=note, max_rows=ALL_ROWS)


def score_sections(evaluation: Evaluation, unit: Units) -> list[Section]:
    """The thresholds of every system with a score, below one heading."""
    scored = [system for system in evaluation.ranking if system.scores is not None]
    if not scored:
        return []
    if len(evaluation.systems) == 1:
        blocks = _blocks(scored[0], unit)
    else:
        blocks = [Section(("Thresholds of ", Name(system.title)), _blocks(system, unit)) for system in scored]
    return [Section("Other thresholds", blocks, "thresholds", link="Thresholds")]


def _blocks(system: SystemResult, unit: Units) -> list[Block | Section]:
    sweep = system.scores
    assert sweep is not None  # asked for systems with scores only
    if sweep.reversed_class is not None:
        meant, positive = Name(sweep.reversed_class, 40), Name(sweep.positive or "", 40)
        return [Paragraph(("High scores mean ", meant, ", not ", positive, ": no threshold is recommended."))]
    return [recommended_thresholds(sweep.choices, unit), *_pictures(sweep)]


def _pictures(sweep: Sweep) -> list[Block]:
    found = Figure(PrecisionRecallDisplay.from_sweep(sweep).panel(), "Precision-recall curve", style="map")
    if not sweep.reliability:
        return [SideBySide([found], [Figure(LiftDisplay.from_sweep(sweep).panel(), "Lift", style="map")])]
    reliability = Figure(ReliabilityDisplay.from_sweep(sweep).panel(), "Reliability diagram", style="map")
    return [SideBySide([found], [reliability])]


MAX_COLUMNS = 40
"""Systems in the table."""


def all_metrics(evaluation: Evaluation, unit: Units) -> Section:
    """One row per metric, one column per system."""
    systems = list(evaluation.ranking)[:MAX_COLUMNS]
    names = list(dict.fromkeys(name for system in systems for name in system.metrics))
    columns = [Column("metric", "name"), *(Column(plain_label(system.title)[:24], "text") for system in systems)]
    mixed = len({system.positive for system in systems}) > 1
    rows = [
        (
            _metric_title(name, systems),
            *(_metric_cell(name, system, unit, mixed=mixed) for system in systems),
        )
        for name in names
    ]
    left = len(evaluation.systems) - len(systems)
    note = f"The best {len(systems)} systems; {left} more are in the downloads below." if left else ""
    caption = f"Every metric of every system with its interval, information in {unit.name}"
    table = Table(columns, rows, caption, note=note, search="metrics", whole=True, style="values every")
    return Section(f"All {len(names)} metrics", [table])


def _metric_title(name: str, systems: Sequence[SystemResult]) -> Phrase:
    """The metric, with the class that it is about where that is the same for all systems."""
    classes = {system.positive for system in systems}
    title = catalogue[name].titled(classes.pop() if len(classes) == 1 else None) if name in catalogue else name
    return (Term(name, title), " ", Code(name))


def _metric_cell(name: str, system: SystemResult, unit: Units, *, mixed: bool) -> Phrase:
    """The number; with its class where systems have different ones, so that the title names none."""
    estimate = system.estimate(name)
    if estimate.shown is None:
        return reason(f"undefined: {estimate.undefined}")
    card, notation = catalogue.get(name), MetricNotation(name, unit)
    return f"{notation.whole(estimate)}{card.of_class(system.positive) if card and mixed else ''}"


MAX_PAIRS = 5
"""Pairs shown outside of pages."""
SHOWN_CHARACTERS = 80


def examples_section(systems: Sequence[SystemResult]) -> list[Section]:
    """The most frequent confused pairs of each system with their rows, for text and Markdown."""
    several = len(systems) > 1
    parts: list[Section] = []
    for system in systems:
        shown = [Section(example_heading(cell), list(example_blocks(cell))) for cell in system.examples[:MAX_PAIRS]]
        if shown:
            heading: Phrase = ("Example rows of ", Name(system.title)) if several else "Example rows"
            parts.append(Section(heading, shown, only="plain"))
    return parts


def example_blocks(cell: CellExamples) -> Iterator[Block]:
    """The rows of a pair, and where they come from."""
    origin = example_origin(cell)
    if origin is not None:
        yield Paragraph(origin, quiet=True)
    yield example_table(cell)


def example_heading(cell: CellExamples) -> Phrase:
    """Which pair, and how many of its rows are shown."""
    whole = len(cell.rows) >= cell.count
    number = f"all {format_count(cell.count)}" if whole else f"{len(cell.rows)} of {format_count(cell.count)}"
    shown = "1 row" if cell.count == 1 else f"{number} rows"
    return ("true ", Name(cell.truth), ", predicted ", Name(cell.system), f": {shown}")


def example_origin(cell: CellExamples) -> Phrase | None:
    """In which groups the pair is more frequent than elsewhere; None where no group was looked at."""
    if not cell.searched:
        return None
    if not cell.segments:
        return ("In no group of ", *joined(map(Name, cell.searched), ", "), " more often than elsewhere.")
    parts = [
        (
            *(Name(each.column), " is ", Name(each.value)),
            f": {format_share(each.rate)} of the true class, elsewhere {format_share(each.elsewhere)}",
        )
        for each in cell.segments
    ]
    return ("More often where ", *joined(parts, "; "), ".")


def example_table(cell: CellExamples) -> Table:
    """The rows of one pair, by their number in the source; rows of a cluster have none, and count from 1 here."""
    names = list(dict.fromkeys(name for row in cell.rows for name in row.values))
    columns = [Column("row", "name"), *(Column(name, "text", folds=True) for name in names)]
    rows: list[Sequence[Cell]] = [
        (f"{place if example.row is None else example.row:,}", *(_text(example.values.get(name)) for name in names))
        for place, example in enumerate(cell.rows, 1)
    ]
    return Table(columns, rows, "Rows drawn at random", max_rows=len(rows), whole=True, style="values rows")


def _text(value: Json) -> Cell:
    if isinstance(value, float):
        return f"{value:.6g}"
    return "–" if value is None else Name(str(value), SHOWN_CHARACTERS)
