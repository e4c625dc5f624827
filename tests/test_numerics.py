"""Hard numbers: huge counts, tiny probabilities, near independence; 50 digits of mpmath as the judge."""

from dataclasses import replace
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infoscope import Contingency, metrics
from infoscope.metrics import agreement, bounds
from tests.api import chance_information, entropies, expected_information, find, metrics_of, sum_columns, sum_rows
from tests.strategies import stored_sparse

HUGE = 10**15


def exact_bits(matrix: np.ndarray, digits: int = 50) -> dict[str, float]:
    """Entropies in bits with many digits, rounded once at the end."""
    with mpmath.workdps(digits):
        exact = [[Fraction(x).as_integer_ratio() for x in row] for row in np.asarray(matrix).tolist()]
        cells = [[mpmath.mpf(a) / b for a, b in row] for row in exact]
        total = mpmath.fsum(x for row in cells for x in row)
        rows = [mpmath.fsum(row) for row in cells]
        columns = [mpmath.fsum(column) for column in zip(*cells, strict=True)]

        def entropy(parts: list[mpmath.mpf]) -> mpmath.mpf:
            return -mpmath.fsum(x / total * mpmath.log(x / total, 2) for x in parts if x)

        truth, system = entropy(rows), entropy(columns)
        joint = entropy([x for row in cells for x in row])
        return {
            "truth": float(truth),
            "system": float(system),
            "joint": float(joint),
            "mutual": float(truth + system - joint),
            "missed": float(joint - system),
            "spurious": float(joint - truth),
        }


def near_independent(seed: int, scale: float, excess: float) -> np.ndarray:
    """Counts that miss independence by a small part of each cell."""
    rng = np.random.default_rng(seed)
    rows, columns = rng.uniform(0.1, 1, 4), rng.uniform(0.1, 1, 5)
    chance = np.outer(rows, columns) / (rows.sum() * columns.sum())
    return np.rint(scale * chance * (1 + excess * rng.uniform(-1, 1, chance.shape))).astype(np.int64)


HARD = {
    "ordinary": np.array([[15, 0, 5], [0, 15, 5], [0, 0, 20]]),
    "rectangular": np.array([[3, 1, 2, 0], [1, 5, 1, 7]]),
    "one count in 10^15": np.array([[HUGE, 1], [1, HUGE]]),
    "huge and lopsided": np.array([[HUGE, 3], [7, 1]]),
    "single samples": np.eye(6, dtype=np.int64),
    "huge counts, near independence": near_independent(1, 1e15, 1e-5),
    "counts, nearer to independence": near_independent(2, 1e15, 1e-7),
    "tiny weights": np.array([[1e-300, 2e-300], [3e-300, 0.5e-300]]),
    "one probability of 1e-300": np.array([[0.5, 1e-300], [0.0, 0.5]]),
    "weights over 300 orders": np.array([[1.0, 1e-150], [1e-300, 1e-10]]),
    "one sided": np.array([[1, 0], [10**12, 10**12]]),
}


@pytest.mark.parametrize("stored", ["dense", "sparse"])
@pytest.mark.parametrize("name", HARD)
def test_entropies_of_hard_tables(name: str, stored: str) -> None:
    table = Contingency.from_matrix(HARD[name])
    h = entropies(stored_sparse(table) if stored == "sparse" else table)

    for quantity, exact in exact_bits(HARD[name], digits=700).items():
        ours = float(getattr(h, quantity))
        assert ours == pytest.approx(exact, rel=1e-8, abs=1e-140), quantity


@pytest.mark.parametrize("excess", [1e-2, 1e-4, 1e-6])
def test_information_near_independence_keeps_its_digits(excess: float) -> None:
    """I is of the order excess², down to 1e-12 bits, where differences of entropies have no digit left."""
    matrix = near_independent(4, 1e15, excess)

    exact = exact_bits(matrix)["mutual"]

    assert 0.01 * excess**2 < exact < excess**2
    assert float(metrics.mutual_information(Contingency.from_matrix(matrix))) == pytest.approx(exact, rel=1e-8)


COUNTS = st.one_of(st.just(0), st.integers(0, 5), st.integers(0, 10**6), st.integers(10**14, HUGE))


@given(st.lists(COUNTS, min_size=6, max_size=6).filter(any))
def test_information_is_never_negative_and_never_more_than_there_is(counts: list[int]) -> None:
    for shape in ((2, 3), (3, 2), (1, 6), (6, 1)):
        table = Contingency.from_matrix(np.reshape(counts, shape))
        h = entropies(table)

        assert 0 <= h.mutual <= min(h.truth, h.system)
        assert h.missed >= 0
        assert h.spurious >= 0
        value = metrics.proficiency(table)
        assert np.isnan(value) or 0 <= value <= 1


@given(st.lists(COUNTS, min_size=6, max_size=6).filter(any))
def test_random_huge_counts_against_mpmath(counts: list[int]) -> None:
    matrix = np.reshape(counts, (2, 3))
    h = entropies(Contingency.from_matrix(matrix))

    for quantity, exact in exact_bits(matrix).items():
        assert float(getattr(h, quantity)) == pytest.approx(exact, rel=1e-9, abs=1e-18), quantity


@given(st.lists(st.floats(-300, 0), min_size=6, max_size=6))
def test_random_tiny_probabilities_against_mpmath(exponents: list[float]) -> None:
    matrix = (10.0 ** np.array(exponents)).reshape(3, 2)
    h = entropies(Contingency.from_matrix(matrix))

    for quantity, exact in exact_bits(matrix).items():
        assert float(getattr(h, quantity)) == pytest.approx(exact, rel=1e-7, abs=1e-15), quantity


@pytest.mark.parametrize("count", [1, 3, 7, 10**6 + 3, HUGE])
def test_zero_and_one_are_exact(count: int) -> None:
    perfect = Contingency.from_matrix(np.diag([count, 3 * count, 7]))
    silent = Contingency.from_matrix([[count, 0], [3, 0]])
    alone = Contingency.from_matrix([[count, 3], [0, 0]])

    assert metrics.proficiency(perfect) == 1
    assert metrics.information_precision(perfect) == 1
    assert metrics.erroneous_information(perfect) == 0
    assert metrics.entropy_modified_accuracy(perfect) == 1
    assert metrics.proficiency(silent) == 0
    assert metrics.false_information(silent) == 0
    assert metrics.mutual_information(silent) == 0
    assert metrics.truth_entropy(alone) == 0
    assert np.isnan(metrics.proficiency(alone))


@pytest.mark.parametrize("sizes", [(1, 1), (3, 7), (10**6, 3), (10**7, 10**7 + 1)])
def test_independent_sides_share_nothing(sizes: tuple[int, int]) -> None:
    table = Contingency.from_matrix(np.outer([sizes[0], 2 * sizes[1]], [sizes[1], sizes[0]]))

    assert 0 <= metrics.mutual_information(table) < 1e-30
    assert metrics.proficiency(table) == pytest.approx(0.0, abs=1e-30)


LOPSIDED = [[HUGE, 3], [5, 7]]
TINY_CORNER = [[1e-300, 1e-300], [1e-300, 1.0]]


@pytest.mark.parametrize(
    "matrix",
    [
        [[HUGE, HUGE // 7], [HUGE // 3, HUGE]],
        near_independent(9, 1e15, 1e-3),
        LOPSIDED,
        TINY_CORNER,
        [[1e-300, 2e-300], [3e-300, 1e-300]],
        [[1e300, 1e300], [1e300, 2e300]],
    ],
)
def test_kappa_and_correlation_of_hard_tables(matrix: object) -> None:
    given = np.asarray(matrix)[:, : len(np.asarray(matrix))]
    counts = [[Fraction(x) for x in row] for row in given.tolist()]
    size = range(len(counts))
    n = sum(map(sum, counts))
    rows, columns = [sum(row) for row in counts], [sum(column) for column in zip(*counts, strict=True)]
    hits = n * sum(counts[i][i] for i in size) - sum(rows[i] * columns[i] for i in size)
    kappa = hits / (n * n - sum(rows[i] * columns[i] for i in size))
    squares = (n * n - sum(x * x for x in rows)) * (n * n - sum(x * x for x in columns))
    with mpmath.workdps(700):
        mcc = mpmath.fraction(*hits.as_integer_ratio()) / mpmath.sqrt(mpmath.fraction(*squares.as_integer_ratio()))
    table = Contingency.from_matrix(given)

    assert float(metrics.kappa(table)) == pytest.approx(float(kappa), rel=1e-9, abs=1e-12)
    assert float(metrics.mcc(table)) == pytest.approx(float(mcc), rel=1e-9, abs=1e-12)
    errors = (n - sum(counts[i][i] for i in size)) / n
    assert float(metrics.error_rate(table)) == pytest.approx(float(errors), rel=1e-12, abs=0)


@pytest.mark.parametrize("share", [1e-3, 1e-7, 1e-12, 1e-30])
def test_kappa_of_drawn_tables_in_which_one_class_has_nearly_all(share: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Totals cancel, hits and correct rejections do not: whole numbers, 3 ms each, are not needed."""
    monkeypatch.setattr(agreement, "whole_margins", lambda *_: pytest.fail("computed in whole numbers"))
    rng = np.random.default_rng(3)
    drawn = rng.random((4, 5, 5)) * np.where(np.arange(5) == 2, 1.0, share)[:, None] * 0.1
    drawn[:, np.arange(5), np.arange(5)] *= 30.0

    found = metrics.kappa(Contingency.from_matrix(drawn[0]).with_cells(drawn.reshape(4, -1)))

    for cells, value in zip(drawn.tolist(), found, strict=True):
        counts = [[Fraction(x) for x in row] for row in cells]
        n, rows = sum(map(sum, counts)), [sum(row) for row in counts]
        agreed = sum(row * sum(column) for row, column in zip(rows, zip(*counts, strict=True), strict=True))
        exact = (n * sum(counts[i][i] for i in range(5)) - agreed) / (n * n - agreed)
        assert float(value) == pytest.approx(float(exact), rel=1e-9)


@pytest.mark.parametrize("stored", ["dense", "sparse"])
@pytest.mark.parametrize(("matrix", "exact"), [([[1e-300, 0], [0, 1.0]], 1.0), (TINY_CORNER, 0.25)])
def test_phi_squared_of_margins_too_small_to_multiply(matrix: list[list[float]], exact: float, stored: str) -> None:
    table = Contingency.from_matrix(matrix)
    table = stored_sparse(table) if stored == "sparse" else table

    assert float(metrics.phi_squared(table)) == pytest.approx(exact, rel=1e-12)
    assert float(metrics.cramers_v(table)) == pytest.approx(np.sqrt(exact), rel=1e-12)


@pytest.mark.parametrize("stored", ["dense", "sparse"])
@pytest.mark.parametrize("lift", [0, 1, 10**3, 10**6, 10**8, 10**11], ids="{:d} more".format)
def test_phi_squared_from_independence_to_clear_association(lift: int, stored: str) -> None:
    counts = [[10**9 + lift, 2 * 10**9, 10**9], [3 * 10**9, 6 * 10**9 + lift, 3 * 10**9]]
    n, rows = sum(map(sum, counts)), [sum(row) for row in counts]
    columns = [sum(column) for column in zip(*counts, strict=True)]
    squares = sum(Fraction(x * x, rows[i] * columns[j]) for i, row in enumerate(counts) for j, x in enumerate(row))
    table = Contingency.from_matrix(counts)
    table = stored_sparse(table) if stored == "sparse" else table

    assert table.total == n
    lost = max(1e-6 / max(lift, 1), 1e-13)  # a gap of lift/10^9 beside the rounding of 1
    assert float(metrics.phi_squared(table)) == pytest.approx(float(squares - 1), rel=lost, abs=1e-30)


@pytest.mark.parametrize("n", [10**9, 10**12, 10**15])
def test_kappa_correlation_and_rejections_of_a_system_that_answers_twice(n: int) -> None:
    table = Contingency.from_matrix([[1, 0, n], [0, 1, 0]], reject=2)
    whole, agreed = n + 2, (n + 1) + 1
    squares = Fraction((whole**2 - (n + 1) ** 2 - 1) * (whole**2 - n**2 - 2))
    beyond = 2 * whole - agreed

    assert float(metrics.kappa(table)) == pytest.approx(float(Fraction(beyond, whole**2 - agreed)), rel=1e-14)
    with mpmath.workdps(60):
        mcc = beyond / mpmath.sqrt(mpmath.fraction(squares.numerator, squares.denominator))
        p = [mpmath.mpf(n + 1) / whole, mpmath.mpf(1) / whole]
        truth = sum(x * mpmath.log(1 / x, 2) for x in p)  # every answer settles the class, so I = H(T)
        kept = 1 - mpmath.mpf(n) / whole * mpmath.log(1 / p[0], 2) / truth
    assert float(metrics.mcc(table)) == pytest.approx(float(mcc), rel=1e-13)
    assert float(metrics.proficiency_without_reject(table)) == pytest.approx(float(kept), rel=1e-13)


@pytest.mark.parametrize(
    ("matrix", "exact"),
    [
        ([[1e-170, 0], [0, 1e-170]], Fraction(1)),
        ([[1e160, 2e160], [0, 1e160]], Fraction(2, 3)),
        ([[12484490935472]], Fraction(1)),
        ([[0.0273, 0], [0, 0.7390]], Fraction(1)),
    ],
)
@pytest.mark.parametrize("stored", ["dense", "sparse"])
def test_bcubed_of_any_unit(matrix: list[list[float]], exact: Fraction, stored: str) -> None:
    table = Contingency.from_matrix(matrix)
    table = stored_sparse(table) if stored == "sparse" else table
    found = float(metrics.bcubed_precision(table))

    assert found == 1.0 if exact == 1 else found == pytest.approx(float(exact), rel=1e-14)


@pytest.mark.parametrize(
    ("matrix", "exact"),
    [([[0.1, 0, 1e9], [0, 0.2, 1e9]], 1.0), ([[0.1, 0.1, 1e17], [0, 0.2, 1e9]], 0.75), ([[1e-7, 0, 1e-8]], 1.0)],
)
def test_accuracy_of_what_was_accepted_beside_many_rejections(matrix: list[list[float]], exact: float) -> None:
    labels = ["a", "b"][: len(matrix)]
    table = Contingency.from_matrix(matrix, truth=labels, system=["a", "b", "?"], reject="?")
    found = float(metrics.accepted_accuracy(table))

    assert found == pytest.approx(exact, rel=1e-14)
    assert found <= 1.0


@pytest.mark.parametrize(
    ("matrix", "exact"),
    [
        ([[659, 0, 0], [0, 183, 0]], 1.0),
        ([[817, 0, 0, 0], [0, 927, 0, 0], [0, 0, 119, 0]], 2.0),
        ([[4, 58, 0], [8, 116, 0]], 0),
    ],
)
def test_phi_squared_is_exact_beside_empty_columns(matrix: list[list[int]], exact: float) -> None:
    assert float(metrics.phi_squared(Contingency.from_matrix(matrix))) == exact


@pytest.mark.parametrize("matrix", [[[1e-310, 0], [0, 1e20]], [[1e-310, 0, 0], [0, 1e20, 0]]])
def test_phi_squared_of_a_class_whose_share_is_no_number(matrix: list[list[float]]) -> None:
    """1e-330 is 0: the class has data, and counts for nothing."""
    assert 0 <= float(metrics.phi_squared(Contingency.from_matrix(matrix))) <= 1


@pytest.mark.parametrize("missed", [0.01, 0.3, 0.9])
def test_tight_fano_bound_solves_its_equation(missed: float) -> None:
    with mpmath.workdps(30):

        def gap(e: mpmath.mpf) -> mpmath.mpf:
            return -e * mpmath.log(e, 2) - (1 - e) * mpmath.log(1 - e, 2) + e * mpmath.log(3, 2) - missed_bits

        table = Contingency.from_matrix(np.eye(4) * (1 - missed) + missed / 4)
        missed_bits = exact_bits(np.asarray(table.counts))["missed"]
        root = mpmath.findroot(gap, (mpmath.mpf("1e-6"), mpmath.mpf("0.74")), solver="anderson")

    assert float(metrics.tight_fano_bound(table)) == pytest.approx(float(root), abs=1e-12)


def test_a_tiny_leak_keeps_its_digits_in_the_cell_that_it_leaves() -> None:
    table = Contingency.from_matrix([[10**15, 1], [0, 10**15]])

    missed, spurious = find("cell_missed_information").score(table), find("cell_false_information").score(table)

    with mpmath.workdps(40):
        whole, total = mpmath.mpf(10**15), mpmath.mpf(2 * 10**15 + 1)
        leak = float(whole / total * mpmath.log((whole + 1) / whole, 2))
        lost = float(1 / total * mpmath.log(whole + 1, 2))
    assert spurious[:2] == pytest.approx([leak, lost], rel=1e-13, abs=0)
    assert missed[[1, 3]] == pytest.approx([lost, leak], rel=1e-13, abs=0)


@pytest.mark.parametrize("tiny", [1e-20, 1e-150, 1e-300])
@pytest.mark.parametrize("quantity", ["missed", "spurious"])
def test_a_tiny_leak_is_not_rounded_away(tiny: float, quantity: str) -> None:
    """The leaking cell itself is exact: p log(1/p). What its large neighbour loses by it, p/ln 2, is below the
    rounding of the neighbour and may be missing.
    """
    ours = float(getattr(entropies(Contingency.from_matrix([[0.5, tiny], [0.0, 0.5]])), quantity))
    own_part = -tiny * np.log2(2 * tiny)

    assert own_part * (1 - 1e-12) <= ours <= (own_part + tiny / np.log(2)) * (1 + 1e-12)


@pytest.mark.parametrize("classes", [2, 3, 1000])
@pytest.mark.parametrize("share", [1e-250, 1e-14, 1e-10, 0.5, 1 - 1e-6, 1 - 1e-9, 1 - 1e-12])
def test_fano_root_at_both_ends(share: float, classes: int) -> None:
    missed = share * float(np.log2(classes))
    e = mpmath.mpf(bounds._fano_root(missed, classes))
    with mpmath.workdps(300):
        curve = -e * mpmath.log(e, 2) - (1 - e) * mpmath.log(1 - e, 2) + e * mpmath.log(classes - 1, 2)

    assert float(curve) == pytest.approx(missed, rel=4e-15)


def exact_expected_information(rows: list[int], columns: list[int]) -> float:
    """Mean of I over all tables with these margins, term by term with 40 digits, in nats."""
    with mpmath.workdps(40):
        n, result = sum(rows), mpmath.mpf(0)
        ways = mpmath.binomial
        for a in rows:
            for b in columns:
                middle, reach = a * b // n, 14 * (int((a * b / n) ** 0.5) + 1)
                first = max(1, a + b - n, middle - reach)
                p = ways(b, first) * ways(n - b, a - first) / ways(n, a)
                for k in range(first, min(a, b, middle + reach) + 1):
                    result += p * mpmath.mpf(k) / n * mpmath.log(mpmath.mpf(k) * n / (a * b))
                    p *= mpmath.mpf((b - k) * (a - k)) / ((k + 1) * (n - a - b + k + 1))
        return float(result)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rows", "columns"),
    [([3, 4], [2, 5]), ([5, 295], [100, 200]), ([40_000, 50_000], [30_000, 60_000])],
    ids=["few", "rare", "by the series"],
)
def test_information_by_chance_against_mpmath(rows: list[int], columns: list[int]) -> None:
    ours = expected_information(np.array(rows, float), np.array(columns, float)) * np.log(2)

    assert ours == pytest.approx(exact_expected_information(rows, columns), rel=1e-8)


def test_adjusted_information_of_huge_counts_is_hardly_adjusted() -> None:
    """By accident (k − 1)(m − 1)/2n nats are shared, which is nothing among 10^15 samples."""
    table = Contingency.from_matrix([[HUGE, HUGE // 2], [HUGE // 3, HUGE]])
    by_chance = expected_information(table.row_totals, table.column_totals) * np.log(2) * 2 * table.total

    assert by_chance == pytest.approx(1, rel=1e-6)
    assert metrics.adjusted_mutual_information(table) == pytest.approx(metrics.nmi_arithmetic(table), abs=1e-12)


@pytest.mark.parametrize(
    "matrix",
    [
        [[14, 96483748970217392], [20, 0]],
        [[1, 35605605414093336], [5, 20]],
        [[217063727467378720, 2], [1, 20]],
        [[3, 0], [5, 999999999999999000]],
    ],
)
def test_information_by_chance_beside_a_class_beyond_the_whole_numbers_of_floats(matrix: list[list[int]]) -> None:
    """The samples outside of the large group are added up: a difference of rounded sums would lose them."""
    rows, columns = [sum(line) for line in matrix], [sum(line) for line in zip(*matrix, strict=True)]
    exact = 0
    with mpmath.workdps(80):
        n = sum(rows)
        for a in rows:
            for b in columns:
                for k in range(max(1, a + b - n), min(a, b) + 1):
                    ways = mpmath.binomial(n - max(a, b), min(a, b) - k) * mpmath.binomial(max(a, b), k)
                    share = ways / mpmath.binomial(n, min(a, b)) * k / n
                    exact += share * mpmath.log(mpmath.mpf(k) * n / (a * b), 2)
    table = Contingency.from_matrix(matrix)
    assert float(chance_information(table)) == pytest.approx(float(exact), rel=1e-10, abs=0)
    assert -1 <= metrics.adjusted_mutual_information(table) <= 1


@pytest.mark.parametrize("samples", [2, 3, 7])
def test_samples_all_apart_leave_nothing_to_adjust(samples: int) -> None:
    assert np.isnan(metrics.adjusted_mutual_information(Contingency.from_matrix(np.eye(samples, dtype=int))))


@pytest.mark.parametrize("name", ["pair_rand_index", "adjusted_rand_index", "adjusted_mutual_information"])
def test_pairs_of_weights_are_not_counted(name: str) -> None:
    entry = find(name)
    weighted = Contingency.from_matrix([[0.5, 0.2], [0.1, 0.9]])

    assert np.isnan(entry.score(weighted))
    assert "weights" in entry.reason(weighted)


WEIGHTS = st.lists(st.sampled_from([0.0, 0.0, 0.1, 0.2, 0.3, 0.7, 1 / 3, 1.1, 1e-54]), min_size=12, max_size=12)


@given(WEIGHTS.filter(any), st.sampled_from([(3, 4), (4, 3), (2, 6), (6, 2), (1, 12), (12, 1)]))
def test_weights_stay_in_the_range_of_every_card(weights: list[float], shape: tuple[int, int]) -> None:
    square = np.zeros((max(shape), max(shape)))
    square[: shape[0], : shape[1]] = np.reshape(weights, shape)
    for matrix in (np.reshape(weights, shape), square):
        table = Contingency.from_matrix(matrix)
        for entry in metrics_of():
            value = float(entry.score(table))
            low, high = entry.card.range
            assert np.isnan(value) or low <= value <= high, (entry.name, value)


@pytest.mark.parametrize("side", ["truth", "system"])
def test_a_weighted_side_of_one_class_says_exactly_nothing(side: str) -> None:
    rng = np.random.default_rng(5)
    for size in range(2, 30):
        weights = rng.choice([0.1, 0.2, 0.3, 0.7], size)
        one, many = ["a"] * size, [f"b{i}" for i in range(size)]
        labels = (one, many) if side == "truth" else (many, one)
        table = Contingency.from_labels(*labels, sample_weight=weights)
        h = entropies(table)

        assert (h.mutual, getattr(h, side)) == (0, 0)
        if side == "truth":
            assert np.isnan(metrics.proficiency(table))
            assert np.isnan(metrics.false_information_ratio(table))
        else:
            assert metrics.proficiency(table) == 0
            assert np.isnan(metrics.information_precision(table))


def test_a_weighted_perfect_system_is_exactly_right() -> None:
    table = Contingency.from_matrix(np.diag([0.4, 0.7, 0.2, 0.1]))

    for name in ("accuracy", "weighted_tpr", "weighted_ppv", "weighted_f1", "rand_index", "balanced_accuracy"):
        assert float(find(name).score(table)) == 1, name
    assert metrics.bayes_error(table) == 0
    assert metrics.error_rate(table) == 0


def test_sums_beyond_64_bits_do_not_overflow() -> None:
    table = Contingency.from_matrix(np.full((150, 150), 10**15))
    giant = Contingency.from_matrix([[5 * 10**18, 1], [1, 1]])
    unsigned = Contingency.from_matrix(np.array([[2**63 + 2048, 1], [1, 1]], dtype=np.uint64))

    assert table.total == 2.25e19
    assert float(metrics.truth_entropy(table)) == pytest.approx(np.log2(150))
    assert (giant + giant).total == 1e19
    assert unsigned.counts[0, 0] == 2**63 + 2048


def test_van_dongen_distance_of_the_largest_weights() -> None:
    """Twice their total is too large for a number."""
    matrix = np.array([[25.0, 20.0], [20.0, 29.0]])

    assert metrics.van_dongen_distance(Contingency.from_matrix(1e306 * matrix)) == pytest.approx(40 / 94)


@pytest.mark.parametrize("matrix", [[[10**15, 1], [1, 0]], [[10**10, 1], [1, 0]], [[10**12, 5], [7, 10**9]]])
def test_pairs_of_huge_counts_are_counted_exactly(matrix: list[list[int]]) -> None:
    def pairs(counts: list[int]) -> Fraction:
        return sum((Fraction(n * (n - 1), 2) for n in counts), Fraction(0))

    (a, b), (c, d) = matrix
    rows, columns, both, every = (
        pairs([a + b, c + d]),
        pairs([a + c, b + d]),
        pairs([a, b, c, d]),
        pairs([a + b + c + d]),
    )
    chance = rows * columns / every
    table = Contingency.from_matrix(matrix)

    exact = (both - chance) / ((rows + columns) / 2 - chance)
    assert float(metrics.adjusted_rand_index(table)) == pytest.approx(float(exact), rel=1e-12, abs=0)
    assert float(metrics.pair_rand_index(table)) == pytest.approx(float((every + 2 * both - rows - columns) / every))
    assert np.isnan(metrics.adjusted_rand_index(Contingency.from_matrix([[10**15]])))


@pytest.mark.parametrize("largest", [1, 3, 2**23, 2**24, 2**40])
def test_scores_of_pairs_in_a_batch_are_the_nearest_floats(largest: int) -> None:
    tables = np.random.default_rng(largest).integers(0, largest, (40, 2, 3), endpoint=True)
    tables[0], tables[1] = 0, [[1, 0, 0], [0, 0, 0]]
    batch = replace(Contingency.from_matrix(np.ones((2, 3), dtype=np.int64)), values=tables)

    exact = [_scores_of_pairs(table) for table in tables.tolist()]
    for name in exact[0]:
        expected = [scores[name] for scores in exact]
        np.testing.assert_array_equal(find(name).score(batch), expected, err_msg=name)
        single = [find(name).score(replace(batch, values=table)) for table in tables]
        np.testing.assert_array_equal(single, expected, err_msg=name)


def _scores_of_pairs(matrix: list[list[int]]) -> dict[str, float]:
    """Quotients of exact numbers of pairs, each rounded once."""
    sums = [sum(row) for row in matrix], [sum(column) for column in zip(*matrix, strict=True)]
    groups = ([sum(sums[0])], *sums, [n for row in matrix for n in row])
    every, rows, columns, both = (sum(n * (n - 1) // 2 for n in group) for group in groups)
    apart = rows + columns - 2 * both
    quotients = {
        "pair_rand_index": (every - apart, every),
        "hubert_index": (every - 2 * apart, every),
        "pair_jaccard": (both, both + apart),
        "wallace_truth": (both, rows),
        "wallace_system": (both, columns),
    }
    return {name: float(Fraction(part, whole)) if whole else np.nan for name, (part, whole) in quotients.items()}


@pytest.mark.parametrize("stored", ["dense", "sparse"])
@pytest.mark.parametrize(
    "matrix",
    [
        [[1, 1e-20], [1e-20, 1e-20]],
        [[0.0699, 1e-300], [0, 0.0195]],
        [[1, 1e-20, 0], [1e-25, 3e-20, 0], [0, 1e-30, 1e-22]],
    ],
)
def test_a_mass_far_below_the_rest_is_not_lost(matrix: list[list[float]], stored: str) -> None:
    table = Contingency.from_matrix(matrix)
    h = entropies(stored_sparse(table) if stored == "sparse" else table)

    for quantity, exact in exact_bits(np.array(matrix), digits=700).items():
        assert float(getattr(h, quantity)) == pytest.approx(exact, rel=1e-9, abs=0), quantity


def test_rates_of_a_class_far_below_the_rest() -> None:
    table = Contingency.from_matrix([[1, 1e-20], [3e-20, 1e-20]], positive=0)

    assert float(metrics.false_alarm_rate(table)) == pytest.approx(0.75)
    assert float(metrics.specificity(table)) == pytest.approx(0.25)
    assert metrics.class_specificity(table) == pytest.approx([0.25, 1.0])
    assert float(metrics.phi(Contingency.from_matrix([[0, 0.63], [1e-300, 0]]))) == -1
    assert float(metrics.phi(Contingency.from_matrix([[0.63, 0], [0, 1e-300]]))) == 1


@pytest.mark.parametrize("name", ["adjusted_mutual_information", "adjusted_rand_index", "pair_rand_index"])
def test_whole_weights_are_weights_and_weights_of_one_are_counts(name: str) -> None:
    labels = (list("aabb"), list("aaba"))

    assert np.isnan(find(name).score(Contingency.from_labels(*labels, sample_weight=[2.0] * 4)))
    plain = float(find(name).score(Contingency.from_labels(*labels)))
    assert float(find(name).score(Contingency.from_labels(*labels, sample_weight=[1.0] * 4))) == pytest.approx(plain)


@pytest.mark.parametrize("shape", [(3, 2), (5000, 2), (40, 25, 4), (300, 7, 3), (300, 3, 7), (200, 8, 9), (500, 1, 1)])
@pytest.mark.parametrize("kind", ["float64", "int64", "uint8"])
def test_sums_of_many_small_tables_are_numpys_to_the_last_digit(shape: tuple[int, ...], kind: str) -> None:
    values = np.random.default_rng(len(shape)).uniform(0, 200, shape).astype(kind)

    for found, right in ((sum_rows(values), values.sum(axis=-1)), (sum_columns(values), values.sum(axis=-2))):
        assert found.dtype == right.dtype
        np.testing.assert_array_equal(found, right)


def test_a_batch_takes_care_only_of_tables_that_need_it() -> None:
    """Entropies of each table are those that it has alone, with extremes beside it or without."""
    tables = np.array(
        [[[40, 3], [5, 60]], [[50, 0], [50, 0]], [[90, 1], [2, 80]], [[10**9, 1], [0, 7]], [[3, 9], [8, 2]]]
    )
    several = entropies(Contingency.from_matrix(tables[0]).with_cells(tables.reshape(len(tables), -1)))
    for at, table in enumerate(tables):
        alone = entropies(Contingency.from_matrix(table))
        for name in ("truth", "system", "joint", "mutual", "missed", "spurious"):
            assert getattr(several, name)[at] == getattr(alone, name), (at, name)


def test_no_negative_zero() -> None:
    """A system that is never right has the loss 0, which would be printed as −0."""
    table = Contingency.from_matrix([[0, 2], [1, 0]])

    found = {entry.name: np.asarray(entry.score(table)) for entry in metrics_of("table")}
    negative = [name for name, value in found.items() if np.any((value == 0) & np.signbit(value))]

    assert negative == []
