"""Rows still needed where a gate is inconclusive: what they promise is tried by simulations without our posterior."""

import numpy as np
import pytest
from scipy.stats import beta, binom

import infoscope as ifs
from infoscope.tables import Contingency

HITS, MISSED, FALSE, REST = 68, 47, 24, 5333  # boosting on 'picture' of the page blocks
TABLE = Contingency.from_matrix(
    [[REST, FALSE], [MISSED, HITS]], truth=["other", "picture"], system=["other", "picture"], positive="picture"
)


def share_that_passes(further: int, limit: float, rng: np.random.Generator) -> float:
    """Draw further rows from the sample, add them, and take F1's lower limit from Dirichlet(½) draws."""
    counts = np.array([HITS, MISSED, FALSE, REST])
    passed = []
    for new in rng.multinomial(further, counts / counts.sum(), 300):
        true, missed, false = rng.dirichlet((counts + new)[:3] + 0.5, 2000).T
        passed.append(np.quantile(2 * true / (2 * true + missed + false), 0.025) >= limit)
    return float(np.mean(passed))


def test_f1_passes_with_the_promised_probability():
    found = ifs.gate(TABLE, min={"f1": 0.6}).checks[0]
    rng = np.random.default_rng(1)
    assert found.outcome == "inconclusive"
    assert found.needed.outcome == "passed"
    assert 0.72 <= share_that_passes(found.needed.rows, 0.6, rng) <= 0.88
    assert share_that_passes(found.needed.rows // 2, 0.6, rng) < 0.72
    assert found.needed.of_class == pytest.approx(found.needed.rows * 115 / 5472, rel=0.1)


@pytest.mark.parametrize(("limit", "outcome"), [(0.80, "passed"), (0.89, "failed")])
def test_accuracy_is_decided_with_the_promised_probability(limit, outcome):
    right, rows = 170, 200
    truth = ["a", "b"] * 100
    system = truth[:right] + [{"a": "b", "b": "a"}[label] for label in truth[right:]]
    found = ifs.gate(truth, system, min={"accuracy": limit}).checks[0]
    assert (found.outcome, found.needed.outcome) == ("inconclusive", outcome)
    rng = np.random.default_rng(2)
    for further, is_enough in ((found.needed.rows, True), (found.needed.rows // 2, False)):
        hits = right + rng.binomial(further, right / rows, 4000)
        low, high = beta.ppf([[0.025], [0.975]], hits + 0.5, rows + further - hits + 0.5)
        share = np.mean(low >= limit) if outcome == "passed" else np.mean(high < limit)
        assert (0.72 <= share <= 0.88) if is_enough else share < 0.72


def test_captured_information_is_decided_with_the_promised_probability():
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 4, 400)
    system = np.where(rng.random(400) < 0.7, truth, rng.integers(0, 4, 400))
    found = ifs.gate(truth, system, min={"proficiency": 0.36}).checks[0]
    assert found.outcome == "inconclusive"
    passed = []
    for _ in range(60):  # whole rows are drawn, and the whole gate is asked
        more = rng.integers(0, 400, found.needed.rows)
        again = ifs.gate(np.r_[truth, truth[more]], np.r_[system, system[more]], min={"proficiency": 0.36})
        passed.append(again.passed)
    assert np.mean(passed) > 0.65


def test_the_worst_class_is_planned_by_trials_too():
    found = ifs.gate(TABLE, min=["min_class_recall=0.52"]).checks[0]
    rng = np.random.default_rng(4)
    new = rng.binomial(found.needed.rows, 115 / 5472, 4000)
    hits = HITS + rng.binomial(new, HITS / 115)
    low = beta.ppf(0.025, hits + 0.5, 115 + new - hits + 0.5)
    assert 0.7 <= np.mean(low >= 0.52) <= 0.9


def test_a_difference_to_the_baseline_is_decided_with_about_the_promised_probability():
    truth = np.zeros(400, dtype=int)
    new, old = truth.copy(), truth.copy()
    truth[::2] = new[::2] = old[::2] = 1
    old[:12], new[12:17] = 1 - old[:12], 1 - new[12:17]  # 12 rows that the new system alone gets right, 5 the old one
    found = ifs.gate(truth, {"new": new}, baseline=old, metrics=["accuracy"], not_worse=True).checks[0]
    assert (found.outcome, found.needed.outcome) == ("inconclusive", "passed")
    rng = np.random.default_rng(5)
    more = rng.multinomial(found.needed.rows, [12 / 400, 5 / 400, 383 / 400], 2000)
    wins, losses = 12 + more[:, 0], 5 + more[:, 1]
    assert 0.7 <= np.mean(binom.sf(wins - 1, wins + losses, 0.5) < 0.025) <= 0.9


def test_no_number_of_rows_is_named_where_none_decides():
    rows = {"truth": ["a", "b"] * 50, "model": ["a", "b"] * 40 + ["b", "a"] * 10, "patient": np.repeat(range(20), 5)}
    options = {"truth": "truth", "system": "model"}
    at_the_limit = ifs.gate(rows, **options, min={"accuracy": 0.8}).checks[0]
    in_groups = ifs.gate(rows, **options, min={"accuracy": 0.75}, groups="patient").checks[0]
    decided = ifs.gate(rows, **options, min={"accuracy": 0.3}).checks[0]
    assert (at_the_limit.outcome, in_groups.outcome, decided.outcome) == ("inconclusive", "inconclusive", "passed")
    assert at_the_limit.needed is in_groups.needed is decided.needed is None
