"""Add a file format: a function that yields its rows as lines of JSON, which every engine reads.

Here: lines like ``cat -> dog`` in files that end in ``.pairs``.

1. Copy this file to ``src/infoscope/readers/pairs.py``.
2. Add ``"pairs": "pairs",`` to ``FORMATS`` in ``src/infoscope/readers/files.py``.
3. At the top of ``convert_files`` in ``src/infoscope/readers/conversions.py``, import ``pair_lines`` and add::

    if files.format == "pairs":
        return write_copies(files, folder, pair_lines, "ndjson")

Every command that reads rows then reads it, several files at once, with weights, groups and the rest.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from infoscope.errors import InputError


def pair_lines(path: Path) -> Iterator[bytes]:
    """Yield the rows of a file with lines as ``cat -> dog``, as lines of JSON."""
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            truth, arrow, predicted = line.rstrip("\n").partition(" -> ")
            if not arrow:
                raise InputError(f"{path.name}, line {number} has no ' -> ' between the true and the predicted class")
            yield json.dumps({"truth": truth, "predicted": predicted}).encode() + b"\n"
