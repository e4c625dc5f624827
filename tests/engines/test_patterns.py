"""Without truth: every engine in this process gives the same patterns, and what is made of them."""

from pathlib import Path

import pytest

from tests.engines.pattern_log import PATTERN_LOG, check_patterns, check_results
from tests.engines.writers import ENGINES, Engine

pytestmark = pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning")  # Ibis on DuckDB 2

RESULTS = ("csv", "dask", "sqlite")
"""Sources to test: three are enough, since equal patterns give equal results."""


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.name.replace(" ", "-"))
def test_engine_counts_patterns_as_by_hand(engine: Engine, tmp_path: Path) -> None:
    source = engine.write(PATTERN_LOG, tmp_path)
    try:
        check_patterns(source.read_all() if engine.name == "record batches" else source)  # they can be read once
        if engine.name in RESULTS:
            check_results(source)
    finally:
        if isinstance(source, tuple) and hasattr(source[0], "close"):
            source[0].close()
