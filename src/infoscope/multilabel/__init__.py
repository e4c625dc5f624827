"""Multi-label: how much of the truth a predictor's categories carry, and which it confuses.

>>> import infoscope.multilabel
>>> truth = [{"cat"}, {"cat", "dog"}, {"dog"}, {"fox"}]
>>> infoscope.multilabel.evaluate(truth, [{"cat"}, {"dog"}, {"dog"}, {"fox"}], draws=0)
predicted captures 75.5% of the information in truth.
"""

from infoscope.multilabel.api import compare, evaluate, stability
from infoscope.multilabel.counter import LabelSetCounter
from infoscope.multilabel.measures import MEASURES
from infoscope.multilabel.object_measures import (
    extended_bcubed_f1,
    extended_bcubed_precision,
    extended_bcubed_recall,
    object_f_beta,
)
from infoscope.multilabel.result import MultilabelEvaluation
from infoscope.tables.label_sets import LabelSets

__all__ = [
    "MEASURES",
    "LabelSetCounter",
    "LabelSets",
    "MultilabelEvaluation",
    "compare",
    "evaluate",
    "extended_bcubed_f1",
    "extended_bcubed_precision",
    "extended_bcubed_recall",
    "object_f_beta",
    "stability",
]
