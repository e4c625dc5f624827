"""Metrics of label sets: pure functions with their cards, and the sums over objects that they are functions of.

Most metrics are functions of ``CategorySums``, for one weighting of the objects or a batch of them: ``ObjectSums``
makes these sums of the whole, of resampled objects and of halves. F-beta by object and the extended B-cubed metrics
need every object (``WeighedObjects``). All may be called with true and predicted label sets, too. A new metric is a
function with a card below; it is then part of every multi-label evaluation if it is one of sums. Last comes the best
one-to-one renaming of a system's categories: which pairs it moves, what it gains, what chance reaches. A renaming is an
order: for each true category the position of the system category assigned to it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields, replace
from functools import cached_property
from math import erfc
from typing import TYPE_CHECKING, Any, Concatenate, Literal, ParamSpec, Protocol, TypeAlias, TypeVar, overload

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack
from scipy.special import gammaln, ndtri

from infoscope.core.markup import pluralize
from infoscope.core.numerics import Real, as_real, best_assignment, clip_to_one, ratio
from infoscope.errors import InputError
from infoscope.metrics.chance import BinaryTables, binary_entropy
from infoscope.metrics.registry import Card, LabelCounting, Metric, all_metrics, describe_metric, register_callable
from infoscope.studies.multilabel_sources import align_sides, check_object_weights
from infoscope.tables.encoding import check_pairing
from infoscope.tables.label_sets import Categorization

if TYPE_CHECKING:
    from infoscope.studies.agreement_measures import SingleLabelPair

LabelSetSource: TypeAlias = Iterable[object] | str
"""A set of categories per object: a list of sets, an indicator matrix, a data frame, a mapping, or a file."""

AssignBy = Literal["information", "proficiency"]
"""Sum that a renaming maximises: the bits that assigned categories share, or their proficiencies."""
MAX_RENAMED_CATEGORIES = 4096
"""Renaming compares every category with every other; above this many it is left out."""
TIE_BITS = 2.0**-40
"""Bits below which two assignments are equally good; the one closer to the identity is taken."""
SIGNIFICANCE_LEVEL = 0.05
MAX_BLOCK_CELLS = 1 << 22  # cells of a block of weights or of pairs of objects: bounds the memory

_NO_ENTROPY = "each category belongs to all objects or to none, so the truth has no information"
_NO_SYSTEM = "the system gives no category to any object"
_NO_TRUTH = "no object has a category"
_NOTHING = "neither side gives a category to any object"
_NO_SETS = "no object has a category on either side"
_NO_CLUSTER = "the system puts no object into a cluster"


# Sums over objects ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class CategorySums:
    """Counts by category, and sums over objects; leading axes are a batch of weightings."""

    total: Real
    both: Real
    truth: Real
    system: Real
    renamed_both: Real
    """Objects that carry the truth category and the system category assigned to it."""
    order: NDArray[np.int64]
    """The system category assigned to each truth category."""
    precision: Real
    with_system: Real
    recall: Real
    with_truth: Real
    f1: Real
    with_either: Real
    exact: Real

    @cached_property
    def tables(self) -> BinaryTables:
        """One yes/no table a category; an empty half has nothing to count, and so nothing to divide."""
        return BinaryTables(self.both, self.truth, self.system, np.where(self.total > 0, self.total, 1.0)[..., None])

    @cached_property
    def information(self) -> Real:
        """Shared bits by category."""
        return self.tables.information


@dataclass(frozen=True, eq=False)
class ObjectSums:
    """The part of each object in the sums: one sparse matrix, so that weighted sums are one product."""

    columns: csr_array
    categories: int
    order: NDArray[np.int64]
    weights: Real | None = None
    """Weight of each object; None where all count the same."""

    @classmethod
    def of(cls, pair: Categorization, order: NDArray[np.int64] | None = None) -> ObjectSums:
        """Lay out a categorization under an assignment of system categories to truth categories."""
        assigned = np.arange(len(pair.categories)) if order is None else order
        moved = pair.hits if order is None else csr_array(pair.truth.multiply(pair.system[:, assigned]))
        # per object: precision, recall and F1 where they exist, whether they do, and whether the sets are equal
        truth, system, hits = (np.diff(side.indptr).astype(np.float64) for side in (pair.truth, pair.system, pair.hits))
        has_truth, has_system, has_either = truth > 0, system > 0, truth + system > 0
        rates = [
            np.divide(hits, system, out=np.zeros_like(hits), where=has_system),
            has_system,
            np.divide(hits, truth, out=np.zeros_like(hits), where=has_truth),
            has_truth,
            np.divide(2 * hits, truth + system, out=np.zeros_like(hits), where=has_either),
            has_either,
            (hits == truth) & (hits == system),
        ]
        sums = csr_array(np.stack(rates, axis=1))
        columns = hstack([pair.hits, pair.truth, pair.system, moved, sums], format="csr", dtype=np.float64)
        return cls(csr_array(columns), len(pair.categories), assigned, pair.weights)

    @property
    def n(self) -> int:
        """Number of objects."""
        return int(self.columns.shape[0])

    def weigh(self, weights: Real) -> CategorySums:
        """Return the sums under weights of the objects, (..., objects), times those that they have by themselves."""
        weights = weights if self.weights is None else weights * self.weights
        flat = weights.reshape(-1, self.n)
        sums = as_real((self.columns.T @ flat.T).T).reshape(*weights.shape[:-1], -1)
        c = self.categories
        both, truth, system, moved = (sums[..., part * c : (part + 1) * c] for part in range(4))
        rest = (sums[..., 4 * c + column] for column in range(7))
        # added up in the order of the product: a category of all objects has the total to the last digit
        total = weights.sum(axis=-1) if self.weights is None else np.cumsum(weights, axis=-1)[..., -1]
        return CategorySums(as_real(total), both, truth, system, moved, self.order, *rest)

    def whole(self) -> CategorySums:
        """Return the sums over every object once."""
        return self.weigh(np.ones(self.n))

    def resample(self, draws: int, rng: np.random.Generator) -> CategorySums:
        """Return the sums over objects drawn with replacement, ``draws`` times over."""
        return self._weigh_blocks(
            np.stack([np.bincount(rng.integers(self.n, size=self.n), minlength=self.n) for _ in range(size)])
            for size in self._block_sizes(draws)
        )

    def halve(self, splits: int, rng: np.random.Generator) -> CategorySums:
        """Return the sums over both halves of random splits: a fair coin for each object."""
        return self._weigh_blocks(self.toss_coins(size, rng) for size in self._block_sizes(splits))

    def toss_coins(self, splits: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Draw 0/1 weights of both halves of each split, (2·splits, objects)."""
        heads = rng.integers(2, size=(splits, self.n))
        return np.concatenate([heads, 1 - heads])

    def _block_sizes(self, draws: int) -> Iterator[int]:
        step = max(1, MAX_BLOCK_CELLS // max(self.n, 1))
        return (min(step, draws - start) for start in range(0, draws, step))

    def _weigh_blocks(self, weights: Iterator[NDArray[np.int64]]) -> CategorySums:
        parts = [self.weigh(block.astype(np.float64)) for block in weights]
        joined = {
            field.name: np.concatenate([getattr(part, field.name) for part in parts])
            for field in fields(CategorySums)
            if field.name != "order"
        }
        return CategorySums(**joined, order=self.order)


def sum_categories(pair: Categorization, order: NDArray[np.int64] | None = None) -> CategorySums:
    """Return the sums over all objects of a categorization, renamed as an order of system categories says."""
    return ObjectSums.of(pair, order).whole()


@dataclass(frozen=True, eq=False)
class WeighedObjects:
    """The label sets of both sides, and the weight of each object."""

    pair: Categorization
    weights: Real

    @property
    def distinct(self) -> WeighedObjects:
        """Objects of equal sets on both sides taken as one, with their summed weight."""
        both = csr_array(hstack([self.pair.truth, self.pair.system], format="csr")).sorted_indices()
        places: dict[bytes, int] = {}
        of_row = np.array(
            [places.setdefault(both.indices[a:b].tobytes(), len(places)) for a, b in itertools.pairwise(both.indptr)],
            dtype=np.int64,
        )
        first = np.unique(of_row, return_index=True)[1]
        pair = replace(self.pair, truth=self.pair.truth[first], system=self.pair.system[first], objects=None)
        return WeighedObjects(pair, as_real(np.bincount(of_row, self.weights, len(places))))


# Calls with sums or with label sets -----------------------------------------------------------------------------------


Kind_contra = TypeVar("Kind_contra", contravariant=True)  # the sums or the objects that a metric is a function of
P = ParamSpec("P")


class LabelSetMetric(Protocol[Kind_contra, P]):
    """A number of sums or of objects, or of true and predicted label sets."""

    __name__: str

    @overload
    def __call__(self, tally: Kind_contra, *args: P.args, **options: P.kwargs) -> Real: ...
    @overload
    def __call__(
        self,
        y_true: LabelSetSource,
        y_pred: LabelSetSource,
        *,
        sample_weight: Iterable[float] | None = ...,
        threshold: float | None = ...,
        beta: float = ...,
    ) -> float: ...


def _count_objects(
    y_true: Any, y_pred: Any, *, sample_weight: Any = None, threshold: float | None = None
) -> WeighedObjects:
    check_pairing(y_true, {"sample_weight": sample_weight})
    pair = align_sides(y_true, y_pred, threshold)
    weights = np.ones(pair.n) if sample_weight is None else check_object_weights(sample_weight, pair.n)
    return WeighedObjects(pair, weights)


def _count_sums(y_true: Any, y_pred: Any, *, sample_weight: Any = None, threshold: float | None = None) -> CategorySums:
    objects = _count_objects(y_true, y_pred, sample_weight=sample_weight, threshold=threshold)
    pair = objects.pair if sample_weight is None else objects.pair.weigh_objects(objects.weights)
    order = assign_categories(pair, pair.joint_counts()) if len(pair.categories) <= MAX_RENAMED_CATEGORIES else None
    return sum_categories(pair, order)


BY_SUMS, BY_OBJECTS = (
    LabelCounting(
        kind,
        argument,
        ("y_true", "y_pred"),
        {"sample_weight": None, "threshold": None},
        count,
        "give a list of sets, an indicator matrix or a data frame for each side",
    )
    for kind, argument, count in (
        (CategorySums, "tally", _count_sums),
        (WeighedObjects, "objects", _count_objects),
    )
)


def label_set_metric(
    card: Card, counting: LabelCounting = BY_SUMS
) -> Callable[[Callable[Concatenate[Kind_contra, P], Real]], LabelSetMetric[Kind_contra, P]]:
    """Register a metric of label sets with its card, and let it take label sets beside what it is a function of."""
    return lambda score: register_callable(describe_metric(score, card, domain="label_sets"), counting)


# Metrics of sums ------------------------------------------------------------------------------------------------------


def _truth_bits(tally: CategorySums) -> Real:
    return tally.tables.truth_entropy.sum(axis=-1)


@label_set_metric(
    Card(
        title="Proficiency",
        biased=True,
        symbol="α",
        formula=r"\frac{\sum_i I(T_i;S_i)}{\sum_i H(T_i)}",
        source="steingold2016",
        undefined=_NO_ENTROPY,
        note="A category that all objects carry, or none, has no information and drops out of both sums.",
    )
)
def proficiency(tally: CategorySums) -> Real:
    """Fraction of the information in the true categories that the predicted categories carry."""
    return ratio(tally.information.sum(axis=-1), _truth_bits(tally))


@label_set_metric(
    Card(
        title="Permuted proficiency",
        biased=True,
        symbol="α'",
        formula=r"\max_\sigma\frac{\sum_i I(T_i;S_{\sigma(i)})}{\sum_i H(T_i)}",
        source="steingold2016",
        undefined=_NO_ENTROPY,
        note="Ties go to the category's own name. The best of many renamings is above 0 by chance.",
    )
)
def permuted_proficiency(tally: CategorySums) -> Real:
    """Proficiency after the best one-to-one renaming of the system's categories."""
    renamed = BinaryTables(tally.renamed_both, tally.truth, tally.system[..., tally.order], tally.tables.total)
    gain = (renamed.information - tally.information).sum(axis=-1)
    # cycle by cycle no renaming loses, so a negative sum is rounding
    bits = tally.information.sum(axis=-1) + gain
    return ratio(np.minimum(bits, _truth_bits(tally)), _truth_bits(tally))


@label_set_metric(
    Card(
        title="False information ratio",
        biased=True,
        symbol="r",
        formula=r"\frac{\sum_i H(S_i|T_i)}{\sum_i H(T_i)}",
        source="holt2010",
        range=(0.0, np.inf),
        better="lower",
        undefined=_NO_ENTROPY,
    )
)
def false_information_ratio(tally: CategorySums) -> Real:
    """False information relative to the truth's information."""
    system_bits = binary_entropy(tally.system, tally.tables.total)
    return ratio(np.maximum(system_bits - tally.information, 0.0).sum(axis=-1), _truth_bits(tally))


@label_set_metric(
    Card(
        title="Erroneous information ratio",
        biased=True,
        symbol="S_I/H(T)",
        formula=r"1-\alpha+r",
        source="holt2010",
        range=(0.0, np.inf),
        better="lower",
        undefined=_NO_ENTROPY,
    )
)
def erroneous_information_ratio(tally: CategorySums) -> Real:
    """Missed and false information relative to the truth's information."""
    return 1.0 - proficiency(tally) + false_information_ratio(tally)


@label_set_metric(
    Card(
        title="Micro precision",
        symbol="P_micro",
        formula=r"\frac{\sum_o|T_o\cap S_o|}{\sum_o|S_o|}",
        source="common",
        aliases=("precision (micro)",),
        undefined=_NO_SYSTEM,
    )
)
def micro_precision(tally: CategorySums) -> Real:
    """Fraction of the predicted pairs of object and category that are true."""
    return ratio(tally.both.sum(axis=-1), tally.system.sum(axis=-1))


@label_set_metric(
    Card(
        title="Micro recall",
        symbol="R_micro",
        formula=r"\frac{\sum_o|T_o\cap S_o|}{\sum_o|T_o|}",
        source="common",
        aliases=("recall (micro)",),
        undefined=_NO_TRUTH,
    )
)
def micro_recall(tally: CategorySums) -> Real:
    """Fraction of the true pairs of object and category that are predicted."""
    return ratio(tally.both.sum(axis=-1), tally.truth.sum(axis=-1))


@label_set_metric(
    Card(
        title="Micro F1",
        symbol="F1_micro",
        formula=r"\frac{2\sum_o|T_o\cap S_o|}{\sum_o|T_o|+|S_o|}",
        source="common",
        aliases=("F1 (micro)",),
        undefined=_NOTHING,
    )
)
def micro_f1(tally: CategorySums) -> Real:
    """Harmonic mean of micro precision and recall."""
    return ratio(2 * tally.both.sum(axis=-1), (tally.truth + tally.system).sum(axis=-1))


@label_set_metric(
    Card(
        title="Macro F1",
        symbol="F1_macro",
        formula=r"\frac{1}{k}\sum_i\frac{2|T_i\cap S_i|}{|T_i|+|S_i|}",
        source="common",
        aliases=("F1 (macro)",),
        undefined=_NOTHING,
        note="The mean over the categories that either side uses; a category that one side alone uses counts as 0.",
    )
)
def macro_f1(tally: CategorySums) -> Real:
    """Mean of the categories' F1: rare categories weigh as much as frequent ones."""
    used = tally.truth + tally.system
    is_used = used > 0
    scores = np.divide(2 * tally.both, used, out=np.zeros_like(used), where=is_used)
    return ratio(scores.sum(axis=-1), is_used.sum(axis=-1))


@label_set_metric(
    Card(
        title="Permuted precision",
        symbol="P'_micro",
        formula=r"\frac{\sum_i|T_i\cap S_{\sigma(i)}|}{\sum_i|S_i|}",
        source="steingold2016",
        aliases=("reassigned precision", "precision after reassignment"),
        undefined=_NO_SYSTEM,
        note="The renaming is the one of permuted proficiency; a pair that avoids each other may lower it.",
    )
)
def permuted_precision(tally: CategorySums) -> Real:
    """Micro precision after the system's categories are renamed as permuted proficiency does."""
    return clip_to_one(ratio(tally.renamed_both.sum(axis=-1), tally.system.sum(axis=-1)))


@label_set_metric(
    Card(
        title="Permuted recall",
        symbol="R'_micro",
        formula=r"\frac{\sum_i|T_i\cap S_{\sigma(i)}|}{\sum_i|T_i|}",
        source="steingold2016",
        aliases=("reassigned recall", "recall after reassignment"),
        undefined=_NO_TRUTH,
    )
)
def permuted_recall(tally: CategorySums) -> Real:
    """Micro recall after the system's categories are renamed as permuted proficiency does."""
    return clip_to_one(ratio(tally.renamed_both.sum(axis=-1), tally.truth.sum(axis=-1)))


@label_set_metric(
    Card(
        title="Permuted F1",
        symbol="F1'_micro",
        formula=r"\frac{2\sum_i|T_i\cap S_{\sigma(i)}|}{\sum_i|T_i|+|S_i|}",
        source="steingold2016",
        aliases=("reassigned F1", "F1 after reassignment"),
        undefined=_NOTHING,
    )
)
def permuted_f1(tally: CategorySums) -> Real:
    """Micro F1 after the system's categories are renamed as permuted proficiency does."""
    return clip_to_one(ratio(2 * tally.renamed_both.sum(axis=-1), (tally.truth + tally.system).sum(axis=-1)))


@label_set_metric(
    Card(
        title="Object precision",
        symbol="P_obj",
        formula=r"\operatorname{mean}_{o:\,S_o\ne\emptyset}\frac{|T_o\cap S_o|}{|S_o|}",
        source="common",
        undefined=_NO_SYSTEM,
        note="Objects to which the system gives nothing have no precision and are left out of the mean.",
    )
)
def object_precision(tally: CategorySums) -> Real:
    """Mean over objects of the fraction of their predicted categories that are true."""
    return ratio(tally.precision, tally.with_system)


@label_set_metric(
    Card(
        title="Object recall",
        symbol="R_obj",
        formula=r"\operatorname{mean}_{o:\,T_o\ne\emptyset}\frac{|T_o\cap S_o|}{|T_o|}",
        source="common",
        undefined=_NO_TRUTH,
        note="Objects without a true category have no recall and are left out of the mean.",
    )
)
def object_recall(tally: CategorySums) -> Real:
    """Mean over objects of the fraction of their true categories that are predicted."""
    return ratio(tally.recall, tally.with_truth)


@label_set_metric(
    Card(
        title="Object F1",
        symbol="F1_obj",
        formula=r"\operatorname{mean}_{o:\,T_o\cup S_o\ne\emptyset}\frac{2|T_o\cap S_o|}{|T_o|+|S_o|}",
        source="common",
        undefined=_NOTHING,
        note="Objects with no category on either side are left out of the mean.",
    )
)
def object_f1(tally: CategorySums) -> Real:
    """Mean over objects of the F1 of their sets."""
    return ratio(tally.f1, tally.with_either)


@label_set_metric(
    Card(
        title="Subset accuracy",
        symbol="exact",
        formula=r"P(T_o=S_o)",
        source="common",
        aliases=("exact match ratio",),
    )
)
def subset_accuracy(tally: CategorySums) -> Real:
    """Fraction of the objects whose predicted set equals the true set."""
    return ratio(tally.exact, tally.total)


@label_set_metric(
    Card(
        title="Hamming loss",
        symbol="HL",
        formula=r"\frac{\sum_o|T_o\triangle S_o|}{n\,C}",
        source="common",
        better="lower",
        undefined="there is no category",
        note="C counts every category that either side uses, so naming more categories lowers it.",
    )
)
def hamming_loss(tally: CategorySums) -> Real:
    """Fraction of all yes/no predictions (object × category) that are wrong."""
    wrong = (tally.truth + tally.system - 2 * tally.both).sum(axis=-1)
    return clip_to_one(ratio(wrong, tally.total * tally.both.shape[-1]))


def _chance_hits(tally: CategorySums) -> Real:
    """Return the expected hits of the system's sets dealt to the objects at random."""
    return ratio(np.sum(tally.truth * tally.system, axis=-1), tally.total)


@label_set_metric(
    Card(
        title="Random precision",
        symbol="P_rnd",
        formula=r"\frac{\sum_i p_iq_i}{\sum_i q_i}",
        source="steingold2016",
        better="none",
        undefined=_NO_SYSTEM,
    )
)
def random_precision(tally: CategorySums) -> Real:
    """Expected micro precision if the system's sets are assigned to the objects at random."""
    return clip_to_one(ratio(_chance_hits(tally), tally.system.sum(axis=-1)))


@label_set_metric(
    Card(
        title="Random recall",
        symbol="R_rnd",
        formula=r"\frac{\sum_i p_iq_i}{\sum_i p_i}",
        source="steingold2016",
        better="none",
        undefined=_NO_TRUTH,
    )
)
def random_recall(tally: CategorySums) -> Real:
    """Expected micro recall if the system's sets are assigned to the objects at random."""
    return clip_to_one(ratio(_chance_hits(tally), tally.truth.sum(axis=-1)))


@label_set_metric(
    Card(
        title="Random labeler's F1",
        symbol="F1_rnd",
        formula=r"\frac{2\sum_i p_iq_i}{\sum_i p_i+q_i}",
        source="steingold2016",
        better="none",
        undefined=_NOTHING,
    )
)
def random_f1(tally: CategorySums) -> Real:
    """Expected micro F1 if the system's sets are assigned to the objects at random."""
    return clip_to_one(ratio(2 * _chance_hits(tally), (tally.truth + tally.system).sum(axis=-1)))


MEASURES: tuple[Metric, ...] = all_metrics("label_sets")
RENAMED = ("permuted_proficiency", "permuted_precision", "permuted_recall", "permuted_f1")
"""Metrics that need a renaming of the categories."""


def score_sums(tally: CategorySums) -> dict[str, Real]:
    """Return every metric of sums, for one weighting of the objects or a batch."""
    return {entry.name: entry.score(tally) for entry in MEASURES}


def chance_proficiency(tally: CategorySums) -> Real:
    """Return the proficiency to expect of the system's sets dealt to the objects at random: exact, and above 0."""
    return ratio(tally.tables.expected_information.sum(axis=-1), _truth_bits(tally))


def adjusted_proficiency(tally: CategorySums) -> Real:
    """Return the proficiency beyond what chance explains: 0 for a random labeler on average, 1 for identity."""
    by_chance = tally.tables.expected_information.sum(axis=-1)
    return ratio(tally.information.sum(axis=-1) - by_chance, _truth_bits(tally) - by_chance)


# Metrics of objects ---------------------------------------------------------------------------------------------------


@label_set_metric(
    Card(
        title="Object F-β",
        symbol="Fβ_obj",
        formula=r"\operatorname{mean}_o\frac{(1+\beta^2)|T_o\cap S_o|}{\beta^2|T_o|+|S_o|}",
        source="common",
        aliases=("F-beta by object", "example-based F-beta", "samples F-beta"),
        undefined=_NO_SETS,
        note="Objects with no category on either side are left out of the mean; beta is 2 unless stated.",
    ),
    BY_OBJECTS,
)
def object_f_beta(objects: WeighedObjects, *, beta: float = 2.0) -> Real:
    """Mean over objects of the F-beta of their sets, with recall beta times as important as precision."""
    if not 0 <= beta < np.inf:
        raise InputError(f"beta is {beta}; it is a number of 0 or more")
    pair = objects.pair
    truth, system, hits = (np.diff(side.indptr).astype(np.float64) for side in (pair.truth, pair.system, pair.hits))
    has_sets = truth + system > 0
    score = ratio((1 + beta**2) * hits, beta**2 * truth + system)
    return ratio(np.sum(objects.weights[has_sets] * np.nan_to_num(score[has_sets])), np.sum(objects.weights[has_sets]))


@label_set_metric(
    Card(
        title="Extended B-cubed precision",
        symbol="B³_P",
        formula=r"\operatorname{mean}_e\operatorname{mean}_{e'}\frac{\min(|C\cap C'|,|L\cap L'|)}{|C\cap C'|}",
        source="amigo2009",
        aliases=("extended BCubed precision", "multiplicity precision"),
        undefined=_NO_CLUSTER,
        note="For clusters that overlap; e' runs over the objects that share a cluster with e, itself included.",
    ),
    BY_OBJECTS,
)
def extended_bcubed_precision(objects: WeighedObjects) -> Real:
    """Extent to which objects that share clusters share categories as often, mean over objects in a cluster."""
    return _mean_multiplicity(objects, of_system=True)


@label_set_metric(
    Card(
        title="Extended B-cubed recall",
        symbol="B³_R",
        formula=r"\operatorname{mean}_e\operatorname{mean}_{e'}\frac{\min(|C\cap C'|,|L\cap L'|)}{|L\cap L'|}",
        source="amigo2009",
        aliases=("extended BCubed recall", "multiplicity recall"),
        undefined=_NO_TRUTH,
        note="For clusters that overlap; e' runs over the objects that share a category with e, itself included.",
    ),
    BY_OBJECTS,
)
def extended_bcubed_recall(objects: WeighedObjects) -> Real:
    """Extent to which objects that share categories share clusters as often, mean over objects with a category."""
    return _mean_multiplicity(objects, of_system=False)


@label_set_metric(
    Card(
        title="Extended B-cubed F1",
        symbol="B³_F",
        formula=r"\frac{2PR}{P+R}",
        source="amigo2009",
        aliases=("extended BCubed", "extended B-cubed"),
        undefined=f"{_NO_CLUSTER}, or {_NO_TRUTH}",
    ),
    BY_OBJECTS,
)
def extended_bcubed_f1(objects: WeighedObjects) -> Real:
    """Harmonic mean of extended B-cubed precision and recall."""
    precision, recall = (_mean_multiplicity(objects, of_system=side) for side in (True, False))
    return ratio(2 * precision * recall, precision + recall)


def _mean_multiplicity(objects: WeighedObjects, *, of_system: bool) -> Real:
    """Return the mean, over objects and those that share something with them, of what both sides agree on."""
    distinct = objects.distinct
    one, other = distinct.pair.system.astype(np.float64), distinct.pair.truth.astype(np.float64)
    if not of_system:
        one, other = other, one
    weights = distinct.weights
    score, is_placed = np.zeros(len(weights)), np.diff(one.indptr) > 0
    step = max(1, MAX_BLOCK_CELLS // max(len(weights), 1))
    for start in range(0, len(weights), step):
        rows = slice(start, start + step)
        here, there = (as_real((side[rows] @ side.T).toarray()) for side in (one, other))
        shared = here > 0
        agreed = np.divide(np.minimum(here, there), here, out=np.zeros_like(here), where=shared)
        score[rows] = np.nan_to_num(ratio(agreed @ weights, shared @ weights))
    return ratio(np.sum(weights[is_placed] * score[is_placed]), np.sum(weights[is_placed]))


# Renaming -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Reassignment:
    """A true category that the best renaming gives to a system category of another name."""

    truth: str
    system: str
    proficiency: float | None
    """Fraction of the true category's information in the assigned one; None where it has none."""
    joint: int
    expected: float
    truth_count: int
    system_count: int
    association: str
    """positive, negative, or none."""
    p_value: float
    """P of the pair by chance or of its being no better than the category's own name, whichever is greater; for all
    pairs that were compared (Bonferroni)."""
    finding: bool
    """Positive, beyond chance, and significantly better than the category's own name."""

    def sentence(self, truth_name: str, system_name: str) -> str:
        """Return the reassignment in words."""
        met = f"{pluralize(self.joint, 'object')} together, {self.expected:.1f} expected by chance"
        if self.association == "positive":
            doubt = "" if self.finding else "; not significantly better than the category's own name"
            return f"{system_name} used '{self.system}' where {truth_name} used '{self.truth}': {met}{doubt}"
        if self.association == "negative":
            return f"'{self.truth}' and '{self.system}' avoid each other ({met}): no renaming"
        return f"'{self.truth}' and '{self.system}' are paired because they are left over"


def compute_pair_information(counts: Real, truth: Real, system: Real, total: float) -> Real:
    """Return the shared bits of every true category with every system category."""
    return BinaryTables(counts, truth[:, None], system[None, :], total).information


def compute_pair_worth(information: Real, truth: Real, total: float, by: AssignBy) -> Real:
    """Return what each pair of categories adds to the sum that a renaming makes greatest.

    By proficiency, a category of two objects counts as much as one of two hundred; one that has no information of its
    own adds nothing.
    """
    if by == "information":
        return information
    truth_bits = binary_entropy(truth, total)[:, None]
    return np.divide(information, truth_bits, out=np.zeros_like(information), where=truth_bits > 0)


def find_best_order(worth: Real) -> NDArray[np.int64]:
    """Return for each true category the system category that makes the sum greatest; ties go to its own name."""
    if not worth.size:
        return np.arange(0)
    leaning = worth.copy()
    leaning[np.diag_indices_from(leaning)] += TIE_BITS
    return best_assignment(leaning)[1]


CategoryCounts: TypeAlias = "Categorization | SingleLabelPair"
"""Objects by category on two sides: label sets, or one category per item of two annotators."""


def assign_categories(pair: CategoryCounts, counts: Real, by: AssignBy = "information") -> NDArray[np.int64]:
    """Return the best renaming of a categorization, given its joint counts."""
    information = compute_pair_information(counts, pair.truth_counts, pair.system_counts, pair.total)
    return find_best_order(compute_pair_worth(information, pair.truth_counts, pair.total, by))


def find_reassignments(pair: CategoryCounts, counts: Real, order: NDArray[np.int64]) -> list[Reassignment]:
    """Return the categories that the renaming moves, the most informative first.

    A pair must pass two tests. It occurs together more often than by chance (hypergeometric, times all pairs). And the
    true category goes with the assigned system category better than with the one of its own name: Vuong's test of the
    two as models of the true category, times the pairs of different names that go together beyond chance, among which
    the renaming chose. A test against shuffled labels alone would reject nothing about names.
    """
    rows = np.flatnonzero(order != np.arange(len(order)))
    columns = order[rows]
    n = pair.total
    truth, system, joint = pair.truth_counts[rows], pair.system_counts[columns], counts[rows, columns]
    tables = BinaryTables(joint, truth, system, n)
    bits, sign, expected = tables.information, tables.sign, tables.expected
    truth_bits = binary_entropy(truth, n)
    looks = float(np.count_nonzero(pair.truth_counts) * np.count_nonzero(pair.system_counts))
    every = BinaryTables(counts, pair.truth_counts[:, None], pair.system_counts[None, :], n)
    critical = ndtri(1 - SIGNIFICANCE_LEVEL / max(looks, 1.0)) ** 2 / (2.0 * n * np.log(2.0))
    related = (every.sign > 0) & (every.information >= critical)
    candidates = max(int(np.count_nonzero(related)) - int(np.count_nonzero(related.diagonal())), 1)
    gains = _standardize_gains(pair, rows, columns, joint)
    moved = []
    for i in np.argsort(-np.divide(bits, truth_bits, out=np.zeros_like(bits), where=truth_bits > 0), kind="stable"):
        p = 1.0
        if sign[i] > 0:
            p_chance = _hypergeometric_tail(joint[i], truth[i], system[i], n) * looks
            p = float(min(1.0, max(p_chance, erfc(gains[i] / 2**0.5) / 2 * candidates)))
        moved.append(
            Reassignment(
                truth=str(pair.categories[rows[i]]),
                system=str(pair.categories[columns[i]]),
                proficiency=float(bits[i] / truth_bits[i]) if truth_bits[i] > 0 else None,
                joint=int(joint[i]),
                expected=float(expected[i]),
                truth_count=int(truth[i]),
                system_count=int(system[i]),
                association=("negative", "none", "positive")[int(sign[i]) + 1],
                p_value=p,
                finding=bool(sign[i] > 0 and p <= SIGNIFICANCE_LEVEL),
            )
        )
    return moved


def _standardize_gains(pair: CategoryCounts, rows: NDArray[np.int64], columns: NDArray[np.int64], joint: Real) -> Real:
    """Return how much better each true category goes with its new system category than with its own, over its error.

    Over objects, the mean log ratio of P(true | new) and P(true | own) is the difference of the two informations; it is
    divided by its standard error.
    """
    n, truth, own, new = pair.total, pair.truth_counts[rows], pair.system_counts[rows], pair.system_counts[columns]
    own_hits, new_hits = pair.both[rows], joint
    if isinstance(pair, Categorization):
        both_given = pair.system[:, rows].multiply(pair.system[:, columns])
        both = as_real(both_given.sum(axis=0)).ravel()
        all_three = as_real(pair.truth[:, rows].multiply(both_given).sum(axis=0)).ravel()
    else:  # one category per object
        both = all_three = np.zeros(len(rows))
    total, squares = np.zeros(len(rows)), np.zeros(len(rows))
    for t, a, b in itertools.product((True, False), repeat=3):
        # objects with this truth (t), own category (a) and new category (b), by inclusion and exclusion
        with_own, with_new = (own_hits, new_hits) if t else (own - own_hits, new - new_hits)
        with_both, margin = (all_three, truth) if t else (both - all_three, n - truth)
        of_own, of_new = (with_own if a else margin - with_own), (with_new if b else margin - with_new)
        if a:
            objects = with_both if b else with_own - with_both
        else:
            objects = with_new - with_both if b else margin - with_own - with_new + with_both
        used = objects > 0
        ratios = np.zeros(len(rows))
        by_new, by_own = (
            of_new / np.maximum(new if b else n - new, 1.0),
            of_own / np.maximum(own if a else n - own, 1.0),
        )
        ratios[used] = np.log(by_new[used] / by_own[used])
        total += objects * ratios
        squares += objects * ratios**2
    variance = squares - total**2 / n
    return np.divide(total, np.sqrt(np.maximum(variance, 0.0)), out=np.zeros(len(rows)), where=variance > 1e-9)


def _hypergeometric_tail(joint: float, a: float, b: float, n: float) -> float:
    """Return the probability that two random sets of ``a`` and ``b`` out of ``n`` objects share ``joint`` or more."""
    x = np.arange(joint, min(a, b) + 1)
    log_p = (
        gammaln(a + 1) + gammaln(b + 1) + gammaln(n - a + 1) + gammaln(n - b + 1) - gammaln(n + 1)
        - gammaln(x + 1) - gammaln(a - x + 1) - gammaln(b - x + 1) - gammaln(n - a - b + x + 1)
    )  # fmt: skip
    return float(min(1.0, np.exp(log_p).sum()))


@dataclass(frozen=True)
class Chance:
    """Permuted proficiency of shuffled labels, against that of the labels as they are."""

    shuffles: int
    mean: float
    """Permuted proficiency of shuffled labels, on average."""
    p_value: float
    """Fraction of shuffles that reach the permuted proficiency of the labels as they are."""


def measure_chance(
    pair: Categorization, permuted: float, shuffles: int, rng: np.random.Generator, by: AssignBy = "information"
) -> Chance | None:
    """Shuffle the objects of one side; ``permuted`` is the permuted proficiency of the pair itself."""
    truth_bits = float(binary_entropy(pair.truth_counts, pair.total).sum())
    if not shuffles or truth_bits == 0:
        return None
    bits = []
    for _ in range(shuffles):
        dealt = pair.deal_system(rng.permutation(pair.n))
        information = compute_pair_information(dealt.joint_counts(), pair.truth_counts, dealt.system_counts, pair.total)
        order = find_best_order(compute_pair_worth(information, pair.truth_counts, pair.total, by))
        bits.append(float(information[np.arange(len(order)), order].sum()))
    draws = np.array(bits) / truth_bits
    reached = np.count_nonzero(draws >= permuted - 1e-12)
    return Chance(shuffles, float(draws.mean()), float((1 + reached) / (shuffles + 1)))
