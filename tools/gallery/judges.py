"""Pictures of few labels and a judge."""

from collections.abc import Iterator

import infoscope as ifs
from infoscope.figures.judge import JudgeDisplay, StrataMosaicDisplay
from tools.gallery.exhibit import Exhibit

__all__ = ["exhibits"]


def exhibits() -> Iterator[Exhibit]:
    """Classifiers with few labels: judged by a weaker one, and by a stronger one."""
    data = ifs.datasets.page_blocks()
    few = [label if at % 10 == 0 else None for at, label in enumerate(data.y_true.tolist())]
    found = ifs.evaluate(few, {"boosting": data.predictions["boosting"]}, judge=data.predictions["logistic"])
    yield Exhibit(
        "judge",
        "Labels and a judge",
        "Pictures on scanned pages found by boosting, one row in ten labelled, judged by a weaker model",
        JudgeDisplay.from_judge(found, "proficiency"),
        note="Taking the verdicts as the truth is biased by the judge's own errors; labels and judge together give a "
        "narrower interval than the labels alone.",
        made_up=True,
    )
    digits = ifs.datasets.digits()
    few = [label if at % 12 == 0 else None for at, label in enumerate(digits.y_true.tolist())]
    found = ifs.evaluate(few, {"naive_bayes": digits.predictions["naive_bayes"]}, judge=digits.predictions["svm"])
    yield Exhibit(
        "strata_mosaic",
        "Verdicts and predictions",
        "Handwritten digits read by naive Bayes, one row in twelve labelled, judged by a support vector machine",
        StrataMosaicDisplay.from_judge(found),
        note="The area shows the number of rows, the colour how often predictions are right. Hatched: no row with that "
        "verdict and prediction has a label, so its estimate borrows strength from others. Where the verdict is 9, a "
        "third of the predictions differ, and nearly all of these are wrong.",
        made_up=True,
    )
