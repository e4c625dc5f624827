"""The first screen: the verdict in a sentence, the ledger, four numbers with their ranges."""

from __future__ import annotations

from collections.abc import Iterator

from infoscope.evaluation import Evaluation, SystemResult, Value
from infoscope.figures.layout import plain_label
from infoscope.figures.ledger import LedgerDisplay
from infoscope.figures.svg import svg
from infoscope.report.html.against import against
from infoscope.report.html.definitions import term
from infoscope.report.html.elements import Html, element, joined, label
from infoscope.report.numbers import UNDEFINED, Units, amount, chance, share

__all__ = ["ABSENT", "interval", "ledger", "points", "sentences", "tiles", "verdict"]


ABSENT = Value(None, undefined="captured information is not part of this evaluation")


def verdict(evaluation: Evaluation, focus: SystemResult, unit: Units) -> Html:
    """Headline, the few sentences that follow from it, ledger and tiles."""
    return element(
        "header",
        element("p", _kicker(evaluation, focus), class_="kicker"),
        element(
            "div",
            element(
                "div",
                element("h1", *_headline(evaluation, focus)),
                element("p", joined(sentences(evaluation, focus), " "), class_="lede"),
                _remarks(evaluation, focus),
            ),
            element("div", ledger(focus, unit), tiles(focus)),
            class_="hero",
        ),
    )


def _kicker(evaluation: Evaluation, focus: SystemResult) -> Html:
    k = len(focus.truth_labels)
    sizes = [system.n for system in evaluation.systems if system.name == focus.name]
    n = None if None in sizes else sum(size for size in sizes if size is not None)
    size = "sample size unknown" if n is None else f"{amount(n)} sample{'s' * (n != 1)}"
    size += f" in {len(sizes)} groups" if len(sizes) > 1 else ""
    parts: list[object] = ["Evaluation", size, f"{k:,} class{'es' * (k != 1)}"]
    if len(evaluation.systems) > 1:
        parts.append(f"{len({system.name for system in evaluation.systems})} systems")
    if evaluation.source.until is not None:
        parts.append("read in part")
    if evaluation.source.name is not None:
        parts.append(label(evaluation.source.name, 60))
    return joined(parts, " · ")


def _headline(evaluation: Evaluation, focus: SystemResult) -> Iterator[object]:
    captured = focus.metrics.get("proficiency", ABSENT)
    yield label(focus.title, 48)
    if captured.value is None:
        yield f" cannot be judged by information: {captured.undefined}."
        return
    yield f" captures {share(captured.value, 0)} of the information in the truth"
    many = len(evaluation.systems)
    yield "." if many == 1 else f", the most of {many} {'results' if focus.group else 'systems'}."


def sentences(evaluation: Evaluation, focus: SystemResult) -> Iterator[Html]:
    """What a reader should know next, four sentences at most."""
    captured, false = focus.metrics.get("proficiency", ABSENT), focus.number("false_information_ratio")
    if captured.low is not None and captured.high is not None:
        level = "" if focus.interval is None else f"{100 * focus.interval.level:g}% "
        yield Html(f"The {level}credible range is {share(captured.low)} to {share(captured.high)}.")
    if false is not None and captured.value is not None:
        told = "none" if false == 0 else f"{100 * false:.0f} bits" if false >= 0.005 else "less than a bit"
        yield Html(f"For every 100 bits of truth it also says {told} that {'is' if false == 0 else 'are'} false.")
    pairs = [pair for pair in focus.confusions if pair.gain > 0][:3]
    if pairs:
        named = joined((joined((label(pair.classes[0]), label(pair.classes[1])), "/") for pair in pairs), ", ")
        count = ("The costliest mix-up is ", "The costliest mix-ups are ")[len(pairs) > 1]
        yield joined((count, named, f"; without the first it would capture {points(pairs[0].gain)} points more."))
    yield from _rivals(evaluation, focus)


def points(gain: float) -> str:
    """A part of the truth's information in points; small ones with two digits that count.

    >>> points(0.0523), points(0.000284)
    ('5.2', '0.028')
    """
    return f"{100 * gain:.1f}" if gain >= 0.0995e-2 else f"{100 * gain:.2g}"


def _rivals(evaluation: Evaluation, focus: SystemResult) -> Iterator[Html]:
    others = [system for system in evaluation.ranking if system is not focus and system.group == focus.group]
    if not others:
        return
    second = others[0]
    gap = against(evaluation, second, focus)
    ahead = joined((element("b", label(second.title)), f" follows with {share(second.number('proficiency'))}"))
    if gap is None:
        yield joined((ahead, "."))
    else:
        yield joined((ahead, f"; the probability that it is really behind is {chance(1.0 - gap.better)}."))


def _remarks(evaluation: Evaluation, focus: SystemResult, most: int = 3) -> Html:
    """What the tables say, the system in question first, one finding each of the others."""
    said = [(focus, finding) for finding in focus.diagnosis[:2]]
    said += [(system, system.diagnosis[0]) for system in evaluation.ranking if system is not focus and system.diagnosis]
    until = evaluation.source.until
    about = [finding.text for finding in evaluation.findings] + ([] if until is None else [f"{until['text']}."])
    items = [element("li", element("bdi", plain_label(text))) for text in about]
    for system, finding in said[:most]:
        name = "" if system is focus else joined((element("b", label(system.title, 30)), ": "))
        items.append(element("li", name, element("bdi", finding.text)))
    return element("ul", *items, class_="remarks") if items else Html("")


def ledger(system: SystemResult, unit: Units) -> Html:
    """The bar of what was missed, captured and made up."""
    missed, captured, false = (
        (system.number(name) or 0.0) * unit.per_bit
        for name in ("missed_information", "mutual_information", "false_information")
    )
    if not missed + captured + false > 0:
        return Html("")
    drawn = LedgerDisplay(missed, captured, false, unit.name)
    return element("figure", Html(svg(drawn.panel())), class_="wide")


def interval(value: Value, scale: float = 100.0, digits: int = 1) -> str:
    """The range of a value, where it is known."""
    if value.low is None or value.high is None:
        return ""
    return f"{scale * value.low:.{digits}f} – {scale * value.high:.{digits}f}"


TILES = (
    ("proficiency", "captured"),
    ("false_information_ratio", "false, relative to the truth"),
    ("accuracy", "accuracy"),
    ("remnant_classes", "classes still in doubt"),
    ("mota", "MOTA"),
    ("idf1", "IDF1"),
    ("permuted_proficiency", "captured, if renamed"),
    ("micro_f1", "F1 by membership"),
)
"""The numbers that everybody sees, in order of importance; the first four that the evaluation has are shown."""


def tiles(system: SystemResult) -> Html:
    """Four numbers, each with its range or what to hold it against."""
    chance, effective = system.number("random_accuracy"), system.number("effective_classes")
    beside = {
        "accuracy": "" if chance is None else f"chance would give {share(chance, 0)}",
        "remnant_classes": "" if effective is None else f"of {effective:.1f} in effect",
    }
    items = []
    for name, word in [tile for tile in TILES if tile[0] in system.metrics][:4]:
        value = system.metrics[name]
        plain = name == "remnant_classes"
        number = UNDEFINED if value.value is None else f"{value.value:.1f}" if plain else share(value.value, 0)
        bounds = interval(value, 1.0, 2) if plain else interval(value)
        notes = [part for part in (bounds, beside.get(name, "")) if part]
        known = term(name, word)
        note = element("span", " · ".join(notes), class_="dim") if notes else Html("")
        items.append(element("li", element("b", number), known, note))
    return element("ul", *items, class_="tiles") if items else Html("")
