"""How truth and predictions were named where they came from, and the calls that use these names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from shlex import quote

from infoscope.tables.labels import Label, decided_positive, positive_of

__all__ = ["ColumnNames"]


@dataclass(frozen=True)
class ColumnNames:
    """How truth and predictions were named where they came from."""

    truth: str | None = None
    source: str | None = None
    """The file, where it is one."""
    in_tables: bool = False
    """Whether finished tables were given."""

    @classmethod
    def asked(cls, file: str | None, truth: str | None, *, labels: bool) -> ColumnNames:
        """Of a question: labels, rows of a source, which may be a file, with the name of the truth, or tables."""
        return cls(truth, None if labels else file, in_tables=truth is None and not labels)

    def name(self, system: str | None) -> str:
        """The truth (None) or a system in a sentence."""
        if self.in_tables:
            return "the truth" if system is None else f"the output of {system!r}"
        if self.truth is not None:
            return f"column {(self.truth if system is None else system)!r}"
        return "y_true" if system is None else "y_pred" if system == "system" else f"y_pred[{system!r}]"

    def sweep(
        self, scores: Sequence[str], classes: Sequence[Label], truth: str | None = None, *, high: Label | None = None
    ) -> str:
        """The command and the call that sweep these scores of true classes, of which one has the high scores."""
        column = truth or self.truth
        options, words = _class_options(scores, classes, high)
        if column is None:
            return f"ifs.sweep(y_true, y_score{words})"
        names = " ".join(f"--score {quote(name)}" for name in scores)
        given = scores[0] if len(scores) == 1 else list(scores)
        source = "source" if self.source is None else repr(self.source)
        call = f"ifs.sweep({source}, truth={column!r}, score={given!r}{words})"
        if self.source is None:
            return call
        return f"infoscope sweep {quote(self.source)} -t {quote(column)} {names}{options}, in Python {call}"


def _class_options(scores: Sequence[str], classes: Sequence[Label], high: Label | None) -> tuple[str, str]:
    """What says which classes the scores are of, as options and as arguments; the names of the columns may tell."""
    stated = [next((label for label in classes if name.lower().endswith(str(label).lower())), None) for name in scores]
    if len(scores) == 1 and len(classes) == 2:
        known = decided_positive(classes)
        meant = next(label for label in (stated[0], high, positive_of(classes)) if label is not None)
        return ("", "") if meant == known else (f" --positive {quote(str(meant))}", f", positive={meant!r}")
    if len(scores) < 2 or None in stated or len(set(stated)) < len(scores) or [str(x) for x in stated] == list(scores):
        return "", ""
    return "".join(f" --class {quote(str(label))}" for label in stated), f", classes={stated!r}"
