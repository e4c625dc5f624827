"""Show relations: the closest, what they are given others, and what columns tell together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from infoscope.figures.display import Display
from infoscope.figures.relations import RelationGraphDisplay, RelationMatrixDisplay
from infoscope.reports.outline import (
    ALL_ROWS,
    Appendix,
    Block,
    Cell,
    Column,
    Figure,
    Name,
    Outline,
    Phrase,
    Section,
    ShareBar,
    SideBySide,
    Strong,
    Table,
)
from infoscope.reports.shared import tabulate
from infoscope.results.notation import Units, format_count, format_interval, format_probability, format_share
from infoscope.studies.relate import EntropyParts, InformationRange, Relation, Relations

MAX_ROWS = 8
MAX_PAIRS = 3


PICTURES: dict[str, Callable[[Relations], Display]] = {
    "matrix": RelationMatrixDisplay.from_relations,
    "graph": RelationGraphDisplay.from_relations,
}


def outline(result: Relations, unit: Units) -> Outline:
    """Write the outline: the closest relation first; what all columns hold together, and triangles, are folded."""
    columns = [column for column in result.columns if column.taken != "identifier"]
    rows = result.provenance.rows
    heading: Phrase = (
        "Closest pairs" if result.target is None else ("What each column tells about ", Name(result.target))
    )
    given = ("The same given ", Name(", ".join(result.given), 60))
    headline, *lede = _write_sentences(result, unit)
    pictures: list[Section] = []
    if len(result.relations) >= 2:
        drawn: Block = Figure(RelationGraphDisplay.from_relations(result).panel())
        if result.target is None:
            drawn = SideBySide([Figure(RelationMatrixDisplay.from_relations(result).panel())], [drawn])
        pictures = [Section("Which columns tell about which", [drawn], "map", link="Map", only="page")]
    sections = [_make_relation_section(result, result.relations, unit, heading, "relations")]
    if result.conditional:
        sections.append(_make_relation_section(result, result.conditional, unit, given, "given"))
    return Outline(
        title="Relations of columns",
        kicker=(
            f"{len(columns)} columns",
            *((f"{format_count(rows)} rows",) if rows is not None else ()),
            *((("target ", Name(result.target)),) if result.target else ()),
        ),
        headline=headline,
        lede=lede,
        sections=[
            *sections,
            *_make_split_section(result, unit),
            *pictures,
            *_make_test_section(result),
            *_make_together_section(result, unit),
            _make_column_section(result, unit),
            *_make_triangle_section(
                "Entropy triangle of the source", result.source_triangle, ("shared with others", "its own")
            ),
            *_make_triangle_section(
                "Entropy triangle of the channel", result.channel_triangle, ("transmitted", "lost")
            ),
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


def _write_sentences(result: Relations, unit: Units) -> Iterator[Phrase]:
    """Write the closest relation, as the headline, and how many are significant, also given other columns."""
    significant = [relation for relation in result.relations if relation.is_significant(result.level)]
    given = [relation for relation in result.conditional if relation.is_significant(result.level)]
    others = Name(", ".join(result.given), 40)
    closest = next(iter(significant or given), None)
    if closest is None:
        yield f"None of {len(result.relations)} pairs of columns tells more about each other than chance would."
    else:
        first, second = Name(closest.first), Name(closest.second)
        within = format_interval(closest.information, unit.per_bit, 3)
        bits = f"{unit.amount(closest.information.shown, 3)} {unit.name}{f', {within}' * bool(within)}"
        if not significant:
            yield (first, " tells about ", second, " only given ", others, f": {bits}.")
        elif result.target is not None:
            part = f"{format_share(closest.of_second)} of it ({bits})" if closest.of_second is not None else bits
            yield (first, " tells the most about ", second, f": {part}.")
        else:
            yield (first, " and ", second, f" tell the most about each other: {bits}.")
    rule = {"holm": "Holm-corrected", "benjamini-yekutieli": "corrected by Benjamini-Yekutieli"}.get(
        result.correction, "not corrected for their number"
    )
    yield f"{len(significant)} of {len(result.relations)} relations are significant ({rule})."
    if result.conditional:
        yield ("Given ", others, f", {len(given)} of {len(result.conditional)} are.")


def _make_together_section(result: Relations, unit: Units) -> Iterator[Section]:
    together = result.together
    if together is None:
        return
    prevails = "redundancy prevails" if together.o_information > 0 else "synergy prevails"
    rows = [
        ("joint entropy", unit.amount(together.entropy), "all columns"),
        ("total correlation", unit.amount(together.total_correlation), "ΣH(X_i) − H"),
        ("dual total correlation", unit.amount(together.dual_total_correlation), "H − ΣH(X_i | others)"),
        ("O-information", unit.amount(together.o_information), prevails),
    ]
    if together.interaction is not None:
        rows.append(("interaction", unit.amount(together.interaction, 3), "I(X;Y|Z) − I(X;Y); + is synergy"))
    table = Table([Column("", "name"), Column(unit.name), Column("", "text")], rows, max_rows=ALL_ROWS)
    yield Section("All columns together", [table], "all-columns", aside=prevails, folded=True)


def _make_relation_section(
    result: Relations, relations: Sequence[Relation], unit: Units, heading: Phrase, anchor: str
) -> Section:
    def write_bits(relation: Relation) -> Cell:
        bits = unit.amount(relation.information.shown, 3)
        return Strong(bits) if relation.is_significant(result.level) else bits

    target = result.target
    rows = tabulate(
        relations,
        (Column("column", "name"), lambda item: Name(item.first, 24)),
        *(() if target else ((Column("column", "name"), lambda item: Name(item.second, 24)),)),
        *((_make_share_column(),) if target else ()),
        (Column(unit.name), write_bits),
        (Column("interval", priority=7), lambda item: format_interval(item.information, unit.per_bit, 3)),
        (Column("P corrected", priority=8), lambda item: format_probability(item.adjusted_p)),
        *(
            ()
            if target
            else (
                (Column("of the first", priority=5), lambda item: _format_part(item.of_first)),
                (Column("of the second", priority=6), lambda item: _format_part(item.of_second)),
            )
        ),
        (Column("by chance", priority=4), lambda item: unit.amount(item.by_chance, 4)),
        (Column("rows", priority=2), lambda item: format_count(item.rows)),
    )
    return Section(heading, [Table(*rows, search="relations", max_rows=MAX_ROWS)], anchor)


def _make_test_section(result: Relations) -> Iterator[Section]:
    """Show P before and after correction, and the test that it comes from."""
    if result.correction == "none" or not result.relations:
        return
    rows = tabulate(
        result.relations,
        (Column("column", "name"), lambda item: Name(item.first, 24)),
        (Column("column", "name"), lambda item: Name(item.second, 24)),
        (Column("P"), lambda item: format_probability(item.p_value)),
        (Column("P corrected"), lambda item: format_probability(item.adjusted_p)),
        (Column("test", "text", 6), lambda item: item.method),
    )
    table = Table(*rows, search="relations", max_rows=MAX_ROWS)
    yield Section("Tests", [table], "tests", aside="P before correction", folded=True)


def _make_share_column() -> tuple[Column, Callable[[Relation], Cell]]:
    return (
        Column("of the target", "bar"),
        lambda item: ShareBar(item.of_second or 0.0, _format_part(item.of_second)),
    )


def _format_part(value: float | None) -> str:
    return "–" if value is None else format_share(value)


def _make_split_section(result: Relations, unit: Units) -> Iterator[Section]:
    if not result.splits:
        return

    def write_range(part: InformationRange) -> str:
        low, high = unit.amount(part.low, 3), unit.amount(part.high, 3)
        return low if low == high else f"{low} – {high}"

    rows = tabulate(
        sorted(result.splits, key=lambda split: -split.together),
        (Column("column", "name"), lambda item: Name(item.first, 24)),
        (Column("column", "name"), lambda item: Name(item.second, 24)),
        (Column(f"together, {unit.name}"), lambda item: unit.amount(item.together, 3)),
        (Column("shared", priority=6), lambda item: write_range(item.shared)),
        (Column("first alone", priority=5), lambda item: write_range(item.only_first)),
        (Column("second alone", priority=4), lambda item: write_range(item.only_second)),
        (Column("only together", priority=7), lambda item: write_range(item.only_together)),
    )
    note = "Bounds that every definition of shared and joint information obeys; there is no agreed one."
    table = Table(*rows, note=note, search="pairs", max_rows=MAX_PAIRS)
    yield Section(("What two columns tell about ", Name(result.target or "")), [table], "together", link="Pairs")


def _make_column_section(result: Relations, unit: Units) -> Section:
    rows = tabulate(
        result.columns,
        (Column("column", "name"), lambda item: Name(item.name)),
        (Column("values"), lambda item: f"{item.levels:,}"),
        (Column(unit.name), lambda item: "–" if item.entropy is None else unit.amount(item.entropy)),
        (Column("missing", priority=5), lambda item: format_share(item.missing)),
        (
            Column("taken as", "text", priority=6),
            lambda item: f"{len(item.edges) + 1} bins" if item.taken == "bins" else item.taken,
        ),
    )
    return Section(
        "Columns",
        [Table(*rows, search="columns", max_rows=ALL_ROWS)],
        "columns",
        aside=f"{len(result.columns)}",
        folded=True,
    )


def _make_triangle_section(heading: str, points: Sequence[EntropyParts], words: tuple[str, str]) -> Iterator[Section]:
    if not points:
        return
    rows = tabulate(
        points,
        (Column("", "name"), lambda item: Name(item.name)),
        (Column("not uniform"), lambda item: format_share(item.divergence)),
        (Column(words[0]), lambda item: format_share(item.shared)),
        (Column(words[1]), lambda item: format_share(item.own)),
        (Column("bits"), lambda item: f"{item.bits:.2f}"),
    )
    yield Section(heading, [Table(*rows, max_rows=ALL_ROWS)], heading.rsplit(maxsplit=1)[-1], folded=True)
