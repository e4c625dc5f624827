"""Every example runs, and one that needs an extra says which."""

import json
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
SHORT = {"cross_validation": ["1"], "information_loss": ["1"], "king_rook_king": ["2"], "without_truth": ["600"]}
"""Arguments with which the longer ones are quick."""
PROGRAM = """
import contextlib, io, json, runpy, sys, traceback
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("sklearn", "matplotlib", "torch"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
examples, absent = map(json.loads, sys.argv[1:])
if absent:
    sys.meta_path.insert(0, Absent())
for path, *words in examples:
    sys.argv = [path, *words]
    status, out, err = 0, io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            runpy.run_path(path, run_name="__main__")
        except SystemExit as end:
            status = end.code or 0
            if isinstance(status, str):
                print(status, file=sys.stderr)
        except BaseException:
            status = 1
            traceback.print_exc()
    print(json.dumps({"path": path, "status": status, "printed": out.getvalue(), "said": err.getvalue()}), flush=True)
"""
"""Runs programs one after another, as if these packages were not installed where that is asked for; SciPy looks for
torch among the loaded modules."""


def run(paths: list[Path], *, absent: bool) -> dict[str, dict[str, Any]]:
    examples = json.dumps([[str(path), *SHORT.get(path.stem, ())] for path in paths])
    words = [sys.executable, "-c", PROGRAM, examples, json.dumps(absent)]
    here = {**os.environ, "INFOSCOPE_REFERENCE_DATA": "/nowhere"}
    done = subprocess.run(words, capture_output=True, text=True, timeout=600, env=here, check=False)
    assert done.returncode == 0, done.stderr
    return {Path(one["path"]).stem: one for one in map(json.loads, done.stdout.splitlines())}


@cache
def with_the_core_alone() -> dict[str, dict[str, Any]]:
    return run(EXAMPLES, absent=True)


@cache
def with_extras() -> dict[str, dict[str, Any]]:
    """Run the examples that need an extra, with all that are installed."""
    return run([path for path in EXAMPLES if with_the_core_alone()[path.stem]["status"]], absent=False)


@pytest.mark.slow
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs_with_the_core_alone_or_names_its_extra(path):
    done = with_the_core_alone()[path.stem]

    assert "Traceback" not in done["said"]
    if done["status"]:
        extra = re.search(r"pip install 'infoscope\[(sklearn|torch)\]'", done["said"])
        assert extra is not None, done["said"]
        assert f"infoscope[{extra[1]}]" in path.read_text(encoding="utf-8").split('"""')[1]
        pytest.importorskip(extra[1])
        done = with_extras()[path.stem]
    assert done["status"] == 0, done["said"]
    assert len(done["printed"].splitlines()) > 3
