"""Meanings of words: metrics by name, alias, title or symbol, and any other word that reports print.

``explain`` calls ``explain_word``, ``list_metrics`` and ``explain_costs``; the site's glossary reads the same words.
Words that are not the name of one metric are listed in ``infoscope/data/glossary.txt``, findings in ``findings.txt``.
"""

from __future__ import annotations

import inspect
import re
import textwrap
import unicodedata
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib.resources import files

import click
import numpy as np

from infoscope.cli import app
from infoscope.errors import AmbiguousNameError, InputError, UnknownNameError
from infoscope.metrics.losses import find_cost_doubt
from infoscope.metrics.partitions import PAIR_COEFFICIENTS
from infoscope.metrics.registry import Metric, all_metrics, catalogue, every_metric, find, scope_of
from infoscope.readers.matrix_files import resolve_costs
from infoscope.studies.diagnose import RULES
from infoscope.tables import Contingency

# ── words and findings ───────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Word:
    """The meaning of a word, and the metrics to read on."""

    meaning: str
    see: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    """Its spellings, the usual one first."""


@dataclass(frozen=True)
class FindingEntry:
    """An entry about a finding: when reports have it, and what to do then."""

    code: str
    when: str
    advice: str
    part: str
    """The part of the package that it belongs to."""


_BAR = r"\s+\|\s*|\s*\|\s+"
"""Between the parts of a line; a bar without a space beside it belongs to a symbol, as in H(S|T)."""


@cache
def read_glossary() -> dict[str, Word]:
    """Return every word by its folded spelling."""
    words: dict[str, Word] = {}
    for line in (files("infoscope") / "data" / "glossary.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            *lists, meaning = re.split(_BAR, line, maxsplit=2)
            names, see = (tuple(part.strip() for part in re.split(r",\s", text) if part.strip()) for text in lists)
            words |= {fold_name(name): Word(meaning, see, names) for name in names}
    for entry in read_findings():
        word = Word(f"a finding: {entry.when}. What to do: {entry.advice}", names=(entry.code,))
        words.setdefault(fold_name(entry.code), word)
    return words


@cache
def read_findings() -> tuple[FindingEntry, ...]:
    """Return every finding that reports may have."""
    entries, part = [], ""
    for line in (files("infoscope") / "data" / "findings.txt").read_text(encoding="utf-8").splitlines()[1:]:
        if line.startswith("#"):
            part = line.removeprefix("#").strip()
        elif line:
            code, when, advice = (piece.strip() for piece in line.split(" | "))
            entries.append(FindingEntry(code, when, advice, part))
    return tuple(entries)


_UNIMPORTANT = (
    {ord(mark): " " for mark in "_-–"}
    | {ord("•"): "·", ord("\N{PRIME}"): "'"}
    | dict.fromkeys(map(ord, "{}$\N{COMBINING ACUTE ACCENT}"))
)


def fold_name(name: str) -> str:
    """Return a name without the differences that do not matter: case, accents, underscores, hyphens, a possessive.

    >>> fold_name("Cramér–Rao"), fold_name("H_{P_{X|Y}}"), fold_name("p_{i•}")
    ('cramer rao', 'h p x|y', 'p i·')
    """
    plain = unicodedata.normalize("NFD", name.casefold()).translate(_UNIMPORTANT)
    plain = unicodedata.normalize("NFC", plain).replace("normalised", "normalized")
    return " ".join(re.sub(r"[’']s\b", "", plain).strip(" .:").split())


_AROUND = (
    r", (the .* first|and where .*)$",
    r"^all \d+ ",
    r"(?<= look) at .*$",
    r"[?]$",
    r" scorer?$",
    r"^neg ",
    r", (bits|nats|points|relative|planned|held out|missed and false).*$",
    r", (mean|std dev)$",
    r"^std dev of ",
    r" over (\d+ )?random splits in halves$",
    r" of reassignment \[.*$",
    r" (against the random labeler|of the worthless predictor.*)$",
    r" [a-z]\([a-z][;|][a-z]\)$",
    r" (of|than) ['‘“\"].*$",
    r" than .*$",
    r"(?<=^predicted) .*$",
    r" of \S+$",
    r" per [\d,]+ rows$",
    r"^\d+(\.\d+)?% ",
    r" \([^()]*\)$",
    r"(?<=[a-z]{2}[^s])s$",
)
"""Text around a word in tables and in scikit-learn: endings, units, classes, systems, levels, symbols, plurals."""


def _vary_spelling(name: str) -> Iterator[str]:
    """Yield a name as it is, then without what stands around it."""
    plain = fold_name(name)
    yield plain
    for pattern in _AROUND:
        shorter = re.sub(pattern, "", plain)
        if shorter != plain:
            yield from _vary_spelling(shorter)


# ── metrics by name ──────────────────────────────────────────────────────────────────────────────────────────────────

_COMMON = {"ppv": "precision", "tpr": "recall", "fpr": "false_alarm_rate", "tnr": "specificity", "npv": "npv"}
"""Names that a paper uses for a weighted average, and everybody else for two classes."""
_GREEK = {"alpha": "α", "alpha'": "α'", "xi": "ξ", "phi": "φ", "kappa": "κ", "mu": "μ", "delta": "δ"}


def find_metrics(name: str) -> list[Metric]:
    """Return the metrics of this name, the most usual first; an unknown name is rejected with the nearest.

    A name may be followed by its symbol, or by a comment in brackets: "recall R", "NH (Hu & Wang eq. 17)".
    """
    try:
        known = find(name)
    except AmbiguousNameError:
        raise
    except UnknownNameError:
        wanted = {spelling.replace("mutual info", "mutual information") for spelling in _vary_spelling(name)}
        matches = [entry for entry in every_metric() if (wanted | {fold_name(name)}) & _folded_names(entry)]
        symbol = _GREEK.get(name, name.replace("\N{PRIME}", "'"))
        matches = matches or [entry for entry in every_metric() if entry.card.symbol == symbol]
        formula = name.replace(" ", "")
        matches = matches or [
            entry for entry in every_metric() if _read_latex(entry.card.formula).replace(" ", "") == formula
        ]
        if matches:
            return matches
        # a name before a comment in brackets, or before its own symbol
        plain = re.sub(r"\s*\([^()]* [^()]*\)$", "", name)
        if plain != name:
            return find_metrics(plain)
        first, _, last = name.rpartition(" ")
        symbol = last[1:-1] if last.startswith("(") else last
        matches = [
            entry
            for entry in every_metric()
            if first
            and fold_name(first) in _folded_names(entry)
            and (symbol in {entry.card.symbol, *entry.card.aliases} or _GREEK.get(symbol) == entry.card.symbol)
        ]
        if not matches:
            raise
        return matches
    usual = _COMMON.get(fold_name(name))
    return [known] if usual in (None, known.name) else [find(usual), known]


def _folded_names(entry: Metric) -> set[str]:
    return {fold_name(name) for name in (entry.name, *entry.card.aliases, entry.card.title)}


# ── explanations ─────────────────────────────────────────────────────────────────────────────────────────────────────

POSITIVE_RULE = (
    "the positive class: the one named by positive= or --positive; else the label 1 or True, else the greater of two "
    "numbers, yes of yes and no; of other names it must be named"
)


def explain_word(name: str, width: int) -> list[str]:
    """Say what a word of reports or of scikit-learn means, with the cards of the metrics behind it."""
    if not fold_name(name):
        raise InputError("the name to explain is empty; `infoscope explain` lists all metrics")
    name = _read_latex(name)
    words, coefficients = read_glossary(), _explain_pair_coefficients(name, width)
    word = next((words[spelling] for spelling in _vary_spelling(name) if spelling in words), None)
    if word is None:
        texts = [
            f"{name}: {words[fold_name(rule.code)].meaning}"
            for rule in RULES
            if fold_name(name) in (fold_name(rule.tag), fold_name(rule.action))
        ]
        texts += _explain_command(name)
        if texts:
            return ["", *(line for text in texts for line in (*textwrap.wrap(text, width), ""))]
        try:
            entries = _find_metrics_or_suggest(name)
        except UnknownNameError:
            if not coefficients:
                raise
            entries = []
        return [*(line for entry in entries for line in _write_card(entry, width)), *coefficients]
    # metrics of label sets and tracks of the same id are the same idea as the first
    by_id = {entry.name: entry for entry in reversed(list(every_metric()))}
    entries = [by_id[metric] for metric in word.see]
    if name in catalogue:
        entries += [entry for entry in find_metrics(name) if entry not in entries]
    lead = ["", *textwrap.wrap(f"{name}: {word.meaning}", width), ""]
    return [*lead, *(line for entry in entries for line in _write_card(entry, width)), *coefficients]


def _read_latex(name: str) -> str:
    r"""Return a symbol or a ratio in LaTeX as the cards have symbols.

    >>> _read_latex(r"\Delta H'"), _read_latex("H_{T|S}"), _read_latex(r"\frac{I(T;S)}{H(T)}"), _read_latex("NI_e")
    ("ΔH'", 'H(T|S)', 'I(T;S)/H(T)', 'NI_e')
    """
    name = re.sub(r"^\\frac\{([^{}]*)\}\{([^{}]*)\}$", r"\1/\2", name)
    plain = re.sub(r"\\(?:mathrm|mathit|mathbf|text|operatorname|left|right|[,;!])(?![a-z])", "", name)
    plain = re.sub(r"\s*\\(?:mid|vert)\s*", "|", plain).replace("^\\prime", "'").replace("\\prime", "'")
    plain = re.sub(r"\s*\\cdot\s*", "·", plain)
    for command in re.findall(r"\\([A-Za-z]+)", plain):
        case = "CAPITAL" if command[0].isupper() else "SMALL"
        with suppress(KeyError):  # other commands stay
            letter = unicodedata.lookup(f"GREEK {case} LETTER {command.upper()}")
            plain = re.sub(rf"\\{command}\s*", letter, plain)
    return re.sub(r"^([A-Z])_\{?([A-Z][|;,][A-Z])\}?$", r"\1(\2)", plain)


def _explain_pair_coefficients(name: str, width: int) -> list[str]:
    """Say author and formula of the coefficients over pairs of samples of this name, or of all of them."""
    wanted = fold_name(name).replace(" ", "_")
    chosen = {
        key: facts
        for key, facts in PAIR_COEFFICIENTS.items()
        if wanted in ("pair_measures", "pair_counting_measures")
        or wanted.removeprefix("pair_") in (key, key.rpartition("_")[0])
    }
    if not chosen:
        return []
    wide = max(map(len, chosen))
    legend = (
        "Pairs of samples are together on both sides (a), in the truth only (b), in the predictions only (c) or on "
        "neither side (d); R = a/(a + b), P = a/(a + c), S = d/(c + d), V = d/(b + d). `infoscope.metrics."
        "pair_measures(y_true, y_pred)` computes these; the pair-counting indices of Rand, Jaccard, Fowlkes and "
        "Mallows, Wallace, Hubert and Mirkin are metrics of their own."
    )
    lines = ["", "Coefficients over pairs of samples, with authors", ""]
    for key, (author, formula) in chosen.items():
        text = f"{key:<{wide}}  {formula}   {author}"
        lines += textwrap.wrap(text, width, subsequent_indent=" " * (wide + 2), break_on_hyphens=False)
    return [*lines, "", *textwrap.wrap(legend, width), ""]


def _explain_command(name: str) -> Iterator[str]:
    """Say what a command does, or an option, of the commands that have it."""
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


def _find_metrics_or_suggest(name: str) -> list[Metric]:
    """Return the metrics of a name; one that is not known is rejected with the nearest words of all kinds."""
    try:
        return find_metrics(name)
    except AmbiguousNameError:
        raise
    except UnknownNameError:
        spellings = [word for entry in every_metric() for word in (entry.name, *entry.card.aliases, entry.card.title)]
        known: dict[str, str] = {}
        for word in (*spellings, *read_glossary()):  # of several spellings the id comes first
            known.setdefault(fold_name(word), word)
        near = list(dict.fromkeys(known[word] for word in get_close_matches(fold_name(name), known, n=3, cutoff=0.7)))
        hint = f"did you mean {' or '.join(map(repr, near))}? " if near else ""
        raise UnknownNameError(
            f"there is no metric or word {name!r}; {hint}`infoscope explain` lists all metrics"
        ) from None


def list_metrics(width: int) -> list[str]:
    """List all metrics by family, one per line."""
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
    room = width - wide - 4
    lines = []
    for family, entries in families.items():
        lines += ["", family.replace("_", " ").upper()]
        for entry in entries:
            meaning = entry.card.meaning.split(";")[0].rstrip(".")
            if len(meaning) > room:
                meaning = meaning[: max(room - 2, 10)].rsplit(" ", 1)[0].rstrip(",:") + " …"
            lines.append(f"  {entry.name:<{wide}}  {meaning}")
    return [*lines, "", f"{len(names)} metrics; infoscope explain NAME says more about one"]


def _write_card(entry: Metric, width: int) -> list[str]:
    """Write what a metric is: its prose, then formula, range, scope, names, laws and source."""
    card = entry.card
    low, high = (f"{end:g}".replace("inf", "∞").replace("-", "−") for end in card.range)
    better = {"higher": "higher is better", "lower": "lower is better", "none": "neither end is better"}[card.better]
    calls = {"table": "metrics.{}(y_true, y_pred)", "scores": "operating_points.{}(y_true, y_score)"}
    facts = {
        "symbol": card.symbol,
        "formula": card.formula,
        "range": f"{low} to {high}{'' if card.unit in ('ratio', 'probability') else f' {card.unit}'}; {better}",
        # partial or overall, and how many independent variables, as Hu & Wang list their criteria
        "scope": str(scope_of(entry.name) or "") if entry.domain in ("table", "scores") else "",
        "class": POSITIVE_RULE if card.of_positive else "",
        "undefined": card.undefined,
        "also called": ", ".join(card.aliases),
        "note": card.note,
        "laws": "; ".join(sorted(law.value for law in card.laws)),
        "source": card.reference,
        "in Python": f"infoscope.{calls[entry.domain]}".format(entry.name) if entry.domain in calls else "",
    }
    text = inspect.getdoc(inspect.unwrap(entry.score)) or ""
    text = text.partition("Parameters\n---")[0]  # how to call it from Python is for ``help``
    prose = text.partition(">>>")[0].strip().split("\n\n")
    lines = ["", f"{card.title}   {entry.name}", ""]
    for paragraph in prose:
        lines += [*textwrap.wrap(" ".join(paragraph.split()), width), ""]
    for word, fact in facts.items():
        if fact:
            lines += textwrap.wrap(fact, width, initial_indent=f"{word:<13}", subsequent_indent=" " * 13)
    return [*lines, ""]


def explain_costs(metric: str | None, path: str, width: int) -> list[str]:
    """Write the card of the expected cost, the costs of a file as they are read, the dearest errors, and doubts."""
    name = "expected_cost" if metric is None else metric
    if all(entry.name != "expected_cost" for entry in _find_metrics_or_suggest(name)):
        raise InputError(
            f"--costs belongs to the expected cost, and {metric!r} is another metric; leave one of them out"
        )
    stated = resolve_costs(path)
    # a table of the classes that the costs name, one sample in each cell; without names they are 0, 1, …
    rows, columns = stated.values.shape
    truth = stated.truth or tuple(map(str, range(rows)))
    system = stated.system or tuple(map(str, range(columns)))
    table = Contingency.from_matrix(np.ones((rows, columns)), truth=truth, system=system)
    matrix = stated.matrix(table)
    cells = [["true ↓ predicted →", *matrix.system]]
    cells += [[label, *(f"{cost:g}" for cost in row)] for label, row in zip(matrix.truth, matrix.values, strict=True)]
    wide = [max(map(len, column)) for column in zip(*cells, strict=True)]
    grid = ["  ".join([row[0].ljust(wide[0]), *map(str.rjust, row[1:], wide[1:])]) for row in cells]

    # what each wrong prediction costs beyond the right one of the same true class, the dearest first
    errors: list[tuple[float, str, str]] = []
    for label, row in zip(matrix.truth, matrix.values, strict=True):
        right = row[matrix.system.index(label)] if label in matrix.system else 0.0
        errors += [
            (cost - right, label, predicted)
            for predicted, cost in zip(matrix.system, row, strict=True)
            if predicted != label
        ]
    errors.sort(key=lambda error: -error[0])
    sentences = []
    if errors:
        cost, label, predicted = errors[0]
        sentences.append(
            f"The dearest error is to predict {predicted!r} where {label!r} is true: {cost:g} more than the correct "
            f"prediction; the cheapest error costs {errors[-1][0]:g} more."
        )
    by_truth = {label: cost for cost, label, _ in errors}
    if len(matrix.truth) == 2 and set(matrix.truth) == set(matrix.system) and min(by_truth.values()) > 0:
        first, second = matrix.truth
        share = by_truth[first] / (by_truth[first] + by_truth[second])
        sentences.append(f"It pays to predict {second!r} when its probability is at least {share:.3g}.")
    doubt = find_cost_doubt(table, matrix.lay_out(matrix.truth, matrix.system))
    if doubt is not None:
        sentences.append(doubt[0].upper() + doubt[1:] + ".")
    lines = [f"Costs of {path}", "", *grid, "", *(textwrap.fill(sentence, width) for sentence in sentences), ""]
    return [*explain_word("expected_cost", width), *lines]
