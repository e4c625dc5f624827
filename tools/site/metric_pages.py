"""The metrics, a page per family: meaning, formula, a worked example, when each is undefined, when it misleads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path

import numpy as np
from latex2mathml.converter import convert

import infoscope as ifs
from infoscope.metrics.registry import Domain, Metric, all_metrics
from tools.site.other_domains import Pair, example_of, pairs_of, value_of, worked
from tools.site.situations import EXAMPLE, SITUATIONS, Situation

__all__ = ["FILTER", "PAGES", "metric_label", "metric_pages"]


@dataclass(frozen=True)
class Page:
    """One page: the metrics of a domain that belong to some families, all of them if none is named."""

    name: str
    title: str
    domain: Domain = "table"
    families: tuple[str, ...] = ()

    def entries(self) -> Sequence[Metric]:
        """List its metrics in the order of the register."""
        return [entry for entry in all_metrics(self.domain) if not self.families or entry.card.family in self.families]


PAGES = (
    Page("agreement", "Accuracy, F1 averages, agreement", families=("agreement", "averages")),
    Page("classes", "Precision, recall, F1 of a class", families=("binary", "per_class", "per_cell", "diagnostic")),
    Page("information", "Information", families=("shannon", "normalized", "coverage", "bounds")),
    Page("triangle", "Entropy triangle, perplexities", families=("triangle", "perplexity")),
    Page("clusters", "Clusters", families=("partitions", "grouping", "pair_counting")),
    Page("association", "Association, ordered classes", families=("association", "ordinal")),
    Page("costs", "Losses, costs, abstaining", families=("losses", "costs", "rejection")),
    Page("label_sets", "Label sets", domain="label_sets"),
    Page("tracks", "Trackers", domain="tracks"),
    Page("annotations", "Annotators", domain="annotations"),
    Page("scores", "Scores and probabilities", domain="scores"),
)
_LEVELS = {
    "truth": "one number for each true class",
    "system": "one number for each predicted class",
    "cell": "one number for each cell",
}
_OF = {"label_sets": " of label sets", "tracks": " of tracks", "annotations": " of annotators", "scores": " of scores"}
"""Behind a title, so that a search tells metrics of one name apart."""
_BETTER = {"higher": "higher is better", "lower": "lower is better", "none": "neither end is better"}
_TIE = 1e-9
FILTER = (
    '<input class="filter" type="search" placeholder="Filter by name or word" aria-label="Filter this page" hidden>\n'
)
"""Shown by static/filter.js, which hides the sections and rows that do not have what is typed."""


def metric_pages(folder: Path) -> None:
    """Write a file for each page, and the list of all metrics."""
    folder.mkdir(parents=True, exist_ok=True)
    listed = ["# Metrics\n", _LEAD, FILTER]
    for page in PAGES:
        entries = page.entries()
        listed.append(f"\n## [{page.title}]({page.name}.md)\n\n| metric | also called | meaning |\n|---|---|---|")
        listed += map(_line, sorted(entries, key=lambda entry: entry.card.title.lower()))
        text = [f"# {page.title}: metrics\n", FILTER, *_common(page.domain), *map(_section, entries)]
        (folder / f"{page.name}.md").write_text("\n".join(text) + "\n", encoding="utf-8")
    names = "".join(f"{page.name}\n" for page in PAGES)
    listed.append(f"\n```{{toctree}}\n:hidden:\n\n{names}```\n")
    (folder / "index.md").write_text("\n".join(listed), encoding="utf-8")


_LEAD = (
    "Every metric of the package, with its definition, a worked example and the tables on which it misleads. In a "
    "terminal, `infoscope explain NAME` finds a metric by any name that papers or libraries use, for example "
    '`infoscope explain "Theil\'s U"`.\n'
)


def metric_label(entry: Metric) -> str:
    """Return the target of links to a metric, the same whatever its page is."""
    return f"metric-{entry.name}" if entry.domain == "table" else f"metric-{entry.domain}-{entry.name}"


def _line(entry: Metric) -> str:
    aliases, meaning = _cell(", ".join(entry.card.aliases)), _cell(entry.card.meaning)
    return f"| [{entry.card.title}](#{metric_label(entry)}) | {aliases} | {meaning} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _common(domain: Domain) -> Iterator[str]:
    """What the metrics of a page share: the data of the worked examples and the situations in which some mislead."""
    if domain in ("annotations", "scores"):
        return
    data = _example() if domain == "table" else example_of(domain)
    yield from _folded("The data of the worked examples", data)
    yield from _folded("The situations in which a metric may mislead", _situations(domain))


def _situations(domain: Domain) -> Iterator[str]:
    yield (
        "Each metric below says what it makes of two systems, of which the first captures more information than the "
        "second, or has the right class names.\n"
    )
    known: Sequence[Situation | Pair] = SITUATIONS if domain == "table" else pairs_of(domain)
    yield "| situation | the first | the second |\n|---|---|---|"
    yield from (f"| {each.title} | {each.better_is} | {each.worse_is} |" for each in known)
    yield ""
    if domain == "table":
        yield from (f"{each.title.capitalize()}:\n\n{_both(each)}" for each in SITUATIONS)


def _section(entry: Metric) -> str:
    return "\n".join(_describe(entry)) + "\n"


def _describe(entry: Metric) -> Iterator[str]:
    card = entry.card
    yield f"({metric_label(entry)})=\n## {card.title}{_OF.get(entry.domain, '')}\n"
    yield f"{card.meaning}\n"
    yield f"{_formula(card.symbol, card.formula)}\n"
    yield "| | |\n|---|---|"
    yield f"| in Python | `{_call(entry)}` |"
    yield f"| in a shell | `infoscope explain {entry.name}` |"
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
    if entry.domain not in ("annotations", "scores"):
        yield from _folded("Worked example", _worked(entry) if entry.domain == "table" else worked(entry))
        if card.level == "table" and card.better != "none":
            yield from _folded("When it misleads", _misleads(entry))
    if card.laws:
        laws = (f"- {law.value}" for law in sorted(card.laws, key=lambda law: law.value))
        yield from _folded("What always holds", (*laws, "\nThe tests try these on random tables."))


def _folded(title: str, lines: Iterable[str]) -> Iterator[str]:
    yield f"<details><summary>{title}</summary>\n"
    yield from lines
    yield "\n</details>\n"


def _call(entry: Metric) -> str:
    if entry.domain == "table":
        return f"ifs.metrics.{entry.name}(y_true, y_pred)"
    if entry.domain == "annotations":
        has_own = entry.name in ifs.Agreement.__dataclass_fields__
        return "ifs.agreement(annotators)." + (entry.name if has_own else f'coefficients["{entry.name}"]')
    if entry.domain == "scores":
        return f"ifs.operating_points.{entry.name}(y_true, y_score)"
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


def _example() -> Iterator[str]:
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
    yield ">>> table = ifs.Contingency.from_matrix([[40, 10], [5, 45]], truth=labels, system=labels)\n"
    yield "```\n"


def _worked(entry: Metric) -> Iterator[str]:
    """The value on the example."""
    yield "```python"
    if entry.card.level == "table":
        yield f">>> round(float(ifs.metrics.{entry.name}(table)), 4)"
        yield repr(round(float(entry.score(EXAMPLE)), 4))
    else:
        yield f">>> ifs.metrics.{entry.name}(table).round(4).tolist()"
        yield repr(np.round(entry.score(EXAMPLE), 4).tolist())
    yield "```\n"


def _misleads(entry: Metric) -> Iterator[str]:
    """The situations with what the metric makes of both systems."""
    yield "| situation | first | second | the metric |\n|---|---:|---:|---|"
    lessons = []
    for title, lesson, good, poor in _values(entry):
        verdict = _verdict(entry, good, poor)
        yield f"| {title} | {_number(good)} | {_number(poor)} | {verdict} |"
        if verdict.startswith("**"):
            lessons.append(f"**{title.capitalize()}**: {lesson}.\n")
    yield ""
    yield from lessons


def _values(entry: Metric) -> Iterator[tuple[str, str, float, float]]:
    if entry.domain == "table":
        for each in SITUATIONS:
            yield each.title, each.lesson, float(entry.score(each.better)), float(entry.score(each.worse))
    else:
        for pair in pairs_of(entry.domain):
            yield pair.title, pair.lesson, value_of(entry, pair.better), value_of(entry, pair.worse)


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
