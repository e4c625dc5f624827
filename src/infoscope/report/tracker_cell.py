"""Trackers in a notebook: a sentence, their ledgers as one picture, a row a tracker; the rest folded."""

from __future__ import annotations

from infoscope.errors import InputError
from infoscope.figures.layout import plain_label
from infoscope.figures.notebook import picture
from infoscope.figures.track_choice import chosen_system
from infoscope.figures.track_ledger import TrackLedgerDisplay
from infoscope.report.html.elements import Html, element, joined, label
from infoscope.report.html.tracker_tables import value_of
from infoscope.report.html.verdict import interval
from infoscope.report.notebook import DIM, INK, MOST_ROWS, cell_table
from infoscope.report.numbers import share
from infoscope.tracking.document import System, TrackingEvaluation, renders

__all__ = ["tracker_cell"]

COLUMNS = ("tracker", "captured", "range", "false", "HOTA", "MOTA", "IDF1", "id switches")


@renders("notebook")
def tracker_cell(evaluation: TrackingEvaluation) -> str:
    """The verdict, the ledgers, a row a tracker, what looks wrong, and all numbers of the least erroneous folded."""
    focus = chosen_system(evaluation, None)
    ranking = evaluation.comparison.ranking if evaluation.comparison else (focus.name,)
    shown = [evaluation[name] for name in ranking[:MOST_ROWS]]
    more = len(ranking) - len(shown)
    remarks = [element("li", element("bdi", plain_label(each["text"]))) for each in focus.remarks()[:4]]
    parts: list[object] = [
        element("p", *_headline(evaluation, focus), style="margin:.2em 0 .6em;max-width:70ch"),
        _ledgers(evaluation, shown),
        cell_table(COLUMNS, [_row(system) for system in shown]),
        element("p", f"and {more} more", style=DIM) if more else "",
        element("ul", *remarks) if remarks else "",
        _numbers(focus),
    ]
    return element("div", *parts, style=INK)


def _headline(evaluation: TrackingEvaluation, focus: System) -> list[object]:
    captured = value_of(focus, "proficiency")
    name = element("b", label(focus.name, 60))
    if captured.value is None:
        return [name, f" cannot be judged by information: {captured.undefined}."]
    many = len(evaluation.systems)
    rank = f", the least erroneous of {many} trackers" if many > 1 else ""
    bounds = interval(captured)
    told = f" ({evaluation.settings.level:.0%} interval {bounds}%)" if bounds else ""
    return [name, f" captures {share(captured.value)} of the information about who was where{told}{rank}."]


def _ledgers(evaluation: TrackingEvaluation, shown: list[System]) -> Html:
    try:
        display = TrackLedgerDisplay.from_evaluation(TrackingEvaluation(evaluation.settings, tuple(shown)))
    except InputError as nothing:  # a truth without information has no ledger
        return element("p", str(nothing), style=DIM)
    return Html(picture(display.panel()))


def _row(system: System) -> tuple[object, ...]:
    captured, switches = value_of(system, "proficiency"), value_of(system, "id_switches").value
    ratios = [share(value_of(system, name).value) for name in ("false_information_ratio", "hota", "mota", "idf1")]
    counted = "" if switches is None else f"{switches:,.0f}"
    return label(system.name, 40), share(captured.value), interval(captured), *ratios, counted


def _numbers(system: System) -> Html:
    rows = []
    for name in system.estimates:
        value = value_of(system, name)
        if value.value is not None:
            rows.append((element("code", name), f"{value.value:.6g}", interval(value, 1.0, 4)))
    title = joined(("all numbers of ", label(system.name, 40)))
    table = cell_table(("metric", "value", "range"), rows)
    return element("details", element("summary", title), table, style="margin:.3em 0")
