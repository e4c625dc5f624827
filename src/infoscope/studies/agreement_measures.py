"""Measures of agreement: Krippendorff's alpha, coefficients beside it, and everything about two annotators.

``Annotations`` holds what each annotator said about each item, one category or several, with gaps; items on which all
annotators said the same as on others are kept once, with their count, so that weights of rows resample items. Then come
alpha with its interval and the annotator who lowers it, the coefficients of one category per item (each with its card,
registered in the domain "annotations"), and pairs of annotators: what each tells about the other, and which categories
they take for one another. ``studies/agreement.py`` reads annotations and puts the numbers together.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack
from scipy.special import betainc

from infoscope.core.markup import ShortRepr
from infoscope.core.numerics import Real, as_real, ratio
from infoscope.errors import InputError
from infoscope.metrics import erroneous_information, information_precision, mutual_information, proficiency
from infoscope.metrics.chance import BinaryTables, binary_entropy
from infoscope.metrics.registry import Card, Metric, describe_metric, register
from infoscope.posterior import Posterior
from infoscope.results.estimate import Estimate, drop_infinite
from infoscope.studies.multilabel_measures import (
    MAX_RENAMED_CATEGORIES,
    Reassignment,
    assign_categories,
    find_reassignments,
    micro_recall,
    permuted_proficiency,
    sum_categories,
)
from infoscope.studies.multilabel_measures import proficiency as category_proficiency
from infoscope.tables import Contingency
from infoscope.tables.label_sets import Categorization
from infoscope.tables.labels import Label
from infoscope.tables.pair_counts import CellCounts
from infoscope.tables.rows import Rows
from infoscope.tables.transformations import read_scale

BLOCK_CELLS = 1 << 23
"""Rows times draws that are resampled at a time."""
MAX_DENSE_CATEGORIES = 64
"""Up to this many, a whole array is faster than a sparse one."""
MIN_PROBABILITY = 0.95
"""Share of resampled item sets in which an annotator must stand apart."""
SIGNIFICANT = 0.05
MAX_INTERVALS = 66
"""Pairs up to which their information gets intervals: those of twelve annotators."""
MANY_SAMPLES_PER_CELL = 200
"""From here on every prior gives the same interval, and the simplest one is taken."""

Scale = Literal["nominal", "ordinal", "interval"]


@dataclass(frozen=True, eq=False)
class Annotations:
    """Annotators over the same items: one matrix of rows × categories each, and where they gave a label at all."""

    names: tuple[str, ...]
    categories: tuple[Label, ...]
    given: tuple[csr_array, ...]
    labelled: NDArray[np.bool_]
    """Annotators × rows; a row without a label set is a gap, one with the empty set has a label set."""
    counts: NDArray[np.int64]
    """Items that each row stands for."""
    patterns: Rows | None
    """The same as patterns, where every label set is exactly one category."""

    @property
    def single(self) -> bool:
        """True if every label set is exactly one category."""
        return self.patterns is not None

    @property
    def items(self) -> int:
        """All items."""
        return int(self.counts.sum())

    @property
    def lonely(self) -> int:
        """Items that fewer than two annotators labelled."""
        return int(self.counts[self.labelled.sum(axis=0) < 2].sum())

    @cached_property
    def total(self) -> csr_array:
        """Number of annotators that gave each category, rows × categories."""
        first, *others = self.given
        return csr_array(sum((matrix.astype(np.float64) for matrix in others), first.astype(np.float64)))

    def pair(self, a: int, b: int) -> Categorization:
        """Return the label sets of two annotators on the items that both labelled, the first as the truth."""
        both = np.flatnonzero(self.labelled[a] & self.labelled[b])
        return Categorization(self.categories, self.given[a][both], self.given[b][both])

    def resample(self, draws: int, rng: np.random.Generator) -> Iterator[Real]:
        """Draw item sets with replacement: how often each row occurs in them, a block of draws at a time."""
        rows, items = len(self.counts), self.items
        step = max(1, BLOCK_CELLS // rows)
        owner = np.repeat(np.arange(rows, dtype=np.int32), self.counts) if items <= 8 * rows else None
        for start in range(0, draws, step):
            size = min(step, draws - start)
            if owner is None:
                yield rng.multinomial(items, self.counts / items, size).astype(np.float64)
            else:
                drawn = np.empty((size, rows))
                for times in drawn:
                    times[:] = np.bincount(owner[rng.integers(items, size=items, dtype=np.int32)], minlength=rows)
                yield drawn


# Krippendorff's alpha -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class AnnotationScale:
    """Distances of categories: none or whole, by ranks, or by their difference as numbers."""

    kind: Scale
    values: Real
    """Of each category: its place in the order, or its number; empty for names."""

    @classmethod
    def of(cls, annotations: Annotations, scale: Scale | None, ordinal: object | None) -> AnnotationScale:
        """Check what was stated about the categories against those that occur; an order alone means ordinal."""
        kind: Scale = scale or ("nominal" if ordinal is None else "ordinal")
        if kind != "ordinal" and ordinal is not None:
            raise InputError(f"ordinal states the order of categories, and scale is {kind!r}; leave one of them out")
        if kind == "nominal":
            return cls("nominal", np.empty(0))
        if not annotations.single:
            raise InputError(f"an {kind} scale is for one category per item, and here items have several; leave it out")
        if ordinal is not None:
            order = read_scale(ordinal, annotations.categories, None)
            return cls("ordinal", np.array([float(order.index(label)) for label in annotations.categories]))
        values = []
        for label in annotations.categories:
            try:
                value = float(str(label))  # numbers that were read as text, too
            except ValueError:
                value = np.nan
            if not np.isfinite(value):
                way = "state the order with ordinal= (--ordinal)" if kind == "ordinal" else "give numbers"
                raise InputError(f"category {label!r} is no number, so the scale cannot be {kind} by itself; {way}")
            values.append(value)
        return cls(kind, np.array(values))


@dataclass(frozen=True)
class OddOneOut:
    """The annotator without whom the others agree best."""

    name: str
    alpha_without: float
    gain: float
    """Rise of alpha without this annotator."""
    probability: float
    """Fraction of resampled item sets in which it is this annotator again, and alpha rises."""
    finding: bool
    low: float | None = None
    high: float | None = None
    """Ends of the interval of alpha without this annotator."""


def estimate_alpha(
    annotations: Annotations, scale: AnnotationScale, draws: int, rng: np.random.Generator, level: float
) -> tuple[Estimate, dict[str, float], OddOneOut | None]:
    """Estimate Krippendorff's alpha with its interval, alpha without each annotator, and the one who stands apart.

    All come from the same resampled item sets. Of two annotators none can stand apart.
    """
    left_out = [None, *(range(len(annotations.names)) if len(annotations.names) > 2 else ())]
    reliability: Reliability | ScaledReliability
    if scale.kind == "nominal":
        reliability = Reliability.of(annotations, left_out)
    else:
        reliability = ScaledReliability.of(annotations, scale, left_out)
    alphas = reliability.alpha(as_real(annotations.counts))
    alpha, others = float(alphas[0]), alphas[1:]
    blocks = (reliability.alpha(weights) for weights in annotations.resample(draws, rng))
    drawn = np.concatenate([np.empty((0, len(alphas))), *blocks])
    without = {
        name: value for name, value in zip(annotations.names, others.tolist(), strict=False) if np.isfinite(value)
    }

    estimate = Estimate(alpha)
    if not np.isfinite(alpha):
        estimate = Estimate(None, undefined="all labels are the same")
    elif len(defined := drawn[np.isfinite(drawn[:, 0]), 0]) >= 2:
        low, high = np.quantile(defined, [(1 - level) / 2, 1 - (1 - level) / 2])
        estimate = Estimate(alpha, low=float(low), high=float(high))
    if not len(others) or np.isnan(others).any() or len(drawn) < 2:
        return estimate, without, None
    odd = int(np.argmax(others))
    # without variation alpha is undefined, and nothing stands apart
    highest = np.where(np.isnan(drawn[:, 1:]), -np.inf, drawn[:, 1:]).max(axis=1)
    own = drawn[:, 1 + odd]
    probability = float(np.mean((own >= highest) & (own > drawn[:, 0])))
    gain = float(others[odd] - alpha)
    stands_apart = bool(probability >= MIN_PROBABILITY and gain > 0)
    tail = (1 - level) / 2
    ends = (float(end) for end in np.quantile(own[np.isfinite(own)], [tail, 1 - tail]))
    name = annotations.names[odd]
    return estimate, without, OddOneOut(name, float(others[odd]), gain, probability, stands_apart, *ends)


@dataclass(frozen=True, eq=False)
class Reliability:
    """Contributions of each row to observed and expected disagreement, so that weights of the rows are one product.

    Disagreement of two label sets is the number of categories that only one of them has. For one category an item this
    is the nominal form of alpha. One block of columns for everyone, or for several sets of annotators.
    """

    columns: csr_array | Real
    """Rows × blocks of (disagreement, labels, labels per category); an array where there are few categories."""
    width: int

    @classmethod
    def of(cls, annotations: Annotations, left_out: Sequence[int | None] = (None,)) -> Reliability:
        """Add up the items that two annotators or more labelled; a block for each annotator to be left out, or None."""
        blocks = []
        for without in left_out:
            many, chosen = annotations.labelled.sum(axis=0).astype(np.float64), annotations.total
            if without is not None:
                many = many - annotations.labelled[without]
                chosen = csr_array(chosen - annotations.given[without])
            usable = many >= 2
            m = np.where(usable, many, 0.0)
            chosen = csr_array(chosen.multiply(usable[:, None].astype(np.float64)))
            squares = np.asarray(chosen.multiply(chosen).sum(axis=1)).ravel()
            apart = (m * np.asarray(chosen.sum(axis=1)).ravel() - squares) / np.maximum(m - 1, 1.0)
            blocks.append(csr_array(hstack([csr_array(np.stack([apart, m], axis=1)), chosen], format="csr")))
        width = len(annotations.categories) + 2
        if len(annotations.categories) <= MAX_DENSE_CATEGORIES:
            return cls(np.hstack([block.toarray() for block in blocks]), width)
        return cls(csr_array(hstack(blocks, format="csr")), width)

    def alpha(self, weights: Real) -> Real:
        """Return alpha under weights of the rows, (..., rows); the last axis of the result are the blocks."""
        if isinstance(self.columns, np.ndarray):
            flat = as_real(weights @ self.columns)
        else:
            flat = as_real((self.columns.T @ weights.reshape(-1, weights.shape[-1]).T).T)
        sums = flat.reshape(*weights.shape[:-1], -1, self.width)
        observed, n, yes = sums[..., 0], sums[..., 1], sums[..., 2:]
        expected = np.sum(yes * (n[..., None] - yes), axis=-1) / np.maximum(n - 1, 1)
        return 1.0 - ratio(observed, expected)


@dataclass(frozen=True, eq=False)
class ScaledReliability:
    """Items × categories for everyone, and without each annotator in turn, on a scale.

    The squared distance of ranks that Krippendorff defines is that of mid-ranks, so both scales need only the sums and
    the sums of squares of values within items. Ranks follow from the items drawn, so they are made anew for each draw.
    """

    blocks: tuple[csr_array, ...]
    scale: AnnotationScale

    @classmethod
    def of(cls, annotations: Annotations, scale: AnnotationScale, left_out: Sequence[int | None]) -> ScaledReliability:
        """Make a block for each annotator to be left out (None: nobody); items with fewer than two labels have none."""
        order = np.argsort(scale.values, kind="stable")
        blocks = []
        for without in left_out:
            chosen = annotations.total
            if without is not None:
                chosen = csr_array(chosen - annotations.given[without])
            many = np.asarray(chosen.sum(axis=1)).ravel()
            kept = csr_array(chosen.multiply((many >= 2)[:, None].astype(np.float64)))
            blocks.append(csr_array(kept[:, order]))
        return cls(tuple(blocks), AnnotationScale(scale.kind, scale.values[order]))

    def alpha(self, weights: Real) -> Real:
        """Return alpha under weights of the rows, (..., rows); the last axis of the result are the blocks."""
        flat = weights.reshape(-1, weights.shape[-1])
        alphas = []
        for block in self.blocks:
            used = as_real((block.T @ flat.T).T)
            n = used.sum(axis=1)
            if self.scale.kind == "interval":
                values = np.broadcast_to(self.scale.values, used.shape)
            else:  # mid-ranks of the labels drawn
                values = np.cumsum(used, axis=1) - used / 2
            values = values - ratio(np.sum(used * values, axis=1), n)[:, None]
            many = np.asarray(block.sum(axis=1)).ravel()
            sums, squares = as_real(block @ values.T), as_real(block @ (values**2).T)
            apart = (many[:, None] * squares - sums**2) / np.maximum(many - 1, 1.0)[:, None]
            observed = np.sum(flat.T * apart, axis=0)
            expected = n * np.sum(used * values**2, axis=1) / np.maximum(n - 1, 1.0)
            alphas.append(as_real(1.0 - ratio(observed, expected)))
        return as_real(np.stack(alphas, axis=-1).reshape(*weights.shape[:-1], len(self.blocks)))


# Coefficients of one category per item --------------------------------------------------------------------------------

_SAME = "all labels are the same"
_ONE = "only one category is used"


@dataclass(frozen=True, eq=False)
class AgreementSums:
    """Sums over items with at least two labels; leading axes are a batch of weightings of the items."""

    agreeing: Real
    """Fraction of the pairs of an item's labels that agree, summed over the items."""
    items: Real
    used: Real
    """Number of uses of each category, (..., categories)."""

    @classmethod
    def of(cls, annotations: Annotations, weights: Real) -> AgreementSums:
        """Add up under weights of the rows, (..., rows)."""
        total = annotations.total
        many = np.asarray(total.sum(axis=1)).ravel()
        squares = np.asarray(total.multiply(total).sum(axis=1)).ravel()
        usable = many >= 2
        agreeing = np.where(usable, (squares - many) / np.maximum(many * (many - 1), 1.0), 0.0)
        kept = csr_array(total.multiply(usable[:, None].astype(np.float64)))
        used = as_real((kept.T @ weights.reshape(-1, weights.shape[-1]).T).T).reshape(*weights.shape[:-1], -1)
        return cls(as_real(weights @ agreeing), as_real(weights @ usable.astype(np.float64)), used)

    @property
    def observed(self) -> Real:
        """Mean fraction of agreeing pairs over the items."""
        return ratio(self.agreeing, self.items)

    @property
    def frequencies(self) -> Real:
        """Fraction of each category among all labels."""
        return ratio(self.used, self.used.sum(axis=-1)[..., None])


def _correct_for_chance(observed: Real, by_chance: Real) -> Real:
    return ratio(observed - by_chance, 1.0 - by_chance)


def _coefficient(card: Card) -> Callable[[Callable[[AgreementSums], Real]], Metric]:
    return lambda score: register(describe_metric(score, card, domain="annotations"))


@_coefficient(
    Card("Observed agreement", "P_o", r"\operatorname{mean}_i\frac{\sum_k n_{ik}(n_{ik}-1)}{m_i(m_i-1)}", "fleiss1971")
)
def observed_agreement(sums: AgreementSums) -> Real:
    """Fraction of the pairs of labels of an item that are the same, mean over items with two labels or more."""
    return sums.observed


@_coefficient(
    Card(
        title="Fleiss' kappa",
        symbol="κ_F",
        formula=r"\frac{P_o-\sum_k p_k^2}{1-\sum_k p_k^2}",
        source="fleiss1971",
        range=(-1.0, 1.0),
        aliases=("Fleiss kappa", "multi-rater kappa"),
        undefined=_SAME,
        note="Items may have different numbers of labels; each item counts once.",
    )
)
def fleiss_kappa(sums: AgreementSums) -> Real:
    """Agreement of several annotators beyond what their common use of the categories reaches by chance."""
    return _correct_for_chance(sums.observed, np.sum(sums.frequencies**2, axis=-1))


@_coefficient(
    Card(
        title="Randolph's kappa",
        symbol="κ_free",
        formula=r"\frac{P_o-1/K}{1-1/K}",
        source="randolph2005",
        range=(-1.0, 1.0),
        aliases=("Randolph kappa", "free-marginal kappa", "Brennan-Prediger"),
        undefined=_ONE,
        note="K counts the categories that occur.",
    )
)
def randolph_kappa(sums: AgreementSums) -> Real:
    """Agreement of several annotators beyond that of categories chosen evenly at random."""
    return _correct_for_chance(sums.observed, np.full(sums.items.shape, 1.0 / sums.used.shape[-1]))


@_coefficient(
    Card(
        title="Gwet's AC1 of several annotators",
        symbol="AC1",
        formula=r"\frac{P_o-P_e}{1-P_e},\ P_e=\frac{\sum_k p_k(1-p_k)}{K-1}",
        source="gwet2008",
        range=(-1.0, 1.0),
        undefined=_ONE,
    )
)
def gwet_ac1(sums: AgreementSums) -> Real:
    """Agreement beyond chance that stays sensible where one category prevails."""
    p = sums.frequencies
    return _correct_for_chance(sums.observed, ratio(np.sum(p * (1 - p), axis=-1), np.float64(sums.used.shape[-1] - 1)))


def _score_alpha(annotations: Annotations) -> Real:
    """Agreement of annotators beyond chance, with gaps, for names, ordered categories or numbers."""
    return Reliability.of(annotations).alpha(as_real(annotations.counts))[0]


register(
    replace(
        describe_metric(
            _score_alpha,
            Card(
                title="Krippendorff's alpha",
                symbol="α_K",
                formula=r"1-\frac{D_o}{D_e}",
                source="krippendorff2011",
                range=(-1.0, 1.0),
                aliases=("Krippendorff alpha",),
                undefined=_SAME,
                note="Labels differ or not; by scale='ordinal' ranks do, by scale='interval' differences of numbers.",
            ),
            domain="annotations",
        ),
        name="krippendorff_alpha",
    )
)

COEFFICIENTS: tuple[Metric, ...] = (observed_agreement, fleiss_kappa, randolph_kappa, gwet_ac1)


def estimate_coefficients(annotations: Annotations, draws: int, seed: int, level: float) -> dict[str, Estimate]:
    """Estimate every coefficient with its interval over resampled items; none for label sets."""
    if not annotations.single:
        return {}
    observed = AgreementSums.of(annotations, as_real(annotations.counts))
    blocks = annotations.resample(draws, np.random.default_rng(seed)) if draws >= 2 else ()
    drawn = [AgreementSums.of(annotations, weights) for weights in blocks]
    estimates = {}
    for coefficient in COEFFICIENTS:
        estimate = Estimate.of(float(coefficient.score(observed)), coefficient.card.undefined)
        values = np.concatenate([np.empty(0), *(coefficient.score(sums) for sums in drawn)])
        values = values[np.isfinite(values)]
        if estimate.value is not None and len(values) >= 2:
            low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
            estimate = Estimate(estimate.value, low=float(low), high=float(high))
        estimates[coefficient.name] = estimate
    return estimates


# Pairs of annotators --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, repr=False)
class PairInformation(ShortRepr):
    """Information that two annotators share, in bits and as fractions."""

    mutual_information: Estimate
    proficiency: Estimate
    """Fraction of the first one's information that the second one carries."""
    reverse_proficiency: Estimate
    """Fraction of the second one's information that the first one carries."""
    variation_of_information: Estimate
    """H(A|B) + H(B|A): a distance, 0 where each determines the other."""

    def reversed(self) -> PairInformation:
        """Return the same with the annotators exchanged."""
        return PairInformation(
            self.mutual_information, self.reverse_proficiency, self.proficiency, self.variation_of_information
        )


@dataclass(frozen=True, repr=False)
class PairAgreement(ShortRepr):
    """One annotator (the truth) against another (the system)."""

    truth: str
    system: str
    items: int
    proficiency: float | None
    """Fraction of the first one's information that the second one's labels carry."""
    category_proficiency: float | None
    """The same, summed category by category; equal to it for label sets."""
    permuted_proficiency: float | None
    micro_recall: float | None
    """Fraction of the first one's labels that the second one gave as well; it is the first one's precision, too."""
    reassigned: int | None
    """Number of categories that the best one-to-one renaming changes."""
    kappa: float | None
    agreement: float
    """Fraction of the items with the same label."""
    renamings: tuple[Reassignment, ...]
    information: PairInformation | None = None
    """Mutual information, proficiency both ways and variation of information, with intervals; not for label sets."""


@dataclass(frozen=True)
class ConfusedCategories:
    """A category of one annotator that another replaces by a different one."""

    first: str
    second: str
    first_category: str
    second_category: str
    count: int
    """Items to which only the first gives its category, and only the second gives the other."""
    expected: float
    p_value: float
    """Chance of as many, times the pairs of categories looked at."""

    def sentence(self) -> str:
        """Say what happened."""
        return (
            f"{self.first} used '{self.first_category}' where {self.second} used '{self.second_category}': "
            f"{self.count} items, {self.expected:.1f} expected"
        )


@dataclass(frozen=True, eq=False)
class SingleLabelPair:
    """Counts of the categories that two annotators gave, one per item, over the items that both labelled."""

    categories: tuple[Label, ...]
    cells: CellCounts

    @cached_property
    def n(self) -> int:
        """Items that both labelled."""
        return int(self.cells.values.sum())

    @property
    def total(self) -> float:
        """Total weight: each item counts 1."""
        return float(self.n)

    @cached_property
    def truth_counts(self) -> Real:
        """Items per category of the first."""
        return as_real(np.bincount(self.cells.rows, self.cells.values, len(self.categories)))

    @cached_property
    def system_counts(self) -> Real:
        """Items per category of the second."""
        return as_real(np.bincount(self.cells.columns, self.cells.values, len(self.categories)))

    @cached_property
    def both(self) -> Real:
        """Items per category to which both give it."""
        same = self.cells.rows == self.cells.columns
        return as_real(np.bincount(self.cells.rows[same], self.cells.values[same], len(self.categories)))

    @cached_property
    def joint(self) -> Real | None:
        """Items by both categories; None for so many categories that no renaming is looked for."""
        return as_real(self.cells.dense()) if len(self.categories) <= MAX_RENAMED_CATEGORIES else None

    def reversed(self) -> SingleLabelPair:
        """Return the same with the second annotator as the first."""
        return SingleLabelPair(self.categories, self.cells.transpose())

    def category_proficiency(self, order: NDArray[np.int64] | None = None) -> float:
        """Return the fraction of the first one's information, category by category; NaN where it has none.

        Each category is a yes/no question; an order renames the second one's categories.
        """
        bits = float(binary_entropy(self.truth_counts, self.total).sum())
        both, system = self.both, self.system_counts
        if order is not None and self.joint is not None:
            both, system = self.joint[np.arange(len(self.categories)), order], system[order]
        shared = float(BinaryTables(both, self.truth_counts, system, self.total).information.sum())
        return min(float(ratio(shared, bits)), 1.0) if bits else float("nan")

    def information(self, level: float | None) -> PairInformation:
        """Return information measures, with the intervals of the table's posterior where a level is given."""
        table = Contingency.from_cells(
            self.categories, self.categories, self.cells.rows, self.cells.columns, self.cells.values
        )
        measures = {
            "mutual_information": mutual_information,
            "proficiency": proficiency,
            "information_precision": information_precision,
            "erroneous_information": erroneous_information,
        }
        estimates = {
            name: Estimate.of(measure(table), "one of the two uses only one category")
            for name, measure in measures.items()
        }
        if level is not None:
            many = self.n >= MANY_SAMPLES_PER_CELL * table.shape[0] * table.shape[1]
            posterior = Posterior(table, "perks" if many else "default")
            defined = [name for name in estimates if estimates[name].value is not None]
            beliefs = posterior.summaries(defined, level, alone=True)
            estimates |= {name: estimates[name].with_belief(belief, corrected=True) for name, belief in beliefs.items()}
        return PairInformation(*estimates.values())


def compare_pairs(
    annotations: Annotations, level: float | None
) -> Iterator[tuple[PairAgreement, list[ConfusedCategories]]]:
    """Compare every ordered pair of annotators who share items; confused categories go with one of the two orders.

    Without a level there are no intervals.
    """
    ordered_pairs = itertools.permutations(range(len(annotations.names)), 2)
    if annotations.patterns is None:
        for a, b in ordered_pairs:
            sets = annotations.pair(a, b)
            if sets.n:
                names = annotations.names[a], annotations.names[b]
                yield _compare_pair(sets, names), _find_confused_sets(sets, names) if a < b else []
        return
    shared = {(a, b): cells for a, b, cells in annotations.patterns.count_pairs() if cells.total}
    level = level if len(shared) <= MAX_INTERVALS else None
    pairs = {places: SingleLabelPair(annotations.categories, cells) for places, cells in shared.items()}
    information = {places: pair.information(level) for places, pair in pairs.items()}
    for a, b in ordered_pairs:
        names = annotations.names[a], annotations.names[b]
        if (a, b) in pairs:
            pair = pairs[a, b]
            yield _compare_pair(pair, names, information[a, b]), _find_confused_labels(pair, names)
        elif (b, a) in pairs:
            yield _compare_pair(pairs[b, a].reversed(), names, information[b, a].reversed()), []


def _compare_pair(
    pair: SingleLabelPair | Categorization, names: tuple[str, str], information: PairInformation | None = None
) -> PairAgreement:
    """Measure what one annotator's labels tell about another's; information is that of one category per item."""
    if isinstance(pair, SingleLabelPair):
        joint = pair.joint
    else:
        joint = pair.joint_counts() if len(pair.categories) <= MAX_RENAMED_CATEGORIES else None
    order = None if joint is None else assign_categories(pair, joint)
    moved = [] if joint is None or order is None else find_reassignments(pair, joint, order)
    if isinstance(pair, SingleLabelPair):
        by_category = pair.category_proficiency()
        renamed = max(pair.category_proficiency(order), by_category)
        same = shared = float(pair.both.sum() / pair.n)
    else:
        sums = sum_categories(pair, order)
        by_category, renamed = float(category_proficiency(sums)), float(permuted_proficiency(sums))
        same, shared = float(sums.exact / sums.total), float(micro_recall(sums))
    return PairAgreement(
        truth=names[0],
        system=names[1],
        items=pair.n,
        proficiency=drop_infinite(by_category) if information is None else information.proficiency.value,
        category_proficiency=drop_infinite(by_category),
        permuted_proficiency=None if order is None else drop_infinite(renamed),
        micro_recall=drop_infinite(shared),
        reassigned=None if order is None else len(moved),
        kappa=_compute_kappa(pair),
        agreement=same,
        renamings=tuple(move for move in moved if move.finding),
        information=information,
    )


def _compute_kappa(pair: SingleLabelPair | Categorization) -> float | None:
    """Return Cohen's kappa, disagreement and chance summed over categories; None where neither side varies."""
    truth, system, n = pair.truth_counts, pair.system_counts, float(pair.n)
    observed = np.sum(truth + system - 2 * pair.both)
    expected = np.sum(truth * (n - system) + system * (n - truth)) / n
    return drop_infinite(float(1.0 - ratio(observed, expected)))


def _find_confused_labels(pair: SingleLabelPair, names: tuple[str, str]) -> list[ConfusedCategories]:
    """Find confused categories of single labels; the margins hold the counts together: tries are differing items."""
    apart = pair.cells.rows != pair.cells.columns
    swaps = CellCounts(pair.cells.rows[apart], pair.cells.columns[apart], pair.cells.values[apart], pair.cells.shape)
    truth, system = pair.truth_counts, pair.system_counts
    size = int(np.count_nonzero(truth + system))
    independent = float(truth.sum() * system.sum() - truth @ system)
    slips = 2 * pair.n * (size - 1)
    here, there = truth[swaps.rows], system[swaps.columns]
    return _list_confused(pair, names, swaps, here, there, independent, slips, int(swaps.values.sum()))


def _find_confused_sets(pair: Categorization, names: tuple[str, str]) -> list[ConfusedCategories]:
    """Find confused categories of label sets: items to which only one annotator gives each of the two."""
    only = []
    for matrix in (pair.truth, pair.system):
        rest = csr_array(matrix - pair.hits)
        rest.eliminate_zeros()
        only.append(rest)
    product = csr_array(only[0].T @ only[1]).tocoo()
    swaps = CellCounts(product.row.astype(np.int64), product.col.astype(np.int64), product.data, product.shape)
    # for each pair of categories, the items to which one annotator gives the first and not the second
    truth, system = pair.truth_counts, pair.system_counts
    truth_together, system_together = csr_array(pair.truth.T @ pair.truth), csr_array(pair.system.T @ pair.system)
    here = as_real(truth[swaps.rows] - np.asarray(truth_together[swaps.rows, swaps.columns]).ravel())
    there = as_real(system[swaps.columns] - np.asarray(system_together[swaps.columns, swaps.rows]).ravel())
    # and their sums over all pairs (x, y): of "x and not y" times the other's "y and not x", and of both added
    independent = float(
        truth.sum() * system.sum()
        - (truth_together @ system).sum()
        - (system_together @ truth).sum()
        + truth_together.multiply(system_together).sum()
    )
    size = int(np.count_nonzero(truth + system))
    slips = float(size * truth.sum() - truth_together.sum()) + float(size * system.sum() - system_together.sum())
    return _list_confused(pair, names, swaps, here, there, independent, slips, pair.n)


def _list_confused(
    pair: SingleLabelPair | Categorization,
    names: tuple[str, str],
    swaps: CellCounts,
    here: Real,
    there: Real,
    independent: float,
    slips: float,
    tries: int,
) -> list[ConfusedCategories]:
    """List categories that one annotator uses where the other uses another, beyond chance, the most frequent first.

    Binomial: at least this many items, each with the probability that chance gives it. The items expected in all are
    those observed, at most those of independent annotators. They are spread over the pairs of categories as independent
    annotators would spread them (by the product of frequencies, ``here`` and ``there``, whose sum over all pairs is
    ``independent``), or as slips to any other category with equal probability would (by the sum of frequencies, over
    all pairs ``slips``); the greater expectation counts, so that neither kind of error is a finding.
    """
    if not len(swaps.values):
        return []
    total = min(float(swaps.values.sum()), independent / pair.n)
    expected = total * np.maximum(ratio(here * there, independent), ratio(here + there, slips))
    tails = betainc(swaps.values, tries - swaps.values + 1, np.minimum(expected / tries, 1.0))
    truth, system = pair.truth_counts > 0, pair.system_counts > 0
    looks = np.count_nonzero(truth) * np.count_nonzero(system) - np.count_nonzero(truth & system)
    p_values = np.minimum(1.0, tails * looks)
    significant = np.flatnonzero(p_values <= SIGNIFICANT)
    return [
        ConfusedCategories(
            first=names[0],
            second=names[1],
            first_category=str(pair.categories[swaps.rows[place]]),
            second_category=str(pair.categories[swaps.columns[place]]),
            count=int(swaps.values[place]),
            expected=float(expected[place]),
            p_value=float(p_values[place]),
        )
        for place in significant[np.argsort(-swaps.values[significant], kind="stable")]
    ]
