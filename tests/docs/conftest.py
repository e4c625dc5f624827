"""The reference pages and the whole site, made once for all tests of them."""

import shutil
from pathlib import Path

import pytest

from tools.site import GENERATED

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


@pytest.fixture(scope="session")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the reference pages as they are now."""
    pytest.importorskip("sphinx")
    from tools.site.__main__ import write_reference

    target = tmp_path_factory.mktemp("site") / "reference"
    write_reference(target)
    return target


@pytest.fixture(scope="session")
def site(reference: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the site, beside a file with the warnings of its build."""
    from tools.site.__main__ import build

    folder = tmp_path_factory.mktemp("built")
    written = {DOCS / "reference" / name for name in GENERATED}
    shutil.copytree(
        DOCS, folder / "docs", ignore=lambda at, names: {name for name in names if Path(at, name) in written}
    )
    shutil.copytree(reference, folder / "docs" / "reference", dirs_exist_ok=True)
    for page in ROOT.glob("*.md"):  # some are included
        shutil.copy(page, folder)
    build(folder / "docs", folder / "site", "-w", str(folder / "warnings.txt"))
    return folder / "site"
