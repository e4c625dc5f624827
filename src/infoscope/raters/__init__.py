"""Annotators: how much each tells about the others, who stands apart, and which categories they mix up."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from infoscope.errors import InputError
from infoscope.raters.answers import Answers, gather
from infoscope.raters.document import Agreement, items_left_out
from infoscope.raters.pairs import Mixed, PairAgreement, mixed_up, pair_agreement
from infoscope.raters.reliability import OddOneOut, Reliability, odd_one_out
from infoscope.tables.missing import warn_of

__all__ = ["Agreement", "Mixed", "OddOneOut", "PairAgreement", "agreement"]


_WORK = 4e8
"""Resampling is cut down where draws times answers times annotators would exceed this, to fifty draws at least."""


def agreement(
    source: Any,
    systems: Sequence[str] | None = None,
    *,
    clean: str | Iterable[str] = (),
    level: float = 0.95,
    draws: int = 500,
    seed: int = 0,
) -> Agreement:
    """How annotators of the same items agree, without a truth.

    ``source`` holds answers by annotator: sequences of one category an item (None where there is no answer), lists of
    sets, or label-list files. Or it is a table in any form that ``read`` takes, and ``systems`` names its columns.

    >>> agreement({"ann": ["a", "a", "b", "b"], "bob": ["a", "a", "b", "a"]})
    Agreement of 2 annotators on 4 items: alpha 0.533
    """
    if not 0 < level < 1:
        raise InputError(f"the level is {level}; an interval's level lies between 0 and 1, as 0.95")
    if draws < 0:
        raise InputError(f"draws is {draws}; give 0 to leave it out, or a positive number")
    answers = gather(source, systems, clean)
    lonely = int(np.count_nonzero(answers.answered.sum(axis=0) < 2))
    warn_of([items_left_out(lonely)] if lonely else [])
    rng = np.random.default_rng(seed)
    answered = sum(each.nnz for each in answers.given)
    draws = min(draws, max(50, int(_WORK / max(answered * len(answers.names), 1))))
    low, value, high = _alpha(answers, level, draws, rng)
    without, odd = odd_one_out(answers, draws, rng)
    raters = range(len(answers.names))
    pairs = [pair_agreement(answers, a, b) for a, b in itertools.permutations(raters, 2)]
    mixed = [each for a, b in itertools.combinations(raters, 2) for each in mixed_up(answers, a, b)]
    used = {
        name: dict(zip(map(str, answers.categories), _counts(answers, at), strict=True))
        for at, name in enumerate(answers.names)
    }
    return Agreement(
        names=answers.names,
        items=answers.items,
        categories=tuple(map(str, answers.categories)),
        single=answers.single,
        answered=dict(zip(answers.names, answers.answered.sum(axis=1).tolist(), strict=True)),
        used=used,
        alpha=value,
        alpha_low=low,
        alpha_high=high,
        alpha_without=without,
        odd_one_out=odd,
        pairs=tuple(pair for pair in pairs if pair is not None),
        mixed=tuple(sorted(mixed, key=lambda each: -each.count)),
        left_out=lonely,
    )


def _counts(answers: Answers, rater: int) -> list[int]:
    given = answers.given[rater]
    return [int(count) for count in np.bincount(given.indices, minlength=len(answers.categories))]


def _alpha(
    answers: Answers, level: float, draws: int, rng: np.random.Generator
) -> tuple[float | None, float | None, float | None]:
    """Alpha and its interval, by drawing items with replacement."""
    whole = Reliability.of(answers)
    value = float(whole.alpha(np.ones(answers.items)))
    if not np.isfinite(value):
        return None, None, None
    n = answers.items
    drawn = [float(whole.alpha(np.bincount(rng.integers(n, size=n), minlength=n).astype(float))) for _ in range(draws)]
    known = np.array([each for each in drawn if np.isfinite(each)])
    if len(known) < 2:
        return None, value, None
    tail = (1 - level) / 2
    low, high = np.quantile(known, [tail, 1 - tail])
    return float(low), value, float(high)
