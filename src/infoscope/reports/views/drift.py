"""Show drift: which pairs of systems relate differently, what the systems were shown, and what would be found."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from infoscope.figures.comparison import ComparisonDisplay, ForestRow
from infoscope.figures.display import Display
from infoscope.reports.outline import Appendix, Column, Inline, Name, Outline, Section, Table, Tile
from infoscope.reports.shared import tabulate
from infoscope.results.notation import Units, format_count, format_p_value, format_share
from infoscope.studies.drift import Drift


def _make_display(result: Drift) -> ComparisonDisplay:
    """Show pairs by how much their relation changed."""
    rows = [
        ForestRow(f"{pair.first} – {pair.second}", pair.information, word=f"P {format_p_value(pair.p_adjusted)}")
        for pair in result.pairs
    ]
    return ComparisonDisplay(rows, "change of the relation, bits per item", noun="pairs")


PICTURES: dict[str, Callable[[Drift], Display]] = {"relations": _make_display}


def outline(result: Drift, unit: Units) -> Outline:
    """Write the outline: which systems or pairs changed, then every pair and every system."""
    changed = sum(pair.p_adjusted <= result.level for pair in result.pairs)
    shown = sum(system.p_adjusted <= result.level for system in result.systems)
    headline = f"No pair of systems relates differently in {result.after}"
    if result.changed:
        headline = f"{', '.join(result.changed)} changed between {result.before} and {result.after}"
    elif changed:
        headline = f"{changed} of {len(result.pairs)} pairs of systems relate differently in {result.after}"
    return Outline(
        title=f"Drift of {len(result.names)} systems",
        kicker=(
            "Drift without truth",
            f"{len(result.names)} systems",
            f"{format_count(result.items[0])} items before, {format_count(result.items[1])} after",
        ),
        headline=(headline, *_describe_agreement(result), "."),
        tiles=[
            Tile(f"{changed} of {len(result.pairs)}", "pairs relate differently", "", "Holm-corrected"),
            Tile(f"{shown} of {len(result.systems)}", "systems with other frequencies of labels", "", "Holm-corrected"),
        ],
        sections=list(_make_sections(result, unit)),
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


def _describe_agreement(result: Drift) -> tuple[Inline, ...]:
    """Write on how many items the pair that changed most surely agrees, and agreed before; nothing without labels."""
    concerned = [pair for pair in result.pairs if {pair.first, pair.second} & {*result.changed}] or result.pairs
    pair = min(concerned, key=lambda pair: (pair.p_adjusted, -pair.information), default=None)
    if pair is None or not any(pair.agreement):
        return ()
    before, after = map(format_share, pair.agreement)
    return (": ", Name(pair.first), " and ", Name(pair.second), f" agree on {after} of the items, {before} before")


def _make_sections(result: Drift, unit: Units) -> Iterator[Section]:
    """Show on how many items every pair agrees; folded, what every pair shares, and what every system was shown."""
    agreement = tabulate(
        sorted(result.pairs, key=lambda item: item.p_adjusted),
        (Column("system", "name"), lambda item: Name(item.first)),
        (Column("and", "name"), lambda item: Name(item.second)),
        (Column("agree before"), lambda item: format_share(item.agreement[0])),
        (Column("after"), lambda item: format_share(item.agreement[1])),
        (Column("P of a changed relation"), lambda item: format_p_value(item.p_adjusted)),
    )
    note = (
        "The relation is tested by all labels, not by agreement alone; P is corrected for the number of pairs (Holm)."
    )
    yield Section("", [Table(*agreement, note=note, search="pairs", max_rows=15)])
    pairs = tabulate(
        sorted(result.pairs, key=lambda item: item.p_adjusted),
        (Column("system", "name"), lambda item: Name(item.first)),
        (Column("and", "name"), lambda item: Name(item.second)),
        (
            Column(f"shared before, {unit.name}", priority=5, metric="mutual_information"),
            lambda item: unit.amount(item.mutual_information[0]),
        ),
        (Column("after", priority=5), lambda item: unit.amount(item.mutual_information[1])),
        (Column(f"change of the relation, {unit.name} per item"), lambda item: _format_change(item.information, unit)),
        (Column("p"), lambda item: format_p_value(item.p_adjusted)),
        (
            Column("smallest found", priority=6),
            lambda item: _format_change(item.second_given_first.smallest_found, unit),
        ),
        (Column("items before", priority=2), lambda item: format_count(item.items[0])),
        (Column("after", priority=2), lambda item: format_count(item.items[1])),
    )
    yield Section("Information that systems share", [Table(*pairs, search="pairs", max_rows=15)], "pairs", folded=True)
    systems = tabulate(
        result.systems,
        (Column("system", "name"), lambda item: Name(item.name)),
        (Column(f"about the period, {unit.name} per item"), lambda item: _format_change(item.shown.information, unit)),
        (Column("p"), lambda item: format_p_value(item.p_adjusted)),
        (Column("smallest found", priority=6), lambda item: _format_change(item.shown.smallest_found, unit)),
        (Column("items before", priority=3), lambda item: format_count(item.items[0])),
        (Column("after", priority=3), lambda item: format_count(item.items[1])),
    )
    yield Section("What systems were shown", [Table(*systems, search="systems")], "shown", folded=True)


def _format_change(bits: float | None, unit: Units) -> str:
    """Format four decimals, or two digits of what these would round to 0."""
    return f"{bits * unit.per_bit:.2g}" if bits and abs(bits) < 0.00005 else unit.amount(bits, 4)
