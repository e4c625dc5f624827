"""A slice of the differential fuzzing of all readers; ``make fuzz-readers`` runs more of it."""

import random
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.reference import ROOT
from tools.reader_cases import Case, Mismatch, Rows, draw_case

SECONDS = 20


@pytest.mark.slow
@pytest.mark.parametrize("seed", [f"{datetime.now(UTC):%Y%m%d}"])
def test_twenty_seconds_of_fuzzing(seed: str, capsys: pytest.CaptureFixture[str]) -> None:
    """With another seed each day, which the name of the test tells as well."""
    command = [sys.executable, "-m", "tools.fuzz_readers", "--seed", seed, "--seconds", str(SECONDS)]
    with capsys.disabled():
        print(f"\n{' '.join(command[1:])}")
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=10 * SECONDS)

    assert done.returncode == 0, done.stdout + done.stderr
    assert f"seed {seed}" in done.stdout
    assert "0 failures" in done.stdout


def test_bytes_that_are_not_utf8_in_a_column_that_is_not_read_are_found(tmp_path: Path) -> None:
    """Seed 21, case 6973: far behind the look at the header."""
    draw_case(random.Random("21:6973"), tmp_path).check()


@pytest.mark.slow
def test_cases_repeat_and_cover_every_source(tmp_path: Path) -> None:
    def titles(seed: str) -> list[str]:
        return [str(draw_case(random.Random(f"{seed}:{i}"), tmp_path)) for i in range(300)]

    found = titles("7")
    assert titles("7") == found
    seen = Counter(word for title in found for word in title.replace("(", " ").replace(",", " ").split())
    for word in ("stdin", "fifo", "pipe", "folder", "glob", "stream", "file", "matrix", "cut", "flip"):
        assert seen[word], word
    for form in (
        "pandas",
        "polars",
        "lazy",
        "pyarrow",
        "batches",
        "csv.csv.gz",
        "csv.csv.zst",
        "ndjson.ndjson",
        "parquet.parquet",
    ):
        assert seen[form], form


@pytest.mark.parametrize("lost", ["a row", "a label", "nothing"])
def test_the_oracle_sees_what_is_lost(tmp_path: Path, lost: str) -> None:
    from tools.reader_sources import given

    path = tmp_path / "log.csv"
    path.write_text({"a row": "t,s\na,b\n", "a label": "t,s\na,b\nc,x\n", "nothing": "t,s\na,b\nc,d\n"}[lost])
    case = Case("by hand", lambda: given(path), Rows({"t": ["a", "c"], "s": ["b", "d"]}, "t", ("s",)))
    if lost == "nothing":
        case.check()
        return
    with pytest.raises(Mismatch):
        case.check()


@pytest.mark.parametrize(("at", "whole"), [(0, True), (4, False), (25, True), (30, False)])
def test_a_file_cut_between_two_compressed_pieces_is_whole(at: int, whole: bool) -> None:
    """A file cut there counts as whole, since no reader could know better."""
    from tools.reader_sources import Written, damaged

    class Cut(random.Random):
        def randrange(self, *_: object, **__: object) -> int:
            return at

        def choice(self, options: Sequence[Any]) -> Any:
            return options[0]

    file = Written(bytes(60), ".csv.gz", "by hand", first_piece=25)
    assert damaged(file, Cut())[0].whole is whole
