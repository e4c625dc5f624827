"""The test for chance at many and at few samples per cell: what answers dealt at random show."""

import numpy as np
import pytest

from infoscope.diagnosis.statistics import TableStatistics
from infoscope.tables import Contingency


def p_values(classes: int, samples: int, repeats: int) -> np.ndarray:
    """Of answers that have nothing to do with the truth."""
    rng = np.random.default_rng(classes * samples)
    truth = rng.integers(0, classes, samples)
    tables = [Contingency.from_labels(truth, rng.permutation(truth)) for _ in range(repeats)]
    return np.array([TableStatistics(table, table.sample_size).chance_p_value for table in tables])


@pytest.mark.parametrize(("classes", "samples"), [(3, 600), (12, 150), (20, 100), (40, 80)])
def test_chance_lies_in_the_middle_and_is_rarely_called_dependence(classes: int, samples: int) -> None:
    """By the χ² law of many samples, 80 samples in 40 classes would have p-values above 0.999 only."""
    found = p_values(classes, samples, 100)

    assert found.mean() == pytest.approx(0.5, abs=0.12)
    assert np.mean(found < 0.05) < 0.12


def test_dependence_in_few_samples_is_told_from_chance() -> None:
    """Three of four answers are right, and by chance one in 20 would be."""
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 20, 100)
    system = np.where(rng.random(100) < 0.75, truth, rng.integers(0, 20, 100))
    table = Contingency.from_labels(truth, system)

    assert not TableStatistics(table, table.sample_size).could_be_chance
