"""Compiled parts of the package: whether they may be used, and whether they are here."""

import os
from importlib import import_module
from types import ModuleType

from infoscope.errors import InputError

__all__ = ["SWITCH", "compiled_part", "is_native_wanted"]

SWITCH = "INFOSCOPE_NATIVE"
"""The environment variable that keeps compiled code away from all work."""
_SWITCHED = (
    {"": True} | dict.fromkeys(("1", "true", "yes", "on"), True) | dict.fromkeys(("0", "false", "no", "off"), False)
)


def is_native_wanted(native: bool | None = None) -> bool:
    """Whether compiled parts may be used: as an option says, else as the environment does, else yes."""
    if native is not None:
        return native
    word = os.environ.get(SWITCH, "")
    if word.strip().lower() not in _SWITCHED:
        raise InputError(f"{SWITCH} is {word!r}; set it to 0 (no compiled code is used) or to 1, or unset it")
    return _SWITCHED[word.strip().lower()]


def compiled_part(name: str) -> ModuleType | None:
    """A compiled module of the package by its name; None where the installation has none."""
    try:
        return import_module(f"infoscope.{name}")
    except ImportError:
        return None
