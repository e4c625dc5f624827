"""Write docs/gallery.md and its pictures: each kind of picture, made from a paper's own example.

Run from the project root as ``python -m tools.gallery`` (``make docs``); the numbers beside each picture are computed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from infoscope.figures import (
    BoundsDisplay,
    ClassInformationDisplay,
    ComparisonDisplay,
    ConfusionDisplay,
    CoverageDisplay,
    EntropyDiagramDisplay,
    EntropyTriangleDisplay,
    ImprovementDisplay,
    LeakDisplay,
    LedgerDisplay,
    MetricCurvesDisplay,
    PerplexityDisplay,
    SplitTriangleDisplay,
    SurfaceDisplay,
    SweepDisplay,
)
from infoscope.figures.association import AssociationDisplay
from infoscope.figures.beliefs import Spread
from infoscope.figures.coverage import CoveragePoint
from infoscope.figures.display import Display
from infoscope.figures.metric_curves import spoilt
from infoscope.figures.track_ledger import TrackLedgerDisplay
from infoscope.figures.track_timeline import TrackTimelineDisplay
from infoscope.metrics import accuracy, proficiency
from infoscope.tables import Contingency
from infoscope.tracking import compare
from tests.papers.test_holt2010 import MISPRINTED as HOLT_MISPRINTED
from tests.papers.test_holt2010 import PRINTED as HOLT_PRINTED
from tests.papers.test_holt2010 import TABLES as HOLT
from tests.papers.test_hu2008 import MATRICES as HU
from tests.papers.test_hu2008 import PERCENT as HU_PERCENT
from tests.papers.test_hu2008 import PRINTED as HU_PRINTED
from tests.papers.test_hu2008 import with_reject
from tests.papers.test_steingold2016 import MATRICES as STEINGOLD
from tests.papers.test_steingold2016 import PERCENT as STEINGOLD_PRINTED
from tests.papers.test_valverde2013 import MATRICES as VALVERDE
from tests.papers.test_valverde2013 import PRINTED as VALVERDE_PRINTED
from tests.reference import ROOT
from tests.tracking.scenes import Stage

FOLDER = ROOT / "docs" / "gallery"
PAGE = ROOT / "docs" / "gallery.md"
HEAD = """\
# Gallery

Every kind of picture, made from an example of the papers, beside what the paper prints for it. The pictures and the
numbers called “ours” are written by `python -m tools.gallery` (`make docs`). Each is one line of Python:
`ifs.CoverageDisplay.from_table(tables).save("coverage.svg")`; `.plot(ax)` draws the same on matplotlib axes.
"""


@dataclass(frozen=True)
class Exhibit:
    """A picture with what the paper says about the same numbers."""

    file: str
    title: str
    source: str
    display: Display
    facts: Sequence[tuple[str, str, str]] = ()
    """What, as printed, ours."""
    note: str = ""


def exhibits() -> Iterator[Exhibit]:
    """The whole gallery, in the order of the page."""
    yield from _coverage()
    yield from _triangles()
    yield from _diagrams()
    yield from _tables()
    yield from _curves()
    yield from _bounds()
    yield from _trackers()


def _coverage() -> Iterator[Exhibit]:
    display = CoverageDisplay.from_table(HOLT)
    pages = [page["erroneous_information_ratio"] for page in (HOLT_PRINTED, HOLT_MISPRINTED)]
    printed = pages[0] | pages[1]
    yield Exhibit(
        "coverage",
        "Information coverage",
        "Holt, Kao & Hurley 2010, Figure 3",
        display,
        [(f"S_I/H(T) of {point.name}", printed[point.name], f"{point.erroneous:.4f}") for point in display.points],
        "The star is all of the truth and nothing but the truth. Dotted lines join systems of equal error; on the "
        "dashed line the output says as much as there is to say.",
    )
    yield Exhibit(
        "clouds",
        "Clouds of repeated runs",
        "Holt, Kao & Hurley 2010, Table 3 and Figure 7",
        CoverageDisplay(_runs(), zoom=True),
        [("r, f of the random tree", "0.523, 0.469", "drawn from the printed moments")],
        "A thousand draws a classifier from the printed means, standard deviations and correlations.",
    )


def _runs() -> list[CoveragePoint]:
    moments = {
        "naive Bayes": (0.653, 5.79e-4, 0.238, 4.99e-4, -0.692),
        "Bayesian network": (0.528, 8.21e-4, 0.415, 7.82e-4, -0.831),
        "random tree": (0.523, 2.14e-3, 0.469, 2.05e-3, -0.947),
        "J48 tree": (0.672, 1.38e-3, 0.292, 1.35e-3, -0.783),
    }
    rng = np.random.default_rng(0)
    points = []
    for name, (r, sd_r, f, sd_f, correlation) in moments.items():
        shared = correlation * sd_r * sd_f
        spread = Spread((r, f), np.array([[sd_r**2, shared], [shared, sd_f**2]]))
        cloud = rng.multivariate_normal(spread.mean, spread.covariance, 1000)
        points.append(CoveragePoint(name, r, f, None, spread, cloud))
    return points


def _triangles() -> Iterator[Exhibit]:
    tables = {name: Contingency.from_matrix(matrix) for name, matrix in VALVERDE.items()}
    where = "Valverde-Albacete & Peláez-Moreno 2013, synthetic matrices"
    yield Exhibit(
        "triangle",
        "Entropy triangle",
        where,
        EntropyTriangleDisplay.from_table(tables),
        [
            (f"accuracy of {name}", text, f"{float(accuracy(tables[name])):.4f}")
            for name, text in VALVERDE_PRINTED["accuracy"].items()
        ],
        "Height is what gets across; left is lost to imbalance, right to error. f, the majority voter, lies on the "
        "ground although its accuracy is the colour of a good system.",
    )
    yield Exhibit(
        "triangle-warped",
        "The same through a lens on the top corner",
        where,
        EntropyTriangleDisplay.from_table(tables, magnify=("transfer", 4.0)),
        note="A projective lens: straight lines stay straight, the corner is magnified four times.",
    )
    yield Exhibit(
        "split-triangle",
        "Split entropy triangle",
        where,
        SplitTriangleDisplay.from_table(tables),
        note="Truth as a cross, output as a circle: the farther apart, the more the output's variety differs.",
    )
    steps = {str(wrong): spoilt(200, wrong, 0.1) for wrong in range(0, 101, 10)}
    yield Exhibit(
        "triangle-path",
        "A path over an ordered condition",
        "Steingold & Laclavik 2016, section 2.2",
        EntropyTriangleDisplay.from_table(steps, paths={"wrong answers": list(steps)}),
        note="Of 200 samples 0, 10, … 100 are answered wrongly: the system falls to the ground.",
    )


def _diagrams() -> Iterator[Exhibit]:
    where = "Valverde-Albacete & Peláez-Moreno 2013"
    for name, case in (("a", "general"), ("d", "dependent"), ("f", "independent")):
        table = Contingency.from_matrix(VALVERDE[name])
        yield Exhibit(
            f"diagram-{case}",
            f"Extended entropy diagram, {case} case (matrix {name})",
            where,
            EntropyDiagramDisplay.from_table(table),
        )
    table = Contingency.from_matrix(VALVERDE["a"])
    yield Exhibit("diagram-joint", "Joint form", where, EntropyDiagramDisplay.from_table(table, form="joint"))
    yield Exhibit("diagram-split", "Split form", where, EntropyDiagramDisplay.from_table(table, form="split"))
    tables = {name: Contingency.from_matrix(matrix) for name, matrix in VALVERDE.items()}
    yield Exhibit("perplexity", "Perplexity chain", where, PerplexityDisplay.from_table(tables))
    ledger = Contingency.from_matrix(STEINGOLD["2.3.1a A"])
    printed = STEINGOLD_PRINTED["proficiency"]["2.3.1a A"]
    yield Exhibit(
        "ledger",
        "Information ledger",
        "Steingold & Laclavik 2016, section 2.3.1, A",
        LedgerDisplay.from_table(ledger),
        [("proficiency, percent", printed, f"{100 * float(proficiency(ledger)):.2f}")],
    )


def _tables() -> Iterator[Exhibit]:
    names = [f"class {at + 1}" for at in range(8)]
    matrix = np.asarray(HOLT["B"].counts) * 1000
    yield Exhibit(
        "confusion",
        "Confusion heat map",
        "Holt, Kao & Hurley 2010, Figure 1, classifier B (per mille)",
        ConfusionDisplay.from_table(Contingency.from_matrix(matrix, truth=names, system=names), shown="of_truth"),
        note="Classes that are confused stand side by side; errors have their own scale, so hits do not drown them.",
    )
    pair = {name: Contingency.from_matrix(np.asarray(HU[name])[:, :3]) for name in ("M19", "M20")}
    yield Exhibit(
        "classes",
        "Information by class, two systems side by side",
        "Hu & Wang 2008, M19 and M20 (Theorem 3)",
        ClassInformationDisplay.from_table(pair),
        [(f"NI of {name}", _hu_printed(name), f"{float(proficiency(table)):.4f}") for name, table in pair.items()],
        "M20 is right less often and yet more informative.",
    )
    yield Exhibit(
        "leaks",
        "Where the bits leak",
        "Hu & Wang 2008, M5, with refusals",
        LeakDisplay.from_table(with_reject(HU["M5"])),
    )
    tables = {name: with_reject(HU[name]) for name in ("M1", "M3", "M4", "M5", "M7", "M9", "M10")}
    yield Exhibit(
        "forest",
        "Comparison forest plot",
        "Hu & Wang 2008, Table 3",
        ComparisonDisplay.from_table(tables, baseline="M3"),
        [(f"NI of {name}", _hu_printed(name), f"{float(proficiency(table)):.4f}") for name, table in tables.items()],
    )
    yield Exhibit(
        "improvement",
        "Improvement factors",
        "Holt, Kao & Hurley 2010, Table 2 and Figure 5",
        ImprovementDisplay.from_errors({"2007": (1.484, 0.532), "2008": (1.180, 0.352), "2009": (0.814, 0.218)}),
        note="By accuracy the systems improve faster than by information.",
    )


def _hu_printed(name: str) -> str:
    return next(page["proficiency"][name] for page in (HU_PRINTED, HU_PERCENT) if name in page.get("proficiency", {}))


def _curves() -> Iterator[Exhibit]:
    display = MetricCurvesDisplay.over_quality()
    names = {"Proficiency": "proficiency", "Phi coefficient": "phi", "F1": "f1", "Accuracy": "accuracy"}
    printed = {title: STEINGOLD_PRINTED[name]["i50"] for title, name in names.items()}
    yield Exhibit(
        "metric-curves",
        "Metrics against quality",
        "Steingold & Laclavik 2016, Figure 1",
        display,
        [(f"{curve.name} at 50, percent", printed[curve.name], f"{100 * curve.y[50]:.1f}") for curve in display.curves],
    )
    steps = {wrong: spoilt(200, wrong, 0.1) for wrong in range(0, 101, 5)}
    yield Exhibit(
        "sweep",
        "Sweep curves",
        "the same tables, as a sweep",
        SweepDisplay.from_table(steps, parameter="wrong answers, of 200"),
    )
    for share in (0.5, 0.1):
        yield Exhibit(
            f"surface-{int(100 * share)}",
            f"Captured information over TPR and TNR, {share:.0%} positive",
            "Hu & Wang 2008, Figure 3",
            SurfaceDisplay.at_prevalence(share),
        )


def _bounds() -> Iterator[Exhibit]:
    names = ("M2", "M3", "M4", "M7", "M11", "M14", "M16", "M19", "M20")
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
        ],
        "What the output tells bounds the error of the best reading of it (ring, in the grey region), not the error of "
        "the system (disc): M11 tells everything and is wrong 85 times of 100, for its labels are swapped.",
    )
    yield Exhibit(
        "bounds-near",
        "Bounds on the error, two classes, nearer by",
        "Hu & Wang 2008, Table 3",
        BoundsDisplay.from_table({name: with_reject(HU[name]) for name in ("M2", "M3", "M4", "M5", "M7")}, zoom=True),
        note="M4 lies above Hellman and Raviv's bound; read at its best, it does not. M5 refuses, so its own error "
        "counts fewer samples than the reachable one.",
    )


def _trackers() -> Iterator[Exhibit]:
    """One tracker a fault, on ten objects and a hundred frames."""
    stage = Stage()
    faults = {
        "one break": stage.broken(),
        "two swap ids": stage.swapped(),
        "three missed": stage.missing(3),
        "two false tracks": stage.with_false_tracks(2),
        "all break": stage.all_broken(),
    }
    result = compare(stage.truth(), faults)
    where = "Trackers with one fault each, ten objects for a hundred frames"
    yield Exhibit(
        "track-ledger",
        "Information ledger of trackers",
        where,
        TrackLedgerDisplay.from_evaluation(result),
        note="Each fault has its own column. What lies right of the line is false.",
    )
    yield Exhibit(
        "track-timeline",
        "Timeline of a tracker",
        where,
        TrackTimelineDisplay.from_evaluation(result, system="two swap ids"),
        note="Two ids change places half way.",
    )
    yield Exhibit(
        "association",
        "Association map of a tracker",
        where,
        AssociationDisplay.from_evaluation(result, system="two swap ids"),
        note="Each of the two truths has two ids, and each of their ids has two truths.",
    )


def page(shown: Sequence[Exhibit]) -> str:
    """The Markdown of the gallery."""
    lines = [HEAD]
    for item in shown:
        lines += [f"## {item.title}", "", f"*{item.source}.* {item.note}".rstrip(), ""]
        lines += [f"![{item.display.panel().summary}](gallery/{item.file}.svg)", ""]
        if item.facts:
            lines += ["| | as printed | ours |", "|---|---:|---:|"]
            lines += [f"| {what} | {printed} | {ours} |" for what, printed, ours in item.facts]
            lines.append("")
    return "\n".join(lines)


def write(folder: Path = FOLDER, target: Path = PAGE) -> None:
    """Write page and pictures."""
    shown = list(exhibits())
    folder.mkdir(parents=True, exist_ok=True)
    for item in shown:
        (folder / f"{item.file}.svg").write_text(item.display.to_svg() + "\n", encoding="utf-8")
    target.write_text(page(shown), encoding="utf-8")


if __name__ == "__main__":
    write()
