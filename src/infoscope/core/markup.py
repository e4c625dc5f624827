"""Markup that cannot be broken by what it shows: HTML and Markdown in which text from the data stays text.

And the words for numbers of things and long lists, which messages and reports share.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping
from dataclasses import fields
from functools import cache
from typing import NamedTuple

_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_SPECIAL = re.compile("[&<>\"'\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_MARKDOWN_SIGNS = re.compile(r"([\\|*_`<>\[\]~$]|&(?=#?\w+;)|(?<=:)//|(?<=\bwww)\.|@(?=\w))")
_MARKDOWN_START = re.compile(r"^(\s*(?=[#+=-])|\s*\d+(?=[.)]))")


_MOST_WHOLE = 1e18
"""Whole numbers from here on are sums of large weights, of which nobody reads every digit."""


def format_thousands(number: float) -> str:
    """Format a count or weight with thousands set apart.

    >>> format_thousands(1797), format_thousands(0.25), format_thousands(3e300)
    ('1,797', '0.25', '3e+300')
    """
    is_whole = float(number).is_integer() and abs(number) < _MOST_WHOLE
    return f"{number:,.0f}" if is_whole else f"{number:,.4g}"


def pluralize(number: float, noun: str) -> str:
    """Format a number of things.

    >>> pluralize(1, "sample"), pluralize(12345, "sample"), pluralize(2.5, "class")
    ('1 sample', '12,345 samples', '2.5 classes')
    """
    plural = noun if number == 1 else f"{noun}es" if noun.endswith("s") else f"{noun}s"
    return f"{format_thousands(number)} {plural}"


class Html(str):
    """Text that is markup already."""

    __slots__ = ()


def escape(content: object) -> str:
    r"""Escape text for an element or a quoted attribute of HTML or SVG; what XML forbids is replaced.

    >>> escape('<b title="x">\x00')
    '&lt;b title=&quot;x&quot;&gt;�'
    """
    written = str(content)
    return written if _SPECIAL.search(written) is None else html.escape(_NOT_XML.sub("\ufffd", written))


def element(tag: str, *children: object, **attributes: object) -> Html:
    """Write an element; ``class_`` is written ``class``, other underscores become hyphens, None and False are left out.

    >>> element("p", "1 < 2", element("b", "!"), class_="note")
    '<p class="note">1 &lt; 2<b>!</b></p>'
    """
    written = ""
    for name, value in attributes.items():
        if value is not None and value is not False:
            written += _name_attribute(name) if value is True else f'{_name_attribute(name)}="{escape(value)}"'
    return Html(f"<{tag}{written}>{join_markup(children)}</{tag}>")


@cache
def _name_attribute(name: str) -> str:
    return f" {name.rstrip('_').replace('_', '-')}"


def join_markup(parts: Iterable[object], between: str = "") -> Html:
    """Join several pieces in a row."""
    return Html(between.join([part if isinstance(part, Html) else escape(part) for part in parts]))


def text(part: object) -> Html:
    """Return a piece as markup."""
    return part if isinstance(part, Html) else Html(escape(part))


_WORD = r"""(?:[^\s'"\\]|\\.|'[^']*'|"[^"]*")+"""


def split_command(command: str) -> list[str]:
    """Split a command where a line may end: an option stays with its value.

    >>> split_command("infoscope evaluate rows.csv -t truth -s 'a b' -v")
    ['infoscope', 'evaluate', 'rows.csv', '-t truth', "-s 'a b'", '-v']
    """
    return re.findall(rf"--?[a-z][-a-z]*(?: (?!-){_WORD})?|{_WORD}", command)


def escape_markdown(content: str) -> str:
    r"""Escape a label or sentence so that Markdown shows it as it is, on one line: no markup, link, formula or cell.

    >>> escape_markdown("a|b <img src=x> [l](http://x) *!*")
    'a\\|b \\<img src=x\\> \\[l\\](http:\\//x) \\*!\\*'
    >>> escape_markdown("# 1\n2"), escape_markdown("1. x"), escape_markdown("-5%")
    ('\\# 1 2', '1\\. x', '\\-5%')
    """
    plain = "".join(sign if sign.isprintable() else " " for sign in content)
    plain = _MARKDOWN_SIGNS.sub(r"\\\1", plain)
    return _MARKDOWN_START.sub(r"\1\\", plain)


def escape_markdown_cell(content: str) -> str:
    """Escape text for a cell or the middle of a line: nothing starts a line, so a minus sign stays what it is."""
    return _MARKDOWN_SIGNS.sub(r"\\\1", "".join(sign if sign.isprintable() else " " for sign in content))


class CutList(NamedTuple):
    """A text around a long list of labels: with its first ones, the others, and what follows."""

    first: str
    others: tuple[str, ...]
    after: str

    @property
    def more(self) -> str:
        """Return the others as a number."""
        return f" and {len(self.others)} more" if self.others else ""

    @property
    def short(self) -> str:
        """Return the text with the list cut short."""
        return f"{self.first}{self.more}{self.after}"


_LABEL = r"""(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?)"""


def cut_list(words: str, most: int = 3) -> CutList:
    """Take a text apart after the first labels of a list, as Python writes them; whole where there are few.

    >>> cut_list("undefined for classes 'a', 'b', 'c', 'd, e', 5: no samples").short
    "undefined for classes 'a', 'b', 'c' and 2 more: no samples"
    """
    match = re.search(rf"{_LABEL}(?:, {_LABEL}){{{most},}}", words)
    if match is None:
        return CutList(words, (), "")
    labels = re.findall(_LABEL, match[0])
    first = f"{words[: match.start()]}{', '.join(labels[:most])}"
    return CutList(first, tuple(labels[most:]), words[match.end() :])


class ShortRepr:
    """Base of dataclasses that print what says something alone, in one line of a terminal or two.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True, repr=False)
    ... class Pair(ShortRepr):
    ...     first: str
    ...     second: str = ""
    ...     rows: tuple[int, ...] = ()
    >>> Pair("svm"), Pair("svm", rows=tuple(range(100)))
    (Pair(first='svm'), Pair(first='svm', rows=(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 1…))
    """

    __slots__ = ()

    def __repr__(self) -> str:
        """Return the fields that are not empty, each cut where it is long."""
        parts = []
        for item in fields(self):  # type: ignore[arg-type] # a base of dataclasses
            value = getattr(self, item.name)
            if item.repr and not (isinstance(value, (str, tuple, Mapping, type(None))) and not value):
                text = " ".join(repr(value).split())
                parts.append(f"{item.name}={text if len(text) <= MAX_PART else f'{text[:MAX_PART]}…'}")
        text = ", ".join(parts)
        return f"{type(self).__name__}({text if len(text) <= MAX_REPR else f'{text[:MAX_REPR]}…'})"


MAX_PART, MAX_REPR = 56, 140
"""Characters of one field, and of all of them."""
