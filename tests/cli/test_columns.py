"""Columns as people name them on the command line: several in a word, patterns, and the only one left."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import infoscope as ifs
from tests.api import app

ROWS = 'gold,svm,knn,"a,b",p_1,p_2\n' + "x,x,y,x,x,y\ny,y,y,y,y,y\nx,x,x,x,x,x\ny,x,y,y,y,x\n" * 5


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("log.csv").write_text(ROWS)
    Path("two.csv").write_text("y,model\na,a\nb,b\na,a\nb,a\n")
    Path("blank.csv").write_text("a,b\n1,1\n0,0\n1,1\n0,1\n")
    return tmp_path


def run(*words: str) -> Result:
    return CliRunner().invoke(app, list(words))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "names"),
    [
        (["svm,knn"], ["svm", "knn"]),
        (["svm, knn"], ["svm", "knn"]),
        (["svm,knn,"], ["svm", "knn"]),
        (["a,b"], ["a,b"]),
        (["svm,a,b,knn"], ["svm", "a,b", "knn"]),
        (["p_*"], ["p_1", "p_2"]),
        (["p_?", "svm"], ["p_1", "p_2", "svm"]),
        (["[sk]*"], ["svm", "knn"]),
        (["svm", "*"], ["svm", "knn", "a,b", "p_1", "p_2"]),
        (["knn,p_*,p_1"], ["knn", "p_1", "p_2"]),
        (["*,*"], ["svm", "knn", "a,b", "p_1", "p_2"]),
    ],
)
def test_words_name_columns(words: list[str], names: list[str]) -> None:
    asked = [word for name in words for word in ("-s", name)]
    found = ifs.load(_saved("evaluate", "log.csv", "-t", "gold", *asked))

    assert [system.name for system in found.systems] == names


def test_words_name_columns_to_relate() -> None:
    listed = run("relate", "log.csv", "-c", "svm,a,b,p_*", "--given", "gold,knn", "-o", "listed.json")
    apart = ["-c", "svm", "-c", "a,b", "-c", "p_1", "-c", "p_2", "--given", "gold", "--given", "knn"]
    alone = run("relate", "log.csv", *apart, "-o", "apart.json")

    assert (listed.exit_code, alone.exit_code) == (0, 0), listed.output
    one, other = (ifs.load(name) for name in ("listed.json", "apart.json"))
    assert [column.name for column in one.columns] == ["svm", "a,b", "p_1", "p_2", "gold", "knn"]
    assert one.relations == other.relations
    assert one.conditional == other.conditional


def _saved(*words: str) -> str:
    done = run(*words, "-o", "out.json", "--force")
    assert done.exit_code == 0, done.output
    return "out.json"


def test_names_by_themselves_are_wanted_twice_only_by_mistake() -> None:
    done = run("evaluate", "log.csv", "-t", "gold", "-s", "svm", "-s", "svm")

    assert done.exit_code == 2
    assert "'svm' is named twice" in done.stderr


@pytest.mark.parametrize("name", ["p_*", "[x]", "a?"])
def test_a_name_that_looks_like_a_pattern_wins(name: str) -> None:
    Path("odd.csv").write_text(f"gold,{name},p_1,x\na,a,b,b\nb,b,b,b\n" * 1)

    assert [each.name for each in ifs.load(_saved("evaluate", "odd.csv", "-t", "gold", "-s", name))] == [name]


@pytest.mark.parametrize("command", ["evaluate", "compare", "gate", "count", "agree"])
def test_every_command_that_takes_systems(command: str) -> None:
    more = {
        "evaluate": ["-t", "gold"],
        "compare": ["-t", "gold"],
        "gate": ["-t", "gold", "--max", "accuracy.low=1"],
        "count": ["-t", "gold", "-o", "log.ifs"],
        "agree": [],
    }[command]
    wrong = run(command, "log.csv", "-s", "q_*", *more)
    assert wrong.exit_code == 2
    assert "log.csv has no column that matches 'q_*'; near it are 'p_2', 'p_1'" in wrong.stderr.replace(
        "'p_1', 'p_2'", "'p_2', 'p_1'"
    )
    right = run(command, "log.csv", "-s", "p_*,svm", *more)
    assert right.exit_code in (0, 3), right.output
    if command != "count":
        assert all(name in right.stdout for name in ("p_1", "p_2", "svm"))


@pytest.mark.slow
def test_stored_tables_have_systems_and_no_columns() -> None:
    assert run("count", "log.csv", "-t", "gold", "-s", "*", "-o", "log.ifs").exit_code == 0

    assert [each.name for each in ifs.load(_saved("evaluate", "log.ifs", "-s", "p_*,a,b"))] == ["p_1", "p_2", "a,b"]
    wrong = run("evaluate", "log.ifs", "-s", "z*")
    assert (wrong.exit_code, "no column that matches 'z*'" in wrong.stderr) == (2, True)


@pytest.mark.slow
def test_standard_input_is_read_once(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "infoscope", "evaluate", "-", "-t", "gold", "-s", "p_*", "-o", "out.json"]
    done = subprocess.run(command, input=ROWS, capture_output=True, text=True, check=False, cwd=tmp_path)

    assert done.returncode == 0, done.stderr
    found = ifs.load("out.json")
    assert [system.name for system in found.systems] == ["p_1", "p_2"]
    assert found.provenance.source == "standard input"
    assert found.systems[0].n == 20


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["-s", "model"], "note: 'y' is the only column left and is taken as the truth (-t y)"),
        (["-t", "y"], "note: 'model' is the only column left and is taken as the predictions (-s model)"),
    ],
)
def test_the_only_column_that_is_left(words: list[str], said: str) -> None:
    done = run("evaluate", "two.csv", *words)

    assert done.exit_code == 0, done.output
    assert done.stderr.splitlines()[0] == said
    assert run("evaluate", "two.csv", *words, "-q").stderr == ""
    assert done.stdout == run("evaluate", "two.csv", "-t", "y", "-s", "model").stdout


def test_weights_and_groups_are_not_left_over() -> None:
    Path("log.csv").write_text("y,model,w,fold\na,a,1,1\nb,b,2,1\na,a,1,2\nb,a,2,2\n")
    done = run("evaluate", "log.csv", "-s", "model", "--weight", "w", "--by", "fold")

    assert done.exit_code == 0, done.output
    assert "'y' is the only column left" in done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["blank.csv"], "name the truth column with -t and a system column with -s; SOURCE has 'a', 'b'"),
        (["blank.csv"], "if it is right: infoscope evaluate blank.csv -t a -s b"),
        (["log.csv", "-s", "smv"], "log.csv has no column 'smv'; did you mean 'svm'?"),
        (["log.csv", "-s", "*"], "is named as truth and as system"),
        (["absent.csv", "-s", "svm"], "absent.csv: the file does not exist"),
        (["absent.csv", "-t", "gold"], "check the name and the folder; also name a system column with -s"),
    ],
)
def test_what_is_not_clear_is_asked_for(words: list[str], said: str) -> None:
    done = run("evaluate", *words)

    assert done.exit_code == 2
    assert said in done.stderr or "SOURCE has no other column" in done.stderr


def test_a_wrong_name_is_said_of_every_format_before_others_are_guessed() -> None:
    import polars as pl

    pl.DataFrame({"gold": ["a", "b"] * 9, "svm": ["a", "b", "b"] * 6}).write_parquet("log.parquet")
    done = run("evaluate", "log.parquet", "-t", "glod")

    assert done.exit_code == 2
    assert "log.parquet has no column 'glod'; did you mean 'gold'?" in done.stderr


@pytest.mark.slow
def test_scores_by_pattern_take_the_classes_from_the_names() -> None:
    rows = "".join(f"{t},{p},{round(1 - p, 3)}\n" for t, p in [("car", 0.9), ("cat", 0.2), ("car", 0.6), ("cat", 0.4)])
    Path("scores.csv").write_text("label,p_car_x,p_cat_x\n" + rows * 10)
    done = run("sweep", "scores.csv", "-t", "label", "--score", "p_*", "-o", "out.json")
    assert done.exit_code == 0, done.output
    named = run("sweep", "scores.csv", "--score", "p_car_x,p_cat_x", "--class", "car", "--class", "cat", "-o", "b.json")
    assert named.exit_code == 0, named.output
    assert "'label' is the only column left" in named.stderr

    found, expected = (list(ifs.load(name).rows()) for name in ("out.json", "b.json"))
    assert found == expected
    assert len(found) > 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("label,score\n1,0.9\n0,0.2\n1,0.6\n0,0.4\n", ["sweep"]),
        ("label,model,score\n" + "1,1,0.9\n0,0,0.2\n1,0,0.4\n0,0,0.3\n" * 10, ["evaluate", "-s", "model"]),
    ],
    ids=["sweep", "evaluate"],
)
def test_the_one_column_beside_a_score_is_the_truth(text: str, words: list[str]) -> None:
    Path("scores.csv").write_text(text)
    done = run(words[0], "scores.csv", *words[1:], "--score", "score")

    assert done.exit_code == 0, done.output
    assert "taken as the truth (-t label)" in done.stderr


@pytest.mark.slow
def test_columns_of_a_database_are_not_known_before_it_is_read() -> None:
    with closing(sqlite3.connect("log.db")) as database, database:
        database.execute("CREATE TABLE log (gold TEXT, svm TEXT, knn TEXT)")
        database.executemany("INSERT INTO log VALUES (?, ?, ?)", [("a", "a", "b"), ("b", "b", "b")] * 5)
    words = ["evaluate", "log", "--read", "engine=sqlite:///log.db"]

    found = ifs.load(_saved(*words, "-t", "gold", "-s", "svm,knn"))
    assert [system.name for system in found.systems] == ["svm", "knn"]
    for more, said in (
        (
            ["-t", "gold", "-s", "s*"],
            "the columns of this source are not known before it is read; name 's*' one by one",
        ),
        (["-s", "svm"], "name the truth column with -t and a system column with -s"),
    ):
        done = run(*words, *more)
        assert (done.exit_code, said in done.stderr) == (2, True), done.output


ANIMALS = "label,svm,knn,note,id\n" + "".join(
    f"{t},{t if at % 5 else 'cat'},{t if at % 3 else 'dog'},{'abc'[at % 3]},r{at}\n"
    for at, t in enumerate(["cat", "dog", "fox", "dog"] * 10)
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "full"),
    [
        (["evaluate", "animals.csv"], "-t label -s svm -s knn"),
        (["compare", "animals.csv"], "-t label -s svm -s knn"),
        (["gate", "animals.csv", "--min", "accuracy=0.1"], "-t label -s svm -s knn"),
        (["evaluate", "animals.csv", "-s", "knn"], "-t label"),
        (["evaluate", "two.csv"], "-t y -s model"),
    ],
)
def test_columns_are_guessed_said_and_repeatable(words: list[str], full: str) -> None:
    Path("animals.csv").write_text(ANIMALS)
    done = run(*words)
    command = f"{' '.join(['infoscope', *words])} {full}"

    assert done.exit_code == 0, done.output
    assert f"note: in full: {command}" in done.stderr
    assert done.stdout == run(*command.split()[1:]).stdout
    assert run(*words, "-q").stderr == ""
    assert run(*words, "--format", "json", "-o", "out.json").exit_code == 0
    assert ifs.load("out.json").provenance.command.endswith(full)


@pytest.mark.slow
def test_count_and_sweep_guess_too() -> None:
    Path("animals.csv").write_text(ANIMALS)
    counted = run("count", "animals.csv", "-o", "animals.ifs")
    assert counted.exit_code == 0, counted.output
    Path("scores.csv").write_text("label,id,score\n" + "".join(f"{at % 2},r{at},0.{at % 9}1\n" for at in range(60)))
    swept = run("sweep", "scores.csv")
    assert swept.exit_code == 0, swept.output
    assert "in full: infoscope sweep scores.csv -t label --score score" in swept.stderr


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("model,truth,prediction\n" + "svm,cat,cat\nknn,cat,dog\nsvm,dog,dog\nknn,dog,dog\n" * 5, "--by model"),
        ("id,pred\n" + "".join(f"r{at},{['cat', 'dog'][at % 2]}\n" for at in range(20)), "--truth-file LABELS.csv"),
        ("label,pred\n" + "cat,dog\ndog,cat\n" * 9, "list of errors"),
        ("label,pred\n" + "1,attack\n0,normal\n" * 9, "use different words"),
        ("cat,dog\n" + "cat,dog\ndog,cat\ncat,cat\n" * 5, "looks like data"),
    ],
)
def test_what_is_not_sure_ends_in_one_sentence(rows: str, said: str) -> None:
    Path("odd.csv").write_text(rows)
    done = run("evaluate", "odd.csv")

    assert (done.exit_code, done.stdout) == (2, "")
    assert said in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.slow
def test_lists_and_patterns_of_every_option_that_takes_columns() -> None:
    rows = "".join(f"{at % 2},{int(at % 7 > 2)},{at % 7 / 7:.2f},n{at},{'ab'[at % 2]}\n" for at in range(70))
    Path("all.csv").write_text(f"label,pred,p_one,note_x,part\n{rows}")
    words = ["evaluate", "all.csv", "-t", "label", "-s", "pred"]
    found = ifs.load(_saved(*words, "--score", "p_*", "--examples", "1:note_*,part"))
    named = ifs.load(_saved(*words, "--score", "p_one", "--examples", "1:note_x,part"))
    assert found.systems == named.systems
    assert set(found.systems[0].examples[0].rows[0].values) == {"note_x", "part"}
    wrong = run(*words, "--examples", "1:z*")
    assert (wrong.exit_code, "no column that matches 'z*'" in wrong.stderr) == (2, True)
    split = ifs.load(_saved(*words, "--by", "par*"))
    assert [system.group for system in split.systems] == [{"part": "a"}, {"part": "b"}]


def test_no_command_is_offered_that_names_no_system() -> None:
    lines = [f"{'yes' if at % 3 else 'no'},0.{at}" for at in range(10, 60)]
    Path("scores.csv").write_text("\n".join(["label,score", *lines]) + "\n")
    done = run("evaluate", "scores.csv")

    assert done.exit_code == 2
    assert "infoscope sweep scores.csv -t label --score score" in done.stderr
    assert "if it is right" not in done.stderr
