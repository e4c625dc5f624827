"""What is folded away: every number, what each means, method and limits, data."""

from __future__ import annotations

from collections.abc import Sequence

from infoscope.cards import find, is_of_positive
from infoscope.errors import UnknownNameError
from infoscope.evaluation import Evaluation, SystemResult, Value
from infoscope.figures.layout import plain_label
from infoscope.report.html.definitions import definitions
from infoscope.report.html.elements import Html, element, joined, label, scrolled
from infoscope.report.html.making import Making
from infoscope.report.numbers import Units
from infoscope.report.wording import left_out

__all__ = ["everything"]

MOST_COLUMNS = 8
"""Systems in one table of all values; the page's data has the rest."""


def everything(evaluation: Evaluation, unit: Units, made: Making) -> Html:
    """The last section, all of it in folds."""
    return element(
        "section",
        element("h2", "Everything else"),
        _values(evaluation, unit),
        definitions(name for system in evaluation.systems for name in system.metrics),
        _method(evaluation, made),
        _long_names(evaluation),
        element("p", class_="js", id="downloads"),
        id="all",
    )


def _shown(name: str, value: Value | None, unit: Units) -> str:
    if value is None or value.value is None:
        return "undefined"
    scale = unit.per_bit if _card_unit(name) == "bits" else 1.0
    number = f"{value.value * scale:.4g}"
    if value.low is None or value.high is None:
        return number
    return f"{number} ({value.low * scale:.4g} – {value.high * scale:.4g})"


def _card_unit(name: str) -> str:
    try:
        return find(name).card.unit
    except UnknownNameError:
        return ""


def _title(name: str, systems: Sequence[SystemResult]) -> str:
    """The metric, with the class that it is about where that is the same for all systems."""
    classes = {system.positive for system in systems}
    try:
        return plain_label(find(name).card.titled(classes.pop() if len(classes) == 1 else None))
    except UnknownNameError:
        return name.replace("_", " ").capitalize()


def _values(evaluation: Evaluation, unit: Units) -> Html:
    systems = list(evaluation.ranking)[:MOST_COLUMNS]
    names = list(dict.fromkeys(name for system in systems for name in system.metrics))
    head = element(
        "tr",
        element("th", "metric", scope="col"),
        *(element("th", label(s.title, 24), scope="col", class_="n") for s in systems),
    )
    rows = []
    for name in names:
        cells = [_cell(name, system, unit, systems) for system in systems]
        term = element("a", _title(name, systems), href=f"#def-{name}", class_="term")
        rows.append(element("tr", element("th", term, " ", element("code", name), scope="row"), *cells))
    left = len(evaluation.systems) - len(systems)
    return element(
        "details",
        element("summary", f"All {len(names)} metrics"),
        element("p", f"The best {len(systems)} systems; {left} more are in the data below.", class_="note")
        if left
        else Html(""),
        scrolled(
            element(
                "table",
                element("caption", f"Every metric of every system, information in {unit.name}", class_="sr"),
                element("thead", head),
                element("tbody", *rows),
                class_="values every tool",
                data_search="metrics",
            ),
            "All metrics",
        ),
    )


def _cell(name: str, system: SystemResult, unit: Units, systems: Sequence[SystemResult]) -> Html:
    value = system.metrics.get(name)
    why = None if value is None or value.value is not None else value.undefined
    if why is None and is_of_positive(name) and any(other.positive != system.positive for other in systems):
        why = plain_label(f"of '{system.positive}'")
    return element("td", _shown(name, value, unit), element("small", f" {why}", class_="dim") if why else Html(""))


def _method(evaluation: Evaluation, made: Making) -> Html:
    items: list[object] = [
        "Information is counted on the table of truth × output alone; “captured” is the mutual "
        "information as a share of the truth's entropy.",
        "Captured information does not care how outputs are named: a system that swaps two names keeps "
        "its score. Accuracy does care; the page says where they part.",
        "Values are those of the sample. With few samples per cell captured information tends to look too high.",
    ]
    believed = any(value.low is not None for system in evaluation.systems for value in system.metrics.values())
    items.append(
        "Ranges are credible intervals of a Bayesian posterior about the table."
        if believed
        else "No ranges are shown, because this evaluation was made without a posterior."
    )
    items += dict.fromkeys(f"{system.interval.text}." for system in evaluation.systems if system.interval is not None)
    items += [left_out(rows, plain_label(reason)) for reason, rows in evaluation.source.ignored.items()]
    items += [] if evaluation.source.until is None else [f"{plain_label(evaluation.source.until['text'])}."]
    items += [plain_label(note) for note in (evaluation.comparison or {}).get("notes", ())]
    hashes = {system.title: system.data_hash for system in evaluation.systems if system.data_hash is not None}
    return element(
        "details",
        element("summary", "Method and limits"),
        element("ul", *(element("li", item) for item in items), *made.items(hashes)),
        id="method",
    )


def _long_names(evaluation: Evaluation, most: int = 32) -> Html:
    """Names that had to be cut, whole."""
    names: Sequence[str] = list(
        dict.fromkeys(
            name
            for system in evaluation.systems
            for name in (system.title, *system.truth_labels, *system.system_labels)
            if len(plain_label(name)) > 18
        )
    )
    long = [name for name in names if len(plain_label(name)) > most]
    if not long:
        return Html("")
    items = joined(element("li", element("bdi", plain_label(name))) for name in long[:500])
    return element("details", element("summary", "Long names, whole"), element("ol", items, class_="long"))
