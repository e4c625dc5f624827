"""What one sample more in the right place is worth, in bits."""

from typing import NamedTuple

import numpy as np

from infoscope.errors import InputError, check_at_most
from infoscope.numeric import Real, as_real
from infoscope.tables import Contingency

__all__ = ["Move", "best_moves", "gain_of_move", "move_derivative", "move_sentences"]


class Move(NamedTuple):
    """One sample of a truth class taken from one prediction to another, and what that does to I(T;S)."""

    truth: int
    source: int
    target: int
    gain: float


def _xlog2x(x: Real) -> Real:
    return x * np.log2(np.where(x > 0, x, 1.0))


def _single(table: Contingency) -> Real:
    if table.support is not None or table.batch_shape:
        raise InputError("moves of single samples are computed for one table with few classes")
    return as_real(table.values)


def gain_of_move(table: Contingency) -> Real:
    """Exact change of I(T;S), in bits, when one sample of class i moves from prediction j to prediction j': (k, m, m).

    NaN where cell (i, j) has no whole sample to move. The row sums stay, so only the two cells and their two
    columns change: the difference is exact, also at empty cells, where the derivative diverges.
    """
    cells, columns = _single(table), table.column_totals
    leave = _xlog2x(np.maximum(cells - 1, 0)) - _xlog2x(cells)
    leave = leave - (_xlog2x(np.maximum(columns - 1, 0)) - _xlog2x(columns))
    arrive = (_xlog2x(cells + 1) - _xlog2x(cells)) - (_xlog2x(columns + 1) - _xlog2x(columns))
    gain = (leave[:, :, None] + arrive[:, None, :]) / table.grand_total
    gain[:, np.arange(table.shape[1]), np.arange(table.shape[1])] = 0.0
    gain[cells < 1] = np.nan
    return gain


def move_derivative(table: Contingency) -> Real:
    """First-order change of I(T;S), in bits per sample moved (Hu & Wang, equations 27-30, for any table).

    (1/n)·[log(D_ij'/D_·j') − log(D_ij/D_·j)]; NaN where a cell concerned is empty, because there the derivative
    does not exist and the paper's sign rule can point the wrong way.
    """
    cells = _single(table)
    share = np.divide(cells, table.column_totals, out=np.full_like(cells, np.nan), where=cells > 0)
    logs = np.log2(share)
    return (logs[:, None, :] - logs[:, :, None]) / table.grand_total


def best_moves(table: Contingency, most: int = 10) -> list[Move]:
    """The corrections worth most: one sample of a class from a wrong prediction to its own label."""
    check_at_most(most)
    gains = gain_of_move(table)
    own = {int(i): int(j) for i, j in zip(*table.matches, strict=True)}
    moves = [
        Move(i, j, right, float(gains[i, j, right]))
        for i, right in own.items()
        for j in range(table.shape[1])
        if j != right and not np.isnan(gains[i, j, right])
    ]
    return sorted(moves, key=lambda move: -move.gain)[:most]


def move_sentences(table: Contingency, most: int = 10) -> list[str]:
    """The ranked corrections in words, the most valuable first; bits are the change of I(T;S) per sample of the table.

    >>> table = Contingency.from_matrix([[90, 0], [1, 9]], truth=["healthy", "ill"])
    >>> print(move_sentences(table)[0])
    fixing one sample of class 'ill' now called 'healthy' is worth 0.0794 bits
    """
    return [
        f"fixing one sample of class {table.truth_labels[move.truth]!r} now called "
        f"{table.system_labels[move.source]!r} {_worth(move.gain)}"
        for move in best_moves(table, most)
    ]


def _worth(gain: float) -> str:
    if gain > 0:
        return f"is worth {gain:.3g} bits"
    return f"costs {-gain:.3g} bits: the wrong prediction tells as much" if gain < 0 else "changes nothing"
