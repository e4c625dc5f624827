"""``infoscope explain``: what a metric means."""

from __future__ import annotations

import inspect
import shutil
import textwrap
from typing import Any

import click

import infoscope as ifs
from infoscope.cli.errors import reported
from infoscope.cli.names import COMPLEMENTS, CURVES, entries_named
from infoscope.cli.streams import write_stdout

__all__ = ["command"]

POSITIVE_RULE = (
    "the positive class: the one named by positive= or --positive; else the label 1 or True, else the greater of two "
    "numbers, else the second label in sorted order"
)


@click.command("explain")
@click.argument("metric", required=False)
@click.option("-v", "--verbose", is_flag=True, help="For an internal error, where it arose.")
@reported
def command(metric: str | None, **chosen: Any) -> None:  # noqa: ARG001 - read by ``reported``
    """Say what a metric means, its formula, range and source; without METRIC, list them all.

    Any name that a paper or a library uses for it will do.

    Example: infoscope explain proficiency

    Example: infoscope explain "variation of information"
    """
    width = min(max(shutil.get_terminal_size((100, 24)).columns, 40), 120)
    lines = _listing(width) if metric is None else _described(metric, width)
    write_stdout("\n".join(lines) + "\n")


def _described(name: str, width: int) -> list[str]:
    """The cards of a name, or where its number is computed if that is not a metric of a table."""
    folded = " ".join(name.casefold().replace("_", " ").replace("-", " ").split()).removesuffix(" score")
    if folded in CURVES:
        return ["", *textwrap.wrap(f"{name}: {CURVES[folded]}", width), ""]
    base = COMPLEMENTS.get(folded)
    lead = [] if base is None else ["", f"{name} is 1 − {base}."]
    return [*lead, *(line for entry in entries_named(base or name) for line in _card(entry, width))]


def _listing(width: int) -> list[str]:
    registry = ifs.metrics.registry
    families: dict[str, list[ifs.metrics.registry.Metric]] = {}
    for entry in registry.all_metrics():
        families.setdefault(entry.card.family, []).append(entry)
    known = {entry.name for entry in registry.all_metrics()}
    families["label sets"] = [entry for entry in registry.all_metrics("label_sets") if entry.name not in known]
    families["trackers"] = [entry for entry in registry.all_metrics("tracks") if entry.name not in known]
    names = [entry.name for entries in families.values() for entry in entries]
    wide = max(map(len, names))
    lines = []
    for family, entries in families.items():
        lines += ["", family.replace("_", " ").upper()]
        for entry in entries:
            room = width - wide - 4
            meaning = entry.card.meaning.split(";")[0].rstrip(".")
            lines.append(f"  {entry.name:<{wide}}  {_cut(meaning, room)}")
    return [*lines, "", f"{len(names)} metrics; infoscope explain NAME says more about one"]


def _cut(text: str, room: int) -> str:
    if len(text) <= room:
        return text
    return text[: max(room - 2, 10)].rsplit(" ", 1)[0].rstrip(",:") + " …"


def _card(entry: ifs.metrics.registry.Metric, width: int) -> list[str]:
    card = entry.card
    low, high = ("∞" if abs(end) == float("inf") else f"{end:g}" for end in card.range)
    better = {"higher": "higher is better", "lower": "lower is better", "none": "neither end is better"}[card.better]
    facts = {
        "symbol": card.symbol,
        "formula": card.formula,
        "range": f"{low} to {high}{'' if card.unit in ('ratio', 'probability') else f' {card.unit}'}; {better}",
        "class": POSITIVE_RULE if card.of_positive else "",
        "undefined": card.undefined,
        "also called": ", ".join(card.aliases),
        "note": card.note,
        "laws": "; ".join(sorted(law.value for law in card.laws)),
        "source": card.reference,
    }
    prose = (inspect.getdoc(entry.score) or "").partition(">>>")[0].strip().split("\n\n")
    lines = ["", f"{card.title}   {entry.name}", ""]
    for paragraph in prose:
        lines += [*textwrap.wrap(" ".join(paragraph.split()), width), ""]
    for word, fact in facts.items():
        if fact:
            lines += textwrap.wrap(fact, width, initial_indent=f"{word:<13}", subsequent_indent=" " * 13)
    return [*lines, ""]
