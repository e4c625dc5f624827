"""The compiled work on columns of numbers against Python's own, and what is done where it is absent."""

import io
import math
import runpy
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import example, given, settings
from hypothesis import strategies as st

import infoscope as ifs
from infoscope.core import native_code as kernels
from infoscope.errors import InputError
from tests.api import BinaryScores, app, find_hull, rank_scores, read_motchallenge

_kernels = pytest.importorskip("infoscope._kernels", reason="the compiled part needs a C compiler and Python's headers")

decimals = st.from_regex(r"[+-]?([0-9]{1,12}\.?[0-9]{0,9}|\.[0-9]{1,9})([eE][+-]?[0-9]{1,2})?", fullmatch=True)
fields = decimals | st.sampled_from(["nan", "inf", "", "-", ".", "1e", "0x1", "1_0", "9" * 25, "1e-30", " 2 ", "-0"])


@pytest.mark.slow
@settings(max_examples=60)
@given(st.lists(st.tuples(fields, fields), min_size=1, max_size=5), st.sampled_from(["\n", "\r\n", "\n\n"]))
@example([("9007199254740993", "0.1"), ("1e22", "1e23")], "\n")
@example([("123456789.123456789", "4.35")], "\n")
def test_decimals_are_read_as_python_reads_them_or_left_to_others(rows: list[tuple[str, str]], end: str) -> None:
    found = kernels.decimal_columns(end.join(f"{a},{b},rest" for a, b in rows) + end, ",", 2)
    if found is not None:
        expected = np.array([[float(a), float(b)] for a, b in rows])
        np.testing.assert_array_equal(found.view(np.int64), expected.view(np.int64))


@pytest.mark.parametrize("text", ["1,2\n3", "1;2\n", "1,x\n", "1,2 3\n", "1 2\n", "# 1,2\n", "1,2\n 3,4,\n", "1,nan\n"])
def test_decimals_that_are_not_plain_are_left_to_others(text: str) -> None:
    found = kernels.decimal_columns(text, ",", 2)
    if text == "1,2\n 3,4,\n":  # only fields beyond those asked for may hold anything
        assert found is not None
        assert found.tolist() == [[1.0, 2.0], [3.0, 4.0]]
    else:
        assert found is None


def test_a_track_file_reads_alike_with_and_without_the_compiled_part(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(8)
    text = io.StringIO()
    np.savetxt(
        text, rng.normal(50, 20, (40, 7)).round(3) * [0, 0, 1, 1, 1, 1, 1] + [3, 4, 0, 0, 0, 0, 0], delimiter=","
    )
    plain = read_motchallenge(text.getvalue(), "x")
    monkeypatch.setenv("INFOSCOPE_NATIVE", "0")
    assert kernels.decimal_columns("1,2\n", ",", 2) is None
    other = read_motchallenge(text.getvalue(), "x")
    np.testing.assert_array_equal(plain.shapes, other.shapes)
    np.testing.assert_array_equal(plain.frames, other.frames)


def test_what_is_no_number_may_be_any_text() -> None:
    found = kernels.decimal_columns("1,2,ü\udcff\n", ",", 2)
    assert found is not None
    assert found.tolist() == [[1.0, 2.0]]
    assert kernels.decimal_columns("", ",", 2).shape == (0, 2)
    assert kernels.decimal_columns("0." + "0" * 60 + "5\n", ",", 1) is None


def test_scores_may_lie_anywhere_in_memory() -> None:
    scores = np.frombuffer(b"x" + np.array([0.2, 0.9, 0.2]).tobytes(), np.float64, offset=1)
    assert not scores.flags.aligned
    found = kernels.rank_scores(scores, np.array([True, True, False]))
    assert [side.tolist() for side in found] == [[0.9, 0.2], [1, 2], [1, 3]]
    assert kernels.rank_scores(scores[:0], np.zeros(0, np.bool_)).hits.tolist() == []


@pytest.mark.parametrize("wrong", [np.empty(2), np.frombuffer(bytearray(25), np.float64, offset=1)])
def test_the_compiled_part_rejects_columns_that_do_not_fit(wrong: np.ndarray) -> None:
    columns = [np.empty(3) for _ in range(4)]
    for at in range(4):
        with pytest.raises(ValueError, match="different lengths, or not aligned"):
            _kernels.rank(np.zeros(3), np.zeros(3, np.bool_), *(wrong if i == at else columns[i] for i in range(4)))
    assert _kernels.decimals(b"1\n2\n3\n4\n", ord(","), 1, wrong) == -1


def _printed(words: list[str], monkeypatch: pytest.MonkeyPatch) -> tuple[str, int]:
    """Return the output of a command, and how often it called the compiled part."""
    calls = []
    with monkeypatch.context() as patch:
        for work in (_kernels.rank, _kernels.decimals):
            patch.setattr(_kernels, work.__name__, lambda *given, work=work: calls.append(0) or work(*given))
        done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    return done.output, len(calls)


def test_the_environment_turns_it_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("INFOSCOPE_NATIVE", raising=False)
    rows = "".join(f"{frame},{track},{10 * track + frame},5,8,8,1\n" for frame in range(1, 9) for track in (1, 2))
    for name in ("truth.txt", "system.txt"):
        (tmp_path / name).write_text(rows)
    words = ["track", str(tmp_path / "truth.txt"), str(tmp_path / "system.txt")]
    plain, used = _printed(words, monkeypatch)
    assert used > 0
    monkeypatch.setenv("INFOSCOPE_NATIVE", "0")
    assert _printed(words, monkeypatch) == (plain, 0)
    monkeypatch.setenv("INFOSCOPE_NATIVE", "1")
    assert _printed(words, monkeypatch) == (plain, used)


def test_seeds_of_the_fuzzer_are_rows_and_scores() -> None:
    seeds = runpy.run_path(str(Path(__file__).parents[1] / "native" / "fuzz" / "seeds.py"))
    read = []
    for how, *content in seeds["numbers"]():
        if how & 1:
            assert len(content) % 9 == 0
        else:
            room = np.empty((how // 4 % 8 + 1) * 4)
            read.append(_kernels.decimals(bytes(content), b",;\t "[how // 32 % 4], how // 4 % 8 + 1, room))
    assert set(read) == {2, -1}


scores = st.lists(
    st.tuples(
        st.floats(allow_nan=False) | st.sampled_from([0.0, -0.0, 5e-324, -5e-324, math.inf, -math.inf, 0.5]),
        st.booleans(),
    ),
    min_size=1,
    max_size=40,
)


@given(scores)
def test_scores_are_ranked_as_by_a_full_sort(rows: list[tuple[float, bool]]) -> None:
    values, positive = np.array([score for score, _ in rows]), np.array([mine for _, mine in rows])
    found = kernels.rank_scores(values, positive)
    assert found is not None
    expected = sorted(set(values.tolist()), reverse=True)
    assert found.thresholds.tolist() == expected
    assert not np.signbit(found.thresholds[found.thresholds == 0]).any()
    assert found.hits.tolist() == [int(np.sum(positive & (values >= score))) for score in expected]
    assert found.reached.tolist() == [int(np.sum(values >= score)) for score in expected]


def test_a_sweep_is_the_same_without_the_compiled_part(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 2, 50_000)
    values = np.append(rng.normal(size=49_998) + truth[:-2], [0.0, -0.0])
    assert np.unique(values).size > 49_000
    fast = ifs.sweep(truth, values, max_points=200)
    monkeypatch.setenv("INFOSCOPE_NATIVE", "0")
    slow = ifs.sweep(truth, values, max_points=200)
    np.testing.assert_array_equal(fast.thresholds, slow.thresholds)
    assert fast.areas == slow.areas
    np.testing.assert_array_equal(fast.values("proficiency"), slow.values("proficiency"))


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_scores_that_are_no_numbers_are_rejected_with_their_row(bad: float) -> None:
    with pytest.raises(InputError, match="score of row 2 is"):
        ifs.sweep([0, 1, 1, 0], [0.1, 0.2, bad, 0.4])


@settings(max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=60), st.integers(2, 9))
def test_the_hull_of_long_curves_is_found_block_by_block(steps: list[tuple[int, int]], block: int) -> None:
    reached = np.cumsum(np.array(steps, dtype=np.int64), axis=0)
    whole = find_hull(reached[:, 0], reached[:, 1])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("infoscope.studies.score_ranking.SHORT", 2)
        patch.setattr("infoscope.studies.score_ranking.BLOCK", block)
        patch.setattr("infoscope.studies.score_ranking.FEW", 2)
        pieces = find_hull(reached[:, 0], reached[:, 1])
        weighted = find_hull(reached[:, 0] / 3.0, reached[:, 1] / 7.0)
    at = {(0, 0), *(tuple(reached[place].tolist()) for place in whole)}
    assert at == {(0, 0), *(tuple(reached[place].tolist()) for place in pieces)}
    # rounded sums may keep a point on an edge, and lose no corner
    assert at <= {(0, 0), *(tuple(reached[place].tolist()) for place in weighted)}
    assert at == _hull(reached)


def _hull(reached: np.ndarray) -> set[tuple[int, int]]:
    """Corners by Andrew's monotone chain, with the end of the curve."""
    points = sorted({(0, 0), *map(tuple, reached.tolist())})

    def chain(ordered: list[tuple[int, int]]) -> list[tuple[int, int]]:
        kept: list[tuple[int, int]] = []
        for x, y in ordered:
            while len(kept) > 1 and (kept[-1][0] - kept[-2][0]) * (y - kept[-2][1]) <= (kept[-1][1] - kept[-2][1]) * (
                x - kept[-2][0]
            ):
                kept.pop()
            kept.append((x, y))
        return kept

    return {*chain(points), *chain(points[::-1])}


def test_areas_of_many_levels_are_those_of_scikit_learn() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 2, 40_000)
    values = rng.normal(size=40_000) + truth
    levels = rank_scores(BinaryScores(values, truth == 1, (0, 1), 1))
    assert len(levels.thresholds) == 40_000
    areas = ifs.sweep(truth, values).areas
    assert areas["roc_auc"] == pytest.approx(metrics.roc_auc_score(truth, values), abs=1e-12)
    assert areas["average_precision"] == pytest.approx(metrics.average_precision_score(truth, values), abs=1e-12)
