"""Counter: a table that grows batch by batch, for training loops and streams."""

from __future__ import annotations

import collections
import datetime
from collections.abc import Iterable, Mapping
from math import inf
from typing import Any

import numpy as np

from infoscope.core.validation import KeywordHints
from infoscope.errors import InputError
from infoscope.readers.labels import are_days, check_comparable, decode_value, match_label
from infoscope.tables import Contingency
from infoscope.tables.counting import warn_of_rows
from infoscope.tables.device import GrowingTable, are_on_device, check_devices
from infoscope.tables.encoding import check_pairing, on_one_calendar, one_column
from infoscope.tables.labels import Label, as_labels, is_missing
from infoscope.typing import ArrayLike, LabelsLike

__all__ = ["Counter"]

_BUFFER = 8192


class Counter(KeywordHints):
    """Counts of (truth, system) pairs as they arrive; memory grows with labels, not with rows.

    >>> counter = Counter()
    >>> counter.update(["cat", "dog"], ["cat", "cat"])
    >>> counter.update(["bird"], ["bird"])
    >>> counter.table().total
    3.0
    >>> counter
    Counter of 3 rows, 3 true × 2 predicted classes

    ``labels`` states the classes, in their order. Tensors on a device are counted there; with ``labels`` stated as
    whole numbers nothing waits for the device before the table is asked for.
    """

    def __init__(
        self, *, labels: LabelsLike | None = None, reject: Label | None = None, positive: Label | None = None
    ) -> None:
        self.labels = None if labels is None else as_labels(labels)
        self.reject = reject
        self.positive = positive
        stated = None if self.labels is None else [*self.labels, *(() if reject is None else (reject,))]
        self._on_device = GrowingTable(stated)
        self._truth: list[Any] = []
        self._system: list[Any] = []
        self._weights: list[Any] = []
        self._counts: dict[tuple[Any, Any], float] = {}
        self._squares = 0.0
        self._weighted: bool | None = None
        self._kinds: tuple[set[type], set[type]] = (set(), set())
        self._ignored: dict[str, int] = {}
        self._left_out: tuple[set[Any], set[Any]] = (set(), set())
        """Days and times of rows that lack their other label: they say whether those that count are days."""

    def update(self, y_true: LabelsLike, y_pred: LabelsLike, sample_weight: ArrayLike | None = None) -> None:
        """Count one batch: two sequences of the same length, arrays and tensors too."""
        if type(y_true) is type(y_pred) is list and sample_weight is None:  # lists have no index and no device
            truth, system = y_true, y_pred
        else:
            check_pairing(y_true, {"system": y_pred, "sample_weight": sample_weight})
            check_devices({"truth": y_true, "system": y_pred, "sample_weight": sample_weight})
            if are_on_device(y_true, y_pred, sample_weight):
                self._settle_weighting(sample_weight is not None)
                self._on_device.add(y_true, y_pred, sample_weight)
                return
            truth, system = _list_values(y_true, "truth"), _list_values(y_pred, "system")
        if len(truth) != len(system):
            raise InputError(
                f"a batch has {len(truth)} truth labels and {len(system)} system labels; they are paired row by row"
            )
        try:
            hash((*truth, *system))
        except TypeError as error:
            raise InputError("a label of the batch is a list or a record; labels are text, numbers or dates") from error
        weights = None if sample_weight is None else _check_weights(_list_values(sample_weight, "weight"), len(truth))
        if self._weighted is not (weights is not None):
            self._settle_weighting(weights is not None)
        self._truth += truth
        self._system += system
        if weights is not None:
            self._weights += weights
        if len(self._truth) >= _BUFFER:
            self._flush()

    def __repr__(self) -> str:
        """Say how much was counted, and how many classes there are."""
        self._flush()
        total = sum(self._counts.values())
        sides = [len(dict.fromkeys(pair[at] for pair in self._counts)) for at in (0, 1)]
        what = "of total weight" if self._weighted else "row" if total == 1 else "rows"
        counted = f"rows {what} {total:,.6g}" if self._weighted else f"{total:,.0f} {what}"
        return f"Counter of {counted}, {sides[0]:,} true × {sides[1]:,} predicted classes"

    def merge(self, other: Counter) -> None:
        """Add what another counter has counted; that one stays as it is."""
        for name in ("reject", "positive"):
            mine, theirs = getattr(self, name), getattr(other, name)
            if theirs is not None and theirs != mine:
                raise InputError(
                    f"the counters have different {name} labels, {mine!r} and {theirs!r}; give both the same"
                )
        other._flush()
        if other._weighted is None:
            return
        self._settle_weighting(other._weighted)
        for pair, count in other._counts.items():
            self._counts[pair] = self._counts.get(pair, 0) + count
        for mine, theirs in zip((*self._kinds, *self._left_out), (*other._kinds, *other._left_out), strict=True):
            mine.update(theirs)
        _add(self._ignored, other._ignored)
        self._squares += other._squares

    def table(self) -> Contingency:
        """Return the table of everything counted so far; counting may go on. Warns of rows without a label."""
        self._flush()
        warn_of_rows(self._ignored)
        # True and 1 are one key of a dictionary: only their types tell booleans and numbers apart
        have_booleans = [any(issubclass(kind, (bool, np.bool_)) for kind in kinds) for kinds in self._kinds]
        have_numbers = [
            any(issubclass(kind, (int, float, np.number)) and kind is not bool for kind in kinds)
            for kinds in self._kinds
        ]
        for side, *mixes in zip(("truth", "system"), have_booleans, have_numbers, strict=True):
            if all(mixes):
                raise InputError(f"{side} mixes booleans and numbers; give it one type")
        if any(have_booleans) and any(have_numbers):
            raise InputError(
                "one side has booleans and the other numbers; they look alike but are different "
                "labels: convert the booleans to numbers, for example with [int(label) for label in labels]"
            )
        truth = list(dict.fromkeys(pair[0] for pair in self._counts))
        system = list(dict.fromkeys(pair[1] for pair in self._counts))
        left_out = self._left_out[0] - set(truth), self._left_out[1] - set(system)
        labels = _decode_side([*truth, *left_out[0]], "truth"), _decode_side([*system, *left_out[1]], "system")
        mixed = [{isinstance(label, datetime.datetime) for label in side if _is_moment(label)} for side in labels]
        if all(len(kinds) < 2 for kinds in mixed):  # dates beside times are rejected below
            truths, systems = on_one_calendar(*map(tuple, labels))
            labels = list(truths or ()), list(systems or ())
        check_comparable(dict(zip(("truth", "system"), labels, strict=True)), can_clean=False)
        sides = {"truth": labels[0][: len(truth)], "system": labels[1][: len(system)]}
        places = {  # a day of NumPy and one of Python are one label
            side: {label: at for at, label in enumerate(dict.fromkeys(labels))} for side, labels in sides.items()
        }
        rows, columns = (
            {value: places[side][label] for value, label in zip(values, sides[side], strict=True)}
            for side, values in (("truth", truth), ("system", system))
        )
        sides = {side: list(known) for side, known in places.items()}
        both = [*sides["system"], *sides["truth"]]
        reject, positive = match_label(self.reject, both), match_label(self.positive, both)
        if self.labels is not None:
            sides = self._move_to_stated(sides, reject, rows, columns)
        return Contingency.from_cells(
            sides["truth"],
            sides["system"],
            [rows[pair[0]] for pair in self._counts],
            [columns[pair[1]] for pair in self._counts],
            list(self._counts.values()),
            reject=reject,
            positive=positive,
            declared=self.labels is not None,
            ignored=self._ignored,
            weight_squares=self._squares if self._weighted else None,
        )

    def reset(self) -> None:
        """Forget everything that was counted."""
        self.__init__(labels=self.labels, reject=self.reject, positive=self.positive)  # type: ignore[misc]

    def _move_to_stated(
        self, sides: Mapping[str, list[Label]], reject: Label | None, rows: dict[Any, int], columns: dict[Any, int]
    ) -> dict[str, list[Label]]:
        """Take the stated classes as labels of both sides, and move the positions to them."""
        stated = [label for label in self.labels or () if label != reject]
        placed = {"truth": stated, "system": [*stated, *(() if reject is None else (reject,))]}
        for side, positions in (("truth", rows), ("system", columns)):
            place = {label: i for i, label in enumerate(placed[side])}
            for day, at in tuple(place.items()):  # a day is its midnight
                if not isinstance(day, datetime.datetime) and _is_moment(day):
                    place.setdefault(datetime.datetime.combine(day, datetime.time()), at)
                elif are_days([day]) and _is_moment(day):
                    place.setdefault(day.date(), at)
            for value, at in positions.items():
                label = sides[side][at]
                if label not in place:
                    raise InputError(f"{side} label {label!r} is not among the declared labels; add it to labels=")
                positions[value] = place[label]
        return placed

    def _settle_weighting(self, weighted: bool) -> None:
        if self._weighted not in (None, weighted):
            raise InputError("some batches have weights and others do not; give weights to all")
        self._weighted = weighted

    def _flush(self) -> None:
        for truth, system, count in self._on_device.cells():
            self._kinds[0].add(type(truth))
            self._kinds[1].add(type(system))
            self._counts[truth, system] = self._counts.get((truth, system), 0) + count
        self._squares += self._on_device.squares()
        if not self._truth:
            return
        for side, values in enumerate((self._truth, self._system)):
            self._kinds[side].update(map(type, values))
        if self._weighted:
            self._count_weights()
        else:
            for pair, count in collections.Counter(zip(self._truth, self._system, strict=True)).items():
                if not self._is_hole(pair, count):
                    self._counts[pair] = self._counts.get(pair, 0) + count
        for buffer in (self._truth, self._system, self._weights):
            buffer.clear()

    def _count_weights(self) -> None:
        """Add up weights by pair; only a buffer that has holes is looked at row by row."""
        truth, system, weights = self._truth, self._system, self._weights
        lacks = weights.count(None)
        if lacks or any(is_missing(value) for values in (truth, system) for value in set(values)):
            rows = [
                row
                for row in zip(truth, system, weights, strict=True)
                if row[2] is not None and not self._is_hole(row[:2], 1)
            ]
            truth, system, weights = ([row[side] for row in rows] for side in range(3))
        if lacks:
            _add(self._ignored, {"missing weight": lacks})
        places: collections.defaultdict[tuple[Any, Any], int] = collections.defaultdict()
        places.default_factory = places.__len__
        codes = np.fromiter(map(places.__getitem__, zip(truth, system, strict=True)), np.int64, len(truth))
        values = np.array(weights, dtype=np.float64)
        for pair, total in zip(places, np.bincount(codes, values, len(places)).tolist(), strict=True):
            self._counts[pair] = self._counts.get(pair, 0.0) + total
        self._squares += float(values @ values)

    def _is_hole(self, pair: tuple[Any, Any], rows: int) -> bool:
        for side, value in zip(("truth", "system"), pair, strict=True):
            if is_missing(value):
                _add(self._ignored, {f"missing label in {side}": rows})
                for other, kept in zip(pair, self._left_out, strict=True):
                    if isinstance(other, (datetime.date, np.datetime64)) and not is_missing(other):
                        kept.add(other)
                return True
        return False


def _check_weights(weights: list[Any], rows: int) -> list[Any]:
    """Return the weights of a batch, a missing one as None; reject all if one of them is impossible."""
    if len(weights) != rows:
        raise InputError(f"a batch has {rows} rows and {len(weights)} weights")
    try:
        if not weights or (min(weights) >= 0 and sum(weights) < inf):  # a NaN makes the sum fail
            return weights
    except TypeError:
        pass
    known = [None if is_missing(weight) else weight for weight in weights]
    for weight in known:
        if isinstance(weight, str):
            raise InputError(f"a weight is the text {weight!r}; give numbers")
        if weight is not None and not 0 <= weight < inf:
            raise InputError(f"a weight is {weight}; weights are finite and not negative")
    return known


def _list_values(values: Any, side: str) -> list[Any]:
    if type(values) is list:
        return values
    values = one_column(values, side)
    if getattr(getattr(values, "dtype", None), "kind", "") == "M":  # tolist() would give numbers, or lose digits
        return list(values)
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


def _decode_side(values: list[Any], side: str) -> list[Label]:
    """Return the labels of one side; NumPy's days are midnights where it has nothing but times, as in one array."""
    plain = [value.item() if getattr(value, "dtype", None) == "M8[D]" else value for value in values]
    labels = [label for label in (decode_value(value, side) for value in plain) if label is not None]
    if all(isinstance(value, np.datetime64) for value, label in zip(values, labels, strict=True) if _is_moment(label)):
        return list(on_one_calendar(tuple(labels))[0] or ())
    return labels


def _is_moment(label: Label) -> bool:
    return isinstance(label, datetime.date)


def _add(sums: dict[str, int], more: Mapping[str, int]) -> None:
    for reason, rows in more.items():
        sums[reason] = sums.get(reason, 0) + rows
