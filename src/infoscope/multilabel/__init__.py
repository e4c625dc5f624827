"""Several categories an object: how much of the truth a predictor's categories tell, and which it mixes up.

>>> import infoscope.multilabel
>>> truth = [{"cat"}, {"cat", "dog"}, {"dog"}, {"fox"}]
>>> infoscope.multilabel.evaluate(truth, [{"cat"}, {"dog"}, {"dog"}, {"fox"}], draws=0)
MultilabelEvaluation of 4 objects
  predicted: 75.5% of the truth's information captured
"""

from infoscope.multilabel.document import MultilabelEvaluation
from infoscope.multilabel.front import compare, evaluate, stability
from infoscope.multilabel.measures import MEASURES
from infoscope.tables.label_sets import LabelSets

__all__ = ["MEASURES", "LabelSets", "MultilabelEvaluation", "compare", "evaluate", "stability"]
