"""Operating points of a real classifier: where to put a threshold, when to reject, and what calibration is worth.

Run with scikit-learn (infoscope[sklearn]): python examples/operating_points.py
"""

import numpy as np

import infoscope as ifs
from infoscope import operating_points

try:
    from sklearn.datasets import load_breast_cancer, load_digits
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_val_predict
    from sklearn.naive_bayes import GaussianNB
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
except ImportError:
    raise SystemExit("this example needs scikit-learn: pip install 'infoscope[sklearn]'") from None


def one_score() -> None:
    features, benign = load_breast_cancer(return_X_y=True)
    truth = np.where(benign == 1, "benign", "malignant")
    model = make_pipeline(StandardScaler(), LogisticRegression())
    score = cross_val_predict(model, features, truth, cv=5, method="predict_proba")[:, 1]

    curve = ifs.sweep(truth, score, positive="malignant")
    print(curve)
    print(curve.best())
    costs = [[0, 1, 0.2], [10, 0, 0.2]]  # rows benign, malignant; a missed tumour costs ten false alarms
    print(curve.best(costs=[row[:2] for row in costs]))
    print(operating_points.two_thresholds(curve, costs=costs))


def probabilities_of_ten_classes() -> None:
    images, digits = load_digits(return_X_y=True)
    chances = cross_val_predict(GaussianNB(), images, digits, cv=5, method="predict_proba")

    curve = ifs.sweep(digits, chances, certainty="margin")
    print(curve)
    bits = operating_points.abstention_bits(curve)
    some = int(np.argmin(np.abs(bits["rejection_rate"] - 0.05)))
    print(operating_points.rejection_summary(curve.table_at(some)))
    print(f"each of these rejections changes what is captured by {bits['per_rejection'][some]:+.3f} bits")
    for sentence in ifs.metrics.move_sentences(curve.table_at(len(curve) - 1), most=3):
        print(sentence)
    found = operating_points.class_thresholds(digits, chances)
    print(f"a threshold for each digit lifts proficiency from {found.without:.4f} to {found.value:.4f}")
    print(operating_points.probabilistic_scores(digits, np.clip(chances, 1e-12, None), normalize=True))
    print(operating_points.calibration(digits, chances))


if __name__ == "__main__":
    one_score()
    probabilities_of_ten_classes()
