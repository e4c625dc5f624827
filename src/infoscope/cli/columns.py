"""Columns as people name them: several in one word, by patterns, guessed, and the only one that is left.

Commands that read rows open their source with ``chosen_columns``. What names leave open is completed from the header of
the source; what nobody named is guessed by ``readers.guess_columns`` where that is sure, and asked for where it is not.
"""

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
from infoscope.cli.options import read_options, sources, split_names
from infoscope.cli.process import say
from infoscope.core.files import scratch_folder
from infoscope.errors import InputError, UnknownNameError

if TYPE_CHECKING:
    from infoscope.readers.files import Files
    from infoscope.readers.guess_columns import ColumnRoles

_PATTERN = frozenset("*?[")
_LISTS = ("by", "show", "scores", "judge", "period")
"""Options that name several columns which are neither the truth nor a system."""
_SINGLE = ("weight", "groups", "baseline_system", "by")
_MAX_SHOWN = 12
"""Columns that a message lists."""


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
    """Yield the columns that options name, with "a,b" split, patterns filled in, and the others guessed where sure.

    A column whose name is the word itself wins. The source is looked at only where the words leave a question; what
    gives its bytes only once is then kept until the command is done.
    """
    words, truth, read = tuple(chosen[option]), chosen.get("truth"), read_options(chosen)
    named = {name: chosen.get(name) for name in _LISTS}
    lists: dict[str, list[str]] = {
        name: [] if value is None or isinstance(value, str) else list(value) for name, value in named.items()
    }
    is_open = any(_is_question(word) for given in (words, *lists.values()) for word in given)
    lacks = wanted_columns(truth if needs_truth else "", words, option)
    if chosen.get("key") and not chosen.get("truth_file"):
        raise click.UsageError("--key joins the truth of another file; name it with --truth-file")
    if not lacks and not is_open and not chosen.get("truth_file"):
        yield ChosenColumns(sources(source), truth, list(words), read, lists)
        return
    if ifs.readers.are_parts(source, chosen["input_format"]):  # files of tables, whose systems have names
        tables = ifs.readers.read_tables(sources(source)) if is_open else ()
        names = list(dict.fromkeys(system for _, system in tables))
        yield ChosenColumns(sources(source), truth, _fill_in(words, names, "SOURCE"), read, {"by": lists["by"]})
        return
    with _open_files(source, chosen, read, lacks) as (files, label, read):
        if files is None:  # a table of a database, whose columns nobody knows before it is read
            for word in words:
                if _PATTERN & set(word):
                    raise InputError(
                        f"the columns of this source are not known before it is read; name {word!r} one by one"
                    )
            if truth is None or not words:
                raise click.UsageError(f"name {wanted_columns(None, (), option)}")
            split = {name: [part for word in given for part in split_names(word)] for name, given in lists.items()}
            systems = [part for word in words for part in split_names(word)]
            yield ChosenColumns(sources(source), truth, systems, read, split)
            return
        columns = _complete(files, label or truth, words, lists, chosen, read, option, needs_truth)
        yield columns if files.titles else replace(columns, source=sources(source))


@contextmanager
def _open_files(
    source: Sequence[str], chosen: Mapping[str, Any], read: ifs.ReadOptions, lacks: str
) -> Iterator[tuple[Files | None, str | None, ifs.ReadOptions]]:
    """Open the files of a source, with the truth of another file beside them where one is named."""
    if chosen.get("truth_file"):
        options = {"key": chosen["key"], "truth": chosen.get("truth"), "read": read}
        with ifs.readers.joined_truth(sources(source), chosen["truth_file"], **options) as joined:
            taken = {"--key": (chosen["key"], joined.key), "-t": (chosen.get("truth"), joined.label)}
            complete_command([word for flag, (given, name) in taken.items() if given is None for word in (flag, name)])
            evidence = {"rows": joined.counts.rows, "unused_keys": joined.counts.unused_keys}
            is_whole = joined.counts.is_whole
            add_finding(ifs.Finding("truth_joined", joined.sentence, "note" if is_whole else "warning", evidence))
            yield joined.files, joined.truth, replace(read, format=None, delimiter=None, encoding=None, sheet=None)
        return
    with scratch_folder() as folder:
        try:
            opened = ifs.readers.engine.open_source(sources(source), read, folder)
            files = opened if isinstance(opened, ifs.readers.files.Files) else None
        except InputError as error:
            if not lacks:
                raise
            raise InputError(f"{error}; also name {lacks}") from error
        yield files, None, read


def _complete(
    files: Files,
    truth: str | None,
    words: Sequence[str],
    lists: Mapping[str, Sequence[str]],
    chosen: Mapping[str, Any],
    read: ifs.ReadOptions,
    option: str,
    needs_truth: bool,
) -> ChosenColumns:
    """Turn words into columns of these files, and guess what is missing."""
    others = [value for name in _SINGLE if isinstance(value := chosen.get(name), str)]
    plain = [word for given in (words, *lists.values()) for word in given if not _is_question(word)]
    present = ifs.readers.column_names(files, read, [*others, *(() if truth is None else (truth,)), *plain])
    filled: dict[str, list[str]] = {}
    for name, given in lists.items():
        filled[name] = _fill_in(given, present, files.name, [column for column in present if column != truth])
        others += filled[name]
    free = [name for name in present if name not in (truth, *others)]
    systems = _fill_in(words, present, files.name, free)
    if not systems or (needs_truth and truth is None):
        left = [name for name in free if name not in systems]
        roles = _Question(option, truth, systems, left, chosen).answer(files, read, others)
        truth, systems = roles.truth, list(roles.scores if option == "score" else roles.systems)
        if "scores" in chosen:
            filled["scores"] = filled["scores"] or list(roles.system_scores)
    return ChosenColumns(files, truth, systems, read, filled)


def _is_question(word: str) -> bool:
    return "," in word or bool(_PATTERN & set(word))


def _fill_in(words: Sequence[str], present: Sequence[str], source: str, free: Sequence[str] | None = None) -> list[str]:
    """Return columns by words, each once where patterns overlap."""
    columns: list[str] = []
    for word in words:
        matched = _match_columns(word, present, present if free is None else free, source)
        columns += matched if matched == [word] else [name for name in dict.fromkeys(matched) if name not in columns]
    return columns


def _match_columns(word: str, present: Sequence[str], free: Sequence[str], source: str) -> list[str]:
    r"""Return the columns that a word names: itself, those of its parts between commas, or those of a pattern.

    >>> names = ["gold", "a", "b,c", "p_1", "p_2"]
    >>> _match_columns("a,b,c,p_*", names, names, "log.csv")
    ['a', 'b,c', 'p_1', 'p_2']
    """
    if word in present or not _is_question(word):
        return [word]
    parts = word.split(",")
    for size in range(len(parts) - 1, 0, -1):  # a name with a comma in it before its parts
        first, rest = ",".join(parts[:size]), ",".join(parts[size:])
        if size == 1 or first in present:
            return [
                *(_match_columns(first.strip(), present, free, source) if first.strip() else []),
                *(_match_columns(rest.strip(), present, free, source) if rest.strip() else []),
            ]
    matched = [name for name in free if fnmatchcase(name, word)]
    if not matched:
        near = get_close_matches(word.strip("*"), present, n=3, cutoff=0.4)
        hint = f"near it are {', '.join(map(repr, near))}; " if near else ""
        raise UnknownNameError(f"{source} has no column that matches {word!r}; {hint}it has {_list_names(present)}")
    return matched


def _list_names(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names[:_MAX_SHOWN])) + (", …" if len(names) > _MAX_SHOWN else "")


def wanted_columns(truth: str | None, systems: Sequence[str], option: str) -> str:
    """Say what is still to be named; nothing where all is."""
    needed = "a score column with --score" if option == "score" else "a system column with -s"
    lacking = [*(() if truth is not None else ("the truth column with -t",)), *(() if systems else (needed,))]
    return " and ".join(lacking)


@dataclass(frozen=True)
class _Question:
    """Columns that nobody named: what is known of the others, and which columns of the source are left."""

    option: str
    truth: str | None
    systems: list[str]
    left: list[str]
    chosen: Mapping[str, Any]

    def answer(self, files: Files, read: ifs.ReadOptions, others: Sequence[str]) -> ColumnRoles:
        """Guess all roles, with the reasons and the whole command as notes; ask for what is not certain."""
        if len(self.left) == 1 and bool(self.systems) != (self.truth is not None):
            return self._take_last_column()
        matrix = ifs.readers.recognised_matrix(files.paths[0]) if len(files.paths) == 1 else None
        if matrix is not None:
            takes = "matrix" in self.chosen
            way = f"{command_line()} --matrix" if takes else f"infoscope evaluate --matrix {shlex.quote(files.name)}"
            raise click.UsageError(f"{files.name} is {matrix}, not rows: {way}")
        rows = ifs.readers.first_rows(files, read)
        if rows and not any(rows.values()):
            raise click.UsageError(f"{files.name} has a header ({', '.join(map(repr, rows))}) and no row below it")
        if self.option == "score":
            guess = ifs.readers.score_roles_of(rows, truth=self.truth, scores=self.systems, others=others)
        else:
            guess = ifs.readers.roles_of(rows, truth=self.truth, systems=self.systems, others=others, source=files.name)
        roles = ifs.readers.with_repeated_names(guess, files, read)
        options = self._spell_options(roles)
        if not roles.is_sure:
            raise click.UsageError(self._ask(roles, options))
        complete_command(options)
        self._note([*roles.reasons, f"in full: {command_line()}"])
        return roles

    def _take_last_column(self) -> ColumnRoles:
        """Take the only column that is left for the role that is open."""
        only = self.left[0]
        if self.truth is None:
            flag, role = "-t", "truth"
        else:
            flag, role = ("--score", "scores") if self.option == "score" else ("-s", "predictions")
        complete_command([flag, only])
        self._note([f"{only!r} is the only column left and is taken as the {role} ({flag} {only})"])
        systems = tuple(self.systems) or (only,)
        return ifs.readers.ColumnRoles(self.truth or only, systems, systems if self.option == "score" else ())

    def _spell_options(self, roles: ColumnRoles) -> list[str]:
        """Return the words that say the guess."""
        words = [] if self.truth is not None or roles.truth is None else ["-t", roles.truth]
        is_score = self.option == "score"
        if not self.systems:
            for name in roles.scores if is_score else roles.systems:
                words += ["--score" if is_score else "-s", name]
        if not is_score and "scores" in self.chosen and not self.chosen["scores"]:
            words += [word for name in roles.system_scores for word in ("--score", name)]
        if roles.layout is not None and "by" in self.chosen:
            words += ["--by", roles.layout]
        return words

    def _ask(self, roles: ColumnRoles, options: Sequence[str]) -> str:
        """Ask for columns, with the guess where there is one, and what the source has."""
        question = roles.question or ""
        guess = ""
        if roles.truth is not None and (roles.scores if self.option == "score" else roles.systems):
            guess = f"; if it is right: {command_line()} {' '.join(map(shlex.quote, options))}"
        matrix = "; or say --matrix if SOURCE is a confusion matrix" if "matrix" in self.chosen else ""
        wanted = wanted_columns(self.truth, self.systems, self.option)
        stated = f"{question[:1].upper()}{question[1:]}{guess}{matrix}"
        return f"name {wanted}; SOURCE has {_list_names(self.left) or 'no other column'}. {stated}"

    def _note(self, lines: Sequence[str]) -> None:
        if not self.chosen.get("quiet"):
            for line in lines:
                say(f"note: {line}")
