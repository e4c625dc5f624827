"""scikit-learn: a scorer for every metric, and a search for the simplest setting that is not significantly worse."""

from infoscope.integrations.sklearn.scorers import scorer
from infoscope.integrations.sklearn.selection import Simplest, search, simplest

__all__ = ["Simplest", "scorer", "search", "simplest"]
