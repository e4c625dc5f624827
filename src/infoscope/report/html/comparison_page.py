"""The page of a comparison: who leads, who cannot be told apart, by how much and how surely."""

from __future__ import annotations

from collections.abc import Iterator

from infoscope.cards import find
from infoscope.comparison import Comparison, Ranking, renders
from infoscope.figures.forest import ComparisonDisplay, Row
from infoscope.figures.improvement import Improvement, ImprovementDisplay
from infoscope.figures.layout import plain_label
from infoscope.figures.svg import svg
from infoscope.report.comparison import against, conditions, reference_of
from infoscope.report.html.comparison_tables import checks_table, pairs_table, ranking_table, told
from infoscope.report.html.definitions import definitions, term
from infoscope.report.html.elements import Html, element, joined, label
from infoscope.report.html.embedding import embedded, rounded
from infoscope.report.html.making import Making
from infoscope.report.html.shell import code_of, page
from infoscope.report.numbers import chance

__all__ = ["comparison_html"]


@renders("html")
def comparison_html(comparison: Comparison, *, command: str | None = None) -> str:
    """The whole page as text."""
    from infoscope import __version__  # noqa: PLC0415 - the package itself

    lead = _leaders(comparison.ranking[0])
    return page(
        f"{', '.join(plain_label(name)[:40] for name in lead[:3])} | comparison",
        code_of("comparison.js"),
        element(
            "main",
            _verdict(comparison, lead),
            _navigation(comparison),
            *(_ranked(comparison, ranking) for ranking in comparison.ranking),
            _improvements(comparison),
            _everything(comparison, Making(command, __version__)),
        ),
        embedded("data", rounded(comparison.to_dict())),
    )


def _leaders(ranking: Ranking) -> list[str]:
    """The best, or those that no other is told to be better than; the first where different rows make a circle."""
    return [ranking.best] if ranking.best is not None else list(ranking.front) or [ranking.places[0].name]


def _listed(names: list[str], most: int = 5) -> Html:
    shown = [label(name, 32) for name in names[:most]]
    if len(names) > most:
        return joined((joined(shown, ", "), f" and {len(names) - most} more"))
    return shown[0] if len(shown) == 1 else joined((joined(shown[:-1], ", "), " and ", shown[-1]))


def _verdict(comparison: Comparison, lead: list[str]) -> Html:
    many, first = len(comparison.systems), comparison.ranking[0]
    if first.best is not None:
        words = joined((_listed(lead), f" is the best of {many} systems."))
    elif not first.wins:
        words = joined((_listed(lead), " cannot be told apart."))
    elif first.leads:
        words = joined((_listed(lead), f" lead {many} systems and cannot be told apart."))
    else:
        words = joined((_listed(lead), f" may be the best of {many} systems; none is told to be."))
    notes = [element("li", element("bdi", plain_label(f"{note[0].upper()}{note[1:]}."))) for note in comparison.notes]
    return element(
        "header",
        element("p", f"Comparison · {many} systems · {conditions(comparison)}", class_="kicker"),
        element(
            "div",
            element(
                "div",
                element("h1", words),
                element("p", joined(_sentences(comparison, lead), " "), class_="lede"),
                element("ul", *notes, class_="remarks") if notes else Html(""),
            ),
            _tiles(comparison),
            class_="hero",
        ),
    )


def _lower(comparison: Comparison, metric: str) -> str:
    """A metric's title within a sentence; the class that it is about stays as it is spelled."""
    card = find(metric).card
    return card.title.lower() + plain_label(card.of_class(comparison.positive))


def _sentences(comparison: Comparison, lead: list[str]) -> Iterator[Html]:
    first = comparison.ranking[0]
    yield joined(("This is by ", term(first.metric, _lower(comparison, first.metric)), "."))
    likely = sorted(first.places, key=lambda place: -place.probability_best)
    if first.best is None:
        parts = [joined((label(place.name, 32), f" {chance(place.probability_best)}")) for place in likely[:3]]
        yield joined(("The probability of being the best: ", joined(parts, ", "), "."))
    else:
        yield Html(f"It is the best with probability {chance(likely[0].probability_best)}.")
    for ranking in comparison.ranking[1:]:
        title = term(ranking.metric, _lower(comparison, ranking.metric))
        others = _leaders(ranking)
        if ranking.best is None and not ranking.leads and ranking.wins:
            yield joined(("By ", title, " none is told to be the best."))
            continue
        if set(others) == set(lead):
            yield joined(("By ", title, " the verdict is the same."))
        else:
            yield joined(("By ", title, ", ", _listed(others), " lead." if len(others) > 1 else " leads."))
    if comparison.baseline is not None:
        yield from _to_baseline(comparison)


def _to_baseline(comparison: Comparison) -> Iterator[Html]:
    words: dict[str, list[str]] = {}
    metric = comparison.ranking[0].metric
    for name in comparison.systems:
        if name != comparison.baseline:
            pair = against(comparison, name, comparison.baseline or "", metric)
            words.setdefault("not compared" if pair is None else pair.verdict, []).append(name)
    parts = [joined((word, ": ", _listed(names))) for word, names in words.items()]
    yield joined(
        ("Against the baseline ", element("b", label(comparison.baseline or "", 32)), ": ", joined(parts, "; "), ".")
    )


def _tiles(comparison: Comparison) -> Html:
    first = comparison.ranking[0]
    metric, best, reference = first.metric, first.places[0], reference_of(comparison, first)
    rival = first.places[1].name if best.name == reference else reference
    items: list[tuple[str, Html, str]] = [
        (told(metric, best.mean), label(best.name, 24), f"{told(metric, best.low)} – {told(metric, best.high)}"),
        (chance(best.probability_best), element("span", "probability of being the best"), ""),
    ]
    pair = against(comparison, best.name, rival, metric)
    if pair is not None:
        found, less = pair.result, find(metric).card.better == "lower"
        ends = (found.difference, found.low, found.high)
        lead, least, most = (told(metric, end, signed=True) for end in (_opposite(*ends) if less else ends))
        items += [
            (lead.lstrip("+"), joined(("less" if less else "more", " than ", label(rival, 24))), f"{least} – {most}"),
            (
                chance(found.probability_a_better),
                joined(("probability of being better than ", label(rival, 24))),
                "",
            ),
        ]
    tiles = []
    for number, word, note in items:
        beside = element("span", note, class_="dim") if note else Html("")
        tiles.append(element("li", element("b", number), element("span", word), beside))
    return element("ul", *tiles, class_="tiles")


def _opposite(gap: float, low: float, high: float) -> tuple[float, float, float]:
    return -gap, -high, -low


def _navigation(comparison: Comparison) -> Html:
    links = [
        (f"#by-{ranking.metric}", plain_label(comparison.titled(ranking.metric))) for ranking in comparison.ranking
    ]
    links += [("#factors", "Improvement")] if _steps(comparison) else []
    links += [("#all", "Everything else")]
    return element(
        "nav",
        *(element("a", word, href=where) for where, word in links),
        element("button", "dark or light", type="button", id="theme", class_="js"),
        aria_label="Sections",
    )


def _ranked(comparison: Comparison, ranking: Ranking) -> Html:
    card = find(ranking.metric).card
    reference = reference_of(comparison, ranking)
    rows = []
    for place in ranking.places:
        pair = against(comparison, place.name, reference, ranking.metric)
        if pair is not None:
            found = pair.result
            rows.append(Row(place.name, found.difference, found.low, found.high, pair.verdict))
    better = "lower" if card.better == "lower" else "higher"
    scale = "points" if card.unit == "ratio" and card.range == (0, 1) else "hundredths"
    word = f"difference to {plain_label(reference)[:40]}, in {scale}"
    drawn = ComparisonDisplay(rows, word, reference, card.better != "lower", differences=True)
    return element(
        "section",
        element(
            "h2",
            term(ranking.metric, plain_label(comparison.titled(ranking.metric))),
            element("small", f" {better} is better", class_="dim"),
        ),
        element("p", element("bdi", plain_label(_sentence(ranking))), class_="lede"),
        ranking_table(comparison, ranking),
        element(
            "figure",
            element(
                "figcaption",
                element("b", "Differences"),
                " ",
                element(
                    "span",
                    f"To {plain_label(reference)[:40]}, the dashed line, with {comparison.level:.0%} intervals.",
                    class_="dim",
                ),
            ),
            Html(svg(drawn.panel())),
            class_="differences",
        ),
        id=f"by-{ranking.metric}",
    )


def _sentence(ranking: Ranking) -> str:
    """A ranking's statement as a sentence; a system's name at its start stays as it is."""
    is_named = ranking.best is not None or 1 < len(ranking.front) < len(ranking.places)
    first = ranking.statement[:1]
    return f"{first if is_named else first.upper()}{ranking.statement[1:]}."


def _steps(comparison: Comparison) -> list[Improvement]:
    """From the baseline to each system, or from each system to the best: by what factor the error shrinks."""
    reference = reference_of(comparison, comparison.ranking[0])
    steps = []
    for found in comparison.improvements:
        if reference not in (found.a, found.b):
            continue
        other = found.b if found.a == reference else found.a
        onward = (found.a == reference) == (comparison.baseline is None)
        factor = found.factor if onward else found.factor.turned
        name = f"{other} → {reference}" if comparison.baseline is None else other
        by = "accuracy" if found.of == "1 - accuracy" else "information"
        steps.append(Improvement(name, by, factor.value, factor.low, factor.high))
    return steps


def _improvements(comparison: Comparison) -> Html:
    steps = _steps(comparison)
    if not steps:
        return Html("")
    from_where = "the other to the best" if comparison.baseline is None else "the baseline to each system"
    return element(
        "section",
        element("h2", "How many times less error"),
        element(
            "p",
            f"The improvement factor from {from_where}: the error of the one over that of the other. 1 is no change.",
            class_="note",
        ),
        element("figure", Html(svg(ImprovementDisplay(steps).panel())), class_="differences"),
        id="factors",
    )


def _everything(comparison: Comparison, made: Making) -> Html:
    level = f"{comparison.level:.0%}"
    items = [
        f"Intervals hold the true value with {level} probability, by a Bayesian posterior of each system's table; "
        "differences tie the two systems by how their errors go together over the rows that both answered.",
        f"“Better” and “worse” mean that the probability is beyond {(1 + comparison.level) / 2:.1%}. Groups that "
        "cannot be told apart consider all pairs at once (Holm).",
        "Values in the tables are posterior means, which do not flatter small samples; reports of one system show the "
        "values of the sample.",
    ]
    return element(
        "section",
        element("h2", "Everything else"),
        pairs_table(comparison),
        checks_table(comparison),
        definitions([ranking.metric for ranking in comparison.ranking] + ["mutual_information"]),
        element(
            "details",
            element("summary", "Method and limits"),
            element("ul", *(element("li", item) for item in items), *made.items(comparison.hashes)),
            id="method",
        ),
        element("p", class_="js", id="downloads"),
        id="all",
    )
