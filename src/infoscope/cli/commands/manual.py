"""``infoscope man``: manual pages, written from the commands themselves so that they cannot go stale."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import click

from infoscope import __version__
from infoscope.cli.errors import reported
from infoscope.cli.invocation import environment_name
from infoscope.cli.streams import say, write_stdout
from infoscope.core.files import write_file
from infoscope.errors import InputError

__all__ = ["command", "manual_page"]


@click.command("man")
@click.argument("name", metavar="[COMMAND]", required=False)
@click.option("-o", "--output", metavar="FOLDER", help="Write the pages of all commands to this folder.")
@click.option("--force", is_flag=True, help="Replace pages that exist.")
@click.option("-v", "--verbose", is_flag=True, help="Show where an internal error occurred.")
@click.pass_context
@reported
def command(context: click.Context, name: str | None, output: str | None, force: bool, **_options: object) -> None:
    """Print the manual page of infoscope, or of a command; with -o, write all of them.

    Read one with: infoscope man gate | man -l -

    Example: infoscope man gate

    Example: infoscope man -o man1
    """
    root = context.find_root()
    group = root.command
    assert isinstance(group, click.Group)
    if output is not None:
        _write_all(group, root, Path(output), force=force)
        return
    found = group if name is None else group.get_command(root, name)
    if found is None:
        raise InputError(f"there is no command {name!r}; there are {', '.join(group.list_commands(root))}")
    write_stdout(manual_page(found, root, name))


def _write_all(group: click.Group, root: click.Context, folder: Path, *, force: bool) -> None:
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder} cannot be made: {error.strerror or error}; name another folder") from error
    names: list[str | None] = [None, *group.list_commands(root)]
    for name in names:
        found = group if name is None else group.get_command(root, name)
        if found is not None:
            path = folder / f"{_title(name)}.1"
            if path.exists() and not force:
                raise InputError(f"{path} exists already; use --force to replace it, or another folder")
            write_file(path, manual_page(found, root, name), replace=force)
    say(f"{len(names)} pages in {folder}; man finds them where MANPATH names the folder above a man1")


def _title(name: str | None) -> str:
    return "infoscope" if name is None else f"infoscope-{name}"


def manual_page(command: click.Command, root: click.Context, name: str | None) -> str:
    """The page of a command in the language of man."""
    context = click.Context(command, info_name=name or "infoscope", parent=None if name is None else root)
    text = (command.help or "").replace("\b", "")
    paragraphs = [" ".join(part.split()) for part in re.split(r"\n\s*\n", text) if part.strip()]
    examples = [part.removeprefix("Example: ") for part in paragraphs if part.startswith("Example: ")]
    prose = [part for part in paragraphs if not part.startswith("Example: ")]
    usage = " ".join(command.collect_usage_pieces(context))
    lines = [
        f'.TH "{_title(name).upper()}" "1" "{_date()}" "infoscope {__version__}" "User commands"',
        ".nh",  # a hyphen inside the name of an option or a variable would be copied with it
        ".SH NAME",
        f"{_escaped(_title(name))} \\- {_escaped((prose or [''])[0].rstrip('.'))}",
        ".SH SYNOPSIS",
        f"\\fB{_escaped('infoscope' if name is None else f'infoscope {name}')}\\fR {_escaped(usage)}",
        ".SH DESCRIPTION",
        *_paragraphs(prose),
        *_options(command, name),
        *(_commands(command, root) if isinstance(command, click.Group) else ()),
        *_examples(examples),
        ".SH EXIT STATUS",
        "0 fine, 1 a gate failed, 2 wrong use or bad input, 3 inconclusive, 70 a fault of infoscope, 130 interrupted.",
        ".SH SEE ALSO",
        "\\fBinfoscope\\fR(1), \\fBinfoscope explain\\fR",
    ]
    return "\n".join(lines) + "\n"


def _paragraphs(parts: list[str]) -> Iterator[str]:
    for number, part in enumerate(parts):
        if number:
            yield ".PP"
        yield _escaped(part)


def _options(command: click.Command, name: str | None) -> Iterator[str]:
    options = [param for param in command.params if isinstance(param, click.Option) and not param.hidden]
    if options:
        yield ".SH OPTIONS"
    for option in options:
        words = ", ".join(f"\\fB{_escaped(word)}\\fR" for word in (*option.opts, *option.secondary_opts))
        value = "" if option.is_flag else f" \\fI{_escaped(option.make_metavar(click.Context(command)))}\\fR"
        variable = "" if name is None else f" [{environment_name(name, option)}]"
        yield from (".TP", f"{words}{value}", _escaped(f"{option.help or ''}{variable}"))


def _commands(group: click.Group, root: click.Context) -> Iterator[str]:
    yield ".SH COMMANDS"
    for name in group.list_commands(root):
        found = group.get_command(root, name)
        first = "" if found is None else " ".join((found.help or "").split("\n\n")[0].split())
        yield from (".TP", f"\\fBinfoscope-{_escaped(name)}\\fR(1)", _escaped(first))


def _examples(examples: list[str]) -> Iterator[str]:
    if examples:
        yield ".SH EXAMPLES"
    for number, example in enumerate(examples):
        if number:
            yield ".PP"
        yield from (".EX", _escaped(example), ".EE")


def _escaped(text: str) -> str:
    """Text as man takes it: no line begins a request, hyphens stay hyphens."""
    plain = text.replace("\\", "\\e").replace("-", "\\-")
    plain = "".join(letter if letter.isascii() else f"\\[u{ord(letter):04X}]" for letter in plain)
    return f"\\&{plain}" if plain[:1] in (".", "'") else plain


def _date() -> str:
    """Today, or the day of SOURCE_DATE_EPOCH; results, which know it as well, take long to load."""
    fixed = os.environ.get("SOURCE_DATE_EPOCH", "")
    moment = datetime.fromtimestamp(int(fixed), UTC) if fixed.isdecimal() else datetime.now(UTC)
    return moment.strftime("%Y-%m-%d")
