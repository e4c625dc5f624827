"""Files shipped beside the package: the action, the hook, the workflow, and the source distribution."""

import os
import subprocess
import sys
import sysconfig
import tomllib
import venv
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml

from tools.site import GENERATED

ROOT = Path(__file__).resolve().parents[1]
ROWS = "label,model\n" + "cat,cat\ndog,dog\n" * 40 + "cat,dog\n" * 10


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> str:
    """An environment that has this package, as the action makes one: nothing else tells an isolated Python of it."""
    place = tmp_path_factory.mktemp("environment")
    venv.create(place, with_pip=False, symlinks=True)
    inside = sysconfig.get_path("purelib", vars={"base": str(place), "platbase": str(place)})
    Path(inside, "project.pth").write_text(f"{ROOT / 'src'}\n{sysconfig.get_path('purelib')}\n")
    return str(place / "bin" / "python")


def run_action(python: str, folder: Path, **inputs: str) -> tuple[int, str, str]:
    """The script of the action, with its inputs as GitHub gives them: status, outcome and log."""
    (folder / "rows.csv").write_text(ROWS)
    output = folder / "output"
    output.write_text("")
    given = {"SOURCE": "rows.csv", "TRUTH": "label", "SYSTEM": "model", "PYTHON": python, **inputs}
    environment = {**os.environ, "PYTHONPATH": str(folder), "GITHUB_OUTPUT": str(output), **given}
    words = ["bash", str(ROOT / "tools" / "gate-action")]
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, output.read_text().strip(), done.stdout + done.stderr


@pytest.mark.slow
def test_the_action_passes_inputs_on_as_they_are(python: str, tmp_path: Path) -> None:
    def action(**inputs: str) -> tuple[int, str]:
        return run_action(python, tmp_path, **inputs)[:2]

    passed = action(LEAST="proficiency.low=0.1\n\naccuracy=0.5\n", JUNIT="j.xml", SARIF="s.sarif")
    assert passed == (0, "outcome=passed")
    assert (tmp_path / "j.xml").read_text().count("<testcase") == 2
    assert (tmp_path / "s.sarif").is_file()
    assert action(LEAST="accuracy=0.99", OPTIONS="-q") == (1, "outcome=failed")
    assert action(LEAST="accuracy=0.5", OPTIONS="--reject 'of two words' -q") == (0, "outcome=passed")
    empty = action(LEAST="accuracy=0.5", OPTIONS="--reject '' --min accuracy=0.99")
    assert empty == (1, "outcome=failed")  # an empty value is a value
    lines = action(LEAST="accuracy=0.5", OPTIONS="--reject 'two\nlines' --min accuracy=0.99")
    assert lines == (1, "outcome=failed")  # and a line end belongs to its word
    assert action(LEAST="accuracy=0.5", OPTIONS="--reject 'open") == (2, "outcome=error")
    harmful = action(LEAST="accuracy=0.5", TRUTH="$(touch owned)")
    assert harmful == (2, "outcome=error")
    assert not (tmp_path / "owned").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    "inputs",
    [
        {"SOURCE": "--help"},
        {"SOURCE": "-h"},
        {"OPTIONS": "--help"},
        {"OPTIONS": "--help-all"},
        {"OPTIONS": "-qh"},
        {"OPTIONS": "--reject", "SOURCE": "--help"},
        {"TRUTH": "--help"},
        {"LEAST": "--help"},
        {"_INFOSCOPE_COMPLETE": "bash_source", "TRUTH": "nothing"},
    ],
)
def test_the_action_does_not_pass_where_nothing_was_judged(python: str, tmp_path: Path, inputs: dict[str, str]) -> None:
    assert run_action(python, tmp_path, **{"LEAST": "accuracy=0.5", **inputs})[:2] == (2, "outcome=error")


@pytest.mark.slow
def test_the_action_runs_no_code_of_the_checkout(python: str, tmp_path: Path) -> None:
    for name in ("infoscope", "numpy", "click"):
        (tmp_path / name).mkdir()
        for file in ("__init__.py", "__main__.py"):
            (tmp_path / name / file).write_text("raise SystemExit(0)\n")
    (tmp_path / "sitecustomize.py").write_text("raise SystemExit(0)\n")
    (tmp_path / "shlex.py").write_text("raise SystemExit(0)\n")

    assert run_action(python, tmp_path, LEAST="accuracy=0.99")[:2] == (1, "outcome=failed")


@pytest.mark.slow
def test_the_action_does_not_write_over_what_it_reads(python: str, tmp_path: Path) -> None:
    for place in ({"JUNIT": "rows.csv"}, {"SARIF": "./rows.csv"}, {"OPTIONS": "-o rows.csv"}, {"JUNIT": "link.csv"}):
        (tmp_path / "link.csv").unlink(missing_ok=True)
        (tmp_path / "link.csv").symlink_to("rows.csv")
        status, outcome, log = run_action(python, tmp_path, LEAST="accuracy=0.5", **place)
        assert (status, outcome) == (2, "outcome=error"), place
        assert "both read and written" in log
        assert (tmp_path / "rows.csv").read_text() == ROWS


@pytest.mark.slow
def test_names_in_the_data_are_no_commands_to_the_log(python: str, tmp_path: Path) -> None:
    labels = ["::warning::x", "##[error]y", "a\n::add-mask::z", "  ::debug::w"]
    rows = "".join(f'"{label}","{other}"\n' for label in labels for other in [label] * 9 + labels)
    (tmp_path / "odd.csv").write_text(f'label,"::set-env name=A::b"\n{rows}')
    system = {"SYSTEM": "::set-env name=A::b", "SOURCE": "odd.csv", "GITHUB_ACTIONS": "true"}
    for more in ("", "--format json", "--format markdown", "--format csv", "-v"):
        _, outcome, log = run_action(python, tmp_path, LEAST="accuracy=0.99", OPTIONS=more, **system)
        assert outcome == "outcome=failed"
        commands = [line for line in log.splitlines() if line.strip().startswith("::")]
        assert commands, more
        assert all(line.startswith(("::error title=", "::warning title=")) for line in commands), more
        assert not any("##[" in line for line in log.splitlines() if line not in commands)
    broken = run_action(python, tmp_path, LEAST="accuracy=0.5", **{**system, "SOURCE": "x\n::warning::y"})
    assert "does not exist" in broken[2]
    assert "\n::" not in broken[2]


@pytest.mark.slow
def test_the_action_installs_into_an_environment_of_its_own(tmp_path: Path) -> None:
    """With folders in the checkout that have the names of what is run."""
    (install,) = (step for step in described_action()["runs"]["steps"] if step["name"] == "install")
    checkout, temporary = tmp_path / "checkout", tmp_path / "temporary"
    temporary.mkdir()
    for name in ("venv", "pip", "infoscope"):
        (checkout / name).mkdir(parents=True)
        (checkout / name / "__main__.py").write_text("raise SystemExit(1)\n")
    wheel = tmp_path / "infoscope-0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        about = "Metadata-Version: 2.1\nName: infoscope\nVersion: 0\n"
        archive.writestr("infoscope-0.dist-info/METADATA", about)
        archive.writestr(
            "infoscope-0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr("infoscope-0.dist-info/RECORD", "")
        archive.writestr("infoscope/__init__.py", "")
    output = tmp_path / "output"
    environment = {**os.environ, "PYTHON": sys.executable, "HERE": str(wheel), "WANTED": "", "PIP_NO_INDEX": "1"}
    environment |= {"RUNNER_TEMP": str(temporary), "GITHUB_OUTPUT": str(output), "PYTHONPATH": str(checkout)}
    subprocess.run(["bash", "-c", install["run"]], cwd=checkout, env=environment, check=True, timeout=300)

    python = Path(output.read_text().strip().removeprefix("python="))
    assert python.is_relative_to(temporary)
    words = [python, "-I", "-c", "import infoscope; print(infoscope.__file__)"]
    found = subprocess.run(words, cwd=checkout, capture_output=True, text=True, check=True).stdout
    assert Path(found.strip()).is_relative_to(temporary)


def described_action() -> Any:
    return yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))


def test_every_input_of_the_action_reaches_its_script() -> None:
    described = described_action()
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
    made = (*(f"docs/reference/{name}" for name in GENERATED), "native/fuzz/build")
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
