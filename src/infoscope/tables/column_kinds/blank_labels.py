"""Labels that are empty or nothing but white space: labels in memory, missing in an empty field of a CSV file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from infoscope.tables import Contingency
from infoscope.tables.labels import Label
from infoscope.tables.patterns import Patterns

__all__ = ["BlankLabels", "missing_words"]

_MISSING_WORDS = {"nan", "NaN", "NAN", "NaT", "<NA>", "NA", "N/A", "n/a", "#N/A", "None", "null", "NULL"}
"""What pandas, R, databases and spreadsheets write for a missing value, and text made of one says."""


@dataclass(frozen=True)
class BlankLabels:
    """Blank labels that count like any other and that nobody declared."""

    rows: Mapping[str, Mapping[str, float]]
    """Rows or weight of each, by the side of a table ("true", "predicted") or the column that has it."""
    role: str
    """What such a label is, with places for the name of the side or column and for how often."""
    reject: str | None = None
    """The label that may mean that a system abstained."""
    sets: bool = False
    """Whether a row has a set of labels, which may be empty."""

    @classmethod
    def of(cls, tables: Sequence[tuple[str, Contingency]]) -> BlankLabels | None:
        """Those of tables with their systems' names; None where there are none.

        Several tables of one system are of different rows; different systems have the same rows.
        """
        true = _rows_by_label((name, _blanks(table.truth_labels, table.row_totals)) for name, table in tables)
        predicted = _rows_by_label((name, _predicted_blanks(table)) for name, table in tables)
        sides = {"true": true, "predicted": predicted}
        reject = None if true else next(iter(predicted), None)
        return cls(sides, "the {name} class {times}", reject) if true or predicted else None

    @classmethod
    def of_columns(
        cls, columns: Mapping[str, tuple[Sequence[Label], NDArray[Any]]], *, sets: bool = False
    ) -> BlankLabels | None:
        """Those of columns or of label sets, each with its labels and their rows; None where there are none."""
        found = {name: blanks for name, (labels, rows) in columns.items() if (blanks := _blanks(labels, rows))}
        return cls(found, "{times} a label of {name}", sets=sets) if found else None

    @classmethod
    def of_patterns(cls, patterns: Patterns) -> BlankLabels | None:
        """Those of counted rows."""
        labels = zip(patterns.names, patterns.labels, strict=True)
        return cls.of_columns({name: (known, patterns.label_totals(name)) for name, known in labels})

    def __str__(self) -> str:
        """What they count as, and the ways out."""
        return (
            f"{self._counts}: such a label counts like any other, unlike an empty field of a CSV file, which is a "
            f"missing label. {self._way_out}"
        )

    @property
    def _counts(self) -> str:
        """Each blank label with its rows on all sides.

        >>> BlankLabels({"true": {"": 3.0}, "predicted": {"": 1.0, " ": 2.0}}, "the {name} class {times}")._counts
        "'' is the true class 3 times and the predicted class once; ' ' is the predicted class 2 times"
        """
        said = []
        for label in dict.fromkeys(label for rows in self.rows.values() for label in rows):
            found = {name: _times(rows[label]) for name, rows in self.rows.items() if label in rows}
            roles = [self.role.format(name=name, times=times) for name, times in found.items()]
            said.append(f"{label!r} is {' and '.join(roles)}")
        return "; ".join(said)

    @property
    def _way_out(self) -> str:
        """What to do about it; only a system abstains."""
        if self.sets:
            return "Where it means that there is no label, leave it out of the set."
        missing = (
            "Where it means that there is no label, give None instead, or read the rows with --clean strip "
            "(clean='strip')"
        )
        if self.reject is None:
            return f"{missing}."
        declared = f"--reject {self.reject!r} (reject={self.reject!r})"
        return f"{missing}; where it means that the system abstained, declare it with {declared}."


def missing_words(tables: Sequence[tuple[str, Contingency]]) -> tuple[str, bool] | None:
    """The sentence about labels that spell a missing value, and whether one side alone has one; None without any.

    >>> print(missing_words([("m", Contingency.from_labels(["a", "nan", "b"], ["a", "b", "b"]))])[0].split(":")[0])
    'nan' is the true class once
    """
    true = _rows_by_label((name, _words(table.truth_labels, table.row_totals)) for name, table in tables)
    predicted = _rows_by_label((name, _words(table.system_labels, table.column_totals)) for name, table in tables)
    rejects = {table.reject for _, table in tables}
    predicted = {label: rows for label, rows in predicted.items() if label not in rejects}
    if not true and not predicted:
        return None
    counts = BlankLabels({"true": true, "predicted": predicted}, "the {name} class {times}")._counts
    way_out = "Where it means that there is no label, leave the field empty, or give None."
    return f"{counts}: such a label counts like any other. {way_out}", set(true) != set(predicted)


def _words(labels: Iterable[Label], totals: NDArray[Any]) -> dict[str, float]:
    """Labels that spell a missing value and occur, with their rows or weights."""
    places = {label: at for at, label in enumerate(labels) if isinstance(label, str) and label in _MISSING_WORDS}
    return {label: float(totals[at]) for label, at in places.items() if totals.ndim == 1 and totals[at] > 0}


def _rows_by_label(found: Iterable[tuple[str, Mapping[str, float]]]) -> dict[str, float]:
    """Rows of each label, added over the tables of a system; of several systems the most."""
    by_label: dict[str, dict[str, float]] = {}
    for system, blanks in found:
        for label, rows in blanks.items():
            by_system = by_label.setdefault(label, {})
            by_system[system] = by_system.get(system, 0.0) + rows
    return {label: max(by_system.values()) for label, by_system in by_label.items()}


def _blanks(labels: Iterable[Label], totals: NDArray[Any]) -> dict[str, float]:
    """Blank labels that occur, with their rows or weights."""
    places = {label: at for at, label in enumerate(labels) if isinstance(label, str) and not label.strip()}
    return {label: float(totals[at]) for label, at in places.items() if totals.ndim == 1 and totals[at] > 0}


def _predicted_blanks(table: Contingency) -> dict[str, float]:
    """Those among predictions, without a label that is declared to mean "abstained"."""
    blanks = _blanks(table.system_labels, table.column_totals)
    return {label: rows for label, rows in blanks.items() if label != table.reject}


def _times(rows: float) -> str:
    return "once" if rows == 1 else f"{rows:,.6g} times"
