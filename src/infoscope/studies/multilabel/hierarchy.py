"""Categories with a path in their name, rolled up to any depth, and the information that costs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from infoscope.errors import InputError
from infoscope.metrics.binary_information import binary_entropy
from infoscope.metrics.registry import all_metrics
from infoscope.studies.multilabel.assignment import MOST_CATEGORIES, AssignBy, assignment_of
from infoscope.studies.multilabel.options import PairingOptions
from infoscope.studies.multilabel.sums import tally
from infoscope.tables.label_sets import Categorization, LabelSets, aligned
from infoscope.tables.labels import Label

__all__ = ["Level", "depth_of", "levels", "rolled_up"]

_SHOWN = ("proficiency", "permuted_proficiency", "micro_precision", "micro_recall", "micro_f1")

_USUAL = PairingOptions()


@dataclass(frozen=True)
class ParentCost:
    """A parent category, and the bits that rolling its children up loses."""

    parent: str
    children: int
    lost_bits: float


@dataclass(frozen=True)
class Level:
    """One depth of the hierarchy."""

    depth: int
    categories: int
    truth_bits: float
    """Sum of the category entropies of the truth, a bound on what its sets say."""
    lost_share: float
    """Fraction of the deepest level's truth bits that is gone at this depth."""
    metrics: Mapping[str, float | None]
    costliest: tuple[ParentCost, ...]
    """Parents by the bits that rolling their children up loses, the costliest first."""


def _parts(category: Label, separator: str) -> list[str]:
    parts = str(category).split(separator)
    if not all(part.strip() for part in parts):
        raise InputError(
            f"category {category!r} has an empty level: a separator {separator!r} too many; fix it, or choose "
            "another separator"
        )
    return parts


def depth_of(sets: LabelSets, separator: str) -> int:
    """The number of levels of the deepest category."""
    return max((len(_parts(category, separator)) for category in sets.categories), default=1)


def rolled_up(sets: LabelSets, separator: str, depth: int) -> LabelSets:
    """Every category cut to its first ``depth`` levels; an object carries a parent if it carries any of its children.

    >>> sets = LabelSets.from_sets([{"sport/golf", "sport/judo"}, {"news/local"}])
    >>> rolled_up(sets, "/", 1).categories
    ('news', 'sport')
    """
    if depth < 1:
        raise InputError(f"depth {depth} leaves no category; 1 is the top level")
    return sets.renamed(_cut(separator, depth))


def _cut(separator: str, depth: int) -> Callable[[Label], Label]:
    return lambda category: separator.join(_parts(category, separator)[:depth])


def levels(truth: LabelSets, system: LabelSets, separator: str, pairing: PairingOptions = _USUAL) -> list[Level]:
    """The metrics at every depth, the top first, and what each depth loses against the deepest."""
    deepest = max(depth_of(truth, separator), depth_of(system, separator))

    def rolled(depth: int) -> Categorization:
        sides = rolled_up(truth, separator, depth), rolled_up(system, separator, depth)
        return aligned(*sides, one_sided=pairing.one_sided)

    finest = rolled(deepest)
    all_bits = _truth_bits(finest)
    found = []
    for depth in range(1, deepest + 1):
        pair = rolled(depth)
        bits = float(_truth_bits(pair).sum())
        lost = 1.0 - bits / float(all_bits.sum()) if all_bits.sum() > 0 else 0.0
        found.append(
            Level(
                depth,
                len(pair.categories),
                bits,
                max(lost, 0.0),
                _metrics(pair, pairing.assign_by),
                _costliest(finest, pair, separator),
            )
        )
    return found


def _truth_bits(pair: Categorization) -> Any:
    return binary_entropy(pair.truth_counts, pair.total)


def _metrics(pair: Categorization, by: AssignBy) -> dict[str, float | None]:
    order = None
    if len(pair.categories) <= MOST_CATEGORIES:
        order = assignment_of(pair, pair.joint_counts(), by)
    sums = tally(pair, order)
    values = {each.name: float(each.score(sums)) for each in all_metrics("label_sets") if each.name in _SHOWN}
    if order is None:
        values["permuted_proficiency"] = np.nan
    return {name: value if np.isfinite(value) else None for name, value in values.items()}


def _costliest(finest: Categorization, pair: Categorization, separator: str) -> tuple[ParentCost, ...]:
    """Bits of the children less those of their parent: never negative, for a parent is a function of its children."""
    parent_bits = dict(zip(map(str, pair.categories), _truth_bits(pair), strict=True))
    depth = max(len(str(category).split(separator)) for category in pair.categories)
    children: dict[str, float] = {}
    counts: dict[str, int] = {}
    for category, bits in zip(finest.categories, _truth_bits(finest), strict=True):
        parent = str(_cut(separator, depth)(category))
        children[parent] = children.get(parent, 0.0) + float(bits)
        counts[parent] = counts.get(parent, 0) + 1
    lost = {parent: bits - float(parent_bits[parent]) for parent, bits in children.items() if counts[parent] > 1}
    ranked = sorted(lost.items(), key=lambda item: -item[1])
    return tuple(ParentCost(name, counts[name], max(bits, 0.0)) for name, bits in ranked[:10])
