"""What the user typed, so that a page can say by which command it was made."""

from __future__ import annotations

import re
import shlex

import click

__all__ = ["Typing", "typed"]

_KEPT = "infoscope.typed"
_SECRETS = (
    (re.compile(r"(://[^/@\s:]*):[^@/\s]*@"), r"\1:…@"),
    (re.compile(r"(?i)\b(password|passwd|pwd|token|secret|api_?key)=[^&;\s]+"), r"\1=…"),
)
"""Passwords in addresses of databases and clusters: no page repeats them."""


class Typing(click.Group):
    """A group of commands that remembers its words."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep the words before they are taken apart."""
        ctx.meta[_KEPT] = tuple(args)
        return super().parse_args(ctx, args)


def typed() -> str | None:
    """The command as it can be typed again, without passwords; None outside the command line."""
    context = click.get_current_context(silent=True)
    words = None if context is None else context.meta.get(_KEPT)
    return None if words is None else " ".join(["infoscope", *(_shown(word) for word in words)])


def _shown(word: str) -> str:
    for pattern, calm in _SECRETS:
        word = pattern.sub(calm, word)
    return shlex.quote(word)
