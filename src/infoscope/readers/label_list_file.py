"""Label lists: text files with one object a line, its categories after it, all separated by TABs.

    file     = { line }
    line     = object { TAB category } newline
    object   = any text without TAB, not empty
    category = any text without TAB; an empty one is skipped

A line without a category is an object with the empty set. Blank lines are skipped. Names are taken verbatim, white
space and all; the text is UTF-8, packed with gzip or zstd or not.
"""

from __future__ import annotations

from pathlib import Path

from infoscope.errors import InputError
from infoscope.readers.broken_files import check_readable
from infoscope.readers.files import find_files, scratch_folder
from infoscope.readers.signatures import check_signature
from infoscope.readers.text_files import opened_text
from infoscope.tables.label_sets import LabelSets

__all__ = ["read_label_lists"]

_OTHER_SIGNS = {";": "semicolons", ",": "commas", "|": "bars"}


def read_label_lists(path: Path) -> LabelSets:
    r"""The label sets of a file, objects in the order of its lines.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "gold.txt"
    >>> _ = file.write_text("query 1\tsport\tnews\t\nquery 2\n")
    >>> sets = read_label_lists(file)
    >>> sets.objects, sets.categories, sets.sizes.tolist()
    (('query 1', 'query 2'), ('news', 'sport'), [2, 0])
    """
    with scratch_folder() as folder:
        files = find_files(path, "tsv", folder)
        if len(files.paths) > 1:
            raise InputError(f"{path} is {len(files.paths)} files; a label list is one")
        with files.named():
            return _read(files.paths[0], files.compression)


def _read(path: Path, compression: str) -> LabelSets:
    check_readable([path])
    check_signature(path, "tsv", compression)
    names: list[str] = []
    members: list[list[str]] = []
    with opened_text(path, compression) as file:
        for number, line in enumerate(file, start=1):
            text = line.rstrip("\r\n")
            if not text.strip():
                continue
            name, *categories = text.split("\t")
            if not name.strip():
                raise InputError(f"{path}, line {number} begins with a TAB; the object's name comes first")
            names.append(name)
            members.append([category for category in categories if category])
    _check_separators(path, names, members)
    sets = LabelSets.from_sets(members)
    return LabelSets(sets.matrix, sets.categories, tuple(names), sets.repeated)


def _check_separators(path: Path, names: list[str], members: list[list[str]]) -> None:
    if not names:
        raise InputError(f"{path} has no lines; a label list has one object a line: object TAB category TAB category …")
    if names[0].strip().lower() == "object" and [name.strip().lower() for name in members[0]] == ["category"]:
        raise InputError(
            f"{path} begins with the line 'object TAB category', the header of a long table; name its columns "
            "(--object object --category category), or remove that line if the file is a label list"
        )
    if any(members):
        return
    sign = next(
        (word for sign, word in _OTHER_SIGNS.items() if sum(sign in name for name in names) > len(names) / 2), ""
    )
    seen = f"; its lines have {sign}" if sign else ""
    raise InputError(
        f"{path} has no TAB in any of its {len(names)} lines{seen}; a label list separates object and categories by "
        "TABs: object TAB category TAB category …"
    )
