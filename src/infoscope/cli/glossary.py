"""Words that reports print and that are not the name of one metric, and what scikit-learn calls things.

They are listed in ``infoscope/data/glossary.txt``, one per line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

__all__ = ["FindingEntry", "Word", "findings", "folded", "glossary", "spellings", "word_named"]


@dataclass(frozen=True)
class Word:
    """What a word means, and the metrics to read on."""

    meaning: str
    see: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    """Its spellings, the usual one first."""


_BAR = r"\s+\|\s*|\s*\|\s+"
"""Between the parts of a line; a bar without a space beside it belongs to a symbol, as in H(S|T)."""


@cache
def glossary() -> dict[str, Word]:
    """Every word by its folded spelling."""
    words: dict[str, Word] = {}
    for line in (files("infoscope") / "data" / "glossary.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            names, see, meaning = re.split(_BAR, line, maxsplit=2)
            word = Word(meaning, tuple(_listed(see)), tuple(_listed(names)))
            words |= {folded(name): word for name in _listed(names)}
    for entry in findings():
        word = Word(f"a finding: {entry.when}. What to do: {entry.advice}", names=(entry.code,))
        words.setdefault(folded(entry.code), word)
    return words


@dataclass(frozen=True)
class FindingEntry:
    """What a finding is about: when reports have it, and what to do then."""

    code: str
    when: str
    advice: str
    part: str
    """The part of the package that it belongs to."""


@cache
def findings() -> tuple[FindingEntry, ...]:
    """Every finding that reports may have, as ``infoscope/data/findings.txt`` lists them."""
    found, part = [], ""
    for line in (files("infoscope") / "data" / "findings.txt").read_text(encoding="utf-8").splitlines()[1:]:
        if line.startswith("#"):
            part = line.removeprefix("#").strip()
        elif line:
            code, when, advice = (piece.strip() for piece in line.split(" | "))
            found.append(FindingEntry(code, when, advice, part))
    return tuple(found)


def _listed(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def folded(name: str) -> str:
    """A name without the differences that do not matter: case, underscores, hyphens, a possessive."""
    plain = name.casefold().replace("_", " ").replace("-", " ").replace("normalised", "normalized")
    return " ".join(re.sub(r"[’']s\b", "", plain).strip(" .:").split())


_AROUND = (
    r", (the .* first|and where .*)$",
    r"^all \d+ ",
    r"(?<= look) at .*$",
    r"[?]$",
    r" scorer?$",
    r"^neg ",
    r", (bits|nats|points|relative|planned).*$",
    r", (mean|std dev)$",
    r"^std dev of ",
    r" over (\d+ )?random splits in halves$",
    r" of reassignment \[.*$",
    r" (against the random labeler|of the worthless predictor.*)$",
    r" [a-z]\([a-z][;|][a-z]\)$",
    r" (of|than) ['‘“\"].*$",
    r" than .*$",
    r"(?<=^predicted) .*$",
    r" of \S+$",
    r" per [\d,]+ rows$",
    r"^\d+(\.\d+)?% ",
    r" \([^()]*\)$",
)
"""What stands around a word in tables and in scikit-learn: endings, units, classes, systems, levels, symbols."""


def spellings(name: str) -> Iterator[str]:
    """A name as it is, then without what stands around it."""
    plain = folded(name)
    yield plain
    for pattern in _AROUND:
        shorter = re.sub(pattern, "", plain)
        if shorter != plain:
            yield from spellings(shorter)


def word_named(name: str) -> Word | None:
    """The entry of a word, however it is spelt; None where there is none."""
    return next((glossary()[spelling] for spelling in spellings(name) if spelling in glossary()), None)
