"""Show annotators: alpha, who carries how much of whom, who labels like whom, and confused categories."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from infoscope.errors import InputError
from infoscope.figures.annotator_map import AnnotatorPlaneDisplay, AnnotatorTreeDisplay
from infoscope.figures.comparison import ComparisonDisplay, ForestRow
from infoscope.figures.display import Display
from infoscope.reports.outline import (
    Appendix,
    Cell,
    Column,
    Figure,
    Name,
    Outline,
    Paragraph,
    Section,
    SideBySide,
    Table,
    Tile,
)
from infoscope.reports.shared import tabulate
from infoscope.results.notation import (
    MetricNotation,
    Units,
    format_count,
    format_interval,
    format_p_value,
    format_share,
)
from infoscope.studies.agreement import Agreement, AnnotatorMap
from infoscope.studies.agreement_measures import PairAgreement


def _make_forest(result: Agreement) -> ComparisonDisplay:
    """Show annotators by how much they carry of each other."""
    means = {who.name: who.mean_proficiency for who in result.annotators}
    rows = [ForestRow(name, mean) for name, mean in means.items() if mean is not None]
    return ComparisonDisplay(rows, "Mean proficiency with the other annotators", noun="annotators")


def _get_map(result: Agreement) -> AnnotatorMap:
    if result.map is None:
        raise InputError("there is no map: no item was labelled by all annotators, or items have several categories")
    return result.map


PICTURES: dict[str, Callable[[Agreement], Display]] = {
    "annotators": _make_forest,
    "plane": lambda result: AnnotatorPlaneDisplay(_get_map(result)),
    "tree": lambda result: AnnotatorTreeDisplay(_get_map(result)),
}

_MATRICES = (
    ("proficiency", "Fraction of the row's information that the column carries (proficiency)", "proficiency"),
    ("permuted_proficiency", "The same by categories, after the best one-to-one renaming", "permuted"),
    ("reassigned", "Categories that this renaming changes", "reassigned"),
    (
        "micro_recall",
        "Fraction of the row's labels that the column has, too (recall, or the row's precision)",
        "recall",
    ),
    ("kappa", "Cohen's kappa", "kappa"),
)
_OF_SETS = frozenset({"reassigned", "micro_recall"})


_SYMMETRIC = frozenset({"kappa"})
_TILES = {"fleiss_kappa": "Fleiss' kappa", "randolph_kappa": "Randolph's kappa", "gwet_ac1": "Gwet's AC1"}


def outline(result: Agreement, unit: Units) -> Outline:
    """Write the outline: alpha first, then the matrices, the annotators and the categories they confuse."""
    alpha, kind = result.krippendorff_alpha, "" if result.scale == "nominal" else f" ({result.scale})"
    notation = MetricNotation("kappa")
    coefficients = [(alpha, f"Krippendorff's alpha{kind}")]
    coefficients += [
        (result.coefficients[name], title) for name, title in _TILES.items() if name in result.coefficients
    ]
    return Outline(
        title=f"Agreement of {len(result.names)} annotators",
        kicker=(
            "Agreement",
            f"{len(result.names)} annotators",
            f"{format_count(result.items)} items",
            "1 category" if len(result.categories) == 1 else f"{len(result.categories):,} categories",
        ),
        headline=f"Krippendorff's alpha{kind} of {len(result.names)} annotators is {notation.whole(alpha)}.",
        tiles=[
            Tile(
                notation.shown(estimate),
                title,
                notation.interval(estimate),
                estimate.undefined or "1 is perfect, 0 is chance",
            )
            for estimate, title in coefficients
        ],
        sections=[
            *_make_matrix_sections(result),
            *_make_information_section(result, unit),
            *_make_map_section(result),
            *_make_annotator_sections(result),
        ],
        appendix=Appendix(
            metrics=("proficiency", "kappa", "mutual_information", "erroneous_information"),
            method=(
                "Each annotator is taken as the truth for each other one; no annotator is assumed to be right.",
                "The interval of alpha comes from drawing items with replacement.",
            ),
        ),
    )


def _make_matrix_sections(result: Agreement) -> Sequence[Section]:
    columns = [Column("", "name"), *(Column(name) for name in result.names)]
    sections = []
    for metric, heading, anchor in _MATRICES:
        if metric in _OF_SETS and not result.multilabel:
            continue
        notation = MetricNotation(metric)
        rows: list[Sequence[Cell]] = []
        for own, (name, line) in enumerate(zip(result.names, result.matrix(metric), strict=True)):
            cells: list[Cell] = [notation.value(value) for value in line]
            cells[own] = "·"
            if metric in _SYMMETRIC:  # each pair once, above the diagonal
                cells[:own] = [""] * own
            rows.append((Name(name), *cells))
        sections.append(Section(heading, [Table(columns, rows, search="annotators")], anchor, link=anchor.capitalize()))
    return sections


def _make_information_section(result: Agreement, unit: Units) -> Sequence[Section]:
    """Show each pair once, with what the two share and how far they are apart."""
    once: dict[frozenset[str], PairAgreement] = {}
    for pair in result.pairs:
        once.setdefault(frozenset((pair.truth, pair.system)), pair)
    coefficient = [(pair, pair.information) for pair in once.values() if pair.information is not None]
    if not coefficient:
        return ()
    rows = tabulate(
        coefficient,
        (Column("annotator", "name"), lambda item: Name(item[0].truth)),
        (Column("and", "name"), lambda item: Name(item[0].system)),
        (
            Column(f"shared information, {unit.name}", metric="mutual_information"),
            lambda item: unit.amount(item[1].mutual_information.shown),
        ),
        (Column("interval", priority=6), lambda item: format_interval(item[1].mutual_information, unit.per_bit, 2)),
        (
            Column(f"apart, {unit.name}", metric="erroneous_information"),
            lambda item: unit.amount(item[1].variation_of_information.shown),
        ),
        (
            Column("interval", priority=5),
            lambda item: format_interval(item[1].variation_of_information, unit.per_bit, 2),
        ),
        (Column("items", priority=3), lambda item: format_count(item[0].items)),
    )
    note = "Apart is the variation of information, H(A|B) + H(B|A): 0 where each determines the other."
    table = Table(*rows, search="pairs", max_rows=15, note=note)
    return (Section("What they tell about each other", [table], "information", link="Information"),)


def _make_map_section(result: Agreement) -> Sequence[Section]:
    annotator_map = result.map
    if annotator_map is None or len(annotator_map.names) < 3:
        return ()
    rough = " The plane is rough; trust the tree." if annotator_map.stress > 0.2 else ""
    note = (
        f"Distances over the {annotator_map.items:,} items that all labelled. "
        f"Stress of the plane: {annotator_map.stress:.2f}.{rough} ",
        Name(annotator_map.farthest),
        " is farthest from the others.",
    )
    figures = SideBySide(
        [Figure(AnnotatorPlaneDisplay(annotator_map).panel())], [Figure(AnnotatorTreeDisplay(annotator_map).panel())]
    )
    return (Section("Who labels like whom", [figures, Paragraph(note, quiet=True)], "map", link="Map"),)


def _make_annotator_sections(result: Agreement) -> Iterator[Section]:
    """Show each annotator, and the categories that two of them take for each other beyond chance."""
    rows = tabulate(
        result.annotators,
        (Column("annotator", "name"), lambda item: Name(item.name)),
        (Column("items"), lambda item: format_count(item.items)),
        (Column("mean proficiency with the others"), lambda item: format_share(item.mean_proficiency)),
        (
            Column("alpha without"),
            lambda item: "" if item.alpha_without is None else MetricNotation("kappa").value(item.alpha_without),
        ),
    )
    yield Section("Annotators", [Table(*rows, search="annotators")], "annotators")
    if not result.confused:
        return
    confusions = tabulate(
        result.confused,
        (Column("annotator", "name"), lambda item: Name(item.first)),
        (Column("category", "name"), lambda item: Name(item.first_category)),
        (Column("annotator", "name"), lambda item: Name(item.second)),
        (Column("category", "name"), lambda item: Name(item.second_category)),
        (Column("items"), lambda item: format_count(item.count)),
        (Column("expected by chance", priority=5), lambda item: f"{item.expected:.1f}"),
        (Column("p", priority=4), lambda item: format_p_value(item.p_value)),
    )
    yield Section("Confused categories", [Table(*confusions, search="categories", max_rows=15)], "confused")
