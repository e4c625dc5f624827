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

from infoscope.cli.options import advice_for
from infoscope.cli.process import say
from infoscope.errors import InputError, did_you_mean

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
        """Return defaults of the command that is called, as click takes them; reject settings that nothing knows."""
        command = None if name is None else group.get_command(context, name)
        if command is None or name is None or not self.settings:
            return {}
        names = group.list_commands(context)
        shared = {key: value for key, value in self.settings.items() if key not in names}
        self._check_shared(shared, command, group, context)
        own = self.settings.get(name, {})
        if not isinstance(own, Mapping):
            is_own_file = self.path is not None and self.path.name == OWN_FILE
            table = name if is_own_file else f"tool.infoscope.{name}"
            raise InputError(f"{self.path}: {name} is a command; write its options in a table [{table}]")
        options = _options_by_word(command)
        for key in (*shared, *own):
            if _option_word(key) in _TYPED_ALONE:
                raise InputError(
                    f"{self.path}: {key} is no setting, for what is written is decided where the command is typed; "
                    f"remove it here, and type --{_option_word(key)}"
                )
        for key in own:
            if _option_word(key) not in options:
                raise InputError(f"{self.path}: {_describe_unknown(f'{name}.{key}', key, options, name)}")
        values: dict[str, Any] = {}
        for key, value in (*shared.items(), *own.items()):
            option = options.get(_option_word(key))
            if option is not None:
                # ``no-header = true`` says that ``header`` is false
                is_opposite = _option_word(key) in map(_option_word, option.secondary_opts) and isinstance(value, bool)
                values[str(option.name)] = self._convert(context, option, not value if is_opposite else value)
        return {name: values}

    def _convert(self, context: click.Context, option: click.Option, value: Any) -> Any:
        """Return a value as click takes it, tried here: a fault is of this file, and not of what was typed."""
        given = value
        if isinstance(value, Mapping):  # a table of limits becomes METRIC=X
            given = [f"{name}={number}" for name, number in _flatten(value)]
        elif option.multiple and not isinstance(value, list):
            given = [value]
        is_switch = isinstance(option.type, click.types.BoolParamType)
        try:  # click would take some values of TOML for something else, or fail on them: it knows text only
            if isinstance(given, list) and not option.multiple:
                raise click.BadParameter("it takes one value, not a list")
            for item in given if isinstance(given, list) else [given]:
                if isinstance(item, bool) != is_switch and not (is_switch and isinstance(item, str)):
                    raise click.BadParameter(
                        "write true or false" if is_switch else "it takes a value, not true or false"
                    )
                if isinstance(option.type, click.types.IntParamType) and isinstance(item, float):
                    raise click.BadParameter("write a whole number")
                if not isinstance(item, (bool, int, float, str)):
                    raise click.BadParameter("it takes text or a number")
            option.type_cast_value(context, given)
        except click.BadParameter as problem:
            shown = next((_option_word(word) for word in option.opts if word.startswith("--")), str(option.name))
            raise InputError(f"{self.path}: {shown} is {given!r}: {problem.message.rstrip('.')}") from None
        return given

    def _check_shared(
        self, shared: Mapping[str, Any], command: click.Command, group: click.Group, context: click.Context
    ) -> None:
        """Reject settings that no command has; the others are loaded only where this one does not have it."""
        options = _options_by_word(command)
        if all(_option_word(key) in options for key in shared):
            return
        names = group.list_commands(context)
        for other in names:
            loaded = group.get_command(context, other)
            options |= {} if loaded is None else _options_by_word(loaded)
        for key in shared:
            if _option_word(key) not in options:
                raise InputError(f"{self.path}: {_describe_unknown(key, key, [*options, *names], 'infoscope')}")


def configuration(stated: str | None) -> Configuration:
    """Return the settings of the named file, else of the nearest one up to the root of the project, else none.

    The root is the first folder with a project file or a repository, or the home folder. Files of other users are left
    alone: in a shared folder anybody could decide what passes.
    """
    if stated is not None:
        path = Path(stated)
        return Configuration(path, _read_settings(path, required=True) or {})
    folder, home = Path.cwd().resolve(), Path.home().resolve()
    for place in (folder, *folder.parents):
        for name in (OWN_FILE, PROJECT_FILE):
            path = place / name
            if not path.is_file():
                continue
            if not hasattr(os, "geteuid") or path.stat().st_uid in (os.geteuid(), 0):
                if (settings := _read_settings(path, required=False)) is not None:
                    return Configuration(path, settings)
                continue
            with suppress(InputError):  # nor does one that cannot be read stop anything
                if _read_settings(path, required=False) is not None:
                    say(f"warning: the settings {path} belong to another user and are not used; --config uses them")
        if place == home or (place / ".git").exists() or (place / PROJECT_FILE).exists():
            break
    return Configuration()


def _read_settings(path: Path, *, required: bool) -> Mapping[str, Any] | None:
    """Return the settings of a file; None for a project file that has none."""
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
    settings = document if own else document.get("tool", {}).get("infoscope")
    if own and set(document) == {"tool"}:  # a file of another name, written as the project's
        settings = document["tool"].get("infoscope", {})
    if settings is None:
        return {} if required else None
    if not isinstance(settings, Mapping):
        raise InputError(f"{path}: tool.infoscope is {settings!r}; write a table of options")
    return settings


def _options_by_word(command: click.Command) -> dict[str, click.Option]:
    """Return options by the names under which they are typed."""
    return {
        _option_word(word): param
        for param in command.params
        if isinstance(param, click.Option)
        for word in (*param.opts, *param.secondary_opts)
        if word.startswith("--")
    }


def _option_word(word: str) -> str:
    return word.lstrip("-").replace("_", "-")


def _describe_unknown(shown: str, key: str, known: Iterable[str], command: str) -> str:
    """Say what to write instead of an option that there is not."""
    if (advice := advice_for(f"--{_option_word(key)}", command)) is not None:
        return advice
    hint = did_you_mean(_option_word(key), known, "`infoscope COMMAND --help-all` lists the options")
    return f"there is no option {shown!r}; {hint}"


def _flatten(table: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the entries of nested tables under dotted names."""
    for name, value in table.items():
        if isinstance(value, Mapping):
            yield from _flatten(value, f"{before}{name}.")
        else:
            yield f"{before}{name}", value
