"""Relations: what any columns tell about each other, given others, and together."""

from infoscope.relations.api import RelateKeywords, relate
from infoscope.relations.binning import ColumnSummary
from infoscope.relations.measures import InformationRange, InformationSplit, SetMeasures
from infoscope.relations.result import Relation, Relations
from infoscope.relations.triangles import EntropyParts, channel_triangle, source_triangle

__all__ = [
    "ColumnSummary",
    "EntropyParts",
    "InformationRange",
    "InformationSplit",
    "RelateKeywords",
    "Relation",
    "Relations",
    "SetMeasures",
    "channel_triangle",
    "relate",
    "source_triangle",
]
