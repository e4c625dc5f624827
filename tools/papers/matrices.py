"""Papers whose tables are metrics of matrices that they print: Holt et al., Valverde-Albacete et al., Hu & Wang."""

from __future__ import annotations

from collections.abc import Iterator

from infoscope.metrics.registry import catalogue
from tests.papers import test_holt2010 as holt
from tests.papers import test_hu2008 as hu
from tests.papers import test_king_rook_king as krk
from tests.papers import test_valverde2013 as valverde
from tests.papers.small_tables import shown
from tests.published.figures import Figure, figures, score
from tests.published.rules.valverde2013 import tass3_rows
from tools.papers.comparison import GLUE, Comparison, Picture, Section, of_metrics, value_cell

__all__ = ["holt_sections", "hu_sections", "valverde_sections"]

RUN_BY = {
    "BayesNet": "Weka, `BayesNet -D -Q K2 -- -P 2` (at most two parents)",
    "J48": "Weka, `J48`, its default options",
    "J48 -U -M 9": "Weka, `J48 -U -M 9` (not pruned, nine in a leaf)",
    "RandomTree": "Weka, `RandomTree -K 6 -M 1`",
    "the example's RandomTree": "`RandomTree` of `examples/cross_validation.py`",
    "NaiveBayes": "Weka, `NaiveBayes`",
    "CategoricalNB": "scikit-learn, `CategoricalNB`",
}
"""What ran the learners of King-Rook against King."""
CLASSES = 8


def _matrix(counts: object) -> str:
    """On one line of a table."""
    return shown(counts).replace("|", "/").replace(" ", GLUE)


def _title(metric: str) -> str:
    return catalogue[metric].title


def holt_sections() -> Iterator[Section]:
    """Classifiers A to D, the three systems of Table 2, and King-Rook against King."""
    pages = {metric: holt.PRINTED.get(metric, {}) | holt.MISPRINTED.get(metric, {}) for metric in holt.PRINTED}
    yield Comparison(
        "Four classifiers of eight classes (section 2, Table 1, Figure 3)",
        ["", *holt.TABLES],
        [
            [_title(metric), *cells]
            for metric, *cells in zip(pages, *(row[1:] for row in of_metrics(pages, holt.TABLES)), strict=True)
        ],
        "A spreads its errors over all other classes, B over three, C over one; D splits every class into halves. The "
        "matrices are only drawn; they are rebuilt so that they give what is printed. Our values are in "
        "brackets; ✗ marks those that do not round to the printed number.",
    )
    yield Picture("confusion-grid", "Figure 1: the four matrices, with scores")
    yield Picture("diagram-circles", "Figure 2: the joint entropy diagram, areas to scale (classifier A)")
    yield Picture("coverage", "Figure 3: the coverage plane")
    yield _table_2()
    yield Picture(
        "coverage-arrows",
        "Figure 5: improvement factors",
        "The positions are ours: f and r follow from the printed ξ, TPR and S_I/H(T) of Table 2.",
    )
    yield Picture(
        "classes-king-rook-king",
        "Figure 6: conditional entropies by class, for learners of Table 3",
        "The paper's figure is of the three systems of Table 2, whose matrices are not public.",
    )
    yield _table_3()
    yield Picture(
        "clouds",
        "Figure 7(b): clouds of repeated runs",
        "Drawn from the printed moments of Table 3, a thousand draws for each learner, and magnified.",
    )
    yield Picture(
        "tuning",
        "Figure 7(a): the best random tree has K = 6, M = 1",
        "Our runs, by `examples/king_rook_king.py`; the paper's curves have no printed numbers.",
    )


def _table_3() -> Comparison:
    found, rows = krk.clouds(), []
    for name, learner in krk.LEARNERS.items():
        printed = krk.TABLE_3[learner]
        f, r = (found[name].metrics[metric] for metric in ("proficiency", "false_information_ratio"))
        ours = (f"{r.value:.4f}", f"{r.sd:.2E}", f"{f.value:.4f}", f"{f.sd:.2E}", f"{found[name].correlation:.3f}")
        cells = (f"{said}{GLUE}({own.replace('E-0', 'E-')})" for said, own in zip(printed, ours, strict=True))
        rows.append([learner, RUN_BY[name], *cells])
    return Comparison(
        "King-Rook against King (Table 3)",
        ["learner", "run as", "r, mean", "sd", "f, mean", "sd", "correlation"],
        rows,
        f"Printed are moments over a thousand runs of cross-validation with other folds; in brackets are those of our "
        f"{found.repeats} runs of ten folds (`tests/papers/king_rook_king.json`, written by "
        "`python -m tools.king_rook_king`). The tests allow for the noise of so few runs. The paper does not state "
        "the learners' options, nor the number of folds. The random tree has the options that are best in Figure 7(a). "
        "Those of the Bayesian network and of the second J48 were chosen because they give the printed means, so these "
        "two rows show that the numbers are in reach, not how the authors got them.",
    )


def _table_2() -> Comparison:
    """Compute from the printed TPR what follows for eight equally frequent classes, as a check of the row in itself."""
    columns = {
        "kappa": lambda tpr: (tpr - 1 / CLASSES) / (1 - 1 / CLASSES),
        "FPR": lambda tpr: (1 - tpr) / (CLASSES - 1),
        "Rand index": lambda tpr: 1 - 2 * (1 - tpr) / CLASSES,
        "linear loss": lambda tpr: 1 - 1 / CLASSES + (1 - tpr) / 4,
    }
    printed: dict[str, dict[str, Figure]] = {}
    for figure in figures():
        if figure.paper == "holt2010" and figure.where == "Table 2":
            printed.setdefault(figure.input or "", {})[figure.as_printed] = figure
    rows = [
        [
            f"20{name[-2:]}",
            row["TPR"].printed,
            *(f"{row[column].printed} ({part(row['TPR'].value):.4f})" for column, part in columns.items()),
        ]
        for name, row in printed.items()
    ]
    return Comparison(
        "Three systems over three years (Table 2)",
        ["system", "TPR", *columns],
        rows,
        "The matrices are not public. With eight equally frequent classes these columns follow from the TPR; the "
        "values in brackets are computed from the printed (rounded) TPR.",
    )


def valverde_sections() -> Iterator[Section]:
    """Matrices a to f and the table of TASS3."""
    metrics = (
        "proficiency",
        "entropy_modified_accuracy",
        "triangle_divergence",
        "triangle_transfer",
        "triangle_variation",
    )
    rows = [
        [
            f"{name} = {_matrix(valverde.MATRICES[name])}",
            value_cell(valverde.PRINTED["accuracy"][name], score("accuracy", table)),
            *(f"{score(metric, table):.4f}" for metric in metrics),
        ]
        for name, table in valverde.TABLES.items()
    ]
    yield Comparison(
        "Synthetic matrices a to f, 60 samples each",
        ["matrix", "accuracy: printed (ours)", *map(_title, metrics)],
        rows,
        "The slides print the accuracies; they only draw the coordinates, so those are ours.",
    )
    yield Picture("diagram-general", "The extended entropy diagram of a")
    yield Picture("diagram-extended-circles", "The extended entropy diagram of c, as circles")
    yield Picture("triangle-simplex", "The 2-simplex in three dimensions")
    yield Picture("triangle", "The entropy triangle")
    yield Picture("triangle-zones", "Zones of the entropy triangle")
    yield Picture("diagram-split", "The split entropy diagram of a")
    yield Picture("split-triangle", "The split entropy triangle")
    yield _tass3()
    yield Picture("perplexity", "The perplexity chain")


def _tass3() -> Comparison:
    rows = []
    for name, row in tass3_rows().items():
        k, left, mu, m, spread = (row[column].value for column in ("k", "k_left", "mu", "m", "m_left"))
        implied = {"k": left * mu, "m": spread * mu, "ema": 1 / left, "nit": mu / 4}
        rows.append(
            [
                name.removeprefix("tass_"),
                *(f"{row[column].printed} ({value:.4f})" for column, value in implied.items()),
                row["accuracy"].printed,
            ]
        )
        assert k > 0
        assert m > 0
    return Comparison(
        "TASS3: consistency of the table",
        ["run", "k_X (k_X\\|Y · μ)", "m_Y (m_Y\\|X · μ)", "a′ (1 / k_X\\|Y)", "q (μ / 4)", "accuracy"],
        rows,
        "The confusion matrices are not printed, but the columns depend on each other. In brackets: the value that "
        "follows from the other printed columns. All 68 identities hold within rounding.",
    )


def hu_sections() -> Iterator[Section]:
    """Tables 3 and 4: models M1 to M20."""
    for table, names, lead in (
        ("Table 3", [f"M{i}" for i in range(1, 11)], "Two classes of 90 and 10 samples."),
        ("Table 4", [f"M{i}" for i in range(11, 21)], "Three classes."),
    ):
        tables = {name: hu.TABLES[name] for name in names}
        first = {"proficiency": hu.PRINTED["proficiency"]}
        pages = first | {metric: page for metric, page in hu.PRINTED.items() if set(page) & set(names)}
        yield Comparison(
            f"{table}: {names[0]} to {names[-1]}",
            ["model", *("NI" if metric == "proficiency" else _title(metric) for metric in pages)],
            of_metrics(pages, tables, _hu_model),
            f"{lead} The last column of a matrix counts rejections. Our values are in brackets.",
        )
    yield Picture("entropies-a", "Figure 1 (a): misclassifications, M3")
    yield Picture("entropies-b", "Figure 1 (b): fully dependent truth and decisions, M11")
    yield Picture("entropies-c", "Figure 1 (c): independent truth and decisions (a table of ours)")
    yield Picture("learning", "Figure 2: how a classifier learns by mutual information")
    yield Picture(
        "surface-90",
        "Figure 3: NI over TPR and TNR",
        "For C1 = 90 and C2 = 10, as in Table 3; the paper does not print those of its figure.",
    )
    yield Picture("error-reject", "Error rate over rejection rate (Remark 6, Table 2)")
    yield Picture("bounds", "Bounds on the error")
    yield Picture("classes", "M19 and M20: less accurate and more informative")


def _hu_model(name: str) -> str:
    return f"{name} = {_matrix(hu.MATRICES[name])}"
