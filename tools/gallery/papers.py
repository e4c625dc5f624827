"""Figures that the papers print about the examples that several pictures share."""

from collections.abc import Mapping

from infoscope.tables import Contingency
from tests.papers.test_hu2008 import MATRICES as HU
from tests.papers.test_hu2008 import PERCENT as HU_PERCENT
from tests.papers.test_hu2008 import PRINTED as HU_PRINTED
from tests.papers.test_hu2008 import with_reject
from tests.papers.test_steingold2016 import PERCENT as STEINGOLD_PRINTED
from tools.gallery.exhibit import Fact, score

__all__ = ["hu_fact", "hu_printed", "majority_fact", "steingold_facts", "walk_facts"]


def steingold_facts(tables: Mapping[str, Contingency], *metrics: str) -> list[Fact]:
    """Steingold & Laclavik print percents."""
    return [
        (f"{metric} of {name}, percent", STEINGOLD_PRINTED[metric][name], f"{100 * score(metric, table):.2f}")
        for metric in metrics
        for name, table in tables.items()
    ]


def majority_fact(table: Contingency) -> Fact:
    """Valverde-Albacete says that the majority classifier adds nothing false."""
    name = "split_system_remainder"
    return "H′(Y|X) of f, the majority classifier", "0", f"{score(name, table):.4f}"


def walk_facts(steps: Mapping[str, Contingency]) -> list[Fact]:
    """Steingold & Laclavik's walk from the perfect to the worthless predictor, where they print numbers."""
    return [
        (f"{metric} at {at}, percent", STEINGOLD_PRINTED[metric][f"i{at}"], f"{100 * score(metric, steps[at]):.1f}")
        for metric in ("proficiency", "accuracy")
        for at in ("0", "50", "100")
    ]


def hu_fact(name: str) -> Fact:
    """Hu & Wang's NI is the proficiency, with rejections."""
    return f"NI of {name}", hu_printed(name), f"{score('proficiency', with_reject(HU[name])):.4f}"


def hu_printed(name: str) -> str:
    """NI as Hu & Wang print it, in one of two tables."""
    return next(page["proficiency"][name] for page in (HU_PRINTED, HU_PERCENT) if name in page.get("proficiency", {}))
