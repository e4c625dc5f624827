"""Pictures of classes and cells, and of systems side by side: heat maps, bars, leaks, forest, improvement."""

from collections.abc import Iterator

import numpy as np

from infoscope.figures import (
    ClassInformationDisplay,
    ComparisonDisplay,
    ConfusionDisplay,
    ImprovementDisplay,
    LeakDisplay,
)
from infoscope.metrics import proficiency
from infoscope.tables import Contingency
from tests.papers.test_holt2010 import PRINTED as HOLT_PRINTED
from tests.papers.test_holt2010 import TABLES as HOLT
from tests.papers.test_hu2008 import MATRICES as HU
from tests.papers.test_hu2008 import with_reject
from tests.papers.test_king_rook_king import DEPTHS, RUNS
from tools.gallery.exhibit import Exhibit, score
from tools.gallery.papers import hu_fact, hu_printed

__all__ = ["exhibits"]


def exhibits() -> Iterator[Exhibit]:
    """Cells, classes, then systems."""
    names = [f"class {at + 1}" for at in range(8)]
    ratio = "erroneous_information_ratio"
    matrix = np.asarray(HOLT["B"].counts) * 1000
    yield Exhibit(
        "confusion",
        "Confusion heat map",
        "Holt, Mastromarino, Kao & Hurley 2010, Figure 1, classifier B (per mille)",
        ConfusionDisplay.from_table(Contingency.from_matrix(matrix, truth=names, system=names), shown="of_truth"),
        [("S_I/H(T) of B", HOLT_PRINTED[ratio]["B"], f"{score(ratio, HOLT['B']):.4f}")],
        "Classes that are confused are next to each other; errors have their own colour scale, so correct "
        "predictions do "
        "not hide them.",
    )
    yield Exhibit(
        "confusion-100",
        "Confusion heat map of 100 classes",
        "Synthetic: families of ten classes in shuffled order, seed 0",
        ConfusionDisplay.from_table(_families()),
        note="The order recovers the families: errors within a family form a block on the diagonal.",
        made_up=True,
    )
    pair = {name: Contingency.from_matrix(np.asarray(HU[name])[:, :3]) for name in ("M19", "M20")}
    yield Exhibit(
        "classes",
        "Information by class, two systems side by side",
        "Hu & Wang 2008, M19 and M20 (Theorem 3)",
        ClassInformationDisplay.from_table(pair),
        [(f"NI of {name}", hu_printed(name), f"{float(proficiency(table)):.4f}") for name, table in pair.items()],
        "M20 is right less often, but more informative.",
    )
    runs = {
        name: Contingency.from_matrix(RUNS[name][0], truth=DEPTHS.split(), system=DEPTHS.split())
        for name in ("BayesNet", "RandomTree", "NaiveBayes")
    }
    yield Exhibit(
        "classes-king-rook-king",
        "Conditional entropies by class, three systems side by side",
        "Holt, Mastromarino, Kao & Hurley 2010, Figure 6, for learners of Table 3",
        ClassInformationDisplay.from_table(runs),
        note="One run of each of Weka's learners on King-Rook against King. The matrices of Figure 6 are not public.",
    )
    yield Exhibit(
        "leaks",
        "Where the bits leak",
        "Hu & Wang 2008, M5, with rejections",
        LeakDisplay.from_table(
            Contingency.from_matrix(
                HU["M5"], truth=["class 1", "class 2"], system=["class 1", "class 2", "rejected"], reject="rejected"
            )
        ),
        [hu_fact("M5")],
    )
    tables = {name: with_reject(HU[name]) for name in ("M1", "M3", "M4", "M5", "M7", "M9", "M10")}
    yield Exhibit(
        "forest",
        "Comparison forest plot",
        "Hu & Wang 2008, Table 3",
        ComparisonDisplay.from_table(tables, baseline="M3"),
        [hu_fact(name) for name in tables],
    )
    yield Exhibit(
        "improvement",
        "Improvement factors",
        "Holt, Mastromarino, Kao & Hurley 2010, Table 2 and Figure 5",
        ImprovementDisplay.from_errors({"2007": (1.484, 0.532), "2008": (1.180, 0.352), "2009": (0.814, 0.218)}),
        note="Errors as printed in Table 2. The second step stands out more by information than by accuracy.",
    )


def _families(size: int = 10, samples: int = 200) -> Contingency:
    """A hundred classes, mostly hit, else mistaken for one of their family; the families are not side by side."""
    rng = np.random.default_rng(0)
    family = rng.permutation(np.repeat(np.arange(size), size))
    kin = (family[:, None] == family[None, :]) * rng.uniform(0.2, 1.0, (size**2, size**2))
    shares = 0.7 * np.eye(size**2) + 0.28 * kin / kin.sum(axis=1, keepdims=True) + 0.02 / size**2
    names = [f"class {at:02}" for at in range(size**2)]
    return Contingency.from_matrix(rng.multinomial(samples, shares), truth=names, system=names)
