"""Columns as people name them: several in one word, by patterns, and the only one that is left."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

import click

import infoscope as ifs
from infoscope.cli.invocation import add_finding, command_line, complete_command
from infoscope.cli.options import read_options, sources
from infoscope.cli.streams import say
from infoscope.core.files import scratch_folder
from infoscope.errors import InputError, UnknownNameError

if TYPE_CHECKING:
    from infoscope.readers.files import Files
    from infoscope.readers.guess_columns import ColumnRoles

__all__ = ["ChosenColumns", "MissingColumns", "chosen_columns", "wanted_columns"]

_PATTERN = frozenset("*?[")
_LISTS = ("by", "show", "scores", "judge", "period")
"""Options that name several columns which are neither the truth nor a system."""
_SINGLE = ("weight", "groups", "baseline_system", "by")
_SHOWN = 12


@dataclass(frozen=True)
class ChosenColumns:
    """What a command reads: its source, the truth column, and the columns of systems, annotators or scores."""

    source: str | list[str] | Files
    truth: str | None
    systems: list[str]
    read: ifs.ReadOptions
    lists: Mapping[str, list[str]] = field(default_factory=dict)
    """Columns by other options that take several: by, show, scores."""


@contextmanager
def chosen_columns(
    source: Sequence[str], chosen: Mapping[str, Any], *, option: str = "system", needs_truth: bool = True
) -> Iterator[ChosenColumns]:
    """The columns that options name, with "a,b" split, patterns filled in, and the others guessed where that is sure.

    A column whose name is the word itself wins. The source is looked at only where the words leave a question; what
    gives its bytes only once is then kept until the command is done.
    """
    words, truth, how = tuple(chosen[option]), chosen.get("truth"), read_options(chosen)
    lists = {name: _several(chosen.get(name)) for name in _LISTS}
    asked = any(_is_question(word) for word in (*words, *(word for given in lists.values() for word in given)))
    lacks = not words or (needs_truth and truth is None)
    if chosen.get("key") and not chosen.get("truth_file"):
        raise click.UsageError("--key joins the truth of another file; name it with --truth-file")
    if not lacks and not asked and not chosen.get("truth_file"):
        plain = {name: list(given) for name, given in lists.items()}
        yield ChosenColumns(sources(source), truth, list(words), how, plain)
        return
    if ifs.readers.are_parts(source, chosen["input_format"]):
        names = _systems_of_parts(source) if asked else ()
        systems = _filled_in(words, names, "SOURCE")
        yield ChosenColumns(sources(source), truth, systems, how, {"by": list(lists["by"])})
        return
    with _opened(source, chosen, lacks=wanted_columns(truth, words, option) if lacks else "") as (files, label, how):
        if files is None:
            split = _split_blindly(words, chosen, option)
            lists_split = {name: _split(given) for name, given in lists.items()}
            yield ChosenColumns(sources(source), truth, split, how, lists_split)
            return
        found = _completed(_Words(option, words, lists, chosen, how), files, label or truth, needs_truth=needs_truth)
        yield found if files.titles else replace(found, source=sources(source))


@contextmanager
def _opened(
    source: Sequence[str], chosen: Mapping[str, Any], *, lacks: str
) -> Iterator[tuple[Files | None, str | None, ifs.ReadOptions]]:
    """The files of a source and how they are read, with the truth of another file beside them where one is named."""
    how = read_options(chosen)
    if chosen.get("truth_file"):
        options = {"key": chosen["key"], "truth": chosen.get("truth"), "read": how}
        with ifs.readers.joined_truth(sources(source), chosen["truth_file"], **options) as joined:
            said = {"--key": (chosen["key"], joined.key), "-t": (chosen.get("truth"), joined.label)}
            complete_command([word for flag, (given, taken) in said.items() if given is None for word in (flag, taken)])
            whole = joined.counts.is_whole
            evidence = {"rows": joined.counts.rows, "unused_keys": joined.counts.unused_keys}
            add_finding(ifs.Finding("truth_joined", joined.sentence, "note" if whole else "warning", evidence))
            yield joined.files, joined.truth, replace(how, format=None, delimiter=None, encoding=None, sheet=None)
        return
    with scratch_folder() as folder:
        try:
            opened = ifs.readers.engine.open_source(sources(source), how, folder)
            files = opened if isinstance(opened, ifs.readers.files.Files) else None
        except InputError as error:
            if not lacks:
                raise
            raise InputError(f"{error}; also name {lacks}") from error
        yield files, None, how


@dataclass(frozen=True)
class _Words:
    """What was said about columns."""

    option: str
    words: Sequence[str]
    lists: Mapping[str, Sequence[str]]
    chosen: Mapping[str, Any]
    read: ifs.ReadOptions

    @property
    def singles(self) -> list[str]:
        """Columns that are named for another purpose, one by one."""
        return [value for name in _SINGLE if isinstance(value := self.chosen.get(name), str)]


def _completed(said: _Words, files: Files, truth: str | None, *, needs_truth: bool) -> ChosenColumns:
    """Words as columns, and what is missing guessed."""
    chosen = said.chosen
    plain = [
        word for word in (*said.words, *(w for given in said.lists.values() for w in given)) if not _is_question(word)
    ]
    known = [*said.singles, *(() if truth is None else (truth,)), *plain]
    present = ifs.readers.column_names(files, said.read, known)
    others = [*said.singles]
    lists: dict[str, list[str]] = {}
    for name, given in said.lists.items():
        lists[name] = _filled_in(given, present, files.name, [each for each in present if each != truth])
        others += lists[name]
    free = [name for name in present if name not in (truth, *others)]
    systems = _filled_in(said.words, present, files.name, free)
    if not systems or (needs_truth and truth is None):
        left = [name for name in free if name not in systems]
        missing = MissingColumns(said.option, truth, systems, left, chosen)
        roles = missing.filled(files, said.read, others)
        truth, systems = roles.truth, list(roles.scores if said.option == "score" else roles.systems)
        if "scores" in chosen:
            lists["scores"] = lists["scores"] or list(roles.system_scores)
    return ChosenColumns(files, truth, systems, said.read, lists)


def _several(given: Sequence[str] | str | None) -> tuple[str, ...]:
    """The words of an option that takes several; one that takes a single column has none of them."""
    return () if given is None or isinstance(given, str) else tuple(given)


def _is_question(word: str) -> bool:
    return "," in word or bool(_PATTERN & set(word))


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
        raise click.UsageError(f"name {wanted_columns(None, (), option)}")
    return _split(words)


def _split(words: Sequence[str]) -> list[str]:
    return [part.strip() for word in words for part in word.split(",") if part.strip()]


_SHOWN_COLUMNS = 12


def wanted_columns(truth: str | None, systems: Sequence[str], option: str) -> str:
    """What is still to be named."""
    needed = "a score column with --score" if option == "score" else "a system column with -s"
    lacking = [*(() if truth is not None else ("the truth column with -t",)), *(() if systems else (needed,))]
    return " and ".join(lacking)


@dataclass(frozen=True)
class MissingColumns:
    """What is known of the columns of a command, and which of the source are left."""

    option: str
    truth: str | None
    systems: list[str]
    left: list[str]
    chosen: Mapping[str, Any]

    def filled(self, files: Files, read: ifs.ReadOptions, others: Sequence[str]) -> ColumnRoles:
        """All roles, with the reasons and the whole command as notes; what is not certain is asked for."""
        if len(self.left) == 1 and bool(self.systems) != (self.truth is not None):
            return self._only_one()
        self._check_matrix(files)
        rows = ifs.readers.first_rows(files, read)
        if rows and not any(rows.values()):
            raise click.UsageError(f"{files.name} has a header ({', '.join(map(repr, rows))}) and no row below it")
        roles = ifs.readers.with_repeated_names(self._guessed(rows, others, files.name), files, read)
        options = self._options(roles)
        if not roles.is_sure:
            raise click.UsageError(self._asked(roles, options))
        complete_command(options)
        self._say([*roles.reasons, f"in full: {command_line()}"])
        return roles

    def _check_matrix(self, files: Files) -> None:
        """Name a confusion matrix for what it is, with the command that reads it."""
        found = ifs.readers.recognised_matrix(files.paths[0]) if len(files.paths) == 1 else None
        if found is not None:
            takes = "matrix" in self.chosen
            way = f"{command_line()} --matrix" if takes else f"infoscope evaluate --matrix {shlex.quote(files.name)}"
            raise click.UsageError(f"{files.name} is {found}, not rows: {way}")

    def _only_one(self) -> ColumnRoles:
        only = self.left[0]
        flag, role = (self._flag, "predictions") if self.truth is not None else ("-t", "truth")
        role = "scores" if flag == "--score" else role
        complete_command([flag, only])
        self._say([f"{only!r} is the only column left and is taken as the {role} ({flag} {only})"])
        systems = tuple(self.systems) or (only,)
        return ifs.readers.ColumnRoles(self.truth or only, systems, systems if self.option == "score" else ())

    def _guessed(self, rows: Mapping[str, Sequence[Any]], others: Sequence[str], source: str) -> ColumnRoles:
        if self.option == "score":
            return ifs.readers.score_roles_of(rows, truth=self.truth, scores=self.systems, others=others)
        return ifs.readers.roles_of(rows, truth=self.truth, systems=self.systems, others=others, source=source)

    @property
    def _flag(self) -> str:
        return "--score" if self.option == "score" else "-s"

    def _options(self, roles: ColumnRoles) -> list[str]:
        """The words that say the guess."""
        words = [] if self.truth is not None or roles.truth is None else ["-t", roles.truth]
        found = roles.scores if self.option == "score" else roles.systems
        if not self.systems:
            words += [word for name in found for word in (self._flag, name)]
        if self._takes_score:
            words += [word for name in roles.system_scores for word in ("--score", name)]
        if roles.layout is not None and "by" in self.chosen:
            words += ["--by", roles.layout]
        return words

    @property
    def _takes_score(self) -> bool:
        return self.option != "score" and "scores" in self.chosen and not self.chosen["scores"]

    def _asked(self, roles: ColumnRoles, options: Sequence[str]) -> str:
        """The question, the guess where there is one, and what the source has."""
        question = roles.question or ""
        guess = ""
        if roles.truth is not None and (roles.scores if self.option == "score" else roles.systems):
            guess = f"; if it is right: {command_line()} {' '.join(map(shlex.quote, options))}"
        shown = ", ".join(map(repr, self.left[:_SHOWN_COLUMNS])) + (", …" if len(self.left) > _SHOWN_COLUMNS else "")
        matrix = "; or say --matrix if SOURCE is a confusion matrix" if "matrix" in self.chosen else ""
        wanted = wanted_columns(self.truth, self.systems, self.option)
        stated = f"{question[:1].upper()}{question[1:]}{guess}{matrix}"
        return f"name {wanted}; SOURCE has {shown or 'no other column'}. {stated}"

    def _say(self, lines: Sequence[str]) -> None:
        if not self.chosen.get("quiet"):
            for line in lines:
                say(f"note: {line}")
