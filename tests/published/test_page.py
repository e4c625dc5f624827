"""The page of published figures is the one that its generator writes."""

import ast
import re

import pytest

from tests.papers.statements import Verdict
from tests.published.elsewhere import (
    HELD,
    other_rows,
    rows_beyond_the_reference_data,
    rows_of_the_papers,
)
from tests.published.figures import figures
from tests.published.ledger import CHECKED_HERE, NOT_CHECKABLE, Fate, claim_of, fate_of, reason_of
from tests.reference import PUBLISHED, ROOT, published_document, why_absent
from tools.published_figures import PAGE, counts_by_paper, write_page

pytestmark = [
    pytest.mark.reference,
    pytest.mark.skipif(why_absent(PUBLISHED) is not None, reason=why_absent(PUBLISHED) or ""),
]


@pytest.mark.slow
def test_committed_page_is_what_the_generator_writes() -> None:
    assert PAGE.read_text(encoding="utf-8") == write_page(), "run `make docs`, and look at what changed"


def test_every_row_is_counted_once() -> None:
    """The rows of the reference data and those that only other tests have, as the page prints the sums."""
    printed = PAGE.read_text(encoding="utf-8")
    counts = counts_by_paper()
    beyond = rows_beyond_the_reference_data()
    said = re.search(
        r"Of (\d+) rows, checked here: (\d+); checked in other tests: (\d+) .*; not checkable: (\d+)\.", printed
    )
    lines = re.findall(r"^\| \[?(\w+)[^|]* \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$", printed, re.MULTILINE)

    assert said is not None
    rows, *parts = map(int, said.groups())
    assert rows == sum(parts) == len(published_document()["figures"]) + len(beyond)
    assert {name: tuple(map(int, found)) for name, *found in lines} == {
        **{name: (c.here, c.elsewhere, c.not_checkable, c.rows) for name, c in counts.items()},
        "all": (*parts, rows),
    }
    for paper, found in counts.items():
        own = sum(entry["paper"] == paper for entry in published_document()["figures"])
        assert found.rows == own + sum(row.paper == paper for row in beyond)


def test_every_row_of_hu_and_wang_is_in_the_reference_data() -> None:
    own = [figure for figure in figures() if figure.paper == "hu2008"]

    assert len({figure.id for figure in own}) == len(own) == 138
    assert not [row for row in rows_beyond_the_reference_data() if row.paper == "hu2008"]


def test_no_printed_value_is_called_unknown() -> None:
    pages = [PAGE, *(ROOT / "docs" / "contributors" / "papers").glob("*.md")]

    assert not [path.name for path in pages if "known here" in path.read_text(encoding="utf-8")]


def test_the_three_kinds_are_all_fates() -> None:
    assert CHECKED_HERE | NOT_CHECKABLE | {Fate.ELSEWHERE} == set(Fate)
    assert not CHECKED_HERE & NOT_CHECKABLE


def test_rows_held_elsewhere_exist_and_so_do_their_tests() -> None:
    held = [fate_of(figure)[1] for figure in figures() if fate_of(figure)[0] is Fate.ELSEWHERE]

    assert {test for _, test in HELD} == set(held)
    for place in {*held, *(row.test for row in other_rows())}:
        path, _, name = place.partition("::")
        tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
        assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}, place


def test_rows_of_the_papers_that_the_reference_data_have_are_the_same_numbers() -> None:
    """The names of the matrices are translated rightly: where both have a row, both print the same."""
    known = {(figure.input, figure.metric): figure for figure in figures() if figure.is_number}
    shared = [row for row in rows_of_the_papers() if (row.input, row.metric) in known]

    assert len(shared) > 100
    for row in shared:
        if "/" not in row.printed:
            assert float(known[row.input, row.metric].published) == float(row.printed), row


def test_no_true_statement_is_filed_as_not_reproduced() -> None:
    """The verdict of a claim is that of the paper's page: a true one is not called wrong, a wrong one says when."""
    claims = {figure.id: (fate_of(figure)[0], claim_of(figure)) for figure in figures()}
    wrong = [claim.verdict for fate, claim in claims.values() if fate is Fate.REFUTED and claim is not None]
    stated = {claim.name for fate, claim in claims.values() if fate is Fate.AS_PRINTED and claim is not None}
    page = PAGE.read_text(encoding="utf-8")

    assert len(wrong) == sum(fate is Fate.REFUTED for fate, _ in claims.values())
    assert Verdict.TRUE not in wrong
    assert {"Property 3", "split triangles"} <= stated
    for part in page.split("### Not reproduced")[1:]:
        assert not re.search(r"Property 3|H\(X\) <= H\(Y\)", part.partition("###")[0])


def test_what_is_public_is_not_called_private() -> None:
    page = PAGE.read_text(encoding="utf-8")

    assert "annotated pages are not public" not in page
    assert "authors' repository" in page


def test_reasons_are_our_own_sentences() -> None:
    """Numbers come from the reference data; no six words of a reason stand there in a row."""
    explained = [figure for figure in figures() if reason_of(figure)]

    assert len(explained) > 90
    for figure in explained:
        theirs = {*_six_words(figure.reason), *_six_words(str(figure.recomputed))}
        assert not theirs & set(_six_words(reason_of(figure))), figure.id


def _six_words(text: str) -> list[tuple[str, ...]]:
    words = re.findall(r"[A-Za-z][\w']*", text.lower())
    return [tuple(words[start : start + 6]) for start in range(len(words) - 5)]
