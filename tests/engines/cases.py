"""Logs that engines are known to disagree about, and what counting them by hand gives."""

import datetime as dt
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from zoneinfo import ZoneInfo

from infoscope import read_tables

LONG = "x" * (1 << 20)
DAY = dt.date(2020, 1, 2)


@dataclass(frozen=True)
class Case:
    """Columns of rows; ``kinds`` tells each column's type: text, int, float, bool, date, time or zoned."""

    name: str
    columns: dict[str, list[Any]]
    kinds: dict[str, str]
    truth: str = "gold"
    systems: tuple[str, ...] = ("said",)
    options: dict[str, Any] = field(default_factory=dict)
    clean: Callable[[Any], Any] = lambda value: value

    @property
    def rows(self) -> list[dict[str, Any]]:
        return [dict(zip(self.columns, row, strict=True)) for row in zip(*self.columns.values(), strict=True)]


def case(name: str, kinds: str, lines: Sequence[Sequence[Any]], **more: Any) -> Case:
    """A case from lines; ``kinds`` reads like "gold:text said:int"."""
    types = dict(part.split(":") for part in kinds.split())
    columns = {key: [line[i] for line in lines] for i, key in enumerate(types)}
    return Case(name, columns, types, **more)


CASES = [
    case(
        "words that look like missing values",
        "gold:text said:text",
        [("nan", "NA"), ("None", "null"), ("NULL", "N/A"), (None, "a"), ("a", None), ("a", "a")] * 2,
    ),
    case(
        "white space, case and unicode forms stay apart",
        "gold:text said:text",
        [("café", "cafe\u0301"), ("a", "a "), (" a", "a\u00a0"), ("A", "a"), ("ß", "SS"), ("😀", "é")],
    ),
    case(
        "delimiters, quotes, line ends and statements are only text",
        "gold:text said:text",
        [
            ("a,b", 'say "hi"'),
            ("a;b", "tab\there"),
            ("two\nlines", "x|y"),
            ("'; DROP TABLE log; --", '" OR 1=1 --'),
            ("\\N", "back\\slash"),
        ],
    ),
    case(
        "very long labels that differ at the end",
        "gold:text said:text",
        [(LONG + "1", LONG + "2"), (LONG + "1", LONG + "1"), (LONG + "2", LONG + "2")],
    ),
    case(
        "whole numbers beyond the floats",
        "gold:int said:int",
        [(2**53, 2**53 + 1), (2**53 + 1, 2**53 + 1), (None, 1), (-1, None), (0, -1), (7, 7)],
    ),
    case(
        "leading zeros are text",
        "gold:text said:text",
        [("007", "7"), ("7", "7"), ("1.0", "1"), ("1e3", "1000"), ("true", "True"), ("yes", "no")],
    ),
    case(
        "floats with holes",
        "gold:float said:float",
        [(1.0, 2.5), (2.5, 2.5), (None, 1.0), (math.nan, 1.0), (1.0, math.nan), (0.0, -0.0)],
    ),
    case(
        "truth values",
        "gold:bool said:bool",
        [(True, True), (False, True), (None, False), (True, None), (False, False)],
    ),
    case(
        "dates",
        "gold:date said:date",
        [(DAY, DAY), (dt.date(1999, 12, 31), DAY), (None, DAY), (DAY, None)],
    ),
    case(
        "several systems, each with its own missing rows and type",
        "gold:text a:text b:text c:int",
        [("x", "x", "y", 1), ("x", None, "x", 2), ("y", "y", None, None), (None, "x", "x", 1)] * 3,
        systems=("a", "b", "c"),
    ),
    case(
        "weights",
        "gold:text said:text w:float",
        [
            ("x", "x", 0.5),
            ("x", "x", 0.25),
            ("x", "y", None),
            ("y", "y", 2.0),
            ("y", "x", 0.0),
            (None, "x", 1.0),
        ],
        options={"weight": "w"},
    ),
    case(
        "groups",
        "gold:text said:text fold:int place:text",
        [
            ("x", "x", 1, "b"),
            ("x", "y", 1, "a"),
            ("y", "y", 2, "b"),
            ("y", "x", None, "b"),
            ("x", None, 2, "b"),
            ("z", "x", 10, "a"),
        ],
        options={"by": ("fold", "place")},
    ),
    case(
        "weights, groups and systems at once",
        "gold:text a:text b:text w:float fold:text",
        [
            ("x", "x", "y", 1.5, "f"),
            ("x", "y", None, 0.5, "f"),
            ("y", "y", "y", 2.0, "g"),
            ("y", None, "y", 4.0, None),
        ],
        systems=("a", "b"),
        options={"weight": "w", "by": ("fold",)},
    ),
    case(
        "cleaning on request",
        "gold:text said:text",
        [(" Cat", "cat "), ("CAT", "cat"), ("cafe\u0301", "café"), ("  ", "cat")],
        options={"clean": ("strip", "nfc", "casefold")},
    ),
    case("no rows", "gold:text said:text", []),
    Case(
        "column names are only names",
        {
            "it's `gold`": ["x", "x", "y", "y", "x"],
            "s.x": ["x", "y", "y", None, "x"],
            "*": ["y", "y", "y", "x", "y"],
            '"; DROP TABLE log; --': [1, 2, 2, 1, 1],
            "^s.*$": ["x", "x", "x", "x", "y"],
            "w`w": [0.5, 0.25, 2.0, 1.0, 4.0],
            "é 名.*": ["f", "g", "g", "f", "g"],
        },
        {
            "it's `gold`": "text",
            "s.x": "text",
            "*": "text",
            '"; DROP TABLE log; --': "int",
            "^s.*$": "text",
            "w`w": "float",
            "é 名.*": "text",
        },
        truth="it's `gold`",
        systems=("s.x", "*", '"; DROP TABLE log; --', "^s.*$"),
        options={"weight": "w`w", "by": ("é 名.*",)},
    ),
]


BERLIN = ZoneInfo("Europe/Berlin")


def hour(of_day: int, zone: dt.tzinfo | None = None) -> dt.datetime:
    return dt.datetime(2020, 1, 1, of_day, 0, 0, 5 * of_day, tzinfo=zone)


TIME_CASES = [
    case(
        "times, one of them at midnight",
        "gold:time said:time",
        [(hour(0), hour(0)), (hour(1), hour(0)), (hour(1), hour(1)), (None, hour(2)), (hour(2), None)],
    ),
    case(
        "times against midnights only",
        "gold:time said:time",
        [(hour(0), hour(0)), (hour(0), hour(1)), (hour(0), hour(1))],
    ),
    case(
        "times with a zone, one hour of which comes twice",
        "gold:zoned said:zoned",
        [
            (hour(0, BERLIN), hour(0, BERLIN)),
            (hour(5, BERLIN), None),
            (dt.datetime(2020, 10, 25, 2, 30, tzinfo=BERLIN), dt.datetime(2020, 10, 25, 2, 30, tzinfo=BERLIN, fold=1)),
            (dt.datetime(2020, 10, 25, 2, 30, tzinfo=BERLIN), dt.datetime(2020, 10, 25, 2, 30, tzinfo=BERLIN)),
        ],
    ),
    case(
        "times as groups",
        "gold:text said:text seen:time at:zoned",
        [("x", "x", hour(0), hour(0, BERLIN)), ("x", "y", hour(1), hour(0, BERLIN)), ("y", "y", None, hour(1, BERLIN))],
        options={"by": ("seen", "at")},
    ),
]


def fixed(value: Any) -> Any:
    """A time with a zone as one with its distance from UTC: two hours of one zone may look the same."""
    zoned = isinstance(value, dt.datetime) and value.tzinfo is not None
    return dt.datetime.fromisoformat(value.isoformat()) if zoned else value


def counted(source: Any, tested: Case, **how: Any) -> dict[str, Any]:
    """Return the reader's outcome in the terms of ``expected``."""
    system = tested.systems[0] if len(tested.systems) == 1 else list(tested.systems)
    reading = read_tables(source, truth=tested.truth, system=system, **tested.options, **how)
    tables = {
        (group, name): {
            (truth, said): value
            for truth, said, value in zip(
                [table.truth_labels[i] for i in table.cell_rows],
                [table.system_labels[i] for i in table.cell_columns],
                table.cells.tolist(),
                strict=True,
            )
            if value
        }
        for group, systems in reading.by_group.items()
        for name, table in systems.items()
    }
    return {"tables": tables, "rows": reading.rows, "ignored": dict(reading.ignored)}


def expected(tested: Case, spelt: Callable[[Any, str], Any] = lambda value, _: value) -> dict[str, Any]:
    """Counts by hand; ``spelt`` tells how an engine that lacks a type spells its values."""
    weight, by = tested.options.get("weight"), tested.options.get("by", ())
    tables: dict[Any, dict[Any, float]] = {}
    ignored: dict[str, int] = {}
    for row in tested.rows:
        seen: dict[str, Any] = {}
        for name, value in row.items():
            plain = None if is_hole(value) else fixed(value)
            seen[name] = plain if plain is None or name == weight else spelt(plain, tested.kinds[name])
            if "clean" in tested.options and isinstance(seen[name], str):
                seen[name] = by_hand_cleaned(seen[name])
        homeless = next((name for name in by if seen[name] is None), None)
        reasons = set()
        for system in tested.systems:
            group = tuple(seen[name] for name in by)
            if homeless is None:
                tables.setdefault((group, system), {})
            reason = first_reason(seen, (tested.truth, system), weight, homeless)
            if reason:
                reasons.add(reason)
            else:
                cell = (seen[tested.truth], seen[system])
                value = 1 if weight is None else seen[weight]
                cells = tables[group, system]
                cells[cell] = cells.get(cell, 0) + value
        for reason in reasons:
            ignored[reason] = ignored.get(reason, 0) + 1
    if not by:
        for system in tested.systems:
            tables.setdefault(((), system), {})
    filled = {key: {c: v for c, v in cells.items() if v} for key, cells in tables.items()}
    return {"tables": filled, "rows": len(tested.rows), "ignored": ignored}


def same(one: Mapping[Any, Any], other: Mapping[Any, Any]) -> bool:
    """Return True if tables by name are equal, with their labels and ignored rows."""
    return all(
        one[name].truth_labels == other[name].truth_labels
        and one[name].system_labels == other[name].system_labels
        and (one[name].counts == other[name].counts).all()
        and dict(one[name].ignored) == dict(other[name].ignored)
        for name in {*one, *other}
    )


def is_hole(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def first_reason(seen: dict[str, Any], labels: tuple[str, str], weight: str | None, homeless: str | None) -> str:
    if homeless is not None:
        return f"missing group in {homeless!r}"
    for name in labels:
        if seen[name] is None:
            return f"missing label in {name!r}"
    if weight is not None and seen[weight] is None:
        return f"missing weight in {weight!r}"
    return ""


def by_hand_cleaned(text: str) -> str | None:
    return {
        " Cat": "cat",
        "cat ": "cat",
        "CAT": "cat",
        "cat": "cat",
        "cafe\u0301": "caf\u00e9",
        "café": "caf\u00e9",
        "  ": None,
    }[text]


def text_label(value: Any, kind: str) -> str:
    """Return a value as a label of a CSV file: 0.0 and -0.0 beside each other are one class, in its shortest form."""
    return f"{abs(value):g}" if kind == "float" else text_spelling(value, kind)


def text_spelling(value: Any, kind: str) -> str:
    """Return a value as a CSV file, which has no types, writes it."""
    return str(value).lower() if kind == "bool" else str(value)


def without_dates(value: Any, kind: str) -> Any:
    """Return a value as a database without types for dates writes it."""
    return value.isoformat() if kind in {"date", "time", "zoned"} else value


def without_dates_and_booleans(value: Any, kind: str) -> Any:
    return int(value) if kind == "bool" else without_dates(value, kind)
