"""``infoscope completion``: the script by which a shell completes commands, options and metrics."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from infoscope.cli.errors import reported
from infoscope.cli.streams import write_stdout

__all__ = ["command"]

SHELLS = ("bash", "zsh", "fish")
_REPAIRS = {
    "read type value": "read -r type value",  # bash keeps the backslashes of a name …
    "+=($value)": '+=("$value")',  # … and takes no name for a pattern of files
    'string split "," ': 'string split --max 1 "," ',  # fish keeps its commas
}
"""What click writes into the scripts, and what is right."""


@click.command("completion")
@click.argument("shell", type=click.Choice(SHELLS))
@click.option("-v", "--verbose", is_flag=True, help="Show where an internal error occurred.")
@click.pass_context
@reported
def command(context: click.Context, shell: str, **_options: object) -> None:
    """Print the script that completes commands and options in SHELL; load it in the shell's start-up file.

    bash: add eval "$(infoscope completion bash)" to ~/.bashrc. zsh: the same in ~/.zshrc. fish: write it to
    ~/.config/fish/completions/infoscope.fish.

    Example: infoscope completion bash
    """
    script = get_completion_class(shell)
    assert script is not None
    app = context.find_root().command
    written = script(app, {}, "infoscope", "_INFOSCOPE_COMPLETE").source().strip()
    for wrong, right in _REPAIRS.items():
        written = written.replace(wrong, right)
    write_stdout(f"{written}\n")
