"""Paths of the reference figures of trackers, which are not part of the project."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(os.environ.get("INFOSCOPE_REFERENCE_DATA") or Path(__file__).resolve().parents[3] / "shared")
ORACLE = FOLDER / "oracle_tracking.json"
CAMPUS = FOLDER / "data" / "tracking" / "TUD-Campus"

needs_reference = pytest.mark.skipif(
    not ORACLE.is_file() or not CAMPUS.is_dir(),
    reason="no reference data: set INFOSCOPE_REFERENCE_DATA to the folder that holds oracle_tracking.json",
)


def oracle() -> dict[str, Any]:
    document: dict[str, Any] = json.loads(ORACLE.read_text(encoding="utf-8"))
    return document
