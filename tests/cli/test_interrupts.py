"""Ctrl-C at random moments: status 130 and the whole file or none, from the first import to the last word.

INFOSCOPE_INTERRUPTS is the number of moments per command, 6 by default, 100 for the long run.
"""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import click
import duckdb
import pytest

from infoscope.errors import InputError
from tests.api import _explain_foreign, settled

MOMENTS = int(os.environ.get("INFOSCOPE_INTERRUPTS", "6"))
COMMANDS = {
    "page": (["evaluate", "log.csv", "-t", "gold", "-s", "svm"], "out.html"),
    "part": (["count", "log.csv", "-t", "gold", "-s", "svm"], "part.ifs"),
}


def started(words: list[str], folder: Path) -> subprocess.Popen[str]:
    scratch = folder / "scratch"
    scratch.mkdir(exist_ok=True)
    env = {**os.environ, "TMPDIR": str(scratch), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    heard = signal.signal(signal.SIGINT, signal.default_int_handler)  # a child inherits what is ignored
    try:
        return _process(words, folder, env)
    finally:
        signal.signal(signal.SIGINT, heard)


def _process(words: list[str], folder: Path, env: dict[str, str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "infoscope", *words],
        cwd=folder,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("log") / "log.csv"
    rows = (
        "SELECT 'class ' || (hash(i) % 40) AS gold, 'class ' || (hash(i + i % 3) % 40) AS svm FROM range(200000) r(i)"
    )
    duckdb.execute(f"COPY ({rows}) TO '{path}' (FORMAT csv)")
    return path


def test_an_interrupt_waits_until_the_engine_is_loaded() -> None:
    """Inside of it, the engine ended the process by SIGABRT and left its scratch files."""
    code = (
        "import signal, sys, types\n"
        "class Slow:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'duckdb':\n"
        "            signal.raise_signal(signal.SIGINT)\n"
        "            print('still loading', flush=True)\n"
        "sys.meta_path.insert(0, Slow())\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "try:\n    import infoscope.core.embedded_database\n"
        "except KeyboardInterrupt:\n    print('duckdb' in sys.modules)\n"
        "print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert done.stdout.split("\n") == ["still loading", "True", "True", ""], done.stderr


def test_an_interrupt_waits_until_the_folder_for_temporary_files_was_tried() -> None:
    """Python tries it by a file of its own, which once stayed there."""
    code = (
        "import signal, tempfile\n"
        "find = tempfile._get_default_tempdir\n"
        "def find_late():\n"
        "    signal.raise_signal(signal.SIGINT)\n"
        "    print('still trying', flush=True)\n"
        "    return find()\n"
        "tempfile._get_default_tempdir = find_late\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "try:\n    import infoscope.core.embedded_database\n"
        "except KeyboardInterrupt:\n    print(tempfile.tempdir is not None)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert done.stdout.split("\n") == ["still trying", "True", ""], done.stderr


def test_who_asked_to_look_around_afterwards_can() -> None:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "PYTHONINSPECT": "1"}
    words = [sys.executable, "-m", "infoscope", "--version"]
    done = subprocess.run(words, input="", capture_output=True, text=True, env=env, check=False)

    assert done.stderr.endswith(
        "SystemExit: 0\n"
    )  # by which the interpreter begins; a terminal would have its prompt now


@pytest.mark.skipif(not hasattr(sys, "monitoring"), reason="since Python 3.12")
def test_a_profiler_gets_its_results() -> None:
    code = "from infoscope.__main__ import main; import sys; sys.argv[1:] = ['--version']; main()"
    watched = f"import cProfile; cProfile.run({code!r})"
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run([sys.executable, "-c", watched], capture_output=True, text=True, env=env, check=False)

    assert "function calls" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("kind", list(COMMANDS))
def test_an_interrupt_at_any_moment(kind: str, log: Path, tmp_path: Path) -> None:
    words, name = COMMANDS[kind]
    (tmp_path / "log.csv").symlink_to(log)
    target = tmp_path / name
    begin = time.monotonic()
    _, said = started([*words, "-o", name], tmp_path).communicate(timeout=300)
    life, whole = time.monotonic() - begin, target.read_bytes()
    draw = random.Random(kind)
    seen = []
    for _ in range(MOMENTS):
        target.unlink(missing_ok=True)
        moment = draw.uniform(0.0, 1.05 * life)
        process = started([*words, "-o", name], tmp_path)
        time.sleep(moment)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=300)
        situation = f"after {moment:.3f} s of {life:.3f}: status {process.returncode}, {said}"
        seen.append(process.returncode)

        assert not target.exists() or target.read_bytes() == whole, situation
        assert list((tmp_path / "scratch").iterdir()) == [], situation
        assert {path.name for path in tmp_path.iterdir()} <= {"log.csv", "scratch", name}, situation
        if process.returncode == 130:
            assert said in ("infoscope: interrupted\n", "") or target.exists(), situation
        elif process.returncode == 0:
            assert target.exists(), situation
        else:
            assert "infoscope/" not in said, situation  # the interpreter itself was still starting
        assert "infoscope/" not in said or "Traceback" not in said, situation
    print(kind, f"{life:.2f} s", sorted(seen))


@pytest.mark.parametrize("kind", [InputError, RuntimeError, click.UsageError])
def test_an_interrupt_that_an_engine_puts_in_its_own_words_is_said_as_one(
    kind: type[Exception], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("infoscope.cli.process._heard", [signal.SIGINT])
    with pytest.raises(SystemExit) as end, settled(verbose=True):
        raise kind("Gateway must be connected to send cancel cmd")

    assert (end.value.code, capsys.readouterr().err) == (130, "infoscope: interrupted\n")


def test_an_error_that_came_up_while_an_interrupt_was_handled_is_the_interrupt() -> None:
    problem = RuntimeError("Gateway must be connected to send cancel cmd")
    problem.__context__ = KeyboardInterrupt()  # as py4j raises it
    with pytest.raises(KeyboardInterrupt), _explain_foreign("a frame"):
        raise problem


def test_an_interrupt_that_is_ignored_stays_so() -> None:
    code = "import signal, os; signal.signal(signal.SIGINT, signal.SIG_IGN); os.execv({0!r}, [{0!r}, '-c', {1!r}])"
    inner = (
        "import signal; from infoscope.cli.process import heed_signals; heed_signals(); "
        "print(signal.getsignal(signal.SIGINT) == signal.SIG_IGN)"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(
        [sys.executable, "-c", code.format(sys.executable, inner)], capture_output=True, text=True, env=env, check=True
    )

    assert done.stdout == "True\n"


def test_nothing_large_is_loaded_before_interrupts_are_heard() -> None:
    code = "import sys; import infoscope.__main__; print(*sorted(sys.modules))"
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env, check=True)

    loaded = set(done.stdout.split())
    assert {name for name in loaded if name.startswith("infoscope")} == {"infoscope", "infoscope.__main__"}
    assert not loaded & {"numpy", "scipy", "click", "duckdb"}


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("from infoscope.__main__ import main; main()", ["at the end"]),
        (
            "import infoscope.__main__ as called\ntry: called.main()\nfinally: print('goes on')",
            ["goes on", "at the end"],
        ),
    ],
)
def test_the_end_of_a_command_is_that_of_its_process(code: str, expected: list[str]) -> None:
    """And a process that was not started for the command goes on."""
    code = f"import atexit, sys; atexit.register(print, 'at the end'); sys.argv[1:] = ['--version']\n{code}"
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env, check=True)

    assert done.stdout.splitlines()[1:] == expected


@pytest.mark.slow
@pytest.mark.parametrize("words", [["-m", "infoscope"], ["-c", "from infoscope.__main__ import main; main()"]])
def test_an_interrupt_inside_exec_ends_with_its_status(tmp_path: Path, words: list[str]) -> None:
    """Inside ``exec``, as in a dataclass, the interpreter ends a module by the signal, whatever its status is."""
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\n"
        "def hook(event, arguments):\n"
        "    if event == 'exec' and arguments[0].co_filename.endswith('studies/evaluate.py'):\n"
        "        exec('import os, signal; os.kill(os.getpid(), signal.SIGINT); [0 for _ in range(1000)]')\n"
        "sys.addaudithook(hook)\n"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *filter(None, sys.path)])}
    command = [sys.executable, *words, "demo"]
    heard = signal.signal(signal.SIGINT, signal.default_int_handler)  # a child inherits what is ignored
    try:
        done = subprocess.run(command, capture_output=True, text=True, env=env, check=False)
    finally:
        signal.signal(signal.SIGINT, heard)

    assert (done.returncode, done.stderr) == (130, "infoscope: interrupted\n")
