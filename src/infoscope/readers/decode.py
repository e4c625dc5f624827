"""Decoding: what native values that engines counted mean as labels, and the rows that tables can use.

An engine gives one `Rows` of native values for each margin of a query. Values become labels afterwards, on the distinct
ones and on all parts of a source together, for only all of them tell whether its times are dates. `Joint` holds the
rows of several systems, so that those that predicted the same rows can be paired.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from infoscope.errors import InputError, UnknownNameError
from infoscope.readers.labels import are_days, as_days, check_comparable, decode_json, decode_values, match_label
from infoscope.readers.query import Query
from infoscope.tables import Contingency
from infoscope.tables.counting import warn_of_rows
from infoscope.tables.labels import Label
from infoscope.tables.rows import Group, Rows

CLUSTER_PREFIX = "\0cluster "
"""The start of the name of a cluster, which is thereby no label of a class."""
_NUMBER = re.compile(r"(-?(?:0|[1-9][0-9]*))(\.[0-9]+)?")


# ── what native values mean ───────────────────────────────────────────────────────────────────────


def decode_texts(rows: Rows, format: str) -> Rows:
    """Return the rows of a file of this format with its texts understood: JSON parsed, empty text missing."""
    if format == "ndjson":
        for name, labels in rows.dictionaries.items():
            if any(isinstance(label, str) and label[:1] in "[{" for label in labels):
                raise InputError(f"column {name!r} holds lists or records; labels are text, numbers, booleans or dates")
            rows = rows.relabel({name: list(map(decode_json, labels))})
    elif format in ("csv", "tsv"):
        blank = {name: labels for name, labels in rows.dictionaries.items() if "" in labels}
        rows = rows.relabel({name: [label or None for label in labels] for name, labels in blank.items()})
    return rows


def unify_dates(margins: Sequence[Rows], query: Query) -> list[Rows]:
    """Return the rows with midnights as dates, where truth and systems, or a group column, have no other times."""
    columns: dict[str, list[Any]] = {}
    for rows in margins:
        for name, values in rows.dictionaries.items():
            columns.setdefault(name, []).append(values)
    days = {name: all(not _has_times(v) or are_days(v) for v in lists) for name, lists in columns.items()}
    are_labels_days = all(days[name] for name in columns if name not in query.by)
    whole = {name: days[name] if name in query.by else are_labels_days for name in columns}
    return [
        rows.relabel(
            {name: as_days(values) for name, values in rows.dictionaries.items() if whole[name] and _has_times(values)}
        )
        for rows in margins
    ]


def _has_times(values: Sequence[Any]) -> bool:
    return any(issubclass(kind, (dt.datetime, np.datetime64)) for kind in set(map(type, values)))


def unify_whole_numbers(margins: Sequence[Rows], query: Query, format: str) -> list[Rows]:
    """Spell whole numbers of a text file in one way, where its true labels are numbers: 1.0 is 1, as in typed sources.

    Whoever writes integers beside missing values, as pandas does, writes 1.0. Nothing changes where one spelling alone
    occurs, or where a true label is no number, or begins with zeros that a number has not.
    """
    true = {label for rows in margins for label in rows.dictionaries[query.truth]}
    if format not in ("csv", "tsv") or not all(map(_NUMBER.fullmatch, true)):
        return list(margins)
    depth = len(query.by)
    texts = true.union(*(labels for rows in margins for labels in rows.labels[depth:]))
    spelling: dict[str, str] = {}
    for text in texts:
        number = _NUMBER.fullmatch(text)
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


# ── rows that tables can use ──────────────────────────────────────────────────────────────────────


def match_stated(
    rows: Rows, columns: Sequence[str], reject: Label | None, positive: Label | None
) -> tuple[Label | None, Label | None]:
    """Return the stated labels as these columns spell them in all groups, also where no row has them."""
    labels = [label for name in columns for label in rows.dictionaries[name]]
    return match_label(reject, labels), match_label(positive, labels)


@dataclass(frozen=True)
class Joint:
    """Every system beside the truth; rows that only some systems predicted are kept for those."""

    query: Query
    """The query that counted; where rows are split, that of one group."""
    rows: Rows
    """Rows of native values; the columns have the values of all groups."""

    def table(self, system: str, *, reject: Label | None = None, positive: Label | None = None) -> Contingency:
        """Return the table of one system, from all rows that it predicted; warn of the others."""
        rows, names = self.keep_usable(system), (self.query.truth, system)
        reject, positive = match_stated(rows, names, reject, positive)
        table = rows.table(*names, reject=reject, positive=positive)
        warn_of_rows(table.ignored)
        return table

    def paired(self, *systems: str) -> Rows:
        """Return the rows that all of these systems predicted, with their truth; by default all systems there are."""
        return self.keep_usable(*(systems or self.query.margins[0])).with_used_labels().merge().in_order()

    def keep_usable(self, *systems: str) -> Rows:
        """Return truth and these systems, decoded, over the rows that have them all; equal rows are not added up."""
        counted = self.query.margins[0]
        for name in systems:
            if name not in counted:
                known = ", ".join(map(repr, counted))
                raise UnknownNameError(f"no system {name!r} was read; there is {known}")
        columns = (self.query.truth, *systems)
        rows = decode_rows(self.rows.select(columns, merge=False), self.query)
        return rows.drop_missing(columns).drop_unweighted(f"missing weight in {self.query.weight!r}")


def split_joint(rows: Rows, query: Query) -> tuple[dict[Group, Joint], Mapping[str, int]]:
    """Return one Joint for each group, and the rows without a group by reason.

    The one group of a source that is not split is ().
    """
    if not query.joint:
        raise InputError("joint counts come from rows of all systems together")
    (rows,) = unify_dates([rows], query)
    rows = rows.relabel({name: decode_values(rows.dictionaries[name], name, query.clean) for name in query.by})
    rows = rows.drop_missing(query.by, "missing group in {!r}")
    joints = {group: Joint(replace(query, by=()), part) for group, part in rows.group_by(query.by).items()}
    return joints, rows.ignored
