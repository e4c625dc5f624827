"""One number, wherever it stands: functions, document, text, Markdown, page, report, comparison and gate agree."""

import html
import re
from typing import Any

import numpy as np
import pytest

import infoscope as ifs

TOLERANCE = 1e-9
"""Some are computed from the rows in another order."""


def systems(seed: int) -> tuple[list[Any], dict[str, list[Any]], dict[str, Any]]:
    """Truth, predictions of two systems and keywords, drawn at random."""
    rng = np.random.default_rng(seed)
    classes, rows = int(rng.choice([2, 3, 6])), int(rng.choice([15, 80, 600]))
    names: list[Any] = list(range(classes)) if rng.random() < 0.5 else [f"c{at}" for at in range(classes)]
    truth = np.concatenate([np.arange(classes), rng.integers(0, classes, rows)])
    guesses = {
        name: np.where(rng.random(len(truth)) < level, truth, rng.integers(0, classes, len(truth)))
        for name, level in (("one", 0.8), ("two", 0.3))
    }
    options: dict[str, Any] = {} if rng.random() < 0.5 else {"sample_weight": rng.random(len(truth)) + 0.1}
    options |= {"positive": names[-1]} if classes == 2 else {}
    return [names[at] for at in truth], {key: [names[at] for at in codes] for key, codes in guesses.items()}, options


def words(markup: str) -> str:
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", markup)).replace("\\", ""))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.filterwarnings("ignore::infoscope.InfoscopeWarning")
def test_every_place_has_the_same_number(seed):
    truth, predicted, options = systems(seed)
    found = ifs.evaluate(truth, predicted, **options)
    for system, document in zip(found.systems, found.to_dict()["systems"], strict=True):
        for name, estimate in system.metrics.items():
            assert document["metrics"][name].get("value") == estimate.value
            if estimate.value is not None:
                value = getattr(ifs.metrics, name)(truth, predicted[system.name], **options)
                assert value == pytest.approx(estimate.value, rel=TOLERANCE, abs=1e-12), name
        check_report(system, ifs.report(truth, predicted[system.name], output_dict=True, **options))
    shown = {system.name: system.metrics for system in found.systems}
    for ranking in ifs.compare(truth, predicted, metrics=["proficiency", "accuracy", "macro_f1"], **options).ranking:
        for place in ranking.places:
            same(place.estimate, shown[place.name][ranking.metric])
    for check in ifs.gate(truth, predicted, min={"accuracy": 0.5, "proficiency": 0.1}, **options).checks:
        same(check.estimate, shown[check.system][check.metric])
    check_forms(found)


def same(one: ifs.Estimate, other: ifs.Estimate) -> None:
    for side in ("shown", "low", "high"):
        assert getattr(one, side) == pytest.approx(getattr(other, side), rel=TOLERANCE)


def check_report(system: Any, report: dict[str, Any]) -> None:
    for key, name in (("accuracy", "accuracy"), ("captured", "proficiency")):
        assert report[key] == pytest.approx(system.metrics[name].shown, rel=TOLERANCE)
        assert report[f"{key}_low"] == pytest.approx(system.metrics[name].low, rel=TOLERANCE)
    for average in ("macro", "weighted"):
        assert report[f"{average} avg"]["f1-score"] == pytest.approx(
            system.metrics[f"{average}_f1"].shown, rel=TOLERANCE
        )
    for rate, side in (("recall", system.classes), ("precision", system.outputs)):
        for item in side:
            value, shown = report[item.label][rate], item.shown(rate)
            assert value == (None if shown is None else pytest.approx(shown, rel=TOLERANCE))


def check_forms(found: ifs.Evaluation) -> None:
    """The numbers on top of the text are those of Markdown and of the page, digit by digit."""
    lines = re.findall(r"^  (?:one|two)  .*%.*$", found.to_text(width=160), re.M)
    assert len(lines) == 2
    numbers = re.findall(r"[\d.]+%|[\d.]+ – [\d.]+", " ".join(lines))
    assert len(numbers) in (12, 16)
    for form in (found.to_markdown(), found.to_html()):
        text = words(form)
        assert all(number in text for number in numbers)
