"""The signs that a terminal can show, and names cut to the room that there is."""

from __future__ import annotations

from dataclasses import dataclass, replace

from rich.cells import cell_len, set_cell_size


@dataclass(frozen=True)
class Signs:
    """The characters that a terminal can show."""

    full: str
    missed: str
    false: str
    eighths: str
    dot: str
    ellipsis: str
    to: str
    encoding: str = "utf-8"


UNICODE = Signs("█", "▒", "░", "▏▎▍▌▋▊▉", "·", "…", "–")
ASCII = Signs("#", "-", "~", "", "|", "~", "-", "ascii")


@dataclass(frozen=True)
class Look:
    """Where the text will be read."""

    width: int = 100
    signs: Signs = UNICODE
    max_rows: int = 8
    """Rows of a table that are shown; 0 shows all."""

    def narrower(self, width: int) -> Look:
        """The same in less room."""
        return replace(self, width=width)

    @property
    def room(self) -> int:
        """Columns inside the margins."""
        return max(self.width - 4, 40)


def shown(label: str, signs: Signs) -> str:
    r"""A label on one line: what cannot be printed is written as an escape.

    >>> print(shown("a\nb", UNICODE), shown("", UNICODE), shown(" ", UNICODE), shown("Käse", ASCII))
    a\nb '' ' ' K\xe4se
    """
    plain = "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode("ascii") for sign in label)
    plain = plain.encode(signs.encoding, "backslashreplace").decode(signs.encoding)
    return plain if plain.strip() else f"'{plain}'"


def squeezed(text: str, width: int, signs: Signs) -> str:
    """A name cut in the middle to this many columns, so that both its ends tell it from others.

    >>> squeezed("class 0145", 8, UNICODE), squeezed("東京都渋谷区", 6, UNICODE)
    ('clas…145', '東…区')
    """
    if cell_len(text) <= width:
        return text
    room = max(width - cell_len(signs.ellipsis), 0)
    head = set_cell_size(text, room - room // 2).rstrip()
    return head + signs.ellipsis + set_cell_size(text[::-1], room // 2)[::-1].lstrip()
