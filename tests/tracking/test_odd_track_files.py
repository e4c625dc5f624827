"""Files that could be read in two ways: classes, widths of rows, ids and names of columns."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from infoscope import tracking
from infoscope.errors import InputError
from tests.api import read_text
from tests.tracking.scenes import Rows
from tests.tracking.test_track_readers import EXPECTED, TRACKS, TRUTH, bdd, figures, kitti, mot, named


def with_classes(rows: Rows, tail: str, kinds: tuple[int, ...] = (1,)) -> str:
    """MOTChallenge rows that end in a class: of the tracks in turn."""
    return "".join(
        f"{int(f)},{int(i)},{x!r},{y!r},{w!r},{h!r},1,{kinds[int(i) % len(kinds)]}{tail}\n"
        for f, i, x, y, w, h in rows.tolist()
    )


@pytest.mark.parametrize("tail", ["", ",1"], ids=["eight columns", "nine columns"])
@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"], ids=["LF", "CR", "CRLF"])
def test_classes_are_read_whatever_ends_the_line(tail: str, end: str, tmp_path: Path) -> None:
    truth, tracks = tmp_path / "gt.txt", tmp_path / "res.txt"
    truth.write_bytes(with_classes(TRUTH, tail, (1, 7)).replace("\n", end).encode())
    tracks.write_text(mot(TRACKS))

    system = tracking.evaluate(truth, tracks).systems[0]

    assert system.n == (TRUTH[:, 1] % 2 == 0).sum() < len(TRUTH)
    assert system.system_boxes < len(TRACKS)


def test_a_filled_column_is_no_class(tmp_path: Path) -> None:
    truth = tmp_path / "gt.txt"
    truth.write_text(with_classes(TRUTH, ",-1", (-1,)))

    assert figures(truth, TRACKS) == pytest.approx(EXPECTED, abs=1e-9)


@pytest.mark.parametrize("kind", [0, 14, 1.5, float("nan")])
def test_classes_that_motchallenge_does_not_have(kind: float) -> None:
    truth = np.column_stack([TRUTH, np.ones(len(TRUTH)), np.ones(len(TRUTH)), np.ones(len(TRUTH))])
    truth[3, 7] = kind

    with pytest.raises(InputError, match=r"class .* is none of MOTChallenge's 1 to 13.*'off'"):
        tracking.evaluate(truth, TRACKS)
    tracking.evaluate(TRUTH, truth)


@pytest.mark.parametrize("write", [mot, kitti])
def test_rules_by_class_need_classes_by_number(write: Callable[[Rows], str], tmp_path: Path) -> None:
    truth = tmp_path / "gt.txt"
    truth.write_text(write(TRUTH))

    with pytest.raises(InputError, match="has no classes by number"):
        tracking.evaluate(truth, TRACKS, preprocessing="mot16")


@pytest.mark.parametrize("delimiter", [",", " "], ids=["commas", "blanks"])
@pytest.mark.parametrize("row", ["1,9,1,1,9,9,1", "1,9,1,1,9,9,1,1,1", "1,9,1,1,9,9,1,-1,-1,-1\v2,9,1,1,9,9,1"])
def test_rows_of_another_width(row: str, delimiter: str) -> None:
    lines = mot(TRUTH, delimiter).splitlines()
    lines.insert(4, row.replace(",", delimiter))

    with pytest.raises(InputError, match=r"line 5: (7|9|16|17) fields, 10 in the first row"):
        read_text("\n".join(lines), "res.txt", "", "auto")


@pytest.mark.parametrize("tail", [",", ",,", ", , "])
def test_empty_fields_at_the_end_of_rows(tail: str) -> None:
    text = with_classes(TRUTH, tail).replace(",1,1,", ",1,")  # seven columns, and what a spreadsheet adds

    assert len(read_text(text, "res.txt", "", "auto")[""]) == len(TRUTH)


def test_long_ids_are_no_numbers() -> None:
    text = "1,9007199254740992,0,0,9,9\n2,9007199254740993,0,0,9,9\n"

    with pytest.raises(InputError, match="id 9007199254740992 has more digits"):
        read_text(text, "res.txt", "", "auto")
    named_columns = read_text("frame,id,left,top,width,height\n" + text, "res.csv", "", "auto")[""]
    assert len(set(named_columns.ids)) == 2


def test_the_id_of_the_track_goes_before_the_id_of_the_row() -> None:
    sides = [{**named(rows), "id": np.arange(len(rows))} for rows in (TRUTH, TRACKS)]

    assert figures(*sides) == pytest.approx(EXPECTED, abs=1e-12)


def test_labels_without_a_box_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "tracks.json"
    path.write_text(json.dumps([*json.loads(bdd(TRACKS)), {"videoName": "clip", "labels": [{"id": 1}, {"id": 2}]}]))

    text = str(tracking.evaluate(TRUTH, path))

    assert "2 rows left out: labels without a box2d" in text
