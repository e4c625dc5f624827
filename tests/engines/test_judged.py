"""Few labels and a judge: every engine in this process gives the same two tensors, in one pass."""

from pathlib import Path

import numpy as np
import pytest

from infoscope import Judged
from tests.engines.judged_log import JUDGED_LOG, check_tensors, check_weighted_grades, read_judged, tensors_by_hand
from tests.engines.writers import ENGINES, Engine, as_csv, as_sqlite_url

pytestmark = pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning")  # Ibis on DuckDB 2


@pytest.mark.parametrize("check", [check_tensors, check_weighted_grades], ids=["tensors", "grades"])
@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.name.replace(" ", "-"))
def test_engine_gives_both_tensors(engine: Engine, check, tmp_path: Path) -> None:
    source = engine.write(JUDGED_LOG, tmp_path)
    try:
        check(source)
    finally:
        if isinstance(source, tuple) and hasattr(source[0], "close"):
            source[0].close()


def test_parts_of_different_engines_merge_in_files(tmp_path: Path) -> None:
    for name, write in (("one", as_csv), ("two", as_sqlite_url)):
        (tmp_path / name).mkdir()
        read_judged(write(JUDGED_LOG, tmp_path / name)).save(tmp_path / f"{name}.ifs")
    both = Judged.load(tmp_path / "one.ifs") + Judged.load(tmp_path / "two.ifs")
    labelled, everything = tensors_by_hand("model")
    assert np.array_equal(both.counts("model").labelled, 2 * labelled)
    assert np.array_equal(both.counts("model").everything, 2 * everything)
