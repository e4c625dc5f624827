"""Few true labels and a cheap judge: every metric over all rows, corrected by the labels."""

from infoscope.judges.judged import Judged

__all__ = ["Judged"]
