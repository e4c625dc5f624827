"""Labelling: how many labels are needed, which rows come first, sheets to be filled in, and what came of them."""

from infoscope.studies.labels.label_plan import GroupToLabel, LabelPlan, LabelSampler, PlannedWidth, StratumToLabel
from infoscope.studies.labels.labelled_estimate import LabelledEstimate
from infoscope.studies.labels.sheet import ItemToLabel

__all__ = [
    "GroupToLabel",
    "ItemToLabel",
    "LabelPlan",
    "LabelSampler",
    "LabelledEstimate",
    "PlannedWidth",
    "StratumToLabel",
]
