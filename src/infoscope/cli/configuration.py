"""Settings of a project: options that every run shall have, from ``infoscope.toml`` or ``[tool.infoscope]``.

What is typed comes first, then the environment (INFOSCOPE_GATE_MIN), then the file.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from infoscope.cli.streams import say
from infoscope.errors import InputError, did_you_mean

__all__ = ["Configuration", "configuration"]

OWN_FILE = "infoscope.toml"
PROJECT_FILE = "pyproject.toml"
_TYPED_ALONE = frozenset({"output", "force", "junit", "sarif", "labels-out", "items"})
"""Options that write files: a folder that was fetched from elsewhere shall replace none."""


@dataclass(frozen=True)
class Configuration:
    """The settings of a file, if there is one."""

    path: Path | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)

    def defaults(self, group: click.Group, context: click.Context, name: str | None) -> dict[str, Any]:
        """Defaults of the command that is called, as click takes them; settings that nothing knows are rejected."""
        command = None if name is None else group.get_command(context, name)
        if command is None or name is None or not self.settings:
            return {}
        names = group.list_commands(context)
        shared = {key: value for key, value in self.settings.items() if key not in names}
        self._check_shared(shared, command, group, context)
        own = self.settings.get(name, {})
        if not isinstance(own, Mapping):
            raise InputError(f"{self.path}: {name} is a command; write its options in a table [{self._table(name)}]")
        options = _options(command)
        for key in (*shared, *own):
            if _key(key) in _TYPED_ALONE:
                raise InputError(
                    f"{self.path}: {key} is no setting, for what is written is decided where the command is typed; "
                    f"remove it here, and type --{_key(key)}"
                )
        for key in own:
            if _key(key) not in options:
                raise InputError(f"{self.path}: {self._unknown(f'{name}.{key}', _key(key), options)}")
        found = {
            str(options[_key(key)].name): _meant(options[_key(key)], key, value)
            for key, value in (*shared.items(), *own.items())
            if _key(key) in options
        }
        known = {str(param.name): param for param in command.params}
        return {name: {key: self._value(context, known[key], value) for key, value in found.items()}}

    def _value(self, context: click.Context, param: click.Parameter, value: Any) -> Any:
        """A value as click takes it, tried here: a fault is of this file, and not of what was typed."""
        given = _given(param, value)
        try:
            _check_kind(param, given)
            param.type_cast_value(context, given)
        except click.BadParameter as problem:
            raise InputError(f"{self.path}: {_shown(param)} is {value!r}: {problem.message.rstrip('.')}") from None
        return given

    def _check_shared(
        self, shared: Mapping[str, Any], command: click.Command, group: click.Group, context: click.Context
    ) -> None:
        """Reject settings that no command has; the others are loaded only where this one does not have it."""
        here = _options(command)
        if all(_key(key) in here for key in shared):
            return
        every: dict[str, click.Parameter] = dict(here)
        names = group.list_commands(context)
        for other in names:
            loaded = group.get_command(context, other)
            every |= {} if loaded is None else _options(loaded)
        for key in shared:
            if _key(key) not in every:
                raise InputError(f"{self.path}: {self._unknown(key, _key(key), [*every, *names])}")

    def _table(self, name: str) -> str:
        own = self.path is not None and self.path.name == OWN_FILE
        return name if own else f"tool.infoscope.{name}"

    @staticmethod
    def _unknown(shown: str, key: str, known: Iterable[str]) -> str:
        hint = did_you_mean(key, known, "`infoscope COMMAND -h` lists the options")
        return f"there is no option {shown!r}; {hint}"


def configuration(stated: str | None) -> Configuration:
    """Return the settings of the named file, else of the nearest one up to the root of the project, else none.

    The root is the first folder with a project file or a repository, or the home folder. Files of other users are left
    alone: in a shared folder anybody could decide what passes.
    """
    if stated is not None:
        path = Path(stated)
        return Configuration(path, _settings(path, required=True) or {})
    folder, home = Path.cwd().resolve(), Path.home().resolve()
    for place in (folder, *folder.parents):
        for name in (OWN_FILE, PROJECT_FILE):
            path = place / name
            if not path.is_file():
                continue
            if not _is_foreign(path):
                if (found := _settings(path, required=False)) is not None:
                    return Configuration(path, found)
                continue
            with suppress(InputError):  # nor does one that cannot be read stop anything
                if _settings(path, required=False) is not None:
                    say(f"warning: the settings {path} belong to another user and are not used; --config uses them")
        if place == home or (place / ".git").exists() or (place / PROJECT_FILE).exists():
            break
    return Configuration()


def _is_foreign(path: Path) -> bool:
    """Whether a file belongs to neither this user nor the system."""
    return hasattr(os, "geteuid") and path.stat().st_uid not in (os.geteuid(), 0)


def _settings(path: Path, *, required: bool) -> Mapping[str, Any] | None:
    """The settings of a file; None for a project file that has none."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise InputError(f"the settings {path} cannot be read; give a TOML file") from None
    own = path.name != PROJECT_FILE
    if not own and "tool.infoscope" not in text:
        return {} if required else None
    try:
        document = tomllib.loads(text)
    except (ValueError, RecursionError) as problem:  # numbers with thousands of digits are a ValueError, too
        reason = "it is nested too deeply" if isinstance(problem, RecursionError) else problem
        raise InputError(f"{path} is not TOML: {reason}; correct it, or leave it out with --no-config") from None
    found = document if own else document.get("tool", {}).get("infoscope")
    if own and set(document) == {"tool"}:  # a file of another name, written as the project's
        found = document["tool"].get("infoscope", {})
    if found is None:
        return {} if required else None
    if not isinstance(found, Mapping):
        raise InputError(f"{path}: tool.infoscope is {found!r}; write a table of options")
    return found


def _options(command: click.Command) -> dict[str, click.Parameter]:
    """Options by the names under which they are typed."""
    return {
        _key(word): param
        for param in command.params
        if isinstance(param, click.Option)
        for word in (*param.opts, *param.secondary_opts)
        if word.startswith("--")
    }


def _check_kind(param: click.Parameter, given: Any) -> None:
    """Reject a value of TOML that click would take for something else, or fail on: it knows text only."""
    several = isinstance(param, click.Option) and param.multiple
    if isinstance(given, list) and not several:
        raise click.BadParameter("it takes one value, not a list")
    for value in given if isinstance(given, list) else [given]:
        is_switch = isinstance(param.type, click.types.BoolParamType)
        if isinstance(value, bool) != is_switch and not (is_switch and isinstance(value, str)):
            raise click.BadParameter("write true or false" if is_switch else "it takes a value, not true or false")
        if isinstance(param.type, click.types.IntParamType) and isinstance(value, float):
            raise click.BadParameter("write a whole number")
        if not isinstance(value, (bool, int, float, str)):
            raise click.BadParameter("it takes text or a number")


def _shown(param: click.Parameter) -> str:
    """The name of an option as a file has it."""
    return next((_key(word) for word in param.opts if word.startswith("--")), str(param.name))


def _meant(param: click.Parameter, key: str, value: Any) -> Any:
    """A value under the first name of its switch: ``no-native = true`` says that ``native`` is false."""
    is_opposite = _key(key) in map(_key, param.secondary_opts)
    return not value if is_opposite and isinstance(value, bool) else value


def _key(word: str) -> str:
    return word.lstrip("-").replace("_", "-")


def _given(param: click.Parameter, value: Any) -> Any:
    """A value as click takes it: a table of limits becomes METRIC=X."""
    if isinstance(value, Mapping):
        return [f"{name}={number}" for name, number in _flat(value)]
    several = isinstance(param, click.Option) and param.multiple
    return [value] if several and not isinstance(value, list) else value


def _flat(table: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """The entries of nested tables under dotted names."""
    for name, value in table.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{before}{name}.")
        else:
            yield f"{before}{name}", value
