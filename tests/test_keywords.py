"""A misspelt keyword of anything public is answered with the one that was meant."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import infoscope as ifs

MODULES = ("metrics", "datasets", "experiments", "mlflow", "sklearn", "clustering", "latent", "multilabel")
PLACES = (ifs, *(getattr(ifs, name) for name in (*MODULES, "operating_points", "tracking")))
TRUTH, PREDICTED = ["a", "b", "b"] * 20, ["a", "b", "a"] * 20
SCORES = [0.1, 0.9, 0.6] * 20
BOXES = np.array([[frame, 1, 0, 0, 10, 10] for frame in range(8)], dtype=float)


class Model:
    """Predicts what it was told."""

    classes_ = np.array(["a", "b"])

    def predict(self, _: object) -> list[str]:
        return PREDICTED

    def predict_proba(self, _: object) -> np.ndarray:
        return np.column_stack([1 - np.array(SCORES), SCORES])


EXAMPLES: dict[str, list[tuple[Any, ...]]] = {
    "from_predictions": [(TRUTH, PREDICTED), (TRUTH, SCORES), (BOXES, BOXES)],
    "from_estimator": [(Model(), np.zeros((60, 1)), TRUTH)],
    "from_evaluation": [(ifs.evaluate(TRUTH, PREDICTED),)],
    "from_scores": [(TRUTH, SCORES)],
    "Posterior": [(ifs.Contingency.from_labels(TRUTH, PREDICTED),)],
    "scorer": [("accuracy",)],
    "metric": [("accuracy",)],
}
"""Arguments for callables that hand further keywords on."""


def list_callables() -> Iterator[tuple[str, Callable[..., Any], int]]:
    """Yield every public function, class and method, with the parameters that stand for the object itself."""
    seen: set[int] = set()
    for place in PLACES:
        for name in getattr(place, "__all__", None) or dir(place):
            member = getattr(place, name)
            if name.startswith("_") or not callable(member) or id(member) in seen:
                continue
            seen.add(id(member))
            if not isinstance(member, type):
                yield name, member, 0
            elif not issubclass(member, BaseException):
                yield name, member, 0
                for inner, method in inspect.getmembers(member, inspect.isroutine):
                    if not inner.startswith("_") and str(getattr(method, "__module__", "")).startswith("infoscope"):
                        static = inspect.getattr_static(member, inner)
                        yield f"{name}.{inner}", method, int(isinstance(static, types.FunctionType))


CALLABLES = {name: (function, own) for name, function, own in list_callables()}


@pytest.mark.parametrize("name", CALLABLES)
def test_a_misspelt_keyword_is_answered_with_the_one_that_was_meant(name: str) -> None:
    function: Any
    function, own = CALLABLES[name]
    parameters = inspect.signature(function).parameters.values()
    named = [item.name for item in parameters if item.kind in (item.POSITIONAL_OR_KEYWORD, item.KEYWORD_ONLY)][own:]
    takes_any = any(item.kind is item.VAR_KEYWORD for item in parameters)
    examples = EXAMPLES.get(name.rpartition(".")[2], [()]) if takes_any else [(None,) * own]
    for keyword in named:
        answers = []
        for arguments in examples:
            with pytest.raises(Exception) as raised:
                function(*arguments, **{keyword + keyword[-1]: None})
            answers.append(str(raised.value))
        assert any(f"did you mean {keyword!r}?" in answer for answer in answers), (keyword, answers)


def test_settings_of_reading_and_what_is_no_keyword_at_all() -> None:
    with pytest.raises(TypeError, match=r"give read=infoscope\.ReadOptions\(delimiter=…\)"):
        ifs.read("log.csv", truth="t", system="s", delimiter=";")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"'colour'; there are\n  path, force$"):
        ifs.evaluate(TRUTH, PREDICTED).save("page.html", colour="red")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"'sample_wieght'; did you mean 'sample_weight'\?"):
        ifs.ConfusionDisplay.from_predictions(TRUTH, PREDICTED, sample_wieght=[1] * 60)
    with pytest.raises(TypeError, match=r"'nomalize'; did you mean 'normalize'\?"):
        ifs.ConfusionDisplay.from_predictions(TRUTH, PREDICTED, nomalize="true")
