"""The reference pages, written once for all tests of them."""

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the reference pages as they are now."""
    pytest.importorskip("sphinx")
    from tools.site.__main__ import write_reference

    target = tmp_path_factory.mktemp("site") / "reference"
    write_reference(target)
    return target
