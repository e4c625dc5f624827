"""Systems that capture no significant information: never best, never tied, whatever the metric."""

import re

import numpy as np
import pytest

import infoscope as ifs


@pytest.fixture(scope="module")
def rare() -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """A rare class that a constant misses and a useful detector finds with many false alarms: less accurate by far."""
    rng = np.random.default_rng(8)
    truth = rng.random(2000) < 0.03
    found = np.where(truth, rng.random(2000) < 0.8, rng.random(2000) < 0.12)
    coin = rng.random(2000) < 0.5
    return truth, {"constant": np.zeros(2000, bool), "coin": coin, "detector": found}


@pytest.mark.parametrize("metric", ["proficiency", "accuracy", "erroneous_information_ratio", "error_rate"])
def test_a_constant_is_never_best_nor_tied(rare, metric):
    truth, systems = rare
    ranking = ifs.compare(truth, systems, metrics=metric).ranking[0]

    assert set(ranking.uninformative) == {"constant", "coin"}
    assert ranking.best in ("detector", None)
    assert ranking.front == ("detector",)
    assert ranking.places[0].name == "detector"
    assert [place.groups for place in ranking.places if place.name != "detector"] == [(), ()]
    assert [place.probability_best for place in ranking.places] == [1, 0, 0]


def test_the_headline_names_the_best_and_a_finding_what_is_left_out(rare):
    truth, systems = rare
    result = ifs.compare(truth, systems)

    first, *_ = result.to_text().strip().splitlines()
    assert first.startswith("detector is the best of 3: F1 of 'True' ")
    assert any(
        "constant and coin capture no more information than expected by chance" in finding.text
        for finding in result.findings
    )
    assert result.to_text(width=140).count("no information") >= 2


@pytest.mark.slow
def test_without_any_information_there_is_no_winner_and_no_tie(rare):
    truth, systems = rare
    systems = {name: systems[name] for name in ("constant", "coin")}
    compared, evaluated = ifs.compare(truth, systems), ifs.evaluate(truth, systems)

    for text in (compared.to_text(), compared.to_markdown(), evaluated.to_text(), evaluated.to_markdown()):
        assert re.search(r"[Nn]one of the 2\s+systems\s+captures\s+more", text)
        assert " best " not in text.replace("neither best", "")
        assert "do not differ significantly in what" not in text
    assert compared.ranking[0].best is None
    assert compared.ranking[0].front == ()


@pytest.mark.slow
def test_an_evaluation_puts_what_is_told_from_chance_first(rare):
    truth, systems = rare
    evaluation = ifs.evaluate(truth, systems)

    assert evaluation.ranking[0].name == "detector"
    assert not evaluation["coin"].is_informative
    page = evaluation.to_html()
    assert "no information" in page
    again = ifs.Evaluation.from_dict(evaluation.to_dict())
    assert [system.name for system in again.ranking] == [system.name for system in evaluation.ranking]


def test_one_system_that_tells_nothing_is_said_to():
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 5, 400)
    text = ifs.evaluate(truth, rng.permutation(truth)).to_text()

    assert "system captures no more information than expected by chance" in text
