"""Pictures of few labels and a judge, of handwritten digits."""

from collections.abc import Iterator

import infoscope as ifs
from infoscope.figures.judge import JudgeDisplay
from tools.gallery.exhibit import Exhibit

__all__ = ["exhibits"]


def exhibits() -> Iterator[Exhibit]:
    """A classifier with a label for one row in ten, judged by a weaker one."""
    data = ifs.datasets.page_blocks()
    few = [label if at % 10 == 0 else None for at, label in enumerate(data.y_true.tolist())]
    found = ifs.evaluate(few, {"boosting": data.predictions["boosting"]}, judge=data.predictions["logistic"])
    yield Exhibit(
        "judge",
        "Labels and a judge",
        "Pictures on scanned pages found by boosting, one row in ten labelled, judged by a weaker model",
        JudgeDisplay.from_judge(found, "proficiency"),
        note="Verdicts as truth are off by the judge's own errors; labels and judge together are narrower than the "
        "labels alone.",
        made_up=True,
    )
