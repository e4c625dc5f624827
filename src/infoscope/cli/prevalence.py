"""Class shares stated by the user: the word "equal", or a file of lines LABEL,SHARE."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Literal

from infoscope.errors import InputError

__all__ = ["read_prevalence"]


def read_prevalence(asked: str | None) -> Literal["equal"] | dict[str, float] | None:
    """Shares by label; a first line without a number is taken as a header."""
    if asked is None or asked == "equal":
        return asked  # type: ignore[return-value]
    path = Path(asked)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        raise InputError(
            f"prevalence is {asked!r}, which is neither the word 'equal' nor a text file that can be read"
        ) from None
    delimiter = "\t" if "\t" in text.partition("\n")[0] else ","
    shares: dict[str, float] = {}
    for number, line in enumerate(csv.reader(text.splitlines(), delimiter=delimiter), 1):
        if not any(field.strip() for field in line):
            continue
        share = _share(line)
        if share is None:
            if number == 1:
                continue
            raise InputError(f"{path}, line {number} is not a label and a share; write lines as LABEL,SHARE")
        if line[0] in shares:
            raise InputError(f"{path} gives a share for {line[0]!r} twice; give one for each class")
        shares[line[0]] = share
    if not shares:
        raise InputError(f"{path} has no shares; write a line LABEL,SHARE for each class")
    return shares


def _share(line: list[str]) -> float | None:
    try:
        return float(line[1]) if len(line) == 2 else None
    except ValueError:
        return None
