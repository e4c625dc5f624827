"""What is shown of relations: the closest, what they are given others, what columns tell together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from infoscope.figures.display import Display
from infoscope.figures.relations import RelationGraphDisplay, RelationMatrixDisplay
from infoscope.reports.outline import (
    ALL_ROWS,
    Appendix,
    Cell,
    Column,
    Figure,
    Name,
    Outline,
    Phrase,
    Section,
    SideBySide,
    Strong,
    Table,
    Tile,
)
from infoscope.reports.shared import tabulate
from infoscope.results.notation import Units, format_count, format_interval, format_p_value, format_share
from infoscope.studies.relate import EntropyParts, InformationRange, Relation, Relations

MAX_ROWS = 20


def _matrix(result: Relations) -> Display:
    return RelationMatrixDisplay.from_relations(result)


def _graph(result: Relations) -> Display:
    return RelationGraphDisplay.from_relations(result)


PICTURES: dict[str, Callable[[Relations], Display]] = {"matrix": _matrix, "graph": _graph}


def outline(result: Relations, unit: Units) -> Outline:
    """The closest relation first."""
    columns = [column for column in result.columns if column.taken != "identifier"]
    rows = result.provenance.rows
    return Outline(
        title="Relations of columns",
        kicker=(
            "Relations",
            f"{len(columns)} columns",
            *((f"{format_count(rows)} rows",) if rows is not None else ()),
            *((("target ", Name(result.target)),) if result.target else ()),
        ),
        headline=_headline(result, unit),
        lede=list(_sentences(result)),
        tiles=list(_tiles(result, unit)),
        sections=[
            *_pictures(result),
            _relations(result, result.relations, unit, _heading(result), "relations"),
            *([_relations(result, result.conditional, unit, _given(result), "given")] if result.conditional else []),
            *_splits(result, unit),
            _columns(result, unit),
            *_triangle("Entropy triangle of the source", result.source_triangle, ("shared with others", "its own")),
            *_triangle("Entropy triangle of the channel", result.channel_triangle, ("transmitted", "lost")),
        ],
        appendix=Appendix(
            metrics=("mutual_information", "proficiency", "erroneous_information"),
            method=(
                "Information is computed from counts of the values; numbers with many values are cut at quantiles.",
                "P is the probability of as much information between unrelated columns, by the χ² law where every "
                "combination is expected five times, else by random tables with the same margins.",
                "A relation is no cause: what two columns tell about each other may come from a third.",
            ),
        ),
    )


def _heading(result: Relations) -> Phrase:
    return "Closest pairs" if result.target is None else ("What each column tells about ", Name(result.target))


def _given(result: Relations) -> Phrase:
    return ("The same given ", Name(", ".join(result.given), 60))


def _headline(result: Relations, unit: Units) -> Phrase:
    found = [relation for relation in result.relations if relation.is_significant(result.level)]
    given = [relation for relation in result.conditional if relation.is_significant(result.level)]
    if not found and given:
        best, bits = given[0], unit.amount(given[0].information.shown, 3)
        others = Name(", ".join(result.given), 40)
        words = (Name(best.first), " tells about ", Name(best.second), " only given ", others)
        return (*words, f": {bits} {unit.name}.")
    if not found:
        return f"None of {len(result.relations)} pairs of columns tells more about each other than chance would."
    best = found[0]
    bits = unit.amount(best.information.shown, 3)
    if result.target is not None:
        part = f", {format_share(best.of_second)} of it" if best.of_second is not None else ""
        return (Name(best.first), " tells the most about ", Name(best.second), f": {bits} {unit.name}{part}.")
    return (Name(best.first), " and ", Name(best.second), f" tell the most about each other: {bits} {unit.name}.")


def _sentences(result: Relations) -> Iterator[Phrase]:
    found = [relation for relation in result.relations if relation.is_significant(result.level)]
    rule = {"holm": "Holm-corrected", "benjamini-yekutieli": "corrected by Benjamini-Yekutieli"}.get(
        result.correction, "not corrected for their number"
    )
    yield f"{len(found)} of {len(result.relations)} relations are significant ({rule})."
    if result.conditional:
        given = sum(relation.is_significant(result.level) for relation in result.conditional)
        yield ("Given ", Name(", ".join(result.given), 40), f", {given} of {len(result.conditional)} are.")


def _tiles(result: Relations, unit: Units) -> Iterator[Tile]:
    together = result.together
    if together is None:
        return
    yield Tile(unit.amount(together.entropy), "all columns", "", f"{unit.name}, joint entropy")
    yield Tile(unit.amount(together.total_correlation), "total correlation", "", "ΣH(X_i) − H")
    yield Tile(unit.amount(together.dual_total_correlation), "dual total correlation", "", "H − ΣH(X_i | others)")
    word = "redundancy prevails" if together.o_information > 0 else "synergy prevails"
    yield Tile(unit.amount(together.o_information), "O-information", "", word)
    if together.interaction is not None:
        yield Tile(unit.amount(together.interaction, 3), "interaction", "", "I(X;Y|Z) − I(X;Y); + is synergy")


def _pictures(result: Relations) -> Iterator[Section]:
    if len(result.relations) < 2:
        return
    graph = Figure(_graph(result).panel())
    drawn = graph if result.target is not None else SideBySide([Figure(_matrix(result).panel())], [graph])
    yield Section("Which columns tell about which", [drawn], "map", link="Map", only="page")


def _relations(result: Relations, found: Sequence[Relation], unit: Units, heading: Phrase, anchor: str) -> Section:
    rows = tabulate(
        found,
        (Column("column", "name"), lambda each: Name(each.first, 24)),
        (Column("column" if result.target is None else "target", "name"), lambda each: Name(each.second, 24)),
        (
            Column(unit.name),
            lambda each: _strong(unit.amount(each.information.shown, 3), significant=each.is_significant(result.level)),
        ),
        (Column("interval", priority=4), lambda each: format_interval(each.information, unit.per_bit, 3)),
        (Column("of the first", priority=3), lambda each: _part(each.of_first)),
        (Column("of the second", priority=6), lambda each: _part(each.of_second)),
        (Column("by chance", priority=5), lambda each: unit.amount(each.by_chance, 4)),
        (Column("P", priority=7), lambda each: format_p_value(each.p_value)),
        (Column("P corrected"), lambda each: format_p_value(each.adjusted_p)),
        (Column("rows", priority=2), lambda each: format_count(each.rows)),
    )
    return Section(heading, [Table(*rows, search="relations", max_rows=MAX_ROWS)], anchor)


def _strong(text: str, *, significant: bool) -> Cell:
    return Strong(text) if significant else text


def _part(value: float | None) -> str:
    return "–" if value is None else format_share(value)


def _splits(result: Relations, unit: Units) -> Iterator[Section]:
    if not result.splits:
        return

    def range_of(part: InformationRange) -> str:
        low, high = unit.amount(part.low, 3), unit.amount(part.high, 3)
        return low if low == high else f"{low} – {high}"

    rows = tabulate(
        sorted(result.splits, key=lambda split: -split.together),
        (Column("column", "name"), lambda each: Name(each.first, 24)),
        (Column("column", "name"), lambda each: Name(each.second, 24)),
        (Column("together"), lambda each: unit.amount(each.together, 3)),
        (Column("shared", priority=6), lambda each: range_of(each.shared)),
        (Column("first alone", priority=5), lambda each: range_of(each.only_first)),
        (Column("second alone", priority=4), lambda each: range_of(each.only_second)),
        (Column("only together", priority=7), lambda each: range_of(each.only_together)),
    )
    note = "Bounds that every definition of shared and joint information obeys; there is no agreed one."
    table = Table(*rows, note=note, search="pairs", max_rows=MAX_ROWS)
    yield Section(("What two columns tell about ", Name(result.target or "")), [table], "together")


def _columns(result: Relations, unit: Units) -> Section:
    rows = tabulate(
        result.columns,
        (Column("column", "name"), lambda each: Name(each.name)),
        (Column("values"), lambda each: f"{each.levels:,}"),
        (Column(unit.name), lambda each: "–" if each.entropy is None else unit.amount(each.entropy)),
        (Column("missing", priority=5), lambda each: format_share(each.missing)),
        (
            Column("taken as", "text", priority=6),
            lambda each: f"{len(each.edges) + 1} bins" if each.taken == "bins" else each.taken,
        ),
    )
    return Section("Columns", [Table(*rows, search="columns", max_rows=ALL_ROWS)], "columns")


def _triangle(heading: str, points: Sequence[EntropyParts], words: tuple[str, str]) -> Iterator[Section]:
    if not points:
        return
    rows = tabulate(
        points,
        (Column("", "name"), lambda each: Name(each.name)),
        (Column("not uniform"), lambda each: format_share(each.divergence)),
        (Column(words[0]), lambda each: format_share(each.shared)),
        (Column(words[1]), lambda each: format_share(each.own)),
        (Column("bits"), lambda each: f"{each.bits:.2f}"),
    )
    yield Section(heading, [Table(*rows, max_rows=ALL_ROWS)], heading.rsplit(maxsplit=1)[-1])
