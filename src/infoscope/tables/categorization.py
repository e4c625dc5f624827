"""Categorization: truth and system as label sets over the same objects and the same categories."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from infoscope.core.numerics import Real, as_real
from infoscope.errors import InputError
from infoscope.tables.counted import by_fields
from infoscope.tables.label_sets import LabelSets
from infoscope.tables.labels import Label, check_kinds, sorted_labels

__all__ = ["Categorization", "OneSided", "aligned"]

OneSided = Literal["leave_out", "empty"]
"""What becomes of an object that one side lacks: it is left out, or it carries no category there."""

_DENSE_WORK = 2e8
"""Above this many joint memberships the counts come from dense blocks."""

_DENSE_PRODUCT = 1 << 18
"""Up to this many products of dense numbers take less time than the bookkeeping of sparse ones."""

_BLOCK_CELLS = 1 << 23


@dataclass(frozen=True, eq=False)
class Categorization:
    """Truth and system, objects × categories: one yes/no question a category.

    Categories are counted one by one, as if they were independent; ``joint`` metrics that take whole sets as classes
    say so in their name.

    >>> pair = aligned(LabelSets.from_sets([{"a"}, {"a", "b"}]), LabelSets.from_sets([{"a"}, {"b"}]))
    >>> pair.both.tolist(), pair.truth_counts.tolist(), pair.system_counts.tolist()
    ([1.0, 1.0], [2.0, 1.0], [1.0, 1.0])
    """

    categories: tuple[Label, ...]
    truth: csr_array
    system: csr_array
    objects: tuple[Label, ...] | None = None
    ignored: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    """Objects left out, by reason."""
    emptied: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    """Objects that one side lacks and that count as empty there, by reason."""
    repeated_objects: int = 0
    """Objects whose name occurs more than once, paired by their order."""
    weights: Real | None = None
    """How much each object counts, on average 1; None where all count the same."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled and copied by its fields."""
        return by_fields(self)

    @property
    def n(self) -> int:
        """Number of objects that both sides have."""
        return int(self.truth.shape[0])

    @cached_property
    def total(self) -> float:
        """All weights, added up as those of a category are: one that all objects have holds exactly no information."""
        return float(self.n) if self.weights is None else float(np.cumsum(self.weights)[-1]) if self.n else 0.0

    @property
    def effective_size(self) -> float:
        """How many objects that count the same these are worth."""
        return float(self.n) if self.weights is None else float(self.weights.sum() ** 2 / np.sum(self.weights**2))

    @cached_property
    def hits(self) -> csr_array:
        """Memberships that both sides state."""
        return csr_array(self.truth.multiply(self.system))

    @cached_property
    def truth_counts(self) -> Real:
        """Objects per category in the truth."""
        return self._objects_in(self.truth)

    @cached_property
    def system_counts(self) -> Real:
        """Objects per category in the system's prediction."""
        return self._objects_in(self.system)

    @cached_property
    def both(self) -> Real:
        """Objects per category to which both sides give it."""
        return self._objects_in(self.hits)

    def _objects_in(self, matrix: csr_array) -> Real:
        """Objects per column, or their weights."""
        weights = None if self.weights is None else np.repeat(self.weights, np.diff(matrix.indptr))[matrix.data != 0]
        return as_real(np.bincount(matrix.indices[matrix.data != 0], weights, minlength=matrix.shape[1]))

    def where(self, rows: NDArray[Any]) -> Categorization:
        """Only these objects, by mask or position, without their names."""
        weights = None if self.weights is None else self.weights[rows]
        return Categorization(self.categories, self.truth[rows], self.system[rows], weights=_on_average_one(weights))

    def dealt(self, order: NDArray[np.int64]) -> Categorization:
        """The same objects with the system's sets dealt to them in another order."""
        return Categorization(self.categories, self.truth, self.system[order], weights=self.weights)

    def weighed(self, weights: Real) -> Categorization:
        """The same objects, each counting by its weight."""
        return replace(self, weights=_counting(weights))

    def unweighted(self) -> Categorization:
        """The same, all objects counting the same."""
        return self if self.weights is None else replace(self, weights=None)

    def joint_counts(self) -> Real:
        """Objects by (truth category, system category): all pairs from one product of the two matrices."""
        system = self.system
        if self.weights is not None:
            return as_real((self.truth.multiply(self.weights[:, None]).T @ system).toarray())
        c = len(self.categories)
        if self.n * c * c <= _DENSE_PRODUCT:
            return as_real(self.truth.toarray().T) @ as_real(system.toarray())
        sizes = np.diff(self.truth.indptr).astype(np.float64) @ np.diff(system.indptr)
        if sizes <= _DENSE_WORK:
            return as_real((self.truth.T @ system).toarray())
        counts = np.zeros((c, c))
        step = max(1, _BLOCK_CELLS // max(c, 1))
        for start in range(0, self.n, step):
            # below 2^24 rows, single precision counts exactly
            rows = slice(start, start + step)
            counts += self.truth[rows].toarray().astype(np.float32).T @ system[rows].toarray().astype(np.float32)
        return counts

    def categories_on_one_side(self) -> tuple[tuple[Label, ...], tuple[Label, ...]]:
        """Categories that only the truth uses, and those that only the system uses."""
        truth, system = self.truth_counts > 0, self.system_counts > 0
        return (
            tuple(name for name, only in zip(self.categories, truth & ~system, strict=True) if only),
            tuple(name for name, only in zip(self.categories, system & ~truth, strict=True) if only),
        )


def _on_average_one(weights: Real | None) -> Real | None:
    total = 1.0 if weights is None else float(weights.sum())
    return weights if weights is None or not total else as_real(weights * (len(weights) / total))


def _counting(weights: Real | None) -> Real | None:
    """Weights that are 1 on average; rejected where no object counts."""
    if weights is not None and not weights.any():
        raise InputError("all objects that both sides have weigh 0; give one of them a weight above 0")
    return _on_average_one(weights)


def aligned(
    truth: LabelSets,
    system: LabelSets,
    names: tuple[str, str] = ("truth", "system"),
    one_sided: OneSided = "leave_out",
) -> Categorization:
    """Pair the objects of two sides, by name or, where neither has names, by position; the categories are the union."""
    check_kinds(truth.categories, system.categories)
    categories = sorted_labels(set(truth.categories) | set(system.categories))
    if truth.objects is None or system.objects is None:
        if truth.n != system.n:
            raise InputError(
                f"{names[0]} has {truth.n} objects and {names[1]} has {system.n}; without names they pair one by one: "
                "give both the same objects, or name them"
            )
        if not truth.n:
            raise InputError("there are no objects to evaluate; give at least one on both sides")
        objects = truth.objects if truth.objects is not None else system.objects
        return Categorization(
            categories,
            truth.on(categories),
            system.on(categories),
            objects,
            weights=_counting(truth.weights),
        )
    paired = _paired(truth.objects, system.objects, names)
    lacking = {
        f"object in {side} only": sets.n - len(paired.rows)
        for side, sets in zip(names, (truth, system), strict=True)
        if sets.n > len(paired.rows)
    }
    if one_sided == "empty":
        return _filled(categories, truth, system, paired, lacking)
    return Categorization(
        categories,
        truth.on(categories)[paired.rows],
        system.on(categories)[paired.columns],
        tuple(truth.objects[at] for at in paired.rows),
        ignored=MappingProxyType(lacking),
        repeated_objects=paired.repeated,
        weights=_counting(None if truth.weights is None else truth.weights[paired.rows]),
    )


def _filled(
    categories: tuple[Label, ...], truth: LabelSets, system: LabelSets, paired: _Pairing, lacking: dict[str, int]
) -> Categorization:
    """All objects of both sides, those of the truth first; what one side lacks is an empty row of it."""
    added = np.setdiff1d(np.arange(system.n), paired.columns)
    if len(added) and truth.weights is not None:
        name = (system.objects or ())[added[0]]
        raise InputError(f"object {name!r} is not in the truth and has no weight; leave it out, or add it to the truth")
    columns = np.full(truth.n, system.n)
    columns[paired.rows] = paired.columns
    names = (*(truth.objects or ()), *((system.objects or ())[at] for at in added))
    return Categorization(
        categories,
        _with_empty_row(truth.on(categories))[np.concatenate([np.arange(truth.n), np.full(len(added), truth.n)])],
        _with_empty_row(system.on(categories))[np.concatenate([columns, added])],
        names,
        emptied=MappingProxyType(lacking),
        repeated_objects=paired.repeated,
        weights=_counting(truth.weights),
    )


def _with_empty_row(matrix: csr_array) -> csr_array:
    shape = (matrix.shape[0] + 1, matrix.shape[1])
    return csr_array((matrix.data, matrix.indices, np.append(matrix.indptr, matrix.indptr[-1])), shape=shape)


class _Pairing(NamedTuple):
    """Positions of the objects that both sides have, and how many of them have a name that occurs more than once."""

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    repeated: int


def _paired(left: tuple[Label, ...], right: tuple[Label, ...], names: tuple[str, str]) -> _Pairing:
    """Positions of the objects that both sides have; a repeated name pairs first with first, second with second."""
    check_kinds(left, right)
    counts = Counter(left), Counter(right)
    common = [name for name in counts[0] if name in counts[1]]
    for name in common:
        one, other = counts[0][name], counts[1][name]
        if one != other:
            raise InputError(
                f"object {name!r} occurs {_times(one)} in {names[0]} and {_times(other)} in {names[1]}; repeated "
                "objects pair by their order only where both sides repeat them equally often: rename or remove some"
            )
    if not common:
        raise InputError(
            f"{names[0]} and {names[1]} have no object in common ({left[0]!r} … and {right[0]!r} …); "
            "objects are paired by their name in the first field"
            if left and right
            else f"{names[0] if not left else names[1]} has no objects; give at least one on both sides"
        )
    place: dict[tuple[Label, int], int] = {}
    for at, key in enumerate(_numbered(right)):
        place[key] = at
    pairs = [(at, place[key]) for at, key in enumerate(_numbered(left)) if key in place]
    repeated = sum(counts[0][name] for name in common if counts[0][name] > 1)
    array = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return _Pairing(array[:, 0], array[:, 1], repeated)


def _numbered(names: tuple[Label, ...]) -> list[tuple[Label, int]]:
    seen: Counter[Label] = Counter()
    numbered = []
    for name in names:
        numbered.append((name, seen[name]))
        seen[name] += 1
    return numbered


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
