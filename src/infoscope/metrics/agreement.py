"""Agreement of labels: how often, how much more often than by chance, and what rejected samples do to it.

Differences between what happened and chance are formed from totals; where a float would lose them, they are formed per
class or in whole numbers (``_beyond_chance``).
"""

from collections.abc import Iterable, Iterator
from operator import mul
from typing import Literal, NamedTuple

import numpy as np

from infoscope.core.numerics import Real, choose_values, clip_to_one, dot, mark_undefined, ratio, share, sum_others
from infoscope.errors import InputError
from infoscope.metrics.independence import divergence_from_independence, root_ratio, whole_margins
from infoscope.metrics.one_vs_rest import one_vs_rest, wrong_sums
from infoscope.metrics.registry import Card, Law, find, metric
from infoscope.metrics.shannon import entropies
from infoscope.tables import Contingency, remembered
from infoscope.tables.labels import Label
from infoscope.tables.transformations import select_classes

_LABELLED = frozenset({Law.SCALING, Law.JOINT_RELABELLING, Law.EMPTY_CLASS})
_NO_LABEL = "truth and predictions have no label in common, so no prediction is right or wrong"

# ── right and wrong ──────────────────────────────────────────────────────────────────────────────


@remembered
def hits(table: Contingency) -> Real:
    """Count samples that got their own label."""
    return mark_undefined(not len(table.matches[0]), table.diagonal.sum(axis=-1))


@remembered
def errors(table: Contingency) -> Real:
    """Count samples that got a wrong label, added up: beside very many hits a difference would lose them."""
    if table.adds_exactly:
        rejected = 0.0 if table.reject_column is None else table.column_totals[..., table.reject_column]
        return table.grand_total - hits(table) - rejected
    by_output = wrong_sums(table)[1]
    if table.reject_column is not None:
        by_output = np.delete(by_output, table.reject_column, axis=-1)
    return mark_undefined(not len(table.matches[0]), by_output.sum(axis=-1))


def misses(table: Contingency) -> Real:
    """Count samples not predicted as their own label, rejected ones included."""
    column = table.reject_column
    return errors(table) if column is None else errors(table) + table.column_totals[..., column]


@metric(
    Card(
        title="Accuracy",
        symbol="A",
        formula=r"\sum_i p_{ii}",
        source="common",
        aliases=("correct rate", "micro f1", "ACC"),
        laws=_LABELLED | {Law.PERFECT_IS_ONE, Law.EXCHANGE},
        undefined=_NO_LABEL,
    )
)
def accuracy(table: Contingency, *, normalize: bool = True) -> Real:
    """Fraction of all samples that are predicted correctly; a rejected sample is not correct.

    Without ``normalize``, their number.

    >>> print(f"{accuracy(Contingency.from_matrix([[15, 0, 5], [0, 15, 5], [0, 0, 20]])):.4f}")
    0.8333
    """
    return share(hits(table), misses(table)) if normalize else hits(table)


@metric(
    Card(
        title="Error rate",
        symbol="E",
        formula=r"1 - A - \mathrm{Rej}",
        source="hu2008",
        better="lower",
        laws=_LABELLED | {Law.PERFECT_IS_ZERO},
        undefined=_NO_LABEL,
    )
)
def error_rate(table: Contingency, *, normalize: bool = True) -> Real:
    """Fraction of all samples with a wrong prediction; rejected samples are neither right nor wrong.

    Accuracy, error rate and rejection rate sum to 1. Without ``normalize``, the number of wrong labels.

    >>> print(f"{error_rate(Contingency.from_matrix([[74, 6, 10], [0, 9, 1]], reject=2)):.2f}")
    0.06
    """
    return ratio(errors(table), hits(table) + misses(table)) if normalize else errors(table)


# ── beyond chance ────────────────────────────────────────────────────────────────────────────────


@metric(
    Card(
        title="Random accuracy",
        symbol="A_0",
        formula=r"\sum_i p_{i\cdot} p_{\cdot i}",
        source="cohen1960",
        better="none",
        aliases=("chance agreement", "expected accuracy", "RACC", "RP"),
        laws=_LABELLED | {Law.EXCHANGE},
        undefined=_NO_LABEL,
    )
)
def random_accuracy(table: Contingency) -> Real:
    """Accuracy of random predictions with the same frequencies as this system's.

    >>> print(f"{random_accuracy(Contingency.from_matrix([[81, 9], [9, 1]])):.2f}")
    0.82
    """
    rows, columns = table.row_shares, table.column_shares
    if not table.names_agree:
        rows, columns = (
            side.take(places, axis=-1) for side, places in zip((rows, columns), table.matches, strict=True)
        )
    return mark_undefined(not rows.shape[-1], np.minimum(dot(rows, columns), 1.0))


@metric(
    Card(
        title="Random accuracy of the true frequencies",
        symbol="RA",
        formula=r"\sum_i p_{i\cdot}^2",
        source="steingold2016",
        better="none",
        aliases=("accuracy of a random predictor with the actual marginals",),
        laws=frozenset({Law.SCALING, Law.RELABELLING, Law.EMPTY_CLASS}),
        note="Random accuracy takes the frequencies of the predictions instead; of several classes it is Σp².",
    )
)
def truth_random_accuracy(table: Contingency) -> Real:
    """Accuracy of random predictions with the frequencies of the true classes.

    >>> print(f"{truth_random_accuracy(Contingency.from_matrix([[90, 0], [10, 0]])):.2f}")
    0.82
    """
    return np.minimum(dot(table.row_shares, table.row_shares), 1.0)


KappaWeights = Literal["linear", "quadratic"]


@metric(
    Card(
        title="Cohen's kappa",
        symbol="κ",
        formula=r"\frac{A - A_0}{1 - A_0}",
        source="cohen1960",
        range=(-1.0, 1.0),
        aliases=("Cohen kappa",),
        laws=_LABELLED | {Law.PERFECT_IS_ONE, Law.INDEPENDENCE_IS_ZERO, Law.EXCHANGE},
        undefined="truth and predictions are all of one class, or have no label in common",
    )
)
def kappa(table: Contingency, *, labels: Iterable[Label] | None = None, weights: KappaWeights | None = None) -> Real:
    """Agreement beyond chance, divided by the largest possible agreement beyond chance.

    0 is what random predictions with the same frequencies reach, 1 is perfect, negative is worse than chance.
    ``labels`` are the classes to look at: samples of another class, and samples predicted as one, are left out.
    ``weights`` ("linear", "quadratic") count a prediction by how many steps it is off, which is linear_weighted_kappa
    and quadratic_weighted_kappa.

    >>> print(f"{kappa(Contingency.from_matrix([[20, 5], [10, 15]])):.1f}")
    0.4
    """
    chosen_table = table if labels is None else select_classes(table, labels)
    if weights is None:
        return _beyond_chance(chosen_table).kappa
    if weights not in ("linear", "quadratic"):
        raise InputError(f"weights is {weights!r}; it is 'linear' or 'quadratic', or left out")
    return find(f"{weights}_weighted_kappa").score(chosen_table)


@metric(
    Card(
        title="Matthews correlation coefficient",
        symbol="R_K",
        formula=r"\frac{N\sum_i D_{ii} - \sum_i D_{i\cdot}D_{\cdot i}}"
        r"{\sqrt{(N^2-\sum_i D_{i\cdot}^2)(N^2-\sum_j D_{\cdot j}^2)}}",
        source="gorodkin2004",
        range=(-1.0, 1.0),
        aliases=("R_K", "matthews", "matthews corrcoef", "K-category correlation"),
        laws=_LABELLED | {Law.PERFECT_IS_ONE, Law.INDEPENDENCE_IS_ZERO, Law.EXCHANGE},
        undefined="truth or predictions have one class only, or no label in common",
    )
)
def mcc(table: Contingency) -> Real:
    """Correlation between true and predicted labels.

    1 is perfect, 0 is no better than chance.

    >>> print(f"{mcc(Contingency.from_matrix([[20, 5], [10, 15]])):.4f}")
    0.4082
    """
    return _beyond_chance(table).mcc


_CANCELLED = 1e-6
"""A difference below this share of its parts has fewer than nine digits left."""
_CLEARLY_BEYOND = 1e-2
"""Above this share of its parts, which keep twelve digits, a difference keeps ten."""
_UNDERFLOWN = 1e-280
"""Spreads below this may have lost their square."""


class _BeyondChance(NamedTuple):
    """Agreement beyond chance, as a share of what chance leaves and of the spread of both sides."""

    kappa: Real
    mcc: Real


@remembered
def _beyond_chance(table: Contingency) -> _BeyondChance:
    """Compute kappa and the correlation, in whole numbers where a float lost the difference between hits and chance."""
    if not len(table.matches[0]):
        return _BeyondChance(*[np.full(table.batch_shape, np.nan)[()]] * 2)
    rows, columns = table.matches
    if table.adds_exactly and not table.squares_exactly:
        margins = (table.row_totals, table.column_totals, *table.matched_totals, table.diagonal)
        lists = ([[int(x) for x in line] for line in side.reshape(-1, side.shape[-1]).tolist()] for side in margins)
        return _BeyondChance(*_stack(map(_score_whole_margins, *lists), table))
    # totals in a unit near the number of samples, of weights a power of two: no digit is lost, and squares of very
    # large or very small totals stay in range
    if table.adds_exactly:
        whole, row_totals, column_totals = table.grand_total, table.row_totals, table.column_totals
        outside_rows, outside_columns = whole[..., None] - row_totals, whole[..., None] - column_totals
    else:
        unit = np.ldexp(1.0, -np.frexp(table.grand_total)[1])
        whole = table.grand_total * unit
        row_totals, column_totals = table.row_totals * unit[..., None], table.column_totals * unit[..., None]
        outside_rows, outside_columns = sum_others(row_totals), sum_others(column_totals)
    others = outside_columns
    if not table.names_agree:
        others = np.repeat(whole[..., None], table.shape[0], axis=-1)
        others[..., rows] = outside_columns[..., columns]
    disagreement = dot(row_totals, others)
    beyond = disagreement - whole * (misses(table) * (whole / table.grand_total))
    truth, system = dot(row_totals, outside_rows), dot(column_totals, outside_columns)
    cancelled = np.abs(beyond) < _CANCELLED * disagreement
    if table.batch_shape and not table.squares_exactly and cancelled.any():
        # N × hits − row × column total of a class is hits × correct rejections − misses × false alarms. Where one class
        # has nearly all samples, both of these are small, and the totals are not.
        classes, unit = one_vs_rest(table), (whole / table.grand_total)[..., None]
        right, wrong = classes.hits * unit, dot(classes.misses * unit, classes.false_alarms * unit)
        by_class = dot(right, classes.correct_rejections * unit) - wrong
        parts = dot(right, classes.others * unit) + wrong
        beyond = np.where(cancelled, by_class, beyond)
        cancelled &= np.abs(by_class) < _CLEARLY_BEYOND * parts
    kappa = clip_to_one(ratio(beyond, disagreement))
    mcc = clip_to_one(ratio(beyond, choose_values(truth == system, truth, np.sqrt(truth) * np.sqrt(system))))
    if table.squares_exactly:
        return _BeyondChance(kappa, mcc)
    lost = cancelled | (np.minimum(truth, system) < _UNDERFLOWN)
    if not np.any(lost):
        return _BeyondChance(kappa, mcc)

    def score_exactly(place: tuple[int, ...]) -> tuple[float, float]:
        rows_of, columns_of, hits_of = whole_margins(table, place)
        return _score_whole_margins(
            rows_of, columns_of, [rows_of[i] for i in rows], [columns_of[j] for j in columns], hits_of
        )

    if not table.batch_shape:
        return _BeyondChance(*_stack([score_exactly(())], table))
    kappa, mcc = np.array(kappa), np.array(mcc)
    for place in zip(*np.nonzero(lost), strict=True):
        kappa[place], mcc[place] = score_exactly(place)
    return _BeyondChance(kappa, mcc)


def _score_whole_margins(
    rows: list[int], columns: list[int], own_rows: list[int], own_columns: list[int], hits: list[int]
) -> tuple[float, float]:
    """Compute kappa and correlation from whole numbers."""
    whole, agreed = sum(rows), sum(map(mul, own_rows, own_columns))
    beyond, disagreement = whole * sum(hits) - agreed, whole**2 - agreed
    truth, system = (whole**2 - sum(map(mul, totals, totals)) for totals in (rows, columns))
    return beyond / disagreement if disagreement else np.nan, clip_to_one(root_ratio(beyond, truth, system))


def _stack(lines: Iterable[tuple[float, float]], table: Contingency) -> Iterator[Real]:
    return (np.array(part, np.float64).reshape(table.batch_shape)[()] for part in zip(*lines, strict=True))


@metric(
    Card(
        title="Gwet's AC1",
        symbol="AC1",
        formula=r"\frac{A - e}{1 - e},\quad e = \frac{1 - \sum_q \pi_q^2}{q - 1},\quad "
        r"\pi_q = \frac{p_{q\cdot} + p_{\cdot q}}{2}",
        source="gwet2008",
        range=(-1.0, 1.0),
        aliases=("AC1", "Gwet AC1", "first-order agreement coefficient"),
        laws=frozenset({Law.SCALING, Law.JOINT_RELABELLING, Law.PERFECT_IS_ONE, Law.EXCHANGE}),
        undefined="there is only one class, or truth and predictions have no label in common",
        note="Unlike kappa it hardly depends on the prevalence. Declared classes without samples count among the q.",
    )
)
def gwet_ac1(table: Contingency) -> Real:
    """Agreement beyond chance, where chance means random guesses on hard samples only.

    >>> print(f"{gwet_ac1(Contingency.from_matrix([[118, 5], [2, 0]])):.4f}")
    0.9408
    """
    rows, columns = table.matched_totals
    total = table.grand_total[..., None]
    labels = len(table.truth_labels) + len(table.system_labels) - rows.shape[-1]
    if labels < 2 or not rows.shape[-1]:
        return np.full(table.batch_shape, np.nan)[()]
    unmatched = table.row_totals[..., :0]  # totals of the labels that one side alone has
    if not table.names_agree:
        sides = zip((table.row_totals, table.column_totals), table.matches, strict=True)
        unmatched = np.concatenate([np.delete(totals, places, axis=-1) for totals, places in sides], axis=-1)
    both, one_side = (rows + columns) / total / 2, unmatched / total / 2
    together = dot(both, both) + dot(one_side, one_side)
    chance = (1.0 - together) / (labels - 1)
    return clip_to_one(1.0 - share(misses(table), hits(table)) / (1.0 - chance))


# ── systems that may reject samples ──────────────────────────────────────────────────────────────


@metric(
    Card(
        title="Rejection rate",
        family="rejection",
        symbol="Rej",
        formula=r"\sum_i p_{i,\mathrm{reject}}",
        source="hu2008",
        better="none",
        aliases=("abstention rate", "Rej"),
        laws=frozenset({Law.SCALING, Law.JOINT_RELABELLING, Law.EMPTY_CLASS}),
        note="0 for a system that has no reject label.",
    )
)
def rejection_rate(table: Contingency) -> Real:
    """Fraction of the samples that the system rejects.

    >>> print(f"{rejection_rate(Contingency.from_matrix([[74, 6, 10], [0, 9, 1]], reject=2)):.2f}")
    0.11
    """
    column = table.reject_column
    if column is None:
        return np.zeros(table.batch_shape)[()]
    return np.minimum(table.column_totals[..., column] / table.grand_total, 1.0)


@metric(
    Card(
        title="Accuracy among accepted samples",
        family="rejection",
        symbol="A_acc",
        formula=r"\frac{A}{1 - \mathrm{Rej}}",
        source="hu2008",
        aliases=("selective accuracy", "accuracy A (non-rejected)"),
        laws=frozenset({Law.SCALING, Law.JOINT_RELABELLING, Law.EMPTY_CLASS, Law.PERFECT_IS_ONE}),
        undefined="every sample is rejected, or truth and predictions have no label in common",
        note="What the tables of Hu & Wang print as accuracy.",
    )
)
def accepted_accuracy(table: Contingency) -> Real:
    """Fraction of the accepted samples that are predicted correctly; rises if hard samples are rejected.

    >>> print(f"{accepted_accuracy(Contingency.from_matrix([[74, 6, 10], [0, 9, 1]], reject=2)):.3f}")
    0.933
    """
    return share(hits(table), errors(table))


_LITTLE = 2.0**-6
"""Below this share a difference loses digits."""


@metric(
    Card(
        title="Proficiency without the reject column",
        family="rejection",
        biased=True,
        symbol="NI'",
        formula=r"\frac{1}{H(T)}\sum_i\sum_{j \le k} p_{ij}\log_2\frac{p_{ij}}{p_i p_j}",
        source="hu2008",
        aliases=("modified NI",),
        laws=frozenset({Law.SCALING, Law.RELABELLING, Law.EMPTY_CLASS, Law.PERFECT_IS_ONE}),
        undefined="the truth has one class only, so there is no information to capture",
        note="Punishes informative rejection and hardly touches rejection at the prior; not a default.",
    )
)
def proficiency_without_reject(table: Contingency) -> Real:
    """Fraction of the truth's information that accepted predictions carry; rejections get no credit.

    >>> print(f"{proficiency_without_reject(Contingency.from_matrix([[90, 0, 0], [0, 9, 1]], reject=2)):.3f}")
    0.929
    """
    h = entropies(table).shares
    captured = h.mutual
    if table.reject_column is not None:
        rejected = np.arange(table.shape[1]) == table.reject_column
        captured = h.mutual - divergence_from_independence(table, rejected, h.shift)
        if not np.all(captured > _LITTLE * h.mutual):  # the difference loses digits, so predictions are added up
            captured = divergence_from_independence(table, ~rejected, h.shift)
    return np.minimum(ratio(captured, h.mutual + h.missed), 1.0)
