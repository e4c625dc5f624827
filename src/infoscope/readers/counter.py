"""Counter: a table that grows batch by batch, for training loops and streams."""

from __future__ import annotations

import collections
from collections.abc import Iterable, Mapping
from typing import Any

from infoscope.errors import InputError
from infoscope.readers.labels import check_comparable, is_missing, match_label, meaning
from infoscope.tables import Contingency
from infoscope.tables.labels import Label

__all__ = ["Counter"]

_BUFFER = 8192


class Counter:
    """Counts of (truth, system) pairs as they arrive; memory grows with labels, not with rows.

    >>> counter = Counter()
    >>> counter.update(["cat", "dog"], ["cat", "cat"])
    >>> counter.update(["bird"], ["bird"])
    >>> counter.table().total
    3.0
    """

    def __init__(self, *, reject: Label | None = None, positive: Label | None = None) -> None:
        self.reject = reject
        self.positive = positive
        self._truth: list[Any] = []
        self._system: list[Any] = []
        self._counts: dict[tuple[Any, Any], float] = {}
        self._squares = 0.0
        self._weighted: bool | None = None
        self._kinds: tuple[set[type], set[type]] = (set(), set())
        self._ignored: dict[str, int] = {}

    def update(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Count one batch: two sequences of the same length, arrays and tensors too."""
        truth, system = _listed(y_true, "truth"), _listed(y_pred, "system")
        if len(truth) != len(system):
            raise InputError(
                f"a batch has {len(truth)} truth labels and {len(system)} system labels; they are paired row by row"
            )
        weighted = sample_weight is not None
        if self._weighted is not weighted:
            self._settle_weighting(weighted)
        if weighted:
            self._add_weighted(truth, system, _listed(sample_weight, "weight"))
            return
        self._truth += truth
        self._system += system
        if len(self._truth) >= _BUFFER:
            self._flush()

    def merge(self, other: Counter) -> None:
        """Add what another counter has counted; that one stays as it is."""
        other._flush()
        if other._weighted is None:
            return
        if self._weighted is not other._weighted:
            self._settle_weighting(other._weighted)
        for pair, count in other._counts.items():
            self._counts[pair] = self._counts.get(pair, 0) + count
        for mine, theirs in zip(self._kinds, other._kinds, strict=True):
            mine.update(theirs)
        _add(self._ignored, other._ignored)
        self._squares += other._squares

    def table(self) -> Contingency:
        """The table of everything counted so far; counting may go on."""
        self._flush()
        self._check_kinds()
        truth = list(dict.fromkeys(pair[0] for pair in self._counts))
        system = list(dict.fromkeys(pair[1] for pair in self._counts))
        sides = {"truth": _labels(truth, "truth"), "system": _labels(system, "system")}
        check_comparable(sides)
        rows = {value: i for i, value in enumerate(truth)}
        columns = {value: i for i, value in enumerate(system)}
        return Contingency.from_cells(
            sides["truth"],
            sides["system"],
            [rows[pair[0]] for pair in self._counts],
            [columns[pair[1]] for pair in self._counts],
            list(self._counts.values()),
            reject=match_label(self.reject, sides["system"]),
            positive=match_label(self.positive, sides["truth"]),
            ignored=self._ignored,
            weight_squares=self._squares if self._weighted else None,
        )

    def reset(self) -> None:
        """Forget everything that was counted."""
        self.__init__(reject=self.reject, positive=self.positive)  # type: ignore[misc]

    def _settle_weighting(self, weighted: bool) -> None:
        if self._weighted is not None:
            raise InputError("some batches have weights and others do not; give weights to all")
        self._weighted = weighted

    def _flush(self) -> None:
        if not self._truth:
            return
        for side, values in enumerate((self._truth, self._system)):
            self._kinds[side].update(map(type, values))
        counted = collections.Counter(zip(self._truth, self._system, strict=True))
        self._truth.clear()
        self._system.clear()
        for pair, count in counted.items():
            if not self._is_hole(pair, count):
                self._counts[pair] = self._counts.get(pair, 0) + count

    def _add_weighted(self, truth: list[Any], system: list[Any], weights: list[float]) -> None:
        if len(weights) != len(truth):
            raise InputError(f"a batch has {len(truth)} rows and {len(weights)} weights")
        for side, values in enumerate((truth, system)):
            self._kinds[side].update(map(type, values))
        for pair, weight in zip(zip(truth, system, strict=True), weights, strict=True):
            if is_missing(weight):
                _add(self._ignored, {"missing weight": 1})
            elif not 0 <= weight < float("inf"):
                raise InputError(f"a weight is {weight}; weights are finite and not negative")
            elif not self._is_hole(pair, 1):
                self._counts[pair] = self._counts.get(pair, 0) + weight
                self._squares += weight * weight

    def _is_hole(self, pair: tuple[Any, Any], rows: int) -> bool:
        for side, value in zip(("truth", "system"), pair, strict=True):
            if is_missing(value):
                _add(self._ignored, {f"missing label in {side}": rows})
                return True
        return False

    def _check_kinds(self) -> None:
        """True and 1 are one key of a dictionary, so their mixture is seen by type alone."""
        for side, kinds in zip(("truth", "system"), self._kinds, strict=True):
            if bool in kinds and kinds & {int, float}:
                raise InputError(f"{side} mixes booleans and numbers; give it one type")
        if any(bool in kinds for kinds in self._kinds) and any(kinds & {int, float} for kinds in self._kinds):
            raise InputError(
                "one side has booleans and the other numbers; they look alike but are different "
                "labels: convert both sides to one type"
            )


def _listed(values: Any, side: str) -> list[Any]:
    if type(values) is list:
        return values
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise InputError(f"{side} is a single {type(values).__name__}; give a sequence of labels")
    for name in ("tolist", "to_list", "to_pylist"):
        method = getattr(values, name, None)
        if method is not None:
            found = method()
            if not isinstance(found, list) or (found and isinstance(found[0], list)):
                raise InputError(f"{side} is not one-dimensional; give one label for each row")
            return found
    return list(values)


def _labels(values: list[Any], side: str) -> list[Label]:
    return [label for label in (meaning(value, side) for value in values) if label is not None]


def _add(sums: dict[str, int], more: Mapping[str, int]) -> None:
    for reason, rows in more.items():
        sums[reason] = sums.get(reason, 0) + rows
