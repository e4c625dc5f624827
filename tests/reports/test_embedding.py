"""Data inside pages: what is packed is what is read."""

import base64
import json
from http import HTTPStatus
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infoscope.reports.html.embedding import base85, packed_json, rows_by_column
from tests.reports.pages import certainties, scores
from tests.reports.test_html import embedded, expanded, filled_rows

scalars = st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=8) | st.floats(-1e9, 1e9)
names = st.sampled_from(["a", "b", "10", "9", "0", "01", "²", "label"])
documents = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.dictionaries(names, inner, max_size=4)
        | st.lists(st.fixed_dictionaries({"x": inner, "y": st.floats(0, 1)}), max_size=4)
    ),
    max_leaves=30,
)


@given(st.binary(max_size=300))
def test_base_85_is_that_of_python(data: bytes) -> None:
    assert base85(data) == base64.b85encode(data).decode("ascii").replace("<", ".")


def six_digits(part: Any) -> Any:
    if isinstance(part, float):
        return float(f"{part:.6g}")
    if isinstance(part, dict):
        return {name: six_digits(value) for name, value in part.items()}
    return [six_digits(value) for value in part] if isinstance(part, list) else part


@given(documents)
def test_what_is_packed_is_read_back(document: Any) -> None:
    assert expanded(json.loads(packed_json(document)), []) == six_digits(document)


def test_lists_that_occur_again_are_not_written_again() -> None:
    column = [f"class {at}" for at in range(50)]
    text = packed_json({"one": column, "two": column, "three": [{"label": name} for name in column]})

    assert text.count("class 17") == 1
    assert expanded(json.loads(text), [])["three"][17] == {"label": "class 17"}


def test_names_of_classes_that_are_numbers_do_not_confuse_the_counting() -> None:
    """Objects of JavaScript hold whole numbers first, so lists must be counted in that order."""
    text = packed_json({"b": ["first of the lists"], "10": ["second of the lists"], "9": ["third of the lists"]})

    assert list(json.loads(text)) == ["9", "10", "b"]


def test_numbers_of_other_types_are_numbers() -> None:
    assert packed_json([HTTPStatus.OK, True, None, np.float64(0.25), -0.0]) == "[0,200,true,null,0.25,-0.0]"


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_json_cannot_hold_is_an_error(value: float) -> None:
    for document in (value, [value], [value, None], {"x": [value, 1.0]}):
        with pytest.raises(ValueError, match=r"JSON|Out of range"):
            packed_json(document)


@given(st.lists(st.tuples(st.sampled_from(["1", "22", "a&amp;b", ""]), st.sampled_from(["x", "y"])), min_size=1))
def test_rows_come_back_as_they_were(cells: list[tuple[str, str]]) -> None:
    rows = [f'<tr data-class="{one}"><td class="n">{other}</td><td>{one}</td></tr>' for one, other in cells]

    if len(set(rows)) > 1:
        assert filled_rows(rows_by_column(rows)) == rows


@pytest.mark.slow
@pytest.mark.parametrize("name", ["threshold", "rejection"])
def test_the_document_of_a_sweeps_page_makes_the_same_page(name: str) -> None:
    """The page carries the curves that it shows, not every metric."""
    found = {"threshold": scores, "rejection": certainties}[name]()
    page = str(found.to_html())
    document = embedded(page, "data")["document"]
    again = type(found).from_dict(document)

    assert set(document["metrics"]) < set(found.to_dict()["metrics"])
    assert repr(again) == repr(found)
    assert len(str(again.to_html())) == pytest.approx(len(page), rel=0.01)
