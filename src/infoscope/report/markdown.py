"""An evaluation as Markdown: for a merge request, an issue or a wiki."""

from __future__ import annotations

from infoscope.evaluation import Evaluation, SystemResult, renders
from infoscope.markup import escape_markdown, markdown_table
from infoscope.report.by_class import cost_in_bits
from infoscope.report.numbers import Units, amount, share, units
from infoscope.report.wording import (
    facts_line,
    headline,
    key_numbers,
    left_out,
    limits,
    remark,
    told_apart,
    truth_and_system_match,
)

__all__ = ["as_markdown"]

MOST_CLASSES = 20


@renders("markdown")
def as_markdown(evaluation: Evaluation, *, unit: str = "bits") -> str:
    """Headline, ranking where there are several systems, then each system with numbers, classes and findings."""
    shown = units(unit)
    blocks = ["# Evaluation"]
    if len(evaluation.systems) > 1:
        blocks += [_ranking(evaluation), *(escape_markdown(sentence) for sentence in told_apart(evaluation))]
    for system in evaluation.ranking:
        blocks += _system(evaluation, system, shown)
    blocks += [f"*{left_out(rows, escape_markdown(reason))}*" for reason, rows in evaluation.source.ignored.items()]
    blocks += [f"*{escape_markdown(evaluation.source.until['text'])}.*"] if evaluation.source.until is not None else []
    told = dict.fromkeys(system.interval.text for system in evaluation.systems if system.interval is not None)
    blocks += [f"*{escape_markdown(sentence)}.*" for sentence in told]
    return "\n\n".join(blocks) + "\n"


def _system(evaluation: Evaluation, system: SystemResult, unit: Units) -> list[str]:
    captured, rest = headline(system)
    sentence = f"captures **{captured}** {rest}" if captured else rest
    numbers = [[number.word, number.shown, number.range, number.note] for number in key_numbers(system, "–")]
    has_range = any(row[2] for row in numbers)
    kept = [row if has_range else [row[0], row[1], row[3]] for row in numbers]
    titles = ["", "value", "range", "meaning"] if has_range else ["", "value", "meaning"]
    blocks = [
        f"## {escape_markdown(system.title)}",
        f"**{escape_markdown(system.title)}** {sentence}.",
        escape_markdown(facts_line(system, evaluation.source, unit, "·")),
        markdown_table(titles, kept),
    ]
    if system.diagnosis:
        blocks.append("\n".join(f"- {escape_markdown(finding.text)}" for finding in system.diagnosis))
    if system.confusions:
        rows = [
            [" / ".join(pair.classes), f"+{100 * pair.gain:.1f}", amount(pair.count)] for pair in system.confusions[:5]
        ]
        blocks += ["### What to fix first", markdown_table(["confused", "points gained", "samples"], rows)]
    return [*blocks, f"### By class, {unit.name} lost", _classes(system, unit)]


def _classes(system: SystemResult, unit: Units) -> str:
    answers = {item.label: item for item in system.outputs} if truth_and_system_match(system) else {}
    items = sorted(system.classes, key=lambda item: -cost_in_bits(system, item))
    rows = []
    for item in items[:MOST_CLASSES]:
        answer = answers.get(item.label)
        doubtful = "" if answer is None else unit.amount(answer.values["missed_information"].value)
        rows.append(
            [
                item.label,
                amount(item.values["support"].value),
                _with_range(share(item.values["recall"].value), limits(item.values["recall"], "–")),
                unit.amount(item.values["false_information"].value),
                doubtful,
                unit.amount(cost_in_bits(system, item), 3),
            ]
        )
    more = f"\n\nand {len(items) - MOST_CLASSES} more classes" if len(items) > MOST_CLASSES else ""
    return markdown_table(["class", "samples", "recall", "answers scatter", "answer doubtful", "cost"], rows) + more


def _with_range(number: str, limits: str) -> str:
    return f"{number} ({limits})" if limits else number


def _ranking(evaluation: Evaluation) -> str:
    rows = [
        [
            system.title,
            share(system.number("proficiency")),
            limits(system.metrics["proficiency"], "–"),
            share(system.number("false_information_ratio")),
            share(system.number("accuracy")),
            remark(system),
        ]
        for system in evaluation.ranking
    ]
    return markdown_table(["system", "captured", "range", "false", "accuracy", ""], rows)
