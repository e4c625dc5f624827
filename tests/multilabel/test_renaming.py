"""Renamed categories: the test of a pair against its own name, by brute force, and how often it is right."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.stats import hypergeom, norm

from infoscope import multilabel
from tests.api import Categorization, Reassignment, assign_categories, find_reassignments

Sets = NDArray[np.bool_]


def tagged(
    categories: int,
    objects: int,
    rng: np.random.Generator,
    *,
    recall: float,
    confused: float = 0.0,
    pairs: bool = False,
) -> tuple[Sets, Sets]:
    """Two categories per object, frequent and rare ones; confused ones go to the next category, pairs overlap."""
    weights = np.arange(1, categories + 1) ** -0.7
    shares = np.minimum(weights / weights.sum() * 2, 0.6)
    truth = rng.random((objects, categories)) < shares
    if pairs:
        truth[:, 1::2] = truth[:, : categories // 2 * 2 : 2] ^ (rng.random((objects, categories // 2)) < 0.002)
    system = (truth & (rng.random(truth.shape) < recall)) | (rng.random(truth.shape) < 0.05 * shares)
    for at in range(categories - 1):
        moved = truth[:, at] & (rng.random(objects) < confused)
        system[moved, at], system[moved, at + 1] = False, True
    return truth, system


def moved(truth: Sets, system: Sets) -> tuple[Categorization, list[Reassignment]]:
    names = tuple(map(str, range(truth.shape[1])))
    pair = Categorization(names, csr_array(truth.astype(np.int64)), csr_array(system.astype(np.int64)))
    counts = pair.joint_counts()
    return pair, find_reassignments(pair, counts, assign_categories(pair, counts))


def test_p_is_that_of_both_tests_object_by_object() -> None:
    rng = np.random.default_rng(4)
    truth, system = tagged(8, 300, rng, recall=0.3, confused=0.35)
    _, pairs = moved(truth, system)
    assert any(0 < each.p_value < 1 for each in pairs)
    strongest = 0
    for one in range(8):
        for other in range(8):
            away = truth[:, one].sum() * system[:, other].sum() / 300
            held = (truth[:, one] & system[:, other]).sum()
            law = hypergeom(300, truth[:, one].sum(), system[:, other].sum())
            strongest += one != other and held > away and law.sf(held - 1) * 64 <= 0.05
    for each in pairs:
        if each.association != "positive":
            continue
        t, own, new = truth[:, int(each.truth)], system[:, int(each.truth)], system[:, int(each.system)]
        ratios = np.log(
            [np.mean(t[new == new[at]] == t[at]) / np.mean(t[own == own[at]] == t[at]) for at in range(300)]
        )
        better = norm.sf(ratios.mean() / (ratios.std() / np.sqrt(300)))
        together = hypergeom(300, t.sum(), new.sum()).sf((t & new).sum() - 1) * 64
        # the number of related pairs is by a likelihood-ratio test, which differs from the exact one by a few pairs
        allowed = [min(1.0, max(together, better * max(strongest + more, 1))) for more in range(-3, 4)]
        assert min(abs(each.p_value - p) for p in allowed) < 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["good", "weak", "noise", "confused", "overlapping"])
@pytest.mark.parametrize(("categories", "objects"), [(10, 500), (60, 500), (60, 2000)])
def test_right_names_are_seldom_called_renamed(kind: str, categories: int, objects: int) -> None:
    """Also where categories overlap nearly wholly, or go to a neighbour in three of ten cases."""
    rng = np.random.default_rng(categories + objects)
    options = {
        "good": {"recall": 0.7},
        "weak": {"recall": 0.25},
        "noise": {"recall": 0.0},
        "confused": {"recall": 0.7, "confused": 0.3},
        "overlapping": {"recall": 0.6, "pairs": True},
    }[kind]
    alarms = sum(
        any(each.finding for each in moved(*tagged(categories, objects, rng, **options))[1]) for _ in range(60)
    )
    assert alarms <= 0.05 * 60


@pytest.mark.slow
@pytest.mark.parametrize("categories", [10, 60, 200])
def test_two_exchanged_categories_are_found_among_many(categories: int) -> None:
    rng = np.random.default_rng(categories)
    for _ in range(10):
        truth, system = tagged(categories, 1500, rng, recall=0.7)
        one, other = rng.choice(np.flatnonzero(truth.sum(axis=0) >= 15), 2, replace=False)
        system[:, [one, other]] = system[:, [other, one]]
        pairs = {(each.truth, each.system) for each in moved(truth, system)[1] if each.finding}
        assert pairs == {(str(one), str(other)), (str(other), str(one))}


def test_a_swap_of_two_of_sixty_is_a_warning_with_its_p_value() -> None:
    rng = np.random.default_rng(2)
    truth, system = tagged(60, 800, rng, recall=0.7)
    named = [[{f"c{at}" for at in np.flatnonzero(row)} for row in side] for side in (truth, system)]
    silent = multilabel.evaluate(*named, draws=0, splits=0, shuffles=0).systems[0]
    assert not {"renaming", "relabelled"} & {finding.code for finding in silent.diagnosis}
    system[:, [1, 4]] = system[:, [4, 1]]
    named[1] = [{f"c{at}" for at in np.flatnonzero(row)} for row in system]
    found = multilabel.evaluate(*named, draws=0, splits=0, shuffles=0).systems[0]
    (finding,) = [finding for finding in found.diagnosis if finding.code == "renaming"]
    assert finding.is_warning
    assert finding.evidence["p_value"] < 1e-6
    assert sum(each.code == "relabelled" for each in found.diagnosis) == 2
