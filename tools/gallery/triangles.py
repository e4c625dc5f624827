"""Entropy triangles: whole, magnified, split, with paths and groups."""

from collections.abc import Iterator, Mapping

import numpy as np
import polars as pl
from sklearn.datasets import load_digits
from sklearn.neural_network import MLPClassifier

from infoscope.figures import EntropyTriangleDisplay, SplitTriangleDisplay
from infoscope.figures.sweep import make_errors
from infoscope.metrics import accuracy
from infoscope.studies.evaluate import evaluate
from infoscope.tables import Contingency
from tests.papers.test_steingold2016 import MATRICES as STEINGOLD
from tests.papers.test_valverde2013 import MATRICES as VALVERDE
from tests.papers.test_valverde2013 import PRINTED as VALVERDE_PRINTED
from tools.gallery.exhibit import Exhibit
from tools.gallery.papers import majority_fact, steingold_facts, walk_facts

__all__ = ["exhibits"]

SECTIONS = ("2.3.1a A", "2.3.1b A", "2.3.3 A")


def exhibits() -> Iterator[Exhibit]:
    """Yield triangles of whole data first, then those over conditions and groups."""
    tables = {name: Contingency.from_matrix(matrix) for name, matrix in VALVERDE.items()}
    where = "Valverde-Albacete 2013, synthetic matrices"
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
        "Height is the information that is transmitted; to the left classes are unbalanced, to the right information "
        "is "
        "lost. f, the majority classifier, is at the bottom although its colour shows a high accuracy.",
    )
    yield Exhibit(
        "triangle-warped",
        "The same with the top corner magnified",
        where,
        EntropyTriangleDisplay.from_table(tables, magnify=("transfer", 4.0)),
        note="A projective map: straight lines stay straight, and the corner is magnified four times.",
    )
    yield Exhibit(
        "triangle-zones",
        "Zones of the entropy triangle",
        where,
        EntropyTriangleDisplay.from_table(tables, zones=True),
        note="What is written along a side holds for all of it; the corners are the extreme cases.",
    )
    yield Exhibit(
        "triangle-simplex",
        "The 2-simplex in space",
        where,
        EntropyTriangleDisplay.from_table(tables, simplex=True),
        note="The three shares as coordinates; as they sum to 1, all systems lie in one triangle.",
    )
    yield Exhibit(
        "split-triangle",
        "Split entropy triangle",
        where,
        SplitTriangleDisplay.from_table(tables),
        [majority_fact(tables["f"])],
        "Truth as a cross, output as a circle: the farther apart they are, the more their entropies differ.",
    )
    families = {"accuracy 50/60": list("abcf"), "perfect": list("de")}
    yield Exhibit(
        "triangle-families",
        "Families with their own markers",
        where,
        EntropyTriangleDisplay.from_table(tables, families=families),
        note="The marker says which family a system belongs to, the colour how accurate it is.",
    )
    yield Exhibit(
        "split-triangle-families",
        "The same in the split triangle",
        where,
        SplitTriangleDisplay.from_table(tables, families=families),
    )
    steps = {str(wrong): make_errors(200, wrong, 0.1) for wrong in range(0, 101, 10)}
    yield Exhibit(
        "triangle-path",
        "A path over an ordered condition",
        "Steingold & Laclavik 2016, section 2.2",
        EntropyTriangleDisplay.from_table(steps, paths={"wrong predictions": list(steps)}),
        walk_facts(steps),
        "Of 200 predictions 0, 10, … 100 are wrong: the system falls to the bottom.",
    )
    both = {
        f"{positive:.0%}, {wrong}": make_errors(200, wrong, positive)
        for positive in (0.1, 0.5)
        for wrong in range(0, 101, 20)
    }
    paths = {f"{share} positive": [name for name in both if name.startswith(share)] for share in ("10%", "50%")}
    yield Exhibit(
        "triangle-paths",
        "Two paths",
        "Steingold & Laclavik 2016, section 2.2",
        EntropyTriangleDisplay.from_table(both, paths=paths),
        note="Of 200 predictions 0, 20, … 100 are wrong, with 10% and with 50% positives; each path has its marker.",
    )
    yield Exhibit(
        "split-triangle-paths",
        "Two paths in the split triangle",
        "Steingold & Laclavik 2016, section 2.2",
        SplitTriangleDisplay.from_table(both, paths=paths),
        note="The truth keeps its entropy and only transmits less of it, while the output moves away from the truth.",
    )
    yield _training()
    groups = {name.removesuffix(" A"): Contingency.from_matrix(STEINGOLD[name]) for name in SECTIONS}
    found = evaluate(_rows(groups), truth="truth", system="answer", by="section")
    yield Exhibit(
        "triangle-groups",
        "A point for each group",
        "Steingold & Laclavik 2016, predictor A of sections 2.3.1 and 2.3.3",
        EntropyTriangleDisplay.from_table(
            {system.title: system.table for system in found.systems if system.table is not None}
        ),
        steingold_facts({f"{name} A": table for name, table in groups.items()}, "proficiency", "accuracy"),
        "One file of rows with a column `section`, evaluated with `--by section`.",
    )


def _training() -> Exhibit:
    """A network of few samples learns them by heart: the information on held-out samples rises and falls."""
    images, digits = load_digits(return_X_y=True)
    rng = np.random.default_rng(1)
    order = rng.permutation(len(digits))
    seen, held_out = order[:150], order[150:]
    noisy = np.where(rng.random(150) < 0.3, rng.integers(0, 10, 150), digits[seen])
    network = MLPClassifier((64,), learning_rate_init=0.01, random_state=1)
    tables = {}
    for epoch in range(1, 61):
        network.partial_fit(images[seen] / 16, noisy, classes=np.arange(10))
        if epoch in (1, 2, 3, 5, 8, 12, 20, 30, 60):
            predicted = network.predict(images[held_out] / 16)
            tables[epoch] = Contingency.from_labels(digits[held_out], predicted, labels=list(range(10)))
    return Exhibit(
        "triangle-epochs",
        "Training, epoch by epoch",
        "scikit-learn's handwritten digits; 150 samples with 30% wrong labels, evaluated on the others",
        EntropyTriangleDisplay.from_epochs(tables),
        note="The star marks the epoch that transmits the most information; after it, the wrong labels are learned.",
        made_up=True,
    )


def _rows(groups: Mapping[str, Contingency]) -> pl.DataFrame:
    """One row per sample, its section beside it."""
    rows = [
        (section, "yes" if truth == 0 else "no", "yes" if answer == 0 else "no")
        for section, table in groups.items()
        for (truth, answer), count in np.ndenumerate(np.asarray(table.counts))
        for _ in range(int(count))
    ]
    return pl.DataFrame(rows, schema=["section", "truth", "answer"], orient="row")
