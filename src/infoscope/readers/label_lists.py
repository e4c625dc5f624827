r"""Label lists: text files with one object per line, its categories after it, all separated by TABs.

    file     = { line }
    line     = object { TAB other } { TAB category } newline
    object   = any text without TAB; it may be empty where a TAB follows
    category = any text without TAB; an empty one is skipped

A line without a category is an object with the empty set. Blank lines are skipped. Names are taken verbatim, white
space and all, except that quotes around a whole field, as spreadsheets write them, are left out. The text is UTF-8,
packed with gzip or zstd or not; the name of an object only pairs lines and may hold other bytes, which are written as
``\xae``. Other fields may stand between object and categories, a frequency for example; an option states where the
categories start.

The rows of the ERD challenge have one category a line and no header: ``query TAB interpretation TAB entity TAB
mention TAB score``. There an object without a category has no line.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from shlex import quote

from infoscope.core.files import scratch_folder
from infoscope.errors import InputError
from infoscope.readers.compression import UNPACKERS, detect_compression
from infoscope.readers.csv_text import open_text
from infoscope.readers.files import check_readable, check_signature, find_files
from infoscope.tables.label_sets import LabelSets

_SURROGATES = frozenset(map(chr, range(0xDC80, 0xDD00)))
"""Code points that Python makes of single bytes that are not UTF-8."""
_OTHER_SIGNS = {";": "semicolons", ",": "commas", "|": "bars"}


def read_label_lists(path: Path, first_category: int | None = None, *, strip_lines: bool = False) -> LabelSets:
    r"""Read the label sets of a file, objects in the order of its lines.

    ``first_category`` is the column in which categories start, the object's being column 0; 1 unless stated.
    ``strip_lines`` leaves out the white space at the end of a line, so that its last category has none.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "gold.txt"
    >>> _ = file.write_text("query 1\tsport\tnews\t\nquery 2\n")
    >>> sets = read_label_lists(file)
    >>> sets.objects, sets.categories, sets.sizes.tolist()
    (('query 1', 'query 2'), ('news', 'sport'), [2, 0])
    """
    names: list[str] = []
    members: list[list[str]] = []
    for number, (name, *fields) in _read_fields(path, strip_lines=strip_lines):
        names.append(_escape_bytes(name))
        members.append([_check_category(field, path, number) for field in fields[(first_category or 1) - 1 :] if field])
    _check_separators(path, names, members, first_category or 1)
    sets = LabelSets.from_sets(members)
    return LabelSets(sets.matrix, sets.categories, tuple(names), sets.repeated)


def read_erd_rows(path: Path, category: int | None = None) -> LabelSets:
    r"""Read the label sets of rows in the format of the ERD challenge: the object first, its entity in column 2.

    ``category`` is the column of the category where that is another. White space around both is left out.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "gold.txt"
    >>> _ = file.write_text("q1\t0\t/m/0tc7\tarnold\t0.9\nq1\t0\t/m/0fd4x\ttotal recall\t0.98\n")
    >>> sets = read_erd_rows(file)
    >>> sets.objects, sets.categories
    (('q1',), ('/m/0fd4x', '/m/0tc7'))
    """
    column = _ERD_COLUMN if category is None else category
    objects: list[str] = []
    categories: list[str] = []
    for number, fields in _read_fields(path):
        if len(fields) <= column:
            raise InputError(
                f"{path}, line {number} has {len(fields)} fields and the category is in column {column}, counted from "
                "0: ERD rows are query TAB interpretation TAB entity TAB mention TAB score"
            )
        objects.append(_escape_bytes(fields[0].strip()))
        categories.append(_check_category(fields[column].strip(), path, number))
    if not objects:
        raise InputError(
            f"{path} has no lines; ERD rows are query TAB interpretation TAB entity …, one for each entity"
        )
    return LabelSets.from_pairs(objects, [category or None for category in categories])


_ERD_COLUMN = 2


def _escape_bytes(name: str) -> str:
    """Write out the bytes of a name that are not UTF-8, so that names that differ stay different."""
    return name.encode(errors="surrogateescape").decode(errors="backslashreplace")


def _check_category(category: str, path: Path, number: int) -> str:
    """Reject a category that is no text, for it is reported by its name; say how to write the file as UTF-8."""
    try:
        category.encode()
    except UnicodeEncodeError as error:
        unpack = UNPACKERS.get(detect_compression(path)) if path.is_file() else None
        bare = path.with_suffix("") if unpack and len(path.suffixes) > 1 else path
        converted = quote(str(path.with_name(f"{bare.stem}-utf8{'.txt' if unpack and bare is path else bare.suffix}")))
        source = quote(str(path))
        command = f"iconv -f WINDOWS-1252 -t UTF-8 {source} > {converted}"
        if unpack is not None:
            command = f"{unpack} {source} | iconv -f WINDOWS-1252 -t UTF-8 > {converted}"
        raise InputError(
            f"{path}, line {number}: the category '{_escape_bytes(category)}' is not UTF-8 text; convert the file, for "
            f"example: {command}"
        ) from error
    return category


def _unquote(field: str) -> str:
    """Remove the quotes around the whole of a field; quotes inside are doubled there."""
    inner = field[1:-1]
    if len(field) > 1 and field[0] == field[-1] == '"' and '"' not in inner.replace('""', ""):
        return inner.replace('""', '"')
    return field


def _read_fields(path: Path, *, strip_lines: bool = False) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the fields of every line that is not blank; bytes that are not UTF-8 are lone surrogates."""
    with scratch_folder() as folder:
        files = find_files(path, "tsv", folder)
        if len(files.paths) > 1:
            raise InputError(f"{path} is {len(files.paths)} files; a label list is one")
        with files.named():
            check_readable([files.paths[0]])
            try:
                check_signature(files.paths[0], "tsv", files.compression)
            except InputError as error:  # a label list has no options of reading: other files are converted first
                raise InputError(error.page) from error
            with open_text(files.paths[0], files.compression, errors="surrogateescape") as file:
                for number, line in enumerate(file, start=1):
                    if line[-1] in _SURROGATES:
                        raise InputError(f"{path}, line {number} ends within a character; fetch the file again")
                    text = line.rstrip() if strip_lines else line.rstrip("\r\n")
                    if text.strip(" "):
                        yield number, [_unquote(field) for field in text.split("\t")]


def _check_separators(path: Path, names: list[str], members: list[list[str]], first: int) -> None:
    if not names:
        raise InputError(f"{path} has no lines; a label list has one object per line: object TAB category TAB …")
    if names[0].strip().lower() == "object" and [name.strip().lower() for name in members[0]] == ["category"]:
        raise InputError(
            f"{path} begins with the line 'object TAB category', the header of a long table; name its columns "
            "(--object object --category category), or remove that line if the file is a label list"
        )
    if any(members):
        return
    if first > 1:
        raise InputError(
            f"{path} has no category in column {first} or behind it, counted from 0 with the object; name the column "
            "in which categories start"
        )
    sign = next(
        (word for sign, word in _OTHER_SIGNS.items() if sum(sign in name for name in names) > len(names) / 2), ""
    )
    seen = f"; its lines have {sign}" if sign else ""
    raise InputError(
        f"{path} has no TAB in any of its {len(names)} lines{seen}; a label list separates object and categories by "
        "TABs: object TAB category TAB category …"
    )
