"""What an .ifs file says of the columns of judged rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from infoscope.errors import InputError
from infoscope.records import FLAG, TEXT, Each, Fields, Maybe, Named, checked
from infoscope.tables.ifs_checks import label_from_json, label_to_json
from infoscope.typing import Json

__all__ = ["STORED", "stored_drawn_by", "stored_facts", "stored_keywords"]

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
    return tuple(checked(record, _FACTS, "its metadata").get("drawn_by") or ())


def stored_keywords(record: Json) -> dict[str, Any]:
    """The facts of a record, checked."""
    facts = checked(record, _FACTS, "its metadata")
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
