"""The commands as a user runs them: output, files, statuses, help."""

import json
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

import infoscope as ifs
from infoscope import __version__, catalogue
from infoscope.errors import InputError
from tests.api import COMMANDS, app


def run(*words: str, **options: object) -> Result:
    return CliRunner().invoke(app, list(words), **options)  # type: ignore[arg-type]


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    path = tmp_path / "rows.csv"
    lines = ["gold,svm,knn,w,day"] + ["cat,cat,dog,1,mon", "dog,dog,dog,2,mon", "cow,cow,cow,1,tue"] * 20
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def matrix(tmp_path: Path) -> Path:
    path = tmp_path / "confusion.csv"
    path.write_text(",cat,dog,?\ncat,40,5,3\ndog,2,60,1\n")
    return path


def commands() -> list[tuple[str, click.Command]]:
    return [("", app), *app.commands.items()]


@pytest.mark.parametrize(("name", "command"), commands(), ids=str)
def test_every_command_has_help_with_an_example(name: str, command: click.Command) -> None:
    result = run(*name.split(), "--help")

    assert result.exit_code == 0
    assert "Example: infoscope" in result.output
    assert all(isinstance(option, click.Argument) or getattr(option, "help", None) for option in command.params)


@pytest.mark.parametrize("words", [["--help"], ["--version"], *([name, "--help"] for name in COMMANDS)])
def test_help_imports_nothing_heavy(words: list[str]) -> None:
    heavy = {"numpy", "scipy", "rich", "duckdb", "pandas", "narwhals"}
    code = (
        "import sys\nfrom infoscope.cli import main\nsys.argv[1:] = " + repr(words) + "\ntry:\n    main()\n"
        f"except SystemExit: pass\nheavy = {heavy!r} & set(sys.modules)\n"
        "sys.exit(f'imported {heavy}' if heavy else 0)"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr


def test_version() -> None:
    assert run("--version").output == f"infoscope {__version__}\n"


@pytest.mark.slow
def test_demo_finds_the_planted_systems() -> None:
    result = run("demo", "--format", "json")

    assert result.exit_code == 0
    document = json.loads(result.stdout)
    assert document["provenance"]["rows"] == 1797
    codes = {system["name"]: {item["code"] for item in system["diagnosis"]} for system in document["systems"]}
    assert set(codes) == {"svm", "naive_bayes", "relabelled", "cautious", "majority"}
    assert "majority_voter" in codes["majority"]
    assert "relabelled" in codes["relabelled"]
    assert codes["svm"] == set()
    rejected = {s["name"]: s["metrics"]["rejection_rate"]["value"] for s in document["systems"]}
    assert rejected["cautious"] > 0.05
    assert rejected["svm"] == 0


@pytest.mark.slow
def test_demo_prints_a_verdict() -> None:
    result = run("demo")

    assert result.exit_code == 0
    assert "svm is right in" in result.stdout
    assert "The outputs look renamed" in result.stdout


def test_matrix_to_json_agrees_with_hand(matrix: Path) -> None:
    document = json.loads(run("evaluate", "--matrix", str(matrix), "--reject", "?", "--format", "json").stdout)
    (system,) = document["systems"]

    assert system["name"] == "confusion"
    assert system["metrics"]["accuracy"]["value"] == pytest.approx(100 / 111)
    assert system["metrics"]["rejection_rate"]["value"] == pytest.approx(4 / 111)
    assert system["reject"] == "?"


def test_labels_of_several_words_and_lines_in_a_matrix_file(tmp_path: Path) -> None:
    path = tmp_path / "m.csv"
    path.write_text(',big brown cat,"two\nlines"\nbig brown cat,5,1\n"two\nlines",2,7\n')

    system = json.loads(run("evaluate", "--matrix", str(path), "--format", "json").stdout)["systems"][0]

    assert system["truth_labels"] == ["big brown cat", "two\nlines"]
    assert system["n"] == 15


def test_several_matrices(matrix: Path, tmp_path: Path) -> None:
    folder = tmp_path / "other"
    folder.mkdir()
    twin = folder / "confusion.csv"
    twin.write_text(matrix.read_text())
    document = json.loads(run("evaluate", "--matrix", str(matrix), str(twin), "--format", "json").stdout)

    assert [system["name"] for system in document["systems"]] == [str(matrix), str(twin)]
    again = run("evaluate", "--matrix", str(matrix), str(matrix))
    assert again.exit_code == 2
    assert "named twice" in again.stderr


@pytest.mark.slow
def test_rows_of_several_systems_groups_and_weights(rows: Path) -> None:
    words = ["evaluate", str(rows), "-t", "gold", "-s", "svm", "-s", "knn", "--format", "json"]
    plain = json.loads(run(*words).stdout)
    grouped = json.loads(run(*words, "--by", "day", "--weight", "w").stdout)

    assert [system["n"] for system in plain["systems"]] == [60, 60]
    assert [(s["name"], s["group"]["day"]) for s in grouped["systems"]] == [
        ("svm", "mon"),
        ("knn", "mon"),
        ("svm", "tue"),
        ("knn", "tue"),
    ]


def test_rows_from_standard_input(rows: Path) -> None:
    result = run("evaluate", "-", "-t", "gold", "-s", "svm", "--format", "json", input=rows.read_bytes())

    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["systems"][0]["n"] == 60


def test_prevalence_from_a_file(matrix: Path, tmp_path: Path) -> None:
    shares = tmp_path / "shares.csv"
    shares.write_text("label,share\ncat,1\ndog,3\n")
    words = ["evaluate", "--matrix", str(matrix), "--format", "json"]
    stated = json.loads(run(*words, "--prevalence", str(shares)).stdout)["systems"][0]["metrics"]
    equal = json.loads(run(*words, "--prevalence", "equal").stdout)["systems"][0]["metrics"]

    assert stated["accuracy"]["value"] == pytest.approx(0.25 * 40 / 48 + 0.75 * 60 / 63)
    assert equal["accuracy"]["value"] == pytest.approx(0.5 * 40 / 48 + 0.5 * 60 / 63)


def test_unit_and_positive_are_shown(matrix: Path) -> None:
    stored = str(matrix.with_name("result.json"))
    assert run("evaluate", "--matrix", str(matrix), "--positive", "dog", "--reject", "?", "-o", stored).exit_code == 0
    text = run("show", stored, "--unit", "nats", "-v").stdout

    assert "nats" in text
    assert " of 'dog' at a precision of " in text


def test_file_is_written_whole_and_never_replaced_unasked(matrix: Path, tmp_path: Path) -> None:
    target = tmp_path / "result.json"
    words = ["evaluate", "--matrix", str(matrix), "-o", str(target)]

    first = run(*words)
    assert (first.exit_code, first.stdout) == (0, "")
    assert json.loads(target.read_text())["schema"] == "infoscope/evaluation/2"

    target.write_text("mine")
    second = run(*words)
    assert second.exit_code == 2
    assert "--force" in second.stderr
    assert target.read_text() == "mine"

    assert run(*words, "--force").exit_code == 0
    assert target.read_text() != "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["confusion.csv", "result.json"]


@pytest.mark.parametrize(("name", "start"), [("a.md", "# confusion is right"), ("a.txt", "\n  confusion is right")])
def test_suffix_decides_the_form(matrix: Path, tmp_path: Path, name: str, start: str) -> None:
    run("evaluate", "--matrix", str(matrix), "-o", str(tmp_path / name))

    assert (tmp_path / name).read_text().startswith(start)


def test_output_into_a_missing_folder_is_rejected(matrix: Path, tmp_path: Path) -> None:
    result = run("evaluate", "--matrix", str(matrix), "-o", str(tmp_path / "no" / "a.json"))

    assert result.exit_code == 2
    assert "there is no folder" in result.stderr


def test_explain_lists_every_metric_by_family() -> None:
    listing = run("explain").stdout

    assert all(f"  {name} " in listing for name in catalogue)
    assert "SHANNON" in listing


def test_explain_prints_the_card_of_an_alias() -> None:
    card = run("explain", "variation of information").stdout

    assert "erroneous_information" in card
    assert "lower is better" in card
    assert ">>>" not in card


@pytest.mark.parametrize(
    ("name", "title"), [("mota", "MOTA"), ("track lifetime", "Track lifetime"), ("MT", "Mostly tracked")]
)
def test_metrics_of_trackers_are_explained(name: str, title: str) -> None:
    result = run("explain", name)

    assert result.exit_code == 0
    assert result.stdout.strip().startswith(title)
    assert "TRACKERS" in run("explain").stdout
    assert "permuted_proficiency" in run("explain").stdout.partition("LABEL SETS")[2]


@pytest.mark.parametrize("name", ["roc_auc", "average_precision", "log_loss", "proficiency"])
def test_a_card_leaves_parameters_to_the_help_of_python(name: str) -> None:
    assert "----" not in run("explain", name).stdout


@pytest.mark.slow
def test_every_metric_can_be_explained() -> None:
    for name in catalogue:
        assert run("explain", name).exit_code == 0


def test_ambiguous_alias_is_rejected_with_the_candidates() -> None:
    result = run("explain", "completeness")

    assert result.exit_code == 2
    assert "proficiency" in result.stderr
    assert "information_precision" in result.stderr


def test_unknown_metric_suggests_the_nearest() -> None:
    result = run("explain", "proficincy")

    assert result.exit_code == 2
    assert "did you mean 'proficiency'" in result.stderr


def test_our_own_fault_is_70_with_the_traceback_only_under_v(matrix: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr("infoscope.evaluate", broken)
    quiet = run("evaluate", "--matrix", str(matrix))
    loud = run("evaluate", "--matrix", str(matrix), "-v")

    assert quiet.exit_code == loud.exit_code == 70
    assert "Traceback" not in quiet.stderr
    assert quiet.stderr.count("\n") == 1
    assert "Traceback" in loud.stderr


@pytest.mark.parametrize(("error", "status"), [(KeyboardInterrupt(), 130), (InputError("bad"), 2)])
def test_statuses(matrix: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException, status: int) -> None:
    def broken(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("infoscope.evaluate", broken)

    result = run("evaluate", "--matrix", str(matrix))

    assert result.exit_code == status
    assert "Traceback" not in result.stderr


@pytest.mark.slow
def test_interrupt_while_reading_exits_130() -> None:
    child = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
            "from infoscope.cli import main\nimport infoscope.studies.evaluate, infoscope.readers\n"
            "print('ready', flush=True)\n"
            "sys.argv[1:] = ['evaluate', '-', '-t', 'a', '-s', 'b']; main()",
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    time.sleep(0.5)
    child.send_signal(signal.SIGINT)
    _, found = child.communicate(timeout=20)

    assert child.returncode == 130, found
    assert "Traceback" not in found


def test_pipe_gets_no_colour_and_force_color_gets_it(matrix: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    words = ["evaluate", "--matrix", str(matrix)]

    assert "\x1b" not in run(*words).stdout
    assert "\x1b[" in run(*words, env={"FORCE_COLOR": "1"}, color=True).stdout


def test_terminal_without_utf8_gets_ascii(matrix: Path) -> None:
    result = CliRunner(charset="ascii").invoke(app, ["evaluate", "--matrix", str(matrix), "-v"])

    assert result.exit_code == 0
    assert result.stdout_bytes.isascii()
    assert b"####" in result.stdout_bytes


@pytest.mark.slow
def test_reader_that_stops_early_is_no_error() -> None:
    command = f"{sys.executable} -c 'from infoscope.cli import main; main()' demo --format json | head -c 10"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, check=False)

    assert done.returncode == 0
    assert b"Traceback" not in done.stderr


def test_options_of_drift_are_taken_or_rejected(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    kinds = ["x,x,y", "y,y,y", "x,y,x", "y,x,x", "x,x,x", "y,y,x"]
    lines = [f"{kinds[at * at % 7 % 6]},{'early' if at < 30 else 'late'}" for at in range(60)]
    path.write_text("\n".join(["a,b,c,month", *lines]) + "\n")
    asked = ("agree", str(path), "-s", "a,b,c", "--by", "month=early,late")

    documents = [json.loads(run(*asked, "--draws", draws, "--format", "json").stdout) for draws in ("99", "199")]
    assert documents[0]["pairs"] != documents[1]["pairs"]
    for more, said in (
        (("--labels", "x.csv"), "--labels belongs to a plan of labels"),
        (("--by", "month"), "--by is 'month'; write month=BEFORE,AFTER"),
        (("--draws", "9"), "must be a whole number of 99 or more, got 9"),
    ):
        rejected = run(*asked, *more)
        assert (rejected.exit_code, rejected.stdout) == (2, "")
        assert said in rejected.stderr


def test_another_word_gets_the_nearest_command(rows: Path) -> None:
    mistyped = run("evaluat", str(rows)).stderr

    assert "no such command 'evaluat', and no file; did you mean `infoscope evaluate`?" in mistyped
    assert "and no file; infoscope -h lists all commands" in run("xyzzy").stderr
    assert run("xyzzy").exit_code == 2


@pytest.mark.parametrize(
    ("name", "content", "command"),
    [
        ("p.csv", "label,model\n" + "cat,cat\ndog,dog\ncat,dog\n" * 9, "evaluate p.csv"),
        ("m.csv", "t,cat,dog\ncat,40,5\ndog,7,48\n", "evaluate --matrix m.csv"),
        ("a.csv", "ann,bob,eve\n" + "cat,cat,cat\ndog,dog,dog\ncat,dog,cat\n" * 9, "agree a.csv -s ann,bob,eve"),
        ("a b.csv", "ann,bob,eve\n" + "cat,cat,cat\ndog,dog,dog\ncat,dog,cat\n" * 9, "agree 'a b.csv' -s ann,bob,eve"),
        ("r.json", None, "show r.json"),
    ],
)
def test_a_file_alone_gets_the_command_that_it_asks_for(
    name: str, content: str | None, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    if content is None:
        ifs.evaluate(["cat", "dog"] * 9, ["cat", "dog", "dog"] * 6).save(tmp_path / name)
    else:
        (tmp_path / name).write_text(content)

    alone, full = run(name), run(*shlex.split(command))

    assert (alone.exit_code, full.exit_code) == (0, 0)
    assert alone.stdout == full.stdout
    assert alone.stderr.splitlines()[0].endswith(f": infoscope {command}")
    assert [line for line in alone.stderr.splitlines() if line.startswith(f"note: {name} is taken as ")] != []


def test_options_after_a_file_are_those_of_evaluate_and_what_is_unclear_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.csv").write_text("x,y\n" + "cat,cat\ndog,dog\ncat,dog\n" * 9)
    (tmp_path / "n.csv").write_text("x,y\n" + "".join(f"{n / 7},{n / 11}\n" for n in range(40)))

    stated = run("p.csv", "-t", "x", "-s", "y", "-o", "r.json")
    unclear, folder = run("n.csv"), run(".")

    assert stated.exit_code == 0
    assert json.loads((tmp_path / "r.json").read_text())["provenance"]["command"] == (
        "infoscope evaluate p.csv -t x -s y -o r.json"
    )
    for asked in (unclear, folder):
        assert (asked.exit_code, asked.stdout) == (2, "")
        assert "choose a command: infoscope evaluate" in asked.stderr


@pytest.mark.slow
def test_intervals_of_several_systems_are_described_once(rows: Path) -> None:
    shown = run("evaluate", str(rows), "-t", "gold", "-s", "svm,knn", "-v").stdout
    assert shown.count("95% intervals of the posterior") == 1
    assert " to " in shown.split("95% intervals of the posterior")[1]
