"""Write docs/published-figures.md: what the papers print, and what our tests make of each figure.

Run from the project root as ``python -m tools.published_figures``; nothing in the page is typed by hand.
"""

import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import TypeVar

from infoscope.cards import SOURCES
from tests.published.figures import Figure, figures, reference_values, score, table_of
from tests.published.ledger import Fate, fate_of, rule_of
from tests.reference import ROOT, why_absent

K = TypeVar("K")
PAGE = ROOT / "docs" / "published-figures.md"

HEAD = """\
# Published figures

Every figure that the papers print, and what our tests do with it. This page is written by
`python -m tools.published_figures` (`make docs`) from the reference data and the tests; a test compares the two.

A number counts as reproduced when ours differs from it by at most half of its last printed digit.
"""


def write_page() -> str:
    """The page as it follows from the reference data."""
    return "\n".join([HEAD, *_overview(), *_by_paper(), *_reference_values()]).rstrip() + "\n"


def _overview() -> Iterator[str]:
    papers = list(dict.fromkeys(figure.paper for figure in figures()))
    yield "| paper | " + " | ".join(fate.value for fate in Fate) + " |"
    yield "|---|" + "---:|" * len(Fate)
    for paper in papers:
        fates = [fate_of(figure)[0] for figure in figures() if figure.paper == paper]
        yield f"| [{paper}](#{paper}) | " + " | ".join(str(fates.count(fate)) for fate in Fate) + " |"
    yield ""


def _by_paper() -> Iterator[str]:
    for paper, group in groupby(figures(), key=lambda figure: figure.paper):
        own = list(group)
        yield f"## {paper}\n"
        if paper in SOURCES:
            yield f"{SOURCES[paper]}.\n"
        for fate, section in _SECTIONS.items():
            chosen = [figure for figure in own if fate_of(figure)[0] is fate]
            if chosen:
                yield from section(chosen)
                yield ""


def _compared(chosen: list[Figure]) -> Iterator[str]:
    yield "### Reproduced\n"
    yield "| where | metric | input: printed |"
    yield "|---|---|---|"
    for (where, metric), group in _grouped(chosen, lambda figure: (figure.where, figure.metric or "")):
        numbers = ", ".join(f"{figure.input}: {figure.printed}{figure.unit}" for figure in group)
        yield f"| {_cell(where)} | `{metric}` | {_cell(numbers)} |"


def _judged(chosen: list[Figure]) -> Iterator[str]:
    yield "### Formulas and claims that hold\n"
    yield "| where | what is printed | tried by | input |"
    yield "|---|---|---|---|"
    for (where, what, says), group in _grouped(
        chosen, lambda figure: (figure.where, _claim(figure), fate_of(figure)[1])
    ):
        inputs = ", ".join(figure.input for figure in group if figure.input)
        yield f"| {_cell(where)} | {_cell(what)} | {_cell(says)} | {_cell(inputs)} |"


def _refuted(chosen: list[Figure]) -> Iterator[str]:
    yield "### Checked to differ\n"
    yield "| where | what is printed | ours | why |"
    yield "|---|---|---|---|"
    for figure in chosen:
        why = figure.reason or str(figure.recomputed)
        yield f"| {_cell(figure.where)} | {_cell(_claim(figure))} | {_cell(_ours(figure))} | {_cell(why)} |"


def _mistaken(chosen: list[Figure]) -> Iterator[str]:
    yield "### Wrong in print, with nothing of ours to compare\n"
    yield "| where | what is printed | why |"
    yield "|---|---|---|"
    for (where, why), group in _grouped(chosen, lambda figure: (figure.where, fate_of(figure)[1])):
        yield f"| {_cell(where)} | {_cell('; '.join(_claim(figure) for figure in group))} | {_cell(why)} |"


def _waiting(chosen: list[Figure]) -> Iterator[str]:
    for capability, group in _grouped(chosen, lambda figure: fate_of(figure)[1]):
        yield f"### Joins with {capability}\n"
        for (where, given), members in _grouped(group, lambda figure: (figure.where, figure.input or "")):
            named = ", ".join(dict.fromkeys(figure.as_printed for figure in members))
            yield f"- {where}, {given}: {named}"
        yield ""


def _unchecked(chosen: list[Figure]) -> Iterator[str]:
    yield "### Not checked\n"
    yield "| where | what | of | why |"
    yield "|---|---|---|---|"
    for (where, why), group in _grouped(chosen, lambda figure: (figure.where, fate_of(figure)[1])):
        what = "; ".join(dict.fromkeys(figure.as_printed for figure in group))
        inputs = ", ".join(dict.fromkeys(figure.input for figure in group if figure.input))
        yield f"| {_cell(where)} | {_cell(what)} | {_cell(inputs)} | {_cell(why)} |"


_SECTIONS: dict[Fate, Callable[[list[Figure]], Iterator[str]]] = {
    Fate.COMPARED: _compared,
    Fate.JUDGED: _judged,
    Fate.REFUTED: _refuted,
    Fate.MISTAKEN: _mistaken,
    Fate.WAITS: _waiting,
    Fate.UNCHECKED: _unchecked,
}


def _reference_values() -> Iterator[str]:
    values = reference_values()
    yield "## Quantities that no paper prints\n"
    yield (
        f"{len(values)} values of {len({value.metric for value in values})} metrics on "
        f"{len({value.input for value in values})} of the papers' matrices were recomputed independently; "
        "ours agree to 12 digits:\n"
    )
    yield ", ".join(f"`{metric}`" for metric in dict.fromkeys(value.metric for value in values)) + "."


def _grouped(chosen: Iterable[Figure], key: Callable[[Figure], K]) -> Iterator[tuple[K, list[Figure]]]:
    """Figures by key, in order of first appearance."""
    groups: dict[K, list[Figure]] = {}
    for figure in chosen:
        groups.setdefault(key(figure), []).append(figure)
    yield from groups.items()


def _claim(figure: Figure) -> str:
    if figure.is_number:
        return f"{figure.as_printed} = {figure.printed.removesuffix('%')}{figure.unit}"
    plain = figure.printed in {"formula", "holds", "true", "identity"}
    return figure.as_printed if plain else f"{figure.as_printed}: {figure.printed}"


def _ours(figure: Figure) -> str:
    """Our value to two digits more than are printed, where there is a number; else what the rule tries."""
    found = rule_of(figure)
    if found is not None:
        return found.says
    value = score(figure.metric or "", table_of(figure.input or "")) * (100 if figure.unit == "%" else 1)
    return f"{value:.{(figure.decimals or 0) + 2}f}{figure.unit}"


def _cell(text: str) -> str:
    text = text.replace("seed's own", "paper's own")  # the notes call the collected papers the seed
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("*", "\\*").replace("\n", " ")


def main() -> int:
    """Write the page, or say why not."""
    if absent := why_absent("published.json"):
        print(f"{PAGE.name} stays as it is: {absent}", file=sys.stderr)
        return 0
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(write_page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
