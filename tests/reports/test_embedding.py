"""Data inside pages: what is packed is what is read."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.api import embed
from tests.reports.pages import certainties, scores
from tests.reports.test_html import embedded as in_page

scalars = st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=8) | st.floats(-1e9, 1e9)
documents = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=30,
)


def six_digits(part: Any) -> Any:
    if isinstance(part, float):
        return float(f"{part:.6g}")
    if isinstance(part, dict):
        return {name: six_digits(value) for name, value in part.items()}
    return [six_digits(value) for value in part] if isinstance(part, list) else part


@given(documents)
def test_what_is_embedded_is_read_back(document: Any) -> None:
    assert in_page(embed(document, "data"), "data") == six_digits(document)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_json_cannot_hold_is_an_error(value: float) -> None:
    for document in (value, [value], [value, None], {"x": [value, 1.0]}):
        with pytest.raises(ValueError, match=r"JSON|Out of range"):
            embed(document)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["threshold", "rejection"])
def test_the_document_of_a_sweeps_page_makes_the_same_page(name: str) -> None:
    """The page carries the curves that it shows, not every metric."""
    found = {"threshold": scores, "rejection": certainties}[name]()
    page = str(found.to_html())
    document = in_page(page, "data")["document"]
    again = type(found).from_dict(document)

    assert set(document["metrics"]) < set(found.to_dict()["metrics"])
    assert repr(again) == repr(found)
    assert len(str(again.to_html())) == pytest.approx(len(page), rel=0.01)
