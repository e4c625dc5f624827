"""The classes of one system, the costliest first, and the pairs that are confused."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from infoscope.reports.outline import Block, Cell, Column, Row, ShareBar, Table
from infoscope.reports.parts.item_tables import listed
from infoscope.reports.phrases import Name, Phrase, Strong
from infoscope.results.estimate import Estimate
from infoscope.results.notation import Units, format_count, format_interval, format_points, format_share
from infoscope.studies.evaluate import ClassEstimates, ConfusedPair, SystemResult
from infoscope.studies.evaluate.result import ABSENT


def cost_in_bits(system: SystemResult, item: ClassEstimates) -> float:
    """Missed and false bits that a class causes in the sample."""
    missed, false = system.number("missed_information") or 0.0, system.number("false_information") or 0.0
    return missed * (item.number("missed_share") or 0.0) + false * (item.number("false_share") or 0.0)


def labels_match(system: SystemResult) -> bool:
    """Whether predicted classes are named as the true ones are."""
    return set(system.truth_labels) <= set(system.system_labels)


def confused_pairs(system: SystemResult, most: int = 5) -> Sequence[Block]:
    """What to fix first: pairs of classes, or kinds of error, by what would be gained without them."""
    pairs = [pair for pair in system.confusions if pair.gain > 0][:most]
    if not pairs:
        return ()
    directed = pairs[0].directed
    columns, cells = listed(
        pairs,
        (Column("error" if directed else "pair", "name"), _pair),
        (Column("", "bar", 1), lambda each: ShareBar(each.gain / pairs[0].gain, role="false")),
        (Column("gain"), lambda each: Strong(f"+{format_points(each.gain)} points")),
        (Column("samples", priority=5), lambda each: format_count(each.count)),
    )
    rows = [Row(line, attributes=_largest_cell(pair, system)) for line, pair in zip(cells, pairs, strict=True)]
    without = "without these errors" if directed else "if the pair were never confused"
    note = f"Points of captured information in this sample gained {without}. Gains overlap and do not add up."
    caption = f"Points of captured information gained {without}"
    return (Table(columns, rows, caption, "What to fix first", note, style="fix"),)


def _largest_cell(pair: ConfusedPair, system: SystemResult) -> dict[str, str]:
    """The more frequent direction of a confused pair, whose rows a click opens."""
    counts = {(cell.truth, cell.system): cell.count for cell in system.leaks}
    one, other = pair.classes
    turned = not pair.directed and counts.get((other, one), 0) > counts.get((one, other), 0)
    truth, predicted = (other, one) if turned else (one, other)
    return {"truth": truth, "predicted": predicted}


def _pair(pair: ConfusedPair) -> Phrase:
    first, second = (Name(label, 20) for label in pair.classes)
    return ("true ", first, " predicted ", second) if pair.directed else (first, " ↔ ", second)


def class_tables(system: SystemResult, unit: Units) -> Sequence[Block]:
    """One table where predicted classes are named as the true ones are, else one for each side."""
    true = {item.label: item for item in system.classes if (item.number("support") or 0) > 0}
    predicted = {item.label: item for item in system.outputs if (item.number("declared") or 0) > 0}
    if labels_match(system):
        return (_table(system, true, predicted, unit, "class"),) if true or predicted else ()
    return tuple(
        _table(system, one, other, unit, noun)
        for one, other, noun in ((true, {}, "true class"), ({}, predicted, "predicted class"))
        if one or other
    )


def _table(
    system: SystemResult,
    true: dict[str, ClassEstimates],
    predicted: dict[str, ClassEstimates],
    unit: Units,
    noun: str,
) -> Table:
    cost = {label: cost_in_bits(system, item) for label, item in {**predicted, **true}.items()}
    labels = sorted(dict.fromkeys([*true, *predicted]), key=lambda label: -cost[label])
    spread = [item.shown("false_information") or 0.0 for item in true.values()]
    ambiguity = [item.shown("missed_information") or 0.0 for item in predicted.values()]
    most = max([*spread, *ambiguity], default=0.0) or 1.0
    has_bits = system.shown("proficiency") is not None
    size = {label: item.shown("declared") for label, item in predicted.items()}
    size |= {label: item.shown("support") for label, item in true.items()}
    columns, cells = listed(
        labels,
        (Column(noun, "name"), lambda label: Name(label, 26)),
        (Column("samples", priority=8), lambda label: format_count(size[label])),
        *_rate(true, Column("recall", priority=7), "recall"),
        *(_bits(true, Column("spread", "bar", 4), "false", most, unit) if has_bits else ()),
        *_rate(predicted, Column("precision", priority=6), "precision"),
        *(_bits(predicted, Column("ambiguity", "bar", 4), "missed", most, unit) if has_bits else ()),
        *([(Column("cost"), lambda label: Strong(unit.amount(cost[label], 3)))] if has_bits else ()),
    )
    rows = [Row(line, attributes={"class": label}) for line, label in zip(cells, labels, strict=True)]
    is_corrected = any(column.title == "in sample" for column in columns)
    note = (
        "Spread of predictions: H(S given T=i). Ambiguity of this prediction: H(T given S=j)."
        f"{' Both are corrected for few rows per class.' * is_corrected} Cost: what both add to the loss in this "
        f"sample, in {unit.name}."
    )
    caption = f"Information by {noun} in {unit.name}, the costliest first"
    title = f"By {noun}, the costliest first"
    if not has_bits:
        caption, title, note = f"Recall and precision by {noun}", f"By {noun}", ""
    return Table(columns, rows, caption, title, note, "classes", style="classes")


def _rate(
    items: Mapping[str, ClassEstimates], column: Column, metric: str
) -> Iterator[tuple[Column, Callable[[str], Cell]]]:
    """Yield a rate of each class and its interval, as far as there are any."""

    def estimate(label: str) -> Estimate:
        return items[label].values.get(metric, ABSENT) if label in items else ABSENT

    if any(estimate(label).shown is not None for label in items):
        yield column, lambda label: "–" if estimate(label).shown is None else format_share(estimate(label).shown)
    if any(map(format_interval, map(estimate, items))):
        yield Column("interval", priority=2), lambda label: format_interval(estimate(label))


def _bits(
    items: Mapping[str, ClassEstimates], column: Column, role: str, most: float, unit: Units
) -> Iterator[tuple[Column, Callable[[str], Cell]]]:
    """Yield entropies within the classes, and those of the sample where they read differently."""

    def bits(label: str) -> Cell:
        value = items[label].shown(f"{role}_information") if label in items else None
        return "–" if value is None else ShareBar(value / most, unit.amount(value), role)

    def in_sample(label: str) -> str:
        found = items[label].values.get(f"{role}_information", ABSENT) if label in items else ABSENT
        text = unit.amount(found.value)
        return text if found.corrected and text != unit.amount(found.shown) else ""

    if items:
        yield column, bits
    if any(map(in_sample, items)):
        yield Column("in sample", priority=1), in_sample
