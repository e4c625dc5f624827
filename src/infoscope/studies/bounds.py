"""Bounds on the error and the information surface: what can be reached, as numbers for two pictures.

``figures/bounds.py`` draws them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from infoscope.core.numerics import Real
from infoscope.core.validation import KeywordHints, Number, validated
from infoscope.errors import InputError
from infoscope.metrics import bayes_error, error_rate, missed_information, proficiency
from infoscope.tables import Contingency


class ErrorPoint(NamedTuple):
    """One system against the bounds: the observed error may lie anywhere above the lower bound, the Bayes error not."""

    name: str
    missed: float
    error: float
    bayes_error: float


@dataclass(frozen=True)
class BoundCurves(KeywordHints):
    """Bounds on the error of the best decision, over the information missed, and the systems' errors among them."""

    missed: Real
    fano: Real
    tight_fano: Real
    hellman_raviv: Real
    points: tuple[ErrorPoint, ...]


@validated(points=Number(low=2, closed="low", whole=True))
def bound_curves(tables: Iterable[tuple[str, Contingency]], points: int = 201) -> BoundCurves:
    """Compute Fano's bounds from below, weak and tight, and Hellman and Raviv's from above.

    They are those of the systems' common number of classes.

    Parameters
    ----------
    tables : iterable of (str, Contingency)
        Systems by name.
    points : int, default 201
        Points of each curve.

    Returns
    -------
    BoundCurves
        The curves over the information missed, and each system's error among them.

    Raises
    ------
    InputError
        If there is no table.

    References
    ----------
    Fano (1961); Hellman & Raviv (1970).

    Examples
    --------
    >>> curves = bound_curves([("M4", Contingency.from_matrix([[78, 12], [0, 10]]))], points=3)
    >>> curves.hellman_raviv.tolist()
    [0.0, 0.375, 0.5]
    """
    named = list(tables)
    if not named:
        raise InputError("there is no system to hold against the bounds; give at least one table")
    classes = max(2, *(int(np.count_nonzero(table.row_totals)) for _, table in named))
    declared = max(2, *(table.shape[0] for _, table in named))
    # closer together at the end, where Fano's tight curve rises steeply
    missed = np.log2(classes) * (1.0 - np.linspace(1.0, 0.0, points) ** 2)
    # Fano's tight curve turned round: the error at which h(e) + e·log2(classes − 1) reaches the information missed
    low, high = np.zeros_like(missed), np.full_like(missed, 1 - 1 / classes)
    for _ in range(60):
        middle = (low + high) / 2
        inner = np.where((middle > 0) & (middle < 1), middle, 0.5)
        open_bits = -inner * np.log2(inner) - (1 - inner) * np.log2(1 - inner) + inner * np.log2(classes - 1)
        below = np.where(middle > 0, open_bits, 0.0) < missed
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return BoundCurves(
        missed=missed,
        fano=np.maximum(missed - 1.0, 0.0) / np.log2(declared),
        tight_fano=(low + high) / 2,
        hellman_raviv=missed / 2,
        points=tuple(
            ErrorPoint(name, float(missed_information(table)), float(error_rate(table)), float(bayes_error(table)))
            for name, table in named
        ),
    )


@dataclass(frozen=True)
class InformationSurface(KeywordHints):
    """Proficiency over true positive rate (rows) and true negative rate (columns), as in Hu & Wang's Figure 3.

    It is 0 along the line TPR + TNR = 1, where the prediction does not depend on the truth, and has a second peak at
    (0, 0), where all is wrong and renaming the outputs would correct it.
    """

    prevalence: float
    tpr: Real
    tnr: Real
    proficiency: Real


@validated(prevalence=Number(0, 1), points=Number(low=2, closed="low", whole=True))
def information_surface(prevalence: float, points: int = 101) -> InformationSurface:
    """Compute the proficiency of every pair of hit rates, for one share of positives, on an even grid.

    Parameters
    ----------
    prevalence : float
        Share of positives, between 0 and 1.
    points : int, default 101
        Points along each side.

    Returns
    -------
    InformationSurface
        Proficiency over true positive rate and true negative rate.

    Raises
    ------
    InputError
        If the prevalence is not between 0 and 1.

    References
    ----------
    Hu & Wang (2008), Figure 3.

    Examples
    --------
    >>> surface = information_surface(0.9, points=3)
    >>> print(surface.proficiency.tolist()[0][0], surface.proficiency.tolist()[2][2])
    1.0 1.0
    """
    rates = np.linspace(0.0, 1.0, points)
    tpr, tnr = np.meshgrid(rates, rates, indexing="ij")
    cells = np.empty((points, points, 2, 2))
    cells[..., 0, 0], cells[..., 0, 1] = prevalence * tpr, prevalence * (1 - tpr)
    cells[..., 1, 0], cells[..., 1, 1] = (1 - prevalence) * (1 - tnr), (1 - prevalence) * tnr
    names = ("positive", "negative")
    tables = Contingency.from_matrix(cells, truth=names, system=names, positive="positive")
    return InformationSurface(prevalence, rates, rates, proficiency(tables))
