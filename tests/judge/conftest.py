"""Fixtures of the tests with a judge."""

from collections.abc import Iterator

import pytest

from tests.api import judge_model


@pytest.fixture(scope="module")
def few_draws() -> Iterator[None]:
    """Enough draws to see that a figure is there, in a fraction of the time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(judge_model, "TWO_CLASS_DRAWS", 512)
        yield
