"""Five classifiers on unlabelled traffic: how good is each, and which two copy each other's errors?

Run: python examples/without_truth.py [letters]
"""

import sys

import numpy as np

import infoscope as ifs

CLASSES = np.array(["invoice", "order", "complaint", "other"])


def traffic(n: int, rng: np.random.Generator) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Letters with their class, which nobody knows, and what five classifiers say; "copy" follows "net" in part."""
    truth = rng.choice(CLASSES, n, p=[0.4, 0.3, 0.2, 0.1])
    right = {"net": 0.9, "copy": 0.8, "svm": 0.85, "rules": 0.7, "knn": 0.75}
    said = {name: np.where(rng.random(n) < share, truth, rng.choice(CLASSES, n)) for name, share in right.items()}
    said["copy"] = np.where(rng.random(n) < 0.5, said["net"], said["copy"])
    return truth, said


def main(letters: int = 3000) -> None:
    rng = np.random.default_rng(4)
    truth, said = traffic(letters, rng)
    alone = ifs.latent_truth(said)
    print(alone.to_text(width=100))
    block = ifs.latent_truth(said, together=("net", "copy"))
    print("proficiency      as independent   net and copy as one   with all labels")
    for name, labels in said.items():
        real = ifs.metrics.proficiency(ifs.Contingency.from_labels(truth, labels))
        one, two = (found[name].metrics["proficiency"].shown for found in (alone, block))
        print(f"  {name:8} {one:18.1%} {two:21.1%} {real:17.1%}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3000)
