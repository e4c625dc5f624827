"""Pictures in the coverage plane: systems, clouds, tuning curves, ellipses."""

from collections.abc import Iterator
from itertools import pairwise
from math import log

import numpy as np

from infoscope.figures import CoverageDisplay
from infoscope.figures.coverage import CoveragePoint, Spread
from infoscope.tables import Contingency
from tests.papers.test_holt2010 import MISPRINTED as HOLT_MISPRINTED
from tests.papers.test_holt2010 import PRINTED as HOLT_PRINTED
from tests.papers.test_holt2010 import TABLE_2 as HOLT_TABLE_2
from tests.papers.test_holt2010 import TABLE_2_TPR as HOLT_TABLE_2_TPR
from tests.papers.test_holt2010 import TABLE_2_XI as HOLT_TABLE_2_XI
from tests.papers.test_holt2010 import TABLES as HOLT
from tests.papers.test_king_rook_king import TABLE_3, TUNING
from tests.papers.test_valverde2013 import MATRICES as VALVERDE
from tests.papers.test_valverde2013 import PRINTED as VALVERDE_PRINTED
from tools.gallery.exhibit import Exhibit, score

__all__ = ["exhibits"]

PANELS = {
    year: (float(HOLT_TABLE_2[year][0]) - 1 + captured, captured)
    for year, xi in HOLT_TABLE_2_XI.items()
    for captured in [(1 - float(HOLT_TABLE_2_TPR[year])) / float(xi) / log(8)]
}
"""r and f that the printed S_I/H(T), ξ and TPR of Table 2 imply for eight equally frequent classes."""


def exhibits() -> Iterator[Exhibit]:
    """The coverage plane, plain first."""
    yield from _coverage()
    yield _tuning()
    yield _ellipses()


def _coverage() -> Iterator[Exhibit]:
    display = CoverageDisplay.from_table(HOLT)
    pages = [page["erroneous_information_ratio"] for page in (HOLT_PRINTED, HOLT_MISPRINTED)]
    printed = pages[0] | pages[1]
    yield Exhibit(
        "coverage",
        "Information coverage",
        "Holt, Mastromarino, Kao & Hurley 2010, Figure 3",
        display,
        [(f"S_I/H(T) of {point.name}", printed[point.name], f"{point.erroneous:.4f}") for point in display.points],
        "The star is a perfect system: it captures everything and adds nothing false. Dotted lines connect systems of "
        "equal error; on the dashed line the output has as much entropy as the truth.",
    )
    display = CoverageDisplay(
        [CoveragePoint(name, r, f, float(HOLT_TABLE_2[name][1]) / 100) for name, (r, f) in PANELS.items()],
        arrows=list(pairwise(PANELS)),
    )
    yield Exhibit(
        "coverage-arrows",
        "Improvement factors on arrows",
        "Holt, Mastromarino, Kao & Hurley 2010, Table 2 and Figure 5",
        display,
        note="f and H(S)/H(T) follow from the printed S_I/H(T), ξ and TPR. The second step stands out more by "
        "information than by the percent misclassified.",
    )
    yield Exhibit(
        "clouds",
        "Clouds of repeated runs",
        "Holt, Mastromarino, Kao & Hurley 2010, Table 3 and Figure 7",
        CoverageDisplay(_runs()),
        [("r, f of the random tree", "0.523, 0.469", "drawn from the printed moments")],
        "A thousand draws per classifier from the printed means, standard deviations and correlations. The clouds "
        "are so "
        "small that each is magnified, with the ellipse that contains 95% of the draws.",
    )


def _tuning() -> Exhibit:
    tables = {name: Contingency.from_matrix(table) for name, table in TUNING.items()}
    points = [
        CoveragePoint(name, score("false_information_ratio", table), score("proficiency", table))
        for name, table in tables.items()
    ]
    best = min(points, key=lambda point: point.erroneous)
    curves = {
        "K attributes tried": [name for name in tables if name.endswith("M = 1")],
        "M samples in a leaf": [name for name in tables if name.startswith("K = 6")],
    }
    return Exhibit(
        "tuning",
        "Tuning curves in the coverage plane",
        "Holt, Mastromarino, Kao & Hurley 2010, Figure 7(a), a random tree on King-Rook against King",
        CoverageDisplay(points, zoom=True, curves=curves),
        [("best setting", "K = 6, M = 1", best.name)],
        "K is the number of attributes to choose from, M the least number of samples in a leaf; ten folds, computed by "
        "`examples/king_rook_king.py`. Both curves end at the best setting.",
    )


def _ellipses() -> Exhibit:
    tables = {name: Contingency.from_matrix(VALVERDE[name]) for name in "abd"}
    return Exhibit(
        "ellipses",
        "Credible ellipses",
        "Valverde-Albacete 2013, synthetic matrices of 60 samples",
        CoverageDisplay.from_table(tables, uncertainty=True),
        [(f"accuracy of {n}", VALVERDE_PRINTED["accuracy"][n], f"{score('accuracy', tables[n]):.4f}") for n in tables],
        "Each ellipse contains 95% of the posterior of its system.",
    )


def _runs() -> list[CoveragePoint]:
    rng = np.random.default_rng(0)
    points = []
    for name, printed in TABLE_3.items():
        r, sd_r, f, sd_f, correlation = map(float, printed)
        shared = correlation * sd_r * sd_f
        spread = Spread((r, f), np.array([[sd_r**2, shared], [shared, sd_f**2]]))
        cloud = rng.multivariate_normal(spread.mean, spread.covariance, 1000)
        points.append(CoveragePoint(name, r, f, None, spread, cloud))
    return points
