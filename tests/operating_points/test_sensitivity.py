"""The effect of moving one sample: finite differences, the derivative, and the published rules."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import infoscope as ifs
from infoscope.metrics import (
    best_moves,
    gain_of_move,
    move_derivative,
    move_sentences,
    mutual_information,
    sensitivities,
    sign_rule,
)


def _information(counts) -> float:
    return float(mutual_information(ifs.Contingency.from_matrix(counts)))


@given(st.lists(st.lists(st.integers(0, 6), min_size=3, max_size=3), min_size=2, max_size=4))
@settings(max_examples=40)
def test_gain_of_every_move_is_the_information_of_the_changed_table(rows):
    counts = np.array(rows)
    if not counts.sum():
        return
    gains = gain_of_move(ifs.Contingency.from_matrix(counts))
    before = _information(counts)
    for i, j, target in np.ndindex(gains.shape):
        if not counts[i, j]:
            assert np.isnan(gains[i, j, target])
            continue
        moved = counts.copy()
        moved[i, j] -= 1
        moved[i, target] += 1
        assert gains[i, j, target] == pytest.approx(_information(moved) - before, abs=1e-12)


def test_derivative_agrees_with_the_difference_to_second_order():
    """n times as many samples: the move is worth 1/n as much, and the two differ by no more than c/n²."""
    base = np.array([[5, 3, 2], [2, 7, 4], [3, 1, 6]])
    gaps = []
    for times in (1, 10, 100, 1000):
        table = ifs.Contingency.from_matrix(base * times)
        gap = np.nanmax(np.abs(gain_of_move(table) - move_derivative(table)))
        gaps.append(gap * float(table.total) ** 2)

    assert max(gaps) < 3 * gaps[-1]
    assert min(gaps) > gaps[-1] / 3


@given(st.lists(st.lists(st.integers(2, 50), min_size=2, max_size=2), min_size=2, max_size=2))
def test_derivative_is_the_limit_of_small_moves(rows):
    """Against a central difference of the information itself, all cells positive."""
    counts = np.array(rows, dtype=float)
    derivative = move_derivative(ifs.Contingency.from_matrix(counts))
    step = 1e-3
    up, down = counts.copy(), counts.copy()
    up[0] += [-step, step]
    down[0] += [step, -step]
    slope = (_information(up) - _information(down)) / (2 * step)

    assert derivative[0, 0, 1] == pytest.approx(slope, rel=1e-4, abs=1e-9)


def test_derivative_is_not_stated_at_empty_cells_where_the_sign_rule_fails():
    """Hu & Wang's M1 (TP→FN: rule 0, truth −.0483 bit) and M7 (rule +.00016, truth −.0467)."""
    exact = ifs.Contingency.from_matrix([[90, 0], [0, 10]])
    assert np.isnan(move_derivative(exact)[0, 0, 1])
    assert gain_of_move(exact)[0, 0, 1] == pytest.approx(-0.0483, abs=0.5e-4)
    one_missed = ifs.Contingency.from_matrix([[90, 0], [1, 9]])
    assert np.isnan(move_derivative(one_missed)[0, 0, 1])
    assert gain_of_move(one_missed)[0, 0, 1] == pytest.approx(-0.0467, abs=0.5e-4)


def test_the_sign_rule_gives_what_the_paper_prints_also_at_empty_cells():
    """By the equations themselves: dI/dTP is sgn(TP)·log(TP/(TP+FP)) − sgn(FN)·log(FN/(FN+TN)), over n, and so on."""
    exact = ifs.Contingency.from_matrix([[90, 0, 0], [0, 10, 0]], reject=2)
    assert np.array_equal(sign_rule(exact), np.zeros((2, 3, 3)))
    one_missed = ifs.Contingency.from_matrix([[90, 0], [1, 9]])
    assert sign_rule(one_missed)[0, 0, 1] == pytest.approx(-np.log2(90 / 91) / 100, rel=1e-12)
    assert f"{sign_rule(one_missed)[0, 0, 1]:.5f}" == "0.00016"
    shown = next(each for each in sensitivities(one_missed) if (each.truth, each.source, each.target) == (0, 0, 1))
    assert (shown.valid, shown.by_rule > 0, round(shown.exact, 4)) == (False, True, -0.0467)
    assert "no derivative at an empty cell" in str(shown)
    nothing = next(each for each in sensitivities(one_missed) if (each.truth, each.source) == (0, 1))
    assert "no sample to move" in str(nothing)


@given(st.lists(st.lists(st.integers(1, 50), min_size=3, max_size=3), min_size=2, max_size=2))
@settings(max_examples=20)
def test_the_sign_rule_is_the_derivative_where_no_cell_is_empty(rows):
    table = ifs.Contingency.from_matrix(rows, reject=2)

    np.testing.assert_allclose(sign_rule(table), move_derivative(table), rtol=0, atol=1e-15)
    assert len(sensitivities(table)) == 2 * 3 * 2


_SIZES = [(large, small) for large in range(2, 200, 7) for small in range(1, large, 5)]


@pytest.mark.parametrize(("large", "small"), _SIZES[:: max(1, len(_SIZES) // 60)])
def test_an_error_of_the_smaller_class_costs_more_and_rejecting_costs_less(large, small):
    """Properties 5 and 6 of Hu & Wang, for one sample moved from the exact solution."""
    gains = gain_of_move(ifs.Contingency.from_matrix([[large, 0, 0], [0, small, 0]], reject=2))
    error_of_large, error_of_small = gains[0, 0, 1], gains[1, 1, 0]
    rejection_of_large, rejection_of_small = gains[0, 0, 2], gains[1, 1, 2]

    assert error_of_small < error_of_large < 0  # property 5
    assert error_of_large < rejection_of_large + 1e-15  # property 6
    assert error_of_small < rejection_of_small + 1e-15
    assert rejection_of_large == pytest.approx(0, abs=1e-12)


def test_corrections_are_ranked_and_told():
    table = ifs.Contingency.from_matrix([[40, 3, 1], [2, 30, 8], [0, 5, 25]], truth=["ant", "bee", "cat"])
    moves = best_moves(table, most=3)

    assert [move.gain for move in moves] == sorted((move.gain for move in moves), reverse=True)
    first = move_sentences(table, most=3)[0]
    assert first.startswith(f"fixing one sample of class {table.truth_labels[moves[0].truth]!r} now called")
    assert f"is worth {moves[0].gain:.3g} bits" in first


def test_a_correction_may_cost_information():
    """With the answers exchanged, putting one sample right blurs a perfect code."""
    table = ifs.Contingency.from_matrix([[0, 9], [9, 0]])

    assert "costs" in move_sentences(table)[0]
