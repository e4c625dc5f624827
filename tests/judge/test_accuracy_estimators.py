"""PPI++ and the bias-adjusted estimator of the accuracy against reference figures and by hand."""

import json
from functools import cache
from typing import Any

import numpy as np
import pytest

from tests.api import Agreements, StratumCounts, estimate_bias_adjusted_accuracy, estimate_ppi_accuracy
from tests.reference import reference_file, why_absent

ABSENT = why_absent("oracle_judge.json")


@cache
def cases() -> list[dict[str, Any]]:
    document = json.loads(reference_file("oracle_judge.json").read_text(encoding="utf-8"))
    return [case for case in document["cases"] if not case["verdict"]]


def agreements(case: dict[str, Any]) -> Agreements:
    return Agreements.count(StratumCounts.from_tensors(np.array(case["labelled"]), np.array(case["everything"])))


@pytest.mark.skipif(ABSENT is not None, reason=str(ABSENT))
def test_reference_figures() -> None:
    seen = {"ppi_plus_accuracy": 0, "lee_accuracy": 0}
    for case in cases():
        for name, estimator in (
            ("ppi_plus_accuracy", estimate_ppi_accuracy),
            ("lee_accuracy", estimate_bias_adjusted_accuracy),
        ):
            if name not in case["reference"]:
                continue
            found, wanted = estimator(agreements(case)), case["reference"][name]
            if wanted is None:
                assert found.value is None
                assert found.undefined
                continue
            seen[name] += 1
            # the reference has z rounded to 1.959964
            assert [found.value, found.low, found.high] == pytest.approx(wanted, abs=5e-9)
    assert min(seen.values()) >= 7


def test_verdicts_of_right_and_wrong() -> None:
    """Of 3 classes and the verdicts wrong and right: the same table by hand."""
    rng = np.random.default_rng(1)
    labelled = rng.integers(0, 9, (3, 2, 3)).astype(float)
    everything = labelled.sum(axis=0) + rng.integers(5, 50, (2, 3))
    counts = StratumCounts.from_tensors(labelled, everything, names_classes=False)
    found = Agreements.count(counts, np.array([[False] * 3, [True] * 3]))
    hits = np.eye(3, dtype=bool)
    assert found.accepted_right == labelled[:, 1][hits].sum()
    assert found.rejected_right == labelled[:, 0][hits].sum()
    assert found.accepted_wrong == labelled[:, 1][~hits].sum()
    assert found.rejected_wrong == labelled[:, 0][~hits].sum()
    assert found.accepted == (everything - labelled.sum(axis=0))[1].sum()


def test_what_has_no_value_says_why() -> None:
    assert estimate_ppi_accuracy(Agreements(7, 1, 1, 3, 0, 0)).undefined == "every row is labelled"
    assert (
        estimate_bias_adjusted_accuracy(Agreements(7, 1, 0, 0, 60, 100)).undefined == "no labelled prediction is wrong"
    )
    contrary = Agreements(2, 30, 20, 3, 60, 100)
    assert "no better than chance" in (estimate_bias_adjusted_accuracy(contrary).undefined or "")
    constant = estimate_ppi_accuracy(Agreements(40, 0, 10, 0, 100, 100))  # the judge accepts everything: labels alone
    assert constant.value == pytest.approx(0.8)
    assert constant.sd == pytest.approx(np.sqrt(0.8 * 0.2 / 50))
