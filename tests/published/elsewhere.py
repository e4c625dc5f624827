"""Printed figures that tests outside this folder hold: rows of the reference data, and rows that it leaves out."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import ModuleType

from tests.papers import test_holt2010, test_hu2008, test_steingold2016, test_valverde2013
from tests.published.figures import figures

HELD: tuple[tuple[dict[str, str], str], ...] = (
    *(
        ({"input": name, "as_printed": pattern}, f"tests/papers/test_king_rook_king.py::{test}")
        for name in ("krkopt_nb", "krkopt_rt6", "krkopt_bn2")
        for pattern, test in (
            ("*, mean", "test_means_are_the_printed_ones"),
            ("*, std dev", "test_spreads_are_those_of_ten_runs_of_the_printed_ones"),
            ("correlation*", "test_spreads_are_those_of_ten_runs_of_the_printed_ones"),
        )
    ),
    (
        {"input": "krkopt_*", "as_printed": "no overlap*"},
        "tests/papers/test_king_rook_king.py::test_p_values_of_different_learners_are_0_or_1_as_no_clouds_overlap",
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


def rows_of_the_papers() -> Iterator[PrintedRow]:
    """Every printed number of the modules in tests/papers."""
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
    test = "tests/papers/test_holt2010.py::test_by_information_the_second_improvement_stands_out_more"
    claim = "the second improvement over the first (Figure 5)"
    yield PrintedRow("holt2010", "holt_07, holt_08, holt_09", claim, "more significant by information", test)


def labelers_of_the_papers() -> Iterator[PrintedRow]:
    """Return the figures that the authors' program prints of labelers 3 and 1 after reassignment."""
    test = "tests/multilabel/test_kdd2005.py::test_averages_after_reassignment_are_those_of_the_authors_program"
    for metric, printed in {"precision": "59.10%", "recall": "56.41%", "F1": "57.72%"}.items():
        yield PrintedRow("steingold2016", "labeler3|labeler1", f"{metric} after reassignment", printed, test)


def other_rows() -> tuple[PrintedRow, ...]:
    """All rows that tests outside this folder hold."""
    return (*rows_of_the_papers(), *claims_of_the_papers(), *labelers_of_the_papers())


def rows_beyond_the_reference_data() -> list[PrintedRow]:
    """Return the rows that these sources have and the reference data do not."""
    known = {(figure.input, figure.metric) for figure in figures()}
    rows = other_rows()
    return [row for row in rows if (row.input, row.metric) not in known]
