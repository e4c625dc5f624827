"""Rows in, tables out: one file for each kind of source, one meaning of labels for all."""

from infoscope.readers.counter import Counter
from infoscope.readers.joint import Joint, Paired
from infoscope.readers.matrix import read_matrix
from infoscope.readers.reading import ENGINES, How, Reading, read, read_joint, read_tables
from infoscope.readers.session import Limits

__all__ = [
    "ENGINES",
    "Counter",
    "How",
    "Joint",
    "Limits",
    "Paired",
    "Reading",
    "read",
    "read_joint",
    "read_matrix",
    "read_tables",
]
