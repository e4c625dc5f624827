"""Monte Carlo cross-validation as in Holt, Mastromarino, Kao and Hurley (2010), section 4 and Table 3.

With the chess endgame King-Rook against King (krkopt.data of the UCI repository) it is their experiment: naive Bayes
and the random tree are the same as theirs, the pruned tree is scikit-learn's. Without the file, the same on
scikit-learn's handwritten digits.

Run with scikit-learn (infoscope[sklearn]), about a minute with 5 repeats:
python examples/cross_validation.py [PATH/krkopt.data] [REPEATS]
INFOSCOPE_REFERENCE_DATA may name a folder that holds data/krkopt/krkopt.data instead.
"""

import os
import sys
from pathlib import Path
from typing import Any

import numpy as np

import infoscope as ifs

try:
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.datasets import load_digits
    from sklearn.ensemble import ExtraTreesClassifier
    from sklearn.naive_bayes import CategoricalNB, GaussianNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder
    from sklearn.tree import DecisionTreeClassifier
except ImportError:
    raise SystemExit("this example needs scikit-learn: pip install 'infoscope[sklearn]'") from None

sys.path.insert(0, str(Path(__file__).parent))  # the tree is that of the example beside this one
from king_rook_king import answers, grow

Problem = tuple[dict[str, Any], np.ndarray, np.ndarray]


class RandomTree(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Weka's random tree: the best of K attributes drawn at random at each node, one branch per value, no pruning."""

    def __init__(self, candidates: int = 6, leaf_weight: int = 1, random_state: int | None = None) -> None:
        self.candidates, self.leaf_weight, self.random_state = candidates, leaf_weight, random_state

    def fit(self, X: np.ndarray, y: np.ndarray) -> "RandomTree":
        """Grow the tree on attributes coded 0 to 7."""
        self.classes_, codes = np.unique(y, return_inverse=True)
        rng = np.random.default_rng(self.random_state)
        self.tree_ = grow(X, codes, candidates=self.candidates, leaf_weight=self.leaf_weight, rng=rng)
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        """The commonest class where each row ends."""
        predicted: np.ndarray = self.classes_[answers(self.tree_, X)]
        return predicted


DEPTHS = "draw zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
"""In the order of the file, which decides between equally common classes."""


def endgame(path: Path) -> Problem:
    """Six nominal attributes of eight values, 18 depths of win (−1 is a draw), and learners near to the paper's."""
    fields = np.array([line.split(",") for line in path.read_text().split()])
    codes = [np.searchsorted(list("abcdefgh" if at % 2 == 0 else "12345678"), fields[:, at]) for at in range(6)]
    nominal = OneHotEncoder(categories=[list(range(8))] * 6)
    learners = {
        "naive Bayes": CategoricalNB(alpha=1.0, min_categories=8),
        "random tree": RandomTree(candidates=6),
        "pruned tree": make_pipeline(nominal, DecisionTreeClassifier(criterion="entropy", min_samples_leaf=10)),
    }
    depth = {name: at - 1 for at, name in enumerate(DEPTHS.split())}
    return learners, np.column_stack(codes), np.array([depth[name] for name in fields[:, 6]])


def digits() -> Problem:
    """Handwritten digits and four quick learners."""
    data, target = load_digits(return_X_y=True)
    learners = {
        "naive Bayes": GaussianNB(),
        "tree": DecisionTreeClassifier(),
        "extra trees": ExtraTreesClassifier(20),
        "nearest neighbours": KNeighborsClassifier(3),
    }
    return learners, data, target


DIGITS = (".4f", ".6f", ".4f", ".6f", ".3f", ".4f")
WIDTHS = (8, 9, 8, 9, 12, 9)


def chosen(arguments: list[str]) -> Problem:
    """The endgame where its file is found, else the digits."""
    shared = Path(os.environ.get("INFOSCOPE_REFERENCE_DATA", "../shared")) / "data" / "krkopt" / "krkopt.data"
    path = Path(arguments[0]) if arguments and not arguments[0].isdigit() else shared
    return endgame(path) if path.exists() else digits()


def table(result: ifs.CrossValidation) -> list[str]:
    """The paper's Table 3: mean and sd of r and f over the repeats, and how they go together."""
    lines = ["learner              r mean      r sd   f mean      f sd  correlation  S_I/H(T)"]
    for found in result.estimators:
        r, f, wrong = (
            found.metrics[name] for name in ("false_information_ratio", "proficiency", "erroneous_information_ratio")
        )
        numbers = (r.value, r.sd, f.value, f.sd, found.correlation, wrong.value)
        shown = (
            f"{'–' if number is None else format(number, form):>{width}}"
            for number, form, width in zip(numbers, DIGITS, WIDTHS, strict=True)
        )
        lines.append(f"{found.name:18} {' '.join(shown)}")
    for pair in result.overlaps:
        lines.append(f"{pair.a} has the lower S_I/H(T) than {pair.b} in {pair.share_a_lower:.0%} of repeats")
    return [*lines, *(finding.text for finding in result.findings)]


def main() -> None:
    """Cut, fit, add, and show the table."""
    learners, data, truth = chosen(sys.argv[1:])
    repeats = next((int(word) for word in sys.argv[1:] if word.isdigit()), 5)

    def progress(done: int, every: int) -> None:
        print(f"\r{done} of {every}", end="", file=sys.stderr)

    result = ifs.cross_validate(learners, data, truth, folds=10, repeats=repeats, progress=progress)
    print(file=sys.stderr)
    print("\n".join(table(result)))


if __name__ == "__main__":
    main()
