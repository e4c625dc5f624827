"""What is shown of drift: who relates differently, what was shown, and what would have been found."""

from __future__ import annotations

from collections.abc import Callable

from infoscope.figures.comparison import ComparisonDisplay, ForestRow
from infoscope.figures.display import Display
from infoscope.reports.outline import Appendix, Column, Name, Outline, Section, Table, Tile
from infoscope.reports.shared import tabulate
from infoscope.results.notation import Units, format_count, format_p_value
from infoscope.studies.drift import Drift


def _relations(result: Drift) -> ComparisonDisplay:
    """Pairs by how much their relation changed."""
    rows = [
        ForestRow(f"{pair.first} – {pair.second}", pair.information, word=f"P {format_p_value(pair.p_adjusted)}")
        for pair in result.pairs
    ]
    return ComparisonDisplay(rows, "change of the relation, bits per item", noun="pairs")


PICTURES: dict[str, Callable[[Drift], Display]] = {"relations": _relations}


def outline(result: Drift, unit: Units) -> Outline:
    """The first finding is the headline; then pairs and systems."""
    changed = sum(pair.p_adjusted <= result.level for pair in result.pairs)
    shown = sum(system.p_adjusted <= result.level for system in result.systems)
    return Outline(
        title=f"Drift of {len(result.names)} systems",
        kicker=(
            "Drift without truth",
            f"{len(result.names)} systems",
            f"{format_count(result.items[0])} items before, {format_count(result.items[1])} after",
        ),
        headline=_headline(result, changed),
        tiles=[
            Tile(f"{changed} of {len(result.pairs)}", "pairs relate differently", "", "Holm-corrected"),
            Tile(f"{shown} of {len(result.systems)}", "systems with other frequencies of labels", "", "Holm-corrected"),
        ],
        sections=[_pairs(result, unit), _systems(result, unit)],
        appendix=Appendix(
            metrics=("mutual_information", "erroneous_information"),
            method=(
                "With P the period: I(A,B;P) = I(A;P) + I(B;P|A) = I(B;P) + I(A;P|B). I(A;P) is about what a system "
                "was shown, or the system; I(B;P|A) and I(A;P|B) are about how the two relate.",
                "P-values come from permuting the periods within what is given, drawn from the counts; a pair relates "
                "differently where both conditional parts differ.",
                "The smallest change that would have been found is that of the chi-square test, with probability 80%.",
            ),
        ),
    )


def _headline(result: Drift, changed: int) -> str:
    if result.changed:
        return f"{', '.join(result.changed)} changed between {result.before} and {result.after}."
    if changed:
        return f"{changed} of {len(result.pairs)} pairs of systems relate differently in {result.after}."
    return f"No pair of systems relates differently in {result.after}."


def _pairs(result: Drift, unit: Units) -> Section:
    rows = tabulate(
        sorted(result.pairs, key=lambda each: each.p_adjusted),
        (Column("system", "name"), lambda each: Name(each.first)),
        (Column("and", "name"), lambda each: Name(each.second)),
        (
            Column(f"shared before, {unit.name}", priority=5, metric="mutual_information"),
            lambda each: unit.amount(each.mutual_information[0]),
        ),
        (Column("after", priority=5), lambda each: unit.amount(each.mutual_information[1])),
        (Column(f"change of the relation, {unit.name} per item"), lambda each: _change(each.information, unit)),
        (Column("p"), lambda each: format_p_value(each.p_adjusted)),
        (Column("smallest found", priority=6), lambda each: _change(each.second_given_first.smallest_found, unit)),
        (Column("items before", priority=2), lambda each: format_count(each.items[0])),
        (Column("after", priority=2), lambda each: format_count(each.items[1])),
    )
    return Section("How systems relate", [Table(*rows, search="pairs", max_rows=15)], "pairs", link="Pairs")


def _systems(result: Drift, unit: Units) -> Section:
    rows = tabulate(
        result.systems,
        (Column("system", "name"), lambda each: Name(each.name)),
        (Column(f"about the period, {unit.name} per item"), lambda each: _change(each.shown.information, unit)),
        (Column("p"), lambda each: format_p_value(each.p_adjusted)),
        (Column("smallest found", priority=6), lambda each: _change(each.shown.smallest_found, unit)),
        (Column("items before", priority=3), lambda each: format_count(each.items[0])),
        (Column("after", priority=3), lambda each: format_count(each.items[1])),
    )
    return Section("What systems were shown", [Table(*rows, search="systems")], "shown", link="Systems")


def _change(bits: float | None, unit: Units) -> str:
    """Four decimals, or two digits of what these would round to 0."""
    return f"{bits * unit.per_bit:.2g}" if bits and abs(bits) < 0.00005 else unit.amount(bits, 4)
