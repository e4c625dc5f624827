"""Read label sets from whatever the caller has: files, frames, matrices, sets; and how much each object counts.

``read_label_sets`` is what the multi-label functions, the metrics of label sets and the agreement of annotators read
one side with, and ``check_sides`` rejects sides that pair by position where they do not fit. A further form of a source
is a branch of ``read_label_sets``; lines of files are read by ``readers/label_lists.py``.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from infoscope.core.markup import pluralize
from infoscope.core.numerics import Real
from infoscope.errors import InputError
from infoscope.readers import read_joint
from infoscope.readers.frames import is_frame, open_frame
from infoscope.readers.label_lists import read_erd_rows, read_label_lists
from infoscope.readers.labels import decode_value, make_cleaner
from infoscope.tables.counting import as_numbers, check_weight_scale, warn_of
from infoscope.tables.encoding import check_pairing, one_column, only_counts
from infoscope.tables.label_sets import Categorization, LabelSets, align_label_sets
from infoscope.tables.labels import Label, as_label
from infoscope.typing import Source

FileFormat = Literal["lists", "stripped_lists", "rows", "erd"]
"""Label lists, as they are or with stripped lines; rows of object and category with a header; ERD rows without one."""
ObjectWeights: TypeAlias = str | Mapping[Any, float] | Iterable[float]
"""The column of the truth's rows that has them, a weight per object's name, or the weights in the order of objects."""

TABLE_SUFFIXES = {".csv", ".parquet", ".pq", ".arrow", ".feather", ".ipc", ".ndjson", ".jsonl"}
COMPRESSION_SUFFIXES = {".gz", ".zst", ".zstd"}
MIN_WEIGHT_SHARE = 1e-13
"""Objects without a category are a difference of two sums: below this fraction of the total they lose precision."""


@dataclass(frozen=True)
class LabelSetFormat:
    """Form of label sets, where the source itself does not say it."""

    object: str | None = None
    """Column of the object, for rows of object and category."""
    category: str | None = None
    threshold: float | None = None
    clean: str | Iterable[str] = ()
    separator: str | None = None
    depth: int | None = None
    input_format: FileFormat | None = None
    """Layout of files, where their names do not say it."""
    first_category: int | None = None
    """Column of a file in which categories start, counted from the object's, which is 0."""
    is_truth: bool = False
    """True for the true label sets."""

    def __post_init__(self) -> None:
        """Reject options that do not go together."""
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

    def threshold_for(self, values: Any) -> float | None:
        """Return the threshold of a matrix; None for a truth of 0 and 1, whatever the predictions are cut at."""
        if self.threshold is None or not self.is_truth:
            return self.threshold
        return None if np.isin(values.data if issparse(values) else values, (0, 1)).all() else self.threshold


# One side -------------------------------------------------------------------------------------------------------------


def read_label_sets(source: Source | LabelSets, form: LabelSetFormat) -> LabelSets:
    """Return the label sets of a source, cleaned and rolled up as the format says."""
    sets = _read(source, form)
    if steps := (form.clean,) if isinstance(form.clean, str) else tuple(form.clean):
        clean = make_cleaner(steps)

        def clean_name(category: Label) -> Label:
            name = clean(category)
            if name is None:
                raise InputError(f"category {category!r} is nothing but white space; leave it out of its label sets")
            return name

        sets = sets.rename(clean_name)
    if form.separator is not None and form.depth is not None:
        return roll_up(sets, form.separator, form.depth)
    return sets


def _read(source: Any, form: LabelSetFormat) -> LabelSets:
    if isinstance(source, LabelSets):
        return source
    if isinstance(source, str | os.PathLike):
        path = Path(source)
        suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() not in COMPRESSION_SUFFIXES]
        is_table = bool(suffixes) and suffixes[-1] in TABLE_SUFFIXES
        if form.input_format == "erd":
            return read_erd_rows(path, form.first_category)
        if form.object is not None or form.input_format == "rows" or (is_table and form.input_format is None):
            if form.first_category is not None:
                raise InputError(f"{path} is read as rows with a header; name its column of categories (category=)")
            return _read_rows(path, form)
        return read_label_lists(path, form.first_category, strip_lines=form.input_format == "stripped_lists")
    if issparse(source) or (isinstance(source, np.ndarray) and source.ndim != 1):
        return LabelSets.from_indicator(source, threshold=form.threshold_for(source))
    if is_frame(source) or (isinstance(source, tuple) and form.object is not None):
        return _read_rows(source, form) if form.object is not None else _read_indicator_frame(source, form)
    if hasattr(source, "to_pylist"):  # lists of Arrow hold scalars of their own
        source = source.to_pylist()
    source = list(source) if isinstance(source, Iterator) else source
    values = _listed_numbers(source)
    if values is not None and _are_indicators(values, form):
        objects = list(source) if isinstance(source, Mapping) else None
        return LabelSets.from_indicator(values, objects=objects, threshold=form.threshold_for(values))
    if not isinstance(source, Mapping | Iterable):
        raise InputError(
            f"label sets cannot be read from a {type(source).__name__}; give a file, a list of sets, a mapping of "
            "objects to sets, an indicator matrix or a data frame"
        )
    if values is None:
        return LabelSets.from_sets(source)
    repeats = _find_repeats(values)
    if len(repeats):  # the rows of a matrix rather than different categories
        raise InputError(
            f"object {repeats[0]} has the list {values[repeats[0]].tolist()}, in which a number repeats as no category "
            "of a set does; give sets of categories, a matrix of 0 and 1, or scores with threshold="
        )
    return replace(LabelSets.from_sets(source), numbers_per_object=values.shape[1])


def _read_rows(source: Any, form: LabelSetFormat) -> LabelSets:
    """Read rows of object and category, in any form that rows have; a row without category states its object."""
    columns = form.object or "object", form.category or "category"
    rows = read_joint(source, truth=columns[0], system=[columns[1]]).rows
    objects, categories = (  # the last for the code −1
        [*(decode_value(value, name) for value in labels), None] for name, labels in rows.dictionaries.items()
    )
    is_named = np.array([label is not None for label in objects], dtype=bool)[rows.codes[0]]
    if not is_named.all():
        raise InputError(f"{int(rows.row_counts[~is_named].sum())} rows have no {columns[0]}; fill or remove them")
    names = [objects[code] for code in rows.codes[0]]
    sets = LabelSets.from_pairs((name for name in names if name is not None), (categories[c] for c in rows.codes[1]))
    again = rows.row_count - len(rows)
    return LabelSets(sets.matrix, sets.categories, sets.objects, sets.repeated + again)


def _read_indicator_frame(frame: Any, form: LabelSetFormat) -> LabelSets:
    """Read a frame with a column a category; the index of pandas names the objects where it is not just 0, 1, …"""
    import narwhals as nw  # noqa: PLC0415 - only for frames

    wrapped = open_frame(frame)
    eager: Any = wrapped.collect() if isinstance(wrapped, nw.LazyFrame) else wrapped
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
    for place, column in enumerate(eager.iter_columns()):
        values[:, place] = column.to_numpy().astype(np.float64)
    threshold = form.threshold_for(values)
    return LabelSets.from_indicator(values, categories=list(eager.columns), objects=objects, threshold=threshold)


def name_source(source: object, default: str) -> str:
    """Return what to call a source: a file by its name."""
    if isinstance(source, str | os.PathLike):
        return Path(source).name.split(".")[0] or default
    return default


def split_path(category: Label, separator: str) -> list[str]:
    """Return the levels of a category whose name is a path."""
    parts = str(category).split(separator)
    if not all(part.strip() for part in parts):
        raise InputError(
            f"category {category!r} has an empty level: a separator {separator!r} too many; fix it, or choose "
            "another separator"
        )
    return parts


def roll_up(sets: LabelSets, separator: str, depth: int) -> LabelSets:
    """Cut every category to its first ``depth`` levels; an object carries a parent if it carries any of its children.

    >>> sets = LabelSets.from_sets([{"sport/golf", "sport/judo"}, {"news/local"}])
    >>> roll_up(sets, "/", 1).categories
    ('news', 'sport')
    """
    if depth < 1:
        raise InputError(f"depth {depth} leaves no category; 1 is the top level")
    return sets.rename(lambda category: separator.join(split_path(category, separator)[:depth]))


# Lists of numbers: categories or indicators? --------------------------------------------------------------------------


def _listed_numbers(side: Any) -> NDArray[Any] | None:
    """Return lists of one length of nothing but numbers or truth values, one list per object; None of anything else.

    Only what can be looked at without reading is: a list, a mapping, a series, an array of one dimension.
    """
    rows: Any = side if isinstance(side, list | tuple) else None
    if isinstance(side, Mapping):
        rows = list(side.values())
    elif isinstance(side, np.ndarray):
        rows = list(side) if side.ndim == 1 else None
    elif hasattr(side, "to_list") and getattr(side, "ndim", 1) == 1:
        rows = list(side.to_list())
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
    """Return True if lists hold 0 and 1 for every category, or scores, rather than the numbers of categories.

    A threshold makes scores of whole numbers; those of the truth may still name categories, of which none repeats.
    """
    if np.isin(values, (0, 1)).all():
        return values.dtype.kind == "b" or values.shape[1] > 2 or _begin_with_pairs(values)
    if (values != np.floor(values)).any():
        return True
    name_categories = form.is_truth and bool((values >= 0).all()) and not len(_find_repeats(values))
    return form.threshold is not None and not name_categories


def _find_repeats(values: NDArray[Any]) -> NDArray[np.intp]:
    """Return the objects in whose list a number repeats."""
    return np.flatnonzero((np.diff(np.sort(values, axis=1), axis=1) == 0).any(axis=1))


def _begin_with_pairs(values: NDArray[Any]) -> bool:
    """Return True if a row begins with one value twice, as no list of two categories does."""
    return bool((values[:, 0] == values[:, 1]).any())


# Two sides ------------------------------------------------------------------------------------------------------------


def align_sides(y_true: Any, y_pred: Any, threshold: float | None) -> Categorization:
    """Read both sides over the same objects; a warning says how many are left out."""
    form = LabelSetFormat(threshold=threshold)
    check_sides(y_true, {"y_pred": y_pred}, form)
    pair = align_label_sets(read_label_sets(y_true, replace(form, is_truth=True)), read_label_sets(y_pred, form))
    warn_of(say_left_out(pair.ignored))
    return pair


def say_left_out(ignored: Mapping[str, int]) -> list[str]:
    """Return a sentence for each reason why objects do not enter the numbers."""
    return [f"{pluralize(objects, 'object')} left out: {reason}" for reason, objects in ignored.items()]


def check_sides(truth: object, predictors: Mapping[str, Any], form: LabelSetFormat, called: str = "truth") -> None:
    """Reject sides whose rows or columns pair by position, where indexes or shapes say that they do not."""
    for name, predicted in predictors.items():
        _check_widths((truth, predicted), (called, name), form)
        by_name = form.object is not None or (_names_objects(truth) and _names_objects(predicted))
        if not by_name:
            check_pairing(truth, {name: predicted}, called)


def _names_objects(side: Any) -> bool:
    """Return True if an index names the objects: that of a frame does, unless it only counts the rows."""
    index = getattr(side, "index", None)
    return getattr(side, "ndim", 0) == 2 and hasattr(index, "equals") and not only_counts(index)


def _check_widths(sides: tuple[Any, Any], names: tuple[str, str], form: LabelSetFormat) -> None:
    """Reject matrices without names of other widths, and those beside columns that have names."""
    listed = [_listed_numbers(side) for side in sides]
    widths: list[int | None] = []
    for side, values, is_truth in zip(sides, listed, (True, False), strict=True):
        width = None
        if issparse(side) or (isinstance(side, np.ndarray) and side.ndim == 2):
            width = int(side.shape[1]) if side.dtype.kind in "biuf" else None
        elif values is not None and _are_indicators(values, replace(form, is_truth=is_truth)):
            width = values.shape[1]
        widths.append(width)
    # the numbers 0 and 1 in a list: both categories, or one of two
    unclear = [
        values is not None
        and values.shape[1] == 2
        and values.dtype.kind != "b"
        and bool(np.isin(values, (0, 1)).all())
        and not _begin_with_pairs(values)
        for values in listed
    ]
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
    for place, other in ((0, 1), (1, 0)):
        side, width = sides[place], widths[other]
        is_named = hasattr(side, "columns") and hasattr(side, "to_numpy") and form.object is None
        if width is not None and is_named and list(side.columns) != list(range(width)):
            raise InputError(
                f"the columns of {names[place]} have names and those of {names[other]} have none; give data frames "
                "with the same names, or two arrays whose columns are in the same order"
            )


# Weights of objects ---------------------------------------------------------------------------------------------------


def weigh_sets(sets: LabelSets, weight: ObjectWeights | None, source: object, form: LabelSetFormat) -> LabelSets:
    """Return the label sets of the truth with the weights of their objects."""
    if weight is None:
        return sets
    check_pairing(source, {"weight": weight})
    if isinstance(weight, str):
        weight = _read_weight_column(source, weight, form)
    if isinstance(weight, Mapping):
        by_name = {as_label(name): value for name, value in weight.items()}
        if sets.objects is None:
            raise InputError(
                "weights are given by the names of objects, and the truth has none; give them in its order"
            )
        absent = [name for name in sets.objects if name not in by_name]
        if absent:
            more = f" (and {len(absent) - 1} more)" if len(absent) > 1 else ""
            raise InputError(f"object {absent[0]!r} of the truth has no weight{more}; give every object one")
        weight = [by_name[name] for name in sets.objects]
    try:
        numbers = as_numbers(weight if hasattr(weight, "__len__") else list(weight))
    except (TypeError, ValueError):
        raise InputError("a weight of an object is not a number; give one number of 0 or more per object") from None
    return replace(sets, weights=check_object_weights(numbers, sets.n))


def _read_weight_column(source: Any, name: str, form: LabelSetFormat) -> dict[Label, float]:
    """Return the weight of each object from a column of rows, where all rows of an object must agree."""
    if form.object is None:
        raise InputError(
            f"weight {name!r} is the name of a column, and only rows have columns: name those of object and category, "
            "too (object=, category=), or give a weight per object"
        )
    if name == form.object:
        raise InputError(f"column {name!r} names the objects, and is no weight; name a column of numbers")
    rows = read_joint(source, truth=form.object, system=[name]).rows
    objects, values = ([*(decode_value(value, name) for value in labels), None] for labels in rows.labels)
    weights: dict[Label, float] = {}
    for row, column in zip(*rows.codes, strict=True):
        label, value = objects[row], values[column]
        if label is None:
            continue  # said where the sets are read
        try:
            number = float(value)
        except (TypeError, ValueError):
            raise InputError(f"object {label!r} has {value!r} for its {name}; give it a number of 0 or more") from None
        if weights.setdefault(label, number) != number:
            raise InputError(f"object {label!r} has two weights, {weights[label]:g} and {number:g}; give it one")
    return weights


def read_weights(path: str | Path) -> dict[Label, float]:
    """Read the weights of a file with one object per line: object TAB weight."""
    sets = read_label_lists(Path(path))
    weights: dict[Label, float] = {}
    for name, start, end in zip(sets.objects or (), sets.matrix.indptr, sets.matrix.indptr[1:], strict=False):
        fields = [str(sets.categories[code]) for code in sets.matrix.indices[start:end]]
        if name in weights:
            raise InputError(f"{path}: object {name!r} has two lines; give it one weight")
        try:
            (field,) = fields
            weights[name] = float(field)
        except ValueError:
            shown = ", ".join(map(repr, fields)) or "nothing"
            raise InputError(
                f"{path}: object {name!r} has {shown} for its weight; a line is the object, a TAB and one number"
            ) from None
    return weights


def check_object_weights(sample_weight: object, objects: int) -> Real:
    """Return one weight of 0 or more per object; reject anything else."""
    try:
        weights = as_numbers(one_column(sample_weight, "sample_weight"))
    except (TypeError, ValueError) as error:
        raise InputError(f"sample_weight holds something else than numbers ({error}); give one per object") from None
    if weights.shape != (objects,):
        raise InputError(f"sample_weight has shape {weights.shape}; give one weight for each of the {objects} objects")
    if not (np.isfinite(weights).all() and (weights >= 0).all() and weights.any()):
        raise InputError("a sample weight is negative or not finite, or all are 0; give weights of 0 or more")
    check_weight_scale(weights)
    least, total = float(weights[weights > 0].min()), float(weights.sum())
    if least < MIN_WEIGHT_SHARE * total:
        raise InputError(
            f"a sample weight is {least:g} and all together are {total:g}, too much to tell them apart; "
            "leave such objects out, or give them a weight of 0"
        )
    return weights
