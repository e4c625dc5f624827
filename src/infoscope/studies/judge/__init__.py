"""Few true labels and a cheap judge: every metric over all rows, corrected by the labels."""

from infoscope.studies.judge.judged import Judged

__all__ = ["Judged"]
