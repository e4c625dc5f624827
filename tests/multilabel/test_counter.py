"""Label sets counted as they come: any split into parts, merged in any order, is the whole."""

import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infoscope import multilabel
from infoscope.errors import InputError

SETS = st.frozensets(st.sampled_from("abc"))
OBJECTS = st.lists(st.tuples(SETS, SETS), min_size=1, max_size=12)


def numbers(result: multilabel.MultilabelEvaluation) -> dict[str, float | None]:
    return {name: each.value for name, each in result.systems[0].metrics.items()}


def counted(objects: list[tuple[frozenset[str], frozenset[str]]]) -> multilabel.LabelSetCounter:
    counter = multilabel.LabelSetCounter()
    for truth, predicted in objects:
        counter.add(truth, predicted)
    return counter


@pytest.mark.slow
@settings(max_examples=15)
@given(OBJECTS, st.integers(0, 12))
def test_parts_merge_to_the_whole(objects: list[tuple[frozenset[str], frozenset[str]]], cut: int) -> None:
    quick = {"draws": 0, "shuffles": 0, "splits": 0}
    one, other = counted(objects[:cut]), pickle.loads(pickle.dumps(counted(objects[cut:])))
    whole = multilabel.evaluate(*map(list, zip(*objects, strict=True)), **quick)

    assert numbers((other + one).evaluate(**quick)) == pytest.approx(numbers(whole), nan_ok=True)
    one.merge(other)
    assert numbers(one.evaluate(**quick)) == pytest.approx(numbers(whole), nan_ok=True)
    assert len(one) == len(objects)


def test_merging_in_another_order_gives_the_same_intervals() -> None:
    parts = [counted([(frozenset("a"), frozenset("ab"))] * 5), counted([(frozenset("b"), frozenset())] * 3)]
    forwards, backwards = parts[0] + parts[1], parts[1] + parts[0]

    options = {"draws": 20, "shuffles": 2, "splits": 2}
    assert forwards.evaluate(**options).to_json() == backwards.evaluate(**options).to_json()


def test_what_cannot_be_counted() -> None:
    counter = multilabel.LabelSetCounter()
    with pytest.raises(InputError, match="nothing was counted"):
        counter.evaluate()
    with pytest.raises(InputError, match="2 true and 1 predicted"):
        counter.update([{"a"}, {"b"}], [{"a"}])
    with pytest.raises(InputError, match="truth of an object is 'ab'"):
        counter.add("ab", {"a"})
    with pytest.raises(InputError, match="0 objects"):
        counter.add({"a"}, {"a"}, 0)
    assert len(counter) == 0
