"""The classes of one system, the costliest first."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from infoscope.evaluation import ClassResult, SystemResult
from infoscope.report.layout import Column, Signs, columns, meter, shown
from infoscope.report.ledger import COLOURS
from infoscope.report.numbers import Units, amount, share
from infoscope.report.wording import truth_and_system_match

__all__ = ["by_class", "cost_in_bits"]

_BAR = 10


def cost_in_bits(system: SystemResult, item: ClassResult) -> float:
    """Missed and false bits that a class (or answer) causes."""
    missed, false = system.number("missed_information") or 0.0, system.number("false_information") or 0.0
    return missed * (item.values["missed_share"].value or 0.0) + false * (item.values["false_share"].value or 0.0)


def by_class(system: SystemResult, width: int, unit: Units, signs: Signs, most: int) -> list[Text]:
    """One table where answers are named as the classes are, else one for each side."""
    occupied = [item for item in system.classes if (item.values["support"].value or 0) > 0]
    if truth_and_system_match(system):
        return _table("By class", system, occupied, width, unit, signs, most)
    given = [item for item in system.outputs if (item.values["declared"].value or 0) > 0]
    upper = _table("By class", system, occupied, width, unit, signs, most)
    lower = _table("By answer", system, given, width, unit, signs, most)
    return [*upper, Text(), *lower]


def _table(  # noqa: PLR0913 - the look is four words
    title: str, system: SystemResult, items: list[ClassResult], width: int, unit: Units, signs: Signs, most: int
) -> list[Text]:
    costs = {id(item): cost_in_bits(system, item) for item in items}
    items.sort(key=lambda item: -costs[id(item)])
    picked = items[:most] if most else items
    size = "support" if title == "By class" else "declared"
    answers = {item.label: item for item in system.outputs} if truth_and_system_match(system) else {}
    parts = [
        Column(title.split()[1], [Text(shown(item.label, signs)) for item in picked], least=8),
        Column("samples", [Text(amount(item.values[size].value)) for item in picked], right=True, priority=8),
    ]
    if size == "support":
        recalls = [share(item.values["recall"].value) for item in picked] if answers else []
        parts += [Column("recall", [Text(word) for word in recalls], right=True, priority=7)]
        parts += _bars("answers scatter", [item.values["false_information"].value for item in picked], "false", unit, signs)
    others = [answers[item.label] for item in picked] if answers else picked if size == "declared" else []
    if others:
        precisions = [share(item.values["precision"].value) for item in others] if answers else []
        parts += [Column("precision", [Text(word) for word in precisions], right=True, priority=6)]
        parts += _bars("answer doubtful", [item.values["missed_information"].value for item in others], "missed", unit, signs)
    parts += [Column("cost", [Text(unit.amount(costs[id(item)], 3), "bold") for item in picked], right=True)]
    lines = [Text(title, "bold").append(f"  {unit.name} lost, worst first", "not bold dim")]
    lines += columns(parts, width, signs)
    if len(items) > len(picked):
        left = len(items) - len(picked)
        noun = ("class" if left == 1 else "classes") if size == "support" else ("answer" if left == 1 else "answers")
        lines.append(Text(f"and {left:,} more {noun}; -v shows all", "dim"))
    return lines


def _bars(title: str, bits: Sequence[float | None], kind: str, unit: Units, signs: Signs) -> list[Column]:
    """A bar with its number; the bar goes first where room is short."""
    most = max([value or 0.0 for value in bits], default=0.0) or 1.0
    words = [unit.amount(value) for value in bits]
    wide = max(map(len, words), default=0)
    bars = [meter((value or 0.0) / most, _BAR, signs, COLOURS[kind]) for value in bits]
    both = [
        Text(f"{word:>{wide}} ", COLOURS[kind]).append_text(bar) for word, bar in zip(words, bars, strict=True)
    ]
    return [Column(title, both, priority=4)]
