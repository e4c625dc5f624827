"""Label sets: which categories each object carries, from sets, indicator matrices or (object, category) rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse

from infoscope.core.numerics import Real
from infoscope.errors import InputError
from infoscope.tables.labels import Label, as_label, is_missing, sorted_labels
from infoscope.typing import ArrayLike, Frame

__all__ = ["LabelSets"]

_COLLECTIONS = (list, tuple, set, frozenset, dict, np.ndarray)


@dataclass(frozen=True, eq=False)
class LabelSets:
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
    """How much each object counts, where not all count the same."""
    numbers_per_object: int = 0
    """Length of every object's list, where all have one and hold nothing but numbers, as the rows of a matrix do."""

    @classmethod
    def from_sets(cls, sets: Iterable[Iterable[Label]] | Mapping[Label, Iterable[Label]]) -> LabelSets:
        """One collection of categories an object, in order, or by the object's name."""
        lists = list(sets.values() if isinstance(sets, Mapping) else sets)
        for at, one in enumerate(lists):
            if isinstance(one, str | bytes) or not isinstance(one, Iterable) or getattr(one, "ndim", 1) == 0:
                shown = repr(one) if isinstance(one, str | bytes) else str(one)
                raise InputError(
                    f"object {at} has {shown} for its categories; give each object a set or list of categories, "
                    "or use infoscope.evaluate where every object has exactly one"
                )
        members = [list(one) for one in lists]
        rows = np.repeat(np.arange(len(members)), [len(one) for one in members])
        names = tuple(map(as_label, sets.keys())) if isinstance(sets, Mapping) else None
        return cls._from_codes(rows, [each for one in members for each in one], len(members), names)

    @classmethod
    def from_pairs(cls, objects: Iterable[Label], categories: Iterable[Label | None]) -> LabelSets:
        """Rows of object and category; a row without a category states an object that may carry none."""
        names = list(objects)
        places: dict[Label, int] = {}
        rows = np.fromiter((places.setdefault(as_label(name), len(places)) for name in names), np.int64, len(names))
        members = list(categories)
        if len(members) != len(names):
            raise InputError(f"there are {len(names)} objects and {len(members)} categories; they must pair row by row")
        stated = np.array([not is_missing(each) for each in members], dtype=bool)
        kept = [each for each, known in zip(members, stated, strict=True) if known]
        return cls._from_codes(rows[stated], kept, len(places), tuple(places))

    @classmethod
    def _from_codes(
        cls, rows: NDArray[np.int64], members: Sequence[Any], n: int, names: tuple[Label, ...] | None
    ) -> LabelSets:
        odd = next((each for each in members if isinstance(each, _COLLECTIONS) or is_missing(each)), None)
        if odd is not None:
            raise InputError(
                f"a category is {odd!r}; a category is text, a whole number, a number, a boolean or a date: one set of "
                "them an object"
            )
        distinct = {value: as_label(value) for value in dict.fromkeys(members)}
        categories = sorted_labels(set(distinct.values()))
        column = {label: at for at, label in enumerate(categories)}
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
        """A matrix of objects × categories with 1 for "carries it": NumPy, SciPy sparse, or a data frame.

        Scores need a ``threshold``: a category is carried where its score is at least that.
        """
        if hasattr(values, "columns") and hasattr(values, "to_numpy"):
            categories = list(values.columns) if categories is None else categories
            values = values.to_numpy()
        matrix = csr_array(values) if issparse(values) else _plain(np.asarray(values))
        if matrix.ndim != 2:
            raise InputError(f"an indicator matrix has two dimensions, objects × categories; this has {matrix.ndim}")
        names = tuple(range(matrix.shape[1])) if categories is None else tuple(map(as_label, categories))
        if len(names) != matrix.shape[1]:
            raise InputError(f"{len(names)} categories are named and the matrix has {matrix.shape[1]} columns")
        rows, columns = _carried(matrix, names, threshold)
        order = {label: at for at, label in enumerate(sorted_labels(names))}
        if len(order) != len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise InputError(f"category {twice!r} is the name of two columns; rename one of them")
        moved = np.array([order[name] for name in names], dtype=np.int64)
        known = None if objects is None else tuple(map(as_label, objects))
        return cls._from_cells(rows, moved[columns], matrix.shape[0], tuple(order), known)

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

    def renamed(self, meaning: Callable[[Label], Label]) -> LabelSets:
        """The same with other category names; categories that end with one name become one."""
        names = [meaning(category) for category in self.categories]
        categories = sorted_labels(set(names))
        column = {label: at for at, label in enumerate(categories)}
        place = np.array([column[name] for name in names], dtype=np.int64)
        rows = np.repeat(np.arange(self.n), self.sizes)
        made = self._from_cells(rows, place[self.matrix.indices], self.n, categories, self.objects)
        return replace(made, repeated=self.repeated, weights=self.weights, numbers_per_object=self.numbers_per_object)

    def on(self, categories: Sequence[Label]) -> csr_array:
        """The matrix with these columns, which must include all categories in use."""
        column = {label: at for at, label in enumerate(categories)}
        place = np.array([column[label] for label in self.categories], dtype=np.int64)
        shape = (self.n, len(categories))
        if not len(place):
            return csr_array(shape, dtype=np.int32)
        wide = csr_array((self.matrix.data, place[self.matrix.indices], self.matrix.indptr), shape=shape)
        wide.sort_indices()
        return wide


def _carried(
    matrix: Any, names: Sequence[Label], threshold: float | None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Positions of the memberships, after a look at every value."""
    if issparse(matrix):
        if threshold is not None and threshold <= 0:
            raise InputError(f"a threshold of {threshold} marks every cell that a sparse matrix leaves out; raise it")
        cells = matrix.tocoo()
        rows, columns, values = cells.row.astype(np.int64), cells.col.astype(np.int64), cells.data
    else:
        # only what may be a membership gets its position: most cells of a wide matrix are not
        rows, columns = np.nonzero(matrix if threshold is None else ~(matrix < threshold))
        values = matrix[rows, columns]
        if threshold is not None:
            gap = np.argwhere(np.isnan(matrix))
            _reject_gap(gap[:, 0], gap[:, 1], names)
    unknown = np.isnan(values)
    _reject_gap(rows[unknown], columns[unknown], names)
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


def _reject_gap(rows: NDArray[np.int64], columns: NDArray[np.int64], names: Sequence[Label]) -> None:
    if len(rows):
        raise InputError(f"object {rows[0]} has no value for category {names[columns[0]]!r}; fill it with 0 or 1")


def _plain(matrix: NDArray[Any]) -> NDArray[Any]:
    """The matrix as numbers; an array of Python objects may hold numbers, too."""
    if matrix.dtype.kind == "O":
        matrix = np.array([_number(value) for value in matrix.ravel()]).reshape(matrix.shape)
    if matrix.size and matrix.dtype.kind not in "biuf":
        _reject_text(matrix.ravel()[0])
    return matrix


def _number(value: Any) -> float:
    if is_missing(value):
        return np.nan
    if not isinstance(value, int | float | np.number | np.bool_):
        _reject_text(value)
    return float(value)


def _reject_text(value: Any) -> NoReturn:
    found = value.item() if isinstance(value, np.generic) else value
    raise InputError(
        f"an indicator matrix holds {found!r}; its values are 0 and 1: for rows of object and category, name both "
        "columns (object=, category=)"
    )
