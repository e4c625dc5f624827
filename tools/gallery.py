"""Write docs/gallery.md and its pictures: each kind of picture, made from a paper's own example.

Run from the project root as ``python -m tools.gallery`` (``make docs``); the numbers beside each picture are computed.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from infoscope.cards import find
from infoscope.evaluation import evaluate
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
TREES = {
    "K = 1, M = 1": (0.7512, 0.236),
    "K = 2, M = 1": (0.7386, 0.246),
    "K = 3, M = 1": (0.6674, 0.3234),
    "K = 4, M = 1": (0.6232, 0.3671),
    "K = 5, M = 1": (0.5738, 0.4167),
    "K = 6, M = 1": (0.524, 0.4661),
    "K = 6, M = 2": (0.5246, 0.4657),
    "K = 6, M = 4": (0.5301, 0.4603),
    "K = 6, M = 7": (0.5645, 0.4245),
    "K = 6, M = 10": (0.6138, 0.3713),
    "K = 6, M = 15": (0.6648, 0.3033),
    "K = 6, M = 20": (0.6663, 0.299),
}
"""False and captured information of random trees: results of examples/king_rook_king.py with 10 folds and seed 0."""
SECTIONS = ("2.3.1a A", "2.3.1b A", "2.3.3 A")
NO_NUMBER = "The paper prints no number here."
MADE_UP = "Made up for this page, so there is nothing printed to set beside it."

Fact = tuple[str, str, str]
"""What, as printed, ours."""


@dataclass(frozen=True)
class Exhibit:
    """A picture with what the paper says about the same numbers."""

    file: str
    title: str
    source: str
    display: Display
    facts: Sequence[Fact] = ()
    note: str = ""
    made_up: bool = False
    """Whether no paper has the example."""


def exhibits() -> Iterator[Exhibit]:
    """The whole gallery, in the order of the page."""
    yield from _coverage()
    yield from _tuning()
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


def _tuning() -> Iterator[Exhibit]:
    points = [CoveragePoint(name, *place) for name, place in TREES.items()]
    best = min(points, key=lambda point: point.erroneous)
    yield Exhibit(
        "tuning",
        "Tuning curves in the coverage plane",
        "Holt, Kao & Hurley 2010, Figure 7(a), a random tree on King-Rook against King",
        CoverageDisplay(points, zoom=True, curves={"tree": list(TREES)}),
        [("best setting", "K = 6, M = 1", best.name)],
        "K attributes to choose from, M samples in a leaf at the least; ten folds, tables by "
        "`examples/king_rook_king.py`.",
    )
    tables = {name: Contingency.from_matrix(VALVERDE[name]) for name in "abd"}
    yield Exhibit(
        "ellipses",
        "Credible ellipses",
        "Valverde-Albacete & Peláez-Moreno 2013, synthetic matrices of 60 samples",
        CoverageDisplay.from_table(tables, uncertainty=True),
        [(f"accuracy of {n}", VALVERDE_PRINTED["accuracy"][n], f"{_score('accuracy', tables[n]):.4f}") for n in tables],
        "Where the posterior puts each system with probability 95%.",
    )


def _steingold(tables: Mapping[str, Contingency], *metrics: str) -> list[Fact]:
    return [
        (f"{metric} of {name}, percent", STEINGOLD_PRINTED[metric][name], f"{100 * _score(metric, table):.2f}")
        for metric in metrics
        for name, table in tables.items()
    ]


def _score(metric: str, table: Contingency) -> float:
    return float(find(metric).score(table))


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
    display = EntropyTriangleDisplay.from_table(tables)
    yield Exhibit(
        "triangle",
        "Entropy triangle",
        where,
        display,
        [
            (f"accuracy of {name}", text, f"{float(accuracy(tables[name])):.4f}")
            for name, text in VALVERDE_PRINTED["accuracy"].items()
        ]
        + [(f"ΔH′ + 2·MI′ + VI′ of {point.name}", "1", f"{sum(point.shares):.4f}") for point in display.points],
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
        [_majority(tables["f"])],
        "Truth as a cross, output as a circle: the farther apart, the more the output's variety differs.",
    )
    steps = {str(wrong): spoilt(200, wrong, 0.1) for wrong in range(0, 101, 10)}
    yield Exhibit(
        "triangle-path",
        "A path over an ordered condition",
        "Steingold & Laclavik 2016, section 2.2",
        EntropyTriangleDisplay.from_table(steps, paths={"wrong answers": list(steps)}),
        _walk(steps),
        "Of 200 samples 0, 10, … 100 are answered wrongly: the system falls to the ground.",
    )
    groups = {name.removesuffix(" A"): Contingency.from_matrix(STEINGOLD[name]) for name in SECTIONS}
    found = evaluate(_rows(groups), "truth", "answer", by="section")
    yield Exhibit(
        "triangle-groups",
        "A point for each group",
        "Steingold & Laclavik 2016, predictor A of sections 2.3.1 and 2.3.3",
        EntropyTriangleDisplay.from_table(
            {system.title: system.table for system in found.systems if system.table is not None}
        ),
        _steingold({f"{name} A": table for name, table in groups.items()}, "proficiency", "accuracy"),
        "One file of rows with a column `section`, evaluated with `--by section`.",
    )


def _majority(table: Contingency) -> Fact:
    name = "split_system_remainder"
    return "H′(Y|X) of f, the majority voter", VALVERDE_PRINTED[name]["f"], f"{_score(name, table):.4f}"


def _walk(steps: Mapping[str, Contingency]) -> list[Fact]:
    """Steingold & Laclavik's walk from the perfect to the worthless predictor, where they print numbers."""
    return [
        (f"{metric} at {at}, percent", STEINGOLD_PRINTED[metric][f"i{at}"], f"{100 * _score(metric, steps[at]):.1f}")
        for metric in ("proficiency", "accuracy")
        for at in ("0", "50", "100")
    ]


def _rows(groups: Mapping[str, Contingency]) -> pl.DataFrame:
    """One row a sample, its section beside it."""
    rows = [
        (section, "yes" if truth == 0 else "no", "yes" if answer == 0 else "no")
        for section, table in groups.items()
        for (truth, answer), count in np.ndenumerate(np.asarray(table.counts))
        for _ in range(int(count))
    ]
    return pl.DataFrame(rows, schema=["section", "truth", "answer"], orient="row")


def _diagrams() -> Iterator[Exhibit]:
    where = "Valverde-Albacete & Peláez-Moreno 2013"
    for name, case in (("a", "general"), ("d", "dependent"), ("f", "independent")):
        table = Contingency.from_matrix(VALVERDE[name])
        yield Exhibit(
            f"diagram-{case}",
            f"Extended entropy diagram, {case} case (matrix {name})",
            where,
            EntropyDiagramDisplay.from_table(table),
            [_majority(table)] if name == "f" else (),
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
    ratio = "erroneous_information_ratio"
    matrix = np.asarray(HOLT["B"].counts) * 1000
    yield Exhibit(
        "confusion",
        "Confusion heat map",
        "Holt, Kao & Hurley 2010, Figure 1, classifier B (per mille)",
        ConfusionDisplay.from_table(Contingency.from_matrix(matrix, truth=names, system=names), shown="of_truth"),
        [("S_I/H(T) of B", HOLT_PRINTED[ratio]["B"], f"{_score(ratio, HOLT['B']):.4f}")],
        "Classes that are confused stand side by side; errors have their own scale, so hits do not drown them.",
    )
    yield Exhibit(
        "confusion-100",
        "Confusion heat map of 100 classes",
        "Synthetic: families of ten classes in shuffled order, seed 0",
        ConfusionDisplay.from_table(_families()),
        note="The order finds the families again: errors within one stand in a block beside the diagonal.",
        made_up=True,
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
        [_hu_fact("M5")],
    )
    tables = {name: with_reject(HU[name]) for name in ("M1", "M3", "M4", "M5", "M7", "M9", "M10")}
    yield Exhibit(
        "forest",
        "Comparison forest plot",
        "Hu & Wang 2008, Table 3",
        ComparisonDisplay.from_table(tables, baseline="M3"),
        [_hu_fact(name) for name in tables],
    )
    yield Exhibit(
        "improvement",
        "Improvement factors",
        "Holt, Kao & Hurley 2010, Table 2 and Figure 5",
        ImprovementDisplay.from_errors({"2007": (1.484, 0.532), "2008": (1.180, 0.352), "2009": (0.814, 0.218)}),
        note="Errors as printed in Table 2. By accuracy the systems improve faster than by information.",
    )


def _families(size: int = 10, samples: int = 200) -> Contingency:
    """A hundred classes, mostly hit, else mistaken for one of their family; the families are not side by side."""
    rng = np.random.default_rng(0)
    family = rng.permutation(np.repeat(np.arange(size), size))
    kin = (family[:, None] == family[None, :]) * rng.uniform(0.2, 1.0, (size**2, size**2))
    shares = 0.7 * np.eye(size**2) + 0.28 * kin / kin.sum(axis=1, keepdims=True) + 0.02 / size**2
    names = [f"class {at:02}" for at in range(size**2)]
    return Contingency.from_matrix(rng.multinomial(samples, shares), truth=names, system=names)


def _hu_fact(name: str) -> Fact:
    return f"NI of {name}", _hu_printed(name), f"{_score('proficiency', with_reject(HU[name])):.4f}"


def _hu_printed(name: str) -> str:
    return next(page["proficiency"][name] for page in (HU_PRINTED, HU_PERCENT) if name in page.get("proficiency", {}))


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
    steps = {wrong: spoilt(200, wrong, 0.1) for wrong in range(0, 101, 5)}
    yield Exhibit(
        "sweep",
        "Sweep curves",
        "Steingold & Laclavik 2016, the same tables, as a sweep",
        SweepDisplay.from_table(steps, parameter="wrong answers, of 200"),
        _walk({str(wrong): table for wrong, table in steps.items()}),
    )
    for share in (0.5, 0.1):
        yield Exhibit(
            f"surface-{int(100 * share)}",
            f"Captured information over TPR and TNR, {share:.0%} positive",
            "Hu & Wang 2008, Figure 3",
            SurfaceDisplay.at_prevalence(share),
            [_hu_fact(name) for name in ("M1", "M2", "M3", "M4", "M7")] if share == 0.1 else (),
            "M1 to M7 have 10% of the small class: each is a point of this surface." if share == 0.1 else "",
        )


def _bounds() -> Iterator[Exhibit]:
    names = ("M2", "M3", "M4", "M7", "M11", "M12", "M14", "M16", "M17", "M19", "M20")
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
        + [_hu_fact(name) for name in names],
        "What the output tells bounds the error of the best reading of it (ring, in the grey region), not the error of "
        "the system (disc): M11 tells everything and is wrong 85 times of 100, for its labels are swapped.",
    )
    near = {name: with_reject(HU[name]) for name in ("M2", "M3", "M4", "M5", "M7")}
    yield Exhibit(
        "bounds-near",
        "Bounds on the error, two classes, nearer by",
        "Hu & Wang 2008, Table 3",
        BoundsDisplay.from_table(near, zoom=True),
        [(f"accuracy of {name}", printed[name], f"{_score('accepted_accuracy', near[name]):.4f}") for name in near],
        "M4 lies above Hellman and Raviv's bound; read at its best, it does not. M5 refuses, so its own error "
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
        made_up=True,
    )
    yield Exhibit(
        "track-timeline",
        "Timeline of a tracker",
        where,
        TrackTimelineDisplay.from_evaluation(result, system="two swap ids"),
        note="Two ids change places half way.",
        made_up=True,
    )
    yield Exhibit(
        "association",
        "Association map of a tracker",
        where,
        AssociationDisplay.from_evaluation(result, system="two swap ids"),
        note="Each of the two truths has two ids, and each of their ids has two truths.",
        made_up=True,
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
        else:
            lines.append(MADE_UP if item.made_up else NO_NUMBER)
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
