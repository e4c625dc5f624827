"""Write every kind of result in every form as files under tests/golden: ``python -m tools.golden``."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from infoscope import __version__
from infoscope.results import Result
from tests.results.examples import EXAMPLES, example

FOLDER = Path(__file__).parents[1] / "tests" / "golden"
DIGITS = 6
"""Significant digits of stored numbers: beyond them, processors and versions of NumPy may differ."""

FORMS: dict[str, Callable[[Result], str]] = {
    "txt": lambda result: result.to_text(),
    "md": lambda result: result.to_markdown(),
    "json": lambda result: json.dumps(_rounded(result.to_dict()), indent=1, ensure_ascii=False) + "\n",
    "notebook.html": lambda result: result._repr_html_().replace("><", ">\n<") + "\n",
}
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
_PICTURE = re.compile(r"(?<=base64,)[A-Za-z0-9+/=]+")


def rendered(kind: str, form: str) -> str:
    """Render the example of a kind in a form, without versions, times and pictures, which have tests of their own."""
    text = FORMS[form](example(kind)).replace(__version__, "VERSION")
    return _PICTURE.sub("PICTURE", _TIME.sub("TIME", text))


def golden_file(kind: str, form: str) -> Path:
    """Return the file of a form of a kind."""
    return FOLDER / f"{kind}.{form}"


def _rounded(part: Any) -> Any:
    if isinstance(part, dict):
        return {name: _rounded(inner) for name, inner in part.items()}
    if isinstance(part, (list, tuple)):
        return [_rounded(inner) for inner in part]
    if not isinstance(part, float):
        return part
    return 0.0 if abs(part) < 10**-12 else float(f"{part:.{DIGITS}g}")


def main() -> None:
    """Write one file per kind and form, and remove those of kinds that no longer exist."""
    os.environ["SOURCE_DATE_EPOCH"] = "1790000000"  # as in the tests
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.iterdir():
        old.unlink()
    for kind in EXAMPLES:
        for form in FORMS:
            golden_file(kind, form).write_text(rendered(kind, form), encoding="utf-8")


if __name__ == "__main__":
    main()
