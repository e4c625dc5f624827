"""Labels: what they may be, how they are ordered, and when two of them are suspiciously alike."""

import datetime
import math
import re
import unicodedata
from collections.abc import Hashable, Iterable, KeysView, Sequence, Set
from decimal import Decimal, InvalidOperation
from typing import Any, TypeAlias

import numpy as np

from infoscope.errors import InputError

Label: TypeAlias = str | int | float | bool | datetime.date
"""A class name. A datetime is a date too; bytes, tuples and other objects are rejected."""

_MISSING_TYPES = {"NoneType", "NAType", "NaTType"}
_KINDS: tuple[tuple[type, str], ...] = (
    (bool, "bool"),
    (int, "int"),
    (float, "float"),
    (str, "text"),
    (datetime.datetime, "time"),
    (datetime.date, "date"),
)
_PLAIN_TYPES = {str, int, bool, datetime.date, datetime.datetime}
"""Types of which every value is a label as it is."""

_SPELLED_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


def is_missing(value: object) -> bool:
    """Return True for a missing label: None, NaN or NaT of any type, or the NA of pandas.

    >>> is_missing(None), is_missing(np.float32("nan")), is_missing(np.datetime64("NaT")), is_missing("")
    (True, True, True, False)
    """
    if type(value).__name__ in _MISSING_TYPES:
        return True
    if isinstance(value, Decimal):
        return value.is_nan()
    return isinstance(value, (float, np.generic)) and bool(value != value)  # noqa: PLR0124 - NaN


def as_label(value: Hashable) -> Label:
    """Return a plain Python label: NumPy scalars are unwrapped, and 1.0 is the whole number 1, as in files.

    >>> as_label(1.0), as_label(0.5), as_label("1.0")
    (1, 0.5, '1.0')
    """
    item = getattr(value, "item", None)
    plain = item() if item is not None else value
    if isinstance(plain, Decimal):
        plain = float(plain) if plain.is_infinite() or plain != plain.to_integral_value() else int(plain)
    if isinstance(plain, float):
        if math.isinf(plain):
            raise InputError("a label is infinite; give finite numbers or text")
        if math.isnan(plain):
            raise _explain_missing(plain)
        return int(plain) if plain.is_integer() else plain
    if isinstance(plain, (str, int, bool, datetime.date)):
        if type(plain) in _PLAIN_TYPES:
            return plain
        # the plain value behind a NumPy text, a member of an enumeration or a pandas timestamp
        if isinstance(plain, (str, int)):
            return str.__str__(plain) if isinstance(plain, str) else int(plain)
        if is_missing(plain):
            raise _explain_missing(plain)
        return plain.to_pydatetime() if hasattr(plain, "to_pydatetime") else plain
    if is_missing(value):
        raise _explain_missing(value)
    raise InputError(
        f"label {plain!r} is of type {type(plain).__name__}; labels are text, whole numbers, "
        "numbers, booleans or dates: convert them to text first"
    )


def _explain_missing(value: object) -> InputError:
    return InputError(f"{value} is the lack of a label; give rows without a label one of their own, for example 'none'")


def as_labels(values: Iterable[Any]) -> tuple[Label, ...]:
    """Return plain labels of many values; a million texts cost no more than a look at their types."""
    labels = tuple(values.tolist() if isinstance(values, np.ndarray) else values)
    return labels if set(map(type, labels)) <= _PLAIN_TYPES else tuple(map(as_label, labels))


def read_stated_classes(labels: Iterable[Any]) -> list[Any]:
    """Return classes as a caller lists them; those of a set, which has no order as a mapping has, are sorted."""
    if isinstance(labels, str):
        raise InputError(f"labels is the text {labels!r}; list the classes, for example labels=['a', 'b']")
    has_no_order = isinstance(labels, Set) and not isinstance(labels, KeysView)
    return list(sorted_labels(as_labels(labels)) if has_no_order else labels)


def kind_of(label: Label) -> str:
    """Return the kind of a label: text, int, float, bool, date or time."""
    return next(name for type_, name in _KINDS if isinstance(label, type_))


def find_positive(labels: Sequence[Label]) -> Label | None:
    """Return the class that binary metrics are about unless one is named; None unless there are two classes.

    It is the one that ``decide_positive`` says. Other labels leave it open: then it is the second in sorted order, as
    ``LabelBinarizer`` has it, and wherever such a number is shown its class is named.

    >>> find_positive(["dog", "cat"])
    'dog'
    """
    if len(labels) != 2:
        return None
    decided = decide_positive(labels)
    return sorted_labels(labels)[-1] if decided is None else decided


def decide_positive(labels: Sequence[Label]) -> Label | None:
    """Return the positive class of two that say themselves which one it is; None where they leave it open.

    As in scikit-learn it is the label 1 or True, else the greater of two numbers; text that spells a number counts as
    that number, since CSV files hold nothing but text. Of yes and no, positive and negative and their like it is the
    first, and of "fraud" and "not fraud" it is "fraud".

    >>> decide_positive([1, 0]), decide_positive(["-1", "1"]), decide_positive([2, 1]), decide_positive(["10", "9"])
    (1, '1', 1, '10')
    >>> decide_positive(["No", "Yes"]), decide_positive(["not_fraud", "fraud"]), decide_positive(["dog", "cat"])
    ('Yes', 'fraud', None)
    """
    if len(labels) != 2:
        return None
    numbers = [_read_number(label) for label in labels]
    ones = [label for label, number in zip(labels, numbers, strict=True) if number == 1]
    if len(ones) == 1:
        return ones[0]
    first, second = numbers
    if first is not None and second is not None and first != second:
        return labels[0] if first > second else labels[1]
    values = [read_truth_value(label) for label in labels]
    if set(values) == {True, False}:
        return labels[values.index(True)]
    for denied, other in (labels, labels[::-1]):
        if isinstance(denied, str) and isinstance(other, str):
            denial = _DENIAL.fullmatch(denied.strip())
            if denial is not None and other.strip().casefold() in [part.casefold() for part in denial.groups() if part]:
                return other
    return None


def read_truth_value(label: Label) -> bool | None:
    """Return the truth value of a label that stands for yes or no in a usual word; None for other labels.

    >>> read_truth_value("Yes"), read_truth_value("0"), read_truth_value(True), read_truth_value("maybe")
    (True, False, True, None)
    """
    number = _read_number(label)
    if number is not None:
        return {1: True, 0: False, -1: False}.get(int(number)) if number == int(number) else None
    word = label.strip().casefold() if isinstance(label, str) else ""
    return True if word in _YES else False if word in _NO else None


_YES = {"yes", "y", "true", "t", "positive", "pos", "+", "on", "present"}
_NO = {"no", "n", "false", "f", "negative", "neg", "-", "off", "absent"}
_DENIAL = re.compile(r"(?:not|no|non)[\s_-]+(.+)|non(.+)", re.IGNORECASE)


def is_one(label: Label) -> bool:
    """Return True if a label is, or spells, 1 or True, the positive class by any rule."""
    return _read_number(label) == 1


def _read_number(label: Label) -> Decimal | None:
    """Return the number that a label is or spells, True being 1; None for any other label."""
    if isinstance(label, (bool, int, float)):
        return Decimal(label)
    text = label.strip().lower() if isinstance(label, str) else ""
    text = {"true": "1", "false": "0"}.get(text, text)
    if not _SPELLED_NUMBER.fullmatch(text):
        return None
    try:
        return Decimal(text)
    except InvalidOperation:  # an exponent beyond all bounds
        return None


def sorted_labels(labels: Iterable[Label]) -> tuple[Label, ...]:
    """Sort numbers by value, text by code point; kinds, where they mix, one after the other."""
    known = list(labels)
    kinds = set(map(type, known))
    if kinds in ({str}, {int}):
        return tuple(sorted(known))
    return tuple(sorted(known, key=lambda label: (_rank_kind(label), label)))


def _rank_kind(label: Label) -> int:
    if isinstance(label, datetime.datetime) and label.tzinfo is not None:
        return 4  # does not compare with a time without a zone
    return {"bool": 0, "int": 1, "float": 1, "date": 2, "time": 3, "text": 5}[kind_of(label)]


def unite_labels(
    truth: Sequence[Label], system: Sequence[Label], reject: Label | None
) -> tuple[tuple[Label, ...], tuple[Label, ...]]:
    """Sort both sides' label sets: the union where they share a label, else each its own.

    A reject label belongs to the system alone and comes last.
    """
    predictions = {label for label in system if label != reject or kind_of(label) != kind_of(reject)}
    true_labels = set(truth)
    last = () if reject is None else (reject,)
    if true_labels.isdisjoint(predictions):
        return sorted_labels(true_labels), (*sorted_labels(predictions), *last)
    both = sorted_labels(true_labels | predictions)
    return both, (*both, *last)


def list_few(labels: Sequence[Label], most: int = 3) -> str:
    """Write the first labels as in Python, and a sign that there are more."""
    return ", ".join(map(repr, labels[:most])) + (", …" if len(labels) > most else "")


def check_unique(labels: Sequence[Label], side: str) -> None:
    """Reject a label that is declared twice."""
    if len(set(labels)) == len(labels):
        return
    seen: set[Label] = set()
    for label in labels:
        if label in seen:
            raise InputError(
                f"{side} label {label!r} is declared twice; each label names one class: "
                "rename one of them, or add their counts first"
            )
        seen.add(label)


def check_kinds(
    truth: Iterable[Label], system: Iterable[Label], *, called: tuple[str, str] = ("truth has", "the system says")
) -> None:
    """Reject 1 on one side and "1" on the other: they look the same and would never match."""
    truth, system = list(truth), list(system)
    if len(set(map(type, truth)) | set(map(type, system))) < 2:
        return
    left = {(str(label), kind_of(label)) for label in truth}
    right = {(str(label), kind_of(label)) for label in system}
    by_text = {_normalize_spelling(text, kind): (text, kind) for text, kind in left}
    for text, kind in sorted(right):
        twin = by_text.get(_normalize_spelling(text, kind))
        if twin is not None and twin[1] != kind:
            raise InputError(
                f"{called[0]} {_quote(*twin)} ({twin[1]}) and {called[1]} {_quote(text, kind)} ({kind}): "
                f"they look alike but are different labels; {_advise_conversion(twin, (text, kind))}"
            )


def check_reject_kind(system: Iterable[Label], reject: Label | None) -> None:
    """Reject a reject label of another kind than a prediction that looks like it: no row would be rejected."""
    labels = list(system)
    if reject is None or set(map(type, labels)) <= {type(reject)}:
        return
    twin = next((label for label in labels if str(label) == str(reject) and kind_of(label) != kind_of(reject)), None)
    if twin is not None:
        raise InputError(
            f"the reject label is {reject!r} ({kind_of(reject)}) and the system says {twin!r} ({kind_of(twin)}): they "
            f"look alike but are different labels; give reject={twin!r}"
        )


def _advise_conversion(one: tuple[str, str], other: tuple[str, str]) -> str:
    """Say what makes one label of both, each given as text and kind."""
    by_kind = {kind: text for text, kind in (one, other)}
    if "text" not in by_kind:
        return "convert both sides to numbers, for example with [float(label) for label in labels]"
    words = by_kind.pop("text")
    (kind, value), *_ = by_kind.items()
    if value == words:
        return "convert both sides to text, for example with [str(label) for label in labels]"
    if words.strip().lower() in {"true", "false"} and kind != "bool":
        return "convert the text to numbers, for example with [int(label.lower() == 'true') for label in labels]"
    if kind == "bool" and words.strip().lower() in {"true", "false"}:
        return "convert both sides to text, for example with [str(label).strip().lower() for label in labels]"
    return "convert both sides to numbers, for example with [float(label) for label in labels]"


def _normalize_spelling(text: str, kind: str) -> str:
    if kind == "bool":
        return "1" if text == "True" else "0"
    folded = text.strip().lower()
    return _TRUTH_VALUES.get(folded, folded.removesuffix(".0"))


def _quote(text: str, kind: str) -> str:
    return repr(text) if kind == "text" else text


def _simplify_number(text: str) -> str:
    """Spell a number in one way, whatever zeros it was written with; return any other text as it is."""
    if not text[-1:].isdigit() or "_" in text:
        return text
    try:
        number = Decimal(text)
    except InvalidOperation:
        return text
    return f"{number.normalize():f}" if abs(number.adjusted()) < _MOST_DIGITS else text


_MOST_DIGITS = 100
_TRUTH_VALUES = {"true": "1", "false": "0"}
_INVISIBLE = dict.fromkeys([0xAD, 0x200B, 0x200E, 0x200F, 0x2060, 0xFEFF])
"""Soft hyphen, spaces without width and marks of direction, which web pages and other people's files bring along."""


def lookalikes(labels: Iterable[Label]) -> list[tuple[str, ...]]:
    """Group text labels that differ only by case, white space (seen or not), unicode form or a number's spelling.

    True and False are spellings of 1 and 0.

    >>> lookalikes(["cat", "Cat ", "dog", "1", "1.0", "True"])
    [('1', '1.0', 'True'), ('Cat ', 'cat')]
    """
    groups: dict[str, set[str]] = {}
    for label in labels:
        if isinstance(label, str):
            folded = " ".join(unicodedata.normalize("NFKC", label).translate(_INVISIBLE).casefold().split())
            groups.setdefault(_TRUTH_VALUES.get(folded, _simplify_number(folded)), set()).add(label)
    return [tuple(sorted(group)) for _, group in sorted(groups.items()) if len(group) > 1]
