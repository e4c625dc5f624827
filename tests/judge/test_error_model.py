"""The prior mean of strata: independent errors of judge and system, also with evenly spread errors of the judge."""

import numpy as np
import pytest

from tests.api import fit_errors, judge_model
from tests.judge.populations import World, counted, sampled


def test_evenly_spread_errors_by_bayes_rule() -> None:
    """P(t | j, s) ∝ P(t, s) P(j | t), where the wrong verdicts of a class are equally likely."""
    counts = counted(sampled(World(4, 4000, 2000), np.random.default_rng(7)), 4)
    everyone = counts.labelled.copy()
    fit = fit_errors(counts, everyone, everyone.sum(axis=0))
    truth = everyone.sum(axis=(1, 2)) + 0.5
    system = everyone.sum(axis=1) + 0.125
    system /= system.sum(axis=1, keepdims=True)
    own = np.array([[row[j] for j in range(4)] for row in everyone.sum(axis=2)])
    hit = np.diag(own) / own.sum(axis=1)
    expected = np.zeros((len(counts.rows), 4))
    for at, (verdict, prediction) in enumerate(zip(counts.verdict, counts.prediction, strict=True)):
        chance = np.where(np.arange(4) == verdict, hit, (1 - hit) / 3)
        expected[at] = truth * system[:, prediction] * chance
    expected /= expected.sum(axis=1, keepdims=True)
    apart = counts.verdict != counts.prediction  # elsewhere verdicts may repeat the prediction
    assert fit.even_belief[apart] == pytest.approx(expected[apart], abs=0.03)
    assert np.abs(fit.belief - fit.even_belief)[apart].max() > 0.1


@pytest.mark.parametrize(("classes", "shapes", "bases"), [(9, 2, 3), (10, 3, 4)])
def test_many_classes_have_more_hypotheses(classes: int, shapes: int, bases: int) -> None:
    """With few classes the reference method, with many also strata half as far apart."""
    counts = counted(sampled(World(classes, 3000, 300), np.random.default_rng(8)), classes)
    seen: list[int] = []
    chosen = judge_model.choose_hypotheses

    def noted(logs, draws, rng):
        seen.append(len(logs))
        return chosen(logs, draws, rng)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(judge_model, "choose_hypotheses", noted)
        own = np.ones((8, np.count_nonzero(counts.by_class)))
        judge_model.borrow_strength(counts, own, np.random.default_rng(9))
    assert set(seen) == {shapes, bases}
