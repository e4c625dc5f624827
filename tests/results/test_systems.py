"""Systems of every kind of result answer alike, and print few lines."""

from __future__ import annotations

from typing import Any

import pytest

from infoscope.errors import UnknownNameError
from infoscope.studies.compare import Comparison
from infoscope.studies.cross_validate import CrossValidation
from tests.results.examples import example


@pytest.mark.parametrize(
    "kind", ["evaluation", "comparison", "multilabel", "tracking", "latent-truth", "cross-validation"]
)
def test_numbers_and_intervals_are_asked_for_by_name_and_a_system_prints_three_lines(kind: str) -> None:
    result: Any = example(kind)
    systems = result.estimators if isinstance(result, CrossValidation) else result.systems
    names = systems if isinstance(result, Comparison) else [system.name for system in systems]
    for name in names:
        system = result[name]
        assert system.metrics
        for metric, estimate in system.metrics.items():
            assert system.number(metric) == estimate.value
            assert system.interval(metric) == estimate.interval
        for ask in (system.number, system.interval, system.estimate):
            with pytest.raises(UnknownNameError, match="no metric 'no metric'"):
                ask("no metric")
            with pytest.raises(UnknownNameError, match="did you mean"):
                ask(f"{next(iter(system.metrics))}x")
        lines = repr(system).splitlines()
        assert lines[0].startswith(f"{name}: {len(system.metrics)} metric")
        assert len(lines) <= 3
        assert max(map(len, lines)) <= 100
    with pytest.raises(KeyError, match="nobody"):
        result["nobody"]


def test_a_system_shows_its_accuracy_and_what_it_captures() -> None:
    system = example("evaluation")["good"]

    assert system.number("NI") == system.number("proficiency")
    assert system.number("expected_cost") is None  # known, and not evaluated without costs
    assert [line.split()[0] for line in repr(system).splitlines()[1:]] == ["accuracy", "proficiency"]
