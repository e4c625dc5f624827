"""Rows in, tables out: one file for each kind of source, one meaning of labels for all."""

from infoscope.readers.columns import (
    ColumnRoles,
    column_names,
    column_roles,
    first_rows,
    guess_roles,
    guess_score_roles,
    mention_repeated_names,
)
from infoscope.readers.counter import Counter
from infoscope.readers.engine import Engine
from infoscope.readers.files import are_parts, means_file, names_in_braces
from infoscope.readers.matrix_files import read_costs, read_matrices, read_matrix, read_prevalence, recognise_matrix
from infoscope.readers.parquet import is_built as is_parquet_compiled
from infoscope.readers.query import ENGINES, Query, ReadOptions
from infoscope.readers.reader import (
    Joint,
    LabelKeywords,
    TableKeywords,
    Tables,
    Together,
    read,
    read_joint,
    read_tables,
    read_together,
)
from infoscope.readers.truth_join import JoinedRows, join_truth

__all__ = [
    "ENGINES",
    "ColumnRoles",
    "Counter",
    "Engine",
    "JoinedRows",
    "Joint",
    "LabelKeywords",
    "Query",
    "ReadOptions",
    "TableKeywords",
    "Tables",
    "Together",
    "are_parts",
    "column_names",
    "column_roles",
    "first_rows",
    "guess_roles",
    "guess_score_roles",
    "is_parquet_compiled",
    "join_truth",
    "means_file",
    "mention_repeated_names",
    "names_in_braces",
    "read",
    "read_costs",
    "read_joint",
    "read_matrices",
    "read_matrix",
    "read_prevalence",
    "read_tables",
    "read_together",
    "recognise_matrix",
]
