"""What the user typed, so that a page can say by which command it was made."""

from __future__ import annotations

import shlex
from typing import Any

import click

from infoscope.cli.errors import help_shown, settled
from infoscope.masking import masked

__all__ = ["Typing", "typed"]

_KEPT = "infoscope.typed"


class Typing(click.Group):
    """A group of commands that remembers its words, and ends wrong ones like any other bad input."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep the words before they are taken apart."""
        ctx.meta[_KEPT] = tuple(args)
        with settled(), help_shown():
            return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command, after its own words are taken apart."""
        with settled(), help_shown():
            return super().invoke(ctx)


def typed() -> str | None:
    """The command as it can be typed again, without passwords; None outside the command line."""
    context = click.get_current_context(silent=True)
    words = None if context is None else context.meta.get(_KEPT)
    return None if words is None else " ".join(["infoscope", *(shlex.quote(masked(word)) for word in words)])
