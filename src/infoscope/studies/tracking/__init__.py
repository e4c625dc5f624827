"""Trackers: how much of who-was-where a multi-target tracker captures, with intervals, and where the rest is lost.

``evaluate.py`` is the way through: files (``track_files.py``), matching, one accounted sequence after another
(``sequence.py``, ``measures.py``), intervals and differences (``uncertainty.py``), ``result.py``. The view is
``reports/views/tracking.py``, the command ``infoscope track``.

>>> import numpy as np
>>> import infoscope.studies.tracking
>>> boxes = np.array([[f, i, 100 * i, 0, 20, 40] for f in range(10) for i in range(4)], dtype=float)
>>> infoscope.tracking.evaluate(boxes, boxes)
tracks captures 100% of the information about who was where.
For every 100 bits of truth it adds no false information.
"""

from infoscope.studies.tracking.evaluate import compare, evaluate, name_of, sweep_gates
from infoscope.studies.tracking.options import TrackingOptions
from infoscope.studies.tracking.result import GateSweep, TrackingEvaluation

__all__ = ["GateSweep", "TrackingEvaluation", "TrackingOptions", "compare", "evaluate", "name_of", "sweep_gates"]
