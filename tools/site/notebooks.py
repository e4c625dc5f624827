"""A tutorial as a notebook: the page's own text and code, with the outputs that the page shows."""

from __future__ import annotations

import ast
import doctest
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

__all__ = ["notebook", "write_notebook"]

_PIECE = re.compile(
    r"^```(?P<kind>\w+)\n(?P<text>.*?)^```$|<!-- \$ (?P<command>.*?) -->|<!-- run\n(?P<code>.*?)\n-->|<!--.*?-->",
    re.DOTALL | re.MULTILINE,
)
_NOTE = re.compile(r"^\*This page as a \[notebook\].*\n\n?", re.MULTILINE)

Cell = dict[str, Any]


def notebook(page: str) -> str:
    """The notebook of a page, as JSON; a pure function of the page, so that both say the same."""
    cells = list(_cells(_NOTE.sub("", page)))
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    document = {
        "cells": cells,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(document, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def write_notebook(page: Path) -> None:
    """Beside the page, under its name."""
    page.with_suffix(".ipynb").write_text(notebook(page.read_text(encoding="utf-8")), encoding="utf-8")


def _cells(page: str) -> Iterator[Cell]:
    at = 0
    for found in _PIECE.finditer(page):
        yield from _prose(page[at : found.start()])
        at = found.end()
        if found["command"] is not None:
            yield _code(f"!{found['command']}")
        elif found["code"] is not None:
            yield _code(found["code"])
        elif found["kind"] == "console":
            yield from _commands(found["text"])
        elif found["kind"] == "python":
            yield from _examples(found["text"])
        elif found["kind"] is not None:
            yield from _prose(found[0])
    yield from _prose(page[at:])


def _prose(text: str) -> Iterator[Cell]:
    """A cell of text."""
    if text := text.strip("\n"):
        yield {"cell_type": "markdown", "metadata": {}, "source": _lines(text)}


def _commands(text: str) -> Iterator[Cell]:
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        while command.endswith("\\"):
            more, _, output = output.partition("\n")
            command = f"{command}\n{more}"
        yield _code(f"!{command}", [_stream(output)] if output else [])


def _examples(text: str) -> Iterator[Cell]:
    """One cell for the statements up to each one that prints."""
    if ">>>" not in text:
        yield _code(text.rstrip("\n"))
        return
    source = ""
    for example in doctest.DocTestParser().get_examples(text):
        source += example.source
        if example.want:
            shown = re.sub(r"^<BLANKLINE>$", "", example.want, flags=re.MULTILINE)
            yield _code(source.rstrip("\n"), [_output(example.source, shown)])
            source = ""
    if source:
        yield _code(source.rstrip("\n"))


def _output(source: str, shown: str) -> Cell:
    """Return the output of a statement: the value of an expression, or the text that it printed."""
    last = ast.parse(source).body[-1]
    prints = not isinstance(last, ast.Expr) or (
        isinstance(last.value, ast.Call) and ast.unparse(last.value.func) == "print"
    )
    if prints:
        return _stream(shown)
    text = _lines(shown.removesuffix("\n"))
    return {"output_type": "execute_result", "data": {"text/plain": text}, "execution_count": None, "metadata": {}}


def _stream(text: str) -> Cell:
    return {"output_type": "stream", "name": "stdout", "text": _lines(text)}


def _code(source: str, outputs: list[Cell] | None = None) -> Cell:
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {},
        "outputs": outputs or [],
        "source": _lines(source),
    }


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)
