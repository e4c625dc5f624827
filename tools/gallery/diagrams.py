"""Diagrams of one table: entropies to scale, perplexities, the ledger."""

from collections.abc import Iterator

from infoscope.figures import EntropyDiagramDisplay, LedgerDisplay, PerplexityDisplay
from infoscope.figures.display import Display
from infoscope.figures.scene import Axis, Bar, Line, Mark, Panel, Point, Words
from infoscope.metrics import proficiency
from infoscope.tables import Contingency
from tests.papers.test_holt2010 import TABLES as HOLT
from tests.papers.test_hu2008 import TABLES as HU
from tests.papers.test_steingold2016 import MATRICES as STEINGOLD
from tests.papers.test_steingold2016 import PERCENT as STEINGOLD_PRINTED
from tests.papers.test_valverde2013 import MATRICES as VALVERDE
from tools.gallery.exhibit import Exhibit
from tools.gallery.papers import majority_fact

__all__ = ["exhibits"]


def exhibits() -> Iterator[Exhibit]:
    """The extended diagram in its three cases, then its other forms."""
    where = "Valverde-Albacete 2013"
    for name, case in (("a", "general"), ("d", "dependent"), ("f", "independent")):
        table = Contingency.from_matrix(VALVERDE[name])
        yield Exhibit(
            f"diagram-{case}",
            f"Extended entropy diagram, {case} case (matrix {name})",
            where,
            EntropyDiagramDisplay.from_table(table),
            [majority_fact(table)] if name == "f" else (),
        )
    table = Contingency.from_matrix(VALVERDE["a"])
    yield Exhibit(
        "diagram-extended-circles",
        "Extended entropy diagram of circles (matrix c)",
        where,
        EntropyDiagramDisplay.from_table(Contingency.from_matrix(VALVERDE["c"]), form="extended circles"),
        note="The grey rings are ΔH: with equally frequent classes the entropies would fill them.",
    )
    yield Exhibit("diagram-joint", "Joint form", where, EntropyDiagramDisplay.from_table(table, form="joint"))
    yield Exhibit("diagram-split", "Split form", where, EntropyDiagramDisplay.from_table(table, form="split"))
    yield Exhibit(
        "diagram-circles",
        "Joint entropy diagram of circles (classifier A)",
        "Holt, Mastromarino, Kao & Hurley 2010, Figure 2",
        EntropyDiagramDisplay.from_table(HOLT["A"], form="circles"),
    )
    yield from _cases_of_hu()
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


def _cases_of_hu() -> Iterator[Exhibit]:
    """Misclassifications, dependent truth and decisions, and independent ones; then how a classifier learns."""
    independent = Contingency.from_matrix([[72, 18], [8, 2]])
    for letter, case, table in (
        ("a", "general case, M3", HU["M3"]),
        ("b", "fully dependent, M11", HU["M11"]),
        ("c", "independent, 90 and 10 samples", independent),
    ):
        yield Exhibit(
            f"entropies-{letter}",
            f"Mutual information and entropy: {case}",
            f"Hu & Wang 2008, Figure 1 ({letter})",
            EntropyDiagramDisplay.from_table(table, form="circles"),
        )
    yield Exhibit(
        "learning",
        "How a classifier learns by mutual information",
        "Hu & Wang 2008, Figure 2",
        LearningScheme(),
        note="`ifs.torch.InformationLoss` is this objective for PyTorch.",
    )


class LearningScheme(Display):
    """The loop of classification learning: decisions are compared with targets, and the parameters adapted."""

    def panel(self) -> Panel:
        """Draw samples, classifier, decisions, targets and objective with the arrows between them."""
        boxes = {
            "samples X": (0.0, 2.0),
            "classifier Y = f(X, θ)": (3.0, 2.0),
            "decisions Y, some rejected": (6.2, 2.0),
            "targets T": (0.0, 0.0),
            "max NI(T,Y) = I(T,Y) / H(T)": (6.2, 0.0),
        }
        marks: list[Mark] = []
        for text, (x, y) in boxes.items():
            half = 0.9 if x == 0 else 1.35
            fill, ink = ("captured", "on-captured") if text.startswith("max") else ("grid", "ink")
            marks.append(Bar((x - half, y - 0.35), (x + half, y + 0.35), fill))
            marks.append(Words(x, y, text, ink, "small", "middle"))
        for points in (
            ((0.9, 2.0), (1.65, 2.0)),
            ((4.35, 2.0), (4.85, 2.0)),
            ((6.2, 1.65), (6.2, 0.35)),
            ((0.9, 0.0), (4.85, 0.0)),
            ((5.3, 0.35), (5.3, 1.0), (3.0, 1.0), (3.0, 1.65)),
        ):
            marks += _draw_arrow(points)
        marks.append(Words(4.1, 1.0, "adapt θ", "dim", "small", "middle", (0.0, -9.0)))
        summary = (
            "Samples X go through the classifier f with parameters θ to decisions Y; the normalized mutual information "
            "of targets T and decisions is the objective by which θ is adapted."
        )
        return Panel(
            "Classification learning",
            summary,
            Axis(-1.0, 7.7, line=False),
            Axis(-0.6, 2.6, line=False),
            tuple(marks),
            680.0,
            250.0,
            (8.0, 8.0, 8.0, 8.0),
        )


def _draw_arrow(points: tuple[Point, ...]) -> Iterator[Mark]:
    """A line with a head at its end, which goes along an axis."""
    (x0, y0), (x1, y1) = points[-2:]
    yield Line(points, "ink", 1.4)
    across, up = (0.14 * (x1 > x0) - 0.14 * (x1 < x0)), (0.18 * (y1 > y0) - 0.18 * (y1 < y0))
    wide = (0.09 * (across == 0), 0.11 * (up == 0))
    base = (x1 - across, y1 - up)
    head = ((x1, y1), (base[0] - wide[0], base[1] - wide[1]), (base[0] + wide[0], base[1] + wide[1]))
    yield Line(head, "ink", 1.0, closed=True, fill="ink")
