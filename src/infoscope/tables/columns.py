"""Columns of labels as callers have them: one value per row, whatever holds them, paired by position.

pandas aligns by index and everything else by position, so a pair of pandas objects whose indexes contradict the
positions is rejected (docs/decisions.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any

import numpy as np

from infoscope.errors import InputError
from infoscope.typing import LabelsLike

__all__ = ["check_pairing", "frame_columns", "one_column", "only_counts"]


def one_column(values: object, name: str) -> LabelsLike:
    """The values in one dimension: a frame of one column or an array of shape (n, 1) is squeezed.

    >>> one_column(np.array([[3], [1]]), "truth").tolist()
    [3, 1]
    """
    if isinstance(values, list):
        return values
    return _flat(values, name)


def _flat(values: Any, name: str) -> LabelsLike:
    if hasattr(values, "toarray") and getattr(values, "ndim", 1) == 2 and values.shape[1] != 1:
        raise InputError(
            f"{name} is a sparse matrix with {values.shape[1]} columns; give one label per row (for label sets use "
            "infoscope.multilabel)"
        )
    if isinstance(values, Mapping | Set):
        kind = "has named parts" if isinstance(values, Mapping) else "has no order"
        raise InputError(f"{name} is a {type(values).__name__}, which {kind}; give a sequence of labels, one per row")
    if hasattr(values, "mask") and isinstance(values, np.ma.MaskedArray):  # which NumPy loads when it is asked for
        values = _without_masked(values)
    if hasattr(values, "detach") and hasattr(values, "cpu"):  # a tensor, maybe on a device, maybe with a gradient
        values = values.detach().cpu().numpy()
    elif type(values).__module__.partition(".")[0] == "cupy":  # it becomes an array only by an explicit call
        values = values.get()
    if hasattr(type(values), "columns") or hasattr(type(values), "column_names"):
        return _only_column(values, name)
    if getattr(values, "ndim", 1) == 2 and hasattr(values, "toarray") and values.shape[1] == 1:
        values = values.toarray()  # a sparse column
    if getattr(values, "ndim", 1) == 2 and hasattr(values, "reshape") and values.shape[1] == 1:
        return (np.asarray(values) if isinstance(values, np.ndarray) else values).reshape(-1)
    return values


def frame_columns(values: Any) -> dict[str, Any] | None:
    """The columns of a data frame by name; None for what is no frame, or has no rows yet."""
    names = getattr(values, "column_names", None) if hasattr(type(values), "column_names") else None
    if names is None and hasattr(type(values), "columns"):
        names = values.columns
    ways = [way for way in ("iloc", "column", "to_series") if hasattr(values, way)]
    if names is None or not ways:
        return None
    columns = {str(name): at for at, name in enumerate(names)}
    if len(columns) < len(names):
        raise InputError("two columns of the frame have the same name; rename one of them")
    if ways[0] == "iloc":
        return {name: values.iloc[:, at] for name, at in columns.items()}
    return {
        name: (values.column if hasattr(values, "column_names") else values.to_series)(at)
        for name, at in columns.items()
    }


def _without_masked(values: Any) -> Any:
    """The plain array; what is masked is missing."""
    mask = np.ma.getmaskarray(values)
    if not mask.any():
        return np.ma.getdata(values)
    plain = np.ma.getdata(values).astype(object)
    plain[mask] = None
    return plain


def _only_column(frame: Any, name: str) -> Any:
    if not any(hasattr(frame, way) for way in ("iloc", "column", "to_series")):  # lazy frames, relations of a database
        raise InputError(
            f"{name} is a {type(frame).__name__}, which has no rows yet; collect it, or use infoscope.read"
        )
    columns = list(frame.column_names if hasattr(frame, "column_names") else frame.columns)
    if len(columns) != 1:
        shown = ", ".join(map(repr, columns[:4])) + (", …" if len(columns) > 4 else "")
        raise InputError(
            f"{name} is a data frame of {len(columns)} columns{f' ({shown})' if columns else ''}; give one column, "
            "with one label per row"
        )
    if hasattr(frame, "iloc"):
        return frame.iloc[:, 0]
    return frame.column(0) if hasattr(frame, "column_names") else frame.to_series(0)


def check_pairing(one: object, others: Mapping[str, Any], name: str = "truth") -> None:
    """Reject any two pandas objects whose indexes say that rows at the same position do not belong together.

    Equal indexes pair by position, and so do objects of which one has no index, an index that only counts the rows
    (0, 1, …), or an index without a key of the other's. The same keys in another order, and keys of which only some
    are shared, contradict the positions. Each is compared with the first few that differ: a hundred systems that each
    have an index of their own would take minutes.
    """
    known: list[tuple[str, Any]] = []
    for other, values in ((name, one), *others.items()):
        index = _index_of(values)
        if index is None or any(index is earlier or earlier.equals(index) for _, earlier in known):
            continue
        for called, earlier in known[:_COMPARED]:
            _check_indexes((called, earlier), (str(other), index))
        known.append((str(other), index))


_COMPARED = 4
"""Different indexes with which each further one is compared."""


def _check_indexes(one: tuple[str, Any], other: tuple[str, Any]) -> None:
    """Reject two different indexes of one length that contradict each other."""
    (first, left), (second, right) = one, other
    if len(right) != len(left):
        return
    shared, back = _shared(left, right), _shared(right, left)
    if shared.all() and back.all():
        fault, way_out = "hold the same keys in another order", ".loc[{}.index]"
    elif only_counts(left) or only_counts(right) or not shared.any():
        return
    else:
        fault, way_out = "share only some of their keys", ".reindex({}.index)"
    typed = (first, second) if first.isidentifier() and second.isidentifier() else ("one", "other")
    raise InputError(
        f"{first} and {second} are pandas objects whose indexes {fault}, and rows pair by position; align them, for "
        f"example with {typed[1]}{way_out.format(typed[0])}, or pass both as .to_numpy() if the positions are right"
    )


def _index_of(values: Any) -> Any:
    index = getattr(values, "index", None)
    return index if hasattr(index, "equals") and hasattr(index, "isin") else None


def only_counts(index: Any) -> bool:
    """Whether an index is 0, 1, … and so says nothing about the rows."""
    return getattr(index.dtype, "kind", "") in "iu" and bool((np.asarray(index) == np.arange(len(index))).all())


def _shared(one: Any, other: Any) -> Any:
    """Which keys of one index the other has."""
    try:
        return np.asarray(one.isin(other))
    except (TypeError, ValueError):  # indexes of several levels against plain ones
        return np.zeros(len(one), dtype=bool)
