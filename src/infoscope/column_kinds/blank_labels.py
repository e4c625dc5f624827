"""Labels that are empty or nothing but white space: classes in memory, missing in an empty field of a CSV file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from infoscope.numeric import Real
from infoscope.quick_dataclasses import dataclass
from infoscope.tables import Contingency
from infoscope.tables.labels import Label

__all__ = ["BlankLabels"]


@dataclass(frozen=True)
class BlankLabels:
    """Blank labels that count as classes and that nobody declared, with their rows on both sides."""

    true: Mapping[str, float]
    predicted: Mapping[str, float]

    @classmethod
    def of(cls, tables: Sequence[tuple[str, Contingency]]) -> BlankLabels | None:
        """Those of tables with their systems' names; None where there are none.

        Several tables of one system are of different rows; different systems have the same rows.
        """
        true = _rows_by_label((name, _blanks(table.truth_labels, table.row_totals)) for name, table in tables)
        predicted = _rows_by_label((name, _predicted_blanks(table)) for name, table in tables)
        return cls(true, predicted) if true or predicted else None

    def __str__(self) -> str:
        """What they count as, and the ways out."""
        return (
            f"{_counts(self.true, self.predicted)}: such a label counts as a class, unlike an empty field of a CSV "
            f"file, which is a missing label. {self._way_out}"
        )

    @property
    def _way_out(self) -> str:
        """What to do about it; only a system abstains."""
        missing = (
            "Where it means that there is no label, give None instead, or read the rows with --clean strip "
            "(clean='strip')"
        )
        named = next(iter(self.predicted), "")
        abstained = f"where it means that the system abstained, declare it with --reject {named!r} (reject={named!r})"
        return f"{missing}." if self.true else f"{missing}; {abstained}."


def _rows_by_label(found: Iterable[tuple[str, Mapping[str, float]]]) -> dict[str, float]:
    """Rows of each label, added over the tables of a system; of several systems the most."""
    by_label: dict[str, dict[str, float]] = {}
    for system, blanks in found:
        for label, rows in blanks.items():
            by_system = by_label.setdefault(label, {})
            by_system[system] = by_system.get(system, 0.0) + rows
    return {label: max(by_system.values()) for label, by_system in by_label.items()}


def _blanks(labels: Iterable[Label], totals: Real) -> dict[str, float]:
    """Blank labels that occur, with their rows or weights."""
    places = {label: at for at, label in enumerate(labels) if isinstance(label, str) and not label.strip()}
    return {label: float(totals[at]) for label, at in places.items() if totals.ndim == 1 and totals[at] > 0}


def _predicted_blanks(table: Contingency) -> dict[str, float]:
    """Those among predictions, without a label that is declared to mean "abstained"."""
    blanks = _blanks(table.system_labels, table.column_totals)
    return {label: rows for label, rows in blanks.items() if label != table.reject}


def _counts(truth: Mapping[str, float], system: Mapping[str, float]) -> str:
    """Each blank label with its rows on both sides.

    >>> _counts({"": 3.0}, {"": 1.0, " ": 2.0})
    "'' is the true class 3 times and the predicted class once; ' ' is the predicted class 2 times"
    """
    said = []
    for label in dict.fromkeys((*truth, *system)):
        sides = {"true": truth.get(label, 0.0), "predicted": system.get(label, 0.0)}
        roles = [f"the {side} class {_times(rows)}" for side, rows in sides.items() if rows]
        said.append(f"{label!r} is {' and '.join(roles)}")
    return "; ".join(said)


def _times(rows: float) -> str:
    return "once" if rows == 1 else f"{rows:,.6g} times"
