"""Files whose names carry values: patterns with parts in braces, as runs/depth={depth}.csv."""

from __future__ import annotations

import glob
import re

from infoscope.errors import InputError

__all__ = ["files_by_values", "names_in_braces"]


def names_in_braces(pattern: str) -> tuple[str, ...]:
    """The names that stand in the braces of a pattern, each once."""
    return tuple(dict.fromkeys(re.findall(r"\{(\w+)\}", pattern)))


def files_by_values(pattern: str, names: tuple[str, ...]) -> dict[tuple[str, ...], str]:
    """Files whose names fit a pattern with braces, by the values that stand in them."""
    parts = re.split(r"(\{\w+\})", pattern)
    wild = "".join("*" if part.startswith("{") else glob.escape(part) for part in parts)
    seen: set[str] = set()
    expression = ""
    for part in parts:
        name = part[1:-1]
        if not part.startswith("{"):
            expression += re.escape(part)
        else:
            expression += f"(?P={name})" if name in seen else f"(?P<{name}>[^/]+?)"
            seen.add(name)
    found: dict[tuple[str, ...], str] = {}
    for path in sorted(glob.glob(wild)):
        match = re.fullmatch(expression, path)
        if match is not None:
            found[tuple(match[name] for name in names)] = path
    if not found:
        raise InputError(f"{pattern}: no file fits this pattern; check the name and the folder")
    return found
