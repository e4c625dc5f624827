"""The same rounds as crowd-kit's Dawid and Skene, where it is installed (extra ``peers``)."""

import numpy as np
import pandas as pd
import pytest

from tests.api import Rows, arrange, maximize
from tests.latent.worlds import World

dawid_skene = pytest.importorskip("crowdkit.aggregation.classification.dawid_skene")


ROUNDS = 15


@pytest.mark.filterwarnings("ignore:The (inplace|copy) keyword")
@pytest.mark.parametrize(("systems", "classes", "items"), [(5, 2, 200), (4, 3, 200), (8, 4, 200)])
def test_rounds_of_expectation_and_maximisation(systems: int, classes: int, items: int) -> None:
    """Both make as many rounds from the same start: their own rule of when to stop ends some of these early."""
    rng = np.random.default_rng([91, systems])
    _, predictions = World.drawn(systems, classes, rng).items(items, rng)
    wide = pd.DataFrame(predictions).rename_axis("task").reset_index()
    rows = wide.melt("task", var_name="worker", value_name="label")
    theirs = dawid_skene.DawidSkene(n_iter=ROUNDS, tol=-np.inf).fit(rows)

    data = arrange(Rows.from_columns(predictions)).data
    votes = np.stack([(data.codes == label).sum(axis=0) for label in range(classes)], axis=1)
    ours = maximize(data, votes / systems, None, 0.0)
    for _ in range(ROUNDS):
        ours = maximize(data, ours.infer_classes(data)[0], None, 0.0)
    assert ours.frequencies == pytest.approx(theirs.priors_.sort_index().to_numpy(), abs=1e-8)
    for name, table in zip(predictions, ours.predictions, strict=True):
        given = theirs.errors_.loc[name].reindex(index=range(classes), columns=range(classes), fill_value=0.0)
        assert table == pytest.approx(given.to_numpy().T, abs=1e-8)
