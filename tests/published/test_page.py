"""The page of published figures is the one that its generator writes."""

import pytest

from tests.reference import why_absent
from tools.published_figures import PAGE, write_page

pytestmark = pytest.mark.reference


@pytest.mark.skipif(why_absent("published.json") is not None, reason=why_absent("published.json") or "")
def test_committed_page_is_what_the_generator_writes() -> None:
    assert PAGE.read_text(encoding="utf-8") == write_page(), "run `make docs`, and look at what changed"
