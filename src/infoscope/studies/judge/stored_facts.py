"""What an .ifs file says of judged rows: their columns, and the labels that there were before more were asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from infoscope.core.records import FLAG, TEXT, Each, Fields, Maybe, Named, check_record
from infoscope.errors import InputError
from infoscope.tables.ifs_file import label_from_json, label_to_json
from infoscope.tables.labels import Label
from infoscope.tables.rows import Patterns
from infoscope.typing import Json

__all__ = ["STORED", "stored_drawn_by", "stored_facts", "stored_keywords", "with_first_labels", "without_first_labels"]

STORED = ("truth", "judges", "systems", "says", "reject", "positive", "population", "groups", "by")
"""What is stored beside the counts, and must be the same in parts that are added."""
_FACTS = Fields(
    {
        "kind": TEXT,
        "truth": TEXT,
        "judges": Each(TEXT),
        "systems": Each(TEXT),
        "says": Named(TEXT),
        "graded": FLAG,
        "reject": Maybe(TEXT),
        "positive": Maybe(TEXT),
        "population": TEXT,
        "groups": Maybe(TEXT),
    },
    {"first_truth": TEXT, "drawn_by": Each(TEXT), "by": Each(TEXT)},
)


def stored_facts(facts: Mapping[str, Any]) -> dict[str, Json]:
    """The facts as JSON."""
    says = facts["says"] if isinstance(facts["says"], Mapping) else {}
    return {
        "kind": "judged",
        "truth": facts["truth"],
        "judges": list(facts["judges"]),
        "systems": list(facts["systems"]),
        "says": {word: label_to_json(label) for word, label in says.items()},
        "graded": facts["says"] == "score",
        "reject": None if facts["reject"] is None else label_to_json(facts["reject"]),
        "positive": None if facts["positive"] is None else label_to_json(facts["positive"]),
        "population": facts["population"],
        "groups": facts["groups"],
        "by": list(facts["by"]),
    }


def stored_drawn_by(record: Json) -> tuple[str, ...]:
    """The system by whose predictions labels were asked for, and its judges, by a record."""
    return tuple(check_record(record, _FACTS, "its metadata").get("drawn_by") or ())


def stored_keywords(record: Json) -> dict[str, Any]:
    """The facts of a record, checked."""
    facts = check_record(record, _FACTS, "its metadata")
    if facts["population"] not in ("all", "unlabelled"):
        raise InputError(f"its population is {facts['population']!r}; it is 'all' or 'unlabelled'")
    labels = {name: None if facts[name] is None else label_from_json(facts[name]) for name in ("reject", "positive")}
    says = {word: label_from_json(text) for word, text in facts["says"].items()}
    return {
        "truth": facts["truth"],
        "judges": tuple(facts["judges"]),
        "systems": tuple(facts["systems"]),
        "says": says or ("score" if facts["graded"] else None),
        "population": facts["population"],
        "groups": facts["groups"],
        "by": tuple(facts.get("by") or ()),
        **labels,
    }


Row = tuple[Label | None, ...]


def with_first_labels(patterns: Patterns, first: Patterns) -> tuple[Patterns, str]:
    """The rows with the label that each had in ``first``, where some had none yet; and the name of that column.

    The truth is the first column of both.
    """
    name = f"first {patterns.names[0]}"
    while name in patterns.names:
        name += "_"
    before = dict(zip(_rows(first.select(patterns.names)), first.counts.tolist(), strict=True))
    counts: Counter[Row] = Counter()
    for row, count in zip(_rows(patterns), patterns.counts.tolist(), strict=True):
        known = 0 if row[0] is None else min(before.get(row, 0), count)
        counts[*row, row[0]] += known
        counts[*row, None] += count - known
    rows = [row for row, count in counts.items() if count]
    labels = {**dict(zip(patterns.names, patterns.labels, strict=True)), name: patterns.labels[0]}
    places = [{label: at for at, label in enumerate(known)} for known in labels.values()]
    codes = [[-1 if label is None else place[label] for place, label in zip(places, row, strict=True)] for row in rows]
    return Patterns.from_codes(labels, np.array(codes, dtype=np.int64).T, np.array([counts[row] for row in rows])), name


def without_first_labels(patterns: Patterns, name: str) -> tuple[Patterns, Patterns]:
    """The rows with the labels that they have, and with those that they had."""
    names = tuple(column for column in patterns.names if column != name)
    first = replace(patterns.select((name, *names[1:])), names=names)
    return patterns.select(names), first.with_used_labels()


def _rows(patterns: Patterns) -> list[Row]:
    columns = [
        [None if code < 0 else known[code] for code in codes]
        for known, codes in zip(patterns.labels, patterns.codes.tolist(), strict=True)
    ]
    return list(zip(*columns, strict=True))
