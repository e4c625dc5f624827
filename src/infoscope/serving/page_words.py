"""The words of the explorer's pages in place of options of the command line, which nobody can type on a page."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace

from infoscope.readers.column_roles import ColumnRoles

__all__ = ["in_page_words", "page_words"]

_NAME = r"('[^']*'|\S+?)"
_ADD = "Put that file into this folder and add its column below"
_WORDS = (
    # what columns are taken for
    (r": i(s the truth in another file\?) --truth-file LABELS\.csv --key ID\b", rf". I\1 {_ADD}"),
    (rf": i(s the truth in another file\?) --truth-file LABELS\.csv --key {_NAME}(?=;|$)", rf". I\1 {_ADD}, by \2"),
    (rf"infoscope sweep SOURCE -t {_NAME}((?: --score {_NAME})+), if .* is the truth", "choose the truth and a score"),
    (r", for infoscope sweep --score\b", ", for the page of thresholds"),
    (r"; -s names (?:them too|such columns)\b", "; choose them as predictions if they are"),
    (rf": evaluate them apart with --by {_NAME}(?=;|$)", r"; to evaluate them apart, infoscope evaluate FILE --by \1"),
    (rf"--by {_NAME} evaluates them apart\b", r"infoscope evaluate FILE --by \1 evaluates them apart"),
    (r"\b(infoscope agree) SOURCE\b", r"\1 FILE"),
    (r"(?<!in a terminal, )\b(infoscope (?:evaluate|agree) FILE)", r"in a terminal, \1"),
    # columns that are joined
    (r"name (a column .*|the right column|another column) with (?:--key|-t)\b", r"choose \1"),
    # how files are read
    (r"read (?:it|rows) with --[\w-]+ \S+(?: or \w+)?(?: \(in Python: [^)]*\))?, or ", ""),
    (r"read it with (--[\w-]+ .*)$", r"in a terminal, infoscope evaluate FILE \1 reads it"),
    (r", or, if it is text, say --input-format csv\b", ""),
    (r"name one with --sheet \(in Python: sheet=\)", "save the one with the rows as a file of its own"),
    (r" with --clean (\w+) \(clean='\w+' in Python\)", " under “How labels are read”"),
)
_COMMAND = re.compile(r"\b(infoscope \w+ )FILE\b")
_KNOWN = tuple((re.compile(pattern), words) for pattern, words in _WORDS)


def page_words(sentence: str) -> str:
    """A sentence of the command line as a page says it.

    >>> page_words("no key of a.csv is in b.csv; name the right column with --key")
    'no key of a.csv is in b.csv; choose the right column'
    """
    for pattern, words in _KNOWN:
        sentence = pattern.sub(words, sentence)
    return sentence


def in_page_words(roles: ColumnRoles, file: str) -> ColumnRoles:
    """What columns of a file are taken for, with reasons and question as sentences of a page."""

    def named(sentence: str) -> str:
        return _COMMAND.sub(lambda found: found[1] + shlex.quote(file), page_words(sentence))

    question = None if roles.question is None else f"{named(roles.question[:1].upper() + roles.question[1:])}."
    return replace(roles, question=question, reasons=tuple(map(named, roles.reasons)))
