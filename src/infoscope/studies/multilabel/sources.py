"""Label sets from whatever the caller has: files, frames, matrices, sets."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from infoscope.errors import InputError, UnknownNameError
from infoscope.readers import read_joint
from infoscope.readers.frames import is_frame
from infoscope.readers.label_lists import read_erd_rows, read_label_lists
from infoscope.readers.labels import cleaner, meaning
from infoscope.studies.multilabel.hierarchy import rolled_up
from infoscope.tables.encoding import check_pairing, only_counts
from infoscope.tables.label_sets import LabelSets
from infoscope.tables.labels import Label
from infoscope.typing import Source

__all__ = ["FileFormat", "LabelSetFormat", "check_sides", "label_sets", "name_of"]

FileFormat = Literal["lists", "rows", "erd"]
"""Label lists; rows of object and category with a header; rows of the ERD challenge, which have none."""

_TABLES = {".csv", ".parquet", ".pq", ".arrow", ".feather", ".ipc", ".ndjson", ".jsonl"}
_PACKED = {".gz", ".zst", ".zstd"}


@dataclass(frozen=True)
class LabelSetFormat:
    """How label sets are written, where the source itself does not say."""

    object: str | None = None
    """Column of the object, for rows of object and category."""
    category: str | None = None
    threshold: float | None = None
    clean: str | Iterable[str] = ()
    separator: str | None = None
    depth: int | None = None
    input_format: FileFormat | None = None
    """How files are laid out, where their names do not say."""
    first_category: int | None = None
    """Column of a file in which categories start, counted from the object's, which is 0."""
    is_truth: bool = False
    """Whether these are the true label sets."""

    def __post_init__(self) -> None:
        """Reject half of a pair of options."""
        if self.input_format not in (None, *get_args(FileFormat)):
            known = ", ".join(map(repr, get_args(FileFormat)))
            raise UnknownNameError(f"there is no format {self.input_format!r} of label sets; it is one of {known}")
        if self.first_category is not None and self.first_category < 1:
            raise InputError(
                f"categories start in column {self.first_category}; column 0 is the object, so it is 1 or more"
            )
        if self.object is not None and (self.input_format or "rows") != "rows":
            raise InputError(f"object and category name the columns of rows, and {self.input_format!r} has no header")
        if (self.object is None) != (self.category is None):
            raise InputError("rows of object and category need the names of both columns (object= and category=)")
        if self.separator == "":
            raise InputError("the separator is empty; state the sign between levels, as separator='/'")
        if self.threshold is not None and np.isnan(self.threshold):
            raise InputError("the threshold is not a number; give one, as threshold=0.5")
        if self.depth is not None and self.separator is None:
            raise InputError("depth cuts category names at a separator; state it too, as separator='/'")

    def threshold_of(self, values: Any) -> float | None:
        """The threshold of a matrix; none for a truth of 0 and 1, whatever the scores of predictions are cut at."""
        if self.threshold is None or not self.is_truth:
            return self.threshold
        return None if np.isin(values.data if issparse(values) else values, (0, 1)).all() else self.threshold


def label_sets(source: Source, form: LabelSetFormat) -> LabelSets:
    """The label sets of a source, cleaned and rolled up as asked."""
    sets = _cleaned(_read(source, form), form)
    if form.separator is not None and form.depth is not None:
        return rolled_up(sets, form.separator, form.depth)
    return sets


def name_of(source: object, otherwise: str) -> str:
    """What to call a source: a file by its name."""
    if isinstance(source, str | os.PathLike):
        return Path(source).name.split(".")[0] or otherwise
    return otherwise


def _read(source: Any, form: LabelSetFormat) -> LabelSets:
    if isinstance(source, LabelSets):
        return source
    if isinstance(source, str | os.PathLike):
        return _file(Path(source), form)
    if issparse(source) or (isinstance(source, np.ndarray) and source.ndim != 1):
        return LabelSets.from_indicator(source, threshold=form.threshold_of(source))
    if is_frame(source) or (isinstance(source, tuple) and form.object is not None):
        return _rows(source, form) if form.object is not None else _indicator_frame(source, form)
    source = list(source) if isinstance(source, Iterator) else source
    values = _listed_numbers(source)
    if values is not None and _are_indicators(values, form):
        objects = list(source) if isinstance(source, Mapping) else None
        return LabelSets.from_indicator(values, objects=objects, threshold=form.threshold_of(values))
    if isinstance(source, Mapping | Iterable):
        if values is None:
            return LabelSets.from_sets(source)
        _check_categories(values)
        return replace(LabelSets.from_sets(source), numbers_per_object=values.shape[1])
    raise InputError(
        f"label sets cannot be read from a {type(source).__name__}; give a file, a list of sets, a mapping of objects "
        "to sets, an indicator matrix or a data frame"
    )


def _rows_in_memory(side: Any) -> Sequence[Any] | None:
    """What stands for each object in a list, a mapping or a series; None where that is not known without reading."""
    if isinstance(side, Mapping):
        return list(side.values())
    if isinstance(side, np.ndarray):
        return list(side) if side.ndim == 1 else None
    if hasattr(side, "to_list") and getattr(side, "ndim", 1) == 1:
        return list(side.to_list())
    return side if isinstance(side, list | tuple) else None


def _listed_numbers(side: Any) -> NDArray[Any] | None:
    """Lists of one length that hold nothing but numbers or truth values, one list per object; None of anything else."""
    rows = _rows_in_memory(side)
    if not rows or not all(isinstance(row, list | tuple) or getattr(row, "shape", ()) for row in rows):
        return None
    if len(rows[0]) < 2 or any(len(row) != len(rows[0]) for row in rows):
        return None
    kinds = {kind for row in rows for kind in map(type, row)}
    if not all(issubclass(kind, int | float | np.number | np.bool_) for kind in kinds):
        return None
    values = np.array(rows)
    return values if values.dtype.kind in "biuf" else None


def _are_indicators(values: NDArray[Any], form: LabelSetFormat) -> bool:
    """Whether lists hold 0 and 1 for every category, or scores, rather than the numbers of categories.

    A threshold makes scores of whole numbers; those of the truth may still name categories, of which none repeats.
    """
    if np.isin(values, (0, 1)).all():
        return values.dtype.kind == "b" or values.shape[1] > 2 or _has_pairs(values)
    if (values != np.floor(values)).any():
        return True
    name_categories = form.is_truth and bool((values >= 0).all()) and not len(_repeats(values))
    return form.threshold is not None and not name_categories


def _repeats(values: NDArray[Any]) -> NDArray[np.intp]:
    """Objects in whose list a number repeats."""
    return np.flatnonzero((np.diff(np.sort(values, axis=1), axis=1) == 0).any(axis=1))


def _check_categories(values: NDArray[Any]) -> None:
    """Reject lists of one length in which a number repeats: the rows of a matrix rather than different categories."""
    repeats = _repeats(values)
    if len(repeats):
        raise InputError(
            f"object {repeats[0]} has the list {values[repeats[0]].tolist()}, in which a number repeats as no category "
            "of a set does; give sets of categories, a matrix of 0 and 1, or scores with threshold="
        )


def _has_pairs(values: NDArray[Any]) -> bool:
    """Whether a row begins with one value twice, as no list of two categories does."""
    return bool((values[:, 0] == values[:, 1]).any())


def check_sides(truth: object, predictors: Mapping[str, Any], form: LabelSetFormat, called: str = "truth") -> None:
    """Reject sides whose rows or columns pair by position, where indexes or shapes say that they do not."""
    for name, predicted in predictors.items():
        _check_widths((truth, predicted), (called, name), form)
        by_name = form.object is not None or (_names_objects(truth) and _names_objects(predicted))
        if not by_name:
            check_pairing(truth, {name: predicted}, called)


def _names_objects(side: Any) -> bool:
    """Whether an index names the objects: that of a frame does, unless it only counts the rows."""
    index = getattr(side, "index", None)
    return getattr(side, "ndim", 0) == 2 and hasattr(index, "equals") and not only_counts(index)


def _check_widths(sides: tuple[Any, Any], names: tuple[str, str], form: LabelSetFormat) -> None:
    listed = [_listed_numbers(side) for side in sides]
    forms = replace(form, is_truth=True), form
    widths = [_width(*each) for each in zip(sides, listed, forms, strict=True)]
    unclear = [_may_be_either(values) for values in listed]
    if any(unclear) and all(either or width == 2 for either, width in zip(unclear, widths, strict=True)):
        raise InputError(
            "every object has the list [0, 1] or [1, 0], which may name two categories or say which of two it has; "
            "give sets of categories, or the indicators as an array"
        )
    if None not in widths and widths[0] != widths[1]:
        raise InputError(
            f"{names[0]} has {widths[0]} columns and {names[1]} has {widths[1]}; columns without names are the same "
            "categories in the same order: give both all of them, or data frames with their names"
        )
    for side, name, width, other in (
        (sides[0], names[0], widths[1], names[1]),
        (sides[1], names[1], widths[0], names[0]),
    ):
        is_named = hasattr(side, "columns") and hasattr(side, "to_numpy") and form.object is None
        if width is not None and is_named and list(side.columns) != list(range(width)):
            raise InputError(
                f"the columns of {name} have names and those of {other} have none; give data frames with the same "
                "names, or two arrays whose columns are in the same order"
            )


def _may_be_either(values: NDArray[Any] | None) -> bool:
    """Whether every object has the numbers 0 and 1 in a list: both categories, or one of two."""
    if values is None or values.shape[1] != 2 or values.dtype.kind == "b":
        return False
    return bool(np.isin(values, (0, 1)).all()) and not _has_pairs(values)


def _width(side: Any, values: NDArray[Any] | None, form: LabelSetFormat) -> int | None:
    """Columns of an indicator matrix without names; None of anything else."""
    if issparse(side) or (isinstance(side, np.ndarray) and side.ndim == 2):
        return int(side.shape[1]) if side.dtype.kind in "biuf" else None
    return values.shape[1] if values is not None and _are_indicators(values, form) else None


def _file(path: Path, form: LabelSetFormat) -> LabelSets:
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() not in _PACKED]
    is_table = bool(suffixes) and suffixes[-1] in _TABLES
    if form.input_format == "erd":
        return read_erd_rows(path, form.first_category)
    if form.object is not None or form.input_format == "rows" or (is_table and form.input_format is None):
        if form.first_category is not None:
            raise InputError(f"{path} is read as rows with a header; name its column of categories (category=)")
        return _rows(path, form)
    return read_label_lists(path, form.first_category)


def _rows(source: Any, form: LabelSetFormat) -> LabelSets:
    """Rows of object and category, in any form that rows are read from; a row without category states its object."""
    columns = form.object or "object", form.category or "category"
    tally = read_joint(source, truth=columns[0], system=[columns[1]]).tally
    objects, categories = (
        [meaning(value, name) for value in labels] for name, labels in zip(columns, tally.labels, strict=True)
    )
    known = np.array([label is not None for label in objects], dtype=bool)[tally.codes[0]]
    if not known.all():
        raise InputError(f"{int(tally.rows[~known].sum())} rows have no {columns[0]}; fill or remove them")
    named = [objects[code] for code in tally.codes[0]]
    sets = LabelSets.from_pairs((name for name in named if name is not None), (categories[c] for c in tally.codes[1]))
    again = int(tally.rows.sum()) - len(tally.rows)
    return LabelSets(sets.matrix, sets.categories, sets.objects, sets.repeated + again)


def _indicator_frame(frame: Any, form: LabelSetFormat) -> LabelSets:
    """A frame with a column a category; the index of pandas names the objects where it is not just 0, 1, …"""
    import narwhals as nw  # noqa: PLC0415 - only for frames
    from narwhals.exceptions import DuplicateError  # noqa: PLC0415 - only for frames

    try:
        wrapped: Any = nw.from_native(frame)
    except DuplicateError as error:
        raise InputError("two columns of the frame have the same name; rename one of them") from error
    eager: Any = wrapped.collect() if isinstance(wrapped, nw.LazyFrame) else wrapped
    names = list(eager.columns)
    kinds = [(column.name, column.dtype) for column in eager.iter_columns()]
    text = [name for name, kind in kinds if not (kind.is_numeric() or kind == nw.Boolean)]
    if text:
        raise InputError(
            f"column {text[0]!r} is not 0/1; a frame has one indicator column a category: for rows of object and "
            "category name both columns, as object='query', category='topic'"
        )
    index = getattr(frame, "index", None)
    objects = None if index is None or only_counts(index) else list(index)
    values = np.empty(eager.shape)
    for at, column in enumerate(eager.iter_columns()):
        values[:, at] = column.to_numpy().astype(np.float64)
    return LabelSets.from_indicator(values, categories=names, objects=objects, threshold=form.threshold_of(values))


def _cleaned(sets: LabelSets, form: LabelSetFormat) -> LabelSets:
    steps = (form.clean,) if isinstance(form.clean, str) else tuple(form.clean)
    if not steps:
        return sets
    clean = cleaner(steps)

    def cleaned(category: Label) -> Label:
        result = clean(category)
        if result is None:
            raise InputError(f"category {category!r} is nothing but white space; leave it out of its label sets")
        return result

    return sets.renamed(cleaned)
