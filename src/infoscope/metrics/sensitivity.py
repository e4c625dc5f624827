"""Sensitivity of the mutual information: what one sample more in the right place is worth, in bits.

``gain_of_move`` gives the exact change for every move of one sample between predictions, ``move_derivative`` and
``sign_rule`` the first-order forms of Hu & Wang (2008, equations 27 to 30); ``best_moves`` ranks corrections.
"""

from typing import NamedTuple

import numpy as np

from infoscope.core.numerics import Real, as_real
from infoscope.core.validation import Number, validated
from infoscope.errors import InputError
from infoscope.tables import Contingency
from infoscope.tables.labels import Label


@validated()
def gain_of_move(table: Contingency) -> Real:
    """Exact change of I(T;S), in bits, when one sample of class i moves from prediction j to prediction j': (k, m, m).

    The row sums stay, so only the two cells and their two columns change: the difference is exact, also at empty cells,
    where the derivative diverges.

    Parameters
    ----------
    table : Contingency
        One table whose cells are all stored.

    Returns
    -------
    ndarray of shape (k, m, m)
        Change by true class, old and new prediction; NaN where cell (i, j) has no whole sample to move.

    Raises
    ------
    InputError
        If the table is sparse or a batch.

    Examples
    --------
    >>> gains = gain_of_move(Contingency.from_matrix([[90, 0], [1, 9]]))
    >>> print(f"{gains[1, 0, 1]:.4f}")
    0.0794
    """
    cells, columns = _dense_cells(table), table.column_totals
    leave = _xlog2x(np.maximum(cells - 1, 0)) - _xlog2x(cells)
    leave = leave - (_xlog2x(np.maximum(columns - 1, 0)) - _xlog2x(columns))
    arrive = (_xlog2x(cells + 1) - _xlog2x(cells)) - (_xlog2x(columns + 1) - _xlog2x(columns))
    gain = (leave[:, :, None] + arrive[:, None, :]) / table.grand_total
    gain[:, np.arange(table.shape[1]), np.arange(table.shape[1])] = 0.0
    gain[cells < 1] = np.nan
    return gain


def _xlog2x(x: Real) -> Real:
    return x * np.log2(np.where(x > 0, x, 1.0))


def _dense_cells(table: Contingency) -> Real:
    if table.support is not None or table.batch_shape:
        raise InputError("moves of single samples are computed for one table with few classes")
    return as_real(table.values)


@validated()
def move_derivative(table: Contingency) -> Real:
    """First-order change of I(T;S), in bits per sample moved (Hu & Wang, equations 27-30, for any table).

    (1/n)·[log(D_ij'/D_·j') − log(D_ij/D_·j)]. At empty cells the derivative does not exist and the paper's sign rule
    (``sign_rule``) can point the wrong way.

    Parameters
    ----------
    table : Contingency
        One table whose cells are all stored.

    Returns
    -------
    ndarray of shape (k, m, m)
        Change by true class, old and new prediction; NaN where a cell concerned is empty.

    Raises
    ------
    InputError
        If the table is sparse or a batch.

    Examples
    --------
    >>> derivative = move_derivative(Contingency.from_matrix([[8, 2], [2, 8]]))
    >>> print(f"{derivative[0, 1, 0]:.2f} bits")
    0.10 bits
    """
    cells = _dense_cells(table)
    share = np.divide(cells, table.column_totals, out=np.full_like(cells, np.nan), where=cells > 0)
    logs = np.log2(share)
    return (logs[:, None, :] - logs[:, :, None]) / table.grand_total


@validated()
def sign_rule(table: Contingency) -> Real:
    """Hu & Wang's sensitivities as they print them, in bits per sample moved, for any table: (k, m, m).

    (1/n)·[sgn(D_ij')·log(D_ij'/D_·j') − sgn(D_ij)·log(D_ij/D_·j)]: the logarithm of an empty cell counts as 0, so that
    every move has a number. At such cells it is no derivative: the exact change is ``gain_of_move``.

    Parameters
    ----------
    table : Contingency
        One table whose cells are all stored.

    Returns
    -------
    ndarray of shape (k, m, m)
        Change by true class, old and new prediction.

    Raises
    ------
    InputError
        If the table is sparse or a batch.

    Examples
    --------
    >>> perfect = Contingency.from_matrix([[90, 0], [0, 10]])
    >>> print(f"{sign_rule(perfect)[0, 0, 1]:.4f} by the rule, {gain_of_move(perfect)[0, 0, 1]:.4f} in truth")
    0.0000 by the rule, -0.0483 in truth
    """
    cells = _dense_cells(table)
    share = np.divide(cells, table.column_totals, out=np.ones_like(cells), where=cells > 0)
    logs = np.log2(share)
    return (logs[:, None, :] - logs[:, :, None]) / table.grand_total


class Sensitivity(NamedTuple):
    """Effect of moving one sample of a class to another prediction on I(T;S): as printed, and exactly."""

    truth: Label
    source: Label
    target: Label
    by_rule: float
    """Hu & Wang's equations 27 to 30 with their sign rule, in bits."""
    exact: float
    """The change itself; NaN where no whole sample can be moved."""
    valid: bool
    """True if the rule is a derivative here: neither cell is empty."""

    def __str__(self) -> str:
        true = "there is no sample to move" if np.isnan(self.exact) else f"the exact change is {self.exact:+.4g} bits"
        doubt = "" if self.valid else ", which is no derivative at an empty cell"
        return (
            f"a sample of {self.truth!r} from {self.source!r} to {self.target!r}: {self.by_rule:+.4g} bits by the sign "
            f"rule{doubt}; {true}"
        )


@validated()
def sensitivities(table: Contingency) -> list[Sensitivity]:
    """List every move of one sample, by the printed rule beside the exact change; of two classes dI/dTP to dI/dU2.

    Parameters
    ----------
    table : Contingency
        One table whose cells are all stored.

    Returns
    -------
    list of Sensitivity
        Moves in the order of true class, old and new prediction.

    Raises
    ------
    InputError
        If the table is sparse or a batch.

    Examples
    --------
    >>> table = Contingency.from_matrix([[90, 0], [1, 9]], truth=["healthy", "ill"])
    >>> first = sensitivities(table)[0]
    >>> print(f"{first.truth} called {first.target}: {first.by_rule:+.5f} as printed, {first.exact:+.5f} exactly")
    healthy called ill: +0.00016 as printed, -0.04674 exactly
    """
    cells, printed, exact = _dense_cells(table), sign_rule(table), gain_of_move(table)
    truth, system = table.truth_labels, table.system_labels
    return [
        Sensitivity(
            truth[i], system[j], system[to], float(printed[i, j, to]), float(exact[i, j, to]),
            bool(cells[i, j] > 0 and cells[i, to] > 0),
        )
        for i, j, to in np.ndindex(exact.shape)
        if j != to
    ]  # fmt: skip


class Move(NamedTuple):
    """One sample of a true class taken from one prediction to another, and what that does to I(T;S)."""

    truth: int
    source: int
    target: int
    gain: float


@validated(most=Number(low=0, closed="low", whole=True))
def best_moves(table: Contingency, most: int = 10) -> list[Move]:
    """Rank the corrections: one sample of a class from a wrong prediction to its own label.

    Parameters
    ----------
    table : Contingency
        One table whose cells are all stored.
    most : int, default 10
        How many corrections to return at most.

    Returns
    -------
    list of Move
        Corrections with their gain in bits, the most valuable first.

    Raises
    ------
    InputError
        If the table is sparse or a batch, or ``most`` is no whole number of 0 or more.

    Examples
    --------
    >>> [move] = best_moves(Contingency.from_matrix([[90, 0], [1, 9]]))
    >>> print(f"from prediction {move.source} to {move.target}: {move.gain:.4f} bits")
    from prediction 0 to 1: 0.0794 bits
    """
    gains = gain_of_move(table)
    own = {int(i): int(j) for i, j in zip(*table.matches, strict=True)}
    moves = [
        Move(i, j, right, float(gains[i, j, right]))
        for i, right in own.items()
        for j in range(table.shape[1])
        if j != right and not np.isnan(gains[i, j, right])
    ]
    return sorted(moves, key=lambda move: -move.gain)[:most]


@validated(most=Number(low=0, closed="low", whole=True))
def move_sentences(table: Contingency, most: int = 10) -> list[str]:
    """Say the ranked corrections in words; bits are the change of I(T;S) per sample of the table.

    Parameters
    ----------
    table : Contingency
        One table whose cells are all stored.
    most : int, default 10
        How many sentences to return at most.

    Returns
    -------
    list of str
        One sentence per correction, the most valuable first.

    Raises
    ------
    InputError
        If the table is sparse or a batch, or ``most`` is no whole number of 0 or more.

    Examples
    --------
    >>> table = Contingency.from_matrix([[90, 0], [1, 9]], truth=["healthy", "ill"])
    >>> print(move_sentences(table)[0])
    fixing one sample of class 'ill' now called 'healthy' is worth 0.0794 bits
    """
    sentences = []
    for move in best_moves(table, most):
        if move.gain > 0:
            worth = f"is worth {move.gain:.3g} bits"
        elif move.gain < 0:
            worth = f"costs {-move.gain:.3g} bits: the wrong prediction tells as much"
        else:
            worth = "changes nothing"
        truth, source = table.truth_labels[move.truth], table.system_labels[move.source]
        sentences.append(f"fixing one sample of class {truth!r} now called {source!r} {worth}")
    return sentences
