"""Random cases for the readers: rows, a source that holds them, and what plain Python counts in them."""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from infoscope.errors import InfoscopeError
from infoscope.readers import read_matrix, read_tables
from tools.reader_sources import FILE_FORMATS, FRAMES, Written, as_frame, damaged, given, written

__all__ = ["Case", "Mismatch", "Rows", "draw_case"]

NAMES = ("truth", "t", "T", "s", "svm", "a b", 'q"uote', "c,omma", "semi;colon", "ünï", "", "select", "k0", "n", "w")
NAMES += ("dot.ted", "*", "`tick`", "new\nline", "label", "f0", "c1", "-", "'", "lacks", "margin", "$paths0", "x" * 300)
TEXTS = ("a", "b", "cat", "dog", "0", "1", "007", "1.0", "NA", "null", "nan", "None", "true", " ", " a", "a ", "\t")
TEXTS += ("", '"', 'x"y', '""', "a,b", "a;b", "a|b", "a\tb", "l\nm", "l\r\nm", "é", "e\u0301", "😀", "\ufeffx", "'")
TEXTS += ("\\", "\\N", "#c", "--", "\x01", "x" * 3000, "{}", "[1]", "$1", "\u2028")
WHOLE = (0, 1, -1, 2, 7, 127, -128, 2**31 - 1, 2**53 + 1, -(2**62))
_NUMBER = re.compile(r"(-?(?:0|[1-9][0-9]*))(\.[0-9]+)?")
Value = str | int | float | bool | None


class Mismatch(AssertionError):  # noqa: N818 - what it is
    """The package and plain Python disagree."""


@dataclass(frozen=True)
class Rows:
    """Columns by name, and what they are to a reader."""

    columns: Mapping[str, list[Value]]
    truth: str
    systems: tuple[str, ...]
    weight: str | None = None
    by: str | None = None
    kind: type = str

    def kind_of(self, name: str) -> type:
        """Return the type of the values of a column."""
        return float if name == self.weight else self.kind

    @property
    def size(self) -> int:
        """Number of rows."""
        return len(self.columns[self.truth])

    @property
    def asked(self) -> list[str]:
        """Columns that are read."""
        return [self.truth, *self.systems, *(name for name in (self.weight, self.by) if name is not None)]

    def part(self, start: int, end: int) -> Rows:
        """Some of the rows."""
        return replace(self, columns={name: values[start:end] for name, values in self.columns.items()})

    def with_columns(self, columns: Mapping[str, list[Value]]) -> Rows:
        """Other values under the same names."""
        return replace(self, columns=columns)

    def tables(self, *, empty: bool) -> dict[tuple[Any, str], tuple[dict[Any, float], dict[str, int]]]:
        """Cells and ignored rows by group and system; ``empty`` says that they are text, where empty is missing."""
        spelling = self._spelling() if empty else {}
        found: dict[tuple[Any, str], tuple[Counter[Any], Counter[str]]] = {}
        for system in self.systems:
            if self.by is None:
                found[(), system] = (Counter(), Counter())
            for at in range(self.size):
                row = {name: self.columns[name][at] for name in self.asked}
                row = {name: None if empty and value == "" else value for name, value in row.items()}
                row |= {name: spelling.get(row[name], row[name]) for name in (self.truth, system)}
                if self.by is not None and row[self.by] is None:
                    continue
                group = () if self.by is None else (row[self.by],)
                cells, ignored = found.setdefault((group, system), (Counter(), Counter()))
                hole = next((name for name in (self.truth, system) if row[name] is None), None)
                weight = 1 if self.weight is None else row[self.weight]
                if hole is not None:
                    ignored[f"missing label in {hole!r}"] += 1
                elif weight is None:
                    ignored[f"missing weight in {self.weight!r}"] += 1
                else:
                    cells[row[self.truth], row[system]] += float(weight)
        return {key: (dict(cells), dict(ignored)) for key, (cells, ignored) in found.items()}

    def _spelling(self) -> dict[Value, Value]:
        """One spelling of whole numbers, where all true labels of a text are numbers and some are spelt in two ways."""
        labels = {name: {*self.columns[name]} - {None, ""} for name in (self.truth, *self.systems)}
        if not all(_NUMBER.fullmatch(str(label)) for label in labels[self.truth]):
            return {}
        numbers = {label: _NUMBER.fullmatch(str(label)) for label in set().union(*labels.values())}
        spelling: dict[Value, Value] = {
            label: "0" if match[1] == "-0" else match[1]
            for label, match in numbers.items()
            if match is not None and not (match[2] or "").strip(".0")
        }
        return spelling if len(set(spelling.values())) < len(spelling) else {}


@dataclass
class Case:
    """A source, how it is read, and what must come out: these rows, or a rejection where that is allowed or due."""

    title: str
    source: Callable[[], Any]
    rows: Rows | None
    """None: the source must be rejected."""
    options: dict[str, Any] = field(default_factory=dict)
    may_reject: bool = False
    empty: bool = False
    any_result: bool = False
    """Nothing is known of the counts, but that there is a result or a rejection."""
    asked: Rows | None = None

    def __str__(self) -> str:
        """Return the title of the case."""
        return self.title

    def check(self) -> None:
        """Read the source and compare."""
        names = self.rows or self.asked
        assert names is not None
        try:
            with self.source() as source:
                reading = read_tables(
                    source,
                    truth=names.truth,
                    system=list(names.systems),
                    weight=names.weight,
                    by=names.by,
                    **self.options,
                )
        except InfoscopeError as error:
            if self.rows is not None and not self.may_reject:
                raise Mismatch(f"rejected: {error}") from error
            if not str(error).strip() or "infoscope-" in str(error):
                raise Mismatch(f"a rejection that does not name the source: {error}") from error
            return
        if self.any_result:
            return
        if self.rows is None:
            raise Mismatch(f"{reading.rows} rows were read; a rejection was due")
        if reading.rows != self.rows.size:
            raise Mismatch(f"{reading.rows} rows were read of {self.rows.size}")
        expected = self.rows.tables(empty=self.empty)
        found = {
            (group, system): (_cells(table), dict(table.ignored))
            for group, tables in reading.by_group.items()
            for system, table in tables.items()
        }
        if not _same(found, expected):
            raise Mismatch(f"found    {found}\nexpected {expected}")


def _cells(table: Any) -> dict[Any, float]:
    return {
        (truth, system): float(table.values[i, j])
        for i, truth in enumerate(table.truth_labels)
        for j, system in enumerate(table.system_labels)
        if table.values[i, j]
    }


def _same(found: Mapping[Any, Any], expected: Mapping[Any, Any]) -> bool:
    if set(found) != set(expected):
        return False
    for key, (cells, ignored) in expected.items():
        others, reasons = found[key]
        nonzero = {cell: value for cell, value in cells.items() if value}
        if reasons != ignored or set(others) != set(nonzero):
            return False
        if any(type(a) is not type(b) for cell in nonzero for a, b in zip(cell, _twin(cell, others), strict=True)):
            return False
        if not all(math.isclose(others[cell], value, rel_tol=1e-12) for cell, value in nonzero.items()):
            return False
    return True


def _twin(cell: Any, cells: Mapping[Any, float]) -> Any:
    """The key of the other side, for True and 1 are equal keys."""
    return next(other for other in cells if other == cell)


@dataclass
class MatrixCase:
    """A confusion matrix in a file."""

    path: Path
    counts: list[list[int]]
    labels: tuple[list[str], list[str]] | None

    def __str__(self) -> str:
        """Return the title of the case."""
        return f"matrix {self.path.name}"

    def check(self) -> None:
        """Read the file and compare."""
        table = read_matrix(self.path)
        truth, system = self.labels or (list(range(len(self.counts))), list(range(len(self.counts[0]))))
        expected = {(t, s): self.counts[i][j] for i, t in enumerate(truth) for j, s in enumerate(system)}
        expected = {cell: count for cell, count in expected.items() if count}
        if _cells(table) != expected:
            raise Mismatch(f"found {_cells(table)}, expected {expected}")


def draw_case(rng: random.Random, folder: Path) -> Any:
    """A case that depends on the random numbers alone."""
    draw = rng.random()
    if draw < 0.05:
        return _draw_matrix(rng, folder)
    form = rng.choice([*FILE_FORMATS, *FRAMES]) if draw < 0.75 else rng.choice(FILE_FORMATS)
    rows = _draw_rows(rng, text=form in ("csv", "tsv"))
    if form in FRAMES:
        frame = as_frame(form, rows, rng)
        return Case(f"{form} of {rows.size} rows", lambda: given(frame), rows)
    if draw >= 0.75:
        return _draw_damaged(rng, rows, form, folder)
    parts = rng.choice((1, 1, 1, 2, 3)) if rows.size else 1
    cuts = sorted(rng.randrange(rows.size + 1) for _ in range(parts - 1))
    ends = [0, *cuts, rows.size]
    layout = rng.random()
    files = [written(rows.part(a, b), form, rng, layout) for a, b in pairwise(ends)]
    if len({file.suffix for file in files}) > 1:
        files = [written(rows, form, rng, layout)]
    way = rng.choice(("path", "path", "stdin", "fifo", "pipe", "glob")) if len(files) == 1 else "folder"
    return Case(
        f"{form}{files[0].suffix} of {rows.size} rows by {way} ({files[0].how})",
        lambda: given(files, way, folder),
        rows,
        options=files[0].options_for(way),
        may_reject=any(file.may_reject for file in files) or (form == "parquet" and "" in rows.columns),
        empty=form in ("csv", "tsv"),
    )


def _draw_rows(rng: random.Random, *, text: bool) -> Rows:
    kind = "text" if text else rng.choice(("text", "text", "whole", "bool"))
    pool: tuple[Value, ...] = {"text": TEXTS, "whole": WHOLE, "bool": (True, False)}[kind]
    pool = tuple(rng.sample(pool, rng.randint(1, min(len(pool), 6))))
    size = rng.choice((0, 1, 2, 5, 20, 60, 60, 3000))
    names = rng.sample(NAMES, rng.randint(2, 6))
    systems = tuple(names[1 : 1 + rng.randint(1, min(3, len(names) - 1))])
    rest = names[1 + len(systems) :]
    weight = rest.pop() if rest and rng.random() < 0.3 else None
    by = rest.pop() if rest and rng.random() < 0.3 else None
    holes = rng.choice((0.0, 0.0, 0.1, 0.9))

    def column(values: tuple[Value, ...]) -> list[Value]:
        return [None if rng.random() < holes else rng.choice(values) for _ in range(size)]

    columns = {name: column((0.25, 1.0, 2.5, 0.0) if name == weight else pool) for name in names}
    order = rng.sample(names, len(names))
    return Rows({name: columns[name] for name in order}, names[0], systems, weight, by, type(pool[0]))


def _draw_damaged(rng: random.Random, rows: Rows, form: str, folder: Path) -> Case:
    """A file of which bytes were lost or changed; text has an oracle all the same."""
    file = written(rows, form, rng, rng.random())
    broken, how = damaged(file, rng)
    known, survivors = broken.understood(rows)
    title = f"{form}{file.suffix} of {rows.size} rows, {how} ({file.how})"
    return Case(
        title,
        lambda: given([broken], "path", folder),
        survivors,
        options=broken.options_for("path"),
        may_reject=True,
        empty=form in ("csv", "tsv"),
        any_result=not known,
        asked=rows,
    )


def _draw_matrix(rng: random.Random, folder: Path) -> MatrixCase:
    height, width = rng.randint(1, 5), rng.randint(2, 5)
    counts = [[rng.randrange(1000) for _ in range(width)] for _ in range(height)]
    counts[0][0] += 1
    sign, suffix = rng.choice(((",", ".csv"), ("\t", ".tsv"), (";", ".csv"), ("|", ".csv")))
    words = ("cat", "dog", "bird", "a b", "ünï", "q'", "x1", "none", "é")
    labels = None
    if rng.random() < 0.7:
        labels = (rng.sample(words, height), rng.sample(words, width))
        lines = [["truth", *labels[1]], *([name, *map(str, row)] for name, row in zip(labels[0], counts, strict=True))]
    else:
        lines = [list(map(str, row)) for row in counts]
    end = rng.choice(("\n", "\r\n"))
    file = Written(end.join(sign.join(line) for line in lines).encode() + end.encode(), suffix, "matrix")
    packed = file.packed(rng)
    path = folder / f"matrix{packed.suffix}"
    path.write_bytes(packed.data)
    return MatrixCase(path, counts, labels)
