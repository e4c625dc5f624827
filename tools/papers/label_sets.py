"""Hurley's moments, and Steingold & Laclavik's predictors and labelers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import groupby

import numpy as np

from infoscope.metrics.registry import catalogue
from tests.api import align_label_sets, assign_categories, read_label_lists
from tests.multilabel.kdd import PAIRS, labeler, verbatim
from tests.papers import test_steingold2016 as steingold
from tests.published.elsewhere import labelers_of_the_papers
from tests.published.figures import Figure, figures, table_of
from tests.published.rules.hurley2014 import moment
from tests.published.rules.kdd2005 import (
    REASSIGNED,
    fewest_and_most_reassigned,
    metric_of_a_pair,
    objects_in,
    share_of_a_reassigned_pair,
    value_of_the_random_labeler,
)
from tools.papers.comparison import GLUE, Comparison, Picture, Section, of_metrics, value_cell

__all__ = ["hurley_sections", "steingold_sections"]


def hurley_sections() -> Iterator[Section]:
    """The moments of slides 21 and 22, of a table of ours."""
    nu = np.asarray(table_of("ww_nu").counts).astype(int).tolist()
    rows = [
        [figure.as_printed.partition(" (Wol")[0].replace(" (double series, 60 terms)", ""),
         f"{figure.recomputed['formula']:.6f}", f"{figure.recomputed['monte_carlo']:.6f}", f"{moment(figure):.6f}"]
        for figure in figures()
        if figure.paper == "hurley2014" and figure.input == "ww_nu"
    ]  # fmt: skip
    yield Comparison(
        "Wolpert and Wolf's moments (slides 21 and 22), nats",
        ["moment", "formula", "4,000,000 draws", "ours"],
        rows,
        f"The slides print formulas, but neither a table nor values. The table is ours: ν = {nu}. The formulas were "
        "evaluated independently, term by term; in E_IN, θ(0) is 1, the 1 that is missing from our copy of its single "
        "sum was added (see below), and the double series was cut off after 60 terms.",
    )
    yield Picture("stability", "Loss of precision of the printed double sum")
    yield Picture("confusion-given-truth", "P(decision given truth) side by side")


def steingold_sections() -> Iterator[Section]:
    """Predictors of section 2, then the labelers of section 4."""
    yield Comparison(
        "Predictors of sections 2.2 and 2.3, percent",
        ["predictor", *(catalogue[metric].title for metric in steingold.PERCENT)],
        of_metrics(steingold.PERCENT, steingold.TABLES, scale=100),
        "Figure 1 goes from a perfect predictor (i0) to its negation (i200); for each pair A and B the metrics "
        "disagree about which is better. Printed values, and ours in brackets.",
    )
    yield Picture("metric-curves", "Figure 1")
    yield _table_1()
    yield _after_reassignment()
    yield from (_reassigned(where) for where in ("Table 2", "Table 3", "Table 4"))
    yield _random_labeler()


def _of(where: str, printed: str = "") -> list[Figure]:
    return [
        figure
        for figure in figures()
        if figure.paper == "steingold2016" and figure.where == where and figure.as_printed.startswith(printed)
    ]


def _cell(figure: Figure, ours: Callable[[Figure], float]) -> str:
    return value_cell(figure.printed, ours(figure), 100 if figure.unit == "%" else 1)


def _reassigned_verbatim(first: int, second: int) -> int:
    """Return how many categories of two labelers the best renaming changes, white space and all."""
    pair = align_label_sets(*(read_label_lists(labeler(number)) for number in (first, second)))
    return int(np.count_nonzero(assign_categories(pair, pair.joint_counts()) != np.arange(len(pair.categories))))


def _table_1() -> Comparison:
    counts = {figure.input: figure for figure in _of("Table 1") if figure.unit != "%"}
    shown = [figure for figure in _of("Table 1") if figure.unit == "%"]
    rows = []
    for pair, group in groupby(shown, key=lambda figure: figure.input or ""):
        fewest, most = fewest_and_most_reassigned(counts[pair])
        ours = f"{fewest}" if fewest == most else f"{fewest} to {most}"
        moved = f"{counts[pair].printed}{GLUE}({ours})"
        rows.append([pair.replace("|", " and "), *(_cell(figure, metric_of_a_pair) for figure in group), moved])
    columns = dict.fromkeys(figure.as_printed for figure in shown)
    stand = " and ".join(f"{_reassigned_verbatim(*pair)}" for pair in PAIRS).replace(" and ", ", ", 1)
    return Comparison(
        "KDD Cup 2005 labelers (Table 1), percent",
        ["pair", *columns, "reassigned categories"],
        rows,
        "The first is taken as the truth. Labels exactly as in the files, including trailing spaces; but the numbers "
        "of reassigned categories, like Tables 2 to 4, are those of stripped lines. Several assignments are optimal "
        "where categories share nothing; in brackets are the fewest and the most that they reassign. The paper has no "
        "rule for such ties: the authors' program, run on stripped lines with Python 2.7 and munkres 1.0.6, gives the "
        "printed numbers by the order of a Python 2 set. Infoscope reassigns the fewest. `infoscope agree "
        f"labeler1.txt labeler2.txt labeler3.txt --plain` shows this table, but counts {stand} reassigned categories "
        "in the files as they are.",
    )


LAST_PAIR = (3, 1)
"""Labelers of Table 4."""


def _after_reassignment() -> Comparison:
    printed = {row.metric.partition(" ")[0]: row.printed.removesuffix("%") for row in labelers_of_the_papers()}
    metrics = {"precision": "permuted_precision", "recall": "permuted_recall", "F1": "permuted_f1"}
    rows = []
    for pair in ((1, 2), (2, 3), LAST_PAIR):
        ours = [verbatim(*pair).systems[0].value(metric) or 0 for metric in metrics.values()]
        known = pair == LAST_PAIR
        cells = [
            value_cell(printed[name], value, 100) if known else f"({100 * value:.3f})"
            for name, value in zip(metrics, ours, strict=True)
        ]
        rows.append([f"labeler{pair[0]} and labeler{pair[1]}", *cells])
    return Comparison(
        "After reassignment, percent",
        ["pair", *metrics],
        rows,
        "Micro averages with the categories reassigned. For the last pair the output of the authors' program is known.",
    )


def _reassigned_head(first: str, second: str) -> list[str]:
    return [
        f"category of {first}",
        f"reassigned to, of {second}",
        "α_c, percent",
        f"objects, {first}",
        f"objects, {second}",
    ]


def _reassigned(where: str) -> Comparison:
    moves = _of(where, "alpha_c")
    sizes = _of(where, "N of")
    rows = []
    for at, figure in enumerate(moves):
        found = REASSIGNED.fullmatch(figure.as_printed)
        assert found is not None
        counts = [_count(size) for size in sizes[2 * at : 2 * at + 2]]
        rows.append([_category(found[1]), _category(found[2]), _cell(figure, share_of_a_reassigned_pair), *counts])
    first, second = (moves[0].input or "").split("|")
    return Comparison(
        f"Reassigned categories of {first} and {second} ({where})",
        _reassigned_head(first, second),
        rows,
        "Lines are stripped, so the last label of a line loses its trailing space: `infoscope multilabel "
        f"{first}.txt {second}.txt --read format=stripped_lists --plain` lists these. Rows of 0.00 are ties.",
    )


def _count(figure: Figure) -> str:
    return f"{figure.printed} ({objects_in(figure):.0f})"


def _category(name: str) -> str:
    return name.replace("\\", " › ")


def _random_labeler() -> Comparison:
    shown = sorted(_of("sec. 4.5 random labeler"), key=lambda figure: figure.input or "")
    rows = [
        [labeler, *(_cell(figure, value_of_the_random_labeler) for figure in group)]
        for labeler, group in groupby(shown, key=lambda figure: figure.input or "")
    ]
    return Comparison(
        "The random labeler (section 4.5)",
        ["labeler", *(figure.as_printed for figure in shown if figure.input == "labeler1")],
        rows,
        "Each labeler against its own sets in random order: `infoscope multilabel labeler1.txt labeler1.txt --plain`.",
    )
