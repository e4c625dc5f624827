"""The same PPI++ as ppi-python, where it is installed (extra ``peers``)."""

import numpy as np
import pytest

from tests.api import Agreements, estimate_ppi_accuracy

ppi_py = pytest.importorskip("ppi_py")


@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize("seed", range(6))
def test_accuracy_of_few_labels_and_many_verdicts(seed: int, level: float) -> None:
    rng = np.random.default_rng([93, seed])
    n, unlabelled = int(rng.integers(20, 300)), int(rng.integers(50, 3000))
    right = rng.random(n + unlabelled) < rng.uniform(0.3, 0.95)
    verdict = np.where(rng.random(n + unlabelled) < rng.uniform(0.4, 1.0), right, rng.random(n + unlabelled) < 0.5)
    truth, mine, others = right[:n].astype(float), verdict[:n].astype(float), verdict[n:].astype(float)
    counts = [float(((truth == y) & (mine == f)).sum()) for y in (1, 0) for f in (1, 0)]
    found = estimate_ppi_accuracy(Agreements(*counts, float(others.sum()), float(unlabelled)), level)

    low, high = (float(np.ravel(end)[0]) for end in ppi_py.ppi_mean_ci(truth, mine, others, alpha=1 - level))
    assert found.value == pytest.approx(
        float(np.ravel(ppi_py.ppi_mean_pointestimate(truth, mine, others))[0]), abs=1e-12
    )
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-12)
