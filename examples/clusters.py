"""A clustering of scikit-learn's handwritten digits: which digits are split, and which are thrown together.

Run with scikit-learn (infoscope[sklearn]): python examples/clusters.py
"""

import infoscope as ifs

try:
    from sklearn.cluster import KMeans
    from sklearn.datasets import load_digits
except ImportError:
    raise SystemExit("this example needs scikit-learn: pip install 'infoscope[sklearn]'") from None


def main() -> None:
    images, digits = load_digits(return_X_y=True)
    found = KMeans(n_clusters=10, n_init=3, random_state=0).fit_predict(images)
    print(ifs.evaluate(digits, {"k-means": found}, task="clustering").to_text(width=100))


if __name__ == "__main__":
    main()
