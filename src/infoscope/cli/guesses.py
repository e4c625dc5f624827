"""Columns that a command needs and nobody named: the only one left, or a guess, which is said and repeatable."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

import infoscope as ifs
from infoscope.cli.invocation import command_line, complete_command
from infoscope.cli.streams import say
from infoscope.quick_dataclasses import dataclass

if TYPE_CHECKING:
    from infoscope.readers.column_roles import ColumnRoles
    from infoscope.readers.files import Files

__all__ = ["MissingColumns", "wanted_columns"]

_SHOWN = 12


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
        """All roles; the reasons and the command in full are said. What is not sure is asked for."""
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
        shown = ", ".join(map(repr, self.left[:_SHOWN])) + (", …" if len(self.left) > _SHOWN else "")
        matrix = "; or say --matrix if SOURCE is a confusion matrix" if "matrix" in self.chosen else ""
        wanted = wanted_columns(self.truth, self.systems, self.option)
        stated = f"{question[:1].upper()}{question[1:]}{guess}{matrix}"
        return f"name {wanted}; SOURCE has {shown or 'no other column'}. {stated}"

    def _say(self, lines: Sequence[str]) -> None:
        if not self.chosen.get("quiet"):
            for line in lines:
                say(f"note: {line}")
