"""Tables of counts: what everything is computed from."""

from infoscope.tables.caching import remembered
from infoscope.tables.contingency import Contingency
from infoscope.tables.labels import Label, lookalikes

__all__ = ["Contingency", "Label", "lookalikes", "remembered"]
