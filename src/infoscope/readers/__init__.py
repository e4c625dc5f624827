"""Rows in, tables out: one file for each kind of source, one meaning of labels for all."""

from infoscope.readers.costs import read_costs
from infoscope.readers.counter import Counter
from infoscope.readers.joint import Joint, Paired
from infoscope.readers.matrix import read_matrix
from infoscope.readers.reading import (
    ENGINES,
    LabelKeywords,
    ReadOptions,
    TableKeywords,
    Tables,
    read,
    read_joint,
    read_tables,
)
from infoscope.readers.session import Limits
from infoscope.readers.together import Asked, Together, read_together

__all__ = [
    "ENGINES",
    "Asked",
    "Counter",
    "Joint",
    "LabelKeywords",
    "Limits",
    "Paired",
    "ReadOptions",
    "TableKeywords",
    "Tables",
    "Together",
    "read",
    "read_costs",
    "read_joint",
    "read_matrix",
    "read_tables",
    "read_together",
]
