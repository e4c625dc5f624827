"""Systems of every kind of result answer alike, and print few lines."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

import pytest

from infoscope import Contingency, Evaluation, Finding, evaluate
from infoscope.errors import UnknownNameError
from tests.api import KINDS
from tests.results.examples import example

NEVER_FOX = Contingency.from_labels(["cat", "dog", "fox"] * 30, ["cat", "dog", "dog"] * 30)
NAMES = {
    "agreement": ("ann", "bob", "eve"),
    "comparison": ("good", "poor"),
    "cross-validation": ("tree", "stump"),
    "drift": ("ann", "bob", "eve"),
    "evaluation": ("good", "poor"),
    "gate": ("good", "poor"),
    "history": ("svm",),
    "labelled-estimate": ("ann", "bob", "eve", "joe"),
    "latent-truth": ("ann", "bob", "eve", "joe"),
    "multilabel": ("near", "far"),
    "score-groups": ("total", "site 0", "site 3"),
    "tracking": ("steady", "nervous"),
}
TABULATED = ("cross-validation", "evaluation", "labelled-estimate", "latent-truth")


@pytest.mark.parametrize("kind", NAMES)
def test_numbers_and_intervals_are_asked_for_by_name_and_a_system_prints_three_lines(kind: str) -> None:
    result: Any = example(kind)
    for name in NAMES[kind]:
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


@pytest.mark.parametrize("kind", NAMES)
def test_a_system_has_its_table_or_says_where_one_is(kind: str) -> None:
    result: Any = example(kind)
    for name in NAMES[kind]:
        if kind in TABULATED:
            assert isinstance(result[name].table, Contingency)
        else:
            with pytest.raises(AttributeError, match=f"'{name}' has no table here; .* evaluate"):
                result[name].table  # noqa: B018 - a property


def test_a_stored_evaluation_has_tables() -> None:
    stored: Any = Evaluation.from_dict(example("evaluation").to_dict())

    assert stored.systems[0].table is None
    assert stored["good"].table.counts.sum() == 200


@pytest.mark.parametrize("kind", sorted(KINDS.keys() - NAMES.keys()))
def test_results_about_no_systems_say_so(kind: str) -> None:
    result: Any = example(kind)
    with pytest.raises(UnknownNameError, match=f"of the kind '{kind}' has no systems .* to_frame"):
        result["svm"]
    with pytest.raises(TypeError, match="not iterable"):
        iter(result)


def test_a_misspelt_name_is_one_of_few_or_near_one_of_many() -> None:
    few: Any = example("evaluation")
    with pytest.raises(UnknownNameError, match=r"no system 'god'; there is 'good', 'poor'$"):
        few["god"]
    many: Any = evaluate({f"system {letter}": few["good"].table for letter in "abcdefgh"})
    with pytest.raises(UnknownNameError, match=r"no system 'sistem c'; did you mean 'system c'\?$"):
        many["sistem c"]


@pytest.mark.parametrize("kind", ["evaluation", "multilabel", "tracking"])
def test_findings_hold_those_of_systems_with_their_name_and_documents_hold_them_once(kind: str) -> None:
    result: Any = evaluate({"good": NEVER_FOX, "poor": NEVER_FOX}) if kind == "evaluation" else example(kind)
    named = [(finding.system, finding.code) for finding in result.findings if finding.system]
    assert named == [(system.name, finding.code) for system in result for finding in system.diagnosis]
    assert named

    document = result.to_dict()
    assert not any("system" in finding for finding in document["findings"])
    copies = [finding for system in document["systems"] for finding in system["diagnosis"]]
    for stored in (document, document | {"findings": copies}):  # as an older version wrote them
        assert [(finding.system, finding.code) for finding in type(result).from_dict(stored).findings] == named


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_no_part_of_a_result_prints_screens(kind: str) -> None:
    """What is reached by attributes and items: findings alone print their whole sentence."""
    hidden = ("evaluated", "sampler", "posterior", "ladder", "levels", "settings", "convention")

    def check_parts(part: Any) -> None:
        if isinstance(part, Finding):
            assert len(repr(part)) <= len(part.text) + 100
        elif is_dataclass(part) and not isinstance(part, Contingency):
            assert len(repr(part).splitlines()) <= 5, type(part)
            assert max(map(len, repr(part).splitlines())) <= 200, type(part)
            for item in fields(part):
                if item.name not in hidden:
                    check_parts(getattr(part, item.name))
        elif isinstance(part, (tuple, list)):
            for inside in part[:4]:
                check_parts(inside)
        elif isinstance(part, dict):
            check_parts(list(part.values()))

    check_parts(example(kind))
