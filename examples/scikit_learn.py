"""Choosing by captured information in scikit-learn: a threshold for a rare class, and the simplest good setting.

Run with scikit-learn (infoscope[sklearn]): python examples/scikit_learn.py
"""

import infoscope as ifs

try:
    from sklearn.datasets import load_digits, make_classification
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import TunedThresholdClassifierCV, train_test_split
    from sklearn.tree import DecisionTreeClassifier
except ImportError:
    raise SystemExit("this example needs scikit-learn: pip install 'infoscope[sklearn]'") from None


def main() -> None:
    threshold()
    depth()


def threshold() -> None:
    """One sample in eight is positive: at 0.5 a model hardly ever says so."""
    X, y = make_classification(4000, weights=[0.88], class_sep=0.6, flip_y=0.02, random_state=11)
    train, test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)
    plain = LogisticRegression(max_iter=500).fit(train, y_train)
    tuned = TunedThresholdClassifierCV(plain, scoring=ifs.sklearn.scorer("proficiency"), cv=5).fit(train, y_train)
    predicted = {"threshold 0.5": plain.predict(test), f"threshold {tuned.best_threshold_:.2f}": tuned.predict(test)}
    print("A threshold by captured information, on held-out samples")
    for system in ifs.evaluate(y_test, predicted).systems:
        captured = system.metrics["proficiency"]
        recall = system.metrics["recall"].shown
        print(f"  {system.name:<15} captures {captured.shown:.0%} ({captured.low:.0%} – {captured.high:.0%}), ", end="")
        print(f"recall {recall:.0%}, accuracy {system.metrics['accuracy'].shown:.0%}")


def depth() -> None:
    """The best depth, and the simplest that is not significantly worse."""
    X, y = load_digits(return_X_y=True)
    grid = {"max_depth": [3, 5, 6, 7, 8, 10, 12, 16, None]}
    search = ifs.sklearn.search(DecisionTreeClassifier(random_state=0), grid, complexity="max_depth", cv=5).fit(X, y)
    print("\nDepth of a tree on handwritten digits: mean captured information, and how likely so small a deficit is")
    chances = search.refit.p_values(search.cv_results_)
    for setting, mean, chance in zip(
        search.cv_results_["params"], search.cv_results_["mean_test_score"], chances, strict=True
    ):
        mark = "  <- chosen" if setting == search.best_params_ else ""
        print(f"  depth {setting['max_depth'] or 'any':>3}  {mean:.1%}  {chance:.3f}{mark}")


if __name__ == "__main__":
    main()
