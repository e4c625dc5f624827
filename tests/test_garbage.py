"""Pauses of garbage collection end as they began."""

import gc
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from types import ModuleType

import pytest

import infoscope as ifs
from infoscope.garbage import collection_paused, loading

TABLE = ifs.Contingency.from_matrix([[8, 2], [1, 9]])


@pytest.fixture(autouse=True)
def collecting() -> Iterator[None]:
    gc.enable()
    yield
    gc.enable()


def test_a_pause_ends_also_after_an_error() -> None:
    seen = []

    @collection_paused()
    def fail() -> None:
        seen.append(gc.isenabled())
        raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert seen == [False]
    assert gc.isenabled()


def test_who_has_switched_it_off_keeps_it_off() -> None:
    gc.disable()
    with collection_paused():
        pass
    assert not gc.isenabled()


def test_the_last_of_several_ends_the_pause() -> None:
    with collection_paused():
        with collection_paused():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()


def test_pauses_of_two_threads() -> None:
    meet = Barrier(2)

    def pause(first: bool) -> bool:
        if first:
            with collection_paused():
                meet.wait(10)  # both are inside
                meet.wait(10)
            meet.wait(10)
            return True
        with collection_paused():
            meet.wait(10)
            meet.wait(10)  # the other leaves
            meet.wait(10)
            return not gc.isenabled()

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(pause, (True, False))) == [True, True]
    assert gc.isenabled()


def test_objects_that_someone_has_frozen_stay_so(monkeypatch: pytest.MonkeyPatch) -> None:
    gc.freeze()
    frozen = gc.get_freeze_count()
    with loading():
        assert not gc.isenabled()
        monkeypatch.setitem(sys.modules, "a module for this test", ModuleType("new"))
    assert gc.isenabled()
    assert 0 < gc.get_freeze_count() <= frozen


def test_what_is_loaded_is_not_searched_for_garbage() -> None:
    code = (
        "import gc, numpy\n"
        "searches = []\n"
        "gc.callbacks.append(lambda phase, facts: searches.append(phase))\n"
        "import infoscope\n"
        "infoscope.evaluate\n"
        "old = {id(each) for each in gc.get_objects(generation=2)}\n"
        "print(len(searches) // 2, id(infoscope.evaluation.__dict__) in old, gc.get_freeze_count())\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    searched, is_old, frozen = done.stdout.split()
    assert int(searched) < 10  # 79 without a pause
    assert (is_old, frozen) == ("True", "0")


def test_results_and_pages_are_made_in_a_pause() -> None:
    searches: list[str] = []

    def note(phase: str, _: dict[str, int]) -> None:
        searches.append(phase)

    ifs.evaluate(TABLE).to_html()  # everything is loaded
    gc.freeze()  # what other tests loaded need not be looked through each time
    before = gc.get_threshold()
    gc.callbacks.append(note)
    gc.set_threshold(1, 10, 10)
    try:
        ifs.evaluate(TABLE).to_html()
    finally:
        gc.set_threshold(*before)
        gc.callbacks.remove(note)
    assert len(searches) < 1000  # 332 outside of pauses, 26,000 without any
    assert gc.isenabled()
