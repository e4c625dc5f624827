"""Tables of counts: what everything is computed from."""

from infoscope.tables.contingency import Contingency
from infoscope.tables.labels import Label, lookalikes
from infoscope.tables.remembering import remembered

__all__ = ["Contingency", "Label", "lookalikes", "remembered"]
