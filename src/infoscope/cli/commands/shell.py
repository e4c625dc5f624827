"""``infoscope completion`` and ``infoscope man``: both are written from the commands themselves."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import click
from click.shell_completion import get_completion_class

from infoscope import __version__
from infoscope.cli.options import OUTPUT, Command, environment_name, option, read_help, shared
from infoscope.cli.process import say, write_stdout
from infoscope.core.files import write_file
from infoscope.errors import InputError

SHELLS = ("bash", "zsh", "fish")


@click.command("completion", cls=Command)
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the script that completes commands and options in SHELL; load it in the shell's start-up file.

    bash: add eval "$(infoscope completion bash)" to ~/.bashrc. zsh: the same in ~/.zshrc. fish: write it to
    ~/.config/fish/completions/infoscope.fish.

    Example: infoscope completion bash
    """
    script = get_completion_class(shell)
    assert script is not None
    text = script(context.find_root().command, {}, "infoscope", "_INFOSCOPE_COMPLETE").source()
    write_stdout(f"{text.strip()}\n")


@click.command("man", cls=Command)
@click.argument("name", metavar="[COMMAND]", required=False)
@option("-o", "--output", group=OUTPUT, metavar="FOLDER", help="Write the pages of all commands to this folder.")
@shared("force")
@click.pass_context
def man(context: click.Context, name: str | None, output: str | None, force: bool) -> None:
    """Print the manual page of infoscope, or of a command; with -o, write all of them.

    Read one with: infoscope man gate | man -l -

    Example: infoscope man gate

    Example: infoscope man -o man1
    """
    root = context.find_root()
    group = root.command
    assert isinstance(group, click.Group)
    commands = group.list_commands(root)
    if output is None:
        if name is not None and name not in commands:
            raise InputError(f"there is no command {name!r}; there are {', '.join(commands)}")
        write_stdout(_write_page(group, root, name))
        return
    folder = Path(output)
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder} cannot be made: {error.strerror or error}; name another folder") from error
    for page in (None, *commands):
        path = folder / ("infoscope.1" if page is None else f"infoscope-{page}.1")
        if path.exists() and not force:
            raise InputError(f"{path} exists already; use --force to replace it, or another folder")
        write_file(path, _write_page(group, root, page), replace=force)
    say(f"{len(commands) + 1} pages in {folder}; man finds them where MANPATH names the folder above a man1")


def _write_page(group: click.Group, root: click.Context, name: str | None) -> str:
    """Write the page of a command, or of infoscope, in the language of man."""
    command = group if name is None else group.get_command(root, name)
    assert command is not None
    context = click.Context(command, info_name=name or "infoscope", parent=None if name is None else root)
    prose, examples = read_help(command)
    # today, or the day of SOURCE_DATE_EPOCH; results, which know it as well, take long to load
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    day = datetime.fromtimestamp(int(epoch), UTC) if epoch.isdecimal() else datetime.now(UTC)
    usage = " ".join(command.collect_usage_pieces(context))
    title = "infoscope" if name is None else f"infoscope-{name}"
    lines = [
        f'.TH "{title.upper()}" "1" "{day:%Y-%m-%d}" "infoscope {__version__}" "User commands"',
        ".nh",  # a hyphen inside the name of an option or a variable would be copied with it
        ".SH NAME",
        f"{_escape(title)} \\- {_escape((prose or [''])[0].rstrip('.'))}",
        ".SH SYNOPSIS",
        f"\\fB{_escape(title.replace('-', ' ', 1))}\\fR {_escape(usage)}",
        ".SH DESCRIPTION",
        *_separate([[_escape(paragraph)] for paragraph in prose]),
    ]
    options = [param for param in command.params if isinstance(param, click.Option) and not param.hidden]
    if options:
        lines.append(".SH OPTIONS")
    for param in options:
        words = ", ".join(f"\\fB{_escape(word)}\\fR" for word in (*param.opts, *param.secondary_opts))
        value = "" if param.is_flag else f" \\fI{_escape(param.make_metavar(click.Context(command)))}\\fR"
        variable = "" if name is None else f" [{environment_name(name, param)}]"
        lines += [".TP", f"{words}{value}", _escape(f"{param.help or ''}{variable}")]
    if name is None:
        lines.append(".SH COMMANDS")
        for inner in group.list_commands(root):
            part = group.get_command(root, inner)
            assert part is not None
            lines += [".TP", f"\\fBinfoscope-{_escape(inner)}\\fR(1)", _escape(read_help(part)[0][0])]
    if examples:
        lines.append(".SH EXAMPLES")
    lines += _separate([[".EX", _escape(example), ".EE"] for example in examples])
    lines += [
        ".SH EXIT STATUS",
        "0 fine, 1 a gate failed, 2 wrong use or bad input, 3 inconclusive, 70 a fault of infoscope, 130 interrupted.",
        ".SH SEE ALSO",
        "\\fBinfoscope\\fR(1), \\fBinfoscope explain\\fR",
    ]
    return "\n".join(lines) + "\n"


def _separate(parts: list[list[str]]) -> Iterator[str]:
    """Yield the lines of paragraphs with a new paragraph between them."""
    for number, lines in enumerate(parts):
        yield from ([".PP", *lines] if number else lines)


def _escape(text: str) -> str:
    """Spell text as man takes it: no line begins a request, hyphens stay hyphens."""
    plain = text.replace("\\", "\\e").replace("-", "\\-")
    plain = "".join(letter if letter.isascii() else f"\\[u{ord(letter):04X}]" for letter in plain)
    return f"\\&{plain}" if plain[:1] in (".", "'") else plain
