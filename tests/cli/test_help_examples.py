"""Examples in the help run; shells complete; manual pages are pages."""

import re
import shlex
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import click
import numpy as np
import pandas as pd
import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner, Result

import infoscope as ifs
from tests.api import COMMANDS, app, options

CONTEXT = click.Context(app)
FILE = re.compile(r"([a-z]\w*=)?[A-Za-z][\w./{}*-]*(\.[a-z]\w{1,6}|/)")
WRITTEN = ("-o", "--labels-out")
LEFT_OUT = {"serve"}
"""Commands that do not end by themselves."""


def run(*words: str) -> Result:
    return CliRunner().invoke(app, list(words))


def examples() -> list[str]:
    found = []
    for name in (None, *COMMANDS):
        command = app if name is None else app.get_command(CONTEXT, name)
        commands = list(command.commands.values()) if name and isinstance(command, click.Group) else [command]
        for each in (command, *commands):
            text = " ".join((each.help or "").split())
            found += [part.strip() for part in re.findall(r"Example: (infoscope .*?)(?= Example:|$)", text)]
    return list(dict.fromkeys(found))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that the examples name."""
    place = tmp_path_factory.mktemp("examples")
    rng = np.random.default_rng(3)
    label = rng.choice(["cat", "dog", "cow"], 150)

    def guess(right: float) -> list[str]:
        return np.where(rng.random(150) < right, label, rng.choice(["cat", "dog", "cow"], 150)).tolist()

    systems = {name: guess(0.8) for name in ("svm", "knn", "model", "model_a", "model_b", "old", "new", "gpt")}
    rows = {"label": label.tolist(), "human": label.tolist(), **systems}
    (place / "predictions.csv").write_text(table(rows))
    many = {name: values * 20 for name, values in rows.items()}
    (place / "rows.csv").write_text(table({**many, "human": [*many["human"][:300], *[""] * 2700]}))
    levels = np.array(["low", "medium", "high"])
    truth = rng.integers(0, 3, 150)
    annotators = {
        who: levels[np.where(rng.random(150) < 0.8, truth, rng.integers(0, 3, 150))].tolist()
        for who in ("ann", "bob", "eve")
    }
    months = {"month": ["2026-01"] * 75 + ["2026-02"] * 75}
    (place / "labels.csv").write_text(table({**annotators, **months}))
    for who, given in annotators.items():
        (place / f"{who}.txt").write_text("".join(f"item{at}\t{word}\n" for at, word in enumerate(given)))
    for name in ("gold", "model", "a", "b"):
        (place / f"{name}.txt").write_text("".join(f"o{at}\t{word}\n" for at, word in enumerate(guess(0.8))))
    for name in ("confusion", "old", "new"):
        (place / f"{name}.csv").write_text("t,cat,dog\ncat,40,5\ndog,7,48\n")
    scores = {"label": (label == "cat").astype(int).tolist(), "probability": rng.random(150).round(3).tolist()}
    (place / "scores.csv").write_text(table({**scores, "country": ["fr", "de", "it"] * 50}))
    result = ifs.evaluate(label.tolist(), {"model": systems["model"]}, keep_rows=True)
    for name in ("base.json", "evaluation.json"):
        result.save(place / name)
    ifs.compare(label.tolist(), {"old": systems["old"], "new": systems["new"]}).save(place / "comparison.json")
    for day in ("monday", "tuesday"):
        ifs.Contingency.from_labels(label, systems["model"]).save(place / f"{day}.ifs")
    (place / "man1").mkdir()
    write_more(place, rows, rng)
    return place


def write_more(place: Path, rows: dict[str, list[object]], rng: np.random.Generator) -> None:
    """Runs of several seeds, a log of decisions, tracks, and a file of Parquet."""
    runs: dict[str, list[object]] = {"predicted": rows["svm"], "depth": [1, 2, 3] * 50, "seconds": [5, 7, 9] * 50}
    (place / "runs.csv").write_text(table({**rows, **runs, "seed": [1, 2, 3] * 50}))
    (place / "log.csv").write_text(
        table({name: rng.choice(["x", "y"], 150).tolist() for name in ("scout", "radio", "move", "win", "source")})
    )
    for folder in ("runs", "out"):
        (place / folder).mkdir()
    for day in (14, 15, 16, 17, 18):
        night = ifs.evaluate(rows["label"], {"model": rows["model"]})
        made = replace(night.provenance, made=f"2026-11-{day}T06:00:00Z", run=f"2026-11-{day}")
        replace(night, provenance=made).save(place / "runs" / f"night-{day}.json")
    for seed in (1, 2, 3):
        (place / "runs" / f"seed-{seed}.csv").write_text(table(rows))
        for name in ("svm", "tree"):
            (place / "out" / f"{name}-{seed}.csv").write_text("t,cat,dog\ncat,40,5\ndog,7,48\n")
    boxes = [f"{frame},{who},{10 * who + frame},{20 * who},8,16,1,-1,-1,-1" for frame in range(1, 9) for who in (1, 2)]
    for name in ("gt.txt", "results.txt"):
        (place / name).write_text("\n".join(boxes) + "\n")
    pd.DataFrame({name: rows[name] for name in ("label", "model")}).to_parquet(place / "monday.parquet")


def table(columns: dict[str, list[object]]) -> str:
    lines = [",".join(columns), *(",".join(map(str, row)) for row in zip(*columns.values(), strict=True))]
    return "\n".join(lines) + "\n"


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("example", examples())
def test_an_example_of_the_help_runs(example: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, name, *words = shlex.split(example)
    if name in LEFT_OUT:
        pytest.skip(f"{name} runs until it is stopped")
    inputs = [word for at, word in enumerate(words) if FILE.fullmatch(word) and words[at - 1] not in WRITTEN]
    monkeypatch.chdir(folder)
    absent = [word for word in inputs if not list(folder.glob(re.sub(r"\{\w+\}", "*", word.partition("=")[2] or word)))]
    if absent:
        pytest.skip(f"{absent[0]} is made up")
    for at, word in enumerate(words):
        if words[at - 1] in WRITTEN and Path(word).is_file():
            Path(word).unlink()
    done = run(name, *words)

    assert done.exit_code in (0, 1, 3), done.output
    assert done.exit_code == 0 or name == "gate"


def test_most_examples_are_tried() -> None:
    assert len(examples()) > 40
    tried = [
        each for each in examples() if each.split()[1] in ("evaluate", "compare", "gate", "agree", "show", "explain")
    ]
    assert len(tried) > 20


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_a_shell_asks_infoscope(shell: str) -> None:
    done = run("completion", shell)

    assert done.exit_code == 0
    assert f"_INFOSCOPE_COMPLETE={shell}_complete" in done.stdout
    assert run("completion", "tcsh").exit_code == 2


def test_words_are_completed() -> None:
    def words(typed: list[str], begun: str) -> set[str]:
        return {item.value for item in ShellComplete(app, {}, "infoscope", "_X").get_completions(typed, begun)}

    assert words([], "ev") == {"evaluate"}
    assert {"--min", "--max"} <= words(["gate"], "--m")
    assert words(["gate", "--inconclusive"], "f") == {"fail"}
    for typed in (["explain"], ["evaluate", "--metric"], ["gate", "--min"], ["sweep", "--metric"]):
        assert "proficiency" in words(typed, "prof"), typed
    assert words(["man"], "ga") == {"gate"}
    assert words(["evaluate", "--read"], "en") == {"encoding=", "engine="}
    assert words(["evaluate", "--level"], "0") == set()


def test_columns_are_completed_by_those_of_the_file(tmp_path: Path) -> None:
    def words(*typed: str, begun: str = "") -> set[str]:
        return {item.value for item in ShellComplete(app, {}, "infoscope", "_X").get_completions([*typed], begun)}

    log = tmp_path / "log.csv"
    log.write_text("gold,svm,a tree\ncat,cat,dog\n")
    columns = {"gold", "svm"}  # a shell would take another name for two words
    assert words("evaluate", str(log), "-t") == words("compare", str(log), "-t", "gold", "-s") == columns
    assert words("gate", str(log), "--system", begun="s") == {"svm"}
    pd.DataFrame({"truth": ["a"], "model": ["b"]}).to_parquet(tmp_path / "log.parquet")
    assert words("sweep", str(tmp_path / "log.parquet"), "-t") == {"truth", "model"}
    (tmp_path / "bad.parquet").write_bytes(b"PAR1")
    for source in ("-", "missing.csv", "s3://logs/log.csv", str(tmp_path / "bad.parquet"), str(tmp_path)):
        assert words("evaluate", source, "-t") == set(), source
    assert words("evaluate", "-t") == set()
    assert words("evaluate", "x" * 5000, "-t") == set()  # longer than the name of a file may be


def test_names_that_a_shell_would_take_for_something_else_are_not_completed(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    log.write_text("gold,true class,$(touch x),o'k,\x1b[31mred,größe,a;b,p_1\n" + "cat," * 7 + "cat\n")

    shell = ShellComplete(app, {}, "infoscope", "_INFOSCOPE_COMPLETE")
    words = [item.value for item in shell.get_completions(["evaluate", str(log), "-t"], "")]

    assert words == ["gold", "größe", "p_1"]


def test_columns_of_large_files_that_are_read_as_a_whole_are_not_completed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def words(path: Path) -> set[str]:
        typed = ["evaluate", str(path), "-t"]
        return {item.value for item in ShellComplete(app, {}, "infoscope", "_X").get_completions(typed, "")}

    (tmp_path / "log.json").write_text('[{"gold": "cat", "svm": "dog"}]')
    (tmp_path / "log.csv").write_text("gold,svm\ncat,dog\n")
    assert words(tmp_path / "log.json") == words(tmp_path / "log.csv") == {"gold", "svm"}
    monkeypatch.setattr(options, "_MAX_WHOLE", 10)
    assert words(tmp_path / "log.json") == set()
    assert words(tmp_path / "log.csv") == {"gold", "svm"}


@pytest.mark.parametrize(
    ("typed", "kind"),
    [
        (["evaluate"], "file"),
        (["gate", "log.csv", "--baseline"], "file"),
        (["evaluate", "log.csv", "-o"], "file"),
        (["multilabel", "truth.csv"], "file"),
        (["track"], "file"),
        (["verdicts", "count"], "file"),
        (["verdicts", "apply", "verdicts.jsonl"], "file"),
        (["verdicts", "apply", "-t"], None),
        (["serve"], "dir"),
        (["gate", "--history"], "dir"),
        (["evaluate", "-t"], None),
    ],
)
def test_the_shell_is_told_where_files_and_folders_belong(typed: list[str], kind: str | None) -> None:
    found = ShellComplete(app, {}, "infoscope", "_X").get_completions(typed, "lo")
    assert [item.type for item in found] == ([] if kind is None else [kind])


@pytest.mark.slow
def test_manual_pages_are_written_for_every_command(tmp_path: Path) -> None:
    done = run("man", "-o", str(tmp_path))

    assert done.exit_code == 0
    pages = {path.name for path in tmp_path.iterdir()}
    assert pages == {"infoscope.1", *(f"infoscope-{name}.1" for name in COMMANDS)}
    gate = (tmp_path / "infoscope-gate.1").read_text()
    assert gate == run("man", "gate").stdout
    assert "\\fB\\-\\-min\\fR" in gate
    assert "[INFOSCOPE_GATE_MIN]" in gate.replace("\\", "")
    assert ".nh\n" in gate  # names of options and variables can be copied
    assert not re.search(r"^\.SH .*\n\.PP", gate, re.MULTILINE)
    assert run("man", "-o", str(tmp_path)).exit_code == 2
    assert run("man", "-o", str(tmp_path / "man1")).exit_code == 0  # a new folder is made
    assert run("man", "-o", str(tmp_path / "none" / "man1")).exit_code == 2
    assert run("man", "gat").exit_code == 2
    shutil.rmtree(tmp_path / "man1")
    if shutil.which("groff"):
        for page in tmp_path.iterdir():
            shown = subprocess.run(
                ["groff", "-man", "-ww", "-Tutf8", str(page)], capture_output=True, text=True, check=True
            )
            assert not shown.stderr, page.name
            assert "User commands" in shown.stdout
