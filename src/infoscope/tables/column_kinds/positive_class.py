"""The positive class of two: asked for if names do not decide, without effect if there are more classes."""

from __future__ import annotations

from collections.abc import Sequence
from shlex import quote

from infoscope.errors import InputError
from infoscope.tables import Contingency
from infoscope.tables.labels import Label, decided_positive

__all__ = ["asked_positive", "check_positive", "is_positive_open", "positive_without_effect"]


def is_positive_open(table: Contingency) -> bool:
    """Whether neither the caller nor the names of two classes say which of them is positive."""
    return table.positive is None and len(table.truth_labels) == 2 and decided_positive(table.truth_labels) is None


def check_positive(table: Contingency, metric: str) -> None:
    """Reject a metric about one of two classes where nothing says which, as scikit-learn does; the last is no guess."""
    if is_positive_open(table):
        one, other = table.truth_labels
        raise InputError(
            f"{metric} is about one of two classes, and the names {one!r} and {other!r} do not say which is positive; "
            f"say --positive {quote(str(one))} or --positive {quote(str(other))} (positive= or pos_label= in Python)"
        )


def asked_positive(classes: Sequence[Label], taken: Label | None, role: str = "is positive") -> str | None:
    """The question which of two classes is meant, where their names do not say; None where they do."""
    if len(classes) != 2 or decided_positive(classes) is not None:
        return None
    one, other = classes
    return (
        f"The names {one!r} and {other!r} do not say which class {role}; {taken!r} is taken, by sorting: say "
        f"--positive {quote(str(other))} or --positive {quote(str(one))} (positive= in Python)."
    )


def positive_without_effect(table: Contingency) -> str | None:
    """What to say where a positive class was named and there are more than two; None elsewhere."""
    classes = len(table.truth_labels)
    if table.positive is None or classes <= 2:
        return None
    return (
        f"The positive class {table.positive!r} has no effect: there are {classes:,} classes, so recall, precision and "
        "F1 are given for each of them. Leave out --positive (positive=), or merge the other classes into one."
    )
