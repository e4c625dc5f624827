"""Multi-label: how much of the truth a predictor's categories carry, and which it confuses.

>>> import infoscope.studies.multilabel
>>> truth = [{"cat"}, {"cat", "dog"}, {"dog"}, {"fox"}]
>>> infoscope.multilabel.evaluate(truth, [{"cat"}, {"dog"}, {"dog"}, {"fox"}], draws=0)
predicted captures 75.5% of the information in truth.
"""

from infoscope.studies.multilabel.api import compare, evaluate, stability
from infoscope.studies.multilabel.counter import LabelSetCounter
from infoscope.studies.multilabel.measures import MEASURES
from infoscope.studies.multilabel.object_measures import (
    extended_bcubed_f1,
    extended_bcubed_precision,
    extended_bcubed_recall,
    object_f_beta,
)
from infoscope.studies.multilabel.result import MultilabelEvaluation
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
