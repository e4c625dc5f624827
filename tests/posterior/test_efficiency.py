"""The Cramér-Rao bound over the mean squared error of a metric, by sample size."""

from itertools import product
from math import factorial

import numpy as np
import pytest

from infoscope import Contingency
from infoscope.errors import InputError, UndefinedError
from infoscope.metrics import mutual_information
from infoscope.posterior import cramer_rao_efficiency, cramer_rao_sd

SMALL = Contingency.from_matrix([[12, 1, 0], [2, 9, 1], [0, 3, 11]])
TWO = Contingency.from_matrix([[4, 1], [2, 3]])


def test_it_is_the_bound_over_the_error_of_all_samples() -> None:
    """Every table of six samples of two classes, with its multinomial probability."""
    p = TWO.counts.ravel() / TWO.total
    tables = [np.array(n) for n in product(range(7), repeat=4) if sum(n) == 6]
    chances = [factorial(6) * np.prod(p**n / [factorial(k) for k in n]) for n in tables]
    errors = [mutual_information(Contingency.from_matrix(n.reshape(2, 2))) - mutual_information(TWO) for n in tables]
    wanted = cramer_rao_sd(TWO, "mutual_information") ** 2 * TWO.total / 6 / np.dot(chances, np.square(errors))

    assert sum(chances) == pytest.approx(1.0)
    found = cramer_rao_efficiency(TWO, "mutual_information", [6], draws=200_000)
    assert found == pytest.approx([wanted], rel=0.02)


def test_a_proportion_reaches_the_bound_and_information_only_with_many_samples() -> None:
    assert cramer_rao_efficiency(SMALL, "accuracy", [10, 1000], draws=50_000) == pytest.approx([1, 1], rel=0.03)
    few, some, many = cramer_rao_efficiency(SMALL, "proficiency", [39, 390, 39_000], draws=20_000)
    assert few < 0.8 < some < 0.99
    assert many == pytest.approx(1.0, rel=0.03)


def test_there_is_none_where_the_bound_is_0_or_nothing_varies() -> None:
    assert cramer_rao_efficiency(Contingency.from_matrix([[10, 10], [10, 10]]), "mutual_information", [50]) == [0.0]
    assert np.isnan(cramer_rao_efficiency(Contingency.from_matrix([[5, 0], [0, 5]]), "accuracy", [50])).all()


def test_large_tables_are_drawn_in_blocks() -> None:
    large = Contingency.from_matrix(np.eye(100) * 20 + 1)

    assert cramer_rao_efficiency(large, "accuracy", [2000], draws=400) == pytest.approx([1.0], rel=0.25)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"sizes": 5}, "sizes is 5; give a list of sample sizes"),
        ({"sizes": []}, "at least one sample size"),
        ({"sizes": [0]}, "whole numbers from 1 on"),
        ({"sizes": [2.5]}, "whole numbers from 1 on"),
        ({"sizes": [10], "draws": 0}, "0 draws are asked for"),
        ({"sizes": [10], "seed": -1}, "seed must be a whole number"),
    ],
)
def test_wrong_options_are_rejected(options: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        cramer_rao_efficiency(SMALL, "accuracy", **options)


def test_a_metric_that_is_no_function_of_probabilities_has_none() -> None:
    with pytest.raises(UndefinedError, match="no Cramér-Rao bound"):
        cramer_rao_efficiency(SMALL, "adjusted_mutual_information", [10])
