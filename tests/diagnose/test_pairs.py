"""Costs of confusions and losses by merging equal those of tables that are really edited."""

from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from infoscope import Contingency
from infoscope.metrics import mutual_information, proficiency, truth_entropy
from tests.api import compute_merge_losses, construction, find_confusions, fit_renaming

small = arrays(np.int64, (4, 4), elements=st.integers(0, 30)).filter(lambda m: m.sum() > 0)


@settings(max_examples=60, deadline=None)
@given(small)
def test_gain_of_a_confusion_is_that_of_the_mended_table(matrix: np.ndarray) -> None:
    table = Contingency.from_matrix(matrix)
    bits = float(truth_entropy(table))

    for pair in find_confusions(table, bits):
        corrected = matrix.copy()
        a, b = int(pair.first), int(pair.second)
        corrected[a, a] += corrected[a, b]
        corrected[b, b] += corrected[b, a]
        corrected[a, b] = corrected[b, a] = 0
        gain = float(proficiency(Contingency.from_matrix(corrected))) - float(proficiency(table))
        assert pair.gain == pytest.approx(gain, abs=1e-9)
        assert pair.count == matrix[a, b] + matrix[b, a]


@settings(max_examples=60, deadline=None)
@given(small)
def test_merge_loss_is_that_of_the_merged_table(matrix: np.ndarray) -> None:
    table = Contingency.from_matrix(matrix)
    losses = compute_merge_losses(table)
    found = {(int(a), int(b)): lost for a, b, lost in zip(losses.first, losses.second, losses.lost, strict=True)}

    for a, b in combinations(range(4), 2):
        if matrix[a, b] + matrix[b, a] == 0:
            assert (a, b) not in found
            continue
        merged = table.merge_classes([a, b], into=99)
        lost = float(mutual_information(table)) - float(mutual_information(merged))
        assert found[a, b] == pytest.approx(lost, abs=1e-9)


def test_sparse_table_gives_the_same_losses(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    truth, system = rng.integers(0, 6, 400), rng.integers(0, 6, 400)
    dense = compute_merge_losses(Contingency.from_labels(truth, system))
    monkeypatch.setattr(construction, "DENSE_CELLS", 0)
    table = Contingency.from_labels(truth, system)
    assert table.is_sparse
    sparse = compute_merge_losses(table)

    np.testing.assert_allclose(sparse.lost, dense.lost, atol=1e-12)
    np.testing.assert_allclose(sparse.known, dense.known, atol=1e-12)


@settings(max_examples=60, deadline=None)
@given(small)
def test_best_renaming_is_found_by_trying_all(matrix: np.ndarray) -> None:
    table = Contingency.from_matrix(matrix)
    renaming = fit_renaming(table)
    assert renaming is not None
    best = max(sum(matrix[p[j], j] for j in range(4)) for p in permutations(range(4))) / matrix.sum()

    assert renaming.accuracy == pytest.approx(best, abs=1e-12)
    assert set(renaming.telling) <= set(renaming.names)


def test_output_that_only_makes_room_is_not_called_telling() -> None:
    renaming = fit_renaming(Contingency.from_matrix([[20, 30, 0], [9, 1, 0], [0, 0, 40]]))

    assert renaming is not None
    assert renaming.names == {0: 1, 1: 0}
    assert renaming.telling == (0, 1)
    lonely = fit_renaming(Contingency.from_matrix([[20, 30, 0], [1, 1, 9], [1, 1, 9]]))
    assert lonely is not None
    assert 0 not in lonely.telling


def test_ties_keep_the_present_names() -> None:
    renaming = fit_renaming(Contingency.from_matrix([[5, 5], [5, 5]]))

    assert renaming is not None
    assert renaming.names == {}


@given(arrays(np.int64, (5, 5), elements=st.integers(0, 40)).filter(lambda m: m.sum() > 0))
def test_what_small_counts_lose_is_the_same_to_the_last_digit_whether_looked_up_or_computed(matrix: np.ndarray) -> None:
    table = Contingency.from_matrix(matrix)
    looked_up = compute_merge_losses(table)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("infoscope.studies.diagnose_statistics._LARGEST_LOOKED_UP", -1)
        computed = compute_merge_losses(table)

    np.testing.assert_array_equal(looked_up.lost, computed.lost)
    np.testing.assert_array_equal(looked_up.known, computed.known)


def test_cells_that_are_no_counts_are_not_looked_up() -> None:
    half = np.array([[2.5, 1.5, 0.0], [0.5, 3.0, 1.0], [0.0, 0.5, 4.5]])

    np.testing.assert_allclose(
        compute_merge_losses(Contingency.from_matrix(half)).lost,
        compute_merge_losses(Contingency.from_matrix(2 * half)).lost,
    )
