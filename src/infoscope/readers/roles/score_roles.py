"""Which columns hold the truth and the scores of its classes, for a sweep of thresholds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from infoscope.readers.roles.column_contents import ColumnContents
from infoscope.readers.roles.column_roles import ColumnRoles

__all__ = ["score_roles_of"]


def score_roles_of(
    rows: Mapping[str, Sequence[Any]],
    *,
    truth: str | None = None,
    scores: Sequence[str] = (),
    others: Sequence[str] = (),
) -> ColumnRoles:
    """The truth and one score of two classes, or one for each class, by names and contents; a question if unsure.

    >>> found = score_roles_of({"label": ["spam", "ham"] * 9, "probability": [0.9, 0.2, 0.4] * 6})
    >>> found.truth, found.scores, found.is_sure
    ('label', ('probability',), True)
    """
    columns = [ColumnContents.of(name, values) for name, values in rows.items() if name not in others]
    by_name = {column.name: column for column in columns}
    found = [by_name[name] for name in scores if name in by_name]
    found = found or [c for c in columns if c.is_score] or [c for c in columns if c.is_probability]
    true = _truth(columns, truth, found)
    size = max((len(column.texts) for column in columns), default=0)
    if isinstance(true, str):
        return ColumnRoles(scores=tuple(column.name for column in found), question=true, rows=size)
    reasons: tuple[str, ...] = ()
    if truth is None:
        reasons += (f"truth: {true.name!r} ({len(true.counts):,} classes: {true.described()})",)
    if not scores:
        reasons += (f"scores: {', '.join(repr(column.name) for column in found)} (numbers from 0 to 1)",)
    doubt = _doubt(true, found)
    if doubt is not None and len(true.counts) == 2:
        found = found[:1]  # scores of several systems, of which one is asked about at a time
    names = tuple(column.name for column in found)
    return ColumnRoles(true.name, scores=names, reasons=reasons, question=doubt, rows=size)


def _truth(
    columns: Sequence[ColumnContents], stated: str | None, scores: Sequence[ColumnContents]
) -> ColumnContents | str:
    """The column of the truth, or why there is none."""
    known = next((column for column in columns if column.name == stated), None)
    if known is not None:
        return known
    labels = [c for c in columns if c.is_labels and c not in scores and len(c.counts) > 1]
    named = [c for c in labels if c.truth_name >= 2]
    named = [c for c in named if c.truth_name == max(each.truth_name for each in named)]
    if len(named) == 1:
        return named[0]
    if named:
        return f"{' and '.join(repr(c.name) for c in named[:3])} may each be the truth"
    only = [c for c in labels if not c.is_named_prediction]
    if len(only) == 1 and len(columns) == len(scores) + 1:
        return only[0]
    return "no column looks like the truth"


def _doubt(truth: ColumnContents, scores: Sequence[ColumnContents]) -> str | None:
    classes = sorted(truth.counts)
    if not scores:
        return "no column looks like scores: numbers with fractions from 0 to 1"
    if len(scores) == 1:
        many = f"{scores[0].name!r} is one column of scores and {truth.name!r} has {len(classes):,} classes"
        return None if len(classes) == 2 else f"{many}: give one column for each class"
    stated = [next((name for name in classes if _ends(column.name, name)), None) for column in scores]
    if None in stated or sorted(filter(None, stated)) != classes:
        names = ", ".join(repr(column.name) for column in scores[:4])
        if len(classes) == 2:
            return f"{names} are several columns of scores, and {truth.name!r} has two classes: name one of them"
        return f"{names} are several columns of scores, and their names do not say one for each class of {truth.name!r}"
    return None


def _ends(column: str, label: str) -> bool:
    return column.lower() == label.lower() or column.lower().endswith((f"_{label.lower()}", f" {label.lower()}"))
