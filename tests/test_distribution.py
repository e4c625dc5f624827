"""What is shipped beside the package: the action, the hook, the workflow, and what the sources hold."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[1]
ROWS = "label,model\n" + "cat,cat\ndog,dog\n" * 40 + "cat,dog\n" * 10


def action(folder: Path, **inputs: str) -> tuple[int, str]:
    """The script of the action, with its inputs as GitHub gives them."""
    (folder / "rows.csv").write_text(ROWS)
    output = folder / "output"
    given = {"SOURCE": "rows.csv", "TRUTH": "label", "SYSTEM": "model", "PYTHON": sys.executable, **inputs}
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "GITHUB_OUTPUT": str(output), **given}
    words = ["bash", str(ROOT / "tools" / "gate-action")]
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, output.read_text().strip()


@pytest.mark.slow
def test_the_action_passes_inputs_on_as_they_are(tmp_path: Path) -> None:
    passed = action(tmp_path, LEAST="proficiency.low=0.1\n\naccuracy=0.5\n", JUNIT="j.xml", SARIF="s.sarif")
    assert passed == (0, "outcome=passed")
    assert (tmp_path / "j.xml").read_text().count("<testcase") == 2
    assert (tmp_path / "s.sarif").is_file()
    (tmp_path / "output").unlink()
    assert action(tmp_path, LEAST="accuracy=0.99", OPTIONS="-q") == (1, "outcome=failed")
    (tmp_path / "output").unlink()
    assert action(tmp_path, LEAST="accuracy=0.5", OPTIONS="--run 'of two words' -q") == (0, "outcome=passed")
    (tmp_path / "output").unlink()
    empty = action(tmp_path, LEAST="accuracy=0.5", OPTIONS="--run '' --min accuracy=0.99")
    assert empty == (1, "outcome=failed")  # an empty value is a value
    (tmp_path / "output").unlink()
    lines = action(tmp_path, LEAST="accuracy=0.5", OPTIONS="--run 'two\nlines' --min accuracy=0.99")
    assert lines == (1, "outcome=failed")  # and a line end belongs to its word
    (tmp_path / "output").unlink()
    assert action(tmp_path, LEAST="accuracy=0.5", OPTIONS="--run 'open") == (2, "outcome=error")
    (tmp_path / "output").unlink()
    harmful = action(tmp_path, LEAST="accuracy=0.5", TRUTH="$(touch owned)")
    assert harmful == (2, "outcome=error")
    assert not (tmp_path / "owned").exists()


def test_every_input_of_the_action_reaches_its_script() -> None:
    described = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    script = (ROOT / "tools" / "gate-action").read_text(encoding="utf-8")
    steps = described["runs"]["steps"]
    passed_on = {value: name for step in steps for name, value in step["env"].items()}

    assert described["runs"]["using"] == "composite"
    for name in described["inputs"]:
        assert f"${{{{ inputs.{name} }}}}" in passed_on, name
    for step in steps:
        assert "inputs." not in step["run"]  # a value in the text of a script would be run
        used = step["run"] + script
        assert all(f"${name}" in used or f"${{{name}" in used for name in step["env"])


def test_hooks_and_workflows_are_yaml() -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert hook["entry"] == "infoscope gate"
    for path in (ROOT / ".github" / "workflows").glob("*.yml"):
        jobs = yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"]
        assert all(job["steps"] for job in jobs.values()), path.name


def distributed() -> set[str]:
    """Files of the source distribution beside those of the package, by the rules of MANIFEST.in."""
    listed = pytest.importorskip("setuptools.command.egg_info").FileList()
    for line in (ROOT / "MANIFEST.in").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            listed.process_template_line(line)
    return set(listed.files)


@pytest.mark.slow
def test_sources_hold_what_their_tests_need(monkeypatch: pytest.MonkeyPatch) -> None:
    """`make test` runs from an unpacked source distribution: nothing kept here is left out, nothing built is in it."""
    monkeypatch.chdir(ROOT)
    known = distributed()
    folders = (".ci", ".github", "benchmarks", "docs", "examples", "native", "tests", "tools")
    made = ("docs/reference/", "native/fuzz/build")
    kept = [
        *(path for name in folders for path in (ROOT / name).rglob("*") if path.is_file()),
        *(path for path in (ROOT / "src").iterdir() if path.is_file()),  # packages are found by themselves
        *(path for path in ROOT.iterdir() if path.is_file() and path.name not in (".git", ".coverage")),
    ]
    names = {str(path.relative_to(ROOT)) for path in kept if path.suffix not in (".pyc", ".so", ".pyd")}
    by_setuptools = {"pyproject.toml", "setup.py", "LICENSE", "README.md", "MANIFEST.in"}
    missing = {name for name in names - known - by_setuptools if not name.startswith(made)}
    assert not missing, sorted(missing)
    assert not [name for name in known if name.endswith((".so", ".pyc"))]
    assert "tests/readers/s3_server.py" in known  # no test itself, but tests need it


def test_sources_hold_no_compiled_part() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]

    assert "*.so" in settings["exclude-package-data"]["*"]
    assert "*.so" in (ROOT / "MANIFEST.in").read_text()
    workflow = (ROOT / ".github" / "workflows" / "wheels.yml").read_text()
    assert "tools/check-dist" in workflow
    assert "cp311-*" in workflow
