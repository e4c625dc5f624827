"""Exact moments against values that were computed another way, to 60 digits."""

import json
import os
from fractions import Fraction
from pathlib import Path

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.api import (
    MOMENT_MEASURES,
    Array,
    EntropyMoments,
    StoredCells,
    compute_excess_and_spread,
    compute_group_entropies,
    dense_moments,
    partition_covariance,
    partition_moments,
    sparse_moments,
    sum_overlaps,
)

REFERENCE = Path(os.environ.get("INFOSCOPE_REFERENCE_DATA", Path(__file__).parents[3] / "shared"))
ORACLE = REFERENCE / "oracle_bayes.json"
TABLES = json.loads(ORACLE.read_text())["tables"] if ORACLE.is_file() else []
ORDER = [MOMENT_MEASURES.index(name) for name in ("joint", "truth", "system")]

needs_oracle = pytest.mark.skipif(not TABLES, reason="oracle_bayes.json is not beside the project")


def prior_of(entry: dict) -> Array:
    prior = entry["prior"]
    if isinstance(prior, str):
        return np.full(np.shape(entry["counts"]), float(Fraction(prior)))
    return np.array([[float(Fraction(x)) for x in row] for row in prior])


def as_sparse(counts: Array, prior: float) -> EntropyMoments:
    rows, columns = np.nonzero(counts)
    return sparse_moments(StoredCells(rows, columns, counts[rows, columns], counts.shape), prior)


def check(moments: EntropyMoments, entry: dict) -> None:
    variances = np.array(entry["cov"], dtype=float)
    found = moments.covariance[np.ix_(ORDER, ORDER)]
    np.testing.assert_allclose(np.diag(found), np.diag(variances), rtol=1e-9, atol=1e-300)
    scale = np.sqrt(np.outer(np.diag(variances), np.diag(variances)))
    np.testing.assert_array_less(np.abs(found - variances), 1e-9 * scale + 1e-300)
    assert moments.sd_of("mutual") ** 2 == pytest.approx(float(entry["varI"]), rel=1e-9, abs=0)
    means = [float(entry[name]) for name in ("Hxy", "Hx", "Hy")]
    np.testing.assert_allclose(moments.mean[ORDER], means, rtol=1e-12, atol=1e-14)
    assert moments.mean_of("mutual") == pytest.approx(float(entry["I"]), rel=1e-9, abs=0)


@needs_oracle
@pytest.mark.reference
@pytest.mark.parametrize("entry", TABLES, ids=lambda entry: entry["name"])
def test_dense_moments_agree_with_the_oracle(entry: dict) -> None:
    check(dense_moments(np.array(entry["counts"], dtype=float) + prior_of(entry)), entry)


@needs_oracle
@pytest.mark.reference
@pytest.mark.parametrize(
    "entry",
    [entry for entry in TABLES if isinstance(entry["prior"], str) and np.any(entry["counts"])],
    ids=lambda entry: entry["name"],
)
def test_sparse_moments_agree_with_the_oracle(entry: dict) -> None:
    check(as_sparse(np.array(entry["counts"], dtype=float), float(Fraction(entry["prior"]))), entry)


@needs_oracle
@pytest.mark.reference
@pytest.mark.parametrize("entry", TABLES, ids=lambda entry: entry["name"])
def test_partitions_agree_with_the_oracle(entry: dict) -> None:
    v = np.array(entry["counts"], dtype=float) + prior_of(entry)
    rows, columns = np.indices(v.shape)
    cells = np.arange(v.size)
    moments = partition_moments([cells, rows.ravel(), columns.ravel()], v.ravel())
    variances = np.array(entry["cov"], dtype=float)
    np.testing.assert_allclose(np.diag(moments.covariance), np.diag(variances), rtol=1e-9, atol=1e-18)


# ── against mpmath, on tables the oracle does not have ─────────────────────────────────────────


def series(a: float, r: float, s: float) -> mpmath.mpf:
    """Σ r s T(a, r, s): terms by their ratio; the late ones by Σ_{m≥n} t_m = t_n G(n), G fitted to its recurrence."""
    a, r, s = map(mpmath.mpf, (a, r, s))

    def ratio(n: mpmath.mpf) -> mpmath.mpf:
        return (n + a) * (n - 1) ** 2 / ((n + 1) * (n + r) * (n + s))

    term, total = a * (a + 1) / (2 * (r + 1) * (s + 1)), mpmath.mpf(0)
    for n in range(2, 300):
        total += term
        term *= ratio(mpmath.mpf(n))
        if term < mpmath.mpf(10) ** -45 * total:
            return total
    last, size = mpmath.mpf(300), 12
    places = [last * (1 + mpmath.mpf(k) / 4) for k in range(size)]
    fit = mpmath.matrix([[x ** (1 - k) - ratio(x) * (x + 1) ** (1 - k) for k in range(size)] for x in places])
    g = mpmath.lu_solve(fit, mpmath.ones(size, 1))
    return total + term * mpmath.fsum(g[k] * last ** (1 - k) for k in range(size))


def exact_variances(counts: list[list[int]], prior: float) -> dict[str, mpmath.mpf]:
    """Var of seven measures, from the raw formula at high precision."""
    cells = [[mpmath.mpf(x) + mpmath.mpf(prior) for x in row] for row in counts]
    rows = [mpmath.fsum(row) for row in cells]
    columns = [mpmath.fsum(row[j] for row in cells) for j in range(len(cells[0]))]
    total = mpmath.fsum(rows)

    def theta(z: mpmath.mpf) -> mpmath.mpf:
        return z * ((z + 1) * mpmath.psi(1, z + 1) - 1)

    sums = {
        "J": mpmath.fsum(theta(x) for row in cells for x in row),
        "X": mpmath.fsum(map(theta, rows)),
        "Y": mpmath.fsum(map(theta, columns)),
        "S": mpmath.fsum(series(x, rows[i], columns[j]) for i, row in enumerate(cells) for j, x in enumerate(row) if x),
    }
    psi = [[mpmath.psi(0, x + 1) for x in row] for row in cells]
    psi_rows, psi_columns = ([mpmath.psi(0, x + 1) for x in side] for side in (rows, columns))

    def spread(f) -> mpmath.mpf:
        pairs = [(x / total, f(i, j)) for i, row in enumerate(cells) for j, x in enumerate(row)]
        mean = mpmath.fsum(w * y for w, y in pairs)
        return mpmath.fsum(w * (y - mean) ** 2 for w, y in pairs)

    forms = {
        "truth": (lambda i, j: psi_rows[i], sums["X"] - theta(total)),  # noqa: ARG005
        "system": (lambda i, j: psi_columns[j], sums["Y"] - theta(total)),  # noqa: ARG005
        "joint": (lambda i, j: psi[i][j], sums["J"] - theta(total)),
        "mutual": (
            lambda i, j: psi[i][j] - psi_rows[i] - psi_columns[j],
            sums["J"] - sums["X"] - sums["Y"] - theta(total) + 2 * sums["S"],
        ),
        "missed": (lambda i, j: psi[i][j] - psi_columns[j], sums["J"] - sums["Y"]),
        "spurious": (lambda i, j: psi[i][j] - psi_rows[i], sums["J"] - sums["X"]),
        "erroneous": (
            lambda i, j: 2 * psi[i][j] - psi_rows[i] - psi_columns[j],
            4 * sums["J"] - 3 * sums["X"] - 3 * sums["Y"] + 2 * sums["S"],
        ),
    }
    return {name: (spread(f) + b / total) / (total + 1) for name, (f, b) in forms.items()}


@pytest.mark.parametrize(
    ("counts", "prior"),
    [
        pytest.param([[10**9, 1], [0, 10**9]], 1e-6, id="almost perfect, 1e9"),
        pytest.param([[10**9, 0, 3], [0, 17, 0]], 0.25, id="rectangular, 1e9"),
        pytest.param([[5, 0], [0, 7]], 1e-6, id="tiny prior"),
        pytest.param([[0, 0], [3, 4]], 0.5, id="empty row"),
        pytest.param([[1, 0], [0, 1]], 1 / 4, id="two samples"),
        pytest.param([[333, 333], [333, 333]], 1.0, id="independent and even"),
        pytest.param([[3, 0], [0, 0]], 1e-8, id="one cell"),
        pytest.param([[3, 0], [0, 0]], 1e-4, id="one cell, where expansion begins"),
        pytest.param([[1, 0, 0], [0, 0, 0]], 1e-30, id="one sample"),
        pytest.param([[0, 0], [869025247, 423326449]], 1e-8, id="one row, 1e9"),
        pytest.param([[5, 7], [0, 0]], 1e-16, id="one row"),
        pytest.param([[5, 0], [7, 0], [1, 0]], 1e-16, id="one column"),
        pytest.param([[5, 0], [0, 7]], 1e-16, id="perfect"),
        pytest.param([[10**12, 0, 0], [0, 2, 0]], 1e-10, id="perfect, rectangular, 1e12"),
        pytest.param([[5, 7, 0], [0, 0, 4]], 1e-12, id="one truth for two answers"),
    ],
)
def test_variances_agree_with_mpmath(counts: list[list[int]], prior: float) -> None:
    table = np.array(counts, dtype=float)
    with mpmath.workdps(60):
        wanted = exact_variances(counts, prior)
    for moments in (dense_moments(table + prior), as_sparse(table, prior)):
        for name, value in wanted.items():
            assert moments.sd_of(name) ** 2 == pytest.approx(float(value), rel=1e-9, abs=0), name


@pytest.mark.parametrize("prior", [1e-100, 1e-300])
def test_a_prior_next_to_nothing_gives_numbers(prior: float) -> None:
    moments = dense_moments(np.array([[5.0, 7.0], [0.0, 0.0]]) + prior)

    assert 0 <= moments.sd_of("mutual") < 1e-40
    assert moments.mean_of("system") == pytest.approx(dense_moments(np.array([[5.0, 7.0]])).mean_of("system"))


@pytest.mark.parametrize("prior", [1e-8, 1e-16])
def test_entropy_within_a_class_keeps_its_digits(prior: float) -> None:
    found = compute_group_entropies(np.zeros(3, dtype=np.intp), np.array([4.0, 0, 0]) + prior, (np.zeros(1), 0.0))

    with mpmath.workdps(60):
        wanted = exact_variances([[4, 0, 0]], prior)["joint"]
    assert found.variance[0] == pytest.approx(float(wanted), rel=1e-9, abs=0)


@pytest.mark.parametrize("z", [1e-9, 1e-3, 0.5, 1.0, 15.9, 16.0, 123.4, 1e5, 1e9])
def test_special_functions_agree_with_mpmath(z: float) -> None:
    excess, spread = (float(x[0]) for x in compute_excess_and_spread(np.array([z])))
    with mpmath.workdps(50):
        x = mpmath.mpf(z)
        assert excess == pytest.approx(float(mpmath.psi(0, x + 1) - mpmath.log(x)), rel=2e-15)
        assert spread == pytest.approx(float(x * ((x + 1) * mpmath.psi(1, x + 1) - 1)), rel=1e-14)


@given(st.floats(0.001, 300), st.floats(0, 300), st.floats(0, 300))
def test_series_is_positive_and_below_its_coarser_case(a: float, more: float, other: float) -> None:
    r, s = a + more, a + other
    value = sum_overlaps(np.array([a]), np.array([r]), np.array([s]))
    nested = compute_excess_and_spread(np.array([r, s]))[1]
    assert 0 < value <= nested.min() * (1 + 1e-12)


@pytest.mark.parametrize(("a", "r", "s"), [(0.01, 0.5, 0.3), (1.0, 3.0, 3.0), (10.0, 12.0, 63.0), (2.0, 400.0, 9.0)])
def test_series_agrees_with_mpmath(a: float, r: float, s: float) -> None:
    with mpmath.workdps(30):
        wanted = float(series(a, r, s))
    assert sum_overlaps(np.array([a]), np.array([r]), np.array([s])) == pytest.approx(wanted, rel=1e-13)


def test_sparse_equals_dense_on_a_large_table() -> None:
    rng = np.random.default_rng(4)
    counts = rng.poisson(0.05, (90, 130)).astype(float)
    for prior in (1e-6, 0.01, 1.0):
        one, other = dense_moments(counts + prior), as_sparse(counts, prior)
        np.testing.assert_allclose(other.covariance, one.covariance, rtol=1e-9, atol=1e-16)
        np.testing.assert_allclose(other.mean, one.mean, rtol=1e-11)


@pytest.mark.slow
def test_covariance_of_any_partitions_agrees_with_draws() -> None:
    rng = np.random.default_rng(8)
    v = rng.gamma(1.0, 3.0, 24)
    one, other = rng.integers(0, 4, 24), rng.integers(0, 5, 24)
    p = rng.dirichlet(v, 200_000)

    def entropy(part: Array) -> Array:
        masses = p @ np.eye(part.max() + 1)[part]
        return -(masses * np.log(masses)).sum(1)

    a, b = entropy(one), entropy(other)
    products = (a - a.mean()) * (b - b.mean())
    error = products.std() / np.sqrt(p.shape[0])
    assert partition_covariance(one, other, v) == pytest.approx(products.mean(), abs=4 * error)
