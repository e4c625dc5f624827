"""The classes of one system, the costliest first, and the pairs that are confused."""

from __future__ import annotations

from collections.abc import Sequence

from infoscope.evaluation import ClassEstimates, ConfusedPair, SystemResult
from infoscope.reports.outline import Block, Cell, Column, Name, Phrase, Row, ShareBar, Strong, Table
from infoscope.results.estimate import Estimate
from infoscope.results.notation import Units, amount, interval_text, points, share

__all__ = ["class_tables", "confused_pairs", "cost_in_bits", "labels_match"]

UNKNOWN = Estimate(None)


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
    columns = [
        Column("error" if directed else "pair", "name"),
        Column("", "bar", 1),
        Column("gain"),
        Column("samples", priority=5),
    ]
    rows = [
        Row(
            (
                _pair(pair),
                ShareBar(pair.gain / pairs[0].gain, role="false"),
                Strong(f"+{points(pair.gain)} points"),
                amount(pair.count),
            ),
            attributes=_largest_cell(pair, system),
        )
        for pair in pairs
    ]
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
    return ("true ", first, " predicted ", second) if pair.directed else (first, " / ", second)


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
    labels = list(dict.fromkeys([*true, *predicted]))
    cost = {label: cost_in_bits(system, true.get(label) or predicted[label]) for label in labels}
    labels.sort(key=lambda label: -cost[label])
    spread = [_number(true.get(label), "false_information") or 0.0 for label in labels]
    ambiguity = [_number(predicted.get(label), "missed_information") or 0.0 for label in labels]
    most = max([*spread, *ambiguity], default=0.0) or 1.0
    columns = [Column(noun, "name"), Column("samples", priority=8)]
    if true:
        columns += [
            Column("recall", priority=7),
            Column("interval", priority=2, only="plain"),
            Column("spread", "bar", 4),
        ]
    if predicted:
        columns += [
            Column("precision", priority=6),
            Column("interval", priority=2, only="plain"),
            Column("ambiguity", "bar", 4),
        ]
    columns.append(Column("cost"))
    rows = []
    for label in labels:
        one, other = true.get(label), predicted.get(label)
        size = _number(one, "support") if one is not None else _number(other, "declared")
        cells: list[Cell] = [Name(label, 26), amount(size)]
        cells += [*_rate(one, "recall"), _bits(one, "false_information", most, "false", unit)] if true else []
        cells += (
            [*_rate(other, "precision"), _bits(other, "missed_information", most, "missed", unit)] if predicted else []
        )
        cells.append(Strong(unit.amount(cost[label], 3)))
        rows.append(Row(cells, attributes={"class": label}))
    note = (
        f"Spread of predictions: H(S given T=i). Ambiguity of this prediction: H(T given S=j). Cost: what both add to "
        f"the loss in this sample, in {unit.name}."
    )
    caption = f"Information by {noun} in {unit.name}, the costliest first"
    return Table(columns, rows, caption, f"By {noun}, the costliest first", note, "classes", style="classes")


def _number(item: ClassEstimates | None, metric: str) -> float | None:
    return None if item is None else item.shown(metric)


def _rate(item: ClassEstimates | None, metric: str) -> tuple[str, str]:
    estimate = UNKNOWN if item is None else item.values.get(metric, UNKNOWN)
    return ("–" if estimate.shown is None else share(estimate.shown)), interval_text(estimate)


def _bits(item: ClassEstimates | None, metric: str, most: float, role: str, unit: Units) -> Cell:
    value = _number(item, metric)
    return "–" if value is None else ShareBar(value / most, unit.amount(value), role)
