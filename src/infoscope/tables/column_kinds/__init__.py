"""What columns hold that are given as labels: classes, or scores, identifiers and measurements given by mistake."""

from infoscope.tables.column_kinds.blank_labels import BlankLabels, missing_words
from infoscope.tables.column_kinds.columns import check_label_columns, check_labels, check_one_label_per_row
from infoscope.tables.column_kinds.measurements import measured_labels, near_misses
from infoscope.tables.column_kinds.names import ColumnNames
from infoscope.tables.column_kinds.pairs import check_columns
from infoscope.tables.column_kinds.positive_class import (
    asked_positive,
    check_positive,
    is_positive_open,
    positive_without_effect,
)
from infoscope.tables.column_kinds.repeated_header import repeated_header
from infoscope.tables.column_kinds.values import number_of

__all__ = [
    "BlankLabels",
    "ColumnNames",
    "asked_positive",
    "check_columns",
    "check_label_columns",
    "check_labels",
    "check_one_label_per_row",
    "check_positive",
    "is_positive_open",
    "measured_labels",
    "missing_words",
    "near_misses",
    "number_of",
    "positive_without_effect",
    "repeated_header",
]
