"""Files of every supported format lead to the same tracks, wherever they lie and however they are written."""

import contextlib
import gzip
import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infoscope import tracking
from infoscope.errors import InputError, UnknownNameError
from tests.api import check_rows, read_text, read_tracks
from tests.tracking.scenes import Rows, crowd

TRUTH, TRACKS = crowd(3)


def figures(truth: object, tracks: object, **options: object) -> list[float]:
    estimates = tracking.evaluate(truth, tracks, **options).systems[0].metrics  # type: ignore[arg-type]
    return [each.value for each in estimates.values()]


EXPECTED = figures(TRUTH, TRACKS)


def mot(rows: Rows, delimiter: str = ",", end: str = "\n") -> str:
    return end.join(
        delimiter.join([f"{int(f)}", f"{int(i)}", *(repr(float(value)) for value in box), "1", "-1", "-1", "-1"])
        for f, i, *box in rows
    )


def kitti(rows: Rows) -> str:
    lines = [
        f"{int(f)} {int(i)} Car 0 0 -1.57 {x!r} {y!r} {x + w!r} {y + h!r} 1.5 1.6 3.7 1 2 3 0.1"
        for f, i, x, y, w, h in rows.tolist()
    ]
    return "\n".join([*lines, "0 -1 DontCare -1 -1 -10 1 1 5 5 -1 -1 -1 -1 -1 -1 -1"])


def bdd(rows: Rows) -> str:
    frames = [
        {
            "videoName": "clip",
            "frameIndex": int(frame),
            "labels": [
                {"id": str(int(i)), "category": "car", "box2d": {"x1": x, "y1": y, "x2": x + w, "y2": y + h}}
                for _, i, x, y, w, h in rows[rows[:, 0] == frame].tolist()
            ],
        }
        for frame in np.unique(rows[:, 0])
    ]
    return json.dumps([*frames, {"videoName": "clip", "frameIndex": 999, "labels": None}])


def named(rows: Rows) -> dict[str, list[float]]:
    names = ["frame", "track_id", "left", "top", "width", "height"]
    return dict(zip(names, rows.T.tolist(), strict=True))


def csv(rows: Rows, delimiter: str = ",") -> str:
    columns = named(rows)
    return "\n".join(
        [delimiter.join(columns), *(delimiter.join(map(repr, row)) for row in zip(*columns.values(), strict=True))]
    )


@pytest.mark.parametrize(
    "write",
    [
        pytest.param(mot, id="commas"),
        pytest.param(lambda rows: mot(rows, " "), id="blanks"),
        pytest.param(lambda rows: mot(rows, ", "), id="commas and blanks"),
        pytest.param(lambda rows: mot(rows, "\t"), id="tabs"),
        pytest.param(lambda rows: mot(rows, end="\r\n"), id="windows line ends"),
        pytest.param(lambda rows: "\ufeff" + mot(rows) + "\n\n", id="byte order mark"),
        pytest.param(lambda rows: "# a comment\n" + mot(rows[::-1]), id="out of order"),
        pytest.param(lambda rows: mot(rows - [1, 0, 0, 0, 0, 0]), id="frames from 0"),
        pytest.param(kitti, id="kitti"),
        pytest.param(bdd, id="bdd"),
        pytest.param(csv, id="csv with names"),
        pytest.param(lambda rows: csv(rows, ";"), id="csv with semicolons"),
    ],
)
def test_a_format_is_recognised(write: Callable[[Rows], str], tmp_path: Path) -> None:
    paths = [tmp_path / "one.txt", tmp_path / "other.txt"]
    for path, rows in zip(paths, (TRUTH, TRACKS), strict=True):
        path.write_bytes(write(rows).encode())

    assert figures(*paths) == pytest.approx(EXPECTED, abs=1e-9)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, dict], ids=["pandas", "polars", "mapping"])
def test_frames_in_memory(frame: Callable[[dict[str, list[float]]], object]) -> None:
    assert figures(frame(named(TRUTH)), frame(named(TRACKS))) == pytest.approx(EXPECTED, abs=1e-12)


@pytest.mark.parametrize(
    ("names", "change"),
    [
        pytest.param(
            ("t", "id", "x1", "y1", "x2", "y2"), lambda b: [b[0], b[1], b[0] + b[2], b[1] + b[3]], id="corners"
        ),
        pytest.param(
            ("Frame", "ID", "cx", "cy", "w", "h"), lambda b: [b[0] + b[2] / 2, b[1] + b[3] / 2, b[2], b[3]], id="centre"
        ),
        pytest.param(("frame_id", "object_id", "x", "y", "width", "height"), list, id="x, y, width, height"),
    ],
)
def test_boxes_by_the_names_of_their_columns(names: tuple[str, ...], change: Callable[[Rows], list[Rows]]) -> None:
    sides = [
        dict(zip(names, [rows[:, 0], rows[:, 1], *change(rows[:, 2:].T)], strict=True)) for rows in (TRUTH, TRACKS)
    ]

    assert figures(*sides) == pytest.approx(EXPECTED, abs=1e-9)


def test_ids_may_be_text() -> None:
    sides = [pd.DataFrame(named(rows)) for rows in (TRUTH, TRACKS)]
    for side in sides:
        side["track_id"] = [f"car {number:g}" for number in side["track_id"]]

    assert figures(*sides) == pytest.approx(EXPECTED, abs=1e-12)


@pytest.mark.slow
def test_folders_and_zips_are_matched_by_name(tmp_path: Path) -> None:
    scenes = {f"MOT-{seed:02}": crowd(seed) for seed in range(3)}
    expected = figures({n: s[0] for n, s in scenes.items()}, {n: s[1] for n, s in scenes.items()})
    with zipfile.ZipFile(tmp_path / "tracks.zip", "w") as archive:
        for name, (truth, tracks) in scenes.items():
            folder = tmp_path / "train" / name
            for part, text in {"gt/gt.txt": mot(truth), "det/det.txt": "1,-1,0,0,1,1", "seqinfo.ini": "[x]"}.items():
                (folder / part).parent.mkdir(parents=True, exist_ok=True)
                (folder / part).write_text(text, encoding="utf-8")
            flat = tmp_path / "tracker" / "data" / f"{name}.txt"
            flat.parent.mkdir(parents=True, exist_ok=True)
            flat.write_text(mot(tracks), encoding="utf-8")
            archive.writestr(f"data/{name.lower()}.txt", mot(tracks))

    assert figures(tmp_path / "train", tmp_path / "tracker") == pytest.approx(expected, abs=1e-9)
    assert figures(tmp_path / "train", tmp_path / "tracks.zip") == pytest.approx(expected, abs=1e-9)


def test_a_table_with_a_sequence_column_holds_several(tmp_path: Path) -> None:
    scenes = {f"s{seed}": crowd(seed) for seed in range(2)}
    expected = figures({n: s[0] for n, s in scenes.items()}, {n: s[1] for n, s in scenes.items()})
    sides = [
        pd.concat([pd.DataFrame(named(scene[side])).assign(sequence=name) for name, scene in scenes.items()])
        for side in (0, 1)
    ]
    sides[1].to_csv(tmp_path / "tracks.csv", index=False)

    assert figures(*sides) == pytest.approx(expected, abs=1e-12)
    assert figures(sides[0], tmp_path / "tracks.csv") == pytest.approx(expected, abs=1e-9)


def test_compressed_text(tmp_path: Path) -> None:
    (tmp_path / "t.txt.gz").write_bytes(gzip.compress(mot(TRUTH).encode()))

    assert figures(tmp_path / "t.txt.gz", TRACKS) == pytest.approx(EXPECTED, abs=1e-9)


@pytest.mark.parametrize("dimensions", [2, 3])
def test_points_are_matched_by_distance(dimensions: int) -> None:
    rng = np.random.default_rng(0)
    frames, ids = np.divmod(np.arange(400), 8)
    centres = rng.uniform(0, 1000, (8, dimensions))[ids]
    truth = np.column_stack([frames, ids, centres])
    tracks = np.column_stack([frames, ids + 50, centres + 3.0])
    apart = 3 * np.sqrt(dimensions)

    near = tracking.evaluate(truth, tracks, gate=apart + 0.01).systems[0].metrics
    far = tracking.evaluate(truth, tracks, gate=apart - 0.01).systems[0].metrics

    assert near["proficiency"].value == pytest.approx(1.0, abs=1e-12)
    assert near["motp"].value == pytest.approx(1 - apart / (2 * (apart + 0.01)), abs=1e-9)
    assert far["recall"].value == 0
    names = ["frame", "id", "x", "y", "z"][: 2 + dimensions]
    assert figures(pd.DataFrame(truth, columns=names), tracks, gate=10) == pytest.approx(
        figures(truth, tracks, gate=10)
    )


def test_a_sweep_over_distances() -> None:
    truth, tracks = crowd(6)[0][:, :4], crowd(6)[1][:, :4]

    sweep = tracking.sweep_gates(truth, tracks, gates=[2.0, 5.0, 12.0])

    for point in sweep.points:
        estimates = tracking.evaluate(truth, tracks, gate=point["gate"]).systems[0].metrics
        assert point["proficiency"] == pytest.approx(estimates["proficiency"].value, abs=1e-12)
        assert point["false_information_ratio"] == pytest.approx(estimates["false_information_ratio"].value, abs=1e-12)


def test_a_similarity_of_the_callers_own() -> None:
    def overlap(truth: Rows, system: Rows) -> Rows:
        low = np.maximum(truth[:, None, :2], system[None, :, :2])
        high = np.minimum((truth[:, :2] + truth[:, 2:])[:, None], (system[:, :2] + system[:, 2:])[None])
        shared = np.prod(np.maximum(high - low, 0), axis=2)
        return shared / (np.prod(truth[:, None, 2:], axis=2) + np.prod(system[None, :, 2:], axis=2) - shared)

    matrices = {
        frame: overlap(TRUTH[TRUTH[:, 0] == frame, 2:], TRACKS[TRACKS[:, 0] == frame, 2:])
        for frame in np.unique(TRUTH[:, 0])
    }

    assert figures(TRUTH, TRACKS, similarity=overlap) == pytest.approx(EXPECTED, abs=1e-9)
    assert figures(TRUTH[:, :2], TRACKS[:, :2], similarity=matrices) == pytest.approx(EXPECTED, abs=1e-9)
    with pytest.raises(InputError, match=r"frame 1 of sequence is 1 × 1; it must be"):
        tracking.evaluate(TRUTH[:, :2], TRACKS[:, :2], similarity=matrices | {1: [[0.5]]})


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("1,2,3,4,5,6\n1 3 3 4 5 6", "line 2: fields are separated by blanks, above by commas"),
        ("1,2,3,4,5,6\n1,3,3,4", "line 2: 4 fields instead of 6"),
        ("1,2,3,4,5,6\n1,3,3,four,5,6", "line 2: 'four' is not a number"),
        ("1,2,3", "a row has 3 columns"),
        ("frame,name,x,y\n1,2,3,4", "no column for the id; it has 'frame', 'name', 'x', 'y'"),
        ("frame,id,x1,y1\n1,2,3,4", "no complete box or point among the columns"),
        ("frame,id,x,y\n1,2,3", "row 2: 3 fields under a header of 4"),
        ("frame,id,x,y\n1,2,3,far", "column 'y' is 'far'; it must be a number"),
        ('[{"labels": [{"box2d": {"x1": 1}}]}]', "frame 0 has a label without 'id'"),
        ('[{"labels": [{"id": 1, "box2d": {"x1": 1}}]}]', "whose 'box2d' lacks one of x1, y1, x2, y2"),
        ('[{"labels": [{"id": 1, "box2d": {"x1": 1, "y1": 1, "x2": "a", "y2": 1}}]}]', "a box edge is 'a'"),
        ('[{"frameIndex": "first", "labels": [{"id": 1, "box2d": {"x1": 1, "y1": 1, "x2": 2, "y2": 2}}]}]', "'first'"),
        ("[3]", "frame 0 is not an object"),
        ("1,nan,1,1,2,2", "a row has no id"),
        ("frame,id,x,y,w,h\n1,,3,4,5,6", "a row has no id"),
        ("frame,id,x,y,x,w,h\n1,2,3,4,5,6,7", "has two columns 'x'"),
        ("[" * 100_000, "lists within lists without end"),
        ("1e300,1,1,1,2,2", "a frame is not a finite number below 2^53"),
        ('[{"labels": ', "not valid JSON"),
        ('{"a": 1}', "no list of frames"),
        ("0 1 Car 0 0 0 1 1 2 2\n0 1 Car", "line 2: 3 fields; a KITTI row"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(text: str, complaint: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.txt"
    path.write_text(text, encoding="utf-8")

    with pytest.raises((InputError, UnknownNameError)) as error:
        tracking.evaluate(path, TRACKS)

    assert complaint in str(error.value)
    assert "bad.txt" in str(error.value)


def test_sequences_without_tracks_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no tracks for sequence 'b' of the truth; the tracks are of a, c"):
        tracking.evaluate({"a": TRUTH, "b": TRUTH}, {"a": TRACKS, "c": TRACKS})
    extra = tracking.evaluate({"a": TRUTH}, {"a": TRACKS, "c": TRACKS}).systems[0]
    assert [each.text for each in extra.diagnosis if each.code == "no_truth"] == [
        "Tracks without a truth were left out: c."
    ]
    with pytest.raises(InputError, match="does not exist"):
        tracking.evaluate(tmp_path / "nowhere", TRACKS)
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="has no track files"):
        tracking.evaluate(tmp_path / "empty", TRACKS)


def test_damaged_archives_are_rejected(tmp_path: Path) -> None:
    (tmp_path / "half.zip").write_bytes(b"PK\x03\x04 and no more")
    (tmp_path / "plain.txt.gz").write_bytes(b"1,2,3,4,5,6")
    (tmp_path / "cut.txt.gz").write_bytes(gzip.compress(mot(TRUTH).encode())[:-9])
    with zipfile.ZipFile(tmp_path / "changed.zip", "w") as archive:
        archive.writestr("scene.txt", mot(TRUTH))
    whole = (tmp_path / "changed.zip").read_bytes()
    (tmp_path / "changed.zip").write_bytes(whole[:60] + b"?" + whole[61:])

    for name, complaint in {
        "half.zip": "is not a whole zip",
        "plain.txt.gz": "cannot be read",
        "cut.txt.gz": "cannot be read",
        "changed.zip": "scene.txt cannot be unpacked",
    }.items():
        with pytest.raises(InputError, match=complaint):
            read_tracks(tmp_path / name)


def test_compressed_text_within_a_zip(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.writestr("scene.txt.gz", gzip.compress(mot(TRUTH).encode()))

    assert len(read_tracks(tmp_path / "all.zip")["scene"]) == len(TRUTH)


def test_two_files_of_one_name_are_rejected(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "scene.txt").write_text(mot(TRUTH), encoding="utf-8")

    with pytest.raises(InputError, match="are both named 'scene'"):
        read_tracks(tmp_path)


@pytest.mark.filterwarnings("error")
@given(
    st.one_of(
        st.text(alphabet='0123456789.,; \t\n-+einfa#"{}[]:', max_size=80),
        st.lists(st.lists(st.sampled_from(["1", "2", "-1", "nan", "1e9", "x", "", "0.5"]), max_size=8), max_size=4).map(
            lambda rows: "\n".join(",".join(row) for row in rows)
        ),
        st.recursive(
            st.none() | st.integers(-3, 3) | st.text("ab", max_size=2),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(st.sampled_from(["labels", "id", "box2d", "x1", "y1", "x2", "y2", "frames"]), inner)
            ),
        ).map(lambda value: json.dumps([value])),
    )
)
def test_nonsense_is_rejected_in_words(text: str) -> None:
    """Any text is read, or rejected with an error that the caller can fix; none is a crash."""
    for form in ("auto", "motchallenge", "kitti", "bdd", "csv"):
        with contextlib.suppress(InputError, UnknownNameError):
            for reading in read_text(text, "file", "name", form).values():
                check_rows(reading, "split")
