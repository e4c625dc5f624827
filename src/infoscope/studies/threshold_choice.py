"""The best operating point by a criterion, its value, and its value on held-out samples.

``choose`` is asked by ``Sweep``. A choice flatters itself on the samples that made it, so ten parts of the samples are
each judged where the other nine put the threshold, and the same again on samples drawn anew. ``Criterion`` turns a
metric or a cost matrix into a number per table with a direction; tuning and rejection choose by it, too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from infoscope.core.markup import ShortRepr
from infoscope.core.numerics import Real, distinct
from infoscope.core.validation import KeywordHints
from infoscope.errors import InputError, UndefinedError
from infoscope.metrics.losses import mean_cost, read_cost_matrix
from infoscope.metrics.registry import find
from infoscope.posterior.sample_size import rescale_to_samples
from infoscope.posterior.summary import summarize_proportion
from infoscope.results.estimate import Estimate, drop_infinite
from infoscope.studies.score_ranking import ThresholdTables
from infoscope.tables import Contingency
from infoscope.typing import ArrayLike

FOLDS = 10
RESAMPLED_CELLS = 1 << 12
"""Resampling works on tables of about this many cells together, at least 50 of them; a longer ladder is thinned."""
BATCHED_CELLS = 1 << 18
"""Cells of the parts that are scored in one go: few calls for small tables, and little memory for large ones."""


@dataclass(frozen=True)
class Criterion:
    """The criterion of a choice: a number per table, and which direction is better."""

    name: str
    score: Callable[[Contingency], Real]
    sign: int
    """1 where higher is better, −1 where lower is."""
    range: tuple[float, float] = (-np.inf, np.inf)
    """Between which ends a value lies."""

    @classmethod
    def of(cls, metric: str | None, costs: ArrayLike | None = None) -> Criterion:
        """Choose by a metric's card, proficiency unless named, or by the expected cost of the user's matrix."""
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
        """Return the score turned so that higher is better and undefined is worst."""
        score = np.broadcast_to(np.asarray(self.score(tables), dtype=np.float64), tables.batch_shape)
        return np.where(np.isnan(score), -np.inf, self.sign * score)

    def best_places(self, tables: Contingency) -> NDArray[np.int64]:
        """Return where each row of a batch is best, along its last axis: the first of equals."""
        return np.asarray(np.argmax(self.goodness(tables), axis=-1))

    def best_place(self, tables: Contingency) -> int:
        """Return where a batch is best; an error when the criterion exists nowhere."""
        goodness = self.goodness(tables)
        if not np.any(goodness > -np.inf):
            raise UndefinedError(f"{self.name} is undefined at every operating point; choose by another metric")
        return int(np.argmax(goodness))


@dataclass(frozen=True)
class ChoiceOptions(KeywordHints):
    """By what the best operating point is chosen: a metric (proficiency unless named) or a cost matrix."""

    metric: str | None = None
    costs: Sequence[Sequence[float]] | None = None
    level: float = 0.95
    seed: int = 0


@dataclass(frozen=True, repr=False)
class Choice(ShortRepr, KeywordHints):
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
    """Choices when the samples are drawn again."""
    level: float
    metrics: Mapping[str, Estimate] = field(default_factory=dict)
    """Conventional metrics at the point, on the samples that made the choice."""

    def __str__(self) -> str:
        """Say where the point is and what it is worth, in a sentence."""
        value = "undefined" if self.value is None else f"{self.value:.4f}"
        threshold = "undefined" if self.threshold is None else f"{self.threshold:.6g}"
        held = self.held_out
        if held.value is None:
            held_out = "undefined: there are too few"
        elif held.low is None or held.high is None:
            held_out = f"{held.value:.4f}"
        else:
            held_out = f"{held.value:.4f} ({self.level:.0%}: {held.low:.4f} to {held.high:.4f})"
        return f"best {self.criterion} {value} at threshold {threshold}; on held-out samples {held_out}"


def choose(
    ladder: ThresholdTables,
    thresholds: Sequence[float | None],
    tables: Contingency,
    criteria: Sequence[Criterion],
    *,
    shown: Sequence[str] = (),
    sample_size: float | None,
    level: float,
    resamples: int,
    seed: int,
) -> tuple[Choice, ...]:
    """Choose the best point by each criterion, with its value on held-out samples and by how much both may vary.

    ``tables`` are those of the whole ladder. All criteria are tried on the same resamples, which are drawn once for
    those whose points one short ladder has. ``shown`` are the metrics that are estimated at each point.
    """
    if not 0 < level < 1:
        raise InputError(f"the level is {level}; an interval's level lies between 0 and 1, as 0.95")
    points = [criterion.best_place(tables) for criterion in criteria]
    # evenly thinned to what is quick to draw again, the chosen point kept
    most = max(50, RESAMPLED_CELLS // int(np.prod(ladder.pattern.shape)))
    grid = np.linspace(0, ladder.points - 1, most).astype(np.int64)
    short = ladder.points <= most
    kept = [tuple(range(ladder.points)) if short else tuple(distinct(grid, [point]).tolist()) for point in points]
    choices: dict[int, Choice] = {}
    limits = np.asarray(thresholds, dtype=np.float64)
    for keep in dict.fromkeys(kept):
        together = [place for place, other in enumerate(kept) if other == keep]
        rng = np.random.default_rng(seed)
        # what lay between two points that are kept belongs to the later one
        ends = distinct(keep, [ladder.points - 1])
        starts = np.concatenate([[0], ends[:-1] + 1])
        part = replace(ladder, steps=np.add.reduceat(ladder.steps, starts, axis=0))
        counts = part.steps
        if counts.dtype.kind not in "iu":  # weights are scaled to their effective size and rounded at random
            scaled: Real = counts * ((sample_size or part.total) / part.total)
            low = np.floor(scaled)
            counts = (low + (rng.random(scaled.shape) < scaled - low)).astype(np.int64)
        # each sample put into one of the parts at random: (parts, steps, classes, predictions)
        parts = np.moveaxis(rng.multinomial(counts, np.full(FOLDS, 1 / FOLDS)), -1, 0)
        chosen_by = [criteria[place] for place in together]
        held_out, _ = _cross_fit(part, parts, chosen_by)
        drawn, drawn_points = _resample(part, counts, chosen_by, resamples, rng)
        falls = limits[np.array(keep)][drawn_points]
        for place, value, values_drawn, thresholds_drawn in zip(together, held_out.tolist(), drawn, falls, strict=True):
            point = points[place]
            choices[place] = _describe_choice(
                criteria[place],
                point,
                float(limits[point]),
                float(np.asarray(criteria[place].score(tables))[point]),
                value,
                values_drawn,
                thresholds_drawn,
                level,
            )
    return tuple(
        replace(
            choices[place], metrics=estimate_proportions(replace(tables, values=tables.values[point]), shown, level)
        )
        for place, point in enumerate(points)
    )


def estimate_proportions(table: Contingency, names: Sequence[str], level: float = 0.95) -> dict[str, Estimate]:
    """Estimate metrics that are proportions of samples; without a sample size they have no interval."""
    size = table.sample_size
    counted = table if size is None else rescale_to_samples(table, size)
    estimates = {}
    for name in names:
        estimate = Estimate.of(find(name).score(table), find(name).card.undefined)
        known = size is not None and estimate.value is not None
        estimates[name] = estimate.with_belief(summarize_proportion(name, counted, level)) if known else estimate
    return estimates


def _describe_choice(
    criterion: Criterion,
    point: int,
    threshold: float,
    value: float,
    held_out: float,
    drawn: Real,
    thresholds_drawn: Real,
    level: float,
) -> Choice:
    """Describe a point by its values here and held out, with what both are when the samples are drawn again."""
    tail = (1 - level) / 2
    defined = drawn[~np.isnan(drawn)]  # a class may be absent from a small resample
    # plug-in information grows with every resampling, so only the spread is taken from the draws, not the place
    spread = np.quantile(defined, [tail, 1 - tail]) - np.median(defined) if len(defined) else np.full(2, np.nan)
    low, high = np.clip(held_out + spread, *criterion.range)
    ends = np.full(2, np.nan)
    if len(defined):
        ends = np.quantile(thresholds_drawn, [tail, 1 - tail], method="nearest")
    estimate = Estimate.of(held_out, "there are too few samples")
    return Choice(
        criterion=criterion.name,
        point=point,
        threshold=drop_infinite(threshold),
        value=drop_infinite(value),
        held_out=replace(estimate, low=drop_infinite(low), high=drop_infinite(high)),
        threshold_low=drop_infinite(ends[0]),
        threshold_high=drop_infinite(ends[1]),
        level=level,
    )


def _cross_fit(
    ladder: ThresholdTables, parts: NDArray[np.int64], criteria: Sequence[Criterion]
) -> tuple[Real, NDArray[np.int64]]:
    """Judge each part where the others put the threshold; the judged parts are added and scored once.

    Axes before the parts are carried along behind the criteria. With the values come the samples of all parts that
    each point reaches.
    """
    reached = np.cumsum(parts, axis=-3)
    total = reached.sum(axis=-4)
    others = total[..., None, :, :, :] - reached
    values = np.full((len(criteria), *parts.shape[:-4]), np.nan)
    if not others[..., -1, :, :].any(axis=(-2, -1)).all():
        return values, total  # so few samples that one part has them all
    tables = ladder.tables_at(others)
    for place, criterion in enumerate(criteria):
        points = criterion.best_places(tables)
        judged = np.take_along_axis(reached, points[..., None, None, None], axis=-3).squeeze(-3).sum(axis=-3)
        values[place] = criterion.score(ladder.tables_at(judged, total[..., -1, :, :].sum(axis=-1)))
    return values, total


def _resample(
    ladder: ThresholdTables,
    counts: NDArray[np.int64],
    criteria: Sequence[Criterion],
    resamples: int,
    rng: np.random.Generator,
) -> tuple[Real, NDArray[np.int64]]:
    """Return held-out values, and points chosen, by each criterion when all samples are drawn again from those seen."""
    size = (len(criteria), resamples)
    if counts.sum() < 2:
        return np.full(size, np.nan), np.full(size, ladder.points - 1)
    filled = np.flatnonzero(counts)
    shares = counts.reshape(-1)[filled] / counts.sum()
    sizes = np.full(FOLDS, counts.sum() // FOLDS)
    sizes[: int(counts.sum() % FOLDS)] += 1
    values, points = np.empty(size), np.empty(size, dtype=np.int64)
    together = max(1, BATCHED_CELLS // (FOLDS * ladder.points * int(np.prod(ladder.pattern.shape))))
    for first in range(0, resamples, together):
        batch = slice(first, min(first + together, resamples))
        parts = np.zeros((batch.stop - first, FOLDS, counts.size), dtype=np.int64)
        parts[..., filled] = rng.multinomial(np.broadcast_to(sizes, parts.shape[:2]), shares)
        shaped = parts.reshape(*parts.shape[:2], *counts.shape)
        values[:, batch], total = _cross_fit(ladder, shaped, criteria)
        tables = ladder.tables_at(total)
        points[:, batch] = [criterion.best_places(tables) for criterion in criteria]
    return values, points
