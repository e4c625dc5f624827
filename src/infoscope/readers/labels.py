"""Labels: the meaning of values in a column, the same on every engine.

Engines count on native types; what a value means is decided here, afterwards, on the distinct values, and on all parts
of a source together, for only all of them tell whether its times are dates. Missing is NULL, None, NaN and NaT. Whole
floats (what pandas makes of integers with a hole) are integers again, columns of nothing but midnights are dates (see
*moments* below), and everything else stays as it is. To read another type of value, extend ``decode_value``; to clean
labels in another way, add a step to ``make_cleaner``. At the end, the same for `Rows` that an engine counted.
"""

from __future__ import annotations

import datetime as dt
import json
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from functools import partial
from math import isfinite
from typing import TYPE_CHECKING, Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from infoscope.errors import Advised, InputError, UnknownNameError
from infoscope.tables.encoding import on_one_calendar
from infoscope.tables.labels import Label, as_label, is_missing, kind_of
from infoscope.tables.rows import Rows
from infoscope.typing import Json

if TYPE_CHECKING:
    from infoscope.readers.query import Query

Cleaning = str | Collection[str]
"""One or several of strip, nfc, casefold, text and number; nothing leaves labels verbatim."""

_TEXT_STEPS: dict[str, Callable[[str], str]] = {
    "strip": str.strip,
    "nfc": lambda text: unicodedata.normalize("NFC", text),
    "casefold": str.casefold,
}
_NONE = type(None)
_TRUTH_VALUES = {"true": 1, "false": 0}
_MOST_DIGITS = 308
"""Text that spells a longer number, as 1e999999999, stays text."""
_STEPS = (*_TEXT_STEPS, "text", "number")
ROWS_OF_PANDAS = "pandas writes one object per row with to_json(orient='records')"
"""Advice about JSON in which the columns are objects, as pandas writes it unless told otherwise."""
CLUSTER_PREFIX = "\0cluster "
"""The start of the name of a cluster, which is thereby no label of a class."""
_SPELLED_NUMBER = re.compile(r"(-?(?:0|[1-9][0-9]*))(\.[0-9]+)?")


def decode_value(value: object, column: str) -> Label | None:
    """Return the label that a native value stands for; None when it is missing.

    >>> decode_value(3.0, "pred"), decode_value(float("nan"), "pred"), decode_value("nan", "pred")
    (3, None, 'nan')
    """
    if is_missing(value):
        return None
    if isinstance(value, (dt.datetime, np.datetime64)):
        return decode_time(value, column)
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, (float, Decimal)):
        return _number(value, column)
    if isinstance(value, (str, bool, int, dt.date)):
        return value
    if isinstance(value, UUID):
        return str(value)
    raise InputError(
        f"column {column!r} holds {value!r}, of type {type(value).__name__}; "
        "labels are text, numbers, booleans or dates"
    )


def decode_values(values: Sequence[Any], column: str, cleaning: Cleaning = ()) -> Sequence[Label | None]:
    """Return the cleaned labels of all distinct values of a column; a million texts cost no more than a look."""
    kinds = set(map(type, values))
    if not cleaning and (kinds <= {str, _NONE} or kinds <= {int, _NONE} or kinds <= {bool, _NONE}):
        return values
    clean = make_cleaner(cleaning)
    return [clean(decode_value(value, column)) for value in values]


def _number(value: float | Decimal, column: str) -> int | float:
    if not isfinite(value):
        raise InputError(f"column {column!r} has an infinite label; labels are finite or text")
    return int(value) if value == int(value) else float(value)


def decode_json(text: str | None) -> Json:
    """Return the value that a piece of JSON stands for.

    >>> decode_json("1"), decode_json('"1"'), decode_json("null")
    (1, '1', None)
    """
    try:
        value = None if text is None else json.loads(text)
    except RecursionError:
        return text
    except ValueError:
        raise InputError(f"a label is a number with {len(str(text))} digits; write it as text") from None
    return text if isinstance(value, (list, dict)) else value


def as_text(label: Label) -> str:
    """Spell numbers, truth values and dates as text.

    >>> as_text(True), as_text(1), as_text(dt.date(2020, 1, 2))
    ('true', '1', '2020-01-02')
    """
    return str(label).lower() if isinstance(label, bool) else str(label)


def rank_labels(labels: Sequence[Label]) -> NDArray[np.int64]:
    """Return the place of each label among all in the order of their text, whatever order they were read in.

    >>> rank_labels(["b", "c", "a"])
    array([1, 2, 0])
    """
    places = np.empty(len(labels), dtype=np.int64)
    places[sorted(range(len(labels)), key=[as_text(label) for label in labels].__getitem__)] = np.arange(len(labels))
    return places


def as_number(label: Label) -> Label:
    """Return the number that a text or a truth value spells; anything else stays as it is.

    >>> as_number("007"), as_number(True), as_number("True"), as_number("2.50"), as_number("cat")
    (7, 1, 1, 2.5, 'cat')
    """
    if isinstance(label, bool):
        return int(label)
    if not isinstance(label, str):
        return label
    text = label.strip()
    if text.lower() in _TRUTH_VALUES:
        return _TRUTH_VALUES[text.lower()]
    try:
        number = Decimal(text)
    except ArithmeticError:
        return label
    return _number(number, label) if number.is_finite() and number.adjusted() <= _MOST_DIGITS else label


def make_cleaner(cleaning: Cleaning) -> Callable[[Label | None], Label | None]:
    """Return the function that cleans labels as the caller asked; a label that is stripped to nothing is missing.

    >>> make_cleaner(["strip", "casefold"])(" Cat ")
    'cat'
    """
    steps = (cleaning,) if isinstance(cleaning, str) else tuple(cleaning)
    for name in steps:
        if name not in _STEPS:
            raise UnknownNameError(f"labels cannot be cleaned by {name!r}; choose from {', '.join(_STEPS)}")

    def clean(label: Label | None) -> Label | None:
        if label is None:
            return None
        if "text" in steps:
            label = as_text(label)
        if isinstance(label, str):
            for name in (step for step in _TEXT_STEPS if step in steps):
                label = _TEXT_STEPS[name](label)
            if not label and "strip" in steps:
                return None
        return as_number(label) if "number" in steps else label

    return clean


def check_comparable(columns: Mapping[str, Sequence[Label | None]], *, can_clean: bool = True) -> None:
    """Reject columns that mix kinds of labels, or whose labels look alike and never match.

    ``can_clean`` says whether the caller could have asked for labels to be cleaned.
    """
    kinds: dict[str, str] = {}
    for name, labels in columns.items():
        types = {type(label): label for label in labels if label is not None}
        examples = {_name_kind(label): label for label in types.values()}
        if len(examples) > 1:
            first, second = list(examples.values())[:2]
            kinds_here = " and ".join(list(examples)[:2])
            what = f"column {name!r} mixes {kinds_here} labels ({first!r} and {second!r}); give it one type"
            raise InputError(_advise_cleaning(what, first, second, can_clean))
        kinds[name] = next(iter(examples), "")
    if set(kinds.values()) >= {"time", "zoned time"}:
        one, other = (next(name for name, kind in kinds.items() if kind == k) for k in ("time", "zoned time"))
        raise InputError(
            f"column {one!r} has times without a zone and column {other!r} has times with one; they never match: "
            "give both columns one type"
        )
    if len(set(kinds.values()) - {""}) < 2:
        return
    first_spelling: dict[str, tuple[str, Label]] = {}
    for name, labels in columns.items():
        for label in labels:
            if label is None:
                continue
            other, value = first_spelling.setdefault(_fold_label(label), (name, label))
            if _name_kind(value) != _name_kind(label):
                what = (
                    f"column {name!r} has {label!r} ({_name_kind(label)}) and column {other!r} has "
                    f"{value!r} ({_name_kind(value)}); they look alike but are different labels: "
                    "give both columns one type"
                )
                raise InputError(_advise_cleaning(what, label, value, can_clean))


def _advise_cleaning(advice: str, one: Label, other: Label, can_clean: bool) -> str:
    """Add the cleaning that gives two labels one kind to an advice, where one does and can be asked for."""
    alike = _fold_label(one) == _fold_label(other)
    for step in ("number", "text") if can_clean else ():
        left, right = map(make_cleaner(step), (one, other))
        if left is None or right is None or _name_kind(left) != _name_kind(right):
            continue
        if left == right or not alike:
            option = f" with --clean {step} (clean={step!r} in Python)"
            return Advised(f"{advice}, or clean labels", terminal=option, page=" under “How labels are read”")
    return advice


def _name_kind(label: Label) -> str:
    if isinstance(label, dt.datetime) and label.tzinfo is not None:
        return "zoned time"
    kind = kind_of(label)
    return "number" if kind in {"int", "float"} else kind


def _fold_label(label: Label) -> str:
    text = as_text(label).strip().lower().removesuffix(" 00:00:00")
    return str(_TRUTH_VALUES.get(text, text.removesuffix(".0")))


def match_label(wanted: Label | None, present: Iterable[Label]) -> Label | None:
    """Return a label as the data has it, or would have it: text of a command line as a number, a number as CSV text.

    A date is the midnight, and a midnight the date, of the labels of this kind.

    >>> match_label("-1", [0, 1, -1]), match_label("-1", [0, 1]), match_label("none", [0, 1])
    (-1, -1, 'none')
    >>> match_label(9, ["0", "1", "9"])
    '9'
    """
    if wanted is None:
        return None
    labels = list(present)
    if not isinstance(wanted, str):
        plain = as_label(wanted)
        if labels and all(isinstance(label, str) for label in labels):
            text = as_text(plain)  # as these texts spell it: 9 is "9", and "9.0" where that alone occurs
            alike = {str(label) for label in labels if _fold_label(label) == _fold_label(text)}
            return text if text in labels or len(alike) != 1 else alike.pop()
        if plain in labels:
            return plain
        return (on_one_calendar((plain,), tuple(labels))[0] or (plain,))[0]
    if wanted in labels:
        return wanted
    same = next((label for label in labels if as_text(label) in (wanted, wanted.removesuffix(".0"))), None)
    if same is not None:
        return same
    kinds = {_name_kind(label) for label in labels}
    with suppress(ValueError, InputError):  # text that cannot be a label of the one kind stays text
        if kinds == {"number"}:
            return as_number(wanted)
        if kinds == {"bool"}:
            return {"true": True, "false": False}.get(wanted.lower(), wanted)
        if kinds == {"date"}:
            return dt.date.fromisoformat(wanted)
        if kinds in ({"time"}, {"zoned time"}):
            return dt.datetime.fromisoformat(wanted)
    return wanted


def suggest_cleaning(groups: Sequence[Sequence[str]]) -> str:
    """Name the option of reading that makes one label of each group; where none does, what to do instead."""
    for steps in _CLEANINGS:
        clean = make_cleaner(steps)
        if all(len({clean(label) for label in group}) == 1 for group in groups):
            options = " ".join(f"--clean {step}" for step in steps)
            return f"for example with {options} (clean={(steps[0] if len(steps) == 1 else steps)!r} in Python)"
    return "in the data: no --clean makes them one"


_CLEANINGS = (("number",), ("strip",), ("casefold",), ("nfc",), ("strip", "casefold"), ("strip", "nfc", "casefold"))


# ── moments: one kind of label a column, no digit and no zone lost on the way ─────────────────────


Decoder = Callable[[Any], Any]
_START = dt.datetime(1970, 1, 1)


def decode_time(value: dt.date | np.datetime64, column: str) -> dt.datetime:
    """Return a plain datetime for one of Python, NumPy or pandas; its zone becomes its distance from UTC.

    >>> decode_time(np.datetime64("2020-01-02T03:04:05.000006000"), "seen")
    datetime.datetime(2020, 1, 2, 3, 4, 5, 6)
    """
    if isinstance(value, np.datetime64):
        rounded = value.astype("M8[us]")
        if rounded != value:
            _reject_finer(value, column)
        value = rounded.item()
        if not isinstance(value, dt.date):
            raise InputError(f"column {column!r} has a time beyond the years 1 to 9999; write it as text")
        return value if isinstance(value, dt.datetime) else dt.datetime(value.year, value.month, value.day)
    if getattr(value, "nanosecond", 0):
        _reject_finer(value, column)
    if type(value) is dt.datetime and value.tzinfo is None:
        return value
    return dt.datetime.fromisoformat(value.isoformat())


def _reject_finer(value: Any, column: str) -> None:
    raise InputError(
        f"column {column!r} has {value}, and labels are exact to the microsecond; round that column, or make it text"
    )


def are_days(values: Iterable[Any]) -> bool:
    """Return True if all moments among some values could be dates: at midnight, without a zone."""
    return all(
        value.tzinfo is None and value.time() == dt.time() and not getattr(value, "nanosecond", 0)
        for value in map(_unwrap_moment, values)
        if isinstance(value, dt.datetime) and value == value  # noqa: PLR0124 - NaT
    )


def as_days(values: Sequence[Any]) -> list[Any]:
    """Return the values with moments as dates.

    >>> as_days([dt.datetime(2020, 1, 2), None])
    [datetime.date(2020, 1, 2), None]
    """
    return [
        value.date() if isinstance(value, dt.datetime) and value == value else value  # noqa: PLR0124 - NaT
        for value in map(_unwrap_moment, values)
    ]


def _unwrap_moment(value: Any) -> Any:
    """Return NumPy's moments as Python's, where that loses nothing."""
    if isinstance(value, np.datetime64) and value.astype("M8[us]") == value:
        return value.astype("M8[us]").item()
    return value


def make_decoders(kinds: dict[str, str]) -> dict[str, tuple[str, Decoder]]:
    """Return for DuckDB's types of columns the function that makes a time a number, and the way back.

    A number says all that a time says, also where the engine would ask for another package to hand it over.
    """
    decoders_by_kind = {
        "TIMESTAMP WITH TIME ZONE": ("epoch_us", 1, dt.UTC),
        "TIMESTAMP_NS": ("epoch_ns", 1000, None),
        "TIMESTAMPTZ_NS": ("epoch_ns", 1000, dt.UTC),
    }
    by_name: dict[str, tuple[str, Decoder]] = {}
    for name, kind in kinds.items():
        if kind in decoders_by_kind:
            function, steps, zone = decoders_by_kind[kind]
            by_name[name] = (function, partial(_decode_count, column=name, steps=steps, zone=zone))
    return by_name


def _decode_count(count: int | None, *, column: str, steps: int, zone: dt.tzinfo | None) -> dt.datetime | None:
    if count is None:
        return None
    microseconds, rest = divmod(count, steps)
    try:
        time = (_START + dt.timedelta(microseconds=microseconds)).replace(tzinfo=zone)
    except OverflowError as error:
        raise InputError(f"column {column!r} has a time beyond the years 1 to 9999; write it as text") from error
    if rest:
        _reject_finer(f"{time:%Y-%m-%dT%H:%M:%S}.{microseconds % 10**6:06}{rest:03}", column)
    return time


# ── rows of native values that an engine counted ─────────────────────────────────────────────────


def decode_texts(rows: Rows, format: str) -> Rows:
    """Return the rows of a file of this format with its texts understood: JSON parsed, empty text missing."""
    if format == "ndjson":
        for name, labels in rows.dictionaries.items():
            if any(isinstance(label, str) and label[:1] in "[{" for label in labels):
                way = f"; {ROWS_OF_PANDAS}" if len(labels) == 1 else ""  # one object with all columns inside
                raise InputError(
                    f"column {name!r} holds lists or records; labels are text, numbers, booleans or dates{way}"
                )
            rows = rows.relabel({name: list(map(decode_json, labels))})
    elif format in ("csv", "tsv"):
        blank = {name: labels for name, labels in rows.dictionaries.items() if "" in labels}
        rows = rows.relabel({name: [label or None for label in labels] for name, labels in blank.items()})
    return rows


def unify_dates(margins: Sequence[Rows], query: Query) -> list[Rows]:
    """Return the rows with midnights as dates, where truth and systems, or a group column, have no other times."""
    moments = (dt.datetime, np.datetime64)
    timed = {
        name
        for rows in margins
        for name, values in rows.dictionaries.items()
        if any(issubclass(kind, moments) for kind in set(map(type, values)))
    }
    days = {name for name in timed if all(are_days(rows.dictionaries.get(name, ())) for rows in margins)}
    if any(name not in query.by for name in timed - days):  # labels are compared with each other
        days &= set(query.by)
    if not days:
        return list(margins)
    return [
        rows.relabel({name: as_days(values) for name, values in rows.dictionaries.items() if name in days})
        for rows in margins
    ]


def unify_whole_numbers(margins: Sequence[Rows], query: Query, format: str) -> list[Rows]:
    """Spell whole numbers of a text file in one way, where its true labels are numbers: 1.0 is 1, as in typed sources.

    Whoever writes integers beside missing values, as pandas does, writes 1.0. Nothing changes where one spelling alone
    occurs, or where a true label is no number, or begins with zeros that a number has not.
    """
    true = {label for rows in margins for label in rows.dictionaries[query.truth]}
    if format not in ("csv", "tsv") or not all(map(_SPELLED_NUMBER.fullmatch, true)):
        return list(margins)
    depth = len(query.by)
    texts = true.union(*(labels for rows in margins for labels in rows.labels[depth:]))
    spelling: dict[str, str] = {}
    for text in texts:
        number = _SPELLED_NUMBER.fullmatch(text)
        if number is not None and not (number[2] or "").strip(".0"):
            spelling[text] = "0" if number[1] == "-0" else number[1]
    if len(set(spelling.values())) == len(spelling):
        return list(margins)
    return [
        rows.relabel(
            {
                name: [spelling.get(text, text) for text in labels]
                for name, labels in rows.dictionaries.items()
                if name not in query.by
            }
        )
        for rows in margins
    ]


def decode_rows(rows: Rows, query: Query) -> Rows:
    """Return the rows with labels for values, cleaned as the query says; reject labels that look alike, or weights."""
    labels = {name: decode_values(values, name, query.clean) for name, values in rows.dictionaries.items()}
    check_comparable({name: labels[name] for name in rows.names if name not in query.by})
    rows = rows.relabel(labels)
    check_weights(rows)
    return rows


def check_weights(rows: Rows) -> None:
    """Reject weights that are negative or infinite, or add up to more than a number can hold, naming such rows."""
    if not rows.is_weighted:
        return
    for kind, bound in (("negative", -np.inf), ("infinite, or their sum is", np.inf)):
        wrong = np.flatnonzero(rows.counts == bound)
        if len(wrong):
            row = [
                None if code < 0 else labels[code]
                for labels, code in zip(rows.labels, rows.codes[:, wrong[0]], strict=True)
            ]
            row = [label.removeprefix(CLUSTER_PREFIX) if isinstance(label, str) else label for label in row]
            where = ", ".join(f"{name} {label!r}" for name, label in zip(rows.names, row, strict=True))
            raise InputError(f"a weight of the rows with {where} is {kind}; weights are finite and not negative")


def match_stated(
    rows: Rows, columns: Sequence[str], reject: Label | None, positive: Label | None
) -> tuple[Label | None, Label | None]:
    """Return the stated labels as these columns spell them in all groups, also where no row has them."""
    labels = [label for name in columns for label in rows.dictionaries[name]]
    return match_label(reject, labels), match_label(positive, labels)
