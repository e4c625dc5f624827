"""One system in detail: what to fix first, what to do, what is confused with what, which classes lose most."""

from __future__ import annotations

import numpy as np

from infoscope.evaluation import ClassResult, SystemResult
from infoscope.figures.leaks import LeakDisplay, Stream
from infoscope.figures.perplexity_chain import Chain, PerplexityDisplay
from infoscope.figures.svg import svg
from infoscope.report.by_class import cost_in_bits
from infoscope.report.html.elements import Html, element, label, scrolled
from infoscope.report.html.matrix import confusion_matrix
from infoscope.report.html.verdict import points
from infoscope.report.numbers import Units, amount, share

__all__ = ["system_detail"]

MOST_CLASSES = 60
"""Rows of the class table that are written; the page's search reaches all."""
ACTIONS = {
    "relabelled": "Rename the outputs",
    "named_clusters": "Name the clusters",
    "merged_pair": "Merge, or tell apart",
    "second_stage": "Add a second stage",
    "abstains_for_free": "Judge the refusals",
    "few_samples": "Collect more samples",
    "unseen_classes": "State all classes",
    "lookalike_labels": "Clean the labels",
    "majority_voter": "Do not use it",
    "random": "Do not use it",
    "accuracy_paradox": "Do not trust accuracy",
    "specialised": "Rebalance",
    "less_varied_output": "Allow more answers",
    "detection_problem": "Judge as detection",
    "non_monotone": "Mind the clash",
}
"""What a finding asks for."""


def system_detail(system: SystemResult, unit: Units, at: int) -> Html:
    """Everything about one system, under its name."""
    return element(
        "article",
        element("h3", label(system.title, 60), class_="system-name"),
        element(
            "div",
            element("div", _fixes(system), _actions(system), _by_class(system, unit, at)),
            element("div", confusion_matrix(system, at), _chain(system), _leaks(system, unit)),
            class_="two",
        ),
        class_="system",
        id=f"system-{at}",
        data_system=system.title,
    )


def _fixes(system: SystemResult) -> Html:
    pairs = [pair for pair in system.confusions if pair.gain > 0][:5]
    if not pairs:
        return element("p", "No two classes are taken for each other.", class_="note") if system.classes else Html("")
    rows = [
        element(
            "tr",
            element("th", label(pair.classes[0], 20), " / ", label(pair.classes[1], 20), scope="row"),
            element("td", bar(pair.gain / pairs[0].gain, "false"), class_="track"),
            element("td", f"+{points(pair.gain)} points", class_="n strong"),
            element("td", amount(pair.count), class_="n dim"),
        )
        for pair in pairs
    ]
    head = element(
        "tr",
        element("th", "pair", scope="col"),
        element("td"),
        element("th", "gain", scope="col", class_="n"),
        element("th", "samples", scope="col", class_="n"),
    )
    return element(
        "div",
        element("h4", "What to fix first"),
        element(
            "table",
            element("caption", "Points of captured information gained if the pair were never confused", class_="sr"),
            element("thead", head, class_="quiet"),
            element("tbody", *rows),
            class_="fix",
        ),
        element(
            "p",
            "Points of captured information gained if the pair were never confused. Gains overlap and do not add up.",
            class_="note",
        ),
    )


def _actions(system: SystemResult) -> Html:
    told = [(ACTIONS.get(item.code, "Note"), item.text) for item in system.diagnosis]
    more = None if system.interval is None else system.interval.samples_to_halve
    if more:
        told.append(("To be surer", f"{more:,} more samples would halve the range of what it captures."))
    if not told:
        return Html("")
    rows = [element("div", element("dt", action), element("dd", element("bdi", why))) for action, why in told]
    return element("div", element("h4", "What to do about it"), element("dl", *rows, class_="actions"))


def bar(part: float, role: str) -> Html:
    """A bar that fills its cell to a share."""
    return Html(
        f'<svg class="bar" aria-hidden="true" width="100%" height="12"><rect class="f-{role}" fill="#888" '
        f'width="{100 * min(max(part, 0.0), 1.0):.1f}%" height="12"/></svg>'
    )


def _number(item: ClassResult | None, name: str) -> float | None:
    value = None if item is None else item.values.get(name)
    return None if value is None else value.value


def _by_class(system: SystemResult, unit: Units, at: int) -> Html:
    outputs = {item.label: item for item in system.outputs}
    classes = {item.label: item for item in system.classes}
    labels = [name for name in dict.fromkeys([*classes, *outputs]) if _occurs(classes.get(name), outputs.get(name))]
    if not labels:
        return Html("")
    cost = {name: _cost(system, classes.get(name), outputs.get(name)) for name in labels}
    labels.sort(key=lambda name: -cost[name])
    numbers = [_number(classes.get(name), "false_information") or 0.0 for name in labels]
    numbers += [_number(outputs.get(name), "missed_information") or 0.0 for name in labels]
    most = max(numbers, default=0.0) or 1.0
    digits = _digits(cost[labels[0]] * unit.per_bit)
    rows = [
        _class_row(name, classes.get(name), outputs.get(name), f"{cost[name] * unit.per_bit:.{digits}f}", most, unit)
        for name in labels[:MOST_CLASSES]
    ]
    titles = (
        ("class", ""),
        ("samples", "n"),
        ("recall", "n"),
        ("precision", "n"),
        ("answers scatter", "b"),
        ("its word is doubtful", "b"),
        ("cost", "n"),
    )
    head = element("tr", *(element("th", title, scope="col", class_=kind or None) for title, kind in titles))
    left = len(labels) - MOST_CLASSES
    more = element(
        "p", f"The {MOST_CLASSES} costliest of {len(labels):,} classes; search to find any.", class_="note more"
    )
    return element(
        "div",
        element("h4", "By class"),
        scrolled(
            element(
                "table",
                element("caption", f"Information by class in {unit.name}, the costliest first", class_="sr"),
                element("thead", head),
                element("tbody", *rows),
                class_="classes tool",
                data_search="classes",
                data_at=at,
                data_most=f"{most:.6g}",
                data_per=f"{unit.per_bit:.12g}",
                data_digits=digits,
            ),
            "Classes",
        ),
        more if left > 0 else Html(""),
        element(
            "p",
            "Answers scatter: H(S|T=class). Its word is doubtful: H(T|S=class). Cost: what both add to the "
            f"loss, in {unit.name}.",
            class_="note",
        ),
    )


def _digits(most: float) -> int:
    """Decimals that tell the largest number to two digits, three at least.

    >>> _digits(0.28), _digits(0.0019)
    (3, 4)
    """
    return 3 if most <= 0.0 else min(max(3, 1 - int(np.floor(np.log10(most)))), 9)


def _occurs(item: ClassResult | None, output: ClassResult | None) -> bool:
    return (_number(item, "support") or 0) > 0 or (_number(output, "declared") or 0) > 0


def _cost(system: SystemResult, item: ClassResult | None, output: ClassResult | None) -> float:
    """Missed and false bits of the class as truth; for an answer that is no class, as answer."""
    side = item if item is not None and (_number(item, "support") or 0) > 0 else output
    return 0.0 if side is None else cost_in_bits(system, side)


def _class_row(  # noqa: PLR0917 - one row, one look
    name: str, item: ClassResult | None, output: ClassResult | None, cost: str, most: float, unit: Units
) -> Html:
    scatter, doubt = _number(item, "false_information"), _number(output, "missed_information")
    size = _number(item, "support") if item is not None else _number(output, "declared")
    return element(
        "tr",
        element("th", label(name, 26), scope="row"),
        element("td", amount(size), class_="n"),
        element("td", _share(_number(item, "recall")), class_="n"),
        element("td", _share(_number(output, "precision")), class_="n"),
        element("td", bar((scatter or 0.0) / most, "false"), element("span", _bits(scatter, unit)), class_="b"),
        element("td", bar((doubt or 0.0) / most, "missed"), element("span", _bits(doubt, unit)), class_="b"),
        element("td", cost, class_="n strong"),
        data_class=name,
    )


def _share(value: float | None) -> str:
    return "–" if value is None else share(value)


def _bits(value: float | None, unit: Units) -> str:
    return "–" if value is None else f"{value * unit.per_bit:.2f}"


def _chain(system: SystemResult) -> Html:
    effective, left, factor = (
        system.number(name) for name in ("effective_classes", "remnant_classes", "transfer_factor")
    )
    if effective is None or left is None or factor is None or len(system.truth_labels) < 2:
        return Html("")
    drawn = PerplexityDisplay([Chain(system.title, len(system.truth_labels), effective, left, factor)])
    return element(
        "div",
        element("h4", "How much doubt is left"),
        element("figure", Html(svg(drawn.panel())), class_="wide"),
    )


def _leaks(system: SystemResult, unit: Units) -> Html:
    streams = [
        Stream(
            leak.truth,
            leak.system,
            leak.count,
            leak.missed_bits * unit.per_bit,
            leak.false_bits * unit.per_bit,
            leak.truth == leak.system,
        )
        for leak in system.leaks
    ]
    if not any(not stream.hit for stream in streams) or np.isclose(sum(stream.bits for stream in streams), 0.0):
        return Html("")
    drawn = LeakDisplay(streams, most=8, unit=unit.name)
    return element(
        "details",
        element("summary", "Where the bits leak"),
        element("figure", Html(svg(drawn.panel())), class_="wide"),
    )
