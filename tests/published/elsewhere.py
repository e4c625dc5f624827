"""Printed figures that tests outside this folder hold: rows of the reference data, and rows that it leaves out."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import ModuleType

from tests.papers import test_holt2010, test_hu2008, test_steingold2016, test_valverde2013
from tests.published.figures import figures

HELD: tuple[tuple[dict[str, str], str], ...] = (
    (
        {"input": "krkopt_nb", "as_printed": "*, mean"},
        "tests/evaluation/test_cross_validation_example.py::test_naive_bayes_stands_where_the_paper_s_stands",
    ),
    (
        {"input": "krkopt_rt6", "as_printed": "*, mean"},
        "tests/evaluation/test_cross_validation_example.py::test_the_random_tree_stands_where_the_paper_s_stands",
    ),
    (
        {"input": "krkopt", "as_printed": "best RandomTree setting*"},
        "tests/operating_points/test_tuning.py::test_leaf_weight_one_with_six_attributes_is_best_as_in_figure_7a",
    ),
)
"""Figures of the reference data by shell patterns of their fields, and the test that holds them."""


@dataclass(frozen=True)
class PrintedRow:
    """A number that a paper prints, the reference data lack, and a test of the paper holds."""

    paper: str
    input: str
    metric: str
    printed: str
    test: str


Pages = Mapping[str, Mapping[str, str]]
_PAPERS: tuple[tuple[str, ModuleType, Callable[[str], str], tuple[str, ...]], ...] = (
    ("holt2010", test_holt2010, lambda name: f"holt_{name}", ("PRINTED", "MISPRINTED")),
    ("valverde2013", test_valverde2013, lambda name: f"va_{name}", ("PRINTED",)),
    ("hu2008", test_hu2008, lambda name: f"hu_{name}", ("PRINTED", "PERCENT")),
    (
        "steingold2016",
        test_steingold2016,
        lambda name: f"st_fig1_{name}" if name.startswith("i") else f"st_{name.replace(' ', '_')}",
        ("PERCENT",),
    ),
)
"""By paper: its module, how the reference data call a matrix of it, and where the module has its printed numbers."""


CONTRADICTED = (
    PrintedRow(
        "hu2008",
        "hu_M18",
        "Property 3: rejecting loses no information where no accepted sample is wrong",
        "contradicted by the paper's own M18; it holds where all rejections are of one class (M9, M10)",
        "tests/papers/test_hu2008.py::test_property_3_fails_where_rejections_are_of_several_classes",
    ),
)
"""Claims of the papers that their own examples contradict."""


@dataclass(frozen=True)
class UnknownRows:
    """Printed numbers that neither the reference data nor any text available here have."""

    paper: str
    where: str
    what: str
    input: str
    count: int
    why: str


_OURS_ONLY = "The printed values are not known here; ours are on the paper's page."
_NOTHING = "Neither the matrices nor the values are known here, so there is nothing to compare or to derive them from."
UNKNOWN = (
    UnknownRows("holt2010", "sec. 2 text", "TPR; FPR; PPV; NPV; Rand index; F-score; xi", "holt_B", 7, _OURS_ONLY),
    UnknownRows("holt2010", "Table 1", "linear, quadratic, informational and 0-1 loss", "holt_B", 4, _OURS_ONLY),
    UnknownRows(
        "hu2008",
        "Table 3",
        "accuracy A; precision P; recall R; rejection rate Rej; NI_e",
        "hu_M6, hu_M8",
        10,
        _OURS_ONLY,
    ),
    UnknownRows("hu2008", "Table 4", "accuracy A; rejection rate Rej; NI_e", "hu_M18", 3, _OURS_ONLY),
    UnknownRows("hu2008", "Table 4", "accuracy A; rejection rate Rej; NI_e", "hu_M13, hu_M15", 6, _NOTHING),
    UnknownRows("hu2008", "sec. 4 text", "accuracy", "hu_M13, hu_M15", 2, _NOTHING),
    UnknownRows("hu2008", "eqs (9) and (10)", "bounds of the error", "hu_M13, hu_M15", 4, _NOTHING),
    UnknownRows(
        "steingold2016", "sec. 2.3", "proficiency; phi (MCC); accuracy; F1", "two further pairs A and B", 16, _NOTHING
    ),
    UnknownRows(
        "steingold2016",
        "Table 1",
        "precision; recall; proficiency alpha; permuted proficiency alpha'; number of reassigned categories",
        "labeler3|labeler1",
        5,
        _OURS_ONLY,
    ),
    UnknownRows("steingold2016", "Table 4", "reassigned categories", "labeler3|labeler1", 33, _OURS_ONLY),
    UnknownRows(
        "steingold2016",
        "sec. 5",
        "std dev of four metrics over random splits",
        "labeler3|labeler1",
        4,
        "The printed values are not known here; `infoscope multilabel labeler3.txt labeler1.txt` shows ours.",
    ),
)
"""By the numbers of its rows, the reference data leave out 106 of 647; these are the ones that no test holds."""


def rows_of_the_papers() -> Iterator[PrintedRow]:
    """Every printed number of the modules in tests/papers, and the claims that do not hold."""
    yield from CONTRADICTED
    for paper, module, named, attributes in _PAPERS:
        for attribute in attributes:
            pages: Pages = getattr(module, attribute)
            test = "test_printed_one_unit_too_low" if attribute == "MISPRINTED" else "test_as_printed"
            for metric, numbers in pages.items():
                for name, text in numbers.items():
                    path = f"{module.__name__.replace('.', '/')}.py::{test}"
                    yield PrintedRow(paper, named(name), metric, text, path)


def claims_of_the_papers() -> Iterator[PrintedRow]:
    """Printed claims about several inputs at once, which the reference data leave out."""
    test = "tests/papers/test_holt2010.py::test_the_second_improvement_is_greater_than_the_first"
    for by, text in test_holt2010.FIGURE_5.items():
        claim = f"second improvement factor over the first, by {by} (Figure 5)"
        yield PrintedRow("holt2010", "holt_07, holt_08, holt_09", claim, text, test)


def laws_of_the_papers() -> Iterator[PrintedRow]:
    """Equations that the reference data judge for some matrices, and tests of ours for the others."""
    for name in "ce":
        test = "tests/papers/test_valverde2013.py::test_balance_equation"
        yield PrintedRow("valverde2013", f"va_{name}", "dH' + 2MI' + VI' = 1", "holds", test)
    for name in ("M6", "M8", "M18"):
        test = "tests/papers/test_hu2008.py::test_bounds_enclose_the_error_of_the_best_decision"
        for bound in ("eq (9) Fano: lower bound of the error", "eq (10) Hellman-Raviv: upper bound of the error"):
            yield PrintedRow("hu2008", f"hu_{name}", bound, "holds", test)


def labelers_of_the_papers() -> Iterator[PrintedRow]:
    """Return the figures that the authors' program prints of labelers 3 and 1 after reassignment."""
    test = "tests/multilabel/test_kdd2005.py::test_averages_after_reassignment_are_those_of_the_authors_program"
    for metric, printed in {"precision": "59.10%", "recall": "56.41%", "F1": "57.72%"}.items():
        yield PrintedRow("steingold2016", "labeler3|labeler1", f"{metric} after reassignment", printed, test)


def other_rows() -> tuple[PrintedRow, ...]:
    """All rows that tests outside this folder hold."""
    return (*rows_of_the_papers(), *claims_of_the_papers(), *laws_of_the_papers(), *labelers_of_the_papers())


def rows_beyond_the_reference_data() -> list[PrintedRow]:
    """Return the rows that these sources have and the reference data do not."""
    known = {(figure.input, figure.metric) for figure in figures()}
    rows = other_rows()
    return [row for row in rows if (row.input, row.metric) not in known]
