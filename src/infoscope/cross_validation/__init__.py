"""How much a result owes to chance in its making: to the folds of a cross-validation, or to which half was seen."""

from infoscope.cross_validation.cutting import cross_validate
from infoscope.cross_validation.document import CrossValidation, Overlap, Spread
from infoscope.cross_validation.halves import stability

__all__ = ["CrossValidation", "Overlap", "Spread", "cross_validate", "stability"]
