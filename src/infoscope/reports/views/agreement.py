"""Show annotators: alpha, who carries how much of whom, who labels like whom, and confused categories."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from infoscope.errors import InputError
from infoscope.figures.annotator_map import AnnotatorPlaneDisplay, AnnotatorTreeDisplay
from infoscope.figures.comparison import ComparisonDisplay, ForestRow
from infoscope.figures.display import Display
from infoscope.figures.layout import plain_label
from infoscope.reports.outline import (
    Appendix,
    Cell,
    Column,
    Figure,
    Name,
    Outline,
    Paragraph,
    Phrase,
    Section,
    SideBySide,
    Strong,
    Table,
    Tile,
)
from infoscope.reports.shared import tabulate
from infoscope.results.estimate import Estimate
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
    ("kappa", "Cohen's kappa", "kappa"),
    ("proficiency", "Fraction of the row's information that the column carries (proficiency)", "proficiency"),
    ("permuted_proficiency", "The same by categories, after the best one-to-one renaming", "permuted"),
    ("reassigned", "Categories that this renaming changes", "reassigned"),
    (
        "micro_recall",
        "Fraction of the row's labels that the column has, too (recall, or the row's precision)",
        "recall",
    ),
)
_OF_SETS = frozenset({"reassigned", "micro_recall"})


_SYMMETRIC = frozenset({"kappa"})
_COEFFICIENTS = {"randolph_kappa": "Randolph's kappa", "gwet_ac1": "Gwet's AC1"}
RELIABLE, TENTATIVE = 0.8, 0.667
"""Krippendorff's customary limits of alpha."""
MAX_CONFUSED = 5


def outline(result: Agreement, unit: Units) -> Outline:
    """Write the outline: alpha and who stands apart, then annotators and confused categories; matrices are folded."""
    return Outline(
        title=f"Agreement of {len(result.names)} annotators",
        kicker=(
            f"{len(result.names)} annotators",
            f"{format_count(result.items)} items",
            "1 category" if len(result.categories) == 1 else f"{len(result.categories):,} categories",
        ),
        headline=_write_headline(result),
        tiles=list(_make_tiles(result)),
        sections=[
            _make_annotator_section(result),
            *_make_confusion_section(result),
            *_make_coefficient_section(result),
            *_make_matrix_sections(result),
            *_make_information_section(result, unit),
            *_make_map_section(result),
        ],
        appendix=Appendix(
            metrics=("proficiency", "kappa", "mutual_information", "erroneous_information"),
            method=(
                "Each annotator is taken as the truth for each other one; no annotator is assumed to be right.",
                "The interval of alpha comes from drawing items with replacement.",
                "Krippendorff calls an alpha from 0.8 reliable, and one from 0.667 enough for tentative conclusions.",
            ),
        ),
    )


def _write_headline(result: Agreement) -> Phrase:
    alpha, scale = result.krippendorff_alpha, "" if result.scale == "nominal" else f" ({result.scale})"
    notation = MetricNotation("kappa")
    if alpha.value is None:
        return f"Krippendorff's alpha{scale} of {len(result.names)} annotators is undefined: {alpha.undefined}."
    worth = "too low for conclusions"
    if alpha.value >= TENTATIVE:
        worth = "reliable" if alpha.value >= RELIABLE else "enough for tentative conclusions"
    agree = (
        f"{len(result.names)} annotators agree with a Krippendorff's alpha{scale} of {notation.whole(alpha)}, {worth}"
    )
    odd = result.odd_one_out
    if odd is None or not odd.finding:
        return f"{agree}."
    without = notation.value(odd.alpha_without)
    return (f"{agree}; ", Name(odd.name, 40), f" stands apart: without that annotator it is {without}.")


def _make_tiles(result: Agreement) -> Iterator[Tile]:
    """Show alpha, alpha without the odd one, the share of labels that agree, and what one label carries of another."""
    notation, alpha = MetricNotation("kappa"), result.krippendorff_alpha
    limits = f"{RELIABLE} reliable, {TENTATIVE} tentative"
    yield Tile(notation.shown(alpha), "Krippendorff's alpha", notation.interval(alpha), alpha.undefined or limits)
    odd = result.odd_one_out
    if odd is not None and odd.finding:
        estimate = Estimate(odd.alpha_without, low=odd.low, high=odd.high)
        note = f"without {plain_label(odd.name)[:20]}"
        yield Tile(notation.shown(estimate), "alpha of the others", notation.interval(estimate), note)
    for name, word, note in (
        ("observed_agreement", "labels that agree", "of all pairs of labels"),
        ("fleiss_kappa", "Fleiss' kappa", "1 perfect, 0 chance"),
    ):
        if name in result.coefficients:
            estimate, share = result.coefficients[name], name == "observed_agreement"
            number = format_share(estimate.shown) if share else notation.shown(estimate)
            within = format_interval(estimate) if share else notation.interval(estimate)
            yield Tile(number, word, within, estimate.undefined or note)
    shared = format_share(result.mean_proficiency)
    yield Tile(shared, "information shared", "", "mean over all pairs", "proficiency")


def _make_coefficient_section(result: Agreement) -> Iterator[Section]:
    """Show the coefficients that take chance to be other than Fleiss' kappa does."""
    notation = MetricNotation("kappa")
    others = [(name, title) for name, title in _COEFFICIENTS.items() if name in result.coefficients]
    if not others:
        return
    rows = tabulate(
        others,
        (Column("coefficient", "name"), lambda item: item[1]),
        (Column("value"), lambda item: notation.value(result.coefficients[item[0]].shown)),
        (Column("interval"), lambda item: notation.interval(result.coefficients[item[0]])),
    )
    aside = " and ".join(dict(others).values())
    yield Section("Other coefficients", [Table(*rows)], "coefficients", aside=aside, folded=True)


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
        sections.append(Section(heading, [Table(columns, rows, search="annotators")], anchor, folded=True))
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
    return (Section("What they tell about each other", [table], "information", aside=unit.name, folded=True),)


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
    aside = "map and tree"
    return (Section("Who labels like whom", [figures, Paragraph(note, quiet=True)], "map", aside=aside, folded=True),)


def _make_annotator_section(result: Agreement) -> Section:
    """Show each annotator, first the one without whom the others agree best."""
    kappa = MetricNotation("kappa")
    rows = tabulate(
        sorted(result.annotators, key=lambda item: -(item.alpha_without or 0.0)),
        (Column("annotator", "name"), lambda item: Name(item.name)),
        (Column("items"), lambda item: format_count(item.items)),
        (
            Column("alpha without"),
            lambda item: "" if item.alpha_without is None else Strong(kappa.value(item.alpha_without)),
        ),
        (Column("mean kappa", priority=8), lambda item: kappa.value(item.mean_kappa)),
        (Column("information shared", priority=7), lambda item: format_share(item.mean_proficiency)),
    )
    note = "Mean kappa (Cohen) and information shared are those with the other annotators."
    return Section("Annotators", [Table(*rows, note=note, search="annotators")], "annotators")


def _make_confusion_section(result: Agreement) -> Iterator[Section]:
    """Show the categories that two annotators take for each other beyond chance."""
    if not result.confused:
        return
    confusions = tabulate(
        result.confused,
        (Column("annotator", "name"), lambda item: Name(item.first)),
        (Column("used", "name"), lambda item: Name(item.first_category)),
        (Column("where", "name"), lambda item: Name(item.second)),
        (Column("used", "name"), lambda item: Name(item.second_category)),
        (Column("items"), lambda item: format_count(item.count)),
        (Column("by chance", priority=5), lambda item: f"{item.expected:.1f}"),
        (Column("p", priority=4), lambda item: format_p_value(item.p_value)),
    )
    table = Table(*confusions, search="categories", max_rows=MAX_CONFUSED)
    yield Section("Confused categories", [table], "confused", link="Confusions")
