"""Pictures of trackers, checked as coordinates."""

import numpy as np
import pytest

from infoscope import CoverageDisplay, TrackLedgerDisplay, tracking
from tests.api import MatchedSequence, build_timeline, ellipse, list_cells
from tests.tracking.scenes import Rows, Stage, crowd

STAGE = Stage(objects=3, frames=10)


def sequence(tracks: Rows, truth: Rows | None = None) -> MatchedSequence:
    result = tracking.evaluate(STAGE.truth() if truth is None else truth, tracks).systems[0].sequences[0]
    assert result.evaluated is not None
    return result.evaluated


def test_a_break_and_a_miss_on_the_timeline() -> None:
    tracks = STAGE.broken()
    tracks = tracks[~((tracks[:, 0] == 2) & (tracks[:, 1] == 1))]

    segments = build_timeline(sequence(tracks))

    assert [tuple(each) for each in segments] == [
        (0, 0, 0, 4, 0, "start"),
        (0, 0, 5, 9, 99, "break"),
        (1, 1, 0, 1, 1, "start"),
        (1, 1, 2, 2, None, "missed"),
        (1, 1, 3, 9, 1, "found"),
        (2, 2, 0, 9, 2, "start"),
    ]


def test_a_swap_on_the_timeline() -> None:
    begins = [each.begins for each in build_timeline(sequence(STAGE.swapped()))]

    assert begins == ["start", "swap", "start", "swap", "start"]


def test_the_timeline_agrees_with_the_counts() -> None:
    for seed in range(4):
        system = tracking.evaluate(*crowd(seed)).systems[0]
        matched = system.sequences[0].evaluated
        assert matched is not None
        segments = build_timeline(matched)
        begins = [each.begins for each in segments]

        assert begins.count("swap") == system.metrics["swaps"].value
        assert begins.count("break") == system.metrics["breaks"].value
        assert {each.track for each in segments} == set(matched.tracks.truth.ids)


def test_the_association_map_keeps_every_detection() -> None:
    found = sequence(crowd(1)[1], crowd(1)[0])

    cells = list_cells(found)

    rows, columns = len(found.association.truth_ids), len(found.association.system_ids)
    assert sum(each.frames for each in cells if each.row < rows) == len(found.tracks.truth)
    assert sum(each.frames for each in cells if each.column < columns) == len(found.tracks.system)
    assert all((each.truth is None) == (each.row == rows) for each in cells)
    assert all((each.system is None) == (each.column == columns) for each in cells)
    matched = [cell for cell in cells if None not in (cell.truth, cell.system)]
    best: dict[int, int] = {}
    for each in sorted(matched, key=lambda cell: (-cell.frames, cell.row)):
        best.setdefault(each.column, each.row)
    assert [best[column] for column in sorted(best)] == sorted(best.values())


def test_ledger_bars_fill_the_truth_and_go_beyond_by_the_false_bits() -> None:
    evaluation = tracking.compare(crowd(1)[0], {"a": crowd(1)[1], "b": crowd(1)[0]})

    rows = TrackLedgerDisplay.from_evaluation(evaluation).rows

    parts = dict(next(row for row in rows if row.name == "a").parts)
    assert parts["captured"] + parts["missed"] + parts["confused"] == pytest.approx(1)
    assert sum(parts.values()) == pytest.approx(1 + evaluation["a"].metrics["false_information_ratio"].value)


def test_the_coverage_ellipse_has_the_area_of_its_covariance() -> None:
    scenes = {f"s{seed}": crowd(seed) for seed in range(7)}
    evaluation = tracking.evaluate(*({name: each[side] for name, each in scenes.items()} for side in (0, 1)))
    system = evaluation.systems[0]

    (point,) = CoverageDisplay.from_evaluation(evaluation).points

    assert point.spread is not None
    assert system.interval_method.coverage is not None
    x, y = np.array(ellipse(point.spread, 0.95, 2000)).T
    area = 0.5 * abs(np.dot(x, np.roll(y, 1)) - np.dot(y, np.roll(x, 1)))
    reach = 2 * 6 / 5 * 5.786135  # the 95 % quantile of F(2, 5), from tables
    assert area == pytest.approx(np.pi * reach * np.sqrt(np.linalg.det(system.interval_method.coverage)), rel=1e-5)
