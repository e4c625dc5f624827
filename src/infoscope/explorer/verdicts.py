"""What people say about rows: prediction wrong, truth wrong, unclear; kept beside the file, which is never written."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from scipy.special import betaincinv

from infoscope.core.records import COUNT, TEXT, Fields, Maybe, Plain, check_record, parse_json
from infoscope.errors import InputError
from infoscope.results.provenance import get_time
from infoscope.typing import StrPath

VERDICTS = "verdicts.jsonl"
RowVerdict = Literal["prediction wrong", "truth wrong", "unclear"]
_MOST_ROWS = 1 << 53
_MAX_TEXT = 500


@dataclass(frozen=True)
class RowVerdicts:
    """One verdict on one row."""

    file: str
    row: int
    """Number of the row in the file, from 1."""
    key: str | None
    """The value of the column that names the row, where there is one."""
    system: str
    truth: str
    predicted: str
    verdict: RowVerdict
    drawn: str
    """How the row was drawn: only rows drawn at random stand for the others."""
    made: str
    key_column: str | None = None
    """The column that names the row; files of earlier versions do not tell."""
    contents: str | None = None
    """A hash of all that the row holds, where no column names it."""


def keep_verdict(folder: Path, given: Mapping[str, Any]) -> RowVerdicts:
    """Add a verdict to the folder's file, in one write, so that two processes lose nothing."""
    key, key_column, contents = (_text_or_none(given, name) for name in ("key", "key_column", "contents"))
    try:
        verdict = RowVerdicts(
            file=str(given["file"])[:_MAX_TEXT],
            row=int(given["row"]),
            key=key,
            system=str(given["system"])[:_MAX_TEXT],
            truth=str(given["truth"])[:_MAX_TEXT],
            predicted=str(given["predicted"])[:_MAX_TEXT],
            verdict=given["verdict"],
            drawn=str(given.get("drawn", "random"))[:20],
            made=get_time(),
            key_column=None if key is None else key_column,
            contents=contents,
        )
    except (KeyError, TypeError, ValueError, OverflowError):
        raise InputError("a verdict names file, row, system, truth, predicted and verdict") from None
    if verdict.verdict not in get_args(RowVerdict):
        raise InputError(f"a verdict is one of {', '.join(get_args(RowVerdict))}")
    if not 1 <= verdict.row <= _MOST_ROWS:
        raise InputError(f"a verdict is about row {str(verdict.row)[:40]}; rows count from 1, and no file has so many")
    line = json.dumps(asdict(verdict), ensure_ascii=False) + "\n"
    _append(folder / VERDICTS, line.encode())
    return verdict


def _text_or_none(given: Mapping[str, Any], name: str) -> str | None:
    value = given.get(name)
    return None if value is None else str(value)[:_MAX_TEXT]


def _append(path: Path, line: bytes) -> None:
    """Add a whole line or nothing; a link is not followed, since it may lead to a file that is not ours to write."""
    if path.is_symlink():
        raise InputError(f"{path} is a link, and verdicts are not written through one; put a file in its place")
    target = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666)
    try:
        written = os.write(target, line)
        if written < len(line):
            os.ftruncate(target, os.fstat(target).st_size - written)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    finally:
        os.close(target)


_FIELDS = Fields(
    {
        **dict.fromkeys(("file", "system", "truth", "predicted", "drawn", "made"), TEXT),
        "row": Plain("the number of a row", lambda value: COUNT.holds(value) and 1 <= value <= _MOST_ROWS),
        "key": Maybe(TEXT),
        "verdict": Plain("a verdict", lambda value: value in get_args(RowVerdict)),
    },
    {"key_column": Maybe(TEXT), "contents": Maybe(TEXT)},
)


def read_verdicts(path: StrPath) -> list[RowVerdicts]:
    """All verdicts of a file, the last one on each row and system."""
    try:
        lines = Path(path).read_text(encoding="utf-8").removesuffix("\n").split("\n")  # labels may hold other ends
    except (OSError, UnicodeDecodeError) as problem:
        raise InputError(f"{path} cannot be read: {problem}; verdicts are kept by `infoscope serve`") from None
    found: dict[tuple[str, int, str], RowVerdicts] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            verdict = RowVerdicts(**check_record(parse_json(line), _FIELDS, "the line"))
            json.dumps(asdict(verdict), ensure_ascii=False).encode()  # halves of characters are no text
        except ValueError:
            raise InputError(f"{path}, line {number}: this is not a verdict; remove the line, or restore it") from None
        found[verdict.file, verdict.row, verdict.system] = verdict
    return list(found.values())


@dataclass(frozen=True)
class TruthErrors:
    """Of the errors of a system that were drawn at random and judged, how many are errors of the truth."""

    file: str
    system: str
    judged: int
    truth_wrong: int
    low: float
    high: float
    pairs: tuple[tuple[str, str], ...] = ()
    """True and predicted class of the cells that were looked into: nothing is said about the others."""

    def sentence(self) -> str:
        """The share with its interval."""
        where = f"in the {len(self.pairs)} cells that were looked into"
        if len(self.pairs) == 1:
            where = "where {} is predicted as {}".format(*self.pairs[0])
        drawn = "was drawn at random and judged" if self.judged == 1 else "were drawn at random and judged"
        return (
            f"Of the errors of {self.system} in {self.file}, {where}, {self.low:.0%} to {self.high:.0%} are the "
            f"truth's ({self.truth_wrong} of {self.judged} that {drawn})."
        )


def truth_errors(verdicts: Iterable[RowVerdicts]) -> Iterator[TruthErrors]:
    """For each system of each file, from rows drawn at random alone; unclear ones are judged and not the truth's."""
    by_system: dict[tuple[str, str], list[RowVerdicts]] = {}
    for verdict in verdicts:
        if verdict.drawn == "random" and verdict.truth != verdict.predicted:
            by_system.setdefault((verdict.file, verdict.system), []).append(verdict)
    for (file, system), judged in by_system.items():
        wrong = sum(verdict.verdict == "truth wrong" for verdict in judged)
        right = len(judged) - wrong
        low, high = (float(betaincinv(wrong + 0.5, right + 0.5, p)) for p in (0.025, 0.975))
        pairs = tuple(dict.fromkeys((verdict.truth, verdict.predicted) for verdict in judged))
        yield TruthErrors(file, system, len(judged), wrong, low, high, pairs)
