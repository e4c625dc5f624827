"""The gallery as a page and its pictures."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.reference import ROOT
from tools.gallery import coverage, curves, diagrams, judges, relations, runs, scores, tables, trackers, triangles
from tools.gallery.exhibit import Exhibit

__all__ = ["MADE_UP", "NO_NUMBER", "exhibits", "page", "write"]

FOLDER = ROOT / "docs" / "gallery"
PAGE = ROOT / "docs" / "gallery.md"
HEAD = """\
# Gallery

Every kind of picture, made from an example of the papers, beside what the paper prints for it. The pictures and the
numbers called “ours” are written by `python -m tools.gallery` (`make docs`). Each is one line of Python:
`ifs.CoverageDisplay.from_table(tables).save("coverage.svg")`; `.plot(ax)` draws the same on matplotlib axes.
"""
NO_NUMBER = "The paper prints no number here."
MADE_UP = "Made up for this page, so there is nothing printed to set beside it."


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
