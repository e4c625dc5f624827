"""What a metric means, found by its name, alias, title or symbol, and any other word that reports print."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Iterator
from difflib import get_close_matches

import click
import numpy as np

from infoscope.cli import app
from infoscope.cli.glossary import folded, glossary, spellings, word_named
from infoscope.errors import AmbiguousNameError, InputError, UnknownNameError
from infoscope.metrics.losses import find_cost_doubt
from infoscope.metrics.registry import Metric, all_metrics, catalogue, every_metric, find, scope_of
from infoscope.readers.matrix_files import stated_costs
from infoscope.studies.diagnose import RULES
from infoscope.tables import Contingency
from infoscope.tables.costs import CostMatrix, StatedCosts

__all__ = ["cost_sentences", "entries_named", "explained", "explained_costs", "listed"]

_COMMON = {"ppv": "precision", "tpr": "recall", "fpr": "false_alarm_rate", "tnr": "specificity", "npv": "npv"}
"""Names that a paper uses for a weighted average, and everybody else for two classes."""
_GREEK = {"alpha": "α", "alpha'": "α'", "xi": "ξ", "phi": "φ", "kappa": "κ", "mu": "μ", "delta": "δ"}


def entries_named(name: str) -> list[Metric]:
    """The metrics of this name, the most usual first; an unknown name is rejected with the nearest.

    A name may be followed by its symbol, or by a comment in brackets: "recall R", "NH (Hu & Wang eq. 17)".
    """
    try:
        known = find(name)
    except AmbiguousNameError:
        raise
    except UnknownNameError:
        found = [*_matching(name)] or [*_without_symbol(name)]
        if not found:
            raise
        return found
    usual = _COMMON.get(folded(name))
    return [known] if usual in (None, known.name) else [find(usual), known]


def _names(entry: Metric) -> Iterator[str]:
    yield entry.name
    yield from entry.card.aliases
    yield entry.card.title


def _matching(name: str) -> Iterator[Metric]:
    """By title, or by id and title of label sets and trackers, else by symbol; scikit-learn's "_score" is left out."""
    wanted = {spelling.replace("mutual info", "mutual information") for spelling in spellings(name)} | {folded(name)}
    named = [entry for entry in every_metric() if wanted & {folded(each) for each in _names(entry)}]
    symbol = _GREEK.get(name, name)
    yield from named or [entry for entry in every_metric() if entry.card.symbol == symbol]


def _without_symbol(name: str) -> Iterator[Metric]:
    """A name before its symbol or before a comment, where that name is known and the symbol is its own."""
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


def _exactly(name: str) -> list[Metric]:
    return [entry for entry in every_metric() if folded(name) in {folded(each) for each in _names(entry)}]


POSITIVE_RULE = (
    "the positive class: the one named by positive= or --positive; else the label 1 or True, else the greater of two "
    "numbers, yes of yes and no; of other names it must be named"
)


def explained_costs(metric: str | None, path: str, width: int) -> list[str]:
    """The card of the expected cost, and what a cost matrix says."""
    name = "expected_cost" if metric is None else metric
    if all(entry.name != "expected_cost" for entry in _entries(name)):
        raise InputError(
            f"--costs belongs to the expected cost, and {metric!r} is another metric; leave one of them out"
        )
    return [*explained("expected_cost", width), *cost_sentences(path, width)]


def explained(name: str, width: int) -> list[str]:
    """What a word of reports or of scikit-learn means, and the cards of the metrics behind it."""
    if not folded(name):
        raise InputError("the name to explain is empty; `infoscope explain` lists all metrics")
    word = word_named(name)
    if word is None and (other := [*_findings_named(name), *_commands_named(name)]):
        return ["", *(line for text in other for line in (*textwrap.wrap(text, width), ""))]
    if word is None:
        return [line for entry in _entries(name) for line in _card(entry, width)]
    entries = [entry for metric in word.see for entry in _by_id(metric)]
    if name in catalogue:
        entries += [entry for entry in entries_named(name) if entry not in entries]
    lead = ["", *textwrap.wrap(f"{name}: {word.meaning}", width), ""]
    return [*lead, *(line for entry in entries for line in _card(entry, width))]


def _findings_named(name: str) -> Iterator[str]:
    """What the findings mean whose tag, or advised action, these words are."""
    for rule in RULES:
        if folded(name) in (folded(rule.tag), folded(rule.action)):
            yield f"{name}: {glossary()[folded(rule.code)].meaning}"


def _commands_named(name: str) -> Iterator[str]:
    """What a command does, or an option, of the commands that have it."""
    context = click.Context(app)
    commands = {word: app.get_command(context, word) for word in app.list_commands(context)}
    word = name.removeprefix("infoscope ").strip()
    if (command := commands.get(word)) is not None:
        yield f"infoscope {word}: {command.get_short_help_str(200)} infoscope {word} -h says more."
    having: dict[str, list[str]] = {}
    for title, command in commands.items():
        for option in () if command is None else command.params:
            if isinstance(option, click.Option) and word in option.opts:
                having.setdefault(option.help or "", []).append(title)
    for meaning, titles in having.items():
        yield f"{word}: {meaning} ({', '.join(titles)})"


def _by_id(metric: str) -> list[Metric]:
    """The metric of this id; those of label sets and tracks of the same id are the same idea."""
    return [entry for entry in every_metric() if entry.name == metric][:1]


def _entries(name: str) -> list[Metric]:
    """The metrics of a name; one that is not known is rejected with the nearest words of all kinds."""
    try:
        return entries_named(name)
    except AmbiguousNameError:
        raise
    except UnknownNameError:
        known: dict[str, str] = {}
        for each in (*(each for entry in every_metric() for each in _names(entry)), *glossary()):
            known.setdefault(folded(each), each)  # of several spellings the id comes first
        near = list(dict.fromkeys(known[word] for word in get_close_matches(folded(name), known, n=3, cutoff=0.7)))
        hint = f"did you mean {' or '.join(map(repr, near))}? " if near else ""
        raise UnknownNameError(
            f"there is no metric or word {name!r}; {hint}`infoscope explain` lists all metrics"
        ) from None


def listed(width: int) -> list[str]:
    """All metrics by family, one per line."""
    families: dict[str, list[Metric]] = {}
    for entry in all_metrics():
        families.setdefault(entry.card.family, []).append(entry)
    known = {entry.name for entry in all_metrics()}
    families["label sets"] = [entry for entry in all_metrics("label_sets") if entry.name not in known]
    families["trackers"] = [entry for entry in all_metrics("tracks") if entry.name not in known]
    families["annotators"] = [entry for entry in all_metrics("annotations") if entry.name not in known]
    families["scores"] = list(all_metrics("scores"))
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


def _scope(entry: Metric) -> str:
    """Partial or overall, and how many counts matter, as Hu & Wang list their criteria."""
    found = scope_of(entry.name) if entry.domain == "table" else None
    return "" if found is None else str(found)


def _call(entry: Metric) -> str:
    """How the metric is called with labels or scores, where it is a function of its own."""
    calls = {"table": "metrics.{}(y_true, y_pred)", "scores": "operating_points.{}(y_true, y_score)"}
    return f"infoscope.{calls[entry.domain]}".format(entry.name) if entry.domain in calls else ""


def _card(entry: Metric, width: int) -> list[str]:
    card = entry.card
    low, high = (f"{end:g}".replace("inf", "∞").replace("-", "−") for end in card.range)
    better = {"higher": "higher is better", "lower": "lower is better", "none": "neither end is better"}[card.better]
    facts = {
        "symbol": card.symbol,
        "formula": card.formula,
        "range": f"{low} to {high}{'' if card.unit in ('ratio', 'probability') else f' {card.unit}'}; {better}",
        "scope": _scope(entry),
        "class": POSITIVE_RULE if card.of_positive else "",
        "undefined": card.undefined,
        "also called": ", ".join(card.aliases),
        "note": card.note,
        "laws": "; ".join(sorted(law.value for law in card.laws)),
        "source": card.reference,
        "in Python": _call(entry),
    }
    prose = (inspect.getdoc(inspect.unwrap(entry.score)) or "").partition(">>>")[0].strip().split("\n\n")
    lines = ["", f"{card.title}   {entry.name}", ""]
    for paragraph in prose:
        lines += [*textwrap.wrap(" ".join(paragraph.split()), width), ""]
    for word, fact in facts.items():
        if fact:
            lines += textwrap.wrap(fact, width, initial_indent=f"{word:<13}", subsequent_indent=" " * 13)
    return [*lines, ""]


def cost_sentences(path: str, width: int) -> list[str]:
    """The costs of a file as they are read, the dearest errors, and doubts about them."""
    stated = stated_costs(path)
    table = _blank_table(stated)
    matrix = stated.matrix(table)
    sentences = [*_dearest(matrix), *_threshold(matrix)]
    doubt = find_cost_doubt(table, matrix.laid_out(matrix.truth, matrix.system))
    if doubt is not None:
        sentences.append(doubt[0].upper() + doubt[1:] + ".")
    return [f"Costs of {path}", "", *_grid(matrix), "", *(_wrapped(each, width) for each in sentences), ""]


def _blank_table(stated: StatedCosts) -> Contingency:
    """A table of the classes that the costs name, one sample in each cell; without names they are 0, 1, …"""
    rows, columns = stated.values.shape
    truth = stated.truth or tuple(map(str, range(rows)))
    system = stated.system or tuple(map(str, range(columns)))
    return Contingency.from_matrix(np.ones((rows, columns)), truth=truth, system=system)


def _grid(matrix: CostMatrix) -> list[str]:
    cells = [["true ↓ predicted →", *matrix.system]]
    cells += [[name, *(f"{cost:g}" for cost in row)] for name, row in zip(matrix.truth, matrix.values, strict=True)]
    wide = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return ["  ".join([row[0].ljust(wide[0]), *map(str.rjust, row[1:], wide[1:])]) for row in cells]


def _errors(matrix: CostMatrix) -> list[tuple[float, str, str]]:
    """What each wrong prediction costs beyond the right one of the same true class, the dearest first."""
    found = []
    for truth, row in zip(matrix.truth, matrix.values, strict=True):
        right = row[matrix.system.index(truth)] if truth in matrix.system else 0.0
        found += [(cost - right, truth, said) for said, cost in zip(matrix.system, row, strict=True) if said != truth]
    return sorted(found, key=lambda error: -error[0])


def _dearest(matrix: CostMatrix) -> Iterator[str]:
    errors = _errors(matrix)
    if errors:
        cost, truth, said = errors[0]
        least, *_ = errors[-1]
        yield (
            f"The dearest error is to predict {said!r} where {truth!r} is true: {cost:g} more than the correct "
            f"prediction; the cheapest error costs {least:g} more."
        )


def _threshold(matrix: CostMatrix) -> Iterator[str]:
    """Of two classes: from which probability the second is the cheaper prediction."""
    if len(matrix.truth) != 2 or set(matrix.truth) != set(matrix.system):
        return
    first, second = matrix.truth
    by_truth = {truth: cost for cost, truth, _ in _errors(matrix)}
    if min(by_truth.values()) > 0:
        share = by_truth[first] / (by_truth[first] + by_truth[second])
        yield f"It pays to predict {second!r} when its probability is at least {share:.3g}."


def _wrapped(sentence: str, width: int) -> str:
    return textwrap.fill(sentence, width)
