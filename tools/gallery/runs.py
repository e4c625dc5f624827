"""Runs over time: a system that fell in its last two nights."""

from collections.abc import Iterator

import numpy as np

from infoscope.figures.run_chart import RunChartDisplay
from infoscope.studies.evaluate import evaluate
from infoscope.studies.history import history
from tools.gallery.exhibit import Exhibit

__all__ = ["exhibits"]


def exhibits() -> Iterator[Exhibit]:
    """One chart of 24 nights."""
    rng = np.random.default_rng(16)
    runs = {}
    for night in range(24):
        truth = rng.integers(0, 3, 500)
        right = (0.86 if night < 22 else 0.74) + 0.012 * rng.normal()
        runs[f"night {night + 1}"] = evaluate(truth, np.where(rng.random(500) < right, truth, rng.integers(0, 3, 500)))
    found = history(runs, new_baseline={"night 7": "new labels"})
    yield Exhibit(
        "runs",
        "Runs over time",
        "24 nights of one system, simulated",
        RunChartDisplay(found, found.series[0], "Proficiency"),
        note="Each run with its interval, the band expected from the baseline runs, and alarms as squares.",
        made_up=True,
    )
