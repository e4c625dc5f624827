"""Resolve the columns that options name: lists, patterns, and columns that are guessed where no option names them.

Commands that read rows open their source with ``chosen_columns``. Patterns are expanded from the header of the source;
columns that no option names are guessed by ``readers.columns`` if that is certain, otherwise the user is asked.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import infoscope as ifs
from infoscope.cli.options import read_options, sources, split_names
from infoscope.cli.output import add_finding, command_line, complete_command
from infoscope.cli.process import say
from infoscope.core.files import scratch_folder
from infoscope.errors import InputError, UnknownNameError, list_names

if TYPE_CHECKING:
    from infoscope.readers.columns import ColumnRoles
    from infoscope.readers.files import Files

_STORED_RESULT = re.compile(rb'\s*\{\s*"schema":\s*"infoscope/')
_PATTERN = frozenset("*?[")
_LISTS = ("by", "show", "scores")
"""Options that name several columns which are neither the truth nor a system."""
_SINGLE_COLUMNS = ("weight", "groups", "baseline_system", "by")


@dataclass(frozen=True)
class ChosenColumns:
    """The source of a command, its truth column, and its columns of systems, annotators or scores."""

    source: str | list[str] | Files
    truth: str | None
    systems: list[str]
    read: ifs.ReadOptions
    lists: Mapping[str, list[str]] = field(default_factory=dict)
    """Columns by other options that take several: by, show, scores, judge."""


@contextmanager
def chosen_columns(
    source: Sequence[str], chosen: Mapping[str, Any], *, option: str = "system", needs_truth: bool = True
) -> Iterator[ChosenColumns]:
    """Yield the columns that options name, with "a,b" split, patterns expanded, and the others guessed if certain.

    A column whose name is the word itself takes precedence. The header of the source is read only if the options leave
    a question open; a source that can be read only once is then kept until the command is done.
    """
    words, truth, read = tuple(chosen[option]), chosen.get("truth"), read_options(chosen)
    lists: dict[str, list[str]] = {}
    for name in _LISTS:
        value = chosen.get(name)
        lists[name] = [] if value is None or isinstance(value, str) else list(value)
    judge = chosen.get("judge") or {}
    lists |= {"judge": judge.get("columns", []), "period": [judge["period"]] if "period" in judge else []}
    has_patterns = any(_needs_header(word) for option_words in (words, *lists.values()) for word in option_words)
    missing = _list_missing_roles(truth if needs_truth else "", words, option)
    if chosen.get("key") and not chosen.get("truth_file"):
        raise click.UsageError("--key joins the truth of another file; name it with --truth-file")
    if not missing and not has_patterns and not chosen.get("truth_file"):
        yield ChosenColumns(sources(source), truth, list(words), read, lists)
        return
    if ifs.readers.are_parts(source, read.format):  # files of tables, whose systems have names
        tables = ifs.readers.read_tables(sources(source)) if has_patterns else ()
        names = list(dict.fromkeys(system for _, system in tables))
        yield ChosenColumns(sources(source), truth, _resolve_words(words, names, "SOURCE"), read, {"by": lists["by"]})
        return
    with _open_files(source, chosen, read, missing) as (files, label, read):
        if files is None:  # a table of a database, whose columns nobody knows before it is read
            for word in words:
                if _PATTERN & set(word):
                    raise InputError(
                        f"the columns of this source are not known before it is read; name {word!r} one by one"
                    )
            if truth is None or not words:
                raise click.UsageError(f"name {_list_missing_roles(None, (), option)}")
            split_lists = {
                name: [part for word in list_words for part in split_names(word)] for name, list_words in lists.items()
            }
            systems = [part for word in words for part in split_names(word)]
            yield ChosenColumns(sources(source), truth, systems, read, split_lists)
            return
        columns = _complete(files, label or truth, words, lists, chosen, read, option, needs_truth)
        yield columns if files.titles else replace(columns, source=sources(source))


@contextmanager
def listed_columns(
    source: Sequence[str], chosen: Mapping[str, Any], options: Sequence[str]
) -> Iterator[tuple[str | list[str] | Files, dict[str, list[str]]]]:
    """Yield the source, and the columns that each option lists, with "a,b" split and patterns expanded."""
    words, read = {name: list(chosen[name]) for name in options}, read_options(chosen)
    if not any(_needs_header(word) for option_words in words.values() for word in option_words):
        yield sources(source), words
        return
    with scratch_folder() as folder:
        opened = ifs.readers.engine.open_source(sources(source), read, folder)
        if not isinstance(opened, ifs.readers.files.Files):  # a table of a database
            yield (
                sources(source),
                {name: [part for word in words[name] for part in split_names(word)] for name in options},
            )
            return
        present = ifs.readers.column_names(opened, read, ())
        columns = {name: _resolve_words(words[name], present, opened.name) for name in options}
        yield opened if opened.titles else sources(source), columns


@contextmanager
def _open_files(
    source: Sequence[str], chosen: Mapping[str, Any], read: ifs.ReadOptions, missing: str
) -> Iterator[tuple[Files | None, str | None, ifs.ReadOptions]]:
    """Open the files of a source, with the truth of another file beside them where one is named."""
    if chosen.get("truth_file"):
        options = {"key": chosen["key"], "truth": chosen.get("truth"), "read": read}
        with ifs.readers.join_truth(sources(source), chosen["truth_file"], **options) as joined:
            if chosen["key"] is None:
                complete_command(["--key", joined.key])
            if chosen.get("truth") is None:
                complete_command(["-t", joined.label])
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
            if not missing:
                raise
            raise InputError(f"{error}; also name {missing}") from error
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
    """Resolve words to columns of these files, and guess the columns that no option names."""
    others = [value for name in _SINGLE_COLUMNS if isinstance(value := chosen.get(name), str)]
    plain = [word for option_words in (words, *lists.values()) for word in option_words if not _needs_header(word)]
    named = [*others, *(() if truth is None else (truth,)), *plain]
    present = ifs.readers.column_names(files, read, named)
    ifs.readers.query.pick_columns(named, present, files.name)
    resolved: dict[str, list[str]] = {}
    for name, list_words in lists.items():
        resolved[name] = _resolve_words(
            list_words, present, files.name, [column for column in present if column != truth]
        )
        others += resolved[name]
    free = [name for name in present if name not in (truth, *others)]
    systems = _resolve_words(words, present, files.name, free)
    if not systems or (needs_truth and truth is None):
        unnamed = [name for name in free if name not in systems]
        roles = _guess_open_columns(files, read, option, truth, systems, unnamed, others, chosen)
        truth, systems = roles.truth, list(roles.scores if option == "score" else roles.systems)
        if "scores" in chosen:
            resolved["scores"] = resolved["scores"] or list(roles.system_scores)
    return ChosenColumns(files, truth, systems, read, resolved)


def _needs_header(word: str) -> bool:
    """Return True if a word is a list or a pattern, which only the header of the source resolves."""
    return "," in word or bool(_PATTERN & set(word))


def _resolve_words(
    words: Sequence[str], present: Sequence[str], source: str, free: Sequence[str] | None = None
) -> list[str]:
    """Return the columns that words name, without repetitions where patterns overlap."""
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
    if word in present or not _needs_header(word):
        return [word]
    parts = word.split(",")
    for size in range(len(parts) - 1, 0, -1):  # prefer a name that contains a comma to its parts
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
        raise UnknownNameError(f"{source} has no column that matches {word!r}; {hint}it has {list_names(present)}")
    return matched


def _list_missing_roles(truth: str | None, systems: Sequence[str], option: str) -> str:
    """List the roles that still need a column, with their options; an empty string if there are none."""
    system_option = "a score column with --score" if option == "score" else "a system column with -s"
    missing = [*(() if truth is not None else ("the truth column with -t",)), *(() if systems else (system_option,))]
    return " and ".join(missing)


def _guess_open_columns(
    files: Files,
    read: ifs.ReadOptions,
    option: str,
    truth: str | None,
    systems: list[str],
    unnamed: list[str],
    others: Sequence[str],
    chosen: Mapping[str, Any],
) -> ColumnRoles:
    """Guess the columns that no option names; print reasons and the full command, reject an uncertain guess.

    ``unnamed`` are the columns that may be meant, ``others`` those that options about something else name.
    """
    is_score = option == "score"
    system_flag = "--score" if is_score else "-s"
    if len(unnamed) == 1 and bool(systems) != (truth is not None):
        (column,) = unnamed
        flag, role = ("-t", "truth") if truth is None else (system_flag, "scores" if is_score else "predictions")
        complete_command([flag, column])
        if not chosen.get("quiet"):
            say(f"note: {column!r} is the only column left and is taken as the {role} ({flag} {column})")
        names = tuple(systems) or (column,)
        return ifs.readers.ColumnRoles(truth or column, names, names if is_score else ())

    matrix = ifs.readers.recognise_matrix(files.paths[0]) if len(files.paths) == 1 else None
    if matrix is not None:
        evaluate = f"infoscope evaluate --matrix {shlex.quote(files.name)}"
        advice = f"{command_line()} --matrix" if "matrix" in chosen else evaluate
        raise click.UsageError(f"{files.name} is {matrix}, not rows: {advice}")
    known = [*(() if truth is None else (truth,)), *systems, *others]
    rows = ifs.readers.first_rows(files, read, known=known)
    if rows and not any(rows.values()):
        raise click.UsageError(f"{files.name} has a header ({', '.join(map(repr, rows))}) and no row below it")
    if is_score:
        guess = ifs.readers.guess_score_roles(rows, truth=truth, scores=systems, others=others)
    else:
        guess = ifs.readers.guess_roles(rows, truth=truth, systems=systems, others=others, source=files.name)
    roles = ifs.readers.mention_repeated_names(guess, files, read)

    # the options that state the guess
    guessed_systems = roles.scores if is_score else roles.systems
    options = [] if truth is not None or roles.truth is None else ["-t", roles.truth]
    if not systems:
        options += [word for name in guessed_systems for word in (system_flag, name)]
    if not is_score and "scores" in chosen and not chosen["scores"]:
        options += [word for name in roles.system_scores for word in ("--score", name)]
    if roles.layout is not None and "by" in chosen:
        options += ["--by", roles.layout]

    if not roles.is_sure:
        question = roles.question or ""
        sentence = question[:1].upper() + question[1:]
        if roles.truth is not None and guessed_systems:
            sentence += f"; if it is right: {command_line()} {' '.join(map(shlex.quote, options))}"
        if "matrix" in chosen:
            sentence += "; or say --matrix if SOURCE is a confusion matrix"
        missing = _list_missing_roles(truth, systems, option)
        raise click.UsageError(
            f"name {missing}; SOURCE has {list_names(unnamed) if unnamed else 'no other column'}. {sentence}"
        )
    complete_command(options)
    if not chosen.get("quiet"):
        for line in (*roles.reasons, f"in full: {command_line()}"):
            say(f"note: {line}")
    return roles


# ── a file without a command ─────────────────────────────────────────────────────────────────────────────────────────


def guess_command(name: str, more: Sequence[str]) -> list[str]:
    """Return the command that a file without one most likely asks for, and print it; ``more`` are the words after it.

    A stored result is shown, a matrix or rows with a truth are evaluated, and rows of several annotators are compared
    with each other. If nothing of these is clear, the error lists the commands to choose from.
    """
    path = Path(name)
    if path.is_dir():
        raise InputError(_ask_command(name, "it is a folder", "evaluate {}", "serve {}", "history {}"))
    is_stored = False
    if path.is_file():  # a pipe can be read only once
        try:
            with path.open("rb") as file:
                is_stored = _STORED_RESULT.match(file.read(200)) is not None
        except OSError as problem:
            raise InputError(f"{name} cannot be read: {problem.strerror or problem}") from None
    if is_stored:
        words, what = ["show", name], "a stored result"
    elif ifs.readers.are_parts([name], None):
        words, what = ["evaluate", name], "a stored table"
    elif path.is_file() and (matrix := ifs.readers.recognise_matrix(name)):
        words, what = ["evaluate", "--matrix", name], matrix
    elif not path.is_file() or not _QUIET.issuperset(more):
        words, what = ["evaluate", name], "a file of predictions"
    else:
        roles = ifs.readers.guess_roles(ifs.readers.first_rows(name), source=name)
        if roles.is_sure:
            words, what = ["evaluate", name], "predictions with a truth"
        elif roles.annotators:
            words = ["agree", name, "-s", ",".join(roles.annotators)]
            what = "labels of several annotators, none of them the truth"
        else:
            options = ("evaluate {} -t TRUTH -s SYSTEM", "sweep {} -t TRUTH --score SCORE", "agree {} -s A,B")
            raise InputError(_ask_command(name, roles.question or "", *options, "relate {}"))
    if not set(more) & _QUIET:
        say(f"note: {name} is taken as {what}: infoscope {shlex.join([*words, *more])}")
    return [*words, *more]


_QUIET = {"-q", "--quiet"}


def _ask_command(name: str, why: str, *commands: str) -> str:
    """Write why a file is not enough, and the commands that take it."""
    choices = [f"infoscope {command.format(shlex.quote(name))}" for command in commands]
    return (
        f"it is not clear what to do with {name}: {why}; choose a command: {', '.join(choices[:-1])} or {choices[-1]}"
    )
