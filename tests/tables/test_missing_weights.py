"""A row without a weight is left out with a warning, as one without a label is, wherever weights come from."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import infoscope as ifs
from infoscope.errors import InputError, MissingLabelsWarning

pytestmark = pytest.mark.filterwarnings("error")

RNG = np.random.default_rng(5)
ROWS = {
    "gold": RNG.choice(["a", "b"], 60).tolist(),
    "svm": RNG.choice(["a", "b"], 60).tolist(),
    "tree": RNG.choice(["a", "b"], 60).tolist(),
    "sick": RNG.integers(0, 2, 60).tolist(),
    "score": RNG.random(60).round(3).tolist(),
    "weight": [np.nan, None, *RNG.integers(1, 5, 58).astype(float).tolist()],
}
WHOLE = {name: values[2:] for name, values in ROWS.items()}

Rows = dict[str, Any]
QUESTIONS: dict[str, Callable[[Rows], Any]] = {
    "table": lambda d: ifs.Contingency.from_labels(d["gold"], d["svm"], sample_weight=d["weight"]),
    "declared table": lambda d: ifs.Contingency.from_labels(
        [*d["gold"], "z"], [*d["svm"], "z"], sample_weight=[*d["weight"], 1.0], labels=["a", "b"]
    ),
    "posterior": lambda d: ifs.Posterior(d["gold"], d["svm"], sample_weight=d["weight"]).table,
    "metric": lambda d: ifs.metrics.accuracy(d["gold"], d["svm"], sample_weight=d["weight"]),
    "score": lambda d: ifs.operating_points.roc_auc(d["sick"], d["score"], sample_weight=d["weight"]),
    "read": lambda d: ifs.read(d, truth="gold", system="svm", weight="weight"),
    "frame": lambda d: ifs.read(pd.DataFrame(d), truth="gold", system="svm", weight="weight"),
    "evaluate": lambda d: dict(ifs.evaluate(d["gold"], d["svm"], weight=d["weight"])["system"].metrics),
    "evaluate rows": lambda d: dict(ifs.evaluate(d, truth="gold", system="svm", weight="weight")["svm"].metrics),
    "several": lambda d: [
        dict(system.metrics) for system in ifs.evaluate(d, truth="gold", system=["svm", "tree"], weight="weight")
    ],
    "compare": lambda d: ifs.compare(d, truth="gold", system=["svm", "tree"], weight="weight").pairs,
    "compare frame": lambda d: (
        ifs.compare(pd.DataFrame(d), truth="gold", system=["svm", "tree"], weight="weight").pairs
    ),
    "sweep": lambda d: ifs.sweep(d["sick"], d["score"], weight=d["weight"]).values("proficiency").tolist(),
    "relate": lambda d: ifs.relate(d, ["gold", "svm"], weight="weight", permutations=9).relations,
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_number_is_that_of_the_other_rows(question: str, recwarn: pytest.WarningsRecorder) -> None:
    ask = QUESTIONS[question]
    with pytest.warns(MissingLabelsWarning, match="missing weight|or weight") as said:
        found = ask(ROWS)
    assert len(said) == 1
    if question != "declared table":  # which leaves out a row with an undeclared label, too
        assert not recwarn.list
        assert found == ask(WHOLE)
    else:
        with pytest.warns(MissingLabelsWarning):
            assert found == ask(WHOLE)


def test_a_file_says_the_same(tmp_path: Path) -> None:
    pd.DataFrame(ROWS).to_csv(tmp_path / "log.csv", index=False)
    with pytest.warns(MissingLabelsWarning, match="2 rows left out: missing weight in 'weight'"):
        found = ifs.read(str(tmp_path / "log.csv"), truth="gold", system="svm", weight="weight")
    assert found == QUESTIONS["table"](WHOLE)


@pytest.mark.parametrize("weight", [np.inf, -1.0])
def test_what_is_no_weight_is_rejected(weight: float) -> None:
    with pytest.raises(InputError, match=r"sample_weight of row 0 is .*; weights must be finite and not negative"):
        ifs.metrics.accuracy(["a", "b"], ["a", "b"], sample_weight=[weight, 1.0])
    with pytest.raises(InputError, match="no row has a weight"):
        ifs.metrics.accuracy(["a", "b"], ["a", "b"], sample_weight=[None, np.nan])
