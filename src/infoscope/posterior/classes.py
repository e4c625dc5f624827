"""Belief about each class and each output: how it is treated, and how often rightly.

Given its total, a row (or column) of a Dirichlet table is a Dirichlet again. Mean and variance of the entropy within a
row are closed form, and the share of one of its cells is a Beta variable, so that H(S|T=i), recall, H(T|S=j) and
precision need no draws.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from infoscope.metrics.shannon import cell_terms
from infoscope.posterior.arrays import Array, Indices, group_sums
from infoscope.posterior.exact.dirichlet import DirichletBelief, ExactBelief, MixtureBelief
from infoscope.posterior.exact.second_order import MomentParts, dominant, gaps
from infoscope.posterior.exact.special import excess_and_spread
from infoscope.posterior.measures import allowing_for
from infoscope.posterior.proportions import summarize_proportion
from infoscope.posterior.summary import Summary, beta_limits, summarize_draws
from infoscope.tables import Contingency

if TYPE_CHECKING:
    from infoscope.posterior.posterior import Posterior

__all__ = [
    "SIDES",
    "WITHIN",
    "GroupMoments",
    "Side",
    "by_class",
    "class_values",
    "drawn_by_class",
    "group_entropies",
    "group_shares",
    "mixed_groups",
]


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


Side = Literal["truth", "system"]
SIDES: tuple[Side, ...] = ("truth", "system")
_PREFIX = {"truth": "class", "system": "output"}
_NAMES = {"truth": ("false_information", "recall"), "system": ("missed_information", "precision")}
#: metrics that are closed form given the total of their class
WITHIN: dict[str, tuple[Side, str]] = {
    "class_false_information": ("truth", "false_information"),
    "class_recall": ("truth", "recall"),
    "output_missed_information": ("system", "missed_information"),
    "output_precision": ("system", "precision"),
}
_BITS = 1 / np.log(2.0)


def by_class(posterior: Posterior, side: Side, level: float) -> dict[str, Summary]:
    """Entropy within each row (or column) in bits, and the share of its matching cell."""
    belief = posterior.belief
    name, rate = _NAMES[side]
    is_counted = posterior.is_counted(f"{_PREFIX[side]}_{rate}")
    by_count = {rate: summarize_proportion(f"{_PREFIX[side]}_{rate}", posterior.table, level)} if is_counted else {}
    if not isinstance(belief, ExactBelief) or drawn_by_class(posterior, side):
        drawn = [summarize_draws(values, level) for values in posterior.class_draws(side)]
        if not isinstance(belief, ExactBelief) and posterior.origin.total:
            k, m = posterior.table.shape
            sample = class_values(posterior.table.with_cells(posterior.table.cells[None]), side)
            most = (float(np.log2(m if side == "truth" else k)), 1.0)
            drawn = [
                allowing_for(found, values[0], belief.doubt, (0.0, end))
                for found, values, end in zip(drawn, sample, most, strict=True)
            ]
        return dict(zip((name, rate), drawn, strict=True)) | by_count
    if isinstance(belief, MixtureBelief):
        parts = [(w, _moments(component, side)) for w, component in belief.components]
        open_, right = (mixed_groups([(w, part[i]) for w, part in parts]) for i in (0, 1))
    else:
        open_, right = _moments(belief, side)
    k, m = posterior.origin.shape
    ends = (float(np.log2(m if side == "truth" else k)), 1.0)
    entropy = GroupMoments(open_.mean * _BITS, open_.variance * _BITS**2)
    moments = zip(_NAMES[side], (entropy, right), ends, strict=True)
    return {key: _summary(part, end, level) for key, part, end in moments} | by_count


def _moments(belief: DirichletBelief, side: Side) -> tuple[GroupMoments, GroupMoments]:
    table = belief.table
    groups = table.cell_rows if side == "truth" else table.cell_columns
    size, width = table.shape if side == "truth" else table.shape[::-1]
    v = belief.concentrations
    others = np.zeros(size)
    prior = 0.0
    if table.is_sparse:
        prior = float(belief.prior)
        others = width - group_sums(groups, np.ones(v.size), size)
    total = group_sums(groups, v, size) + others * prior
    rows, columns = table.matches
    part = np.full(size, np.nan)
    part[rows if side == "truth" else columns] = table.diagonal + _prior_of_matches(belief)
    return group_entropies(groups, v, (others, prior)), group_shares(part, total)


def _prior_of_matches(belief: DirichletBelief) -> float | Array:
    return belief.prior if isinstance(belief.prior, float) else belief.prior[belief.table.matches]


def _summary(moments: GroupMoments, end: float, level: float) -> Summary:
    sd = np.sqrt(moments.variance)
    unknown = np.isnan(moments.mean)
    mean = np.where(unknown, 0.0, moments.mean)
    low, high = beta_limits(mean, np.where(unknown, 0.0, sd), np.asarray(end), level)
    hide = np.where(unknown, np.nan, 0.0)
    return Summary(moments.mean, sd, low + hide, high + hide)


def drawn_by_class(posterior: Posterior, side: Side) -> bool:
    """Whether one side's classes have no closed form: under a tree, or re-weighted within."""
    recipe = posterior.table.reweighting
    return not isinstance(posterior.belief, ExactBelief) or (recipe is not None and recipe.axis != side)


def class_values(block: Contingency, side: Side) -> tuple[Array, Array]:
    """Entropy within each row (or column) in bits and the share of its matching cell, (draws, classes)."""
    terms = cell_terms(block)
    totals, shares = (
        (block.row_totals, block.row_shares) if side == "truth" else (block.column_totals, block.column_shares)
    )
    sums = block.per_row(terms) if side == "truth" else block.per_column(terms)
    occupied = totals > 0
    whole = np.where(occupied, shares, np.nan)
    entropy = np.maximum(np.log2(whole) - sums / whole, 0.0)
    rows, columns = block.matches
    at = rows if side == "truth" else columns
    right = np.full(totals.shape, np.nan)
    right[:, at] = block.diagonal / np.where(occupied, totals, np.nan)[:, at]
    return entropy, right
