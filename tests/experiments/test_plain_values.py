"""Results as plain values for Weights & Biases and TensorBoard, which are never imported."""

import json
import sys
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any, Self

import numpy as np
import pytest

import infoscope as ifs
from infoscope import mlflow
from infoscope.errors import UnknownNameError
from infoscope.integrations.experiments import HEADLINE, log_to_tensorboard, numbers, table
from tests.api import KINDS
from tests.results.examples import example

TRUTH = ["cat", "dog", "cow"] * 30
GOOD = TRUTH[:-4] + ["dog"] * 4
ONE = ifs.evaluate(TRUTH, GOOD)
TWO = ifs.evaluate(TRUTH, {"good model": GOOD, "poor: (50%)": ["cat", "dog", "dog"] * 30})


def test_numbers_are_those_that_reports_show_with_their_interval() -> None:
    found, system = numbers(ONE), ONE.systems[0]

    for name in ("proficiency", "accuracy"):
        estimate = system.metrics[name]
        assert (found[name], found[f"{name}.low"], found[f"{name}.high"]) == (
            estimate.shown,
            estimate.low,
            estimate.high,
        )
    assert {name.partition(".")[0] for name in found} <= set(HEADLINE)
    assert len(numbers(ONE, metrics="all")) > 150
    assert list(numbers(ONE, metrics=["kappa"], intervals=False, prefix="val/")) == ["val/kappa"]
    assert "wandb" not in sys.modules


def test_metrics_named_in_the_question_are_those_logged() -> None:
    assert set(numbers(ifs.evaluate(TRUTH, GOOD, metrics=["mcc"]), intervals=False)) == {"mcc"}


def test_metrics_may_be_named_by_an_alias_and_typos_get_the_nearest_name() -> None:
    assert list(numbers(ONE, metrics=["ARI", "MCC"], intervals=False)) == [
        "adjusted_rand_index",
        "mcc",
    ]
    with pytest.raises(UnknownNameError, match="no metric 'proficency'; did you mean 'proficiency'"):
        numbers(ONE, metrics="proficency")
    with pytest.raises(UnknownNameError, match=r"no metric 'zzz'; it has .* and [0-9]+ more"):
        numbers(ONE, metrics="zzz")


def test_numbers_of_all_annotators_are_logged_beside_those_of_pairs() -> None:
    result = ifs.agreement({"ann": TRUTH, "bob": GOOD, "eve": ["cat", "dog", "dog"] * 30})
    found = numbers(result)

    alpha, fleiss = result.krippendorff_alpha, result.coefficients["fleiss_kappa"]
    assert (found["krippendorff_alpha"], found["krippendorff_alpha.low"]) == (alpha.shown, alpha.low)
    assert found["coefficients/fleiss_kappa"] == fleiss.shown
    assert found["ann/bob/kappa"] == pytest.approx(ifs.metrics.kappa(TRUTH, GOOD))


@pytest.mark.parametrize("question", [numbers, table])
def test_what_is_no_result_is_rejected(question: Any) -> None:
    with pytest.raises(ifs.InputError, match="of type dict, not a result"):
        question({"accuracy": 0.9})


class _Mlflow(SimpleNamespace):
    """The part of MLflow that is called, with a record of every call."""

    def __init__(self, run: str | None = None) -> None:
        super().__init__(exceptions=SimpleNamespace(MlflowException=LookupError))
        self.calls: list[tuple[Any, ...]] = []
        self.active = run

    def active_run(self) -> SimpleNamespace | None:
        return None if self.active is None else SimpleNamespace(info=SimpleNamespace(run_id=self.active))

    def start_run(self) -> nullcontext[SimpleNamespace]:
        self.calls.append(("start",))
        return nullcontext(SimpleNamespace(info=SimpleNamespace(run_id="new")))

    def log_metrics(self, found: dict[str, float], *, step: int, run_id: str) -> None:
        self.calls.append(("numbers", len(found), step, run_id))

    def MlflowClient(self) -> Self:
        return self

    def get_run(self, run_id: str) -> SimpleNamespace:
        if run_id != "known":
            raise LookupError("no such run")
        return SimpleNamespace(info=SimpleNamespace(run_id=run_id))

    def log_text(self, run_id: str, _content: str, name: str) -> None:
        self.calls.append((name, run_id))


def test_mlflow_gets_all_numbers_in_few_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    tracker = _Mlflow("active")
    monkeypatch.setattr(mlflow, "_load_mlflow", lambda: tracker)
    monkeypatch.setattr(mlflow, "_MAX_NUMBERS", 100)
    found = mlflow.log(ONE, metrics="all", step=7)

    sent = [call[1:] for call in tracker.calls if call[0] == "numbers"]
    assert sum(size for size, *_ in sent) == len(found)
    assert {tuple(rest) for _, *rest in sent} == {(7, "active")}
    assert max(size for size, *_ in sent) == 100
    files = [call[0] for call in tracker.calls if call[0] != "numbers"]
    assert files == [f"infoscope/evaluation{ending}" for ending in (".html", ".json", "-picture.svg")]
    mlflow.log(ONE, run_id="known", pictures=["confusion"])
    assert tracker.calls[-1] == ("infoscope/evaluation-confusion.svg", "known")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"pictures": ["confuson"]}, "no picture 'confuson'"),
        ({"metrics": "proficency"}, "did you mean 'proficiency'"),
        ({"run_id": "nonsense"}, "MLflow does not give the run 'nonsense' .no such run.; check it"),
    ],
)
def test_nothing_is_logged_to_mlflow_where_something_is_wrong(
    monkeypatch: pytest.MonkeyPatch, wrong: dict[str, Any], message: str
) -> None:
    tracker = _Mlflow()
    monkeypatch.setattr(mlflow, "_load_mlflow", lambda: tracker)
    with pytest.raises(ifs.InfoscopeError, match=message):
        mlflow.log(ONE, **wrong)
    assert tracker.calls == []
    mlflow.log(ONE, pictures=())
    assert tracker.calls[0] == ("start",)


def test_several_systems_have_names_that_every_tracker_takes() -> None:
    found = numbers(TWO)

    assert "good model/proficiency" in found
    assert "poor_ _50_/proficiency" in found
    assert all(
        set(name) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-. /") for name in found
    )


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_kind_of_result_has_numbers_and_a_table(kind: str) -> None:
    result = example(kind)
    found = numbers(result)
    columns = table(result)

    assert found
    assert all(isinstance(value, float) and np.isfinite(value) for value in found.values())
    assert all(len(row) == len(columns["columns"]) for row in columns["data"])
    json.dumps([found, columns])


def test_undefined_numbers_are_left_out() -> None:
    assert "proficiency" not in numbers(ifs.evaluate(["a", "a"], ["a", "b"]))


class Writer:
    """Keeps what TensorBoard's writer would."""

    def __init__(self) -> None:
        self.scalars: dict[str, tuple[float, int | None]] = {}
        self.figures: dict[str, Any] = {}

    def add_scalar(self, tag: str, scalar_value: float, global_step: int | None = None) -> None:
        self.scalars[tag] = scalar_value, global_step

    def add_figure(self, tag: str, figure: Any, global_step: int | None = None) -> None:  # noqa: ARG002
        self.figures[tag] = figure


@pytest.mark.slow
def test_scalars_and_figures_of_tensorboard() -> None:
    writer = Writer()
    log_to_tensorboard(writer, ONE, step=7, metrics=["accuracy"])

    assert writer.scalars["accuracy"] == (ONE.systems[0].metrics["accuracy"].shown, 7)
    (figure,) = writer.figures.values()
    assert figure.axes
    silent = Writer()
    log_to_tensorboard(silent, TWO, pictures=())
    assert "good_model/proficiency" in silent.scalars
    assert not silent.figures


def test_wrong_use_is_said() -> None:
    with pytest.raises(ifs.InputError, match="this is of type dict, not a result"):
        numbers({})  # type: ignore[arg-type]
    with pytest.raises(KeyError, match="no metric 'profficiency'; did you mean 'proficiency'"):
        numbers(ONE, metrics="profficiency")
    with pytest.raises(ifs.InputError, match="there is no picture 'nothing'"):
        log_to_tensorboard(Writer(), ONE, pictures=["nothing"])
    with pytest.raises(ifs.InputError, match="object has no add_scalar and add_figure; give a SummaryWriter"):
        log_to_tensorboard(object(), ONE)  # type: ignore[arg-type]


def test_a_missing_tracker_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("infoscope.integrations.mlflow.find_spec", lambda _name: None)
    with pytest.raises(ifs.InputError, match=r"infoscope\[mlflow\]"):
        ifs.mlflow.log(ONE)
