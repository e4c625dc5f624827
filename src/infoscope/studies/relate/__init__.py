"""Relations: what any columns tell about each other, given others, and together."""

from infoscope.studies.relate.api import RelateKeywords, relate
from infoscope.studies.relate.binning import ColumnSummary
from infoscope.studies.relate.measures import InformationRange, InformationSplit, SetMeasures
from infoscope.studies.relate.result import Relation, Relations
from infoscope.studies.relate.triangles import EntropyParts, channel_triangle, source_triangle

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
