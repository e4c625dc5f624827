"""Label sequences as users have them: frames of one column are columns, and pandas indexes do not lie unnoticed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import infoscope as ifs
from infoscope import Contingency, InputError
from tests.api import calibration, encoding

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")
Figure = pytest.importorskip("matplotlib.figure").Figure

TRUTH = ["a", "b", "b", "a", "b", "a", "a", "b", "a", "b"]
SYSTEM = ["a", "b", "a", "a", "b", "b", "a", "b", "a", "b"]
SCORES = [0.1, 0.9, 0.4, 0.2, 0.8, 0.6, 0.3, 0.7, 0.2, 0.9]
WHOLE = Contingency.from_labels(TRUTH, SYSTEM)

COLUMNS: dict[str, Callable[[list[Any]], Any]] = {
    "pandas": lambda values: pd.DataFrame({"y": values}),
    "pandas, a number as name": lambda values: pd.DataFrame({0: values}),
    "polars": lambda values: pl.DataFrame({"y": values}),
    "pyarrow": lambda values: pa.table({"y": values}),
    "pyarrow batch": lambda values: pa.record_batch({"y": values}),
    "array": lambda values: np.array(values)[:, None],
    "array of objects": lambda values: np.array(values, dtype=object)[:, None],
}
WIDE: dict[str, Callable[[list[Any]], Any]] = {
    "pandas": lambda values: pd.DataFrame({"y": values, "z": values}),
    "polars": lambda values: pl.DataFrame({"y": values, "z": values}),
    "pyarrow": lambda values: pa.table({"y": values, "z": values}),
    "array": lambda values: np.array([values, values]).T,
    "one row": lambda values: np.array([values]),
    "no column": lambda values: pd.DataFrame(index=range(len(values))),
    "lazy": lambda values: pl.DataFrame({"y": values}).lazy(),
    "a mapping": lambda values: {"y": values},
    "a set": set,
}


def counted(truth: Any, system: Any) -> Contingency:
    counter = ifs.Counter()
    counter.update(truth, system)
    return counter.table()


def compared(truth: Any, system: Any) -> Any:
    return ifs.compare(truth, {"it": system, "same": TRUTH}, metrics=["accuracy"]).to_dict()


def displayed(truth: Any, system: Any) -> Any:
    display = ifs.ConfusionDisplay.from_predictions(truth, system, ax=Figure().subplots())
    return display.to_svg()


ENTRIES: dict[str, Callable[[Any, Any], Any]] = {
    "from_labels": Contingency.from_labels,
    "Counter": counted,
    "compare": compared,
    "agreement": lambda one, other: ifs.agreement({"ann": one, "bob": other}, draws=0).to_dict(),
    "stability": lambda truth, system: ifs.stability(truth, system, metrics=["accuracy"], splits=5),
    "groups": lambda truth, system: ifs.evaluate(truth, system, groups=range(10)),
    "display": displayed,
    "sweep": lambda truth, _: ifs.sweep(truth, SCORES).values("accuracy").tolist(),
}


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize("form", COLUMNS)
def test_one_column_is_a_sequence_of_labels(entry: str, form: str) -> None:
    make, ask = COLUMNS[form], ENTRIES[entry]

    assert ask(make(TRUTH), make(SYSTEM)) == ask(TRUTH, SYSTEM)


@pytest.mark.parametrize("entry", [name for name in ENTRIES if name != "agreement"])  # there, columns are categories
@pytest.mark.parametrize("form", WIDE)
def test_anything_wider_is_rejected(entry: str, form: str) -> None:
    with pytest.raises(InputError, match=r"label|rows|column"):
        ENTRIES[entry](WIDE[form](TRUTH), SYSTEM)


KEYS = [7, 3, 0, 9, 1, 2, 8, 4, 6, 5]


@pytest.mark.parametrize("entry", [name for name in ENTRIES if name != "sweep"])
@pytest.mark.parametrize("frame", [False, True])
def test_the_same_keys_in_another_order_are_rejected_with_the_way_out(entry: str, frame: bool) -> None:
    truth, system = pd.Series(TRUTH, index=KEYS), pd.Series(SYSTEM, index=KEYS[::-1])
    given = (truth.to_frame(), system.to_frame()) if frame else (truth, system)
    with pytest.raises(InputError, match=r"same keys in another order.*\.loc\[.*\.index\].*\.to_numpy\(\)"):
        ENTRIES[entry](*given)

    aligned, ask = system.loc[truth.index], ENTRIES[entry]
    assert ask(truth, aligned) == ask(TRUTH, aligned.to_list())
    assert ask(truth.to_numpy(), system.to_numpy()) == ask(TRUTH, SYSTEM)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        pytest.param(KEYS, KEYS, id="equal"),
        pytest.param(list("abcdefghij"), list("abcdefghij"), id="equal text"),
        pytest.param([k + 3 for k in KEYS], range(10), id="a test set and fresh predictions"),
        pytest.param(range(10), [k + 3 for k in KEYS], id="fresh on the other side"),
        pytest.param([k + 3 for k in KEYS], np.arange(10), id="fresh, not as a range"),
        pytest.param([k + 90 for k in KEYS], [0, 1, 2, 3, 4] * 2, id="nothing in common"),
        pytest.param(pd.MultiIndex.from_product([[0, 1], range(5)]), range(10), id="two levels"),
        pytest.param(pd.MultiIndex.from_product([[0, 1], range(5)]), KEYS, id="two levels against keys"),
        pytest.param(pd.date_range("2020-01-01", periods=10), KEYS, id="dates"),
    ],
)
def test_indexes_that_do_not_contradict_pair_by_position(left: Any, right: Any) -> None:
    assert Contingency.from_labels(pd.Series(TRUTH, index=left), pd.Series(SYSTEM, index=right)) == WHOLE


def test_an_index_on_one_side_only_says_nothing() -> None:
    for other in (SYSTEM, np.array(SYSTEM), pl.Series(SYSTEM), pa.array(SYSTEM)):
        assert Contingency.from_labels(pd.Series(TRUTH, index=KEYS), other) == WHOLE


def test_weights_scores_groups_and_features_follow_the_same_rule() -> None:
    truth, other = pd.Series(TRUTH, index=KEYS), KEYS[::-1]
    weights, scores = pd.Series(range(1, 11), index=other), pd.Series(SCORES, index=other)
    probabilities = pd.DataFrame({"a": 1 - scores, "b": scores})
    for ask in (
        lambda: Contingency.from_labels(truth, SYSTEM, sample_weight=weights),
        lambda: ifs.sweep(truth, scores),
        lambda: ifs.sweep(truth, SCORES, weight=weights),
        lambda: calibration(probabilities, truth),
        lambda: ifs.compare(truth, {"one": SYSTEM, "two": TRUTH}, weight=weights),
        lambda: ifs.compare(truth, {"one": SYSTEM, "two": TRUTH}, groups=weights),
        lambda: ifs.evaluate(truth, SYSTEM, groups=weights),
        lambda: ifs.RocDisplay.from_scores(truth, {"one": SCORES, "two": scores}, positive="b"),
        lambda: ifs.relate({"t": truth, "s": SYSTEM, "w": weights}, ["t", "s"], weight="w"),
        lambda: ifs.multilabel.evaluate(truth.map(lambda label: {label}), [{x} for x in SYSTEM], weight=weights),
        lambda: ifs.multilabel.object_f_beta(
            truth.map(lambda label: {label}), [{x} for x in SYSTEM], sample_weight=weights
        ),
        lambda: ifs.monte_carlo(truth, {"one": [SYSTEM, pd.Series(SYSTEM, index=other)]}),
    ):
        with pytest.raises(InputError, match="same keys in another order"):
            ask()


def test_predictions_and_weights_follow_it_beside_a_truth_without_an_index() -> None:
    one, two = pd.Series(SYSTEM, index=KEYS), pd.Series(SYSTEM, index=KEYS[::-1])
    weights = pd.Series(range(1, 11), index=KEYS[::-1])
    for ask, named in (
        (lambda: Contingency.from_labels(TRUTH, one, sample_weight=weights), "system and sample_weight are"),
        (
            lambda: ifs.compare(TRUTH, {"one": one, "no name": two}),
            "one and no name are.*with other.loc.one.index., or",
        ),
    ):
        with pytest.raises(InputError, match=named):
            ask()


@pytest.mark.parametrize("form", COLUMNS)
def test_one_column_is_the_truth_of_scores_and_of_runs(form: str) -> None:
    truth = COLUMNS[form](TRUTH)

    assert ifs.RocDisplay.from_scores(truth, SCORES, positive="b") == ifs.RocDisplay.from_scores(
        TRUTH, SCORES, positive="b"
    )
    runs = {"one": [COLUMNS[form](SYSTEM), SYSTEM]}
    assert ifs.monte_carlo(truth, runs).to_dict() == ifs.monte_carlo(TRUTH, {"one": [SYSTEM, SYSTEM]}).to_dict()


def test_series_of_label_sets_follow_the_same_rule() -> None:
    truth, system = pd.Series([{"a"}, {"b"}], index=[1, 0]), pd.Series([{"a"}, {"b"}], index=[0, 1])
    for ask in (ifs.multilabel.evaluate, ifs.multilabel.stability):
        with pytest.raises(InputError, match="same keys in another order"):
            ask(truth, system)


def test_cross_validation_follows_the_same_rule() -> None:
    tree = pytest.importorskip("sklearn.tree").DecisionTreeClassifier()
    features = pd.DataFrame({"x": SCORES}, index=KEYS)
    with pytest.raises(InputError, match="X and y are pandas objects whose indexes hold the same keys"):
        ifs.cross_validate({"tree": tree}, features, pd.Series(TRUTH, index=KEYS[::-1]), folds=2, repeats=1, jobs=1)

    found = ifs.cross_validate(
        {"tree": tree}, np.array(SCORES)[:, None], COLUMNS["pandas"](TRUTH), folds=2, repeats=1, jobs=1
    )
    assert found.to_dict()["estimators"]


def test_what_is_masked_is_missing() -> None:
    masked = np.ma.array([1, 0, 1], mask=[False, False, True])
    table = Contingency.from_labels(masked, [1, 0, 0])

    assert table.total == 2
    assert table.ignored == {"missing truth label": 1}


def test_many_indexes_of_their_own_are_compared_with_a_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """All pairs of a hundred would take minutes."""
    looks = []
    shared = encoding._find_shared
    monkeypatch.setattr(encoding, "_find_shared", lambda one, other: looks.append(1) or shared(one, other))
    systems = {f"s{at}": pd.Series([0, 1], index=[f"{at}a", f"{at}b"]) for at in range(30)}

    encoding.check_pairing([0, 1], systems)
    assert len(looks) <= 2 * 4 * 30
    with pytest.raises(InputError, match="s0 and last are pandas objects whose indexes hold the same keys"):
        encoding.check_pairing([0, 1], {**systems, "last": systems["s0"][::-1]})
