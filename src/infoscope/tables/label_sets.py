"""Label sets: which categories each object carries, and the truth and the system as such sets over the same objects.

``LabelSets`` come from sets, indicator matrices or (object, category) rows; ``align_label_sets`` pairs two of them into
a ``Categorization``, objects × categories, which the multi-label metrics are computed of.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse

from infoscope.core.numerics import Real, as_real
from infoscope.core.validation import KeywordHints
from infoscope.errors import InputError
from infoscope.tables.contingency import reduce_by_fields
from infoscope.tables.labels import Label, as_label, check_kinds, is_missing, sorted_labels
from infoscope.typing import ArrayLike, Frame

# ── one side ─────────────────────────────────────────────────────────────────────────────────────


_COLLECTIONS = (list, tuple, set, frozenset, dict, np.ndarray)


@dataclass(frozen=True, eq=False)
class LabelSets(KeywordHints):
    """Objects and their categories; ``objects`` is None where objects are known by their position only.

    >>> sets = LabelSets.from_sets([{"sport", "news"}, set(), {"news"}])
    >>> sets.categories, sets.sizes.tolist()
    (('news', 'sport'), [2, 0, 1])
    """

    matrix: csr_array
    """Objects × categories, holding ones."""
    categories: tuple[Label, ...]
    objects: tuple[Label, ...] | None = None
    repeated: int = 0
    """Memberships that were stated more than once; a set holds each once."""
    weights: Real | None = None
    """Weight of each object, where not all count the same."""
    numbers_per_object: int = 0
    """Length of every object's list, where all have one and hold nothing but numbers, as the rows of a matrix do."""

    @classmethod
    def from_sets(cls, sets: Iterable[Iterable[Label]] | Mapping[Label, Iterable[Label]]) -> LabelSets:
        """Take one collection of categories per object, in order, or by the object's name."""
        lists = list(sets.values() if isinstance(sets, Mapping) else sets)
        for number, members in enumerate(lists):
            if (
                isinstance(members, str | bytes)
                or not isinstance(members, Iterable)
                or getattr(members, "ndim", 1) == 0
            ):
                shown = repr(members) if isinstance(members, str | bytes) else str(members)
                raise InputError(
                    f"object {number} has {shown} for its categories; give each object a set or list of categories, "
                    "or use infoscope.evaluate where every object has exactly one"
                )
        collections = [list(members) for members in lists]
        rows = np.repeat(np.arange(len(collections)), [len(members) for members in collections])
        names = tuple(map(as_label, sets.keys())) if isinstance(sets, Mapping) else None
        return cls._from_codes(rows, [label for members in collections for label in members], len(collections), names)

    @classmethod
    def from_pairs(cls, objects: Iterable[Label], categories: Iterable[Label | None]) -> LabelSets:
        """Take rows of object and category; a row without a category states an object that may carry none."""
        names = list(objects)
        places: dict[Label, int] = {}
        rows = np.fromiter((places.setdefault(as_label(name), len(places)) for name in names), np.int64, len(names))
        members = list(categories)
        if len(members) != len(names):
            raise InputError(f"there are {len(names)} objects and {len(members)} categories; they must pair row by row")
        stated = np.array([not is_missing(label) for label in members], dtype=bool)
        kept = [label for label, known in zip(members, stated, strict=True) if known]
        return cls._from_codes(rows[stated], kept, len(places), tuple(places))

    @classmethod
    def _from_codes(
        cls, rows: NDArray[np.int64], members: Sequence[Any], n: int, names: tuple[Label, ...] | None
    ) -> LabelSets:
        odd = next((label for label in members if isinstance(label, _COLLECTIONS) or is_missing(label)), None)
        if odd is not None:
            raise InputError(
                f"a category is {odd!r}; a category is text, a whole number, a number, a boolean or a date: one set of "
                "them an object"
            )
        distinct = {value: as_label(value) for value in dict.fromkeys(members)}
        categories = sorted_labels(set(distinct.values()))
        column = {label: code for code, label in enumerate(categories)}
        place = {value: column[label] for value, label in distinct.items()}
        columns = np.fromiter((place[value] for value in members), np.int64, len(members))
        return cls._from_cells(rows, columns, n, categories, names)

    @classmethod
    def _from_cells(
        cls,
        rows: NDArray[np.int64],
        columns: NDArray[np.int64],
        n: int,
        categories: tuple[Label, ...],
        names: tuple[Label, ...] | None,
    ) -> LabelSets:
        matrix = csr_array((np.ones(len(rows), dtype=np.int32), (rows, columns)), shape=(n, len(categories)))
        matrix.sum_duplicates()
        repeated = len(rows) - matrix.nnz
        matrix.data[:] = 1
        return cls(matrix, categories, names, repeated)

    @classmethod
    def from_indicator(
        cls,
        values: ArrayLike | Frame,
        *,
        categories: Sequence[Label] | None = None,
        objects: Sequence[Label] | None = None,
        threshold: float | None = None,
    ) -> LabelSets:
        """Take a matrix of objects × categories with 1 for "carries it": NumPy, SciPy sparse, or a data frame.

        Scores need a ``threshold``: a category is carried where its score is at least that.
        """
        if hasattr(values, "columns") and hasattr(values, "to_numpy"):
            categories = list(values.columns) if categories is None else categories
            values = values.to_numpy()
        matrix = csr_array(values) if issparse(values) else _convert_numbers(np.asarray(values))
        if matrix.ndim != 2:
            raise InputError(f"an indicator matrix has two dimensions, objects × categories; this has {matrix.ndim}")
        names = tuple(range(matrix.shape[1])) if categories is None else tuple(map(as_label, categories))
        if len(names) != matrix.shape[1]:
            raise InputError(f"{len(names)} categories are named and the matrix has {matrix.shape[1]} columns")
        rows, columns = _find_members(matrix, names, threshold)
        order = {label: code for code, label in enumerate(sorted_labels(names))}
        if len(order) != len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise InputError(f"category {twice!r} is the name of two columns; rename one of them")
        moved = np.array([order[name] for name in names], dtype=np.int64)
        object_names = None if objects is None else tuple(map(as_label, objects))
        return cls._from_cells(rows, moved[columns], matrix.shape[0], tuple(order), object_names)

    @property
    def n(self) -> int:
        """Number of objects."""
        return int(self.matrix.shape[0])

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Categories per object."""
        return np.diff(self.matrix.indptr).astype(np.int64)

    @property
    def supports(self) -> NDArray[np.int64]:
        """Objects per category."""
        return np.bincount(self.matrix.indices, minlength=len(self.categories)).astype(np.int64)

    def rename(self, meaning: Callable[[Label], Label]) -> LabelSets:
        """Rename categories; those that end with one name become one."""
        names = [meaning(category) for category in self.categories]
        categories = sorted_labels(set(names))
        column = {label: code for code, label in enumerate(categories)}
        place = np.array([column[name] for name in names], dtype=np.int64)
        rows = np.repeat(np.arange(self.n), self.sizes)
        made = self._from_cells(rows, place[self.matrix.indices], self.n, categories, self.objects)
        return replace(made, repeated=self.repeated, weights=self.weights, numbers_per_object=self.numbers_per_object)

    def on(self, categories: Sequence[Label]) -> csr_array:
        """Return the matrix with these columns, which must include all categories in use."""
        column = {label: code for code, label in enumerate(categories)}
        place = np.array([column[label] for label in self.categories], dtype=np.int64)
        shape = (self.n, len(categories))
        if not len(place):
            return csr_array(shape, dtype=np.int32)
        wide = csr_array((self.matrix.data, place[self.matrix.indices], self.matrix.indptr), shape=shape)
        wide.sort_indices()
        return wide


def _find_members(
    matrix: Any, names: Sequence[Label], threshold: float | None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the positions of the memberships, after a look at every value."""
    if issparse(matrix):
        if threshold is not None and threshold <= 0:
            raise InputError(f"a threshold of {threshold} marks every cell that a sparse matrix leaves out; raise it")
        cells = matrix.tocoo()
        rows, columns, values = cells.row.astype(np.int64), cells.col.astype(np.int64), cells.data
    else:
        # only what may be a membership gets its position: most cells of a wide matrix are not
        rows, columns = np.nonzero(matrix if threshold is None else ~(matrix < threshold))
        values = matrix[rows, columns]
    if threshold is None or issparse(matrix):
        gaps = np.stack([rows, columns], axis=1)[np.isnan(values)]
    else:
        gaps = np.argwhere(np.isnan(matrix))
    if len(gaps):
        row, column = gaps[0]
        raise InputError(f"object {row} has no value for category {names[column]!r}; fill it with 0 or 1")
    if threshold is not None:
        keep = values >= threshold
    else:
        keep = values == 1
        odd = np.flatnonzero(~keep & (values != 0))
        if len(odd):
            raise InputError(
                f"object {rows[odd[0]]} has {values[odd[0]]} for category {names[columns[odd[0]]]!r}; an indicator is "
                "0 or 1: for scores give a threshold, as threshold=0.5"
            )
    return rows[keep], columns[keep]


def _convert_numbers(matrix: NDArray[Any]) -> NDArray[Any]:
    """Return the matrix as numbers; an array of Python objects may hold numbers, too."""
    odd: Any = None
    if matrix.dtype.kind == "O":
        values = matrix.ravel().tolist()
        odd = next(
            (v for v in values if not is_missing(v) and not isinstance(v, int | float | np.number | np.bool_)), None
        )
        if odd is None:
            numbers = [np.nan if is_missing(value) else float(value) for value in values]
            matrix = np.array(numbers).reshape(matrix.shape)
    elif matrix.size and matrix.dtype.kind not in "biuf":
        odd = matrix.ravel()[0]
    if odd is not None:
        shown = odd.item() if isinstance(odd, np.generic) else odd
        raise InputError(
            f"an indicator matrix holds {shown!r}; its values are 0 and 1: for rows of object and category, name both "
            "columns (object=, category=)"
        )
    return matrix


# ── two sides ────────────────────────────────────────────────────────────────────────────────────


OneSided = Literal["leave_out", "empty"]
"""Treatment of an object that one side lacks: it is left out, or it carries no category there."""

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

    >>> pair = align_label_sets(LabelSets.from_sets([{"a"}, {"a", "b"}]), LabelSets.from_sets([{"a"}, {"b"}]))
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
    """Weight of each object, on average 1; None where all count the same."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy by its fields."""
        return reduce_by_fields(self)

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
        """Number of objects of equal weight that these are worth."""
        return float(self.n) if self.weights is None else float(self.weights.sum() ** 2 / np.sum(self.weights**2))

    @cached_property
    def hits(self) -> csr_array:
        """Memberships that both sides state."""
        return csr_array(self.truth.multiply(self.system))

    @cached_property
    def truth_counts(self) -> Real:
        """Objects per category in the truth."""
        return self._count_objects(self.truth)

    @cached_property
    def system_counts(self) -> Real:
        """Objects per category in the system's prediction."""
        return self._count_objects(self.system)

    @cached_property
    def both(self) -> Real:
        """Objects per category to which both sides give it."""
        return self._count_objects(self.hits)

    def _count_objects(self, matrix: csr_array) -> Real:
        """Return objects per column, or their weights."""
        weights = None if self.weights is None else np.repeat(self.weights, np.diff(matrix.indptr))[matrix.data != 0]
        return as_real(np.bincount(matrix.indices[matrix.data != 0], weights, minlength=matrix.shape[1]))

    def select_objects(self, rows: NDArray[Any]) -> Categorization:
        """Return only these objects, by mask or position, without their names."""
        weights = None if self.weights is None else self.weights[rows]
        return Categorization(self.categories, self.truth[rows], self.system[rows], weights=_scale_weights(weights))

    def deal_system(self, order: NDArray[np.int64]) -> Categorization:
        """Deal the system's sets to the objects in another order."""
        return Categorization(self.categories, self.truth, self.system[order], weights=self.weights)

    def weigh_objects(self, weights: Real) -> Categorization:
        """Return the same objects, each counting by its weight."""
        return replace(self, weights=_check_weights(weights))

    def drop_weights(self) -> Categorization:
        """Return the same with all objects counting the same."""
        return self if self.weights is None else replace(self, weights=None)

    def joint_counts(self) -> Real:
        """Count objects by (truth category, system category): all pairs from one product of the two matrices."""
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
        """Return categories that only the truth uses, and those that only the system uses."""
        truth, system = self.truth_counts > 0, self.system_counts > 0
        return (
            tuple(name for name, only in zip(self.categories, truth & ~system, strict=True) if only),
            tuple(name for name, only in zip(self.categories, system & ~truth, strict=True) if only),
        )


def _scale_weights(weights: Real | None) -> Real | None:
    """Return weights that are 1 on average."""
    total = 1.0 if weights is None else float(weights.sum())
    return weights if weights is None or not total else as_real(weights * (len(weights) / total))


def _check_weights(weights: Real | None) -> Real | None:
    """Return weights that are 1 on average; reject them where no object counts."""
    if weights is not None and not weights.any():
        raise InputError("all objects that both sides have weigh 0; give one of them a weight above 0")
    return _scale_weights(weights)


def align_label_sets(
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
            weights=_check_weights(truth.weights),
        )
    rows, columns, repeated = _pair_objects(truth.objects, system.objects, names)
    lacking = {
        f"object in {side} only": sets.n - len(rows)
        for side, sets in zip(names, (truth, system), strict=True)
        if sets.n > len(rows)
    }
    if one_sided != "empty":
        return Categorization(
            categories,
            truth.on(categories)[rows],
            system.on(categories)[columns],
            tuple(truth.objects[row] for row in rows),
            ignored=MappingProxyType(lacking),
            repeated_objects=repeated,
            weights=_check_weights(None if truth.weights is None else truth.weights[rows]),
        )
    # all objects of both sides, those of the truth first; what one side lacks is an empty row of it
    added = np.setdiff1d(np.arange(system.n), columns)
    if len(added) and truth.weights is not None:
        name = system.objects[added[0]]
        raise InputError(f"object {name!r} is not in the truth and has no weight; leave it out, or add it to the truth")
    of_system = np.full(truth.n, system.n)
    of_system[rows] = columns
    return Categorization(
        categories,
        _add_empty_row(truth.on(categories))[np.concatenate([np.arange(truth.n), np.full(len(added), truth.n)])],
        _add_empty_row(system.on(categories))[np.concatenate([of_system, added])],
        (*truth.objects, *(system.objects[row] for row in added)),
        emptied=MappingProxyType(lacking),
        repeated_objects=repeated,
        weights=_check_weights(truth.weights),
    )


def _add_empty_row(matrix: csr_array) -> csr_array:
    shape = (matrix.shape[0] + 1, matrix.shape[1])
    return csr_array((matrix.data, matrix.indices, np.append(matrix.indptr, matrix.indptr[-1])), shape=shape)


def _pair_objects(
    left: tuple[Label, ...], right: tuple[Label, ...], names: tuple[str, str]
) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """Return positions of the objects that both sides have, and how many of them have a name that occurs repeatedly.

    A repeated name pairs first with first, second with second.
    """
    check_kinds(left, right)
    counts = Counter(left), Counter(right)
    common = [name for name in counts[0] if name in counts[1]]
    for name in common:
        one, other = counts[0][name], counts[1][name]
        if one != other:
            times = ["once" if count == 1 else f"{count} times" for count in (one, other)]
            raise InputError(
                f"object {name!r} occurs {times[0]} in {names[0]} and {times[1]} in {names[1]}; repeated objects pair "
                "by their order only where both sides repeat them equally often: rename or remove some"
            )
    if not common:
        raise InputError(
            f"{names[0]} and {names[1]} have no object in common ({left[0]!r} … and {right[0]!r} …); "
            "objects are paired by their name in the first field"
            if left and right
            else f"{names[0] if not left else names[1]} has no objects; give at least one on both sides"
        )

    def number_repeats(objects: tuple[Label, ...]) -> list[tuple[Label, int]]:
        seen: Counter[Label] = Counter()
        numbered = []
        for name in objects:
            numbered.append((name, seen[name]))
            seen[name] += 1
        return numbered

    place = {key: column for column, key in enumerate(number_repeats(right))}
    pairs = [(row, place[key]) for row, key in enumerate(number_repeats(left)) if key in place]
    repeated = sum(counts[0][name] for name in common if counts[0][name] > 1)
    array = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return array[:, 0], array[:, 1], repeated
