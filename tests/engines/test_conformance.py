"""Every engine in this process gives the table that counting by hand gives, to the last count."""

from pathlib import Path

import pytest

from tests.engines.cases import CASES, TIME_CASES, Case, counted, expected
from tests.engines.writers import ENGINES, Engine


@pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning")  # Ibis on DuckDB 2
@pytest.mark.parametrize("case", [*CASES, *TIME_CASES], ids=lambda case: case.name.replace(" ", "-"))
@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.name.replace(" ", "-"))
def test_engine_counts_as_by_hand(engine: Engine, case: Case, tmp_path: Path) -> None:
    source = engine.write(case, tmp_path)
    if engine.name.endswith("ndjson") and not case.rows:
        pytest.skip("an NDJSON file without lines has no column names")
    try:
        assert counted(source, case) == expected(case, engine.spelt)
    finally:
        if isinstance(source, tuple) and hasattr(source[0], "close"):
            source[0].close()
