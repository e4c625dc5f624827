"""The gallery as a page and its pictures."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.reference import ROOT
from tools.gallery import coverage, curves, diagrams, judges, relations, runs, scores, tables, trackers, triangles
from tools.gallery.exhibit import Exhibit

__all__ = ["MADE_UP", "NO_NUMBER", "exhibits", "page", "write"]

FOLDER = ROOT / "docs" / "reference" / "gallery"
PAGE = ROOT / "docs" / "reference" / "gallery.md"
HEAD = """\
# Gallery

This page shows every kind of picture that Infoscope draws, most of them for an example from the papers, with the
printed numbers next to ours. Each picture takes one line of Python:

```python
>>> import infoscope as ifs
>>> table = ifs.Contingency.from_matrix([[40, 10], [5, 45]])
>>> path = ifs.CoverageDisplay.from_table(table).save("coverage.svg")

```

`.plot(ax)` draws the same picture on matplotlib axes. `python -m tools.gallery` (part of `make docs`) writes this page.
"""
NO_NUMBER = "The paper prints no number here."
MADE_UP = "Made for this page; there is no printed number to compare with."


def exhibits() -> Iterator[Exhibit]:
    """The whole gallery, in the order of the page."""
    for family in (coverage, triangles, diagrams, tables, scores, curves, trackers, relations, runs, judges):
        yield from family.exhibits()


def page(shown: Sequence[Exhibit]) -> str:
    """The Markdown of the gallery."""
    lines = [HEAD]
    for item in shown:
        lines += [f"## {item.title}", "", f"*{item.source}.* {item.note}".rstrip(), ""]
        lines += [f"![{item.display.panel().summary}](gallery/{item.file}.svg)", ""]
        if item.facts:
            lines += ["| | as printed | ours |", "|---|---:|---:|"]
            lines += [f"| {what} | {printed} | {ours} |" for what, printed, ours in item.facts]
        else:
            lines.append(MADE_UP if item.made_up else NO_NUMBER)
        lines.append("")
    return "\n".join(lines)


def write(folder: Path = FOLDER, target: Path = PAGE, shown: Sequence[Exhibit] | None = None) -> None:
    """Write page and pictures; of the whole gallery unless exhibits are given."""
    shown = shown or list(exhibits())
    folder.mkdir(parents=True, exist_ok=True)
    for item in shown:
        (folder / f"{item.file}.svg").write_text(item.display.to_svg() + "\n", encoding="utf-8")
    target.write_text(page(shown), encoding="utf-8")
