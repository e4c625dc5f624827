"""Timing of the benchmarks: the best of several runs, everything compared in one process.

INFOSCOPE_BENCHMARKS_PROCESSOR=1 counts processor time everywhere, for a machine that others use, too.
With INFOSCOPE_BENCHMARKS_RECORD=FILE every figure is also kept there, a line of JSON each (`python -m tools.bench`).
INFOSCOPE_BENCHMARKS_BRIEFLY=1 makes them small and runs everything once: the figures mean nothing then, but a benchmark
that no longer runs is noticed (tests/test_benchmarks.py).
"""

import json
import os
import resource
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

__all__ = ["best", "clocked", "interleaved", "peak_mebibytes", "record", "show", "sized", "tried"]

T = TypeVar("T")
_BRIEFLY = bool(os.environ.get("INFOSCOPE_BENCHMARKS_BRIEFLY"))
_now = time.process_time if os.environ.get("INFOSCOPE_BENCHMARKS_PROCESSOR") else time.perf_counter


def sized(full: T, brief: T) -> T:
    """A size of the data: the one that is measured, or a small one to see that it runs."""
    return brief if _BRIEFLY else full


def best(work: Callable[[], Any], repeats: int = 3) -> float:
    """Processor seconds of the fastest run: other work on the machine does not count."""
    fastest = float("inf")
    for _ in range(sized(repeats, 1)):
        start = time.process_time()
        work()
        fastest = min(fastest, time.process_time() - start)
    return fastest


def interleaved(works: Mapping[str, Callable[[], Any]], repeats: int = 3) -> dict[str, float]:
    """Seconds by the clock of the fastest run of each, tried in turn; all cores count, and so does other work."""
    return {name: min(seconds) for name, seconds in tried(works, repeats).items()}


def tried(works: Mapping[str, Callable[[], Any]], repeats: int) -> dict[str, list[float]]:
    """Seconds by the clock of every run, all works in turn."""
    seconds: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(sized(repeats, 1)):
        for name, work in works.items():
            start = _now()
            work()
            seconds[name].append(_now() - start)
    return seconds


def clocked(works: Mapping[str, Callable[[], Any]], repeats: int) -> dict[str, list[tuple[float, float]]]:
    """Seconds by the clock and of the processor of every run, all works in turn after one that does not count."""
    seconds: dict[str, list[tuple[float, float]]] = {name: [] for name in works}
    for turn in range(sized(repeats, 1) + 1):
        for name, work in works.items():
            clock, processor = time.perf_counter(), time.process_time()
            work()
            if turn:
                seconds[name].append((time.perf_counter() - clock, time.process_time() - processor))
    return seconds


def peak_mebibytes() -> float:
    """Largest resident size of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def record(**fields: Any) -> None:
    """Keep a figure for the page of benchmarks, where a file is named for it."""
    if target := os.environ.get("INFOSCOPE_BENCHMARKS_RECORD"):
        with Path(target).open("a", encoding="utf-8") as lines:
            lines.write(json.dumps(fields, ensure_ascii=False) + "\n")


def show(
    what: str, ours: float, theirs: float, *, peer: str = "", per: int | None = None, wanted: float | None = None
) -> None:
    """One line: our time, the peer's time, the ratio, and what we promised."""
    record(kind="ratio", what=what.strip(), ours=ours, theirs=theirs, peer=peer)
    cost = "" if per is None else f"  {ours / per * 1e9:8.2f} ns/row against {theirs / per * 1e9:9.2f}"
    promise = "" if wanted is None else f"  (promised {wanted:g}x)"
    print(f"{what:58s} {ours * 1e3:10.2f} ms  {theirs / ours:8.1f}x faster{promise}{cost}", flush=True)
