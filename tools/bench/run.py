"""Running the benchmarks one after the other, and keeping what they measured."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

__all__ = ["FOLDER", "SCRIPTS", "Run", "machine", "measure", "read"]

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / ".benchmarks"
HELPERS = {"timing", "populations", "calibration_models", "calibration_report"}
SCRIPTS = tuple(sorted(path.stem for path in (ROOT / "benchmarks").glob("[a-z]*.py") if path.stem not in HELPERS))
PEERS = ("numpy", "scikit-learn", "pandas", "pycm", "duckdb", "pyarrow", "trackeval", "scipy")


@dataclass(frozen=True)
class Run:
    """One benchmark of a run: where, when, what it printed, and its figures."""

    name: str
    machine: str
    versions: str
    load: float
    """Of the machine at its start, in processors wanted."""
    date: str
    briefly: bool
    seconds: float
    status: int
    output: str
    records: list[dict[str, Any]] = field(default_factory=list)


def measure(names: Sequence[str], folder: Path) -> None:
    """Run benchmarks; what each printed is shown as it comes, and kept in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        print(f"== benchmarks/{name}.py", flush=True)
        kept = folder / f"run-{name}.json"
        kept.write_text(json.dumps(asdict(_run(name, folder)), indent=1, ensure_ascii=False), encoding="utf-8")


def _run(name: str, folder: Path) -> Run:
    records = folder / f"records-{name}.jsonl"
    records.unlink(missing_ok=True)
    environment = {**os.environ, "INFOSCOPE_BENCHMARKS_RECORD": str(records.resolve()), "PYTHONUNBUFFERED": "1"}
    found_in = [
        str(ROOT),
        *filter(None, [os.environ.get("PYTHONPATH")]),
    ]  # one starts a server of the tests
    environment["PYTHONPATH"] = os.pathsep.join(found_in)
    load, start, lines = os.getloadavg()[0], time.perf_counter(), []
    script = [sys.executable, str(ROOT / "benchmarks" / f"{name}.py")]
    with subprocess.Popen(script, env=environment, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", flush=True)
            lines.append(line)
    found = records.read_text(encoding="utf-8").splitlines() if records.exists() else []
    return Run(
        name,
        machine(),
        _versions(),
        load,
        time.strftime("%Y-%m-%d"),
        bool(os.environ.get("INFOSCOPE_BENCHMARKS_BRIEFLY")),
        time.perf_counter() - start,
        process.returncode,
        "".join(lines),
        [json.loads(line) for line in found],
    )


def read(folder: Path) -> list[Run]:
    """Return the results in the folder, in the order of the scripts."""
    paths = (folder / f"run-{name}.json" for name in SCRIPTS)
    return [Run(**json.loads(path.read_text(encoding="utf-8"))) for path in paths if path.exists()]


def machine() -> str:
    """Processor, cores, memory and system, in words."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{_processor()}, {os.cpu_count()} cores, {memory:.0f} GiB, {platform.system()} {platform.machine()}"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next(
        (line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown processor"
    )


def _versions() -> str:
    found = [f"Python {platform.python_version()}"]
    for name in PEERS:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    return ", ".join(found)
