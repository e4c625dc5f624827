"""Curves and surfaces: metrics against quality, sweeps, captured information over two rates, bounds on the error."""

from collections.abc import Iterator

import numpy as np

from infoscope.figures import (
    BoundsDisplay,
    ErrorRejectDisplay,
    MetricCurvesDisplay,
    PrecisionRecallDisplay,
    RiskCoverageDisplay,
    SurfaceDisplay,
    SweepDisplay,
)
from infoscope.figures.sweep import make_errors
from infoscope.studies.sweep import sweep
from infoscope.tables import Contingency
from tests.papers.test_hu2008 import MATRICES as HU
from tests.papers.test_hu2008 import PRINTED as HU_PRINTED
from tests.papers.test_hu2008 import with_reject
from tests.papers.test_steingold2016 import MATRICES as STEINGOLD
from tests.papers.test_steingold2016 import PERCENT as STEINGOLD_PRINTED
from tools.gallery.exhibit import Exhibit, score
from tools.gallery.papers import hu_fact, steingold_facts, walk_facts

__all__ = ["exhibits"]


def exhibits() -> Iterator[Exhibit]:
    """Curves, then surfaces, then bounds."""
    yield from _curves()
    yield from _score_curves()
    yield from _surfaces()
    yield from _bounds()


def _curves() -> Iterator[Exhibit]:
    display = MetricCurvesDisplay.over_quality()
    names = {"Proficiency": "proficiency", "Phi coefficient": "phi", "F1": "f1", "Accuracy": "accuracy"}
    yield Exhibit(
        "metric-curves",
        "Metrics against quality",
        "Steingold & Laclavik 2016, Figure 1",
        display,
        [
            (
                f"{curve.name} at {at}, percent",
                STEINGOLD_PRINTED[names[curve.name]][f"i{at}"],
                f"{100 * curve.y[at]:.1f}",
            )
            for curve in display.curves
            for at in (0, 50, 100, 200)
        ],
    )
    steps = {wrong: make_errors(200, wrong, 0.1) for wrong in range(0, 101, 5)}
    yield Exhibit(
        "sweep",
        "Sweep curves",
        "Steingold & Laclavik 2016, the same tables, as a sweep",
        SweepDisplay.from_table(steps, parameter="wrong predictions, of 200"),
        walk_facts({str(wrong): table for wrong, table in steps.items()}),
    )
    own = Contingency.from_matrix(STEINGOLD["2.3.1a A"], positive=0)
    yield Exhibit(
        "metric-curves-own",
        "Metrics against quality, for your own table",
        "Steingold & Laclavik 2016, section 2.3.1, A",
        MetricCurvesDisplay.from_table(own),
        steingold_facts({"2.3.1a A": own}, "proficiency", "phi", "f1", "accuracy"),
        "Towards the left its errors are corrected, towards the right its predictions are shuffled; the dots are the "
        "table "
        "itself.",
    )


def _score_curves() -> Iterator[Exhibit]:
    rng = np.random.default_rng(29)
    chances = rng.dirichlet([0.5, 0.7, 1.0], size=600)
    truth = np.array([rng.choice(["ant", "bee", "cat"], p=p) for p in chances])
    yield Exhibit(
        "precision-recall",
        "Precision against recall",
        "Simulated classes drawn from the predicted probabilities; class ant against the rest",
        PrecisionRecallDisplay.from_sweep(sweep(truth == "ant", chances[:, 0])),
        note="The dashed line is the precision of random alarms.",
        made_up=True,
    )
    yield Exhibit(
        "risk-coverage",
        "Error rate of accepted samples against the acceptance rate",
        "The same probabilities; the most probable class is predicted, or rejected if it is not probable enough",
        RiskCoverageDisplay.from_sweep(sweep(truth, chances, classes=["ant", "bee", "cat"])),
        note="The dashed line is the error rate if all samples are accepted.",
        made_up=True,
    )
    yield Exhibit(
        "error-reject",
        "Error rate of all samples against the rejection rate",
        "The same probabilities; Hu & Wang 2008, Remark 6 and Table 2",
        ErrorRejectDisplay.from_sweep(sweep(truth, chances, classes=["ant", "bee", "cat"])),
        note="The dashed line is the error rate if samples are rejected at random.",
        made_up=True,
    )


def _surfaces() -> Iterator[Exhibit]:
    yield Exhibit(
        "surface-50",
        "Captured information over TPR and TNR, 50% positive",
        "Hu & Wang 2008, Figure 3",
        SurfaceDisplay.at_prevalence(0.5),
    )
    names = ("M1", "M2", "M3", "M4", "M7")
    frequent = {name: Contingency.from_matrix(np.asarray(HU[name])[:, :2], positive=0) for name in names}
    yield Exhibit(
        "surface-90",
        "Captured information over TPR and TNR, 90% positive",
        "Hu & Wang 2008, Figure 3 and Table 3",
        SurfaceDisplay.from_table(frequent),
        [hu_fact(name) for name in names],
        "In M1 to M7 the positive class, the first in the paper, has 90% of the samples, so each is a point on this "
        "surface.",
    )
    whole = {name: Contingency.from_matrix(HU[name], reject=2, positive=0) for name in names}
    yield Exhibit(
        "surface-solid",
        "The same surface in three dimensions",
        "Hu & Wang 2008, Figure 3 and Table 3",
        SurfaceDisplay.from_table(whole, three_d=True),
        [hu_fact(name) for name in names],
        "Along the dashed line nothing is captured; the far peak, where every prediction is wrong, is as high as the "
        "near "
        "one.",
    )


def _bounds() -> Iterator[Exhibit]:
    names = [f"M{i}" for i in (2, 3, 4, 7, 8, *range(11, 18), 19, 20)]
    tables = {name: with_reject(HU[name]) for name in names}
    display = BoundsDisplay.from_table(tables)
    printed = HU_PRINTED["accepted_accuracy"]
    yield Exhibit(
        "bounds",
        "Bounds on the error",
        "Hu & Wang 2008, Tables 3 and 4",
        display,
        [
            (f"accuracy of {point.name}", printed[point.name], f"{1 - point.error:.4f}")
            for point in display.bounds.points
        ]
        + [hu_fact(name) for name in names],
        "The missed information bounds the error of the best decision from the output (ring, in the grey region), "
        "not the "
        "error of the system itself (disc): M11 captures everything and is wrong 85 times of 100, because its labels "
        "are swapped.",
    )
    near = {name: with_reject(HU[name]) for name in ("M2", "M3", "M4", "M5", "M7")}
    yield Exhibit(
        "bounds-near",
        "Bounds on the error, two classes, enlarged",
        "Hu & Wang 2008, Table 3",
        BoundsDisplay.from_table(near, zoom=True),
        [(f"accuracy of {name}", printed[name], f"{score('accepted_accuracy', near[name]):.4f}") for name in near],
        "M4 is above Hellman and Raviv's bound, but the best decision from its output is not. M5 rejects some "
        "samples, so "
        "its own error counts fewer samples than the reachable one.",
    )
