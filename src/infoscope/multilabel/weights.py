"""How much each object counts: a column of the rows, a weight for each name, or one number after the other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from infoscope.errors import InputError
from infoscope.multilabel.arguments import object_weights
from infoscope.multilabel.sources import LabelSetFormat
from infoscope.readers import read_joint
from infoscope.readers.label_list_file import read_label_lists
from infoscope.readers.labels import meaning
from infoscope.tables.label_sets import LabelSets
from infoscope.tables.labels import Label, as_label

__all__ = ["ObjectWeights", "read_weights", "weighed_sets"]

ObjectWeights: TypeAlias = str | Mapping[Any, float] | Iterable[float]
"""The column of the truth's rows that has them, a weight per object's name, or the weights in the order of objects."""


def weighed_sets(sets: LabelSets, weight: ObjectWeights | None, source: Any, form: LabelSetFormat) -> LabelSets:
    """The label sets of the truth with the weights of their objects."""
    if weight is None:
        return sets
    if isinstance(weight, str):
        weight = _column(source, weight, form)
    if isinstance(weight, Mapping):
        weight = _by_name(sets, {as_label(name): value for name, value in weight.items()})
    try:
        numbers = np.asarray(weight if hasattr(weight, "__len__") else list(weight), dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("a weight of an object is not a number; give one number of 0 or more per object") from None
    return replace(sets, weights=object_weights(numbers, sets.n))


def read_weights(path: str | Path) -> dict[Label, float]:
    """The weights of a file with one object per line: object TAB weight."""
    sets = read_label_lists(Path(path))
    found: dict[Label, float] = {}
    for name, start, end in zip(sets.objects or (), sets.matrix.indptr, sets.matrix.indptr[1:], strict=False):
        fields = [str(sets.categories[at]) for at in sets.matrix.indices[start:end]]
        if name in found:
            raise InputError(f"{path}: object {name!r} has two lines; give it one weight")
        try:
            (field,) = fields
            found[name] = float(field)
        except ValueError:
            said = ", ".join(map(repr, fields)) or "nothing"
            raise InputError(
                f"{path}: object {name!r} has {said} for its weight; a line is the object, a TAB and one number"
            ) from None
    return found


def _by_name(sets: LabelSets, known: Mapping[Label, float]) -> list[float]:
    if sets.objects is None:
        raise InputError("weights are given by the names of objects, and the truth has none; give them in its order")
    absent = [name for name in sets.objects if name not in known]
    if absent:
        more = f" (and {len(absent) - 1} more)" if len(absent) > 1 else ""
        raise InputError(f"object {absent[0]!r} of the truth has no weight{more}; give every object one")
    return [known[name] for name in sets.objects]


def _column(source: Any, name: str, form: LabelSetFormat) -> dict[Label, float]:
    """The weight of each object from a column of rows, where all rows of an object must agree."""
    if form.object is None:
        raise InputError(
            f"weight {name!r} is the name of a column, and only rows have columns: name those of object and category, "
            "too (object=, category=), or give a weight per object"
        )
    tally = read_joint(source, truth=form.object, system=[name]).tally
    objects, weights = ([meaning(value, name) for value in labels] for labels in tally.labels)
    found: dict[Label, float] = {}
    for row, column in zip(*tally.codes, strict=True):
        label, weight = objects[row], weights[column]
        if label is None:
            continue  # said where the sets are read
        try:
            number = float(weight)
        except (TypeError, ValueError):
            raise InputError(f"object {label!r} has {weight!r} for its {name}; give it a number of 0 or more") from None
        if found.setdefault(label, number) != number:
            raise InputError(f"object {label!r} has two weights, {found[label]:g} and {number:g}; give it one")
    return found
