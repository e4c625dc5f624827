"""A page for each metric, from its card: meaning, formula, a worked example, when it is undefined, when it misleads."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite
from pathlib import Path

import numpy as np
from latex2mathml.converter import convert

import infoscope as ifs
from infoscope.metrics.registry import Domain, Metric, all_metrics
from tools.site.other_domains import pairs_of, value_of, worked
from tools.site.situations import EXAMPLE, SITUATIONS, Situation

__all__ = ["metric_pages"]

_DOMAINS: dict[Domain, str] = {
    "table": "Of a table of truth × prediction",
    "label_sets": "Of label sets (several categories per object)",
    "tracks": "Of tracks",
}
_LEVELS = {
    "truth": "one number for each true class",
    "system": "one number for each predicted class",
    "cell": "one number for each cell",
}
_OF = {"table": "", "label_sets": " of label sets", "tracks": " of tracks"}
"""Behind a title, so that a search tells pages of one name apart."""
_BETTER = {"higher": "higher is better", "lower": "lower is better", "none": "neither end is better"}
_TIE = 1e-9


def metric_pages(folder: Path) -> None:
    """One file for each metric of every domain, and the list of them."""
    folder.mkdir(parents=True, exist_ok=True)
    listed = ["# Metrics\n", _LEAD]
    for domain, title in _DOMAINS.items():
        entries = sorted(all_metrics(domain), key=lambda entry: entry.card.title.lower())
        listed.append(f"\n## {title}\n\n| metric | meaning |\n|---|---|\n" + "".join(map(_line, entries)))
        for entry in entries:
            (folder / f"{page_name(entry)}.md").write_text("\n".join(_page(entry)) + "\n", encoding="utf-8")
    names = "".join(f"{page_name(entry)}\n" for domain in _DOMAINS for entry in all_metrics(domain))
    listed.append(f"\n```{{toctree}}\n:hidden:\n\n{names}```\n")
    (folder / "index.md").write_text("\n".join(listed), encoding="utf-8")


_LEAD = (
    "Every metric of the package, with its definition, a worked example and the tables on which it misleads. In a "
    "terminal, `infoscope explain NAME` finds a metric by any name that papers or libraries use, for example "
    '`infoscope explain "Theil\'s U"`.\n'
)


def page_name(entry: Metric) -> str:
    """Of its file; label sets and tracks have names of their own."""
    return entry.name if entry.domain == "table" else f"{entry.domain}-{entry.name}"


def _line(entry: Metric) -> str:
    return f"| [{entry.card.title}]({page_name(entry)}.md) | {_cell(entry.card.meaning)} |\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _page(entry: Metric) -> Iterator[str]:
    card = entry.card
    yield f"# {card.title}{_OF[entry.domain]}\n"
    yield f"{card.meaning}\n"
    yield f"{_formula(card.symbol, card.formula)}\n"
    yield "| | |\n|---|---|"
    yield f"| in Python | `{_call(entry)}` |"
    yield f"| range | {_range(card.range)}, {_BETTER[card.better]} |"
    yield f"| unit | {card.unit} |"
    if card.level in _LEVELS:
        yield f"| gives | {_LEVELS[card.level]} |"
    yield f"| undefined | {_cell(card.undefined)} |"
    if card.aliases:
        yield f"| also called | {_cell(', '.join(card.aliases))} |"
    yield f"| source | {_cell(card.reference)} |\n"
    if card.note:
        yield f"{card.note}\n"
    yield from _worked(entry) if entry.domain == "table" else worked(entry)
    if card.level == "table" and card.better != "none":
        yield from _misleads(entry) if entry.domain == "table" else _pairs(entry)
    if card.laws:
        yield "## What always holds\n"
        yield from (f"- {law.value}" for law in sorted(card.laws, key=lambda law: law.value))
        yield "\nThe tests try these on random tables."


def _call(entry: Metric) -> str:
    if entry.domain == "table":
        return f"ifs.metrics.{entry.name}(y_true, y_pred)"
    if entry.domain == "tracks":
        return f'ifs.tracking.evaluate(truth, tracks, name="mine")["mine"].metrics["{entry.name}"]'
    if hasattr(ifs.multilabel, entry.name):
        return f"ifs.multilabel.{entry.name}(y_true, y_pred)"
    return f'ifs.multilabel.evaluate(y_true, y_pred).systems[0].value("{entry.name}")'


def _formula(symbol: str, formula: str) -> str:
    """Write a formula as MathML, which browsers draw without any script."""
    return f'<div class="formula"><span>{_html(symbol)} =</span> {convert(formula)}</div>' if formula else ""


def _html(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


def _range(limits: tuple[float, float]) -> str:
    low, high = ("−∞" if x == float("-inf") else "∞" if x == float("inf") else f"{x:g}" for x in limits)
    return f"{low} to {high}"


def _worked(entry: Metric) -> Iterator[str]:
    """The value on the example, with the numbers that it is made of."""
    yield "## Worked example\n"
    yield "100 animals, 85 of them predicted correctly:\n"
    yield "| truth | predicted cat | predicted dog | sum |\n|---|---:|---:|---:|"
    yield "| cat | 40 | 10 | 50 |\n| dog | 5 | 45 | 50 |\n| sum | 45 | 55 | 100 |\n"
    yield (
        "H(T) = 1 bit (two equally frequent classes), H(S) = −0.45 log₂ 0.45 − 0.55 log₂ 0.55 = 0.9928 bits, H(T,S) = "
        "−0.40 log₂ 0.40 − 0.10 log₂ 0.10 − 0.05 log₂ 0.05 − 0.45 log₂ 0.45 = 1.5955 bits, so "
        "I(T;S) = H(T) + H(S) − H(T,S) = 0.3973 bits. The positive class is “dog”: 45 true positives, 10 false "
        "positives, 5 false negatives, 40 true negatives.\n"
    )
    yield "```python"
    yield ">>> import infoscope as ifs"
    yield '>>> labels = ["cat", "dog"]'
    yield ">>> table = ifs.Contingency.from_matrix([[40, 10], [5, 45]], truth=labels, system=labels)"
    if entry.card.level == "table":
        yield f">>> round(float(ifs.metrics.{entry.name}(table)), 4)"
        yield repr(round(float(entry.score(EXAMPLE)), 4))
    else:
        yield f">>> ifs.metrics.{entry.name}(table).round(4).tolist()"
        yield repr(np.round(entry.score(EXAMPLE), 4).tolist())
    yield "```\n"


def _misleads(entry: Metric) -> Iterator[str]:
    """The situations with what the metric says of both systems."""
    rows = []
    for situation in SITUATIONS:
        good, poor = (float(entry.score(table)) for table in (situation.better, situation.worse))
        rows.append((situation, good, poor, _verdict(entry, good, poor)))
    yield "## When it misleads\n"
    yield "In each line the first system captures more information than the second, or has the right class names.\n"
    yield "| situation | first | | second | | the metric |\n|---|---|---:|---|---:|---|"
    for situation, good, poor, verdict in rows:
        yield (
            f"| {situation.title} | {situation.better_is} | {_number(good)} | {situation.worse_is} | {_number(poor)} | "
            f"{verdict} |"
        )
    wrong = [situation for situation, _, _, verdict in rows if verdict.startswith("**")]
    yield ""
    yield from (f"**{situation.title.capitalize()}**: {situation.lesson}.\n\n{_both(situation)}" for situation in wrong)


def _pairs(entry: Metric) -> Iterator[str]:
    """The same for label sets and tracks, without the tables."""
    yield "## When it misleads\n"
    yield "In each line the first system captures more information than the second, or has the right class names.\n"
    yield "| situation | first | | second | | the metric |\n|---|---|---:|---|---:|---|"
    lessons = []
    for pair in pairs_of(entry.domain):
        good, poor = value_of(entry, pair.better), value_of(entry, pair.worse)
        verdict = _verdict(entry, good, poor)
        cells = (pair.title, pair.better_is, _number(good), pair.worse_is, _number(poor), verdict)
        yield f"| {' | '.join(cells)} |"
        if verdict.startswith("**"):
            lessons.append(f"**{pair.title.capitalize()}**: {pair.lesson}.\n")
    yield ""
    yield from lessons


def _verdict(entry: Metric, good: float, poor: float) -> str:
    if not isfinite(good) or not isfinite(poor):
        return "undefined for one of them"
    gap = good - poor if entry.card.better == "higher" else poor - good
    if abs(gap) <= _TIE:
        return "**treats both as equal**"
    return "prefers the first" if gap > 0 else "**prefers the second**"


def _number(value: float) -> str:
    return f"{value:.3f}" if isfinite(value) else "undefined"


def _both(situation: Situation) -> str:
    """Both tables, side by side as text."""
    lines = [
        f"{'first':<{_WIDE}}second",
        *(f"{a:<{_WIDE}}{b}" for a, b in zip(_text(situation.better), _text(situation.worse), strict=True)),
    ]
    return "```text\n" + "\n".join(line.rstrip() for line in lines) + "\n```\n"


_WIDE = 36


def _text(table: ifs.Contingency) -> list[str]:
    labels = [str(label) for label in table.system_labels]
    head = " " * 10 + "".join(f"{label:>8}" for label in labels)
    body = [
        f"{label!s:<10}" + "".join(f"{count:>8.0f}" for count in line)
        for label, line in zip(table.truth_labels, table.counts, strict=True)
    ]
    return [head, *body]
