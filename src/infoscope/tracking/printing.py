"""The result document in words and columns, for the terminal and for Markdown."""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from infoscope.markup import escape_markdown, markdown_table
from infoscope.tracking.document import LINES, System, TrackingEvaluation, track_accounts
from infoscope.tracking.measures import measures
from infoscope.tracking.tuning import GateSweep
from infoscope.tracking.uncertainty import Estimate

__all__ = ["EXPLAINED", "as_markdown", "as_text"]

EXPLAINED = {
    "truth": "who was where, in all",
    "captured": "told by the system's ids",
    "missed": "not detected",
    "confused": "one id on several truths: merge, swap, reuse",
    "fragmented": "one truth under several ids: break, swap",
    "spurious": "false detections and false tracks",
}
_WORST = 5
_UNITS = {"bits": 1.0, "nats": math.log(2.0)}


def as_text(result: TrackingEvaluation, *, width: int = 100, unit: str = "bits") -> str:
    """Headline, ledger, metrics and worst tracks of each system, then the differences."""
    parts = [*_aligned(_ranking_rows(result), "  "), ""] if result.comparison else []
    parts += [line for system in result.systems for line in _system_text(system, width, unit)]
    if result.comparison:
        parts += ["", "Differences (a − b)", *_aligned(_difference_rows(result), "  ")]
        parts += [f"  not beaten in both captured and false information: {', '.join(result.comparison.front)}"]
    for name, sweep in result.sweeps.items():
        parts += ["", f"By gate: {name}", *_aligned(_sweep_rows(sweep), "  ")]
    return "\n".join([*parts, "", result.settings.describe()]) + "\n"


def as_markdown(result: TrackingEvaluation, *, unit: str = "bits") -> str:
    """The same as tables."""
    parts = [_table(_ranking_rows(result)), ""] if result.comparison else []
    for system in result.systems:
        headline = escape_markdown(_headline(system))
        parts += [f"## {escape_markdown(system.name)}", "", headline, "", _table(_ledger_rows(system, unit)), ""]
        parts += [_table(_metric_rows(system, unit)), ""]
        parts += [f"- {escape_markdown(each['text'])}" for each in system.remarks()]
        parts += ["", _table(_worst_rows(system, unit)), ""] if system.sequences else []
    if result.comparison:
        parts += ["## Differences (a − b)", "", _table(_difference_rows(result)), ""]
    for name, sweep in result.sweeps.items():
        parts += [f"## By gate: {escape_markdown(name)}", "", _table(_sweep_rows(sweep)), ""]
    return "\n".join([*parts, escape_markdown(result.settings.describe())]) + "\n"


def _system_text(system: System, width: int, unit: str) -> Iterator[str]:
    yield _headline(system)
    yield from _bar(system, width)
    yield from _aligned(_ledger_rows(system, unit), "  ")
    yield ""
    yield from _aligned(_metric_rows(system, unit), "  ")
    worst = _worst_rows(system, unit)
    if len(worst) > 1:
        yield f"\nWorst truth tracks, by lost and fragmented {unit}"
        yield from _aligned(worst, "  ")
    yield from (f"! {each['text']}" for each in system.remarks())


def _headline(system: System) -> str:
    captured, false = system.estimates["proficiency"], system.estimates["false_information_ratio"]
    boxes = f"{int(system.total.truth_boxes)} truth and {int(system.total.system_boxes)} system detections"
    if not np.isfinite(captured.value):
        return f"{system.name}: captured information is undefined ({boxes})"
    return (
        f"{system.name} captures {captured.value:.1%}{_range(captured)} of the information about who was where,"
        f" with {false.value:.1%} of it false besides ({boxes})"
    )


def _range(estimate: Estimate) -> str:
    return f" ({estimate.low:.1%} to {estimate.high:.1%})" if np.isfinite(estimate.sd) else ""


def _bar(system: System, width: int) -> Iterator[str]:
    """The ledger as one bar: captured, then what is lost, then what is false."""
    lines = system.ledger
    whole = lines["truth"] + lines["fragmented"] + lines["spurious"]
    if whole <= 0:
        return
    marks = {"captured": "█", "missed": "▒", "confused": "▓", "fragmented": "/", "spurious": "░"}
    yield "  " + "".join(mark * round((width - 4) * lines[line] / whole) for line, mark in marks.items())


def _ledger_rows(system: System, unit: str) -> list[list[str]]:
    lines = system.ledger
    rows = [["ledger", unit, "of truth", ""]]
    for line in LINES:
        share = f"{lines[line] / lines['truth']:.1%}" if lines["truth"] > 0 else "–"
        rows.append([line, f"{lines[line] * _UNITS[unit]:.1f}", share, EXPLAINED[line]])
    return rows


def _metric_rows(system: System, unit: str) -> list[list[str]]:
    rows = [["metric", "value", f"{system.settings.level:.0%} interval"]]
    for each in measures(system.settings.per):
        estimate = system.estimates[each.name]
        if not np.isfinite(estimate.value):
            rows.append([each.name, "undefined", each.card.undefined])
            continue
        whole = each.card.unit == "count" and estimate.value == int(estimate.value)
        digits = 0 if whole else 4
        times = _UNITS[unit] if each.card.unit == "bits" else 1.0
        known = np.isfinite(estimate.sd)
        interval = f"{times * estimate.low:.{digits}f} to {times * estimate.high:.{digits}f}" if known else "–"
        rows.append([each.name, f"{times * estimate.value:.{digits}f}", interval])
    return rows


def _worst_rows(system: System, unit: str) -> list[list[str]]:
    found = [
        (each, sequence.name)
        for sequence in system.sequences
        for each in track_accounts(sequence)[0][:_WORST]
        if each["missed"] + each["confused"] + each["fragmented"] > 0
    ]
    found.sort(key=lambda item: -(item[0]["missed"] + item[0]["confused"] + item[0]["fragmented"]))
    rows = [["sequence", "track", "frames", "matched", "ids", "missed", "confused", "fragmented"]]
    for each, name in found[:_WORST]:
        bits = [f"{each[line] * _UNITS[unit]:.1f}" for line in ("missed", "confused", "fragmented")]
        rows.append([name, each["id"], str(each["frames"]), f"{each['matched']:g}", str(each["ids"]), *bits])
    return rows


def _ranking_rows(result: TrackingEvaluation) -> list[list[str]]:
    """The systems side by side, least erroneous first."""
    shown = ("proficiency", "false_information_ratio", "erroneous_information_ratio", "mota", "idf1", "hota")
    rows = [["system", "captured", "false", "erroneous", "MOTA", "IDF1", "HOTA"]]
    for name in result.comparison.ranking if result.comparison else ():
        values = [result[name].estimates[metric].value for metric in shown]
        rows.append([name, *(f"{value:.4f}" if np.isfinite(value) else "–" for value in values)])
    return rows


def _difference_rows(result: TrackingEvaluation) -> list[list[str]]:
    rows = [["a", "b", "metric", "difference", "interval", "P(a better)", "p"]]
    for each in result.comparison.pairs if result.comparison else ():
        known = np.isfinite(each.sd)
        rows.append(
            [
                each.a,
                each.b,
                each.metric,
                f"{each.difference:+.4f}",
                f"{each.low:+.4f} to {each.high:+.4f}" if known else "–",
                f"{each.probability_a_better:.3f}" if known else "–",
                f"{each.p_value:.3f}" if np.isfinite(each.p_value) else "–",
            ]
        )
    return rows


def _sweep_rows(sweep: GateSweep) -> list[list[str]]:
    shown = ("proficiency", "false_information_ratio", "erroneous_information_ratio", "information_jaccard")
    rows = [["gate", "captured", "false", "erroneous", "J"]]
    for gate, point in [*((f"{each['gate']:g}", each) for each in sweep.points), ("mean", sweep.mean)]:
        rows.append([gate, *(f"{point[name]:.4f}" if np.isfinite(point[name]) else "–" for name in shown)])
    return rows


def _aligned(rows: Sequence[Sequence[str]], indent: str) -> list[str]:
    """Columns side by side; numbers to the right. A number is never cut."""
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    numeric = [all(_looks_numeric(row[at]) for row in rows[1:]) for at in range(len(widths))]
    return [
        indent
        + "  ".join(
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(row, widths, numeric, strict=True)
        ).rstrip()
        for row in rows
    ]


def _looks_numeric(cell: str) -> bool:
    return cell in {"–", "undefined"} or cell.strip("+-%").replace(".", "", 1).isdigit()


def _table(rows: Sequence[Sequence[str]]) -> str:
    return markdown_table(rows[0], rows[1:], names=len(rows[0]))
