"""The promises on the cards, each tried on random tables for every metric that makes it.

A failing test names the metrics that break the law on the table it found.
"""

from collections.abc import Callable, Iterable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infoscope import Contingency, catalogue
from tests.api import Law, Metric, Real, find
from tests.strategies import (
    batches,
    binary_tables,
    extreme_tables,
    independent_tables,
    perfect_tables,
    stored_sparse,
    tables,
)

EVERY = [find(name) for name in catalogue]
WHOLE_TABLE = [entry for entry in EVERY if entry.card.level == "table"]


ROOTS = {"cramers_v", "tight_fano_bound"}
"""Square roots of a small number, by formula or by solving an equation where it is flat: half of the digits remain."""


def same(name: str, one: object, other: object) -> bool:
    """Equal but for rounding; undefined and infinite alike."""
    atol = 1e-7 if name in ROOTS else 1e-12
    return np.allclose(np.asarray(one, float), np.asarray(other, float), rtol=1e-9, atol=atol, equal_nan=True)


def with_law(law: Law) -> list[Metric]:
    """Every metric that makes this promise."""
    return [entry for entry in EVERY if law in entry.card.laws]


def differing(entries: Iterable[Metric], one: Contingency, other: Contingency) -> list[str]:
    """Names of the metrics that tell two tables apart."""
    return [entry.name for entry in entries if not same(entry.name, entry.score(one), entry.score(other))]


def breaking(entries: Iterable[Metric], keeps: Callable[[Callable[[Contingency], Real]], bool]) -> list[str]:
    """Names of the metrics that do not keep a law."""
    return [entry.name for entry in entries if not keeps(entry.score)]


def some_tables() -> st.SearchStrategy[Contingency]:
    """Any table, every third time a binary one, since some metrics speak of nothing else."""
    return st.one_of(tables(), tables(), binary_tables())


@given(table=some_tables(), factor=st.sampled_from([2, 3, 1000]))
def test_scaling(table: Contingency, factor: int) -> None:
    more = Contingency.from_matrix(np.asarray(table.counts) * factor, reject=table.reject)

    assert differing(with_law(Law.SCALING), more, table) == []


@given(table=tables(rejecting=False), data=st.data())
def test_relabelling(table: Contingency, data: st.DataObject) -> None:
    rows = data.draw(st.permutations(range(table.shape[0])))
    columns = data.draw(st.permutations(range(table.shape[1])))
    shuffled = Contingency.from_matrix(table.counts[np.ix_(rows, columns)])

    assert differing(with_law(Law.RELABELLING), shuffled, table) == []


@given(table=tables(), data=st.data())
def test_joint_relabelling(table: Contingency, data: st.DataObject) -> None:
    rows = data.draw(st.permutations(range(table.shape[0])))
    columns = data.draw(st.permutations(range(table.shape[1])))
    names = dict(enumerate(data.draw(st.permutations("abcde"))))
    renamed = Contingency.from_matrix(
        table.counts[np.ix_(rows, columns)],
        truth=[names[i] for i in rows],
        system=[names[j] for j in columns],
        reject=None if table.reject is None else names[table.shape[1] - 1],
    )
    laws = [*with_law(Law.JOINT_RELABELLING), *with_law(Law.RELABELLING)]

    assert differing(laws, renamed, table) == []


@given(table=tables(rejecting=False))
def test_exchange(table: Contingency) -> None:
    other = table.transpose()

    assert differing(with_law(Law.EXCHANGE), other, table) == []


def of_binary_family(law: Law, *, binary: bool) -> list[Metric]:
    return [entry for entry in with_law(law) if (entry.card.family in ("binary", "diagnostic")) == binary]


@pytest.mark.parametrize(("law", "value"), [(Law.PERFECT_IS_ONE, 1), (Law.PERFECT_IS_ZERO, 0)])
@given(many=perfect_tables(), two=perfect_tables(2))
def test_perfect_is_exact(law: Law, value: int, many: Contingency, two: Contingency) -> None:
    assert breaking(of_binary_family(law, binary=False), lambda score: score(many) == value) == []
    assert breaking(of_binary_family(law, binary=True), lambda score: score(two) == value) == []


@given(many=independent_tables(), two=independent_tables(2))
def test_independence_is_zero(many: Contingency, two: Contingency) -> None:
    several = of_binary_family(Law.INDEPENDENCE_IS_ZERO, binary=False)
    detectors = of_binary_family(Law.INDEPENDENCE_IS_ZERO, binary=True)

    assert [entry.name for entry in several if not same(entry.name, entry.score(many), 0.0)] == []
    assert [entry.name for entry in detectors if not same(entry.name, entry.score(two), 0.0)] == []


@given(table=tables(rejecting=False).filter(lambda table: table.shape[1] > 1), data=st.data())
def test_merging_never_gains(table: Contingency, data: st.DataObject) -> None:
    pair = data.draw(st.permutations(table.system_labels))[:2]
    merged = table.merge_classes(pair, side="system")

    def loses(score: Callable[[Contingency], Real]) -> bool:
        before, after = score(table), score(merged)
        return bool(np.isnan(before) or after <= before * (1 + 1e-12) + 1e-12)

    assert breaking(with_law(Law.MERGING_NEVER_GAINS), loses) == []


@given(table=tables(), side=st.sampled_from(["both", "truth", "system"]))
def test_empty_class(table: Contingency, side: str) -> None:
    wider = Contingency.from_matrix(
        np.pad(table.counts, ((0, int(side != "system")), (0, int(side != "truth")))),
        truth=[*table.truth_labels, 9] if side != "system" else table.truth_labels,
        system=[*table.system_labels, 9] if side != "truth" else table.system_labels,
        reject=table.reject,
    )

    assert differing(with_law(Law.EMPTY_CLASS), wider, table) == []


def test_only_metrics_that_count_declared_classes_notice_an_empty_one() -> None:
    """Each metric that does not promise to ignore an empty class does depend on it, so the cards say neither too much
    nor too little.
    """
    noticed = set()
    for matrix in ([[15, 5], [45, 135]], [[8, 1, 3], [0, 2, 9], [4, 0, 0]], [[9, 9, 9], [9, 9, 9], [9, 9, 8]]):
        table = Contingency.from_matrix(matrix)
        wider = Contingency.from_matrix(np.pad(matrix, (0, 1)))
        noticed |= set(differing(WHOLE_TABLE, table, wider))

    assert noticed == {entry.name for entry in WHOLE_TABLE if Law.EMPTY_CLASS not in entry.card.laws}


def test_no_rounding_leaves_the_range_of_a_card() -> None:
    """Tables of weights in batches, in one of which a class loses its correct rejections to a difference."""
    rng = np.random.default_rng(24)
    outside = set()
    for _ in range(40):
        k = int(rng.integers(2, 7))
        weights = rng.random((12, k, k)) * rng.choice([1.0, 0.1, 1e9, 1e-9])
        weights[rng.random(weights.shape) < 0.3] = 0.0
        weights[1:7, 1:, 0] = 0.0
        weights[0, 1:, 1:] *= 1e-13
        weights[:, 0, 0] += 0.3
        table = Contingency.from_matrix(weights)
        for entry in EVERY:
            low, high = entry.card.range
            values = np.asarray(entry.score(table), float)
            outside |= {entry.name} if (values < low).any() or (values > high).any() else set()

    assert not outside


@given(table=st.one_of(some_tables(), extreme_tables()))
def test_range_as_printed_on_the_card(table: Contingency) -> None:
    outside = {}
    for entry in EVERY:
        low, high = entry.card.range
        values = np.asarray(entry.score(table), dtype=float)
        if not np.all((values >= low) & (values <= high) | np.isnan(values)):
            outside[entry.name] = values

    assert outside == {}


@given(table=st.one_of(some_tables(), extreme_tables()))
def test_undefined_only_with_a_reason(table: Contingency) -> None:
    for entry in EVERY:
        finite = np.isfinite(np.asarray(entry.score(table), dtype=float)).all()
        assert finite or entry.card.undefined != "never", entry.name
        if entry in WHOLE_TABLE:
            assert finite or entry.reason(table) not in {"", "never"}, entry.name


@given(batch=batches())
def test_batch_is_one_by_one(batch: Contingency) -> None:
    alone = [Contingency.from_matrix(counts, reject=batch.reject) for counts in batch.counts]

    def kept(entry: Metric) -> bool:
        return same(entry.name, entry.score(batch), [entry.score(table) for table in alone])

    assert [entry.name for entry in EVERY if not kept(entry)] == []


@given(table=some_tables())
def test_sparse_is_dense(table: Contingency) -> None:
    sparse = stored_sparse(table)
    cells = [entry for entry in EVERY if entry.card.level == "cell"]
    others = [entry for entry in EVERY if entry.card.level != "cell"]

    assert differing(others, sparse, table) == []
    for entry in cells:
        assert same(entry.name, entry.score(sparse), entry.score(table)[table.cells > 0]), entry.name


@given(table=tables())
def test_one_number_a_table_whatever_was_asked_before(table: Contingency) -> None:
    """A metric does not depend on what other metrics left behind, nor does it change the counts."""
    before = np.array(table.counts)
    first = {entry.name: np.array(entry.score(table)) for entry in EVERY}
    fresh = {
        entry.name: np.array(entry.score(Contingency.from_matrix(before, reject=table.reject)))
        for entry in reversed(EVERY)
    }

    assert [entry.name for entry in WHOLE_TABLE if first[entry.name].shape != ()] == []
    assert [name for name in first if not np.array_equal(first[name], fresh[name], equal_nan=True)] == []
    np.testing.assert_array_equal(table.counts, before)
