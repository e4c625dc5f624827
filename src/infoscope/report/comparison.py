"""A comparison as text, as Markdown and in a notebook: the ranking first, then each pair in words."""

from __future__ import annotations

from rich.text import Text

from infoscope.cards import find
from infoscope.comparison import Comparison, Pair, Ranking, renders
from infoscope.comparison.ranking import Place
from infoscope.figures.forest import ComparisonDisplay
from infoscope.figures.notebook import picture
from infoscope.markup import escape, escape_markdown, markdown_table
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
]

_AXIS = 25
_COLUMNS = ("system", "mean", "range", "difference", "P(better)", "verdict")


@renders("text")
def as_text(comparison: Comparison, *, width: int = 100) -> str:
    """Plain text for a terminal of this width."""
    look = Look(width)
    lines = [Text(), Text(f"  {headline(comparison)}", style="bold"), Text(f"  {conditions(comparison)}")]
    for ranking in comparison.ranking:
        lines += [Text(), Text(f"  {shown(title_of(comparison, ranking), look.signs)}", style="bold")]
        lines += [Text("  ").append_text(line) for line in _ranking_table(comparison, ranking, look)]
        lines += [Text("  ").append_text(line) for line in wrapped(ranking.statement + ".", look.room, Text())]
    lines += _improvement_lines(comparison, look)
    if comparison.notes:
        lines.append(Text())
        for note in comparison.notes:
            lines += [Text("  ").append_text(line) for line in wrapped(note, look.room, Text("note "))]
    return "\n".join(line.plain.rstrip() for line in lines) + "\n"


def _improvement_lines(comparison: Comparison, look: Look) -> list[Text]:
    rows = _improvements(comparison)
    if not rows:
        return []
    names, bits, answers = ([Text(shown(cell, look.signs)) for cell in column] for column in zip(*rows, strict=True))
    table = columns(
        [
            Column("system", names, priority=10, least=16),
            Column("in S_I/H(T)", bits, right=True, priority=9),
            Column("in 1 − accuracy", answers, right=True, priority=8),
        ],
        look.room,
        look.signs,
    )
    title = wrapped(_improvement_title(comparison), look.room, Text())
    return [Text(), *(Text("  ").append_text(line) for line in (*title, *table))]


def headline(comparison: Comparison) -> str:
    """Who leads, in a clause."""
    ranking, size = comparison.ranking[0], len(comparison.systems)
    if ranking.best is not None:
        return f"{ranking.best} is the best of {size} systems"
    if not ranking.wins:
        return f"{size} systems that cannot be told apart"
    if ranking.leads:
        return f"{', '.join(ranking.front)} lead {size} systems and cannot be told apart"
    return f"{size} systems, none told to be the best"


def conditions(comparison: Comparison) -> str:
    """Samples, pairing and level."""
    paired = all(pair.paired for pair in comparison.pairs)
    rows = list(dict.fromkeys(amount(size) for size in sorted(comparison.samples.values())))
    how = "the same rows, paired" if paired else "different rows, unpaired"
    size = " to ".join((rows[0], rows[-1]) if len(rows) > 1 else rows)
    return f"{size} samples · {how} · {comparison.level:.0%} intervals"


def title_of(comparison: Comparison, ranking: Ranking) -> str:
    """The metric, and which direction is better."""
    card = find(ranking.metric).card
    return f"{comparison.titled(ranking.metric)} ({'lower' if card.better == 'lower' else 'higher'} is better)"


def reference_of(comparison: Comparison, ranking: Ranking) -> str:
    """The system that the others are set against: the baseline, or the best."""
    return comparison.baseline or ranking.places[0].name


def against(comparison: Comparison, name: str, reference: str, metric: str) -> Pair | None:
    """The system against the reference; None where they share no rows in which the metric is defined."""
    for pair in comparison.pairs:
        if pair.metric == metric and {pair.a, pair.b} == {name, reference}:
            return pair if pair.a == name else pair.turned
    return None


def _ranking_table(comparison: Comparison, ranking: Ranking, look: Look) -> list[Text]:
    reference = reference_of(comparison, ranking)
    pairs = {place.name: against(comparison, place.name, reference, ranking.metric) for place in ranking.places}
    rows = {name: pair.result for name, pair in pairs.items() if pair is not None}
    reach = max((max(abs(found.low), abs(found.high)) for found in rows.values()), default=1.0) or 1.0
    cells = [_row(comparison, ranking, place) for place in ranking.places]
    values, ranges, gaps, chances, words = ([Text(cell) for cell in column] for column in zip(*cells, strict=True))
    names = [Text(shown(place.name, look.signs)) for place in ranking.places]
    axis = [
        Text(_drawn(found.difference, found.low, found.high, reach) if found else _drawn(0, 0, 0, reach))
        for found in (rows.get(place.name) for place in ranking.places)
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
        return [
            *cells,
            "",
            "",
            "baseline" if comparison.baseline else "best" if ranking.best == place.name else "first",
        ]
    pair = against(comparison, place.name, reference, ranking.metric)
    if pair is None:
        return [*cells, "", "", "not compared"]
    found = pair.result
    reach = (found.high - found.low) / 2
    return [*cells, f"{found.difference:+.3f} ±{reach:.3f}", chance(found.probability_a_better), pair.verdict]


def _improvements(comparison: Comparison) -> list[list[str]]:
    """Each system against the reference: by what factor the reference loses less, in bits and in answers."""
    reference = reference_of(comparison, comparison.ranking[0])
    rows = []
    for name in comparison.systems:
        cells = [_factor(comparison, reference, name, of) for of in ("erroneous_information_ratio", "1 - accuracy")]
        if any(cells):
            rows.append([name, *cells])
    return rows


def _factor(comparison: Comparison, a: str, b: str, of: str) -> str:
    for known in comparison.improvements:
        if known.of == of and {known.a, known.b} == {a, b} and a != b:
            found = known.factor if known.a == a else known.factor.turned
            return f"{found.value:.3g} ({found.low:.3g} – {found.high:.3g})"
    return ""


def _improvement_title(comparison: Comparison) -> str:
    reference = shown(reference_of(comparison, comparison.ranking[0]), UNICODE)
    return f"Improvement factor: how many times less {reference} loses than"


@renders("markdown")
def as_markdown(comparison: Comparison) -> str:
    """A heading, one table per metric, and the notes."""
    out = [f"## {_plain(headline(comparison))}", "", _plain(conditions(comparison))]
    for ranking in comparison.ranking:
        rows = [[shown(place.name, UNICODE), *_row(comparison, ranking, place)] for place in ranking.places]
        out += ["", f"### {_plain(title_of(comparison, ranking))}", "", markdown_table(_COLUMNS, rows)]
        out += ["", _plain(ranking.statement) + "."]
    factors = [[shown(name, UNICODE), *cells] for name, *cells in _improvements(comparison)]
    if factors:
        table = markdown_table(["system", "in S_I/H(T)", "in 1 − accuracy"], factors)
        out += ["", f"### {_plain(_improvement_title(comparison))}", "", table]
    out += [f"\nNote: {_plain(note)}" for note in comparison.notes]
    return "\n".join(out) + "\n"


def _plain(text: str) -> str:
    return escape_markdown(shown(text, UNICODE))


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
        out.append(f"<h2>{escape(title_of(comparison, ranking))}</h2><p>{escape(ranking.statement)}.</p>")
        out.append("<table><thead><tr>")
        out += [f'<th scope="col">{name}</th>' for name in _COLUMNS]
        out.append("</tr></thead><tbody>")
        for place in ranking.places:
            row = "".join(f"<td>{escape(cell)}</td>" for cell in _row(comparison, ranking, place))
            out.append(f'<tr><th scope="row">{escape(shown(place.name, UNICODE))}</th>{row}</tr>')
        out.append("</tbody></table>")
    rows = _improvements(comparison)
    if rows:
        out.append(f"<h2>{escape(_improvement_title(comparison))}</h2><table><thead><tr>")
        out += [f'<th scope="col">{name}</th>' for name in ("system", "in S<sub>I</sub>/H(T)", "in 1 − accuracy")]
        out.append("</tr></thead><tbody>")
        for name, *cells in rows:
            row = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
            out.append(f'<tr><th scope="row">{escape(shown(name, UNICODE))}</th>{row}</tr>')
        out.append("</tbody></table>")
    out += [f"<p>Note: {escape(note)}</p>" for note in comparison.notes]
    return "".join(out)
