"""Compiled parts of the package: if they may be used, if they are here, and the work they do on long columns.

``rank_scores`` and ``decimal_columns`` return None where the compiled part may not do it, and their callers do the same
with NumPy. The compiled reader of Parquet is ``readers._packed``; the sources of both are in ``native/``.
"""

import os
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from infoscope.errors import InputError

SWITCH = "INFOSCOPE_NATIVE"
"""The environment variable that keeps compiled code away from all work."""
_SWITCHED = (
    {"": True} | dict.fromkeys(("1", "true", "yes", "on"), True) | dict.fromkeys(("0", "false", "no", "off"), False)
)


def is_native_wanted(native: bool | None = None) -> bool:
    """Return True if compiled parts may be used: as an option says, else as the environment does, else yes."""
    if native is not None:
        return native
    word = os.environ.get(SWITCH, "")
    if word.strip().lower() not in _SWITCHED:
        raise InputError(f"{SWITCH} is {word!r}; set it to 0 (no compiled code is used) or to 1, or unset it")
    return _SWITCHED[word.strip().lower()]


def import_compiled_part(name: str) -> ModuleType | None:
    """Return a compiled module of the package by its name; None where the installation has none."""
    try:
        return import_module(f"infoscope.{name}")
    except ImportError:
        return None


def decimal_columns(text: str, delimiter: str, columns: int) -> NDArray[np.float64] | None:
    r"""Read the first columns of rows of decimal numbers, a row per line; None where others must read the text.

    >>> table = decimal_columns("1,2.5,x\n2,3.5,y\n", ",", 2)
    >>> table is None or table.tolist() == [[1.0, 2.5], [2.0, 3.5]]
    True
    """
    compiled = import_compiled_part("_kernels") if is_native_wanted() else None
    if compiled is None:
        return None
    content = text.encode(errors="surrogatepass")
    values = np.empty((columns, content.count(b"\n") + content.count(b"\r") + 1))
    rows = compiled.decimals(content, ord(delimiter), columns, values)
    return values[:, :rows].T if rows >= 0 else None


class RankedScores(NamedTuple):
    """Distinct scores from the highest down; how many positives, and how many samples, reach each."""

    thresholds: NDArray[np.float64]
    hits: NDArray[np.int64]
    reached: NDArray[np.int64]


def rank_scores(scores: NDArray[Any], is_positive: NDArray[np.bool_]) -> RankedScores | None:
    """Sort scores by their digits, both zeros being one score; none is NaN.

    >>> ranked = rank_scores(np.array([0.2, 0.9, 0.2]), np.array([True, True, False]))
    >>> ranked is None or [side.tolist() for side in ranked] == [[0.9, 0.2], [1, 2], [1, 3]]
    True
    """
    compiled = import_compiled_part("_kernels") if is_native_wanted() else None
    if compiled is None:
        return None
    size = len(scores)
    ranked = RankedScores(np.empty(size), np.empty(size, dtype=np.int64), np.empty(size, dtype=np.int64))
    given = np.require(scores, np.float64, ["C", "A"]), np.require(is_positive, np.bool_, ["C"])
    levels = compiled.rank(*given, np.empty(size, dtype=np.uint64), *ranked)
    return RankedScores(ranked.thresholds[:levels], ranked.hits[:levels], ranked.reached[:levels])
