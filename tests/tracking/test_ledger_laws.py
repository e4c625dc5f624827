"""Laws of the association table and its ledger, tried on random tables and scenes."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csgraph, csr_array
from scipy.sparse.csgraph import min_weight_full_bipartite_matching
from sklearn.metrics import homogeneity_score, mutual_info_score

from infoscope import metrics, tracking
from tests.api import (
    NULLS,
    Association,
    SimilarPairs,
    Tracks,
    choose_heaviest,
    choose_heaviest_cells,
    count_matches,
    divide_bits,
    find_overlaps,
    match_independent,
    match_sticky,
    read_tracks,
)
from tests.tracking.scenes import Rows, Stage, crowd


@st.composite
def associations(draw: st.DrawFn, *, complete: bool = False) -> Association:
    """Small tables of any shape, with empty rows and columns among them."""
    rows, columns = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    counts = np.array(draw(st.lists(st.integers(0, 9), min_size=rows * columns, max_size=rows * columns)), float)
    counts = counts.reshape(rows, columns)
    nulls = st.just(0) if complete else st.integers(0, 9)
    missed = np.array([draw(nulls) for _ in range(rows)], float)
    false = np.array([draw(nulls) for _ in range(columns)], float)
    at = np.nonzero(counts)
    return Association(tuple(range(rows)), tuple(range(columns)), *at, counts[at], counts[at], missed, false)


def bits(table: Association, null: str = "prior") -> dict[str, float]:
    ledger = divide_bits(table, null)
    lines = {name: float(getattr(ledger, name).sum()) for name in ledger._fields}
    return lines | {"captured": float(ledger.captured.sum())}


@given(associations())
@pytest.mark.parametrize("null", NULLS)
def test_no_line_is_negative_and_no_more_is_captured_than_there_is(null: str, table: Association) -> None:
    ledger = divide_bits(table, null)

    for name in ("truth", "missed", "confused", "fragmented", "spurious", "confused_by_system"):
        assert np.all(getattr(ledger, name) >= 0), name
    assert -1e-9 <= ledger.captured.sum() <= ledger.truth.sum()
    assert ledger.confused.sum() == pytest.approx(
        ledger.confused_by_system.sum() - (bits(table, null)["missed"] if null == "class" else 0.0), abs=1e-9
    )


@given(associations())
def test_the_ledger_is_the_entropy_form(table: Association) -> None:
    """Captured bits written out as a sum over cells, n log(n N / R C)."""
    lines = bits(table)
    lengths = table.truth_matched + table.missed
    captured = sum(
        n * np.log2(n * lengths.sum() / (lengths[row] * table.system_matched[column]))
        for row, column, n in zip(table.rows, table.columns, table.counts, strict=True)
    )

    assert lines["captured"] == pytest.approx(captured, abs=1e-9)


@given(associations(complete=True))
def test_without_misses_and_false_alarms_it_is_the_plain_table(table: Association) -> None:
    if table.counts.sum() == 0:
        return
    lines, total = bits(table), table.counts.sum()
    repeats = table.counts.astype(int)
    truth, system = np.repeat(table.rows, repeats), np.repeat(table.columns, repeats)
    contingency = table.to_contingency()

    assert lines["captured"] / total == pytest.approx(mutual_info_score(truth, system) / np.log(2), abs=1e-9)
    variation = lines["confused"] + lines["fragmented"]
    assert variation / total == pytest.approx(float(metrics.erroneous_information(contingency)), abs=1e-9)
    if lines["truth"] > 0:
        assert lines["captured"] / lines["truth"] == pytest.approx(homogeneity_score(truth, system), abs=1e-9)
    for null in NULLS:
        assert bits(table, null) == pytest.approx(lines, abs=1e-9)


@given(associations(), st.data())
def test_one_more_false_alarm_never_helps(table: Association, data: st.DataObject) -> None:
    before = bits(table)
    at = data.draw(st.integers(0, len(table.system_ids)))
    ids = table.system_ids if at < len(table.system_ids) else (*table.system_ids, at)
    false = (
        np.append(table.false, 0.0)[: len(ids)] if len(ids) == len(table.system_ids) else np.append(table.false, 0.0)
    )
    false[at] += 1

    after = bits(
        Association(table.truth_ids, ids, table.rows, table.columns, table.counts, table.mirror, table.missed, false)
    )

    assert after["captured"] == pytest.approx(before["captured"], abs=1e-12)
    assert after["fragmented"] + after["spurious"] >= before["fragmented"] + before["spurious"] - 1e-9


@given(associations(), st.integers(0, 999))
def test_renaming_tracks_changes_nothing(table: Association, seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows, columns = rng.permutation(len(table.truth_ids)), rng.permutation(len(table.system_ids))
    missed, false = np.empty_like(table.missed), np.empty_like(table.false)
    missed[rows], false[columns] = table.missed, table.false
    renamed = Association(
        table.truth_ids, table.system_ids, rows[table.rows], columns[table.columns], table.counts, table.mirror,
        missed, false,
    )  # fmt: skip

    for null in NULLS:
        assert bits(renamed, null) == pytest.approx(bits(table, null), abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_shuffled_rows_other_ids_and_later_frames_change_nothing(seed: int) -> None:
    truth, tracks = crowd(seed)
    rng = np.random.default_rng(seed)
    expected = tracking.evaluate(truth, tracks).systems[0]
    other = [rows[rng.permutation(len(rows))] + [1000, 0, 0, 0, 0, 0] for rows in (truth, tracks)]
    other[1][:, 1] = 9999 - other[1][:, 1]

    found = tracking.evaluate(*other).systems[0]

    assert found.ledger == pytest.approx(expected.ledger, abs=1e-9)
    assert set(found.metrics) == set(expected.metrics)
    for name, estimate in expected.metrics.items():
        other, this = (dict(each.columns(name)) for each in (found.metrics[name], estimate))
        assert other == pytest.approx(this, abs=1e-9), name


@pytest.mark.slow
def test_bits_add_over_sequences_in_any_order() -> None:
    scenes = {f"s{seed}": crowd(seed) for seed in range(3)}
    one_by_one = [tracking.evaluate(*scene).systems[0].ledger for scene in scenes.values()]

    for order in itertools.permutations(scenes):
        together = tracking.evaluate(
            {name: scenes[name][0] for name in order}, {name: scenes[name][1] for name in scenes}
        ).systems[0]
        for line in together.ledger:
            assert together.ledger[line] == pytest.approx(sum(each[line] for each in one_by_one), abs=1e-9)


def as_tracks(truth: Rows, system: Rows) -> Tracks:
    sides = (next(iter(read_tracks(rows).values())).to_detections() for rows in (truth, system))
    return Tracks.align("scene", *sides)


@pytest.mark.parametrize("seed", range(8))
def test_the_heaviest_matching_is_heaviest(seed: int) -> None:
    """Against one dense assignment a frame, with no shortcut."""
    tracks = as_tracks(*crowd(seed, objects=25, noise=6.0))
    pairs = find_overlaps(tracks)
    best = 0.0
    for frame in range(len(tracks.frame_numbers)):
        dense = np.zeros((len(tracks.truth), len(tracks.system)))
        here = tracks.truth.frames[pairs.truth] == frame
        dense[pairs.truth[here], pairs.system[here]] = pairs.similarity[here]
        dense = dense[tracks.truth.frames == frame][:, tracks.system.frames == frame]
        best += dense[linear_sum_assignment(dense, maximize=True)].sum()

    chosen = choose_heaviest(tracks, pairs, pairs.similarity)

    assert pairs.similarity[chosen].sum() == pytest.approx(best, abs=1e-9)
    assert len(np.unique(pairs.truth[chosen])) == len(chosen) == len(np.unique(pairs.system[chosen]))


@given(st.integers(1, 6), st.integers(1, 6), st.integers(0, 10**6))
def test_the_heaviest_cells_of_a_table(height: int, width: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = rng.integers(0, 6, (height, width)) * (rng.random((height, width)) < 0.6)
    rows, columns = np.nonzero(table)

    chosen = choose_heaviest_cells(rows, columns, table[rows, columns].astype(float))

    assert table[rows[chosen], columns[chosen]].sum() == table[linear_sum_assignment(table, maximize=True)].sum()
    assert len(set(rows[chosen])) == len(chosen) == len(set(columns[chosen]))


@given(st.integers(1, 6), st.integers(1, 6), st.integers(0, 10**6))
def test_near_tied_worths_reach_the_solver_as_whole_numbers(height: int, width: int, seed: int) -> None:
    """Sums of thirds and tenths that differ in the last bit; between whole numbers the solver cannot circle."""
    rng = np.random.default_rng(seed)
    table = rng.integers(0, 4, (height, width)) / 3 + rng.integers(0, 4, (height, width)) * 0.1
    rows, columns = np.nonzero(table)
    handed: list[np.ndarray] = []

    def solver(table: csr_array, *, maximize: bool) -> tuple[np.ndarray, np.ndarray]:
        handed.append(table.data)
        return min_weight_full_bipartite_matching(table, maximize=maximize)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csgraph, "min_weight_full_bipartite_matching", solver)
        chosen = choose_heaviest_cells(rows, columns, table[rows, columns])

    best = table[linear_sum_assignment(table, maximize=True)].sum()
    assert table[rows[chosen], columns[chosen]].sum() == pytest.approx(best, rel=1e-10)
    assert all(np.all(data == np.rint(data)) for data in handed)
    assert len(handed) == (len(rows) > 0)


def test_sticky_keeps_the_ids_that_frame_by_frame_matching_exchanges() -> None:
    """Perfect ids with box noise in a crowd: only matching frame by frame sees switches."""
    truth, _ = crowd(5, objects=30, frames=60)
    noisy = truth.copy()
    noisy[:, 2:] += np.random.default_rng(0).normal(0, 3, (len(truth), 4))
    switches = {
        match: tracking.evaluate(truth, noisy, match=match).systems[0].metrics["id_switches"].value
        for match in ("sticky", "independent", "global")
    }

    assert switches["sticky"] < switches["independent"]
    assert switches["global"] < switches["independent"]


def test_sharing_detections_marks_down_perfect_tracks_in_a_crowd() -> None:
    truth, _ = crowd(5, objects=40, frames=30)

    perfect = tracking.evaluate(truth, truth).systems[0].metrics
    shared = tracking.evaluate(truth, truth, match="fractional").systems[0].metrics

    assert perfect["proficiency"].value == pytest.approx(1.0, abs=1e-12)
    assert shared["proficiency"].value < 0.999
    assert shared["false_information_ratio"].value > 0.001


def test_the_matched_table_counts_every_detection_once() -> None:
    tracks = as_tracks(*crowd(2))
    pairs = find_overlaps(tracks)

    for match in (match_sticky, match_independent):
        table = count_matches(tracks, match(tracks, pairs, 0.5))
        np.testing.assert_array_equal(table.truth_matched + table.missed, tracks.truth.lengths)
        np.testing.assert_array_equal(table.system_matched + table.false, tracks.system.lengths)


def test_a_tall_stack_of_candidates_is_looked_at_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    tracks = as_tracks(*crowd(1))
    whole = find_overlaps(tracks)
    monkeypatch.setattr("infoscope.studies.tracking_matching.MAX_PAIRS_AT_ONCE", 50)

    parts = find_overlaps(tracks)

    for one, other in zip(whole, parts, strict=True):
        np.testing.assert_array_equal(one, other)
    assert isinstance(parts, SimilarPairs)


@pytest.mark.slow
def test_worse_trackers_score_worse_at_every_step() -> None:
    """More missed or false tracks, one knob at a time: erroneous information only grows."""
    stage = Stage(objects=10, frames=30)
    for knob in (stage.missing, stage.with_false_tracks):
        scores = [
            tracking.evaluate(stage.truth(), knob(level)).systems[0].metrics["erroneous_information_ratio"].value
            for level in range(1, 8)
        ]
        assert all(later > earlier for earlier, later in itertools.pairwise(scores))


def test_only_the_frame_before_is_continued() -> None:
    """An object that was away for a frame is matched anew, by similarity alone: the rule of CLEAR."""
    far = [500, 0, 10, 10]
    truth = np.array([[1, 1, 0, 0, 10, 10], [1, 2, *far], [2, 2, *far], [3, 1, 0, 0, 10, 10], [3, 2, *far]], float)
    there = np.vstack([truth[:3], [[2, 1, 0, 0, 10, 10]], truth[3:]])
    tracks = np.array([[1, 10, 0, 0, 10, 10], [1, 20, *far], [2, 20, *far], [3, 20, *far], [3, 10, 2, 0, 10, 10],
                       [3, 11, 1, 0, 10, 10]], float)  # fmt: skip
    seen = np.vstack([tracks, [[2, 10, 0, 0, 10, 10]]])

    away = tracking.evaluate(truth, tracks).systems[0]
    stayed = tracking.evaluate(there, seen).systems[0]

    assert away.metrics["id_switches"].value == 1
    assert stayed.metrics["id_switches"].value == 0


@pytest.mark.parametrize(("height", "matched"), [(5.0, 1), (5.0 - 1e-15, 1), (4.999, 0)])
def test_an_overlap_of_just_the_gate_passes(height: float, matched: int) -> None:
    truth, tracks = np.array([[1, 1, 0, 0, 10, 10.0]]), np.array([[1, 1, 0, 0, 10, height]])

    (track,) = tracking.evaluate(truth, tracks).systems[0].sequences[0].tracks
    assert track.matched == matched
