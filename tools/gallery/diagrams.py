"""Diagrams of one table: entropies to scale, perplexities, the ledger."""

from collections.abc import Iterator

from infoscope.figures import EntropyDiagramDisplay, LedgerDisplay, PerplexityDisplay
from infoscope.metrics import proficiency
from infoscope.tables import Contingency
from tests.papers.test_holt2010 import TABLES as HOLT
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
    yield Exhibit("diagram-joint", "Joint form", where, EntropyDiagramDisplay.from_table(table, form="joint"))
    yield Exhibit("diagram-split", "Split form", where, EntropyDiagramDisplay.from_table(table, form="split"))
    yield Exhibit(
        "diagram-circles",
        "Joint entropy diagram of circles (classifier A)",
        "Holt, Mastromarino, Kao & Hurley 2010, Figure 2",
        EntropyDiagramDisplay.from_table(HOLT["A"], form="circles"),
    )
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
