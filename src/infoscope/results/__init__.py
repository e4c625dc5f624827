"""What studies find, in one form: estimates, differences, findings, provenance, and the protocol of every result."""

from infoscope.core.records import contradictions_reported
from infoscope.results.base import Result, form_of
from infoscope.results.estimate import Difference, Estimate
from infoscope.results.finding import Finding
from infoscope.results.frame import csv_text
from infoscope.results.kinds import KINDS, load, result_class
from infoscope.results.provenance import Provenance

__all__ = [
    "KINDS",
    "Difference",
    "Estimate",
    "Finding",
    "Provenance",
    "Result",
    "contradictions_reported",
    "csv_text",
    "form_of",
    "load",
    "result_class",
]
