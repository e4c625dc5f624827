"""Every kind of result in every form is what it was; after a change on purpose, run ``python -m tools.golden``."""

from __future__ import annotations

import pytest

from tests.api import KINDS
from tools.golden import FOLDER, FORMS, golden_file, rendered


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_result_looks_as_before(kind: str, form: str) -> None:
    expected = golden_file(kind, form).read_text(encoding="utf-8")

    assert rendered(kind, form) == expected, "looked at and wanted? then run `python -m tools.golden`"


def test_no_file_is_left_over() -> None:
    wanted = {golden_file(kind, form).name for kind in KINDS for form in FORMS}

    assert {path.name for path in FOLDER.iterdir()} == wanted
