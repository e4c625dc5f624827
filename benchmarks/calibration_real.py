"""Coverage of 95 % intervals on confusion matrices of real classifiers.

    python benchmarks/calibration_real.py --data digits --samples 500 --repeats 10

Several learners are trained on a small part of a data set; their answers to the held-out part are the population,
whose probabilities are thereby known. Samples of it (with replacement) give tables, their posteriors intervals.
"""

import argparse
import os
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn import datasets
from sklearn.base import ClassifierMixin
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.tree import DecisionTreeClassifier

import infoscope as ifs

METRICS = ("mutual_information", "proficiency", "false_information_ratio", "accuracy")
PRIORS = ("tree", "mixture", "perks")
REFERENCE = Path(os.environ.get("INFOSCOPE_REFERENCE_DATA", Path(__file__).parents[2] / "shared"))
Data = tuple[NDArray[np.float64], NDArray[np.int64]]


def trial(joint: NDArray[np.float64], n: int, rng: np.random.Generator) -> Iterator[tuple[str, list[bool], float]]:
    """One sample of n: for each prior, which intervals hold the truth, and the error of I in sds."""
    truth = ifs.Contingency.from_matrix(joint)
    table = ifs.Contingency.from_matrix(rng.multinomial(n, joint.ravel()).reshape(joint.shape))
    values = [float(getattr(ifs.metrics, name)(truth)) for name in METRICS]
    for prior in PRIORS:
        found = ifs.Posterior(table, prior, seed=int(rng.integers(2**31))).summaries(METRICS)
        held = [bool(found[m].low <= value <= found[m].high) for m, value in zip(METRICS, values, strict=True)]
        first = found[METRICS[0]]
        yield prior, held, float((first.mean - values[0]) / max(first.sd, 1e-12))


def learners() -> dict[str, ClassifierMixin]:
    return {
        "logistic": LogisticRegression(max_iter=60),
        "bayes": GaussianNB(),
        "5nn": KNeighborsClassifier(5),
        "tree": DecisionTreeClassifier(random_state=0),
        "tree4": DecisionTreeClassifier(max_depth=4, random_state=0),
        "lda": LinearDiscriminantAnalysis(),
        "forest": RandomForestClassifier(30, max_depth=12, random_state=0),
        "centroid": NearestCentroid(),
    }


def load(name: str) -> Data:
    bundled = {
        "digits": datasets.load_digits,
        "iris": datasets.load_iris,
        "wine": datasets.load_wine,
        "breast_cancer": datasets.load_breast_cancer,
    }
    if name in bundled:
        found = bundled[name]()
        return found.data, found.target
    if name.startswith("synthetic"):
        k = int(name.removeprefix("synthetic"))
        zipf = 1 / np.arange(1, k + 1)
        return datasets.make_classification(
            30_000,
            20,
            n_informative=12,
            n_redundant=4,
            n_classes=k,
            n_clusters_per_class=1,
            class_sep=1.2,
            flip_y=0.02,
            weights=list(zipf / zipf.sum()) if k >= 50 else None,
            random_state=1,
        )
    rows = [line.strip().split(",") for line in (REFERENCE / "data" / "krkopt" / "krkopt.data").open()]
    places = np.array([[ord(r[i]) - 96 if i % 2 == 0 else int(r[i]) for i in range(6)] for r in rows], dtype=float)
    return places, np.unique([r[6] for r in rows], return_inverse=True)[1]


def populations(name: str, seed: int) -> Iterator[tuple[str, NDArray[np.float64]]]:
    x, y = load(name)
    x = (x - x.mean(0)) / (x.std(0) + 1e-9)
    order = np.random.default_rng(seed).permutation(y.size)
    cut = max(y.size // 8, 40)
    k = int(y.max()) + 1
    for learner, model in learners().items():
        answers = model.fit(x[order[:cut]], y[order[:cut]]).predict(x[order[cut:]])
        counts = np.zeros((k, k))
        np.add.at(counts, (y[order[cut:]], answers), 1)
        yield learner, counts / counts.sum()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default="digits", help="digits iris wine breast_cancer synthetic20 synthetic50 krk")
    parser.add_argument("--samples", type=int, default=500)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--seed", type=int, default=4711)
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # learners that did not converge serve as well
    held: dict[str, list[list[bool]]] = {prior: [] for prior in PRIORS}
    errors: dict[str, list[float]] = {prior: [] for prior in PRIORS}
    rng = np.random.default_rng([options.seed, options.samples])
    for _, joint in populations(options.data, options.seed):
        for _ in range(options.repeats):
            for prior, inside, error in trial(joint, options.samples, rng):
                held[prior].append(inside)
                errors[prior].append(error)
    print(f"{options.data}, {options.samples} samples, {len(held['tree'])} tables: coverage of {', '.join(METRICS)}")
    for prior in PRIORS:
        shares = " ".join(f"{x:.2f}" for x in np.mean(held[prior], axis=0))
        z = np.array(errors[prior])
        print(f"  {prior:8s} {shares}  z {z.mean():+.2f} rms {np.sqrt(np.mean(z**2)):.2f}")


if __name__ == "__main__":
    main()
