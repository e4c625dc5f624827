"""Each class by itself: given its total, a row (or column) of a Dirichlet table is a Dirichlet again.

Mean and variance of the entropy within a row are closed form, and the share of one of its cells is a Beta
variable, so that H(S|T=i), recall, H(T|S=j) and precision need no draws.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from infoscope.posterior.arrays import Array, Indices, group_sums
from infoscope.posterior.second_order import MomentParts, dominant, gaps
from infoscope.posterior.special import excess_and_spread

__all__ = ["GroupMoments", "group_entropies", "group_shares", "mixed_groups"]


class GroupMoments(NamedTuple):
    """Mean and variance of a number for each group; NaN for a group without any mass."""

    mean: Array
    variance: Array


def group_entropies(groups: Indices, v: Array, rest: tuple[Array, float]) -> GroupMoments:
    """Entropy within each group, in nats, of concentrations ``v`` with the group each belongs to.

    ``rest`` says how many further cells each group has and what concentration each of them holds.

    >>> rows, v = np.array([0, 0, 1, 1]), np.array([1.0, 1.0, 3.0, 0.0])
    >>> means = group_entropies(rows, v, (np.zeros(2), 0.0)).mean
    >>> print(f"{means[0]:.4f} {means[1]:.4f}")  # uniform share: 1/2 nat; a single cell: nothing
    0.5000 0.0000
    """
    others, prior = rest
    size = others.size
    total = group_sums(groups, v, size) + others * prior
    excess, spread = excess_and_spread(np.append(v, prior))
    whole = np.where(total > 0, total, 1.0)
    excess_total, spread_total = excess_and_spread(whole)
    at = whole[groups]
    filled = np.where(v > 0, v, 1.0)
    function = np.log(at / filled) + excess_total[groups] - excess[:-1]
    unseen = np.log(whole / prior) + excess_total - excess[-1] if prior > 0 else np.zeros(size)
    weight, weight_unseen = v / at, others * prior / whole
    mean = group_sums(groups, weight * function, size) + weight_unseen * unseen
    centred = function - mean[groups]
    first = group_sums(groups, weight * centred**2, size) + weight_unseen * (unseen - mean) ** 2
    second = group_sums(groups, spread[:-1], size) + others * spread[-1] - spread_total
    largest = np.zeros(size)
    np.maximum.at(largest, groups, v)
    if dominant(largest, whole).size:
        values, elsewhere = np.stack([v * excess[:-1], spread[:-1]]), np.array([prior * excess[-1], spread[-1]])
        second = gaps(MomentParts(groups, v, values), size, (others * prior, np.multiply.outer(elsewhere, others)))[1]
    variance = np.maximum((first + second / whole) / (whole + 1), 0.0)
    known = total > 0
    return GroupMoments(np.where(known, mean, np.nan), np.where(known, variance, np.nan))


def group_shares(part: Array, total: Array) -> GroupMoments:
    """Share of one cell in its group: Beta(part, total − part)."""
    whole = np.where(total > 0, total, np.nan)
    mean = part / whole
    return GroupMoments(mean, mean * (1 - mean) / (whole + 1))


def mixed_groups(parts: Sequence[tuple[float, GroupMoments]]) -> GroupMoments:
    """The same under a mixture of beliefs."""
    mean = sum((w * p.mean for w, p in parts), start=np.zeros_like(parts[0][1].mean))
    variance = sum((w * (p.variance + (p.mean - mean) ** 2) for w, p in parts), start=np.zeros_like(mean))
    return GroupMoments(mean, variance)
