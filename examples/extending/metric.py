"""Add a metric: a function with its card, in the module of its family.

1. Copy the function below to the end of ``src/infoscope/metrics/agreement.py`` (the imports are there already).
2. Add ``error_share,`` to what ``src/infoscope/metrics/__init__.py`` imports of that module.

The laws on a card are tried on random tables. The metric is then called with a table or with labels, explained by
``infoscope explain error_share``, and part of every evaluation; ``tests/oracle.py`` needs its definition in exact
arithmetic.
"""

from infoscope.core.numerics import Real
from infoscope.metrics.agreement import accuracy
from infoscope.metrics.registry import Card, metric
from infoscope.tables import Contingency


@metric(Card(title="Error share", symbol="e", formula=r"1 - A", source="common", better="lower"))
def error_share(table: Contingency) -> Real:
    """Return the share of samples whose predicted class is not the true one."""
    return 1.0 - accuracy(table)
