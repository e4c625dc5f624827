"""Speed of the table and the metrics against scikit-learn, PyCM and NumPy, as ratios in one run.

Run with ``make bench`` or ``.venv/bin/python benchmarks/foundation.py``.
"""

import contextlib
import io
import resource
import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pycm
from sklearn.metrics import confusion_matrix
from timing import best, peak_mebibytes, show, sized

import infoscope as ifs
from infoscope.metrics.registry import metrics_of
from infoscope.metrics.shannon import entropies

ROWS, CLASSES = sized(10_000_000, 20_000), 100
PEER_ROWS = sized(200_000, 2000)
SKLEARN = "scikit-learn"


def table_from_integers(rng: np.random.Generator) -> None:
    truth, system = rng.integers(0, CLASSES, (2, ROWS))
    ours = best(lambda: ifs.Contingency.from_labels(truth, system), 5)
    theirs = best(lambda: confusion_matrix(truth, system), 1)
    show("table from integers, 10^7 rows, 100 classes", ours, theirs, peer=SKLEARN, per=ROWS, wanted=30)
    reading = best(lambda: (truth.sum(), system.sum()), 5)
    print(f"{'  reading both arrays alone':58s} {reading * 1e3:10.2f} ms  {reading / ROWS * 1e9:8.2f} ns/row")


def table_from_strings(rng: np.random.Generator) -> None:
    names = np.array([f"class {i}" for i in range(CLASSES)], dtype=object)
    truth, system = names[rng.integers(0, CLASSES, (2, ROWS))]
    few = slice(0, PEER_ROWS)
    ours = best(lambda: ifs.Contingency.from_labels(truth, system), 2)
    theirs = best(lambda: confusion_matrix(truth[few], system[few]), 1) * ROWS / PEER_ROWS
    show("table from object strings (peer: from 2·10^5 rows)", ours, theirs, peer=SKLEARN, per=ROWS, wanted=20)

    categories = pd.Series(pd.Categorical(truth)), pd.Series(pd.Categorical(system))
    short = categories[0][few], categories[1][few]
    theirs = best(lambda: confusion_matrix(*short), 1) * ROWS / PEER_ROWS
    ours = best(lambda: ifs.Contingency.from_labels(*categories), 5)
    show("table from pandas categoricals (peer: likewise)", ours, theirs, peer=SKLEARN, per=ROWS, wanted=300)
    arrow = pa.array(truth).dictionary_encode(), pa.array(system).dictionary_encode()
    ours = best(lambda: ifs.Contingency.from_labels(*arrow), 5)
    show("table from arrow dictionaries (peer: categoricals)", ours, theirs, peer=SKLEARN, per=ROWS, wanted=300)


def all_metrics(rng: np.random.Generator) -> None:
    names = [entry for entry in metrics_of() if entry.name != "adjusted_mutual_information"]
    for classes in sized((10, 100, 300), (10,)):
        counts = rng.integers(1, 100, (classes, classes))

        def ours_once(counts: np.ndarray = counts) -> None:
            table = ifs.Contingency.from_matrix(counts)
            for entry in names:
                entry.score(table)

        def theirs_once(counts: np.ndarray = counts) -> None:
            with contextlib.redirect_stdout(io.StringIO()):
                pycm.ConfusionMatrix(matrix=counts)

        ours = theirs = float("inf")
        for _ in range(sized(5, 1)):  # by turns, so that both meet the same machine
            ours, theirs = min(ours, best(ours_once, 60)), min(theirs, best(theirs_once, 1))
        wanted = 100 if classes == 100 else None
        what = f"{len(names)} metrics of a {classes}-class table, PyCM's whole set"
        show(what, ours, theirs, peer="PyCM", wanted=wanted)


def many_labels(rng: np.random.Generator) -> None:
    labels = sized(1_000_000, 1000)
    truth = rng.integers(0, labels, ROWS)
    system = np.where(rng.random(ROWS) < 0.5, truth, rng.integers(0, labels, ROWS))
    before = peak_mebibytes()
    ours = best(lambda: entropies(ifs.Contingency.from_labels(truth, system)), 1)
    memory = peak_mebibytes() - before
    keys = truth * labels + system
    unique = best(lambda: np.unique(keys, return_counts=True), 1)
    for _ in range(sized(5, 1)):  # by turns, so that both meet the same machine
        ours = min(ours, best(lambda: entropies(ifs.Contingency.from_labels(truth, system)), 1))
        unique = min(unique, best(lambda: np.unique(keys, return_counts=True), 1))
    print(
        f"{'10^7 rows, 10^6 labels a side: table and entropies':58s} {ours * 1e3:10.2f} ms  "
        f"{ours / unique:8.2f} of one np.unique (promised 3), {memory:.0f} MiB more (promised 2048)"
    )


def importing() -> None:
    def run(code: str) -> float:
        """Processor seconds of a fresh interpreter, best of several."""
        spent = []
        for _ in range(sized(7, 1)):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([sys.executable, "-c", code], check=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        return min(spent)

    bare = run("pass")
    numpy, ours = run("import numpy") - bare, run("import infoscope") - bare
    print(f"{'import infoscope':58s} {ours * 1e3:10.2f} ms  {ours / numpy:8.2f} of import numpy (promised 1.5)")


if __name__ == "__main__":
    generator = np.random.default_rng(0)
    importing()
    all_metrics(generator)
    many_labels(generator)
    table_from_integers(generator)
    table_from_strings(generator)
