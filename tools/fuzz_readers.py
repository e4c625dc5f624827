"""Differential fuzzing of the readers: random rows in every format, counted by the package and by plain Python.

    python -m tools.fuzz_readers --seconds 60
    python -m tools.fuzz_readers --seed 7 --case 4711

A case is made from the seed and its number alone, so that a failure can be repeated by them. Cases run in a process of
their own: one that kills it is a failure, too.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Sequence
from pathlib import Path

from tools.reader_cases import Case, Mismatch, draw_case

__all__ = ["main"]

_DRAWN_AT_RANDOM = 1 << 32


def main(arguments: Sequence[str] | None = None) -> int:
    """Run cases until the time is up; 1 if one fails."""
    parser = argparse.ArgumentParser(prog="tools.fuzz_readers", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60.0, help="time budget")
    parser.add_argument("--seed", type=int, help="seed of all cases; drawn if left out")
    parser.add_argument("--case", type=int, help="run this case alone, in this process, and keep its files")
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--most", type=int, default=10, help="stop after this many failures")
    parser.add_argument("--inside", type=Path, help=argparse.SUPPRESS)  # the process that runs the cases
    asked = parser.parse_args(arguments)
    seed = random.SystemRandom().randrange(_DRAWN_AT_RANDOM) if asked.seed is None else asked.seed
    if asked.case is not None:
        return _one(seed, asked.case)
    end = time.monotonic() + asked.seconds
    if asked.inside is not None:
        return _worker(seed, asked.first, end, asked.inside, asked.most)
    print(f"seed {seed}", flush=True)
    return _watch(seed, asked.first, end, asked.most)


def _one(seed: int, number: int) -> int:
    folder = Path(tempfile.mkdtemp(prefix="fuzz-readers-"))
    case = draw_case(random.Random(f"{seed}:{number}"), folder)
    print(f"case {number} of seed {seed}: {case} (files in {folder})")
    return 0 if _passes(case, seed, number) else 1


def _watch(seed: int, first: int, end: float, most: int) -> int:
    """Start processes that run cases, and start another one after a case that kills its process."""
    failures = started = 0
    with tempfile.TemporaryDirectory(prefix="fuzz-readers-") as name:
        log = Path(name) / "case"
        while (left := end - time.monotonic()) > 0 and failures < most:
            numbers = {"seed": seed, "first": first, "seconds": left, "most": most, "inside": log}
            options = [f"--{name}={value}" for name, value in numbers.items()]
            done = subprocess.run([sys.executable, "-m", "tools.fuzz_readers", *options], check=False)
            last, failed = map(int, log.read_text().split()) if log.exists() else (first, 1)
            started, failures = started + last - first + 1, failures + failed
            if done.returncode in (0, 1):
                break
            print(f"case {last} of seed {seed} ended its process with status {done.returncode}", flush=True)
            failures, first = failures + 1, last + 1
    print(f"{started:,} cases, {failures} failures")
    return 1 if failures or not started else 0


def _worker(seed: int, first: int, end: float, log: Path, most: int) -> int:
    """Run one case after the other; the log has the number of the current one and how many failed."""
    failures, number = 0, first
    while time.monotonic() < end and failures < most:
        log.write_text(f"{number} {failures}")
        with tempfile.TemporaryDirectory(prefix="fuzz-readers-") as folder:
            case = draw_case(random.Random(f"{seed}:{number}"), Path(folder))
            failures += not _passes(case, seed, number)
        number += 1
    log.write_text(f"{number - 1} {failures}")
    return 1 if failures else 0


def _passes(case: Case, seed: int, number: int) -> bool:
    try:
        case.check()
    except Mismatch as mismatch:
        reason = str(mismatch)
    except Exception:
        reason = traceback.format_exc(limit=-6)
    else:
        return True
    print(f"case {number} of seed {seed}: {case}\n{reason}", flush=True)
    return False


if __name__ == "__main__":
    sys.exit(main())
