"""The public front: what columns tell about each other."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from infoscope.errors import InputError, check_keywords, check_level, check_seed, masked
from infoscope.metrics.coverage import information_precision, proficiency
from infoscope.metrics.shannon import erroneous_information, mutual_information
from infoscope.posterior import Posterior
from infoscope.readers import ReadOptions, column_names
from infoscope.readers.labels import Cleaning
from infoscope.readers.named_columns import as_names, one_name
from infoscope.readers.pattern_counts import read_patterns
from infoscope.results.estimate import Estimate
from infoscope.results.provenance import Provenance
from infoscope.studies.inputs import blank_findings
from infoscope.studies.relate.binning import Bins, ColumnSummary, binned, check_names, column_findings, summaries
from infoscope.studies.relate.findings import relation_findings
from infoscope.studies.relate.measures import (
    Correction,
    InformationSplit,
    SetMeasures,
    adjusted,
    chance_of,
    conditional_information,
    expected_by_chance,
    information_split,
)
from infoscope.studies.relate.neighbours import by_neighbours
from infoscope.studies.relate.result import Relation, Relations
from infoscope.studies.relate.triangles import channel_triangle, source_triangle
from infoscope.tables import Contingency
from infoscope.tables.column_kinds import BlankLabels
from infoscope.tables.patterns import Patterns
from infoscope.typing import Source

__all__ = ["RelateKeywords", "relate"]

MAX_COLUMNS = 500
MAX_INTERVALS = 40
"""Relations that get an interval, the closest first."""
MAX_SPLITS = 15
MAX_SPLIT_COLUMNS = 16
"""Columns of which two at a time are set beside the target: those that tell the most about it."""
MAX_CELLS = 1 << 24
"""Cells of a table of two columns."""
MAX_TOGETHER = 60
"""Columns up to which they are looked at together."""


class RelateKeywords(TypedDict, total=False):
    """What ``relate`` may be asked beyond its columns."""

    level: float
    permutations: int
    correction: Correction
    seed: int
    weight: str | None
    clean: Cleaning
    keep: str | Sequence[str]
    triangle: Literal["source", "channel"] | None


@dataclass(frozen=True)
class _Question:
    """What is asked of the columns, checked once."""

    target: str | None
    given: tuple[str, ...]
    level: float = 0.95
    permutations: int = 999
    correction: Correction = "holm"
    seed: int = 0

    def __post_init__(self) -> None:
        """Reject numbers and words that mean nothing."""
        check_level(self.level)
        check_seed(self.seed)
        if not isinstance(self.permutations, int) or self.permutations < 0:
            raise InputError(f"permutations must be a whole number of 0 or more, got {self.permutations!r}")
        if self.correction not in ("holm", "benjamini-yekutieli", "none"):
            raise InputError(f"correction is {self.correction!r}; it is holm, benjamini-yekutieli or none")
        if self.target is not None and self.target in self.given:
            raise InputError(f"column {self.target!r} is the target and given; it is one of them")

    def pairs(self, names: Sequence[str]) -> Iterator[tuple[str, str]]:
        """The pairs that are asked for: with the target, or all."""
        free = [name for name in names if name not in self.given]
        if self.target is None:
            return itertools.combinations(names if not self.given else free, 2)
        return ((name, self.target) for name in names if name != self.target)


def relate(
    source: Source,
    columns: Sequence[str] | None = None,
    *,
    target: str | None = None,
    given: str | Sequence[str] = (),
    bins: Bins | Literal["nearest"] = 8,
    read: ReadOptions | None = None,
    **options: Unpack[RelateKeywords],
) -> Relations:
    """What columns tell about each other: information of pairs, given others, and of all of them together.

    ``source`` is a mapping of names to values, or rows in any form that ``read`` takes; ``columns`` are all of them
    unless named. ``target`` relates each column to that one; ``given`` asks the same again given other columns.
    Columns of more than twenty different numbers are cut at quantiles into ``bins``; a mapping gives the number of
    bins or the inner edges by column, and "nearest" estimates the information of numbers by nearest neighbours (their
    P still by bins). P-values are corrected for their number by ``correction``. ``keep`` names columns
    that look like identifiers and shall stay; ``triangle`` adds the entropy triangle of a source or of a channel to
    the target.

    >>> coins = {"x": [0, 0, 1, 1] * 50, "y": [0, 1, 0, 1] * 50, "z": [0, 1, 1, 0] * 50}
    >>> found = relate(coins, target="z", given="y")
    >>> round(found.pair("x", "z").information.value, 3), round(found.pair("x", "z", given=True).information.value, 3)
    (0.0, 1.0)
    """
    check_keywords(options, RelateKeywords)
    about = {name: options[name] for name in ("level", "permutations", "correction", "seed") if name in options}
    question = _Question(one_name(target), as_names(given), **about)  # type: ignore[arg-type]
    names = _names(source, columns, question, read)
    weight, clean = one_name(options.get("weight")), options.get("clean", ())
    raw = read_patterns(source, names, weight=weight, clean=clean, comparable=False, read=read)
    if not raw.total:
        raise InputError("the source has no rows; there is nothing to relate")
    cut, edges = binned(raw, 8 if bins == "nearest" else bins)
    known = summaries(raw, cut, edges)
    keep = as_names(options.get("keep", ()))
    check_names(keep, names)
    found = _related(cut, known, question, (*keep, *([target] if target else []), *question.given))
    if bins == "nearest":
        found = replace(found, relations=tuple(by_neighbours(raw, found.relations, question.seed)))
    return replace(
        found,
        **_triangles(cut, found, options.get("triangle")),
        provenance=Provenance(_named(source), int(raw.total) if not raw.is_weighted else None),
    )


def _names(source: Any, columns: Sequence[str] | None, question: _Question, read: ReadOptions | None) -> list[str]:
    asked = [*(column_names(source, read) if columns is None else as_names(columns))]
    asked += [name for name in (question.target, *question.given) if name is not None and name not in asked]
    twice = next((name for name in asked if asked.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"column {twice!r} is named twice; name it once")
    if not 2 <= len(asked) <= MAX_COLUMNS:
        raise InputError(f"relations are between 2 to {MAX_COLUMNS} columns, and {len(asked)} is named")
    return asked


def _related(patterns: Patterns, known: Sequence[ColumnSummary], question: _Question, keep: Sequence[str]) -> Relations:
    dropped = {column.name for column in known if column.taken == "identifier" and column.name not in keep}
    names = [column.name for column in known if column.name not in dropped]
    if len(names) < 2:
        raise InputError("all columns but one look like identifiers of rows; name those to keep with keep= (--keep)")
    _check_size(patterns, names)
    pairs = _pairs(patterns.select(names), question)
    conditional = _conditional(patterns.select(names), question) if question.given else []
    informative = [column.name for column in known if column.name in names and column.taken != "constant"]
    together = None
    if 2 < len(informative) <= MAX_TOGETHER:
        together = SetMeasures.of(patterns, informative)
    splits = _splits(patterns, informative, pairs, question.target)
    found = Relations(
        columns=tuple(known),
        relations=tuple(pairs),
        conditional=tuple(conditional),
        together=together,
        splits=tuple(splits),
        target=question.target,
        given=question.given,
        correction=question.correction,
        level=question.level,
    )
    about_labels = blank_findings(BlankLabels.of_patterns(patterns.select(names)))
    said = [*column_findings(known, keep), *about_labels, *relation_findings(found, patterns)]
    return replace(found, findings=tuple(said))


def _check_size(patterns: Patterns, names: Sequence[str]) -> None:
    """Reject two columns whose table would not fit."""
    sizes = sorted(((patterns.sizes[patterns.place(name)], name) for name in names), reverse=True)
    (most, one), (next_most, other) = sizes[:2]
    if most * next_most > MAX_CELLS:
        raise InputError(
            f"columns {one!r} and {other!r} have {most:,} and {next_most:,} different values; group them, or leave "
            "one out"
        )


def _splits(
    patterns: Patterns, names: Sequence[str], pairs: Sequence[Relation], target: str | None
) -> list[InformationSplit]:
    """Pairs of columns by what they tell about the target together, the most telling first."""
    if target is None:
        return []
    closest = [relation.first for relation in pairs if relation.first in names][:MAX_SPLIT_COLUMNS]
    found = [information_split(patterns, one, other, target) for one, other in itertools.combinations(closest, 2)]
    return sorted(found, key=lambda split: split.by_chance - split.together)[:MAX_SPLITS]


def _pairs(patterns: Patterns, question: _Question) -> list[Relation]:
    """The pairs asked for, over the rows that have both, the closest first."""
    wanted = set(question.pairs(patterns.names))
    rng = np.random.default_rng(question.seed)
    scale = patterns.sample_size / patterns.total
    found = []
    for a, b, cells in patterns.pair_cells():
        names = patterns.names[a], patterns.names[b]
        if names in wanted:
            found.append(_pair(names, cells.dense(), scale, question, rng))
        elif names[::-1] in wanted:
            found.append(_pair(names[::-1], cells.dense().T, scale, question, rng))
    return [_with_interval(patterns, r, question, at) for at, r in enumerate(_corrected(found, question))]


def _pair(
    names: tuple[str, str], counts: NDArray[Any], scale: float, question: _Question, rng: np.random.Generator
) -> Relation:
    if not counts.sum():
        return Relation(*names, 0.0, Estimate.of(np.nan, "no row has both"), None, None, 0.0, 0.0, 1.0, 1.0, "none")
    table, effective = Contingency.from_matrix(counts), counts if scale == 1 else counts * scale
    p, method = chance_of([effective], question.permutations, rng)
    return Relation(
        *names,
        float(counts.sum()),
        Estimate.of(mutual_information(table)),
        _ratio(proficiency(table)),
        _ratio(information_precision(table)),
        float(erroneous_information(table)),
        expected_by_chance([effective]),
        p,
        p,
        method,
    )


def _with_interval(patterns: Patterns, relation: Relation, question: _Question, place: int) -> Relation:
    if place >= MAX_INTERVALS or not relation.information.value:
        return relation
    table = patterns.table(relation.first, relation.second)
    if table.sample_size is None or min(table.shape) < 2:
        return relation
    known = Posterior(table, seed=question.seed).summary("mutual_information", question.level)
    shrunk = float(known.mean) / relation.information.value
    return replace(
        relation,
        information=relation.information.with_belief(known, corrected=True),
        of_first=None if relation.of_first is None else min(1.0, relation.of_first * shrunk),
        of_second=None if relation.of_second is None else min(1.0, relation.of_second * shrunk),
    )


def _conditional(patterns: Patterns, question: _Question) -> list[Relation]:
    rng = np.random.default_rng(question.seed + 1)
    given = list(question.given)
    found = []
    for first, second in question.pairs([name for name in patterns.names if name not in question.given]):
        whole = patterns.select([first, second, *given]).complete()
        scale = whole.sample_size / whole.total if whole.total else 1.0
        tables = [table if scale == 1 else table * scale for table in _strata(whole, len(given))]
        bits = conditional_information(whole, [first], [second], given)
        left = [max(0.0, whole.entropy([name, *given]) - whole.entropy(given)) for name in (first, second)]
        p, method = chance_of(tables, question.permutations, rng)
        found.append(
            Relation(
                first,
                second,
                whole.total,
                Estimate.of(bits),
                bits / left[0] if left[0] else None,
                bits / left[1] if left[1] else None,
                max(0.0, left[0] + left[1] - 2 * bits),
                expected_by_chance(tables),
                p,
                p,
                method,
                tuple(given),
            )
        )
    return _corrected(found, question)


def _strata(patterns: Patterns, given: int) -> Iterator[NDArray[Any]]:
    """The table of the first two columns for each combination of the last ones."""
    shape = patterns.sizes[:2]
    keys = np.zeros(len(patterns), dtype=np.int64)
    for at in range(2, 2 + given):
        _, keys = np.unique(keys * (patterns.sizes[at] + 1) + patterns.codes[at], return_inverse=True)
    order = np.argsort(keys, kind="stable")
    for part in np.split(order, np.flatnonzero(np.diff(keys[order])) + 1) if len(order) else ():
        table = np.zeros(shape, dtype=patterns.counts.dtype)
        np.add.at(table, (patterns.codes[0, part], patterns.codes[1, part]), patterns.counts[part])
        yield table


def _corrected(found: list[Relation], question: _Question) -> list[Relation]:
    """P-values corrected for their number; the closest relations first."""
    p_values = adjusted([relation.p_value for relation in found], question.correction)
    corrected = [replace(relation, adjusted_p=p) for relation, p in zip(found, p_values, strict=True)]
    return sorted(corrected, key=lambda relation: -(relation.information.value or 0.0))


def _ratio(value: Any) -> float | None:
    return float(value) if np.isfinite(value) else None


def _triangles(patterns: Patterns, found: Relations, which: str | None) -> dict[str, Any]:
    if which is None:
        return {}
    names = [column.name for column in found.columns if column.taken in ("labels", "bins")]
    if which == "source":
        return {"source_triangle": source_triangle(patterns, names)}
    if which != "channel":
        raise InputError(f"triangle is {which!r}; it is source or channel")
    if found.target is None:
        raise InputError("the triangle of a channel needs its output; name it with target= (--target)")
    return {"channel_triangle": channel_triangle(patterns, [n for n in names if n != found.target], [found.target])}


def _named(source: Any) -> str | None:
    return Path(masked(str(source))).name if isinstance(source, (str, Path)) and str(source) != "-" else None
