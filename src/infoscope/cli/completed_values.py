"""Values that a shell completes: files, folders, metrics, commands and data sets, by what the usage calls them."""

from __future__ import annotations

from collections.abc import Iterable

import click
from click.shell_completion import CompletionItem

import infoscope as ifs

__all__ = ["CompletedText"]

_PATHS = {
    **dict.fromkeys(("FILE", "SOURCE", "RESULT.json", "TRUTH_FILE", "PREDICTED_FILE…", "equal|FILE"), "file"),
    **dict.fromkeys(("TRUTH", "TRACKS…", "VERDICTS"), "file"),
    "FOLDER": "dir",
}
"""Words of the usage that mean a path, and what the shell is to look for."""
_METRICS = ("METRIC", "METRIC[.PART]=X", "METRIC.width=W")


class CompletedText(click.types.StringParamType):
    """Text that a shell completes by what the usage calls it."""

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """What the text may be; the shell itself looks for files and folders."""
        meant = param.metavar or (param.name or "").upper()
        if meant in _PATHS:
            return [CompletionItem(incomplete, type=_PATHS[meant])]
        return [CompletionItem(word) for word in _words(ctx, meant) if word.startswith(incomplete)]


def _words(context: click.Context, meant: str) -> Iterable[str]:
    if meant in _METRICS:
        return sorted({entry.name for entry in ifs.metrics.registry.every_metric()})
    root = context.find_root()
    if meant == "[COMMAND]" and isinstance(root.command, click.Group):
        return root.command.list_commands(root)
    return ()
