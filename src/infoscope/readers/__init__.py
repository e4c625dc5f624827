"""Rows in, tables out: one file for each kind of source, one meaning of labels for all."""

from infoscope.readers.columns import Columns
from infoscope.readers.matrix import read_matrix
from infoscope.readers.reading import Reading, read, read_tables

__all__ = ["Columns", "Reading", "read", "read_matrix", "read_tables"]
