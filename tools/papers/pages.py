"""The pages of the papers' gallery."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from infoscope.metrics.registry import SOURCES
from tests.papers.statements import Statement, Verdict, statements
from tests.reference import ROOT
from tools.papers.comparison import Comparison, Picture, Section
from tools.papers.label_sets import hurley_sections, steingold_sections
from tools.papers.matrices import holt_sections, hu_sections, valverde_sections
from tools.published_figures import counts_by_paper

__all__ = ["FOLDER", "PAPERS", "pages", "write"]

FOLDER = ROOT / "docs" / "contributors" / "papers"
GALLERY = ROOT / "docs" / "reference" / "gallery"


@dataclass(frozen=True)
class Paper:
    """One work: what it is about, and where its tables come from."""

    key: str
    title: str
    lead: str
    example: str
    """A number of the work as a doctest."""
    sections: Callable[[], Iterator[Section]]
    errata: tuple[str, ...] = ()
    """Errors in print for which no number can be computed."""
    absent: tuple[str, ...] = ()
    """Figures that cannot be reproduced here, with reasons."""
    commands: str = ""
    """What the command line shows of it, in Markdown."""


_HOLT2010 = """\
>>> import infoscope as ifs
>>> import numpy as np
>>> c = [np.roll([0.1, 0.025, 0, 0, 0, 0, 0, 0], shift) for shift in range(8)]  # classifier C: printed 0.481
>>> print(f"{ifs.metrics.erroneous_information_ratio(ifs.Contingency.from_matrix(c)):.4f}")
0.4813
"""
_HURLEY2014 = """\
>>> import infoscope as ifs
>>> table = ifs.Contingency.from_matrix([[12, 1, 0], [2, 9, 1], [0, 3, 11]])
>>> posterior = ifs.Posterior(table, "uniform")
>>> print(f"{posterior.mean('mutual_information'):.3f} ± {posterior.sd('mutual_information'):.3f} bits")
0.573 ± 0.140 bits
"""
_HURLEY2014_COMMANDS = """\
The slides take a prior r for each cell, and leave it open. `--prior wolpert-wolf` is r = 1, the uniform prior of
Wolpert and Wolf; a number is r itself. Both show the moments with their covariances:

```console
$ printf '12,1,0\\n2,9,1\\n0,3,11\\n' > table.csv
$ infoscope evaluate table.csv --matrix --prior wolpert-wolf | grep -A 9 "Moments by"
  Moments by Wolpert and Wolf
  moments    mean      sd  with H(T)  with H(S)  with H(T,S)  with I(T;S)
  H(T)     1.5534  0.0307   9.41e−04   2.90e−04     1.02e−03     2.09e−04
  H(S)     1.5534  0.0307   2.90e−04   9.41e−04     8.97e−04     3.34e−04
  H(T,S)   2.5343  0.1453   1.02e−03   8.97e−04     2.11e−02    −1.92e−02
  I(T;S)   0.5726  0.1405   2.09e−04   3.34e−04    −1.92e−02     1.97e−02
  H(T|S)   0.9809  0.1423   7.32e−04  −4.37e−05     2.02e−02    −1.95e−02
  H(S|T)   0.9809  0.1415   8.09e−05   6.08e−04     2.01e−02    −1.94e−02
  S_I      1.9617  0.2815   8.13e−04   5.64e−04     4.03e−02    −3.89e−02
  Moments of the posterior in bits, prior wolpert-wolf; with: covariance, in bits².
```
"""
_VALVERDE2013 = """\
>>> import infoscope as ifs
>>> a = ifs.Contingency.from_matrix([[15, 0, 5], [0, 15, 5], [0, 0, 20]])  # printed: 50 of 60 right
>>> print(f"accuracy {ifs.metrics.accuracy(a):.4f}, transmitted {ifs.metrics.triangle_transfer(a):.4f}")
accuracy 0.8333, transmitted 0.6052
"""
_HU2008 = """\
>>> import infoscope as ifs
>>> for matrix in ([[50, 0, 0], [0, 24, 16], [0, 6, 4]], [[50, 0, 0], [0, 14, 26], [0, 6, 4]]):  # M19 and M20
...     table = ifs.Contingency.from_matrix(matrix)
...     print(f"accuracy {ifs.metrics.accuracy(table):.2f}, NI {ifs.metrics.proficiency(table):.3f}")
accuracy 0.78, NI 0.735
accuracy 0.68, NI 0.746
"""
_HU2008_COMMANDS = """\
One command has the output of the program in the appendix, for a matrix of any number of classes and its rejections, a
line for each number; several matrices follow each other:

```console
$ printf '79,0,0,1\\n0,14,0,1\\n0,0,5,0\\n' > M18.csv
$ infoscope evaluate M18.csv --matrix --reject 3 --plain --metric NI_e,accepted_accuracy,rejection_rate --format csv
system,group,class,metric,value,low,high,sample_value,undefined,n
M18,,,proficiency,0.9773802666203866,,,,,100
M18,,,accepted_accuracy,1.0,,,,,100
M18,,,rejection_rate,0.02,,,,,100
$ printf '78,12,0\\n0,10,0\\n' > M4.csv
$ printf '78,6,6\\n0,5,5\\n' > M6.csv
$ infoscope evaluate M4.csv M6.csv --matrix --reject 2 --positive 0 --plain --format csv \\
    --metric NI_e,accepted_accuracy,precision,recall,rejection_rate
system,group,class,metric,value,low,high,sample_value,undefined,n,positive
M4,,,proficiency,0.5337127906654847,,,,,100,0
M4,,,accepted_accuracy,0.88,,,,,100,0
M4,,,precision,1.0,,,,,100,0
M4,,,recall,0.8666666666666667,,,,,100,0
M4,,,rejection_rate,0.0,,,,,100,0
M6,,,proficiency,0.5337127906654847,,,,,100,0
M6,,,accepted_accuracy,0.9325842696629213,,,,,100,0
M6,,,precision,1.0,,,,,100,0
M6,,,recall,0.8666666666666667,,,,,100,0
M6,,,rejection_rate,0.11,,,,,100,0
```

The derivatives (27) to (30) are `infoscope.metrics.sensitivities`. NAI (eq. 33), which averages I over the operating
points of a classifier, is `normalized_average_information` of `infoscope sweep`; the paper leaves the weights, the
scale S and ties open, and [operating points](../../how-to/operating-points.md) says what we took.
"""
_STEINGOLD2016 = """\
>>> import infoscope as ifs
>>> print(f"{ifs.metrics.proficiency(ifs.Contingency.from_matrix([[2, 3], [0, 45]])):.2%}")  # printed: 30.96%
30.96%
"""

PAPERS = (
    Paper(
        "holt2010",
        "Holt, Mastromarino, Kao & Hurley 2010",
        "Systems of equal accuracy can be very different: where errors keep to a few cells, a second classifier "
        "can correct them. The paper measures how much of the truth's information a system captures (truth information "
        "completeness f) and how much false information it adds (false information ratio r), and plots one against the "
        "other. Both measures and the plot are those of Kao, Daggett & Hurley (2009) for trackers, here for every "
        "confusion matrix.",
        _HOLT2010,
        holt_sections,
        (
            "The text after equation (16) refers to the ratio as equation (15). In the copy we read, equation (20) "
            "has the number 2.",
            "The footnote on loss functions asks that a correct prediction costs less than an error of the same class. "
            "The costs of equations (12) to (14) depend on the true class only.",
        ),
        (
            "The confusion matrices behind Table 2 are not public; only the consistency of each row can be checked.",
            "The options of the learners of Table 3 are not printed.",
        ),
    ),
    Paper(
        "hurley2014",
        "Hurley 2014",
        "The slides evaluate trackers and classifiers by entropy, mutual information and conditional entropy, and "
        "begin to relate information to what teams do in games. The error of such an estimate, from a finite sample, "
        "follows from Wolpert and Wolf's "
        "moments of entropies under a Dirichlet distribution. `ifs.Posterior` computes them in a form that keeps its "
        "digits. The table of this example is ours.",
        _HURLEY2014,
        hurley_sections,
        (
            "Our copy of slide 21 has Σ_i ν_ij as the total of row i, which is Σ_j ν_ij. Its formulas were recognised "
            "from a picture, so the slip may be of our copy, here and in E_IN.",
            "In E_IN, the mean of H(T) times H(S), ν̄_in is used without a definition: ν_i· + ν_·n − ν_in reproduces "
            "the draws. In both brackets of the single sum our copy lacks the 1 of 1 − (ν_i· − ν_in)/(…). Q₁ needs "
            "θ(0) = 1.",
            "The entries of the table of covariance terms are means of products; for a covariance, the product of the "
            "two means is subtracted.",
        ),
        absent=(
            "The number of metrics in the literature (145, slide 6) is a count of publications.",
            "The pictures of trackers, of parameter tuning, of the stability of code versions, of significance tests "
            "and of teams in games: our copy has no numbers of them. The confusion matrices of three recognition "
            "methods are a picture, too; matrices of Valverde-Albacete's slides stand in for them above.",
        ),
        commands=_HURLEY2014_COMMANDS,
    ),
    Paper(
        "valverde2013",
        "Valverde-Albacete 2013",
        "The slides place every confusion matrix in an entropy triangle: ΔH′ is how far the marginals are from "
        "uniform, 2·MI′ the information that is shared, VI′ the variation of information. Split into input and output, "
        "the triangle shows which classifiers specialize; 2 to the power of the entropies are perplexities, from which "
        "modified accuracy and the normalized information transfer factor (NIT) follow.",
        _VALVERDE2013,
        valverde_sections,
        absent=(
            "The confusion matrices of speech recognition, TASS3 and RepLab 2012 are drawn as points, not printed.",
            "Counts of measures in the literature (43 and 13) and the illustration of perplexity 350. We have not read "
            "the survey that counts 43 pair-counting measures; `infoscope explain pair_measures` lists those with an "
            "author that Infoscope has.",
        ),
    ),
    Paper(
        "hu2008",
        "Hu & Wang 2008",
        "The paper evaluates classifiers that may reject a sample by normalized mutual information (NI, here called "
        "proficiency), with “rejected” as one more predicted class. Three theorems and seven properties describe NI.",
        _HU2008,
        hu_sections,
        ("In the proof of Theorem 2, I(T,Y) = 1 is NI(T,Y) = 1: I is H(T) there.",),
        commands=_HU2008_COMMANDS,
    ),
    Paper(
        "steingold2016",
        "Steingold & Laclavik 2016",
        "The paper measures a predictor by its proficiency, the fraction of the truth's information that it captures. "
        "It compares that with accuracy, F1 and φ, extends it to objects with several categories, and compares three "
        "human labelers of 800 search queries with one another. The ratio is older: Theil's uncertainty coefficient, "
        "proficiency of White, Steingold & Fournelle 2004, and truth information completeness f of Holt et al. 2010.",
        _STEINGOLD2016,
        steingold_sections,
        (
            "In the table of random labelers (section 4.5) two row names are exchanged: there are 2.4 to 3.8 "
            "categories per example, and 28 to 48 examples per category.",
        ),
        (
            "Vowpal Wabbit on MNIST and OCR (section 3.1): neither the confusion matrices nor the split is printed.",
            "The stability over 10,000 search events (section 5): the files are in the authors' repository "
            "(proficiency-metric, data/magnetic_\\*.txt), not in our reference data, so no test reads them. `infoscope "
            "multilabel magnetic_annotated.txt magnetic_results.txt --read truth_start=2` shows the standard "
            "deviations over halves; those of proficiency, precision, recall and F1 round to the printed 0.5%.",
        ),
    ),
)

_HEAD = """\
# The papers

Infoscope is based on five publications. Each has a page that reproduces its tables and figures with our code, next to
the printed values, tests its theorems and claims, and lists what does not reproduce, with the proof. For example, the
proficiency that Steingold & Laclavik print as 30.96%:

```python
>>> import infoscope as ifs
>>> print(f"{ifs.metrics.proficiency(ifs.Contingency.from_matrix([[2, 3], [0, 45]])):.2%}")
30.96%

```

`python -m tools.papers` (part of `make docs`) writes these pages, and a test checks that they are up to date.

| work | printed rows checked | true | true only if | false |
|---|---:|---:|---:|---:|
"""


def pages() -> dict[str, str]:
    """The text of each page by the name of its file."""
    texts = {f"{paper.key}.md": "\n".join(_page(paper)).rstrip() + "\n" for paper in PAPERS}
    return {"index.md": _index()} | texts


def _index() -> str:
    counts = counts_by_paper()
    lines = []
    for paper in PAPERS:
        found = [each.verdict for each in statements(paper.key)]
        verdicts = " | ".join(str(found.count(v)) for v in (Verdict.TRUE, Verdict.ONLY_IF, Verdict.FALSE))
        rows = counts[paper.key]
        lines.append(
            f"| [{paper.title}]({paper.key}.md) | {rows.here + rows.elsewhere} of {rows.rows} | {verdicts} |\n"
        )
    children = "".join(f"{paper.key}\n" for paper in PAPERS)
    tail = "\n[Published figures](../published-figures.md) lists every printed number with its test.\n"
    return f"{_HEAD}{''.join(lines)}{tail}\n```{{toctree}}\n:hidden:\n\n{children}```\n"


def _page(paper: Paper) -> Iterator[str]:
    yield f"# {paper.title}\n"
    yield f"*{SOURCES[paper.key]}.*\n"
    yield f"{paper.lead}\n"
    yield f"```python\n{paper.example}```\n"
    if paper.commands:
        yield paper.commands
    yield "## Tables and figures\n"
    for section in paper.sections():
        yield from section.lines() if isinstance(section, Comparison) else _picture(section)
    yield "## Statements\n"
    yield "Each statement is checked by a test: on all small tables, on random tables, or by a counterexample.\n"
    for each in statements(paper.key):
        yield from _statement(each)
    yield "## What does not reproduce\n"
    false = [each for each in statements(paper.key) if each.verdict is not Verdict.TRUE]
    yield from (f"- {each.name[0].upper()}{each.name[1:]} (“{each.claim}”): {each.verdict_in_words}." for each in false)
    yield from (f"- {text}" for text in paper.errata)
    if paper.absent:
        yield "\nWhat cannot be checked here:\n"
        yield from (f"- {text}" for text in paper.absent)
    yield f"\nAll printed numbers of this work: [published figures](../published-figures.md#{paper.key})."


def _picture(picture: Picture) -> Iterator[str]:
    drawn = (GALLERY / f"{picture.file}.svg").read_text(encoding="utf-8")
    found = re.search(r'aria-label="([^"]*)"', drawn)
    assert found is not None, picture.file
    yield f"### {picture.title}\n"
    if picture.note:
        yield f"{picture.note}\n"
    yield f"![{html.unescape(found[1])}](../../reference/gallery/{picture.file}.svg)\n"


def _statement(each: Statement) -> Iterator[str]:
    verdict = each.verdict_in_words
    yield f"**{each.name[0].upper()}{each.name[1:]}.** {each.claim}"
    yield f": **{verdict[0].upper()}{verdict[1:]}.** {_text(each.check())}\n"


def _text(evidence: str) -> str:
    return re.sub(r"(\[[\d |]+\])", r"`\1`", evidence)


def write(folder: Path = FOLDER) -> None:
    """Write all pages."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (folder / name).write_text(text, encoding="utf-8")
