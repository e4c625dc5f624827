"""Information between columns of numbers by nearest neighbours: nearly unbiased, from rows and not from counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from infoscope.errors import InputError
from infoscope.results.estimate import Estimate
from infoscope.studies.relate.binning import is_numeric
from infoscope.studies.relate.result import Relation
from infoscope.tables.patterns import Patterns

__all__ = ["by_neighbours"]

MAX_ROWS = 20_000
"""Rows that are sampled for a pair."""


def by_neighbours(patterns: Patterns, relations: Sequence[Relation], seed: int) -> Iterator[Relation]:
    """The relations with the information of those that have a column of numbers estimated by nearest neighbours."""
    try:
        from sklearn.feature_selection import mutual_info_classif, mutual_info_regression  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise InputError("bins=\"nearest\" needs scikit-learn; pip install 'infoscope[sklearn]'") from error
    if patterns.is_weighted:
        raise InputError('bins="nearest" takes rows of equal weight; leave the weights or "nearest" out')
    patterns = patterns.in_order()
    rng = np.random.default_rng(seed)
    for relation in relations:
        places = [patterns.place(name) for name in (relation.first, relation.second)]
        numeric = [is_numeric(patterns.labels[at]) for at in places]
        if not any(numeric) or not relation.rows:
            yield relation
            continue
        columns = _rows(patterns, places, rng)
        numbers = [
            _as_numbers(patterns, at, column, values)
            for at, column, values in zip(places, columns, numeric, strict=True)
        ]
        if not numeric[1]:
            numbers, numeric = numbers[::-1], numeric[::-1]
        estimate = mutual_info_regression if numeric[1] else mutual_info_classif
        nats = estimate(numbers[0].reshape(-1, 1), numbers[1], discrete_features=[not numeric[0]], random_state=seed)
        yield replace(relation, information=Estimate.of(float(nats[0]) / np.log(2.0)), estimator="nearest neighbours")


def _rows(patterns: Patterns, places: Sequence[int], rng: np.random.Generator) -> list[NDArray[np.int64]]:
    """Codes of both columns, row by row; a random sample where there are many rows."""
    both = (patterns.codes[places] >= 0).all(axis=0)
    counts = patterns.counts[both].astype(np.int64)
    if counts.sum() > MAX_ROWS:
        counts = rng.multivariate_hypergeometric(counts, MAX_ROWS, method="marginals")
    return [np.repeat(patterns.codes[at, both].astype(np.int64), counts) for at in places]


def _as_numbers(patterns: Patterns, at: int, codes: NDArray[np.int64], numeric: bool) -> NDArray[np.float64]:
    if not numeric:
        return codes.astype(np.float64)
    values = np.array([float(label) for label in patterns.labels[at]])  # type: ignore[arg-type]
    return np.asarray(values[codes], dtype=np.float64)
