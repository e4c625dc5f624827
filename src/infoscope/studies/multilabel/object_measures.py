"""Metrics of label sets that need every object: F-beta by object, and B-cubed for clusters that overlap."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Concatenate, ParamSpec, Protocol, Unpack, overload

import numpy as np
from scipy.sparse import csr_array, hstack

from infoscope.core.numerics import Real, as_real, ratio
from infoscope.errors import InputError
from infoscope.metrics.arguments import LabelCounting
from infoscope.metrics.registry import Card, describe_metric, register_callable
from infoscope.studies.multilabel.arguments import LabelSetKeywords, LabelSetSource, aligned_sets, object_weights
from infoscope.tables.encoding import check_pairing
from infoscope.tables.label_sets import Categorization

__all__ = [
    "WeighedObjects",
    "extended_bcubed_f1",
    "extended_bcubed_precision",
    "extended_bcubed_recall",
    "object_f_beta",
]

P = ParamSpec("P")
_BLOCK_CELLS = 1 << 22
_NO_SETS = "no object has a category on either side"
_NO_CLUSTER = "the system puts no object into a cluster"
_NO_CATEGORY = "no object has a category"


@dataclass(frozen=True, eq=False)
class WeighedObjects:
    """The label sets of both sides, and the weight of each object."""

    pair: Categorization
    weights: Real

    @property
    def distinct(self) -> WeighedObjects:
        """Objects with the same sets on both sides as one, with their summed weight."""
        both = csr_array(hstack([self.pair.truth, self.pair.system], format="csr")).sorted_indices()
        places: dict[bytes, int] = {}
        of_row = np.array(
            [places.setdefault(both.indices[a:b].tobytes(), len(places)) for a, b in itertools.pairwise(both.indptr)],
            dtype=np.int64,
        )
        first = np.unique(of_row, return_index=True)[1]
        pair = replace(self.pair, truth=self.pair.truth[first], system=self.pair.system[first], objects=None)
        return WeighedObjects(pair, as_real(np.bincount(of_row, self.weights, len(places))))


class ObjectMetric(Protocol[P]):
    """A number of objects with their label sets, or of true and predicted label sets."""

    __name__: str

    @overload
    def __call__(self, objects: WeighedObjects, *args: P.args, **options: P.kwargs) -> Real: ...
    @overload
    def __call__(
        self, y_true: LabelSetSource, y_pred: LabelSetSource, *, beta: float = ..., **options: Unpack[LabelSetKeywords]
    ) -> float: ...


def _weighed(y_true: Any, y_pred: Any, *, sample_weight: Any = None, threshold: float | None = None) -> WeighedObjects:
    check_pairing(y_true, {"sample_weight": sample_weight})
    pair = aligned_sets(y_true, y_pred, threshold)
    return WeighedObjects(pair, np.ones(pair.n) if sample_weight is None else object_weights(sample_weight, pair.n))


_COUNTING = LabelCounting(
    WeighedObjects,
    "objects",
    ("y_true", "y_pred"),
    {"sample_weight": None, "threshold": None},
    _weighed,
    "give a list of sets, an indicator matrix or a data frame for each side",
)


def _object_metric(card: Card) -> Callable[[Callable[Concatenate[WeighedObjects, P], Real]], ObjectMetric[P]]:
    return lambda score: register_callable(describe_metric(score, card, domain="label_sets"), _COUNTING)


@_object_metric(
    Card(
        title="Object F-β",
        symbol="Fβ_obj",
        formula=r"\operatorname{mean}_o\frac{(1+\beta^2)|T_o\cap S_o|}{\beta^2|T_o|+|S_o|}",
        source="common",
        aliases=("F-beta by object", "example-based F-beta", "samples F-beta"),
        undefined=_NO_SETS,
        note="Objects with no category on either side are left out of the mean; beta is 2 unless stated.",
    )
)
def object_f_beta(objects: WeighedObjects, *, beta: float = 2.0) -> Real:
    """Mean over objects of the F-beta of their sets, with recall beta times as important as precision."""
    if not 0 <= beta < np.inf:
        raise InputError(f"beta is {beta}; it is a number of 0 or more")
    pair = objects.pair
    truth, system, hits = (np.diff(side.indptr).astype(np.float64) for side in (pair.truth, pair.system, pair.hits))
    known = truth + system > 0
    score = ratio((1 + beta**2) * hits, beta**2 * truth + system)
    return ratio(np.sum(objects.weights[known] * np.nan_to_num(score[known])), np.sum(objects.weights[known]))


@_object_metric(
    Card(
        title="Extended B-cubed precision",
        symbol="B³_P",
        formula=r"\operatorname{mean}_e\operatorname{mean}_{e'}\frac{\min(|C\cap C'|,|L\cap L'|)}{|C\cap C'|}",
        source="amigo2009",
        aliases=("extended BCubed precision", "multiplicity precision"),
        undefined=_NO_CLUSTER,
        note="For clusters that overlap; e' runs over the objects that share a cluster with e, itself included.",
    )
)
def extended_bcubed_precision(objects: WeighedObjects) -> Real:
    """How far objects that share clusters share categories as often, mean over objects that are in a cluster."""
    return _multiplicity(objects, of_system=True)


@_object_metric(
    Card(
        title="Extended B-cubed recall",
        symbol="B³_R",
        formula=r"\operatorname{mean}_e\operatorname{mean}_{e'}\frac{\min(|C\cap C'|,|L\cap L'|)}{|L\cap L'|}",
        source="amigo2009",
        aliases=("extended BCubed recall", "multiplicity recall"),
        undefined=_NO_CATEGORY,
        note="For clusters that overlap; e' runs over the objects that share a category with e, itself included.",
    )
)
def extended_bcubed_recall(objects: WeighedObjects) -> Real:
    """How far objects that share categories share clusters as often, mean over objects that carry a category."""
    return _multiplicity(objects, of_system=False)


@_object_metric(
    Card(
        title="Extended B-cubed F1",
        symbol="B³_F",
        formula=r"\frac{2PR}{P+R}",
        source="amigo2009",
        aliases=("extended BCubed", "extended B-cubed"),
        undefined=f"{_NO_CLUSTER}, or {_NO_CATEGORY}",
    )
)
def extended_bcubed_f1(objects: WeighedObjects) -> Real:
    """Harmonic mean of extended B-cubed precision and recall."""
    precision, recall = (_multiplicity(objects, of_system=side) for side in (True, False))
    return ratio(2 * precision * recall, precision + recall)


def _multiplicity(objects: WeighedObjects, *, of_system: bool) -> Real:
    """The mean, over objects and those that share something with them, of the share that both sides agree on."""
    distinct = objects.distinct
    one, other = distinct.pair.system.astype(np.float64), distinct.pair.truth.astype(np.float64)
    if not of_system:
        one, other = other, one
    weights = distinct.weights
    score, known = np.zeros(len(weights)), np.diff(one.indptr) > 0
    step = max(1, _BLOCK_CELLS // max(len(weights), 1))
    for start in range(0, len(weights), step):
        rows = slice(start, start + step)
        here, there = (as_real((side[rows] @ side.T).toarray()) for side in (one, other))
        shared = here > 0
        agreed = np.divide(np.minimum(here, there), here, out=np.zeros_like(here), where=shared)
        score[rows] = np.nan_to_num(ratio(agreed @ weights, shared @ weights))
    return ratio(np.sum(weights[known] * score[known]), np.sum(weights[known]))
