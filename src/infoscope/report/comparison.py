"""A comparison as text, as Markdown and in a notebook: the ranking first, then each pair in words."""

from __future__ import annotations

from html import escape

from rich.text import Text

from infoscope.cards import find
from infoscope.comparison import Comparison, Pair, Ranking, renders
from infoscope.comparison.ranking import Place
from infoscope.figures.forest import ComparisonDisplay
from infoscope.figures.notebook import picture
from infoscope.report.layout import UNICODE, Column, Look, columns, shown, wrapped
from infoscope.report.numbers import amount, chance

__all__ = [
    "against",
    "as_markdown",
    "as_notebook",
    "as_text",
    "conditions",
    "headline",
    "reference_of",
    "title_of",
    "word_of",
]

_AXIS = 25


@renders("text")
def as_text(comparison: Comparison, *, width: int = 100) -> str:
    """Plain text for a terminal of this width."""
    look = Look(width)
    lines = [Text(), Text(f"  {headline(comparison)}", style="bold"), Text(f"  {conditions(comparison)}")]
    for ranking in comparison.ranking:
        lines += [Text(), Text(f"  {title_of(ranking)}", style="bold")]
        lines += [Text("  ").append_text(line) for line in _ranking_table(comparison, ranking, look)]
        lines += [Text("  ").append_text(line) for line in wrapped(ranking.statement + ".", look.room, Text())]
    if comparison.notes:
        lines.append(Text())
        for note in comparison.notes:
            lines += [Text("  ").append_text(line) for line in wrapped(note, look.room, Text("note "))]
    return "\n".join(line.plain.rstrip() for line in lines) + "\n"


def headline(comparison: Comparison) -> str:
    """Who leads, in a clause."""
    best = comparison.ranking[0]
    first = [place.name for place in best.places if 0 in place.groups]
    if len(first) == 1:
        return f"{first[0]} is the best of {len(comparison.systems)} systems"
    if len(first) == len(best.places):
        return f"{len(comparison.systems)} systems that cannot be told apart"
    return f"{', '.join(first)} lead {len(comparison.systems)} systems and cannot be told apart"


def conditions(comparison: Comparison) -> str:
    """Samples, pairing and level."""
    paired = all(pair.paired for pair in comparison.pairs)
    rows = sorted({amount(size) for size in comparison.samples.values()})
    how = "the same rows, paired" if paired else "different rows, unpaired"
    size = " to ".join((rows[0], rows[-1]) if len(rows) > 1 else rows)
    return f"{size} samples · {how} · {comparison.level:.0%} intervals"


def title_of(ranking: Ranking) -> str:
    """The metric, and which direction is better."""
    card = find(ranking.metric).card
    return f"{card.title} ({'lower' if card.better == 'lower' else 'higher'} is better)"


def reference_of(comparison: Comparison, ranking: Ranking) -> str:
    """The system that the others are set against: the baseline, or the best."""
    return comparison.baseline or ranking.places[0].name


def against(comparison: Comparison, name: str, reference: str, metric: str) -> tuple[Pair, float, float, float, float]:
    """The pair, and the difference name − reference with its limits and the probability that name is better."""
    for pair in comparison.pairs:
        if pair.metric == metric and {pair.a, pair.b} == {name, reference}:
            found = pair.result
            if pair.a == name:
                return pair, found.difference, found.low, found.high, found.probability_a_better
            return pair, -found.difference, -found.high, -found.low, 1 - found.probability_a_better
    raise AssertionError(f"{name} and {reference} were not compared")


def word_of(pair: Pair, name: str) -> str:
    """The verdict of a pair as one of the two sees it."""
    opposite = {"better": "worse", "worse": "better"}
    return pair.verdict if pair.a == name else opposite.get(pair.verdict, pair.verdict)


def _ranking_table(comparison: Comparison, ranking: Ranking, look: Look) -> list[Text]:
    reference = reference_of(comparison, ranking)
    rows = {
        place.name: against(comparison, place.name, reference, ranking.metric)
        for place in ranking.places
        if place.name != reference
    }
    reach = max((max(abs(low), abs(high)) for _, _, low, high, _ in rows.values()), default=1.0) or 1.0
    cells = [_row(comparison, ranking, place) for place in ranking.places]
    values, ranges, gaps, chances, words = ([Text(cell) for cell in column] for column in zip(*cells, strict=True))
    names = [Text(shown(place.name, look.signs)) for place in ranking.places]
    axis = [
        Text(_drawn(*rows[place.name][1:4], reach) if place.name in rows else _drawn(0, 0, 0, reach))
        for place in ranking.places
    ]
    title = f"-{reach:.2g}".ljust(_AXIS // 2) + "0" + f"+{reach:.2g}".rjust(_AXIS // 2)
    return columns(
        [
            Column("system", names, priority=10, least=16),
            Column("mean", values, right=True, priority=9),
            Column("range", ranges, right=True, priority=3),
            Column(title, axis, priority=2),
            Column("difference", gaps, right=True, priority=7),
            Column("P(better)", chances, right=True, priority=5),
            Column("verdict", words, priority=8),
        ],
        look.room,
        look.signs,
    )


def _drawn(gap: float, low: float, high: float, reach: float) -> str:
    """An interval on an axis with 0 in the middle."""
    middle = _AXIS // 2

    def at(value: float) -> int:
        return middle + round(value / reach * middle)

    cells = [" "] * _AXIS
    cells[middle] = "│"
    for place in range(max(at(low), 0), min(at(high), _AXIS - 1) + 1):
        cells[place] = "┼" if place == middle and low != high else "─"
    cells[min(max(at(gap), 0), _AXIS - 1)] = "●"
    return "".join(cells)


def _row(comparison: Comparison, ranking: Ranking, place: Place) -> list[str]:
    """Mean, range, difference, probability and verdict of one system."""
    reference = reference_of(comparison, ranking)
    cells = [f"{place.mean:.3f}", f"{place.low:.3f} – {place.high:.3f}"]
    if place.name == reference:
        return [*cells, "", "", "baseline" if comparison.baseline else "best"]
    pair, gap, low, high, better = against(comparison, place.name, reference, ranking.metric)
    return [*cells, f"{gap:+.3f} ±{(high - low) / 2:.3f}", chance(better), word_of(pair, place.name)]


@renders("markdown")
def as_markdown(comparison: Comparison) -> str:
    """A heading, one table per metric, and the notes."""
    out = [f"## {_cell(headline(comparison))}", "", conditions(comparison)]
    for ranking in comparison.ranking:
        out += ["", f"### {title_of(ranking)}", "", "| system | mean | range | difference | P(better) | verdict |"]
        out.append("|---|--:|--:|--:|--:|---|")
        for place in ranking.places:
            out.append("| " + " | ".join([_cell(place.name), *_row(comparison, ranking, place)]) + " |")
        out += ["", _cell(ranking.statement) + "."]
    out += [f"\nNote: {_cell(note)}" for note in comparison.notes]
    return "\n".join(out) + "\n"


def _cell(text: str) -> str:
    return shown(text, UNICODE).replace("|", "\\|").replace("<", "&lt;")


@renders("notebook")
def as_notebook(comparison: Comparison) -> str:
    """The same as a cell of a notebook shows it."""
    return f"<div><strong>{escape(headline(comparison))}</strong><br>{_pictures(comparison)}{_body(comparison)}</div>"


def _pictures(comparison: Comparison) -> str:
    """The first ranking as a forest plot, as an image that notebooks keep."""
    if not comparison.ranking or not comparison.ranking[0].places:
        return ""
    return picture(ComparisonDisplay.from_comparison(comparison).panel())


def _body(comparison: Comparison) -> str:
    out = [f"<p>{escape(conditions(comparison))}</p>"]
    for ranking in comparison.ranking:
        out.append(f"<h2>{escape(title_of(ranking))}</h2><p>{escape(ranking.statement)}.</p><table><thead><tr>")
        out += [
            f'<th scope="col">{name}</th>' for name in ("system", "mean", "range", "difference", "P(better)", "verdict")
        ]
        out.append("</tr></thead><tbody>")
        for place in ranking.places:
            row = "".join(f"<td>{escape(cell)}</td>" for cell in _row(comparison, ranking, place))
            out.append(f'<tr><th scope="row">{escape(shown(place.name, UNICODE))}</th>{row}</tr>')
        out.append("</tbody></table>")
    out += [f"<p>Note: {escape(note)}</p>" for note in comparison.notes]
    return "".join(out)
