"""Laws of the logs of expected counts, and what a count leaves open of its own.

A class of which n samples were counted has n ~ Poisson(eˣ), and x follows a law that all classes share:

    normal      density ∝ exp(−(x − m)²/2s²)              long tails on both sides
    power law   density ∝ exp(−(x − m)/s) above m          few classes far above, none below: Zipf's law is s = 1

Either is integrated over nodes about the likeliest x of each count and as close to one another as the count is telling,
however many samples there are.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from infoscope.posterior.arrays import Array

__all__ = ["LogLaw", "NormalLogs", "PowerLaw"]

_NODES = np.linspace(-9.0, 5.0, 29)  # in sds: few samples leave a long tail below
_LAMBERT_STEPS = 4
_PLACES = (np.arange(60) + 0.5) / 60  # between the ends of what is left open
_FALL = 20.0  # nats by which the density at the ends lies below the largest


@dataclass(frozen=True)
class LogLaw(ABC):
    """Where the logs lie and how far they spread: as many laws as there are means and spreads."""

    mean: Array
    spread: Array

    @abstractmethod
    def _nodes(self, counts: Array) -> tuple[Array, Array, Array]:
        """Log of the largest density of each count, of n and x together; nodes; density there relative to it.

        Counts have a first axis of their own, the laws those behind it, and nodes the last.
        """

    def log_likelihood(self, counts: Array) -> Array:
        """Log probability of each count, up to the n! that no law changes."""
        top, logs, relative = self._nodes(counts)
        return np.asarray(top + np.log(relative.sum(-1) * (logs[..., 1] - logs[..., 0])))

    def nodes(self, counts: Array) -> tuple[Array, Array]:
        """Probability of each node given the count, and the log that it stands for, (counts, laws, nodes)."""
        _, logs, relative = self._nodes(counts)
        return relative / relative.sum(-1, keepdims=True), logs


class NormalLogs(LogLaw):
    """Logs that are normal."""

    def _nodes(self, counts: Array) -> tuple[Array, Array, Array]:
        best = self._likeliest(counts)
        sd = 1 / np.sqrt(np.exp(best) + self.spread**-2.0)
        away = sd[..., None] * _NODES
        relative = np.exp(-_poisson_fall(best[..., None], away) - 0.5 * (away / self.spread[..., None]) ** 2)
        top = counts * best - np.exp(best) - 0.5 * ((best - self.mean) / self.spread) ** 2
        return top - np.log(self.spread * np.sqrt(2 * np.pi)), best[..., None] + away, relative

    def _likeliest(self, counts: Array) -> Array:
        """By Lambert's equation: with w = s² eˣ, n − eˣ = (x − m)/s² is w + ln w = ln s² + m + s² n."""
        wanted = 2 * np.log(self.spread) + self.mean + self.spread**2 * counts
        w = np.where(wanted > 1, wanted - np.log(np.maximum(wanted, 1.0)), np.exp(np.minimum(wanted, 1.0) - 0.5))
        for _ in range(_LAMBERT_STEPS):
            w = w * (1 + wanted - np.log(w)) / (1 + w)
        return np.asarray(np.log(w) - 2 * np.log(self.spread))


class PowerLaw(LogLaw):
    """Logs that lie above a lower end, here the mean, by exponential variables: frequencies that follow a power law."""

    def _nodes(self, counts: Array) -> tuple[Array, Array, Array]:
        index = 1 / self.spread
        end = np.broadcast_to(self.mean, np.broadcast_shapes(np.shape(self.mean), np.shape(counts)))
        free = np.maximum(counts - index, 0.0)
        best = np.maximum(end, np.log(np.maximum(free, 1e-300)))
        size = np.exp(best)
        slope = counts - index - size  # 0 unless the likeliest is the end
        below = np.minimum(best - end, np.sqrt(2 * _FALL / size) + _FALL / size)
        above = (np.sqrt(slope**2 + 2 * _FALL * size) + np.minimum(slope, 0.0)) / size
        away = -below[..., None] + (below + above)[..., None] * _PLACES
        relative = np.exp(slope[..., None] * away - _poisson_fall(best[..., None], away))
        top = counts * best - size - index * (best - end) - np.log(self.spread)
        return top, best[..., None] + away, relative


def _poisson_fall(best: Array, away: Array) -> Array:
    """By how much −eˣ lies below its tangent, without large numbers to subtract."""
    return np.asarray(np.exp(best) * (np.expm1(away) - away))
