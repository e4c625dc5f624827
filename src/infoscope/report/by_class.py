"""The classes of one system, the costliest first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.text import Text

from infoscope.evaluation import ClassResult, SystemResult
from infoscope.report.layout import Column, Look, columns, meter, shown
from infoscope.report.ledger import COLOURS
from infoscope.report.numbers import amount, share
from infoscope.report.wording import truth_and_system_match

__all__ = ["by_class", "cost_in_bits"]

_BAR = 10


def cost_in_bits(system: SystemResult, item: ClassResult) -> float:
    """Missed and false bits that a class (or answer) causes."""
    missed, false = system.number("missed_information") or 0.0, system.number("false_information") or 0.0
    return missed * (item.values["missed_share"].value or 0.0) + false * (item.values["false_share"].value or 0.0)


@dataclass(frozen=True)
class _Part:
    """One number of a class, as a column."""

    title: str
    key: str
    priority: int
    of_answer: bool
    bar: str | None = None


_TRUTH_SIDE = (_Part("recall", "recall", 7, False), _Part("answers scatter", "false_information", 4, False, "false"))
_SYSTEM_SIDE = (
    _Part("precision", "precision", 6, True),
    _Part("answer doubtful", "missed_information", 4, True, "missed"),
)


def by_class(system: SystemResult, look: Look) -> list[Text]:
    """One table where answers are named as the classes are, else one for each side."""
    occupied = [item for item in system.classes if (item.values["support"].value or 0) > 0]
    if truth_and_system_match(system):
        return _table(system, occupied, "class", (*_TRUTH_SIDE, *_SYSTEM_SIDE), look)
    given = [item for item in system.outputs if (item.values["declared"].value or 0) > 0]
    upper = _table(system, occupied, "class", _TRUTH_SIDE[1:], look)
    return [*upper, Text(), *_table(system, given, "answer", _SYSTEM_SIDE[1:], look)]


def _table(
    system: SystemResult, items: Sequence[ClassResult], noun: str, wanted: Sequence[_Part], look: Look
) -> list[Text]:
    costs = {item.label: cost_in_bits(system, item) for item in items}
    ranked = sorted(items, key=lambda item: -costs[item.label])
    picked = ranked[: look.most or len(ranked)]
    answers = {item.label: item for item in system.outputs}
    size = "support" if noun == "class" else "declared"
    parts = [
        Column(noun, [Text(shown(item.label, look.signs)) for item in picked], least=8),
        Column("samples", [Text(amount(item.values[size].value)) for item in picked], right=True, priority=8),
    ]
    for part in wanted:
        numbers = [(answers[item.label] if part.of_answer else item).values[part.key].value for item in picked]
        parts.append(_column(part, numbers, look))
    parts.append(Column("cost", [Text(look.unit.amount(costs[item.label], 3), "bold") for item in picked], right=True))
    title = Text(f"By {noun}", "bold").append(f"  {look.unit.name} lost, worst first", "not bold dim")
    lines = [title, *columns(parts, look.room, look.signs)]
    left = len(ranked) - len(picked)
    if left:
        plural = noun if left == 1 else f"{noun}es" if noun == "class" else f"{noun}s"
        lines.append(Text(f"and {left:,} more {plural}; -v shows all", "dim"))
    return lines


def _column(part: _Part, numbers: Sequence[float | None], look: Look) -> Column:
    """Percentages, or bits with a bar."""
    if part.bar is None:
        return Column(part.title, [Text(share(number)) for number in numbers], right=True, priority=part.priority)
    colour = COLOURS[part.bar]
    most = max([number or 0.0 for number in numbers], default=0.0) or 1.0
    words = [look.unit.amount(number) for number in numbers]
    wide = max(map(len, words), default=0)
    cells = [
        Text(f"{word:>{wide}} ", colour).append_text(meter((number or 0.0) / most, _BAR, look.signs, colour))
        for word, number in zip(words, numbers, strict=True)
    ]
    return Column(part.title, cells, priority=part.priority)
