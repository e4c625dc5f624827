"""Make the bundled example: what five classifiers say about scikit-learn's handwritten digits.

Run with scikit-learn installed: python examples/digits.py
Each answer comes from a model that has not seen the image (ten folds, fixed seeds), so the file is the same every time.
"""

import csv
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

TARGET = Path(__file__).parents[1] / "src" / "infoscope" / "data" / "digits.csv"
REFUSAL = "?"
SURE_ENOUGH = 0.7


def predictions() -> dict[str, list[str]]:
    images, digits = load_digits(return_X_y=True)
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    linear = make_pipeline(StandardScaler(), LogisticRegression(C=0.05, max_iter=1000))

    def answers(model: object, method: str = "predict") -> np.ndarray:
        return cross_val_predict(model, images, digits, cv=folds, method=method)

    chances = answers(linear, "predict_proba")
    firm = chances.max(axis=1) >= SURE_ENOUGH
    renamed = np.array([0, 7, 2, 3, 4, 5, 9, 1, 8, 6])  # 1 and 7, 6 and 9 change names
    return {
        "truth": [str(digit) for digit in digits],
        "svm": [str(digit) for digit in answers(SVC(gamma=0.0005))],
        "naive_bayes": [str(digit) for digit in answers(GaussianNB())],
        "relabelled": [str(digit) for digit in renamed[chances.argmax(axis=1)]],
        "cautious": [str(digit) if sure else REFUSAL for digit, sure in zip(chances.argmax(axis=1), firm, strict=True)],
        "majority": [str(np.bincount(digits).argmax())] * len(digits),
    }


def main() -> None:
    columns = predictions()
    TARGET.parent.mkdir(exist_ok=True)
    with TARGET.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))


if __name__ == "__main__":
    main()
