"""A message about a name names the nearest few of many, and how many more there are."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import infoscope as ifs
from infoscope.errors import InfoscopeError, list_names, suggest_name

MANY = {f"system_{number}": ["a", "b"] * 20 for number in range(300)}
ROWS = {"gold": ["a", "b"] * 20, **MANY}
RESULT = ifs.evaluate(ROWS["gold"], {name: MANY[name] for name in list(MANY)[:40]}, uncertainty=None)

CALLS: dict[str, Callable[[], object]] = {
    "column": lambda: ifs.read(ROWS, truth="gold", system="zz"),
    "relate": lambda: ifs.relate(ROWS, ["gold", "zz"]),
    "baseline": lambda: ifs.compare(ROWS["gold"], MANY, baseline="zz"),
    "system": lambda: RESULT["zz"],
    "prevalence": lambda: ifs.evaluate(list(range(40)) * 2, list(range(40)) * 2, prevalence={"zz": 1.0}),
    "metric": lambda: ifs.experiments.numbers(RESULT, metrics="zz"),
    "block": lambda: ifs.latent_truth(MANY, list(MANY), together=[["zz", "system_1"]]),
}


@pytest.mark.parametrize("call", CALLS)
def test_many_names_are_few_in_a_message(call: str) -> None:
    with pytest.raises(InfoscopeError, match=r"zz.*and [\d,]+ more") as raised:
        CALLS[call]()
    assert len(str(raised.value)) < 400


def test_the_nearest_come_first_and_long_ones_are_cut() -> None:
    names = [f"column {number}" for number in range(100)]
    assert suggest_name("column 77", names[:77]) == "did you mean 'column 7'?"
    assert suggest_name("77", names).startswith("there is 'column 77', 'column 7', ")
    assert suggest_name("zz", ["b", "a"]) == "there is 'b', 'a'"
    assert list_names(["x" * 1000]) == f"'{'x' * 59}…"
    assert list_names([]) == "none"
