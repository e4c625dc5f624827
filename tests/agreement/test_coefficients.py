"""Agreement of many annotators: published figures, definitions spelt out, and what is rejected."""

import json

import numpy as np
import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

import infoscope as ifs
from infoscope.errors import InputError
from tests.agreement.test_agreement import FOUR
from tests.api import all_metrics, app

FOURTEEN = [
    [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
]  # fmt: skip
"""Fourteen annotators, ten items: how many chose each of five categories, the usual textbook example (κ = 0.210)."""


def run(*words: str) -> Result:
    return CliRunner().invoke(app, words)


def by_annotator(counts: list[list[int]]) -> dict[str, list[int]]:
    rows = [np.repeat(np.arange(len(line)), line).tolist() for line in counts]
    return {f"annotator {at}": list(labels) for at, labels in enumerate(zip(*rows, strict=True))}


@pytest.mark.slow
def test_fleiss_and_randolph_as_in_the_textbook() -> None:
    found = ifs.agreement(by_annotator(FOURTEEN), draws=50).coefficients

    assert found["fleiss_kappa"].value == pytest.approx(0.210, abs=5e-4)
    assert found["observed_agreement"].value == pytest.approx(0.378, abs=5e-4)
    assert found["randolph_kappa"].value == pytest.approx((0.378 - 0.2) / 0.8, abs=1e-3)
    for each in found.values():
        assert each.low is not None
        assert each.low <= each.value <= each.high


def test_of_two_annotators_gwet_is_that_of_the_table() -> None:
    rng = np.random.default_rng(5)
    a = rng.integers(3, size=60)
    b = np.where(rng.random(60) < 0.6, a, rng.integers(3, size=60))

    found = ifs.agreement({"a": a, "b": b}, draws=0).coefficients
    assert found["gwet_ac1"].value == pytest.approx(float(ifs.metrics.gwet_ac1(a, b)), rel=1e-12)
    assert found["observed_agreement"].value == pytest.approx((a == b).mean())


@pytest.mark.slow
@pytest.mark.parametrize(("scale", "alpha"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_alpha_on_each_scale_as_published(scale: str, alpha: float) -> None:
    """Krippendorff 2011, section D."""
    found = ifs.agreement(FOUR, scale=scale, draws=20)

    assert found.krippendorff_alpha.value == pytest.approx(alpha, abs=5e-4)
    assert found.scale == scale
    if scale != "nominal":
        assert f"alpha ({scale})" in repr(found)


def alpha_by_pairs(rows: list[list[int | None]], *, ranks: bool) -> float:
    """Krippendorff's definition, pair by pair, with his distance of ranks summed over the ranks between."""
    units = [[v for v in unit if v is not None] for unit in zip(*rows, strict=True)]
    units = [unit for unit in units if len(unit) > 1]
    every = [v for unit in units for v in unit]
    times = [every.count(v) for v in range(4)]

    def apart(a: int, b: int) -> float:
        low, high = min(a, b), max(a, b)
        return (sum(times[low : high + 1]) - (times[a] + times[b]) / 2) ** 2 if ranks else float((a - b) ** 2)

    observed = sum(sum(apart(a, b) for a in unit for b in unit) / (len(unit) - 1) for unit in units)
    expected = sum(apart(a, b) for a in every for b in every) / (len(every) - 1)
    return 1 - observed / expected


@pytest.mark.slow
@settings(max_examples=25)
@given(st.integers(0, 10_000), st.booleans())
def test_alpha_on_a_scale_by_its_definition(seed: int, ranks: bool) -> None:
    rng = np.random.default_rng(seed)
    rows = [[None if x == 4 else int(x) for x in rng.integers(5, size=9)] for _ in range(3)]
    rows[0][0], rows[1][0], rows[0][1], rows[1][1] = 0, 0, 3, 1

    found = ifs.agreement(dict(zip("abc", rows, strict=True)), draws=0, scale="ordinal" if ranks else "interval")
    assert found.krippendorff_alpha.value == pytest.approx(alpha_by_pairs(rows, ranks=ranks), abs=1e-12)
    others = dict(zip("bc", rows[1:], strict=True))
    without = ifs.agreement(others, draws=0, scale=found.scale) if _can_compare(rows[1:]) else None
    if without is not None and without.krippendorff_alpha.value is not None:
        assert found.annotators[0].alpha_without == pytest.approx(without.krippendorff_alpha.value, abs=1e-12)


def _can_compare(rows: list[list[int | None]]) -> bool:
    return any(None not in unit for unit in zip(*rows, strict=True))


def test_an_order_of_names() -> None:
    words = {1: "poor", 2: "fair", 3: "good", 4: "fine", 5: "best"}
    named = {who: [None if x is None else words[x] for x in labels] for who, labels in FOUR.items()}

    found = ifs.agreement(named, ordinal=list(words.values()), draws=0)
    assert found.scale == "ordinal"
    assert found.krippendorff_alpha.value == pytest.approx(0.815, abs=5e-4)


def test_labels_that_are_all_the_same_have_no_agreement_beyond_chance() -> None:
    found = ifs.agreement({"a": [1, 1], "b": [1, 1]}, draws=20, scale="interval")

    assert (
        found.krippendorff_alpha.undefined == found.coefficients["fleiss_kappa"].undefined == "all labels are the same"
    )
    assert found.coefficients["randolph_kappa"].undefined == "only one category is used"
    assert found.coefficients["observed_agreement"].value == 1.0


@pytest.mark.parametrize(
    ("source", "options", "sentence"),
    [
        (FOUR, {"scale": "ratio"}, "scale must be one of 'nominal', 'ordinal', 'interval', got 'ratio'"),
        ({"a": ["x", "y"], "b": ["x", "x"]}, {"scale": "interval"}, "'x' is no number"),
        ({"a": ["x", "y"], "b": ["x", "x"]}, {"scale": "ordinal"}, "state the order with ordinal="),
        ({"a": ["x", "y"], "b": ["x", "x"]}, {"ordinal": ["x", "z"]}, "class 'y' is not in the order"),
        (FOUR, {"scale": "interval", "ordinal": [1, 2, 3, 4, 5]}, "leave one of them out"),
        ({"a": [{"x"}, {"y"}], "b": [{"x"}, {"x"}]}, {"scale": "ordinal"}, "items have several"),
    ],
)
def test_scales_that_do_not_fit_are_rejected(source: object, options: dict[str, object], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        ifs.agreement(source, **options)


@pytest.mark.slow
def test_the_command_line(tmp_path) -> None:
    file = tmp_path / "labels.csv"
    file.write_text("ann,bob\nlow,low\nhigh,mid\nmid,mid\nlow,high\n")

    done = run("agree", str(file), "-s", "ann,bob", "--ordinal", "low,mid,high", "--format", "json", "--draws", "0")
    assert json.loads(done.output)["scale"] == "ordinal"
    wrong = run("agree", str(file), "-s", "ann,bob", "--scale", "interval")
    assert wrong.exit_code == 2
    for entry in all_metrics("annotations"):
        for name in (entry.name, *entry.card.aliases):
            assert run("explain", name).exit_code == 0, name
