"""Metrics of label sets and of tracks on their pages: a worked example, and situations in which they mislead."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from infoscope import multilabel, tracking
from infoscope.metrics.registry import Metric

__all__ = ["Pair", "example_of", "pairs_of", "value_of", "worked"]


@dataclass(frozen=True)
class Pair:
    """Two systems on one truth, of which the first tells more."""

    title: str
    better: str
    better_is: str
    worse: str
    worse_is: str
    lesson: str


TOPICS = """\
truth = [{"sport"}, {"sport", "news"}, {"news"}, {"music"}, {"music", "news"}, {"sport"}]
system = [{"sport"}, {"sport"}, {"news"}, {"music"}, {"news"}, {"sport", "news"}]
"""
BOXES = """\
frame, who = np.divmod(np.arange(1000), 10)
truth = np.column_stack([frame, who, 100 * who, 0 * who, 0 * who + 40, 0 * who + 60])
tracks = truth[who != 9]
tracks[(tracks[:, 0] >= 50) & (tracks[:, 1] == 0), 1] = 77
"""
"""Ten objects stand side by side for a hundred frames; one is never seen, and the track of another breaks."""


def _sets(rows: str) -> list[set[str]]:
    return [set(row.split("+")) if row else set() for row in rows.split()]


_RARE = _sets("news " * 14 + "news+fire news+fire news+fire fire fire fire")
_MIXED = _sets("sport sport+news news music music+news sport news music sport+music news")
_SETS: dict[str, tuple[list[set[str]], list[set[str]]]] = {
    "finds the rare": (_RARE, _sets("news " * 11 + "news+fire " * 3 + "news+fire fire news+fire fire news+fire fire")),
    "always frequent": (_RARE, [{"news"}] * 20),
    "as it should be": (_MIXED, [{"news"} if row == {"music", "news"} else row for row in _MIXED]),
    "exchanged": (
        _MIXED,
        [
            {
                {"sport": "news", "news": "sport"}.get(name, name)
                for name in ({"news"} if row == {"music", "news"} else row)
            }
            for row in _MIXED
        ],
    ),
    "everything": (_MIXED, [{"sport", "news", "music"}] * 10),
}
_LABEL_SETS = (
    Pair(
        "a rare category",
        "finds the rare", "finds all fires, with three false alarms",
        "always frequent", "always predicts news",
        "a constant prediction looks good if one category is frequent",
    ),
    Pair(
        "swapped names",
        "as it should be", "misses one category",
        "exchanged", "calls sport news and news sport",
        "it ignores the names of the categories",
    ),
    Pair(
        "everything at once",
        "as it should be", "misses one category",
        "everything", "predicts all categories for every object",
        "it does not penalise predictions in excess",
    ),
)  # fmt: skip
_TRACKS = (
    Pair(
        "identities",
        "one unseen", "misses one of ten objects, and follows the others",
        "shuffled", "sees every box, and gives it a random id",
        "it does not see who is who",
    ),
    Pair(
        "broken tracks",
        "gaps", "misses one box in ten, with the right id otherwise",
        "broken", "sees every box, with new ids every ten frames",
        "it does not see that tracks break",
    ),
)  # fmt: skip


def pairs_of(domain: str) -> tuple[Pair, ...]:
    """The situations of a domain."""
    return _LABEL_SETS if domain == "label_sets" else _TRACKS


@cache
def _boxes() -> dict[str, Any]:
    names: dict[str, Any] = {"np": np}
    exec(BOXES, names)
    truth, frame, who = (names[name] for name in ("truth", "frame", "who"))
    rng = np.random.default_rng(6)
    shuffled, broken = truth.copy(), truth.copy()
    shuffled[:, 1] = np.concatenate([rng.permutation(10) for _ in range(100)])
    broken[:, 1] = who + 10 * (frame // 10)
    gaps = truth[rng.random(len(truth)) > 0.1]
    return {"example": names["tracks"], "truth": truth, "one unseen": truth[who != 9], "shuffled": shuffled,
            "gaps": gaps, "broken": broken}  # fmt: skip


@cache
def _tracked(name: str) -> Mapping[str, Any]:
    found = _boxes()
    return tracking.evaluate(found["truth"], found[name], name="mine")["mine"].metrics


@cache
def _example_sets() -> tuple[Any, Any]:
    names: dict[str, Any] = {}
    exec(TOPICS, names)
    return names["truth"], names["system"]


def value_of(entry: Metric, name: str = "example") -> float:
    """The metric on the worked example, or on a system of a situation."""
    if entry.domain == "tracks":
        return float(_tracked(name)[entry.name].value)
    if hasattr(multilabel, entry.name):
        return float(getattr(multilabel, entry.name)(*_given(name)))
    return float(_evaluated(name).value(entry.name))


def _given(name: str) -> tuple[Any, Any]:
    return _example_sets() if name == "example" else _SETS[name]


@cache
def _evaluated(name: str) -> Any:
    return multilabel.evaluate(*_given(name), draws=0, shuffles=0, splits=0).systems[0]


def example_of(domain: str) -> Iterator[str]:
    """The data of the worked examples, as lines that run."""
    is_sets = domain == "label_sets"
    if is_sets:
        yield "Six articles with one or two topics each; two topics are missed and one is wrong:\n"
    else:
        yield (
            "Ten objects, side by side for a hundred frames. One is never detected, and the track of another breaks "
            "half way:\n"
        )
    yield "```python"
    yield f">>> from infoscope import {'multilabel' if is_sets else 'tracking'}"
    if not is_sets:
        yield ">>> import numpy as np"
    yield from (f">>> {line}" for line in (TOPICS if is_sets else BOXES).splitlines())
    yield "\n```\n"


def worked(entry: Metric) -> Iterator[str]:
    """The call on the example, with the value."""
    yield "```python"
    yield f">>> {_call(entry)}"
    yield repr(round(value_of(entry), 4))
    yield "```\n"


def _call(entry: Metric) -> str:
    if entry.domain == "tracks":
        return f'round(float(tracking.evaluate(truth, tracks, name="mine")["mine"].metrics["{entry.name}"].value), 4)'
    if hasattr(multilabel, entry.name):
        return f"round(float(multilabel.{entry.name}(truth, system)), 4)"
    options = "draws=0, shuffles=0, splits=0"
    return f'round(float(multilabel.evaluate(truth, system, {options}).systems[0].value("{entry.name}")), 4)'
