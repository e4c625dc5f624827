"""Labelling: how many labels are needed, which rows come first, sheets to be filled in, and what came of them."""

from infoscope.labelling.label_plan import GroupToLabel, LabelPlan, LabelSampler, PlannedWidth, StratumToLabel
from infoscope.labelling.labelled_estimate import LabelledEstimate
from infoscope.labelling.sheet import ItemToLabel

__all__ = [
    "GroupToLabel",
    "ItemToLabel",
    "LabelPlan",
    "LabelSampler",
    "LabelledEstimate",
    "PlannedWidth",
    "StratumToLabel",
]
