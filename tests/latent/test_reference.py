"""Latent truth against figures that are not ours: Dawid and Skene's data, exact populations, the R package rater."""

import json
from functools import cache
from typing import Any

import numpy as np
import pytest

from tests.api import Arrangement, Fit, Rows, arrange, draw_chains, fit_model
from tests.reference import reference_file, why_absent

pytestmark = pytest.mark.skipif(
    bool(why_absent("oracle_without_truth.json")), reason=str(why_absent("oracle_without_truth.json"))
)


@cache
def oracle() -> dict[str, Any]:
    return json.loads(reference_file("oracle_without_truth.json").read_text(encoding="utf-8"))["latent"]


def case(start: str) -> dict[str, Any]:
    return next(found for name, found in oracle().items() if name.startswith(start))


def readings() -> np.ndarray:
    return np.array(case("anaesthetists, seven")["rows"])


def most_likely(arrangement: Arrangement) -> Fit:
    return fit_model(arrangement.data, None, 0.0, tolerance=1e-14)


def compare(fit: Fit, wanted: dict[str, Any], tolerance: float, order: list[int] | None = None) -> None:
    found = fit.parameters.predictions
    assert fit.parameters.frequencies == pytest.approx(wanted["shares"], abs=tolerance)
    for at, table in enumerate(wanted["answers given the class"]):
        assert found[at if order is None else order[at]] == pytest.approx(np.array(table), abs=tolerance)


def test_repeated_predictions_of_one_anaesthetist() -> None:
    wanted = case("anaesthetists, seven")
    patterns = Rows.from_columns({f"c{at}": column for at, column in enumerate(readings().T)})
    fit = most_likely(arrange(patterns, same={"one": ("c0", "c1", "c2")}))
    figures = wanted["maximum likelihood from the votes' shares"]

    compare(fit, figures, wanted["tolerance"])
    assert fit.log_likelihood == pytest.approx(figures["log-likelihood (nats)"], abs=1e-6)


def test_first_readings_only() -> None:
    wanted = case("anaesthetists, first")
    patterns = Rows.from_columns({f"c{at}": readings()[:, at] for at in (0, 3, 4, 5, 6)})
    fit = most_likely(arrange(patterns))

    compare(fit, wanted["maximum likelihood"], wanted["tolerance"])
    assert fit.log_likelihood == pytest.approx(wanted["maximum likelihood"]["log-likelihood (nats)"], abs=1e-6)


def test_exact_populations() -> None:
    for each in oracle()["exact populations"]:
        sizes = [len(table[0]) for table in each["answers given the class"]]
        labels = {f"s{at}": [str(code) for code in range(size)] for at, size in enumerate(sizes)}
        patterns = Rows.from_codes(labels, np.array(each["patterns"]).T, np.array(each["counts"]))
        classes = [str(code) for code in range(len(each["shares"]))]
        compare(most_likely(arrange(patterns, classes=classes)), each, each["tolerance"])


@pytest.mark.slow
def test_posterior_of_the_package_rater() -> None:
    """With its prior (3 per class; 8 pseudo-predictions, 0.6 of them right) and its copy of the data."""
    wanted = case("anaesthetists, seven")
    printed = next(value for name, value in wanted.items() if name.startswith("posterior mean"))
    rows = readings().copy()
    rows[6, :3] = (1, 1, 2)
    patterns = Rows.from_columns({f"c{at}": column for at, column in enumerate(rows.T)})
    data = arrange(patterns, same={"one": ("c0", "c1", "c2")}).data
    prior = [np.full((4, 4), 8 * 0.4 / 3) + np.eye(4) * (8 * 0.6 - 8 * 0.4 / 3) for _ in data.channels]
    start = fit_model(data, prior, 3.0).parameters
    draws = draw_chains(data, [start, start], 200, 1500, 7, prior, frequency_prior=3.0)

    assert draws.frequencies.mean(axis=0) == pytest.approx(printed, abs=wanted["tolerance of that"])
