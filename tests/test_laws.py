"""The promises on the cards, each tried on random tables for every metric that makes it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infoscope.cards import Law, Metric, catalogue, find, having
from infoscope.tables import Contingency
from tests.strategies import (
    batches,
    binary_tables,
    for_family,
    independent_tables,
    perfect_tables,
    square_tables,
    stored_sparse,
    tables,
)

quick = settings(max_examples=25)
EVERY = [find(name) for name in catalogue]
WHOLE_TABLE = [entry for entry in EVERY if entry.card.level == "table"]


def promised(law: Law) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("entry", list(having(law)), ids=lambda entry: entry.name)


def each(entries: list[Metric]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("entry", entries, ids=lambda entry: entry.name)


def suited(entry: Metric, data: st.DataObject) -> Contingency:
    """A random table on which the metric has something to say."""
    return data.draw(binary_tables() if entry.card.family == "binary" else tables())


def assert_same(one: object, other: object) -> None:
    np.testing.assert_allclose(np.asarray(one), np.asarray(other), rtol=1e-9, atol=1e-12)


@promised(Law.SCALING)
@quick
@given(data=st.data())
def test_scaling(entry: Metric, data: st.DataObject) -> None:
    table = suited(entry, data)
    factor = data.draw(st.sampled_from([2, 3, 1000]))

    more = Contingency.from_matrix(np.asarray(table.counts) * factor, reject=table.reject)

    assert_same(entry.score(more), entry.score(table))


@promised(Law.RELABELLING)
@quick
@given(table=tables(rejecting=False), data=st.data())
def test_relabelling(entry: Metric, table: Contingency, data: st.DataObject) -> None:
    rows = data.draw(st.permutations(range(table.shape[0])))
    columns = data.draw(st.permutations(range(table.shape[1])))

    shuffled = Contingency.from_matrix(table.counts[np.ix_(rows, columns)])

    assert_same(entry.score(shuffled), entry.score(table))


@promised(Law.JOINT_RELABELLING)
@quick
@given(table=tables(), data=st.data())
def test_joint_relabelling(entry: Metric, table: Contingency, data: st.DataObject) -> None:
    rows = data.draw(st.permutations(range(table.shape[0])))
    columns = data.draw(st.permutations(range(table.shape[1])))
    names = dict(enumerate(data.draw(st.permutations("abcde"))))

    renamed = Contingency.from_matrix(
        table.counts[np.ix_(rows, columns)],
        truth=[names[i] for i in rows],
        system=[names[j] for j in columns],
        reject=None if table.reject is None else names[table.shape[1] - 1],
    )

    assert_same(entry.score(renamed), entry.score(table))


@promised(Law.EXCHANGE)
@quick
@given(table=tables(rejecting=False))
def test_exchange(entry: Metric, table: Contingency) -> None:
    assert_same(entry.score(table.transpose()), entry.score(table))


@promised(Law.PERFECT_IS_ONE)
@quick
@given(data=st.data())
def test_perfect_is_one(entry: Metric, data: st.DataObject) -> None:
    assert entry.score(data.draw(for_family(entry.card.family, perfect_tables))) == 1


@promised(Law.PERFECT_IS_ZERO)
@quick
@given(data=st.data())
def test_perfect_is_zero(entry: Metric, data: st.DataObject) -> None:
    assert entry.score(data.draw(for_family(entry.card.family, perfect_tables))) == 0


@promised(Law.INDEPENDENCE_IS_ZERO)
@quick
@given(data=st.data())
def test_independence_is_zero(entry: Metric, data: st.DataObject) -> None:
    table = data.draw(for_family(entry.card.family, independent_tables))

    assert float(entry.score(table)) == pytest.approx(0.0, abs=1e-7 if entry.name == "cramers_v" else 1e-12)


@promised(Law.MERGING_NEVER_GAINS)
@quick
@given(table=tables(rejecting=False).filter(lambda table: table.shape[1] > 1), data=st.data())
def test_merging_never_gains(entry: Metric, table: Contingency, data: st.DataObject) -> None:
    pair = data.draw(st.permutations(table.system_labels))[:2]

    before, after = entry.score(table), entry.score(table.merge_classes(pair, side="system"))

    assert np.isnan(before) or after <= before * (1 + 1e-12) + 1e-12


@promised(Law.EMPTY_CLASS)
@quick
@given(table=tables(), side=st.sampled_from(["both", "truth", "system"]))
def test_empty_class(entry: Metric, table: Contingency, side: str) -> None:
    more = ((0, int(side != "system")), (0, int(side != "truth")))

    wider = Contingency.from_matrix(
        np.pad(table.counts, more),
        truth=[*table.truth_labels, 9] if side != "system" else table.truth_labels,
        system=[*table.system_labels, 9] if side != "truth" else table.system_labels,
        reject=table.reject,
    )

    assert_same(entry.score(wider), entry.score(table))


@each(EVERY)
@quick
@given(data=st.data())
def test_range_as_printed_on_the_card(entry: Metric, data: st.DataObject) -> None:
    low, high = entry.card.range

    values = np.asarray(entry.score(suited(entry, data)), dtype=float)

    within = (values >= low - 1e-12) & (values <= high + 1e-12)
    assert np.all(within | np.isnan(values)), values


@each([entry for entry in EVERY if entry.card.undefined == "never"])
@quick
@given(table=tables())
def test_never_undefined_where_the_card_says_never(entry: Metric, table: Contingency) -> None:
    assert not np.isnan(entry.score(table)).any()


@each(WHOLE_TABLE)
@quick
@given(table=tables())
def test_undefined_values_have_a_reason(entry: Metric, table: Contingency) -> None:
    value = np.asarray(entry.score(table), dtype=float)

    assert value.shape == ()
    assert np.isfinite(value) or entry.reason(table) not in {"", "never"}


@each(EVERY)
@quick
@given(batch=batches())
def test_batch_is_one_by_one(entry: Metric, batch: Contingency) -> None:
    together = np.asarray(entry.score(batch))

    alone = [entry.score(Contingency.from_matrix(counts, reject=batch.reject)) for counts in batch.counts]

    assert_same(together, np.stack([np.asarray(value) for value in alone]))


@each(EVERY)
@quick
@given(data=st.data())
def test_sparse_is_dense(entry: Metric, data: st.DataObject) -> None:
    table = suited(entry, data)
    dense = np.asarray(entry.score(table))
    if entry.card.level == "cell":
        dense = dense[table.cells > 0]

    assert_same(entry.score(stored_sparse(table)), dense)


@each(WHOLE_TABLE)
@quick
@given(table=square_tables())
def test_score_is_one_number_and_leaves_the_table_alone(entry: Metric, table: Contingency) -> None:
    before = np.array(table.counts)

    first, again = entry.score(table), entry.score(Contingency.from_matrix(before))

    np.testing.assert_array_equal(first, again)
    np.testing.assert_array_equal(table.counts, before)
