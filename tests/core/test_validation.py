"""Declared checks: what passes, one form of message, aliases, and unknown keywords."""

from __future__ import annotations

import inspect
import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import infoscope as ifs
from infoscope.core.validation import ALIASES, LEVEL, READ_SETTINGS, SEED, Constraint, Number, OneOf, validated
from infoscope.errors import InputError


@validated(
    level=LEVEL,
    seed=SEED,
    rope=Number(0, closed="low", meaning="half the region of practical equivalence"),
    draws=Number(2, 64, closed="both", whole=True),
    population=OneOf("all", "unlabelled"),
)
def study(
    source: str,
    *,
    rope: float | None = None,
    level: float = 0.95,
    confidence_level: float | None = None,  # noqa: ARG001 - an alias
    seed: int | np.random.Generator = 0,
    rng: int | np.random.Generator | None = None,  # noqa: ARG001 - an alias
    draws: int = 8,
    weight: Any = None,
    sample_weight: Any = None,  # noqa: ARG001 - an alias
    population: str = "all",
) -> tuple[Any, ...]:
    """Return the arguments as the body receives them."""
    return source, rope, level, seed, draws, weight, population


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"level": 95}, "level must be between 0 and 1 (for example 0.95), got 95"),
        ({"level": 0}, "level must be between 0 and 1 (for example 0.95), got 0"),
        ({"level": 1.0}, "level must be between 0 and 1 (for example 0.95), got 1.0"),
        ({"level": np.float64(1)}, "level must be between 0 and 1 (for example 0.95), got 1.0"),
        ({"level": math.nan}, "level must be between 0 and 1 (for example 0.95), got nan"),
        ({"level": None}, "level must be between 0 and 1 (for example 0.95), got None"),
        ({"level": "0.9"}, "level must be between 0 and 1 (for example 0.95), got '0.9'"),
        ({"level": Decimal("0.9")}, "level must be between 0 and 1 (for example 0.95), got Decimal('0.9')"),
        ({"confidence_level": 95}, "confidence_level must be between 0 and 1 (for example 0.95), got 95"),
        ({"seed": -1}, "seed must be a whole number of 0 or more, got -1"),
        ({"seed": 1.0}, "seed must be a whole number of 0 or more, got 1.0"),
        ({"seed": True}, "seed must be a whole number of 0 or more, got True"),
        ({"rng": "now"}, "rng must be a whole number of 0 or more, got 'now'"),
        ({"rope": -0.1}, "rope must be a number of 0 or more, half the region of practical equivalence, got -0.1"),
        ({"rope": math.inf}, "rope must be a number of 0 or more, half the region of practical equivalence, got inf"),
        ({"draws": 1}, "draws must be a whole number from 2 to 64, got 1"),
        ({"draws": 65}, "draws must be a whole number from 2 to 64, got 65"),
        ({"draws": 8.0}, "draws must be a whole number from 2 to 64, got 8.0"),
        ({"population": "some"}, "population must be one of 'all', 'unlabelled', got 'some'"),
        ({"population": ["all"]}, "population must be one of 'all', 'unlabelled', got ['all']"),
        ({"level": [0.5] * 99}, f"level must be between 0 and 1 (for example 0.95), got {str([0.5] * 99)[:79]}…"),
    ],
)
def test_a_wrong_value_is_refused_in_one_form_of_message(given: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as error:
        study("rows", **given)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("given", "place", "value"),
    [
        ({}, 2, 0.95),
        ({"level": Fraction(1, 2)}, 2, Fraction(1, 2)),
        ({"level": np.float32(0.5)}, 2, 0.5),
        ({"rope": None}, 1, None),
        ({"rope": 0}, 1, 0),
        ({"seed": np.int64(7)}, 3, 7),
        ({"seed": 10**30}, 3, 10**30),
        ({"draws": 2}, 4, 2),
        ({"draws": np.uint8(64)}, 4, 64),
        ({"population": "unlabelled"}, 6, "unlabelled"),
        ({"confidence_level": 0.9}, 2, 0.9),
        ({"confidence_level": None, "level": 0.8}, 2, 0.8),
        ({"rng": 3}, 3, 3),
        ({"rng": 0, "seed": None}, 3, 0),
        ({"sample_weight": "w"}, 5, "w"),
    ],
)
def test_a_good_value_reaches_the_body(given: dict[str, Any], place: int, value: object) -> None:
    assert study("rows", **given)[place] == value


def test_an_array_is_taken_by_its_alias() -> None:
    weights = np.ones(3)
    assert study("rows", sample_weight=weights)[5] is weights


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ({"level": 0.9, "confidence_level": 0.9}, "confidence_level and level"),
        ({"seed": 1, "rng": 1}, "rng and seed"),
        ({"weight": [1], "sample_weight": [1]}, "sample_weight and weight"),
    ],
)
def test_a_parameter_and_its_alias_together_are_refused(given: dict[str, Any], names: str) -> None:
    with pytest.raises(InputError, match=rf"^{names} are the same; give one of them$"):
        study("rows", **given)


def test_a_generator_gives_a_seed_and_moves_on() -> None:
    generator = np.random.default_rng(5)
    first, second = study("rows", rng=generator)[3], study("rows", seed=generator)[3]
    assert type(first) is int
    assert first != second
    assert first == study("rows", rng=np.random.default_rng(5))[3]


def test_an_unknown_keyword_gets_the_nearest_name() -> None:
    with pytest.raises(TypeError, match=r"^unexpected keyword argument 'levle'; did you mean 'level'\?$"):
        study("rows", levle=0.9)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"^unexpected keyword argument 'zzz'; there are\n  source, rope, level"):
        study("rows", zzz=1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"'sample_wieght'; did you mean 'sample_weight'"):
        ifs.Contingency.from_labels(["a"], ["a"], sample_wieght=[1])  # type: ignore[call-arg]


def test_python_itself_rejects_what_does_not_bind() -> None:
    with pytest.raises(TypeError, match="positional argument"):
        study("rows", 0.1)  # type: ignore[misc]
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'source'"):
        study()  # type: ignore[call-arg]


def test_positional_arguments_are_checked_too() -> None:
    @validated(size=Number(0))
    def draw(size: float) -> float:
        return size

    assert draw(2.0) == 2.0
    with pytest.raises(InputError, match=r"^size must be a number above 0, got 0$"):
        draw(0)


def test_keywords_beyond_the_signature_pass_where_it_takes_any() -> None:
    @validated(level=LEVEL)
    def forward(level: float = 0.95, **options: Any) -> dict[str, Any]:
        return {"level": level, **options}

    assert forward(other=1) == {"level": 0.95, "other": 1}


def test_a_constraint_without_a_parameter_is_an_error_at_import() -> None:
    with pytest.raises(TypeError, match=r"^nothing has no parameter levle$"):

        @validated(levle=LEVEL)
        def nothing() -> None:
            """Do nothing."""


@pytest.mark.parametrize(
    ("constraint", "text"),
    [
        (Number(), "a finite number"),
        (Number(whole=True), "a whole number"),
        (Number(low=0), "a number above 0"),
        (Number(high=5), "a number below 5"),
        (Number(high=5, closed="high"), "a number of 5 or less"),
        (Number(1, 9, whole=True), "a whole number between 1 and 9"),
        (Number(0, 1, closed="both"), "a number from 0 to 1"),
    ],
)
def test_a_constraint_says_what_a_value_must_be(constraint: Constraint, text: str) -> None:
    assert str(constraint) == text


@pytest.mark.parametrize(
    ("constraint", "accepted", "rejected"),
    [
        (Number(high=5), [-99, 4.9], [5, 6]),
        (Number(low=0), [10**400], [-(10**400)]),
        (Number(high=5, closed="high"), [5], [5.1]),
        (Number(0, 1, closed="low"), [0, 0.5], [1, -0.1]),
        (Number(0, 1, closed="high"), [0.5, 1], [0, 1.1]),
        (Number(0, 1, closed="both"), [0, 1], [-0.1, 1.1]),
    ],
)
def test_the_edges_of_an_interval(constraint: Constraint, accepted: list[float], rejected: list[float]) -> None:
    assert [constraint.accepts(value) for value in accepted] == [True] * len(accepted)
    assert [constraint.accepts(value) for value in rejected] == [False] * len(rejected)


def test_help_shows_the_signature_with_its_aliases_and_the_declaration() -> None:
    assert {"confidence_level", "rng", "sample_weight"} <= set(inspect.signature(study).parameters)
    assert study.__constraints__["level"] is LEVEL  # type: ignore[attr-defined]
    assert study.__doc__ == "Return the arguments as the body receives them."
    assert set(ALIASES.values()) == {"seed", "level", "weight", "positive", "source"}


def test_a_setting_of_reading_is_said_to_be_in_read() -> None:
    assert set(inspect.signature(ifs.ReadOptions).parameters) == READ_SETTINGS
    with pytest.raises(TypeError, match=r"'encoding'; give read=infoscope\.ReadOptions\(encoding=…\)"):
        ifs.evaluate("log.csv", truth="t", system="s", encoding="latin-1")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="'encoding'; there are"):
        study(encoding="latin-1")  # type: ignore[call-arg]
