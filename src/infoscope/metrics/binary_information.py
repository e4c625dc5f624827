"""Information in many two-by-two tables at once, from three counts each."""

from dataclasses import dataclass

import numpy as np

from infoscope.core.numerics import Real, as_real, surprise
from infoscope.metrics.chance import expected_cell_information


def binary_entropy(count: Real, total: Real | float) -> Real:
    """Bits of one yes/no decision that is yes ``count`` times out of ``total``.

    >>> [float(x) for x in binary_entropy(np.array([0.0, 2.0, 4.0]), 4.0)]
    [0.0, 1.0, 0.0]
    """
    yes = as_real(count)
    few = np.maximum(np.minimum(yes, total - yes) / total, 0.0)
    return (few - 1.0) * np.log1p(-few) / np.log(2.0) - few * np.log2(np.where(few > 0, few, 1.0))


@dataclass(frozen=True, eq=False)
class BinaryTables:
    """Tables of yes/no truth against yes/no output: how often both, truth, system said yes, and how often asked.

    The arrays broadcast, so that a matrix of joint counts with a column of truth counts and a row of system counts is
    all pairs of categories at once.

    >>> tables = BinaryTables(np.array([2.0, 5.0]), np.array([5.0, 5.0]), np.array([2.0, 12.0]), 50.0)
    >>> [round(float(x), 4) for x in tables.information / tables.truth_entropy]
    [0.3096, 0.4986]
    """

    both: Real
    truth: Real
    system: Real
    total: Real | float

    @property
    def truth_entropy(self) -> Real:
        """Bits that the truth holds."""
        return binary_entropy(self.truth, self.total)

    @property
    def expected(self) -> Real:
        """Samples on which both would say yes by chance."""
        return self.truth * self.system / self.total

    @property
    def sign(self) -> Real:
        """1 where yes goes with yes, -1 where yes goes with no, 0 where neither."""
        # both sides are whole numbers below 2^53, so equality is decided exactly
        return np.sign(self.both * self.total - self.truth * self.system)

    @property
    def information(self) -> Real:
        """Shared bits; exactly the entropy where one side determines the other."""
        # from cells that are small where the others are large: differences of products have their digits
        lacking, silent = self.total - self.truth, self.total - self.system
        missed, false = self.truth - self.both, self.system - self.both
        away = np.asarray((self.both * (lacking - false) - missed * false) / self.total)
        nats = surprise(away, self.expected)
        nats += surprise(-away, self.truth * silent / self.total)
        nats += surprise(-away, lacking * self.system / self.total)
        nats += surprise(away, lacking * silent / self.total)
        truth, system = self.truth_entropy, binary_entropy(self.system, self.total)
        bits = np.minimum(nats / (self.total * np.log(2.0)), np.minimum(truth, system))
        same = (self.both == self.truth) & (self.both == self.system)
        opposite = (self.both == 0) & (self.truth + self.system == self.total)
        return np.where(same | opposite, truth, np.where(self.sign == 0, 0.0, bits))

    @property
    def expected_information(self) -> Real:
        """Mean of the shared bits when the system's predictions are dealt to the objects at random."""
        truth, system = np.broadcast_arrays(as_real(self.truth), as_real(self.system))
        shape, total = truth.shape, float(np.max(self.total))
        truth, system = truth.ravel(), system.ravel()
        cells = sum(
            expected_cell_information(a, b, total) for a in (truth, total - truth) for b in (system, total - system)
        )
        return as_real(cells).reshape(shape)
