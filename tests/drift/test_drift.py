"""Drift: what systems were shown, how they relate, and the chance of it."""

import itertools
import json
import re
from html import unescape
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2, ncx2

import infoscope as ifs
from infoscope.errors import InputError, UnknownNameError
from tests.api import compare_periods, permuted_p_value
from tests.reference import reference_file, why_absent

ABSENT = why_absent("oracle_without_truth.json")


def rows(table: np.ndarray) -> dict[str, np.ndarray]:
    first, second = np.nonzero(table)
    return {"a": np.repeat(first, table[first, second]), "b": np.repeat(second, table[first, second])}


@pytest.mark.skipif(ABSENT is not None, reason=str(ABSENT))
def test_reference_figures() -> None:
    document = json.loads(reference_file("oracle_without_truth.json").read_text(encoding="utf-8"))
    for each in document["drift"]:
        found = ifs.drift(rows(np.array(each["before (first × second)"])), rows(np.array(each["after"])))
        pair = found.pair("a", "b")
        assert pair.both.information == pytest.approx(each["I(A,B;P) bits"], abs=1e-9)
        assert pair.both.p_chi_square == pytest.approx(each["p chi-square of it"], abs=1e-9)
        assert pair.first_alone.information == pytest.approx(each["I(A;P) bits"], abs=1e-9)
        assert pair.second_given_first.information == pytest.approx(each["I(B;P|A) bits"], abs=1e-9)
        assert pair.second_given_first.p_chi_square == pytest.approx(each["p chi-square of I(B;P|A)"], abs=1e-9)
        drawn = each["p permutation of I(B;P|A), tolerance 0.03"]
        assert pair.second_given_first.p_value == pytest.approx(drawn, abs=0.03)
        assert pair.variation_of_information == pytest.approx(each["variation before, after"], abs=1e-9)
    for each in document["permutation"]:
        part = compare_periods([np.array(each["table"])], 999, 0.05, 3)
        assert part.information == pytest.approx(each["mutual information"], abs=1e-9)
        assert part.p_value == pytest.approx(each["exact permutation p"], abs=0.04)


def information(table: np.ndarray) -> float:
    p = table / table.sum()
    outer = p.sum(axis=1, keepdims=True) * p.sum(axis=0, keepdims=True)
    return float((p[p > 0] * np.log2(p[p > 0] / outer[p > 0])).sum())


def test_permutation_against_exact_enumeration() -> None:
    """All ways to deal the rows of two strata to the periods."""
    strata = [np.array([[1, 3], [9, 2]]), np.array([[2, 0], [1, 5]])]
    total = sum(table.sum() for table in strata)

    def ways(table: np.ndarray) -> list[tuple[np.ndarray, int]]:
        labels, before = table.sum(axis=0), table[0].sum()
        found = []
        for first in range(labels[0] + 1):
            second = before - first
            if 0 <= second <= labels[1]:
                row = np.array([first, second])
                found.append((np.stack([row, labels - row]), comb(labels[0], first) * comb(labels[1], second)))
        return found

    def bits(tables: list[np.ndarray]) -> float:
        return sum(table.sum() * information(table) for table in tables) / total

    seen = bits(strata)
    chosen = [(bits([one, two]), m * n) for (one, m), (two, n) in itertools.product(*map(ways, strata))]
    exact = sum(m for value, m in chosen if value >= seen - 1e-12) / sum(m for _, m in chosen)
    part = compare_periods(strata, 5000, 0.05, 1)

    assert part.information == pytest.approx(seen, abs=1e-12)
    assert part.p_value == pytest.approx(exact, abs=0.05)


def test_draws_that_were_not_made_do_not_count() -> None:
    """Every table has as much information as this one, so that drawing stops early and P is 1."""
    assert permuted_p_value([np.array([[5, 5], [5, 5]])], 100_000, np.random.default_rng(3)) == 1.0


def test_chain_rule_and_symmetry() -> None:
    rng = np.random.default_rng(2)
    before, after = rng.integers(0, 30, (3, 4)), rng.integers(0, 30, (3, 4))
    pair = ifs.drift(rows(before), rows(after)).pair("a", "b")
    whole = pair.both.information

    assert pair.first_alone.information + pair.second_given_first.information == pytest.approx(whole, abs=1e-12)
    assert pair.second_alone.information + pair.first_given_second.information == pytest.approx(whole, abs=1e-12)
    back = ifs.drift(rows(after), rows(before)).pair("b", "a")
    assert back.both.information == pytest.approx(whole, abs=1e-12)


def test_the_smallest_change_is_found_with_probability_eight_tenths() -> None:
    table = np.array([[300, 200, 100], [310, 190, 100]])
    part = compare_periods([table], 99, 0.05, 0)
    away = part.smallest_found * 2 * table.sum() * np.log(2)
    critical = 5.991464547107979  # χ² of two degrees at 5%
    assert ncx2.sf(critical, 2, away) == pytest.approx(0.8, abs=1e-6)


def world(n: int, rng: np.random.Generator, right: float = 0.85, mix: tuple[float, ...] = (0.4, 0.3, 0.3)) -> dict:
    truth = rng.choice(3, n, p=mix)
    shares = {"a": 0.85, "b": 0.85, "c": right}
    return {name: np.where(rng.random(n) < share, truth, rng.integers(3, size=n)) for name, share in shares.items()}


def test_the_system_that_changed_is_named() -> None:
    rng = np.random.default_rng(3)
    found = ifs.drift(world(2000, rng), world(2000, rng, right=0.5))

    assert found.changed == ("c",)
    assert found.findings[0].code == "system_changed"
    assert found.pair("a", "b").p_adjusted > 0.05
    assert {f.code for f in found.findings} >= {"relation_changed", "same_items"}


def test_another_mix_of_items_is_told_from_another_relation() -> None:
    rng = np.random.default_rng(4)
    found = ifs.drift(world(1500, rng), world(1500, rng, mix=(0.55, 0.25, 0.2)))

    assert "items_changed" in {f.code for f in found.findings}
    assert not found.changed
    assert all(system.p_adjusted < 0.05 for system in found.systems)


@pytest.mark.slow
def test_nothing_changes_seldom_alarms() -> None:
    alarms = 0
    for seed in range(40):
        rng = np.random.default_rng([9, seed])
        found = ifs.drift(world(300, rng), world(300, rng), permutations=199)
        alarms += any(pair.p_adjusted <= 0.05 for pair in found.pairs)
        assert "no_relation_changed" in {f.code for f in found.findings} or alarms
    assert alarms <= 6


def test_periods_of_one_source(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    parts = [pd.DataFrame(world(300, rng)).assign(month=month) for month in ("2026-01", "2026-02", "2026-03")]
    frame = pd.concat(parts, ignore_index=True)
    frame.to_csv(tmp_path / "rows.csv", index=False)
    apart = ifs.drift(parts[0], parts[1], system=["a", "b"])
    for source in (frame, tmp_path / "rows.csv"):
        found = ifs.drift(source, system=["a", "b"], by="month", before="2026-01", after="2026-02")
        assert found.pairs[0].both.information == pytest.approx(apart.pairs[0].both.information)
        assert (found.before, found.after, found.items) == ("2026-01", "2026-02", (300, 300))


@pytest.mark.parametrize(
    ("values", "asked"),
    [
        (pd.to_datetime(["2026-01-01", "2026-02-01"]), pd.to_datetime(["2026-01-01", "2026-02-01"])),
        (["1", "2"], [1, 2]),
        ([1, 2], ["1", "2"]),
    ],
)
def test_periods_are_found_as_other_labels_are(values: Any, asked: Any) -> None:
    """Midnights were not among the dates of a column, nor numbers among the texts of a CSV file."""
    source = {"a": ["x", "y"] * 4, "b": ["x", "y"] * 4, "m": [*values] * 4}
    found = ifs.drift(source, by="m", before=asked[0], after=asked[1], permutations=99)
    assert found.items == (4, 4)


A, B = {"a": ["x", "y"], "b": ["x", "y"]}, {"a": ["x", "y"], "b": ["y", "x"]}


OLD = {"a": ["x", "y"] * 20, "b": ["x", "y"] * 20}
NUMBERS, TEXT = {"a": [1, 2] * 20, "b": [1, 2] * 20}, {"a": ["1", "2"] * 20, "b": ["1", "2"] * 20}
MIXED = {"a": NUMBERS["a"], "b": TEXT["b"]}


@pytest.mark.parametrize(
    ("arguments", "said", "error"),
    [
        ({"source": A}, "name the column of the period", InputError),
        ({"source": A, "later": B, "by": "m"}, "give two sources, or one with by=", InputError),
        ({"source": {"a": ["x"]}, "later": {"a": ["x"]}}, "two systems or more", InputError),
        ({"source": A, "later": B, "system": ["a", "a"]}, "'a' is named twice", InputError),
        ({"source": "rows.csv", "later": "more.csv"}, "name the columns of the systems", InputError),
        ({"source": A | {"m": ["1", "2"]}, "by": "m", "before": "1", "after": "1"}, "both '1'", InputError),
        (
            {"source": A, "later": B, "permutations": 9},
            "permutations must be a whole number of 99 or more, got 9",
            InputError,
        ),
        ({"source": A, "later": B, "level": 5}, "level must be between 0 and 1", InputError),
        (
            {"source": A | {"m": ["1", "2"]}, "by": "m", "before": "1", "after": "3"},
            "column 'm' has no value '3'; it has '1', '2'",
            UnknownNameError,
        ),
        (
            {"source": OLD, "later": OLD | {"a": ["p", "q"] * 20}},
            "'a' has no label in common between the periods",
            InputError,
        ),
        ({"source": OLD, "later": OLD | {"a": [None] * 40}}, "'a' has no label in the second period", InputError),
        ({"source": MIXED, "later": MIXED}, "look alike but are different labels", InputError),
        (
            {"source": MIXED | {"m": [1, 2] * 20}, "by": "m", "before": 1, "after": 2},
            "look alike but are different labels",
            InputError,
        ),
        (
            {"source": NUMBERS, "later": TEXT},
            r"in the first period 'a' has 1 .* and in the second period '1'",
            InputError,
        ),
    ],
)
def test_rejections(arguments: dict[str, object], said: str, error: type[ifs.InfoscopeError]) -> None:
    with pytest.raises(error, match=said):
        ifs.drift(**arguments)  # type: ignore[arg-type]


def test_numbers_that_measure_are_no_labels() -> None:
    rng = np.random.default_rng(8)
    scores = {"a": rng.random(60), "b": rng.integers(2, size=60)}
    measured = r"column 'a' holds \d+ different numbers in 120 rows: scores or measurements, and no labels; cut them"
    with pytest.raises(InputError, match=measured):
        ifs.drift(scores, {name: values[::-1] for name, values in scores.items()})
    with pytest.raises(InputError, match="column 'a' holds 60 different numbers in 60 rows: scores"):
        ifs.agreement(scores)
    numbers = {name: rng.random(60) for name in "ab"}
    assert ifs.agreement(numbers, scale="interval", draws=0).scale == "interval"
    ratings = {name: rng.choice([1.0, 1.5, 2.0, 2.5, 3.0], 60) for name in "ab"}
    assert ifs.drift(ratings, ratings).changed == ()
    ids = {"a": [f"id-{at}" for at in range(30)], "b": ["x", "y"] * 15, "c": ["x", "y"] * 15}
    with pytest.raises(InputError, match="column 'a' holds 30 different values in 30 rows and none of them is a label"):
        ifs.latent_truth(ids)


def test_rows_without_a_label_are_said():
    first = {"a": ["x", "y", None, "y"] * 10, "b": ["x", "y"] * 20}
    found = ifs.drift(first, {"a": ["x", "y"] * 20, "b": ["x", "y"] * 20}, permutations=99)

    (gap,) = [finding.text for finding in found.findings if finding.code == "missing_values"]
    assert gap == "'a' has no label in 10 of 80 rows; its tests use the others."
    seen, consequence = "'a' has no label in 10 of 80 rows.", "Its tests use the others."
    assert re.search(f"{seen}<.*?>{consequence}<", unescape(found.to_html()))


@pytest.mark.parametrize("labels", [2, 3, 4, 5])
@pytest.mark.parametrize("times", [1, 3, 7])
def test_equal_proportions_are_a_document_that_can_be_loaded(labels: int, times: int, tmp_path: Path) -> None:
    """Equal periods have no information about the period, and a p-value of 1, whatever is rounded."""
    for size in range(1, 7):
        first = [f"c{i % labels}" for i in range(labels * size * 3)]
        second = [f"d{(i // 2) % labels}" for i in range(labels * size * 3)]
        found = ifs.drift({"a": first, "b": second}, {"a": first * times, "b": second * times}, permutations=99)
        for part in (found.pairs[0].both, found.pairs[0].second_given_first, found.systems[0].shown):
            assert part.information == pytest.approx(0.0, abs=1e-12)
            assert part.p_chi_square == pytest.approx(1.0)
        (tmp_path / "drift.json").write_text(found.to_json(), encoding="utf-8")
        assert ifs.load(tmp_path / "drift.json").to_json() == found.to_json()


def test_equal_periods_change_by_zero_bits_and_not_by_a_rounding_error() -> None:
    rng = np.random.default_rng(8)
    for size in rng.integers(7, 400, 60).tolist():
        first, second = rng.integers(0, 5, (2, size)).tolist()
        labels = {"a": first + first, "b": second + second, "month": ["early"] * size + ["late"] * size}

        drift = ifs.drift(labels, system=["a", "b"], by="month", before="early", after="late", permutations=99)

        assert drift.pairs[0].information == 0.0


def test_a_change_of_zero_bits_is_never_said_to_be_found() -> None:
    copied = {"a": ["x", "y"] * 40, "b": ["p", "q"] * 40}
    found = ifs.drift(copied, copied)
    (text,) = [finding.text for finding in found.findings if finding.code == "no_relation_changed"]
    assert "always comes with the same label" in text
    assert found.pairs[0].second_given_first.smallest_found is None
    many = ifs.Contingency.from_matrix([[10**9, 10**8], [10**8, 10**9]])
    tables = [np.asarray(many.counts, dtype=np.int64)] * 2
    part = compare_periods([np.stack(rows) for rows in zip(*tables, strict=True)], 99, 0.05, 0)
    assert part.smallest_found is not None
    assert 0 < part.smallest_found < 1e-8


def test_the_smallest_change_allows_for_all_pairs() -> None:
    """The first step of Holm's correction: three pairs are tested at a third of the level each."""
    rng = np.random.default_rng(5)
    three = [{name: rng.integers(2, size=400) for name in "abc"} for _ in range(2)]
    part = ifs.drift(*three).pair("a", "b").second_given_first
    away = part.smallest_found * 2 * 800 * np.log(2)
    assert ncx2.sf(chi2.isf(0.05 / 3, 2), 2, away) == pytest.approx(0.8, abs=1e-6)


def test_agreement_is_the_share_of_equal_labels() -> None:
    rng = np.random.default_rng(8)
    before, after = (
        {"a": rng.integers(0, 3, 90), "b": rng.integers(0, 4, 90)},  # b has a label that a never uses
        {"a": rng.integers(0, 3, 70), "b": rng.integers(0, 4, 70)},
    )
    found = ifs.drift(before, after, permutations=99)
    expected = tuple(float(np.mean(period["a"] == period["b"])) for period in (before, after))
    assert found.pair("a", "b").agreement == pytest.approx(expected)
    shown = " ".join(found.to_text().split())
    assert f"a and b agree on {expected[1]:.1%} of the items, {expected[0]:.1%} before" in shown
