"""Files beside the rows (matrices, costs, label lists, tracks, frequencies, baselines): taken, or rejected by name."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tests.api import app

TEXTS: tuple[bytes, ...] = (
    b"", b"\n\n", b"\xff\xfe\x00", b"\x00\x00", b",", b'"', b'a,"b', b"a\tb\n\xc3", b"nan,inf\n1,2\n", b"1,-1\n0,3\n",
    b"x,a,b\na,1\nb,2,3\n", b"x,a,a\na,1,2\na,3,4\n", b"x,a,b\na,1e999,2\nb,3,4\n", b"x,a,b\na,nan,2\nb,3,4\n",
    b"x,a,b\na," + b"9" * 5_000 + b",2\nb,3,4\n", b"x,a,b\na,1e308,1e308\nb,1e308,1e308\n", b"[" * 100_000,
    b"x," + b"a" * 200_000 + b",b\na,1,2\nb,3,4\n", b"x,a,b\n" + b"a,0,0\nb,0,0\n", b"{}", b"null", b'{"frames": 3}',
)  # fmt: skip


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(app, [*map(str, words)])


def assert_rejected(found: Result, path: Path, what: object = "") -> None:
    """One sentence that names the file, status 2, and nothing on standard output."""
    assert found.exit_code == 2, (what, found.exit_code, found.output[-300:], found.exception)
    assert found.stdout == "", what
    lines = [line for line in found.stderr.splitlines() if not line.startswith("warning: ")]
    assert len(lines) == 1, (what, found.stderr)
    assert path.name in found.stderr, (what, found.stderr)
    assert "fault of infoscope" not in found.stderr, what


def damaged(content: bytes, step: int) -> Iterator[tuple[str, bytes]]:
    packed = gzip.compress(content)
    yield "cut", packed[: len(packed) // 2]
    for at in range(0, len(packed), step):
        yield f"byte {at}", packed[:at] + bytes([packed[at] ^ 0x55]) + packed[at + 1 :]


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    path = tmp_path / "rows.csv"
    path.write_text("t,s\n" + "a,a\nb,b\na,b\nb,b\n" * 10)
    return path


WHOLE = b"x,a,b\na,18,2\nb,3,17\n"


@pytest.mark.parametrize("content", TEXTS, ids=lambda content: repr(content[:20]))
def test_matrices_and_class_frequencies_of_unknown_origin(content: bytes, rows: Path) -> None:
    path = rows.with_name("odd.csv")
    path.write_bytes(content)

    assert_rejected(run("evaluate", "--matrix", path), path)
    assert_rejected(run("evaluate", rows, "-t", "t", "-s", "s", "--prevalence", path), path)


@pytest.mark.parametrize("content", TEXTS, ids=lambda content: repr(content[:20]))
def test_costs_of_unknown_origin(content: bytes, tmp_path: Path) -> None:
    scores, path = tmp_path / "scores.csv", tmp_path / "odd.csv"
    scores.write_text("t,p\nyes,0.9\nno,0.2\nyes,0.6\nno,0.7\n")
    path.write_bytes(content)

    assert_rejected(run("sweep", scores, "-t", "t", "--score", "p", "--costs", path), path)


@pytest.mark.parametrize("content", TEXTS, ids=lambda content: repr(content[:20]))
def test_tracks_of_unknown_origin(content: bytes, tmp_path: Path) -> None:
    truth, path = tmp_path / "truth.txt", tmp_path / "odd.txt"
    truth.write_text("1,1,10,10,5,5\n2,1,11,10,5,5\n")
    path.write_bytes(content)

    found = run("track", truth, path)
    if content.strip(b"\n"):
        assert_rejected(found, path)
    else:
        assert found.exit_code == 0  # a tracker that found nothing


@pytest.mark.parametrize("content", TEXTS, ids=lambda content: repr(content[:20]))
def test_label_lists_of_unknown_origin(content: bytes, tmp_path: Path) -> None:
    truth, path = tmp_path / "truth.txt", tmp_path / "odd.txt"
    truth.write_text("q1\tsport\nq2\tnews\n")
    path.write_bytes(content)

    assert_rejected(run("multilabel", truth, path), path)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "content", "name"),
    [
        pytest.param(("evaluate", "--matrix"), WHOLE, "odd.csv.gz", id="matrix"),
        pytest.param(
            ("evaluate", "rows.csv", "-t", "t", "-s", "s", "--prevalence"), b"a,1\nb,3\n", "f.csv.gz", id="shares"
        ),
        pytest.param(("multilabel", "truth.txt"), b"q1\tsport\nq2\tnews\n", "odd.txt.gz", id="label list"),
        pytest.param(("track", "tracks.txt"), b"1,1,10,10,5,5\n2,1,11,10,5,5\n", "odd.txt.gz", id="tracks"),
    ],
)
def test_packed_files_that_are_damaged(words: tuple[str, ...], content: bytes, name: str, rows: Path) -> None:
    folder = rows.parent
    (folder / "truth.txt").write_text("q1\tsport\nq2\tnews\n")
    (folder / "tracks.txt").write_text("1,1,10,10,5,5\n2,1,11,10,5,5\n")
    path = folder / name
    given = [folder / word if (folder / word).is_file() else word for word in words]
    path.write_bytes(gzip.compress(content))
    whole = run(*given, path)
    assert whole.exit_code == 0, whole.output
    for what, bad in damaged(content, 5):
        path.write_bytes(bad)
        found = run(*given, path)
        if found.exit_code or found.stdout != whole.stdout:  # a few bytes of the header say nothing
            assert_rejected(found, path, what)


def records(document: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    items = (
        document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    )
    for key, value in items:
        yield (*path, key)
        yield from records(value, (*path, key))


@pytest.mark.slow
def test_baselines_of_unknown_origin(rows: Path) -> None:
    path = rows.with_name("base.json")
    assert run("evaluate", rows, "-t", "t", "-s", "s", "-o", path).exit_code == 0
    good = json.loads(path.read_text())
    gate = ("gate", rows, "-t", "t", "-s", "s", "--baseline", path)
    whole = run(*gate)
    assert whole.exit_code == 0, whole.output

    texts = ["", "null", "[]", "3", "{", "[" * 100_000, '{"a":' * 50_000, '{"schema": NaN}', json.dumps(good)[:-9]]
    places = [place for place in records(good) if len(place) < 6]
    wrong: tuple[Any, ...] = (None, -1, "x", [1], {"a": 1}, 10**400, True)
    for at, place in enumerate(places[:: max(1, len(places) // 60)]):
        copy = json.loads(json.dumps(good))
        inner = copy
        for key in place[:-1]:
            inner = inner[key]
        inner[place[-1]] = wrong[at % len(wrong)]
        texts.append(json.dumps(copy))
    rejected = 0
    for text in texts:
        path.write_text(text)
        found = run(*gate)
        if found.exit_code not in (0, 1):  # another name or number may still be a baseline
            rejected += 1
            assert_rejected(found, path, text[:80])
    assert rejected > 20


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", '"0.9"', "true", "[]", "-0.5"])
@pytest.mark.parametrize("field", ["mean", "sd"])
def test_numbers_of_a_baseline_are_numbers(number: str, field: str, rows: Path) -> None:
    path = rows.with_name("base.json")
    run("evaluate", rows, "-t", "t", "-s", "s", "-o", path)
    good = json.loads(path.read_text())
    good["systems"][0]["metrics"]["proficiency"][field] = "HERE"
    path.write_text(json.dumps(good).replace('"HERE"', number))

    found = run("gate", rows, "-t", "t", "-s", "s", "--baseline", path)
    if (field, number) != ("mean", "-0.5"):
        assert_rejected(found, path)


def test_text_with_too_many_columns_is_rejected(tmp_path: Path) -> None:
    """The engine alone would take a minute and 6 GB for two lines with a million."""
    path = tmp_path / "wide.csv"
    for columns, status in ((5_000, 0), (1 << 17, 2), (10**6, 2)):
        names = ",".join(f"c{at}" for at in range(columns - 2))
        path.write_text(f"label,model,{names}\n" + ("a,b" + ",1" * (columns - 2) + "\n") * 2)
        found = run("evaluate", path, "-t", "label", "-s", "model")
        assert found.exit_code == status, found.stderr[-300:]
    assert_rejected(found, path)
    assert "1,000,000 columns, and text is read with up to 65,536" in found.stderr


@pytest.mark.parametrize("text", ["[" * 10**5 + "]" * 10**5, '{"a":' * 10**5 + "1" + "}" * 10**5])
def test_json_without_end_is_rejected_in_a_sentence(tmp_path: Path, text: str) -> None:
    (tmp_path / "rows.csv").write_text("label,model\na,b\nb,b\n")
    path = tmp_path / "deep.json"
    path.write_text(text)
    rows = ("gate", tmp_path / "rows.csv", "-t", "label", "-s", "model", "--min", "accuracy=0.1")
    for words in (("show", path), ("evaluate", path, "-t", "label", "-s", "model"), (*rows, "--baseline", path)):
        found = run(*words)
        assert_rejected(found, path, words)
        assert len(found.stderr) < 1000
    lines = tmp_path / "deep.ndjson"
    lines.write_text(f'{{"label": "a", "model": {text}}}\n')
    assert_rejected(run("evaluate", lines, "-t", "label", "-s", "model"), lines)


@pytest.mark.parametrize(
    "words", [("evaluate", "-o"), ("compare", "-s", "model", "-o"), ("gate", "--min", "accuracy=0.1", "--sarif")]
)
@pytest.mark.parametrize("name", ["rows.csv", "folder/../rows.csv", "link.csv"])
def test_no_output_replaces_what_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    text = "label,old,model\n" + "a,b,a\nb,b,b\n" * 20
    (tmp_path / "rows.csv").write_text(text)
    (tmp_path / "link.csv").symlink_to("rows.csv")
    command, *options = words
    for source in ("rows.csv", "r*.csv", "."):
        found = run(command, source, "-t", "label", "-s", "old", *options, name, "--force")
        assert found.exit_code == 2, found.output
        assert "both read and written" in found.stderr
        assert (tmp_path / "rows.csv").read_text() == text
    for kind in ("--truth-file", "--baseline"):
        if command == "gate" or kind == "--truth-file":
            (tmp_path / "other.csv").write_text(text)
            found = run(command, "other.csv", "-t", "label", "-s", "old", kind, "rows.csv", *options, name, "--force")
            assert found.exit_code == 2, found.output
            assert "both read and written" in found.stderr


def test_two_outputs_are_two_files(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("label,model\n" + "a,a\nb,b\n" * 20)
    for options in (("--junit", "x.xml", "--sarif", "x.xml"), ("--junit", "x.xml", "-o", "./x.xml")):
        words = [tmp_path / word if "x.xml" in word else word for word in options]
        found = run("gate", tmp_path / "rows.csv", "-t", "label", "-s", "model", "--min", "accuracy=0.1", *words)
        assert found.exit_code == 2
        assert "is named for two outputs" in found.stderr
