"""Intervals keep their promise where they once did not: slices with fixed seeds of benchmarks/calibration.py."""

import importlib.util
from itertools import product, repeat
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from scipy.stats import t

import infoscope as ifs
from infoscope import Contingency
from tests.api import AffinityRows, BetaLevel, PairedPredictions, compare_predictions, summarize_draws

FILE = Path(__file__).parents[2] / "benchmarks" / "populations.py"
FIVE = [[1011, 0, 4, 3, 8], [86, 765, 138, 22, 13], [3, 3, 1023, 1, 9], [42, 4, 19, 912, 4], [18, 74, 6, 135, 697]]


def _populations() -> ModuleType:
    spec = importlib.util.spec_from_file_location("populations", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


populations = _populations()


def samples(family: str, k: int, n: int, repeats: int, prevalence: str | None = None):
    """(population, sample) of several populations of a family, the same in every run."""
    for seed in range(repeats):
        rng = np.random.default_rng([7, k, n, seed])
        joint = populations.population(family, k, rng, prevalence)
        yield (
            Contingency.from_matrix(joint),
            Contingency.from_matrix(rng.multinomial(n, joint.ravel()).reshape(joint.shape)),
        )


# ── precision of a prediction ────────────────────────────────────────────────────────────────────────────


def test_precision_interval_holds_what_was_counted() -> None:
    found = ifs.Posterior(Contingency.from_matrix(FIVE)).by_output()
    for name, counted in (("precision", 697 / 731), ("missed_information", 0.359)):
        assert found[name].low[4] < counted < found[name].high[4]


@pytest.mark.slow
def test_precision_intervals_hold_the_truth_however_much_data_there_is() -> None:
    held = []
    for truth, table in samples("softmax", 5, 5000, 30, "uniform"):
        found = ifs.Posterior(table).by_output()["precision"]
        precision = np.asarray(truth.diagonal / truth.column_totals)
        held += ((found.low <= precision) & (precision <= found.high)).tolist()
    assert np.mean(held) > 0.90


# ── two classes, hardly an error ─────────────────────────────────────────────────────────────────────────


def test_a_hundred_right_of_a_hundred_do_not_prove_98_percent() -> None:
    low, _ = ifs.Posterior(Contingency.from_matrix([[50, 0], [0, 50]])).interval("accuracy")
    assert low == pytest.approx(0.9638, abs=1e-4)  # Clopper and Pearson


def test_shared_labels_speak_against_hypotheses_without_them() -> None:
    tree = ifs.Posterior(Contingency.from_matrix([[50, 0], [0, 50]]), "tree").belief
    assert sum(w for name, w in tree.weights.items() if name.startswith("unmatched")) < 0.1


@pytest.mark.parametrize("classes", [1, 2, 50])
def test_right_and_wrong_are_both_possible_in_every_class(classes: int) -> None:
    grid = BetaLevel(np.full(classes, 9.0), np.zeros(classes)).grid
    assert min(grid.success.min(), grid.failure.min()) >= 0.5 / classes


@pytest.mark.slow
@pytest.mark.parametrize(("n", "right"), [(40, 0.95), (100, 0.985)])
def test_intervals_of_near_perfect_systems_hold_the_truth(n: int, right: float) -> None:
    joint = np.array([[right, 1 - right], [1 - right, right]]) / 2
    truth = Contingency.from_matrix(joint)
    wanted = {name: float(getattr(ifs.metrics, name)(truth)) for name in ("accuracy", "proficiency")}
    rng = np.random.default_rng([3, n])
    tables, times = np.unique(rng.multinomial(n, joint.ravel(), 150), axis=0, return_counts=True)
    held = np.zeros(2)
    for cells, often in zip(tables, times, strict=True):
        found = ifs.Posterior(Contingency.from_matrix(cells.reshape(2, 2))).summaries(list(wanted))
        held += [often * bool(found[m].low <= value <= found[m].high) for m, value in wanted.items()]
    assert (held / times.sum() > 0.89).all()


@pytest.mark.slow
def test_equal_near_perfect_systems_are_rarely_called_different() -> None:
    rng = np.random.default_rng(5)
    claims = []
    for _ in range(60):
        truth = rng.integers(0, 2, 100)
        systems = {name: np.where(rng.random(100) < 0.015, 1 - truth, truth) for name in "ab"}
        found = compare_predictions(PairedPredictions.from_labels(truth, systems), metrics=["proficiency"])
        claims.append(found.pairs[0].verdict in ("better", "worse"))
    assert np.mean(claims) <= 0.07


# ── many classes ─────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.slow
def test_information_of_many_classes_is_held() -> None:
    held = []
    for family, prevalence in product(("softmax", "favourite"), ("zipf", "rare")):
        for truth, table in samples(family, 50, 500, 4, prevalence):
            low, high = ifs.Posterior(table).interval("proficiency")
            held.append(low <= ifs.metrics.proficiency(truth) <= high)
    assert np.mean(held) > 0.8


@pytest.mark.slow
def test_every_class_counts_in_balanced_accuracy_however_rare() -> None:
    """Recall that grows with prevalence, as learners have it, is learnt and carried to classes hardly seen."""
    held = []
    for family in ("softmax", "favourite"):
        for truth, table in samples(family, 30, 1000, 5, "rare"):
            low, high = ifs.Posterior(table).interval("balanced_accuracy")
            held.append(low <= ifs.metrics.balanced_accuracy(truth) <= high)
    assert np.mean(held) >= 0.8


@pytest.mark.slow
def test_rare_classes_that_are_missed_lower_the_limit_of_balanced_accuracy() -> None:
    prevalence, recalls = np.array([0.97, 0.015, 0.015]), np.array([0.98, 0.55, 0.55])
    probabilities = (1 - recalls)[:, None] / 2 * np.ones((3, 3))
    np.fill_diagonal(probabilities, recalls)
    rng = np.random.default_rng(20)
    is_passed = []
    for trial in range(120):
        counts = np.array(
            [rng.multinomial(n, row) for n, row in zip(rng.multinomial(400, prevalence), probabilities, strict=True)]
        )
        if counts.sum(1).all():
            summaries = ifs.Posterior(Contingency.from_matrix(counts), seed=trial).summaries(
                ["balanced_accuracy"], alone=True
            )
            is_passed.append(float(summaries["balanced_accuracy"].low) > recalls.mean())

    assert np.mean(is_passed) <= 0.03


@pytest.mark.slow
def test_limits_and_sd_are_stretched_alike() -> None:
    ((_, table),) = samples("softmax", 30, 300, 1, "zipf")
    posterior = ifs.Posterior(table)
    correction = posterior.correction("proficiency")
    found = posterior.summary("proficiency")
    drawn = posterior.draws("proficiency")

    assert correction is not None
    wide = np.hypot(drawn.std(ddof=1), 0.13 * (ifs.metrics.proficiency(table) - drawn.mean()))
    assert float(found.sd) == pytest.approx(wide)
    low = drawn.mean() + (np.quantile(drawn, 0.025, method="weibull") - drawn.mean()) * wide / drawn.std(ddof=1)
    assert float(found.low) == pytest.approx(low)
    assert np.sqrt(posterior.covariance(["proficiency", "accuracy"])[0, 0]) == pytest.approx(wide)


def test_nothing_is_stretched_where_data_suffice() -> None:
    table = Contingency.from_matrix(np.array(FIVE) * 1000)
    posterior = ifs.Posterior(table)
    drawn = posterior.draws("proficiency")
    assert float(posterior.sd("proficiency")) == pytest.approx(drawn.std(ddof=1), rel=0.01)


@pytest.mark.slow
def test_fewer_samples_halve_an_interval_that_rests_on_a_correction() -> None:
    ((_, table),) = samples("softmax", 30, 300, 1, "zipf")
    posterior = ifs.Posterior(table)
    more = ifs.posterior.samples_to_halve(posterior, "proficiency")
    known = posterior.correction("proficiency")
    assert known is not None
    doubt = known.doubt * (known.sample - known.mean)
    factor = 1 + more / 300
    assert np.hypot(known.sd / np.sqrt(factor), doubt / factor) == pytest.approx(
        np.hypot(known.sd, doubt) / 2, rel=0.01
    )
    assert 300 < more < 900


# ── ends, prevalence, reject labels ──────────────────────────────────────────────────────────────────────


def test_all_right_does_not_exclude_a_perfect_system() -> None:
    found = ifs.Posterior(Contingency.from_matrix(np.diag([20, 30, 10]))).summaries(["accuracy", "missed_information"])
    assert found["accuracy"].high == 1.0
    assert found["missed_information"].low == 0.0


@pytest.mark.parametrize("reject", ["?", None])
def test_a_reject_label_that_never_occurs_moves_no_interval(reject: str | None) -> None:
    counts = np.array([[50, 3, 2], [4, 40, 6], [1, 2, 42]])
    plain = Contingency.from_matrix(counts, truth=list("abc"), system=list("abc"))
    more = Contingency.from_matrix(
        np.hstack([counts, np.zeros((3, 1), int)]), truth=list("abc"), system=list("abc?"), reject=reject
    )
    names = ["proficiency", "accuracy", "macro_f1", "mcc", "system_entropy", "kappa"]
    for one, other in zip(
        ifs.Posterior(plain).summaries(names).values(), ifs.Posterior(more).summaries(names).values(), strict=True
    ):
        np.testing.assert_allclose(one, other, rtol=1e-12)


def test_a_system_that_has_not_rejected_may_yet() -> None:
    counts = np.hstack([np.diag([40, 60]), np.zeros((2, 1), int)])
    table = Contingency.from_matrix(counts, truth=list("ab"), system=list("ab?"), reject="?")
    found = ifs.Posterior(table).summary("rejection_rate")
    assert found.low == 0.0
    assert found.high == pytest.approx(0.0362, abs=0.0001)  # Clopper and Pearson, 0 of 100


# ── very many classes ────────────────────────────────────────────────────────────────────────────────────


def test_few_draws_give_the_limits_of_a_further_normal_one() -> None:
    values = np.random.default_rng(3).normal(5.0, 2.0, 60)
    mean, sd, low, high = summarize_draws(values, 0.95)
    reach = t.ppf(0.975, 59) * np.sqrt(1 + 1 / 60) * sd
    assert [low, high] == pytest.approx([mean - reach, mean + reach])


@pytest.mark.parametrize("shape", [(3,), (400,), (72, 5), (400, 30)])
def test_limits_leave_undefined_draws_out(shape: tuple[int, ...]) -> None:
    """Limits equal NumPy's quantiles, which take the columns one by one."""
    rng = np.random.default_rng(8)
    values = rng.normal(size=shape)
    values[rng.random(shape) < 0.008] = np.nan
    values[-1] = np.nan if len(values) == 400 else values[-1]
    values[0] = 0.5

    found = summarize_draws(values, 0.9)

    if np.isnan(values).any():
        known = np.isnan(values).mean(0) <= 0.01
        limits = np.nanquantile(values, [0.05, 0.95], axis=0, method="weibull")
        np.testing.assert_allclose([found.low, found.high], np.where(known, limits, np.nan), rtol=1e-13)
    else:
        assert np.isfinite(found).all()


def test_blocks_of_draws_are_draws_of_the_same_belief() -> None:
    ((_, table),) = samples("softmax", 20, 400, 1)
    whole = ifs.Posterior(table).belief.draw(40, np.random.default_rng(1))
    parts = np.concatenate(list(ifs.Posterior(table).belief.draw_blocks([20, 20], np.random.default_rng(1))))
    assert whole.shape == parts.shape
    np.testing.assert_allclose(whole.sum((1, 2)), 1.0)
    np.testing.assert_allclose(parts.mean(0), whole.mean(0), atol=0.01)


@pytest.mark.parametrize("sizes", [[1] * 7, [3, 3, 3, 2]])
def test_blocks_that_are_scored_together_hold_the_same_draws(sizes: list[int]) -> None:
    ((_, table),) = samples("softmax", 12, 400, 1)
    alone, together = (
        list(ifs.Posterior(table).belief.draw_blocks(sizes, np.random.default_rng(1), number)) for number in (1, 3)
    )
    assert [len(block) for block in together] == [sum(sizes[at : at + 3]) for at in range(0, len(sizes), 3)]
    np.testing.assert_array_equal(np.concatenate(together), np.concatenate(alone))


@pytest.mark.parametrize("sizes", [[6], [1] * 6, [3, 3], [2, 1, 3], [5, 1]])
def test_half_of_the_draws_have_hot_and_cold_cells_however_they_are_cut(
    sizes: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Blocks of 317 to 400 classes have one draw each."""
    ((_, table),) = samples("softmax", 12, 400, 1)
    belief = ifs.Posterior(table).belief
    monkeypatch.setattr(AffinityRows, "weights", lambda *_: repeat((1.0 - np.eye(12), np.ones(12))))

    drawn = np.concatenate(list(belief.draw_blocks(sizes, np.random.default_rng(1))))

    wrong = drawn[:, 0, 1:]
    np.testing.assert_array_equal(np.ptp(wrong, axis=1) < 1e-12 * wrong.max(1), [False, True] * 3)


# ── classes that are never predicted ─────────────────────────────────────────────────────────────────────


@pytest.mark.slow
def test_merged_classes_do_not_make_the_other_errors_look_concentrated() -> None:
    """The wrong predictions of such classes all go to one column; those of the others do not."""
    places = []
    for truth, table in samples("merged", 50, 200, 16):
        found = ifs.Posterior(table).summary("proficiency")
        places.append((float(ifs.metrics.proficiency(truth)) - found.mean) / found.sd)
    assert np.mean(places) > -1.0  # −1.5 without the hypothesis, with a standard error of .2
