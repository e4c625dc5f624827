"""Columns as people name them: several in one word, by patterns, and the only one that is left."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

import click

import infoscope as ifs
from infoscope.cli.options import read_options, sources
from infoscope.cli.streams import say
from infoscope.errors import InputError, UnknownNameError

if TYPE_CHECKING:
    from infoscope.readers.files import Files

__all__ = ["ChosenColumns", "chosen_columns"]

_PATTERN = frozenset("*?[")
_OTHER_COLUMNS = ("weight", "by", "groups", "baseline_system", "show", "scores")
"""Options that name columns which are neither the truth nor a system."""
_SHOWN = 12


@dataclass(frozen=True)
class ChosenColumns:
    """What a command reads: its source, the truth column, and the columns of systems, annotators or scores."""

    source: str | list[str] | Files
    truth: str | None
    systems: list[str]


@contextmanager
def chosen_columns(
    source: Sequence[str], chosen: Mapping[str, Any], *, option: str = "system", needs_truth: bool = True
) -> Iterator[ChosenColumns]:
    """The columns that options name, with "a,b" split, patterns filled in and the only possible column taken.

    A column whose name is the word itself wins. The source is looked at only where the words leave a question; what
    gives its bytes only once is then kept until the command is done.
    """
    words, truth = tuple(chosen[option]), chosen.get("truth")
    lacks = not words or (needs_truth and truth is None)
    if not lacks and not any(map(_is_question, words)):
        yield ChosenColumns(sources(source), truth, list(words))
        return
    if ifs.readers.are_parts(source, chosen["input_format"]):
        names = _systems_of_parts(source) if any(map(_is_question, words)) else ()
        yield ChosenColumns(sources(source), truth, _filled_in(words, names, "SOURCE"))
        return
    with ifs.readers.files.scratch_folder() as folder:
        how = read_options(chosen)
        try:
            files = ifs.readers.reader.files_of(sources(source), how, folder)
        except InputError as error:
            if not lacks:
                raise
            raise InputError(f"{error}; also name {_wanted(truth, words, option)}") from error
        if files is None:
            yield ChosenColumns(sources(source), truth, _split_blindly(words, chosen, option))
            return
        others = _others(chosen)
        known = [*others, *(() if truth is None else (truth,)), *(word for word in words if not _is_question(word))]
        present = ifs.readers.column_names(files, how, known)
        free = [name for name in present if name not in (truth, *others)]
        systems = _filled_in(words, present, files.name, free)
        left = [name for name in free if name not in systems]
        if lacks:
            truth, systems = _completed(truth, systems, left, chosen, option)
        yield ChosenColumns(files if files.titles else sources(source), truth, systems)


def _is_question(word: str) -> bool:
    return "," in word or bool(_PATTERN & set(word))


def _others(chosen: Mapping[str, Any]) -> list[str]:
    """Columns that are named for another purpose."""
    found: list[str] = []
    for name in _OTHER_COLUMNS:
        value = chosen.get(name)
        found += [] if not value else [value] if isinstance(value, str) else list(value)
    return found


def _systems_of_parts(source: Sequence[str]) -> tuple[str, ...]:
    tables = ifs.readers.read_tables(sources(source))
    return tuple(dict.fromkeys(system for _, system in tables))


def _filled_in(
    words: Sequence[str], present: Sequence[str], source: str, free: Sequence[str] | None = None
) -> list[str]:
    """Columns by words, each once where patterns overlap."""
    found: list[str] = []
    for word in words:
        matched = _matched(word, present, present if free is None else free, source)
        found += matched if matched == [word] else [name for name in dict.fromkeys(matched) if name not in found]
    return found


def _matched(word: str, present: Sequence[str], free: Sequence[str], source: str) -> list[str]:
    r"""The columns that a word names: itself, those of its parts between commas, or those of a pattern.

    >>> names = ["gold", "a", "b,c", "p_1", "p_2"]
    >>> _matched("a,b,c,p_*", names, names, "log.csv")
    ['a', 'b,c', 'p_1', 'p_2']
    """
    if word in present or not _is_question(word):
        return [word]
    parts = word.split(",")
    for size in range(len(parts) - 1, 0, -1):  # a name with a comma in it before its parts
        first, rest = ",".join(parts[:size]), ",".join(parts[size:])
        if size == 1 or first in present:
            return [
                *(_matched(first.strip(), present, free, source) if first.strip() else []),
                *(_matched(rest.strip(), present, free, source) if rest.strip() else []),
            ]
    matched = [name for name in free if fnmatchcase(name, word)]
    if not matched:
        near = get_close_matches(word.strip("*"), present, n=3, cutoff=0.4)
        shown = ", ".join(map(repr, present[:_SHOWN])) + (", …" if len(present) > _SHOWN else "")
        hint = f"near it are {', '.join(map(repr, near))}; " if near else ""
        raise UnknownNameError(f"{source} has no column that matches {word!r}; {hint}it has {shown}")
    return matched


def _split_blindly(words: Sequence[str], chosen: Mapping[str, Any], option: str) -> list[str]:
    """Columns of a source whose names nobody knows before it is read, as a table of a database."""
    for word in words:
        if _PATTERN & set(word):
            raise InputError(f"the columns of this source are not known before it is read; name {word!r} one by one")
    if chosen.get("truth") is None or not words:
        raise click.UsageError(f"name the truth column with -t and {_needed(option)}")
    return [part.strip() for word in words for part in word.split(",") if part.strip()]


def _needed(option: str) -> str:
    return "a score column with --score" if option == "score" else "a system column with -s"


def _wanted(truth: str | None, systems: Sequence[str], option: str) -> str:
    """What is still to be named."""
    lacking = [*(() if truth is not None else ("the truth column with -t",)), *(() if systems else (_needed(option),))]
    return " and ".join(lacking)


def _completed(
    truth: str | None, systems: list[str], left: Sequence[str], chosen: Mapping[str, Any], option: str
) -> tuple[str, list[str]]:
    """Truth and systems, with the one that is missing where only one column is left; it is said which was taken."""
    flag = "--score" if option == "score" else "-s"
    if len(left) == 1 and bool(systems) != (truth is not None):
        taken = f"{flag} {left[0]}" if systems == [] else f"-t {left[0]}"
        if not chosen.get("quiet"):
            role = "predictions" if systems == [] else "truth"
            say(f"note: {left[0]!r} is the only column left and is taken as the {role} ({taken})")
        return (left[0], systems) if truth is None else (truth, [left[0]])
    shown = ", ".join(map(repr, left[:_SHOWN])) + (", …" if len(left) > _SHOWN else "")
    matrix = "; or say --matrix if SOURCE is a confusion matrix" if "matrix" in chosen else ""
    raise click.UsageError(f"name {_wanted(truth, systems, option)}; SOURCE has {shown or 'no other column'}{matrix}")
