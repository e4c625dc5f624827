"""Repeat the runs of Figure 7 and Table 3 of Holt et al.: ``python -m tools.king_rook_king [PATH/weka.jar] [RUNS]``.

Writes two files in tests/papers. king_rook_king_tuning.json has a random tree for settings of Figure 7(a), one table
each. king_rook_king.json has one table per seed for each learner of Table 3, the sum of ten folds, true classes in rows
from draw to sixteen; it is written if a path of Weka is given (it was 3.9.3), needs Java, and takes eight minutes for
ten runs. Both need data/krkopt/krkopt.data of the reference data.
"""

import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import infoscope as ifs
from infoscope.readers import read_matrices
from tests.reference import ROOT, reference_file

sys.path.insert(0, str(ROOT / "examples"))
from cross_validation import DEPTHS, endgame
from king_rook_king import cross_validated, read_positions

FILE = ROOT / "tests" / "papers" / "king_rook_king.json"
WEKA = {
    "BayesNet": "weka.classifiers.bayes.BayesNet -D -Q weka.classifiers.bayes.net.search.local.K2 -- -P 2",
    "J48": "weka.classifiers.trees.J48",
    "J48 -U -M 9": "weka.classifiers.trees.J48 -U -M 9",
    "RandomTree": "weka.classifiers.trees.RandomTree -K 6 -M 1.0",
    "NaiveBayes": "weka.classifiers.bayes.NaiveBayes",
}
TUNING = FILE.with_name("king_rook_king_tuning.json")
SETTINGS = [(1, k) for k in range(1, 7)] + [(weight, 6) for weight in (2, 4, 7, 10, 15, 20)]
"""Least leaf weight M and number of attributes K."""
OURS = {"CategoricalNB": "naive Bayes", "the example's RandomTree": "random tree"}
"""By name the learner of examples/cross_validation.py."""
Runs = dict[str, list[list[list[int]]]]


def write_arff(rows: Path, arff: Path) -> None:
    """Give the rows a head: six nominal attributes with all eight values each, and the classes in their order."""
    places = [f"{piece} {{{','.join(values)}}}" for piece in "abc" for values in ("abcdefgh", "12345678")]
    attributes = [f"@attribute {at}{place}" for at, place in enumerate(places)]
    classes = f"@attribute depth {{{','.join(DEPTHS.split())}}}"
    arff.write_text("\n".join(["@relation krk", *attributes, classes, "@data", rows.read_text()]))


def run_weka(jar: str, data: Path, runs: int) -> Runs:
    """Cross-validate Weka's learners with the seeds 1, 2, … of the folds, and read the matrices that it prints."""
    tables: Runs = {name: [] for name in WEKA}
    with TemporaryDirectory() as folder:
        arff, printed = Path(folder, "krk.arff"), Path(folder, "out.txt")
        write_arff(data, arff)
        for name, command in WEKA.items():
            learner, *options = command.split()
            for seed in range(1, runs + 1):
                words = ["java", "-cp", jar, learner, "-t", str(arff), "-x", "10", "-s", str(seed), "-o", *options]
                printed.write_bytes(subprocess.run(words, check=True, capture_output=True).stdout)
                *_, table = read_matrices(printed).values()  # the training data come first
                tables[name].append(table.counts.astype(int).tolist())
    return tables


def run_ours(data: Path, runs: int) -> Runs:
    """Cross-validate the learners of the example with the seeds of ``infoscope.cross_validate``."""
    learners, rows, truth = endgame(data)
    chosen = {name: learners[place] for name, place in OURS.items()}
    result = ifs.cross_validate(chosen, rows, truth, folds=10, repeats=runs)
    return {name: table.counts.astype(int).tolist() for name, table in result.tables.items()}


def run_tuning(data: Path) -> Runs:
    """Grow the random tree of the example at each setting."""
    rows, truth = read_positions(data)
    runs: Runs = {}
    for weight, k in SETTINGS:
        table = cross_validated(rows, truth, candidates=k, leaf_weight=weight, folds=10, seed=0)
        runs[f"K = {k}, M = {weight}"] = [table.counts.astype(int).tolist()]
    return runs


def write_runs(file: Path, tables: Runs) -> None:
    """Write one table to a line."""
    systems = [
        f"{json.dumps(name)}: [\n" + ",\n".join(json.dumps(table, separators=(",", ":")) for table in found) + "\n]"
        for name, found in tables.items()
    ]
    file.write_text("{\n" + ",\n".join(systems) + "\n}\n")


def main() -> None:
    """Run the settings of the tree, and all learners where Weka is."""
    data = reference_file("data/krkopt/krkopt.data")
    write_runs(TUNING, run_tuning(data))
    if len(sys.argv) > 1:
        jar, *rest = sys.argv[1:]
        runs = int(rest[0]) if rest else 10
        write_runs(FILE, run_weka(jar, data, runs) | run_ours(data, runs))


if __name__ == "__main__":
    main()
