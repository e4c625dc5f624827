"""``infoscope track``: files in, the document out, and the user's mistakes in one line."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from infoscope import tracking
from tests.api import app
from tests.tracking.scenes import Rows, crowd

TRUTH, TRACKS = crowd(2)


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(app, ["track", *map(str, words)])


def written(path: Path, rows: Rows) -> Path:
    np.savetxt(path, rows, delimiter=",", fmt="%.17g")
    return path


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    return written(tmp_path / "gt.txt", TRUTH), written(tmp_path / "mine.txt", TRACKS)


def test_json_is_the_document(files: tuple[Path, Path]) -> None:
    result = run(*files, "--format", "json")

    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    assert document["provenance"].pop("command").startswith("infoscope track ")
    assert document == tracking.evaluate(*files).to_dict()


def test_options_reach_the_evaluation(files: tuple[Path, Path]) -> None:
    words = (
        "--gate 0.3 --convention match=global,null=class --convention per=event --level 0.8 "
        "--read preprocessing=off,duplicates=first"
    )
    expected = tracking.evaluate(
        *files, gate=0.3, match="global", null="class", per="event", level=0.8, preprocessing="off", duplicates="first"
    )

    result = run(*files, "--format", "json", "--sweep", *words.split())

    document = json.loads(result.stdout)
    assert len(document.pop("gate_sweep")["mine"]["points"]) == 19
    assert document["provenance"].pop("command").startswith("infoscope track ")
    assert document == {name: part for name, part in expected.to_dict().items() if name != "gate_sweep"}


def test_text_and_markdown(files: tuple[Path, Path], tmp_path: Path) -> None:
    assert "mine has a HOTA of" in run(*files).stdout
    assert run(*files, "-o", tmp_path / "result.json").exit_code == 0
    assert "nats" in CliRunner().invoke(app, ["show", str(tmp_path / "result.json"), "--unit", "nats"]).stdout
    assert run(*files, "-o", tmp_path / "out.md").exit_code == 0
    assert (tmp_path / "out.md").read_text(encoding="utf-8").startswith("# mine")
    again = run(*files, "-o", tmp_path / "out.md")
    assert again.exit_code == 2
    assert "exists already" in again.stderr


@pytest.mark.slow
def test_a_page_by_its_suffix_or_by_name(files: tuple[Path, Path], tmp_path: Path) -> None:
    target = tmp_path / "page.html"

    assert run(*files, "-o", target).exit_code == 0
    page = target.read_text(encoding="utf-8")
    made = re.compile(r'<li>Made by <code class="command">(.*?)</code></li>')
    assert made.findall(page)[0].startswith("infoscope track ")
    packed = re.compile(r'base64" id="data">[^<]+<')  # the document, which names the command too

    def bare(text: str) -> str:
        return packed.sub("", made.sub("", text))

    expected = bare(tracking.compare(files[0], {"mine": files[1]}).to_html())
    assert bare(page) == expected
    assert bare(run(*files, "--format", "html").stdout) == expected
    assert run(*files, "-o", target).exit_code == 0  # a page of ours may be replaced
    target.write_text("something else", encoding="utf-8")
    assert run(*files, "-o", target).exit_code == 2


def test_several_trackers_are_compared(files: tuple[Path, Path], tmp_path: Path) -> None:
    written(tmp_path / "mine@keep=0.5.txt", TRACKS[::2])
    written(tmp_path / "mine@keep=0.25.txt", TRACKS[::4])

    document = json.loads(run(*files, *sorted(tmp_path.glob("mine@*")), "--format", "json").stdout)

    assert document["comparison"]["ranking"] == ["mine", "mine@keep=0.5", "mine@keep=0.25"]
    assert [point["value"] for point in document["comparison"]["curves"]["mine@keep"]] == [0.25, 0.5]


def test_a_fault_of_the_input_is_one_line_and_status_2(files: tuple[Path, Path], tmp_path: Path) -> None:
    twice = written(tmp_path / "twice.txt", np.vstack([TRACKS, TRACKS[:1]]))

    result = run(files[0], twice)

    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert f"twice.txt: id {TRACKS[0, 1]:g} occurs twice in frame {TRACKS[0, 0]:g}" in result.stderr
    assert run(files[0], twice, "--read", "duplicates=split").exit_code == 0
    assert run(files[0], files[1], files[1]).exit_code == 2
    assert run(files[0], tmp_path / "nothing.txt").exit_code == 2


def test_help_has_an_example() -> None:
    assert "Example: infoscope track gt.txt results.txt" in run("--help").stdout
