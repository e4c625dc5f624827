"""Categories called mixed up: rarely by chance, and where annotators do mix them up."""

import re
from collections.abc import Iterator

import numpy as np
import pytest
from scipy.stats import binom

import infoscope as ifs

TRIALS = 40
MOST_BY_CHANCE = int(binom.ppf(0.999, TRIALS, 0.05))
"""Findings that a test at 5 % does not exceed, but for one run in a thousand."""


def frequencies(size: int, skewed: bool) -> np.ndarray:
    weights = 0.6 ** np.arange(size) if skewed else np.ones(size)
    return weights / weights.sum()


def found(answers: dict[str, list[object]]) -> set[tuple[str, str]]:
    return {(each.first_category, each.second_category) for each in ifs.agreement(answers, draws=0).confused}


def trials(seed: int) -> Iterator[np.random.Generator]:
    return iter(np.random.default_rng(seed).spawn(TRIALS))


@pytest.mark.slow
@pytest.mark.parametrize("skewed", [False, True])
@pytest.mark.parametrize(("size", "n"), [(2, 300), (3, 50), (3, 300), (5, 300), (10, 1000), (20, 300)])
def test_independent_annotators_seldom_mix_up_anything(size: int, n: int, skewed: bool) -> None:
    shares = frequencies(size, skewed)
    pairs = ({name: rng.choice(size, n, p=shares).tolist() for name in "ab"} for rng in trials(size * n))

    assert sum(bool(found(pair)) for pair in pairs) <= MOST_BY_CHANCE


@pytest.mark.slow
def test_gaps_and_other_frequencies_change_nothing_about_it() -> None:
    count = 0
    for rng in trials(5):
        drawn = {name: rng.choice(4, 300, p=rng.permutation(frequencies(4, skewed=True))).tolist() for name in "ab"}
        count += bool(found({name: [None if rng.random() < 0.3 else x for x in some] for name, some in drawn.items()}))

    assert count <= MOST_BY_CHANCE


@pytest.mark.slow
@pytest.mark.parametrize("size", [3, 8])
def test_independent_label_sets_seldom_mix_up_anything(size: int) -> None:
    count = 0
    for rng in trials(6):
        given = rng.random((2, 200, size)) < np.minimum(1.0, rng.gamma(2.0, 0.2, size=(2, 200, 1)))
        sides = ([set(np.flatnonzero(row).tolist()) for row in side] for side in given)
        count += bool(found(dict(zip("ab", sides, strict=True))))

    assert count <= MOST_BY_CHANCE


@pytest.mark.slow
@pytest.mark.parametrize("skewed", [False, True])
@pytest.mark.parametrize("by_frequency", [False, True])
def test_slips_to_any_category_are_no_mix_up(by_frequency: bool, skewed: bool) -> None:
    shares = frequencies(5, skewed)
    count = 0
    for rng in trials(7):
        truth = rng.choice(5, 1000, p=shares)
        slips = shares if by_frequency else None
        sides = {n: np.where(rng.random(1000) < 0.1, rng.choice(5, 1000, p=slips), truth).tolist() for n in "ab"}
        count += bool(found(sides))

    assert count <= MOST_BY_CHANCE


def mixing(rng: np.random.Generator, size: int, n: int, share: float) -> dict[str, list[int]]:
    """They agree but for 5 % slips, and the second takes the categories 0 and 1 for one another."""
    truth = rng.integers(size, size=n)
    a, b = (np.where(rng.random(n) < 0.05, rng.integers(size, size=n), truth) for _ in "ab")
    return {"a": a.tolist(), "b": np.where((b < 2) & (rng.random(n) < share), 1 - b, b).tolist()}


@pytest.mark.slow
@pytest.mark.parametrize("size", [3, 5, 10])
def test_two_categories_mixed_up_are_found_and_no_others(size: int) -> None:
    for rng in list(trials(8))[:20]:
        pairs = found(mixing(rng, size, 400, 0.4))

        assert pairs == {("0", "1"), ("1", "0")}


def test_categories_mixed_up_in_one_direction_are_found_in_it() -> None:
    rng = np.random.default_rng(9)
    truth = rng.integers(4, size=400)
    b = np.where((truth == 2) & (rng.random(400) < 0.3), 3, truth)

    assert found({"a": truth.tolist(), "b": b.tolist()}) == {("2", "3")}


def test_two_categories_swapped_throughout_are_found_although_they_never_agree() -> None:
    rng = np.random.default_rng(10)
    a = rng.integers(2, size=100)

    assert found({"a": a.tolist(), "b": (1 - a).tolist()}) == {("0", "1"), ("1", "0")}


def test_categories_mixed_up_in_label_sets_are_found() -> None:
    rng = np.random.default_rng(11)
    given = rng.random((400, 6)) < 0.3
    swapped = given.copy()
    there = rng.random(400) < 0.4
    swapped[there, 4], swapped[there, 5] = given[there, 5], given[there, 4]
    sides = {n: [set(np.flatnonzero(row).tolist()) for row in side] for n, side in (("a", given), ("b", swapped))}

    assert found(sides) == {("4", "5"), ("5", "4")}


def test_expected_count_is_what_pairing_the_items_anew_gives() -> None:
    """Sets of two out of 0, 1, 2 or out of 3, 4, 5, and the second annotator says 3 more or less: all are swapped."""
    rng = np.random.default_rng(12)
    a = [set((3 * rng.integers(2) + rng.permutation(3)[:2]).tolist()) for _ in range(600)]
    b = [{(x + 3) % 6 for x in each} for each in a]
    mixed = {(m.first_category, m.second_category): m for m in ifs.agreement({"a": a, "b": b}, draws=0).confused}
    has_a, has_b = (np.array([[x in each for x in range(6)] for each in side]) for side in (a, b))
    zero, three = has_a[:, 0] & ~has_a[:, 3], has_b[:, 3] & ~has_b[:, 0]
    anew = np.mean([np.count_nonzero(zero & rng.permutation(three)) for _ in range(4000)])

    assert mixed["0", "3"].count == np.count_nonzero(zero & three)
    assert mixed["0", "3"].expected == pytest.approx(anew, rel=0.01)


def test_a_renamed_category_is_one_finding() -> None:
    _, predictions = ifs.datasets.digits()
    found = ifs.agreement({name: predictions[name] for name in ("svm", "relabelled")}, draws=0).findings
    about = [frozenset(re.findall(r"(\w+) \w+ '(\d)'", finding.text)) for finding in found]
    about = [pair for pair in about if pair]
    assert frozenset({("svm", "6"), ("relabelled", "9")}) in about
    assert len(set(about)) == len(about)
