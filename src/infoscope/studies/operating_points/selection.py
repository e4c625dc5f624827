"""The best operating point, its value, and its value on held-out samples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from infoscope.core.numerics import Real, distinct
from infoscope.errors import InputError, UndefinedError
from infoscope.metrics.losses import mean_cost, read_cost_matrix
from infoscope.metrics.registry import find
from infoscope.results.estimate import Estimate, drop_infinite
from infoscope.studies.operating_points.ranking import ThresholdTables
from infoscope.tables import Contingency
from infoscope.typing import ArrayLike

if TYPE_CHECKING:
    from infoscope.studies.operating_points.result import Sweep

__all__ = ["Choice", "ChoiceOptions", "Criterion", "chosen"]

_FOLDS = 10
_RESAMPLED_CELLS = 1 << 12
"""Resampling works on tables of about this many cells together, at least 50 of them; a longer ladder is thinned."""
_BATCHED_CELLS = 1 << 18
"""Cells of the parts that are scored in one go: few calls for small tables, and little memory for large ones."""


@dataclass(frozen=True)
class Criterion:
    """What a choice is made by: a number per table, and which direction is better."""

    name: str
    score: Callable[[Contingency], Real]
    sign: int
    """1 where higher is better, −1 where lower is."""
    range: tuple[float, float] = (-np.inf, np.inf)
    """Between which ends a value lies."""

    @classmethod
    def asked(cls, metric: str | None, costs: ArrayLike | None = None) -> Criterion:
        """By a metric's card, or by the expected cost of the user's matrix."""
        if costs is not None:
            if metric is not None:
                raise InputError(f"the choice is asked for by {metric!r} and by costs; give one of them")
            return cls("expected_cost", lambda table: mean_cost(table, read_cost_matrix(table, costs)), -1)
        entry = find(metric or "proficiency")
        if entry.card.better == "none":
            raise InputError(f"{entry.name} is neither better high nor better low; choose by a metric that is")
        if entry.card.level != "table":
            raise InputError(f"{entry.name} gives a number per class; choose by a metric of the whole table")
        return cls(entry.name, entry.score, 1 if entry.card.better == "higher" else -1, entry.card.range)

    def goodness(self, tables: Contingency) -> Real:
        """The score turned so that higher is better and undefined is worst."""
        score = np.broadcast_to(np.asarray(self.score(tables), dtype=np.float64), tables.batch_shape)
        return np.where(np.isnan(score), -np.inf, self.sign * score)

    def best_places(self, tables: Contingency) -> NDArray[np.int64]:
        """Where each row of a batch is best, along its last axis: the first of equals."""
        return np.asarray(np.argmax(self.goodness(tables), axis=-1))

    def best_place(self, tables: Contingency) -> int:
        """Where a batch is best; rejected when the criterion exists nowhere."""
        goodness = self.goodness(tables)
        if not np.any(goodness > -np.inf):
            raise UndefinedError(f"{self.name} is undefined at every operating point; choose by another metric")
        return int(np.argmax(goodness))


@dataclass(frozen=True)
class ChoiceOptions:
    """By what the best operating point is chosen: a metric (proficiency unless named) or a cost matrix."""

    metric: str | None = None
    costs: Sequence[Sequence[float]] | None = None
    level: float = 0.95
    seed: int = 0


@dataclass(frozen=True)
class Choice:
    """The best operating point by one criterion."""

    criterion: str
    point: int
    threshold: float | None
    """None for the first point, which predicts nothing positive whatever the score."""
    value: float | None
    """On the samples that made the choice."""
    held_out: Estimate
    """On held-out samples: ten parts, each scored at the threshold that the other nine choose, as one table."""
    threshold_low: float | None
    threshold_high: float | None
    """Where the choice falls when the samples are drawn again."""
    level: float

    def __str__(self) -> str:
        """A sentence."""
        return (
            f"best {self.criterion} {_shown(self.value)} at threshold {_shown(self.threshold, '.6g')}; "
            f"on held-out samples {self._held_out()}"
        )

    def _held_out(self) -> str:
        found = self.held_out
        if found.value is None:
            return "undefined: there are too few"
        if found.low is None or found.high is None:
            return f"{found.value:.4f}"
        return f"{found.value:.4f} ({self.level:.0%}: {found.low:.4f} to {found.high:.4f})"


def _shown(value: float | None, form: str = ".4f") -> str:
    return "undefined" if value is None else format(value, form)


def chosen(sweep: Sweep, criteria: Sequence[Criterion], level: float, resamples: int, seed: int) -> tuple[Choice, ...]:
    """The best point of a sweep by each criterion, with its value on held-out samples and by how much both may vary.

    All criteria are tried on the same resamples, which are drawn once for those whose points one short ladder has.
    """
    if not 0 < level < 1:
        raise InputError(f"the level is {level}; an interval's level lies between 0 and 1, as 0.95")
    assert sweep.ladder is not None  # the tables were made of it
    places = [criterion.best_place(sweep.tables) for criterion in criteria]
    ladders = [_kept_points(sweep.ladder, place) for place in places]
    found: dict[int, Choice] = {}
    for kept in dict.fromkeys(ladders):
        here = [at for at, other in enumerate(ladders) if other == kept]
        drawn = _held_out(sweep, kept, [criteria[at] for at in here], resamples, np.random.default_rng(seed))
        found |= {
            at: _choice(sweep, criteria[at], places[at], values, level) for at, values in zip(here, drawn, strict=True)
        }
    return tuple(found[at] for at in range(len(criteria)))


class _HeldOut(NamedTuple):
    """Value on held-out samples, the same when the samples are drawn again, and the thresholds then chosen."""

    value: float
    drawn: Real
    thresholds: Real


def _choice(sweep: Sweep, criterion: Criterion, point: int, held_out: _HeldOut, level: float) -> Choice:
    tail = (1 - level) / 2
    known = held_out.drawn[~np.isnan(held_out.drawn)]  # a class may be absent from a small resample
    # plug-in information grows with every resampling, so only the spread is taken from the draws, not the place
    spread = np.quantile(known, [tail, 1 - tail]) - np.median(known) if len(known) else np.full(2, np.nan)
    low, high = np.clip(held_out.value + spread, *criterion.range)
    ends = np.full(2, np.nan)
    if len(known):
        ends = np.quantile(held_out.thresholds, [tail, 1 - tail], method="nearest")
    return Choice(
        criterion=criterion.name,
        point=point,
        threshold=drop_infinite(np.asarray(sweep.thresholds)[point]),
        value=drop_infinite(np.asarray(criterion.score(sweep.tables))[point]),
        held_out=replace(
            Estimate.of(held_out.value, "there are too few samples"), low=drop_infinite(low), high=drop_infinite(high)
        ),
        threshold_low=drop_infinite(ends[0]),
        threshold_high=drop_infinite(ends[1]),
        level=level,
    )


def _kept_points(ladder: ThresholdTables, point: int) -> tuple[int, ...]:
    """Points of a ladder that is quick to draw again: evenly thinned, the chosen one kept."""
    most = max(50, _RESAMPLED_CELLS // int(np.prod(ladder.pattern.shape)))
    if ladder.points <= most:
        return tuple(range(ladder.points))
    return tuple(distinct(np.linspace(0, ladder.points - 1, most).astype(np.int64), [point]).tolist())


def _held_out(
    sweep: Sweep, kept: Sequence[int], criteria: Sequence[Criterion], resamples: int, rng: np.random.Generator
) -> list[_HeldOut]:
    """What each criterion finds on the points kept."""
    assert sweep.ladder is not None
    keep = np.array(kept)
    ladder, thresholds = sweep.ladder.merged_to(keep), np.asarray(sweep.thresholds)[keep]
    counts = ladder.counts(sweep.sample_size, rng)
    values, _ = _cross_fitted(ladder, _parted(counts, rng), criteria)
    drawn, places = _resampled(ladder, counts, criteria, resamples, rng)
    return [_HeldOut(float(value), *both) for value, *both in zip(values, drawn, thresholds[places], strict=True)]


def _parted(counts: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
    """Each sample put into one of ten parts at random: (parts, steps, classes, predictions)."""
    parts = rng.multinomial(counts, np.full(_FOLDS, 1 / _FOLDS))
    return np.moveaxis(parts, -1, 0)


def _cross_fitted(
    ladder: ThresholdTables, parts: NDArray[np.int64], criteria: Sequence[Criterion]
) -> tuple[Real, NDArray[np.int64]]:
    """Each part judged where the others put the threshold; the judged parts are added and scored once.

    Axes before the parts are carried along behind the criteria. With the values come the samples of all parts that
    each point reaches.
    """
    reached = np.cumsum(parts, axis=-3)
    whole = reached.sum(axis=-4)
    others = whole[..., None, :, :, :] - reached
    values = np.full((len(criteria), *parts.shape[:-4]), np.nan)
    if not others[..., -1, :, :].any(axis=(-2, -1)).all():
        return values, whole  # so few samples that one part has them all
    tables = ladder.tables_at(others)
    for at, criterion in enumerate(criteria):
        places = criterion.best_places(tables)
        judged = np.take_along_axis(reached, places[..., None, None, None], axis=-3).squeeze(-3).sum(axis=-3)
        values[at] = criterion.score(ladder.tables_at(judged, whole[..., -1, :, :].sum(axis=-1)))
    return values, whole


def _resampled(
    ladder: ThresholdTables,
    counts: NDArray[np.int64],
    criteria: Sequence[Criterion],
    resamples: int,
    rng: np.random.Generator,
) -> tuple[Real, NDArray[np.int64]]:
    """Held-out values, and places chosen, by each criterion when all samples are drawn again from those seen."""
    size = (len(criteria), resamples)
    if counts.sum() < 2:
        return np.full(size, np.nan), np.full(size, ladder.points - 1)
    filled = np.flatnonzero(counts)
    shares = counts.reshape(-1)[filled] / counts.sum()
    sizes = np.full(_FOLDS, counts.sum() // _FOLDS)
    sizes[: int(counts.sum() % _FOLDS)] += 1
    values, places = np.empty(size), np.empty(size, dtype=np.int64)
    together = max(1, _BATCHED_CELLS // (_FOLDS * ladder.points * int(np.prod(ladder.pattern.shape))))
    for first in range(0, resamples, together):
        batch = slice(first, min(first + together, resamples))
        parts = np.zeros((batch.stop - first, _FOLDS, counts.size), dtype=np.int64)
        parts[..., filled] = rng.multinomial(np.broadcast_to(sizes, parts.shape[:2]), shares)
        shaped = parts.reshape(*parts.shape[:2], *counts.shape)
        values[:, batch], whole = _cross_fitted(ladder, shaped, criteria)
        tables = ladder.tables_at(whole)
        places[:, batch] = [criterion.best_places(tables) for criterion in criteria]
    return values, places
