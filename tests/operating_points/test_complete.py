"""Reports and pictures of operating points read numbers; the study computed them."""

import numpy as np
import pytest

import infoscope as ifs


def _scores() -> ifs.Sweep:
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 300)
    return ifs.sweep(truth, 1 / (1 + np.exp(-rng.normal(size=300) - truth)))


def _probabilities() -> ifs.Sweep:
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 3, 300)
    values = rng.dirichlet(np.ones(3), 300) + np.eye(3)[truth]
    return ifs.sweep(truth, values, normalize=True)


def _runs() -> ifs.Tuning:
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 3, 300)
    runs = {k: np.where(rng.random(300) < 0.1 * k, truth, rng.integers(0, 3, 300)) for k in range(1, 5)}
    return ifs.tune(truth, runs, "k", against={k: k**2 for k in runs})


@pytest.mark.parametrize("make", [_scores, _probabilities, _runs])
def test_a_report_reads_a_complete_result_that_has_no_tables(make):
    result = make()
    complete = result.complete()
    assert not getattr(complete, "ladder", None)
    with pytest.raises((ifs.InputError, AttributeError, IndexError)):
        complete.table_at(0)
    for form in ("text", "markdown", "notebook", "repr"):
        assert ifs.reports.render(complete, form) == ifs.reports.render(result, form)
    assert complete.complete() is complete


@pytest.mark.parametrize(
    ("make", "names"),
    [
        (_scores, ("curves", "roc", "precision_recall", "reliability", "lift")),
        (_probabilities, ("curves", "risk_coverage", "error_reject")),
        (_runs, ("coverage", "triangle")),
    ],
)
def test_pictures_read_a_complete_result(make, names):
    result = make()
    for name in names:
        assert ifs.reports.picture(result.complete(), name).panel() == ifs.reports.picture(result, name).panel()


def test_a_curve_does_not_choose_its_best_point_before_it_is_asked(monkeypatch):
    monkeypatch.setattr("infoscope.studies.sweep.choose", None)
    curve = _scores()
    ifs.reports.picture(curve, "roc").panel()
    assert curve.areas["roc_auc"] > 0.5
