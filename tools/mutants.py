"""Faults put in on purpose, one line each: the tests named beside a fault must notice it.

``python -m tools.mutants`` tries every mutant of ``tools/mutant_lists/`` in a copy of the project, so
that the project itself is never changed; ``python -m tools.mutants gate kappa`` tries those that have such a word
in their name or function.
Exit status 1 if a mutant survives, if its snippet is not exactly once in its function, or if its tests fail without it.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Literal

from tools.mutant_lists import MUTANTS, Mutant

__all__ = ["Trial", "main", "try_mutants"]

ROOT = Path(__file__).resolve().parents[1]
COPIED = ("src", "tests", "docs", "examples", "benchmarks", "tools", "pyproject.toml", "README.md", "Makefile")
LEFT_BEHIND = ("__pycache__", ".hypothesis", ".pytest_cache", "*.egg-info")
LONGEST = 300
"""Seconds for the tests of one mutant; a fault that hangs them has been noticed, too."""

_TESTS_FAILED, _NO_TESTS = 1, 5
"""Exit statuses of pytest; where a whole file is skipped, there are no tests."""

Outcome = Literal["killed", "survived", "stale", "broken", "skipped"]


@dataclass(frozen=True)
class Trial:
    """Outcome of a mutant."""

    mutant: Mutant
    outcome: Outcome
    text: str = ""


class _Copy:
    """A copy of the project in which tests run; its compiled files are checked by content, not by their time."""

    def __init__(self, root: Path, folder: Path) -> None:
        self.folder = folder
        ignore = shutil.ignore_patterns(*LEFT_BEHIND)
        for name in COPIED:
            source = root / name
            if source.is_dir():
                shutil.copytree(source, folder / name, ignore=ignore)
            elif source.is_file():
                shutil.copy2(source, folder / name)
        places = [str(folder / name) for name in ("src", "tests") if (folder / name).is_dir()]
        subprocess.run(
            [sys.executable, "-m", "compileall", "-q", "--invalidation-mode", "checked-hash", *places],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        self.environment = {
            **os.environ,
            "PYTHONPATH": str(folder / "src"),
            "PYTHONDONTWRITEBYTECODE": "1",
            "INFOSCOPE_REFERENCE_DATA": os.environ.get("INFOSCOPE_REFERENCE_DATA") or str(root.parent / "shared"),
        }

    def test(self, tests: Iterable[str]) -> tuple[int, str]:
        """Exit status of pytest, and what it says in the end."""
        # by -k, because a test of a file that is skipped as a whole is not found by its id
        files, names = (sorted(set(parts)) for parts in zip(*(test.split("::") for test in tests), strict=True))
        words = [sys.executable, "-m", "pytest", "-x", "-q", "--no-header", "--tb=no", "-p", "no:cacheprovider"]
        words += [*files, "-k", " or ".join(names)]
        try:
            done = subprocess.run(
                words,
                cwd=self.folder,
                env=self.environment,
                capture_output=True,
                text=True,
                check=False,
                timeout=LONGEST,
            )
        except subprocess.TimeoutExpired:
            return _TESTS_FAILED, f"no end after {LONGEST} seconds"
        return done.returncode, "\n".join(done.stdout.splitlines()[-3:]) + done.stderr[-300:]

    def try_out(self, mutant: Mutant) -> Trial:
        """Run the tests of a mutant with it in place, and take it out again."""
        files = mutant.files(self.folder)
        if len(files) != 1:
            return Trial(mutant, "stale", f"its snippet occurs {len(files)} times in {mutant.within}")
        file = files[0]
        before = file.read_bytes()
        try:
            file.write_text(mutant.mutate(before.decode()), encoding="utf-8")
            status, text = self.test(mutant.tests)
        finally:
            file.write_bytes(before)
        if status == _TESTS_FAILED:
            return Trial(mutant, "killed", text)
        if status in (0, _NO_TESTS) and " passed" not in text and "skipped" in text.lower():
            return Trial(mutant, "skipped", text)
        return Trial(mutant, "survived" if status == 0 else "broken", text)


def try_mutants(mutants: Sequence[Mutant], root: Path = ROOT, jobs: int = 1) -> Iterator[Trial]:
    """Every mutant in turn, after its tests have passed without it."""
    with tempfile.TemporaryDirectory(prefix="mutants-") as scratch:
        copies: SimpleQueue[_Copy] = SimpleQueue()
        for job in range(jobs):
            (folder := Path(scratch) / str(job)).mkdir()
            copies.put(_Copy(root, folder))

        def tried(mutant: Mutant) -> Trial:
            copy = copies.get()
            try:
                return copy.try_out(mutant)
            finally:
                copies.put(copy)

        first = copies.get()
        status, text = first.test(test for mutant in mutants for test in mutant.tests)
        copies.put(first)
        if status not in (0, _NO_TESTS):
            yield from (Trial(mutant, "broken", f"without it: {text}") for mutant in mutants[:1])
            return
        with ThreadPoolExecutor(jobs) as pool:
            yield from pool.map(tried, mutants)


def main(words: Sequence[str] | None = None) -> int:
    """Try the mutants asked for and say which were not noticed."""
    parser = argparse.ArgumentParser(prog="python -m tools.mutants", description=__doc__.splitlines()[0])
    parser.add_argument("words", nargs="*", help="try the mutants whose name or file contains one of these")
    parser.add_argument("-j", "--jobs", type=int, default=1, help="how many at a time")
    parser.add_argument("-l", "--list", action="store_true", help="name the mutants and stop")
    asked = parser.parse_args(words)
    chosen = [
        mutant
        for mutant in MUTANTS
        if not asked.words or any(word.lower() in f"{mutant.name} {mutant.within}".lower() for word in asked.words)
    ]
    if not chosen:
        print(f"no mutant has {' or '.join(asked.words)} in its name or file", file=sys.stderr)
        return 2
    if asked.list:
        print("\n".join(f"{mutant.name}  ({mutant.within})" for mutant in chosen))
        return 0
    return _report(try_mutants(chosen, jobs=max(1, asked.jobs)))


def _report(trials: Iterable[Trial]) -> int:
    counts: dict[str, int] = {}
    for trial in trials:
        counts[trial.outcome] = counts.get(trial.outcome, 0) + 1
        print(f"{trial.outcome:9}{trial.mutant.name}  ({trial.mutant.within})", flush=True)
        if trial.outcome != "killed":
            print("         " + trial.text.replace("\n", "\n         "), flush=True)
    print(", ".join(f"{number} {outcome}" for outcome, number in counts.items()))
    return 0 if set(counts) <= {"killed", "skipped"} else 1


if __name__ == "__main__":
    sys.exit(main())
