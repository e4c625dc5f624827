"""Intervals: against plain re-computation, against resampling, and by how often they hold the truth."""

from inspect import signature

import numpy as np
import pytest
from scipy import stats

from infoscope import tracking
from tests.api import (
    Detections,
    SimilarPairs,
    Tracks,
    _take_largest_variances,
    _widen,
    compute_values,
    count_matches,
    divide_bits,
    estimate_block_covariance,
    estimate_metrics,
    measure_spread,
    sign_flip_p_value,
    stack,
    sum_bits_by_frame,
)
from tests.tracking.scenes import Stage, crowd
from tests.tracking.simulation import SETTINGS, account, simulate

RATIOS = ("proficiency", "false_information_ratio", "erroneous_information_ratio")


@pytest.mark.slow
def test_jackknife_by_evaluating_without_each_sequence() -> None:
    scenes = {f"s{seed}": crowd(seed) for seed in range(6)}
    sides = [{name: scene[side] for name, scene in scenes.items()} for side in (0, 1)]
    estimates = tracking.evaluate(*sides, level=0.9).systems[0].metrics
    left_out = [
        tracking.evaluate(*({n: rows for n, rows in side.items() if n != name} for side in sides)).systems[0].metrics
        for name in scenes
    ]

    for name in (*RATIOS, "information_jaccard", "mota", "motp", "idf1", "hota", "assa"):
        values = np.array([each[name].value for each in left_out])
        sd = np.sqrt(5 / 6 * np.sum((values - values.mean()) ** 2))
        reach = stats.t.ppf(0.95, 5) * sd
        assert estimates[name].sd == pytest.approx(sd, abs=1e-12), name
        assert estimates[name].low == pytest.approx(estimates[name].value - reach, abs=1e-12), name


def test_counts_of_sequences_have_the_spread_of_a_sum() -> None:
    sequences = [simulate(np.random.default_rng(seed)) for seed in range(8)]

    estimates, _ = estimate_metrics(sequences, SETTINGS)

    switches = [float(each.total.id_switches) for each in sequences]
    assert estimates["id_switches"].sd == pytest.approx(np.sqrt(8) * np.std(switches, ddof=1))


def test_few_sequences_in_closed_form() -> None:
    """Lost bits by truth track, as the formulas have it, when time adds nothing."""
    sequence = simulate(np.random.default_rng(1))
    ledger, truth = sequence.ledger, sequence.ledger.truth.sum()
    lost, fragmented = ledger.missed + ledger.confused, ledger.fragmented
    size, spurious = len(lost), np.sum(ledger.spurious**2)
    expected = {
        "proficiency": size * np.var(lost, ddof=1),
        "false_information_ratio": size * np.var(fragmented, ddof=1) + spurious,
        "erroneous_information_ratio": size * np.var(lost + fragmented, ddof=1) + spurious,
    }

    spread = measure_spread([sequence], SETTINGS)
    blocks = estimate_block_covariance([sequence], truth)

    assert spread.degrees == size - 1
    assert "lower bound" in spread.note
    for at, name in enumerate(("proficiency", "false_information_ratio")):
        larger = max(expected[name] / truth**2, blocks[at, at])
        assert spread.sd[name] == pytest.approx(2 * np.sqrt(larger)), name  # doubled for how sequences differ
    assert (
        spread.sd["erroneous_information_ratio"] >= 2 * np.sqrt(expected["erroneous_information_ratio"]) / truth - 1e-12
    )


def test_no_figure_is_surer_than_by_tracks_or_by_blocks() -> None:
    """A wider r alone would make the difference narrower where f and r rise together."""
    clusters, blocks = np.array([[1.0, 3.6], [3.6, 16.0]]), np.array([[9.0, 0.0], [0.0, 1.0]])
    values = {name: np.array(0.5) for name in ("proficiency", "false_information_ratio", "truth_entropy")}

    variance = _take_largest_variances([clusters, blocks, _widen(clusters, blocks)], values)

    assert _widen(clusters, blocks)[0, 0] == 9
    assert variance["proficiency"] == 16
    assert variance["false_information_ratio"] == 9
    assert variance["erroneous_information_ratio"] == pytest.approx(10)  # 17 − 7.2 by tracks, 10 by blocks


def test_frames_contribute_what_the_ledger_sums() -> None:
    for seed in range(5):
        sequence = simulate(np.random.default_rng(seed))
        time, total = sum_bits_by_frame(sequence), sequence.total

        assert time.truth.sum() == pytest.approx(total.truth_bits)
        assert time.lost.sum() == pytest.approx(total.missed_bits + total.confused_bits)
        assert time.false.sum() == pytest.approx(total.fragmented_bits + total.spurious_bits)


@pytest.mark.parametrize("frame", [0, 3, 11, 19])
def test_a_frames_contribution_is_what_a_little_more_of_it_adds(frame: int) -> None:
    """The derivative, against repeating every detection often and one frame once more; tracks come and go."""
    truth, system = crowd(8, objects=6, frames=20)
    sequence = account(truth[(truth[:, 1] > 2) | (truth[:, 0] > 12)], system)
    often = 4000
    tracks, matched = sequence.tracks, sequence.matched

    def ledger(extra: int) -> tuple[float, float, float]:
        copies = [np.where(side.frames == frame, often + extra, often) for side in (tracks.truth, tracks.system)]
        sides, starts = [], []
        for side, count in zip((tracks.truth, tracks.system), copies, strict=True):
            sides.append(
                Detections(
                    np.repeat(side.frames, count),
                    np.repeat(side.tracks, count),
                    side.ids,
                    np.repeat(side.shapes, count, 0),
                )
            )
            starts.append(np.cumsum(count) - count)
        count = copies[0][matched.truth]
        within = np.concatenate([np.arange(each) for each in count])
        pairs = SimilarPairs(
            np.repeat(starts[0][matched.truth], count) + within,
            np.repeat(starts[1][matched.system], count) + within,
            np.ones(len(within)),
        )
        lines = divide_bits(count_matches(Tracks("", sides[0], sides[1], tracks.frame_numbers), pairs))
        return (
            lines.truth.sum(),
            lines.missed.sum() + lines.confused.sum(),
            lines.fragmented.sum() + lines.spurious.sum(),
        )

    gained = np.subtract(ledger(1), ledger(0))
    time = sum_bits_by_frame(sequence)

    assert gained == pytest.approx([time.truth[frame], time.lost[frame], time.false[frame]], abs=0.01)


def test_blocks_by_drawing_them() -> None:
    """The closed form for blocks, against drawing blocks of the frames' contributions."""
    sequence = simulate(np.random.default_rng(2))
    time, truth = sum_bits_by_frame(sequence), float(sequence.total.truth_bits)
    frames, rng = len(time.truth), np.random.default_rng(0)
    length = round(frames / 5)
    starts = rng.integers(0, frames, (20_000, frames // length))
    chosen = (starts[:, :, None] + np.arange(length)) % frames
    draws = [each[chosen].sum(axis=(1, 2)) for each in time]
    lost, false = time.lost.sum() / truth, time.false.sum() / truth
    moves = np.stack([(lost * draws[0] - draws[1]) / truth, (draws[2] - false * draws[0]) / truth])

    np.testing.assert_allclose(estimate_block_covariance([sequence], truth), np.cov(moves), rtol=0.06, atol=1e-6)


@pytest.mark.slow
def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    """Groups of five sequences from one process; the truth is the value over all of them."""
    rng = np.random.default_rng(20)
    pool = [simulate(rng) for _ in range(600)]
    truth = compute_values(stack([each.total for each in pool]).total())
    held = dict.fromkeys((*RATIOS, "mota", "idf1", "hota"), 0)
    for at in range(0, len(pool), 5):
        estimates, _ = estimate_metrics(pool[at : at + 5], SETTINGS)
        for name in held:
            held[name] += estimates[name].low <= truth[name] <= estimates[name].high

    for name, count in held.items():
        assert count / 120 >= 0.92, (name, count / 120)


def test_independent_frames_would_be_far_too_sure() -> None:
    """The interval of a single sequence is several times wider than frames as independent draws would make it."""
    sequence = simulate(np.random.default_rng(7), objects=15, frames=200)
    time, truth = sum_bits_by_frame(sequence), float(sequence.total.truth_bits)
    lost = time.lost.sum() / truth
    naive = np.sqrt(np.sum(((time.lost - lost * time.truth) / truth) ** 2))

    assert measure_spread([sequence], SETTINGS).sd["proficiency"] > 3 * naive


def test_too_few_truth_tracks_for_an_interval() -> None:
    stage = Stage(objects=4, frames=20)

    result = tracking.evaluate(stage.truth(), stage.missing(1))

    assert result.to_dict()["systems"][0]["metrics"]["proficiency"] == {"value": 0.75}
    assert "4 truth tracks, and at least 5 are needed" in result.systems[0].interval_method.note


def test_a_tracker_does_not_differ_from_itself() -> None:
    truth, tracks = crowd(4)

    result = tracking.compare(truth, {"a": tracks, "b": tracks})

    assert result.comparison is not None
    for each in result.comparison.pairs:
        assert each.estimate.value == 0
        assert each.estimate.low <= 0 <= each.estimate.high
        assert each.probability_a_better == 0.5


def test_paired_differences_over_sequences() -> None:
    scenes = {f"s{seed}": crowd(seed, noise=2.0) for seed in range(6)}
    truth = {name: scene[0] for name, scene in scenes.items()}
    better = {name: scene[1] for name, scene in scenes.items()}
    worse = {name: rows[rows[:, 1] % 5 != 0] for name, rows in better.items()}

    result = tracking.compare(truth, {"better": better, "worse": worse})

    assert result.comparison is not None
    assert result.comparison.ranking == ("better", "worse")
    pairs = {each.metric: each for each in result.comparison.pairs}
    both = [[each.evaluated.total for each in system.sequences] for system in result.systems]
    left_out = [compute_values(stack(side).without_each())["proficiency"] for side in both]
    deviation = left_out[0] - left_out[1]
    sd = np.sqrt(5 / 6 * np.sum((deviation - deviation.mean()) ** 2))
    assert pairs["proficiency"].estimate.sd == pytest.approx(sd, abs=1e-12)
    assert result.comparison.unit == "sequence"
    assert pairs["proficiency"].probability_a_better > 0.99
    assert pairs["erroneous_information_ratio"].estimate.value < 0
    assert pairs["erroneous_information_ratio"].probability_a_better > 0.99
    assert pairs["proficiency"].tests["sign_flip_p_value"] == pytest.approx(2 / 64)
    assert pairs["proficiency"].probability_a_better == pytest.approx(
        stats.t.cdf(pairs["proficiency"].estimate.value / sd, 5)
    )


def test_sign_flips_by_drawing_agree_with_scipy() -> None:
    rng = np.random.default_rng(0)
    differences = rng.normal(0.4, 1.0, 20)

    seeded = "rng" if "rng" in signature(stats.permutation_test).parameters else "random_state"  # before SciPy 1.15
    expected = stats.permutation_test(
        (differences,), np.sum, permutation_type="samples", n_resamples=20_000, **{seeded: np.random.default_rng(1)}
    ).pvalue

    assert sign_flip_p_value(differences, np.random.default_rng(2)) == pytest.approx(expected, abs=0.02)


def test_settings_of_one_tracker_become_a_curve_and_a_front() -> None:
    stage = Stage()
    systems = {
        f"t@drop={level}": np.vstack([stage.missing(level), stage.false_tracks(4 - level)]) for level in (3, 1, 2)
    }
    systems["bad"] = np.vstack([stage.missing(5), stage.false_tracks(5)])

    result = tracking.compare(stage.truth(), systems).to_dict()["comparison"]

    assert [point["value"] for point in result["curves"]["t@drop"]] == [1, 2, 3]
    assert result["pareto"] == ["t@drop=3", "t@drop=2", "t@drop=1"]
    assert result["ranking"][-1] == "bad"


@pytest.mark.slow
def test_intervals_of_one_sequence_allow_for_how_sequences_differ() -> None:
    sequences = [simulate(np.random.default_rng([9, seed])) for seed in range(40)]
    population = compute_values(stack([each.total for each in sequences]).total(), SETTINGS.per)
    for name in ("false_information_ratio", "idf1", "hota"):
        found = [estimate_metrics([each], SETTINGS)[0][name] for each in sequences]
        covered = [each.low is not None and each.low <= population[name] <= each.high for each in found]
        assert np.mean(covered) > 0.82, name


def test_sequences_that_are_all_alike_have_no_interval() -> None:
    truth, tracks = ({f"s{at}": rows for at in range(5)} for rows in (Stage().truth(), Stage().missing(3)))

    hota = tracking.evaluate(truth, tracks).systems[0].metrics["hota"]

    assert hota.value is not None
    assert hota.low is hota.high is None
