"""Tables of counts: what everything is computed from."""

from infoscope.tables.contingency import Contingency, remembered
from infoscope.tables.labels import Label, lookalikes

__all__ = ["Contingency", "Label", "lookalikes", "remembered"]
