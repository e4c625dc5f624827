"""Every example runs, and one that needs an extra says which."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
SHORT = {"cross_validation": ["1"], "information_loss": ["1"], "king_rook_king": ["2"]}
"""Arguments with which the longer ones are quick."""
WITHOUT = """
import runpy, sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("sklearn", "matplotlib", "torch"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Absent())
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""
"""Runs a program as if these packages were not installed; SciPy looks for torch among the loaded modules."""


def run(*words: str) -> subprocess.CompletedProcess[str]:
    here = {**os.environ, "INFOSCOPE_REFERENCE_DATA": "/nowhere"}
    return subprocess.run([sys.executable, *words], capture_output=True, text=True, timeout=120, env=here, check=False)


@pytest.mark.slow
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs_with_the_core_alone_or_names_its_extra(path):
    done = run("-c", WITHOUT, str(path), *SHORT.get(path.stem, ()))

    assert "Traceback" not in done.stderr
    if done.returncode:
        extra = re.search(r"pip install 'infoscope\[(sklearn|torch)\]'", done.stderr)
        assert extra is not None, done.stderr
        assert f"infoscope[{extra[1]}]" in path.read_text(encoding="utf-8").split('"""')[1]
        pytest.importorskip(extra[1])
        done = run(str(path), *SHORT.get(path.stem, ()))
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) > 3
