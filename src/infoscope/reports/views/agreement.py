"""What is shown of annotators: alpha, findings, who carries how much of whom."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from infoscope.annotators import Agreement
from infoscope.figures.display import Display
from infoscope.figures.forest import ComparisonDisplay, ForestRow
from infoscope.reports.numbers import Units, amount, interval_text, p_value, share
from infoscope.reports.outline import Appendix, Cell, Column, Name, Outline, Section, Table, Tile

__all__ = ["PICTURES", "outline"]


def _forest(result: Agreement) -> ComparisonDisplay:
    """Annotators by how much they carry of each other."""
    means = {who.name: who.mean_proficiency for who in result.annotators}
    rows = [ForestRow(name, mean) for name, mean in means.items() if mean is not None]
    return ComparisonDisplay(rows, "Mean proficiency with the other annotators", noun="annotators")


PICTURES: dict[str, Callable[[Agreement], Display]] = {"annotators": _forest}

_MATRICES = (
    ("proficiency", "Share of the row's information that the column carries (proficiency)", "proficiency"),
    ("permuted_proficiency", "The same by categories, after the best one-to-one renaming", "permuted"),
    ("kappa", "Cohen's kappa", "kappa"),
)


def outline(result: Agreement, _unit: Units) -> Outline:
    """Alpha first, then the matrices, the annotators and the categories they confuse."""
    alpha = result.krippendorff_alpha
    value = "undefined" if alpha.value is None else f"{alpha.value:.2f}"
    limits = interval_text(alpha, 1.0, 2)
    within = f" ({limits})" if limits else ""
    return Outline(
        title=f"Agreement of {len(result.names)} annotators",
        kicker=(
            "Agreement",
            f"{len(result.names)} annotators",
            f"{amount(result.items)} items",
            f"{len(result.categories):,} categories",
        ),
        headline=f"Krippendorff's alpha of {len(result.names)} annotators is {value}{within}.",
        tiles=[Tile(value, "Krippendorff's alpha", limits, alpha.undefined or "1 is perfect, 0 is chance")],
        findings=[("", finding) for finding in result.findings],
        sections=[*_matrices(result), _annotators(result), *_confused(result)],
        appendix=Appendix(
            metrics=("proficiency", "kappa"),
            method=(
                "Each annotator is taken as the truth for each other one; no annotator is assumed to be right.",
                "The interval of alpha comes from drawing items with replacement.",
            ),
        ),
    )


def _matrices(result: Agreement) -> Sequence[Section]:
    columns = [Column("", "name"), *(Column(name) for name in result.names)]
    found = []
    for metric, heading, anchor in _MATRICES:
        rows: list[Sequence[Cell]] = [
            (
                Name(name),
                *("·" if name == other else share(value) for other, value in zip(result.names, line, strict=True)),
            )
            for name, line in zip(result.names, result.matrix(metric), strict=True)
        ]
        found.append(Section(heading, [Table(columns, rows, search="annotators")], anchor, link=anchor.capitalize()))
    return found


def _annotators(result: Agreement) -> Section:
    columns = [
        Column("annotator", "name"),
        Column("items"),
        Column("mean proficiency with the others"),
        Column("alpha without"),
    ]
    rows = [
        (
            Name(each.name),
            amount(each.items),
            share(each.mean_proficiency),
            "" if each.alpha_without is None else f"{each.alpha_without:.2f}",
        )
        for each in result.annotators
    ]
    return Section("Annotators", [Table(columns, rows, search="annotators")], "annotators")


def _confused(result: Agreement) -> Sequence[Section]:
    if not result.confused:
        return ()
    columns = [
        Column("annotator", "name"),
        Column("category", "name"),
        Column("annotator", "name"),
        Column("category", "name"),
        Column("items"),
        Column("expected by chance", priority=5),
        Column("p", priority=4),
    ]
    rows = [
        (
            Name(each.first),
            Name(each.first_category),
            Name(each.second),
            Name(each.second_category),
            amount(each.count),
            f"{each.expected:.1f}",
            p_value(each.p_value),
        )
        for each in result.confused
    ]
    return (Section("Confused categories", [Table(columns, rows, search="categories", max_rows=15)], "confused"),)
