"""Metrics: pure functions of a table, one file per family.

The list of names of a family, ``__all__``, holds what it adds here; what families share is imported by name.
"""

from typing import NoReturn

from infoscope.errors import UnknownNameError
from infoscope.metrics.agreement import *
from infoscope.metrics.association import *
from infoscope.metrics.averages import *
from infoscope.metrics.binary import *
from infoscope.metrics.bounds import *
from infoscope.metrics.costs import *
from infoscope.metrics.coverage import *
from infoscope.metrics.diagnostic import *
from infoscope.metrics.grouping import *
from infoscope.metrics.losses import *
from infoscope.metrics.normalized import *
from infoscope.metrics.ordinal import *
from infoscope.metrics.pair_counting import *
from infoscope.metrics.partitions import *
from infoscope.metrics.per_cell import *
from infoscope.metrics.per_class import *
from infoscope.metrics.perplexity import *
from infoscope.metrics.registry import find
from infoscope.metrics.rejection import *
from infoscope.metrics.sensitivity import *
from infoscope.metrics.shannon import *
from infoscope.metrics.triangle import *

__all__ = [  # the functions of families, without the families themselves and what is used here
    name for name, what in vars().items() if getattr(what, "__module__", "").startswith(f"{__name__}.") and what != find
]


def __getattr__(name: str) -> NoReturn:
    """Names that other packages use are met with ours."""
    reason = f"module {__name__!r} has no attribute {name!r}"
    if not name.startswith("_"):
        try:
            reason += f"; here the metric is {find(name).name!r}"
        except UnknownNameError as error:
            reason += f"; {error}"
    raise AttributeError(reason)
