"""Class frequencies stated by the user: the word "equal", or a file of lines LABEL,FREQUENCY."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import Literal

from infoscope.errors import InputError
from infoscope.readers.formats.text_files import opened_text

__all__ = ["read_prevalence"]


def read_prevalence(asked: str | None) -> Literal["equal"] | dict[str, float] | None:
    """Frequencies by label; a first line without a number is taken as a header."""
    if asked is None or asked == "equal":
        return asked  # type: ignore[return-value]
    path = Path(asked)
    shares: dict[str, float] = {}
    for number, line in enumerate(_lines(path), 1):
        if not any(field.strip() for field in line):
            continue
        share = _share(line)
        if share is None:
            if number == 1:
                continue
            raise InputError(f"{path}, line {number} is not a label and a frequency; write lines as LABEL,FREQUENCY")
        if line[0] in shares:
            raise InputError(f"{path} gives a frequency for {line[0]!r} twice; give one for each class")
        if not (0 <= share < math.inf):
            raise InputError(
                f"{path}, line {number} gives {line[0]!r} a frequency of {share}; it must be finite and at least 0"
            )
        shares[line[0]] = share
    if not shares:
        raise InputError(f"{path} has no frequencies; write a line LABEL,FREQUENCY for each class")
    if not 0 < sum(shares.values()) < math.inf:
        raise InputError(f"{path} has frequencies that sum to {sum(shares.values())}; give one class one above 0")
    return shares


def _lines(path: Path) -> list[list[str]]:
    try:
        with opened_text(path, "gzip" if path.suffix == ".gz" else "none") as file:
            text = file.read()
    except OSError:
        raise InputError(
            f"prevalence is {str(path)!r}, which is neither the word 'equal' nor a text file that can be read; write "
            "'equal', or a file with a line LABEL,FREQUENCY for each class"
        ) from None
    delimiter = "\t" if "\t" in text.partition("\n")[0] else ","
    try:
        return list(csv.reader(text.splitlines(), delimiter=delimiter))
    except csv.Error as error:
        raise InputError(f"{path} cannot be split into fields ({error}); write lines as LABEL,FREQUENCY") from None


def _share(line: list[str]) -> float | None:
    try:
        return float(line[1]) if len(line) == 2 else None
    except ValueError:
        return None
