"""The first ten minutes, on data that come with the package: how good, how sure, which is better, where to cut.

Run: python examples/first_steps.py
"""

import infoscope as ifs


def main() -> None:
    y_true, predictions = ifs.datasets.digits()
    print(ifs.report(y_true, predictions["svm"]))
    print(ifs.evaluate(y_true, predictions), "\n")
    print(ifs.compare(y_true, predictions), "\n")
    print(f"one number: {ifs.metrics.proficiency(y_true, predictions['naive_bayes']):.3f} of the information captured")
    low, high = ifs.Posterior(y_true, predictions["naive_bayes"]).interval("proficiency")
    print(f"and what is believed about it: {low:.3f} to {high:.3f}\n")

    blocks = ifs.datasets.page_blocks()
    print(ifs.sweep(blocks.y_true, blocks.scores["boosting"], positive=blocks.positive))


if __name__ == "__main__":
    main()
