"""Random blocks: part of a source at a time, in random order, for those who may stop early.

A frame in memory is shuffled row by row. A file is cut into ranges (of rows in Parquet, of bytes in text, where a line
belongs to the range in which it starts), and the ranges are visited in random order: they stand for the whole only
where neighbouring rows are not alike, which ``alike`` tests.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import lazy_loader
import numpy as np
from numpy.typing import NDArray

from infoscope.errors import InputError
from infoscope.quick_dataclasses import dataclass
from infoscope.readers.columns import Columns
from infoscope.readers.dask import count_files
from infoscope.readers.duckdb.count import count_scan
from infoscope.readers.duckdb.scan import scan_files
from infoscope.readers.duckdb.session import Session, opened
from infoscope.readers.files import Files
from infoscope.readers.frames import count_frame, is_frame
from infoscope.readers.reader import ReadOptions, files_of
from infoscope.readers.tally import Tally
from infoscope.scratch_files import scratch_folder
from infoscope.typing import Source

if TYPE_CHECKING:
    import narwhals as nw
else:
    nw = lazy_loader.load("narwhals")  # only for frames

__all__ = ["Block", "alike", "random_blocks"]

_BLOCKS = 128
_LEAST_ROWS = 1000
_LEAST_BYTES = 1 << 14
STRETCHES = 8
"""This many first blocks come from all over a file."""
_LEAST_EXPECTED = 5.0  # rows of a cell in the smallest block; fewer, and the G test is no guide


@dataclass(frozen=True)
class Block:
    """Some rows, counted, and which share of the source has been read with them."""

    tally: Tally
    share: float
    shuffled: bool
    """Whether each row was chosen at random; else they are neighbours."""


def random_blocks(source: Source, columns: Columns, how: ReadOptions, rng: np.random.Generator) -> Iterator[Block]:
    """Blocks of a source until all of it has been read; each counted for all systems together."""
    with scratch_folder() as folder:
        if is_frame(source):
            yield from _of_frame(source, columns, rng)
            return
        files = files_of(source, how, folder) if isinstance(source, (str, Path, list, tuple)) else None
        if files is None or files.titles or how.engine != "duckdb":
            raise InputError("random blocks need files or a frame in memory; write the rows to a file first")
        if files.compression != "none" or files.format not in ("csv", "tsv", "ndjson", "parquet"):
            kind = files.format if files.compression == "none" else f"compressed by {files.compression}"
            raise InputError(
                f"{files.name} is {kind}, which cannot be read in random blocks; write it as CSV or Parquet"
            )
        if files.format == "parquet":
            with opened(folder, files.name, how.limits) as session:
                yield from _of_parquet(session, files, columns, rng)
        else:
            yield from _of_text(files, columns, how, rng)


def _of_frame(source: Any, columns: Columns, rng: np.random.Generator) -> Iterator[Block]:
    opened_frame: Any = nw.from_native(source, pass_through=True)
    if not isinstance(opened_frame, nw.DataFrame):
        raise InputError("a lazy frame cannot be read in random blocks; collect it, or write it as Parquet")
    size = len(opened_frame)
    order = rng.permutation(size)
    step = max(_LEAST_ROWS, -(-size // _BLOCKS))
    for start in range(0, max(size, 1), step):
        part = opened_frame[order[start : start + step].tolist()].to_native()
        yield Block(count_frame(part, columns)[0], min(start + step, size) / max(size, 1), shuffled=True)


def _of_parquet(session: Session, files: Files, columns: Columns, rng: np.random.Generator) -> Iterator[Block]:
    scans, sizes = [], []
    for path in files.paths:
        scans.append(scan_files(session, replace(files, paths=(path,)), columns, None))
        found = session.row("SELECT sum(num_rows) FROM parquet_file_metadata($paths)", paths=scans[-1].values["paths"])
        sizes.append(int((found or (0,))[0] or 0))
    ranges = _ranges(sizes, _LEAST_ROWS)
    read, whole = 0, max(sum(sizes), 1)
    for at in _spread(len(ranges), rng):
        which, start, end = ranges[at]
        inside = scans[which].relation.removesuffix(")")
        relation = (
            f"(SELECT * FROM {inside}, file_row_number=true) "
            f"WHERE file_row_number >= {start} AND file_row_number < {end})"
        )
        read += end - start
        yield Block(count_scan(session, replace(scans[which], relation=relation), columns)[0], read / whole, False)


def _of_text(files: Files, columns: Columns, how: ReadOptions, rng: np.random.Generator) -> Iterator[Block]:
    if set(files.hive_keys) & set(columns.names):
        raise InputError("columns that are named by folders cannot be read in random blocks; read without --until")
    heads = [_head(path, files.format) for path in files.paths]
    sizes = [path.stat().st_size - len(head) for path, head in zip(files.paths, heads, strict=True)]
    ranges = _ranges(sizes, _LEAST_BYTES)
    read, whole = 0, max(sum(sizes), 1)
    for at in _spread(len(ranges), rng):
        which, start, end = ranges[at]
        path, head = files.paths[which], heads[which]
        with scratch_folder() as folder, path.open("rb") as file:
            part = folder / f"block.{files.format}"
            lines = _lines(file, len(head), len(head) + start, len(head) + end)
            _check_lines(lines, path, files.format)
            part.write_bytes(head + lines)
            piece = Files((part,), files.format, "none", {part: str(path)})
            with piece.named():
                tally = count_files(piece, columns, how.delimiter, how.limits, folder, native=how.native)[0]
        read += end - start
        yield Block(tally, read / whole, shuffled=False)


def _ranges(sizes: Sequence[int], least: int) -> list[tuple[int, int, int]]:
    """Which file, from where, to where: about equal parts."""
    step = max(least, -(-sum(sizes) // _BLOCKS))
    return [
        (which, start, min(start + step, size)) for which, size in enumerate(sizes) for start in range(0, size, step)
    ]


def _head(path: Path, kind: str) -> bytes:
    if kind == "ndjson":
        return b""
    with path.open("rb") as file:
        head = line = file.readline()
        while line and not line.removeprefix(b"\xef\xbb\xbf").strip(b"\r\n"):  # the header comes after empty lines
            line = file.readline()
            head += line
    _check_lines(head, path, kind)
    return head if head.endswith(b"\n") else head + b"\n"


def _lines(file: BinaryIO, first: int, start: int, end: int) -> bytes:
    """Whole lines that start in a range of bytes."""

    def line_start(place: int) -> int:
        if place <= first:
            return first
        file.seek(place - 1)
        file.readline()
        return file.tell()

    begin, stop = line_start(start), line_start(end)
    file.seek(begin)
    return file.read(max(stop - begin, 0))


def _check_lines(lines: bytes, path: Path, kind: str) -> None:
    if kind != "ndjson" and any(line.count(b'"') % 2 for line in lines.split(b"\n")):
        raise InputError(f"{path} has a quoted field over several lines; random blocks need one line for each row")


def _spread(count: int, rng: np.random.Generator) -> list[int]:
    """All ranges in random order, such that each eight in turn come from all stretches of the source.

    >>> sorted(at // 5 for at in _spread(40, np.random.default_rng(0))[:8])
    [0, 1, 2, 3, 4, 5, 6, 7]
    """
    stretches = [rng.permutation(part).tolist() for part in np.array_split(np.arange(count), min(STRETCHES, count))]
    order = []
    while any(stretches):
        order += [stretches[at].pop() for at in rng.permutation(len(stretches)) if stretches[at]]
    return order


def alike(blocks: Sequence[Tally], truth: str, systems: Sequence[str] = ()) -> float:
    """P-value that all blocks are of one kind: tiny where a file is sorted by class, or by how hard its rows are.

    The G test compares the blocks' classes, and for each system its predictions of each class; the smallest p-value
    counts, times the number of tests. Cells too rare for such a test are taken together.

    >>> a, b = (Tally.from_columns(("t", "s"), [["x", "x"], ["x", "y"]], n) for n in ([50, 9], [9, 50]))
    >>> alike([a, b], "t"), alike([a, b], "t", ["s"]) < 1e-9
    (1.0, True)
    """
    tests = [(truth,), *((truth, system) for system in systems)]
    return min(1.0, len(tests) * min(_one_kind(_by_block(blocks, keys)) for keys in tests))


def _by_block(blocks: Sequence[Tally], keys: tuple[str, ...]) -> NDArray[np.float64]:
    """How often each block has each combination of labels."""
    places: dict[tuple[tuple[type, Any], ...], int] = {}
    lines: list[dict[int, int]] = []
    for tally in blocks:
        at = [tally.keys.index(key) for key in keys]
        line: dict[int, int] = {}
        for codes, rows in zip(tally.codes[at].T.tolist(), tally.rows.tolist(), strict=True):
            labels = tuple(
                (type(tally.labels[i][code]), tally.labels[i][code]) for i, code in zip(at, codes, strict=True)
            )
            place = places.setdefault(labels, len(places))
            line[place] = line.get(place, 0) + rows
        lines.append(line)
    counts = np.zeros((len(lines), len(places)))
    for row, line in zip(counts, lines, strict=True):
        row[list(line)] = list(line.values())
    return counts


def _one_kind(counts: NDArray[np.float64]) -> float:
    """P-value of the G test that all lines have the same shares."""
    from scipy.special import chdtrc  # noqa: PLC0415 - only here

    counts = counts[counts.sum(axis=1) > 0]
    if not counts.size:
        return 1.0
    rare = counts.sum(axis=0) * (counts.sum(axis=1).min() / counts.sum()) < _LEAST_EXPECTED
    counts = np.column_stack([counts[:, ~rare], counts[:, rare].sum(axis=1)])
    counts = counts[:, counts.sum(axis=0) > 0]
    freedom = (counts.shape[0] - 1) * (counts.shape[1] - 1)
    if freedom <= 0:
        return 1.0
    expected = counts.sum(axis=1, keepdims=True) * counts.sum(axis=0) / counts.sum()
    ratio = np.divide(counts, expected, out=np.ones_like(counts), where=counts > 0)
    return float(chdtrc(freedom, max(2.0 * np.sum(counts * np.log(ratio)), 0.0)))
