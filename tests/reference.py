"""Paths of the reference data: published figures with their inputs, which are not part of the project."""

import json
import os
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PUBLISHED = "published_full.json"
"""The printed figures of the papers, every one, with their inputs."""
ABSENT = "no reference data: set INFOSCOPE_REFERENCE_DATA to the folder that holds {name}"


def reference_file(name: str) -> Path:
    """Path of a file of the reference data, there or not."""
    return Path(os.environ.get("INFOSCOPE_REFERENCE_DATA") or ROOT.parent / "shared") / name


def why_absent(name: str) -> str | None:
    """The reason to skip what needs this file; None when it is there."""
    return None if reference_file(name).is_file() else ABSENT.format(name=name)


@cache
def published_document() -> dict[str, Any]:
    """The published figures as they stand in their file; nothing when there is none."""
    if why_absent(PUBLISHED):
        return {"inputs": {}, "figures": [], "reference_values": [], "split_triangle_values": []}
    document: dict[str, Any] = json.loads(reference_file(PUBLISHED).read_text(encoding="utf-8"))
    return document
