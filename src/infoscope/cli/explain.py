"""``infoscope explain``: what a metric means, found by its name, alias, title or symbol."""

from __future__ import annotations

import inspect
import re
import shutil
import textwrap
from collections.abc import Iterator

import click

import infoscope as ifs
from infoscope.cli.errors import reported
from infoscope.cli.streams import write_stdout
from infoscope.errors import AmbiguousNameError, UnknownNameError

__all__ = ["COMPLEMENTS", "CURVES", "command", "entries_named"]

COMPLEMENTS = {
    "fdr": "precision",
    "false discovery rate": "precision",
    "for": "npv",
    "false omission rate": "npv",
    "fnr": "recall",
    "false negative rate": "recall",
    "miss rate": "recall",
}
"""Rates that are 1 minus a metric."""

_AREA = "a number of the whole curve, from scores: `infoscope sweep`, or `areas` of `infoscope.sweep`"
_AVERAGE = "bits captured on average over the thresholds"
CURVES = {
    "auc": f"area under the ROC curve; {_AREA}",
    "roc auc": f"area under the ROC curve; {_AREA}",
    "area under the roc curve": f"area under the ROC curve; {_AREA}",
    "average precision": f"area under the precision-recall steps; {_AREA}",
    "average information": f"{_AVERAGE} that the samples' own scores set; {_AREA}",
    "nai": f"{_AVERAGE}, over those of a perfect ranker; {_AREA}",
    "normalized average information": f"{_AVERAGE}, over those of a perfect ranker; {_AREA}",
    "log loss": "cross-entropy of the probabilities (in bits here, times ln 2 in nats): "
    "`operating_points.probabilistic_scores`",
    "cross entropy": "−log2 of the probability given to the true class, on average: "
    "`operating_points.probabilistic_scores`",
    "joint proficiency": "proficiency of whole label sets as classes: `infoscope multilabel`",
    "cramer rao sd": "first-order standard error of a measure, beside the posterior sd in an evaluation",
}
"""What is not a metric of a table: what it is, and where it is computed."""

_COMMON = {"ppv": "precision", "tpr": "recall", "fpr": "false_alarm_rate", "tnr": "specificity", "npv": "npv"}
"""Names that a paper uses for a weighted average, and everybody else for two classes."""
_GREEK = {"alpha": "α", "alpha'": "α'", "xi": "ξ", "phi": "φ", "kappa": "κ", "mu": "μ", "delta": "δ"}


def entries_named(name: str) -> list[ifs.metrics.registry.Metric]:
    """The metrics of this name, the most usual first; an unknown name is refused with the nearest.

    A name may be followed by its symbol, or by a remark in brackets: "recall R", "NH (Hu & Wang eq. 17)".
    """
    try:
        known = ifs.metrics.registry.find(name)
    except AmbiguousNameError:
        raise
    except UnknownNameError:
        found = [*_matching(name)] or [*_without_symbol(name)]
        if not found:
            raise
        return found
    usual = _COMMON.get(_folded(name))
    return [known] if usual in (None, known.name) else [ifs.metrics.registry.find(usual), known]


def _folded(name: str) -> str:
    plain = name.casefold().replace("_", " ").replace("-", " ").replace("normalised", "normalized")
    return " ".join(re.sub(r"[’']s\b", "", plain).split())


def _everything() -> Iterator[ifs.metrics.registry.Metric]:
    yield from ifs.metrics.registry.all_metrics()
    yield from ifs.metrics.registry.all_metrics("label_sets")
    yield from ifs.metrics.registry.all_metrics("tracks")


def _names(entry: ifs.metrics.registry.Metric) -> Iterator[str]:
    yield entry.name
    yield from entry.card.aliases
    yield entry.card.title


def _matching(name: str) -> Iterator[ifs.metrics.registry.Metric]:
    """By title, or by id and title of label sets and trackers, else by symbol; scikit-learn's "_score" is left out."""
    wanted = {_folded(name), _folded(name).removesuffix(" score").replace("mutual info", "mutual information")}
    named = [entry for entry in _everything() if wanted & {_folded(each) for each in _names(entry)}]
    symbol = _GREEK.get(name, name)
    yield from named or [entry for entry in _everything() if entry.card.symbol == symbol]


def _without_symbol(name: str) -> Iterator[ifs.metrics.registry.Metric]:
    """A name before its symbol or before a remark, where that name is known and the symbol is its own."""
    plain = re.sub(r"\s*\([^()]* [^()]*\)$", "", name)
    if plain != name:
        yield from entries_named(plain)
        return
    first, _, last = name.rpartition(" ")
    if first:
        symbol = last[1:-1] if last.startswith("(") else last
        for entry in _exactly(first):
            if symbol in {entry.card.symbol, *entry.card.aliases} or _GREEK.get(symbol) == entry.card.symbol:
                yield entry


def _exactly(name: str) -> list[ifs.metrics.registry.Metric]:
    return [entry for entry in _everything() if _folded(name) in {_folded(each) for each in _names(entry)}]


POSITIVE_RULE = (
    "the positive class: the one named by positive= or --positive; else the label 1 or True, else the greater of two "
    "numbers, else the second label in sorted order"
)


@click.command("explain")
@click.argument("metric", required=False)
@click.option("-v", "--verbose", is_flag=True, help="For an internal error, where it arose.")
@reported
def command(metric: str | None, **_options: object) -> None:
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
