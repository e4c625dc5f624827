"""Settings of a project: default options from ``infoscope.toml`` or ``[tool.infoscope]`` of ``pyproject.toml``.

Options on the command line take precedence, then the environment (INFOSCOPE_GATE_MIN), then the file.
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
_COMMAND_LINE_ONLY = frozenset({"output", "force", "junit", "sarif", "labels-out"})
"""Options that write files, so that a downloaded folder cannot overwrite any."""
_WITH_HEADLINE = ("evaluate", "compare")
"""Commands whose first numbers the setting ``headline`` chooses for a whole project, as --metric does for once."""


@dataclass(frozen=True)
class Configuration:
    """The settings of a file, if there is one."""

    path: Path | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)

    def defaults(self, group: click.Group, context: click.Context, name: str | None) -> dict[str, Any]:
        """Return the defaults of a command as click takes them; reject unknown settings."""
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
        options = _map_options(command)
        for key in (*shared, *own):
            if _normalize_name(key) in _COMMAND_LINE_ONLY:
                raise InputError(
                    f"{self.path}: {key} is no setting, for what is written is decided where the command is typed; "
                    f"remove it here, and type --{_normalize_name(key)}"
                )
        for key in own:
            if _normalize_name(key) not in options:
                raise InputError(f"{self.path}: {_describe_unknown(f'{name}.{key}', key, options, name)}")
        values: dict[str, Any] = {}
        for key, value in (*shared.items(), *own.items()):
            option = options.get(_normalize_name(key))
            if option is not None:
                # ``no-header = true`` says that ``header`` is false
                opposites = map(_normalize_name, option.secondary_opts)
                is_opposite = isinstance(value, bool) and _normalize_name(key) in opposites
                values[str(option.name)] = self._convert(context, option, not value if is_opposite else value)
        return {name: values}

    def _convert(self, context: click.Context, option: click.Option, value: Any) -> Any:
        """Return a value as click takes it; convert it once, so that an error names this file."""
        converted = value
        if isinstance(value, Mapping):  # a table of limits becomes METRIC=X
            converted = [f"{name}={number}" for name, number in _flatten(value)]
        elif option.multiple and not isinstance(value, list):
            converted = [value]
        is_switch = isinstance(option.type, click.types.BoolParamType)
        try:  # click expects text: it would misread some values of TOML, or fail on them
            if isinstance(converted, list) and not option.multiple:
                raise click.BadParameter("it takes one value, not a list")
            for item in converted if isinstance(converted, list) else [converted]:
                if isinstance(item, bool) != is_switch and not (is_switch and isinstance(item, str)):
                    raise click.BadParameter(
                        "write true or false" if is_switch else "it takes a value, not true or false"
                    )
                if isinstance(option.type, click.types.IntParamType) and isinstance(item, float):
                    raise click.BadParameter("write a whole number")
                if not isinstance(item, (bool, int, float, str)):
                    raise click.BadParameter("it takes text or a number")
            option.type_cast_value(context, converted)
        except click.BadParameter as problem:
            name = next((_normalize_name(word) for word in option.opts if word.startswith("--")), str(option.name))
            raise InputError(f"{self.path}: {name} is {converted!r}: {problem.message.rstrip('.')}") from None
        return converted

    def _check_shared(
        self, shared: Mapping[str, Any], command: click.Command, group: click.Group, context: click.Context
    ) -> None:
        """Reject settings that no command has; load other commands only if this one lacks a setting."""
        options = _map_options(command)
        if all(_normalize_name(key) in options for key in shared):
            return
        names = group.list_commands(context)
        for other in names:
            loaded = group.get_command(context, other)
            options |= {} if loaded is None else _map_options(loaded)
        for key in shared:
            if _normalize_name(key) not in options:
                raise InputError(f"{self.path}: {_describe_unknown(key, key, [*options, *names], 'infoscope')}")


def read_configuration(stated_path: str | None) -> Configuration:
    """Read the settings of the stated file, else of the nearest one up to the root of the project.

    The root is the first folder with a project file or a repository, or the home folder. Files of other users are
    ignored: in a shared folder anybody could decide what passes.
    """
    if stated_path is not None:
        path = Path(stated_path)
        return Configuration(path, _read_settings(path, required=True) or {})
    folder, home = Path.cwd().resolve(), Path.home().resolve()
    for parent in (folder, *folder.parents):
        for name in (OWN_FILE, PROJECT_FILE):
            path = parent / name
            if not path.is_file():
                continue
            if not hasattr(os, "geteuid") or path.stat().st_uid in (os.geteuid(), 0):
                if (settings := _read_settings(path, required=False)) is not None:
                    return Configuration(path, settings)
                continue
            with suppress(InputError):  # an unreadable file of another user stops nothing
                if _read_settings(path, required=False) is not None:
                    say(f"warning: the settings {path} belong to another user and are not used; --config uses them")
        if parent == home or (parent / ".git").exists() or (parent / PROJECT_FILE).exists():
            break
    return Configuration()


def _read_settings(path: Path, *, required: bool) -> Mapping[str, Any] | None:
    """Read the settings of a file; None for a project file without any."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise InputError(f"the settings {path} cannot be read; give a TOML file") from None
    is_own_file = path.name != PROJECT_FILE
    if not is_own_file and "tool.infoscope" not in text:
        return {} if required else None
    try:
        document = tomllib.loads(text)
    except (ValueError, RecursionError) as problem:  # numbers with thousands of digits are a ValueError, too
        reason = "it is nested too deeply" if isinstance(problem, RecursionError) else problem
        raise InputError(f"{path} is not TOML: {reason}; correct it, or leave it out with --no-config") from None
    settings = document if is_own_file else document.get("tool", {}).get("infoscope")
    if is_own_file and set(document) == {"tool"}:  # a file of another name with the table of a project file
        settings = document["tool"].get("infoscope", {})
    if settings is None:
        return {} if required else None
    if not isinstance(settings, Mapping):
        raise InputError(f"{path}: tool.infoscope is {settings!r}; write a table of options")
    return settings


def _map_options(command: click.Command) -> dict[str, click.Option]:
    """Return the options of a command by their names on the command line; ``headline`` is what reports begin with."""
    options = {
        _normalize_name(word): param
        for param in command.params
        if isinstance(param, click.Option)
        for word in (*param.opts, *param.secondary_opts)
        if word.startswith("--")
    }
    return options | ({"headline": options["metric"]} if command.name in _WITH_HEADLINE else {})


def _normalize_name(word: str) -> str:
    """Return the name of an option without leading dashes, with dashes for underscores."""
    return word.lstrip("-").replace("_", "-")


def _describe_unknown(setting: str, key: str, names: Iterable[str], command: str) -> str:
    """Say what to write instead of a setting that is no option."""
    if (advice := advice_for(f"--{_normalize_name(key)}", command, names := set(names))) is not None:
        return advice
    hint = did_you_mean(_normalize_name(key), names, "`infoscope COMMAND --help-all` lists the options")
    return f"there is no option {setting!r}; {hint}"


def _flatten(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the entries of nested tables under dotted names."""
    for name, value in table.items():
        if isinstance(value, Mapping):
            yield from _flatten(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value
