"""The page: one file that opens anywhere, offline, with or without JavaScript."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from infoscope.cards import catalogue
from infoscope.errors import InputError
from infoscope.evaluation import Evaluation, SystemResult, renders
from infoscope.figures.layout import plain_label
from infoscope.page_files import write_page
from infoscope.report.html.comparing import compared
from infoscope.report.html.elements import Html, element
from infoscope.report.html.embedding import embedded, rounded
from infoscope.report.html.everything import everything
from infoscope.report.html.fixing import system_detail
from infoscope.report.html.making import Making
from infoscope.report.html.maps import maps
from infoscope.report.html.shell import code_of, page
from infoscope.report.html.verdict import verdict
from infoscope.report.numbers import Units, share, units

__all__ = ["as_html", "write_html"]


@renders("html")
def as_html(evaluation: Evaluation, *, unit: str = "bits", command: str | None = None) -> str:
    """The whole page as text; ``command`` is what made it, where that is known."""
    from infoscope import __version__  # noqa: PLC0415 - the package itself

    if not evaluation.systems:
        raise InputError("there is no system to report on; evaluate at least one")
    measure = units(unit)
    focus = evaluation.ranking[0]
    drawn = maps(evaluation)
    return page(
        _title(focus),
        code_of("page.js"),
        element(
            "main",
            verdict(evaluation, focus, measure),
            _navigation(evaluation, drawn),
            _details(evaluation, focus, measure),
            compared(evaluation),
            drawn,
            everything(evaluation, measure, Making(command, __version__)),
        ),
        embedded("data", rounded(evaluation.to_dict())),
        embedded("cards", _cards(measure)),
    )


@renders("html file")
def write_html(evaluation: Evaluation, path: str | Path, *, unit: str = "bits", force: bool = False) -> Path:
    """Write the page in one step; a file that is there is replaced only if it is such a page, or with ``force``."""
    return write_page(path, as_html(evaluation, unit=unit), force=force)


def _title(focus: SystemResult) -> str:
    return f"{plain_label(focus.title)[:60]}: {share(focus.number('proficiency'), 0)} captured"


def _navigation(evaluation: Evaluation, drawn: Html) -> Html:
    links = [("#fix", "What to fix")]
    links += [("#compare", "Compare")] if len(evaluation.systems) > 1 else []
    links += [("#maps", "Maps")] if drawn else []
    links += [("#all", "Everything else")]
    return element(
        "nav",
        *(element("a", word, href=where) for where, word in links),
        element("button", "dark or light", type="button", id="theme", class_="js"),
        aria_label="Sections",
    )


def _details(evaluation: Evaluation, focus: SystemResult, measure: Units) -> Html:
    order = {id(system): at for at, system in enumerate(evaluation.systems)}
    blocks = []
    for system in evaluation.ranking:
        block = system_detail(system, measure, order[id(system)])
        if system is not focus:
            block = element("details", element("summary", plain_label(system.title)[:80]), block, class_="other")
        blocks.append(block)
    many = len(evaluation.systems) > 1
    return element(
        "section",
        element("h2", "What to fix, and where it loses"),
        element("p", class_="js chooser", id="system-choice") if many else Html(""),
        *blocks,
        id="fix",
    )


def _cards(measure: Units) -> dict[str, Any]:
    """What the page's code must know of the metrics: which direction is better, and in which unit they are."""
    metrics = {name: {"better": card.better, "unit": card.unit} for name, card in catalogue.items()}
    return {"metrics": metrics, "unit": measure.name, "per_bit": measure.per_bit}
