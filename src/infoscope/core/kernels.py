"""Work on long columns of numbers that is compiled; each function says None where the compiled part may not do it."""

from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from infoscope.core.native_code import compiled_part, is_native_wanted

__all__ = ["RankedScores", "decimal_columns", "rank_scores"]


def _compiled() -> ModuleType | None:
    return compiled_part("_kernels") if is_native_wanted() else None


def decimal_columns(text: str, delimiter: str, columns: int) -> NDArray[np.float64] | None:
    r"""The first columns of rows of decimal numbers, a row per line; None where others must read the text.

    >>> table = decimal_columns("1,2.5,x\n2,3.5,y\n", ",", 2)
    >>> table is None or table.tolist() == [[1.0, 2.5], [2.0, 3.5]]
    True
    """
    compiled = _compiled()
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
    """Scores sorted by their digits, both zeros being one score; none is NaN.

    >>> found = rank_scores(np.array([0.2, 0.9, 0.2]), np.array([True, True, False]))
    >>> found is None or [side.tolist() for side in found] == [[0.9, 0.2], [1, 2], [1, 3]]
    True
    """
    compiled = _compiled()
    if compiled is None:
        return None
    size = len(scores)
    found = RankedScores(np.empty(size), np.empty(size, dtype=np.int64), np.empty(size, dtype=np.int64))
    given = np.require(scores, np.float64, ["C", "A"]), np.require(is_positive, np.bool_, ["C"])
    levels = compiled.rank(*given, np.empty(size, dtype=np.uint64), *found)
    return RankedScores(found.thresholds[:levels], found.hits[:levels], found.reached[:levels])
