"""Write docs/contributors/published-figures.md: what the papers print, and what our tests make of each figure.

Run from the project root as ``python -m tools.published_figures``; nothing in the page is typed by hand.
"""

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import TypeVar

from infoscope.metrics.registry import SOURCES, catalogue
from tests.published.elsewhere import rows_beyond_the_reference_data
from tests.published.figures import Figure, figures, reference_values, score, table_of
from tests.published.ledger import CHECKED_HERE, NOT_CHECKABLE, Fate, claim_of, fate_of, reason_of, rule_of
from tests.reference import PUBLISHED, ROOT, why_absent

K = TypeVar("K")
R = TypeVar("R")
PAGE = ROOT / "docs" / "contributors" / "published-figures.md"

HEAD = """\
# Published figures

Use this page to check whether Infoscope reproduces a particular number of the papers. It lists every printed number
that is in our reference data or in a test, and what became of it: reproduced, not reproduced with the reason, or not
checkable. For an overview, start with [the papers](papers/index.md).

```python
>>> import infoscope as ifs
>>> m3 = ifs.Contingency.from_matrix([[80, 10], [0, 10]])  # Hu & Wang, Table 3, M3: printed 0.574
>>> print(f"{ifs.metrics.proficiency(m3):.3f}")
0.574

```

A number counts as reproduced if ours differs from it by at most half a unit of its last printed digit.
`python -m tools.published_figures` (part of `make docs`) writes this page from the reference data and the tests.
"""


MANY = 10
"""A number printed for more inputs than this is a column of a table, and makes one row of the page."""


def write_page() -> str:
    """The page as it follows from the reference data."""
    return "\n".join([HEAD, *_overview(), *_by_paper(), *_reference_values()]).rstrip() + "\n"


def _overview() -> Iterator[str]:
    counts = counts_by_paper()
    total = sum(counts.values(), Counts())
    beyond = len(rows_beyond_the_reference_data())
    yield (
        f"Of {total.rows} rows, checked here: {total.here}; checked in other tests: {total.elsewhere} ({beyond} of "
        f"them not in the reference data, which have {total.rows - beyond}); not checkable: {total.not_checkable}.\n"
    )
    yield "| paper | checked here | checked in other tests | not checkable | rows |"
    yield "|---|" + "---:|" * 4
    for paper, found in counts.items():
        cells = " | ".join(map(str, (found.here, found.elsewhere, found.not_checkable, found.rows)))
        yield f"| [{paper}](#{paper}) | {cells} |"
    yield f"| all | {total.here} | {total.elsewhere} | {total.not_checkable} | {total.rows} |\n"
    fates = Counter(fate_of(figure)[0] for figure in figures())
    yield "Of those in the reference data: " + "; ".join(f"{fate.value}: {fates[fate]}" for fate in Fate) + ".\n"


@dataclass(frozen=True)
class Counts:
    """Number of rows of a paper by their treatment."""

    here: int = 0
    elsewhere: int = 0
    not_checkable: int = 0

    @property
    def rows(self) -> int:
        """All of them."""
        return self.here + self.elsewhere + self.not_checkable

    def __add__(self, other: "Counts") -> "Counts":
        """The rows of both."""
        return Counts(
            self.here + other.here, self.elsewhere + other.elsewhere, self.not_checkable + other.not_checkable
        )


def counts_by_paper() -> dict[str, Counts]:
    """By paper, in the order of the reference data."""
    fates = Counter((figure.paper, fate_of(figure)[0]) for figure in figures())
    beyond = Counter(row.paper for row in rows_beyond_the_reference_data())
    return {
        paper: Counts(
            sum(fates[paper, fate] for fate in CHECKED_HERE),
            fates[paper, Fate.ELSEWHERE] + beyond[paper],
            sum(fates[paper, fate] for fate in NOT_CHECKABLE),
        )
        for paper in dict.fromkeys(figure.paper for figure in figures())
    }


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
        yield from _beyond(paper)


def _compared(chosen: list[Figure]) -> Iterator[str]:
    yield "### Reproduced\n"
    yield "| where | metric | input: printed |"
    yield "|---|---|---|"
    for (where, metric), group in _grouped(chosen, lambda figure: (figure.where, figure.metric or "")):
        numbers = ", ".join(f"{figure.input}: {figure.printed}{figure.unit}" for figure in group)
        yield f"| {_cell(where)} | `{metric}` | {_cell(numbers)} |"


def _judged(chosen: list[Figure]) -> Iterator[str]:
    yield "### Formulas and claims that hold\n"
    yield "| where | what is printed | checked by | input |"
    yield "|---|---|---|---|"
    columns = Counter((figure.where, figure.as_printed) for figure in chosen if figure.is_number)
    whole = {column for column, rows in columns.items() if rows > MANY}
    for (where, what, says, in_column), group in _grouped(
        chosen,
        lambda figure: (
            figure.where,
            figure.as_printed if (figure.where, figure.as_printed) in whole else _claim(figure),
            fate_of(figure)[1],
            (figure.where, figure.as_printed) in whole,
        ),
    ):
        named = [figure for figure in group if figure.input]
        inputs = ", ".join(f"{figure.input}: {figure.printed}" if in_column else figure.input for figure in named)
        yield f"| {_cell(where)} | {_cell(what)} | {_cell(says)} | {_cell(inputs)} |"


def _as_printed(chosen: list[Figure]) -> Iterator[str]:
    yield "### True as printed; the reference data state more\n"
    yield "| where | in the reference data | ours | what the paper states |"
    yield "|---|---|---|---|"
    for figure in chosen:
        cells = (figure.where, _claim(figure), _ours(figure), reason_of(figure))
        yield f"| {' | '.join(map(_cell, cells))} |"


def _refuted(chosen: list[Figure]) -> Iterator[str]:
    yield "### Not reproduced\n"
    yield "| where | what is printed | verdict | ours | why |"
    yield "|---|---|---|---|---|"
    for figure in chosen:
        claim = claim_of(figure)
        assert claim is not None, f"{figure.id} is called wrong, and no statement of the paper's page says so"
        cells = (figure.where, _claim(figure), claim.verdict_in_words, _ours(figure), reason_of(figure))
        yield f"| {' | '.join(map(_cell, cells))} |"


def _elsewhere(chosen: list[Figure]) -> Iterator[str]:
    yield "### Checked in other tests\n"
    yield "| where | what is printed | input | test |"
    yield "|---|---|---|---|"
    for figure in chosen:
        test = fate_of(figure)[1]
        yield f"| {_cell(figure.where)} | {_cell(_claim(figure))} | {_cell(figure.input or '')} | `{test}` |"


def _beyond(paper: str) -> Iterator[str]:
    rows = [row for row in rows_beyond_the_reference_data() if row.paper == paper]
    if rows:
        yield "### Checked in other tests, not in the reference data\n"
        yield "| metric | input: printed | test |"
        yield "|---|---|---|"
        for (metric, test), group in _grouped(rows, lambda row: (row.metric, row.test)):
            what = f"`{metric}`" if metric in catalogue else metric
            yield f"| {what} | {_cell(', '.join(f'{row.input}: {row.printed}' for row in group))} | `{test}` |"
        yield ""


def _mistaken(chosen: list[Figure]) -> Iterator[str]:
    yield "### Inconsistent in print, nothing to compute\n"
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
    yield "### Not checkable\n"
    yield "| where | what | of | why |"
    yield "|---|---|---|---|"
    for (where, why), group in _grouped(chosen, lambda figure: (figure.where, fate_of(figure)[1])):
        what = "; ".join(dict.fromkeys(figure.as_printed for figure in group))
        inputs = ", ".join(dict.fromkeys(figure.input for figure in group if figure.input))
        yield f"| {_cell(where)} | {_cell(what)} | {_cell(inputs)} | {_cell(why)} |"


_SECTIONS: dict[Fate, Callable[[list[Figure]], Iterator[str]]] = {
    Fate.COMPARED: _compared,
    Fate.JUDGED: _judged,
    Fate.AS_PRINTED: _as_printed,
    Fate.REFUTED: _refuted,
    Fate.ELSEWHERE: _elsewhere,
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


def _grouped(chosen: Iterable[R], key: Callable[[R], K]) -> Iterator[tuple[K, list[R]]]:
    """Rows by key, in order of first appearance."""
    groups: dict[K, list[R]] = {}
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
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("*", "\\*").replace("\n", " ")


def main() -> int:
    """Write the page, or say why not."""
    if absent := why_absent(PUBLISHED):
        print(f"{PAGE.name} stays as it is: {absent}", file=sys.stderr)
        return 0
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(write_page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
