"""Row and column masses of a table with what its moments need of them."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from infoscope.posterior.arrays import Array
from infoscope.posterior.special import excess_and_spread

__all__ = ["Margins"]


@dataclass(frozen=True)
class Margins:
    """Row and column masses with the ε and θ of every margin."""

    rows: Array
    columns: Array
    excess_rows: Array
    excess_columns: Array
    excess_total: float
    spread_rows: Array
    spread_columns: Array
    spread_total: float

    @classmethod
    def of(cls, rows: Array, columns: Array) -> "Margins":
        """The margins of a table without empty rows or columns."""
        k = rows.size
        excess, spread = excess_and_spread(np.concatenate([rows, columns, [rows.sum()]]))
        return cls(
            rows=rows,
            columns=columns,
            excess_rows=excess[:k],
            excess_columns=excess[k:-1],
            excess_total=float(excess[-1]),
            spread_rows=spread[:k],
            spread_columns=spread[k:-1],
            spread_total=float(spread[-1]),
        )

    @cached_property
    def total(self) -> float:
        """V, the sum of all concentrations."""
        return float(self.rows.sum())

    @cached_property
    def of_rows(self) -> tuple[Array, Array]:
        """Masses of the rows, and their η and θ."""
        return self.rows, np.stack([self.rows * self.excess_rows, self.spread_rows])

    @cached_property
    def of_columns(self) -> tuple[Array, Array]:
        """The same of the columns."""
        return self.columns, np.stack([self.columns * self.excess_columns, self.spread_columns])

    @property
    def of_total(self) -> Array:
        """η and θ of V."""
        return np.array([self.total * self.excess_total, self.spread_total])

    @cached_property
    def truth_function(self) -> Array:
        """φ of the truth's entropy, for each row."""
        return np.log(self.total / self.rows) + self.excess_total - self.excess_rows

    @cached_property
    def system_function(self) -> Array:
        """φ of the system's entropy, for each column."""
        return np.log(self.total / self.columns) + self.excess_total - self.excess_columns

    @cached_property
    def means(self) -> tuple[float, float]:
        """E[H(T)] and E[H(S)]."""
        truth = self.rows @ self.truth_function / self.total
        return float(truth), float(self.columns @ self.system_function / self.total)

    @cached_property
    def centred(self) -> tuple[Array, Array]:
        """φ of truth and system, each less its mean."""
        truth, system = self.means
        return self.truth_function - truth, self.system_function - system
