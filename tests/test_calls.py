"""First calls of a new user give the same answer on every kind of object that holds labels."""

import importlib.util
import inspect
import pkgutil
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import infoscope as ifs
from tests.results.examples import EXAMPLES, example

RNG = np.random.default_rng(23)
TRUTH = RNG.choice(["cat", "dog", "fox"], 90)
GOOD = np.where(RNG.random(90) < 0.8, TRUTH, RNG.choice(["cat", "dog", "fox"], 90))
POOR = np.where(RNG.random(90) < 0.4, TRUTH, RNG.choice(["cat", "dog", "fox"], 90))
WEIGHTS = RNG.integers(1, 4, 90)
SPELLINGS = {
    "text": lambda labels: [str(label) for label in labels],
    "whole numbers": lambda labels: [["cat", "dog", "fox"].index(label) for label in labels],
    "booleans": lambda labels: [bool(label == "fox") for label in labels],
}


class Tensor:
    """The part of a tensor that labels need: on a device, with a gradient, without a way into NumPy of its own."""

    def __init__(self, values):
        self.values = np.asarray(values)
        self.shape, self.ndim = self.values.shape, self.values.ndim

    def __array__(self, *_, **__):
        raise TypeError("can't convert a device tensor to numpy; use .cpu() first")

    def __len__(self):
        return len(self.values)

    def __iter__(self):
        return iter(self.values)

    def detach(self):
        return self

    def cpu(self):
        return self

    def numpy(self):
        return self.values


class Exchanged:
    """An array of another library that speaks DLPack and nothing else."""

    def __init__(self, values):
        self.values = np.asarray(values)

    def __dlpack__(self, **options):
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


HOLDERS = {
    "list": list,
    "tuple": tuple,
    "generator": iter,
    "array": np.array,
    "array of objects": lambda labels: np.array(labels, dtype=object),
    "column of an array": lambda labels: np.array(labels)[:, None],
    "series": pd.Series,
    "series with its own index": lambda labels: pd.Series(labels, index=range(7, 97)),
    "one-column frame": lambda labels: pd.DataFrame({"y": labels}),
    "categorical series": lambda labels: pd.Series(labels, dtype="category"),
    "categorical": pd.Categorical,
    "polars": pl.Series,
    "one-column polars": lambda labels: pl.DataFrame({"y": labels}),
    "pyarrow": pa.array,
    "chunked": lambda labels: pa.chunked_array([labels[:40], labels[40:]]),
    "dictionary": lambda labels: pa.array(labels).dictionary_encode(),
    "DLPack": Exchanged,
    "tensor": Tensor,
}


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("holder", HOLDERS)
def test_the_same_answer_whatever_holds_the_labels(holder, spelling):
    if holder in ("tensor", "DLPack") and spelling == "text":
        pytest.skip("tensors hold numbers")
    plain = [SPELLINGS[spelling](labels) for labels in (TRUTH, GOOD, POOR)]

    def held():
        return [HOLDERS[holder](labels) for labels in plain]

    table = ifs.Contingency.from_labels(*plain[:2])
    y_true, good, _ = held()
    assert ifs.metrics.proficiency(y_true, good) == float(ifs.metrics.proficiency(table))
    y_true, good, _ = held()
    assert ifs.Posterior(y_true, good).table == ifs.Posterior(table).table
    y_true, good, _ = held()
    assert ifs.evaluate(y_true, good)["system"].number("proficiency") == float(ifs.metrics.proficiency(table))
    if spelling == "booleans":
        return  # what follows takes labels by the same way
    y_true, good, poor = held()
    assert ifs.compare(y_true, {"good": good, "poor": poor}, metrics=["accuracy"]).systems == ("good", "poor")
    if holder in ("generator", "series", "polars", "tensor"):
        y_true, good, poor = held()
        both = ifs.evaluate(y_true, {"good": good, "poor": poor})
        assert both["good"].number("accuracy") == float(ifs.metrics.accuracy(table))


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="needs torch")
def test_tensors_of_torch():
    import torch

    y_true, y_pred = (torch.tensor(SPELLINGS["whole numbers"](labels)) for labels in (TRUTH, GOOD))
    assert ifs.metrics.accuracy(y_true, y_pred) == pytest.approx(float((y_true == y_pred).float().mean()))
    assert ifs.metrics.accuracy(y_true, y_pred.float().requires_grad_()) == ifs.metrics.accuracy(y_true, y_pred)


@pytest.mark.slow
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_columns_of_a_frame_are_systems(frame):
    predictions = frame({"svm": GOOD.tolist(), "knn": POOR.tolist()})
    assert [system.name for system in ifs.evaluate(TRUTH, predictions)] == ["svm", "knn"]
    assert ifs.compare(TRUTH, predictions).systems == ("svm", "knn")


def test_a_mapping_of_columns_is_a_source():
    columns = {"gold": TRUTH, "svm": GOOD, "knn": POOR, "w": WEIGHTS}
    found = ifs.evaluate(columns, truth="gold", system=["svm", "knn"], weight="w")
    assert found["svm"].number("accuracy") == pytest.approx(np.average(TRUTH == GOOD, weights=WEIGHTS))


def test_a_column_that_is_not_there_is_named_with_the_nearest():
    with pytest.raises(ifs.InfoscopeError, match="has no column 'trut'; did you mean 'truth'"):
        ifs.evaluate({"truth": ["a", "b"], "m": ["a", "b"]}, truth="trut")
    with pytest.raises(ifs.InfoscopeError, match="has no column 'gold'; it has 'm'"):
        ifs.evaluate({"m": ["a", "b"]}, truth="gold")


@pytest.mark.slow
def test_the_only_column_left_is_the_other_side():
    """On the command line it is taken, too, whatever its name and values."""
    columns = {"x": TRUTH.tolist(), "m": POOR.tolist(), "w": WEIGHTS.tolist()}
    for named in ({"truth": "x"}, {"system": "m"}):
        with pytest.warns(
            ifs.InfoscopeWarning, match="truth='x', system='m' is guessed; '[mx]' is the only column left"
        ):
            found = ifs.evaluate(columns, weight="w", **named)
        assert found["m"].metrics == ifs.evaluate(TRUTH, {"m": POOR}, weight=WEIGHTS)["m"].metrics


def test_bytes_are_named_with_the_way_to_text():
    with pytest.raises(ifs.InputError, match=r"truth holds bytes; decode them to text, as numpy\.char\.decode"):
        ifs.evaluate(np.array(TRUTH, dtype="S"), np.array(GOOD, dtype="S"))


@pytest.mark.slow
def test_words_of_scikit_learn():
    found = ifs.evaluate(TRUTH == "fox", GOOD == "fox", sample_weight=WEIGHTS, pos_label=False)
    same = ifs.evaluate(TRUTH == "fox", GOOD == "fox", weight=WEIGHTS, positive=False)
    assert found["system"].metrics == same["system"].metrics
    assert ifs.compare(TRUTH, {"a": GOOD, "b": POOR}, sample_weight=WEIGHTS).systems == ("a", "b")
    with pytest.raises(ifs.InputError, match="sample_weight and weight are the same"):
        ifs.evaluate(TRUTH, GOOD, sample_weight=WEIGHTS, weight=WEIGHTS)


def test_a_posterior_of_labels():
    table = ifs.Contingency.from_labels(TRUTH, GOOD, sample_weight=WEIGHTS)
    ours = ifs.Posterior(TRUTH, GOOD, "perks", sample_weight=WEIGHTS)
    assert ours.prior == "perks"
    assert ours.mean("proficiency") == ifs.Posterior(table, "perks").mean("proficiency")
    assert ifs.Posterior(y_true=TRUTH, y_pred=GOOD, prior="perks").prior == "perks"
    assert ifs.Posterior(table=table, prior="perks").mean("accuracy") == ours.mean("accuracy")


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (
            lambda: ifs.Posterior([[3, 1], [0, 4]]),
            ifs.InputError,
            "a table, not a list; give Contingency",
        ),
        (lambda: ifs.Posterior([[3, 1], [0, 4]], "perks"), ifs.InputError, "or labels as .y_true, y_pred."),
        (lambda: ifs.Posterior([0, 1], [0, 1], sample_wight=[1, 2]), TypeError, "did you mean 'sample_weight'"),
        (lambda: ifs.Posterior([0, 1], [0, 1, 1]), ifs.InputError, "truth has 2 rows and the system has 3"),
        (lambda: ifs.evaluate([0, 1], {}), ifs.InputError, "names no system"),
    ],
)
def test_wrong_calls(call, error, said):
    with pytest.raises(error, match=said):
        call()


# ── pictures ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("kind", EXAMPLES)
def test_every_result_has_a_picture(kind):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    result = example(kind)
    drawn = result.plot()
    assert drawn.ax_.figure is drawn.figure_
    assert drawn.ax_.has_data() or drawn.ax_.texts
    _, ax = pyplot.subplots()
    assert result.plot(ax=ax).ax_ is ax
    with pytest.raises(ifs.InputError, match="there is no picture 'pie' of this result; there is "):
        result.plot("pie")
    pyplot.close("all")


def test_without_matplotlib_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ifs.InputError, match=r"needs matplotlib, .* install infoscope\[plots\]"):
        example("evaluation").plot()


def test_no_public_function_has_the_name_of_a_module() -> None:
    """Importing the module would put it in the function's place: a loaded document breaks the next call."""
    modules = {module.name for module in pkgutil.iter_modules(ifs.__path__)}
    shadowed = [name for name in ifs.__all__ if name in modules and not inspect.ismodule(getattr(ifs, name))]
    assert shadowed == []


def test_labels_are_given_by_the_names_of_scikit_learn() -> None:
    both, above, scores = {"good": GOOD, "poor": POOR}, {"accuracy": 0.1}, GOOD == "fox"
    assert str(ifs.evaluate(y_true=TRUTH, y_pred=GOOD)) == str(ifs.evaluate(TRUTH, GOOD))
    assert str(ifs.compare(y_true=TRUTH, y_pred=both)) == str(ifs.compare(TRUTH, both))
    assert str(ifs.gate(y_true=TRUTH, y_pred=GOOD, min=above)) == str(ifs.gate(TRUTH, GOOD, min=above))
    named, placed = ifs.sweep(y_true=TRUTH == "fox", y_score=scores * 1.0), ifs.sweep(TRUTH == "fox", scores * 1.0)
    assert str(named) == str(placed)


@pytest.mark.parametrize("function", [ifs.evaluate, ifs.compare, ifs.gate, ifs.sweep])
def test_true_labels_are_given_once(function) -> None:
    with pytest.raises(ifs.InputError, match=r"^y_true and source are the same; give one of them$"):
        function(TRUTH, GOOD, y_true=TRUTH)
    with pytest.raises(TypeError, match=rf"^{function.__name__}\(\) missing 1 required positional argument: 'source'$"):
        function()


def test_seeds_and_levels_have_the_words_of_scipy() -> None:
    declared = {name: getattr(ifs, name) for name in dir(ifs) if hasattr(getattr(ifs, name), "__constraints__")}
    assert {"evaluate", "latent_truth", "plan_labels", "report", "tune"} <= declared.keys()
    for name, function in declared.items():
        parameters = inspect.signature(function).parameters
        assert ("rng" in parameters) == ("seed" in parameters), name
        if name != "drift":  # its level is that of a test
            assert ("confidence_level" in parameters) == ("level" in parameters), name
