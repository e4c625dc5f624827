"""Hu & Wang 2008: classifiers with a rejected class; the last column of each matrix is the rejection."""

import numpy as np
import pytest

from infoscope import Contingency, evaluate
from tests.api import find
from tests.papers.printed import Printed, assert_as_printed, cases

MATRICES = {
    "M1": [[90, 0, 0], [0, 10, 0]],
    "M2": [[90, 0, 0], [10, 0, 0]],
    "M3": [[80, 10, 0], [0, 10, 0]],
    "M4": [[78, 12, 0], [0, 10, 0]],
    "M5": [[74, 6, 10], [0, 9, 1]],
    "M6": [[78, 6, 6], [0, 5, 5]],
    "M7": [[90, 0, 0], [1, 9, 0]],
    "M8": [[89, 1, 0], [0, 10, 0]],
    "M9": [[90, 0, 0], [0, 9, 1]],
    "M10": [[88, 0, 2], [0, 10, 0]],
    "M11": [[0, 0, 80, 0], [0, 15, 0, 0], [5, 0, 0, 0]],
    "M12": [[75, 0, 5, 0], [0, 15, 0, 0], [0, 0, 5, 0]],
    "M13": [[80, 0, 0, 0], [0, 15, 0, 0], [1, 4, 0, 0]],
    "M14": [[80, 0, 0, 0], [0, 15, 0, 0], [4, 1, 0, 0]],
    "M15": [[80, 0, 0, 0], [1, 10, 4, 0], [0, 0, 5, 0]],
    "M16": [[80, 0, 0, 0], [4, 10, 1, 0], [0, 0, 5, 0]],
    "M17": [[79, 0, 1, 0], [0, 14, 1, 0], [0, 0, 5, 0]],
    "M18": [[79, 0, 0, 1], [0, 14, 0, 1], [0, 0, 5, 0]],
    "M19": [[50, 0, 0, 0], [0, 24, 16, 0], [0, 6, 4, 0]],
    "M20": [[50, 0, 0, 0], [0, 14, 26, 0], [0, 6, 4, 0]],
}


def with_reject(matrix: object) -> Contingency:
    """A table, or a batch, whose last column is the rejection and whose first class is the positive one."""
    array = np.asarray(matrix)
    return Contingency.from_matrix(array, reject=array.shape[-1] - 1, positive=0)


TABLES = {name: with_reject(matrix) for name, matrix in MATRICES.items()}

PRINTED = {
    "accepted_accuracy": {
        "M1": "1.000", "M2": "0.900", "M3": "0.900", "M4": "0.880", "M5": "0.933", "M6": "0.933", "M7": "0.990",
        "M8": "0.990", "M9": "1.000", "M10": "1.000", "M11": "0.15", "M12": "0.95", "M13": "0.95", "M14": "0.95",
        "M15": "0.95", "M16": "0.95", "M17": "0.98", "M18": "1.00", "M19": "0.78", "M20": "0.68",
    },
    "precision": {
        "M1": "1.000", "M2": "0.900", "M3": "1.000", "M4": "1.000", "M5": "1.000", "M6": "1.000", "M7": "0.989",
        "M8": "1.000", "M9": "1.000", "M10": "1.000",
    },
    "recall": {
        "M1": "1.000", "M2": "1.000", "M3": "0.889", "M4": "0.867", "M5": "0.822", "M6": "0.867", "M7": "1.000",
        "M8": "0.989", "M9": "1.000", "M10": "0.978",
    },
    "rejection_rate": {
        "M1": "0.000", "M2": "0.000", "M3": "0.000", "M4": "0.000", "M5": "0.110", "M6": "0.110", "M7": "0.000",
        "M8": "0.000", "M9": "0.010", "M10": "0.020", "M11": "0.00", "M12": "0.00", "M13": "0.00", "M14": "0.00",
        "M15": "0.00", "M16": "0.00", "M17": "0.00", "M18": "0.02", "M19": "0.00", "M20": "0.00",
    },
    "proficiency": {
        "M1": "1.000", "M2": "0.000", "M3": "0.574", "M4": "0.534", "M5": "0.586", "M6": "0.534", "M7": "0.831",
        "M8": "0.897", "M9": "1.000", "M10": "1.000", "M11": "1.000", "M12": "0.887", "M13": "0.753", "M14": "0.677",
        "M15": "0.811", "M16": "0.693", "M17": "0.909", "M18": "0.977", "M19": "0.735", "M20": "0.746",
    },
}  # fmt: skip

PERCENT = {
    "accuracy": {
        "M11": "15", "M12": "95", "M13": "95", "M14": "95", "M15": "95", "M16": "95", "M19": "78", "M20": "68",
    }
}  # fmt: skip


def score(metric: str, table: Contingency) -> np.ndarray:
    return np.asarray(find(metric).score(table))


@pytest.mark.parametrize("printed", [*cases(PRINTED), *cases(PERCENT, scale=100)])
def test_as_printed(printed: Printed) -> None:
    assert_as_printed(TABLES[printed.table], printed)


def test_losing_a_sample_of_the_large_class_costs_less() -> None:
    """M7 and M8 make one error each, in the small and in the large class."""
    assert score("accuracy", TABLES["M7"]) == score("accuracy", TABLES["M8"])
    assert score("proficiency", TABLES["M8"]) > score("proficiency", TABLES["M7"])


def test_proficiency_is_not_monotone_in_accuracy() -> None:
    assert score("accuracy", TABLES["M19"]) > score("accuracy", TABLES["M20"])
    assert score("proficiency", TABLES["M19"]) < score("proficiency", TABLES["M20"])


@pytest.mark.parametrize("name", ["M1", "M5", "M9", "M10", "M11", "M20"])
def test_right_wrong_and_rejected_are_everything(name: str) -> None:
    table = TABLES[name]

    parts = score("accuracy", table) + score("error_rate", table) + score("rejection_rate", table)

    assert parts == pytest.approx(1.0, abs=1e-15)


def all_class_sizes(below: int = 200) -> tuple[np.ndarray, np.ndarray]:
    """Every 1 ≤ C2 < C1 < 200."""
    large, small = np.meshgrid(np.arange(1, below), np.arange(1, below), indexing="ij")
    return large[small < large], small[small < large]


def one_sample_moved(cell: tuple[int, int]) -> np.ndarray:
    """The proficiency after one sample of an exact solution went to another column, for all class sizes."""
    large, small = all_class_sizes()
    matrices = np.zeros((large.size, 2, 3))
    matrices[:, 0, 0], matrices[:, 1, 1] = large, small
    row, column = cell
    matrices[:, row, row] -= 1
    matrices[:, row, column] += 1
    return score("proficiency", with_reject(matrices))


def test_property_5_an_error_in_the_small_class_costs_more() -> None:
    assert np.all(one_sample_moved((1, 0)) < one_sample_moved((0, 1)))


@pytest.mark.parametrize("row", [0, 1])
def test_property_6_an_error_costs_more_than_a_rejection(row: int) -> None:
    assert np.all(one_sample_moved((row, 1 - row)) < one_sample_moved((row, 2)))


@pytest.mark.parametrize("row", [0, 1])
def test_property_3_a_rejection_of_one_class_is_free(row: int) -> None:
    np.testing.assert_array_equal(one_sample_moved((row, 2)), 1.0)


def test_property_3_fails_where_rejections_are_of_several_classes() -> None:
    """Every accepted sample is right, as in the paper's own M18, and yet information is lost with the rejected ones.

    A rejection then leaves open which of the classes it was: H(T | rejected) bits of each rejected sample.
    """
    table = TABLES["M18"]
    truth = np.array([0.8, 0.15, 0.05])

    assert score("accepted_accuracy", table) == 1.0
    assert score("proficiency", table) == pytest.approx(1 - 0.02 * 1.0 / -np.sum(truth * np.log2(truth)), abs=1e-12)


@pytest.mark.parametrize("hits", [0, 3, 10])
def test_no_information_along_equation_32(hits: int) -> None:
    """C1 = 90, C2 = 10: no information is captured where TP = C1 − TN·C1/C2."""
    true_positives = 90 - 9 * hits

    table = Contingency.from_matrix([[true_positives, 90 - true_positives], [10 - hits, hits]])

    assert score("proficiency", table) == pytest.approx(0.0, abs=1e-15)


@pytest.mark.parametrize("matrix", MATRICES.values(), ids=MATRICES.keys())
def test_bounds_enclose_the_error_of_the_best_decision(matrix: list[list[int]]) -> None:
    table = with_reject(matrix)
    best = score("bayes_error", table)

    assert score("fano_bound", table) <= score("tight_fano_bound", table) + 1e-12
    assert score("tight_fano_bound", table) <= best + 1e-9
    assert best <= score("hellman_raviv_bound", table) + 1e-12
    assert best <= score("error_rate", table) + score("rejection_rate", table) + 1e-12


@pytest.mark.parametrize("name", ["M4", "M11", "M19", "M20"])
def test_the_bound_does_not_hold_for_the_systems_own_error(name: str) -> None:
    assert score("error_rate", TABLES[name]) > score("hellman_raviv_bound", TABLES[name])


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES.keys())
def test_repaired_index_takes_away_what_the_rejections_tell(table: Contingency) -> None:
    """NI without the reject column is NI − P(reject)·KL(T|reject ‖ T)/H(T)."""
    p = table.counts / table.total
    truth, rejected = p.sum(axis=1), p[:, -1]
    share = rejected.sum()
    captured = 0.0 if share == 0 else sum(x * np.log2(x / share / t) for x, t in zip(rejected, truth, strict=True) if x)
    expected = score("proficiency", table) - captured / -np.sum(truth * np.log2(truth))

    assert score("proficiency_without_reject", table) == pytest.approx(expected, abs=1e-12)


def test_no_report_calls_one_of_two_equal_models_the_better() -> None:
    """M4 and M6 have the same NI (Property 2): in this sample neither captures more than the other."""
    models = {name: TABLES[name] for name in ("M4", "M6")}

    for metrics in (None, "NI_e"):
        text = evaluate(models, metrics=metrics, uncertainty=None).to_text()
        assert "of 2 systems; 1 other as much" in " ".join(text.split())
    assert "as much" not in evaluate({name: TABLES[name] for name in ("M3", "M4")}, uncertainty=None).to_text()
