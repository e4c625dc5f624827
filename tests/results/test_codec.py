"""Dataclasses to JSON and back, and what is rejected."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import infoscope as ifs
from infoscope import Difference, Estimate
from infoscope.errors import InputError
from tests.api import Json, app, decode, encode, json_schema
from tests.results.examples import example


@dataclass(frozen=True)
class Part:
    name: str
    size: float
    tag: str = ""


@dataclass(frozen=True)
class Whole:
    parts: tuple[Part, ...]
    pair: tuple[str, int]
    mode: Literal["a", "b"]
    by_name: Mapping[str, Part]
    numbers: Sequence[float]
    anything: Mapping[str, Json]
    maybe: Part | None = None
    inside: Mapping[str, Estimate] = field(default_factory=dict, metadata={"flatten": True})
    hidden: object = field(default=None, metadata={"stored": False})


WHOLE = Whole(
    (Part("x", 1.5), Part("y", 2, "tagged")),
    ("p", 3),
    "b",
    {"x": Part("x", 0.0)},
    [1.0, 2.5],
    {"deep": [{"er": None}]},
    inside={"recall": Estimate(0.5, 0.4, 0.1, 0.2, 0.6)},
    hidden=object(),
)


def test_a_document_reads_back_to_the_same_document():
    record = encode(WHOLE)
    assert encode(decode(Whole, record)) == record
    assert decode(Whole, record).parts == WHOLE.parts
    assert "hidden" not in record
    assert "maybe" not in record
    assert record["recall"] == {"value": 0.5, "shown": 0.5, "mean": 0.4, "sd": 0.1, "low": 0.2, "high": 0.6}


def test_numbers_of_numpy_become_plain_and_what_is_not_finite_becomes_null():
    record = encode({"a": np.float64(1.5), "b": np.int64(2), "c": np.array([1.0, np.nan]), "d": float("inf")})
    assert record == {"a": 1.5, "b": 2, "c": [1.0, None], "d": None}
    assert type(record["b"]) is int


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"parts": "x"}, "parts is 'x'; a list is required"),
        ({"parts": [{"name": "x"}]}, "parts[0] lacks 'size'"),
        ({"parts": [{"name": "x", "size": "1"}]}, "parts[0].size is '1'; a number is required"),
        ({"parts": [{"name": 1, "size": 1}]}, "parts[0].name is 1; text is required"),
        ({"pair": ["p"]}, "pair has 1 items; 2 are required"),
        ({"mode": "c"}, "mode is 'c'; one of 'a', 'b' is required"),
        ({"by_name": []}, "by_name is []; an object is required"),
        ({"numbers": [True]}, "numbers[0] is True; a number is required"),
        ({"maybe": 3}, "maybe is 3; an object is required"),
        ({"recall": "high"}, "an estimate is 'high'"),
    ],
)
def test_what_does_not_fit_is_rejected_with_its_place(change, words):
    with pytest.raises(InputError) as error:
        decode(Whole, encode(WHOLE) | change)
    assert words in str(error.value)


def test_the_schema_describes_what_is_written():
    jsonschema = pytest.importorskip("jsonschema")
    schema = json_schema(Whole, "whole", schema="infoscope/whole/2")
    jsonschema.Draft202012Validator.check_schema(schema)
    document = {"schema": "infoscope/whole/2", **encode(WHOLE)}
    jsonschema.validate(document, schema)
    for broken in ({"mode": "c"}, {"parts": 3}, {"schema": "other"}, {"recall": {"worth": 1}}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(document | broken, schema)


numbers = st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False))


@given(numbers, numbers, st.none() | st.floats(0, 1e300), numbers, numbers, st.booleans())
def test_estimates_read_back(value, mean, sd, low, high, corrected):
    corrected = corrected and mean is not None
    estimate = Estimate(value, mean, sd, low, high, corrected=corrected)
    assert decode(Estimate, encode(estimate)) == estimate


@given(mean=st.floats(-1, 1), sd=st.floats(0, 1), p=st.floats(0, 1))
def test_a_difference_reversed_twice_is_itself(mean, sd, p):
    estimate = Estimate(mean, mean, sd, mean - sd, mean + sd)
    pair = Difference("a", "b", "proficiency", estimate, p, paired=True, verdict="better", correlation=0.5)
    back = pair.reversed()
    assert (back.a, back.b, back.verdict) == ("b", "a", "worse")
    assert back.estimate.low == -estimate.high
    again = back.reversed()
    assert again.estimate == estimate
    assert again.verdict == pair.verdict
    assert again.probability_a_better == pytest.approx(p)


def test_the_number_shown_first_is_the_samples_or_a_corrected_one_within_its_interval():
    assert Estimate(0.537, 0.449, 0.003, 0.443, 0.454).shown == 0.537
    assert Estimate(0.537, 0.449, 0.003, 0.443, 0.454, corrected=True).shown == 0.449
    assert Estimate(3.0, 9.0, 5.0, 2.0, 8.0, corrected=True).shown == 3.0  # a mean beyond the interval
    assert Estimate(10.0, 9.0, 5.0, 2.0, 8.0, corrected=True).shown == 8.0
    assert Estimate(0.537).shown == 0.537
    assert Estimate.of(float("nan"), "the truth has only one class").shown is None


def test_fields_that_do_not_fit_each_other_are_a_sentence_in_every_form(tmp_path: Path) -> None:
    document = example("comparison").to_dict()
    document["ranking"] = []
    path = tmp_path / "comparison.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    loaded = ifs.load(path)
    sentence = re.escape(f"{path}: its fields do not fit each other (IndexError: ")
    for form in (loaded.to_text, loaded.to_markdown, loaded.to_html, loaded._repr_html_, loaded.__repr__):
        with pytest.raises(InputError, match=f"^{sentence}.*; restore it, or write it again$"):
            form()
    shown = CliRunner().invoke(app, ["show", str(path)])
    assert (shown.exit_code, shown.output.count("\n")) == (2, 1)
    assert "do not fit each other" in shown.output


def _without_a_value() -> dict[str, Any]:
    document = example("comparison").to_dict()
    document["ranking"][0]["places"][1]["estimate"] = {"value": None}
    document["ranking"][0]["uninformative"] = [document["ranking"][0]["places"][1]["name"]]
    return document


def _without_scores() -> dict[str, Any]:
    document = example("cross-validation").to_dict()
    document["estimators"][1]["scores"] = {}
    return document


@pytest.mark.parametrize("made", [_without_a_value, _without_scores])
def test_what_a_view_takes_for_granted_is_a_sentence_where_it_lacks(made: Callable[[], Any], tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    path.write_text(json.dumps(made()), encoding="utf-8")
    with pytest.raises(InputError, match=f"^{re.escape(str(path))}: its fields do not fit each other"):
        ifs.load(path).to_html()


def test_axes_that_are_none_and_other_words_of_the_caller_are_no_fault_of_the_file(tmp_path: Path) -> None:
    example("comparison").save(tmp_path / "comparison.json")
    stored = ifs.load(tmp_path / "comparison.json")
    with pytest.raises(AttributeError, match="figure"):
        stored.plot(ax=[])  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"width is 80\.5; give a whole number"):
        stored.to_text(width=80.5)  # type: ignore[arg-type]


def test_numbers_too_large_for_arrays(tmp_path: Path) -> None:
    document = example("calibration").to_dict()
    path = tmp_path / "calibration.json"
    for number, fits in ((10**30, True), (10**400, False)):
        path.write_text(json.dumps(document | {"bits_lost": number}), encoding="utf-8")
        if fits:
            assert ifs.load(path).bits_lost == float(number)
        else:
            with pytest.raises(InputError, match=r"calibration.json: the document.bits_lost is too large for a number"):
                ifs.load(path)
