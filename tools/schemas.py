"""The JSON Schema of every kind of result, as files under docs/schemas: ``python -m tools.schemas``."""

from __future__ import annotations

import json
from pathlib import Path

from infoscope.results import KINDS, get_result_class

FOLDER = Path(__file__).parents[1] / "docs" / "schemas"


def main() -> None:
    """Write one file per kind, and remove those of kinds that no longer exist."""
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.glob("*.json"):
        old.unlink()
    for kind in KINDS:
        text = json.dumps(get_result_class(kind).json_schema(), indent=1, ensure_ascii=False)
        (FOLDER / f"{kind}.json").write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
