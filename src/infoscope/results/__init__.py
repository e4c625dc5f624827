"""Results of studies in one form: estimates, differences, findings, provenance, and the protocol of every result."""

from infoscope.core.records import report_contradictions
from infoscope.results.base import KINDS, Result, get_form, get_result_class, load
from infoscope.results.estimate import Difference, Estimate
from infoscope.results.finding import Finding
from infoscope.results.frame import format_csv
from infoscope.results.provenance import Provenance

__all__ = [
    "KINDS",
    "Difference",
    "Estimate",
    "Finding",
    "Provenance",
    "Result",
    "format_csv",
    "get_form",
    "get_result_class",
    "load",
    "report_contradictions",
]
