"""The page of benchmarks follows from what was measured."""

from pathlib import Path

import pytest

pytest.importorskip("matplotlib")

from tools.bench.__main__ import DOCS, main
from tools.bench.page import page, write
from tools.bench.run import SCRIPTS, Run, machine

RECORDS = [
    {"kind": "ratio", "what": "a | table", "ours": 0.002, "theirs": 0.5, "peer": "scikit-learn"},
    {"kind": "figure", "what": "Parquet", "figure": "3.5 ns/row"},
    {"kind": "growth", "part": "rows", "series": "infoscope", "size": 1000, "seconds": 0.001},
    {"kind": "growth", "part": "rows", "series": "infoscope", "size": 10000, "seconds": 0.004},
    {"kind": "growth", "part": "rows", "series": "pandas", "size": 1000, "seconds": 0.1},
]


def run(**changes: object) -> Run:
    given = {
        "name": "growth", "machine": "a machine", "versions": "Python 3", "load": 0.5, "date": "2026-01-02",
        "briefly": False, "seconds": 3.0, "status": 0, "output": "what it printed\n", "records": RECORDS,
    }  # fmt: skip
    return Run(**{**given, **changes})  # type: ignore[arg-type]


@pytest.mark.slow
def test_figures_growth_machine_and_gpu_are_on_the_page(tmp_path: Path) -> None:
    write([run()], tmp_path)
    text = (tmp_path / "benchmarks.md").read_text(encoding="utf-8")

    assert "**Machine:** a machine; 2026-01-02; load 0.5 to 0.5" in text
    assert "| a \\| table | 2.00 ms | scikit-learn | 500 ms | 250 |" in text
    assert "| Parquet | 3.5 ns/row |" in text
    assert "| 1,000 | 1.00 ms | 100 ms |\n| 10,000 | 4.00 ms |  |" in text
    assert "| 100 | uint8 | 80% | 8.50 | 0.194 | 43.7× |" in text
    assert "what it printed" in text
    assert {path.name for path in (tmp_path / "benchmarks").iterdir()} == {"growth-rows.svg", "ratios.svg"}


def test_a_brief_run_and_a_failed_one_are_named() -> None:
    assert "these figures mean nothing" in page([run(briefly=True)])
    assert "these figures mean nothing" not in page([run()])
    assert "**failed with status 3**" in page([run(status=3)])
    assert "**The machine was busy** before growth" in page([run(load=9.0)])
    assert "busy" not in page([run()])


def test_a_page_without_a_run_is_rejected(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--page", "--folder", str(tmp_path), "--docs", str(tmp_path)])
    assert "has no run" in capsys.readouterr().err


def test_every_benchmark_is_run_and_the_committed_page_is_a_real_run() -> None:
    assert {"growth", "foundation", "reading", "tracking"} <= set(SCRIPTS)
    assert "timing" not in SCRIPTS
    assert "cores" in machine()
    text = (DOCS / "benchmarks.md").read_text(encoding="utf-8")
    assert "these figures mean nothing" not in text
    for part in ("rows", "classes", "draws", "workers"):
        assert f"benchmarks/growth-{part}.svg" in text
