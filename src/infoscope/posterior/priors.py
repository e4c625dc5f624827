"""Which prior a name, a number or an array stands for."""

from collections.abc import Callable
from typing import Any

import numpy as np

from infoscope.errors import InputError, UnknownNameError
from infoscope.posterior.arrays import Array
from infoscope.tables import Contingency
from infoscope.typing import PriorLike

__all__ = ["NAMES", "concentration", "default_name"]

#: concentration of each cell of a k × m table
NAMES: dict[str, Callable[[int, int], float]] = {
    "haldane": lambda _k, _m: 0.0,
    "perks": lambda k, m: 1.0 / (k * m),
    "jeffreys": lambda _k, _m: 0.5,
    "uniform": lambda _k, _m: 1.0,
}
LEARNT = ("mixture", "rows", "tree")


def default_name(table: Contingency) -> str:
    """Return the default: of classes that are predicted by name the tree, or rows by themselves where there are two.

    Of other tables it is Perks for up to three classes, else the mixture.

    Predictions that name no true class (a reject label that was not declared) do not matter for that.
    A tree draws whole tables. Where only occupied cells are stored (more than 2²⁰ cells) Perks takes its place:
    it keeps the accuracy right, which the mixture does not, and ``cautions`` says what it does not keep.

    >>> default_name(Contingency.from_matrix([[5, 1, 0], [0, 3, 2]]))
    'perks'
    """
    named = table.is_aligned or (table.labelled and len(table.matches[0]) == table.shape[0])
    if named and min(table.shape) > 1:
        return "perks" if table.is_sparse else "rows" if table.shape[0] == 2 else "tree"
    return "perks" if table.shape[0] <= 3 else "mixture"


def concentration(prior: PriorLike, table: Contingency) -> tuple[str, float | Array | None]:
    """The prior's name, and its concentration per cell; None where the data decide it."""
    if isinstance(prior, str):
        name = default_name(table) if prior == "default" else prior
        if name in LEARNT:
            return name, None
        if name not in NAMES:
            known = ", ".join(["default", *NAMES, *LEARNT])
            raise UnknownNameError(f"there is no prior {prior!r}; give one of {known}, a number or an array")
        return name, float(NAMES[name](*table.shape))
    values = _numbers(prior)
    if values.ndim == 0:
        _check(values.reshape(1, 1), table, "the prior")
        return f"{float(values):g} per cell", float(values)
    if values.shape != table.shape:
        k, m = table.shape
        raise InputError(
            f"the prior has shape {values.shape}, the table {k} truth × {m} system classes; "
            "give one number, or one for each cell"
        )
    _check(values, table, "the prior of truth {} as system {}")
    return "given per cell", values


def _numbers(prior: Any) -> Array:
    try:
        return np.array(prior, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"the prior is {prior!r}; give a name, a number per cell, or an array of numbers") from None


def _check(values: Array, table: Contingency, where: str) -> None:
    bad = np.argwhere(~np.isfinite(values) | (values < 0))
    if bad.size:
        i, j = bad[0]
        place = where.format(repr(table.truth_labels[i]), repr(table.system_labels[j]))
        raise InputError(f"{place} is {values[i, j]}; a prior must be finite and not negative")
