"""Words of a report: names from the data, terms, emphasis, and the lists that sentences are made of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from infoscope.core.markup import cut_list


@dataclass(frozen=True)
class Name:
    """A name that comes from the data: a system, a class, a file."""

    text: str
    most: int = 32
    """Characters shown where room is short; the whole name is kept where the form can."""

    def __post_init__(self) -> None:
        """A blank name is quoted: nobody sees it otherwise."""
        if not self.text.strip():
            object.__setattr__(self, "text", f"'{self.text}'")


@dataclass(frozen=True)
class Strong:
    """Words in bold."""

    text: str


@dataclass(frozen=True)
class Term:
    """A word that leads to the definition of a metric, where the form has definitions."""

    metric: str
    text: str


@dataclass(frozen=True)
class Code:
    """Something to type."""

    text: str


@dataclass(frozen=True)
class Rest:
    """The end of a list that is cut short, and the same with nothing left out, for text in full (-v)."""

    text: str
    every: str


Inline = str | Name | Strong | Term | Code | Rest
Phrase = Inline | tuple[Inline, ...]


def plain(phrase: Phrase) -> str:
    """The words of a phrase and nothing else."""
    if isinstance(phrase, tuple):
        return "".join(map(plain, phrase))
    return phrase if isinstance(phrase, str) else phrase.text


def enumerated(names: Sequence[str], most: int = 5, width: int = 32) -> tuple[Inline, ...]:
    """Names from the data in a row: "a, b and c", the many cut short."""
    shown = [Name(name, width) for name in names[:most]]
    if len(names) <= most:
        return listing(shown)
    every = f"{''.join(f', {name}' for name in names[most:-1])} and {names[-1]}"
    return (*joined(shown, ", "), Rest(f" and {len(names) - most} more", every))


def listing(parts: Sequence[Phrase]) -> tuple[Inline, ...]:
    """Parts of a sentence in a row: "a, b and c"."""
    if len(parts) < 2:
        return tuple(joined(parts, ""))
    return (*joined(parts[:-1], ", "), " and ", *joined(parts[-1:], ""))


def reason(words: str | None) -> Phrase:
    """Why a number is undefined, with a long list of classes cut short."""
    cut = cut_list(words or "")
    if not cut.others:
        return cut.first
    return cut.first, Rest(cut.more, "".join(f", {name}" for name in cut.others)), cut.after


def joined(parts: Iterable[Phrase], between: str) -> list[Inline]:
    """Parts of a phrase with something between each two."""
    found: list[Inline] = []
    for part in parts:
        found += [between] if found else []
        found += part if isinstance(part, tuple) else [part]
    return found
