"""Numbers in the text of a page for users have a source: a block of the page, a constant of the code, a script."""

import importlib
import inspect
import re
from collections.abc import Callable
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
PAGES = [page for kind in ("start", "tutorials", "how-to", "explanation") for page in (DOCS / kind).glob("*.md")]
BLOCK = re.compile(r"^```.*?^```$|<!--.*?-->", re.DOTALL | re.MULTILINE)
NO_PROSE = re.compile(r"`[^`\n]*`|\]\([^)]*\)|(?:19|20)\d\d\)|“[^”]*”|\"[^\"]*\"|^#.*$", re.MULTILINE)
"""Code, targets of links, years of publications, quotations, headings."""
SOURCE = re.compile(r"`(python )?(benchmarks|examples|tests)/[\w/]+\.py|\]\(\.\./contributors/")
"""A paragraph that names what measured its numbers, or the page that has the measurement."""
NUMBER = re.compile(r"(?<![\w.^])(\d[\d,]*(?:\.\d+)?|\.\d+)(?![\w⁰-⁹])\s*(%?)")
LEVELS = {"95", "0.95", "0.05", "99"}
"""Of intervals and tests, in percent or as a probability."""
LIMITS = {
    "start/install": {"3.11": ("importlib.metadata", "metadata('infoscope')['Requires-Python'].removeprefix('>=')")},
    "how-to/comparison": {
        "80": ("infoscope.studies.compare_statistics", "round(100 * POWER)"),
        "999": ("infoscope.studies.compare", "SWAPS"),
        "199": ("infoscope.studies.compare_statistics", "MIN_SWAPS"),
        "30": ("infoscope.studies.evaluate", "MAX_COMPARED_SYSTEMS"),
        "64": ("infoscope.readers.reader", "SMALL_FILES >> 20"),
        "100,000": ("infoscope.studies.evaluate_tables", "MAX_KEPT_ROWS"),
    },
    "how-to/continuous-integration": {
        "20": ("infoscope.studies.history", "round(100 * ALLOWED_MISSING)"),
        "80": ("infoscope.studies.compare_statistics", "round(100 * POWER)"),
    },
    "how-to/history": {
        "20": ("infoscope.studies.history", "round(100 * ALLOWED_MISSING)"),
        "30": ("infoscope.studies.history", "BASELINE_RUNS"),
    },
    "how-to/judge": {
        "10": ("infoscope.studies.judge_plan", "FEWEST_LABELS"),
        "30": ("infoscope.studies.judge_plan", "FIRST_LABELS"),
        "1.9": ("infoscope.studies.judge_findings", "EASIER"),
        "2.6": ("infoscope.studies.judge_findings", "HARDER"),
        "270": ("infoscope.studies.judge_strata", "int(round(MAX_COUNTED_CELLS ** (1 / 3), -1))"),
        "500,000": ("infoscope.studies.judge", "MAX_DRAWN_CELLS"),
    },
    "how-to/multilabel": {
        "1000": ("infoscope.studies.multilabel", "default(evaluate, 'draws')"),
        "500": ("infoscope.studies.multilabel", "default(evaluate, 'splits')"),
        "200": ("infoscope.studies.multilabel", "MAX_CATEGORIES_OF_HALVES"),
        "100": ("infoscope.studies.multilabel", "MAX_RENAMED_SPLITS"),
    },
    "how-to/cross-validation": {"500": ("infoscope.studies.cross_validate", "default(stability, 'splits')")},
    "how-to/operating-points": {
        "0.001": ("infoscope.studies.score_arrays", "SUM_TOLERANCE"),
    },
    "how-to/read-data": {"64": ("infoscope.readers.stores", "_FOOTER >> 10")},
    "how-to/relations": {
        "999": ("infoscope.studies.relate", "default(relate, 'permutations')"),
        "20,000": ("infoscope.studies.relate", "MAX_NEIGHBOUR_ROWS"),
    },
    "how-to/report": {
        "30": ("infoscope.reports.html.evaluation", "MAX_MATRIX_CLASSES"),
        "400": ("infoscope.readers.cell_rows", "MAX_TEXT"),
        "500,000": ("infoscope.studies.evaluate_tables", "MAX_CHARACTERS"),
        "1000": ("infoscope.studies.evaluation", "MAX_CELLS"),
    },
    "how-to/tracking": {"13": ("infoscope.studies.tracking", "MOT_CLASSES")},
    "how-to/without-truth": {
        "12,000": ("infoscope.studies.latent_model", "MOST_SWEEPS"),
        "10,000": ("infoscope.studies.latent_model", "MAX_CLASSES"),
        "500,000": ("infoscope.studies.latent_model", "MAX_PROBABILITIES"),
        "1.05": ("infoscope.studies.latent_model", "SETTLED"),
    },
}
"""Numbers that are constants of the code, by page: a module and an expression of its names."""


def default(function: Callable[..., object], parameter: str) -> object:
    return inspect.signature(function).parameters[parameter].default


def values_of(page: str) -> list[float]:
    text = " ".join(block for block in BLOCK.findall(page))
    return [float(found.replace(",", "").replace("_", "")) for found in re.findall(r"\d[\d,_]*(?:\.\d+)?|\.\d+", text)]


def numbers_without_a_source(page: str) -> list[str]:
    """Numbers of two digits or more that no block of the page has, rounded as the text rounds it."""
    shown = values_of(page)
    found = []
    for paragraph in re.split(r"\n\s*\n", BLOCK.sub("", page)):
        if not SOURCE.search(paragraph):
            for text, percent in NUMBER.findall(NO_PROSE.sub("", paragraph)):
                number, digits = float(text.replace(",", "")), len(text.partition(".")[2])
                is_shown = any(round(value, digits) == number for value in shown if digits or value == number)
                is_shown |= bool(percent) and any(
                    number in (round(value, digits), round(100 * value, digits)) for value in shown
                )
                if not is_shown and (digits or number >= 10) and text.rstrip(",") not in LEVELS:
                    found.append(text.rstrip(","))
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}/{page.stem}")
def test_numbers_in_the_text_have_a_source(page: Path) -> None:
    limits = LIMITS.get(f"{page.parent.name}/{page.stem}", {})
    found = numbers_without_a_source(page.read_text(encoding="utf-8"))

    assert not [number for number in found if number not in limits]
    assert not set(limits) - set(found), "no longer on the page"
    for number, (module, expression) in limits.items():
        names = vars(importlib.import_module(module)) | {"default": default}
        assert str(eval(expression, names)) == number.replace(",", ""), number


def test_a_number_that_nothing_shows_is_noticed() -> None:
    block = "```console\n$ infoscope\nworth 561 labels, 0.479\n```"
    page = f"# Title 77\n\nThe judge is worth 528 labels{{}}.\n\n{block}\n\nIt is 48% right.\n"

    assert numbers_without_a_source(page.format("")) == ["528"]
    assert not numbers_without_a_source(page.replace("528", "561"))
    assert not numbers_without_a_source(page.format(" ([measured](../contributors/judge.md))"))
    assert numbers_without_a_source(page.replace("528", "561").replace("48%", "47%")) == ["47"]
